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
#     unit: 09_optimizers
#     allow: [autograd_ref.tensor, autograd_ref.ops, autograd_ref.sweep, autograd_ref.graph, autograd_ref.plots]
#     title: "Optimizers: what to do with a gradient"
# ---

# %% [markdown]
# # Optimizers: what to do with a gradient
#
# A valley, steep across and almost flat along its floor, and twenty steps of three optimizers from the
# ring towards (0, 0). SGD jumps from wall to wall. Momentum swings. Adam's first steps are as long along the valley as
# across it.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots

    paths = {
        "SGD, lr 0.07": """
            -4.50 1.00 -4.18 -0.75 -3.89 0.56 -3.62 -0.42 -3.37 0.32 -3.13 -0.24 -2.91
            0.18 -2.71 -0.13 -2.52 0.10 -2.34 -0.08 -2.18 0.06 -2.03 -0.04 -1.88 0.03
            -1.75 -0.02 -1.63 0.02 -1.52 -0.01 -1.41 0.01 -1.31 -0.01 -1.22 0.01 -1.13
            0.00 -1.05 0.00""",
        "momentum, lr 0.02, mu 0.8": """
            -4.50 1.00 -4.41 0.50 -4.25 -0.15 -4.04 -0.59 -3.79 -0.65 -3.51 -0.37 -3.22
            0.04 -2.92 0.35 -2.62 0.42 -2.33 0.27 -2.06 0.01 -1.79 -0.20 -1.54 -0.27 -1.32
            -0.19 -1.11 -0.03 -0.92 0.11 -0.75 0.17 -0.60 0.13 -0.46 0.04 -0.35 -0.06
            -0.25 -0.10""",
        "Adam, lr 0.3, betas 0.8 and 0.99": """
            -4.50 1.00 -4.20 0.70 -3.90 0.41 -3.60 0.14 -3.31 -0.08 -3.02 -0.25 -2.74
            -0.34 -2.46 -0.36 -2.19 -0.32 -1.94 -0.25 -1.69 -0.15 -1.45 -0.05 -1.23 0.04
            -1.02 0.11 -0.83 0.15 -0.65 0.16 -0.49 0.13 -0.34 0.09 -0.22 0.04 -0.11 0.00
            -0.02 -0.04""",
    }
    points = {
        name: np.array(path.split(), dtype=float).reshape(-1, 2)
        for name, path in paths.items()
    }
    def valley(x, y):
        return (x * x + 25 * y * y) / 2

    return plots.moving_paths(valley, points, x=(-5, 1), y=(-1.3, 1.3))


goal()

# %% setup="imports"
import math

import numpy as np

from autograd_ref import Tensor, no_grad, plots
from autograder import exercise, predicted, probe, recall, yours


def arrays(*rows):
    """A tuple of arrays of floats, made of lists."""
    return tuple(np.array(row, dtype=float) for row in rows)

# %% [markdown]
# The gradient says which way is down, and not how far to go. At the end you will be able to
#
# - write SGD, momentum, Nesterov, RMSprop, Adam and AdamW;
# - say which rate is too large, and find a good one;
# - schedule the rate, clip gradients, test an optimizer.
#
# **Time:** 135 minutes (95 without sections 7, 8, 9). **Builds on:** 04, 05.
#
# **Three questions first.**
#
# - *unit 06*: `x` is (4, 3), `w` (3, 2). Which shape has the gradient of `w`?
# - *unit 07*: what does softmax give for (7, 7)?
# - *unit 07, slope*: that of (a - 1)² at a = 3?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 06": None, "unit 07": None, "unit 07, slope": None}

# %% jupyter={"source_hidden": true}
def slope_at_3():
    a = Tensor(3.0, requires_grad=True)
    ((a - 1) ** 2).backward()
    return a.grad.item()


recall(
    answers,
    {
        "unit 06": lambda: (np.ones((4, 3)).T @ np.ones((4, 2))).shape,
        "unit 07": lambda: np.exp([7.0, 7]) / np.exp([7.0, 7]).sum(),
        "unit 07, slope": slope_at_3,
    },
)

# %% [markdown]
# ## 1. The step, and its limit
#
# A parameter `p` and its gradient `g` are float arrays of one shape, `lr` is the *learning rate*. With p = (1, -2),
# g = (10, -4) and lr = 0.1, SGD's step leads to (0, -1.6).
#
# ### Exercise `sgd_step` (1 point)
# Return the new parameter, a **new** array. Like all functions here, it changes no argument.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Where does the gradient point, and where is the loss smaller?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return p ... lr * ...         # which sign leads downhill?
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# "An argument was changed": `p -= ...` writes into the caller's array.
# </details>


# %% exercise="sgd_step"
def sgd_step(p, g, lr):
    """The parameter after one step of gradient descent; p and g are arrays of one shape."""
    ### BEGIN SOLUTION
    return p - lr * g
    ### END SOLUTION


# %% check="sgd_step" points=1
with exercise("sgd_step") as check:
    p, g = arrays([1, -2], [10, -4])
    check.close(yours.sgd_step(p, g, 0.1), np.array([0.0, -1.6]),
                "1 - 0.1 * 10, and -2 + 0.1 * 4: against the gradient")
    check.untouched("p and g stay as they were: make a new array")
    check.close(yours.sgd_step(p, g, 0.5), np.array([-4.0, 0.0]), "five times the rate")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, positive

    for p, g, lr in check.cases(10, array(2, 3), array(2, 3), positive(0.01, 2.0)):
        parameter = Tensor(p.copy(), requires_grad=True)
        parameter.grad = Tensor(g)
        optim.SGD([parameter], lr=lr).step()
        check.close(yours.sgd_step(p, g, lr), parameter.data, "p - lr * g", rtol=1e-10)
        check.untouched()
    for shape in ((), (1,), (2, 1, 3)):
        p, g = next(check.cases(1, array(6), array(6)))
        p, g = np.resize(p, shape), np.resize(g, shape)
        check.close(yours.sgd_step(p, g, 0.3), p - 0.3 * g, "any number of axes, none too", rtol=1e-10)
        check.close(yours.sgd_step(p, 0 * g, 0.3), p, "no gradient: no step", rtol=1e-10)
    for p, g in check.cases(2, array(2, 3), array(2, 3)):
        for size in (1e-6, 1e3, 1e6):
            got = yours.sgd_step(0 * p, size * g, 0.3)
            check.close(got, -0.3 * size * g, "gradients of any size", rtol=1e-10, atol=1e-13)

    @probe
    def shares_with_p(p, g, lr):
        """Whether what sgd_step gives and its p are the same array, or parts of one."""
        return bool(np.shares_memory(sgd_step(p, g, lr), p))

    for p, g in check.cases(2, array(2, 3), array(2, 3)):
        for given, lr in ((g, 0.3), (0 * g, 0.3), (g, 0.0)):
            check.equal(shares_with_p(p, given, lr), False, "a new array, where there is no step, too")
    ### END HIDDEN TESTS

# %% [markdown]
# The valley of the picture is (x² + 25 y²) / 2, with the gradient (x, 25 y). The factors 1 and 25 are its *curvatures*.
# In a coordinate with curvature $c$, a step multiplies the distance from the minimum by
#
# $$1 - \mathrm{lr} \cdot c$$
#
# With lr = 0.05, `y` is multiplied by 1 - 1.25 = -0.25: it changes sides, and shrinks. `x` is multiplied by 0.95.

# %% given="ravine"
CURVATURES = np.array([1.0, 25.0])
START = np.array([-4.5, 1.0])


def ravine(x, y):
    return (x * x + 25 * y * y) / 2


def path_of(step, state=(), steps=20):
    """The points of a path from START; step(p, g, *state) gives the new p and new state."""
    p, points = START, [START]
    for _ in range(steps):
        p, *state = step(p, CURVATURES * p, *state)
        points.append(p)
    return np.array(points)


# %% [markdown]
# **Predict, then run.** How large is `y` after 100 steps from 1, with each of these rates: nearly 0, about 1, or huge?

# %%
prediction = {0.07: "", 0.08: "", 0.09: ""}

rates = {
    lr: path_of(lambda p, g, lr=lr: (sgd_step(p, g, lr),), steps=100)
    for lr in (0.07, 0.08, 0.09)
}
if predicted(prediction, "rates_on_a_valley"):
    for lr, path in rates.items():
        print(f"lr {lr}: |y| = {abs(path[-1, 1]):.2g}   your prediction: {prediction[lr]}")
assert 0.92**55 > 0.01 > 0.92**56
assert abs(rates[0.07][-1, 1]) < 1e-9 and rates[0.09][-1, 1] > 1e9
assert abs(rates[0.08][-1, 1] - 1) < 1e-6

# %% [markdown]
# The limit is 2 / 25 = 0.08: two over the largest curvature, $2/L$. Above it the loss *diverges*; at the limit `y` jumps
# between 1 and -1 for ever. The steepest direction sets the limit, and the flat one pays: at 0.08, `x` needs 56 steps to
# shrink to a hundredth.


# %% figure="rates"
def rates_figure():
    losses = {f"lr = {lr}": [ravine(x, y) for x, y in path] for lr, path in rates.items()}
    plots.learning_curves(losses, log=True, title="SGD below, at and above 2 / L")


rates_figure()

# %% [markdown]
# ## 2. Momentum
#
# Across the valley the gradient alternates, along the floor it does not. Added up, what alternates cancels, the rest
# grows. The sum is the *velocity* `v`, in which old gradients fade by a factor `mu`. PyTorch's convention:
#
# $$v \leftarrow \mu v + g, \qquad p \leftarrow p - \mathrm{lr} \cdot v$$
#
# ### Exercise `momentum_step` (2 points)
# Return the new parameter and the new velocity, a tuple of two arrays.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First the velocity, then the move.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# v = ...                       # the old one fades, the gradient comes in whole
# return ..., v
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# The first step goes nowhere: `p` moved with the old velocity.
# </details>


# %% exercise="momentum_step"
def momentum_step(p, g, v, lr, mu):
    """The new parameter and the new velocity; p, g and v are arrays of one shape."""
    ### BEGIN SOLUTION
    v = mu * v + g
    return p - lr * v, v
    ### END SOLUTION


