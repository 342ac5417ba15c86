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
#     unit: 14_convolution
#     allow: [autograd_ref.plots, autograd_ref.data.digits, autograd_ref.data.loading]
#     title: "Convolution: one small kernel, everywhere"
# ---

# %% [markdown]
# # Convolution: one small kernel, everywhere
#
# Nine numbers, a *kernel*, slide over a handwritten digit; at each place they are multiplied by the pixels under them,
# and added up. What to see: the first kernel answers where ink begins, seen from the left (orange), and where it ends
# (blue), the second does so from above.

# %% figure="goal" keep=true
def goal():
    import os

    for library in ("OPENBLAS", "OMP", "MKL"):  # before NumPy is there, as below
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    import numpy as np

    from autograd_ref import plots
    from autograd_ref.data.digits import load_digits

    digit = load_digits()[0][9, 0]
    upright = np.array([[-1.0, 0, 1], [-1, 0, 1], [-1, 0, 1]])
    found = {"a digit": digit}
    for name, kernel in {"left to right": upright, "top to bottom": upright.T}.items():
        out = np.zeros((8, 8))  # each sum stands at the kernel's middle, with zeros around them
        for i, j in np.ndindex(6, 6):
            out[i + 1, j + 1] = (digit[i : i + 3, j : j + 3] * kernel).sum()
        found |= {f"kernel {len(found) // 2 + 1}": kernel, name: out}
    plots.matrices(found, annotate=False, shared=False)

goal()

# %% setup="imports"
import os

# These arrays are small: more threads would only wait for one another.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import time

import numpy as np

import autograd_ref
from autograd_ref import plots
from autograd_ref.data.digits import load_digits
from autograder import exercise, predicted, probe, recall, yours


def floats(*rows):
    """Nested lists as an array of floats."""
    return np.array(rows, dtype=float)


def framed(ax, i, j, height, width, color="k", style="-"):
    """Draw a frame around cells of a matrix, from row i and column j on."""
    across, down = np.array([0, width, width, 0, 0]) - 0.5, np.array([0, 0, height, height, 0]) - 0.5
    ax.plot(j + across, i + down, color=color, linestyle=style, linewidth=3, zorder=5, clip_on=False)

# %% [markdown]
# At the end you will be able to
#
# - compute a convolution and its gradients by matrix products, and put them on the graph;
# - train a network that reads more than 99 of 100 new digits.
#
# **Time:** 155 minutes (115 without sections 8, 9, 11). **Builds on:** 06, 10, 11.
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 12, bytes*: an operation saves one float64 array of 3 by 40. How many bytes does it keep alive?
# - *unit 12, pieces*: 8 layers run in checkpoints of 2. How many arrays at the beginning of a piece are kept?
# - *unit 11*: a gradient is off by (3, -3). How much of it does a check along (1, 1) see? And along (2, -1)?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 12, bytes": None, "unit 12, pieces": None, "unit 11": None}

# %% jupyter={"source_hidden": true}
recall(
    answers,
    {
        "unit 12, bytes": lambda: np.zeros((3, 40)).nbytes,
        "unit 12, pieces": lambda: len(range(0, 8, 2)),
        "unit 11": lambda: [3 * 1 - 3 * 1, 3 * 2 - 3 * -1],
    },
)

# %% [markdown]
# ## 1. In one dimension, by hand
#
# A *kernel* `w` slides along `x`. At each place where it fits, multiply what lies under it, and add up. With the
# kernel 2, 1, -1 and `x` = 1, 0, 2, 3, -1 the first place gives 2 + 0 - 2 = 0, the last 4 + 3 + 1 = 8.
#
# $$\mathrm{out}_i = \sum_k w_k\, x_{i + k}$$
#
# Strictly, a *convolution* turns the kernel around first. Network libraries do not: a learnt kernel fits either way.
#
# ### Exercise `conv1d` (2 points)
# Return the array of these sums: `len(x) - len(w) + 1` of them. Either may hold integers.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A slice of `x` as long as `w`, at each place.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# places = ...                       # how many
# return np.array([... @ ... for i in range(places)])
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The first number is 1: `np.convolve` turns the kernel around.
# </details>


# %% exercise="conv1d"
def conv1d(x, w):
    """The sums of w times what lies under it, for each place in x: (n,), (k,) -> (n - k + 1,)."""
    ### BEGIN SOLUTION
    return np.array([w @ x[i : i + len(w)] for i in range(len(x) - len(w) + 1)])
    ### END SOLUTION


# %% probes="conv1d"
@probe
def conv1d_of_views(x, w):
    """conv1d of every other number of x, and of w in reverse."""
    return conv1d(x[::2], w[::-1])


