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
#     unit: 13_second_derivatives
#     allow: [autograd_ref.tensor, autograd_ref.ops, autograd_ref.sweep, autograd_ref.modes, autograd_ref.optim, autograd_ref.plots]
#     title: "Second derivatives: the gradient of a gradient"
# ---

# %% [markdown]
# # Second derivatives: the gradient of a gradient
#
# The valley of unit 09, from the ring to the minimum at (0, 0). What to see: Adam swings for twenty steps. Two methods of this
# unit, *conjugate gradients* and *Newton*, arrive after two steps and after one: they know how the valley is *curved*.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots

    adam = """
        -4.50 1.00 -4.20 0.70 -3.90 0.41 -3.60 0.14 -3.31 -0.08 -3.02 -0.25 -2.74 -0.34 -2.46 -0.36
        -2.19 -0.32 -1.94 -0.25 -1.69 -0.15 -1.45 -0.05 -1.23 0.04 -1.02 0.11 -0.83 0.15 -0.65 0.16
        -0.49 0.13 -0.34 0.09 -0.22 0.04 -0.11 0.00 -0.02 -0.04"""
    paths = {
        "Adam": np.array(adam.split(), dtype=float).reshape(-1, 2),
        "conjugate gradients": np.array([[-4.5, 1.0], [-4.314, -0.031], [0.0, 0.0]]),
        "Newton": np.array([[-4.5, 1.0], [0.0, 0.0]]),
    }
    return plots.moving_paths(lambda x, y: (x * x + 25 * y * y) / 2, paths, x=(-5, 1), y=(-1.3, 1.3), between=2)


goal()

# %% setup="imports"
import itertools

import numpy as np

from autograd_ref import Tensor, optim, plots, sweep
from autograder import exercise, predicted, probe, recall, yours


def wants_gradients(name, out, x):
    """Without this, an x that no graph knows would get zeros, and nobody would know why."""
    if not getattr(x, "requires_grad", False):  # first: of an x that is no leaf, `out` is no Tensor either
        raise ValueError(f"{name}: no graph knows this x. Make it with Tensor(..., requires_grad=True).")
    if callable(out):
        raise ValueError(f"{name}: this is a function. Give what it returns, as in {name}(f(x), ...).")
    if not isinstance(out, Tensor):
        raise ValueError(f"{name}: a Tensor with a graph is wanted, and this is a {type(out).__name__}. Was its graph cut by .data?")


def gradient(out, x):
    """The gradient of the sum of `out` by x: a Tensor with a graph of its own. Zeros if x plays no part."""
    wants_gradients("gradient", out, x)
    (found,) = sweep.backward(out, Tensor(np.ones(out.shape)), create_graph=True, inputs=[x])
    return Tensor(np.zeros(x.shape)) if found is None else found


def along(out, x, v):
    """How `out` changes when x moves along the array v: forward through the graph, a Tensor like `out`."""
    wants_gradients("along", out, x)
    (found,) = sweep.forward([out], [x], [Tensor(v)])
    return Tensor(np.zeros(out.shape)) if found is None else found


def arrays(*rows):
    """A list of arrays of floats, made of lists."""
    return [np.array(row, dtype=float) for row in rows]


def seen(thing, kind=Tensor):
    """The array of a Tensor, or of a Node; of anything else, what it is."""
    if isinstance(thing, kind):
        return thing.data
    return None if thing is None else f"no {kind.__name__}: {type(thing).__name__}"

# %% [markdown]
# You will be able to
#
# - differentiate a backward pass, as often as you like;
# - use a Hessian that is too large to write down;
# - say how curved a minimum is, and which learning rate that allows;
# - train a network on a differential equation, and differentiate the result of a loop without its graph.
#
# **Time:** 200 minutes (105 without sections 5, 6, 7, 9). **Builds on:** 05, 06, 09.
#
# **Three questions first,** from earlier units.
#
# - *unit 10*: 400 examples in batches of 64, the last one smaller: how many steps has an epoch?
# - *unit 11*: what does a central difference of x³ give at 2, with h = 0.5?
# - *unit 11, errors*: what is the relative error between 8 and 10, by the larger?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 10": None, "unit 11": None, "unit 11, errors": None}

