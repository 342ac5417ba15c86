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
#     unit: 00_start_here
#     graded: false
#     allow: [autograd_ref.plots]
#     title: "Start here: how this course works"
# ---

# %% [markdown]
# # Start here: how this course works
#
# A network learns from slopes: how does its error change when one of its numbers moves? **Automatic differentiation** finds
# out by following the program that computes the error, operation by operation. In this course you write what does that, the
# core of PyTorch, from nothing. By unit 16 it can train a small GPT, which writes lines after Shakespeare.
#
# First you write the functions that draw this: lines that turn towards the direction of a curve.

# %% figure="goal" keep=true
def goal():
    from autograd_ref import plots

    curves = {
        "x²": lambda x: x * x,
        "slope 3.0": lambda x: 3.0 * x - 2.0,
        "slope 2.5": lambda x: 2.5 * x - 1.5,
        "slope 2.1": lambda x: 2.1 * x - 1.1,
    }
    ax = plots.functions(curves, 0.4, 2.1, title="Lines through (1, 1) and a second point")
    ax.plot([1.0, 1.1, 1.5, 2.0], [1.0, 1.21, 2.25, 4.0], "o", color="black", markersize=5)
    ax.set_ylabel("y")


goal()

# %% setup="imports"
from autograder import CheckFailed, exercise, predicted, probe, yours

# %% [markdown]
# At the end you will be able to
#
# - solve an exercise, read what its check says, and use the hints;
# - write a function that returns a function;
# - write a class whose objects can be added, multiplied and called;
# - start again without losing your work.
#
# **Time:** about 25 minutes. **Builds on:** functions, lists, loops and simple classes in Python. Nothing here is
# graded.

# %% [markdown]
# ## 1. An exercise and its check
#
# Run the cells from top to bottom, each with Shift+Enter. The **slope** between two points is the rise divided by the
# run:
#
# $$\mathrm{slope} = \frac{y_1 - y_0}{x_1 - x_0}$$
#
# From (1, 2) to (3.5, 5) the rise is 3 and the run is 2.5, so the slope is 1.2. A colleague has written it as a
# function, with a mistake:


# %% given="colleague"
def colleague_slope(x0, y0, x1, y1):
    return (y1 - y0) / (x0 - x1)


# %% [markdown]
# The next cell checks that function. It is **folded** into one line: run it, or click its three dots to read it.


# %% figure="failing"
def a_failing_check():
    try:
        with exercise("example") as check:
            check.close(yours.colleague_slope(1.0, 2.0, 3.5, 5.0), 1.2,
                        "from x = 1 to x = 3.5 the line rises from 2 to 5: 3 divided by 2.5")
    except CheckFailed as failure:
        told, _, following = str(failure).rpartition("\n  next ")
        assert "The number has the wrong sign." in told and "hint" in following  # an example has no hints
        print(told)


a_failing_check()

# %% [markdown]
# That is a **wrong** answer. `called`, `returned` and `expected` are one example, which you can try in a new cell.
# `because` says where the expected value comes from. `likely` names the mistake, when the numbers give it away.
#
# ### Exercise `slope_between` (practice)
# An exercise has two cells. In the *answer cell* your code takes the place of the line
# `raise NotImplementedError(...)`. The *check* below it you run and do not change.
#
# 1. Run both cells now, with nothing written: an **unfinished** answer.
# 2. Put the colleague's `return` line into the answer cell. Run both again: you know this message.
# 3. Follow its `likely` line, and run both once more: a **right** answer.
#
# Three hints are a ladder: try again before you open the next.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Count rise and run in the same direction.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# rise = y1 - y0
# run = ...                     # in the same order as the rise
# return ... / ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# "not written yet" although you have written it: the answer cell was not run after the change. A wrong sign: one
# difference is the other way round. A wrong number: without brackets, `/` goes before `-`.
# </details>


