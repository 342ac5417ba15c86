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
#     unit: 01_derivatives
#     allow: [autograd_ref.plots]
#     title: "Derivatives: a slope from two points"
# ---

# %% [markdown]
# # Derivatives: a slope from two points
#
# A camera took 21 pictures of a ball in the air. The dots are the ball's heights. The curves are one parabola at four
# moments of its training: it starts flat at 0, and step by step it learns where the ball was.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots

    seconds = np.linspace(-1.0, 1.0, 21)
    metres = np.array([
        1.4, 1.9, 3.4, 4.3, 5.2, 6.0, 6.4, 7.3, 7.7, 8.7, 8.5, 8.6, 8.8, 8.7, 8.6, 8.5, 8.3, 7.8, 7.5,
        6.7, 6.1,
    ])
    curves = {
        "at the start": lambda t: 0 * t,
        "after 10 steps": lambda t: 7.14 + 2.44 * t - 1.59 * t**2,
        "after 30 steps": lambda t: 8.19 + 2.52 * t - 4.18 * t**2,
        "after 300 steps": lambda t: 8.48 + 2.52 * t - 4.88 * t**2,
    }
    title = "A parabola learns the flight of a ball"
    ax = plots.fit(seconds, metres, curves, title=title)
    ax.set(xlabel="time in s", ylabel="height in m")


goal()

# %% setup="imports"
import math

import numpy as np

from autograd_ref import plots
from autograder import exercise, predicted, probe, yours

# %% given="ball"
seconds = np.linspace(-1.0, 1.0, 21)
metres = np.array(
    [1.4, 1.9, 3.4, 4.3, 5.2, 6.0, 6.4, 7.3, 7.7, 8.7, 8.5]
    + [8.6, 8.8, 8.7, 8.6, 8.5, 8.3, 7.8, 7.5, 6.7, 6.1]
)

# %% [markdown]
# Derivatives move the curve: they say how its error changes with each of its numbers. Here you compute them in the
# plainest way there is, by trying. At the end you will be able to
#
# - compute a derivative of any function from two of its values;
# - say why a smaller step makes it better, and an even smaller one worse;
# - compute the gradient of a function of an array;
# - fit a line and a parabola to data;
# - say why nobody trains a large network in this way.
#
# **Time:** about 75 minutes. **Builds on:** 00 (the check, the hints, the Python of this course).

# %% [markdown]
# ## 1. A step and a slope
#
# The derivative of `f` at `x` is the slope of its curve there. Take a small step `h` to the right, and divide the rise
# by the step:
#
# $$f'(x) \approx \frac{f(x + h) - f(x)}{h}$$
#
# With $f(x) = x^2$, x = 3 and h = 0.1: `f` rises from 9 to 9.61, by 0.61 in a step of 0.1. The slope is 6.1; the true
# one is 2x = 6. This is the **forward difference**.
#
# ### Exercise `forward_difference` (1 point)
# Write the formula. `f` is a function of one number.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two values of `f`: where the step ends, and where it begins. What comes first in the difference?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# rise = f(...) - f(...)      # the end of the step, minus its beginning
# return rise / ...           # per unit of x
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# 0.61: the rise was not divided. 1.0 whatever `f` is: `f(x) + h` steps up, `f(x + h)` steps right. A strange number:
# `/` binds tighter than `-`, so the difference needs parentheses.
# </details>


# %% exercise="forward_difference"
def forward_difference(f, x, h):
    """The slope of f between x and x + h."""
    ### BEGIN SOLUTION
    return (f(x + h) - f(x)) / h
    ### END SOLUTION


# %% probes="forward_difference"
def in_x(formula):
    """The function of x with this formula, such as "x**3"."""
    return eval(f"lambda x: {formula}", {"math": math})


@probe
def forward(formula, x, h):
    """The forward difference of the function of x with this formula."""
    return forward_difference(in_x(formula), x, h)


# %% check="forward_difference" points=1
with exercise("forward_difference") as check:
    check.close(forward("x**2", 3.0, 0.1), 6.1, "f rises by 0.61 in a step of 0.1")
    check.close(forward("x**2", 3.0, 0.5), 6.5, "from 9 to 12.25, in a step of 0.5")
    check.close(forward("x**3", -1.0, 0.5), 1.75, "from -1 to -0.125: up by 0.875")
    check.close(forward("5 - 2*x", 4.0, 0.25), -2.0, "a falling line: the rise is negative")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.dual import derivative, sin
    from autograder import number, numbers, positive

    for (a, b, c), x, h in check.cases(15, numbers(3), number(), positive(0.1, 0.9)):
        check.close(
            forward(f"{a}*x**3 + {b}*x**2 + {c}*x", x, h),
            3 * a * x**2 + 2 * b * x + c + h * (3 * a * x + b) + a * h**2,
            "the rise of a cubic, divided by the step",
        )
    for x, h in check.cases(5, number(), positive(0.5, 0.9)):
        check.close(
            forward("math.sin(x)", x, h * 1e-6),
            derivative(sin, x),
            "a small step gives nearly the derivative of the sine",
            atol=1e-5,
        )
    ### END HIDDEN TESTS

# %% [markdown]
# 6.1 is too much: the curve gets steeper on the way. A step to the left gives 5.9, too little. So step to *both* sides.
# This is the **central difference**:
#
# $$f'(x) \approx \frac{f(x + h) - f(x - h)}{2h}$$
#
# With the same numbers: from 8.41 to 9.61, a rise of 1.2 over a distance of 0.2. The slope is 6: on paper, no error.
#
# ### Exercise `central_difference` (1 point)
# Write this formula too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `x` itself is not visited. How far apart are the two points that are?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# right, left = f(...), f(...)
# return (right - left) / (...)      # the whole distance, in parentheses
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Twice too large: the distance is two steps. Something tiny: `/ 2 * h` divides by 2 and then *multiplies* by h.
# </details>


# %% exercise="central_difference"
def central_difference(f, x, h):
    """The slope of f between x - h and x + h."""
    ### BEGIN SOLUTION
    return (f(x + h) - f(x - h)) / (2 * h)
    ### END SOLUTION


# %% probes="central_difference"
@probe
def central(formula, x, h):
    """The central difference of the function of x with this formula."""
    return central_difference(in_x(formula), x, h)


