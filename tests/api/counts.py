"""How often do public programs use a name? Files of 15,280, of which 10,382 are `modern`.

Counted over 119 public repositories, snapshots of 2020 to 2026: a name counts once a file. Modern
are those outside the model zoo of 2020 to 2023.
"""

from __future__ import annotations

from typing import NamedTuple


class Count(NamedTuple):
    """How many files use a name.

    Attributes
    ----------
    files, modern : int
    is_gone : bool
        Whether MindSpore 2.10 has it no more.
    """

    files: int
    modern: int
    is_gone: bool = False


def _counts(text: str) -> dict[str, Count]:
    found = {}
    for word in text.split():
        name, files, modern = word.split(":")
        found[name.rstrip("!")] = Count(int(files), int(modern), name.endswith("!"))
    return found


#: The 150 names of `ops` used most.
OPS = _counts(
    "Concat:1306:650 Cast:1197:614 Reshape:1025:526 ReduceSum:847:386 ExpandDims:820:413 "
    "Transpose:791:388 ReduceMean:754:341 Shape:674:289 depend:611:414 Mul:543:285 "
    "zeros:529:430 cat:515:421 concat:506:401 cast:460:268 Add:458:236 Tile:454:219 "
    "Squeeze:451:202 matmul:433:302 ones:424:353 GradOperation:423:184 stop_gradient:422:292 "
    "clip_by_value:395:186 reshape:376:281 BatchMatMul:351:216 Softmax:348:191 "
    "Sigmoid:347:158 MatMul:345:181 Zeros:341:203 OneHot:332:127 stack:329:264 ReLU:325:152 "
    "Split:309:145 softmax:302:240 value_and_grad:301:262 DType:297:102 expand_dims:297:202 "
    "shape:281:138 Sqrt:275:142 arange:275:227 randn:273:222 MultitypeFuncGraph:270:135 "
    "partial:270:136 Fill:265:87 zeros_like:261:195 transpose:258:210 Exp:257:121 "
    "sqrt:250:187 HyperMap:243:116 exp:233:179 Select:230:92 sum:227:158 "
    "tuple_to_array:221:94 Equal:220:99 Gather:217:126 Log:217:97 mean:215:164 "
    "ZerosLike:212:112 Stack:205:114 dtype:205:114 Ones:196:134 Sub:192:100 Pow:183:75 "
    "Square:180:101 ones_like:178:121 log:176:118 assign:175:126 TopK:166:91 "
    "interpolate:164:124 Greater:163:65 Minimum:163:69 ArgMaxWithValue:161:68 Maximum:160:57 "
    "norm:152:83 sigmoid:152:98 ResizeNearestNeighbor:147:75 OnesLike:146:65 "
    "Reciprocal:143:66 Div:142:68 AllReduce:139:71 full:139:133 Argmax:135:48 "
    "L2Normalize:135:78 square:133:109 clip_by_global_norm:131:79 RealDiv:129:50 "
    "GatherNd:126:56 Less:124:72 ReduceMax:124:42 abs:124:94 constexpr:122:72 Assign:120:85 "
    "NotEqual:120:67 Abs:118:61 max:118:94 Tanh:117:58 split:116:95 BroadcastTo:114:52 "
    "Print:113:63 mul:113:86 SigmoidCrossEntropyWithLogits:111:43 sin:109:88 "
    "StridedSlice:108:77 cos:107:86 ResizeBilinear!:105:42 where:103:74 tanh:100:66 "
    "identity:98:37 select:96:61 Pad:95:58 UniformReal:93:66 pow:93:70 relu:93:67 "
    "broadcast_to:92:69 cross_entropy:92:91 rand:92:61 Flatten:90:43 Identity:90:71 "
    "tile:90:71 linspace:88:73 LogSoftmax:85:37 maximum:85:54 BiasAdd:84:42 squeeze:84:60 "
    "LogicalAnd:83:39 Sort:80:37 Cos:79:53 GreaterEqual:79:31 Slice:79:37 "
    "StandardNormal:79:48 LessEqual:78:35 bmm:78:65 Floor:77:41 GatherD:77:43 dropout:77:68 "
    "equal:76:49 pad:74:67 reduce_sum:74:47 Sin:70:53 argmax:69:53 is_tensor:69:69 "
    "masked_fill:66:56 scalar_to_tensor:66:35 minimum:65:55 clamp:64:54 gather:64:53 "
    "FloatStatus:61:22 Neg:61:34 Eye:59:28 one_hot:59:30 uniform:58:42"
)

