"""From the IR to what Huawei's CANN reads: a graph for its engine, GE, and how to run it.

``datatypes`` and ``prototypes`` hold what GE knows: types, and operators as its headers declare
them. ``graph`` is a graph of them, which ``building`` makes node by node, ``encoding`` writes as
the bytes of an ``.air`` file, ``decoding`` reads back and ``text`` prints; ``checking`` tells what
GE would not take. Protobuf is imported when a file is written or read, not before.
"""
