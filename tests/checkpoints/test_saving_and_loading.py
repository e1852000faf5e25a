"""Does what is saved come back, whatever it is and however it is given?"""

from __future__ import annotations

import os
import stat
import threading
import time
import warnings

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.checkpoints import ckpt, files, saving
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError

FORMATS = ["ckpt", "safetensors"]
SHAPES = [(), (1,), (0,), (7,), (2, 3), (2, 0, 3), (1, 1, 1, 1, 5)]
NAMES = [
    "w",
    "a.b.c",
    "ü/π 😀",
    "x" * 50_000,
    'quote"\\\n\t',
    " ",
    "crc_num",
    "__param_key__",
    "format",
    "0",
]


def values(dtype, shape):
    """A Tensor of what is hard to keep: NaN, infinities, -0.0, the least and the largest."""
    size = int(np.prod(shape))
    if dtype.is_float:
        hard = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-3, -2.5])
        return ms.Tensor(np.resize(hard, size).reshape(shape)).astype(dtype)
    if dtype is dtypes.bool_:
        return ms.Tensor(np.resize([True, False], size).reshape(shape))
    least, largest = np.iinfo(dtype.storage).min, np.iinfo(dtype.storage).max
    return ms.Tensor(np.resize(np.array([least, largest, 1], dtype.storage), size).reshape(shape))


def same(one, other):
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    assert one.array.tobytes() == other.array.tobytes()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("slice_size", [2**29, 5])
def test_all_dtypes_and_shapes(tmp_path, monkeypatch, format, slice_size):
    monkeypatch.setattr(ckpt, "SLICE", slice_size)
    saved = {f"{x.name}{shape}": values(x, shape) for x in dtypes.ALL for shape in SHAPES}
    ms.save_checkpoint(saved, str(tmp_path / "all"), format=format, crc_check=True)
    found = ms.load_checkpoint(str(tmp_path / f"all.{format}"), format=format, crc_check=True)
    assert sorted(found) == sorted(saved)
    for name, tensor in saved.items():
        assert isinstance(found[name], ms.Parameter) and found[name].name == name
        same(found[name], tensor)


@pytest.mark.parametrize("format", FORMATS)
def test_names(tmp_path, format):
    saved = {name: ms.Tensor(i) for i, name in enumerate(NAMES)}
    ms.save_checkpoint(saved, tmp_path / "a", format=format)
    found = ms.load_checkpoint(tmp_path / f"a.{format}", format=format)
    assert {name: int(x) for name, x in found.items()} == {x: i for i, x in enumerate(NAMES)}


@pytest.mark.parametrize("format", FORMATS)
def test_arrays_that_are_not_in_order(tmp_path, format):
    array = np.arange(24.0).reshape(2, 3, 4)
    given = ms.Tensor.from_numpy(array[:, ::-1].T)
    ms.save_checkpoint({"w": given}, tmp_path / "a", format=format)
    same(ms.load_checkpoint(tmp_path / f"a.{format}", format=format)["w"], given)


def test_a_ckpt_keeps_the_order_of_what_is_saved(tmp_path):
    ms.save_checkpoint({"b": ms.Tensor(1), "a": "text"}, tmp_path / "a", append_dict={"0": 2})
    assert list(ms.load_checkpoint(tmp_path / "a.ckpt")) == ["b", "a", "0"]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)
        self.norm = nn.BatchNorm1d(2)
        self.frozen = ms.Parameter(ms.Tensor([1, 2]), name="frozen", requires_grad=False)
        self.register_buffer("seen", ms.Tensor([5.0]))
        self.register_buffer("scratch", ms.Tensor([6.0]), persistent=False)

    def construct(self, x):
        return self.norm(self.fc(x)) + self.seen


@pytest.mark.parametrize("format", FORMATS)
def test_a_cell_has_parameters_and_buffers(tmp_path, format):
    one, other = Net(), Net()
    one.norm.moving_mean.set_data(ms.Tensor([3.0, 4.0]))
    one.seen = ms.Tensor([7.0])
    ms.save_checkpoint(one, tmp_path / "net", format=format)
    found = ms.load_checkpoint(tmp_path / f"net.{format}", format=format)
    assert sorted(found) == sorted([*one.parameters_dict(), "seen"])
    assert ms.load_param_into_net(other, found) == ([], [])
    for a, b in zip(one.get_parameters(), other.get_parameters(), strict=True):
        assert a.name == b.name
        same(a, b)
    assert other.seen.tolist() == [7.0] and other.scratch.tolist() == [6.0]
    x = ms.Tensor(np.ones((4, 3), np.float32))
    assert one(x).tolist() == other(x).tolist()