# %% check="momentum_step" points=2
with exercise("momentum_step") as check:
    p, g, v = arrays([1, 5], [10, -4], [2, 10])
    check.close(yours.momentum_step(p, g, v, 0.2, 0.9), arrays([-1.36, 4], [11.8, 5]),
                "v is 0.9 * 2 + 10 = 11.8, and p moves with this new v: 1 - 0.2 * 11.8")
    check.untouched("p, g and v stay as they were: make new arrays")
    check.close(yours.momentum_step(p, g, v, 0.1, 0.0), arrays([0, 5.4], [10, -4]),
                "with mu = 0 nothing is remembered: plain SGD")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, positive

    for p, lr, mu in check.cases(8, array(2, 3), positive(0.01, 2.0), positive(0.1, 0.99)):
        parameter = Tensor(p.copy(), requires_grad=True)
        optimizer = optim.SGD([parameter], lr=lr, momentum=mu)
        v = np.zeros((2, 3))
        for (g,) in check.cases(3, array(2, 3)):
            p, old, v = parameter.data.copy(), v, mu * v + g
            parameter.grad = Tensor(g)
            optimizer.step()
            got = yours.momentum_step(p, g, old, lr, mu)
            check.close(got, (parameter.data, v), "mu * v + g, then p - lr * v", rtol=1e-10)
            check.untouched()
        got = yours.momentum_step(p, 0 * g, v, lr, mu)
        check.close(got, (p - lr * mu * v, mu * v), "without a gradient the velocity lasts", rtol=1e-10)
        for size in (1e-6, 1e3, 1e6):
            got = yours.momentum_step(0 * p, size * g, size * v, lr, mu)
            new = size * (mu * v + g)
            check.close(got, (-lr * new, new), "gradients of any size", rtol=1e-10, atol=1e-13)
    ### END HIDDEN TESTS

# %% [markdown]
# While `g` stays the same, `v` tends to g / (1 - mu): with mu = 0.9, momentum's steps become ten times as long as
# SGD's.
#
# ### Nesterov
# Nesterov looks ahead: it measures the gradient where the velocity is about to lead, at p - lr · mu · v. In PyTorch's
# form `p` is that place itself. A step goes back by lr · mu · v, then on by lr times the new `v`, and ahead by lr · mu
# times it: in all, minus lr times (g + mu · v).
#
# ### Exercise `nesterov_step` (2 points)
# Return the new parameter and the new velocity, in PyTorch's form.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Only the move differs from `momentum_step`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# v = ...                       # as in momentum_step
# return p - lr * (...), v      # the gradient, and the new velocity, faded once more
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# The same as momentum: the old `v` is in the move.
# </details>


# %% exercise="nesterov_step"
def nesterov_step(p, g, v, lr, mu):
    """The new parameter and the new velocity; p, g and v are arrays of one shape."""
    ### BEGIN SOLUTION
    v = mu * v + g
    return p - lr * (g + mu * v), v
    ### END SOLUTION


# %% check="nesterov_step" points=2
with exercise("nesterov_step") as check:
    p, g, v = arrays([1, 5], [10, -4], [4, 12])
    check.close(yours.nesterov_step(p, g, v, 0.1, 0.5), arrays([-0.6, 5.3], [12, 2]),
                "the new v is 0.5 * 4 + 10 = 12: from 1, subtract 0.1 * (10 + 0.5 * 12)")
    check.untouched("p, g and v stay as they were: make new arrays")
    check.close(yours.nesterov_step(p, g, v, 0.2, 0.0), arrays([-1, 5.8], [10, -4]),
                "with mu = 0 it is plain SGD")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, positive

    for p, lr, mu in check.cases(8, array(2, 3), positive(0.01, 2.0), positive(0.1, 0.99)):
        parameter = Tensor(p.copy(), requires_grad=True)
        optimizer = optim.SGD([parameter], lr=lr, momentum=mu, nesterov=True)
        v = np.zeros((2, 3))
        for (g,) in check.cases(3, array(2, 3)):
            p, old, v = parameter.data.copy(), v, mu * v + g
            parameter.grad = Tensor(g)
            optimizer.step()
            got = yours.nesterov_step(p, g, old, lr, mu)
            check.close(got, (parameter.data, v), "p - lr * (g + mu * v)", rtol=1e-10)
            check.untouched()
        got = yours.nesterov_step(p, 0 * g, v, lr, mu)
        check.close(got, (p - lr * mu * mu * v, mu * v), "without a gradient the velocity lasts", rtol=1e-10)
        got = yours.nesterov_step(p, g, v, 0.0, mu)
        check.close(got, (p, mu * v + g), "with a rate of 0 the velocity grows, and nothing moves", rtol=1e-10)
        for size in (1e-6, 1e3, 1e6):
            got = yours.nesterov_step(0 * p, size * g, size * v, lr, mu)
            new = size * (mu * v + g)
            check.close(got, (-lr * (size * g + mu * new), new), "gradients of any size", rtol=1e-10, atol=1e-13)
    ### END HIDDEN TESTS

# %% [markdown]
# Momentum overshoots, Nesterov brakes early.


# %% figure="momenta"
def momenta():
    def moved(step):
        return path_of(lambda p, g, v: step(p, g, v, 0.02, 0.8), (np.zeros(2),))

    paths = {
        "momentum, lr 0.02": moved(momentum_step),
        "Nesterov, lr 0.02": moved(nesterov_step),
    }
    one, other = (ravine(*path[-1]) for path in paths.values())
    assert one > other
    return plots.moving_paths(ravine, paths, x=(-5, 1), y=(-1.3, 1.3))


momenta()

# %% [markdown]
# ### Which rate?
# **Predict, then run.** At lr = 0.1 SGD diverges here. Where does momentum (mu = 0.8) bring `y` in 300 steps: nearly to
# 0, or far away? And at 0.15?

# %%
prediction = {0.1: "", 0.15: ""}

if predicted(prediction, "momentum_limit"):
    for lr in prediction:
        path = path_of(lambda p, g, v: momentum_step(p, g, v, lr, 0.8), (np.zeros(2),), 300)
        print(f"lr {lr}: |y| = {abs(path[-1, 1]):.2g}   your prediction: {prediction[lr]}")

# %% [markdown]
# Momentum's limit is $2\,(1 + \mu)/L$, here 0.144.
#
# ### Exercise `lr_and_mu` (2 points)
# From an empty cell. Given the curvatures of a valley, an array, the largest at most 100 times the smallest, return a rate
# and a `mu` with which 100 steps of `momentum_step` leave less than a millionth of the height, from any start: in each
# coordinate alone.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `left(curvatures, lr, mu)` gives the share left in each coordinate. Which one needs a small `lr`?
# </details>
# <details><summary>Hint 2: what you can use</summary>
#
# A search may call `left` a thousand times. Or find one `mu` that suits all, and `lr` from the largest curvature.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# 25 times the curvature needs a 25th of the rate. With mu = 0.9 old gradients fade too slowly.
# </details>


# %% setup="left"
def left(curvatures, lr, mu, steps=100):
    """The share of the height that is left after so many steps of momentum, in each coordinate: an array."""
    p, v = np.ones(len(curvatures)), np.zeros(len(curvatures))
    with np.errstate(all="ignore"):
        for _ in range(steps):
            v = mu * v + curvatures * p
            p = p - lr * v
        return p * p


# %%
wide = np.array([1.0, 100.0])
print("curvatures 1 and 100, mu 0, lr 0.0198:", left(wide, 0.0198, 0.0).round(6))
print("curvatures 1 and 100, mu 0.9, lr 0.01:", left(wide, 0.01, 0.9).round(6))


# %% exercise="lr_and_mu"
def lr_and_mu(curvatures):
    """A rate and a mu for momentum_step in a valley with these curvatures, (n,) with n from 1 on."""
    ### BEGIN SOLUTION
    low, high = math.sqrt(min(curvatures)), math.sqrt(max(curvatures))
    return (2 / (low + high)) ** 2, ((high - low) / (high + low)) ** 2
    ### END SOLUTION


# %% probes="lr_and_mu"
@probe
def chosen(curvatures):
    """The two numbers, each as a float; or what comes instead of them."""
    found = lr_and_mu(curvatures)
    if not isinstance(found, tuple) or len(found) != 2:
        return "two numbers are wanted, the rate and mu, in a tuple"
    return [float(number) for number in found]


def told(curvatures, found):
    """What is wrong with a choice: which coordinate keeps most, and why that may be; empty where nothing is."""
    if isinstance(found, str):
        return found
    lr, mu = found
    shares = left(curvatures, lr, mu)
    if (shares < 1e-6).all():
        return ""
    worst = int(np.argmax(np.where(np.isnan(shares), np.inf, shares)))
    limit, choice = 2 * (1 + mu) / max(curvatures), f"lr {lr:.3g}, mu {mu:.3g}"
    if lr > limit * (1 - 1e-9):
        return f"{choice}: lr is not below the limit, 2 (1 + mu) / L = {limit:.3g}"
    step, root = lr * curvatures[worst], math.sqrt(max(mu, 0.0))
    if step < (1 - root) ** 2:
        why = "it creeps to one side: a larger lr or mu"
    elif step > (1 + root) ** 2:
        why = "it changes sides each time, as near the limit: a smaller lr or a larger mu"
    else:
        why = "it swings, and its height fades by mu in each step: a smaller mu"
    return f"{choice}: {shares[worst]:.2g} is left at curvature {curvatures[worst]:g}, more than 1e-06; {why}"


# %% check="lr_and_mu" points=2
with exercise("lr_and_mu") as check:
    valleys = arrays([1, 25], [100, 1], [0.04, 1, 4], [2500, 30, 700], [7])
    for curvatures in valleys:
        odd = told(curvatures, chosen(curvatures))
        check.true(not odd, f"curvatures {curvatures.tolist()}: {odd}")
        check.untouched("the curvatures stay as they were")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, positive

    for n, low, spread in check.cases(12, integer(1, 4), positive(0.001, 50.0), positive(1.0, 100.0)):
        curvatures = low * spread ** np.array([0.0, 1.0, check.rng.random(), check.rng.random()][:n])
        found = chosen(curvatures)
        check.true(not told(curvatures, found), f"curvatures {curvatures.round(4).tolist()}: {told(curvatures, found)}")
    for flat in (np.append(np.ones(9), 60.0), np.append(40.0, np.full(30, 0.5)), np.full(5, 3.0)):
        odd = told(flat, chosen(flat))
        check.true(not odd, f"one direction is steep, or none: curvatures {flat.tolist()}: {odd}")
    for low in (1e-6, 1e4):
        for spread in (1.0, 100.0):
            curvatures = np.array([low, low * spread])
            check.true(not told(curvatures, chosen(curvatures)), "curvatures of any size, equal ones as well")
    ### END HIDDEN TESTS

# %% [markdown]
# Boris Polyak's pair of 1964 is the best for both ends of the curvatures: lr = 0.0331 and mu = 0.669 for 1 and 100, 0.111
# and 0.444 in our valley. Beside yours:


# %% figure="settings"
def settings():
    def lost(lr, mu):
        return max(-12.0, min(math.log10(max(left(wide, lr, mu).max(), 1e-300)), 1.0))

    points = {"yours": [lr_and_mu(wide)], "Polyak's": [(0.0331, 0.669)]}
    plots.contour(
        lost, points, x=(0.0005, 0.04), y=(0.0, 0.99), resolution=40, xlabel="lr", ylabel="mu",
        title="What is left, curvatures 1 and 100",
    )


