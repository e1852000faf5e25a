"""Is all there that s2sad needs, and does it work?"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import s2sad
from s2sad.backends.c import processes, processor, runtime, toolchain
from s2sad.backends.c.libraries import Toolchain
from s2sad.core import cachefolder
from s2sad.core.cache import cache, format_size
from s2sad.core.diagnostics import S2sadError
from s2sad.tools.tables import show, show_table

REQUIRED = ("gast", "astunparse", "networkx")
#: Packages of extras, and the extra of each.
EXTRAS = {"rich": "cli", "ml_dtypes": "bf16", "ziglang": "cc"}
#: Features of processors that make a difference to code that computes.
FEATURES = ("avx", "avx2", "fma", "f16c", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16",
            "asimd", "asimdhp", "bf16", "sve", "sve2")  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """What was found of one thing.

    Attributes
    ----------
    name, text : str
    is_broken : bool
    remedy : str
        What to do, where there is something to do.
    """

    name: str
    text: str
    is_broken: bool = False
    remedy: str = ""


def doctor() -> int:
    """Print what is installed, found and working; 1 where something is broken, else 0."""
    found = list(findings())
    show_table(("what", "found"), [[each.name, each.text] for each in found], left=2)
    for each in found:
        if each.remedy:
            word, style = ("broken", "red") if each.is_broken else ("note", "")
            show(f"{word}: {each.name}: {each.remedy}", style)
    is_broken = any(each.is_broken for each in found)
    if not is_broken:
        show("nothing is broken", "green")
    return int(is_broken)


def findings() -> Iterator[Finding]:
    """All that is looked at, in order."""
    yield Finding("s2sad", f"{s2sad.__version__} in {os.path.dirname(s2sad.__file__)}")
    yield Finding("Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding("NumPy", np.__version__)
    yield Finding("platform", platform.platform())
    yield Finding("processor", processor_text(processor.describe().split()))
    yield Finding("threads", f"{processes.cores()} of {os.cpu_count()} processors may be used")
    for name in REQUIRED:
        yield _required(name)
    for name, extra in EXTRAS.items():
        yield Finding(name, installed(name) or f"not installed: pip install 's2sad[{extra}]'")
    folder = _cache()
    yield folder
    if not folder.is_broken:  # a compiler is tried in it
        yield from _compiler()


def processor_text(words: list[str]) -> str:
    """Machine, name and features that matter, of what `processor.describe` says.

    Examples
    --------
    >>> processor_text(["x86_64", "AMD", "EPYC", "25", "17", "avx2", "fma", "fpu"])
    'x86_64 AMD EPYC; avx2 fma'
    """
    name = [word for word in words if not word.islower() and not word.isdecimal()]
    features = [word for word in FEATURES if word in words]
    return f"{' '.join([words[0], *(x for x in name if x != words[0])])}; {' '.join(features)}"


def installed(package: str) -> str:
    """Version of an installed package, "" of another.

    Examples
    --------
    >>> installed("no such package")
    ''
    """
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _required(name: str) -> Finding:
    version = installed(name)
    if version:
        return Finding(name, version)
    return Finding(name, "not installed", is_broken=True, remedy=f"pip install {name}")


def _cache() -> Finding:
    if not cachefolder.is_on():
        return Finding("cache", "off (S2SAD_CACHE=0)")
    try:
        kept = cache()
        with kept.scratch():
            used, limit = format_size(kept.usage()), format_size(kept.limit())
    except S2sadError as error:
        return _broken("cache", error)
    return Finding("cache", f"{kept.folder}, {used} of {limit}")


def _broken(name: str, error: S2sadError) -> Finding:
    found = error.diagnostic
    text = "; ".join([found.message, *found.notes])
    return Finding(name, text, is_broken=True, remedy=found.help or f"s2sad explain {found.code}")


def _compiler() -> Iterator[Finding]:
    try:
        found = toolchain.find_toolchain()
    except S2sadError as error:
        yield _broken("compiler", error)
        return
    if found is None:
        yield _no_compiler()
        return
    yield Finding("compiler", f"{' '.join(found.command)} (by {found.origin}): {found.version}")
    yield Finding("flags", " ".join(found.flags))
    yield _library(found)
    built = "built" if runtime.is_built(found) else "not built yet, the first program does"
    yield Finding("runtime", built)


def _no_compiler() -> Finding:
    """None works: there is none, or something is wrong with those that there are."""
    said = [
        f"{' '.join(command)}: {said.strip().splitlines()[-1]}"
        for command, origin in toolchain.candidates()
        if isinstance(said := toolchain.attempt(command, origin), str) and said.strip()
    ]
    if not said:
        text = "none: programs run on NumPy, slower"
        return Finding("compiler", text, remedy=toolchain.INSTALL)
    return Finding("compiler", "; ".join(said), is_broken=True, remedy=toolchain.INSTALL)


def _library(found: Toolchain) -> Finding:
    start = time.perf_counter()
    said = toolchain.try_library(found)
    if said:
        remedy = "mend the compiler, or name another one by S2SAD_CC"
        return Finding("library", said.strip().splitlines()[-1], is_broken=True, remedy=remedy)
    seconds = time.perf_counter() - start
    return Finding("library", f"a small one compiles and runs in {seconds * 1e3:.0f} ms")
