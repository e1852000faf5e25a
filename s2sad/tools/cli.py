"""What does the command ``s2sad`` offer?

Each command is one function here that takes the parsed arguments and gives the exit code: 0, 1
when a program that was run failed, 2 when what was asked for cannot be done. Errors are printed
as a user reads them, without a traceback.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import s2sad
from s2sad import prims
from s2sad.compat.script import run_script
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ir import store
from s2sad.ir.graph import Function
from s2sad.ir.graphviz import to_dot
from s2sad.ir.printer import print_text
from s2sad.ir.verify import verify
from s2sad.tools import bisect, check, dump
from s2sad.tools.cache import show_cache
from s2sad.tools.checking.reports import FORMS, check_files
from s2sad.tools.device import device_info
from s2sad.tools.doctor import doctor
from s2sad.tools.explain import explain
from s2sad.tools.graph_files import check_models
from s2sad.tools.graph_report import report_model
from s2sad.tools.profile import profile
from s2sad.tools.run_ir import BACKENDS, run_ir
from s2sad.tools.summary import show_summary
from s2sad.tools.tables import show
from s2sad.tools.targets import names_object
from s2sad.tools.tune import tune

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__is_entry__ = True  # what calls this is no program of the user's; see `core.location`


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, that of the process by default; the exit code.

    Examples
    --------
    >>> main(["explain", "E0401"])  # doctest: +ELLIPSIS
    # E0401...
    0
    """
    arguments = _parser().parse_args(argv)
    try:
        code = arguments.command(arguments)
        sys.stdout.flush()
        return code
    except S2sadError as error:
        show(str(error), "red", sys.stderr)
        return 2
    except BrokenPipeError:  # whoever reads the output, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's last flush
        return 1


def read_dump(path: Path) -> Function:
    """The function in the dump at `path`, verified."""
    function = store.load(path, prims.ALL)
    verify(function)
    return function


def _run(arguments: argparse.Namespace) -> int:
    sys.exit(run_script(arguments.script, arguments.arguments))  # output ends as a script's does


def _run_ir(arguments: argparse.Namespace) -> int:
    return run_ir(
        read_dump(arguments.dump), arguments.dump, npz=arguments.npz, out=arguments.out,
        backend=arguments.backend, seed=arguments.seed,
    )  # fmt: skip


def _explain(arguments: argparse.Namespace) -> int:
    return explain(arguments.code)


def _print(arguments: argparse.Namespace) -> int:
    show(print_text(read_dump(arguments.dump), style=arguments.style).rstrip("\n"))
    return 0


def _graph(arguments: argparse.Namespace) -> int:
    function = read_dump(arguments.dump)
    if arguments.dot:
        show(to_dot(function))
    else:
        show_summary(function)
    return 0


def _dump(arguments: argparse.Namespace) -> int:
    return dump.dump(
        arguments.target, arguments.input, grad=arguments.grad, stage=arguments.stage,
        folder=arguments.output, seed=arguments.seed, train=arguments.train,
    )  # fmt: skip


def _check(arguments: argparse.Namespace) -> int:
    first, *others = arguments.targets
    if others or not names_object(first):
        if arguments.input or arguments.seed is not None or arguments.train:
            raise fail("E0302", "inputs, a seed and --train are for FILE:OBJECT, not for files")
        if arguments.tolerance is not None:
            raise fail("E0302", "a tolerance is for gradients of FILE:OBJECT, not for files")
        return check_files(arguments.targets, arguments.format or "text")
    if arguments.format is not None:
        raise fail("E0302", "--format is for files, not for gradients of FILE:OBJECT")
    return check.check(
        first, arguments.input, seed=arguments.seed or 0, train=arguments.train,
        tolerance=1e-6 if arguments.tolerance is None else arguments.tolerance,
    )  # fmt: skip


def _ascend_check(arguments: argparse.Namespace) -> int:
    return check_models(arguments.models, arguments.format)


def _ascend_report(arguments: argparse.Namespace) -> int:
    return report_model(
        arguments.model, arguments.soc_version, arguments.format, arguments.ranges
    )  # fmt: skip


def _bisect(arguments: argparse.Namespace) -> int:
    return bisect.bisect(
        arguments.target, arguments.input, grad=arguments.grad, seed=arguments.seed,
        train=arguments.train, exact=arguments.exact, backend=arguments.backend,
    )  # fmt: skip


