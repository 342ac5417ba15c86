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
#     unit: 02_forward_mode
#     allow: [autograd_ref.plots]
#     title: "Forward mode: numbers that carry their slope"
# ---

# %% [markdown]
# # Forward mode: numbers that carry their slope
#
# A ball is to land 30 metres away. The first throw is far too slow. Each later one corrects its speed with the
# derivative of the landing point, and the fourth hits. There is no formula for that point: a program computes it, with
# a loop and a test.

# %% figure="goal" keep=true
def goal():
    from autograd_ref import plots
    from autograder import numerical_gradient

    def flight(speed):
        x, y, vx, vy, path = 0.0, 1.5, speed * 0.5**0.5, speed * 0.5**0.5, []
        while y >= 0:
            path.append((x, y))
            before, air = (x, y, vx, vy), 0.02 * (vx * vx + vy * vy) ** 0.5
            ax, ay = -air * vx, -air * vy - 9.81
            x, y = x + 0.02 * vx + 0.0002 * ax, y + 0.02 * vy + 0.0002 * ay
            vx, vy = vx + 0.02 * ax, vy + 0.02 * ay
        x, y, vx, vy = before
        t = (-vy - (vy * vy - 2 * ay * y) ** 0.5) / ay
        return [*path, (x + t * vx + t * t / 2 * ax, 0.0)]

    def miss(speed):
        return flight(speed)[-1][0] - 30

    speed, throws = 6.0, {}
    for i in range(1, 5):
        throws[f"throw {i}: {speed:.2f} m/s"] = tuple(zip(*flight(speed)))
        speed -= miss(speed) / numerical_gradient(miss, speed, step=1e-8)[0]
    axes = plots.lines(
        throws, xlabel="distance in metres", ylabel="height in metres", title="Four throws"
    )
    axes.plot([30], [0], marker="v", markersize=12, color="black", clip_on=False)


goal()

# %% setup="imports"
import math

from autograd_ref import plots
from autograder import exercise, number, numerical_gradient, predicted, probe, yours

# %% [markdown]
# You write numbers that carry their derivative through such a program. At the end you will be able to
#
# - write and test the forward rule of an operation;
# - compute derivatives without a step;
# - differentiate a program with loops and branches, and use its slope to aim;
# - say what a gradient costs in this way.
#
# **Time:** 115 minutes (95 without sections 7, 8). **Builds on:** 01 (numerical derivatives).

# %% [markdown]
# ## 1. A number and its slope
#
# In unit 01 a derivative took a step, and no step was right. Now every number brings its slope along: how fast it rises
# when the input rises. The slope of `a` is written `da`.
#
# Let the input rise by 0.001. With a = 2 and da = 3, `a` rises by 0.003. With b = 5 and db = -1, `b` falls by 0.001.
# What happens to `a + b` and to `a * b`?

# %%
a, da, b, db = 2.0, 3.0, 5.0, -1.0
a_later, b_later = a + 0.001 * da, b + 0.001 * db
print(f"a + b = {a + b}, and after the rise {a_later + b_later:.6f}")
print(f"a * b = {a * b}, and after the rise {a_later * b_later:.6f}")

# %% [markdown]
# The sum rises by 0.002 and the product by about 0.013: slopes of 2 and 13.
#
# A function that computes an operation *and* its slope is called a **JVP** (Jacobian-vector product; section 6 shows
# why). Here `rule(a, da, b, db)` returns `(out, dout)`.
#
# ### Exercise `add_jvp` (1 point)
# The rule of `out = a + b`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `a` rises by 0.003 and `b` falls by 0.001. Nothing else moves the sum.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# out = a + b
# dout = ...                        # from da and db alone
# return out, dout
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `da + 1`: a slope was taken to be 1, but it is whatever `db` says. One number: return both.
# </details>


# %% exercise="add_jvp"
def add_jvp(a, da, b, db):
    """The value and the slope of a + b."""
    ### BEGIN SOLUTION
    return a + b, da + db
    ### END SOLUTION


# %% check="add_jvp" points=1
with exercise("add_jvp") as check:
    check.close(yours.add_jvp(2.0, 3.0, 5.0, -0.5), (7.0, 2.5),
                "a rises by 0.003 and b falls by 0.0005: the sum rises by 0.0025")
    check.close(yours.add_jvp(-4.0, 2.5, 1.5, 0.0), (-2.5, 2.5),
                "b does not move, its slope is 0: the sum rises as fast as a")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.dual import Dual as Reference

    for a, da, b, db in check.cases(15, number(), number(), number(), number()):
        out = Reference(a, da) + Reference(b, db)
        check.close(yours.add_jvp(a, da, b, db), (out.primal, out.tangent), "a + b and its slope")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for a, da, b, db in check.cases(3, number(), number(0.1), number(), number(0.1)):
        got = yours.add_jvp(a, da * 1e-305, b, db * 1e-305)
        check.close(got[1], da * 1e-305 + db * 1e-305, "tiny slopes", rtol=1e-14, atol=0.0)
        check.close(yours.add_jvp(math.inf, da, b, db), (math.inf, da + db), "an endless a has a slope, too")
    for a, b in ((0.0, 0.0), (0.0, 1.5), (1.5, 0.0), (1.5, 1.5), (1.5, -1.5)):
        for da, db in ((0.5, -2.0), (-2.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, -0.5)):
            check.close(yours.add_jvp(a, da, b, db), (a + b, da + db), "zeros and equal numbers")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `mul_jvp` (2 points)
# The rule of `out = a * b`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The product rule. Two effects add up: how far `a` moves the product, and how far `b` does.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# from_a = ...                      # a moves by da, and is multiplied by what?
# from_b = ...
# return a * b, from_a + from_b
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `da * db`: the slope of a product is not the product of the slopes. -6 in the place of 21: each slope was multiplied
# by its own number.
# </details>


# %% exercise="mul_jvp"
def mul_jvp(a, da, b, db):
    """The value and the slope of a * b."""
    ### BEGIN SOLUTION
    return a * b, da * b + a * db
    ### END SOLUTION


# %% check="mul_jvp" points=2
with exercise("mul_jvp") as check:
    check.close(yours.mul_jvp(2.0, 3.0, 8.0, -1.5), (16.0, 21.0),
                "2.003 * 7.9985 is about 16.021")
    check.close(yours.mul_jvp(2.0, 1.0, 3.0, 0.0), (6.0, 3.0),
                "only a moves, and each bit of it counts 3 times")
    check.close(yours.mul_jvp(2.0, 0.0, 3.0, 1.0), (6.0, 2.0),
                "only b moves, and each bit of it counts 2 times")
    check.close(yours.mul_jvp(0.0, 4.0, -1.5, 1.0), (0.0, -6.0), "a may be 0")
    check.close(yours.mul_jvp(-1.5, 1.0, 0.0, 4.0), (0.0, -6.0), "b may be 0")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.dual import Dual as Reference

    for a, da, b, db in check.cases(20, number(), number(), number(), number()):
        out = Reference(a, da) * Reference(b, db)
        check.close(yours.mul_jvp(a, da, b, db), (out.primal, out.tangent), "a * b and its slope")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for a, da, b, db in check.cases(3, *[number(0.1)] * 4):
        b, db = b * 1e-305, db * 1e-305
        got = yours.mul_jvp(a, da, b, db)
        check.close(got, (a * b, da * b + a * db), "a tiny b", rtol=1e-14, atol=0.0)
        a, b = a * 1e17, b * 1e305 * 1e17  # and beside large ones a step is lost
        got = yours.mul_jvp(a, da, b, db)
        check.close(got, (a * b, da * b + a * db), "a large a", rtol=1e-14, atol=0.0)
    got = yours.mul_jvp(1e-200, 3.0, 2e-200, 2.0)
    check.close(got, (0.0, 8e-200), "the product is too small for a float, and its slope is not", rtol=1e-14, atol=0.0)
    for a, b in ((0.0, 0.0), (0.0, 1.5), (1.5, 0.0), (1.5, 1.5), (1.5, -1.5)):
        for da, db in ((0.5, -2.0), (-2.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, -0.5)):
            check.close(yours.mul_jvp(a, da, b, db), (a * b, da * b + a * db), "zeros and equal numbers")
    ### END HIDDEN TESTS

# %% [markdown]
# ### A table
# What one rule returns goes into the next. Take e = (a b)(b + 1) at a = 2, b = 3. You choose the slopes
# to start with, and the choice is called the **seed**. With da = 1 and db = 0, all slopes are derivatives by `a`. A
# constant such as 1 never moves: its slope is 0.
#
# | | value | slope, seeded with `a` |
# |---|---|---|
# | a | 2 | 1 |
# | b | 3 | 0 |
# | c = a * b | 6 | 1 * 3 + 2 * 0 = 3 |
# | d = b + 1 | 4 | 0 + 0 = 0 |
# | e = c * d | 24 | 3 * 4 + 6 * 0 = 12 |
#
# **Predict, then run.** Now seed with `b`: da = 0 and db = 1. Make the last column with pen and paper, and put the
# slope of `e` in the first line.

