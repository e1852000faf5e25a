"""MindSpore's operations as objects: made with their settings, then called with tensors.

A module a family; `s2sad.ops.operations` has them all, and `s2sad.ops` finds them there.
"""
