"""The statements' forms, by what they need. A form with one spelling is the same in both engines but for `ops.`."""

from __future__ import annotations

from .language import Form


def form(ours: str, theirs: str | None = None) -> Form:
    """A form; PyTorch's spelling follows from ours where only the module's name differs."""
    return Form(ours, ours.replace("ops.", "torch.") if theirs is None else theirs)


def forms(*spellings: str | tuple[str, str]) -> list[Form]:
    """Several forms, each one spelling or a pair."""
    return [form(s) if isinstance(s, str) else form(*s) for s in spellings]


# -- one argument of any shape -----------------------------------------------------------------------------------
ELEMENTWISE = forms(
    "-{0}",
    "+{0}",
    "abs({0})",
    "{0}.abs()",
    "ops.neg({0})",
    "ops.exp({0})",
    "ops.expm1({0})",
    "ops.log({0})",
    "ops.log1p({0})",
    "ops.sqrt({0})",
    "ops.sin({0})",
    "ops.cos({0})",
    "ops.tan({0})",
    "ops.tanh({0})",
    "ops.sigmoid({0})",
    "ops.relu({0})",
    "ops.sign({0})",
    "ops.erf({0})",
    "{0}.exp()",
    "{0}.log()",
    "{0}.sqrt()",
    "{0}.sin()",
    "{0}.cos()",
    "{0}.tanh()",
    "{0}.sigmoid()",
    "{0}.relu()",
    "({0} * 0.5).exp()",
    "({0} + 1.0).tanh()",
    "(-{0}).exp()",
    "(1.0 - {0}).sqrt()",
    "({0} * {0}).sqrt()",
    "abs({0}).sqrt()",
    "({0} + 0.0).relu().tanh()",
    ("ops.softplus({0})", "F.softplus({0})"),
    "F.softplus({0})",
    "F.relu({0})",
    ("F.sigmoid({0})", "torch.sigmoid({0})"),
    ("F.tanh({0})", "torch.tanh({0})"),
    ("ops.silu({0})", "F.silu({0})"),
    "F.silu({0})",
    ("ops.elu({0})", "F.elu({0})"),
    "F.elu({0}, {number})",
    ("ops.leaky_relu({0})", "F.leaky_relu({0})"),
    "F.leaky_relu({0}, 0.2)",
    "F.gelu({0})",
    ("ops.logsigmoid({0})", "F.logsigmoid({0})"),
    "F.logsigmoid({0})",
    ("F.gelu({0}, 'tanh')", "F.gelu({0}, approximate='tanh')"),
    ("ops.clip({0}, -0.5, 1.0)", "torch.clip({0}, -0.5, 1.0)"),
    ("{0}.clip(low=0.0)", "{0}.clip(min=0.0)"),
    "{0}.clamp(-0.5, 1.0)",
    "ops.clamp({0}, max=1.0)",
    "{0}.masked_fill({0} > 0, {number})",
    "ops.masked_fill({0}, {0} == 0, {number})",
    ("{0}.clip(high=1.0)", "{0}.clip(max=1.0)"),
    "{0} ** 0",
    "{0} ** 1",
    "{0} ** 2",
    "{0} ** 3",
    "{0} ** -1",
    "{0} ** 0.5",
    "{0} ** -1.5",
    "{0}.pow(2)",
    "2.0 ** {0}",
    "0.0 ** {0}",
    "{0} * {number}",
    "{0} + {number}",
    "{0} - {number}",
    "{0} / {number}",
    "{number} * {0}",
    "{number} + {0}",
    "{number} - {0}",
    "{number} / {0}",
    "{0} * 2",
    "1 - {0}",
    "{0}.clone()",
    ("ops.clone({0})", "torch.clone({0})"),
    ("F.dropout({0}, 0.0)", "F.dropout({0}, 0.0)"),
    ("F.dropout({0}, 0.5, training=False)", "F.dropout({0}, 0.5, training=False)"),
    ("F.dropout({0}, 1.0)", "F.dropout({0}, 1.0)"),
    ("ops.where({0} > 0, {0}, 0.0)", "torch.where({0} > 0, {0}, 0.0)"),
    ("ops.where({0} >= 1.0, {number}, {0})", "torch.where({0} >= 1.0, {number}, {0})"),
)

