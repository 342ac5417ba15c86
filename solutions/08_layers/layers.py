# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
#   autograder:
#     unit: 08_layers
#     allow: [autograd_ref.tensor, autograd_ref.ops, autograd_ref.sweep, autograd_ref.graph, autograd_ref.plots, autograd_ref.functional, autograd_ref.data.digits]
#     title: "Layers: how large should the first weights be?"
# ---

# %% [markdown]
# # Layers: how large should the first weights be?
#
# Twenty relu layers learn sin(x), twice, with the same steps. Only the random first weights differ. One ends as a flat
# line.

# %% figure="goal" keep=true
def goal():
    import os

    for library in ("OPENBLAS", "OMP", "MKL"):  # before NumPy is there, as below
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    import numpy as np

    from autograd_ref import Tensor, plots

    def ours(fan_in, fan_out, rng):
        weight = rng.normal(size=(fan_out, fan_in))
        behind = np.maximum(rng.normal(size=(500, fan_in)) @ weight.T, 0.0)
        return weight / np.sqrt((behind**2).mean())  # how large that is you will find out

    def pytorch(fan_in, fan_out, rng):
        return rng.uniform(-1, 1, (fan_out, fan_in)) / np.sqrt(fan_in)

    x = np.linspace(-3.0, 3.0, 64)[:, None]
    fits, losses = {}, {}
    for name, draw in {"PyTorch's default": pytorch, "weights of this unit": ours}.items():
        rng = np.random.default_rng(3)
        sizes = [2, *[50] * 20, 1]
        weights = [Tensor(draw(a, b, rng), requires_grad=True) for a, b in zip(sizes, sizes[1:])]
        losses[name] = []
        for _ in range(250):
            h = Tensor(np.hstack([x, np.ones_like(x)]))
            for weight in weights:
                out = h @ weight.T
                h = out.relu()
            loss = ((out - np.sin(x)) ** 2).mean()
            loss.backward()
            losses[name].append(loss.item())
            for weight in weights:
                weight.data -= 0.0005 * weight.grad.data
                weight.grad = None
        fits[name] = x, out.data
    assert losses["PyTorch's default"][-1] > 0.5 > 0.05 > losses["weights of this unit"][-1]
    left, right = plots.panels(2)
    plots.lines({**fits, "sin(x)": (x, np.sin(x))}, ax=left, title="after 250 steps", xlabel="x")
    plots.learning_curves(losses, ax=right, log=True, title="loss")
    right.get_legend().remove()


goal()

# %% setup="imports"
import os

# These arrays are small: more threads would only wait for one another.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np

from autograd_ref import Tensor, functional, plots
from autograd_ref.data.digits import load_digits
from autograder import exercise, predicted, probe, recall

X = np.stack([np.linspace(-3.0, 3.0, 64), np.ones(64)], axis=1)  # an example is (x, 1): the 1 is there for biases
Y = np.sin(X[:, :1])


def pytorch_uniform(fan_in, fan_out, rng):
    """PyTorch's first weights for a linear layer, (fan_out, fan_in)."""
    return rng.uniform(-1, 1, (fan_out, fan_in)) / np.sqrt(fan_in)


def normal(std):
    """A start with normal weights of this std."""
    return lambda fan_in, fan_out, rng: rng.normal(0.0, std, (fan_out, fan_in))


def deep(start, seed=0):
    """The weights of 20 layers of 50 neurons, from (x, 1) to one number, as `start` draws them."""
    rng, sizes = np.random.default_rng(seed), [2, *[50] * 20, 1]
    return [Tensor(start(a, b, rng), requires_grad=True) for a, b in zip(sizes, sizes[1:])]


def outputs(weights, norm=lambda h: h):
    """The network's answers to X, and what each relu layer sends on."""
    sent = [Tensor(X)]
    for weight in weights[:-1]:
        sent.append(norm(sent[-1] @ weight.T).relu())
    return sent[-1] @ weights[-1].T, sent[1:]


def learn(weights, rate=0.0005, steps=250, norm=lambda h: h):
    """Plain gradient descent on sin(x); the losses."""
    losses = []
    with np.errstate(all="ignore"):
        for _ in range(steps):
            loss = ((outputs(weights, norm)[0] - Y) ** 2).mean()
            loss.backward()
            losses.append(loss.item())
            for weight in weights:
                weight.data -= rate * weight.grad.data
                weight.grad = None
    return losses

# %% [markdown]
# At the end you will be able to
#
# - say how large first weights must be, and derive it;
# - measure where in a deep network the numbers die or explode, and mend it with LayerNorm;
# - build modules as PyTorch does, however nested, and dropout with its two modes;
# - find a network that looks right and does not learn.
#
# **Time:** 130 minutes (110 without section 9). **Builds on:** 05, 06 and 07.
#
# **Three questions first.**
#
# - *unit 05*: `a` is the column 2, -1, 4 and `b` the row 3, 7. L is the sum of `a * b`. What is `b.grad`?
# - *unit 06*: `m` has the rows (1, 2) and (3, 5), `w` is a column of two. L is the sum of `m @ w`. What is `w.grad`?
# - *unit 06, ties*: L is the maximum of 4, 9, 9, 1. What does the first 9 get?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 05": None, "unit 06": None, "unit 06, ties": None}

# %% jupyter={"source_hidden": true}
def grad_of(L, *tensors):
    L.backward()
    return [t.grad.data.ravel() for t in tensors]


a, b = Tensor([[2.0], [-1], [4]]), Tensor([3.0, 7], requires_grad=True)
m, w = Tensor([[1.0, 2], [3, 5]]), Tensor([[1.0], [1]], requires_grad=True)
t = Tensor([4.0, 9, 9, 1], requires_grad=True)
recall(
    answers,
    {
        "unit 05": lambda: grad_of((a * b).sum(), b)[0],
        "unit 06": lambda: grad_of((m @ w).sum(), w)[0],
        "unit 06, ties": lambda: grad_of(t.max(), t)[0][1],
    },
)

# %% [markdown]
# ## 1. A network that does not learn
#
# The flat line above starts from the weights that PyTorch gives a linear layer. Each of its 20 layers has 50 neurons with
# relu.
#
# **Predict, then run.** *Before* the first step, how far apart are its answers to 64 different `x`, as a std: about
# **A** 1, **B** 0.01, **C** less than a millionth? And do steps 10,000 times as large help?

# %%
A, B, C, yes, no = "A", "B", "C", "yes", "no"
prediction = (None, None)  # A, B or C; yes or no

if predicted(prediction, "why_it_does_not_learn"):
    weights = deep(pytorch_uniform)
    out, sent = outputs(weights)
    print("at first: std of its 64 answers", f"{out.data.std():.0e}")
    for rate in (0.0005, 0.05, 5.0):
        print(f"rate {rate}: loss {learn(deep(pytorch_uniform), rate)[-1]:.4f} after 250 steps")
    out.sum().backward()
    print(f"largest gradient of the first weights: {abs(weights[0].grad.data).max():.0e}")

# %% [markdown]
# <details><summary>Which, and why</summary>
#
# C, and no: all 64 answers are nearly the same, with gradients so small that larger steps do not help.
# </details>
#
# Where is `x` lost?
#
# ## 2. One layer, then twenty
#
# The weights of one neuron are now a *row* of a matrix, so `weight` has the shape (out, in). With one example in each row of `x`:
#
# $$\mathrm{out} = x\, W^T + b$$
#
# With weights 2, 0, 1 and the bias 10, the example (1, 5, 3) becomes 2 · 1 + 0 · 5 + 1 · 3 + 10 = 15.
#
# ### Exercise `linear` (2 points)
# Write it for Tensors. A layer without a bias gets `None`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each row of `x` meets each row of `weight`. Which way round must `weight` stand for `@`?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# out = x @ ...                      # the shapes: (..., in) @ (in, out)
# return ... if bias is None else ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Shapes that do not fit: `.T` is missing. "Neither true nor false": ask `is None`.
# </details>


# %% exercise="linear"
def linear(x, weight, bias=None):
    """(..., out): of x (..., in), weight (out, in) and bias (out,) or None."""
    ### BEGIN SOLUTION
    out = x @ weight.T
    return out if bias is None else out + bias
    ### END SOLUTION


# %% probes="linear"
def with_gradients(function, g, *arrays):
    """What a function of Tensors gives, and the gradients of its inputs when g arrives."""
    inputs = [Tensor(array, requires_grad=True) for array in arrays]
    out = function(*inputs)
    if not isinstance(out, Tensor):
        return numbers_of(out)
    if out.shape != np.shape(g):
        return f"a Tensor of shape {out.shape}"
    out.backward(g)
    return out.data, *(None if t.grad is None else t.grad.data for t in inputs)


def numbers_of(out):
    """The array of a Tensor; of anything else, what it is."""
    if isinstance(out, Tensor):
        return out.data
    return None if out is None else f"no Tensor: {type(out).__name__}"


@probe
def linear_of(*arrays):
    """What linear gives for Tensors of these arrays, asked a second time."""
    tensors = [Tensor(array) for array in arrays]
    linear(*tensors)
    return numbers_of(linear(*tensors))


@probe
def linear_without_bias(x, weight):
    """What linear gives for the bias None."""
    return numbers_of(linear(Tensor(x), Tensor(weight), None))


@probe
def linear_gradients(g, x, weight, bias):
    """What linear gives, and the gradients of x, weight and bias when g arrives."""
    return with_gradients(linear, g, x, weight, bias)


