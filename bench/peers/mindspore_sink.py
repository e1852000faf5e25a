"""MindSpore's 'sink' on CPU.

What the CPU target of MindSpore 2.10 does with it:
  'data_sink'   ms.data_sink(...) raises ValueError: "Data sinking supports ascend or gpu device
                target, but device target is CPU." (reported as the error of this variant);
  'model_train' Model.train(..., dataset_sink_mode=True) runs without sink: it logs at INFO level
                "The CPU cannot support dataset sink mode currently. So the training process will
                be performed with dataset not sink." and calls the step once a batch;
  'while'       what a user can still write: the loop over the steps inside one @ms.jit graph
                (a while with a tensor condition around value_and_grad and the optimiser), the
                batches stacked in memory; see the class for a catch.
"""

import _ms_models as M
import common as C


def variants(w):
    return ["data_sink", "model_train", "while"]


BEST = {"*": "while"}

if __name__ == "__main__":
    args = C.parse_args("mindspore_sink", variants(""), "best")
    ms = M.setup(args.threads)
    import numpy as np
    from mindspore import Tensor, nn, ops

    class Loop(nn.Cell):
        def __init__(self, net, opt, n, nb):
            super().__init__()
            self.net, self.opt, self.n, self.nb = net, opt, n, nb
            self.gf = ms.value_and_grad(net, None, opt.parameters)
            self.index = Tensor(np.arange(n).astype(np.int32))
            self.i0, self.l0 = Tensor(0, ms.int32), Tensor(np.zeros(n, np.float32))

        @ms.jit
        def construct(self, *stacked):
            i, losses = self.i0, self.l0
            while i < self.n:
                if len(stacked) == 2:
                    loss, g = self.gf(stacked[0][i % self.nb], stacked[1][i % self.nb])
                elif len(stacked) == 1:
                    loss, g = self.gf(stacked[0][i % self.nb])
                else:
                    loss, g = self.gf()
                self.opt(g)
                losses = losses + loss * ops.cast(self.index == i, ms.float32)
                i = i + 1
            return losses

    class While(M.Base):
        """The first run starts from the given weights.  Later ones go on from where it ended: in
        MindSpore 2.10 on CPU a compiled @ms.jit training function ignores values that set_data or
        ops.assign put into its parameters from outside."""

        sink = True
        notes = {"no_reset": "a compiled @ms.jit function ignores set_data: repeats go on training"}

        def reset(self):
            self.i = 0

        def setup(self):
            self.stacked = [Tensor(v) for v in self.D.values()]
            self.loop = Loop(self.net, self.opt, self.spec["n"], self.spec["nb"])
            self.loop.set_train()

        def run(self, n):
            return [float(x) for x in self.loop(*self.stacked).asnumpy()]

    class ModelTrain(M.Base):
        sink = True

        def setup(self):
            from mindspore import dataset as ds
            from mindspore.train import Callback, Model

            if not self.D:
                raise NotImplementedError("no dataset: the network has no input")
            n, nb = self.spec["n"], self.spec["nb"]

            def rows():
                for i in range(n):
                    yield tuple(v[i % nb] for v in self.D.values())

            self.data = ds.GeneratorDataset(
                rows, list(self.D), shuffle=False, python_multiprocessing=False
            )
            outer = self
            self.losses = []

            class Take(Callback):
                def step_end(self, ctx):
                    outer.losses.append(ctx.original_args().net_outputs)

            self.cb = Take()
            self.model = Model(nn.TrainOneStepCell(self.net, self.opt))

        def run(self, n):
            self.losses.clear()
            self.model.train(1, self.data, callbacks=[self.cb], dataset_sink_mode=True)
            return [float(x.asnumpy()) for x in self.losses]

    class DataSink(M.Base):
        sink = True

        def setup(self):
            from mindspore import dataset as ds

            n, nb = self.spec["n"], self.spec["nb"]
            cols = list(self.D)

            def rows():
                for i in range(n):
                    yield tuple(v[i % nb] for v in self.D.values())

            data = ds.GeneratorDataset(rows, cols, shuffle=False)
            self.step = ms.data_sink(nn.TrainOneStepCell(self.net, self.opt), data, sink_size=n)

        def run(self, n):
            return [self.step()]

    kinds = {"data_sink": DataSink, "model_train": ModelTrain, "while": While}
    C.main(
        "mindspore_sink",
        variants,
        BEST,
        lambda n, v: kinds[v](n, set(v.split("_"))),
        M.versions(),
        args,
    )
