"""The intermediate representation: an SSA graph whose only text form is Python.

What only some programs need is imported by the first of them that does: the printer, the reader,
the view as a graph of networkx.
"""
