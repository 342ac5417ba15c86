"""What unit 15 says of PyTorch, of papers, and of what attention and its parts do."""

from __future__ import annotations

import contextlib
import io
import re
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograd_ref

from . import flat, notebook, proves, text_of
from .test_papers import year_of
from .test_pictures import typed

UNIT = "15_attention"


def arrays(*shapes: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape) for shape in shapes]


@proves(
    UNIT,
    "| the mask of `causal_softmax` | `scores.masked_fill(~torch.ones(T, T, dtype=bool).tril(), -torch.inf)` |",
    "| `attention` | `F.scaled_dot_product_attention(q, k, v, is_causal=True)` |",
    "Where PyTorch is installed, this cell compares your attention, its gradients and your heads.",
    "import torch",
)
def test_attention_its_mask_and_its_gradients_are_those_of_pytorch(torch: ModuleType, solved: Any) -> None:
    names, T = solved(UNIT), 5
    scores, q, k, v, g = arrays((2, 3, T, T), (2, 3, T, 4), (2, 3, T, 4), (2, 3, T, 6), (2, 3, T, 6))
    masked = torch.tensor(scores).masked_fill(~torch.ones(T, T, dtype=bool).tril(), -torch.inf)
    np.testing.assert_allclose(names["causal_softmax"](scores), masked.softmax(-1).numpy(), atol=1e-15)
    out, p = names["attention"](q, k, v)
    tensors = [torch.tensor(a, requires_grad=True) for a in (q, k, v)]
    theirs = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)
    theirs.backward(torch.tensor(g))
    np.testing.assert_allclose(out, theirs.detach().numpy(), atol=1e-12)
    for ours, tensor in zip(names["attention_rule"](g, p, q, k, v), tensors, strict=True):
        np.testing.assert_allclose(ours, tensor.grad.numpy(), atol=1e-12)


@proves(UNIT, "| `mended_split`, `mended_merge` | `unflatten` and `transpose`, `transpose` and `flatten` |")
def test_splits_and_merges_are_those_of_pytorch(torch: ModuleType, solved: Any) -> None:
    names = solved(UNIT)
    (x,) = arrays((2, 5, 6))
    split = torch.tensor(x).unflatten(-1, (3, 2)).transpose(1, 2)
    np.testing.assert_array_equal(names["mended_split"](x, 3), split.numpy())
    np.testing.assert_array_equal(
        names["mended_merge"](split.numpy()), split.transpose(1, 2).flatten(2).numpy()
    )


@proves(
    UNIT,
    "| `query`, `key`, `value` and your heads; a linear layer follows there | `nn.MultiheadAttention`, whose boolean "
    "mask is True where it is *forbidden* to look |",
)
def test_heads_with_linear_layers_are_a_multihead_attention(torch: ModuleType, solved: Any) -> None:
    names, T = solved(UNIT), 5
    (x,) = arrays((2, T, 6))
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(6, 3, batch_first=True, dtype=torch.float64)
    forbidden = ~torch.ones(T, T, dtype=bool).tril()
    given = torch.tensor(x)
    theirs, _ = layer(given, given, given, attn_mask=forbidden)
    parts = x @ layer.in_proj_weight.detach().numpy().T + layer.in_proj_bias.detach().numpy()
    heads = [names["mended_split"](part, 3) for part in np.split(parts, 3, axis=-1)]
    merged = names["mended_merge"](names["attention"](*heads)[0])
    ours = merged @ layer.out_proj.weight.detach().numpy().T + layer.out_proj.bias.detach().numpy()
    np.testing.assert_allclose(ours, theirs.detach().numpy(), atol=1e-12)


def test_the_cell_that_compares_says_that_all_agree(torch: ModuleType) -> None:
    assert "all agree: True" in text_of(UNIT)


