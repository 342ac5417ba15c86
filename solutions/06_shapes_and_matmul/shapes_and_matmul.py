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
#     allow: [autograd_ref.data, autograd_ref.plots]
#     title: "Shapes and matmul: where every number goes"
# ---

# %% [markdown]
# # Shapes and matmul: where every number goes
#
# Below is a handwritten 3; beside it the darkest pixel of each 2 by 2 block, which a small network reads. On the right,
# the gradient of the network's score for "3" by each pixel. Orange: more ink here makes it more of a 3. Blue: less of
# one.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots
    from autograd_ref.data import load_digits

    images, labels = load_digits()
    three = images[45, 0]
    tops = three.reshape(4, 2, 4, 2).max(axis=(1, 3))
    # Computed by the last cells of this notebook, in hundredths.
    gradient = np.array("""
        5 5 4 30 7 7 4 4
        5 5 4 4 28 28 4 4
        -10 -10 -35 2 47 -18 -37 -37
        -10 -10 -35 -35 -18 -18 -37 -37
        -1 -1 -25 -25 8 1 2 2
        -1 -1 -25 -25 8 8 32 2
        0 0 -1 -1 4 53 -11 -15
        0 0 -1 7 4 4 -15 -15
    """.split(), dtype=float).reshape(8, 8) / 100
    left, middle, right = plots.panels(3)
    left.imshow(three, cmap="Greys")
    left.set_title("a digit (8, 8)")
    middle.imshow(tops, cmap="Greys")
    middle.set_title("darkest of each block (4, 4)")
    plots.matrix(gradient, title="gradient by each pixel", annotate=False, ax=right)
    for ax in (left, middle, right):
        ax.set_axis_off()


goal()

# %% setup="imports"
import numpy as np

from autograd_ref import plots
from autograd_ref.data import load_digits
from autograder import exercise, predicted, probe, yours


def arrays(*rows):
    """A tuple of arrays of floats, made of lists."""
    return tuple(np.array(row, dtype=float) for row in rows)

# %% [markdown]
# In unit 05 the rules of `sum` and `@` came ready-made. Here you write them, and those of all operations that move
# numbers. At the end you will be able to
#
# - send a gradient back through sums, means, maxima, reshapes, permutations, indexing and concatenation;
# - derive dA = G Bᵀ from one entry, and check a matrix formula by its shapes;
# - write the backward pass of a two-layer network by hand, and test it.
#
# **Time:** about 100 minutes. **Builds on:** 05 (rules on arrays, `unbroadcast`).
#
# The rules have the form of unit 05, `rule(g, out, *inputs)`, with constants such as an axis at the end. They are exact,
# not numerical; they make new arrays and never write into `g`, `out` or the inputs. The engine brings each cotangent to the
# dtype of its array, so the dtype is no concern here.

# %% [markdown]
# ## 1. Sums: the way back is copying
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
# would fit, along the wrong axis. First put the summed axis back, with length 1. (With `keepdims=True` it never went
# away.)
#
# ### Exercise `sum_rule` (2 points)
# The rule of `a.sum(axis=axis, keepdims=keepdims)`. The axis is an int, a tuple of ints, or `None` for all.
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
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "broadcast": the axis is missing in `g`. Wrong for the square array only: columns were filled, not rows.
# </details>


# %% exercise="sum_rule"
def sum_rule(g, out, a, axis=None, keepdims=False):
    """The cotangent of a, in a tuple of one, for out = a.sum(axis, keepdims=keepdims)."""
    ### BEGIN SOLUTION
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g, a.shape),)
    ### END SOLUTION


# %% probes="sum_rule"
# sum_back, as the check calls it, and its arrays
@probe
def sum_back(g, a, axis, keepdims):
    """What sum_rule sends back for this axis."""
    return sum_rule(g, a.sum(axis=axis, keepdims=keepdims), a, axis, keepdims)


TWO_BY_THREE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
SQUARE = np.array([[1.0, 2.0], [7.0, 4.0]])
DEEP = np.arange(24.0).reshape(2, 3, 4) - 5.0