# %% check="linear" points=2
with exercise("linear") as check:
    x, w = np.array([[1.0, 5, 3], [0, -1, 2]]), np.array([[2.0, 0, 1], [1, 1, -1]])
    b, out = np.array([10.0, -4]), np.array([[15.0, -1], [12, -7]])
    more = [0, 1, 1]  # three rows, the last one twice
    check.close(linear_without_bias(x[more], w), (out - b)[more], "no bias: 2 + 0 + 3, ...")
    check.close(linear_of(x, w[:1], b[:1]), out[:, :1], "a neuron with the bias 10: 5 + 10")
    check.close(linear_of(x, w, b), out, "two, with 10 and -4: 5 + 10, and 3 - 4")
    check.close(linear_of(x[0], w, b), out[0], "one example alone, of shape (3,)")
    check.close(linear_of([x] * 3, w, b), np.stack([out] * 3), "an x of shape (3, 2, 3)")
    g, b_grad = np.array([[1.0, 0], [2, -1]]), np.array([3.0, -1])
    expected, because = (out - b, g @ w, g.T @ x, b_grad), "gradients; the bias holds zeros"
    check.close(linear_gradients(g, x, w, 0 * b), expected, because)
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    for x, w, b in check.cases(8, array(5, 3), array(2, 3), array(2)):
        layer = nn.Linear(3, 2)
        layer.weight.data, layer.bias.data = w.copy(), b.copy()
        t = Tensor(x, requires_grad=True)
        out, g = layer(t), np.array([[check.rng.uniform(-2, 2) for _ in range(2)] for _ in range(5)])
        out.backward(g)
        expected = (out.data, t.grad.data, layer.weight.grad.data, layer.bias.grad.data)
        check.close(linear_gradients(g, x, w, b), expected, "the value and the gradients of nn.Linear")
        for some in (0 * b, b * [0, 1], b * [1, 0]):
            expected = (x @ w.T + some, g @ w, g.T @ x, g.sum(axis=0))
            check.close(linear_gradients(g, x, w, some), expected, "a bias may hold zeros")
        expected = (x @ w[:1].T, g[:, :1] @ w[:1], g[:, :1].T @ x, g[:, :1].sum(axis=0))
        check.close(linear_gradients(g[:, :1], x, w[:1], 0 * b[:1]), expected, "one output, with the bias 0")
    for x, w, b in check.cases(4, array(4, 2, 3), array(5, 3), array(5)):
        check.close(linear_of(x, w, b), x @ w.T + b, "more axes in front")
        check.close(linear_without_bias(x, w), x @ w.T, "no bias")
    for x, w, b, g in check.cases(2, array(4, 2, 3), array(5, 3), array(5), array(4, 2, 5)):
        expected = (x @ w.T + b, g @ w, np.einsum("nij,nik->jk", g, x), g.sum(axis=(0, 1)))
        check.close(linear_gradients(g, x, w, b), expected, "more axes in front, and the gradients")
    for x, w, b in check.cases(2, array(4, 3), array(3, 3), array(3)):
        check.close(linear_of(x, w, b), x @ w.T + b, "as many outputs as inputs")
    for x, w, b, g in check.cases(2, array(3, 1), array(1, 1), array(1), array(3, 1)):
        expected = (x @ w.T + b, g @ w, g.T @ x, g.sum(axis=0))
        check.close(linear_gradients(g, x, w, b), expected, "one input and one output")
        expected = (expected[0], *(0 * part for part in (x, w, b)))
        check.close(linear_gradients(0 * g, x, w, b), expected, "where no gradient arrives, all are 0")

    @probe
    def gradients_without_bias(g, x, weight):
        """What linear gives for the bias None, and the gradients of x and weight when g arrives."""
        return with_gradients(lambda *tensors: linear(*tensors, None), g, x, weight)

    for x, w, g in check.cases(2, array(4, 3), array(2, 3), array(4, 2)):
        check.close(gradients_without_bias(g, x, w), (x @ w.T, g @ w, g.T @ x), "gradients without a bias, too")
    ### END HIDDEN TESTS
# %% [markdown]
# ### Exercise `layer_stds` (2 points)
# Arrays only, no bias: send `x` through the layers, times the transposed weights, then the activation. Return a list:
# for each layer the standard deviation (std) of all that it sends on.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A loop over weights, a new `x` in each round.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for weight in weights:
#     x = activation(...)
#     stds.append(...)          # one number: over all of x
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# One number too many: that of the input. Too large: taken before the activation.
# </details>


# %% exercise="layer_stds"
def layer_stds(x, weights, activation):
    """The std of activation(x @ weight.T) after each layer, x going from layer to layer."""
    ### BEGIN SOLUTION
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std())
    return stds
    ### END SOLUTION


# %% probes="layer_stds"
@probe
def stds_of(x, weights, activation):
    """layer_stds with the activation of this name."""
    known = {"tanh": np.tanh, "relu": lambda a: np.maximum(a, 0.0), "none": lambda a: a}
    layer_stds(x, weights, known[activation])  # what it writes into shows in a second call
    stds = layer_stds(x, weights, known[activation])
    return [np.asarray(s).tolist() for s in stds] if isinstance(stds, (list, tuple, np.ndarray)) else stds


# %% check="layer_stds" points=2
with exercise("layer_stds") as check:
    x, double = np.array([[1.0, 3.0], [-2.0, 2.0]]), 2.0 * np.eye(2)
    both = [np.array([[2.0, -1.0], [1.0, 1.0]]), np.array([[3.0, 2.0]])]
    check.close(stds_of(x, [double], "none"), [np.sqrt(14)], "2, 6, -4, 4: the mean is 2")
    check.close(stds_of(x, both, "relu"), [np.sqrt(3), 4.0],
                "relu makes 0, 4, 0, 0 of -1, 4, -6, 0; then 8 and 0 from the second layer")
    expected = [np.tanh([2.0, 6, -4, 4]).std()]
    check.close(stds_of(x, [double], "tanh"), expected, "2, 6, -4, 4: one tanh of each")
    ### BEGIN HIDDEN TESTS
    from autograder import array, one_of

    tools = {"tanh": np.tanh, "relu": lambda a: np.maximum(a, 0.0), "none": lambda a: a}
    for x, a, b, c, name in check.cases(
        10, array(5, 3), array(4, 3), array(2, 4), array(6, 2), one_of(list(tools))
    ):
        h, expected = x, []
        for weight in (a, b, c):
            h = tools[name](h @ weight.T)
            expected.append(float(h.std()))
        check.close(stds_of(x, [a, b, c], name), expected, "after each layer")
    x = 1e8 + np.array([[0.125, 0.75], [0.5, -0.375]])
    check.close(stds_of(x, [np.array([[1.0, -1.0]])], "none"), [0.75], "small differences of large numbers")
    check.close(stds_of(x, [np.array([[1.0, 0.0]])], "none"), [0.1875], "large numbers that lie close together")
    # As many neurons as inputs in each layer, or one alone: only the order tells which array goes on.
    for x, a, b, c, name in check.cases(
        3, array(3, 3), array(3, 3), array(3, 3), array(3, 3), one_of(list(tools))
    ):
        for weights in ([a, b, c], [a, a, a], [a[:1], b[:, :1], c[:1]]):
            h, expected = x, []
            for weight in weights:
                h = tools[name](h @ weight.T)
                expected.append(float(h.std()))
            check.close(stds_of(x, weights, name), expected, "each layer gets what the one before it sent on")
    for x, a, b in check.cases(3, array(5, 3), array(4, 3), array(2, 4)):
        dead = [float((x @ a.T).std()), 0.0, 0.0]
        check.close(stds_of(x, [a, 0 * b, b.T], "none"), dead, "a number for each layer, after a dead one too")
        fading, h = [], x
        for weight in (a, b, b.T, b, b.T):
            h = h @ weight.T
            fading.append(float(h.std()))
        got = stds_of(x, [1e-4 * weight for weight in (a, b, b.T, b, b.T)], "none")
        check.close([s * 1e4**k for k, s in enumerate(got, 1)], fading, "tiny numbers, with all their digits")
    ### END HIDDEN TESTS
# %% [markdown]
# The network of section 1, and two other starts. Nearly straight lines on a logarithmic axis: every layer
# multiplies by about the same number.


# %% figure="three_starts"
def relu(x):
    return np.maximum(x, 0.0)


def three_starts():
    found = {}
    for name, start in {"std 0.5": normal(0.5), "PyTorch's default": pytorch_uniform, "std 0.02": normal(0.02)}.items():
        found[name] = stds = layer_stds(X, [weight.data for weight in deep(start)[:-1]], relu)
        print(f"{name}: times {(stds[-1] / stds[0]) ** (1 / 19):.2f} in each layer, {stds[-1]:.0e} at the end")
    assert found["PyTorch's default"][-1] < 1e-7 < 1e5 < found["std 0.5"][-1]
    plots.layer_statistics(found, title="20 relu layers, 50 neurons each")


three_starts()

# %% [markdown]
# There `x` is lost: a factor below 1, twenty times over (*vanishing*). Above 1 the numbers grow without end
# (*exploding*). PyTorch draws biases, too.

# %%
rng, h = np.random.default_rng(0), X
for weight in deep(pytorch_uniform)[:-1]:
    bias = rng.uniform(-1, 1, len(weight.data)) / np.sqrt(weight.shape[1])
    h = np.maximum(h @ weight.data.T + bias, 0.0)
print(f"with biases: std over all numbers {h.std():.3f}, over the examples {h.std(axis=0).mean():.0e}")

# %% [markdown]
# Neurons differ, so the std over all numbers stays up. But each gives the same for every `x`.
#
# ## 3. Your turn: a start that lasts
#
# ### Exercise `own_start` (3 points)
# **An empty page.** `own_start(width, rng)` returns first weights for a relu layer of any width: an array (width,
# width), drawn from `rng`. When inputs of std 1 go through twenty such layers, of 60, 120, 240 or
# more neurons, their std after *each* has to lie between 0.1 and 10. Each neuron has to add up many
# inputs, not hand on one or two, as with `np.eye`.


# %% given="table"
def deep_stds(start, width, seed=0):
    """Normal inputs of std 1 through 20 relu layers whose weights `start(width, rng)` draws: the std after each,
    and that over the examples after the last."""
    rng = np.random.default_rng(seed)
    x, stds = rng.normal(size=(200, width)), []
    for _ in range(20):
        x = np.maximum(x @ start(width, rng).T, 0.0)
        stds.append(x.std())
    return stds, x.std(axis=0).mean()


def table(start):
    """What a start does at three widths."""
    for width in (60, 120, 240):
        stds, over_examples = deep_stds(start, width)
        each = (stds[-1] / stds[0]) ** (1 / 19)
        print(
            f"{width:3} neurons: times {each:.2f} in each layer, std from {min(stds):.1e} to {max(stds):.1e}, "
            f"at the end {over_examples:.1e} over the examples"
        )


# %%
table(lambda width, rng: rng.normal(0.0, 0.1, (width, width)))  # try others in place of 0.1

# %% [markdown]
# <details><summary>Hint 1: how to search</summary>
#
# Change the 0.1 at one width until the factor is 1.00, by halving.
# </details>
# <details><summary>Hint 2: what to look for</summary>
#
# Do it for 60 and 240, and divide one by the other. How does that come from 4, the ratio of widths?
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Right for one width only: the std has to fall with the width.
# </details>


# %% exercise="own_start"
def own_start(width, rng):
    ### BEGIN SOLUTION
    return rng.normal(0.0, np.sqrt(2 / width), (width, width))
    ### END SOLUTION


# %% probes="own_start"
@probe
def start_seen(width, seed):
    """What own_start draws, in words: its type, shape, and where its numbers come from."""
    rng = np.random.default_rng(seed)
    first, second = own_start(width, rng), own_start(width, rng)
    again = own_start(width, np.random.default_rng(seed))
    if not isinstance(first, np.ndarray):
        return {"type": None if first is None else type(first).__name__}
    seen = {"type": "ndarray", "shape": str(first.shape)}
    if first.shape != (width, width):
        return seen
    if first.dtype.kind not in "biuf":
        return {**seen, "its numbers": f"of dtype {first.dtype}"}
    if not np.isfinite(first).all():
        return {**seen, "its numbers": "not all finite"}
    return {
        **seen,
        "its numbers": "finite",
        "the seed decides": np.array_equal(first, again),
        "the next layer is another": not np.array_equal(first, second),
        "neurons that differ": len(np.unique(first, axis=0)),
        "of 30 inputs count": inputs_that_count(first),
        "some weights below 0": bool((first < 0).any()),
    }


