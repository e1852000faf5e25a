"""Programs with `assert`, which pytest would write anew in a module of tests."""

from __future__ import annotations


def checked(x):
    assert x.sum() > -5
    if x[0] > 3:
        raise ValueError(f"{x[0]:.1f} of {x}")
    for i in range(4):
        assert x[1] + i < 6, f"at {i}: {x[1] + i}"
        if x[1] > 2 and i == 2:
            raise KeyError(f"no {x[1]}")
        if x[1] < -2:
            raise RuntimeError
    return x * 2
