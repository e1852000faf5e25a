"""Which values fit into a network, and what is said of those that do not?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import S2sadError


class Net(nn.Cell):
    def __init__(self, **parameters):
        super().__init__()
        for name, value in parameters.items():
            setattr(self, name, ms.Parameter(value, name=name))

    def construct(self):
        return 0


def tensor(values, dtype=ms.float32):
    return ms.Tensor(values, dtype)


def given(**values):
    return {name: ms.Parameter(value, name=name) for name, value in values.items()}


def test_both_lists():
    net = Net(a=tensor([1.0]), b=tensor([2.0]))
    left = ms.load_param_into_net(net, {**given(b=tensor([5.0]), c=tensor(1.0)), "text": "x"})
    assert left == (["a"], ["c", "text"])
    assert (net.a.tolist(), net.b.tolist()) == ([1.0], [5.0])


def test_values_are_copies():
    net, values = Net(a=tensor([1.0])), given(a=tensor([5.0]))
    ms.load_param_into_net(net, values)
    values["a"].asnumpy()[0] = 9.0
    assert net.a.tolist() == [5.0] and net.a.version == 1


def test_a_parameter_that_two_cells_share_is_one():
    net = nn.CellList([Net(a=tensor([1.0])), Net(b=tensor([2.0]))])
    net[1].b = net[0].a
    name = net[0].a.name
    assert ms.load_param_into_net(net, {name: ms.Parameter([5.0])}) == ([], [])
    assert net[1].b.tolist() == [5.0]


@pytest.mark.parametrize(
    ("own", "value"),
    [((), (1,)), ((), (1, 1)), ((2,), (2, 1)), ((2, 3), (2, 3, 1, 1)), ((0,), (0, 1))],
)
def test_more_axes_of_size_one_at_the_end_fit(own, value):
    net = Net(a=ms.Tensor(np.zeros(own)))
    numbers = np.arange(1.0, 1 + int(np.prod(value))).reshape(value)
    assert ms.load_param_into_net(net, given(a=ms.Tensor(numbers)), True) == ([], [])
    assert net.a.shape == own
    np.testing.assert_array_equal(net.a.asnumpy(), numbers.reshape(own))


@pytest.mark.parametrize(
    ("own", "value"),
    [((2,), (3,)), ((1,), ()), ((2, 1), (2,)), ((2, 3), (3, 2)), ((2,), (1, 2)), ((4,), (2, 2))],
)
def test_other_shapes_do_not_fit(own, value):
    net = Net(a=ms.Tensor(np.zeros(own)))
    with pytest.raises(RuntimeError) as caught:
        ms.load_param_into_net(net, given(a=ms.Tensor(np.zeros(value))))
    assert caught.value.code == "E0711"
    assert f"a: expected shape {own}, got {value}" in str(caught.value)
    assert caught.value.diagnostic.location.file == __file__


FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]
INTEGERS = [ms.int8, ms.int16, ms.int32, ms.int64]
ALL = [*FLOATS, *INTEGERS, ms.uint8, ms.bool_]


@pytest.mark.parametrize("own", ALL, ids=str)
@pytest.mark.parametrize("value", ALL, ids=str)
def test_dtypes(own, value):
    net = Net(a=tensor([0, 0], ms.float32).astype(own))
    values = given(a=tensor([1, 0]).astype(value))
    may = own is value or any(own in kind and value in kind for kind in (FLOATS, INTEGERS))
    if may:
        assert ms.load_param_into_net(net, values) == ([], [])
        assert net.a.dtype is own and net.a.tolist() == [1, 0]
    for strict in [True] if may else [True, False]:
        if own is value:
            ms.load_param_into_net(net, values, strict)
        else:
            with pytest.raises(RuntimeError, match=f"a: expected {own.name}, got {value.name}"):
                ms.load_param_into_net(net, values, strict_load=strict)


def test_a_float_is_rounded_once():
    numbers = np.array([1 / 3, -0.0, np.nan, np.inf, 1e-50, 65504.0])
    for dtype in (ms.float32, ms.float16, ms.bfloat16):
        net = Net(a=ms.Tensor(np.zeros(6)).astype(dtype))
        ms.load_param_into_net(net, given(a=ms.Tensor(numbers)))
        assert net.a.array.tobytes() == ms.Tensor(numbers).astype(dtype).array.tobytes()


@pytest.mark.parametrize(
    ("value", "own", "lost"),
    [
        (tensor([1, 300], ms.int64), ms.int8, "300 does not fit int8"),
        (tensor([2**31], ms.int64), ms.int32, "2147483648 does not fit int32"),
        (tensor([1e39], ms.float64), ms.float32, "1e+39 does not fit float32"),
        (tensor([70000.0]), ms.float16, "70000.0 does not fit float16"),
        (tensor([3.38e38]), ms.bfloat16, None),
        (tensor([3.4e38]), ms.bfloat16, "does not fit bfloat16"),
    ],
)
def test_no_number_is_lost(value, own, lost):
    net = Net(a=ms.Tensor(np.zeros(value.shape)).astype(own))
    if lost is None:
        assert ms.load_param_into_net(net, given(a=value)) == ([], [])
        return
    with pytest.raises(RuntimeError) as caught:
        ms.load_param_into_net(net, given(a=value))
    assert lost in str(caught.value) and "a: " in str(caught.value)


def test_all_that_does_not_fit_is_said_and_nothing_is_loaded():
    net = Net(a=tensor([1.0]), b=tensor([2.0]), c=tensor([3.0]))
    values = given(a=tensor([5.0]), b=tensor([5.0, 6.0]), c=tensor([5], ms.int32))
    with pytest.raises(S2sadError) as caught:
        ms.load_param_into_net(net, values)
    text = str(caught.value)
    assert "b: expected shape (1,), got (2,)" in text and "c: expected float32, got int32" in text
    assert [x.tolist() for x in net.get_parameters()] == [[1.0], [2.0], [3.0]]


def test_a_text_is_no_value():
    with pytest.raises(S2sadError, match="a: expected float32 of shape .1,., got the text 'x'"):
        ms.load_param_into_net(Net(a=tensor([1.0])), {"a": "x"})


def test_names_behind_a_prefix():
    values = given(**{"net.a": tensor([5.0]), "net.b": tensor([6.0]), "other": tensor([7.0])})
    net = Net(a=tensor([1.0]), b=tensor([2.0]))
    assert ms.load_param_into_net(net, values) == ([], ["net.a", "net.b", "other"])
    assert (net.a.tolist(), net.b.tolist()) == ([5.0], [6.0])
    net = Net(a=tensor([1.0]), b=tensor([2.0]))
    assert ms.load_param_into_net(net, values, strict_load=True)[0] == ["a", "b"]
    assert net.a.tolist() == [1.0]


def test_a_prefix_ends_with_a_dot_and_takes_no_name_of_another():
    net = Net(w=tensor([1.0]))
    assert ms.load_param_into_net(net, given(raw=tensor([5.0])))[0] == ["w"]
    net = Net(w=tensor([1.0]))
    net.inner = Net(w=tensor([2.0]))
    values = given(**{"inner.w": tensor([5.0])})
    assert ms.load_param_into_net(net, values) == (["w"], [])
    assert (net.w.tolist(), net.inner.w.tolist()) == ([1.0], [5.0])


def test_several_prefixes():
    net = Net(a=tensor([1.0]), b=tensor([2.0]), c=tensor([3.0]))
    values = given(**{"x.a": tensor([5.0]), "y.b": tensor([6.0]), "x.c": tensor([7.0])})
    assert ms.load_param_into_net(net, values)[0] == []
    assert [x.tolist() for x in net.get_parameters()] == [[5.0], [6.0], [7.0]]


@pytest.mark.parametrize(
    ("net", "values", "settings", "code"),
    [
        (3, {}, {}, "E0304"),
        (Net(), 3, {}, "E0303"),
        (Net(), {"a": ms.Tensor([1.0])}, {}, "E0304"),
        (Net(), {"a": np.zeros(1)}, {}, "E0304"),
        (Net(), {1: ms.Parameter(1.0)}, {}, "E0304"),
        (Net(), {}, {"strict_load": 1}, "E0303"),
        (Net(), {}, {"remove_redundancy": True}, "E0712"),
        (Net(), {}, {"remove_redundancy": None}, "E0303"),
    ],
)
def test_refused(net, values, settings, code):
    with pytest.raises(S2sadError) as caught:
        ms.load_param_into_net(net, values, **settings)
    assert caught.value.code == code
    assert caught.value.diagnostic.location.file == __file__


def test_names_that_clash_are_refused():
    net = Net(a=tensor([1.0]), b=tensor([1.0]))
    net.b.name = "a"
    with pytest.raises(S2sadError, match="two Parameters of Net have the name 'a'"):
        ms.load_param_into_net(net, given(a=tensor([5.0])))


def test_an_optimizer_is_loaded_as_a_cell_is(tmp_path):
    def build():
        net = nn.Dense(2, 1)
        return net, nn.Adam(net.trainable_params(), 0.1)

    net, optimizer = build()
    optimizer([ms.ops.ones_like(x) for x in net.trainable_params()])
    ms.save_checkpoint(optimizer, tmp_path / "a")
    net, other = build()
    assert ms.load_param_into_net(other, ms.load_checkpoint(tmp_path / "a.ckpt")) == ([], [])
    for one, two in zip(optimizer.get_parameters(), other.get_parameters(), strict=True):
        assert one.name == two.name and one.array.tobytes() == two.array.tobytes()
    assert int(other.global_step.item()) == 1