#: The 110 names of `nn` used most.
NN = _counts(
    "Cell:6114:4074 Dense:2251:1469 Conv2d:1843:1044 SequentialCell:1817:1153 ReLU:1522:900 "
    "CellList:1498:1164 Adam:1174:762 BatchNorm2d:1105:579 Dropout:1042:657 MaxPool2d:658:366 "
    "SoftmaxCrossEntropyWithLogits:588:291 LayerNorm:572:434 Softmax:494:288 "
    "Embedding:460:315 MSELoss:447:324 Momentum:426:236 Flatten:377:241 Sigmoid:377:209 "
    "SGD:361:204 CrossEntropyLoss:331:277 TrainOneStepCell:330:205 LeakyReLU:328:202 "
    "GELU:297:239 Tanh:277:192 Conv1d:269:184 AvgPool2d:268:121 "
    "DistributedGradReducer:258:108 BatchNorm1d:245:133 Conv2dTranspose:218:122 "
    "AdamWeightDecay:216:135 Identity:207:181 LossBase:188:90 Pad:179:88 L1Loss:163:104 "
    "Optimizer:147:103 WithLossCell:128:83 BCEWithLogitsLoss:123:89 Conv3d:121:86 "
    "GroupNorm:120:86 DynamicLossScaleUpdateCell:119:53 LSTM:118:73 LogSoftmax:112:40 "
    "AdaptiveAvgPool2d:103:80 TrainOneStepWithLossScaleCell:101:48 ClipByNorm:95:36 "
    "ResizeBilinear!:93:39 OneHot:92:60 BCELoss:90:54 LearningRateSchedule:89:47 Norm:81:35 "
    "BatchNorm3d:69:45 ReLU6:69:35 SiLU:69:65 no_init_parameters:67:67 SmoothL1Loss:64:33 "
    "RMSProp:63:27 PolynomialDecayLR:56:16 ELU:55:39 PReLU:53:36 piecewise_constant_lr:53:34 "
    "MaxPool1d:52:33 cosine_decay_lr:52:41 Upsample:51:44 GRU:49:24 WarmUpLR:47:19 "
    "Linear:46:39 Lamb:44:16 Conv1dTranspose:41:34 InstanceNorm2d:39:20 MAELoss:39:31 "
    "MatMul:39:16 FixedLossScaleUpdateCell:38:24 get_activation:38:19 CosineDecayLR:36:22 "
    "Normal:35:30 ExponentialDecayLR:34:20 CellDict:33:28 Adagrad:32:15 AvgPool1d:31:25 "
    "opt_init_args_register:31:23 SyncBatchNorm:30:9 Range:29:8 Categorical:28:25 "
    "dynamic_lr:28:6 HSwish:27:15 Module!:27:22 Conv3dTranspose:26:21 WithEvalCell:25:22 "
    "Parameter:24:17 Dropout2d:21:17 SSIM:21:7 Unfold:21:19 exponential_decay_lr:21:12 "
    "AdaptiveAvgPool1d:20:17 MultiheadAttention:20:10 Conv2dBnAct:16:4 PSNR:15:2 "
    "ZeroPad2d:15:14 LSTMCell:14:9 Sequential!:14:7 Adadelta:13:10 PixelShuffle:13:11 "
    "GRUCell:12:10 Triu:12:8 GraphCell:11:9 HSigmoid:11:8 NLLLoss:11:4 RNN:11:4 Tril:11:6 "
    "MaxPool3d:10:8"
)