# %% jupyter={"source_hidden": true}
recall(
    answers,
    {
        "unit 10": lambda: -(-400 // 64),
        "unit 11": lambda: (2.5**3 - 1.5**3) / (2 * 0.5),
        "unit 11, errors": lambda: abs(8 - 10) / 10,
    },
)

# %% [markdown]
# ## 1. A rule made of operations
#
# A rule of unit 05 got arrays. Give it Tensors: then its products and sums are recorded, and what it sends back
# has a graph. The second derivative needs no rule of its own.
#
# Two helpers: `gradient(out, x)` is the gradient of the sum of `out` by x, and `along(out, x, v)` how `out`
# changes when x moves along the array v.
#
# **Predict, then run.** At a = 0.5 the slope of tanh is 0.786, and the slope of this slope is -0.727. What are the two
# with a colleague's rule, `g * (1 - np.tanh(a.data) ** 2)`?


# %%
prediction = (None, None)


def colleague_rule(g, out, a):
    """The cotangent of a, in a tuple of one, for out = tanh(a)."""
    return (g * (1 - np.tanh(a.data) ** 2),)


if predicted(prediction, "a_rule_of_arrays"):
    a = Tensor(np.array([0.5]), requires_grad=True)
    (first,) = colleague_rule(Tensor(np.ones(1)), a.tanh(), a)
    print("first:", first.data.round(3), "second:", gradient(first, a).data)

# %% [markdown]
# No error, and a wrong number: `.data` is a constant, with slope 0.
#
# ### Exercise `tanh_rule` (2 points)
# Write the rule for Tensors `g`, `out` and `a`, in plain operators, so that what it sends can be differentiated by
# `g` and by `a`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The formula of unit 05, without NumPy.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g * ...,)       # `out` is tanh(a), and remembers it
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A second derivative of 0: `.data` or `np` cut the graph. No tuple: mind the comma.
# </details>


# %% exercise="tanh_rule"
def tanh_rule(g, out, a):
    """The cotangent of a, in a tuple of one, for out = tanh(a); all are Tensors."""
    ### BEGIN SOLUTION
    return (g * (1 - out * out),)
    ### END SOLUTION


# %% probes="tanh_rule"
@probe
def tanh_sent(g, a):
    """What tanh_rule sends back, and derivatives of its sum: by a, by g, twice by a."""
    g, a = Tensor(g, requires_grad=True), Tensor(a, requires_grad=True)
    sent = tanh_rule(g, a.tanh(), a)
    if not (isinstance(sent, tuple) and len(sent) == 1):
        told = None if sent is None else f"no tuple of one: {type(sent).__name__}"
        return {"sent": told, "by a": None, "by g": None, "by a, twice": None}
    if not isinstance(sent[0], Tensor):
        return {"sent": seen(sent[0]), "by a": None, "by g": None, "by a, twice": None}
    second = gradient(sent[0], a)
    return {
        "sent": sent[0].data,
        "by a": second.data,
        "by g": gradient(sent[0], g).data,
        "by a, twice": gradient(second, a).data,
    }


# %% check="tanh_rule" points=2
with exercise("tanh_rule") as check:
    t, g = arrays([0.5, -0.8], [10, -1])
    got = tanh_sent(g, np.arctanh(t))
    check.close(got["sent"], np.array([7.5, -0.36]), "g times 1 - tanh²")
    check.close(got["by a"], np.array([-7.5, -0.576]), "the second: -2 tanh (1 - tanh²)")
    check.close(got["by g"], np.array([0.75, 0.36]), "g was multiplied by 1 - tanh²")
    check.close(got["by a, twice"], np.array([-3.75, -0.6624]), "the third comes free, too")
    far = tanh_sent(g, np.array([800.0, -800]))
    check.close(far["by a"], np.zeros(2), "tanh is flat at 800, where exp is infinite")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    for shape in ((2, 3), (), (1,), (4,)):
        cases = list(check.cases(4, array(*shape), array(*shape)))
        g, a = cases[0]
        # A g or an a of 0 has derivatives nevertheless.
        cases += [(np.zeros(shape), a), (g, np.zeros(shape)), (np.zeros(shape), np.zeros(shape))]
        for g, a in cases:
            t = np.tanh(a)
            s = 1 - t * t
            got, want = tanh_sent(g, a), {"sent": g * s, "by a": -2 * g * t * s, "by g": s, "by a, twice": g * s * (6 * t * t - 2)}
            for name, value in want.items():
                check.close(got[name], value, f"the derivative {name}", rtol=1e-9, atol=1e-12)
        g, a = cases[0]
        want = -2 * g * np.tanh(a) * (1 - np.tanh(a) ** 2)
        check.close(tanh_sent(g, a)["by a"], want, "the same numbers once more, in new Tensors", rtol=1e-9, atol=1e-12)
        # So near 0 that a difference of slopes finds nothing.
        for g, a in check.cases(2, array(2, 3), array(2, 3, low=0.5)):
            got = tanh_sent(g, a * 1e-6)
            check.close(got["by a"], -2 * g * a * 1e-6, "small numbers", rtol=2e-9, atol=0.0)
            check.close(got["by a, twice"], -2 * g, "near 0, the third derivative is -2")
        t = np.tanh(0.3)
        check.close(tanh_sent(np.ones(2), np.array([400.0, 0.3]))["sent"], np.array([0.0, 1 - t * t]), "far and near", atol=1e-12)
        far = np.array([400.0, -900.0])
        for name, value in tanh_sent(np.array([3.0, -2.0]), far).items():
            check.close(value, 0 * far, f"far from 0 tanh is flat: {name}", atol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. A backward pass that is recorded
#
# An engine as in unit 05, for arrays of one shape; rules get Nodes and give Nodes.


# %% given="node"
class Node:
    """An array, and how it was computed: the rule, and the Nodes that went in."""

    ages = itertools.count()
    __array_ufunc__ = None  # an array on the left leaves the operation to the Node

    def __init__(self, data, rule=None, parents=()):
        self.data, self.rule, self.parents = np.asarray(data, dtype=float), rule, parents
        self.age = next(self.ages)

    def __repr__(self):
        return f"Node({self.data})"

    def __add__(self, other):
        return made(np.add, lambda g, out, a, b: (g, g), self, other)

    def __mul__(self, other):
        return made(np.multiply, lambda g, out, a, b: (g * b, g * a), self, other)

    def __truediv__(self, other):
        return made(np.divide, lambda g, out, a, b: (g / b, -g * out / b), self, other)

    def __rtruediv__(self, other):
        return made(np.divide, lambda g, out, a, b: (g / b, -g * out / b), other, self)

    def __pow__(self, n):
        """A whole power, as of a Tensor."""
        if int(n) != n:
            raise ValueError(f"a Node has whole powers only, and this is {n}")
        return made(lambda a: a**n, lambda g, out, a: (g * (n * a ** (n - 1)) if n else g * 0.0,), self)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def tanh(self):
        return made(np.tanh, tanh_rule, self)

    __radd__, __rmul__ = __add__, __mul__


def made(forward, rule, *operands):
    """A new Node; a number among the operands becomes one without parents."""
    nodes = tuple(x if isinstance(x, Node) else Node(x) for x in operands)
    return Node(forward(*[node.data for node in nodes]), rule, nodes)


def newest_first(root):
    """All Nodes behind a root, and itself, each before those that it was made from: a Node is younger than these."""
    found, waiting = {root}, [root]
    while waiting:
        new = set(waiting.pop().parents) - found
        found |= new
        waiting += new
    return sorted(found, key=lambda node: node.age, reverse=True)


# %% [markdown]
# ### Exercise `gradients` (3 points)
# Return the gradients of the sum of `root`, one Node for each leaf, in a list. Give the rules Nodes, and add
# Nodes, so that `gradients` works on its own results. A leaf that plays no part gets zeros, `root` itself ones.
# Keep nothing on the Nodes, and ask each rule once.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A dict holds what has arrived at each Node, and all that arrives is a Node.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# arrived = {root: Node(...)}                       # ones, like the data of root
# for node in newest_first(root):
#     ...                                           # a leaf, or a number, sends nothing
#     for parent, part in zip(node.parents, node.rule(...)):
#         ...                                       # a first part, or a sum
# return [... for leaf in leaves]
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A second derivative of 0: `.data`, or a part in a new Node. Too small: parts add up.
# </details>


# %% exercise="gradients"
def gradients(root, leaves):
    """The gradients of the sum of root by each leaf: Nodes that know how they were made."""
    ### BEGIN SOLUTION
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is None:
            continue
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]
    ### END SOLUTION


# %% probes="gradients"
@probe
def derivatives_of(steps, values, wanted, order):
    """A program on leaves with these values: the gradients of its last Node by the leaves `wanted`, then those of
    the first of these gradients, and so on."""
    nodes, found = [Node(value) for value in values], [None] * order
    for sign, *places in steps:
        a, b = (nodes[place] for place in (*places, *places)[:2])
        if sign == "²":  # of one operand
            nodes.append(made(np.square, lambda g, out, x: (2.0 * g * x,), a))
        else:
            nodes.append(a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b)
    root, leaves = nodes[-1], [nodes[place] for place in wanted]
    for k in range(order):
        gradients(root, leaves[::-1])  # a call before may not matter
        parts = gradients(root, leaves)
        if not isinstance(parts, (list, tuple)):
            found[k] = seen(parts, list)
            break
        found[k] = [seen(part, Node) for part in parts]
        root = parts[0] if parts else None
        if not isinstance(root, Node):
            break
    return found


@probe
def after_a_call(x):
    """For a root of y * y + y: what its Nodes have after a call of `gradients` that they had not before, and how often
    the rule of y, which has two parents, was asked."""
    asked = []

    def rule(g, out, a, b):
        asked.append(1)
        return (g * b, g * a)

    x = Node(x)
    y = made(np.multiply, rule, x, 2.0)
    root = y * y + y
    gradients(root, [x, Node(1.0)])
    names = {name for node in newest_first(root) for name in vars(node)}
    return sorted(names - set(vars(Node(1.0)))), len(asked)


cube, both = [("*", 0, 0), ("*", 1, 0)], [("/", 0, 1), ("*", 2, 0)]  # x · x · x, and x / y · x
total = [("+", 0, 1)]  # x + y, which is leaf 2


# %% check="gradients" points=3
with exercise("gradients") as check:
    x, y = arrays([2, -1], [3, 5])
    got = derivatives_of(cube, [x], [0], 3)
    check.close(got, [[3 * x * x], [6 * x], [6 + 0 * x]], "x · x · x: 3x², then 6x, then 6")
    knot = derivatives_of([("*", 0, 0), ("*", 2, 0), ("+", 2, 3)], [x, y], [0, 1], 1)
    check.close(knot, [[2 * x + 3 * x * x, 0 * y]], "a + a x, of a = x²; y has no part")
    check.close(derivatives_of(cube, [0 * x], [0], 3)[2], [6 + 0 * x], "at 0: 0, 0, then 6")
    (one, other), more = derivatives_of(both, [x, y], [0, 1], 2)
    check.close((one, other), (2 * x / y, -x * x / y**2), "x/y · x: 2x/y, and -x²/y²")
    check.close(more, [2 / y, -2 * x / y**2], "the slopes of 2x/y: 2/y, and -2x/y²")
    check.close(derivatives_of(total, [x, y], [0, 1, 2], 1), [[x**0] * 3], "x + y: 1, 1, 1")
    check.equal(after_a_call(x), ([], 1), "nothing left on Nodes; each rule asked once")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    def expected(steps, values, wanted, order):
        nodes, found = [Tensor(value, requires_grad=True) for value in values], []
        for sign, *places in steps:
            a, b = (nodes[place] for place in (*places, *places)[:2])
            if sign == "²":
                nodes.append(a**2)
            else:
                nodes.append(a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b)
        root = nodes[-1]
        for _ in range(order):
            parts = [gradient(root, nodes[place]) for place in wanted]
            found.append([part.data for part in parts])
            root = parts[0]
        return found

    def without_small_divisors(steps, values):
        """The program, with a product where it would divide by a difference that is 0 or nearly 0: what is left there
        is rounding, and two right orders of a sum have different rounding."""
        values, kept = list(values), []
        for sign, *places in steps:
            a, b = (values[place] for place in (*places, *places)[:2])
            sign = "*" if sign == "/" and np.abs(b).min() < 0.1 else sign
            values.append({"+": a + b, "-": a - b, "*": a * b, "²": a * a}[sign] if sign != "/" else a / b)
            kept.append((sign, *places))
        return kept

    programs = [
        ([], 1, [0, 0], 2),
        ([("*", 0, 1), ("+", 2, 0)], 2, [3, 0, 1], 1),
        ([("/", 0, 1), ("/", 2, 0), ("*", 3, 3)], 2, [1, 0], 3),
        ([("/", 0, 1), ("-", 0, 2), ("*", 3, 2)], 2, [1, 0], 3),
        ([("*", 0, 0), ("+", 2, 1), ("*", 3, 2), ("+", 4, 2), ("/", 5, 1)], 2, [0, 1], 3),
        ([("+", 0, 0), ("-", 1, 1)], 1, [0], 2),
        ([("²", 0), ("*", 2, 1), ("²", 3), ("-", 4, 0)], 2, [0, 1], 3),
    ]
    for _ in range(12):
        steps = [(check.rng.choice("+-**/"), check.rng.randrange(2 + i), check.rng.randrange(2 + i)) for i in range(5)]
        programs.append((steps, 2, check.rng.sample([0, 1], 2), 2))
    for steps, count, wanted, order in [*programs, ([("*", 0, 0)], 1, [0], 3), (cube, 1, [0], 3), (both, 2, [1, 0], 2)]:
        shape = check.rng.choice([(2, 3), (3,), (), (1,)])
        drawn = [value for (value,) in check.cases(count, array(*shape, low=0.5, high=1.5))]
        nothing = np.zeros(shape)
        # A part that is 0 has slopes nevertheless: those of x², at 0, are 0 and 2.
        for values in (drawn, [nothing, *drawn[1:]], [*drawn[:-1], nothing], [nothing] * count):
            kept = without_small_divisors(steps, values)
            want = expected(kept, values, wanted, order)
            size = max(1.0, *[float(np.abs(part).max()) for parts in want for part in parts])
            check.close(derivatives_of(kept, values, wanted, order), want, "as the engine has it", rtol=1e-9, atol=1e-10 * size)
    ### END HIDDEN TESTS

# %% [markdown]
# Your rule and pass. What to see: each curve is the slope of the one before; the rings are
# central differences.


# %% figure="tanh_family"
def tanh_family():
    x = np.linspace(-3, 3, 121)
    leaf = Node(x)
    curves, y = {}, leaf.tanh()
    names = ["tanh", "slope", "second", "third"]
    ax, nearby = plots.panels(1)[0], [3 * k for k in range(1, 40)]
    for name in names:
        if curves:
            (y,) = gradients(y, [leaf])
        curves[name] = x, y.data
    plots.lines(curves, ax=ax, title="tanh and its derivatives, all by one rule", xlabel="x")
    for before, after in zip(names, names[1:]):
        rise = (np.roll(curves[before][1], -1) - np.roll(curves[before][1], 1))[nearby] / (2 * (x[1] - x[0]))
        assert abs(rise - curves[after][1][nearby]).max() < 0.02, f"{after} is not the slope of {before}"
        ax.plot(x[nearby], rise, "o", color="black", markersize=4, fillstyle="none")


tanh_family()

# %% [markdown]
# In PyTorch a pass is recorded with `create_graph=True`. From here on the engine does it: `gradient` is your `gradients`,
# and `along` goes *forward* through the same graph, by tangents, as in unit 02.
#
# ## 3. The Hessian, and why not
#
# With n parameters the gradient has n entries, and each has n slopes: the *Hessian*, n rows. For x²y at (2, 3) the
# gradient is (2xy, x²) = (12, 4), the Hessian has the rows (2y, 2x) = (6, 4) and (2x, 0) = (4, 0). Row i is the gradient of
# entry i of the gradient.
#
# ### Exercise `hessian_by_rows` (2 points)
# `f` takes a Tensor and gives a Tensor of one number; `x` is an array (n,); all arrays of this unit hold floats. Return
# the Hessian at x, an array (n, n).
#
# <details><summary>Hint 1: a sketch</summary>
#
# One gradient of `f`, then one of each of its entries: `g[i]` is recorded.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# x = Tensor(x, requires_grad=True)
# g = ...
# return np.array([... for i in range(x.size)])      # rows are arrays: .data
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Zeros: `g` was made a new Tensor. One row only: `gradient(g, x)` is that of the *sum* of g.
# </details>


# %% exercise="hessian_by_rows"
def hessian_by_rows(f, x):
    """All second derivatives of f at x, an array (n, n), by n + 1 backward passes."""
    ### BEGIN SOLUTION
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.array([gradient(g[i], x).data for i in range(x.size)])
    ### END SOLUTION


# %% probes="hessian_by_rows"
def function_of(name, weights):
    """A function from Tensors to one number."""
    known = {
        "x²y": lambda p: p[0] * p[0] * p[1],
        "eˣy + 1e12 x": lambda p: p[0].exp() * p[1] + 1e12 * p[0],
        "linear": lambda p: (p * weights).sum(),
        "cubes": lambda p: (p * p * p * weights).sum(),
        "network": lambda p: ((p @ weights).tanh() * 2.0).exp().sum(),
        "steep": lambda p: ((p @ weights).tanh() * 2.0).exp().sum() + 1e9 * p.sum(),
    }
    return known[name]


@probe
def hessian_of(name, x, weights):
    """hessian_by_rows of the function of that name."""
    return hessian_by_rows(function_of(name, weights), x)


# %% check="hessian_by_rows" points=2
with exercise("hessian_by_rows") as check:
    x, w = arrays([2, 3], [4, -1])
    H = np.array([[6.0, 4], [4, 0]])
    check.close(hessian_of("x²y", x, w), H, "rows (2y, 2x) and (2x, 0)")
    check.untouched("x stays as it was")
    got = hessian_of("cubes", *arrays([2, 3, 1], [4, -1, 5]))
    check.close(got, np.diag([48.0, -18, 30]), "4x³ - y³ + 5z³: 24x, -6y and 30z")
    check.close(hessian_of("linear", x, w), np.zeros((2, 2)), "4x - y is not curved")
    check.close(hessian_of("cubes", x[:1], w[:1]), np.array([[48.0]]), "n = 1: (1, 1), too")
    got = hessian_of("eˣy + 1e12 x", x * [0, 1], w)  # at (0, 3)
    H = np.array([[3.0, 1], [1, 0]])
    check.close(got, H, "rows (eˣy, eˣ) and (eˣ, 0): exact beside a slope of 1e12")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import hessian
    from autograder import array

    for n in (1, 3, 4):
        for x, weights in check.cases(3, array(n, low=-1, high=1), array(n, 5, low=-1, high=1)):
            for name in ("network", "steep"):
                want = hessian(function_of("network", weights))(x).data
                check.close(hessian_of(name, x, weights), want, "exact, also beside a slope of 1e9", rtol=1e-9)
            check.untouched()
    for x, weights in check.cases(3, array(3), array(3)):
        check.close(hessian_of("cubes", x, weights), np.diag(6 * x * weights), "cubes")
    for x, weights in check.cases(2, array(2), array(2)):
        for flat in (x * [0, 1], x * [1, 0], 0 * x):
            H = np.array([[2 * flat[1], 2 * flat[0]], [2 * flat[0], 0]])
            check.close(hessian_of("x²y", flat, weights), H, "a slope of 0 has slopes nevertheless")
    ### END HIDDEN TESTS

# %% [markdown]
# With a million parameters these are 10¹² numbers, eight terabytes.
#
# ## 4. Hessian times vector
#
# What one needs of a Hessian is nearly always its *product* with a vector: $Hv$ says how the gradient changes when x
# moves along v. For x²y at (2, 3) and v = (1, 10) that is (6·1 + 4·10, 4·1) = (46, 4).
#
# ### Exercise `hvp` (3 points)
# Write `hvp(f, x, v)`: `f` as before, `x` and `v` arrays of one shape, any shape, and so is the result. Exact, no
# difference, and with a number of operations that does not grow with n.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The gradient is a Tensor with a graph. Go through that graph once: forward along v, or backward from one number.
# </details>
# <details><summary>Hint 2: which number</summary>
#
# Row i of H is the gradient of `g[i]`. Of which sum is v[0] · row 0 + v[1] · row 1 + … the gradient?
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many operations: rows, one by one. Wrong digits: a difference is not exact.
# </details>


# %% exercise="hvp"
def hvp(f, x, v):
    ### BEGIN SOLUTION
    x = Tensor(x, requires_grad=True)
    return along(gradient(f(x), x), x, v).data
    ### END SOLUTION


# %% probes="hvp"
@probe
def product_of(name, x, weights, v):
    """hvp of the function of that name; of a function of arrays of any shape, too."""
    known = {
        "sheet": lambda p: (p * p * p * weights).sum() + (p[0] * p[1]).sum(),
        "plain": lambda p: (p * weights).sum(),
    }
    return hvp(known.get(name) or function_of(name, weights), x, v)


@probe
def operations_of(x, weights, v):
    """What hvp gives, and how many operations the engine records meanwhile: each gets the next number."""
    def newest():
        return (Tensor(1.0, requires_grad=True) * 2.0).grad_fn.number

    before = newest()
    out = hvp(function_of("cubes", weights), x, v)
    return out, newest() - before


@probe
def products_in_turn(xs, weights, v):
    """hvp of one and the same function at each of xs."""
    f = function_of("cubes", weights)
    return [hvp(f, x, v) for x in xs]


# %% check="hvp" points=3
with exercise("hvp") as check:
    x, w, v, h = arrays([2, 3], [4, -1], [1, 10], [48, -180])
    rows = np.stack([x, w, v * [0, 1]])  # a 0 in x and in v
    check.close(product_of("x²y", x, w, v), np.array([46.0, 4]), "rows (6, 4) and (4, 0)")
    check.untouched("x and v stay as they were")
    check.close(products_in_turn([x, -x], w, v), [h, -h], "H is 24x and -6y: at x, at -x")
    check.close(product_of("eˣy + 1e12 x", x * [0, 1], w, v), [13.0, 1], "exact, at (0, 3)")
    got, count = operations_of(*[n := np.linspace(1.0, 2.0, 300)] * 3)
    check.close(got, 6 * n**3, "300 numbers at once")
    check.true(count < 100, "a few dozen operations, and no rows")
    got = product_of("sheet", rows, rows[::-1], rows[[1, 2, 0]])
    check.close(got, np.array([[0.0, -170], [4, 59], [0, 540]]), "x of shape (3, 2)")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import hessian
    from autograder import array, integer

    small = 1e-20 * np.array([1.0, 10])
    got = product_of("cubes", *arrays([2, 3], [4, -1]), small)
    check.close(got, small * [48, -18], "small is not 0", atol=0.0)
    for n in (1, 3, 4):
        for x, weights, v in check.cases(3, array(n, low=-1, high=1), array(n, 5, low=-1, high=1), array(n)):
            want = hessian(function_of("network", weights))(x).data @ v
            for name in ("network", "steep"):
                check.close(product_of(name, x, weights, v), want, "exact, also beside a slope of 1e9", rtol=1e-9)
            check.untouched()
    for shape in ((2, 3), (4, 2), (3, 1, 2)):
        for x, weights, v in check.cases(2, *[array(*shape)] * 3):
            want = 6 * x * weights * v
            want[0] += v[1]
            want[1] += v[0]
            check.close(product_of("sheet", x, weights, v), want, "any shape")
            check.close(product_of("plain", x, weights, v), 0 * v, "not curved")
            check.close(product_of("sheet", x, weights, 0 * v), 0 * v, "v = 0: the gradient does not change")
    for n in (2, 4):
        for x, weights, v, one in check.cases(2, *[array(n)] * 3, integer(0, n - 1)):
            for some in (v * (np.arange(n) != one), v * (np.arange(n) == one)):
                check.close(product_of("cubes", x, weights, some), 6 * x * weights * some, "v has a 0, or one number that is not 0")
    for x, weights, v in check.cases(2, *[array()] * 3):
        got = product_of("cubes", x, weights, v)
        check.close(got, 6 * x * weights * v, "a single number")
        check.close(np.shape(got), (), "a single number has the shape ()")
    for x, weights, v in check.cases(2, *[array(2)] * 3):
        for flat in (x * [0, 1], x * [1, 0], 0 * x):
            want = np.array([2 * flat[1] * v[0] + 2 * flat[0] * v[1], 2 * flat[0] * v[0]])
            check.close(product_of("x²y", flat, weights, v), want, "a slope of 0 has slopes nevertheless")
    for x, y, weights, v in check.cases(2, *[array(4)] * 4):
        want = [6 * x * weights * v, 6 * y * weights * v]
        check.close(products_in_turn([x, y], weights, v), want, "the same function, at another place")
    for x, weights, v in check.cases(1, array(900), array(900), array(900)):
        got, count = operations_of(x, weights, v)
        check.close(got, 6 * x * weights * v, "900 numbers at once")
        check.true(count < 100, "as many operations for 900 numbers")
    ### END HIDDEN TESTS

# %% [markdown]
# What to see: differences of gradients keep at most eleven digits, whatever the step. The operations that the engine
# records are as many for 4 numbers as for 64; only the rows need more.


# %% figure="exact"
def exact():
    def f(p):
        return (p.tanh() * p).exp().sum()

    rng = np.random.default_rng(0)
    x, v = rng.normal(size=(2, 5))
    steps = np.logspace(-9, -1, 33)

    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    product = hvp(f, x, v)
    rows = hessian_by_rows(f, x) @ v
    errors = [abs((slopes(x + h * v) - slopes(x - h * v)) / (2 * h) - rows).max() for h in steps]
    assert min(errors) > 1e-12 > abs(product - rows).max(), "hvp and hessian_by_rows are not equal to the last digits"
    left, right = plots.panels(2)
    curves = {"difference of gradients": (steps, errors), "hvp": (steps, [abs(product - rows).max()] * 33)}
    plots.lines(curves, ax=left, log="xy", xlabel="step h", title="error of Hv")

    def newest():
        """The number of a new operation: each gets the next one."""
        return (Tensor(1.0, requires_grad=True) * 2.0).grad_fn.number

    def operations(work, at):
        before = newest()
        work(at)
        return newest() - before - 1

    sizes, counts = [4, 8, 16, 32, 64], {"gradient": [], "hvp": [], "rows, times v": []}
    for n in sizes:
        at = rng.normal(size=n)
        for name, work in zip(counts, (slopes, lambda at: hvp(f, at, at), lambda at: hessian_by_rows(f, at) @ at)):
            counts[name].append(operations(work, at))
    assert counts["gradient"][0] == counts["gradient"][-1] and counts["hvp"][0] == counts["hvp"][-1] < 100, (
        "hvp grows with n"
    )
    assert counts["rows, times v"][-1] > 10 * counts["rows, times v"][0], "the rows do not grow with n"
    curves = {name: (sizes, found) for name, found in counts.items()}
    plots.lines(curves, ax=right, log="xy", xlabel="n, how many numbers", title="operations recorded")


exact()

# %% [markdown]
# `along(gradient(...))` is *forward over reverse*, backward twice *reverse over reverse*. Both are exact.
#
# ## 5. Newton, by products alone
#
# Near x, f looks like a parabola with the gradient g and the Hessian H. It is flat at $x-p$ with $Hp=g$: to go there is
# **Newton's step**. To solve $Hp=b$ without H, *conjugate gradients* take one product a step. Let $r=b-Hp$ be what is
# missing, and d the direction of a step: with p = 0 both are b. Repeat:
#
# $$a=\frac{r\cdot r}{d\cdot Hd},\quad p\leftarrow p+a\,d,\quad r'=r-a\,Hd,\quad
# d'=r'+\frac{r'\cdot r'}{r\cdot r}\,d,\quad r\leftarrow r',\quad d\leftarrow d'$$
#
# 1. a makes $r'\cdot d=0$: along d nothing is missing.
# 2. A step along d' takes a multiple of Hd' off r'. It leaves 1 true if $d'\cdot Hd=0$: *conjugate* directions.
# 3. Put in $d'=r'+\beta d$ and $a\,Hd=r-r'$. As $r\cdot d=r\cdot r$, and $r'\cdot r=0$ (r is d less a share of the d
#    before), $\beta\,r\cdot r-r'\cdot r'=0$ is left.
# 4. The same holds for all r and d before. If $d\cdot Hd>0$ for all d but 0 (*positive definite*), after n steps p
#    is exact, up to rounding.
#
# Curvatures 1 and 3, $b=(1,1)$: $a=1/2$, $r'=(1/2,-1/2)$, $\beta=1/4$, $d'=(3/4,-1/4)$; the next a, 2/3, leads to
# $(1,1/3)$.
#
# ### Exercise `conjugate_gradients` (3 points)
# `product(d)` gives $Hd$; do not write into it. Return p after `steps` steps, of one product each, or as soon as r·r is
# 0: the next step is 0/0. Nothing else is a reason to stop.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Keep r·r: it is needed twice.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# p, r, d = ..., b, b
# for _ in range(steps):
#     size = ...                  # r · r
#     if ...: break
#     ...                         # the formulas, each a new array
# return p
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The second step is wrong: which r stands where in the new d? Changed b: `r -= ...` writes into it.
# </details>


# %% exercise="conjugate_gradients"
def conjugate_gradients(product, b, steps):
    """p with H p = b, after at most so many steps from p = 0; product(d) is H d."""
    ### BEGIN SOLUTION
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p
    ### END SOLUTION


# %% probes="conjugate_gradients"
@probe
def solved(M, b, steps, sign=1.0):
    """What conjugate_gradients gives for the matrix MᵀM, times a sign, and for how many products it asks."""
    asked = []

    def product(d):
        asked.append(1)
        return sign * (M.T @ (M @ d))

    return conjugate_gradients(product, b, steps), len(asked)


@probe
def products_kept(M, b, steps):
    """What conjugate_gradients gives for MᵀM, and by how much what `product` gave differs at the end from what it was."""
    given = []

    def product(d):
        given.append((M.T @ (M @ d), M.T @ (M @ d)))
        return given[-1][0]

    return conjugate_gradients(product, b, steps), max(abs(one - other).max() for one, other in given)


# %% check="conjugate_gradients" points=3
with exercise("conjugate_gradients") as check:
    (b, h), M = arrays([-45, 8, 25], [1, 4, 25]), np.diag([1.0, 2, 5])  # H: 1, 4, 25
    a, want, tiny = (b @ b) / (b @ (h * b)), b / h, np.array([1e-20, 0, 1e-32])
    check.close(solved(M, b, 1), (a * b, 1), "a step along b, for one product")
    check.untouched("b stays as it was")
    check.close(solved(M, b, 3), (want, 3), "three steps and products: exact, as n = 3")
    check.close(solved(M, b, 3, -1.0), (-want, 3), "d · Hd below 0: no reason to stop")
    check.close(products_kept(M, b, 3)[1], 0.0, "what `product` gave stays as it was")
    check.close(solved(M, b * [1, 0, 0], 5), (want * [1, 0, 0], 1), "a next step is 0 / 0")
    check.close(solved(M, 0 * b, 2), (0 * b, 0), "b = 0: nothing to do")
    check.close(solved(M, tiny, 2), (tiny / h, 2), "small is not 0, nor beside b", atol=0.0)
    check.close(solved(M**10, b, 20)[0], b / h**10, "rounding spoils three steps: 20 help")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    def walked(H, b, steps):
        p, r, d = 0 * b, b.copy(), b.copy()
        for _ in range(steps):
            a = (d @ r) / (d @ H @ d)
            p = p + a * d
            r = b - H @ p
            d = r - (r @ H @ d) / (d @ H @ d) * d
        return p

    for n in (3, 4):
        for M, b in check.cases(4, array(n + 2, n), array(n)):
            M = M + 3 * np.eye(n + 2, n)
            for steps in range(n):
                want = walked(M.T @ M, b, steps)
                check.close(solved(M, b, steps), (want, steps), f"after {steps} steps", rtol=1e-6, atol=1e-9)
            check.untouched()
            got, products = solved(M, b, n)
            check.close(got, np.linalg.solve(M.T @ M, b), "exact after n steps", rtol=1e-6, atol=1e-9)
            check.close(products_kept(M, b, n), (got, 0.0), "what `product` gave stays as it was", rtol=1e-9)
            check.close(products, n, "one product a step")
            got, products = solved(M, b, n, -1.0)
            check.close(got, -np.linalg.solve(M.T @ M, b), "d · Hd is negative", rtol=1e-6, atol=1e-9)
    small = 1e-152 * np.array([1.0, 2.0, -1.0])  # whose r · r is below 1e-300, and not 0
    check.close(solved(np.diag([1.0, 2, 5]), small, 3)[0], small / [1.0, 4, 25], "however small b is", rtol=1e-6, atol=0.0)
    check.close(solved(np.diag([1.0, 2, 5]), 1e-18 * small, 3), (0 * small, 0), "r · r is 0, though r is not")
    hilbert, want = 1 / (1 + np.add.outer(np.arange(4.0), np.arange(4.0))), np.array([1.0, -2.0, 0.5, 3.0])
    got, products = solved(hilbert, hilbert.T @ (hilbert @ want), 12)
    check.close(got, want, "where rounding spoils n steps, more of them help", rtol=1e-5)
    # Three different curvatures: three steps, however many numbers; those that follow do no harm.
    M = np.diag(np.sqrt([1.0, 1, 4, 4, 9, 9, 9]))
    for (b,) in check.cases(3, array(7)):
        for steps in (3, 4, 5):
            check.close(solved(M, b, steps)[0], b / np.diag(M) ** 2, "three steps, then nothing", rtol=1e-7, atol=1e-9)
    M, b = np.diag(np.sqrt(np.arange(1.0, 13))), np.ones(12)
    check.close(solved(M, b, 12), (b / np.arange(1.0, 13), 12), "twelve curvatures, twelve steps, all conjugate")
    check.close(solved(np.diag([2.0]), np.array([3.0]), 3), (np.array([0.75]), 1), "one number")
    M, b = np.diag(np.sqrt(np.arange(1.0, 61))), np.ones(60)
    check.close(solved(M, b, 55)[1], 55, "one product a step, however many steps")
    ### END HIDDEN TESTS

# %% [markdown]
# What to see, left: steps along gradients zigzag; conjugate ones arrive with the second. Middle, where level lines are
# stretched to circles, the conjugate steps are perpendicular. Right, n = 50, curvatures from 1 to 100: long before 50
# steps little is missing; with five different curvatures, nothing after five.


# %% figure="fifty"
def fifty():
    plane, stretched, right = plots.panels(3, columns=3, height=3.3)
    root = np.array([1.0, 3.0])  # of the curvatures 1 and 9
    start, product = np.array([-2.7, 0.9]), lambda d: root**2 * d
    again = [start]
    for _ in range(8):  # one step, along the gradient, and all anew
        again.append(again[-1] - conjugate_gradients(product, product(again[-1]), 1))
    at_once = [start - conjugate_gradients(product, product(start), k) for k in range(3)]
    paths = {"along the gradient": np.array(again), "conjugate": np.array(at_once)}
    steps = np.diff(root * at_once, axis=0)
    assert abs(steps[0] @ steps[1]) < 1e-9 and abs(at_once[2]).max() < 1e-9 < abs(again[8]).max(), (
        "the steps are not conjugate"
    )
    limits = {"x": (-3.2, 0.8), "y": (-2, 2)}
    plots.contour(lambda x, y: x * x + 9 * y * y, paths, title="curvatures 1 and 9", ax=plane, **limits)
    paths = {name: root * points for name, points in paths.items()}
    plots.contour(lambda x, y: x * x + y * y, paths, title="stretched: 1 and 1", ylabel="3 y", ax=stretched, x=limits["x"], y=(-1, 3))
    back, on = (0.3 * step / np.linalg.norm(step) for step in (-steps[0], steps[1]))
    corner = root * at_once[1] + np.array([back, back + on, on])
    stretched.plot(*corner.T, color="black", linewidth=1)  # a right angle

    b, steps, curves = np.random.default_rng(0).normal(size=50), np.arange(41), {}
    for name, h in {"50 curvatures": np.logspace(0, 2, 50), "5 curvatures": np.repeat([1.0, 10, 25, 50, 100], 10)}.items():
        found = [conjugate_gradients(lambda d: h * d, b, k) for k in steps]
        curves[name] = steps, [np.linalg.norm(b - h * p) / np.linalg.norm(b) for p in found]
    few = curves["5 curvatures"][1]
    assert curves["50 curvatures"][1][25] < 0.01 and few[5] < 1e-9 < 0.1 < few[4], (
        "too much is missing after 25 or 5 steps"
    )
    plots.lines(curves, log="y", xlabel="step", title="|b - Hp| / |b|", ax=right)


fifty()

# %% [markdown]
# Newton's method:


# %% given="newton"
def newton(f, x, steps):
    """The points of Newton's method; each step solves H p = g by products."""
    points = [x]
    for _ in range(steps):
        at = Tensor(points[-1], requires_grad=True)
        g = gradient(f(at), at).data
        p = conjugate_gradients(lambda d: hvp(f, at.data, d), g, len(g))
        points.append(points[-1] - p)
    return np.array(points)


# %% [markdown]
# A curved valley, $10(y-x^2)^2+(1-x)^2$, with its minimum at (1, 1). What to see: Adam creeps along the floor; Newton
# jumps, twice to a *higher* place, and arrives with the seventh step. Each costs a gradient and two products: the seven
# record as much as 32 gradients.


# %% figure="bent"
def bent_valley():
    def f(p):
        return 10 * (p[1] - p[0] * p[0]) ** 2 + (1 - p[0]) ** 2

    start = np.array([-1.2, 1.0])
    point = Tensor(start.copy(), requires_grad=True)
    adam, path = optim.Adam([point], lr=0.1), [start]

    def newest():
        """The number of a new operation: each gets the next one."""
        return (Tensor(1.0, requires_grad=True) * 2.0).grad_fn.number

    counted = [newest()]
    for _ in range(30):
        adam.zero_grad()
        f(point).backward()
        adam.step()
        path.append(point.data.copy())
    counted.append(newest())
    paths = {"Adam, 30 steps": np.array(path), "Newton, 7 steps": newton(f, start, 7)}
    counted.append(newest())
    gradient(f(point), point)
    counted.append(newest())
    counts = [count - 1 for count in np.diff(counted)]  # newest() makes one itself
    heights = {name: [f(p).item() for p in map(Tensor, points)] for name, points in paths.items()}
    assert heights["Adam, 30 steps"][-1] > 1 > 1e-9 > heights["Newton, 7 steps"][-1], "Newton does not arrive"
    assert (np.diff(heights["Newton, 7 steps"]) > 0).sum() == 2, "Newton does not go up twice"
    for (name, values), count in zip(heights.items(), counts):
        print(f"{name}: value {values[-1]:.1e}, {count} operations recorded")
    print(f"one gradient: {counts[2]}")
    return plots.moving_paths(
        lambda x, y: np.log(0.1 + 10 * (y - x * x) ** 2 + (1 - x) ** 2), paths, x=(-1.6, 1.4), y=(-1.3, 1.6), between=2
    )


bent_valley()

# %% [markdown]
# **Predict, then run.** x⁴/4 - x²/2 has minima at -1 and 1. Where does Newton's method end from 2, and from 0.1?

# %%
prediction = (None, None)

if predicted(prediction, "newton_on_a_hill"):
    for start in (2.0, 0.1):
        path = newton(lambda p: (p**4 / 4 - p**2 / 2).sum(), np.array([start]), 8)
        print(f"from {start}:", path[:, 0].round(3) + 0.0)

# %% [markdown]
# The maximum at 0 is flat, too: where the curvature is negative, Newton's step leads uphill.
#
# ## 6. How curved is a minimum?
#
# The largest curvature sets the limit of unit 09: with a rate above 2 / curvature, gradient descent cannot stay in a
# minimum. It is an *eigenvalue* of H: for one direction v, Hv is that number times v. *Power iteration*,
# $v\leftarrow Hv/\lVert Hv\rVert$, turns nearly every v towards that of the eigenvalue largest in absolute value. In a
# minimum this is the largest: none is negative. $v\cdot Hv$ is the curvature along v of length 1.
#
# ### Exercise `sharpest` (2 points)
# Do this `steps` times (at least once), from v. Return the curvature along the last v, a float, and this v.
#
# <details><summary>Hint 1: a sketch</summary>
#
# One product in the loop, one after it.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for _ in range(steps):
#     v = product(v)
#     v = ...                         # length 1: np.linalg.norm
# return float(...), v
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Infinite: divide in each step. Always positive: the length of Hv is no curvature.
# </details>


# %% exercise="sharpest"
def sharpest(product, v, steps):
    """The curvature along the sharpest direction, and that direction; product(d) is H d."""
    ### BEGIN SOLUTION
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(v @ product(v)), v
    ### END SOLUTION


# %% probes="sharpest"
@probe
def sharpest_of_one(v, steps):
    """What sharpest gives where Hv is v, the very array."""
    return sharpest(lambda d: d, v, steps)


@probe
def sharpest_of(M, signs, v, steps):
    """What sharpest gives for the matrix Mᵀ diag(signs) M."""
    return sharpest(lambda d: M.T @ (signs * (M @ d)), v, steps)


# %% check="sharpest" points=2
with exercise("sharpest") as check:
    M, (v, w) = np.diag([2.0, 5.0]), arrays([2, 1], [-3, -4])  # H is diagonal: 4 and 25
    got = sharpest_of(M, np.ones(2), v, 1)
    check.close(got[1], np.array([8.0, 25]) / np.sqrt(689), "Hv = (8, 25), at length 1")
    check.untouched("v stays as it was")
    check.close(got[0], (4 * 64 + 25 * 625) / 689, "v · Hv for this v")
    got = sharpest_of(M, np.array([1.0, -1]), v, 500)
    check.close(got, (-25.0, np.array([0.0, 1])), "H has 4 and -25: a negative curvature")
    check.close(sharpest_of_one(w, 2), (1.0, np.array([-0.6, -0.8])), "here Hv is v itself")
    check.untouched("v stays as it was, also where product gives it back")
    value, (one, two) = sharpest_of(np.diag([1, 1.00001**0.5]), np.ones(2), v, 1000)
    check.close(two / one, 1.00001**1000 / 2, "curvatures 1 and 1.00001: all 1000 steps")
    ### BEGIN HIDDEN TESTS
    from autograder import array, one_of

    for M, signs, v, steps in check.cases(8, array(4, 3), array(4), array(3), one_of([1, 2, 3, 6])):
        H, want = M.T @ (signs[:, None] * M), v
        for _ in range(steps):
            want = H @ want
            want = want / np.sqrt(want @ want)
        got = sharpest_of(M, signs, v, steps)
        check.close(got, (float(want @ H @ want), want), f"after {steps} steps", rtol=1e-9)
        check.untouched()
    # Curvatures 2 and -3: along v = (2, -1) / √5, (4, 3) / 5 and (8, -9) / √145 they are 1, 0.2 and -0.79.
    for steps, value, v in ((1, 1.0, [2, -1]), (2, 0.2, [4, 3]), (3, -115 / 145, [8, -9])):
        got = sharpest_of(np.eye(2), np.array([2.0, -3.0]), np.array([3.0, 1.0]), steps)
        check.close(got, (value, v / np.linalg.norm(v)), "the curvature along the last v, also where it was larger before")
    for M, v in check.cases(3, array(4, 3), array(3)):
        for scale in (1e3, 1e-3):
            value, direction = sharpest_of(scale * M, np.ones(4), v, 2000)
            check.close(value, np.linalg.eigvalsh(scale**2 * M.T @ M)[-1], "2000 steps", rtol=1e-4)
            check.close(float(direction @ direction), 1.0, "of length 1")
    got = sharpest_of(np.diag([1.0, 2.0]), np.ones(2), np.array([1.0, 1e-14]), 40)  # curvatures 1 and 4
    want = np.array([1.0, 4.0**40 * 1e-14])
    check.close(got[1], want / np.linalg.norm(want), "40 steps, also where the first ones move nearly nothing")
    for times in (1.00001, 1.0000001):
        ratio = times**1000  # of the curvatures, to the power of the steps
        want = np.array([1.0, ratio]) / np.sqrt(1 + ratio**2)
        got = sharpest_of(np.diag([1.0, times**0.5]), np.ones(2), np.array([1.0, 1.0]), 1000)
        check.close(got[1], want, "1000 steps, however small", rtol=1e-8)
    ### END HIDDEN TESTS

# %% [markdown]
# A small network learns sin(2x) by gradient descent; `hvp` and `sharpest` watch its curvature.
#
# **Predict, then run.** With a rate of 0.2 descent stays only where the curvature is at most 2 / 0.2 = 10. It begins at
# 12. What is it after 2000 steps of 0.2, and of 0.05: far below 10, about 10, or above?


# %% given="descents"
POINTS = np.linspace(-2.0, 2.0, 20)[:, None]


def wave_loss(p):
    """The loss of a network of 16 tanh neurons whose 49 parameters lie in one Tensor."""
    w, b, v, c = p[:16], p[16:32], p[32:48], p[48]
    out = ((POINTS * w + b).tanh() * v).sum(1) + c
    return ((out - np.sin(2 * POINTS[:, 0])) ** 2).mean()


def first_parameters(seed):
    scale = np.concatenate([np.ones(32), np.full(16, 0.25), [0.0]])
    return np.random.default_rng(seed).normal(size=49) * scale


def descend(p, rate, steps):
    """The losses of gradient descent, and where it ends."""
    losses = []
    for _ in range(steps):
        leaf = Tensor(p, requires_grad=True)
        loss = wave_loss(leaf)
        loss.backward()
        losses.append(loss.item())
        p = p - rate * leaf.grad.data
    return losses, p


def curvature(p, v, steps=10):
    return sharpest(lambda d: hvp(wave_loss, p, d), v, steps)


# %%
prediction = (None, None)

if predicted(prediction, "curvature_at_the_end"):
    for rate in (0.2, 0.05):
        _, p = descend(first_parameters(1), rate, 2000)
        print(f"after 2000 steps of {rate}: {curvature(p, np.ones(49), 300)[0]:.1f}")

# %% figure="two_minima"
def two_minima():
    left, right = plots.panels(2)
    curves, slices, ends = {}, {}, {}
    for rate in (0.05, 0.2):
        p, v, found = first_parameters(1), np.ones(49), []
        for _ in range(50):
            value, v = curvature(p, v)
            found.append(value)
            losses, p = descend(p, rate, 40)
        value, v = curvature(p, v, 300)
        ends[rate] = value
        print(f"rate {rate}: loss {losses[-1]:.3f}, curvature {value:.0f}; 2 / rate is {2 / rate:.0f}")
        curves[f"rate {rate}"] = np.arange(50) * 40, found
        away = np.linspace(-0.25, 0.25, 41)
        slices[f"rate {rate}"] = away, [wave_loss(Tensor(p + s * v)).item() for s in away]
    assert ends[0.05] > 16 and abs(ends[0.2] - 10) < 0.5, "the curvatures at the end are not about 17 and 10"
    curves["2 / 0.2"] = [0, 1960], [10, 10]
    plots.lines(curves, ax=left, title="largest curvature", xlabel="step")
    plots.lines(slices, ax=right, title="loss along the most curved direction", xlabel="away from the minimum")


two_minima()

# %% [markdown]
# What to see: descent drifts to where the loss is more curved, as with many networks. With the large rate the curvature
# falls at first: above 10, steps overshoot and land in flatter places. Then it rises again, and swings about 10, less
# and less: the *edge of stability*. From the narrow minimum of the small rate the limit is 2 / 17:


# %%
_, p = descend(first_parameters(1), 0.05, 2000)
value, v = curvature(p, np.ones(49), 300)
for share in (0.9, 1.1):
    losses, _ = descend(p + 1e-3 * v, share * 2 / value, 100)
    print(f"rate {share * 2 / value:.2f}:", "it leaves" if max(losses) > 10 * losses[0] else "it stays")

# %% [markdown]
# A Hessian that is too large; three losses along v check the curvature:


# %%
def large_loss(p):
    """The loss of a network of 8, 300, 300 and 1 neurons whose parameters lie in one Tensor."""
    rows = np.random.default_rng(0).normal(size=(50, 8))
    W, U, w = p[:2400].reshape(8, 300), p[2400:92400].reshape(300, 300), p[92400:]
    out = (((rows @ W).tanh() @ U).tanh() * w).sum(1)
    return ((out - np.sin(rows.sum(1))) ** 2).mean()


p = np.random.default_rng(1).normal(size=92700) * np.repeat([8**-0.5, 300**-0.5], [2400, 90300])
print(f"{p.size} parameters: a Hessian of {8 * p.size**2 / 1e9:.0f} gigabytes")
value, v = sharpest(lambda d: hvp(large_loss, p, d), np.ones(p.size), 60)
print(f"after 60 products: {value:.1f}")
before, here, after = (large_loss(Tensor(p + h * v)).item() for h in (-1e-3, 0, 1e-3))
print(f"by differences:    {(before - 2 * here + after) / 1e-6:.1f}")

# %% [markdown]
# ## 7. Bug hunt: a penalty that does nothing
#
# A *gradient penalty* keeps a function flat: the loss gets the mean, over the rows of x, of the squared length of the
# gradient by that row. Training differentiates this once more, by the weights.
#
# A colleague's version runs, and **three things are wrong with it**. For 3 x₀ - 4 x₁ each row has the gradient (3, -4): the
# penalty is 9 + 16 = 25, for any number of rows, and its gradient by the weights is (6, -8).
#
# **Predict, then run.** Which penalty for one row, and for five?


# %% given="colleague_penalty"
def colleague_penalty(f, x):
    """The mean over the rows of x (N, d) of the squared length of the gradient of f."""
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x).mean(), x)
    return (Tensor(slopes.data) ** 2).mean()


