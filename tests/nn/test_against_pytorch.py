"""Ten steps of training give PyTorch's parameters to 1e-10, for every layer."""

import numpy as np
import pytest

from autograd_ref import Tensor, nn

torch = pytest.importorskip("torch")
tnn = torch.nn


def normal(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape)


LAYERS = [
    ("Linear", (5, 3), {}, (7, 5)),
    ("Linear", (5, 3), {"bias": False}, (2, 4, 5)),
    ("Conv1d", (3, 4, 3), {"padding": 1}, (2, 3, 9)),
    ("Conv1d", (3, 4, 2), {"stride": 2, "bias": False}, (2, 3, 9)),
    ("Conv1d", (3, 4, 2), {"dilation": 3}, (2, 3, 9)),
    ("Conv2d", (3, 4, 3), {"padding": 1}, (2, 3, 6, 5)),
    ("Conv2d", (2, 5, (2, 3)), {"stride": (2, 1), "padding": (0, 2)}, (3, 2, 7, 5)),
    ("Conv2d", (2, 3, 3), {"stride": 2, "dilation": 2, "bias": False}, (2, 2, 9, 8)),
    ("Conv1d", (6, 4, 3), {"groups": 2, "padding": 1}, (2, 6, 9)),
    ("Conv2d", (6, 9, 3), {"groups": 3, "padding": 1}, (2, 6, 6, 5)),
    (
        "Conv2d",
        (4, 8, (2, 3)),
        {"groups": 4, "stride": (2, 1), "dilation": (1, 2), "bias": False},
        (3, 4, 7, 8),
    ),
    ("MaxPool1d", (2,), {}, (2, 3, 7)),
    ("MaxPool1d", (3,), {"stride": 1, "padding": 1}, (2, 3, 7)),
    ("MaxPool2d", (2,), {}, (2, 3, 6, 7)),
    ("MaxPool2d", ((3, 2),), {"stride": (1, 2), "padding": 1}, (2, 3, 6, 7)),
    ("AvgPool1d", (3,), {"stride": 2}, (2, 3, 8)),
    ("AvgPool2d", (2,), {}, (2, 3, 6, 7)),
    ("AvgPool2d", (3,), {"stride": 2, "padding": 1}, (2, 3, 6, 7)),
    ("LayerNorm", (6,), {}, (4, 5, 6)),
    ("LayerNorm", ((5, 6),), {}, (4, 5, 6)),
    ("RMSNorm", (6,), {}, (4, 5, 6)),
    ("RMSNorm", ((5, 6),), {"eps": 0.1}, (4, 5, 6)),
    ("GroupNorm", (2, 6), {}, (4, 6, 3)),
    ("GroupNorm", (3, 6), {"eps": 0.1}, (4, 6, 3, 2)),
    ("GroupNorm", (2, 6), {}, (4, 6)),
    ("ConvTranspose1d", (3, 4, 3), {"stride": 2, "padding": 1, "output_padding": 1}, (2, 3, 5)),
    ("ConvTranspose2d", (3, 4, (2, 3)), {}, (2, 3, 4, 5)),
    ("ConvTranspose2d", (4, 6, 3), {"groups": 2, "stride": 2, "bias": False, "dilation": 2}, (2, 4, 3, 4)),
    ("AdaptiveAvgPool1d", (3,), {}, (2, 3, 7)),
    ("AdaptiveAvgPool2d", (1,), {}, (2, 3, 6, 7)),
    ("AdaptiveAvgPool2d", ((2, None),), {}, (2, 3, 5, 7)),
    ("AdaptiveMaxPool1d", (2,), {}, (2, 3, 7)),
    ("AdaptiveMaxPool2d", ((4, 3),), {}, (2, 3, 6, 7)),
    ("BatchNorm1d", (5,), {}, (8, 5)),
    ("BatchNorm1d", (5,), {"momentum": 0.3}, (4, 5, 3)),
    ("BatchNorm2d", (3,), {}, (4, 3, 5, 2)),
    ("Flatten", (), {}, (3, 2, 4)),
    ("Identity", (), {}, (3, 2)),
    ("ReLU", (), {}, (5, 6)),
    ("LeakyReLU", (0.2,), {}, (5, 6)),
    ("ELU", (1.3,), {}, (5, 6)),
    ("GELU", (), {}, (5, 6)),
    ("GELU", (), {"approximate": "tanh"}, (5, 6)),
    ("SiLU", (), {}, (5, 6)),
    ("Softplus", (), {}, (5, 6)),
    ("Sigmoid", (), {}, (5, 6)),
    ("Tanh", (), {}, (5, 6)),
    ("Softmax", (1,), {}, (5, 6, 2)),
    ("LogSoftmax", (-1,), {}, (5, 6)),
]


