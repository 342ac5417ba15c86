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
#     unit: 08_layers
#     allow: [autograd_ref.tensor, autograd_ref.ops, autograd_ref.sweep, autograd_ref.graph, autograd_ref.plots]
#     title: "Layers: parts with parameters, and how to start them"
# ---

# %% [markdown]
# # Layers: parts with parameters, and how to start them
#
# The picture shows one network of 20 relu layers, three times. Only the size of its first random weights differs.
# What to see: on the way through the layers, the numbers grow more than ten billion times, or shrink to less than a
# ten-millionth,  or stay as they are.

# %% figure="goal" keep=true
def goal():
    import numpy as np

    from autograd_ref import plots

    rng, sizes = np.random.default_rng(0), {"too large": 0.5, "too small": 0.05, "right": 0.125}
    found = {}
    for name, std in sizes.items():
        x = rng.normal(size=(200, 128))
        found[name] = []
        for _ in range(20):
            x = np.maximum(x @ rng.normal(0.0, std, (128, 128)), 0.0)
            found[name].append(x.std())
    assert found["too large"][-1] > 1e10 and found["too small"][-1] < 1e-7
    plots.layer_statistics(found, title="20 relu layers, three sizes of the first weights")


goal()

# %% setup="imports"
import numpy as np

from autograd_ref import Tensor, plots
from autograder import exercise, predicted, probe

# %% [markdown]
# At the end you will be able to
#
# - build layers as PyTorch does, and find all parameters of a network, however nested;
# - choose first weights with which deep networks train;
# - write dropout, LayerNorm and Embedding, and say what each is for;
# - find layers that look right and do not learn.
#
# The numbers are `Tensor` from `autograd_ref`: the engine of units 05 to 07, finished, with `backward` and all
# operations. **Time:** about 90 minutes. **Builds on:** 05 and 06 (tensors, matmul).

# %% [markdown]
# ## 1. The linear layer
#
# A layer of unit 04 had a list of neurons, each with its list of weights. Now the weights of one neuron are one *row* of
# a matrix. So `weight` has the shape (out, in): `out` neurons, each looking at `in` numbers. With one example in each
# row of `x`:
#
# $$\mathrm{out} = x\, W^T + b$$
#
# With weights 2, 0, 1 and the bias 10, the example (1, 5, 3) becomes 2 · 1 + 0 · 5 + 1 · 3 + 10 = 15.
#
# ### Exercise `linear` (2 points)
# Write the formula for Tensors. `x` has shape (..., in), the result (..., out). A layer without a bias gets `None`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each row of `x` meets each row of `weight`. Which way round must `weight` stand for `@`?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# out = x @ ...                      # the shapes: (..., in) @ (in, out)
# return ... if bias is None else ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Shapes that do not fit: `.T` is missing. "Neither true nor false": ask `is None`. "There is nothing to differentiate":
# `.data` takes numbers out of the graph.
# </details>


# %% exercise="linear"
def linear(x, weight, bias=None):
    """(..., out): of x (..., in), weight (out, in) and bias (out,) or None."""
    ### BEGIN SOLUTION
    out = x @ weight.T
    return out if bias is None else out + bias
    ### END SOLUTION


# %% probes="linear"
def with_gradients(function, g, *arrays):
    """What a function of Tensors gives, and the gradients of its inputs when g arrives."""
    inputs = [Tensor(array, requires_grad=True) for array in arrays]
    out = function(*inputs)
    if not isinstance(out, Tensor):
        return numbers_of(out)
    if out.shape != np.shape(g):
        return f"a Tensor of shape {out.shape}"
    out.backward(g)
    return out.data, *(None if t.grad is None else t.grad.data for t in inputs)


def numbers_of(out):
    """The array of a Tensor; of anything else, what it is."""
    if isinstance(out, Tensor):
        return out.data
    return None if out is None else f"no Tensor: {type(out).__name__}"


@probe
def linear_of(*arrays):
    """What linear gives for Tensors of these arrays."""
    return numbers_of(linear(*map(Tensor, arrays)))


@probe
def linear_without_bias(x, weight):
    """What linear gives for the bias None."""
    return numbers_of(linear(Tensor(x), Tensor(weight), None))


@probe
def linear_gradients(g, x, weight, bias):
    """What linear gives, and the gradients of x, weight and bias when g arrives."""
    return with_gradients(linear, g, x, weight, bias)


# %% check="linear" points=2
with exercise("linear") as check:
    x, w = np.array([[1.0, 5, 3], [0, -1, 2]]), np.array([[2.0, 0, 1], [1, 1, -1]])
    b, out = np.array([10.0, -4]), np.array([[15.0, -1], [12, -7]])
    check.close(linear_without_bias(x, w), out - b, "no bias: 2 + 0 + 3, and 1 + 5 - 3")
    check.close(linear_of(x, w, b), out, "with the bias 10 and -4: 5 + 10, and 3 - 4")
    check.close(linear_of(x[0], w, b), out[0], "one example alone, of shape (3,)")
    x3 = np.stack([x, x, x])
    check.close(linear_of(x3, w, b), np.stack([out, out, out]), "an x of shape (3, 2, 3)")
    g, b_grad = np.array([[1.0, 0], [2, -1]]), np.array([3.0, -1])
    expected = (out, g @ w, g.T @ x, b_grad)
    check.close(linear_gradients(g, x, w, b), expected, "the gradients of x, weight, bias")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    for x, w, b in check.cases(8, array(5, 3), array(2, 3), array(2)):
        layer = nn.Linear(3, 2)
        layer.weight.data, layer.bias.data = w.copy(), b.copy()
        t = Tensor(x, requires_grad=True)
        out, g = layer(t), np.array([[check.rng.uniform(-2, 2) for _ in range(2)] for _ in range(5)])
        out.backward(g)
        expected = (out.data, t.grad.data, layer.weight.grad.data, layer.bias.grad.data)
        check.close(linear_gradients(g, x, w, b), expected, "the value and the gradients of nn.Linear")
    for x, w, b in check.cases(4, array(4, 2, 3), array(5, 3), array(5)):
        check.close(linear_of(x, w, b), x @ w.T + b, "more axes in front")
        check.close(linear_without_bias(x, w), x @ w.T, "no bias")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. What a module owns
#
# Someone has to keep `weight` and `bias`, and training needs a list of *all* parameters. PyTorch's answer is short. A
# **Parameter** is a Tensor that training may change. A **Module** is an object with a method `forward`; what it owns are
# its attributes. Assign `self.weight = Parameter(...)`, and the module will find it. Calling a module calls its
# `forward`.


# %% setup="module"
class Parameter(Tensor):
    """A Tensor that training changes, if it is an attribute of a Module."""

    def __init__(self, data):
        super().__init__(np.array(data, dtype=float), requires_grad=True)


class Module:
    """Something with a `forward`; it owns the Parameters and Modules among its attributes."""

    training = True  # False while the network is used, not trained

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def parts(self):
        """A dict of its own Parameters and Modules."""
        return own_parts(self)

    def named_parameters(self):
        """A dict of all Parameters, with dotted names such as "first.weight"."""
        return named_parameters(self)

    def train(self, mode=True):
        set_mode(self, mode)
        return self

    def eval(self):
        return self.train(False)


def pytorch_uniform(fan_in, fan_out, rng):
    """PyTorch's first weights for a linear layer, (fan_out, fan_in)."""
    return rng.uniform(-1, 1, (fan_out, fan_in)) / np.sqrt(fan_in)


class Linear(Module):
    def __init__(self, fan_in, fan_out, rng, init=pytorch_uniform):
        self.weight = Parameter(init(fan_in, fan_out, rng))
        self.bias = Parameter(np.zeros(fan_out))

    def forward(self, x):
        return linear(x, self.weight, self.bias)


