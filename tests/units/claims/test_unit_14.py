"""What unit 14 says of PyTorch, of papers, of its network that reads digits, and of where the time goes."""

from __future__ import annotations

import math
import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograd_ref
from autograd_ref.functional import convolution

from . import flat, notebook, printed_by, proves, text_of

UNIT = "14_convolution"


def arrays(*shapes: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape) for shape in shapes]


@proves(UNIT, "| the way back to x | `F.conv_transpose1d` |")
def test_the_way_back_to_x_is_a_transposed_convolution(torch: ModuleType, solved: Any) -> None:
    x, w, g = arrays(7, 3, 5)
    ours, _ = solved(UNIT)["conv1d_rule"](g, x, w)
    F = torch.nn.functional
    theirs = F.conv_transpose1d(torch.tensor(g)[None, None], torch.tensor(w)[None, None])
    np.testing.assert_allclose(ours, theirs[0, 0].numpy())
    forward = F.conv1d(torch.tensor(x)[None, None], torch.tensor(w)[None, None])
    np.testing.assert_allclose(solved(UNIT)["conv1d"](x, w), forward[0, 0].numpy())


@proves(
    UNIT,
    "| `patches` | `F.unfold` |",
    "| `scatter` | `F.fold` |",
    "| `conv2d` | `F.conv2d`, `nn.Conv2d` |",
    "Where PyTorch is installed, this cell compares your convolution, its patches and its gradients.",
    "import torch",
)
@pytest.mark.parametrize(("kernel", "stride", "padding"), [((3, 2), 1, 0), ((2, 3), 2, 1), ((1, 1), 3, 2)])
def test_patches_sums_and_convolutions_are_those_of_pytorch(
    torch: ModuleType, solved: Any, kernel: Any, stride: int, padding: int
) -> None:
    names, F, how = solved(UNIT), torch.nn.functional, {"stride": stride, "padding": padding}
    x, weight, bias = arrays((2, 3, 6, 7), (4, 3, *kernel), 4)
    columns = names["patches"](x, *kernel, stride, padding)
    np.testing.assert_allclose(columns, F.unfold(torch.tensor(x), kernel, **how).numpy())
    (g,) = arrays(columns.shape)
    theirs = F.fold(torch.tensor(g), (6, 7), kernel, **how)
    np.testing.assert_allclose(names["scatter"](g, x.shape, *kernel, stride, padding), theirs.numpy())
    out = names["conv2d"](x, weight, bias, stride, padding)
    layer = torch.nn.Conv2d(3, 4, kernel, stride, padding, dtype=torch.float64)
    layer.weight.data, layer.bias.data = torch.tensor(weight), torch.tensor(bias)
    tensors = [torch.tensor(a, requires_grad=True) for a in (x, weight, bias)]
    theirs = F.conv2d(*tensors, **how)
    np.testing.assert_allclose(out, theirs.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(out, layer(tensors[0]).detach().numpy(), atol=1e-12)
    (g,) = arrays(out.shape)
    theirs.backward(torch.tensor(g))
    for ours, tensor in zip(names["conv2d_rule"](g, x, weight, stride, padding), tensors, strict=True):
        np.testing.assert_allclose(ours, tensor.grad.numpy(), atol=1e-12)


@proves(UNIT, "| `mended_rule` | the way back of `F.conv2d(..., groups=C)` |")
@pytest.mark.parametrize(("kernel", "stride", "padding"), [((3, 2), 1, 0), ((2, 3), 2, 1), ((1, 1), 3, 2)])
def test_a_depthwise_convolution_is_that_of_pytorch(
    torch: ModuleType, solved: Any, kernel: Any, stride: int, padding: int
) -> None:
    names = solved(UNIT)
    x, weight = arrays((2, 3, 6, 7), (3, *kernel))
    tensors = [torch.tensor(a, requires_grad=True) for a in (x, weight[:, None])]
    theirs = torch.nn.functional.conv2d(*tensors, stride=stride, padding=padding, groups=3)
    out = names["depthwise"](x, weight, stride, padding)
    np.testing.assert_allclose(out, theirs.detach().numpy(), atol=1e-12)
    (g,) = arrays(out.shape)
    theirs.backward(torch.tensor(g))
    to_x, to_weight = names["mended_rule"](g, x, weight, stride, padding)
    np.testing.assert_allclose(to_x, tensors[0].grad.numpy(), atol=1e-12)
    np.testing.assert_allclose(to_weight, tensors[1].grad.numpy()[:, 0], atol=1e-12)


@proves(UNIT, "| `Convolve` | `torch.autograd.Function` |")
def test_convolve_has_the_form_of_a_function_of_pytorch(torch: ModuleType, solved: Any) -> None:
    ours = solved(UNIT)["Convolve"]

    class Theirs(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, *given: Any) -> Any:
            return torch.tensor(ours.forward(ctx, *(t.detach().numpy() for t in given[:3]), given[3]))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return tuple(None if a is None else torch.tensor(a) for a in ours.backward(ctx, g.numpy()))

    x, weight, bias = (torch.tensor(a, requires_grad=True) for a in arrays((2, 3, 5, 6), (4, 3, 3, 2), 4))
    assert torch.autograd.gradcheck(lambda *given: Theirs.apply(*given, 1), (x, weight, bias))


@proves(UNIT, "| `max_pool` | `F.max_pool2d`; there, too, the first of equal ones gets g |")
def test_pooling_and_its_ties_are_those_of_pytorch(torch: ModuleType, solved: Any) -> None:
    names = solved(UNIT)
    x = np.random.default_rng(0).integers(0, 3, (2, 3, 5, 7)).astype(float)
    tensor = torch.tensor(x, requires_grad=True)
    theirs = torch.nn.functional.max_pool2d(tensor, 2)
    (g,) = arrays(theirs.shape)
    theirs.backward(torch.tensor(g))
    np.testing.assert_allclose(names["max_pool"](x, 2), theirs.detach().numpy())
    np.testing.assert_allclose(names["max_pool_back"](g, x, 2), tensor.grad.numpy())


def test_the_cell_that_compares_says_that_all_agree(torch: ModuleType) -> None:
    assert "all agree: True" in text_of(UNIT)


@proves(UNIT, "- train a network that reads more than 99 of 100 new digits.")
def test_other_splits_are_read_as_well(solved: Any) -> None:
    names = {**solved(UNIT), "engine": autograd_ref}
    for function in ("reader", "train", "split"):
        assert names[function].__globals__["np"] is np
    names["train"].__globals__["engine"] = autograd_ref
    pictures, labels = names["load_digits"]()
    pictures = pictures.astype("float32")
    shares = []
    for seed, drop in ((3, 0.0), (6, 0.3)):  # whatever the validation part chooses
        known, watched, held = names["split"](seed)
        assert not {*known, *watched} & {*held}
        both = np.concatenate([known, watched])
        model = names["reader"](autograd_ref.nn, drop, seed)
        names["train"](model, pictures[both], labels[both], 30, True, seed)
        answers = model(pictures[held]).data.argmax(axis=1)
        shares.append((answers == labels[held]).mean())
    assert np.mean(shares) > 0.99
    assert min(shares) > 0.98


def test_the_held_out_part_is_looked_at_after_the_choice() -> None:
    cells = {cell.id: cell.source for cell in notebook(UNIT).cells}
    assert "known, watched, _ = split(0)" in cells["figure_choice"]
    assert "known, watched, HELD = split(0)" in cells["figure_reading"]
    assert "CHOICES[CHOSEN]" in cells["figure_reading"]
    assert len(re.findall(r"seed \d: (99\.\d|100\.0)%", text_of(UNIT))) == 3


def test_two_linear_layers_of_as_many_parameters_read_fewer_digits() -> None:
    said = re.search(r"on average ([\d.]+)%, with (\d+) parameters", text_of(UNIT))
    plain = re.search(r"two linear layers in place of it: ([\d.]+)%, with (\d+) parameters", text_of(UNIT))
    assert said and plain
    assert float(plain[1]) < float(said[1]) - 1
    assert abs(int(plain[2]) - int(said[2])) < 100


@proves(UNIT, "With stride 2 they make a checkerboard of 1, 2 and 4, uneven at the end.")
def test_how_many_places_hold_a_pixel_with_stride_2(solved: Any) -> None:
    one = np.ones((1, 1, 3, 3))
    (counts,), *_ = solved(UNIT)["conv2d_rule"](np.ones((1, 1, 4, 4)), np.ones((1, 1, 8, 8)), one, 2, 1)
    along = np.array([1, 2, 1, 2, 1, 2, 1, 1])
    np.testing.assert_array_equal(counts[0], along[:, None] * along)
    assert {*counts.ravel()} == {1, 2, 4}


def bars_of(cell: str) -> dict[str, float]:
    """The bars of a figure of the executed notebook, by what the words for its picture say."""
    (found,) = [c for c in notebook(UNIT).cells if c.id == cell]
    (alt,) = [o.metadata["image/png"]["alt"] for o in found.outputs if "image/png" in o.get("data", {})]
    _, told = alt.split("bars: ")
    return {name: float(value) for name, value in re.findall(r"(\D.*?) (\d[\d.]*\d)(?:, |\.$)", told)}


WAYS = ("as it is", "moved", "moved, dropout")


@proves(UNIT, "Dropout wins with seed 0 only.")
def test_moving_helps_with_each_seed_and_dropout_on_top_of_it_with_seed_0_only() -> None:
    bars = bars_of("figure_choice")
    plain, moved, dropout = ([bars[f"seed {k}, {way}"] for k in range(3)] for way in WAYS)
    assert all(new < old for new, old in zip(moved, plain, strict=True))
    assert [new < old for new, old in zip(dropout, moved, strict=True)] == [True, False, False]
    assert "chosen: moved" in text_of(UNIT)
    for losses in (plain, moved, dropout):  # "a seed alone moves the loss": by more than the last digits
        assert max(losses) - min(losses) > 0.003


def test_an_own_layer_gives_what_the_engines_layer_gives(solved: Any) -> None:
    names, F = solved(UNIT), autograd_ref.functional
    pictures, labels = names["load_digits"]()
    x, y = pictures[:40].astype("float32"), labels[:40]
    found = []
    for layer in (None, names["YourConv2d"]):
        model = names["reader"](autograd_ref.nn, 0.0, 0, layer)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        found.append([loss.item(), *(p.grad.data for p in model.parameters())])
    assert len(found[0]) == 7 and type(model[0]) is names["YourConv2d"]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)


