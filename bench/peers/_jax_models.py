"""JAX loss functions of the workloads.  Options are words out of the variant name:
'nchw' keeps NCHW convolutions (default NHWC), 'loop' unrolls the LSTM in Python (default lax.scan),
'rev' takes the second derivative by reverse over reverse (default forward over forward),
'mask' makes the while loop a bounded scan with a mask (default: lax.while_loop with a custom
gradient that keeps the iterates, because lax.while_loop has no reverse-mode derivative)."""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as C  # noqa: E402

CONV = ("lenet", "simplenet_seed", "simplenet_224", "resnet_block_net")


def layout(name, P, D, nchw):
    """Weights and images in the layout of the chosen convolution; a dense layer behind a flatten
    gets its columns permuted, so that the mathematics does not change."""
    import numpy as np

    if name not in CONV or nchw:
        return P, D
    P, D = dict(P), dict(D)
    for k, v in P.items():
        if v.ndim == 4:
            P[k] = np.ascontiguousarray(v.transpose(2, 3, 1, 0))  # OIHW -> HWIO
    D["x"] = np.ascontiguousarray(D["x"].transpose(0, 1, 3, 4, 2))
    flat = {
        "lenet": ("fc1.weight", 16, 5),
        "simplenet_seed": ("fc.weight", 64, 64),
        "simplenet_224": ("fc.weight", 64, 224),
    }.get(name)
    if flat:
        k, c, hw = flat
        w = P[k].reshape(-1, c, hw, hw).transpose(0, 2, 3, 1)
        P[k] = np.ascontiguousarray(w.reshape(P[k].shape))
    return P, D


def aux_state(name):
    """Running statistics of BatchNorm (updated every step, not used by the loss)."""
    import numpy as np

    ch = {}
    if name.startswith("simplenet"):
        ch = {"bn": 64}
    elif name == "resnet_block_net":
        ch = {"stem.1": 32}
        for pre, ci, co, st in C.res_blocks():
            for n in (1, 2) + ((3,) if st != 1 or ci != co else ()):
                ch[f"{pre}.{n}"] = co
    return {k: (np.zeros(c, np.float32), np.ones(c, np.float32)) for k, c in ch.items()}


