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
#     unit: 07_losses
#     allow: [autograd_ref.data.digits, autograd_ref.graph, autograd_ref.plots]
#     title: "Losses: one number to learn from"
# ---

# %% [markdown]
# # Losses: one number to learn from
#
# From left to right: a network's scores, its probabilities, the truth, and what the loss sends back: there blue asks for
# a higher score, orange for a lower one. Which example is the worst mistake?

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots

    odds = np.array([[1, 2, 7], [7, 2, 1], [2, 5, 3], [6, 1, 3], [1, 8, 1]])
    truth = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0]])
    sent_back = np.array([[1, 2, -3], [7, -8, 1], [2, -5, 3], [-4, 1, 3], [-9, 8, 1]])
    pictures = {"logits": np.log(odds), "probabilities": odds / 10, "truth": truth}
    for ax in plots.matrices({**pictures, "gradient": sent_back / 50}, shared=False):
        ax.set(xlabel="class", ylabel="example")


goal()

# %% setup="imports"
import math

import numpy as np

from autograd_ref import plots
from autograder import exercise, predicted, probe, yours


def arrays(*rows):
    """A tuple of arrays of floats, made of lists."""
    return tuple(np.array(row, dtype=float) for row in rows)


def strict(function, *args):
    """Calls the function. Overflow, a log of 0 and NaN are errors here, not warnings."""
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        return function(*args)

# %% [markdown]
# At the end you will be able to
#
# - say where a loss comes from, and choose one for your data;
# - write softmax and cross-entropy so that scores of 10,000 do no harm;
# - derive the short gradient of cross-entropy, and read digits with it;
# - say why squared error learns slowly behind a sigmoid.
#
# **Time:** 150 minutes (95 without sections 1, 6, 7). **Builds on:** 05 and 06: `rule(g, out, *inputs)`.

# %% [markdown]
# ## 1. Where a loss comes from
#
# A model predicts 2.0, and you measure 3.0. How bad is that? It depends on how much measurements scatter. Say that they
# scatter around the prediction $\mu$ like a bell curve of width $\sigma$ (a **Gaussian**), with the density
#
# $$p(y) = \frac{1}{\sigma\sqrt{2\pi}}\; e^{-(y-\mu)^2 / 2\sigma^2}$$
#
# The best predictions make all data together most probable: **maximum likelihood**. Their probability is a product of densities,
# and a product of a thousand small factors does not fit into a float:

# %%
density = math.exp(-0.5) / math.sqrt(2 * math.pi)  # 2.0 predicted, 3.0 measured, sigma 1
print(f"one density: {density:.4f}")
print("the product of 1,000 of them:", density**1000)
print(f"the sum of their logarithms: {1000 * math.log(density):.2f}")
print("100 away, the density has the factor exp(-5000) =", math.exp(-5000))

# %% [markdown]
# So take logarithms: products become sums. With a minus, larger is worse. The mean over all data is the **negative
# log-likelihood**, and every loss of this unit is one.
#
# ### Exercise `gaussian_nll` (2 points)
# The mean of -log p(y) over all elements. Take the logarithm of the formula **on paper**: the computer should never see
# exp(-5000).
#
# <details><summary>Hint 1: a sketch</summary>
#
# The logarithm of a product is a sum. The logarithm takes the exp away: what stood in its exponent remains.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# away = ...                     # the distance, in widths
# return (... + ...).mean()      # from the exponent; from what stands in front of exp
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# FloatingPointError: the logarithm of a density that had become 0. Off by 0.919: the square root of 2π is missing.
# </details>


# %% exercise="gaussian_nll"
def gaussian_nll(prediction, target, sigma):
    """The mean negative log-likelihood; arrays of equal shape, sigma is a float."""
    ### BEGIN SOLUTION
    away = (target - prediction) / sigma
    return (away**2 / 2 + np.log(sigma * np.sqrt(2 * np.pi))).mean()
    ### END SOLUTION


# %% probes="gaussian_nll"
# nll_of, as the check calls it
@probe
def nll_of(prediction, target, sigma):
    """gaussian_nll, where overflow and log(0) are errors."""
    return strict(gaussian_nll, prediction, target, sigma)


# %% check="gaussian_nll" points=2
with exercise("gaussian_nll") as check:
    root = math.log(math.sqrt(2 * math.pi))  # 0.918939
    because = "2 predicted, 5 measured: -log(1 / sqrt(2 pi)), and 9/2 from the exponent"
    check.close(nll_of(*arrays([2], [5]), 1.0), root + 4.5, because)
    check.close(nll_of(*arrays([2], [2]), 1.0), root, "at the peak: -log(1 / sqrt(2 pi))")
    because = "sigma = 2, 3 away: (3/2)**2 / 2 = 1.125, and a wider bell is lower: log(2)"
    check.close(nll_of(*arrays([2], [-1]), 2.0), root + 1.125 + math.log(2.0), because)
    mean = root + (0.5 + 2.0 + 4.5 + 0.0) / 4
    check.close(nll_of(*arrays([[1, 2], [3, 4]], [[2, 0], [6, 4]]), 1.0), mean, "4 numbers")
    check.untouched("prediction and target are as they were: make new arrays")
    check.close(nll_of(*arrays([0], [100]), 1.0), root + 5000, "no exp(-5000) on the way")
    ### BEGIN HIDDEN TESTS
    from autograder import array, positive

    for mu, y, sigma in check.cases(15, array(3, 2), array(3, 2), positive()):
        terms = [(a - b) ** 2 / (2 * sigma**2) for a, b in zip(mu.flat, y.flat)]
        expected = sum(terms) / 6 + math.log(2 * math.pi * sigma**2) / 2
        check.close(nll_of(mu, y, sigma), expected, "the mean of -log p(y)", rtol=1e-11, atol=1e-12)
        check.untouched()
        check.close(nll_of(mu[:, 0], y[:, 0], sigma * 1e-3),
                    sum(terms[::2]) * 1e6 / 3 + math.log(2 * math.pi * sigma**2 * 1e-6) / 2,
                    "a narrow bell, far away", rtol=1e-11, atol=1e-12)
    for (mu,) in check.cases(2, array(2, 3, 2, 2)):
        expected = math.log(2 * math.pi) / 2 + sum(x**2 for x in mu.flat) / 48
        check.close(nll_of(mu, 0 * mu, 1.0), expected, "the mean over all elements, whatever the shape")
    check.close(nll_of(np.full((2, 1), 1.5), np.full((2, 1), 1.5), 1e-6), root - math.log(1e6),
                "a perfect prediction, and very sure")
    # Exact in binary, as are the sums, but not the squares.
    far, near = 2.0**27 + np.array([0.0, 0.5, 1.25]), 2.0**27 + np.array([1.0, 0.25, 1.25])
    for sign in (1, -1):
        because = "large numbers, close together: subtract before you square"
        check.close(nll_of(sign * far, sign * near, 0.5), root - math.log(2) + 4.25 / 6, because)
    check.close(nll_of(np.array([1e8]), np.array([-1e8]), 1.0) / 2e16, 1.0, "a prediction may be as far off as it is")
    ### END HIDDEN TESTS

# %% [markdown]
# One prediction for three data, σ = 1. What to see: the bell at their mean, 2, is higher over them. Half the mean squared error (MSE)
# is the same parabola, lower by a constant.


# %% figure="likelihood"
def likelihood():
    data, predictions = np.array([0.5, 1.5, 4.0]), np.linspace(-1, 5, 121)
    nll = np.array([gaussian_nll(np.full(3, p), data, 1.0) for p in predictions])
    half = np.array([((data - p) ** 2).mean() / 2 for p in predictions])
    assert np.ptp(nll - half) < 1e-12 and predictions[nll.argmin()] == data.mean() == 2
    bells, losses = plots.panels(2, columns=2, height=3.2)
    for p, colour, line in ((0.5, "#D55E00", "--"), (2.0, "#0072B2", "-")):
        bells.plot(predictions, np.exp(-((predictions - p) ** 2) / 2) / np.sqrt(2 * np.pi), line, color=colour)
        heights = np.exp(-((data - p) ** 2) / 2) / np.sqrt(2 * np.pi)
        bells.vlines(data + (0.04 if p > 1 else -0.04), 0, heights, colour, linewidth=3, label=f"at {p:g}: product {np.prod(heights):.2g}")
        losses.plot(p, gaussian_nll(np.full(3, p), data, 1.0), "o", color=colour, markersize=9)
    bells.plot(data, 0 * data, "ko", clip_on=False, zorder=5)
    bells.set(title="Bells over three data", xlabel="y", ylabel="density", ylim=(0, 0.62))
    bells.legend(fontsize=8, loc="upper right")
    losses.plot(predictions, nll, "-", label="-log likelihood, per datum")
    losses.plot(predictions, half, ":", label="half the MSE")
    losses.set(title="Two losses, one minimum", xlabel="prediction", ylabel="loss")
    losses.legend(fontsize=8)


likelihood()

# %% [markdown]
# **Squared error is maximum likelihood with Gaussian scatter.** Another density gives another loss. For
# $e^{-|y-\mu|} / 2$ an outlier is less of a surprise; minus the logarithm of this density is $|y - \mu| + \log 2$, the
# **absolute error**.
#
# **Predict, then run.** Four measurements, 1, 2, 3, 4, and a slip of the pen: 90. Which prediction makes the mean squared
# error smallest, and which the mean absolute error?

# %%
prediction = {"squared": None, "absolute": None}

