"""MindSpore networks of the workloads: construct(x, y) returns the loss."""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as C  # noqa: E402
import numpy as np  # noqa: E402


def setup(threads):
    os.environ.setdefault("GLOG_v", "3")
    import mindspore as ms

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_device("CPU")
    return ms


def classes():
    import mindspore as ms
    from mindspore import Parameter, Tensor, nn, ops

    ce = nn.SoftmaxCrossEntropyWithLogits

    def dense(i, o, bias=True):
        return nn.Dense(i, o, has_bias=bias)

    class MLP(nn.Cell):
        def __init__(self, s):
            super().__init__()
            self.fc1, self.fc2, self.fc3 = (dense(s[i], s[i + 1]) for i in range(3))
            self.relu, self.loss = nn.ReLU(), ce(sparse=True, reduction="mean")

        def construct(self, x, y):
            return self.loss(self.fc3(self.relu(self.fc2(self.relu(self.fc1(x))))), y)

    class LeNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.fc1, self.fc2, self.fc3 = dense(400, 120), dense(120, 84), dense(84, 10)
            self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
            self.loss = ce(sparse=True, reduction="mean")

        def construct(self, x, y):
            x = self.pool(self.relu(self.conv1(x)))
            x = self.flatten(self.pool(self.relu(self.conv2(x))))
            return self.loss(self.fc3(self.relu(self.fc2(self.relu(self.fc1(x))))), y)

    class SimpleNet(nn.Cell):
        def __init__(self, hw):
            super().__init__()
            self.conv = nn.Conv2d(3, 64, 3)
            self.bn, self.relu, self.flatten = nn.BatchNorm2d(64), nn.ReLU(), nn.Flatten()
            self.fc = dense(64 * hw * hw, 10)
            self.loss = ce(sparse=True, reduction="mean")

        def construct(self, x, y):
            return self.loss(self.fc(self.flatten(self.relu(self.bn(self.conv(x))))), y)

    def conv(ci, co, k, st):
        return nn.Conv2d(ci, co, k, st, pad_mode="pad", padding=k // 2)

    class Block(nn.Cell):
        def __init__(self, ci, co, st):
            super().__init__()
            self.conv1, self.bn1 = conv(ci, co, 3, st), nn.BatchNorm2d(co)
            self.conv2, self.bn2 = conv(co, co, 3, 1), nn.BatchNorm2d(co)
            self.down = st != 1 or ci != co
            if self.down:
                self.conv3, self.bn3 = conv(ci, co, 1, st), nn.BatchNorm2d(co)
            self.relu = nn.ReLU()

        def construct(self, x):
            s = x
            if self.down:
                s = self.bn3(self.conv3(x))
            return self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))) + s)

    class Stem(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1, self.relu = conv(3, 32, 3, 1), nn.BatchNorm2d(32), nn.ReLU()

        def construct(self, x):
            return self.relu(self.bn1(self.conv1(x)))

    class ResNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.stem = Stem()
            (self.s0b0, self.s0b1, self.s1b0, self.s1b1, self.s2b0, self.s2b1) = (
                Block(ci, co, st) for _, ci, co, st in C.res_blocks()
            )
            self.fc = dense(128, 10)
            self.loss = ce(sparse=True, reduction="mean")

        def construct(self, x, y):
            x = self.s1b1(self.s1b0(self.s0b1(self.s0b0(self.stem(x)))))
            x = self.s2b1(self.s2b0(x))
            return self.loss(self.fc(x.mean((2, 3))), y)

    c = C.TR
    T, h, dh, d, f, V = c["T"], c["h"], c["dh"], c["d"], c["f"], c["V"]

    class RMSNorm(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor(np.ones(d, np.float32)), name="weight")
            self.eps = c["eps"]

        def construct(self, x):
            return x * ops.rsqrt((x * x).mean(-1, keep_dims=True) + self.eps) * self.weight

    class Decoder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n1, self.n2 = RMSNorm(), RMSNorm()
            self.wq, self.wk, self.wv, self.wo = (dense(d, d, False) for _ in range(4))
            self.w1, self.w3, self.w2 = dense(d, f, False), dense(d, f, False), dense(f, d, False)
            ang = np.arange(T)[:, None] * c["theta"] ** (-np.arange(0, dh, 2) / dh)[None]
            self.cos, self.sin = (
                Tensor(np.cos(ang).astype(np.float32)),
                Tensor(np.sin(ang).astype(np.float32)),
            )
            self.mask = Tensor(np.triu(np.full((T, T), -1e30, np.float32), 1))
            self.bmm_nt, self.bmm = ops.BatchMatMul(transpose_b=True), ops.BatchMatMul()
            self.scale = 1.0 / math.sqrt(dh)

        def heads(self, t):
            return t.reshape(-1, T, h, dh).transpose(0, 2, 1, 3)

        def rope(self, t):
            a, b = t[..., : dh // 2], t[..., dh // 2 :]
            return ops.concat((a * self.cos - b * self.sin, b * self.cos + a * self.sin), -1)

        def construct(self, z):
            n = self.n1(z)
            q, k, v = self.heads(self.wq(n)), self.heads(self.wk(n)), self.heads(self.wv(n))
            s = self.bmm_nt(self.rope(q), self.rope(k)) * self.scale + self.mask
            a = self.bmm(ops.softmax(s, -1), v).transpose(0, 2, 1, 3).reshape(-1, T, d)
            z = z + self.wo(a)
            n = self.n2(z)
            g = self.w1(n)
            return z + self.w2(g * ops.sigmoid(g) * self.w3(n))

    class Transformer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.emb = Parameter(Tensor(np.zeros((V, d), np.float32)), name="emb.weight")
            self.b0, self.b1, self.nf = Decoder(), Decoder(), RMSNorm()
            self.mm = ops.MatMul(transpose_b=True)
            self.loss = ce(sparse=True, reduction="mean")

        def construct(self, x, y):
            z = self.b1(self.b0(ops.gather(self.emb, x, 0)))
            logits = self.mm(self.nf(z).reshape(-1, d), self.emb)
            return self.loss(logits, y.reshape(-1))

    class LSTMNet(nn.Cell):
        """op: nn.LSTM; loop: Python loop over time, unrolled into the graph."""

        def __init__(self, loop):
            super().__init__()
            I, H = C.LSTM["I"], C.LSTM["H"]
            self.loop = loop
            if loop:
                for k, sh in (
                    ("w_ih", (4 * H, I)),
                    ("w_hh", (4 * H, H)),
                    ("b_ih", (4 * H,)),
                    ("b_hh", (4 * H,)),
                ):
                    setattr(self, k, Parameter(Tensor(np.zeros(sh, np.float32)), name=k))
                self.mm = ops.MatMul(transpose_b=True)
            else:
                self.rnn = nn.LSTM(I, H, batch_first=True)
            self.h0 = Tensor(np.zeros((1, C.LSTM["B"], H), np.float32))
            self.fc, self.loss = dense(H, 10), ce(sparse=True, reduction="mean")

        def construct(self, x, y):
            H, T = C.LSTM["H"], C.LSTM["T"]
            if self.loop:
                hh, cc = self.h0[0], self.h0[0]
                xi = self.mm(x.reshape(-1, C.LSTM["I"]), self.w_ih) + (self.b_ih + self.b_hh)
                xi = xi.reshape(-1, T, 4 * H)
                for t in range(T):
                    g = xi[:, t] + self.mm(hh, self.w_hh)
                    i, fg, gg, o = g[:, :H], g[:, H : 2 * H], g[:, 2 * H : 3 * H], g[:, 3 * H :]
                    cc = ops.sigmoid(fg) * cc + ops.sigmoid(i) * ops.tanh(gg)
                    hh = ops.sigmoid(o) * ops.tanh(cc)
            else:
                _, (hn, _) = self.rnn(x, (self.h0, self.h0))
                hh = hn[0]
            return self.loss(self.fc(hh), y)

    class Chain(nn.Cell):
        def __init__(self):
            super().__init__()
            for k in "abc":
                setattr(self, k, Parameter(Tensor(np.zeros(C.CHAIN_N, np.float32)), name=k))

        def construct(self):
            a, b, cc = self.a, self.b, self.c
            t = ops.tanh(a * b + cc)
            u = ops.exp(-t) * a + 0.5
            v = ops.sigmoid(u) * t + b
            v = ops.gelu(v, approximate="tanh")
            w = v - 0.1 * cc
            s = ops.softplus(w)
            p = ops.tanh(s * v)
            q = ops.sqrt(p * p + 1.0) * a
            r = (ops.sigmoid(q) - t) * 0.7
            m = (ops.exp(-(r * r)) + u) * cc
            return ops.tanh(m * ops.sigmoid(m)).mean()

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2, self.fc3 = dense(1, 32), dense(32, 32), dense(32, 1)

        def construct(self, t):
            return self.fc3(ops.tanh(self.fc2(ops.tanh(self.fc1(t)))))

    class PINN(nn.Cell):
        """Second derivative by GradOperation of GradOperation (reverse over reverse)."""

        def __init__(self):
            super().__init__()
            self.net = Net()
            self.net_sum = NetSum(self.net)
            self.d1 = D(self.net_sum)
            self.d2 = D(DSum(self.d1))

        def construct(self, x):
            u, d1, d2 = self.net(x), self.d1(x), self.d2(x)
            zero = x[:1] * 0.0  # a constant tensor has an empty gradient here
            u0, d0 = self.net(zero), self.d1(zero)
            res = d2 + 0.5 * d1 + 4.0 * u
            return (res * res).mean() + ((u0 - 1.0) ** 2).sum() + (d0**2).sum()

    class NetSum(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def construct(self, t):
            return self.net(t).sum()

    class D(nn.Cell):
        def __init__(self, fn):
            super().__init__()
            self.fn, self.grad = fn, ops.GradOperation()

        def construct(self, t):
            return self.grad(self.fn)(t)

    class DSum(nn.Cell):
        def __init__(self, dn):
            super().__init__()
            self.dn = dn

        def construct(self, t):
            return self.dn(t).sum()

    om, tol, top = C.NEWTON["omega"], C.NEWTON["tol"], C.NEWTON["max_iter"]

    class Newton(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(np.zeros((C.NEWTON["F"], 2), np.float32)), name="w")
            self.b = Parameter(Tensor(np.zeros(2, np.float32)), name="b")
            self.one = Tensor(1.0, ms.float32)
            self.n0 = Tensor(0, ms.int32)

        def construct(self, x, y):
            p = ops.matmul(x, self.w) + self.b
            e, M = 0.9 * ops.sigmoid(p[:, 0]), p[:, 1]
            E, n, worst = M, self.n0, self.one
            while n < top and worst >= tol:
                dE = om * (E - e * ops.sin(E) - M) / (1 - e * ops.cos(E))
                E = E - dE
                n = n + 1
                worst = ops.stop_gradient(ops.abs(dE).max())
            return ((ops.sin(E) - y) ** 2).mean()

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


def rename(k):
    """Our parameter name -> the name MindSpore's cells give."""
    import re

    k = re.sub(r"(bn\d?)\.weight$", r"\1.gamma", k)
    k = re.sub(r"(bn\d?)\.bias$", r"\1.beta", k)
    return k


LSTM_NAMES = {
    "w_ih": "rnn.weight_ih_l0",
    "w_hh": "rnn.weight_hh_l0",
    "b_ih": "rnn.bias_ih_l0",
    "b_hh": "rnn.bias_hh_l0",
}


def network(name, opts):
    K = classes()
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
        "ode_pinn": lambda: K["PINN"](),
        "newton_while": lambda: K["Newton"](),
    }[name]()


def optimizer(name, params):
    from mindspore import nn

    s = C.SPEC[name]
    if s["opt"] == "sgd":
        return nn.SGD(params, s["lr"])
    if s["opt"] == "momentum":
        return nn.Momentum(params, s["lr"], s["mu"])
    if s["opt"] == "adam":
        return nn.Adam(params, s["lr"], s["b1"], s["b2"], s["eps"])
    # nn.AdamWeightDecay has no bias correction, so the AdamW of the definition is this one
    from mindspore.experimental import optim

    return optim.AdamW(
        params, lr=s["lr"], betas=(s["b1"], s["b2"]), eps=s["eps"], weight_decay=s["wd"]
    )


class Base:
    def __init__(self, name, opts):
        import mindspore as ms

        self.ms, self.name, self.spec = ms, name, C.SPEC[name]
        P, self.D = C.make(name)
        if "O1" in opts:
            ms.set_context(jit_config={"jit_level": "O1"})
        self.net = network(name, opts)
        self.net.set_train()
        own = {p.name: p for p in self.net.trainable_params()}
        for k, v in P.items():
            k = rename(k)
            if name == "lstm" and "loop" not in opts:
                k = LSTM_NAMES.get(k, k)
            if name == "ode_pinn":
                k = next(q for q in own if q.endswith(k))
            own.pop(k).set_data(ms.Tensor(v))
        assert not own, list(own)
        self.opt = optimizer(name, self.net.trainable_params())
        self.batches = [[ms.Tensor(v[i]) for v in self.D.values()] for i in range(self.spec["nb"])]
        self.i = 0
        self.setup()
        ps = {id(p): p for c in (self.net, self.opt) for p in c.get_parameters()}
        ps.update(
            {
                id(p): p
                for p in getattr(self.opt, "state_step", None) and [self.opt.state_step] or []
            }
        )
        self.all = [(p, p.asnumpy().copy()) for p in ps.values()]

    def reset(self):
        for p, v in self.all:
            p.set_data(self.ms.Tensor(v))
        self.i = 0


def versions():
    import platform

    import mindspore as ms

    return dict(python=platform.python_version(), mindspore=ms.__version__)
