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
#     unit: 04_scalar_networks
#     allow: [autograd_ref.scalar, autograd_ref.data, autograd_ref.graph, autograd_ref.plots]
#     title: "Scalar networks: train with the numbers that take notes"
# ---

# %% [markdown]
# # Scalar networks: train with the numbers that take notes
#
# A hundred points on two half moons, and a network that is to tell one moon from the other. What to see: the border
# that it draws, at first and after 20 and 80 steps of training. Unit 03's `backward` says how each step changes it.

# %% figure="goal" keep=true
def goal():
    import random

    import numpy as np

    from autograd_ref import plots
    from autograd_ref.data import moons

    rng = random.Random(5)
    start = [
        [*(rng.uniform(-1, 1) for _ in range(fan_in)), 0.0]
        for fan_in, fan_out in ((2, 8), (8, 8), (8, 1))
        for _ in range(fan_out)
    ]
    # Weights and biases, neuron by neuron, as this notebook will find them.
    after_20 = """
        0.87 -0.18 0.38 0.14 1.24 -0.07 0.15 1.16 -0.43 -0.65 0.29 0.43 0.91 0.47 0.06
        0.67 -0.67 -0.09 -0.34 -0.43 0.11 -0.05 0.28 0.03 -0.96 -0.66 -0.58 0.81 0.56
        -0.57 0.68 -0.74 0.18 0.22 -0.83 -1.11 0.76 -0.59 -0.53 1.04 0.72 0.16 -0.36
        1.04 0.24 0.57 -0.67 0.44 0.23 0.98 -0.03 0.82 -0.52 -0.41 -0.91 -0.60 -0.45
        -0.31 0.14 -0.05 -1.04 0.49 -0.17 -0.09 0.49 -0.55 -0.47 0.03 0.03 0.42 -0.87
        0.98 -0.95 0.50 0.66 -0.99 0.58 -0.03 -0.32 0.07 -1.03 -0.98 -0.68 1.09 -0.57
        0.47 -0.13 1.00 0.77 -0.52 -0.38 0.21 0.81 -0.68 0.47 0.36 0.59 0.89 -0.97 0.76
        -0.92 -0.21 1.18 1.14 -0.12"""
    after_80 = """
        1.55 -0.45 0.91 0.43 1.20 -0.21 0.67 1.37 -0.49 -1.16 0.39 1.35 1.19 0.56 0.14
        0.99 -0.65 -0.42 -0.86 -0.56 0.56 0.09 0.28 -0.11 -0.99 -0.85 -0.83 1.00 0.36
        -0.76 0.92 -0.79 0.24 0.18 -1.05 -1.40 0.99 -0.82 -0.76 1.32 0.68 0.21 -0.66
        0.98 0.25 0.68 -0.72 0.41 0.22 1.00 -0.21 0.93 -0.50 -0.36 -1.29 -0.62 -0.31
        -0.39 0.13 -0.06 -1.40 0.48 -0.13 0.10 0.36 -0.69 -0.43 0.08 -0.09 0.49 -0.75
        1.12 -1.04 0.64 0.75 -1.13 0.60 -0.02 -0.38 0.16 -0.79 -1.68 -0.71 1.45 -0.87
        0.47 -0.31 1.48 0.69 -0.73 -0.23 0.43 0.86 -0.65 0.41 0.69 1.07 1.79 -1.49 1.47
        -1.52 -0.79 2.37 1.89 -0.15"""
    networks = {
        "random weights": np.concatenate(start),
        "after 20 steps": np.array(after_20.split(), dtype=float),
        "after 80 steps": np.array(after_80.split(), dtype=float),
    }
    x, y = moons(100, noise=0.1, seed=0)
    for ax, (title, found) in zip(plots.panels(3, height=2.2), networks.items()):

        def predict(points, found=found):
            first, second, third = np.split(found, [24, 96])
            for rows in (first.reshape(8, 3), second.reshape(8, 9)):
                points = np.tanh(points @ rows[:, :-1].T + rows[:, -1])
            return points @ third[:-1] + third[-1]

        plots.decision_boundary(predict, x, y, ax=ax, title=title, xlabel="", ylabel="")
        ax.get_legend().remove()


goal()

# %% setup="imports"
import math
import random

from autograd_ref import plots
from autograd_ref.data import moons
from autograd_ref.graph import draw
from autograd_ref.scalar import Value, exp, log, tanh
from autograder import exercise, predicted, probe, yours

# %% [markdown]
# At the end you will be able to
#
# - build a network from neurons, and say what each part is called in PyTorch;
# - write a training loop, and say why its four calls stand in this order;
# - recognise the usual training bugs by their loss curves;
# - say what keeps a graph in memory, and what lets it go.
#
# The numbers are `Value` from `autograd_ref.scalar`: the class of unit 03, finished, with `L.backward()`.
#
# **Time:** about 90 minutes. **Builds on:** 03 (reverse mode).

# %% [markdown]
# ## 1. A neuron
#
# A neuron multiplies each input by a weight, adds up the products, and adds a *bias*:
#
# $$s = w_1 x_1 + w_2 x_2 + \dots + b$$
#
# With the weights 0.5 and -1, the bias 1.4 and the inputs 3 and 2: 0.5 · 3 - 1 · 2 + 1.4 = 0.9. The neuron's
# output is then an *activation function* of this sum, here tanh: tanh(0.9) = 0.716.
#
# ### Exercise `weighted_sum` (2 points)
# Return the sum, without tanh. Weights, bias and inputs may be numbers or Values: `+` and `*` work for both.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Begin with the bias, and add one product for each pair of weight and input.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# total = ...                                # what belongs to no input
# for weight, x in zip(...):                 # pairs
#     total = ...
# return total
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Off by a multiple of the bias: it was added in every round. A gradient that stays 0: a `.data` in the sum.
# </details>


# %% exercise="weighted_sum"
def weighted_sum(weights, bias, inputs):
    """The products of weights and inputs (lists of one length), added up, plus bias."""
    ### BEGIN SOLUTION
    total = bias
    for weight, x in zip(weights, inputs):
        total = total + weight * x
    return total
    ### END SOLUTION


# %% probes="weighted_sum"
@probe
def sum_slopes(weights, bias, inputs):
    """The sum of Values, and its derivatives by the weights, the bias and the inputs."""
    w, b, x = [Value(n) for n in weights], Value(bias), [Value(n) for n in inputs]
    out = weighted_sum(w, b, x)
    if not isinstance(out, Value):
        return out
    out.backward()
    return out.data, [n.grad for n in w], b.grad, [n.grad for n in x]


