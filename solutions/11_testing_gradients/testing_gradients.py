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
#     unit: 11_testing_gradients
#     allow: [autograd_ref.tensor, autograd_ref.ops, autograd_ref.sweep, autograd_ref.modes, autograd_ref.nn, autograd_ref.optim, autograd_ref.functional, autograd_ref.graph, autograd_ref.plots]
#     title: "Testing gradients: find what is wrong"
# ---

# %% [markdown]
# # Testing gradients: find what is wrong
#
# Six wrong rules for tanh(x @ w), and six ways to draw the inputs of a test. White: a fault that stays hidden. Only
# random directions at ordinary inputs find all six. You write the tests, judged by the faults that they find.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots

    def right(g, x, w):
        s = g * (1 - np.tanh(x @ w) ** 2)
        return s @ w.T, x.T @ s

    def only_g(g, x, w):
        return g @ w.T, x.T @ g

    def no_g(g, x, w):
        return right(np.ones_like(g), x, w)

    def not_transposed(g, x, w):
        s = g * (1 - np.tanh(x @ w) ** 2)
        return s @ w, x.T @ s

    def all_rows_alike(g, x, w):
        to_x, to_w = right(g, x, w)
        return np.tile(to_x.mean(axis=0), (len(x), 1)), to_w

    def without_signs(g, x, w):
        s = g * (1 - np.tanh(x @ w) ** 2)
        return s @ np.abs(w).T, np.abs(x).T @ s

    def shared_out(g, x, w):
        to_x, to_w = right(g, x, w)
        return to_x[:, ::-1], to_w

    rules = {
        "tanh forgotten": only_g, "g forgotten": no_g, "w not transposed": not_transposed,
        "all rows alike": all_rows_alike, "signs forgotten": without_signs,
        "columns in reverse": shared_out,
    }
    rng = np.random.default_rng(0)
    symmetric = np.array([[0.5, -0.8], [-0.8, 0.3]])
    x, w = rng.standard_normal((3, 2)), rng.standard_normal((2, 2))
    ways = {  # inputs x and w, then a direction of each, and g
        "all zeros": (0 * x, 0 * w, rng.standard_normal(x.shape), rng.standard_normal(w.shape), rng.standard_normal((3, 2))),
        "symmetric w": (x, symmetric, rng.standard_normal(x.shape), 0 * w, rng.standard_normal((3, 2))),
        "all positive": (abs(x), abs(w), rng.standard_normal(x.shape), rng.standard_normal(w.shape), rng.standard_normal((3, 2))),
        "one row": (x[:1], w, rng.standard_normal((1, 2)), rng.standard_normal(w.shape), rng.standard_normal((1, 2))),
        "along all ones": (x, w, np.ones(x.shape), np.ones(w.shape), np.ones((3, 2))),
        "random": (x, w, rng.standard_normal(x.shape), rng.standard_normal(w.shape), rng.standard_normal((3, 2))),
    }
    found = np.zeros((len(rules), len(ways)))
    for i, rule in enumerate(rules.values()):
        for j, (a, b, va, vb, g) in enumerate(ways.values()):
            given, true = ([(p * v).sum() for p, v in zip(r(g, a, b), (va, vb))] for r in (rule, right))
            found[i, j] = abs(sum(given) - sum(true)) > 1e-6
    ax = plots.matrix(found, rows=list(rules), columns=list(ways), annotate=False, title="Faults found")
    ax.vlines(np.arange(7) - 0.5, -0.5, 5.5, color="0.6", linewidth=0.8)
    ax.hlines(np.arange(7) - 0.5, -0.5, 5.5, color="0.6", linewidth=0.8)


goal()

# %% setup="imports"

import numpy as np

from autograd_ref import Tensor, nn, optim, plots
from autograd_ref.graph import draw
from autograder import Suspect, exercise, predicted, probe, recall, yours


def arrays(*rows):
    """A list of arrays of floats, made of lists."""
    return [np.array(row, dtype=float) for row in rows]

# %% [markdown]
# A wrong gradient rarely crashes: the loss falls a little slower. At the end you can
#
# - check any gradient with two evaluations;
# - choose step and threshold, in double and single precision;
# - draw inputs, shapes and graphs that hide nothing;
# - find the wrong operation among many, and test a whole engine.
#
# **Time:** 190 minutes (95 without sections 6 to 10). **Builds on:** 01 (differences), 03 (graphs), 05 and 06 (rules on arrays).
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 08*: a relu layer has 50 inputs. Which standard deviation does He's initialisation give its weights?
# - *unit 09, Adam*: its first step, at rate 0.1, meets a gradient of 1000. How long is it?
# - *unit 09, momentum*: the gradient is always 1, the rate 0.1, the momentum 0.9. How long do the steps of SGD become?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 08": None, "unit 09, Adam": None, "unit 09, momentum": None}

# %% jupyter={"source_hidden": true}
def last_step(kind, gradient, steps, **settings):
    """The length of an optimizer's last step, under a gradient that stays the same."""
    weight = nn.Parameter(np.zeros(1))
    optimizer = kind([weight], lr=0.1, **settings)
    for _ in range(steps):
        before = weight.data.copy()
        weight.grad = Tensor(np.array([gradient]))
        optimizer.step()
    return abs(weight.data - before).item()


recall(
    answers,
    {
        "unit 08": lambda: np.sqrt(2 / 50),
        "unit 09, Adam": lambda: last_step(optim.Adam, 1000.0, 1),
        "unit 09, momentum": lambda: last_step(optim.SGD, 1.0, 200, momentum=0.9),
    },
)

# %% [markdown]
# ## 1. One random direction
#
# In unit 01 each entry of a gradient cost two evaluations. A *direction* costs two for all entries together. Move all
# inputs along random arrays $v$, weigh the outputs with a random $u$ (in a plain sum errors may cancel), and compare
#
# $$\Big\langle u, \frac{f(x + hv) - f(x - hv)}{2h} \Big\rangle = \langle \text{gradient for } u, v \rangle$$
#
# On the left are evaluations, on the right is what a rule gives for $g = u$. Take $a b$ at $a = 2$, $b = 5$: one output, so $u = 1$. The gradient
# is (5, 2). Along $v = (1, 0.5)$ the product grows by 5 · 1 + 2 · 0.5 = 6.
#
# **Predict, then run.** A wrong rule swaps the two: (2, 5). What do right and wrong give along (1, 1)?

# %%
prediction = (None, None)

if predicted(prediction, "along_ones"):
    for v in ([1, 1], [1, 0.5], [-0.3, 1.2]):
        print(f"along {v}: right {np.dot([5, 2], v):.2f}, swapped {np.dot([2, 5], v):.2f}")

# %% [markdown]
# A wrong gradient is missed when its error $e$ has $\langle e, v \rangle = 0$. Errors that cancel in sum (swapped,
# transposed, shared out wrongly) are exactly those that all ones miss. If e is a hundred times the tolerance, then about one
# random direction in a hundred misses it. Faults are larger by far, so one is enough.
#
# ### Exercise `slope_along` (2 points)
# Return the left side, a float. `f(*inputs)` gives an array of the shape of `u`; `inputs` and `vs` are lists of arrays.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two lists of moved inputs, two evaluations, and a weighted sum of their difference.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# ahead = f(*[x + ... for x, v in zip(inputs, vs)])
# behind = ...
# return float((u * ...).sum() / ...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Half or twice: the points are 2h apart. Changed in place: `x += h * v` writes into the caller's array.
# </details>


# %% exercise="slope_along"
def slope_along(f, inputs, u, vs, h):
    """<u, (f(x + hv) - f(x - hv)) / 2h>, with all inputs moved along their v at once."""
    ### BEGIN SOLUTION
    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])
    behind = f(*[x - h * v for x, v in zip(inputs, vs)])
    return float((u * (ahead - behind)).sum() / (2 * h))
    ### END SOLUTION


# %% probes="slope_along"
FUNCTIONS = {
    "product": lambda a, b: a * b,
    "a²b": lambda a, b: a * a * b,
    "cubes": lambda a, b: a**3 + b.sum(),
    "matmul": lambda a, b: a @ b,
}
# Inputs (3, 2) and (2, 4), u, directions and h; steps of h v there and back do not lead to the same numbers.
TALL = (np.arange(6).reshape(3, 2) * 0.7 - 1.3, np.arange(8).reshape(2, 4) * 0.3 - 0.9)
MATRICES = (
    [*TALL], np.outer([-0.7, 1.3, -0.1], [1, 3, -1, 2]),
    [np.sin(1 + np.arange(6)).reshape(3, 2), np.cos(1 + np.arange(8)).reshape(2, 4)], 0.1,
)
ALONG_BOTH = (MATRICES[1] * (MATRICES[2][0] @ TALL[1] + TALL[0] @ MATRICES[2][1])).sum()


@probe
def slope_of(name, inputs, u, vs, h):
    """What slope_along gives for the function of that name."""
    return slope_along(FUNCTIONS[name], inputs, u, vs, h)


# %% check="slope_along" points=2
with exercise("slope_along") as check:
    (one,) = arrays([1])
    got = slope_of("product", arrays([2], [5]), one, arrays([1], [0.5]), 0.1)
    check.close(got, 6.0, "(2.1 * 5.05 - 1.9 * 4.95) / 0.2")
    check.close(slope_of("cubes", arrays([1], [3]), one, arrays([1], [0]), 1.0), 4.0,
                "(2³ - 0³) / 2, from both sides")
    check.close(slope_of("a²b", arrays([2], [1]), one, arrays([1], [1]), 1.0), 9.0,
                "(3² · 2 - 1² · 0) / 2: both move at once")
    check.close(slope_of("matmul", *MATRICES), ALONG_BOTH, "(3, 2) @ (2, 4), weighed by u")
    check.untouched("inputs and directions stay as they were")
    ### BEGIN HIDDEN TESTS
    from autograder import array, one_of

    for a, b, va, vb, h in check.cases(6, array(2, 3), array(3, 4), array(2, 3), array(3, 4), one_of([0.5, 1e-2, 1e-4])):
        (u,) = next(check.cases(1, array(2, 4)))
        expected = (u * (va @ b + a @ vb)).sum()
        check.close(slope_of("matmul", [a, b], u, [va, vb], 0.5), expected, "of a product the step does not matter", rtol=1e-11, atol=1e-12)
        check.close(slope_of("matmul", [a, b], u, [va, vb], h), expected, "along both at once", rtol=1e-6)
        check.untouched()
        expected = (va * (3 * a * a * va + h * h * va**3)).sum() + va.sum() * vb.sum()
        check.close(slope_of("cubes", [a, b], va, [va, vb], h), ((3 * a**2 * va + h**2 * va**3) * va).sum() + va.sum() * vb.sum(),
                    "a central difference is off by h² v³", rtol=1e-6)
        ends = [va * (a + s * va) ** 2 * (va + s * a) for s in (h, -h)]
        check.close(slope_of("a²b", [a, va], va, [va, a], h), (ends[0] - ends[1]).sum() / (2 * h), "all inputs at once", rtol=1e-6)

    @probe
    def slope_of_a_sum(inputs, u, vs):
        """What slope_along gives for the sum of k times the k-th input, however many there are."""
        return slope_along(lambda *xs: sum(k * x for k, x in enumerate(xs, 1)), inputs, u, vs, 0.5)

    for count, shape in ((1, (2, 3)), (3, (2, 3, 3)), (4, ())):
        (u, *vs), (_, *xs) = ([next(check.cases(1, array(*shape)))[0] for _ in range(count + 1)] for _ in range(2))
        expected = sum(k * (u * v).sum() for k, v in enumerate(vs, 1))
        check.close(slope_of_a_sum(xs, u, vs), expected, "one input, or more than two; any number of axes", rtol=1e-9, atol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. How near is near?
#
# A right rule does not agree exactly. The difference bends away by about $h^2$. And each output is rounded by about
# $\varepsilon|f|$, where $\varepsilon$ is the distance from 1 to the next number; over $2h$ that is about $\varepsilon|f|/h$. With
# $h = 10^{-6}$ it is $2 \cdot 10^{-10}$ where f is near 1, but $2 \cdot 10^{-4}$ near a million. So allow a *relative* part (above $h^2$,
# below a fault) and the *rounding*:
#
# $$|\text{given} - \text{slope}| \le 10^{-5} |\text{slope}| + \text{rounding}$$


# %% given="rounding"
def rounding(outputs, h):
    """How far rounding may move a slope: 4 ε |f| / h, added up over the (weighted) outputs."""
    return 4 * np.finfo(float).eps * float(np.abs(outputs).sum()) / h


# %% [markdown]
# ### Exercise `agree` (2 points)
# Return True when two floats agree in this sense, else False; `room` is the rounding to allow. Infinity and NaN agree with nothing.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The formula is one comparison. Then try it with `inf` and `nan` in each place.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if not (np.isfinite(...) and ...):
#     return ...
# return bool(... <= ...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Infinity agrees: `inf <= inf` is True. NaN agrees: no comparison with it is True, so `not (... > ...)` lets it
# pass. Two zeros do not: `0 < 0` is False.
# </details>


# %% exercise="agree"
def agree(given, slope, room):
    """Whether two numbers differ by at most 1e-5 of the slope and `room`; never if one is not finite."""
    ### BEGIN SOLUTION
    if not (np.isfinite(given) and np.isfinite(slope)):
        return False
    return bool(abs(given - slope) <= 1e-5 * abs(slope) + room)
    ### END SOLUTION


# %% probes="agree"
AGREE = [  # given, slope, rounding, whether they agree, why
    (1.02, 1.0, 1e-10, False, "2 % is far more than rounding"),
    (0.500003, 0.5, 1e-7, True, "0.000003 is less than 1e-5 of the slope, and rounding"),
    (2.00001e9, 2e9, 1e-3, True, "10,000 beside 2e9 is little: the difference alone says nothing"),
    (0.98, 1.0, 1e-10, False, "too small is as wrong as too large"),
    (-1.0, 1.0, 1e-10, False, "a wrong sign is no small error"),
    (-2e-9, 2e-9, 1e-15, False, "a wrong sign counts where numbers are small, too"),
    (1.0001, 1.0, 1e-3, True, "where f is near a million, rounding is larger than 1e-5 of the slope"),
    (3.00004, 3.0, 2e-5, True, "1e-5 of the slope and the rounding are added up"),
    (0.0105, 0.01, 1e-3, True, "beside a small slope the rounding is not small, and it is allowed as it is"),
    (1.00005, 1.0, 1e-7, False, "5e-5 of the slope is more than 1e-5"),
    (-3.00002, -3.0, 0.0, True, "a slope may be negative: its size counts"),
    (-1e-10, 1e-10, 1e-9, True, "within the rounding, a sign says nothing"),
    (0.0, 0.0, 0.0, True, "two zeros agree"),
    (float("nan"), 1.0, 1e-10, False, "NaN agrees with nothing"),
    (1.0, float("inf"), 1e-10, False, "nor does infinity"),
    (float("inf"), float("inf"), 1e-10, False, "not even with itself"),
    (1.0, float("-inf"), 1e-10, False, "minus infinity is not finite either"),
]


# %% check="agree" points=2
with exercise("agree") as check:
    for given, slope, room, right, why in AGREE:
        check.equal(yours.agree(given, slope, room), right, why)
    ### BEGIN HIDDEN TESTS
    from autograder import number

    for a, r in check.cases(10, number(), number()):
        for scale in (1.0, 1e-12, 1e9, 1e-30, 1e30):
            slope, room = a * scale, abs(r) * 1e-5 * scale
            limit = 1e-5 * abs(slope) + room
            for side in (1, -1):
                for part in (0.5, 0.95, 1.05, 3.0):
                    check.equal(yours.agree(slope + side * part * limit, slope, room), part < 1,
                                "1e-5 of the slope, and the rounding")
            check.equal(yours.agree(-slope, slope, room), False, "a wrong sign")
            check.equal(yours.agree(-0.4 * room, 0.4 * room, room), True, "two signs, within the rounding")
        check.equal(yours.agree(abs(r) * 0.9, 0.0, abs(r)), True, "beside 0 rounding is all there is")
        check.equal(yours.agree(abs(r) * 1.1, 0.0, abs(r)), False, "more than rounding")
        for bad in (np.nan, np.inf, -np.inf):
            for pair in ((a, bad), (bad, a), (bad, bad)):
                check.equal(yours.agree(*pair, abs(r)), False, "not finite")
    ### END HIDDEN TESTS

# %% [markdown]
# 200 checks of a rule, right or 2 % off. With $h = 10^{-6}$ the threshold $10^{-5}$ parts right from wrong in
# double precision. In single precision, where $\varepsilon$ is $10^{-7}$, rounding buries both.


# %% setup="errors"
def errors(dtype, h, factor=1.0, seed=0):
    """The relative errors of 200 checks of exp(sin(x)); its gradient is off by `factor`."""
    def f(x):
        return np.exp(np.sin(x))

    rng, found = np.random.default_rng(seed), []
    for _ in range(200):
        x, v = rng.standard_normal((2, 5)).astype(dtype)
        step = (np.dtype(dtype).type(h) * v).astype(dtype)
        slope = float((f(x + step) - f(x - step)).sum()) / (2 * h)
        given = factor * float((f(x) * np.cos(x) * v).sum())
        found.append(abs(slope - given) / max(abs(slope), abs(given), 1e-300))
    return np.array(found)


# %% figure="thresholds"
def thresholds():
    bins = np.linspace(-12, 2, 57)
    curves = {"threshold": ([-5, -5], [0, 100])}
    for dtype in ("float64", "float32"):
        for name, factor in (("right", 1.0), ("2 % off", 1.02)):
            count, _ = np.histogram(np.log10(errors(dtype, 1e-6, factor)), bins)
            curves[f"{dtype}, {name}"] = (bins[:-1] + 0.125, count)
    plots.lines(curves, xlabel="log10 of the error", ylabel="checks")


thresholds()

# %% [markdown]
# **Predict, then run.** Which of the steps 0.1, 0.005 and 0.00001 separate right from wrong in single precision?

# %%
prediction = None  # such as [0.1, 0.005]

if predicted(prediction, "step_in_float32"):
    for h in (0.1, 0.005, 0.00001):
        right, wrong = errors("float32", h), errors("float32", h, 1.02)
        print(f"h = {h}: of 200, above 0.01 are {(right > 0.01).sum()} right and {(wrong > 0.01).sum()} wrong ones")

# %% [markdown]
# $h^2$ and $\varepsilon / h$ are equally large near the cube root of ε, here 0.005.
#
# ## 3. Your test, tested
#
# *Mutation testing* plants faults and counts those that the test finds. So is yours graded: by a dozen
# right rules and dozens of wrong ones that you have not seen. Your test may call `f` and `rule` up to 5,000 times, with arrays of up to 10,000 real numbers. One that
# raises an exception has said False.
#
# ### Exercise `rule_is_right` (3 points)
# `f(*inputs)` gives an array, `rule(g, *inputs)` a gradient for each input, as in unit 06. Return True or False. `rng` is a
# NumPy generator; faults exceed 0.3 %. Judge it at these inputs of ordinary size, which stay as they are; outputs may be
# huge or tiny; $h = 10^{-6}$ suits all. You may call your own functions.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Both sides of the equation of section 1, and `agree`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# u, vs = ..., [...]              # random, in the shapes of the output and of each input
# slope = ...                     # from f
# grads = rule(u, *inputs)
# ...                             # is each gradient shaped like its input?
# given = sum((grad * v).sum() for ...)
# return ...                      # 1e-5 of the slope, and rounding(u * f(*inputs), h)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A missed shape: NumPy stretches a wrong shape until it fits. A missed g: `u` has to have both signs. A right one
# accused: rounding was forgotten.
# </details>


# %% exercise="rule_is_right"
def rule_is_right(f, rule, inputs, rng):
    """Whether `rule` agrees with differences of `f`, along one random direction."""
    ### BEGIN SOLUTION
    h, u = 1e-6, rng.standard_normal(np.shape(f(*inputs)))
    vs = [rng.standard_normal(x.shape) for x in inputs]
    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])
    behind = f(*[x - h * v for x, v in zip(inputs, vs)])
    slope = (u * (ahead - behind)).sum() / (2 * h)
    grads = rule(u, *inputs)
    if [np.shape(grad) for grad in grads] != [x.shape for x in inputs]:
        return False
    given = sum((grad * v).sum() for grad, v in zip(grads, vs))
    return bool(abs(given - slope) <= 1e-5 * abs(slope) + rounding(u * ahead, h))
    ### END SOLUTION


