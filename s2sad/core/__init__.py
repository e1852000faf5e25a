"""What all else stands on: dtypes, tensors, cells, context, diagnostics. Needs NumPy only."""
