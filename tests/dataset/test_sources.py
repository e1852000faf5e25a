"""Which rows do sources and samplers give?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError


def values(data) -> list:
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    found = [[column.tolist() for column in row] for row in rows]
    return [row[0] if len(row) == 1 else row for row in found]


class Squares:
    def __len__(self):
        return 5

    def __getitem__(self, index):
        return index, np.float32(index**2)


class Iterable:
    def __iter__(self):
        return iter([(1, 2.0), (3, 4.0)])


def yielding():
    yield from [(1, 2.0), (3, 4.0)]


@pytest.mark.parametrize("source", [yielding, Iterable(), [(1, 2.0), (3, 4.0)]])
def test_sources(source):
    data = ds.GeneratorDataset(source, ["a", "b"], shuffle=False)
    iterator = data.create_tuple_iterator(output_numpy=True)
    for _ in range(2):  # each epoch begins anew
        assert [[x.item() for x in row] for row in iterator] == [[1, 2.0], [3, 4.0]]
    iterator.close()
    assert data.get_dataset_size() == 2
    assert data.output_types() == [np.int64, np.float64]


def test_random_access():
    data = ds.GeneratorDataset(Squares(), ["a", "b"], shuffle=False)
    assert values(data) == [[0, 0.0], [1, 1.0], [2, 4.0], [3, 9.0], [4, 16.0]]
    assert data.output_types() == [np.int64, np.float32]
    assert values(ds.GeneratorDataset(Squares(), ["a", "b"], shuffle=False, num_samples=2)) == [
        [0, 0.0], [1, 1.0],
    ]  # fmt: skip
    shuffled = [a for a, _ in values(ds.GeneratorDataset(Squares(), ["a", "b"]).repeat(20))]
    assert sorted(shuffled) == sorted(list(range(5)) * 20) and shuffled != list(range(5)) * 20


def test_values_of_python():
    data = ds.GeneratorDataset([(1, 2.0, True, "a", [1, 2], ms.Tensor([1.0]))], list("abcdef"))
    kinds = [np.int64, np.float64, np.bool_, np.dtype("<U1"), np.int64, np.float32]
    assert data.output_types() == kinds


def test_a_generator_is_shuffled_in_its_buffer_only_when_that_is_asked_for():
    def source():
        yield from range(100)

    assert values(ds.GeneratorDataset(source, "x")) == list(range(100))
    order = values(ds.GeneratorDataset(source, "x", shuffle=True))
    assert sorted(order) == list(range(100)) != order
    assert values(ds.GeneratorDataset(source, "x", num_samples=3)) == [0, 1, 2]


def test_an_iterator_has_one_epoch():
    data = ds.GeneratorDataset(iter([1, 2]), "x")
    for look in (data.get_dataset_size, data.batch(2).output_shapes):
        with pytest.raises(S2sadError, match="E0404.*use them up"):
            look()
    iterator = data.create_tuple_iterator()
    assert len(list(iterator)) == 2
    with pytest.raises(RuntimeError, match="E0706.*was read already"):
        next(iterator)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"source": Squares()}, "E0302"),
        ({"source": Squares(), "column_names": ["a", "a"]}, "E0404"),
        ({"source": Squares(), "column_names": "a", "schema": "file"}, "E0712"),
        ({"source": Squares(), "column_names": "a", "batch_sampler": [[1]]}, "E0712"),
        ({"source": 3, "column_names": "a"}, "E0304"),
        ({"source": yielding, "column_names": "a", "num_shards": 2, "shard_id": 0}, "E0302"),
        ({"source": yielding, "column_names": "a", "sampler": [1]}, "E0302"),
        ({"source": Squares(), "column_names": "a", "sampler": [1], "shuffle": True}, "E0302"),
        ({"source": Squares(), "column_names": "a", "num_shards": 2}, "E0302"),
        ({"source": Squares(), "column_names": "a", "num_shards": 2, "shard_id": 2}, "E0404"),
        ({"source": Squares(), "column_names": "a", "column_types": [1, 2]}, "E0301"),
        ({"source": Squares(), "column_names": "a", "column_types": [ms.int8] * 2}, "E0302"),
        ({"source": Squares(), "column_names": "a", "num_samples": -1}, "E0404"),
        ({"source": Squares(), "column_names": "a", "shuffle": "yes"}, "E0303"),
        ({"source": yielding, "column_names": "a", "shuffle": 2}, "E0303"),
        ({"source": Squares(), "column_names": "a", "num_parallel_workers": 1.5}, "E0303"),
    ],
)
def test_arguments_that_are_refused(arguments, code):
    with pytest.raises(S2sadError) as caught:
        ds.GeneratorDataset(**arguments)
    assert caught.value.code == code, caught.value


def test_rows_that_are_not_as_announced():
    with pytest.raises(TypeError, match="E0302.*row of 2 columns") as caught:
        values(ds.GeneratorDataset(Squares(), "a", shuffle=False))
    assert "row 0 of the source" in str(caught.value)
    data = ds.GeneratorDataset(Squares(), ["a", "b"], [ms.int64, ms.float32])
    assert len(values(data)) == 5
    with pytest.raises(TypeError, match="E0301.*'b' is float64"):
        values(ds.GeneratorDataset(Squares(), ["a", "b"], [ms.int64, np.float64]))
    with pytest.raises(TypeError, match="E0304"):
        values(ds.GeneratorDataset([{"a": 1}], "a"))


def test_slices():
    data = ds.NumpySlicesDataset(np.arange(4).reshape(2, 2), shuffle=False)
    assert data.get_col_names() == ["column_0"] and values(data) == [[0, 1], [2, 3]]
    data = ds.NumpySlicesDataset(([1, 2], [[3.0], [4.0]]), ["a", "b"], shuffle=False)
    assert values(data) == [[1, [3.0]], [2, [4.0]]]
    data = ds.NumpySlicesDataset({"x": [1, 2], "t": ["a", "bc"]}, shuffle=False)
    assert values(data) == [[1, "a"], [2, "bc"]]
    for wrong, code in [(([1], [1, 2]), "E0401"), (5, "E0401"), ({1: [2]}, "E0303")]:
        with pytest.raises(S2sadError, match=code):
            ds.NumpySlicesDataset(wrong)
    with pytest.raises(S2sadError, match="E0302"):
        ds.NumpySlicesDataset([1, 2], ["a", "b"])


def test_padded_dataset():
    data = ds.PaddedDataset([{"x": np.ones(1), "y": 1}, {"x": np.zeros(1), "y": 2}])
    assert values(data) == [[[1.0], 1], [[0.0], 2]]


# ---- samplers ------------------------------------------------------------------------------


def sampled(sampler, count: int = 10):
    return values(ds.NumpySlicesDataset(np.arange(count), sampler=sampler))


def test_samplers_in_order():
    assert sampled(ds.SequentialSampler()) == list(range(10))
    assert sampled(ds.SequentialSampler(7)) == [7, 8, 9]
    assert sampled(ds.SequentialSampler(3, 2)) == [3, 4]
    assert sampled(ds.SubsetSampler([5, 1, 1], 2)) == [5, 1]
    assert sampled([4, 2]) == sampled(ds.IterSampler([4, 2])) == [4, 2]
    assert sampled(range(8, 2, -3)) == [8, 5]


def test_random_samplers():
    assert sorted(sampled(ds.RandomSampler())) == list(range(10))
    assert len(set(sampled(ds.RandomSampler(num_samples=4)))) == 4
    drawn = sampled(ds.RandomSampler(replacement=True, num_samples=2000))
    assert len(drawn) == 2000
    assert np.bincount(drawn, minlength=10).min() > 130  # 200 each on average, deviation 13
    assert sorted(sampled(ds.SubsetRandomSampler([3, 8, 5]))) == [3, 5, 8]
    weighted = sampled(ds.WeightedRandomSampler([0, 3, 1], 4000))
    assert abs(weighted.count(1) - 3000) < 140 and 0 not in weighted  # five deviations
    assert sorted(sampled(ds.WeightedRandomSampler([1, 0, 1], 2, replacement=False))) == [0, 2]


@pytest.mark.parametrize(("count", "shards"), [(10, 3), (9, 3), (2, 3), (0, 2)])
def test_shards_wrap_round(count, shards):
    data = [
        ds.NumpySlicesDataset(np.arange(count), shuffle=False, num_shards=shards, shard_id=shard)
        for shard in range(shards)
    ]
    each = -(-count // shards)
    for shard, part in enumerate(data):
        expected = [(shard + shards * i) % count for i in range(each)]
        assert values(part) == expected and part.get_dataset_size() == each


def test_shuffled_shards_have_one_order_in_common(monkeypatch):
    monkeypatch.setattr(ds.config, "chosen_seed", lambda: None)
    parts = [
        values(ds.NumpySlicesDataset(np.arange(12), num_shards=3, shard_id=shard).repeat(2))
        for shard in range(3)
    ]
    for epoch in (0, 1):
        rows = [row for part in parts for row in part[4 * epoch : 4 * epoch + 4]]
        assert sorted(rows) == list(range(12)) != rows
    assert parts[0][:4] != parts[0][4:]


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_an_offset_gives_each_row_once(offset):
    parts = [sampled(ds.DistributedSampler(3, shard, False, None, offset)) for shard in range(3)]
    assert sorted(sum(parts, [])) == list(range(10))
    assert 0 in parts[offset]


def test_samplers_of_the_user():
    class Sampler(ds.Sampler):
        def __iter__(self):
            return iter(range(0, self.dataset_size, 3))

    assert sampled(Sampler()) == [0, 3, 6, 9] and sampled(Sampler(2)) == [0, 3]
    data = ds.NumpySlicesDataset(np.arange(10), sampler=Sampler())
    assert data.get_dataset_size() == 4
    with pytest.raises(S2sadError, match="E0304.*no __iter__"):
        sampled(ds.Sampler())


def test_samplers_above_samplers():
    sampler = ds.SequentialSampler(1, 2)
    sampler.add_child(ds.SubsetSampler([9, 7, 5, 3]))
    assert sampled(sampler) == [7, 5]
    assert sampler.get_num_samples() == 2 and isinstance(sampler.get_child(), ds.SubsetSampler)
    with pytest.raises(S2sadError, match="E0404"):
        sampler.add_child(ds.SequentialSampler())
    data = ds.NumpySlicesDataset(np.arange(10), shuffle=False)
    assert values(data.use_sampler(ds.SubsetSampler([2, 3]))) == [2, 3]
    data = ds.NumpySlicesDataset(np.arange(10), sampler=ds.SequentialSampler(1))
    added = data.add_sampler(ds.SubsetSampler([2, 3, 4]))
    assert values(added) == [3, 4] and added.get_dataset_size() == 2


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: sampled([10]), "E0501"),
        (lambda: sampled(ds.SubsetSampler([10])), "E0501"),
        (lambda: sampled([-1]), "E0404"),
        (lambda: sampled(iter([1])), "E0304"),
        (lambda: sampled(3), "E0304"),
        (lambda: ds.SequentialSampler(-1), "E0404"),
        (lambda: ds.RandomSampler("yes"), "E0303"),
        (lambda: ds.DistributedSampler(2, 2), "E0404"),
        (lambda: ds.WeightedRandomSampler([0, 0]), "E0404"),
        (lambda: sampled(ds.WeightedRandomSampler([1, 0], 2, False)), "E0404"),
        (lambda: ds.PKSampler(0), "E0404"),
        (lambda: sampled(ds.PKSampler(1)), "E0404"),
    ],
)
def test_samplers_that_are_refused(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code, caught.value
