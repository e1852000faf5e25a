"""A device that is not there: what it would compute, hold and wait for, read from files alone.

``meanings`` says what each operator of GE gives, family by family, from its declaration; ``graphs``
runs a graph, ``memory`` counts its bytes, ``session`` runs what ``run.json`` asks for and ``costs``
guesses how long it takes. Nothing here asks the IR or its primitives. It has no silicon's rounding,
and no silicon's speed.
"""
