"""Derivatives of programs, as programs: adjoint templates inlined on the syntax tree."""