@pytest.mark.parametrize(("name", "args", "options", "shape"), LAYERS)
def test_ten_steps_of_a_layer_give_pytorchs_parameters(train_both, name, args, options, shape):
    train_both(getattr(nn, name)(*args, **options), getattr(tnn, name)(*args, **options), normal(*shape))


def test_ten_steps_of_an_embedding_with_repeated_indices(train_both):
    index = np.array([[0, 3, 3], [6, 0, 3]])
    train_both(nn.Embedding(7, 4), tnn.Embedding(7, 4), index)


@pytest.mark.parametrize("name", ["RNNCell", "GRUCell"])
@pytest.mark.parametrize("bias", [True, False])
def test_ten_steps_of_a_cell_unrolled_over_four_inputs(train_both, name, bias):
    def unroll(cell, xs, h):
        for i in range(4):
            h = cell(xs[i], h)
        return h

    train_both(
        getattr(nn, name)(3, 5, bias=bias),
        getattr(tnn, name)(3, 5, bias=bias),
        normal(4, 2, 3),
        normal(2, 5),
        call=unroll,
    )


@pytest.mark.parametrize("bias", [True, False])
def test_ten_steps_of_a_long_short_term_memory_cell(train_both, bias):
    def unroll(cell, xs, h, c):
        for i in range(4):
            h, c = cell(xs[i], (h, c))
        return h + c

    args = normal(4, 2, 3), normal(2, 5), normal(5, 2).T.copy()
    train_both(nn.LSTMCell(3, 5, bias=bias), tnn.LSTMCell(3, 5, bias=bias), *args, call=unroll)


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({}, (4, 2, 3)),
        ({"num_layers": 2, "bias": False}, (3, 2, 3)),
        ({"batch_first": True, "bidirectional": True}, (2, 4, 3)),
        ({"num_layers": 2, "bidirectional": True}, (3, 1, 3)),
        ({"num_layers": 3, "batch_first": True}, (5, 3)),  # no batch
    ],
)
@pytest.mark.parametrize("started", [False, True])
def test_ten_steps_of_a_recurrent_layer(train_both, name, options, shape, started):
    ours, theirs = getattr(nn, name)(3, 4, **options), getattr(tnn, name)(3, 4, **options)
    rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    batch = () if len(shape) == 2 else (shape[0] if options.get("batch_first") else shape[1],)
    more = [np.random.default_rng(i).standard_normal((rows, *batch, 4)) for i in range(1 + (name == "LSTM"))]

    def call(module, x, *states):
        state = None if not states else states if name == "LSTM" else states[0]
        out, last = module(x, state)
        total = out.sum() if isinstance(last, tuple) is False else out.sum() + (last[1] * last[1]).sum()
        h = last[0] if isinstance(last, tuple) else last
        return out * 1.5 + total + (h * h).sum()

    train_both(ours, theirs, normal(*shape), *(more if started else ()), call=call)


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_what_a_recurrent_layer_gives_may_be_changed_in_place(name, batch_first):
    out, _ = getattr(nn, name)(3, 2, batch_first=batch_first)(Tensor(normal(2, 4, 3)))
    before = out.data.copy()
    out *= 2.0
    np.testing.assert_array_equal(out.data, before * 2)