# %% check="central_difference" points=1
with exercise("central_difference") as check:
    check.close(central("x**2", 3.0, 0.1), 6.0, "up by 1.2 over a distance of 0.2")
    check.close(central("x**3", 2.0, 0.5), 12.25, "from 3.375 to 15.625: 12.25 over 1.0")
    check.close(central("x**3", 0.0, 2.0), 4.0, "from -8 to 8 over a distance of 4")
    check.close(central("5 - 2*x", 4.0, 0.25), -2.0, "down by 1 over 0.5")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.dual import derivative, exp
    from autograder import number, numbers, positive

    for (a, b, c), x, h in check.cases(15, numbers(3), number(), positive(0.1, 0.9)):
        check.close(
            central(f"{a}*x**3 + {b}*x**2 + {c}*x", x, h),
            3 * a * x**2 + 2 * b * x + c + a * h**2,
            "the slope of a cubic between x - h and x + h",
        )
    for x, h in check.cases(5, number(), positive(0.5, 0.9)):
        check.close(
            central("math.exp(x)", x, h * 1e-4),
            derivative(exp, x),
            "a small step gives nearly the derivative of exp",
            rtol=1e-6,
        )
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** The derivative of $x^3$ at 2 is 12. With a step ten times smaller, how many times smaller is the
# error of each rule? Put your two numbers in the first line.

# %%
prediction = (None, None)  # (forward, central)

if predicted(prediction, "orders_of_error"):
    for step in (0.1, 0.01, 0.001):
        forward_error = forward_difference(lambda x: x**3, 2.0, step) - 12.0
        central_error = central_difference(lambda x: x**3, 2.0, step) - 12.0
        print(f"h = {step:<5} error: forward {forward_error:.6f}, central {central_error:.6f}")

# %% [markdown]
# Ten times, and a hundred times. To see why, multiply out:
#
# $$(x \pm h)^3 = x^3 \pm 3x^2 h + 3x h^2 \pm h^3$$
#
# The forward rule is off by $3xh + h^2$, for small steps in proportion to $h$: **order 1**. The term $3xh^2$ is the
# same on both sides of $x$, so the central difference loses it. It is off by $h^2$: order 2. Every smooth function
# has such a series, with other factors.
#
# ### Exercise `order_of_error` (2 points)
# Measure an order. With the step `h1` the error was `e1`, with `h2` it was `e2`. If errors are a constant times $h^q$,
# the constant cancels:
#
# $$\frac{e_1}{e_2} = \left(\frac{h_1}{h_2}\right)^q$$
#
# Return `q`. All four numbers are positive.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A logarithm brings an exponent down: log of $r^q$ is q · log(r).
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# errors, steps = e1 / e2, ...
# ...                           # take the logarithm of both sides, and solve for q
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Wrong for a step half as large: the logarithm of the steps is missing. A wrong sign: one quotient is upside down.
# </details>


# %% exercise="order_of_error"
def order_of_error(h1, e1, h2, e2):
    """The q for which e1 / e2 = (h1 / h2)**q."""
    ### BEGIN SOLUTION
    return math.log(e1 / e2) / math.log(h1 / h2)
    ### END SOLUTION


# %% check="order_of_error" points=2
with exercise("order_of_error") as check:
    order = yours.order_of_error
    check.close(order(0.4, 0.32, 0.1, 0.01), 2.5, "step 4 times, error 4**2.5 = 32 times")
    check.close(order(0.1, 0.06, 0.01, 0.0006), 2.0, "step 10 times, error 100 times")
    check.close(order(0.1, 0.002, 0.3, 0.054), 3.0, "step 3 times, error 27 times")
    check.close(order(1e-9, 2e-8, 1e-10, 2e-7), -1.0, "a smaller step, and the error grows")
    ### BEGIN HIDDEN TESTS
    from autograder import number, positive

    for q, c, h1, h2 in check.cases(15, number(), positive(), positive(), positive(3.1, 5.0)):
        why = f"errors of {c:.3g} * h**{q:.3g}"
        check.close(order(h1, c * h1**q, h2, c * h2**q), q, why, rtol=1e-6)
    ### END HIDDEN TESTS

# %%
def error(rule, h):
    """How far a rule is from the derivative of the sine at 1, which is cos(1)."""
    return abs(rule(math.sin, 1.0, h) - math.cos(1.0))


for rule in (forward_difference, central_difference):
    order = order_of_error(0.1, error(rule, 0.1), 0.01, error(rule, 0.01))
    print(f"{rule.__name__} has order {order:.2f}")

# %% [markdown]
# ## 2. How small is too small?
#
# If smaller is better, why not take a tiny step?
#
# **Predict, then run.** What is the forward difference of $x^2$ at 3 with a step of $10^{-16}$?

# %%
prediction = None

if predicted(prediction, "a_step_too_small"):
    print("forward difference:", forward_difference(lambda x: x**2, 3.0, 1e-16))
    print("3 + 1e-16 is 3:", 3.0 + 1e-16 == 3.0)

# %% [markdown]
# A float keeps about 16 digits, and `3 + 1e-16` needs more. With a larger step the two values of `f` differ in their
# last digits only, and those are rounded. This error is about $10^{-16}\, |f(x)| / h$: it *grows* when the step
# shrinks.
#
# On two logarithmic axes $h^q$ is a straight line of slope `q`. What to see, from right to left: slope 1 and slope 2. Then
# rounding takes over, and both turn up again.

# %%
steps = np.logspace(0, -15, 46)
errors = {
    "forward": [error(forward_difference, h) for h in steps],
    "central": [error(central_difference, h) for h in steps],
}
for name, values in errors.items():
    k = 3 * int(np.argmin(values[::3]))  # every third step is a power of ten
    bound = 10.0 ** math.ceil(math.log10(values[k]))
    print(f"{name}: among the powers of ten {steps[k]:.0e} is best, with an error below {bound:.0e}")


# %% figure="errors"
def figure_errors():
    title = "Error of the derivative of the sine at 1"
    plots.error_against_step(steps, errors, title=title)


figure_errors()

# %% [markdown]
# So we take the central difference with a step of $10^{-5}$. For numbers near 1 it gives about ten digits. At large `x`
# they are fewer, unless the step grows with `x`:

# %%
for x in (1.0, 1e3, 1e6):
    for step in (1e-5, 1e-5 * x):
        off = abs(central_difference(lambda x: x**2, x, step) / (2 * x) - 1)
        print(f"x**2 at {x:<9,.0f}  step {step:<8.0e}  relative error {off:.0e}")

# %% [markdown]
# ## 3. Many numbers: the gradient
#
# A model has many parameters. They stand in a NumPy **array**: numbers of one kind, in a grid. `shape` says how many rows
# and columns, arithmetic goes number by number, and `p[1, 2]` is in row 1, column 2, counted from 0.

# %%
p = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print("shape", p.shape, " numbers", p.size, " p[1, 2] is", p[1, 2])
print("p * 10 =", (p * 10).tolist(), " sum", p.sum())

same, copy = p, p.copy()
same[0, 0] = 99.0
print("p[0, 0] is now", p[0, 0], " and in the copy", copy[0, 0])

# %% [markdown]
# `same = p` gives the array a second name. `p.copy()` makes a second array.
#
# In a **partial derivative** one number takes the step, and all others stay. For $f(a, b) = a b^2$ at a = 3, b = 2: by a
# it is $b^2$ = 4, by b it is $2ab$ = 12.
#
# ### Exercise `partial_derivative` (2 points)
# The central difference of `f` by the number `p[i]`. `f` takes the whole array. `p` has one axis, and may not be
# changed.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two copies of `p`: in one `p[i]` is larger by h, in the other smaller.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# up, down = p.copy(), ...
# up[i] += ...                  # only this number moves
# down[i] -= ...
# return (f(up) - ...) / ...    # over the whole distance
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Half of the right number, or 0: `up` and `down` are one array with two names. The sum of all partial derivatives:
# `p + h` moves every number.
# </details>


# %% exercise="partial_derivative"
def partial_derivative(f, p, i, h):
    """The central difference of f by p[i], at an array p of shape (n,)."""
    ### BEGIN SOLUTION
    up, down = p.copy(), p.copy()
    up[i] += h
    down[i] -= h
    return (f(up) - f(down)) / (2 * h)
    ### END SOLUTION


# %% probes="partial_derivative"
def in_p(formula):
    """The function of an array p with this formula, such as "p[0] * p[1]**2"."""
    return eval(f"lambda p: {formula}", {"np": np})


@probe
def partial(formula, p, i, h):
    """The partial derivative by p[i] of the function of p with this formula."""
    return partial_derivative(in_p(formula), p, i, h)


# %% check="partial_derivative" points=2
with exercise("partial_derivative") as check:
    p, ab2 = np.array([3.0, 2.0]), "p[0] * p[1]**2"
    check.close(partial(ab2, p, 0, 0.25), 4.0, "by a: (3.25 * 4 - 2.75 * 4) / 0.5")
    check.close(partial(ab2, p, 1, 0.25), 12.0, "by b: 3 * (2.25**2 - 1.75**2) / 0.5")
    p, rest = np.array([1.0, -2.0, 0.5]), "p[1] * (p[1:]**2).sum()"
    check.close(partial(rest, p, 1, 0.5), 12.5, "from -2.5 * 6.5 to -1.5 * 2.5 over 1.0")
    check.untouched("p is the caller's: step in copies, or put the number back")
    check.close(partial(rest, p, 0, 0.5), 0.0, "p[0] is not in the formula")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, numbers, positive

    for p, (a, b, c), h in check.cases(15, array(4), numbers(3), positive(0.1, 0.9)):
        formula = f"{a}*p[0]*p[1]**3 + {b}*p[1]*p[2]**3 + {c}*p[3]*p[0]**3 + p.sum()"
        slopes = [
            1.0 + a * p[1] ** 3 + c * p[3] * (3 * p[0] ** 2 + h**2),
            1.0 + a * p[0] * (3 * p[1] ** 2 + h**2) + b * p[2] ** 3,
            1.0 + b * p[1] * (3 * p[2] ** 2 + h**2),
            1.0 + c * p[0] ** 3,
        ]
        for i in check.rng.sample(range(4), 4):
            check.close(partial(formula, p, i, h), slopes[i], f"the central difference by p[{i}]")
            check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# All partial derivatives together are the **gradient**. It has the shape of `p`.
#
# ### Exercise `array_gradient` (3 points)
# Return an array of the shape of `p`, whatever that is: the gradient of `f` by central differences, with two values of
# `f` for each number. To visit all places: `for i in np.ndindex(2, 3)` gives (0, 0), (0, 1), (0, 2), (1, 0) and so on,
# and `p[i]` is the number there.
#
# <details><summary>Hint 1: a sketch</summary>
#
# An array of zeros like `p`, and a loop over `np.ndindex(p.shape)` that fills in one place after the other.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# grad = np.zeros_like(p)
# for i in ...:                 # all places
#     up, down = ...            # fresh copies in every round: why?
#     ...
#     grad[i] = ...
# return grad
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Equal numbers in each row: `range(len(p))` goes through rows, and a whole row took the step. Later places wrong: the
# step of an earlier place was left in.
# </details>


# %% exercise="array_gradient"
def array_gradient(f, p, h):
    """The gradient of f at an array p of any shape, in an array of the same shape."""
    ### BEGIN SOLUTION
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
    return grad
    ### END SOLUTION


# %% probes="array_gradient"
@probe
def gradient_of(formula, p, h):
    """The gradient of the function of p with this formula."""
    return array_gradient(in_p(formula), p, h)


@probe
def gradient_of_turned(formula, p, h):
    """The same at the transpose of p, whose numbers do not lie in memory as they stand in its rows."""
    return array_gradient(in_p(formula), p.T, h)


@probe
def evaluations(p):
    """How often f is evaluated for one gradient at p."""
    count = []
    array_gradient(lambda q: count.append(1) or q.sum(), p, 0.5)
    return len(count)