settings()

# %% [markdown]
# Dark: little is left. Low, the flat direction creeps; high, old gradients stay; right, the limit.
#
# ## 3. A rate for every coordinate
#
# RMSprop divides each coordinate of the gradient by its usual size, the root of a running mean `s` of squares:
#
# $$s \leftarrow \alpha s + (1 - \alpha)\, g^2$$
#
# From `p`, subtract `lr` times g / (√s + eps). The small `eps` prevents a division by 0; `alpha` is usually 0.99.
#
# ### Exercise `rmsprop_step` (2 points)
# Return the new parameter and the new running mean.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First the mean, then a division by its root.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# s = alpha * s + ...
# return p - lr * g / (...), s  # eps is added to the root, not under it
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Right with eps = 0 only: look where `eps` stands.
# </details>


# %% exercise="rmsprop_step"
def rmsprop_step(p, g, s, lr, alpha, eps):
    """The new parameter and the new running mean of g squared; arrays of one shape."""
    ### BEGIN SOLUTION
    s = alpha * s + (1 - alpha) * g * g
    return p - lr * g / (np.sqrt(s) + eps), s
    ### END SOLUTION


# %% check="rmsprop_step" points=2
with exercise("rmsprop_step") as check:
    p, g, s = arrays([1, 5], [4, -2], [2, 4])
    check.close(yours.rmsprop_step(p, g, s, 0.2, 0.5, 2.0), arrays([0.84, 5.1], [9, 4]),
                "s is 1 + 8 and 2 + 2; p moves by 0.2 * 4 / (3 + 2) and 0.2 * -2 / (2 + 2)")
    check.untouched("p, g and s stay as they were: make new arrays")
    check.close(yours.rmsprop_step(p, g, s, 0.3, 0.5, 0.0), arrays([0.6, 5.3], [9, 4]),
                "lr = 0.3, and eps = 0 makes the divisors 3 and 2")
    check.close(yours.rmsprop_step(p, g, s, 0.3, 0.75, 1.0)[1], np.array([5.5, 4.0]),
                "alpha = 0.75: three quarters of the old mean, one of the new square")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, positive

    for p, lr, alpha, eps in check.cases(
        8, array(2, 3), positive(0.01, 2.0), positive(0.1, 0.99), positive(0.1, 1.0)
    ):
        parameter = Tensor(p.copy(), requires_grad=True)
        optimizer = optim.RMSprop([parameter], lr=lr, alpha=alpha, eps=eps)
        s = np.zeros((2, 3))
        for (g,) in check.cases(3, array(2, 3)):
            p, old, s = parameter.data.copy(), s, alpha * s + (1 - alpha) * g**2
            parameter.grad = Tensor(g)
            optimizer.step()
            got = yours.rmsprop_step(p, g, old, lr, alpha, eps)
            check.close(got, (parameter.data, s), "one step of RMSprop", rtol=1e-10)
            check.untouched()
        zero = np.zeros((2, 3))
        got = yours.rmsprop_step(p, zero, s, lr, alpha, eps)
        check.close(got, (p, alpha * s), "without a gradient the mean fades", rtol=1e-10)
        got = yours.rmsprop_step(p, zero, zero, lr, alpha, eps)
        check.close(got, (p, zero), "no gradient yet: no step", rtol=1e-10)
        # Divided by its usual size, a gradient of any size makes the same step.
        for size in (1e-8, 1e-4, 1e6):
            got = yours.rmsprop_step(0 * p, size * g, size**2 * s, lr, alpha, size * eps)
            new = alpha * s + (1 - alpha) * g**2
            check.close(got[0], -lr * g / (np.sqrt(new) + eps), "gradients of any size", rtol=1e-9)
            check.close(got[1] / size**2, new, "the mean of squares of any size", rtol=1e-9)
        got = yours.rmsprop_step(p, g, s, lr, 0.0, eps)
        check.close(got, (p - lr * g / (abs(g) + eps), g**2), "alpha = 0 remembers nothing", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. Adam
#
# Adam has both: a running mean `m` of gradients, and one, `v`, of their squares. Both start at 0, and so are too small at
# first: with beta = 0.9, the running mean of 5, 5, 5, ... is 0.5 after one step and 0.95 after two. After `t` steps a share beta**t of it is still the 0 of the start.
#
# ### Exercise `bias_correction` (1 point)
# Divide the running mean by the share that comes from real gradients. `t` counts from 1.
#
# <details><summary>Hint 1: a sketch</summary>
#
# With beta = 0.9 the share is 0.1 after one step, and 0.19 after two.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return mean / (...)           # one, less the share of the start
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Right at t = 1 only: you divided by 1 - beta.
# </details>


# %% exercise="bias_correction"
def bias_correction(mean, beta, t):
    """A running mean that began at 0, corrected after t steps; arrays of one shape."""
    ### BEGIN SOLUTION
    return mean / (1 - beta**t)
    ### END SOLUTION


# %% check="bias_correction" points=1
with exercise("bias_correction") as check:
    mean = np.array([0.5, -2.0])
    check.close(yours.bias_correction(mean, 0.9, 1), np.array([5.0, -20.0]),
                "after one step a tenth is real: 0.5 / 0.1")
    check.untouched("the mean stays as it was: make a new array")
    check.close(yours.bias_correction(np.array([0.95, 1.9]), 0.9, 2), np.array([5.0, 10.0]),
                "after two steps 1 - 0.81 is real: 0.95 / 0.19")
    check.close(yours.bias_correction(np.array([3.5]), 0.5, 3), np.array([4.0]),
                "beta = 0.5, three steps: 3.5 / 0.875")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, positive

    for mean, beta, t in check.cases(12, array(2, 3), positive(0.1, 0.99), integer(2, 9)):
        share = (1 - beta) * sum(beta**k for k in range(t))
        got = yours.bias_correction(mean, beta, t)
        check.close(got, mean / share, "divided by 1 - beta ** t", rtol=1e-10)
        check.untouched()
    for mean, more in check.cases(3, array(2, 3), integer(0, 9)):
        for beta in (0.99, 0.999, 0.9999):
            for t in (1, 2, 11 + more, 101 + 10 * more, 1001 + 100 * more):
                share = -math.expm1(t * math.log(beta))
                got = yours.bias_correction(mean * share, beta, t)
                check.close(got, mean, "divided by 1 - beta ** t, early and late", rtol=1e-9)
    got = yours.bias_correction(mean, 0.5, 100)
    check.close(got, mean, "after many steps nearly all is real", rtol=1e-10)
    for t in (1, 2, 50):
        check.close(yours.bias_correction(mean, 0.0, t), mean, "beta = 0: nothing is left of the start", rtol=1e-10)
        check.close(yours.bias_correction(0 * mean, 0.9, t), 0 * mean, "a mean of 0 stays 0")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `adam_step` (3 points)
# Update the means: `m` of `g` with the first beta, `v` of g² with the second (RMSprop's `s`). From `p`, subtract `lr`
# times the corrected `m`, divided by (the root of the corrected `v`, plus eps). Return the new `p`, `m` and `v`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two running means, two corrections, then RMSprop's step with the corrected `m` for `g`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# b1, b2 = betas
# m = ...
# v = ...
# m_hat, v_hat = m / ..., v / ...
# return p - ..., m, v          # keep the means as they are, without correction
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# `m` too large: you returned the corrected mean.
# </details>


# %% exercise="adam_step"
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    """The new parameter and the two new running means, at step t = 1, 2, ..."""
    ### BEGIN SOLUTION
    b1, b2 = betas
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    m_hat, v_hat = m / (1 - b1**t), v / (1 - b2**t)
    return p - lr * m_hat / (np.sqrt(v_hat) + eps), m, v
    ### END SOLUTION


# %% check="adam_step" points=3
with exercise("adam_step") as check:
    p, g, zero = arrays([1, 5], [4, -2], [0, 0])
    check.close(yours.adam_step(p, g, zero, zero, 1, 0.1, (0.8, 0.75), 0.0),
                arrays([0.9, 5.1], [0.8, -0.4], [4, 1]),
                "a first step has length lr: m is 0.8 / 0.2 = 4, v is 4 / 0.25 = 16")
    g, m, v = arrays([1, 4], [2, 1], [23, 105.5])
    check.close(yours.adam_step(p, g, m, v, 2, 0.2, (0.75, 0.5), 1.0),
                arrays([0.84, 4.92], [1.75, 1.75], [12, 60.75]),
                "t = 2: m is 1.75 / 0.4375 = 4, v is 12 / 0.75 = 16: 1 - 0.2 * 4 / (4 + 1)")
    check.untouched("the arguments stay as they were: make new arrays")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, integer, positive

    for p, lr, b1, b2, eps in check.cases(
        8, array(2, 3), positive(0.01, 2.0), positive(0.1, 0.95), positive(0.1, 0.99), positive(1e-3, 1.0)
    ):
        parameter = Tensor(p.copy(), requires_grad=True)
        optimizer = optim.Adam([parameter], lr=lr, betas=(b1, b2), eps=eps)
        m = v = np.zeros((2, 3))
        for t, (g,) in enumerate(check.cases(4, array(2, 3)), start=1):
            p, old_m, old_v = parameter.data.copy(), m, v
            m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
            parameter.grad = Tensor(g)
            optimizer.step()
            got = yours.adam_step(p, g, old_m, old_v, t, lr, (b1, b2), eps)
            check.close(got, (parameter.data, m, v), "one step of Adam", rtol=1e-10)
            check.untouched()
        zero = np.zeros((2, 3))
        got = yours.adam_step(p, zero, zero, zero, t, lr, (b1, b2), eps)
        check.close(got, (p, zero, zero), "no gradient yet: no step", rtol=1e-10)
        got = yours.adam_step(p, zero, m, v, t, lr, (b1, b2), eps)
        away = lr * b1 * m / (1 - b1**t) / (np.sqrt(b2 * v / (1 - b2**t)) + eps)
        check.close(got, (p - away, b1 * m, b2 * v), "without a gradient the means last", rtol=1e-9)
        for size in (1e-6, 1e6):
            got = yours.adam_step(0 * p, size * g, size * old_m, size**2 * old_v, t, lr, (b1, b2), size * eps)
            u = m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps)
            check.close(got[0], -lr * u, "gradients of any size", rtol=1e-9)
        got = yours.adam_step(p, g, m, v, t, lr, (0.0, 0.0), eps)
        expected = p - lr * g / (abs(g) + eps), g, g**2
        check.close(got, expected, "betas of 0 remember nothing", rtol=1e-9)
    # With the default betas a thousandth of v is real at first, and after a thousand steps not yet all.
    for p, g, m, v, more in check.cases(6, *[array(2, 3)] * 4, integer(0, 9)):
        for t in (1 + more, 11 + more, 101 + 10 * more, 1001 + 100 * more):
            means = 0.9 * m + 0.1 * g, 0.999 * v * v + 0.001 * g * g
            u = means[0] / (1 - 0.9**t) / (np.sqrt(means[1] / (1 - 0.999**t)) + 1e-8)
            got = yours.adam_step(p, g, m, v * v, t, 0.5)
            check.close(got, (p - 0.5 * u, *means), "at each step t, an early and a late one", rtol=1e-9)
    # Gradients as small as the default eps, which then counts.
    for p, g, m, lr in check.cases(3, array(2, 3), array(2, 3), array(2, 3), positive(0.1, 2.0)):
        g, m, v = 1e-8 * g, 1e-8 * m, 1e-16 * m * m
        expected = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        u = expected[0] / 0.19 / (np.sqrt(expected[1] / (1 - 0.999**2)) + 1e-8)
        got = yours.adam_step(p, g, m, v, 2, lr)
        check.close(got[0], p - lr * u, "the betas are 0.9 and 0.999, eps is 1e-8", rtol=1e-9)
        check.close(got[1] * 1e8, expected[0] * 1e8, "the first beta is 0.9", rtol=1e-10)
        check.close(got[2] * 1e16, expected[1] * 1e16, "the second beta is 0.999", rtol=1e-10)
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** Without correction, how many times too long is the first step? And is the twelfth longer than
# that, or shorter? The betas are 0.9 and 0.999.

