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
#     unit: 05_tensors
#     allow: [autograd_ref.data, autograd_ref.graph, autograd_ref.plots, autograd_ref.scalar]
#     title: "Tensors: a whole array at a time"
# ---

# %% [markdown]
# # Tensors: a whole array at a time
#
# One layer of unit 04's network, 100 points, 8 neurons: there a box held a number, here it holds an array. Compare the
# two shapes in each box: a gradient has the shape of its array.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref.graph import draw

    class Box:
        def __init__(self, shape, op="", parents=(), label=""):
            self.data, self.grad = np.full(shape, 0.5), np.ones(shape)
            self.op, self.parents, self.label = op, parents, label

    X, W, b = Box((100, 2), label="X"), Box((2, 8), label="W"), Box((8,), label="b")
    total = Box((100, 8), "+", (Box((100, 8), "@", (X, W)), b))
    return draw(Box((), "mean", (Box((100, 8), "tanh", (total,)),), "L"))


goal()

# %% setup="imports"
import itertools
import random
import time

import numpy as np

from autograd_ref import plots, scalar
from autograd_ref.data import moons
from autograd_ref.graph import draw
from autograder import exercise, predicted, probe, recall, yours


def arrays(*rows):
    """A tuple of arrays of floats, made of lists."""
    return tuple(np.array(row, dtype=float) for row in rows)


def dtypes(cotangents):
    """The names of their dtypes."""
    return [None if c is None else str(c.dtype) for c in cotangents]

# %% [markdown]
# You rebuild the engine of unit 03 on NumPy arrays. At the end you will be able to
#
# - say which shape two arrays have together, and bring a gradient back to the shape of its input;
# - write backward rules for whole arrays, with corners, ties and large numbers;
# - keep float32 a float32;
# - train the network of unit 04 many times faster.
#
# **Time:** 130 minutes (115 without section 7). **Builds on:** 03 and 04 (networks).
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 02*: a is 3 and rises with slope 2, b is -4 and rises with slope 5. Which slope has a · b?
# - *unit 02, Newton*: the guess is 3. Which one is next, for x² - 5 = 0?
# - *unit 03*: w = x · x · y at x = 3, y = -2. What is the gradient of x?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 02": None, "unit 02, Newton": None, "unit 03": None}

# %% jupyter={"source_hidden": true}
def grads(f, *numbers):
    inputs = [scalar.Value(number) for number in numbers]
    f(*inputs).backward()
    return [x.grad for x in inputs]


recall(
    answers,
    {
        "unit 02": lambda: sum(g * s for g, s in zip(grads(lambda a, b: a * b, 3, -4), (2, 5))),
        "unit 02, Newton": lambda: 3 - 4 / grads(lambda x: x**2, 3)[0],
        "unit 03": lambda: grads(lambda x, y: x * x * y, 3, -2)[0],
    },
)

# %% [markdown]
# ## 1. Shapes that differ
#
# Above, a bias (8,) is added to an array (100, 8). NumPy **broadcasts**: it acts as if the smaller array were copied
# until the shapes agree. Write the shapes under each other, aligned at the **right**:
#
# ```
# a     (3, 1)
# b        (4,)
# out   (3, 4)
# ```
#
# A missing axis counts as 1. Two lengths fit if they are equal, or if one of them is 1: that one is stretched.
#
# `a` is copied to the right, `b` downwards, then both are added. Framed: one number of each, and its copies.


# %% figure="stretched"
def frame(ax, row, column, rows=1, columns=1, style="-"):
    """Draw a frame around some cells of a matrix."""
    left, right, top, bottom = column - 0.5, column + columns - 0.5, row - 0.5, row + rows - 0.5
    x, y = [left, right, right, left, left], [top, top, bottom, bottom, top]
    ax.plot(x, y, style, color="black", linewidth=2.5, clip_on=False)


def stretched():
    a, b = np.array([[4.0], [-2.0], [-5.0]]), np.array([1.0, 3.0, -4.0, 2.0])
    wide_a, wide_b = np.broadcast_arrays(a, b)
    pictures = {"a (3, 1)": a, "b (4,)": b, "a stretched": wide_a, "+ b stretched": wide_b}
    axes = plots.matrices({**pictures, "= a + b (3, 4)": a + b})
    axes[1].set(yticks=[], ylabel="")  # b has one axis, and no rows
    frame(axes[0], 1, 0, style="--")
    frame(axes[2], 1, 0, columns=4, style="--")
    frame(axes[1], 0, 0)
    frame(axes[3], 0, 0, rows=3)


stretched()

# %% [markdown]
# ### Exercise `broadcast_shape` (2 points)
# Two shapes go in, tuples of positive ints; the common shape comes out, as a tuple or a list. Raise a `ValueError` if
# they do not fit.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Put ones in front of the shorter shape. Then go through both, pair by pair.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# rank = ...                         # the larger number of axes
# a = (1,) * ... + a                 # for b in the same way
# for m, n in zip(a, b):
#     if ...: raise ValueError(...)  # different, and none of them is 1
#     ...                            # note the length that remains
# return tuple(...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# (2, 3) and (3,) raise, or (2,) and (2, 3) do not: the ones stand behind, or `zip` began at the left.
# </details>


# %% exercise="broadcast_shape"
def broadcast_shape(a, b):
    """The shape of x + y, for x of shape a and y of shape b; else a ValueError."""
    ### BEGIN SOLUTION
    rank = max(len(a), len(b))
    shape = []
    for m, n in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b):
        if m != n and 1 not in (m, n):
            raise ValueError(f"the shapes {a} and {b} do not fit")
        shape.append(n if m == 1 else m)
    return tuple(shape)
    ### END SOLUTION


# %% probes="broadcast_shape"
@probe
def shape_of(a, b):
    """What broadcast_shape gives, or that it raises an error."""
    try:
        out = broadcast_shape(a, b)
    except ValueError as error:
        if "unpack" in str(error) or "zip()" in str(error):  # Python's own, by a mistake: nothing is refused
            raise
        return "raises ValueError"
    return f"returns the text {out!r}" if isinstance(out, str) else out


# %% check="broadcast_shape" points=2
with exercise("broadcast_shape") as check:
    check.close(shape_of((4, 2, 3), (1,)), (4, 2, 3), "the 1 is stretched; 4 and 2 stay")
    check.close(shape_of((3, 1), (1, 4)), (3, 4), "each 1 is stretched to the other length")
    check.close(shape_of((1, 3), (1, 1)), (1, 3), "where 1 meets 1, it stays 1")
    check.close(shape_of((2, 3), (3,)), (2, 3), "at the right, 3 meets 3; 2 has no partner")
    check.close(shape_of((4,), (5, 3, 1)), (5, 3, 4), "the first may be the shorter one")
    check.close(shape_of((), (5, 2)), (5, 2), "a single number has no axes: it fits all")
    check.close(shape_of((), ()), (), "no axes beside no axes")
    check.close(shape_of((2,), (2, 3)), "raises ValueError", "at the right, 2 meets 3")
    check.close(shape_of((3, 4), (2, 4)), "raises ValueError", "3 meets 2, none is a 1")
    check.close(shape_of((2,), (4,)), "raises ValueError", "only a 1 is stretched, not a 2")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, one_of

    few = [((), ()), ((1,), (1,)), ((1,), (4,)), ((3,), (2, 3)), ((2, 3), (2, 3)), ((1, 1, 1), (2, 3))]
    few += [((1000,), (1000,)), ((300, 1), (300, 700))]
    many = [((2, 1, 3, 1, 4), (5, 1, 6, 1)), ((2, 3, 1, 2, 1, 3, 2, 1), (7,)), ((1,) * 12, (2, 1) * 6)]
    for a, b in few + many:
        check.close(shape_of(a, b), np.broadcast_shapes(a, b), "what NumPy does with these shapes")
        check.close(shape_of(b, a), np.broadcast_shapes(a, b), "in either order")
    for rank, drop in check.cases(30, integer(1, 7), integer(0, 6)):
        full = [check.rng.randint(2, 6) for _ in range(rank)]
        a = tuple(n if check.rng.random() < 0.6 else 1 for n in full)
        b = tuple(n if check.rng.random() < 0.6 else 1 for n in full)[min(drop, rank) :]
        for one, other in ((a, b), (b, a)):
            try:
                expected = np.broadcast_shapes(one, other)
            except ValueError:
                expected = "raises ValueError"
            check.close(shape_of(one, other), expected, "what NumPy does with these shapes")
    for n, k in check.cases(6, integer(2, 4), integer(2, 3)):
        for one, other in ((n, n * k), (n * k, n)):
            check.close(shape_of((5, one), (other,)), "raises ValueError", "only a 1 is stretched")
            for shape in ((3, 4), (1, 1), (3, 1, 4, 1)):
                bad = shape_of((one, *shape), (other, *shape))
                check.close(bad, "raises ValueError", "each axis counts, the first as well")
    for n, shape in check.cases(10, integer(2, 4), one_of([(5, 6), (7, 1, 5), (6,), (5, 7, 6)])):
        bad = (*shape[:-1], shape[-1] + n)
        check.close(shape_of(shape, bad), "raises ValueError", "the last lengths differ, and none is 1")
    ### END HIDDEN TESTS

# %% [markdown]
# ### The way back
# `b[0]` went into three numbers of `out`. A value that is used three times gets the **sum** of three contributions.
# *Copied on the way forward* means *added up on the way back.* Framed in `g`: what comes back to the copies of `b[0]`
# and of `a[1]`. A single number gets the sum of all.


# %% figure="added_up"
def added_up():
    g = np.array([[2.0, 0.0, 1.0, -2.0], [4.0, 1.0, -1.0, 2.0], [3.0, 5.0, 3.0, 1.0]])
    sums = {"for a: (3, 1)": g.sum(axis=1)[:, None], "for b: (4,)": g.sum(axis=0)}
    axes = plots.matrices({"g (3, 4)": g, **sums, "a number: ()": g.sum()})
    frame(axes[0], 1, 0, columns=4, style="--")
    frame(axes[1], 1, 0, style="--")
    frame(axes[0], 0, 0, rows=3)
    frame(axes[2], 0, 0)
    axes[2].set(yticks=[], ylabel="")
    axes[3].set(xticks=[], yticks=[], xlabel="", ylabel="")


added_up()

# %% [markdown]
# ### Exercise `unbroadcast` (3 points)
# Add up `g` along the axes that broadcasting stretched, so that the result has the given shape.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First the axes that `shape` does not have: the first ones of `g`. Then the axes where `shape` has a 1.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# g = g.sum(axis=...)           # the axes at the front: a tuple; () adds nothing up
# ones = ...                    # the positions of the ones in shape
# return g.sum(axis=ones, ...)  # what keeps a summed axis as length 1?
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# (3,) instead of (3, 1): `keepdims` is missing.
# </details>


# %% exercise="unbroadcast"
def unbroadcast(g, shape):
    """g, added up over the axes that broadcasting stretched: an array of this shape."""
    ### BEGIN SOLUTION
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)
    ### END SOLUTION


# %% probes="unbroadcast"
G = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [0.0, -1.0, 2.0, 10.0]])
DEEP = np.arange(24.0).reshape(2, 3, 4) - 5.0
HALF = np.ones((2, 3), dtype="float32")