def inputs_that_count(weight):
    """How many weights of a neuron carry its sum, in the middle neuron: 1 where all but one are about 0."""
    squares = weight.astype(float) ** 2
    return int(np.ceil(np.median(squares.sum(axis=1) ** 2 / np.maximum((squares**2).sum(axis=1), 1e-300))))


@probe
def scale_seen(width):
    """The lowest and the highest std after any of 20 layers, as powers of ten around them, and the factor of
    a layer: of each the middle one of some networks, as a narrow network may drift by chance."""
    lows, highs, factors = [], [], []
    with np.errstate(all="ignore"):
        for seed in range(max(1, 420 // width)):
            rng = np.random.default_rng(seed)
            x, stds = rng.normal(size=(100, width)), []
            for _ in range(20):
                x = np.maximum(x @ own_start(width, rng).T, 0.0)
                stds.append(x.std())
            lows.append(min(stds))
            highs.append(max(stds))
            factors.append((stds[-1] / stds[0]) ** (1 / 19))
        low, high = 10.0 ** np.floor(np.log10(np.median(lows))), 10.0 ** np.ceil(np.log10(np.median(highs)))
    return {"lowest": float(low), "highest": float(high), "factor": round(float(np.median(factors)), 1)}


WIDTHS = (60, 120, 240, 800)


def how_it_goes(found, some_below_0):
    """What was seen at all of WIDTHS, in words."""
    lasts = {width: 0.1 <= seen["lowest"] and seen["highest"] <= 10 for width, seen in zip(WIDTHS, found)}
    if all(lasts.values()):
        return "it lasts at each width"
    if any(lasts.values()):
        some, others = (", ".join(str(width) for width in WIDTHS if lasts[width] is it) for it in (True, False))
        return f"it lasts at {some} neurons, and not at {others}"
    narrow, wide = found[0]["factor"], found[-1]["factor"]
    if not np.isfinite([narrow, wide]).all():
        return "numbers that are all 0, or infinite"
    if wide > 1.3 * narrow:
        return "the wider the layer, the larger its factor"
    if narrow > 1.3 * wide:
        return "the wider the layer, the smaller its factor"
    size = "below 1" if wide < 1 else "above 1" if wide > 1 else "near 1, yet the std is too small or too large"
    return f"one factor at each width, {size}{'' if some_below_0 else '; and no weight is below 0'}"


@probe
def twenty_starts(width, seeds):
    """Twenty layers of own_start for each seed, as lists of arrays."""
    networks = [[own_start(width, rng) for _ in range(20)] for rng in map(np.random.default_rng, seeds)]
    return [[weight.astype("float32") for weight in weights] for weights in networks]


def lowest_and_highest(networks, seed):
    """The lowest and the highest std after any layer, each the middle one of some networks."""
    found, rng = [], np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        for weights in networks:
            x, stds = rng.normal(size=(100, weights[0].shape[1])), []
            for weight in weights:
                x = np.maximum(x @ weight.T, 0.0)
                stds.append(x.std())
            found.append(stds)
        middle = np.median(found, axis=0)
    return middle.min(), middle.max()


# %% check="own_start" points=3
with exercise("own_start") as check:
    seen = start_seen(30, 5)
    check.close(seen["type"], "ndarray", "a NumPy array")
    check.close(seen["shape"], "(30, 30)", "a row of weights for each neuron")
    check.close(seen["its numbers"], "finite", "real numbers: no NaN, no infinity")
    check.true(seen["the seed decides"], "the same seed, the same weights: draw from rng")
    check.true(seen["the next layer is another"], "a second call gives other weights")
    check.equal(seen["neurons that differ"], 30, "no two neurons are equal")
    check.true(seen["of 30 inputs count"] > 2, "each neuron adds up many inputs")
    said = how_it_goes([scale_seen(n) for n in WIDTHS], seen["some weights below 0"])
    because = "from 60 to 800 neurons, the std after each layer is between 0.1 and 10"
    check.close(said, "it lasts at each width", because)
    ### BEGIN HIDDEN TESTS
    # Narrower and wider than those of the table, too: of 360 neurons one network, as it is large. A narrow network
    # drifts by chance, so that the bounds are wider here than in the task.
    for width, count, bound in ((30, 15, 50), (81, 7, 20), (180, 2, 20), (360, 1, 20)):
        seeds = [check.rng.randrange(10**6) for _ in range(count)]
        networks = twenty_starts(width, seeds)
        square = {weight.shape for weights in networks for weight in weights} == {(width, width)}
        check.true(square, f"{width} neurons: a row of {width} weights for each")
        low, high = lowest_and_highest(networks, seeds[0])
        check.true(1 / bound < low and high < bound, f"{width} neurons: from {low:.1e} to {high:.1e}")
        weight = networks[0][0]
        check.true(inputs_that_count(weight) > width / 20, "each neuron adds up many inputs")
        check.true(len(np.unique(weight.round(9), axis=0)) == width, "no two neurons are equal")
        check.true((networks[0][0] != networks[0][1]).any(), "the next layer is another")
        if count > 1:
            check.true((networks[0][0] != networks[1][0]).any(), "another seed gives other weights")

    @probe
    def after_four(width, seed):
        """The std after four relu layers of this width."""
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(50, width))
        for _ in range(4):
            x = np.maximum(x @ own_start(width, rng).T, 0.0)
        return float(x.std())

    # What lasts for twenty layers multiplies by 0.89 to 1.12 in each, and the first relu by 0.83 more.
    std = after_four(1000, check.rng.randrange(10**6))
    check.true(0.4 < std < 2, f"1000 neurons, and after four layers the std is {std:.1e} already")
    ### END HIDDEN TESTS

# %%
table(own_start)

# %% [markdown]
# Over the examples the std falls even so, slowly: different `x` grow more alike.
#
# Open *Watch it move*: your weights for 200 neurons, times 0.6 to 1.6. Each column is a layer, wide where many sums
# have that size, with those beyond 8 at the rim. Only factors close to 1 keep numbers in range.


# %% figure="window"
def window():
    x, moments = np.random.default_rng(0).normal(size=(60, 200)), {}
    for factor in (0.6, 0.8, 0.9, 1.0, 1.1, 1.3, 1.6):
        rng, sums = np.random.default_rng(3), [x]
        for _ in range(20):
            sums.append(np.maximum(sums[-1], 0.0 if sums[1:] else -np.inf) @ (factor * own_start(200, rng)).T)
        moments[f"your weights × {factor}"] = sums[1:]
    return plots.moving_layers(moments, limit=8.0, title="Before relu", ylabel="sum", between=4)


window()

# %% [markdown]
# Why *drawn*? If the weights of a layer begin equal, so do the rows of their gradients:

# %%
weights = deep(lambda fan_in, fan_out, rng: np.full((fan_out, fan_in), 1 / fan_in))
((outputs(weights)[0] - Y) ** 2).mean().backward()
print("layer 1, gradients of the first three neurons:", weights[0].grad.data[:3].round(4).tolist())

# %% [markdown]
# Every step keeps them equal: the layer remains one neuron.
#
# ## 4. Why it is what you found
#
# An output is a sum of $n$ products of a weight and an input. Of two products the square is
# $(w_1x_1)^2 + (w_2x_2)^2 + 2w_1w_2x_1x_2$. With weights drawn around 0 the last part is 0 on
# average, and only the squares add up. So take the *rms*, the root of the mean square. Where the mean is 0, it is the
# std; behind a relu it is larger, and from layer to layer both grow by the same factor.
#
# $$\mathrm{rms_{out}} = \sqrt{n} \cdot \mathrm{std_w} \cdot \mathrm{rms_{in}}$$
#
# **Predict, then run.** 20 layers of 100 neurons *without* activation, weights of std 0.2, inputs of rms 1. The rms after
# all 20? And what share of a mean square would a relu leave?

# %%
prediction = (None, None)  # the rms after 20 layers, such as 30; the share that relu leaves, from 0 to 1

rng = np.random.default_rng(1)
weights = [rng.normal(0.0, 0.2, (100, 100)) for _ in range(20)]
x = rng.normal(size=(500, 100))
found = layer_stds(x, weights, lambda a: a)  # without relu the mean is about 0: rms and std agree
if predicted(prediction, "twenty_layers"):
    print(f"after one layer: {found[0]:.1f}   after all: {found[-1]:.1e}")
    share = (np.maximum(x @ weights[0].T, 0.0) ** 2).mean() / ((x @ weights[0].T) ** 2).mean()
    print(f"and relu leaves {share:.2f} of the mean square")

# %% [markdown]
# Which $\mathrm{std_w}$ makes the factor of a relu layer 1? Work it out, with that share.
#
# <details><summary>The derivation</summary>
#
# relu sets the negative half to 0, and half of the mean square goes with it. For a factor of 1
# $n \cdot \mathrm{std_w}^2 \cdot \frac12 = 1$, so $\mathrm{std_w} = \sqrt{2/n}$.
# </details>
#
# PyTorch's default has the variance $1/(3n)$: the mean square shrinks to a sixth in each layer, the rms to
# $\sqrt{1/6} = 0.41$. PyTorch [keeps it](https://github.com/pytorch/pytorch/issues/1667) so that old programs go on
# as before.
#
# $n$ counts the *inputs*, which an output adds up: the **fan-in**. This start is Kaiming He's.


# %% given="he_normal"
def he_normal(fan_in, fan_out, rng):
    """First weights (fan_out, fan_in), normal, of variance 2 / fan_in."""
    return rng.normal(0.0, np.sqrt(2 / fan_in), (fan_out, fan_in))


# %% [markdown]
# On the way back a gradient adds up over the *outputs*: the **fan-out**. From 400 neurons to 100, without relu (1/n,
# not 2/n):

# %%
rng = np.random.default_rng(4)
x, g = rng.normal(size=(500, 400)), rng.normal(size=(500, 100))
for name, variance in {"1 / fan_in": 1 / 400, "1 / fan_out": 1 / 100, "2 / both": 2 / 500}.items():
    weight = rng.normal(0.0, np.sqrt(variance), (100, 400))
    print(f"{name:11}: outputs {(x @ weight.T).std():.2f}, gradients {(g @ weight).std():.2f}")

# %% [markdown]
# No choice serves both. Xavier Glorot's compromise, for tanh, which is nearly straight around 0, is the variance
# $2 / (\mathrm{fan_{in}} + \mathrm{fan_{out}})$. Uniform numbers between $-a$ and $a$ have the variance $a^2/3$. So
#
# $$a = \sqrt{\frac{6}{\mathrm{fan_{in}} + \mathrm{fan_{out}}}}$$
#
# ### Exercise `xavier_uniform` (2 points)
# Return uniform numbers between $-a$ and $a$, drawn from `rng`: an array (fan_out, fan_in).
#
# <details><summary>Hint 1: a sketch</summary>
#
# `rng.uniform(low, high, shape)`. The shape is that of a weight: (out, in).
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# a = np.sqrt(...)
# return rng.uniform(..., ..., (..., ...))
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# All numbers positive: `rng.uniform(a)` goes from a to 1.
# </details>


# %% exercise="xavier_uniform"
def xavier_uniform(fan_in, fan_out, rng):
    """First weights (fan_out, fan_in), uniform, of variance 2 / (fan_in + fan_out)."""
    ### BEGIN SOLUTION
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))
    ### END SOLUTION