five, tried = np.array([1.0, 2, 3, 4, 90]), np.linspace(0, 90, 901)
away = five - tried[:, None]
if predicted(prediction, "best_with_an_outlier"):
    for name, losses in {"squared": away**2, "absolute": abs(away)}.items():
        print(f"{name} error: {tried[losses.mean(axis=1).argmin()]:.1f}")
    print("These are the mean and the median. One outlier drags the mean away.")

# %% [markdown]
# An absolute value has the slope 1 or -1, whatever the distance: a vote, even where as many data lie above as below. The slope of a
# square grows with the distance.


# %% figure="outlier"
def outlier():
    pair = {"squared": (away**2).mean(axis=1), "absolute": abs(away).mean(axis=1)}
    for ax, (name, loss) in zip(plots.panels(2, columns=2, height=2.6), pair.items()):
        ax.plot(tried, loss, color="#0072B2")
        ax.plot(tried[loss.argmin()], loss.min(), "*", markersize=14, color="#D55E00")
        ax.plot(five, np.full(5, ax.get_ylim()[0]), "k|", markersize=14, clip_on=False)
        ax.set(title=f"mean {name} error", xlabel="prediction")


outlier()

# %% [markdown]
# ### Exercise `mse_rule` (2 points)
# The rule of `out = ((prediction - target) ** 2).mean()`. The target counts as a constant: the result is a tuple of one. `g` is a
# single number. No rule changes its arguments.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The slope of a square; the share of one element in a mean; the chain rule.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# slope = ...                # of one square
# return (... / ...,)        # the chain rule; how many elements does the mean have?
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too large by a constant factor for arrays with two axes: `len` counts the rows only.
# </details>


# %% exercise="mse_rule"
def mse_rule(g, out, prediction, target):
    """The cotangent of prediction, in a tuple of one; arrays of equal shape."""
    ### BEGIN SOLUTION
    return (2 * g * (prediction - target) / prediction.size,)
    ### END SOLUTION


