"""PyTorch eager: nn.Module, loss.backward(), torch.optim.

Variants are words joined by '_': the optimiser implementation (fused, foreach, forloop), 'cl' for
channels_last (convolutions), 'loop' for a Python loop over time instead of nn.LSTM, 'jvp' for
forward-mode derivatives of the network in ode_pinn."""

import _torch_models as M
import common as C


def variants(w):
    out = ["fused", "foreach", "forloop"]
    if w in M.CONV:
        out += ["fused_cl", "foreach_cl"]
    if w == "lstm":
        out += ["fused_loop"]
    if w == "ode_pinn":
        out += ["fused_jvp"]
    return out


BEST = {"*": "fused", "lenet": "fused_cl", "resnet_block_net": "fused_cl"}

if __name__ == "__main__":
    args = C.parse_args("torch_eager", variants("lenet"), "best")
    import torch

    torch.set_num_threads(args.threads)

    def build(name, variant):
        class R(M.Base):
            def step(self, *batch):
                loss = self.model(*batch)
                self.opt.zero_grad(set_to_none=True)
                loss.backward()
                self.opt.step()
                return loss.detach()

        return R(name, set(variant.split("_")))

    C.main("torch_eager", variants, BEST, build, M.versions(), args)