# %% probes="rule_is_right"
MOST_NUMBERS = 10_000


@probe
def rule_passes(ask, inputs, seed):
    """What your test says of a rule; the function and the rule answer from elsewhere."""

    def f(*inputs):
        return ask(("f", *inputs))

    def rule(g, *inputs):
        return ask(("rule", g, *inputs))

    with np.errstate(all="ignore"):
        return rule_is_right(f, rule, inputs, np.random.default_rng(seed))


def numbers_only(*values):
    """What a test asks with, as arrays that are not too large."""
    found = [np.asarray(value) for value in values]
    if any(a.dtype.kind == "c" for a in found):
        raise ValueError("real numbers only: what is asked here has no complex step")
    if any(a.dtype.kind not in "biuf" for a in found):
        raise ValueError("ask with numbers or arrays of numbers")
    if any(a.size > MOST_NUMBERS for a in found):
        raise ValueError(f"ask with arrays of at most {MOST_NUMBERS} numbers each")
    return found


def gradients_only(found):
    """Gradients in one form, whatever form a rule gives them in: only numbers and shapes can tell rules apart."""
    return [None if part is None else np.array(part, dtype=float) for part in found]


def rule_suspect(about, f, rule, *inputs, right=False):
    """A rule to be judged at these inputs."""

    def answer(question):
        what, *given = question
        with np.errstate(all="ignore"):
            found = (f if what == "f" else rule)(*numbers_only(*given))
        return np.asarray(found, dtype=float) if what == "f" else gradients_only(found)

    return Suspect(about, right, lambda: answer, (arrays(*inputs),))


def times(a, b):
    return a * b


def shown_product(about, rule, scale=1.0, right=False):
    """A rule of scale · a · b, at two numbers each."""
    return rule_suspect(about, lambda a, b: scale * a * b, rule, [2, -3], [5, 7], right=right)


ROW, COLUMN, LONG = [[2.0, -3.0, 0.5]], [[1.5], [-4.0]], np.linspace(-2, 3, 12)
SHOWN_RULES = [
    shown_product("a product", lambda g, a, b: (g * b, g * a), right=True),
    shown_product("numbers near 1e9: a fixed threshold is too small for these",
                  lambda g, a, b: (1e9 * g * b, 1e9 * g * a), 1e9, right=True),
    rule_suspect("x + 1e7: rounding moves this slope by ε|f| / h", lambda a: a + 1e7,
                 lambda g, a: (g,), [0.3, -0.2, 0.1], right=True),
    rule_suspect("a constant: both sides are 0", lambda a: 0 * a, lambda g, a: (0 * a,), [2, 3], right=True),
    rule_suspect("a single number, whose shape is ()", np.sin, lambda g, a: (g * np.cos(a),), 0.7, right=True),
    rule_suspect("sin(200a) bends strongly: go to both sides, and not far", lambda a: np.sin(200 * a),
                 lambda g, a: (200 * g * np.cos(200 * a),), [0.7, -0.4, 0.2], right=True),
    rule_suspect("exp(-4a) bends, too: go to both sides, and not far", lambda a: np.exp(-4 * a),
                 lambda g, a: (-4 * g * np.exp(-4 * a),), [0.3], right=True),
    rule_suspect("log(a) is defined for positive a only: test at the inputs that you get", np.log,
                 lambda g, a: (g / a,), LONG + 2.5, right=True),
    rule_suspect("a matrix product: its output has another shape than the inputs", np.matmul,
                 lambda g, a, b: (g @ b.T, a.T @ g), *TALL, right=True),
    shown_product("g is forgotten", lambda g, a, b: (b, a)),
    rule_suspect("the signs of g are forgotten (is your u positive?)", times,
                 lambda g, a, b: (abs(g) * b, abs(g) * a), *arrays(LONG, LONG[::-1])),
    shown_product("only the sum of g arrives (is your u all alike?)",
                  lambda g, a, b: (g.mean() * b, g.mean() * a)),
    shown_product("one gradient in the other's place (do all inputs move alike?)",
                  lambda g, a, b: (g * a, g * b)),
    shown_product("entries in another order (do all entries of an input move alike?)",
                  lambda g, a, b: (g * b, (g * a)[::-1])),
    shown_product("an error in the second input only", lambda g, a, b: (g * b, -g * a)),
    shown_product("an error in one entry only", lambda g, a, b: (g * b, g * a * [1, 1.1])),
    shown_product("half a percent too much", lambda g, a, b: (1.005 * g * b, 1.005 * g * a)),
    shown_product("a wrong sign, where numbers are near 1e-9",
                  lambda g, a, b: (-1e-9 * g * b, -1e-9 * g * a), 1e-9),
    rule_suspect("a gradient in another shape than its input", times, lambda g, a, b: (g * b, g * a), ROW, COLUMN),
    rule_suspect("a gradient in another shape, with as many numbers", np.sin, lambda g, a: ((g * np.cos(a))[None],), [0.7, -0.3]),
    shown_product("a gradient of NaN", lambda g, a, b: (g * b, g * np.nan)),
    shown_product("an infinite gradient", lambda g, a, b: (g * b, g * a * [1, np.inf])),
]
# From here steps of h v there and back do not lead to the same numbers.
UNEVEN_RULE = rule_suspect("", np.sin, lambda g, a: (g * np.cos(a),), [0.1, 0.7, -1.3, 2.6, 0.33, 3e-9], right=True)