# %% check="weighted_sum" points=2
with exercise("weighted_sum") as check:
    check.close(yours.weighted_sum([0.5, -1.0], 1.4, [3.0, 2.0]), 0.9,
                "0.5 * 3 - 1 * 2 is -0.5, and the bias is added once")
    check.close(yours.weighted_sum([2.0, 3.0, -1.0], -4.0, [0.5, 1.0, 10.0]), -10.0,
                "three inputs: 1 + 3 - 10 - 4")
    check.close(sum_slopes([0.5, -1.0], 1.4, [3.0, 2.0]),
                (0.9, [3.0, 2.0], 1.0, [0.5, -1.0]),
                "slopes: by a weight its input, by the bias 1, by an input its weight")
    ### BEGIN HIDDEN TESTS
    from autograder import number, numbers

    for size in (1, 2, 3, 5):
        for w, b, x in check.cases(4, numbers(size), number(), numbers(size)):
            total = sum(p * q for p, q in zip(w, x)) + b
            check.close(yours.weighted_sum(w, b, x), total, "products, and the bias once")
            check.close(sum_slopes(w, b, x), (total, x, 1.0, w), "the same with Values")
            check.close(yours.weighted_sum(w, b, x), total, "a second call gives the same")
            check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# What to see: the grad of each weight is the slope of tanh, 0.49, times the weight's input. The inputs 3 and 2 are
# plain numbers, so they stand inside the operations. A box "+0" says that your sum began at 0, which is right too.


# %% figure="one_neuron"
def one_neuron():
    w1, w2, b = Value(0.5, label="w1"), Value(-1.0, label="w2"), Value(1.4, label="b")
    out = tanh(weighted_sum([w1, w2], b, [3.0, 2.0]))
    out.label = "out"
    out.backward()
    return draw(out)


one_neuron()

# %% [markdown]
# ## 2. Layers, and a network
#
# In a *layer*, several neurons look at the same inputs. In a *network*, the outputs of one layer are the inputs of the
# next. This kind is a *multi-layer perceptron*, MLP.
#
# ### Exercise `layer_outputs` (1 point)
# Each of `neurons` can be called with the list of inputs, and gives one number. Return the list of all outputs.
#
# <details><summary>Hint 1: a sketch</summary>
#
# One call for each neuron, always with the whole list of inputs.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# return [... for neuron in neurons]
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# One number only: `return` stands inside the loop. TypeError "not iterable": a neuron got one input and not the list.
# "It holds a function": the neurons were not called.
# </details>


# %% exercise="layer_outputs"
def layer_outputs(neurons, inputs):
    """The list of what each of the neurons gives for the list `inputs`."""
    ### BEGIN SOLUTION
    return [neuron(inputs) for neuron in neurons]
    ### END SOLUTION


# %% probes="layer_outputs"
@probe
def layer_of(names, inputs):
    """The outputs of a layer whose neurons are functions with these names, at the second call."""
    known = {"sum": sum, "largest": max, "first": lambda x: x[0], "count": len}
    neurons = [known[name] for name in names]
    layer_outputs(neurons, inputs)
    return layer_outputs(neurons, inputs)


# %% check="layer_outputs" points=1
with exercise("layer_outputs") as check:
    check.close(layer_of(["sum", "count", "largest"], [5.0, -1.0]), [4.0, 2.0, 5.0],
                "three neurons, two inputs: one number from each, made from all inputs")
    check.close(layer_of(["first", "sum"], [7.0, 2.0, 3.0]), [7.0, 12.0],
                "two neurons, three inputs: two numbers, in the order of the neurons")
    check.close(layer_of(["sum"], [7.0, 2.0]), [9.0], "one neuron gives a list of one")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers, one_of

    tools = {"sum": sum, "largest": max, "first": lambda x: x[0], "count": len}
    for a, b, c, x in check.cases(10, *[one_of(list(tools))] * 3, numbers(4)):
        expected = [tools[name](x) for name in (a, b, c)]
        check.close(layer_of([a, b, c], x), expected, "one number each")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `mlp_outputs` (1 point)
# Each of `layers` can be called with a list, and gives a list. Return what the last layer gives.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Think of a chain: what comes out of one layer goes into the next one.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for layer in layers:
#     inputs = ...                # the name now stands for the inputs of the next layer
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The result of the last layer alone: every layer got the first inputs.
# </details>


# %% exercise="mlp_outputs"
def mlp_outputs(layers, inputs):
    """What comes out when the list `inputs` goes through all layers, one after another."""
    ### BEGIN SOLUTION
    for layer in layers:
        inputs = layer(inputs)
    return inputs
    ### END SOLUTION


# %% probes="mlp_outputs"
@probe
def through(names, inputs):
    """What mlp_outputs makes of layers with these names, at the second call."""
    known = {
        "double": lambda xs: [2 * x for x in xs],
        "add one": lambda xs: [x + 1 for x in xs],
        "sum": lambda xs: [sum(xs)],
        "both signs": lambda xs: [s * x for x in xs for s in (1, -1)],
    }
    layers = [known[name] for name in names]
    mlp_outputs(layers, inputs)
    return mlp_outputs(layers, inputs)


# %% check="mlp_outputs" points=1
with exercise("mlp_outputs") as check:
    check.close(through(["add one", "double", "add one"], [3.0, -2.0]), [9.0, -1.0],
                "one more is 4 and -1, doubled is 8 and -2, and one more again")
    check.close(through(["add one", "double"], [3.0, -1.0]), [8.0, 0.0],
                "another order is another network: 4 and 0, then doubled")
    check.close(through(["both signs", "add one", "sum"], [3.0]), [2.0],
                "layers may differ in size: 3 and -3, then 4 and -2, then [2]")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers, one_of

    steps = {
        "double": lambda xs: [2 * x for x in xs],
        "add one": lambda xs: [x + 1 for x in xs],
        "sum": lambda xs: [sum(xs)],
        "both signs": lambda xs: [s * x for x in xs for s in (1, -1)],
    }
    for *names, x in check.cases(12, *[one_of(list(steps))] * 4, numbers(2)):
        expected = x
        for name in names:
            expected = steps[name](expected)
        check.close(through(names, x), expected, "each gets what the one before it gave")
    ### END HIDDEN TESTS

# %% [markdown]
# Three classes around your functions. The last layer has one neuron, without tanh. Its output is the *score*: positive
# for one class, negative for the other. Weights start at random, biases at 0.


# %% given="network"
class Neuron:
    def __init__(self, weights, activation):
        self.weights = [Value(weight) for weight in weights]
        self.bias = Value(0.0)
        self.activation = activation

    def __call__(self, inputs):
        return self.activation(weighted_sum(self.weights, self.bias, inputs))


class Layer:
    def __init__(self, neurons):
        self.neurons = neurons

    def __call__(self, inputs):
        return layer_outputs(self.neurons, inputs)


class MLP:
    """A network: MLP([2, 8, 1], seed=0) has 2 inputs, 8 hidden neurons, 1 output."""

    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.layers = []
        for i, (size, count) in enumerate(zip(sizes, sizes[1:])):
            last = i == len(sizes) - 2
            activation = (lambda total: total) if last else tanh
            rows = [[rng.uniform(-1, 1) for _ in range(size)] for _ in range(count)]
            self.layers.append(Layer([Neuron(row, activation) for row in rows]))

    def __call__(self, inputs):
        return mlp_outputs(self.layers, inputs)[0]  # the score


# %%
print(f"a score: {MLP([2, 4, 1], seed=1)([0.0, 1.0]).data:.3f}")

