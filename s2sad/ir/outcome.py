"""What do callers see of the flat results of a function, and how is that written in a dump?

A tree of tuples, lists and dicts, whose ints are the numbers of results. Everything else in it is
what callers get as it stands; an int that is that itself, and a dtype by its name, stand in braces:
``(0, {3}, 'same', {'float32'})``. Named tuples are written as tuples, and records as dicts.
"""

from __future__ import annotations

import ast
from math import isfinite
from typing import Any

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.core.trees import Known, is_record, parts_of

#: Dtypes by what they are called.
NAMED = {dtype.name: dtype for dtype in dtypes.ALL}


def spelled(form: Any) -> str:
    """`form` as a dump has it.

    Examples
    --------
    >>> spelled((0, Known(3), ["same", 1.5, dtypes.float32]))
    "(0, {3}, ['same', 1.5, {'float32'}])"
    """
    return repr(_literal(form))


def _literal(form: Any) -> Any:
    if isinstance(form, tuple):
        return tuple(_literal(item) for item in form)
    if isinstance(form, list):
        return [_literal(item) for item in form]
    if isinstance(form, dict):
        return {key: _literal(item) for key, item in form.items()}
    if is_record(form):
        return {key: _literal(item) for key, item in parts_of(form).items()}
    if isinstance(form, Known):
        return {form.value}
    if isinstance(form, DType):
        return {form.name}
    return {str(form)} if isinstance(form, float) and not isfinite(form) else form


def parsed(text: str) -> Any:
    """What `spelled` wrote.

    Examples
    --------
    >>> parsed("(0, {3}, {'float32'})")
    (0, Known(value=3), s2sad.float32)
    """
    return _form(ast.literal_eval(text))


def _form(literal: Any) -> Any:
    if isinstance(literal, tuple):
        return tuple(_form(item) for item in literal)
    if isinstance(literal, list):
        return [_form(item) for item in literal]
    if isinstance(literal, dict):
        return {key: _form(item) for key, item in literal.items()}
    if not isinstance(literal, set):
        return literal
    (value,) = literal
    if value in ("inf", "-inf", "nan"):
        return float(value)
    return NAMED[value] if isinstance(value, str) else Known(value)