# %% exercise="slope_between"
def slope_between(x0, y0, x1, y1):
    """The slope of the line through the points (x0, y0) and (x1, y1)."""
    ### BEGIN SOLUTION
    return (y1 - y0) / (x1 - x0)
    ### END SOLUTION


# %% check="slope_between" points=0
with exercise("slope_between") as check:
    check.close(yours.slope_between(1.0, 2.0, 3.5, 5.0), 1.2,
                "from x = 1 to x = 3.5 the line rises from 2 to 5: 3 divided by 2.5")
    check.close(yours.slope_between(2.0, 5.0, 6.0, 3.0), -0.5,
                "it falls by 2 on a run of 4: a falling line has a negative slope")
    check.close(yours.slope_between(6.0, 3.0, 2.0, 5.0), -0.5,
                "the same points, from right to left: a rise of 2 on a run of -4")
    ### BEGIN HIDDEN TESTS
    from autograder import number

    for x, y, run, slope in check.cases(10, number(), number(), number(), number()):
        check.close(yours.slope_between(x, y, x + run, y + slope * run), slope,
                    "two points of a line with this slope")
        check.close(yours.slope_between(x, y, x + run, y), 0.0, "two points at the same height: flat")
    ### END HIDDEN TESTS

# %% [markdown]
# ## When something is in your way
#
# - **You are stuck on an exercise.** Skip it: no check needs another exercise. A figure or an example that does stops
#   with `NotImplementedError`, and what follows from it with `NameError`; go on below.
# - **`NameError` in a cell that was fine before.** The kernel was restarted and has forgotten all names. Menu *Run*,
#   *Run All Above Selected Cell*.
# - **A cell does not end** and shows `[*]`. The ■ button stops it. A check stops after ten seconds.
# - **Results make no sense.** Names of old cells may be left over. Menu *Kernel*, *Restart Kernel and Run All Cells*.
# - **You want to begin again.** `autograder fresh 00_start_here` in a terminal keeps your notebook under another name
#   and puts a new one in its place.
# - **How far am I?** Each notebook ends with a list of what is done; `autograder progress` in a terminal has all units.
#
# ## 2. A function that returns a function
#
# A function is a value like any other: another function can make one and return it. The new function remembers the
# names around it, here `n`. It is called a **closure**.


# %%
def multiplier(n):
    def times(x):
        return n * x

    return times


double, triple = multiplier(2), multiplier(3)
print(double(10), triple(10))

# %% [markdown]
# ### Exercise `make_line` (practice)
# Return a *function*: the line through the point (x0, y0) with this slope. Its height at `x` is
# `y0 + slope * (x - x0)`.
#
# From here on, a folded cell stands above some checks: a *probe*, which calls your code and hands the numbers to the
# check. Run it. Nothing appears, not even a number beside the cell: that is right. You can call it, too:
# `line_at(4, 3, 2, [3, 5])`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `multiplier` above has the same form: `def` inside `def`, and the inner function is returned, not called.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# def line(x):
#     return ...                # the height at x
#
# return ...                    # the function itself: no brackets behind its name
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# One number comes back: you returned a height, not a function. `None` comes back: the last `return` is missing.
# NameError `x`: `x` exists only inside the inner function.
# </details>


# %% exercise="make_line"
def make_line(slope, x0, y0):
    """A function of x: the height of the line through (x0, y0) with this slope."""
    ### BEGIN SOLUTION
    def line(x):
        return y0 + slope * (x - x0)

    return line
    ### END SOLUTION


# %% probes="make_line"
@probe
def made_by_make_line(slope, x0, y0):
    """What comes back: "a function", or the type of what is none."""
    line = make_line(slope, x0, y0)
    return "a function" if callable(line) else type(line).__name__


@probe
def line_at(slope, x0, y0, xs):
    """Makes the line, and another one after it; the first line's heights at xs."""
    line = make_line(slope, x0, y0)
    make_line(slope + 1.0, x0 - 3.0, y0 + 7.0)
    return [line(x) for x in xs] if callable(line) else line