# %% check="rule_is_right" points=3
with exercise("rule_is_right") as check:
    check.tells_apart(rule_passes, SHOWN_RULES, "nine right rules, thirteen wrong ones")
    rule_passes.asking(UNEVEN_RULE.subject)(*UNEVEN_RULE.args, 0)
    check.untouched("inputs stay as they were")
    ### BEGIN HIDDEN TESTS
    rng = np.random.default_rng(check.rng.randrange(2**31))

    def softmax(a):
        e = np.exp(a - a.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def softmax_rule(g, a):
        s = softmax(a)
        return (s * (g - (g * s).sum(axis=1, keepdims=True)),)

    def normal(*shape):
        return rng.standard_normal(shape)

    # What is computed, one right rule or two in different styles, and inputs.
    bases = [
        (lambda a, b: a * b, [lambda g, a, b: (g * b, g * a), lambda g, a, b: [b * g, np.multiply(a, g)]], [normal(3, 4), normal(3, 4)]),
        (lambda a, b: a / b, [lambda g, a, b: (g / b, -g * a / b**2)], [normal(5, 2), 2 + normal(5, 2) ** 2]),
        (lambda a, b: a + b, [lambda g, a, b: (g, g.sum(axis=0)), lambda g, a, b: (g.copy(), np.ones(len(g)) @ g)], [normal(4, 3), normal(3)]),
        (lambda a, b: a @ b, [lambda g, a, b: (g @ b.T, a.T @ g), lambda g, a, b: (np.einsum("ij,kj->ik", g, b), np.einsum("ki,kj->ij", a, g))], [normal(2, 3), normal(3, 4)]),
        (lambda a, b: a @ b, [lambda g, a, b: (g @ b.T, a.T @ g)], [normal(3, 3), normal(3, 3)]),
        (lambda a: np.tanh(a), [lambda g, a: (g * (1 - np.tanh(a) ** 2),), lambda g, a: (g / np.cosh(a) ** 2,)], [normal(10)]),
        (lambda a: np.exp(a), [lambda g, a: (g * np.exp(a),)], [normal(3, 3)]),
        (lambda a: a.sum(axis=1), [lambda g, a: (np.repeat(g[:, None], a.shape[1], axis=1),)], [normal(9, 3)]),
        (softmax, [softmax_rule], [normal(3, 4)]),
        (lambda a, b, c: a * b + np.sin(c), [lambda g, a, b, c: (g * b, g * a, g * np.cos(c))], [normal(9), normal(9), normal(9)]),
        (lambda a: 1e-9 * np.sin(a), [lambda g, a: (1e-9 * g * np.cos(a),)], [normal(9)]),
        (lambda a, b: 1e9 * np.sin(a) * b, [lambda g, a, b: (1e9 * g * b * np.cos(a), 1e9 * g * np.sin(a))], [normal(9), normal(9)]),
    ]
    right = [
        ("numbers of size 1e7", lambda a, b: 1e7 * a * b, lambda g, a, b: (1e7 * g * b, 1e7 * g * a), [normal(3), normal(3)]),
        ("outputs far from 0", lambda a, b: a * b + 1e6, lambda g, a, b: (g * b, g * a), [normal(4), normal(4)]),
        ("numbers of size 1e-7", lambda a: 1e-7 * np.sin(a), lambda g, a: (1e-7 * g * np.cos(a),), [normal(3)]),
        ("an input that has no influence", lambda a, b: a**3 + 0 * b, lambda g, a, b: (3 * g * a * a, 0 * b), [1 + normal(3) ** 2, normal(3)]),
        ("a constant", lambda a: 0 * a + 2, lambda g, a: (0 * a,), [normal(2, 2)]),
        ("a function of positive numbers only", np.sqrt, lambda g, a: (g / (2 * np.sqrt(a)),), [rng.uniform(0.5, 3, 4)]),
        ("a single number", lambda a: np.sin(a), lambda g, a: (g * np.cos(a),), [normal()]),
        ("a slope that changes quickly", lambda a: np.exp(-5 * a), lambda g, a: (-5 * g * np.exp(-5 * a),), [normal(1)]),
        *[("a slope that changes quickly", lambda a: np.sin(200 * a), lambda g, a: (200 * g * np.cos(200 * a),), [normal(3)]) for _ in range(3)],
        *[("very many outputs far from 0", lambda a: np.outer(np.sin(a), np.ones(3000)) + 1e7, lambda g, a: (g.sum(axis=1) * np.cos(a),), [normal(3)]) for _ in range(4)],
        *[("outputs far from 0", lambda a: np.sin(a) + 1e7, lambda g, a: (g * np.cos(a),), [normal(3)]) for _ in range(3)],
    ]
    suspects = [rule_suspect(about, f, rule, *xs, right=True) for about, f, rule, xs in right]
    for f, rules, xs in bases:
        for rule in rules:  # as far around as a wrong one, so that time tells nothing
            suspects.append(rule_suspect("a usual rule, written in another way", f,
                                         lambda g, *a, rule=rule, change=np.positive: rule(change(g), *a), *xs, right=True))

    def one_of(k, change):
        return lambda g, grads: [change(part) if i == k % len(grads) else part for i, part in enumerate(grads)]

    def first_entry(change):
        def act(part):
            part = np.array(part, dtype=float)
            part.flat[0] = change(part.flat[0])
            return part
        return act

    # A fault is what becomes of g on the way in, or of the gradients on the way out.
    before = {
        "g is forgotten": np.ones_like,
        "only the sum of g counts": lambda g: np.full_like(g, g.mean()),
        "only the size of g counts": np.abs,
        "g in another order": lambda g: g[::-1],
        "a gradient of 2 % too much": lambda g: 1.02 * g,
        "half or twice the gradient": lambda g: 2 * g,
        "the wrong sign": lambda g: -g,
    }
    after = {
        "an error in one input's gradient only": [one_of(k, change) for k in (0, 1) for change in (np.negative, lambda p: 1.5 * p)],
        "an error in one entry only": [one_of(k, first_entry(lambda x: 2 * x + 0.1)) for k in (0, 1)],
        "entries in another order": [one_of(k, lambda p: p[::-1]) for k in (0, 1)] + [one_of(0, lambda p: np.roll(p, 1))],
        "the gradient shared out evenly": [one_of(k, lambda p: np.full_like(p, p.mean())) for k in (0, 1)],
        "one gradient in the other's place": [lambda g, grads: list(grads)[::-1]],
        "a transposed gradient": [one_of(k, np.transpose) for k in (0, 1)],
        "a gradient in another shape than its input": [one_of(k, lambda p: p[None] + np.zeros((2, *p.shape)) / 2) for k in (0, 1)],
        "a gradient that is not finite": [one_of(0, first_entry(lambda x: np.nan)), one_of(1, first_entry(lambda x: np.inf))],
        "no gradient where there should be one": [one_of(0, lambda p: None), one_of(1, np.zeros_like)],
    }

    def really_wrong(rule, good, xs, g):
        with np.errstate(all="ignore"):
            got, want = rule(g, *xs), good(g, *xs)
        for a, b in zip(got, want):
            if a is None or np.shape(a) != np.shape(b) or not np.abs(a - b).max() <= 0.01 * np.abs(b).max():
                return True
        return False

    wrong = []
    for f, (good, *_), xs in bases:
        g = normal(*f(*xs).shape)
        for kind, change in before.items():
            wrong.append((kind, f, lambda g, *a, good=good, change=change: good(change(g), *a), good, xs, g))
        for kind, changes in after.items():
            for change in changes:
                wrong.append((kind, f, lambda g, *a, good=good, change=change: change(g, good(g, *a)), good, xs, g))
    wrong.append(("the slope at another place", bases[5][0], lambda g, a: (g * (1 - a**2),), bases[5][1][0], bases[5][2], normal(10)))
    far = [normal(3, 3) + 20]
    wrong.append(("a fault that is at these inputs, and not at others", np.sin, lambda g, a: (g * np.cos(np.minimum(a, 9)),),
                  lambda g, a: (g * np.cos(a),), far, normal(3, 3)))
    wrong.append(("a term of the slope left out", softmax, lambda g, a: (g * softmax(a) * (1 - softmax(a)),), softmax_rule, bases[8][2], normal(3, 4)))
    wrong = [(kind, f, rule, xs) for kind, f, rule, good, xs, g in wrong if really_wrong(rule, good, xs, g)]
    by_kind = {}
    for fault in check.rng.sample(wrong, len(wrong)):
        by_kind.setdefault(fault[0], []).append(fault)
    for faults in by_kind.values():
        suspects += [rule_suspect(about, f, rule, *xs) for about, f, rule, xs in faults[:4]]
    f, (good, _), xs = bases[3]
    nearly = [one_of(k, change) for k in (0, 1) for change in (np.ravel, lambda p: p[None], lambda p: p[..., None])]
    for act in nearly:  # the right numbers in their order
        suspects.append(rule_suspect("a gradient in another shape than its input", f, lambda g, *a, act=act, good=good: act(g, good(g, *a)), *xs))
    suspects.append(rule_suspect("2 % too much, where outputs are far from 0", lambda a, b: a * b + 3e5,
                                 lambda g, a, b: (1.02 * g * b, 1.02 * g * a), 2 + np.tanh(normal(4)), 2 + np.tanh(normal(4))))
    for k, off in ((0, 1.005), (1, 0.995), (4, 1.005), (9, 0.995)):
        f, (good, *_), xs = bases[k]
        suspects.append(rule_suspect("half a percent too much or too little", f,
                                     lambda g, *a, good=good, off=off: [off * part for part in good(g, *a)], *xs))
    for scale in (1e-20, 1e20):
        def sine(a, scale=scale):
            return scale * np.sin(a)

        suspects.append(rule_suspect(f"numbers of size {scale:g}", sine, lambda g, a, scale=scale: (scale * g * np.cos(a),), normal(5), right=True))
        suspects.append(rule_suspect(f"a wrong sign, where numbers are of size {scale:g}", sine, lambda g, a, scale=scale: (-scale * g * np.cos(a),), normal(5)))
    for _ in range(14):  # of two numbers, v = (1, 1) and (-1, -1) do not see that they are exchanged
        suspects.append(rule_suspect("entries in another order", np.sin, lambda g, a: ((g * np.cos(a))[::-1],), normal(2)))
    check.tells_apart(rule_passes, suspects, "right and wrong rules that you have not seen")

    @probe
    def rule_passes_or_not(ask, inputs, seed):
        """What your test says of a rule, where an exception is False."""
        try:
            with np.errstate(all="ignore"):
                return bool(rule_is_right(lambda *xs: ask(("f", *xs)), lambda g, *xs: ask(("rule", g, *xs)), inputs, np.random.default_rng(seed)))
        except Exception:
            return False

    # What is 0.4 % of the smaller one of two gradients is less than 0.1 % of most slopes. A threshold of 1e-4 of the slope
    # misses 16 % of these, one of 1e-3 76 %; so 40 draws never take the one for the other.
    missed = 0
    for _ in range(40):
        small = rule_suspect("", lambda a, b: a + 10 * b, lambda g, a, b: (1.004 * g, 10 * g), normal(3), normal(3))
        missed += rule_passes_or_not.asking(small.subject)(*small.args, check.rng.randrange(2**31))
    check.true(missed <= 16, f"{missed} of 40 times 0.4 % too much in one of two gradients is not found")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. Kinks
#
# At a kink (relu at 0, the tie of a maximum) the slope to the right is not the slope to the left. A central difference gives
# their mean, which is neither, so a test there accuses rules that are right. Their *jump* along $v$ is
#
# $$J(h) = \frac{f(x + hv) - 2 f(x) + f(x - hv)}{h}$$
#
# **Predict, then run.** Three places: |x| at 0, x² at 0, and the tie max(a, a). At which does J stay away from 0 as $h$ shrinks?

# %%
prediction = None  # such as ["|x|", "x²", "tie"]
PLACES = {"|x|": (lambda x: abs(x).sum(), [0.0]), "x²": (lambda x: (x**2).sum(), [0.0]), "tie": (np.max, [2.0, 2.0])}


def jump(f, x, v, h):
    return (f(x + h * v) - 2 * f(x) + f(x - h * v)) / h


if predicted(prediction, "kinks"):
    for name, (f, x) in PLACES.items():
        x = np.array(x)
        v = np.random.default_rng(0).standard_normal(x.shape)
        print(f"{name:4}", *[f"J({h:g}) = {jump(f, x, v, h):.4f}" for h in (1e-2, 1e-4)],
              f"along ones {jump(f, x, np.ones(x.shape), 1e-4):.4f}")

# %% [markdown]
# Along all ones a tie does not show: both sides grow alike. Where J is large, a test accuses nobody and draws other inputs.

# %% [markdown]
# ## 5. Inputs that hide bugs
#
# A square matrix hides swapped sizes, a symmetric one a missing
# transposition, positive numbers a forgotten sign or a relu, equal numbers an average in place of a sum, one row a
# missing sum over rows. And no single shape shows all: a loop that stops at min(n, k) is wrong only if n > k, and a forgotten `keepdims`
# may be wrong only where a size is 1.
#
# ### Exercise `draw_inputs` (3 points)
# For $\mathrm{relu}(x w + b)$ with `x` (n, k), `w` (k, m) and `b` (m,), return random arrays x, w, b. Sizes are 1 to
# 9, yours to draw. No entry of $x w + b$ may be 0. We call it 300 times, and run a perfect test of dozens of wrong
# rules on your inputs: each fault must show in ten of the 300.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Draw n, k and m, then the numbers. Which of them have two signs?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# n, k, m = rng.integers(..., ..., 3)
# return rng.standard_normal(...), ..., ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `rng.random` and `abs` are positive. Sums of integers meet the kink. With n = k always, n > k always or a size never 1, a fault in the sizes hides.
# </details>


# %% exercise="draw_inputs"
def draw_inputs(rng):
    """Random x (n, k), w (k, m) and b (m,) that hide no fault of a rule."""
    ### BEGIN SOLUTION
    n, k, m = rng.integers(1, 7, 3)
    return rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal(m)
    ### END SOLUTION


# %% probes="draw_inputs"
@probe
def drawn_inputs(seed):
    """Your inputs, 300 times."""
    rng = np.random.default_rng(seed)
    return [[np.asarray(a, dtype=float) for a in draw_inputs(rng)] for _ in range(300)]


def layer_rule(g, x, w, b):
    """The right gradients of relu(x @ w + b)."""
    s = g * (x @ w + b > 0)
    return s @ w.T, x.T @ s, s.sum(axis=0)


def shown_by(rule, draws, rng):
    """In how many of the draws a perfect test sees that a rule is wrong; ten are enough."""
    count = 0
    for x, w, b in draws:
        if count == 10:
            break
        g = rng.standard_normal((len(x), len(b)))
        try:
            pairs = zip(rule(g, x, w, b), layer_rule(g, x, w, b))
            count += any(np.shape(p) != q.shape or not np.allclose(p, q, rtol=1e-3) for p, q in pairs)
        except (ValueError, IndexError):  # the shapes do not fit: found
            count += 1
    return count


def fits(x, w, b):
    """Whether arrays have the shapes of a layer."""
    if x.ndim != 2 or w.ndim != 2 or (x.shape[1], *b.shape) != w.shape:
        return False
    ordinary = all((np.abs(a) <= 1000).all() for a in (x, w, b))  # and not NaN
    return ordinary and all(1 <= size <= 9 for size in (*x.shape, *w.shape))


def misfit(draws):
    """What is odd about the first arrays that are no layer's; empty when all are."""
    for drawn in draws:
        if len(drawn) != 3:
            return f"these are {len(drawn)} arrays"
        if not all((np.abs(a) <= 1000).all() for a in drawn):  # and not NaN
            return "yours hold NaN, infinity or numbers beyond 1000"
        if not fits(*drawn):
            shapes = ", ".join(f"{name} {a.shape}" for name, a in zip("xwb", drawn))
            return f"yours are {shapes}"
    return ""


def off_the_kink(x, w, b):
    """Whether every number that relu gets is away from 0."""
    return bool((np.abs(x @ w + b) > 1e-10).all())


def wrong_in(k, make):
    """A rule of which input k's gradient is what `make` computes, of g behind the relu and x, w and b."""
    def rule(g, x, w, b):
        grads = list(layer_rule(g, x, w, b))
        grads[k] = make(g * (x @ w + b > 0), x, w, b)
        return grads
    return rule


SHOWN_LAYERS = {
    "relu is forgotten": lambda g, x, w, b: (g @ w.T, x.T @ g, g.sum(axis=0)),
    "relu does not look at b": lambda g, x, w, b: layer_rule(g, x, w, 0 * b),
    "relu looks at b in reverse (are all entries of b alike?)": lambda g, x, w, b: layer_rule(g, x, w, b[::-1]),
    "the signs of x are forgotten": wrong_in(1, lambda s, x, w, b: np.abs(x).T @ s),
    "the signs of w are forgotten": wrong_in(0, lambda s, x, w, b: s @ np.abs(w).T),
    "the size of w is forgotten": wrong_in(0, lambda s, x, w, b: s @ np.sign(w).T),
    "the signs of b are forgotten (is b ever negative, and x @ w + b positive there?)":
        wrong_in(2, lambda s, x, w, b: np.where(b < 0, -1, 1) * s.sum(axis=0)),
    "b gets a mean over the rows": wrong_in(2, lambda s, x, w, b: s.mean(axis=0)),
    "all rows are taken to be alike": wrong_in(1, lambda s, x, w, b: np.outer(x.mean(axis=0), s.sum(axis=0))),
    "all columns are taken to be alike": wrong_in(2, lambda s, x, w, b: np.full_like(b, s.mean() * len(s))),
    "k is taken for n": wrong_in(2, lambda s, x, w, b: s.sum(axis=0) * len(x) / x.shape[1]),
    "k is taken for m": wrong_in(0, lambda s, x, w, b: s @ w.T * len(b) / x.shape[1]),
    "rows beyond k are cut off (is n ever more than k?)":
        wrong_in(1, lambda s, x, w, b: x[: x.shape[1]].T @ s[: x.shape[1]]),
    "columns beyond n are cut off (is m ever more than n?)":
        wrong_in(0, lambda s, x, w, b: s[:, : len(s)] @ w[:, : len(s)].T),
    "columns beyond k are cut off (is m ever more than k?)":
        wrong_in(0, lambda s, x, w, b: s[:, : x.shape[1]] @ w[:, : x.shape[1]].T),
    "columns of x beyond n are cut off (is k ever more than n?)":
        wrong_in(0, lambda s, x, w, b: np.where(np.arange(x.shape[1]) < len(x), s @ w.T, 0)),
    "a single row loses its axis (is n ever 1?)":
        wrong_in(0, lambda s, x, w, b: (s @ w.T)[0] if len(x) == 1 else s @ w.T),
}


# %% check="draw_inputs" points=3
with exercise("draw_inputs") as check:
    draws = drawn_inputs(0)
    odd = misfit(draws)
    check.true(not odd, f"x (n, k), w (k, m), b (m,), sizes 1 to 9, plain numbers: {odd}")
    different = len({str(arrays) for arrays in draws})
    check.true(different >= 100, f"{different} different inputs among 300: draw from rng")
    check.true(all(off_the_kink(*arrays) for arrays in draws),
               "x @ w + b must be nowhere 0: at the kink a test accuses right rules, too")
    for fault, rule in SHOWN_LAYERS.items():
        count = shown_by(rule, draws, np.random.default_rng(0))
        check.true(count >= 10, f"{fault}: this shows in {count} of your 300 inputs")
    ### BEGIN HIDDEN TESTS
    def wrong_x(make):
        return wrong_in(0, make)

    def wrong_w(make):
        return wrong_in(1, make)

    def wrong_b(make):
        return wrong_in(2, make)

    faults = [
        ("takes one size for another", wrong_x(lambda s, x, w, b: s @ w)),
        ("takes one size for another", wrong_w(lambda s, x, w, b: s.T @ x)),
        ("takes one size for another", wrong_b(lambda s, x, w, b: s.sum(axis=1))),
        ("cuts something to the smaller of two sizes", wrong_w(lambda s, x, w, b: x[: x.shape[1]].T @ s[: x.shape[1]])),
        ("cuts something to the smaller of two sizes", wrong_b(lambda s, x, w, b: s[: s.shape[1]].sum(axis=0))),
        ("cuts something to the smaller of two sizes", wrong_x(lambda s, x, w, b: np.where(np.arange(x.shape[1]) < len(x), s @ w.T, 0))),
        ("cuts something to the smaller of two sizes", wrong_x(lambda s, x, w, b: s[:, : len(s)] @ w[:, : len(s)].T)),
        ("cuts something to the smaller of two sizes", wrong_x(lambda s, x, w, b: s[:, : x.shape[1]] @ w[:, : x.shape[1]].T)),
        ("cuts something to the smaller of two sizes", wrong_w(lambda s, x, w, b: np.where(np.arange(s.shape[1]) < x.shape[1], x.T @ s, 0))),
        ("forgets the relu", lambda g, x, w, b: (g @ w.T, x.T @ g, g.sum(axis=0))),
        ("forgets the relu", lambda g, x, w, b: layer_rule(g, x, np.abs(w), np.abs(b))[:2] + (g.sum(axis=0),)),
        ("forgets the relu", lambda g, x, w, b: [np.where(True, p, 0) for p in ((g * np.where(x @ w + b > 0, 1, 0.1)) @ w.T, *layer_rule(g, x, w, b)[1:])]),
        ("looks at the wrong thing for the relu", lambda g, x, w, b: ((g * (x @ w > 0)) @ w.T, *layer_rule(g, x, w, b)[1:])),
        ("looks at the wrong thing for the relu", lambda g, x, w, b: (*layer_rule(g, x, w, b)[:2], (g * (b > 0)).sum(axis=0))),
        ("forgets a sign", wrong_x(lambda s, x, w, b: s @ np.abs(w).T)),
        ("forgets a sign", wrong_w(lambda s, x, w, b: np.abs(x).T @ s)),
        ("forgets a sign", wrong_w(lambda s, x, w, b: np.maximum(x, 0).T @ s)),
        ("forgets a sign", wrong_b(lambda s, x, w, b: np.where(b < 0, -1, 1) * s.sum(axis=0))),
        ("forgets a sign", wrong_x(lambda s, x, w, b: s @ np.maximum(w, -0.2).T)),
        ("takes positive numbers for 0", wrong_x(lambda s, x, w, b: s @ np.minimum(w, 0).T)),
        ("takes positive numbers for 0", wrong_w(lambda s, x, w, b: np.minimum(x, 0).T @ s)),
        ("takes positive numbers for 0", wrong_b(lambda s, x, w, b: np.where(b > 0, 0, 1) * s.sum(axis=0))),
        ("takes a mean for a sum", wrong_b(lambda s, x, w, b: s.mean(axis=0))),
        ("takes a mean for a sum", wrong_w(lambda s, x, w, b: x.T @ s / len(x))),
        ("takes a mean for a sum", wrong_x(lambda s, x, w, b: s @ w.T / s.shape[1])),
        ("treats all rows alike", wrong_b(lambda s, x, w, b: len(s) * s[0])),
        ("treats all rows alike", wrong_w(lambda s, x, w, b: np.outer(x.mean(axis=0), s.sum(axis=0)))),
        ("treats all rows alike", wrong_x(lambda s, x, w, b: np.repeat((s @ w.T)[:1], len(x), axis=0))),
        ("treats all columns alike", wrong_b(lambda s, x, w, b: np.full_like(b, s.sum() / len(b)))),
        ("treats all columns alike", wrong_x(lambda s, x, w, b: np.outer(s.sum(axis=1), w.mean(axis=1)))),
        ("treats all columns alike", wrong_w(lambda s, x, w, b: np.repeat((x.T @ s)[:, :1], s.shape[1], axis=1))),
        ("treats all columns alike", wrong_x(lambda s, x, w, b: np.repeat((s @ w.T)[:, :1], x.shape[1], axis=1))),
        ("looks at the wrong thing for the relu", lambda g, x, w, b: layer_rule(g, x, w, b[::-1])),
        ("looks at the wrong thing for the relu", lambda g, x, w, b: layer_rule(g, x, w, np.full_like(b, b[0]))),
        ("has no gradient for b", wrong_b(lambda s, x, w, b: 0 * b)),
        ("forgets the size of numbers", wrong_x(lambda s, x, w, b: s @ np.sign(w).T)),
        ("forgets the size of numbers", wrong_w(lambda s, x, w, b: np.sign(x).T @ s)),
        ("loses an axis of size 1", wrong_x(lambda s, x, w, b: (s @ w.T)[0] if len(x) == 1 else s @ w.T)),
        ("loses an axis of size 1", wrong_b(lambda s, x, w, b: s if len(x) == 1 else s.sum(axis=0))),
        ("loses an axis of size 1", wrong_x(lambda s, x, w, b: (s @ w.T)[:, 0] if x.shape[1] == 1 else s @ w.T)),
        ("loses an axis of size 1", wrong_w(lambda s, x, w, b: (x.T @ s)[0] if x.shape[1] == 1 else x.T @ s)),
        ("loses an axis of size 1", wrong_w(lambda s, x, w, b: (x.T @ s)[:, 0] if len(b) == 1 else x.T @ s)),
    ]
    draws = drawn_inputs(check.rng.randrange(2**31))
    odd = misfit(draws)
    check.true(not odd, f"x (n, k), w (k, m), b (m,), sizes 1 to 9, plain numbers: {odd}")
    check.true(all(off_the_kink(*arrays) for arrays in draws), "x @ w + b must be nowhere 0")
    rng = np.random.default_rng(check.rng.randrange(2**31))
    hidden = [kind for kind, rule in faults if shown_by(rule, draws, rng) < 10]
    kinds = ", ".join(dict.fromkeys(f"a rule that {kind}" for kind in hidden))
    check.true(not hidden, f"{len(hidden)} of {len(faults)} faults hide from your inputs: {kinds}")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 6. Forward against reverse
#
# Unit 02 computed $Jv$, unit 03 $J^{\top}u$. Both know the same Jacobian, so for all $u$ and $v$
#
# $$\langle u, Jv \rangle = \langle J^{\top}u, v \rangle$$
#
# Only rounding separates them, so this test sees errors of a millionth.
#
# ### Exercise `dot_product_test` (2 points)
# `jvp(inputs, vs)` gives $Jv$, an array; `vjp(inputs, u)` gives $J^{\top}u$, an array for each input. Return True or False at
# these `inputs`, which stay as they are; faults are of size 1e-6 and more, shapes are right.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The shape of $u$ is that of $Jv$.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# vs = [...]
# forward = jvp(inputs, vs)
# u = ...
# a, b = (u * forward).sum(), sum(...)
# return ...                     # relative, and tight
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Faults missed: 1e-5 was for differences.
# </details>


# %% exercise="dot_product_test"
def dot_product_test(jvp, vjp, inputs, rng):
    """Whether <u, Jv> = <J'u, v> for a random u and random vs, up to rounding."""
    ### BEGIN SOLUTION
    vs = [rng.standard_normal(x.shape) for x in inputs]
    forward = jvp(inputs, vs)
    u = rng.standard_normal(np.shape(forward))
    a = (u * forward).sum()
    b = sum((grad * v).sum() for grad, v in zip(vjp(inputs, u), vs))
    return bool(abs(a - b) <= 1e-10 * min(abs(a), abs(b)))
    ### END SOLUTION


# %% probes="dot_product_test"
@probe
def both_ways_agree(ask, inputs, seed):
    """What your test says of a pair, of which both parts answer from elsewhere."""

    def jvp(inputs, vs):
        return ask(("jvp", len(inputs), *inputs, *vs))

    def vjp(inputs, u):
        return ask(("vjp", len(inputs), *inputs, u))

    with np.errstate(all="ignore"):
        return dot_product_test(jvp, vjp, inputs, np.random.default_rng(seed))


def pair(about, jvp, vjp, *inputs, right=False):
    """A forward and a reverse rule, to be judged at these inputs."""

    def answer(question):
        what, count, *given = question
        given = numbers_only(*given)
        with np.errstate(all="ignore"):
            if what == "jvp":
                return np.array(jvp(given[:count], given[count:]), dtype=float)
            return gradients_only(vjp(given[:count], given[count]))

    return Suspect(about, right, lambda: answer, (arrays(*inputs),))


def product_jvp(xs, vs):
    return vs[0] * xs[1] + xs[0] * vs[1]


def shown_pair(about, to_b=np.positive, forward=np.positive, scale=1.0, right=False):
    """The pair of scale · a · b, with what becomes of Jv and of the gradient of b."""
    return pair(about, lambda xs, vs: scale * forward(product_jvp(xs, vs)),
                lambda xs, u: (scale * u * xs[1], scale * to_b(u * xs[0])), [2, -3], [5, 7], right=right)


SHOWN_PAIRS = [
    shown_pair("a product", right=True),
    shown_pair("numbers near 1e9: a fixed tolerance is too small for these", scale=1e9, right=True),
    shown_pair("a constant: both sides are 0", scale=0.0, right=True),
    pair("log(a), for positive a: test at the inputs that you get", lambda xs, vs: vs[0] / xs[0],
         lambda xs, u: (u / xs[0],), np.exp(LONG) - 0.13, right=True),
    pair("a matrix product: Jv has another shape than the inputs", lambda xs, vs: vs[0] @ xs[1] + xs[0] @ vs[1],
         lambda xs, u: (u @ xs[1].T, xs[0].T @ u), *TALL, right=True),
    shown_pair("a wrong sign in the second input", np.negative),
    shown_pair("an error of a few millionths", lambda p: p * 1.000004),
    shown_pair("an error of a few millionths, where numbers are near 1e-12", lambda p: p * 1.000004, scale=1e-12),
    shown_pair("entries of Jv in another order (are all u alike?)", forward=lambda p: p[::-1]),
    shown_pair("entries of a gradient in another order (do all entries move alike?)", lambda p: p[::-1]),
    pair("the signs of v are forgotten (has your v both signs?)",
         lambda xs, vs: product_jvp(xs, np.abs(vs)), lambda xs, u: (u * xs[1], u * xs[0]),
         *arrays(LONG, LONG[::-1])),
    pair("the signs of u are forgotten (has your u both signs?)", product_jvp,
         lambda xs, u: (abs(u) * xs[1], abs(u) * xs[0]), *arrays(LONG, LONG[::-1])),
    shown_pair("a gradient of NaN", lambda p: p * np.nan),
    shown_pair("an infinite gradient", lambda p: p * [1, np.inf]),
    shown_pair("an infinite Jv (inf <= 1e-10 * inf is True)", forward=lambda p: p * [1, np.inf]),
]


# %% check="dot_product_test" points=2
with exercise("dot_product_test") as check:
    check.tells_apart(both_ways_agree, SHOWN_PAIRS, "five right pairs, ten wrong ones",
                      right="right pairs")
    both_ways_agree.asking(SHOWN_PAIRS[0].subject)(*SHOWN_PAIRS[0].args, 0)
    check.untouched("inputs stay as they were")
    ### BEGIN HIDDEN TESTS
    rng = np.random.default_rng(check.rng.randrange(2**31))
    normal = rng.standard_normal
    bases = [
        (product_jvp, lambda xs, u: [u * xs[1], u * xs[0]], [normal((2, 3)), normal((2, 3))]),
        (lambda xs, vs: vs[0] @ xs[1] + xs[0] @ vs[1], lambda xs, u: [u @ xs[1].T, xs[0].T @ u], [normal((2, 3)), normal((3, 4))]),
        (lambda xs, vs: np.einsum("ij,jk->ik", vs[0], xs[1]) + np.einsum("ij,jk->ik", xs[0], vs[1]),
         lambda xs, u: [np.einsum("ik,jk->ij", u, xs[1]), np.einsum("ij,ik->jk", xs[0], u)], [normal((3, 3)), normal((3, 3))]),
        (lambda xs, vs: vs[0] * np.cos(xs[0]), lambda xs, u: [u * np.cos(xs[0])], [normal(5)]),
        (lambda xs, vs: vs[0].sum(axis=1), lambda xs, u: [np.repeat(u[:, None], xs[0].shape[1], axis=1)], [normal((3, 4))]),
        (lambda xs, vs: vs[0] + vs[1], lambda xs, u: [u, u.sum(axis=0)], [normal((3, 4)), normal(4)]),
        (lambda xs, vs: np.cumsum(vs[0]), lambda xs, u: [np.cumsum(u[::-1])[::-1]], [normal(6)]),
        (lambda xs, vs: 1e9 * (vs[0] @ xs[1] + xs[0] @ vs[1]), lambda xs, u: [1e9 * u @ xs[1].T, xs[0].T @ (1e9 * u)], [normal((3, 4)), normal((4, 3))]),
        (lambda xs, vs: 0 * vs[0], lambda xs, u: [0 * u], [normal(3)]),
    ]

    def nudged(size):
        def change(part):
            part = np.array(part, dtype=float)
            part.flat[-1] += size * (1 + np.abs(part).max())
            return part
        return change

    changes = {
        "a tiny error": lambda p: p * (1 + 4e-6),
        "an error in one entry": nudged(0.1),
        "a tiny error in one entry": nudged(1e-4),
        "a wrong sign": np.negative,
        "another order": lambda p: p[::-1],
        "a mean for every entry": lambda p: np.full_like(p, p.mean()),
        "a number that is not finite": lambda p: p * np.nan,
        "an infinite number": nudged(np.inf),
    }
    suspects = [pair("a usual pair, written in another way", *base[:2], *base[2], right=True) for base in bases] * 2
    for jvp, vjp, xs in bases[:-1]:
        for kind, change in changes.items():
            suspects.append(pair(f"{kind}, forward", lambda xs, vs, jvp=jvp, change=change: change(jvp(xs, vs)), vjp, *xs))
            suspects.append(pair(f"{kind}, reverse", jvp, lambda xs, u, vjp=vjp, change=change: [*vjp(xs, u)[:-1], change(vjp(xs, u)[-1])], *xs))
    for _ in range(2):
        a, b = normal((4, 6)), normal((4, 6))
        suspects.append(pair("the signs forgotten, forward", lambda xs, vs: product_jvp(xs, np.abs(vs)), bases[0][1], a, b))
        suspects.append(pair("two gradients of one shape, exchanged", product_jvp, lambda xs, u: [u * xs[0], u * xs[1]], a, b))
        suspects.append(pair("the signs forgotten, reverse", product_jvp, lambda xs, u: [np.abs(u) * xs[1], np.abs(u) * xs[0]], a, b))
    for scale in (1e-20, 1e20):
        a, b = normal(5), normal(5)

        def forward(xs, vs, scale=scale):
            return scale * product_jvp(xs, vs)

        suspects.append(pair(f"numbers of size {scale:g}", forward, lambda xs, u, scale=scale: [scale * u * xs[1], scale * u * xs[0]], a, b, right=True))
        suspects.append(pair(f"a wrong sign, where numbers are of size {scale:g}", forward,
                             lambda xs, u, scale=scale: [-scale * u * xs[1], -scale * u * xs[0]], a, b))
    suspects.append(pair("a fault that is at these inputs, and not at others", lambda xs, vs: np.cos(xs[0]) * vs[0],
                         lambda xs, u: [np.cos(np.minimum(xs[0], 9)) * u], normal(5) + 20))
    suspects += [pair("a sum of very many terms", lambda xs, vs: np.cumsum(vs[0]), lambda xs, u: [np.cumsum(u[::-1])[::-1]], normal(5000), right=True) for _ in range(12)]
    check.tells_apart(both_ways_agree, suspects, "pairs that you have not seen", right="right pairs")

    @probe
    def pair_passes_or_not(ask, inputs, seed):
        """What your test says of a pair, where an exception is False."""
        try:
            with np.errstate(all="ignore"):
                return bool(dot_product_test(lambda xs, vs: ask(("jvp", len(xs), *xs, *vs)), lambda xs, u: ask(("vjp", len(xs), *xs, u)),
                                             inputs, np.random.default_rng(seed)))
        except Exception:
            return False

    missed = 0
    for _ in range(24):
        small = pair("", lambda xs, vs: vs[0] + 10 * vs[1], lambda xs, u: [1.000004 * u, 10 * u], normal(3), normal(3))
        missed += pair_passes_or_not.asking(small.subject)(*small.args, check.rng.randrange(2**31))
    check.true(missed <= 9, f"{missed} of 24 times a few millionths too much in one of two gradients are not found")
    ### END HIDDEN TESTS

# %% [markdown]
# Two sides that are wrong *alike* agree. So compare with differences, too.
#
# *A good place to stop.*
#
# ## 7. Random graphs
#
# Rules may all be right, and the engine wrong: a value used twice, a node visited too early.
# *Property-based testing* draws the inputs and checks what must hold for all of
# them. In Python, Hypothesis does so, and *shrinks* a failing input.
#
# A program is a list of steps. A step is the name of an operation and the positions of its operands; inputs have the
# positions 0, 1 and 2, the first step makes the value 3. In the picture below value 3 is used
# by two steps, by one of them twice, and its gradient is whole only when all parts have come back.


# %% given="programs"
OPERATIONS = {
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b),
    "tanh": (1, lambda a: a.tanh() if hasattr(a, "tanh") else np.tanh(a)),  # of an engine, or of NumPy
    "sin": (1, lambda a: a.sin() if hasattr(a, "sin") else np.sin(a)),
}


