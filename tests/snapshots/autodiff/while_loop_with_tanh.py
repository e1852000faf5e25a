# s2sad ir 1 · snapshot_programs.repeated
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("x", "w"), donates={}, tree="(0, (1, 2))", consts=None)
def repeated_joint(x: f64[2], w: f64[2]):
    tape_t3 = p.stack_empty(of=f64[2])
    tape_x_1 = p.stack_empty(of=f64[2])
    trips, x_1 = p.const(0, i64), x
    while p.reduce_sum(x_1, axis=(0,)) < 3.0:  #@ tests/support/snapshot_programs.py:28:4
        tape_x_1.append(x_1)
        trips_1 = trips + 1                 #@ tests/support/snapshot_programs.py:28:4
        t0 = p.tanh(x_1 * w)                #@ tests/support/snapshot_programs.py:29:12
        tape_t3.append(t0)                  #@ tests/support/snapshot_programs.py:29:12
        x_2 = t0 + 1.0                      #@ tests/support/snapshot_programs.py:29:12
        tape_x_1, trips, tape_t3, x_1 = tape_x_1, trips_1, tape_t3, x_2
    dw = p.const(0.0, f64[2])
    dx_1 = p.const(1.0, f64[2])
    t1 = p.reduce_sum(x_1, axis=(0,))       #@ tests/support/snapshot_programs.py:30:11
    dw_1, dx = dw, dx_1
    for k in range(trips):                  #@ tests/support/snapshot_programs.py:28:4
        t3_1 = tape_t3.pop()
        x_1_1 = tape_x_1.pop()
        dt2 = dx * (1.0 - t3_1 * t3_1)      #@ tests/support/snapshot_programs.py:29:12
        dx_1_2 = dt2 * w                    #@ tests/support/snapshot_programs.py:29:21
        dw_2 = dw_1 + dt2 * x_1_1           #@ tests/support/snapshot_programs.py:29:21
        tape_t3, tape_x_1, dw_1, dx = tape_t3, tape_x_1, dw_2, dx_1_2
    p.stack_drop(tape_t3)
    p.stack_drop(tape_x_1)
    return t1, dx, dw_1