# %% check="make_line" points=0
with exercise("make_line") as check:
    check.equal(made_by_make_line(4.0, 3.0, 2.0), "a function",
                "the line itself comes back, to be called later with any x")
    check.close(line_at(4.0, 3.0, 2.0, [3.0, 5.0]), [2.0, 10.0],
                "it starts at height 2 where x is 3, and 2 further on it is 4 * 2 higher")
    check.close(line_at(-0.5, 2.0, 5.0, [2.0, 6.0, 0.0]), [5.0, 3.0, 6.0],
                "a falling line through (2, 5)")
    ### BEGIN HIDDEN TESTS
    from autograder import number, numbers

    for slope, x0, y0, xs in check.cases(10, number(), number(), number(), numbers(3)):
        check.close(line_at(slope, x0, y0, xs), [y0 + slope * (x - x0) for x in xs],
                    "y0 + slope * (x - x0), at three places")
        check.close(line_at(0.0, x0, y0, xs), [y0] * 3, "slope 0: y0 everywhere")
        check.close(line_at(slope, 0.0, 0.0, [0.0, *xs]), [0.0, *(slope * x for x in xs)],
                    "a line through (0, 0)")
    ### END HIDDEN TESTS

# %% [markdown]
# Your two functions draw the picture from the top, with second points at x = 2, 1.5 and 1.1. As that point
# moves towards (1, 1), the line lies down along the curve. Its slopes are 3, 2.5 and 2.1.


# %% figure="secants"
def secants():
    from autograd_ref import plots

    curves, xs = {"x²": lambda x: x * x}, [2.0, 1.5, 1.1]
    for x1 in xs:
        slope = slope_between(1.0, 1.0, x1, x1**2)
        curves[f"slope {slope:.1f}"] = make_line(slope, 1.0, 1.0)
    ax = plots.functions(curves, 0.4, 2.1, title="Lines through (1, 1) and a second point")
    ax.plot([1.0, *xs], [1.0, *(x1**2 for x1 in xs)], "o", color="black", markersize=5)
    ax.set_ylabel("y")


secants()

# %% [markdown]
# **Predict, then run.** Three functions made in a loop, each called with 10. Which numbers does the first `print`
# show? Put your prediction in the first line.

# %%
prediction = (None, None, None)

functions = [lambda x: n * x for n in (1, 2, 3)]
if predicted(prediction, "late_binding"):
    print("made by lambda:    ", [f(10) for f in functions])
    print("made by multiplier:", [f(10) for f in [multiplier(n) for n in (1, 2, 3)]])

# %% [markdown]
# A closure remembers the *name* `n`, not the number that it had. All three lambdas look at the same `n`, and after the
# loop it is 3. Each call of `multiplier` has an `n` of its own.
#
# ## 3. Lists side by side
#
# A **comprehension** builds a list in one line. **`zip`** walks along two lists in step.

# %%
widths, heights = [2, 3, 4], [5, 1, 10]
print([width**2 for width in widths])
print([width * height for width, height in zip(widths, heights)])

# %% [markdown]
# ### Exercise `total_price` (practice)
# Each price times its count, all added up. Prices 2.5, 4 and 0.5 with counts 4, 3 and 6 make 10 + 12 + 3 = 25. Later,
# the same line makes a neuron: inputs times weights.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First the products, as in the example. Then `sum`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return sum(... for price, count in ...)      # one product for each pair
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A list comes back: `sum` is missing. Too large: two loops, one inside the other, pair *each* price with *each* count.
# </details>


# %% exercise="total_price"
def total_price(prices, counts):
    """The sum of each price times its count, for two lists of the same length."""
    ### BEGIN SOLUTION
    return sum(price * count for price, count in zip(prices, counts))
    ### END SOLUTION


