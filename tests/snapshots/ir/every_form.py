# s2sad ir 1 · main
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("token", "x", "n"), donates={}, tree="(0, 1, 2, 3, 4)", consts=None)
def main(token: Token, x: f32[3], n: i64) -> (Token, f32[3], i64[3], i64, f64[3]):
    t0: Token = p.print_(token, n, format="n is {}\n")  #@ net.py:3:8
    t1: f32[3]; t2: i64[3]
    t1, t2 = p.sort(x, axis=0, descending=True)  #@ net.py:3:8
    c0: i64 = p.const(3, i64)               #@ net.py:5:11 < train.py:9:4
    t3: bool_ = p.less(n, c0)               #@ net.py:5:11 < train.py:9:4
    t4: f32[3]
    if t3:                                  #@ net.py:5:11 < train.py:9:4
        t5: f32[3] = p.neg(x)               #@ net.py:5:11 < train.py:9:4
        t4 = t5
    else:
        c1: f32 = p.const(0.5, f32)         #@ net.py:5:11 < train.py:9:4
        t6: f32[3] = p.mul(x, c1)           #@ net.py:5:11 < train.py:9:4
        t4 = t6
    t7: Stack[f32[3]] = p.stack_empty(of=f32[3])
    c2: i64 = p.const(0, i64)
    c3: i64 = p.const(1, i64)
    t8: f32[3]; t9: Stack[f32[3]]
    t8, t9 = t4, t7
    for t10 in range(c2, n, c3):
        t11: f32[3] = p.tanh(t8)
        t12: Stack[f32[3]] = p.stack_push(t9, t8)
        t8, t9 = t11, t12
    t13: Stack[f32[3]]; t14: f32[3]
    t13, t14 = p.stack_pop(t9)
    p.stack_drop(t13)
    c4: i64 = p.const(0, i64)
    t15: i64; t16: f32[3]
    t15, t16 = c4, t8
    while True:
        t17: bool_ = p.less(t15, n)
        if not t17: break
        c5: i64 = p.const(1, i64)
        t18: i64 = p.add(t15, c5)
        t19: f32[3] = p.sin(t16)
        t15, t16 = t18, t19
    @region
    def body_0(t20: f32[3], t21: f32[3]) -> f32[3]:
        t22: f32[3] = p.exp(t20)
        t23: f32[3] = p.add(t22, t21)
        return t23
    t24: f32[3] = p.checkpoint(t16, t14, body=body_0)
    c6: f32[3] = p.const((0.0, 1.0, 2.0), f32[3])
    t25: f32[3] = p.add(t24, c6)
    t26: f64[3] = p.cast(t25, dtype=f64)
    return t0, t1, t2, t15, t26