# %% check="array_gradient" points=3
with exercise("array_gradient") as check:
    p, ab2 = np.array([3.0, 2.0]), "p[0] * p[1]**2"
    check.close(gradient_of(ab2, p, 0.25), np.array([4.0, 12.0]), "4 by a, and 12 by b")
    p = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, -2.0]])
    check.close(gradient_of("p[0].sum() * p[1, 2]**3", p, 0.5),
        np.array([[-8.0, -8.0, -8.0], [0.0, 0.0, 73.5]]),
        "-8 by each number of row 0; 6 * ((-1.5)**3 - (-2.5)**3) = 73.5 by the last")
    check.untouched("p is the caller's: step in copies, or put the number back")
    check.close(evaluations(p), 12, "6 numbers, and f on both sides of each")
    cube = p.reshape(1, 3, 2)
    check.close(gradient_of("(p**2).sum()", cube, 0.25), 2 * cube, "2p in each place")
    ### BEGIN HIDDEN TESTS
    from autograder import array, number, positive

    for p, a, h in check.cases(8, array(3, 4), number(), positive(0.1, 0.9)):
        expected = np.zeros((3, 4))
        expected[0] += a * p[1].sum() + np.array([0.0, (3 * p[0, 1] ** 2 + h**2) * p[2, 3], 0.0, 0.0])
        expected[1] += a * p[0].sum()
        expected[2, 3] += p[0, 1] ** 3
        formula = f"{a} * p[0].sum() * p[1].sum() + p[0, 1]**3 * p[2, 3]"
        check.close(gradient_of(formula, p, h), expected, "the partial derivative in each place")
        check.untouched()
    for p, h in check.cases(4, array(2, 3, 2), positive(0.1, 0.9)):
        check.close(gradient_of("(p**3).sum()", p, h), 3 * p**2 + h**2, "three axes")
        check.close(evaluations(p), 24, "two values of f for each of 12 numbers")
    for p, h in check.cases(4, array(5), positive(0.1, 0.9)):
        slopes = np.append(p[1:], 0.0) + np.insert(p[:-1], 0, 0.0)
        check.close(gradient_of("(p[1:] * p[:-1]).sum()", p, h), slopes, "one axis, neighbours multiplied")
    for shape in ((2, 1, 3, 2), (1, 2, 2, 1, 2), (1, 1)):
        for p, h in check.cases(1, array(*shape), positive(0.1, 0.9)):
            check.close(gradient_of("(p**3).sum()", p, h), 3 * p**2 + h**2, f"{len(shape)} axes")
    for p, h in check.cases(2, array(2, 3), positive(0.1, 0.9)):
        check.close(gradient_of_turned("(p**3).sum()", p, h), 3 * p.T**2 + h**2, "a transpose is an array, too")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. Bug hunt
#
# A colleague finds all these copies wasteful, and steps in `p` itself. The test below passes. Yet **two things are
# wrong.**


# %% given="thrifty_gradient"
def thrifty_gradient(f, p, h):
    """The gradient of f at p, without copies of p."""
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        grad[i] = (up - down) / (2 * h)
    return grad


# %%
def squares(p):
    return (p**2).sum()


p = np.array([1.0, -2.0, 0.5])
print("gradient", thrifty_gradient(squares, p, 1e-5).round(6), " expected [2 -4 1]")

# %% [markdown]
# ### Exercise `mended_gradient` (3 points)
# Find them: try other functions, large steps, other arrays, compare with `array_gradient`, look at `p` before and
# after. Keep the idea: step in `p` itself, and copy it only where there is no other way. After the call
# `p` holds what it held before, to the last digit.
#
# <details><summary>Hint 1: a sketch</summary>
#
# One bug leaves a trace after the call. The other shows with some arrays only: what may an array hold that the test did
# not try?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# p = np.asarray(p, dtype=...)      # makes a copy only where the kind is another one
# ...
#     old = p[i]
#     ...                           # both sides of old, with f(p) on each
#     p[i] = ...                    # before the next place has its turn
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# 0.30000000000000004 instead of 0.3: adding `h` back does not undo the rounding. Keep the old number. Whole numbers in
# the result: `zeros_like` of an integer array holds integers too.
# </details>


# %% exercise="mended_gradient"
def mended_gradient(f, p, h):
    """The gradient of f at p by central differences, stepping in p and putting it back."""
    ### BEGIN SOLUTION
    p = np.asarray(p, dtype=float)  # a copy only if p holds no floats
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        up = f(p)
        p[i] = old - h
        down = f(p)
        p[i] = old
        grad[i] = (up - down) / (2 * h)
    return grad
    ### END SOLUTION


# %% probes="mended_gradient"
@probe
def mended(formula, numbers, h):
    """The mended gradient of the function of p with this formula, at an array of these numbers."""
    return mended_gradient(in_p(formula), np.array(numbers), h)


@probe
def mended_turned(formula, numbers, h):
    """The same at the transpose of that array, whose numbers do not lie in memory as they stand in its rows."""
    return mended_gradient(in_p(formula), np.array(numbers).T, h)


@probe
def p_after(formula, numbers, h):
    """All digits of what an array of these numbers holds after a call of mended_gradient."""
    p = np.array(numbers)
    mended_gradient(in_p(formula), p, h)
    return [repr(number) for number in p.ravel().tolist()]


@probe
def copies_given(numbers):
    """How many arrays other than p itself f is given in one call of mended_gradient."""
    p, seen = np.array(numbers), []
    mended_gradient(lambda q: seen.append(q) or q.sum(), p, 0.5)
    return len({id(q) for q in seen if not np.shares_memory(p, q)})