def test_compiled_code_sees_what_was_loaded(tmp_path):
    one, other = Net(), Net()
    ms.save_checkpoint(one, tmp_path / "net")
    run = ms.compile(other)
    x = ms.Tensor(np.ones((4, 3), np.float32))
    run(x)
    ms.load_checkpoint(tmp_path / "net.ckpt", other)
    assert run(x).tolist() == one(x).tolist()


def test_forms_of_what_is_saved(tmp_path):
    w = ms.Parameter([1.0, 2.0], name="w")
    forms = [
        [w],
        (w,),
        [{"name": "w", "data": w}],
        [{"name": "w", "data": ms.Tensor([1.0, 2.0])}],
        {"w": w},
        {"w": np.array([1.0, 2.0], np.float32)},
    ]
    for form in forms:
        ms.save_checkpoint(form, tmp_path / "a.ckpt")
        (found,) = ms.load_checkpoint(tmp_path / "a.ckpt").values()
        same(found, w)


def test_what_is_appended(tmp_path):
    generator = ms.Generator().manual_seed(5)
    more = {
        "epoch_num": 3, "lr": 0.1, "done": True, "who": "me", "empty": "", "wide": ms.Tensor(0.1),
        "parameter": ms.Parameter([1.0], name="p"), "rng": generator, "negative": -(2**63),
    }  # fmt: skip
    ms.save_checkpoint([], tmp_path / "a", append_dict=more)
    found = ms.load_checkpoint(tmp_path / "a.ckpt")
    assert list(found) == list(more)
    assert (int(found["epoch_num"]), found["epoch_num"].dtype) == (3, ms.int64)
    assert (found["lr"].item(), found["lr"].dtype) == (float(np.float32(0.1)), ms.float32)
    assert bool(found["done"]) is True and found["done"].dtype is ms.bool_
    assert (found["who"], found["empty"]) == ("me", "")
    assert int(found["negative"]) == -(2**63) and found["parameter"].tolist() == [1.0]
    other = ms.Generator()
    other.set_state(found["rng"])
    assert other.get_state().tolist() == generator.get_state().tolist()
    assert list(more) == list(found)  # nothing was taken out of the dict


def test_choices(tmp_path):
    saved = {name: ms.Tensor(1) for name in ("conv1.w", "conv2.w", "fc.w")}
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint(
        saved, path, choice_func=lambda name: name[0] == "c", append_dict={"step": 1}
    )
    assert list(ms.load_checkpoint(path)) == ["conv1.w", "conv2.w", "step"]

    def load(**settings):
        return list(ms.load_checkpoint(path, **settings))

    assert load(choice_func=lambda name: name == "step") == ["step"]
    assert load(specify_prefix="conv") == ["conv1.w", "conv2.w"]
    assert load(filter_prefix=["conv1", "st"]) == ["conv2.w"]
    assert load(specify_prefix="conv", filter_prefix=("conv2",)) == ["conv1.w"]
    assert load(specify_prefix="conv1", choice_func=lambda name: False) == ["conv1.w"]
    with pytest.raises(S2sadError, match="nothing of .* is left") as caught:
        load(specify_prefix="none")
    assert caught.value.code == "E0404" and caught.value.diagnostic.location is not None


def test_the_ending_is_added_once_and_must_agree(tmp_path):
    w = {"w": ms.Tensor(1)}
    for name in ("a", "a.ckpt", "b.safetensors", "modelckpt"):
        ms.save_checkpoint(w, tmp_path / name)
    ms.save_checkpoint(w, tmp_path / "c", format="safetensors")
    expected = ["a.ckpt", "b.safetensors.ckpt", "c.safetensors", "modelckpt.ckpt"]
    assert sorted(os.listdir(tmp_path)) == expected
    with pytest.raises(ValueError, match=r"ends with .safetensors, got 'a.ckpt'"):
        ms.load_checkpoint(tmp_path / "a.ckpt", format="safetensors")
    with pytest.raises(ValueError, match="say format='safetensors'"):
        ms.load_checkpoint(tmp_path / "c.safetensors")


