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
#     unit: 15_attention
#     allow: [autograd_ref.plots]
#     title: "Attention: an average that chooses"
# ---

# %% [markdown]
# # Attention: an average that chooses
#
# Each row belongs to one position of a sequence and shows how much it takes of each position up to
# itself. What to see: on the left all get the same share; on the right a network has learnt to read six numbers
# backwards.

# %% figure="goal" keep=true
def goal():
    import os

    for library in ("OPENBLAS", "OMP", "MKL"):  # before NumPy is there, as below
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    import numpy as np

    from autograd_ref import plots

    # What the network of section 9 has learnt, rounded.
    learnt = """
        1 0 0 0 0 0 0 0 0 0 0 0
        .2 .8 0 0 0 0 0 0 0 0 0 0
        0 1 0 0 0 0 0 0 0 0 0 0
        0 .1 .9 0 0 0 0 0 0 0 0 0
        1 0 0 0 0 0 0 0 0 0 0 0
        0 .7 .1 0 0 .1 0 0 0 0 0 0
        0 0 0 0 0 1 0 0 0 0 0 0
        0 0 0 0 1 0 0 0 0 0 0 0
        0 0 0 1 0 0 0 0 0 0 0 0
        0 0 1 0 0 0 0 0 0 0 0 0
        0 1 0 0 0 0 0 0 0 0 0 0
        1 0 0 0 0 0 0 0 0 0 0 0
    """
    learnt = np.array(learnt.split(), dtype=float).reshape(12, 12)
    even = np.tri(12) / np.arange(1, 13)[:, None]
    plots.matrices({"the same share": even, "learnt, rounded": learnt}, annotate=False)

goal()

# %% setup="imports"
import os

# These arrays are small: more threads would only wait for one another.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np

import autograd_ref as engine
from autograd_ref import plots
from autograder import exercise, predicted, probe, recall, yours


def floats(*rows):
    """Nested lists as an array of floats."""
    return np.array(rows, dtype=float)

# %% [markdown]
# At the end you will be able to
#
# - compute masked attention and its gradients by hand, split it into heads, train a network on it;
# - say what scaling, positions, residuals and LayerNorm are for, with a measurement for each.
#
# **Time:** 150 minutes (110 without sections 8, 10). **Builds on:** 06, 07 (softmax), 08 (LayerNorm), 10.
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 13, Hessian*: f is x²y. What is its Hessian at (3, 2), times (1, 0)?
# - *unit 13, Newton*: where does one Newton step from x = 3 lead, for the minimum of x⁴?
# - *unit 12*: `exp` keeps its result for the way back, `sin` what it was given. `a` went into both, then `a` is changed
#   in place. Which of the two refuses to go back?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 13, Hessian": None, "unit 13, Newton": None, "unit 12": None}

# %% jupyter={"source_hidden": true}
recall(
    answers,
    {
        "unit 13, Hessian": lambda: floats([2 * 2, 2 * 3], [2 * 3, 0]) @ floats(1, 0),
        "unit 13, Newton": lambda: 3 - (4 * 3**3) / (12 * 3**2),
        "unit 12": lambda: "sin",
    },
)

# %% [markdown]
# ## 1. What comes next?
#
# A first answer: count which word followed which in a short text. What to see: after `the` four words
# came, and its row cannot say which is next. A word further back can: after `sat on the` comes `mat`, after `lay on
# the` `rug`.


# %% figure="pairs"
def pairs():
    text = "the cat sat on the mat and the dog lay on the rug and the dog sat on the mat".split()
    words = list(dict.fromkeys(text))
    counts = np.zeros((len(words), len(words)))
    for one, following in zip(text, text[1:]):
        counts[words.index(one), words.index(following)] += 1
    plots.matrix(counts, rows=words, columns=words, title="first word: row, next word: column")


pairs()

# %% [markdown]
# ## 2. An average over the past
#
# Let each position look back. First without a choice: position t takes the *mean* of all rows of `x` from the first
# to its own. Rows 4, 0, 2, 6 become 4, 2, 2, 3. Never of later rows: these are what is to be guessed. All these means
# are one product $A x$.
#
# ### Exercise `past_matrix` (2 points)
# Return A (n, n) for n positions: a new array each time.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Row t has t + 1 numbers that are not 0. Positions count from 0.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# ones = np.tri(n)          # a triangle: 1 up to the diagonal
# return ones / ...         # each row by its own sum
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A row's sum has to keep its axis.
# </details>


# %% exercise="past_matrix"
def past_matrix(n):
    """A new matrix (n, n) that makes of each row the mean of all rows up to it."""
    ### BEGIN SOLUTION
    return np.tri(n) / np.arange(1, n + 1)[:, None]
    ### END SOLUTION


# %% probes="past_matrix"
@probe
def past_matrix_again(n):
    """past_matrix(n), after a second one was made and written into."""
    first = past_matrix(n)
    past_matrix(n)[...] = 7.0
    return first


# %% check="past_matrix" points=2
with exercise("past_matrix") as check:
    expected = floats([1, 0, 0, 0], [1 / 2] * 2 + [0, 0], [1 / 3] * 3 + [0], [1 / 4] * 4)
    check.close(yours.past_matrix(4), expected, "row t: t + 1 equal shares, then zeros")
    check.close(yours.past_matrix(2), floats([1, 0], [0.5, 0.5]), "two positions")
    means = yours.past_matrix(4) @ floats([4, 1], [0, 1], [2, 1], [6, 5])
    check.close(means, floats([4, 1], [2, 1], [2, 1], [3, 2]), "the means of the example")
    check.close(yours.past_matrix(1), floats([1]), "one position")
    check.close(past_matrix_again(2), floats([1, 0], [0.5, 0.5]), "a new matrix each time")
    ### BEGIN HIDDEN TESTS
    for n in (3, 5, 6, 9, 12, 100):
        expected = [[1 / (t + 1) if s <= t else 0.0 for s in range(n)] for t in range(n)]
        check.close(yours.past_matrix(n), floats(*expected), "row t: t + 1 equal shares, then zeros", rtol=1e-12)
        check.close(past_matrix_again(n), floats(*expected), "each call gives a new matrix", rtol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 3. An average that chooses
#
# The shares shall differ. Give each pair a *score*: how much does position t want of position s? A softmax makes
# weights of a row of scores. The future gets the score -inf *before* the softmax: $e^{-\infty}$ is 0, and the others
# add up to 1.
#
# ### Exercise `causal_softmax` (3 points)
# `scores` is (..., T, T), any axes before. Return the weights: in each row the softmax over the positions up to its
# own, and exactly 0 after it. Scores may be integers, and very large or very low, in the future too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `np.where(np.tri(T, dtype=bool), scores, -np.inf)` masks. Then the softmax of unit 07 along the last axis.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# T = scores.shape[-1]
# masked = ...
# e = np.exp(masked - masked.max(...))      # of each row
# return e / e.sum(...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# NaN: the largest score was that of the future, or a mask was multiplied by -inf: 0 · inf is NaN. Without
# `keepdims=True` a row's sum counts for a column.
# </details>


# %% exercise="causal_softmax"
def causal_softmax(scores):
    """The weights (..., T, T): a softmax of each row over the positions up to its own."""
    ### BEGIN SOLUTION
    masked = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% check="causal_softmax" points=3
with exercise("causal_softmax") as check:
    scores = floats([5, 1, 3], [0, np.log(3), 2], [4, 4, 4])
    weights = floats([1, 0, 0], [0.25, 0.75, 0], [1 / 3] * 3)
    check.close(yours.causal_softmax(scores), weights, "1 to 3; thirds; just 0", atol=0.0)
    check.untouched("the scores stay as they were")
    check.close(yours.causal_softmax(scores + 1000), weights, "1,000 more: the same")
    two = np.stack([[scores], [floats([-1e99, 0, 0], [0, 0, 9], [0, 0, np.log(2)])]])
    other = floats([1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5])
    check.close(yours.causal_softmax(two), np.stack([[weights], [other]]), "each by itself")
    large = np.array([[-(10**18), 0, 10**18], [-(10**18), 0, 5], [10**18, 10**18, 0]])
    expected = floats([1, 0, 0], [0, 1, 0], [0.5, 0.5, 0])
    check.close(yours.causal_softmax(large), expected, "integers, very large and very low")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    low = floats([[-1e300, 0, 1e300], [-1e300, -1e300, 0], [5, 5, -1e300]])
    expected = floats([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]])
    check.close(yours.causal_softmax(low), expected, "the past counts, however low its scores are")
    expected = np.tri(300) / np.arange(1, 301)[:, None]
    check.close(yours.causal_softmax(np.zeros((300, 300))), expected, "many positions, and all scores are 0")
    for T, before in ((1, (2,)), (2, (3, 2)), (5, ()), (4, (2, 3)), (6, (1, 2))):
        for scores, shift in check.cases(2, array(*before, T, T), array(*before, T, 1, low=-9e3, high=9e3)):
            for given in (scores, scores + shift, np.rint(400 * scores).astype(int)):
                expected = np.zeros(given.shape)
                for *at, t in np.ndindex(given.shape[:-1]):
                    e = np.exp(given[(*at, t)][: t + 1] - given[(*at, t)][: t + 1].max())
                    expected[(*at, t)][: t + 1] = e / e.sum()
                found = yours.causal_softmax(given)
                check.close(found, expected, "a softmax over the past of each row", rtol=1e-10)
                check.untouched()
                check.equal(np.triu(found, 1), np.zeros(given.shape), "exactly 0 after it")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** Somebody puts 0 for the future *after* a softmax of whole rows. All scores of two positions are
