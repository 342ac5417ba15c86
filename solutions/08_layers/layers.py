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
# Twenty relu layers learn sin(x), twice, with the same steps. Only the first random weights differ. One network ends as
# a flat line.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import Tensor, plots

    def ours(fan_in, fan_out, rng):
        std = 0.25 if fan_in == 32 else 2**0.5  # why, is what this unit is about
        return rng.normal(0.0, std, (fan_out, fan_in)), np.zeros(fan_out)

    def pytorch(fan_in, fan_out, rng):
        a = 1 / np.sqrt(fan_in)
        return rng.uniform(-a, a, (fan_out, fan_in)), rng.uniform(-a, a, fan_out)

    x = np.linspace(-3.0, 3.0, 64)[:, None]
    fits, losses = {}, {}
    for name, draw in {"PyTorch's default": pytorch, "weights of this unit": ours}.items():
        rng = np.random.default_rng(1)
        layers = [draw(a, b, rng) for a, b in zip([1, *[32] * 20], [*[32] * 20, 1])]
        layers = [[Tensor(array, requires_grad=True) for array in pair] for pair in layers]
        losses[name] = []
        for _ in range(300):
            h = Tensor(x)
            for weight, bias in layers:
                out = h @ weight.T + bias
                h = out.relu()
            loss = ((out - np.sin(x)) ** 2).mean()
            loss.backward()
            losses[name].append(loss.item())
            for p in (p for pair in layers for p in pair):
                p.data -= 0.005 * p.grad.data
                p.grad = None
        fits[name] = x, out.data
    assert losses["PyTorch's default"][-1] > 0.5 > 0.05 > losses["weights of this unit"][-1]
    left, right = plots.panels(2)
    plots.lines({**fits, "sin(x)": (x, np.sin(x))}, ax=left, title="after 300 steps", xlabel="x")
    plots.learning_curves(losses, ax=right, log=True, title="loss")
    right.get_legend().remove()


goal()

# %% setup="imports"
import numpy as np

from autograd_ref import Tensor, functional, plots
from autograd_ref.data.digits import load_digits
from autograder import exercise, predicted, probe, recall

X = np.linspace(-3.0, 3.0, 64)[:, None]


def pytorch_uniform(fan_in, fan_out, rng):
    """PyTorch's first weights for a linear layer, (fan_out, fan_in)."""
    return rng.uniform(-1, 1, (fan_out, fan_in)) / np.sqrt(fan_in)


def normal(std):
    """A start with normal weights of this std."""
    return lambda fan_in, fan_out, rng: rng.normal(0.0, std, (fan_out, fan_in))


def deep(start, seed=1):
    """The (weight, bias) of 20 layers of 32 neurons, from 1 number to 1, as `start` draws them."""
    rng, layers = np.random.default_rng(seed), []
    for fan_in, fan_out in zip([1, *[32] * 20], [*[32] * 20, 1]):
        bias = pytorch_uniform(fan_in, fan_out, rng)[:, 0] if start is pytorch_uniform else np.zeros(fan_out)
        arrays = start(fan_in, fan_out, rng), bias
        layers.append(tuple(Tensor(array, requires_grad=True) for array in arrays))
    return layers


def outputs(layers, x, norm=lambda h: h):
    """The network's outputs, and what each relu layer sends on."""
    sent = [Tensor(x)]
    for weight, bias in layers[:-1]:
        sent.append(norm(sent[-1] @ weight.T + bias).relu())
    weight, bias = layers[-1]
    return sent[-1] @ weight.T + bias, sent[1:]


def learn(layers, rate=0.005, steps=300, norm=lambda h: h):
    """Plain gradient descent on sin(x); the losses."""
    losses = []
    with np.errstate(all="ignore"):
        for _ in range(steps):
            loss = ((outputs(layers, X, norm)[0] - np.sin(X)) ** 2).mean()
            loss.backward()
            losses.append(loss.item())
            for p in (p for pair in layers for p in pair):
                p.data -= rate * p.grad.data
                p.grad = None
    return losses

# %% [markdown]
# At the end you will be able to
#
# - say how large first weights must be, and derive it;
# - measure where in a deep network the numbers die or explode, and mend it with LayerNorm;
# - build modules as PyTorch does, however nested, and dropout with its two modes;
# - find a network that looks right and does not learn.
#
# `Tensor` is the engine of units 05 to 07, finished. **Time:** about 90 minutes. **Builds on:** 05, 06 and 07.
#
# **Three questions first,** from earlier units; nobody counts. Fill in the first line and run it.
#
# - *unit 05*: `a` is the column 2, -1, 4 and `b` the row 3, 7. L is the sum of `a * b`. What is `b.grad`?
# - *unit 06*: `x` has the rows (1, 2) and (3, 5), `w` is (2, 1). L is the sum of `x @ w`. What is `w.grad`, as two numbers?
# - *unit 06, ties*: L is the maximum of 4, 9, 9, 1. What does the first 9 get?

# %%
answers = {"unit 05": None, "unit 06": None, "unit 06, ties": None}


def grad_of(L, *tensors):
    L.backward()
    return [t.grad.data.ravel() for t in tensors]


a, b = Tensor([[2.0], [-1], [4]]), Tensor([3.0, 7], requires_grad=True)
x, w = Tensor([[1.0, 2], [3, 5]]), Tensor([[1.0], [1]], requires_grad=True)
t = Tensor([4.0, 9, 9, 1], requires_grad=True)
recall(
    answers,
    {
        "unit 05": lambda: grad_of((a * b).sum(), b)[0],
        "unit 06": lambda: grad_of((x @ w).sum(), w)[0],
        "unit 06, ties": lambda: grad_of(t.max(), t)[0][1],
    },
)

# %% [markdown]
# ## 1. A network that does not learn
#
# The flat line above starts from the weights that PyTorch gives a linear layer. After 300 steps its loss is that of the
# answer 0 everywhere.
#
# **Predict, then run.** Why? **A**: the steps are too small. **B**: the gradients are too large. **C**: what the last layer
# sends on hardly depends on `x`. **D**: 32 neurons in a layer are too few for a sine.

