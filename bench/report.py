"""How does s2sad compare? Runs the workloads beside the peers, and writes a table.

    python -m bench.report --threads 1,2 --rounds 3 --page docs/performance.md

What `run_peers` measured is kept in the folder ``--output``, a file for each number of threads;
``--from`` takes such files instead of measuring. In the page the part between the two comments
``bench: begin`` and ``bench: end`` is written anew, or added at its end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.common import FRAMEWORKS

HERE = Path(__file__).parent
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
NAME = "s2sad"

Rows = Mapping[str, Mapping[str, Mapping[str, Any]]]


def installed() -> list[str]:
    """The peers whose interpreter has their framework."""
    found = {kind for kind in set(FRAMEWORKS.values()) if _has(interpreter(kind), kind)}
    return [name for name, kind in FRAMEWORKS.items() if kind in found]


def interpreter(kind: str) -> str:
    """The one that runs the framework `kind`: named by the environment, or our own."""
    return os.environ.get(f"PEER_PYTHON_{kind.upper()}", sys.executable)


def _has(python: str, module: str) -> bool:
    text = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", text], capture_output=True).returncode == 0


def measured(threads: int, rest: Sequence[str], folder: Path) -> Path:
    """The file with what `run_peers` found, given the options `rest`."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / f"threads-{threads}.json"
    command = [
        sys.executable, str(HERE / "run_peers.py"), "--threads", str(threads), "--out", str(out),
        "--frameworks", ",".join(installed()), "--extra", f"{NAME}={sys.executable} -m bench.peer",
        *rest,
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return out


def rows_of(found: Mapping[str, Any]) -> Rows:
    """Summaries by workload and framework, of those that ran; with the memory that imports take."""
    rows: dict[str, dict[str, Mapping[str, Any]]] = {}
    imports = {(x["workload"], x["framework"]): x.get("rss_import_mb") for x in found["lines"]}
    for each in found["summary"]:
        if "step_s" in each:
            before = imports.get((each["workload"], each["framework"])) or 0.0
            own = each["peak_rss_mb"] - before
            rows.setdefault(each["workload"], {})[each["framework"]] = {**each, "own_mb": own}
    return rows


def best_peer(row: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The fastest framework in `row` that is not s2sad."""
    peers = [name for name in row if name != NAME]
    return min(peers, key=lambda name: row[name]["step_s"], default=None)


def table(rows: Rows, threads: int) -> str:
    """A table in Markdown: a row a workload."""
    lines = [
        f"| {threads} thread{'s' * (threads > 1)} | s2sad | best peer | ratio | first step, cold "
        "| again | MB | MB, best peer | losses |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for workload, row in rows.items():
        if NAME not in row:
            continue
        own, peer = row[NAME], best_peer(row)
        cells = [workload, _step(own), "", "", _seconds(own["compile_cold_s"]),
                 _seconds(own["compile_again_s"]), f"{own['own_mb']:.0f}", "",
                 "agree" if own["agrees"] else "differ"]  # fmt: skip
        if peer is not None:
            cells[2] = f"{_step(row[peer])} ({peer})"
            cells[3] = f"{own['step_s'] / row[peer]['step_s']:.2f}"
            cells[7] = f"{row[peer]['own_mb']:.0f}"
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _step(row: Mapping[str, Any]) -> str:
    digits = 3 if row["step_s"] < 0.01 else 1
    return f"{'' if row['quiet'] else '~'}{row['step_s'] * 1e3:.{digits}f} ms"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"


def written(page: str, part: str) -> str:
    r"""`page` with `part` between the two comments, which are added at its end where it has none.

    Examples
    --------
    >>> written("# Title\n", "text").splitlines()
    ['# Title', '', '<!-- bench: begin -->', 'text', '<!-- bench: end -->']
    >>> written(written("# Title\n", "text"), "other") == written("# Title\n", "other")
    True
    """
    if BEGIN not in page:
        page = f"{page.rstrip()}\n\n{BEGIN}\n{END}\n"
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{part}\n{END}{rest.split(END)[1]}"


def draw(rows: Mapping[int, Rows], path: Path) -> None:
    """A picture of the ratios to the best peer, a bar a workload and number of threads."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    names = list(dict.fromkeys(name for each in rows.values() for name in each))
    height = 0.8 / max(1, len(rows))
    for number, (threads, each) in enumerate(rows.items()):
        ratios = [_ratio(each.get(name, {})) for name in names]
        places = [i + number * height for i in range(len(names))]
        axes.barh(places, ratios, height, label=f"threads: {threads}")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xlabel("time of a step / that of the best peer")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def _ratio(row: Mapping[str, Mapping[str, Any]]) -> float:
    peer = best_peer(row)
    if peer is None or NAME not in row:
        return 0.0
    return row[NAME]["step_s"] / row[peer]["step_s"]


def main() -> None:
    """Measure, or read what was measured, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--page", type=Path, default=HERE.parent / "docs" / "performance.md")
    parser.add_argument("--output", type=Path, default=Path("bench-output"))
    parser.add_argument("--from", dest="files", type=Path, nargs="*", help="files of `run_peers`")
    args, rest = parser.parse_known_args()
    files = args.files or [measured(int(n), rest, args.output) for n in args.threads.split(",")]
    found = [json.loads(path.read_text()) for path in files]
    rows = {each["threads"]: rows_of(each) for each in found}
    picture = args.page.parent / "pictures" / "bench.svg"
    picture.parent.mkdir(exist_ok=True)
    draw(rows, picture)
    parts = [table(each, threads) for threads, each in rows.items()]
    parts += ["Marked `~`: fewer than three repeats ran while the machine was at rest. MB: memory "
              "above that of the process after its imports."]  # fmt: skip
    parts += ["![The time of a step, as a part of the best peer's](pictures/bench.svg)"]
    page = args.page.read_text() if args.page.exists() else "# Performance\n"
    args.page.write_text(written(page, "\n\n".join(parts)))


if __name__ == "__main__":
    main()