@proves(
    UNIT,
    "with each seed, training moves the kernels towards these two, though nobody asked for edges.",
    "They keep much of their random start (a cosine of 1: the same direction).",
)
def test_training_moves_the_kernels_towards_edges_and_not_far_from_their_start() -> None:
    said = re.findall(
        r"seed \d: cosine to the nearer edge kernel ([\d.]+), then ([\d.]+); to the start ([\d.]+)",
        text_of(UNIT),
    )
    assert len(said) == 3
    for before, after, start in said:
        assert float(after) > float(before) + 0.05
        assert float(start) > 0.8


@proves(UNIT, "So two errors among 360 are no proof of less than 1%.")
def test_a_network_that_errs_in_1_of_100_errs_at_most_twice_in_many_samples(solved: Any) -> None:
    share = sum(math.comb(360, k) * 0.01**k * 0.99 ** (360 - k) for k in range(3))
    assert 0.29 < share < 0.31
    said = printed_by(UNIT, solved(UNIT), '"errors_by_chance"):')
    assert said == "on average 3.6, at most two in 30%\n"


def test_each_layer_of_the_reader_is_printed_with_its_parameters(solved: Any) -> None:
    names = {**solved(UNIT), "engine": autograd_ref}
    said = printed_by(UNIT, names, '"layers_of_the_reader"):')
    counts = [int(n) for n in re.findall(r"^(?:Conv2d|Linear) +\(.*?\) +(\d+)$", said, re.MULTILINE)]
    assert counts == [160, 4640, 5130]
    assert "parameters in all: 9930" in said