def run_program(program, inputs):
    """All values of a program, the inputs first."""
    values = list(inputs)
    for name, *operands in program:
        values.append(OPERATIONS[name][1](*[values[i] for i in operands]))
    return values


# %% figure="program"
def program_figure(program):
    inputs = [Tensor(x, requires_grad=True) for x in (0.7, -0.4, 1.1)]
    values = run_program(program, inputs)
    names = dict(zip("xyz", inputs)) | {f"v{i}": value for i, value in enumerate(values[3:], start=3)}
    return draw(values[-1], labels=names, gradients=True)


program_figure([("mul", 0, 1), ("sin", 3), ("mul", 3, 3), ("sub", 4, 5)])

# %% [markdown]
# ### Exercise `random_program` (3 points)
# Return a random program of 8 steps on 3 inputs, a list of tuples such as `("mul", 0, 3)`. Its result is its last
# value, and every step (not input) has to reach it: what is not used is not tested. We call it 300 times, within 10
# seconds (drawing freely until one fits takes longer). Dozens of broken engines run your programs; each fault must
# show in three.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Nothing is wasted if each step uses the value before it. What can the other operand be?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for position in range(3, 11):          # of the value that is made
#     name = rng.choice(list(OPERATIONS))
#     operands = [position - 1]          # the newest
#     if OPERATIONS[name][0] == 2:
#         operands.append(...)           # any, the newest too
#     ...                                # in either order
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Faults that hide: x · x never occurs, the newest is always on the left, or old values are never used again.
# </details>


# %% exercise="random_program"
def random_program(rng):
    """A random list of 8 steps (name, operand, ...) on 3 inputs, in which no step is wasted."""
    ### BEGIN SOLUTION
    program = []
    for position in range(3, 11):
        name = str(rng.choice(list(OPERATIONS)))
        operands = [position - 1]
        if OPERATIONS[name][0] == 2:
            operands.append(int(rng.integers(position)))
            rng.shuffle(operands)
        program.append((name, *operands))
    return program
    ### END SOLUTION


# %% probes="random_program"
@probe
def programs_drawn(count, seed):
    """So many of your programs."""
    rng = np.random.default_rng(seed)

    def plain(position):
        return int(position) if isinstance(position, (int, np.integer)) else str(position)

    drawn = [random_program(rng) for _ in range(count)]  # all of them, before the first is looked at
    return [[(str(name), *map(plain, at)) for name, *at in program] for program in drawn]


NUMBERS = {  # what OPERATIONS does, on plain numbers, and the slopes
    "add": (lambda a, b: a + b, lambda a, b: (1, 1)),
    "sub": (lambda a, b: a - b, lambda a, b: (1, -1)),
    "mul": (lambda a, b: a * b, lambda a, b: (b, a)),
    "tanh": (np.tanh, lambda a: (1 - np.tanh(a) ** 2,)),
    "sin": (np.sin, lambda a: (np.cos(a),)),
}
SLOPES = {name: slope for name, (_, slope) in NUMBERS.items()}


def computed(program, inputs):
    """All values of a program, on plain numbers."""
    values = list(inputs)
    for name, *operands in program:
        values.append(NUMBERS[name][0](*[values[i] for i in operands]))
    return values


def complaint(program):
    """What is wrong with a program; empty when it is one."""
    if len(program) != 8 or any(name not in SLOPES for name, *_ in program):
        return "a program has 8 steps, of the five operations"
    for position, (name, *operands) in enumerate(program, start=3):
        if len(operands) != (1 if name in ("tanh", "sin") else 2) or not all(isinstance(i, int) for i in operands):
            return f"({name!r}, {', '.join(map(str, operands))}) is no step, such as ('mul', 0, 3) or ('sin', 3)"
        if not all(0 <= i < position for i in operands):
            return f"value {position} can only be made of earlier ones"
    used = {10}
    for position in range(10, 2, -1):
        if position not in used:
            return f"value {position} does not reach the result"
        used.update(program[position - 3][1:])
    return ""


