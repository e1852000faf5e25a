"""Programs on disk: a second process runs what the first has compiled, without the frontend.

`codes` says when two processes have the same function or class, `portrait` when they have the same
objects, `record` writes down what a program is bound to, `programs` finds and keeps entries.
"""