def measured(penalty, x, weights=(3.0, -4.0)):
    """What a penalty is for x @ w, and its gradient by w."""
    w = Tensor(np.array(weights)[:, None], requires_grad=True)
    value = penalty(lambda rows: rows @ w, x)
    return round(value.item(), 3), gradient(value, w).data[:, 0].round(3).tolist()


# %%
prediction = (None, None)

if predicted(prediction, "colleagues_numbers"):
    for rows in (1, 5):
        print(f"rows: {rows}, penalty and gradient:", *measured(colleague_penalty, np.ones((rows, 2))))

# %% [markdown]
# ### Exercise `mended_penalty` (3 points)
# Write it, mended. `f` maps (N, d) to (N, 1), each row for itself; `x` is an array; the result is a Tensor of one
# number.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Which lines divide, and by what?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# x = Tensor(x, requires_grad=True)
# slopes = gradient(..., x)           # row i: how out i changes with x i
# return (...).sum(...).mean()        # over the columns, then over the rows
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# (0, 0) by w: a new Tensor of `.data` has no past.
# </details>


# %% exercise="mended_penalty"
def mended_penalty(f, x):
    """The mean over the rows of x (N, d) of the squared length of the gradient of f."""
    ### BEGIN SOLUTION
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x), x)
    return (slopes * slopes).sum(-1).mean()
    ### END SOLUTION