# %% [markdown]
# ## 3. One number that says how bad it is
#
# The targets are +1 and -1. Target times score is the *margin*: positive when the score has the right sign, large when
# the network is sure of it. The *logistic loss* of one example is
#
# $$\log(1 + e^{-\mathrm{margin}})$$
#
# A margin of 2 costs 0.127, a margin of -2 costs 2.127: to be sure and wrong is dear.
#
# ### Exercise `margin_loss` (2 points)
# Return the **mean** of the logistic losses. Scores may be Values: `log` and `exp` from the first cell take both.
#
# <details><summary>Hint 1: a sketch</summary>
#
# First a list with one loss for each pair of score and target, then its mean.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# losses = [log(...) for score, target in zip(...)]
# return ...                                 # sum, and how many there are
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Large where it should be small: the minus is missing. TypeError "must be real number": `math.exp` got a Value.
# </details>


# %% exercise="margin_loss"
def margin_loss(scores, targets):
    """The mean of log(1 + exp(-target * score)) over two lists of the same length."""
    ### BEGIN SOLUTION
    losses = [log(1 + exp(-target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)
    ### END SOLUTION


# %% probes="margin_loss"
@probe
def loss_slopes(scores, targets):
    """The loss of Values, and its derivatives by the scores."""
    values = [Value(score) for score in scores]
    loss = margin_loss(values, targets)
    if not isinstance(loss, Value):
        return loss
    loss.backward()
    return loss.data, [value.grad for value in values]


# %% check="margin_loss" points=2
with exercise("margin_loss") as check:
    check.close(yours.margin_loss([2.0], [1]), 0.126928, "margin 2: cheap", atol=1e-6)
    check.close(yours.margin_loss([2.0], [-1]), 2.126928, "margin -2: dear", atol=1e-6)
    check.close(yours.margin_loss([2.0, 0.0, -2.0], [1, 1, -1]), 0.315668,
                "margins 2, 0 and 2: the mean of three losses", atol=1e-6)
    check.close(loss_slopes([0.0, 0.0], [1, -1]), (math.log(2), [-0.25, 0.25]),
                "at margin 0 the slope is -1/2 by the margin; the mean of two halves it")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers, one_of

    for size in (1, 3, 4):
        for s, *t in check.cases(6, numbers(size), *[one_of([-1, 1])] * size):
            loss = sum(math.log1p(math.exp(-b * a)) for a, b in zip(s, t)) / size
            slopes = [-b / (1 + math.exp(b * a)) / size for a, b in zip(s, t)]
            check.close(yours.margin_loss(s, t), loss, "the mean of the logistic losses")
            check.untouched()
            check.close(loss_slopes(s, t), (loss, slopes), "the same with Values")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** A network that knows nothing answers 0 to everything. What is its loss, and does it depend on
# the targets? Keep the number in mind: it means "nothing learned".

# %%
prediction = None

if predicted(prediction, "loss_of_nothing"):
    for some_targets in ([1, 1, -1, -1], [1, 1, 1, 1]):
        print(f"targets {some_targets}: loss {margin_loss([0.0] * 4, some_targets):.4f}")

# %% [markdown]
# ## 4. Parameters
#
# Weights and biases are the *parameters*: what training changes.
#
# ### Exercise `all_parameters` (2 points)
# Return one flat list with every weight and bias of a network, in any order: the Values themselves. The classes above
# say what their parts are called.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two loops, one inside the other, and a list that grows.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# parameters = []
# for layer in network.layers:
#     for neuron in ...:
#         ...                  # extend takes a list, append takes one thing
# return parameters
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Lists inside the list: `append` where `extend` belongs. Numbers or copies: training would change what the network does
# not use. More at the second call: your list *is* one of the network's lists.
# </details>


# %% exercise="all_parameters"
def all_parameters(network):
    """The Values of all weights and biases of `network`, in one list."""
    ### BEGIN SOLUTION
    parameters = []
    for layer in network.layers:
        for neuron in layer.neurons:
            parameters.extend([*neuron.weights, neuron.bias])
    return parameters
    ### END SOLUTION


# %% probes="all_parameters"
@probe
def names_of_parameters(layers, calls=1):
    """What the last of some calls gives, by name. A layer is a list of (weights, bias)."""
    from types import SimpleNamespace as Thing

    names = {}

    def named(name):
        spare, value = Value(0.5), Value(0.5)  # the spare one is of no network
        names[spare], names[value] = f"not {name}", name
        return value

    built = [
        Thing(neurons=[Thing(weights=list(map(named, w)), bias=named(b)) for w, b in layer])
        for layer in layers
    ]

    def name_of(x):
        if isinstance(x, Value):
            return names.get(x, "a new Value")
        return f"a {type(x).__name__}"

    network = Thing(layers=built)
    for _ in range(calls):
        parameters = all_parameters(network)
    return [name_of(x) for x in parameters]


# %% check="all_parameters" points=2
with exercise("all_parameters") as check:
    one = [(["u1", "u2"], "b")]
    check.close(sorted(names_of_parameters([one])), ["b", "u1", "u2"],
                "one neuron: two weights and its bias")
    two = [[(["u1", "u2"], "b"), (["v1", "v2"], "c")], [(["w1", "w2"], "d")]]
    check.close(sorted(names_of_parameters(two)),
                ["b", "c", "d", "u1", "u2", "v1", "v2", "w1", "w2"],
                "two neurons, then one: nine parameters, each once, from all layers")
    check.close(sorted(names_of_parameters([one], 2)), ["b", "u1", "u2"],
                "asked twice: the network is as it was, so its own lists did not grow")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    for a, b, c in check.cases(6, integer(1, 4), integer(1, 4), integer(2, 3)):
        built, every = [], []
        for i, (size, count) in enumerate(((a, b), (b, c), (c, 1))):
            layer = []
            for j in range(count):
                weights = [f"w{i}{j}{k}" for k in range(size)]
                layer.append((weights, f"b{i}{j}"))
                every += [*weights, f"b{i}{j}"]
            built.append(layer)
        check.close(sorted(names_of_parameters(built)), sorted(every), "each of them once")
        check.close(sorted(names_of_parameters(built, 3)), sorted(every), "three calls, the same")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** The derivative of `w * w` at 3 is 6. What does `w.grad` hold after each of three rounds?

# %%
prediction = (None, None, None)

w, found = Value(3.0), []
for _ in range(3):
    (w * w).backward()
    found.append(w.grad)
if predicted(prediction, "three_rounds"):
    print("w.grad:", tuple(found))

# %% [markdown]
# Unlike unit 03's, this `backward` *adds* to the grads of parameters, as PyTorch's does. Section 7 shows what that is
# good for. But each training step needs its own gradients, so somebody has to set the old ones to zero.
#
# ### Exercise `zero_gradients` (1 point)
# Set the `grad` of each parameter to 0.0. Nothing is returned.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A loop, and one assignment to an attribute.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for parameter in parameters:
#     ... = 0.0
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Nothing changes: `parameter = 0.0` gives the *name* a new meaning, and leaves the Value alone.
# </details>


# %% exercise="zero_gradients"
def zero_gradients(parameters):
    """Set the grad of every Value in the list to 0.0."""
    ### BEGIN SOLUTION
    for parameter in parameters:
        parameter.grad = 0.0
    ### END SOLUTION


# %% probes="zero_gradients"
@probe
def after_zeroing(data, grads):
    """The data and the grads of parameters after zero_gradients, for the second time with one list."""
    held = [Value(number) for number in data]
    parameters = list(held)
    for _ in range(2):
        for value, grad in zip(held, grads):
            value.grad = grad
        zero_gradients(parameters)
    return [value.data for value in held], [value.grad for value in held]


# %% check="zero_gradients" points=1
with exercise("zero_gradients") as check:
    check.close(after_zeroing([3.0, -2.0], [18.0, 0.5]), ([3.0, -2.0], [0.0, 0.0]),
                "every grad is 0, and every data is what it was")
    check.close(after_zeroing([1.5, 2.5, 4.0], [0.0, -1.0, 7.0]),
                ([1.5, 2.5, 4.0], [0.0, 0.0, 0.0]), "three of them, one at 0 already")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    for data, grads in check.cases(8, numbers(4), numbers(4)):
        expected = (data, [0.0] * 4)
        check.close(after_zeroing(data, grads), expected, "grads 0, data as it was")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `update_parameters` (2 points)
# One step of gradient descent: lower each parameter's `data` by `rate` times its `grad`. With data 1, grad 10 and
# rate 0.1 it becomes 0. Change the Values themselves, *in place*: the network holds these very Values.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The gradient points uphill. Which way do you go? And which attribute do you change?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for parameter in parameters:
#     parameter.data ... rate * ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Nothing changes: `parameter = parameter - ...` makes a new Value, and the network still holds the old one.
# </details>


# %% exercise="update_parameters"
def update_parameters(parameters, rate):
    """Move the data of every Value in the list by `rate` times its grad, downhill."""
    ### BEGIN SOLUTION
    for parameter in parameters:
        parameter.data -= rate * parameter.grad
    ### END SOLUTION


# %% probes="update_parameters"
@probe
def after_update(data, grads, rate):
    """The data and the grads after update_parameters, as the network sees them. With the same list there was
    a step of rate 0 before."""
    held = [Value(number) for number in data]
    for value, grad in zip(held, grads):
        value.grad = grad
    parameters = list(held)
    update_parameters(parameters, 0.0)
    update_parameters(parameters, rate)
    numbers = [v.data if isinstance(v.data, float) else type(v.data).__name__ for v in held]
    return numbers, [v.grad for v in held]


# %% check="update_parameters" points=2
with exercise("update_parameters") as check:
    data, grads = after_update([1.0, -2.0], [10.0, -4.0], 0.1)
    check.close(data, [0.0, -1.6], "1 - 0.1 * 10, and -2 + 0.1 * 4: against the gradient")
    check.close(grads, [10.0, -4.0], "the grads stay: zeroing is another function's task")
    data, grads = after_update([1.0, -2.0], [10.0, -4.0], 0.5)
    check.close(data, [-4.0, 0.0], "a rate five times as large goes five times as far")
    data, grads = after_update([3.0], [0.0], 0.5)
    check.close(data, [3.0], "where the slope is 0, nothing moves")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers, positive

    for data, grads, rate in check.cases(8, numbers(4), numbers(4), positive(0.1, 2.0)):
        expected = [d - rate * g for d, g in zip(data, grads)], grads
        check.close(after_update(data, grads, rate), expected, "data - rate * grad; grad stays")
    ### END HIDDEN TESTS

# %% [markdown]
# ### What changes in place
# **Predict, then run.** `network_holds` and `w` are two names of one Value. What does the network hold after each
# change? And what is `x.grad`, when `w.data` changes before `backward`?

# %%
prediction = (None, None, None)

network_holds = w = Value(2.0)
w = w - 0.5
first = network_holds.data
network_holds.data -= 0.5
second = network_holds.data

x, w = Value(3.0), Value(2.0)
y = x * w
w.data = 100.0
y.backward()
if predicted(prediction, "three_ways_to_update"):
    print("it holds:", (first, second), " x.grad:", x.grad)

# %% [markdown]
# `w - 0.5` is a new Value, and the network keeps the old one. `x.grad` is 2: this Value noted the slope when it
# multiplied. Your unit 03 read the inputs on the way back, and would have said 100. PyTorch too says 100, in silence,
# after `w.data = torch.tensor(100.0)`. It notices `w.fill_(100.0)` under `torch.no_grad()`: then its `backward`
# refuses, "modified by an inplace operation". So change parameters *after* `backward`, before the next loss is
# computed.
#
# ## 5. The training step
#
# Two of your functions make an *optimizer*, as PyTorch calls it.


# %% given="sgd"
class SGD:
    """Gradient descent for a list of parameters. The S is for stochastic: see section 6."""

    def __init__(self, parameters, rate):
        self.parameters, self.rate = parameters, rate

    def zero_grad(self):
        zero_gradients(self.parameters)

    def step(self):
        update_parameters(self.parameters, self.rate)


# %% [markdown]
# ### Exercise `training_step` (2 points)
# `compute_loss()` gives the loss, a Value. Make one training step: set old gradients to zero, compute the loss, go back
# through its graph, update. Return the loss as a plain number, its `data`.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Four calls. Which needs what from which? An update needs gradients, gradients need a loss.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# optimizer....()
# loss = ...
# ...                      # the gradients of this loss
# optimizer....()
# return ...               # a number
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Zeros between `backward` and `step` wipe out what the step needs; zeros at the end come too late for the first step, when
# earlier work left gradients. A second call of `compute_loss` costs as much again,
# and gives the loss *after* the update.
# </details>


# %% exercise="training_step"
def training_step(optimizer, compute_loss):
    """One step of training; gives the loss before the update, as a float."""
    ### BEGIN SOLUTION
    optimizer.zero_grad()
    loss = compute_loss()
    loss.backward()
    optimizer.step()
    return loss.data
    ### END SOLUTION


# %% probes="training_step"
@probe
def one_step(losses):
    """The calls that a training step makes, in their order, and what it returns."""
    calls, data = [], iter(losses)

    class Loss:
        def __init__(self):
            self.data = next(data)

        def backward(self):
            calls.append("backward")

    class Optimizer:
        def zero_grad(self):
            calls.append("zero_grad")

        def step(self):
            calls.append("step")

    def compute_loss():
        calls.append("compute_loss")
        return Loss()

    returned = training_step(Optimizer(), compute_loss)
    return calls, "the loss, a Value" if isinstance(returned, Loss) else returned


# %% check="training_step" points=2
with exercise("training_step") as check:
    calls, returned = one_step([0.7, 0.5, 0.4])
    every = ["backward", "compute_loss", "step", "zero_grad"]
    check.close(sorted(calls), every, "each of the four calls once")
    place = calls.index
    check.true(place("compute_loss") < place("backward"), "no way back before the loss")
    check.true(place("zero_grad") < place("backward"),
               "backward adds: what was in grad before the first step has to go before it")
    check.true(place("backward") < place("step"), "the update needs this loss's gradients")
    check.close(returned, 0.7, "the data of this step's loss, a plain number")
    ### BEGIN HIDDEN TESTS
    @probe
    def real_steps(start, target, rate, stale, count):
        """Steps on (w - target)**2 with real Values; the losses, and w at the end."""
        w = Value(start)
        w.grad = stale

        class Optimizer:
            def zero_grad(self):
                w.grad = 0.0

            def step(self):
                w.data -= rate * w.grad

        def compute_loss():
            return (w - target) ** 2

        return [training_step(Optimizer(), compute_loss) for _ in range(count)], w.data

    from autograder import number

    for start, target, stale in check.cases(5, number(), number(), number()):
        w, losses = start, []
        for _ in range(4):
            losses.append((w - target) ** 2)
            w -= 0.1 * 2 * (w - target)
        got = real_steps(start, target, 0.1, stale, 4)
        check.close(got, (losses, w), "four real steps")
    ### END HIDDEN TESTS

# %% [markdown]
# Now train. XOR is the classic test: the target is +1 where exactly one of two inputs is 1. No straight line parts the
# four points, so a single neuron cannot do it.

# %% given="helpers"
def loss_on(network, inputs, targets):
    return margin_loss([network(x) for x in inputs], targets)


def count_right(network, inputs, targets):
    return sum(target * network(x).data > 0 for x, target in zip(inputs, targets))


def show_border(network, inputs, targets, title, ax=None):
    ax = plots.decision_boundary(
        lambda x: network(x).data,
        inputs,
        targets,
        ax=ax,
        resolution=40,
        pointwise=True,
        title=title,
    )
    for text, target in zip(ax.get_legend().get_texts(), ("target -1", "target +1")):
        text.set_text(target)


# %%
corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
xor_targets = [-1, 1, 1, -1]
xor_network = MLP([2, 4, 1], seed=1)
optimizer = SGD(all_parameters(xor_network), rate=1.0)
for step in range(200):
    loss = training_step(optimizer, lambda: loss_on(xor_network, corners, xor_targets))
    if step % 40 == 0 or step == 199:
        print(f"step {step:3}: loss {loss:.3f}")
print("right:", count_right(xor_network, corners, xor_targets), "of 4")

# %% [markdown]
# What to see: two borders, where a single neuron has one.


# %% figure="xor"
def xor_figure():
    show_border(xor_network, corners, xor_targets, "XOR after 200 steps")


xor_figure()

# %% [markdown]
# ## 6. Moons, and mini-batches
#
# Now the network of the first picture: 2 inputs, two hidden layers of 8, one output. Each step uses all 100 points, a
# *full batch*.

# %%
points, labels = moons(100, noise=0.1, seed=0)
inputs = points.tolist()
targets = [1 if label else -1 for label in labels.tolist()]

network = MLP([2, 8, 8, 1], seed=5)
optimizer = SGD(all_parameters(network), rate=1.0)
full_batch = [
    training_step(optimizer, lambda: loss_on(network, inputs, targets)) for _ in range(80)
]
print("parameters:", len(all_parameters(network)))
print(f"loss: {full_batch[0]:.3f} at first, {full_batch[-1]:.3f} in the last of 80 steps")
print("right:", count_right(network, inputs, targets), "of 100")

# %% [markdown]
# A gradient from 10 points costs a tenth of one from 100. Does it lead the same way? The *cosine* of the angle between
# the two says so: 1 is the same way, 0 is across.


# %%
def gradient_on(network, chosen):
    parameters = all_parameters(network)
    zero_gradients(parameters)
    loss_on(network, [inputs[i] for i in chosen], [targets[i] for i in chosen]).backward()
    return [parameter.grad for parameter in parameters]


def cosine(a, b):
    products = sum(x * y for x, y in zip(a, b))
    return products / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


watched, shuffler = MLP([2, 8, 8, 1], seed=5), random.Random(0)
optimizer, cosines = SGD(all_parameters(watched), rate=1.0), []
for step in range(21):
    if step in (0, 5, 20):
        whole, order = gradient_on(watched, range(100)), shuffler.sample(range(100), 100)
        tens = [gradient_on(watched, order[i : i + 10]) for i in range(0, 100, 10)]
        cosines.append(sum(cosine(whole, ten) for ten in tens) / 10)
        mean = [sum(column) / 10 for column in zip(*tens)]
        print(f"step {step:2}: cosine {cosines[-1]:.2f}, the mean over ten batches of 10;", end="")
        print(f" of their mean gradient: {cosine(whole, mean):.2f}")
        assert max(abs(a - b) for a, b in zip(whole, mean)) < 1e-12
    training_step(optimizer, lambda: loss_on(watched, inputs, targets))
assert cosines[0] > 0.9 and cosines[1] < 0.5 and cosines[2] < 0.3

# %% [markdown]
# At first, nearly. Later each batch pulls for its own points. But ten of them that make up the data have the whole
# gradient as their mean: single steps stray, and on average they lead the right way. So training goes through the
# data in small groups, *mini-batches*, in a new random order each time. One pass over all data is an *epoch*.
#
# ### Exercise `mini_batches` (2 points)
# `order` is a list of positions, such as [3, 0, 4, 2, 1]. Cut it into pieces of `size` (the last may be smaller). For
# each piece give a pair: the list of its inputs and the list of its targets.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Each piece of `order` says which inputs *and* which targets.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# batches = []
# for start in range(0, ..., size):
#     chosen = order[...]                   # a slice may reach beyond the end
#     batches.append(([inputs[i] ...], [...]))
# return batches
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Inputs in a new order, targets in the old one: no error message, and nothing is learned. Examples that never appear:
# the last, smaller piece was dropped.
# </details>


# %% exercise="mini_batches"
def mini_batches(inputs, targets, order, size):
    """Pairs (some inputs, their targets), in the given order, `size` examples each."""
    ### BEGIN SOLUTION
    batches = []
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))
    return batches
    ### END SOLUTION


