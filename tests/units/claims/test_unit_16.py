"""What unit 16 says of PyTorch, of its text, of papers, and of what its model does."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograd_ref
from autograder import mine

from ...learner.test_own_engine import write_units
from . import flat, notebook, proves, text_of
from .test_papers import year_of
from .test_pictures import picture_of

UNIT = "16_small_gpt"


def arrays(*shapes: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape) for shape in shapes]


@proves(
    UNIT,
    "Where PyTorch is installed, this cell compares your pieces with its.",
    "import torch",
)
def test_the_cell_that_compares_says_that_all_agree(torch: ModuleType) -> None:
    assert "all agree: True" in text_of(UNIT)


@proves(
    UNIT,
    "| the cross-entropy under `bits_per_character` | `F.cross_entropy(logits, targets)`, in nats for each token |",
)
def test_bits_are_the_cross_entropy_of_pytorch(torch: ModuleType, solved: Any) -> None:
    (logits,) = arrays((9, 5))
    targets, lengths = np.arange(9) % 5, np.array([1, 3, 2, 1, 4])
    nats = torch.nn.functional.cross_entropy(torch.tensor(logits), torch.tensor(targets)).item()
    expected = 9 * nats / np.log(2) / lengths[targets].sum()
    assert solved(UNIT)["bits_per_character"](logits, targets, lengths) == pytest.approx(expected, rel=1e-12)


@proves(UNIT, "| one table, used twice | `head.weight = embedding.weight`; its gradient adds up |")
def test_a_tied_table_of_pytorch_has_both_gradients(torch: ModuleType, solved: Any) -> None:
    g, h, to_logits = arrays((6, 3), (6, 3), (6, 4))
    ids = np.array([1, 3, 1, 0, 1, 3])
    embedding, head = torch.nn.Embedding(4, 3).double(), torch.nn.Linear(3, 4, bias=False).double()
    head.weight = embedding.weight
    looked_up = (embedding(torch.tensor(ids)) * torch.tensor(g)).sum()
    (looked_up + (head(torch.tensor(h)) * torch.tensor(to_logits)).sum()).backward()
    ours = solved(UNIT)["tied_rule"](ids, g, h, to_logits)
    np.testing.assert_allclose(ours, embedding.weight.grad.numpy(), atol=1e-12)


@proves(
    UNIT,
    "| `block` | `nn.TransformerEncoderLayer(d, heads, 4 * d, 0.0, norm_first=True, bias=False)`, with a causal mask |",
)
def test_the_block_is_the_layer_of_pytorch(torch: ModuleType, solved: Any) -> None:
    names = solved(UNIT)
    d, heads, T = 12, 3, 5
    layer = torch.nn.TransformerEncoderLayer(d, heads, 4 * d, 0.0, norm_first=True, bias=False)
    layer = layer.double()
    assert not any("bias" in name for name, _ in layer.named_parameters())
    ours = names["Block"](autograd_ref.nn, d, lambda qkv: names["composed_attention"](qkv, heads))
    given = {
        "packed": layer.self_attn.in_proj_weight,
        "out": layer.self_attn.out_proj.weight,
        "up": layer.linear1.weight,
        "down": layer.linear2.weight,
        "norm1": layer.norm1.weight,
        "norm2": layer.norm2.weight,
    }
    for name, weight in given.items():
        with torch.no_grad():  # a norm that begins with ones would not show whose weights it has
            weight += 0.1 * torch.arange(len(weight)).reshape(-1, *[1] * (weight.ndim - 1))
        getattr(ours, name).weight.data = weight.detach().numpy().copy()
    for norm in (ours.norm1, ours.norm2):
        norm.bias.data = np.zeros(d)
    (x,) = arrays((T, d))
    mask = torch.nn.Transformer.generate_square_subsequent_mask(T).double()
    theirs = layer(torch.tensor(x)[:, None], src_mask=mask)[:, 0].detach().numpy()
    np.testing.assert_allclose(ours(autograd_ref.Tensor(x[None])).data[0], theirs, atol=1e-10)


@proves(UNIT, "| the draw in `write` | `torch.multinomial(p, 1)` |")
def test_the_k_largest_and_a_draw_from_them(torch: ModuleType, solved: Any) -> None:
    p = np.array([0.05, 0.4, 0.15, 0.3, 0.1])
    ours = solved(UNIT)["top_k"](p, 2)
    values, places = torch.topk(torch.tensor(p), 2)
    np.testing.assert_allclose(ours[places.numpy()], values.numpy() / values.numpy().sum())
    torch.manual_seed(0)
    drawn = {int(torch.multinomial(torch.tensor(ours), 1)) for _ in range(50)}
    assert drawn == set(places.tolist())


@proves(
    UNIT,
    "| the mask of `mended_attend` | `torch.ones(n, m + n, dtype=bool).tril(m)` |",
)
def test_masks_of_new_tokens(torch: ModuleType, solved: Any) -> None:
    names, m, n = solved(UNIT), 5, 3
    q, k, v = arrays(*[(2, m + n, 4)] * 3)
    attend = torch.nn.functional.scaled_dot_product_attention
    Q, K, V = (torch.tensor(x) for x in (q, k, v))
    cache = k[:, :m], v[:, :m]
    mask = torch.ones(n, m + n, dtype=bool).tril(m)
    ours, _ = names["mended_attend"](q[:, m:], k[:, m:], v[:, m:], cache)
    np.testing.assert_allclose(ours, attend(Q[:, m:], K, V, attn_mask=mask).numpy(), atol=1e-12)


@proves(
    UNIT,
    "A network learns to write, from nothing but the 154 sonnets of Shakespeare.",
    "William Shakespeare's sonnets, 1609, are in the public domain: 94 kilobytes.",
    "It has read 75 kilobytes: most of its long words it makes up, and meaning is too much to ask.",
)
def test_the_text_and_its_parts(solved: Any) -> None:
    names = solved(UNIT)
    assert len(names["SONNETS"]) == 154
    assert round(len(autograd_ref.data.load_sonnets()) / 1000) == 94
    assert "1609" in (autograd_ref.data.load_sonnets.__doc__ or "")
    assert round(len(names["TEXTS"]["training"]) / 1000) == 75
    # Of eight samples at this temperature 25 to 41 in a hundred long words were Shakespeare's, and 73 or more of all.
    real, of_long = measured("small GPT")[2:]
    assert real > 60 and of_long < 50


def measured(stage: str) -> list[float]:
    """Of a stage's lines, as printed: their length, its spread, and real words in percent, of all and of long ones."""
    found = re.search(
        rf"{stage} +a line has +(\S+) characters, give or take +(\S+) real words: +(\d+) %, "
        r"of those with 6 letters or more +(\d+) %",
        text_of(UNIT),
    )
    return [float(x) for x in found.groups()]  # type: ignore[union-attr]