# 0; then row 0's score of the future becomes log 3. What is row 0's first weight now?

# %%
prediction = None

if predicted(prediction, "one_score_of_the_future"):
    for name, scores in (("before", floats([0, 0], [0, 0])), ("now", floats([0, np.log(3)], [0, 0]))):
        e = np.exp(scores)
        wrong = np.tri(2) * e / e.sum(axis=1, keepdims=True)
        print(f"{name:6} 0 after the softmax: {wrong[0]}, -inf before it: {causal_softmax(scores)[0]}")

# %% [markdown]
# So rows no longer add up to 1, and a score of the future changes weights of the past, since it is in the
# denominator. What to see: row 0's last score becomes 3. On the left nothing changes; on the right the first weight
# falls from 0.33 to 0.05.


# %% figure="leak"
def leak():
    def zero_after(scores):
        e = np.exp(scores)
        return np.tri(3) * e / e.sum(axis=-1, keepdims=True)

    raised = np.zeros((3, 3))
    raised[0, 2] = 3.0
    found = {}
    for name, weights in (("-inf before", causal_softmax), ("0 after", zero_after)):
        now, then = weights(np.zeros((3, 3))), weights(raised)
        print(f"{name:12} all 0: row sums {now.sum(axis=1).round(2)}; first weight {now[0, 0]:.2f}, with the 3 {then[0, 0]:.2f}")
        found |= {f"{name}: all 0": now, f"{name}: the 3": then}
    plots.matrices(found)


leak()

# %% [markdown]
# ## 4. Scores from queries and keys
#
# Each position makes three vectors by linear layers: a *query* (what do I look for?), a
# *key* (by what am I found?), a *value* (what do I hand over?). A score is the product of a query and a key, divided
# by $\sqrt{d}$; d is their length.
#
# By hand: in `sat on the`, the position of `the` looks for a verb. Here d is 2.
#
# ```text
# query of the: (3, 0)
#
#            key       score            exp(score)    weight    value
#     sat    (2, 0)    6/√2 = 4.24      69.6          0.97      (1, 0), which names mat
#     on     (0, 1)    0                1             0.01      (0, 0)
#     the    (0, 1)    0                1             0.01      (0, 0)
#
# output: 0.97 · (1, 0)
# ```
#
# What to see: `lay` has the same key and hands over (0, 1), for `rug`. No table of pairs could do that.


# %% figure="by_hand"
def by_hand():
    query, keys = floats(3, 0), floats([2, 0], [0, 1], [0, 1])
    scores = (query * keys).sum(axis=1) / np.sqrt(2)
    weights = np.exp(scores) / np.exp(scores).sum()
    for verb, value in (("sat", [1, 0]), ("lay", [0, 1])):
        values = floats(value, [0, 0], [0, 0])
        print(f"{verb} on the ... weights", weights.round(3), " output", (weights @ values).round(2))
    columns = {"key": keys, "score": scores[:, None], "weight": weights[:, None], "value": values}
    plots.matrices(columns, rows=["lay", "on", "the"], shared=False)


by_hand()

# %% [markdown]
# ### Exercise `scaled_scores` (2 points)
# `q` is (..., T, d), of T queries, `k` is (..., S, d), of S keys. Return the scores (..., T, S): row t has the products
# of query t with all keys, over the root of d.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which axes of `k` have to change places?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return q @ k.swapaxes(..., ...) / ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `k.T` turns *all* axes around, the batch too. d is the last axis, not the number of positions.
# </details>


# %% exercise="scaled_scores"
def scaled_scores(q, k):
    """The products of all queries (..., T, d) with all keys (..., S, d), over the root of d: (..., T, S)."""
    ### BEGIN SOLUTION
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    ### END SOLUTION


# %% check="scaled_scores" points=2
with exercise("scaled_scores") as check:
    q = floats([1, 0, 2, 0], [0, 3, 0, -1])
    k = floats([1, 2, 0, 0], [0, 0, 5, 0], [1, 1, 1, 1])
    expected = floats([0.5, 5, 1.5], [3, 0, 1])
    check.close(yours.scaled_scores(q, k), expected, "two queries, three keys: over 2")
    check.untouched("q and k stay as they were")
    got = yours.scaled_scores(floats([3, 0]), floats([4, 9]))
    check.close(got, floats([12 / np.sqrt(2)]), "d = 2: the root is no whole number")
    got = yours.scaled_scores(np.stack([q, 10 * q]), np.stack([k, -k]))
    check.close(got, np.stack([expected, -10 * expected]), "a batch: each for itself")
    got = yours.scaled_scores(q[None, None], k[None, None])
    check.close(got, expected[None, None], "a batch of heads: four axes")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    for before, T, S, d in (((), 3, 5, 2), ((2, 3), 4, 2, 5), ((3,), 1, 4, 3), ((1, 2), 6, 3, 7), ((2, 1, 3), 3, 2, 4)):
        for q, k in check.cases(3, array(*before, T, d), array(*before, S, d)):
            expected = np.einsum("...td,...sd->...ts", q, k) / d**0.5
            check.close(yours.scaled_scores(q, k), expected, "each query with each key, over the root of d", rtol=1e-10)
            check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** Queries and keys of 64 random numbers (mean 0, variance 1). Eight scores go through a softmax:
# the largest weight is 0.36 on average. And if the scores are not divided?

# %%
prediction = None

if predicted(prediction, "without_the_root"):
    q, k = np.random.default_rng(0).standard_normal((2, 400, 64))
    for name, scores in (("divided", scaled_scores(q, k[:8])), ("not divided", 8 * scaled_scores(q, k[:8]))):
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        print(f"{name}: {(e.max(axis=1) / e.sum(axis=1)).mean():.2f}")