#: The module paths imported most, below `mindspore`, and that itself.
PATHS = _counts(
    "mindspore:13039:9321 nn:4173:2251 ops:3520:1873 dataset:1731:1041 "
    "common.initializer:1623:1145 common:1274:561 common.dtype:1198:636 "
    "train.callback:1113:436 context:1036:426 "
    "communication.management:999:335 train.serialization:965:386 common.tensor:654:313 "
    "numpy:613:400 dataset.vision:545:297 train.model:413:130 communication:407:302 "
    "train:388:249 dataset.transforms:339:167 ops.operations:277:182 common.parameter:276:139 "
    "mindrecord:240:87 train.loss_scale_manager:203:53 nn.optim:186:64 amp:172:162 "
    "parallel._utils:152:114 _checkparam:141:112 mint:137:136 nn.wrap.grad_reducer:134:45 "
    "mint.nn:127:127 mint.nn.functional:126:124 dataset.vision.c_transforms!:116:85 "
    "nn.loss.loss:111:48 ops.functional:110:54 nn.metrics:94:33 "
    "parallel._auto_parallel_context:91:34 dataset.transforms.c_transforms!:88:61 "
    "nn.learning_rate_schedule:87:45 nn.wrap.loss_scale:86:30 nn.optim.momentum:80:41 "
    "dataset.vision.py_transforms!:77:48 common.api:77:71 nn.cell:71:54 nn.loss:66:30 "
    "nn.probability.distribution:65:55 profiler:65:39 _c_expression:59:57 ops.primitive:57:34 "
    "nn.optim.optimizer:47:29 parallel:47:20 dataset.transforms.py_transforms!:45:29 "
    "dataset.engine:45:19 ops.operations.nn_ops:42:42 mint.distributed:41:41 nn.utils:41:41 "
    "ops.auto_generate:40:40 dataset.transforms.transforms:35:11 log:28:16 ops.composite:25:15 "
    "profiler.profiling!:24:6 dataset.vision.utils:23:16 train.summary:23:17 "
    "dataset.audio:23:23 nn.layer.activation:23:16 experimental:22:8 ops._primitive_cache:22:22 "
    "parallel.auto_parallel:21:21 train.callback._callback:20:14 dataset.text:17:14 "
    "nn.wrap.cell_wrapper:17:7 nn.optim.adam:14:8 _extends:13:7 nn.layer:13:9 ops.function:12:8 "
    "dataset.engine.datasets:12:10 experimental.optim:12:8 train._utils:12:11"
)