@proves(
    UNIT,
    "What to see, 100 tokens of each: first noise, from pairs on lines with capitals and commas, and at last lines as "
    "long as a verse.",
    "What to see: the small GPT ends lines where Shakespeare does; pairs cannot know where a line began.",
    "The share of real words does not rise.",
)
def test_how_long_lines_are_and_how_many_words_are_real() -> None:
    pairs, small, shakespeare = map(measured, ("pairs", "small GPT", "Shakespeare"))
    for stage in ("pairs", "one head", "small GPT, 200 steps"):
        assert measured(stage)[0] < 26
    assert 34 < small[0] < 48 and 42 < shakespeare[0] < 43
    assert small[1] < 0.4 * small[0] and pairs[1] > 0.4 * pairs[0]
    assert small[2] < pairs[2] + 3  # 76 and 80 where this was written


@proves(
    UNIT,
    "```text here there weights 130,496 GPT-3: 175 billion; Llama 3: 405 billion tokens read 716,800, the same 30,873 "
    "GPT-3: 300 billion; Llama 3: 15.6 trillion again and again tokens for 0.24, without those that about 20 are best "
    "for a given computation, Hoffmann and each weight came again others found in 2022; ours would want 2.6 million "
    "machines one core, seconds Llama 3: up to 16,000 GPUs, each with a part of the weights and of the data, many "
    "numbers in 16 bits afterwards nothing fine-tuning: on instructions, then on what people prefer ```",
)
def test_our_side_and_what_the_papers_state(solved: Any) -> None:
    names = solved(UNIT)
    model = names["GPT"](autograd_ref, 461)
    assert sum(p.size for p in model.parameters()) == 130_496
    training = names["Training"](model, np.arange(400) % 461, 1400)
    assert 1400 * training.batch * model.T == 716_800
    assert 'Training(full, IDS["training"], 1400)' in text_of(UNIT)
    assert "30,873 tokens" in text_of(UNIT)
    # Abstracts of 2005.14165 and 2407.21783 (16 bits: its section 3.3); the model of 2203.15556 has 70 billion weights.
    assert 1.4e12 / 70e9 == 20
    assert round(20 * 130_496 / 1e6, 1) == 2.6
    assert round(30_873 / 130_496, 2) == 0.24


