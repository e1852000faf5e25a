"""Which of `s2sad.prims.logic` have a NumPy expression of their own?"""

from s2sad.prims import logic

TABLE = {
    logic.logical_and: "np.logical_and({0}, {1})",
    logic.logical_or: "np.logical_or({0}, {1})",
    logic.logical_xor: "np.logical_xor({0}, {1})",
    logic.logical_not: "np.logical_not({0})",
    logic.bit_and: "np.bitwise_and({0}, {1})",
    logic.bit_or: "np.bitwise_or({0}, {1})",
    logic.bit_xor: "np.bitwise_xor({0}, {1})",
    logic.bit_not: "np.bitwise_not({0})",
}