# %%
prediction = None


def table_of_e(a, da, b, db):
    c, dc = mul_jvp(a, da, b, db)
    d, dd = add_jvp(b, db, 1.0, 0.0)
    e, de = mul_jvp(c, dc, d, dd)
    rows = {"a": (a, da), "b": (b, db), "c": (c, dc), "d": (d, dd), "e": (e, de)}
    for name, (value, slope) in rows.items():
        print(f"   {name}  {value:4g}  {slope:4g}")


print("seeded with a")
table_of_e(2.0, 1.0, 3.0, 0.0)
print("seeded with b")
if predicted(prediction, "slopes_by_b"):
    table_of_e(2.0, 0.0, 3.0, 1.0)

# %% [markdown]
# 12 by `a` and 14 by `b`. Values and slopes go forward together: this is **forward mode**. Two inputs took two passes.
# On each arrow: the slope that comes, times the rule's factor.

# %% figure="two_passes"
def two_passes():
    places = {"a": (0, 1), "b": (0, -1), "c": (1.3, 1), "d": (1.3, -1), "e": (2.6, 0)}
    came_from = {"c": "ab", "d": "b", "e": "cd"}
    numbers = []
    for seeds in ((1.0, 0.0), (0.0, 1.0)):
        made = {"a": (2.0, seeds[0]), "b": (3.0, seeds[1])}
        try:
            made["c"] = mul_jvp(*made["a"], *made["b"])
            made["d"] = add_jvp(*made["b"], 1.0, 0.0)
            made["e"] = mul_jvp(*made["c"], *made["d"])
        except TypeError:
            print("No picture yet: see the checks of `add_jvp` and `mul_jvp`.")
            return None
        numbers.append(made)
    values = {name: value for name, (value, _) in numbers[0].items()}
    factors = {"ac": values["b"], "bc": values["a"], "bd": 1.0, "ce": values["d"], "de": values["c"]}
    axes = plots.panels(2, height=3.2)
    for ax, seed in zip(axes, "ab"):
        ax.set(title=f"seeded with {seed}", xlim=(-0.45, 3.05), ylim=(-1.6, 1.6))
        ax.axis("off")

    def frame(k):
        for ax, made in zip(axes, numbers):
            for i, (name, (x, y)) in enumerate(places.items()):
                there = i < 2 or k >= i
                value, slope = made[name]
                ground = "#fdd0a2" if there and slope else "#ffffff"
                text = f"{name} = {value:g}\nslope {slope:g}" if there else f"{name} = ?"
                ax.text(x, y, text, ha="center", va="center", fontsize=9, zorder=3,
                        bbox={"boxstyle": "round,pad=0.35", "fc": ground, "ec": "#555555" if there else "#bbbbbb"})
                for source in came_from.get(name, ""):
                    (p, q), (u, v) = places[source], (x, y)
                    moved = there and made[source][1]
                    ax.annotate("", (u - 0.34, v + (q - v) * 0.3), (p + 0.34, q + (v - q) * 0.12),
                                arrowprops={"arrowstyle": "->", "color": "#d94801" if moved else "#999999",
                                            "lw": 2.0 if moved else 1.0})
                    if there:
                        factor = factors[source + name]
                        moves = f"{made[source][1]:g} · {factor:g}"
                        beside = 0.0 if q == v else 0.24 if q > v else -0.24
                        ax.text((p + u) / 2 + beside, (q + v) / 2 + 0.15, moves, ha="center", fontsize=9,
                                color="#d94801" if moved else "#666666")
        return None

    told = "Two passes through (a b)(b + 1), seeded with a and with b: c gets a value and a slope, then d, then e."
    return plots.movie(axes, frame, 5, told=told, rate=1)


two_passes()

# %% [markdown]
# ## 2. One rule for every function of one number
#
# At a = 2 the slope of the sine is cos(2). Let `a` rise with slope 5. When the input rises by 0.001, `a` rises by
# 0.005, and the sine by 0.005 · cos(2). Along a chain slopes multiply, by the **chain rule**:
#
# $$d\,f(a) = f'(a) \cdot da$$
#
# ### Exercise `chain_jvp` (2 points)
# The rule of `out = f(a)`. `f_prime` gives the derivative of `f`: the example is
# `chain_jvp(math.sin, math.cos, 2.0, 5.0)`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two functions to call, at the same place. What does `da` do?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# steepness = ...                   # of f, where a is
# return ..., steepness * ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Right for da = 1 only: the slope that comes in is missing. `f_prime(da)`: the derivative belongs to the place `a`.
# </details>


# %% exercise="chain_jvp"
def chain_jvp(f, f_prime, a, da):
    """The value and the slope of f(a), where f_prime(a) is the derivative of f at a."""
    ### BEGIN SOLUTION
    return f(a), f_prime(a) * da
    ### END SOLUTION


# %% probes="chain_jvp"
FUNCTIONS = {
    "sin": (math.sin, math.cos),
    "exp": (math.exp, math.exp),
    "log": (math.log, lambda a: 1 / a),
    "cube": (lambda a: a**3, lambda a: 3 * a**2),
}


@probe
def chained(name, a, da):
    """What chain_jvp gives for one of these functions."""
    return chain_jvp(*FUNCTIONS[name], a, da)


@probe
def chained_at(value, factors, a, da):
    """What it gives for an f with this value at a, whose derivative there is a product; elsewhere they are others."""

    def off(x):
        return 0.0 if x == a else 7.0

    return chain_jvp(lambda x: value + off(x), lambda x: factors[0] * factors[1] + off(x), a, da)


# %% check="chain_jvp" points=2
with exercise("chain_jvp") as check:
    check.close(chained("sin", 2.0, 5.0), (math.sin(2.0), 5 * math.cos(2.0)),
                "at 2 the sine falls with slope cos(2), and a rises with slope 5")
    check.close(chained("exp", math.log(2.0), 3.0), (2.0, 6.0),
                "exp(a) is 2 here, and so is its derivative; a rises with slope 3")
    check.close(chained("cube", 5.0, -2.0), (125.0, -150.0),
                "the derivative of a**3 at 5 is 75; a falls with slope -2")
    check.close(chained("cube", 0.0, 4.0), (0.0, 0.0), "a**3 is flat at 0")
    check.close(chained_at(2.0, (1.5, 2.0), 4.0, 5.0), (2.0, 15.0),
                "f_prime says 3 here, and that is what counts; a rises with slope 5")
    ### BEGIN HIDDEN TESTS
    from autograder import positive

    for a, da in check.cases(6, positive(), number()):
        for name, slope in (("sin", math.cos(a)), ("exp", math.exp(a)), ("log", 1 / a), ("cube", 3 * a**2)):
            value = a**3 if name == "cube" else getattr(math, name)(a)
            check.close(chained(name, a, da), (value, slope * da), f"{name} of a, and its slope")
    for value, p, q, a, da in check.cases(15, number(), number(), number(), number(), number()):
        check.close(chained_at(value, (p, q), a, da), (value, p * q * da), "the derivative at a, times da")
    check.close(chained_at(2.0, (1.5, 2.0), 4.0, 0.0), (2.0, 0.0), "an a that stands still")
    for size in (2.0**-20, 2.0**60):
        got = chained_at(2.0, (size, size), 4.0, 5.0)
        check.close(got, (2.0, 5 * size * size), "a slope may be tiny, or large", atol=0.0)
    for value in (2.0, 0.0):
        check.close(chained_at(value, (1.5, 2.0), 0.0, 4.0), (value, 12.0), "f may rise at 0")
        check.close(chained_at(0.0, (1.5, value), 2.0, 4.0), (0.0, 6.0 * value), "f may rise where it is 0")
    ### END HIDDEN TESTS

# %% [markdown]
# A quotient is a product with b ** -1, whose derivative is -b ** -2: two of your rules. `jvp_error` says how far a rule
# is from a numerical derivative, with each input moving as its seed says.


# %% given="div_jvp"
def div_jvp(a, da, b, db):
    """The value and the slope of a / b."""
    one_over_b = chain_jvp(lambda b: b**-1, lambda b: -(b**-2), b, db)
    return a / b, mul_jvp(a, da, *one_over_b)[1]


def jvp_error(forward, rule, inputs, seeds):
    """How far `rule` is from the numerical derivative of `forward`, to six digits."""

    def moved(t):
        return forward(*(x + t * v for x, v in zip(inputs, seeds)))

    result = rule(*(part for pair in zip(inputs, seeds) for part in pair))
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise ValueError(f"a rule returns value and slope, and this one returned {result!r}")
    return round(abs(result[1] - numerical_gradient(moved, 0.0)[0]), 6)


# %%
print("div_jvp is off by", jvp_error(lambda a, b: a / b, div_jvp, (6.0, 2.0), (1.0, 3.0)))

# For practice, without points: a rule for log(1 + a * a), made of yours. By how much is it off?