# -- two arguments that broadcast --------------------------------------------------------------------------------
BROADCASTING = forms(
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / {1}",
    "{0} * {1} + {0}",
    "({0} - {1}).exp()",
    "({0} + {1}).tanh()",
    "({0} * {1}).sqrt()",
    "ops.add({0}, {1})",
    "ops.sub({0}, {1})",
    "ops.mul({0}, {1})",
    "ops.div({0}, {1})",
    "ops.maximum({0}, {1})",
    "ops.minimum({0}, {1})",
    "{0} ** {1}",
    "abs({0}) ** {1}",
    "ops.pow(abs({0}), {1})",
    "ops.where({0} > {1}, {0}, {1})",
    "ops.where({0} == {1}, {0} * 2.0, {1})",
    "{0} / (1.0 + {1} * {1})",
    "{0} % {1}",
    "ops.remainder({0}, {1})",
    ("{0}.detach() // {1}.detach()", "{0}.detach() // {1}.detach()"),
)
COMPARING = forms(
    "{0} < {1}",
    "{0} <= {1}",
    "{0} > {1}",
    "{0} >= {1}",
    "{0} == {1}",
    "{0} != {1}",
    ("ops.less({0}, {1})", "torch.lt({0}, {1})"),
    "ops.less_equal({0}, {1})",
    "ops.greater({0}, {1})",
    "ops.greater_equal({0}, {1})",
    ("ops.equal({0}, {1})", "torch.eq({0}, {1})"),
    ("ops.not_equal({0}, {1})", "torch.ne({0}, {1})"),
)
LOGIC = forms(
    "{0} & {1}",
    "{0} | {1}",
    "~{0}",
    "ops.logical_and({0}, {1})",
    "ops.logical_or({0}, {1})",
    "ops.logical_not({0})",
)
INTEGER = forms(
    "{0} + {1}",
    "{0} * {1}",
    "{0} - 1",
    "{0} * 0.5",
    "{0} / 2",
    "{0} ** 2",
    "-{0}",
    "abs({0})",
    "{0}.sum()",
    "{0}.clone()",
    "ops.exp({0})",
    "ops.sqrt({0})",
    "ops.tanh({0})",
    "ops.sigmoid({0})",
    "ops.relu({0})",
    "ops.maximum({0}, {1})",
    ("{0}.astype(np.float64)", "{0}.to(torch.float64)"),
)

# -- shapes ------------------------------------------------------------------------------------------------------
RESHAPE = forms(
    "{0}.reshape({shape})", "ops.reshape({0}, {shape})", ("{0}.view({shape})", "{0}.reshape({shape})")
)
FLATTEN = form("{0}.flatten()")
TRANSPOSE = forms(("{0}.T", "{0}.permute({reversed})"), ("{0}.transpose()", "{0}.permute({reversed})"))
PERMUTE = forms("{0}.permute({axes})", "ops.permute({0}, {axes})")
SWAPAXES = form("{0}.swapaxes({a}, {b})")
SQUEEZE = forms("{0}.squeeze()", "{0}.squeeze({axis})")
UNSQUEEZE = forms("{0}.unsqueeze({axis})", "ops.unsqueeze({0}, {axis})")
EXPAND = forms("{0}.broadcast_to({shape})", "ops.broadcast_to({0}, {shape})")
EXPAND_SOME = forms("{0}.expand({shape})", ("ops.expand({0}, {shape})", "{0}.expand({shape})"))
REPEAT = forms("{0}.repeat({times})", ("ops.repeat({0}, {times})", "{0}.repeat({times})"))
SPLIT = forms("{0}.split({size}, {axis})[{piece}]", "{0}.chunk({chunks}, {axis})[0]")
UNBIND = forms("{0}.unbind({axis})[{place}]", "ops.unbind({0}, {axis})[{place}]")
TRIANGLES = forms(
    "{0}.tril({diagonal})", "{0}.triu({diagonal})", "ops.tril({0})", "ops.triu({0}, {diagonal})"
)
FLIP = forms("{0}.flip({axes})", "ops.flip({0}, {axes})")
ROLL = forms("{0}.roll({shift}, {axis})", "ops.roll({0}, {shift})")
PAD = form("ops.pad({0}, {width}, {value})", "F.pad({0}, {flat}, value={value})")
DIAGONAL = form("ops.diagonal({0}, {a}, {b})", "torch.diagonal({0}, 0, {a}, {b})")
CONCATENATE = forms("ops.concatenate([{0}, {1}], {axis})", "ops.concatenate([{0}, {1}, {0}], {axis})")
STACK = forms("ops.stack([{0}, {1}], {axis})")
CAST = form("{0}.astype(np.{dtype})", "{0}.to(torch.{dtype})")

