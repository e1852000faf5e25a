"""What does a program that applies one primitive to values of given types say?"""

from __future__ import annotations

from typing import Any

import pytest

from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import Type


def applied(prim: Primitive, *types: Type, **attrs: Any) -> Function:
    return build_function(lambda *v: prim(*v, **attrs), types)


def inferred(prim: Primitive, *types: Type, **attrs: Any) -> Type:
    """Type of the first result."""
    return applied(prim, *types, **attrs).result_types[0]


def refused(prim: Primitive, *types: Type, **attrs: Any) -> S2sadError:
    """The error with which the program is refused."""
    with pytest.raises(S2sadError) as caught:
        applied(prim, *types, **attrs)
    return caught.value


def attrs_of(prim: Primitive, *types: Type, **attrs: Any) -> dict[str, Any]:
    """The attributes in canonical spelling."""
    return dict(applied(prim, *types, **attrs).body.operations[0].attrs)