def first_complaint(programs):
    """What is wrong with the first of them that is no program, and which it is; empty when all are."""
    return next((f"{complaint(p)}: {p}" for p in programs if complaint(p)), "")


def program_gradients(program, inputs, slopes=SLOPES, send=None):
    """The gradients of all values; `send(grads, i, part, position)` adds one part to one of them."""
    values = computed(program, inputs)
    grads = np.zeros(len(values))
    grads[-1] = 1.0
    for position in range(len(values) - 1, 2, -1):
        name, *operands = program[position - 3]
        for i, slope in zip(operands, slopes[name](*[values[k] for k in operands])):
            if send is None:
                grads[i] += grads[position] * slope
            else:
                send(grads, i, grads[position] * slope, position)
    return grads


def sending(keep):
    """An engine that drops the parts that `keep(program, i, position, count)` gives False for."""
    def engine(program, x):
        counts = {}
        def send(grads, i, part, position):
            counts[i] = counts.get(i, 0) + 1
            if keep(program, i, position, counts[i]):
                grads[i] += part
        return program_gradients(program, x, send=send)
    return engine


def with_slopes(name, slope):
    """An engine with another rule for one operation."""
    return lambda program, x: program_gradients(program, x, {**SLOPES, name: slope})


def in_order(visit):
    """An engine that visits values in the order that `visit` makes, each once, and passes on what is there then."""
    def engine(program, x):
        values = computed(program, x)
        grads = np.zeros(len(values))
        grads[-1] = 1.0
        for position in visit(program):
            if position > 2:
                name, *operands = program[position - 3]
                for i, slope in zip(operands, SLOPES[name](*[values[k] for k in operands])):
                    grads[i] += grads[position] * slope
        return grads
    return engine


def breadth_first(program):
    seen = waiting = [10]
    seen = [10]
    while waiting:
        waiting = [i for p in waiting if p > 2 for i in program[p - 3][1:]]
        for i in waiting:
            if i not in seen:
                seen.append(i)
    return seen


def operands_of(program, position):
    return program[position - 3][1:]


def ordered(first, second):
    """Whether a step's left operand is older than its right one."""
    return lambda p, i, at, n: len(operands_of(p, at)) < 2 or first(operands_of(p, at)) <= second(operands_of(p, at))


def losing_one_of_two(name):
    """An engine that loses a part where both operands of such a step are one value, not only equal ones."""
    return sending(lambda p, i, at, n: p[at - 3][0] != name or len({*operands_of(p, at)}) > 1 or n % 2)


SHOWN_ENGINES = {
    "add has a wrong rule": with_slopes("add", lambda a, b: (1, -1)),
    "sub has a wrong rule": with_slopes("sub", lambda a, b: (1, 1)),
    "mul has a wrong rule": with_slopes("mul", lambda a, b: (a, b)),
    "tanh has a wrong rule": with_slopes("tanh", lambda a: (1 - a * a,)),
    "sin has a wrong rule": with_slopes("sin", lambda a: (-np.cos(a),)),
    "a value that is used twice loses a part": sending(lambda p, i, at, n: n < 2),
    "a value that a step made is used twice, and loses a part": sending(lambda p, i, at, n: i < 3 or n < 2),
    "one value on both sides of a step, as in x · x": losing_one_of_two("mul"),
    "one value on both sides of a step, as in x + x": losing_one_of_two("add"),
    "one value on both sides of a step, as in x - x": losing_one_of_two("sub"),
    "input 0 gets nothing (is it ever used?)": sending(lambda p, i, at, n: i != 0),
    "the older operand on the left of a step": sending(ordered(lambda o: o[1], lambda o: o[0])),
    "the older operand on the right of a step": sending(ordered(lambda o: o[0], lambda o: o[1])),
    "sub with the older operand on the left": sending(
        lambda p, i, at, n: p[at - 3][0] != "sub" or operands_of(p, at)[0] >= operands_of(p, at)[1]),
    "an old value used again much later": sending(lambda p, i, at, n: at - i < 4 or i < 3),
    "values visited too early, where paths differ in length": in_order(breadth_first),
}


def shown_in(programs, engine, seed):
    """In how many programs an engine's gradients differ from the right ones; three are enough."""
    rng, count = np.random.default_rng(seed), 0
    for program in programs:
        x = rng.uniform(0.5, 1.5, 3) * rng.choice([-1, 1], 3)
        right = program_gradients(program, x)[:3]
        count += not np.allclose(engine(program, x)[:3], right, rtol=1e-4, atol=1e-9)
        if count == 3:
            break
    return count


# %% check="random_program" points=3
with exercise("random_program") as check:
    programs = programs_drawn(300, 0)
    bad = first_complaint(programs)
    check.true(not bad, bad)
    different = len({str(program) for program in programs})
    check.true(different >= 100, f"{different} different programs among 300: draw from rng")
    for fault, engine in SHOWN_ENGINES.items():
        count = shown_in(programs, engine, 0)
        check.true(count >= 3, f"{fault}: this shows in {count} of your 300 programs")
    ### BEGIN HIDDEN TESTS
    def depth_first(program):
        seen, stack = [], [10]
        while stack:
            p = stack.pop()
            if p not in seen:
                seen.append(p)
                stack += program[p - 3][1:] if p > 2 else []
        return seen

    def every_path(program, x):
        """Passes on all that is there at each visit, so that earlier parts count again."""
        values = computed(program, x)
        grads, left = np.zeros(len(values)), [5000]
        grads[-1] = 1.0
        def visit(p):
            left[0] -= 1
            if p > 2 and left[0] > 0:
                name, *operands = program[p - 3]
                for i, slope in zip(operands, SLOPES[name](*[values[k] for k in operands])):
                    grads[i] += grads[p] * slope
                for i in operands:
                    visit(i)
        visit(10)
        return grads

    def name_of(program, position):
        return program[position - 3][0] if position > 2 else "input"

    def after(first, second):
        """A step `second` that uses the result of a step `first` passes nothing on to it."""
        return sending(lambda p, i, at, n: not (name_of(p, at) == second and name_of(p, i) == first))

    def aged(name, sign):
        """Such a step passes nothing on where its left operand is the older one, or the newer one."""
        def keep(p, i, at, n):
            left, right = operands_of(p, at) if p[at - 3][0] == name else (0, 0)
            return sign * left >= sign * right
        return sending(keep)

    broken = [
        ("loses a part where a value is used twice", sending(lambda p, i, at, n: n < 2)),
        ("loses a part where a value is used more than twice", sending(lambda p, i, at, n: n < 3)),
        ("goes wrong where both operands are the same", sending(lambda p, i, at, n: len(operands_of(p, at)) < 2 or operands_of(p, at)[0] != operands_of(p, at)[1] or n % 2)),
        ("goes wrong where both operands are the same", losing_one_of_two("mul")),
        ("goes wrong where both operands are the same", losing_one_of_two("sub")),
        ("goes wrong where both operands are the same", losing_one_of_two("add")),
        ("forgets values that are used again much later", sending(lambda p, i, at, n: at - i < 5)),
        ("forgets values that are used again much later", sending(lambda p, i, at, n: at - i < 4 or i < 3)),
        ("forgets inputs that are used late", sending(lambda p, i, at, n: i > 2 or at < 8)),
        ("loses what an input gets from more than one step", sending(lambda p, i, at, n: i > 2 or n < 2)),
        ("goes only a few steps back", sending(lambda p, i, at, n: at > 5)),
        ("visits values in a wrong order", in_order(breadth_first)),
        ("visits values in a wrong order", in_order(depth_first)),
        ("visits values in a wrong order", lambda p, x: program_gradients(p, x) if len({*operands_of(p, 10)}) < 2 else in_order(breadth_first)(p, x)),
        ("counts a value's gradient again at each visit", every_path),
        ("has a wrong rule", with_slopes("add", lambda a, b: (1, -1))),
        ("has a wrong rule", with_slopes("sub", lambda a, b: (-1, 1))),
        ("has a wrong rule", with_slopes("mul", lambda a, b: (a, b))),
        ("has a wrong rule", with_slopes("mul", lambda a, b: (b, 0 * a))),
        ("has a wrong rule", with_slopes("mul", lambda a, b: (0 * b, a))),
        ("has a wrong rule", with_slopes("sin", lambda a: (-np.cos(a),))),
        ("has a wrong rule", with_slopes("sin", lambda a: (np.cos(np.sin(a)),))),
        ("has a wrong rule", with_slopes("tanh", lambda a: (1 - a * a,))),
        ("has a wrong rule", with_slopes("tanh", lambda a: (1 + np.tanh(a) ** 2,))),
        ("mixes up operands by their age", sending(lambda p, i, at, n: len(operands_of(p, at)) < 2 or operands_of(p, at)[0] <= operands_of(p, at)[1])),
        ("mixes up operands by their age", sending(lambda p, i, at, n: len(operands_of(p, at)) < 2 or operands_of(p, at)[0] >= operands_of(p, at)[1])),
        ("mixes up operands by their age", lambda p, x: program_gradients(p, x) if all(a <= b for name, a, *rest in p if name == "sub" for b in rest) else -program_gradients(p, x)),
        *[("mixes up operands by their age", aged(name, sign)) for name in ("add", "sub", "mul") for sign in (1, -1)],
        ("goes wrong where one operation follows another", after("mul", "sub")),
        ("goes wrong where one operation follows another", after("tanh", "tanh")),
        ("goes wrong where one operation follows another", after("sin", "mul")),
        ("goes wrong where one operation follows another", after("add", "tanh")),
        ("goes wrong where one operation follows another", after("sub", "sin")),
        ("goes wrong where one operation follows another", after("mul", "mul")),
        ("forgets an input that goes straight into the last step", sending(lambda p, i, at, n: not (at == 10 and i < 3))),
        *[("forgets one of the inputs", sending(lambda p, i, at, n, k=k: i != k)) for k in range(3)],
    ]
    programs = programs_drawn(300, check.rng.randrange(2**31))
    bad = first_complaint(programs)
    check.true(not bad, bad)
    seed = check.rng.randrange(2**31)
    hidden = [kind for kind, engine in broken if shown_in(programs, engine, seed) < 3]
    kinds = ", ".join(dict.fromkeys(f"an engine that {kind}" for kind in hidden))
    check.true(not hidden, f"{len(hidden)} of {len(broken)} faults hide from your programs: {kinds}")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 8. The first wrong node
#
# A wrong rule spoils gradients *before* it in the order of
# computation, and none after it. So walk from the loss towards the input, and check the gradient of each value: the
# first wrong one you meet convicts the layer that you have just crossed.
#
# ### Exercise `first_wrong_layer` (2 points)
# Layer 1 makes `values[1]` of `values[0]`, and so on; the last value is the loss, a number. An engine says that `grads[k]` is the
# gradient of `values[k]`. `tail(k, x)` runs all layers behind value k on `x` and gives the loss. Return the number of the wrong layer
# that is nearest to the loss, or None. Faults exceed 0.3 %; gradients may be near 1e-16, allow 1e-5 of the slope, nothing absolute, no `rounding` either.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A check along one direction for each value, from the back.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for k in reversed(range(len(values) - 1)):
#     ...                       # slope of tail(k, ...) along v, and what grads[k] says
#     if not ... <= ...:        # NaN: no comparison with it is True
#         return ...            # which layer leads from value k on?
# return None
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Off by one: layer k + 1 stands behind value k. The wrong layer of several: the search went from the input on.
# </details>


# %% exercise="first_wrong_layer"
def first_wrong_layer(tail, values, grads, rng):
    """The number of the wrong layer that is nearest to the loss; None when all are right."""
    ### BEGIN SOLUTION
    h = 1e-6
    for k in reversed(range(len(values) - 1)):
        v = rng.standard_normal(values[k].shape)
        slope = (tail(k, values[k] + h * v) - tail(k, values[k] - h * v)) / (2 * h)
        given = (grads[k] * v).sum()
        if not abs(slope - given) <= 1e-5 * abs(slope):
            return k + 1
    return None
    ### END SOLUTION


# %% probes="first_wrong_layer"
@probe
def layer_found(ask, values, grads, seed):
    """The layer that you accuse. The network answers from elsewhere."""
    found = first_wrong_layer(
        lambda k, x: ask(("tail", k, x)), values, grads, np.random.default_rng(seed)
    )
    return "no layer" if found is None else int(found)  # a text: None would look like a forgotten return


STEPS = {
    "matmul": (lambda x, w: x @ w, lambda g, x, w: g @ w.T),
    "tanh": (lambda x, w: np.tanh(x), lambda g, x, w: g * (1 - np.tanh(x) ** 2)),
    "scale": (lambda x, w: x * w, lambda g, x, w: g * w),
    "loss": (lambda x, w: (x**2).mean(), lambda g, x, w: 2 * g * x / x.size),
}


def network(kinds, weights, x):
    """All values of a network, the input first."""
    values = [x]
    for kind, w in zip(kinds, weights):
        values.append(np.asarray(STEPS[kind][0](values[-1], w)))
    return values


def gradients_with(kinds, weights, values, faults):
    """The gradients of an engine; `faults` changes what some layers, by number, pass back."""
    grads = [np.array(1.0)]
    for k in reversed(range(len(kinds))):
        g = STEPS[kinds[k]][1](grads[0], values[k], weights[k])
        grads.insert(0, np.asarray(faults.get(k + 1, lambda g: g)(g)))
    return grads


def case(kinds, weights, x, faults):
    """A network with wrong layers: what is asked of it, its values and its gradients."""
    values = network(kinds, weights, np.asarray(x, dtype=float))

    def answer(question):
        (x,) = numbers_only(question[2])
        k = int(question[1])
        return np.asarray(network(kinds[k:], weights[k:], x)[-1], dtype=float)  # with `sum`, for slope_along

    return lambda: answer, values, gradients_with(kinds, weights, values, faults)


KINDS = ["scale", "matmul", "tanh", "scale", "loss"]
WEIGHTS = [2.0, np.array([[1.0, -0.5], [0.3, 0.8], [-0.6, 0.2]]), None, -1.5, None]
SHOWN_CASES = [  # wrong layers, how, why; the weights of layers 1 and 4
    ([], None, "no layer is wrong", 2.0, -1.5),
    ([2], lambda g: 1.3 * g, "layer 2 passes 30 % too much", 2.0, -1.5),
    ([5], lambda g: 1.3 * g, "layer 5, the loss, passes 30 % too much", 2.0, -1.5),
    ([1], lambda g: 1.3 * g, "layer 1 passes 30 % too much", 2.0, -1.5),
    ([1], lambda g: 1.3 * g, "layer 1 passes 30 % too much, where gradients are near 1e-6", 1e-3, -1.5),
    ([1], lambda g: 1.3 * g,
     "layer 1 passes 30 % too much, where gradients are near 1e-16", 2.0, 1e-8),
    ([1, 4], lambda g: 1.3 * g, "layers 1 and 4 are wrong, and 4 is nearer to the loss", 2.0, -1.5),
    ([3], lambda g: 0.97 * g, "layer 3 passes 3 % too little", 2.0, -1.5),
    ([3], lambda g: 0.995 * g, "layer 3 passes half a percent too little", 2.0, -1.5),
    ([2], lambda g: g[:, ::-1], "layer 2 passes its entries in another order: do all entries of your v move alike?", 2.0, -1.5),
    ([3], lambda g: g * np.nan, "layer 3 passes NaN", 2.0, -1.5),
    ([3], lambda g: np.where(g == g.flat[0], np.inf, g), "layer 3 passes an infinity", 2.0, -1.5),
    ([], None, "no layer is wrong, and all slopes are 0", 0.0, -1.5),
    ([], None, "no layer is wrong, and gradients are near 1e5", 2.0, 1e3),
]


