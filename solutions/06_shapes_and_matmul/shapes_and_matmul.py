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
#     unit: 06_shapes_and_matmul
#     allow: [autograd_ref.data, autograd_ref.plots, autograd_ref.scalar]
#     title: "Shapes and matmul: where every number goes"
# ---

# %% [markdown]
# # Shapes and matmul: where every number goes
#
# Left: a handwritten 5. A network that reads 9 of 10 digits rightly sees a 5, too. In the middle: a little ink, added
# (orange) and taken away (blue). Right: the sum. You still see a 5. The network sees an 8.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots
    from autograd_ref.data import load_digits

    five = load_digits()[0][763, 0]
    # Computed by the last exercise of this notebook, in hundredths.
    added = np.array("""
        0 0 -5 -5 0 0 -6 0
        0 4 -3 -3 3 3 0 0
        0 -5 -4 -4 7 7 9 9
        0 -4 0 -4 7 7 9 9
        4 -6 6 0 1 1 0 0
        4 4 7 7 5 1 0 0
        2 2 2 2 2 1 8 8
        2 2 2 -5 1 1 8 8
    """.split(), dtype=float).reshape(8, 8) / 100
    left, middle, right = plots.panels(3)
    left.imshow(five, cmap="Greys", vmin=0, vmax=1)
    left.set_title("the network says: 5")
    plots.matrix(added, title="added: -0.06 to 0.09", annotate=False, ax=middle)
    right.imshow(five + added, cmap="Greys", vmin=0, vmax=1)
    right.set_title("the network says: 8")
    for ax in (left, middle, right):
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
        ax.spines[:].set(visible=True, color="#808080")


goal()

# %% setup="imports"
import numpy as np

from autograd_ref import plots, scalar
from autograd_ref.data import load_digits
from autograder import exercise, predicted, probe, recall, yours


def arrays(*rows):
    """A tuple of arrays of floats, made of lists."""
    return tuple(np.array(row, dtype=float) for row in rows)

# %% [markdown]
# A backward pass finds such a change: it leads from the scores back to each pixel, by rules that you write. At the end
# you will be able to
#
# - send a gradient back through sums, means, maxima, reshapes, permutations and indexing;
# - say why dA = G Bᵀ, derive dB, and check a matrix formula by its shapes;
# - write the backward pass of a network by hand, train it, and fool it.
#
# **Time:** 150 minutes (110 without sections 6, 8). **Builds on:** 05.
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 03*: L = (a + b) · a at a = 3, b = -5. What is the gradient of a?
# - *unit 04*: how many weights and biases has a network of 3 inputs, 5 neurons, 2 neurons?
# - *unit 04, zeroing*: each `backward` finds a gradient of 2. What is in `grad` after the third, if nobody sets it to
#   0?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 03": None, "unit 04": None, "unit 04, zeroing": None}

# %% jupyter={"source_hidden": true}
def grad_of(f, a, b, passes=1):
    x, y = scalar.Value(a), scalar.Value(b)
    for _ in range(passes):
        f(x, y).backward()
    return x.grad


recall(
    answers,
    {
        "unit 03": lambda: grad_of(lambda a, b: (a + b) * a, 3.0, -5.0),
        "unit 04": lambda: sum(inputs * n + n for inputs, n in ((3, 5), (5, 2))),
        "unit 04, zeroing": lambda: grad_of(lambda a, b: a * b, 7.0, 2.0, passes=3),
    },
)

# %% [markdown]
# Rules have the form of unit 05, `rule(g, out, *inputs)`, with constants such as an axis at the end. They are exact,
# not numerical, and change no argument; in place of a tuple, a list will do. You call them yourself; in section 7 unit
# 05's engine does, which sees to dtypes.
#
# ## 1. Sums and means: the way back is copying
#
# In unit 05 a number that was *copied* on the way forward got the *sum* of the contributions. A sum is the reverse:
#
# ```
# a (2, 3)            a.sum(axis=1)     g        what a gets
# [[1, 2, 3],         [ 6,              [10,     [[10, 10, 10],
#  [4, 5, 6]]          15]               -1]      [-1, -1, -1]]
# ```
#
# Raise any number of row 0 by 0.001: `out[0]` rises by 0.001, and $L$ by ten times that. So each of them gets 10.
# *Added up on the way forward* means *copied on the way back*.
#
# The shape is the trap. `g` is (2,) and `a` is (2, 3): aligned at the right, they do not fit. With a square `a` they
# would fit, along the wrong axis. First put the summed axis back, with length 1, unless `keepdims=True` kept it.
#
# A mean is a sum, divided by how many numbers went in: `a.size / out.size`.
#
# ### Exercise `sum_and_mean` (3 points)
# The rules of `a.sum(axis=axis, keepdims=keepdims)` and of the mean. The axis is an int (-1: the last), a tuple, or
# `None` for all.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `np.expand_dims(g, axis)` puts axes of length 1 in, one or several. `np.broadcast_to(g, shape)` copies.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if ... and ...:                 # an axis was named, and it is gone
#     g = np.expand_dims(...)
# return (np.broadcast_to(...),)  # a tuple of one
# # The mean can call sum_rule, with another g.
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "broadcast": the axis is missing in `g`.
# </details>


# %% exercise="sum_and_mean"
def sum_rule(g, out, a, axis=None, keepdims=False):
    """The cotangent of a, in a tuple of one, for out = a.sum(axis, keepdims=keepdims)."""
    ### BEGIN SOLUTION
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g, a.shape),)
    ### END SOLUTION


def mean_rule(g, out, a, axis=None, keepdims=False):
    """The cotangent of a, in a tuple of one, for out = a.mean(axis, keepdims=keepdims)."""
    ### BEGIN SOLUTION
    return sum_rule(g * out.size / a.size, out, a, axis, keepdims)
    ### END SOLUTION


# %% probes="sum_and_mean"
# sum_back and mean_back, as the check calls them, and its arrays
@probe
def sum_back(g, a, axis, keepdims):
    """What sum_rule sends back for this axis."""
    return sum_rule(g, a.sum(axis=axis, keepdims=keepdims), a, axis, keepdims)


@probe
def mean_back(g, a, axis, keepdims):
    """What mean_rule sends back for this axis."""
    return mean_rule(g, a.mean(axis=axis, keepdims=keepdims), a, axis, keepdims)


TWO = TWO_BY_THREE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
SQUARE = np.array([[1.0, 2.0], [7.0, 4.0]])
CUBE = np.arange(8.0).reshape(2, 2, 2)
DEEP = np.arange(24.0).reshape(2, 3, 4) - 5.0
THREE = np.array([3.0, -1.0, 4.0])
ALONG_1 = (THREE[None, :, None] + 0 * DEEP,)
LAYERS = (np.array([12.0, -3.0])[:, None, None] + 0 * CUBE,)
PAIR, ROW_EACH = np.array([12.0, -3.0]), arrays([[12, 12, 12], [-3, -3, -3]])

# %% check="sum_and_mean" points=3
with exercise("sum_and_mean") as check:
    check.close(sum_back(PAIR, TWO, 1, False), ROW_EACH, "row 0 made out[0]: it gets 12")
    check.close(sum_back(PAIR[:, None], TWO, 1, True), ROW_EACH, "the axis stands: copy g")
    check.close(sum_back(THREE, TWO, 0, False), (THREE + 0 * TWO,), "columns of 3, -1, 4")
    check.close(sum_back(THREE, DEEP, (2, 0), False), ALONG_1, "g[0] ... along axis 1")
    check.close(sum_back(np.array(7.0), TWO, None, False), (0 * TWO + 7,), "all get the 7")
    check.close(sum_back(PAIR, CUBE, (-2, -1), False), LAYERS, "of a cube, axis 0 is left")
    check.close(mean_back(3 * PAIR[:, None], TWO, 1, True), ROW_EACH, "three in a mean")
    check.untouched("g is as it was: make a new array")
    check.close(mean_back(2 * THREE, TWO, 0, False), (THREE + 0 * TWO,), "two to a mean")
    check.close(mean_back(8 * THREE, DEEP, (0, 2), False), ALONG_1, "2 * 4 numbers a mean")
    check.close(mean_back(np.array(6.0), TWO, None, False), (0 * TWO + 1,), "6 / 6 each")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    rules = {"sum": (sum_back, yours.sum_rule), "mean": (mean_back, yours.mean_rule)}
    axes = [None, 0, 1, 2, -1, -2, (0, 1), (0, 2), (1, 2), (2, 0), (-1, 0), (0, 1, 2), (-2, -1), (-1, -3), (-3, 1)]
    shapes = {-2: (1, 2, 1, 3), (2, 0): (1, 3, 1), (1, 2): (3, 3, 3, 2), (-2, -1): (3, 3, 3), (-3, 1): (2, 2, 2)}
    drawn = [(shapes.get(axis, (3, 2, 3)), axis, keepdims) for axis in axes for keepdims in (True, False)]
    # All axes are equally long: what lacks its axis fits, in a wrong place too. And one axis, and many.
    for shape in ((3, 3), (3, 3, 3), (2, 2, 2, 2)):
        drawn += [(shape, axis, False) for axis in range(-len(shape), len(shape))]
    drawn += [((4,), 0, False), ((4,), None, True), ((2, 2, 2, 2), (0, 2), False), ((2, 3, 1, 4), (-1, 1), False)]
    for shape, axis, keepdims in drawn:
        (a,) = next(check.cases(1, array(*shape)))
        for name, (back, rule) in rules.items():
            x = Reference(a, requires_grad=True)
            out = getattr(x, name)(axis=axis, keepdims=keepdims)
            (g,) = next(check.cases(1, array(*out.shape)))
            out.backward(g)
            because = f"{name}: copied along the reduced axes"
            check.close(back(g, a, axis, keepdims), (x.grad.numpy(),), because, rtol=1e-12, atol=1e-13)
            check.untouched()
            got = rule(g, np.asarray(out.detach().numpy()), a, axis, keepdims)
            check.close(got, (x.grad.numpy(),), because, rtol=1e-12, atol=1e-13)
            check.untouched("g, out and a are as they were: make new arrays")
            check.close(back(0 * g, a, axis, keepdims), (0 * a,), f"{name}: g may be 0")
    because = "without an axis, the sum is over all"
    check.close(yours.sum_rule(np.array(2.0), np.array(0.0), 0 * DEEP), (0 * DEEP + 2,), because)
    check.close(yours.mean_rule(np.array(48.0), np.array(0.0), 0 * DEEP), (0 * DEEP + 2,), because)
    because = "a sum over no numbers sends nothing back"
    check.close(sum_back(np.array([1.0, 2]), np.zeros((2, 0)), 1, False), (np.zeros((2, 0)),), because)
    # So small, large and many that a difference quotient, of complex numbers too, finds nothing, or finds it too late.
    endless, because = np.full((2, 3), np.inf), "of a only the shape counts"
    for (g,) in check.cases(3, array(2, low=0.2)):
        right = np.stack([g] * 3, axis=1) * 1e-305
        got = yours.sum_rule(g * 1e-305, endless[:, 0], endless, 1)
        check.close(got, (right,), because, rtol=1e-12, atol=0.0)
        got = yours.mean_rule(g * 3e-305, endless[:, 0], endless, 1)
        check.close(got, (right,), because, rtol=1e-12, atol=0.0)

    @probe
    def of_many(seed):
        """What sum_rule and mean_rule send back for 200,000 numbers."""
        rng = np.random.default_rng(seed)
        a, g = rng.normal(size=(400, 500)), rng.normal(size=(400, 1))
        means = mean_rule(g, a.mean(axis=1, keepdims=True), a, 1, True)
        return *sum_rule(g, a.sum(axis=1, keepdims=True), a, 1, True), *means

    seed = check.rng.randrange(10**6)
    rng = np.random.default_rng(seed)
    a, g = rng.normal(size=(400, 500)), rng.normal(size=(400, 1))
    copies = np.repeat(g, 500, axis=1)
    check.close(of_many(seed), (copies, copies / 500), "many numbers", rtol=1e-12)
    ### END HIDDEN TESTS

# %% setup="tools"
# `off` is unit 05's `array_error`: a rule's distance from the numerical derivative.
def numerical_cotangents(forward, g, *inputs, step=1e-5):
    """g times the numerical derivative of `forward` by each number of each input."""
    cotangents = tuple(np.zeros_like(x) for x in inputs)
    for k, cotangent in enumerate(cotangents):
        for place in np.ndindex(cotangent.shape):
            up, down = [x.copy() for x in inputs], [x.copy() for x in inputs]
            up[k][place] += step
            down[k][place] -= step
            cotangent[place] = (g * (forward(*up) - forward(*down))).sum() / (2 * step)
    return cotangents