def test_the_file_is_read_only_and_is_replaced(tmp_path):
    path = tmp_path / "a.ckpt"
    for number in range(2):
        ms.save_checkpoint({"w": ms.Tensor(number)}, path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o400
        assert int(ms.load_checkpoint(path)["w"]) == number
    assert os.listdir(tmp_path) == ["a.ckpt"]


def test_what_was_loaded_does_not_change_with_the_file(tmp_path):
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint({"w": ms.Tensor([1.0])}, path)
    found = ms.load_checkpoint(path)["w"]
    path.chmod(0o600)
    path.write_bytes(bytes(path.stat().st_size))
    assert found.tolist() == [1.0]
    found.asnumpy()[0] = 2.0  # its memory is its own
    assert found.tolist() == [2.0]


def test_one_crc_is_asked_for_and_any_is_compared(tmp_path):
    for format in FORMATS:
        path = tmp_path / f"a.{format}"
        ms.save_checkpoint({"w": ms.Tensor([1.0, 2.0])}, path, format=format)
        with pytest.raises(S2sadError, match="holds no CRC") as caught:
            ms.load_checkpoint(path, format=format, crc_check=True)
        assert caught.value.code == "E0607"
        ms.save_checkpoint({"w": ms.Tensor([1.0, 2.0])}, path, format=format, crc_check=True)
        data = bytearray(path.read_bytes())
        data[data.index(np.float32(2.0).tobytes())] ^= 1
        path.chmod(0o600)
        path.write_bytes(data)
        for asked in (False, True):
            with pytest.raises(S2sadError, match="CRC-32") as caught:
                ms.load_checkpoint(path, format=format, crc_check=asked)
            assert caught.value.code == "E0607" and isinstance(caught.value, OSError)
            assert caught.value.diagnostic.location is not None
        assert ms.check_checkpoint(path) is False


def test_check_checkpoint(tmp_path):
    for format in FORMATS:
        ms.save_checkpoint({"w": ms.Tensor(1)}, tmp_path / "a", format=format)
        assert ms.check_checkpoint(tmp_path / f"a.{format}") is True
        (tmp_path / f"b.{format}").write_bytes(b"\x7f" * 9)
        assert ms.check_checkpoint(tmp_path / f"b.{format}") is False
    with pytest.raises(S2sadError) as caught:
        ms.check_checkpoint(tmp_path / "none.ckpt")
    assert caught.value.code == "E0604"


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_in_the_background_the_numbers_of_the_moment_are_saved(tmp_path, monkeypatch, how):
    path, w = tmp_path / "a.ckpt", ms.Parameter([1.0, 2.0], name="w")
    write, started, go = files.write, threading.Event(), threading.Event()

    def slow(*arguments):
        started.set()
        assert go.wait(30)
        write(*arguments)

    monkeypatch.setattr(files, "write", slow)
    ms.save_checkpoint([w], path, async_save=how)
    assert started.wait(30) and not path.exists()
    w.asnumpy()[:] = 5.0
    w.set_data(ms.Tensor([7.0, 8.0]))
    go.set()
    assert ms.load_checkpoint(path)["w"].tolist() == [1.0, 2.0]  # it waits


def test_saves_in_the_background_come_one_after_another(tmp_path):
    for number in range(5):
        ms.save_checkpoint({"n": ms.Tensor(number)}, tmp_path / "a", async_save=True)
    assert int(ms.load_checkpoint_async(str(tmp_path / "a.ckpt")).result()["n"]) == 4
    assert os.listdir(tmp_path) == ["a.ckpt"]


def test_a_save_in_the_background_that_fails_says_so(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(threading, "excepthook", lambda args: said.append(args.exc_value))
    ms.save_checkpoint({"n": ms.Tensor(1)}, tmp_path / "none" / "a.ckpt", async_save=True)
    saving.wait()
    (error,) = said
    assert error.code == "E0604"
    assert error.diagnostic.location.file == __file__


def test_training_goes_on_while_a_save_reads(tmp_path, monkeypatch):
    """A compiled step may write into memory that nobody else sees: what is being saved is seen."""
    net = nn.Dense(2, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    step = ms.compile(nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer))
    x, y = ms.Tensor(np.ones((1, 2), np.float32)), ms.Tensor(np.zeros((1, 1), np.float32))
    step(x, y)
    before = [x.asnumpy().copy() for x in net.get_parameters()]
    write = ckpt.write

    def with_a_step(file, entries, crc):
        step(x, y)
        write(file, entries, crc)

    monkeypatch.setattr(ckpt, "write", with_a_step)
    ms.save_checkpoint(net, tmp_path / "net")
    found = ms.load_checkpoint(tmp_path / "net.ckpt")
    assert [x.tolist() for x in found.values()] == [x.tolist() for x in before]
    assert net.weight.tolist() != before[0].tolist()


def test_loading_asynchronously(tmp_path):
    net = nn.Dense(2, 2)
    ms.save_checkpoint(net, tmp_path / "a", format="safetensors")
    other = nn.Dense(2, 2)
    found = ms.load_checkpoint_async(str(tmp_path / "a.safetensors"), other).result()
    assert sorted(found) == ["bias", "weight"]
    same(net.weight, other.weight)
    future = ms.load_checkpoint_async(str(tmp_path / "none.ckpt"))
    with pytest.raises(S2sadError, match="there is no file") as caught:
        future.result()
    assert caught.value.diagnostic.location.file == __file__


def test_loading_into_a_net_warns_of_what_got_no_value(tmp_path):
    ms.save_checkpoint({"wieght": ms.Parameter([[1.0]])}, tmp_path / "a")
    with pytest.warns(UserWarning, match="2 Parameters of Dense .* weight, bias; did you mean wie"):
        found = ms.load_checkpoint(tmp_path / "a.ckpt", nn.Dense(1, 1))
    assert list(found) == ["wieght"]
    net = nn.Dense(1, 1)
    ms.save_checkpoint(net, tmp_path / "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ms.load_checkpoint(tmp_path / "a.ckpt", net)


#: Calls that are refused: the code, and a part of what is said.
W = {"w": ms.Tensor(1)}
REFUSED_SAVES = [
    ((3, "a"), {}, "E0304", "a Cell, a list or a dict is saved, got a int"),
    ((W, 3), {}, "E0303", "ckpt_file_name is a str, got a int"),
    ((W, b"a"), {}, "E0303", "ckpt_file_name is a str, got a bytes"),
    ((W, ""), {}, "E0404", "the name of a file"),
    ((W, "a\0b"), {}, "E0404", "the name of a file"),
    ((W, "a"), {"format": "pt"}, "E0404", "'ckpt' or 'safetensors', got 'pt'"),
    ((W, "a"), {"integrated_save": 1}, "E0303", "integrated_save"),
    ((W, "a"), {"async_save": "fork"}, "E0404", "'thread' or 'process'"),
    ((W, "a"), {"async_save": 1}, "E0303", "async_save"),
    ((W, "a"), {"crc_check": "yes"}, "E0303", "crc_check"),
    ((W, "a"), {"enc_key": b"0123456789abcdef"}, "E0712", "neither encrypts nor decrypts"),
    ((W, "a"), {"enc_key": "secret"}, "E0303", "enc_key is None or bytes"),
    ((W, "a"), {"choice_func": "w"}, "E0303", "choice_func is a function"),
    ((W, "a"), {"append_dict": [1]}, "E0303", "append_dict is a dict"),
    ((W, "a"), {"append_dict": {"n": [1]}}, "E0304", "got a list under 'n'"),
    ((W, "a"), {"append_dict": {"n": None}}, "E0304", "got a NoneType under 'n'"),
    ((W, "a"), {"append_dict": {1: 1}}, "E0303", "a name in a checkpoint is a str, got 1"),
    ((W, "a"), {"append_dict": {"n": 2**63}}, "E0", "9223372036854775808"),
    ((W, "a"), {"append_dict": {"w": 1}}, "E0406", "two values have the name 'w'"),
    ((W, "a"), {"append_dict": {"t": "ends\0"}}, "E0404", "ends with a zero"),
    ((W, "a"), {"append_dict": {"t": "x"}, "format": "safetensors"}, "E0304", "holds no text"),
    ((W, "a"), {"incremental": True}, "E0712", "needs several devices"),
    ((W, "a"), {"incremential": True}, "E0302", "did you mean incremental?"),
    (({"": ms.Tensor(1)}, "a"), {}, "E0404", "must not be empty"),
    (({"\ud800": ms.Tensor(1)}, "a"), {}, "E0404", "it is no Unicode"),
    (({"__metadata__": ms.Tensor(1)}, "a"), {"format": "safetensors"}, "E0404", "has the name"),
    (({"w": 1}, "a"), {}, "E0304", "got a int under 'w'"),
    (({"w": np.zeros(2, np.uint32)}, "a"), {}, "E0301", "uint32"),
    (([ms.Tensor(1)], "a"), {}, "E0304", "got a Tensor"),
    (([{"name": "w"}], "a"), {}, "E0304", "dicts of name and data"),
]


@pytest.mark.parametrize(("args", "settings", "code", "said"), REFUSED_SAVES)
def test_refused_saves(tmp_path, monkeypatch, args, settings, code, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(S2sadError) as caught:
        ms.save_checkpoint(*args, **settings)
    assert caught.value.code.startswith(code) and said in str(caught.value)
    assert caught.value.diagnostic.location.file == __file__
    assert os.listdir(tmp_path) == []


REFUSED_LOADS = [
    ({"format": "pt"}, "E0404", "'ckpt' or 'safetensors'"),
    ({"net": 3}, "E0304", "loaded into a Cell, got a int"),
    ({"strict_load": 1}, "E0303", "strict_load"),
    ({"crc_check": 1}, "E0303", "crc_check"),
    ({"dec_key": b"0123456789abcdef"}, "E0712", "neither encrypts nor decrypts"),
    ({"dec_key": 3}, "E0303", "dec_key is None or bytes"),
    ({"remove_redundancy": True}, "E0712", "needs several devices"),
    ({"filter_prefix": 3}, "E0303", "filter_prefix is a str"),
    ({"specify_prefix": [3]}, "E0303", "specify_prefix is a str"),
    ({"specify_prefix": []}, "E0404", "specify_prefix has at least one prefix"),
    ({"filter_prefix": ""}, "E0404", "filter_prefix has at least one prefix"),
    ({"choice_func": 3}, "E0303", "choice_func is a function"),
]


@pytest.mark.parametrize(("settings", "code", "said"), REFUSED_LOADS)
def test_refused_loads(tmp_path, settings, code, said):
    ms.save_checkpoint(W, tmp_path / "a")
    with pytest.raises(S2sadError, match=said) as caught:
        ms.load_checkpoint(tmp_path / "a.ckpt", **settings)
    assert caught.value.code == code
    assert caught.value.diagnostic.location.file == __file__


def test_two_parameters_of_one_name_are_refused(tmp_path):
    pair = [ms.Parameter(1.0, name="w"), ms.Parameter(2.0, name="w")]
    with pytest.raises(S2sadError, match="two values have the name 'w'") as caught:
        ms.save_checkpoint(pair, tmp_path / "a")
    assert caught.value.code == "E0406"


def test_many_parameters_take_time_that_grows_with_their_number(tmp_path):
    def seconds(count):
        ms.save_checkpoint({f"p{i}": ms.Tensor(i) for i in range(count)}, tmp_path / "a")
        start = time.thread_time()
        assert len(ms.load_checkpoint(tmp_path / "a.ckpt")) == count
        return time.thread_time() - start

    few = min(seconds(500) for _ in range(3))
    assert seconds(5000) < 40 * few


def test_checkpoint_is_still_the_function_of_that_name(tmp_path):
    ms.save_checkpoint(W, tmp_path / "a")
    assert ms.checkpoint(lambda x: x + 1)(ms.Tensor([1.0])).tolist() == [2.0]


def test_load_says_that_it_cannot():
    with pytest.raises(RuntimeError, match="does not read MINDIR"):
        ms.load("net.mindir")