def test_a_recurrent_layer_refuses_what_does_not_fit_with_a_sentence():
    layer = nn.LSTM(3, 4)
    for shape in ((2, 3, 4), (3,), (0, 2, 3)):
        with pytest.raises(ValueError, match="LSTM needs"):
            layer(np.zeros(shape))
    with pytest.raises(ValueError, match="starts from"):
        layer(np.zeros((5, 2, 3)), (np.zeros((1, 1, 4)), np.zeros((1, 1, 4))))
    for wrong in ({"num_layers": 0}, {"dropout": 2.0}):
        with pytest.raises(ValueError, match=r"must be|probability"):
            nn.GRU(3, 4, **wrong)
    with pytest.raises(ValueError, match="nonlinearity"):
        nn.RNN(3, 4, nonlinearity="gelu")


def test_dropout_between_recurrent_layers_is_for_training_only():
    nn.manual_seed(0)
    layer, x = nn.GRU(3, 8, num_layers=2, dropout=0.5), normal(5, 2, 3)
    assert not np.array_equal(layer(x)[0].data, layer(x)[0].data)
    layer.eval()
    np.testing.assert_array_equal(layer(x)[0].data, layer(x)[0].data)


LABELS, WEIGHT = np.array([2, 0, -100, 1]), np.array([0.5, 2.0, 1.0])
POSITIVE = np.random.default_rng(7).uniform(0.1, 0.9, (4, 3))
LOSSES = [
    ("MSELoss", {"reduction": "sum"}, normal(4, 3)),
    ("L1Loss", {}, normal(4, 3)),
    ("HuberLoss", {"delta": 0.5}, normal(4, 3)),
    ("SmoothL1Loss", {"beta": 0.5, "reduction": "none"}, normal(4, 3)),
    ("KLDivLoss", {"reduction": "batchmean"}, POSITIVE),
    ("KLDivLoss", {"reduction": "sum", "log_target": True}, np.log(POSITIVE)),
    ("CrossEntropyLoss", {}, LABELS),
    (
        "CrossEntropyLoss",
        {"weight": WEIGHT, "label_smoothing": 0.1, "ignore_index": 1},
        np.array([2, 0, 2, 1]),
    ),
    ("CrossEntropyLoss", {"reduction": "none"}, POSITIVE),
    ("NLLLoss", {"weight": WEIGHT, "ignore_index": 0}, np.array([2, 0, 2, 1])),
    ("BCELoss", {"weight": POSITIVE}, POSITIVE),
    ("BCEWithLogitsLoss", {"pos_weight": WEIGHT, "weight": POSITIVE, "reduction": "sum"}, POSITIVE),
]


@pytest.mark.parametrize(("name", "options", "target"), LOSSES)
def test_a_loss_module_gives_pytorchs_loss_and_gradient(name, options, target):
    x = POSITIVE[::-1].copy() if name == "BCELoss" else normal(4, 3)
    theirs = {n: torch.tensor(v) if isinstance(v, np.ndarray) else v for n, v in options.items()}
    ours, theirs = getattr(nn, name)(**options), getattr(tnn, name)(**theirs)
    t, p = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    a, b = ours(t, Tensor(target)), theirs(p, torch.tensor(target))
    np.testing.assert_allclose(a.data, b.detach().numpy(), rtol=1e-12)
    a.sum().backward()
    b.sum().backward()
    np.testing.assert_allclose(t.grad.data, p.grad.numpy(), rtol=1e-11, atol=1e-14)
    assert set(ours.state_dict()) == set(theirs.state_dict())


@pytest.mark.parametrize("name", sorted({name for name, _, _ in LOSSES}))
def test_a_loss_module_refuses_an_unknown_reduction_at_once(name):
    with pytest.raises(ValueError, match=r"reduction is 'mean', 'sum'.* not 'average'"):
        getattr(nn, name)(reduction="average")


def test_a_cell_starts_from_zeros(train_both):
    train_both(nn.RNNCell(3, 5, nonlinearity="relu"), tnn.RNNCell(3, 5, nonlinearity="relu"), normal(2, 3))