#: The operations used most, whatever the spelling, with the files of each spelling; one that begins
#: with a dot is a method of Tensor.
MERGED = [
    (
        "concat:3181:2314 ops.Concat:1306 mint.cat:862 ops.cat:515 ops.concat:506 "
        "numpy.concatenate:86 mint.concat:82"
    ),
    (
        "reshape:2898:1991 .view:1201 ops.Reshape:1025 .reshape:922 ops.reshape:376 "
        "numpy.reshape:62 mint.reshape:53"
    ),
    "cast:2397:1611 ops.Cast:1197 .to:604 ops.cast:460 .astype:406 .float:285 .long:62",
    (
        "transpose:1923:1362 ops.Transpose:791 .transpose:588 .permute:476 ops.transpose:258 "
        ".t:48 mint.transpose:33"
    ),
    (
        "expanddims:1846:1275 ops.ExpandDims:820 .unsqueeze:589 ops.expand_dims:297 "
        ".expand_dims:120 numpy.expand_dims:64 ops.unsqueeze:51"
    ),
    (
        "sum:1655:1007 ops.ReduceSum:847 .sum:443 ops.sum:227 mint.sum:141 numpy.sum:80 "
        "ops.reduce_sum:74"
    ),
    (
        "mean:1498:940 ops.ReduceMean:754 .mean:461 ops.mean:215 mint.mean:86 numpy.mean:36 "
        "ops.reduce_mean:31"
    ),
    "zeros:1488:1178 ops.zeros:529 mint.zeros:486 ops.Zeros:341 numpy.zeros:168",
    (
        "matmul:1439:1047 ops.matmul:433 ops.BatchMatMul:351 ops.MatMul:345 mint.matmul:297 "
        "mint.bmm:84 ops.bmm:78"
    ),
    "ones:1088:916 ops.ones:424 mint.ones:401 ops.Ones:196 numpy.ones:87",
    "softmax:1032:806 mint.softmax:393 ops.Softmax:348 ops.softmax:302 .softmax:36",
    (
        "squeeze:1004:664 .squeeze:490 ops.Squeeze:451 ops.squeeze:84 numpy.squeeze:22 "
        "mint.squeeze:11"
    ),
    "arange:969:840 mint.arange:468 ops.arange:275 numpy.arange:243",
    "stack:893:721 ops.stack:329 mint.stack:323 ops.Stack:205 numpy.stack:52 ops.Pack:1",
    (
        "clip:784:547 ops.clip_by_value:395 mint.clamp:148 .clamp:102 ops.clamp:64 "
        "numpy.clip:37 .clip:36"
    ),
    (
        "zeroslike:759:592 ops.zeros_like:261 mint.zeros_like:240 ops.ZerosLike:212 "
        "numpy.zeros_like:61"
    ),
    ("mul:744:452 ops.Mul:543 ops.mul:113 .mul:44 mint.mul:42 ops.multiply:8 numpy.multiply:6"),
    (
        "where:725:484 ops.Select:230 mint.where:190 numpy.where:119 ops.where:103 "
        "ops.select:96 mint.select:2"
    ),
    "tile:713:429 ops.Tile:454 ops.tile:90 numpy.tile:83 .tile:70 mint.tile:28",
    "split:711:514 ops.Split:309 .split:162 mint.split:124 ops.split:116 numpy.split:29",
    "exp:708:507 ops.Exp:257 ops.exp:233 mint.exp:155 .exp:45 numpy.exp:27",
    (
        "broadcastto:676:548 .broadcast_to:200 .expand:144 ops.BroadcastTo:114 .expand_as:104 "
        "ops.broadcast_to:92 numpy.broadcast_to:47"
    ),
    "sqrt:660:450 ops.Sqrt:275 ops.sqrt:250 mint.sqrt:76 numpy.sqrt:69 .sqrt:11",
    (
        "randn:623:508 ops.randn:273 mint.randn:138 ops.StandardNormal:79 ops.normal:45 "
        "mint.randn_like:40 numpy.randn:37"
    ),
    ("full:623:397 ops.Fill:265 ops.full:139 mint.full:123 ops.fill:56 numpy.full:50 .fill_:2"),
    "add:602:342 ops.Add:458 ops.add:54 ops.TensorAdd:45 mint.add:21 .add:17 .add_:7",
    (
        "interpolate:590:421 mint.interpolate:204 ops.interpolate:164 "
        "ops.ResizeNearestNeighbor:147 ops.ResizeBilinear:105 ops.upsample:2 ops.Upsample:1!"
    ),
    (
        "max:586:372 ops.ArgMaxWithValue:161 ops.ReduceMax:124 ops.max:118 .max:94 "
        "mint.max:93 numpy.max:12"
    ),
    "sigmoid:586:341 ops.Sigmoid:347 ops.sigmoid:152 mint.sigmoid:75 .sigmoid:17",
    "log:544:354 ops.Log:217 ops.log:176 mint.log:117 numpy.log:38 .log:8",
    ("oneslike:475:331 ops.ones_like:178 ops.OnesLike:146 mint.ones_like:123 numpy.ones_like:37"),
    "pow:466:324 ops.Pow:183 .pow:144 ops.pow:93 mint.pow:43 ops.pows:13",
    "relu:456:255 ops.ReLU:325 ops.relu:93 mint.relu:45 mint.relu_:3",
    "cos:426:375 .cos:130 mint.cos:111 ops.cos:107 ops.Cos:79 numpy.cos:11",
    "stopgradient:426:296 ops.stop_gradient:422 ops.StopGradient:4",
    "onehot:421:196 ops.OneHot:332 ops.one_hot:59 mint.one_hot:41",
    "sin:419:377 .sin:130 ops.sin:109 mint.sin:109 ops.Sin:70 numpy.sin:13",
    ("pad:416:363 mint.pad:221 ops.Pad:95 ops.pad:74 numpy.pad:25 ops.PadV3:5 ops.MirrorPad:3"),
    "flatten:402:330 .flatten:267 ops.Flatten:90 ops.flatten:45 mint.flatten:20",
    ("div:396:235 ops.Div:142 ops.RealDiv:129 ops.div:54 mint.div:42 .div:26 numpy.divide:7"),
    (
        "rand:370:290 mint.rand:110 ops.UniformReal:93 ops.rand:92 ops.uniform:58 "
        "numpy.rand:17 .uniform_:5"
    ),
    "swapaxes:370:322 .swapaxes:324 ops.swapaxes:32 numpy.swapaxes:13 mint.swapaxes:9",
    "equal:362:213 ops.Equal:220 ops.equal:76 .eq:22 mint.eq:16 ops.eq:14 numpy.equal:10",
    ("gather:361:248 ops.Gather:217 ops.gather:64 mint.gather:49 ops.GatherV2:24 .gather:17"),
    "square:353:248 ops.Square:180 ops.square:133 numpy.square:36 .square:8 mint.square:8",
    (
        "argmax:348:234 ops.Argmax:135 .argmax:95 ops.argmax:69 mint.argmax:47 numpy.argmax:7 "
        "mint.Argmax:1!"
    ),
    "abs:335:232 ops.abs:124 ops.Abs:118 mint.abs:47 .abs:23 numpy.abs:21 ops.absolute:7",
    "contiguous:324:318 .contiguous:324",
    "dropout:312:289 mint.dropout:214 ops.dropout:77 ops.Dropout:25",
    (
        "assign:299:214 ops.assign:175 ops.Assign:120 ops.assign_add:44 ops.AssignAdd:24 "
        "ops.assign_sub:4"
    ),
    "tanh:293:196 ops.Tanh:117 ops.tanh:100 mint.tanh:53 .tanh:14 numpy.tanh:10",
    "topk:276:188 ops.TopK:166 mint.topk:57 ops.topk:35 ops.top_k:15 .topk:14 .top_k:2",
    "maximum:275:138 ops.Maximum:160 ops.maximum:85 numpy.maximum:17 mint.maximum:17",
    "minimum:263:152 ops.Minimum:163 ops.minimum:65 numpy.minimum:24 mint.minimum:16",
    (
        "repeat:262:228 .repeat:132 .repeat_interleave:66 mint.repeat_interleave:43 "
        "ops.repeat_interleave:23 numpy.repeat:18 ops.repeat:1!"
    ),
    "norm:248:169 ops.norm:152 mint.norm:43 .norm:32 numpy.norm:23 ops.Norm:1!",
    "sub:219:122 ops.Sub:192 ops.sub:17 mint.sub:6 .sub:2 ops.subtract:2 numpy.subtract:1",
    "chunk:216:209 .chunk:128 mint.chunk:73 ops.chunk:25 numpy.chunk:1!",
    "linspace:212:187 ops.linspace:88 mint.linspace:75 numpy.linspace:33 ops.LinSpace:19",
    (
        "cumsum:197:177 mint.cumsum:85 .cumsum:44 ops.cumsum:41 ops.CumSum:28 ops.Cumsum:2! "
        "numpy.cumsum:2"
    ),
    ("greater:191:88 ops.Greater:163 ops.gt:11 mint.greater:6 numpy.greater:6 ops.greater:6 .gt:1"),
    "rsqrt:191:180 mint.rsqrt:119 ops.rsqrt:33 ops.Rsqrt:31 .rsqrt:8",
    (
        "reciprocal:190:108 ops.Reciprocal:143 numpy.reciprocal:33 ops.reciprocal:8 "
        "mint.reciprocal:4 .reciprocal:2"
    ),
    "einsum:183:175 mint.einsum:113 ops.einsum:47 ops.Einsum:24",
    ("normalize:178:121 ops.L2Normalize:135 mint.normalize:40 ops.normalize:2 ops.l2_normalize:1!"),
    (
        "maskedfill:175:153 .masked_fill:89 ops.masked_fill:66 ops.MaskedFill:20 "
        ".masked_fill_:14 mint.masked_fill:1"
    ),
    (
        "notequal:161:97 ops.NotEqual:120 .ne:15 ops.not_equal:14 ops.ne:8 mint.ne:4 "
        "numpy.not_equal:2"
    ),
    (
        "logicaland:157:102 ops.LogicalAnd:83 ops.logical_and:50 mint.logical_and:18 "
        "numpy.logical_and:6"
    ),
    (
        "min:153:124 mint.min:50 .min:35 ops.ReduceMin:27 ops.ArgMinWithValue:18 ops.min:18 "
        "numpy.min:7"
    ),
    (
        "logsoftmax:147:85 ops.LogSoftmax:85 ops.log_softmax:41 mint.log_softmax:23 "
        "mint.Log_softmax:1!"
    ),
    (
        "gatherelements:142:89 ops.GatherD:77 ops.gather_elements:43 ops.gather_d:21 "
        ".gather_elements:3"
    ),
    "allreduce:141:73 ops.AllReduce:139 mint.all_reduce:2",
    "less:140:85 ops.Less:124 ops.less:7 mint.lt:5 numpy.less:3 ops.lt:1",
    "eye:139:88 ops.Eye:59 ops.eye:43 numpy.eye:28 mint.eye:13",
    "gathernd:139:68 ops.GatherNd:126 ops.gather_nd:12 ops.GatherND:1!",
    "size:135:98 .size:102 ops.Size:29 ops.size:4",
    "clipbyglobalnorm:131:79 ops.clip_by_global_norm:131",
    "sort:130:78 ops.Sort:80 ops.sort:28 mint.sort:14 .sort:12",
    "floor:128:83 ops.Floor:77 ops.floor:30 mint.floor:11 numpy.floor:9 .floor_:2",
    "triu:124:114 mint.triu:82 ops.triu:28 numpy.triu:11 .triu:2 ops.Triu:2",
    "meshgrid:120:98 ops.meshgrid:44 mint.meshgrid:37 ops.Meshgrid:27 numpy.meshgrid:14",
    "crossentropy:117:116 ops.cross_entropy:92 mint.cross_entropy:25",
    "sigmoidcrossentropywithlogits:111:43 ops.SigmoidCrossEntropyWithLogits:111",
    "conv2d:110:77 ops.Conv2D:55 ops.conv2d:42 mint.conv2d:13",
    "stridedslice:109:78 ops.StridedSlice:108 ops.strided_slice:1",
    ("flip:105:69 ops.ReverseV2:44 numpy.flip:32 mint.flip:18 ops.flip:6 .reverse:3 .flip:2"),
    "any:105:103 .any:60 mint.any:38 ops.any:8",
    "typeas:101:100 .type_as:101",
    (
        "greaterequal:95:44 ops.GreaterEqual:79 ops.ge:7 numpy.greater_equal:4 "
        "ops.greater_equal:2 mint.ge:1 .ge:1"
    ),
    "unbind:95:85 .unbind:35 ops.Unstack:30 mint.unbind:15 ops.unstack:10 ops.unbind:7",
    "randint:94:73 ops.randint:47 mint.randint:39 numpy.randint:9",
    "empty:94:92 mint.empty:76 numpy.empty:17 ops.empty:1",
    (
        "logicalnot:92:67 mint.logical_not:31 ops.LogicalNot:30 ops.logical_not:23 "
        "numpy.logical_not:6 .logical_not:2"
    ),
    "lessequal:88:43 ops.LessEqual:78 ops.le:4 numpy.less_equal:3 ops.less_equal:2 .le:1",
    "biasadd:85:43 ops.BiasAdd:84 ops.bias_add:1",
    "slice:85:42 ops.Slice:79 ops.slice:7",
    "isnan:83:71 ops.isnan:40 mint.isnan:21 ops.IsNan:13 numpy.isnan:8 .isnan:1",
    "scalartotensor:82:40 ops.scalar_to_tensor:66 ops.ScalarToTensor:16",
    "bool:81:77 .bool:75 numpy.bool_:5 mint.bool:1!",
    "mseloss:81:76 ops.mse_loss:57 mint.mse_loss:23 ops.MSELoss:1!",
    "nonzero:79:68 ops.nonzero:34 mint.nonzero:29 .nonzero:15 ops.NonZero:3",
    "flashattentionscore:77:77 ops.FlashAttentionScore:51 ops.flash_attention_score:26",
    "gelu:76:63 ops.GeLU:33 mint.gelu:29 ops.gelu:7 ops.Gelu:7",
    "fulllike:75:66 mint.full_like:43 ops.full_like:28 numpy.full_like:7",
    "tril:72:66 mint.tril:32 ops.tril:19 .tril:11 numpy.tril:10 ops.Tril:4",
    "round:71:43 ops.Round:34 ops.round:17 mint.round:13 numpy.round:5 .round:2",
    "all:71:65 mint.all:36 .all:21 ops.all:15",
    "istensor:69:69 ops.is_tensor:69",
    "dim:68:62 .dim:68",
    "isinf:65:60 mint.isinf:34 ops.isinf:20 ops.IsInf:7 numpy.isinf:4",
]

#: Names of `nn` that MindSpore never had: people took them over from torch.
NEVER = ("Module", "Sequential")

#: Of modern files, the share (in percent) of which every operation, and every layer, loss and
#: optimizer, is among the so many used most.
REACH = {
    50: (70, 87), 100: (81, 97), 150: (88, 99), 200: (92, 99), 300: (97, None), 400: (98, None),
}  # fmt: skip
