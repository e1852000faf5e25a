"""What can a program that is written for MindSpore say of how a Cell is compiled?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail

ALLOWED = {
    "jit_level": ("", "O0", "O1", "O2"),
    "exc_mode": ("auto", "sink", "no_sink"),
    "jit_syntax_level": ("", "STRICT", "COMPATIBLE", "LAX"),
    "debug_level": ("RELEASE", "DEBUG"),
    "infer_boost": ("", "on", "off"),
}


class JitConfig:
    """MindSpore's settings of a compilation, for `Cell.set_jit_config`; none changes a result here.

    Parameters
    ----------
    jit_level : {"", "O0", "O1", "O2"}
    exc_mode : {"auto", "sink", "no_sink"}
    jit_syntax_level : {"", "STRICT", "COMPATIBLE", "LAX"}
    debug_level : {"RELEASE", "DEBUG"}
    infer_boost : {"", "on", "off"}
    **kwargs
        Kept as they are.

    Attributes
    ----------
    jit_config_dict : dict of str to object
        All of them.

    Raises
    ------
    S2sadError
        E0404 for another value.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.ReLU()
    >>> net.set_jit_config(ms.JitConfig(jit_level="O1"))
    >>> net(ms.Tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(
        self, jit_level: str = "", exc_mode: str = "auto", jit_syntax_level: str = "",
        debug_level: str = "RELEASE", infer_boost: str = "off", **kwargs: Any,
    ) -> None:  # fmt: skip
        given = (jit_level, exc_mode, jit_syntax_level, debug_level, infer_boost)
        self.jit_config_dict = {**kwargs, **dict(zip(ALLOWED, given, strict=True))}
        for name, values in ALLOWED.items():
            if self.jit_config_dict[name] not in values:
                known = ", ".join(map(repr, values))
                value = self.jit_config_dict[name]
                raise fail("E0404", f"{name} is one of {known}, got {value!r}")