# -- reading and choosing ----------------------------------------------------------------------------------------
INDEX = form("{0}[{index}]")
INDEX_BY = forms("{0}[{1}]", ("ops.take({0}, {1})", "{0}[{1}]"))
INDEX_COLUMNS = forms("{0}[:, {1}]", ("{0}.take({1}, 1)", "{0}[:, {1}]"))
GATHER = form("{0}.gather({axis}, {1})")
WHERE = forms("ops.where({0}, {1}, {2})", "ops.where({0}, {1}, 0.0)", "ops.where({0}, {number}, {2})")

# -- fewer numbers -----------------------------------------------------------------------------------------------
REDUCTIONS = forms(
    ("{0}.sum({axis}, {keep})", "{0}.sum({dims}, {keep})"),
    ("ops.sum({0}, {axis}, {keep})", "torch.sum({0}, {dims}, {keep})"),
    ("{0}.mean({axis}, {keep})", "{0}.mean({dims}, {keep})"),
    ("{0}.max({axis}, {keep})", "{0}.amax({dims}, {keep})"),
    ("{0}.min({axis}, {keep})", "{0}.amin({dims}, {keep})"),
    ("{0}.logsumexp({axis}, {keep})", "{0}.logsumexp({dims}, {keep})"),
    ("{0}.var({axis}, {keep})", "{0}.var({dims}, keepdim={keep})"),
    ("{0}.var({axis}, {keep}, 0)", "{0}.var({dims}, keepdim={keep}, correction=0)"),
    ("{0}.norm(2, {axis}, {keep})", "{0}.norm(2, {dims}, {keep})"),
    ("{0}.norm(1, {axis}, {keep})", "{0}.abs().sum({dims}, {keep})"),
    ("{0}.norm(3, {axis}, {keep})", "torch.linalg.vector_norm({0}, 3, {dims}, {keep})"),
    ("{0}.norm(np.inf, {axis}, {keep})", "{0}.abs().amax({dims}, {keep})"),
    ("ops.norm({0}, 2, {axis}, {keep})", "torch.linalg.vector_norm({0}, 2, {dims}, {keep})"),
    ("{0}.std({axis}, {keep})", "{0}.std({dims}, keepdim={keep})"),
    ("{0}.std({axis}, {keep}, 0)", "{0}.std({dims}, keepdim={keep}, correction=0)"),
)
WHOLE = forms(
    "{0}.sum()", "{0}.mean()", ("{0}.max()", "{0}.amax({dims})"), "{0}.prod()", "({0} - {0}.max()).exp()"
)
PROD = form("{0}.prod({axis}, {keep})")
ALONG = forms(
    "{0}.softmax({axis})",
    "F.softmax({0}, {axis})",
    "ops.log_softmax({0}, {axis})",
    "F.log_softmax({0}, {axis})",
    "{0}.cumsum({axis})",
)
# Which of equal elements PyTorch's topk takes is not said: sorted by a stable sort it is.
ORDER = forms(
    ("{0}.sort({axis})[0]", "{0}.sort(stable=True, dim={axis})[0]"),
    ("{0}.sort({axis}, True)[{which}]", "{0}.sort(stable=True, dim={axis}, descending=True)[{which}]"),
    ("{0}.argsort({axis})", "{0}.argsort(stable=True, dim={axis})"),
    (
        "{0}.topk({k}, {axis})[0]",
        "{0}.sort(stable=True, dim={axis}, descending=True)[0].narrow({axis}, 0, {k})",
    ),
    (
        "{0}.topk({k}, {axis}, False)[{which}]",
        "{0}.sort(stable=True, dim={axis})[{which}].narrow({axis}, 0, {k})",
    ),
)
POSITION = forms("{0}.argmax({axis})", "{0}.argmin({axis})", "{0}.argmax()")