@proves(
    UNIT,
    "What to see: bits for each character of sonnets that it has not seen.",
    "Every stage needs fewer.",
    "An untrained model guesses all alike: with 61 characters that would cost 5.93 bits each.",
    "Our 461 tokens are longer, and cost 3.73 for each character.",
    "What to see: the perplexity of tokens is far higher, and their bits are lower.",
)
def test_the_bits_at_the_top_are_those_that_the_notebook_prints() -> None:
    shown = [float(x) for x in re.findall(r'": (\d\.\d\d)', picture_of(UNIT))]
    assert shown == sorted(shown, reverse=True) and len(shown) == 5
    text = text_of(UNIT)
    pattern = (
        r"characters perplexity +(\S+), bits for each character (\S+) pairs of tokens perplexity +(\S+), bits"
    )
    letters, bits, tokens = re.search(pattern, text).groups()  # type: ignore[union-attr]
    assert float(tokens) > 5 * float(letters)
    printed = {"pairs of characters": float(bits)}
    for name in ("pairs of tokens", "untrained", "one head", "small GPT"):
        found = re.findall(rf"{name} (\d\.\d\d)", text)
        printed[name] = float(found[-1])
    expected = [
        printed[n] for n in ("untrained", "pairs of characters", "pairs of tokens", "one head", "small GPT")
    ]
    assert "61 letters and signs, 461 tokens" in text and round(float(np.log2(61)), 2) == 5.93
    assert printed["untrained"] == pytest.approx(3.73, abs=0.01)
    on_test = re.search(r"on the test text, once: (\d\.\d\d); pairs there: (\d\.\d\d)", text)
    gpt, pairs = (float(x) for x in on_test.groups())  # type: ignore[union-attr]
    assert gpt < printed["small GPT"] and pairs < printed["pairs of tokens"]
    # Rounding differs between machines, and training makes much of it: a hundredth or two.
    assert shown == pytest.approx(expected, abs=0.06)


@proves(
    UNIT,
    "There are 461 tokens, and the model knows nothing.",
    "What to see: unscaled, each block adds its own spread, and the stream grows with the depth.",
    "Scaled, 4 and 16 blocks end alike.",
)
def test_the_first_loss_and_the_spread_of_the_stream(solved: Any) -> None:
    names = solved(UNIT)
    rng = np.random.default_rng(1)
    for V in (61, 461):
        x, y = rng.integers(0, V, (2, 20, 32))
        loss = names["mean_loss"](names["GPT"](autograd_ref, V), x, y).item()
        assert loss == pytest.approx(np.log(V), abs=0.08)
    ends = [float(x) for x in re.findall(r"spread at the end (\d\S+)", text_of(UNIT))]
    assert ends[1] > 1.7 * ends[0] and ends[3] == pytest.approx(ends[2], rel=0.1)


@proves(
    UNIT,
    "What to see: the loss falls towards 0.",
    "What to see: where the second piece begins, the outputs differ.",
)
def test_what_is_printed_of_one_batch_and_of_the_cache(solved: Any) -> None:
    text, names = text_of(UNIT), solved(UNIT)
    assert float(re.search(r"one batch: from \d\S+ to (\S+)", text)[1]) < 0.05  # type: ignore[index]
    assert "the same logits at all positions, up to the rounding of float32: True" in text
    assert "in pieces as a whole: True" in text
    for pieces in ((5, 7), (5, 1, 6)):
        off = names["off_in_pieces"](names["colleague_attend"], pieces)
        assert not off[:5].any() and (off[5:] > 1e-3).all()
        assert names["off_in_pieces"](names["mended_attend"], pieces).max() < 1e-12