def off(forward, rule, *inputs, constants=()):
    """How far `rule` is from the numerical derivative of `forward`, to six digits."""
    out = forward(*inputs, *constants)
    g = np.linspace(-1, 2, out.size).reshape(out.shape)
    found = rule(g, out, *inputs, *constants)
    right = numerical_cotangents(lambda *xs: forward(*xs, *constants), g, *inputs)
    return round(max(float(abs(c - n).max()) for c, n in zip(found, right, strict=True)), 6)


# %%
a = np.linspace(-1, 2, 24).reshape(2, 3, 4)
for axis in (0, (0, 2), None):
    print("sum over", axis, "is off by", off(np.sum, sum_rule, a, constants=(axis,)))
    print("mean over", axis, "is off by", off(np.mean, mean_rule, a, constants=(axis,)))

# %% [markdown]
# ## 2. The maximum and its ties
#
# A maximum lets one number through. That one gets `g`, the others get 0. But several may be the largest: a blank
# corner of a picture is all zeros. At such a **tie** the maximum has no derivative.
#
# **Predict, then run.** Three of [5, 5, 5, 2] are tied. What is the numerical derivative of the maximum by each
# number?

# %%
prediction = [None, None, None, None]

(found,) = numerical_cotangents(np.max, 1.0, np.array([5.0, 5.0, 5.0, 2.0]))
if predicted(prediction, "tied_maximum"):
    measured = found.round(6).tolist()
    print("       measured:", measured, " their sum:", sum(measured))
    print("      as you said:", np.array_equal(prediction, measured))

# %% [markdown]
# Nudged up, each of the three moves the maximum; nudged down, none does. The central difference takes the middle:
# three halves, more than `g` = 1. At a corner it is no referee. The convention, that of PyTorch's `amax` too: tied
# numbers **share `g` equally**, 1/3 each.
#
# ### Exercise `amax_rule` (2 points)
# The rule of `a.max(axis=axis, keepdims=True)`: `g` and `out` have length 1 where `a` was reduced.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A mask says where `a` equals its maximum. Count the mask along the same axis.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# hit = ...                        # True where a is the largest; out is broadcast
# count = hit.sum(...)             # how many share: along which axis, and which shape?
# return (hit * ...,)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too little everywhere: `hit.sum()` counts the whole array. ValueError "broadcast": count with `keepdims=True`.
# </details>


# %% exercise="amax_rule"
def amax_rule(g, out, a, axis):
    """The cotangent of a, in a tuple of one, for out = a.max(axis=axis, keepdims=True)."""
    ### BEGIN SOLUTION
    hit = a == out
    count = hit.sum(axis=axis, keepdims=True)
    return (hit * g / count,)
    ### END SOLUTION


# %% probes="amax_rule"
# amax_back, as the check calls it, and its array
@probe
def amax_back(g, a, axis):
    """What amax_rule sends back for this axis, and g as it is afterwards."""
    return amax_rule(g, a.max(axis=axis, keepdims=True), a, axis), g


TIED = np.array([[1.0, 8.0, -2.0, 4.0], [5.0, 5.0, 2.0, 5.0], [-3.0, -7.0, -3.0, -4.0]])

# %% check="amax_rule" points=2
with exercise("amax_rule") as check:
    g = np.array([[10.0], [6.0], [-8.0]])
    rows = np.array([[0.0, 10, 0, 0], [2, 2, 0, 2], [-4, 0, -4, 0]])
    because = "8 is alone; three 5s share 6, two -3s share -8; all others get 0"
    check.close(amax_back(g, TIED, 1), ((rows,), g), because)
    check.untouched("a is as it was: make a new array")
    g, down = np.array([[1.0, 2, 3, 4]]), np.zeros((3, 4))
    down[1, 0], down[0, 1], down[1, 2], down[1, 3] = g[0]
    check.close(amax_back(g, TIED, 0), ((down,), g), "downwards there is no tie")
    g, blank = np.array([[6.0]]), np.zeros((2, 3))
    check.close(amax_back(g, blank, (0, 1)), ((blank + 1,), g), "six zeros, all largest")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    # Drawn, tied, tied all over, and tied but for the last digits.
    forms = [lambda a: a, np.round, np.zeros_like, lambda a: 1 + 1e-9 * a.round(), lambda a: 1e8 + a]
    axes = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    drawn = [((2, 3, 5), axis, form) for axis in axes for form in forms]
    # One axis, equally long ones, and four.
    drawn += [(shape, axis, np.round) for shape in ((4,), (3, 3), (3, 3, 3), (2, 2, 2, 2)) for axis in (0, -1)]
    for shape, axis, form in [*drawn, ((3, 3, 3), 1, np.round), ((2, 2, 2, 2), (0, 2), np.round)]:
        (a,) = next(check.cases(1, array(*shape)))
        a = form(a)
        x = Reference(a, requires_grad=True)
        out = x.max(axis=axis, keepdims=True)
        (g,) = next(check.cases(1, array(*out.shape)))
        out.backward(g)
        check.close(amax_back(g, a, axis), ((x.grad.numpy(),), g),
                    "g, shared by the largest ones; g unchanged", rtol=1e-12, atol=1e-13)
        back = yours.amax_rule(g, np.asarray(out.detach().numpy()), a, axis)
        check.close(back, (x.grad.numpy(),), "only what equals the maximum is tied", rtol=1e-12, atol=1e-13)
        check.untouched("g, out and a are as they were: make new arrays")
        check.close(amax_back(0 * g, a, axis)[0], (0 * a,), "g may be 0")
    signs = np.array([[0.0, -0.0], [-1.0, -0.0]])
    shares = np.array([[3.0, 3.0], [0.0, 5.0]])
    check.close(amax_back(np.array([[6.0], [5.0]]), signs, 1)[0], (shares,), "0.0 and -0.0 are equal")
    endless = np.array([[np.inf, 1.0, np.inf], [-np.inf] * 3, [2.0, -np.inf, 1.0]])
    shares = np.array([[3.0, 0.0, 3.0], [2.0, 2.0, 2.0], [6.0, 0.0, 0.0]])
    check.close(amax_back(np.full((3, 1), 6.0), endless, 1)[0], (shares,), "infinite numbers are equal, too")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 3. The same numbers in other places
#
# `reshape` and `permute` (`np.transpose`) only move numbers. On the way back, each number of `g` moves to where its
# number came from.
#
# Both results have the same shape. `a.T` turns rows into columns; `reshape` reads on in rows, and breaks
# the line elsewhere.


# %% figure="moves"
def moves():
    a = TWO_BY_THREE
    plots.matrices({"a (2, 3)": a, "a.T (3, 2)": a.T, "a.reshape(3, 2)": a.reshape(3, 2)})


moves()

# %% [markdown]
# `np.transpose(a, axes)` puts axis `axes[0]` of `a` first, then axis `axes[1]`, and so on: (2, 3, 5) with the axes
# (2, 0, 1) becomes (5, 2, 3).
#
# **Predict, then run.** Which shape does the same permutation give once more?

# %%
prediction = (None, None, None)

there = np.transpose(np.zeros((2, 3, 5)), (2, 0, 1))
if predicted(prediction, "permuted_back"):
    again = np.transpose(there, (2, 0, 1))
    print(there.shape, "and once more:", again.shape, " as before:", again.shape == (2, 3, 5))
    print("as you said:", tuple(prediction) == again.shape)

# %% [markdown]
# It does not bring `a` back. Look where each axis of `a` stands in the result: axis 0 at place 1, axis 1 at place
# 2, axis 2 at place 0. So (1, 2, 0) brings it back: the **inverse permutation**.
#
# ### Exercise `move_rules` (2 points)
# The rules of `a.reshape(shape)` and of `np.transpose(a, axes)`, for any number of axes, counted from 0.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which shape did the numbers have before? At which place does axis 0 stand in `axes`, and axis 1?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g.reshape(...),)
# back = [... for i in range(...)]      # the place of i in axes: list(axes).index(i)
# return (np.transpose(g, back),)       # np.argsort(axes) gives the same places
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Right for swaps, wrong where three axes go round: the same permutation again. The right shape with the wrong numbers:
# reshaping only breaks lines.
# </details>


# %% exercise="move_rules"
def reshape_rule(g, out, a, shape):
    """The cotangent of a, in a tuple of one, for out = a.reshape(shape)."""
    ### BEGIN SOLUTION
    return (g.reshape(a.shape),)
    ### END SOLUTION


def permute_rule(g, out, a, axes):
    """The cotangent of a, in a tuple of one, for out = np.transpose(a, axes)."""
    ### BEGIN SOLUTION
    back = [list(axes).index(i) for i in range(len(axes))]
    return (np.transpose(g, back),)
    ### END SOLUTION


# %% probes="move_rules"
# reshape_back and permute_back, as the check calls them
@probe
def reshape_back(g, a):
    """What reshape_rule sends back for a.reshape(g.shape)."""
    return reshape_rule(g, a.reshape(g.shape), a, g.shape)


@probe
def permute_back(g, a, axes):
    """What permute_rule sends back."""
    return permute_rule(g, np.transpose(a, axes), a, axes)


FLAT = np.arange(24.0)
# What becomes of DEEP by the axes (2, 0, 1), and of DEEP[None] by (1, 3, 0, 2)
CYCLE, ROUND = FLAT.reshape(4, 2, 3), FLAT.reshape(2, 4, 1, 3)
OF_CYCLE = np.stack([CYCLE[:, 0].T, CYCLE[:, 1].T])
OF_ROUND = np.stack([ROUND[:, :, 0].swapaxes(1, 2)])
OF_CUBE = np.stack([CUBE[0].T, CUBE[1].T])

