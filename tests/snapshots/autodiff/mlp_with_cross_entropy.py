# s2sad ir 1 · snapshot_programs.Mlp.construct
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("x", "labels", "param:w1", "param:b1", "param:w2"), donates={}, tree="(0, (1, 2, 3))", consts=None)
def construct_joint(x: f64[2, 3], labels: i64[2], w1: f64[3, 4], b1: f64[4], w2: f64[4, 2]):
    t0 = x @ w1 + b1                        #@ tests/support/snapshot_programs.py:22:26
    hidden = p.relu(t0)                     #@ tests/support/snapshot_programs.py:22:17
    t1, t2 = p.sparse_cross_entropy(hidden @ w2, labels, axis=1, ignore_index=-100)  #@ tests/support/snapshot_programs.py:23:15
    t3 = p.cast(p.not_equal(labels, -100), dtype=f64)  #@ tests/support/snapshot_programs.py:23:15
    t4 = p.reduce_sum(t1, axis=(0,))        #@ tests/support/snapshot_programs.py:23:15
    t5 = p.reduce_sum(t3, axis=(0,))        #@ tests/support/snapshot_programs.py:23:15
    dt9 = p.const(1.0, f64)
    t6 = t4 / t5                            #@ tests/support/snapshot_programs.py:23:15
    dt7 = dt9 / t5                          #@ tests/support/snapshot_programs.py:23:15
    dt3 = p.broadcast_to(p.reshape(dt7, shape=(1,)), shape=(2,))  #@ tests/support/snapshot_programs.py:23:15
    dt2 = p.sparse_cross_entropy_grad(t2, labels, dt3, axis=1, ignore_index=-100)  #@ tests/support/snapshot_programs.py:23:15
    dhidden = p.matmul(dt2, w2, transpose_b=True)  #@ tests/support/snapshot_programs.py:23:33
    dw2 = p.matmul(hidden, dt2, transpose_a=True)  #@ tests/support/snapshot_programs.py:23:33
    dt1 = p.where(t0 > 0.0, dhidden, 0.0)   #@ tests/support/snapshot_programs.py:22:17
    db1 = p.sum_to(dt1, shape=(4,))         #@ tests/support/snapshot_programs.py:22:26
    dw1 = p.matmul(x, dt1, transpose_a=True)  #@ tests/support/snapshot_programs.py:22:26
    return t6, dw1, db1, dw2