@proves(
    UNIT,
    "What to see: about halfway it passes the pairs, and then one head.",
    "At the end they are 0.4 bits apart. A seventh of that is there before training",
    "A seventh of that is there before training: the merges were chosen on the training text.",
    "from `small` to `large`, twice the width and depth, there are more than six times the weights",
    "Each takes 16 bytes: itself, its gradient and AdamW's two means.",
)
def test_what_the_training_text_has_ahead(solved: Any) -> None:
    names, text = solved(UNIT), text_of(UNIT)
    assert "untrained, validation less training: 0.06" in text
    apart = float(re.search(r"\btrained, validation less training: (\S+)", text)[1])  # type: ignore[index]
    assert 0.35 < apart < 0.45
    at = {
        int(step.replace(",", "")): float(bits)
        for step, bits in re.findall(r"small GPT, step +(\d\S*): (\S+) bits", text)
    }
    levels = [float(re.findall(rf"{name} +(\d\.\d\d)", text)[-1]) for name in ("pairs of tokens", "one head")]
    assert at[200] > levels[0] > levels[1] > at[1000] > at[1400]
    assert abs(at[600] - levels[0]) < 0.06
    # An untrained model takes all tokens for as likely, so its bits are those of log 461, over a token's characters.
    characters = {}
    for name in ("training", "validation"):
        counts = re.search(rf"{name} +([\d,]+) characters, +([\d,]+) tokens", text).groups()  # type: ignore[union-attr]
        characters[name] = np.divide(*[int(count.replace(",", "")) for count in counts])
    assert characters["training"] > characters["validation"] + 0.02
    (small_width, _, small_depth), (large_width, _, large_depth) = map(names["SIZES"].get, ("small", "large"))
    assert (large_width, large_depth) == (2 * small_width, 2 * small_depth)
    small, large = (
        sum(p.size for p in names["GPT"](autograd_ref, 461, size=size).parameters())
        for size in ("small", "large")
    )
    assert 6 < large / small < 7
    training = names["Training"](names["GPT"](autograd_ref, 461), np.arange(400) % 461, 60).run(1)
    weight = training.model.parameters()[0]
    # A checkpoint holds them twice, as PyTorch names them and as they are kept.
    kept = training.optimizer.state_dict()["state"][0]
    means = [kept[name] for name in ("exp_avg", "exp_avg_sq")]
    assert {name for name in kept if not name.startswith("scaled_")} == {"step", "exp_avg", "exp_avg_sq"}
    alike = [p for p in training.model.parameters() if p.shape == weight.shape]
    assert len(alike) == 1 and len(means) == 2
    assert {a.dtype.itemsize for a in (weight.data, weight.grad.data, *means)} == {4}


@proves(
    UNIT,
    "With its whole state: exactly 0.",
    "With a new optimizer or schedule it goes another way from the second step on; lower, where the new schedule's "
    "rate is high.",
)
def test_a_training_that_goes_on_from_its_weights_alone_goes_another_way(solved: Any) -> None:
    names, ids = solved(UNIT), np.random.default_rng(0).integers(0, 461, 4000)

    def fresh() -> Any:
        return names["Training"](names["GPT"](autograd_ref, 461, size="one head"), ids, 60)

    whole, stopped = fresh().run(34).losses[30:], fresh().run(30)
    state, (_, new_optimizer, new_schedule, _) = stopped.state(), fresh().state()
    assert fresh().load(*state).run(4).losses == whole
    for kept in ((new_optimizer, state[2]), (state[1], new_schedule)):
        losses = fresh().load(state[0], *kept, state[3]).run(4).losses
        assert losses[0] == whole[0] and all(a != b for a, b in zip(losses[1:], whole[1:], strict=True))
    # A new schedule alone does most of it, a new optimizer alone hardly anything.
    text, ends = names["TEXTS"]["training"], []
    ids = names["Tokens"](text, sorted(set(text)), 400).encode(text)
    state = fresh().run(30).state()
    for optimizer, schedule in ((True, False), (False, True)):
        other = fresh()
        _, new_optimizer, new_schedule, _ = other.state()
        kept = state[1] if optimizer else new_optimizer, state[2] if schedule else new_schedule
        ends.append(other.load(state[0], *kept, state[3]).run(30).losses)
    all_60 = fresh().run(60).losses[30:]
    by_schedule, by_optimizer = (np.subtract(end, all_60)[-10:].mean() for end in ends)
    assert by_schedule < 0 and by_schedule < 2 * by_optimizer
    printed = re.findall(r"(\w+ \w+), the last ten steps: ([-+]\S+); all 30 the same: (\w+)", text_of(UNIT))
    assert [(name, same) for name, _, same in printed] == [
        ("whole state", "True"),
        ("new optimizer", "False"),
        ("new schedule", "False"),
    ]
    assert float(printed[2][1]) < min(0, float(printed[1][1]))