# %% check="total_price" points=0
with exercise("total_price") as check:
    check.close(yours.total_price([2.5, 4.0, 0.5], [4, 3, 6]), 25.0, "10 + 12 + 3")
    check.close(yours.total_price([2.0, 2.0], [1, 3]), 8.0, "two at the same price: 2 + 6")
    check.close(yours.total_price([], []), 0.0, "nothing bought, nothing to pay")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    for prices, counts in check.cases(10, numbers(5), numbers(5)):
        check.close(yours.total_price(prices, counts),
                    sum(prices[i] * counts[i] for i in range(5)), "the products, added up")
        check.untouched()
        # Equal prices, equal counts, and a pair that comes twice.
        prices[1], counts[3] = prices[0], counts[2]
        check.close(yours.total_price([*prices, prices[4]], [*counts, counts[4]]),
                    sum(prices[i] * counts[i] for i in (0, 1, 2, 3, 4, 4)), "each pair counts")
    check.close(yours.total_price([2.0], [3]), 6.0, "one price, one count")
    check.close(yours.total_price([2.5, 0.0, 4.0, 1.5], [0, 3, 2, 4]), 14.0, "a 0 ends nothing")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. Operators of your own
#
# For `a + b` Python calls `a.__add__(b)`, and for `a * b` it calls `a.__mul__(b)`.
#
# ### Exercise `recipe_operators` (practice)
# A `Recipe` has a text. Adding two makes a *new* Recipe, whose text says how it was made: `Recipe("a") + Recipe("b")`
# has the text `(a + b)`, and their product has the text `(a * b)`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `self` is what stands on the left, `other` what stands on the right. Both are Recipes.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return Recipe(f"({self.text} + ...)")        # an f-string puts values into a text
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# AttributeError "'str' object has no attribute 'text'": you returned the text alone, without `Recipe(...)` around it.
# `<a Recipe>` in the text: `other` where `other.text` is meant.
# </details>


# %% exercise="recipe_operators"
class Recipe:
    """A text that says how it was made."""

    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        """A new Recipe, "(left + right)"."""
        ### BEGIN SOLUTION
        return Recipe(f"({self.text} + {other.text})")
        ### END SOLUTION

    def __mul__(self, other):
        """A new Recipe, "(left * right)"."""
        ### BEGIN SOLUTION
        return Recipe(f"({self.text} * {other.text})")
        ### END SOLUTION


# %% probes="recipe_operators"
import re


@probe
def written():
    """Which of the two methods are written; NotImplementedError when none is."""
    methods = []
    for name in ("__add__", "__mul__"):
        try:
            getattr(Recipe("a"), name)(Recipe("b"))
        except NotImplementedError as error:
            still_open = error
        except Exception:
            methods.append(name)  # written, and the checks below say what is wrong
        else:
            methods.append(name)
    if not methods:
        raise still_open
    return methods


@probe
def combined(operator, left, right):
    """The text of left + right or left * right, and then the two texts themselves."""
    a, b = Recipe(left), Recipe(right)
    out = a + b if operator == "+" else a * b
    if out is None:
        return None
    # A Recipe inside a text would show where it lies in memory.
    inside = r"<\S*Recipe object at 0x\w+>"
    return [re.sub(inside, "<a Recipe>", t) if isinstance(t, str) else t for t in (out.text, a.text, b.text)]


@probe
def of_three(first, then, a, b, c):
    """What `first` makes of a and b stands left of `then` and c, and then right of it: both texts."""
    operators = {"+": lambda left, right: left + right, "*": lambda left, right: left * right}
    made = operators[first](Recipe(a), Recipe(b))
    return [operators[then](*sides).text for sides in ((made, Recipe(c)), (Recipe(c), made))]


