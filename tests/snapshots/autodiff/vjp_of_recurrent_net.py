# s2sad ir 1 · vjp of snapshot_programs.Recurrent.construct
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("param:w", "residuals[1]", "residuals[2]", "cotangent:0"), donates={}, tree="((0,), (1,))", consts=None)
def construct_vjp(w: f64[3, 3], tape_h: Stack[f64[2, 3]], tape_h_1: Stack[f64[2, 3]], dout: f64[2, 3]):
    dw, dh = p.const(0.0, f64[3, 3]), dout
    for _ in range(2, -1, -1):              #@ tests/support/snapshot_programs.py:42:8
        h = tape_h_1.pop()
        h_1 = tape_h.pop()
        t0 = dh * (1.0 - h * h)             #@ tests/support/snapshot_programs.py:43:16
        dh_1 = p.matmul(t0, w, transpose_b=True)  #@ tests/support/snapshot_programs.py:43:25
        dw_1 = dw + p.matmul(h_1, t0, transpose_a=True)  #@ tests/support/snapshot_programs.py:43:25
        dw, dh = dw_1, dh_1
    p.stack_drop(tape_h_1)
    p.stack_drop(tape_h)
    return dh, dw
