"""NumPy expressions for `s2sad.prims.arithmetic`."""

from s2sad.prims import arithmetic as a

TABLE = {
    a.add: "np.add({0}, {1})",
    a.sub: "np.subtract({0}, {1})",
    a.mul: "np.multiply({0}, {1})",
    a.div: "np.divide({0}, {1})",
    a.neg: "np.negative({0})",
}
