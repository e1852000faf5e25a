"""To what is an input of a function bound: an argument of each call, or something hidden?"""

from __future__ import annotations

#: What the binding of an input begins with that is no argument.
HIDDEN = ("param:", "capture:", "token:")
#: The binding of the state of a Generator.
RANDOM = "rng"


def is_argument(binding: str) -> bool:
    """Whether an input bound to `binding` is given at each call.

    Examples
    --------
    >>> is_argument("states[0]"), is_argument("param:w"), is_argument("rng"), is_argument("rngs")
    (True, False, False, True)
    """
    return binding != RANDOM and not binding.startswith(HIDDEN)