# %% check="unbroadcast" points=3
with exercise("unbroadcast") as check:
    check.close(yours.unbroadcast(G, (3, 4)), G, "nothing was stretched: nothing to add up")
    columns, rows, both = arrays([6, 7, 12, 22], [[10], [26], [11]], [[20], [52], [84]])
    check.close(yours.unbroadcast(G, (4,)), columns, "b[0] went into three rows: 1 + 5 + 0")
    check.close(yours.unbroadcast(G, (3, 1)), rows, "a[0, 0] went into 4: 1 + 2 + 3 + 4")
    check.close(yours.unbroadcast(G[:, :3], (1, 3)), columns[None, :3], "the 1 stays")
    check.close(yours.unbroadcast(G, (1, 1)), np.full((1, 1), 47.0), "each 1 was stretched")
    check.close(yours.unbroadcast(G[:1], (4,)), G[0], "from (1, 4): the first axis goes")
    check.close(yours.unbroadcast(G, ()), 47.0, "a single number was used in 12 places")
    check.close(yours.unbroadcast(DEEP, (3, 1)), both, "from (2, 3, 4): a new axis and a 1")
    check.close(str(yours.unbroadcast(HALF, (3,)).dtype), "float32", "the dtype of g stays")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograder import array

    of_three = [(2, 3, 5), (3, 5), (5,), (), (1,), (1, 1), (3, 1), (1, 5), (2, 1, 1), (1, 3, 1), (1, 3, 5)]
    # Square, one number, no numbers, four axes, none.
    others = [((3, 3), (3, 1)), ((3, 3), (1, 3)), ((3, 3), (3,)), ((1, 1), (1,)), ((1,), ()), ((), ())]
    others += [((0, 3), (3,)), ((0, 3), (1, 1)), ((2, 1, 3, 2), (3, 1)), ((2, 4, 3, 2), (4, 1, 2))]
    others += [((2, 3, 2, 1, 3, 2), (3, 1, 1, 1, 2)), ((2, 1, 2, 3, 2, 3, 2), (2,)), ((1, 2, 3, 2, 2), (1, 1, 3, 1, 1))]
    for wide, shape in [((2, 3, 5), shape) for shape in of_three] * 2 + others:
        (g,) = next(check.cases(1, array(*wide)))
        x = Reference(np.zeros(shape), requires_grad=True)
        (x + np.zeros(g.shape)).backward(g)
        check.close(yours.unbroadcast(g, shape), x.grad.numpy(), "g, added up over the stretched axes",
                    rtol=1e-12, atol=1e-13)
        check.untouched("g is as it was: make new arrays")
        narrow = yours.unbroadcast(g.astype("float32"), shape)
        check.close(str(narrow.dtype), "float32", "the dtype is that of g")

    @probe
    def kinds_of_sums():
        """The dtypes of two sums, of float32 and of float16."""
        return [str(unbroadcast(HALF.astype(dtype), (1, 3)).dtype) for dtype in ("float32", "float16")]

    check.close(kinds_of_sums(), ["float32", "float16"], "the dtype is that of g, whichever it is")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. Rules for whole arrays
#
# The rules of unit 03 hold for arrays, number by number, in the same form: `rule(g, out, *inputs)`. The shapes of inputs
# may differ from that of `g`: NumPy broadcasts in the rule, and the engine calls `unbroadcast` after it. Four are ready:


# %% given="ready_rules"
def add_rule(g, out, a, b):
    return g, g


def sub_rule(g, out, a, b):
    return g, -g


def exp_rule(g, out, a):
    return (g * out,)


def log_rule(g, out, a):
    return (g / a,)


# %% [markdown]
# **Predict, then run.** `add_rule` gives both inputs a cotangent. Then that of `a` is changed. What does `b` get?

# %%
prediction = None  # two numbers, as a list

g, a, b = arrays([10, -1], [2, 4], [3, 5])
for_a, for_b = add_rule(g, a + b, a, b)
for_a += 100  # meant for a alone
if predicted(prediction, "one_array_twice"):
    print("b gets", for_b.tolist(), "and your prediction was", prediction)
    print("g is now", g.tolist())

# %% [markdown]
# Three names, one array. So a rule **never writes into its arguments**: `g * b` makes a new array, `g *= b` does not.
#
# ### Exercise `array_arithmetic` (2 points)
# The rules of `a * b` and `a / b`. Each sends back a tuple of two arrays; a list will do, here and below.
#
# <details><summary>Hint 1: a sketch</summary>
#
# When `b` rises, does `a / b` rise? It is `a` times the power -1 of `b`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return ..., g * a           # mul: the other factor
# return g / b, ...           # div: -1, then b to the power -2
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Only what `b` gets is wrong, or `g` differs afterwards: `*=` or `/=` wrote into it.
# </details>


# %% exercise="array_arithmetic"
def mul_rule(g, out, a, b):
    """The cotangents of a and b, for out = a * b; all are arrays."""
    ### BEGIN SOLUTION
    return g * b, g * a
    ### END SOLUTION


def div_rule(g, out, a, b):
    """The cotangents of a and b, for out = a / b."""
    ### BEGIN SOLUTION
    return g / b, -g * a / b**2
    ### END SOLUTION


# %% probes="array_arithmetic"
@probe
def after_both(g, a, b):
    """Calls the two rules with the same arrays; gives copies of the arrays after each."""
    found = []
    for rule, out in ((mul_rule, a * b), (div_rule, a / b)):
        rule(g, out, a, b)
        found.append([x.copy() for x in (g, out, a, b)])
    return found


@probe
def beside_a_number(name, g, a, number):
    """What mul_rule or div_rule sends back where b is a single number; for b, added up."""
    rule, forward = {"mul": (mul_rule, np.multiply), "div": (div_rule, np.divide)}[name]
    for_a, for_b = rule(g, forward(a, number), a, np.array(number))
    return for_a, float(np.sum(for_b))


# %% check="array_arithmetic" points=2
with exercise("array_arithmetic") as check:
    g, a, b = arrays([10, -1, 3], [2, 4, 0], [4, -5, 2])
    because = "number by number, as in unit 03: a gets 10 * 4, -1 * -5 and 3 * 2"
    check.close(yours.mul_rule(g, a * b, a, b), arrays([40, 5, 6], [20, -4, 0]), because)
    sent = arrays([2.5, 0.2, 1.5], [-1.25, 0.16, 0])
    check.close(yours.div_rule(g, a / b, a, b), sent, "b: -10 * 2 / 16, 1 * 4 / 25 and 0")
    as_before = [[g, out, a, b] for out in (a * b, a / b)]
    check.close(after_both(g, a, b), as_before, "all as it was: make new arrays")
    sent = np.array([40.0, -4.0, 12.0]), 16.0
    check.close(beside_a_number("mul", g, a, 4.0), sent, "b is one number: 10 * 2 - 1 * 4")
    sent = np.array([2.5, -0.25, 0.75]), -1.0
    check.close(beside_a_number("div", g, a, 4.0), sent, "b is one number: -16 / 4**2")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograder import array

    def brought_back(cotangent, shape):
        while cotangent.ndim > len(shape):
            cotangent = cotangent.sum(axis=0)
        for axis, length in enumerate(shape):
            if length == 1:
                cotangent = cotangent.sum(axis=axis, keepdims=True)
        return cotangent

    operations = {"mul": lambda a, b: a * b, "div": lambda a, b: a / b}
    shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (3,)), ((), (2, 3)), ((1, 3), (2, 1)), ((), ()),
              ((3, 3), (3,)), ((1,), (1,)), ((1, 2, 3), (4, 2, 3)), ((4, 2, 3), (2, 1)), ((0, 3), (3,))]
    for name, f in operations.items():
        for left, right in shapes:
            wide = np.broadcast_shapes(left, right)
            for g, a, b in check.cases(2, array(*wide), array(*left), array(*right)):
                x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
                f(x, y).backward(g)
                got = getattr(yours, f"{name}_rule")(g, np.asarray(f(a, b)), a, b)
                check.close(len(got), 2, "one cotangent for each input")
                got = tuple(brought_back(np.asarray(c), s) for c, s in zip(got, (left, right)))
                check.close(got, (x.grad.numpy(), y.grad.numpy()), f"the gradient of {name}",
                            rtol=1e-12, atol=1e-13)
            check.untouched("g, out, a and b are as they were: make new arrays")
    for g, a, b in check.cases(5, array(2, 3), array(2, 3), array(2, 3)):
        g, a, b = (x.astype("float32") for x in (g, a, b))
        for name, f in operations.items():
            got = getattr(yours, f"{name}_rule")(g, f(a, b), a, b)
            check.close(dtypes(got), ["float32", "float32"], "the dtype of the inputs")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a, b in check.cases(3, *[array(2, 3, low=0.2)] * 3):
        a *= 1e-305
        check.close(yours.mul_rule(g, a * b, a, b), (g * b, g * a), "tiny numbers", rtol=1e-13, atol=0.0)
        check.close(yours.div_rule(g, a / b, a, b), (g / b, -g * (a / b) / b), "tiny numbers", rtol=1e-12, atol=0.0)
    # Out of a product that is 0 the other factor cannot be divided.
    for g, a, b in check.cases(2, *[array(2, 3, low=0.2)] * 3):
        a[0, 0] = b[1, 2] = 0.0
        check.close(yours.mul_rule(g, a * b, a, b), (g * b, g * a), "a factor of 0", rtol=1e-13, atol=0.0)
        b[1, 2] = 0.5
        check.close(yours.div_rule(g, a / b, a, b), (g / b, -g * (a / b) / b), "0 / b", rtol=1e-12, atol=0.0)
        a[0, 0], nan = 0.5, np.nan * g
        for rule, out in ((yours.mul_rule, a * b), (yours.div_rule, a / b)):
            check.close(rule(nan, out, a, b), (nan, nan), "NaN is passed on")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `array_functions` (2 points)
# The rules of `np.tanh(a)` and of `a ** n`, with a plain number `n`. Each sends back a tuple of one. And `a ** 0`
# is 1 everywhere: its slope is 0, at a = 0 too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# tanh has the slope 1 - tanh². In a power the exponent comes down; n = 0 goes its own way.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g * ...,)             # tanh: which argument is tanh(a) already?
# if n == 0:
#     return (...,)             # zeros of the shape and dtype of a: np.zeros_like
# return (g * n * ...,)         # one power lower
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# NaN at n = 0: `0 * 0.0 ** -1` is 0 times infinity.
# </details>


# %% exercise="array_functions"
def tanh_rule(g, out, a):
    """The cotangent of a, in a tuple of one, for out = np.tanh(a)."""
    ### BEGIN SOLUTION
    return (g * (1 - out * out),)
    ### END SOLUTION


def power_rule(g, out, a, n):
    """The cotangent of a, in a tuple of one, for out = a ** n with a plain number n."""
    ### BEGIN SOLUTION
    if n == 0:
        return (np.zeros_like(a),)
    return (g * n * a ** (n - 1),)
    ### END SOLUTION


# %% probes="array_functions"
@probe
def after_both_functions(g, a):
    """Calls the two rules with the same arrays; gives copies of the arrays after each."""
    found = []
    for rule, out, constants in ((tanh_rule, np.tanh(a), ()), (power_rule, a**3, (3,))):
        rule(g, out, a, *constants)
        found.append([x.copy() for x in (g, out, a)])
    return found