# %% probes="mended_penalty"
@probe
def penalty_of(name, x, weights):
    """The penalty of the function of that name, and its gradient by the weights."""
    w = Tensor(weights, requires_grad=True)
    known = {
        "linear": lambda rows: rows @ w,
        "1e9 more": lambda rows: rows @ w + 1e9,
        "tanh": lambda rows: (rows @ w).tanh().sum(-1, keepdims=True),
        "high": lambda rows: (rows @ w).tanh().sum(-1, keepdims=True) + 1e9,
    }
    value = mended_penalty(known[name], x)
    if not isinstance(value, Tensor):
        return seen(value), None
    return value.data, gradient(value, w).data


# %% check="mended_penalty" points=3
with exercise("mended_penalty") as check:
    x, w = np.array([[1.0, 2], [-1, 0.5], [3, 3]]), np.array([[3.0], [-4]])
    check.close(penalty_of("linear", x[:1], w)[0], 25.0, "9 + 16: a sum over columns")
    check.untouched("x stays as it was")
    check.close(penalty_of("linear", x, w)[0], 25.0, "three rows, each with 25: their mean")
    check.close(penalty_of("linear", x, w)[1], 2 * w, "by w: can training lower it?")
    check.close(penalty_of("linear", x.T, arrays([1], [2], [-2]))[0], 9.0, "1 + 4 + 4")
    value = penalty_of("tanh", np.array([[5e3, 0], [0.0, 0]]), w)[0]
    check.close(value, 12.5, "0 where tanh is flat, 25 where it is steep: 12.5")
    got = penalty_of("1e9 more", x, w)[0]
    check.close(got, 25.0, "exact beside a value of 1e9: differences lose their digits")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    def penalty_and_slope(x, w):
        t = np.tanh(x @ w)
        s = 1 - t * t
        slopes, N = s @ w.T, len(x)
        by_s = 2 * slopes @ w / N * (-2 * t * s)
        return (slopes**2).sum() / N, 2 * slopes.T @ s / N + x.T @ by_s

    for N, d, k in ((4, 3, 2), (1, 2, 3), (5, 1, 2)):
        for x, w in check.cases(3, array(N, d, low=-1, high=1), array(d, k, low=-1, high=1)):
            for name in ("tanh", "high"):
                check.close(penalty_of(name, x, w), penalty_and_slope(x, w), "value and gradient", rtol=1e-9)
            check.untouched()
            check.close(penalty_of("tanh", x, 0 * w), (0.0, 0 * w), "all weights are 0, and so is all else")
            for size in (1e-6, 1e6):
                want = (size * w[:, 0] @ w[:, 0] * size, 2 * size * w[:, :1])
                got = penalty_of("linear", x, size * w[:, :1])
                check.close(got, want, "weights of any size", rtol=1e-9, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# Twelve noisy points of a sine, and your penalty at 60 places: it needs no targets. What to see: with it the mean
# squared distance from the sine falls to about a quarter.


# %% figure="penalised"
def penalised():
    x, grid = np.linspace(-3, 3, 12)[:, None], np.linspace(-3, 3, 200)[:, None]
    fits, places = {}, np.linspace(-3, 3, 60)[:, None]
    errors = []
    for weight in (0.0, 0.1):
        rng = np.random.default_rng(2)
        y = np.sin(x) + 0.3 * rng.normal(size=x.shape)
        first = (rng.normal(0, 4, (1, 30)), rng.normal(0, 4, 30), rng.normal(0, 0.18, (30, 1)), np.zeros(1))
        w, b, v, c = parameters = [Tensor(p, requires_grad=True) for p in first]

        def network(rows):
            return (rows @ w + b).tanh() @ v + c

        adam = optim.Adam(parameters, lr=0.02)
        for _ in range(500):
            adam.zero_grad()
            loss = ((network(Tensor(x)) - y) ** 2).mean()
            (loss + weight * mended_penalty(network, places) if weight else loss).backward()
            adam.step()
        out = network(Tensor(grid)).data
        fits[f"penalty times {weight}"] = grid[:, 0], out[:, 0]
        errors.append(((out - np.sin(grid)) ** 2).mean())
        print(f"penalty times {weight}: mean squared distance from the sine {errors[-1]:.3f}")
    assert 3 < errors[0] / errors[1] < 5, "the penalty does not bring the network nearer to the sine"
    ax = plots.lines({**fits, "the sine": (grid[:, 0], np.sin(grid[:, 0]))}, xlabel="x", title="Twelve noisy points")
    ax.plot(x, y, "o", color="black", markersize=5, fillstyle="none")


penalised()

# %% [markdown]
# ## 8. A network that solves an equation
#
# $u''=-u$, with $u(0)=0$ and $u'(0)=1$, has one solution. The network's loss is the mean square of the
# **residual** $u''+u$, 0 for the solution.
#
# ### Exercise `residual` (2 points)
# `u` maps times (N, 1) to values (N, 1), each row for itself; `t` is an array. Return $u''+u$, a Tensor (N, 1) that
# training can differentiate.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each value depends on its own t only, so the gradient of the sum holds all slopes.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# t = ...                         # a leaf
# values = u(t)
# slope = ...
# return gradient(...) + ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too small by N: no mean. The weights get nothing: `.data` cuts them off.
# </details>


# %% exercise="residual"
def residual(u, t):
    """u'' + u at the times t (N, 1): a Tensor of that shape, with a graph."""
    ### BEGIN SOLUTION
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values, t), t) + values
    ### END SOLUTION


