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
#     unit: 03_reverse_mode
#     allow: [autograd_ref.graph, autograd_ref.plots]
#     title: "Reverse mode: one pass back through the graph"
# ---

# %% [markdown]
# # Reverse mode: one pass back through the graph
#
# The picture below is `L = (a * b + c) ** 2` at a = 2, b = 3, c = 1. Read `data` from left to right: each value is
# computed from the boxes before it. Read `grad`, the derivative of `L` by each box, from right to left.

# %% figure="goal" keep=true
def goal():
    from autograd_ref.graph import draw

    class Box:
        def __init__(self, data, grad, op="", parents=(), label=""):
            self.data, self.grad, self.op = data, grad, op
            self.parents, self.label = parents, label

    a, b, c = Box(2, 42, label="a"), Box(3, 28, label="b"), Box(1, 14, label="c")
    product = Box(6, 14, "*", (a, b))
    total = Box(7, 14, "+", (product, c))
    return draw(Box(49, 1, "**2", (total,), "L"))


goal()

# %% setup="imports"
import math

from autograd_ref import plots
from autograd_ref.graph import draw
from autograder import exercise, numerical_gradient, predicted, probe, recall, yours

# %% [markdown]
# Forward mode made one pass for each input. You write the program that makes one pass for all of them: the core of
# PyTorch's `backward`. At the end you will be able to
#
# - record a computation as a graph, and put it in order without recursion;
# - say why gradients are added up, and why one pass is enough;
# - write and test the backward rule of an operation;
# - write an engine from an empty cell.
#
# **Time:** 140 minutes (110 without sections 8, 9). **Builds on:** 01 and 02.
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 00*: which list is `[a * b for a, b in zip([2, 5], [7, -1])]`?
# - *unit 01*: what is the forward difference of x² at 5, with the step 0.5?
# - *unit 01, downhill*: the loss is p², and p is 3. Where is it after one step of gradient descent with the rate 0.1?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 00": None, "unit 01": None, "unit 01, downhill": None}

# %% jupyter={"source_hidden": true}
recall(
    answers,
    {
        "unit 00": lambda: [2 * 7, 5 * -1],
        "unit 01": lambda: ((5 + 0.5) ** 2 - 5**2) / 0.5,
        "unit 01, downhill": lambda: 3 - 0.1 * 2 * 3,
    },
)

# %% [markdown]
# ## 1. A graph, and one step back
#
# V = x · y + z · (x + y), at x = 2, y = 3 and z = 4, takes four operations. Below, each value is a box and each
# operation a circle.

# %% figure="first_graph" keep=true
def first_graph():
    class Box:
        def __init__(self, label, data, op="", parents=(), grad=None):
            self.label, self.data, self.op, self.parents, self.grad = label, data, op, parents, grad

    x, y, z = Box("x", 2), Box("y", 3), Box("z", 4)
    p, s = Box("p", 6, "*", (x, y), grad=1), Box("s", 5, "+", (x, y))
    q = Box("q", 20, "*", (z, s), grad=1)
    return draw(Box("V", 26, "+", (p, q), grad=1))


first_graph()

# %% [markdown]
# How fast does V rise when one box rises? That is the box's **gradient**, `grad`. From right to left: V rises as
# fast as itself: 1. V = p + q rises as fast as p, and as fast as q: both get 1. For a box further left, say z, the way leads
# through q, and the chain rule multiplies what has arrived at q by one slope:
#
# $$\frac{\partial V}{\partial z} = \frac{\partial V}{\partial q} \cdot \frac{\partial q}{\partial z}$$
#
# **Predict, then run.** q = z · s has the gradient 1. What does it pass back to z, and what to s? Then s = x + y passes
# on what it got: how much does x get from s?

# %%
prediction = (None, None, None)  # to z, to s, and from s to x

if predicted(prediction, "first_step_back"):
    def V_of(z, s, p=6.0):
        return p + z * s

    to_z, to_s = numerical_gradient(V_of, 4.0, 5.0)
    (s_to_x,) = numerical_gradient(lambda x: V_of(4.0, x + 3.0), 2.0)
    print("V, nudged:", tuple(round(found, 6) for found in (to_z, to_s, s_to_x)))

# %% [markdown]
# z gets 5 and s gets 4: a product's slope by one factor is the *other* factor. Then x gets 4 · 1 from s.
#
# ## 2. Recording the graph
#
# A `Value` holds its number (`data`), the operation that made it (`op`, empty for an input) and the
# Values that went in (`parents`). Plain numbers that took part, such as an exponent, are its `constants`. `grad` waits for
# the way back.
#
# Every operator calls `record`, which you write next. In the code, read `__init__` and `__mul__`: the rest is alike.


# %% given="value"
class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data, op="", parents=(), constants=(), label=""):
        self.data = data
        self.op = op  # the operation that made it; "" for an input
        self.parents = parents  # the Values that it was made from
        self.constants = constants  # plain numbers that took part, such as an exponent
        self.grad = 0.0  # the derivative of the result by this value, once it is known
        self.label = label  # a name, for pictures

    @property
    def inputs(self):
        """The plain numbers that the operation was given."""
        return (*(parent.data for parent in self.parents), *self.constants)

    def __repr__(self):
        return f"Value({self.data:g}, op={self.op!r}, grad={self.grad:g})"

    def __add__(self, other):
        return record("+", (self, as_value(other)))

    def __mul__(self, other):
        return record("*", (self, as_value(other)))

    def __pow__(self, exponent):
        return record("**", (self,), (exponent,))

    # Section 7 gives these a meaning.
    def __neg__(self):
        return neg(self)

    def __sub__(self, other):
        return sub(self, as_value(other))

    def __truediv__(self, other):
        return div(self, as_value(other))

    def __rsub__(self, other):
        return sub(as_value(other), self)

    def __rtruediv__(self, other):
        return div(as_value(other), self)

    __radd__, __rmul__ = __add__, __mul__


def as_value(x):
    return x if isinstance(x, Value) else Value(x)


def function(op):
    return lambda x: record(op, (x,))


exp, log, sqrt = function("exp"), function("log"), function("sqrt")
sin, cos = function("sin"), function("cos")
tanh, sigmoid, relu = function("tanh"), function("sigmoid"), function("relu")

FORWARD = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "**": lambda a, n: a**n,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)),
    "relu": lambda a: max(a, 0.0),
}

# %% [markdown]
# ### Exercise `record` (2 points)
# Compute the operation's number, and return a new `Value` that remembers the operation, the parents and the constants.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `FORWARD[op]` takes plain numbers: the parents' `data`, then the constants. Then call `Value(...)` with four things.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# numbers = ...                     # the data of each parent
# data = FORWARD[op](...)           # those numbers, then the constants: a star unpacks a list
# return Value(data, ...)           # look at __init__ for the order
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# TypeError "was given a Value", or RecursionError: `a * b` on Values calls `record` again. Unpack their `data`.
# TypeError "missing 1 required positional argument: 'n'": the constants were left out.
# </details>


# %% exercise="record"
def record(op, parents, constants=()):
    """The Value that `op` makes of a tuple of Values and a tuple of plain numbers."""
    ### BEGIN SOLUTION
    numbers = [parent.data for parent in parents]
    data = FORWARD[op](*numbers, *constants)
    return Value(data, op, parents, constants)
    ### END SOLUTION


# %% probes="record"
@probe
def recorded(op, data, parents, constants):
    """Records `op` on Values of these names and data; gives what the new Value remembers."""

    class Leaf(Value):
        def refuse(self, *other):
            raise TypeError("a Value is no operand here: FORWARD[op] takes plain numbers")

        __add__ = __radd__ = __mul__ = __rmul__ = __pow__ = __float__ = refuse

    Leaf.__name__ = "Value"  # as a message calls it
    leaves, equal = ({name: Leaf(number) for name, number in data.items()} for _ in range(2))
    given = tuple(leaves[name] for name in parents)
    record(op, tuple(equal[name] for name in parents), tuple(constants))  # others, with the same numbers
    out = record(op, given, tuple(constants)) if constants else record(op, given)
    if not isinstance(out, Value):
        return out
    def name_of(parent):
        kind = "a Value" if isinstance(parent, Value) else "a plain number"
        names = (name for name, leaf in leaves.items() if leaf is parent)
        return next(names, f"{kind}, not one of the given Values")

    if record(op, given, tuple(constants)) is out:
        return "the Value of an earlier call, and not a new one"
    kept = list(out.parents), list(out.constants)
    if kept != (list(out.parents), list(out.constants)):
        return "parents or constants that can be walked along once, and are gone then"
    names, constants = [name_of(parent) for parent in kept[0]], kept[1]
    return {"data": out.data, "op": out.op, "parents": names, "constants": constants}


