"""Which of `s2sad.prims.comparison` have a NumPy expression of their own?"""

from s2sad.prims import comparison as c

TABLE = {
    c.less: "np.less({0}, {1})",
    c.less_equal: "np.less_equal({0}, {1})",
    c.greater: "np.greater({0}, {1})",
    c.greater_equal: "np.greater_equal({0}, {1})",
    c.equal: "np.equal({0}, {1})",
    c.not_equal: "np.not_equal({0}, {1})",
    c.is_nan: "np.isnan({0})",
    c.is_inf: "np.isinf({0})",
    c.is_finite: "np.isfinite({0})",
}
