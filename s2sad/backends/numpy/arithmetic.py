"""Which of `s2sad.prims.arithmetic` have a NumPy expression of their own?"""

from s2sad.prims import arithmetic as a

TABLE = {
    a.add: "np.add({0}, {1})",
    a.sub: "np.subtract({0}, {1})",
    a.mul: "np.multiply({0}, {1})",
    a.div: "np.divide({0}, {1})",
    a.neg: "np.negative({0})",
    a.floor_div: "np.floor_divide({0}, {1})",
    a.mod: "np.remainder({0}, {1})",
    a.abs: "np.abs({0})",
    a.sign: "np.sign({0})",
    a.square: "np.multiply({0}, {0})",
    a.sqrt: "np.sqrt({0})",
}
