"""What this machine can do, and the floor it sets for each workload.

    python roofline.py [--threads 1,2] [--tries 3] [--quiet-wait 60] [--json file]

Measures, best of several short repeats and of --tries processes, each started when the rest of the
machine is at rest or --quiet-wait seconds have passed (with two threads, one busy neighbour makes a
thread pool wait a time slice at every barrier and the figures meaningless):
  sgemm GFLOP/s through NumPy's OpenBLAS and, where installed, torch's MKL;
  memory bandwidth of copy and triad through NumPy and torch, on arrays larger than the last cache
  (bytes counted as read + written; write-allocate traffic is not counted);
  exp and tanh evaluations per second on cache-resident data (torch: vectorised; NumPy otherwise).
OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE slow a current NumPy down: when they are set, the script
starts itself again without both, and it reports the kernel that runs (threadpoolctl, if installed).
"""

import argparse
import json
import os
import subprocess
import sys
import time

import common as C
from run_peers import wait_quiet


def best(f, seconds=0.6, least=5):
    f()
    t_end, b, k = time.perf_counter() + seconds, 1e9, 0
    while time.perf_counter() < t_end or k < least:
        t = time.perf_counter()
        f()
        b = min(b, time.perf_counter() - t)
        k += 1
    return b


def probe(threads):
    C.set_threads(threads)
    import numpy as np

    r = dict(threads=threads, numpy=np.__version__)
    try:
        from threadpoolctl import threadpool_info

        r["blas"] = [
            {k: i.get(k) for k in ("internal_api", "version", "architecture", "num_threads")}
            for i in threadpool_info()
        ]
    except ImportError:
        r["blas"] = "threadpoolctl not installed"
    rs = np.random.RandomState(0)
    for n in (256, 1024, 2048):
        a, b = (rs.standard_normal((n, n)).astype(np.float32) for _ in range(2))
        c = np.empty((n, n), np.float32)
        r[f"numpy_sgemm_{n}_gflops"] = 2 * n**3 / best(lambda: np.matmul(a, b, out=c)) / 1e9
    m = 32 * 1024 * 1024  # 128 MB an array
    x, y, z = np.ones(m, np.float32), np.ones(m, np.float32), np.ones(m, np.float32)
    r["numpy_copy_gbs"] = 8 * m / best(lambda: np.copyto(y, x)) / 1e9

    def triad():
        np.multiply(x, 1.5, out=z)
        np.add(z, y, out=z)

    r["numpy_triad_gbs"] = 20 * m / best(triad) / 1e9  # two passes: 8 + 12 bytes an element
    v = np.linspace(-3, 3, 16384, dtype=np.float32)
    o = np.empty_like(v)
    for k in ("exp", "tanh"):
        f = getattr(np, k)
        r[f"numpy_{k}_geval"] = v.size / best(lambda: f(v, out=o), 0.2) / 1e9
    del x, y, z
    try:
        import torch
    except ImportError:
        return r
    torch.set_num_threads(threads)
    r["torch"], r["torch_cpu"] = torch.__version__, torch.backends.cpu.get_cpu_capability()
    for n in (256, 1024, 2048):
        a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
        r[f"torch_sgemm_{n}_gflops"] = 2 * n**3 / best(lambda: torch.mm(a, b, out=c)) / 1e9
    x, y, z = (torch.ones(m) for _ in range(3))
    r["torch_copy_gbs"] = 8 * m / best(lambda: y.copy_(x)) / 1e9
    r["torch_triad_gbs"] = 12 * m / best(lambda: torch.add(x, y, alpha=1.5, out=z)) / 1e9
    del x, y, z
    v = torch.linspace(-3, 3, 16384 * (8 if threads > 1 else 1))
    o = torch.empty_like(v)
    for k in ("exp", "tanh"):
        f = getattr(torch, k)
        r[f"torch_{k}_geval"] = v.numel() / best(lambda: f(v, out=o), 0.3) / 1e9
    return r


def floors(r):
    def top(*keys):
        return max(r.get(k, 0.0) for k in keys)

    gf = top(*(f"{l}_sgemm_{n}_gflops" for l in ("numpy", "torch") for n in (256, 1024, 2048)))
    bw = top("numpy_copy_gbs", "numpy_triad_gbs", "torch_copy_gbs", "torch_triad_gbs")
    ev = top("torch_exp_geval", "numpy_exp_geval")
    rows = []
    for w in C.WORKLOADS + C.EXTRA_WORKLOADS:
        c = C.cost(w)
        tf, tt, tb = c["flops"] / gf / 1e6, c["transc"] / ev / 1e6, c["bytes"] / bw / 1e6
        rows.append(
            dict(
                workload=w,
                gflop=c["flops"] / 1e9,
                mtransc=c["transc"] / 1e6,
                mbytes=c["bytes"] / 1e6,
                flop_ms=tf,
                transc_ms=tt,
                bytes_ms=tb,
                floor_ms=max(tf + tt, tb),
            )
        )
    return dict(gemm_gflops=gf, bandwidth_gbs=bw, exp_geval=ev, rows=rows)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--threads", default="1,2")
    ap.add_argument("--tries", type=int, default=3)
    ap.add_argument("--quiet-wait", type=float, default=60)
    ap.add_argument("--json")
    ap.add_argument("--one", type=int, help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.one:
        print(json.dumps(probe(a.one)))
        return
    env = {
        k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    }
    was = {k: os.environ[k] for k in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if k in os.environ}
    print(
        "OPENBLAS_* in the environment:",
        was or "none",
        "(unset for the measurement)" if was else "",
    )
    res = []
    for t in a.threads.split(","):
        r = {}
        for _ in range(a.tries):
            wait_quiet(a.quiet_wait, 0.12)
            p = subprocess.run(
                [sys.executable, os.path.abspath(__file__), "--one", t],
                env=env,
                capture_output=True,
                text=True,
            )
            if p.returncode:
                sys.exit(p.stderr)
            for k, v in json.loads(p.stdout.splitlines()[-1]).items():
                r[k] = max(r.get(k, 0.0), v) if isinstance(v, float) else v
        r["floors"] = floors(r)
        res.append(r)
        print(
            f"\n== {t} thread(s): NumPy {r['numpy']}, BLAS {r['blas']}, torch {r.get('torch')} "
            f"{r.get('torch_cpu')}"
        )
        for k, v in r.items():
            if isinstance(v, float):
                print(f"   {k:26s} {v:9.2f}")
        f = r["floors"]
        print(
            f"   used for the floors: {f['gemm_gflops']:.0f} GFLOP/s, "
            f"{f['bandwidth_gbs']:.1f} GB/s, "
            f"{f['exp_geval']:.2f} G exp/s\n"
        )
        print("| workload | GFLOP | M transc | MB | flops ms | transc ms | bytes ms | floor ms |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        for x in f["rows"]:
            print(
                f"| {x['workload']} | {x['gflop']:.4f} | {x['mtransc']:.2f} | {x['mbytes']:.0f} | "
                f"{x['flop_ms']:.3f} | {x['transc_ms']:.3f} | {x['bytes_ms']:.2f} | "
                f"{x['floor_ms']:.3f} |"
            )
    if a.json:
        with open(a.json, "w") as fh:
            json.dump(res, fh)


if __name__ == "__main__":
    main()