def run_of(view: np.ndarray) -> int:
    """So many numbers of an array lie side by side in memory, from one on."""
    run = 1
    for size, step in zip(view.shape[::-1], view.strides[::-1], strict=True):
        if step != run * view.itemsize:
            break
        run *= size
    return run


@proves(
    UNIT,
    "In the last bar the pictures are the *last* axis in memory, (C, H, W, N), as in the reference:",
    "`+=` then runs over 512 numbers side by side, and not over 8.",
)
def test_how_many_numbers_are_added_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_of(np.zeros((64, 16, 10, 10))[:, :, 1:9, 2:10]) == 8
    assert run_of(np.zeros((16, 10, 10, 64))[:, 1:9, 2:10]) == 512
    gathered, back = [], convolution._gathered
    monkeypatch.setattr(convolution, "_gathered", lambda *given: gathered.append(given[0]) or back(*given))
    tensors = [autograd_ref.Tensor(a, requires_grad=True) for a in arrays((64, 16, 8, 8), (32, 16, 3, 3))]
    autograd_ref.functional.conv2d(*tensors, padding=1).sum().backward()
    assert [a.shape for a in gathered] == [(16, 3, 3, 8, 8, 64)] and gathered[0].flags.c_contiguous


@proves(
    UNIT,
    "What to see: `patches` and `scatter`, which copy and add up, take about as long as the products by `@`.",
)
def test_the_bars_of_the_time() -> None:
    took = bars_of("figure_speed")
    copies, products = took["patches"] + took["scatter"], took["patch_product"] + took["patch_product_rule"]
    assert 0.4 < copies / products < 2.5
    assert took["scatter"] > 1.5 * took["scatter, pictures last"]