# %% probes="residual"
@probe
def residual_of(name, weight, t):
    """The residual of the function of that name, and the gradient of its sum by the weight."""
    w = Tensor(np.array(weight), requires_grad=True)
    known = {
        "cube": lambda t: w * t * t * t,
        "line": lambda t: w * t,
        "exp": lambda t: w * t.exp(),
        "steep exp": lambda t: w * t.exp() + 1e12 * t,
        "number": lambda t: w + 0.0 * t,
        "wave": lambda t: (w * t).tanh() * t,
        "steep wave": lambda t: (w * t).tanh() * t + 1e7 * t,
        "layers": lambda t: (w * (t @ Tensor(np.ones((1, 2))))).tanh() @ Tensor(np.ones((2, 1))),
    }
    found = residual(known[name], t)
    if not isinstance(found, Tensor):
        return seen(found), None
    return found.data, gradient(found, w).data


# %% check="residual" points=2
with exercise("residual") as check:
    (t,) = arrays([[3], [-1], [0.5]])
    got = residual_of("cube", 1.0, t)
    check.close(got[0], 6 * t + t**3, "t³: 6t + t³, so 18 + 27 at t = 3")
    check.untouched("t stays as it was")
    check.close(got[1], (6 * t + t**3).sum(), "w t³: by w, too, or training has no effect")
    check.close(residual_of("line", 1e8, t)[0], 1e8 * t, "straight: only u is left")
    check.close(residual_of("number", 5.0, t)[0], 5 + 0 * t, "and of the constant 5, too")
    check.close(residual_of("exp", 1.0, t)[0], 2 * np.exp(t), "eᵗ is its own slope: 2eᵗ")
    got = residual_of("steep exp", 1.0, 0 * t)[0]
    check.close(got, 2 + 0 * t, "eᵗ + 1e12 t at t = 0: exact beside a slope of 1e12")
    ### BEGIN HIDDEN TESTS
    from autograder import array, number

    for N in (1, 4, 5):
        cases = list(check.cases(4, array(N, 1), number()))
        t, w = cases[0]
        # At t = 0 the wave is flat, and bends.
        cases += [(0 * t, w), (t * (np.arange(N)[:, None] % 2), w)]
        for t, w in cases:
            h, s = np.tanh(w * t), 1 - np.tanh(w * t) ** 2
            bend = 2 * w * s - 2 * t * w * w * h * s
            by_w = 2 * s - 4 * w * t * h * s - 4 * t * w * h * s - 2 * t * t * w * w * s * (1 - 3 * h * h) + t * t * s
            for name, more in (("wave", 0.0), ("steep wave", 1e7 * t)):
                got = residual_of(name, w, t)
                check.close(got[0] - more, bend + t * h, "u'' + u", rtol=1e-8, atol=1e-8)
                check.close(got[1], by_w.sum(), "its gradient by a weight", rtol=1e-8, atol=1e-8)
            got = residual_of("layers", w, t)[0]
            check.close(got, 2 * h - 4 * w * w * h * s, "two layers, which take times (N, 1)", rtol=1e-8, atol=1e-8)
            check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# The network is $u(t)=t+t^2N(t)$: at 0 it is 0 with slope 1, whatever its weights.