# %%
prediction = (None, "")

t = np.arange(1, 51)
lengths = (1 - 0.9**t) / np.sqrt(1 - 0.999**t)  # of a step without correction, over lr
if predicted(prediction, "uncorrected_step"):
    for step in (1, 12, 50):
        print(f"step {step} without correction: {lengths[step - 1]:.2f} times lr")

# %% [markdown]
# At first `m` is 10 times too small. But `v` is 1,000 times too small, its root 31.6 times, and it catches up later
# than `m`. Under a gradient that stays the same, each corrected step has length `lr`. Without, steps are three to seven
# times as long, the twelfth most.


# %% figure="correction"
def correction():
    one, lr = np.ones(1), 0.1
    p, m, v, path = 0 * one, 0 * one, 0 * one, [0.0]
    for step in t:
        p, m, v = adam_step(p, one, m, v, step, lr)
        path.append(p[0])
    taken = -np.diff(path) / lr
    assert round(math.sqrt(1000), 1) == 31.6 and np.allclose(taken, 1)
    assert 3 < lengths.min() and lengths.max() < 7 and lengths.argmax() == 11
    plots.lines(
        {"with correction": (t, taken), "without": (t, lengths)},
        xlabel="step", ylabel="length of the step / lr", title="The first 50 steps of Adam",
    )


correction()

# %% [markdown]
# The first picture by your steps, and more:


# %% figure="own_paths"
def own_paths():
    def adam(betas):
        def step(p, g, m, v, t):
            return (*adam_step(p, g, m, v, t, 0.3, betas), t + 1)

        return path_of(step, (np.zeros(2), np.zeros(2), 1))

    def momentum(lr, mu):
        return path_of(lambda p, g, v: momentum_step(p, g, v, lr, mu), (np.zeros(2),))

    paths = {
        "SGD, lr 0.07": path_of(lambda p, g: (sgd_step(p, g, 0.07),)),
        "momentum, lr 0.02, mu 0.8": momentum(0.02, 0.8),
        "Adam, betas 0.8 and 0.99": adam((0.8, 0.99)),
        "Adam, betas 0.9 and 0.999": adam((0.9, 0.999)),
        "momentum, Polyak's": momentum(0.111, 0.444),
        "momentum, yours": momentum(*lr_and_mu(CURVATURES)),
    }
    for name, path in paths.items():
        print(f"{name}: height {ravine(*path[-1]):.2g}")
    drawn = {name: paths[name] for name in list(paths)[2:5]}
    for (name, path), ax in zip(drawn.items(), plots.panels(3, columns=1, height=1.7)):
        plots.contour(ravine, {name: path}, x=(-5, 1), y=(-2, 2), title=name, ax=ax)
        ax.get_legend().remove()



own_paths()

# %% [markdown]
# Settings decide a race: Adam with its usual betas is behind SGD, momentum with Polyak's numbers far ahead.
#
# ## 5. It keeps the state
#
# Each parameter needs a velocity, means and a count of its own. An *optimizer* keeps them. Its `rule(p, g, state, lr, t)`
# wraps one of your steps: the state goes in as one tuple, and comes back as one behind the new array. For momentum:
#
# ```python
# def rule(p, g, state, lr, t):
#     p, v = momentum_step(p, g, *state, lr, 0.9)
#     return p, (v,)
# ```

# %%
w = Tensor(np.array([1.0, 2.0]), requires_grad=True)
with no_grad():  # new numbers for the Tensor, in place, and no part of a graph
    w.copy_(np.array([0.5, 3.0]))
print(w.data)

# %% [markdown]
# ### Exercise `optimizer` (3 points)
# An `Optimizer` has a list of Tensors, and for each a count and `slots` zero arrays of its shape (float32 or float64),
# in attributes of your choice. `zero_grad()` sets every `grad` to None. `step()` leaves Tensors whose `grad` is None as
# they are, without decay. For each other Tensor it
#
# 1. counts: t is 1 first;
# 2. adds `weight_decay` times the Tensor to the gradient (arrays: `p.data`, `p.grad.data`);
# 3. calls the rule, and keeps the state;
# 4. copies the new array into the Tensor, as in the cell above.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Lists of counts and of tuples, a loop with `enumerate`: `[i]` is this Tensor's alone.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for i, p in enumerate(...):
#     if ...: continue
#     self.steps[i] += 1
#     new, self.state[i] = self.rule(...)    # a new array: the gradient is not yours
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Nothing moves: `p = new` gives the *name* a new meaning.
# </details>


# %% exercise="optimizer"
class Optimizer:
    """Applies a rule to many Tensors, each of which has `slots` arrays of state."""

    def __init__(self, parameters, rule, slots=0, lr=0.1, weight_decay=0.0):
        ### BEGIN SOLUTION
        self.parameters = list(parameters)
        self.rule, self.lr, self.weight_decay = rule, lr, weight_decay
        self.steps = [0 for p in self.parameters]
        zeros = [np.zeros_like(p.data) for p in self.parameters]
        self.state = [tuple(z.copy() for _ in range(slots)) for z in zeros]
        ### END SOLUTION

    def zero_grad(self):
        """Forget all gradients."""
        ### BEGIN SOLUTION
        for p in self.parameters:
            p.grad = None
        ### END SOLUTION

    def step(self):
        """Update every parameter that has a gradient, in place."""
        ### BEGIN SOLUTION
        for i, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            self.steps[i] += 1
            g = p.grad.data + self.weight_decay * p.data
            new, self.state[i] = self.rule(p.data, g, self.state[i], self.lr, self.steps[i])
            with no_grad():
                p.copy_(new)
        ### END SOLUTION


# %% probes="optimizer"
@probe
def stepped(starts, gradients, *settings):
    """The parameters after each round of gradients, with t and the state in the rule; then the
    arrays that they had at first, which should be the same arrays still. The settings are slots,
    lr and weight_decay."""

    def rule(p, g, state, lr, t):
        if any(isinstance(x, Tensor) for x in (p, g, *state)):
            raise TypeError("the rule takes arrays, and got a Tensor")
        if not isinstance(state, tuple):
            raise TypeError(f"the rule takes the state as a tuple, and got a {type(state).__name__}")
        if any(np.shape(s) != p.shape for s in state):
            raise TypeError("the rule takes a state of arrays that are of the shape of p")
        if any(np.asarray(s).dtype.kind != "f" for s in state):
            raise TypeError("the rule takes a state of float32 or float64")
        state = tuple(s + (k + 1) * g for k, s in enumerate(state))
        return p - (lr * g + t + sum(state)), state

    tensors = [Tensor(np.array(start, dtype=float), requires_grad=True) for start in starts]
    optimizer = Optimizer(tensors, rule, *settings)
    seen, own = [], [tensor.data for tensor in tensors]
    for each in gradients:
        for tensor, g in zip(tensors, each):
            tensor.grad = None if g is None else Tensor(np.array(g))
        optimizer.step()
        seen.append([[t.data.tolist() for t in tensors], [array.tolist() for array in own]])
    return seen


@probe
def grads_seen(starts, gradients):
    """The gradients after a step and after zero_grad, in each of two rounds; then the parameters."""
    tensors = [Tensor(np.array(start, dtype=float), requires_grad=True) for start in starts]

    def listed():
        return [None if t.grad is None else t.grad.data.tolist() for t in tensors]

    def rule(p, g, state, lr, t):
        if np.shape(state[0]) != p.shape:
            raise TypeError("the rule takes a state of arrays that are of the shape of p")
        return p - t - (state[0] + g), (state[0] + g,)

    optimizer = Optimizer(tensors, rule, 1, 0.1, 0.5)
    seen = []
    for _ in range(2):
        for tensor, g in zip(tensors, gradients):
            tensor.grad = Tensor(np.array(g))
        optimizer.step()
        after_step = listed()
        optimizer.zero_grad()
        seen.append((after_step, listed()))
    kept = [(t.requires_grad, t.is_leaf) for t in tensors]
    return seen, [t.data.tolist() for t in tensors], kept


def two_rounds(gradients, ends):
    """What `grads_seen` gives where the gradients stay until zero_grad, and both are leaves."""
    return [(gradients, [None, None])] * 2, ends, [(True, True)] * 2


def in_place(*rounds):
    """What `stepped` gives where these numbers stand in the Tensors and in their first arrays."""
    return [[numbers, numbers] for numbers in rounds]