# %% [markdown]
# What to see: q · k spreads as $\sqrt{d}$, for the variances of its d terms add up. Undivided, a softmax soon gives
# almost all to one. The slope of its weights, $p(1-p)$, then goes to 0, and little is learnt.


# %% figure="spread"
def spread():
    rng, sizes = np.random.default_rng(0), [1, 4, 16, 64, 256, 1024]
    spreads, largest, slopes = [], {"divided": [], "not divided": []}, {"divided": [], "not divided": []}
    for d in sizes:
        q, k = rng.standard_normal((400, d)), rng.standard_normal((400, d))
        scores = scaled_scores(q, k)
        spreads.append((scores * np.sqrt(d)).std())
        for name, given in (("divided", scores[:, :8]), ("not divided", scores[:, :8] * np.sqrt(d))):
            e = np.exp(given - given.max(axis=1, keepdims=True))
            p = e / e.sum(axis=1, keepdims=True)
            largest[name].append(p.max(axis=1).mean())
            slopes[name].append((p * (1 - p)).mean())
    left, middle, right = plots.panels(3)
    curves = {"measured": (sizes, spreads), "root of d": (sizes, np.sqrt(sizes))}
    plots.lines(curves, log="xy", markers=True, xlabel="d", title="Spread of q · k", ax=left)
    for found, title, ax in ((largest, "Largest of 8 weights", middle), (slopes, "Mean slope p (1 - p)", right)):
        curves = {name: (sizes, values) for name, values in found.items()}
        plots.lines(curves, log="x", markers=True, xlabel="d", title=title, ax=ax)


spread()

# %% [markdown]
# ## 5. Attention, and the way back
#
# Put together, this is *attention*: the rows of weights p times the values. For the way back it keeps p.


# %% given="attention"
def attention(q, k, v):
    """Each position's average of the values (..., T, w), w numbers each, up to its own, and the weights (..., T, T)."""
    p = causal_softmax(scaled_scores(q, k))
    return p @ v, p


# %% [markdown]
# **Predict, then run.** The second position looks at the first, with the value 4, and at itself, with 8. Its weights
# are 1/4 and 3/4, its output is 7. How fast does the output change with the *score* of the first, with its sign?

# %%
prediction = None

if predicted(prediction, "output_by_score"):
    ahead, behind = (causal_softmax(floats([0, 0], [h, np.log(3)]))[1] @ floats(4, 8) for h in (1e-5, -1e-5))
    print("by difference quotient", ((ahead - behind) / 2e-5).round(6))

# %% [markdown]
# Four steps, backwards: a product (unit 06), a softmax (unit 07), a division, a product. The mask needs no step of its
# own: where a weight is 0, the softmax sends back 0.
#
# ### Exercise `attention_rule` (3 points)
# With u for what arrives at the weights, a row of the softmax sends back p · (u - sum of u · p): above, 1/4 · (4 - 7).
# Return, by hand, the gradients of `q`, `k` and `v`, given `g` of the output and the weights `p`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `out = p @ v` gives the gradients of p (u) and of v.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# to_v = ...
# to_p = g @ ...
# to_scores = p * (to_p - ...)      # a sum over each row
# to_products = to_scores / ...     # as on the way forward
# return ..., ..., to_v
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The gradient of k has the turned matrix: key s got a part from every query that saw it.
# </details>


# %% exercise="attention_rule"
def attention_rule(g, p, q, k, v):
    """The gradients of q, k (..., T, d) and v (..., T, w), given g (..., T, w) and the weights p (..., T, T)."""
    ### BEGIN SOLUTION
    to_p = g @ v.swapaxes(-1, -2)
    to_scores = p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))
    to_products = to_scores / np.sqrt(q.shape[-1])
    return to_products @ k, to_products.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g
    ### END SOLUTION


# %% probes="attention_rule"
def by_quotients():
    """g, p, q, k, v of two sequences with three positions, d = 4 and w = 2, and the gradients by difference quotients."""
    rng, attend = np.random.default_rng(0), engine.functional.scaled_dot_product_attention
    *qkv, g = (rng.integers(-2, 3, (2, 1, 3, width)) * 1.0 for width in (4, 4, 2, 2))
    found = [np.empty(x.shape) for x in qkv]
    for slopes, x in zip(found, qkv):
        for at in np.ndindex(x.shape):
            ends = []
            for h in (1e-5, -1e-5):
                x[at] += h
                ends.append((g * attend(*qkv, is_causal=True)).sum())
                x[at] -= h
            slopes[at] = (ends[0] - ends[1]) / 2e-5
    p = attend(*qkv[:2], np.tile(np.eye(3), (2, 1, 1, 1)), is_causal=True)
    return (g, p, *qkv), tuple(found)