# %% check="mended_gradient" points=3
with exercise("mended_gradient") as check:
    p, abc = [0.3, 2.0, -1.0], "p[0] * p[1] * p[2]"
    check.equal(p_after(abc, p, 0.1), ["0.3", "2.0", "-1.0"],
        "p holds what it held before, to the last digit")
    check.close(mended(abc, p, 0.1), np.array([-2.0, -0.3, 0.6]), "bc, ac and ab")
    check.equal(copies_given(p), 0, "floats are stepped in p itself, and f is given p")
    check.close(mended("p[0]**3 * p[1]", [1, 2], 0.5), np.array([6.5, 1.0]),
        "the integers 1 and 2: (1.5**3 - 0.5**3) * 2 = 6.5, and 1**3")
    check.close(mended("p[0].sum() * p[1, 1]**3", [[1.0, 4.0], [5.0, -2.0]], 0.5),
        np.array([[-8.0, -8.0], [0.0, 61.25]]), "5 * ((-1.5)**3 - (-2.5)**3) = 61.25")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, number, positive

    for p, a, h in check.cases(8, array(2, 3), number(), positive(0.1, 0.9)):
        expected = np.zeros((2, 3))
        expected[0] += a * p[1].sum() + np.array([0.0, (3 * p[0, 1] ** 2 + h**2) * p[1, 2], 0.0])
        expected[1] += a * p[0].sum() + np.array([0.0, 0.0, p[0, 1] ** 3])
        formula = f"{a} * p[0].sum() * p[1].sum() + p[0, 1]**3 * p[1, 2]"
        check.close(mended(formula, p.tolist(), h), expected, "the partial derivative in each place")
        digits = [repr(number) for number in p.ravel().tolist()]
        check.equal(p_after(formula, p.tolist(), h), digits, "p holds what it held, to the last digit")
        check.equal(copies_given(p.tolist()), 0, "p itself, no copies")
    for a, b, h in check.cases(5, integer(-9, 9), integer(2, 9), positive(0.1, 0.4)):
        check.close(
            mended("p[0]**2 * p[1] / 3", [a, b], h),
            np.array([2 * a * b / 3, a**2 / 3]),
            "an array of integers",
        )
    for shape in ((2, 1, 3), (1, 2, 2, 2), (1, 1)):
        for p, h in check.cases(1, array(*shape), positive(0.1, 0.9)):
            check.close(mended("(p**3).sum()", p.tolist(), h), 3 * p**2 + h**2, f"{len(shape)} axes")
    for p, h in check.cases(2, array(2, 3), positive(0.1, 0.9)):
        why = "a transpose is an array, too"
        check.close(mended_turned("(p**3).sum()", p.tolist(), h), 3 * p.T**2 + h**2, why)
    ### END HIDDEN TESTS

# %% [markdown]
# The test passed because the sum of squares never multiplies two numbers: a neighbour that is `h` too low changes
# nothing. And nobody looked at `p`:

# %%
p = np.array([1.0, -2.0, 0.5])
for _ in range(2000):
    thrifty_gradient(squares, p, 1e-5)
print("after 2,000 gradients and no update:", p.round(3))
print("integers:", thrifty_gradient(squares, np.array([1, 2]), 1e-5), " expected [2 4]")

# %% [markdown]
# ## 5. How wrong is a curve?
#
# Back to the ball. The **mean squared error** turns the differences of predictions and targets into one number, the
# **loss**. Large differences count most, and signs do not cancel:
#
# $$L = \frac{1}{n} \sum_{i=1}^{n} (\mathrm{prediction}_i - \mathrm{target}_i)^2$$
#
# Predictions 2, 4, 5 and targets 1, 7, 7: differences 1, -3, -2, squares 1, 9, 4, and the mean is 14/3.
#
# ### Exercise `mean_squared_error` (1 point)
# Return this mean as one number.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The difference of two arrays is an array, and so is its square.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# errors = ...                  # an array
# return (...).mean()           # of what?
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too large by n: a sum, no mean. Too small: averaged before squared, so that signs cancelled.
# </details>


# %% exercise="mean_squared_error"
def mean_squared_error(predictions, targets):
    """The mean of the squared differences of two arrays of shape (n,), one number."""
    ### BEGIN SOLUTION
    return ((predictions - targets) ** 2).mean()
    ### END SOLUTION


# %% check="mean_squared_error" points=1
with exercise("mean_squared_error") as check:
    mse, zero = yours.mean_squared_error, np.array([0.0, 0.0])
    predictions, targets = np.array([2.0, 4.0, 5.0]), np.array([1.0, 7.0, 7.0])
    check.close(mse(predictions, targets), 14 / 3, "differences 1, -3, -2: (1 + 9 + 4) / 3")
    check.untouched("both arrays are the caller's")
    check.close(mse(np.array([2.0, -2.0]), zero), 4.0, "2 and -2 do not cancel")
    check.close(mse(np.array([0.5, 0.5]), zero), 0.25, "0.5, squared")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.functional import mse_loss
    from autograder import array

    for n in (1, 2, 5, 9):
        for p, y in check.cases(4, array(n), array(n)):
            why = "the mean of the squared differences"
            check.close(mse(p, y), float(mse_loss(p, y)), why)
            check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# Our models are **polynomials**: `p[0] + p[1] * x + p[2] * x**2 + ...`. With two parameters that is a line, with three a
# parabola.
#
# ### Exercise `polynomial` (2 points)
# Return an array: the values of the polynomial at all `x` at once, for any number of parameters.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `p[k]` belongs to the power `x**k`. `enumerate(p)` gives both, k and p[k].
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# total = np.zeros_like(x)
# for k, coefficient in enumerate(p):
#     total = total + ...       # one power of x
# return total
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The wrong order: the constant comes first, in `p[0]`. One power too many: `x**0` is 1.
# </details>


# %% exercise="polynomial"
def polynomial(p, x):
    """p[0] + p[1] * x + p[2] * x**2 + ... for arrays p of shape (n,) and x of any shape."""
    ### BEGIN SOLUTION
    total = np.zeros_like(x)
    for k, coefficient in enumerate(p):
        total = total + coefficient * x**k
    return total
    ### END SOLUTION


# %% check="polynomial" points=2
with exercise("polynomial") as check:
    x, line = np.array([0.0, 1.0, -2.0]), np.array([5.0, 2.0])
    cubic = np.array([1.0, -2.0, 0.5, 3.0])
    check.close(yours.polynomial(cubic, x), np.array([1.0, 2.5, -17.0]),
        "1 - 2x + 0.5x**2 + 3x**3: at x = -2 it is 1 + 4 + 2 - 24")
    check.untouched("x is the caller's")
    check.close(yours.polynomial(line, x), np.array([5.0, 7.0, 1.0]), "a line: 5 + 2x")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    for n in (1, 2, 3, 5):
        for p, x in check.cases(4, array(n), array(6)):
            expected = np.array([math.fsum(c * value**k for k, c in enumerate(p)) for value in x])
            check.close(yours.polynomial(p, x), expected, "the sum of p[k] * x**k")
            check.untouched()
    for shape in ((1,), (2, 3), (3, 1, 2)):
        for p, x in check.cases(1, array(3), array(*shape)):
            check.close(yours.polynomial(p, x), p[0] + p[1] * x + p[2] * x * x, f"an x of shape {shape}")
            check.close(yours.polynomial(p, 0 * x), p[0] + 0 * x, "at 0 there is the constant alone")
    ### END HIDDEN TESTS


# %% [markdown]
# So the loss is a function of the parameters:

# %%
def ball_loss(p):
    return mean_squared_error(polynomial(p, seconds), metres)


