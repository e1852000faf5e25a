"""float64 reference losses of every workload -> reference.json.

The forward passes are written from the formulas in workloads.md with basic tensor operations
(no framework layer), the optimisers and the derivatives of ode_pinn's network by hand; only the
gradient of the scalar loss is taken with torch's autograd in float64.  `--check` also compares
that gradient with central differences of the loss along random directions.

    python reference.py [--workload a,b] [--check]
"""

import argparse
import json
import math
import os

import common as C
import numpy as np
import torch

torch.set_default_dtype(torch.float64)


def softmax_ce(logits, y):
    return (torch.logsumexp(logits, -1) - logits.gather(-1, y[..., None])[..., 0]).mean()


def conv(x, w, stride, pad):
    """Convolution as a sum over kernel positions of matrix products (cross-correlation)."""
    if pad:
        x = torch.nn.functional.pad(x, (pad,) * 4)
    k = w.shape[-1]
    ho, wo = (x.shape[2] - k) // stride + 1, (x.shape[3] - k) // stride + 1
    out = 0
    for i in range(k):
        for j in range(k):
            xs = x[
                :, :, i : i + (ho - 1) * stride + 1 : stride, j : j + (wo - 1) * stride + 1 : stride
            ]
            out = out + torch.einsum("nchw,oc->nohw", xs, w[:, :, i, j])
    return out


def batch_norm(x, g, b):
    m = x.mean((0, 2, 3), keepdim=True)
    v = ((x - m) ** 2).mean((0, 2, 3), keepdim=True)
    return (x - m) / torch.sqrt(v + 1e-5) * g[:, None, None] + b[:, None, None]


def relu(x):
    return torch.clamp_min(x, 0.0)


def max_pool2(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).amax((3, 5))


def linear(P, k, x):
    return x @ P[k + ".weight"].T + P[k + ".bias"]


def f_mlp(P, x, y):
    return softmax_ce(linear(P, "fc3", relu(linear(P, "fc2", relu(linear(P, "fc1", x))))), y)


def f_lenet(P, x, y):
    x = max_pool2(relu(conv(x, P["conv1.weight"], 1, 0)))
    x = max_pool2(relu(conv(x, P["conv2.weight"], 1, 0))).reshape(x.shape[0], -1)
    return softmax_ce(linear(P, "fc3", relu(linear(P, "fc2", relu(linear(P, "fc1", x))))), y)


def f_simplenet(P, x, y):
    h = relu(batch_norm(conv(x, P["conv.weight"], 1, 1), P["bn.weight"], P["bn.bias"]))
    return softmax_ce(linear(P, "fc", h.reshape(h.shape[0], -1)), y)


def f_resnet(P, x, y):
    def cb(pre, n, x, st, pad):
        return batch_norm(
            conv(x, P[f"{pre}.conv{n}.weight"], st, pad),
            P[f"{pre}.bn{n}.weight"],
            P[f"{pre}.bn{n}.bias"],
        )

    h = relu(cb("stem", 1, x, 1, 1))
    for pre, ci, co, st in C.res_blocks():
        s = h if st == 1 and ci == co else cb(pre, 3, h, st, 0)
        h = relu(cb(pre, 2, relu(cb(pre, 1, h, st, 1)), 1, 1) + s)
    return softmax_ce(linear(P, "fc", h.mean((2, 3))), y)


