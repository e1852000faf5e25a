"""The simulated device as a target of ordinary programs.

What is compiled becomes a graph, and `ledger` counts what a device and its host would do to run it.
Numbers come from the program of the CPU, or from the device itself.
"""
