"""Does a loop over a DatasetHelper see each batch once, or a sink run over it?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import dataset, nn
from s2sad.core.diagnostics import S2sadError
from s2sad.train import DatasetHelper, LambdaCallback, connect_network_with_dataset
from s2sad.train.data import Batches
from support.training import Trace, batches, bits, model

DATA = batches(5)


def test_items_are_batches():
    helper = DatasetHelper(DATA, dataset_sink_mode=False, epoch_num=2)
    for _ in range(2):
        found = list(helper)
        assert len(found) == 5 and all(isinstance(x, ms.Tensor) for batch in found for x in batch)
        for batch, (x, y) in zip(found, DATA, strict=True):
            assert batch[0].asnumpy().tolist() == x.tolist()
            assert batch[1].asnumpy().tolist() == y.tolist()
    assert helper.sink_size() == 1
    assert helper.types_shapes() == ([ms.float32, ms.float32], [[4, 3], [4, 1]])


@pytest.mark.parametrize("size", [-1, 2])
def test_a_connected_network_runs_the_steps(mode, size):
    made = model()
    helper = DatasetHelper(DATA, sink_size=size, epoch_num=3)
    step = connect_network_with_dataset(made.train_network, helper)
    losses = [step(*inputs).item() for _ in range(3) for inputs in helper]
    plain, count = model(), 5 if size == -1 else 2
    one_by_one = [
        plain.train_network(*map(ms.Tensor, (DATA * 3)[i])).item() for i in range(3 * count)
    ]
    assert losses == one_by_one[count - 1 :: count] and helper.sink_size() == count
    assert bits(made) == bits(plain)
    helper.release()


class Rows:
    """Has what a data set has, and notes how it is used."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def get_dataset_size(self) -> int:
        return len(DATA)

    def create_tuple_iterator(self, num_epochs: int = -1) -> Rows:
        self.calls.append(("iterator", num_epochs))
        return self

    def __iter__(self) -> Any:
        self.calls.append("epoch")
        return iter([list(map(ms.Tensor, batch)) for batch in DATA])

    def reset(self) -> None:
        self.calls.append("reset")

    def close(self) -> None:
        self.calls.append("close")


def test_a_data_set_has_one_iterator_for_all_epochs(mode):
    rows, made = Rows(), model()
    made.train(3, rows)
    assert rows.calls == [("iterator", 3), *["epoch", "reset"] * 3, "close"]
    plain = model()
    plain.train(3, DATA)
    assert bits(made) == bits(plain)


def test_a_data_set_is_let_go_of_after_an_error(mode):
    rows = Rows()
    with pytest.raises(ZeroDivisionError):
        model().train(3, rows, ms.train.LambdaCallback(on_train_step_end=lambda _: 1 // 0))
    assert rows.calls[0] == ("iterator", 3) and rows.calls[-1] == "close"
    rows = Rows()
    model(metrics={"mse"}).fit(4, DATA, rows, 2)
    assert rows.calls == [("iterator", 4), *["epoch", "reset"] * 2, "close"]


def test_an_epoch_that_was_left_early_is_not_gone_on_with(mode):
    rows = Rows()
    counts: list[int] = []
    cut = LambdaCallback(
        on_eval_step_end=lambda c: c.original_args().cur_step_num == 2 and c.request_stop(),
        on_eval_end=lambda c: counts.append(c.original_args().cur_step_num),
    )
    model(metrics={"mse"}).fit(2, DATA, rows, 1, cut, valid_dataset_sink_mode=False)
    again = [("iterator", 2), "epoch", "reset", "close"]
    assert rows.calls == [*again, *again] and counts == [2, 2]


def test_data_sets_of_s2sad(mode):
    """The same rows in the same order, sunk or not, whatever the last batch is."""
    x = np.random.default_rng(0).normal(size=(22, 3)).astype("f4")
    columns = (x, x.sum(axis=1, keepdims=True))
    found = []
    for is_sunk in (True, False):
        rows = dataset.NumpySlicesDataset(columns, ["x", "y"], shuffle=False).batch(4)
        made, trace = model(metrics={"mse"}), Trace()
        made.fit(3, rows, rows, 2, trace, is_sunk, is_sunk)
        found.append((trace.calls, bits(made), made.eval(rows)))
    assert found[0] == found[1] and len(found[0][0]) == 2 + 3 * 14 + 16


def test_a_sink_size_reads_a_data_set_without_end(mode):
    for size, epochs in ((2, 2), (5, 3)):
        rows = Rows()
        model().train(3, rows, sink_size=size)
        assert rows.calls == [("iterator", -1), *["epoch"] * epochs, "close"]


def test_a_data_set_that_does_not_begin_again():
    class Once(list):
        is_over = False

        def __iter__(self):
            found, self.is_over = [] if self.is_over else DATA, True
            return iter(found)

    with pytest.raises(S2sadError) as caught:
        list(Batches("dataset", Once(DATA)).endless())
    assert caught.value.code == "E0706"


REFUSED = {
    "a network that is none": ("E0304", lambda h: connect_network_with_dataset(len, h)),
    "a helper that is none": ("E0304", lambda _: connect_network_with_dataset(nn.ReLU(), DATA)),
    "a helper that does not sink": (
        "E0404", lambda _: connect_network_with_dataset(nn.ReLU(), DatasetHelper(DATA, False)),
    ),
    "a sink of no steps": ("E0404", lambda _: DatasetHelper(DATA, sink_size=0)),
    "no epochs": ("E0404", lambda _: DatasetHelper(DATA, epoch_num=0)),
    "no data": ("E0304", lambda _: DatasetHelper(None)),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_place(case):
    code, call = REFUSED[case]
    with pytest.raises(S2sadError) as caught:
        call(DatasetHelper(DATA))
    assert caught.value.code == code, caught.value
    assert (
        caught.value.diagnostic.place is not None and caught.value.diagnostic.place.file == __file__
    )


def test_scalars_become_tensors(mode):
    net = nn.ReLU()
    helper = DatasetHelper([np.float32(-1.0), np.float32(2.0)])
    assert connect_network_with_dataset(net, helper)().item() == 2.0