@proves(
    UNIT,
    "What to see, in new verses: the heads that look most at the token itself, and at ends of lines.",
    "Untrained, none does.",
    "And tokens of the same use have rows that point the same way.",
)
def test_what_heads_look_at_and_which_tokens_are_alike(solved: Any) -> None:
    text, looks = text_of(UNIT), ("the token itself", "ends of lines")
    line = r"{}: block (\d), head (\d): (\d+)% of its weights; the other heads: (\d+)%; untrained, at most (\d+)%"
    found = [re.search(line.format(look), text).groups() for look in looks]  # type: ignore[union-attr]
    assert len({tuple(place) for *place, _, _, _ in found}) == 2  # two heads, and not one that does both
    assert all(int(most) > 1.7 * max(int(others), int(before)) for _, _, most, others, before in found)
    tokens = r"""((?:'[^']+' ?|"[^"]+" ?)+)"""
    near = {name: re.search(rf"near to '{name}' ?: {tokens}", text)[1] for name in (" thy", r"\.")}  # type: ignore[index]
    assert near[" thy"].startswith(("' your' ' my'", "' my' ' your'"))
    assert {"'?'", "':'", "'!'"} & set(near[r"\."].split()[:3])


def test_the_weights_in_a_picture_of_heads_are_those_that_the_model_uses(solved: Any) -> None:
    names = solved(UNIT)
    cell = next(cell for cell in notebook(UNIT).cells if "def weights_in" in cell.source)
    exec(cell.source.partition("def inside")[0], names := {**names, "engine": autograd_ref})
    model = names["GPT"](autograd_ref, 50, size=(16, 2, 2))
    for p in model.parameters():
        p.data *= 3  # far from weights that are all alike
    ids = np.arange(12) * 7 % 50
    weights = names["weights_in"](model, ids)
    assert weights.shape == (2, 2, 12, 12)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
    assert not np.triu(weights, 1).any() and weights[:, :, -1].max() > 0.2
    # Once more through the model: what its first block attends to are these weights times its values.
    seen: list[Any] = []
    first = model.blocks[0]
    first.attend = lambda qkv: seen.append((qkv.data[0], model.attention(qkv))) or seen[-1][1]
    model(ids[None])
    values = seen[0][0].reshape(12, 3, 2, 8)[:, 2].transpose(1, 0, 2)  # (heads, T, d)
    expected = (weights[0] @ values).transpose(1, 0, 2).reshape(12, 16)
    np.testing.assert_allclose(seen[0][1].data[0], expected, rtol=1e-4, atol=1e-6)


class Letters:
    """Tokens of one letter each."""

    names = tuple(" \nSIabchlmopreT")

    def encode(self, text: str) -> Any:
        return np.array([self.names.index(letter) for letter in text])

    def decode(self, ids: Any) -> str:
        return "".join(self.names[i] for i in ids)