# %% check="optimizer" points=3
with exercise("optimizer") as check:
    # The rule here: p - lr * g - t - state. The first state adds up g, the second 2 * g.
    check.close(stepped([[1.0, 2.0], 5.0], [[[10.0, -4.0], 2.0]], 0, 0.5, 0.0),
        in_place([[-5, 3], 3]), "1 - 0.5 * 10 - 1, and so on: the Tensors' own arrays")
    check.close(stepped([5.0, [1.0, 2.0]], [[None, [10.0, 0.0]]] * 2, 0, 0.1, 0.0),
        in_place([5, [-1, 1]], [5, [-4, -1]]), "one without gradient stays; t is 1, then 2")
    check.close(stepped([[3.0], [5.0]], [[[1.0], None], [[1.0], [2.0]]], 2, 0.1, 0.0),
        in_place([[-1.1], [5]], [[-9.2], [-2.2]]), "own t and state: the 5 has 1, 2 and 4")
    check.close(stepped([3.0, 5.0], [[1.0, None], [0.0, None]], 1, 0.1, 2.0),
        in_place([-5.7, 5], [-2.16, 5]), "g is 1 + 2 * 3, then 0 - 2 * 5.7: 0 counts")
    check.close(grads_seen([3, [2]], [1.0, [4.0]]), two_rounds([1, [4]], [-5.75, [-13]]),
        "step keeps .grad, zero_grad sets None; t, state go on; leaves still require grad")
    ### BEGIN HIDDEN TESTS
    from autograder import array, number, positive

    for a, b, lr, decay in check.cases(8, array(2, 3), number(), positive(0.01, 1.0), positive(0.1, 1.0)):
        p, states, counts = [a, np.array(b)], [[0.0, 0.0], [0.0, 0.0]], [0, 0]
        rounds, expected = [], []
        for g, h in check.cases(3, array(2, 3), number()):
            given = [x if check.rng.random() < 0.6 else None for x in (g.tolist(), h)]
            rounds.append(given)
            for i, each in enumerate(given):
                if each is None:
                    continue
                counts[i] += 1
                each = np.array(each) + decay * p[i]
                states[i] = [states[i][0] + each, states[i][1] + 2 * each]
                p[i] = p[i] - lr * each - counts[i] - sum(states[i])
            expected.append([x.tolist() for x in p])
        got = stepped([a.tolist(), b], rounds, 2, lr, decay)
        check.close(got, in_place(*expected), "three steps of two Tensors", rtol=1e-10)
        after = grads_seen([a.tolist(), b], [g.tolist(), h])
        ends = [(-a / 4 - 2.5 * g - 2.5).tolist(), -b / 4 - 2.5 * h - 2.5]
        check.close(after, two_rounds([g.tolist(), h], ends), "gradients stay, then are None", rtol=1e-10)
    for a, b in check.cases(2, number(), number()):  # a gradient of zeros is a step, with its decay and its state
        g, h = b + 0.5 * a, 0.5 * (a - 0.1 * (b + 0.5 * a) - 1 - (b + 0.5 * a))
        p = a - 0.1 * g - 1 - g
        expected = in_place([p], [p - 0.1 * h - 2 - (g + h)])
        check.close(stepped([a], [[b], [0.0]], 1, 0.1, 0.5), expected, "a gradient of 0 is one, too", rtol=1e-10)
    for a, b in check.cases(2, number(), number()):  # many steps, and not one of them is forgotten
        p, total, expected = a, 0.0, []
        for t in range(1, 41):
            total = total + b
            p = p - 0.1 * b - t - total
            expected.append([p])
        check.close(stepped([a], [[b]] * 40, 1, 0.1, 0.0), in_place(*expected), "the count goes on", rtol=1e-9)

    @probe
    def taken_in_turn(starts, g, slots, each):
        """Where the Tensors end that have one Optimizer each, or more, which take two steps in turn."""

        def rule(p, g, state, lr, t):
            state = tuple(s + g for s in state)
            return p - lr * g - t - sum(state), state

        tensors = [Tensor(np.array(start), requires_grad=True) for start in starts]
        pairs = [(tensor, Optimizer([tensor], rule, slots)) for _ in range(each) for tensor in tensors]
        for _ in range(2):
            for tensor, optimizer in pairs:
                tensor.grad = Tensor(np.array(g))
                optimizer.step()
        return [tensor.data.tolist() for tensor in tensors]

    for a, b, g in check.cases(2, number(), number(), number()):
        for slots in (0, 1):
            away = 0.2 * g + 3 + 3 * g * slots
            because = "two Optimizers have nothing in common"
            check.close(taken_in_turn([a, b], g, slots, 1), [a - away, b - away], because, rtol=1e-9)
            because = "nor have two with the same Tensors"
            ends = [start - 2 * away for start in (a, b)]
            check.close(taken_in_turn([a, b], g, slots, 2), ends, because, rtol=1e-9, atol=1e-9)
    check.close(stepped([5.0, [1.0, 2.0]], [[1.0, [10.0, -4.0]]]), in_place([3.9, [-1, 1.4]]),
        "lr is 0.1, and there is no decay, where nothing else is said")

    @probe
    def states_seen(starts, slots):
        """The kinds and the numbers of the state that the rule gets in a first step, and a second one."""
        seen = []

        def rule(p, g, state, lr, t):
            arrays = [(s.shape, s.dtype.kind, s.tolist()) for s in state]
            seen[-1].append([type(state).__name__, *arrays])
            return p - lr * g, tuple(s + g for s in state)

        tensors = [Tensor(np.array(start), requires_grad=True) for start in starts]
        optimizer = Optimizer(tensors, rule, slots)
        for _ in range(2):
            seen.append([])
            for tensor in tensors:
                tensor.grad = Tensor(np.ones(tensor.shape))
            optimizer.step()
        return [sorted(step) for step in seen]  # in any order of the Tensors

    starts = [[1.0, 2.0], [3.0, 4.0], [[5.0]]]
    for slots in (1, 3):
        expected = [
            sorted(
                ["tuple", *[(np.shape(start), "f", np.full(np.shape(start), before).tolist())] * slots]
                for start in starts
            )
            for before in (0.0, 1.0)
        ]
        because = "for each Tensor a tuple of arrays of its shape, zeros at first"
        check.equal(states_seen(starts, slots), expected, because)
    ### END HIDDEN TESTS

# %% [markdown]
# A network, 1-16-1 with tanh, learns a sine. Only the rule differs.

# %% given="training"
def pair(p, *state):
    """A step's results as a rule gives them: the new p, and one tuple."""
    return p, state


RULES = {
    # name: (rule, number of arrays in the state, learning rate)
    "SGD": (lambda p, g, s, lr, t: pair(sgd_step(p, g, lr)), 0, 0.1),
    "momentum": (lambda p, g, s, lr, t: pair(*momentum_step(p, g, *s, lr, 0.9)), 1, 0.05),
    "Nesterov": (lambda p, g, s, lr, t: pair(*nesterov_step(p, g, *s, lr, 0.9)), 1, 0.05),
    "RMSprop": (lambda p, g, s, lr, t: pair(*rmsprop_step(p, g, *s, lr, 0.99, 1e-8)), 1, 0.01),
    "Adam": (lambda p, g, s, lr, t: pair(*adam_step(p, g, *s, t, lr)), 2, 0.03),
}
X = np.linspace(-1, 1, 40)[:, None]
Y = np.sin(4 * X)


def new_network():
    rng = np.random.default_rng(0)
    scales = {(1, 16): 2.0, (16,): 0.5, (16, 1): 0.25, (1,): 0.0}
    arrays = [scale * rng.normal(size=shape) for shape, scale in scales.items()]
    return [Tensor(array, requires_grad=True) for array in arrays]


def train(name, rate=None, change=None):
    """The losses of a new network under the rule of this name, in 300 steps.

    Where they are given, rate(step) is the learning rate, and change(parameters, step) may
    change the gradients before a step.
    """
    W1, b1, W2, b2 = parameters = new_network()
    own_rule, slots, lr = RULES[name]

    def rule(p, g, state, lr, t):
        return own_rule(p, g, state, lr if rate is None else rate(t - 1), t)

    optimizer, losses = Optimizer(parameters, rule, slots, lr), []
    for step in range(300):
        error = (Tensor(X) @ W1 + b1).tanh() @ W2 + b2 - Y
        loss = (error * error).mean()
        optimizer.zero_grad()
        loss.backward()
        if change is not None:
            change(parameters, step)
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% [markdown]
# The other four end below a third of SGD's loss, Adam below a twentieth.


# %% figure="losses"
def losses_figure():
    curves = {name: train(name) for name in RULES}
    last = {name: curve[-1] for name, curve in curves.items()}
    assert max(loss for name, loss in last.items() if name != "SGD") < last["SGD"] / 3
    assert last["Adam"] < last["SGD"] / 20
    plots.learning_curves(curves, log=True, title="A network learns a sine")


losses_figure()

# %% [markdown]
# Each at one rate. At others, the mean of the last 30 losses (a curve that ends has diverged):


# %% figure="rates_matter"
def rates_matter():
    curves = {}
    for name in RULES:
        rates = [0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 1.0]
        with np.errstate(all="ignore"):
            ends = np.array([np.mean(train(name, rate=lambda step, lr=lr: lr)[-30:]) for lr in rates])
        good = np.isfinite(ends) & (ends < 2)
        curves[name] = (np.array(rates)[good], ends[good])
    plots.lines(
        curves, xlabel="learning rate", ylabel="loss, steps 271 to 300", log="xy", markers=True,
        title="The same five, at seven rates",
    )


rates_matter()

# %% [markdown]
# SGD and momentum have an edge. Adam is good over two powers of ten.
#
# ## 6. Weight decay
#
# *Weight decay* pulls weights towards 0: only those stay large that the loss needs. Your `Optimizer` adds it to the
# gradient. But Adam then divides the pull, too, by the gradient's usual size. AdamW keeps the two apart.
#
# ### Exercise `adamw_step` (2 points)
# `u` is Adam's direction, the corrected `m` over the root. From the **old** `p`, subtract `lr` times `u`, and `lr` times
# `weight_decay` times `p`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The rate multiplies both things that are subtracted.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return p - lr * ... - lr * ...
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Off by little: you decayed the parameter after its step.
# </details>


# %% exercise="adamw_step"
def adamw_step(p, u, lr, weight_decay):
    """The parameter after a step along Adam's direction u, with decoupled weight decay."""
    ### BEGIN SOLUTION
    return p - lr * u - lr * weight_decay * p
    ### END SOLUTION


# %% check="adamw_step" points=2
with exercise("adamw_step") as check:
    p, u = arrays([4, -2], [1, 3])
    check.close(yours.adamw_step(p, u, 0.1, 0.5), np.array([3.7, -2.2]),
                "4 - 0.1 * 1 - 0.1 * 0.5 * 4, and -2 - 0.1 * 3 + 0.1 * 0.5 * 2")
    check.untouched("p and u stay as they were: make a new array")
    check.close(yours.adamw_step(p, 0 * u, 0.2, 0.25), np.array([3.8, -1.9]),
                "without a direction each loses 0.2 * 0.25 of itself: large ones lose more")
    check.close(yours.adamw_step(p, u, 1.0, 0.25), np.array([2, -4.5]), "4 - 1 - 0.25 * 4")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, positive

    p, u = arrays([4, -2, 8], [1, 3, 0])
    check.close(yours.adamw_step(p, u, 0.1, 0.5), np.array([3.7, -2.2, 7.6]), "three in a row decay as two do")
    for p, g, lr, decay in check.cases(8, array(2, 3), array(2, 3), positive(0.01, 0.5), positive(0.1, 2.0)):
        parameter = Tensor(p.copy(), requires_grad=True)
        optimizer = optim.AdamW([parameter], lr=lr, weight_decay=decay, eps=0.5)
        parameter.grad = Tensor(g)
        optimizer.step()
        got = yours.adamw_step(p, g / (abs(g) + 0.5), lr, decay)
        check.close(got, parameter.data, "p - lr * u - lr * weight_decay * p", rtol=1e-10)
        check.untouched()
        got = yours.adamw_step(p, g, 1.5, 1.0 + decay)
        expected = p - 1.5 * g - 1.5 * (1.0 + decay) * p
        check.close(got, expected, "a strong pull goes beyond 0", rtol=1e-10)
        check.close(yours.adamw_step(p, g, lr, 0.0), p - lr * g, "no decay", rtol=1e-10)
        for size in (1e-8, 1e-3, 1e6):
            got = yours.adamw_step(size * p, 0 * g, lr, decay)
            check.close(got / size, p - lr * decay * p, "weights of any size lose the same share", rtol=1e-10)
        check.close(yours.adamw_step(0 * p, g, lr, decay), -lr * g, "a weight of 0 is not pulled", rtol=1e-10)
    ### END HIDDEN TESTS