def f_transformer(P, x, y):
    c = C.TR
    T, h, dh = c["T"], c["h"], c["dh"]
    ang = torch.arange(T)[:, None] * c["theta"] ** (-torch.arange(0, dh, 2) / dh)[None]
    cos, sin = torch.cos(ang), torch.sin(ang)
    mask = torch.full((T, T), -math.inf).triu(1)

    def norm(x, g):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + c["eps"]) * g

    def rope(t):  # [B, h, T, dh]; pairs (i, i + dh/2)
        a, b = t[..., : dh // 2], t[..., dh // 2 :]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    e = P["emb.weight"]
    z = e[x]
    B = z.shape[0]
    for l in range(c["L"]):
        n = norm(z, P[f"b{l}.n1.weight"])
        q, k, v = (
            (n @ P[f"b{l}.{w}.weight"].T).reshape(B, T, h, dh).transpose(1, 2)
            for w in ("wq", "wk", "wv")
        )
        s = rope(q) @ rope(k).transpose(-1, -2) / math.sqrt(dh) + mask
        a = (torch.softmax(s, -1) @ v).transpose(1, 2).reshape(B, T, h * dh)
        z = z + a @ P[f"b{l}.wo.weight"].T
        n = norm(z, P[f"b{l}.n2.weight"])
        g = n @ P[f"b{l}.w1.weight"].T
        z = z + (g * torch.sigmoid(g) * (n @ P[f"b{l}.w3.weight"].T)) @ P[f"b{l}.w2.weight"].T
    return softmax_ce(norm(z, P["nf.weight"]) @ e.T, y)


def f_lstm(P, x, y):
    B, T, _ = x.shape
    H = C.LSTM["H"]
    h = torch.zeros(B, H)
    c = torch.zeros(B, H)
    for t in range(T):
        i, f, g, o = (x[:, t] @ P["w_ih"].T + P["b_ih"] + h @ P["w_hh"].T + P["b_hh"]).split(H, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return softmax_ce(linear(P, "fc", h), y)


def f_chain(P):
    a, b, c = P["a"], P["b"], P["c"]
    sig = torch.sigmoid
    t = torch.tanh(a * b + c)
    u = torch.exp(-t) * a + 0.5
    v = sig(u) * t + b
    v = 0.5 * v * (1 + torch.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))
    w = v - 0.1 * c
    s = torch.log1p(torch.exp(-w.abs())) + w.clamp_min(0)
    p = torch.tanh(s * v)
    q = torch.sqrt(p * p + 1.0) * a
    r = (sig(q) - t) * 0.7
    m = (torch.exp(-(r * r)) + u) * c
    return torch.tanh(m * sig(m)).mean()


def f_pinn(P, x):
    def net2(x):  # value, first and second derivative with respect to t
        u, d, dd = x, torch.ones_like(x), torch.zeros_like(x)
        for k in ("fc1", "fc2", "fc3"):
            w = P[k + ".weight"].T
            u, d, dd = u @ w + P[k + ".bias"], d @ w, dd @ w
            if k != "fc3":
                u = torch.tanh(u)
                s = 1 - u * u
                d, dd = s * d, s * dd - 2 * u * s * d * d
        return u, d, dd

    u, d, dd = net2(x)
    u0, d0, _ = net2(torch.zeros(1, 1))
    return ((dd + 0.5 * d + 4.0 * u) ** 2).mean() + ((u0 - 1.0) ** 2).sum() + (d0**2).sum()


def f_newton(P, x, y):
    p = x @ P["w"] + P["b"]
    e, M = 0.9 * torch.sigmoid(p[:, 0]), p[:, 1]
    E, n = M, 0
    while n < C.NEWTON["max_iter"]:
        dE = C.NEWTON["omega"] * (E - e * torch.sin(E) - M) / (1 - e * torch.cos(E))
        E, n = E - dE, n + 1
        if float(dE.abs().max()) < C.NEWTON["tol"]:
            break
    f_newton.iters.append(n)
    return ((torch.sin(E) - y) ** 2).mean()


f_newton.iters = []
F = dict(
    mlp_small=f_mlp,
    mlp_large=f_mlp,
    lenet=f_lenet,
    simplenet_seed=f_simplenet,
    simplenet_224=f_simplenet,
    resnet_block_net=f_resnet,
    transformer_block=f_transformer,
    lstm=f_lstm,
    elementwise_chain=f_chain,
    ode_pinn=f_pinn,
    newton_while=f_newton,
)


def update(P, G, S, t, s):
    for k, w in P.items():
        g = G[k]
        if s["opt"] == "sgd":
            w -= s["lr"] * g
        elif s["opt"] == "momentum":
            v = S.setdefault(k, torch.zeros_like(w))
            v.mul_(s["mu"]).add_(g)
            w -= s["lr"] * v
        else:
            m, v = S.setdefault(k, (torch.zeros_like(w), torch.zeros_like(w)))
            if s["opt"] == "adamw":
                w *= 1 - s["lr"] * s["wd"]
            m.mul_(s["b1"]).add_((1 - s["b1"]) * g)
            v.mul_(s["b2"]).add_((1 - s["b2"]) * g * g)
            mh, vh = m / (1 - s["b1"] ** t), v / (1 - s["b2"] ** t)
            w -= s["lr"] * mh / (torch.sqrt(vh) + s["eps"])


def load(name):
    P, D = C.make(name)
    P = {k: torch.tensor(v, dtype=torch.float64) for k, v in P.items()}
    D = [
        [
            torch.tensor(v[i], dtype=torch.float64 if v.dtype == np.float32 else torch.int64)
            for v in D.values()
        ]
        for i in range(C.SPEC[name]["nb"])
    ]
    return P, D


def run(name):
    s = C.SPEC[name]
    P, D = load(name)
    S, losses = {}, []
    for i in range(s["n"]):
        Q = {k: v.requires_grad_() for k, v in P.items()}
        loss = F[name](Q, *D[i % s["nb"]])
        G = dict(zip(Q, torch.autograd.grad(loss, list(Q.values()))))
        P = {k: v.detach() for k, v in Q.items()}
        update(P, G, S, i + 1, s)
        losses.append(float(loss))
    return losses


def gradient_check(name):
    P, D = load(name)
    Q = {k: v.requires_grad_() for k, v in P.items()}
    G = torch.autograd.grad(F[name](Q, *D[0]), list(Q.values()))
    g = torch.Generator().manual_seed(0)
    worst = 0.0
    for k, gr in zip(Q, G):
        d = torch.randn(gr.shape, generator=g)
        h = 1e-7  # at 1e-6 enough ReLUs change sign to spoil the difference
        with torch.no_grad():
            at = [F[name]({**P, k: P[k] + s * d * h}, *D[0]) for s in (1, -1)]
        num, ana = float((at[0] - at[1]) / (2 * h)), float((gr * d).sum())
        worst = max(worst, abs(num - ana) / (abs(num) + abs(ana) + 1e-6))
    return worst


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workload", default=",".join(C.WORKLOADS + C.EXTRA_WORKLOADS))
    ap.add_argument("--check", action="store_true")
    a = ap.parse_args()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json")
    try:
        with open(path) as fh:
            res = json.load(fh)
    except FileNotFoundError:
        res = {}
    for w in a.workload.split(","):
        if a.check:
            print(w, "worst relative gradient error", gradient_check(w), flush=True)
            continue
        res[w] = run(w)
        it = (
            f" iterations {min(f_newton.iters)}..{max(f_newton.iters)}"
            if w == "newton_while"
            else ""
        )
        print(w, "first", res[w][0], "last", res[w][-1], it, flush=True)
    if not a.check:
        with open(path, "w") as fh:
            json.dump(res, fh)