# %% check="first_wrong_layer" points=2
with exercise("first_wrong_layer") as check:
    for wrong, change, why, first, fourth in SHOWN_CASES:
        weights = [first, *WEIGHTS[1:3], fourth, None]
        faults = dict.fromkeys(wrong, change)
        subject, values, grads = case(KINDS, weights, [[0.4, -0.3, 0.2]], faults)
        found = layer_found.asking(subject)(values, grads, 1)
        check.close(found, max(wrong, default="no layer"), f"of five layers, {why}")
    check.untouched("values and gradients stay as they were")
    ### BEGIN HIDDEN TESTS
    rng = np.random.default_rng(check.rng.randrange(2**31))
    makers = {
        "twice": lambda g: 2 * g, "sign": lambda g: -g, "order": lambda g: g[:, ::-1],
        "mean": lambda g: np.full_like(g, g.mean()), "nan": lambda g: g * np.nan, "little": lambda g: 1.004 * g,
    }
    for number, (_, change) in enumerate(list(makers.items()) * 3):
        kinds = [str(rng.choice(["matmul", "tanh", "scale"])) for _ in range(rng.integers(4, 8))]
        width, weights = 3, []
        for kind in kinds:
            weights.append({"tanh": None, "scale": float(rng.uniform(0.7, 1.4)), "matmul": rng.uniform(-0.9, 0.9, (width, 4))}[kind])
            width = 4 if kind == "matmul" else width
        kinds, weights = [*kinds, "loss"], [*weights, None]
        count = [1, 2, 0][number // 6]
        wrong = sorted(int(k) for k in rng.choice(len(kinds), count, replace=False) + 1)
        if count == 1 and number in (0, 3, 5):  # the first one, the loss, and what is hard to see
            wrong = [{0: 1, 3: len(kinds), 5: 2}[number]]
        subject, values, grads = case(kinds, weights, rng.standard_normal((2, 3)), dict.fromkeys(wrong, change))
        got = layer_found.asking(subject)(values, grads, check.rng.randrange(2**31))
        check.close(got, max(wrong, default="no layer"), "the wrong layer nearest to the loss")
    for layer in (1, 2, 3, 4, 5):
        subject, values, grads = case(KINDS, WEIGHTS, rng.standard_normal((3, 3)), {layer: lambda g: g[::-1]})
        got = layer_found.asking(subject)(values, grads, check.rng.randrange(2**31))
        check.close(got, layer, "a layer that passes its rows in another order")
    # Half a percent of one entry is less of the slope. The seeds are given, since a direction may all but leave it out.
    for seed, layer in enumerate((2, 3, 3, 4, 4)):
        most = {layer: lambda g: g * np.where(abs(g) == abs(g).max(), 1.005, 1.0)}
        subject, values, grads = case(KINDS, WEIGHTS, np.linspace(-1.0, 1.1, 9).reshape(3, 3), most)
        got = layer_found.asking(subject)(values, grads, seed)
        check.close(got, layer, "a layer that passes one entry half a percent too large")
    # A layer that multiplies by 0: all slopes before it are 0, and so is each right gradient.
    for layer, weights in ((1, [0.0, *WEIGHTS[1:]]), (2, [2.0, 0 * WEIGHTS[1], *WEIGHTS[2:]])):
        subject, values, grads = case(KINDS, weights, rng.standard_normal((2, 3)), {layer: lambda g: g + 1.0})
        got = layer_found.asking(subject)(values, grads, check.rng.randrange(2**31))
        check.close(got, layer, "a layer that passes something back where all slopes are 0")
    # Layer 3 makes good what layer 4 did: before it gradients are right again.
    subject, values, grads = case(KINDS, WEIGHTS, rng.standard_normal((2, 3)), {4: lambda g: 2 * g, 3: lambda g: g / 2})
    got = layer_found.asking(subject)(values, grads, check.rng.randrange(2**31))
    check.close(got, 4, "two wrong layers, of which one undoes what the other does")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 9. Bug hunt
#
# A colleague checks gradients entry by entry, and has never found a fault. This test has **five bugs**.


# %% given="colleague_test"
def colleague_test(f, gradient, x):
    """Whether gradient(x) agrees with differences of f, in every entry."""
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        x[i] += h
        ahead = f(x)
        x[i] -= 2 * h
        slope = (ahead - f(x)) / (2 * h)
        if slope - given[i] > 1e-5 * abs(slope):
            return False
        return True


# %% [markdown]
# On gradients of sin(a) + b²:


# %%
def sine_and_square(x):
    return np.sin(x[0]) + x[1] ** 2


def trial_of(test):
    """What a test says of five gradients, of which the first is right; and what it leaves of x."""
    changes = {
        "right": (1, 1), "first entry too small": (0.5, 1), "first entry too large": (1.5, 1),
        "second entry wrong": (1, 3), "NaN": (np.nan, 1),
    }
    for name, change in changes.items():
        x = np.array([0.5, 2.0])
        said = test(
            sine_and_square, lambda x: np.array([np.cos(x[0]), 2 * x[1]]) * change, x
        )
        print(f"{name}: {said}, x moved by {abs(x - [0.5, 2.0]).max():.0e}")


trial_of(colleague_test)

# %% [markdown]
# ### Exercise `mended_test` (2 points)
# Write it without its bugs. `x` is an array (n,), and stays as it was, to the last bit: `x[i] += h` and then `x[i] -= h` leaves
# rounding behind. Faults are larger than 1 % of an entry, entries of right gradients of size 0.01 to 100, or 0.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The table shows that x moves; its last three lines should be False. One bug does not show in it: a right entry of 0 is accused.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for i in range(len(x)):
#     v = np.zeros(len(x))
#     v[i] = ...                       # moves one entry of a new array
#     slope = (f(x + v) - ...) / ...
#     if not ... <= ...:               # NaN: no comparison with it is True
#         return False
# return True
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A right gradient accused: an entry that is 0 needs a little absolute tolerance. Only one entry is looked at: `return True` stands inside the loop.
# </details>


# %% exercise="mended_test"
def mended_test(f, gradient, x):
    """Whether gradient(x) agrees with differences of f, in every entry."""
    ### BEGIN SOLUTION
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        v = np.zeros(len(x))
        v[i] = h
        slope = (f(x + v) - f(x - v)) / (2 * h)
        if not abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope):
            return False
    return True
    ### END SOLUTION


# %% probes="mended_test"
@probe
def mended_says(ask, x, seed):
    """What your test says of a function and a gradient that answer from elsewhere."""
    with np.errstate(all="ignore"):
        return mended_test(lambda x: ask(("f", x)), lambda x: ask(("gradient", x)), x)


def entries(about, f, gradient, x, right=False):
    """A function of an array and a gradient, to be judged at x."""

    def answer(question):
        (x,) = numbers_only(question[1])
        with np.errstate(all="ignore"):
            return np.array((f if question[0] == "f" else gradient)(x), dtype=float)

    return Suspect(about, right, lambda: answer, tuple(arrays(x)))


def known(about, *factors, right=False):
    """The gradient of sin(a) + b², with each entry times a factor."""
    return entries(about, lambda x: np.sin(x[0]) + x[1] ** 2,
                   lambda x: np.array([np.cos(x[0]), 2 * x[1]]) * factors, [0.5, 2.0], right)


def shown_squares(about, *changed, right=False):
    """0.005 a² + 50 b² + c² at (1, 1, 0), with the entries of the gradient as they are given."""
    weights = np.array([0.005, 50.0, 1.0])
    return entries(about, lambda x: (weights * x**2).sum(), lambda x: np.array(changed), [1, 1, 0], right)


SHOWN_ENTRIES = [
    known("sin(a) + b²", 1, 1, right=True), known("an entry too small", 0.5, 1),
    known("an entry too large", 1.5, 1), known("the last entry wrong", 1, 3),
    known("NaN", np.nan, 1), known("infinity", 1, np.inf), known("minus infinity", -np.inf, 1),
    known("an entry 2 % too large", 1, 1.02),
    shown_squares("entries 0.01, 100 and 0", 0.01, 100.0, 0.0, right=True),
    entries("an entry of 0, whose difference is h² / 100", lambda x: 2 * (x[0] - 1) + 0.01 * x[1] ** 3,
            lambda x: np.array([2, 0.03 * x[1] ** 2]), [1, 0], right=True),
    entries("the sum of (a + b) - b for three b: by b it is 0, and rounding is all that moves",
            lambda x: ((x[0] + x[1:]) - x[1:]).sum(), lambda x: [3, 0, 0, 0], [0.6, 0.4, 0.9, 0.6], right=True),
    entries("50 a² at 0: go to both sides", lambda x: 50 * (x**2).sum(), lambda x: 100 * x, [0, -1], right=True),
    entries("100 a b at (0, 1): is a back at 0 when b moves?", lambda x: 100 * x[0] * x[1],
            lambda x: 100 * x[::-1], [0, 1], right=True),
    entries("sin(100a) bends strongly: is h near 1e-6?", lambda x: np.sin(100 * x).sum(),
            lambda x: 100 * np.cos(100 * x), [0.7, -0.4, 0.2], right=True),
    shown_squares("a small entry, 2 % too large", 0.0102, 100.0, 0.0),
    shown_squares("0.02 where 0 is right", 0.01, 100.0, 0.02),
    shown_squares("two errors that cancel in sum", 0.02, 99.99, 0.0),
]
# From here steps of h there and back do not lead to the same numbers, whether h is 1e-4 or 1e-7.
UNEVEN = entries("", lambda x: np.sin(x).sum(), np.cos, [0.1, 0.7, -1.3, 2.6, 0.33, 3e-9], right=True)
WRONG_AT_LAST = entries("", lambda x: np.sin(x).sum(), lambda x: np.cos(x) * [1, 1, 2], [0.1, 0.7, -1.3])


# %% check="mended_test" points=2
with exercise("mended_test") as check:
    check.tells_apart(mended_says, SHOWN_ENTRIES, "gradients of which the faults are known",
                      right="right gradients")
    mended_says.asking(UNEVEN.subject)(*UNEVEN.args, 0)
    check.untouched("x stays as it was, to the last bit")
    mended_says.asking(WRONG_AT_LAST.subject)(*WRONG_AT_LAST.args, 0)
    check.untouched("so it does where the gradient is wrong")
    ### BEGIN HIDDEN TESTS
    for k in range(3):
        factors = np.where(np.arange(3) == k, 2.0, 1.0)
        wrong = entries("", lambda x: np.sin(x).sum(), lambda x, factors=factors: np.cos(x) * factors, [0.1, 0.7, -1.3])
        mended_says.asking(wrong.subject)(*wrong.args, 0)
        check.untouched("x stays as it was, whichever entry is wrong")
    rng = np.random.default_rng(check.rng.randrange(2**31))
    functions = [
        (lambda x: np.sin(x).sum(), np.cos),
        (lambda x: (x**3).sum(), lambda x: 3 * x**2),
        (lambda x: np.prod(x), lambda x: np.prod(x) / x),
        (lambda x: 40 * np.tanh(x).sum(), lambda x: 40 * (1 - np.tanh(x) ** 2)),
        (lambda x: 0.02 * (x**2).sum() + 3, lambda x: 0.04 * x),
        (lambda x: 1e5 + 90 * np.sin(x).sum(), lambda x: 90 * np.cos(x)),
        (lambda x: x[0] * x[-1], lambda x: np.concatenate([[x[-1]], 0 * x[1:-1], [x[0]]])),
    ]

    def at(k, change):
        def act(given):
            given = np.array(given, dtype=float)
            given[k] = change(given[k])
            return given
        return act

    changes = {
        "the first entry wrong": at(0, lambda g: g * 1.5 + 0.1), "an entry in the middle wrong": at(2, lambda g: g * 0.5 - 0.1),
        "the last entry wrong": at(-1, lambda g: 2 * g - 0.3), "too small everywhere": lambda g: 0.9 * g - 0.01,
        "2 % too large": lambda g: 1.02 * g, "2 % too small": lambda g: 0.98 * g, "a wrong sign": np.negative,
        "entries in reverse": lambda g: g[::-1], "NaN in the last entry": at(-1, lambda g: np.nan),
        "an infinite entry": at(1, lambda g: np.inf), "minus infinity": at(0, lambda g: -np.inf), "zeros": lambda g: 0 * g,
    }
    suspects = []
    for f, gradient in functions:
        x = rng.uniform(0.4, 1.1, 4) * rng.choice([-1, 1], 4)
        suspects += [entries("a usual gradient", f, gradient, x, right=True)] * 2
        for kind, change in changes.items():
            if not np.allclose(change(gradient(x)), gradient(x), rtol=0.01, atol=0):
                suspects.append(entries(kind, f, lambda x, gradient=gradient, change=change: change(gradient(x)), x))
    suspects += [shown_squares("a small entry, a little more than 1 % too large", 0.010105, 100.0, 0.0)]
    suspects += [entries("an entry of 0", lambda x: 0.01 * ((x - 0.5) ** 3).sum(), lambda x: 0.03 * (x - 0.5) ** 2, [0.5, 0.9], right=True)]
    suspects += [entries("entries of 0, and rounding", lambda x: ((x[0] + x[1:]) - x[1:]).sum(), lambda x: [5, 0, 0, 0, 0, 0],
                         rng.uniform(0.4, 1.1, 6), right=True) for _ in range(8)]
    suspects += [entries("a constant", lambda x: 7.0, lambda x: 0 * x, [1, 2], right=True)]
    suspects += [entries("small entries whose slope changes quickly", lambda x: 50 * (x**2).sum(), lambda x: 100 * x, [1e-4, -1.0, 0.0], right=True)]
    turns = rng.uniform(-1, 1, 3) + np.pi * rng.integers(-9, 10, 3)  # where the slopes of sin(100a) are not small
    suspects += [entries("a slope that changes quickly", lambda x: np.sin(100 * x).sum(), lambda x: 100 * np.cos(100 * x), turns / 100, right=True)]
    suspects += [shown_squares("a small entry, 1.2 % off", 0.01 * part, 100.0, 0.0) for part in (1.012, 0.988)]
    check.tells_apart(mended_says, suspects, "gradients that you have not seen", right="right gradients")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 10. From an empty cell
#
# Test a whole engine. You get its class `Tensor`. As in unit 10,
#
# - `Tensor(array, requires_grad=True)` is a leaf;
# - there are `+ - * / @` (no `**`), also with plain numbers on either side, and `exp()`, `tanh()`, `sin()`, `relu()`, `sum()`, `sum(axis=0)` and
#   `x[[2, 0, 2]]`;
# - shapes are broadcast; `.data` is an array, and that of a leaf may be changed before a graph is built;
# - `backward()` of a single number adds to `.grad`, whose `.data` has the shape of the leaf; `leaf.grad = None` clears it. Build a graph
#   anew for each `backward`;
# - a test may ask 5,000 questions: an operation, a `backward`, a look at a `.grad` is one.


# %% given="made_by"
def made_by(Tensor, f):
    """A function of Tensors as one of arrays, and the rule that the engine makes of it."""

    def function(*inputs):
        return f(*[Tensor(x) for x in inputs]).data

    def rule(g, *inputs):
        leaves = [Tensor(x, requires_grad=True) for x in inputs]
        (f(*leaves) * g).sum().backward()
        return [np.zeros(np.shape(x)) if leaf.grad is None else leaf.grad.data for x, leaf in zip(inputs, leaves)]

    return function, rule


def all_values(program):
    """A program as a function of three numbers, which gives all its values in one array: each times a row of zeros and one 1."""
    places = np.eye(3 + len(program))
    return lambda *numbers: sum(value * place for value, place in zip(run_program(program, numbers), places))


# %% [markdown]
# So `rule_is_right(*made_by(Tensor, f), inputs, rng)` judges the engine on f: the layer of section 5 on `draw_inputs(rng)`,
# `all_values` of a `random_program(rng)` on three numbers, and tests of your own for operations in neither: exp, division, sums,
# indexing, numbers on either side. (Why all: of a last one such as x - x, `rounding` sees a 0.) `made_by`
# makes new leaves, so what adds up in `.grad` needs its own look.
#
# ### Exercise `engine_is_right` (3 points)
# Write `engine_is_right(Tensor, rng)`, which gives True or False. A dozen right engines and dozens of
# broken ones (from 0.3 %) wait for it.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A list of functions with their inputs, every operation in one of them, shapes that differ. Then one leaf with two `backward`s.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# tests = [(lambda x, w, b: ..., draw_inputs(rng)),
#          (lambda a, c: a / (2 + c * c) - 1 / ..., [...]),        # (3, 4) and (4,)
#          ...]
# for _ in range(5):
#     tests.append((all_values(...), rng.standard_normal(3)))
# # all(rule_is_right(...)), and then the leaf
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A right engine accused: a division by something near 0, a program's last value (now and then). Which test? Try them one by one
# on `Tensor`, a right engine. Faults missed: an operation, or a
# number beside it, is in none of your functions.
# </details>