# %% given="adamw"
def whole_adamw(p, g, m, v, t, lr, weight_decay):
    """One step of AdamW, made of your functions: the new p, m and v."""
    _, m, v = adam_step(p, g, m, v, t, lr)
    u = bias_correction(m, 0.9, t) / (np.sqrt(bias_correction(v, 0.999, t)) + 1e-8)
    return adamw_step(p, u, lr, weight_decay), m, v


# %% [markdown]
# **Predict, then run.** Two weights of 1, lr = 0.01, decay 0.1. Their gradients alternate, ±0.01 and ±10. The loss needs
# neither, so both should fade alike. How large are they after 1,000 steps, with the decay in Adam's gradient, and with
# AdamW?

# %%
prediction = {"in the gradient": (None, None), "AdamW": (None, None)}

size, ends = np.array([0.01, 10.0]), {}
for way in prediction:
    p, m, v = np.ones(2), np.zeros(2), np.zeros(2)
    for step in range(1, 1001):
        g = size * (-1) ** step
        if way == "AdamW":
            p, m, v = whole_adamw(p, g, m, v, step, 0.01, 0.1)
        else:
            p, m, v = adam_step(p, g + 0.1 * p, m, v, step, 0.01)
    ends[way] = p.round(2) + 0.0  # no -0.0
if predicted(prediction, "two_decays"):
    for way, end in ends.items():
        print(f"{way}: {end}   your prediction: {prediction[way]}")
assert abs(ends["in the gradient"][0]) < 0.1 and ends["in the gradient"][1] > 0.85
assert np.ptp(ends["AdamW"]) < 0.02 and round(0.999**1000, 2) == 0.37

# %% [markdown]
# In the gradient, decay wiped out one weight and hardly touched the other. AdamW treats them alike: 0.999 to the power
# of 1,000.
#
# ## 7. A rate that rises and falls
#
# Early on the means rest on few gradients: *warm up*, with a rate that rises in a straight line. Towards the end, large
# steps circle the minimum: let the rate fall, along half a cosine:
#
# $$\mathrm{floor} + (\mathrm{peak} - \mathrm{floor}) \cdot \tfrac{1}{2}(1 + \cos(\pi \cdot \mathrm{progress}))$$
#
# `progress` runs from 0 at the end of the warm-up to 1 at step `total`.
#
# ### Exercise `cosine_rate` (2 points)
# Steps count from 0. In the first `warmup` steps the rate is (step + 1) / warmup of the peak. Then comes the cosine,
# and from `total` on the floor. `total` is larger than `warmup`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# An `if` for the warm-up, then the formula.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if step < warmup: return ...
# progress = min(..., 1.0)      # steps since the warm-up, over all the steps that follow it
# return floor + ...            # math.cos, math.pi
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A first rate of 0: the + 1 is missing. A jump after the warm-up: `progress` began at step 0.
# </details>


# %% exercise="cosine_rate"
def cosine_rate(step, total, warmup, peak, floor=0.0):
    """The learning rate at step 0, 1, 2, ...: a line up to `peak`, then half a cosine."""
    ### BEGIN SOLUTION
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = min((step - warmup) / (total - warmup), 1.0)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
    ### END SOLUTION


# %% check="cosine_rate" points=2
with exercise("cosine_rate") as check:
    rises = [yours.cosine_rate(step, 60, 3, 0.9, 0.1) for step in (0, 1, 2, 3, 22)]
    check.close(rises, [0.3, 0.6, 0.9, 0.9, 0.7],
                "three steps up from 0, then the cosine: after a third 0.1 + 0.8 * 0.75")
    check.close(yours.cosine_rate(28, 100, 4, 0.8), 0.6828427,
                "a quarter of the 96 steps that follow", atol=1e-6)
    check.close(yours.cosine_rate(13, 20, 6, 0.5, 0.1), 0.3, "half way from 6 to 20")
    check.close(yours.cosine_rate(2, 20, 6, 0.5, 0.1), 0.25, "half way up: half of 0.5")
    ends = [yours.cosine_rate(step, 100, 4, 0.8, 0.2) for step in (100, 150)]
    check.close(ends, [0.2, 0.2], "at the floor from step 100 on")
    check.close(yours.cosine_rate(0, 100, 0, 0.8), 0.8, "no warm-up: the top comes first")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import integer, positive

    for total, warmup, peak, share in check.cases(
        8, integer(8, 30), integer(0, 6), positive(0.01, 2.0), positive(0.1, 0.9)
    ):
        optimizer = optim.SGD([Tensor(1.0, requires_grad=True)], lr=peak)
        schedule = optim.CosineWithWarmup(optimizer, total, warmup, share * peak)
        for step in range(0, total + 5, 2):
            got = yours.cosine_rate(step, total, warmup, peak, share * peak)
            check.close(got, schedule.rate(step), "warm-up, cosine, floor", rtol=1e-10)
        for step, expected in ((warmup, peak), (total, share * peak), (total + 1, share * peak)):
            got = yours.cosine_rate(step, total, warmup, peak, share * peak)
            check.close(got, expected, "the peak ends the warm-up, the floor begins at total", rtol=1e-10)
        for step in (700, 1500, 40_000, 90_000):
            expected = peak * (step + 1) / 1000
            if step > 1000:
                expected = peak * (1 + share + (1 - share) * math.cos(math.pi * (step - 1000) / 99_000)) / 2
            got = yours.cosine_rate(step, 100_000, 1000, peak, share * peak)
            check.close(got, expected, "a long run", rtol=1e-9)
        got = yours.cosine_rate(total, total, total - 1, peak)
        check.close(got, 0.0, "one step of cosine, down to the floor")
    ### END HIDDEN TESTS

# %% [markdown]
# Schedules:


# %% figure="schedule"
def schedule():
    steps = np.arange(1200)
    curves = {
        "warm-up 100": [cosine_rate(step, 1000, 100, 0.01) for step in steps],
        "floor 0.002": [cosine_rate(step, 1000, 0, 0.01, 0.002) for step in steps],
    }
    plots.lines(
        {name: (steps, rates) for name, rates in curves.items()},
        xlabel="step", ylabel="learning rate", title="Cosine schedules, 1,000 steps",
    )


schedule()

# %% [markdown]
# RMSprop corrects nothing: its first step is ten times `lr` long. At the rate 0.05 its loss leaps at once, and stays
# restless. A schedule with this peak calms both.


# %% figure="scheduled"
def scheduled():
    curves = {
        "0.05 throughout": train("RMSprop", rate=lambda step: 0.05),
        "up to 0.05, then down": train(
            "RMSprop", rate=lambda step: cosine_rate(step, 300, 20, 0.05)
        ),
    }
    without, with_one = curves.values()
    assert max(without) > 10 > 2 > max(with_one)
    assert min(without[-20:]) > 10 * max(with_one[-20:])
    plots.learning_curves(curves, log=True, title="RMSprop with and without a schedule")


scheduled()

# %% [markdown]
# ## 8. Gradients that explode
#
# One unlucky batch may give a huge gradient, which undoes an hour of training. *Clipping* scales all gradients by
# one factor when their joint norm is too large. The norm of (3, 0) and (4) together is √(9 + 16) = 5.
#
# But squares overflow early. In float32:

# %%
with np.errstate(over="ignore"):
    huge = np.array([3e20, 4e20], dtype="float32")
    norm = np.sqrt((huge * huge).sum())
    print("norm:", norm, "  factor for a norm of 1:", 1 / norm)
assert norm == np.inf and math.isclose(math.hypot(*huge), 5e20, rel_tol=1e-6)

# %% [markdown]
# It should be 5e20; the factor 0 loses the step.
#
# ### Exercise `total_norm` (2 points)
# Return the norm of all arrays together (at least one, of any shape), a float. Divide by the largest absolute value
# before you square, and multiply the root by it, both of them `float`. Zeros have norm 0.
#
# <details><summary>Hint 1: a sketch</summary>
#
# After the division no number is larger than 1.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# largest = max(... for g in grads)
# if largest == 0: ...
# squares = sum(... for g in grads)         # of g / largest
# return largest * ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# inf: squared before divided, or multiplied in float32. Negative, or 0: `max` without `abs`.
# </details>


# %% exercise="total_norm"
def total_norm(grads):
    """The norm of all numbers in a list of arrays together, as a float."""
    ### BEGIN SOLUTION
    largest = max(float(np.abs(g).max()) for g in grads)
    if largest == 0:
        return 0.0
    return largest * math.sqrt(sum(float(np.square(g / largest).sum()) for g in grads))
    ### END SOLUTION


# %% probes="total_norm"
SMALL = [np.array([3.0, 0.0]), np.array(-4.0)]
NEGATIVE = [np.array([[-1.0, -2.0, -2.0, 0.0]]), np.array([-4.0, 0.0])]
HUGE = [1e200 * g for g in SMALL]
HUGE_32 = [np.array([2.4e38, -3.2e38], dtype="float32")]
TINY = [1e-200 * g for g in SMALL]
ZEROS = [np.zeros(3), np.zeros((1, 2))]