# %% [markdown]
# <details><summary>One way</summary>
#
# ```python
# def bowl_jvp(a, da):
#     inside = add_jvp(1.0, 0.0, *mul_jvp(a, da, a, da))
#     return chain_jvp(math.log, lambda x: 1 / x, *inside)
#
# print(jvp_error(lambda a: math.log(1 + a * a), bowl_jvp, (6.0,), (2.0,)))
# ```
# </details>
#
# ## 3. Numbers that do it themselves
#
# A `Dual` holds both numbers, under PyTorch's names: the value is its `primal`, the slope its `tangent`. Its operators
# and functions call your rules. A plain number is a constant: `as_dual` gives it the slope 0. `<` and `>` ask the
# value alone. (On paper it is $a + da\,\varepsilon$, where $\varepsilon^2 = 0$. Multiply two.)
#
# Read `__init__`, `__mul__`, `apply`, `of_one` and `sin`. For a Dual, `sin` passes on *itself*: the `primal` may be a Dual,
# too (section 5), and `math.sin` takes plain numbers alone.


# %% given="dual"
class Dual:
    """A number with its slope."""

    def __init__(self, primal, tangent=0.0):
        self.primal = primal
        self.tangent = tangent

    def __repr__(self):
        return f"Dual({self.primal}, {self.tangent})"

    def __add__(self, other):
        return apply(add_jvp, self, other)

    def __mul__(self, other):
        return apply(mul_jvp, self, other)

    def __truediv__(self, other):
        return apply(div_jvp, self, other)

    def __rtruediv__(self, other):
        return apply(div_jvp, other, self)

    def __pow__(self, n):
        return of_one(lambda a: a**n, lambda a: n * a ** (n - 1) if n else 0.0, self)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + other * -1.0

    def __rsub__(self, other):
        return self * -1.0 + other

    def __lt__(self, other):
        return self.primal < as_dual(other).primal

    def __le__(self, other):
        return self.primal <= as_dual(other).primal

    def __gt__(self, other):
        return self.primal > as_dual(other).primal

    def __ge__(self, other):
        return self.primal >= as_dual(other).primal

    __radd__, __rmul__ = __add__, __mul__


def as_dual(x):
    """`x` itself if it is a Dual, else a constant: a Dual with the slope 0."""
    return x if isinstance(x, Dual) else Dual(x, 0.0)


def apply(rule, *numbers):
    """The Dual that a rule makes of Duals and plain numbers."""
    duals = [as_dual(x) for x in numbers]
    return Dual(*rule(*(part for x in duals for part in (x.primal, x.tangent))))


def of_one(f, f_prime, x):
    """The Dual f(x), where f_prime is the derivative of f."""
    return Dual(*chain_jvp(f, f_prime, x.primal, x.tangent))


def exp(x):
    return of_one(exp, exp, x) if isinstance(x, Dual) else math.exp(x)


def log(x):
    return of_one(log, lambda a: 1 / a, x) if isinstance(x, Dual) else math.log(x)


def sin(x):
    return of_one(sin, cos, x) if isinstance(x, Dual) else math.sin(x)


def cos(x):
    return of_one(cos, lambda a: -sin(a), x) if isinstance(x, Dual) else math.cos(x)


# %%
a, b = Dual(2.0, 0.0), Dual(3.0, 1.0)
e = (a * b) * (b + 1)
print("e seeded with b:", e)
print("6 / b seeded with b:", 6 / b)
assert (e.primal, e.tangent) == (24.0, 14.0), "e is 24, with the slope 14: check add_jvp, mul_jvp"

# %% [markdown]
# ### Exercise `derivative` (2 points)
# The derivative of any function of one number: give `f` a new Dual with the right seed, run it once, and return the
# slope that comes out. `f` may return a plain number when it does not depend on `x`. `x` may be a Dual itself: it goes
# into the new one as it is.
#
# <details><summary>Hint 1: a sketch</summary>
#
# How fast does the input rise when the input rises? That is its seed.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# seeded = ...                      # the value x, with its seed
# out = ...                         # the run; a plain number becomes a Dual by as_dual
# return ...                        # which of the two numbers of out?
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# 0 everywhere: `Dual(x)` has the slope 0. AttributeError: 'float' object has no attribute 'tangent': `f` was constant.
# </details>


# %% exercise="derivative"
def derivative(f, x):
    """The derivative of f at the number x, by one run of f."""
    ### BEGIN SOLUTION
    return as_dual(f(Dual(x, 1.0))).tangent
    ### END SOLUTION


# %% probes="derivative"
@probe
def derivative_of(value, factors, x):
    """Takes the derivative of an f whose slope is the product of two factors; tells what f was given."""
    given = []

    def f(x):
        if not isinstance(x, Dual):
            kind = "a plain number" if isinstance(x, (int, float)) else f"a {type(x).__name__}"
            given.append((kind, x, 0.0))
            return value
        given.append(("a Dual", x.primal, x.tangent))
        return Dual(value, factors[0] * factors[1] * x.tangent)

    return {"result": derivative(f, x), "f was given": given, "runs of f": f"{len(given)}"}


@probe
def derivatives_of_squares(factors, xs):
    """The derivative of each factor times x**2 at each x, with the same functions for all xs."""
    functions = [
        lambda x, c=c: Dual(c * x.primal**2, 2 * c * x.primal * x.tangent) if isinstance(x, Dual) else c * x**2
        for c in factors
    ]
    return [[derivative(f, x) for f in functions] for x in xs]


@probe
def derivative_of_constant(value, x):
    """Takes the derivative of a function that returns a plain number."""
    return derivative(lambda x: value, x)


@probe
def derivative_at_dual(factor, primal, tangent):
    """Takes the derivative of factor * x**2 at a Dual: the slope, and how fast it rises."""

    def parts(x):
        return as_dual(x).primal, as_dual(x).tangent

    def f(y):
        inner, seed = parts(y)
        (x, dx), (v, dv) = parts(inner), parts(seed)
        return Dual(Dual(factor * x * x, 2 * factor * x * dx), Dual(2 * factor * x * v, 2 * factor * (dx * v + x * dv)))

    return parts(derivative(f, Dual(primal, tangent)))