# %% probes="mini_batches"
@probe
def batches_of(inputs, targets, order, size):
    """The batches as a list; a generator will do, too."""
    pairs = mini_batches(inputs, targets, order, size)
    return [(list(some), list(wanted)) for some, wanted in pairs]


# %% check="mini_batches" points=2
with exercise("mini_batches") as check:
    x, t = [10.0, 11.0, 12.0, 13.0, 14.0], [50, 51, 52, 53, 54]
    check.close(batches_of(x, t, [0, 1, 2, 3], 2),
                [([10.0, 11.0], [50, 51]), ([12.0, 13.0], [52, 53])], "two batches of two")
    check.close(batches_of(x, t, [3, 0, 4, 2, 1], 2),
                [([13.0, 10.0], [53, 50]), ([14.0, 12.0], [54, 52]), ([11.0], [51])],
                "in the order given; 13 keeps its target 53; the last batch is smaller")
    check.untouched("the caller needs its lists again, as they are, in the next epoch")
    check.close(batches_of(x, t, [4, 1], 5), [([14.0, 11.0], [54, 51])],
                "a size beyond the end gives one batch")
    ### BEGIN HIDDEN TESTS
    from autograder import integer, numbers

    for size, x, t in check.cases(12, integer(1, 4), numbers(7), numbers(7)):
        order = check.rng.sample(range(7), 7)
        pieces = [order[i : i + size] for i in range(0, 7, size)]
        expected = [([x[i] for i in piece], [t[i] for i in piece]) for piece in pieces]
        check.close(batches_of(x, t, order, size), expected, "the pieces of the order")
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# The same first weights, 20 epochs in batches of 10: as much work as 20 full-batch steps, with ten times as many
# updates. What to see: for the same work, mini-batches get further. Their curve is rougher, as each batch is another
# sample.