# %% check="array_functions" points=2
with exercise("array_functions") as check:
    g, (a,), (zero,) = np.array([10.0, -1.0]), arrays([4, 0.5]), arrays([0, 3])
    (t,) = arrays([0.5, -0.8])
    check.close(yours.tanh_rule(g, t, np.arctanh(t)), arrays([7.5, -0.36]), "10 * (1 - t²)")
    check.close(yours.power_rule(g, t**3, t, 3), arrays([7.5, -1.92]), "10 * 3 * 0.5**2")
    check.close(yours.power_rule(g, 1 / t, t, -1), arrays([-40, 1.5625]), "-10 / 0.5**2")
    check.close(yours.power_rule(g, zero, zero, 1), arrays([10, -1]), "slope 1, at 0 too")
    check.close(yours.power_rule(g, zero**0, zero, 0), arrays([0, 0]), "a ** 0 is flat")
    check.close(yours.power_rule(np.nan * g, t, t, 1), (np.nan * t,), "NaN is passed on")
    as_before, narrow = [[g, np.tanh(a), a], [g, a**3, a]], a.astype("float32")
    check.close(after_both_functions(g, a), as_before, "make new arrays")
    check.close(dtypes(yours.power_rule(narrow, narrow, narrow, 0)), ["float32"], "as a is")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograder import array

    shapes = [(2, 3), (), (1,), (0, 2), (2, 2, 2)]
    for g, a in [next(check.cases(1, array(*s), array(*s, low=0.2))) for s in shapes * 2]:
        for values in (a, np.asarray(a - 1.6)):
            x, out = Reference(values, requires_grad=True), np.asarray(np.tanh(values))
            x.tanh().backward(g)
            got = yours.tanh_rule(g, out, values)
            check.close(got, (x.grad.numpy(),), "g times the slope of tanh", rtol=1e-11, atol=1e-13)
            check.untouched("g, out and a are as they were: make new arrays")
            narrow = yours.tanh_rule(*(v.astype("float32") for v in (g, out, values)))
            check.close(dtypes(narrow), ["float32"], "the dtype of the input")
        for n in (-2, -0.5, 0, 0.5, 1, 2, 3):
            x = Reference(a, requires_grad=True)
            (x**n).backward(g)
            got = yours.power_rule(g, np.asarray(a**n), a, n)
            check.close(got, (x.grad.numpy(),), f"g times the slope of a**{n}", rtol=1e-12, atol=1e-13)
            check.untouched("g, out and a are as they were: make new arrays")
            narrow = yours.power_rule(*(np.asarray(v, dtype="float32") for v in (g, a**n, a)), n)
            check.close(dtypes(narrow), ["float32"], "the dtype of the input")
        for n in (-3, 0, 2, 3):
            x = Reference(a - 1.6, requires_grad=True)
            (x**n).backward(g)
            got = yours.power_rule(g, np.asarray((a - 1.6) ** n), np.asarray(a - 1.6), n)
            check.close(got, (x.grad.numpy(),), "negative numbers too", rtol=1e-12, atol=1e-13)
    for (g,) in check.cases(1, array(2)):
        check.close(yours.tanh_rule(np.nan * g, np.tanh(g), g), (np.nan * g,), "NaN is passed on")
        for n in (0, 0.0, 1, 2, 3):
            check.close(yours.power_rule(g, np.zeros(2) ** n, np.zeros(2), n), (g * (n == 1),), f"a = 0, n = {n}")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a in check.cases(3, array(2, 3), array(2, 3, low=0.2)):
        tiny = a * 1e-305
        check.close(yours.power_rule(g, tiny**2, tiny, 2), (2 * g * tiny,), "tiny numbers", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# `array_error` nudges numbers, as in unit 03: how far is a rule from the numerical derivative? 0 is right.


# %% setup="array_error"
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


def array_error(forward, rule, *inputs, g=None):
    """How far `rule` is from the numerical derivative of `forward`, to six digits."""
    out = forward(*inputs)
    g = np.linspace(-1, 2, out.size).reshape(out.shape) if g is None else g
    found = rule(g.copy(), out, *inputs)
    errors = zip(found, numerical_cotangents(forward, g, *inputs), strict=True)
    return round(max(float(abs(c - n).max()) for c, n in errors), 6)


# %%
a, b = arrays([[0.3, -1.2, 2.0], [1.5, 0.7, -0.4]], [[1.1, 0.6, -3.0], [-0.9, 2.0, 0.5]])
print("div_rule is off by", array_error(np.divide, div_rule, a, b))
print("tanh_rule is off by", array_error(np.tanh, tanh_rule, a))

# %% [markdown]
# ## 3. A formula that fails
#
# There are many ways to write the sigmoid. In a computer they differ: exp(100) is too large for float32.
#
# **Predict, then run.** Which of these formulas, 1 to 3, are right at -100, -20, 100? Answer with lists: [2, 3].
# The true values: 3.72e-44 (float32: 3.78e-44), 2.1e-09 and 1.

# %%
prediction = {"at -100": None, "at -20": None, "at 100": None}

FORMULAS = {
    "1 / (1 + exp(-a))": lambda a: 1 / (1 + np.exp(-a)),
    "exp(a) / (1 + exp(a))": lambda a: np.exp(a) / (1 + np.exp(a)),
    "(1 + tanh(a / 2)) / 2": lambda a: (1 + np.tanh(a / 2)) / 2,
}
if predicted(prediction, "sigmoid_formulas"):
    three, right = np.array([-100, -20, 100], dtype="float32"), {place: [] for place in prediction}
    true_values = 1 / (1 + np.exp(-three.astype("float64")))
    with np.errstate(all="ignore"):  # NumPy would warn
        for k, (name, formula) in enumerate(FORMULAS.items(), start=1):
            values = formula(three)
            print(k, f"{name:22}", "  ".join(f"{value:8.2g}" for value in values))
            for place, value, true_value in zip(right, values, true_values, strict=True):
                right[place] += [k] if abs(value / true_value - 1) < 0.02 else []
    for place, said in prediction.items():
        print(f"{place}: right are {right[place]}, your prediction: {said}")

# %% [markdown]
# No formula is right everywhere: the first two fail where `exp` gets a large positive number, and the third subtracts two
# nearly equal numbers.
#
# ### Exercise `stable_sigmoid` (2 points)
# Write `sigmoid(a)` for any array of floats: without overflow, with all digits of small results, in the dtype of `a`.
# Then its rule; the slope is sigmoid · (1 - sigmoid).
#
# <details><summary>Hint 1: a sketch</summary>
#
# The first formula where a ≥ 0, the second elsewhere: `exp` then gets minus the absolute value of `a`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# e = np.exp(...)                     # never above 1
# top = np.where(a >= 0, ..., ...)    # the two formulas differ above the line only
# return top / ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# "overflow": `np.where` chooses between two arrays, but both are computed everywhere.
# </details>


# %% exercise="stable_sigmoid"
def sigmoid(a):
    """1 / (1 + exp(-a)) for an array: no overflow, full precision, the dtype of a."""
    ### BEGIN SOLUTION
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1, e) / (1 + e)
    ### END SOLUTION


def sigmoid_rule(g, out, a):
    """The cotangent of a, in a tuple of one, for out = sigmoid(a)."""
    ### BEGIN SOLUTION
    return (g * out * (1 - out),)
    ### END SOLUTION


# %% probes="stable_sigmoid"
@probe
def sigmoid_at(numbers, dtype="float64"):
    """For each number the sigmoid, or what went wrong; then the dtype of the results."""
    out, found = sigmoid(np.array([0.5, 0.1], dtype=dtype)), []
    for number in numbers:
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                found.append(float(sigmoid(np.array([number, 0.5], dtype=dtype))[0]))
        except FloatingPointError as error:
            found.append(str(error))
    return found, str(np.asarray(out).dtype)


@probe
def log_sigmoid_at(numbers):
    """The logarithms of the sigmoids, where these are not 0."""
    with np.errstate(all="ignore"):
        out = sigmoid(np.array(numbers, dtype=float))
    return [float(np.log(value)) if value > 0 else "the sigmoid is 0" for value in out]


@probe
def sigmoid_back(g, a):
    """What sigmoid_rule sends back, and g and out as they are afterwards."""
    out = 1 / (1 + np.exp(-a))
    return sigmoid_rule(g, out, a), g, out