# %% check="attention_rule" points=3
with exercise("attention_rule") as check:
    t, p, v = np.log(3) / 4, floats([1, 0], [0.25, 0.75]), floats([4, 1, 5], [8, 1, 5])
    q, k, rule = floats([1], [t]), floats([2], [6]), yours.attention_rule  # of weights p
    to_q, to_k, to_v = rule(floats([0, 0, 0], [1, 2, 0]), p, q, k, v)
    check.close(to_v, floats([0.25, 0.5, 0], [0.75, 1.5, 0]), "to the values, by weight")
    check.close(to_q, floats([0], [3]), "weight · (value - output 7) · key: -1.5 + 4.5")
    check.close(to_k, floats([-0.75], [0.75]) * t, "the same parts, times the query")
    given, expected = by_quotients()
    to_q, to_k, to_v = rule(*given)
    check.close((to_k, to_v), expected[1:], "four axes, d = 4: those of k and v", atol=1e-6)
    check.close(to_q, expected[0], "four axes, d = 4: that of q", atol=1e-6)
    check.untouched("what came in stays as it was")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor, functional
    from autograder import array

    for before, T, d, w in (((), 4, 3, 2), ((2,), 5, 2, 3), ((2, 3), 3, 4, 5), ((1,), 1, 3, 2), ((3, 1), 6, 1, 4)):
        for arrays in check.cases(2, *[array(*before, T, n) for n in (d, d, w, w)]):
            *qkv, g = arrays
            tensors = [Tensor(a, requires_grad=True) for a in qkv]
            functional.scaled_dot_product_attention(*tensors, is_causal=True).backward(g)
            expected = tuple(tensor.grad.data for tensor in tensors)
            p = functional.scaled_dot_product_attention(*qkv[:2], np.broadcast_to(np.eye(T), (*before, T, T)), is_causal=True)
            q, k, v = qkv
            check.close(yours.attention_rule(g, p, q, k, v), expected, "the reference's gradients", rtol=1e-10)
            check.untouched("g, p, q, k and v stay as they were")
            # Gradients are in proportion to g; that of v does not depend on v, those of q and k are in proportion to it.
            large = yours.attention_rule(g, p, q, k, 1e12 * v)
            check.close(large[2], expected[2], "large values", rtol=1e-10)
            tiny = yours.attention_rule(g, p, q, k, 1e-300 * v)
            wanted = 1e-300 * expected[0], 1e-300 * expected[1], expected[2]
            check.close(tiny[:2], wanted[:2], "tiny values", rtol=1e-10, atol=1e-309)
            check.close(tiny[2], wanted[2], "tiny values", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# Is it right? Ask the composition in the reference engine, and a difference quotient.

# %%
def two_other_ways():
    rng = np.random.default_rng(0)
    q, k, v, g = rng.standard_normal((4, 2, 5, 3))
    direction = rng.standard_normal((3, 2, 5, 3))
    ours = attention_rule(g, attention(q, k, v)[1], q, k, v)
    tensors = [engine.Tensor(a, requires_grad=True) for a in (q, k, v)]
    scores = tensors[0] @ tensors[1].swapaxes(-1, -2) / np.sqrt(3)
    weights = scores.masked_fill(~np.tri(5, dtype=bool), -np.inf).softmax(axis=-1)
    (weights @ tensors[2]).backward(g)
    off = max(abs(a - tensor.grad.data).max() for a, tensor in zip(ours, tensors))
    print("as the composition:", off < 1e-12)
    ends = []
    for h in (1e-5, -1e-5):
        there = (x + h * u for x, u in zip((q, k, v), direction))
        ends.append((g * attention(*there)[0]).sum())
    along = sum((a * u).sum() for a, u in zip(ours, direction))
    print(f"along a direction:  {along:.6f}, by difference quotient {(ends[0] - ends[1]) / 2e-5:.6f}")


two_other_ways()

# %% [markdown]
# ## 6. Several heads, and a bug hunt
#
# One average mixes all that it looks at. To look at two places for two reasons, the width D is
# split into *heads*. Each attends for itself, with D / heads numbers.
#
# ```text
# (B, T, D)           queries, keys or values
# (B, T, heads, d)    the width, cut in pieces
# (B, heads, T, d)    heads before positions: now `attention` works
# (B, T, D)           back, and side by side
# ```
#
# A colleague wrote the way there and back. The shapes fit, the round trip gives what it got, and something is wrong.


# %% given="colleague"
def colleague_split(x, heads):
    """(B, T, D) to (B, heads, T, D / heads)."""
    b, t, width = x.shape
    return x.reshape(b, heads, t, width // heads)


def colleague_merge(x):
    """(B, heads, T, d) to (B, T, heads * d)."""
    b, heads, t, d = x.shape
    return x.reshape(b, t, heads * d)


# %% [markdown]
# The tool: change one position's input (a column), and see which outputs (rows) move. Each should depend on all inputs
# up to its own. What to see: three rows that should be longer.


# %% given="influence"
def influence(split, merge, T=6, heads=2):
    """Which outputs (rows) move when one input (column) is changed: (T, T) of 0 and 1."""
    attend = engine.functional.scaled_dot_product_attention
    x = np.random.default_rng(0).standard_normal((1, T, 8))

    def run(x):
        return merge(attend(*[split(part, heads) for part in (x, 2 * x, x + 1)], is_causal=True))

    moves = np.zeros((T, T))
    for s in range(T):
        there = x.copy()
        there[0, s] += 1.0
        moves[:, s] = abs(run(there) - run(x))[0].max(axis=-1) > 1e-9
    return moves


# %% figure="moves"
def moves():
    x = np.arange(24.0).reshape(1, 3, 8)
    print("round trip:", np.array_equal(colleague_merge(colleague_split(x, 2)), x))
    plots.matrix(influence(colleague_split, colleague_merge), annotate=False, title="the colleague's")


moves()

# %% [markdown]
# ### Exercise `mended_split` (3 points)
# Write `mended_split` and `mended_merge`. Head h has the columns from h · d on, of every position.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What is in head 0? `colleague_split(np.arange(24.0).reshape(1, 3, 8), 2)[0, 0]`: position 0 whole, and half of 1.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return x.reshape(..., ..., ..., ...).swapaxes(..., ...)      # the split: first cut the width
# return x.swapaxes(..., ...).reshape(...)                     # the merge: the other way around
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# `reshape` never changes the order of numbers. To bring heads before positions, axes have to change places.
# </details>


# %% exercise="mended_split"
def mended_split(x, heads):
    """(B, T, D) to (B, heads, T, D / heads): head h has the columns from h * D / heads on."""
    ### BEGIN SOLUTION
    b, t, width = x.shape
    return x.reshape(b, t, heads, width // heads).swapaxes(1, 2)
    ### END SOLUTION


def mended_merge(x):
    """(B, heads, T, d) to (B, T, heads * d): the heads side by side."""
    ### BEGIN SOLUTION
    b, heads, t, d = x.shape
    return x.swapaxes(1, 2).reshape(b, t, heads * d)
    ### END SOLUTION


# %% check="mended_split" points=3
with exercise("mended_split") as check:
    x = floats([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
    first, second = floats([0, 1], [4, 5], [8, 9]), floats([2, 3], [6, 7], [10, 11])
    check.close(yours.mended_split(x, 2), floats([first, second]), "left, and right half")
    check.untouched("x stays as it was")
    check.close(yours.mended_merge(floats([first, second])), x, "side by side again")
    check.close(yours.mended_split(x, 4)[0, 2], floats([2], [6], [10]), "a column each")
    two = np.concatenate([x, -x])
    check.close(yours.mended_split(two, 2)[1], floats(-first, -second), "the second one")
    got = yours.mended_merge(floats([first[:2]] * 3, [second[:2]] * 3))
    expected = floats([[0, 1] * 3, [4, 5] * 3], [[2, 3] * 3, [6, 7] * 3])
    check.close(got, expected, "three heads of two positions, two sequences")
    ### BEGIN HIDDEN TESTS
    from autograder import array, probe

    @probe
    def of_turned(x, heads):
        """The split, and the merge of it, of arrays whose numbers lie in memory in another order."""
        parts = mended_split(np.asfortranarray(x), heads)
        return parts, mended_merge(np.asfortranarray(parts))

    check.close(of_turned(x, 2), (floats([first, second]), x), "however the numbers lie in memory")
    for b, t, heads, d in ((1, 1, 2, 3), (2, 5, 3, 2), (3, 2, 1, 4), (2, 4, 5, 1), (2, 3, 4, 3)):
        (x,), = check.cases(1, array(b, t, heads * d))
        expected = np.stack([x[:, :, h * d : h * d + d] for h in range(heads)], axis=1)
        check.close(yours.mended_split(x, heads), expected, "head h: the columns from h · d on", rtol=1e-10)
        check.untouched()
        check.close(yours.mended_merge(expected), x, "the heads side by side", rtol=1e-10)
        check.untouched()
    ### END HIDDEN TESTS

# %% figure="moves_mended"
def moves_mended():
    theirs, ours = influence(colleague_split, colleague_merge), influence(mended_split, mended_merge)
    plots.matrices({"the colleague's": theirs, "yours": ours}, annotate=False)


moves_mended()

# %% [markdown]
# ## 7. The same rows in another order
#
# **Predict, then run.** Five vectors go through attention. Then the first four are put in the opposite order. Does the
# output of the last position change? (0: no, 1: yes)

# %%
prediction = None

if predicted(prediction, "order_of_the_past"):
    x = np.random.default_rng(0).standard_normal((5, 4))
    turned = x[[3, 2, 1, 0, 4]]
    moved = abs(attention(x, 2 * x, x + 1)[0][-1] - attention(turned, 2 * turned, turned + 1)[0][-1]).max()
    print("largest change:", moved.round(12), " changed:", int(moved > 1e-9))

# %% [markdown]
# An average knows no order. So each position gets a vector added that says *where* it stands: its row of a table. A
# learnt table ends somewhere. One of waves goes on, and its numbers stay between -1 and 1. Row t has
#
# $$\mathrm{table}_{t,2i}=\sin\frac{t}{10000^{2i/d}}\qquad\mathrm{table}_{t,2i+1}=\cos\frac{t}{10000^{2i/d}}$$
#
# ### Exercise `sinusoids` (2 points)
# Return a new table (n, d) for n positions; d is even.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A column of positions over a row of d / 2 wave lengths: all angles at once.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / ...)
# table = np.empty((n, d))
# table[:, 0::2] = ...
# table[:, 1::2] = ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A sine and the cosine beside it have the same angle. Exponents: 0, 2/d, 4/d.
# </details>


# %% exercise="sinusoids"
def sinusoids(n, d):
    """A new table of sines in the even columns, cosines of the same angles in the odd ones: (n, d)."""
    ### BEGIN SOLUTION
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.empty((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table
    ### END SOLUTION


# %% probes="sinusoids"
@probe
def sinusoids_again(n, d):
    """sinusoids(n, d), after a second one was made and written into."""
    first = sinusoids(n, d)
    sinusoids(n, d)[...] = 7.0
    return first


# %% check="sinusoids" points=2
with exercise("sinusoids") as check:
    check.close(yours.sinusoids(1, 6), floats([0, 1, 0, 1, 0, 1]), "position 0: angles 0")
    expected = floats(np.sin(1), np.cos(1), np.sin(1 / 100), np.cos(1 / 100))
    check.close(yours.sinusoids(3, 4)[1], expected, "d = 4: a wave 100 times as long")
    angles, row = floats(5, 0.5, 0.05, 0.005), yours.sinusoids(7, 8)[5]
    check.close(row[0::2], np.sin(angles), "d = 8: each wave is 10 times as long, sines")
    check.close(row[1::2], np.cos(angles), "and cosines of the same angles")
    expected = floats([0, 1], [np.sin(1), np.cos(1)], [np.sin(2), np.cos(2)])
    check.close(yours.sinusoids(3, 2), expected, "d = 2: one wave, sin t and cos t")
    check.close(sinusoids_again(3, 2), expected, "a new table each time")
    ### BEGIN HIDDEN TESTS
    import math

    for n, d in ((1, 2), (7, 6), (4, 10), (30, 4), (3, 16), (700, 2), (3, 128)):
        expected = np.zeros((n, d))
        for t, i in np.ndindex(n, d):
            angle = t / 10000 ** ((i - i % 2) / d)
            expected[t, i] = math.cos(angle) if i % 2 else math.sin(angle)
        check.close(yours.sinusoids(n, d), expected, "each wave, at each position", rtol=1e-10)
        check.close(sinusoids_again(n, d), expected, "each call gives a new table", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# What to see: on the left, from -1 (blue) to 1, the last columns hardly change: a sine near 0
# beside a cosine near 1. On the right, products of
# rows: they are the same along a diagonal, so they depend on the *distance* alone. For each wave,
# $\sin t\sin s+\cos t\cos s=\cos(t-s)$.


# %% figure="waves"
def waves():
    table = sinusoids(32, 32)
    alike = table @ table.T
    for k in (1, 5):
        along = np.diagonal(alike, k)
        print(f"distance {k}: products from {along.min():.3f} to {along.max():.3f}")
    left, right = plots.panels(2, height=3.6)
    plots.matrix(table, annotate=False, title="position by column", ax=left)
    plots.matrix(alike, title="products, position by position", ax=right)  # 1,024 numbers give way to a scale


waves()

# %% [markdown]
# ## 8. Thirty blocks deep
#
# A *residual* block adds what it computes to what it got, $y=x+f(x)$, so the
# gradient has a way around f. `LayerNorm` (unit 08) in front of f keeps its input at one size. First both in a smaller
# block, of a tanh; below around your attention: $y=x+\tanh(\mathrm{normalise}(x)\,W)$.


# %% given="normalise"
def normalise(x):
    """Each row of x (T, C), with mean 0 and variance 1."""
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def normalise_rule(g, x):
    """The gradient of x, given the gradient g of normalise(x)."""
    n = normalise(x)
    centred = g - g.mean(axis=-1, keepdims=True) - n * (g * n).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


# %% [markdown]
# ### Exercise `block_rule` (3 points)
# Return, by hand again, the gradients of `x` (T, C) and `W` (C, C), given `g` of y.
#
# <details><summary>Hint 1: a sketch</summary>
#
# x is used twice, so its gradient has two parts (unit 03).
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# n = normalise(x)
# inner = g * (...)              # behind it: n @ W; the slope of tanh
# to_W = ...
# to_n = ...
# return ... + normalise_rule(...), to_W
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `normalise_rule` needs x itself, not n. W sees n, not x.
# </details>


# %% exercise="block_rule"
def block_rule(g, x, W):
    """The gradients of x (T, C) and W (C, C), given the gradient g of x + tanh(normalise(x) @ W)."""
    ### BEGIN SOLUTION
    n = normalise(x)
    inner = g * (1 - np.tanh(n @ W) ** 2)
    return g + normalise_rule(inner @ W.T, x), n.T @ inner
    ### END SOLUTION


# %% probes="block_rule"
def block_by_quotients(g, x, W):
    """The gradient of x by difference quotients."""
    found = np.empty(x.shape)
    for at in np.ndindex(x.shape):
        h = np.zeros(x.shape)
        h[at] = 1e-5
        ends = []
        for there in (x + h, x - h):
            n = (there - there.mean(axis=-1, keepdims=True)) / np.sqrt(there.var(axis=-1, keepdims=True) + 1e-5)
            ends.append((g * (there + np.tanh(n @ W))).sum())
        found[at] = (ends[0] - ends[1]) / 2e-5
    return found


# %% check="block_rule" points=3
with exercise("block_rule") as check:
    x, g = floats([1, 3, 2, 2], [6, 0, 0, 6]), floats([5, 7, 0, 1], [1, 0, -2, 0])
    W = floats([1, 0, 0, 0], [0, 0, -2, 0], [0, 1, 0, 0], [0, 0, 0, 3]) / 4
    n = (x - floats([2], [3])) / np.sqrt(floats([0.5], [9]) + 1e-5)
    check.close(yours.block_rule(g, x, 0 * W)[1], n.T @ g, "W = 0: tanh has the slope 1")
    check.close(yours.block_rule(0 * g, x, W), (0 * g, 0 * W), "nothing arrives")
    to_x, to_W = yours.block_rule(g, x, W)
    check.close(to_W, n.T @ (g / np.cosh(n @ W) ** 2), "1 - tanh² is 1 / cosh²")
    expected = block_by_quotients(g, x, W)
    check.close(to_x, expected, "g, and what comes through tanh, W and the norm", atol=1e-6)
    check.untouched("g, x and W stay as they were")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor, functional
    from autograder import array

    for T, C in ((1, 3), (4, 3), (2, 5), (3, 4)):
        for x, W, g in check.cases(3, array(T, C), array(C, C), array(T, C)):
            for size, scale in ((1.0, 0.3), (1e-3, 0.3), (1.0, 1e4)):
                rows, weights = size * x, scale * W
                tensors = Tensor(rows, requires_grad=True), Tensor(weights, requires_grad=True)
                (tensors[0] + (functional.layer_norm(tensors[0], C) @ tensors[1]).tanh()).backward(g)
                expected = tuple(tensor.grad.data for tensor in tensors)
                check.close(yours.block_rule(g, rows, weights), expected, "the reference's gradients", rtol=1e-10)
            check.untouched("g, x and W stay as they were")
            # Beside 1e-5 the spread of tiny rows is nothing, so the norm is a factor there.
            tiny = 1e-300 * (x - x.mean(axis=-1, keepdims=True))
            wanted = tiny.T @ g / 1e-5**0.5
            check.close(yours.block_rule(g, tiny, 0.3 * W)[1], wanted, "tiny rows", rtol=1e-9, atol=1e-309)
    ### END HIDDEN TESTS

# %% [markdown]
# Your rule, thirty times: the gradient of the first input, and a difference quotient.

# %%
def your_thirty_blocks():
    rng = np.random.default_rng(0)
    x, direction, g = rng.standard_normal((3, 4, 8))
    weights = 0.5 * rng.standard_normal((30, 8, 8))

    def inputs_of_blocks(x):
        found = [x]
        for W in weights:
            found.append(found[-1] + np.tanh(normalise(found[-1]) @ W))
        return found

    *inputs, out = inputs_of_blocks(x)
    ahead, behind = (inputs_of_blocks(x + h * direction)[-1] for h in (1e-5, -1e-5))
    to_x = g
    for before, W in zip(inputs[::-1], weights[::-1]):
        to_x, _ = block_rule(to_x, before, W)
    print(f"along a direction: {(to_x * direction).sum():.6f}, by difference quotient {(g * (ahead - behind)).sum() / 2e-5:.6f}")
    ahead, behind = (np.sqrt((there**2).mean()) for there in (to_x, g))
    print(f"size of the gradient behind the last block {behind:.2f}, in front of the first {ahead:.2f}: "
          f"{(ahead / behind) ** (1 / 30):.2f} times per block, so it is neither lost nor blown up")


your_thirty_blocks()

# %% [markdown]
# The gradient through 30 blocks of your attention, from right to left, by your rule, with random weights a little too
# small, and a little too large. What to see: bare blocks lose the gradient, or blow it up. Residuals save the small
# case (their curves lie together), and with LayerNorm the large one is tamed as well: x grows from block to block, and
# the rule of the norm divides by its size.


# %% figure="thirty"
def thirty():
    def sizes_of_gradients(scale, residual, norm):
        rng = np.random.default_rng(0)
        x, blocks = rng.standard_normal((4, 12, 32)), []
        for _ in range(30):
            *qkv, wo = scale * rng.standard_normal((4, 32, 32)) / np.sqrt(32)
            seen = normalise(x) if norm else x
            parts = [seen @ w for w in qkv]
            out, p = attention(*parts)
            blocks.append((x, qkv, wo, p, parts))
            x = x * residual + out @ wo
        g, sizes = rng.standard_normal(x.shape), []
        for x, qkv, wo, p, parts in reversed(blocks):
            found = attention_rule(g @ wo.T, p, *parts)
            to_seen = sum(to_part @ w.T for to_part, w in zip(found, qkv))
            g = g * residual + (normalise_rule(to_seen, x) if norm else to_seen)
            sizes.append(float(np.sqrt((g**2).mean())))
        return sizes[::-1]

    ways = {"bare": (False, False), "residual": (True, False), "residual and LayerNorm": (True, True)}
    for scale, ax in zip((0.5, 1.25), plots.panels(2)):
        found = {name: sizes_of_gradients(scale, *way) for name, way in ways.items()}
        plots.layer_statistics(found, title=f"Weights times {scale}", ylabel="size of the gradient", xlabel="block", ax=ax)
        print(f"times {scale}, at the first block:", ", ".join(f"{name} {sizes[0]:.0e}" for name, sizes in found.items()))


thirty()

# %% [markdown]
# ## 9. A task that needs attention
#
# Six digits, a bar, and the same digits backwards: `314159|95141`, then 3. Each position from the bar on has to name
# what comes next. The network: a vector for each token and for each position, one head of attention **of your own**, a
# residual, a linear layer. Beside it one with a relu in place of attention.


# %% given="reverser"
DIGITS, BAR = 6, 10


def own_attention(heads):
    """Your attention and your rule, as an operation of the engine; with several heads, your split and your merge."""

    class Own(engine.Function):
        @staticmethod
        def forward(ctx, *qkv):
            parts = [x.data if heads == 1 else mended_split(x.data, heads) for x in qkv]
            out, p = attention(*parts)
            ctx.kept = p, *parts
            return engine.Tensor(out if heads == 1 else mended_merge(out))

        @staticmethod
        def backward(ctx, g):
            found = attention_rule(g.data if heads == 1 else mended_split(g.data, heads), *ctx.kept)
            return tuple(engine.Tensor(x if heads == 1 else mended_merge(x)) for x in found)

    return Own.apply


class Reverser:
    """Tokens (B, T) to logits (B, T, 11 · answers). heads=0: no attention. places: "learnt", "waves" or "none"."""

    def __init__(self, heads=1, places="learnt", answers=1, divided=True, width=32):
        nn = engine.nn
        self.token, self.place = nn.Embedding(11, width), nn.Embedding(2 * DIGITS, width)
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.out, self.width, self.places = nn.Linear(width, 11 * answers), width, places
        self.attend = own_attention(heads) if heads else None
        self.times = 1.0 if divided else np.sqrt(width // heads)  # of a query: it undoes the division

    def parameters(self):
        layers = self.token, self.place, self.query, self.key, self.value, self.out
        return [parameter for layer in layers for parameter in layer.parameters()]

    def vectors(self, tokens):
        x, T = self.token(tokens), tokens.shape[1]
        if self.places == "waves":
            return x + sinusoids(T, self.width)
        return x + self.place(np.arange(T)) if self.places == "learnt" else x

    def __call__(self, tokens):
        x = self.vectors(tokens)
        if self.attend is None:
            return self.out(x + self.value(x).relu())
        return self.out(x + self.attend(self.times * self.query(x), self.key(x), self.value(x)))


# %% [markdown]
# The tasks, and the training:

# %% given="training"
def backwards(rng, n):
    """Tokens (n, 12), and what each position from the bar on has to name (n, 6, 1)."""
    digits = rng.integers(0, 10, (n, DIGITS))
    # digits[:, :0:-1]: from the last to the second; the first is only asked for
    return np.hstack([digits, np.full((n, 1), BAR), digits[:, :0:-1]]), digits[:, ::-1, None]


def two_at_once(rng, n):
    """The same with two digits to be named (n, 6, 2): the one backwards, and the very first."""
    tokens, wanted = backwards(rng, n)
    return tokens, np.dstack([wanted, np.repeat(tokens[:, :1, None], DIGITS, axis=1)])


def train(heads=1, places="learnt", task=backwards, divided=True, steps=150, seed=0, network=None):
    """A trained network, its losses, and the share that it names rightly behind the bar, of 1,000 new sequences."""
    engine.nn.manual_seed(seed)
    model = network() if network else Reverser(heads, places, 2 if task is two_at_once else 1, divided)
    rng = np.random.default_rng(seed)
    optimizer, losses = engine.optim.AdamW(model.parameters(), lr=0.01), []
    for step in range(steps):
        # up for 20 steps, then down along half a cosine, to 0
        optimizer.lr = 0.01 * min(1.0, (step + 1) / 20) * (0.5 + 0.5 * np.cos(np.pi * step / steps))
        tokens, wanted = task(rng, 64)
        optimizer.zero_grad()
        loss = engine.functional.cross_entropy(model(tokens)[:, DIGITS:].reshape(-1, 11), wanted.ravel())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    tokens, wanted = task(rng, 1000)
    named = model(tokens).data[:, DIGITS:].reshape(*wanted.shape, 11).argmax(axis=-1)
    return model, losses, (named == wanted).all(axis=-1).mean()


# %% [markdown]
# What to see: with attention the loss goes to 0. Without the root of d two seeds stop above it, and two do not. Without
# positions the network knows which digits there are, not where. Without attention it stops at log 10, where all ten
# digits are equally likely: it sees one token, not the one that is asked for.


# %% figure="toy"
def toy():
    ways = {
        "with attention": {},
        "without the root": {"divided": False},
        "without positions": {"places": "none"},
        "without attention": {"heads": 0},
    }
    curves, models = {}, []
    print("right behind the bar, with the seeds 0 to 3 (the curves are of 0)")
    for name, way in ways.items():
        runs = [train(seed=seed, **way) for seed in range(4)]
        print(f"{name:18}", *(f"{right:7.1%}" for _, _, right in runs))
        models.append(runs[0][0])
        curves[name] = runs[0][1]
    print(f"log 10 is {np.log(10):.2f}, and the last loss without attention {np.mean(curves['without attention'][-50:]):.2f}")
    plots.learning_curves(curves)
    return models[:2]


TRAINED, ROOTLESS = toy()

# %% [markdown]
# The weights of seed 0 for `314159|95141`. What to see: with the root a diagonal leads *backwards*. Without it rows 6
# and 10 give the bar the weight 1, where the slope is 0.


# %% figure="read"
def read():
    tokens, found = np.array([[3, 1, 4, 1, 5, 9, BAR, 9, 5, 1, 4, 1]]), {}
    for name, model in (("with the root", TRAINED), ("without the root", ROOTLESS)):
        x = model.vectors(tokens)
        _, p = attention(model.times * model.query(x).data, model.key(x).data, model.value(x).data)
        found[name] = p[0, DIGITS:]
        at, by = found[name].argmax(axis=1), found[name].max(axis=1)
        print(f"{name}: rows 6 to 11 look most at", at.tolist(), "by", by.round(3).tolist())
    plots.matrices(found, annotate=False, rows=[f"{i}:  {'314159|95141'[i]}" for i in range(DIGITS, 12)])


read()

# %% [markdown]
# One block needs no residual. Here are six, one behind the other. What to see: bare ones learn little in 100 steps, and
# with LayerNorm the loss gets lowest.


# %% figure="deep"
class Deep(Reverser):
    """Several blocks of one head each, one behind the other."""

    def __init__(self, blocks, residual=False, norm=False):
        super().__init__()
        linear = engine.nn.Linear
        self.blocks = [[linear(self.width, self.width, bias=False) for _ in range(3)] for _ in range(blocks)]
        self.residual, self.norm = residual, norm

    def parameters(self):
        layers = [layer for block in self.blocks for layer in block]
        return [parameter for layer in (self.token, self.place, *layers, self.out) for parameter in layer.parameters()]

    def __call__(self, tokens):
        x = self.vectors(tokens)
        for query, key, value in self.blocks:
            seen = engine.functional.layer_norm(x, self.width) if self.norm else x
            out = self.attend(query(seen), key(seen), value(seen))
            x = x + out if self.residual else out
        return self.out(x)


def deep():
    curves = {}
    print(f"one block, bare {train(network=lambda: Deep(1))[2]:.1%}")
    ways = {"bare": (False, False), "residual": (True, False), "residual and LayerNorm": (True, True)}
    for name, way in ways.items():
        _, curves[name], right = train(steps=100, network=lambda: Deep(6, *way))
        print(f"six blocks, {name:22} {right:6.1%}, last loss {np.mean(curves[name][-10:]):.4f}")
    found = {name: (np.arange(100), losses) for name, losses in curves.items()}
    plots.lines(found, log="y", xlabel="step", ylabel="loss")


deep()

# %% [markdown]
# First with your `sinusoids`. Then each position has to name two digits: the one backwards *and* the first.
#
# **Predict, then run.** Which share of these pairs does one head of 32 numbers get right, and which two heads of 16
# each?

# %%
prediction = (None, None)  # shares, from 0 to 1

if predicted(prediction, "one_head_and_two"):
    print(f"backwards, by waves {train(places='waves')[2]:.1%}")
    for heads in (1, 2):
        print(f"two at once, heads: {heads}, right: {train(heads, task=two_at_once)[2]:.1%}")

# %% [markdown]
# One head has one row of weights per position; a blend of two digits names neither. It took one digit alone, here the
# first, always named it, and guessed the other, right one time in ten; at the last position both are the same. That
# makes $1/6+5/6\cdot1/10=25\,\%$. Two heads take one each.


# %% figure="two_heads"
def two_heads():
    example, found = np.array([[3, 1, 4, 1, 5, 9, BAR, 9, 5, 1, 4, 1]]), {}
    for heads in (1, 2):
        model, _, _ = train(heads, task=two_at_once)
        tokens, wanted = two_at_once(np.random.default_rng(1), 1000)
        named = model(tokens).data[:, DIGITS:].reshape(*wanted.shape, 11).argmax(axis=-1)
        for at, what in enumerate(("the one backwards", "the first")):
            print(f"heads: {heads}, {what}, right in rows 6 to 11:", (named == wanted)[..., at].mean(axis=0).round(2))
        x = model.vectors(example)
        _, p = attention(*(mended_split(layer(x).data, heads) for layer in (model.query, model.key, model.value)))
        found |= {f"head {h} of {heads}": p[0, h, DIGITS:] for h in range(heads)}
    plots.matrices(found, annotate=False, rows=range(6, 12), columns=[*"314159|95141"])


two_heads()

# %% [markdown]
# ## 10. From an empty cell: attention in pieces
#
# Weights are T by T numbers, for each head. For 100,000 positions that is 40 gigabytes in float32, while q, k and v
# grow with T alone. The way out: take keys and values in pieces, and keep three things of what has been seen:
#
# ```text
# m      the largest score
# l      the sum of exp(score - m)
# acc    the sum of exp(score - m) · value, an array
# ```
#
# For one query m and l are numbers. At the end `acc / l` is the output: exp(-m) is in both. Nothing seen yet
# is (-inf, 0.0, zeros).
#
# **Predict, then run.** The scores 0, 1, 2 were seen, then comes 4. By what is the old sum multiplied?

# %%
prediction = None

if predicted(prediction, "a_larger_score_comes"):
    scores = floats(0, 1, 2)
    print("measured", (np.exp(scores - 4).sum() / np.exp(scores - 2).sum()).round(4), " exp(2 - 4):", np.exp(-2.0).round(4))

# %% [markdown]
# ### Exercise `merged` (3 points)
# Write `merged(a, b)`: of two such triples `(m, l, acc)`, of different pieces, return that of both together.
# Scores may be as large as 10,000, or all below 0, or one of the two may have seen nothing.
#
# <details><summary>Hint 1: how to begin</summary>
#
# Two triples of one score each, on paper: what does the other sum have to be multiplied by?
# </details>
# <details><summary>Hint 2: what to look for</summary>
#
# Both sums are brought to the larger m by the same formula.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# NaN: -inf minus -inf, when neither has seen anything. `acc` is multiplied like `l`. `+=` changes an
# array that came in.
# </details>


# %% exercise="merged"
def merged(a, b):
    ### BEGIN SOLUTION
    (m_a, l_a, acc_a), (m_b, l_b, acc_b) = a, b
    m = max(m_a, m_b)
    if m == -np.inf:
        return a
    by_a, by_b = np.exp(m_a - m), np.exp(m_b - m)
    return m, l_a * by_a + l_b * by_b, acc_a * by_a + acc_b * by_b
    ### END SOLUTION


# %% check="merged" points=3
with exercise("merged") as check:
    low, high = (0.0, 3.0, floats(6, -3)), (np.log(3), 5.0, floats(8, 4))
    check.close(yours.merged(low, high), (np.log(3), 6.0, floats(10, 3)), "a third of low")
    check.untouched("both triples stay as they were")
    check.close(yours.merged(low, low), (0.0, 6.0, floats(12, -6)), "same m: both")
    low, high = (-10_050.0, 1.0, floats(np.exp(50))), (-1e4, 2.0, floats(5))
    check.close(yours.merged(high, low), (-1e4, 2.0, floats(6)), "exp(50), 50 lower: 5 + 1")
    check.untouched("nor is one changed where the first has the larger m")
    empty = (-np.inf, 0.0, floats(0))
    check.close(yours.merged(empty, high), high, "the first has seen nothing")
    check.close(yours.merged(high, empty), high, "the second has seen nothing")
    check.close(yours.merged(empty, empty), empty, "neither has")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, number

    check.close(yours.merged(high, empty), high, "one has seen nothing, the other way around")
    check.untouched()
    empty = (-np.inf, 0.0, floats(0, 0, 0))
    check.close(yours.merged(empty, empty), empty, "neither has, of three columns")
    (acc,), (more,) = check.cases(2, array(4))
    for m in (-1e6, -1e4, -2.0, 0.0, 7.0):
        got = yours.merged((m, 1.5, acc), (m, 2.0, more))
        check.close(got, (m, 3.5, acc + more), "the same largest score: the sums are added up", rtol=1e-10)
    for one, other in ((1e4, -1e4), (9e3, 1e4), (-745.0, 0.0), (-10_030.0, -10_029.0), (-1e5, -1e5 - 1)):
        (acc,), (more,) = check.cases(2, array(3))
        m = max(one, other)
        by = np.exp(one - m), np.exp(other - m)
        expected = m, 2.0 * by[0] + 3.0 * by[1], acc * by[0] + more * by[1]
        check.close(yours.merged((one, 2.0, acc), (other, 3.0, more)), expected, "far apart", rtol=1e-10)
    for m in (-1.0, 0.0, 2.0):  # values that are all 0 have been seen
        got = yours.merged((m, 1.5, 0 * acc), (0.5, 2.0, more))
        top = max(m, 0.5)
        by = np.exp(m - top), np.exp(0.5 - top)
        check.close(got, (top, 1.5 * by[0] + 2.0 * by[1], more * by[1]), "values of 0 count in l", rtol=1e-10)
    for gap in (12.0, 20.0, 36.0, 80.0, 300.0, 690.0):  # however small its factor is, large values are seen
        (acc,), (more,) = check.cases(2, array(2))
        one, other = (7.0, 2.0, acc), (7.0 - gap, 3.0, more * np.exp(gap))
        expected = 7.0, 2.0 + 3.0 * np.exp(-gap), acc + more
        check.close(yours.merged(one, other), expected, "far apart, and large values", rtol=1e-9)
        check.close(yours.merged(other, one), expected, "far apart, and large values", rtol=1e-9)
    for n, cut, shift in check.cases(12, integer(2, 9), integer(1, 8), number(-9e3, 9e3)):
        (scores, values), = check.cases(1, array(n), array(n, 2))
        scores, cut, parts = scores + shift, min(cut, n - 1), []
        for s, v in ((scores[:cut], values[:cut]), (scores[cut:], values[cut:]), (scores, values)):
            e = np.exp(s - s.max())
            parts.append((float(s.max()), float(e.sum()), e @ v))
        check.close(yours.merged(*parts[:2]), parts[2], "as if seen at once", rtol=1e-9)
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# A query meets 4,096 keys, in pieces of 64. What to see: where a much larger score comes, the sum drops, for it is
# brought to the new m. After the last piece the answer is that of a softmax of the whole row.


# %% figure="pieces"
def pieces():
    rng = np.random.default_rng(0)
    scores, values = 2 * rng.standard_normal(4096), rng.standard_normal((4096, 3))
    e = np.exp(scores - scores.max())
    whole, seen, states = e @ values / e.sum(), (-np.inf, 0.0, np.zeros(3)), []
    for start in range(0, 4096, 64):
        s, v = scores[start : start + 64], values[start : start + 64]
        seen = merged(seen, (s.max(), np.exp(s - s.max()).sum(), np.exp(s - s.max()) @ v))
        states.append((seen[0], seen[1], abs(seen[2] / seen[1] - whole).max()))
    largest, sums, off = np.array(states).T
    left, middle, right = plots.panels(3)
    n = np.arange(1, 65)
    plots.lines({"m": (n, largest)}, title="m, the largest score", xlabel="piece", ax=left)
    plots.lines({"l": (n, sums)}, title="l, the sum", xlabel="piece", ax=middle)
    plots.lines({"error": (n, np.maximum(off, 1e-16))}, log="y", title="Distance to the whole", xlabel="piece", ax=right)
    print("the same at the end:", off[-1] < 1e-12)
    print(f"scores and sums that have to be held at once: {64 + 2 + 3} in place of {4096 + 3}")


pieces()

# %% [markdown]
# ## In your own words
#
# In three sentences: what do a query, a key and a value do, why is the mask put on before the softmax, and what does
# the root of d prevent?
#
# <details><summary>One way to say it</summary>
#
# A query says what a position looks for, a key what one offers; their product makes the weight of its value.
# Before the softmax a mask takes the future out of the sum as well. Products of d
# terms spread as the root of d; undivided, one weight takes all, and the softmax sends back little.
# </details>
#
# ## The same elsewhere
#
# Where PyTorch is installed, this cell compares your attention, its gradients and your heads.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
q, k, v, g = rng.standard_normal((4, 2, 6, 8))
heads = [mended_split(x, 4) for x in (q, k, v, g)]
out, p = attention(*heads[:3])
ours = [mended_merge(out), *map(mended_merge, attention_rule(heads[3], p, *heads[:3]))]
try:
    import torch

    tensors = [torch.tensor(x, requires_grad=True) for x in (q, k, v)]
    split = [t.view(2, 6, 4, 2).transpose(1, 2) for t in tensors]
    out = torch.nn.functional.scaled_dot_product_attention(*split, is_causal=True)
    out = out.transpose(1, 2).reshape(2, 6, 8)
    out.backward(torch.tensor(g))
    theirs = [out.detach(), *(t.grad for t in tensors)]
    print("all agree:", all(np.allclose(a, b.numpy()) for a, b in zip(ours, theirs)))
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | the mask of `causal_softmax` | `scores.masked_fill(~torch.ones(T, T, dtype=bool).tril(), -torch.inf)` |
# | `attention` | `F.scaled_dot_product_attention(q, k, v, is_causal=True)` |
# | `mended_split`, `mended_merge` | `unflatten` and `transpose`, `transpose` and `flatten` |
# | `query`, `key`, `value` and your heads; a linear layer follows there | `nn.MultiheadAttention`, whose boolean mask is True where it is *forbidden* to look |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the loss is too good, the samples are bad | a mask that lets the future in |
# | NaN in row 0 | a mask that covers the diagonal |
# | learns, and worse than it should | heads mixed with positions; a root of another axis; no positions |
#
# ## Who found it
#
# - Dzmitry Bahdanau, Kyunghyun Cho and Yoshua Bengio, [2014](https://arxiv.org/abs/1409.0473): a translator that learns
#   where to look.
# - Ashish Vaswani and others, [2017](https://arxiv.org/abs/1706.03762): attention alone, scaled, with heads and waves.
# - Maxim Milakov and Natalia Gimelshein, [2018](https://arxiv.org/abs/1805.02867): a softmax in one pass.
# - Tri Dao and others, [2022](https://arxiv.org/abs/2205.14135): FlashAttention, in pieces, without the T by T weights.
#
# ## One thing to try next
# Ten seeds without the root of d: how many stop?

# %% progress="here"