# %%
mini_network = MLP([2, 8, 8, 1], seed=5)
optimizer = SGD(all_parameters(mini_network), rate=1.0)
rng = random.Random(0)
mini_batch = []
for _ in range(20):
    order = rng.sample(range(100), 100)
    losses = [
        training_step(optimizer, lambda: loss_on(mini_network, some, wanted))
        for some, wanted in mini_batches(inputs, targets, order, 10)
    ]
    mini_batch.append(sum(losses) / len(losses))
print(f"loss after 20 full-batch steps: {full_batch[19]:.2f}")
print(f"loss after 20 epochs in batches: {mini_batch[-1]:.2f}")
print("right:", count_right(mini_network, inputs, targets), "of 100")

left, right = plots.panels(2, height=3.4)
curves = {"full batch": full_batch, "mini-batches of 10": mini_batch}
plots.learning_curves(curves, ax=left, log=True, title="Loss by passes", xlabel="pass")
show_border(mini_network, inputs, targets, "After 20 epochs in mini-batches", right)

# %% [markdown]
# ## 7. Where the memory goes
#
# A Value holds its parents, and they hold theirs. So the whole graph stays in memory as long as anybody holds the loss.
#
# ### Exercise `kept_alive` (2 points)
# Count the Values that a list keeps in memory: those in it, and all that they were made from (`value.parents`), each
# once. No recursion, as in unit 03. Leave the list as it is.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A stack of what is still to visit, and a set of what you have seen.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# seen, stack = set(), ...         # a list of your own: pop takes things away
# while stack:
#     value = ...
#     ...                          # what is to be done with a new one, and with a known one?
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many: shared Values were counted again. An empty list afterwards: `stack` was the caller's own list.
# </details>


