"""`functional` against `torch.nn.functional`: values and gradients, options and error sentences."""

from __future__ import annotations

import numpy as np
import pytest

from autograd_ref import Tensor, nn, ops, optim
from autograd_ref import functional as F
from autograd_ref.gradcheck import gradcheck, gradgradcheck

torch = pytest.importorskip("torch")
f = torch.nn.functional
RNG = np.random.default_rng(3)


def same(ours, theirs, *arrays, tolerance=1e-12):
    xs = [Tensor(a, requires_grad=True) for a in arrays]
    ps = [torch.tensor(a, requires_grad=True) for a in arrays]
    out, expected = ours(*xs), theirs(*ps)
    u = RNG.standard_normal(out.shape)
    np.testing.assert_allclose(out.data, expected.detach().numpy(), rtol=tolerance, atol=tolerance)
    out.backward(u)
    expected.backward(torch.tensor(u))
    for x, p in zip(xs, ps, strict=True):
        np.testing.assert_allclose(x.grad.data, p.grad.numpy(), rtol=tolerance, atol=tolerance)


LABELS = np.array([0, 3, -100, 1, 1])
WEIGHT = np.array([0.5, 1.0, 2.0, 0.1])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignore", [-100, 1])
def test_cross_entropy_with_every_option_equals_pytorch(reduction, smoothing, weighted, ignore):
    labels = np.where(LABELS == -100, ignore, LABELS)
    options = {"reduction": reduction, "label_smoothing": smoothing, "ignore_index": ignore}
    w = WEIGHT if weighted else None
    tw = torch.tensor(WEIGHT) if weighted else None
    same(
        lambda x: F.cross_entropy(x, labels, w, **options),
        lambda x: f.cross_entropy(x, torch.tensor(labels), tw, **options),
        RNG.standard_normal((5, 4)),
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("shape", [(5, 4), (2, 4, 3), (4,)])
def test_cross_entropy_with_probabilities_equals_pytorch(reduction, smoothing, shape):
    target = RNG.dirichlet(np.ones(4), shape[:1] + shape[2:]) if len(shape) > 1 else RNG.dirichlet(np.ones(4))
    target = np.moveaxis(target, -1, 1) if len(shape) > 1 else target
    options = {"reduction": reduction, "label_smoothing": smoothing}
    same(
        lambda x: F.cross_entropy(x, target, WEIGHT, **options),
        lambda x: f.cross_entropy(x, torch.tensor(target), torch.tensor(WEIGHT), **options),
        RNG.standard_normal(shape),
    )


@pytest.mark.parametrize("shape", [(4,), (2, 4, 3), (2, 4, 3, 2)])
def test_cross_entropy_takes_one_prediction_per_position(shape):
    labels = RNG.integers(0, 4, shape[:1] + shape[2:] if len(shape) > 1 else ())
    same(
        lambda x: F.cross_entropy(x, labels),
        lambda x: f.cross_entropy(x, torch.tensor(labels)),
        RNG.standard_normal(shape),
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_other_losses_equal_pytorch(reduction):
    x, y = RNG.standard_normal((2, 3, 4))
    p, q = RNG.uniform(0.01, 0.99, (2, 3, 4))
    same(lambda a, b: F.l1_loss(a, b, reduction), lambda a, b: f.l1_loss(a, b, reduction=reduction), x, y)
    same(
        lambda a, b: F.huber_loss(a, b, reduction, 0.7),
        lambda a, b: f.huber_loss(a, b, reduction=reduction, delta=0.7),
        x, y,
    )  # fmt: skip
    same(
        lambda a: F.binary_cross_entropy(a, q, reduction),
        lambda a: f.binary_cross_entropy(a, torch.tensor(q), reduction=reduction),
        p,
    )
    same(
        lambda a: F.binary_cross_entropy_with_logits(a, q, reduction, pos_weight=3.0),
        lambda a: f.binary_cross_entropy_with_logits(
            a, torch.tensor(q), reduction=reduction, pos_weight=torch.tensor(3.0)
        ),
        100 * x,
    )
    labels = np.array([1, 0, -100])
    same(
        lambda a: F.nll_loss(ops.log_softmax(a), labels, WEIGHT, reduction=reduction),
        lambda a: f.nll_loss(
            a.log_softmax(-1), torch.tensor(labels), torch.tensor(WEIGHT), reduction=reduction
        ),
        x,
    )


def test_binary_cross_entropy_at_0_and_1_equals_pytorch():
    p, q = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 0.0])
    same(
        lambda a: F.binary_cross_entropy(a, q, "sum"),
        lambda a: f.binary_cross_entropy(a, torch.tensor(q), reduction="sum"),
        p,
    )