# %% check="conv1d" points=2
with exercise("conv1d") as check:
    x, w = floats(1, 0, 2, 3, -1), floats(2, 1, -1)
    check.close(yours.conv1d(floats(4, 1, 2, 0, -1), w), floats(7, 4, 5), "first 8 + 1 - 2")
    check.untouched("x and w stay as they were")
    check.close(yours.conv1d(x, floats(0, 1)), x[1:], "the kernel 0, 1 looks one ahead")
    check.close(yours.conv1d(x, x), floats(15), "as long as x: one place")
    check.close(yours.conv1d(x, floats(-0.5)), -0.5 * x, "a kernel of one number: a factor")
    whole, half = np.array([1, 0, 2, 3, -1]), floats(0.5, 0.25)
    check.close(yours.conv1d(whole, half), floats(0.5, 0.5, 1.75, 1.25), "integers in x")
    check.close(yours.conv1d(half, whole[2:3]), floats(1, 0.5), "an integer in w")
    found = conv1d_of_views(floats(1, 7, 0, 7, 2, 7, 3, 7, -1), floats(-1, 1, 2))
    check.close(found, floats(0, -1, 8), "the example, as views: x[::2] and w[::-1]")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    for n, k in check.cases(10, integer(4, 9), integer(2, 4)):
        (a, b), = check.cases(1, array(n), array(k))
        whole = np.rint(3 * a).astype(int), np.rint(3 * b).astype(int)
        for x, w in ((a, b), (whole[0], b), (a, whole[1]), whole):
            expected = [sum(w[j] * x[i + j] for j in range(k)) for i in range(n - k + 1)]
            check.close(yours.conv1d(x, w), np.array(expected), "the sum at each place", rtol=1e-10)
            check.untouched()
            views = np.repeat(x, 2), w[::-1].copy()  # whose numbers do not lie side by side in memory
            check.close(conv1d_of_views(*views), np.array(expected), "a view is an array, too", rtol=1e-10)
        x = np.concatenate([[1e12], a, [-1e14]])
        expected = [sum(b[j] * x[i + j] for j in range(k)) for i in range(n - k + 3)]
        check.close(yours.conv1d(x, b), np.array(expected), "small sums beside large ones", rtol=1e-10)
        x, w = np.array([0.0, 0.0, *a, 0.0]), np.array([0.0, *b, 0.0])
        expected = [sum(b[j] * x[i + 1 + j] for j in range(k)) for i in range(n + 2 - k)]
        check.close(yours.conv1d(x, w), np.array(expected), "zeros at the ends are numbers, too", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** `x` is flat but for one step: 0, 0, 0, 5, 5, 5, 5, 5. The kernel is -1, 1. How many of the
# seven numbers that come out are not 0? What is the largest?

# %%
prediction = (None, None)

if predicted(prediction, "a_step_under_a_kernel"):
    print(conv1d(floats(0, 0, 0, 5, 5, 5, 5, 5), floats(-1, 1)))

# %% [markdown]
# The kernel -1, 1 answers only where something changes.
#
# ## 2. A matrix with few numbers
#
# A convolution is a product with a matrix of mostly zeros:
# each row holds the kernel, one place further on. Its gradient is that of unit 06, $A^{\top} g$. What to see: `A @ x`
# gives the numbers of the example; the rows of $A^{\top}$ hold the kernel too, turned around, and cut off at both ends.


# %% figure="transposed"
def transposed():
    A = np.zeros((3, 5))
    for i in range(3):
        A[i, i : i + 3] = 2, 1, -1
    print("A @ x =", A @ floats(1, 0, 2, 3, -1))
    plots.matrices({"A": A, "A transposed": A.T})


transposed()

# %% [markdown]
# So the way back is a convolution again. For `x`, widen `g` by zeros on both sides, and slide the turned kernel along
# it. For `w`: the number $w_k$ has met $x_{i+k}$ at each place $i$, so `g` itself slides along `x`.
#
# ### Exercise `conv1d_rule` (3 points)
# Return the gradients of `x` and of `w`, given `g` of the output. `x` and `w` may hold integers; their gradients are
# floats. You may call your `conv1d`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `np.pad(g, m)` puts m zeros on both sides.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# wide = np.pad(g, ...)      # so that len(x) places fit
# to_x = ...                 # slide over wide
# to_w = ...                 # slide over x
# return to_x, to_w
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# to_x is too short: there are `len(w) - 1` zeros on each side.
# </details>


# %% exercise="conv1d_rule"
def conv1d_rule(g, x, w):
    """The gradients of x (n,) and w (k,), given the gradient g (n - k + 1,) of conv1d(x, w)."""
    ### BEGIN SOLUTION
    wide = np.pad(g, len(w) - 1)
    to_x = np.array([w[::-1] @ wide[i : i + len(w)] for i in range(len(x))])
    to_w = np.array([g @ x[k : k + len(g)] for k in range(len(w))])
    return to_x, to_w
    ### END SOLUTION


# %% probes="conv1d_rule"
@probe
def of_views(g, x, w):
    """conv1d_rule of g in reverse, of every other number of x, and of w in reverse."""
    return conv1d_rule(g[::-1], x[::2], w[::-1])


# %% check="conv1d_rule" points=3
with exercise("conv1d_rule") as check:
    x, w, rule = floats(1, 0, 2, 3, -1), floats(2, 1, -1), yours.conv1d_rule
    expected = floats(2, 1, -1, 0, 0), floats(1, 0, 2)
    check.close(rule(floats(1, 0, 0), x, w), expected, "the first output alone met this")
    expected = floats(2, 21, 209, 90, -100), floats(201, 320, -68)
    check.close(rule(floats(1, 10, 100), x, w), expected, "all three add up")
    got = of_views(floats(100, 10, 1), floats(1, 7, 0, 7, 2, 7, 3, 7, -1), floats(-1, 1, 2))
    check.close(got, expected, "the same, as views: g[::-1], x[::2], w[::-1]")
    x, w = np.array([3, 1, 7, 2]), np.array([1, -5])
    expected = floats(0.5, -2.5, 0, 0), floats(1.5, 0.5)
    check.close(rule(floats(0.5, 0, 0), x, w), expected, "integers, a kernel of two")
    check.untouched("g, x and w stay as they were")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    for n, k in check.cases(10, integer(4, 9), integer(1, 4)):
        (a, b, g), = check.cases(1, array(n), array(k), array(n - k + 1))
        whole = np.rint(3 * a).astype(int), np.rint(3 * b).astype(int)
        for x, w in (whole, (whole[0], b), (a, whole[1]), (a, b)):
            to_x, to_w = np.zeros(n), np.zeros(k)
            for i in range(n - k + 1):
                to_x[i : i + k] += g[i] * w
                to_w += g[i] * x[i : i + k]
            check.close(yours.conv1d_rule(g, x, w), (to_x, to_w), "each output's part, added up", rtol=1e-10)
            check.untouched()
            views = g[::-1].copy(), np.repeat(x, 2), w[::-1].copy()
            check.close(of_views(*views), (to_x, to_w), "a view is an array, too", rtol=1e-10)
        # The gradient of w does not depend on w, whatever its size, nor that of x on x.
        check.close(yours.conv1d_rule(g, x, 1e12 * w)[1], to_w, "a large w", rtol=1e-10)
        check.close(yours.conv1d_rule(g, 1e-305 * x, w), (to_x, 1e-305 * to_w), "a tiny x", rtol=1e-10, atol=0.0)
        for large, far in ((1e12 * np.eye(n - k + 1)[0], np.ones(n)), (np.ones(n - k + 1), 1e12 * np.eye(n)[0])):
            to_x, to_w = np.zeros(n), np.zeros(k)
            for i in range(n - k + 1):
                to_x[i : i + k] += (g + large)[i] * b
                to_w += (g + large)[i] * (a + far)[i : i + k]
            check.close(yours.conv1d_rule(g + large, a + far, b), (to_x, to_w), "small sums beside large ones", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 3. Pictures
#
# A picture has height, width and *channels*: three colours, or the maps of the layer before. A batch has the shape
# (N, C, H, W). A kernel (C, kh, kw) looks through all channels at once, and gives one *map*. A layer of O kernels has
# weights (O, C, kh, kw), a bias for each kernel, and gives O maps.
#
# Open *Watch it move* under the picture. What to see: one kernel on its way over two channels; each place gives one
# number of the map.


# %% figure="layer"
def layer():
    picture = floats([[1, 0, 2], [0, 3, 0], [0, 0, 1]], [[0, 0, 0], [0, 10, 0], [0, 0, 20]])
    kernel, bias = floats([[1, 0], [0, 1]], [[0, 0], [0, 2]]), 0.5
    out = np.zeros((2, 2))
    for i, j in np.ndindex(2, 2):
        out[i, j] = (picture[:, i : i + 2, j : j + 2] * kernel).sum() + bias
    axes, places = plots.panels(5, columns=5, height=2.4), list(np.ndindex(2, 2))
    shown = {f"channel {c}": picture[c] for c in (0, 1)} | {f"kernel, {c}": kernel[c] for c in (0, 1)}
    for ax, (name, values) in zip(axes, (shown | {"map": out}).items()):
        plots.matrix(values, title=name, ax=ax)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])

    def frame(k):
        i, j = places[k]
        for ax in axes[:2]:
            framed(ax, i, j, 2, 2)
        for a, b in places[k + 1 :]:  # not yet there
            across, down = np.array([0, 1, 1, 0]) - 0.5, np.array([0, 0, 1, 1]) - 0.5
            axes[4].fill(b + across, a + down, color="0.85", zorder=4)
        framed(axes[4], i, j, 1, 1)
        seen = picture[:, i : i + 2, j : j + 2]
        met = [f"{a:g} · {w:g}" for a, w in zip(seen[kernel != 0], kernel[kernel != 0])]
        said = f"{' + '.join(met)} + {bias} = {out[i, j]:g}"
        axes[3].text(0.5, 1.7, said, ha="center", va="top", fontsize=10, clip_on=False)

    told = "A frame of 2 by 2 goes over both channels, to four places. At each a number of the map appears."
    return plots.movie(axes, frame, 4, told=told, still=lambda: frame(0), rate=0.7)


layer()

# %% [markdown]
# *Padding* puts a border of zeros around the picture, the *stride* is how far the kernel moves. Along an axis
# of 8 pixels a kernel of 3 has 4 places, with padding 1 and stride 2.

# %% given="places_along"
def places_along(n, k, stride, padding):
    """How many places a kernel of k numbers has along an axis of n pixels."""
    return (n + 2 * padding - k) // stride + 1

# %% [markdown]
# ## 4. Patches, and a matrix product
#
# Loops over places are slow. So copy each *patch* (what lies under the kernel) into a column of a matrix; one product
# for each picture is then the whole layer.
#
# *Watch it move.* What to see: each place of a kernel of 2 by 2 fills a column. Then the same matrix, row after row: a
# row is what *one* number of the kernel meets (green).


# %% figure="filling"
def filling():
    picture = np.arange(1.0, 10).reshape(3, 3) * floats(1, 10)[:, None, None]
    places = list(np.ndindex(2, 2))
    matrix = np.stack([picture[:, i : i + 2, j : j + 2].ravel() for i, j in places], axis=1)
    axes = plots.panels(3, height=3.4)
    for c in (0, 1):
        plots.matrix(picture[c], title=f"channel {c}", limit=90, ax=axes[c])
    rows = [f"{c}: {i}, {j}" for c, i, j in np.ndindex(2, 2, 2)]
    plots.matrix(matrix, title="patches", rows=rows, limit=90, ax=axes[2])
    axes[2].set(xlabel="place", ylabel="channel: row, column")

    def at_place(k):
        for ax in axes[:2]:
            framed(ax, *places[k], 2, 2)
        framed(axes[2], 0, k, 8, 1)

    def of_number(k):
        c, i, j = np.unravel_index(k, (2, 2, 2))
        framed(axes[c], i, j, 2, 2, "C2")  # the pixels that this number of the kernel meets
        framed(axes[2], k, 0, 1, 4, "C2")

    def frame(k):
        if k < 4:
            at_place(k)
            for later in range(k + 1, 4):
                axes[2].axvspan(later - 0.5, later + 0.5, color="0.85", zorder=4)
            return f"place {k}"
        of_number(k - 4)
        for later in range(k - 3, 8):
            axes[2].axhspan(later - 0.5, later + 0.5, color="0.85", zorder=4)
        return f"number {k - 4}"

    def still():
        at_place(2)
        of_number(5)

    told = "A frame of 2 by 2 goes over both channels, to four places. At each a column of eight numbers appears. Then "
    told += "rows: for each of the kernel's eight numbers a frame holds the four pixels it meets, and a row appears."
    return plots.movie(axes, frame, 12, told=told, still=still, rate=1)


filling()

# %% [markdown]
# ### Exercise `patches` (3 points)
# `x` is (N, C, H, W). Return such a matrix for each picture: (N, C · kh · kw, places), its rows in the order of
# channel, row, column, the places row by row. The dtype stays; `x` may be a view.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A row of the matrix is a slice of the picture, with a step.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# x = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))    # the border
# rows, columns = places_along(H, kh, ...), places_along(...)
# found = np.empty((N, C, kh, kw, rows, columns), x.dtype)
# for i in range(kh):
#     for j in range(kw):
#         found[:, :, i, j] = x[:, :, i : ... : stride, j : ... : stride]
# return found.reshape(...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A wrong number in the slice: it ends at i + stride · rows.
# </details>