# %% exercise="kept_alive"
def kept_alive(values):
    """How many Values are in `values` or were used to make them, each counted once."""
    ### BEGIN SOLUTION
    seen, stack = set(), list(values)
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            stack.extend(value.parents)
    return len(seen)
    ### END SOLUTION


# %% probes="kept_alive"
@probe
def kept(graph, held):
    """Counts twice for a list of these Values, and says how long the list is afterwards."""
    made = {}
    for name, parents in graph.items():
        if len(parents) == 2:
            made[name] = made[parents[0]] + made[parents[1]]
        else:
            made[name] = tanh(made[parents[0]]) if parents else Value(0.5)
    values = [made[name] for name in held]
    kept_alive(values)
    return kept_alive(values), len(values)


@probe
def kept_by_chain(length):
    """Counts for the last Value of a chain."""
    value = Value(0.5)
    for _ in range(length - 1):
        value = tanh(value)
    return kept_alive([value])


# %% check="kept_alive" points=2
with exercise("kept_alive") as check:
    graph = {"x": "", "y": "", "p": "xy", "q": "px", "r": "y"}
    check.close(kept(graph, "q"), (4, 1), "q was made from p and x, and p from x and y")
    check.close(kept(graph, "xr"), (3, 2), "x, r, and the y that r was made from")
    check.close(kept(graph, "qrq"), (5, 3), "all five, though q comes twice, y is shared")
    check.close(kept_by_chain(5_000), 5_000, "a chain of 5,000, without recursion")
    ### BEGIN HIDDEN TESTS
    check.close(kept(graph, ""), (0, 0), "an empty list holds nothing")
    doubled = {"x": "", "s": "xx", "t": "ss", "u": "tt"}
    check.close(kept(doubled, "u"), (4, 1), "doubled three times")
    deep = {chr(97 + i): chr(96 + i) * 2 if i else "" for i in range(60)}
    check.close(kept(deep, [list(deep)[-1]]), (60, 1), "doubled 59 times: 2**59 ways lead to the first")
    for _ in range(12):
        drawn, names = {"a": "", "b": ""}, "abcdefgh"
        for i in range(2, 8):
            count = check.rng.randint(0, 2)
            drawn[names[i]] = "".join(check.rng.choice(names[:i]) for _ in range(count))
        held = check.rng.choices(names, k=3)
        found, wait = set(), list(held)
        while wait:
            name = wait.pop()
            wait += [] if name in found else drawn[name]
            found.add(name)
        check.close(kept(drawn, held), (len(found), 3), "a random graph")
    ### END HIDDEN TESTS

# %% [markdown]
# Ways of holding on, counted with your function:

# %%
few, few_targets = inputs[:10], targets[:10]
losses = [loss_on(network, few, few_targets) for _ in range(10)]
print("the parameters alone:              ", kept_alive(all_parameters(network)))
print("one loss of 10 points:             ", kept_alive(losses[:1]))
print("a history of 10 such losses:       ", kept_alive(losses))
print("scores of 100 points, no backward: ", kept_alive([network(x) for x in inputs]))

w = Value(1.0)
for _ in range(100):
    w = w - 0.01 * w.grad  # not in place: each w holds the one before it
print("one weight after 100 such updates: ", kept_alive([w]))

# %% [markdown]
# So a history of losses should hold numbers: that is why `training_step` returns `loss.data`. And scores that you
# only look at hold a graph, too. PyTorch's `backward` frees the arrays that the graph saved; its nodes stay as long
# as the loss. Where `backward` never runs, you say `torch.no_grad()`, and nothing is recorded.
#
# Now what adding is good for. The gradient of a sum is the sum of the gradients. So the gradient of a mean over 100
# examples can be collected one example at a time, with the graph of one.
#
# ### Exercise `accumulate_gradients` (2 points)
# `loss_of(x, target)` gives the loss of one example, a Value. Call `backward` once for each pair in `examples`, so that
# the grads grow by the gradient of the **mean** loss. Return the mean loss as a plain number.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The mean is a sum of losses, each divided by how many there are. Divide first, then go back.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# total = ...
# for x, target in examples:
#     share = ...                        # of the mean: a Value
#     ...                                # its gradient
#     total = ...                        # a number, not a Value
# return total
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Grads too large by the number of examples: only the returned number was divided. Grads that come all at once: a single
# `backward` at the end keeps all graphs alive until then.
# </details>


# %% exercise="accumulate_gradients"
def accumulate_gradients(loss_of, examples):
    """Add the gradient of the mean loss to the grads, one by one; gives the mean."""
    ### BEGIN SOLUTION
    total = 0.0
    for x, target in examples:
        loss = loss_of(x, target) / len(examples)
        loss.backward()
        total += loss.data
    return total
    ### END SOLUTION


