"""Where do messages of a program to MindSpore's log go? To Python's, under the name ``mindspore``.

Warnings and what is worse are shown, unless ``GLOG_v`` in the environment says otherwise: 0 is for
all, 4 for the worst.
"""

from __future__ import annotations

import logging
import os

from s2sad.core.diagnostics import fail

__all__ = ["critical", "debug", "error", "get_level", "info", "warning"]

VARIABLE = "GLOG_v"
LEVELS = {
    "0": logging.DEBUG, "1": logging.INFO, "2": logging.WARNING, "3": logging.ERROR,
    "4": logging.CRITICAL,
}  # fmt: skip


def _logger() -> logging.Logger:
    given = get_level()
    if given not in LEVELS:
        raise fail("E0404", f"{VARIABLE} is a digit from 0 to 4, got {given!r}")
    logger = logging.getLogger("mindspore")
    logger.setLevel(LEVELS[given])
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("[%(levelname)s] %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
    return logger


def get_level() -> str:
    """The level that the environment asks for, a digit.

    Examples
    --------
    >>> get_level() in LEVELS
    True
    """
    return os.environ.get(VARIABLE, "2")


def debug(msg: object, *args: object) -> None:
    """Say `msg`, with `args` put in for its ``%``, to who looks for faults."""
    _logger().debug(msg, *args)


def info(msg: object, *args: object) -> None:
    """Say what goes on."""
    _logger().info(msg, *args)


def warning(msg: object, *args: object) -> None:
    """Say what may not be as it was meant."""
    _logger().warning(msg, *args)


def error(msg: object, *args: object) -> None:
    """Say what is wrong."""
    _logger().error(msg, *args)


def critical(msg: object, *args: object) -> None:
    """Say what ends the program."""
    _logger().critical(msg, *args)