# %% exercise="patches"
def patches(x, kh, kw, stride=1, padding=0):
    """All patches of x (N, C, H, W) as columns: (N, C * kh * kw, places)."""
    ### BEGIN SOLUTION
    n, c, h, w = x.shape
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    found = np.empty((n, c, kh, kw, rows, columns), x.dtype)
    for i in range(kh):
        for j in range(kw):
            found[:, :, i, j] = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
    return found.reshape(n, c * kh * kw, rows * columns)
    ### END SOLUTION


# %% probes="patches"
@probe
def patches_of_turned(x, kh, kw, stride=1):
    """patches of a view of x: rows and columns exchanged."""
    return patches(x.swapaxes(2, 3), kh, kw, stride)


# %% check="patches" points=3
with exercise("patches") as check:
    x, cut = floats([[[1, 2, 3], [4, 5, 6]]]), yours.patches
    check.close(cut(x, 2, 2), floats([[1, 2], [2, 3], [4, 5], [5, 6]]), "two places")
    expected = floats([[1, 2, 3], [4, 5, 6], [10, 20, 30], [40, 50, 60]])
    check.close(cut(np.hstack([x, 10 * x]), 2, 1), expected, "channel below channel")
    check.close(patches_of_turned(x, 1, 1, 2), floats([[1, 3]]), "1 and 3: x on its side")
    expected = floats([[0, 0, 0, 0, 7, 0], [0, 7, 0, 0, 0, 0]])
    check.close(cut(floats([[[7]]]), 2, 1, 1, 1), expected, "a border: six places")
    expected = floats([[0, 0], [0, 0], [0, 2], [1, 3], [0, 5], [4, 6], [0, 0], [0, 0]])
    check.close(cut(x, 4, 2, 2, 1), expected, "4 by 2, stride 2, a zero border")
    found = cut(np.concatenate([x, -x]).astype("float32"), 4, 5, 1, 1)
    check.close([str(found.dtype), found[:, 7, 0]], ["float32", floats(2, -2)], "a batch")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    edges = [(1, 1, 1, 3), (2, 3, 3, 0)]  # a border wider than all else, and none
    for kh, kw, stride, padding in [*edges, *check.cases(8, integer(1, 3), integer(1, 3), integer(1, 3), integer(0, 2))]:
        (x,), = check.cases(1, array(2, 3, 5, 6))
        p = np.pad(x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2))
        places = [(i, j) for i in range(0, p.shape[2] - kh + 1, stride) for j in range(0, p.shape[3] - kw + 1, stride)]
        expected = np.stack([p[:, :, i : i + kh, j : j + kw].reshape(2, -1) for i, j in places], axis=-1)
        check.close(yours.patches(x, kh, kw, stride, padding), expected, "each patch is a column", rtol=1e-10)
        check.untouched()
        for dtype in ("float32", "int64", "uint8", "bool"):
            found = yours.patches(abs(x).astype(dtype), kh, kw, stride, padding)
            check.equal(str(found.dtype), dtype, "the dtype stays, with a border, too")
        turned = np.ascontiguousarray(x.swapaxes(2, 3))
        expected = yours.patches(x, kh, kw)
        check.close(patches_of_turned(turned, kh, kw), expected, "a view is an array, too", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# With the weights as a matrix (O, C · kh · kw), each number of a map is a row of weights times a patch, plus the
# kernel's bias:


# %% given="patch_product"
def patch_product(p, weight, bias):
    """Each kernel times each patch, plus its bias: p (N, C * kh * kw, places) -> (N, O, places)."""
    return weight.reshape(len(weight), -1) @ p + bias[:, None]


# %% [markdown]
# ### Exercise `patch_product_rule` (2 points)
# Return the gradients of `p`, `weight` (O, C, kh, kw) and `bias` (O,), given `g` (N, O, places). All places and all
# pictures share a kernel and its bias.
#
# <details><summary>Hint 1: a sketch</summary>
#
# For one picture, the rule of unit 06: which of `g @ p.T`, `p @ g.T` has the shape of the weights?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# to_p = weight.reshape(len(weight), -1)... @ g
# to_weight = (g @ ...).sum(axis=...)          # of all pictures
# return to_p, to_weight.reshape(...), g.sum(axis=(..., ...))
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `p.T` turns round all three axes; `p.transpose(0, 2, 1)` exchanges the last two.
# </details>


# %% exercise="patch_product_rule"
def patch_product_rule(g, p, weight):
    """The gradients of p, weight (O, C, kh, kw) and bias (O,), given the gradient g (N, O, places)."""
    ### BEGIN SOLUTION
    to_p = weight.reshape(len(weight), -1).T @ g
    to_weight = (g @ p.transpose(0, 2, 1)).sum(axis=0)
    return to_p, to_weight.reshape(weight.shape), g.sum(axis=(0, 2))
    ### END SOLUTION


# %% check="patch_product_rule" points=2
with exercise("patch_product_rule") as check:
    p, g = floats([[1, 2, 3], [4, 5, 6]]), floats([[1, 10, 100]])
    to_p, to_w, to_b = yours.patch_product_rule(g, p, floats([[[7]], [[8]]]))
    check.close(to_p, floats([[7, 70, 700], [8, 80, 800]]), "g times each weight")
    check.close(to_w, floats([[[321]], [[654]]]), "what each weight met, times g")
    check.close(to_b, floats(111), "the bias is in all three places")
    g, p = floats([[1, 0], [0, 0]], [[2, 3], [1, 0]]), np.arange(32.0).reshape(2, 8, 2)
    to_p, to_w, to_b = yours.patch_product_rule(g, p, 1 + p[0].reshape(2, 2, 2, 2))
    check.close(to_p[1, ::2].T, floats([11, 17, 23, 29], [3, 9, 15, 21]), "2 · 1 + 9; 3")
    check.close(to_w[:, 0], floats([[83, 95], [107, 119]], [[16, 18], [20, 22]]), "32 + 51")
    check.close(to_b, floats(6, 1), "a bias each, from both pictures")
    check.untouched("g, p and weight stay as they were")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    shapes = [(1, 3, 2, 1, 4, 2), (3, 1, 1, 1, 1, 1)]
    drawn = check.cases(8, integer(1, 3), integer(1, 3), integer(1, 3), integer(1, 3), integer(1, 3), integer(1, 5))
    for n, o, c, kh, kw, places in [*shapes, *drawn]:
        (g, p, weight), = check.cases(1, array(n, o, places), array(n, c * kh * kw, places), array(o, c, kh, kw))
        to_p, to_weight, to_bias = np.zeros(p.shape), np.zeros(weight.shape), np.zeros(o)
        for i, k, place in np.ndindex(n, o, places):
            to_p[i, :, place] += g[i, k, place] * weight[k].ravel()
            to_weight[k] += g[i, k, place] * p[i, :, place].reshape(c, kh, kw)
            to_bias[k] += g[i, k, place]
        expected = to_p, to_weight, to_bias
        check.close(yours.patch_product_rule(g, p, weight), expected, "each place's part, added up", rtol=1e-10)
        check.untouched()
        large = yours.patch_product_rule(g, p, 1e12 * weight)
        check.close(large[1:], expected[1:], "large weights do not change their own gradient", rtol=1e-10)
        tiny = yours.patch_product_rule(g, 1e-305 * p, weight)
        check.close(tiny, (to_p, 1e-305 * to_weight, to_bias), "tiny patches", rtol=1e-10, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 5. Back to the pixels
#
# On the way back a pixel gets a part from each patch that holds it, and all count.
#
# **Predict, then run.** `grad` holds two zeros. What is in it after `grad[[0, 1, 1]] += [1, 2, 4]`?

# %%
prediction = (None, None)

if predicted(prediction, "plus_at_an_index"):
    grad = np.zeros(2)
    grad[[0, 1, 1]] += [1, 2, 4]
    print("+= at an index:", grad)
    grad = np.zeros(2)
    np.add.at(grad, [0, 1, 1], [1, 2, 4])
    print("np.add.at:     ", grad)

# %% [markdown]
# `grad[index] += part` reads, adds and writes *once*: of several parts for one place, the last stays. `np.add.at` is
# right, and slow. A *slice* holds no place twice, so `+=` is safe there: go through the numbers of the kernel, not
# through the places.
#
# What to see: a row of g is added to the slice that `patches` took for it; the middle gets four parts.


# %% figure="adding"
def adding():
    g = floats([1, 10, 2, 20], [3, 30, 4, 40], [5, 50, 6, 60], [7, 70, 8, 80])
    axes = plots.panels(2, columns=2, height=2.6)
    plots.matrix(g, title="g", rows=["0, 0", "0, 1", "1, 0", "1, 1"], ax=axes[0])
    axes[0].set(xlabel="place", ylabel="kernel: row, column")
    sums = np.zeros((5, 3, 3))  # after so many rows of g
    for k, (i, j) in enumerate(np.ndindex(2, 2)):
        sums[k + 1 :, i : i + 2, j : j + 2] += g[k].reshape(2, 2)
    plots.matrix(sums[4], title="gradient of the picture", annotate=False, limit=1000, ax=axes[1])

    def frame(k):
        framed(axes[0], k, 0, 1, 4, "C2")
        framed(axes[1], *divmod(k, 2), 2, 2, "C2")
        for (i, j), value in np.ndenumerate(sums[k + 1]):
            axes[1].text(j, i, f"{value:g}", ha="center", va="center")

    told = "Row after row of g is added to four pixels, two by two, which overlap; the sums grow."
    return plots.movie(axes, frame, 4, told=told, rate=0.7)


adding()

# %% [markdown]
# ### Exercise `scatter` (3 points)
# The way back of `patches`. `g` is (N, C · kh · kw, places), `shape` the picture's (N, C, H, W). Add each number of
# `g` to the pixel that it came from. What went to the border is lost. The dtype stays.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Zeros, with the border, which is cut off at the end.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# grad = np.zeros((n, c, h + 2 * padding, ...), g.dtype)
# rows, columns = places_along(...), places_along(...)
# g = g.reshape(n, c, kh, kw, rows, columns)
# for i in range(kh):
#     for j in range(kw):
#         grad[...] += g[:, :, i, j]
# return grad[:, :, padding : padding + h, ...]
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Empty: with padding 0, `grad[padding:-padding]` has nothing in it.
# </details>


# %% exercise="scatter"
def scatter(g, shape, kh, kw, stride=1, padding=0):
    """Add up, for each pixel of a picture of this shape, what its patches get: (N, C, H, W)."""
    ### BEGIN SOLUTION
    n, c, h, w = shape
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    g = g.reshape(n, c, kh, kw, rows, columns)
    for i in range(kh):
        for j in range(kw):
            grad[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride] += g[:, :, i, j]
    return grad[:, :, padding : padding + h, padding : padding + w]
    ### END SOLUTION


# %% check="scatter" points=3
with exercise("scatter") as check:
    g = floats([[1, 10], [2, 20], [3, 30], [4, 40]])
    expected = floats([[[1, 12, 20], [3, 34, 40]]])
    check.close(yours.scatter(g, (1, 1, 2, 3), 2, 2), expected, "both hold the middle")
    x = yours.scatter(np.arange(32.0).reshape(2, 4, 4), (2, 2, 4, 5), 1, 2, 2)
    expected = floats([24, 28, 25, 29, 0], [26, 30, 27, 31, 0])
    check.close(x[1, 1, ::2], expected, "picture 1, channel 1, every second row")
    g = np.arange(50, dtype="float32").reshape(1, 2, 25)
    y = yours.scatter(g, (1, 1, 1, 2), 1, 2, 1, 2)
    check.close(y, floats([[[48, 50]]]), "12 + 36 and 13 + 37: what the border got is lost")
    check.close([str(x.dtype), str(y.dtype)], ["float64", "float32"], "the dtypes of g")
    check.untouched("g stays as it was")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    edges = [(1, 1, 1, 3), (2, 3, 3, 0)]  # a border wider than all else, and none
    for kh, kw, stride, padding in [*edges, *check.cases(10, integer(1, 3), integer(1, 3), integer(1, 3), integer(0, 2))]:
        for high, wide in ((7, 4), (5, 6)):
            shape, h, w = (2, 3, high, wide), high + 2 * padding, wide + 2 * padding
            places = [(i, j) for i in range(0, h - kh + 1, stride) for j in range(0, w - kw + 1, stride)]
            (g,), = check.cases(1, array(2, 3 * kh * kw, len(places)))
            grad = np.zeros((2, 3, h, w))
            for k, (i, j) in enumerate(places):
                grad[:, :, i : i + kh, j : j + kw] += g[:, :, k].reshape(2, 3, kh, kw)
            expected = grad[:, :, padding : padding + high, padding : padding + wide]
            check.close(yours.scatter(g, shape, kh, kw, stride, padding), expected, "each part, back at its pixel", rtol=1e-10)
            check.untouched()
        for dtype in ("float32", "float64"):
            found = yours.scatter(g.astype(dtype), shape, kh, kw, stride, padding)
            check.equal(str(found.dtype), dtype, "the dtype stays, with a border, too")
    ### END HIDDEN TESTS

# %% [markdown]
# What to see: how many places of a kernel of 3 by 3 hold a pixel, with padding 1. With stride
# 1, pixels at the edge get fewer parts. With stride 2 they make a checkerboard of 1, 2 and 4, uneven at the end.


# %% given="conv2d"
def conv2d(x, weight, bias, stride=1, padding=0):
    """Convolve x (N, C, H, W) with weight (O, C, kh, kw): (N, O, rows, columns)."""
    kh, kw = weight.shape[2:]
    rows, columns = (places_along(n, k, stride, padding) for n, k in zip(x.shape[2:], (kh, kw)))
    out = patch_product(patches(x, kh, kw, stride, padding), weight, bias)
    return out.reshape(len(x), len(weight), rows, columns)


def conv2d_rule(g, x, weight, stride=1, padding=0):
    """The gradients of x, weight and bias."""
    kh, kw = weight.shape[2:]
    p = patches(x, kh, kw, stride, padding)
    to_p, to_weight, to_bias = patch_product_rule(g.reshape(*g.shape[:2], -1), p, weight)
    return scatter(to_p, x.shape, kh, kw, stride, padding), to_weight, to_bias


# %% figure="counts"
def counts():
    picture, one = np.ones((1, 1, 8, 8)), np.ones((1, 1, 3, 3))
    found = {}
    for stride in (1, 2, 3):
        g = np.ones_like(conv2d(picture, one, np.zeros(1), stride, 1))
        found[f"stride {stride}"] = conv2d_rule(g, picture, one, stride, 1)[0][0, 0]
    plots.matrices(found)


counts()

# %% [markdown]
# ## 6. The largest of a window
#
# *Max-pooling* keeps the largest number of each window of k by k, window beside window; rows and columns left over at
# the end do not count. A pooled map says *whether* there was something, no longer where. Windows are given:


# %% given="windows"
def windows(x, k):
    """The windows of x (N, C, H, W), each in one row: (N, C, H // k, W // k, k * k)."""
    n, c, rows, columns = x.shape[0], x.shape[1], x.shape[2] // k, x.shape[3] // k
    x = x[:, :, : rows * k, : columns * k].reshape(n, c, rows, k, columns, k)
    return x.transpose(0, 1, 2, 4, 3, 5).reshape(n, c, rows, columns, k * k)


def from_windows(parts, shape, k):
    """The picture of this shape that has these windows, and zeros where no window is."""
    n, c, rows, columns, _ = parts.shape
    parts = parts.reshape(n, c, rows, columns, k, k).transpose(0, 1, 2, 4, 3, 5)
    x = np.zeros(shape, parts.dtype)
    x[:, :, : rows * k, : columns * k] = parts.reshape(n, c, rows * k, columns * k)
    return x


# %% [markdown]
# On the way back all of `g` goes to the largest number; of several, to the first, row by row.
#
# ### Exercise `max_pool` (3 points)
# Return the pooled map, and for `max_pool_back` the gradient of `x`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `argmax` gives the first of several. Which axis of `windows(x, k)` is the window?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# seen = windows(x, k)
# chosen = np.arange(k * k) == seen.argmax(...)[..., None]    # True at one place of each
# return from_windows(..., x.shape, k)
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Equal numbers all get g: `seen == seen.max(...)` is true of each.
# </details>


# %% exercise="max_pool"
def max_pool(x, k):
    """The largest number of each window of k by k: (N, C, H // k, W // k)."""
    ### BEGIN SOLUTION
    return windows(x, k).max(axis=-1)
    ### END SOLUTION


def max_pool_back(g, x, k):
    """The gradient of x, given the gradient g of max_pool(x, k)."""
    ### BEGIN SOLUTION
    seen = windows(x, k)
    chosen = np.arange(k * k) == seen.argmax(axis=-1)[..., None]
    return from_windows(chosen * g[..., None], x.shape, k)
    ### END SOLUTION


# %% check="max_pool" points=3
with exercise("max_pool") as check:
    x = floats([[[1, 5, -1, -3, 9], [2, 3, -4, -2, 9], [0, 5, 7, 7, 9], [5, 4, 0, 0, 9]]])
    pool, back = yours.max_pool, yours.max_pool_back
    check.close(pool(x, 2), floats([[[5, -1], [5, 7]]]), "-1 among negative numbers")
    check.close(pool(x, 3), floats([[[7]]]), "one window of 3 by 3")
    expected = floats([[[0, 10, 20, 0, 0], [0] * 5, [0, 30, 40, 0, 0], [0] * 5]])
    check.close(back(floats([[[10, 20], [30, 40]]]), x, 2), expected, "to the first")
    check.close(back(floats([[[4]]]), x, 3)[0, 0, 2], floats(0, 0, 4, 0, 0), "a corner")
    four = np.diag(floats(4, 5, 6, 7)).reshape(2, 2, 2, 2)  # two pictures of two maps
    g = floats([[[4]], [[5]]], [[[6]], [[7]]])
    check.close((pool(four, 2), back(g, four, 2)), (g, four), "each map for itself")
    check.untouched("g and x stay as they were")
    ### BEGIN HIDDEN TESTS
    from autograder import array, one_of

    sizes = [(1.0, 0.0), (1.0, -1e6), (1e30, -1e32)]  # numbers around 0, and far below
    drawn = check.cases(8, array(2, 3, 5, 7), one_of([1, 2, 3]))
    for (x, k), (size, shift) in ((case, change) for case in drawn for change in sizes):
        x = size * 1.1 * np.round(x) + shift  # rounded, so that some are equal
        (g,), = check.cases(1, array(2, 3, 5 // k, 7 // k))
        out, grad = np.zeros(g.shape), np.zeros(x.shape)
        for n, c, i, j in np.ndindex(*g.shape):
            places = [(a, b) for a in range(k * i, k * i + k) for b in range(k * j, k * j + k)]
            a, b = max(places, key=lambda place: x[n, c][place])  # the first of several
            out[n, c, i, j], grad[n, c, a, b] = x[n, c, a, b], g[n, c, i, j]
        check.close(yours.max_pool(x, k), out, "the largest of each window", rtol=1e-10)
        check.untouched()
        check.close(yours.max_pool_back(g, x, k), grad, "all of g to the first of the largest", rtol=1e-10)
        check.untouched()
    tie, first = floats([[[1, 6], [6, 1]]]), floats([[[0, 3], [0, 0]]])
    check.close(yours.max_pool_back(floats([[[3]]]), tie, 2), first, "of equal ones the first, row by row")
    near = floats([[[1, 1 + 1e-12], [0.5, 1]]])
    check.close(yours.max_pool_back(floats([[[2]]]), near, 2), floats([[[0, 2], [0, 0]]]), "nearly equal is not equal")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 7. What it saves, and what it keeps
#
# **Predict, then run.** A layer makes 16 maps of 8 by 8 from a digit of 8 by 8. How many parameters has it as a
# convolution with kernels of 3 by 3, and how many as a linear layer? Both with biases.

# %%
prediction = (None, None)

if predicted(prediction, "parameters_of_two_layers"):
    inputs, outputs = 8 * 8, 16 * 8 * 8
    print("convolution:", 16 * 1 * 3 * 3 + 16, "  linear layer:", outputs * inputs + outputs)

# %% [markdown]
# What a kernel has learnt at one place, it can use at every place. And when the picture moves, its map moves along:
# *equivariance*.


# %% given="moved"
def moved(x, down, right):
    """Pictures (..., H, W), moved by so many pixels; zeros come in."""
    h, w = x.shape[-2:]
    there = (..., slice(max(down, 0), h + min(down, 0)), slice(max(right, 0), w + min(right, 0)))
    here = (..., slice(max(-down, 0), h + min(-down, 0)), slice(max(-right, 0), w + min(-right, 0)))
    out = np.zeros_like(x)
    out[there] = x[here]
    return out


# %% [markdown]
# **Predict, then run.** The digit is far from the edges. By how many of its own places does each map move? First: it
# moves by one pixel; the map of a convolution. Second: by two pixels, the map pooled by 2. Third: by one pixel, the map
# pooled by 2. Write -1 where it is not the old map, moved.


# %%
prediction = (None, None, None)

kernels = np.random.default_rng(0).standard_normal((4, 1, 3, 3))
digit = np.pad(load_digits()[0][9:10], ((0, 0), (0, 0), (4, 4), (4, 4)))
plain, by_one, by_two = (conv2d(moved(digit, 0, k), kernels, np.zeros(4)) for k in (0, 1, 2))


def places_moved(new, old):
    """By how many places the map `new` is the map `old`, moved to the right; -1 where it is another map."""
    return next((k for k in range(3) if np.allclose(new, moved(old, 0, k))), -1)


if predicted(prediction, "what_moves_along"):
    print("by one, the map:            ", places_moved(by_one, plain))
    print("by two, the map pooled by 2:", places_moved(max_pool(by_two, 2), max_pool(plain, 2)))
    print("by one, the map pooled by 2:", places_moved(max_pool(by_one, 2), max_pool(plain, 2)))

# %% [markdown]
# Behind a pooling by 2, in general only even moves are moves of the map: an odd one changes which pixels share a
# window.
#
# ## 8. From an empty cell: how far does it see?
#
# The pixels that one number of a map sees are its *receptive field*. Its width is from the first pixel to the last.
#
# ### Exercise `receptive_field` (3 points)
# Write `receptive_field(layers)`. `layers` is a list of pairs (kernel, stride), the first layer first; pooling by 2
# is (2, 2). Return how many pixels wide the field of one number behind the last layer is.
#
# <details><summary>Hint 1: how to begin</summary>
#
# Two layers of kernel 3, on paper: one number sees three of the map before, and each of these three pixels.
# </details>
# <details><summary>Hint 2: what to look for</summary>
#
# Two neighbours on a map: how many pixels are their fields apart? Each stride multiplies that.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A stride counts for the layers behind it, not for its own kernel. No layers: a pixel sees itself.
# </details>


# %% exercise="receptive_field"
def receptive_field(layers):
    ### BEGIN SOLUTION
    size = step = 1
    for kernel, stride in layers:
        size += (kernel - 1) * step
        step *= stride
    return size
    ### END SOLUTION


# %% check="receptive_field" points=3
with exercise("receptive_field") as check:
    field = yours.receptive_field
    check.close(field([(5, 1)]), 5, "one kernel of 5")
    check.close(field([(3, 1), (3, 1)]), 5, "3, and one more on each side")
    check.close(field([(3, 1), (2, 2)]), 4, "two neighbours, each 3 wide")
    check.untouched("the list stays as it was")
    check.close(field([(3, 1), (2, 2), (3, 1)]), 8, "three numbers, 4 wide, 2 apart")
    check.close(field([(3, 3), (2, 1)]), 6, "two numbers, 3 wide, 3 apart")
    check.close(field([(1, 2), (2, 1)]), 3, "two pixels, 2 apart: 3 in all")
    check.close(field([(2, 2), (2, 2), (2, 2)]), 8, "three poolings by 2: 2 · 2 · 2 pixels")
    check.close(field([]), 1, "no layer: the pixel itself")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    check.close(yours.receptive_field([(3, 2)] * 9), 1023, "nine layers: each field is twice as wide, and 1")
    for depth in (1, 2, 3, 4):
        for _ in range(4):
            layers = [(check.rng.randint(1, 5), check.rng.randint(1, 3)) for _ in range(depth)]
            first = last = 0
            for kernel, stride in reversed(layers):
                first, last = first * stride, last * stride + kernel - 1
            check.close(yours.receptive_field([list(pair) for pair in layers]), last - first + 1, "from the first pixel to the last")
            check.untouched("the list stays as it was")
    ### END HIDDEN TESTS

# %% [markdown]
# Draw it with your way back: the gradient of one number, all weights 1, the pooling as such a kernel, too. What to see:
# behind the pooling the field grows faster; most paths lead to its middle. Framed: your width.


# %% figure="fields"
def fields():
    stack, found = [(3, 1), (3, 1), (2, 2), (3, 1)], {}
    for depth in range(1, len(stack) + 1):
        sizes = [14]
        for kernel, stride in stack[:depth]:
            sizes.append((sizes[-1] - kernel) // stride + 1)
        g = np.zeros((1, 1, sizes[-1], sizes[-1]))
        g[..., sizes[-1] // 2, sizes[-1] // 2] = 1.0
        for (kernel, stride), size in list(zip(stack, sizes))[depth - 1 :: -1]:
            g = conv2d_rule(g, np.ones((1, 1, size, size)), np.ones((1, 1, kernel, kernel)), stride)[0]
        found[f"behind {depth}: {receptive_field(stack[:depth])} wide"] = g[0, 0] / g.max()
    for depth, ax in enumerate(plots.matrices(found, annotate=False), 1):
        first = np.nonzero(list(found.values())[depth - 1])[0].min()
        framed(ax, first, first, *[receptive_field(stack[:depth])] * 2, style=":")


fields()

# %% [markdown]
# ## 9. Bug hunt
#
# A *depthwise* convolution has one kernel for each channel: weights (C, kh, kw); channel c of the map comes from
# channel c of the picture alone. A colleague's way back of it, without a bias. **Three
# lines are wrong**, and each spoils a gradient.


# %% given="colleague"
def colleague_rule(g, x, weight, stride, padding):
    """The gradients of x (N, C, H, W) and weight (C, kh, kw), given the gradient g (N, C, rows, columns)."""
    (h, w), (kh, kw) = x.shape[2:], weight.shape[1:]
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros_like(wide), np.zeros_like(weight)
    for i, j in np.ndindex(*g.shape[2:]):
        part = g[:, :, i : i + 1, j : j + 1]
        rows, columns = slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw)
        to_wide[:, :, rows, columns] = part * weight
        seen = wide[:, :, i : i + kh, j : j + kw]
        to_weight += (part * seen).sum(axis=0)
    return to_wide[:, :, :h, :w], to_weight


# %% [markdown]
# Checked as in unit 11, in five settings:


# %% given="compare"
def depthwise(x, weight, stride, padding):
    """Each channel under its own kernel, by loops; this one is right."""
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    sizes = [places_along(n, k, stride, padding) for n, k in zip(x.shape[2:], weight.shape[1:])]
    out = np.zeros((*x.shape[:2], *sizes))
    for i, j in np.ndindex(*sizes):
        seen = wide[:, :, i * stride : i * stride + weight.shape[1], j * stride : j * stride + weight.shape[2]]
        out[:, :, i, j] = (seen * weight).sum(axis=(2, 3))
    return out


def compare(rule, k, stride, padding):
    """Whether each of a rule's two gradients is right, for kernels of k by k."""
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape) for shape in ((2, 3, 6, 7), (3, k, k))]
    g = rng.standard_normal(depthwise(*inputs, stride, padding).shape)
    said = []
    for at, grad in enumerate(rule(g, *inputs, stride, padding)):
        direction = rng.standard_normal(inputs[at].shape)
        ends = []
        for sign in (1, -1):
            there = [x + sign * direction if i == at else x for i, x in enumerate(inputs)]
            ends.append((g * depthwise(*there, stride, padding)).sum())
        fits = grad.shape == direction.shape
        said.append(fits and np.isclose((grad * direction).sum(), (ends[0] - ends[1]) / 2))
    return said


SETTINGS = [(1, 1, 0), (3, 1, 0), (3, 3, 0), (1, 1, 1), (2, 2, 1)]


def table(rule):
    """Print what `compare` says, a row for each setting."""
    print("kernel, stride, padding    x      weight")
    for setting in SETTINGS:
        x, weight = ("right" if fine else "WRONG" for fine in compare(rule, *setting))
        print(f"{setting!s:26} {x:6} {weight}")


# %% [markdown]
# **Predict, then run.** In which of the five settings is the gradient of `x` right, and in which that of the weights?

# %%
prediction = (None, None)  # two lists of settings, such as [(2, 2, 1)] and []

if predicted(prediction, "where_the_colleague_is_right"):
    table(colleague_rule)

# %% [markdown]
# ### Exercise `mended_rule` (3 points)
# Write the function without its bugs, under the new name.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Read the table by columns. Which gradient fails with a stride, which with overlapping windows, which with a border?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# - Two windows hold the same pixel: what becomes of both parts?
# - Where in `to_wide` does the picture begin?
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# `to_wide[:, :, padding:-padding]` is empty without padding.
# </details>


# %% exercise="mended_rule"
def mended_rule(g, x, weight, stride, padding):
    """The gradients of x (N, C, H, W) and weight (C, kh, kw), given the gradient g (N, C, rows, columns)."""
    ### BEGIN SOLUTION
    (h, w), (kh, kw) = x.shape[2:], weight.shape[1:]
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros_like(wide), np.zeros_like(weight)
    for i, j in np.ndindex(*g.shape[2:]):
        part = g[:, :, i : i + 1, j : j + 1]
        rows, columns = slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw)
        to_wide[:, :, rows, columns] += part * weight
        to_weight += (part * wide[:, :, rows, columns]).sum(axis=0)
    return to_wide[:, :, padding : padding + h, padding : padding + w], to_weight
    ### END SOLUTION


# %% check="mended_rule" points=3
with exercise("mended_rule") as check:
    x, rule = floats([[[1, 2, 3], [4, 5, 6]]]), yours.mended_rule
    g, pictures = floats([[[1, 10]]], [[[0, 1]]]), np.concatenate([x, 100 * x])
    to_x, to_weight = rule(g, pictures, floats([[7, 8], [9, 0]]), 1, 0)
    check.close(to_x[0, 0], floats([7, 78, 80], [9, 90, 0]), "8 + 70: in two windows")
    check.close(to_weight[0], floats([221, 332], [554, 665]), "from both pictures")
    g, tall = floats([[[1, 10], [2, 20]], [[3, 30], [4, 40]]]), np.tile(x, (1, 2, 2, 1))
    to_x, to_weight = rule(g, tall * floats([[1]], [[2]]), floats([[5]], [[-3]]), 2, 0)
    check.close(to_weight, floats([[93]], [[434]]), "stride 2: 1 + 10 · 3 + 2 + 20 · 3")
    check.close(to_x[0, 1, ::2], floats([-9, 0, -90], [-12, 0, -120]), "by its own kernel")
    to_x, _ = rule(np.arange(36.0).reshape(1, 1, 6, 6), x, floats([[5, 1]]), 1, 2)
    check.close(to_x[0, 0], floats([83, 89, 95], [119, 125, 131]), "a wide border: 70 + 13")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor, functional
    from autograder import array, integer

    cases = [(1, 1, 0), (2, 1, 0), (3, 2, 1), (2, 3, 0), (3, 1, 2), (1, 2, 1)]
    for k, stride, padding in [*cases, *check.cases(4, integer(1, 3), integer(1, 3), integer(0, 2))]:
        x, weight = (Tensor(a, requires_grad=True) for a in next(check.cases(1, array(2, 3, 5, 6), array(3, 1, k, max(1, 4 - k)))))
        out = functional.conv2d(x, weight, stride=stride, padding=padding, groups=3)
        (g,), = check.cases(1, array(*out.shape))
        out.backward(g)
        w = weight.data[:, 0]
        expected = x.grad.data, weight.grad.data[:, 0]
        check.close(yours.mended_rule(g, x.data, w, stride, padding), expected, "the reference's gradients", rtol=1e-10)
        check.untouched("g, x and weight stay as they were")
        large = yours.mended_rule(g, x.data, 1e12 * w, stride, padding)
        check.close(large[1], expected[1], "large weights", rtol=1e-10)
        tiny = yours.mended_rule(g, 1e-305 * x.data, w, stride, padding)
        check.close(tiny, (expected[0], 1e-305 * expected[1]), "a tiny picture", rtol=1e-10, atol=0.0)
    ### END HIDDEN TESTS

# %%
table(mended_rule)

# %% [markdown]
# ## 10. Read digits
#
# Two convolutions, a pooling, a linear layer.
#
# **Optional: your own engine.** Without the `#` below, what follows runs on your answers since unit 03, more slowly.

# %%
import autograd_ref as engine

# from autograder import mine; engine = mine.engine()


# %% given="reader"
def reader(nn, drop, seed=0, layer=None):
    """A network that gives ten logits for each digit (1, 8, 8)."""
    nn.manual_seed(seed)
    layer = layer or nn.Conv2d
    return nn.Sequential(
        layer(1, 16, 3, padding=1), nn.ReLU(),
        layer(16, 32, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(drop), nn.Linear(32 * 4 * 4, 10),
    ).to("float32")


def parameters(model):
    """How many numbers it learns."""
    return sum(p.data.size for p in model.parameters())


def jittered(x, rng):
    """Each picture, moved by a part of a pixel in one of eight directions, or not at all."""
    where, share = rng.integers(0, 9, len(x)), rng.random((len(x), 1, 1, 1), dtype=x.dtype)
    whole = np.empty_like(x)
    for k in range(9):
        whole[where == k] = moved(x[where == k], k // 3 - 1, k % 3 - 1)
    return (1 - share) * x + share * whole


def train(model, x, y, epochs, jitter, seed=0, rate=0.01):
    """AdamW on batches of 64; the rate rises over 20 steps, then falls along a cosine. Each loss is kept."""
    model.losses = []
    rng, optimizer = np.random.default_rng(seed), engine.optim.AdamW(model.parameters(), lr=rate)
    batches = -(-len(x) // 64)
    model.train()
    for step in range(epochs * batches):
        if step % batches == 0:
            order = rng.permutation(len(x))
        part = order[step % batches * 64 :][:64]
        falling = 0.5 + 0.5 * np.cos(np.pi * step / (epochs * batches))
        optimizer.lr = rate * min(1.0, (step + 1) / 20) * falling
        optimizer.zero_grad()
        seen = jittered(x[part], rng) if jitter else x[part]
        loss = engine.functional.cross_entropy(model(seen), y[part])
        loss.backward()
        optimizer.step()
        model.losses.append(loss.item())
    model.eval()
    return model


def split(seed):
    """Positions of digits: for training, for choosing, and held out until the end."""
    order = np.random.default_rng(seed).permutation(1797)
    return order[:1077], order[1077:1437], order[1437:]


# %% [markdown]
# **Predict, then run.** How many numbers does a digit have behind the pooling? How many parameters has the second
# convolution?

# %%
prediction = (None, None)

if predicted(prediction, "layers_of_the_reader"):
    x, model = load_digits()[0][:1].astype("float32"), reader(engine.nn, 0.0)
    for k in range(8):
        x = model[k](x)
        print(f"{type(model[k]).__name__:10} {x.shape!s:16} {parameters(model[k]) or ''}")
    print("parameters in all:", parameters(model))

# %% [markdown]
# *Augmentation*: each picture is moved at random. We ask the validation part with three seeds, because a seed alone
# moves the loss. A way replaces the plainer one only if its loss is lower with **each**. What to see: how far apart the
# seeds are.


# %% figure="choice"
DIGITS, LABELS = load_digits()
DIGITS = DIGITS.astype("float32")
CHOICES = {"as it is": (False, 0.0), "moved": (True, 0.0), "moved, dropout": (True, 0.3)}


def choose():
    known, watched, _ = split(0)
    found, chosen = {}, "as it is"
    for name, (jitter, drop) in CHOICES.items():
        found[name] = []
        for seed in range(3):
            model = train(reader(engine.nn, drop, seed), DIGITS[known], LABELS[known], 12, jitter, seed)
            loss = engine.functional.cross_entropy(model(DIGITS[watched]), LABELS[watched])
            found[name].append(loss.item())
        if all(new < old for new, old in zip(found[name], found[chosen])):
            chosen = name
    bars = {f"seed {seed}, {name}": losses[seed] for seed in range(3) for name, losses in found.items()}
    for k, bar in enumerate(plots.bars(bars, title="Loss on the validation part").patches):
        bar.set_color(f"C{k % 3}")
    return chosen


CHOSEN = choose()
print("chosen:", CHOSEN)

# %% [markdown]
# Dropout wins with seed 0 only.
#
# **Predict, then run.** A network misreads one digit of 100. In what share of samples of 360 are there at most two?

# %%
prediction = None

if predicted(prediction, "errors_by_chance"):
    errors = np.random.default_rng(0).binomial(360, 0.01, 100_000)
    print(f"on average {errors.mean():.1f}, at most two in {(errors <= 2).mean():.0%}")

# %% [markdown]
# So two errors among 360 are no proof of less than 1%. Now train with the choice, on the validation part as well.
# The linear layers get the rate and the moves that suit the convolutions.

# %% figure="reading"
known, watched, HELD = split(0)
both = np.concatenate([known, watched])
MODELS, READ = [], []
for seed in range(3):
    jitter, drop = CHOICES[CHOSEN]
    MODELS.append(train(reader(engine.nn, drop, seed), DIGITS[both], LABELS[both], 25, jitter, seed))
    READ.append(MODELS[-1](DIGITS[HELD]).data.argmax(axis=1))
    print(f"seed {seed}: {(READ[-1] == LABELS[HELD]).mean():.1%} of {len(HELD)} held-out digits")
SHARE = (np.array(READ) == LABELS[HELD]).mean()
print(f"on average {SHARE:.1%}, with {parameters(MODELS[0])} parameters")
assert SHARE > 0.99

shares = []
for seed in range(3):
    engine.nn.manual_seed(seed)
    layers = engine.nn.Linear(64, 132), engine.nn.ReLU(), engine.nn.Linear(132, 10)
    plain = engine.nn.Sequential(engine.nn.Flatten(), *layers).to("float32")
    train(plain, DIGITS[both], LABELS[both], 25, jitter, seed)
    shares.append((plain(DIGITS[HELD]).data.argmax(axis=1) == LABELS[HELD]).mean())
print(f"two linear layers in place of it: {np.mean(shares):.1%}, with {parameters(plain)} parameters")


def misread():
    answers = np.array(READ).T
    wrong = np.flatnonzero((answers != LABELS[HELD][:, None]).any(axis=1))
    titles = [f"{LABELS[HELD[i]]} read as\n{', '.join(map(str, answers[i]))}" for i in wrong]
    plots.images(DIGITS[HELD[wrong], 0], titles, title="Misread with at least one of the seeds")


misread()

# %% [markdown]
# **On your own convolution.** For an engine an operation is two functions, and a `ctx` for each call, on which
# `forward` keeps what `backward` needs.
#
# ### Exercise `Convolve` (3 points)
# `forward` returns the maps, with stride 1; all are arrays. `backward` returns the gradients of x, weight and bias,
# given `g` of the maps, and None for `padding`. Call `conv2d` and `conv2d_rule`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which arguments of `conv2d_rule` does `backward` not get? `ctx.name = value` keeps one.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# ctx.... = ...                        # forward
# return conv2d(..., padding=...)
# to_x, ... = conv2d_rule(g, ...)      # backward
# return ..., None
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The argument behind `bias` is the stride. A number kept on the class is overwritten by the next layer.
# </details>


# %% exercise="Convolve"
class Convolve:
    """Your convolution as an operation, with stride 1."""

    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        """The maps (N, O, rows, columns). What `backward` needs is kept on ctx."""
        ### BEGIN SOLUTION
        ctx.x, ctx.weight, ctx.padding = x, weight, padding
        return conv2d(x, weight, bias, padding=padding)
        ### END SOLUTION

    @staticmethod
    def backward(ctx, g):
        """The gradients of x, weight, bias and padding, given the gradient g of the maps."""
        ### BEGIN SOLUTION
        to_x, to_weight, to_bias = conv2d_rule(g, ctx.x, ctx.weight, padding=ctx.padding)
        return to_x, to_weight, to_bias, None
        ### END SOLUTION


# %% probes="Convolve"
class Context:
    """What `forward` leaves for `backward`, as attributes."""


def by_places(x, weight, bias, stride=1, padding=0):
    """`conv2d`, place after place."""
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    (kh, kw), sizes = weight.shape[2:], [(n - k) // stride + 1 for n, k in zip(wide.shape[2:], weight.shape[2:])]
    out = np.zeros((len(x), len(weight), *sizes))
    for i, j in np.ndindex(*sizes):
        seen = wide[:, None, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
        out[:, :, i, j] = (seen * weight).sum(axis=(2, 3, 4)) + bias
    return out


def by_ones(g, x, weight, stride=1, padding=0):
    """`conv2d_rule`: what each number of x and of weight does alone, as 1 among zeros."""
    none, grads = np.zeros(len(weight)), [np.zeros(x.shape), np.zeros(weight.shape)]
    for at, grad in enumerate(grads):
        for place in np.ndindex(*grad.shape):
            inputs = [x, weight]
            inputs[at] = np.zeros(grad.shape)
            inputs[at][place] = 1
            grad[place] = (g * by_places(*inputs, none, stride, padding)).sum()
    return *grads, g.sum(axis=(0, 2, 3))


@probe
def in_a_row(x, layers, padding, g):
    """What Convolve gives in layers (weight, bias) one behind the other, of one padding or each of its own; and what comes
    back, the last layer first."""
    paddings = padding if isinstance(padding, list) else [padding] * len(layers)
    global conv2d, conv2d_rule
    own, contexts, found = (conv2d, conv2d_rule), [], []
    conv2d, conv2d_rule = by_places, by_ones
    try:
        for (weight, bias), padding in zip(layers, paddings):
            contexts.append(Context())
            x = Convolve.forward(contexts[-1], x, weight, bias, padding)
        found.append(x)
        while contexts:
            found.append(Convolve.backward(contexts.pop(), g))
            if not isinstance(found[-1], (tuple, list)) or not len(found[-1]):
                break
            found[-1] = tuple(found[-1])
            g = found[-1][0]
    finally:
        conv2d, conv2d_rule = own
    return found


# %% check="Convolve" points=3
with exercise("Convolve") as check:
    x, w, b = floats([[[1, 2, 3]]]), floats([[[2, 1]]]), floats(0.5)
    maps, back = in_a_row(x, [(w, b)], 0, floats([[[1, 10]]]))
    check.close(maps, floats([[[4.5, 7.5]]]), "2 · 1 + 1 · 2 + 0.5; 2 · 2 + 1 · 3 + 0.5")
    expected = floats([[[2, 21, 10]]]), floats([[[21, 32]]]), floats(11), None
    check.close(back, expected, "of x, weight, bias and padding")
    maps, back = in_a_row(x, [(w, b)], 1, floats([[[0] * 4, [1, 0, 0, 10], [0] * 4]]))
    check.close(maps[0, 0, 1], floats(1.5, 4.5, 7.5, 6.5), "padding 1: the middle row")
    check.close(back[1], floats([[[30, 1]]]), "10 · 3 at the right end, 1 · 1 at the left")
    layers = [(w, b), (floats([[[3, -1]]]), floats(0))]
    found = tuple(in_a_row(x, layers, 0, floats([[[1]]]))[2][:2])
    check.close(found, (floats([[[6, 1, -1]]]), floats([[[1, 3]]])), "behind another layer")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor, functional
    from autograder import array, integer

    drawn = check.cases(3, integer(1, 2), integer(1, 3), integer(1, 2), integer(0, 2), integer(0, 2))
    for n, o, k, padding, second in [(1, 2, 1, 0, 0), (2, 1, 2, 2, 1), *drawn]:
        shapes = (n, 2, 3, 4), (o, 2, k, 2), (o,), (2, o, 1, k), (2,)
        arrays = next(check.cases(1, *(array(*shape) for shape in shapes)))
        x, w, b, v, c = tensors = [Tensor(a, requires_grad=True) for a in arrays]
        out = functional.conv2d(functional.conv2d(x, w, b, padding=padding), v, c, padding=second)
        (g,) = next(check.cases(1, array(*out.shape)))
        out.backward(g)
        maps, *found = in_a_row(arrays[0], [tuple(arrays[1:3]), tuple(arrays[3:])], [padding, second], g)
        check.close(maps, out.data, "two layers", rtol=1e-10)
        grads = [t.grad.data for t in tensors]
        check.close(tuple(found[1]), (*grads[:3], None), "the gradients of the first layer", rtol=1e-10)
        check.close(tuple(found[0][1:]), (*grads[3:], None), "the gradients of the last layer", rtol=1e-10)
        check.untouched("x, weight, bias and g stay as they were")
    ### END HIDDEN TESTS

# %% [markdown]
# Wrapped for the engine, and checked as in unit 11:


# %% given="on_the_graph"
class Wrapped(autograd_ref.Function):
    """Your Convolve, between tensors and arrays."""

    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        return autograd_ref.Tensor(Convolve.forward(ctx, x.data, weight.data, bias.data, padding))

    @staticmethod
    def backward(ctx, g):
        grads = Convolve.backward(ctx, g.data)
        return tuple(None if grad is None else autograd_ref.Tensor(grad) for grad in grads)


class YourConv2d(autograd_ref.nn.Conv2d):
    """The layer, with the same random start, on your operation."""

    def forward(self, x):
        x = x if isinstance(x, autograd_ref.Tensor) else autograd_ref.Tensor(x)
        return Wrapped.apply(x, self.weight, self.bias, self.padding)


# %%
rng = np.random.default_rng(0)
x, weight, bias = (rng.standard_normal(shape) for shape in ((2, 3, 5, 6), (4, 3, 3, 2), (4,)))
fits = autograd_ref.gradcheck.gradcheck(lambda *given: Wrapped.apply(*given, 1), x, weight, bias, forward=False)
print("as finite differences say:", fits)

# %% [markdown]
# Seed 0 again. What to see: the first losses lie on each other.


# %% figure="own"
def own():
    if engine is not autograd_ref:
        return print("The networks above ran on your convolution already.")
    jitter, drop = CHOICES[CHOSEN]
    model = train(reader(engine.nn, drop, 0, YourConv2d), DIGITS[both], LABELS[both], 25, jitter)
    print(f"yours: {(model(DIGITS[HELD]).data.argmax(axis=1) == LABELS[HELD]).mean():.1%}")
    curves = {"nn.Conv2d": MODELS[0].losses[:40], "YourConv2d": model.losses[:40]}
    plots.learning_curves(curves)


own()

# %% [markdown]
# What has it learnt? Beside the first picture's two kernels: the learnt one most like each. What to see: with
# each seed, training moves the kernels towards these two, though nobody asked for edges. They keep much of their random
# start (a cosine of 1: the same direction).


# %% figure="kernels"
def kernels_and_maps():
    def cosines(a, b):
        a, b = (v.reshape(len(v), -1) for v in (a, b))
        return a @ b.T / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)

    upright = floats([-1, 0, 1], [-1, 0, 1], [-1, 0, 1])
    edges, old, new = np.array([upright, upright.T]), [], []
    for seed, trained in enumerate(MODELS):
        for found, model in ((old, reader(engine.nn, 0.0, seed)), (new, trained)):
            found.append(np.array(model[0].weight.data[:, 0], dtype=float))
        near, far = (abs(cosines(found[-1], edges)).max(axis=1).mean() for found in (new, old))
        kept = np.mean(np.diag(cosines(old[-1], new[-1])))
        print(f"seed {seed}: cosine to the nearer edge kernel {far:.2f}, then {near:.2f}; to the start {kept:.2f}")
    old, new = np.concatenate(old), np.concatenate(new)
    digit, axes = DIGITS[HELD[:1]].astype(float), plots.panels(10, columns=5, height=1.75)
    for row, edge in enumerate(edges):
        alike = cosines(new, edge[None])[:, 0]
        k = abs(alike).argmax()
        sign = np.sign(alike[k])
        start, learnt = sign * old[k], sign * new[k]
        here, there = (conv2d(digit, one[None, None], np.zeros(1), 1, 1)[0, 0] for one in (edge, learnt))
        sheets = {"edge kernel": edge, "on a digit": here, "random start": start, "learnt": learnt, "on it": there}
        for ax, (name, values) in zip(axes[5 * row :], sheets.items()):
            plots.matrix(values, title=name, annotate=False, ax=ax)
            ax.set(xlabel="", ylabel="", xticks=[], yticks=[])


kernels_and_maps()

# %% [markdown]
# ## 11. Where the time goes
#
# The second layer, for a batch of 64. What to see: `patches` and `scatter`, which copy and add up, take about as long
# as the products by `@`. In the last bar the pictures are the *last* axis in memory, (C, H, W, N), as in the
# reference: `+=` then runs over 512 numbers side by side, and not over 8.


# %% figure="speed"
def speed():
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal(shape, dtype="float32") for shape in ((64, 16, 8, 8), (64, 32, 64)))
    weight, bias = (rng.standard_normal(shape, dtype="float32") for shape in ((32, 16, 3, 3), (32,)))
    p, (parts, _, _) = patches(x, 3, 3, 1, 1), patch_product_rule(g, patches(x, 3, 3, 1, 1), weight)
    # The last bar's parts are brought into their order here, before the clock starts.
    turned = np.ascontiguousarray(parts.reshape(64, 16, 3, 3, 8, 8).transpose(1, 2, 3, 4, 5, 0))

    def pictures_last():
        grad = np.zeros((16, 10, 10, 64), "float32")
        for i, j in np.ndindex(3, 3):
            grad[:, i : i + 8, j : j + 8] += turned[:, i, j]
        return grad[:, 1:9, 1:9]

    ways = {
        "patches": lambda: patches(x, 3, 3, 1, 1),
        "patch_product": lambda: patch_product(p, weight, bias),
        "patch_product_rule": lambda: patch_product_rule(g, p, weight),
        "scatter": lambda: scatter(parts, x.shape, 3, 3, 1, 1),
        "scatter, pictures last": pictures_last,
    }
    assert np.allclose(ways["scatter"](), pictures_last().transpose(3, 0, 1, 2), atol=1e-3)
    times = {}
    for name, way in ways.items():
        took = []
        for _ in range(5):
            start = time.perf_counter()
            way()
            took.append(time.perf_counter() - start)
        times[name] = 1000 * min(took)
    plots.bars(times, xlabel="milliseconds")
    if times["scatter"] > 5 * times["patches"] + 5 * times["scatter, pictures last"]:
        print("Most of it is your scatter: with += on slices it is far faster than with np.add.at.")


speed()

# %% [markdown]
# ## In your own words
#
# In three sentences: why is the way back a convolution with the kernel turned around, and why do pixels at the edge
# get fewer parts?
#
# <details><summary>One way to say it</summary>
#
# k outputs in a row look at an input, the last of them with the first number of the kernel. So it gets their g, times
# the kernel in reverse, added up. Near an edge some of the k places do not fit.
# </details>
#
# ## The same elsewhere
#
# Where PyTorch is installed, this cell compares your convolution, its patches and its gradients.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
x, weight, bias = (rng.standard_normal(shape) for shape in ((2, 3, 6, 7), (4, 3, 3, 2), (4,)))
g = rng.standard_normal(conv2d(x, weight, bias, 2, 1).shape)
ours = [patches(x, 3, 2, 2, 1), conv2d(x, weight, bias, 2, 1), *conv2d_rule(g, x, weight, 2, 1)]
try:
    import torch

    inputs = [torch.tensor(a, requires_grad=True) for a in (x, weight, bias)]
    columns = torch.nn.functional.unfold(inputs[0], (3, 2), stride=2, padding=1)
    out = torch.nn.functional.conv2d(*inputs, stride=2, padding=1)
    out.backward(torch.tensor(g))
    theirs = [columns.detach(), out.detach(), *(t.grad for t in inputs)]
    print("all agree:", all(np.allclose(a, b.numpy()) for a, b in zip(ours, theirs)))
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | the way back to x | `F.conv_transpose1d` |
# | `patches` | `F.unfold` |
# | `scatter` | `F.fold` |
# | `conv2d` | `F.conv2d`, `nn.Conv2d` |
# | `max_pool` | `F.max_pool2d`; there, too, the first of equal ones gets g |
# | `mended_rule` | the way back of `F.conv2d(..., groups=C)` |
# | `Convolve` | `torch.autograd.Function` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | gradients too small where kernels overlap | `=`, or `+=` at an index |
# | right with padding 0 only | a border cut off wrongly |
#
# ## Who found it
#
# - Kunihiko Fukushima, [1980](https://doi.org/10.1007/BF00344251): the neocognitron, whose layers detect everywhere
#   and forgive shifts; it learns without a teacher.
# - Yann LeCun and others, [1989](https://doi.org/10.1162/neco.1989.1.4.541): trained by backpropagation, on
#   handwritten zip codes.
# - Yann LeCun, Léon Bottou, Yoshua Bengio and Patrick Haffner, [1998](https://doi.org/10.1109/5.726791): LeNet-5.
# - Kumar Chellapilla, Sidd Puri and Patrice Simard, [2006](https://inria.hal.science/inria-00112631): patches, and
#   one matrix product.
#
# ## One thing to try next
# Replace the pooling by a convolution, `nn.Conv2d(32, 32, 3, stride=2, padding=1)`. What does validation say?

# %% progress="here"