# %% check="derivative" points=2
with exercise("derivative") as check:
    square = derivative_of(9.0, (2.0, 3.0), 3.0)
    check.close(square["runs of f"], "1", "one run of f, on a Dual, gives the slope")
    check.close(square["f was given"], [("a Dual", 3.0, 1.0)],
                "x**2 at 3: the input rises exactly as fast as itself")
    check.close(square["result"], 6.0, "the slope that comes out of that run")
    other = derivative_of(0.5, (-0.5, 0.5), 2.0)
    check.close(other["result"], -0.25, "1 / x at 2: the slope is -1/4")
    check.close(derivative_of_constant(7.0, 3.0), 0.0, "always 7: the function is flat")
    check.close(derivative_at_dual(1.0, 3.0, 5.0), (6.0, 10.0),
                "x**2 where x is Dual(3, 5): the slope 2 x is 6, and rises by 2 * 5")
    ### BEGIN HIDDEN TESTS
    for value, a, b, x in check.cases(12, number(), number(), number(), number()):
        expected = {"result": a * b, "f was given": [("a Dual", x, 1.0)], "runs of f": "1"}
        check.close(derivative_of(value, (a, b), x), expected, "the slope that comes out of one run")
        check.close(derivative_of_constant(value, x), 0.0, "a constant function is flat")
        slopes = [[2 * c * place for c in (a, b)] for place in (x, value, 0.0)]
        check.close(derivatives_of_squares((a, b), (x, value, 0.0)), slopes, "two functions, each at three places")
        check.close(derivative_at_dual(a, x, b), (2 * a * x, 2 * a * b), "at a Dual the slope is a Dual, too")
    @probe
    def inputs_of(xs):
        """Takes the derivative at each x; then tells what the Duals hold that f was given, and the slopes."""
        given = []
        slopes = [derivative(lambda y: given.append(y) or Dual(2.0, 2.5), x) for x in xs]
        return [(as_dual(x).primal, as_dual(x).tangent) for x in given], slopes

    seen = [(3.0, 1.0), (-2.0, 1.0), (0.0, 1.0)], [2.5, 2.5, 2.5]
    check.close(inputs_of([3.0, -2.0, 0.0]), seen, "each run gets a new Dual")
    for value in (7, 0, True):
        check.close(derivative_of_constant(value, 3.0), 0.0, "a plain number may be a whole one")
    check.close(derivative_of(0.0, (2.0, 3.0), 3.0)["result"], 6.0, "f may rise where it is 0")
    for size in (2.0**-20, 2.0**60):
        got = derivative_of(7.0, (size, size), 3.0)["result"]
        check.close(got, size * size, "a slope may be tiny, or large", atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# Your `derivative` along a curve: the tangent is orange where the curve rises, blue where it falls. Below, its slope
# crosses 0 where the curve is level.

# %% figure="tangent"
def tangent():
    def hills(x):
        return sin(x) + 0.1 * x * x

    def slope(x):
        return derivative(hills, x)

    try:
        return plots.moving_tangent(hills, slope, -4.5, 4.5, name="sin(x) + x²/10")
    except (AttributeError, TypeError):
        print("No picture yet: see the checks of `derivative` and `chain_jvp`.")


tangent()

# %% [markdown]
# Unit 01's problem once more, with f(x) = x³ / (1 + x) at 1.6, and by hand with the quotient rule.


# %%
def f(x):
    return x * x * x / (1 + x)


x = 1.6
by_hand = (2 * x**3 + 3 * x**2) / (1 + x) ** 2
steps = [10.0**-i for i in range(1, 15)]
quotients = {
    "forward difference": [(f(x + h) - f(x)) / h for h in steps],
    "central difference": [(f(x + h) - f(x - h)) / (2 * h) for h in steps],
}
errors = {name: [abs(q - by_hand) for q in row] for name, row in quotients.items()}
print(f"{by_hand:.16f} by hand")
print(f"{derivative(f, x):.16f} with a dual number")
for name, row in errors.items():
    best = row.index(min(row))
    print(f"{quotients[name][best]:.16f} {name}, best step {steps[best]:.0e}")


def relative_error(x):
    right = (2 * x**3 + 3 * x**2) / (1 + x) ** 2
    return abs(derivative(f, x) - right) / right


found = [relative_error(i / 100) for i in range(10, 1010)]
print(f"dual numbers at 1,000 places: error 0 at {found.count(0.0)}, at most {max(found):.0e}")
assert max(found) < 1e-15

# %% [markdown]
# Each numerical curve is worse on both sides of its best step. A dual number has none. At 1.6 its
# error is 0; elsewhere the rounding of floats remains.


# %% figure="exactness"
def exactness():
    axes = plots.lines(
        {name: (steps, row) for name, row in errors.items()},
        xlabel="step h",
        ylabel="error",
        title="One derivative, three ways",
        log="xy",
        markers=True,
    )
    low, high = axes.get_ylim()
    strip = low * (low / high) ** 0.1  # below it, for an error of 0
    error = abs(derivative(f, 1.6) - by_hand)
    height = error or (strip * low) ** 0.5
    ticks = [tick for tick in axes.get_yticks() if low <= tick <= high]
    axes.set_ylim(strip, high)
    axes.set_yticks([(strip * low) ** 0.5, *ticks], ["0", *(f"{tick:g}" for tick in ticks)])
    axes.axhspan(strip, low, color="#eeeeee")
    axes.plot(steps, [height] * len(steps), "v", label="_", color="#009E73", fillstyle="none")
    axes.plot([], [], "v", label="dual number", color="#009E73", fillstyle="none")
    axes.legend(loc=(0.35, 0.75), fontsize=9, framealpha=1.0)


exactness()

# %% [markdown]
# ## 4. The derivative of a program
#
# `derivative` runs `f`, so `f` may be any program of the operations that `Dual` knows. In an `if`, the value decides
# which way the program goes, and the slope is that of the way taken.
#
# ### Exercise `clamp` (2 points)
# `clamp` keeps a number within limits: `x` itself between `low` and `high`, and the nearer limit elsewhere. At a limit
# no derivative exists, and either slope will do. `x` may be a Dual, which stays as it is; a plain `x` gives a plain result.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Three cases, three `return`s. Which slope does a plain number have?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if ...: return ...                # below
# if ...: return ...                # above
# return ...                        # between
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Not 0 where `x` is cut: you built a Dual of the limit and the slope of `x`. 0 in the middle: `x.primal` left the slope
# behind.
# </details>


# %% exercise="clamp"
def clamp(x, low, high):
    """x where it is between low and high, else the limit that is nearer."""
    ### BEGIN SOLUTION
    if x < low:
        return low
    if x > high:
        return high
    return x
    ### END SOLUTION


# %% probes="clamp"
@probe
def clamped(primal, tangent, low, high):
    """The value and the slope of clamp for a Dual."""
    out = as_dual(clamp(Dual(primal, tangent), low, high))
    return out.primal, out.tangent


@probe
def x_after(primal, tangent, low, high):
    """What a Dual holds after a call of clamp with it."""
    x = Dual(primal, tangent)
    clamp(x, low, high)
    return as_dual(x.primal).primal, as_dual(x.tangent).primal


@probe
def clamped_plain(number, low, high):
    """The result of clamp for a plain number, and what kind of number it is."""
    out = clamp(number, low, high)
    kind = "a plain number" if isinstance(out, (int, float)) else f"a {type(out).__name__}"
    return None if out is None else (kind, as_dual(out).primal)


# %% check="clamp" points=2
with exercise("clamp") as check:
    check.close(clamped(0.5, 3.0, -1.0, 2.0), (0.5, 3.0), "between the limits: x itself")
    check.close(clamped(4.0, 3.0, -1.0, 2.0), (2.0, 0.0), "above: the result stays at 2")
    check.close(clamped(-1.5, 3.0, -1.0, 2.0), (-1.0, 0.0), "below: the result stays at -1")
    check.close(x_after(4.0, 3.0, -1.0, 2.0), (4.0, 3.0), "x itself stays what it was")
    check.close(clamped(-0.5, -3.0, -1.0, 2.0), (-0.5, -3.0), "-0.5 is within the limits")
    check.close(clamped_plain(4.0, -1.0, 2.0), ("a plain number", 2.0),
                "a plain x gives a plain result: it has no slope to carry")
    check.close(clamped_plain(0.5, -1.0, 2.0), ("a plain number", 0.5), "between them, too")
    ### BEGIN HIDDEN TESTS
    for x, slope, low, width in check.cases(20, number(-5.0, 5.0), number(), number(), number(0.5, 3.0)):
        high = low + width
        inside = low < x < high
        expected = (min(max(x, low), high), slope if inside else 0.0)
        check.close(clamped(x, slope, low, high), expected, "x and its slope between the limits, else a constant")
        check.close(clamped_plain(x, low, high), ("a plain number", expected[0]), "the same for a plain number")
        check.close(x_after(x, slope, low, high), (x, slope), "x itself stays as it is")
    for low, high in ((0.5, 1.5), (-1.5, -0.5), (-2.5, 0.5), (-1e6, 1e7), (0.0, 1.5), (-1.5, 0.0)):
        beside = {limit + step for limit in (low, high) for step in (-1e-4, 1e-4)}
        for x in sorted({-1e300, -2e7, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 2e7, 1e300} - {low, high} | beside):
            limit = low if x < low else high
            expected = (x, -0.75) if low < x < high else (limit, 0.0)
            check.close(clamped(x, -0.75, low, high), expected, "limits of any sign and size")
            check.close(clamped_plain(x, low, high), ("a plain number", expected[0]), "the same for a plain number")
            check.close(x_after(x, -0.75, low, high), (x, -0.75), "x itself stays as it is")
        for limit in (low, high):
            why = "at a limit the value is that limit"
            check.close(clamped(limit, -0.75, low, high)[0], limit, why)
            check.close(clamped_plain(limit, low, high), ("a plain number", limit), why)
    for x, expected in ((-4, -1.0), (1, 1), (5, 2.0)):
        check.close(clamped_plain(x, -1.0, 2.0), ("a plain number", expected), "a plain number may be a whole one")
    ### END HIDDEN TESTS

# %% [markdown]
# Where the wave is cut, its slope is 0.


# %% figure="clamped"
def clamped_wave():
    waves = {
        "2 sin(x)": lambda x: 2 * sin(x),
        "clamped": lambda x: clamp(2 * sin(x), -1.0, 1.5),
    }
    slopes = {name: lambda x, f=f: derivative(f, x) for name, f in waves.items()}
    try:
        plots.functions(waves, -5.0, 5.0, slopes=slopes)
    except (AttributeError, TypeError):
        print("No picture yet: see the checks of `derivative`, `clamp` and `chain_jvp`.")


clamped_wave()

# %% [markdown]
# ### Newton's method
# You look for an `x` with f(x) = 0. At a first guess, value and slope make a straight line, the tangent. Go to
# where it meets zero. For f(x) = x² - 10 at the guess 4: value 6, slope 8. The line comes down
# by 6 when `x` goes back by 6 / 8, so the next guess is 3.25.
#
# ### Exercise `newton_step` (2 points)
# One such step: the next guess after `x`, a plain number.
#
# <details><summary>Hint 1: a sketch</summary>
#
# How far is it to zero, and how fast does f get there?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# out = f(Dual(...))                # out.primal is the value, out.tangent the slope
# return x - ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Guesses that run away: a plus where the minus belongs, or slope / value. The answer is "a Dual": compute with
# `out.primal`.
# </details>


# %% exercise="newton_step"
def newton_step(f, x):
    """The place where the tangent of f at x meets zero."""
    ### BEGIN SOLUTION
    out = f(Dual(x, 1.0))
    return x - out.primal / out.tangent
    ### END SOLUTION


# %% probes="newton_step"
@probe
def newton_of(value, slope, x):
    """One step for an f with this value and slope at x, and others elsewhere; tells where else f was run."""
    elsewhere = []

    def f(y):
        off = 0.0 if as_dual(y).primal == x else 7.0
        elsewhere.extend([as_dual(y).primal] * (off > 0))
        return Dual(value + off, (slope + off) * y.tangent) if isinstance(y, Dual) else value + off

    own = globals().get("derivative")
    # This check needs no other exercise.
    globals()["derivative"] = lambda f, x: as_dual(f(Dual(x, 1.0))).tangent
    try:
        out = newton_step(f, x)
        return f"f was run at {elsewhere[0]:.4g}, and x is {x:.4g}" if elsewhere else out
    finally:
        globals()["derivative"] = own


# %% check="newton_step" points=2
with exercise("newton_step") as check:
    check.close(newton_of(6.0, 8.0, 4.0), 3.25, "the value at 4 is 6, and the slope 8")
    check.close(newton_of(-3.0, 0.5, 1.0), 7.0, "3 too low, and rising by 0.5 for 1")
    check.close(newton_of(3.0, -1.5, 1.0), 3.0, "too high and falling: go right")
    ### BEGIN HIDDEN TESTS
    for value, slope, x in check.cases(15, number(), number(), number()):
        check.close(newton_of(value, slope, x), x - value / slope, "where the tangent meets zero")
        why = "a nearly flat tangent meets zero far away"
        check.close(newton_of(value * 10, slope * 1e-9, x), x - value / slope * 1e10, why)
        check.close(newton_of(value * 1e-20, slope, 0.0), -value / slope * 1e-20, "a tiny step", atol=0.0)
        check.close(newton_of(0.0, slope, x), x, "this is a zero already")
    ### END HIDDEN TESTS

# %%
x = 4.0
for i in range(6):
    print(f"guess {i}: {x:.14f}")
    x = newton_step(lambda x: x * x - 10, x)
print(f"√10:     {math.sqrt(10):.14f}")

# %% [markdown]
# Each step about doubles the number of right digits. The throws of the first picture: a loop of small steps, with
# drag, until the ground.


# %% given="landing"
def landing(speed, angle=math.pi / 4, drag=0.02, hand=1.5):
    """How far a ball flies, in metres; it leaves the hand at this speed and angle, `hand` metres up."""
    x, y, vx, vy, dt = 0.0, hand, speed * cos(angle), speed * sin(angle), 0.02
    while y >= 0:
        before, air = (x, y, vx, vy), drag * (vx * vx + vy * vy) ** 0.5
        ax, ay = -air * vx, -air * vy - 9.81
        x, y = x + dt * vx + dt * dt / 2 * ax, y + dt * vy + dt * dt / 2 * ay
        vx, vy = vx + dt * ax, vy + dt * ay
    x, y, vx, vy = before
    t = (-vy - (vy * vy - 2 * ay * y) ** 0.5) / ay  # the part of the last step above the ground
    return x + t * vx + t * t / 2 * ax


# %%
speed = 6.0
for throw in range(1, 5):
    metres, slope = landing(speed), derivative(landing, speed)
    print(f"throw {throw}: {speed:6.3f} m/s lands at {metres:6.3f} m; slope {slope:.3f}")
    speed = newton_step(lambda speed: landing(speed) - 30, speed)
good = abs(metres - 30) < 0.01 and abs(landing(speed) - 30) < 1e-6
assert good, "the fourth throw should land at 30 metres: see the checks of the exercises above"

# %% [markdown]
# ## 5. The slope of a slope
#
# The rules add, multiply and divide whatever they are given. So a Dual may hold Duals, and a slope gets a slope of its
# own.
#
# ### Exercise `second_derivative` (2 points)
# The second derivative of `f` at `x`, with `derivative` used twice, one inside the other.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `derivative` takes a function. Which function has the derivative that you want?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# def slope(y): ...                 # the derivative of f at y
# return ...                        # the derivative of slope at x
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# TypeError: 'float' object is not callable: `derivative(f, x)` is a number, and the outer `derivative` needs a
# function.
# </details>


# %% exercise="second_derivative"
def second_derivative(f, x):
    """The derivative of the derivative of f, at x."""
    ### BEGIN SOLUTION
    return derivative(lambda y: derivative(f, y), x)
    ### END SOLUTION


# %% probes="second_derivative"
@probe
def second_of(coefficients, x, scale=1.0):
    """The second derivative at x of a polynomial, whose coefficients begin with the constant.

    Tells how many calls of `derivative` were inside each other. What stands in for `derivative` here gives `scale`
    times the slope.
    """
    depth, deepest = 0, 0

    def polynomial(x):
        total = coefficients[-1]
        for c in coefficients[-2::-1]:
            total = total * x + c
        return total

    def numerical(f, x):  # this check needs no other exercise
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        near, far = f(x + 0.125) - f(x - 0.125), f(x + 0.25) - f(x - 0.25)
        depth -= 1
        return scale * (8 * near - far) / 1.5  # exact up to x**4

    own = globals().get("derivative")
    globals()["derivative"] = numerical
    try:
        out = second_derivative(polynomial, x)
        out = "a function" if callable(out) else out
        return {"result": out, "nested derivatives": deepest}
    finally:
        globals()["derivative"] = own


@probe
def second_of_power(factor, n, x):
    """The second derivative of factor * x**n at x, with a `derivative` that computes with Duals."""

    def power(x, n=n, factor=factor):
        if not isinstance(x, Dual):
            return factor * x**n
        slope = power(x.primal, n - 1, factor * n)  # a Dual, where the primal is one
        if not isinstance(slope, Dual):
            return Dual(power(x.primal, n, factor), slope * x.tangent)
        seed = as_dual(x.tangent)
        product = Dual(slope.primal * seed.primal, slope.tangent * seed.primal + slope.primal * seed.tangent)
        return Dual(power(x.primal, n, factor), product)

    own = globals().get("derivative")
    globals()["derivative"] = lambda f, x: as_dual(f(Dual(x, 1.0))).tangent
    try:
        out = as_dual(second_derivative(power, x)).primal
        return "a function" if callable(out) else out
    finally:
        globals()["derivative"] = own


# %% check="second_derivative" points=2
with exercise("second_derivative") as check:
    check.close(second_of([0.0, 0.0, 0.0, 1.0], 3.0),
                {"result": 18.0, "nested derivatives": 2},
                "`derivative` inside `derivative`: of x**3 it is 3 x**2, and of that 6 x")
    check.close(second_of([5.0, -1.0, 2.5], 3.0),
                {"result": 5.0, "nested derivatives": 2},
                "2.5 x**2 - x + 5 has the slope 5 x - 1, which rises by 5 everywhere")
    check.close(second_of_power(0.5, 4, 2.0), 24.0, "x**4 / 2 at 2, with Duals: 6 x**2")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, numbers

    for x, c in (0.0, [3.0, 0.0, 2.5, 0.0, 0.0]), (-1.0, [0.0, 5.0, 2.5, 0.0, 0.0]):
        check.close(second_of(c, x, 1.0)["result"], 5.0, "where the slope is 0, there may be a bend")
    for factor, n, x in check.cases(8, number(), integer(2, 6), number()):
        check.close(second_of_power(factor, n, x), factor * n * (n - 1) * x ** (n - 2), "by Duals that hold Duals")
    for size in (2.0**-40, 2.0**40):
        check.close(second_of_power(size, 3, 2.0), 12 * size, "it may be tiny, or large", atol=0.0)
    for c, x, scale in check.cases(12, numbers(5), number(-2.0, 2.0), number()):
        result = scale**2 * (2 * c[2] + 6 * c[3] * x + 12 * c[4] * x**2)
        expected = {"result": result, "nested derivatives": 2}
        check.close(second_of(c, x, scale), expected, "the derivative of the derivative")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** The inner derivative below, of x + y by `y`, is 1 whatever `x` is. So the whole function is
# x · 1. Which slope will our Duals print?

# %%
prediction = None

bend = second_derivative(lambda x: 1 / x, 2.0)
print("second derivative of 1 / x at 2:", bend)
assert bend == 0.25, "2 / x**3 at 2 is 0.25: see the checks of derivative, chain_jvp and mul_jvp"
if predicted(prediction, "two_depths"):
    print("dual numbers:", derivative(lambda x: x * derivative(lambda y: x + y, 1.0), 1.0))

# %% [markdown]
# The right answer is 1. An inner `derivative` wraps its point in a new Dual. See what its function gets at the point
# `x`, as in `second_derivative`, and at a plain 1.0.

# %%
def shown(y):
    print("the inner function gets", y)
    return y


at_x = derivative(lambda x: derivative(shown, x), 2.0)
at_one = derivative(lambda x: derivative(shown, 1.0), 2.0)

# %% [markdown]
# At `x` the outer slope is inside and the inner one outside: they stay apart. At 1.0 only the inner slope is there.
# Above, `x` and `y` were both `Dual(1.0, 1.0)`: x + y added the two slopes up to 2.
#
# `x` came in from outside, past the inner `derivative`. This is **perturbation confusion**. `torch.func` numbers its
# nested derivatives, and each takes only slopes of its own number.
#
# ## 6. Many inputs
#
# A function of several inputs has a slope in every direction. At (2, 3), let `a` rise with slope 1 and `b` with slope
# 10 at once. Then e = (a b)(b + 1) rises with 12 · 1 + 14 · 10 = 152. The row of derivatives, (12, 14), is the
# **Jacobian** of e, (1, 10) is a *vector*, and 152 is their product.
#
# ### Exercise `jvp` (2 points)
# Run `f` once on all of `xs`, each with its own slope from `vs`; change neither list. Return value and
# slope. As before, `f` may return a plain number.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Like `derivative`, with a Dual for each input. `f` takes them as separate arguments: a star unpacks a list.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# duals = [... for x, v in zip(xs, vs)]
# out = as_dual(f(...))             # the star goes here
# return ..., ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# TypeError "missing 1 required positional argument": the star is missing.
# </details>


# %% exercise="jvp"
def jvp(f, xs, vs):
    """The value of f(*xs), and its slope when the inputs rise with the slopes vs."""
    ### BEGIN SOLUTION
    out = as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs))))
    return out.primal, out.tangent
    ### END SOLUTION


