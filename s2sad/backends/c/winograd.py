"""Which convolutions take less time by Winograd's tiles (runtime/winograd.h)?"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from s2sad.backends.c.template import Site
from s2sad.core.dtypes import float32
from s2sad.ir.primitive import Primitive
from s2sad.prims.conv import conv, conv_filter_grad, conv_input_grad

#: Outputs of a tile along an axis, and pairs of points at which its values are multiplied.
SIDE, POINTS = 4, 36
#: Channels that one vector holds, at most.
LANES = 16
#: In multiplications, measured: of a tile's values for a channel, of a filter's for a channel.
TILE_COST: dict[Primitive, int] = {conv: 280, conv_input_grad: 300, conv_filter_grad: 160}
FILTER_COST = 300


def pays(site: Site, x: Sequence[int], w: Sequence[int], y: Sequence[int]) -> bool:
    """Whether the runtime has tiles for a convolution or a gradient of it, and they take less time.

    Parameters
    ----------
    site : Site
    x, w, y : sequence of int
        Shapes of input, filters and output of the convolution.
    """
    attrs = site.attrs
    if tuple(w[2:]) != (3, 3) or site.results[0].dtype is not float32 or attrs["groups"] != 1:
        return False
    if {*attrs["stride"], *attrs["dilation"]} != {1} or max(map(max, attrs["padding"])) > 2:
        return False
    tiles, outputs = y[0] * prod(-(-n // SIDE) for n in y[2:]), y[0] * prod(y[2:])
    channels, filters = x[1], w[0]
    deep, wide = (-(-n // LANES) * LANES for n in (channels, filters))
    saved = (9 * outputs - POINTS * tiles) * channels * filters
    made = TILE_COST[site.operation.prim] * tiles * (deep + wide) + FILTER_COST * channels * wide
    return made < saved and prod(x) > 0
