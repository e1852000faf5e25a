# s2sad ir 1 · vjp of snapshot_programs.Convolving.construct
from s2sad import prims as p
from s2sad.ir.types import *

@function(inputs=("image", "param:weight", "residuals[2]", "cotangent:0"), donates={}, tree="((0,), (1, 2))", consts=None)
def construct_vjp(image: f64[2, 1, 4, 4], weight: f64[2, 1, 3, 3], t0: bool_[2, 2, 2, 2], dout: f64[2, 2]):
    dfeatures = p.broadcast_to(p.reshape(dout / 4.0, shape=(2, 2, 1, 1)), shape=(2, 2, 2, 2))  #@ tests/support/snapshot_programs.py:57:15
    t1 = p.where(t0, dfeatures, 0.0)        #@ tests/support/snapshot_programs.py:56:19
    dbias = p.reshape(p.sum_to(t1, shape=(2, 1, 1)), shape=(2,))  #@ tests/support/snapshot_programs.py:56:28
    dimage = p.conv_input_grad(t1, weight, input_shape=(4, 4), stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1))  #@ tests/support/snapshot_programs.py:56:28
    dweight = p.conv_filter_grad(image, t1, kernel_shape=(3, 3), stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1))  #@ tests/support/snapshot_programs.py:56:28
    return dimage, dweight, dbias