# -- products ----------------------------------------------------------------------------------------------------
MATMUL = forms("{0} @ {1}", "ops.matmul({0}, {1})", "{0}.matmul({1})", "({0} @ {1}).tanh()")
MATMUL_T = forms(
    ("{0} @ {1}.T", "{0} @ {1}.mT"),
    ("ops.einsum('ij,kj->ik', {0}, {1})", "torch.einsum('ij,kj->ik', {0}, {1})"),
)
OUTER = form("ops.outer({0}, {1})")
EINSUM = {
    1: forms("ops.einsum('i,i->', {0}, {1})", "ops.einsum('i,i->i', {0}, {1})"),
    2: forms(
        "ops.einsum('ij,ij->j', {0}, {1})",
        "ops.einsum('ij,ij->', {0}, {1})",
        "ops.einsum('ij,ik->jk', {0}, {1})",
    ),
}

# -- functional --------------------------------------------------------------------------------------------------
PAIRWISE_LOSSES = forms(
    "F.mse_loss({0}, {1}, reduction='{reduction}')",
    "F.mse_loss({0}, {1})",
    "F.l1_loss({0}, {1}, reduction='{reduction}')",
    "F.huber_loss({0}, {1}, reduction='{reduction}', delta=0.5)",
    "F.huber_loss({0}, {1})",
    "F.binary_cross_entropy_with_logits({0}, {1}, reduction='{reduction}')",
    "F.binary_cross_entropy_with_logits({0}, {1})",
    "F.smooth_l1_loss({0}, {1}, reduction='{reduction}')",
    "F.smooth_l1_loss({0}, {1}, beta=0.5)",
    "F.smooth_l1_loss({0}, {1}, beta=0.0, reduction='{reduction}')",
    "F.kl_div({0}, {1}, reduction='{reduction}', log_target=True)",
    "F.kl_div({0}, {1}, reduction='batchmean', log_target=True)",
    "nn.MSELoss()({0}, {1})",
    "nn.L1Loss(reduction='{reduction}')({0}, {1})",
    "nn.HuberLoss(delta=0.5)({0}, {1})",
    "nn.SmoothL1Loss()({0}, {1})",
    "nn.KLDivLoss(reduction='{reduction}', log_target=True)({0}, {1})",
    "nn.BCEWithLogitsLoss(reduction='{reduction}')({0}, {1})",
)
PROBABILITY_LOSS = forms(
    "F.binary_cross_entropy({0}, {1}, reduction='{reduction}')",
    "nn.BCELoss(reduction='{reduction}')({0}, {1})",
)
DIVERGENCE = forms(
    "F.kl_div({0}, {1}, reduction='{reduction}')", "nn.KLDivLoss(reduction='batchmean')({0}, {1})"
)
LABEL_LOSSES = forms(
    "F.cross_entropy({0}, {1})",
    "F.cross_entropy({0}, {1}, reduction='{reduction}')",
    "F.cross_entropy({0}, {1}, label_smoothing=0.2)",
    "F.cross_entropy({0}, {1}, ignore_index=1)",
    ("F.nll_loss(ops.log_softmax({0}, 1), {1})", "F.nll_loss(F.log_softmax({0}, 1), {1})"),
    "F.nll_loss({0}, {1}, reduction='{reduction}')",
    "nn.CrossEntropyLoss(reduction='{reduction}')({0}, {1})",
    "nn.NLLLoss()({0}, {1})",
)
SOFT_LABELS = form("F.cross_entropy({0}, {1}, reduction='{reduction}')")
LINEAR = forms("F.linear({0}, {1}, {2})", "F.linear({0}, {1}, {2}).relu()")
LINEAR_PLAIN = forms("F.linear({0}, {1})", ("F.linear({0}, {1}.T.T)", "F.linear({0}, {1})"))
LAYER_NORM = {
    1: form("F.layer_norm({0}, {n})", "F.layer_norm({0}, ({n},))"),
    2: form("F.layer_norm({0}, {n}, {1})", "F.layer_norm({0}, ({n},), {1})"),
    3: form("F.layer_norm({0}, {n}, {1}, {2})", "F.layer_norm({0}, ({n},), {1}, {2})"),
}
BATCH_NORM = forms(
    "F.batch_norm({0}, None, None, training=True)",
    "F.batch_norm({0}, {1}, {2}, training=True)",
    "F.batch_norm({0}, {1}, {2})",
    "F.batch_norm({0}, {1}, {2}, {3}, {4})",
    "F.batch_norm({0}, {1}, {2}, {3}, {4}, training=True)",
)
CONV1D = forms("F.conv1d({0}, {1})", "F.conv1d({0}, {1}, padding=1)", "F.conv1d({0}, {1}, stride=2)")
CONV2D = forms("F.conv2d({0}, {1})", "F.conv2d({0}, {1}, padding=1)", "F.conv2d({0}, {1}, None, 2)")
POOL2D = forms(
    "F.max_pool2d({0}, 2)", "F.avg_pool2d({0}, 2)", "F.max_pool2d({0}, 2, 1)", "F.max_pool2d({0}, 2, 2, 1)"
)
POOL1D = forms("F.max_pool1d({0}, 2)", "F.avg_pool1d({0}, 2)")
ATTENTION = forms(
    "F.scaled_dot_product_attention({0}, {1}, {2})",
    "F.scaled_dot_product_attention({0}, {1}, {2}, is_causal=True)",
)
SELF_ATTENTION = form(
    "F.self_attention({0}, 1)", "torch.cat([F.scaled_dot_product_attention(*{0}.chunk(3, -1))], -1)"
)
EMBEDDING = form("F.embedding({0}, {1})")
ONE_HOT = forms("F.one_hot({0})", "F.one_hot({0}, 4)")
BORDER = forms("F.pad({0}, {widths})", "F.pad({0}, {widths}, value=1.5)")
BORDER_OF = form("F.pad({0}, {widths}, '{border}')")
NORMALIZE = forms(
    ("F.normalize({0}, axis={axis})", "F.normalize({0}, dim={axis})"),
    "F.normalize({0}, {p}, {axis})",
    "F.normalize({0}, {p}, {axis}, 0.5)",
)
GROUP_NORM = {
    1: forms("F.group_norm({0}, {groups})"),
    3: forms("F.group_norm({0}, {groups}, {1}, {2})", "F.group_norm({0}, {groups}, {1})"),
}
RMS_NORM = {
    1: form("F.rms_norm({0}, {n})", "F.rms_norm({0}, ({n},))"),
    2: form("F.rms_norm({0}, {n}, {1}, 1e-5)", "F.rms_norm({0}, ({n},), {1}, 1e-5)"),
}
ADAPTIVE1D = forms("F.adaptive_avg_pool1d({0}, {size})", "F.adaptive_max_pool1d({0}, {size})")
ADAPTIVE2D = forms("F.adaptive_avg_pool2d({0}, {sizes})", "F.adaptive_max_pool2d({0}, {sizes})")
TRANSPOSED1D = forms(
    "F.conv_transpose1d({0}, {1})",
    "F.conv_transpose1d({0}, {1}, None, 2, 1, 1)",
    "F.conv_transpose1d({0}, {1}, dilation=2)",
)
TRANSPOSED2D = forms(
    "F.conv_transpose2d({0}, {1})",
    "F.conv_transpose2d({0}, {1}, None, 2)",
    "F.conv_transpose2d({0}, {1}, padding=1)",
)