# %% check="mse_rule" points=2
with exercise("mse_rule") as check:
    p, y = arrays([3, 1, -4, 2], [1, 1, -1, 3])
    because = "raise the first by 0.001: its square rises by 0.004, the mean by a quarter"
    check.close(yours.mse_rule(1.0, 3.5, p, y), arrays([1, 0, -1.5, -0.5]), because)
    check.close(yours.mse_rule(-10.0, 3.5, p, y), arrays([-10, 0, 15, 5]), "times g")
    p, y = arrays([[3, 1, -4], [2, 0, 1]], [[0, 1, -1], [2, 3, 1]])
    because = "6 elements in the mean: the first gets 2 * 3 / 6"
    check.close(yours.mse_rule(1.0, 4.5, p, y), arrays([[1, 0, -1], [0, -1, 0]]), because)
    check.untouched("prediction and target are as they were: make new arrays")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograder import array, number

    for shape in [(1,), (1, 1), (3, 1), (2, 3, 2)] + [(4, 3)] * 12:
        g, p, y = next(check.cases(1, number(), array(*shape), array(*shape)))
        x = Reference(p, requires_grad=True)
        loss = ((x - y) ** 2).mean()
        loss.backward(np.array(g))
        found = yours.mse_rule(g, loss.item(), p, y)
        check.close(found, (x.grad.numpy(),), "2 g (p - y) / size", rtol=1e-12, atol=1e-13)
        check.untouched()
        check.close(yours.mse_rule(0.0, loss.item(), p, y), (0 * p,), "g may be 0, and so is what is sent back then")
        check.close(yours.mse_rule(g, 0.0, p, p), (0 * p,), "nothing is off: nothing to mend")
    for g, x in check.cases(2, number(), array(3, 2)):
        for size in (1e3, 1e6, 1e12):
            found = yours.mse_rule(g, 0.0, size * x, -size * x)
            check.close(found, (2 * g * size * x / 3,), "a prediction may be as far off as it is", rtol=1e-12)
        found = yours.mse_rule(g, 0.0, 2.0**40 + np.array([1.5, 0.25]), np.full(2, 2.0**40))
        check.close(found, (g * np.array([1.5, 0.25]),), "large numbers, close together", rtol=1e-12)
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, x in check.cases(3, number(), array(4, 3, low=0.2)):
        x *= 1e-305
        check.close(yours.mse_rule(g, 0.0, x, 0 * x), (g * x / 6,), "tiny numbers", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. From scores to probabilities
#
# A classifier gives a score per class, the **logits**: any numbers. **Softmax** makes probabilities of them:
#
# $$S_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# For the logits (0, log 2, log 5), exp gives 1, 2, 5, and S = (1/8, 2/8, 5/8).
#
# **Predict, then run.** Start from the logits (1, 2, 3). Which changes the probabilities: adding 100 to all logits, or
# multiplying all by 3?

# %%
prediction = {"plus 100": None, "times 3": None}  # True where the probabilities change


def softmax_on_paper(z):
    return np.exp(z) / np.exp(z).sum()


z = np.array([1.0, 2.0, 3.0])
if predicted(prediction, "shifted_logits"):
    for name, logits in {"(1, 2, 3)": z, "plus 100": z + 100, "times 3": z * 3}.items():
        print(f"{name:10}", softmax_on_paper(logits).round(6))

# %% [markdown]
# Only *differences* count, and larger ones make it surer (unit 16: *temperature*). That saves us, because the formula fails:

# %%
with np.errstate(all="ignore"):
    print("exp(710) =", np.exp(710.0), " exp(-746) =", np.exp(-746.0))
    print("plus 1000: ", softmax_on_paper(z + 1000), " infinity / infinity")
    print("minus 1000:", softmax_on_paper(z - 1000), " 0 / 0")

# %% [markdown]
# The cure: subtract the largest logit of the row first. Then the largest exponent is 0, the sum at least 1.
#
# ### Exercise `softmax` (2 points)
# Softmax along the last axis, safe for logits of any size, whole numbers too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Shift, exp, divide. Each row has a maximum and a sum of its own.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# shifted = logits - ...     # the largest of each row, as a column
# e = ...
# return ... / ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# "operands could not be broadcast": `keepdims=True` is missing. "invalid value": with one maximum for the whole array,
# a distant row is 0 / 0.
# </details>


# %% exercise="softmax"
def softmax(logits):
    """Probabilities of the shape of logits (..., classes); each row adds up to 1."""
    ### BEGIN SOLUTION
    shifted = logits - logits.max(axis=-1, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% probes="softmax"
# softmax_of and logits_after_softmax, as the check calls them
@probe
def softmax_of(logits):
    """softmax, where overflow and 0 / 0 are errors."""
    return strict(softmax, logits)


@probe
def logits_after_softmax(logits):
    """The logits, as they are after a call of softmax."""
    softmax(logits)
    return logits


# %% check="softmax" points=2
with exercise("softmax") as check:
    eighths = np.array([[1.0, 2, 5], [6, 1, 1]]) / 8
    check.close(softmax_of(np.log([1, 2, 5])), eighths[0], "exp gives 1, 2, 5: sum 8")
    check.close(softmax_of(np.log(8 * eighths)), eighths, "each row has a sum of its own")
    check.close(logits_after_softmax(eighths), eighths, "logits stay as they were")
    cube = np.stack([eighths, eighths[::-1]])
    check.close(softmax_of(np.log(cube)), cube, "three axes: classes along the last one")
    for shift in (500.0, 10_000.0):
        rows = np.array([[shift], [-shift]])
        check.close(softmax_of(np.log(eighths) + rows), eighths, "a shift changes nothing")
    check.close(softmax_of(1e4 * np.eye(2)), np.eye(2), "0 against 10,000: all on one")
    check.close(softmax_of(np.array([7, 8])), np.exp([0, 1]) / (1 + math.e), "integers")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import ops
    from autograder import array, number

    # One class, a batch of one, equal logits, a row spread wide, many axes.
    wide = np.array([[0.0, 1e4, -1e4], [-1e4, 5.0, 5.0], [1e4, 0.0, 0.0]])
    for z in (wide[:, :1], wide[:1], wide[1], wide[:, ::-1], 0 * wide, wide - 1e5, wide[None, :, None]):
        check.close(softmax_of(z), ops.softmax(z, -1), "the reference")
        check.untouched()
    kinds = array(4, 3), array(5), array(2, 3, 4), number(-1e4, 1e4)
    for z, row, cube, c in check.cases(15, *kinds):
        check.close(softmax_of(z), ops.softmax(z, -1), "the reference")
        check.close(softmax_of(row), ops.softmax(row, -1), "one row")
        check.close(softmax_of(cube), ops.softmax(cube, -1), "along the last of three axes")
        z[1] += c
        z[2] -= c
        check.close(softmax_of(z), ops.softmax(z, -1), "rows far apart", rtol=1e-6)
        check.untouched()
    for (z,) in check.cases(2, array(2, 70)):
        check.close(softmax_of(z), ops.softmax(z, -1), "70 classes")
    # Numbers that float64 can take to exp, and float32 cannot.
    for row in ([100.0, 101.5, 99.25], [-200.0, -201.0, -200.5], [300.0, -300.0, 299.0]):
        small = np.array([row, row[::-1]], dtype="float32")
        check.close(softmax_of(small), ops.softmax(small.astype(float), -1), "logits in float32", rtol=1e-4, atol=1e-6)
    whole = np.array([[1, 2, 0], [-3, 5, 5]])
    check.close(softmax_of(whole), ops.softmax(whole.astype(float), -1), "logits may be whole numbers")

    @probe
    def softmax_of_turned(logits):
        """softmax of logits that lie in memory column by column, as after a transposition."""
        return softmax(np.asfortranarray(logits))

    deep = np.stack([wide, wide[::-1]])
    check.close(softmax_of_turned(deep), ops.softmax(deep, -1), "however the logits lie in memory")
    z, because = np.array([[-40.0, 0, -700], [1000, 300, 960]]), "an improbable class has its own small probability"
    check.close(softmax_of(z), np.exp([[-40.0, 0, -700], [0, -700, -40]]), because, rtol=1e-9, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# A likelihood needs logarithms. That of the denominator, $\log \sum_j e^{z_j}$, is a *soft maximum*. With m the largest
# logit it is $m + \log \sum_j e^{z_j - m}$.
#
# ### Exercise `logsumexp` (2 points)
# Along the last axis, which disappears: (4, 3) becomes (4,), (1, 3) becomes (1,). Safe for logits of any size, whole
# ones too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Subtract the maximum of each row, and add it after the logarithm.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# m = ...                # of each row; keep the axis for the subtraction
# total = ...            # the sum of the formula, a number per row
# return ... + ...       # m without its last axis: m[..., 0]
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A square array for two rows: shape (2, 1) met shape (2,). Too small by the largest logit: the shift was not undone.
# </details>


# %% exercise="logsumexp"
def logsumexp(logits):
    """The log of the sum of exp over the last axis: (..., classes) -> (...)."""
    ### BEGIN SOLUTION
    m = logits.max(axis=-1, keepdims=True)
    return m[..., 0] + np.log(np.exp(logits - m).sum(axis=-1))
    ### END SOLUTION


# %% probes="logsumexp"
# logsumexp_of and logits_after_logsumexp, as the check calls them
@probe
def logsumexp_of(logits):
    """logsumexp, where overflow and log(0) are errors."""
    return strict(logsumexp, logits)


@probe
def logits_after_logsumexp(logits):
    """The logits, as they are after a call of logsumexp."""
    logsumexp(logits)
    return logits


# %% check="logsumexp" points=2
with exercise("logsumexp") as check:
    z = np.log([[1.0, 2.0, 5.0], [10.0, 20.0, 30.0]])
    check.close(logsumexp_of(z), np.log([8.0, 60.0]), "log(1 + 2 + 5), log(10 + 20 + 30)")
    check.close(logsumexp_of(z[0]), math.log(8), "one row: a single number")
    check.close(logsumexp_of(z[:1]), np.log([8]), "a batch of one row: (1, 3) to (1,)")
    check.close(logits_after_logsumexp(z), z, "logits stay as they were: make a new array")
    for shift in (500.0, 10_000.0):
        because = "add a number to all logits of a row, and the result rises by as much"
        rows = np.array([shift, -shift])
        check.close(logsumexp_of(z + rows[:, None]), np.log([8, 60]) + rows, because)
    check.close(logsumexp_of(np.zeros((2, 1, 4), int)), np.log([[4], [4]]), "integers")
    check.close(logsumexp_of(np.array([0, 1e4])), 1e4, "the 0 hardly counts")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import ops
    from autograder import array, number

    # One class, a batch of one, equal logits, a row spread wide, many axes.
    wide = np.array([[0.0, 1e4, -1e4], [-1e4, 5.0, 5.0], [1e4, 0.0, 0.0]])
    for z in (wide[:, :1], wide[:1], wide[1], wide[:, ::-1], 0 * wide, wide - 1e5, wide[None, :, None]):
        check.close(logsumexp_of(z), ops.logsumexp(z, -1), "the reference")
        check.untouched()
    kinds = array(4, 3), array(5), array(2, 3, 4), number(-1e4, 1e4)
    for z, row, cube, c in check.cases(15, *kinds):
        check.close(logsumexp_of(z), ops.logsumexp(z, -1), "the reference")
        check.close(logsumexp_of(row), ops.logsumexp(row, -1), "one row")
        check.close(logsumexp_of(cube), ops.logsumexp(cube, -1), "the last of three axes")
        z[1] += c
        z[2] -= c
        check.close(logsumexp_of(z), ops.logsumexp(z, -1), "rows far apart")
        check.untouched()
    for (z,) in check.cases(2, array(2, 70)):
        check.close(logsumexp_of(z), ops.logsumexp(z, -1), "70 classes")
    # Numbers that float64 can take to exp, and float32 cannot.
    for row in ([100.0, 101.5, 99.25], [-200.0, -201.0, -200.5], [300.0, -300.0, 299.0]):
        small = np.array([row, row[::-1]], dtype="float32")
        check.close(logsumexp_of(small), ops.logsumexp(small.astype(float), -1), "logits in float32", rtol=1e-4, atol=1e-6)
    whole = np.array([[1, 2, 0], [-3, 5, 5]])
    check.close(logsumexp_of(whole), ops.logsumexp(whole.astype(float), -1), "logits may be whole numbers")
    ### END HIDDEN TESTS

# %% [markdown]
# The logits (x, x + 1) in float32; infinity and NaN count as an error of 1. Without the shift, the right end is lost to overflow,
# the left one to log(0). Yours stays.


# %% figure="naive"
def naive():
    x = np.linspace(-150, 150, 301, dtype="float32")
    z = np.stack([x, x + 1], axis=1)
    exact = x.astype(float) + math.log(1 + math.e)
    with np.errstate(all="ignore"):
        found = {"log(sum(exp(z)))": np.log(np.exp(z).sum(axis=-1)), "yours": logsumexp(z)}
    curves = {}
    for name, values in found.items():
        error = np.abs(values - exact) / np.abs(exact)
        curves[name] = x, np.clip(np.where(np.isfinite(error), error, 1), 1e-9, 1)
    assert curves["yours"][1].max() < 1e-6
    title = "logsumexp in float32 (both jump where the right result is 0)"
    plots.lines(curves, xlabel="x", ylabel="relative error", log="y", title=title)


naive()

# %% [markdown]
# ## 3. The Jacobian of softmax
#
# Raise one logit: its own probability rises, the others fall, because the sum stays 1. So there is a slope for each
# pair, $\partial S_i / \partial z_j$: a matrix, the **Jacobian**. The quotient rule gives
#
# $$J_{ij} = S_i\,(\delta_{ij} - S_j)$$
#
# where $\delta_{ij}$ is 1 for i = j and 0 elsewhere. For S = (1/8, 2/8, 5/8), the slope of $S_0$ by its own logit is
# 1/8 · 7/8, by the next -1/8 · 2/8.
#
# ### Exercise `softmax_jacobian` (2 points)
# The Jacobian for one row of probabilities.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Multiply out: a matrix with S on its diagonal, minus all products of two entries of S.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# own = ...              # np.diag(v) has v on its diagonal
# pairs = ...            # np.outer(a, b) holds all products a[i] * b[j]
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `S * S` has three numbers, not nine: it is subtracted from every row. A diagonal matrix: the other classes move too.
# </details>


# %% exercise="softmax_jacobian"
def softmax_jacobian(S):
    """J[i, j], the slope of S[i] by logit j, for probabilities S of shape (classes,)."""
    ### BEGIN SOLUTION
    return np.diag(S) - np.outer(S, S)
    ### END SOLUTION


# %% probes="softmax_jacobian"
# jacobian_of, as the check calls it
@probe
def jacobian_of(S):
    """What softmax_jacobian gives; of a list of rows, an array."""
    J = softmax_jacobian(S)
    return np.array(J) if isinstance(J, (list, tuple)) else J


# %% check="softmax_jacobian" points=2
with exercise("softmax_jacobian") as check:
    J = jacobian_of(np.array([1.0, 2.0, 5.0]) / 8)
    check.close(J.shape, (3, 3), "a slope for each pair of probability and logit")
    because = "S[i] * (1 - S[i]): a logit raises its own probability"
    check.close(J.diagonal(), np.array([7.0, 12, 15]) / 64, because)
    check.close(J[0], np.array([7.0, -2, -5]) / 64, "and lowers the others: -S[0] * S[j]")
    check.close(J.sum(axis=0), np.zeros(3), "the sum of S stays 1, whatever a logit does")
    check.close(J, J.T, "J[i, j] is J[j, i]: -S[i] * S[j]")
    two = jacobian_of(np.array([0.25, 0.75]))
    check.close(two, np.array([[3.0, -3], [-3, 3]]) / 16, "two classes: 3/16 = 1/4 * 3/4")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    # One class, two, equal ones, a sure one; then any.
    edges = [[1.0], [0.25, 0.75], [0.2] * 5, [1.0, 0.0, 0.0]]
    for weights in edges + [weights for (weights,) in check.cases(15, numbers(4, 0.2, 3.0))]:
        S, places = np.array(weights) / sum(weights), range(len(weights))
        expected = [[S[i] * ((i == j) - S[j]) for j in places] for i in places]
        check.close(jacobian_of(S), np.array(expected), "S[i] * (delta - S[j])", rtol=1e-12, atol=1e-14)
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# Three of yours, in hundredths; rows add up to 0. On the right softmax is sure of itself, or **saturated**: hardly any gradient passes.


# %% figure="jacobian"
def jacobian():
    rows = {
        "S = (1/3, 1/3, 1/3)": [1 / 3, 1 / 3, 1 / 3],
        "S = (1/8, 2/8, 5/8)": [1 / 8, 2 / 8, 5 / 8],
        "S = (0.01, 0.04, 0.95)": [0.01, 0.04, 0.95],
    }
    found = {name: softmax_jacobian(np.array(S)) for name, S in rows.items()}
    pictures = {name: np.round(100 * np.array(J)) for name, J in found.items()}
    assert np.abs(pictures["S = (0.01, 0.04, 0.95)"]).max() == 5
    for ax in plots.matrices(pictures):
        ax.set(xlabel="logit j", ylabel="probability i")


jacobian()

# %% [markdown]
# ### Exercise `softmax_rule` (3 points)
# With 50,000 classes the matrix has 2.5 billion entries. Make the vector-Jacobian product, the VJP,
# **on paper**: logit j gets the sum over i of $g_i J_{ij}$. For S = (1/8, 2/8, 5/8), logit 0 gets
# $(7 g_0 - 2 g_1 - 5 g_2) / 64$. One sum per row remains. Then do all rows at once.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The part with δ leaves $g_j S_j$. In the other, $S_j$ does not depend on i: take it out of the sum.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# average = ...          # of g, with the probabilities as weights: one per row, as a column
# return (... * ...,)    # what both parts have in common, times a bracket
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Right for one row, wrong for two: one sum for the whole array.
# </details>


# %% exercise="softmax_rule"
def softmax_rule(g, out, logits):
    """The cotangent of logits, in a tuple of one, for out = softmax(logits).

    All arrays have the shape (..., classes).
    """
    ### BEGIN SOLUTION
    average = (g * out).sum(axis=-1, keepdims=True)
    return (out * (g - average),)
    ### END SOLUTION


# %% check="softmax_rule" points=3
with exercise("softmax_rule") as check:
    S, g = np.array([[1.0, 2, 5], [6, 1, 1]]) / 8, np.array([[10.0, -2, 4], [1, 1, 9]])
    because = "g, weighted by S, has the average 3.25: 1/8 * (10 - 3.25), and so on"
    found = np.array([0.84375, -1.3125, 0.46875])
    z = np.log(S) + 3  # logits with these probabilities
    check.close(yours.softmax_rule(g[0], S[0], z[0]), (found,), because)
    because = "the second row has the average 2: 6/8 * (1 - 2), 1/8 * (1 - 2), and so on"
    expected = np.stack([found, [-0.75, -0.125, 0.875]])
    check.close(yours.softmax_rule(g, S, z), (expected,), because)
    check.untouched()
    gs, out, both = np.stack([g, -g]), np.stack([S, S]), np.stack([expected, -expected])
    check.close(yours.softmax_rule(gs, out, np.log(out) + 3), (both,), "three axes: g, -g")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import ops
    from autograder import array

    kinds = array(4, 3), array(4, 3), array(2, 3, 5), array(2, 3, 5)
    for g, z, g3, z3 in check.cases(12, *kinds):
        pairs = (g, z), (g[0], z[0]), (g3, z3), (g[:1], z[:1]), (g[:, :1], z[:, :1]), (g, 0 * z)
        for cotangent, logits in (*pairs, (g3[:, None], z3[:, None])):
            x = Reference(logits, requires_grad=True)
            out = ops.softmax(x, -1)
            out.backward(cotangent)
            found = yours.softmax_rule(cotangent, out.detach().numpy(), logits)
            check.close(found, (x.grad.numpy(),), "out * (g - average)", rtol=1e-10, atol=1e-12)
            check.untouched()
            found = yours.softmax_rule(cotangent, out.detach().numpy(), logits + 1000.0)
            check.close(found, (x.grad.numpy(),), "large logits, with the same softmax", rtol=1e-10, atol=1e-12)
            found = yours.softmax_rule(0 * cotangent, out.detach().numpy(), logits)
            check.close(found, (0 * logits,), "g may be 0, and so is what is sent back then")
    # Rows of g that add up to 0, or whose average is 0.
    S, g = np.array([[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0.25, 0.25, 0.5]]), arrays([1, -1, 0], [2, 4, -3], [0, 0, 0])
    rows = np.array([[1.0, -1, 0], [2, 4, -6], [0, 0, 0]]) / 4
    check.close(yours.softmax_rule(np.stack(g), S, np.log(S)), (rows,), "rows of g that add up to 0, or average to 0")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, h, z in check.cases(3, array(4, low=1.0), array(4, low=-3.0, high=-1.0), array(4)):
        logits = np.stack([0 * z, z - 690.0], axis=1)
        out = np.exp(logits)  # the others are so small that the first one is 1
        found = yours.softmax_rule(np.stack([g, h], axis=1), out, logits)[0]
        check.close(found[:, 1], out[:, 1] * (h - g), "tiny probabilities", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% given="array_error"
# Unit 05's test: the distance from numerical derivatives.
def array_error(forward, rule, x, *constants):
    """How far `rule` is from the numerical derivative of `forward` by x, to four digits."""
    out = np.asarray(forward(x, *constants))
    g = np.linspace(-1, 2, out.size).reshape(out.shape) if out.ndim else 1.7
    (found,) = rule(g, out, x, *constants)
    errors = []
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += 1e-5
        down[place] -= 1e-5
        slope = (g * (forward(up, *constants) - forward(down, *constants))).sum() / 2e-5
        errors.append(abs(found[place] - slope))
    return round(float(np.max(errors)), 4)


# %%
Z = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
# Unit 15 needs it for attention.
print("softmax_rule is off by", array_error(softmax, softmax_rule, Z))


def diagonal_only(g, out, logits):
    return (g * out * (1 - out),)


print("the diagonal of J alone is off by", array_error(softmax, diagonal_only, Z))

# %% [markdown]
# ## 4. The logarithm of a probability
#
# A likelihood needs log S. Two ways that look right, in float32:

# %%
z = np.array([0.0, 200.0], dtype="float32")
with np.errstate(all="ignore"):
    print("log of S, for logits 0 and 200:", np.log(softmax_on_paper(z - 200)))

big = np.float32(10_000)
total = big + np.log(np.float32(2))  # logsumexp of the logits (10000, 10000)
print(f"log of 1/2: {math.log(0.5):.6f}")
print(f"logit minus logsumexp: {big - total:.6f}")

# %% [markdown]
# The first should be (-200, 0); but S is 0, and the log of 0 is infinite. The second is wrong from its fourth digit on:
# float32 holds about seven, and 10000.69 spends five before the point. A difference of two large, nearly equal numbers
# consists of their last digits: **cancellation**. So shift first.
#
# ### Exercise `log_softmax` (2 points)
# The shifted logits, minus their `logsumexp`, row by row; whole logits, too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# After the shift, use the original logits no more. Take no logarithm of a single probability.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# shifted = ...             # as in softmax
# return ... - ...          # your logsumexp of shifted; [..., None] gives its axis back
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# "divide by zero encountered in log": a log of a probability, or one maximum for all rows. -0.693359 for -0.693147: a
# logsumexp of logits that are not shifted.
# </details>


# %% exercise="log_softmax"
def log_softmax(logits):
    """The log of softmax along the last axis, of the shape of logits."""
    ### BEGIN SOLUTION
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    ### END SOLUTION


# %% probes="log_softmax"
# log_softmax_of and logits_after_log_softmax, as the check calls them
@probe
def log_softmax_of(logits):
    """log_softmax, where overflow and log(0) are errors."""
    return strict(log_softmax, logits)


@probe
def logits_after_log_softmax(logits):
    """The logits, as they are after a call of log_softmax."""
    log_softmax(logits)
    return logits


# %% check="log_softmax" points=2
with exercise("log_softmax") as check:
    eighths = np.array([[1.0, 2, 5], [6, 1, 1]]) / 8
    check.close(log_softmax_of(np.log(8 * eighths)), np.log(eighths), "log S, row by row")
    check.close(logits_after_log_softmax(eighths), eighths, "logits stay as they were")
    far = np.log(8 * eighths) + np.array([[500.0], [-500.0]])
    check.close(log_softmax_of(far), np.log(eighths), "a shift of a row changes nothing")
    twins, half = np.array([[1e4] * 2, [0] * 2], "float32"), np.full((2, 2), math.log(0.5))
    check.close(log_softmax_of(twins), half, "six digits of log(1/2) in float32", rtol=1e-6)
    sure = 1e4 * np.eye(2)
    check.close(log_softmax_of(sure), sure - 1e4, "finite, though two probabilities are 0")
    cube = np.log([eighths, eighths[::-1]])
    check.close(log_softmax_of(cube + 3), cube, "three axes: classes along the last one")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import ops
    from autograder import array, number

    check.close(log_softmax_of(np.array([[0, 0], [-7, -7]])), half, "whole numbers have logarithms that are none")
    # One class, a batch of one, equal logits, a row spread wide, many axes.
    wide = np.array([[0.0, 1e4, -1e4], [-1e4, 5.0, 5.0], [1e4, 0.0, 0.0]])
    for z in (wide[:, :1], wide[:1], wide[1], wide[:, ::-1], 0 * wide, wide - 1e5, wide[None, :, None]):
        check.close(log_softmax_of(z), ops.log_softmax(z, -1), "the reference")
        check.untouched()
    kinds = array(4, 3), array(5), array(2, 3, 4), number(-1e4, 1e4)
    for z, row, cube, c in check.cases(15, *kinds):
        check.close(log_softmax_of(z), ops.log_softmax(z, -1), "the reference")
        check.close(log_softmax_of(row), ops.log_softmax(row, -1), "one row")
        check.close(log_softmax_of(cube), ops.log_softmax(cube, -1), "three axes")
        z[1] += c
        z[2] *= 3000
        check.close(log_softmax_of(z), ops.log_softmax(z, -1), "rows far apart", rtol=1e-6)
        check.untouched()
    # Large ones; one that is far below the others, far above them.
    for row in ([9_000.0, 9_001.5, 8_999.25], [-1e8, 1.0, 2.5], [1e8, 1.0, 2.5]):
        small = np.array([row], dtype="float32")
        check.close(log_softmax_of(small), ops.log_softmax(small.astype(float), -1),
                    "large logits in float32", rtol=1e-5)
    for far in (1e12, -1e12):
        twins = np.full((2, 2), far)
        because = "equal logits, so large that few digits follow the point: one maximum is taken off first"
        check.close(log_softmax_of(twins), 0 * twins - math.log(2), because)
    for (z,) in check.cases(2, array(2, 70)):
        check.close(log_softmax_of(z), ops.log_softmax(z, -1), "70 classes")
    # Numbers that float64 can take to exp, and float32 cannot.
    for row in ([100.0, 101.5, 99.25], [-200.0, -201.0, -200.5], [300.0, -300.0, 299.0]):
        small = np.array([row, row[::-1]], dtype="float32")
        expected = ops.log_softmax(small.astype(float), -1)
        check.close(log_softmax_of(small), expected, "logits in float32", rtol=1e-4, atol=1e-6)
    whole = np.array([[1, 2, 0], [-3, 5, 5]])
    check.close(log_softmax_of(whole), ops.log_softmax(whole.astype(float), -1), "logits may be whole numbers")

    @probe
    def log_softmax_of_turned(logits):
        """log_softmax of logits that lie in memory column by column, as after a transposition."""
        return log_softmax(np.asfortranarray(logits))

    deep = np.stack([wide, wide[::-1]])
    check.close(log_softmax_of_turned(deep), ops.log_softmax(deep, -1), "however the logits lie in memory")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `log_softmax_rule` (2 points)
# The slope of $\log S_i$ by logit j is $\delta_{ij} - S_j$: the Jacobian of softmax, divided by $S_i$. Multiply `g` by
# it as before. `out` holds log S.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Logit j gets the sum over i of $g_i (\delta_{ij} - S_j)$.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# S = ...
# return (... - ...,)         # the part with δ; the other one has a plain sum of g, per row
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `out` used as if it were the probabilities: it is never positive. Division by S: it may be 0.
# </details>


# %% exercise="log_softmax_rule"
def log_softmax_rule(g, out, logits):
    """The cotangent of logits, in a tuple of one, for out = log_softmax(logits).

    All arrays have the shape (..., classes).
    """
    ### BEGIN SOLUTION
    return (g - np.exp(out) * g.sum(axis=-1, keepdims=True),)
    ### END SOLUTION


# %% probes="log_softmax_rule"
# log_softmax_back, as the check calls it; and what it calls it with
SURE = arrays([2, 1], [-1e4, 0], [0, 1e4])  # g, log S and the logits, where S is (0, 1)


@probe
def log_softmax_back(g, out, logits):
    """log_softmax_rule, where overflow and 0 / 0 are errors."""
    return strict(log_softmax_rule, g, out, logits)


# %% check="log_softmax_rule" points=2
with exercise("log_softmax_rule") as check:
    logp = np.log(np.array([[1.0, 2, 5], [6, 1, 1]]) / 8)
    g = np.array([[10.0, -2, 4], [1, 1, -6]])
    because = "the first row of g adds up to 12: 10 - 1/8 * 12, -2 - 2/8 * 12, 4 - 5/8 * 12"
    expected = np.array([[8.5, -5.0, -3.5], [4.0, 1.5, -5.5]])
    check.close(yours.log_softmax_rule(g[0], logp[0], logp[0] + 3), (expected[0],), because)
    because = "the second row of g adds up to -4: 1 + 6/8 * 4, 1 + 1/8 * 4, -6 + 1/8 * 4"
    check.close(yours.log_softmax_rule(g, logp, logp + 3), (expected,), because)
    check.untouched()
    gs, out, both = np.stack([g, -g]), np.stack([logp] * 2), np.stack([expected, -expected])
    check.close(yours.log_softmax_rule(gs, out, out + 3), (both,), "three axes: g and -g")
    check.close(log_softmax_back(*SURE), arrays([2, -2]), "S = (0, 1): 2 - 0 * 3, 1 - 3")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import ops
    from autograder import array

    kinds = array(4, 3), array(4, 3), array(2, 3, 5), array(2, 3, 5)
    for g, z, g3, z3 in check.cases(12, *kinds):
        for cotangent, logits in ((g, z), (g[0], z[0]), (g3, z3), (g3[:, None], z3[:, None])):
            x = Reference(logits, requires_grad=True)
            out = ops.log_softmax(x, -1)
            out.backward(cotangent)
            found = yours.log_softmax_rule(cotangent, out.detach().numpy(), logits)
            check.close(found, (x.grad.numpy(),), "g - S times the sum of g", rtol=1e-10, atol=1e-12)
            check.untouched("g, out and logits are as they were: make new arrays")
            found = yours.log_softmax_rule(0 * cotangent, out.detach().numpy(), logits)
            check.close(found, (0 * logits,), "g may be 0, and so is what is sent back then")
    S = np.array([[0.25, 0.25, 0.5]] * 4)
    g = np.array([[1.0, -1, 0], [0, 3, -3], [0, 0, 0], [4, 0, 0]])
    expected = np.vstack([g[:3], [[3, -1, -2]]])  # the last row alone adds up to something
    check.close(yours.log_softmax_rule(g, np.log(S), np.log(S)), (expected,), "rows of g that add up to 0: g remains")
    # Large logits, far apart, one class, a batch of one.
    wide = np.array([[0.0, 1e4, -1e4], [-1e4, 5.0, 5.0], [1e4, 0.0, 0.0]])
    for (g,) in check.cases(3, array(3, 3)):
        for z, c in ((wide, g), (wide[:1], g[:1]), (wide[:, :1], g[:, :1]), (0 * wide, g)):
            out = ops.log_softmax(z, -1)
            expected = c - np.exp(out) * c.sum(axis=-1, keepdims=True)
            check.close(log_softmax_back(c, out, z), (expected,), "logits of any size")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, z in check.cases(3, array(4), array(4)):
        logits = np.stack([0 * z, z - 690.0], axis=1)  # and so is their log-softmax
        found = yours.log_softmax_rule(np.stack([g, 0 * g], axis=1), logits, logits)[0]
        check.close(found[:, 1], -np.exp(z - 690.0) * g, "tiny probabilities", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 5. Cross-entropy
#
# If the class of an example is drawn with the probabilities S, the likelihood of label y is $S_y$. Maximum likelihood
# asks for the smallest mean of $-\log S_y$. This is **cross-entropy**.
#
# ### Exercise `nll_loss` (1 point)
# The mean over the rows of minus the log-probability of the right class.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Index with two arrays, rows and columns: NumPy pairs them.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# rows = np.arange(...)
# return ... logp[rows, ...] ...       # one number per row; then the mean, and the sign
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `logp[:, labels]` takes those columns from *every* row: (N, N), a wrong number, and no error message.
# </details>


# %% exercise="nll_loss"
def nll_loss(logp, labels):
    """The mean of -logp[n, labels[n]]; logp has shape (N, classes), labels (N,) of ints."""
    ### BEGIN SOLUTION
    return -logp[np.arange(len(labels)), labels].mean()
    ### END SOLUTION


# %% check="nll_loss" points=1
with exercise("nll_loss") as check:
    logp = np.log(np.array([[1.0, 2, 5], [5, 2, 1]]) / 8)
    check.close(yours.nll_loss(logp[:1], np.array([2])), -math.log(5 / 8), "5/8 at class 2")
    because = "rows with 5/8 and 2/8 at the right class: the mean of 0.47 and 1.386"
    mean = -(math.log(5 / 8) + math.log(2 / 8)) / 2
    check.close(yours.nll_loss(logp, np.array([2, 1])), mean, because)
    sure = np.array([[-1e4, 0.0]])
    check.close(yours.nll_loss(sure, np.array([0])), 1e4, "two classes: sure, and wrong")
    two, because = np.log([[0.25, 0.75], [0.5, 0.5]]), "1/4 and 1/2, at class 0 both times"
    check.close(yours.nll_loss(two, np.array([0, 0])), math.log(8) / 2, because)
    ### BEGIN HIDDEN TESTS
    from autograd_ref import functional as F
    from autograd_ref import ops
    from autograder import array

    for (z,) in check.cases(15, array(5, 3, low=-9.0, high=9.0)):
        labels = np.array([check.rng.randrange(3) for _ in range(5)])
        expected = float(F.cross_entropy(z, labels))
        logp = ops.log_softmax(z, -1)
        check.close(yours.nll_loss(logp, labels), expected, "the reference", rtol=1e-11, atol=1e-12)
        check.untouched()
        check.close(yours.nll_loss(logp[:1], labels[:1]), -logp[0, labels[0]], "a batch of one", rtol=1e-12)
        same = np.full(5, labels[0])
        mean = -logp[:, labels[0]].sum() / 5
        check.close(yours.nll_loss(logp, same), mean, "one class for all", rtol=1e-11, atol=1e-12)
        rows = np.array([0, 0, 1])
        mean = -logp[rows, labels[rows]].sum() / 3
        check.close(yours.nll_loss(logp[rows], labels[rows]), mean, "equal rows count each", rtol=1e-11, atol=1e-12)
    check.close(yours.nll_loss(np.zeros((3, 1)), np.zeros(3, dtype=int)), 0.0, "a single class")
    lost = yours.nll_loss(np.array([[np.nan, -1.0], [-2.0, -0.5]]), np.array([0, 1]))
    check.close(lost, np.nan, "NaN in a row: the mean is none, and nothing hides that")
    check.close(yours.nll_loss(np.array([[-1e12, 0.0]]), np.array([0])), 1e12, "a loss may be large")
    for classes in (2, 4, 10, 100):
        (z,) = next(check.cases(1, array(3, classes, low=-9.0, high=-1.0)))
        labels = np.array([classes - 1, 0, check.rng.randrange(classes)])
        mean = -(z[0, -1] + z[1, 0] + z[2, labels[2]]) / 3
        check.close(yours.nll_loss(z, labels), mean, f"{classes} classes", rtol=1e-11, atol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# Both together are cross-entropy from logits. **Predict, then run.** A new network knows nothing: its logits are equal
# for all 10 classes. What is the loss?


# %%
def cross_entropy(logits, labels):
    return nll_loss(log_softmax(logits), labels)


prediction = None

if predicted(prediction, "loss_of_ten_classes"):
    loss = cross_entropy(np.zeros((4, 10)), np.array([3, 1, 4, 1]))
    print(f"each class has the probability 0.1, and the loss is -log(0.1) = {loss:.4f}")
    print("If your first loss is far from it, look for an error before you train.")
extreme = np.array([[1e4, 0.0], [0.0, 1e4]])
print("logits of 10,000:", cross_entropy(extreme, np.array([0, 0])))

# %% [markdown]
# ### Exercise `cross_entropy_rule` (3 points)
# From the loss to the logits in one go. By hand first: what does `nll_loss` send back to `logp`? Put that as `g` into
# your formula of `log_softmax_rule`. Almost everything falls away.
#
# An exception: this rule does not get the logits, but `logp`, which the forward pass keeps.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `nll_loss` sends back -1/N at the right class of each row, and 0 elsewhere. What does such a row add up to?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# grad = ...                 # the probabilities
# ...                        # what is different at the right class of each row?
# return (... / ...,)        # g, and the number of rows
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Rows that do not add up to 0: the truth was not subtracted, or in wrong places (`[:, labels]`).
# </details>


# %% exercise="cross_entropy_rule"
def cross_entropy_rule(g, out, logp, labels):
    """The cotangent of the logits, in a tuple of one; logp = log_softmax(logits).

    logp has the shape (N, classes), labels (N,); g and out are single numbers.
    """
    ### BEGIN SOLUTION
    grad = np.exp(logp)
    grad[np.arange(len(labels)), labels] -= 1
    return (g * grad / len(labels),)
    ### END SOLUTION


# %% probes="cross_entropy_rule"
# logp_after, as the check calls it
@probe
def logp_after(g, logp, labels):
    """The log-probabilities, as they are after a call of cross_entropy_rule."""
    cross_entropy_rule(g, 0.5, logp, labels)
    return logp


# %% check="cross_entropy_rule" points=3
with exercise("cross_entropy_rule") as check:
    logp, y = np.log(np.array([[1.0, 2, 5], [5, 2, 1]]) / 8), np.array([2, 1])
    because = "first row: 1/8, 2/8, 5/8, the last should be 1; each row is half the mean"
    rows = np.array([[1.0, 2, -3], [5, -6, 1]]) / 8
    check.close(yours.cross_entropy_rule(1.0, 0.93, logp, y), (rows / 2,), because)
    one = yours.cross_entropy_rule(1.0, 0.47, logp[:1], y[:1])
    check.close(one, (rows[:1],), "one row: all of the mean")
    check.close(yours.cross_entropy_rule(-4.0, 0.93, logp, y), (rows * -2,), "times g")
    check.close(logp_after(1.0, logp, y), logp, "logp stays as it was: make a new array")
    two = yours.cross_entropy_rule(1.0, 1.39, np.log([[0.25, 0.75]]), np.array([0]))
    check.close(two, arrays([[-0.75, 0.75]]), "two classes: 1/4 for 1, 3/4 for 0")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import functional as F
    from autograd_ref import ops
    from autograder import array, number

    some = array(5, 3, low=-6.0, high=6.0), array(4, 6, low=-6.0, high=6.0), array(3, 2), array(3, 3), array(1, 4)
    some = *some, array(2, 100, low=-6.0, high=6.0)
    for g, z in [case for kind in some for case in check.cases(6, number(), kind)]:
        labels = np.array([check.rng.randrange(z.shape[1]) for _ in z])
        x = Reference(z, requires_grad=True)
        loss = F.cross_entropy(x, labels)
        loss.backward(np.array(g))
        found = yours.cross_entropy_rule(g, loss.item(), ops.log_softmax(z, -1), labels)
        check.close(found, (x.grad.numpy(),), "the reference", rtol=1e-10, atol=1e-12)
        check.untouched()
        found = yours.cross_entropy_rule(0.0, loss.item(), ops.log_softmax(z, -1), labels)
        check.close(found, (0 * z,), "g may be 0, and so is what is sent back then")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, z in check.cases(3, number(), array(4)):
        logp = np.stack([0 * z, z - 690.0], axis=1)
        found = yours.cross_entropy_rule(g, 0.0, logp, np.zeros(4, dtype=int))[0]
        check.close(found[:, 1], g * np.exp(z - 690.0) / 4, "tiny probabilities", rtol=1e-12, atol=0.0)
    sure = yours.cross_entropy_rule(2.0, 5e3, np.array([[0.0, -1e4], [0.0, -1e4]]), np.array([1, 0]))
    check.close(sure, (np.array([[1.0, -1.0], [0.0, 0.0]]),), "a probability that is 0 beside one that is 1")
    ### END HIDDEN TESTS

# %% [markdown]
# With Y for the truth, the gradient is **(S - Y) / N**: what you say, minus what is true, shared out over the rows. The
# saturation is gone: who is sure and wrong gets the largest gradient, in the first picture example 4.

# %%
labels = np.array([0, 2])


def fused(g, out, logits, labels):
    """Your rule as array_error calls it: with the logits."""
    return cross_entropy_rule(g, out, log_softmax(logits), labels)


print("the fused rule is off by", array_error(cross_entropy, fused, Z, labels))

logits = np.log([[1.0, 2, 7], [7, 2, 1], [2, 5, 3], [6, 1, 3], [1, 8, 1]])
(grad,) = fused(1.0, None, logits, np.array([2, 1, 1, 0, 0]))
print(grad.round(9))

# %% [markdown]
# ### It reads digits
# With 64 weights per digit, `pixels @ W` are ten logits.
#
# **Predict, then run.** From W = 0, with 1,297 digits. How many of 100 unseen ones does W read after a single step, how many after
# 200?

# %%
from autograd_ref.data.digits import load_digits

prediction = (None, None)

pixels, meant = load_digits(flat=True)
seen, y, unseen, answers = pixels[:1297], meant[:1297], pixels[1297:], meant[1297:]
W, first_W = np.zeros((64, 10)), None
for step in range(200):
    (back,) = fused(1.0, None, seen @ W, y)  # your rule: the gradient of the logits
    W = W - 5 * (seen.T @ back)  # unit 06: that of W, times a rate
    first_W = W if step == 0 else first_W
right = (unseen @ W).argmax(axis=1) == answers
if predicted(prediction, "digits_read_by_one_matrix"):
    print(f"after a step:    {((unseen @ first_W).argmax(axis=1) == answers).mean():.0%} are read")
    print(f"after 200 steps: {right.mean():.0%}")

# %% [markdown]
# The columns of W: orange is where ink speaks for the digit, blue where it speaks against it. After one step they are the ink of a
# digit's pictures less a tenth of all ink: what is true, minus what was said.


# %% figure="columns_of_W"
def columns_of_W():
    assert right.mean() > 0.9
    wanted = np.concatenate([first_W.T, W.T]).reshape(20, 8, 8)
    for k, ax in enumerate(plots.images(wanted, columns=5)):
        ax.images[0].remove()
        plots.matrix(wanted[k], annotate=False, limit=abs(wanted[k]).max(), ax=ax)
        ax.set_title(f"{k % 10}: {'1 step' if k < 10 else '200 steps'}", fontsize=9)


columns_of_W()

# %% [markdown]
# Sure and wrong: the surest misread digits, and their losses.


# %% figure="surest_mistakes"
def surest_mistakes():
    odds = softmax(unseen @ W)
    said, surely = odds.argmax(axis=1), np.where(right, 0.0, odds.max(axis=1))
    for k, ax in zip(surely.argsort()[:-4:-1], plots.panels(3, height=2.3)):
        ax.imshow(unseen[k].reshape(8, 8), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
        cost = -math.log(odds[k, answers[k]])
        ax.set_title(f"{answers[k]}, read as {said[k]} ({surely[k]:.0%}): {cost:.1f}", fontsize=10)


surest_mistakes()

# %% [markdown]
# ## 6. Two classes, one logit
#
# Yes or no needs one logit z: p = sigmoid(z) is the probability of yes. The likelihood is p for yes (t = 1) and 1 - p
# for no (t = 0). Minus its logarithm, in one line:
#
# $$-t \log p - (1 - t) \log (1 - p)$$
#
# On paper, -log p is log(1 + exp(-z)), and -log(1 - p) is z + log(1 + exp(-z)). Together:
#
# $$\log(1 + e^{-z}) + (1 - t)\, z$$
#
# ### Exercise `bce_with_logits` (2 points)
# The mean of this loss over all logits. A target of 0.5 says that half of those asked said yes. The formula overflows at z = -800; yours must not.
#
# <details><summary>Hint 1: a sketch</summary>
#
# For negative z, log(1 + exp(-z)) is -z + log(1 + exp(z)). Both have log(1 + exp(-|z|)), and `np.log1p(x)` is log(1 + x),
# also right for tiny x. `np.maximum(z, 0)` makes one formula of the rest.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# losses = ... - ... + np.log1p(...)     # 0 or z; t z; the logarithm
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too large: the minus in front of |z| is missing. Overflow behind `np.where`: it computes both branches.
# `logits.max()` is one number for the whole array.
# </details>


# %% exercise="bce_with_logits"
def bce_with_logits(logits, targets):
    """The mean loss of logits for targets from 0 to 1, a single number; equal shapes."""
    ### BEGIN SOLUTION
    losses = np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(-np.abs(logits)))
    return losses.mean()
    ### END SOLUTION


# %% probes="bce_with_logits"
# bce_of, as the check calls it
@probe
def bce_of(logits, targets):
    """bce_with_logits, where overflow and log(0) are errors."""
    return strict(bce_with_logits, logits, targets)


# %% check="bce_with_logits" points=2
with exercise("bce_with_logits") as check:
    z = math.log(4)  # sigmoid(z) is 4/5, sigmoid(-z) is 1/5
    yes, no = bce_of(*arrays([z], [1])), bce_of(*arrays([z], [0]))
    check.close((yes, no), (-math.log(4 / 5), -math.log(1 / 5)), "4/5 for yes; for no: 1/5")
    check.close(bce_of(*arrays([-z], [1])), -math.log(1 / 5), "1/5 for yes, and yes it was")
    mean = -(3 * math.log(4 / 5) + math.log(1 / 5)) / 4
    check.close(bce_of(*arrays([[z, z], [-z, -z]], [[1, 0], [0, 0]])), mean, "4 elements")
    half = -(math.log(1 / 5) + math.log(4 / 5)) / 2
    check.close(bce_of(*arrays([z], [0.5])), half, "half yes, half no: half of each")
    check.close(bce_of(*arrays([40, -40], [0, 1])), 40.0, "sure and wrong, twice")
    sure = arrays([1e4, -1e4, 1e4, -1e4], [1, 0, 0, 1])
    check.close(bce_of(*sure), 5000.0, "right, right, wrong, wrong: 0, 0, 10000, 10000")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import functional as F
    from autograder import array

    kinds = array(4, 3, low=-8.0, high=8.0), array(4, 3, low=0.0, high=1.0)
    for z, t in check.cases(15, *kinds):
        expected = float(F.binary_cross_entropy_with_logits(z, t))
        check.close(bce_of(z, t), expected, "targets between 0 and 1", rtol=1e-11, atol=1e-12)
        hard = (t > 0.5).astype(float)
        check.untouched()
        expected = float(F.binary_cross_entropy_with_logits(1000 * z, hard))
        check.close(bce_of(1000 * z, hard), expected, "large logits", rtol=1e-11, atol=1e-12)
        check.untouched()
        expected = float(F.binary_cross_entropy_with_logits(z[0, :1], t[0, :1]))
        check.close(bce_of(z[0, :1], t[0, :1]), expected, "a single element", rtol=1e-10, atol=1e-12)
    for z, t in check.cases(2, array(2, 3, 4, 2), array(2, 3, 4, 2, low=0.0, high=1.0)):
        for logits, wanted in ((z, t), (z[0], t[0])):
            expected = float(F.binary_cross_entropy_with_logits(logits, wanted))
            check.close(bce_of(logits, wanted), expected, "the mean over all elements, whatever the shape")
    for size in (1e5, 1e8, 1e12):
        wrong = np.array([size, -size, size, 0.0]), np.array([0.0, 1.0, 1.0, 0.0])
        check.close(bce_of(*wrong), size / 2 + math.log(2) / 4, "logits of any size: the loss is as large", rtol=1e-12)
    undecided = np.array([0.0, -0.0, 1e-9, -1e-9])
    check.close(bce_of(undecided, np.array([0.0, 1.0, 0.5, 1.0])), math.log(2), "logits of 0: log 2")
    ### END HIDDEN TESTS

# %% given="sigmoid"
def sigmoid(z):
    """Cannot overflow."""
    return 0.5 + 0.5 * np.tanh(z / 2)

# %% [markdown]
# ### Exercise `bce_rule` (2 points)
# The derivative of the first formula of this section by z. The slope of p is p (1 - p), see unit 03: again almost
# everything falls away.
#
# <details><summary>Hint 1: a sketch</summary>
#
# -t / p times p (1 - p) is -t (1 - p). The other term is similar. Add them up.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# p = sigmoid(...)
# return (g * (...) / ...,)      # what you say, what is true; the elements of the mean
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Far too small for sure logits: a factor p (1 - p) is left, which should have cancelled.
# </details>


# %% exercise="bce_rule"
def bce_rule(g, out, logits, targets):
    """The cotangent of logits, in a tuple of one, for out = bce_with_logits(...)."""
    ### BEGIN SOLUTION
    return (g * (sigmoid(logits) - targets) / logits.size,)
    ### END SOLUTION


# %% check="bce_rule" points=2
with exercise("bce_rule") as check:
    z = math.log(4)  # sigmoid(z) is 4/5, sigmoid(-z) is 1/5
    because = "4/5 for yes, and yes it was: a little more, please"
    check.close(yours.bce_rule(1.0, 0.22, *arrays([z], [1])), arrays([-0.2]), because)
    because = "-10,000 for yes, and yes it was: the slope is -1, not 0"
    check.close(yours.bce_rule(1.0, 1e4, *arrays([-1e4], [1])), arrays([-1]), because)
    data = arrays([[z, z, -z], [-z, 0, 0]], [[1, 0, 1], [0, 1, 0.5]])
    rows = [[-0.4, 1.6, -1.6], [0.4, -1, 0]]
    check.close(yours.bce_rule(12.0, 0.8, *data), arrays(rows), "6 elements, and g = 12")
    check.untouched("logits and targets are as they were: make new arrays")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor as Reference
    from autograd_ref import functional as F
    from autograder import array, number

    targets = array(4, 3, low=0.0, high=1.0)
    for g, z, t in check.cases(15, number(), array(4, 3, low=-8.0, high=8.0), targets):
        deep = (z.reshape(2, 3, 2), t.reshape(2, 3, 2)), (z.reshape(1, 3, 2, 2), t.reshape(1, 3, 2, 2))
        half = z, np.round(2 * t) / 2
        for logits, wanted in ((z, t), (0 * z, t), half, (z[:1, :1], t[:1, :1]), (z[0], t[0]), *deep):
            x = Reference(logits, requires_grad=True)
            loss = F.binary_cross_entropy_with_logits(x, wanted)
            loss.backward(np.array(g))
            found = yours.bce_rule(g, loss.item(), logits, wanted)
            check.close(found, (x.grad.numpy(),), "the reference", rtol=1e-10, atol=1e-12)
            found = yours.bce_rule(0.0, loss.item(), logits, wanted)
            check.close(found, (0 * logits,), "g may be 0, and so is what is sent back then")
        check.untouched()
    # Endless logits: the rule knows what the loss itself, and so a difference quotient, cannot say.
    z, t = np.array([np.inf, -np.inf, np.inf, -np.inf]), np.array([0.0, 1.0, 1.0, 0.0])
    for (g,) in check.cases(3, number()):
        found = yours.bce_rule(g, np.inf, z, t)
        check.close(found, (g * np.array([1.0, -1.0, 0.0, 0.0]) / 4,), "sure, wrong or right")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Why not squared error?
# **Predict, then run.** The model is sure and wrong: z = -8, and t = 1. How many times larger is the slope of cross-entropy
# than that of squared error?

# %%
prediction = None


def both_slopes_at(z):
    """The slopes by the logit z of cross-entropy and of squared error, for t = 1."""
    z, one = np.array([z]), np.ones(1)
    p = sigmoid(z)
    squared = mse_rule(1.0, None, p, one)[0] * p * (1 - p)
    return bce_rule(1.0, None, z, one)[0][0], squared[0]


def steps_up_to_half(which, z=-8.0):
    """How many steps `z -= slope` it takes until p is 1/2; stops at 10,000."""
    for step in range(10_000):
        if z >= 0:
            return step
        z -= both_slopes_at(z)[which]
    return 10_000


if predicted(prediction, "slopes_of_two_losses"):
    entropy, squared = both_slopes_at(-8.0)
    print(f"slopes {entropy:.5f} and {squared:.5f}: {entropy / squared:,.0f} times")
    print(f"steps until p = 1/2: {steps_up_to_half(0):,} and {steps_up_to_half(1):,}")

# %% [markdown]
# Far left the model is sure and wrong. There cross-entropy has the slope -1. Squared error is flat: its slope
# holds the factor p (1 - p).


# %% figure="two_losses"
def two_losses():
    losses = {
        "cross-entropy": lambda z: bce_with_logits(np.array([z]), np.ones(1)),
        "squared error": lambda z: (sigmoid(z) - 1) ** 2,
    }
    slopes = {
        "cross-entropy": lambda z: both_slopes_at(z)[0],
        "squared error": lambda z: both_slopes_at(z)[1],
    }
    assert slopes["cross-entropy"](-8.0) < -0.999
    assert -0.001 < slopes["squared error"](-8.0) < 0 and sigmoid(-800.0) == 0
    title = "Two losses for t = 1"
    plots.functions(losses, -8.0, 8.0, slopes=slopes, xlabel="logit", title=title)


two_losses()

# %% [markdown]
# ## 7. Bug hunt
#
# A colleague adds five losses, with rules and a test. Every error is 0. Yet **three of the five rules are wrong**. The
# losses are right.


# %% given="contributed"
# The first three are for data with outliers. logistic is binary cross-entropy with
# targets -1 and 1 for no and yes.
def huber(x, y):
    """A parabola near 0 that goes on as a straight line."""
    d = np.abs(x - y)
    return np.where(d < 1, d**2 / 2, d - 0.5).mean()


def logistic_rule(g, out, x, y):
    e = np.exp(-y * x)
    return (-g * y * e / (1 + e) / x.size,)


CONTRIBUTED = {
    # name: (the loss, its rule)
    "absolute": (
        lambda x, y: np.abs(x - y).mean(),
        lambda g, out, x, y: (g * np.sign(x - y) / x.size,),
    ),
    "huber": (huber, lambda g, out, x, y: (g * (x - y) / x.size,)),
    "log_cosh": (
        lambda x, y: (np.logaddexp(x - y, y - x) - np.log(2)).mean(),
        lambda g, out, x, y: (g * np.tanh(x - y) / x.size,),
    ),
    "distance": (
        lambda x, y: ((x - y) ** 2).sum(axis=1).mean() / 2,
        lambda g, out, x, y: (g * (x - y),),
    ),
    "logistic": (lambda x, y: np.logaddexp(0, -y * x).mean(), logistic_rule),
}


def examine(x, y):
    """Print how far each rule is from the numerical derivative; arrays of equal shape."""
    with np.errstate(all="ignore"):
        for name, (loss, rule) in CONTRIBUTED.items():
            print(f"{name:9} error {array_error(loss, rule, x, y)}")


# %%
examine(*arrays([[0.5, -0.3, 0.2]], [[1, -1, 1]]))

# %% [markdown]
# ### Exercise `mended_loss_rules` (3 points)
# Find them: call `examine` with other arrays, of numbers up to 1,000. Return a dict with a right rule for each wrong one, and for no
# other, that does not overflow there.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What is special in the test? One row. Small numbers. Predictions close to their targets.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# examine(np.array([[...], [...]]), ...)    # in a cell of your own: two rows
# examine(np.array([[..., 1000.0]]), ...)   # far away, on either side
#
# return {"the name": lambda g, out, x, y: (g * ...,), ...}
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Error NaN is infinity / infinity: write it with `sigmoid`. Wrong far away only: `np.clip(d, low, high)` has the slope
# of a parabola, then that of a line. Wrong with two rows only: what is the mean taken over?
# </details>


# %% exercise="mended_loss_rules"
def mended_loss_rules():
    """A dict with the name of each wrong rule of CONTRIBUTED, and a right rule for it."""
    ### BEGIN SOLUTION
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }
    ### END SOLUTION


# %% probes="mended_loss_rules"
# mended_names, theirs and mended, as the check calls them; slopes_at; and the losses
def line_or_parabola(x, y):
    d = np.abs(x - y)
    return np.where(d < 1, d**2 / 2, d - 0.5).mean()


COMPUTES = {
    "absolute": lambda x, y: np.abs(x - y).mean(),
    "huber": line_or_parabola,
    "log_cosh": lambda x, y: (np.logaddexp(x - y, y - x) - np.log(2)).mean(),
    "distance": lambda x, y: ((x - y) ** 2).sum(axis=1).mean() / 2,
    "logistic": lambda x, y: np.logaddexp(0, -y * x).mean(),
}
FAR = arrays(
    [[3, 1000, -0.5, 2], [-0.5, -1000, 1.5, 0.25], [0.25, -3, 4, -1000]],
    [[1, -1, -1, -1], [-1, -1, 1, -1], [1, -1, 1, 1]],
)
TWO = arrays([[1.9, 3, 0.1, -0.9], [-1000, 0.2, 0.4, 2.5]], [[1, -1, 1, -1], [1, -1, -1, 1]])


def slopes_at(name, x, y):
    """The numerical derivatives of a loss by each number of x."""
    slopes = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += 1e-4
        down[place] -= 1e-4
        slopes[place] = (COMPUTES[name](up, y) - COMPUTES[name](down, y)) / 2e-4
    return slopes


@probe
def mended_names():
    """The names for which mended_loss_rules has a rule."""
    return sorted(mended_loss_rules())


@probe
def theirs(name, g, x, y):
    """What the colleague's rule of that name sends back."""
    with np.errstate(all="ignore"):
        return CONTRIBUTED[name][1](g, CONTRIBUTED[name][0](x, y), x, y)


@probe
def mended(name, g, x, y):
    """What the mended rule sends back; overflow and NaN are errors."""
    return strict(mended_loss_rules()[name], g, CONTRIBUTED[name][0](x, y), x, y)


# %% check="mended_loss_rules" points=3
with exercise("mended_loss_rules") as check:
    names = mended_names()
    check.true(set(names) <= set(COMPUTES), "the keys are names from CONTRIBUTED")
    for name, data in [(name, data) for name in names for data in (FAR, TWO)]:
        expected = 2 * slopes_at(name, *data)
        agrees = np.allclose(theirs(name, 2.0, *data)[0], expected, atol=1e-6)
        check.true(not agrees, f"the colleague's rule of {name} is right already")
        because = f"2 times the numerical derivative of {name}"
        check.close(mended(name, 2.0, *data), (expected,), because, rtol=1e-5, atol=1e-6)
        check.untouched(f"{name} leaves x and y as they were: make new arrays")
    have = ", ".join(names) or "none"
    check.true(len(names) == 3, f"three of the five rules are wrong; you mended {have}")
    ### BEGIN HIDDEN TESTS
    from autograder import array, number

    check.equal(names, ["distance", "huber", "logistic"], "the three rules that are wrong")

    @probe
    def mended_alone(name, g, x, y):
        """What the mended rule sends back, without the loss itself."""
        return mended_loss_rules()[name](g, 0.5, x, y)

    # The slopes on paper: digits that a numerical derivative does not have.
    exact = {
        "distance": lambda x, y: (x - y) / len(x),
        "huber": lambda x, y: np.clip(x - y, -1, 1) / x.size,
        "logistic": lambda x, y: -y * np.exp(-np.logaddexp(0, y * x)) / x.size,
    }
    for g, x, y in check.cases(10, number(), array(4, 3), array(4, 3)):
        x[1] *= 300
        for name in names:
            targets = np.sign(y) if name == "logistic" else y
            for rule in (mended, mended_alone):
                check.close(rule(name, g, x, targets), (g * exact[name](x, targets),),
                            f"g times the derivative of {name}", rtol=1e-9, atol=1e-12)
                check.untouched("x and y are as they were: make new arrays")
                check.close(rule(name, 0.0, x, targets), (0 * x,), "g may be 0, and so is what is sent back then")
    # At the corners of huber, and at 0.
    edges, zeros = np.array([[0.0, 1.0, -1.0], [1 - 1e-9, 1 + 1e-9, -3.0]]), np.zeros((2, 3))
    check.close(mended("huber", 6.0, edges, zeros), (np.clip(edges, -1, 1),), "huber at its corners")
    check.close(mended("logistic", 6.0, zeros, zeros + 1), (zeros - 0.5,), "logistic at 0")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, x in check.cases(3, number(), array(4, 3, low=0.2)):
        tiny = x * 1e-305
        check.close(mended("distance", g, tiny, 0 * x), (g * tiny / 4,), "tiny numbers", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# ## Which loss?
#
# **Predict, then run.** Choose one for each of five data sets.

# %%
# a: a weight, with errors like a bell curve     b: a price, some of them misprinted
# c: which of 26 letters it is                   d: will it rain tomorrow?
# e: the tags of a photo: any of 20, several at once
# Each is "squared error", "absolute error", "cross-entropy" or "binary cross-entropy".
prediction = {"a": None, "b": None, "c": None, "d": None, "e": None}

if predicted(prediction, "a_loss_for_five_data_sets"):
    print("a: squared error")
    print("b: absolute error, or huber: both mind outliers less")
    print("c: cross-entropy of 26 logits")
    print("d: binary cross-entropy of one logit")
    print("e: binary cross-entropy of 20 logits. Each tag is a yes or no of its own;")
    print("   a softmax would make them rivals: its probabilities add up to 1.")

# %% [markdown]
# ## What you have built
#
# | your data | maximum likelihood gives | in PyTorch (`torch.nn.functional`) |
# |---|---|---|
# | a number that scatters | squared error | `mse_loss`; with a width: `gaussian_nll_loss`, of σ² |
# | a number, with outliers | absolute error | `l1_loss`; smooth at 0: `huber_loss` |
# | one of C classes | cross-entropy | `cross_entropy`, which takes **logits**; from log-probabilities: `nll_loss` |
# | yes or no | binary cross-entropy | `binary_cross_entropy_with_logits` |
#
# `softmax`, `logsumexp` and `log_softmax` have the same names in `torch`; the axis is called `dim`.
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the loss becomes NaN | exp without a shift; the log of a probability |
# | 10 classes: the loss stays above 1.46 | softmax in the network *and* in the loss |
# | the first loss is far from log C | large first logits (unit 08); the wrong axis |
# | regression learns the mean of all targets | predictions (N, 1) met targets (N,) |
# | larger batches diverge | a sum where a mean belongs |
#
# The second and the fourth, as numbers:

# %%
perfect = 1000 * np.eye(10)
print(f"logits to the loss:  {abs(cross_entropy(perfect, np.arange(10))):.4f}")
print(f"softmax to the loss: {cross_entropy(softmax(perfect), np.arange(10)):.4f}")
y = np.array([1.0, -2.0, 4.0])
print("predictions equal to their targets:", ((y[:, None] - y) ** 2).mean())

# %% [markdown]
# ## In your own words
# "Why does nobody take the logarithm of a softmax?"
#
# <details><summary>One way to say it</summary>
#
# A small probability is rounded to 0, and its logarithm is lost. On paper the exp falls away; one logarithm per row
# remains, of a sum that is at least 1.
# </details>
#
# ## One thing to try next
# **Label smoothing.** In a new cell, replace the truth Y by 0.9 Y + 0.1 / C, write the loss with `log_softmax`, and
# find its gradient, short as before. Test it with `array_error`.

# %% progress="here"