def test_activations_equal_pytorch_also_at_0():
    x = np.array([-30.0, -1.5, -0.0, 0.0, 0.7, 30.0])
    same(F.leaky_relu, f.leaky_relu, x)
    same(lambda a: F.elu(a, 0.7), lambda a: f.elu(a, 0.7), x)
    same(F.silu, f.silu, x)
    same(F.gelu, f.gelu, x)
    same(lambda a: F.gelu(a, "tanh"), lambda a: f.gelu(a, approximate="tanh"), x)


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (4, 3, 2, 2)])
def test_batch_norm_and_its_running_statistics_equal_pytorch(shape):
    mean, var = np.zeros(3), np.ones(3)
    t_mean, t_var = torch.zeros(3).double(), torch.ones(3).double()
    for training in (True, True, False):
        same(
            lambda x, w, b: F.batch_norm(x, mean, var, w, b, training),  # noqa: B023
            lambda x, w, b: f.batch_norm(x, t_mean, t_var, w, b, training),  # noqa: B023
            RNG.standard_normal(shape), RNG.standard_normal(3), RNG.standard_normal(3),
        )  # fmt: skip
    np.testing.assert_allclose(mean, t_mean.numpy(), rtol=1e-12)
    np.testing.assert_allclose(var, t_var.numpy(), rtol=1e-12)


def test_layer_norm_over_two_axes_and_without_weight_equals_pytorch():
    x, w = RNG.standard_normal((2, 3, 4)), RNG.standard_normal((3, 4))
    same(lambda x, w: F.layer_norm(x, (3, 4), w), lambda x, w: f.layer_norm(x, (3, 4), w), x, w)
    same(lambda x: F.layer_norm(x, 4), lambda x: f.layer_norm(x, (4,)), x)


def test_average_pooling_equals_pytorch():
    x = RNG.standard_normal((2, 3, 7, 6))
    for args in [(2,), (3, 2), (3, 2, 1), ((2, 3), (1, 2), (1, 0))]:
        same(lambda x: F.avg_pool2d(x, *args), lambda x: f.avg_pool2d(x, *args), x)  # noqa: B023
    same(lambda x: F.avg_pool1d(x, 3, 2), lambda x: f.avg_pool1d(x, 3, 2), x[:, :, 0])
    assert gradcheck(lambda x: F.avg_pool2d(x, 2), x)
    assert gradgradcheck(lambda x: F.avg_pool2d(x, 2) ** 2, x)


def test_embedding_adds_the_gradients_of_repeated_entries():
    index = np.array([[0, 2, 2], [4, 0, 2]])
    same(
        lambda w: F.embedding(index, w),
        lambda w: f.embedding(torch.tensor(index), w),
        RNG.standard_normal((5, 3)),
    )


def test_variance_and_standard_deviation_equal_pytorch():
    x = RNG.standard_normal((3, 4))
    for axis, keep, correction in [(None, False, 1), (0, True, 0), ((0, 1), False, 1), (1, False, 2)]:
        dims = (0, 1) if axis is None else axis
        options = {"keepdim": keep, "correction": correction}
        same(
            lambda x: ops.var(x, axis, keep, correction),  # noqa: B023
            lambda x: x.var(dims, **options),  # noqa: B023
            x,
        )
        same(lambda x: ops.std(x, axis, keep, correction), lambda x: x.std(dims, **options), x)  # noqa: B023
    same(lambda x: ops.std(x, 1), lambda x: x.std(1), np.ones((2, 3)))


def test_outer_and_mean_equal_pytorch():
    same(ops.outer, torch.outer, RNG.standard_normal(3), RNG.standard_normal(2))
    same(
        lambda x: x.mean((0, 2), keepdims=True),
        lambda x: x.mean((0, 2), keepdim=True),
        RNG.standard_normal((2, 3, 4)),
    )


