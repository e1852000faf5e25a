"""Shared definitions of the benchmark: seeded weights and data, step counts, cost model and
the measuring protocol.  Needs only the standard library and NumPy, so that any framework's
script can import it.  The mathematics of each workload is written out in workloads.md."""

import argparse
import gc
import json
import os
import resource
import statistics
import time

WORKLOADS = [
    "mlp_small",
    "mlp_large",
    "lenet",
    "simplenet_seed",
    "resnet_block_net",
    "transformer_block",
    "lstm",
    "elementwise_chain",
    "ode_pinn",
    "newton_while",
]
EXTRA_WORKLOADS = ["simplenet_224"]  # the seed article's own image size; not in the default table

#: Peers, and the package that each needs.
FRAMEWORKS = {
    "torch_eager": "torch",
    "torch_compile": "torch",
    "jax_jit": "jax",
    "jax_scan": "jax",
    "mindspore_graph": "mindspore",
    "mindspore_sink": "mindspore",
}

# n: steps of one timed repeat (and of the checked run); nb: distinct batches, step i uses i % nb
SPEC = {
    "mlp_small": dict(n=200, nb=8, opt="sgd", lr=0.05),
    "mlp_large": dict(n=8, nb=4, opt="momentum", lr=0.01, mu=0.9),
    "lenet": dict(n=60, nb=8, opt="momentum", lr=0.01, mu=0.9),
    "simplenet_seed": dict(n=6, nb=2, opt="momentum", lr=0.01, mu=0.9),
    "simplenet_224": dict(n=2, nb=2, opt="momentum", lr=0.01, mu=0.9),
    "resnet_block_net": dict(n=4, nb=2, opt="momentum", lr=0.01, mu=0.9),
    "transformer_block": dict(n=4, nb=2, opt="adamw", lr=1e-3, b1=0.9, b2=0.999, eps=1e-8, wd=0.1),
    "lstm": dict(n=8, nb=4, opt="adam", lr=1e-3, b1=0.9, b2=0.999, eps=1e-8),
    "elementwise_chain": dict(n=3, nb=1, opt="sgd", lr=0.1 * 4 * 1024 * 1024),
    "ode_pinn": dict(n=100, nb=4, opt="adam", lr=1e-3, b1=0.9, b2=0.999, eps=1e-8),
    "newton_while": dict(n=100, nb=4, opt="sgd", lr=0.2),
}

# |loss - reference| <= tol * max(|reference|, 0.1 * |reference of step 1|), with TOL for the first
# TIGHT steps and TOL_LATE after them (rounding may flip a ReLU that sits at 1e-7: see workloads.md)
TOL, TOL_LATE, TIGHT = 5e-5, 5e-3, 20

CHAIN_N = 4 * 1024 * 1024
TR = dict(L=2, d=256, h=8, dh=32, f=683, T=128, B=8, V=1000, eps=1e-5, theta=10000.0)
LSTM = dict(T=64, I=64, H=128, B=32)
RES_STAGES = [(32, 32, 1), (32, 64, 2), (64, 128, 2)]
NEWTON = dict(tol=1e-5, max_iter=64, omega=0.5, B=64, F=8)


def mlp_sizes(name):
    return [784, 128, 64, 10] if name == "mlp_small" else [784, 2048, 2048, 10]


def res_blocks():
    """(prefix, in, out, stride) of the six basic blocks."""
    out = []
    for s, (ci, co, st) in enumerate(RES_STAGES):
        out.append((f"s{s}b0", ci, co, st))
        out.append((f"s{s}b1", co, co, 1))
    return out