print("loss of the flat line at 0:", round(ball_loss(np.zeros(2)), 2))
print("loss of the flat line at 7:", round(ball_loss(np.array([7.0, 0.0])), 2))
print("gradient at 0:", array_gradient(ball_loss, np.zeros(2), 1e-5).round(2))

# %% [markdown]
# ## 6. Downhill
#
# Without a derivative there is **random search**: change the parameters at random, and keep the change if the loss got
# smaller.
#
# ### Exercise `random_step` (2 points)
# One step of it. Return the changed parameters if their loss is smaller, and the old ones if it is not.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Losses are numbers, parameters are arrays. Which of them do you compare, and which do you return?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# candidate = ...               # a new array
# if loss(...) < loss(...): ...
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `p` itself has changed: `p += change` writes into the caller's array. `p + change` makes a new one.
# </details>


# %% exercise="random_step"
def random_step(loss, p, change):
    """p + change if its loss is smaller than that of p, else p."""
    ### BEGIN SOLUTION
    candidate = p + change
    return candidate if loss(candidate) < loss(p) else p
    ### END SOLUTION


# %% probes="random_step"
@probe
def tried(formula, p, changes):
    """Where each of these changes leads from p, for the loss with this formula."""
    return [random_step(in_p(formula), p.copy(), change) for change in changes]


@probe
def p_after_step(formula, p, change):
    """What p holds after a call of random_step."""
    random_step(in_p(formula), p, change)
    return p


# %% check="random_step" points=2
with exercise("random_step") as check:
    p, bowl = np.array([3.0, -1.0]), "(p**2).sum() - 20"
    changes = [np.array(c) for c in ([-1.0, 0.5], [1.0, 0.5], [-8.0, 1.0], [-4.0, 2.0])]
    check.close(tried(bowl, p, changes), [p + changes[0], p, p, p + changes[3]],
        "the loss is -10 at p, and -15.75, -3.75, 5 and -18 at the four candidates")
    check.close(p_after_step(bowl, p, changes[0]), p, "p is the caller's: make a new array")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    for p, change, target in check.cases(20, array(3), array(3), array(3)):
        formula = f"((p - np.array({target.tolist()}))**2).sum()"
        smaller = ((p + change - target) ** 2).sum() < ((p - target) ** 2).sum()
        why = "the loss gets smaller: move" if smaller else "the loss does not get smaller: stay"
        check.close(tried(formula, p, [change]), [p + change if smaller else p], why)
        check.close(p_after_step(formula, p, change), p, "p is the caller's")
    for p, change in check.cases(3, array(2), array(2)):
        check.close(tried("0 * p.sum() + 3", p, [change]), [p], "an equal loss is not smaller: stay")
        change[1] = -2 * p[1]
        check.close(tried("p[1]**2", p, [change]), [p], "an equal loss is not smaller: stay")
    ### END HIDDEN TESTS

# %% [markdown]
# Most random changes are wasted. Is there a best direction? In a direction $d$ of length 1 the loss rises by
# $g_0 d_0 + g_1 d_1$, with the gradient $g$. That is largest where $d$ points as $g$ does. Try all directions:

# %%
p, h = np.array([4.0, 1.0]), 1e-5
turns = np.radians(np.arange(360))
directions = np.stack([np.cos(turns), np.sin(turns)], axis=1)
rises = [(ball_loss(p + h * d) - ball_loss(p)) / h for d in directions]
g = array_gradient(ball_loss, p, h)
print(f"steepest of 360 directions: {np.argmax(rises)}°, with the slope {max(rises):.3f}")
toward = math.degrees(math.atan2(g[1], g[0])) % 360
print(f"the gradient: points to {toward:.1f}°, and has the length {math.hypot(*g):.3f}")

# %% [markdown]
# So go the other way. The factor is the **learning rate**:
#
# $$p_{\mathrm{new}} = p - \mathrm{rate} \cdot \mathrm{gradient}(p)$$
#
# For the loss $p^2$ with gradient 2p, from p = 1 with rate 0.25: to 1 - 0.25 · 2 = 0.5, then to 0.25.
#
# ### Exercise `gradient_descent` (3 points)
# Take `steps` such steps. `gradient` is a function of an array. Return a list of all the points on the way: the start,
# then the point after each step.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A list that begins with `start`. In each round: the gradient *here*, a new point, one more item.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# path = [start]
# for ...:
#     p = path[-1]                  # where we are
#     path.append(...)              # a new array
# return path
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# All points equal: `p -= ...` changes one array that stands in the list many times. Equal strides: the gradient was
# computed once, before the loop. Uphill: the sign.
# </details>


# %% exercise="gradient_descent"
def gradient_descent(gradient, start, rate, steps):
    """The points of gradient descent: a list of steps + 1 arrays, beginning with start."""
    ### BEGIN SOLUTION
    path = [start]
    for _ in range(steps):
        p = path[-1]
        path.append(p - rate * gradient(p))
    return path
    ### END SOLUTION


# %% probes="gradient_descent"
@probe
def descent(gradient, start, rate, steps):
    """The path of gradient descent as lists, for the gradient with this formula."""
    path = gradient_descent(in_p(gradient), start, rate, steps)
    if hasattr(path, "__next__"):  # no list: it can be walked along once
        return type(path).__name__
    return [np.array(p).tolist() for p in path]


# %% check="gradient_descent" points=3
with exercise("gradient_descent") as check:
    start = np.array([1.0, -2.0])
    check.close(descent("2*p - 1", start, 0.25, 2),
        [[1.0, -2.0], [0.75, -0.75], [0.625, -0.125]],
        "each step halves the way to 0.5, where the gradient is 0")
    check.untouched("start is the caller's, and the first point of the list")
    check.close(descent("p**2", start, 0.5, 2), [[1.0, -2.0], [0.5, -4.0], [0.375, -12.0]],
        "1 - 0.5 * 1 = 0.5, then 0.5 - 0.5 * 0.25: the gradient is computed at each point")
    check.close(descent("2 * p", start, 0.25, 0), [[1.0, -2.0]], "no step: only the start")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, positive

    for p, rate, steps in check.cases(12, array(3), positive(0.05, 0.4), integer(2, 6)):
        expected = [p]
        for _ in range(steps):
            expected.append(expected[-1] - rate * np.sin(expected[-1]))
        check.close(descent("np.sin(p)", p, rate, steps), [q.tolist() for q in expected], "step by step")
        check.untouched()
    for p, rate in check.cases(3, array(2, 3), positive(0.05, 0.4)):
        path = [p.tolist(), (p * (1 - rate)).tolist(), (p * (1 - rate) ** 2).tolist()]
        check.close(descent("p", p, rate, 2), path, "an array with two axes")
    ### END HIDDEN TESTS