def test_dropout_keeps_the_mean_and_gives_the_gradient_of_what_it_kept():
    x = Tensor(np.ones(100_000), requires_grad=True)
    y = F.dropout(x, 0.3, rng=np.random.default_rng(0))
    assert abs(y.data.mean() - 1) < 0.01
    assert abs((y.data == 0).mean() - 0.3) < 0.01
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, y.data)
    assert F.dropout(x, 0.3, training=False) is x
    assert not F.dropout(x, 1.0).data.any()
    empty = Tensor(np.zeros((0, 3)), requires_grad=True)
    assert F.dropout(empty, 1.0) is F.dropout(empty, 0.3) is empty  # as in PyTorch


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (F.linear, [(4, 3), (2, 3), (1,)]),
        (F.linear, [(4, 3), (2, 3), ()]),
        (F.linear, [(2, 4, 3), (2, 3), (1,)]),
        (F.linear, [(4, 3), (1, 3), ()]),
        (F.scaled_dot_product_attention, [(2, 3, 5, 4), (6, 4), (6, 2)]),
        (F.scaled_dot_product_attention, [(2, 1, 5, 4), (3, 6, 4), (1, 1, 6, 2)]),
        (F.scaled_dot_product_attention, [(5, 4), (3, 6, 4), (3, 6, 2)]),
        (F.conv2d, [(2, 3, 5, 5), (4, 3, 2, 2), (1,)]),
    ],
)
@pytest.mark.parametrize("steps", [0, 3])
def test_a_fused_operation_sums_the_gradient_of_an_argument_that_it_repeated(function, shapes, steps):
    leaves = [Tensor(RNG.standard_normal(s), requires_grad=True) for s in shapes]
    optimizer = optim.SGD(leaves, lr=0.0)  # after some steps it takes gradients into memory of its own
    for _ in range(steps):
        optimizer.zero_grad()
        function(*leaves).sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    out = function(*leaves)
    u = RNG.standard_normal(out.shape)
    out.backward(u)
    assert [t.grad.shape for t in leaves] == shapes
    recorded = [t.grad.data for t in leaves]
    optimizer.zero_grad()
    function(*leaves).backward(u, create_graph=True)  # by way of the definition
    for first, t in zip(recorded, leaves, strict=True):
        np.testing.assert_allclose(first, t.grad.data, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.cross_entropy(Tensor(np.ones((2, 3))), np.array([0, 3])), "label 3.*0 to 2"),
        (lambda: F.cross_entropy(Tensor(np.ones((2, 3))), np.array([0])), r"\(2, 3\).*\(2,\).*\(1,\)"),
        (lambda: F.binary_cross_entropy(Tensor(np.ones(3)), Tensor(np.ones((3, 1)))), r"\(3,\).*\(3, 1\)"),
        (lambda: F.binary_cross_entropy(Tensor([1.5]), Tensor([1.0])), "with_logits"),
        (lambda: F.embedding(np.array([5]), Tensor(np.ones((3, 2)))), "0 to 2"),
        (lambda: F.embedding(np.array([0.5]), Tensor(np.ones((3, 2)))), "float64"),
        (lambda: F.conv2d(Tensor(np.ones((1, 2, 4, 4))), Tensor(np.ones((1, 3, 2, 2)))), r"\(1, 2, 4, 4\)"),
        (lambda: F.conv2d(Tensor(np.ones((1, 1, 2, 2))), Tensor(np.ones((1, 1, 3, 3)))), "larger"),
        (lambda: F.conv2d(np.ones((1, 4, 4, 4)), np.ones((4, 4, 2, 2)), groups=2), "C / 2 in place of C"),
        (lambda: F.conv2d(np.ones((1, 4, 4, 4)), np.ones((3, 2, 2, 2)), groups=2), "3 output channels among 2"),
        (lambda: nn.Conv2d(4, 6, 3, groups=4), "4 in and 6 out.*groups=4"),
        (lambda: F.linear(Tensor(np.ones((2, 3))), Tensor(np.ones((4, 2)))), r"'linear'.*\(2, 3\) and \(4"),
        (lambda: F.gelu(Tensor([1.0]), "sigmoid"), "sigmoid"),
        (lambda: F.dropout(Tensor([1.0]), 1.5), "1.5"),
        (lambda: Tensor(np.ones((2, 3))).sum(5), "axis 5.*2 axes"),
        (lambda: ops.einsum("ij,jk->ik", Tensor(np.ones((2, 3))), Tensor(np.ones((2, 3)))), "'j'.*3 and 2"),
        (lambda: ops.stack([Tensor([1.0]), Tensor([1.0, 2.0])]), "equal shapes"),
        (lambda: Tensor([1.0, 2.0])[5], r"\(2,\)"),
        (lambda: Tensor(np.ones((0, 2))).max(), "'max'"),
        (lambda: Tensor(np.ones((2, 3))).reshape(4), r"'reshape'.*\(2, 3\)"),
    ],
)  # fmt: skip
def test_errors_are_sentences_that_name_what_was_given(call, words):
    with pytest.raises((ValueError, TypeError, IndexError), match=words) as caught:
        call()
    text = str(caught.value)
    assert text.endswith((".", "?"))
    assert len(text.split()) > 5


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    "loss",
    [F.cross_entropy, F.nll_loss, lambda x, labels: F.cross_entropy(x, labels, label_smoothing=0.2)],
    ids=["cross_entropy", "nll_loss", "smoothed"],
)
def test_labels_that_change_after_their_use_do_not_change_the_gradient(loss, create_graph):
    x, labels = Tensor([[1.0, 2.0], [3.0, 1.0]], requires_grad=True), Tensor(np.array([0, 1]))
    loss(x, labels).backward()
    expected, x.grad = x.grad.data.copy(), None
    later = loss(x, labels)
    labels[...] = 1
    later.backward(create_graph=create_graph)
    np.testing.assert_allclose(x.grad.data, expected)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    "name",
    ["mse_loss", "l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"],
)
def test_the_mean_loss_of_nothing_is_nan_and_its_sum_is_zero(name, reduction):
    torch = pytest.importorskip("torch")
    ours = getattr(F, name)(
        Tensor(np.zeros((2, 0)), requires_grad=True), np.zeros((2, 0)), reduction=reduction
    )
    nothing = torch.zeros((2, 0), dtype=torch.float64)
    theirs = getattr(torch.nn.functional, name)(nothing, nothing, reduction=reduction)
    np.testing.assert_array_equal(ours.data, theirs.numpy())
    ours.backward(np.ones(ours.shape))


