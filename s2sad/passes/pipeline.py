"""How is a list of passes written?

``canonicalize,cse,decompose{every},fuse{max_ops=32}``: names, and in braces the options that are
not the default, by name. An option that gives the pass its meaning stands bare.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable, Iterable
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.passes.base import Pass, Repeat
from s2sad.passes.registry import find

_ENTRY = re.compile(r"\s*(?P<name>[a-z][a-z0-9-]*)\s*(?:\{(?P<options>.*)\})?\s*", re.DOTALL)


def format_pipeline(passes: Iterable[Pass]) -> str:
    """`passes` as text; `parse_pipeline` gives them back.

    Examples
    --------
    >>> from s2sad.passes.canonicalize import Canonicalize
    >>> from s2sad.passes.dce import Dce
    >>> format_pipeline([Canonicalize(fast_math=True), Dce()])
    'canonicalize{fast_math=True},dce'
    """
    return ",".join(map(str, passes))


def parse_pipeline(text: str) -> tuple[Pass, ...]:
    """The passes that `text` names, plugged-in ones included.

    Parameters
    ----------
    text : str
        As `format_pipeline` writes it; blanks do not count.

    Returns
    -------
    tuple of Pass

    Raises
    ------
    S2sadError
        E0303 for a text that is no list of passes, or an option of another type; E0404 for a pass
        or an option that there is not.

    Examples
    --------
    >>> parse_pipeline("repeat{canonicalize,cse}, decompose{every}")
    (Repeat(passes=(Canonicalize(fast_math=False, rounds=64), Cse()), rounds=16), Decompose(every))
    >>> parse_pipeline("cannonicalize")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadValueError: [E0404] no pass is called 'cannonicalize'
       = help: did you mean canonicalize?
    """
    return tuple(_pass(entry) for entry in _split(text) if text.strip())


def _split(text: str) -> list[str]:
    """The parts of `text` between commas that stand in no braces and no quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        depth += 0 if quote else {"{": 1, "}": -1}.get(character, 0)
        if character == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
        if depth < 0:
            break
    if depth or quote:
        raise fail("E0303", f"a brace or a quote of {text!r} has no partner")
    return parts


def _pass(entry: str) -> Pass:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise fail("E0303", f"{entry.strip()!r} is no pass: a name, and options in braces")
    kind = find(found["name"])
    if not (found["options"] or "").strip():
        return kind()
    return kind(**_options(kind, found["options"]))


def _options(kind: type[Pass], text: str) -> dict[str, Any]:
    fields = {option.name: option for option in dataclasses.fields(kind)}
    bare = [name for name, option in fields.items() if option.metadata.get("is_bare")]
    given: dict[str, str] = {}
    for part in _split(text):
        name, equals, value = part.partition("=")
        is_named = equals and re.fullmatch(r"\s*[A-Za-z_]\w*\s*", name)
        if not is_named and not bare:
            raise fail("E0303", f"{kind.name} takes options by name, got {part.strip()!r}")
        if is_named and name.strip() not in fields:
            raise _unknown(kind, name.strip(), list(fields))
        key = name.strip() if is_named else bare[0]
        text_of = value.strip() if is_named else part.strip()
        # A bare option may have commas of its own, as the passes that are repeated.
        given[key] = f"{given[key]},{text_of}" if not is_named and key in given else text_of
    types = typing.get_type_hints(kind)
    return {name: _read(kind, fields[name], types[name], text) for name, text in given.items()}


def _unknown(kind: type[Pass], name: str, options: list[str]) -> Exception:
    has = f"it has {', '.join(options)}" if options else "it has none"
    return fail(
        "E0404", f"{kind.name} has no option {name!r}",
        help=did_you_mean(name, options) or has,
    )  # fmt: skip


def _read(kind: type[Pass], option: Any, declared: Any, text: str) -> Any:
    """The value that `text` is, for an option of the type `declared`."""
    if kind is Repeat and option.name == "passes":
        return parse_pipeline(text)
    if "read" in option.metadata:
        return option.metadata["read"](text)
    for each in typing.get_args(declared) or (declared,):
        reader = _READERS.get(each)
        value = reader(text) if reader is not None else None
        if value is not None or (each is type(None) and text == "None"):
            return value
    expected = getattr(declared, "__name__", declared)
    raise fail("E0303", f"{option.name} of {kind.name} is {expected}, got {text!r}")


def _string(text: str) -> str | None:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text if re.fullmatch(r"[\w.-]+", text) else None


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _float(text: str) -> float | None:
    number = r"-?(\d+\.?\d*([eE][-+]?\d+)?|inf|nan)"
    return float(text) if re.fullmatch(number, text) else None


_READERS: dict[Any, Callable[[str], Any]] = {
    bool: {"True": True, "False": False}.get,
    int: _integer,
    float: _float,
    str: _string,
}
