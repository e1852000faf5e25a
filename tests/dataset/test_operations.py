"""Does each operation of a data set give the rows that MindSpore's does?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError
from s2sad.dataset.plans.order import _shuffled


def numbers(count: int, name: str = "x"):
    return ds.NumpySlicesDataset(np.arange(count), name, shuffle=False)


def values(data) -> list:
    """The columns of all rows as lists; the value itself of an only column."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    found = [[column.tolist() for column in row] for row in rows]
    return [row[0] if len(row) == 1 else row for row in found]


def abc():
    return ds.NumpySlicesDataset({"a": [1, 2], "b": [3, 4], "c": [5, 6]}, shuffle=False)


@pytest.mark.parametrize(
    ("function", "inputs", "outputs", "names", "first"),
    [
        (lambda a: a + 10, None, None, ["a", "b", "c"], [11, 3, 5]),
        (lambda b: b + 10, "b", None, ["a", "b", "c"], [1, 13, 5]),
        (lambda b: b + 10, ["b"], ["p"], ["a", "p", "c"], [1, 13, 5]),
        (lambda b: (b, b * 2), "b", ["p", "q"], ["p", "q", "a", "c"], [3, 6, 1, 5]),
        (lambda a, c: a + c, ["a", "c"], "p", ["p", "b"], [6, 3]),
        (lambda c, a: (a, c), ["c", "a"], None, ["a", "b", "c"], [5, 3, 1]),
        ([lambda a: (a, a), lambda x, y: x + y + 1], "a", None, ["a", "b", "c"], [3, 3, 5]),
    ],
)
def test_map_and_where_columns_stand(function, inputs, outputs, names, first):
    data = abc().map(function, inputs, outputs)
    assert data.get_col_names() == names
    assert values(data)[0] == first
    assert data.get_dataset_size() == 2 == len(data)


def test_map_gives_functions_arrays_and_takes_anything():
    kinds = []

    def function(x):
        kinds.append(type(x))
        return [float(x), 2.0]

    data = numbers(2).map(function, num_parallel_workers=1)
    assert values(data) == [[0.0, 2.0], [1.0, 2.0]]
    assert set(kinds) == {np.ndarray}
    assert values(numbers(2).map(lambda x: f"n{x}")) == ["n0", "n1"]
    assert values(numbers(2).map(lambda x: ms.Tensor([1, 2]))) == [[1, 2], [1, 2]]


def test_a_buffer_that_a_function_writes_again_is_copied():
    buffer = np.zeros(2)

    def function(x):
        buffer[:] = x
        return buffer

    expected = [[0, 0], [1, 1], [2, 2]]
    assert values(numbers(3).map(function, num_parallel_workers=1)) == expected
    several = [function, lambda x: x]
    assert values(numbers(3).map(several, num_parallel_workers=1)) == expected

    def source():
        for index in range(3):
            buffer[:] = index
            yield buffer

    assert values(ds.GeneratorDataset(source, "x").batch(3)) == [[[0, 0], [1, 1], [2, 2]]]