@pytest.mark.parametrize("huge", [np.inf, np.nan, 1e200])
@pytest.mark.parametrize("how", [(2,), (3, 3), (2, 1), (3, 2, 1)])
def test_a_gradient_that_is_no_number_goes_to_the_maximum_alone(huge, how):
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(3).standard_normal((1, 1, 6, 6))
    x[0, 0, 0, :2] = 3.0
    ours, theirs = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    out, other = F.max_pool2d(ours, *how), torch.nn.functional.max_pool2d(theirs, *how)
    u = np.arange(1.0, out.size + 1).reshape(out.shape)
    u[0, 0, 0, 0] = huge
    out.backward(u)
    other.backward(torch.tensor(u))
    np.testing.assert_allclose(ours.grad.data, theirs.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("widths", [(1, 2), (2, 0, 1, 3), (-1, 2), (1, -2, -1, 1), (0, 0)])
def test_padding_equals_pytorch(mode, widths):
    x = RNG.standard_normal((2, 3, 5, 4))
    if mode != "constant" and len(widths) == 2:  # PyTorch wants all widths of an image there
        widths = (*widths, 0, 1)
    same(lambda a: F.pad(a, widths, mode), lambda a: f.pad(a, widths, mode), x)


def test_padding_that_does_not_fit_is_refused_with_a_sentence():
    x = np.zeros((2, 3))
    for widths, mode in [
        ((1,), "constant"),
        ((1,) * 6, "constant"),
        ((-2, -2), "constant"),
        ((-4, 2), "constant"),
        ((3, 0), "reflect"),
    ]:
        with pytest.raises(ValueError, match="'pad'"):
            F.pad(x, widths, mode)
    with pytest.raises(ValueError, match="not 'mirror'"):
        F.pad(x, (1, 1), "mirror")


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, (2, 3), (None, 2), (5, None), (6, 7)])
@pytest.mark.parametrize("name", ["adaptive_avg_pool2d", "adaptive_max_pool2d"])
def test_adaptive_pooling_equals_pytorch_and_its_derivatives_the_numbers(name, size):
    ours, theirs = getattr(F, name), getattr(f, name)
    x = RNG.permutation(2 * 3 * 6 * 7).reshape(2, 3, 6, 7) / 10.0
    same(lambda a: ours(a, size), lambda a: theirs(a, size), x)
    same(lambda a: ours(a, size), lambda a: theirs(a, size), np.round(x / 5))  # with ties
    assert gradcheck(lambda a: ours(a, size), x)
    assert gradgradcheck(lambda a: ours(a * a, size), x)


