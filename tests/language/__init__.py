"""All of Python that compiled code may meet: a case for each row of `docs/language.md`."""

from language import (
    branches,
    builtins,
    expressions,
    foreign,
    functions,
    inputs,
    loops,
    objects,
    state,
    statements,
)

#: Sections of the table, in its order.
ALL = [
    statements.SECTION, branches.SECTION, loops.SECTION, functions.SECTION, expressions.SECTION,
    objects.SECTION, builtins.SECTION, foreign.SECTION, inputs.SECTION, state.SECTION,
]  # fmt: skip