@proves(
    UNIT,
    "What to see: on the left all get the same share; on the right a network has learnt to read six numbers backwards.",
    "What to see: with the root a diagonal leads *backwards*.",
    "What to see: with attention the loss goes to 0.",
    "Without attention it stops at log 10, where all ten digits are equally likely: it sees one token, not the one "
    "that is asked for.",
)
def test_a_sequence_is_reversed_with_attention_and_not_without(solved: Any) -> None:
    names = solved(UNIT)
    for seed in (0, 1, 2):
        model, losses, right = names["train"](seed=seed)
        assert right > 0.99 and losses[-1] < 0.01
        tokens = np.array([[3, 1, 4, 1, 5, 9, 10, 9, 5, 1, 4, 1]])
        x = model.vectors(tokens)
        _, p = names["attention"](model.query(x).data, model.key(x).data, model.value(x).data)
        assert p[0, 6:].argmax(axis=1).tolist() == [5, 4, 3, 2, 1, 0]
        if seed == 0:
            (shown,) = typed(UNIT)
            assert np.abs(shown.reshape(12, 12) - p[0]).max() < 0.0501
        _, losses, right = names["train"](heads=0, seed=seed)
        assert right < 0.13
        assert np.mean(losses[-50:]) == pytest.approx(np.log(10), abs=0.03)


@proves(
    UNIT,
    "Without positions the network knows which digits there are, not where.",
)
def test_without_positions_more_than_a_tenth_is_right_and_not_all(solved: Any) -> None:
    for seed in (3, 2, 1, 0):
        model, _, right = solved(UNIT)["train"](places="none", seed=seed)
        assert 0.22 < right < 0.31
    tokens, _ = solved(UNIT)["backwards"](np.random.default_rng(1), 200)
    named = model(tokens).data.argmax(axis=-1)[:, 6:]
    assert (named[:, :, None] == tokens[:, None, :6]).any(axis=-1).mean() > 0.9


