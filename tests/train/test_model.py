"""Does a Model train, evaluate and predict as MindSpore's does, sunk or not?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.train import Callback, LambdaCallback, LossMonitor, Model
from support.training import HOOKS, OLD_HOOKS, Trace, batches, bits, model

DATA = batches(5)
STEP = ["on_train_step_begin", "on_train_step_end"]
EVAL_STEP = ["on_eval_step_begin", "on_eval_step_end"]


def in_eval(count: int) -> list[str]:
    steps = EVAL_STEP * count
    return ["on_eval_begin", "on_eval_epoch_begin", *steps, "on_eval_epoch_end", "on_eval_end"]


def in_epoch(steps: int, *, evaluated: int = 0) -> list[str]:
    inner = in_eval(evaluated) if evaluated else []
    return ["on_train_epoch_begin", *STEP * steps, *inner, "on_train_epoch_end"]


# ---- which hooks run, and when ------------------------------------------------------------------


@pytest.mark.parametrize("is_sunk", [True, False])
def test_hooks_of_training(mode, is_sunk):
    trace = Trace()
    model().train(2, DATA, trace, dataset_sink_mode=is_sunk)
    assert trace.names == ["on_train_begin", *in_epoch(5) * 2, "on_train_end"]
    steps = [call[1:3] for call in trace.calls if call[0] == "on_train_step_end"]
    assert steps == [(1 + step // 5, step + 1) for step in range(10)]


@pytest.mark.parametrize("is_sunk", [True, False])
def test_hooks_of_fit(mode, is_sunk):
    trace = Trace()
    made = model(metrics={"mse"})
    made.fit(3, DATA, batches(2), 2, trace, is_sunk, is_sunk)
    expected = [*in_epoch(5), *in_epoch(5, evaluated=2), *in_epoch(5)]
    assert trace.names == ["on_train_begin", *expected, "on_train_end"]
    numbers = [call[1:3] for call in trace.calls if call[0] in (STEP[1], EVAL_STEP[1])]
    second = [(2, step) for step in (6, 7, 8, 9, 10, 1, 2)]  # an evaluation counts anew
    assert numbers == [*((1, i) for i in range(1, 6)), *second, *((3, i) for i in range(11, 16))]
    trace.calls.clear()
    made.fit(3, DATA, batches(2), [1, 3], trace)
    expected = [*in_epoch(5, evaluated=2), *in_epoch(5), *in_epoch(5, evaluated=2)]
    assert trace.names == ["on_train_begin", *expected, "on_train_end"]


@pytest.mark.parametrize("is_sunk", [True, False])
def test_hooks_of_eval(mode, is_sunk):
    trace = Trace()
    model(metrics={"mse"}).eval(DATA, trace, is_sunk)
    assert trace.names == in_eval(5)


class Old(Callback):
    """Defines older hooks only, in its class, as users do."""

    def __init__(self) -> None:
        self.names: list[str] = []


def _noting(hook: str) -> Any:
    return lambda self, run_context: self.names.append(hook)  # noqa: ARG005


for _hook in OLD_HOOKS:
    setattr(Old, _hook, _noting(_hook))

OLD_EPOCH = ["epoch_begin", *["step_begin", "step_end"] * 5, "epoch_end"]


def test_older_hooks_run_in_train_and_in_eval(mode):
    old = Old()
    made = model(metrics={"mse"})
    made.train(2, DATA, old)
    assert old.names == ["begin", *OLD_EPOCH * 2, "end"]
    old.names.clear()
    made.eval(DATA, [old])
    assert old.names == ["begin", *OLD_EPOCH, "end"]


def test_older_hooks_of_fit_are_those_of_training(mode):
    old = Old()
    model(metrics={"mse"}).fit(2, DATA, DATA, 1, old)
    assert old.names == ["begin", *OLD_EPOCH * 2, "end"]


def test_a_callback_has_every_hook():
    for hook in [*HOOKS, *OLD_HOOKS]:
        assert callable(getattr(Callback(), hook))


def test_callbacks_are_entered_first_and_left_last_whatever_happens(mode):
    order: list[str] = []

    class Noting(Callback):
        def __enter__(self):
            order.append("enter")
            return self

        def __exit__(self, *exception):
            order.append(f"exit {exception[0].__name__ if exception[0] else None}")

        def on_train_begin(self, run_context):
            order.append("begin")

    made = model()
    made.train(1, DATA, Noting())
    failing = LambdaCallback(on_train_step_end=lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        made.train(1, DATA, [Noting(), failing])
    assert order == ["enter", "begin", "exit None", "enter", "begin", "exit ZeroDivisionError"]


# ---- what callbacks may know --------------------------------------------------------------------

IN_TRAIN = {
    "batch_num", "cur_epoch_num", "cur_step_num", "dataset_sink_mode", "device_number",
    "epoch_num", "initial_step", "last_save_ckpt_step", "latest_ckpt_file", "list_callback",
    "loss_fn", "loss_scale_mananger", "mode", "net_outputs", "network", "optimizer",
    "parallel_mode", "train_dataset", "train_dataset_element", "train_network",
}  # fmt: skip


def test_parameters_of_callbacks(mode):
    seen: dict[str, Any] = {}
    note = LambdaCallback(on_train_step_end=lambda c: seen.update(c.original_args()))
    made = model()
    made.train(4, DATA, note, initial_epoch=2)
    assert set(seen) == IN_TRAIN
    assert (seen["cur_epoch_num"], seen["epoch_num"], seen["cur_step_num"]) == (4, 2, 10)
    assert seen["train_network"] is made.train_network and seen["list_callback"] == [note]
    assert (seen["mode"], seen["batch_num"], seen["train_dataset"]) == ("train", 5, DATA)
    assert seen["train_dataset_element"][0].asnumpy().tolist() == DATA[4][0].tolist()


def test_parameters_of_callbacks_in_fit(mode):
    seen: dict[str, Any] = {}
    after: list[Any] = []
    note = LambdaCallback(
        on_eval_end=lambda c: seen.update(c.original_args()),
        on_train_epoch_end=lambda c: after.append(dict(c.original_args())),
    )
    made = model(metrics={"mse"})
    made.fit(2, DATA, DATA[:2], 2, note)
    more = {"eval_network", "eval_dataset_element", "eval_results", "metrics", "valid_dataset"}
    assert set(seen) == IN_TRAIN | more
    assert (seen["mode"], seen["batch_num"], seen["cur_step_num"]) == ("eval", 2, 2)
    assert set(seen["eval_results"]) == {"mse", "eval_loss"}
    assert "eval_results" not in after[0] and "metrics" not in after[0]
    assert (after[1]["mode"], after[1]["cur_step_num"], after[1]["batch_num"]) == ("train", 10, 5)
    assert after[1]["net_outputs"].shape == ()


def test_eval_loss_is_the_mean_of_all_batches(mode):
    found: dict[str, Any] = {}
    note = LambdaCallback(on_eval_end=lambda c: found.update(c.original_args().eval_results))
    made = model(metrics={"loss"})
    made.fit(1, DATA, DATA, callbacks=note)
    net = made.predict_network.set_train(False)
    losses = [
        np.mean((net(ms.Tensor(x)).asnumpy().astype("f8") - y) ** 2, dtype="f8") for x, y in DATA
    ]
    np.testing.assert_allclose(found["eval_loss"], np.mean(losses), rtol=1e-6)
    assert found["loss"] == found["eval_loss"]


def test_an_unknown_parameter_says_which_there_are():
    seen: list[Any] = []

    def ask(context):
        params = context.original_args()
        seen.append((params.get("cur_step"), hasattr(params, "cur_step")))
        return params.cur_step

    with pytest.raises(S2sadError, match="did you mean cur_step_num") as caught:
        model().train(1, DATA, LambdaCallback(on_train_step_end=ask))
    assert caught.value.code == "E0220" and seen == [(None, False)]


# ---- sinks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("last_rows", [4, 2])
def test_sunk_and_unsunk_are_the_same(last_rows):
    data = [*DATA, *batches(1, last_rows)]
    found = {}
    for name, graph, is_sunk in (("eager", 1, True), ("calls", 0, False), ("sunk", 0, True)):
        ms.set_context(mode=graph)
        trace, made = Trace(), model()
        made.train(3, data, trace, dataset_sink_mode=is_sunk)
        found[name] = trace.calls, bits(made), ms.get_rng_state().tolist()
    assert found["sunk"] == found["calls"]
    eager, sunk = found["eager"][0], found["sunk"][0]
    assert [call[:3] for call in eager] == [call[:3] for call in sunk]
    losses = [[call[3] or 0.0 for call in calls] for calls in (eager, sunk)]
    np.testing.assert_allclose(*losses, rtol=1e-5)


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)


def sinks_of(made: Model) -> Any:
    return ms.compile(made.train_network).last_sink


def test_an_epoch_is_one_sink(graph_mode):
    made = model()
    made.train(1, DATA)
    assert (sinks_of(made).steps, sinks_of(made).sinks) == (5, 1)


def test_who_needs_parameters_sees_those_of_his_step(graph_mode):
    expected, made = [], model()
    for x, y in DATA:
        expected.append(bits(made))
        made.train_network(ms.Tensor(x), ms.Tensor(y))
    expected.append(bits(made))

    class Look(Callback):
        needs_parameters = True

        def __init__(self, made):
            self.before, self.after, self.made = [], [], made

        def on_train_step_begin(self, run_context):
            self.before.append(bits(self.made))

        def on_train_step_end(self, run_context):
            self.after.append(bits(self.made))

    other = model()
    look = Look(other)
    other.train(1, DATA, look)
    assert look.before == expected[:-1] and look.after == expected[1:]


def test_a_sink_ends_where_parameters_are_needed_and_nowhere_else(graph_mode):
    class Second(Callback):
        def __init__(self, made):
            self.found, self.made = {}, made

        def needs_parameters_at(self, step):
            return step % 2 == 0

        def step_end(self, run_context):
            self.found[run_context.original_args().cur_step_num] = bits(self.made)

    trace, made = Trace(), model()
    second = Second(made)
    made.train(2, DATA, [second, trace])
    plain, expected = model(), {}
    for step, (x, y) in enumerate(DATA * 2, 1):
        plain.train_network(ms.Tensor(x), ms.Tensor(y))
        expected[step] = bits(plain)
    assert all(second.found[step] == expected[step] for step in (2, 4, 5, 6, 8, 10))
    assert trace.names == ["on_train_begin", *in_epoch(5) * 2, "on_train_end"]


def test_setting_a_parameter_while_a_sink_runs_says_what_to_do(graph_mode):
    made = model()
    weight = made.predict_network.trainable_params()[0]

    def change(context):
        weight.set_data(weight.value() * 0.5)

    with pytest.raises(S2sadError, match="needs_parameters = True") as caught:
        made.train(4, DATA * 40, LambdaCallback(on_train_step_end=change))
    assert caught.value.code == "E0707"


def test_a_sink_size_is_an_epoch_and_one_step(mode):
    trace, made = Trace(), model()
    made.train(3, DATA, trace, sink_size=2)
    assert trace.names == ["on_train_begin", *in_epoch(1) * 3, "on_train_end"]
    ends = [call for call in trace.calls if call[0] == "on_train_step_end"]
    assert [call[1:3] for call in ends] == [(1, 2), (2, 4), (3, 6)]
    plain = model()
    losses = [plain.train_network(*map(ms.Tensor, b)).item() for b in [*DATA, DATA[0]]]
    assert [call[3] for call in ends] == losses[1::2]  # the third epoch begins with the fifth batch
    assert bits(plain) == bits(made)


def test_a_sink_size_without_sinks_means_nothing(mode):
    trace = Trace()
    model().train(1, DATA, trace, dataset_sink_mode=False, sink_size=2)
    assert trace.names == ["on_train_begin", *in_epoch(5), "on_train_end"]


def test_a_request_to_stop(mode):
    class Stop(Trace):
        needs_parameters = True

    for is_sunk in (True, False):
        trace = Stop()
        stop = LambdaCallback(
            on_train_step_end=lambda c: c.original_args().cur_step_num == 7 and c.request_stop()
        )
        made = model()
        made.train(4, DATA, [trace, stop], is_sunk)
        cut = ["on_train_epoch_begin", *STEP * 2, "on_train_epoch_end"]
        assert trace.names == ["on_train_begin", *in_epoch(5), *cut, "on_train_end"]
        plain = model()
        for x, y in [*DATA, *DATA[:2]]:
            plain.train_network(ms.Tensor(x), ms.Tensor(y))
        assert bits(plain) == bits(made)


def test_steps_that_ran_ahead_of_a_request_to_stop_are_seen(graph_mode):
    trace, made = Trace(), model()
    stop = LambdaCallback(on_train_step_end=lambda c: c.request_stop())
    made.train(1, DATA * 20, [trace, stop])
    steps = sinks_of(made).steps
    assert trace.names == ["on_train_begin", *in_epoch(steps), "on_train_end"] and steps < 100


# ---- evaluation and prediction ------------------------------------------------------------------


def test_metrics(mode):
    made = model(metrics=["mse", "mae", "loss"])
    found = made.eval(DATA)
    net = made.predict_network
    x, y = (np.concatenate(column) for column in zip(*DATA, strict=True))
    apart = made.predict(ms.Tensor(x)).asnumpy().astype("f8") - y
    assert list(found) == ["mse", "mae", "loss"] and not net.training
    np.testing.assert_allclose(found["mse"], np.mean(apart**2), rtol=1e-6)
    np.testing.assert_allclose(found["mae"], np.mean(np.abs(apart)), rtol=1e-6)
    np.testing.assert_allclose(found["loss"], np.mean(apart**2), rtol=1e-6)


class Evaluating(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, label):
        return label, self.net(x), ops.mean(x)


@pytest.mark.parametrize("indexes", [None, [2, 1, 0]])
def test_an_eval_network(mode, indexes):
    metric = nn.MAE() if indexes else nn.MAE().set_indexes([1, 0])
    net = nn.Dense(3, 1)
    evaluating = Evaluating(net)
    made = Model(net, metrics={"mine": metric}, eval_network=evaluating, eval_indexes=indexes)
    x, y = (np.concatenate(column) for column in zip(*DATA, strict=True))
    expected = np.mean(np.abs(net(ms.Tensor(x)).asnumpy().astype("f8") - y))
    np.testing.assert_allclose(made.eval(DATA)["mine"], expected, rtol=1e-6)


def test_dropout_acts_in_training_only(mode):
    made = model(metrics={"mse"})
    first, state = made.eval(DATA), ms.get_rng_state().tolist()
    assert made.eval(DATA) == first and ms.get_rng_state().tolist() == state
    made.train(1, DATA)
    assert ms.get_rng_state().tolist() != state and made.train_network.training
    x = ms.Tensor(DATA[0][0])
    assert made.predict(x).tolist() == made.predict(x).tolist()


@pytest.mark.parametrize("hook", ["on_train_step_begin", "on_train_step_end", "on_train_epoch_end"])
def test_a_hook_may_evaluate(mode, hook):
    plain = model()
    plain.train(2, DATA)
    made, found = model(metrics={"mse"}), []
    evaluate = LambdaCallback(**{hook: lambda _: found.append(made.eval(DATA[:1])["mse"])})
    evaluate.needs_parameters = True
    made.train(2, DATA, evaluate)
    assert bits(made) == bits(plain)
    assert len(found) == len(set(found)) == (2 if "epoch" in hook else 10)


def test_a_hook_that_evaluates_while_a_sink_runs_says_what_to_do(graph_mode):
    made = model(metrics={"mse"})
    evaluate = LambdaCallback(on_train_step_end=lambda _: made.eval(DATA[:1]))
    with pytest.raises(S2sadError, match="needs_parameters = True") as caught:
        made.train(1, DATA * 40, evaluate)
    assert caught.value.code == "E0707"


def test_a_network_that_gives_its_loss_and_one_that_is_the_step(mode):
    data = [(*batch, np.float32(0.5)) for batch in DATA]

    class Weighted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")

        def construct(self, x, label, weight):
            return weight * ops.mean((self.dense(x) - label) ** 2)

    one = Weighted()
    seen = [Trace(), Trace()]
    Model(one, optimizer=nn.SGD(one.trainable_params(), 0.1)).train(2, data, seen[0])
    two = Weighted()
    step = nn.TrainOneStepCell(two, nn.SGD(two.trainable_params(), 0.1))
    Model(step).train(2, data, seen[1])
    assert seen[0].calls == seen[1].calls
    assert one.dense.weight.tolist() == two.dense.weight.tolist() != [[1.0, 1.0, 1.0]]


def test_a_model_can_be_built_ahead(graph_mode):
    made = model(metrics={"mse"})
    state = bits(made)
    made.build(DATA, DATA)
    assert bits(made) == state
    count = len(ms.compile(made.train_network).variants)
    made.train(1, DATA)
    assert count == 1 == len(ms.compile(made.train_network).variants)


# ---- what is refused ----------------------------------------------------------------------------

NET = nn.Dense(3, 1)
REFUSED = {
    "a network that is none": ("E0304", lambda: Model(len)),
    "a compiled network": ("E0304", lambda: Model(ms.compile(nn.Dense(3, 1)))),
    "an optimizer that is none": ("E0304", lambda: Model(NET, nn.MSELoss(), 0.1)),
    "a loss that is none": ("E0304", lambda: Model(NET, "mse")),
    "a level without an optimizer": ("E0404", lambda: Model(NET, nn.MSELoss(), amp_level="O2")),
    "a level that is none": ("E0404", lambda: model(amp_level="O4")),
    "boosting": ("E0404", lambda: model(boost_level="O1")),
    "a boost config": ("E0404", lambda: model(boost_config_dict={"boost": {}})),
    "an argument that is none": ("E0404", lambda: model(loss_scale_manger=None)),
    "a scale that is no manager": ("E0304", lambda: model(loss_scale_manager=3.0)),
    "a metric that is none": ("E0404", lambda: model(metrics={"accurcy"})),
    "metrics without a loss": ("E0404", lambda: Model(NET, metrics={"mse"})),
    "two indexes": ("E0404", lambda: model(eval_indexes=[0, 1])),
    "no metrics for eval": ("E0404", lambda: model().eval(DATA)),
    "no metrics for fit": ("E0404", lambda: model().fit(1, DATA, DATA)),
    "no epoch": ("E0404", lambda: model().train(0, DATA)),
    "half an epoch": ("E0303", lambda: model().train(0.5, DATA)),
    "epochs that are over": ("E0404", lambda: model().train(2, DATA, initial_epoch=2)),
    "no batches": ("E0404", lambda: model().train(1, [])),
    "a generator": ("E0304", lambda: model().train(1, iter(DATA))),
    "no data": ("E0304", lambda: model().train(1, None)),
    "batches with names": ("E0304", lambda: model().train(1, [{"x": DATA[0][0]}])),
    "a column too many": ("E0404", lambda: model().train(1, [(*DATA[0], DATA[0][1])])),
    "a column too few": ("E0404", lambda: model().train(1, [DATA[0][0]])),
    "a column too few for eval": ("E0404", lambda: model(metrics={"mse"}).eval([DATA[0][:1]])),
    "a column that the network lacks": ("E0302", lambda: Model(NET).train(1, DATA)),
    "a sink of no steps": ("E0404", lambda: model().train(1, DATA, sink_size=0)),
    "a sink mode that is none": ("E0303", lambda: model().train(1, DATA, dataset_sink_mode=1)),
    "a callback that is none": ("E0304", lambda: model().train(1, DATA, print)),
    "a class of callbacks": ("E0304", lambda: model().train(1, DATA, [LossMonitor])),
    "an evaluation never": ("E0404", lambda: model(metrics={"mse"}).fit(1, DATA, DATA, 0)),
    "another run time": ("E0404", lambda: model().predict(ms.Tensor(DATA[0][0]), backend="lite")),
    "a layout of training": ("E0712", lambda: model().infer_train_layout(DATA)),
    "a layout of prediction": ("E0712", lambda: model().infer_predict_layout(DATA[0][0])),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_place(case):
    code, call = REFUSED[case]
    with pytest.raises(S2sadError) as caught:
        call()
    assert caught.value.code == code, caught.value
    place = caught.value.diagnostic.place
    assert place is not None and place.file in (__file__, model.__code__.co_filename)


def test_nothing_is_compiled_ahead_in_pynative_mode():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(S2sadError, match="Model.build compiles") as caught:
        model().build(DATA)
    assert caught.value.code == "E0712"


@pytest.mark.parametrize("case", ["a column too many", "a column that the network lacks"])
def test_refused_columns_say_what_to_do(case, mode):
    with pytest.raises(S2sadError) as caught:
        REFUSED[case][1]()
    assert caught.value.diagnostic.help and "f32[4, 3]" in str(caught.value)
