"""One network, compiled or run as Python runs it: which mode holds, and that both agree."""

import mindspore as ms
import numpy as np
from mindspore import context, nn, ops

print("by default:", ms.get_context("mode") == context.GRAPH_MODE)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 3, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        if x.sum() > 0:
            x = x * 2
        return ops.tanh(self.dense(x))


x = ms.Tensor(np.linspace(-0.2, 0.3, 8).reshape(2, 4).astype(np.float32))
results = {}
for mode in (context.GRAPH_MODE, context.PYNATIVE_MODE):
    context.set_context(mode=mode, device_target="CPU")
    net = Net()
    gradient = ms.grad(net)(x)
    results[mode] = np.append(net(x).asnumpy(), gradient.asnumpy())
first, second = results.values()
print("equal:", bool(np.allclose(first, second, atol=1e-6)))

context.set_context(mode=context.GRAPH_MODE, enable_graph_kernel=True)
print("with kernels fused:", bool(np.allclose(Net()(x).asnumpy(), first[:6].reshape(2, 3))))