# %% check="move_rules" points=2
with exercise("move_rules") as check:
    g, a = np.array([[10.0, 20], [30, 40], [50, 60]]), TWO_BY_THREE
    rows = arrays([[10, 20, 30], [40, 50, 60]])
    check.close(reshape_back(g, a), rows, "reshape reads on in rows: 10, 20, 30, 40 ...")
    check.untouched("g is as it was, its shape too: make a new array")
    check.close(reshape_back(FLAT, DEEP), (FLAT.reshape(2, 3, 4),), "(24,) to (2, 3, 4)")
    check.close(permute_back(CYCLE, DEEP, (2, 0, 1)), (OF_CYCLE,), "g by axes (1, 2, 0)")
    columns = arrays([[10, 30, 50], [20, 40, 60]])
    check.close(permute_back(g, a, (1, 0)), columns, "g[1, 0] belongs to a[0, 1]")
    because = "four axes that go round: g by the axes (2, 0, 3, 1)"
    check.close(permute_back(ROUND, DEEP[None], (1, 3, 0, 2)), (OF_ROUND,), because)
    check.close(permute_back(CUBE, CUBE, (0, 2, 1)), (OF_CUBE,), "a swap; equal lengths")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    import itertools
    import math

    from autograd_ref import Tensor as Reference
    from autograder import array

    for shape in [(24,), (6, 4), (4, 6), (4, 3, 2), (2, 1, 12), (3, 2, 2, 2)]:
        a, g = next(check.cases(1, array(2, 3, 4), array(24)))
        x = Reference(a, requires_grad=True)
        x.reshape(shape).backward(g.reshape(shape))
        check.close(reshape_back(g.reshape(shape), a), (x.grad.numpy(),),
                    "back to the shape of a", rtol=1e-12, atol=1e-13)
        back = yours.reshape_rule(g.reshape(shape), a.reshape(shape), a, shape)
        check.close(back, (x.grad.numpy(),), "back to the shape of a", rtol=1e-12, atol=1e-13)
        check.untouched("g, out and a are as they were: make new arrays")
    check.close(reshape_back(np.zeros((0, 2)), np.zeros((3, 0))), (np.zeros((3, 0)),), "a may hold nothing")
    # a of any shape, with no axes or many.
    for shape in [(24,), (4, 6), (1, 24), (24, 1), (2, 3, 2, 2), (2, 1, 3, 2, 2)]:
        a, g = next(check.cases(1, array(*shape), array(24)))
        for other in ((24,), (8, 3), (3, 8), (2, 2, 6), (3, 2, 2, 1, 2)):
            check.equal(reshape_back(g.reshape(other), a), (g.reshape(shape),), "back to the shape of a, whatever it is")
            check.equal(reshape_back(0 * g.reshape(other), a), (0 * a,), "g may be 0")
    check.equal(reshape_back(np.array(2.0), np.array([[5.0]])), (np.array([[2.0]]),), "g may have no axes")

    @probe
    def of_turned(g, shape):
        """What reshape_rule sends back for g and a that lie in memory column by column, as if transposed."""
        a = np.asfortranarray(np.zeros(shape))
        return reshape_rule(np.asfortranarray(g), a.reshape(g.shape), a, g.shape)

    for (g,) in check.cases(2, array(4, 6)):
        for shape in ((24,), (6, 4), (2, 3, 4)):
            because = "in rows, however the numbers of g and a lie in memory"
            check.equal(of_turned(g, shape), (g.reshape(shape),), because)
        got = yours.reshape_rule(g, g, 0 * g.reshape(2, 3, 4), (4, -1))
        check.equal(got, (g.reshape(2, 3, 4),), "a shape may leave one length to NumPy: -1")
    for a, g in check.cases(15, array(2, 3, 4, 1), array(24)):
        axes = list(range(4))
        check.rng.shuffle(axes)
        x = Reference(a, requires_grad=True)
        out = x.permute(*axes)
        g = g.reshape(out.shape)
        out.backward(g)
        check.close(permute_back(g, a, tuple(axes)), (x.grad.numpy(),),
                    "every axis back in its place", rtol=1e-12, atol=1e-13)
        back = yours.permute_rule(g, np.transpose(a, axes), a, tuple(axes))
        check.close(back, (x.grad.numpy(),), "every axis back in its place", rtol=1e-12, atol=1e-13)
        check.untouched("g, out and a are as they were: make new arrays")
    # Lengths do not tell the axes apart: every order of axes that are equally long, alone and among others.
    for shape in [(4,), (3, 3), (2, 2, 2), (3, 3, 4), (2, 5, 2), (2, 3, 3, 2)]:
        a, g = next(check.cases(1, array(*shape), array(math.prod(shape))))
        for axes in itertools.permutations(range(len(shape))):
            moved = g.reshape([shape[i] for i in axes])
            home = np.zeros(shape)
            home.transpose(axes)[...] = moved
            check.equal(permute_back(moved, a, axes), (home,), "no length tells where an axis stands")
    for (g,) in check.cases(2, array(2, 3, 1, 2, 2)):
        axes = (3, 0, 4, 1, 2)
        check.equal(permute_back(g.transpose(axes), 0 * g, axes), (g,), "five axes")
        check.equal(permute_back(0 * g.transpose(axes), g, axes), (0 * g,), "g may be 0")
    # So small, large and many that a difference quotient, of complex numbers too, finds nothing, or finds it too late.
    endless = np.full((2, 3), np.inf)
    for (g,) in check.cases(3, array(3, 2, low=0.2)):
        g = g * 1e-305
        check.equal(yours.reshape_rule(g, endless.T, endless, (3, 2)), (g.reshape(2, 3),), "of a only the shape counts")
        check.equal(yours.permute_rule(g, endless.T, endless, (1, 0)), (g.T,), "of a only the shape counts")

    @probe
    def of_many(seed):
        """What permute_rule sends back for 200,000 numbers."""
        rng = np.random.default_rng(seed)
        a, g = rng.normal(size=(400, 500)), rng.normal(size=(500, 400))
        return *permute_rule(g, a.T, a, (1, 0)), *reshape_rule(g, a.reshape(500, 400), a, (500, 400))

    seed = check.rng.randrange(10**6)
    rng = np.random.default_rng(seed)
    a, g = rng.normal(size=(400, 500)), rng.normal(size=(500, 400))
    check.equal(of_many(seed), (g.T, g.reshape(400, 500)), "many numbers")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. Picking and joining
#
# A network that reads text picks rows of a table, one for each word: words 0, 2 and again 0 are `table[[0, 2, 0]]`. On
# the way back, rows that nobody picked get 0, and a row that was picked twice gets a sum.
#
# **Predict, then run.** `counts` holds three zeros. What does it hold after `counts[[0, 2, 0]] += 1`?

# %%
prediction = [None, None, None]

counts = np.zeros(3)
counts[[0, 2, 0]] += 1
if predicted(prediction, "counted_twice"):
    print("counts:", counts.tolist(), " as you said:", np.array_equal(prediction, counts))

# %% [markdown]
# Row 0 has 1, and should have 2: `x[index] += y` stores each row once. `np.add.at(x, index, y)` adds one after the
# other.
#
# ### Exercise `index_rule` (2 points)
# The rule of `a[index]`. The index is an int, an array of ints, a mask, or a tuple of ints and arrays.
# Ints may be negative.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Start with zeros. Then add each number of `g` in its place.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# back = ...                     # zeros: of which shape?
# np.add.at(...)                 # changes its first argument, and returns None
# return (back,)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A repeated row has the last contribution only: `back[index] += g`.
# </details>


# %% exercise="index_rule"
def index_rule(g, out, a, index):
    """The cotangent of a, in a tuple of one, for out = a[index]; repeats add up."""
    ### BEGIN SOLUTION
    back = np.zeros_like(a)
    np.add.at(back, index, g)
    return (back,)
    ### END SOLUTION


# %% probes="index_rule"
# index_back, as the check calls it, and its arrays
@probe
def index_back(g, a, index):
    """What index_rule sends back, and a as it is afterwards."""
    return index_rule(g, a[index], a, index), a


ROWS, TABLE = arrays([[10, -1], [4, 2], [30, 7]], [[1, 5], [2, 6], [3, 7]])
PLACES = np.array([0, 2, 0]), np.array([1, 0, 1])  # [0, 1], [2, 0], [0, 1]
OF_PLACES = np.array([3.0, 8.0, 2.0])

