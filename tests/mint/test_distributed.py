"""Does a world of one hold what it should after each exchange, and is a larger one refused?"""

from __future__ import annotations

import inspect

import pytest

import s2sad as ms
from s2sad.core.diagnostics import S2sadError
from s2sad.mint import distributed as dist


@pytest.fixture(autouse=True)
def ended():
    yield
    dist.destroy_process_group()


def rows():
    return ms.Tensor([[1.0, float("nan")], [-0.0, 2.0]])


def bits(x):
    return x.asnumpy().tobytes()


#: Of each function that writes one Tensor of the same shape, the call.
WRITING = {
    "all_gather": lambda out, x: dist.all_gather([out], x),
    "all_gather_into_tensor": lambda out, x: dist.all_gather_into_tensor(out, x),
    "all_gather_into_tensor_uneven": lambda o, x: dist.all_gather_into_tensor_uneven(o, x, [2]),
    "all_to_all": lambda out, x: dist.all_to_all([out], [x]),
    "all_to_all_single": lambda out, x: dist.all_to_all_single(out, x, [2], [2]),
    "gather": lambda out, x: dist.gather(x, [out]),
    "reduce_scatter": lambda out, x: dist.reduce_scatter(out, [x], "max"),
    "reduce_scatter_tensor": lambda out, x: dist.reduce_scatter_tensor(out, x, "avg"),
    "reduce_scatter_tensor_uneven": lambda o, x: dist.reduce_scatter_tensor_uneven(o, x, [2]),
    "scatter": lambda out, x: dist.scatter(out, [x]),
}


@pytest.mark.parametrize("name", WRITING)
def test_what_is_written(name):
    x, out = rows(), ms.ops.zeros((2, 2))
    assert WRITING[name](out, x) is None
    assert bits(out) == bits(rows())
    out.add_(1.0)
    assert bits(x) == bits(rows())
    for wrong, code in ((ms.ops.zeros((2, 3)), "E0401"), (ms.Tensor([[1, 2], [3, 4]]), "E0301")):
        with pytest.raises(S2sadError, match=code):
            WRITING[name](wrong, x)
    weight = ms.Parameter(ms.ops.zeros((2, 2)), name="w")
    WRITING[name](weight, x)
    assert bits(weight) == bits(rows())


@pytest.mark.parametrize("name", WRITING)
def test_compiled_code_writes_no_argument(name):
    with pytest.raises(S2sadError) as caught:
        ms.compile(lambda out, x: WRITING[name](out, x))(ms.ops.zeros((2, 2)), rows())
    assert caught.value.code == "E0104" and caught.value.diagnostic.location is not None


