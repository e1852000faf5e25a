"""One function in its two forms, run operation by operation and compiled, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad.core.diagnostics import S2sadError
from s2sad.core.tensor import Tensor


def both_forms(function: Callable[..., Any], *args: Any) -> Any:
    """Result of ``function(*args)``, which must be the same compiled: bits, dtypes, containers."""
    plain = function(*args)
    require_same(plain, ms.compile(function)(*args))
    return plain


def check_spellings(run: Callable[..., Any], expected: np.ndarray, *args: Any) -> None:
    """Whatever `run` gives, one tensor or a tuple of them, each is `expected`, in both forms."""
    for result in _several(both_forms(run, *args)):
        assert (result.shape, result.asnumpy().dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(result.asnumpy(), expected)


def first_of(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run`, but of several tensors it gives the first."""

    def first(*args: Any) -> Any:
        return _several(run(*args))[0]

    return first


def _several(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def require_same(one: Any, other: Any) -> None:
    assert type(one) is type(other), (one, other)
    if isinstance(one, Tensor):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.array.tobytes() == other.array.tobytes(), (one, other)
    elif isinstance(one, dict):
        require_same(list(one.items()), list(other.items()))
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            require_same(mine, theirs)
    else:
        assert one == other


def plain(result: Any) -> Any:
    """`result` with lists of numbers in place of its tensors."""
    if isinstance(result, Tensor):
        return result.tolist()
    if isinstance(result, dict):
        return {key: plain(item) for key, item in result.items()}
    if isinstance(result, (tuple, list)):
        return type(result)([plain(item) for item in result])
    return result


def refused(code: str, function: Callable[..., Any], *args: Any) -> None:
    """In both forms `function` raises `code` with a place, compiled one in `function`'s file."""
    for is_compiled in (False, True):
        run = ms.compile(function) if is_compiled else function
        try:
            run(*args)
        except S2sadError as error:
            assert error.code == code, error
            place = error.diagnostic.location
            assert place is not None
            if is_compiled:
                lines = [found.line for found in place.chain()]
                first = function.__code__.co_firstlineno
                assert any(first <= line <= first + 20 for line in lines), place
        else:
            raise AssertionError(f"{'compiled' if is_compiled else 'plain'} code raised nothing")


def refused_as_it_is(code: str, run: Callable[[], Any]) -> None:
    """``run()``, which is not compiled, raises `code` with a place in the file of `run`."""
    with pytest.raises(S2sadError) as caught:
        run()
    place = caught.value.diagnostic.location
    assert caught.value.code == code, caught.value
    assert place is not None and place.file == run.__code__.co_filename


def check_gradients(
    function: Callable[..., Any], *arrays: Any, rtol: float = 1e-6, atol: float = 1e-8
) -> None:
    """`value_and_grad` with respect to all of `arrays` against central differences, in float64.

    `function` takes Tensors and gives one; its elements count with weights that differ.
    """
    arrays = tuple(np.asarray(array, np.float64) for array in arrays)
    weights = np.cos(np.arange(1.0, 1.0 + _plain(function, arrays).size))

    def weighted(*tensors: Any) -> Any:
        out = function(*tensors)
        return ms.ops.sum(ms.ops.reshape(out, (-1,)) * ms.Tensor(weights))

    def whole(*tensors: Any) -> Any:
        return function(*tensors)

    positions = tuple(range(len(arrays)))
    tensors = [ms.Tensor(array) for array in arrays]
    seed = ms.Tensor(weights.reshape(_plain(function, arrays).shape))
    value, found = ms.value_and_grad(whole, positions, sens_param=True)(*tensors, seed)
    np.testing.assert_array_equal(value.asnumpy(), _plain(function, arrays))
    found = found if len(arrays) > 1 else (found,)
    for position, gradient in enumerate(found):
        expected = _differences(lambda *x: weighted(*x).item(), arrays, position)
        np.testing.assert_allclose(gradient.asnumpy(), expected, rtol=rtol, atol=atol)


def _plain(function: Callable[..., Any], arrays: Sequence[np.ndarray]) -> np.ndarray:
    return function(*map(ms.Tensor, arrays)).asnumpy()


def _differences(
    function: Callable[..., float], arrays: Sequence[np.ndarray], position: int
) -> np.ndarray:
    expected = np.zeros_like(arrays[position])
    for place in np.ndindex(*expected.shape):
        step = 1e-6 * max(1.0, abs(arrays[position][place]))
        sides = []
        for sign in (step, -step):
            moved = [array.copy() for array in arrays]
            moved[position][place] += sign
            sides.append(function(*map(ms.Tensor, moved)))
        expected[place] = (sides[0] - sides[1]) / (2 * step)
    return expected


def check_second_gradients(
    function: Callable[..., Any], *arrays: Any, rtol: float = 1e-6, atol: float = 1e-7
) -> None:
    """Gradients of the sums of gradients of `function`, which gives one number, in float64."""
    arrays = tuple(np.asarray(array, np.float64) for array in arrays)
    tensors = [ms.Tensor(array) for array in arrays]
    for inner in [ms.grad(function, position) for position in range(len(arrays))]:

        def total(*values: Any, inner: Any = inner) -> float:
            return inner(*values).asnumpy().sum()

        for position in range(len(arrays)):
            expected = _differences(total, arrays, position)
            found = ms.grad(inner, position)(*tensors)
            np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=atol)
