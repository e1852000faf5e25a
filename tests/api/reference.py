"""Which names of MindSpore 2.10 does docs/coverage.md go through?"""

from __future__ import annotations

#: Names of `ops`, by family.
OPS: dict[str, list[str]] = {
    "Elementwise arithmetic": (
        "add sub mul div divide true_divide floor_divide floor_mod remainder fmod pow neg "
        "negative abs absolute sign sgn square sqrt rsqrt reciprocal exp exp2 expm1 log log1p "
        "log2 log10 logaddexp maximum minimum fmax fmin clamp clip clip_by_value floor ceil round "
        "trunc frac lerp addcmul addcdiv hypot xlogy"
    ).split(),
    "Trigonometric and special": (
        "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc erfinv lgamma "
        "digamma sinc deg2rad rad2deg"
    ).split(),
    "Comparison and logic": (
        "equal eq ne not_equal gt greater ge greater_equal lt less le less_equal isclose isnan "
        "isinf isfinite logical_and logical_or logical_not logical_xor bitwise_and bitwise_or "
        "bitwise_xor bitwise_left_shift bitwise_right_shift where select masked_fill "
        "masked_select nan_to_num"
    ).split(),
    "Reductions": (
        "sum mean prod max min amax amin argmax argmin all any std var std_mean var_mean median "
        "logsumexp cumsum cumprod cummax cummin logcumsumexp norm count_nonzero nansum nanmean"
    ).split(),
    "Linear algebra": (
        "matmul bmm mm mv dot inner outer addmm addbmm baddbmm batch_dot tensor_dot einsum kron "
        "cross trace diag diagonal tril triu inverse det slogdet cholesky qr svd matrix_power "
        "pinv"
    ).split(),
    "Shape and layout": (
        "reshape flatten ravel transpose permute swapaxes movedim squeeze unsqueeze expand_dims "
        "broadcast_to expand_as tile repeat_elements repeat_interleave concat cat stack hstack "
        "vstack split chunk unbind unstack flip roll rot90 meshgrid view_as t narrow slice "
        "strided_slice size shape rank numel"
    ).split(),
    "Indexing and scatter": (
        "gather gather_elements gather_nd gather_d index_select take scatter scatter_nd "
        "scatter_add scatter_update tensor_scatter_elements tensor_scatter_add index_add "
        "index_fill nonzero argwhere unique unique_consecutive searchsorted bincount one_hot sort "
        "argsort topk top_k sequence_mask unsorted_segment_sum"
    ).split(),
    "Creation and casting": (
        "zeros ones full eye arange range linspace logspace zeros_like ones_like full_like fill "
        "cast scalar_to_tensor tril_indices triu_indices"
    ).split(),
    "Random": (
        "rand randn rand_like randn_like randint randint_like randperm normal uniform "
        "standard_normal multinomial bernoulli dropout dropout2d gamma poisson shuffle "
        "random_categorical"
    ).split(),
    "Neural functions": (
        "relu relu6 leaky_relu prelu elu selu celu gelu silu mish sigmoid logsigmoid hardswish "
        "hardsigmoid hardtanh hardshrink softshrink softplus softsign softmax softmin log_softmax "
        "gumbel_softmax tanhshrink glu threshold dense bias_add conv1d conv2d conv3d "
        "conv_transpose2d max_pool2d avg_pool2d adaptive_avg_pool2d adaptive_max_pool2d "
        "batch_norm layer_norm group_norm rms_norm lrn embedding pad interpolate upsample "
        "grid_sample unfold fold pixel_shuffle"
    ).split(),
    "Losses": (
        "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div "
        "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss "
        "margin_ranking_loss triplet_margin_loss hinge_embedding_loss ctc_loss cosine_similarity "
        "pdist cdist"
    ).split(),
    "Gradients, state, misc": (
        "stop_gradient grad value_and_grad vjp jvp jacrev jacfwd vmap get_grad clip_by_norm "
        "clip_by_global_norm assign assign_add assign_sub depend print_ partial identity "
        "is_tensor constexpr"
    ).split(),
    "Operations as objects": (
        "MatMul BatchMatMul ReduceSum ReduceMean Softmax LogSoftmax Concat Stack Split Cast "
        "Reshape Transpose ExpandDims Squeeze Tile Gather GatherNd OneHot Argmax ArgMaxWithValue "
        "TopK BiasAdd Conv2D MaxPool AvgPool BatchNorm LayerNorm Dropout "
        "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits L2Normalize Pad Slice "
        "StridedSlice Select Fill Range CumSum Eye Zeros Ones ZerosLike OnesLike Shape DType "
        "Assign AssignAdd AssignSub ApplyMomentum Adam Print Depend StopGradient Partial "
        "InsertGradientOf HookBackward ScalarSummary TensorSummary ImageSummary HistogramSummary "
        "Add Sub Mul Div RealDiv Pow Exp Log Sqrt ReduceMax ReduceMin HyperMap Map "
        "MultitypeFuncGraph GradOperation DepthToSpace SpaceToDepth LpNorm MulNoNan SquareSumAll "
        "InvertPermutation"
    ).split(),
}

