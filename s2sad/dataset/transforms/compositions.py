"""How do transforms make one transform: in a row, some of them, one of them, in any order?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import chance
from s2sad.dataset.draws import generator
from s2sad.dataset.transforms.base import Transform


def _checked(name: str, transforms: Any) -> tuple[Callable[..., Any], ...]:
    if not isinstance(transforms, (list, tuple)) or not transforms:
        raise fail("E0303", f"{name} takes a list of transforms, got {transforms!r}")
    for each in transforms:
        if not callable(each) or isinstance(each, type):
            raise fail("E0304", f"{name} takes transforms and functions, got {each!r}")
    return tuple(transforms)


def applied(transforms: Sequence[Callable[..., Any]], values: tuple[Any, ...]) -> Any:
    """What `transforms` make of `values`, each of what the one before it returned."""
    for transform in transforms:
        result = transform(*values)
        values = result if isinstance(result, tuple) else (result,)
    return values if len(values) != 1 else values[0]


class Compose(Transform):
    """Transforms one after another.

    Examples
    --------
    >>> from s2sad.dataset import transforms
    >>> transforms.Compose([lambda x: x + 1, lambda x: x * 2])(3)
    8
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        self.transforms = _checked("Compose", transforms)

    def __call__(self, *values: Any) -> Any:
        return applied(self.transforms, values)

    @staticmethod
    def parts_of(operation: Callable[..., Any]) -> list[Callable[..., Any]]:
        """`operation`, or the transforms that it is composed of."""
        if type(operation) is not Compose:
            return [operation]
        return [part for each in operation.transforms for part in Compose.parts_of(each)]


class RandomApply(Transform):
    """All of the transforms with probability `prob`, else none."""

    def __init__(self, transforms: Sequence[Callable[..., Any]], prob: float = 0.5) -> None:
        self.transforms = _checked("RandomApply", transforms)
        self.prob = chance("prob", prob)

    def __call__(self, *values: Any) -> Any:
        chosen = self.transforms if generator().random() < self.prob else ()
        return applied(chosen, values)


class RandomChoice(Transform):
    """One of the transforms, each as likely as the others."""

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        self.transforms = _checked("RandomChoice", transforms)

    def __call__(self, *values: Any) -> Any:
        return applied([self.transforms[generator().integers(len(self.transforms))]], values)


class RandomOrder(Transform):
    """All of the transforms, in random order."""

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        self.transforms = _checked("RandomOrder", transforms)

    def __call__(self, *values: Any) -> Any:
        order = generator().permutation(len(self.transforms))
        return applied([self.transforms[index] for index in order], values)