# -- what watches a gradient, or computes it in another way --------------------------------------------------------
HOOK = forms(
    "{0}.register_hook(lambda g: g * 2.0)",
    "{0}.register_hook(lambda g: None)",
    "{0}.register_hook(lambda g: g * g)",
    ("{0}.register_hook(lambda g: g.clip(-0.5, 0.5))", "{0}.register_hook(lambda g: g.clip(-0.5, 0.5))"),
    "{0}.register_hook(lambda g: g * {1})",
    "{0}.register_hook(lambda g: g + {1}.detach())",
)
UNHOOK = form("{0}.remove()")
RETAIN = form("{0}.retain_grad()")
FUNCTIONS = forms(
    "Cube.apply({0})",
    "Times.apply({0}, {1})",
    "Exponential.apply({0})",
    "Straight.apply({0}, {number})",
    "Cube.apply(Times.apply({0}, {0}))",
)
CHECKPOINT = forms(
    "checkpoint(lambda t: t * t * t, {0}, use_reentrant=False)",
    "checkpoint(lambda t: (t * {1}).tanh(), {0}, use_reentrant=False)",
    "checkpoint(lambda t, u: t.exp() * u + t, {0}, {1}, use_reentrant=False)",
    "checkpoint(lambda t: t.reshape(-1), {0}, use_reentrant=False)",
)