# %% check="stable_sigmoid" points=2
with exercise("stable_sigmoid") as check:
    check.close(sigmoid_at([0, 1])[0], [0.5, 0.731058578630], "1 / (1 + 1 / e) at 1")
    check.close(sigmoid_at([1000, -1000])[0], [1, 0], "the ends, without an overflow")
    because = "sigmoid(-40) is nearly exp(-40): small results keep their digits"
    check.close(log_sigmoid_at([-40, -700]), [-40, -700], because)
    check.close(sigmoid_at([-100, 100], "float32"), ([0, 1], "float32"), "in float32, too")
    (deep,) = arrays([[0, 1000, -1000], [0, 1000, -1000]])
    check.close(yours.sigmoid(deep), deep / 2000 + 0.5, "any array: here of shape (2, 3)")
    g, a = np.array([10.0, -1.0]), np.log([4.0, 1 / 3])
    because = "where the sigmoid is 0.8, its slope is 0.8 * 0.2; g and out stay as they are"
    sent, out = arrays([1.6, -0.1875]), np.array([0.8, 0.25])
    check.close(sigmoid_back(g, a), (sent, g, out), because)
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import ops
    from autograder import array, numbers

    # On both sides of 0, near it and at it, then far away.
    edges = [[0.0, -0.0, -0.5, 0.5, -1.0, 1.0], [1e-9, -1e-9, -0.01, -3.0, 3.0, -20.0]]
    for values in edges + [values for (values,) in check.cases(10, numbers(6, -700, 700))]:
        exact = ops.sigmoid(np.array(values))
        check.close(sigmoid_at(values)[0], exact.tolist(), "any number", rtol=1e-12, atol=0.0)
        check.close(log_sigmoid_at(values), np.log(exact).tolist(), "small results keep their digits")
        for shape in ((2, 3), (6, 1), (1, 2, 3)):
            got = yours.sigmoid(np.array(values).reshape(shape))
            check.close(got, exact.reshape(shape), "an array of any shape", rtol=1e-12, atol=0.0)
        check.untouched("a is as it was: make new arrays")
        narrow = np.array(values, dtype="float32") / 8
        got, exact = yours.sigmoid(narrow), ops.sigmoid(narrow)
        check.close(got, exact, "in float32", rtol=1e-5, atol=1e-37)
        check.close(str(got.dtype), "float32", "the dtype of the input")
    # So small that fewer digits fit into a float: still not those of another number.
    check.close(log_sigmoid_at([-720, -730, -740]), [-720, -730, -740], "small results, down to the last", rtol=1e-4)
    small = sigmoid_at([-86, -92, -98], "float32")[0]
    check.close(small, np.exp([-86.0, -92, -98]).tolist(), "small results in float32", rtol=0.02, atol=0.0)
    half = np.array([0.5, -3.0, 6.0, -7.0])
    got = sigmoid_at(half.tolist(), "float16")
    check.close(got, (ops.sigmoid(half).tolist(), "float16"), "the dtype of the input", rtol=5e-3)
    check.close(yours.sigmoid(np.array(0.0)), 0.5, "an array without axes")
    check.close(yours.sigmoid(np.zeros((0, 2))), np.zeros((0, 2)), "an array without numbers")

    @probe
    def sigmoid_of_turned(numbers):
        """The sigmoid of an array that lies in memory column by column, as after a transposition."""
        return sigmoid(np.asfortranarray(numbers))

    turned = np.array([[0.5, -3.0, 6.0], [-7.0, 1.0, -20.0]])
    check.close(sigmoid_of_turned(turned), ops.sigmoid(turned), "however the numbers of a lie in memory")
    for g, a in check.cases(10, array(2, 3), array(2, 3)):
        x = Reference(a, requires_grad=True)
        x.sigmoid().backward(g)
        out = ops.sigmoid(a)
        check.close(yours.sigmoid_rule(g, out, a), (x.grad.numpy(),), "g times the slope", rtol=1e-11, atol=1e-13)
        check.untouched("g, out and a are as they were: make new arrays")
        narrow = yours.sigmoid_rule(*(v.astype("float32") for v in (g, out, a)))
        check.close(dtypes(narrow), ["float32"], "the dtype of the input")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a in check.cases(3, array(2, 3), array(2, 3, low=0.2)):
        out = ops.sigmoid(a - 699.0)
        check.close(yours.sigmoid_rule(g, out, a - 699.0), (g * out,), "tiny results", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# All in float32; NaN counts as an error of 1, and no error is drawn below 1e-7. The first lies under yours, and fails
# at -88; the second fails at 88; the third loses digit after digit on the left. Yours loses some only left of -87,
# where float32 itself has fewer.


# %% figure="sigmoids"
def sigmoids():
    points = np.linspace(-100, 110, 421, dtype="float32")
    exact, curves = sigmoid(points.astype("float64")), {}
    with np.errstate(all="ignore"):
        for name, formula in {**FORMULAS, "yours": sigmoid}.items():
            error = np.abs(formula(points) - exact) / exact
            curves[name] = points, np.clip(np.nan_to_num(error, nan=1.0), 1e-7, 1)
    assert curves["yours"][1][points > -87].max() < 1e-6
    title = "The sigmoid in float32"
    ax = plots.lines(curves, xlabel="a", ylabel="relative error", log="y", title=title)
    ax.yaxis.set_major_formatter("{x:.0e}")


sigmoids()

# %% [markdown]
# ## 4. Choices
#
# `np.where` chooses by a condition, relu between `a` and 0, maximum between `a` and `b`. On the way back each number of
# `g` goes to the one that was chosen; the other gets 0. An `if` cannot ask an array, but a **mask** can: `a > 0` is an
# array of True and False, which count as 1 and 0 in a product. A condition cannot change a little: it gets `None`.


# %% given="choices"
def relu_rule(g, out, a):
    return (g * (a > 0),)  # the slope at 0 is 0, as before


def where_rule(g, out, condition, a, b):
    return None, np.where(condition, g, 0), np.where(condition, 0, g)


# %% [markdown]
# ### Exercise `maximum_ties` (2 points)
# The rule of `np.maximum(a, b)`, for finite numbers. The larger one gets `g`. Where both are equal, each gets **half**,
# as in PyTorch.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Three masks: `a` is larger, `b` is larger, both are equal.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# tie = np.where(a == b, ..., ...)       # half of g, or 0
# return np.where(a > b, ..., tie), ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# At a tie, all of `g` for both: `>=` twice; nothing: `>` twice. float64: a mask times 0.5 is float64, half of `g` is not.
# </details>


# %% exercise="maximum_ties"
def maximum_rule(g, out, a, b):
    """The cotangents of a and b, for out = np.maximum(a, b); a tie gives half to each."""
    ### BEGIN SOLUTION
    tie = np.where(a == b, g / 2, 0)
    return np.where(a > b, g, tie), np.where(b > a, g, tie)
    ### END SOLUTION


# %% probes="maximum_ties"
@probe
def maximum_back(g, a, b):
    """What maximum_rule sends back, and g as it is afterwards."""
    return maximum_rule(g, np.maximum(a, b), a, b), g


@probe
def maximum_with_a_number(g, a, number):
    """What maximum_rule sends back where b is a single number; for b, added up."""
    for_a, for_b = maximum_rule(g, np.maximum(a, number), a, np.array(number))
    return for_a, float(np.sum(for_b))


# %% check="maximum_ties" points=2
with exercise("maximum_ties") as check:
    g, a, b = arrays([10, -1, 5, -8, 6], [3, -5, 2, 0, 4], [1, 7, 2, 0, 4.000001])
    sent = arrays([10, 0, 2.5, -4, 0], [0, -1, 2.5, -4, 6])
    because = "the larger one gets g; at the ties 2, 2 and 0, 0 each gets half"
    check.close(maximum_back(g, a, b)[0], sent, because)
    check.close(maximum_back(g, a, b)[1], g, "g is as it was: make new arrays")
    sent = np.array([10, 0, 2.5, 0, 6]), -6.5
    check.close(maximum_with_a_number(g, a, 2.0), sent, "b is one number: -1 + 2.5 - 8")
    g, a, b = (x.astype("float32") for x in (g, a, b))
    check.close(dtypes(maximum_back(g, a, b)[0]), ["float32", "float32"], "the dtype stays")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import ops
    from autograder import array

    for g, a, b in check.cases(15, array(2, 4), array(2, 4), array(2, 4)):
        b[0, 1], b[1, 3] = a[0, 1], a[1, 3]
        x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
        ops.maximum(x, y).backward(g)
        expected = (x.grad.numpy(), y.grad.numpy()), g
        check.close(maximum_back(g, a, b), expected, "g to the larger one, half to each at a tie")
        g, a, b = (v.astype("float32") for v in (g, a, b))
        check.close(dtypes(maximum_back(g, a, b)[0]), ["float32", "float32"], "float32 stays float32")
    for g, a, b in check.cases(3, array(2, 4), array(2, 4), array(2, 4)):
        # Nearer than the step of a difference quotient; neighbours among the numbers of float64; 0.0 and -0.0.
        for near in (a + np.sign(b) * 1e-9, np.nextafter(a, np.sign(b) * np.inf)):
            got = yours.maximum_rule(g, np.maximum(a, near), a, near)
            expected = np.where(b < 0, g, 0), np.where(b < 0, 0, g)
            check.close(got, expected, "nearly a tie", rtol=1e-13, atol=0.0)
            check.untouched("g, out, a and b are as they were: make new arrays")
        got = yours.maximum_rule(g, np.abs(a), a, -a)
        check.close(got, (np.where(a > 0, g, 0), np.where(a > 0, 0, g)), "opposite numbers are no tie")
        for one, other in ((a, a.copy()), (0.0 * a, -0.0 * a)):
            got = yours.maximum_rule(g, np.maximum(one, other), one, other)
            check.close(got, (g / 2, g / 2), "ties everywhere: half for each", rtol=1e-13, atol=0.0)
    for left, right in (((2, 1), (4,)), ((), (2, 3)), ((2, 3), (3,)), ((1, 4), (2, 1)), ((0, 3), (3,)), ((), ())):
        wide = np.broadcast_shapes(left, right)
        for g, a, b in check.cases(1, array(*wide), array(*left), array(*right)):
            b = np.asarray(b)
            b[...] = np.where(b > 0, b, a.flat[0] if a.size else 0.0)  # ties
            x, y = Reference(a, requires_grad=True), Reference(b, requires_grad=True)
            ops.maximum(x, y).backward(g)
            for c, t in zip(yours.maximum_rule(g, np.maximum(a, b), a, b), (x, y)):
                check.true(np.shape(c) in (wide, t.data.shape), "a cotangent has the shape of g, or of its input")
                c = np.broadcast_to(c, wide) if np.shape(c) != t.data.shape else c
                while np.ndim(c) > t.data.ndim:
                    c = c.sum(axis=0)
                ones = tuple(i for i, n in enumerate(t.data.shape) if n == 1)
                check.close(np.sum(c, axis=ones, keepdims=True), t.grad.numpy(), "inputs that are broadcast")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** relu(a) is maximum(a, 0). What does each rule pass back at a = 0, of g = 1?

# %%
prediction = {"relu": None, "maximum": None}

one, zero = np.array([1.0]), np.array([0.0])
if predicted(prediction, "tie_at_zero"):
    found = {"relu": relu_rule(one, zero, zero), "maximum": maximum_rule(one, zero, zero, zero)}
    for name, said in prediction.items():
        print(f"{name} passes back {found[name][0].item()}, your prediction: {said}")

# %% [markdown]
# One function, two conventions for its corner; PyTorch has both.
#
# ## 5. The dtype
#
# Networks are trained in float32, or smaller still: float64 takes twice its memory. One float64 is enough to lose that:
# the wider dtype wins, from there to the end (section 8).
#
# **Predict, then run.** `x` is float32. Which dtype has each product, float32 or float64?

# %%
names = ["2.0", "3", "np.float64(2.0)", "np.sqrt(4.0)", "np.ones(2)"]
prediction = ["?", "?", "?", "?", "?"]

x = np.array([1.5, -2.0], dtype="float32")
factors = [2.0, 3, np.float64(2.0), np.sqrt(4.0), np.ones(2)]
if predicted(prediction, "dtypes_of_products"):
    for name, factor, said in zip(names, factors, prediction, strict=True):
        print(f"x * {name:16} {(x * factor).dtype}, your prediction: {said}")

# %% [markdown]
# A Python number takes the dtype of the array. A single NumPy number does not (since NumPy 2), and `np.sqrt` gives one.
# In PyTorch, and here, both take the tensor's dtype.
#
# ### Exercise `as_operand` (2 points)
# `x` stands beside a tensor of this (floating) dtype, as in `tensor * x`. Return `x` as an array: a single number,
# Python's or NumPy's, in the tensor's dtype; an array with axes or a list in its own. (`np.array(3)` may go either way.)
#
# <details><summary>Hint 1: a sketch</summary>
#
# `np.asarray(x, dtype=...)` makes the array. When is a dtype given?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if isinstance(x, (int, float, ...)):     # np.generic: the class of all single NumPy numbers
#     return ...
# return np.asarray(x)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# int64 for `np.int64(3)`: of NumPy's numbers only np.float64 is a `float`.
# </details>


# %% exercise="as_operand"
def as_operand(x, dtype):
    """x as an array: a single number in this dtype, an array or a list in its own."""
    ### BEGIN SOLUTION
    if isinstance(x, (int, float, np.generic)):
        return np.asarray(x, dtype=dtype)
    return np.asarray(x)
    ### END SOLUTION


# %% probes="as_operand"
@probe
def operand_of(x, dtype):
    """What as_operand makes of x: whether it is an array, its numbers, its dtype."""
    out = as_operand(x, np.dtype(dtype))
    return isinstance(out, np.ndarray), np.asarray(out).tolist(), str(np.asarray(out).dtype)


@probe
def numpys_operand(kind, number, dtype):
    """The same for a single number of NumPy's, such as np.int64(3)."""
    out = as_operand(np.dtype(kind).type(number), np.dtype(dtype))
    return isinstance(out, np.ndarray), np.asarray(out).tolist(), str(np.asarray(out).dtype)


# %% check="as_operand" points=2
with exercise("as_operand") as check:
    check.close(operand_of(2.5, "float32"), (True, 2.5, "float32"), "a Python float adapts")
    check.close(operand_of(3, "float32"), (True, 3.0, "float32"), "a Python int adapts")
    check.close(operand_of(2.5, "float64"), (True, 2.5, "float64"), "to float64 as well")
    because = "a single NumPy number adapts too, though NumPy itself would not let it"
    for kind, to in ("float64", "float32"), ("int64", "float32"), ("float16", "float64"):
        check.close(numpys_operand(kind, 3, to), (True, 3.0, to), because)
    because, mask = "an array keeps its dtype", np.array([True, False])
    check.close(operand_of(mask, "float32"), (True, [True, False], "bool"), because)
    check.close(operand_of(np.array([1.5]), "float32"), (True, [1.5], "float64"), because)
    because, both = "a list keeps its own, too: NumPy makes bools of these", [True, False]
    check.close(operand_of(both, "float32"), (True, both, "bool"), because)
    ### BEGIN HIDDEN TESTS
    from autograder import array, number, one_of

    for x, a, dtype in check.cases(15, number(), array(2, 3), one_of(["float32", "float64", "float16"])):
        value = np.array(x, dtype=dtype).item()
        check.close(operand_of(x, dtype), (True, value, dtype), "a Python number adapts")
        check.close(numpys_operand("float64", x, dtype), (True, value, dtype), "a NumPy number adapts")
        check.close(numpys_operand("int64", 7, dtype), (True, 7.0, dtype), "an int of NumPy adapts")
        for kind, value in (("float32", 1.5), ("float16", 1.5), ("int32", 7.0), ("uint8", 7.0)):
            check.close(numpys_operand(kind, value, dtype), (True, value, dtype), "a NumPy number adapts")
        check.close(operand_of(True, dtype), (True, 1.0, dtype), "True is a number, too")
        check.close(operand_of(a, dtype), (True, a.tolist(), "float64"), "an array keeps its dtype")
        narrow = a.astype("float32")
        check.close(operand_of(narrow, dtype), (True, narrow.tolist(), "float32"), "an array keeps its dtype")
        half = np.array([[1.5, -2.0]], dtype="float16")
        check.close(operand_of(half, dtype), (True, [[1.5, -2.0]], "float16"), "an array keeps its dtype")
        whole = np.array([[3, -2]])
        check.close(operand_of(whole, dtype), (True, [[3, -2]], str(whole.dtype)), "integers are an array's dtype, too")
        check.close(operand_of(a.tolist(), "float32"), (True, a.tolist(), "float64"), "a list has its own")
        check.close(operand_of([3, -2], dtype), (True, [3, -2], str(whole.dtype)), "a list of ints has its own")
        for some in ([True, False], [True], [[False]]):
            check.close(operand_of(some, dtype), (True, some, "bool"), "a list has its own, of one number as well")
        check.close(operand_of([x], "float32"), (True, [x], "float64"), "a list of one number is a list")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 6. The tensor
#
# `Tensor` is unit 03's `Value` with an array in `data`. `record` computes and takes notes; what stands beside a tensor
# goes through your `as_operand`. Of the long cell, read `inputs` and `record`.


# %% given="tensor"
class Tensor:
    """An array that remembers how it was computed."""

    __array_ufunc__ = None  # so that NumPy leaves `array * tensor` to us
    ages = itertools.count()

    def __init__(self, data, op="", parents=(), constants=(), label=""):
        self.data = np.asarray(data)
        if isinstance(data, (int, list)) and self.data.dtype.kind == "i":
            self.data = self.data.astype(float)  # Tensor([1, 2]) holds 1.0 and 2.0
        self.op, self.parents, self.constants = op, parents, constants
        self.label = label
        self.grad = None
        self.age = next(self.ages)  # what was made from a tensor is younger than it

    @property
    def inputs(self):
        """What the operation was given: arrays, then constants."""
        return (*(parent.data for parent in self.parents), *self.constants)

    def __repr__(self):
        return f"Tensor({self.data.tolist()}, dtype={self.data.dtype})"

    def __add__(self, other):
        return record("+", self, other)

    def __sub__(self, other):
        return record("-", self, other)

    def __rsub__(self, other):
        return record("-", other, self)

    def __mul__(self, other):
        return record("*", self, other)

    def __truediv__(self, other):
        return record("/", self, other)

    def __rtruediv__(self, other):
        return record("/", other, self)

    def __neg__(self):
        return self * -1

    def __pow__(self, n):
        return record("**", self, constants=(n,))

    def __matmul__(self, other):
        return record("@", self, other)

    def __rmatmul__(self, other):
        return record("@", other, self)

    def sum(self):
        return record("sum", self)

    def mean(self):
        return self.sum() * (1 / self.data.size)

    def sigmoid(self):
        return record("sigmoid", self)

    __radd__, __rmul__ = __add__, __mul__


def record(op, *operands, constants=()):
    """Compute an operation, at least one of whose operands is a Tensor."""
    kinds = [x.data.dtype for x in operands if isinstance(x, Tensor)]
    dtype = next((kind for kind in kinds if kind.kind == "f"), np.dtype(float))
    parents = tuple(
        x if isinstance(x, Tensor) else Tensor(as_operand(x, dtype)) for x in operands
    )
    data = FORWARD[op](*(parent.data for parent in parents), *constants)
    return Tensor(data, op, parents, constants)


def function(op):
    """A function of arrays and of Tensors."""

    def apply(*operands):
        recorded = any(isinstance(x, Tensor) for x in operands)
        return record(op, *operands) if recorded else FORWARD[op](*operands)

    return apply


exp, log, tanh, relu = map(function, ("exp", "log", "tanh", "relu"))
maximum, where = function("maximum"), function("where")

# %% [markdown]
# What each operation computes, and its rule. The tables hold your functions as they are now: after you mend one, run
# *this* cell again. `@`, the matrix product, and `sum` are for unit 06.


# %% given="tables"
FORWARD = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "@": np.matmul}
FORWARD |= {"**": lambda a, n: a**n, "sum": np.sum, "exp": np.exp, "log": np.log}
FORWARD |= {"tanh": np.tanh, "sigmoid": sigmoid, "relu": lambda a: np.maximum(a, 0)}
FORWARD |= {"maximum": np.maximum, "where": np.where}

