"""How do effects keep their order: what a program prints, asserts and raises while it runs?

One token goes from effect to effect, through branches and loops, in the way in which what a
Parameter holds does: it is a hidden input of the program, and what is left of it a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from s2sad.ir.primitive import Primitive
from s2sad.ir.types import Token

if TYPE_CHECKING:
    from s2sad.frontend.frame import Session


class HostToken:
    """What the token of a program is bound to, in place of a tensor: there is but one.

    Attributes
    ----------
    array : TokenType
        What stands for the token when the program runs.
    """

    binding = "token:host"
    hint = "token"
    array = Token

    def adopt(self, token: Any) -> None:
        """Take the token that the program gives back."""

    def is_sole_holder(self) -> bool:
        return False


HOST: Any = HostToken()


def emit(session: Session, prim: Primitive, *values: Any, **attrs: Any) -> None:
    """Append an effect, which takes the token first and gives one back, after those before it."""
    session.write(HOST, prim(session.capture(HOST), *values, **attrs))


def last(session: Session) -> Any:
    """The token that the last effect so far has given; None where there was none."""
    return session.captures[id(HOST)].current if has_any(session) else None


def has_any(session: Session) -> bool:
    """Whether the program has an effect so far."""
    return id(HOST) in session.captures
