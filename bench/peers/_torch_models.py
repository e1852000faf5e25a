"""PyTorch models of the workloads, written as a PyTorch user would write them."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as C  # noqa: E402


def build_all():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class MLP(nn.Module):
        def __init__(self, s):
            super().__init__()
            self.fc1, self.fc2, self.fc3 = (nn.Linear(s[i], s[i + 1]) for i in range(3))

        def forward(self, x, y):
            return F.cross_entropy(self.fc3(F.relu(self.fc2(F.relu(self.fc1(x))))), y)

    class LeNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5, bias=False)
            self.conv2 = nn.Conv2d(6, 16, 5, bias=False)
            self.fc1, self.fc2, self.fc3 = (
                nn.Linear(400, 120),
                nn.Linear(120, 84),
                nn.Linear(84, 10),
            )

        def forward(self, x, y):
            x = F.max_pool2d(F.relu(self.conv1(x)), 2)
            x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
            return F.cross_entropy(self.fc3(F.relu(self.fc2(F.relu(self.fc1(x))))), y)

    class SimpleNet(nn.Module):
        def __init__(self, hw):
            super().__init__()
            self.conv = nn.Conv2d(3, 64, 3, padding=1, bias=False)
            self.bn = nn.BatchNorm2d(64)
            self.fc = nn.Linear(64 * hw * hw, 10)

        def forward(self, x, y):
            return F.cross_entropy(self.fc(F.relu(self.bn(self.conv(x))).flatten(1)), y)

    class Block(nn.Module):
        def __init__(self, ci, co, st):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(ci, co, 3, st, 1, bias=False), nn.BatchNorm2d(co)
            self.conv2, self.bn2 = nn.Conv2d(co, co, 3, 1, 1, bias=False), nn.BatchNorm2d(co)
            self.down = st != 1 or ci != co
            if self.down:
                self.conv3, self.bn3 = nn.Conv2d(ci, co, 1, st, bias=False), nn.BatchNorm2d(co)

        def forward(self, x):
            s = self.bn3(self.conv3(x)) if self.down else x
            return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + s)

    class Stem(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(3, 32, 3, 1, 1, bias=False), nn.BatchNorm2d(32)

        def forward(self, x):
            return F.relu(self.bn1(self.conv1(x)))

    class ResNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = Stem()
            self.names = []
            for pre, ci, co, st in C.res_blocks():
                setattr(self, pre, Block(ci, co, st))
                self.names.append(pre)
            self.fc = nn.Linear(128, 10)

        def forward(self, x, y):
            x = self.stem(x)
            for k in self.names:
                x = getattr(self, k)(x)
            return F.cross_entropy(self.fc(x.mean((2, 3))), y)

    c = C.TR

    class RMSNorm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(c["d"]))

        def forward(self, x):
            return F.rms_norm(x, (c["d"],), self.weight, c["eps"])

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            d, f = c["d"], c["f"]
            self.n1, self.n2 = RMSNorm(), RMSNorm()
            self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d, bias=False) for _ in range(4))
            self.w1, self.w3 = nn.Linear(d, f, bias=False), nn.Linear(d, f, bias=False)
            self.w2 = nn.Linear(f, d, bias=False)

        def forward(self, z, cos, sin):
            B, T, d = z.shape
            h, dh = c["h"], c["dh"]

            def heads(t):
                return t.view(B, T, h, dh).transpose(1, 2)

            def rope(t):
                a, b = t.chunk(2, -1)
                return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

            n = self.n1(z)
            q, k, v = heads(self.wq(n)), heads(self.wk(n)), heads(self.wv(n))
            a = F.scaled_dot_product_attention(rope(q), rope(k), v, is_causal=True)
            z = z + self.wo(a.transpose(1, 2).reshape(B, T, d))
            n = self.n2(z)
            return z + self.w2(F.silu(self.w1(n)) * self.w3(n))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(c["V"], c["d"])
            for l in range(c["L"]):
                setattr(self, f"b{l}", Decoder())
            self.nf = RMSNorm()
            ang = (
                torch.arange(c["T"])[:, None]
                * c["theta"] ** (-torch.arange(0, c["dh"], 2) / c["dh"])[None]
            )
            self.register_buffer("cos", torch.cos(ang))
            self.register_buffer("sin", torch.sin(ang))

        def forward(self, x, y):
            z = self.emb(x)
            for l in range(c["L"]):
                z = getattr(self, f"b{l}")(z, self.cos, self.sin)
            logits = F.linear(self.nf(z), self.emb.weight)
            return F.cross_entropy(logits.view(-1, c["V"]), y.reshape(-1))

    class LSTMNet(nn.Module):
        """loop=False: nn.LSTM; loop=True: Python loop over time (input product hoisted)."""

        def __init__(self, loop):
            super().__init__()
            I, H = C.LSTM["I"], C.LSTM["H"]
            self.loop = loop
            self.rnn = nn.LSTM(I, H, batch_first=True)
            self.fc = nn.Linear(H, 10)

        def forward(self, x, y):
            r = self.rnn
            if not self.loop:
                h = r(x)[1][0][0]
            else:
                B, T, _ = x.shape
                H = C.LSTM["H"]
                h = x.new_zeros(B, H)
                cc = x.new_zeros(B, H)
                xi = F.linear(x, r.weight_ih_l0, r.bias_ih_l0 + r.bias_hh_l0)
                for t in range(T):
                    i, f, g, o = (xi[:, t] + F.linear(h, r.weight_hh_l0)).chunk(4, 1)
                    cc = torch.sigmoid(f) * cc + torch.sigmoid(i) * torch.tanh(g)
                    h = torch.sigmoid(o) * torch.tanh(cc)
            return F.cross_entropy(self.fc(h), y)

    class Chain(nn.Module):
        def __init__(self):
            super().__init__()
            for k in "abc":
                setattr(self, k, nn.Parameter(torch.empty(C.CHAIN_N)))

        def forward(self):
            a, b, cc = self.a, self.b, self.c
            t = torch.tanh(a * b + cc)
            u = torch.exp(-t) * a + 0.5
            v = torch.sigmoid(u) * t + b
            v = F.gelu(v, approximate="tanh")
            w = v - 0.1 * cc
            s = F.softplus(w)
            p = torch.tanh(s * v)
            q = torch.sqrt(p * p + 1.0) * a
            r = (torch.sigmoid(q) - t) * 0.7
            m = (torch.exp(-(r * r)) + u) * cc
            return torch.tanh(F.silu(m)).mean()

    class PINN(nn.Module):
        """mode 'grad': autograd.grad twice with create_graph; 'jvp': torch.func.jvp of jvp;
        'func': torch.func.grad of torch.func.grad (what torch.compile can trace)."""

        def __init__(self, mode):
            super().__init__()
            self.fc1, self.fc2, self.fc3 = nn.Linear(1, 32), nn.Linear(32, 32), nn.Linear(32, 1)
            self.mode = mode

        def net(self, t):
            return self.fc3(torch.tanh(self.fc2(torch.tanh(self.fc1(t)))))

        def derivs(self, t, second=True):
            if self.mode == "grad":
                t = t.detach().requires_grad_()
                u = self.net(t)
                (d,) = torch.autograd.grad(u.sum(), t, create_graph=True)
                dd = torch.autograd.grad(d.sum(), t, create_graph=True)[0] if second else None
                return u, d, dd
            if self.mode == "func":

                def d1(s):
                    return torch.func.grad(lambda r: self.net(r).sum())(s)

                dd = torch.func.grad(lambda r: d1(r).sum())(t) if second else None
                return self.net(t), d1(t), dd
            one = torch.ones_like(t)

            def first(s):
                return torch.func.jvp(self.net, (s,), (one,))

            if not second:
                return first(t) + (None,)
            (u, d), (_, dd) = torch.func.jvp(first, (t,), (one,))
            return u, d, dd

        def forward(self, x):
            u, d, dd = self.derivs(x)
            u0, d0, _ = self.derivs(x.new_zeros(1, 1), second=False)
            res = dd + 0.5 * d + 4.0 * u
            return (res * res).mean() + ((u0 - 1.0) ** 2).sum() + (d0**2).sum()

    class Newton(nn.Module):
        """mode 'python': a Python while with a host test; 'hop': the while_loop operator."""

        def __init__(self, mode):
            super().__init__()
            self.w = nn.Parameter(torch.empty(C.NEWTON["F"], 2))
            self.b = nn.Parameter(torch.empty(2))
            self.mode = mode

        def forward(self, x, y):
            p = x @ self.w + self.b
            e, M = 0.9 * torch.sigmoid(p[:, 0]).contiguous(), p[:, 1].contiguous()
            om, tol, top = C.NEWTON["omega"], C.NEWTON["tol"], C.NEWTON["max_iter"]

            def step(E, e, M):
                return om * (E - e * torch.sin(E) - M) / (1 - e * torch.cos(E))

            if self.mode == "python":
                E, n = M, 0
                while n < top:
                    dE = step(E, e, M)
                    E, n = E - dE, n + 1
                    if dE.detach().abs().max().item() < tol:
                        break
            else:
                from torch._higher_order_ops.while_loop import while_loop

                n0 = torch.zeros((), dtype=torch.int64)
                E = M * 1.0
                big = torch.ones_like(M)

                def cond(n, E, dE, e, M):
                    return (n < top) & (dE.abs().max() >= tol)

                def body(n, E, dE, e, M):
                    dE = step(E, e, M)
                    return n + 1, E - dE, dE, e.clone(), M.clone()

                E = while_loop(cond, body, (n0, E, big, e, M))[1]
            return ((torch.sin(E) - y) ** 2).mean()

    return dict(
        MLP=MLP,
        LeNet=LeNet,
        SimpleNet=SimpleNet,
        ResNet=ResNet,
        Transformer=Transformer,
        LSTMNet=LSTMNet,
        Chain=Chain,
        PINN=PINN,
        Newton=Newton,
    )


RENAME = {
    "lstm": {
        "w_ih": "rnn.weight_ih_l0",
        "w_hh": "rnn.weight_hh_l0",
        "b_ih": "rnn.bias_ih_l0",
        "b_hh": "rnn.bias_hh_l0",
    }
}
CONV = ("lenet", "simplenet_seed", "simplenet_224", "resnet_block_net")


def model(name, opts):
    """opts: set of words out of the variant name, e.g. {'loop', 'jvp', 'hop'}."""
    K = build_all()
    if name.startswith("mlp"):
        return K["MLP"](C.mlp_sizes(name))
    if name.startswith("simplenet"):
        return K["SimpleNet"](64 if name == "simplenet_seed" else 224)
    return {
        "lenet": lambda: K["LeNet"](),
        "resnet_block_net": lambda: K["ResNet"](),
        "transformer_block": lambda: K["Transformer"](),
        "lstm": lambda: K["LSTMNet"]("loop" in opts),
        "elementwise_chain": lambda: K["Chain"](),
        "ode_pinn": lambda: K["PINN"](next((m for m in ("jvp", "func") if m in opts), "grad")),
        "newton_while": lambda: K["Newton"]("hop" if "hop" in opts else "python"),
    }[name]()


class Base:
    """Model, data, optimiser and reset; the step itself is in the two scripts."""

    def __init__(self, name, opts):
        import torch

        self.torch, self.name, self.spec = torch, name, C.SPEC[name]
        P, D = C.make(name)
        self.cl = "cl" in opts and name in CONV
        self.model = model(name, opts)
        if self.cl:
            self.model = self.model.to(memory_format=torch.channels_last)
        self.model.train()
        ren = RENAME.get(name, {})
        self.init = {ren.get(k, k): torch.from_numpy(v) for k, v in P.items()}
        self.params = dict(self.model.named_parameters())
        assert set(self.params) == set(self.init), set(self.params) ^ set(self.init)
        self.buffers0 = {k: v.clone() for k, v in self.model.named_buffers()}
        self.batches = []
        for i in range(self.spec["nb"]):
            b = []
            for v in D.values():
                t = torch.from_numpy(v[i])
                t = t.long() if not t.is_floating_point() else t
                b.append(
                    t.contiguous(memory_format=torch.channels_last)
                    if self.cl and t.dim() == 4
                    else t
                )
            self.batches.append(b)
        kind = {
            "foreach": dict(foreach=True),
            "forloop": dict(foreach=False),
            "fused": dict(fused=True),
        }
        kw = next((kind[o] for o in kind if o in opts), dict(fused=True))
        s, ps = self.spec, list(self.model.parameters())
        if s["opt"] in ("sgd", "momentum"):
            self.opt = torch.optim.SGD(ps, lr=s["lr"], momentum=s.get("mu", 0.0), **kw)
        else:
            cls = torch.optim.AdamW if s["opt"] == "adamw" else torch.optim.Adam
            extra = {"weight_decay": s["wd"]} if s["opt"] == "adamw" else {}
            self.opt = cls(ps, lr=s["lr"], betas=(s["b1"], s["b2"]), eps=s["eps"], **extra, **kw)
        self.i = 0
        self.reset()

    def reset(self):
        torch = self.torch
        with torch.no_grad():
            for k, p in self.params.items():
                p.copy_(self.init[k])
                p.grad = None
            for k, v in self.model.named_buffers():
                v.copy_(self.buffers0[k])
            for st in self.opt.state.values():
                for v in st.values():
                    if torch.is_tensor(v):
                        v.zero_()
        self.i = 0

    def run(self, n):
        losses = []
        for _ in range(n):
            losses.append(self.step(*self.batches[self.i % len(self.batches)]))
            self.i += 1
        return [float(x) for x in losses]


def versions():
    import platform

    import torch

    return dict(
        python=platform.python_version(),
        torch=torch.__version__,
        cpu=torch.backends.cpu.get_cpu_capability(),
    )