# %% check="total_norm" points=2
with exercise("total_norm") as check:
    check.close(yours.total_norm(SMALL), 5.0, "the root of 9 + 16: all arrays together")
    check.untouched("the gradients stay as they were: make new arrays")
    check.close(yours.total_norm(NEGATIVE), 5.0, "1 + 4 + 4 + 16; -4 is largest in size")
    check.close(yours.total_norm(HUGE), 5e200, "3e200 squared is too large for a float")
    because = "too large for float32, which ends at 3.4e38: make floats before you multiply"
    check.close(yours.total_norm(HUGE_32), 4e38, because, rtol=1e-5)
    check.close(yours.total_norm(TINY) * 1e200, 5.0, "5e-200 times 1e200: tiny is not 0")
    check.close(yours.total_norm(ZEROS), 0.0, "all zeros: there is no largest to divide by")
    check.close(yours.total_norm([ZEROS[0], *SMALL]), 5.0, "zeros first, and then others")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, number

    for a, b, c, size in check.cases(12, array(2, 3), array(4), number(), number(-250.0, 250.0)):
        expected = math.hypot(*a.ravel(), *b, c)
        check.close(yours.total_norm([a, b, np.array(c)]), expected, "of all numbers together", rtol=1e-10)
        check.untouched()
        below = [-abs(a), -abs(b), np.array(-abs(c))]
        check.close(yours.total_norm(below), expected, "of all numbers together", rtol=1e-10)
        scaled = [x * 10.0**size for x in (a, b, np.array(c))]
        check.close(yours.total_norm(scaled) / 10.0**size, expected, "at any size", rtol=1e-10)
        for other in (np.zeros(2), np.array([1e-200]), np.array([-1e-300, 0.0])):
            spread = [other, 1e200 * a, other]
            expected = math.hypot(*a.ravel())
            check.close(yours.total_norm(spread) / 1e200, expected, "sizes far apart", rtol=1e-10)
        check.close(yours.total_norm([other, 1e-200 * a]) * 1e200, expected, "tiny ones", rtol=1e-10)
    for a, power in check.cases(4, array(2, 3, low=0.2), number(20.0, 37.0)):
        for size in (power, -power):
            small = (a * 10.0**size).astype("float32")
            expected = math.hypot(*small.astype(float).ravel()) / 10.0**size
            check.close(yours.total_norm([small]) / 10.0**size, expected, "float32", rtol=1e-5)
    for a, b, n in check.cases(4, array(2, 3, low=0.2), array(4), integer(2, 40)):
        most = (a * 3.3e38 / abs(a).max()).astype("float32")
        expected = math.hypot(*np.tile(most.astype(float).ravel() / 1e38, n), *b)
        got = yours.total_norm([most] * n + [1e38 * b])
        check.close(got / 1e38, expected, "near the limit of float32", rtol=1e-5)
    none = np.zeros((2, 3), dtype="float32")
    for zeros in ([none], [none, none], [none, np.zeros(2)], [np.zeros(()), none]):
        check.close(yours.total_norm(zeros), 0.0, "zeros in float32, too")
    check.close(yours.total_norm([none, np.array([3.0, -4.0])]), 5.0, "zeros in float32 beside others", rtol=1e-6)
    check.close(yours.total_norm([np.array([3e-305]), np.array([-4e-305])]) * 1e305, 5.0, "tiny is not 0")
    least = yours.total_norm([np.array([3e-310]), np.array([-4e-310])])
    check.close(least * 1e305, 5e-5, "nor is what 1 cannot be divided by: divide by the largest one", rtol=1e-6)
    for most in (arrays([1e308, -1e308]), arrays([1e308], [-1e308])):
        check.close(yours.total_norm(list(most)) / 1e308, math.sqrt(2.0), "just below the limit")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `clip_with_norm` (2 points)
# If `norm` is larger than `max_norm`, return the list of gradients, each times max_norm / norm, with nothing added to
# `norm`. Else return them as they are. The given `norm` may count more gradients than these.
#
# <details><summary>Hint 1: a sketch</summary>
#
# One factor for all, never above 1.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# factor = min(1.0, ...)        # norm may be 0: divide only where it is too large
# return [... for g in grads]
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Another direction: each number was cut off by itself.
# </details>


# %% exercise="clip_with_norm"
def clip_with_norm(grads, max_norm, norm):
    """The list of gradients, whose joint norm is `norm`, scaled to at most max_norm."""
    ### BEGIN SOLUTION
    if norm <= max_norm:
        return list(grads)
    return [g * (max_norm / norm) for g in grads]
    ### END SOLUTION


# %% check="clip_with_norm" points=2
with exercise("clip_with_norm") as check:
    grads = list(arrays([24, -18], [[-40]]))
    check.close(yours.clip_with_norm(grads, 5.0, 50.0), list(arrays([2.4, -1.8], [[-4]])),
                "norm 50, and 5 is allowed: a tenth of each number")
    more = list(arrays([1.2, -0.9], [[-2]]))
    check.close(yours.clip_with_norm(grads, 5.0, 100.0), more, "norm 100: 5 %")
    check.untouched("the gradients stay as they were: make new arrays")
    check.close(yours.clip_with_norm(grads, 80, 50.0), grads, "80 is allowed: no change")
    zeros = [np.zeros(2), np.zeros((1, 1))]
    check.close(yours.clip_with_norm(zeros, 5.0, 0.0), zeros, "a norm of 0 is small enough")
    got = yours.clip_with_norm([np.array([8e-20])], 2e-20, 8e-20)
    check.close(got, [np.array([2e-20])], "a quarter, however small", atol=1e-26)
    ### BEGIN HIDDEN TESTS
    from autograder import array, positive

    got = yours.clip_with_norm([np.array([24.0, -18.0])], 15.0, 30.0)
    check.close(got, [np.array([12.0, -9.0])], "a single array: half of each number")
    for a, b, share in check.cases(12, array(2, 3), array(4), positive(0.2, 2.0)):
        norm = math.hypot(*a.ravel(), *b)
        for limit in (share, 0.5, 1.5):
            factor = min(1.0, limit)
            got = yours.clip_with_norm([a, b], limit * norm, norm)
            check.close(got, [factor * a, factor * b], "scaled to at most max_norm", rtol=1e-10)
            check.untouched()
        got = yours.clip_with_norm([a, b], share * norm, 3.0 * norm)
        factor = min(1.0, share / 3.0)
        check.close(got, [factor * a, factor * b], "by the norm that is given", rtol=1e-10)
        got = yours.clip_with_norm([1e-6 * a, b], 1e-6, 2e-6)
        check.close(got, [5e-7 * a, b / 2], "the factor is max_norm / norm, however small", rtol=1e-10, atol=0.0)
        got = yours.clip_with_norm([a, b], 4.0 * norm, 3.0 * norm)
        check.close(got, [a, b], "small enough: as they are", rtol=1e-10)
        got = yours.clip_with_norm([1e-7 * a / norm, 1e-7 * b / norm], 1.0, 1e-7)
        check.close(got, [1e-7 * a / norm, 1e-7 * b / norm], "however small", atol=1e-15)
        got = yours.clip_with_norm([a, b], 0.0, norm)
        check.close(got, [0 * a, 0 * b], "where nothing is allowed, nothing is left")
        for zero in (0 * a, np.zeros((1, 1))):
            for limit, factor in ((0.5, 0.5), (1.5, 1.0)):
                got = yours.clip_with_norm([zero, b, zero, a], limit * norm, norm)
                expected = [zero, factor * b, zero, factor * a]
                check.close(got, expected, "an array for each, one of zeros, too", rtol=1e-10)
    ### END HIDDEN TESTS

# %%
clipped = clip_with_norm([huge], 1.0, total_norm([huge]))
print("clipped:", clipped[0].round(3))

# %% [markdown]
# Clip between `backward` and `step`. Without, a single batch undoes all that momentum had learnt: its velocity carries on.


# %% given="unlucky"
def unlucky(parameters, step):
    """In step 150 a batch makes all gradients 10,000 times as large."""
    if step == 150:
        for p in parameters:
            p.grad = p.grad * 1e4


def unlucky_and_clipped(parameters, step):
    """The same, then clipped to a norm of 1."""
    unlucky(parameters, step)
    grads = [p.grad.data for p in parameters]
    for p, g in zip(parameters, clip_with_norm(grads, 1.0, total_norm(grads))):
        p.grad = Tensor(g)


# %% figure="clipped"
def clipped_figure():
    curves = {
        "as it comes": train("momentum", change=unlucky),
        "clipped to a norm of 1": train("momentum", change=unlucky_and_clipped),
    }
    without, with_one = curves.values()
    assert max(without[150:]) > 100 * without[0] and without[-1] > 10 * without[150]
    assert max(with_one[150:]) == with_one[150] and with_one[-1] < 0.3 * with_one[150]
    plots.learning_curves(curves, log=True, title="One batch of huge gradients")


clipped_figure()

# %% [markdown]
# ## 9. Bug hunt
#
# A colleague's Adam, tested with one parameter and gradients of 1. It has **three bugs**.


# %% given="colleague"
class ColleagueAdam:
    def __init__(self, parameters, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        self.parameters = list(parameters)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.t = 0
        self.state = []
        for p in self.parameters:
            zeros = np.zeros_like(p.data)
            self.state.append((zeros, zeros))

    def step(self):
        b1, b2 = self.betas
        for p, (m, v) in zip(self.parameters, self.state):
            self.t += 1
            g = p.grad.data
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g * g - v)
            m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)
            with no_grad():
                p -= self.lr * m_hat / np.sqrt(v_hat + self.eps)


# %% [markdown]
# True of Adam: under a gradient that stays the same (far above `eps`), every step has length `lr`, whatever its size and
# the other parameters.
#
# One fault shows below, and hides another: copy the class into the answer cell, mend what shows, and test that in the
# cell behind the check. **Your tests:** which gradients show the other two?


# %% given="lengths_of"
def lengths_of(adam, *gradients, steps=3):
    """The lengths of the first steps over lr: a row for each parameter."""
    parameters = [Tensor(np.zeros(1), requires_grad=True) for _ in gradients]
    optimizer, path = adam(parameters), []
    for _ in range(steps + 1):
        path.append([p.data[0] for p in parameters])
        for p, g in zip(parameters, gradients):
            p.grad = Tensor(np.array([g]))
        with np.errstate(invalid="ignore"):
            optimizer.step()
    return (abs(np.diff(path, axis=0)) / optimizer.lr).T.round(3)


# %%
TESTS = [(1.0,)]  # add your own: one number for each parameter

for gradients in TESTS:
    print(gradients, lengths_of(ColleagueAdam, *gradients).tolist())

# %% [markdown]
# ### Exercise `mended_adam` (3 points)
# Write the class without its bugs, under the new name. In each step all parameters have a gradient. When it is right,
# `lengths_of` shows ones wherever gradients are far above `eps`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What do `m` and `v` share? When does `t` grow? What divides a tiny gradient?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# self.state.append((..., ...))              # in __init__: two arrays
#
# ...                                        # in step: t counts calls, not parameters
# p -= self.lr * m_hat / (...)               # as in section 4
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Wrong for two parameters: `t`. Only for tiny gradients: `eps`. NaN: `m` and `v` are one array, or `t` is still 0.
# </details>