def loss_fn(name, opts):
    """-> f(params, aux, x, y) -> (loss, new aux)."""
    import jax
    import jax.numpy as jnp
    from jax import lax, nn

    nchw = "nchw" in opts
    dn = ("NCHW", "OIHW", "NCHW") if nchw else ("NHWC", "HWIO", "NHWC")
    axes, cshape = ((0, 2, 3), (1, -1, 1, 1)) if nchw else ((0, 1, 2), (1, 1, 1, -1))

    def ce(logits, y):
        lp = nn.log_softmax(logits)
        return -jnp.take_along_axis(lp, y[..., None], -1).mean()

    def dense(P, k, x):
        return x @ P[k + ".weight"].T + P[k + ".bias"]

    def conv(x, w, st, pad):
        return lax.conv_general_dilated(x, w, (st, st), ((pad, pad),) * 2, dimension_numbers=dn)

    def bn(P, k, x, aux, key):
        m = x.mean(axes)
        v = jnp.maximum((x * x).mean(axes) - m * m, 0) if "onepass" in opts else x.var(axes)
        rm, rv = aux[key]
        n = x.size // m.size
        new = (
            0.9 * rm + 0.1 * lax.stop_gradient(m),
            0.9 * rv + 0.1 * lax.stop_gradient(v) * (n / (n - 1)),
        )
        s = P[k + ".weight"] * lax.rsqrt(v + 1e-5)
        return x * s.reshape(cshape) + (P[k + ".bias"] - m * s).reshape(cshape), new

    def pool(x):
        win = (1, 1, 2, 2) if nchw else (1, 2, 2, 1)
        return lax.reduce_window(x, -jnp.inf, lax.max, win, win, "VALID")

    def mlp(P, aux, x, y):
        return ce(dense(P, "fc3", nn.relu(dense(P, "fc2", nn.relu(dense(P, "fc1", x))))), y), aux

    def lenet(P, aux, x, y):
        x = pool(nn.relu(conv(x, P["conv1.weight"], 1, 0)))
        x = pool(nn.relu(conv(x, P["conv2.weight"], 1, 0)))
        return mlp(P, aux, x.reshape(x.shape[0], -1), y)

    def simplenet(P, aux, x, y):
        h, new = bn(P, "bn", conv(x, P["conv.weight"], 1, 1), aux, "bn")
        return ce(dense(P, "fc", nn.relu(h).reshape(x.shape[0], -1)), y), {"bn": new}

    def resnet(P, aux, x, y):
        out = {}

        def cb(pre, n, x, st, pad):
            h, out[f"{pre}.{n}"] = bn(
                P, f"{pre}.bn{n}", conv(x, P[f"{pre}.conv{n}.weight"], st, pad), aux, f"{pre}.{n}"
            )
            return h

        h = nn.relu(cb("stem", 1, x, 1, 1))
        for pre, ci, co, st in C.res_blocks():
            s = h if st == 1 and ci == co else cb(pre, 3, h, st, 0)
            h = nn.relu(cb(pre, 2, nn.relu(cb(pre, 1, h, st, 1)), 1, 1) + s)
        return ce(dense(P, "fc", h.mean((2, 3) if nchw else (1, 2))), y), out

    def transformer(P, aux, x, y):
        c = C.TR
        T, h, dh = c["T"], c["h"], c["dh"]
        ang = jnp.arange(T)[:, None] * c["theta"] ** (-jnp.arange(0, dh, 2) / dh)[None]
        cos, sin = jnp.cos(ang)[None, :, None], jnp.sin(ang)[None, :, None]

        def norm(x, g):
            return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + c["eps"]) * g

        def rope(t):  # [B, T, h, dh]
            a, b = jnp.split(t, 2, -1)
            return jnp.concatenate((a * cos - b * sin, b * cos + a * sin), -1)

        e = P["emb.weight"]
        z = e[x]
        B = z.shape[0]
        mask = jnp.tril(jnp.ones((T, T), bool))
        for l in range(c["L"]):
            n = norm(z, P[f"b{l}.n1.weight"])
            q, k, v = (
                (n @ P[f"b{l}.{w}.weight"].T).reshape(B, T, h, dh) for w in ("wq", "wk", "wv")
            )
            q, k = rope(q), rope(k)
            if "sdpa" in opts:
                a = nn.dot_product_attention(q, k, v, is_causal=True)
            else:
                s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(dh)
                s = nn.softmax(jnp.where(mask, s, -1e30), -1)
                a = jnp.einsum("bhqk,bkhd->bqhd", s, v)
            z = z + a.reshape(B, T, h * dh) @ P[f"b{l}.wo.weight"].T
            n = norm(z, P[f"b{l}.n2.weight"])
            z = (
                z
                + (nn.silu(n @ P[f"b{l}.w1.weight"].T) * (n @ P[f"b{l}.w3.weight"].T))
                @ P[f"b{l}.w2.weight"].T
            )
        return ce(norm(z, P["nf.weight"]) @ e.T, y), aux

    def lstm(P, aux, x, y):
        B, T, _ = x.shape
        H = C.LSTM["H"]
        xi = x.transpose(1, 0, 2) @ P["w_ih"].T + (P["b_ih"] + P["b_hh"])
        w = P["w_hh"].T

        def cell(hc, xt):
            h, c = hc
            i, f, g, o = jnp.split(xt + h @ w, 4, 1)
            c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
            return (nn.sigmoid(o) * jnp.tanh(c), c), None

        hc = (jnp.zeros((B, H)), jnp.zeros((B, H)))
        if "loop" in opts:
            for t in range(T):
                hc, _ = cell(hc, xi[t])
        else:
            hc, _ = lax.scan(cell, hc, xi)
        return ce(dense(P, "fc", hc[0]), y), aux

    def chain(P, aux):
        a, b, c = P["a"], P["b"], P["c"]
        t = jnp.tanh(a * b + c)
        u = jnp.exp(-t) * a + 0.5
        v = nn.gelu(nn.sigmoid(u) * t + b, approximate=True)
        w = v - 0.1 * c
        p = jnp.tanh(nn.softplus(w) * v)
        q = jnp.sqrt(p * p + 1.0) * a
        r = (nn.sigmoid(q) - t) * 0.7
        m = (jnp.exp(-(r * r)) + u) * c
        return jnp.tanh(nn.silu(m)).mean(), aux

    def pinn(P, aux, x):
        def net(t):
            return dense(P, "fc3", jnp.tanh(dense(P, "fc2", jnp.tanh(dense(P, "fc1", t)))))

        if "rev" in opts:

            def u1(s):
                return net(s[None, None])[0, 0]

            d1, d2 = jax.grad(u1), jax.grad(jax.grad(u1))
            s = x[:, 0]
            u, d, dd = jax.vmap(u1)(s), jax.vmap(d1)(s), jax.vmap(d2)(s)
            u0, d0 = u1(jnp.zeros(())), d1(jnp.zeros(()))
        else:

            def first(t):
                return jax.jvp(net, (t,), (jnp.ones_like(t),))

            (u, d), (_, dd) = jax.jvp(first, (x,), (jnp.ones_like(x),))
            u0, d0 = first(jnp.zeros((1, 1)))
        res = dd + 0.5 * d + 4.0 * u
        return (res * res).mean() + ((u0 - 1.0) ** 2).sum() + (d0**2).sum(), aux

    om, tol, top = C.NEWTON["omega"], C.NEWTON["tol"], C.NEWTON["max_iter"]

    def newton_step(E, e, M):
        return E - om * (E - e * jnp.sin(E) - M) / (1 - e * jnp.cos(E))

    def more(n, dE):
        return (n < top) & (jnp.abs(dE).max() >= tol)

    @jax.custom_vjp
    def solve(e, M):
        return solve_fwd(e, M)[0]

    def solve_fwd(e, M):
        def body(s):
            n, E, _, hist = s
            new = newton_step(E, e, M)
            return n + 1, new, new - E, lax.dynamic_update_index_in_dim(hist, E, n, 0)

        s = (jnp.int32(0), M, jnp.ones_like(M), jnp.zeros((top,) + M.shape))
        n, E, _, hist = lax.while_loop(lambda s: more(s[0], s[2]), body, s)
        return E, (n, hist, e, M)

    def solve_bwd(res, gE):
        n, hist, e, M = res

        def body(s):
            k, gE, ge, gM = s
            E = lax.dynamic_index_in_dim(hist, k, 0, keepdims=False)
            _, vjp = jax.vjp(newton_step, E, e, M)
            dE, de, dM = vjp(gE)
            return k - 1, dE, ge + de, gM + dM

        _, gE, ge, gM = lax.while_loop(
            lambda s: s[0] >= 0, body, (n - 1, gE, jnp.zeros_like(e), jnp.zeros_like(M))
        )
        return ge, gM + gE

    solve.defvjp(solve_fwd, solve_bwd)

    def newton(P, aux, x, y):
        p = x @ P["w"] + P["b"]
        e, M = 0.9 * nn.sigmoid(p[:, 0]), p[:, 1]
        if "mask" in opts:

            def body(s, _):
                n, E, dE = s
                go = more(n, lax.stop_gradient(dE))
                new = newton_step(E, e, M)
                return (n + go, jnp.where(go, new, E), jnp.where(go, new - E, dE)), None

            (_, E, _), _ = lax.scan(body, (jnp.int32(0), M, jnp.ones_like(M)), None, length=top)
        else:
            E = solve(e, M)
        return ((jnp.sin(E) - y) ** 2).mean(), aux

    return {
        "mlp_small": mlp,
        "mlp_large": mlp,
        "lenet": lenet,
        "simplenet_seed": simplenet,
        "simplenet_224": simplenet,
        "resnet_block_net": resnet,
        "transformer_block": transformer,
        "lstm": lstm,
        "elementwise_chain": chain,
        "ode_pinn": pinn,
        "newton_while": newton,
    }[name]


