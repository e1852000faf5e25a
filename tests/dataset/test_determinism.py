"""Does a seed decide all rows, whatever the workers, and does a saved place go on as it would?"""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import s2sad as ms
import s2sad.dataset as ds
from s2sad.dataset import transforms, vision


@pytest.fixture(autouse=True)
def many_processors(monkeypatch):
    monkeypatch.setattr(ds.config, "processors", lambda: 8)


IMAGES = np.random.default_rng(0).integers(0, 256, (90, 12, 10, 3)).astype(np.uint8)


def jitter(x):
    return x + ds.generator().integers(1000)


def augmented(workers: int, are_processes: bool = False):
    operations = [
        vision.RandomCrop((8, 8), padding=2), vision.RandomHorizontalFlip(),
        transforms.RandomApply([vision.Invert()], 0.3), vision.Rescale(1 / 255, 0.0),
        vision.Normalize([0.5] * 3, [0.25] * 3), vision.HWC2CHW(), jitter,
    ]  # fmt: skip
    data = ds.NumpySlicesDataset({"image": IMAGES, "label": np.arange(90)})
    data = data.map(
        operations, "image", num_parallel_workers=workers, python_multiprocessing=are_processes
    )
    return data.shuffle(16).batch(8)


def rows_of(data, epochs: int = 2):
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[column.tobytes() for column in row] for _ in range(epochs) for row in iterator]


@pytest.mark.parametrize("set_seed", [ms.set_seed, ds.config.set_seed])
def test_a_seed_decides_the_rows_whatever_the_workers(set_seed):
    set_seed(7)
    first = rows_of(augmented(1))
    for workers, are_processes in [(1, True), (2, False), (5, False), (3, True)]:
        assert rows_of(augmented(workers, are_processes)) == first
    ds.config.set_debug_mode(True)
    try:
        assert rows_of(augmented(3)) == first
    finally:
        ds.config.set_debug_mode(False)
    set_seed(8)
    assert rows_of(augmented(2)) != first


def test_epochs_of_an_endless_repetition_differ():
    ds.config.set_seed(1)
    rows = rows_of(ds.NumpySlicesDataset(np.arange(30)).repeat().take(60), 2)
    parts = [rows[start : start + 30] for start in range(0, 120, 30)]
    assert len({str(part) for part in parts}) == 4 and len({str(sorted(x)) for x in parts}) == 1


def test_columns_that_are_left_out_change_no_order():
    ds.config.set_seed(1)
    data = ds.NumpySlicesDataset({"a": np.arange(30), "b": np.arange(30)}).map(jitter, "a")
    both = [[row[0].item() for row in data.create_tuple_iterator(columns)]
            for columns in (None, ["a"])]  # fmt: skip
    renamed = [row["c"].item() for row in data.rename("a", "c").create_dict_iterator()]
    assert both[0] == both[1] == renamed


def test_epochs_differ_and_iterators_agree():
    ds.config.set_seed(3)
    data = ds.NumpySlicesDataset(list(range(20)))
    one, other = rows_of(data, 3), rows_of(data, 3)
    assert one == other
    epochs = [one[start : start + 20] for start in (0, 20, 40)]
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]
    assert all(sorted(epoch) == sorted(epochs[0]) for epoch in epochs)


def test_batches_computed_at_once_have_the_bits_of_rows_computed_one_by_one():
    ds.config.set_seed(1)
    operations = [
        vision.Resize((7, 9)), vision.CenterCrop(6), vision.Rescale(1 / 255, -0.1),
        vision.Normalize([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]), vision.HWC2CHW(),
        transforms.TypeCast(np.float16),
    ]  # fmt: skip
    apart = [lambda x, each=each: each(x) for each in operations]
    data = ds.NumpySlicesDataset(IMAGES, "image")
    both = [
        rows_of(data.map(each, num_parallel_workers=2).batch(7)) for each in (operations, apart)
    ]
    assert both[0] == both[1] and len(both[0]) == 26
    composed = data.map(transforms.Compose(operations)).batch(7)
    assert rows_of(composed) == both[0]


def test_processes_seed_numpy_and_random_for_each_row():
    def draws(x):
        return np.array([x, np.random.rand(), random.random()])

    def run(workers):
        ds.config.set_seed(5)
        data = ds.NumpySlicesDataset(list(range(40)))
        return rows_of(data.map(draws, num_parallel_workers=workers, python_multiprocessing=True))

    first = run(1)
    assert first == run(3) and len(set(map(tuple, first))) == 80