# %% probes="xavier_uniform"
@probe
def xavier_seen(fan_in, fan_out, seed, std):
    """What the weights of xavier_uniform look like, measured in parts of `std` and rounded."""
    rng = np.random.default_rng(seed)
    first, second = xavier_uniform(fan_in, fan_out, rng), xavier_uniform(fan_in, fan_out, rng)
    again = xavier_uniform(fan_in, fan_out, np.random.default_rng(seed))
    if not isinstance(first, np.ndarray):
        return {"type": None if first is None else type(first).__name__}
    seen = {"type": "ndarray", "shape": str(first.shape)}
    if first.shape != (fan_out, fan_in):
        return seen
    scaled = first / std
    if not np.isfinite(scaled).all():
        return {**seen, "mean": float(scaled.mean())}
    size = float(scaled.std())
    return {
        **seen,
        "mean": round(float(scaled.mean()), 1) + 0.0,
        "std": round(size, 1 if size > 0.3 else 2),
        "beyond one std": round(float((np.abs(scaled) > 1).mean()), 1),
        "the neurons differ": bool((np.ptp(scaled, axis=0) > 0).all()),
        "the second draw differs": not np.array_equal(first, second),
        "the seed decides": np.array_equal(first, again),
    }


@probe
def xavier_drawn(fan_in, fan_out, seed):
    """Two draws of xavier_uniform, one after the other, from a generator with this seed."""
    rng = np.random.default_rng(seed)
    return xavier_uniform(fan_in, fan_out, rng), xavier_uniform(fan_in, fan_out, rng)


@probe
def xavier_largest(fan_in, fan_out, seed, times):
    """The largest size in so many draws of xavier_uniform."""
    rng = np.random.default_rng(seed)
    return max(float(np.abs(xavier_uniform(fan_in, fan_out, rng)).max()) for _ in range(times))


# %% check="xavier_uniform" points=2
with exercise("xavier_uniform") as check:
    # 49,600 numbers: a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = xavier_seen(80, 620, 5, np.sqrt(2 / 700))
    check.close(seen["type"], "ndarray", "a NumPy array")
    check.close(seen["shape"], "(620, 80)", "a weight has the shape (fan_out, fan_in)")
    check.close(seen["mean"], 0.0, "as many below 0 as above")
    check.close(seen["std"], 1.0, "as large as wanted: the variance is 2 / (80 + 620)")
    check.close(seen["beyond one std"], 0.4, "uniform: 42 %; of normal numbers 32 %")
    check.true(seen["the neurons differ"], "each row is drawn")
    check.true(seen["the second draw differs"], "the next layer gets other numbers")
    check.true(seen["the seed decides"], "the same seed gives the same numbers: use rng")
    ### BEGIN HIDDEN TESTS
    for fan_in, fan_out in ((100, 700), (900, 81)):
        w, again = xavier_drawn(fan_in, fan_out, check.rng.randrange(10**6))
        a = np.sqrt(6 / (fan_in + fan_out))
        check.close(w.shape, (fan_out, fan_in), "the shape")
        check.close(w.mean() / a, 0.0, "centred at 0", atol=0.03)
        check.close(w.std() ** 2, a**2 / 3, "the variance", rtol=0.03)
        check.true(np.abs(w).max() <= a, "no number is larger than a")
        check.close((np.abs(w) < a / 2).mean(), 0.5, "half of them in the middle half", atol=0.02)
        check.true((np.ptp(w, axis=0) > 0).all() and (np.ptp(w, axis=1) > 0).all(), "all are drawn")
        check.true((w != again).any(axis=1).all(), "the next layer gets other numbers")
        check.true(len(np.unique(np.abs(w))) == w.size, "each number is drawn, none is another one's copy")
    check.close(xavier_drawn(1, 3, 4)[0].shape, (3, 1), "one input, three neurons")
    # Of 1,000 numbers all are below 0.95 of the limit with a chance of less than 1e-22.
    check.close(xavier_largest(1, 2, check.rng.randrange(10**6), 500), np.sqrt(6 / 3), "a narrow layer", rtol=0.05)
    check.true((xavier_drawn(30, 20, 1)[0] != xavier_drawn(30, 20, 2)[0]).any(), "another seed")
    check.equal(xavier_drawn(30, 20, 1), xavier_drawn(30, 20, 1), "the seed decides")
    ### END HIDDEN TESTS
# %%
for name, start in {"Xavier": xavier_uniform, "He": he_normal}.items():
    rng = np.random.default_rng(0)
    stds = layer_stds(rng.normal(size=(500, 50)), [start(50, 50, rng) for _ in range(20)], np.tanh)
    print(f"{name} with tanh: std {stds[0]:.2f} after one layer, {stds[-1]:.2f} after 20")

# %% [markdown]
# tanh bends, so each layer sends on less than it adds up: Xavier's numbers fade slowly. PyTorch's
# `calculate_gain("tanh")`, 5/3, makes up for that.
#
# ## 5. Four starts, side by side
#
# **Predict, then run.** In section 1 each layer sends on less than the one before. Which layer's weights have by far the
# smallest gradients? **A**: the first. **B**: the last. **C**: none.

# %%
prediction = None  # A, B or C

if predicted(prediction, "where_the_gradient_is_smallest"):
    weights, h, arrived, shifts = deep(pytorch_uniform), Tensor(X), [], []
    for weight in weights[:-1]:
        arrived.append(np.sqrt((h.data**2).mean()))
        shifts.append(Tensor(np.zeros((len(X), len(weight.data))), requires_grad=True))
        h = (h @ weight.T + shifts[-1]).relu()  # adds 0: its gradient is what comes back to the sums
    ((h @ weights[-1].T - Y) ** 2).mean().backward()
    rms = {"from the input": arrived}
    rms["from the loss"] = [np.sqrt((shift.grad.data**2).mean()) for shift in shifts]
    rms["gradient of the weights"] = [np.sqrt((weight.grad.data**2).mean()) for weight in weights[:-1]]
    plots.layer_statistics(rms, ylabel="rms", title="What meets in a gradient")
    for layer in (2, 11, 20):
        print(f"layer {layer:2}:", ", ".join(f"{name} {sizes[layer - 1]:.0e}" for name, sizes in rms.items()))

# %% [markdown]
# <details><summary>Which, and why</summary>
#
# C: a weight's gradient is what arrives from the input times what arrives from the loss. A late layer gets little from
# the input and much from the loss, an early one the reverse: the product is as small everywhere.
# </details>
#
# Four starts: the std of what each layer sends on and of its weights' gradients, and the loss (two curves coincide).


# %% figure="four_starts"
def four_starts():
    starts = {"He": he_normal, "Xavier": xavier_uniform}
    starts |= {"PyTorch's default": pytorch_uniform, "std 0.5": normal(0.5)}
    sizes, gradients, losses = {}, {}, {}
    for name, start in starts.items():
        weights = deep(start)
        out, sent = outputs(weights)
        sizes[name] = [h.data.std() for h in sent]
        ((out - Y) ** 2).mean().backward()
        gradients[name] = [weight.grad.data.std() for weight in weights[:-1]]
        losses[name] = learn(deep(start))
        print(f"{name}: loss {losses[name][0]:.3g} at first, {losses[name][-1]:.3g} after 250 steps")
    assert losses["He"][-1] < 0.05 < 0.5 < min(losses["Xavier"][-1], losses["PyTorch's default"][-1])
    assert losses["std 0.5"][0] > 1e9 and np.isnan(losses.pop("std 0.5")[-1])
    left, middle, right = plots.panels(3, height=3.2)
    plots.layer_statistics(sizes, ax=left, title="what is sent on")
    plots.layer_statistics(gradients, ax=middle, title="gradients of weights", ylabel="")
    plots.learning_curves(losses, ax=right, log=True, title="loss (std 0.5: nan)", ylabel="")
    for ax in (middle, right):
        ax.get_legend().remove()


four_starts()

# %% [markdown]
# From PyTorch's start the answers no longer depend on `x`, and the gradients are tens of millions of times smaller than
# from He's. Xavier's weights are a root of 2 too small for relu: of x a thousandth is left, $\sqrt{1/2}^{20}$.
#
# ## 6. LayerNorm: a scale that holds
#
# Larger steps from He's start:

# %% figure="larger_steps"
for rate in (0.0005, 0.03):
    weights = deep(he_normal)
    loss = learn(weights, rate)[-1]
    with np.errstate(all="ignore"):
        print(f"rate {rate}: loss {loss:.2g}, std behind the last relu {outputs(weights)[1][-1].data.std():.1e}")

# %% [markdown]
# A start sets the scale once. Steps move the weights, and large ones make the numbers explode after all.
#
# **LayerNorm** sets the scale in every step: it brings each example, each row of `x`, to mean 0 and variance 1.
#
# $$\frac{x - \mathrm{mean}}{\sqrt{\mathrm{var} + \epsilon}} \cdot \mathrm{weight} + \mathrm{bias}$$
#
# The row 1, 3, 3, 9 has the mean 4 and the variance 9 (the mean of the squared distances from 4): 9 becomes about
# 5/3. In a row of equal numbers $\epsilon$ prevents 0 / 0. `weight` and `bias`, at first ones and zeros, are trained
# and let the network choose another range.
#
# ### Exercise `layer_norm` (3 points)
# Write it with Tensors, over the **last axis**. Gradients flow through the mean and the variance, too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `x.mean(-1, keepdims=True)` has one number per row. Take it off, square, average again.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# away = x - ...
# variance = (...).mean(...)
# return away / (...).sqrt() * ... + ...    # what stands under the root?
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Shapes do not fit: `keepdims` is missing. Slightly too small: `var` divides by n - 1 unless you say `correction=0`. A
# gradient whose rows do not sum to 0: mean or variance were computed from `x.data`.
# </details>


# %% exercise="layer_norm"
def layer_norm(x, weight, bias, eps=1e-5):
    """Rows of x (..., n) at mean 0, variance 1; times weight (n,), plus bias (n,)."""
    ### BEGIN SOLUTION
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + eps).sqrt() * weight + bias
    ### END SOLUTION


# %% probes="layer_norm"
ROW = np.array([1.0, 4, 4])  # its mean is 3, its variance 2


@probe
def norm_of(x, weight, bias, eps=1e-5):
    """What layer_norm gives for Tensors of these arrays."""
    return numbers_of(layer_norm(Tensor(x), Tensor(weight), Tensor(bias), eps))