# %% check="record" points=2
with exercise("record") as check:
    check.close(recorded("*", {"a": 2.0, "b": 3.0}, ["a", "b"], []),
                {"data": 6.0, "op": "*", "parents": ["a", "b"], "constants": []},
                "2 * 3 is 6, made by * from these two Values themselves, in this order")
    check.close(recorded("**", {"a": 5.0, "b": 2.0}, ["b"], [3]),
                {"data": 8.0, "op": "**", "parents": ["b"], "constants": [3]},
                "2 ** 3 is 8, made from one Value and a constant that the rule will need")
    check.close(recorded("+", {"a": 1.5, "b": 4.0}, ["b", "b"], []),
                {"data": 8.0, "op": "+", "parents": ["b", "b"], "constants": []},
                "a Value that takes part twice is a parent twice")
    check.close(recorded("exp", {"a": 0.0}, ["a"], []), {"data": 1.0, "op": "exp",
                "parents": ["a"], "constants": []}, "exp(0) is 1: FORWARD has exp, too")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import scalar as reference
    from autograder import integer, number, positive

    for op in ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu"):
        for (a,) in check.cases(3, positive()):
            data = getattr(reference, op)(a)
            check.close(recorded(op, {"x": 7.0, "y": a}, ["y"], []),
                        {"data": data, "op": op, "parents": ["y"], "constants": []},
                        f"{op} of one Value")
    for a, b, n in check.cases(5, number(), positive(), integer(2, 5)):
        for op, parents, constants, data in (
            ("+", ["y", "x"], [], a + b),
            ("*", ["y", "x"], [], a * b),
            ("**", ["y"], [n], b**n),
            ("*", ["x", "x"], [], a * a),
        ):
            expected = {"data": data, "op": op, "parents": parents, "constants": constants}
            check.close(recorded(op, {"x": a, "y": b}, parents, constants), expected,
                        "the number, and how it was made")
    for op, parents, constants, data in (
        ("**", ["y"], [0], 1.0), ("**", ["y"], [-0.5], 1e-9**-0.5), ("**", ["x"], [2], 0.0), ("*", ["x", "y"], [], 0.0), ("*", ["y", "y"], [], 1e-18),
    ):
        expected = {"data": data, "op": op, "parents": parents, "constants": constants}
        check.close(recorded(op, {"x": 0.0, "y": 1e-9}, parents, constants), expected,
                    "zeros, tiny numbers and fractions are numbers, too", rtol=1e-12, atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# V, recorded by your code: values, and no gradient yet.


# %% given="graph_of_V"
def graph_of_V(x, y, z):
    p, s = x * y, x + y
    q = z * s
    V = p + q
    p.label, s.label, q.label, V.label = "p", "s", "q", "V"
    return V


def inputs_of_V():
    return Value(2.0, label="x"), Value(3.0, label="y"), Value(4.0, label="z")


# %% figure="recorded"
draw(graph_of_V(*inputs_of_V()))

# %% [markdown]
# ## 3. Passing back
#
# What one operation passes back is a function, its **rule**, or VJP (vector-Jacobian product: the Jacobian follows in
# unit 07). All rules have the same form, `rule(g, out, *inputs)`:
#
# - `g` is the gradient that has arrived, also called the *cotangent* of the output;
# - `out` is the number that the operation gave, and `inputs` are the numbers that it was given;
# - the result is a tuple with the cotangent of each parent, in the same order; constants get none.
#
# Here are the rules of sums, products and powers.


# %% given="first_rules"
def add_vjp(g, out, a, b):
    return g, g


def mul_vjp(g, out, a, b):
    return g * b, g * a


def power_vjp(g, out, a, n):  # nobody asks for the derivative by the exponent
    return (g * n * a ** (n - 1) if n else 0.0,)  # a ** 0 is 1, at a = 0 too


RULES = {"+": add_vjp, "*": mul_vjp, "**": power_vjp}

# %%
print("q passes back, to z and to s:", mul_vjp(1.0, 20.0, 4.0, 5.0))
print("s passes back, to x and to y:", add_vjp(4.0, 5.0, 2.0, 3.0))

# %% [markdown]
# ### Gradients add up
# `u = x * x` at x = 5 uses `x` twice. Give the two uses two names, and raise the first alone by 0.001: `u` rises by 0.005.
# The second does the same. So the derivative is 5 + 5 = 10. A value that is used twice gets two contributions, and its
# gradient is their **sum**.
#
# ### Exercise `pass_back` (2 points)
# One step of the way back. `node.grad` is complete. Call the rule of the node's operation, once: it gives all cotangents
# together. Add each to the `grad` of its parent, and leave `node.grad` as it is. An input (`op` is empty) has nobody to
# pass anything to.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The rule is `rules[node.op]`. It takes `g`, `out` and the inputs, and the node has them all. `zip` makes the pairs.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if ...: return                      # nobody to pass anything to
# cotangents = ...                    # the rule, called as rule(g, out, *inputs)
# for ...:                            # a parent and its cotangent, pair by pair
#     ...                             # add, do not replace
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# KeyError `''`: an input has no rule. Too large by a factor: the rule has multiplied by `g` already. A contribution
# lost: `=` where `+=` is needed.
# </details>


# %% exercise="pass_back"
def pass_back(node, rules):
    """Add to the grad of each parent of `node` what `node.grad` contributes to it."""
    ### BEGIN SOLUTION
    if not node.op:
        return
    cotangents = rules[node.op](node.grad, node.data, *node.inputs)
    for parent, cotangent in zip(node.parents, cotangents):
        parent.grad += cotangent
    ### END SOLUTION


# %% probes="pass_back"
@probe
def rule_gets(grad, data, parents, constants):
    """What the rule is called with, for a node with this grad and data."""
    calls = []

    def rule(*given):
        calls.append(["a Value" if isinstance(x, Value) else x for x in given])
        return tuple(0.0 for _ in parents)

    node = Value(data, "op", tuple(Value(number) for number in parents), tuple(constants))
    node.grad = grad
    pass_back(node, {"op": rule})
    return calls


@probe
def grads_after(parents, cotangents, before):
    """The grads of the parents and the node, when theirs were `before` and the rule gives `cotangents`; the same node
    has passed its gradient on once before. x is an input, and y and z were computed; z is 0."""
    made, older = {name: Value(2.5 * (name != "z"), label=name) for name in before}, Value(1.5)
    for name in sorted(made)[1:]:
        made[name].op, made[name].parents = "op", (older,)
    node = Value(8.0, "op", tuple(made[name] for name in parents))
    for _ in range(2):
        for name, grad in before.items():
            made[name].grad = grad
        node.grad = 10.0
        pass_back(node, {"op": lambda *given: tuple(cotangents)})
    if older.grad:
        return "one step too many: a parent of a parent got something, too"
    return {**{name: value.grad for name, value in made.items()}, "node": node.grad}


@probe
def leaf_after(grad):
    """The grad of an input after pass_back, with no rules at all."""
    leaf = Value(2.5)
    leaf.grad = grad
    pass_back(leaf, {})
    return leaf.grad


# %% check="pass_back" points=2
with exercise("pass_back") as check:
    check.close(rule_gets(10.0, 6.0, [2.0, 3.0], []), [[10.0, 6.0, 2.0, 3.0]],
                "the rule is called once: g, out, then the inputs as numbers")
    check.close(rule_gets(10.0, 8.0, [2.0], [3]), [[10.0, 8.0, 2.0, 3]], "constants last")
    check.close(grads_after(["x", "y"], [30.0, 20.0], {"x": 0.0, "y": 0.0}),
                {"x": 30.0, "y": 20.0, "node": 10.0}, "each parent gets its own cotangent")
    check.close(grads_after(["x", "y"], [30.0, 20.0], {"x": 1.0, "y": 0.5}),
                {"x": 31.0, "y": 20.5, "node": 10.0}, "what they got elsewhere stays")
    check.close(grads_after(["x", "x"], [30.0, 20.0], {"x": 0.0}), {"x": 50, "node": 10},
                "a parent that takes part twice gets both contributions")
    check.close(leaf_after(4.0), 4.0, "an input has no rule and no parents: do nothing")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    for data, before, cotangents, constants in check.cases(
        10, numbers(5), numbers(3), numbers(4), numbers(2)
    ):
        check.close(rule_gets(data[0], data[1], data[2:], constants), [data + constants],
                    "g, out, inputs, constants")
        names = [check.rng.choice("xyz") for _ in range(4)]
        start = dict(zip("xyz", before))
        expected = {**start, "node": 10.0}
        for name, cotangent in zip(names, cotangents):
            expected[name] += cotangent
        check.close(grads_after(names, cotangents, start), expected,
                    "each contribution is added to its parent")
    check.close(rule_gets(10.0, 0.0, [0.0, 3.0], [0]), [[10.0, 0.0, 0.0, 3.0, 0]], "zeros are numbers, too")
    check.close(rule_gets(10.0, 4.0, [2.0, 2.0], [2.0]), [[10.0, 4.0, 2.0, 2.0, 2.0]], "equal numbers are as many numbers")
    check.close(grads_after(["z", "x"], [3e5, -3e5], {"x": 0.0, "z": 0.0}), {"x": -3e5, "z": 3e5, "node": 10.0},
                "large contributions arrive as they are")
    check.close(grads_after(["z", "x"], [3e-15, -3e-15], {"x": 0.0, "z": 0.0}),
                {"x": -3e-15, "z": 3e-15, "node": 10.0}, "and so do tiny ones", atol=0.0)
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** `w = x * y + x` at x = 2, y = 3, by hand: we pass back from `w`, then from the product `p`. What is
# `x.grad` after each step?

# %%
prediction = (None, None)

x, y = Value(2.0, label="x"), Value(3.0, label="y")
p = Value(6.0, "*", (x, y), label="p")
w = Value(8.0, "+", (p, x), label="w")
w.grad = 1.0
found = []
for node in (w, p):
    pass_back(node, {"+": add_vjp, "*": mul_vjp})
    found.append(x.grad)
if predicted(prediction, "x_used_twice"):
    print("x.grad after w, and after p:", tuple(found))
    print("y.grad:", y.grad)

# %% [markdown]
# The sum gives 1, the product adds y. With `=` for `+=`, the second step would wipe out the first, and `x.grad`
# would be 3, without an error message.

# %% [markdown]
# ## 4. Who goes first?
#
# **Predict, then run.** In the graph of V, let s have its turn *before* q. What is `x.grad` in the end?

# %%
prediction = None

V = graph_of_V(*inputs_of_V())
p, q = V.parents
x, s = p.parents[0], q.parents[1]
V.grad = 1.0
for node in (V, p, s, q):  # s = x + y before q = z * s
    pass_back(node, RULES)
if predicted(prediction, "too_early"):
    print("x.grad:", x.grad)
    print("s.grad:", s.grad)

# %% [markdown]
# s passed on 0, for q had sent it nothing yet. Its 4 came too late, and `x` keeps the 3 from p alone.
# A value may pass its gradient on only when everything that was made from it, on the way to the result, has had its turn.
# So we list the values such that each comes after its parents, a *topological order*, and read the list backwards.
#
# The textbook function calls itself for the parents:


# %%
def visit(node, order):
    if node not in order:
        for parent in node.parents:
            visit(parent, order)
        order.append(node)  # its parents are in the list by now
    return order


print([node.label for node in visit(graph_of_V(*inputs_of_V()), [])])

# %% [markdown]
# But Python stops nested calls at a limit, 1,000 unless you raise it, and long computations are deeper:


# %%
x = Value(1.0)
y = x
for _ in range(10_000):
    y = Value(0.0, "+", (y, x))  # the numbers do not matter here
try:
    print(len(visit(y, [])))
except RecursionError:
    print("RecursionError: 10,000 nested calls are too many")

# %% [markdown]
# ### Exercise `topological_order` (3 points)
# Return a list of `root` and everything that it was made from, each value once and behind all its parents. Do it
# without recursion: keep a stack, a list of what is to do.
#
# <details><summary>Hint 1: a question</summary>
#
# You take V off the stack, and may not note it yet. What has to be done first, and what brings you back to V?
# </details>
# <details><summary>Hint 2: a sketch</summary>
#
# Put the value back, marked as ready, and its parents on top. When it comes off again, they are in the list.
# </details>
# <details><summary>Hint 3: an annotated outline</summary>
#
# ```python
# order, seen = [], set()
# stack = [(root, False)]           # (value, are its parents in the list?)
# while stack:
#     node, ready = stack.pop()
#     if ready: ...                 # note it
#     elif node not in seen: ...    # remember it; put it back as ready; then its parents
# return order
# ```
# </details>
# <details><summary>Hint 4: the usual errors</summary>
#
# A value twice in the list: look at `seen`. A parent behind its child: you noted a value before its parents were done.
# </details>


# %% exercise="topological_order"
def topological_order(root):
    """`root` and all that it was made from, each value once and behind its parents."""
    ### BEGIN SOLUTION
    order, seen = [], set()
    stack = [(root, False)]  # (value, are its parents in the list?)
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((parent, False) for parent in node.parents)
    return order
    ### END SOLUTION


# %% probes="topological_order"
def names_in(order, made):
    """The names of the Values in a list, and what there is that is no Value. They have no labels to go by."""
    if not isinstance(order, (list, tuple)):
        return [f"a {type(order).__name__} in place of a list"]
    names = {id(value): name for name, value in made.items()}
    return [names.get(id(node), f"a {type(node).__name__} of no name") for node in order]


@probe
def order_of(graph, last):
    """Makes a Value for each name, then gives all of them their parents, and orders from `last`, twice."""
    made = {name: Value(1.5, "+" if parents else "") for name, parents in graph.items()}
    for name, parents in graph.items():
        made[name].parents = tuple(made[parent] for parent in parents)
    topological_order(made[last])
    return names_in(topological_order(made[last]), made)  # the walk leaves the graph as it was


@probe
def order_of_chain(made_from, last):
    """Makes Values 0, 1, 2, ..., each from the one with the number in this list (the first from
    none), and orders from `last`; looks how deep calls are nested."""
    import sys

    here, frame, deepest = 0, sys._getframe(), [0]
    while frame := frame.f_back:
        here += 1

    class Watchful(Value):
        @property
        def parents(self):
            try:
                sys._getframe(here + deepest[0] + 500)
                deepest[0] += 500
            except ValueError:  # fewer calls than that are open
                pass
            return self.made_from

        @parents.setter
        def parents(self, values):
            self.made_from = values

    made = [Watchful(1.5, "exp") for _ in made_from]
    for value, parent in zip(made, made_from):
        value.parents = () if parent is None else (made[parent],)
    order = names_in(topological_order(made[last]), dict(enumerate(made)))
    return {"order": order, "nested calls": deepest[0]}


def behind_parents(order, graph):
    """Whether every value of a list stands behind its parents."""
    return all(order.index(p) < order.index(name) for name in order for p in graph[name])


def check_order(check, graph):
    """Every value stands in the list, once and behind its parents."""
    mixed, last = [*graph, "spare"], list(graph)[-1]
    spare = {"spare": graph[last] or [last]}  # made from the others, and no other from it
    for _ in range(20):  # what the Values are made in is no answer
        check.rng.shuffle(mixed)
        if not any(behind_parents(row, graph | spare) for row in (mixed, mixed[::-1])):
            break
    order = order_of({name: (graph | spare)[name] for name in mixed}, last)
    if sorted(order) != sorted(graph):
        check.close(sorted(order), sorted(graph),
                    "every value that the last one was made from stands in the list, once")
    pairs = [(name, parent) for name in graph for parent in graph[name]]
    wrong = [pair for pair in pairs if order.index(pair[1]) > order.index(pair[0])]
    name, parent = wrong[0] if wrong else (last, last)
    check.true(not wrong, f"{name} is made from {parent}, so {parent} has to stand before it")


# %% check="topological_order" points=3
with exercise("topological_order") as check:
    # Each name with its parents. A "spare" is added, not needed for the last: it stays out.
    check_order(check, {"x": [], "y": [], "p": ["x", "y"], "w": ["p", "x"]})
    check_order(check, {"x": [], "a": ["x"], "b": ["x"], "L": ["a", "b"]})
    check_order(check, {"x": [], "p": ["x"], "q": ["p"], "L": ["p", "q", "x"]})
    check_order(check, {"x": [], "c": [], "y": ["c", "x"], "z": ["y", "y"]})
    check_order(check, {f"{i}": [f"{i - 1}"] * 2 * (i > 0) for i in range(60)})  # doublings
    row = check.rng.sample(range(10_000), 10_000)  # the chain, from the first to the last
    made_from = dict(zip(row, [None, *row]))
    chain = order_of_chain([made_from[i] for i in range(10_000)], row[-1])
    check.close(chain["order"], row, "a chain of 10,000, from the first to the last")
    check.true(chain["nested calls"] < 5_000, "by a loop: calls in calls have an end")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, numbers

    check_order(check, {"x": []})
    for size, links in check.cases(15, integer(5, 9), numbers(40, 0.1, 1.0)):
        names = check.rng.sample("abcdefghijklmnopqrstuvwxyz", size)  # in no order either
        graph, share = {"v0": [], "v1": []}, iter(links)
        for i in range(2, size):
            # The value before it, so that all are reached; one or two from further back.
            others = [int(next(share) * i) % i for _ in range(check.rng.randint(1, 2))]
            parents = [f"v{i - 1}", *(f"v{j}" for j in others)]
            check.rng.shuffle(parents)
            graph[f"v{i}"] = parents
        if not any("v0" in parents for parents in graph.values()):
            graph[f"v{size - 1}"].append("v0")
        label = {f"v{i}": name for i, name in enumerate(names)}
        check_order(check, {label[v]: [label[p] for p in graph[v]] for v in graph})
    ### END HIDDEN TESTS

# %% [markdown]
# ## 5. The whole way back
#
# ### Exercise `backward` (3 points)
# You get a topological order, whose last value is the result, and a function `step` that passes one value's gradient on
# (later `pass_back`, with any rules). Begin with zeros. Give the result a 1, its derivative by itself. Then call `step`
# on every value, in the right order. Leave the list as it is: it may be used again.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Zeros everywhere, then a 1 in one place, then a loop.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for ...: ...                      # forget old gradients
# ...                               # a 1 for the result: where in the list is it?
# for ...: ...                      # which value has its turn first? Do not change the list
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# All gradients 0, the result's too: the 1 is missing, or was wiped out. Only the result and its parents have one: the
# loop runs forwards. Larger on a second call: no zeros. `order.reverse()` turns the caller's list around.
# </details>


# %% exercise="backward"
def backward(order, step):
    """Set every grad to the derivative of the last value of `order` by that value."""
    ### BEGIN SOLUTION
    for node in order:
        node.grad = 0.0
    order[-1].grad = 1.0
    for node in reversed(order):
        step(node)
    ### END SOLUTION


# %% probes="backward"
# The slopes of each value by its parents: L = (a * b + c) ** 2 at 2, 3, 1.
SLOPES_OF_L = {
    "a": {}, "b": {}, "c": {}, "ab": {"a": 3.0, "b": 2.0}, "sum": {"ab": 1.0, "c": 1.0},
    "L": {"sum": 14.0},
}
# w = x * y + x at 2, 3.
SLOPES_OF_W = {"x": {}, "y": {}, "xy": {"x": 3.0, "y": 2.0}, "w": {"xy": 1.0, "x": 1.0}}


@probe
def gradients(slopes, how=()):
    """All grads after `how["calls"]` calls of backward, when each was `how["grads before"]`;
    before each call all rise by `how["grads between"]`."""
    how = {"grads before": 0.0, "calls": 1, "grads between": 0.0, **dict(how)}
    made = {}
    for name, by_parent in slopes.items():
        op = "op" if by_parent else ""
        made[name] = Value(2.5, op, tuple(made[parent] for parent in by_parent), label=name)
        made[name].grad = how["grads before"]

    def step(node):
        for parent, slope in slopes[node.label].items():
            made[parent].grad += slope * node.grad

    order = list(made.values())
    for _ in range(how["calls"]):
        for node in made.values():
            node.grad += how["grads between"]
        backward(order, step)
    return {name: value.grad for name, value in made.items()}


@probe
def visits(slopes):
    """The names in the order in which backward calls step on them."""
    made, visited = {}, []
    for name, by_parent in slopes.items():
        op = "op" if by_parent else ""
        made[name] = Value(2.5, op, tuple(made[parent] for parent in by_parent), label=name)
    backward(list(made.values()), lambda node: visited.append(node.label))
    return visited


# %% check="backward" points=3
with exercise("backward") as check:
    grads_of_L = {"a": 42.0, "b": 28.0, "c": 14.0, "ab": 14.0, "sum": 14.0, "L": 1.0}
    check.close(gradients(SLOPES_OF_L), grads_of_L,
                "L = (a * b + c)**2 at 2, 3, 1: back from L, 1 * 14 * 1 * 3 = 42 for a")
    check.close(gradients(SLOPES_OF_W), {"x": 4.0, "y": 2.0, "xy": 1.0, "w": 1.0},
                "w = x * y + x at 2, 3: the contributions 3 and 1 make 4 for x")
    check.close(gradients(SLOPES_OF_L, {"grads before": 5.0}), grads_of_L,
                "gradients from an earlier pass (5 everywhere) must not leave a trace")
    check.close(gradients(SLOPES_OF_L, {"calls": 2}), grads_of_L,
                "a second call with the same list gives the same gradients")
    check.close(visits(SLOPES_OF_W), ["w", "xy", "y", "x"],
                "step is called on every value, inputs too, from the last to the first")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.scalar import Value as Reference
    from autograder import integer, numbers

    for size, slopes in check.cases(10, integer(4, 9), numbers(30)):
        graph, values = {"v0": {}, "v1": {}}, [Reference(0.7), Reference(-0.4)]
        drawn = iter(slopes)
        for i in range(2, size):
            parents = sorted({i - 1, check.rng.randrange(i), 0 if i == size - 1 else i - 1})
            row = {j: next(drawn) for j in parents}
            graph[f"v{i}"] = {f"v{j}": slope for j, slope in row.items()}
            values.append(sum(slope * values[j] for j, slope in row.items()))
        values[-1].backward()
        expected = {f"v{i}": value.grad for i, value in enumerate(values)}
        check.close(gradients(graph), expected, "a random graph")
        how = {"grads before": -3.0, "calls": 3, "grads between": slopes[0]}
        check.close(gradients(graph, how), expected, "a random graph, three times over")
        check.close(visits(graph), list(graph)[::-1], "every value, from the last to the first")
    check.close(gradients(SLOPES_OF_L, {"grads before": float("inf")}), grads_of_L, "an infinite one leaves no trace, either")

    @probe
    def after_another_pass(slopes, stale):
        """All grads after a call of backward, where only the named ones were left over by a pass from another result."""
        made = {}
        for name, by_parent in slopes.items():
            made[name] = Value(2.5, "op" if by_parent else "", tuple(made[parent] for parent in by_parent), label=name)
            made[name].grad = 5.0 if name in stale else 0.0

        def step(node):
            for parent, slope in slopes[node.label].items():
                made[parent].grad += slope * node.grad

        backward(list(made.values()), step)
        return {name: value.grad for name, value in made.items()}

    for stale in (["a"], ["a", "b", "c"], ["ab"], ["sum"], ["a", "b", "ab"], ["L"], ["b", "sum"]):
        check.close(after_another_pass(SLOPES_OF_L, stale), grads_of_L, "what a pass from another result left over leaves no trace")
    check.close(gradients({"x": {}}, {"grads before": 5.0}), {"x": 1.0},
                "the derivative of a value by itself is 1")
    ### END HIDDEN TESTS

# %% [markdown]
# Now your three functions come together.

# %% given="engine"
def backpropagate(root):
    """Put the derivative of `root` into the grad of everything that it was made from."""
    backward(topological_order(root), lambda node: pass_back(node, RULES))


# %%
a, b, c = Value(2.0, label="a"), Value(3.0, label="b"), Value(1.0, label="c")
L = (a * b + c) ** 2
L.label = "L"
backpropagate(L)
print("L =", L.data, " gradients:", a.grad, b.grad, c.grad)
slopes_of_L = numerical_gradient(lambda a, b, c: (a * b + c) ** 2, 2.0, 3.0, 1.0)
print("numerical derivatives:", [round(slope, 6) for slope in slopes_of_L])

# %% [markdown]
# **Predict, then run.** V once more. Find its derivatives by x, y and z with pen and paper.

# %%
prediction = (None, None, None)

x, y, z = inputs_of_V()
V = graph_of_V(x, y, z)
backpropagate(V)
if predicted(prediction, "gradients_of_V"):
    print("V =", V.data, " gradients:", (x.grad, y.grad, z.grad))

# %% [markdown]
# Step by step. Each line tells what has arrived at a value: predict what it sends, then open the line.

# %% figure="steps"
from autograd_ref.graph import backward_steps

backward_steps(V, topological_order(V), lambda node: pass_back(node, RULES))

# %% [markdown]
# Nothing in your engine calls itself. Here `x` is multiplied by itself until it is
# `x ** 10000`, with the derivative `10000 * x ** 9999`.

# %%
x = Value(1.0001)
product = x
for _ in range(9_999):
    product = product * x
backpropagate(product)
print(f"{product.data:.6f}  {x.grad:.4f}")
print(f"{1.0001**10_000:.6f}  {10_000 * 1.0001**9_999:.4f}")

# %% [markdown]
# ### What it costs
# How often is a rule called? Reverse mode goes through this graph once, forward mode once for each input.


# %%
def rule_calls(inputs):
    called = []

    def counted(g, out, a, b):
        called.append(out)
        return mul_vjp(g, out, a, b)

    xs = [Value(0.5) for _ in range(inputs)]
    out = xs[0]
    for x in xs:
        out = out * x
    order = topological_order(out)
    backward(order, lambda node: pass_back(node, {"*": counted}))
    reverse, same = len(called), True
    for x in xs:  # forward mode: the tangent of x is 1, and all others follow
        tangents = {x: 1.0}
        for node in order:
            if node.op:
                slopes = counted(1.0, node.data, *node.inputs)
                by_parent = zip(slopes, node.parents)
                tangents[node] = sum(s * tangents.get(p, 0.0) for s, p in by_parent)
        same = same and math.isclose(tangents[out], x.grad)
    return reverse, len(called) - reverse, same


counts = {inputs: rule_calls(inputs) for inputs in (1, 3, 10, 30, 100, 300)}
for inputs, (reverse, forward, same) in counts.items():
    print(f"{inputs:4} inputs: {reverse:4} calls in reverse mode, {forward:6} in forward mode;", end=" ")
    print("the same gradients" if same else "other gradients")

# %% [markdown]
# What to see, on two logarithmic scales: with one input both cost the same, with 300 it is 300 to one.
#
# The price: all values stay in memory until the way back, and each result takes a pass of its own. Forward mode needs
# one per input, for all results.


# %% figure="cost"
def cost():
    inputs = list(counts)
    plots.lines(
        {
            "forward mode: one pass per input": (inputs, [counts[n][1] for n in inputs]),
            "reverse mode: one pass": (inputs, [counts[n][0] for n in inputs]),
        },
        xlabel="number of inputs", ylabel="calls of a rule", log="xy", markers=True,
        title="The gradient of one result by all inputs",
    )


cost()

# %% [markdown]
# ## 6. More rules
#
# An engine needs a rule for each function. `rule_error` is a rule's distance from the numerical derivative of unit 01,
# for a `g` of 1.7 and of -1.7.


# %% given="rule_error"
def rule_error(forward, rule, *inputs, constants=()):
    """How far `rule` is from the numerical derivative of `forward`, to six digits."""
    slopes = numerical_gradient(lambda *xs: forward(*xs, *constants), *inputs)
    errors = []
    for g in (1.7, -1.7):  # a rule may lose the sign of g
        cotangents = rule(g, forward(*inputs, *constants), *inputs, *constants)
        if not isinstance(cotangents, (tuple, list)) or len(cotangents) != len(inputs):
            raise ValueError(f"a rule returns a tuple, a number per input; this one: {cotangents!r}")
        errors += [abs(c - g * slope) for c, slope in zip(cotangents, slopes)]
    return round(max(errors), 6)


# %%
print("mul_vjp is off by", rule_error(lambda a, b: a * b, mul_vjp, 2.0, -3.0))
print(
    "a rule without g is off by",
    rule_error(lambda a, b: a * b, lambda g, out, a, b: (b, a), 2.0, -3.0),
)

# For practice, without points: a rule of your own for a / b, and its error.

# %% [markdown]
# Some slopes are written with `out`.
#
# ### Exercise `exp_log_sqrt` (2 points)
# The rules of `math.exp(a)`, `math.log(a)` (the natural logarithm) and `math.sqrt(a)`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The derivative of log(a) is 1 / a. The square root is the power 0.5: write its derivative with `out`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g * ...,)             # exp: its slope is among the arguments
# return (g / ...,)             # log
# return (g / (...),)           # sqrt: the whole product under the line
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# `out` and `a` confused: `out` is the function's value already. Brackets left out: `g / 2 * out` is half of `g`, times
# `out`.
# </details>


# %% exercise="exp_log_sqrt"
def exp_vjp(g, out, a):
    """The cotangent of a, in a tuple of one, for out = exp(a)."""
    ### BEGIN SOLUTION
    return (g * out,)
    ### END SOLUTION


def log_vjp(g, out, a):
    """The cotangent of a, in a tuple of one, for out = log(a)."""
    ### BEGIN SOLUTION
    return (g / a,)
    ### END SOLUTION


def sqrt_vjp(g, out, a):
    """The cotangent of a, in a tuple of one, for out = sqrt(a)."""
    ### BEGIN SOLUTION
    return (g / (2 * out),)
    ### END SOLUTION


# %% check="exp_log_sqrt" points=2
with exercise("exp_log_sqrt") as check:
    check.close(yours.exp_vjp(10.0, math.exp(0.5), 0.5), (10.0 * math.exp(0.5),),
                "exp is its own derivative")
    check.close(yours.log_vjp(10.0, math.log(5.0), 5.0), (2.0,),
                "the derivative of log(a) at 5 is 1/5")
    check.close(yours.sqrt_vjp(10.0, 3.0, 9.0), (10.0 / 6.0,),
                "where the root is 3 its slope is 1 / (2 * 3)")
    check.close(yours.sqrt_vjp(10.0, 0.5, 0.25), (10.0,),
                "where the root is 0.5 its slope is 1 / (2 * 0.5)")
    ### BEGIN HIDDEN TESTS
    from autograder import number, positive

    for name, f in {"exp": math.exp, "log": math.log, "sqrt": math.sqrt}.items():
        rule = getattr(yours, f"{name}_vjp")
        for g, a in check.cases(10, number(), positive()):
            (slope,) = numerical_gradient(f, a)
            check.close(rule(g, f(a), a), (g * slope,),
                        f"g times the numerical derivative of {name}", rtol=1e-6)
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a, low in check.cases(3, number(), positive(), number(-699.0, -690.0)):
        out, a = math.exp(low), a * 1e-305
        check.close(yours.exp_vjp(g, out, low), (g * out,), "a tiny exp(a)", rtol=1e-12, atol=0.0)
        check.close(yours.log_vjp(g, math.log(a), a), (g / a,), "a tiny a", rtol=1e-12)
        root = math.sqrt(a)
        check.close(yours.sqrt_vjp(g, root, a), (g / (2 * root),), "a tiny a", rtol=1e-12)
        check.close(yours.exp_vjp(g, math.exp(-low), -low), (g * math.exp(-low),), "a large exp(a)", rtol=1e-12)
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `sin_cos` (2 points)
# The rules of `math.sin(a)` and `math.cos(a)`, in radians. `out` does not help: the sine takes each value while it rises and
# while it falls. Tiny angles count, too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each one's derivative is the other, one of them with a minus. Which function falls just right of 0?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (g * ...,)             # sin: the slope at the angle a
# return (... * math.sin(...),) # cos: g, and a sign
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# A wrong sign. `rule_error(math.cos, cos_vjp, 2.0)` shows it at once.
# </details>


# %% exercise="sin_cos"
def sin_vjp(g, out, a):
    """The cotangent of a, in a tuple of one, for out = sin(a)."""
    ### BEGIN SOLUTION
    return (g * math.cos(a),)
    ### END SOLUTION


def cos_vjp(g, out, a):
    """The cotangent of a, in a tuple of one, for out = cos(a)."""
    ### BEGIN SOLUTION
    return (-g * math.sin(a),)
    ### END SOLUTION


# %% check="sin_cos" points=2
with exercise("sin_cos") as check:
    check.close(yours.sin_vjp(10.0, math.sin(0.5), 0.5), (10.0 * math.cos(0.5),),
                "the slope of the sine at 0.5 is cos(0.5)")
    check.close(yours.sin_vjp(10.0, math.sin(2.0), 2.0), (10.0 * math.cos(2.0),),
                "at 2 radians the sine falls: cos(2) < 0")
    check.close(yours.cos_vjp(10.0, math.cos(2.0), 2.0), (-10.0 * math.sin(2.0),),
                "where the sine is positive the cosine falls")
    check.close(yours.cos_vjp(10.0, math.cos(-0.5), -0.5), (10.0 * math.sin(0.5),),
                "where the sine is negative the cosine rises")
    check.close(yours.cos_vjp(10.0, 1.0, -1e-20), (1e-19,),
                "the sine of a tiny angle is that angle", rtol=1e-9, atol=0.0)
    ### BEGIN HIDDEN TESTS
    from autograder import number, positive

    for name, f in {"sin": math.sin, "cos": math.cos}.items():
        rule = getattr(yours, f"{name}_vjp")
        for g, a in check.cases(10, number(), number(-6.0, 6.0)):
            (slope,) = numerical_gradient(f, a)
            check.close(rule(g, f(a), a), (g * slope,),
                        f"g times the numerical derivative of {name}")
    check.close(yours.sin_vjp(10.0, 0.0, 0.0), (10.0,), "at 0 the sine has the slope 1")
    check.close(yours.cos_vjp(10.0, 1.0, 0.0), (0.0,), "at 0 the cosine is flat")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a in check.cases(3, number(), positive()):
        for tiny in (a * 1e-305, a * -1e-305):
            check.close(yours.sin_vjp(g, tiny, tiny), (g,), "a tiny a", rtol=1e-13)
            check.close(yours.cos_vjp(g, 1.0, tiny), (-g * math.sin(tiny),), "a tiny a", rtol=1e-13, atol=0.0)
        for b in (0.003 * a, 0.1 * a, math.pi / 2 - 1e-6 * a, math.pi - 1e-6 * a, 1.0 + a):
            why = "to the last digits, beside a flat place too"
            check.close(yours.sin_vjp(g, math.sin(b), b), (g * math.cos(b),), why, rtol=1e-13, atol=1e-12)
            check.close(yours.cos_vjp(g, math.cos(b), b), (-g * math.sin(b),), why, rtol=1e-13, atol=1e-12)
    ### END HIDDEN TESTS

# %%
print("sin_vjp is off by", rule_error(math.sin, sin_vjp, 2.0))
print("cos_vjp is off by", rule_error(math.cos, cos_vjp, 2.0))

# %% [markdown]
# ### Exercise `relu_vjp` (1 point)
# relu(a) is `a` where `a` is positive, and 0 elsewhere. At 0 it has a corner and no derivative: we take 0, as PyTorch
# does.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Where `a` is positive, relu copies its input: slope 1. Elsewhere it is flat.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return (... if ... else ...,) # what passes; where; what passes elsewhere
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# The test is about `a`. The sign of `g` plays no part.
# </details>


# %% exercise="relu_vjp"
def relu_vjp(g, out, a):
    """The cotangent of a, in a tuple of one, for out = relu(a)."""
    ### BEGIN SOLUTION
    return (g if a > 0 else 0.0,)
    ### END SOLUTION


# %% check="relu_vjp" points=1
with exercise("relu_vjp") as check:
    check.close(yours.relu_vjp(10.0, 0.5, 0.5), (10.0,),
                "where a is positive relu is a itself: its slope is 1")
    check.close(yours.relu_vjp(-10.0, 0.0, -3.0), (0.0,),
                "where a is negative relu stays 0, whatever a does")
    check.close(yours.relu_vjp(10.0, 0.0, -2.0), (0.0,),
                "where a is negative relu stays 0: a positive g does not pass either")
    check.close(yours.relu_vjp(-10.0, 3.0, 3.0), (-10.0,), "a negative g passes as well")
    check.close(yours.relu_vjp(10.0, 0.0, 0.0), (0.0,), "at 0 we agree on the slope 0")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.scalar import Value as Reference
    from autograder import number, one_of

    for g, a in check.cases(15, number(), number()):
        x = Reference(a)
        x.relu().backward(g)
        check.close(yours.relu_vjp(g, max(a, 0.0), a), (x.grad,), "g where a > 0, else 0")
    for g, a in check.cases(6, number(), number(-0.09, 0.09)):
        check.close(yours.relu_vjp(g, max(a, 0.0), a), (g if a > 0 else 0.0,), "the same near 0")
    for g, a in check.cases(4, number(), one_of([1e-9, -1e-9, 1e-305, -1e-305])):
        check.close(yours.relu_vjp(g, max(a, 0.0), a), (g if a > 0 else 0.0,), "the same, still nearer")
    ### END HIDDEN TESTS

# %% [markdown]
# Two S-shaped functions come ready: their slopes need `out` alone.


# %% given="more_rules"
def tanh_vjp(g, out, a):
    return (g * (1 - out * out),)


def sigmoid_vjp(g, out, a):
    return (g * out * (1 - out),)


RULES |= {"exp": exp_vjp, "log": log_vjp, "sqrt": sqrt_vjp, "sin": sin_vjp, "cos": cos_vjp}
RULES |= {"tanh": tanh_vjp, "sigmoid": sigmoid_vjp, "relu": relu_vjp}

# %%
print("relu_vjp at 2 is off by", rule_error(FORWARD["relu"], relu_vjp, 2.0))
print("relu_vjp at 0 is off by", rule_error(FORWARD["relu"], relu_vjp, 0.0))

# %% [markdown]
# At its corner `rule_error` blames even a right rule: a numerical derivative averages both sides.
#
# Below, the sigmoid's slope is never above one quarter, so ten in a row pass back at most 0.25¹⁰, less than a
# millionth. relu passes all or nothing.


# %% figure="slopes"
def slopes():
    def sigmoid_of(a):
        return 1 / (1 + math.exp(-a))

    values = {"tanh": math.tanh, "sigmoid": sigmoid_of, "relu": lambda a: max(a, 0.0)}
    by_vjp = {
        "tanh": lambda a: tanh_vjp(1.0, math.tanh(a), a)[0],
        "sigmoid": lambda a: sigmoid_vjp(1.0, sigmoid_of(a), a)[0],
        # At its corner relu has no derivative: a gap, and a dot for what the rule gives.
        "relu": lambda a: relu_vjp(1.0, max(a, 0.0), a)[0] if abs(a) > 1e-9 else math.nan,
    }
    assert by_vjp["sigmoid"](0.0) == 0.25, "the steepest sigmoid is 0.25"
    assert 0.25**10 < 1e-6, "less than a millionth"
    sheet = plots.functions(values, -4.0, 4.0, slopes=by_vjp, xlabel="a", title="The slopes are VJPs")
    sheet[1].plot(0.0, relu_vjp(1.0, 0.0, 0.0), "o", color=sheet[1].lines[-1].get_color())


slopes()

# %% [markdown]
# ## 7. Operations without rules
#
# `a - b` and `a / b` need no rules: written with operations that have rules, they are recorded as such.
#
# ### Exercise `derived` (2 points)
# Write `neg`, `sub` and `div` with `+`, `*` and `**` only, for Values.
#
# <details><summary>Hint 1: a sketch</summary>
#
# -a is a multiple of a. Subtracting is adding a negative. Dividing is multiplying by a power.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return a * ...                # neg: a plain number
# return a + ...                # sub: you have neg
# return a * ...                # div: a power of b
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# RecursionError: `-a` inside `neg` calls `neg` again. A gradient of 0: `.data` takes a number out of the graph, and the
# way back ends there.
# </details>


# %% exercise="derived"
def neg(a):
    """-a"""
    ### BEGIN SOLUTION
    return a * -1
    ### END SOLUTION


def sub(a, b):
    """a - b"""
    ### BEGIN SOLUTION
    return a + b * -1
    ### END SOLUTION


def div(a, b):
    """a / b"""
    ### BEGIN SOLUTION
    return a * b**-1
    ### END SOLUTION


# %% probes="derived"
@probe
def derived(name):
    """Calls neg, sub or div with Values that have no numbers, and know +, * and ** and nothing
    else. Gives the steps that they record: an operation, and the places of what it works on."""
    steps = [["input", 0], ["input", 1]]

    class Plain(Value):
        def __init__(self, place):
            self.place = place

        @property
        def data(self):
            raise AttributeError("`.data` leaves the graph: use +, * and ** on the Values")

        def __neg__(self):
            return self.refuse() if name == "neg" else neg(self)

        def refuse(self, *other):
            raise TypeError("- and / call your own functions: write +, * or **")

        __sub__ = __rsub__ = __truediv__ = __rtruediv__ = refuse

    def noted(*step):
        steps.append(list(step))
        return len(steps) - 1

    def place_of(value):
        return value.place if isinstance(value, Plain) else noted("number", value.data)

    def plain_record(op, parents, constants=()):
        if op not in ("+", "*", "**"):
            raise LookupError(f"there is no rule for {op!r} here: use +, * and **")
        if any(isinstance(constant, Value) for constant in constants):
            raise ValueError("an exponent is a plain number, and this is a Value")
        return Plain(noted(op, *sorted(map(place_of, parents)), *constants))  # a + b is b + a

    # Not the notebook's own `record`: this exercise can be solved without it.
    names = globals()
    own = {"record": names["record"]} if "record" in names else {}
    names["record"] = plain_record
    try:
        given = [Plain(0)] if name == "neg" else [Plain(0), Plain(1)]
        out = {"neg": neg, "sub": sub, "div": div}[name](*given)
    finally:
        del names["record"]
        names.update(own)
    return [*steps, ["result", out.place]] if isinstance(out, Plain) else out


def worth(steps, *numbers):
    """The number that these steps make of numbers; what is no list of steps stays as it is."""
    if type(steps) is not list:
        return steps
    values = []
    for op, *given in steps:
        if op == "input":
            values.append(numbers[given[0]] if given[0] < len(numbers) else None)
        elif op == "number":
            values.append(float(given[0]))
        elif op == "**":
            base, power = values[given[0]], float(given[1])
            if base == 0 and power < 0:
                return "a division by zero"
            values.append(base**power)
        elif op == "result":
            return values[given[0]]
        else:
            a, b = (values[place] for place in given)
            values.append({"+": a + b, "*": a * b}[op])


# %% check="derived" points=2
with exercise("derived") as check:
    # Your functions get Values without numbers. What they record is then tried on numbers.
    check.close(worth(derived("neg"), 5.0), -5.0, "the negative of 5")
    check.close(worth(derived("sub"), 5.0, 3.0), 2.0, "5 - 3: the first less the second")
    check.close(worth(derived("div"), 6.0, 4.0), 1.5, "6 / 4: the first by the second")
    ### BEGIN HIDDEN TESTS
    from autograder import number

    minus, less, over = derived("neg"), derived("sub"), derived("div")
    for a, b in check.cases(15, number(), number()):
        check.close(worth(minus, a), -a, "-a")
        check.close(worth(less, a, b), a - b, "a - b")
        check.close(worth(over, a, b), a / b, "a / b")
    check.close(worth(minus, 0.0), 0.0, "the negative of 0")
    check.close(worth(less, a, -a), 2 * a, "a - b where b is -a")
    check.close([worth(less, *pair) for pair in ((a, a), (0.0, a), (a, 0.0), (0.0, 0.0))], [0.0, -a, a, 0.0],
                "a - b where both are equal, or one is 0")
    check.close(worth(over, 0.0, b), 0.0, "0 / b")
    check.close([worth(over, 3.0, 1e-6), worth(over, 3.0, 1e-170)], [3e6, 3e170], "a small b")
    ### END HIDDEN TESTS

# %% [markdown]
# The sigmoid, with its own rule, and put together from `exp`, `+` and `/`: another graph, the same gradient.

# %%
x, y = Value(0.3), Value(0.3)
short, long = sigmoid(x), 1 / (1 + exp(-y))
backpropagate(short)
backpropagate(long)
print(f"{x.grad:.12f} with {len(topological_order(short))} values")
print(f"{y.grad:.12f} with {len(topological_order(long))} values")

# %% [markdown]
# ## 8. An engine of your own
#
# ### Exercise `Scalar` (3 points)
# From an empty cell:
#
# - `Scalar(2.0)` is a number, with `data`, and with `grad`, which is 0.0 at first. Further arguments are yours to choose.
# - `x + y`, `x * y` and `x ** 3` are Scalars; an exponent is a plain number, such as -1 or 0.5, but not 0.
# - `out.backward()` sets the `grad` of `out`, and of all that it was made from, to the derivative of `out`, whatever stood
#   there before.
# - It leaves all others alone.
# - It copes with 10,000 operations in a row, and with `x = x + x`, 60 times.
#
# <details><summary>Hint 1: where to begin</summary>
#
# Let `x + y` work, then let its result know `x`, `y` and its slopes. `backward` comes last.
# </details>
# <details><summary>Hint 2: what you can use</summary>
#
# Lines that you have written above. Or let each Scalar count its steps from its farthest input: who has most goes first.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# TypeError "unsupported operand": `__add__`, `__mul__` and `__pow__` give `+`, `*` and `**` a meaning. A contribution lost
# where x is used twice: `=`. Larger at the second call: old gradients. No end: a value passes on each contribution by
# itself, not their sum.
# </details>


# %% exercise="Scalar"
class Scalar:
    def __init__(self, data, *more):
        ### BEGIN SOLUTION
        self.data, self.grad, self.made_from = data, 0.0, more
        self.depth = 1 + max((x.depth for x, slope in more), default=0)

    def __add__(self, other):
        return Scalar(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        return Scalar(self.data * other.data, (self, other.data), (other, self.data))

    def __pow__(self, n):
        return Scalar(self.data**n, (self, n * self.data ** (n - 1)))

    def backward(self):
        grads = {self: 1.0}
        while grads:
            node = max(grads, key=lambda node: node.depth)  # no other can still send it something
            node.grad = grads.pop(node)
            for x, slope in node.made_from:
                grads[x] = grads.get(x, 0.0) + slope * node.grad
        ### END SOLUTION


# %% probes="Scalar"
@probe
def scalars(program, numbers, calls=("out",)):
    """Runs a program on Scalars of these numbers, then the `backward` of each value in `calls`, in turn. Gives the
    data of the last of them, and the grads of all that have a name."""
    import sys

    values = {name: Scalar(number) for name, number in numbers.items()}
    exec(program, {}, values)
    for name in calls:
        if not isinstance(values[name], Scalar):
            return f"{name} is a {type(values[name]).__name__}, and no Scalar"
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)  # Python's own, whatever a cell has set
    try:
        for name in calls:
            values[name].backward()
    finally:
        sys.setrecursionlimit(limit)
    grads = {name: value.grad for name, value in values.items() if isinstance(value, Scalar)}
    return {"data": values[calls[-1]].data, "grads": grads}


def told(data, **grads):
    return {"data": data, "grads": grads}


# %% check="Scalar" points=3
with exercise("Scalar") as check:
    check.close(scalars("out = x * y + x ** -2", {"x": 0.5, "y": 3.0}, ["out", "out"]),
                told(5.5, x=-13.0, y=0.5, out=1.0), "3 and -16 for x, at a second call too")
    program = "p = x ** 3; q = p * p + p ** 3; r = p + p; out = r * q; z = y * out"
    check.close(scalars(program, {"x": -1.0, "y": 5.0}),
                told(0.0, x=-6, y=0, p=-2, q=-2, r=0, out=1, z=0), "4 and -6 for p")
    check.close(scalars("p = x * y; q = x * x; out = p + x", {"x": 2.0, "y": 2.0},
        ["q", "p", "out", "p"]), told(4.0, x=2, y=2, p=1, q=1, out=1), "from p; q keeps 1")
    check.close(scalars("out = x\nfor i in range(10_000): out = out + x", {"x": 0.5}),
                told(5000.5, x=10001.0, out=1.0), "10,000 operations in a row")
    check.close(scalars("out = x\nfor i in range(60): out = out + out", {"x": 0.5}),
                told(0.5 * 2**60, x=2.0**60, out=1.0), "60 doublings")
    ### BEGIN HIDDEN TESTS
    from autograd_ref.scalar import Value as Reference
    from autograder import integer, number, numbers, positive

    def expected(program, numbers):
        values = {name: Reference(number) for name, number in numbers.items()}
        exec(program, {}, values)
        values["out"].backward()
        return told(values["out"].data, **{name: value.grad for name, value in values.items()})

    for a, b in check.cases(3, number(), number()):
        program = "p = x * x * y; q = p ** 2; r = y * z; out = r * r * z"
        grads = {"x": 4 * a**3 * b**2, "y": 2 * b * a * a * a, "z": 3 * a**2 * b**2, "p": 2 * a * a * b, "q": 1.0}
        got = scalars(program, {"x": a, "y": b, "z": a}, ["q", "out"])["grads"]
        check.close({name: got[name] for name in grads}, grads, "what out was not made from keeps its grad")
        check.close(scalars("out = x * y", {"x": a, "y": b}, ["x"]), told(a, x=1.0, y=0.0, out=0.0), "back from an input")
    for zero in ("x ** 2 + y * z", "(x * x) ** 3 + y * (x + z)"):
        given = {"x": 0.0, "y": -1.5, "z": -1.5}
        check.close(scalars("out = " + zero, given), expected("out = " + zero, given), "a number of 0, two equal ones")
        given["z"], z = 0.0, "q = x * x * y; p = x * y; r = p * z; out = r + z"
        grads = {"x": 0.0, "y": 0.0, "z": 1.0, "p": 0.0, "r": 1.0, "out": 1.0}
        got = scalars(z, {**given, "x": 3.0}, ["q", "out"])["grads"]
        check.close({name: got[name] for name in grads}, {**grads, "z": 1.0 + 3.0 * -1.5},
            "a gradient of 0 is set as well, whatever stood there")
    got = scalars("p = x * y; q = p * z; out = q * x", {"x": 2.0**-60, "y": 3.0, "z": 5.0})
    tiny = {"x": 30 * 2.0**-60, "y": 5 * 2.0**-120, "z": 3 * 2.0**-120, "p": 5 * 2.0**-60, "q": 2.0**-60}
    check.close(got, told(15 * 2.0**-120, **tiny, out=1.0), "tiny gradients are passed on, too", atol=0.0)
    got = scalars("q = x * x * x; out = x * y", {"x": 1e200, "y": 3.0}, ["q", "out"])
    check.close(got, told(3e200, x=3.0, y=1e200, q=1.0, out=1.0), "an infinite gradient leaves no trace, either")
    for exponent in (1, 2, -2, 0.5, -0.5, 2.5, 1.0, 4):
        for a, b in check.cases(1, positive(), positive()):
            program, given = f"p = x * y; out = p ** {exponent} + x", {"x": a, "y": b}
            check.close(scalars(program, given), expected(program, given), "an exponent is any plain number but 0")
    check.close(scalars("out = x ** 1", {"x": 0.0}), told(0.0, x=1.0, out=1.0), "x ** 1 is x, at 0 too")
    for size, power, given in check.cases(18, integer(3, 7), integer(0, 6), numbers(3, -1.6, 1.6)):
        names, lines = ["x", "y", "z"], []
        for i in range(size):
            pair = [names[-1], check.rng.choice(names)]
            check.rng.shuffle(pair)
            line = check.rng.choice([" + ", " * "]).join(pair)
            if i == power:
                line = f"{names[-1]} ** {check.rng.choice([2, 3, -1])}"
            names.append("out" if i == size - 1 else f"v{i}")
            lines.append(f"{names[-1]} = {line}")
        program, given = "; ".join(lines), dict(zip("xyz", given))
        check.close(scalars(program, given), expected(program, given), "each grad is a derivative of out")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 9. Bug hunt
#
# A colleague sends six new rules, with a test. Run it: every error is 0. Yet **three of the six rules are wrong.**


# %% given="contributed"
def softplus(a):
    return math.log(1 + math.exp(a))


def gauss(a):
    return math.exp(-a * a)


CONTRIBUTED = {
    # name: (what it computes, its rule)
    "cube": (lambda a: a * a * a, lambda g, out, a: (3 * g * a,)),
    "softplus": (softplus, lambda g, out, a: (g * (1 - math.exp(-out)),)),
    "absolute": (abs, lambda g, out, a: (g,)),
    "gauss": (gauss, lambda g, out, a: (-2 * g * a * out,)),
    "divide": (lambda a, b: a / b, lambda g, out, a, b: (g / b, -g * a / b)),
    "hypot": (math.hypot, lambda g, out, a, b: (g * a / out, g * b / out)),
}

# %%
for name, (forward, rule) in CONTRIBUTED.items():
    inputs = (1.0, 1.0) if name in ("divide", "hypot") else (1.0,)
    print(f"{name:9} error {rule_error(forward, rule, *inputs)}")

# %% [markdown]
# ### Exercise `mended_rules` (2 points)
# Find the wrong rules: change the inputs of the test above. Then return a dict with a right rule for each wrong one,
# and for no other.
#
# <details><summary>Hint 1: a sketch</summary>
#
# At 1, wrong formulas agree with right ones: a, a² and 1/a are all 1. What else is special about the tested numbers?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for inputs in [(1.7, 0.6), (-1.7, 0.6)]: ...      # not 1, not all positive
#
# return {"the name": lambda g, out, a: (...,), ...}
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# A rule that looks unusual need not be wrong: trust `rule_error`, not your eyes.
# </details>


# %% exercise="mended_rules"
def mended_rules():
    """A dict with the name of each wrong rule of CONTRIBUTED, and a right rule for it."""
    ### BEGIN SOLUTION
    return {
        "cube": lambda g, out, a: (3 * g * a * a,),
        "absolute": lambda g, out, a: (g if a > 0 else -g,),
        "divide": lambda g, out, a, b: (g / b, -g * a / b**2),
    }
    ### END SOLUTION


# %% probes="mended_rules"
FUNCTIONS = {
    "cube": lambda a: a**3,
    "softplus": lambda a: math.log(1 + math.exp(a)),
    "absolute": abs,
    "gauss": lambda a: math.exp(-a * a),
    "divide": lambda a, b: a / b,
    "hypot": math.hypot,
}


@probe
def mended():
    """The names for which mended_rules has a rule; a text when it gives no dict."""
    rules = mended_rules()
    return sorted(rules) if isinstance(rules, dict) else f"a {type(rules).__name__}, no dict"


@probe
def mended_rule(name, gs, out, *inputs):
    """What the mended rule of that name gives, for each g of a list."""
    rule = mended_rules()[name]
    return [rule(g, out, *inputs) for g in gs]


THEIRS = dict(globals().get("CONTRIBUTED", {}))  # as they came


@probe
def contributed_rule(name, gs, out, *inputs):
    """What the colleague's rule of that name gives, for each g of a list."""
    return [THEIRS[name][1](g, out, *inputs) for g in gs]


def trial(rule, name, *inputs):
    """What a rule gives for g = 10 and for g = -10 here, and these times the numerical derivative."""
    inputs = inputs if name in ("divide", "hypot") else inputs[:1]
    slopes = numerical_gradient(FUNCTIONS[name], *inputs)
    given = rule(name, [10.0, -10.0], FUNCTIONS[name](*inputs), *inputs)
    return given, [tuple(g * slope for slope in slopes) for g in (10.0, -10.0)]


def is_right(rule, name):
    """Whether a rule is right at a negative number."""
    (given, _), (expected, _) = trial(rule, name, -1.7, 0.6)
    return all(abs(c - e) < 1e-6 for c, e in zip(given, expected))


# %% check="mended_rules" points=2
with exercise("mended_rules") as check:
    names = mended()
    check.true(type(names) is list, "return a dict: names, each with its right rule")
    check.true(set(names) <= set(FUNCTIONS), "the keys are names from CONTRIBUTED")
    for name in names:
        check.true(not is_right(contributed_rule, name),
                   f"{name} is right there (changed? run that cell anew, and those below)")
        check.close(*trial(mended_rule, name, 1.7, 0.6),
                    f"each g times the slopes of {name} at a = 1.7 (b = 0.6)", rtol=1e-6)
        check.close(*trial(mended_rule, name, -1.7, 0.6),
                    f"each g times the slopes of {name} at a = -1.7 (b = 0.6)", rtol=1e-6)
    check.true(len(mended()) == 3, f"three are wrong, and you have {len(names)}")
    ### BEGIN HIDDEN TESTS
    from autograder import number

    check.equal(mended(), ["absolute", "cube", "divide"], "the three wrong rules")
    for a, b in check.cases(15, number(-3.0, 3.0), number(-3.0, 3.0)):
        for name in ("cube", "absolute", "divide"):
            check.close(*trial(mended_rule, name, a, b),
                        f"10 and -10 times the numerical derivative of {name}", rtol=1e-5)
    for (g,) in check.cases(5, number()):
        check.close(mended_rule("cube", [g], -3.375, -1.5), [(6.75 * g,)], "the slope, times g")
        check.close(mended_rule("absolute", [g], 1.5, -1.5), [(-g,)], "the slope, times g")
        check.close(mended_rule("divide", [g], 6.0, 1.5, 0.25), [(4 * g, -24 * g)],
                    "the slopes, times g")
    # So small that a difference quotient, of complex numbers too, finds nothing.
    for g, a, b in check.cases(3, *[number(0.3)] * 3):
        low, lower = a * 1e-150, a * 1e-305
        check.close(mended_rule("cube", [g], 0.0, low), [(3 * g * low * low,)], "a tiny a", rtol=1e-12, atol=0.0)
        check.close(mended_rule("divide", [g], lower / b, lower, b), [(g / b, -g * (lower / b) / b)],
                    "a tiny a", rtol=1e-12, atol=0.0)
        check.close(mended_rule("divide", [g], 0.0, 0.0, b), [(g / b, 0.0)], "an a of 0")
        for tiny in (low, -low):
            check.close(mended_rule("absolute", [g], abs(tiny), tiny), [(math.copysign(g, g * tiny),)], "a tiny a")
    ### END HIDDEN TESTS

# %% [markdown]
# This is how wrong gradients survive tests: at 1, and at positive inputs alone.
#
# ## In your own words
#
# Why is one pass back enough for a thousand inputs, where forward mode needs a thousand? Two sentences, then open ours.
#
# <details><summary>One way to say it</summary>
#
# A gradient belongs to the one result, and passing it back reaches all inputs. A tangent belongs to one input: the next
# needs tangents of its own.
# </details>
#
# ## The same in PyTorch
#
# Where it is installed, this cell computes V with PyTorch, and compares.

# %% tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here: `pip install torch`, then run this cell again.")
else:
    theirs = [torch.tensor(number, requires_grad=True) for number in (2.0, 3.0, 4.0)]
    x, y, z = theirs
    (x * y + z * (x + y)).backward()
    print("theirs", [t.grad.item() for t in theirs])
    ours = inputs_of_V()
    backpropagate(graph_of_V(*ours))
    print("yours ", [value.grad for value in ours])

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `Value` with `data` and `grad` | a tensor with `requires_grad=True` |
# | `op` and `parents` | `grad_fn` and its `next_functions` |
# | `record` | what every operation does unless `torch.no_grad()` is on |
# | a VJP, and its `g` | the `backward` of a `torch.autograd.Function`, and its `grad_output` |
# | `out` and `inputs` for the rule | `ctx.save_for_backward` |
# | `backpropagate(L)` | `L.backward()` |
#
# One difference: our `backward` begins with zeros. PyTorch *adds* to the `grad` of the inputs on every call, until you
# set it to zero (unit 04).
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | right, until a value is used twice; then a contribution is missing | `=` where `+=` belongs |
# | right at first, then larger with each call | old gradients that nobody set to zero |
# | wrong only where paths of different length meet | an order that is not topological |
# | the test passes, training does not | a rule tested at 1, or at positive numbers alone |
#
# ## Who found it
#
# - Seppo Linnainmaa, [1976](https://doi.org/10.1007/BF01931367): one pass back gives all derivatives, here of a rounding error.
#
# ## One thing to try next
# In a new cell, add `atan`: an entry in `FORWARD`, one in `RULES`, and `function("atan")`. Its slope is 1 / (1 + a²).

# %% progress="here"
