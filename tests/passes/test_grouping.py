"""May groups join that do not wait for one another, and only those?"""

from __future__ import annotations

from random import Random

import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Operation
from s2sad.ir.types import f64
from s2sad.passes import grouping
from s2sad.passes.grouping import Grouping


def grouped(run) -> tuple[Grouping, dict[str, Operation]]:
    """The grouping of a function, and its operations by the names of their results."""
    function = build_function(run, [f64[3]])
    found = {op.result.name or "": op for op in function.body.operations}
    return Grouping(function.body), found


def named(name: str, value):
    value.name = name
    return value


def diamond(x):
    a = named("a", p.neg(x))
    b = named("b", p.exp(a))
    c = named("c", p.mul(a, b))
    return named("d", p.neg(c))


def test_what_reads_directly_may_join_unless_it_waits_for_a_third():
    groups, op = grouped(diamond)
    assert groups.may_join(op["a"], op["b"]) and groups.may_join(op["b"], op["c"])
    assert not groups.may_join(op["a"], op["c"])  # c waits for b, and b for a
    groups.join(op["b"], op["c"], [op["b"], op["c"]])
    assert groups.may_join(op["a"], op["b"])


def test_a_group_waits_for_what_any_of_it_waits_for():
    def run(x):
        a = named("a", p.neg(x))
        b = named("b", p.exp(a))
        c = named("c", p.neg(x))
        d = named("d", p.add(b, c))
        return d, named("e", p.add(c, a))

    groups, op = grouped(run)
    assert groups.may_join(op["a"], op["e"]) and groups.may_join(op["c"], op["d"])
    groups.join(op["c"], op["d"], [op["c"], op["d"]])
    assert not groups.may_join(op["a"], op["e"])  # e waits for c, which is with d: for b, for a


def test_where_the_answer_takes_long_it_is_no(monkeypatch):
    def run(x):
        early, late = named("early", p.neg(x)), p.exp(x)
        for _ in range(10):
            late = p.exp(late)
        return named("late", p.add(early, late)), p.exp(early)

    groups, op = grouped(run)
    assert groups.may_join(op["early"], op["late"])
    monkeypatch.setattr(grouping, "MOST_ASKED", 5)
    assert not groups.may_join(op["early"], op["late"])


def waits_through_third(groups: Grouping, one: Operation, other: Operation) -> bool:
    """By the definition: along what is read, group by group."""

    def read(group):
        owners = (v.owner for op in groups.members[group] for v in op.operands)
        leaders = {groups.leader[o] for o in owners if o in groups.number}
        return leaders - {group}

    todo, seen = list(read(other) - {one}), set()
    while todo:
        group = todo.pop()
        if group is one:
            return True
        if group not in seen:
            seen.add(group)
            todo += read(group)
    return False


@pytest.mark.parametrize("seed", range(40))
def test_random_groups(seed):
    """Every answer is that of the definition, and in the end all groups stand in one piece."""
    random = Random(seed)

    def run(x):
        values = [x]
        for _ in range(40):
            values.append(p.add(random.choice(values[-6:]), random.choice(values)))
        return values[1:]

    groups, _ = grouped(run)
    for _ in range(120):
        reader = random.choice(groups.operations)
        owners = [v.owner for v in reader.operands if v.owner in groups.number]
        if not owners:
            continue
        one, other = groups.leader[random.choice(owners)], groups.leader[reader]
        if one is other:
            continue
        may = groups.may_join(one, other)
        assert may is not waits_through_third(groups, one, other)
        if may:
            members = groups.members[one] + groups.members[other]
            groups.join(one, other, sorted(members, key=groups.number.__getitem__))
    order = groups.in_one_piece()
    place = {op: i for i, op in enumerate(order)}
    assert sorted(order, key=groups.number.__getitem__) == groups.operations
    for op in order:
        assert all(place[v.owner] < place[op] for v in op.operands if v.owner in place)
    for members in groups.members.values():
        first = place[members[0]]
        assert order[first : first + len(members)] == members