@probe
def norm_gradients(g, x, weight, bias):
    """What layer_norm gives, and the gradients of x, weight and bias when g arrives."""
    return with_gradients(layer_norm, g, x, weight, bias)


# %% check="layer_norm" points=3
with exercise("layer_norm") as check:
    x, w = np.array([[7.0, 7, 7, 7], [1, 3, 3, 9]]), np.array([1.0, 3, 2, -4])
    b, out = np.array([0, 10.0, 0, 0]), np.array([[0] * 4, [-3, -1, -1, 5]]) / 9.00001**0.5
    check.close(norm_of(x, w / w, 0 * b), out, "equal numbers become 0; mean 4, variance 9")
    check.close(norm_of(x, w, b), out * w + b, "times weight, plus bias, in each column")
    check.close(norm_of(ROW, ROW / ROW, 0 * ROW, 7.0), (ROW - 3) / 3, "eps = 7: sqrt(9)")
    both = np.stack([x, 1e9 + x])
    check.close(norm_of(both, w, b), np.stack([out * w + b] * 2), "more axes; far from 0")
    (_, dx, dw, db), g = norm_gradients(out + w, x, w, b), out + w
    check.close((dw, db), ((g * out).sum(0), g.sum(0)), "the gradients of weight and bias")
    check.close(dx.sum(-1), np.zeros(2), "all of a row up by 1 changes nothing", atol=1e-9)
    check.close(dx[1] @ (x[1] - 4), 0.0, "nor does a row spread wider", atol=1e-3)
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    for shape in ((4, 5), (2, 3, 5), (5,)):
        for x, w, b, g in check.cases(5, array(*shape), array(5), array(5), array(*shape)):
            layer, t = nn.LayerNorm(5), Tensor(x, requires_grad=True)
            layer.weight.data, layer.bias.data = w.copy(), b.copy()
            out = layer(t)
            out.backward(g)
            expected = (out.data, t.grad.data, layer.weight.grad.data, layer.bias.grad.data)
            check.close(norm_gradients(g, x, w, b), expected, "the value and gradients of nn.LayerNorm")
            layer.eps = check.rng.uniform(0.1, 2.0)
            check.close(norm_of(x, w, b, layer.eps), layer(Tensor(x)).data, "with another eps")
    # One number in a row, two, four axes, and equal numbers everywhere.
    for shape in ((3, 1), (1,), (2, 2), (1, 3), (2, 1, 3, 4)):
        n = shape[-1]
        for x, w, b, g in check.cases(2, array(*shape), array(n), array(n), array(*shape)):
            for some in (x, 0 * x + 3.0):
                layer, t = nn.LayerNorm(n), Tensor(some, requires_grad=True)
                layer.weight.data, layer.bias.data = w.copy(), b.copy()
                out = layer(t)
                out.backward(g)
                expected = (out.data, t.grad.data, layer.weight.grad.data, layer.bias.grad.data)
                because = "rows of any length, of equal numbers too"
                check.close(norm_gradients(g, some, w, b), expected, because, atol=1e-9)
    # As they begin: a weight of ones, a bias of zeros. They change no number, and have gradients. So has a weight of 0.
    for x, b, g in check.cases(2, array(3, 4), array(4), array(3, 4)):
        for weight, bias in ((np.ones(4), 0 * b), (np.ones(4), b), (0 * b, b), (0 * b, 0 * b)):
            layer, t = nn.LayerNorm(4), Tensor(x, requires_grad=True)
            layer.weight.data, layer.bias.data = weight.copy(), bias.copy()
            out = layer(t)
            out.backward(g)
            expected = (out.data, t.grad.data, layer.weight.grad.data, layer.bias.grad.data)
            because = "a weight of ones or zeros and a bias of zeros have gradients, too"
            check.close(norm_gradients(g, x, weight, bias), expected, because)
    for eps in (2e-6, 0.0):
        expected = (ROW - 3) / np.sqrt(2 + 1e6 * eps)
        check.close(norm_of(ROW / 1000, ROW / ROW, 0 * ROW, eps), expected, "the eps that is given, however small")
    # Numbers that lie far from 0 and close together: the mean goes off before anything is squared.
    for (w,) in check.cases(3, array(4)):
        far = np.array([[1.0, 1, 5, 5], [5, 1, 5, 1]]) + np.array([[1e9], [-1e8]])
        expected = np.array([[-1.0, -1, 1, 1], [1, -1, 1, -1]]) / np.sqrt(1 + 1e-5 / 4) * w
        check.close(norm_of(far, w, 0 * w), expected, "large numbers, close together", rtol=1e-6)
    ### END HIDDEN TESTS
# %% [markdown]
# **Predict, then run.** Now your `layer_norm` stands before each relu. Which of the four starts learn: **A** only He's,
# **B** all but std 0.5, **C** all?

# %%
prediction = None  # A, B or C

if predicted(prediction, "which_starts_learn_with_a_norm"):
    ones, zeros = Tensor(np.ones(50)), Tensor(np.zeros(50))
    for name, start in {"PyTorch's default": pytorch_uniform, "std 0.5": normal(0.5)}.items():
        losses = learn(deep(start), norm=lambda h: layer_norm(h, ones, zeros))
        print(f"{name}: loss {losses[0]:.2f} at first, {losses[-1]:.3f} after 250 steps")
    loss = learn(deep(he_normal), 0.03, norm=lambda h: layer_norm(h, ones, zeros))[-1]
    print(f"He with steps of rate 0.03, which gave nan without the norm: loss {loss:.3f}")

# %% [markdown]
# The start hardly matters any more. Tiny ones may fail: beside $\epsilon$ the variances of std 0.0001 are nothing.


# %% figure="normalised"
def normalised():
    def norm(h):
        return layer_norm(h, Tensor(np.ones(50)), Tensor(np.zeros(50)))

    starts = {"He": he_normal, "Xavier": xavier_uniform}
    starts |= {"PyTorch's default": pytorch_uniform, "std 0.5": normal(0.5)}
    losses = {}
    for name, start in starts.items():
        losses[name] = learn(deep(start), norm=norm)
        print(f"{name}: loss {losses[name][-1]:.3f}")
        assert losses[name][-1] < 0.1
    print(f"std 0.0001, after 100 steps: loss {learn(deep(normal(0.0001)), steps=100, norm=norm)[-1]:.3f}")
    losses["Xavier, no norm"] = learn(deep(xavier_uniform))
    plots.learning_curves(losses, log=True, title="With LayerNorm")


normalised()

# %% [markdown]
# ## 7. Who owns forty layers?
#
# Forty layers with LayerNorm have 160 arrays, and training needs a list of all. PyTorch's answer: a **Parameter** is a
# Tensor that training may change, a **Module** an object with a method `forward`, which owns what its attributes hold.


# %% given="module"
class Parameter(Tensor):
    """A Tensor that training changes, if it is an attribute of a Module."""

    def __init__(self, data):
        super().__init__(np.array(data, dtype=float), requires_grad=True)


def parts(module):
    """(name, thing) for each attribute of a module; of a list, for each item, named as in "blocks.0"."""
    for name, value in vars(module).items():
        if isinstance(value, list):
            yield from ((f"{name}.{i}", item) for i, item in enumerate(value))
        else:
            yield name, value


class Module:
    """Something with a `forward`; it owns the Parameters and Modules among its attributes."""

    training = True  # False while the network is used, not trained

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def named_parameters(self):
        """All Parameters below, by name; one with two names is listed once, so that no step moves it twice."""
        found = {}
        for name, x in owned(self).items():
            if isinstance(x, Parameter) and not any(x is other for other in found.values()):
                found[name] = x
        return found

    def train(self, mode=True):
        for x in [self, *owned(self).values()]:
            if isinstance(x, Module):
                x.training = mode
        return self

    def eval(self):
        return self.train(False)


# %% [markdown]
# ### Exercise `owned` (3 points)
# `parts(module)`, above, gives pairs of a name and a thing: all attributes, and of a list its items, such as
# `"blocks.0"`. Return a dict of all Parameters and Modules that a module owns, however deep, in the order of `parts`. A
# Module is followed by what *it* owns, with its name in front: `"first"`, then `"first.weight"`. Leave out everything
# else. What is owned twice stands under both names, a Module with its parts.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Keep the parts of the right type. Of a Module, ask `owned` again.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for name, x in parts(module):
#     if isinstance(x, (Parameter, Module)): ...
#     if isinstance(x, Module): ...        # the function may call itself
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many: a Tensor that is no Parameter. Names without their front: two layers both own a `weight`, and one gets lost.
# </details>


# %% exercise="owned"
def owned(module):
    """All Parameters and Modules that a module owns, however deep: a dict by dotted name."""
    ### BEGIN SOLUTION
    found = {}
    for name, x in parts(module):
        if isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
    return found
    ### END SOLUTION


# %% probes="owned"
@probe
def owned_by(tree):
    """What a module owns, asked twice. In `tree`, a dict is a Module, a list a list; of texts,
    "P..." is a Parameter, "T..." a Tensor, "=a" the Module at a; equal texts are one and the same thing.
    T1 requires a gradient, other Tensors do not."""
    made = {}

    class Scale(Parameter):
        pass

    class InnerScale(Scale):
        pass

    class Layer(Module):
        pass

    class InnerLayer(Layer):
        pass

    def thing(what, name):
        if isinstance(what, list):
            return [thing(item, f"{name}.{i}") for i, item in enumerate(what)]
        if isinstance(what, dict):
            module = (InnerLayer if name.count(".") > 1 else Layer if name else Module)()
            for n, inner in what.items():
                setattr(module, n, thing(inner, f"{name}.{n}"))
            return made.setdefault(f"a Module at {name[1:]}", module)
        if isinstance(what, str) and what[:1] == "=":
            return made[f"a Module at {what[1:]}"]
        if not isinstance(what, str) or what[:1] not in ("P", "T"):
            return what
        if what not in made:
            kind = {"P2": Scale, "P4": InnerScale}.get(what, Parameter)
            one = Tensor([1.0, 2.0], requires_grad=what == "T1")
            made[what] = one if what[0] == "T" else kind([1.0, 2.0])
        return made[what]

    module = thing(tree, "")
    owned(module)
    found = owned(module)
    if not isinstance(found, dict):
        return None if found is None else f"no dict: {type(found).__name__}"
    labels = {id(x): label for label, x in made.items()}
    return {name: labels.get(id(x), "something else") for name, x in found.items()}


