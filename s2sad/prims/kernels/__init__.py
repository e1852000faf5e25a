"""Which numbers do the prims compute? Kernels on NumPy arrays that know nothing of the IR."""