# %% figure="solved_equation"
def solved_equation(rule=residual):
    rng, times = np.random.default_rng(0), np.linspace(0, 2 * np.pi, 40)[:, None]
    first = (rng.normal(size=(1, 16)), rng.uniform(-6, 6, 16), rng.normal(size=(16, 1)) / 4)
    w, b, v = parameters = [Tensor(p, requires_grad=True) for p in first]

    def u(t):
        return t + t * t * ((t @ w + b).tanh() @ v) / 4

    x, curves, rests = times[:, 0], {}, {}
    adam = optim.Adam(parameters, lr=0.01)
    for step in range(1501):
        rest = rule(u, times)
        if step in (0, 100, 1500):
            curves[f"step {step}"] = x, u(Tensor(times)).data[:, 0]
            rests[f"step {step}"] = x, abs(rest.data[:, 0])
        adam.zero_grad()
        (rest * rest).mean().backward()
        adam.step()
    if rule is residual:
        assert abs(curves["step 1500"][1] - np.sin(x)).max() < 0.05, "the curve is not the sine: is residual exact?"
        print("step 1500: nowhere farther than 0.05 from sin(t)")
    left, right = plots.panels(2)
    ax = plots.lines(curves, ax=left, title="u(t); circles: sin(t)", xlabel="t")
    ax.plot(x[::2], np.sin(x[::2]), "o", color="black", markersize=4, fillstyle="none")
    ax.set_ylim(-1.5, 3)
    ax.get_legend().remove()
    plots.lines(rests, ax=right, log="y", title="size of the residual", xlabel="t")