# %% [markdown]
# ### Exercise `own_parts` (2 points)
# `vars(module)` is the dict of an object's attributes. Return a dict of those that are a Parameter or a Module, in the
# same order. If an attribute is a **list**, look at its items: the second item of `blocks` gets the name `"blocks.1"`.
# Do not look inside the modules that you find.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Make a dict of all candidates first, attributes and items of lists. Then keep those of the right type.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for name, value in vars(module).items():
#     if isinstance(value, list): ...      # enumerate: one name for each item
#     else: ...
# return {... if isinstance(x, (Parameter, Module))}
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many: a Tensor that is no Parameter, or a number. Wrong numbers in a list: an item is counted even if it is not
# kept.
# </details>


# %% exercise="own_parts"
def own_parts(module):
    """The Parameters and Modules among a module's attributes, by name; lists opened."""
    ### BEGIN SOLUTION
    found = {}
    for name, value in vars(module).items():
        if isinstance(value, list):
            found |= {f"{name}.{i}": item for i, item in enumerate(value)}
        else:
            found[name] = value
    return {name: x for name, x in found.items() if isinstance(x, (Parameter, Module))}
    ### END SOLUTION


# %% probes="own_parts"
@probe
def parts_of(attributes):
    """The parts of a module whose attributes are Parameters "P...", Modules "M...", Tensors "T..."."""
    made = {}

    class Scale(Parameter):
        pass

    class Layer(Module):
        pass

    def parameter(what):
        return (Scale if what == "P2" else Parameter)([1.0, 2.0])

    def thing(what):
        if isinstance(what, list):
            return [thing(item) for item in what]
        if not isinstance(what, str) or what[:1] not in ("P", "M", "T"):
            return what
        made[what] = {"P": parameter, "M": lambda _: Layer(), "T": lambda _: Tensor([1.0])}[what[0]](what)
        if what[0] == "M":
            made[what].hidden = Parameter([0.0])
        return made[what]

    module = Module()
    for name, what in attributes.items():
        setattr(module, name, thing(what))
    labels = {id(x): label for label, x in made.items()}
    found = own_parts(module)
    if not isinstance(found, dict):
        return None if found is None else f"no dict: {type(found).__name__}"
    return {name: labels.get(id(part), "something else") for name, part in found.items()}


# %% check="own_parts" points=2
with exercise("own_parts") as check:
    # "P..." is a Parameter, "M..." a Module, "T..." a Tensor. P2 has a class of its own.
    check.close(parts_of({"weight": "P1", "bias": "P2"}), {"weight": "P1", "bias": "P2"},
                "two Parameters, under the names of their attributes")
    check.close(parts_of({"rate": 0.5, "first": "M1", "scale": "P1"}),
                {"first": "M1", "scale": "P1"}, "a number is no part; a Module is one")
    check.close(parts_of({"w": "P1", "mean": "T1", "bias": None, "training": False}),
                {"w": "P1"}, "a Tensor that is not trained is no part; None neither")
    got = parts_of({"blocks": ["M2", 0.1, "P1"], "head": "M1"})
    check.close(got, {"blocks.0": "M2", "blocks.2": "P1", "head": "M1"},
                "items of a list are numbered from 0; what is no part keeps its number")
    check.equal(list(got), ["blocks.0", "blocks.2", "head"], "the order of the attributes")
    ### BEGIN HIDDEN TESTS
    for _ in range(15):
        spec, expected, count = {}, {}, 0
        for name in check.rng.sample(["a", "b", "layers", "weight", "norm", "x1"], 5):
            kind = check.rng.choice(["P", "M", "T", "other", "list"])
            if kind == "list":
                items = []
                for i in range(check.rng.randint(0, 4)):
                    count += 1
                    items.append(check.rng.choice([f"P{count}", f"M{count}", f"T{count}", 7]))
                    if str(items[-1])[0] in "PM":
                        expected[f"{name}.{i}"] = items[-1]
                spec[name] = items
                continue
            count += 1
            spec[name] = 3.5 if kind == "other" else f"{kind}{count}"
            if kind in ("P", "M"):
                expected[name] = spec[name]
        got = parts_of(spec)
        check.close(got, expected, "the Parameters and Modules, by name")
        check.equal(list(got), list(expected), "in the order of the attributes")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `named_parameters` (3 points)
# Return **all** Parameters below a module. `module.parts()` gives what it owns itself. The parameters of a part `first`
# get names such as `"first.weight"`, and so on downwards. Go through the parts in order, all the way into each. A
# Parameter that two modules share is listed once, under the first name found: an update must not happen twice.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A part is a Parameter: note it. It is a Module: ask it for its named parameters, and put its name in front.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for name, part in module.parts().items():
#     inner = {name: part} if ... else {...}       # the function may call itself
#     for n, parameter in inner.items():
#         if not any(parameter is ... for ...):    # a new one
#             found[n] = parameter
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# ValueError "neither true nor false": `parameter in ...` compares numbers. `is` asks for the same object. Missing
# names: two parameters with the same numbers are still two.
# </details>


# %% exercise="named_parameters"
def named_parameters(module):
    """A dict of all Parameters of a module and the modules below it, by dotted name."""
    ### BEGIN SOLUTION
    found = {}
    for name, part in module.parts().items():
        inner = {name: part}
        if isinstance(part, Module):
            inner = {f"{name}.{n}": p for n, p in named_parameters(part).items()}
        for n, parameter in inner.items():
            if not any(parameter is other for other in found.values()):
                found[n] = parameter
    return found
    ### END SOLUTION


# %% probes="named_parameters"
class Toy(Module):
    """A module with these parts, and nothing of your own functions in it."""

    def __init__(self, parts):
        self.__dict__.update(parts)

    def parts(self):
        return {n: x for n, x in vars(self).items() if n != "training"}


def toy_of(tree, made):
    """A Toy for a dict of names; equal texts become one Parameter. `made` is filled with these."""
    parts = {}
    for name, what in tree.items():
        if isinstance(what, dict):
            parts[name] = toy_of(what, made)
        else:
            parts[name] = made.setdefault(what, Parameter([1.0, 2.0]))
    return Toy(parts)


@probe
def names_in(tree):
    """What named_parameters finds in such a tree, when it is asked for the second time."""
    made = {}
    model = toy_of(tree, made)
    named_parameters(model)
    found = named_parameters(model)
    if not isinstance(found, dict):
        return None if found is None else f"no dict: {type(found).__name__}"
    labels = {id(parameter): label for label, parameter in made.items()}
    return {name: labels.get(id(x), "something else") for name, x in found.items()}


# %% check="named_parameters" points=3
with exercise("named_parameters") as check:
    # A dict is a module, a text a Parameter: equal texts are one and the same Parameter.
    check.close(names_in({"weight": "w", "bias": "b"}), {"weight": "w", "bias": "b"},
                "its own Parameters (with the same numbers, and yet two)")
    check.close(names_in({"scale": "s", "first": {"weight": "w"}}),
                {"scale": "s", "first.weight": "w"}, "those of a part: its name in front")
    check.close(names_in({"a": {"b.0": {"w": "v"}, "b.1": {"w": "w"}}, "c": {}}),
                {"a.b.0.w": "v", "a.b.1.w": "w"}, "parts of parts, as deep as they go")
    check.close(names_in({"one": {"w": "w"}, "two": {"b": "b", "w": "w"}, "w": "w"}),
                {"one.w": "w", "two.b": "b"}, "w is shared: once, under its first name")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn

    def grown(depth, labels):
        tree = {}
        for name in check.rng.sample(["a", "b", "c", "weight", "norm"], 3):
            deeper = depth and check.rng.random() < 0.5
            tree[name] = grown(depth - 1, labels) if deeper else check.rng.choice(labels)
        return tree

    def reference_of(tree, made):
        module = nn.Module()
        for name, what in tree.items():
            if isinstance(what, dict):
                setattr(module, name, reference_of(what, made))
            else:
                setattr(module, name, made.setdefault(what, nn.Parameter([0.0])))
        return module

    # Our order is that of the attributes; the reference lists a module's own parameters first.
    for few in (False, True) * 8:
        labels = [f"p{i}" for i in range(3 if few else 1000)]
        tree, made = grown(3, labels), {}
        model = reference_of(tree, made)
        back = {id(p): label for label, p in made.items()}
        got = names_in(tree)
        if few:
            check.close(sorted(got.values()), sorted(back[id(p)] for p in model.parameters()), "each once")
            every = {n: back[id(p)] for n, p in model.named_tensors()}
            check.true(all(every.get(n) == label for n, label in got.items()), "each under a name of its own")
        elif len(list(model.named_tensors())) == len(made):
            expected = {n: back[id(p)] for n, p in model.named_parameters()}
            check.close(got, expected, "the names that nn.Module gives")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `set_mode` (1 point)
