"""How does the runtime compute a convolution and its gradients?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.c import winograd
from s2sad.backends.c.template import Body, Site, Template, static
from s2sad.core.context import get_context
from s2sad.ir.primitive import Primitive
from s2sad.prims import ALL

#: The runtime knows three spatial axes.
AXES = 3


def conv(site: Site, epilogue: str = "NULL", data: str = "NULL") -> Body:
    """The kernel of a `conv`; `epilogue` is called with `data` for each finished block of it.

    `epilogue` is the name of an ``s2_epilogue`` (runtime/product.h), told of images, channels and
    positions of the result.
    """
    x, w = site.types
    (y,) = site.results
    shapes = static(x.shape), static(w.shape), static(y.shape)
    return _call(site, "conv", *shapes, epilogue, data)


def conv_input_grad(site: Site, epilogue: str = "NULL", data: str = "NULL") -> Body:
    """The kernel of a `conv_input_grad`, as that of a `conv`."""
    dy, w = site.types
    (dx,) = site.results
    shapes = static(dx.shape), static(w.shape), static(dy.shape)
    return _call(site, "conv_input_grad", *shapes, epilogue, data)


def conv_filter_grad(site: Site, epilogue: str = "NULL", data: str = "NULL") -> Body:
    """The kernel of a `conv_filter_grad`, as that of a `conv`; its result is one image."""
    x, dy = site.types
    (dw,) = site.results
    shapes = static(x.shape), static(dw.shape), static(dy.shape)
    return _call(site, "conv_filter_grad", *shapes, epilogue, data)


def _call(
    site: Site,
    name: str,
    x: Sequence[int],
    w: Sequence[int],
    y: Sequence[int],
    epilogue: str,
    data: str,
) -> Body:
    """`x`, `w` and `y` are the shapes of input, filters and output of the convolution."""
    attrs = site.attrs
    fields = {
        "batch": str(x[0]),
        "channels": str(x[1]),
        "filters": str(w[0]),
        "groups": str(attrs["groups"]),
        "size": _three(x[2:], 1),
        "count": _three(y[2:], 1),
        "kernel": _three(w[2:], 1),
        "stride": _three(attrs["stride"], 1),
        "dilation": _three(attrs["dilation"], 1),
        "before": _three([before for before, _ in attrs["padding"]], 0),
    }
    if epilogue != "NULL":
        fields |= {"epilogue": epilogue, "epilogue_data": data}
    text = ", ".join(f".{field} = {value}" for field, value in fields.items())
    if get_context("winograd") and winograd.pays(site, x, w, y):
        name = f"{name}_winograd"
    call = f"s2_{name}_{site.results[0].dtype.short}(&(s2_conv){{{text}}}, x0, x1, y0)"
    return Body(f"return {call};", headers=("conv.h",))


def _three(facts: Sequence[int], missing: int) -> str:
    """An array of C with one entry a spatial axis, `missing` for the axes that are not there."""
    entries = [missing] * (AXES - len(facts)) + list(facts)
    return f"{{{', '.join(map(str, entries))}}}"


TEMPLATES: dict[Primitive, Template] = {
    ALL[each.__name__]: each for each in (conv, conv_input_grad, conv_filter_grad)
}