#: What a source says of itself: its authors, its year and its address.
SOURCES = [
    (("Fukushima",), 1980, "10.1007/BF00344251"),
    (("LeCun",), 1989, "10.1162/neco.1989.1.4.541"),
    (("LeCun", "Bottou", "Bengio", "Haffner"), 1998, "10.1109/5.726791"),
    (("Chellapilla", "Puri", "Simard"), 2006, "inria-00112631"),
]


@proves(
    UNIT,
    "- Kunihiko Fukushima, [1980](https://doi.org/10.1007/BF00344251): the neocognitron, whose layers detect "
    "everywhere and forgive shifts; it learns without a teacher.",
    "- Yann LeCun and others, [1989](https://doi.org/10.1162/neco.1989.1.4.541): trained by backpropagation, on "
    "handwritten zip codes.",
    "- Yann LeCun, Léon Bottou, Yoshua Bengio and Patrick Haffner, [1998](https://doi.org/10.1109/5.726791): LeNet-5.",
    "- Kumar Chellapilla, Sidd Puri and Patrice Simard, [2006](https://inria.hal.science/inria-00112631): patches, and "
    "one matrix product.",
)
def test_a_sentence_names_the_authors_the_year_and_the_address_of_its_source() -> None:
    text = "\n".join(cell.source for cell in notebook(UNIT).cells if cell.cell_type == "markdown")
    items = [flat(item) for item in re.findall(r"^- .*?\[\d{4}\]\([^)]*\).*?(?=^- |^$)", text, re.M | re.S)]
    assert len(items) == len(SOURCES)
    for item, (authors, year, address) in zip(items, SOURCES, strict=True):
        assert all(author in item for author in authors)
        assert f"[{year}](" in item and f"{address})" in item