def make(name):
    """-> (params, data): dicts of float32/int32 arrays; data arrays have leading axis nb.
    Only numpy.random.RandomState is used: its streams are frozen across NumPy versions."""
    import numpy as np

    rs = np.random.RandomState(20240 + (WORKLOADS + EXTRA_WORKLOADS).index(name))
    nb = SPEC[name]["nb"]
    P, D = {}, {}

    def normal(key, shape, std):
        P[key] = (rs.standard_normal(shape) * std).astype(np.float32)

    def const(key, shape, v):
        P[key] = np.full(shape, v, np.float32)

    def images(shape, classes=10):
        D["x"] = rs.standard_normal((nb,) + shape).astype(np.float32)
        D["y"] = rs.randint(0, classes, (nb, shape[0])).astype(np.int32)

    if name in ("mlp_small", "mlp_large"):
        s = mlp_sizes(name)
        for i in range(3):
            normal(f"fc{i + 1}.weight", (s[i + 1], s[i]), (2.0 / s[i]) ** 0.5)
            const(f"fc{i + 1}.bias", (s[i + 1],), 0.0)
        images((32 if name == "mlp_small" else 256, 784))
    elif name == "lenet":
        normal("conv1.weight", (6, 1, 5, 5), (2.0 / 25) ** 0.5)
        normal("conv2.weight", (16, 6, 5, 5), (2.0 / 150) ** 0.5)
        for k, (o, i) in {"fc1": (120, 400), "fc2": (84, 120), "fc3": (10, 84)}.items():
            normal(k + ".weight", (o, i), (2.0 / i) ** 0.5)
            const(k + ".bias", (o,), 0.0)
        images((32, 1, 32, 32))
    elif name in ("simplenet_seed", "simplenet_224"):
        hw = 64 if name == "simplenet_seed" else 224
        normal("conv.weight", (64, 3, 3, 3), (2.0 / 27) ** 0.5)
        # with gamma = 1 and hw^2 * 64 features the article's rate 0.01 diverges in one step
        const("bn.weight", (64,), 0.05 if hw == 64 else 0.015)
        const("bn.bias", (64,), 0.0)
        normal("fc.weight", (10, 64 * hw * hw), (1.0 / (64 * hw * hw)) ** 0.5)
        const("fc.bias", (10,), 0.0)
        images((16, 3, hw, hw))
    elif name == "resnet_block_net":

        def conv_bn(pre, n, o, i, k):
            normal(f"{pre}conv{n}.weight", (o, i, k, k), (2.0 / (i * k * k)) ** 0.5)
            const(f"{pre}bn{n}.weight", (o,), 1.0)
            const(f"{pre}bn{n}.bias", (o,), 0.0)

        conv_bn("stem.", 1, 32, 3, 3)
        for pre, ci, co, st in res_blocks():
            conv_bn(pre + ".", 1, co, ci, 3)
            conv_bn(pre + ".", 2, co, co, 3)
            if st != 1 or ci != co:
                conv_bn(pre + ".", 3, co, ci, 1)
        normal("fc.weight", (10, 128), (1.0 / 128) ** 0.5)
        const("fc.bias", (10,), 0.0)
        images((32, 3, 32, 32))
    elif name == "transformer_block":
        d, f, V = TR["d"], TR["f"], TR["V"]
        normal("emb.weight", (V, d), 0.02)
        for l in range(TR["L"]):
            const(f"b{l}.n1.weight", (d,), 1.0)
            for k in ("wq", "wk", "wv", "wo"):
                normal(f"b{l}.{k}.weight", (d, d), d**-0.5)
            const(f"b{l}.n2.weight", (d,), 1.0)
            normal(f"b{l}.w1.weight", (f, d), d**-0.5)
            normal(f"b{l}.w3.weight", (f, d), d**-0.5)
            normal(f"b{l}.w2.weight", (d, f), f**-0.5)
        const("nf.weight", (d,), 1.0)
        ids = rs.randint(0, V, (nb, TR["B"], TR["T"] + 1)).astype(np.int32)
        D["x"], D["y"] = np.ascontiguousarray(ids[..., :-1]), np.ascontiguousarray(ids[..., 1:])
    elif name == "lstm":
        H, I = LSTM["H"], LSTM["I"]
        b = H**-0.5
        for k, shape in (
            ("w_ih", (4 * H, I)),
            ("w_hh", (4 * H, H)),
            ("b_ih", (4 * H,)),
            ("b_hh", (4 * H,)),
            ("fc.weight", (10, H)),
            ("fc.bias", (10,)),
        ):
            P[k] = rs.uniform(-b, b, shape).astype(np.float32)
        D["x"] = rs.standard_normal((nb, LSTM["B"], LSTM["T"], I)).astype(np.float32)
        D["y"] = rs.randint(0, 10, (nb, LSTM["B"])).astype(np.int32)
    elif name == "elementwise_chain":
        for k in "abc":
            normal(k, (CHAIN_N,), 1.0)
    elif name == "ode_pinn":
        for i, (o, n) in enumerate(((32, 1), (32, 32), (1, 32))):
            normal(f"fc{i + 1}.weight", (o, n), (1.0 / n) ** 0.5)
            normal(f"fc{i + 1}.bias", (o,), 0.1)
        D["x"] = rs.uniform(0, 2, (nb, 256, 1)).astype(np.float32)
    elif name == "newton_while":
        normal("w", (NEWTON["F"], 2), 0.5)
        P["b"] = np.array([0.5, 0.3], np.float32)
        D["x"] = rs.standard_normal((nb, NEWTON["B"], NEWTON["F"])).astype(np.float32)
        D["y"] = rs.uniform(-1, 1, (nb, NEWTON["B"])).astype(np.float32)
    else:
        raise KeyError(name)
    return P, D


# ------------------------------------------------------------------------------- cost model
def n_params(name):
    return sum(int(v.size) for v in make(name)[0].values())