@proves(
    UNIT,
    "key score exp(score) weight value sat (2, 0) 6/√2 = 4.24 69.6 0.97 (1, 0), which names mat on (0, 1) 0 1 0.01 "
    "(0, 0) the (0, 1) 0 1 0.01 (0, 0)",
    "output: 0.97 · (1, 0)",
)
def test_the_example_by_hand(solved: Any) -> None:
    query, keys = np.array([[3.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    scores = solved(UNIT)["scaled_scores"](query, keys)[0]
    assert scores.round(2).tolist() == [round(6 / 2**0.5, 2), 0, 0] == [4.24, 0, 0]
    e = np.exp(scores)
    assert e.round(1).tolist() == [69.6, 1, 1] and (e / e.sum()).round(2).tolist() == [0.97, 0.01, 0.01]


def weights_of(names: Any, model: Any, heads: int = 1) -> np.ndarray:
    """The rows behind the bar, of each head, for the digits of the example."""
    x = model.vectors(np.array([[3, 1, 4, 1, 5, 9, 10, 9, 5, 1, 4, 1]]))
    q, k, v = (layer(x).data for layer in (model.query, model.key, model.value))
    split = names["mended_split"]
    _, p = names["attention"](split(model.times * q, heads), split(k, heads), split(v, heads))
    return p[0, :, 6:]


@proves(
    UNIT,
    "Without the root of d two seeds stop above it, and two do not.",
    "Without it rows 6 and 10 give the bar the weight 1, where the slope is 0.",
)
def test_undivided_scores_may_stop_at_a_wrong_position(solved: Any) -> None:
    names = solved(UNIT)
    for seed, stops in ((0, True), (1, True), (2, False), (3, False)):
        model, losses, right = names["train"](divided=False, seed=seed)
        assert (losses[-1] > 0.2) == stops and (right < 0.9) == stops
        if seed == 0:
            (p,) = weights_of(names, model)
            assert p.argmax(axis=1).tolist() == [6, 4, 3, 2, 6, 0]
            assert (p.max(axis=1) > 0.999).all()


@proves(
    UNIT,
    "It took one digit alone, here the first, always named it, and guessed the other, right one time in ten; at the "
    "last position both are the same.",
    "That makes $1/6+5/6\\cdot1/10=25\\,\\%$.",
    "Two heads take one each.",
)
def test_two_places_for_two_reasons_are_hard_for_one_head(solved: Any) -> None:
    names = solved(UNIT)
    for seed in (2, 1, 0):
        one, two = (names["train"](heads, task=names["two_at_once"], seed=seed) for heads in (1, 2))
        assert two[2] > 0.99 and one[2] == pytest.approx(1 / 6 + 5 / 6 / 10, abs=0.02)
        (p,) = weights_of(names, one[0])
        assert (
            max(p[:, 0].min(), p[range(6), [5, 4, 3, 2, 1, 0]].min()) > 0.9
        )  # the first, or the one to be named
        assert names["train"](places="waves", seed=seed)[2] > 0.99
    (one, _, right), (two, _, _) = one, two
    assert right == pytest.approx(1 / 6 + 5 / 6 / 10, abs=0.02)
    (p,) = weights_of(names, one)
    assert (p[:, 0] > 0.99).all()
    ahead, first = weights_of(names, two, 2)
    assert ahead.argmax(axis=1).tolist() == [5, 4, 3, 2, 1, 0] and (first.argmax(axis=1) == 0).all()
    tokens, wanted = names["two_at_once"](np.random.default_rng(0), 3000)
    assert (wanted[..., 1] == tokens[:, :1]).all() and (wanted[..., 0] == tokens[:, 5::-1]).all()
    named = one(tokens).data[:, 6:].reshape(*wanted.shape, 11).argmax(axis=-1)
    assert (named[..., 1] == wanted[..., 1]).all()
    shares = (named[..., 0] == wanted[..., 0]).mean(axis=0)
    assert shares[:5] == pytest.approx(0.1, abs=0.03) and shares[5] == 1


@proves(
    UNIT,
    "**Predict, then run.** Queries and keys of 64 random numbers (mean 0, variance 1).",
    "Eight scores go through a softmax: the largest weight is 0.36 on average.",
)
def test_the_largest_of_eight_weights(solved: Any) -> None:
    q, k = np.random.default_rng(0).standard_normal((2, 400, 64))
    scores = np.concatenate([solved(UNIT)["scaled_scores"](q, k[at : at + 8]) for at in range(0, 400, 8)])
    e = np.exp(scores)
    assert (e.max(axis=1) / e.sum(axis=1)).mean() == pytest.approx(0.36, abs=0.01)


@proves(
    UNIT,
    "For 100,000 positions that is 40 gigabytes in float32, while q, k and v grow with T alone.",
)
def test_the_bytes_of_all_weights() -> None:
    assert 100_000**2 * np.dtype("float32").itemsize == 40e9


@proves(UNIT, "Which of the two refuses to go back?")
def test_a_sine_refuses_and_an_exponential_does_not() -> None:
    for name, refuses in (("sin", True), ("exp", False)):
        a = autograd_ref.Tensor([1.0, 2.0], requires_grad=True) * 1.0
        out = getattr(a, name)()
        a += 1.0
        if refuses:
            with pytest.raises(RuntimeError):
                out.sum().backward()
        else:
            out.sum().backward()


@proves(
    UNIT,
    "What to see: where a much larger score comes, the sum drops, for it is brought to the new m.",
    "A query meets 4,096 keys, in pieces of 64.",
)
def test_pieces_that_are_merged_are_the_whole(solved: Any) -> None:
    merged = solved(UNIT)["merged"]
    rng = np.random.default_rng(0)
    scores, values = 2 * rng.standard_normal(4096), rng.standard_normal((4096, 3))
    seen, drops = (-np.inf, 0.0, np.zeros(3)), 0
    for start in range(0, 4096, 64):
        s, v = scores[start : start + 64], values[start : start + 64]
        now = merged(seen, (s.max(), np.exp(s - s.max()).sum(), np.exp(s - s.max()) @ v))
        assert (now[1] > seen[1]) or now[0] > seen[0]
        drops += now[1] < seen[1]
        seen = now
    e = np.exp(scores - scores.max())
    np.testing.assert_allclose(seen[2] / seen[1], e @ values / e.sum(), atol=1e-12)
    assert drops >= 2


@proves(
    UNIT,
    "What to see: bare blocks lose the gradient, or blow it up.",
    "Residuals save the small case (their curves lie together), and with LayerNorm the large one is tamed as well: x "
    "grows from block to block, and the rule of the norm divides by its size.",
)
def test_the_sizes_of_gradients_that_the_notebook_prints(solved: Any) -> None:
    sizes = r"bare (\S+), residual (\S+), residual and LayerNorm (\S+)"
    said = re.findall(r"times ([\d.]+), at the first block: " + sizes, text_of(UNIT))
    (small, *low), (large, *high) = said
    assert (small, large) == ("0.5", "1.25")
    low, high = ([float(size) for size in sizes] for sizes in (low, high))
    assert low[0] < 1e-12 and 0.1 < low[1] < 10 and 0.4 < low[2] / low[1] < 2
    assert high[0] > 1e5 and high[1] > 1e6 and 0.1 < high[2] < 100
    found: list[dict[str, Any]] = []
    drawn = SimpleNamespace(
        panels=lambda n: [None] * n, layer_statistics=lambda sizes, **_: found.append(sizes)
    )
    (source,) = (c.source for c in notebook(UNIT).cells if c.id == "figure_thirty")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "figure_thirty", "exec"), {**solved(UNIT), "plots": drawn})
    together = np.divide(found[0]["residual and LayerNorm"], found[0]["residual"])
    assert len(together) == 30 and together.min() > 0.7 and together.max() < 1.1


@proves(
    UNIT,
    "One block needs no residual.",
    "What to see: bare ones learn little in 100 steps, and with LayerNorm the loss gets lowest.",
)
def test_six_blocks_need_residuals_and_one_does_not() -> None:
    text = text_of(UNIT)
    assert re.search(r"one block, bare (\S+)%", text)[1] == "100.0"  # type: ignore[index]
    found = re.findall(r"six blocks, (.+?) +([\d.]+)%, last loss ([\d.]+)", text)
    bare, residual, norm = ((float(right), float(loss)) for _, right, loss in found)
    assert bare[0] < 40 and residual[0] > 99 and norm[0] > 99
    assert bare[1] > 1.5 > 0.05 > residual[1] > 5 * norm[1]


@proves(
    UNIT,
    "on the right the first weight falls from 0.33 to 0.05.",
)
def test_a_score_of_the_future_takes_from_the_past() -> None:
    assert "first weight 0.33, with the 3 0.05" in text_of(UNIT)


@proves(
    UNIT,
    "What to see: three rows that should be longer.",
)
def test_what_the_colleague_s_heads_see(solved: Any) -> None:
    names = solved(UNIT)
    moves = names["influence"](names["colleague_split"], names["colleague_merge"])
    assert not np.triu(moves, 1).any() and not moves[3:, :3].any()
    assert (moves.sum(axis=1) < np.arange(1, 7)).sum() == 3
    np.testing.assert_array_equal(names["influence"](names["mended_split"], names["mended_merge"]), np.tri(6))
    (x,) = arrays((2, 3, 8))
    np.testing.assert_array_equal(names["colleague_merge"](names["colleague_split"](x, 2)), x)


@proves(
    UNIT,
    "On the right, products of rows: they are the same along a diagonal, so they depend on the *distance* alone.",
)
def test_products_of_positions_depend_on_their_distance_alone(solved: Any) -> None:
    table = solved(UNIT)["sinusoids"](32, 16)
    for k in range(32):
        along = np.diagonal(table @ table.T, k)
        np.testing.assert_allclose(along, along[0], atol=1e-12)


#: What a source says of itself: its authors, its year and its address.
SOURCES = [
    (("Bahdanau", "Cho", "Bengio"), 2014, "https://arxiv.org/abs/1409.0473"),
    (("Vaswani",), 2017, "https://arxiv.org/abs/1706.03762"),
    (("Milakov", "Gimelshein"), 2018, "https://arxiv.org/abs/1805.02867"),
    (("Dao",), 2022, "https://arxiv.org/abs/2205.14135"),
]


@proves(
    UNIT,
    "- Dzmitry Bahdanau, Kyunghyun Cho and Yoshua Bengio, [2014](https://arxiv.org/abs/1409.0473): a translator that "
    "learns where to look.",
    "- Ashish Vaswani and others, [2017](https://arxiv.org/abs/1706.03762): attention alone, scaled, with heads and "
    "waves.",
    "- Maxim Milakov and Natalia Gimelshein, [2018](https://arxiv.org/abs/1805.02867): a softmax in one pass.",
    "- Tri Dao and others, [2022](https://arxiv.org/abs/2205.14135): FlashAttention, in pieces, without the T by T "
    "weights.",
)
def test_a_sentence_names_the_authors_the_year_and_the_address_of_its_source() -> None:
    text = "\n".join(cell.source for cell in notebook(UNIT).cells if cell.cell_type == "markdown")
    items = [flat(item) for item in re.findall(r"^- .*?\[\d{4}\]\([^)]*\).*?(?=^- |^$)", text, re.M | re.S)]
    assert len(items) == len(SOURCES)
    for item, (authors, year, address) in zip(items, SOURCES, strict=True):
        assert all(author in item for author in authors)
        assert f"[{year}]({address})" in item
        assert year_of(address) == year
