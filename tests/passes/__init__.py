"""Tests of the passes, one module a pass."""