# %%
prediction = None

if predicted(prediction, "why_it_does_not_learn"):
    layers = deep(pytorch_uniform)
    out, sent = outputs(layers, X)
    print("at first: std of its 64 answers", f"{out.data.std():.0e}")
    for rate in (0.005, 0.05, 0.5):
        print(f"rate {rate}: loss {learn(deep(pytorch_uniform), rate)[-1]:.4f} after 300 steps")
    print("largest gradient of the first weights:", end=" ")
    out.sum().backward()
    print(f"{abs(layers[0][0].grad.data).max():.0e}")

# %% [markdown]
# C: all 64 answers are the same number, and larger steps do not help. Somewhere on the way `x` gets lost. Where?
#
# ## 2. One layer, then twenty
#
# In unit 04 a layer was a list of neurons. Now the weights of one neuron are a *row* of a matrix, so `weight` has the
# shape (out, in). With one example in each row of `x`:
#
# $$\mathrm{out} = x\, W^T + b$$
#
# With weights 2, 0, 1 and the bias 10, the example (1, 5, 3) becomes 2 · 1 + 0 · 5 + 1 · 3 + 10 = 15.
#
# ### Exercise `linear` (2 points)
# Write it for Tensors. `x` has shape (..., in), the result (..., out). A layer without a bias gets `None`.
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
    """What linear gives for Tensors of these arrays."""
    return numbers_of(linear(*map(Tensor, arrays)))


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
    check.close(linear_without_bias(x, w), out - b, "no bias: 2 + 0 + 3, and 1 + 5 - 3")
    check.close(linear_of(x, w, b), out, "with the bias 10 and -4: 5 + 10, and 3 - 4")
    check.close(linear_of(x[0], w, b), out[0], "one example alone, of shape (3,)")
    x3 = np.stack([x, x, x])
    check.close(linear_of(x3, w, b), np.stack([out, out, out]), "an x of shape (3, 2, 3)")
    g, b_grad = np.array([[1.0, 0], [2, -1]]), np.array([3.0, -1])
    expected = (out, g @ w, g.T @ x, b_grad)
    check.close(linear_gradients(g, x, w, b), expected, "the gradients of x, weight, bias")
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
    for x, w, b in check.cases(4, array(4, 2, 3), array(5, 3), array(5)):
        check.close(linear_of(x, w, b), x @ w.T + b, "more axes in front")
        check.close(linear_without_bias(x, w), x @ w.T, "no bias")
    ### END HIDDEN TESTS
# %% [markdown]
# ### Exercise `layer_stds` (2 points)
# The instrument of this unit. Arrays only, no bias: send `x` through the layers, times the transposed weights, then the
# activation. Return the list of the standard deviations (std) of what each layer sends on.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A loop over the weights, with a new `x` in each round.
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
# One number too many: the std of the input was noted as well. Too large: it was taken before the activation.
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
    stds = layer_stds(x, weights, known[activation])
    return [np.asarray(s).tolist() for s in stds] if isinstance(stds, (list, tuple, np.ndarray)) else stds


# %% check="layer_stds" points=2
with exercise("layer_stds") as check:
    x, double = np.array([[1.0, 3.0], [-2.0, 2.0]]), 2.0 * np.eye(2)
    both = [np.array([[2.0, -1.0], [1.0, 1.0]]), np.array([[3.0, 2.0]])]
    check.close(stds_of(x, [double], "none"), [np.sqrt(14)], "2, 6, -4, 4: the mean is 2")
    check.close(stds_of(x, both, "relu"), [np.sqrt(3), 4.0],
                "relu makes 0, 4, 0, 0 of -1, 4, -6, 0; then 8 and 0 from the second layer")
    check.close(stds_of(x, [double], "relu"), [np.sqrt(5)], "2, 6, 0, 4: after the relu")
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
    ### END HIDDEN TESTS
# %% [markdown]
# Point it at three starts. On a logarithmic axis each is a straight line: every layer multiplies by about the same
# number.


# %% given="stds_of_start"
def relu(x):
    return np.maximum(x, 0.0)