# %% exercise="engine_is_right"
def engine_is_right(Tensor, rng):
    ### BEGIN SOLUTION
    shapes, h = [(3, 4), (4,), (3, 1), (4, 2), (4, 2)], 1e-6
    xs, vs = ([rng.standard_normal(shape) for shape in shapes] for _ in range(2))

    def loss(a, b, c, w, d):
        m = (a * b - c / (2 + b * b)).tanh() + a.exp() * c + (a - c).relu() - (c - a).relu() - 1 / (a * a + 1) + 3 * b.sin()
        rows = ((m @ w)[[0, 2, 2, 1]] + (w + d) - w.sum(axis=0)) / 9
        return rows.tanh().sum() + (m.sum(axis=0) * (3 - b) - 2).sum() - (c + c * c * c * 2).sum()

    ends = [loss(*[Tensor(x + s * v) for x, v in zip(xs, vs)]).data for s in (h, -h)]
    leaves = [Tensor(x, requires_grad=True) for x in xs]
    for times in (1, 2):
        loss(*leaves).backward()
        off = sum((x.grad.data * v).sum() for x, v in zip(leaves, vs)) - times * (ends[0] - ends[1]) / (2 * h)
        if [x.grad.data.shape for x in leaves] != shapes or not abs(off) <= 1e-5:
            return False
    return True
    ### END SOLUTION


# %% probes="engine_is_right"
def tensor_class(ask):
    """A class Tensor whose every operation is done elsewhere, in order, once somebody looks at a number."""
    waiting, numbers = [], iter(range(10**9))

    def look(what, *rest):
        """The reply to a question, which is put after all that waits."""
        told, waiting[:] = tuple(waiting), []
        return ask((f"{what} {len(told)}", told, (what, *rest)))

    class Gradient:
        def __init__(self, data):
            self.data = data

        shape = property(lambda self: np.shape(self.data))

        def __array__(self, dtype=None, copy=None):
            return np.array(self.data, dtype=dtype)

    class Tensor:
        __array_ufunc__ = None  # so that array * tensor is ours

        def __init__(self, data, requires_grad=False, made=None):
            self.number, self.is_leaf, self.requires_grad = next(numbers), made is None, requires_grad
            waiting.append((self.number, *(made or ("leaf", np.array(data, dtype=float), bool(requires_grad)))))
            self.seen = self.sent = None
            if len(waiting) == 200:
                self.data

        @property
        def data(self):
            if self.seen is None:
                self.seen = look("data", self.number)
                self.sent = np.array(self.seen)
            return self.seen

        @data.setter
        def data(self, value):
            self.seen = value

        shape = property(lambda self: np.shape(self.data))
        ndim = property(lambda self: np.ndim(self.data))

        def item(self):
            return np.asarray(self.data).item()

        def told(self):
            """Its number, after what was written into its data has been told."""
            written = self.is_leaf and self.seen is not None
            if written and (self.sent is None or not np.array_equal(self.seen, self.sent, equal_nan=True)):
                self.sent = np.array(self.seen, dtype=float)
                waiting.append((None, "write", self.number, self.sent))
            return self.number

        def make(self, name, *operands):
            told = [x.told() if isinstance(x, Tensor) else ("constant", x) for x in operands]
            return Tensor(None, True, ("make", name, *told))

        def backward(self):
            look("backward", self.number)

        @property
        def grad(self):
            found = look("grad", self.number)
            return None if found is None else Gradient(found)

        @grad.setter
        def grad(self, value):
            value = None if value is None else np.array(getattr(value, "data", value), dtype=float)
            look("set grad", self.number, value)

        def __add__(self, other): return self.make("add", self, other)
        def __radd__(self, other): return self.make("add", other, self)
        def __sub__(self, other): return self.make("sub", self, other)
        def __rsub__(self, other): return self.make("sub", other, self)
        def __mul__(self, other): return self.make("mul", self, other)
        def __rmul__(self, other): return self.make("mul", other, self)
        def __truediv__(self, other): return self.make("div", self, other)
        def __rtruediv__(self, other): return self.make("div", other, self)
        def __matmul__(self, other): return self.make("matmul", self, other)
        def __rmatmul__(self, other): return self.make("matmul", other, self)
        def __neg__(self): return self.make("mul", self, -1.0)
        def __getitem__(self, index): return self.make("take", self, index)
        def exp(self): return self.make("exp", self)
        def tanh(self): return self.make("tanh", self)
        def sin(self): return self.make("sin", self)
        def relu(self): return self.make("relu", self)
        def sum(self, axis=None): return self.make("sum", self, axis)

    return Tensor


@probe
def engine_passes(ask, seed):
    """What your test says of an engine that works elsewhere."""
    with np.errstate(all="ignore"):
        return engine_is_right(tensor_class(ask), np.random.default_rng(seed))


OPS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "matmul": lambda a, b: a @ b, "exp": lambda a: a.exp(),
    "tanh": lambda a: a.tanh(), "sin": lambda a: a.sin(), "relu": lambda a: a.relu(),
    "sum": lambda a, axis: a.sum(axis=axis), "take": lambda a, index: a[index],
}


class OnTensors:
    """An engine made of the reference's Tensor, with some operations changed."""

    def __init__(self, **changes):
        self.ops = OPS | changes

    def leaf(self, array, requires_grad):
        return Tensor(array, requires_grad=requires_grad)

    def make(self, name, *operands):
        return self.ops[name](*operands)

    def data(self, value):
        return value.data

    def backward(self, value):
        value.backward()

    def grad(self, leaf):
        return None if leaf.grad is None else leaf.grad.data

    def set_grad(self, leaf, array):
        leaf.grad = None if array is None else Tensor(array)

    def write(self, leaf, array):
        leaf.data = array


def engine_suspect(about, make_engine, right=False):
    """An engine to be judged; each call gets one of its own."""

    def subject():
        engine, values = make_engine(), {}

        def operand(x):
            if isinstance(x, (tuple, list)) and len(x) == 2 and x[0] == "constant":
                if x[1] is None or isinstance(x[1], (int, list)):
                    return x[1]
                (x,) = numbers_only(x[1])
                return x if x.ndim else x.item()
            return values[x]

        def answer(question):
            _, waiting, (what, number, *rest) = question
            with np.errstate(all="ignore"):
                for one in waiting:
                    done(*one)
                return reply(what, values[number], *rest)

        def done(number, what, *rest):
            if what == "write":
                engine.write(values[rest[0]], *numbers_only(rest[1]))
            elif what == "leaf":
                values[number] = engine.leaf(*numbers_only(rest[0]), rest[1])
            else:
                try:
                    values[number] = engine.make(rest[0], *map(operand, rest[1:]))
                except Exception as error:  # it was asked for earlier, and is told of now
                    raise ValueError(f"{rest[0]}: {error}") from None
                numbers_only(engine.data(values[number]))

        def reply(what, value, *rest):
            if what == "backward":
                return engine.backward(value)
            if what == "set grad":
                return engine.set_grad(value, None if rest[0] is None else numbers_only(rest[0])[0])
            found = engine.grad(value) if what == "grad" else engine.data(value)
            return None if found is None else np.array(found, dtype=float)

        return answer

    return Suspect(about, right, subject)


def with_slope(value, like):
    """A Tensor with the value of one and the gradient of another."""
    return like + (value - like).detach()


def firsts(index, ndim):
    """1 where a row is taken for the first time, 0 where it is taken again."""
    first = [float(i not in index[:k]) for k, i in enumerate(index)]
    return np.reshape(first, (-1, *[1] * (ndim - 1)))


def mean_for_sum(fewer_axes):
    """An engine in which what is broadcast gets the mean of what it should get the sum of.

    That is where it has fewer axes than the result, or where an axis of length 1 is stretched.
    """

    def faulty(operation):
        def act(a, b):
            out = operation(a, b).data

            def shared(x):
                if not isinstance(x, Tensor) or (x.ndim < out.ndim) != fewer_axes:
                    return x
                return with_slope(x, x * (x.data.size / out.size))

            return operation(shared(a), shared(b))

        return act

    return OnTensors(**{name: faulty(OPS[name]) for name in ("add", "sub", "mul", "div")})


class BeginsWithZeros(OnTensors):
    """A leaf's gradient is zeros before the first backward."""

    def grad(self, leaf):
        found = super().grad(leaf)
        return np.zeros(leaf.shape) if found is None else found


class Forgets(OnTensors):
    """A value passes on what it gets from its first uses only."""

    def __init__(self, uses, leaves=True):
        super().__init__()
        self.uses, self.leaves, self.seen = uses, leaves, []

    def make(self, name, *operands):
        told = []
        for x in operands:
            if isinstance(x, Tensor) and (self.leaves or not x.is_leaf):
                self.seen.append(x)
                x = x if sum(x is y for y in self.seen) <= self.uses else x.detach()
            told.append(x)
        return super().make(name, *told)


class Replaces(OnTensors):
    """Each backward forgets the gradients of those before."""

    def __init__(self):
        super().__init__()
        self.leaves = []

    def leaf(self, array, requires_grad):
        self.leaves.append(super().leaf(array, requires_grad))
        return self.leaves[-1]

    def backward(self, value):
        for leaf in self.leaves:
            leaf.grad = None
        value.backward()


class Shares(OnTensors):
    """Two leaves that were added to one another have one gradient in memory."""

    def __init__(self):
        super().__init__()
        self.pairs = []

    def make(self, name, *operands):
        a, b = operands[:2] if name == "add" else (None, None)
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.is_leaf and b.is_leaf:
            self.pairs += [(a, b)] * (a.shape == b.shape and a is not b)
        return super().make(name, *operands)

    def grad(self, leaf):
        return super().grad(next((a for a, b in self.pairs if b is leaf), leaf))


class OtherShape(OnTensors):
    """The gradient of a leaf that was broadcast has another shape."""

    def grad(self, leaf):
        found = super().grad(leaf)
        return found[None] if found is not None and found.ndim == 1 else found


BROKEN = {
    "a product loses its right operand": lambda: OnTensors(
        mul=lambda a, b: a * (b.detach() if isinstance(b, Tensor) else b)),
    "what is divided by gets no gradient": lambda: OnTensors(
        div=lambda a, b: a / (b.detach() if isinstance(b, Tensor) else b)),
    "tanh passes g on as it is": lambda: OnTensors(tanh=lambda a: with_slope(a.tanh(), a)),
    "relu lets a tenth through": lambda: OnTensors(
        relu=lambda a: with_slope(a.relu(), a.relu() * 0.9 + a * 0.1)),
    "a sum over an axis passes a mean on": lambda: OnTensors(
        sum=lambda a, axis: a.sum(axis=axis) if axis is None
        else with_slope(a.sum(axis=axis), a.mean(axis=axis))),
    "a row that is taken twice counts once": lambda: OnTensors(
        take=lambda a, index: with_slope(a[index], a[index] * firsts(index, a.ndim))),
    "x * x counts x once": lambda: OnTensors(mul=lambda a, b: a * (b.detach() if b is a else b)),
    "a value that is used twice gets its first part only": lambda: Forgets(1),
    "a made value that is used twice gets its first part only": lambda: Forgets(1, leaves=False),
    "a value that is used three times loses a part": lambda: Forgets(2),
    "exp has a slope of 1": lambda: OnTensors(exp=lambda a: with_slope(a.exp(), a)),
    "sin has a slope of 1": lambda: OnTensors(sin=lambda a: with_slope(a.sin(), a)),
    "minus does what plus does": lambda: OnTensors(
        sub=lambda a, b: with_slope(a - b, a + b) if isinstance(a, Tensor) and isinstance(b, Tensor) else a - b),
    "the left factor of a matrix product": lambda: OnTensors(matmul=lambda a, b: a.detach() @ b),
    "the right factor of a matrix product": lambda: OnTensors(matmul=lambda a, b: a @ b.detach()),
    "a sum of all passes a mean on": lambda: OnTensors(
        sum=lambda a, axis: with_slope(a.sum(), a.mean()) if axis is None else a.sum(axis=axis)),
    "a number on the left of a minus": lambda: OnTensors(
        sub=lambda a, b: a - b if isinstance(a, Tensor) else with_slope(a - b, b)),
    "a number on the left of a division": lambda: OnTensors(
        div=lambda a, b: a / b if isinstance(a, Tensor) else with_slope(a / b, -(a / b))),
    "a number on the right of a minus": lambda: OnTensors(
        sub=lambda a, b: a - b if isinstance(b, Tensor) else with_slope(a - b, -a)),
    "a number on the right of a division": lambda: OnTensors(
        div=lambda a, b: a / b if isinstance(b, Tensor) else with_slope(a / b, a)),
    "a number on the left of a product": lambda: OnTensors(
        mul=lambda a, b: a * b if isinstance(a, Tensor) or np.ndim(a) else with_slope(a * b, b)),
    "a number on the right of a product": lambda: OnTensors(
        mul=lambda a, b: a * b if isinstance(b, Tensor) or np.ndim(b) else with_slope(a * b, a)),
    "a number on the left of a plus": lambda: OnTensors(
        add=lambda a, b: a + b if isinstance(a, Tensor) or np.ndim(a) else with_slope(a + b, -b)),
    "a number on the right of a plus": lambda: OnTensors(
        add=lambda a, b: a + b if isinstance(b, Tensor) or np.ndim(b) else with_slope(a + b, -a)),
    "what is broadcast along a new axis gets a mean, not a sum": lambda: mean_for_sum(True),
    "an axis of length 1 that is stretched gets a mean": lambda: mean_for_sum(False),
    "a gradient has another shape than its leaf": OtherShape,
    "two leaves that were added share a gradient": Shares,
    "a second backward replaces the first": Replaces,
}
SOUND = {"the reference": OnTensors, "an engine whose leaves begin with gradients of zeros": BeginsWithZeros}
SHOWN_WHOLE = [engine_suspect(about, make, right=True) for about, make in SOUND.items()]
SHOWN_WHOLE += [engine_suspect(about, make) for about, make in BROKEN.items()]