RULES = {"+": add_rule, "-": sub_rule, "*": mul_rule, "/": div_rule, "**": power_rule}
RULES |= {"exp": exp_rule, "log": log_rule, "tanh": tanh_rule, "sigmoid": sigmoid_rule}
RULES |= {"relu": relu_rule, "maximum": maximum_rule, "where": where_rule}
RULES |= {
    "@": lambda g, out, a, b: (g @ b.T, a.T @ g),
    "sum": lambda g, out, a: (np.broadcast_to(g, a.shape),),
}

# %% [markdown]
# ### Exercise `send_back` (3 points)
# `pass_back` of unit 03, for arrays. Call the rule of the node's operation. Each cotangent that is not `None` becomes
# `fit(cotangent, parent.data)`, in the parent's form, and is added to the parent's `grad`, which is `None` at first. An
# input (`op` is empty) has no parents. `node.grad` stays as it is.
#
# Beware: `x += y` writes into `x`, and after `add_rule` two parents may hold *the same array*. Make a new array for each
# sum. (Your `unbroadcast` may copy, and hide this fault. The check's `fit` does not.)
#
# <details><summary>Hint 1: a sketch</summary>
#
# The first contribution *is* the gradient; each further one makes a new array, old + new.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if not node.op: return                   # an input has no rule
# cotangents = rules[node.op](...)         # node.grad, node.data, *node.inputs
# for parent, cotangent in zip(...):
#     if ...: continue                     # nothing for this parent
#     cotangent = fit(...)
#     parent.grad = ... if parent.grad is None else ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The gradient of a *neighbour* is wrong: `+=` wrote into an array that it shares. ValueError "truth value": ask
# `grad is None`, not `if grad`.
# </details>


# %% exercise="send_back"
def send_back(node, rules, fit):
    """Add to the grad of each parent of `node` what `node.grad` contributes to it."""
    ### BEGIN SOLUTION
    if not node.op:
        return
    cotangents = rules[node.op](node.grad, node.data, *node.inputs)
    for parent, cotangent in zip(node.parents, cotangents):
        if cotangent is None:
            continue
        cotangent = fit(cotangent, parent.data)
        parent.grad = cotangent if parent.grad is None else parent.grad + cotangent
    ### END SOLUTION


# %% probes="send_back"
@probe
def rule_is_given(grad, data, parents, constants):
    """What the rule is called with. It sends back zeros, in the shapes of the parents."""
    calls = []

    def rule(*given):
        calls.append(["a Tensor" if isinstance(x, Tensor) else x for x in given])
        return tuple(np.zeros_like(x) for x in parents)

    node = Tensor(data, "op", tuple(Tensor(x) for x in parents), tuple(constants))
    node.grad = grad
    send_back(node, {"op": rule}, lambda cotangent, array: cotangent)
    return calls


@probe
def after_steps(steps):
    """The grads of x, which was computed, and of y, an input, after steps (parents, cotangents); fit adds up the
    rows."""
    made = {"x": Tensor(np.zeros(2), "op", (Tensor(np.zeros(2)),)), "y": Tensor(np.zeros(2))}

    def add_rows(cotangent, array):
        return cotangent.sum(axis=0) + np.zeros(array.shape)

    for parents, cotangents in steps:
        node = Tensor(np.zeros((2, 2)), "op", tuple(made[name] for name in parents))
        node.grad = np.ones((2, 2))
        send_back(node, {"op": lambda *given: cotangents}, add_rows)
    return {name: None if t.grad is None else t.grad.tolist() for name, t in made.items()}


@probe
def grads_after_sum(grad):
    """x + y passes grad back, then x + x does, as with add_rule. Gives the grads of x, y and x + x."""
    x, y = Tensor(np.zeros(2)), Tensor(np.zeros(2))
    for parents in ((x, y), (x, x)):
        node = Tensor(np.zeros(2), "op", parents)
        node.grad = grad
        send_back(node, {"op": lambda g, *rest: (g, g)}, lambda cotangent, array: cotangent)
    return x.grad.tolist(), y.grad.tolist(), None if node.grad is None else node.grad.tolist()


@probe
def leaf_after(grad):
    """The grad of an input after send_back, with no rules at all."""
    leaf = Tensor(np.zeros(2))
    leaf.grad = grad
    send_back(leaf, {}, None)
    return leaf.grad


# %% check="send_back" points=3
with exercise("send_back") as check:
    g, out, a, b = arrays([10, -1], [8, 10], [2, 5], [4, 2])
    check.close(rule_is_given(g, out, [a, b], []), [[g, out, a, b]], "g, out, inputs; once")
    check.close(rule_is_given(g, out, [a], [3]), [[g, out, a, 3]], "constants as well")
    check.close(leaf_after(g), g, "an input has no rule and no parents: nothing happens")
    one, two = arrays([[1, 2], [3, 4]], [[10, 20], [30, 50]])
    sums = after_steps([("xy", (one, two))])
    check.close(sums, {"x": [4, 6], "y": [40, 70]}, "parents x, y; this fit adds up rows")
    check.close(after_steps([("xy", (None, one))]), {"x": None, "y": [4, 6]}, "none for x")
    sums = after_steps([("xx", (one, two)), ("yx", (two, one))])
    check.close(sums, {"x": [48, 82], "y": [40, 70]}, "x + x, then y + x: 4 + 40 + 4 for x")
    check.close(grads_after_sum(g), ([30, -3], [10, -1], [10, -1]), "x + y, then x + x")
    ### BEGIN HIDDEN TESTS
    from autograder import array, numbers

    @probe
    def kinds_of_grads(sent):
        """The dtypes of a float32 parent's gradients, after one part and after two; the rule sends parts of that kind."""
        parent, kinds = Tensor(np.zeros(2, dtype="float32")), []
        for _ in range(2):
            node = Tensor(np.zeros(2, dtype="float32"), "op", (parent,))
            node.grad = np.ones(2, dtype="float32")
            send_back(node, {"op": lambda g, *given: (g.astype(sent),)}, lambda c, array: c.astype(array.dtype))
            kinds.append(str(parent.grad.dtype))
        return kinds

    for sent in ("float32", "float64"):
        kinds = kinds_of_grads(sent)
        check.close(kinds, ["float32", "float32"], "fit sees each part, and what it gives stays as it is, its dtype too")

    @probe
    def grads_of_neighbours(first, second):
        """x + y passes first back, then -y passes second back. Gives the grads of x, y, x + y and -y."""
        x, y = Tensor(np.zeros(2)), Tensor(np.zeros(2))
        nodes = [Tensor(np.zeros(2), "op", parents) for parents in ((x, y), (y,))]
        for node, grad in zip(nodes, (first, second)):
            node.grad = grad
            send_back(node, {"op": lambda g, *rest: (g, g)[: len(rest) - 1]}, lambda cotangent, array: cotangent)
        return [t.grad.tolist() for t in (x, y, *nodes)]

    for g, c in check.cases(3, array(2), array(2)):
        expected = [g.tolist(), (g + c).tolist(), g.tolist(), c.tolist()]
        because = "a sum is a new array, whichever node sent the first part"
        check.close(grads_of_neighbours(g, c), expected, because)
    three = after_steps([("xyy", (None, one, two))])
    check.close(three, {"x": None, "y": [44, 76]}, "three parents, as `where` has them: none is left out")
    for grad, data, a, b, constants in check.cases(
        10, array(2, 3), array(2, 3), array(3), array(2, 1), numbers(2)
    ):
        expected = [[grad, data, a, b, *constants]]
        check.close(rule_is_given(grad, data, [a, b], constants), expected, "g, out, inputs, constants")
    for one, two, g in check.cases(10, array(2, 2), array(2, 2), array(2)):
        steps, expected = [], {"x": None, "y": None}
        for _ in range(3):
            names = check.rng.choice(["xy", "xx", "yx", "yy"])
            sent = check.rng.choice([(one, None), (None, two), (one, two)])
            steps.append((names, sent))
            for name, c in zip(names, sent):
                if c is not None:
                    before = expected[name]
                    expected[name] = c.sum(axis=0) + (0 if before is None else before)
        expected = {k: None if v is None else v.tolist() for k, v in expected.items()}
        check.close(after_steps(steps), expected, "every contribution is added to its parent")
        zero = after_steps([("xy", (0 * one, two)), ("yx", (two - two[::-1], 0 * one))])
        add = two.sum(axis=0)
        check.close(zero, {"x": [0.0, 0.0], "y": add.tolist()}, "a cotangent of zeros is one, and None is none")
        shared = ((3 * g).tolist(), g.tolist(), g.tolist())
        check.close(grads_after_sum(g), shared, "each parent has a gradient of its own")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Where does the way back begin?
