"""Operators that use more of the device than their inputs: graphs, queues, stacks, the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.device.graphs import ACTIONS, Action, Runner
from s2sad.backends.ascend.device.meanings.base import option
from s2sad.backends.ascend.device.tensors import Tensor, opened, storage_of
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail


def _acts(*types: str) -> Callable[[Action], Action]:
    def register(action: Action) -> Action:
        ACTIONS.update(dict.fromkeys(types, action))
        return action

    return register


def _held(given: Sequence[Tensor | None]) -> list[Tensor]:
    return [tensor for tensor in given if tensor is not None]


# Graphs


@_acts("If")
def _if(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    condition, *inputs = _held(given)
    return runner.call(node, 0 if np.any(condition.value) else 1, inputs)


@_acts("PartitionedCall")
def _call(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    return runner.call(node, 0, _held(given))


@_acts("While")
def _while(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    memory, values = runner.device.memory, [tensor.as_value() for tensor in _held(given)]
    for value in values:
        memory.hold(value.block)
    while True:
        (goes_on,) = runner.call(node, 0, values)
        is_done = not np.any(goes_on.value)
        memory.release(goes_on.block)
        if is_done:
            return values
        after = runner.call(node, 1, values)
        for value in values:
            memory.release(value.block)
        values = after


@_acts("NetOutput", "NoOp")
def _nothing(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    return ()


# Memory that has a name


@_acts("Variable")
def _variable(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    variables, desc = runner.device.variables, node.output_descs[0]
    if node.name not in variables:
        block = runner.device.memory.take(node.name, desc.nbytes or 0, "state")
        variables[node.name] = Tensor(None, desc, block, is_state=True)
    found = variables[node.name]
    if (found.desc.type, found.desc.shape) != (desc.type, desc.shape):
        raise fail("E0717", f"the variable {node.name} is {found.desc} elsewhere, and {desc} here")
    runner.device.memory.hold(found.block)
    return [found]


@_acts("Stack")
def _stack(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    name = option(node, "stack_name")
    runner.device.stacks[name] = []
    return [runner.tensor(f"{node.name}:0", name, node.output_descs[0])]


def _elements_of(runner: Runner, handle: Tensor) -> list[Tensor]:
    found = runner.device.stacks.get(handle.value)
    if found is None:
        raise fail("E0717", f"there is no stack {handle.value!r}, or it is closed")
    return found


@_acts("StackPush")
def _push(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    handle, element = _held(given)
    _elements_of(runner, handle).append(element.as_value())
    for _ in range(2):  # the stack and the result
        runner.device.memory.hold(element.block)
    return [element.as_value()]


@_acts("StackPop")
def _pop(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    (handle,) = _held(given)
    elements = _elements_of(runner, handle)
    if not elements:
        raise fail("E0717", f"nothing is left in the stack {handle.value!r}")
    return [elements.pop()]


@_acts("StackClose")
def _close(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    (handle,) = _held(given)
    for element in _elements_of(runner, handle):
        runner.device.memory.release(element.block)
    del runner.device.stacks[handle.value]
    return ()


# The host


@_acts("GetNext")
def _next(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    """A device would wait for a batch for ever; there is none to come here."""
    channel = option(node, "channel_name")
    waiting = runner.device.queues.get(channel)
    if waiting is None:
        raise fail("E0706", f"there is no queue {channel!r}")
    if not waiting and channel in runner.device.sources:
        waiting.append(next(runner.device.sources[channel], None))
    if not waiting:
        raise fail("E0706", f"nothing is in the queue {channel!r}")
    if waiting[0] is None:
        raise fail("E0706", f"the queue {channel!r} is at its end")
    runner.device.items += 1
    batch = waiting.pop(0)
    return [
        runner.tensor(f"{node.name}:{i}", array, desc, "input")
        for i, (array, desc) in enumerate(zip(batch, node.output_descs, strict=True))
    ]


@_acts("InitData")
def _init_data(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    runner.device.queues.setdefault(option(node, "channel_name"), [])
    return ()


def _numbers(given: Sequence[Tensor]) -> list[Any]:
    return [opened(tensor.value, tensor.desc) for tensor in given]


@_acts("Print")
def _print(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    """Tensors one after the other, or in the text that lies beside the node."""
    numbers = _numbers(_held(given))
    text = node.value("_s2sad_format")
    shown = "\n".join(map(str, numbers)) if text is None else text.format(*numbers)
    runner.device.printed.append(shown)
    return ()


@_acts("Assert")
def _assert(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    condition, *seen = _held(given)
    if not np.all(condition.value):
        text = node.value("_s2sad_message", "an assertion does not hold")
        notes = tuple(f"seen: {x}" for x in _numbers(seen[: option(node, "summarize")]))
        raise fail("E0701", text, notes=notes)
    return ()


@_acts("Bitcast")
def _bitcast(runner: Runner, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
    """Elements of another size come from, or go to, a last axis."""
    (x,) = _held(given)
    desc = node.output_descs[0]
    value = x.value.reshape(-1).view(storage_of(desc.type)).reshape(desc.shape)
    return [runner.tensor(f"{node.name}:0", value, desc)]