# %% exercise="mended_adam"
class MendedAdam:
    """Adam for a list of Tensors."""

    def __init__(self, parameters, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        ### BEGIN SOLUTION
        self.parameters, self.t = list(parameters), 0
        self.lr, self.betas, self.eps = lr, betas, eps
        zeros = [np.zeros_like(p.data) for p in self.parameters]
        self.state = [(zero, zero.copy()) for zero in zeros]
        ### END SOLUTION

    def step(self):
        """Update every parameter in place."""
        ### BEGIN SOLUTION
        b1, b2 = self.betas
        self.t += 1
        for p, (m, v) in zip(self.parameters, self.state):
            g = p.grad.data
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g * g - v)
            m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)
            with no_grad():
                p -= self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
        ### END SOLUTION


# %% probes="mended_adam"
USUAL = 0.1, (0.9, 0.999), 1e-8  # lr, betas, eps


@probe
def adam_path(starts, gradients, *settings):
    """The parameters' own arrays after each round of gradients, from MendedAdam; then the gradients' arrays.
    The settings are lr, betas and eps."""
    tensors = [Tensor(np.array(start, dtype=float), requires_grad=True) for start in starts]
    optimizer = MendedAdam(tensors, **dict(zip(("lr", "betas", "eps"), settings)))
    seen, own = [], [tensor.data for tensor in tensors]
    for each in gradients:
        for tensor, g in zip(tensors, each):
            tensor.grad = Tensor(np.array(g, dtype=float))
        kept = [tensor.grad.data for tensor in tensors]
        with np.errstate(all="ignore"):
            optimizer.step()
        seen.append([array.tolist() for array in (*own, *kept)])
    return seen


def with_gradients(path, gradients):
    """What adam_path gives where the gradients stay as they were."""
    return [[*step, *each] for step, each in zip(path, gradients)]


# %% check="mended_adam" points=3
with exercise("mended_adam") as check:
    check.close(adam_path([[0.0]], [[[5.0]]] * 2, *USUAL), [[[-0.1], [5]], [[-0.2], [5]]],
                "a gradient that stays: steps of length lr", rtol=1e-6)
    check.close(adam_path([0.0], [[-5.0]] * 2, *USUAL), [[0.1, -5], [0.2, -5]],
                "the same for a negative gradient: its square is positive", rtol=1e-6)
    two, g = [[0.9, [1.9, 3.1]], [0.8, [1.8, 3.2]]], [[4.0, [5.0, -6.0]]] * 2
    check.close(adam_path([1.0, [2.0, 3.0]], g, *USUAL), with_gradients(two, g),
                "two parameters take two full steps", rtol=1e-6)
    last = adam_path([0.0], [[4.0], [0.0]], 0.5, (0.5, 0.75), 1.0)[1]
    check.close(last[0], -0.584233, "other lr, betas and eps; m remembers the 4", atol=1e-6)
    check.close(adam_path([0.0], [[1e-6]], *USUAL)[0][0], -0.0990099,
                "1e-6 / (1e-6 + 1e-8) is 0.99: nearly a full step", rtol=1e-5)
    ### BEGIN HIDDEN TESTS
    from autograd_ref import optim
    from autograder import array, number, positive

    for a, b, lr, b1, b2, eps in check.cases(
        8, array(2, 3), number(), positive(0.01, 1.0), positive(0.1, 0.95), positive(0.1, 0.99),
        positive(1e-3, 1.0),
    ):
        tensors = [Tensor(a.copy(), requires_grad=True), Tensor(b, requires_grad=True)]
        optimizer = optim.Adam(tensors, lr=lr, betas=(b1, b2), eps=eps)
        rounds, expected = [], []
        for g, h in check.cases(4, array(2, 3), number()):
            tensors[0].grad, tensors[1].grad = Tensor(g), Tensor(h)
            optimizer.step()
            rounds.append([g.tolist(), h])
            expected.append([tensor.data.tolist() for tensor in tensors])
        got = adam_path([a.tolist(), b], rounds, lr, (b1, b2), eps)
        expected = with_gradients(expected, rounds)
        check.close(got, expected, "four steps of Adam with two parameters", rtol=1e-9)
    for a, b in check.cases(2, number(), number()):  # many steps with the usual betas
        tensors = [Tensor(start, requires_grad=True) for start in (a, b)]
        optimizer, rounds, expected = optim.Adam(tensors, lr=0.1, betas=(0.9, 0.999), eps=1e-8), [], []
        for grads in check.cases(150, number(), number()):
            for tensor, g in zip(tensors, grads):
                tensor.grad = Tensor(g)
            optimizer.step()
            rounds.append(list(grads))
            expected.append([tensor.item() for tensor in tensors])
        got = adam_path([a, b], rounds, *USUAL)
        check.close(got, with_gradients(expected, rounds), "150 steps: the correction still counts", rtol=1e-8)

    @probe
    def adams_in_turn(starts, gradients, count):
        """Where the Tensors end that have so many MendedAdams each, which take their steps in turn."""
        tensors = [Tensor(np.array(start), requires_grad=True) for start in starts]
        adams = [[MendedAdam([tensor], 0.1, (0.5, 0.75), 1.0) for tensor in tensors] for _ in range(count)]
        for each in gradients:
            for optimizers in adams:
                for tensor, optimizer, g in zip(tensors, optimizers, each):
                    tensor.grad = Tensor(np.array(g))
                    optimizer.step()
        return [tensor.data.tolist() for tensor in tensors]

    for a, b in check.cases(2, number(), number()):
        rounds = [list(grads) for grads in check.cases(2, number(), number())]
        for count, because in ((1, "two objects have nothing in common"), (2, "nor have two with the same Tensors")):
            tensors = [Tensor(start, requires_grad=True) for start in (a, b)]
            optimizers = [optim.Adam(tensors, lr=0.1, betas=(0.5, 0.75), eps=1.0) for _ in range(count)]
            for grads in rounds:
                for tensor, g in zip(tensors, grads):
                    tensor.grad = Tensor(g)
                for optimizer in optimizers:
                    optimizer.step()
            ends = [tensor.item() for tensor in tensors]
            check.close(adams_in_turn([a, b], rounds, count), ends, because, rtol=1e-9)
    for a, b, c in check.cases(3, array(3), array(3), array(3)):  # three parameters of one shape
        tensors = [Tensor(start.copy(), requires_grad=True) for start in (a, b, c)]
        optimizer, rounds, expected = optim.Adam(tensors, lr=0.3, betas=(0.6, 0.8), eps=0.1), [], []
        for grads in check.cases(3, array(3), array(3), array(3)):
            for tensor, g in zip(tensors, grads):
                tensor.grad = Tensor(g)
            optimizer.step()
            rounds.append([g.tolist() for g in grads])
            expected.append([tensor.data.tolist() for tensor in tensors])
        got = adam_path([a.tolist(), b.tolist(), c.tolist()], rounds, 0.3, (0.6, 0.8), 0.1)
        check.close(got, with_gradients(expected, rounds), "parameters of one shape", rtol=1e-9)
    for (start,) in check.cases(3, number()):
        parameter = Tensor(start, requires_grad=True)
        optimizer, expected = optim.Adam([parameter], lr=0.1, betas=(0.9, 0.999), eps=1e-8), []
        rounds = [[1e-8 * g] for (g,) in check.cases(3, number())]
        for (g,) in rounds:
            parameter.grad = Tensor(g)
            optimizer.step()
            expected.append([parameter.item()])
        got = [each[:1] for each in adam_path([start], rounds)]
        check.close(got, expected, "lr 0.1, betas 0.9 and 0.999, eps 1e-8, where nothing else is said", rtol=1e-9)
    ### END HIDDEN TESTS

# %%
for gradients in TESTS:
    print(gradients, lengths_of(MendedAdam, *gradients).tolist())

# %% [markdown]
# <details><summary>Three tests that show one bug each</summary>
#
# (5.0,): `m` and `v`. (1.0, 1.0): `t`. (1e-6,): `eps`, whose right length is 1e-6 / (1e-6 + 1e-8) = 0.99. A falling
# loss proves little.
# </details>
#
# ## In your own words
# A friend takes the rate 0.1 from SGD to Adam, and the last 30 losses jump between 0.0001 and 0.007. Why?
#
# <details><summary>One way to say it</summary>
#
# A step of SGD is the rate times the gradient. Adam divides by the gradient's usual size, so a weight moves by about the
# rate, flat or steep: 0.1 is far for a weight of 0.05.
# </details>
#
# ## The same in PyTorch
# Where PyTorch is installed, this cell takes three steps with your rules and its own.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
start, gradients, zero = rng.normal(size=4), rng.normal(size=(3, 4)), np.zeros(4)
try:
    import torch

    def theirs(optimizer, **settings):
        p = torch.tensor(start, requires_grad=True)
        stepper = optimizer([p], lr=0.1, **settings)
        for g in gradients:
            p.grad = torch.tensor(g)
            stepper.step()
        return p.detach().numpy()

    def ours(step, *state):
        p = start
        for t, g in enumerate(gradients, 1):
            p, *state = step(t, p, g, *state)
        return p

    T = torch.optim
    for name, mine, its in [
        ("SGD", ours(lambda t, p, g: (sgd_step(p, g, 0.1),)), theirs(T.SGD)),
        ("momentum", ours(lambda t, p, g, v: momentum_step(p, g, v, 0.1, 0.9), zero),
         theirs(T.SGD, momentum=0.9)),
        ("Nesterov", ours(lambda t, p, g, v: nesterov_step(p, g, v, 0.1, 0.9), zero),
         theirs(T.SGD, momentum=0.9, nesterov=True)),
        ("RMSprop", ours(lambda t, p, g, s: rmsprop_step(p, g, s, 0.1, 0.99, 1e-8), zero),
         theirs(T.RMSprop, alpha=0.99, eps=1e-8)),
        ("Adam", ours(lambda t, p, g, m, v: adam_step(p, g, m, v, t, 0.1), zero, zero),
         theirs(T.Adam)),
        ("AdamW",
         ours(lambda t, p, g, m, v: whole_adamw(p, g, m, v, t, 0.1, 0.5), zero, zero),
         theirs(T.AdamW, weight_decay=0.5)),
    ]:
        print(f"{name}: the same as PyTorch's:", np.allclose(mine, its, rtol=1e-9))
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# `cosine_rate` is `LinearLR`, then `CosineAnnealingLR`, by `SequentialLR`; `clip_grad_norm_` measures and clips.
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the loss grows by a fixed factor | a rate above 2 / L |
# | wrong with two parameters only | a shared state; a count that grows for each |
#
# ## One thing to try next
# Which formula, with both curvatures' roots, gives Polyak's pairs?
#
# ## Who found it
#
# - Boris Polyak, [1964](https://doi.org/10.1016/0041-5553%2864%2990137-5): momentum.
# - Diederik Kingma and Jimmy Ba, [2014](https://doi.org/10.48550/arXiv.1412.6980): Adam.
# - Ilya Loshchilov and Frank Hutter, [2017](https://doi.org/10.48550/arXiv.1711.05101): AdamW.

# %% progress="here"