# %% [markdown]
# Both fit a line to the ball. What to see: random search goes this way and that, gradient descent heads for the valley
# and slows down where it gets flat.

# %%
rng, values = np.random.default_rng(1), 0


def counted(p):
    global values
    values += 1
    return ball_loss(p)


walk = gradient_descent(lambda p: array_gradient(counted, p, 1e-5), np.zeros(2), 0.2, 25)
print(f"gradient descent, 25 steps: loss {ball_loss(walk[-1]):.3f}, computed {values} times")

wander, values = [np.zeros(2)], 0
for _ in range(100):
    wander.append(random_step(counted, wander[-1], rng.normal(size=2)))
kept = sum(not np.array_equal(a, b) for a, b in zip(wander, wander[1:]))
print(f"random search, 100 steps: loss {ball_loss(wander[-1]):.3f}, computed {values} times")
print(f"{kept} of its changes were kept")


# %% figure="walks"
def figure_walks():
    def loss(a, b):
        return ball_loss(np.array([a, b]))

    paths = {"random search": wander, "gradient descent": walk}
    ax = plots.contour(loss, paths, x=(-1, 10), y=(-3, 5), title="The loss of a line")
    ax.set(xlabel="p[0], height at 0 s", ylabel="p[1], slope")


figure_walks()

# %% [markdown]
# With two parameters random search keeps up, though its step computes the loss of `p` anew each time. With more
# parameters long changes hardly ever help, and short ones help little. Here the loss is the sum of squares, from a
# point at distance 1:


# %%
def searched(n, length):
    """The loss after 100 random changes of this length, and how many were kept."""
    p, kept = np.full(n, 1 / math.sqrt(n)), 0
    for _ in range(100):
        change = rng.normal(size=n)
        change *= length / np.linalg.norm(change)
        before, p = p, random_step(lambda p: (p**2).sum(), p, change)
        kept += not np.array_equal(before, p)
    return (p**2).sum(), kept


for n in (2, 10, 100):
    for length in (1.0, 0.1):
        loss, kept = searched(n, length)
        print(f"{n:3} parameters, length {length}: loss {loss:.2f}, {kept} of 100 kept")

# %% [markdown]
# No line can follow the ball. A parabola can: start with three zeros. What to see: it fits. Twice its last parameter is
# the acceleration of the ball. Gravity's is -9.81 m/s².

# %%
path = gradient_descent(lambda p: array_gradient(ball_loss, p, 1e-5), np.zeros(3), 0.4, 300)
parabola = path[-1]
print("parabola:", parabola.round(2), " loss", round(ball_loss(parabola), 3))
print("acceleration:", round(2 * parabola[2], 2))


# %% figure="fits"
def figure_fits():
    fitted = {"line": walk[-1], "parabola": parabola}
    curves = {name: lambda t, p=p: polynomial(p, t) for name, p in fitted.items()}
    title = "The ball, fitted by gradient descent"
    ax = plots.fit(seconds, metres, curves, title=title)
    ax.set(xlabel="time in s", ylabel="height in m")


figure_fits()

# %% [markdown]
# **Predict, then run.** For the loss $p^2$ each step multiplies `p` by 1 - 2 · rate. Which of the rates 0.1, 0.5, 0.8 and
# 1.1 reaches 0 in one step? Which one moves away from it?

# %%
prediction = (None, None)

descents = {}
for rate in (0.1, 0.5, 0.8, 1.1):
    points = gradient_descent(lambda p: 2 * p, np.array(1.0), rate, 9)
    descents[f"rate {rate}"] = (range(10), [float(p) for p in points])
if predicted(prediction, "rates_of_descent"):
    for name, (_, points) in descents.items():
        print(f"{name}: after 1 step {points[1]:5.2f}, after 9 steps {points[-1]:6.3f}")


# %% figure="rates"
def figure_rates():
    plots.lines(descents, xlabel="step", ylabel="p", title="Downhill on p**2", markers=True)


figure_rates()

# %% [markdown]
# What to see: a small rate is slow, a large one overshoots. Beyond 1 each step lands further away.
#
# ## 7. Three ways to a derivative
#
# For the line, school calculus gives the gradient as a formula. With the errors $e_i$ = prediction − target it is, by the
# slope,
#
# $$\frac{\partial L}{\partial p_1} = \frac{2}{n} \sum_{i=1}^{n} e_i x_i$$
#
# and by the constant $p_0$ the same without $x_i$.
#
# ### Exercise `line_gradient` (2 points)
# Write both formulas. Return an array of two numbers, without any step.
#
# <details><summary>Hint 1: a sketch</summary>
#
# 2/n times a sum is 2 times a mean.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# errors = ... - y                          # the line at x, minus the targets
# return np.array([2 * ..., 2 * ...])       # two means
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Half of it: the 2 is missing. A wrong sign: target − prediction. The second number: the mean of products is not the
# product of means.
# </details>


# %% exercise="line_gradient"
def line_gradient(p, x, y):
    """The gradient by p of the mean squared error of the line p[0] + p[1] * x."""
    ### BEGIN SOLUTION
    errors = p[0] + p[1] * x - y
    return np.array([2 * errors.mean(), 2 * (errors * x).mean()])
    ### END SOLUTION