def _profile(arguments: argparse.Namespace) -> int:
    return profile(
        arguments.target, arguments.input, grad=arguments.grad, runs=arguments.runs,
        folder=arguments.output, seed=arguments.seed, train=arguments.train,
    )  # fmt: skip


def _tune(arguments: argparse.Namespace) -> int:
    return tune(
        arguments.target, arguments.input, grad=arguments.grad, rounds=arguments.rounds,
        dry_run=arguments.dry_run, clear=arguments.clear, seed=arguments.seed,
        train=arguments.train,
    )  # fmt: skip


def _cache(arguments: argparse.Namespace) -> int:
    return show_cache(limit=arguments.limit, clear=arguments.clear)


def _doctor(arguments: argparse.Namespace) -> int:
    return doctor()


def _device_info(arguments: argparse.Namespace) -> int:
    return device_info(arguments.soc)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="s2sad", description="Look at, run and explain what s2sad compiles."
    )
    parser.add_argument("--version", action="version", version=f"s2sad {s2sad.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (
        _add_run, _add_run_ir, _add_dump, _add_check, _add_bisect, _add_profile, _add_tune,
        _add_explain, _add_print, _add_graph, _add_ascend_check, _add_ascend_report, _add_cache,
        _add_doctor, _add_device_info,
    ):  # fmt: skip
        add(commands)
    return parser


def _add_run(commands: Commands) -> None:
    command = commands.add_parser("run", help="run a script written for MindSpore, by s2sad")
    command.set_defaults(command=_run)
    command.add_argument("script", metavar="SCRIPT.py", help="as one would give it to python")
    command.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="what the script is given"
    )


def _add_run_ir(commands: Commands) -> None:
    command = commands.add_parser("run-ir", help="run a dump and show its inputs and results")
    _takes_dump(command, _run_ir)
    command.add_argument(
        "--npz", type=Path, metavar="FILE",
        help="inputs, by name or as input0, ...; by default those beside the dump, or random ones",
    )  # fmt: skip
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="write the results to this .npz, as result0, ..."
    )
    command.add_argument("--backend", choices=BACKENDS, default="numpy", help="what runs it")
    command.add_argument("--seed", type=int, help="draw random inputs, even if some lie beside it")


def _add_dump(commands: Commands) -> None:
    command = commands.add_parser("dump", help="write every stage of a function's compilation")
    _takes_target(command, _dump)
    command.add_argument("--grad", action="store_true", help="compile its gradients as well")
    command.add_argument(
        "--stage", default="all", metavar="S",
        help="one only, such as 04-joint or joint, or source: all of it for people to read",
    )  # fmt: skip
    command.add_argument(
        "-o", "--output", type=Path, metavar="DIR",
        help="where files go, dump/ by default; one stage is printed without it",
    )  # fmt: skip


def _add_check(commands: Commands) -> None:
    command = commands.add_parser(
        "check", help="find what cannot be compiled in files, or compare gradients with differences"
    )
    command.set_defaults(command=_check)
    command.add_argument(
        "targets", nargs="+", metavar="FILE",
        help="read it, or all files of a folder; FILE:OBJECT compares gradients, in float64",
    )  # fmt: skip
    command.add_argument(
        "--format", choices=tuple(FORMS), help="of what is found in files (default text)"
    )
    _takes_arguments(command, None)
    command.add_argument(
        "--tolerance", type=float, help="largest relative error of gradients (default 1e-6)"
    )


def _add_bisect(commands: Commands) -> None:
    command = commands.add_parser("bisect", help="find the rewrite that changes what is computed")
    _takes_target(command, _bisect)
    command.add_argument("--grad", action="store_true", help="look at its gradients as well")
    command.add_argument(
        "--exact", action="store_true", help="floats must agree bit for bit, not up to rounding"
    )
    command.add_argument(
        "--backend", choices=BACKENDS, default="numpy", help="what runs it after the last pass"
    )


def _add_profile(commands: Commands) -> None:
    command = commands.add_parser("profile", help="where time goes, by kernel and line of source")
    _takes_target(command, _profile)
    command.add_argument("--grad", action="store_true", help="compute its gradients as well")
    command.add_argument(
        "--runs", type=int, default=20, metavar="N", help="that are measured (default 20)"
    )
    command.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="write a trace and all tables there, too"
    )


