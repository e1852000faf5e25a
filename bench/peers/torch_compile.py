"""torch.compile (inductor).

Variants are words joined by '_':
  module: the compiled model with its loss, backward through AOTAutograd; the optimiser is
          'fused' (PyTorch's fused CPU kernel) or 'copt' (compiled optimiser step);
  whole:  one compiled function for gradient and update (torch.func.grad_and_value and in-place
          updates), the closest PyTorch has to a whole-step compiler; nets without BatchNorm;
  cpp:    inductor's C++ wrapper; cl: channels_last; loop, func, hop: as in torch_eager and
          _torch_models."""

import os
import tempfile

import _torch_models as M
import common as C

if not os.environ.get("TORCHINDUCTOR_CACHE_DIR"):  # a cold compile unless the caller keeps a cache
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(prefix="inductor_")


def variants(w):
    out = ["module_fused", "module_copt"]
    if w in ("simplenet_seed", "resnet_block_net", "simplenet_224"):
        return out + ["module_fused_cl"]
    out += ["whole", "whole_cpp"]
    if w == "lenet":
        out += ["module_fused_cl"]
    if w == "lstm":
        out = ["module_fused", "module_fused_loop", "whole_loop"]
    if w == "ode_pinn":
        out = ["whole_func", "whole_cpp_func"]
    if w == "newton_while":
        out = ["module_fused", "module_fused_hop"]
    return out


BEST = {
    "*": "module_fused",
    "mlp_small": "whole",
    "lenet": "whole",
    "ode_pinn": "whole_func",
    "simplenet_seed": "module_fused_cl",
    "simplenet_224": "module_fused_cl",
    "resnet_block_net": "module_fused_cl",
    "newton_while": "module_fused_hop",
}

if __name__ == "__main__":
    args = C.parse_args("torch_compile", variants("lenet"), "best")
    import torch

    torch.set_num_threads(args.threads)

    class Module(M.Base):
        def __init__(self, name, opts):
            super().__init__(name, opts)
            torch._dynamo.reset()
            o = {"cpp_wrapper": True} if "cpp" in opts else None
            # nn.LSTM and a Python while on a tensor break the graph
            full = (name != "lstm" or "loop" in opts) and (name != "newton_while" or "hop" in opts)
            self.fwd = torch.compile(self.model, options=o, dynamic=False, fullgraph=full)
            self.opt_step = (
                torch.compile(self.opt.step, options=o) if "copt" in opts else self.opt.step
            )

        def step(self, *batch):
            loss = self.fwd(*batch)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt_step()
            return loss.detach()

    class Whole(M.Base):
        """state is updated in place inside the one compiled graph."""

        def __init__(self, name, opts):
            super().__init__(name, opts)
            torch._dynamo.reset()
            s, model = self.spec, self.model
            self.P = {k: v.detach().clone() for k, v in self.params.items()}
            adam = s["opt"].startswith("adam")
            self.S = [
                {k: torch.zeros_like(v) for k, v in self.P.items()}
                for _ in range(2 if adam else 1 if s["opt"] == "momentum" else 0)
            ]
            self.t = torch.zeros(())
            bufs = dict(model.named_buffers())

            def loss_of(P, batch):
                return torch.func.functional_call(model, (P, bufs), batch)

            def step(P, S, t, *batch):
                g, loss = torch.func.grad_and_value(loss_of)(P, batch)
                if adam:
                    t += 1.0
                    c1, c2 = 1 - s["b1"] ** t, 1 - s["b2"] ** t
                for k, w in P.items():
                    if s["opt"] == "sgd":
                        w -= s["lr"] * g[k]
                    elif s["opt"] == "momentum":
                        S[0][k].mul_(s["mu"]).add_(g[k])
                        w -= s["lr"] * S[0][k]
                    else:
                        m, v = S[0][k], S[1][k]
                        if s["opt"] == "adamw":
                            w *= 1 - s["lr"] * s["wd"]
                        m.mul_(s["b1"]).add_(g[k], alpha=1 - s["b1"])
                        v.mul_(s["b2"]).addcmul_(g[k], g[k], value=1 - s["b2"])
                        w -= (s["lr"] / c1) * m / (torch.sqrt(v / c2) + s["eps"])
                return loss

            o = {"cpp_wrapper": True} if "cpp" in opts else None
            self.f = torch.compile(step, options=o, dynamic=False, fullgraph=True)

        def step(self, *batch):
            with torch.no_grad():
                return self.f(self.P, self.S, self.t, *batch)

        def reset(self):
            super().reset()
            if hasattr(self, "P"):
                for k, v in self.P.items():
                    v.copy_(self.init[k])
                for d in self.S:
                    for v in d.values():
                        v.zero_()
                self.t.zero_()

    def build(name, variant):
        opts = set(variant.split("_"))
        return (Whole if "whole" in opts else Module)(name, opts)

    C.main("torch_compile", variants, BEST, build, M.versions(), args)