# Some layers behave differently while the network is trained: section 5 has one. Set the attribute `training` of a
# module **and of all modules below it**.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First the module itself. Then the same for each part, if it is a Module.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# module.training = ...
# for part in module.parts().values():
#     if ...: ...                    # the function may call itself
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# AttributeError about `parts`: a Parameter is a part too, and it has none.
# </details>


# %% exercise="set_mode"
def set_mode(module, training):
    """Set `training` (True or False) of the module and of all modules below it."""
    ### BEGIN SOLUTION
    module.training = training
    for part in module.parts().values():
        if isinstance(part, Module):
            set_mode(part, training)
    ### END SOLUTION


# %% probes="set_mode"
def modes(name, module):
    """The modes of a module and of those below it, by name."""
    found = {name: module.training}
    for n, part in module.parts().items():
        if isinstance(part, Module):
            found |= modes(n, part)
    return found


def classes_as_they_were():
    """Undo what an answer did to the classes themselves."""
    Module.training = True
    if "training" in vars(Toy):
        del Toy.training


@probe
def modes_after(tree, *calls):
    """The modes in a tree of modules after these calls of set_mode, and that of a module elsewhere."""
    classes_as_they_were()
    model, other = toy_of(tree, {}), Toy({})
    try:
        for training in calls:
            set_mode(model, training)
        return {**modes("model", model), "elsewhere": other.training}
    finally:
        classes_as_they_were()


# %% check="set_mode" points=1
with exercise("set_mode") as check:
    tree = {"weight": "w", "a": {"b": {"c": {}}, "bias": "b"}, "d": {}}
    off = {**dict.fromkeys(["model", "a", "b", "c", "d"], False), "elsewhere": True}
    check.close(modes_after(tree, False), off,
                "the model and all modules below it, however deep; no others")
    check.close(modes_after(tree, False, False), off, "off twice is off, not on again")
    on = dict.fromkeys(off, True)
    check.close(modes_after(tree, False, True), on, "and back to training")
    ### BEGIN HIDDEN TESTS
    for _ in range(6):
        names, calls = list("pqrstu"), [check.rng.random() < 0.5 for _ in range(3)]
        tree = {"w": "w"}
        for name in names:
            place = tree
            while check.rng.random() < 0.6 and any(isinstance(v, dict) for v in place.values()):
                place = check.rng.choice([v for v in place.values() if isinstance(v, dict)])
            place[name] = {"x": "x"}
        expected = {**dict.fromkeys(["model", *names], calls[-1]), "elsewhere": True}
        check.close(modes_after(tree, *calls), expected, "the last mode counts, for all of them")
    tree = {}
    for name in "pqrstuvw":
        tree = {name: tree}
    expected = {**dict.fromkeys(["model", *"pqrstuvw"], False), "elsewhere": True}
    check.close(modes_after(tree, True, False), expected, "eight modules deep")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `sequential` (2 points)
# The module that you will use most: others, one after another. Keep them in one attribute `layers`, a **list**, so that
# they are found.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What comes out of one module goes into the next: call the modules.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# self.layers = ...                  # in __init__; `modules` is a tuple
# for layer in self.layers: ...      # in forward
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# "It owns" fails: `*modules` arrives as a tuple, and `own_parts` opens lists.
# </details>


# %% exercise="sequential"
class Sequential(Module):
    """Modules in a row: each gets what the one before it returned."""

    def __init__(self, *modules):
        ### BEGIN SOLUTION
        self.layers = list(modules)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x)
        return x
        ### END SOLUTION


# %% probes="sequential"
class Step(Module):
    """x becomes factor * x + shift."""

    def __init__(self, factor, shift):
        self.factor, self.shift = factor, shift

    def forward(self, x):
        return self.factor * x + self.shift


@probe
def in_order(steps, *numbers):
    """What a Sequential of such steps makes of each of the numbers."""
    model = Sequential(*(Step(factor, shift) for factor, shift in steps))
    model.training = False
    return [model(x) for x in numbers]


@probe
def owned_by(count):
    """Which of so many modules a Sequential holds, by the type of the attribute that they are in."""
    steps, held = [Step(1.0, 1.0) for _ in range(count)], {}
    for value in vars(Sequential(*steps)).values():
        items = [value] if isinstance(value, Module) else value.values() if isinstance(value, dict) else value
        for x in items if hasattr(items, "__len__") else ():
            if isinstance(x, Step):
                held.setdefault(type(value).__name__, []).extend(i for i in range(count) if steps[i] is x)
    return held


# %% check="sequential" points=2
with exercise("sequential") as check:
    check.close(in_order([(2.0, 0.0), (1.0, 5.0)], 3.0), [11.0], "3 doubled; then 5 more")
    check.close(in_order([(1.0, 5.0), (2.0, 0.0)], 3.0), [16.0], "another order: 8 doubled")
    check.close(in_order([(2.0, 1.0), (3.0, 0.0), (1.0, -4.0)], 1.0, -1.0, 1.0),
                [5.0, -7.0, 5.0], "called three times: nothing is kept from call to call")
    check.close(owned_by(3), {"list": [0, 1, 2]}, "it owns all three, each once, in a list")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    for a, b, x in check.cases(10, numbers(4), numbers(4), numbers(2)):
        expected = []
        for value in x:
            for factor, shift in zip(a, b):
                value = factor * value + shift
            expected.append(value)
        check.close(in_order(list(zip(a, b)), *x), expected, "one after another")
    check.close(owned_by(1), {"list": [0]}, "it owns it")
    check.close(owned_by(5), {"list": [0, 1, 2, 3, 4]}, "it owns them all")
    ### END HIDDEN TESTS

# %% [markdown]
# Two linear layers with tanh between them, by your code. What to see: 3 · 4 + 4 + 4 · 2 + 2 = 26 numbers to train; tanh
# has none.


# %% given="activations"
class Tanh(Module):
    def forward(self, x):
        return x.tanh()


class ReLU(Module):
    def forward(self, x):
        return x.relu()


# %%
rng = np.random.default_rng(0)
model = Sequential(Linear(3, 4, rng), Tanh(), Linear(4, 2, rng))
for name, parameter in model.named_parameters().items():
    print(f"{name:16} {parameter.shape}")
print("numbers to train:", sum(p.size for p in model.named_parameters().values()))
print("modes after eval():", [part.training for part in model.eval().parts().values()])

# %% [markdown]
# ## 3. Through many layers
#
# Back to the first picture. We measure the standard deviation (std) of all numbers that leave each layer.
#
# ### Exercise `layer_stds` (2 points)
# Arrays only, no bias. Send `x` through the layers: times the transposed weights, then the activation. Return the list
# of the standard deviations of what each layer sends on.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A loop over the weights, with a new `x` in each round.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for weight in weights:
#     x = activation(...)
#     stds.append(...)          # one number: over all of x
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# One number too many: the std of the input was noted as well. Too large: it was taken before the activation.
# </details>


# %% exercise="layer_stds"
def layer_stds(x, weights, activation):
    """The std of activation(x @ weight.T) after each layer, x going from layer to layer."""
    ### BEGIN SOLUTION
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std())
    return stds
    ### END SOLUTION


# %% probes="layer_stds"
@probe
def stds_of(x, weights, activation):
    """layer_stds with the activation of this name."""
    known = {"tanh": np.tanh, "relu": lambda a: np.maximum(a, 0.0), "none": lambda a: a}
    stds = layer_stds(x, weights, known[activation])
    return [np.asarray(s).tolist() for s in stds] if isinstance(stds, (list, tuple, np.ndarray)) else stds