# -- changes in place --------------------------------------------------------------------------------------------
CHANGE_BY = forms(
    "{0} += {1}",
    "{0} -= {1}",
    "{0} *= {1}",
    "{0} /= {1}",
    "{0}.add_({1})",
    "{0}.mul_({1})",
    "{0}.copy_({1})",
    "{0}[...] = {1}",
)
CHANGE_BY_NUMBER = forms(
    "{0} += {number}",
    "{0} *= {number}",
    "{0} /= 2.0",
    "{0}.sub_({number})",
    "{0}.mul_(0.0)",
    "{0}.div_({number})",
)
ASSIGN = forms("{0}[{index}] = {number}", "{0}[{index}] *= 2.0", "{0}[{index}] += {number}")
ASSIGN_VALUE = forms("{0}[{index}] = {1}", "{0}[{index}] += {1}", "{0}[{index}].copy_({1})")
ASSIGN_MASKED = forms("{0}[{1}] = {number}", "{0}[{0} > 0] = {number}")
CHANGE_INTEGERS = forms(
    "{0} += 1", "{0} *= 2", "{0} += 1.5", "{0} /= 2", "{0}[{index}] = 1", "{0} += {1}", "{0}.copy_({1})"
)
CHANGE_BOOLEANS = forms("{0}[{index}] = True", "{0}[{index}] = False", "{0}.copy_({0})")

# -- behind the record's back ------------------------------------------------------------------------------------
DATA = forms(
    "{0}.data -= 0.5",
    "{0}.data *= 2",
    ("{0}.data = np.array({data}, np.{dtype})", "{0}.data = torch.tensor(np.array({data}, np.{dtype}))"),
)
TIE = forms("{0}.data = {1}.data")
DATA_UNMARKED = forms("{0}.data[{index}] = 1.5")
ARRAY_UNMARKED = forms("{0}[...] *= 2", "{0}[...] = 1.0", "{0}[{index}] = -1.0")
TO_ARRAY = forms("{0}.numpy()", "{0}.detach().numpy()")
MARK = form("{0}.mark_changed()", "{0}.detach().copy_({0}.detach())")
DETACH = forms("{0}.detach()", ("Tensor({0})", "{0}.detach()"))
TENSOR_OF = form("Tensor({0}, requires_grad=True)", "{0}.detach().requires_grad_()")
DEEPCOPY = form("copy.deepcopy({0})")
REQUIRES = forms("{0}.requires_grad_()", "{0}.requires_grad_(False)")