def _add_tune(commands: Commands) -> None:
    command = commands.add_parser(
        "tune", help="find the best settings for a program, and keep them"
    )
    command.set_defaults(command=_tune)
    command.add_argument(
        "target", nargs="?", metavar="FILE:OBJECT", help="a Cell or a function, net.py:Net"
    )
    _takes_arguments(command, 0)
    command.add_argument("--grad", action="store_true", help="compute its gradients as well")
    command.add_argument(
        "--rounds", type=int, default=9, metavar="N", help="in which all are measured (default 9)"
    )
    command.add_argument("--dry-run", action="store_true", help="measure, and keep nothing")
    command.add_argument("--clear", action="store_true", help="forget all that was kept, first")


def _add_explain(commands: Commands) -> None:
    command = commands.add_parser("explain", help="what an error code means, and what to do")
    command.set_defaults(command=_explain)
    command.add_argument(
        "code", nargs="?", metavar="CODE", help="such as E0304; without it, all codes"
    )


def _add_print(commands: Commands) -> None:
    command = commands.add_parser("print", help="print a dump anew, in either style")
    _takes_dump(command, _print)
    command.add_argument("--style", choices=("flat", "source"), default="flat")


def _add_graph(commands: Commands) -> None:
    command = commands.add_parser("graph", help="what a dump consists of, or a drawing of it")
    _takes_dump(command, _graph)
    command.add_argument("--dot", action="store_true", help="the data flow as text for Graphviz")


def _add_ascend_check(commands: Commands) -> None:
    command = commands.add_parser(
        "ascend-check", help="find what Huawei's graph engine would not take in graph files"
    )
    command.set_defaults(command=_ascend_check)
    command.add_argument("models", nargs="+", metavar="MODEL.air", help="a graph file")
    command.add_argument(
        "--format", choices=tuple(FORMS), default="text", help="of what is found (default text)"
    )


def _add_ascend_report(commands: Commands) -> None:
    command = commands.add_parser(
        "ascend-report", help="in which types and formats an Ascend chip would run a graph file"
    )
    command.set_defaults(command=_ascend_report)
    command.add_argument("model", metavar="MODEL.air", help="a graph file")
    command.add_argument("--soc-version", required=True, metavar="SOC", help="such as Ascend910B1")
    command.add_argument(
        "--ranges", type=Path, metavar="FILE",
        help="an .npz of the least and the largest element of tensors, as root/conv:0",
    )  # fmt: skip
    command.add_argument("--format", choices=("text", "json"), default="text")


def _add_cache(commands: Commands) -> None:
    command = commands.add_parser("cache", help="what is kept from one process to the next")
    command.set_defaults(command=_cache)
    command.add_argument("--limit", metavar="SIZE", help="let it take this much: 500MB")
    command.add_argument("--clear", action="store_true", help="remove all of it")


def _add_doctor(commands: Commands) -> None:
    command = commands.add_parser("doctor", help="whether all is there that is needed, and works")
    command.set_defaults(command=_doctor)


def _add_device_info(commands: Commands) -> None:
    command = commands.add_parser("device-info", help="what npu-smi would, of a simulated Ascend")
    command.set_defaults(command=_device_info)
    command.add_argument(
        "--soc", default="Ascend910B1", metavar="NAME", help="its soc_version (default Ascend910B1)"
    )


def _takes_dump(command: argparse.ArgumentParser, run: object) -> None:
    command.set_defaults(command=run)
    command.add_argument("dump", type=Path, metavar="DUMP.py", help="a stage that was written out")


def _takes_target(command: argparse.ArgumentParser, run: object) -> None:
    command.set_defaults(command=run)
    command.add_argument("target", metavar="FILE:OBJECT", help="a Cell or a function, net.py:Net")
    _takes_arguments(command, 0)


def _takes_arguments(command: argparse.ArgumentParser, seed: int | None) -> None:
    command.add_argument(
        "-i", "--input", action="append", default=[], metavar="TYPE",
        help="an argument, once for each: f32[8, 28] is a random tensor, a literal is itself",
    )  # fmt: skip
    command.add_argument("--seed", type=int, default=seed, help="of random numbers (default 0)")
    command.add_argument(
        "--train", action="store_true", help="as in training: with dropout, statistics of the batch"
    )
