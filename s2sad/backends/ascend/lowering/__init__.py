"""Which operators of GE compute what an operation of the IR says? One table a family.

``region`` makes a graph of a region, ``program`` a model of a function, with its state; each other
module has the rules of a family of primitives, by the primitive's name.
"""