# %% check="owned" points=3
with exercise("owned") as check:
    # {...}: a Module; "T1": a Tensor with a gradient; "P1": a Parameter, "P2": a subclass
    check.close(owned_by({"w": "P1", "n": 0.5, "b": "P2", "m": "T1", "v": "P1", "c": "P3"}),
                {"w": "P1", "b": "P2", "v": "P1", "c": "P3"}, "no T1, no 0.5; P1 twice")
    check.close(owned_by({"a": {"w": "P1"}, "scale": "P3", "b": "=a"}),
                {"a": "a Module at a", "a.w": "P1", "scale": "P3", "b": "a Module at a",
                "b.w": "P1"}, "a Module, then what it owns, its name in front; b is a")
    got = owned_by({"blocks": ["P1", 0.1, {"w": "P3"}], "x": {"y": {"w": "P3"}, "b": "P5"}})
    expected = {"blocks.0": "P1", "blocks.2": "a Module at blocks.2", "blocks.2.w": "P3",
            "x": "a Module at x", "x.y": "a Module at x.y", "x.y.w": "P3", "x.b": "P5"}
    check.close(got, expected, "lists count from 0; as deep as it goes; P3 twice")
    check.equal(list(got), list(expected), "in the order of the attributes")
    ### BEGIN HIDDEN TESTS
    def grown(depth):
        tree = {}
        for name in check.rng.sample(["a", "b", "layers", "weight", "norm", "x1"], 4):
            tree[name] = part(depth, check.rng.random())
        return tree

    def part(depth, chance):
        if depth and chance < 0.3:
            return grown(depth - 1)
        if depth and chance < 0.55:
            return [part(depth - 1, check.rng.random()) for _ in range(check.rng.randint(0, 3))]
        return check.rng.choice([f"P{check.rng.randint(1, 9)}", f"T{check.rng.randint(1, 9)}", 3.5, None])

    def expected_of(tree, front=""):
        found = {}
        for name, what in tree.items():
            items = [(f"{name}.{i}", x) for i, x in enumerate(what)] if isinstance(what, list) else [(name, what)]
            for n, x in items:
                if isinstance(x, dict):
                    found[front + n] = f"a Module at {front + n}"
                    found |= expected_of(x, f"{front}{n}.")
                elif isinstance(x, str) and x[0] == "P":
                    found[front + n] = x
        return found

    tree = {"w": "P1", "scale": "P4", "a": {"scale": "P4"}, "b": ["P4"]}
    check.close(owned_by(tree), expected_of(tree), "a Parameter whose class comes from a class of Parameters")
    for _ in range(20):
        tree = grown(3)
        got = owned_by(tree)
        check.close(got, expected_of(tree), "Parameters and Modules, by name")
        check.equal(list(got), list(expected_of(tree)), "in the order of the attributes")
    tree = {"w": "P1"}
    for name in "pqrstuvw":
        tree = {name: tree}
    check.close(owned_by(tree), expected_of(tree), "eight modules deep")
    for tree in ({"a": "P1", "b": None, "c": "P1"}, {"a": {"w": "P1", "v": "P1"}}, {"a": ["P1", "P2", "P1"]}):
        check.close(owned_by(tree), expected_of(tree), "a Parameter that one module holds twice")
    both = {"a": "a Module at a", "a.w": "P1", "b": "a Module at a", "b.w": "P1"}
    check.close(owned_by({"a": {"w": "P1"}, "b": "=a"}), both, "a Module that is held twice, under both names")
    tree = {"_w": "P1", "a": {"_b": "P2"}, "_c": {"w": "P3"}}
    check.close(owned_by(tree), expected_of(tree), "all attributes, whatever their names begin with")
    tree = {"mean": "T1", "a": {"mean": "T1", "w": "P1"}, "b": ["T1", "T2", {}], "none": []}
    check.close(owned_by(tree), expected_of(tree), "a Tensor with a gradient is no Parameter yet")

    @probe
    def owned_later():
        """The names that a Module owns; after more has come, to it and to what it owns; after some has gone."""
        whole, inner = Module(), Module()
        inner.w, whole.inner, whole.blocks, whole.b = Parameter([1.0]), inner, [Parameter([2.0])], Parameter([3.0])
        found = [sorted(owned(whole))]
        inner.v = Parameter([4.0])
        whole.blocks.append(inner)
        found.append(sorted(owned(whole)))
        del whole.b, inner.w
        return [*found, sorted(owned(whole)), sorted(vars(inner)), sorted(vars(whole))]

    names = [
        ["b", "blocks.0", "inner", "inner.w"],
        ["b", "blocks.0", "blocks.1", "blocks.1.v", "blocks.1.w", "inner", "inner.v", "inner.w"],
        ["blocks.0", "blocks.1", "blocks.1.v", "inner", "inner.v"],
        ["v"],
        ["blocks", "inner"],
    ]
    check.equal(owned_later(), names, "what it owns now; and nothing is put into the modules")
    ### END HIDDEN TESTS

# %% [markdown]
# `Sequential` is PyTorch's name for modules in a row. `Linear` begins with He's weights, as a relu follows.


# %% given="activations"
class Linear(Module):
    def __init__(self, fan_in, fan_out, rng):
        self.weight = Parameter(he_normal(fan_in, fan_out, rng))
        self.bias = Parameter(np.zeros(fan_out))

    def forward(self, x):
        return linear(x, self.weight, self.bias)


class LayerNorm(Module):
    def __init__(self, width):
        self.weight, self.bias = Parameter(np.ones(width)), Parameter(np.zeros(width))

    def forward(self, x):
        return layer_norm(x, self.weight, self.bias)


class Tanh(Module):
    def forward(self, x):
        return x.tanh()


class ReLU(Module):
    def forward(self, x):
        return x.relu()


class Sequential(Module):
    """Modules in a row: each gets what the one before it returned."""

    def __init__(self, *modules):
        self.layers = list(modules)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


# %% [markdown]
# **Predict, then run.** 40 blocks of 4 Parameters in a `Sequential`: how many of the 160 would `owned` find if it did
# not ask Modules again?

# %%
prediction = None

if predicted(prediction, "found_without_asking_again"):
    rng = np.random.default_rng(0)
    model = Sequential(*[Sequential(Linear(32, 32, rng), LayerNorm(32), ReLU()) for _ in range(40)])
    print("without:", sum(isinstance(x, Parameter) for _, x in parts(model)))
    names = list(model.named_parameters())
    print("with it:", len(names), "Parameters,", ", ".join(names[:4]), "...", *names[-1:])
    print("numbers to train:", sum(p.size for p in model.named_parameters().values()))
    model.eval()
    print("still in training mode after eval():", sum(part.training for part in [model, model.layers[39].layers[2]]))

# %% [markdown]
# Train them, with a layer before and one behind. `linear`, `layer_norm` and `owned` are yours:


# %% figure="forty_layers"
def forty_layers():
    rng = np.random.default_rng(4)
    blocks = [Sequential(Linear(32, 32, rng), LayerNorm(32), ReLU()) for _ in range(40)]
    model, losses = Sequential(Linear(2, 32, rng), *blocks, Linear(32, 1, rng)), []
    for _ in range(150):
        out = model(Tensor(X))
        loss = ((out - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        for parameter in model.named_parameters().values():
            parameter.data -= 0.0005 * parameter.grad.data
            parameter.grad = None
    print(len(model.named_parameters()), f"Parameters: loss {losses[0]:.2f} at first, {losses[-1]:.3f} after 150 steps")
    assert losses[-1] < 0.1
    left, right = plots.panels(2)
    x = X[:, 0]
    plots.lines({"42 layers": (x, out.data), "sin(x)": (x, Y)}, ax=left, title="after 150 steps", xlabel="x")
    plots.learning_curves({"42 layers": losses}, ax=right, log=True, title="loss", ylabel="")
    right.get_legend().remove()


forty_layers()

# %% [markdown]
# ## 8. Dropout, and what a mode is for
#
# A large network learns its examples by heart, wrong ones too. **Dropout** makes that hard: in each training step every
# number is set to 0 with probability `p`, so no neuron can rely on another. The numbers that stay are divided by 1 - p,
# which keeps the *mean*: with p = 0.25, three of four stay, 4/3 as large. In *use*, `x` comes back as it is. So modules
# have a mode.
#
# ### Exercise `dropout` (2 points)
# `x` is a Tensor. Draw for each of its numbers, anew in each call, from `rng`. `p` lies below 1.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `rng.random(shape)` is uniform between 0 and 1: below `p` with probability `p`. Multiply by a mask of zeros and ones.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if not training: return ...
# keep = rng.random(...) >= ...      # True where a number stays
# return x * ... / ...
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Too many zeros: `p` is the probability to drop.
# </details>


# %% exercise="dropout"
def dropout(x, p, training, rng):
    """x with some numbers 0 (probability p), the others over 1 - p; x if not training."""
    ### BEGIN SOLUTION
    if not training:
        return x
    keep = rng.random(x.shape) >= p
    return x * (keep / (1 - p))
    ### END SOLUTION


# %% probes="dropout"
ROWS, SHAPES = np.linspace(-3.0, 4.0, 40_000).reshape(200, 200), [(8,), (2, 3, 4)]


@probe
def dropout_seen(p, training, seed):
    """What two calls of dropout make of ROWS: factors and shares, rounded, so that right answers agree."""
    rng, given = np.random.default_rng(seed), Tensor(ROWS.copy(), requires_grad=True)
    first, second = dropout(given, p, training, rng), dropout(given, p, training, rng)
    again = dropout(Tensor(ROWS.copy()), p, training, np.random.default_rng(seed))
    names = "zeros", "factors", "drawn for", "anew", "the seed decides", "gradient"
    seen = {"answer": numbers_of(first), **dict.fromkeys(names)}
    if not isinstance(first, Tensor):
        return seen
    seen["answer"] = f"Tensor of shape {first.shape}"
    if first.shape != ROWS.shape:
        return seen
    second.backward(np.ones(ROWS.shape))
    zero, factor = first.data == 0, second.data / ROWS
    whole = {name: set(zero.mean(axis=axis)) <= {0, 1} for axis, name in ((1, "row"), (0, "column"))}
    few = [dropout(Tensor(ROWS[:1, :8].copy()), p, training, rng) for _ in range(25)]
    counts = {int((numbers_of(one) == 0).sum()) for one in few}  # of 8 numbers, 25 times
    seen["zeros"] = round(20 * float(zero.mean())) / 20
    factors = np.unique([float(f"{factor:.4g}") for factor in (first.data / ROWS).ravel()])
    seen["factors"] = factors.tolist() if len(factors) < 5 else f"{len(factors)} different ones"
    seen["anew"] = not np.array_equal(first.data, second.data, equal_nan=True)
    if 0 < zero.mean() < 1:  # else nothing shows for what was drawn
        seen["drawn for"] = "each " + next((name for name in whole if whole[name]), "number")
        if training and len(counts) == 1 and seen["anew"]:  # one mask for all calls has one count, too
            seen["drawn for"] = "a fixed share"
    seen["the seed decides"] = np.array_equal(first.data, again.data, equal_nan=True)
    if given.grad is not None:
        seen["gradient"] = bool(np.allclose(given.grad.data, factor, equal_nan=True))
    return seen


@probe
def shapes_dropped(shapes, seed):
    """The shapes of what dropout gives for an x of each of these shapes, in training."""
    rng = np.random.default_rng(seed)
    return [np.shape(numbers_of(dropout(Tensor(np.ones(shape)), 0.25, True, rng))) for shape in shapes]


def told(seen, *names):
    """What was seen under these names; where no Tensor of the right shape came back, what came instead."""
    return seen["answer"] if seen["factors"] is None else tuple(seen[name] for name in names)


@probe
def dropped(x, p, training, seed):
    """Two calls of dropout with one generator, and the gradient of x when ones arrive at the second."""
    rng, given = np.random.default_rng(seed), Tensor(x, requires_grad=True)
    first, second = dropout(given, p, training, rng), dropout(given, p, training, rng)
    second.backward(np.ones(x.shape))
    return first.data, second.data, None if given.grad is None else given.grad.data


# %% check="dropout" points=2
with exercise("dropout") as check:
    seen, other = dropout_seen(0.25, True, 7), dropout_seen(0.6, True, 7)
    check.close(seen["answer"], "Tensor of shape (200, 200)", "a Tensor of the shape of x")
    check.close(told(seen, "zeros", "factors"), (0.25, [0, 1.333]), "3/4 stay, times 4/3")
    check.close(told(other, "zeros", "factors"), (0.6, [0, 2.5]), "p = 0.6: 40 % stay")
    check.equal(shapes_dropped(SHAPES, 7), SHAPES, "an x of one axis, and one of three")
    check.close(seen["drawn for"], "each number", "a draw for each number, by itself")
    check.close(seen["anew"], True, "a second call draws anew")
    check.close(seen["the seed decides"], True, "the same seed, the same zeros: use rng")
    check.close(seen["gradient"], True, "the gradient: 0 where dropped, elsewhere 4/3")
    seen = dropout_seen(0.25, False, 7)
    check.close(told(seen, "factors", "gradient"), ([1.0], True), "in use: x itself")
    ### BEGIN HIDDEN TESTS
    for p in (0.3, 0.6):
        seed = check.rng.randrange(10**6)
        first, second, gradient = dropped(ROWS, p, True, seed)
        zero = first == 0
        check.close(first, np.where(zero, 0.0, ROWS / (1 - p)), "0 or divided by 1 - p")
        check.close(zero.mean(), p, "the share of zeros", atol=0.02)
        check.close(((second == 0) & zero).mean(), p * p, "two calls are independent", atol=0.02)
        shares = [*zero.mean(axis=0), *zero.mean(axis=1)]
        check.true(0 < min(shares) and max(shares) < 1, "each number is drawn on its own")
        check.close((zero[1:] & zero[:-1]).mean(), p * p, "rows are independent", atol=0.02)
        check.close((zero[:, 1:] & zero[:, :-1]).mean(), p * p, "columns are too", atol=0.02)
        check.close(gradient, np.where(second == 0, 0.0, 1 / (1 - p)), "the gradient")
        check.equal(dropped(ROWS, p, True, seed)[0], first, "the seed decides")
        check.true((dropped(ROWS, p, True, seed + 1)[0] != first).any(), "another seed, other zeros")
    rare = [dropped(ROWS, 0.005, True, check.rng.randrange(10**6))[0] == 0 for _ in range(2)]
    check.close(np.mean(rare), 0.005, "the share of zeros, however small p is", atol=0.002)
    used, again, gradient = dropped(ROWS[:3], 0.9, False, 3)
    check.close((used, again, gradient), (ROWS[:3], ROWS[:3], np.ones((3, 200))), "not training")
    zeros = [int((part == 0).sum()) for seed in range(15) for part in dropped(ROWS[:1, :8], 0.5, True, seed)[:2]]
    check.true(len(set(zeros)) > 1, f"p is a probability, no share: of eight numbers {zeros[0]} are 0 each time")
    first, _, gradient = dropped(ROWS[:2], 0.0, True, 3)
    check.close((first, gradient), (ROWS[:2], np.ones((2, 200))), "p = 0 drops nothing")
    for x in (ROWS[7], ROWS.reshape(40, 25, 40), ROWS[:8].reshape(2, 20, 4, 10), ROWS[:, :1]):
        first, second, gradient = dropped(x, 0.5, True, check.rng.randrange(10**6))
        check.close(first, np.where(first == 0, 0.0, 2 * x), "any number of axes")
        check.close(gradient, np.where(second == 0, 0.0, 2.0), "the gradient, for any number of axes")
        check.close((first == 0).mean(), 0.5, "the share of zeros", atol=0.4)
        for axis in (axis for axis, n in enumerate(x.shape) if n > 1):
            apart = (first == 0).any(axis=axis) != (first == 0).all(axis=axis)
            check.true(apart.any(), "each number is drawn on its own, along each axis")
    ### END HIDDEN TESTS
# %% [markdown]
# 150 digits, one seed. With p = 0 the loss on digits not seen rises again, while wrong labels are learnt by heart.
# Dropout slows that.


# %% given="dropout_module"
class Dropout(Module):
    def __init__(self, p, rng):
        self.p, self.rng = p, rng

    def forward(self, x):
        return dropout(x, self.p, self.training, self.rng)


# %% figure="overfitting"
def overfitting():
    pictures, labels = load_digits(flat=True)
    order = np.random.default_rng(0).permutation(len(labels))
    known, held = order[:150], order[150:750]
    given = labels[known].copy()
    given[::5] = np.random.default_rng(1).integers(0, 10, 30)
    curves = {}
    for p in (0.0, 0.5):
        rng = np.random.default_rng(0)
        model = Sequential(
            Linear(64, 128, rng), ReLU(), Dropout(p, rng),
            Linear(128, 128, rng), ReLU(), Dropout(p, rng), Linear(128, 10, rng),
        )
        parameters = model.named_parameters().values()
        at, seen, unseen = range(0, 300, 10), [], []
        for step in range(300):
            functional.cross_entropy(model.train()(Tensor(pictures[known])), given).backward()
            for parameter in parameters:
                parameter.data -= 0.2 * parameter.grad.data
                parameter.grad = None
            if step in at:
                model.eval()
                seen.append(functional.cross_entropy(model(Tensor(pictures[known])), given).item())
                out = model(Tensor(pictures[held]))
                unseen.append(functional.cross_entropy(out, labels[held]).item())
        curves |= {f"p = {p}: learnt": (at, seen), f"p = {p}: not seen": (at, unseen)}
        share = (out.data.argmax(axis=1) == labels[held]).mean()
        print(f"p = {p}: {share:.1%} of the digits not seen are read, loss {unseen[-1]:.2f}, at best {min(unseen):.2f}")
    worse = [curves[f"p = {p}: not seen"][1] for p in (0.0, 0.5)]
    assert worse[0][-1] > worse[1][-1] + 0.1 and worse[0][-1] > min(worse[0]) + 0.05
    title = "150 digits, every fifth label drawn at random"
    plots.lines(curves, log="y", xlabel="step", ylabel="loss", title=title)


overfitting()

# %% [markdown]
# Without `eval()`? One question, four times in each mode:

# %%
layer, x = Dropout(0.5, np.random.default_rng(0)), Tensor([1.0, 2.0, 3.0])
print("training:", [layer(x).data.tolist() for _ in range(4)])
layer.eval()
print("in use:  ", [layer(x).data.tolist() for _ in range(4)])

# %% [markdown]
# ## 9. Bug hunt
#
# A colleague's network is to learn x1 - x2 + 1. **Four things are wrong with it**, and a loss
# does not say which. You have the tools: `named_parameters`, `grad` after a backward pass, the std of what a layer sends on,
# the same question twice after `eval()`. Measure first, then mend.


# %% given="colleague"
class Colleague(Module):
    """3 numbers, 8 tanh neurons, dropout with p = 0.5, 1 number."""

    def __init__(self, rng):
        self.rng = rng
        self.first = Parameter(rng.normal(0.0, 10.0, (8, 3)))
        self.shift = Tensor(np.zeros(8), requires_grad=True)
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 8)))

    def forward(self, x):
        hidden = (x @ self.first.T + self.shift).tanh()
        keep = self.rng.random(hidden.shape) >= 0.5
        hidden = Tensor(hidden.data * keep / 0.5)
        return hidden @ self.second.T


def difference(net, steps):
    """Train a network to give x1 - x2 + 1; its loss in use, before and after."""
    x, losses = np.random.default_rng(1).normal(size=(50, 3)), []

    def loss():
        return ((net(Tensor(x)) - (x[:, :1] - x[:, 1:2] + 1)) ** 2).mean()

    for more in (0, steps):
        net.train()
        for _ in range(more):
            loss().backward()
            for p in net.named_parameters().values():
                p.data -= 0.0 if p.grad is None else 0.1 * p.grad.data
                p.grad = None
        net.eval()
        losses.append(loss().item())
    return losses


# %%
before, after = difference(Colleague(np.random.default_rng(0)), 500)
print(f"loss {before:.2f} at first, {after:.2f} after 500 steps")

# %%
net = Colleague(np.random.default_rng(0))
question = Tensor(np.random.default_rng(1).normal(size=(50, 3)))
print("answers:", net(question).data[:3].ravel().round(2))  # measure here

# %% [markdown]
# ### Exercise `mended_net` (3 points)
# Write the class again, mended, with the same `__init__`, attributes and shapes, and nothing more to train. Use `np`
# and the methods of Tensor; draw `first` and `second` from `rng`, with mean 0; `shift` begins at 0. With all four
# mended the loss below falls under 0.2; with three, it does not.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each tool shows one bug. What does a tanh give for the sums that it gets here?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# self.first = Parameter(rng....)     # how large?
# self.shift = ...                    # what does `owned` look for?
#
# hidden = ...                        # as it was
# if self...:                         # only then drop
#     hidden = hidden * ...           # on Tensors: no .data
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `first` has no gradient: a new `Tensor(...)` of numbers knows nothing of the past. In use, the answer is half or twice
# as large: dropout scales in training only.
# </details>


# %% exercise="mended_net"
class MendedNet(Module):
    """3 numbers, 8 tanh neurons, dropout with p = 0.5, 1 number."""

    def __init__(self, rng):
        ### BEGIN SOLUTION
        self.rng = rng
        self.first = Parameter(rng.normal(0.0, 0.5, (8, 3)))
        self.shift = Parameter(np.zeros(8))
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 8)))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        hidden = (x @ self.first.T + self.shift).tanh()
        if self.training:
            keep = self.rng.random(hidden.shape) >= 0.5
            hidden = hidden * (keep / 0.5)
        return hidden @ self.second.T
        ### END SOLUTION


# %% probes="mended_net"
NAMES = ("first", "shift", "second")
KINDS = ["Parameter (8, 3)", "Parameter (8,)", "Parameter (1, 8)"]
START = ["rows apart", *["mean 0, std from 0.1 to 1.2"] * 2, "0", "drawn from rng"]
PAIR = np.array([[1.0, -2.0, 0.5], [0.3, 0.9, -1.2]])
MANY = np.repeat(PAIR, 20, axis=0)
MASKS = np.stack(np.meshgrid(*[[0.0, 2.0]] * 8), axis=-1).reshape(256, 8)