def stds_of_start(start, width=128, layers=20, seed=0):
    """Normal inputs of std 1 through relu layers whose weights `start` draws."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, width))
    return layer_stds(x, [start(width, width, rng) for _ in range(layers)], relu)


# %% figure="three_starts"
def three_starts():
    found = {
        "std 0.25": stds_of_start(normal(0.25)),
        "PyTorch's default": stds_of_start(pytorch_uniform),
        "std 0.02": stds_of_start(normal(0.02)),
    }
    for name, stds in found.items():
        print(f"{name}: times {(stds[-1] / stds[0]) ** (1 / 19):.2f} in each layer, {stds[-1]:.0e} at the end")
    assert found["PyTorch's default"][-1] < 1e-7 < 1e5 < found["std 0.25"][-1]
    plots.layer_statistics(found, title="20 relu layers, 128 neurons each")


three_starts()

# %% [markdown]
# There `x` is lost: a factor below 1, twenty times over. Above 1 the numbers grow without end. Both have a name:
# *vanishing* and *exploding*.
#
# ## 3. Your turn: a start that lasts
#
# ### Exercise `own_start` (3 points)
# **An empty page.** Find first weights for relu layers of any width, so that the numbers last. `own_start(width, rng)`
# returns an array (width, width), drawn from `rng` (a NumPy generator, so that a run can be repeated). The check sends
# inputs through twenty layers of 60, 120 and 240 neurons: after each, their std has to lie between 0.1 and 10. How you find
# it is up to you; `stds_of_start` of the cell above is at hand.
#
# <details><summary>Hint 1: how to search</summary>
#
# `stds_of_start(normal(0.1), width=60)[-1]`: keep the width and change the std. Two tries around 1 are enough to go on
# by halving.
# </details>
# <details><summary>Hint 2: what to look for</summary>
#
# Do it for two widths. Divide the two numbers that you found; compare with the ratio of the widths, and with its root.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Right for one width only: the std has to fall with the width. Each run differs: `np.random` is not `rng`.
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
    return {
        "type": "ndarray",
        "shape": str(first.shape),
        "the seed decides": np.array_equal(first, again),
        "the next layer is another": not np.array_equal(first, second),
        "neurons that differ": len(np.unique(first, axis=0)) if first.ndim else 0,
        "share of zeros": round(float((first == 0).mean()), 2),
    }


@probe
def twenty_starts(width, seeds):
    """Twenty layers of own_start for each seed, as lists of arrays."""
    networks = [[own_start(width, rng) for _ in range(20)] for rng in map(np.random.default_rng, seeds)]
    return [[weight.astype("float32") for weight in weights] for weights in networks]


def lowest_and_highest(networks, seed):
    """The lowest and the highest std after any layer, each the middle one of some networks: a
    single narrow network may drift by chance."""
    found, rng = [], np.random.default_rng(seed)
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
    check.true(seen["the seed decides"], "the same seed, the same weights: draw from rng")
    check.true(seen["the next layer is another"], "a second call gives other weights")
    for width, many in ((60, 7), (120, 3), (240, 1)):
        low, high = lowest_and_highest(twenty_starts(width, [*range(many)]), 7)
        check.true(low > 0.1, f"{width} neurons: the std falls to {low:.1e}")
        check.true(high < 10, f"{width} neurons: the std grows to {high:.1e}")
    ### BEGIN HIDDEN TESTS
    for width, count in ((80, 7), (180, 2)):
        seeds = [check.rng.randrange(10**6) for _ in range(count)]
        networks = twenty_starts(width, seeds)
        low, high = lowest_and_highest(networks, seeds[0])
        check.true(0.1 < low and high < 10, f"{width} neurons: from {low:.1e} to {high:.1e}")
        weight = networks[0][0]
        check.true(len(np.unique(weight.round(9), axis=0)) == width, "no two neurons are equal")
        check.true((networks[0][0] != networks[1][0]).any(), "another seed gives other weights")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. Why it is the square root of 2/n
#
# An output is a sum of $n$ products of a weight and an input. With weights of mean 0 the products are steps in random
# directions: their mean squares add up. With *rms* for the root of a mean square:
#
# $$\mathrm{rms_{out}} = \sqrt{n} \cdot \mathrm{std_w} \cdot \mathrm{rms_{in}}$$
#
# **Predict, then run.** 20 layers of 100 neurons *without* activation, weights of std 0.2, inputs of rms 1. The rms after
# one layer? After all 20?

# %%
prediction = (None, None)

rng = np.random.default_rng(1)
weights = [rng.normal(0.0, 0.2, (100, 100)) for _ in range(20)]
x = rng.normal(size=(500, 100))
found = layer_stds(x, weights, lambda a: a)
if predicted(prediction, "twenty_layers"):
    print(f"after one layer: {found[0]:.1f}   after all: {found[-1]:.1e}   2**20: {2**20:.1e}")
    half = (relu(x @ weights[0].T) ** 2).mean() / ((x @ weights[0].T) ** 2).mean()
    print(f"and relu leaves {half:.2f} of the mean square")

# %% [markdown]
# relu sets the negative half to 0, and half of the mean square goes with it. For a factor of 1 the weights make up for it:
# $n \cdot \mathrm{std_w}^2 \cdot \frac12 = 1$, so $\mathrm{std_w} = \sqrt{2/n}$. Is that what you found? PyTorch's default
# has the variance $1/(3n)$: the mean square shrinks to a sixth in each layer, the rms to $\sqrt{1/6} = 0.41$.
#
# Which $n$, if a layer has more inputs than outputs? An output adds up its *inputs*, so it is the **fan-in**.
#
# ### Exercise `he_normal` (1 point)
# Return normal random numbers of mean 0 and variance $2/\mathrm{fan_{in}}$, drawn from `rng`: an array (fan_out, fan_in).
#
# <details><summary>Hint 1: a sketch</summary>
#
# `rng.normal(mean, std, shape)`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return rng.normal(0.0, ..., ...)   # the std is a root
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Far too small: `rng.normal` takes the standard deviation, not the variance.
# </details>


# %% exercise="he_normal"
def he_normal(fan_in, fan_out, rng):
    """First weights (fan_out, fan_in), normal, of variance 2 / fan_in."""
    ### BEGIN SOLUTION
    return rng.normal(0.0, np.sqrt(2 / fan_in), (fan_out, fan_in))
    ### END SOLUTION


# %% probes="he_normal"
def looks_of(draw, fan_in, fan_out, seed, std):
    """What the weights look like that `draw` draws, measured in parts of `std` and rounded."""
    rng = np.random.default_rng(seed)
    first, second = draw(fan_in, fan_out, rng), draw(fan_in, fan_out, rng)
    again = draw(fan_in, fan_out, np.random.default_rng(seed))
    if not isinstance(first, np.ndarray):
        return {"type": None if first is None else type(first).__name__}
    scaled = np.atleast_2d(first) / std
    return {
        "type": "ndarray",
        "shape": str(first.shape),
        "mean": round(float(scaled.mean()), 1) + 0.0,
        "std": round(float(scaled.std()), 1),
        "beyond one std": round(float((np.abs(scaled) > 1).mean()), 1),
        "the neurons differ": bool((np.ptp(scaled, axis=0) > 0).all()),
        "the second draw differs": not np.array_equal(first, second),
        "the seed decides": np.array_equal(first, again),
    }


@probe
def he_seen(fan_in, fan_out, seed, std):
    """What the weights of he_normal look like, measured in parts of `std` and rounded."""
    return looks_of(he_normal, fan_in, fan_out, seed, std)


@probe
def he_drawn(fan_in, fan_out, seed):
    """Two draws of he_normal, one after the other, from a generator with this seed."""
    rng = np.random.default_rng(seed)
    return he_normal(fan_in, fan_out, rng), he_normal(fan_in, fan_out, rng)


# %% check="he_normal" points=1
with exercise("he_normal") as check:
    # 60,000 numbers: a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = he_seen(300, 200, 5, np.sqrt(2 / 300))
    check.close(seen["type"], "ndarray", "a NumPy array")
    check.close(seen["shape"], "(200, 300)", "a weight has the shape (fan_out, fan_in)")
    check.close(seen["mean"], 0.0, "as many below 0 as above")
    check.close(seen["std"], 1.0, "as large as wanted: the variance is 2 / 300")
    check.close(seen["beyond one std"], 0.3, "normal: 32 %; of uniform numbers 42 %")
    check.true(seen["the neurons differ"], "each row is drawn")
    check.true(seen["the second draw differs"], "the next layer gets other numbers")
    check.true(seen["the seed decides"], "the same seed gives the same numbers: use rng")
    ### BEGIN HIDDEN TESTS
    for fan_in, fan_out in ((100, 700), (900, 80)):
        w, again = he_drawn(fan_in, fan_out, check.rng.randrange(10**6))
        std = np.sqrt(2 / fan_in)
        check.close(w.shape, (fan_out, fan_in), "the shape")
        check.close(w.mean() / std, 0.0, "centred at 0", atol=0.03)
        check.close(w.std() ** 2, std**2, "the variance", rtol=0.04)
        check.close((np.abs(w) > 2 * std).mean(), 0.0455, "normal", atol=0.007)
        check.true((np.ptp(w, axis=0) > 0).all() and (np.ptp(w, axis=1) > 0).all(), "all are drawn")
        check.true((w != again).any(axis=1).all(), "the next layer gets other numbers")
    check.equal(he_drawn(30, 20, 1), he_drawn(30, 20, 1), "the seed decides")
    ### END HIDDEN TESTS
# %% [markdown]
# On the way back a gradient goes through the same weights the other way, and adds up over the *outputs*: the
# **fan-out**. From 400 neurons to 100, with inputs and gradients of std 1:

# %%
rng = np.random.default_rng(4)
x, g = rng.normal(size=(500, 400)), rng.normal(size=(500, 100))
for name, variance in {"1 / fan_in": 1 / 400, "1 / fan_out": 1 / 100, "2 / both": 2 / 500}.items():
    weight = rng.normal(0.0, np.sqrt(variance), (100, 400))
    print(f"{name:11}: outputs {(x @ weight.T).std():.2f}, gradients {(g @ weight).std():.2f}")

# %% [markdown]
# No choice serves both. Xavier Glorot's compromise, for tanh and other activations that are nearly straight around 0, is
# the variance $2 / (\mathrm{fan_{in}} + \mathrm{fan_{out}})$. Uniform numbers between $-a$ and $a$ have the variance
# $a^2/3$. So
#
# $$a = \sqrt{\frac{6}{\mathrm{fan_{in}} + \mathrm{fan_{out}}}}$$
#
# ### Exercise `xavier_uniform` (2 points)
# Return uniform random numbers between $-a$ and $a$, drawn from `rng`: an array (fan_out, fan_in).
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
# All numbers positive: `rng.uniform(a)` goes from a to 1. Another array on each run: `np.random` is not `rng`.
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
    return looks_of(xavier_uniform, fan_in, fan_out, seed, std)


@probe
def xavier_drawn(fan_in, fan_out, seed):
    """Two draws of xavier_uniform, one after the other, from a generator with this seed."""
    rng = np.random.default_rng(seed)
    return xavier_uniform(fan_in, fan_out, rng), xavier_uniform(fan_in, fan_out, rng)


# %% check="xavier_uniform" points=2
with exercise("xavier_uniform") as check:
    # 60,000 numbers: a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = xavier_seen(300, 200, 5, np.sqrt(2 / 500))
    check.close(seen["type"], "ndarray", "a NumPy array")
    check.close(seen["shape"], "(200, 300)", "a weight has the shape (fan_out, fan_in)")
    check.close(seen["mean"], 0.0, "as many below 0 as above")
    check.close(seen["std"], 1.0, "as large as wanted: the variance is 2 / (300 + 200)")
    check.close(seen["beyond one std"], 0.4, "uniform: 42 %; of normal numbers 32 %")
    check.true(seen["the neurons differ"], "each row is drawn")
    check.true(seen["the second draw differs"], "the next layer gets other numbers")
    check.true(seen["the seed decides"], "the same seed gives the same numbers: use rng")
    ### BEGIN HIDDEN TESTS
    for fan_in, fan_out in ((100, 700), (900, 80)):
        w, again = xavier_drawn(fan_in, fan_out, check.rng.randrange(10**6))
        a = np.sqrt(6 / (fan_in + fan_out))
        check.close(w.shape, (fan_out, fan_in), "the shape")
        check.close(w.mean() / a, 0.0, "centred at 0", atol=0.03)
        check.close(w.std() ** 2, a**2 / 3, "the variance", rtol=0.03)
        check.true(np.abs(w).max() <= a, "no number is larger than a")
        check.close((np.abs(w) < a / 2).mean(), 0.5, "half of them in the middle half", atol=0.02)
        check.true((np.ptp(w, axis=0) > 0).all() and (np.ptp(w, axis=1) > 0).all(), "all are drawn")
        check.true((w != again).any(axis=1).all(), "the next layer gets other numbers")
    check.true((xavier_drawn(30, 20, 1)[0] != xavier_drawn(30, 20, 2)[0]).any(), "another seed")
    check.equal(xavier_drawn(30, 20, 1), xavier_drawn(30, 20, 1), "the seed decides")
    ### END HIDDEN TESTS
# %% [markdown]
# ## 5. Four starts, side by side
#
# The network of section 1 again, with each start. Left, how much of what a layer sends on still varies with `x` (a std
# over the 64 examples). In the middle, the std of the gradients of its weights, before the first step. On the right, how it
# learns.


# %% figure="four_starts"
def four_starts():
    starts = {"He": he_normal, "Xavier": xavier_uniform}
    starts |= {"PyTorch's default": pytorch_uniform, "std 0.5": normal(0.5)}
    sizes, gradients, losses = {}, {}, {}
    for name, start in starts.items():
        layers = deep(start)
        out, sent = outputs(layers, X)
        sizes[name] = [h.data.std(axis=0).mean() for h in sent]
        ((out - np.sin(X)) ** 2).mean().backward()
        gradients[name] = [weight.grad.data.std() for weight, _ in layers[1:-1]]
        losses[name] = learn(deep(start))
        print(f"{name}: loss {losses[name][0]:.3g} at first, {losses[name][-1]:.3g} after 300 steps")
    assert losses["He"][-1] < 0.1 < losses["Xavier"][-1] < 0.5 < losses["PyTorch's default"][-1]
    assert losses["std 0.5"][0] > 1e9 and np.isnan(losses.pop("std 0.5")[-1])
    left, middle, right = plots.panels(3, height=3.2)
    plots.layer_statistics(sizes, ax=left, title="what depends on x")
    plots.layer_statistics(gradients, ax=middle, title="gradients of weights")
    plots.learning_curves(losses, ax=right, log=True, title="loss (std 0.5: nan)")
    for ax in (middle, right):
        ax.get_legend().remove()


four_starts()

# %% [markdown]
# From PyTorch's start the answers no longer depend on `x`, and the gradients are millions of times smaller than from
# He's. Each is what comes from the front times what comes from behind. Xavier, right for tanh, is a root of 2 too small
# for relu: the network learns, slowly. Look closer at that one.
#
# ## 6. What training does to the scale
#
# Four times the rate, from Xavier's start and from He's. The second number is the std behind the last relu.

# %%
for name, start in {"Xavier": xavier_uniform, "He": he_normal}.items():
    layers, steps = deep(start), 0
    for more in (50, 50, 50, 150):
        with np.errstate(all="ignore"):
            size = outputs(layers, X)[1][-1].data.std()
        loss = learn(layers, 0.02, more)[0]
        print(f"{name}, step {steps:3}: loss {loss:.3f}, std {size:.2g}")
        steps += more

# %% [markdown]
# From Xavier's start the loss hardly moves until the scale has grown a hundredfold: the network first repairs its start,
# then learns. From He's, these steps are too large, and the scale explodes. A good start is only a start.
#
# **LayerNorm** sets the scale in every step: it brings each example, each row of `x`, to mean 0 and variance 1.
#
# $$\frac{x - \mathrm{mean}}{\sqrt{\mathrm{var} + \epsilon}} \cdot \mathrm{weight} + \mathrm{bias}$$
#
# The row 1, 1, 5, 5 has the mean 3 and the variance 4 (the mean of the squared distances from 3), and becomes about -1,
# -1, 1, 1. In a row of equal numbers $\epsilon$ prevents 0 / 0. `weight` and `bias` are trained and let the network
# choose another range; they begin with ones and zeros.
#
# ### Exercise `layer_norm` (3 points)
# Write it with Tensors, over the **last axis**. Mean and variance depend on `x`, so gradients flow through them, too: the
# engine sees to that.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `x.mean(-1, keepdims=True)` has one number per row, and is broadcast against `x`. Take it off, square, average again.
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
    x, s = np.array([[1.0, 1, 5, 5], [7, 7, 7, 7]]), 2 / np.sqrt(4.00001)
    ones, w, b = np.ones(4), np.array([1.0, 2, 3, -4]), np.array([10.0, 0, 0, 0])
    out = np.array([[-s, -s, s, s], [0, 0, 0, 0]])
    check.close(norm_of(x, ones, 0 * b), out, "mean 3, variance 4; equal numbers become 0")
    check.close(norm_of(x, w, b), out * w + b, "times weight, plus bias, in each column")
    check.close(norm_of(x, ones, 0 * b, 5.0), out / s * 2 / 3, "eps = 5: 2 / sqrt(4 + 5)")
    check.close(norm_of(np.stack([x, x]), w, b), np.stack([out * w + b] * 2), "more axes")
    (_, dx, dw, db), g = norm_gradients(out + w, x, w, b), out + w
    check.close((dw, db), ((g * out).sum(0), g.sum(0)), "the gradients of weight and bias")
    check.close(dx.sum(-1), np.zeros(2), "all of a row up by 1 changes nothing", atol=1e-9)
    check.close(dx[0] @ (x[0] - 3), 0.0, "nor does a row spread wider", atol=1e-3)
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
    ### END HIDDEN TESTS
# %% [markdown]
# Three of these starts, now with your `layer_norm` before each relu. All of them learn.


# %% figure="normalised"
def normalised():
    def norm(h):
        return layer_norm(h, Tensor(np.ones(32)), Tensor(np.zeros(32)))

    losses = {}
    starts = {"He": he_normal, "PyTorch's default": pytorch_uniform, "std 0.5": normal(0.5)}
    for name, start in starts.items():
        losses[name] = learn(deep(start), norm=norm)
        print(f"{name}: loss {losses[name][-1]:.3f}")
        assert losses[name][-1] < 0.1
    without = learn(deep(pytorch_uniform))
    plots.learning_curves({**losses, "PyTorch's default, no norm": without}, log=True, title="With LayerNorm")


normalised()

# %% [markdown]
# ## 7. Who owns forty layers?
#
# Forty layers with LayerNorm have 160 arrays. Somebody has to keep them, and training needs a list of all. PyTorch's
# answer is short. A **Parameter** is a Tensor that training may change. A **Module** is an object with a method `forward`;
# it owns what its attributes hold. Calling a module calls its `forward`.


# %% given="module"
class Parameter(Tensor):
    """A Tensor that training changes, if it is an attribute of a Module."""

    def __init__(self, data):
        super().__init__(np.array(data, dtype=float), requires_grad=True)


class Module:
    """Something with a `forward`; it owns the Parameters and Modules among its attributes."""

    training = True  # False while the network is used, not trained

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def named_parameters(self):
        """All Parameters below, by name; one that is shared once: a step may not move it twice."""
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
# `vars(module)` is the dict of an object's attributes. Return a dict of all Parameters and Modules that a module owns,
# however deep. A Module is followed by what *it* owns, with its name in front: `"first"`, then `"first.weight"`. If an
# attribute is a **list**, its items count: the second one of `blocks` is `"blocks.1"`. Leave out everything else. A
# thing that is owned twice stands under both names.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Make pairs of name and thing first, attributes and items of lists. Keep those of the right type. Of a Module, ask
# `owned` again.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for name, value in vars(module).items():
#     items = {...} if isinstance(value, list) else {name: value}   # enumerate numbers a list
#     for n, x in items.items():
#         if isinstance(x, (Parameter, Module)): ...
#         if isinstance(x, Module): ...        # the function may call itself
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many: a Tensor that is no Parameter. Wrong numbers in a list: an item is counted even if it is not kept. Names
# without their front: two layers both own a `weight`, and one gets lost.
# </details>


# %% exercise="owned"
def owned(module):
    """All Parameters and Modules that a module owns, however deep: a dict by dotted name."""
    ### BEGIN SOLUTION
    found = {}
    for name, value in vars(module).items():
        many = isinstance(value, list)
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if many else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found
    ### END SOLUTION


# %% probes="owned"
@probe
def owned_by(tree):
    """What a module owns, asked twice. In `tree`, a dict is a Module, a list a list; of texts,
    "P..." is a Parameter, "T..." a Tensor; equal texts are one and the same thing."""
    made = {}

    class Scale(Parameter):
        pass

    class Layer(Module):
        pass

    def thing(what, name):
        if isinstance(what, list):
            return [thing(item, f"{name}.{i}") for i, item in enumerate(what)]
        if isinstance(what, dict):
            module = (Layer if name else Module)()
            for n, inner in what.items():
                setattr(module, n, thing(inner, f"{name}.{n}"))
            return made.setdefault(f"a Module at {name[1:]}", module)
        if not isinstance(what, str) or what[:1] not in ("P", "T"):
            return what
        if what not in made:
            kind = Tensor if what[0] == "T" else Scale if what == "P2" else Parameter
            made[what] = kind([1.0, 2.0])
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
    # "P..." is a Parameter, "T..." a Tensor, {...} a Module. P2 has a class of its own.
    check.close(owned_by({"b": "P2", "mean": "T1", "w": "P1", "rate": 0.5, "bias": None}),
                {"b": "P2", "w": "P1"}, "a Tensor is not trained; a number is no part")
    check.close(owned_by({"first": {"w": "P1"}, "scale": "P3"}),
                {"first": "a Module at first", "first.w": "P1", "scale": "P3"},
                "a Module, and what it owns, with its name in front")
    got = owned_by({"blocks": ["P1", 0.1, {"w": "P3"}], "x": {"y": {"w": "P3", "b": "P5"}}})
    expected = {"blocks.0": "P1", "blocks.2": "a Module at blocks.2", "blocks.2.w": "P3",
            "x": "a Module at x", "x.y": "a Module at x.y", "x.y.w": "P3", "x.y.b": "P5"}
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

    for _ in range(20):
        tree = grown(3)
        got = owned_by(tree)
        check.close(got, expected_of(tree), "Parameters and Modules, by name")
        check.equal(list(got), list(expected_of(tree)), "in the order of the attributes")
    tree = {"w": "P1"}
    for name in "pqrstuvw":
        tree = {name: tree}
    check.close(owned_by(tree), expected_of(tree), "eight modules deep")
    ### END HIDDEN TESTS

# %% [markdown]
# With that, a network is a list of modules. `Sequential` is PyTorch's name for modules in a row.


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


# %%
rng = np.random.default_rng(0)
model = Sequential(*[Sequential(Linear(32, 32, rng), LayerNorm(32), ReLU()) for _ in range(40)])
names = list(model.named_parameters())
print(len(names), "parameters:", ", ".join(names[:4]), "...", names[-1])
print("numbers to train:", sum(p.size for p in model.named_parameters().values()))
model.eval()
print("in training mode:", sum(part.training for part in [model, model.layers[39].layers[2]]))

# %% [markdown]
# ## 8. Dropout, and what a mode is for
#
# A network that is large enough learns its examples by heart, wrong ones too. **Dropout** makes that hard: in each
# training step every number is set to 0 with probability `p`, so no neuron can rely on a certain other one. The numbers
# that stay are divided by 1 - p, which keeps the *mean*. With p = 0.25, three of four stay, 4/3 as large. When the
# network is *used*, nothing is dropped and nothing scaled. That is why modules have a mode.
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
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many zeros: `p` is the probability to drop. Whole rows vanish: the mask needs the shape of `x`.
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
ROWS = np.linspace(-3.0, 4.0, 40_000).reshape(200, 200)


@probe
def dropout_seen(p, training, seed):
    """What two calls of dropout make of ROWS: factors and shares, rounded."""
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
    seen["zeros"] = round(20 * float(zero.mean())) / 20
    seen["factors"] = np.unique((first.data / ROWS).round(4))[:4].tolist()
    seen["drawn for"] = "each " + next((name for name in whole if whole[name]), "number")
    seen["anew"] = not np.array_equal(first.data, second.data)
    seen["the seed decides"] = np.array_equal(first.data, again.data)
    seen["gradient"] = None if given.grad is None else bool(np.allclose(given.grad.data, factor))
    return seen


@probe
def dropped(x, p, training, seed):
    """Two calls of dropout with one generator, and the gradient of x when ones arrive at the second."""
    rng, given = np.random.default_rng(seed), Tensor(x, requires_grad=True)
    first, second = dropout(given, p, training, rng), dropout(given, p, training, rng)
    second.backward(np.ones(x.shape))
    return first.data, second.data, None if given.grad is None else given.grad.data


# %% check="dropout" points=2
with exercise("dropout") as check:
    # 40,000 numbers; a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = dropout_seen(0.25, True, 7)
    check.close(seen["answer"], "Tensor of shape (200, 200)", "a Tensor of the shape of x")
    check.close(seen["zeros"], 0.25, "p = 0.25: a quarter of the numbers is 0")
    check.close(seen["factors"], [0.0, 1.3333], "a number becomes 0, or is divided by 0.75")
    check.close(seen["drawn for"], "each number", "the mask has the shape of x")
    check.close(seen["anew"], True, "a second call draws anew")
    check.close(seen["the seed decides"], True, "the same seed, the same zeros: use rng")
    check.close(seen["gradient"], True, "the gradient: 0 where dropped, elsewhere 4/3")
    seen = dropout_seen(0.25, False, 7)
    check.close((seen["factors"], seen["gradient"]), ([1.0], True), "in use: x itself")
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
    used, again, gradient = dropped(ROWS[:3], 0.9, False, 3)
    check.close((used, again, gradient), (ROWS[:3], ROWS[:3], np.ones((3, 200))), "not training")
    first, _, gradient = dropped(ROWS[:2], 0.0, True, 3)
    check.close((first, gradient), (ROWS[:2], np.ones((2, 200))), "p = 0 drops nothing")
    ### END HIDDEN TESTS
# %% [markdown]
# 150 digits, and every fifth label drawn at random. On the digits that it has not seen, the network without dropout gets
# worse while it learns the wrong labels by heart.


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
        seen, unseen = curves.setdefault(f"p = {p}: learnt", []), curves.setdefault(f"p = {p}: not seen", [])
        for _ in range(300):
            functional.cross_entropy(model.train()(Tensor(pictures[known])), given).backward()
            for parameter in parameters:
                parameter.data -= 0.3 * parameter.grad.data
                parameter.grad = None
            model.eval()
            seen.append(functional.cross_entropy(model(Tensor(pictures[known])), given).item())
            out = model(Tensor(pictures[held]))
            unseen.append(functional.cross_entropy(out, labels[held]).item())
        share = (out.data.argmax(axis=1) == labels[held]).mean()
        print(f"p = {p}: {share:.1%} of the digits not seen are read, loss {unseen[-1]:.2f}, at best {min(unseen):.2f}")
    worse = [curves[f"p = {p}: not seen"] for p in (0.0, 0.5)]
    assert worse[0][-1] > worse[1][-1] + 0.1 and worse[0][-1] > min(worse[0]) + 0.15
    plots.learning_curves(curves, log=True, title="150 digits, every fifth label drawn at random")


overfitting()

# %% [markdown]
# What happens if `eval()` is forgotten? The same question, four times in each mode:

# %%
layer, x = Dropout(0.5, np.random.default_rng(0)), Tensor([1.0, 2.0, 3.0])
print("training:", [layer(x).data.tolist() for _ in range(4)])
layer.eval()
print("in use:  ", [layer(x).data.tolist() for _ in range(4)])

# %% [markdown]
# ## 9. Bug hunt
#
# A colleague's network is to learn x1 - x2. It runs without an error. **Four things are wrong with it**, and a loss does
# not say which. You have the tools: `named_parameters`, `grad` after a backward pass, `eval()`, your eyes on the weights.


# %% given="colleague"
class Colleague(Module):
    """3 numbers, 4 tanh neurons, dropout with p = 0.5, 1 number."""

    def __init__(self, rng):
        self.rng = rng
        self.first = Parameter(np.full((4, 3), 0.3))
        self.shift = Tensor(np.zeros(4), requires_grad=True)
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 4)))

    def forward(self, x):
        hidden = (x @ self.first.T + self.shift).tanh()
        keep = self.rng.random(hidden.shape) >= 0.5
        hidden = Tensor(hidden.data * keep / 0.5)
        return hidden @ self.second.T


def difference(net, steps):
    """Train a network to give x1 - x2; its loss in use, before and after."""
    x, losses = np.random.default_rng(1).normal(size=(50, 3)), []

    def loss():
        return ((net(Tensor(x)) - (x[:, :1] - x[:, 1:2])) ** 2).mean()

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

# %% [markdown]
# ### Exercise `mended_net` (3 points)
# Write the class again, mended, with the same attributes, shapes and `__init__`. Use `np` and the methods of Tensor;
# draw all first weights from `rng`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Four questions. Which parameters are found? Which of them have a gradient after `backward()`? Are two answers in use the
# same? Do two neurons begin alike? Only chance makes them differ.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# self.first = Parameter(rng....)     # different rows
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
    """3 numbers, 4 tanh neurons, dropout with p = 0.5, 1 number."""

    def __init__(self, rng):
        ### BEGIN SOLUTION
        self.rng = rng
        self.first = Parameter(rng.normal(0.0, 0.5, (4, 3)))
        self.shift = Parameter(np.zeros(4))
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 4)))
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
KINDS = ["Parameter (4, 3)", "Parameter (4,)", "Parameter (1, 4)"]
PAIR = np.array([[1.0, -2.0, 0.5], [0.3, 0.9, -1.2]])
MANY = np.repeat(PAIR, 20, axis=0)


@probe
def net_facts(seed):
    """What the attributes of a MendedNet are, and where their first numbers come from, in words:
    the numbers are your own affair."""
    nets = [MendedNet(np.random.default_rng(s)) for s in (seed, seed, seed + 1)]
    one, again, other = [[getattr(net, name).data for name in NAMES] for net in nets]
    parts = [getattr(nets[0], name) for name in NAMES]
    same = all(np.array_equal(a, b) for a, b in zip(one, again))
    return {
        "found": [f"{type(part).__name__} {part.shape}" for part in parts],
        "all neurons differ": len(np.unique(one[0].round(6), axis=0)) == len(one[0]),
        "the seed decides": same and all(bool((one[i] != other[i]).all()) for i in (0, 2)),
    }


@probe
def net_run(seed, x, training):
    """The arrays of a MendedNet, two answers to x, and the gradients of its attributes by the second."""
    net = MendedNet(np.random.default_rng(seed))
    for module in (net, *vars(net).values()):
        if isinstance(module, Module):
            module.training = training
    first, second = net(Tensor(x)), net(Tensor(x))
    second.backward(np.ones(second.shape))
    parts = [getattr(net, name) for name in NAMES]
    gradients = [None if part.grad is None else part.grad.data for part in parts]
    return [part.data for part in parts], first.data, second.data, gradients


def hidden_of(arrays, x):
    """The four tanh neurons, for each row of x."""
    return np.tanh(x @ arrays[0].T + arrays[1])


def could_be(answer, arrays, x):
    """Whether some choice of dropped neurons leads to this answer for the rows of x."""
    masks = np.stack(np.meshgrid(*[[0.0, 2.0]] * 4), axis=-1).reshape(16, 4)
    possible = (hidden_of(arrays, x)[:, None] * masks) @ arrays[2][0]
    return bool((np.abs(possible - answer) < 1e-9).any(axis=1).all())


# %% check="mended_net" points=3
with exercise("mended_net") as check:
    facts = net_facts(0)
    check.close(facts["found"], KINDS, "all three are Parameters, of these shapes")
    check.true(facts["all neurons differ"], "no two of the four neurons may begin equal")
    check.true(facts["the seed decides"], "rng alone draws `first` and `second`")
    arrays, out, again, _ = net_run(0, PAIR, False)
    check.close((out, again), (hidden_of(arrays, PAIR) @ arrays[2].T,) * 2, "no drops")
    arrays, out, _, gradients = net_run(0, MANY, True)
    check.true(all(g is not None for g in gradients), "a gradient arrives at all three")
    check.true(could_be(out, arrays, MANY), "in training, each neuron is 0 or doubled")
    check.true(len(np.unique(out.round(9))) > 4, "in training: each row is drawn anew")
    check.equal(net_run(0, MANY, True)[1], out, "the same seed drops the same: use rng")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    for (x,) in check.cases(5, array(6, 3)):
        seed = check.rng.randrange(10**6)
        arrays, out, again, gradients = net_run(seed, x, False)
        tensors = [nn.Parameter(a) for a in arrays]
        expected = (Tensor(x) @ tensors[0].T + tensors[1]).tanh() @ tensors[2].T
        expected.backward(np.ones(expected.shape))
        check.close((out, again), (expected.data, expected.data), "in use: no dropout")
        check.close(gradients, [t.grad.data for t in tensors], "the gradients")
        x = np.repeat(x, 10, axis=0)
        arrays, out, again, gradients = net_run(seed, x, True)
        check.true(could_be(out, arrays, x) and could_be(again, arrays, x), "in training: dropout")
        check.true((out != again).any(), "each call draws anew")
        check.true(len(np.unique(out.round(9))) > 12, "each row is drawn")
        check.true(all(g is not None for g in gradients), "gradients, in training too")
        check.true(np.abs(gradients[0]).sum() > 0, "the first layer learns")
    one, again, two = (net_run(seed, PAIR, False)[0] for seed in (1, 1, 2))
    check.equal(again, one, "the same seed gives the same weights")
    check.close(len(np.unique(one[0].round(6), axis=0)), 4, "no two neurons begin equal")
    check.true((one[0] != two[0]).all() and (one[2] != two[2]).all(), "another seed gives others")
    check.equal(net_run(1, MANY, True)[1:3], net_run(1, MANY, True)[1:3], "and so do the drops")
    check.true(0.01 < one[0].std() < 3, "first weights of a reasonable size")
    ### END HIDDEN TESTS
# %%
before, after = difference(MendedNet(np.random.default_rng(0)), 500)
print(f"mended: loss {before:.2f} at first, {after:.2f} after 500 steps")

# %% [markdown]
# ## In your own words
# Somebody asks: "Why do my 50 relu layers not learn, when 3 did?" Answer in three sentences, then open ours.
#
# <details><summary>One way to say it</summary>
#
# Each layer multiplies the size of the numbers by about the same factor, here by 0.41. In three layers that is a
# fourteenth, in fifty nothing is left of the input, nor of the gradients. Draw the weights with the variance 2 / fan-in, so
# that the factor is 1, or set the size anew in each layer, by LayerNorm.
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
# | `Parameter`, `Module`, `named_parameters()` | the same names in `torch.nn` |
# | a list of modules in an attribute | `nn.ModuleList` (a plain list is **not** searched there) |
# | `train()`, `eval()` | the same names |
# | `xavier_uniform`, `he_normal` | `nn.init.xavier_uniform_`, `nn.init.kaiming_normal_` |
# | `dropout`, `layer_norm` | `nn.Dropout`, `nn.LayerNorm` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the loss stays at its first value | first weights too small for the depth, or all equal |
# | `nan` after a few steps | first weights, or steps, too large |
# | part of the network never changes | a Tensor that is no Parameter, or is hidden in a dict |
# | two answers to one question | `eval()` was forgotten |
#
# ## One thing to try next
# For practice, without points: words are ids, 0, 1, 2 and so on. Write an **Embedding**, a Module whose Parameter has a row for
# each id and whose `forward` looks rows up: `self.weight[ids]`. Which rows get a gradient?
#
# ## Who found it
#
# | when | who | what |
# |---|---|---|
# | 1998 | Yann LeCun and others | [Efficient BackProp](http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf): variance 1/n, and why |
# | 2010 | Xavier Glorot, Yoshua Bengio | [both fans](https://proceedings.mlr.press/v9/glorot10a.html), by plots like yours |
# | 2014 | Nitish Srivastava and others | [Dropout](https://jmlr.org/papers/v15/srivastava14a.html) |
# | 2015 | Kaiming He and others | [2/n for relu](https://arxiv.org/abs/1502.01852); 30 layers that Xavier's start could not train |
# | 2016 | Jimmy Lei Ba and others | [LayerNorm](https://arxiv.org/abs/1607.06450) |
#
# Read He's section 2.2 first: it is your section 4, in two pages. Unit 09 asks how to move the weights.

# %% progress="here"