@proves(UNIT, "Your favourite line of all above?")
def test_a_line_of_any_text_may_be_kept(
    solved: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = solved(UNIT)["text_of"].__globals__
    monkeypatch.setitem(names, "TOKENS", Letters())
    monkeypatch.setitem(names, "WRITTEN", [])
    monkeypatch.setattr("autograder.lesson.own_line.note_line", lambda line: None)
    (source,) = (cell.source for cell in notebook(UNIT).cells if "keep_line(line, " in cell.source)
    table = np.zeros((len(Letters.names),) * 2)  # a model of pairs, for which all are as likely
    texts = [names["text_of"](table, beginning, 20) for beginning in ("Shall I", "The chapel")]
    capsys.readouterr()
    for text in texts:
        line = text.splitlines()[0].strip()
        exec(source.replace("line = None", f"line = {line!r}"), dict(names))
        assert capsys.readouterr().out == f"✓ kept for your page: {line}\n"
    # A line that is wrapped on the screen may be copied over the break.
    names["WRITTEN"].append("And in the breaths of thy sight,")
    exec(source.replace("line = None", "line = 'of thy\\n        sight,'"), dict(names))
    assert capsys.readouterr().out == "✓ kept for your page: of thy sight,\n"
    exec(source.replace("line = None", "line = 'Nobody wrote this'"), dict(names))
    assert "✗ kept nothing" in capsys.readouterr().out


@proves(UNIT, "A text of your own: English, 60,000 characters or more.")
def test_a_text_of_one_s_own_has_enough_pairs_and_all_that_later_cells_ask_for(solved: Any) -> None:
    names = solved(UNIT)
    mine = "\n".join(filter(None, (getattr(np, name).__doc__ for name in np.__all__)))[:60_000]
    cells = notebook(UNIT).cells
    (source,) = (cell.source for cell in cells if 'open("mine.txt"' in cell.source)
    code = source.partition("```python\n")[2].partition("```")[0]
    own: dict[str, Any] = {"mine_": mine}
    exec(code.replace('open("mine.txt", encoding="utf-8").read()', "mine_"), own)
    assert list(own["TEXTS"]) == list(names["TEXTS"]) and "".join(own["TEXTS"].values()) == mine
    letters = sorted(set(mine))
    tokens = names["Tokens"](own["TEXTS"]["training"], letters, 400)
    assert len(tokens) == len(letters) + 400
    for text in (
        "\nShall I compare thee to",
        "\nThy beauty",
        "Rough winds do shake the darling buds of May,",
    ):
        assert tokens.decode(tokens.encode(text)) == text
    assert len(tokens.encode(own["TEXTS"]["validation"])) > 4 * 32 + 1  # windows of which the fourth is drawn


@proves(UNIT, "What to see: the same losses, step by step.")
def test_the_learner_s_own_engine_trains_the_gpt_with_the_losses_of_the_reference(
    solved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = solved(UNIT)
    own = mine.engine(write_units(tmp_path / "course"))
    capsys.readouterr()
    ours, theirs = names["ten_losses"](own), names["ten_losses"](autograd_ref)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert theirs[-1] < theirs[0] - 0.3


@proves(
    UNIT,
    "What to see: the same text, from a network that reads each token once.",
    "The mask lets no token see a later one, in no block, so nothing of an earlier token changes.",
    "without a cache each new token costs more than the one before; with one, about the same at every position",
    "Without a cache, token 256 takes 250 million multiplications.",
)
def test_the_cache_ends_with_the_positions_and_each_token_costs_about_the_same(solved: Any) -> None:
    names, text = solved(UNIT), text_of(UNIT)
    assert "the same text as without: True" in text
    model, ids = names["GPT"](autograd_ref, 40), [i * 7 % 40 for i in range(40)]
    one = np.array(ids[:12])
    two = names["packed_in"](model, one), names["packed_in"](model, np.where(np.arange(12) == 9, 3, one))
    changed = [np.flatnonzero(abs(a - b).max(axis=1) > 1e-6).tolist() for a, b in zip(*two, strict=True)]
    assert changed == [[9], [9, 10, 11]]
    cached, (T, logits_of) = names["Cached"](model), names["reader"](model)
    assert T == 32
    for n in (5, 6, 20, 32):  # several new tokens at once, and one alone
        np.testing.assert_allclose(cached(ids[:n]), logits_of(ids[:n]), atol=1e-4)
    for window in (ids[:33], ids[1:33]):
        with pytest.raises(ValueError, match=r"has 32 positions.*with token 33 the window moves on"):
            cached(window)
    again = names["Cached"](model)
    again(ids[:5])
    with pytest.raises(ValueError, match="All 5 tokens are in the cache already"):
        again(ids[:5])
    count, long = names["multiplications"], names["GPT"](autograd_ref, 461, T=256, size="large")
    alone = [count(long, t, 0) for t in range(1, 257)]
    assert alone == sorted(alone) and alone[-1] > 200 * alone[0]
    assert count(long, 1, 255) < 1.4 * count(long, 1, 0)
    assert sum(count(long, 1, t) for t in range(256)) == alone[-1]  # each token is read once
    assert round(alone[-1] / 1e6) == 250


@proves(
    UNIT,
    "A low temperature moves chances to the likely.",
    "`k` and `share` set the tail to 0, and leave the proportions of the rest.",
)
def test_what_the_dials_do(solved: Any) -> None:
    names = solved(UNIT)
    (logits,) = arrays((20,))
    p, cold = names["chances"](logits), names["chances"](logits, temperature=0.5)
    assert cold.max() > p.max() and cold.min() < p.min()
    for cut in (names["chances"](logits, k=4), names["chances"](logits, share=0.6)):
        kept = cut > 0
        assert 1 < kept.sum() < 20 and p[kept].min() > p[~kept].max()
        np.testing.assert_allclose(cut[kept] / cut.max(), p[kept] / p.max(), rtol=1e-12)
    assert np.count_nonzero(names["chances"](logits, k=4)) == 4
    for dial in ({"temperature": 0}, {"k": 0}, {"share": 0}, {"share": 1.5}):
        with pytest.raises(ValueError, match="have to be above 0"):
            names["chances"](logits, **dial)


@proves(UNIT, "**Predict, then run.** Two logits, log 2 and 0, are 67 to 33 percent.")
def test_what_two_logits_are(solved: Any) -> None:
    p = solved(UNIT)["with_temperature"](np.log([2.0, 1.0]), 1.0)
    assert np.round(100 * p).tolist() == [67, 33]


def test_a_sign_that_the_sonnets_do_not_have_is_named(solved: Any) -> None:
    names = solved(UNIT)
    tokens = names["Tokens"]("so so", ["o", "s", " "], 1)
    assert tokens.decode(tokens.encode("so os")) == "so os"
    with pytest.raises(ValueError, match="The sonnets have no 'é'"):
        tokens.encode("so é")


def test_composed_attention_is_the_engine_s(solved: Any) -> None:
    (qkv,) = arrays((2, 5, 12))
    ours = solved(UNIT)["composed_attention"](autograd_ref.Tensor(qkv), 2).data
    theirs = autograd_ref.functional.self_attention(qkv, 2, is_causal=True)
    np.testing.assert_allclose(ours, np.asarray(theirs), atol=1e-12)


#: What a source says of itself: its authors, its year and its address.
SOURCES = [
    (("Sennrich", "Haddow", "Birch"), 2015, "https://arxiv.org/abs/1508.07909"),
    (("Press", "Wolf"), 2016, "https://arxiv.org/abs/1608.05859"),
    (("Holtzman",), 2019, "https://arxiv.org/abs/1904.09751"),
    (("Brown",), 2020, "https://arxiv.org/abs/2005.14165"),
    (("Hoffmann",), 2022, "https://arxiv.org/abs/2203.15556"),
    (("Ouyang",), 2022, "https://arxiv.org/abs/2203.02155"),
    (("Grattafiori",), 2024, "https://arxiv.org/abs/2407.21783"),
]


@proves(
    UNIT,
    "- Rico Sennrich, Barry Haddow and Alexandra Birch, [2015](https://arxiv.org/abs/1508.07909): byte-pair merges for "
    "rare words.",
    "- Ofir Press and Lior Wolf, [2016](https://arxiv.org/abs/1608.05859): one table for both ends.",
    "- Ari Holtzman and others, [2019](https://arxiv.org/abs/1904.09751): top-p, and how texts degenerate without it.",
    "- Tom Brown and others, [2020](https://arxiv.org/abs/2005.14165): GPT-3.",
    "- Jordan Hoffmann and others, [2022](https://arxiv.org/abs/2203.15556): tokens for each weight.",
    "- Long Ouyang and others, [2022](https://arxiv.org/abs/2203.02155): fine-tuned to follow instructions.",
    "- Aaron Grattafiori and others, [2024](https://arxiv.org/abs/2407.21783): the Llama 3 models.",
)
def test_a_sentence_names_the_authors_the_year_and_the_address_of_its_source() -> None:
    text = "\n".join(cell.source for cell in notebook(UNIT).cells if cell.cell_type == "markdown")
    items = [flat(item) for item in re.findall(r"^- .*?\[\d{4}\]\([^)]*\).*?(?=^- |^$)", text, re.M | re.S)]
    assert len(items) == len(SOURCES)
    for item, (authors, year, address) in zip(items, SOURCES, strict=True):
        assert all(author in item for author in authors)
        assert f"[{year}]({address})" in item
        assert year_of(address) == year