# %% check="index_rule" points=2
with exercise("index_rule") as check:
    g, table, word, words = ROWS, TABLE, 1, np.array([0, 2, -3])
    (sums,) = arrays([[40, 6], [0, 0], [4, 2]])
    because = "row 0 was picked as 0 and as -3: 10 + 30 and -1 + 7; row 1 never; a stays"
    check.close(index_back(g, table, words), ((sums,), table), because)
    twice = np.stack([g, g]), table, np.stack([words, words])
    check.close(index_back(*twice), ((2 * sums,), table), "2 by 3 words: every row twice")
    (once,) = arrays([[0, 0], [4, 2], [0, 0]])
    check.close(index_back(g[1], table, word), ((once,), table), "an int picks one row")
    back = arrays([[0, 5], [0, 0], [8, 0]]), arrays([[0, 0], [0, 3], [0, 8]])
    check.close(index_back(OF_PLACES, table, PLACES), (back[0], table), "[0, 1] gets 3 + 2")
    check.close(index_back(np.array([3.0, 8]), table, table > 5), (back[1], table), "mask")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    def sent_by_the_reference(g, a, index):
        """A cotangent of a[index], of numbers of g, and what the reference sends back for it."""
        x = Reference(a, requires_grad=True)
        out = x[index]
        upstream = np.resize(g, out.shape)
        out.backward(upstream)
        return upstream, x.grad.numpy()

    for a, g, c in check.cases(15, array(4, 3), array(2, 5, 3), array(4, 3)):
        rng = check.rng
        ids = np.array([[rng.randrange(-4, 4) for _ in range(5)] for _ in range(2)])
        pair = ids % 4, np.array([rng.randrange(3) for _ in range(5)])
        none = np.array([], dtype=int)
        for index in (ids, ids[0], rng.randrange(-4, 4), pair, c > 0, c[:, 0] > 0, none, c > 9, (2, 1), (ids[0], 1)):
            upstream, expected = sent_by_the_reference(g, a, index)
            check.close(index_back(upstream, a, index), ((expected,), a), "repeats add up; a unchanged", rtol=1e-12, atol=1e-13)
            back = yours.index_rule(upstream, a[index], a, index)
            check.close(back, (expected,), "repeats add up", rtol=1e-12, atol=1e-13)
            check.untouched("g, out, a and the index are as they were: make new arrays")
            check.close(index_back(0 * upstream, a, index), ((0 * a,), a), "g may be 0")
    # A tuple may name fewer axes than there are, or all three, and count from their ends.
    for a, g in check.cases(3, array(4, 3, 2), array(60)):
        rows = np.array([check.rng.randrange(-4, 4) for _ in range(5)])
        columns, last = rows % 3 - 3, rows % 2 - 1
        tuples = [(rows,), (rows, -1), (-2, columns), (1, columns, last), (rows, columns, last), (rows, 1, -2), (-1, 2)]
        for index in [*tuples, (rows, columns), (rows[:, None], columns), (3,), (-4, -3, -2), a > 0, a[:, :, 0] > 0]:
            upstream, expected = sent_by_the_reference(g, a, index)
            because = "each number of g in the place that the index names"
            check.close(index_back(upstream, a, index), ((expected,), a), because, rtol=1e-12, atol=1e-13)

    @probe
    def one_by_one(gs, a, indices):
        """What index_rule sends back for one index after the other, all looked at in the end."""
        return [index_rule(g, a[index], a, index) for g, index in zip(gs, indices)]

    for a, g in check.cases(2, array(4, 3), array(2, 3)):
        places = [np.array([0, 2]), np.array([1, 1])]
        expected = [np.stack([g[0], 0 * g[0], g[1], 0 * g[0]]), np.stack([0 * g[0], g[0] - g[1], 0 * g[0], 0 * g[0]])]
        got = one_by_one([g, g * [[1.0], [-1.0]]], a, places)
        check.close(got, [(one,) for one in expected], "each call has an array of its own", rtol=1e-12)

    @probe
    def of_turned(g, shape, index):
        """What index_rule sends back for an a that lies in memory column by column, as after a transposition."""
        a = np.asfortranarray(np.zeros(shape))
        return index_rule(g, a[index], a, index)

    for (g,) in check.cases(2, array(3, 2)):
        rows = np.stack([g[1], 0 * g[1], g[0] + g[2]])
        got = of_turned(g, (3, 2), np.array([2, 0, 2]))
        check.close(got, (rows,), "however the numbers of a lie in memory", rtol=1e-12, atol=1e-13)
    for a, g in check.cases(3, array(3, 2, 2), array(4, 2, 2)):
        rows = np.stack([g[1] + g[3], 0 * g[0], g[0] + g[2]])
        got = yours.index_rule(g, a[[2, 0, 2, 0]], a, np.array([2, 0, 2, 0]))
        check.close(got, (rows,), "a table of matrices", rtol=1e-12, atol=1e-13)
        got = yours.index_rule(g[:, 0, 0], a[[2, 0, 2, 0], 0, 0], a[:, 0, 0], np.array([2, 0, 2, 0]))
        check.close(got, (rows[:, 0, 0],), "a table of numbers", rtol=1e-12, atol=1e-13)
    # So small, large and many that a difference quotient, of complex numbers too, finds nothing, or finds it too late.
    endless, index = np.full((3, 2), np.inf), np.array([2, 0, 2])
    for (g,) in check.cases(3, array(3, 2, low=0.2)):
        g = g * 1e-305
        rows = np.stack([g[1], 0 * g[1], g[0] + g[2]])
        got = yours.index_rule(g, endless, endless, index)
        check.close(got, (rows,), "of a only the shape counts", rtol=1e-9, atol=1e-318)

    @probe
    def of_many(seed):
        """What index_rule sends back for 200,000 numbers."""
        rng = np.random.default_rng(seed)
        a, g = rng.normal(size=(4, 50_000)), rng.normal(size=(5, 50_000))
        index = np.array([3, 0, 3, 1, 3])
        return index_rule(g, a[index], a, index)

    seed = check.rng.randrange(10**6)
    rng = np.random.default_rng(seed)
    a, g = rng.normal(size=(4, 50_000)), rng.normal(size=(5, 50_000))
    rows = np.stack([g[1], g[3], 0 * g[0], g[0] + g[2] + g[4]])
    check.close(of_many(seed), (rows,), "many numbers", rtol=1e-10, atol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# Words 0 and 3 come twice: their rows are sums. Row 2 is all 0.


# %% figure="lookup"
def lookup():
    index, table = np.array([0, 3, 0, 1, 3]), np.zeros((4, 3))
    g = np.array([[2.0, -1, 0], [1, 1, 3], [3, -2, 1], [-4, 0, 2], [0, 2, -1]])
    (back,) = index_rule(g, table[index], table, index)
    sent = {"g, a row for each word": g, "what the table gets": back}
    left, right = plots.matrices(sent, annotate=True)
    left.set_yticks(range(5), [f"word {i}" for i in index])
    left.set_ylabel("")
    right.set_ylabel("word")


lookup()

# %% [markdown]
# Joining arrays moves numbers, too, and the way back cuts `g`:


# %% given="concatenate"
def concatenate_rule(g, out, arrays, axis):
    """The cotangents of a list of arrays, for out = np.concatenate(arrays, axis)."""
    cuts = np.cumsum([a.shape[axis] for a in arrays])[:-1]
    return tuple(np.split(g, cuts, axis=axis))


# %%
joined = [np.zeros((3, n)) for n in (2, 1, 4)]
pieces = concatenate_rule(np.ones((3, 7)), np.ones((3, 7)), joined, 1)
print("7 columns of g, cut:", [piece.shape for piece in pieces])

# %% [markdown]
# ## 5. The matrix product
#
# Nearly all the work of a network is `out = A @ B`. Start with **one** number: raise `A[0, 1]` by 1.


# %%
A = np.array([[2.0, -1.0, 3.0], [0.0, 1.0, -2.0]])
B = np.array([[1.0, 0.0, 2.0, -1.0], [4.0, -3.0, 0.0, 2.0], [1.0, 1.0, -2.0, 0.0]])
G = np.array([[10.0, 0.0, -1.0, 5.0], [2.0, 3.0, 1.0, -4.0]])

# %% given="frames" jupyter={"source_hidden": true}
def framed(ax, top, bottom, left, right, colour="black"):
    """A frame around some cells of a matrix: its first and last row, its first and last column."""
    from matplotlib.patches import Rectangle

    size = right - left + 0.94, bottom - top + 0.94
    ax.add_patch(Rectangle((left - 0.47, top - 0.47), *size, fill=False, edgecolor=colour, linewidth=1.8))


# %% figure="one_entry"
def one_entry():
    raised = A.copy()
    raised[0, 1] += 1
    change = raised @ B - A @ B
    shown = {"A (2, 3)": A, "B (3, 4)": B, "change of A @ B": change, "G (2, 4)": G}
    left, middle, right, upstream = plots.matrices(shown, shared=False)
    framed(left, 0, 0, 1, 1)
    framed(middle, 1, 1, 0, 3)
    framed(right, 0, 0, 0, 3)
    framed(upstream, 0, 0, 0, 3)
    assert (change[0] == B[1]).all() and (change[1] == 0).all()


one_entry()

# %% [markdown]
# Only row 0 of `out` changes, and the change is row 1 of `B`: `A[0, 1]` takes part in each `out[0, j]`, with the
# factor `B[1, j]`. `G` is what arrives at `out`. So `A[0, 1]` gets four contributions, the framed rows multiplied:
# 10 · 4 + 0 · (-3) - 1 · 0 + 5 · 2 = 50. In general:
#
# $$\frac{\partial L}{\partial A_{ik}} = \sum_j g_{ij}\, B_{kj}$$
#
# **Predict, then run.** What does `B[2, 3]` get? In which numbers of `out` does it take part, with which factors?

# %%
prediction = None

raised = B.copy()
raised[2, 3] += 1
change = A @ raised - A @ B
if predicted(prediction, "entry_of_b"):
    print("change of A @ B:", change.tolist())
    print("B[2, 3] gets", (G * change).sum())

# %% [markdown]
# So `dA[i, k]` is row `i` of G times row `k` of B. A matrix product multiplies rows by *columns*, so B is turned:
# dA = G Bᵀ.
#
# Where lengths differ, **the shapes decide**: dA is (2, 3) like A. From G (2, 4) and B (3, 4) there is one way to
# get it: (2, 4) times (4, 3).
#
# ### Exercise `matmul_rule` (2 points)
# The rule of `a @ b` for two matrices. Find dB in the same way: `B[k, j]` meets column `k` of A and column `j` of G.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two matrix products, each with one matrix transposed. Write the shapes on paper.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return g @ ..., ... @ g          # (n, k), then (k, m)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "matmul": the inner lengths differ; a transposition is missing.
# </details>


# %% exercise="matmul_rule"
def matmul_rule(g, out, a, b):
    """The cotangents of a (n, k) and b (k, m), for out = a @ b; g is (n, m)."""
    ### BEGIN SOLUTION
    return g @ b.T, a.T @ g
    ### END SOLUTION


# %% probes="matmul_rule"
# matmul_back, as the check calls it, and its arrays
LEFT = np.array([[2.0, -1.0, 3.0], [0.0, 1.0, -2.0]])
RIGHT = np.array([[1.0, 0.0, 2.0, -1.0], [4.0, -3.0, 0.0, 2.0], [1.0, 1.0, -2.0, 0.0]])
UPSTREAM = np.array([[10.0, 0.0, -1.0, 5.0], [2.0, 3.0, 1.0, -4.0]])


@probe
def matmul_back(g, a, b):
    """What matmul_rule sends back."""
    return matmul_rule(g, a @ b, a, b)


DA = np.array([[3.0, 50.0, 12.0], [8.0, -9.0, 3.0]])
DB = np.array([[20.0, 0.0, -2.0, 10.0], [-8.0, 3.0, 2.0, -9.0], [26.0, -6.0, -5.0, 23.0]])

# %% check="matmul_rule" points=2
with exercise("matmul_rule") as check:
    g, a, b = arrays([[1, 2], [3, 4]], [[5, 6], [7, 8]], [[2, 1], [-1, 3]])
    because = "any order fits here; dA[0, 0]: row 0 of g times row 0 of b, 1 * 2 + 2 * 1"
    da, db = matmul_back(g, a, b)
    check.close({"of a": da}, {"of a": np.array([[4.0, 5], [10, 9]])}, because)
    because = "dB[0, 0]: column 0 of a times column 0 of g, 5 * 1 + 7 * 3"
    check.close({"of b": db}, {"of b": np.array([[26.0, 38], [30, 44]])}, because)
    because = "dA[0, 1] is the 50 from above, and dB[2, 3] is the 23"
    check.close(matmul_back(UPSTREAM, LEFT, RIGHT), (DA, DB), because)
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    for n, k, m in ((2, 3, 4), (5, 1, 2), (1, 4, 3), (3, 2, 1), (3, 3, 3), (4, 3, 3), (3, 3, 2), (1, 1, 4), (1, 4, 1)):
        for g, a, b in check.cases(4, array(n, m), array(n, k), array(k, m)):
            x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
            (x @ y).backward(g)
            check.close(matmul_back(g, a, b), (x.grad.numpy(), y.grad.numpy()),
                        "the gradients of a and b", rtol=1e-11, atol=1e-12)
            back = yours.matmul_rule(g, a @ b, a, b)
            check.close(back, (x.grad.numpy(), y.grad.numpy()), "of a and b", rtol=1e-11, atol=1e-12)
            check.untouched("g, out, a and b are as they were: make new arrays")
            for zeros in ((0 * g, a, b), (g, 0 * a, b), (g, a, 0 * b)):
                expected = zeros[0] @ zeros[2].T, zeros[1].T @ zeros[0]
                check.close(matmul_back(*zeros), expected, "each in its own shape, zeros too", rtol=1e-11, atol=1e-12)
    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, a, b in check.cases(3, *[array(*shape, low=0.2) for shape in ((2, 4), (2, 3), (3, 4))]):
        got = yours.matmul_rule(g, np.zeros((2, 4)), np.full((2, 3), np.inf), b * 1e-305)[0]
        check.close(got, g @ b.T * 1e-305, "of a, whatever a is", rtol=1e-12, atol=0.0)
        got = yours.matmul_rule(g, np.zeros((2, 4)), a * 1e-305, np.full((3, 4), np.inf))[1]
        check.close(got, a.T @ g * 1e-305, "of b, whatever b is", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# dA = G Bᵀ and dB = Aᵀ G: the inner lengths meet, the outer ones remain. The framed row times the framed column is the
# 50; below, the 23.


# %% figure="shapes_fit"
def shapes_fit():
    dA, dB = matmul_rule(UPSTREAM, A @ B, A, B)
    left, right, result = plots.matrices(
        {"G (2, 4)": UPSTREAM, "B transposed (4, 3)": B.T, "dA (2, 3)": dA}, shared=False
    )
    framed(left, 0, 0, 0, 3)
    framed(right, 0, 3, 1, 1)
    framed(result, 0, 0, 1, 1)
    left, right, result = plots.matrices(
        {"A transposed (3, 2)": A.T, "G (2, 4)": UPSTREAM, "dB (3, 4)": dB}, shared=False
    )
    framed(left, 2, 2, 0, 1)
    framed(right, 0, 1, 3, 3)
    framed(result, 2, 2, 3, 3)
    assert dA[0, 1] == 50 and dB[2, 3] == 23


shapes_fit()

# %%
# A second way to the formula: all of A moves by a small D, so L changes by the sum of G * (D @ B). Each product
# G[i, j] * D[i, k] * B[k, j] is also one of the sum of (G @ B.T) * D: what stands beside D is the gradient.
D = np.array([[0.01, -0.02, 0.0], [0.03, 0.0, 0.01]])
print((G * (D @ B)).sum().round(6), "is", ((G @ B.T) * D).sum().round(6))

# %% [markdown]
# ### Stacks and vectors
# With more than two axes, `@` multiplies the matrices in the last two, pair by pair, and broadcasts the axes in
# front: (5, 2, 3) @ (3, 4) uses the same right matrix five times. What was copied gets a sum, by unit 05's
# `unbroadcast`.
#
# A vector on the left counts as a row, on the right as a column; `out` lacks that axis: (k,) @ (k,) is one number.
# Put the axis in, with length 1, use the formulas that you know, and take it out again.


# %% given="unbroadcast"
def unbroadcast(g, shape):
    """g, added up over the axes that broadcasting stretched: an array of this shape."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


# %% [markdown]
# ### Exercise `batched_matmul_rule` (3 points)
# The rule of `a @ b` for whatever `@` takes: vectors, matrices and stacks.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First only stacks: the formulas hold for each pair, so transpose the last two axes, then unbroadcast. Where a
# vector's axis went in, `g` needs one, too.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# left = a[None, :] if ... else a          # a vector is a row here
# right = ...                              # and a column there
# if b.ndim == 1: g = ...                  # a column's axis stands last
# if a.ndim == 1: g = np.expand_dims(...)  # a row's: last but one
# da = g @ ...                             # right.swapaxes(-1, -2) exchanges two axes
# db = ...
# return unbroadcast(da, left.shape).reshape(...), ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "matmul": `.T` turns *all* axes around, and leaves a vector as it is. An axis too many: not unbroadcast,
# or a vector's is still there.
# </details>


# %% exercise="batched_matmul_rule"
def batched_matmul_rule(g, out, a, b):
    """The cotangents of a and b, for out = a @ b: stacks of matrices, matrices or vectors."""
    ### BEGIN SOLUTION
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = g[..., None]
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = unbroadcast(g @ right.swapaxes(-1, -2), left.shape)
    db = unbroadcast(left.swapaxes(-1, -2) @ g, right.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
    ### END SOLUTION


# %% probes="batched_matmul_rule"
# batched_back, as the check calls it, and its arrays
@probe
def batched_back(g, a, b):
    """What batched_matmul_rule sends back."""
    return batched_matmul_rule(g, np.asarray(a @ b), a, b)


GS = np.stack([UPSTREAM, -2 * UPSTREAM])
AS, BS = np.stack([LEFT, 3 * LEFT]), np.stack([RIGHT, 5 * RIGHT])
STACKS = (
    (UPSTREAM, LEFT, RIGHT, (DA, DB), "two matrices, as before"),
    (GS, AS, BS, (np.stack([DA, -10 * DA]), np.stack([DB, -6 * DB])), "each pair gets its own two"),
    (
        GS, AS, RIGHT, (np.stack([DA, -2 * DA]), -5 * DB),
        "one b for both pairs gets DB from the first and -6 DB from the second",
    ),
    (
        GS, LEFT[None], BS, (-9 * DA[None], np.stack([DB, -2 * DB])),
        "an axis of length 1 is stretched: a gets a sum, DA - 10 DA, and the axis stays",
    ),
    (
        np.stack([GS, GS]), AS[:, None], BS, (np.stack([DA, DA])[:, None] * -9, np.stack([DB, -2 * DB]) * 4),
        "the axis of length 1 is the second: each a met both b, and gets DA - 10 DA",
    ),
    (
        GS[None], LEFT, BS[None], (-9 * DA, np.stack([DB, -2 * DB])[None]),
        "four axes: a has none in front",
    ),
)
WIDE = np.array([[2.0, -1.0, -3.0], [4.0, 0.0, -3.0]])
ROW = np.array([3.0, 5.0])
TALL = np.stack([WIDE.T, -WIDE.T])
VECTORS = (
    (
        np.array([10.0, -1]), SQUARE, np.array([4.0, -2]), arrays([[40, -20], [-4, 2]], [3, 16]),
        "row 0 of a made out[0]: it gets 10 * b; and b gets 10 * row 0 - row 1",
    ),
    (
        np.array([10.0, -1, 4]), ROW, WIDE, arrays([9, 28], [[30, -3, 12], [50, -5, 20]]),
        "a[0] gets g times row 0 of b, 10 * 2 - 1 * -1 + 4 * -3; row 0 of b gets a[0] * g",
    ),
    (np.array(10.0), ROW, np.array([2.0, -4]), arrays([20, -40], [30, 50]), "each gets 10 times the other"),
    (
        np.array([[1.0, 0, 2], [0, -1, 1]]), TALL, ROW,
        (np.array([[[3.0, 5], [0, 0], [6, 10]], [[0, 0], [-3, -5], [3, 5]]]), np.array([-2.0, 1])),
        "b gets the sum of what two matrices send, (-4, -2) and (2, 3); a's rows get b times g",
    ),
    (
        np.array([[1.0, 0, 2], [0, -1, 1]]), ROW, np.stack([WIDE, -WIDE]),
        (np.array([-2.0, 1]), np.array([[[3.0, 0, 6], [5, 0, 10]], [[0, -3, 3], [0, -5, 5]]])),
        "a is a row in front of each matrix, and gets a sum; each matrix has one row of g",
    ),
)

# %% check="batched_matmul_rule" points=3
with exercise("batched_matmul_rule") as check:
    for g, a, b, both, because in STACKS + VECTORS:
        because = f"{a.shape} @ {b.shape}: {because}"
        found = batched_back(g, a, b)
        check.equal(len(found), 2, f"two cotangents, {because}")
        for name, one, right in zip(("of a", "of b"), found, both):
            check.close({name: one}, {name: right}, because)
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    fronts = [((), ()), ((2,), (2,)), ((2,), ()), ((), (2,)), ((5, 1), (2,)), ((1, 2), (5, 1)), ((5, 2), ()),
              ((1,), (2,)), ((2,), (1,)), ((2, 1, 3), (1, 2, 1)), ((1,), ()), ((0,), ())]
    # An axis is missing in front, and another has length 1.
    fronts += [((1,), (2, 3)), ((2, 3), (1,)), ((2, 1), (2, 2, 3)), ((1, 1), (2, 1, 2)), ((3,), (2, 1))]
    sizes = [(2, 3, 4), (3, 1, 2), (3, 3, 3), (1, 2, 5)]
    shapes = [((*one, n, k), (*other, k, m)) for one, other in fronts for n, k, m in sizes]
    shapes += [((2, 3), (3,)), ((3,), (3, 2)), ((4,), (4,)), ((1,), (1,)), ((1, 3), (3,)), ((3,), (3, 1))]
    shapes += [((3, 3), (3,)), ((3,), (3, 3)), ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((1, 2, 3), (3,))]
    shapes += [((3,), (1, 3, 2)), ((2, 1, 4, 3), (3,)), ((3,), (2, 5, 3, 1)), ((3, 3, 3), (3,)), ((3,), (3, 3, 3))]
    for left, right in shapes:
        a, b = next(check.cases(1, array(*left), array(*right)))
        x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
        out = x @ y
        (g,) = next(check.cases(1, array(*out.shape)))
        out.backward(g)
        check.close(batched_back(g, a, b), (x.grad.numpy(), y.grad.numpy()),
                    "summed where it was broadcast", rtol=1e-11, atol=1e-12)
        check.untouched()
        back = yours.batched_matmul_rule(g, np.asarray(a @ b), a, b)
        check.close(back, (x.grad.numpy(), y.grad.numpy()), "summed", rtol=1e-11, atol=1e-12)
        check.untouched("g, out, a and b are as they were: make new arrays")
        check.close(batched_back(0 * g, a, b), (0 * a, 0 * b), "each in its own shape, where g is 0 too")
    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, a, b in check.cases(3, *[array(*shape, low=0.2) for shape in ((2, 4), (2, 3), (3, 4))]):
        got = yours.batched_matmul_rule(g, np.zeros((2, 4)), np.full((2, 3), np.inf), b * 1e-305)[0]
        check.close(got, g @ b.T * 1e-305, "of a, whatever a is", rtol=1e-12, atol=0.0)
        got = yours.batched_matmul_rule(g, np.zeros((2, 4)), a * 1e-305, np.full((3, 4), np.inf))[1]
        check.close(got, a.T @ g * 1e-305, "of b, whatever b is", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %%
stack, one = np.linspace(-1, 2, 30).reshape(5, 2, 3), np.linspace(2, -1, 12).reshape(3, 4)
print("five matrices and one: off by", off(np.matmul, batched_matmul_rule, stack, one))
print("and a vector: off by", off(np.matmul, batched_matmul_rule, stack, one[:, 0]))
print("a vector and five: off by", off(np.matmul, batched_matmul_rule, one[0, :2], stack))

# %% [markdown]
# ## 6. Bug hunt
#
# A colleague wrote the backward pass of a network that looks up words. The test says 0 for all three gradients. Yet
# **three lines are wrong.**


# %% given="lookup_network"
def lookup_scores(index, table, W, v):
    """One score for each word: index (n,) into table (words, k); W is (k, m), v is (m,)."""
    return np.tanh(table[index] @ W) @ v


def lookup_backward(g, index, table, W, v):
    """The colleague's cotangents of table, W and v, for g (n,)."""
    x = table[index]
    h = np.tanh(x @ W)
    dv = g @ h
    dh = g[:, None] * v
    dz = dh * (1 - h * h)
    dW = x.T @ dz
    dx = dz @ W
    dtable = np.zeros((index.max() + 1, len(W)))
    dtable[index] += dx
    return dtable, dW, dv


def lookup_test(backward, index, W):
    """How far each of the three gradients is from the numerical one."""
    index, W = np.array(index), np.array(W, dtype=float)
    table, v = np.linspace(-1, 1, 4 * len(W)).reshape(4, -1), np.linspace(1, 2, len(W[0]))
    g = np.linspace(-1, 2, len(index))
    right = numerical_cotangents(lambda *ps: lookup_scores(index, *ps), g, table, W, v)
    pairs = zip(("table", "W", "v"), backward(g, index, table, W, v), right, strict=True)
    return {name: round(float(abs(c - n).max()), 4) for name, c, n in pairs}


# %%
print(lookup_test(lookup_backward, [3, 0, 2], np.eye(2)))

# %% [markdown]
# ### Exercise `mended_lookup` (3 points)
# First find an input that exposes each: give `lookup_test` another index, another `W`; an error is an answer, too.
# Then write the whole function, mended.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The colleague's index has no word twice, and names the last one. And which matrices equal their transpose?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# lookup_test(lookup_backward, [3, 0, 3], np.eye(2))   # in a cell of your own: a word twice
# lookup_test(lookup_backward, [...], ...)             # two more, for the other two of hint 1
# # Copy the body of lookup_backward, and mend three lines.
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Still off, or an error: each of the three inputs shows one bug.
# </details>


# %% exercise="mended_lookup"
def mended_lookup(g, index, table, W, v):
    """The cotangents of table, W and v, for g (n,) and out = tanh(table[index] @ W) @ v."""
    ### BEGIN SOLUTION
    x = table[index]
    h = np.tanh(x @ W)
    dv = g @ h
    dh = g[:, None] * v
    dz = dh * (1 - h * h)
    dW = x.T @ dz
    dx = dz @ W.T
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dx)
    return dtable, dW, dv
    ### END SOLUTION


# %% probes="mended_lookup"
# right_lookup, as the check calls it, and its arrays
def right_lookup(g, index, table, W, v):
    """The cotangents of table, W and v, to the last digit: each number in turn moves by an imaginary 1e-20."""
    inputs = table, W, v
    cotangents = tuple(np.zeros_like(p) for p in inputs)
    for k, cotangent in enumerate(cotangents):
        for place in np.ndindex(cotangent.shape):
            x, w, u = moved = [p.astype(complex) for p in inputs]
            moved[k][place] += 1e-20j
            cotangent[place] = g @ (np.tanh(x[index] @ w) @ u).imag / 1e-20
    return cotangents


WORDS = np.array([[0.5, -1.0], [0.2, 0.7], [-0.4, 0.3], [1.0, -0.6]])
SKEWED = np.array([[1.0, 2.0], [0.0, 1.0]])
WIDER = np.array([[1.0, 2.0, -1.0], [0.0, 1.0, 0.5]])
WEIGHTS = np.array([1.5, -0.5, 2.0])
EXACT = {"rtol": 1e-12, "atol": 1e-13}

# %% check="mended_lookup" points=3
with exercise("mended_lookup") as check:
    g = np.array([1.0, -2.0, 0.5])
    for index, W, because in (
        ([3, 0, 2], np.eye(2), "the colleague is right here: which of your lines differs?"),
        ([3, 0, 2], SKEWED, "W differs from its transpose"),
        ([3, 0, 3], np.eye(2), "word 3 twice: its row gets the sum"),
        ([1, 0, 2], np.eye(2), "word 3 is not looked up: it has a row, too, of zeros"),
        ([1, 1, 1], WIDER, "one word three times, and W is (2, 3)"),
    ):
        case = g, np.array(index), WORDS, W, WEIGHTS[: W.shape[1]]
        check.close(yours.mended_lookup(*case), right_lookup(*case), because, **EXACT)
        check.untouched("table, W, v, g and index are as they were: make new arrays")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    for n, words, k, m in [(6, 4, 3, 5)] * 9 + [(1, 4, 3, 5), (3, 3, 3, 3), (4, 2, 1, 3), (3, 4, 2, 1), (5, 1, 2, 2)]:
        g, table, W, v = next(check.cases(1, array(n), array(words, k), array(k, m), array(m)))
        index = np.array([check.rng.randrange(words) for _ in range(n)])
        inputs = [Reference(p, requires_grad=True) for p in (table, W, v)]
        ((inputs[0][index] @ inputs[1]).tanh() @ inputs[2]).backward(g)
        expected = tuple(p.grad.numpy() for p in inputs)
        check.close(yours.mended_lookup(g, index, table, W, v), expected,
                    "the three gradients", rtol=1e-11, atol=1e-12)
        check.untouched()
        zeros = 0 * table, 0 * W, 0 * v
        check.close(yours.mended_lookup(0 * g, index, table, W, v), zeros, "each in its own shape, where g is 0 too")

    @probe
    def one_by_one(gs, index, table, W, v):
        """What mended_lookup gives for one g after the other, all looked at in the end."""
        return [mended_lookup(g, index, table, W, v) for g in gs]

    for g, table, W, v in check.cases(2, array(5), array(4, 3), array(3, 2), array(2)):
        index = np.array([3, 0, 3, 1, 1])
        once = yours.mended_lookup(g, index, table, W, v)
        got = one_by_one([g, -2 * g], index, table, W, v)
        expected = [tuple(factor * array for array in once) for factor in (1, -2)]
        check.close(got, expected, "each call has arrays of its own", rtol=1e-9, atol=1e-12)

    @probe
    def with_endless(*arrays):
        """What mended_lookup gives; that endless numbers lead to NaN elsewhere is no fault."""
        with np.errstate(all="ignore"):
            return mended_lookup(*arrays)

    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, table, W, v in check.cases(3, array(6), array(4, 3), array(3, 5), array(5)):
        index = np.array([check.rng.randrange(4) for _ in range(6)])
        got = with_endless(g, index, table, W, np.full(5, np.inf))[2]
        check.close(got, g @ np.tanh(table[index] @ W), "of v, whatever v is", rtol=1e-11, atol=1e-12)
        slopes = yours.mended_lookup(g, index, table, W, v)
        tiny = yours.mended_lookup(g, index, table, W, v * 1e-300)
        for big, small in zip(slopes[:2], tiny[:2]):
            check.close(small * 1e300, big, "a tiny v", rtol=1e-9, atol=1e-9)
    ### END HIDDEN TESTS

# %% [markdown]
# A square or symmetric matrix hides a missing transposition. Distinct indices hide a lost sum, and the last one a
# table that is too short. Test with none.
#
# ## 7. A network that reads digits
#
# Of each 2 by 2 block of an image of 8 by 8 pixels the network gets the darkest pixel and the mean, 32 numbers: `x`.
# Two layers make ten scores, one per digit:
#
# $$\mathrm{scores} = \mathrm{relu}(x\,W_1 + b_1)\,W_2 + b_2$$
#
# One layer, with your `matmul_rule`. Work out what each step sends before you open it.

# %% figure="steps"
def steps():
    from autograd_ref.graph import backward_steps

    class Box:
        def __init__(self, label, data, op="", parents=()):
            self.label, self.data, self.grad = label, data, None
            self.op, self.parents = op, parents

    x = Box("x", np.array([[2.0, 1.0], [0.0, -1.0], [1.0, 3.0], [-1.0, 2.0]]))
    W = Box("W", np.array([[1.0, 0.0, -1.0], [-1.0, 2.0, 1.0]]))
    b = Box("b", np.array([1.0, -2.0, 0.0]))
    p = Box("p", x.data @ W.data, "@", (x, W))
    s = Box("s", p.data + b.data, "+", (p, b))
    h = Box("h", np.maximum(s.data, 0), "relu", (s,))

    def step(box):
        if box is h:
            s.grad = h.grad * (s.data > 0)
        elif box is s:
            p.grad, b.grad = s.grad, unbroadcast(s.grad, b.data.shape)
        elif box is p:
            x.grad, W.grad = matmul_rule(p.grad, p.data, x.data, W.data)

    g = [[1, 4, -1], [2, 3, 5], [-2, 1, 6], [7, -1, 2]]
    return backward_steps(h, [x, W, p, b, s, h], step, gradient=g)


steps()

# %% [markdown]
# ### Exercise `two_layer_rule` (3 points)
# The rule of the formula: `g` (n, 10) arrives at the scores, and each of the five inputs gets its cotangent. relu's
# slope at 0 is 0.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Compute the hidden values `h` again. Find what W2, b2 and `h` get from `g`; then what reaches `x @ W1 + b1`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# h = np.maximum(..., 0)
# dh = g @ ...                     # through the second @
# dz = dh * ...                    # through relu: a mask
# return ..., ..., ..., ..., ...   # x, W1, b1, W2, b2: each in its own shape
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A bias of shape (n, hidden): it was copied to all rows, so it gets their sum. Only W2 and b2 right: look at the
# mask.
# </details>


# %% exercise="two_layer_rule"
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    """The cotangents of x, W1, b1, W2, b2, for out = relu(x @ W1 + b1) @ W2 + b2."""
    ### BEGIN SOLUTION
    h = np.maximum(x @ W1 + b1, 0)
    dh = g @ W2.T
    dz = dh * (h > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)
    ### END SOLUTION


# %% probes="two_layer_rule"
# two_layer_back, as the check calls it, and its arrays
@probe
def two_layer_back(g, x, W1, b1, W2, b2):
    """What two_layer_rule sends back, by name."""
    inputs = x, W1, b1, W2, b2
    found = two_layer_rule(g, np.maximum(x @ W1 + b1, 0) @ W2 + b2, *inputs)
    named = dict(zip(("dx", "dW1", "db1", "dW2", "db2"), found))
    return {**named, "count": len(found)}


X, G2 = arrays([[1, 2], [-1, 0], [3, -1]], [[1, 0], [2, -1], [0, 4]])
W1, B1 = arrays([[1, 0, -1], [0, -1, 2]], [1, 1, -2])
W2, B2 = arrays([[2, 1], [0, -1], [-3, 1]], [-2, 0.5])

# %% check="two_layer_rule" points=3
with exercise("two_layer_rule") as check:
    found = two_layer_back(G2, X, W1, B1, W2, B2)
    check.close(found["count"], 5, "five inputs: a cotangent for each of them")
    for name, rows, because in (
        ("db2", [3, 3], "comes last: b2 was copied to three rows, it gets their sum"),
        ("dW2", [[2, 16], [2, 7], [1, 0]], "h: 2 0 1, 0 1 0, 4 2 0; dW2[0]: 2g[0] + 4g[2]"),
        ("db1", [6, -3, -3], "2 0 -3, 0 1 0, 4 -4 0 pass where h > 0; their sum"),
        ("dW1", [[14, -13, -3], [0, 4, -6]], "x and those rows: dW1[0, 0] = 1 * 2 + 3 * 4"),
        ("dx", [[5, -6], [0, -1], [4, 4]], "those rows and W1: dx[0, 0] = 2 * 1 + 3 * 1"),
    ):
        check.close({name: found[name]}, {name: np.array(rows, dtype=float)}, because)
    check.untouched("g and the inputs are as they were: make new arrays")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    # One row, equal lengths, and any; the first row at the corner of relu.
    for n, i, k, m in [(5, 3, 4, 2)] * 9 + [(1, 3, 4, 2), (3, 3, 3, 3), (2, 1, 3, 2), (4, 2, 3, 1), (4, 2, 1, 3)]:
        g, *inputs = next(
            check.cases(1, array(n, m), array(n, i), array(i, k), array(k), array(k, m), array(m))
        )
        if n > 3:
            inputs[0][0], inputs[2][::2] = 0.0, 0.0
        x, w1, b1, w2, b2 = (Reference(a, requires_grad=True) for a in inputs)
        ((x @ w1 + b1).relu() @ w2 + b2).backward(g)
        grads = {n: t.grad.numpy() for n, t in zip(("dx", "dW1", "db1", "dW2", "db2"), (x, w1, b1, w2, b2))}
        check.close(two_layer_back(g, *inputs), {**grads, "count": 5},
                    "the five gradients", rtol=1e-11, atol=1e-12)
        check.untouched()
        x, w1, b1, w2, b2 = inputs
        back = yours.two_layer_rule(g, np.maximum(x @ w1 + b1, 0) @ w2 + b2, *inputs)
        check.close(back, tuple(grads.values()), "the five gradients", rtol=1e-11, atol=1e-12)
        check.untouched("g, out and the inputs are as they were: make new arrays")
        zeros = {name: 0 * gradient for name, gradient in grads.items()}
        check.close(two_layer_back(0 * g, *inputs), {**zeros, "count": 5}, "each in its own shape, where g is 0 too")
        # Whatever is above 0 passes, however little, and nothing below it.
        z = 1e-9 * x @ w1 + 1e-9 * b1
        dz = (g @ w2.T) * (z > 0)
        got = two_layer_back(g, 1e-9 * x, w1, 1e-9 * b1, w2, b2)
        for name, right in (("dx", dz @ w1.T), ("db1", dz.sum(axis=0))):
            because = "hidden values just above 0 pass g on"
            check.close({name: got[name]}, {name: right}, because, rtol=1e-9, atol=1e-12)
    @probe
    def with_endless(*arrays):
        """What two_layer_rule gives; that endless numbers lead to NaN elsewhere is no fault."""
        with np.errstate(all="ignore"):
            return two_layer_rule(*arrays)

    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, x, W1, b1, W2, b2 in check.cases(
        3, array(5, 2), array(5, 3), array(3, 4), array(4), array(4, 2), array(2)
    ):
        h = np.maximum(x @ W1 + b1, 0)
        got = with_endless(g, np.zeros((5, 2)), x, W1, b1, np.full((4, 2), np.inf), b2)[3:]
        check.close(got, (h.T @ g, g.sum(axis=0)), "of W2 and b2, whatever W2 is", rtol=1e-11, atol=1e-12)
        tiny = two_layer_back(g, x, W1, b1, W2 * 1e-300, b2)
        for name, cotangent in two_layer_back(g, x, W1, b1, W2, b2).items():
            if name in ("dx", "dW1", "db1"):
                check.close(tiny[name] * 1e300, cotangent, "a tiny W2", rtol=1e-9, atol=1e-9)
    ### END HIDDEN TESTS

# %% [markdown]
# `cut = image.reshape(4, 2, 4, 2)` makes blocks: 8 rows are 4 rows of blocks, with 2 rows in each. So each pixel has
# four numbers; one is framed. Right: with the axes (0, 2, 1, 3).


# %% figure="blocks"
def blocks_of_pixels():
    image = load_digits()[0][382, 0]
    cut = image.reshape(4, 2, 4, 2)
    blocks = np.transpose(cut, (0, 2, 1, 3))
    left, right = plots.panels(2, height=4.2)
    # The same blocks, drawn one by one.
    apart = np.full((11, 11), np.nan)
    for row, column in np.ndindex(4, 4):
        apart[3 * row : 3 * row + 2, 3 * column : 3 * column + 2] = blocks[row, column]
        framed(left, 2 * row, 2 * row + 1, 2 * column, 2 * column + 1, "#a0a0a0")
        framed(right, 3 * row, 3 * row + 1, 3 * column, 3 * column + 1, "#a0a0a0")
    for ax, shown in ((left, image), (right, apart)):
        ax.imshow(shown, cmap="Greys", vmin=0, vmax=1)
        ax.grid(False)
        ax.spines[:].set_visible(False)
    left.set(title="framed: cut[1, 1, 3, 0]", xlabel="column of blocks, column in it")
    left.set_ylabel("row of blocks, row in it")
    places = [f"{k // 2}, {k % 2}" for k in range(8)]
    left.set_xticks(range(8), places, fontsize=8)
    left.set_yticks(range(8), places, fontsize=8)
    right.set(title="transposed: blocks[1, 3, 1, 0]", xlabel="column of blocks", ylabel="row of blocks")
    right.set_xticks([0.5, 3.5, 6.5, 9.5], range(4))
    right.set_yticks([0.5, 3.5, 6.5, 9.5], range(4))
    framed(left, 3, 3, 6, 6, "red")
    framed(right, 4, 4, 9, 9, "red")
    assert blocks[1, 3, 1, 0] == cut[1, 1, 3, 0] == image[3, 6]


blocks_of_pixels()

# %% [markdown]
# **Predict, then run.** At which place of `cut` is pixel (5, 2), row 5 and column 2?

# %%
prediction = (None, None, None, None)

if predicted(prediction, "place_in_blocks"):
    numbered = np.arange(64).reshape(8, 8)
    places = np.argwhere(numbered.reshape(4, 2, 4, 2) == numbered[5, 2])
    print("cut at", *places.tolist(), " as you said:", np.array_equal([prediction], places))

# %% [markdown]
# `features_of` does so, takes maxima and means, and joins them. The way back is a chain of **your rules**: write it
# before you unfold ours (not graded, tested below).


# %% given="features"
def features_of(images):
    """Images (n, 8, 8), cut, in blocks; the blocks' maxima and means; and x (n, 32)."""
    cut = images.reshape(-1, 4, 2, 4, 2)  # axis 0 counts the images
    blocks = np.transpose(cut, (0, 1, 3, 2, 4))
    tops = blocks.max(axis=(3, 4), keepdims=True)
    means = blocks.mean(axis=(3, 4), keepdims=True)
    x = np.concatenate([tops.reshape(-1, 16), means.reshape(-1, 16)], axis=1)
    return cut, blocks, tops, means, x


# %%
def my_way(g, images):
    """The cotangent of images (n, 8, 8), for g (n, 32) that arrives at x."""
    cut, blocks, tops, means, x = features_of(images)
    # Cut g in two, bring each half into its shape before, go back through maximum and mean, add up,
    # undo the permutation and the first reshape. For example:
    # halves = [tops.reshape(-1, 16), means.reshape(-1, 16)]
    # g_tops, g_means = concatenate_rule(g, x, halves, 1)
    return None


# %% given="digits" jupyter={"source_hidden": true}
def to_pixels(g, images):
    """The cotangent of images (n, 8, 8), for g (n, 32) that arrives at x."""
    cut, blocks, tops, means, x = features_of(images)
    halves = [tops.reshape(-1, 16), means.reshape(-1, 16)]
    g_tops, g_means = concatenate_rule(g, x, halves, 1)
    (g_tops,) = reshape_rule(g_tops, halves[0], tops, halves[0].shape)
    (g_means,) = reshape_rule(g_means, halves[1], means, halves[1].shape)
    (from_tops,) = amax_rule(g_tops, tops, blocks, (3, 4))
    (from_means,) = mean_rule(g_means, means, blocks, (3, 4), True)
    (g_cut,) = permute_rule(from_tops + from_means, blocks, cut, (0, 1, 3, 2, 4))
    return reshape_rule(g_cut, cut, images, cut.shape)[0]


# %% [markdown]
# The loss is the mean squared error between the scores and a 1 for the right digit, 0 for the others.


# %% given="training_data"
def two_layers(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


rng = np.random.default_rng(6)
images, labels = load_digits()
images = images[:, 0]
order = rng.permutation(len(images))
train, held_out = order[:1400], order[1400:]
features, wanted = features_of(images)[-1], np.eye(10)[labels]
middle = features[train].mean(axis=0)
features = features - middle  # training is faster around 0; minus a constant, the slope is 1
first = [rng.normal(size=(32, 32)) / 4, np.zeros(32)]
first += [rng.normal(size=(32, 10)) / 10, np.zeros(10)]

# %%
# First a test: all weights, and 64 random pixels, no two tied.
x, y = features[train[:4]], wanted[train[:4]]
g = 2 * (two_layers(x, *first) - y) / y.size  # of the mean squared error
found = two_layer_rule(g, two_layers(x, *first), x, *first)[1:]
right = numerical_cotangents(lambda *p: ((two_layers(x, *p) - y) ** 2).mean(), 1.0, *first)
error = max(abs(c - n).max() for c, n in zip(found, right))
print(f"{sum(p.size for p in first):,} weights: off by", error.round(6).item())

noise, g = rng.uniform(size=(1, 8, 8)), rng.normal(size=(1, 32))
(right,) = numerical_cotangents(lambda image: features_of(image)[-1], g, noise)
print("64 pixels: off by", abs(to_pixels(g, noise) - right).max().round(6).item())
yours_too = my_way(g, noise)
if yours_too is None:
    print("my_way is not written yet")
else:
    print("my_way: off by", abs(yours_too - right).max().round(6).item())

# %% [markdown]
# Unit 05's engine records the way there. With your rules in its table it finds the way back by itself:


# %% given="engine" jupyter={"source_hidden": true}
# Unit 05's engine, shortened. Each operation: what it computes, and its rule.
OPERATIONS = {
    "reshape": (np.reshape, reshape_rule),
    "permute": (np.transpose, permute_rule),
    "max": (lambda a, axis: a.max(axis=axis, keepdims=True), amax_rule),
    "mean": (lambda a, axis, keepdims: a.mean(axis=axis, keepdims=keepdims), mean_rule),
    "join": (
        lambda a, b, axis: np.concatenate([a, b], axis),
        lambda g, out, a, b, axis: concatenate_rule(g, out, [a, b], axis),
    ),
    "@": (np.matmul, batched_matmul_rule),
    "+": (np.add, lambda g, out, a, b: (unbroadcast(g, a.shape), unbroadcast(g, b.shape))),
    "relu": (lambda a: np.maximum(a, 0), lambda g, out, a: (g * (a > 0),)),
}


class Tensor:
    """An array that remembers how it was computed."""

    made = 0  # so many so far

    def __init__(self, data, op="", parents=(), constants=()):
        self.data, self.op, self.parents, self.constants = data, op, parents, constants
        self.grad, self.age = 0.0, Tensor.made
        Tensor.made += 1


def record(op, *parents, constants=()):
    compute, rule = OPERATIONS[op]
    return Tensor(compute(*(p.data for p in parents), *constants), op, parents, constants)


def backward(result, gradient):
    """Sends `gradient` back from `result`; gives the operations in the order in which their rules were called."""
    found, waiting = {result}, [result]
    while waiting:
        new = set(waiting.pop().parents) - found
        found |= new
        waiting += new
    result.grad, called = gradient, []
    for node in sorted(found, key=lambda node: node.age, reverse=True):
        if node.parents:
            compute, rule = OPERATIONS[node.op]
            inputs = *(p.data for p in node.parents), *node.constants
            for parent, cotangent in zip(node.parents, rule(node.grad, node.data, *inputs)):
                parent.grad = parent.grad + cotangent
            called.append(node.op)
    return called


# %%
def recorded_scores(pixels, W1, b1, W2, b2):
    cut = record("reshape", pixels, constants=((-1, 4, 2, 4, 2),))
    blocks = record("permute", cut, constants=((0, 1, 3, 2, 4),))
    tops = record("max", blocks, constants=((3, 4),))
    means = record("mean", blocks, constants=((3, 4), True))
    tops, means = (record("reshape", half, constants=((-1, 16),)) for half in (tops, means))
    x = record("+", record("join", tops, means, constants=(1,)), Tensor(-middle))
    h = record("relu", record("+", record("@", x, W1), b1))
    return record("+", record("@", h, W2), b2)


leaves = [Tensor(images[:50]), *map(Tensor, first)]
g = wanted[:50]
print("rules called:", *backward(recorded_scores(*leaves), g))
x = features[:50]
dx, *by_hand = two_layer_rule(g, two_layers(x, *first), x, *first)
by_hand = [to_pixels(dx, images[:50]), *by_hand]
far = max(abs(leaf.grad - one).max() for leaf, one in zip(leaves, by_hand))
print("the engine's gradients of pixels and weights: off by", far.round(6).item())

# %%
# 3,000 steps of gradient descent, with 50 images each.
weights, losses = [p.copy() for p in first], []
for _ in range(3000):
    batch = rng.choice(train, 50)
    x, y = features[batch], wanted[batch]
    out = two_layers(x, *weights)
    losses.append(((out - y) ** 2).mean())
    g = 2 * (out - y) / y.size
    for p, gradient in zip(weights, two_layer_rule(g, out, x, *weights)[1:]):
        p -= 2.0 * gradient

guess = two_layers(features, *weights).argmax(axis=1)
share = (guess == labels)[held_out].mean()
assert share > 0.9
print(f"loss {np.mean(losses[:20]):.3f} at first, {np.mean(losses[-20:]):.3f} at the end")
print(f"{share:.0%} of {len(held_out)} digits it never saw are right")

# %% [markdown]
# Pale: the loss of each batch. Its mean over 50 steps falls, fast at first.

# %% figure="losses"
def loss_curve():
    plots.learning_curves({"mean of 50": losses}, log=True, smooth=50, title="", ylabel="loss of a batch")


loss_curve()

# %% [markdown]
# Pixels have gradients, too: here of the right digit's score. Ink on orange raises it, ink on blue lowers it: the
# strongest of each is framed. In most blocks (2 by 2) that hold ink the darkest pixel stands out: a maximum lets one
# number through. On blank blocks all four are tied, and share.


# %% figure="pixels"
def pixels():
    panels, gradients = plots.panels(6), []
    for place in (45, 317, 382):
        g = np.eye(10)[[labels[place]]]  # the score of this digit
        x = features[[place]]
        dx = two_layer_rule(g, two_layers(x, *weights), x, *weights)[0]
        gradients.append(to_pixels(dx, images[[place]])[0])
    limit = np.abs(gradients).max()
    for place, gradient, above, below in zip((45, 317, 382), gradients, panels[:3], panels[3:]):
        above.imshow(images[place], cmap="Greys", vmin=0, vmax=1)
        above.set_title(f"a {labels[place]}")
        plots.matrix(gradient, annotate=False, limit=limit, ax=below)
        below.set_title(f"score of {labels[place]}: {gradient.min():.2f} to {gradient.max():.2f}")
        for extreme in (gradient.max(), gradient.min()):
            i, j = np.argwhere(gradient == extreme)[0]
            for ax, colour in ((above, "red"), (below, "black")):
                framed(ax, i, i, j, j, colour)
        for line in (1.5, 3.5, 5.5):
            below.axhline(line, color="#606060", linewidth=0.8)
            below.axvline(line, color="#606060", linewidth=0.8)
    for ax in panels:
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
        ax.spines[:].set(visible=True, color="#808080")
    assert all(guess[i] == labels[i] and i in held_out for i in (45, 317, 382))


pixels()

# %% [markdown]
# ## 8. Fooled, on your own
#
# Now leave the weights, and change the image. These two ask your network:


# %% given="closed"
def your_scores(image):
    x = features_of(image[None])[-1] - middle
    return two_layers(x, *weights)[0]


def your_back(image, g):
    x = features_of(image[None])[-1] - middle
    dx = two_layer_rule(g[None], two_layers(x, *weights), x, *weights)[0]
    return to_pixels(dx, image[None])[0]


five = images[763]

# %% [markdown]
# ### Exercise `fooled` (3 points)
# From an empty cell: a changed copy of an image, which a network takes for `digit`. No pixel may move by more than 0.3,
# and all stay between 0 and 1. `scores(image)` gives its ten scores, of any size: it sees the digit with the largest.
# `back(image, g)` gives the gradient by each pixel, for a cotangent `g` (10,) of the scores. You have **100 calls** of
# the two together, about 50 steps.
#
# Try it first: `fooled(five, 8, your_scores, your_back)`. Where the check says no, `show_fooled` draws why.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which score has to rise, and which stands in its way? One `g` can say both.
# </details>
# <details><summary>Hint 2: what you can use</summary>
#
# Small steps, and look after each; but 50 steps of 0.005 do not use up the 0.3. The gradient's size says nothing
# here: divide by its largest number, or take `np.sign`. `np.clip` takes arrays as limits, too.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The old digit is still seen, or a third: only one score was pushed. Too far away: clip around the *first* image.
# </details>


# %% exercise="fooled"
def fooled(image, digit, scores, back):
    """An image (8, 8) near `image` that the network takes for `digit`."""
    ### BEGIN SOLUTION
    changed = image
    for _ in range(49):
        found = scores(changed)
        if found.argmax() == digit:
            break
        g = np.zeros(10)
        g[digit], g[found.argmax()] = 1, -1
        slope = back(changed, g)
        changed = changed + 0.05 * slope / abs(slope).max()
        changed = changed.clip(image - 0.3, image + 0.3).clip(0, 1)
    return changed
    ### END SOLUTION


# %% probes="fooled"
# Networks that read digits, made without a gradient; fooled_by, as the check calls it
CALLS, READERS = 100, {}
# the place of an image, the digit that is to be seen, the seed of the network
LOUD = (763, 8, 1), (317, 6, 1), (1700, 0, 1), (1497, 1, 3), (315, 0, 3), (1351, 8, 3)


def reader(seed, factor=1.0):
    """W1, b1, W2, b2: first weights as drawn, the second by least squares, and times factor."""
    if seed not in READERS:
        rng = np.random.default_rng(seed)
        pictures, digits = load_digits(flat=True)
        W1, b1 = rng.normal(size=(64, 120)) / 4, rng.normal(size=120) / 4
        hidden = np.maximum(pictures @ W1 + b1, 0)
        hidden = np.concatenate([hidden, np.ones((len(hidden), 1))], axis=1)
        READERS[seed] = W1, b1, np.linalg.lstsq(hidden, np.eye(10)[digits], rcond=None)[0]
    W1, b1, last = READERS[seed]
    return W1, b1, factor * last[:-1], factor * last[-1]


def read(pictures, W1, b1, W2, b2):
    """The scores (n, 10) of some images, of complex numbers too."""
    hidden = pictures.reshape(-1, 64) @ W1 + b1
    return np.where(hidden.real > 0, hidden, 0) @ W2 + b2


@probe
def fooled_by(place, digit, seed=1, factor=1.0):
    """What fooled makes of an image of load_digits(), and how it asks reader(seed, factor)."""
    first, weights = load_digits()[0][place, 0].copy(), reader(seed, factor)
    given, images, calls, gs, slopes, steps = first.copy(), [first], 0, [], [], []

    class Spent(BaseException):
        """All calls are used up: fooled ends here."""

    def ask(image):
        nonlocal calls
        calls += 1
        if calls > CALLS:
            raise Spent
        images.append(np.array(image, dtype=float).reshape(8, 8))
        return images[-1]

    def scores(image):
        return read(ask(image), *weights)[0]

    def back(image, g):
        near = ask(image).reshape(1, 64) + 1e-20j * np.eye(64)
        steps.append(images[-1].ravel())
        gs.append(np.array(g, dtype=float).reshape(10))
        slopes.append(read(near, *weights).imag / 1e-20 @ gs[-1])
        return slopes[-1].reshape(8, 8).copy()

    try:
        found = fooled(given, digit, scores, back)
    except Spent:
        found = images[-1]
    whole = isinstance(found, np.ndarray) and found.shape == (8, 8) and found.dtype.kind in "biuf"
    path = [*steps, found.ravel()] if whole else steps
    for i, (image, slope) in enumerate(zip(steps, slopes)):
        # Who steps against the slope pushes the other way round.
        if next(((b - image) @ slope for b in path[i:] if (b != image).any()), 0.0) < -1e-9:
            gs[i] = -gs[i]
    moves = [b - a for a, b in zip(steps, steps[1:]) if (a != b).any()]
    sizes = [abs(move).max() for move in moves]
    seen = read(np.array([image for image in images if np.isfinite(image).all()]), *weights).argmax(axis=1)
    return {
        "calls": calls,
        "calls of back": len(gs),
        "images for back": len({image.tobytes() for image in steps}),
        "seen on the way": list(dict.fromkeys(seen.tolist())),
        "seen last": int(seen[-1]),
        "pushed up": np.flatnonzero(np.max([np.zeros(10), *gs], axis=0) > 0).tolist(),
        "pushed down": np.flatnonzero(np.min([np.zeros(10), *gs], axis=0) < 0).tolist(),
        "down at once": max((int((g <= g.min() / 2).sum()) for g in gs if g.min() < 0), default=0),
        "step": float(np.median(sizes or [0]).round(3)),
        "spread": max(sizes) / min(sizes) if sizes else 1.0,
        "turns": sum(float(a @ b) < 0 for a, b in zip(moves, moves[1:])),
        "first is kept": bool((given == first).all()),
        "image": found,
    }


def show_fooled(place, digit, seed=1, factor=1.0):
    """Draws what the check sees: the image before and after, and its scores."""
    first, weights = load_digits()[0][place, 0], reader(seed, factor)
    found = fooled_by(place, digit, seed, factor)["image"]
    if not isinstance(found, np.ndarray) or found.shape != (8, 8):
        print("No image of 8 by 8 pixels came back:", found)
        return
    panels = plots.panels(3)
    for k, (ax, image, word) in enumerate(zip(panels, (first, found), ("before", "after"))):
        scores = read(image, *weights)[0]
        ax.imshow(image, cmap="Greys", vmin=0, vmax=1)
        ax.set(title=f"{word}: sees {scores.argmax()}", xticks=[], yticks=[])
        panels[2].bar(np.arange(10) + 0.4 * k - 0.2, scores, 0.4, label=word)
    panels[2].axhline(0, color="black", linewidth=0.8)
    panels[2].set(title="scores", xticks=range(10))
    panels[2].legend()


def advice(told, digit, seen, moved, factor):
    """What the calls show of the way, as a sentence; empty where they show nothing."""
    spent = told["calls"] > CALLS - 4  # less than two steps are left
    if seen == digit:
        return f"The last image was seen as {digit} already: stop as soon as it is."
    if not told["calls"]:
        return "You never called the scores and back that fooled was given: another network was asked, or none."
    if not told["calls of back"]:
        return "You never called back, which says how each pixel moves the scores."
    if told["seen last"] == digit:
        return f"The last image that you asked about was seen as {digit}: return that one, clipped before you ask."
    if digit in told["seen on the way"] and digit in told["pushed down"]:
        return f"{digit} was seen on the way: stop there. Some steps push {digit} down."
    if digit in told["seen on the way"]:
        return f"{digit} was seen on the way: stop there."
    if not told["pushed up"] + told["pushed down"]:
        return "No g of yours says which scores to push."
    if digit not in told["pushed up"]:
        return f"No step of yours pushes {digit} up: look at your g, and at the sign of the step."
    if not told["pushed down"]:
        return f"No step of yours pushes a score down: what stands in the way of {digit}?"
    if told["down at once"] > 2:
        many = told["down at once"]
        return f"A step of yours pushes {many} scores down about alike: push down the one that is seen."
    if seen in told["seen on the way"] and seen not in told["pushed down"]:
        return f"No step of yours pushes {seen} down: ask after each step what is seen."
    if told["calls of back"] > 2 and told["images for back"] == 1:
        if not moved:
            return "No pixel moved: a step that the limits take away again leads nowhere. Move all pixels that help."
        return "All calls of back were at one image: ask for the slopes where you are now."
    if told["calls of back"] > 1 and factor < 1 and told["step"] < 0.005:
        return "Small scores have small gradients: a step may not depend on their size."
    if told["spread"] > 3 and moved < 0.29 and told["step"] < 0.05:
        return "Some of your steps are much longer than others: do they grow with the gradient? Its size says nothing here."
    if told["calls of back"] > 1 and moved < 0.29 and told["step"] < 0.03:
        return "Take larger steps." if spent else "Take more steps, or larger ones."
    if told["step"] >= 0.05 and told["turns"] > 9:
        return "Many steps go against the one before: take smaller ones."
    return "" if spent else f"{CALLS - told['calls']} calls are left: go on in small steps until {digit} is seen."


def judge(check, place, digit, seed=1, factor=1.0):
    """Asks for an image that is to be taken for this digit, and looks at it."""
    image, weights = load_digits()[0][place, 0], reader(seed, factor)
    told = fooled_by(place, digit, seed, factor)
    found, calls = told["image"], told["calls"]
    drawn = f"\nshow_fooled{(place, digit, seed, factor)} draws it."
    check.true(told["first is kept"], f"the first image has to stay as it was: make a new one{drawn}")
    other = "None: what is returned where the loop ends?" if found is None else "no array."
    check.true(isinstance(found, np.ndarray), f"the changed image is to come back, and it is {other}{drawn}")
    check.equal(found.shape, (8, 8), f"the changed image has 8 by 8 pixels{drawn}")
    check.true(bool(np.isfinite(found).all()), f"each pixel is a finite number: a division by 0 gives none{drawn}")
    moved = abs(found - image).max()
    before, now = read(image, *weights)[0], read(found, *weights)[0]
    seen = now.argmax()
    report = f"the network is to see {digit}, and sees {seen}. Scores: " + ", ".join(
        f"{n} from {before[n]:.3g} to {now[n]:.3g}" for n in dict.fromkeys((digit, seen))
    )
    report += f"\nPixels moved up to {moved:.2g} of 0.3, with {min(calls, CALLS)} of {CALLS} calls."
    report += f" Seen on the way: {', '.join(map(str, told['seen on the way']))}."
    if hint := advice(told, digit, seen, moved, factor):
        report += f"\n{hint}"
    check.true(calls <= CALLS, f"all {CALLS} calls are used up: {report}{drawn}")
    limits = f"no pixel may end farther than 0.3 from where it was at first, and one moved by {moved:.3g}"
    check.true(moved <= 0.3 + 1e-9, limits + drawn)
    check.true(found.min() >= -1e-9 and found.max() <= 1 + 1e-9, f"pixels have to stay between 0 and 1{drawn}")
    check.true(seen == digit, report + drawn)


# %% check="fooled" points=3
with exercise("fooled") as check:
    for place, digit, seed in LOUD:
        judge(check, place, digit, seed)
    judge(check, 45, 9, 1, 0.01)  # all scores are 100 times smaller
    judge(check, 45, 3)  # it sees that already
    ### BEGIN HIDDEN TESTS
    # On the way a third digit is seen, some pixels meet their limits, or many steps are needed.
    for place, digit, seed in ((45, 9, 1), (1134, 0, 1), (1757, 5, 3), (1762, 3, 3), (1237, 7, 3)):
        judge(check, place, digit, seed)
    # The gradient's size says nothing: scores may be of any size.
    for factor in (1e-4, 1e4, 1e-10):
        judge(check, 763, 8, 1, factor)
        judge(check, 1497, 1, 3, factor)
    # It is seen already, and there is nothing to do.
    for place in (763, 45, 1385):
        judge(check, place, int(read(load_digits()[0][place, 0], *reader(3))[0].argmax()), 3)
    ### END HIDDEN TESTS

# %%
# The first picture's 5.
changed = fooled(five, 8, your_scores, your_back)
print("seen before:", your_scores(five).argmax(), " now:", your_scores(changed).argmax())
print("no pixel moved by more than 0.3:", abs(changed - five).max() <= 0.3 + 1e-9)
# The same 64 changes, each at another pixel, a thousand times.
shuffled = [rng.permutation((changed - five).ravel()).reshape(8, 8) for _ in range(1000)]
x = features_of((five + np.array(shuffled)).clip(0, 1))[-1] - middle
seen = two_layers(x, *weights).argmax(axis=1)
print(f"shuffled: {(seen == 8).sum()} of 1,000 are seen as 8, {(seen == 5).sum():,} as 5")

# %% figure="in_motion"
def in_motion():
    left, right = plots.panels(2)
    left.set(title="the image", xlim=(-0.5, 7.5), ylim=(7.5, -0.5), xticks=[], yticks=[])
    left.set_aspect("equal")
    left.spines[:].set(visible=True, color="#808080")
    right.set(title="its ten scores", xlim=(-0.6, 9.6), ylim=(-0.3, 1.1), xticks=range(10))
    right.axhline(0, color="black", linewidth=0.8)

    def frame(k):
        image = five + k / 30 * (changed - five)
        scores = your_scores(image)
        left.imshow(image, cmap="Greys", vmin=0, vmax=1, aspect="equal")
        colours = ["#d94801" if n == scores.argmax() else "#9ecae1" for n in range(10)]
        right.bar(range(10), scores, color=colours)
        return f"seen: {scores.argmax()}"

    told = "A little ink comes and goes around a 5. Its score falls, that of 8 rises, and passes it."
    return plots.movie([left, right], frame, 31, rate=10, told=told)


in_motion()

# %% [markdown]
# Each pixel moves little, in the direction in which it counts, and 64 small changes add up. Shuffled, they do nothing.
#
# ## In your own words
#
# For a friend who knows the product rule of numbers: why dA = G Bᵀ, and not B G? Three sentences.
#
# <details><summary>One way to say it</summary>
#
# A number of A takes part in one row of the product, with the factors of one row of B. So it gets that row of G times
# that row of B, added up. "Row times row" is a matrix product if B is turned.
# </details>
#
# ## The same in PyTorch
#
# Where it is installed, this cell computes all gradients with PyTorch, and compares.

# %% tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here: `pip install torch`, then run this cell again.")
else:
    pictures = torch.tensor(images[:50], requires_grad=True)
    theirs = [torch.tensor(p, requires_grad=True) for p in weights]
    blocks = pictures.reshape(-1, 4, 2, 4, 2).permute(0, 1, 3, 2, 4)
    halves = [blocks.amax((3, 4)).reshape(-1, 16), blocks.mean((3, 4)).reshape(-1, 16)]
    x = torch.cat(halves, dim=1) - torch.tensor(middle)
    scores = torch.relu(x @ theirs[0] + theirs[1]) @ theirs[2] + theirs[3]
    scores.backward(torch.tensor(wanted[:50]))
    g = wanted[:50]
    x = features[:50]
    dx, *ours = two_layer_rule(g, two_layers(x, *weights), x, *weights)
    ours = [*ours, to_pixels(dx, images[:50])]
    far = max(abs(a - b.grad.numpy()).max() for a, b in zip(ours, [*theirs, pictures]))
    print("the gradients of all weights and pixels agree:", far < 1e-10)

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `sum_rule`, `mean_rule` | `x.sum(dim, keepdim)`, `x.mean(dim, keepdim)`; `dim` is the axis |
# | `amax_rule` | `torch.amax`, which shares; `torch.max(x, dim)` gives all to the one index that it returns |
# | `reshape_rule`, `permute_rule` | `x.reshape`, `x.permute`; they share memory where they can |
# | `index_rule` | `x[index]`, `index_add_`; `nn.Embedding` |
# | `concatenate_rule` | `torch.cat` |
# | `batched_matmul_rule` | `torch.matmul`, also written `@` |
# | `two_layer_rule` | `nn.Linear`, `ReLU`, `nn.Linear` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | right, except for square arrays | a lost axis or transposition |
# | the right shape with scrambled numbers | `reshape` where a transposition is meant |
# | words that appear often learn too little | `x[index] += y` with repeats |
#
# ## Who found it
#
# - Mike Giles, [2008](https://doi.org/10.1007/978-3-540-68942-3_4): rules of matrix operations, collected.
# - Christian Szegedy and others, [2013](https://doi.org/10.48550/arXiv.1312.6199): networks fooled by changes that
#   nobody sees.
# - Ian Goodfellow, Jonathon Shlens and Christian Szegedy, [2014](https://doi.org/10.48550/arXiv.1412.6572): one step
#   by the gradient's signs.
#
# ## One thing to try next
# Write the rule of `np.cumsum(a)` for a vector: `out[i]` is the sum of `a[0]` to `a[i]`. Test it with
# `off`.
#
# We measured a *choice* with squares. Unit 07 makes probabilities of the scores, and finds the loss that fits.

# %% progress="here"