# -- new tensors -------------------------------------------------------------------------------------------------
ARRAY = form("np.array({data}, np.{dtype})")
TENSOR = form(
    "Tensor(np.array({data}, np.{dtype}), requires_grad={wants})",
    "torch.tensor(np.array({data}, np.{dtype}), requires_grad={wants})",
)
EMPTY = form(
    "Tensor(np.zeros({shape}, np.{dtype}), requires_grad={wants})",
    "torch.tensor(np.zeros({shape}, np.{dtype}), requires_grad={wants})",
)
SHARED = form("Tensor({0}, requires_grad={wants})", "torch.from_numpy({0}).requires_grad_({wants})")

# -- gradients ---------------------------------------------------------------------------------------------------
BACKWARD = form("{0}.backward({options})")
BACKWARD_WITH = form("{0}.backward({1}{options})")
BACKWARD_ARRAY = form(
    "{0}.backward(np.array({data}, np.{dtype}){options})",
    "{0}.backward(torch.tensor(np.array({data}, np.{dtype})){options})",
)
WEIGHED = form("({0} * np.array({data})).sum()", "({0} * torch.tensor(np.array({data}))).sum()")
READ_GRAD = form("{0}.grad")
FORGET_GRAD = forms("{0}.grad = None", ("{0}.zero_grad()", "{0}.grad = None"))
SET_GRAD = form("{0}.grad = {1}")
BODIES = (
    "t",
    "t * t",
    "t * 2.0",
    "t + 1.0",
    "t.reshape(-1)",
    "t * {1}",
    "t + {1}",
    "t - t",
    "t.sum()",
    "(t * {1}).exp()",
)
VJP = [
    form(f"vjp(lambda t: {b}, {{0}})[1]({{2}})[0]", f"torch.func.vjp(lambda t: {b}, {{0}})[1]({{2}})[0]")
    for b in BODIES
]
JVP = [
    form(
        f"jvp(lambda t: {b}, ({{0}},), ({{2}},))[1]", f"torch.func.jvp(lambda t: {b}, ({{0}},), ({{2}},))[1]"
    )
    for b in BODIES
]
GRAD_OF = [
    form(f"grad(lambda t: ({b}).sum())({{0}})", f"torch.func.grad(lambda t: ({b}).sum())({{0}})")
    for b in BODIES
]