solved_equation()

# %% [markdown]
# What to see: where the residual is small all the way from 0, the curve is the sine; at step 100 it is smaller after
# t = 3, and the curve is off there: what came before decides.
#
# ## 9. The result of a loop, without its graph
#
# Repeat $z\leftarrow\tanh(Wz+x)$ until z stays: a *fixed point*. It does where the absolute values in each row of W
# add up to less than 1. Backward through all rounds would need all their graphs.


# %% setup="fixed_point"
def fixed_point(W, x, rounds=5000):
    """z with z = tanh(W z + x), by repetition from 0."""
    z = np.zeros_like(x)
    for _ in range(rounds):
        before, z = z, np.tanh(W @ z + x)
        if np.array_equal(before, z):
            break
    return z


# %% [markdown]
# But z solves an equation, and that can be differentiated. With $s=1-z^2$, small changes obey
#
# $$dz=s\,(W\,dz+dW\,z+dx),\quad\text{so}\quad(I-S)\,dz=s\,(dW\,z+dx),\qquad S_{ij}=s_iW_{ij}$$
#
# This is *implicit differentiation*. Call the last right side c. Then $g\cdot dz=g\cdot(I-S)^{-1}c=u\cdot c$, where u,
# the cotangent of c, solves $(I-S)^Tu=g$. And c is a layer, as in unit 06: x gets $s\,u$, and W gets this times $z^T$.
# With single numbers, W = 0.5 and z = 0.6: s = 0.64, u = g / 0.68; x gets 0.94 g, W 0.56 g.
#
# **Predict, then run.** What does x get from backward through one last round alone, for g = 1?