# %% check="engine_is_right" points=3
with exercise("engine_is_right") as check:
    check.tells_apart(engine_passes, SHOWN_WHOLE, "two right engines, and broken ones",
                      right="right engines")
    ### BEGIN HIDDEN TESTS
    rng = np.random.default_rng(check.rng.randrange(2**31))

    def fit(g, a):
        """A gradient summed over what broadcasting had repeated."""
        g = np.asarray(g)
        g = g.sum(axis=tuple(range(g.ndim - np.ndim(a))))
        return g.sum(axis=tuple(i for i, n in enumerate(np.shape(a)) if n == 1), keepdims=True)

    def as_matrices(g, a, b):
        left, right = (a if a.ndim > 1 else a[None]), (b if b.ndim > 1 else b[:, None])
        return g.reshape(len(left), right.shape[1]), left, right

    def matmul_rule(g, out, a, b):
        g, left, right = as_matrices(g, a, b)
        return (g @ right.T).reshape(a.shape), (left.T @ g).reshape(b.shape)

    def sum_rule(g, out, a, axis):
        return (np.broadcast_to(g if axis is None else np.expand_dims(g, axis), a.shape),)

    def take_rule(g, out, a, index):
        found = np.zeros_like(a)
        np.add.at(found, index, g)
        return (found,)

    FORWARD = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "matmul": np.matmul,
        "exp": np.exp, "tanh": np.tanh, "sin": np.sin, "relu": lambda a: np.maximum(a, 0),
        "sum": lambda a, axis: a.sum(axis=axis), "take": lambda a, index: a[index],
    }
    RULES = {
        "add": lambda g, out, a, b: (fit(g, a), fit(g, b)),
        "sub": lambda g, out, a, b: (fit(g, a), fit(-g, b)),
        "mul": lambda g, out, a, b: (fit(g * b, a), fit(g * a, b)),
        "div": lambda g, out, a, b: (fit(g / b, a), fit(-g * a / b**2, b)),
        "matmul": matmul_rule,
        "exp": lambda g, out, a: (g * out,),
        "tanh": lambda g, out, a: (g * (1 - out * out),),
        "sin": lambda g, out, a: (g * np.cos(a),),
        "relu": lambda g, out, a: (g * (a > 0),),
        "sum": sum_rule, "take": take_rule,
    }

    def sum_otherwise(g, out, a, axis):
        ones = np.ones_like(a)
        return (ones * (g if axis is None else np.expand_dims(g, axis)),)

    def take_otherwise(g, out, a, index):
        found = np.zeros(a.shape)
        for i, part in zip(np.atleast_1d(index), np.reshape(g, (-1, *a.shape[1:]))):
            found[i] = found[i] + part
        return (found,)

    def matmul_otherwise(g, out, a, b):
        g, left, right = as_matrices(g, a, b)
        return np.einsum("ik,jk->ij", g, right).reshape(a.shape), np.einsum("ij,ik->jk", left, g).reshape(b.shape)

    OTHERWISE = RULES | {
        "div": lambda g, out, a, b: (fit(g * (1 / b), a), fit(-g * out / b, b)),
        "exp": lambda g, out, a: (np.exp(a) * g,),
        "tanh": lambda g, out, a: (g / np.cosh(a) ** 2,),
        "relu": lambda g, out, a: (np.where(a > 0, g, 0.0),),
        "matmul": matmul_otherwise, "sum": sum_otherwise, "take": take_otherwise,
    }

    class Node:
        def __init__(self, value, name="", operands=(), needs=True):
            self.value, self.name, self.operands, self.needs = value, name, operands, needs
            self.grad, self.freed = None, False

    class Engine:
        """An engine on arrays, in several styles; `fault` breaks how it passes gradients on."""

        def __init__(self, rules=RULES, order="tape", fault="", zeros=False, frees=False):
            self.rules, self.order, self.fault, self.zeros, self.frees = rules, order, fault, zeros, frees
            self.nodes, self.kept = [], {}

        def leaf(self, array, requires_grad):
            node = Node(np.array(array, dtype=float), needs=requires_grad)
            if self.zeros:
                node.grad = np.zeros(node.value.shape)
            self.nodes.append(node)
            return node

        def make(self, name, *operands):
            inputs = [x.value if isinstance(x, Node) else x for x in operands]
            value = np.asarray(FORWARD[name](*inputs))
            (value,) = numbers_only(value)
            node = Node(value, name, operands)
            self.nodes.append(node)
            return node

        def data(self, node):
            return node.value

        def grad(self, node):
            return node.grad

        def set_grad(self, node, array):
            node.grad = np.zeros(node.value.shape) if array is None and self.zeros else array

        def write(self, node, array):
            node.value = array

        def parts(self, node, g):
            """What a node passes on: pairs of a node and an array."""
            inputs = [x.value if isinstance(x, Node) else x for x in node.operands]
            found = self.rules[node.name](g, node.value, *inputs)
            pairs = [(x, part) for x, part in zip(node.operands, found) if isinstance(x, Node) and x.needs]
            if self.fault == "same" and len(pairs) == 2 and pairs[0][0] is pairs[1][0]:
                return pairs[:1]
            if self.fault == "alias" and node.name == "add" and len(pairs) == 2:
                (x, _), (y, _) = pairs
                if not x.name and not y.name and x is not y and x.value.shape == y.value.shape:
                    self.kept[id(y)] = x, y
            return pairs

        def in_order(self, root):
            if self.order in ("tape", "pull"):
                return self.nodes[self.nodes.index(root) :: -1]
            if self.order == "dfs":
                found, done, stack = [], set(), [(root, False)]
                while stack:
                    node, ready = stack.pop()
                    if ready:
                        found.append(node)
                    elif id(node) not in done:
                        done.add(id(node))
                        stack.append((node, True))
                        stack += [(x, False) for x in node.operands if isinstance(x, Node)]
                return found[::-1]
            users, reach, stack = {}, {id(root)}, [root]
            while stack:
                for x in stack.pop().operands:
                    if isinstance(x, Node):
                        users[id(x)] = users.get(id(x), 0) + 1
                        if id(x) not in reach:
                            reach.add(id(x))
                            stack.append(x)
            found, ready = [], [root]
            while ready:
                found.append(ready.pop(0))
                for x in found[-1].operands:
                    if isinstance(x, Node):
                        users[id(x)] -= 1
                        if not users[id(x)]:
                            ready.append(x)
            return found

        def first_seen(self, root):
            """Each node once, when it is seen first: too early where paths differ in length."""
            found, waiting = [], [root]
            while waiting:
                node = waiting.pop(0 if self.fault == "breadth" else -1)
                if node not in found:
                    found.append(node)
                    waiting += [x for x in node.operands if isinstance(x, Node)]
            return found

        def backward(self, root):
            if root.value.size != 1:
                raise ValueError("backward starts at a single number")
            if root.freed:
                raise ValueError("this graph has been used up: build it anew")
            sums, counts = (self.kept if self.fault == "keeps" else {}), {}
            sums[id(root)] = np.array(root.value) if self.fault == "seed" else np.ones(root.value.shape)
            early = self.fault in ("breadth", "depth")
            for node in self.first_seen(root) if early else self.in_order(root):
                if node.freed or id(node) not in sums or not node.name:
                    continue
                for x, part in self.parts(node, sums[id(node)]):
                    counts[id(x)] = counts.get(id(x), 0) + 1
                    if self.fault == "last" or id(x) not in sums:
                        sums[id(x)] = np.array(part)
                    elif not (self.fault == "first" or (self.fault == "third" and counts[id(x)] > 2)):
                        sums[id(x)] = sums[id(x)] + part
                if self.frees:
                    node.freed = True
            for node in self.nodes:
                if not node.name and node.needs and id(node) in sums:
                    self.collect(node, sums[id(node)])
            if self.fault == "alias":
                for x, y in self.kept.values():
                    y.grad = x.grad
            root.freed = self.frees

        def collect(self, leaf, g):
            if leaf.grad is None or self.fault == "replaces":
                leaf.grad = g
            elif self.fault != "once":
                leaf.grad = leaf.grad + g

    ORDERS = ["tape", "kahn", "dfs", "pull"]
    suspects = [engine_suspect("the reference", OnTensors, right=True)]
    for order in ORDERS:
        for rules in (RULES, OTHERWISE):
            suspects.append(engine_suspect("an engine built in another way", lambda order=order, rules=rules: Engine(rules, order), right=True))
    suspects += [
        engine_suspect("an engine whose leaves begin with gradients of zeros", lambda: Engine(OTHERWISE, "kahn", zeros=True), right=True),
        engine_suspect("an engine that frees its graph in backward", lambda: Engine(RULES, "dfs", frees=True), right=True),
        engine_suspect("an engine that frees its graph in backward", lambda: Engine(OTHERWISE, "tape", frees=True, zeros=True), right=True),
    ]

    def changed(name, k, change):
        """The rules, but for what one operation passes to its operand k."""
        def rule(g, out, *inputs):
            found = list(RULES[name](g, out, *inputs))
            found[k] = change(np.array(found[k]), g, out, *inputs)
            return found
        return RULES | {name: rule}

    def unfit(change):
        """The rules, with something else in the place of the sum over repeated axes."""
        return RULES | {
            "add": lambda g, out, a, b: (change(g, a), change(g, b)),
            "sub": lambda g, out, a, b: (change(g, a), change(-g, b)),
            "mul": lambda g, out, a, b: (change(g * b, a), change(g * a, b)),
            "div": lambda g, out, a, b: (change(g / b, a), change(-g * a / b**2, b)),
        }

    def mean_fit(g, a):
        return fit(g, a) / max(1, np.size(g) // max(1, np.size(a)))

    def first_fit(g, a):
        return fit(g, a) if np.shape(g) == np.shape(a) else np.resize(g, np.shape(a))

    def no_fit(g, a):
        return g

    def no_ones_fit(g, a):
        g = np.asarray(g)
        return g.sum(axis=tuple(range(g.ndim - np.ndim(a))))

    def on_the_left(name, change):
        """What an operation passes to its right operand, where a plain number stands on the left."""
        return changed(name, 1, lambda part, g, out, a, b: change(part, g, a, b) if np.ndim(a) == 0 else part)

    def on_the_right(name, change):
        """What an operation passes to its left operand, where a plain number stands on the right."""
        return changed(name, 0, lambda part, g, out, a, b: change(part, g, a, b) if np.ndim(b) == 0 else part)

    wrong_rules = [
        *[(f"a wrong sign in {name}", changed(name, k, lambda p, *rest: -p)) for name in ("add", "sub", "mul", "div", "matmul") for k in (0, 1)],
        ("an operand of a product without a gradient", changed("mul", 0, lambda p, *rest: 0 * p)),
        ("an operand of a product without a gradient", changed("matmul", 1, lambda p, *rest: 0 * p)),
        ("a wrong quotient rule", changed("div", 1, lambda p, g, out, a, b: fit(-g / b**2, b))),
        ("a wrong quotient rule", changed("div", 1, lambda p, g, out, a, b: fit(-g * a / b, b))),
        ("a wrong quotient rule", changed("div", 0, lambda p, g, out, a, b: fit(g * b, a))),
        ("a wrong slope of exp", changed("exp", 0, lambda p, g, *rest: g)),
        ("a wrong slope of exp", changed("exp", 0, lambda p, g, out, a: g * a)),
        ("a wrong slope of tanh", changed("tanh", 0, lambda p, g, out, a: g * (1 - a * a))),
        ("a wrong slope of tanh", changed("tanh", 0, lambda p, g, out, a: g * (1 - out))),
        ("a wrong slope of sin", changed("sin", 0, lambda p, g, out, a: -p)),
        ("a wrong slope of sin", changed("sin", 0, lambda p, g, out, a: g * np.cos(out))),
        ("a wrong slope of relu", changed("relu", 0, lambda p, g, out, a: g)),
        ("a wrong slope of relu", changed("relu", 0, lambda p, g, out, a: g * out)),
        ("a wrong slope of relu", changed("relu", 0, lambda p, g, out, a: g * np.where(a > 0, 1, 0.05))),
        ("g lost on the way", changed("tanh", 0, lambda p, g, out, a: 1 - out * out)),
        ("g lost on the way", changed("exp", 0, lambda p, g, out, a: out)),
        ("a sum that shares out", changed("sum", 0, lambda p, g, out, a, axis: p / a.size if axis is None else p)),
        ("a sum that shares out", changed("sum", 0, lambda p, g, out, a, axis: p if axis is None else p / a.shape[axis])),
        ("a sum that reaches one row only", changed("sum", 0, lambda p, g, out, a, axis: p if axis is None else p * (np.arange(len(p)) == 0).reshape(-1, *[1] * (p.ndim - 1)))),
        ("rows taken more than once", changed("take", 0, lambda p, g, out, a, index: np.where(p != 0, np.array([g[list(np.atleast_1d(index)).index(i)] if i in np.atleast_1d(index) else 0 * a[0] for i in range(len(a))]) if out.ndim == a.ndim else p, 0.0))),
        ("rows given back to other places", changed("take", 0, lambda p, *rest: p[::-1])),
        ("rows given back to other places", changed("take", 0, lambda p, g, out, a, index: np.resize(g, a.shape))),
        ("broadcasting", unfit(mean_fit)), ("broadcasting", unfit(first_fit)), ("broadcasting", unfit(no_fit)), ("broadcasting", unfit(no_ones_fit)),
        ("a number on the left of an operation", on_the_left("sub", lambda p, g, a, b: -p)),
        ("a number on the left of an operation", on_the_left("mul", lambda p, g, a, b: g)),
        ("a number on the left of an operation", on_the_left("add", lambda p, g, a, b: -p)),
        ("a number on the right of an operation", on_the_right("mul", lambda p, g, a, b: g)),
        ("a number on the right of an operation", on_the_right("add", lambda p, g, a, b: -p)),
        ("a number on the left of an operation", on_the_left("div", lambda p, g, a, b: fit(g * a, b))),
        ("a number on the left of an operation", on_the_left("div", lambda p, g, a, b: fit(-g / b**2, b) if a != 1 else fit(-g / b, b))),
        ("a matrix product with a factor that is not transposed", changed("matmul", 1, lambda p, g, out, a, b: np.resize(a @ np.resize(g, (a.shape[-1], g.shape[-1])), b.shape) if a.ndim == 2 else p)),
        ("a matrix product with rows in another order", changed("matmul", 0, lambda p, *rest: p[::-1])),
    ]
    for about, rules in wrong_rules:
        order = ORDERS[rng.integers(4)]
        suspects.append(engine_suspect(about, lambda rules=rules, order=order: Engine(rules, order)))
    for about, fault in [
        ("a value that is used more than once", "last"), ("a value that is used more than once", "first"),
        ("a value that is used more than twice", "third"), ("a value with itself, as in x * x", "same"),
        ("gradients that share their memory", "alias"), ("values visited too early", "breadth"),
        ("values visited too early", "depth"), ("backward a second time", "replaces"),
        ("backward a second time", "keeps"), ("backward a second time", "once"), ("where backward begins", "seed"),
    ]:
        for order in ("tape", "kahn", "dfs"):
            suspects.append(engine_suspect(about, lambda fault=fault, order=order: Engine(OTHERWISE, order, fault)))

    class Off(OnTensors):
        """All gradients are off by the same part, which is less than a percent also where backward has run twice."""

        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def grad(self, leaf):
            found = super().grad(leaf)
            return None if found is None else self.factor * found

    suspects += [engine_suspect("less than half a percent too much or too little", lambda off=off: Off(off)) for off in (1.0035, 1.0045, 0.9955)]
    check.tells_apart(engine_passes, suspects, "engines that you have not seen", right="right engines")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** How many of these 29 faults does unit 03's first example find, w = xy + x?


# %%
def first_example(Tensor):
    x, y = Tensor(np.array(2.0), requires_grad=True), Tensor(np.array(3.0), requires_grad=True)
    (x * y + x).backward()
    return x.grad.data == 4 and y.grad.data == 2


def verdict_on(make_engine, test):
    """What a test says of an engine: "right" or "wrong"; "raised"; "open" where it is not written yet."""
    ask = engine_suspect("", make_engine).subject()
    try:
        return "right" if test(tensor_class(ask)) else "wrong"
    except (NotImplementedError, NameError):
        return "open"
    except Exception:
        return "raised"


prediction = None  # a number

if predicted(prediction, "first_example"):
    found = [about for about, make in BROKEN.items() if verdict_on(make, first_example) != "right"]
    print(f"{len(found)} of {len(BROKEN)}:", *found, sep="\n")

# %% [markdown]
# Right engines stand first.


# %%
def yours_says(Tensor):
    return engine_is_right(Tensor, np.random.default_rng(0))


def compared(tests):
    """A table of what tests say of each engine, and how many faults they found."""
    print("".join(f"{name:9}" for name in tests) + "engine")
    sound = {name: {verdict_on(make, test) for make in SOUND.values()} for name, test in tests.items()}
    found = dict.fromkeys(tests, 0)
    for about, make in (SOUND | BROKEN).items():
        said = {name: verdict_on(make, test) for name, test in tests.items()}
        print("".join(f"{one:9}" for one in said.values()) + ("right: " if about in SOUND else "") + about)
        for name in tests:
            found[name] += about in BROKEN and said[name] != "right" and sound[name] == {"right"}
    for name in tests:
        if sound[name] == {"right"}:
            print(f"{name}: {found[name]} of {len(BROKEN)} faults found")
        elif sound[name] == {"open"}:
            print(f"{name}: open, for it is not written yet")
        else:
            print(f"{name}: a right engine does not pass it, so it has found nothing")


compared({"example": first_example, "yours": yours_says})

# %% [markdown]
# **Now your own engine.** Take the first `#` away. It passes your test, or `first_wrong_layer` shows the
# way to a fault.

# %%
# from autograder import mine; print(bool(engine_is_right(mine.engine()[0], np.random.default_rng(0))))

# %% [markdown]
# ## In your own words
#
# Why does a check along all ones pass a rule with two gradients swapped, and one along a random direction not?
#
# <details><summary>One way to say it</summary>
#
# A check along v sees the gradient only through its product with v. Along all ones that is the sum of the entries, and
# swapping changes no sum. A random v weighs each entry differently.
# </details>
#
# ## The same elsewhere
#
# `torch.autograd.gradcheck` is this unit's test: in double precision, by central differences. The cell runs it where PyTorch is
# installed, on a right and on a wrong rule, and compares with yours.


# %%
def cube_rules():
    """A right and a wrong rule of x³."""
    return {"right": lambda g, x: (3 * x**2 * g,), "wrong": lambda g, x: (2 * x**2 * g,)}


POINT = np.array([0.5, -1.2, 2.0])
ours = {
    name: bool(rule_is_right(lambda x: x**3, rule, [POINT], np.random.default_rng(0)))
    for name, rule in cube_rules().items()
}
print("yours:  ", ours)
try:
    import torch

    def theirs(rule):
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, g):
                return rule(g, *ctx.saved_tensors)[0]

        x = torch.tensor(POINT, requires_grad=True)
        return torch.autograd.gradcheck(Cube.apply, (x,), raise_exception=False)

    found = {name: theirs(rule) for name, rule in cube_rules().items()}
    print("PyTorch:", found)
    assert found == ours
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | `mended_test`, every entry | `torch.autograd.gradcheck` |
# | `rule_is_right`, one random direction | `gradcheck(..., fast_mode=True)` |
# | `dot_product_test` | `gradcheck(..., check_forward_ad=True)`, forward against differences |
# | the tolerance | its `eps=1e-6`, `atol=1e-5`, `rtol=1e-3` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the check fails in single precision only | a step that is too small for it |
# | it fails at one input, now and then | a kink nearby |
# | it passes, and training fails | inputs that hide: square, positive, one row, used once |
#
# **To read:** Claessen and Hughes, *QuickCheck: a lightweight tool for random testing of Haskell programs* (2000); the
# [documentation of Hypothesis](https://hypothesis.readthedocs.io).
#
# ## One thing to try next
# Shrink: when a program shows a fault, leave out one step at a time (what used it takes its first operand), as
# long as it shows.

# %% progress="here"