def test_what_stays_as_it_is():
    x = rows()
    assert dist.all_reduce(x) is None
    assert dist.broadcast(x, 0) is None and dist.reduce(x, 0, "prod") is None
    assert bits(x) == bits(rows())

    def run(x):
        dist.all_reduce(x, "sum")
        return x * 2

    assert ms.compile(run)(ms.Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_handles():
    handle = dist.all_reduce(rows(), async_op=True)
    assert handle is not None and handle.wait() is None and handle.is_completed()
    assert dist.barrier() is None and dist.barrier(async_op=True) is not None


def test_who_is_there():
    assert not dist.is_initialized() and dist.is_available()
    dist.init_process_group("mccl", init_method="tcp://127.0.0.1:10", world_size=1, rank=0)
    assert dist.is_initialized() and dist.get_backend() == "mccl"
    assert (dist.get_rank(), dist.get_world_size(), dist.get_process_group_ranks()) == (0, 1, [0])
    group = dist.new_group([0])
    assert group.startswith("hccl_1_") and dist.get_backend(group) == "hccl"
    assert (dist.get_world_size(group), dist.get_group_rank(group, 0)) == (1, 0)
    assert (dist.get_global_rank(group, 0), dist.get_rank(group)) == (0, 0)
    assert dist.get_world_size(dist.new_group()) == 1
    dist.destroy_process_group(group)
    with pytest.raises(S2sadError, match="E0404"):
        dist.get_world_size(group)


def test_objects_arrive_as_copies():
    thing, found = {"loss": [0.5]}, [None]
    for send in (
        lambda: dist.all_gather_object(found, thing),
        lambda: dist.gather_object(thing, found),
        lambda: dist.scatter_object_list(found, [thing]),
    ):
        found[0] = None
        send()
        assert found == [thing] and found[0] is not thing
    dist.broadcast_object_list(found, 0)
    assert found == [thing]


def test_launchers_of_several_processes_are_seen(monkeypatch):
    for name in ("MS_WORKER_NUM", "RANK_SIZE", "OMPI_COMM_WORLD_SIZE"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "2")
            with pytest.raises(RuntimeError, match=f"E0710.*{name}=2"):
                dist.init_process_group()
    monkeypatch.setenv("RANK_SIZE", "1")
    dist.init_process_group()


@pytest.mark.parametrize(
    ("code", "run"),
    [
        ("E0710", lambda: dist.init_process_group(world_size=2)),
        ("E0710", lambda: dist.init_process_group(rank=1)),
        ("E0404", lambda: dist.init_process_group("gloo")),
        ("E0404", lambda: dist.init_process_group(init_method="tcp://127.0.0.1:10")),
        ("E0404", lambda: dist.init_process_group(store=object())),  # type: ignore[arg-type]
        ("E0710", lambda: dist.new_group([0, 1])),
        ("E0710", lambda: dist.new_group([1])),
        ("E0303", lambda: dist.new_group(0)),  # type: ignore[arg-type]
        ("E0404", lambda: dist.new_group([0], backend="gloo")),
        ("E0404", lambda: dist.all_reduce(rows(), "mean")),
        ("E0303", lambda: dist.all_reduce(rows(), async_op=1)),  # type: ignore[arg-type]
        ("E0301", lambda: dist.all_reduce(ms.Tensor([True]))),
        ("E0304", lambda: dist.all_reduce(3.0)),
        ("E0404", lambda: dist.all_reduce(rows(), group="nobody")),
        ("E0710", lambda: dist.broadcast(rows(), 1)),
        ("E0404", lambda: dist.all_gather([rows(), rows()], rows())),
        ("E0303", lambda: dist.all_gather(rows(), rows())),  # type: ignore[arg-type]
        ("E0404", lambda: dist.all_to_all_single(rows(), rows(), [1, 1])),
        ("E0401", lambda: dist.all_gather_into_tensor(ms.Tensor(1.0), ms.Tensor(1.0))),
        ("E0712", lambda: dist.send(rows(), 1)),
        ("E0712", lambda: dist.recv(rows(), 0)),
        ("E0712", lambda: dist.isend(rows(), 1)),
        ("E0712", lambda: dist.irecv(rows(), 1)),
        ("E0712", lambda: dist.send_object_list([1], 1)),
        ("E0712", lambda: dist.recv_object_list([None], 1)),
        ("E0712", lambda: dist.batch_isend_irecv([dist.P2POp("isend", rows(), 1)])),
        ("E0303", lambda: dist.batch_isend_irecv([])),
        ("E0404", lambda: dist.P2POp("send", rows(), 1)),
        ("E0404", lambda: dist.P2POp(dist.isend, rows(), 1, tag=1)),
    ],
)
def test_what_is_refused(code, run):
    with pytest.raises(S2sadError) as caught:
        run()
    assert caught.value.code == code
    place = caught.value.diagnostic.location
    assert place is not None and place.file == __file__


def test_arguments_are_mindspores():
    expected = {
        "all_reduce": ["tensor", "op", "group", "async_op"],
        "all_gather_into_tensor": ["output_tensor", "input_tensor", "group", "async_op"],
        "all_gather": ["tensor_list", "tensor", "group", "async_op"],
        "broadcast": ["tensor", "src", "group", "async_op"],
        "reduce": ["tensor", "dst", "op", "group", "async_op"],
        "reduce_scatter": ["output", "input_list", "op", "group", "async_op"],
        "gather": ["tensor", "gather_list", "dst", "group", "async_op"],
        "scatter": ["tensor", "scatter_list", "src", "group", "async_op"],
        "barrier": ["group", "async_op", "device_ids"],
        "send": ["tensor", "dst", "group", "tag"],
    }
    for name, names in expected.items():
        assert list(inspect.signature(getattr(dist, name)).parameters) == names, name
    assert ms.mint.distributed is dist