# %% check="recipe_operators" points=0
with exercise("recipe_operators") as check:
    check.equal(written(), ["__add__", "__mul__"], "the class needs both methods")
    check.equal(combined("+", "a", "b"), ["(a + b)", "a", "b"],
                "brackets, blanks around +, both texts; and a and b are what they were")
    check.equal(combined("*", "b", "a"), ["(b * a)", "b", "a"], "the left one comes first")
    check.equal(of_three("*", "+", "a", "b", "c"), ["((a * b) + c)", "(c + (a * b))"],
                "a result can be used again: the product is one side of the sum")
    ### BEGIN HIDDEN TESTS
    for _ in range(6):
        left, right, last = ("".join(check.rng.choices("uvwxyz", k=3)) for _ in range(3))
        for operator in "+*":
            check.equal(combined(operator, left, right),
                        [f"({left} {operator} {right})", left, right], "left, right")
            for then in "+*":
                inner = f"({left} {operator} {right})"
                check.equal(of_three(operator, then, left, right, last),
                            [f"({inner} {then} {last})", f"({last} {then} {inner})"],
                            "a result is used again, on the left and on the right")
    ### END HIDDEN TESTS

# %% [markdown]
# This function knows nothing of Recipes, and yet its result tells how it was computed. This is how automatic differentiation
# follows a program.


# %%
def formula(a, b, c):
    return a + b * c


print(formula(2, 3, 4))
print(formula(Recipe("a"), Recipe("b"), Recipe("c")).text)

# %% [markdown]
# ## 5. Objects that can be called
#
# An object with a `__call__` method can be called like a function: `p(3)` means `p.__call__(3)`.
#
# ### Exercise `polynomial_call` (practice)
# `Polynomial([7, 0, 2])` stands for 7 + 0·x + 2·x². At x = 3 it is 7 + 0 + 18 = 25. Write its `__call__`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The coefficient at position 0 belongs to x⁰ = 1, the next to x, the next to x².
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return sum(... * x ** ... for i, c in enumerate(self.coefficients))
# # enumerate gives each position together with what stands there
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# NameError `coefficients`: the list belongs to the object, so it is `self.coefficients`. Right for x = 1 only: the
# powers are missing.
# </details>


# %% exercise="polynomial_call"
class Polynomial:
    """c0 + c1 * x + c2 * x**2 + ..., for the list [c0, c1, c2, ...]."""

    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        """The value at x."""
        ### BEGIN SOLUTION
        return sum(c * x**i for i, c in enumerate(self.coefficients))
        ### END SOLUTION


# %% probes="polynomial_call"
@probe
def polynomial_at(coefficients, xs):
    """The values of one Polynomial at all xs."""
    p = Polynomial(coefficients)
    return [p(x) for x in xs]


# %% check="polynomial_call" points=0
with exercise("polynomial_call") as check:
    check.close(polynomial_at([7, 0, 2], [3.0]), [25.0], "7 + 0 * 3 + 2 * 9")
    check.close(polynomial_at([5, 5, 2], [10.0, -1.0]), [255.0, 2.0],
                "5 + 50 + 200, then 5 - 5 + 2 from the same object")
    check.close(polynomial_at([1, 0, 2, 0, 3], [2.0]), [57.0], "1 + 2 * 4 + 3 * 16")
    check.close(polynomial_at([4], [9.0, 0.0]), [4.0, 4.0], "a constant, and at 0, too")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    for c, xs in check.cases(10, numbers(4), numbers(2)):
        check.close(polynomial_at(c, xs),
                    [c[0] + x * (c[1] + x * (c[2] + x * c[3])) for x in xs],
                    "c0 + c1 * x + c2 * x**2 + c3 * x**3")
        check.untouched()
        x = xs[0]
        check.close(polynomial_at([0, c[0], 0, c[0], c[1]], [x, 0.0]),
                    [x * (c[0] + x * x * (c[0] + x * c[1])), 0.0],
                    "zeros and equal coefficients have places, too; at 0 the constant is left")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 6. One function after the other