def step_fn(name, opts):
    """-> step(state, *batch) -> (state, loss); state = (params, optimiser slots, t, aux)."""
    import jax
    import jax.numpy as jnp

    s, f = C.SPEC[name], loss_fn(name, opts)
    tm = jax.tree_util.tree_map

    def step(state, *batch):
        P, S, t, aux = state
        (loss, aux), g = jax.value_and_grad(f, has_aux=True)(P, aux, *batch)
        if s["opt"] == "sgd":
            P = tm(lambda w, g: w - s["lr"] * g, P, g)
        elif s["opt"] == "momentum":
            S = (tm(lambda v, g: s["mu"] * v + g, S[0], g),)
            P = tm(lambda w, v: w - s["lr"] * v, P, S[0])
        else:
            t = t + 1
            S = (
                tm(lambda m, g: s["b1"] * m + (1 - s["b1"]) * g, S[0], g),
                tm(lambda v, g: s["b2"] * v + (1 - s["b2"]) * g * g, S[1], g),
            )
            c1, c2 = 1 - s["b1"] ** t, 1 - s["b2"] ** t
            keep = 1 - s["lr"] * s["wd"] if s["opt"] == "adamw" else 1.0
            P = tm(
                lambda w, m, v: w * keep - s["lr"] / c1 * m / (jnp.sqrt(v / c2) + s["eps"]),
                P,
                S[0],
                S[1],
            )
        return (P, S, t, aux), loss

    return step


class Base:
    def __init__(self, name, opts):
        import jax
        import numpy as np

        self.jax, self.name = jax, name
        P, D = layout(name, *C.make(name), nchw="nchw" in opts)
        s = C.SPEC[name]
        slots = 2 if s["opt"].startswith("adam") else 1 if s["opt"] == "momentum" else 0
        self.host = (
            P,
            tuple({k: np.zeros_like(v) for k, v in P.items()} for _ in range(slots)),
            np.float32(0),
            aux_state(name),
        )
        self.D, self.nb, self.n = list(D.values()), s["nb"], s["n"]
        self.fn, self.opts = step_fn(name, opts), opts
        self.setup()
        self.reset()

    def reset(self):
        # jnp.array copies: donation must never reach the NumPy originals
        import jax.numpy as jnp

        self.state = self.jax.block_until_ready(
            self.jax.tree_util.tree_map(lambda v: jnp.array(v, copy=True), self.host)
        )
        self.i = 0


def versions():
    import platform

    import jax
    import jaxlib

    return dict(python=platform.python_version(), jax=jax.__version__, jaxlib=jaxlib.__version__)


def variants(w):
    out = ["plain"]
    if w in CONV:
        out = ["nhwc", "nchw"]
    if w == "transformer_block":
        out += ["sdpa"]
    if w == "lstm":
        out += ["loop"]
    if w == "ode_pinn":
        out += ["rev"]
    if w == "newton_while":
        out += ["mask"]
    return out


def environment(threads):
    """XLA's own pool follows the number of usable cores; with one thread, forbid it altogether."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    if threads == 1:
        os.environ["XLA_FLAGS"] = (
            os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
        )
