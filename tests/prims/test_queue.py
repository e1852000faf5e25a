"""Do programs reach their host by a channel, and only there?"""

from __future__ import annotations

import threading
from contextvars import copy_context

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.primitive import Trait
from s2sad.ir.types import Token, bf16, bool_, f32, i64
from s2sad.prims.channel import Channel, served, serving


def refused(run, *types):
    with pytest.raises(S2sadError) as caught:
        build_function(run, types)
    return caught.value.code


def test_types():
    function = build_function(lambda t: p.queue_next(t, types=(bf16[2], f32), queue="q"), [Token])
    assert function.result_types == (Token, bool_, bf16[2], f32)
    function = build_function(lambda t, x: p.queue_keep(t, x, queue="q"), [Token, bf16[2]])
    assert function.result_types == (Token, bf16[2])
    prims = (p.queue_next, p.queue_report, p.queue_keep)
    assert all(q.has(Trait.EFFECT) and q.has(Trait.FALLIBLE) and q.nondiff for q in prims)


def test_what_does_not_fit():
    assert refused(lambda x: p.queue_next(x, types=(f32,), queue="q"), f32) == "E0304"
    assert refused(lambda x: p.queue_report(x, queue="q"), f32) == "E0304"
    assert refused(lambda t: p.queue_keep(t, t, queue="q"), Token) == "E0304"
    assert refused(lambda t: p.queue_next(t, types=f32, queue="q"), Token) == "E0303"
    for prim in (p.queue_report, p.queue_keep):
        assert refused(lambda t, prim=prim: prim(t, queue=3), Token) == "E0303"
    assert refused(lambda t: p.queue_next(t, types=(), queue=3), Token) == "E0303"


def test_names():
    with pytest.raises(S2sadError, match="E0512.*'q'"):
        p.queue_report(Token, queue="q")
    channel = Channel()
    with serving("q", channel), serving("r", Channel()):
        assert served("q") is channel
        with pytest.raises(S2sadError, match="E0512.*already"), serving("q", Channel()):
            pass
        outside, inside = [], []
        for found, run in ((outside, lambda work: work()), (inside, copy_context().run)):
            thread = threading.Thread(target=run, args=(lambda found=found: found.append(ask()),))
            thread.start()
            thread.join()
        assert inside == [channel] and outside == [None]
    with pytest.raises(S2sadError, match="E0512"):
        served("q")


def ask() -> Channel | None:
    try:
        return served("q")
    except S2sadError:
        return None


def test_batches_of_other_types():
    with serving("q", Channel.over([[np.zeros(2)]])), pytest.raises(S2sadError, match="E0303"):
        p.queue_next(Token, types=(i64,), queue="q")


def test_bf16_is_moved_as_it_is_stored():
    x = np.array([0x3F80, 0x7FC1], np.uint16)
    with serving("q", Channel.over([[x]])) as channel:
        _, more, found = p.queue_next(Token, types=(bf16[2],), queue="q")
        p.queue_report(Token, found, queue="q")
        assert more and found.tolist() == x.tolist() and not found.flags.writeable
        assert p.queue_next(Token, types=(bf16[2],), queue="q")[2].dtype == np.uint16
    assert channel.reports()[0][0].tolist() == x.tolist()


def test_what_is_kept_is_in_c_order():
    x = np.arange(6.0).reshape(2, 3).T
    with serving("q", Channel()) as channel:
        _, kept, other = p.queue_keep(Token, x, np.array(1), queue="q")
    assert kept.flags.c_contiguous and (kept == x).all() and other == 1
    assert channel.state[0] is kept and channel.steps == 1