@probe
def net_facts(seed):
    """What the attributes of a MendedNet are, and where their first numbers come from, in words:
    the numbers are your own affair."""
    nets = [MendedNet(np.random.default_rng(s)) for s in (seed, seed, seed + 1)]
    parts = [getattr(nets[0], name) for name in NAMES]
    if not all(isinstance(part, Tensor) for part in parts):
        return {"found": [f"{type(part).__name__} {np.shape(part)}" for part in parts], "start": None}
    one, again, other = [[getattr(net, name).data for name in NAMES] for net in nets]
    # Only what is a Module or a Parameter can be one more: the network's own, and those of a dropout that it keeps.
    held = [x for module in (nets[0], *vars(nets[0]).values()) if isinstance(module, Module) for x in vars(module).values()]
    more = [x for x in held if isinstance(x, Parameter) and not any(x is part for part in parts)]
    same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, again))
    apart = len(np.unique(one[0].round(6), axis=0)) == len(one[0])
    by_rng = same and all((one[i] != other[i]).all() for i in (0, 2))
    drawn = [MendedNet(np.random.default_rng(s)) for s in range(20)]
    spread = []
    for name in ("first", "second"):
        mean, std = (f([getattr(net, name).data for net in drawn]) for f in (np.mean, np.std))
        # The bounds are 0.1 and 1.2; a std of just that may come out smaller or larger by chance; no mean is quite 0.
        where = "0" if abs(mean) <= std / 2 else "above 0" if mean > 0 else "below 0" if mean < 0 else "NaN"
        size = "below 0.1" if std < 0.08 else "above 1.2" if std > 1.4 else "from 0.1 to 1.2" if std >= 0 else "NaN"
        spread.append(f"mean {where}, std {size}")
    return {
        "found": [f"{type(part).__name__} {part.shape}" for part in parts + more],
        "start": [
            f"rows {'apart' if apart else 'equal'}",
            *spread,
            "not 0" if one[1].any() else "0",
            f"{'' if by_rng else 'not '}drawn from rng",
        ],
    }


@probe
def net_run(seed, x, training):
    """Arrays put into a MendedNet, its two answers to x, and the gradients of its attributes by the second."""
    net, drawn = MendedNet(np.random.default_rng(seed)), np.random.default_rng(seed)
    for name in NAMES:  # whatever it began with
        getattr(net, name).data = drawn.normal(0.0, 0.5, getattr(net, name).shape)
    for module in (net, *vars(net).values()):
        if isinstance(module, Module):
            module.training = training
    given = Tensor(x)
    first, second = net(given), net(given)
    second.backward(np.ones(second.shape))
    parts = [getattr(net, name) for name in NAMES]
    gradients = [None if part.grad is None else part.grad.data for part in parts]
    return [part.data for part in parts], first.data, second.data, gradients


@probe
def net_starts(seeds):
    """The first weights of some MendedNets: all of `first`, all of `second`."""
    nets = [MendedNet(np.random.default_rng(seed)) for seed in seeds]
    return [np.stack([getattr(net, name).data for net in nets]) for name in ("first", "second")]


def hidden_of(arrays, x):
    """The eight tanh neurons, for each row of x."""
    return np.tanh(x @ arrays[0].T + arrays[1])


def dropped_in(answer, arrays, x):
    """For each row of x, which neurons are 0 in this answer, the others doubled; None if there is no such choice."""
    possible = (hidden_of(arrays, x)[:, None] * MASKS) @ arrays[2][0]
    near = np.abs(possible - answer)
    return MASKS[near.argmin(axis=1)] == 0 if (near.min(axis=1) < 1e-9).all() else None


def only_drops(answer, arrays, x):
    return dropped_in(answer, arrays, x) is not None


def share_of_zeros(answer, arrays, x):
    return dropped_in(answer, arrays, x).mean()


def drawn_anew(out, again):
    """What two answers show of the draws: equal rows have answers of their own, and so has each call."""
    return ["each row"] * (len(np.unique(out.round(9))) > 4) + ["each call"] * bool((out != again).any())


# %% check="mended_net" points=3
with exercise("mended_net") as check:
    facts = net_facts(0)
    check.close(facts["found"], KINDS, "three Parameters, of these shapes, and no more")
    check.close(facts["start"], START, "how `first`, `second` and `shift` begin")
    arrays, out, again, _ = net_run(0, PAIR, False)
    check.close((out, again), (hidden_of(arrays, PAIR) @ arrays[2].T,) * 2, "no drops")
    arrays, out, again, gradients = net_run(0, MANY, True)
    check.true(all(g is not None for g in gradients), "a gradient arrives at all three")
    check.true(only_drops(out, arrays, MANY), "training: each tanh becomes 0 or doubles")
    check.close(share_of_zeros(out, arrays, MANY), 0.5, "training: half are 0", atol=0.15)
    check.equal(drawn_anew(out, again), ["each row", "each call"], "training: drawn anew")
    check.equal(net_run(0, MANY, True)[1], out, "the same seed, the same drops: use rng")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    shares, alone = [], []
    for (x,) in check.cases(5, array(6, 3)):
        seed = check.rng.randrange(10**6)
        arrays, out, again, gradients = net_run(seed, x, False)
        tensors = [nn.Parameter(a) for a in arrays]
        expected = (Tensor(x) @ tensors[0].T + tensors[1]).tanh() @ tensors[2].T
        expected.backward(np.ones(expected.shape))
        check.close((out, again), (expected.data, expected.data), "in use: no dropout")
        check.close(gradients, [t.grad.data for t in tensors], "the gradients")
        arrays, out, again, _ = net_run(seed, x[:1], True)
        alone += [dropped_in(answer, arrays, x[:1]) for answer in (out, again)]
        x = np.repeat(x, 10, axis=0)
        arrays, out, again, gradients = net_run(seed, x, True)
        zero = [dropped_in(answer, arrays, x) for answer in (out, again)]
        check.true(all(z is not None for z in zero), "in training: dropout")
        shares += [z.mean() for z in zero]
        check.true((out != again).any(), "each call draws anew")
        check.true(len(np.unique(out.round(9))) > 12, "each row is drawn")
        check.true(all(g is not None for g in gradients), "gradients, in training too")
        check.true(np.abs(gradients[0]).sum() > 0, "the first layer learns")
    check.close(np.mean(shares), 0.5, "half of the neurons are dropped", atol=0.07)
    check.true(any(z is not None and z.any() for z in alone), "in training: dropout for a single row as well")
    one, again, two = (net_run(seed, PAIR, False)[0] for seed in (1, 1, 2))
    check.equal(again, one, "the same seed gives the same weights")
    check.close(len(np.unique(one[0].round(6), axis=0)), 8, "no two neurons begin equal")
    check.true((one[0] != two[0]).all() and (one[2] != two[2]).all(), "another seed gives others")
    check.equal(net_run(1, MANY, True)[1:3], net_run(1, MANY, True)[1:3], "and so do the drops")
    drops = [dropped_in(out, arrays, MANY) for arrays, out, _, _ in (net_run(s, MANY, True) for s in (1, 2))]
    check.true((drops[0] != drops[1]).any(), "drawn from the rng that is given: another seed drops others")
    counts = drops[0].sum(axis=1)
    check.true(counts.min() < counts.max(), "each neuron is dropped or not by itself: not as many in each row")
    starts = net_starts([check.rng.randrange(10**6) for _ in range(40)])
    taken = np.mean([np.isin(second, first).all() for first, second in zip(*starts)])
    check.true(taken < 0.5, "`second` is drawn, and not taken from `first`")
    for weights in starts:
        check.true(0.08 < weights.std() < 1.4, "first weights of a std between 0.1 and 1.2")
        check.true(abs(weights.mean()) < weights.std() / 4, "as many first weights below 0 as above")
    ### END HIDDEN TESTS
# %%
before, after = difference(MendedNet(np.random.default_rng(0)), 500)
print(f"mended: loss {before:.2f} at first, {after:.2f} after 500 steps")

# %% [markdown]
# ## In your own words
# Somebody asks: "Why do my 50 relu layers not learn, when 3 did?" Answer in three sentences.
#
# <details><summary>One way to say it</summary>
#
# Each layer multiplies the size of the numbers by about the same factor, with PyTorch's default by about 0.4. In three
# layers that is a fifteenth, in fifty nothing is left of the input, nor of the gradients. Draw the weights with the
# variance 2 / fan-in, so that the factor is 1, or set the size anew in each layer, by LayerNorm.
# </details>
#
# ## The same in PyTorch
# Where PyTorch is installed, this cell compares the gradients of a layer, its norm and its relu with yours.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
x, w, b = rng.normal(size=(5, 3)), he_normal(3, 4, rng), rng.normal(size=4)
mine = [Tensor(array, requires_grad=True) for array in (x, w, b)]
layer_norm(linear(*mine), Tensor(np.ones(4)), Tensor(np.zeros(4))).relu().sum().backward()
try:
    import torch

    theirs = [torch.tensor(array, requires_grad=True) for array in (x, w, b)]
    out = torch.nn.functional.linear(*theirs)
    torch.nn.functional.layer_norm(out, (4,)).relu().sum().backward()
    far = max(abs(m.grad.data - t.grad.numpy()).max() for m, t in zip(mine, theirs))
    print("all three gradients agree with PyTorch's:", far < 1e-10)
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `Parameter`, `Module`, `named_parameters()`, `train()`, `eval()` | the same names in `torch.nn` |
# | a list of modules in an attribute | `nn.ModuleList` (a plain list is **not** searched there) |
# | `xavier_uniform`, `he_normal` | `nn.init.xavier_uniform_`, `nn.init.kaiming_normal_` |
# | `dropout`, `layer_norm` | `nn.Dropout`, `nn.LayerNorm` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the loss stays at its first value | first weights too small for the depth, or all 0 |
# | each layer acts as one neuron | equal first weights |
# | part of the network never changes | a Tensor that is no Parameter, or is hidden in a dict |
# | two answers to one question | `eval()` was forgotten |
#
# ## One thing to try next
# Words are ids: 0, 1, 2. Write an **Embedding**, a Module whose Parameter has a row for each id; its `forward`
# looks them up: `self.weight[ids]`. Which rows get a gradient?
#
# ## Who found it
#
# | when | who | what |
# |---|---|---|
# | 1998 | Yann LeCun and others | [Efficient BackProp](http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf): variance 1/n |
# | 2010 | Xavier Glorot, Yoshua Bengio | [both fans](https://proceedings.mlr.press/v9/glorot10a.html), by plots like yours |
# | 2014 | Nitish Srivastava and others | [Dropout](https://jmlr.org/papers/v15/srivastava14a.html) |
# | 2015 | Kaiming He and others | [2/n for relu](https://arxiv.org/abs/1502.01852); 30 layers that Xavier's start could not train |
# | 2016 | Jimmy Lei Ba and others | [LayerNorm](https://arxiv.org/abs/1607.06450) |
#
# Read He's section 2.2 first: it is your section 4, in two pages.

# %% progress="here"
