"""Samples from a generator, shuffled, changed by several workers, and put together in batches."""

import os
import warnings

import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import transforms, vision


def samples():
    for number in range(60):
        yield np.full((4, 4, 3), number, np.uint8), np.int32(number % 10)


ds.config.set_seed(1)
dataset = ds.GeneratorDataset(samples, ["image", "label"], shuffle=True)
operations = [vision.Rescale(1.0 / 255.0, 0.0), vision.HWC2CHW()]
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    dataset = dataset.map(operations, input_columns=["image"], num_parallel_workers=4)
print("warned:", [str(each.message).split(",")[0] for each in seen] if seen else None)
print("as many processors:", (os.cpu_count() or 1) >= 4)
dataset = dataset.map(transforms.OneHot(10), input_columns=["label"])
dataset = dataset.batch(16, drop_remainder=True)
print("batches:", dataset.get_dataset_size(), "columns:", dataset.get_col_names())

epochs = dataset.create_dict_iterator(num_epochs=2)
orders = []
for _ in range(2):
    order = []
    for batch in epochs:
        order += np.rint(batch["image"].asnumpy()[:, 0, 0, 0] * 255).astype(int).tolist()
        last = batch
    orders.append(order)
print("shapes:", last["image"].shape, last["label"].shape, last["image"].dtype)
print("all are different:", [len(set(order)) for order in orders])
print("in order:", [order == sorted(order) for order in orders], "again:", orders[0] == orders[1])