# %% probes="accumulate_gradients"
@probe
def accumulated(start, examples):
    """For (w * x - target)**2: the result, w.grad at each call, and at the end; at the second call with one list."""
    w, seen = Value(start), []

    def loss_of(x, target):
        seen.append(w.grad)
        return (w * x - target) ** 2

    pairs = [tuple(example) for example in examples]
    accumulate_gradients(loss_of, pairs)
    w.grad = 0.0
    seen.clear()
    mean = accumulate_gradients(loss_of, pairs)
    return "a Value" if isinstance(mean, Value) else mean, seen, w.grad


# %% check="accumulate_gradients" points=2
with exercise("accumulate_gradients") as check:
    mean, seen, grad = accumulated(2.0, [(1.0, 5.0), (3.0, 2.0)])
    check.close(grad, 9.0, "the slopes at w = 2 are -6 and 24: their mean is 9")
    because = "half of -6 is in grad already when loss_of is called for the second example"
    check.true(seen == [0.0, -3.0], because)
    check.close(mean, 12.5, "the losses are 9 and 16: their mean, a plain number")
    check.close(accumulated(2.0, [(3.0, 2.0)]), (16.0, [0.0], 24.0), "one example alone")
    ### BEGIN HIDDEN TESTS
    from autograder import number, numbers

    for w, x, t in check.cases(8, number(), numbers(4), numbers(4)):
        slopes = [2 * (w * a - b) * a / 4 for a, b in zip(x, t)]
        mean = sum((w * a - b) ** 2 for a, b in zip(x, t)) / 4
        expected = (mean, [sum(slopes[:i]) for i in range(4)], sum(slopes))
        check.close(accumulated(w, list(zip(x, t))), expected, "four examples")
    ### END HIDDEN TESTS


# %%
def loss_of(x, target):
    return loss_on(network, [x], [target])


parameters = all_parameters(network)
zero_gradients(parameters)
mean = accumulate_gradients(loss_of, list(zip(inputs, targets)))
one_by_one = [parameter.grad for parameter in parameters]

zero_gradients(parameters)
loss = loss_on(network, inputs, targets)
loss.backward()
pairs = [(mean, loss.data), *zip(one_by_one, (p.grad for p in parameters))]
print("the same loss and gradients:", all(abs(a - b) < 1e-12 for a, b in pairs))
print("Values for 100 points:", kept_alive([loss]))
print("Values for one point:", kept_alive([loss_of(inputs[0], targets[0])]))

# %% [markdown]
# ## 8. Bug hunt
#
# Most wrong training loops raise nothing. It shows in the curve. Here are five runs of a single neuron on 40 points: one
# is right, four have one bug each.


# %% given="suspects"
def small_moons():
    x, y = moons(40, noise=0.1, seed=0)
    return x.tolist(), [1 if label else -1 for label in y.tolist()]


SMALL = small_moons()


def run_with(bug):
    """The losses of 60 steps of a network that consists of one neuron."""
    neuron, (some, wanted) = MLP([2, 1], seed=1), SMALL
    shuffler = random.Random(1)
    rate = {"wrong sign": -1.0, "averaged twice": 1.0 / 40}.get(bug, 1.0)
    optimizer = SGD(all_parameters(neuron), rate)
    if bug == "no zeroing":
        optimizer.zero_grad = lambda: None

    def compute_loss():
        now = shuffler.sample(wanted, 40) if bug == "targets shuffled apart" else wanted
        return loss_on(neuron, some, now)

    return [training_step(optimizer, compute_loss) for _ in range(60)]


BUGS = ["right", "averaged twice", "no zeroing", "targets shuffled apart", "wrong sign"]
LETTERS = dict(zip("ABCDE", random.Random(7).sample(BUGS, 5)))


# %% figure="suspects"
def suspects_figure():
    curves = {letter: run_with(bug) for letter, bug in LETTERS.items()}
    plots.learning_curves(curves, log=True, title="Which is which?")


suspects_figure()

# %% [markdown]
# **Predict, then run.** One curve is right. The others: averaged twice, no zeroing, targets shuffled apart, wrong sign.
# Give each curve its name.

# %%
prediction = {"A": "", "B": "", "C": "", "D": "", "E": ""}

if predicted(prediction, "five_curves"):
    for letter, bug in LETTERS.items():
        print(f"{letter}: {bug:23} your prediction: {prediction[letter]}")

# %% [markdown]
# Without zeroing, all gradients so far push together: fast at first, then far beyond the goal. With shuffled targets
# there is nothing to learn: 0.69.
#
# Now a colleague's loop. It has **three bugs**, and learns nothing:


# %% given="colleague"
def colleague_training(score, optimizer, inputs, targets, orders, size):
    """Trains for one epoch per order of the examples; gives the loss of every step."""
    history = []
    for order in orders:
        optimizer.zero_grad()
        shuffled = [inputs[i] for i in order]
        for start in range(0, len(order), size):
            some = shuffled[start : start + size]
            wanted = targets[start : start + size]
            losses = [log(1 + exp(-t * score(x))) for x, t in zip(some, wanted)]
            loss = sum(losses) / len(losses)
            (loss / len(some)).backward()
            optimizer.step()
            history.append(loss.data)
    return history


# %%
def trial(training):
    """Means over each of 10 epochs, for one neuron on 40 points."""
    neuron = MLP([2, 1], seed=1)
    optimizer = SGD(all_parameters(neuron), rate=0.5)
    orders = [random.Random(epoch).sample(range(40), 40) for epoch in range(10)]
    history = training(neuron, optimizer, *SMALL, orders, 5)
    return [round(sum(history[i : i + 8]) / 8, 2) for i in range(0, 80, 8)]


print(trial(colleague_training))

# %% [markdown]
# ### Exercise `mended_training` (3 points)
# Copy the function's body into the answer cell, and mend it. `score` takes one input and gives a Value. After each
# repair, look at `trial(mended_training)`: mended, the numbers never rise, and end at 0.33.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Follow one example, one gradient and one factor through the loop. Does the example keep its target? How long does the
# gradient live? How often is there a division?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for order in orders:
#     ...                                   # two lists in the new order, not one
#     for start in ...:
#         some, wanted = ..., ...
#         loss = ...                        # a mean already
#         ...                               # the four calls of section 5
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Stuck near 0.69: inputs and targets are still apart. Restless: gradients live longer than one step. Right way, but
# slow: still one division too many.
# </details>


# %% exercise="mended_training"
def mended_training(score, optimizer, inputs, targets, orders, size):
    """Trains for one epoch per order of the examples; gives the loss of every step."""
    ### BEGIN SOLUTION
    history = []
    for order in orders:
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            losses = [log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen]
            loss = sum(losses) / len(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.data)
    return history
    ### END SOLUTION


