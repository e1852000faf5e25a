"""Which case of a ``match`` is taken? One that is known while compiling.

Patterns look at what is static: numbers, texts, types, and the build of containers, of which
tensors may be a part. A pattern that asks what a tensor holds is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast

from s2sad.core.diagnostics import fail
from s2sad.frontend import scopes
from s2sad.frontend.containers import own
from s2sad.frontend.exits import Leaving
from s2sad.frontend.expressions import (
    attribute_of,
    evaluate,
    is_a,
    is_tensor,
    named,
    operate,
    truth,
)
from s2sad.frontend.frame import Frame
from s2sad.frontend.statements import execute, executes
from s2sad.frontend.static import as_python
from s2sad.ir.varying import Unfit, Varying

#: Classes whose only positional pattern is the subject itself.
WHOLE = (
    bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple,
)  # fmt: skip

#: What the names of a pattern that matches are bound to; None where it does not match.
Found = dict[str, Any] | None


@executes(gast.Match)
def _match(frame: Frame, node: Any) -> Leaving:
    subject = evaluate(frame, node.subject)
    if isinstance(subject, Varying):
        raise Unfit("a match on a number that varies from pass to pass")
    for case in node.cases:
        with frame.at(case.pattern):
            found = _matched(frame, case.pattern, subject)
        if found is None:
            continue
        for name, value in found.items():
            named(frame, name, value)
            scopes.assign(frame, name, value)
        if case.guard is None or _holds(frame, case.guard):
            return execute(frame, case.body)
    return None


def _holds(frame: Frame, guard: Any) -> bool:
    with frame.at(guard):
        return truth(evaluate(frame, guard))


def _matched(frame: Frame, pattern: Any, subject: Any) -> Found:
    return PATTERNS[type(pattern)](frame, pattern, subject)


def _value(frame: Frame, pattern: Any, subject: Any) -> Found:
    value = evaluate(frame, pattern.value)
    if is_tensor(subject) or is_tensor(value):
        raise fail(
            "E0305", "a pattern must be known while compiling, and this one asks what a tensor "
            "holds", help="write it with `if` and `elif`",
        )  # fmt: skip
    return {} if truth(operate(frame, "eq", subject, value)) else None


def _singleton(frame: Frame, pattern: Any, subject: Any) -> Found:
    return {} if subject is pattern.value else None


def _capture(frame: Frame, pattern: Any, subject: Any) -> Found:
    found: Found = {}
    if pattern.pattern is not None:
        found = _matched(frame, pattern.pattern, subject)
    if found is None or pattern.name is None:
        return found
    return {**found, pattern.name: subject}


def _either(frame: Frame, pattern: Any, subject: Any) -> Found:
    for each in pattern.patterns:
        found = _matched(frame, each, subject)
        if found is not None:
            return found
    return None


def _all(frame: Frame, pairs: Sequence[tuple[Any, Any]]) -> Found:
    """What several patterns find, each in its own subject."""
    whole: dict[str, Any] = {}
    for pattern, subject in pairs:
        found = _matched(frame, pattern, subject)
        if found is None:
            return None
        whole.update(found)
    return whole


def _sequence(frame: Frame, pattern: Any, subject: Any) -> Found:
    if not isinstance(subject, Sequence) or isinstance(subject, (str, bytes, bytearray)):
        return None
    patterns, items = pattern.patterns, list(subject)
    stars = [i for i, each in enumerate(patterns) if isinstance(each, gast.MatchStar)]
    if not stars:
        if len(items) != len(patterns):
            return None
        return _all(frame, list(zip(patterns, items, strict=True)))
    first, after = stars[0], len(patterns) - stars[0] - 1
    if len(items) < first + after:
        return None
    stop = len(items) - after
    around = [*patterns[:first], *patterns[first + 1 :]]
    found = _all(frame, list(zip(around, [*items[:first], *items[stop:]], strict=True)))
    name = patterns[first].name
    if found is None or name is None:
        return found
    return {**found, name: own(frame.session, items[first:stop])}


def _mapping(frame: Frame, pattern: Any, subject: Any) -> Found:
    if not isinstance(subject, Mapping):
        return None
    keys = [evaluate(frame, key) for key in pattern.keys]
    if any(key not in subject for key in keys):
        return None
    found = _all(frame, [(p, subject[k]) for p, k in zip(pattern.patterns, keys, strict=True)])
    if found is None or pattern.rest is None:
        return found
    rest = {key: value for key, value in subject.items() if key not in keys}
    return {**found, pattern.rest: own(frame.session, rest)}


def _class(frame: Frame, pattern: Any, subject: Any) -> Found:
    kind = evaluate(frame, pattern.cls)
    if not as_python(is_a, subject, kind):
        return None
    places = list(pattern.patterns)
    if places and any(kind is each for each in WHOLE):
        pairs = [(places.pop(0), subject)]
    else:
        pairs = []
    names = getattr(kind, "__match_args__", ())
    if len(places) > len(names):
        raise fail(
            "E0302", f"{kind.__name__} takes {len(names)} positional patterns, got {len(places)}"
        )
    given = [*zip(names, places, strict=False), *zip(pattern.kwd_attrs, pattern.kwd_patterns)]  # noqa: B905
    for name, each in given:
        if not is_tensor(subject) and not hasattr(subject, name):
            return None
        pairs.append((each, attribute_of(frame, subject, name, f"{kind.__name__}.{name}")))
    return _all(frame, pairs)


PATTERNS: dict[type, Callable[[Frame, Any, Any], Found]] = {
    gast.MatchValue: _value,
    gast.MatchSingleton: _singleton,
    gast.MatchAs: _capture,
    gast.MatchOr: _either,
    gast.MatchSequence: _sequence,
    gast.MatchMapping: _mapping,
    gast.MatchClass: _class,
}
