"""A course's whole chapter: a data set, a Model that is fitted, checkpoints, and a prediction."""

import argparse
import os
import tempfile

import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import Tensor, context, load_checkpoint, load_param_into_net, nn, set_seed
from mindspore import dtype as mstype
from mindspore.common.initializer import Normal
from mindspore.train import Model
from mindspore.train.callback import Callback, CheckpointConfig, LossMonitor, ModelCheckpoint

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="GRAPH")
context.set_context(
    mode=context.GRAPH_MODE if parser.parse_args().mode == "GRAPH" else context.PYNATIVE_MODE
)
set_seed(20)
ds.config.set_seed(20)


class Pictures:
    """Which corner of a picture is bright?"""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 4, count)
        self.images = rng.integers(0, 100, (count, 8, 8, 1)).astype(np.uint8)
        for image, label in zip(self.images, self.labels):
            image[4 * (label // 2) :, 4 * (label % 2) :][:4, :4] += 120

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def create_dataset(count, seed, batch_size=16):
    data = ds.GeneratorDataset(Pictures(count, seed), ["image", "label"], shuffle=False)
    data = data.map([vision.Rescale(1.0 / 255.0, 0.0), vision.HWC2CHW()], input_columns="image")
    data = data.map(transforms.TypeCast(mstype.int32), "label")
    return data.batch(batch_size, drop_remainder=True)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, weight_init=Normal(0.1))
        self.pool = nn.MaxPool2d(2, 2)
        self.relu, self.flatten = nn.ReLU(), nn.Flatten()
        self.fc = nn.Dense(4 * 4 * 4, 4)

    def construct(self, x):
        return self.fc(self.flatten(self.pool(self.relu(self.conv(x)))))


class Losses(Callback):
    def step_end(self, run_context):
        parameters = run_context.original_args()
        if parameters.cur_step_num % 4 == 1:
            print(f"loss: {float(parameters.net_outputs):.6f}")


net = Net()
start = np.random.default_rng(30)
for parameter in net.trainable_params():
    values = start.normal(scale=0.2, size=parameter.shape)
    parameter.set_data(Tensor(values, mstype.float32))
model = Model(
    net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    nn.Adam(net.trainable_params(), 0.02), metrics={"accuracy": nn.Accuracy()},
)  # fmt: skip
with tempfile.TemporaryDirectory() as folder:
    config = CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=2)
    keep = ModelCheckpoint(prefix="net", directory=folder, config=config)
    model.train(6, create_dataset(64, 0), callbacks=[Losses(), LossMonitor(8), keep])
    files = sorted(name for name in os.listdir(folder) if name.endswith(".ckpt"))
    print("files:", files)
    other = Net()
    missing, _ = load_param_into_net(other, load_checkpoint(os.path.join(folder, files[-1])))
    print("missing:", missing)

accuracy = model.eval(create_dataset(64, 1), dataset_sink_mode=False)["accuracy"]
print(f"accuracy: {100 * accuracy:.2f}")
image = Tensor(np.ones((1, 1, 8, 8)), mstype.float32)
same = (model.predict(image).asnumpy() == Model(other).predict(image).asnumpy()).all()
print("same:", same)
