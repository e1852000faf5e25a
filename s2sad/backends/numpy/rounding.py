"""Which of `s2sad.prims.rounding` have a NumPy expression of their own?"""

from s2sad.prims import rounding as r

TABLE = {
    r.floor: "np.floor({0})",
    r.ceil: "np.ceil({0})",
    r.round: "np.rint({0})",
    r.trunc: "np.trunc({0})",
}
