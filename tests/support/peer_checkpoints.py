"""Do MindSpore and s2sad read what the other has written? Run by hand, once with each of them.

::

    python tests/support/peer_checkpoints.py write mindspore tests/checkpoints/of_mindspore
    python tests/support/peer_checkpoints.py write s2sad SOME_FOLDER
    python tests/support/peer_checkpoints.py read mindspore SOME_FOLDER

The first command made the files that ``tests/checkpoints/test_peers.py`` reads; the README beside
them has the output of the last. One program is written for both, so names and values are meant to
be the same: elements of tensor number ``i`` count up from ``i``, and a network gets them in place
of what it draws.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

#: Types of elements, with numbers that show a wrong one: rounded, cut off or of the wrong sign.
VALUES = {
    "bool_": [True, False, True],
    "int8": [-128, 0, 127],
    "int16": [-(2**15), -1, 2**15 - 1],
    "int32": [-(2**31), -1, 2**31 - 1],
    "int64": [-(2**63), 2**53 + 1, 2**63 - 1],
    "uint8": [0, 128, 255],
    "float16": [-0.0, 6e-8, 65504.0],
    "float32": [-0.0, 1e-45, np.inf],
    "float64": [-0.0, 5e-324, 0.1],
    "bfloat16": [-0.0, 3.0e38, 1.5],
}


def counting(shape, number):
    """Elements that count up from `number`."""
    return (np.arange(np.prod(shape, dtype=int)) + number).reshape(shape)


def of_dtypes(ms):
    """A tensor of each type, one without axes and an empty one, as a list of dicts."""
    found = {name: ms.Tensor(np.array(x), getattr(ms, name)) for name, x in VALUES.items()}
    found["scalar"] = ms.Tensor(np.float32(2.5))
    found["strided"] = ms.Tensor(np.ascontiguousarray(counting((4, 3), 1.0).T))
    return [{"name": name, "data": tensor} for name, tensor in found.items()]


def filled(ms, cell):
    """`cell` with other elements in each Parameter, which are counted by their names."""
    for number, parameter in enumerate(sorted(cell.get_parameters(), key=lambda x: x.name)):
        value = counting(parameter.shape, number)
        parameter.set_data(ms.Tensor(value, parameter.dtype))
    return cell


def network(ms):
    """Layers, with moving statistics and weights of half the width."""
    nn = ms.nn
    net = nn.SequentialCell(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(32, 3), nn.LayerNorm((3,))
    )
    return filled(ms, net)


def step(ms, optimizer, **settings):
    """A step of training with the state of its optimizer."""
    net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.Dense(2, 1))
    made = getattr(ms.nn, optimizer)(net.trainable_params(), learning_rate=0.1, **settings)
    return filled(ms, ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), made))


def appended():
    return {
        "epoch_num": 3,
        "large": 2**40,
        "rate": 0.1,
        "is_best": True,
        "of": "hé\U0001f600",
        "no": "",
    }


def cases(ms):
    """Name of each file, what is saved in it, and what is appended; texts fit only a .ckpt."""
    return {
        "dtypes": (of_dtypes(ms), None),
        "network": (network(ms), None),
        "adam": (step(ms, "Adam"), None),
        "momentum": (step(ms, "Momentum", momentum=0.9), None),
        "appended": (network(ms), appended()),
        "numbered": ([{"name": "w", "data": ms.Tensor([1.0])}], {"epoch_num": 3, "step_num": 400}),
    }


def numbers_of(ms, tensor):
    """The elements of a Tensor, those of bfloat16 as float32, which loses nothing."""
    return (tensor.astype(ms.float32) if tensor.dtype == ms.bfloat16 else tensor).asnumpy()


def expected(ms):
    """Each case as a dict of what is to be loaded: a text, or a name of a type and an array."""
    for name, (saved, more) in cases(ms).items():
        if isinstance(saved, list):
            found = {item["name"]: item["data"] for item in saved}
        else:
            found = {parameter.name: parameter for parameter in saved.get_parameters()}
        for key, value in (more or {}).items():
            found[key] = value if isinstance(value, str) else ms.Tensor(value)
        yield name, {key: described(ms, value) for key, value in found.items()}


def described(ms, value):
    if isinstance(value, str):
        return value
    array = numbers_of(ms, value)
    return str(value.dtype), array.shape, array.tobytes()


def files(name):
    """Format of each file of the case `name`, and whether it has a CRC."""
    for format in ("ckpt", "safetensors"):
        yield format, False, f"{name}.{format}"
        # In this form MindSpore computes no CRC of bfloat16, nor of an integer as large as that.
        if format == "ckpt" or name not in ("dtypes", "appended"):
            yield format, True, f"{name}_crc.{format}"


def without_texts(found):
    return {key: value for key, value in found.items() if not isinstance(value, str)}


def write(ms, folder):
    for name, (saved, more) in cases(ms).items():
        for format, crc, file in files(name):
            fitting = without_texts(more) if more and format == "safetensors" else more
            ms.save_checkpoint(
                saved, str(folder / file), append_dict=fitting, crc_check=crc, format=format
            )


def differences(ms, folder):
    """Of each file that `write` writes: name, number of values, and names of those that differ."""
    for name, whole in expected(ms):
        for format, crc, file in files(name):
            wanted = without_texts(whole) if format == "safetensors" else whole
            found = ms.load_checkpoint(str(folder / file), format=format, crc_check=crc)
            got = {key: described(ms, value) for key, value in found.items()}
            wrong = sorted(key for key in wanted.keys() | got if wanted.get(key) != got.get(key))
            yield file, len(got), wrong


def main(task, library, folder):
    ms = importlib.import_module(library)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    if task == "write":
        write(ms, Path(folder))
        return
    for name, count, wrong in differences(ms, Path(folder)):
        print(f"{name:28} {count:3} values, {'all equal' if not wrong else wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