# %% check="line_gradient" points=2
with exercise("line_gradient") as check:
    x, y = np.array([0.0, 1.0, 2.0, 5.0]), np.array([3.0, 2.0, 3.0, 4.0])
    check.close(yours.line_gradient(np.array([0.0, 0.0]), x, y), np.array([-6.0, -14.0]),
        "errors -3, -2, -3, -4: 2 * -12/4, and times x 0, -2, -6, -20: 2 * -28/4")
    check.close(yours.line_gradient(np.array([1.0, 2.0]), x, y), np.array([4.0, 20.0]),
        "errors -2, 1, 2, 7: 2 * 8/4, and times x 0, 1, 4, 35: 2 * 40/4")
    x, y = np.array([0.0, 1.0, 2.0]), np.array([-1e8, 2e8 + 3, -1e8 - 6])
    check.close(yours.line_gradient(np.array([0.0, 0.0]), x, y), np.array([2.0, 6.0]),
        "errors 1e8, -2e8 - 3, 1e8 + 6: 2 * 3/3 and 2 * 9/3. A step drowns in rounding")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import transforms
    from autograder import array

    for n in (1, 3, 6, 10):
        for p, x, y in check.cases(5, array(2), array(n), array(n)):
            slopes = transforms.grad(lambda p: ((p[0] + p[1] * x - y) ** 2).mean())(p).data
            check.close(yours.line_gradient(p, x, y), slopes, "the gradient of the mean squared error")
            check.untouched()
    ### END HIDDEN TESTS

# %%
p = np.array([2.0, -1.0])
by_formula = line_gradient(p, seconds, metres)
by_steps = array_gradient(ball_loss, p, 1e-5)
print("symbolic ", by_formula.round(6), "\nnumerical", by_steps.round(6))

# %% [markdown]
# One answer. But formulas grow. Here is a loop of one line, and the length of the formula that it computes:

# %%
formula = "x"
for rounds in range(1, 11):
    formula = f"4*({formula})*(1-({formula}))"
    if rounds in (1, 2, 5, 10):
        print(f"{rounds:2} rounds: a formula of {len(formula):6,} characters")

# %% [markdown]
# | | symbolic | numerical | automatic |
# |---|---|---|---|
# | works on | a formula | any function that you can call | a program, operation by operation |
# | error | that of floats | that of the step, too | that of floats |
# | price | formulas that grow | two evaluations per parameter | one run, or a few: units 02 and 03 |
#
# ## 8. What it costs
#
# A layer of a neural network that turns `a` numbers into `b` has a · b weights and b biases. `sizes` lists how many
# numbers there are before, between and after the layers.
#
# ### Exercise `network_parameters` (1 point)
# Count the parameters of a network. Sizes 2, 3, 4: 2 · 3 + 3 = 9 in the first layer, 3 · 4 + 4 = 16 in the second.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each layer belongs to two neighbours in the list.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for a, b in ...:              # all pairs of neighbours
#     total += ...              # this layer's weights, and its biases
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too few: no biases. Each number that a layer *gives* has one.
# </details>


# %% exercise="network_parameters"
def network_parameters(sizes):
    """The number of weights and biases of a network with layers of these sizes."""
    ### BEGIN SOLUTION
    return sum(a * b + b for a, b in zip(sizes, sizes[1:]))
    ### END SOLUTION


# %% check="network_parameters" points=1
with exercise("network_parameters") as check:
    check.equal(yours.network_parameters([2, 3, 4]), 25, "2 * 3 + 3, and 3 * 4 + 4")
    check.untouched("sizes is the caller's")
    check.equal(yours.network_parameters([5, 2]), 12, "5 * 2 weights, and 2 biases")
    check.equal(yours.network_parameters([64, 32, 10]), 2410, "2,080 and 330")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.nn import Linear
    from autograder import integer

    for a, b, c, d in check.cases(6, *[integer(1, 9)] * 4):
        layers = [Linear(a, b), Linear(b, c), Linear(c, d)]
        count = sum(parameter.size for layer in layers for parameter in layer.parameters())
        check.equal(yours.network_parameters([a, b, c, d]), count, "the parameters of three layers")
        check.equal(yours.network_parameters([a, a, a, a, b]), 3 * (a * a + a) + a * b + b, "sizes may repeat")
    ### END HIDDEN TESTS

# %% [markdown]
# One gradient of a small network, 64 pixels in, 10 classes out:


# %%
def network(p, x, sizes):
    """A network whose weights and biases stand in p, one after the other."""
    for a, b in zip(sizes, sizes[1:]):
        weights, biases, p = p[: a * b].reshape(a, b), p[a * b : a * b + b], p[a * b + b :]
        x = np.tanh(x @ weights + biases)
    return x


sizes, runs = [64, 32, 10], 0
pixels, classes = rng.normal(size=(20, 64)), rng.normal(size=(20, 10))


def network_loss(p):
    global runs
    runs += 1
    return mean_squared_error(network(p, pixels, sizes).ravel(), classes.ravel())


grad = array_gradient(network_loss, 0.1 * rng.normal(size=network_parameters(sizes)), 1e-5)
print(f"{grad.size:,} parameters: the network ran {runs:,} times for one gradient")

# %% [markdown]
# What to see, on a logarithmic axis: how often a network runs for *one* step of gradient descent.

# %%
networks = {
    "line": [1, 1],
    "digits, 8 x 8 pixels": [64, 32, 10],
    "digits, 28 x 28 pixels": [784, 128, 10],
    "small photos": [3072, 1024, 1024, 100],
}
needed = {name: 2 * network_parameters(sizes) for name, sizes in networks.items()}
hours = needed["small photos"] / 1000 / 3600
print(f"small photos, at a millisecond for each run: {hours:.1f} hours for one step")


# %% figure="price"
def figure_price():
    plots.bars(needed, xlabel="runs of the network", title="One gradient", log=True)


figure_price()

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | an array, `p.copy()` | a tensor, `p.clone()` |
# | `mean_squared_error` | `torch.nn.functional.mse_loss` |
# | `rate`, one step of `gradient_descent` | `lr`, `torch.optim.SGD(...).step()` |
# | `array_gradient` | what `torch.autograd.gradcheck` compares with |
# | `network_parameters` | `sum(p.numel() for p in model.parameters())` |
# | automatic differentiation | `loss.backward()` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | a derivative of exactly 0, or digits that jump about | a step that is too small |
# | a gradient of about 50,000 where 2 is right | an array of integers, which swallows the step |
# | parameters that move although nobody updates them | a step that was not put back |
# | a loss that grows until it is `inf` or `nan` | a rate that is too large, or a missing minus |
#
# ## One thing to try next
# PyTorch's floats have 32 bits unless you ask for 64, and keep about 7 digits. Repeat the figure of section 2 with
# `np.float32(1.0)`, `np.float32(h)` and `np.sin`. Where is the best step now?
#
# No step is quite right. Unit 02 gets rid of it, with numbers that carry their own derivative.

# %% progress="here"
