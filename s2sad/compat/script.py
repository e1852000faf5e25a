"""How does a script run as ``python script.py`` would run it, with MindSpore's names from s2sad?

It is executed in a new module ``__main__``, with the arguments, the first folder of ``sys.path``
and the way to end of a script that Python was given itself.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType, TracebackType

from s2sad.compat.finder import serve
from s2sad.core.diagnostics import fail


def run_script(path: str, arguments: Sequence[str]) -> int:
    """Run the script at `path`; 0, or 1 if it ended by an exception, which is then shown.

    SystemExit passes through, and so does KeyboardInterrupt once it has been shown: whoever calls
    lets them end the process.

    Raises
    ------
    S2sadError
        E0604 where there is no such file.
    """
    if not os.path.isfile(path):
        raise fail("E0604", f"there is no file {path}")
    serve()
    sys.argv = [path, *arguments]
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    module = _main_module(path)
    sys.modules["__main__"] = module
    try:
        exec(_code(module), vars(module))
    except SystemExit:
        raise
    except BaseException as error:
        _show(error)
        if isinstance(error, KeyboardInterrupt):
            sys.excepthook = _hush
            raise
        return 1
    return 0


def _main_module(path: str) -> ModuleType:
    """What the script runs in, with the names that Python gives it."""
    file = os.path.abspath(path)
    module = ModuleType("__main__")
    vars(module).update(
        __annotations__={}, __builtins__=builtins, __cached__=None, __file__=file,
        __loader__=SourceFileLoader("__main__", file),
    )  # fmt: skip
    return module


def _code(module: ModuleType) -> CodeType:
    with open(str(module.__file__), "rb") as file:
        return compile(file.read(), str(module.__file__), "exec", dont_inherit=True)


def _show(error: BaseException) -> None:
    """Show `error` as Python does, from the script's own frame on."""
    trace = _below(error.__traceback__)
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def _below(trace: TracebackType | None) -> TracebackType | None:
    """`trace` without its frames of this file."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _hush(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """For an exception that has been shown."""
