# s2sad ir 1 · vjp of snapshot_programs.Mlp.construct
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("x", "labels", "param:w1", "param:w2", "residuals[4]", "residuals[5]", "residuals[6]", "cotangent:0"), donates={}, tree="((0, 1), (2, 3, 4))", consts=None)
def construct_vjp(x: f64[2, 3], labels: i64[2], w1: f64[3, 4], w2: f64[4, 2], t0: f64[2, 4], t1: f64[2, 2], t2: f64, dout: f64):
    t3 = p.broadcast_to(p.reshape(dout / t2, shape=(1,)), shape=(2,))  #@ tests/support/snapshot_programs.py:23:15
    t4 = p.sparse_cross_entropy_grad(t1, labels, t3, axis=1, ignore_index=-100)  #@ tests/support/snapshot_programs.py:23:15
    dhidden = p.matmul(t4, w2, transpose_b=True)  #@ tests/support/snapshot_programs.py:23:33
    hidden = p.relu(t0)                     #@ tests/support/snapshot_programs.py:22:17
    dw2 = p.matmul(hidden, t4, transpose_a=True)  #@ tests/support/snapshot_programs.py:23:33
    dt0 = p.where(t0 > 0.0, dhidden, 0.0)   #@ tests/support/snapshot_programs.py:22:17
    db1 = p.sum_to(dt0, shape=(4,))         #@ tests/support/snapshot_programs.py:22:26
    dx = p.matmul(dt0, w1, transpose_b=True)  #@ tests/support/snapshot_programs.py:22:26
    dw1 = p.matmul(x, dt0, transpose_a=True)  #@ tests/support/snapshot_programs.py:22:26
    return dx, p.const(0, i64[2]), dw1, db1, dw2
