"""Which of `s2sad.prims.exponential` have a NumPy expression of their own?"""

from s2sad.prims import exponential as e

TABLE = {
    e.exp: "np.exp({0})",
    e.exp2: "np.exp2({0})",
    e.expm1: "np.expm1({0})",
    e.log: "np.log({0})",
    e.log2: "np.log2({0})",
    e.log10: "np.log10({0})",
    e.log1p: "np.log1p({0})",
    e.tanh: "np.tanh({0})",
    e.sinh: "np.sinh({0})",
    e.cosh: "np.cosh({0})",
    e.asinh: "np.arcsinh({0})",
    e.acosh: "np.arccosh({0})",
    e.atanh: "np.arctanh({0})",
}