# -- modules and optimizers --------------------------------------------------------------------------------------
MODULES: dict[str, tuple[str, tuple[int, ...]]] = {
    # how to make one -> the input's shape, of which -1 is any length
    "nn.Linear(3, 2)": ("float", (-1, 3)),
    "nn.Linear(2, 3, bias=False)": ("float", (-1, 2)),
    "nn.LayerNorm(3)": ("float", (-1, 3)),
    "nn.BatchNorm1d(3)": ("float", (2, 3)),
    "nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))": ("float", (-1, 3)),
    "nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LayerNorm(3), nn.GELU())": ("float", (-1, 2)),
    "nn.Sequential(nn.Flatten(), nn.Linear(6, 2), nn.LogSoftmax(1))": ("float", (2, 2, 3)),
    "nn.Sequential(nn.ELU(), nn.SiLU(), nn.Softplus(), nn.Sigmoid(), nn.LeakyReLU(), nn.Softmax(-1))": (
        "float",
        (-1, 3),
    ),
    "nn.Sequential(nn.Conv1d(2, 2, 2), nn.Identity(), nn.MaxPool1d(2))": ("float", (1, 2, 3)),
    "nn.Sequential(nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.MaxPool2d(2, 1), nn.AvgPool2d(1))": (
        "float",
        (2, 1, 3, 3),
    ),
    "nn.Sequential(nn.AvgPool1d(2), nn.Dropout(0.0))": ("float", (1, 2, 3)),
    "nn.Embedding(3, 2)": ("int", (-1,)),
    "nn.GroupNorm(2, 4)": ("float", (-1, 4)),
    "nn.Sequential(nn.GroupNorm(1, 2), nn.AdaptiveAvgPool1d(2), nn.AdaptiveMaxPool1d(1))": (
        "float",
        (2, 2, 3),
    ),
    "nn.RMSNorm(3)": ("float", (-1, 3)),
    "nn.ConvTranspose1d(2, 2, 2)": ("float", (1, 2, 3)),
    "nn.Sequential(nn.ConvTranspose2d(1, 2, 2, 2), nn.AdaptiveMaxPool2d(2), nn.AdaptiveAvgPool2d((1, 2)))": (
        "float",
        (1, 1, 3, 3),
    ),
    "nn.ModuleList([nn.Linear(3, 2)])": ("float", (-1, 3)),
    "nn.ModuleDict({'a': nn.Linear(2, 2)})": ("float", (-1, 2)),
    "nn.RNN(3, 2)": ("float", (2, -1, 3)),
    "nn.RNN(2, 2, 2, 'relu', bidirectional=True)": ("float", (-1, 2)),
    "nn.GRU(3, 2, batch_first=True)": ("float", (1, -1, 3)),
    "nn.GRU(2, 1, bidirectional=True)": ("float", (2, 2, 2)),
    "nn.LSTM(3, 2)": ("float", (2, -1, 3)),
    "nn.LSTM(2, 2, 2, batch_first=True)": ("float", (2, -1, 2)),
    "nn.LSTMCell(3, 2)": ("float", (-1, 3)),
    "nn.RNNCell(3, 2)": ("float", (-1, 3)),
    "nn.GRUCell(3, 2)": ("float", (-1, 3)),
}
MODULE = form("filled({how}, {seed})")
ATTENTION_MODULE = form(
    "filled(nn.MultiheadAttention(2, 1), {seed})",
    "filled(nn.MultiheadAttention(2, 1, batch_first=True), {seed})",
)
CALL = form("{0}({1})")
#: How a module is called that gives more than one tensor, or that only holds others: by the beginning of its name.
CALLS = {
    "nn.RNN(": forms("{0}({1})[0]", "{0}({1})[1]"),
    "nn.GRU(": forms("{0}({1})[0]", "{0}({1})[1]"),
    "nn.LSTM(": forms("{0}({1})[0]", "{0}({1})[1][1]"),
    "nn.LSTMCell(": forms("{0}({1})[0]", "{0}({1})[1]"),
    "nn.ModuleList(": forms("{0}[0]({1})"),
    "nn.ModuleDict(": forms("{0}['a']({1})"),
}
MODULE_HOOK = forms(
    "{0}.register_forward_hook(lambda module, args, out: out * 2.0)",
    "{0}.register_forward_pre_hook(lambda module, args: (args[0] * 0.5,))",
    "{0}.register_forward_hook(lambda module, args, out: None)",
)
CALL_ATTENTION = form("{0}({1})", "{0}({1}, {1}, {1})[0]")
PARAMETER = form("list({0}.parameters())[{place}]")
MODULE_STATE = forms(
    "{0}.eval()", "{0}.train()", "{0}.zero_grad()", "{0}.requires_grad_(False)", "{0}.requires_grad_()"
)
OPTIMIZERS = (
    "optim.SGD([{parameters}], lr=0.1)",
    "optim.SGD([{parameters}], lr=0.1, momentum=0.5)",
    "optim.SGD([{parameters}], lr=0.1, momentum=0.5, nesterov=True, weight_decay=0.1)",
    "optim.Adam([{parameters}], lr=0.1)",
    "optim.AdamW([{parameters}], lr=0.1)",
    "optim.RMSprop([{parameters}], lr=0.01)",
    "optim.Adagrad([{parameters}], lr=0.1)",
)
STEP = forms("{0}.step()", "{0}.zero_grad()")
CLIP_NORM = form("optim.clip_grad_norm_([{0}, {1}], 0.5)", "float(nn.utils.clip_grad_norm_([{0}, {1}], 0.5))")
CLIP_VALUE = form("optim.clip_grad_value_([{0}], 0.25)", "nn.utils.clip_grad_value_([{0}], 0.25)")