def test_writing_a_row_leaves_the_source_as_it_is():
    def write(x):
        x[...] = 7
        return x

    array, listed = np.zeros((2, 2)), [np.zeros(2), np.zeros(2)]
    values(ds.NumpySlicesDataset(array).map(write))
    values(ds.GeneratorDataset(listed, "x").map(write))
    for (tensor,) in ds.NumpySlicesDataset(array).batch(2):
        tensor.array[...] = 7
    assert (array == 0).all() and (np.array(listed) == 0).all()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: abc().map(lambda a: a, "d"), "E0404"),
        (lambda: abc().map(lambda a: a, ["a", "a"]), "E0404"),
        (lambda: abc().map(lambda a: a, "a", ["b"]), "E0404"),
        (lambda: abc().map(3), "E0304"),
        (lambda: abc().map([]), "E0304"),
        (lambda: abc().map(ds.vision.HWC2CHW), "E0304"),
        (lambda: abc().map(lambda a: a, 3), "E0303"),
        (lambda: abc().map(lambda a: a, cache=1), "E0712"),
        (lambda: abc().map(lambda a: a, wrong=1), "E0302"),
        (lambda: values(abc().map(lambda a: (a, a))), "E0302"),
        (lambda: values(abc().map(lambda a: {1: 2})), "E0304"),
        (lambda: values(numbers(9).map(lambda a: (a,) * (1 + int(a > 3)))), "E0304"),
        (lambda: abc().batch(0), "E0404"),
        (lambda: abc().batch(2.0), "E0303"),
        (lambda: abc().batch(2, drop_remainder=1), "E0303"),
        (lambda: values(abc().batch(lambda info: 0)), "E0404"),
        (lambda: abc().shuffle(1), "E0404"),
        (lambda: abc().repeat(0), "E0404"),
        (lambda: abc().take(0), "E0404"),
        (lambda: abc().skip(-1), "E0404"),
        (lambda: abc().project("d"), "E0404"),
        (lambda: abc().rename("a", "b"), "E0404"),
        (lambda: abc().rename(["a", "b"], "d"), "E0302"),
        (lambda: abc().zip(abc()), "E0404"),
        (lambda: abc().concat(numbers(2)), "E0404"),
        (lambda: abc().concat([3]), "E0304"),
        (lambda: abc().filter(3), "E0304"),
        (lambda: values(numbers(3).filter(lambda x: 3)), "E0304"),
        (lambda: values(numbers(3).flat_map(lambda x: 3)), "E0304"),
        (lambda: abc().apply(lambda data: 3), "E0304"),
        (lambda: abc().split([1, 2]), "E0404"),
        (lambda: abc().split([0.5, 0.6]), "E0404"),
        (lambda: abc().split([1, 0.5]), "E0303"),
        (lambda: abc().create_tuple_iterator(num_epochs=0), "E0404"),
        (lambda: abc().create_tuple_iterator(["d"]), "E0404"),
        (lambda: abc().repeat().get_dataset_size(), "E0404"),
        (lambda: abc().shuffle(2).use_sampler([1]), "E0404"),
    ],
)
def test_what_is_refused_has_a_code_and_a_place(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code, caught.value


def test_a_refusal_shows_the_line_of_the_user():
    with pytest.raises(S2sadError) as caught:
        abc().project("d")
    place = caught.value.diagnostic.location
    assert place.file == __file__ and "there are a, b, c" in str(caught.value)


# ---- batches -------------------------------------------------------------------------------


def test_batch():
    assert values(numbers(5).batch(2)) == [[0, 1], [2, 3], [4]]
    assert values(numbers(5).batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert values(numbers(2).batch(5)) == [[0, 1]]
    assert values(numbers(2).batch(5, True)) == []
    assert values(numbers(8).batch(2).batch(2)) == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    sizes = [numbers(5).batch(2), numbers(5).batch(2, True), numbers(5).batch(2).repeat(3)]
    assert [data.get_dataset_size() for data in sizes] == [3, 2, 9]
    assert [data.get_batch_size() for data in (numbers(5), numbers(5).batch(2))] == [1, 2]


def test_batches_and_repeats_in_both_orders():
    assert values(numbers(3).repeat(2).batch(2)) == [[0, 1], [2, 0], [1, 2]]
    assert values(numbers(3).batch(2).repeat(2)) == [[0, 1], [2], [0, 1], [2]]
    assert numbers(3).repeat(2).repeat(4).get_repeat_count() == 8
    assert numbers(3).repeat().get_repeat_count() == -1


def test_batches_of_a_size_that_a_function_says():
    data = numbers(6).batch(lambda info: info.get_batch_num() + 1)
    assert values(data) == [[0], [1, 2], [3, 4, 5]]
    assert data.get_batch_size() == -1 and data.get_dataset_size() == 3
    assert values(numbers(5).batch(lambda info: 2, drop_remainder=True)) == [[0, 1], [2, 3]]
    epochs = []
    iterator = numbers(2).batch(lambda info: epochs.append(info.get_epoch_num()) or 2)
    iterator = iterator.create_tuple_iterator()
    for _ in range(2):
        list(iterator)
    assert sorted(set(epochs)) == [0, 1]


@pytest.mark.parametrize("are_processes", [False, True])
def test_per_batch_map(are_processes):
    def function(a, b, info):
        assert isinstance(a, list) and isinstance(b, list) and a[0].shape == ()
        return [x + 10 for x in a], np.stack(b) * info.get_batch_num(), [[1], [2]][: len(a)]

    data = abc().repeat(2).batch(
        2, per_batch_map=function, input_columns=["a", "b"], output_columns=["p", "q", "r"],
        python_multiprocessing=are_processes, num_parallel_workers=2,
    )  # fmt: skip
    assert data.get_col_names() == ["p", "q", "r", "c"]
    assert values(data) == [
        [[11, 12], [0, 0], [[1], [2]], [5, 6]],
        [[11, 12], [3, 4], [[1], [2]], [5, 6]],
    ]
    only = numbers(3).batch(3, per_batch_map=lambda x, info: np.stack(x).sum(keepdims=True))
    assert values(only) == [[3]]
    with pytest.raises(S2sadError, match="E0302.*2 columns in place of 1"):
        values(numbers(3).batch(3, per_batch_map=lambda x, info: (x, x)))
    with pytest.raises(ZeroDivisionError) as caught:
        values(numbers(3).batch(2, per_batch_map=lambda x, info: 1 // 0))
    assert "batch 0" in caught.value.__notes__[0]


def test_rows_that_do_not_fit_name_their_column():
    ragged = ds.GeneratorDataset([np.zeros(2), np.zeros(3)], "rows", shuffle=False)
    with pytest.raises(ValueError, match=r"E0401.*'rows'.*\[2\] and, 1 rows later, \[3\]"):
        values(ragged.batch(2))
    mixed = ds.GeneratorDataset([np.zeros(2), np.ones(2, int)], "rows", shuffle=False)
    with pytest.raises(TypeError, match="E0301.*'rows'.*float64 and, 1 rows later, int64"):
        values(mixed.batch(2))
    assert values(ragged.batch(1)) == [[[0, 0]], [[0, 0, 0]]]
    texts = ds.GeneratorDataset(["a", "bcd"], "text", shuffle=False)
    assert values(texts.batch(2)) == [["a", "bcd"]]


def test_padded_batch():
    rows = [(np.ones((1, 2)), 1), (np.ones((2, 1)), 2)]
    data = ds.GeneratorDataset(rows, ["x", "y"], shuffle=False)
    assert values(data.padded_batch(2)) == [[[[[1, 1], [0, 0]], [[1, 0], [1, 0]]], [1, 2]]]
    info = {"x": ([2, None], -1)}
    padded = data.padded_batch(2, pad_info=info)
    assert values(padded) == [[[[[1, 1], [-1, -1]], [[1, -1], [1, -1]]], [1, 2]]]
    for wrong, code in [
        ({"x": ([1, None], 0)}, "E0401"), ({"x": ([2], 0)}, "E0401"), ({"x": 3}, "E0303"),
        ({"z": ([1], 0)}, "E0404"), (3, "E0303"),
    ]:  # fmt: skip
        with pytest.raises(S2sadError, match=code):
            values(data.padded_batch(2, pad_info=wrong))
    texts = ds.GeneratorDataset([["a"], ["b", "c"]], "t", shuffle=False)
    assert values(texts.padded_batch(2)) == [[["a", ""], ["b", "c"]]]


# ---- order ---------------------------------------------------------------------------------


def test_take_skip_repeat_concat_zip():
    assert values(numbers(5).take(3)) == [0, 1, 2]
    assert values(numbers(5).take(9)) == values(numbers(5).take()) == [0, 1, 2, 3, 4]
    assert values(numbers(5).skip(3)) == [3, 4]
    assert values(numbers(5).skip(7)) == []
    assert values(numbers(2).repeat(3)) == [0, 1, 0, 1, 0, 1]
    assert values(numbers(2).repeat().take(5)) == [0, 1, 0, 1, 0]
    assert values(numbers(2) + numbers(1)) == values(numbers(2).concat([numbers(1)])) == [0, 1, 0]
    both = numbers(2, "a").zip((numbers(3, "b"), numbers(9, "c").skip(4)))
    assert values(both) == [[0, 0, 4], [1, 1, 5]] and both.get_col_names() == ["a", "b", "c"]
    assert values(ds.zip((numbers(2, "a"), numbers(1, "b").repeat()))) == [[0, 0], [1, 0]]
    sizes = [numbers(5).take(3), numbers(5).skip(3), numbers(5).skip(7), both,
             numbers(2) + numbers(3), numbers(2).repeat().take(5),
             ds.zip((numbers(2, "a"), numbers(1, "b").repeat()))]  # fmt: skip
    assert [data.get_dataset_size() for data in sizes] == [3, 2, 0, 2, 5, 5, 2]


def test_an_endless_repetition_of_nothing_ends():
    assert values(numbers(3).filter(lambda x: False).repeat()) == []


def test_filter_flat_map_apply_project_rename():
    even = numbers(6).filter(lambda x: x % 2 == 0)
    assert values(even) == [0, 2, 4] and even.get_dataset_size() == 3
    pairs = abc().filter(lambda a, c: bool(a + c > 6), ["a", "c"])
    assert values(pairs) == [[2, 4, 6]]
    flat = numbers(4).flat_map(lambda x: numbers(int(x), "y"))
    assert values(flat) == [0, 0, 1, 0, 1, 2]
    assert flat.get_col_names() == ["y"] and flat.get_dataset_size() == 6
    assert values(numbers(4).apply(lambda data: data.batch(2))) == [[0, 1], [2, 3]]
    assert values(abc().project(["c", "a"])) == [[5, 1], [6, 2]]
    renamed = abc().rename(["a", "b"], ["b", "a"])
    assert renamed.get_col_names() == ["b", "a", "c"] and values(renamed) == values(abc())


def test_one_node_may_feed_several():
    data = numbers(3)
    assert values(data + data.map(lambda x: x + 5)) == [0, 1, 2, 5, 6, 7]


@pytest.mark.parametrize("size", [2, 5, 40, 100])
def test_shuffle_holds_no_more_rows_than_its_buffer(size):
    order = values(numbers(40).shuffle(size))
    assert sorted(order) == list(range(40)) and order != list(range(40))
    assert all(place >= value - size + 1 for place, value in enumerate(order))


def test_a_full_shuffle_makes_all_orders_equally_likely():
    rng = np.random.default_rng(0)
    counts: dict[tuple, int] = {}
    for _ in range(6000):
        order = tuple(x for (x,) in _shuffled(iter([(0,), (1,), (2,)]), 3, rng))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 25  # chi squared, 5 free


def test_split_is_the_same_in_every_epoch():
    ds.config.set_seed(2)
    for data in (ds.NumpySlicesDataset(np.arange(10)), numbers(20).filter(lambda x: bool(x < 10))):
        one, two, three = data.split([0.5, 0.3, 0.2])
        parts = [values(one), values(two), values(three)]
        assert [len(part) for part in parts] == [5, 3, 2]
        assert sorted(sum(parts, [])) == list(range(10)) and sum(parts, []) != list(range(10))
        assert values(one.repeat(2)) == parts[0] * 2
    first, rest = numbers(10).split([4, 6], randomize=False)
    assert values(first) == [0, 1, 2, 3] and values(rest) == list(range(4, 10))
    assert [len(x) for x in numbers(7).split([0.5, 0.5])] == [3, 4]


# ---- iterators and facts -------------------------------------------------------------------


def test_iterators():
    data = abc().batch(2)
    (row,) = list(data.create_dict_iterator())
    assert list(row) == ["a", "b", "c"]
    assert isinstance(row["a"], ms.Tensor) and row["a"].dtype is ms.int64
    (row,) = list(data.create_tuple_iterator(["c", "a"], output_numpy=True))
    assert [x.tolist() for x in row] == [[5, 6], [1, 2]] and type(row[0]) is np.ndarray
    (row,) = list(data.create_dict_iterator(output_numpy=True, do_copy=True))
    assert row["b"].tolist() == [3, 4]
    (row,) = list(data)
    assert isinstance(row, list)


def test_columns_that_no_tensor_holds():
    texts = ds.NumpySlicesDataset(["a", "b"], shuffle=False)
    assert [x.item() for (x,) in texts] == ["a", "b"]
    for dtype in (np.uint16, np.uint32, np.uint64, np.complex64):
        with pytest.raises(TypeError, match=f"E0301.*column_0.*{np.dtype(dtype)}"):
            list(ds.NumpySlicesDataset(np.zeros(3, dtype)).batch(2))
    (row,) = list(ds.NumpySlicesDataset(np.zeros(3, ">f4")).batch(3))
    assert row[0].dtype is ms.float32


def test_shapes_types_and_counts():
    rows = [(np.zeros((2, 3), np.float32), 1), (np.zeros((2, 4)), 1)]
    data = ds.GeneratorDataset(rows, ["a", "b"], shuffle=False)
    assert data.output_shapes() == [[2, 3], []]
    assert data.output_shapes(estimate=True) == [[2, None], []]
    assert data.output_types() == [np.float32, np.int64]
    assert data.num_classes() is None and data.get_class_indexing() == {}
    assert data.reset() is None
    with pytest.raises(S2sadError, match="E0404"):
        data.skip(2).output_shapes()


def test_epochs_of_one_iterator():
    iterator = numbers(3).create_tuple_iterator(num_epochs=2)
    assert [len(list(iterator)) for _ in range(2)] == [3, 3]
    iterator = numbers(3).create_tuple_iterator()
    next(iterator)
    assert len(list(iterator)) == 2  # what is left of the epoch
    assert len(list(iterator)) == 3


def test_settings():
    for change, read, value in [
        (ds.config.set_prefetch_size, ds.config.get_prefetch_size, 3),
        (ds.config.set_num_parallel_workers, ds.config.get_num_parallel_workers, 1),
        (ds.config.set_debug_mode, ds.config.get_debug_mode, True),
        (ds.config.set_enable_shared_mem, ds.config.get_enable_shared_mem, False),
    ]:
        before = read()
        change(value)
        try:
            assert read() == value
            assert values(numbers(50).map(lambda x: x + 1).batch(7))[-1] == [50]
        finally:
            change(before)
    for wrong, code in [(-1, "E0404"), (2**32, "E0404"), ("a", "E0303"), (True, "E0303")]:
        with pytest.raises(S2sadError, match=code):
            ds.config.set_seed(wrong)
    with pytest.raises(S2sadError, match="E0303"):
        ds.config.set_debug_mode(1)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("GeneratorDatset", "GeneratorDataset"),
        ("vison", "vision"),
        ("MnistDataSet", "MnistDataset"),
    ],
)
def test_unknown_names_name_the_nearest(name, near):
    with pytest.raises(AttributeError, match="E0220") as caught:
        getattr(ds, name)
    assert f"did you mean {near}?" in str(caught.value)


def test_unknown_methods_name_the_nearest():
    with pytest.raises(AttributeError, match="E0220.*a data set has no 'btach'") as caught:
        numbers(3).btach(2)
    assert "did you mean batch?" in str(caught.value)
    assert not hasattr(numbers(3), "no_such_thing")


def test_unknown_names_of_the_parts():
    for module, name, near in [(ds.vision, "Normalise", "Normalize"),
                               (ds.transforms, "Typecast", "TypeCast"),
                               (ds.config, "set_sed", "set_seed")]:  # fmt: skip
        with pytest.raises(AttributeError, match=f"did you mean {near}"):
            getattr(module, name)


def test_files_of_others_are_refused():
    with pytest.raises(RuntimeError, match="E0712.*TFRecordDataset"):
        ds.TFRecordDataset("file", columns_list=["a"])


def test_it_is_found_from_the_package():
    assert ms.dataset is ds


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_for_many_rows_and_for_none_alone_is_told(workers):
    class Odd:
        def __call__(self, value):
            return value * 2

        def batched(self, values):
            raise ValueError("too many")

    data = ds.NumpySlicesDataset(np.ones((8, 3), np.float32), shuffle=False)
    data = data.map(Odd(), num_parallel_workers=workers).batch(4)
    with pytest.raises(S2sadError, match=r"\[E0901\].*for many rows at once"):
        list(data.create_tuple_iterator())