#
# A network is a chain of functions: what one gives goes into the next. Double 5, then add 3: 13. Add 3 to 5, then
# double: 16. The order counts.
#
# ### Exercise `in_a_row` (practice)
# You get a list of functions. Return *one* function that calls them in turn, the first in the list first.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A closure once more. Inside it, a loop replaces `x` by what the next function makes of it.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# def chain(x):
#     for function in functions:
#         x = ...
#     return ...                # after the loop, not in it
#
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Only one function had an effect: `return` stands inside the loop, or each round starts again from the first `x`.
# </details>


# %% exercise="in_a_row"
def in_a_row(functions):
    """A function that gives x to the first of `functions`, its result to the next, ..."""
    ### BEGIN SOLUTION
    def chain(x):
        for function in functions:
            x = function(x)
        return x

    return chain
    ### END SOLUTION


# %% probes="in_a_row"
@probe
def chained(names, xs):
    """What a chain of these functions makes of each x, one after the other; another chain was made of them before."""
    known = {"double": lambda x: 2 * x, "add 3": lambda x: x + 3, "square": lambda x: x * x}
    functions = [known[name] for name in names]
    in_a_row(functions)
    chain = in_a_row(functions)
    return [chain(x) for x in xs] if callable(chain) else f"{type(chain).__name__}, and no function"


# %% check="in_a_row" points=0
with exercise("in_a_row") as check:
    check.close(chained(["double", "add 3", "square"], [5.0]), [169.0], "10, 13, 13 * 13")
    check.close(chained(["add 3", "double"], [5.0, 1.0]), [16.0, 8.0],
                "add 3 to 5 and double it; then the same with 1")
    check.close(chained(["add 3", "square", "add 3"], [-3.0]), [3.0], "0, 0 again, then 3")
    check.close(chained(["double", "add 3", "double", "square"], [1.0]), [100.0],
                "2, 5, 10, 100: four functions")
    check.close(chained([], [5.0]), [5.0], "with nothing to do, x comes back")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, numbers

    known = {"double": lambda x: 2 * x, "add 3": lambda x: x + 3, "square": lambda x: x * x}
    for count, xs in check.cases(10, integer(1, 4), numbers(2)):
        names = [check.rng.choice(list(known)) for _ in range(count)]
        expected = list(xs)
        for name in names:
            expected = [known[name](x) for x in expected]
        check.close(chained(names, xs), expected, "one function after the other")
        x = xs[0]
        check.close(chained(["double"], xs), [2 * x for x in xs], "a single function")
        check.close(chained(["double"] * 3 + ["square"], [x, x]), [64 * x * x] * 2,
                    "a function may come again, and so may x")
        check.close(chained(["add 3", "double", "square"], [-3.0, x]), [0.0, (2 * x + 6) ** 2],
                    "0 is a number, too")
    ### END HIDDEN TESTS

# %% [markdown]
# ## In your own words
# How does a line know its slope, long after `make_line` has returned? Answer, then open ours.
#
# <details><summary>One way to say it</summary>
#
# The inner function keeps the names that it uses.
# </details>
#
# ## Where you meet it again
#
# | here | in PyTorch |
# |---|---|
# | `make_line`, a closure | what `torch.func.grad` returns |
# | `Recipe` with `__add__` | a tensor: its operators record how it was made |
# | `Polynomial` with `__call__` | a module: `model(x)` |
# | `in_a_row` | `torch.nn.Sequential` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | `None` comes back | a `return` that is missing, or `print` in its place |
#
# ## One thing to try next
# In a new cell, give `Recipe` one more operator: `Recipe.__sub__ = lambda self, other: ...`. Then try
# `formula(Recipe("a"), Recipe("b"), Recipe("c") - Recipe("d")).text`.
#
# The slopes of your lines were 3, 2.5 and 2.1. In unit 01 you find out what they settle on, and what goes wrong when
# the second point comes too close.

# %% progress="here"
