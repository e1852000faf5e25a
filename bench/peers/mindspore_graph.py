"""MindSpore graph mode on CPU, one step a call: nn.TrainOneStepCell compiled in GRAPH_MODE.

Variants: 'cell' TrainOneStepCell; 'jit' an @ms.jit function around value_and_grad and the
optimiser; '_O1' asks for jit_level O1 (graph kernels); '_loop' unrolls the LSTM."""

import _ms_models as M
import common as C


def variants(w):
    return ["cell", "cell_O1", "jit"] + (["cell_loop"] if w == "lstm" else [])


BEST = {"*": "cell"}

if __name__ == "__main__":
    args = C.parse_args("mindspore_graph", variants("lstm"), "best")
    ms = M.setup(args.threads)
    from mindspore import nn

    class R(M.Base):
        def setup(self):
            if "jit" in self.opts:  # ignores set_data once compiled, so repeats go on training
                net, opt = self.net, self.opt
                gf = ms.value_and_grad(net, None, opt.parameters)

                @ms.jit
                def step(*batch):
                    loss, g = gf(*batch)
                    opt(g)
                    return loss

                self.step = step
            else:
                self.step = nn.TrainOneStepCell(self.net, self.opt)
                self.step.set_train()

        def run(self, n):
            losses = []
            for _ in range(n):
                losses.append(self.step(*self.batches[self.i % len(self.batches)]))
                self.i += 1
            return [float(x.asnumpy()) for x in losses]

    def build(name, variant):
        R.opts = set(variant.split("_"))
        return R(name, R.opts)

    C.main("mindspore_graph", variants, BEST, build, M.versions(), args)