# %%
prediction = None

if predicted(prediction, "one_last_round"):
    x = Tensor(np.array(np.arctanh(0.6) - 0.5 * 0.6), requires_grad=True)
    print(f"{gradient((0.5 * 0.6 + x).tanh(), x).item():.2f}, and 0.94 through all rounds")

# %% [markdown]
# ### Exercise `fixed_point_rule` (3 points)
# Return the cotangents of W (n, n) and of x (n,), for the fixed point z (n,) and g (n,), all arrays. `x` is not
# needed.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `np.linalg.solve(A, g)` gives u with A u = g.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# s = ...
# S = ... * W                   # row i times s[i]: s as a column
# u = np.linalg.solve(..., g)
# return ..., ...               # W first; np.outer
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Right only when W is 0: the solve is missing. `s * W` scales columns, `s[:, None] * W` rows.
# </details>


# %% exercise="fixed_point_rule"
def fixed_point_rule(g, z, W, x):
    """The cotangents of W and x, where z = tanh(W z + x)."""
    ### BEGIN SOLUTION
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(s * u, z), s * u
    ### END SOLUTION


# %% probes="fixed_point_rule"
@probe
def sent_by_the_fixed_point(g, W, x):
    """What fixed_point_rule gives at the fixed point of W and x."""
    return fixed_point_rule(g, fixed_point(W, x), W, x)


# %% check="fixed_point_rule" points=3
with exercise("fixed_point_rule") as check:
    z, g = arrays([0.6, -0.8, 0.5], [-0.07, 1.48, 3.82])
    W, s = np.array([[0.5, 0.25, 0], [0, 0.5, 0.25], [0.25, 0, 0]]), 1 - z**2
    none, by_x = 0 * W, np.array([0.64, 0.72, 3])
    got = yours.fixed_point_rule(g, z, W, np.arctanh(z) - W @ z)
    check.close(got[1], by_x, "s u, where u = (1, 2, 4) solves the transposed")
    check.close(got[0], np.outer(by_x, z), "row i, column j of W: s_i u_i z_j")
    check.untouched("all arguments stay as they were")
    got = yours.fixed_point_rule(g, z, none, np.arctanh(z))
    check.close(got, (np.outer(s * g, z), s * g), "W = 0: the rule of tanh, no loop")
    got = yours.fixed_point_rule(*arrays([1], [0], [[0.999]], [0]))
    check.close(got, (np.zeros((1, 1)), np.array([1000.0])), "one number: g / (1 - 0.999)")
    ### BEGIN HIDDEN TESTS
    from autograder import array

    def cotangents(g, W, x, z=None):
        z = fixed_point(W, x) if z is None else z
        s = 1 - z * z
        J = np.diag(s) @ W
        u = sum_of_powers(J.T, g)
        return (s * u)[:, None] * z[None], s * u

    def sum_of_powers(A, g):
        """g + A g + A² g + ..., doubled until nothing is left."""
        while np.abs(A).max() > 1e-30:
            g, A = g + A @ g, A @ A
        return g

    got = yours.fixed_point_rule(g, z, none, np.arctanh(z))
    check.close(got, (np.outer(s * g, z), s * g), "W = 0, once more")
    check.untouched("W = 0: all arguments stay as they were, too")
    for n in (1, 2, 3, 4):
        for g, W, x in check.cases(4, array(n), array(n, n), array(n)):
            W = W / (1.1 * np.abs(W).sum(axis=1).max())
            check.close(sent_by_the_fixed_point(g, W, x), cotangents(g, W, x), "implicit", rtol=1e-9, atol=1e-12)
            check.untouched()
        for some, at in ((0 * g, x), (g, 0 * x), (g * (np.arange(n) == 0), x)):
            check.close(sent_by_the_fixed_point(some, W, at), cotangents(some, W, at), "zeros in g or x", rtol=1e-9, atol=1e-12)
    got = yours.fixed_point_rule(*arrays([1], [0], [[0.99999]], [0]))
    check.close(got[1], np.array([1e5]), "as near to 1 as this, too: g / (1 - 0.99999)", rtol=1e-6)
    # A slow loop: a hundred rounds of it are not nearly enough.
    for g, W, x in check.cases(3, array(3), array(3, 3, low=0.2), array(3, low=0.2)):
        W = 0.999 * W / W.sum(axis=1, keepdims=True)
        z = 1e-3 * x  # not by rounds, which would end before it: this is the fixed point of the x below
        x = np.arctanh(z) - W @ z
        check.close(yours.fixed_point_rule(g, z, W, x), cotangents(g, W, x, z), "a slow loop", rtol=1e-6)
    ### END HIDDEN TESTS

# %% [markdown]
# Backward through rounds from the finished z. What to see: each round kept adds a third of a digit, and a graph.


# %% figure="unrolled"
def unrolled():
    rng = np.random.default_rng(0)
    W, x, g = rng.normal(size=(4, 4)) / 3, rng.normal(size=4), rng.normal(size=4)
    z = fixed_point(W, x)
    by_rule, _ = fixed_point_rule(g, z, W, x)
    kept, errors = np.arange(1, 41), []

    def through(rounds):
        weights, state = Tensor(W, requires_grad=True), Tensor(z)
        for _ in range(rounds):
            state = (weights @ state + x).tanh()
        return gradient((state * g).sum(), weights).data

    true = through(2000)
    errors = [abs(through(rounds) - true).max() for rounds in kept]
    off = abs(by_rule - true).max()
    assert off < 1e-12 and errors[0] > 1e-3, "the rule does not give what 2000 rounds give"
    assert 0.28 < np.log10(errors[0] / errors[-1]) / 39 < 0.38, "a round is not a third of a digit"
    curves = {"through the last rounds": (kept, errors), "your rule": (kept, np.full(40, off))}
    plots.lines(curves, log="y", xlabel="rounds kept", title="Error of the gradient of W")


unrolled()

# %% [markdown]
# ## In your own words
# Somebody says: "Second derivatives are too expensive, n² of them." Answer, then open ours.
#
# <details><summary>One way to say it</summary>
#
# All n² are; Newton, a largest curvature or a penalty take products with vectors. A
# product is one more pass through the graph of the gradient, and costs as much as two or three gradients, for any n.
# </details>
#
# ## The same in PyTorch
# Where PyTorch is installed, this cell compares its product and its residual with yours.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
weights, point, direction = rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=5)
ours = hvp(lambda p: ((p @ weights).tanh() ** 2).sum(), point, direction)
rest = residual(lambda t: (t * 2).tanh() * t, point[:, None]).data
try:
    import torch

    p = torch.tensor(point, requires_grad=True)
    loss = ((p @ torch.tensor(weights)).tanh() ** 2).sum()
    (g,) = torch.autograd.grad(loss, p, create_graph=True)
    (theirs,) = torch.autograd.grad(g @ torch.tensor(direction), p)
    t = torch.tensor(point[:, None], requires_grad=True)
    u = (t * 2).tanh() * t
    (slope,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    (bend,) = torch.autograd.grad(slope.sum(), t)
    assert np.allclose(theirs.numpy(), ours) and np.allclose((bend + u).detach().numpy(), rest)
    print("PyTorch gives the same")
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `gradient(out, x)` | `torch.autograd.grad(out.sum(), x, create_graph=True)[0]` |
# | `hessian_by_rows` | `torch.autograd.functional.hessian` |
# | `hvp`, forward over reverse | `torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]` |
# | `tanh_rule` | `backward` of a `torch.autograd.Function`, made of operations on Tensors |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | a second derivative of 0, no error | `.data`, `detach` or NumPy, in a rule or in a loss |
# | "does not require grad" in PyTorch | a first gradient without `create_graph=True` |
# | NaN after some steps of conjugate gradients | 0 / 0 after the solution, or d · Hd = 0 in a saddle |
#
# ## Who found it
#
# - Magnus Hestenes and Eduard Stiefel, [1952](https://doi.org/10.6028/jres.049.044): conjugate gradients.
# - Harris Drucker and Yann Le Cun, [1992](https://doi.org/10.1109/72.165600): *double backpropagation*.
# - Barak Pearlmutter, [1994](https://doi.org/10.1162/neco.1994.6.1.147): fast exact multiplication by the Hessian.
# - Maziar Raissi and others, [2019](https://doi.org/10.1016/j.jcp.2018.10.045): networks that
#   solve differential equations.
# - Jeremy Cohen and others, [2021](https://arxiv.org/abs/2103.00065): gradient descent goes to the edge of stability.
# - Shaojie Bai and others, [2019](https://arxiv.org/abs/1909.01377): networks that are one fixed point.
#
# ## One thing to try next
# A pendulum obeys $u'' = -\sin(u)$. Write its residual as `pendulum(u, t)`, with `.sin()`, and call
# `solved_equation(pendulum)`: it swings back later.

# %% progress="here"