# With a single number $L$: with 1. But `out` may be an array, and three numbers have no *one* derivative. Say how much
# each counts, by a **cotangent** `c` of the same shape: you get the gradient of `(c * out).sum()`.
#
# ### Exercise `first_cotangent` (2 points)
# Return the array with which the way back from `data` begins. Without a `gradient`: a 1 of the shape and dtype of
# `data`, or a `RuntimeError` if `data` has more than one number. With one: an array in the dtype of
# `data`, or a `ValueError` if the shapes differ.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two cases, each with one reason to refuse. Shapes such as (1, 1) hold one number, too.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if gradient is None:
#     ...                       # refuse, or a 1 like data: np.ones_like
# gradient = ...                # an array in the dtype of data
# ...                           # refuse another shape
# return gradient
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "truth value": `if gradient` asks an array; ask `is None`.
# </details>


# %% exercise="first_cotangent"
def first_cotangent(data, gradient=None):
    """The cotangent of a result: 1 for a single number, otherwise the given gradient."""
    ### BEGIN SOLUTION
    if gradient is None:
        if data.size != 1:
            raise RuntimeError(f"a result of shape {data.shape} needs a gradient")
        return np.ones_like(data)
    gradient = np.asarray(gradient, dtype=data.dtype)
    if gradient.shape != data.shape:
        raise ValueError(f"shape {gradient.shape} is not {data.shape}")
    return gradient
    ### END SOLUTION


# %% probes="first_cotangent"
@probe
def cotangent_for(shape, gradient, dtype="float64"):
    """What first_cotangent gives for data of this shape, and the dtype; or its error. A single number is 0."""
    try:
        out = first_cotangent(np.full(shape, 2.5 if shape else 0.0, dtype=dtype), gradient)
    except (RuntimeError, ValueError) as error:
        if isinstance(error, NotImplementedError):
            raise
        return f"raises {type(error).__name__}"
    return np.asarray(out).tolist(), str(np.asarray(out).dtype)


# %% check="first_cotangent" points=2
with exercise("first_cotangent") as check:
    check.close(cotangent_for((), None), (1.0, "float64"), "dL/dL is 1, also where L is 0")
    because = "an array like L"
    check.close(cotangent_for((1, 1), None, "float32"), ([[1.0]], "float32"), because)
    check.close(cotangent_for((3,), None), "raises RuntimeError", "what does each count?")
    c, why = np.array([1.0, 0.0, -2.0]), "the weights that are given"
    check.close(cotangent_for((3,), c, "float32"), (c.tolist(), "float32"), why)
    check.close(cotangent_for((3,), [1, 0, -2]), (c.tolist(), "float64"), why)
    check.close(cotangent_for((), 4), (4.0, "float64"), "a single number may have one, too")
    check.close(cotangent_for((2,), c), "raises ValueError", "(3,) is not the shape (2,)")
    check.close(cotangent_for((3,), c[None]), "raises ValueError", "nor is (1, 3) a (3,)")
    check.close(cotangent_for((3,), 4), "raises ValueError", "nor is (): nothing is copied")
    ### BEGIN HIDDEN TESTS
    from autograder import array, one_of

    @probe
    def without_gradient(data):
        """What first_cotangent gives for data alone."""
        return first_cotangent(data)

    for ones in (np.ones(()), np.ones((1, 1), dtype="float32")):
        for number in (3, 0, -2, np.inf, np.nan):
            check.close(without_gradient(number * ones), ones, "nothing else is given: the way back begins with 1")
    for dtype in ("float32", "float64"):
        (c,) = next(check.cases(1, array(2, 3)))
        got = yours.first_cotangent(np.ones((2, 3), dtype=dtype), c)
        check.close(str(got.dtype), dtype, "the dtype of the result")
        check.equal(got, c.astype(dtype), "the weights, with all their digits")
        check.untouched("data and gradient are as they were: make new arrays")
    check.close(cotangent_for((2,), None), "raises RuntimeError", "two numbers are more than one")
    for c, dtype in check.cases(10, array(2, 3), one_of(["float32", "float64"])):
        expected = c.astype(dtype).tolist(), dtype
        check.close(cotangent_for((2, 3), c, dtype), expected, "the weights, in the dtype of the result")
        check.close(cotangent_for((2, 3), c.tolist(), dtype), expected, "a list of lists, too")
        for shape in ((3, 2), (6,), (1, 2, 3), (3,), (2, 4), (2, 1), (1, 3)):
            check.close(cotangent_for(shape, c, dtype), "raises ValueError", "another shape")
        check.close(cotangent_for((2, 3), c[:1]), "raises ValueError", "a gradient is not broadcast")
        check.close(cotangent_for((2, 3), None), "raises RuntimeError", "more than one number")
        for rank in (1, 3, 4, 7):
            one = np.ones((1,) * rank)
            check.close(cotangent_for(one.shape, None, dtype), (one.tolist(), dtype), "one number")
            check.close(cotangent_for(one.shape, 0.5 * one, dtype), ((0.5 * one).tolist(), dtype), "its weight")
        check.close(cotangent_for((1, 2, 1), None), "raises RuntimeError", "more than one number")
    for whole in (np.array([1, 0, -2]), np.array([True, False, True])):
        expected = whole.astype(float).tolist(), "float32"
        check.close(cotangent_for((3,), whole, "float32"), expected, "integers, too")
    zeros = np.zeros(3)
    check.close(cotangent_for((3,), zeros), ([0.0, 0.0, 0.0], "float64"), "weights of 0 are weights")
    check.close(cotangent_for((), 0.0), (0.0, "float64"), "a weight of 0 is a weight")
    ### END HIDDEN TESTS

# %% [markdown]
# The engine goes from young to old: what was made from a tensor is younger. So unit 03's topological order comes
# without a search. Where nothing arrived, nothing is sent on.


# %% given="backward"
def fit(cotangent, array):
    """The cotangent in the shape of the array that it belongs to, and in its dtype if that is one of floats."""
    dtype = array.dtype if array.dtype.kind == "f" else float  # a gradient is no integer
    return unbroadcast(np.asarray(cotangent), array.shape).astype(dtype, copy=False)


def backward(result, gradient=None):
    """Put the gradient of `result` into the grad of everything that it was made from."""
    found, waiting = {result}, [result]
    while waiting:
        new = set(waiting.pop().parents) - found
        found |= new
        waiting += new
    for tensor in found:
        tensor.grad = None
    result.grad = first_cotangent(result.data, gradient)
    for tensor in sorted(found, key=lambda tensor: tensor.age, reverse=True):
        if tensor.grad is not None:
            send_back(tensor, RULES, fit)


# %%
a = Tensor(np.array([[10.0], [20.0], [-5.0]], dtype="float32"), label="a")
b = Tensor(np.array([1.0, 2.0, 3.0, 4.0], dtype="float32"), label="b")
L = (a * b + 0.5 * a).sum()
L.label = "L"
backward(L)
print("a.grad", a.grad.tolist(), a.grad.dtype)
print("b.grad", b.grad.tolist(), b.grad.dtype)
draw(L)

# %% [markdown]
# `a` gets 1 + 2 + 3 + 4 from the product and, as 0.5 · a went into four columns, 4 · 0.5: 12. 0.5 is an input, too.
#
# **Predict, then run.** `out = x ** 2` at x = 1, 2, 3. Which gradients do the three cotangents give?

# %%
prediction = {"[1, 0, 0]": None, "[1, 1, 1]": None, "[0, 0, -10]": None}

x = Tensor(np.array([1.0, 2.0, 3.0]))
out = x**2
if predicted(prediction, "cotangents_of_squares"):
    for c, said in zip(([1, 0, 0], [1, 1, 1], [0, 0, -10]), prediction.values(), strict=True):
        backward(out, c)
        print(c, "gives", x.grad.tolist(), "and your prediction was", said)

# %%
# Your rules of sections 3 and 4 in one graph. relu(x) is a condition here: it gets no gradient, and sends none to x.
x = Tensor(np.array([-2.0, 0.0, 1.0, 3.0]))
condition = relu(x)
out = where(condition, maximum(x, 1.0), x.sigmoid())
backward(out, [1, 1, 1, 1])
print("out   ", out.data.round(3))
print("x.grad", x.grad.round(3), "and that of the condition:", condition.grad)

# %% [markdown]
# Your way back through `relu(x + b) * c`. Each closed line names the shapes: work out the numbers, then open it.

# %% figure="steps"
def steps():
    from autograd_ref.graph import backward_steps

    x = Tensor(np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]), label="x")
    b = Tensor(np.array([1.0, -1.0]), label="b")
    c = Tensor(np.array([[2.0], [-1.0], [3.0]]), label="c")
    s = x + b
    h = relu(s)
    out = h * c
    s.label, h.label, out.label = "s", "h", "out"
    return backward_steps(
        out, [x, b, c, s, h, out], lambda tensor: send_back(tensor, RULES, fit),
        gradient=[[1, 3], [2, -1], [1, 2]],
    )


steps()

# %% [markdown]
# ## 7. Bug hunt
#
# A colleague sends six operations, with rules that sum by themselves what broadcasting stretched. Their test finds no
# error, yet **three of the six rules are wrong.**