@pytest.mark.parametrize("shape", [(1, 1, 6, 6), (2, 3, 30, 29)])
@pytest.mark.parametrize("how", [(2,), (3, 2, 1), (2, 3)])
def test_of_equal_elements_the_first_gets_the_gradient_in_small_and_large_images(how, shape):
    for x in (np.ones(shape), np.round(RNG.standard_normal(shape))):
        same(lambda a: F.max_pool2d(a, *how), lambda a: f.max_pool2d(a, *how), x)


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (1, 2, 40, 50)])
@pytest.mark.parametrize("size", [1, 3, [4, 3], (9, 60), (None, 2), (5, None)])
@pytest.mark.parametrize("name", ["adaptive_avg_pool2d", "adaptive_max_pool2d"])
def test_an_infinity_or_nan_reaches_the_windows_that_have_it_and_no_other(name, size, shape):
    ours, theirs = getattr(F, name), getattr(f, name)
    for there in (np.inf, np.nan):
        x = RNG.standard_normal(shape)
        x[-1, 0, 0, 0], x[0, 1, -1, -2] = there, -np.inf
        a, p = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
        with np.errstate(invalid="ignore"):
            out, expected = ours(a, size), theirs(p, size)
            g = RNG.standard_normal(out.shape)
            g[0, 0, 0, 0], g[-1, -1, -1, -1] = there, np.inf
            out.backward(g)
        expected.backward(torch.tensor(g))
        np.testing.assert_allclose(out.data, expected.detach().numpy(), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(a.grad.data, p.grad.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["adaptive_avg_pool1d", "adaptive_max_pool1d"])
def test_adaptive_pooling_of_sequences_equals_pytorch(name):
    x = RNG.standard_normal((2, 3, 8))
    for size in (1, 3, 4, 8, 9):
        same(lambda a, n=size: getattr(F, name)(a, n), lambda a, n=size: getattr(f, name)(a, n), x)
    with pytest.raises(ValueError, match=name):
        getattr(F, name)(x, 0)
    with pytest.raises(ValueError, match=name):
        getattr(F, name)(x[0], 2)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)])
def test_one_hot_equals_pytorch(shape):
    index = RNG.integers(0, 4, shape)
    ours, theirs = F.one_hot(Tensor(index), 5), f.one_hot(torch.tensor(index), 5)
    assert isinstance(ours, Tensor)
    assert ours.dtype == np.int64
    np.testing.assert_array_equal(ours.data, theirs.numpy())
    if index.size:
        np.testing.assert_array_equal(F.one_hot(index), f.one_hot(torch.tensor(index)).numpy())


@pytest.mark.parametrize(("index", "classes"), [([-1], 3), ([3], 3), ([], -1)])
def test_one_hot_refuses_what_it_has_no_place_for(index, classes):
    with pytest.raises(ValueError, match="'one_hot'"):
        F.one_hot(np.array(index, int), classes)
    with pytest.raises(TypeError, match="integers"):
        F.one_hot(np.array([0.0]))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none", "batchmean"])
def test_divergence_and_smooth_l1_equal_pytorch(reduction):
    x, y = RNG.standard_normal((2, 3, 4))
    p = RNG.dirichlet(np.ones(4), 3)
    for log in (False, True):
        target = np.log(p) if log else p
        same(
            lambda a, b, log=log: F.kl_div(a, b, reduction, log),
            lambda a, b, log=log: f.kl_div(a, b, reduction=reduction, log_target=log),
            x, target,
        )  # fmt: skip
    away = np.array([[0.5, -0.5], [0.0, np.nan]])
    for target in (away, -away):  # no probabilities: no number either, but for 0
        with np.errstate(invalid="ignore"):
            ours = F.kl_div(x[:2, :2], target, reduction)
        theirs = f.kl_div(torch.tensor(x[:2, :2]), torch.tensor(target), reduction=reduction)
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-12)
    if reduction != "batchmean":
        for beta in (0.0, 0.5, 1.0, 2.0):
            same(
                lambda a, b, beta=beta: F.smooth_l1_loss(a, b, reduction, beta),
                lambda a, b, beta=beta: f.smooth_l1_loss(a, b, reduction=reduction, beta=beta),
                x, y,
            )  # fmt: skip
    with pytest.raises(ValueError, match="beta"):
        F.smooth_l1_loss(x, y, beta=-1.0)


