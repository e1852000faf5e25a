"""Which of `s2sad.prims.shape` have a NumPy expression of their own?"""

from s2sad.prims import shape as s

TABLE = {
    s.transpose: "np.transpose({0}, {perm})",
    s.reshape: "np.reshape({0}, {shape})",
    s.broadcast_to: "np.broadcast_to({0}, {shape})",
    s.flip: "np.flip({0}, {axis})",
}
