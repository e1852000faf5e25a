# s2sad ir 1 · vjp of snapshot_programs.repeated
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("w", "residuals[1]", "residuals[2]", "residuals[3]", "cotangent:0"), donates={}, tree="((0, 1), ())", consts=None)
def repeated_vjp(w: f64[2], tape_x: Stack[f64[2]], trips: i64, tape: Stack[f64[2]], dout: f64):
    dx = p.broadcast_to(p.reshape(dout, shape=(1,)), shape=(2,))  #@ tests/support/snapshot_programs.py:30:11
    dw, dx_1 = p.const(0.0, f64[2]), dx
    for k in range(trips):                  #@ tests/support/snapshot_programs.py:28:4
        t0 = tape.pop()
        x = tape_x.pop()
        t1 = dx_1 * (1.0 - t0 * t0)         #@ tests/support/snapshot_programs.py:29:12
        dx_2 = t1 * w                       #@ tests/support/snapshot_programs.py:29:21
        dw_1 = dw + t1 * x                  #@ tests/support/snapshot_programs.py:29:21
        dw, dx_1 = dw_1, dx_2
    p.stack_drop(tape)
    p.stack_drop(tape_x)
    return dx_1, dw