# %% given="contributed_arrays"
CONTRIBUTED = {
    # name: (what it computes, its rule)
    "square": (lambda a: a * a, lambda g, out, a: (np.multiply(g, 2 * a, out=g),)),
    "softplus": (
        lambda a: np.log1p(np.exp(a)),
        lambda g, out, a: (g * (1 - np.exp(-out)),),
    ),
    "log2": (np.log2, lambda g, out, a: (g / (a * np.log(2)),)),
    "absolute": (np.abs, lambda g, out, a: (g * np.sign(a),)),
    "add_row": (lambda a, row: a + row, lambda g, out, a, row: (g, g.sum(axis=1))),
    "scale_rows": (
        lambda a, column: a * column,
        lambda g, out, a, column: (g * column, (g * a).sum(axis=1, keepdims=True)),
    ),
}


def inputs_of(name, rows, columns, dtype="float64"):
    """Inputs for an operation: an array, and for two of them a row or a column."""
    a = np.linspace(0.5, 2.5, rows * columns).reshape(rows, columns)
    more = {"add_row": [a[0] - 0.2], "scale_rows": [a[:, :1] + 0.3]}.get(name, [])
    return [x.astype(dtype) for x in (a, *more)]


def examine(name, rows, columns, dtype, rule=None):
    """Show what a rule, theirs or yours, sends back, and what it does to g."""
    forward, theirs = CONTRIBUTED[name]
    rule = rule or theirs
    inputs = inputs_of(name, rows, columns, dtype)
    g = np.linspace(-1, 2, rows * columns, dtype=dtype).reshape(rows, columns)
    before = g.copy()
    cotangents = rule(g, forward(*inputs), *inputs)
    print(name)
    print("  g before", before.ravel())
    print("  g after ", g.ravel())
    for x, cotangent in zip(inputs, cotangents, strict=True):
        print("  input", x.shape, x.dtype, " cotangent", cotangent.shape, cotangent.dtype)
    if [x.shape for x in inputs] == [c.shape for c in cotangents]:
        print("  error", array_error(forward, rule, *inputs_of(name, rows, columns)))
    else:
        print("  error: the shapes differ")


# %%
for name, (forward, rule) in CONTRIBUTED.items():  # the colleague's test
    error = array_error(forward, rule, *inputs_of(name, 3, 3), g=np.ones((3, 3)))
    print(f"{name:10} error {error}")

examine("absolute", 3, 3, "float64")

# %% [markdown]
# **Predict, then run.** Read the rules. What would show that one is wrong: a cotangent's shape, its dtype, or `g` after
# the call? The cell examines each suspect for that.

# %%
# In the order of CONTRIBUTED: "right", "shape", "dtype" or "g".
prediction = ["?", "?", "?", "?", "?", "?"]

if predicted(prediction, "symptoms_of_rules"):
    for name, said in zip(CONTRIBUTED, prediction, strict=True):
        print(f"--- {name}, your prediction: {said}")
        if said != "right":
            examine(name, 2 if said == "shape" else 3, 3, "float32" if said == "dtype" else "float64")

# %% [markdown]
# ### Exercise `mended_array_rules` (3 points)
# Return a dict with a right rule for each wrong one, and for no other. `examine` takes a rule of yours as `rule=...`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The test uses a square array, float64, a `g` of ones, and nobody looks at `g` afterwards.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# examine("...", ...)                    # in a cell of your own; change one thing at a time
#
# return {"the name": lambda g, out, a: (...,), ...}
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Only shapes were looked at, and not dtypes, or `g`.
# </details>


# %% exercise="mended_array_rules"
def mended_array_rules():
    """A dict with the name of each wrong rule of CONTRIBUTED, and a right rule for it."""
    ### BEGIN SOLUTION
    return {
        "square": lambda g, out, a: (g * 2 * a,),
        "log2": lambda g, out, a: (g / (a * float(np.log(2))),),
        "add_row": lambda g, out, a, row: (g, g.sum(axis=0)),
    }
    ### END SOLUTION


# %% probes="mended_array_rules"
@probe
def mended_names():
    """The names for which mended_array_rules has a rule."""
    return sorted(mended_array_rules())


def called(rule, g, *inputs):
    """A rule such as "your square" or "their square", and what it is called with."""
    whose, name = rule.split()
    forward, theirs = CONTRIBUTED[name]
    return mended_array_rules()[name] if whose == "your" else theirs, [g, forward(*inputs), *inputs]


@probe
def sent_by(rule, g, *inputs):
    """The cotangents that a rule sends back, such as "your square" or "their square"."""
    chosen, parts = called(rule, g, *inputs)
    sent = chosen(*parts)
    return sent if isinstance(sent, np.ndarray) else tuple(np.array(c) for c in sent)


@probe
def dtypes_sent_by(rule, g, *inputs):
    """The dtypes of its cotangents in float32."""
    chosen, parts = called(rule, g, *inputs)
    return [str(c.dtype) for c in chosen(*(x.astype("float32") for x in parts))]


@probe
def left_by(rule, g, *inputs):
    """g, out and the inputs as they are after the rule."""
    chosen, parts = called(rule, g, *inputs)
    chosen(*parts)
    return parts


COMPUTES = {
    "square": lambda a: a * a,
    "softplus": lambda a: np.log1p(np.exp(a)),
    "log2": np.log2,
    "absolute": np.abs,
    "add_row": lambda a, row: a + row,
    "scale_rows": lambda a, column: a * column,
}


def example(name):
    """A g of shape (2, 3), and inputs for the operation."""
    g, a = arrays([[10, -1, 4], [2, 8, -6]], [[3, 0.5, 2], [1, 4, 5]])
    return g, a, *{"add_row": [a[0]], "scale_rows": [a[:, :1]]}.get(name, [])


def given(name, g, *inputs):
    """What a rule is called with."""
    return [g, COMPUTES[name](*inputs), *inputs]


def theirs_is_right(name, g, *inputs):
    """Whether their rule's cotangents are right, keep float32, and leave its arrays alone."""
    right = numerical_cotangents(COMPUTES[name], g, *inputs)
    pairs = zip(sent_by(f"their {name}", g, *inputs), right, strict=True)
    same = all(c.shape == r.shape and np.allclose(c, r, atol=1e-5) for c, r in pairs)
    kept = map(np.allclose, left_by(f"their {name}", g, *inputs), given(name, g, *inputs))
    narrow = set(dtypes_sent_by(f"their {name}", g, *inputs)) == {"float32"}
    return same and narrow and all(kept)


# %% check="mended_array_rules" points=3
with exercise("mended_array_rules") as check:
    names = mended_names()
    check.true(set(names) <= set(COMPUTES), "the keys are names from CONTRIBUTED")
    for name in names:
        rule, case = f"your {name}", example(name)
        check.true(not theirs_is_right(name, *case), f"their {name} is right already")
        right = numerical_cotangents(COMPUTES[name], *case)
        check.close(sent_by(rule, *case), right, "g times the slope", rtol=1e-9, atol=1e-9)
        kinds = ["float32"] * len(right)
        check.close(dtypes_sent_by(rule, *case), kinds, f"{name} keeps float32")
        check.close(left_by(rule, *case), given(name, *case), "g, out, inputs as before")
    check.close(f"{len(mended_names())} of 3", "3 of 3", "right so far; three are wrong")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import ops
    from autograder import array

    check.equal(names, ["add_row", "log2", "square"], "the three rules that are wrong somewhere")
    drawn = [case for n in (1, 2, 3, 6) for case in check.cases(3, array(n, 5), array(n, 5, low=0.2), array(5))]
    for g, a, row in drawn:
        x, y = Reference(a, requires_grad=True), Reference(row, requires_grad=True)
        for name, out, inputs in (
            ("square", x * x, (x,)),
            ("log2", ops.log(x) / float(np.log(2)), (x,)),
            ("add_row", x + y, (x, y)),
        ):
            x.zero_grad()
            y.zero_grad()
            out.backward(g)
            rule, case = f"your {name}", (g, *(t.data for t in inputs))
            check.close(sent_by(rule, *case), tuple(t.grad.numpy() for t in inputs), f"the gradient of {name}",
                        rtol=1e-12, atol=1e-13)
            check.close(dtypes_sent_by(rule, *case), ["float32"] * len(inputs), f"{name} keeps float32")
            check.close(left_by(rule, *case), given(name, *case), "g, out, inputs are as they were",
                        rtol=1e-13, atol=0.0)
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a in check.cases(3, array(2, 5), array(2, 5, low=0.2)):
        tiny = a * 1e-305
        got = sent_by("your square", g, tiny)
        check.close(got, (2 * g * tiny,), "tiny numbers", rtol=1e-12, atol=0.0)
    # What was multiplied by 0 in place cannot be divided again.
    g, a = arrays([[10, -1, 4]], [[3, 0, -2]])
    check.close(sent_by("your square", g, a), (2 * g * a,), "the gradient of square, where a is 0, too")
    check.close(left_by("your square", g, a), given("square", g, a), "g stays as it was, where a is 0, too")
    ### END HIDDEN TESTS

# %% [markdown]
# So wrong array code survives tests: square arrays, gradients of ones, float64 only.
#
# ## 8. The network of unit 04
#
# A row of `X` is a point, a column of `W` the weights of a neuron. So `X @ W` is every neuron at every point:
# (100, 2) @ (2, 8) is (100, 8); the bias (8,) is broadcast.
#
# ### Exercise `array_network` (2 points)
# From an empty cell: the scores of all points, an array (n, outputs). `layers` is a list of pairs (W, b), and `tanh`
# follows each layer but the last. All are Tensors: use the `tanh` of this notebook.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The output of a layer is the next one's `x`.
# </details>
# <details><summary>Hint 2: what you can use</summary>
#
# `x @ W + b` is a whole layer. A slice gives all layers but the last.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# TypeError "ufuncs": `np.tanh` got a Tensor. ValueError "matmul": `W @ x` instead of `x @ W`.
# </details>


# %% exercise="array_network"
def array_network(x, layers):
    """Scores (n, outputs) of points x (n, inputs): tanh between layers, not at the end."""
    ### BEGIN SOLUTION
    for W, b in layers[:-1]:
        x = tanh(x @ W + b)
    W, b = layers[-1]
    return x @ W + b
    ### END SOLUTION


# %% probes="array_network"
@probe
def scores_of(x, *weights):
    """The scores for weights W, b, W, b ..., the places of the list of layers that changed,
    and the number of tensors, of x and the weights, that the graph of the scores leads back
    to. A layer with the weights of the one before it is the same pair again."""
    x, *tensors = [Tensor(array) for array in (x, *weights)]
    layers = []
    for k in range(0, len(tensors), 2):
        same = k > 0 and all(map(np.array_equal, weights[k : k + 2], weights[k - 2 : k]))
        layers.append(layers[-1] if same else tuple(tensors[k : k + 2]))
    before = list(layers)
    out = array_network(x, layers)
    if not isinstance(out, Tensor):
        return "no Tensor", 0, 0
    found, waiting = {out}, [out]
    while waiting:
        new = set(waiting.pop().parents) - found
        found |= new
        waiting += new
    other = sum(a is not b for a, b in itertools.zip_longest(before, layers))
    return out.data, other, len(found & {x, *tensors})


POINTS = np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 0.0]])
W0, B0 = arrays([[1, 0.5], [-0.5, 1]], [0.1, -0.2])
W1, B1 = arrays([[0.1, 0, 0.2, 0.5], [0, 0.1, -0.1, -0.5]], [0.4, 0, -0.2, 1])
W2, B2 = arrays([[10], [20], [30], [-1]], [5])

