"""Which effect tells the host of a value of training?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import summaries
from s2sad.core.diagnostics import fail
from s2sad.ir.primitive import Trait
from s2sad.ir.types import Type
from s2sad.prims.define import primitive
from s2sad.prims.effect import require_token
from s2sad.prims.rules import tensor

#: What a value can be shown as.
PLUGINS = ("scalar", "tensor", "histogram", "image")


def _summary_type(token: Type, x: Type, *, plugin: str, name: str) -> Type:
    require_token(token)
    tensor(x, "value of a summary")
    return token


def _canonical_summary(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if attrs["plugin"] not in PLUGINS:
        raise fail("E0404", f"a summary is one of {', '.join(PLUGINS)}, got {attrs['plugin']!r}")
    if not isinstance(attrs["name"], str) or not attrs["name"]:
        raise fail("E0303", f"the name of a summary is a str, got {attrs['name']!r}")
    return attrs


# MOVES: elements are kept as they are stored.
@primitive(
    type=_summary_type, traits={Trait.EFFECT, Trait.MOVES}, canonical=_canonical_summary, same=(),
    nondiff="an effect: neither its token nor what it sees has a cotangent",
)  # fmt: skip
def summarize(token, x, *, plugin, name):
    """Tells who listens (`s2sad.core.summaries`) of the elements of a tensor.

    Parameters
    ----------
    token : Token
    x : Tensor of any dtype
    plugin : {"scalar", "tensor", "histogram", "image"}
    name : str

    Returns
    -------
    Token

    Raises
    ------
    S2sadError
        E0303 or E0404 for an attribute of another form or value, E0304 without a token.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.core.summaries import Listener
    >>> from s2sad.ir.types import Token
    >>> listener = Listener()
    >>> listener.listen()
    >>> p.summarize(Token, np.array(0.5), plugin="scalar", name="loss")
    Token
    >>> listener.leave()
    >>> listener.take()
    [Summary(plugin='scalar', name='loss', value=array(0.5))]
    """
    summaries.note(plugin, name, np.asarray(x))
    return token