# %% check="layer_stds" points=2
with exercise("layer_stds") as check:
    x, double = np.array([[1.0, 3.0], [-2.0, 2.0]]), 2.0 * np.eye(2)
    both = [np.array([[2.0, -1.0], [1.0, 1.0]]), np.array([[3.0, 2.0]])]
    check.close(stds_of(x, [double], "none"), [np.sqrt(14)], "2, 6, -4, 4: the mean is 2")
    check.close(stds_of(x, both, "relu"), [np.sqrt(3), 4.0],
                "relu makes 0, 4, 0, 0 of -1, 4, -6, 0; then 8 and 0 from the second layer")
    check.close(stds_of(x, [double], "relu"), [np.sqrt(5)], "2, 6, 0, 4: after the relu")
    ### BEGIN HIDDEN TESTS
    from autograder import array, one_of

    tools = {"tanh": np.tanh, "relu": lambda a: np.maximum(a, 0.0), "none": lambda a: a}
    for x, a, b, c, name in check.cases(
        10, array(5, 3), array(4, 3), array(2, 4), array(6, 2), one_of(list(tools))
    ):
        h, expected = x, []
        for weight in (a, b, c):
            h = tools[name](h @ weight.T)
            expected.append(float(h.std()))
        check.close(stds_of(x, [a, b, c], name), expected, "after each layer")
    ### END HIDDEN TESTS

# %% [markdown]
# Why do the sizes change? Each output is a sum of $n$ products of a weight and an input. Weights of mean 0 make them
# random steps, whose mean squares add up. With *rms* for the root of a mean square:
#
# $$\mathrm{rms_{out}} = \sqrt{n} \cdot \mathrm{std_w} \cdot \mathrm{rms_{in}}$$
#
# Around mean 0 the rms is the std.
#
# **Predict, then run.** 20 layers of 100 neurons without activation, weights of std 0.2, normal inputs of std 1. By
# which factor does one layer change the std? And all 20?

# %%
prediction = (None, None)

rng = np.random.default_rng(1)
weights = [rng.normal(0.0, 0.2, (100, 100)) for _ in range(20)]
found = layer_stds(rng.normal(size=(500, 100)), weights, lambda a: a)
if predicted(prediction, "twenty_layers"):
    print(f"after one layer: {found[0]:.1f}   after all: {found[-1]:.1e}   2**20: {2**20:.1e}")
    x = abs(rng.normal(size=(500, 100)))  # all positive
    out, rms = (x @ weights[0].T).std(), np.sqrt((x * x).mean())
    print(f"positive inputs: std {x.std():.2f}, rms {rms:.2f}, and {out:.2f} after one layer")

# %% [markdown]
# A factor per layer is a power in the end, and numbers have an end as well. Here are 60 relu layers in float32, whose
# largest number is 3.4 · 10³⁸:


# %%
def first_layer_where(trouble, std):
    """The first of 60 relu layers of 100 neurons after which `trouble` is True."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(64, 100)).astype("float32")
    with np.errstate(all="ignore"):
        for layer in range(1, 61):
            x = np.maximum(x @ rng.normal(0.0, std, (100, 100)).astype("float32"), 0)
            if trouble(x):
                return layer


explodes = first_layer_where(lambda x: np.isinf(x).any(), 1.0)
breaks = first_layer_where(lambda x: np.isnan(x).any(), 1.0)
vanishes = first_layer_where(lambda x: not x.any(), 0.01)
assert explodes and breaks and vanishes and explodes < breaks
print(f"weights of std 1:    inf after layer {explodes}, nan after layer {breaks}")
print(f"weights of std 0.01: every number is 0 after layer {vanishes}")

# %% [markdown]
# This is what *exploding* and *vanishing* mean. `nan` comes from inf - inf, and no gradient recovers from it. A network
# of zeros is silent about it: its gradients are 0, and it never moves.
#
# ## 4. The first weights
#
# For a factor of 1, the weights need the variance $1/n$, where $n$ is the number of inputs, the *fan-in*. Gradients flow
# backwards through the same weights and see the number of outputs, the *fan-out*. The compromise of Xavier Glorot is the
# variance $2 / (\mathrm{fan_{in}} + \mathrm{fan_{out}})$. Uniform numbers between $-a$ and $a$ have the variance
# $a^2/3$. So
#
# $$a = \sqrt{\frac{6}{\mathrm{fan_{in}} + \mathrm{fan_{out}}}}$$
#
# ### Exercise `xavier_uniform` (2 points)
# Return a NumPy array of uniform random numbers between $-a$ and $a$. Draw all of them from `rng`, a NumPy generator, so
# that a run can be repeated.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `rng.uniform(low, high, shape)`. The shape is that of a weight: (out, in).
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# a = np.sqrt(...)
# return rng.uniform(..., ..., (..., ...))
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# All numbers positive: `rng.uniform(a)` goes from a to 1. Another array on each run: `np.random` is not `rng`.
# </details>


# %% exercise="xavier_uniform"
def xavier_uniform(fan_in, fan_out, rng):
    """First weights (fan_out, fan_in), uniform, of variance 2 / (fan_in + fan_out)."""
    ### BEGIN SOLUTION
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))
    ### END SOLUTION


# %% probes="xavier_uniform"
def looks_of(draw, fan_in, fan_out, seed, std):
    """What the weights look like that `draw` draws, measured in parts of `std` and rounded."""
    rng = np.random.default_rng(seed)
    first, second = draw(fan_in, fan_out, rng), draw(fan_in, fan_out, rng)
    again = draw(fan_in, fan_out, np.random.default_rng(seed))
    if not isinstance(first, np.ndarray):
        return {"type": None if first is None else type(first).__name__}
    scaled = np.atleast_2d(first) / std
    return {
        "type": "ndarray",
        "shape": str(first.shape),
        "mean": round(float(scaled.mean()), 1) + 0.0,
        "std": round(float(scaled.std()), 1),
        "beyond one std": round(float((np.abs(scaled) > 1).mean()), 1),
        "the neurons differ": bool((np.ptp(scaled, axis=0) > 0).all()),
        "the second draw differs": not np.array_equal(first, second),
        "the seed decides": np.array_equal(first, again),
    }


@probe
def xavier_seen(fan_in, fan_out, seed, std):
    """What the weights of xavier_uniform look like, measured in parts of `std` and rounded."""
    return looks_of(xavier_uniform, fan_in, fan_out, seed, std)


@probe
def xavier_drawn(fan_in, fan_out, seed):
    """Two draws of xavier_uniform, one after the other, from a generator with this seed."""
    rng = np.random.default_rng(seed)
    return xavier_uniform(fan_in, fan_out, rng), xavier_uniform(fan_in, fan_out, rng)


# %% check="xavier_uniform" points=2
with exercise("xavier_uniform") as check:
    # 60,000 numbers: a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = xavier_seen(300, 200, 5, np.sqrt(2 / 500))
    check.close(seen["type"], "ndarray", "a NumPy array")
    check.close(seen["shape"], "(200, 300)", "a weight has the shape (fan_out, fan_in)")
    check.close(seen["mean"], 0.0, "as many below 0 as above")
    check.close(seen["std"], 1.0, "as large as wanted: the variance is 2 / (300 + 200)")
    check.close(seen["beyond one std"], 0.4, "uniform: 42 %; of normal numbers 32 %")
    check.true(seen["the neurons differ"], "each row is drawn")
    check.true(seen["the second draw differs"], "the next layer gets other numbers")
    check.true(seen["the seed decides"], "the same seed gives the same numbers: use rng")
    ### BEGIN HIDDEN TESTS
    for fan_in, fan_out in ((100, 700), (900, 80)):
        w, again = xavier_drawn(fan_in, fan_out, check.rng.randrange(10**6))
        a = np.sqrt(6 / (fan_in + fan_out))
        check.close(w.shape, (fan_out, fan_in), "the shape")
        check.close(w.mean() / a, 0.0, "centred at 0", atol=0.03)
        check.close(w.std() ** 2, a**2 / 3, "the variance", rtol=0.03)
        check.true(np.abs(w).max() <= a, "no number is larger than a")
        check.close((np.abs(w) < a / 2).mean(), 0.5, "half of them in the middle half", atol=0.02)
        check.true((np.ptp(w, axis=0) > 0).all() and (np.ptp(w, axis=1) > 0).all(), "all are drawn")
        check.true((w != again).any(axis=1).all(), "the next layer gets other numbers")
    check.true((xavier_drawn(30, 20, 1)[0] != xavier_drawn(30, 20, 2)[0]).any(), "another seed")
    check.equal(xavier_drawn(30, 20, 1), xavier_drawn(30, 20, 1), "the seed decides")
    ### END HIDDEN TESTS

# %% [markdown]
# Why a compromise? From 400 neurons to 100, inputs and gradients of std 1:

# %%
rng = np.random.default_rng(4)
x, g = rng.normal(size=(500, 400)), rng.normal(size=(500, 100))
for name, weight in {
    "1 / fan_in": rng.normal(0.0, np.sqrt(1 / 400), (100, 400)),
    "1 / fan_out": rng.normal(0.0, np.sqrt(1 / 100), (100, 400)),
    "Xavier": xavier_uniform(400, 100, rng),
}.items():
    print(f"{name:11}: outputs {(x @ weight.T).std():.2f}, gradients {(g @ weight).std():.2f}")

# %% [markdown]
# relu cuts off half of the numbers, and with them half of the mean square. Kaiming He's remedy: twice the variance,
# $2/\mathrm{fan_{in}}$, so that each layer makes up for it.
#
# ### Exercise `he_normal` (1 point)
# Return normal random numbers of mean 0 and this variance, drawn from `rng`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `rng.normal(mean, std, shape)`.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return rng.normal(0.0, ..., ...)   # the std is a root
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Far too small: `rng.normal` takes the standard deviation, not the variance.
# </details>


# %% exercise="he_normal"
def he_normal(fan_in, fan_out, rng):
    """First weights (fan_out, fan_in), normal, of variance 2 / fan_in."""
    ### BEGIN SOLUTION
    return rng.normal(0.0, np.sqrt(2 / fan_in), (fan_out, fan_in))
    ### END SOLUTION


# %% probes="he_normal"
@probe
def he_seen(fan_in, fan_out, seed, std):
    """What the weights of he_normal look like, measured in parts of `std` and rounded."""
    return looks_of(he_normal, fan_in, fan_out, seed, std)


@probe
def he_drawn(fan_in, fan_out, seed):
    """Two draws of he_normal, one after the other, from a generator with this seed."""
    rng = np.random.default_rng(seed)
    return he_normal(fan_in, fan_out, rng), he_normal(fan_in, fan_out, rng)


# %% check="he_normal" points=1
with exercise("he_normal") as check:
    # 60,000 numbers: a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = he_seen(300, 200, 5, np.sqrt(2 / 300))
    check.close(seen["type"], "ndarray", "a NumPy array")
    check.close(seen["shape"], "(200, 300)", "a weight has the shape (fan_out, fan_in)")
    check.close(seen["mean"], 0.0, "as many below 0 as above")
    check.close(seen["std"], 1.0, "as large as wanted: the variance is 2 / 300")
    check.close(seen["beyond one std"], 0.3, "normal: 32 %; of uniform numbers 42 %")
    check.true(seen["the neurons differ"], "each row is drawn")
    check.true(seen["the second draw differs"], "the next layer gets other numbers")
    check.true(seen["the seed decides"], "the same seed gives the same numbers: use rng")
    ### BEGIN HIDDEN TESTS
    for fan_in, fan_out in ((100, 700), (900, 80)):
        w, again = he_drawn(fan_in, fan_out, check.rng.randrange(10**6))
        std = np.sqrt(2 / fan_in)
        check.close(w.shape, (fan_out, fan_in), "the shape")
        check.close(w.mean() / std, 0.0, "centred at 0", atol=0.03)
        check.close(w.std() ** 2, std**2, "the variance", rtol=0.04)
        check.close((np.abs(w) > 2 * std).mean(), 0.0455, "normal", atol=0.007)
        check.true((np.ptp(w, axis=0) > 0).all() and (np.ptp(w, axis=1) > 0).all(), "all are drawn")
        check.true((w != again).any(axis=1).all(), "the next layer gets other numbers")
    check.equal(he_drawn(30, 20, 1), he_drawn(30, 20, 1), "the seed decides")
    ### END HIDDEN TESTS

# %% [markdown]
# Now 20 layers with your weights, forwards on the left and the gradients on the right, from the last layer (20) back to
# the first. What to see: Xavier under tanh and He under relu stay nearly level; the numbers that are printed tell that
# tanh shrinks, slowly. PyTorch's weights, of variance 1 / (3 fan-in), vanish under relu. On the right, what explodes
# forwards explodes backwards too.


# %% figure="twenty_layers"
def twenty_layers():
    def run(init, activation):
        """The std of the activations and of their gradients, layer by layer."""
        rng = np.random.default_rng(3)
        h, steps = rng.normal(size=(200, 128)), []
        for _ in range(20):
            x = Tensor(h, requires_grad=True)
            out = activation(linear(x, Tensor(init(128, 128, rng))))
            steps.append((x, out))
            h = out.data
        g, gradients = rng.normal(size=h.shape), []
        for x, out in reversed(steps):
            gradients.insert(0, g.std())
            out.backward(g)
            g = x.grad.data
        return [out.data.std() for _, out in steps], gradients

    def normal(std):
        return lambda fan_in, fan_out, rng: rng.normal(0.0, std, (fan_out, fan_in))

    found = {
        "relu, std 0.25": run(normal(0.25), Tensor.relu),
        "relu, He": run(he_normal, Tensor.relu),
        "relu, PyTorch's": run(pytorch_uniform, Tensor.relu),
        "tanh, Xavier": run(xavier_uniform, Tensor.tanh),
        "tanh, std 0.02": run(normal(0.02), Tensor.tanh),
    }
    assert all(0.1 < std < 3 for name in ("relu, He", "tanh, Xavier") for std in found[name][0])
    for name in ("relu, He", "tanh, Xavier", "relu, PyTorch's"):
        stds = found[name][0]
        print(f"{name}: std {stds[0]:.2f} after the first layer, {stds[-1]:.2g} after the last")
    assert found["relu, PyTorch's"][0][-1] < 1e-7 and found["relu, PyTorch's"][1][0] < 1e-7
    left, right = plots.panels(2, height=3.4)
    plots.layer_statistics({name: a for name, (a, _) in found.items()}, ax=left, title="activations")
    plots.layer_statistics({name: g for name, (_, g) in found.items()}, ax=right, title="gradients")
    right.get_legend().remove()


twenty_layers()

# %% [markdown]
# Does it matter? A network of nine relu layers learns sin(x) by plain gradient descent, three times. Only the first
# weights between the hidden layers differ. What to see: from small weights the loss stays where it is, from He's it
# falls. From large weights it is too large for the picture.


# %% figure="three_starts"
def three_starts():
    def losses(init, steps=300):
        rng = np.random.default_rng(2)
        x = np.linspace(-3.0, 3.0, 64)[:, None]
        layers = [Linear(1, 32, rng, he_normal), ReLU()]
        for _ in range(8):
            layers += [Linear(32, 32, rng, init), ReLU()]
        model, found = Sequential(*layers, Linear(32, 1, rng, he_normal)), []
        parameters = model.named_parameters().values()
        for _ in range(steps):
            loss = ((model(Tensor(x)) - np.sin(x)) ** 2).mean()
            loss.backward()
            found.append(loss.item())
            for p in parameters:
                p.data -= 0.005 * p.grad.data
                p.grad = None
        return found

    def normal(std):
        return lambda fan_in, fan_out, rng: rng.normal(0.0, std, (fan_out, fan_in))

    first, second = losses(normal(0.5), steps=2)
    curves = {"std 0.05": losses(normal(0.05)), "He": losses(he_normal)}
    assert curves["std 0.05"][-1] > 0.4 > 0.1 > curves["He"][-1] and 1e3 < first < 1e30 < second
    print("std 0.5: the loss is above 1,000, and after one step above 1e30")
    plots.learning_curves(curves, log=True, title="Nine relu layers, two sizes of first weights")


three_starts()

# %% [markdown]
# ## 5. Dropout
#
# A network can learn its examples by heart. **Dropout** makes that hard: in each training step, every number is set to 0
# with probability `p`. No neuron can rely on a certain other one. The numbers that stay are divided by 1 - p, so that
# the *mean* is kept. With p = 0.25, three of four numbers stay, 4/3 as large.
#
# When the network is used, nothing is dropped, and nothing needs to be scaled.
#
# ### Exercise `dropout` (2 points)
# `x` is a Tensor. Draw for each of its numbers, anew in each call, from `rng`. `p` lies below 1.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `rng.random(shape)` is uniform between 0 and 1: below `p` with probability `p`. Multiply by a mask of zeros and ones.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if not training: return ...
# keep = rng.random(...) >= ...      # True where a number stays
# return x * ... / ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many zeros: `p` is the probability to drop. Whole rows vanish: the mask needs the shape of `x`.
# </details>


# %% exercise="dropout"
def dropout(x, p, training, rng):
    """x with some numbers 0 (probability p), the others over 1 - p; x if not training."""
    ### BEGIN SOLUTION
    if not training:
        return x
    keep = rng.random(x.shape) >= p
    return x * (keep / (1 - p))
    ### END SOLUTION


# %% probes="dropout"
ROWS = np.linspace(-3.0, 4.0, 40_000).reshape(200, 200)


@probe
def dropout_seen(p, training, seed):
    """What two calls of dropout make of ROWS: factors and shares, rounded."""
    rng, given = np.random.default_rng(seed), Tensor(ROWS.copy(), requires_grad=True)
    first, second = dropout(given, p, training, rng), dropout(given, p, training, rng)
    again = dropout(Tensor(ROWS.copy()), p, training, np.random.default_rng(seed))
    names = "zeros", "factors", "drawn for", "anew", "the seed decides", "gradient"
    seen = {"answer": numbers_of(first), **dict.fromkeys(names)}
    if not isinstance(first, Tensor):
        return seen
    seen["answer"] = f"Tensor of shape {first.shape}"
    if first.shape != ROWS.shape:
        return seen
    second.backward(np.ones(ROWS.shape))
    zero, factor = first.data == 0, second.data / ROWS
    whole = {name: set(zero.mean(axis=axis)) <= {0, 1} for axis, name in ((1, "row"), (0, "column"))}
    seen["zeros"] = round(20 * float(zero.mean())) / 20
    seen["factors"] = np.unique((first.data / ROWS).round(4))[:4].tolist()
    seen["drawn for"] = "each " + next((name for name in whole if whole[name]), "number")
    seen["anew"] = not np.array_equal(first.data, second.data)
    seen["the seed decides"] = np.array_equal(first.data, again.data)
    seen["gradient"] = None if given.grad is None else bool(np.allclose(given.grad.data, factor))
    return seen


@probe
def dropped(x, p, training, seed):
    """Two calls of dropout with one generator, and the gradient of x when ones arrive at the second."""
    rng, given = np.random.default_rng(seed), Tensor(x, requires_grad=True)
    first, second = dropout(given, p, training, rng), dropout(given, p, training, rng)
    second.backward(np.ones(x.shape))
    return first.data, second.data, None if given.grad is None else given.grad.data


# %% check="dropout" points=2
with exercise("dropout") as check:
    # 40,000 numbers; a right answer is rounded otherwise with a chance of less than 1e-12.
    seen = dropout_seen(0.25, True, 7)
    check.close(seen["answer"], "Tensor of shape (200, 200)", "a Tensor of the shape of x")
    check.close(seen["zeros"], 0.25, "p = 0.25: a quarter of the numbers is 0")
    check.close(seen["factors"], [0.0, 1.3333], "a number becomes 0, or is divided by 0.75")
    check.close(seen["drawn for"], "each number", "the mask has the shape of x")
    check.close(seen["anew"], True, "a second call draws anew")
    check.close(seen["the seed decides"], True, "the same seed, the same zeros: use rng")
    check.close(seen["gradient"], True, "the gradient: 0 where dropped, elsewhere 4/3")
    seen = dropout_seen(0.25, False, 7)
    check.close((seen["factors"], seen["gradient"]), ([1.0], True), "in use: x itself")
    ### BEGIN HIDDEN TESTS
    for p in (0.3, 0.6):
        seed = check.rng.randrange(10**6)
        first, second, gradient = dropped(ROWS, p, True, seed)
        zero = first == 0
        check.close(first, np.where(zero, 0.0, ROWS / (1 - p)), "0 or divided by 1 - p")
        check.close(zero.mean(), p, "the share of zeros", atol=0.02)
        check.close(((second == 0) & zero).mean(), p * p, "two calls are independent", atol=0.02)
        shares = [*zero.mean(axis=0), *zero.mean(axis=1)]
        check.true(0 < min(shares) and max(shares) < 1, "each number is drawn on its own")
        check.close((zero[1:] & zero[:-1]).mean(), p * p, "rows are independent", atol=0.02)
        check.close((zero[:, 1:] & zero[:, :-1]).mean(), p * p, "columns are too", atol=0.02)
        check.close(gradient, np.where(second == 0, 0.0, 1 / (1 - p)), "the gradient")
        check.equal(dropped(ROWS, p, True, seed)[0], first, "the seed decides")
    used, again, gradient = dropped(ROWS[:3], 0.9, False, 3)
    check.close((used, again, gradient), (ROWS[:3], ROWS[:3], np.ones((3, 200))), "not training")
    first, _, gradient = dropped(ROWS[:2], 0.0, True, 3)
    check.close((first, gradient), (ROWS[:2], np.ones((2, 200))), "p = 0 drops nothing")
    ### END HIDDEN TESTS

# %% [markdown]
# What to see: the same input four times, in training and in use. Forget `eval()`, and your
# network gives another answer to each repetition of a question.


# %% given="dropout_module"
class Dropout(Module):
    def __init__(self, p, rng):
        self.p, self.rng = p, rng

    def forward(self, x):
        return dropout(x, self.p, self.training, self.rng)


# %%
layer, x = Dropout(0.5, np.random.default_rng(0)), Tensor([1.0, 2.0, 3.0])
print("training:", [layer(x).data.tolist() for _ in range(4)])
layer.eval()
print("in use:  ", [layer(x).data.tolist() for _ in range(4)])

# %% [markdown]
# ## 6. LayerNorm
#
# Training changes good first weights. **LayerNorm** keeps the numbers in range: it shifts and scales each example,
# each row of `x`, to mean 0 and variance 1.
#
# $$\frac{x - \mathrm{mean}}{\sqrt{\mathrm{var} + \epsilon}} \cdot \mathrm{weight} + \mathrm{bias}$$
#
# The row 1, 1, 5, 5 has the mean 3 and the variance 4 (the mean of the squared distances from 3), and becomes about -1,
# -1, 1, 1. In a row of equal numbers both sides of the fraction are 0: without $\epsilon$ the result would be nan.
# `weight` and `bias` let the network choose another range; they begin with ones and zeros.
#
# ### Exercise `layer_norm` (3 points)
# Write it with Tensors, over the **last axis**. All else comes from the engine: mean and variance depend on `x`, so
# gradients flow through them, too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `x.mean(-1, keepdims=True)` has one number per row, and is broadcast against `x`. Take it off, square, average again.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# away = x - ...
# variance = (...).mean(...)
# return away / (...).sqrt() * ... + ...    # what stands under the root?
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Shapes do not fit: `keepdims` is missing. Slightly too small: `var` divides by n - 1 unless you say `correction=0`. A
# gradient whose rows do not sum to 0: mean or variance were computed from `x.data`.
# </details>


# %% exercise="layer_norm"
def layer_norm(x, weight, bias, eps=1e-5):
    """Rows of x (..., n) at mean 0, variance 1; times weight (n,), plus bias (n,)."""
    ### BEGIN SOLUTION
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + eps).sqrt() * weight + bias
    ### END SOLUTION


# %% probes="layer_norm"
@probe
def norm_of(x, weight, bias, eps=1e-5):
    """What layer_norm gives for Tensors of these arrays."""
    return numbers_of(layer_norm(Tensor(x), Tensor(weight), Tensor(bias), eps))


@probe
def norm_gradients(g, x, weight, bias):
    """What layer_norm gives, and the gradients of x, weight and bias when g arrives."""
    return with_gradients(layer_norm, g, x, weight, bias)


# %% check="layer_norm" points=3
with exercise("layer_norm") as check:
    x, s = np.array([[1.0, 1, 5, 5], [7, 7, 7, 7]]), 2 / np.sqrt(4.00001)
    ones, w, b = np.ones(4), np.array([1.0, 2, 3, -4]), np.array([10.0, 0, 0, 0])
    out = np.array([[-s, -s, s, s], [0, 0, 0, 0]])
    check.close(norm_of(x, ones, 0 * b), out, "mean 3, variance 4; equal numbers become 0")
    check.close(norm_of(x, w, b), out * w + b, "times weight, plus bias, in each column")
    check.close(norm_of(x, ones, 0 * b, 5.0), out / s * 2 / 3, "eps = 5: 2 / sqrt(4 + 5)")
    check.close(norm_of(np.stack([x, x]), w, b), np.stack([out * w + b] * 2), "more axes")
    (_, dx, dw, db), g = norm_gradients(out + w, x, w, b), out + w
    check.close((dw, db), ((g * out).sum(0), g.sum(0)), "the gradients of weight and bias")
    check.close(dx.sum(-1), np.zeros(2), "all of a row up by 1 changes nothing", atol=1e-9)
    check.close(dx[0] @ (x[0] - 3), 0.0, "nor does a row spread wider", atol=1e-3)
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    for shape in ((4, 5), (2, 3, 5), (5,)):
        for x, w, b, g in check.cases(5, array(*shape), array(5), array(5), array(*shape)):
            layer, t = nn.LayerNorm(5), Tensor(x, requires_grad=True)
            layer.weight.data, layer.bias.data = w.copy(), b.copy()
            out = layer(t)
            out.backward(g)
            expected = (out.data, t.grad.data, layer.weight.grad.data, layer.bias.grad.data)
            check.close(norm_gradients(g, x, w, b), expected, "the value and gradients of nn.LayerNorm")
            layer.eps = check.rng.uniform(0.1, 2.0)
            check.close(norm_of(x, w, b, layer.eps), layer(Tensor(x)).data, "with another eps")
    ### END HIDDEN TESTS

# %% [markdown]
# The bad starts of the first picture once more, now with your `layer_norm` behind each layer. What to see: their std
# is 1 in all layers: the two curves lie on each other. Only weights so small that `eps` outweighs the variance get
# through.


# %% figure="normalised"
def normalised():
    found, ones, zeros = {}, Tensor(np.ones(128)), Tensor(np.zeros(128))
    for std in (0.5, 0.05):
        for norm in (False, True):
            rng = np.random.default_rng(0)
            x, stds = Tensor(rng.normal(size=(200, 128))), []
            for _ in range(20):
                x = linear(x, Tensor(rng.normal(0.0, std, (128, 128)))).relu()
                x = layer_norm(x, ones, zeros) if norm else x
                stds.append(x.data.std())
            found[f"std {std}{', LayerNorm' if norm else ''}"] = stds
    assert min(found["std 0.05, LayerNorm"] + found["std 0.5, LayerNorm"]) > 0.98
    x = Tensor(np.random.default_rng(0).normal(size=(200, 128)))
    for std in (0.5, 0.05, 0.0005):
        weight = Tensor(np.random.default_rng(1).normal(0.0, std, (128, 128)))
        out = layer_norm(linear(x, weight).relu(), ones, zeros)
        print(f"weights of std {std}: {out.data.std():.2f} after the first layer and its norm")
    plots.layer_statistics(found)


normalised()

# %% [markdown]
# ## 7. Embedding
#
# Words and letters are no numbers. Give each an id, 0, 1, 2 and so on, and a row of its own in a table `weight` of shape
# (ids, width). An **Embedding** looks rows up. The table is a Parameter: training moves the rows.
#
# ### Exercise `embedding` (2 points)
# Return the rows for an integer array of ids, of any shape (...): a Tensor (..., width). No ids give no rows. NumPy
# would take the id -1 for the last row, and a mistake would go unnoticed. Raise an `IndexError` for ids outside the
# table.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Indexing with an array of integers picks rows, as in unit 06. Tensors can do it, gradients included.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# if (ids < ...).any() or ...: raise IndexError(...)
# return weight[...]
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# No gradient: the rows were taken from `weight.data`. "Neither true nor false": `if` with an array of answers. The
# last row is refused: where do the ids end? "Zero-size array": no ids have no `min`.
# </details>


# %% exercise="embedding"
def embedding(ids, weight):
    """The rows of weight (n, width) for ids (...) from 0 to n - 1; else an IndexError."""
    ### BEGIN SOLUTION
    if (ids < 0).any() or (ids >= len(weight)).any():
        raise IndexError(f"ids go from 0 to {len(weight) - 1}")
    return weight[ids]
    ### END SOLUTION


# %% probes="embedding"
@probe
def looked_up(ids, weight, g):
    """The rows, and the gradient of the table when g arrives; or the name of an error."""
    try:
        return with_gradients(lambda table: embedding(ids, table), g, weight)
    except IndexError:
        return "IndexError"


# %% check="embedding" points=2
with exercise("embedding") as check:
    table, ids = np.array([[1.0, 2], [3, 4], [-5, 6], [7, -8]]), np.array([1, 0, 1])
    g, rows = np.array([[1.0, 0], [10, 20], [4, -3]]), np.array([[3.0, 4], [1, 2], [3, 4]])
    grad = np.array([[10.0, 20], [5, -3], [0, 0], [0, 0]])
    check.close(looked_up(ids, table, g), (rows, grad),
                "row 1, row 0, row 1; the gradient adds up where a row was used twice")
    square, more = np.array([[1, 1, 2], [0, 2, 2]]), np.ones((2, 3, 2))
    check.close(looked_up(square, table, more)[0], table[square], "2-D ids, 2-D places")
    check.close(looked_up(np.array([3, 0]), table, g[:2])[0], table[[3, 0]], "3 is an id")
    check.close(looked_up(np.array([0, -2]), table, g[:2]), "IndexError", "-2 is no id")
    check.close(looked_up(np.array([4, 1]), table, g[:2]), "IndexError", "4 is none either")
    check.close(looked_up(ids[:0], table, g[:0]), (rows[:0], 0 * table), "no ids: no rows")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array, integer

    for w, g, *picked in check.cases(10, array(5, 3), array(2, 4, 3), *[integer(0, 4)] * 8):
        ids, layer = np.array(picked).reshape(2, 4), nn.Embedding(5, 3)
        layer.weight.data = w.copy()
        out = layer(ids)
        out.backward(g)
        check.close(looked_up(ids, w, g), (out.data, layer.weight.grad.data), "nn.Embedding's")
        for bad in (-1, -5, 5, 6):
            wrong = ids.copy()
            wrong[1, 2] = bad
            check.close(looked_up(wrong, w, g), "IndexError", "one id is outside")
    ### END HIDDEN TESTS

# %% [markdown]
# One step of training for the word "banana", as ids 1, 0, 2, 0, 2, 0, when each place sends back ones. What to see: the
# gradient of a row counts how often its letter occurs; the rows of other letters get 0.


# %% figure="banana"
def banana():
    letters = "abnrt"
    table = Tensor(np.random.default_rng(0).normal(size=(5, 4)), requires_grad=True)
    ids = np.array([letters.index(letter) for letter in "banana"])
    embedding(ids, table).sum().backward()
    assert table.grad.data[:, 0].tolist() == [3, 1, 2, 0, 0]
    plots.matrices({"weight": table, "gradient": table.grad}, rows=list(letters))


banana()

# %% [markdown]
# ## 8. Bug hunt
#
# A colleague's network runs without an error, and hardly learns. **Four things are wrong with it.**


# %% given="colleague"
class Colleague(Module):
    """3 numbers, 4 tanh neurons, dropout with p = 0.5, 1 number."""

    def __init__(self, rng):
        self.rng = rng
        self.first = Parameter(np.full((4, 3), 0.3))
        self.shift = Tensor(np.zeros(4), requires_grad=True)
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 4)))

    def forward(self, x):
        hidden = (x @ self.first.T + self.shift).tanh()
        keep = self.rng.random(hidden.shape) >= 0.5
        hidden = Tensor(hidden.data * keep / 0.5)
        return hidden @ self.second.T


# %%
net, x = Colleague(np.random.default_rng(0)), Tensor([[1.0, -2.0, 0.5]])
print("found:", list(net.named_parameters()))
net(x).backward()
with_grad = [n for n, p in net.named_parameters().items() if p.grad is not None]
print("have a gradient:", with_grad)
print("in use, twice:", net.eval()(x).item() == net.eval()(x).item())
print("the first neuron equals the second:", (net.first.data[0] == net.first.data[1]).all())

# %% [markdown]
# ### Exercise `mended_net` (2 points)
# Write the class again, mended, with the same attributes, shapes and `__init__`. Use `np` and the methods of Tensor;
# draw all first weights from `rng`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each line that is printed above points to one fault. Neurons that begin equal get equal gradients, and stay equal.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# self.first = Parameter(rng....)     # different rows
# self.shift = ...                    # what does `own_parts` look for?
#
# hidden = ...                        # as it was
# if self...:                         # only then drop
#     hidden = hidden * ...           # on Tensors: no .data
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `first` has no gradient: a new `Tensor(...)` of numbers knows nothing of the past. In use, the answer is half or twice
# as large: dropout scales in training only.
# </details>


# %% exercise="mended_net"
class MendedNet(Module):
    """3 numbers, 4 tanh neurons, dropout with p = 0.5, 1 number."""

    def __init__(self, rng):
        ### BEGIN SOLUTION
        self.rng = rng
        self.first = Parameter(rng.normal(0.0, 0.5, (4, 3)))
        self.shift = Parameter(np.zeros(4))
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 4)))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        hidden = (x @ self.first.T + self.shift).tanh()
        if self.training:
            keep = self.rng.random(hidden.shape) >= 0.5
            hidden = hidden * (keep / 0.5)
        return hidden @ self.second.T
        ### END SOLUTION


# %% probes="mended_net"
NAMES = ("first", "shift", "second")
KINDS = ["Parameter (4, 3)", "Parameter (4,)", "Parameter (1, 4)"]
X = np.array([[1.0, -2.0, 0.5], [0.3, 0.9, -1.2]])
MANY = np.repeat(X, 20, axis=0)


@probe
def net_facts(seed):
    """What the attributes of a MendedNet are, and where their first numbers come from, in words:
    the numbers are your own affair."""
    nets = [MendedNet(np.random.default_rng(s)) for s in (seed, seed, seed + 1)]
    one, again, other = [[getattr(net, name).data for name in NAMES] for net in nets]
    parts = [getattr(nets[0], name) for name in NAMES]
    same = all(np.array_equal(a, b) for a, b in zip(one, again))
    return {
        "found": [f"{type(part).__name__} {part.shape}" for part in parts],
        "all neurons differ": len(np.unique(one[0].round(6), axis=0)) == len(one[0]),
        "the seed decides": same and all(bool((one[i] != other[i]).all()) for i in (0, 2)),
    }


@probe
def net_run(seed, x, training):
    """The arrays of a MendedNet, two answers to x, and the gradients of its attributes by the second."""
    net = MendedNet(np.random.default_rng(seed))
    for module in (net, *vars(net).values()):
        if isinstance(module, Module):
            module.training = training
    first, second = net(Tensor(x)), net(Tensor(x))
    second.backward(np.ones(second.shape))
    parts = [getattr(net, name) for name in NAMES]
    gradients = [None if part.grad is None else part.grad.data for part in parts]
    return [part.data for part in parts], first.data, second.data, gradients


def hidden_of(arrays, x):
    """The four tanh neurons, for each row of x."""
    return np.tanh(x @ arrays[0].T + arrays[1])


def could_be(answer, arrays, x):
    """Whether some choice of dropped neurons leads to this answer for the rows of x."""
    masks = np.stack(np.meshgrid(*[[0.0, 2.0]] * 4), axis=-1).reshape(16, 4)
    possible = (hidden_of(arrays, x)[:, None] * masks) @ arrays[2][0]
    return bool((np.abs(possible - answer) < 1e-9).any(axis=1).all())


# %% check="mended_net" points=2
with exercise("mended_net") as check:
    facts = net_facts(0)
    check.close(facts["found"], KINDS, "all three are Parameters, of these shapes")
    check.true(facts["all neurons differ"], "no two of the four neurons may begin equal")
    check.true(facts["the seed decides"], "rng alone draws `first` and `second`")
    arrays, out, again, _ = net_run(0, X, False)
    check.close((out, again), (hidden_of(arrays, X) @ arrays[2].T,) * 2, "in use: no drops")
    arrays, out, _, gradients = net_run(0, MANY, True)
    check.true(all(g is not None for g in gradients), "a gradient arrives at all three")
    check.true(could_be(out, arrays, MANY), "in training, each neuron is 0 or doubled")
    check.true(len(np.unique(out.round(9))) > 4, "in training: each row is drawn anew")
    check.equal(net_run(0, MANY, True)[1], out, "the same seed drops the same: use rng")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import nn
    from autograder import array

    for (x,) in check.cases(5, array(6, 3)):
        seed = check.rng.randrange(10**6)
        arrays, out, again, gradients = net_run(seed, x, False)
        tensors = [nn.Parameter(a) for a in arrays]
        expected = (Tensor(x) @ tensors[0].T + tensors[1]).tanh() @ tensors[2].T
        expected.backward(np.ones(expected.shape))
        check.close((out, again), (expected.data, expected.data), "in use: no dropout")
        check.close(gradients, [t.grad.data for t in tensors], "the gradients")
        x = np.repeat(x, 10, axis=0)
        arrays, out, again, gradients = net_run(seed, x, True)
        check.true(could_be(out, arrays, x) and could_be(again, arrays, x), "in training: dropout")
        check.true((out != again).any(), "each call draws anew")
        check.true(len(np.unique(out.round(9))) > 12, "each row is drawn")
        check.true(all(g is not None for g in gradients), "gradients, in training too")
        check.true(np.abs(gradients[0]).sum() > 0, "the first layer learns")
    one, again, two = (net_run(seed, X, False)[0] for seed in (1, 1, 2))
    check.equal(again, one, "the same seed gives the same weights")
    check.close(len(np.unique(one[0].round(6), axis=0)), 4, "no two neurons begin equal")
    check.true((one[0] != two[0]).all() and (one[2] != two[2]).all(), "another seed gives others")
    check.equal(net_run(1, MANY, True)[1:3], net_run(1, MANY, True)[1:3], "and so do the drops")
    check.true(0.01 < one[0].std() < 3, "first weights of a reasonable size")
    ### END HIDDEN TESTS

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | `Parameter`, `Module`, `named_parameters()` | the same names in `torch.nn` |
# | a list of modules in an attribute | `nn.ModuleList` (a plain list is **not** searched there) |
# | `set_mode` | `model.train()`, `model.eval()` |
# | `xavier_uniform`, `he_normal` | `nn.init.xavier_uniform_`, `nn.init.kaiming_normal_` |
# | `dropout`, `layer_norm`, `embedding` | `nn.Dropout`, `nn.LayerNorm`, `nn.Embedding` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | part of the network never changes | a Tensor that is no Parameter, or is hidden in a dict |
# | `nan` after a few steps | first weights too large for the depth |
# | the loss stays at its first value | first weights too small, or all equal |
# | two answers to one question | `eval()` was forgotten |
# | good in training, poor afterwards | dropout that scales in use, or not at all |
#
# ## One thing to try next
# In `three_starts`, build 40 hidden layers instead of 8. Does He's network still learn? Then put behind each layer a
# module with two Parameters, whose `forward` calls your `layer_norm`.
#
# Your layers know their parameters, and start well. Unit 09 asks how to move them.

# %% progress="here"
