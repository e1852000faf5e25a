"""Which of `s2sad.prims.trigonometric` have a NumPy expression of their own?"""

from s2sad.prims import trigonometric as t

TABLE = {
    t.sin: "np.sin({0})",
    t.cos: "np.cos({0})",
    t.tan: "np.tan({0})",
    t.asin: "np.arcsin({0})",
    t.acos: "np.arccos({0})",
    t.atan: "np.arctan({0})",
    t.atan2: "np.arctan2({0}, {1})",
}