# %% check="sum_rule" points=2
with exercise("sum_rule") as check:
    g, a = np.array([10.0, -1.0]), TWO_BY_THREE
    rows = arrays([[10, 10, 10], [-1, -1, -1]])
    check.close(sum_back(g, a, 1, False), rows, "row 0 was added into out[0]: it gets 10")
    check.close(sum_back(g[:, None], a, 1, True), rows, "the axis is still there: copy g")
    columns = arrays([[3, -1, 4], [3, -1, 4]])
    check.close(sum_back(np.array([3.0, -1, 4]), a, 0, False), columns, "a column each")
    check.close(sum_back(np.array(7.0), a, None, False), (0 * a + 7,), "all get all of g")
    check.close(sum_back(g, SQUARE, -1, False), arrays([[10, 10], [-1, -1]]), "rows again")
    because = "axes 0 and 2 were added up: what remains is g[0], g[1], g[2] along axis 1"
    deep = (np.array([3.0, -1, 4])[None, :, None] + 0 * DEEP,)
    check.close(sum_back(np.array([3.0, -1, 4]), DEEP, (0, 2), False), deep, because)
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    axes = [None, 0, 1, 2, -1, -2, (0, 1), (0, 2), (1, 2), (2, 0), (-1, 0), (0, 1, 2)]
    for axis, keepdims in [(axis, keepdims) for axis in axes for keepdims in (True, False)]:
        a, wide = next(check.cases(1, array(3, 2, 3), array(1, 2, 1, 3)))
        a = wide if axis == -2 else a
        x = Reference(a, requires_grad=True)
        out = x.sum(axis=axis, keepdims=keepdims)
        (g,) = next(check.cases(1, array(*out.shape)))
        out.backward(g)
        check.close(sum_back(g, a, axis, keepdims), (x.grad.numpy(),),
                    "copied along the summed axes", rtol=1e-12, atol=1e-13)
        check.untouched()
        back = yours.sum_rule(g, np.asarray(out.detach().numpy()), a, axis, keepdims)
        check.close(back, (x.grad.numpy(),), "copied along the summed axes", rtol=1e-12, atol=1e-13)
        check.untouched("g, out and a are as they were: make new arrays")
    check.close(yours.sum_rule(np.array(2.0), np.array(0.0), 0 * DEEP), (0 * DEEP + 2,),
                "without an axis, the sum is over all")
    because = "a sum over no numbers sends nothing back"
    check.close(sum_back(np.array([1.0, 2]), np.zeros((2, 0)), 1, False), (np.zeros((2, 0)),), because)
    # So small, large and many that a difference quotient, of complex numbers too, finds nothing, or finds it too late.
    endless = np.full((2, 3), np.inf)
    for (g,) in check.cases(3, array(2, low=0.2)):
        got = yours.sum_rule(g * 1e-305, endless[:, 0], endless, 1)
        check.close(got, (np.stack([g] * 3, axis=1) * 1e-305,), "of a only the shape counts", rtol=1e-12, atol=0.0)

    @probe
    def of_many(seed):
        """What sum_rule sends back for 200,000 numbers."""
        rng = np.random.default_rng(seed)
        a, g = rng.normal(size=(400, 500)), rng.normal(size=(400, 1))
        return sum_rule(g, a.sum(axis=1, keepdims=True), a, 1, True)

    seed = check.rng.randrange(10**6)
    rng = np.random.default_rng(seed)
    a, g = rng.normal(size=(400, 500)), rng.normal(size=(400, 1))
    check.close(of_many(seed), (np.repeat(g, 500, axis=1),), "many numbers", rtol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# `off` gives a rule's distance from the numerical derivative, as `array_error` did in unit 05. 0 is right.


# %% setup="tools"
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

# %% [markdown]
# ### Exercise `mean_rule` (1 point)
# From here on, reductions have `keepdims=True`: `g` and `out` have length 1 where `a` was reduced. So the rule of
# `a.mean(axis=axis, keepdims=True)` needs no axis: the shapes say how many numbers went into each mean.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A mean is a sum divided by a count. The count is not `a.size`, unless everything went into one mean.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# count = ... / ...                 # numbers that went in, means that came out
# return (np.broadcast_to(...),)
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Off by a constant factor: which numbers did you count?
# </details>


# %% exercise="mean_rule"
def mean_rule(g, out, a):
    """The cotangent of a, in a tuple of one, for out = a.mean(axis=..., keepdims=True)."""
    ### BEGIN SOLUTION
    count = a.size / out.size
    return (np.broadcast_to(g / count, a.shape),)
    ### END SOLUTION


# %% probes="mean_rule"
# mean_back, as the check calls it
@probe
def mean_back(g, a, axis):
    """What mean_rule sends back for this axis."""
    return mean_rule(g, a.mean(axis=axis, keepdims=True), a)


# %% check="mean_rule" points=1
with exercise("mean_rule") as check:
    g, a = np.array([[12.0], [-3.0]]), TWO_BY_THREE
    rows = arrays([[4, 4, 4], [-1, -1, -1]])
    because = "three numbers go into a mean: each of them moves it by 1/3"
    check.close(mean_back(g, a, 1), rows, because)
    columns = arrays([[6, -1, 2], [6, -1, 2]])
    check.close(mean_back(np.array([[12.0, -2, 4]]), a, 0), columns, "two numbers a column")
    check.close(mean_back(np.array([[12.0]]), a, None), (0 * a + 2,), "one mean of all six")
    g = np.array([24.0, -8.0, 16.0]).reshape(1, 3, 1)
    check.close(mean_back(g, DEEP, (0, 2)), (g / 8 + 0 * DEEP,), "2 * 4 numbers a mean")
    check.untouched("g and a are as they were: make new arrays")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    axes = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    for axis, shape in [(axis, shape) for axis in axes for shape in ((2, 3, 5), (1, 3, 1), (3, 3, 3, 2))]:
        (a,) = next(check.cases(1, array(*shape)))
        x = Reference(a, requires_grad=True)
        out = x.mean(axis=axis, keepdims=True)
        (g,) = next(check.cases(1, array(*out.shape)))
        out.backward(g)
        check.close(mean_back(g, a, axis), (x.grad.numpy(),),
                    "g, divided by the count, copied", rtol=1e-12, atol=1e-13)
        check.untouched()
        back = yours.mean_rule(g, np.asarray(out.detach().numpy()), a)
        check.close(back, (x.grad.numpy(),), "g, divided by the count, copied", rtol=1e-12, atol=1e-13)
        check.untouched("g, out and a are as they were: make new arrays")
    # So small, large and many that a difference quotient, of complex numbers too, finds nothing, or finds it too late.
    endless = np.full((2, 3), np.inf)
    for (g,) in check.cases(3, array(2, 1, low=0.2)):
        got = yours.mean_rule(g * 1e-305, endless[:, :1], endless)
        check.close(got, (np.repeat(g, 3, axis=1) / 3 * 1e-305,), "of a only the shape counts", rtol=1e-12, atol=0.0)

    @probe
    def of_many(seed):
        """What mean_rule sends back for 200,000 numbers."""
        rng = np.random.default_rng(seed)
        a, g = rng.normal(size=(400, 500)), rng.normal(size=(400, 1))
        return mean_rule(g, a.mean(axis=1, keepdims=True), a)

    seed = check.rng.randrange(10**6)
    rng = np.random.default_rng(seed)
    a, g = rng.normal(size=(400, 500)), rng.normal(size=(400, 1))
    check.close(of_many(seed), (np.repeat(g, 500, axis=1) / 500,), "many numbers", rtol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. The maximum and its ties
#
# A maximum lets one number through. That one gets `g`, the others get 0. But several may be the largest: a blank corner
# of a picture is all zeros. At such a **tie** the maximum has no derivative, and a convention is needed.
#
# **Predict, then run.** Three of [5, 5, 5, 2] are tied. What is the numerical derivative of the maximum by each number?

# %%
prediction = [None, None, None, None]

(found,) = numerical_cotangents(np.max, 1.0, np.array([5.0, 5.0, 5.0, 2.0]))
if predicted(prediction, "tied_maximum"):
    print("numerical:", found.round(6).tolist(), " sum:", found.sum().round(6).item())

# %% [markdown]
# Nudged up, each of the three moves the maximum; nudged down, none does. The central difference takes the middle, and
# three halves make 1.5, more than `g` = 1. At a corner a numerical derivative is no referee. The convention, that of
# PyTorch's `amax` too: tied numbers **share `g` equally**, 1/3 each.
#
# ### Exercise `amax_rule` (2 points)
# The rule of `a.max(axis=axis, keepdims=True)`. Tied numbers get equal shares.
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
# All rows get too little: `hit.sum()` without an axis counts the whole array. ValueError "broadcast": count with
# `keepdims=True`.
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
    for axis, form in [(axis, form) for axis in axes for form in forms]:
        (a,) = next(check.cases(1, array(2, 3, 5)))
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
    signs = np.array([[0.0, -0.0], [-1.0, -0.0]])
    shares = np.array([[3.0, 3.0], [0.0, 5.0]])
    check.close(amax_back(np.array([[6.0], [5.0]]), signs, 1)[0], (shares,), "0.0 and -0.0 are equal")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 3. The same numbers in other places
#
# `reshape` and `permute` (`np.transpose`) compute nothing, they move numbers. On the way back, each number of `g` moves
# to where its number came from.
#
# What to see: both results have the same shape. `a.T` turns rows into columns; `reshape` reads on in rows, and breaks
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
# **Predict, then run.** Does the same permutation bring it back?

# %%
prediction = None

there = np.transpose(np.zeros((2, 3, 5)), (2, 0, 1))
if predicted(prediction, "permuted_back"):
    print(there.shape, "and the same again:", np.transpose(there, (2, 0, 1)).shape)

# %% [markdown]
# It does not. The first axis of the result was axis 2, so the way back has to put it in place 2.
#
# ### Exercise `inverse_permutation` (2 points)
# Return the axes that undo `axes`, as a tuple of ints.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Axis 0 of `a` stands somewhere in the result. Where? That is the first number of the answer.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# back = [0] * len(axes)
# for place, axis in enumerate(axes):
#     ...                          # axis of a stands at this place of the result
# return tuple(back)
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Right for (2, 0, 1), wrong for a cycle of four: you applied the permutation twice.
# </details>


# %% exercise="inverse_permutation"
def inverse_permutation(axes):
    """The tuple of axes with which np.transpose undoes np.transpose(a, axes)."""
    ### BEGIN SOLUTION
    back = [0] * len(axes)
    for place, axis in enumerate(axes):
        back[axis] = place
    return tuple(back)
    ### END SOLUTION


# %% check="inverse_permutation" points=2
with exercise("inverse_permutation") as check:
    check.close(yours.inverse_permutation((2, 0, 1)), (1, 2, 0),
                "axis 0 of a stands at place 1 of the result, axis 1 at 2, axis 2 at 0")
    check.close(yours.inverse_permutation((1, 2, 3, 0)), (3, 0, 1, 2),
                "axis 0 stands at place 3, axis 1 at place 0")
    check.close(yours.inverse_permutation((0, 2, 1)), (0, 2, 1), "a swap undoes itself")
    check.close(yours.inverse_permutation((3, 1, 0, 2)), (2, 1, 3, 0),
                "axis 0 stands at place 2, axis 3 at place 0")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    for (rank,) in check.cases(25, integer(1, 6)):
        axes = list(range(rank))
        check.rng.shuffle(axes)
        back = yours.inverse_permutation(tuple(axes))
        check.close(back, tuple(axes.index(i) for i in range(rank)), "the permutation that undoes this one")

    @probe
    def there_and_back(a, axes):
        """a, permuted by axes and then by what inverse_permutation gives for them."""
        return np.transpose(np.transpose(a, axes), inverse_permutation(axes))

    a = np.arange(30.0).reshape(2, 3, 5)
    check.close(there_and_back(a, (2, 0, 1)), a, "np.transpose takes them, and undoes axes")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `move_rules` (2 points)
# The rules of `a.reshape(shape)` and of `np.transpose(a, axes)`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which shape did the numbers have before? Which permutation undoes `axes`?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g.reshape(...),)
# return (np.transpose(g, ...),)        # np.argsort(axes) is the inverse permutation, too
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# The right shape with the wrong numbers: `permute_rule` has to move axes back; reshaping only breaks lines.
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
    return (np.transpose(g, np.argsort(axes)),)
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


# %% check="move_rules" points=2
with exercise("move_rules") as check:
    g, a = np.array([[10.0, 20], [30, 40], [50, 60]]), TWO_BY_THREE
    rows = arrays([[10, 20, 30], [40, 50, 60]])
    check.close(reshape_back(g, a), rows, "reshape reads on in rows: 10, 20, 30, 40 ...")
    columns = arrays([[10, 30, 50], [20, 40, 60]])
    check.close(permute_back(g, a, (1, 0)), columns, "g[1, 0] belongs to a[0, 1]")
    flat = np.arange(24.0)
    check.close(reshape_back(flat, DEEP), (flat.reshape(2, 3, 4),), "(24,) to (2, 3, 4)")
    tall = flat.reshape(4, 2, 3)  # DEEP with its last axis first
    back = np.stack([tall[:, 0].T, tall[:, 1].T])
    check.close(permute_back(tall, DEEP, (2, 0, 1)), (back,), "the axes go (1, 2, 0)")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
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
# A network that reads text keeps a table with a row of numbers for each word, and picks rows: `table[[0, 2, 0]]` is the
# row of word 0, of word 2, and of word 0 again: an **embedding lookup**. On the way back, rows that nobody picked get
# 0, and a row that was picked twice gets a sum: it was used twice. Here NumPy has a trap.

# %%
counts = np.zeros(3)
counts[[0, 2, 0]] += 1
print("after counts[[0, 2, 0]] += 1:", counts.tolist())

# %% [markdown]
# Row 0 should have 2. `x[index] += y` computes `x[index] + y` and then stores it: the second store wipes out the first.
# `np.add.at(x, index, y)` adds one after the other.
#
# ### Exercise `index_rule` (2 points)
# The rule of `a[index]`, for any index that NumPy takes: an int, an array of ints, a mask, a tuple of arrays.
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
# A repeated row has the last contribution only: `back[index] += g`. The result is None: `np.add.at` returns nothing.
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

# %% check="index_rule" points=2
with exercise("index_rule") as check:
    g, table, word, words = ROWS, TABLE, 1, np.array([0, 2, 0])
    (sums,) = arrays([[40, 6], [0, 0], [4, 2]])
    because = "row 0 was picked twice: 10 + 30 and -1 + 7; row 1 never; a stays as it is"
    check.close(index_back(g, table, words), ((sums,), table), because)
    twice = np.stack([g, g]), table, np.stack([words, words])
    check.close(index_back(*twice), ((2 * sums,), table), "2 by 3 words: every row twice")
    (once,) = arrays([[0, 0], [4, 2], [0, 0]])
    check.close(index_back(g[1], table, word), ((once,), table), "an int picks one row")
    back = arrays([[0, 5], [0, 0], [8, 0]]), arrays([[0, 0], [0, 3], [0, 8]])
    check.close(index_back(np.array([3.0, 8, 2]), table, PLACES), (back[0], table), "3 + 2")
    check.close(index_back(np.array([3.0, 8]), table, table > 5), (back[1], table), "mask")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    for a, g, c in check.cases(15, array(4, 3), array(2, 5, 3), array(4, 3)):
        rng = check.rng
        ids = np.array([[rng.randrange(-4, 4) for _ in range(5)] for _ in range(2)])
        pair = ids % 4, np.array([rng.randrange(3) for _ in range(5)])
        none = np.array([], dtype=int)
        for index in (ids, ids[0], rng.randrange(-4, 4), pair, c > 0, c[:, 0] > 0, none, c > 9, (2, 1)):
            x = Reference(a, requires_grad=True)
            out = x[index]
            upstream = np.resize(g, out.shape)
            out.backward(upstream)
            check.close(index_back(upstream, a, index), ((x.grad.numpy(),), a),
                        "repeats add up; a unchanged", rtol=1e-12, atol=1e-13)
            back = yours.index_rule(upstream, a[index], a, index)
            check.close(back, (x.grad.numpy(),), "repeats add up", rtol=1e-12, atol=1e-13)
            check.untouched("g, out, a and the index are as they were: make new arrays")
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
# Five words, looked up in a table of four rows. What to see: rows 0 and 3 of the gradient are sums of two, row 2 is
# all 0.


# %% figure="lookup"
def lookup():
    index, table = np.array([0, 3, 0, 1, 3]), np.zeros((4, 3))
    g = np.array([[2.0, -1, 0], [1, 1, 3], [3, -2, 1], [-4, 0, 2], [0, 2, -1]])
    (back,) = index_rule(g, table[index], table, index)
    left, right = plots.panels(2)
    picked = [f"word {i}" for i in index]
    plots.matrix(g, title="g, one row for each word", rows=picked, ax=left)
    plots.matrix(back, title="what the table gets", rows=range(4), ax=right)


lookup()

# %% [markdown]
# ### Exercise `concatenate_rule` (2 points)
# The rule of `np.concatenate(arrays, axis=axis)`, for a list of arrays of any lengths along the axis, 0 too. Return a
# tuple with one cotangent for each.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Cut `g` where the arrays met. Lengths 2, 1, 4 meet at the positions 2 and 3.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# lengths = [... for a in arrays]
# cuts = np.cumsum(...)              # without the last one, the end
# return tuple(np.split(g, ..., axis=...))
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "equal division": `np.split` with a number cuts equal parts. Empty pieces: `np.split` takes positions, not
# lengths.
# </details>


# %% exercise="concatenate_rule"
def concatenate_rule(g, out, arrays, axis):
    """A tuple of cotangents, one for each array, for out = np.concatenate(arrays, axis)."""
    ### BEGIN SOLUTION
    cuts = np.cumsum([a.shape[axis] for a in arrays])[:-1]
    return tuple(np.split(g, cuts, axis=axis))
    ### END SOLUTION


# %% probes="concatenate_rule"
# concatenate_back, as the check calls it
@probe
def concatenate_back(g, arrays, axis):
    """What concatenate_rule sends back."""
    return concatenate_rule(g, np.concatenate(arrays, axis=axis), arrays, axis)


# %% check="concatenate_rule" points=2
with exercise("concatenate_rule") as check:
    g = np.arange(1.0, 22.0).reshape(3, 7)  # 1 to 7, 8 to 14, 15 to 21
    wide = [np.zeros((3, 2)), np.zeros((3, 1)), np.zeros((3, 4))]
    pieces = arrays([[1, 2], [8, 9], [15, 16]], [[3], [10], [17]],
                    [[4, 5, 6, 7], [11, 12, 13, 14], [18, 19, 20, 21]])
    check.close(concatenate_back(g, wide, 1), pieces, "2 columns, then 1, then 4")
    check.close(concatenate_back(g, wide, -1), pieces, "axis -1 is the last one")
    tall = [np.zeros((2, 3)), np.zeros((5, 3))]
    check.close(concatenate_back(g.T, tall, 0), (g.T[:2], g.T[2:]), "2 rows, then 5 rows")
    deep = DEEP[:, :, :1], DEEP[:, :, 1:]
    check.close(concatenate_back(DEEP, list(deep), 2), deep, "the last of three axes")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograd_ref import ops
    from autograder import array

    # One array, equal ones, one that holds nothing in the middle or at the end, then any.
    kinds = [(3,), (2, 2, 2), (2, 0, 3), (1, 2, 0), (4, 1, 3, 2)]
    for lengths, axis in [(lengths, axis) for lengths in kinds for axis in (0, 1, 2, -1, -2)]:
        (data,) = next(check.cases(1, array(60)))
        parts, shape = [], [2, 3, 2]
        for length in check.rng.sample(lengths, len(lengths)):
            shape[axis] = length
            parts.append(np.resize(data, shape))
        xs = [Reference(part, requires_grad=True) for part in parts]
        out = ops.concatenate(xs, axis=axis)
        (upstream,) = next(check.cases(1, array(*out.shape)))
        out.backward(upstream)
        expected = tuple(x.grad.numpy() for x in xs)
        check.close(concatenate_back(upstream, parts, axis), expected,
                    "each array gets its own piece", rtol=1e-12, atol=1e-13)
        check.untouched()
        back = yours.concatenate_rule(upstream, np.concatenate(parts, axis=axis), parts, axis)
        check.close(back, expected, "each array gets its own piece", rtol=1e-12, atol=1e-13)
        check.untouched("g, out and the arrays are as they were")
    g = np.array([1.0, -2, 3])
    check.close(concatenate_back(g, [g[:1], g[1:]], 0), (g[:1], g[1:]), "arrays of one axis")
    # So small, large and many that a difference quotient, of complex numbers too, finds nothing, or finds it too late.
    endless = [np.full((2, n), np.inf) for n in (1, 3, 2)]
    for (g,) in check.cases(3, array(2, 6, low=0.2)):
        g = g * 1e-305
        got = yours.concatenate_rule(g, np.concatenate(endless, axis=1), endless, 1)
        check.equal(got, (g[:, :1], g[:, 1:4], g[:, 4:]), "of the arrays only the shapes count")

    @probe
    def of_many(seed):
        """What concatenate_rule sends back for 200,000 numbers."""
        rng = np.random.default_rng(seed)
        parts = [rng.normal(size=(400, n)) for n in (100, 250, 150)]
        g = rng.normal(size=(400, 500))
        return concatenate_rule(g, np.concatenate(parts, axis=1), parts, 1)

    seed = check.rng.randrange(10**6)
    rng = np.random.default_rng(seed)
    for n in (100, 250, 150):
        rng.normal(size=(400, n))
    g = rng.normal(size=(400, 500))
    check.equal(of_many(seed), (g[:, :100], g[:, 100:350], g[:, 350:]), "many numbers")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 5. The matrix product
#
# Nearly all the work of a network is `out = A @ B`. Start with **one** number: `A[0, 1]` in a product of shapes (2, 3)
# and (3, 4). Raise it by 1 and see what changes.


# %% figure="one_entry"
A = np.array([[2.0, -1.0, 3.0], [0.0, 1.0, -2.0]])
B = np.array([[1.0, 0.0, 2.0, -1.0], [4.0, -3.0, 0.0, 2.0], [1.0, 1.0, -2.0, 0.0]])


def one_entry():
    raised = A.copy()
    raised[0, 1] += 1
    change = raised @ B - A @ B
    plots.matrices({"A (2, 3)": A, "B (3, 4)": B, "change of A @ B": change})
    assert (change[0] == B[1]).all() and (change[1] == 0).all()


one_entry()

# %% [markdown]
# What to see: only row 0 of `out` changes, and the change is row 1 of `B`. `A[0, 1]` takes part in four numbers, in
# each `out[0, j]` with the factor `B[1, j]`. So it gets a sum of four contributions. If `g[0]` is [10, 0, -1, 5], they
# are 10 · 4 + 0 · (-3) - 1 · 0 + 5 · 2 = 50. In general:
#
# $$\frac{\partial L}{\partial A_{ik}} = \sum_j g_{ij}\, B_{kj}$$
#
# ### Exercise `matmul_entries` (2 points)
# Write this for one number of `a`, then find the same for one number of `b`: where does `b[k, j]` take part?
#
# <details><summary>Hint 1: a sketch</summary>
#
# `out[i, j]` is the sum of `a[i, k] * b[k, j]` over `k`. `b[k, j]` acts on column `j` of `out`, once for each `i`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g[...] * b[...]).sum()        # a row of g, and a row of b
# return (g[...] * a[...]).sum()        # a column is g[:, j]
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "broadcast": a row was paired with a column. IndexError: column k is `[:, k]`. Another number: a double
# sum; only one index is summed over.
# </details>


# %% exercise="matmul_entries"
def entry_of_a(g, a, b, i, k):
    """The cotangent of the number a[i, k], for out = a @ b."""
    ### BEGIN SOLUTION
    return (g[i] * b[k]).sum()
    ### END SOLUTION


def entry_of_b(g, a, b, k, j):
    """The cotangent of the number b[k, j], for out = a @ b."""
    ### BEGIN SOLUTION
    return (a[:, k] * g[:, j]).sum()
    ### END SOLUTION


# %% probes="matmul_entries"
# The check's arrays
LEFT = np.array([[2.0, -1.0, 3.0], [0.0, 1.0, -2.0]])
RIGHT = np.array([[1.0, 0.0, 2.0, -1.0], [4.0, -3.0, 0.0, 2.0], [1.0, 1.0, -2.0, 0.0]])
UPSTREAM = np.array([[10.0, 0.0, -1.0, 5.0], [2.0, 3.0, 1.0, -4.0]])

# %% check="matmul_entries" points=2
with exercise("matmul_entries") as check:
    g, a, b = UPSTREAM, LEFT, RIGHT
    check.close(yours.entry_of_a(g, a, b, 0, 2), 12.0, "row 0 of g, row 2 of b: 10 + 2")
    check.close(yours.entry_of_a(g, a, b, 0, 1), 50.0, "10 * 4 + 0 * -3 - 1 * 0 + 5 * 2")
    because = "column 3 of g, column 2 of a: 5 * 3 + (-4) * (-2)"
    check.close(yours.entry_of_b(g, a, b, 2, 3), 23.0, because)
    check.close(yours.entry_of_b(g, a, b, 0, 1), 0.0, "0 * 2 + 3 * 0")
    check.close(yours.entry_of_b(g, a, b, 1, 0), -8.0, "10 * (-1) + 2 * 1")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array, integer

    # One of each, one row, one in the middle, one column, equal lengths, and any.
    for n, m, q in [(1, 1, 1), (1, 3, 4), (4, 1, 3), (3, 4, 1), (3, 3, 3), (5, 2, 4)] + [(2, 3, 4)] * 14:
        g, a, b, i, k, j = next(check.cases(
            1, array(n, q), array(n, m), array(m, q), integer(0, n - 1), integer(0, m - 1), integer(0, q - 1)
        ))
        x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
        (x @ y).backward(g)
        check.close(yours.entry_of_a(g, a, b, i, k), x.grad.numpy()[i, k],
                    "one number of a", rtol=1e-11, atol=1e-12)
        check.untouched()
        check.close(yours.entry_of_b(g, a, b, k, j), y.grad.numpy()[k, j],
                    "one number of b", rtol=1e-11, atol=1e-12)
        check.untouched()
        check.close(yours.entry_of_a(g * 0, a, b, i, k), 0.0, "a g of 0", rtol=1e-11, atol=1e-12)
    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, a, b in check.cases(3, *[array(*shape, low=0.2) for shape in ((2, 4), (2, 3), (3, 4))]):
        got = yours.entry_of_a(g, np.full((2, 3), np.inf), b * 1e-305, 1, 2)
        check.close(got, float(g[1] @ b[2]) * 1e-305, "one number of a, whatever a is", rtol=1e-12, atol=0.0)
        got = yours.entry_of_b(g, a * 1e-305, np.full((3, 4), np.inf), 2, 1)
        check.close(got, float(a[:, 2] @ g[:, 1]) * 1e-305, "one number of b, whatever b is", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# Now all entries at once. A matrix product multiplies *rows* by *columns*. "Row `i` of G times row `k` of B" is one, if B
# is transposed: dA = G Bᵀ.
#
# No need to remember what comes first: **the shapes decide.** dA is (2, 3) like A. From G (2, 4) and B (3, 4) there is
# one way to get it: (2, 4) times (4, 3).
#
# ### Exercise `matmul_rule` (2 points)
# The rule of `a @ b` for two matrices. Find dB in the same way: from "column times column", or from the shapes.
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
# ValueError "matmul": the inner lengths differ; a transposition is missing. `*` multiplies number by number.
# </details>


# %% exercise="matmul_rule"
def matmul_rule(g, out, a, b):
    """The cotangents of a (n, k) and b (k, m), for out = a @ b; g is (n, m)."""
    ### BEGIN SOLUTION
    return g @ b.T, a.T @ g
    ### END SOLUTION


# %% probes="matmul_rule"
# matmul_back, as the check calls it, and its arrays
@probe
def matmul_back(g, a, b):
    """What matmul_rule sends back."""
    return matmul_rule(g, a @ b, a, b)


DA = np.array([[3.0, 50.0, 12.0], [8.0, -9.0, 3.0]])
DB = np.array([[20.0, 0.0, -2.0, 10.0], [-8.0, 3.0, 2.0, -9.0], [26.0, -6.0, -5.0, 23.0]])

# %% check="matmul_rule" points=2
with exercise("matmul_rule") as check:
    g, a, b = arrays([[1, 2], [3, 4]], [[5, 6], [7, 8]], [[0, 1], [-1, 3]])
    because = "square matrices fit in any order; dA[0, 0] is 1 * 0 + 2 * 1"
    square = arrays([[2, 5], [4, 9]], [[26, 38], [30, 44]])
    check.close(matmul_back(g, a, b), square, because)
    because = "dA[0, 1] is the 50 from above, and dB[2, 3] is the 23"
    check.close(matmul_back(UPSTREAM, LEFT, RIGHT), (DA, DB), because)
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    for n, k, m in ((2, 3, 4), (5, 1, 2), (1, 4, 3), (3, 2, 1), (3, 3, 3), (1, 1, 4)):
        for g, a, b in check.cases(4, array(n, m), array(n, k), array(k, m)):
            x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
            (x @ y).backward(g)
            check.close(matmul_back(g, a, b), (x.grad.numpy(), y.grad.numpy()),
                        "the gradients of a and b", rtol=1e-11, atol=1e-12)
            back = yours.matmul_rule(g, a @ b, a, b)
            check.close(back, (x.grad.numpy(), y.grad.numpy()), "of a and b", rtol=1e-11, atol=1e-12)
            check.untouched("g, out, a and b are as they were: make new arrays")
    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, a, b in check.cases(3, *[array(*shape, low=0.2) for shape in ((2, 4), (2, 3), (3, 4))]):
        got = yours.matmul_rule(g, np.zeros((2, 4)), np.full((2, 3), np.inf), b * 1e-305)[0]
        check.close(got, g @ b.T * 1e-305, "of a, whatever a is", rtol=1e-12, atol=0.0)
        got = yours.matmul_rule(g, np.zeros((2, 4)), a * 1e-305, np.full((3, 4), np.inf))[1]
        check.close(got, a.T @ g * 1e-305, "of b, whatever b is", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# Your rule, with the numbers from above: dA = G Bᵀ and dB = Aᵀ G. What to see: the inner lengths meet, the outer ones
# remain. And 50 is where `A[0, 1]` was.


# %% figure="shapes_fit"
def shapes_fit():
    dA, dB = matmul_rule(UPSTREAM, A @ B, A, B)
    back = {"G (2, 4)": UPSTREAM, "B transposed (4, 3)": B.T, "dA (2, 3)": dA}
    plots.matrices(back, shared=False)
    back = {"A transposed (3, 2)": A.T, "G (2, 4)": UPSTREAM, "dB (3, 4)": dB}
    plots.matrices(back, shared=False)


shapes_fit()

# %% [markdown]
# ### Exercise `vector_matmul_rule` (2 points)
# `@` also takes vectors: (n, k) @ (k,) is (n,), (k,) @ (k, m) is (m,), and (k,) @ (k,) is a single number. Write the
# rule for inputs of one or two axes: make matrices of vectors, use the formula, give back the inputs' shapes.
#
# <details><summary>Hint 1: a sketch</summary>
#
# On the left a vector is a row, on the right a column. `g` gets the shape that the product of the matrices would have.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# left = a[None, :] if ... else a
# right = ...
# g = g.reshape(..., ...)          # rows of left, columns of right
# return (...).reshape(a.shape), (...).reshape(...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "matmul": a vector's `.T` is the same vector. Another shape than the input's: the last reshape is missing.
# </details>


# %% exercise="vector_matmul_rule"
def vector_matmul_rule(g, out, a, b):
    """The cotangents of a and b, for out = a @ b; each of them has one or two axes."""
    ### BEGIN SOLUTION
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    g = g.reshape(left.shape[0], right.shape[1])
    return (g @ right.T).reshape(a.shape), (left.T @ g).reshape(b.shape)
    ### END SOLUTION


# %% probes="vector_matmul_rule"
# vector_back, as the check calls it, and its array
@probe
def vector_back(g, a, b):
    """What vector_matmul_rule sends back."""
    return vector_matmul_rule(g, np.asarray(a @ b), a, b)


WIDE = np.array([[2.0, -1.0, -3.0], [4.0, 0.0, -3.0]])

# %% check="vector_matmul_rule" points=2
with exercise("vector_matmul_rule") as check:
    g, v, row = arrays([10, -1], [4, -2], [3, 5])
    both = arrays([[40, -20], [-4, 2]], [3, 16])
    check.close(vector_back(g, SQUARE, v), both, "row 0 of a made out[0]: it gets 10 * v")
    both = arrays([9, 28], [[30, -3, 12], [50, -5, 20]])
    because = "a row on the left: its first number gets 10 * 2 - 1 * -1 + 4 * -3"
    check.close(vector_back(np.array([10.0, -1, 4]), row, WIDE), both, because)
    both = arrays([20, -40], [30, 50])
    v = np.array([2.0, -4.0])
    check.close(vector_back(np.array(10.0), row, v), both, "10 times the other vector")
    check.close(vector_back(UPSTREAM, LEFT, RIGHT), (DA, DB), "two matrices, as before")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    for left, right in (((2, 3), (3,)), ((3,), (3, 2)), ((4,), (4,)), ((1,), (1,)), ((2, 3), (3, 4)),
                        ((1, 3), (3,)), ((3,), (3, 1)), ((3, 3), (3,)), ((3,), (3, 3))):
        for a, b in check.cases(3, array(*left), array(*right)):
            x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
            out = x @ y
            (g,) = next(check.cases(1, array(*out.shape)))
            out.backward(g)
            check.close(vector_back(g, a, b), (x.grad.numpy(), y.grad.numpy()),
                        "with the shapes of a and b", rtol=1e-11, atol=1e-12)
            back = yours.vector_matmul_rule(g, np.asarray(a @ b), a, b)
            check.close(back, (x.grad.numpy(), y.grad.numpy()), "of a and b", rtol=1e-11, atol=1e-12)
            check.untouched("g, out, a and b are as they were: make new arrays")
    # Endless numbers where a rule does not need them: a difference quotient does.
    for g, a, b in check.cases(3, *[array(*shape, low=0.2) for shape in ((2, 4), (2, 3), (3, 4))]):
        got = yours.vector_matmul_rule(g, np.zeros((2, 4)), np.full((2, 3), np.inf), b * 1e-305)[0]
        check.close(got, g @ b.T * 1e-305, "of a, whatever a is", rtol=1e-12, atol=0.0)
        got = yours.vector_matmul_rule(g, np.zeros((2, 4)), a * 1e-305, np.full((3, 4), np.inf))[1]
        check.close(got, a.T @ g * 1e-305, "of b, whatever b is", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# ### A stack of matrices
# With more than two axes, `@` multiplies the matrices in the last two, pair by pair. The axes in front are broadcast:
# (5, 2, 3) @ (3, 4) uses the same right matrix five times. What was copied gets a sum, by `unbroadcast` of unit 05.


# %% given="unbroadcast"
def unbroadcast(g, shape):
    """g, added up over the axes that broadcasting stretched: an array of this shape."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


# %% [markdown]
# ### Exercise `batched_matmul_rule` (3 points)
# The rule of `a @ b` for arrays of two or more axes.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The two formulas hold for each pair. Transpose the last two axes only, then unbroadcast.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# da = g @ ...                     # b.swapaxes(-1, -2) exchanges two axes
# db = ... @ g
# return unbroadcast(...), ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "matmul" with three axes: `.T` turns *all* axes around. A cotangent with an axis too many: it was not
# unbroadcast.
# </details>


# %% exercise="batched_matmul_rule"
def batched_matmul_rule(g, out, a, b):
    """The cotangents of a (..., n, k) and b (..., k, m), for out = a @ b; it broadcasts."""
    ### BEGIN SOLUTION
    da = g @ b.swapaxes(-1, -2)
    db = a.swapaxes(-1, -2) @ g
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)
    ### END SOLUTION


# %% probes="batched_matmul_rule"
# batched_back, as the check calls it, and its arrays
@probe
def batched_back(g, a, b):
    """What batched_matmul_rule sends back."""
    return batched_matmul_rule(g, a @ b, a, b)


SQUARES = arrays([[1, 2], [3, 4]], [[5, 6], [7, 8]], [[0, 1], [-1, 3]])
OF_SQUARES = arrays([[2, 5], [4, 9]], [[26, 38], [30, 44]])
GS = np.stack([UPSTREAM, -2 * UPSTREAM])
AS, BS = np.stack([LEFT, 3 * LEFT]), np.stack([RIGHT, 5 * RIGHT])

# %% check="batched_matmul_rule" points=3
with exercise("batched_matmul_rule") as check:
    check.close(batched_back(*SQUARES), OF_SQUARES, "two matrices, as before")
    each = np.stack([DA, -10 * DA]), np.stack([DB, -6 * DB])
    check.close(batched_back(GS, AS, BS), each, "each pair gets its own two")
    sums = np.stack([DA, -2 * DA]), -5 * DB
    because = "one b for both pairs gets DB from the first and -6 DB from the second"
    check.close(batched_back(GS, AS, RIGHT), sums, because)
    a, sums = LEFT[None], (-9 * DA[None], np.stack([DB, -2 * DB]))
    because = "an axis of length 1 is stretched: it gets a sum, DA - 10 DA, and stays"
    check.close(batched_back(GS, a, BS), sums, because)
    a, sums = LEFT, (-9 * DA, np.stack([DB, -2 * DB])[None])
    check.close(batched_back(GS[None], a, BS[None]), sums, "four axes: a has none in front")
    ### BEGIN HIDDEN TESTS
    # Tolerances that a numerical derivative does not reach.
    from autograd_ref import Tensor as Reference
    from autograder import array

    fronts = [((), ()), ((2,), (2,)), ((2,), ()), ((), (2,)), ((5, 1), (2,)), ((1, 2), (5, 1)), ((5, 2), ()),
              ((1,), (2,)), ((2,), (1,)), ((2, 1, 3), (1, 2, 1)), ((1,), ()), ((0,), ())]
    sizes = [(2, 3, 4), (3, 1, 2), (3, 3, 3), (1, 2, 5)]
    for front, (n, k, m) in [(front, size) for front in fronts for size in sizes]:
        a, b = next(check.cases(1, array(*front[0], n, k), array(*front[1], k, m)))
        x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
        out = x @ y
        (g,) = next(check.cases(1, array(*out.shape)))
        out.backward(g)
        check.close(batched_back(g, a, b), (x.grad.numpy(), y.grad.numpy()),
                    "summed where it was broadcast", rtol=1e-11, atol=1e-12)
        check.untouched()
        back = yours.batched_matmul_rule(g, a @ b, a, b)
        check.close(back, (x.grad.numpy(), y.grad.numpy()), "summed", rtol=1e-11, atol=1e-12)
        check.untouched("g, out, a and b are as they were: make new arrays")
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

# %% [markdown]
# ## 6. Bug hunt
#
# A colleague wrote the backward pass of a network that looks up words. The test says 0 for all three gradients. Yet
# **two lines are wrong.**


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
    dtable = np.zeros_like(table)
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
# Find the two lines: give `lookup_test` another index and another `W`; an error is an answer, too. Then write the whole
# function, mended.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The colleague's index has no word twice. And which matrices equal their transpose?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# lookup_test(lookup_backward, [3, 0, 3], np.eye(2))            # in a cell of your own
# lookup_test(lookup_backward, [3, 0, 2], [[1, 2], [0, 1]])
# # Copy the body of lookup_backward, and mend two lines.
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# One gradient is still off: each test above shows one of the two bugs.
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
    """The numerical cotangents of table, W and v."""
    def scores(table, W, v):
        return np.tanh(table[index] @ W) @ v

    return numerical_cotangents(scores, g, table, W, v)


WORDS = np.array([[0.5, -1.0], [0.2, 0.7], [-0.4, 0.3], [1.0, -0.6]])
SKEWED = np.array([[1.0, 2.0], [0.0, 1.0]])
WEIGHTS = np.array([1.5, -0.5])

# %% check="mended_lookup" points=3
with exercise("mended_lookup") as check:
    g = np.array([1.0, -2.0, 0.5])
    for index, W, because in (
        ([3, 0, 2], np.eye(2), "no word twice, a symmetric W: this was right already"),
        ([3, 0, 2], SKEWED, "W differs from its transpose"),
        ([3, 0, 3], np.eye(2), "word 3 twice: its row gets the sum"),
        ([1, 1, 1], SKEWED, "one word three times, and W differs from its transpose"),
    ):
        case = g, np.array(index), WORDS, W, WEIGHTS
        check.close(yours.mended_lookup(*case), right_lookup(*case), because, rtol=1e-5)
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
# A square or symmetric matrix hides a missing transposition. Distinct indices hide a lost sum. Test with neither.
#
# ## 7. A network that reads digits
#
# Back to the first picture: digits of 8 by 8 pixels. Of each 2 by 2 block the network gets the darkest pixel and the
# mean, 32 numbers in all: `x`. Two layers make ten scores of them, one per digit:
#
# $$\mathrm{scores} = \mathrm{relu}(x\,W_1 + b_1)\,W_2 + b_2$$
#
# One layer, with your `matmul_rule`. Predict what each step sends before you open it.

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
# The rule of the formula: `g` (n, 10) arrives at the scores, and each of the five inputs gets its cotangent. Go back
# one operation at a time; relu's slope at 0 is 0.
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
# A bias of shape (n, hidden): it was copied to all rows, so it gets their sum. Right for W2 and b2 only: look at the
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
W1, B1 = arrays([[1, 0, -1], [0, -1, 2]], [0, 1, -2])
W2, B2 = arrays([[2, 1], [0, -1], [-3, 1]], [5, 6])

# %% check="two_layer_rule" points=3
with exercise("two_layer_rule") as check:
    found = two_layer_back(G2, X, W1, B1, W2, B2)
    check.close(found["count"], 5, "five inputs: a cotangent for each of them")
    for name, rows, because in (
        ("db2", [3, 3], "b2 was copied to three rows: it gets their sum"),
        ("dW2", [[1, 12], [2, 7], [1, 0]], "h: 1 0 1, 0 1 0, 3 2 0; dW2[0]: g[0] + 3g[2]"),
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
# The loss is the mean squared error between the scores and a 1 for the right digit, 0 for the others. `features_of`
# leads from pixels to `x`, `to_pixels` back, with your rules only.


# %% given="digits"
def features_of(images):
    """Images (n, 8, 8), cut, in blocks; the blocks' maxima and means; and x (n, 32)."""
    cut = images.reshape(-1, 4, 2, 4, 2)
    blocks = np.transpose(cut, (0, 1, 3, 2, 4))
    tops = blocks.max(axis=(3, 4), keepdims=True)
    means = blocks.mean(axis=(3, 4), keepdims=True)
    x = np.concatenate([tops.reshape(-1, 16), means.reshape(-1, 16)], axis=1)
    return cut, blocks, tops, means, x


def to_pixels(g, images):
    """The cotangent of images (n, 8, 8), for g (n, 32) that arrives at x."""
    cut, blocks, tops, means, x = features_of(images)
    halves = [tops.reshape(-1, 16), means.reshape(-1, 16)]
    g_tops, g_means = concatenate_rule(g, x, halves, 1)
    (g_tops,) = reshape_rule(g_tops, halves[0], tops, halves[0].shape)
    (g_means,) = reshape_rule(g_means, halves[1], means, halves[1].shape)
    (from_tops,) = amax_rule(g_tops, tops, blocks, (3, 4))
    (from_means,) = mean_rule(g_means, means, blocks)
    (g_cut,) = permute_rule(from_tops + from_means, blocks, cut, (0, 1, 3, 2, 4))
    return reshape_rule(g_cut, cut, images, cut.shape)[0]


def two_layers(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


rng = np.random.default_rng(6)
images, labels = load_digits()
images = images[:, 0]
order = rng.permutation(len(images))
train, held_out = order[:1400], order[1400:]
features, wanted = features_of(images)[-1], np.eye(10)[labels]
features = features - features[train].mean(axis=0)  # training is faster around 0
first = [rng.normal(size=(32, 32)) / 4, np.zeros(32)]
first += [rng.normal(size=(32, 10)) / 10, np.zeros(10)]

# %% [markdown]
# First the test: all weights on four images, then 64 pixels of a random image, where no two are tied.

# %%
x, y = features[train[:4]], wanted[train[:4]]
g = 2 * (two_layers(x, *first) - y) / y.size  # of the mean squared error
found = two_layer_rule(g, two_layers(x, *first), x, *first)[1:]
right = numerical_cotangents(lambda *p: ((two_layers(x, *p) - y) ** 2).mean(), 1.0, *first)
error = max(abs(c - n).max() for c, n in zip(found, right))
print(f"{sum(p.size for p in first):,} weights: off by", error.round(6).item())

noise, g = rng.uniform(size=(1, 8, 8)), rng.normal(size=(1, 32))
(right,) = numerical_cotangents(lambda image: features_of(image)[-1], g, noise)
print("64 pixels: off by", abs(to_pixels(g, noise) - right).max().round(6).item())

# %% [markdown]
# Now 3,000 steps of gradient descent, with 50 images each.


# %%
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
print(f"more than 90 % of {len(held_out)} digits it never saw are right:", share > 0.9)

# %% [markdown]
# The first picture again, by your own rules, and for two more digits. What to see: ink inside the 0, or left of the 3,
# would make less of a 0 or a 3 of it. In most blocks that hold ink one pixel stands out, the darkest, because a maximum
# lets one number through. On blank blocks all four are tied, and share.


# %% figure="pixels"
def pixels():
    panels = plots.panels(6)
    for k, place in enumerate((45, 317, 382)):
        digit = labels[place]
        g = np.eye(10)[[digit]]  # the score of this digit
        dx = two_layer_rule(g, g, features[[place]], *weights)[0]
        gradient = to_pixels(dx, images[[place]])[0]
        panels[k].imshow(images[place], cmap="Greys")
        title = f"by each pixel: the score for {digit}"
        plots.matrix(gradient, title=title, annotate=False, ax=panels[3 + k])
    for ax in panels:
        ax.set_axis_off()
    assert all(guess[i] == labels[i] and i in held_out for i in (45, 317, 382))


pixels()

# %% [markdown]
# ## What you have built
#
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
# | "could not be broadcast" on the way back of a sum | a summed axis that was not put back |
# | right, except for square arrays | an axis or a transposition that only the shape would have shown |
# | the right shape with scrambled numbers | `reshape` where a transposition is meant |
# | words that appear often learn too little | `x[index] += y` with repeats |
# | a gradient test fails at ties only | a corner: compare with the convention, not with the numerical derivative |
# | a gradient has one axis too many | a batched product that was not unbroadcast |
#
# ## One thing to try next
# In a new cell, write the rule of `np.cumsum(a)` for a vector: `out[i]` is the sum of `a[0]` to `a[i]`. Which numbers
# of `g` does `a[0]` get? Test it with `off`. It takes one line.
#
# One thing is odd: we measured the error of a *choice* among ten digits with squares. Unit 07 makes probabilities of
# the scores, and finds the loss that fits them.

# %% progress="here"