#: Names of `nn`, by family.
NN: dict[str, list[str]] = {
    "Containers and basics": (
        "Cell SequentialCell CellList CellDict Identity Dense Linear BiDense Dropout Dropout1d "
        "Dropout2d Dropout3d Flatten Unflatten Embedding EmbeddingLookup Upsample Pad "
        "ConstantPad2d ZeroPad2d ReflectionPad2d ReplicationPad2d PixelShuffle ChannelShuffle "
        "GraphCell"
    ).split(),
    "Convolution": ("Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose").split(),
    "Normalisation": (
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm LayerNorm GroupNorm InstanceNorm1d "
        "InstanceNorm2d LRN"
    ).split(),
    "Pooling": (
        "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d "
        "AdaptiveAvgPool2d AdaptiveMaxPool2d LPPool2d"
    ).split(),
    "Activations": (
        "ReLU ReLU6 LeakyReLU PReLU RReLU ELU CELU SeLU GELU FastGelu SiLU Mish HSwish HSigmoid "
        "HShrink SoftShrink Hardtanh Sigmoid LogSigmoid Tanh Tanhshrink Softsign Threshold GLU "
        "Softmax Softmax2d Softmin LogSoftmax"
    ).split(),
    "Recurrent and attention": (
        "RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention TransformerEncoderLayer "
        "TransformerEncoder TransformerDecoderLayer TransformerDecoder Transformer"
    ).split(),
    "Losses": (
        "LossBase SoftmaxCrossEntropyWithLogits CrossEntropyLoss NLLLoss MSELoss RMSELoss L1Loss "
        "MAELoss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss KLDivLoss CosineEmbeddingLoss "
        "MarginRankingLoss HingeEmbeddingLoss SoftMarginLoss MultiMarginLoss MultilabelMarginLoss "
        "MultiLabelSoftMarginLoss TripletMarginLoss GaussianNLLLoss PoissonNLLLoss CTCLoss "
        "DiceLoss MultiClassDiceLoss FocalLoss SampledSoftmaxLoss L1Regularizer"
    ).split(),
    "Optimizers": (
        "Optimizer Momentum SGD Adam LazyAdam AdamWeightDecay AdaMax Adagrad Adadelta RMSProp "
        "FTRL ProximalAdagrad Rprop ASGD Lamb LARS AdaFactor thor"
    ).split(),
    "Learning rates": (
        "ExponentialDecayLR NaturalExpDecayLR InverseDecayLR CosineDecayLR PolynomialDecayLR "
        "WarmUpLR piecewise_constant_lr exponential_decay_lr natural_exp_decay_lr "
        "inverse_decay_lr cosine_decay_lr polynomial_decay_lr warmup_lr"
    ).split(),
    "Training wrappers": (
        "WithLossCell WithEvalCell WithGradCell TrainOneStepCell TrainOneStepWithLossScaleCell "
        "DynamicLossScaleUpdateCell FixedLossScaleUpdateCell ForwardValueAndGrad "
        "GradAccumulationCell PipelineCell ParameterUpdate DistributedGradReducer"
    ).split(),
}

#: Names of `common.initializer`.
INITIALIZERS: dict[str, list[str]] = {
    "Initializers": (
        "Zero One Constant Normal TruncatedNormal Uniform XavierUniform XavierNormal HeUniform "
        "HeNormal VarianceScaling Orthogonal Identity Dirac Sparse initializer"
    ).split(),
}

#: Methods and attributes of Tensor.
METHODS: dict[str, list[str]] = {
    "Methods and attributes": (
        "abs add addbmm addmm addmv all allclose any argmax argmin argsort asnumpy assign_value "
        "astype bfloat16 bmm bool broadcast_to choose chunk clamp clamp_ clip clone contiguous "
        "copy cos cumsum data_ptr device dim div divide double dtype eq exp expand expand_as "
        "expand_dims fill flatten float from_numpy gather half has_init index_add index_add_ "
        "index_select init_data int is_complex is_contiguous is_signed isclose item itemset "
        "itemsize log logcumsumexp logsumexp long masked_fill masked_fill_ masked_scatter "
        "masked_select matmul max mean median min mT mul nan_to_num narrow nbytes ndim ne "
        "nelement new_full new_ones new_zeros nonzero norm numel numpy permute pow prod ptp ravel "
        "register_hook repeat repeat_interleave reshape roll round rsqrt scatter scatter_ select "
        "set_dtype shape sigmoid sin size softmax sort split sqrt squeeze std strides sub sum "
        "swapaxes t T take tanh tile to tolist topk transpose tril type type_as unbind unique "
        "unsqueeze value var view where"
    ).split(),
}