# %% check="array_network" points=2
with exercise("array_network") as check:
    two = np.array([[7.185301213], [2.910941638], [21.455532341]])
    scores, taken, used = scores_of(POINTS, W1, B1, W2, B2)
    check.close(scores, two, "tanh(x @ W1 + b1) @ W2 + b2, one row for each point")
    check.close(taken, 0, "the caller's list keeps its layers")
    check.close(f"{used} of 5", "5 of 5", "the graph leads to x, all W and b: no .data")
    one = np.array([[0.5, 0.2, -0.2, 0.5], [0.4, -0.1, -0.1, 1.5], [0.7, 0.0, 0.4, 2.5]])
    check.close(scores_of(POINTS, W1, B1)[0], one, "a single layer is the last: no tanh")
    three = np.array([[2.196862387], [6.375656180], [7.945895166]])
    check.close(scores_of(POINTS, W0, B0, W1, B1, W2, B2)[0], three, "tanh, tanh, no tanh")
    twice = np.array([[-0.290380204, 0.829930394], [1.053876871, -0.765129824]])
    check.close(scores_of(POINTS[:2], W0, B0, W0, B0)[0], twice, "the same pair twice")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograder import array

    for x, *weights in check.cases(
        10, array(5, 2), array(2, 4), array(4), array(4, 3), array(3), array(3, 1), array(1)
    ):
        h = Reference(x)
        for i in range(0, 6, 2):
            h = h @ weights[i] + weights[i + 1]
            h = h.tanh() if i < 4 else h
        check.close(scores_of(x, *weights), (h.numpy(), 0, 7), "three layers", rtol=1e-12, atol=1e-13)
        one = x @ weights[0] + weights[1]
        check.close(scores_of(x, *weights[:2]), (one, 0, 3), "one layer", rtol=1e-12, atol=1e-13)
        check.untouched("x and the weights are as they were: make new arrays")
        far = 1e4 * x, *weights[:4]
        h = np.tanh(far[0] @ weights[0] + weights[1]) @ weights[2] + weights[3]
        check.close(scores_of(*far), (h, 0, 5), "large numbers: tanh is 1 or -1", rtol=1e-11, atol=1e-12)
    for x, W, *weights in check.cases(3, array(5, 2), array(2, 4), *[array(4), array(4, 4)] * 6, array(4)):
        for count in (4, 5, 7):
            h, some = x, [W, *weights][: 2 * count]
            for i in range(0, 2 * count, 2):
                h = np.tanh(h) if i else h
                h = h @ some[i] + some[i + 1]
            check.close(scores_of(x, *some), (h, 0, 2 * count + 1), f"{count} layers", rtol=1e-11, atol=1e-13)
    for x, W, b in check.cases(3, array(5, 3), array(3, 3), array(3)):
        three = np.tanh(np.tanh(x @ W + b) @ W + b) @ W + b
        check.close(scores_of(x, W, b, W, b, W, b), (three, 0, 3), "the same pair three times",
                    rtol=1e-12, atol=1e-13)
    ### END HIDDEN TESTS

# %% [markdown]
# Unit 04's run: the same 100 points, first weights and loss, rate 1.0, 80 steps.


# %% given="same_network"
def first_weights():
    """Unit 04's numbers: for each layer, one list of weights per neuron."""
    rng = random.Random(5)
    return [
        [[rng.uniform(-1, 1) for _ in range(inputs)] for _ in range(outputs)]
        for inputs, outputs in ((2, 8), (8, 8), (8, 1))
    ]


def first_layers():
    """The same numbers as pairs (W, b) of Tensors."""
    return [(Tensor(np.array(w).T), Tensor(np.zeros(len(w)))) for w in first_weights()]


points, labels = moons(100, noise=0.1, seed=0)
X = Tensor(points, label="X")
target = np.where(labels == 1, 1.0, -1.0)[:, None]  # a column, as the scores are


def array_step(layers, rate, X=X, target=target):
    """One step of gradient descent with all points; gives the loss before it."""
    loss = log(1 + exp(-target * array_network(X, layers))).mean()
    backward(loss)
    for W, b in layers:
        W.data -= rate * W.grad
        b.data -= rate * b.grad
    return loss


def eighty_steps(layers, X=X, target=target):
    """Trains the layers, and tells the losses and how many points are on the right side."""
    losses = [array_step(layers, 1.0, X, target).data.item() for step in range(80)]
    right = ((array_network(X, layers).data[:, 0] > 0) == (labels == 1)).sum()
    return f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last, {right} of 100 right"


# %%
print(eighty_steps(first_layers()))

# %% [markdown]
# Unit 04 had 1.378, 0.046 and 100. Is it the same network? One step `Value` by `Value`, as there:


# %%
def scalar_step(rows):
    """The loss and its graph for unit 04's network, one number at a time."""
    total = scalar.Value(0.0)
    for point, label in zip(points.tolist(), target.ravel().tolist(), strict=True):
        h = point
        for k, neurons in enumerate(rows):
            h = [sum((w * x for w, x in zip(ws, h, strict=True)), b) for b, *ws in neurons]
            h = [scalar.tanh(x) for x in h] if k < 2 else h
        total = total + scalar.log(1 + scalar.exp(-label * h[0]))
    loss = total / 100
    loss.backward()
    return loss


def boxes(result):
    """Everything that a result was made from, and itself."""
    found, waiting = {result}, [result]
    while waiting:
        new = set(waiting.pop().parents) - found
        found |= new
        waiting += new
    return found


rows = [[[scalar.Value(v) for v in (0.0, *w)] for w in layer] for layer in first_weights()]
loss = scalar_step(rows)
layers = first_layers()
out = array_step(layers, 0.0)
many, few = len(boxes(loss)), len(boxes(out))
print(f"boxes in the graph: {many:,} numbers, or {few} arrays")
slopes = [value.grad for layer in rows for neuron in layer for value in neuron]
yours_of = [np.vstack([b.grad, W.grad]).T.ravel() for W, b in layers]
far = max(abs(loss.data - out.data), abs(np.concatenate(yours_of) - slopes).max())
assert far < 1e-12, "another loss or gradient: is array_network wrong, or one of your rules?"
print("the same loss and the same", len(slopes), "gradients, to 12 digits")

# %% [markdown]
# **Predict, then run.** The multiplications are the same. How many times as fast is a step?

# %%
prediction = None


def seconds(run, times):
    """The shortest of some runs: what the machine can do when nothing disturbs it."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


if predicted(prediction, "times_as_fast"):
    slow = seconds(lambda: scalar_step(rows), 3)
    fast = seconds(lambda: array_step(layers, 0.0), 50)
    print(f"{slow / fast:.0f} times as fast, your prediction: {prediction}")
    print(f"80 steps: {80 * slow:.1f} s there, {80 * fast:.3f} s here")
    print(f"a box: {1e6 * slow / many:.1f} microseconds there, {1e6 * fast / few:.1f} here")
    left, right = plots.panels(2, height=1.7)
    names = "numbers (04)", "arrays (05)"
    plots.bars(dict(zip(names, (many, few))), xlabel="boxes", log=True, ax=left)
    plots.bars(dict(zip(names, (1000 * slow, 1000 * fast))), xlabel="milliseconds a step", log=True, ax=right)

# %% [markdown]
# A box costs Python microseconds, one of 800 numbers a few times more. Here are 19,807 / 24 = 825 times fewer boxes. A
# step is some hundred times faster.
#
# After 500 steps the boundary follows the moons more closely:


# %% figure="boundary"
def boundary():
    layers, losses = first_layers(), []

    def scores(x):
        return array_network(Tensor(x), layers).data

    for ax, steps in zip(plots.panels(2), (80, 500), strict=True):
        while len(losses) < steps:
            losses.append(array_step(layers, 1.0).data.item())
        title = f"{steps} steps, loss {losses[-1]:.3f}"
        plots.decision_boundary(scores, points, labels, ax=ax, title=title)
        for text, sign in zip(ax.get_legend().get_texts(), "-+", strict=True):
            text.set_text(f"target {sign}1")


boundary()

# %% [markdown]
# ### Two faults without a message
#
# **Predict, then run.** `target` is a column (100, 1), like the scores. Make it (100,), and take 80 steps: is there an
# error? Which loss at last? How many right?

# %%
prediction = {"error": None, "loss": None, "right": None}  # True or False; a number; of 100

if predicted(prediction, "flat_target"):
    print(eighty_steps(first_layers(), target=target.ravel()))
    print("target * scores:", (target.ravel() * np.zeros((100, 1))).shape)

# %% [markdown]
# No error, and nothing learned: each score met all 100 targets, half of them 1 and half -1. So 0 is the best score; its
# loss is log 2, 0.693.
#
# **Predict, then run.** The weights are float32 now. How many of the 24 boxes are, in each case?

# %%
prediction = {"X, target float64": None, "X float32": None, "X, target float32": None}

if predicted(prediction, "narrow_boxes"):
    cases = ("float64", "float64"), ("float32", "float64"), ("float32", "float32")
    for (of_x, of_target), (name, said) in zip(cases, prediction.items(), strict=True):
        narrow = [tuple(Tensor(t.data.astype("float32")) for t in pair) for pair in first_layers()]
        inputs = Tensor(points.astype(of_x)), target.astype(of_target)
        kinds = [t.data.dtype for t in boxes(array_step(narrow, 0.0, *inputs))]
        print(f"{name}: {kinds.count('float32')} of {len(kinds)}, your prediction: {said}")
        print("  80 steps:", eighty_steps(narrow, *inputs))

# %% [markdown]
# With float64 points only the six weights and biases stay narrow. In float32 alone the network learns as well.
#
# ## In your own words
#
# A bias was added to 100 rows. Why is its gradient a sum? Two sentences for a friend, then open ours.
#
# <details><summary>One way to say it</summary>
#
# Each number of the bias went into 100 results. What these send back adds up.
# </details>
#
# ## The same in PyTorch
#
# Where it is installed, this cell takes one step's gradients with PyTorch, and compares.

# %% tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here: `pip install torch`, then run this cell again.")
else:
    layers = first_layers()
    array_step(layers, 0.0)
    theirs = [torch.tensor(t.data, requires_grad=True) for layer in layers for t in layer]
    h = torch.tensor(points)
    for W, b in zip(theirs[:-2:2], theirs[1:-2:2]):
        h = torch.tanh(h @ W + b)
    scores = h @ theirs[-2] + theirs[-1]
    torch.nn.functional.softplus(-torch.tensor(target) * scores).mean().backward()
    yours_of = [t.grad for layer in layers for t in layer]
    far = max(abs(a - b.grad.numpy()).max() for a, b in zip(yours_of, theirs))
    print("all six gradients agree:", far < 1e-12)

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `Tensor` with `data` and `grad` | a tensor with `requires_grad=True` |
# | `unbroadcast` | `Tensor.sum_to_size`; autograd does it for you |
# | `None` from a rule | `None` from the `backward` of a `torch.autograd.Function` |
# | `as_operand` | type promotion, `torch.result_type` |
# | `maximum_rule` | `torch.maximum`, half and half too |
# | `backward(out, c)` | `out.backward(gradient=c)` |
#
# One difference: our `backward` begins anew each time, PyTorch *adds* to the `grad` of the inputs.
#
# ## Pitfalls, and how they look
#
# - float64 everywhere, memory doubled: `np.sqrt(2.0)`, `np.zeros(n)`, `np.where(mask, 1.0, 0.0)`, `points`.
# - A wrong gradient, though its rule is right: `+=` or `*=` on an array that others hold.
# - Training runs, and learns little: (100, 1) met (100,).
#
# ## One thing to try next
# Add `softplus(a)`, log(1 + exp(a)), as an operation: an entry in `FORWARD` that does not
# overflow at 1000, one in `RULES`, and `function("softplus")`.

# %% progress="here"