# %% probes="jvp"
@probe
def jvp_of(value, slopes, xs, vs):
    """Calls jvp with an f of this value and these derivatives; tells what f was given."""
    given = []

    count = len(xs)

    def f(*xs):
        if len(xs) != count:
            raise TypeError(f"f takes {count} positional arguments, but got {len(xs)}")
        given.append([(x.primal, x.tangent) for x in map(as_dual, xs)])  # a plain number is a constant
        if not slopes or not any(isinstance(x, Dual) for x in xs):
            return value
        return Dual(value, sum(s * as_dual(x).tangent for s, x in zip(slopes, xs)))

    return {"result": jvp(f, xs, vs), "f was given": given, "runs of f": f"{len(given)}"}


# %% check="jvp" points=2
with exercise("jvp") as check:
    seeds = [[(2.0, 0.0), (3.0, 2.0), (2.0, -4.0)]]
    three = jvp_of(6.0, [3.0, -2.0, 0.5], [2.0, 3.0, 2.0], [0.0, 2.0, -4.0])
    check.close(three["runs of f"], "1", "one run of f gives the value and the slope")
    check.close(three["f was given"], seeds, "each input goes in with its own slope")
    check.close(three["result"], (6.0, -6.0), "3 * 0 - 2 * 2 + 0.5 * -4")
    e = jvp_of(24.0, [12.0, 14.0], [2.0, 3.0], [1.0, 10.0])
    check.close(e["result"], (24.0, 152.0), "the value of e, and 12 * 1 + 14 * 10")
    check.untouched("xs and vs are the caller's lists: leave them as they are")
    check.close(jvp_of(5.0, [], [2.0], [3.0])["result"], (5.0, 0.0), "a constant function")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, numbers

    for n, value, slopes, xs, vs in check.cases(12, integer(1, 6), number(), numbers(6), numbers(6), numbers(6)):
        xs[1], xs[2], vs[3] = xs[0], 0.0, 0.0  # two equal inputs are two inputs
        slopes, xs, vs = slopes[:n], xs[:n], vs[:n]
        expected = {
            "result": (value, sum(s * v for s, v in zip(slopes, vs))),
            "f was given": [list(zip(xs, vs))],
            "runs of f": "1",
        }
        check.close(jvp_of(value, slopes, xs, vs), expected, "one run with these slopes")
        check.untouched()
        check.close(jvp_of(value, [], xs, vs)["result"], (value, 0.0), "a constant function")
    check.close(jvp_of(5, [], [2.0], [3.0])["result"], (5.0, 0.0), "a plain number may be a whole one")
    zero = jvp_of(0.0, [3.0, -2.0], [2.0, 0.0], [1.0, 4.0])
    check.close(zero["result"], (0.0, -5.0), "f may rise or fall where it is 0")
    for size in (2.0**-40, 2.0**120):
        got = jvp_of(7.0, [size], [2.0], [3.0])["result"]
        check.close(got, (7.0, 3 * size), "a slope may be tiny, or large", atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `forward_gradient` (3 points)
# The derivatives of `f` by every input, in a list. Each call of `jvp` gives one slope.
#
# <details><summary>Hint 1: a sketch</summary>
#
# To get the derivative by input `i`, let that input rise with slope 1 and keep all others still.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# gradient = []
# for i in range(len(xs)):
#     direction = [...]             # 1.0 at position i, 0.0 elsewhere
#     value, slope = jvp(...)
#     gradient.append(...)
# return gradient
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# If one number comes out, too large, all inputs rose together. If the list holds values, take the second of what `jvp`
# returns. If later entries are too large, an earlier round's 1 is still there.
# </details>


# %% exercise="forward_gradient"
def forward_gradient(f, xs):
    """The list of the derivatives of f(*xs) by each input, in len(xs) calls of jvp."""
    ### BEGIN SOLUTION
    gradient = []
    for i in range(len(xs)):
        direction = [1.0 if j == i else 0.0 for j in range(len(xs))]
        _, slope = jvp(f, xs, direction)
        gradient.append(slope)
    return gradient
    ### END SOLUTION


# %% probes="forward_gradient"
@probe
def gradient_of(value, factors, xs):
    """The gradient of an f whose derivatives at xs are products of two factors each, and elsewhere others; and all
    passes' seeds."""
    passes, place, moving = [], list(xs), []

    def f(*xs):
        if len(xs) != len(place):
            raise TypeError(f"f takes {len(place)} positional arguments, but got {len(xs)}")
        duals = any(isinstance(x, Dual) for x in xs)
        seeds = moving[-1] if moving and not duals else [as_dual(x).tangent for x in xs]
        if moving or duals:
            passes.append(seeds)
        off = 0.0 if [as_dual(x).primal for x in xs] == place else 7.0
        if not duals and not moving:
            return value + off
        return Dual(value + off, sum((a * b + off) * v for (a, b), v in zip(factors, seeds)))

    def given_jvp(f, xs, vs):  # this check needs no other exercise: this f is told the slopes beside its inputs
        if len(xs) != len(vs):
            raise ValueError(f"jvp was given {len(xs)} inputs and {len(vs)} slopes")
        moving.append(list(vs))
        try:
            out = as_dual(f(*xs))
        finally:
            moving.pop()
        return out.primal, out.tangent

    own = globals().get("jvp")
    globals()["jvp"] = given_jvp
    try:
        return {"gradient": forward_gradient(f, xs), "passes": sorted(passes)}
    finally:
        globals()["jvp"] = own


# %% check="forward_gradient" points=3
with exercise("forward_gradient") as check:
    three = gradient_of(6.0, [(1.5, 2.0), (-0.5, 4.0), (2.5, 0.2)], [2.0, 2.0, 7.0])
    check.close(three["gradient"], [3.0, -2.0, 0.5], "each input in turn, in their order")
    check.close(three["passes"], [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
                "in each pass one input rises, and the others stay where they are")
    e = gradient_of(24.0, [(3.0, 4.0), (2.0, 7.0)], [2.0, 3.0])
    check.close(e["gradient"], [12.0, 14.0], "e = (a b)(b + 1) at 2, 3: by a, then by b")
    check.close(e["passes"], [[0.0, 1.0], [1.0, 0.0]], "two inputs, two passes")
    check.untouched("xs is the caller's list: leave it as it is")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, numbers

    for n, value, a, b, xs in check.cases(12, integer(1, 7), number(), numbers(7), numbers(7), numbers(7)):
        factors = list(zip(a, b))[:n]
        xs[1], xs[2] = xs[0], 0.0  # two equal inputs are two inputs
        got = gradient_of(value, factors, xs[:n])
        check.close(got["gradient"], [p * q for p, q in factors], "the derivatives in the order of the inputs")
        check.close(len(got["passes"]), n, "one pass for each input")
    for slopes in ([0.0, 2.0, 3.0], [2.0, 0.0, 0.0, -0.5], [0.0, 0.0], [0.0], [2.0, 0.0]):
        got = gradient_of(6.0, [(slope, 1.0) for slope in slopes], [1.5, -0.5, 0.0, 2.0][: len(slopes)])
        check.close(got["gradient"], slopes, "a slope of 0 is one, too, and keeps its place")
    got = gradient_of(6.0, [(2.0**-20, 2.0**-20), (2.0**30, 2.0**30)], [1.5, -0.5])
    check.close(got["gradient"], [2.0**-40, 2.0**60], "a slope may be tiny, or large", atol=0.0)
    ### END HIDDEN TESTS

# %%
gradient_of_e = forward_gradient(lambda a, b: (a * b) * (b + 1), [2.0, 3.0])
print("at (2, 3):", gradient_of_e)
assert list(gradient_of_e) == [12.0, 14.0], "12 by a and 14 by b: see the checks of the rules"
value, slope = jvp(lambda a, b: (a * b) * (b + 1), [2.0, 3.0], [1.0, 10.0])
assert (value, slope) == (24.0, 152.0), "24 and 152 as above: see the checks of jvp and the rules"

# %% [markdown]
# ### What it costs
# How often is a function run for one gradient?


# %%
def runs_for_a_gradient(inputs):
    runs = 0

    def sum_of_squares(*xs):
        nonlocal runs
        runs += 1
        return sum(x * x for x in xs)

    forward_gradient(sum_of_squares, [0.5] * inputs)
    return runs


runs = {inputs: runs_for_a_gradient(inputs) for inputs in (1, 3, 10, 30, 100, 300)}
print(runs)
print("a small network for digits has", 64 * 32 + 32 + 32 * 10 + 10, "parameters")

# %% [markdown]
# Forward mode needs half the runs of central differences (slower ones), but its line climbs just as steeply. The small
# network needs 2,410 runs for one step of gradient descent.


# %% figure="cost"
def cost():
    inputs = list(runs)
    plots.lines(
        {
            "central differences (01)": (inputs, [2 * n for n in inputs]),
            "forward mode (02)": (inputs, list(runs.values())),
            "what we want": (inputs, [1] * len(inputs)),
        },
        xlabel="number of inputs",
        ylabel="runs of f for one gradient",
        title="One run per input is too many",
        log="xy",
        markers=True,
    )


cost()

# %% [markdown]
# ## 7. Bug hunt
#
# A colleague sends six rules, with a test. Run it: every error is 0. Yet **three of the six rules are wrong.**


# %% given="sent_rules"
SENT = {
    # name: (what it computes, its rule)
    "subtract": (lambda a, b: a - b, lambda a, da, b, db: (a - b, da - db)),
    "share": (
        lambda a, b: a / (a + b),
        lambda a, da, b, db: (a / (a + b), (da * b + a * db) / (a + b) ** 2),
    ),
    "tanh": (math.tanh, lambda a, da: (math.tanh(a), 1 - math.tanh(a) ** 2)),
    "softplus": (
        lambda a: math.log(1 + math.exp(a)),
        lambda a, da: (math.log(1 + math.exp(a)), da / (1 + math.exp(-a))),
    ),
    "maximum": (max, lambda a, da, b, db: (max(a, b), max(da, db))),
    "hypot": (
        math.hypot,
        lambda a, da, b, db: (math.hypot(a, b), (a * da + b * db) / math.hypot(a, b)),
    ),
}

# %%
for name, (forward, rule) in SENT.items():
    inputs, seeds = (2.0, 0.5), (1.0, 0.0)
    count = 1 if name in ("tanh", "softplus") else 2
    error = jvp_error(forward, rule, inputs[:count], seeds[:count])
    print(f"{name:9} error {error}")

# %% [markdown]
# ### Exercise `mended_jvps` (3 points)
# Find the wrong rules: change the test above. Then return a dict with a right rule for each wrong one, and for no
# other. `share` is the part that `a` has in a + b; `a` may be 0. Numbers are below 100 in size: nothing overflows.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which slopes did the test never try?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# seeds = (-1.3, 0.7)               # not 1, not 0; then other inputs too
#
# return {"the name": lambda a, da: (..., ...), ...}
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A rule that looks unusual need not be wrong: trust `jvp_error`. Try the larger number in both places.
# </details>


# %% exercise="mended_jvps"
def mended_jvps():
    """A dict with the name of each wrong rule of SENT, and a right rule for it."""
    ### BEGIN SOLUTION
    return {
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "tanh": lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
        "maximum": lambda a, da, b, db: (a, da) if a > b else (b, db),
    }
    ### END SOLUTION


# %% probes="mended_jvps"
@probe
def mended_names():
    """The names for which mended_jvps has a rule; a text when it gives no dict."""
    rules = mended_jvps()
    return sorted(rules) if isinstance(rules, dict) else f"a {type(rules).__name__}, no dict"


@probe
def mended_jvp(name, *pairs):
    """What the mended rule of that name gives."""
    return mended_jvps()[name](*pairs)


THEIRS = dict(globals().get("SENT", {}))  # as they came


@probe
def sent_jvp(name, *pairs):
    """What the colleague's rule of that name gives."""
    return THEIRS[name][1](*pairs)


COMPUTES = {
    "subtract": lambda a, b: a - b,
    "share": lambda a, b: a / (a + b),
    "tanh": math.tanh,
    "softplus": lambda a: math.log(1 + math.exp(a)),
    "maximum": max,
    "hypot": math.hypot,
}


def numbers_for(name, a, da, b, db):
    """What a rule is called with: one number and its slope, or two."""
    return (a, da) if name in ("tanh", "softplus") else (a, da, b, db)


def places(name):
    """Numbers for a rule: the second is larger; the first is; the first is below 0, and farther from it; or it is 0."""
    both = (0.6, -1.3, 1.7, 0.7), (1.7, -1.3, 0.6, 0.7), (-1.7, 0.7, 0.6, -1.3), (0.0, -1.3, 1.7, 0.7)
    return [numbers_for(name, *numbers) for numbers in both]


def moved(name, *pairs):
    """The value, and the numerical derivative in the direction of the slopes."""

    def along(t):
        return COMPUTES[name](*(x + t * v for x, v in zip(pairs[::2], pairs[1::2])))

    return along(0.0), numerical_gradient(along, 0.0)[0]


# %% check="mended_jvps" points=3
with exercise("mended_jvps") as check:
    names = mended_names()
    check.true(type(names) is list, "return a dict: names, each with its right rule")
    check.true(set(names) <= set(COMPUTES), "the keys are names from SENT")
    for name in names:
        given = numbers_for(name, 1.7, -1.3, 0.6, 0.7)
        check.true(abs(sent_jvp(name, *given)[1] - moved(name, *given)[1]) > 1e-6,
                   f"{name} is right in SENT (changed? run its cell anew, and those below)")
        for pairs in places(name):
            check.close(mended_jvp(name, *pairs), moved(name, *pairs),
                        f"{name}, and its numerical derivative in this direction")
    check.true(len(mended_names()) == 3, f"three are wrong, and you have {len(names)}")
    ### BEGIN HIDDEN TESTS
    from autograder import positive

    check.equal(names, ["maximum", "share", "tanh"], "the three rules that are wrong somewhere")
    for a, da, b, db in check.cases(15, positive(), number(), positive(), number()):
        if abs(a - b) > 0.05:
            for name in ("maximum", "share", "tanh"):
                given = numbers_for(name, a, da, b, db)
                check.close(mended_jvp(name, *given), moved(name, *given),
                            f"the value and the slope of {name}", rtol=1e-6, atol=1e-8)
    for a, da, b, db in check.cases(3, positive(0.5, 1.5), number(), positive(2.0, 3.0), number()):
        for near, its in ((a + 1e-3, db), (a - 1e-3, da), (a + 1e-9, db), (a - 1e-9, da)):
            got = mended_jvp("maximum", a, da, near, db)
            check.close(got, (max(a, near), its), "maximum of two numbers that are close: the larger one's slope")
        for x, y in ((-a, b), (a, -b), (-b, a), (b, -a), (-a, -b), (-b, -a), (0.0, b), (a, 0.0), (0.0, -b)):
            for name in ("maximum", "share", "tanh"):
                given = numbers_for(name, x, da, y, db)
                check.close(mended_jvp(name, *given), moved(name, *given),
                            f"{name}, at numbers of both signs and at 0", rtol=1e-6, atol=1e-8)
    # To the last digits, where a difference quotient stops before; and so small that one of complex numbers finds nothing.
    for a, da, b, db in check.cases(9, *[positive()] * 4):
        for size in (1.0, 1e-305):
            given = a * size, -da * size, b, db
            right = given[0] / (given[0] + b), (given[1] * b - given[0] * db) / (given[0] + b) ** 2
            check.close(mended_jvp("share", *given), right, "share, to the last digits", rtol=1e-13, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# The test let only `a` rise, with slope 1. There a missing `da` does not show, and nothing that is wrong with `db`
# does. Test a rule in a random direction, as the fast mode of PyTorch's `gradcheck` does.
#
# ## 8. The farthest throw, on your own
#
# Without air, and from the ground, 45 degrees are best. **Predict, then run.** Somebody on a roof, 6 metres up, throws
# at 20 m/s, through air. Which angle is best now, in whole degrees?

# %%
prediction = None

degrees = range(10, 71)
far = [landing(20.0, math.radians(angle), hand=6.0) for angle in degrees]
if predicted(prediction, "angle_from_the_roof"):
    print(degrees[far.index(max(far))], "degrees, found with", len(far), "throws")

# %% [markdown]
# ### Exercise `best_angle` (3 points)
# `best_angle` gets a function: `reach(angle)` throws at an angle in radians, a plain number or a Dual, and gives the
# metres. Return the best angle between 0.1 and 1.4, to a millimetre: no other may throw farther by more. You have
# **12 throws**; one with a Dual is one. Other roofs, arms (weak and strong) and air follow.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which slope does `reach` have at the best angle? And to its left, and to its right?
# </details>
# <details><summary>Hint 2: what you can use</summary>
#
# One throw gives a slope, and its sign tells on which side the best angle lies. Ask in the middle: half of the range is
# left.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A few millimetres are lost: a scan in steps. Metres: the halves are exchanged. Far outside: degrees. Very slow: a limit became
# a Dual, and Duals hold Duals.
# </details>


# %% exercise="best_angle"
def best_angle(reach):
    """The angle between 0.1 and 1.4 at which reach(angle) is largest, in at most 12 throws."""
    ### BEGIN SOLUTION
    low, high = 0.1, 1.4
    for _ in range(12):
        middle = (low + high) / 2
        if derivative(reach, middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
    ### END SOLUTION


# %% probes="best_angle"
@probe
def angle_found(speed, drag, hand):
    """The angle that best_angle finds, and how many throws it took, if these are more than 12."""
    throws = 0

    def reach(angle):
        nonlocal throws
        throws += 1
        return landing(speed, angle, drag, hand)

    def slope(f, x):  # this check needs no other exercise
        nonlocal throws
        before = throws
        rise = f(x + 1e-6) - f(x - 1e-6)
        throws = before + 1
        return rise / 2e-6

    own = globals().get("derivative")
    globals()["derivative"] = slope
    try:
        angle = best_angle(reach)
    finally:
        globals()["derivative"] = own
    if isinstance(angle, (int, float)):  # an angle far outside the range has no use for digits
        angle = round(float(angle), 5 if 0 < angle < 1.5 else 2)
    else:
        angle = type(angle).__name__
    return angle, throws if throws > 12 else "at most 12 throws"


def flown(speed, angle, drag, hand):
    """What `landing` computes, of plain numbers."""
    x, y, vx, vy = 0.0, hand, speed * math.cos(angle), speed * math.sin(angle)
    while y >= 0:
        before, air = (x, y, vx, vy), drag * (vx * vx + vy * vy) ** 0.5
        ax, ay = -air * vx, -air * vy - 9.81
        x, y = x + 0.02 * vx + 0.0002 * ax, y + 0.02 * vy + 0.0002 * ay
        vx, vy = vx + 0.02 * ax, vy + 0.02 * ay
    x, y, vx, vy = before
    t = (-vy - (vy * vy - 2 * ay * y) ** 0.5) / ay
    return x + t * vx + t * t / 2 * ax


def lost(check, speed, drag, hand):
    """Asks for the best angle of such throws: how many metres it loses to the farthest, in words, too."""
    angle, throws = angle_found(speed, drag, hand)
    throw = f"{speed:.5g} m/s from {hand:.5g} m up"
    check.true(not isinstance(angle, str), "return a number, the angle in radians")
    check.true(isinstance(throws, str),
               f"you have 12 throws, and took {throws}: each call of `reach` or `derivative` is one")
    check.true(0.1 <= angle <= 1.4, f"{throw}: yours is {angle:.5g}, and the angle is one between 0.1 and 1.4, in radians")
    low, high, left = 0.1, 1.4, (5**0.5 - 1) / 2
    for _ in range(14):
        a, b = high - left * (high - low), low + left * (high - low)
        low, high = (a, high) if flown(speed, a, drag, hand) < flown(speed, b, drag, hand) else (low, b)
    near = [min(max((low + high) / 2 + 0.0005 * step, 0.1), 1.4) for step in range(-16, 17)]
    short = max(flown(speed, a, drag, hand) for a in near) - flown(speed, angle, drag, hand)
    where = "; yours is at an end of the range" if min(angle - 0.1, 1.4 - angle) < 0.001 else ""
    farther = f"another angle throws {short:.4f} m farther, and a millimetre is allowed"
    return short, f"{throw}: {farther}{where}"


# %% check="best_angle" points=3
with exercise("best_angle") as check:
    for throw in ((20.0, 0.02, 6.0), (14.0, 0.005, 1.8),
                  (42.0, 0.002, 1.0), (5.0, 0.015, 20.0)):
        short, because = lost(check, *throw)
        check.true(short < 0.001, because)
    ### BEGIN HIDDEN TESTS
    from autograder import positive

    for speed, drag, hand in check.cases(5, positive(12.0, 28.0), positive(0.005, 0.04), positive(0.3, 12.0)):
        short, because = lost(check, speed, drag, hand)
        check.true(short < 0.001, because)
    strong, weak = (positive(38.0, 44.0), positive(0.002, 0.005)), (positive(4.6, 5.4), positive(0.01, 0.02))
    child = positive(0.8, 1.5), positive(0.01, 0.02)  # the lowest angle is the best
    tower = positive(18.0, 22.0)
    # Far throws, whose best angles lie so that no scan in steps comes near to all of them.
    for throw in ((44.0, 0.002, 2.0), (44.0, 0.002, 1.0), (44.0, 0.0025, 1.5), (42.0, 0.002, 1.0)):
        short, because = lost(check, *throw)
        check.true(short < 0.001, because)
    for arm, air, high in ((*strong, positive(0.5, 3.0)), (*weak, tower), (*child, tower)):
        for speed, drag, hand in check.cases(1, arm, air, high):
            short, because = lost(check, speed, drag, hand)
            check.true(short < 0.001, because)
    ### END HIDDEN TESTS

# %% [markdown]
# The farthest throw is low: air takes most from a long flight, and a roof gives time to fly.

# %% figure="throws"
def throws():
    def flight(angle):
        x, y, vx, vy, path = 0.0, 6.0, 20 * math.cos(angle), 20 * math.sin(angle), []
        while y >= 0:
            path.append((x, y))
            air = 0.02 * (vx * vx + vy * vy) ** 0.5
            ax, ay = -air * vx, -air * vy - 9.81
            x, y = x + 0.02 * vx + 0.0002 * ax, y + 0.02 * vy + 0.0002 * ay
            vx, vy = vx + 0.02 * ax, vy + 0.02 * ay
        return tuple(zip(*path, (landing(20.0, angle, hand=6.0), 0.0)))

    best = best_angle(lambda angle: landing(20.0, angle, hand=6.0))
    ax = plots.lines({f"yours, {math.degrees(best):.1f} degrees": flight(best)})
    for angle in range(5, 90, 5):
        ax.plot(*flight(math.radians(angle)), color="#999999", linewidth=0.7, zorder=1)
    ax.set(title="Seventeen throws, and yours", xlabel="distance in metres", ylabel="height in metres")
    ax.legend(loc="upper right")


throws()

# %% [markdown]
# ## In your own words
#
# For a friend, in three sentences: why does a Dual need no step?
#
# <details><summary>One way to say it</summary>
#
# A step compares two runs, and loses digits in the difference. A Dual makes one run, in which every operation computes
# its own slope by an exact rule. The chain rule makes them one.
# </details>
#
# ## The same in PyTorch
#
# Where it is installed, this cell throws with PyTorch's dual numbers, and compares.

# %% tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here: `pip install torch`, then run this cell again.")
else:
    one = torch.ones((), dtype=torch.float64)
    metres, slope = torch.func.jvp(landing, (10 * one,), (one,))
    print("theirs", round(metres.item(), 9), round(slope.item(), 9))
    print("yours ", *(round(number, 9) for number in jvp(landing, [10.0], [1.0])))

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `Dual(primal, tangent)` | `torch.autograd.forward_ad.make_dual(primal, tangent)` |
# | `out.primal`, `out.tangent` | `torch.autograd.forward_ad.unpack_dual(out)` |
# | `mul_jvp` and the other rules | the `jvp` of a `torch.autograd.Function` |
# | `jvp(f, xs, vs)` | `torch.func.jvp(f, xs, vs)` |
# | `forward_gradient(f, xs)` | `torch.func.jacfwd(f, argnums=(0, 1))(*xs)`, for two inputs |
# | `second_derivative` | `torch.func.jacfwd(torch.func.jacfwd(f))` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | TypeError: must be real number, not Dual | `math.sin` of a Dual: take the `sin` that knows Duals |
# | TypeError: unsupported or bad operand type | what `Dual` lacks, such as `2**x`, `abs(x)` |
# | the value is right, the slope is 0 | a `.primal` inside the program, or an input without a seed |
# | right for f(x), wrong for f(2 x) | a rule that forgets `da` |
#
# ## Who found it
#
# - Robert Wengert, [1964](https://doi.org/10.1145/355586.364791): derivatives carried through a program, in two pages.
#
# ## One thing to try next
# Which speed makes `landing(speed) - 0.01 * speed**2` largest? Give your search other limits.
#
# One pass per input is still too many. Unit 03 gets all derivatives from one pass.

# %% progress="here"