@pytest.mark.parametrize("given", [(), ("weight",), ("weight", "bias")])
def test_group_and_rms_norm_equal_pytorch_with_and_without_their_parameters(given):
    x, w, b = RNG.standard_normal((2, 6, 5)), RNG.standard_normal(6), RNG.standard_normal(6)
    more = {"weight": w, "bias": b}
    ours = {n: more[n] for n in given}
    theirs = {n: torch.tensor(a) for n, a in ours.items()}
    same(lambda a: F.group_norm(a, 3, **ours), lambda a: f.group_norm(a, 3, **theirs), x)
    if "bias" not in given:
        full = RNG.standard_normal((6, 5))
        for shape, weight in ((5, full[0]), ((6, 5), full)):
            sizes = (shape,) if isinstance(shape, int) else shape
            scale = weight if given else None
            same(
                lambda a, s=shape, v=scale: F.rms_norm(a, s, v),
                lambda a, s=sizes, v=scale: f.rms_norm(a, s, None if v is None else torch.tensor(v)),
                x,
            )
    for call in (lambda: F.group_norm(x, 4), lambda: F.rms_norm(x, 4)):
        with pytest.raises(ValueError, match="_norm'"):
            call()


@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_normalize_equals_pytorch(p):
    x = RNG.standard_normal((3, 4, 2))
    x[0, :, 0] = 0
    for axis in (0, 1, -1):
        same(lambda a, d=axis: F.normalize(a, p, d), lambda a, d=axis: f.normalize(a, p, d), x)


def test_a_transposed_convolution_is_the_transpose_of_the_convolution():
    x, w = RNG.standard_normal((2, 3, 9, 8)), RNG.standard_normal((4, 3, 3, 2))
    how = {"stride": (2, 3), "padding": 1}
    y = F.conv2d(x, w, **how)
    u = RNG.standard_normal(y.shape)
    back = F.conv_transpose2d(u, w, **how, output_padding=(0, 2))
    assert back.shape == x.shape
    np.testing.assert_allclose(np.vdot(u, y), np.vdot(back, x))


@pytest.mark.parametrize(
    ("shape", "weight", "how"),
    [
        ((1, 2, 3, 3), (3, 2, 2, 2), {}),
        ((1, 2, 3, 3), (2, 2, 2, 2), {"output_padding": 1}),
        ((1, 2, 3, 3), (2, 2, 2, 2), {"padding": 3}),
        ((1, 3, 3, 3), (3, 2, 2, 2), {"groups": 2}),
    ],
)
def test_a_transposed_convolution_that_does_not_fit_is_refused(shape, weight, how):
    with pytest.raises(ValueError, match="'conv_transpose2d'"):
        F.conv_transpose2d(np.zeros(shape), np.zeros(weight), **how)


def test_sorting_equals_pytorch_at_ties_and_nan():
    x = np.array([[2.0, np.nan, -0.0, 0.0, 2.0, -1.0], [1.0, 1.0, 1.0, np.nan, np.nan, 0.5]])
    for axis in (0, 1):
        for down in (False, True):
            ours = ops.sort(Tensor(x), axis, down)
            theirs = torch.sort(torch.tensor(x), dim=axis, descending=down, stable=True)
            np.testing.assert_array_equal(ours.values.data, theirs.values.numpy())
            np.testing.assert_array_equal(ours.indices.data, theirs.indices.numpy())
            np.testing.assert_array_equal(ops.argsort(x, axis, down), theirs.indices.numpy())
    found = ops.topk(x, 3)
    np.testing.assert_array_equal(found.values, torch.topk(torch.tensor(x), 3).values.numpy())
    assert found.indices.tolist() == [[1, 0, 4], [3, 4, 0]]
    for k in (-1, 7):
        with pytest.raises(ValueError, match="'topk'"):
            ops.topk(x, k)