# %% probes="mended_training"
@probe
def trained(inputs, targets, orders, size, path):
    """Training score(x) = w * x + b from 0: its result, and (by w, by b) the gradients
    that each step finds. A step then puts the next pair of `path` into w and b."""
    w, b, found, since = Value(0.0), Value(0.0), [], [0.0, 0.0]
    places = iter(path)

    class Recorder:
        def zero_grad(self):
            since[:] = w.grad, b.grad  # what counts is what comes after this

        def step(self):
            found.append((w.grad - since[0], b.grad - since[1]))
            w.data, b.data = next(places, (0.0, 0.0))

    def score(x):
        return w * x + b

    losses = mended_training(score, Recorder(), inputs, targets, orders, size)
    return ["a Value" if isinstance(loss, Value) else loss for loss in losses], found


# %% check="mended_training" points=3
with exercise("mended_training") as check:
    x, t, start = [2.0, -4.0, 3.0], [1, -1, -1], math.log(2)
    losses, found = trained(x, t, [[1, 0, 2]], 3, [])
    check.close(found, [(-0.5, 1 / 6)],
                "by w: -1 from 2, -2 from -4 with its target -1, 1.5 from 3: mean -0.5")
    check.true("a Value" not in losses, "a list of Values keeps all graphs: append data")
    losses, found = trained(x, t, [[0, 1, 2], [2, 1, 0]], 2, [])
    check.close(found, [(-1.5, 0.0), (1.5, 0.5), (-0.25, 0.5), (-1.0, -0.5)],
                "two epochs of two steps: each step has its own two examples, or one")
    losses, found = trained([2.0, -0.5], [1, -1], [[0, 1]], 1, [(1.0, 1.5)])
    check.close(losses, [start, math.log(1 + math.e)], "margin 0, then -1: by step, plain")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers, one_of

    signs = [one_of([-1, 1])] * 5
    for x, w_path, b_path, *t in check.cases(8, numbers(5), numbers(9), numbers(9), *signs):
        orders = [check.rng.sample(range(5), 5) for _ in range(3)]
        path, losses, slopes = list(zip(w_path, b_path)), [], []
        places = iter([(0.0, 0.0), *path])
        for order in orders:
            for chosen in (order[:2], order[2:4], order[4:]):
                w, b = next(places)
                m = [t[i] * (w * x[i] + b) for i in chosen]
                losses.append(sum(math.log1p(math.exp(-a)) for a in m) / len(m))
                g = [-t[i] / (1 + math.exp(a)) / len(m) for i, a in zip(chosen, m)]
                slopes.append((sum(a * x[i] for i, a in zip(chosen, g)), sum(g)))
        check.close(trained(x, t, orders, 2, path), (losses, slopes), "3 epochs of 3 steps")
        check.untouched()
    ### END HIDDEN TESTS

# %%
print("colleague:", trial(colleague_training))
print("mended:   ", trial(mended_training))

# %% [markdown]
# ## 9. Right, but slow
#
# Your network learns the moons, one multiplication at a time. Here is the same step with NumPy arrays: whole layers,
# all points at once, gradients written by hand. Units 05 and 06 explain its lines.


# %% given="array_step"
def array_step(layers, x, t):
    """The mean loss and its gradients; a layer is a pair (weights, biases) of arrays."""
    import numpy as np

    outputs = [x]
    for i, (weights, biases) in enumerate(layers):
        total = outputs[-1] @ weights.T + biases
        outputs.append(np.tanh(total) if i < len(layers) - 1 else total)
    margins = t * outputs[-1][:, 0]
    g = (-t / (1 + np.exp(margins)) / len(t))[:, None]
    gradients = []
    for (weights, _), before in zip(layers[::-1], outputs[-2::-1]):
        gradients.insert(0, (g.T @ before, g.sum(axis=0)))
        g = (g @ weights) * (1 - before**2)
    return np.log1p(np.exp(-margins)).mean(), gradients


# %%
def compare():
    from time import perf_counter

    import numpy as np

    parameters = all_parameters(network)
    neurons = [neuron for layer in network.layers for neuron in layer.neurons]

    def value_step():
        zero_gradients(parameters)
        loss = loss_on(network, inputs, targets)
        loss.backward()
        return loss.data, [p.grad for n in neurons for p in (*n.weights, n.bias)]

    def seconds(function, rounds):
        def once():
            start = perf_counter()
            function()
            return perf_counter() - start

        return min(once() for _ in range(rounds))

    arrays = [
        (
            np.array([[w.data for w in neuron.weights] for neuron in layer.neurons]),
            np.array([neuron.bias.data for neuron in layer.neurons]),
        )
        for layer in network.layers
    ]
    x, t = points, np.array(targets)
    loss, by_layer = array_step(arrays, x, t)
    flat = [number for w, b in by_layer for row, c in zip(w, b) for number in (*row, c)]
    expected_loss, expected = value_step()
    same = np.allclose([loss, *flat], [expected_loss, *expected], rtol=1e-9, atol=1e-12)
    print("the same loss and gradients:", same)
    slow, fast = seconds(value_step, 3), seconds(lambda: array_step(arrays, x, t), 30)
    print("arrays more than 20 times faster:", slow > 20 * fast)


compare()

# %% [markdown]
# Measured once, on one computer. What to see: arrays are 79 times faster with 10 points, and 2,000 times with 1,000.


# %% figure="times"
def times():
    count = [10, 30, 100, 300, 1000]
    values, arrays = [1.81, 5.70, 20.1, 62.5, 268.0], [0.023, 0.026, 0.033, 0.056, 0.133]
    assert round(values[0] / arrays[0]) == 79 and round(values[-1] / arrays[-1], -3) == 2000
    plots.lines(
        {"Values": (count, values), "arrays": (count, arrays)},
        xlabel="points in the batch",
        ylabel="milliseconds per step",
        log="xy",
        markers=True,
        title="One training step of the network 2-8-8-1",
    )


times()

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | `Neuron`, `Layer` with its `weighted_sum` | `nn.Linear(2, 8)` and `nn.Tanh()` |
# | `MLP` and `mlp_outputs` | `nn.Sequential` |
# | `all_parameters(network)` | `model.parameters()` |
# | `margin_loss` | `nn.SoftMarginLoss()` |
# | `SGD` with `zero_grad` and `step` | `torch.optim.SGD` |
# | `loss.data`, the number | `loss.item()` |
# | `mini_batches` | `DataLoader(dataset, batch_size=10, shuffle=True)` |
# | `accumulate_gradients` | several `backward()` before one `optimizer.step()` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | falls fast, then swings far beyond the goal | gradients that nobody set to zero |
# | rises from the first step on | the sign of the update |
# | no error, nothing moves | `p = p - ...` where `p.data -= ...` belongs; a parameter that is not in the list |
# | stuck near 0.69 | inputs and targets in different orders |
# | the right way, at a crawl | a mean of a mean, or a rate that is too small |
# | memory grows with every step | a list of losses that are Values |
#
# ## One thing to try next
# In a new cell, set all weights of `MLP([2, 4, 1], seed=1)` to 0.5 and train it on XOR. Its four hidden neurons begin
# alike, get the same gradients, and stay alike. Print them: this is why weights start at random.
#
# Unit 05 makes it fast: the same network on the same points, with arrays that take notes.

# %% progress="here"