def test_debug_mode_leaves_numpy_random_to_the_caller():
    ds.config.set_debug_mode(True)
    try:
        data = ds.NumpySlicesDataset([1, 2], shuffle=False)
        data = data.map(lambda x: np.random.rand(), python_multiprocessing=True)
        np.random.seed(4)
        got = [float(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
    finally:
        ds.config.set_debug_mode(False)
    assert got == np.random.RandomState(4).rand(2).tolist()


def test_without_a_seed_orders_differ(monkeypatch):
    monkeypatch.setattr(ds.config, "chosen_seed", lambda: None)
    data = ds.NumpySlicesDataset(list(range(100)))
    assert rows_of(data) != rows_of(data)


def test_the_later_seed_holds():
    ms.set_seed(11)
    assert ds.config.get_seed() == 11
    ds.config.set_seed(12)
    assert ds.config.get_seed() == 12
    ms.set_seed(13)
    assert ds.config.get_seed() == 13


# ---- places --------------------------------------------------------------------------------

PIPELINES = {
    "augmented": lambda: augmented(2),
    "processes": lambda: augmented(2, True),
    "repeat": lambda: ds.NumpySlicesDataset(np.arange(17)).repeat(3).batch(4),
    "endless": lambda: ds.NumpySlicesDataset(np.arange(17)).repeat().take(60).batch(4),
    "remainder": lambda: ds.NumpySlicesDataset(np.arange(17)).batch(4, True).repeat(2),
    "filter": lambda: ds.NumpySlicesDataset(np.arange(60)).filter(lambda x: bool(x % 3)).batch(4),
    "repeated filter": lambda: ds.NumpySlicesDataset(np.arange(60)).map(jitter)
    .filter(lambda x: bool(x % 3)).repeat(3).batch(4),
    "concat": lambda: (ds.NumpySlicesDataset(np.arange(9)) + ds.NumpySlicesDataset(np.arange(9))
                       + ds.NumpySlicesDataset(np.arange(20)).map(jitter)).batch(4),
    "zip": lambda: ds.NumpySlicesDataset(np.arange(33), "a").map(jitter)
    .zip(ds.NumpySlicesDataset(np.arange(40), "b")).skip(2).batch(4),
    "generator": lambda: ds.GeneratorDataset(lambda: iter(range(50)), "x", shuffle=True).batch(4),
    "varying": lambda: ds.NumpySlicesDataset(np.arange(50)).map(jitter)
    .batch(lambda info: info.get_batch_num() % 3 + 1),
    "flat": lambda: ds.NumpySlicesDataset(np.arange(12))
    .flat_map(lambda x: ds.NumpySlicesDataset(np.arange(x)).map(jitter)).batch(5),
    "per batch": lambda: ds.NumpySlicesDataset(np.arange(50)).batch(
        4, per_batch_map=lambda column, info: (np.stack(column) * 10 + info.get_batch_num(),)),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("taken", [0, 1, 9, 11, 13, 17, 30])
def test_a_saved_place_goes_on_as_it_would_have(name, taken):
    ds.config.set_seed(taken)
    iterator = PIPELINES[name]().create_tuple_iterator(output_numpy=True)
    following = endless(iterator)
    for _ in range(taken):
        next(following)
    state = json.loads(json.dumps(iterator.state_dict()))
    ds.config.set_seed(99)  # the state has its own
    other = PIPELINES[name]().create_tuple_iterator(output_numpy=True)
    other.load_state_dict(state)
    assert other.state_dict() == state
    restored = endless(other)
    for _ in range(20):
        assert next(restored) == next(following)
    iterator.close(), other.close()


def endless(iterator):
    while True:
        for row in iterator:
            yield [column.tobytes() for column in row]


def test_a_place_is_reached_without_computing_what_comes_before():
    calls = []
    data = ds.NumpySlicesDataset(np.arange(1000)).map(lambda x: calls.append(1) or x).batch(10)
    iterator = iter(data)
    for _ in range(90):
        next(iterator)
    state = iterator.state_dict()
    iterator.close()
    calls.clear()
    other = iter(data)
    other.load_state_dict(state)
    assert len(list(other)) == 10 and len(calls) == 100


def test_what_is_no_place():
    iterator = iter(ds.NumpySlicesDataset([1]))
    for wrong in (None, {}, {"epoch": 0}):
        with pytest.raises(TypeError, match="E0303"):
            iterator.load_state_dict(wrong)
    iterator.close()
    with pytest.raises(RuntimeError, match="E0706"):
        iterator.load_state_dict({"epoch": 0, "position": 0, "seed": 1, "is_repeatable": True})
