r"""Runs frameworks x workloads side by side and prints one table.

    python run_peers.py --threads 2 --python-torch P --python-jax P --python-mindspore P \
        [--frameworks a,b] [--workloads a,b] [--rounds 3] [--extra 'name=command'] [--out file.json]

One process per (framework, workload), interleaved: within a round, for each workload, one process
of every framework after the other (A B C A B C ...).  Every process gets the same thread
environment and the same set of cores; with --threads 1 the core alternates from round to round.

The machine may be shared.  Before each process the runner waits, at most --quiet-wait seconds, for
the rest of the machine to use less than --noise cores.  Each timed repeat carries the cores that
other processes used while it ran, and those it used itself; it is clean when the others used less
than --noise cores or, with one thread, when the process had its own core for 95 % of the time.  The
figure of a cell is the median of its clean repeats over all rounds, or, when it has fewer than
three, of its three quietest ones, marked '~'.  With --until-clean, further rounds go on for the
cells that still lack three clean repeats (only in quiet moments), until --max-minutes have passed.

Protocol for --extra: the command gets '--workload W --threads T --repeats R --budget S' appended
and prints one JSON line with the fields described in workloads.md.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import common as C

HERE = os.path.dirname(os.path.abspath(__file__))


def other_cores(seconds=0.4):
    b0, o0 = C._cpu()
    t0 = time.perf_counter()
    time.sleep(seconds)
    b1, o1 = C._cpu()
    return max(0.0, (b1 - b0) - (o1 - o0)) / (time.perf_counter() - t0)


def wait_quiet(limit, noise):
    """-> whether the rest of the machine came to rest within the limit."""
    t_end = time.time() + limit
    while other_cores() > noise:
        if time.time() > t_end:
            return False
        time.sleep(0.5)
    return True


class Cell:
    """All measurements of one framework on one workload."""

    def __init__(self, framework, workload, noise):
        self.framework, self.workload, self.noise = framework, workload, noise
        self.lines, self.error = [], None

    def repeats(self):
        """[(clean, cores of others, seconds a step)]"""
        out = []
        for l in self.lines:
            t = l.get("step_all_s") or [l["step_s"]]
            other = l.get("other_cores") or [9.0] * len(t)
            own = l.get("own_cores") or [0.0] * len(t)
            out += [
                (o <= self.noise or (l["threads"] == 1 and w >= 0.95), o, x)
                for o, w, x in zip(other, own, t)
            ]
        return out

    def clean(self):
        return [t for c, _, t in self.repeats() if c]

    def summary(self):
        if not self.lines:
            return dict(workload=self.workload, framework=self.framework, error=self.error)
        r, good, first = self.repeats(), self.clean(), self.lines[0]
        quiet = len(good) >= 3
        times = good if quiet else [t for *_, t in sorted(r, key=lambda x: (not x[0], x[1]))[:3]]
        ref = C.reference(self.workload)
        ok = [C.check_losses(self.workload, l["losses"], ref) for l in self.lines] if ref else []
        return dict(
            workload=self.workload,
            framework=self.framework,
            variant=first.get("variant"),
            step_s=statistics.median(times),
            step_min_s=min(t for *_, t in r),
            quiet=quiet,
            clean_repeats=len(good),
            repeats=len(r),
            compile_cold_s=first.get("compile_s"),
            compile_again_s=min(
                (l["compile_s"] for l in self.lines[1:] if l.get("compile_s") is not None),
                default=None,
            ),
            peak_rss_mb=max(l["peak_rss_mb"] for l in self.lines),
            agrees=all(o for o, _ in ok) if ok else None,
            err_in_tol=max((e for _, e in ok), default=None),
            steps=first["steps"],
            losses=first["losses"],
            versions=first.get("versions"),
            notes=first.get("no_reset"),
        )


def launch(cell, cmd, threads, core, env, args):
    cores = sorted(os.sched_getaffinity(0))
    use = set(cores[:threads]) if threads > 1 else {cores[core % len(cores)]}
    line = cmd + [
        "--workload",
        cell.workload,
        "--threads",
        str(threads),
        "--repeats",
        str(args.repeats),
        "--budget",
        str(args.budget),
    ]
    with tempfile.TemporaryDirectory() as cwd:  # some frameworks drop files where they run
        try:
            p = subprocess.run(
                line,
                cwd=cwd,
                env=env,
                capture_output=True,
                text=True,
                timeout=args.timeout,
                preexec_fn=lambda: os.sched_setaffinity(0, use),
            )
        except subprocess.TimeoutExpired:
            cell.error = cell.error or f"no result in {args.timeout} s"
            return
    for l in p.stdout.splitlines():
        if not l.startswith("{"):
            continue
        try:
            d = json.loads(l)
        except ValueError:
            continue
        if "error" in d:
            cell.error = d["error"]
        else:
            cell.lines.append(d)
        return
    cell.error = cell.error or "no JSON line; stderr ends: " + p.stderr[-300:]


def table(cells, names, workloads, extra):
    """Markdown: one block per workload; 'best peer' never counts the --extra frameworks."""
    out = []
    peers = [n for n in names if n not in extra]
    out.append(
        "| workload | framework | variant | step | vs best peer | min | compile cold | again |"
        " peak RSS MB | agrees | clean |"
    )
    out.append("|---|---|---|---:|---:|---:|---:|---:|---:|---|---:|")

    def ms(x):
        return "" if x is None else f"{x * 1e3:.3f} ms" if x < 0.1 else f"{x * 1e3:.0f} ms"

    def sec(x):
        return "" if x is None else f"{x:.2f} s"

    for w in workloads:
        S = {n: cells[n, w].summary() for n in names}
        best = min((S[n]["step_s"] for n in peers if "step_s" in S[n]), default=None)
        for n in names:
            s = S[n]
            if "step_s" not in s:
                out.append(
                    f"| {w} | {n} | | error: {' '.join(str(s['error']).split())[:90]} "
                    "| | | | | | | |"
                )
                continue
            ratio = f"{s['step_s'] / best:.2f}" if best else ""
            if best and s["step_s"] == best:
                ratio = "**1.00**"
            out.append(
                f"| {w} | {n} | {s['variant']} | {'' if s['quiet'] else '~'}{ms(s['step_s'])} | "
                f"{ratio} | {ms(s['step_min_s'])} | {sec(s['compile_cold_s'])} | "
                f"{sec(s['compile_again_s'])} | {s['peak_rss_mb']:.0f} | "
                f"{'yes' if s['agrees'] else 'NO' if s['agrees'] is False else '?'} | "
                f"{s['clean_repeats']}/{s['repeats']} |"
            )
    return "\n".join(out)


def main():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument("--frameworks", default=",".join(C.FRAMEWORKS))
    ap.add_argument("--workloads", default=",".join(C.WORKLOADS))
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--repeats", type=int, default=5)
    ap.add_argument("--budget", type=float, default=4.0, help="timing seconds per process")
    ap.add_argument("--timeout", type=float, default=300.0, help="seconds per process")
    ap.add_argument("--quiet-wait", type=float, default=10.0)
    ap.add_argument(
        "--noise", type=float, default=0.12, help="cores others may use in a clean repeat"
    )
    ap.add_argument("--until-clean", action="store_true")
    ap.add_argument("--max-minutes", type=float, default=60.0)
    ap.add_argument("--extra", action="append", default=[], metavar="NAME=COMMAND")
    ap.add_argument("--resume", help="JSON of an earlier --out whose lines to go on from")
    ap.add_argument("--out", help="JSON file for every line and the summary")
    for k in ("torch", "jax", "mindspore"):
        ap.add_argument(
            f"--python-{k}", default=os.environ.get(f"PEER_PYTHON_{k.upper()}", sys.executable)
        )
    args = ap.parse_args()

    workloads = args.workloads.split(",")
    cmds = {}
    for n in filter(None, args.frameworks.split(",")):
        py = getattr(args, "python_" + C.FRAMEWORKS[n])
        cmds[n] = [py, os.path.join(HERE, "peers", n + ".py")]
    extra = {}
    for e in args.extra:
        n, c = e.split("=", 1)
        extra[n] = cmds[n] = shlex.split(c)

    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    for k in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        env[k] = str(args.threads)
    keep = tempfile.mkdtemp(prefix="bench_cache_")  # cold in the first round, warm afterwards
    env["TORCHINDUCTOR_CACHE_DIR"] = keep
    env["BENCH_CACHE_DIR"] = os.path.join(keep, "extra")

    cells = {(n, w): Cell(n, w, args.noise) for n in cmds for w in workloads}
    if args.resume:
        with open(args.resume) as fh:
            for l in json.load(fh)["lines"]:
                if (l["framework"], l["workload"]) in cells:
                    cells[l["framework"], l["workload"]].lines.append(l)
    t0 = time.time()
    load0 = os.getloadavg()

    def late():
        return time.time() - t0 > args.max_minutes * 60

    def write():
        if args.out:
            with open(args.out, "w") as fh:
                json.dump(
                    dict(
                        threads=args.threads,
                        noise=args.noise,
                        load_start=load0,
                        load_end=os.getloadavg(),
                        minutes=(time.time() - t0) / 60,
                        summary=[c.summary() for c in cells.values()],
                        lines=[l for c in cells.values() for l in c.lines],
                    ),
                    fh,
                )

    def need(c):
        return not (c.error and not c.lines) and len(c.clean()) < 3

    rnd = 0
    try:
        while not late():
            if rnd >= args.rounds and not (args.until_clean and any(map(need, cells.values()))):
                break
            for w in workloads:
                for n in cmds:
                    c = cells[n, w]
                    if (
                        late()
                        or (rnd >= args.rounds and not need(c))
                        or (rnd and c.error and not c.lines)
                    ):
                        continue
                    quiet = wait_quiet(args.quiet_wait, args.noise)
                    if not quiet and rnd >= args.rounds and args.threads > 1:
                        continue
                    launch(c, cmds[n], args.threads, rnd, env, args)
                    s = c.summary()
                    print(
                        f"[{(time.time() - t0) / 60:5.1f} min] round {rnd + 1} {w:18s} {n:16s} "
                        + (
                            f"{s['step_s'] * 1e3:10.3f} ms  "
                            f"clean {s['clean_repeats']}/{s['repeats']}"
                            f"  agrees {s['agrees']}"
                            if "step_s" in s
                            else "ERROR " + str(s["error"])[:120]
                        ),
                        file=sys.stderr,
                        flush=True,
                    )
            write()
            rnd += 1
    except KeyboardInterrupt:
        pass
    finally:
        shutil.rmtree(keep, ignore_errors=True)
    write()
    print(
        f"threads {args.threads}, rounds {rnd}, load average at start {load0[0]:.1f}, "
        f"at end {os.getloadavg()[0]:.1f}; '~': fewer than three clean repeats\n"
    )
    print(table(cells, list(cmds), workloads, extra))


if __name__ == "__main__":
    main()