def cost(name):
    """Work that no implementation can avoid in one step, for the floor:
    flops: multiply-adds x 2 of matmuls and convolutions, forward + both backward products
           (the product for the gradient of the network input is left out);
    transc: evaluations of exp/tanh/sigmoid/... in the forward pass (backward reuses them);
    bytes: compulsory DRAM traffic, counted only where the working set exceeds a 32 MB cache:
           parameters and optimiser state read + written once, activations that must live from
           forward to backward written + read once;
    params: number of trainable scalars."""
    p = n_params(name)
    f = t = b = 0
    if name in ("mlp_small", "mlp_large"):
        s, B = mlp_sizes(name), 32 if name == "mlp_small" else 256
        mm = [2 * B * s[i] * s[i + 1] for i in range(3)]
        f = 3 * sum(mm) - mm[0]
        if name == "mlp_large":  # w: fwd, bwd, update r/w; momentum r/w
            b = 4 * p * (1 + 1 + 2 + 2)
    elif name == "lenet":
        c1, c2 = 2 * 32 * 28 * 28 * 6 * 25, 2 * 32 * 10 * 10 * 16 * 150
        fc = 2 * 32 * (400 * 120 + 120 * 84 + 84 * 10)
        f = 3 * (c1 + c2 + fc) - c1
    elif name in ("simplenet_seed", "simplenet_224"):
        hw, B = (64 if name == "simplenet_seed" else 224), 16
        act = B * 64 * hw * hw
        c1, fc = 2 * act * 27, 2 * B * 64 * hw * hw * 10
        f = 3 * (c1 + fc) - c1
        # conv output written, read for statistics (fused with the write), read for BN+ReLU+dense,
        # read again in backward, dY written+read once; fc weight fwd + update r/w, momentum r/w
        b = 4 * act * (1 + 1 + 1 + 1) + 4 * p * (1 + 2 + 2)
    elif name == "resnet_block_net":
        B = 32
        stem = 2 * B * 32 * 32 * 32 * 27
        f, hw, act = 3 * stem - stem, 32, B * 32 * 32 * 32
        for _, ci, co, st in res_blocks():
            hw //= st
            f += 3 * 2 * B * hw * hw * co * 9 * (ci + co)
            act += 2 * B * hw * hw * co
            if st != 1 or ci != co:
                f += 3 * 2 * B * hw * hw * co * ci
                act += B * hw * hw * co
        f += 3 * 2 * B * 128 * 10
        b = 4 * act * 4 + 4 * p * 6
    elif name == "transformer_block":
        T, B, d, ff, V, L, h = (TR[k] for k in ("T", "B", "d", "f", "V", "L", "h"))
        N = B * T
        f = 3 * 2 * N * (L * (4 * d * d + 3 * d * ff) + V * d)
        f += 3 * L * 2 * 2 * B * T * T * d // 2  # QK' and PV, causal half
        t = L * (B * h * T * T // 2 + N * ff) + N * V
        b = 4 * p * (2 + 6) + 4 * 2 * N * V
    elif name == "lstm":
        T, B, I, H = (LSTM[k] for k in ("T", "B", "I", "H"))
        f = 3 * 2 * T * B * 4 * H * (I + H) - 2 * T * B * 4 * H * I + 3 * 2 * B * H * 10
        t = T * B * H * 5
    elif name == "elementwise_chain":
        t = CHAIN_N * 11  # tanh x4, exp x2, sigmoid x2, gelu, softplus, silu (sqrt apart)
        b = 4 * CHAIN_N * 6  # three inputs read, three updated inputs written
    elif name == "ode_pinn":
        B = 256
        f = 3 * 3 * 2 * B * (32 + 32 * 32 + 32)  # value, first and second tangent
        t = B * 64
    elif name == "newton_while":
        f = 3 * 2 * 64 * 8 * 2
        t = 64 * 2 * 20 + 64 * 2
    return dict(flops=f, transc=t, bytes=b, params=p)


# --------------------------------------------------------------------------- protocol
def parse_args(framework, variants, default_variant, given=None):
    ap = argparse.ArgumentParser(description=f"{framework}: one JSON line per workload")
    ap.add_argument("--workload", default="all", help="name, comma list, or 'all'")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--repeats", type=int, default=5, help="timed repeats of n steps")
    ap.add_argument(
        "--budget",
        type=float,
        default=30.0,
        help="seconds of timing per workload after which no further repeat starts (min 3)",
    )
    ap.add_argument(
        "--variant", default=default_variant, help="one of: best, all, " + ", ".join(variants)
    )
    a = ap.parse_args(given)
    a.workloads = WORKLOADS if a.workload == "all" else a.workload.split(",")
    set_threads(a.threads)
    return a


def set_threads(n):
    """Before any framework is imported: the same number of threads for everybody, and for one
    thread also one core, so that helper threads of a runtime do not count as a second one."""
    for k in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NPROC"):
        os.environ[k] = str(n)
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > n:
        os.sched_setaffinity(0, set(cores[:n]))


def rss_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def _cpu():
    """(busy seconds of the machine, CPU seconds of this process and its children)."""
    with open("/proc/stat") as fh:
        v = [int(s) for s in fh.readline().split()[1:9]]
    busy = (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / os.sysconf("SC_CLK_TCK")
    own = sum(os.times()[:4])
    return busy, own


def check_losses(name, losses, ref):
    """-> (ok, worst error in units of the tolerance); a missing or extra step is an error."""
    if len(losses) != len(ref):
        return False, float("inf")
    worst = 0.0
    for k, (l, r) in enumerate(zip(losses, ref)):
        tol = TOL if k < TIGHT else TOL_LATE
        e = abs(l - r) / (tol * max(abs(r), 0.1 * abs(ref[0])))
        worst = e if e == e and e > worst else (float("inf") if e != e else worst)
    return worst <= 1.0, worst


def reference(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json")
    if os.path.exists(path):
        with open(path) as fh:
            return json.load(fh).get(name)
    return None


def measure(framework, variant, name, args, build, versions):
    """build(name, variant) -> runner with
         reset(): back to the initial weights and zero optimiser state (not timed)
         run(n): n steps, -> n losses as floats, all work finished at return
         sink: True when run(n) is one call that was compiled for n steps
    Prints the JSON line."""
    n = SPEC[name]["n"]
    out = dict(
        workload=name,
        framework=framework,
        variant=variant,
        threads=args.threads,
        steps=n,
        versions=versions,
    )
    try:
        base = rss_mb()
        t0 = time.perf_counter()
        r = build(name, variant)
        out["build_s"] = time.perf_counter() - t0
        first_n = n if getattr(r, "sink", False) else 1
        t0 = time.perf_counter()
        losses = list(r.run(first_n))
        first = time.perf_counter() - t0
        if first_n < n:
            losses += list(r.run(n - first_n))
        times, noise, busy = [], [], []
        t_end = time.perf_counter() + args.budget
        for k in range(args.repeats + 1):
            r.reset()
            gc.collect()
            b0, o0 = _cpu()
            c0 = time.process_time()
            t0 = time.perf_counter()
            again = list(r.run(n))
            dt = time.perf_counter() - t0
            c1 = time.process_time()
            b1, o1 = _cpu()
            if k == 0 and args.repeats > 1 and dt < args.budget / 2:
                continue  # warm-up; a repeat as long as the budget needs none
            times.append(dt / n)
            noise.append(max(0.0, (b1 - b0) - (o1 - o0)) / dt)
            busy.append((c1 - c0) / dt)
            if time.perf_counter() > t_end and (len(times) >= 3 or dt > args.budget / 2):
                break
        step = statistics.median(times)
        ok_again = all(
            abs(x - y) <= 1e-4 * max(1e-30, abs(y), 0.1 * abs(losses[0]))
            for x, y in zip(again, losses)
        )
        out.update(
            compile_s=max(first - (first_n - 1) * step, 0.0),
            first_call_s=first,
            step_s=step,
            step_min_s=min(times),
            step_all_s=times,
            other_cores=noise,
            own_cores=busy,
            peak_rss_mb=rss_mb(),
            rss_import_mb=base,
            losses=losses,
            repeatable=ok_again,
        )
        ref = reference(name)
        if ref:
            ok, worst = check_losses(name, losses, ref)
            out.update(agrees=ok, err_in_tol=worst)
        out.update(getattr(r, "notes", {}))
    except Exception as e:  # a workload that a framework cannot run is a result too
        if os.environ.get("BENCH_TRACE"):
            raise
        out["error"] = f"{type(e).__name__}: {str(e)[:600]}"
    print(json.dumps(out), flush=True)
    return out


def main(framework, variants, best, build, versions, args):
    """variants: {workload: [names]} or a list for all; best: {workload: name}, key '*' default."""
    for w in args.workloads:
        names = variants(w)
        if args.variant == "best":
            names = [best.get(w, best.get("*"))]
        elif args.variant != "all":
            names = [args.variant]
        for v in names:
            measure(framework, v, w, args, build, versions)
            gc.collect()


if __name__ == "__main__":
    for w in WORKLOADS + EXTRA_WORKLOADS:
        c = cost(w)
        print(
            f"{w:18s} params {c['params']:>9,d}  GFLOP {c['flops'] / 1e9:8.4f}  "
            f"transcendental M {c['transc'] / 1e6:7.2f}  MB {c['bytes'] / 1e6:7.1f}  "
            f"steps {SPEC[w]['n']}"
        )
