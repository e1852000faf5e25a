"""What is a text that shows tensors? Known while compiling, but for the numbers in it.

`print`, `raise` and `assert` take such a text, for they write it while the program runs. For all
else a text must be known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.core.tensor import Tensor
from s2sad.frontend.carried import length_of
from s2sad.frontend.static import require_numbers
from s2sad.frontend.trees import leaves
from s2sad.ir import builder as builders
from s2sad.ir import dims
from s2sad.ir.graph import Value


class Text:
    """A text with tensors in it.

    Attributes
    ----------
    format : str
        As `str.format` takes it, with a field for each value.
    values : tuple of Value or Tensor
    """

    def __init__(self, format: str, values: tuple[Any, ...]) -> None:  # noqa: A002 - as `str.format`
        self.format = format
        self.values = values

    def __add__(self, other: Any) -> Text:
        return joined([self, other]) if isinstance(other, (str, Text)) else self._refuse()

    def __radd__(self, other: Any) -> Text:
        return joined([other, self]) if isinstance(other, str) else self._refuse()

    def _refuse(self, *args: Any) -> NoReturn:
        raise unknown()

    __bool__ = __contains__ = __eq__ = __format__ = __getitem__ = __iter__ = __len__ = _refuse
    __mod__ = __mul__ = __rmod__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse  # type: ignore
    __hash__ = __int__ = __float__ = _refuse  # type: ignore - a dict would find another than it

    def __repr__(self) -> str:
        return "a text that shows tensors"


def unknown(location: Location | None = None) -> S2sadError:
    """E0101 for a text whose letters would have to be known while compiling."""
    return fail(
        "E0101", "a text cannot depend on tensor data while compiling, but in print, raise and "
        "assert",
        location=location,
        help="print it, format what the compiled function returns, or show x.shape and x.dtype",
    )  # fmt: skip


def is_shown(value: Any) -> bool:
    """Whether `value` is a tensor, which a text can show."""
    return isinstance(value, (Value, Tensor))


def is_open_shape(value: Any) -> bool:
    """Whether `value` is a tuple with a size that is a symbol, of which a text shows the number."""
    return type(value) is tuple and any(isinstance(size, dims.Symbolic) for size in value)


def text_of(value: Any, spec: str = "", form: Any = str) -> str | Text:
    """`value` as a text shows it, formatted as `spec` says.

    Parameters
    ----------
    form : callable
        `str` or `repr`; what of a container's items is shown is always the latter.

    Raises
    ------
    S2sadError
        E0101 for a tensor in a container, and for the `repr` of one; E0304 for a format of a tensor
        of several elements.
    """
    if isinstance(value, Text):
        return value if not spec else value._refuse()
    if is_shown(value):
        if form is not str or "{" in spec or "}" in spec:
            raise _too_much()
        return Text(f"{{:{spec}}}" if spec else "{}", (_element(value) if spec else value,))
    if any(map(is_shown, leaves(value))):
        raise _too_much()
    if isinstance(value, dims.Symbolic):
        return text_of(length_of(builders.current(), value), spec)
    if is_open_shape(value) and not spec:
        return _shape(value)
    require_numbers(value)
    return format(form(value) if form is not str or not spec else value, spec)


def _shape(sizes: tuple[Any, ...]) -> Any:
    parts = [part for size in sizes for part in (", ", text_of(size, form=repr))][1:]
    return joined(["(", *parts, ",)" if len(sizes) == 1 else ")"])


def _too_much() -> S2sadError:
    return fail(
        "E0101", "the repr of a tensor cannot be part of a text in compiled code",
        help="show the tensors of a container one by one: print(*items)",
    )  # fmt: skip


def _element(value: Any) -> Any:
    """The one element of a tensor, which is formatted as a number (E0304 for several)."""
    found = builders.current().value(value)
    if dims.same(found.tensor_type.size, 1) is not True:
        raise fail(
            "E0304", f"a format is for one element, got {found.type}", label=str(found.type),
            help="leave the format out: all elements are shown then",
        )  # fmt: skip
    return p.reshape(found, shape=()) if found.ndim else found


def joined(parts: Iterable[str | Text]) -> Any:
    """All `parts` in a row: known, if they all are."""
    given = list(parts)
    if all(isinstance(part, str) for part in given):
        return "".join(given)  # type: ignore[arg-type]
    values = [value for part in given if isinstance(part, Text) for value in part.values]
    return Text("".join(map(_escaped, given)), tuple(values))


def _escaped(part: str | Text) -> str:
    if isinstance(part, Text):
        return part.format
    return part.replace("{", "{{").replace("}", "}}")


def fields_of(text: str | Text) -> tuple[str, tuple[Any, ...]]:
    """`text` as an effect takes it: with a field for each value, and the values."""
    return (_escaped(text), ()) if isinstance(text, str) else (text.format, text.values)