@pytest.mark.parametrize("causal", [False, True])
def test_ten_steps_of_self_attention(train_both, causal):
    mask = ~torch.ones(5, 5, dtype=bool).tril() if causal else None
    train_both(
        nn.MultiheadAttention(6, 2),
        tnn.MultiheadAttention(6, 2, batch_first=True),
        normal(3, 5, 6),
        call=lambda m, x: m(x, is_causal=causal),
        call_theirs=lambda m, x: m(x, x, x, attn_mask=mask)[0],
    )


def test_ten_steps_of_attention_to_another_sequence_with_a_mask(train_both):
    allowed = np.random.default_rng(0).random((5, 4)) < 0.7
    allowed[:, 0] = True
    train_both(
        nn.MultiheadAttention(6, 3, bias=False),
        tnn.MultiheadAttention(6, 3, bias=False, batch_first=True),
        normal(3, 5, 6),
        normal(3, 4, 6),
        call=lambda m, x, y: m(x, y, attn_mask=allowed),
        call_theirs=lambda m, x, y: m(x, y, y, attn_mask=torch.tensor(~allowed))[0],
    )


@pytest.mark.parametrize("causal", [False, True])
def test_ten_steps_of_a_transformer_block(train_both, causal):
    theirs = tnn.TransformerEncoderLayer(
        6, 2, 24, dropout=0.0, activation="gelu", norm_first=True, batch_first=True
    )
    mask = ~torch.ones(5, 5, dtype=bool).tril() if causal else None
    train_both(
        nn.TransformerBlock(6, 2, causal=causal),
        theirs,
        normal(3, 5, 6),
        call=lambda m, x: m(x),
        call_theirs=lambda m, x: m(x, src_mask=mask),
    )


def test_ten_steps_of_a_network_with_convolution_normalisation_and_pooling(train_both):
    def network(nn):
        return nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 5, 3),
            nn.LeakyReLU(0.1),
            nn.AvgPool2d(2),
            nn.Flatten(),
            nn.Linear(5, 3),
        )

    train_both(network(nn), network(tnn), normal(6, 1, 8, 8))


def test_batch_normalisation_in_evaluation_uses_the_running_statistics(train_both):
    ours, theirs = nn.BatchNorm2d(3), tnn.BatchNorm2d(3).double()
    x = normal(4, 3, 2, 2)
    for _ in range(3):
        ours(x)
        theirs(torch.tensor(x))
    train_both(ours.eval(), theirs.eval(), x)


@pytest.mark.parametrize("momentum", [0.3, None])
def test_states_of_batch_normalisation_go_to_pytorch_and_back(momentum):
    ours, theirs = nn.BatchNorm1d(3, momentum=momentum), tnn.BatchNorm1d(3, momentum=momentum).double()
    for _ in range(3):
        ours.load_state_dict(theirs.state_dict())  # strict: with num_batches_tracked
        ours(normal(4, 3))
        theirs.load_state_dict({n: torch.as_tensor(a) for n, a in ours.state_dict().items()})
        theirs(torch.tensor(normal(5, 3)))
        ours(normal(5, 3))
        for name, a in ours.state_dict().items():
            np.testing.assert_allclose(a, theirs.state_dict()[name].numpy(), rtol=1e-12, err_msg=name)
    assert ours.num_batches_tracked.item() == 6


@pytest.mark.parametrize("name", ["Linear", "Conv2d"])
def test_initial_values_have_pytorchs_distribution(name):
    args = (50, 60) if name == "Linear" else (8, 40, 3)
    ours, theirs = getattr(nn, name)(*args), getattr(tnn, name)(*args)
    for n, p in ours.named_parameters():
        t = dict(theirs.named_parameters())[n].detach().numpy()
        assert abs(p.data).max() == pytest.approx(abs(t).max(), rel=0.25)
        assert p.data.std() == pytest.approx(t.std(), rel=0.35)
