"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 04_scalar_networks`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (Value, exp, log, tanh, math, random) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

NOTHING_ZEROED = (
    "The grads of these parameters are what they were. Each optimizer keeps, in `self`, the Values that it is given (no "
    "copies, and no other optimizer's), and sets the attribute `grad` of each, in every call; `parameter = ...` would only "
    "give a name a new meaning."
)
NOTHING_MOVED = (
    "The network's Values are what they were: a new Value, as `parameter = ...` gives one a name, is none of them. "
    "Change `data` of the Values that are there."
)

MATH_TANH = (
    "Where Python says \"must be real number, not Value\", a function of `math` was given a Value: the `tanh` of the first "
    "cell takes Values, and `math.tanh` does not."
)

# -- xor_by_hand ------------------------------------------------------------------------------------------------------


@wrong(
    "xor_by_hand",
    "only_or",
    "Both neurons draw the line of OR, so where both inputs are 1 they still say yes. The second has to notice that.",
)
def xor_by_hand():
    return [(5.0, 5.0, -2.5), (5.0, 5.0, -2.5), (1.0, 0.0, 0.0)]


@wrong(
    "xor_by_hand",
    "too_flat",
    "These are the right two lines, but tanh(0.5) is only 0.46. Five times the weights and the biases leave the lines where "
    "they are, and make the neurons speak up.",
)
def xor_by_hand():
    return [(1.0, 1.0, -0.5), (1.0, 1.0, -1.5), (1.0, -1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "weights_steeper_only",
    "The weights are five times as large, and the biases are not: that moves the lines. Multiply both.",
)
def xor_by_hand():
    return [(5.0, 5.0, -0.5), (5.0, 5.0, -1.5), (1.0, -1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "neurons_added",
    "The output adds both neurons. It has to say yes where the first says yes and the second does not: give it a minus.",
)
def xor_by_hand():
    return [(5.0, 5.0, -2.5), (5.0, 5.0, -7.5), (1.0, 1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "output_without_bias",
    "Where both neurons agree the score is 0, which is neither yes nor no. The output has a bias: lower it.",
)
def xor_by_hand():
    return [(5.0, 5.0, -2.5), (5.0, 5.0, -7.5), (1.0, -1.0, 0.0)]


@wrong(
    "xor_by_hand",
    "turned_around",
    "All four signs are the wrong way round. Turn the signs of the output's weights and of its bias.",
)
def xor_by_hand():
    return [(5.0, 5.0, -2.5), (5.0, 5.0, -7.5), (-1.0, 1.0, 1.0)]


@wrong(
    "xor_by_hand",
    "an_input_each",
    "Each neuron looks at one input only, so what the output gets are the same four corners again, and it has one line.",
)
def xor_by_hand():
    return [(5.0, 0.0, -2.5), (0.0, 5.0, -2.5), (1.0, 1.0, 0.0)]


@wrong(
    "xor_by_hand",
    "lines_through_corners",
    "Without biases both lines go through (0, 0), where the neurons then say 0. Move them with the biases.",
)
def xor_by_hand():
    return [(5.0, 5.0, 0.0), (5.0, -5.0, 0.0), (1.0, -1.0, -1.0)]


@wrong("xor_by_hand", "bias_first", "The bias stands first in each row here. It is the last number, behind the two weights.")
def xor_by_hand():
    return [(-2.5, 5.0, 5.0), (-7.5, 5.0, 5.0), (-1.0, 1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "close_to_the_corners",
    "At the corners it is right. But the lines run so close to them that a point a little beside falls on the other side.",
)
def xor_by_hand():
    return [(50.0, 50.0, -2.5), (50.0, 50.0, -97.5), (1.0, -1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "all_in_one",
    "The nine numbers stand in one list. Asked for are three rows of three.",
)
def xor_by_hand():
    return [5.0, 5.0, -2.5, 5.0, 5.0, -7.5, 1.0, -1.0, -1.0]


@wrong("xor_by_hand", "no_output_row", "The row of the output is missing: its weights for the two neurons, and its bias.")
def xor_by_hand():
    return [(5.0, 5.0, -2.5), (5.0, 5.0, -7.5)]


@wrong("xor_by_hand", "no_return", "The function gives nothing back: return the three rows.")
def xor_by_hand():
    [(5.0, 5.0, -2.5), (5.0, 5.0, -7.5), (1.0, -1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "pairs_of_weights",
    "The two weights of each neuron are a pair of their own here. A row is flat: `(w0, w1, b)`.",
)
def xor_by_hand():
    return [((5.0, 5.0), -2.5), ((5.0, 5.0), -7.5), ((1.0, -1.0), -1.0)]


@wrong(
    "xor_by_hand",
    "a_little_flat",
    "The lines are right, but not steep enough: multiply both neurons' weights and biases.",
)
def xor_by_hand():
    return [(1.5, 1.5, -0.75), (1.5, 1.5, -2.25), (1.0, -1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "flat_and_no_bias",
    "The lines are right. The neurons speak too softly for 0.5: multiply their weights and biases. And the output needs a "
    "bias, for where both agree the score is 0.",
)
def xor_by_hand():
    return [(1.0, 1.0, -0.5), (1.0, 1.0, -1.5), (1.0, -1.0, 0.0)]


@wrong("xor_by_hand", "output_row_first", "The output's row stands first here. The two neurons come first, and the output last.")
def xor_by_hand():
    return [(1.0, -1.0, -1.0), (5.0, 5.0, -2.5), (5.0, 5.0, -7.5)]


@wrong(
    "xor_by_hand",
    "flat_and_bias_first",
    "The bias stands first in each row here: it is the last number. And the neurons speak too softly: multiply their "
    "weights and biases.",
)
def xor_by_hand():
    return [(-0.5, 1.0, 1.0), (-1.5, 1.0, 1.0), (-1.0, 1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "second_line_through_two_corners",
    "The second neuron's line runs through two corners, where it says 0 and decides nothing. Move it between the corners.",
)
def xor_by_hand():
    return [(10.0, 10.0, -5.0), (10.0, 10.0, -10.0), (1.0, -1.0, -1.0)]


@wrong(
    "xor_by_hand",
    "an_input_each_and_a_bias",
    "Each neuron looks at one input only, so what the output gets are the same four corners again, and it has one line.",
)
def xor_by_hand():
    return [(5.0, 0.0, -2.5), (0.0, 5.0, -2.5), (1.0, 1.0, -1.0)]


@right("xor_by_hand", "an_array")
def xor_by_hand():
    import numpy as np

    return np.array([[5, 5, -2.5], [5, 5, -7.5], [1, -1, -1]])


@right("xor_by_hand", "one_and_not_the_other")
def xor_by_hand():
    return [[6, -6, -3], [-6, 6, -3], [1, 1, 1]]


@right("xor_by_hand", "nand_and_or")
def xor_by_hand():
    nand = (-5.0, -5.0, 7.5)
    either = (5.0, 5.0, -2.5)
    return (nand, either, (2.0, 2.0, -2.0))


@wrong("xor_by_hand", "one_row_twice", "Both neurons have the same numbers, so they draw one line. `[row] * 2` holds one list twice: what is written into one stands in the other, too.")
def xor_by_hand():
    row = [20.0, 20.0, -10.0]
    rows = [row] * 2
    rows[1][2] = -30.0
    return [*rows, [1.0, -1.0, -1.0]]


@wrong("xor_by_hand", "too_near_a_corner", "Right at the four corners, and wrong a little beside one: a neuron's line runs too close to it. Its bias moves the line away.")
def xor_by_hand():
    return [(20.0, 20.0, -10.0), (20.0, 20.0, -23.0), (1.0, -1.0, -1.0)]


@wrong("xor_by_hand", "one_list_for_both", "Both neurons have the same three numbers, so they draw one line twice: are they one list under two names?")
def xor_by_hand():
    first = [10.0, 10.0, -5.0]
    second = first
    second[2] = -15.0
    return [first, second, [1.0, -1.0, -1.0]]


# -- MLP --------------------------------------------------------------------------------------------------------------


INIT = """
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.layers = []
        for size, count in zip(sizes, sizes[1:]):
            rows = [[Value(rng.uniform(-1, 1)) for _ in range(size)] for _ in range(count)]
            self.layers.append([(row, Value(0.0)) for row in rows])
"""
CALL = """
    def __call__(self, inputs):
        for layer in self.layers:
            sums = [sum((w * x for w, x in zip(row, inputs)), bias) for row, bias in layer]
            inputs = [tanh(total) for total in sums]
        return sums[0]
"""
PARAMETERS = """
    def parameters(self):
        return [p for layer in self.layers for row, bias in layer for p in (*row, bias)]
"""
ROWS = "[[Value(rng.uniform(-1, 1)) for _ in range(size)] for _ in range(count)]"
SUM = "sum((w * x for w, x in zip(row, inputs)), bias)"
FLAT = "[p for layer in self.layers for row, bias in layer for p in (*row, bias)]"
CLASS = f"class MLP:{INIT}{CALL}{PARAMETERS}"
IN_LOOPS = changed(
    CLASS,
    (f"sums = [{SUM} for row, bias in layer]", f"sums = []\n            for row, bias in layer:\n                sums.append({SUM})"),
)


def draws(name, sentence, *changes):
    """A wrong MLP: with some lines of its `__init__` replaced."""
    wrong("MLP", name, sentence, source="class MLP(MLP):" + changed(INIT, *changes))


def scores(name, sentence, *changes):
    """A wrong MLP: with some lines of its `__call__` replaced."""
    wrong("MLP", name, sentence, source="class MLP(MLP):" + changed(CALL, *changes))


def network(name, sentence, *changes, source=IN_LOOPS):
    """A wrong MLP: the whole class, with some of its lines replaced."""
    wrong("MLP", name, sentence, source=changed(source, *changes))


scores(
    "tanh_at_the_end",
    "The last layer has tanh as well, so no score is larger than 1. The output is the plain sum.",
    ("return sums[0]", "return inputs[0]"),
)
scores("tanh_of_math", MATH_TANH, ("tanh(total)", "math.tanh(total)"))
scores("tanh_of_math_inside", MATH_TANH, ("[tanh(total)", "sums if layer is self.layers[-1] else [math.tanh(total)"))

network(
    "forward_only",
    "`network(x)` looks for a method `__call__`, and there is none. One of another name, such as `forward`, is not asked.",
    ("__call__", "forward"), source=CLASS,
)

scores(
    "the_input",
    "This is the first input as it came, and not a score: no weight and no bias has worked on it.",
    ("inputs = [tanh(total)", "outputs = [tanh(total)"), ("return sums[0]", "return inputs[0]"),
)
scores(
    "no_tanh",
    "No neuron of the network that was asked has a tanh: it stands behind every layer but the last. Sums of sums are one sum, and so one line.",
    ("tanh(total)", "total"),
)
scores(
    "no_bias_in_the_sum",
    "The biases of the list do not stand in the sums: they have no effect, and no gradient.",
    (SUM, "sum(w * x for w, x in zip(row, inputs))"),
)
scores(
    "same_inputs",
    "This is what one layer makes of the first inputs: the last layer got them, or the loop ended after its first round, as with a `return` inside it. From the second layer on, a layer's inputs are what the layer before it gave.",
    ("            sums = ", "            last = layer is self.layers[-1]\n            sums = "),
    ("inputs = [tanh(total)", "sums = sums if last else [tanh(total)"),
)
scores(
    "a_list_of_one",
    "This is a list with one Value in it. The score is that Value.",
    ("return sums[0]", "return sums"),
)
scores(
    "a_number",
    "This is the number of the score. Without its Value there is no way back to the weights.",
    ("return sums[0]", "return sums[0].data"),
)
scores(
    "leaves_the_graph",
    "Between the layers `.data` takes the numbers out of the graph, so the gradients of all layers but the last stay 0.",
    ("tanh(total)", "tanh(total).data"),
)
scores(
    "bias_in_every_round",
    "The bias is added twice here, as when it is added once for each of the two inputs. It belongs to the neuron, so it is added once.",
    (SUM, "sum(w * x + bias for w, x in zip(row, inputs))"),
)
scores(
    "sigmoid_for_tanh",
    "These are no values of tanh: the sigmoid lies between 0 and 1. Hidden neurons have tanh here.",
    ("tanh(total)", "1 / (1 + exp(-total))"),
)

wrong(
    "MLP",
    "no_biases",
    "These are the weights. Each neuron has a bias too, which is trained as well.",
    source="""
class MLP(MLP):
    def parameters(self):
        return [w for layer in self.layers for row, bias in layer for w in row]
""",
)

wrong(
    "MLP",
    "parameters_are_numbers",
    "These are numbers. Training has to change the Values that the network computes with, so return those.",
    source="""
class MLP(MLP):
    def parameters(self):
        return [p.data for layer in self.layers for row, bias in layer for p in (*row, bias)]
""",
)

wrong(
    "MLP",
    "parameters_are_copies",
    "The Values in the list have the right numbers, and they are not those that the network computes with: it would never notice that they are trained.",
    source="""
class MLP(MLP):
    def parameters(self):
        return [Value(p.data) for layer in self.layers for row, bias in layer for p in (*row, bias)]
""",
)

wrong(
    "MLP",
    "last_layer_only",
    "Only one layer is in the list of parameters. All of them are trained.",
    source="""
class MLP(MLP):
    def parameters(self):
        return [p for row, bias in self.layers[-1] for p in (*row, bias)]
""",
)

wrong(
    "MLP",
    "lists_in_the_list",
    "There are lists in the list of parameters, as when `append` adds one as one thing. Put in what is in them, as `extend` does.",
    source="""
class MLP(MLP):
    def parameters(self):
        found = []
        for layer in self.layers:
            for row, bias in layer:
                found.append(row)
                found.append(bias)
        return found
""",
)

wrong(
    "MLP",
    "the_list_grows",
    "A bias is in the list twice, at the second call at the latest. Does a list of the network's own grow, as `append`, `extend` and `+=` make it? Begin a list of your own in each call.",
    source="""
class MLP(MLP):
    def parameters(self):
        found = []
        for layer in self.layers:
            for row, bias in layer:
                row.append(bias)
                found.extend(row)
        return found
""",
)

draws(
    "layers_of_the_class",
    "There are more parameters than this network has, those of another one, too: a list that stands in the class belongs to all networks. Make it in `__init__`, on `self`.",
    ("    def", "    layers = []\n\n    def"), ("        self.layers = []\n", ""),
)
draws(
    "same_seed_for_each_layer",
    "Every layer begins with the same draws. Make one `random.Random(seed)`, and draw all weights from it.",
    ("            rows", "            rng = random.Random(seed)\n            rows"),
)
draws(
    "seed_ignored",
    "The weights do not follow from the seed: draw them from `random.Random(seed)`.",
    ("random.Random(seed)", "random.Random(0)"),
)
draws(
    "random_biases",
    "The biases are drawn as well. They are 0 at first, and take no draw.",
    ("Value(0.0)", "Value(rng.uniform(-1, 1))"),
)
draws(
    "weights_from_0_to_1",
    "The weights are drawn from 0 to 1, as `random()` does it. They lie between -1 and 1: `uniform(-1, 1)`.",
    ("rng.uniform(-1, 1)", "rng.random()"),
)
draws(
    "one_bias_for_a_layer",
    "Of the 13 Values in the list only 11 are different, as when the neurons of a layer share one bias: `[Value(0.0)] * n` "
    "is one Value n times. Each has its own.",
    ("            self.layers.append", "            shared = Value(0.0)\n            self.layers.append"), ("(row, Value(0.0))", "(row, shared)"),
)
draws(
    "one_bias_for_all",
    "Of the 13 Values in the list only 10 are different, as when all neurons share one bias. Each has its own.",
    ("self.layers = []\n", "self.layers = []\n        shared = Value(0.0)\n"), ("(row, Value(0.0))", "(row, shared)"),
)

wrong(
    "MLP",
    "one_neuron_for_a_layer",
    "Of the 13 Values in the list only 7 are different, as when `[neuron] * n` makes a layer: that is one neuron n times.",
    source="""
class MLP(MLP):
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.layers = []
        for size, count in zip(sizes, sizes[1:]):
            self.layers.append([([Value(rng.uniform(-1, 1)) for _ in range(size)], Value(0.0))] * count)
""",
)

wrong(
    "MLP",
    "same_seed_for_each_neuron",
    "Every neuron begins with the same draws. Make one `random.Random(seed)`, and draw all weights from it.",
    source="""
class MLP(MLP):
    def __init__(self, sizes, seed):
        self.layers = []
        for size, count in zip(sizes, sizes[1:]):
            layer = []
            for _ in range(count):
                rng = random.Random(seed)
                layer.append(([Value(rng.uniform(-1, 1)) for _ in range(size)], Value(0.0)))
            self.layers.append(layer)
""",
)

draws(
    "one_weight_for_a_neuron",
    "All weights are the first draw. Either one draw is used for all of them (`[Value(...)] * n` is even one Value n "
    "times), or each gets a new `random.Random(seed)`, which begins again.",
    ("[Value(rng.uniform(-1, 1)) for _ in range(size)]", "[Value(rng.uniform(-1, 1))] * size"),
)
draws(
    "weights_by_input",
    "The draws are given out input by input. They go neuron by neuron: first all weights of the first neuron.",
    (f"rows = {ROWS}", f"columns = {ROWS}\n            rows = [list(row) for row in zip(*columns)]"),
    (ROWS, "[[Value(rng.uniform(-1, 1)) for _ in range(count)] for _ in range(size)]"),
)
draws(
    "seeds_the_notebook",
    "The generator that all of the notebook draws from is used, or begun anew. Make a `random.Random(seed)` of its own.",
    ("rng = random.Random(seed)", "random.seed(seed)"), ("rng.uniform", "random.uniform"),
)

right(
    "MLP",
    "from_neurons",
    source="""
class MLP:
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.layers = []
        for i in range(1, len(sizes)):
            layer = []
            for _ in range(sizes[i]):
                weights = []
                for _ in range(sizes[i - 1]):
                    weights.append(Value(rng.uniform(-1, 1)))
                layer.append({"weights": weights, "bias": Value(0.0)})
            self.layers.append(layer)

    def __call__(self, inputs):
        signals = list(inputs)
        for i, layer in enumerate(self.layers):
            found = []
            for neuron in layer:
                total = neuron["bias"]
                for weight, signal in zip(neuron["weights"], signals):
                    total = total + weight * signal
                found.append(total if i == len(self.layers) - 1 else tanh(total))
            signals = found
        return signals[0]

    def parameters(self):
        found = []
        for layer in self.layers:
            for neuron in layer:
                found += neuron["weights"]
                found.append(neuron["bias"])
        return found
""",
)


right(
    "MLP",
    "one_flat_list",
    source="""
class MLP:
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.sizes = sizes
        self.weights = [Value(rng.uniform(-1, 1)) for n, m in zip(sizes, sizes[1:]) for _ in range(n * m)]
        self.biases = [Value(0.0) for m in sizes[1:] for _ in range(m)]

    def parameters(self):
        return self.weights + self.biases

    def __call__(self, inputs):
        weights, biases = iter(self.weights), iter(self.biases)
        for count in self.sizes[1:]:
            totals = [sum(next(weights) * x for x in inputs) + next(biases) for _ in range(count)]
            inputs = list(map(tanh, totals))
        return totals[0]
""",
)


scores(
    "single_neuron_without_tanh",
    "A hidden layer of one neuron has tanh, too: what counts is whether a layer is the last.",
    ("[tanh(total)", "sums if len(layer) == 1 else [tanh(total)"),
)


network(
    "parameters_from_a_set",
    "The parameters come in another order in each network, as a set has them, which { } makes. Lists made by [ ] or by `append` "
    "keep their order.",
    (FLAT, "list({p for layer in self.layers for row, bias in layer for p in (*row, bias)})"),
)
network(
    "list_on_self_grows",
    "Each parameter is in the list twice, at the second call at the latest. Does a list on `self` grow with every call? Begin a "
    "new one in the method.",
    ("self.layers = []", "self.layers, self.found = [], []"),
    (f"return {FLAT}", f"self.found += {FLAT}\n        return self.found"),
)
network(
    "a_list_for_each_neuron",
    "The list holds lists, such as one for each layer or neuron. Put all Values into one flat list.",
    (FLAT, "[[*row, bias] for layer in self.layers for row, bias in layer]"),
)
network(
    "a_generator",
    "A generator is walked along once, and is empty then: `yield` makes one, and ( ) around a comprehension. Return a list.",
    (FLAT, f"({FLAT[1:-1]})"),
)
network(
    "draws_of_gauss",
    "The draws are those of `gauss`, a bell curve around 0. Asked for is `uniform(-1, 1)`.",
    ("rng.uniform(-1, 1)", "rng.gauss(0, 1)"),
)
network(
    "one_row_for_a_layer",
    "Of the 13 Values in the list only 9 are different, as when the neurons of a layer share their weights: `[row] * n` is one "
    "row n times. Each neuron has its own.",
    (ROWS, "[[Value(rng.uniform(-1, 1)) for _ in range(size)]] * count"),
)
network(
    "a_value_without_parents",
    "The score is right, and no weight gets a gradient: a Value that is made of a number, as `Value(w.data * x)` is, has no "
    "parents. Compute with the Values themselves.",
    (SUM, "Value(sum(w.data * x for w, x in zip(row, inputs)) + bias.data)"),
    ("[tanh(total) for total in sums]", "[tanh(total).data for total in sums]"),
)
network(
    "bias_keeps_the_sum",
    "The second call gives another score than the first: a bias, or another sum on `self`, keeps what the first has added. "
    "Begin each sum with a name of its own, such as `total = bias`.",
    ("(row, Value(0.0)) for", "[row, Value(0.0)] for"),
    ("for row, bias in layer:\n", "for neuron in layer:\n"),
    (f"sums.append({SUM})", "for w, x in zip(neuron[0], inputs):\n                    neuron[1] = neuron[1] + w * x\n                sums.append(neuron[1])"),
)
network(
    "relu_for_tanh",
    "A hidden neuron with a negative sum says 0 here, as relu does. Hidden neurons have tanh: it goes on to -1.",
    ("[tanh(total) for total in sums]", "[total if total.data > 0 else Value(0.0) for total in sums]"),
)
network(
    "tanh_in_the_first_layer_only",
    "Of the hidden layers only the first has tanh. Each layer has it, but the last.",
    ("[tanh(total) for total in sums]", "[tanh(total) for total in sums] if layer is self.layers[0] else sums"),
)
INPUTS_CHANGE = (
    "The inputs of a layer change while its later neurons still need them. Collect what the neurons say in a list of its own, "
    "and make it the inputs behind their loop."
)
network(
    "inputs_change_in_the_loop", INPUTS_CHANGE,
    ("            inputs = [tanh(total) for total in sums]", "                inputs = [tanh(total) for total in sums]"),
)
network(
    "inputs_are_one_neuron", INPUTS_CHANGE,
    (
        "            inputs = [tanh(total) for total in sums]",
        "                inputs = [sums[-1] if layer is self.layers[-1] else tanh(sums[-1])] * len(layer)",
    ),
    ("return sums[0]", "return inputs[0]"),
)

network(
    "numbers_of_the_weights",
    "The score is right, and the weights get no gradient: `w.data` is a number, so a product with it keeps no way back to "
    "`w`. Multiply the Value itself.",
    (SUM, "sum((w.data * x for w, x in zip(row, inputs)), bias)"),
)
network(
    "bias_outside_the_tanh",
    "The bias of a hidden neuron is added to what tanh gives. It belongs into the sum, before tanh.",
    (SUM, "sum(w * x for w, x in zip(row, inputs)) + (bias if layer is self.layers[-1] else 0.0)"),
    ("[tanh(total) for total in sums]", "[tanh(total) + bias for total, (_, bias) in zip(sums, layer)]"),
)
draws(
    "seed_0_for_each_neuron",
    "Every neuron begins with the same draws, those of `Random(0)`. Make one `random.Random(seed)`, and draw all weights from it.",
    (ROWS, "[[Value(w) for rng in [random.Random(0)] for w in [rng.uniform(-1, 1) for _ in range(size)]] for _ in range(count)]"),
)


@right("MLP", "a_function")
def MLP(sizes, seed):
    rng = random.Random(seed)
    parameters, layers = [], []
    for n, m in zip(sizes, sizes[1:]):
        rows = [[Value(rng.uniform(-1, 1)) for _ in range(n)] + [Value(0.0)] for _ in range(m)]
        parameters += sum(rows, [])
        layers.append(rows)

    def network(inputs):
        signals = list(inputs)
        for rows in layers:
            totals = [sum(w * s for w, s in zip(row, [*signals, 1.0])) for row in rows]
            signals = [tanh(total) for total in totals]
        return totals[0]

    network.parameters = lambda: list(parameters)
    return network


wrong(
    "MLP",
    "remembers_scores",
    "The score stays when the parameters change: what an earlier call computed, or noted, is used again. Compute it anew in each call.",
    source="""
class MLP:
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.known = {}
        self.layers = [
            [([Value(rng.uniform(-1, 1)) for _ in range(n)], Value(0.0)) for _ in range(m)]
            for n, m in zip(sizes, sizes[1:])
        ]

    def __call__(self, x):
        key = tuple(x)
        if key not in self.known:
            for k, layer in enumerate(self.layers):
                x = [sum((w * v for w, v in zip(ws, x)), b) for ws, b in layer]
                if k < len(self.layers) - 1:
                    x = [tanh(v) for v in x]
            self.known[key] = x[0]
        return self.known[key]

    def parameters(self):
        return [p for layer in self.layers for ws, b in layer for p in [*ws, b]]
""",
)


wrong(
    "MLP",
    "one_network_for_all",
    "A second network takes the place of the first: its weights are held by a global name, or by the class. Keep them in `self`.",
    source=changed(CLASS, ("class MLP:", "class MLP:\n    layers = []\n"), ("self.layers = []", "self.layers.clear()")),
)


wrong("MLP", "a_list_that_grows", "The second call of `parameters` gives more than there are: its list is one of the network's own, and `+=` makes that longer at each call. Begin with a new list.", source="""
class MLP:
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.layers = [
            [[Value(rng.uniform(-1, 1)) for _ in range(a)] + [Value(0.0)] for _ in range(b)]
            for a, b in zip(sizes, sizes[1:])
        ]

    def parameters(self):
        first, *others = [row for layer in self.layers for row in layer]
        found = first
        for row in others:
            found += row
        return found

    def __call__(self, x):
        for k, layer in enumerate(self.layers, 1):
            said = []
            for *weights, total in layer:
                for w, number in zip(weights, x):
                    total = total + w * number
                said.append(total if k == len(self.layers) else tanh(total))
            x = said
        return x[0]
""")


wrong("MLP", "draws_for_the_biases", "These are the scores of a network that makes a draw for each bias, too. Only weights are drawn: a draw that is thrown away moves all those behind it.", source="""
class MLP:
    def __init__(self, sizes, seed):
        rng = random.Random(seed)
        self.layers = []
        for fan_in, fan_out in zip(sizes, sizes[1:]):
            layer = []
            for _ in range(fan_out):
                row = [Value(rng.uniform(-1, 1)) for _ in range(fan_in + 1)]
                row[-1].data = 0.0
                layer.append(row)
            self.layers.append(layer)

    def parameters(self):
        return [p for layer in self.layers for row in layer for p in row]

    def __call__(self, inputs):
        for layer in self.layers:
            sums = [sum((w * x for w, x in zip(row, inputs)), row[-1]) for row in layer]
            inputs = sums if layer is self.layers[-1] else [tanh(s) for s in sums]
        return inputs[0]
""")


# -- margin_loss ------------------------------------------------------------------------------------------------------


@wrong("margin_loss", "sum", "This is the sum. The mean does not grow with the number of examples.")
def margin_loss(scores, targets):
    return sum(log(1 + exp(-target * score)) for score, target in zip(scores, targets))


@wrong("margin_loss", "sign", "The minus is missing: a large margin is good, and has to cost little.")
def margin_loss(scores, targets):
    losses = [log(1 + exp(target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)


@wrong(
    "margin_loss",
    "no_targets",
    "A target of -1 counts like 1 here: it plays no part, or loses its sign. The same score is good for one target, and bad for the other.",
)
def margin_loss(scores, targets):
    losses = [log(1 + exp(-score)) for score in scores]
    return sum(losses) / len(losses)


@wrong("margin_loss", "no_one", "This is the margin with a minus, as log(exp(-margin)) is: the 1 inside the logarithm is missing.")
def margin_loss(scores, targets):
    losses = [log(exp(-target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)


@wrong(
    "margin_loss",
    "mean_of_margins",
    "You took the mean of the margins first, and then one loss. Take the loss of each example, then the mean.",
)
def margin_loss(scores, targets):
    margins = [target * score for score, target in zip(scores, targets)]
    return log(1 + exp(-sum(margins) / len(margins)))


@wrong(
    "margin_loss",
    "averaged_twice",
    "This is the mean, divided by the number of examples once more. The curve would look right, and training would crawl.",
)
def margin_loss(scores, targets):
    losses = [log(1 + exp(-target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses) ** 2


@wrong(
    "margin_loss",
    "squared_error",
    "With score 2 and target 1 the loss is 1 here, as with the squared error of unit 01. This loss is made from the margin, with `log` and `exp`.",
)
def margin_loss(scores, targets):
    return sum((score - target) ** 2 for score, target in zip(scores, targets)) / len(targets)


@wrong(
    "margin_loss",
    "math_functions",
    "A Value is given to what takes plain numbers only, such as math.log, math.exp, NumPy's functions, `abs` or `max`. Use the notebook's own `log` and `exp`.",
)
def margin_loss(scores, targets):
    losses = [math.log(1 + math.exp(-target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)


@wrong(
    "margin_loss",
    "leaves_the_graph",
    "The number is right, but `.data` took it out of the graph: there is nothing left to go back through.",
)
def margin_loss(scores, targets):
    scores = [score.data if isinstance(score, Value) else score for score in scores]
    losses = [log(1 + exp(-target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)


@wrong(
    "margin_loss", "one_example", "Only one example counts: does the function return in its first round, does each loss replace the one before it, or is it the largest alone?"
)
def margin_loss(scores, targets):
    for score, target in zip(scores, targets):
        return log(1 + exp(-target * score)) / len(scores)


@wrong("margin_loss", "dict", "In a dict each score is there once, and of two equal ones the first is lost. zip makes pairs.")
def margin_loss(scores, targets):
    pairs = dict(zip(scores, targets))
    losses = [log(1 + exp(-target * score)) for score, target in pairs.items()]
    return sum(losses) / len(losses)


@wrong("margin_loss", "set_of_losses", "Equal losses are counted once, as in a set, which { } makes. Each example counts: [ ] makes a list.")
def margin_loss(scores, targets):
    losses = {log(1 + exp(-target * score)) for score, target in zip(scores, targets)}
    return sum(losses) / len(losses)


@wrong("margin_loss", "difference", "The exponent holds target minus score. The margin is target times score.")
def margin_loss(scores, targets):
    losses = [log(1 + exp(-(target - score))) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)


@wrong(
    "margin_loss",
    "a_value_without_parents",
    "The loss is right, and no score gets a gradient: a Value that is made of a number has no parents. Compute with the Values "
    "themselves, by this notebook's `log` and `exp`.",
)
def margin_loss(scores, targets):
    numbers = [score.data if isinstance(score, Value) else score for score in scores]
    loss = sum(math.log(1 + math.exp(-target * score)) for score, target in zip(numbers, targets)) / len(targets)
    return Value(loss) if isinstance(scores[0], Value) else loss


@wrong("margin_loss", "always_by_two", "With one example this is half of its loss: divide by how many examples there are, and not by 2.")
def margin_loss(scores, targets):
    return sum(log(1 + exp(-target * score)) for score, target in zip(scores, targets)) / 2


@wrong(
    "margin_loss",
    "empties_its_lists",
    "The caller's own lists are changed afterwards, as `pop` empties them: walk along them with `zip`, and leave them.",
)
def margin_loss(scores, targets):
    losses = []
    while scores:
        losses.append(log(1 + exp(-targets.pop() * scores.pop())))
    return sum(losses) / len(losses)


@wrong(
    "margin_loss",
    "last_loss_by_count",
    "Only the last example counts: each loss takes the place of the one before it, instead of being added to it.",
)
def margin_loss(scores, targets):
    for score, target in zip(scores, targets):
        loss = log(1 + exp(-target * score))
    return loss / len(scores)


@wrong(
    "margin_loss",
    "wrong_signs_only",
    "An example with the right sign costs nothing here. Each has its loss, small where the margin is large, and counts in the mean.",
)
def margin_loss(scores, targets):
    losses = [
        log(1 + exp(-target * score)) if target * (score.data if isinstance(score, Value) else score) <= 0 else 0 * score
        for score, target in zip(scores, targets)
    ]
    return sum(losses) / len(losses)


@wrong(
    "margin_loss",
    "log_of_1_alone",
    "This is exp of the margin with a minus: the logarithm is taken of 1 alone, which is 0. It is taken of the whole sum.",
)
def margin_loss(scores, targets):
    losses = [log(1.0) + exp(-target * score) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses)


@right("margin_loss", "growing_total")
def margin_loss(scores, targets):
    total = 0.0
    for i in range(len(scores)):
        margin = scores[i] * targets[i]
        total = total + log(exp(margin * -1) + 1.0)
    return total * (1 / len(scores))


@right("margin_loss", "through_the_sigmoid")
def margin_loss(scores, targets):
    from autograd_ref.scalar import sigmoid

    return sum(-log(sigmoid(target * score)) for score, target in zip(scores, targets)) / len(targets)


@wrong("margin_loss", "generator_used_up", "A generator, a zip or a map can be walked along once, and the sum has used it up: nothing is left to be counted. Make a list first.")
def margin_loss(scores, targets):
    losses = (log(1 + exp(-target * score)) for score, target in zip(scores, targets))
    return sum(losses) / len(list(losses))


# -- SGD --------------------------------------------------------------------------------------------------------------


UPDATES = """
class SGD(SGD):
    def step(self):
        for parameter in self.parameters:
            parameter.data -= self.rate * parameter.grad
"""
MOVE = "parameter.data -= self.rate * parameter.grad"


def updates(name, sentence, *changes):
    """A wrong SGD: with some lines of its `step` replaced."""
    wrong("SGD", name, sentence, source=changed(UPDATES, *changes))


wrong(
    "SGD",
    "zero_rebinds",
    NOTHING_ZEROED,
    source="""
class SGD(SGD):
    def zero_grad(self):
        for parameter in self.parameters:
            parameter = 0.0
""",
)

wrong(
    "SGD",
    "zeroes_data_too",
    "The data is 0 as well: that wipes out what the network has learned. Only grad begins anew.",
    source="""
class SGD(SGD):
    def zero_grad(self):
        for parameter in self.parameters:
            parameter.data = parameter.grad = 0.0
""",
)

wrong(
    "SGD",
    "zeroes_data_instead",
    "zero_grad sets data to 0, which is the weight itself. The gradient is in grad.",
    source="""
class SGD(SGD):
    def zero_grad(self):
        for parameter in self.parameters:
            parameter.data = 0.0
""",
)

wrong(
    "SGD",
    "grad_is_none",
    "grad is None now, and `backward` cannot add to that. It has to be the number 0.0.",
    source="""
class SGD(SGD):
    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None
""",
)

wrong(
    "SGD",
    "zeroes_the_first_only",
    "Only the first parameter's grad was set to zero, as when `return` or `break` ends the loop in its first round. Each has its turn.",
    source="""
class SGD(SGD):
    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = 0.0
            return
""",
)

wrong(
    "SGD",
    "zero_makes_new_values",
    NOTHING_ZEROED,
    source="""
class SGD(SGD):
    def zero_grad(self):
        self.parameters = [Value(parameter.data) for parameter in self.parameters]
""",
)

updates(
    "uphill",
    "The sign is wrong: the gradient points to where the loss grows, and you followed it.",
    (MOVE, "parameter.data += self.rate * parameter.grad"),
)
updates("step_rebinds", NOTHING_MOVED, (MOVE, "parameter = parameter - self.rate * parameter.grad"))

wrong(
    "SGD",
    "new_values_in_the_list",
    NOTHING_MOVED,
    source="""
class SGD(SGD):
    def step(self):
        for i, parameter in enumerate(self.parameters):
            self.parameters[i] = Value(parameter.data - self.rate * parameter.grad)
""",
)

updates(
    "value_in_data",
    "There is a Value inside `data`. The right side has to be a number: use `parameter.data` there, too.",
    (MOVE, "parameter.data = parameter - self.rate * parameter.grad"),
)
updates("no_rate", "The rate plays no part: it says how far a step goes.", (MOVE, "parameter.data -= parameter.grad"))
updates(
    "no_gradient",
    "Every parameter goes down by the rate. How far it goes depends on its grad.",
    (MOVE, "parameter.data -= self.rate"),
)
updates(
    "replaces",
    "The step replaced the number. It has to be subtracted from it.",
    (MOVE, "parameter.data = -self.rate * parameter.grad"),
)
updates(
    "moves_the_first_only",
    "Only the first parameter moved, as when `return` or `break` ends the loop in its first round. Each has its turn.",
    (MOVE, f"{MOVE}\n            return"),
)
updates(
    "changes_grad",
    "The step went into grad, and data stays. It is data that the network computes with.",
    (MOVE, "parameter.grad -= self.rate * parameter.data"),
)
updates(
    "zeroed_first",
    "Nothing has moved, and the grads are 0: were they set to zero before they were used? `step` uses them, and leaves them as they are.",
    ("        for", "        self.zero_grad()\n        for"),
)
updates(
    "zeroed_too",
    "The step is right, and then the grads were set to zero. That is the task of zero_grad: whoever looks at the grads after a step would find nothing.",
    (MOVE, f"{MOVE}\n            parameter.grad = 0.0"),
)
updates(
    "mean_over_parameters",
    "Each step is divided by how many parameters there are. The mean is in the loss already: `rate` times `grad` is all.",
    (MOVE, f"{MOVE} / len(self.parameters)"),
)
updates(
    "backward_in_step",
    "Each grad is 1 too large, as when `step` calls `backward` of a parameter: that adds its slope by itself. The gradients "
    "are there already.",
    (MOVE, f"parameter.backward()\n            {MOVE}"),
)
updates(
    "rate_shrinks",
    "The second step goes less far than the first with the same grad: the rate has changed. It stays as it was given.",
    (MOVE, f"{MOVE}\n        self.rate *= 0.9"),
)

updates(
    "share_of_the_data",
    "The step grows with the data: it takes a share of it. Subtract `rate` times `grad`, whatever the data is.",
    (MOVE, "parameter.data *= 1 - self.rate * parameter.grad"),
)
updates(
    "sign_alone",
    "Each parameter moves by the rate, up or down: of the gradient only the sign is used. A steeper slope makes a longer step.",
    (MOVE, "parameter.data -= self.rate * ((parameter.grad > 0) - (parameter.grad < 0))"),
)

right(
    "SGD",
    "written_out",
    source="""
class SGD:
    def __init__(self, parameters, rate):
        self.parameters = parameters
        self.rate = rate

    def zero_grad(self):
        for p in self.parameters:
            p.zero_grad()

    def step(self):
        for p in self.parameters:
            change = -p.grad * self.rate
            p.data = p.data + change
""",
)


wrong(
    "SGD",
    "in_the_class",
    "The parameters belong to the class, so a second optimizer takes them from the first. Keep them in self.",
    source="""
    class SGD(SGD):
        def __init__(self, parameters, rate):
            SGD.parameters, SGD.rate = parameters, rate
    """,
)
wrong(
    "SGD",
    "times_zero",
    "A grad of infinity or NaN, times 0 or less itself, is NaN and not 0. Set it to 0.0.",
    source="""
    class SGD(SGD):
        def zero_grad(self):
            for p in self.parameters:
                p.grad *= 0.0
    """,
)
wrong(
    "SGD",
    "clipped",
    "A grad moves its parameter less than it says, where it is large. No limit is asked for.",
    source="""
    class SGD(SGD):
        def step(self):
            for p in self.parameters:
                p.data -= self.rate * max(-100.0, min(100.0, p.grad))
    """,
)


right(
    "SGD",
    "with_positions",
    source="""
class SGD(SGD):
    def zero_grad(self):
        for i in range(len(self.parameters)):
            self.parameters[i].grad = 0.0

    def step(self):
        moved = [p.data - p.grad * self.rate for p in self.parameters]
        for p, number in zip(self.parameters, moved):
            p.data = number
""",
)


wrong(
    "SGD",
    "rounded",
    "The data has lost its last digits here, as by `round`: a small grad moves it by a little. Keep it as it comes out.",
    source=changed(UPDATES, ("parameter.data -= self.rate * parameter.grad", "parameter.data = round(parameter.data - self.rate * parameter.grad, 9)")),
)


# -- training_step ----------------------------------------------------------------------------------------------------


ONE_STEP = """
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    loss.backward()
    optimizer.step()
    return loss.data
"""
ZEROING, BACKWARD, UPDATE = "    optimizer.zero_grad()\n", "    loss.backward()\n", "    optimizer.step()\n"


def one_step(name, sentence, *changes):
    """A wrong training_step: with some of its lines replaced."""
    wrong("training_step", name, sentence, source=changed(ONE_STEP, *changes))


one_step(
    "only_above_zero",
    "Where the loss is 0 or below, nothing is done: a loss may be of any size, and its slope is what counts.",
    (BACKWARD + UPDATE, "    if loss.data > 0:\n        loss.backward()\n        optimizer.step()\n"),
)
one_step(
    "no_zeroing",
    "Nobody sets the gradients to zero, so each step is pushed by those of all steps before it.",
    (ZEROING, ""),
)
one_step(
    "zeroed_before_step",
    "The gradients are set to zero after backward has found them: the step then has nothing to go by.",
    (ZEROING, ""), (UPDATE, ZEROING + UPDATE),
)
one_step(
    "zeroed_at_the_end",
    "Zeroing at the end helps the next step. What was in the grads before the first one is still added to it.",
    (ZEROING, ""), (UPDATE, UPDATE + ZEROING),
)
one_step("no_backward", "The loss is computed, but nobody goes back through its graph for gradients.", (BACKWARD, ""))
one_step("no_step", "There are gradients, and nothing is done with them: the update is missing.", (UPDATE, ""))
one_step(
    "step_before_backward",
    "The update comes before the gradients of this loss are there.",
    (UPDATE, ""), (BACKWARD, UPDATE + BACKWARD),
)
one_step(
    "returns_the_value",
    "You returned the loss as a Value, which keeps the whole graph of this step in memory. Return its number.",
    ("return loss.data", "return loss"),
)
one_step(
    "computed_twice",
    "compute_loss is called again after the update, and gives another loss. Keep the one that you went back from, and return its data.",
    ("    loss = compute_loss()\n", ""), ("loss.", "compute_loss()."),
)
one_step(
    "no_return",
    "Everything is there but the result: return the loss, as a number.",
    ("    return loss.data\n", ""),
)


NOT_ITS_OWN = (
    "Where Python says \"has no attribute\", a thing is asked for what another one has. `backward` belongs to the loss, a Value: "
    "`compute_loss()` gives it, with its parentheses and before `.data`. `optimizer` has `zero_grad` and `step`."
)
one_step("not_called", NOT_ITS_OWN, ("compute_loss()", "compute_loss"))
one_step("backward_of_the_optimizer", NOT_ITS_OWN, ("loss.backward()", "optimizer.backward()"))
one_step(
    "number_too_early",
    NOT_ITS_OWN,
    ("compute_loss()", "compute_loss().data"), ("return loss.data", "return loss"),
)
one_step(
    "a_step_of_its_own",
    NOT_ITS_OWN,
    ("optimizer.step()", "for parameter in optimizer.parameters:\n        parameter.data -= optimizer.rate * parameter.grad"),
)
one_step(
    "rounded",
    "The loss is rounded. Return it as it is: whoever prints it can round it.",
    ("return loss.data", "return round(loss.data, 1)"),
)


one_step(
    "zeroes_by_itself",
    NOT_ITS_OWN,
    (ZEROING, "    for parameter in optimizer.parameters:\n        parameter.grad = 0.0\n"),
)
one_step(
    "returns_the_grad",
    "This is `grad` of the loss: 1, where the way back begins. Return the loss itself, its `data`.",
    ("return loss.data", "return loss.grad"),
)


@right("training_step", "zeroed_later")
def training_step(optimizer, compute_loss):
    loss = compute_loss()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.data


@right("training_step", "number_first")
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    number = loss.data
    loss.backward()
    optimizer.step()
    return number


wrong(
    "training_step",
    "zeroed_once",
    "Gradients are set to zero in the first step of an optimizer only, and add up from then on. Each step needs its own.",
    source="""
    seen_optimizers = []


    def training_step(optimizer, compute_loss):
        if not any(optimizer is other for other in seen_optimizers):
            seen_optimizers.append(optimizer)
            optimizer.zero_grad()
        loss = compute_loss()
        loss.backward()
        optimizer.step()
        return loss.data
    """,
)


@wrong("training_step", "small_loss_rounded", "A small loss has lost its digits here, as by `round`. Return the loss's data as it is.")
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    loss.backward()
    optimizer.step()
    return round(loss.data, 9)


# -- mini_batches -----------------------------------------------------------------------------------------------------


BATCHES = """
def mini_batches(inputs, targets, order, size):
    batches = []
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))
    return batches
"""
SLICE = "order[start : start + size]"


def batches(name, sentence, *changes):
    """A wrong mini_batches: with some of its lines replaced."""
    wrong("mini_batches", name, sentence, source=changed(BATCHES, *changes))


@wrong(
    "mini_batches",
    "order_ignored",
    "The examples come in their old order. `order` says whose turn it is.",
)
def mini_batches(inputs, targets, order, size):
    return [(inputs[i : i + size], targets[i : i + size]) for i in range(0, len(order), size)]


@wrong(
    "mini_batches",
    "targets_stay",
    "The inputs are in the new order and the targets in the old one: they no longer belong together.",
)
def mini_batches(inputs, targets, order, size):
    shuffled = [inputs[i] for i in order]
    return [(shuffled[i : i + size], targets[i : i + size]) for i in range(0, len(order), size)]


@wrong(
    "mini_batches",
    "one_pair_of_lists",
    "All batches are empty, as where they are the same two lists, emptied after they were put in: begin new lists for each batch. Or is your slice of `order` empty?",
)
def mini_batches(inputs, targets, order, size):
    batches, some, wanted = [], [], []
    for i in order:
        some.append(inputs[i])
        wanted.append(targets[i])
        if len(some) == size:
            batches.append((some, wanted))
            some.clear()
            wanted.clear()
    if some:
        batches.append((some, wanted))
    return batches


batches(
    "rest_dropped",
    "The last, smaller batch is missing, so some examples are never used.",
    ("start in range(0, len(order), size)", "k in range(len(order) // size)"), (SLICE, "order[k * size : (k + 1) * size]"),
)


@wrong(
    "mini_batches",
    "pairs",
    "Each batch is a list of pairs here. Asked for is a pair of lists: the inputs, then the targets.",
)
def mini_batches(inputs, targets, order, size):
    batches = []
    for start in range(0, len(order), size):
        batches.append([(inputs[i], targets[i]) for i in order[start : start + size]])
    return batches


batches(
    "overlapping",
    "The batches overlap: the next one begins `size` places further on, not one.",
    ("range(0, len(order), size)", "range(len(order))"),
)
batches(
    "size_as_count",
    "You made `size` batches. `size` is how many examples there are in one batch.",
    ("    batches = []", "    length = -(-len(order) // size)\n    batches = []"),
    ("len(order), size)", "len(order), length)"), ("start + size", "start + length"),
)


@wrong(
    "mini_batches", "positions", "These are the positions. Use them to look up the inputs and the targets."
)
def mini_batches(inputs, targets, order, size):
    return [(order[i : i + size], order[i : i + size]) for i in range(0, len(order), size)]


@wrong(
    "mini_batches",
    "shuffles_in_place",
    "The caller's own lists were changed. The next epoch needs them as they were.",
)
def mini_batches(inputs, targets, order, size):
    inputs[:], targets[:] = (
        [inputs[i] for i in order] + [x for i, x in enumerate(inputs) if i not in order],
        [targets[i] for i in order] + [t for i, t in enumerate(targets) if i not in order],
    )
    ends = [(start, min(start + size, len(order))) for start in range(0, len(order), size)]
    return [(inputs[a:b], targets[a:b]) for a, b in ends]


batches(
    "sorted_back",
    "Each batch holds the right examples, but not in the order that was asked for.",
    (SLICE, f"sorted({SLICE})"),
)
batches(
    "as_many_as_inputs",
    "There is a batch behind the end of `order`, and it is empty: go to the end of `order`, and not further.",
    ("len(order)", "len(inputs)"),
)


@wrong(
    "mini_batches",
    "all_inputs_first",
    "These are the pieces of all inputs, and then those of all targets. A batch holds both: its inputs, its targets.",
)
def mini_batches(inputs, targets, order, size):
    pieces = [order[start : start + size] for start in range(0, len(order), size)]
    return [[inputs[i] for i in piece] for piece in pieces], [[targets[i] for i in piece] for piece in pieces]


@wrong(
    "mini_batches",
    "not_cut",
    "These are all inputs and all targets, in the new order but in one piece. Cut them into batches of `size`.",
)
def mini_batches(inputs, targets, order, size):
    return [inputs[i] for i in order], [targets[i] for i in order]


@wrong(
    "mini_batches",
    "target_by_value",
    "You look the target up by the input's value. Two equal inputs may have different targets: use the position for both.",
)
def mini_batches(inputs, targets, order, size):
    batches = []
    for start in range(0, len(order), size):
        some = [inputs[i] for i in order[start : start + size]]
        batches.append((some, [targets[inputs.index(x)] for x in some]))
    return batches


batches(
    "length_by_division",
    "The pieces have another length than `size`, as when `len(order) // size` is taken for it: that is a number of batches.",
    ("batches = []", "length, batches = len(order) // size, []"),
    ("len(order), size)", "len(order), length)"), ("start + size", "start + length"),
)


@wrong(
    "mini_batches",
    "positions_for_inputs",
    "Where the inputs should be, there are their positions. Look them up, as the targets: `inputs[i]`.",
)
def mini_batches(inputs, targets, order, size):
    pieces = [order[start : start + size] for start in range(0, len(order), size)]
    return [(piece, [targets[i] for i in piece]) for piece in pieces]


@wrong(
    "mini_batches",
    "order_turned_round",
    "`order` is read the wrong way round. Its first number says which example comes first, not where the first one goes.",
)
def mini_batches(inputs, targets, order, size):
    x, t = [None] * len(order), [None] * len(order)
    for k, i in enumerate(order):
        x[i % len(order)], t[i % len(order)] = inputs[k], targets[k]
    return [(x[start : start + size], t[start : start + size]) for start in range(0, len(order), size)]


@right("mini_batches", "generator")
def mini_batches(inputs, targets, order, size):
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        yield [inputs[i] for i in chosen], [targets[i] for i in chosen]


@right("mini_batches", "shuffled_first")
def mini_batches(inputs, targets, order, size):
    x, t = [inputs[i] for i in order], [targets[i] for i in order]
    batches = []
    while x:
        batches.append((x[:size], t[:size]))
        x, t = x[size:], t[size:]
    return batches


batches(
    "slice_ends_at_size",
    "From the second batch on, the slice of `order` is empty: it ends at place `size`. It has to end `size` places behind its own start.",
    (SLICE, "order[start:size]"),
)
batches(
    "only_the_first_batch",
    "There is one batch only, as when `return` stands inside the loop and ends it in its first round.",
    ("    return batches", "        return batches"),
)
batches(
    "size_batches_by_division",
    "You made `size` batches. `size` is how many examples there are in one batch.",
    ("batches = []", "length, batches = len(order) // size, []"),
    ("start in range(0, len(order), size)", "k in range(size)"), (SLICE, "order[k * length : (k + 1) * length]"),
)
batches(
    "one_pair_filled_again",
    "All batches are the same two lists, so they hold the same: what was put in last, or nothing once they are emptied. Begin new lists for each batch.",
    ("batches = []", "batches, some, wanted = [], [], []"),
    (
        "batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))",
        "some[:], wanted[:] = [inputs[i] for i in chosen], [targets[i] for i in chosen]\n        batches.append((some, wanted))",
    ),
)
batches(
    "small_rest_dropped",
    "A last piece that is much smaller than the others is dropped: its examples are never seen.",
    ("        batches.append", "        if len(chosen) >= size // 4:\n            batches.append"),
)
batches(
    "each_position_once",
    "A position that comes twice in `order` is used once, as in a set or a dict. Take `order` as it is.",
    ("    batches = []", "    order = list(dict.fromkeys(order))\n    batches = []"),
)
batches(
    "one_batch_at_least",
    "An empty order gives an empty batch here, and a mean over that divides by 0. No positions make no batches.",
    ("start in range(0, len(order), size)", "k in range(max(1, math.ceil(len(order) / size)))"),
    (SLICE, "order[k * size : (k + 1) * size]"),
)


@wrong("mini_batches", "generators_in_the_pairs", "A batch holds what can be walked along once, as a generator or `map`, and training needs it again. Put two lists into each pair.")
def mini_batches(inputs, targets, order, size):
    pieces = [order[start : start + size] for start in range(0, len(order), size)]
    return [(map(inputs.__getitem__, piece), map(targets.__getitem__, piece)) for piece in pieces]


@wrong("mini_batches", "lists_cleared_after_the_yield", "All batches are empty, as where they are the same two lists, emptied after they were put in: begin new lists for each batch. Or is your slice of `order` empty?")
def mini_batches(inputs, targets, order, size):
    some, wanted = [], []
    for place, i in enumerate(order, 1):
        some.append(inputs[i])
        wanted.append(targets[i])
        if len(some) == size or place == len(order):
            yield some, wanted
            some.clear()
            wanted.clear()


@wrong("mini_batches", "ends_where_the_last_position_comes", "A batch ends too early where the last position of `order` comes before the end, too. A position may come again: go by places in `order`, not by what stands there.")
def mini_batches(inputs, targets, order, size):
    batches, some, wanted = [], [], []
    for i in order:
        some.append(inputs[i])
        wanted.append(targets[i])
        if len(some) == size or i == order[-1]:
            batches.append((some, wanted))
            some, wanted = [], []
    return batches


# -- mended_training --------------------------------------------------------------------------------------------------


@wrong(
    "mended_training",
    "as_it_was",
    "The targets stand in their old order: what shuffles the inputs has to shuffle them, too. Whether the colleague's other two bugs are left, old gradients and losses of earlier batches, does not show yet.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    return colleague_training(score, optimizer, inputs, targets, orders, size)


TRAINING = """
def mended_training(score, optimizer, inputs, targets, orders, size):
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
"""
SHUFFLED = changed(
    TRAINING,
    ("for order in orders:\n", "for order in orders:\n        shuffled = [inputs[i] for i in order]\n"),
    ("chosen = order[start : start + size]", "some = shuffled[start : start + size]\n            wanted = targets[start : start + size]"),
    ("log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen", "log(1 + exp(-t * score(x))) for x, t in zip(some, wanted)"),
)
IN_ORDER = changed(
    TRAINING,
    ("chosen = order[start : start + size]", "some, wanted = inputs[start : start + size], targets[start : start + size]"),
    ("log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen", "log(1 + exp(-t * score(x))) for x, t in zip(some, wanted)"),
)
ZERO, STEP = "            optimizer.zero_grad()\n", "            optimizer.step()\n"


def training(name, sentence, *changes, source=TRAINING):
    """A wrong mended_training: with some of its lines replaced."""
    wrong("mended_training", name, sentence, source=changed(source, *changes))


training(
    "targets_still_apart",
    "The inputs are in the new order, and the targets still in the old one, or the other way round. Both have to follow the order.",
    source=SHUFFLED,
)
training(
    "zeroed_once_per_epoch",
    "Gradients are set to zero once per epoch. There are several steps in an epoch, and each needs its own.",
    (ZERO, ""), ("for order in orders:\n", "for order in orders:\n        optimizer.zero_grad()\n"),
)
training(
    "still_divided_twice",
    "The mean is divided by the number of examples once more before backward: each step is too short.",
    ("loss.backward()", "(loss / len(chosen)).backward()"),
)
training(
    "no_mean_left",
    "Both divisions are gone, so this is the sum of the losses. One of them was right.",
    ("losses = [log", "loss = sum([log"), ("for i in chosen]", "for i in chosen])"), ("            loss = sum(losses) / len(losses)\n", ""),
)
training(
    "zeroed_after_backward",
    "The step finds no gradient of this loss: `zero_grad` stands between `backward` and `step`, or no `backward` comes before the step.",
    (ZERO, ""), (STEP, ZERO + STEP),
)
training(
    "zeroed_after_step",
    "Old gradients are added to those of the first step: zero before `backward`. Zeroing after a step helps the next one alone.",
    (ZERO, ""), (STEP, STEP + ZERO),
)
training(
    "divided_by_size",
    "The last batch is smaller than `size`: divide by how many losses there are in it.",
    ("sum(losses) / len(losses)", "sum(losses) / size"),
)
training(
    "no_shuffling",
    "Inputs and targets stay together, but the second epoch has the order of the first, as when nothing is shuffled. Each epoch has an order of its own, for both.",
    ("for order in", "for _order in"), ("len(order)", "len(inputs)"), source=IN_ORDER,
)
training(
    "history_of_values",
    "The history holds Values, and with them the graph of every step. Append their numbers.",
    ("append(loss.data)", "append(loss)"),
)
training(
    "target_of_the_first_equal_input",
    "Of two equal inputs both get the target of the first: `index` finds no other. Take both from the same place.",
    ("targets[start : start + size]", "[targets[inputs.index(x)] for x in some]"), source=SHUFFLED,
)
training(
    "target_from_a_dict",
    "Of two equal inputs both get the target of the last, as in a dict, where each input is there once; or all targets count as -1. Take both from the same place.",
    ("history = []", "history, target_of = [], dict(zip(inputs, targets))"),
    ("chosen = order[start : start + size]", "some = [inputs[i] for i in order[start : start + size]]"),
    ("-targets[i] * score(inputs[i]))) for i in chosen", "-target_of[x] * score(x))) for x in some"),
)
training(
    "rearranged_again",
    "In the second epoch the examples come in another order than asked for: lists that are in a new order already were put into order once more. Each order counts from the lists as they were given.",
    ("for order in orders:\n", "for order in orders:\n        inputs, targets = [inputs[i] for i in order], [targets[i] for i in order]\n"),
    source=IN_ORDER,
)
training(
    "zeroed_once_for_all",
    "Gradients are set to zero once, before the first epoch, and add up from then on. Each step needs its own.",
    (ZERO, ""), ("    for order in orders:\n", "    optimizer.zero_grad()\n    for order in orders:\n"),
)
training(
    "history_of_sums",
    "Each step is right, and the history holds the sum of the losses. Note their mean, the number that `backward` begins at.",
    ("sum(losses) / len(losses)", "sum(losses)"), ("loss.backward()", "(loss / len(losses)).backward()"),
)
training(
    "history_divided_again",
    "Each step is right, and in the history the mean is divided by the number of examples once more.",
    ("append(loss.data)", "append(loss.data / len(chosen))"),
)
training(
    "means_by_epoch",
    "The history holds one number for each epoch, their mean. Asked for is the loss of every step.",
    ("    for order in orders:\n", "    for order in orders:\n        found = []\n"), ("history.append(loss.data)", "found.append(loss.data)"),
    ("    return history", "        history.append(sum(found) / len(found))\n    return history"),
)


training(
    "losses_of_earlier_batches",
    "The mean holds losses of earlier batches, too: the list goes on growing. Begin a new one for each batch.",
    ("for order in orders:\n", "for order in orders:\n        losses = []\n"), ("losses = [log", "losses += [log"),
)
training(
    "losses_of_all_epochs",
    "The mean holds losses of earlier batches, too: the list goes on growing. Begin a new one for each batch.",
    ("    history = []\n", "    history, losses = [], []\n"), ("losses = [log", "losses += [log"),
)
training(
    "last_loss_of_each_epoch",
    "The history has one number for each epoch: `append` stands behind the loop over the batches. Asked for is the loss of every step.",
    ("            history.append(loss.data)", "        history.append(loss.data)"),
)
training(
    "loss_computed_again",
    "The loss is computed again after the step, and is another one then. Note the one that `backward` began at.",
    (
        "history.append(loss.data)",
        "losses = [log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen]\n            history.append((sum(losses) / len(losses)).data)",
    ),
)


@right("mended_training", "sum_and_division")
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            loss = sum([log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen])
            optimizer.zero_grad()
            (loss / len(chosen)).backward()
            optimizer.step()
            history.append(loss.data / len(chosen))
    return history


@right("mended_training", "minimal")
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        shuffled = [inputs[i] for i in order]
        reordered = [targets[i] for i in order]
        for start in range(0, len(order), size):
            optimizer.zero_grad()
            some = shuffled[start : start + size]
            wanted = reordered[start : start + size]
            losses = [log(1 + exp(-t * score(x))) for x, t in zip(some, wanted)]
            loss = sum(losses) / len(losses)
            loss.backward()
            optimizer.step()
            history.append(loss.data)
    return history


@right("mended_training", "in_pairs")
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        pairs = [(inputs[i], targets[i]) for i in order]
        while pairs:
            now, pairs = pairs[:size], pairs[size:]
            optimizer.zero_grad()
            loss = sum(log(1 + exp(score(x) * -t)) for x, t in now) * (1 / len(now))
            loss.backward()
            history.append(loss.data)
            optimizer.step()
    return history


training(
    "stops_at_a_small_loss",
    "The training ends before each batch has had its step, as when a loss counts as small enough. Go through all orders to their ends.",
    ("append(loss.data)", "append(loss.data)\n            if loss.data < 0.2:\n                return history"),
)
training(
    "stops_at_a_tiny_loss",
    "Training ends here as soon as a loss is small. Each order is one epoch, and each step of it is asked for.",
    ("append(loss.data)", "append(loss.data)\n            if loss.data < 0.01:\n                return history"),
)


# -- island_network ---------------------------------------------------------------------------------------------------


ISLAND = """
def island_network(inputs, targets):
    rng = random.Random(0)
    hidden = [[Value(rng.uniform(-1, 1)) for _ in range(3)] for _ in range(6)]
    last = [Value(rng.uniform(-1, 1)) for _ in range(7)]

    def score(point):
        x, y = (point[0] - 140) / 10, (point[1] - 125) / 10
        outputs = [tanh(a * x + b * y + c) for a, b, c in hidden]
        return sum((v * h for v, h in zip(last, outputs)), last[-1])

    for _ in range(60):
        losses = [log(1 + exp(-t * score(x))) for x, t in zip(inputs, targets)]
        (sum(losses) / len(losses)).backward()
        for parameter in sum(hidden, last):
            parameter.data -= 3.0 * parameter.grad
            parameter.grad = 0.0
    return score
"""
NEAR = "        x, y = (point[0] - 140) / 10, (point[1] - 125) / 10\n"


def learned(name, sentence, *changes):
    """A wrong island_network: with some of its lines replaced."""
    wrong("island_network", name, sentence, source=changed(ISLAND, *changes))


learned(
    "forgets_its_data",
    "The lists that were given are empty afterwards: `pop` takes from the caller's own. Walk along them, and leave them.",
    ("    return score", "    while inputs:\n        inputs.pop()\n    return score"),
)


@wrong(
    "island_network",
    "a_single_neuron",
    "This is a single neuron, so it draws one line. An island needs a shore all around it: hidden neurons.",
)
def island_network(inputs, targets):
    w1, w2, b = Value(0.1), Value(-0.1), Value(0.0)
    for _ in range(60):
        losses = [log(1 + exp(-t * (w1 * (x[0] - 140) / 10 + w2 * (x[1] - 125) / 10 + b))) for x, t in zip(inputs, targets)]
        (sum(losses) / len(losses)).backward()
        for p in (w1, w2, b):
            p.data -= 1.0 * p.grad
            p.grad = 0.0
    return lambda x: w1 * (x[0] - 140) / 10 + w2 * (x[1] - 125) / 10 + b


learned(
    "no_tanh",
    "Without tanh, a sum of sums is one sum: this network draws one line, however many neurons it has.",
    ("tanh(", "("), ("3.0", "0.1"),
)
learned(
    "as_for_the_moons",
    "Every neuron says 1 or -1, wherever the point lies: these inputs are far from 0. Give it numbers near 0.",
    (NEAR, ""), ("score(point)", "score(x)"), ("a * x + b * y", "a * x[0] + b * x[1]"), ("range(60)", "range(40)"), ("3.0", "1.0"),
    ("Random(0)", "Random(5)"), ("range(6)", "range(8)"), ("range(7)", "range(9)"),
)
learned("not_trained", "These are the first weights: the network has not been trained.", ("range(60)", "range(0)"))
learned(
    "uphill",
    "The sign of the update is wrong: the loss grows with each step.",
    ("-= 3.0", "+= 0.1"), ("range(60)", "range(30)"),
)
learned(
    "hardly_any_steps",
    "Three steps are too few. Print the loss: does it still fall when training ends?",
    ("range(60)", "range(3)"), ("3.0", "0.5"),
)
learned(
    "rate_too_small",
    "The rate is so small that nothing has changed when training ends. Print the loss.",
    ("3.0", "0.001"), ("range(60)", "range(30)"),
)
learned(
    "targets_ignored",
    "The targets play no part in the loss: this network learns to say yes everywhere.",
    ("-t * score(x)", "-score(x)"),
)
learned(
    "targets_apart",
    "Inputs and targets stand in different orders, so there is nothing to learn.",
    ("zip(inputs, targets)", "zip(inputs, sorted(targets))"),
)
learned(
    "turned_around",
    "The network has learned it the wrong way round: with `t` in the place of `-t`, a large margin costs much.",
    ("exp(-t", "exp(t"),
)
learned(
    "a_data_set_of_its_own",
    "This trains on points of its own, and not on those that it was given: each island has another place.",
    ("    rng =", "    inputs, targets = island(random.Random(3), 80)\n    inputs = [[x + 12, y - 12] for x, y in inputs]\n    rng ="),
)


@wrong(
    "island_network",
    "knows_its_points_only",
    "It knows the points that it was given by heart, and says 0 to all others.",
)
def island_network(inputs, targets):
    known = {tuple(x): t for x, t in zip(inputs, targets)}
    return lambda x: float(known.get(tuple(x), 0))


@wrong(
    "island_network",
    "nearest_point",
    "The signs are right, and the scores take few values: they are looked up at known points, or signs alone. Train a network, and return its own score.",
)
def island_network(inputs, targets):
    def score(point):
        nearest = min(range(len(inputs)), key=lambda i: math.dist(point, inputs[i]))
        return float(targets[nearest])

    return score


@wrong(
    "island_network",
    "yes_or_no",
    "This says True or False. A score is a number: positive on the island, negative in the sea.",
)
def island_network(inputs, targets):
    known = {tuple(x) for x, t in zip(inputs, targets) if t == 1}
    return lambda x: tuple(x) in known


WITHOUT_A_NETWORK = (
    "The signs are right, and nothing was trained: the shore is worked out from the points by a rule of yours. Train a network "
    "of Values, by `backward` and steps, and return its score."
)


@wrong("island_network", "from_the_middle_of_the_land", WITHOUT_A_NETWORK)
def island_network(inputs, targets):
    land = [point for point, target in zip(inputs, targets) if target == 1]
    east, north = (sum(numbers) / len(land) for numbers in zip(*land))
    return lambda point: 8.0 - math.hypot(point[0] - east, point[1] - north)


@wrong("island_network", "nearest_point_with_its_distance", WITHOUT_A_NETWORK)
def island_network(inputs, targets):
    kept = [tuple(point) for point in inputs]

    def score(point):
        near = min(range(len(kept)), key=lambda i: math.dist(point, kept[i]))
        return targets[near] * (1.0 + math.dist(point, kept[near]))

    return score


learned(
    "middle_kept",
    "The points are divided, and still lie far from 0, beside how far apart they are: subtract their middle first.",
    ("(point[0] - 140) / 10, (point[1] - 125) / 10", "point[0] / 140, point[1] / 125"), ("3.0", "1.0"),
)
learned(
    "rate_of_a_hundredth",
    "The rate is so small that hardly anything has changed when training ends. Print the loss.",
    ("3.0", "0.01"), ("range(60)", "range(50)"),
)
learned(
    "unseen_points_as_they_come",
    "It learns from points near 0, and is then asked about points that nobody has moved and divided.",
    (NEAR, ""), ("a * x + b * y", "a * point[0] + b * point[1]"), ("zip(inputs, targets)", "zip(near, targets)"),
    ("    for _ in range(60)", "    near = [[(x - 140) / 10, (y - 125) / 10] for x, y in inputs]\n    for _ in range(30)"),
)
learned(
    "only_divided",
    "The points are divided, and still lie far from 0, beside how far apart they are: subtract their middle first.",
    ("(point[0] - 140) / 10, (point[1] - 125) / 10", "point[0] / 20, point[1] / 20"), ("3.0", "1.0"),
)


@wrong(
    "island_network",
    "a_new_network_in_each_round",
    "The loss does not fall: each round makes a new network, and the update goes to the parameters of the first one.",
)
def island_network(inputs, targets):
    def new():
        rng = random.Random(0)
        return [[Value(rng.uniform(-1, 1)) for _ in range(3)] for _ in range(6)], [Value(rng.uniform(-1, 1)) for _ in range(7)]

    def score(point):
        x, y = (point[0] - 140) / 10, (point[1] - 125) / 10
        outputs = [tanh(a * x + b * y + c) for a, b, c in hidden]
        return sum((v * h for v, h in zip(last, outputs)), last[-1])

    hidden, last = new()
    held = sum(hidden, last)
    for _ in range(20):
        hidden, last = new()
        losses = [log(1 + exp(-t * score(x))) for x, t in zip(inputs, targets)]
        (sum(losses) / len(losses)).backward()
        for parameter in held:
            parameter.data -= 3.0 * parameter.grad
            parameter.grad = 0.0
    return score


@wrong(
    "island_network",
    "too_many_steps",
    "The time for one island was over before the answer came: make fewer steps, and do not wait in a `while` for a small loss. 60 steps of a few neurons with a good rate are enough.",
    ends=False,
)
def island_network(inputs, targets):
    w, b = Value(0.1), Value(0.0)
    for _ in range(1_000_000):
        losses = [log(1 + exp(-t * (w * x[0] + b))) for x, t in zip(inputs, targets)]
        (sum(losses) / len(losses)).backward()
        for p in (w, b):
            p.data -= 0.01 * p.grad
            p.grad = 0.0
    return lambda x: w * x[0] + b


@wrong(
    "island_network",
    "always_yes",
    "It says yes to every point. Half of them lie in the sea.",
)
def island_network(inputs, targets):
    return lambda x: 1.0


learned(
    "taken_in_turns",
    "The targets are not read: sea and island are taken in turns, as in the example. Other points come in another order.",
    ("zip(inputs, targets)", "zip(inputs, [-1, 1] * (len(inputs) // 2))"),
)
learned(
    "the_scores",
    "This is a list. Return a function of a point, as a trained network is one: it is asked about other points.",
    ("return score\n", "return [score(x).data for x in inputs]\n"),
)
learned(
    "one_score_for_all",
    "The last weights alone decide: the hidden neurons do not see the point.",
    (NEAR, ""), ("score(point)", "score(x)"), ("a * x + b * y + c", "a + b + c"),
)


@right("island_network", "mini_batches_and_momentum")
def island_network(inputs, targets):
    rng = random.Random(7)
    rows = [[Value(rng.gauss(0, 1.5)) for _ in range(4)] for _ in range(8)]
    shift = Value(0.0)
    parameters = [p for row in rows for p in row] + [shift]
    speed = [0.0] * len(parameters)

    middle = [sum(numbers) / len(numbers) for numbers in zip(*inputs)]

    def near(point):
        return [(number - mean) / 12 for number, mean in zip(point, middle)]

    def network(point):
        total, (x, y) = shift, near(point)
        for a, b, c, v in rows:
            total = total + v * tanh(a * x + b * y + c)
        return total

    for _ in range(12):
        order = rng.sample(range(len(inputs)), len(inputs))
        for start in range(0, len(order), 20):
            chosen = order[start : start + 20]
            loss = sum(log(1 + exp(network(inputs[i]) * -targets[i])) for i in chosen) / len(chosen)
            loss.backward()
            for i, p in enumerate(parameters):
                speed[i] = 0.8 * speed[i] + p.grad
                p.data -= 0.6 * speed[i]
                p.grad = 0.0
    return lambda point: network(point).data


learned(
    "one_network_for_all",
    "When a second island is learned, the function of the first gives other scores: both use the same global names. Make a network in each call, and keep it inside the function.",
    ("hidden", "island_hidden"), ("last", "island_last"),
    ("    rng =", "    global island_hidden, island_last\n    rng ="),
)


learned(
    "writes_into_its_point",
    "The function writes into the point that it is asked about: at the next question the same point would be another one. Put the moved and divided numbers into new names.",
    (NEAR, ""),
    ("    def score(point):\n", "    def network(x, y):\n"),
    ("score(x)))", "network((x[0] - 140) / 10, (x[1] - 125) / 10)))"),
    (
        "    return score",
        "    def score(point):\n        point[0], point[1] = (point[0] - 140) / 10, (point[1] - 125) / 10\n"
        "        return network(*point)\n\n    return score",
    ),
)
