"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 17_from_an_empty_page`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. An answer to `Tensor` is a whole engine: a wrong one says which parts it has right, and
the right ones are designed in ways as different as learners' are. The names that they use (np) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from pathlib import Path

from autograder.referee.bank import changed, right, wrong

SOURCE = Path(__file__).with_name("from_an_empty_page.py").read_text(encoding="utf-8")
#: The model answer, in which the wrong ones change a line or two.
ENGINE = SOURCE.partition('# %% exercise="Tensor"')[2].partition("### BEGIN SOLUTION\n")[2].partition("### END SOLUTION")[0]


ALL = ["values", "graphs", "broadcasting", "shapes", "depth", "memory", "layers", "Adam", "training"]


def but(*lost):
    """All parts but these."""
    assert set(lost) <= set(ALL)
    return [part for part in ALL if part not in lost]


def engine(name, sentence, lost, *pairs, ends=True):
    """A wrong engine: the model answer with these changes, which loses these parts and keeps all others."""
    wrong("Tensor", name, sentence, source=changed(ENGINE, *pairs), keeps=but(*lost.split()), ends=ends)


# -- Tensor: the graph ------------------------------------------------------------------------------------------------

engine("replaced", "A second backward replaces what is in .grad of a leaf: add to it.", "graphs broadcasting shapes",
       ("node.grad = g if node.grad is None else node.grad + g", "node.grad = g"))
engine("last_way", "A Tensor that is used twice has the part of one way alone: add up what arrives, and let no way replace another.", "graphs broadcasting shapes depth layers",
       ("grads[x] = grads.get(x, 0) + fit", "grads[x] = fit"))
engine("stays_on_results", "Right once, too large the second time: what results got in one backward stays on them and is sent on again by the next. Begin each with nothing.", "graphs", (
    '''        grads = {self: np.ones_like(self.data)}
        for node in reversed(self.order()):
            g = grads.pop(node)
            if not node.ways:
                node.grad = g if node.grad is None else node.grad + g
            for x, rule in node.ways:
                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)
''', '''        self.sent = np.ones_like(self.data)
        for node in reversed(self.order()):
            if not node.ways:
                node.grad = node.sent if node.grad is None else node.grad + node.sent
                node.sent = 0.0
            for x, rule in node.ways:
                x.sent = getattr(x, "sent", 0.0) + fit(rule(node.sent), x.data.shape)
'''))
engine("stays_on_all", "Right once, too large the second time: results keep what they got in one backward, the one that you call it on as well, and the next adds to that. Begin each with nothing.", "graphs", (
    '''        grads = {self: np.ones_like(self.data)}
        for node in reversed(self.order()):
            g = grads.pop(node)
            if not node.ways:
                node.grad = g if node.grad is None else node.grad + g
            for x, rule in node.ways:
                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)
''', '''        self.sent = getattr(self, "sent", 0.0) + np.ones_like(self.data)
        for node in reversed(self.order()):
            if not node.ways:
                node.grad = node.sent if node.grad is None else node.grad + node.sent
                node.sent = 0.0
            for x, rule in node.ways:
                x.sent = getattr(x, "sent", 0.0) + fit(rule(node.sent), x.data.shape)
'''))
engine("breadth_first", "A node passes its gradient on before all of it has arrived: order the graph so that whoever uses it comes first. Or does a rule, such as that of a product, leave out what arrives?", "graphs broadcasting shapes depth",
       ("            if ready:\n                found.append(node)\n            elif node not in seen:\n                seen.add(node)\n                stack.append((node, True))\n",
        "            if node not in seen:\n                seen.add(node)\n                found.insert(0, node)\n"),
       ("grads.pop(node)", "grads.pop(node, 0)"))
#: How the model answer orders a graph.
ORDER = ENGINE[ENGINE.index("        found, seen, stack = [], set()") : ENGINE.index("    def backward(self):")]
engine("breadth_first_queue", "A node passes its gradient on before all of it has arrived: order the graph so that whoever uses it comes first. Or does a rule, such as that of a product, leave out what arrives?", "graphs broadcasting shapes depth", (ORDER, '''        found, seen = [self], {self}
        for node in found:
            for x, _ in node.ways:
                if x not in seen:
                    seen.add(x)
                    found.append(x)
        return found[::-1]

'''), ("grads.pop(node)", "grads.pop(node, 0)"))
engine("depth_first_before_users", "A node passes its gradient on before all of it has arrived: order the graph so that whoever uses it comes first. Or does a rule, such as that of a product, leave out what arrives?", "graphs broadcasting shapes", (ORDER, '''        found, seen, stack = [], set(), [self]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                found.append(node)
                stack += [x for x, _ in reversed(node.ways)]
        return found[::-1]

'''), ("grads.pop(node)", "grads.pop(node, 0)"))
engine("twice_in_the_order", "Here a Tensor that is used twice is taken up twice, and the second time its gradient is gone, sent on already: note which Tensors are in the order, and take each once.", "graphs broadcasting shapes depth layers",
       ("            elif node not in seen:\n", "            elif node in seen:\n                found.append(node)\n            else:\n"))
engine("sent_on_twice", "Here a Tensor that is used twice is taken up twice, and each time passes on, or keeps, all that it has: note which Tensors are in the order, and take each once.", "graphs broadcasting shapes depth layers",
       ("            elif node not in seen:\n", "            elif node in seen:\n                found.append(node)\n            else:\n"), ("grads.pop(node)", "grads[node]"))
engine("starts_with_its_value", "backward begins with 1, the slope of a result by itself; here it begins with the result's value.", "graphs broadcasting shapes depth layers training",
       ("grads = {self: np.ones_like(self.data)}", "grads = {self: self.data}"))
engine("recursive", "The graph is walked by a function that calls itself, once for each operation of a chain: use a stack of your own.", "depth", (
    '''        found, seen, stack = [], set(), [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                found.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(x, False) for x, _ in node.ways]
        return found
''', '''        found, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for x, _ in node.ways:
                    visit(x)
                found.append(node)

        visit(self)
        return found
'''))
engine("raises_the_limit", "The graph is walked by a function that calls itself, once for each operation of a chain: use a stack of your own.", "depth", (ORDER, '''        import sys

        sys.setrecursionlimit(100_000)
        found, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for x, _ in node.ways:
                    visit(x)
                found.append(node)

        visit(self)
        return found

'''))
engine("way_by_way", "Each way through the graph is walked by itself, and in a graph where results are used twice their number doubles with each: take each node once, when all of its gradient has arrived.", "depth", (
    '''        grads = {self: np.ones_like(self.data)}
        for node in reversed(self.order()):
            g = grads.pop(node)
            if not node.ways:
                node.grad = g if node.grad is None else node.grad + g
            for x, rule in node.ways:
                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)
''', '''        waiting = [(self, np.ones_like(self.data))]
        while waiting:
            node, g = waiting.pop()
            if not node.ways:
                node.grad = g if node.grad is None else node.grad + g
            waiting += [(x, fit(rule(g), x.data.shape)) for x, rule in node.ways]
'''))
engine("gradient_for_all", "A Tensor without requires_grad got a gradient: record, and pass on to, only operands that want one.", "graphs broadcasting shapes memory",
       ("isinstance(x, Tensor) and x.requires_grad]", "isinstance(x, Tensor)]"))
engine("only_if_all", "A result wants a gradient when any of its operands does: here none comes back through a product with a number.", "graphs broadcasting shapes depth layers training",
       ("    out.requires_grad = bool(out.ways)\n", "    if len(out.ways) < len(ways):\n        out.ways = []\n    out.requires_grad = bool(out.ways)\n"))
engine("list_of_all", "Something that stays, such as a list of all Tensors, holds what was made, so nothing is freed: let a result alone hold what it was made from.", "memory",
       ("def made(", "NODES = []\n\n\ndef made("), ("    out = Tensor(data)\n", "    out = Tensor(data)\n    NODES.append(out)\n"))
engine("knows_its_users", "Something that stays holds what was made from x: a leaf that knows its users, or a list of operations. Let results hold their operands, not the other way round.", "memory",
       ("    out.requires_grad = bool(out.ways)\n", "    out.requires_grad = bool(out.ways)\n    for x, _ in out.ways:\n        x.users = [*getattr(x, \"users\", []), out]\n"))
engine("remembers_constants", "What is made of a Tensor without requires_grad remembers what it was made from, and all of its arrays stay in memory: it wants no gradient, and neither does that Tensor.", "memory",
       ("    out.requires_grad = bool(out.ways)\n", "    out.requires_grad, out.operands = bool(out.ways), ways\n"))

engine("leaves_share", "Two leaves hold one array as their `.grad`, and the next backward adds to it in place: write a = a + b, which makes a new array.", "graphs", (
    "                node.grad = g if node.grad is None else node.grad + g\n", """                if node.grad is None:
                    node.grad = g
                else:
                    node.grad += g
"""), ("                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)\n", """                part = fit(rule(g), x.data.shape)
                grads[x] = grads[x] + part if x in grads else part
"""))
engine("one_new_axis", "An array that was repeated along two new axes, as a row in (2, 4, 3), has a gradient that was summed over one of them: sum over all that are in front.", "broadcasting",
       ("    g = g.sum(axis=tuple(range(g.ndim - len(shape))))\n", "    if shape == ():\n        return g.sum()\n    g = g.sum(axis=0) if g.ndim > len(shape) else g\n"))
engine("written_into", "A gradient is added up with `+=` in an array that another Tensor's gradient is, too, as after a sum: both change. Write a = a + b, which makes a new array.", "graphs broadcasting", (
    "                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)\n", """                part = fit(rule(g), x.data.shape)
                if x in grads:
                    grads[x] += part
                else:
                    grads[x] = part
"""))
engine("sum_is_a_view", "`np.broadcast_to` gives a view that cannot be written into, and the next backward adds to it in place: write a = a + b, which makes a new array.", "shapes", (
    "                node.grad = g if node.grad is None else node.grad + g\n", """                if node.grad is None:
                    node.grad = np.array(g) if g.flags.writeable else g
                else:
                    node.grad += g
"""), ("                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)\n", """                part = np.asarray(fit(rule(g), x.data.shape))
                grads[x] = grads[x] + part if x in grads else part
"""), ("(self, lambda g: g.reshape(shape) * ones))", "(self, lambda g: np.broadcast_to(g.reshape(shape), ones.shape)))"))

# -- Tensor: operations -----------------------------------------------------------------------------------------------

engine("not_summed", "A gradient has the shape of the result, and not of the leaf: sum over the axes along which the leaf was repeated.", "broadcasting shapes layers training",
       ("+ fit(rule(g), x.data.shape)", "+ rule(g)"))
engine("rank_only", "Axes that were put in front are summed, and axes of length 1 that were stretched are not.", "broadcasting shapes",
       ("    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)\n", "    return g\n"))
engine("ones_dropped", "Summing over a stretched axis has to keep it, with length 1: keepdims=True.", "broadcasting shapes layers",
       ("if n == 1), keepdims=True)", "if n == 1))"))
engine("mean_of_repeats", "What was repeated gets the sum of what arrives, not its mean.", "broadcasting shapes layers training",
       ("    g = g.sum(axis=tuple(range(g.ndim - len(shape))))\n", "    g = g.sum(axis=tuple(range(g.ndim - len(shape)))) * np.prod(shape) / g.size\n"))
engine("own_factor", "d(ab)/da is b, and here each factor gets itself.", "graphs broadcasting shapes depth layers training",
       ("(self, lambda g: g * b), (other, lambda g: g * a))", "(self, lambda g: g * a), (other, lambda g: g * b))"))
engine("reversed_minus", "2 - x is computed as x - 2: with a number on the left the order changes.", "values graphs broadcasting",
       ("        return -self + other\n", "        return self - other\n"))
engine("reversed_quotient", "A number over x is computed as x over the number, as x / 3 for 3 / x: with a number on the left the order changes.", "values graphs broadcasting",
       ("        return self**-1 * other\n", "        return self * (1 / other)\n"), ("        return self * (1 / other)\n\n    def __rsub__", "        return self * (other**-1 if isinstance(other, Tensor) else 1 / other)\n\n    def __rsub__"))
engine("number_on_the_left", "A number on the left of * is not understood: write __rmul__.", "values broadcasting shapes",
       ("    __radd__, __rmul__ = __add__, __mul__\n", "    __radd__ = __add__\n"))
engine("minus_lost", "a - b falls when b rises: the gradient of b is -g.", "graphs broadcasting shapes",
       ("        return self + -other\n", "        return made(self.data - raw(other), (self, lambda g: g), (other, lambda g: g))\n"))
engine("quotient_sign", "a / b falls when b rises: the gradient of b is -g a / b squared.", "graphs broadcasting shapes",
       ("        return self * (1 / other)\n\n    def __rsub__", "        a, b = self.data, raw(other)\n        return made(a / b, (self, lambda g: g / b), (other, lambda g: g * a / b**2))\n\n    def __rsub__"))
engine("power_kept", "The slope of x ** n is n x ** (n - 1): one power less.", "graphs broadcasting shapes",
       ("g * n * self.data ** (n - 1 if n else 0)", "g * n * self.data**n"))
engine("power_zero", "x ** 0 is 1 everywhere, so its slope is 0, at 0 too: 0 * 0 ** -1 is not a number.", "graphs",
       ("self.data ** (n - 1 if n else 0)", "self.data ** (n - 1)"))
engine("power_by_division", "n x ** n / x is the slope of a power but for x = 0, where it is 0 / 0: lower the power.", "graphs",
       ("g * n * self.data ** (n - 1 if n else 0)", "g * n * self.data**n / self.data"))
engine("relu_in_place", "relu writes into the array of its operand, so whoever uses that again sees other numbers: make a new array.", "values",
       ("np.maximum(self.data, 0), (self, lambda g: g * (self.data > 0)", "np.maximum(self.data, 0, out=self.data), (self, lambda g: g * (self.data > 0)"))
engine("exp_of_the_input", "exp is its own slope: multiply by the result, and not by the input.", "graphs broadcasting shapes training",
       ("        return made(out, (self, lambda g: g * out))", "        return made(out, (self, lambda g: g * self.data))"))
engine("log_times", "The slope of log x is 1 / x: divide by the input.", "graphs broadcasting training",
       ("lambda g: g / self.data", "lambda g: g * self.data"))
engine("tanh_not_squared", "The slope of tanh is 1 minus its square.", "graphs broadcasting shapes layers training",
       ("1 - out**2", "1 - out"))
engine("tanh_of_the_difference", "The slope of tanh is 1 - y², y being its result: the square belongs to y alone, and not to 1 - y.", "graphs broadcasting shapes layers training",
       ("1 - out**2", "(1 - out) ** 2"))
engine("relu_lets_all_through", "Where relu gives 0, its slope is 0.", "graphs broadcasting",
       ("g * (self.data > 0)", "g"))
engine("relu_by_size", "relu's slope is 1 where the input is positive, and not the input.", "graphs broadcasting",
       ("g * (self.data > 0)", "g * np.maximum(self.data, 0)"))
engine("relu_passes_at_zero", "At 0 the slope of relu is 0, as agreed: `>` and not `>=`.", "graphs",
       ("g * (self.data > 0)", "g * (self.data >= 0)"))
engine("sum_axis_lost", "The gradient of a sum over an axis has one axis less: put it back, with length 1, before it is repeated.", "shapes",
       ("lambda g: g.reshape(shape) * ones", "lambda g: g * ones"))
engine("sum_negative_axis", "An axis may be negative, -1 being the last one: here the backward of such a sum does not know which axis was summed.", "shapes",
       ("        shape = self.data.sum(axis=axis, keepdims=True).shape\n", "        axes = range(self.data.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)\n        shape = tuple(1 if i in axes else n for i, n in enumerate(self.data.shape))\n"))
engine("sum_gives_ones", "What arrives at a sum is forgotten: its rule repeats that along the axes, and here all of the operand gets ones.", "shapes training",
       ("lambda g: g.reshape(shape) * ones", "lambda g: ones"))
engine("keepdims_ignored", "sum(keepdims=True) keeps the axes that it summed over, with length 1.", "values shapes",
       ("self.data.sum(axis=axis, keepdims=keepdims)", "self.data.sum(axis=axis)"))
engine("mean_without_keepdims", "mean(keepdims=True) keeps the axes with length 1, as sum does: here it gives what mean gives without that.", "values shapes",
       ("        total = self.sum(axis, keepdims)\n", "        total = self.sum(axis)\n"))
engine("power_of_whole_numbers", "An array of whole numbers is raised to -1, which NumPy refuses: make it one of floats first, or write 1 / it.", "values",
       ("        return self * (1 / other)\n\n    def __rsub__", "        return self * other**-1\n\n    def __rsub__"))
engine("made_in_a_loop", "exp gives what tanh gives. Are they made in a loop? A function that is made there looks its names up when it is called, after the loop: keep them, as by f=f.", "values graphs broadcasting shapes training",
       ("class Linear:\n", """for name, f, slope in (("exp", np.exp, lambda x, y: y), ("log", np.log, lambda x, y: 1 / x), ("tanh", np.tanh, lambda x, y: 1 - y**2)):
    def method(self):
        out, rule = f(self.data), slope
        return made(out, (self, lambda g: g * rule(self.data, out)))

    setattr(Tensor, name, method)


class Linear:
"""))
engine("takes_no_numbers", "A plain number has no data: the other operand may be one, as the 2 in x * 2. Make a Tensor of it first.", "values graphs broadcasting shapes depth memory layers training",
       ("    def __mul__(self, other):\n        a, b = self.data, raw(other)\n", "    def __mul__(self, other):\n        a, b = self.data, other.data\n"))
engine("mean_of_all", "A mean over an axis divides by the length of that axis, and not by the number of all numbers.", "values shapes",
       ("        return total * (total.data.size / self.data.size)\n", "        return total * (1 / self.data.size)\n"))
engine("mean_of_one_axis", "axis may be a tuple: a mean over several axes divides by the product of their lengths.", "values shapes",
       ("        total = self.sum(axis, keepdims)\n        return total * (total.data.size / self.data.size)\n",
        "        count = self.data.size if axis is None else self.data.shape[axis]\n        return self.sum(axis, keepdims) * (1 / count)\n"))
engine("mean_slope", "The slope of a mean is 1 divided by how many there are.", "shapes training",
       ("        total = self.sum(axis, keepdims)\n        return total * (total.data.size / self.data.size)\n",
        "        out = self.sum(axis, keepdims)\n        out.data = self.data.mean(axis=axis, keepdims=keepdims)\n        return out\n"))
engine("transpose_kept", "The gradient of x.T is transposed, too.", "shapes",
       ("(self, lambda g: g.T)", "(self, lambda g: g.reshape(self.data.shape))"))
engine("transpose_forgotten", "What comes back through x.T has another shape than x: transpose it, too.", "shapes",
       ("(self, lambda g: g.T)", "(self, lambda g: g)"))
engine("repeats_lost", "What is taken twice gets both gradients: whole[index] = g keeps one of them, and so does +=; np.add.at adds up.", "shapes",
       ("            np.add.at(whole, index, g)\n", "            whole[index] = g\n"))
engine("repeats_lost_of_arrays", "What an array of indices takes twice gets both gradients, as with a list: whole[index] = g keeps one of them; np.add.at adds up.", "shapes",
       ("            np.add.at(whole, index, g)\n", "            if isinstance(index, np.ndarray):\n                whole[index] = g\n            else:\n                np.add.at(whole, index, g)\n"))
engine("index_sends_zeros", "Of what arrives at x[...], x gets zeros: add it, with np.add.at, at the places of the index.", "shapes",
       ("            np.add.at(whole, index, g)\n", ""))
engine("right_factor_forgotten", "Both factors of a @ b have a gradient: that of b is a.T @ g.", "shapes layers training",
       ("        return made(a @ b, (self, lambda g: g @ b.T), (other, lambda g: a.T @ g))", "        return made(a @ b, (self, lambda g: g @ b.T))"))
engine("whole_numbers", "Whole numbers stay whole numbers here: keep data as floats.", "values",
       ("self.data = np.array(data, dtype=float)", "self.data = np.array(data)"))

# -- Tensor: layers and the optimizer ---------------------------------------------------------------------------------

engine("bias_not_listed", "parameters() lists the weight of a layer, and no bias: a layer has one, and it learns, too.", "layers training",
       ("return [self.weight, self.bias]", "return [self.weight]"))
engine("no_bias", "parameters() lists the weight of a layer, and no bias: a layer has one, and it learns, too.", "layers training",
       ("return x @ self.weight + self.bias", "return x @ self.weight"), ("return [self.weight, self.bias]", "return [self.weight]"))
engine("starts_at_zero", "All weights begin alike, so all neurons of a layer stay the same: begin at random.", "layers training",
       ("np.random.default_rng().standard_normal((inputs, outputs)) / inputs**0.5", "np.zeros((inputs, outputs))"))
engine("starts_at_one", "All weights begin alike, so all neurons of a layer stay the same: begin at random.", "layers training",
       ("np.random.default_rng().standard_normal((inputs, outputs)) / inputs**0.5", "np.ones((inputs, outputs)) / inputs**0.5"))
engine("start_too_small", "The weights begin too small: their size is to be about 1 divided by the root of the number of inputs.", "layers",
       (" / inputs**0.5", " * 0.01"))
engine("start_not_scaled", "With many inputs the weights begin too large: divide by the root of the number of inputs, and of no other number.", "layers",
       (" / inputs**0.5", ""))
engine("start_of_one_size", "With many inputs the weights begin too large: divide by the root of the number of inputs, and of no other number.", "layers",
       (" / inputs**0.5", " / 2"))
engine("start_by_outputs", "With many inputs the weights begin too large: divide by the root of the number of inputs, and of no other number.", "layers",
       (" / inputs**0.5", " / outputs**0.5"))
engine("start_seeded", "Two layers of one shape begin with the same numbers: a generator that each layer makes anew, with one seed, draws the same again.", "layers",
       ("np.random.default_rng()", "np.random.default_rng(0)"))
engine("generator_of_parameters", "parameters() gives a generator, which is empty once it was gone through: return a list.", "layers",
       ("        return [p for step in self.steps if hasattr(step, \"parameters\") for p in step.parameters()]", "        return (p for step in self.steps if hasattr(step, \"parameters\") for p in step.parameters())"))
engine("parameters_not_returned", "Your Sequential collects its parameters and does not return them: `parameters()` gives None.", "layers training",
       ("        return [p for step in self.steps if hasattr(step", "        [p for step in self.steps if hasattr(step"))
engine("last_layer_first", "parameters() lists the last layer first: the order is that of the steps.", "layers training",
       ("for step in self.steps if hasattr", "for step in self.steps[::-1] if hasattr"))
engine("not_within", "A Sequential within another has parameters, too: ask each step that has some.", "layers",
       ('if hasattr(step, "parameters")', "if isinstance(step, Linear)"))
engine("one_step_left_out", "The last step of Sequential is left out.", "layers training",
       ("        for step in self.steps:\n            x", "        for step in self.steps[:-1]:\n            x"))
engine("not_corrected", "The means begin at zero, so at first they are too small: divide by 1 - 0.9 ** t and 1 - 0.999 ** t.", "Adam training",
       ("m, v = means[0] / (1 - 0.9**self.t), means[1] / (1 - 0.999**self.t)", "m, v = means"))
engine("first_step_for_ever", "The number of the step stays 1, so the means are corrected too much.", "Adam training",
       ("        self.t += 1\n", "        self.t = 1\n"))
engine("counts_parameters", "t counts steps, and here it grows with every parameter: the later ones are corrected too little.", "Adam training",
       ("        self.t += 1\n", ""), ("            if p.grad is not None:\n", "            self.t += 1\n            if p.grad is not None:\n"))
engine("counts_used_parameters", "t counts steps, and here it grows with every parameter: the later ones are corrected too little.", "Adam training",
       ("        self.t += 1\n", ""), ("            if p.grad is not None:\n", "            if p.grad is not None:\n                self.t += 1\n"))
engine("rates_exchanged", "The mean of gradients forgets with 0.9, that of squares with 0.999: here they are exchanged.", "Adam training",
       ("0.9 * means[0] + 0.1 *", "0.999 * means[0] + 0.001 *"), ("0.999 * means[1] + 0.001 *", "0.9 * means[1] + 0.1 *"),
       ("(1 - 0.9**self.t), means[1] / (1 - 0.999**self.t)", "(1 - 0.999**self.t), means[1] / (1 - 0.9**self.t)"))
engine("rates_exchanged_in_the_means", "The mean of gradients forgets with 0.9, that of squares with 0.999: here they are exchanged.", "Adam training",
       ("0.9 * means[0] + 0.1 *", "0.999 * means[0] + 0.001 *"), ("0.999 * means[1] + 0.001 *", "0.9 * means[1] + 0.1 *"))
engine("no_root", "Divide by the root of the mean of squares: without it a step depends on the gradient's size.", "Adam training",
       ("(v**0.5 + 1e-8)", "(v + 1e-8)"))
engine("eps_under_the_root", "1e-8 stands under the root here, where it makes the steps of small gradients too small: it is added to the root.", "Adam training",
       ("(v**0.5 + 1e-8)", "(v + 1e-8) ** 0.5"))
engine("uphill", "The step goes uphill: subtract it, and see that the mean has the sign of the gradients.", "Adam training", ("p.data - self.lr", "p.data + self.lr"))
engine("not_cleared", "zero_grad clears nothing, so the gradients of all steps add up.", "Adam training", ("            p.grad = None\n", "            pass\n"))
engine("needs_all_gradients", "A parameter that was not used has no gradient: leave it as it is.", "Adam",
       ("            if p.grad is not None:\n", "            if True:\n"))
engine("zero_is_none", "A gradient that is all 0 is one, too: Adam moves on by its means. Only where `.grad` is None nothing moves.", "Adam",
       ("p.grad is not None", "p.grad is not None and np.any(p.grad)"))
engine("none_is_zero", "A parameter whose `.grad` is None is moved on by its means, as if its gradient were 0: leave it as it is.", "Adam",
       ("            if p.grad is not None:\n", "            p.grad = np.zeros_like(p.data) if p.grad is None else p.grad\n            if True:\n"))
engine("ends_at_none", "A parameter whose `.grad` is None ends the step, and those behind it stay: go on with the next one.", "Adam",
       ("            if p.grad is not None:\n", "            if p.grad is None:\n                return\n            if True:\n"))
engine("one_mean_for_all", "All parameters share one pair of means: each needs its own.", "Adam training",
       ("self.means = [[0.0, 0.0] for _ in self.parameters]", "self.means = [[0.0, 0.0]] * len(self.parameters)"))
engine("copies_of_data", "A step begins at numbers that Adam has kept, and not at p.data as it is then: whoever replaced that in between loses it.", "Adam",
       ("        self.means =", "        self.kept = [p.data for p in self.parameters]\n        self.means ="),
       ("        for p, means in zip(self.parameters, self.means):\n", "        for i, (p, means) in enumerate(zip(self.parameters, self.means)):\n"),
       ("                p.data = p.data - self.lr", "                self.kept[i] = p.data = self.kept[i] - self.lr"))
engine("first_mean_for_all", "All parameters share the mean of the first one's gradients: each needs its own.", "Adam training",
       ("means[0] = 0.9 * means[0] + 0.1 * p.grad", "self.means[0][0] = 0.9 * self.means[0][0] + 0.1 * p.grad"), ("m, v = means[0] /", "m, v = self.means[0][0] /"))
engine("another_rate", "Without lr, Adam takes 0.001.", "Adam", ("parameters, lr=0.001", "parameters, lr=0.01"))

# -- Tensor: other designs --------------------------------------------------------------------------------------------

#: Each result has a closure that adds to its operands' gradients, as in micrograd; so results and closures hold one
#: another in circles, which Python's collector takes apart.
CLOSURES = '''
class Tensor:
    def __init__(self, data, requires_grad=False, parents=()):
        self.data = np.asarray(data, dtype=np.float64)
        self.parents = [p for p in parents if p.requires_grad]
        self.requires_grad = requires_grad or len(self.parents) > 0
        self.grad = None
        self.send = None

    @staticmethod
    def wrap(x):
        return x if isinstance(x, Tensor) else Tensor(x)

    def take(self, g):
        if self.requires_grad:
            while g.ndim > self.data.ndim:
                g = g.sum(axis=0)
            for axis, length in enumerate(self.data.shape):
                if length == 1 and g.shape[axis] > 1:
                    g = g.sum(axis=axis, keepdims=True)
            self.grad = g + (0 if self.grad is None else self.grad)

    def then(self, send):
        if self.requires_grad:
            self.send = send
        return self

    def __add__(self, other):
        other = Tensor.wrap(other)
        out = Tensor(self.data + other.data, parents=(self, other))

        def send():
            self.take(out.grad)
            other.take(out.grad)

        return out.then(send)

    def __sub__(self, other):
        other = Tensor.wrap(other)
        out = Tensor(self.data - other.data, parents=(self, other))

        def send():
            self.take(out.grad)
            other.take(-out.grad)

        return out.then(send)

    def __mul__(self, other):
        other = Tensor.wrap(other)
        out = Tensor(self.data * other.data, parents=(self, other))

        def send():
            self.take(out.grad * other.data)
            other.take(out.grad * self.data)

        return out.then(send)

    def __truediv__(self, other):
        other = Tensor.wrap(other)
        out = Tensor(self.data / other.data, parents=(self, other))

        def send():
            self.take(out.grad / other.data)
            other.take(-out.grad * self.data / other.data ** 2)

        return out.then(send)

    def __matmul__(self, other):
        out = Tensor(np.dot(self.data, other.data), parents=(self, other))

        def send():
            self.take(np.dot(out.grad, other.data.T))
            other.take(np.dot(self.data.T, out.grad))

        return out.then(send)

    def __pow__(self, n):
        out = Tensor(self.data ** n, parents=(self,))
        return out.then(lambda: self.take(n * self.data ** (n - 1) * out.grad if n else 0 * out.grad))

    def __neg__(self): return 0 - self
    def __radd__(self, other): return self + other
    def __rmul__(self, other): return self * other
    def __rsub__(self, other): return Tensor.wrap(other) - self
    def __rtruediv__(self, other): return Tensor.wrap(other) / self

    def exp(self):
        out = Tensor(np.exp(self.data), parents=(self,))
        return out.then(lambda: self.take(out.data * out.grad))

    def log(self):
        out = Tensor(np.log(self.data), parents=(self,))
        return out.then(lambda: self.take(out.grad / self.data))

    def tanh(self):
        out = Tensor(np.tanh(self.data), parents=(self,))
        return out.then(lambda: self.take((1 - out.data * out.data) * out.grad))

    def relu(self):
        out = Tensor(self.data.clip(0), parents=(self,))
        return out.then(lambda: self.take(np.where(out.data > 0, out.grad, 0.0)))

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), parents=(self,))

        def send():
            g = out.grad
            if axis is None:
                g = g.reshape((1,) * self.data.ndim)
            elif not keepdims:
                g = np.expand_dims(g, axis)
            self.take(np.broadcast_to(g, self.data.shape))

        return out.then(send)

    def mean(self, axis=None, keepdims=False):
        axes = range(self.data.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        count = 1
        for a in axes:
            count *= self.data.shape[a]
        return self.sum(axis, keepdims) / count

    def reshape(self, *shape):
        out = Tensor(self.data.reshape(*shape), parents=(self,))
        return out.then(lambda: self.take(out.grad.reshape(self.data.shape)))

    def transpose(self):
        out = Tensor(self.data.transpose(), parents=(self,))
        return out.then(lambda: self.take(out.grad.transpose()))

    T = property(transpose)

    def __getitem__(self, index):
        out = Tensor(self.data[index], parents=(self,))

        def send():
            g = np.zeros(self.data.shape)
            np.add.at(g, index, out.grad)
            self.take(g)

        return out.then(send)

    def backward(self):
        order, state, stack = [], {}, [self]
        while stack:
            node = stack[-1]
            if node not in state:
                state[node] = "open"
                stack += node.parents
            else:
                stack.pop()
                if state[node] == "open":
                    state[node] = "done"
                    order.append(node)
        self.grad = np.ones_like(self.data) + (0 if self.grad is None else self.grad)
        for node in order[::-1]:
            if node.send:
                node.send()
                node.grad = None


class Linear:
    def __init__(self, inputs, outputs):
        limit = (6 / (inputs + outputs)) ** 0.5
        self.W = Tensor(np.random.uniform(-limit, limit, (outputs, inputs)), requires_grad=True)
        self.b = Tensor([0.0] * outputs, requires_grad=True)

    def __call__(self, x):
        return x @ self.W.T + self.b

    def parameters(self):
        return [self.b, self.W]


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        found = []
        for layer in self.layers:
            if isinstance(layer, (Linear, Sequential)):
                found.extend(layer.parameters())
        return found


class Adam:
    def __init__(self, parameters, lr=0.001, b1=0.9, b2=0.999, eps=1e-8):
        self.ps, self.lr, self.b1, self.b2, self.eps = parameters, lr, b1, b2, eps
        self.state = {id(p): (np.zeros_like(p.data), np.zeros_like(p.data), 0) for p in parameters}

    def zero_grad(self):
        for p in self.ps:
            p.grad = None

    def step(self):
        for p in self.ps:
            if p.grad is None:
                continue
            m, v, t = self.state[id(p)]
            m = self.b1 * m + (1 - self.b1) * p.grad
            v = self.b2 * v + (1 - self.b2) * p.grad * p.grad
            self.state[id(p)] = m, v, t + 1
            p.data -= self.lr * m / (1 - self.b1 ** (t + 1)) / (np.sqrt(v / (1 - self.b2 ** (t + 1))) + self.eps)
'''

#: A class for each operation, with a forward and a backward, as PyTorch's `Function`; the order is that of making.
FUNCTIONS = '''
import itertools

COUNT = itertools.count()


class Function:
    def __init__(self, *operands, **options):
        self.operands, self.number = operands, next(COUNT)
        self.__dict__.update(options)

    @classmethod
    def apply(cls, *operands, **options):
        operands = [x if isinstance(x, Tensor) else Tensor(x) for x in operands]
        step = cls(*operands, **options)
        out = Tensor(step.forward(*[x.data for x in operands]))
        if any(x.requires_grad for x in operands):
            out.requires_grad, out.step = True, step
        return out


class Add(Function):
    def forward(self, a, b): return a + b
    def backward(self, g): return g, g


class Neg(Function):
    def forward(self, a): return -a
    def backward(self, g): return -g,


class Mul(Function):
    def forward(self, a, b):
        self.a, self.b = a, b
        return a * b

    def backward(self, g): return g * self.b, g * self.a


class Power(Function):
    def forward(self, a):
        self.a = a
        return a ** self.n

    def backward(self, g): return (g * (self.n * self.a ** (self.n - 1)) if self.n else 0 * g),


class MatMul(Function):
    def forward(self, a, b):
        self.a, self.b = a, b
        return a @ b

    def backward(self, g): return g @ self.b.T, self.a.T @ g


class Exp(Function):
    def forward(self, a):
        self.out = np.exp(a)
        return self.out

    def backward(self, g): return g * self.out,


class Log(Function):
    def forward(self, a):
        self.a = a
        return np.log(a)

    def backward(self, g): return g / self.a,


class Tanh(Function):
    def forward(self, a):
        self.slope = 1 / np.cosh(a) ** 2
        return np.tanh(a)

    def backward(self, g): return g * self.slope,


class Relu(Function):
    def forward(self, a):
        self.on = (a > 0).astype(float)
        return a * self.on

    def backward(self, g): return g * self.on,


class Sum(Function):
    def forward(self, a):
        self.shape, self.kept = a.shape, a.sum(axis=self.axis, keepdims=True).shape
        return a.sum(axis=self.axis, keepdims=self.keepdims)

    def backward(self, g): return np.zeros(self.shape) + g.reshape(self.kept),


class Reshape(Function):
    def forward(self, a):
        self.before = a.shape
        return a.reshape(self.shape)

    def backward(self, g): return g.reshape(self.before),


class Transpose(Function):
    def forward(self, a): return a.T
    def backward(self, g): return g.T,


class Take(Function):
    def forward(self, a):
        self.whole = np.arange(a.size).reshape(a.shape)[self.index]
        self.shape = a.shape
        return a[self.index]

    def backward(self, g):
        size = int(np.prod(self.shape))
        return np.bincount(self.whole.ravel(), np.ravel(g), minlength=size).reshape(self.shape),


def reduced(g, shape):
    extra = g.ndim - len(shape)
    axes = (*range(extra), *[i + extra for i, n in enumerate(shape) if n == 1])
    return g.sum(axis=axes, keepdims=True).reshape(shape) if axes else g


class Tensor:
    step = None

    def __init__(self, data, requires_grad=False):
        self.data, self.requires_grad, self.grad = np.array(data, float), requires_grad, None

    def __add__(self, other): return Add.apply(self, other)
    def __radd__(self, other): return Add.apply(other, self)
    def __neg__(self): return Neg.apply(self)
    def __sub__(self, other): return self + Neg.apply(other)
    def __rsub__(self, other): return Add.apply(other, -self)
    def __mul__(self, other): return Mul.apply(self, other)
    def __rmul__(self, other): return Mul.apply(other, self)
    def __truediv__(self, other): return Mul.apply(self, Power.apply(other, n=-1))
    def __rtruediv__(self, other): return Mul.apply(other, Power.apply(self, n=-1))
    def __pow__(self, n): return Power.apply(self, n=n)
    def __matmul__(self, other): return MatMul.apply(self, other)
    def __getitem__(self, index): return Take.apply(self, index=index)
    def exp(self): return Exp.apply(self)
    def log(self): return Log.apply(self)
    def tanh(self): return Tanh.apply(self)
    def relu(self): return Relu.apply(self)
    def sum(self, axis=None, keepdims=False): return Sum.apply(self, axis=axis, keepdims=keepdims)
    def reshape(self, *shape): return Reshape.apply(self, shape=shape)

    def mean(self, axis=None, keepdims=False):
        return self.sum(axis, keepdims) * (1 / np.ones(self.data.shape).sum(axis=axis).max())

    @property
    def T(self): return Transpose.apply(self)

    def backward(self):
        import heapq

        if self.step is None:
            self.grad = np.ones(self.data.shape) if self.grad is None else self.grad + 1
            return
        arrived, heap = {self.step: np.ones(self.data.shape)}, [(-self.step.number, self.step)]
        while heap:
            _, step = heapq.heappop(heap)
            for x, g in zip(step.operands, step.backward(arrived.pop(step))):
                if not x.requires_grad:
                    continue
                g = reduced(np.asarray(g), x.data.shape)
                if x.step is None:
                    x.grad = g.copy() if x.grad is None else x.grad + g
                elif x.step in arrived:
                    arrived[x.step] = arrived[x.step] + g
                else:
                    arrived[x.step] = g
                    heapq.heappush(heap, (-x.step.number, x.step))


class Module:
    def parameters(self):
        found = []
        for value in vars(self).values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, Tensor):
                    found.append(one)
                elif isinstance(one, Module):
                    found += one.parameters()
        return found


class Linear(Module):
    def __init__(self, inputs, outputs):
        rng = np.random.default_rng()
        self.weight = Tensor(rng.uniform(-1, 1, (inputs, outputs)) * (3 / inputs) ** 0.5, True)
        self.bias = Tensor(np.zeros((1, outputs)), True)

    def __call__(self, x): return x @ self.weight + self.bias


class Sequential(Module):
    def __init__(self, *steps): self.steps = [*steps]

    def __call__(self, x):
        import functools

        return functools.reduce(lambda value, step: step(value), self.steps, x)


class Adam:
    def __init__(self, parameters, lr=0.001):
        self.parameters, self.lr, self.t = list(parameters), lr, 0
        self.m = [np.zeros(p.data.shape) for p in self.parameters]
        self.v = [np.zeros(p.data.shape) for p in self.parameters]

    def zero_grad(self):
        for p in self.parameters:
            p.grad = np.zeros(p.data.shape)

    def step(self):
        self.t += 1
        for p, m, v in zip(self.parameters, self.m, self.v):
            if p.grad is None:
                continue
            m += 0.1 * (p.grad - m)
            v += 0.001 * (p.grad ** 2 - v)
            p.data -= self.lr * (m / (1 - 0.9 ** self.t)) / (np.sqrt(v / (1 - 0.999 ** self.t)) + 1e-8)
'''

#: A table of rules by name; a node is a tuple, apart from the Tensor that shows its value. Users are counted first.
TABLE = '''
from collections import Counter, namedtuple

Node = namedtuple("Node", "rule operands arrays out options")
Rule = namedtuple("Rule", "forward backward")


def put_back(g, x, index):
    whole = np.zeros(x.shape)
    np.add.at(whole, index, g)
    return whole


def stretch(g, x, axis):
    shape = list(x.shape)
    for a in range(x.ndim) if axis is None else np.atleast_1d(axis):
        shape[a] = 1
    return np.tile(g.reshape(shape), [n // m for n, m in zip(x.shape, shape)])


RULES = {
    "add": Rule(lambda a, b: a + b, lambda g, out, a, b: (g, g)),
    "sub": Rule(lambda a, b: a - b, lambda g, out, a, b: (g, -g)),
    "mul": Rule(lambda a, b: a * b, lambda g, out, a, b: (g * b, g * a)),
    "div": Rule(lambda a, b: a / b, lambda g, out, a, b: (g / b, -g * out / b)),
    "pow": Rule(lambda a, n: a**n, lambda g, out, a, n: (g * n * a ** (n - (n != 0)),)),
    "matmul": Rule(lambda a, b: a @ b, lambda g, out, a, b: (g @ b.T, (g.T @ a).T)),
    "exp": Rule(lambda a: np.exp(a), lambda g, out, a: (g * out,)),
    "log": Rule(lambda a: np.log(a), lambda g, out, a: (g / a,)),
    "tanh": Rule(lambda a: np.tanh(a), lambda g, out, a: (g - g * out**2,)),
    "relu": Rule(lambda a: (a + abs(a)) / 2, lambda g, out, a: (g * np.heaviside(a, 0.0),)),
    "sum": Rule(lambda a, axis, keepdims: a.sum(axis=axis, keepdims=keepdims), lambda g, out, a, axis, keepdims: (stretch(g, a, axis),)),
    "mean": Rule(lambda a, axis, keepdims: a.mean(axis=axis, keepdims=keepdims), lambda g, out, a, axis, keepdims: (stretch(g, a, axis) * out.size / a.size,)),
    "reshape": Rule(lambda a, shape: a.reshape(shape), lambda g, out, a, shape: (g.reshape(a.shape),)),
    "transpose": Rule(lambda a: a.T, lambda g, out, a: (g.T,)),
    "take": Rule(lambda a, index: a[index], lambda g, out, a, index: (put_back(g, a, index),)),
}


def do(name, *operands, **options):
    arrays = [np.asarray(getattr(x, "array", x), dtype=float) for x in operands]
    out = Tensor(RULES[name].forward(*arrays, **options))
    if any(getattr(x, "requires_grad", False) for x in operands):
        out.requires_grad = True
        out.node = Node(RULES[name].backward, operands, arrays, out.array, options)
    return out


class Tensor:
    __slots__ = ("array", "requires_grad", "grad", "node")

    def __init__(self, data, requires_grad=False):
        self.array = np.array(data, dtype=float)
        self.requires_grad, self.grad, self.node = requires_grad, None, None

    data = property(lambda self: self.array, lambda self, value: setattr(self, "array", value))
    T = property(lambda self: do("transpose", self))
    __add__ = lambda self, other: do("add", self, other)
    __radd__ = lambda self, other: do("add", other, self)
    __sub__ = lambda self, other: do("sub", self, other)
    __rsub__ = lambda self, other: do("sub", other, self)
    __mul__ = lambda self, other: do("mul", self, other)
    __rmul__ = lambda self, other: do("mul", other, self)
    __truediv__ = lambda self, other: do("div", self, other)
    __rtruediv__ = lambda self, other: do("div", other, self)
    __pow__ = lambda self, n: do("pow", self, n=n)
    __neg__ = lambda self: do("mul", self, -1)
    __matmul__ = lambda self, other: do("matmul", self, other)
    __getitem__ = lambda self, index: do("take", self, index=index)
    exp = lambda self: do("exp", self)
    log = lambda self: do("log", self)
    tanh = lambda self: do("tanh", self)
    relu = lambda self: do("relu", self)
    sum = lambda self, axis=None, keepdims=False: do("sum", self, axis=axis, keepdims=keepdims)
    mean = lambda self, axis=None, keepdims=False: do("mean", self, axis=axis, keepdims=keepdims)
    reshape = lambda self, *shape: do("reshape", self, shape=shape)

    def backward(self):
        users, waiting, seen = Counter(), [self], {id(self)}
        while waiting:
            node = waiting.pop().node
            for x in node.operands if node else ():
                if isinstance(x, Tensor) and x.requires_grad:
                    users[id(x)] += 1
                    if id(x) not in seen:
                        seen.add(id(x))
                        waiting.append(x)
        arrived, ready = {id(self): np.ones(self.array.shape)}, [self]
        while ready:
            tensor = ready.pop()
            g = arrived.pop(id(tensor))
            if tensor.node is None:
                tensor.grad = g if tensor.grad is None else tensor.grad + g
                continue
            rule, operands, arrays, out, options = tensor.node
            for x, array, part in zip(operands, arrays, rule(g, out, *arrays, **options)):
                if not (isinstance(x, Tensor) and x.requires_grad):
                    continue
                front = part.ndim - array.ndim
                part = part.sum(axis=tuple(range(front))) if front else part
                for a in range(array.ndim):
                    if array.shape[a] < part.shape[a]:
                        part = part.sum(axis=a, keepdims=True)
                arrived[id(x)] = arrived[id(x)] + part if id(x) in arrived else part
                users[id(x)] -= 1
                if not users[id(x)]:
                    ready.append(x)


def Linear(inputs, outputs):
    W = Tensor(np.random.randn(inputs, outputs) * (2 / (inputs + outputs)) ** 0.5, requires_grad=True)
    b = Tensor(np.random.randn(outputs) / 100, requires_grad=True)
    layer = lambda x: x @ W + b
    layer.parameters = lambda: [W, b]
    return layer


def Sequential(*steps):
    def run(x):
        for step in steps:
            x = step(x)
        return x

    run.parameters = lambda: sum((step.parameters() for step in steps if hasattr(step, "parameters")), [])
    return run


class Adam:
    def __init__(self, parameters, lr=0.001):
        self.lr, self.of = lr, [[p, 0.0, 0.0, 0] for p in parameters]

    def zero_grad(self):
        for p, *_ in self.of:
            p.grad = None

    def step(self):
        for row in self.of:
            p, m, v, t = row
            if p.grad is None:
                continue
            m, v, t = m * 0.9 + p.grad * 0.1, v * 0.999 + p.grad**2 * 0.001, t + 1
            row[1:] = m, v, t
            rate = self.lr * (1 - 0.999**t) ** 0.5 / (1 - 0.9**t)
            p.data = p.data - rate * m / (v**0.5 + 1e-8 * (1 - 0.999**t) ** 0.5)
'''

#: A tape: what wants a gradient writes itself into a list that all of one graph share and that dies with it.
TAPE = changed(
    ENGINE,
    ('''    out = Tensor(data)
    out.ways = [(x, rule) for x, rule in ways if isinstance(x, Tensor) and x.requires_grad]
    out.requires_grad = bool(out.ways)
    return out
''', '''    out = Tensor(data)
    found = [(x, rule) for x, rule in ways if isinstance(x, Tensor) and x.requires_grad]
    if found:
        out.requires_grad = True
        tapes = list({id(x.tape): x.tape for x, _ in found if x.tape is not None}.values())
        tape = max(tapes, key=len) if tapes else []
        for other in tapes:
            if other is not tape:
                tape += other
                for node, _ in other:
                    node.tape = tape
                other.clear()
        tape.append((out, found))
        out.tape = tape
    return out
'''),
    ("self.grad, self.requires_grad, self.ways = None, requires_grad, []", "self.grad, self.requires_grad, self.tape = None, requires_grad, None"),
    (ENGINE[ENGINE.index("    def order(self):"):ENGINE.index("class Linear:")], '''    def backward(self):
        grads = {self: np.ones_like(self.data)}
        for node, ways in sorted(self.tape or [], key=lambda entry: entry[0].number, reverse=True):
            g = grads.pop(node, None)
            if g is None:
                continue
            for x, rule in ways:
                grads[x] = grads.get(x, 0) + fit(rule(g), x.data.shape)
        for leaf, g in grads.items():
            leaf.grad = g if leaf.grad is None else leaf.grad + g


'''),
    ("class Tensor:\n    def __init__(self, data, requires_grad=False):\n", '''class Tensor:
    made = 0

    def __init__(self, data, requires_grad=False):
        Tensor.made += 1
        self.number = Tensor.made
'''),
)

#: Only what cannot be had from others has a rule: product, sum, power and logarithm of arrays; graphs of generators.
FEW_RULES = changed(
    ENGINE,
    ("        return made(a @ b, (self, lambda g: g @ b.T), (other, lambda g: a.T @ g))",
     "        return made(np.einsum('ij,jk->ik', a, b), (self, lambda g: np.einsum('ik,jk->ij', g, b)), (other, lambda g: np.einsum('ij,ik->jk', a, g)))"),
    ("        out = np.tanh(self.data)\n        return made(out, (self, lambda g: g * (1 - out**2)))", "        return 1 - 2 / ((self * 2).exp() + 1)"),
    ("        return made(np.maximum(self.data, 0), (self, lambda g: g * (self.data > 0)))", "        return self * (self.data > 0)"),
    ("    def __neg__(self):\n        return self * -1", "    def __neg__(self):\n        return made(-self.data, (self, np.negative))"),
    ("        return self * (1 / other)\n\n    def __rsub__", "        return self * other**-1.0 if isinstance(other, Tensor) else self * (1 / np.asarray(other))\n\n    def __rsub__"),
)

for _name, _source in (("closures", CLOSURES), ("functions", FUNCTIONS), ("table", TABLE), ("tape", TAPE), ("few_rules", FEW_RULES)):
    right("Tensor", _name, source=_source)

engine("axes_put_back_in_turn", "A sum over the axes (1, 0) or (-1, -3) has no gradient, or one of other places: axes that are put back one after the other have to come in the order of the array. What keeps `keepdims=True`, whatever the order?", "shapes", (
    "        shape = self.data.sum(axis=axis, keepdims=True).shape\n        ones = np.ones_like(self.data)\n        return made(self.data.sum(axis=axis, keepdims=keepdims), (self, lambda g: g.reshape(shape) * ones))",
    """        def back(g):
            if axis is not None and not keepdims:
                for one in axis if isinstance(axis, tuple) else (axis,):
                    g = np.expand_dims(g, one)
            return g * np.ones_like(self.data)

        return made(self.data.sum(axis=axis, keepdims=keepdims), (self, back))"""))

# -- wrong_rule -------------------------------------------------------------------------------------------------------

RULE = """
def wrong_rule(log):
    failing = [used.split() for used, off in log if not off <= 1e-6]
    right = [used.split() for used, off in log if off <= 1e-6]
    common = set.intersection(*map(set, failing))
    return min(common, key=lambda name: sum(name in used for used in right))
"""

OF_SEVERAL = (
    "Several rules are in all programs that are off, and here another of them comes back than the one that is in the fewest "
    "programs that are right: for each of them, count those in which it is."
)
wrong("wrong_rule", "struck_out_in_order", OF_SEVERAL, source=changed(
    RULE, ("    return min(common, key=lambda name: sum(name in used for used in right))",
           "    for used in right:\n        if len(common) > 1:\n            common = common - set(used) or common\n    return sorted(common)[0]")))
wrong("wrong_rule", "in_any_that_is_off", "The wrong rule is in every program that is off; this one is only in some.", source=changed(
    RULE, ("set.intersection", "set.union")))
wrong("wrong_rule", "nan_is_right", "nan > 1e-6 is False, so a program whose distance is nan is not among those that are off: ask whether it is *not* at most 1e-6.", source=changed(
    RULE, ("if not off <= 1e-6", "if off > 1e-6"), ("right = [used.split() for used, off in log if off <= 1e-6]", "right = [used.split() for used, off in log if not off > 1e-6]")))
wrong("wrong_rule", "nan_left_out", "nan > 1e-6 is False, so a program whose distance is nan is not among those that are off: ask whether it is *not* at most 1e-6.", source=changed(
    RULE, ("if not off <= 1e-6", "if off > 1e-6")))
wrong("wrong_rule", "first_of_several", OF_SEVERAL, source=changed(
    RULE, ("min(common, key=lambda name: sum(name in used for used in right))", "next(name for name in failing[0] if name in common)")))
wrong("wrong_rule", "first_by_name", OF_SEVERAL, source=changed(
    RULE, ("min(common, key=lambda name: sum(name in used for used in right))", "min(common)")))
wrong("wrong_rule", "most_often_right", "This one is in the most programs that are right: the wrong rule is in the fewest.", source=changed(
    RULE, ("min(common", "max(common")))
wrong("wrong_rule", "must_never_pass", "A wrong rule may be in a program that is right, where it does not show: do not strike it out.", source=changed(
    RULE, ("    return min(common, key=lambda name: sum(name in used for used in right))", "    common -= set().union(*map(set, right))\n    return min(common) if common else None")))
wrong("wrong_rule", "must_never_pass_pop", "Nothing is left to choose from, or a name is looked up that is not there. A wrong rule may be in a program that is right, where it does not show: do not strike it out.", source=changed(
    RULE, ("    return min(common, key=lambda name: sum(name in used for used in right))", "    return (common - set().union(*map(set, right))).pop()")))
wrong("wrong_rule", "first_and_last", "Only the first and the last program that is off are looked at here: the wrong rule is in those between them, too.", source=changed(
    RULE, ("set.intersection(*map(set, failing))", "set(failing[0]) & set(failing[-1])")))
wrong("wrong_rule", "first_two", "Only two of the programs that are off are looked at here: the wrong rule is in every one.", source=changed(
    RULE, ("map(set, failing)", "map(set, failing[:2])")))
NOTHING_LEFT = (
    "Nothing is left to choose from. Is a program taken to be off that is 1e-9 away (up to 1e-6 it is right)? Or is a name "
    "struck out that occurs in a right program, where a wrong rule need not show?"
)
wrong("wrong_rule", "must_never_pass_min", NOTHING_LEFT, source=changed(
    RULE, ("min(common, key=lambda name: sum(name in used for used in right))", "min(common - set().union(*map(set, right)))")))
wrong("wrong_rule", "pieces_of_names", "Here sum is in one program that is right. Either its three uses there were counted as three, or cumsum was taken for sum: compare whole names, and only whether they are there.", source=changed(
    RULE, ("right = [used.split() for", "right = [used for")))
wrong("wrong_rule", "first_piece", OF_SEVERAL, source="""
def wrong_rule(log):
    failing = [used for used, off in log if not off <= 1e-6]
    for name in [name for used, _ in log for name in used.split()]:
        if all(name in used for used in failing):
            return name
""")
wrong("wrong_rule", "how_often", "Here sum is in one program that is right. Either its three uses there were counted as three, or cumsum was taken for sum: compare whole names, and only whether they are there.", source=changed(
    RULE, ("sum(name in used for used in right)", "sum(used.count(name) for used in right)")))
wrong("wrong_rule", "how_often_in_those_that_are_off", "In a program that is off a name counts once, however often it stands there: the wrong rule is in *all* of these programs, and this one is not.", source="""
def wrong_rule(log):
    off, right = {}, {}
    for used, distance in log:
        if distance <= 1e-6:
            for name in set(used.split()):
                right[name] = right.get(name, 0) + 1
        else:
            for name in used.split():
                off[name] = off.get(name, 0) + 1
    most = [name for name in off if off[name] == max(off.values())]
    return min(most, key=lambda name: right.get(name, 0))
""")
wrong("wrong_rule", "pieces_of_names_that_are_off", "A name is looked for in the text of the programs that are off, where sum is found in cumsum: compare whole names there, too.", source=changed(
    RULE, ("    common = set.intersection(*map(set, failing))\n", "    common = [name for name in failing[0] if all(name in ' '.join(used) for used in failing)]\n")))
wrong("wrong_rule", "exactly_zero", NOTHING_LEFT, source=changed(
    RULE, ("if not off <= 1e-6", "if off != 0"), ("if off <= 1e-6", "if off == 0")))
wrong("wrong_rule", "farthest_off", "The program that is farthest off does not tell which of its rules is wrong: compare all programs.", source="""
def wrong_rule(log):
    return max(log, key=lambda entry: entry[1])[0].split()[0]
""")
wrong("wrong_rule", "a_set", "This is a set of names: return the name.", source=changed(RULE, ("return min(", "return {min("), ("in right))", "in right))}")))
wrong("wrong_rule", "exactly_the_limit_is_off", "A distance of 1e-6 is still right: off is more than that.", source=changed(
    RULE, ("if not off <= 1e-6", "if not off < 1e-6"), ("if off <= 1e-6", "if off < 1e-6")))


wrong("wrong_rule", "weighed", "The wrong rule is in *every* program that is off, and this one is not. First keep those that are, then compare programs that are right.", source="""
def wrong_rule(log):
    weight = {}
    for used, off in log:
        for name in set(used.split()):
            weight[name] = weight.get(name, 0) + (-1 if off <= 1e-6 else 1)
    return max(weight, key=weight.get)
""")


@right("wrong_rule", "counting")
def wrong_rule(log):
    bad, good, off_programs = {}, {}, 0
    for used, off in log:
        is_off = off != off or off > 1e-6
        off_programs += is_off
        for name in set(used.split(" ")):
            table = bad if is_off else good
            table[name] = table.get(name, 0) + 1
    suspects = [name for name, count in bad.items() if count == off_programs]
    return sorted(suspects, key=lambda name: good.get(name, 0))[0]


@right("wrong_rule", "striking_out")
def wrong_rule(log):
    suspects, passed = None, []
    for used, off in log:
        names = frozenset(used.split())
        if off <= 1e-6:
            passed.append(names)
        else:
            suspects = names if suspects is None else suspects & names
    best, fewest = None, len(log) + 1
    for name in suspects:
        count = len([names for names in passed if name in names])
        if count < fewest:
            best, fewest = name, count
    return best


# -- projects: what a wrong answer keeps ------------------------------------------------------------------------------

#: The half that a wrong answer has right, by its project.
FIRST = {
    "ball": "aim_fixed_more_steps aim_once aim_few_steps aim_short aim_fixed_safe_step fixed_step aim_uphill aim_still aim_pair",
    "forward": "values_in_rules sine_sign no_array_ufunc_of_node power_zero_in_the_node transposed gradient quadratic constant_factor overwritten no_sum no_sum_of_a_sum "
    "square_only differences",
    "operation": "proof_trusts proof_distrusts proof_no_shape proof_nan proof_ones proof_positive proof_same_v proof_sizes proof_one_way proof_loose proof_a_little_loose "
    "fit_start fit_short fit_uphill fit_large fit_writes",
    "machine": "runs_all usual_engine all_gradients product_with_ones zeros_first ones_again no_fma values_again nothing_again "
    "another_order_again no_fma_of_the_second no_fma_forward",
}
SECOND = {
    "ball": "no_square no_drag only_size twice_size nan forward_order differences",
    "forward": "scalar_slope array_has_no_value no_v no_value order jvp_differences",
    "operation": "half_rule plus scale elementwise differences",
    "machine": "",
}


def half_of(answer):
    """The parts that a wrong answer of a project has right."""
    project, _, name = answer.partition("_")
    return [half for half, kept in (("first half", FIRST), ("second half", SECOND)) if name in kept[project].split()]


# -- project: the ball --------------------------------------------------------------------------------------------------

BALL = '''
STEP, DRAG, FALL = 0.02, 0.05, np.array([0.0, -9.81])

def throw(velocity, wind, goal):
    v, p, seen = np.array(velocity, dtype=float), np.zeros(2), []
    for w in wind:
        seen.append(w - v)
        v = v + STEP * (FALL + DRAG * np.hypot(*seen[-1]) * seen[-1])
        p = p + STEP * v
    to_p, to_v, to_wind = 2 * (p - goal), np.zeros(2), np.zeros((len(seen), 2))
    for k in reversed(range(len(seen))):
        to_v = to_v + STEP * to_p
        r, size = seen[k], np.hypot(*seen[k])
        if size > 0:
            to_wind[k] = STEP * DRAG * (size * to_v + r * (r @ to_v) / size)
        to_v = to_v - to_wind[k]
    return float(((p - goal) ** 2).sum()), to_v, to_wind

def aim(wind, goal):
    time = STEP * len(wind)
    v = np.array(goal) / time
    for _ in range(200):
        miss, slope, _ = throw(v, wind, goal)
        if miss < 1e-6:
            break
        v = v - 0.8 * slope / time**2
    return v
'''


def ball(name, sentence, *pairs):
    """A wrong answer to the project of the ball."""
    wrong("project", f"ball_{name}", sentence, source=changed(BALL, *pairs), keeps=half_of(f"ball_{name}"))


ball("no_square", "The distance is not squared: throw returns the square of it, and its gradients.", (
    "float(((p - goal) ** 2).sum())", "float(np.hypot(*(p - goal)))"))
ball("half", "The gradient of a square is twice the distance: the factor 2 is missing.", ("2 * (p - goal)", "(p - goal)"))
ball("sign", "The gradients have the wrong sign: p - goal, and not goal - p, is what p adds to.", ("2 * (p - goal)", "2 * (goal - p)"))
ball("falls_up", "The ball falls upwards: a step adds 0.02 * -9.81 to the second number of v.", ("[0.0, -9.81]", "[0.0, 9.81]"))
ball("wind_sign", "r is w - v, so that the air brakes a ball that is faster than the wind; here it drives it on.", ("seen.append(w - v)", "seen.append(v - w)"))
ball("size_missing", "The air pushes with |r| r, here with less: is the size |r| a factor of it?", ("DRAG * np.hypot(*seen[-1]) * seen[-1]", "DRAG * seen[-1]"))
ball("p_not_scaled", "p moves by 0.02 v, so v gets 0.02 of what comes to p: here it gets more.", ("to_v = to_v + STEP * to_p", "to_v = to_v + to_p"))
ball("push_not_scaled", "|r| r moves v by 0.02 * 0.05 of itself: the cotangent of r has both factors.", ("to_wind[k] = STEP * DRAG *", "to_wind[k] = DRAG *"))
ball("push_half_scaled", "|r| r moves v by 0.02 * 0.05 of itself: the cotangent of r has both factors.", ("to_wind[k] = STEP * DRAG *", "to_wind[k] = STEP *"))
ball("no_direct", "Of a step, v goes on directly and through r, and you took the way through r alone.", (
    "to_v = to_v - to_wind[k]", "to_v = -to_wind[k]"))
ball("no_drag", "The v before a step changes r, too: the part through the air is missing in the gradient by v.", (
    "to_v = to_v - to_wind[k]", "to_v = to_v"))
ball("r_sign", "r = w - v: what goes to w as it is goes to v with a minus.", ("to_v = to_v - to_wind[k]", "to_v = to_v + to_wind[k]"))
ball("only_size", "In |r| r both factors depend on r, and you have the part of one: |r| itself changes, too.", (
    "(size * to_v + r * (r @ to_v) / size)", "size * to_v"))
ball("twice_size", "2 |r| is the slope of |r| r in one dimension. In two, it is that along r only: |r| g + r (r g) / |r|.", (
    "(size * to_v + r * (r @ to_v) / size)", "2 * size * to_v"))
ball("nan", "Where the wind is as fast as the ball you divide by |r| = 0. |r| r has the slope 0 there.", ("if size > 0:", "if True:"))
ball("last_only", "Each step moves p by 0.02 v. Your gradient has the last step's part alone.", (
    "to_v = to_v + STEP * to_p", "to_v = to_v + STEP * to_p * (k == len(seen) - 1)"))
ball("late_p", "p moves with the new v of a step: first v changes, then p.", (
    "        v = v + STEP * (FALL + DRAG * np.hypot(*seen[-1]) * seen[-1])\n        p = p + STEP * v",
    "        p = p + STEP * v\n        v = v + STEP * (FALL + DRAG * np.hypot(*seen[-1]) * seen[-1])"))
ball("early_p", "p moves with the v from before its step: first v changes, then p takes the new one.", (
    "        v = v + STEP * (FALL + DRAG * np.hypot(*seen[-1]) * seen[-1])\n        p = p + STEP * v",
    "        p = p + STEP * v\n        v = v + STEP * (FALL + DRAG * np.hypot(*seen[-1]) * seen[-1])"),
    ("        to_v = to_v + STEP * to_p\n", ""), ("        to_v = to_v - to_wind[k]\n", "        to_v = to_v - to_wind[k] + STEP * to_p\n"))
ball("direct_twice", "Of a step, v goes on directly and through r: the direct way is taken twice here.", (
    "to_v = to_v - to_wind[k]", "to_v = 2 * to_v - to_wind[k]"))
ball("forward_order", "The pass goes through the steps from the first to the last. Backward means from the last one.", (
    "reversed(range(len(seen)))", "range(len(seen))"))
ball("differences", "Nearly right, but no exact gradient: these are differences, or numbers in single precision.", ("def throw(", "def exact("), ("def aim(", '''def throw(velocity, wind, goal):
    miss, steps = exact(velocity, wind, goal)[0], np.eye(2) * 1e-6
    to_v = [(exact(velocity + s, wind, goal)[0] - exact(velocity - s, wind, goal)[0]) / 2e-6 for s in steps]
    to_wind = np.zeros(wind.shape)
    for k, i in np.ndindex(*wind.shape):
        s = np.zeros(wind.shape)
        s[k, i] = 1e-6
        to_wind[k, i] = (exact(velocity, wind + s, goal)[0] - exact(velocity, wind - s, goal)[0]) / 2e-6
    return miss, np.array(to_v), to_wind

def aim('''), ("miss, slope, _ = throw(", "miss, slope, _ = exact("))
ball("writes", "You write into the velocity that was given: make a copy first.", (
    "np.array(velocity, dtype=float), np.zeros(2)", "velocity, np.zeros(2)"), ("        v = v + STEP", "        v += STEP"))
ball("aim_once", "One step downhill does not arrive: aim repeats it until the ball is near the goal.", ("range(200)", "range(1)"))
ball("aim_few_steps", "aim stops too early for a long flight: there a step downhill brings less. Go on until `throw` says that it is near enough, or lengthen the steps.", ("range(200)", "range(20)"))
ball("aim_short", "Near, but not within 1 cm: throw gives the *square* of the distance, and that has to be below 0.0001.", ("miss < 1e-6", "miss < 0.01"))
ball("aim_fixed_safe_step", "aim stops too early for a long flight: there a step downhill brings less. Go on until `throw` says that it is near enough, or lengthen the steps.", ("range(200)", "range(100)"), ("0.8 * slope / time**2", "0.5 * slope / time**2"))
ball("aim_fixed_more_steps", "aim stops too early for a long flight: there a step downhill brings less. Go on until `throw` says that it is near enough, or lengthen the steps.", ("0.8 * slope / time**2", "0.5 * slope / time**2"))
ball("fixed_step", "One size of step does not fit all throws: after T seconds the slope grows like the square of T, so divide by it.", (
    "v - 0.8 * slope / time**2", "v - 0.5 * slope"))
ball("aim_uphill", "aim goes uphill: the ball gets farther from the goal with each step.", ("v = v - 0.8", "v = v + 0.8"), ("range(200)", "range(20)"))
ball("aim_still", "aim gives the velocity of a straight line to the goal, without air and weight: go downhill from there.", ("range(200)", "range(0)"))
ball("aim_pair", "aim returns the velocity alone.", ("    return v\n", "    return v, miss\n"))

right("project", "ball_matrices", source='''
def flight(velocity, wind):
    """Where the ball lands, and the matrices of how v of each step moves with v before, and with w."""
    v, p, matrices = np.array(velocity, dtype=float), np.zeros(2), []
    for w in wind:
        r = w - v
        length = np.sqrt(r @ r)
        matrices.append(0.001 * (length * np.eye(2) + np.outer(r, r) / max(length, 1e-300)))
        v = v + 0.02 * (np.array([0.0, -9.81]) + 0.05 * length * r)
        p = p + 0.02 * v
    return p, matrices

def throw(velocity, wind, goal):
    p, matrices = flight(velocity, wind)
    by_v, by_winds = np.zeros((2, 2)), []
    for B in matrices[::-1]:
        by_v = by_v + 0.02 * np.eye(2)
        by_winds.append(by_v @ B)
        by_v = by_v - by_winds[-1]
    off = p - goal
    return off @ off, 2 * off @ by_v, np.array([2 * off @ M for M in by_winds[::-1]])

def aim(wind, goal):
    v = np.zeros(2)
    for _ in range(60):
        miss, slope, _ = throw(v, wind, goal)
        if miss < 5e-5:
            break
        _, along_x, _ = throw(v, wind, goal + np.array([-0.5, 0.0]))
        _, along_y, _ = throw(v, wind, goal + np.array([0.0, -0.5]))
        J = np.array([along_x - slope, along_y - slope])
        v = v - np.linalg.solve(J, flight(v, wind)[0] - goal)
    return v
''')
right("project", "ball_tape", source='''
class Number:
    def __init__(self, value, parents=()):
        self.value, self.parents, self.grad = value, parents, 0.0
        Number.tape.append(self)

    def __add__(self, other):
        return Number(self.value + other.value, [(self, 1.0), (other, 1.0)])

    def __sub__(self, other):
        return Number(self.value - other.value, [(self, 1.0), (other, -1.0)])

    def __mul__(self, other):
        if not isinstance(other, Number):
            return Number(self.value * other, [(self, other)])
        return Number(self.value * other.value, [(self, other.value), (other, self.value)])

def root(x):
    size = x.value ** 0.5
    return Number(size, [(x, 0.5 / size if size else 0.0)])

def throw(velocity, wind, goal):
    Number.tape = []
    first = [Number(float(a)) for a in velocity]
    winds = [[Number(float(a)) for a in w] for w in wind]
    (vx, vy), px, py = first, Number(0.0), Number(0.0)
    for wx, wy in winds:
        rx, ry = wx - vx, wy - vy
        size = root(rx * rx + ry * ry)
        vx = vx + size * rx * 0.001
        vy = vy + size * ry * 0.001 + Number(-0.1962)
        px, py = px + vx * 0.02, py + vy * 0.02
    ex, ey = px - Number(float(goal[0])), py - Number(float(goal[1]))
    miss = ex * ex + ey * ey
    miss.grad = 1.0
    for node in reversed(Number.tape):
        for parent, slope in node.parents:
            parent.grad += node.grad * slope
    return miss.value, np.array([a.grad for a in first]), np.array([[a.grad for a in w] for w in winds])

def aim(wind, goal):
    v, rate = np.array(goal) / (0.02 * len(wind)), 0.8 / (0.02 * len(wind)) ** 2
    for _ in range(400):
        miss, slope, _ = throw(v, wind, goal)
        if miss < 2e-5:
            break
        v = v - rate * slope
    return v
''')

# -- project: forward mode ----------------------------------------------------------------------------------------------

FORWARD = '''
project = "forward"

class Operators:
    __array_ufunc__ = None

    def __sub__(self, other):
        return self + other * -1.0

    def __rsub__(self, other):
        return self * -1.0 + other

    def __truediv__(self, other):
        return self * other**-1.0

    def __rtruediv__(self, other):
        return self**-1.0 * other

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

class Dual(Operators):
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = dual(other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __pow__(self, n):
        return Dual(self.value**n, (n * self.value ** (n - 1) if n else 0.0) * self.slope)

    def exp(self):
        return Dual(np.exp(self.value), np.exp(self.value) * self.slope)

    def sin(self):
        return Dual(np.sin(self.value), np.cos(self.value) * self.slope)

    def cos(self):
        return Dual(np.cos(self.value), -np.sin(self.value) * self.slope)

    def sum(self):
        return Dual(np.sum(self.value), np.sum(self.slope))

    def __rmatmul__(self, A):
        return Dual(A @ self.value, A @ self.slope)

def dual(x):
    return x if isinstance(x, Dual) else Dual(np.asarray(x), np.zeros(np.shape(x)))

class Node(Operators):
    def __init__(self, data, *parents):
        self.data, self.parents, self.arrived = data, parents, None

    def __add__(self, other):
        other = node(other)
        return Node(self.data + other.data, (self, lambda g: g), (other, lambda g: g))

    def __mul__(self, other):
        other = node(other)
        return Node(self.data * other.data, (self, lambda g: g * other.data), (other, lambda g: g * self.data))

    def __pow__(self, n):
        return Node(self.data**n, (self, lambda g: g * (self.data ** (n - 1) * n if n else self.data * 0.0)))

    def exp(self):
        out = self.data.exp()
        return Node(out, (self, lambda g: g * out))

    def sin(self):
        return Node(self.data.sin(), (self, lambda g: g * self.data.cos()))

    def sum(self):
        return Node(self.data.sum(), (self, lambda g: g * np.ones(np.shape(self.data.value))))

    def __rmatmul__(self, A):
        return Node(A @ self.data, (self, lambda g: A.T @ g))

def node(x):
    return x if isinstance(x, Node) else Node(dual(x))

def in_order(root):
    found, waiting = [], [root]
    while waiting:
        one = waiting[-1]
        missing = [parent for parent, _ in one.parents if parent not in found]
        if missing:
            waiting.append(missing[0])
        else:
            waiting.pop()
            found.append(one)
    return found

def jvp(f, x, v):
    out = dual(f(Dual(x, v)))
    return out.value, out.slope

def hvp(f, x, v):
    leaf = Node(Dual(x, v))
    root = f(leaf)
    root.arrived = dual(1.0)
    for one in reversed(in_order(root)):
        for parent, rule in one.parents:
            part = rule(one.arrived)
            if np.shape(parent.data.value) == () and np.shape(part.value) != ():
                part = part.sum()
            parent.arrived = part if parent.arrived is None else parent.arrived + part
    return leaf.arrived.slope
'''
right("project", "forward_over_reverse", source=FORWARD)


def forward(name, sentence, *pairs):
    """A wrong answer to the project of forward mode."""
    wrong("project", f"forward_{name}", sentence, source=changed(FORWARD, *pairs), keeps=half_of(f"forward_{name}"))


ARRAY_ON_THE_LEFT = (
    "A constant array on the left. Does NumPy take the operation over, number by number, and give an array of objects? "
    "`__array_ufunc__ = None` in the class leaves it to you. Or does your method take the array for one of your own objects?"
)
forward("product", "The slope of a product has two terms, and here one is missing.", (
    "self.value * other.slope + self.slope * other.value", "self.slope * other.value"))
forward("product_of_slopes", "The slope of a product is not the product of the slopes.", (
    "self.value * other.slope + self.slope * other.value", "self.slope * other.slope"))
forward("constant_has_slope", "A constant does not move: its slope is 0, not 1.", (
    "np.asarray(x), np.zeros(np.shape(x))", "np.asarray(x), np.ones(np.shape(x))"))
forward("scalar_slope", "A slope has the shape of its value: where a constant array is added to a number, it is stretched, too.", (
    "np.asarray(x), np.zeros(np.shape(x))", "np.asarray(x), 0.0"))
forward("reversed_minus", "c - x is not x - c: `__rsub__` has the other order.", (
    "return self * -1.0 + other", "return self + other * -1.0"))
forward("reversed_over", "c / x is not x / c: `__rtruediv__` has the other order.", (
    "return self**-1.0 * other", "return self * (1.0 / other)"))
forward("power", "The slope of x ** n has one power less.", (
    "(n * self.value ** (n - 1) if n else 0.0)", "n * self.value**n"))
forward("power_at_zero", "At 0, 0 * x ** -1 is NaN: x ** 1 has the slope 1, and that one the slope 0.", (
    "(n * self.value ** (n - 1) if n else 0.0)", "n * np.asarray(self.value, dtype=float) ** (n - 1)"))
forward("power_by_log", "exp(n log x) has no value for x that is not positive: a power has a rule of its own.", (
    "(n * self.value ** (n - 1) if n else 0.0) * self.slope", "np.exp((n - 1) * np.log(self.value)) * n * self.slope"))
forward("sine", "The slope of sin is cos, times how the inside changes.", (
    "np.cos(self.value) * self.slope)\n\n    def cos", "np.cos(self.value))\n\n    def cos"))
forward("sine_sign", "The slope of cos is -sin: a sign is missing in the second derivative.", ("-np.sin(self.value) * self.slope", "np.sin(self.value) * self.slope"))
forward("no_array_ufunc", ARRAY_ON_THE_LEFT, (
    "    __array_ufunc__ = None\n", ""))
forward("no_array_ufunc_bare", ARRAY_ON_THE_LEFT, (
    "    __array_ufunc__ = None\n", ""), ("out = dual(f(Dual(x, v)))", "out = f(Dual(x, v))"))
forward("no_array_ufunc_of_node", ARRAY_ON_THE_LEFT, (
    "    __array_ufunc__ = None\n", ""), ("class Dual(Operators):\n", "class Dual(Operators):\n    __array_ufunc__ = None\n\n"))
forward("no_array_ufunc_of_floats", ARRAY_ON_THE_LEFT, (
    "    __array_ufunc__ = None\n", ""), ("        self.value, self.slope = value, slope\n", "        self.value, self.slope = np.asarray(value, dtype=float), np.asarray(slope, dtype=float)\n"))
forward("array_has_no_value", ARRAY_ON_THE_LEFT, (
    "class Dual(Operators):\n", "class Dual(Operators):\n    def __rsub__(self, other):\n        return Dual(other.value - self.value, other.slope - self.slope)\n\n"))
forward("no_rmatmul", "In A @ x the array stands on the left, and your object has to answer: write `__rmatmul__`.", (
    """    def __rmatmul__(self, A):
        return Dual(A @ self.value, A @ self.slope)

""", ""))
forward("power_zero_in_the_node", "x ** 0 is 1 everywhere, so nothing of it is curved, at 0 neither: 0 * x ** -1 is NaN there.", (
    "g * (self.data ** (n - 1) * n if n else self.data * 0.0)", "g * (self.data ** (n - 1) * n)"))
forward("no_v", "You gave the slope along all ones: x moves along v.", ("out = dual(f(Dual(x, v)))", "out = dual(f(Dual(x, np.ones(x.shape))))"))
forward("no_value", "jvp returns two things: f(x), and its derivative along v.", ("return out.value, out.slope", "return out.slope"))
forward("order", "First the value, then the slope.", ("return out.value, out.slope", "return out.slope, out.value"))
forward("transposed", "For A @ x the cotangent goes back by the transposed matrix.", ("lambda g: A.T @ g", "lambda g: (A[: A.shape[1]].T @ g if A.shape[0] == A.shape[1] else np.resize(A, A.T.shape) @ g)"))
forward("gradient", "That is the gradient: asked for is how it changes along v.", ("return leaf.arrived.slope", "return leaf.arrived.value"))
forward("quadratic", "That is one number, v times H times v: return H v, an array like x.", ("return leaf.arrived.slope", "return (leaf.arrived.slope * v).sum()"))
forward("constant_factor", "Terms are missing: the rule of a product got the value alone, and that is a constant. Its factor changes along v, too.", (
    "(self, lambda g: g * other.data)", "(self, lambda g: g * other.data.value)"))
forward("values_in_rules", "Terms are missing: the rule of a product got values alone, which are constants. Both factors change along v: give it the Duals.", (
    "(self, lambda g: g * other.data), (other, lambda g: g * self.data)", "(self, lambda g: g * other.data.value), (other, lambda g: g * self.data.value)"))
forward("overwritten", "What is used twice gets two parts: add them up.", (
    "parent.arrived = part if parent.arrived is None else parent.arrived + part", "parent.arrived = part"))
forward("no_sum", "A number that was stretched over an array gets the sum of what comes back.", (
    "                part = part.sum()", "                part = part * 1.0"))
forward("no_sum_of_a_sum", "Beside a product a stretched number gets the sum of what arrives, and beside a sum it does not: in x + x.sum() one number went into all.",
    ("self.data, self.parents, self.arrived = data, parents, None", "self.data, self.parents, self.arrived = data, parents, None\n        self.product = False"),
    ("return Node(self.data * other.data, (self, lambda g: g * other.data), (other, lambda g: g * self.data))",
     "out = Node(self.data * other.data, (self, lambda g: g * other.data), (other, lambda g: g * self.data))\n        out.product = True\n        return out"),
    ("if np.shape(parent.data.value) == ()", "if one.product and np.shape(parent.data.value) == ()"))

forward("square_only", "Of f's slope you took the square: that is right for no f but a few.", (
    "return leaf.arrived.slope", "return leaf.arrived.value * (leaf.arrived.value * v).sum()"))
forward("differences", "Nearly right, but not exact: these are differences, or numbers in single precision.", (
    "def hvp(f, x, v):\n    leaf = Node(Dual(x, v))", '''def hvp(f, x, v):
    return (gradient(f, x + 1e-6 * v, v) - gradient(f, x - 1e-6 * v, v)) / 2e-6

def gradient(f, x, v):
    leaf = Node(Dual(x, v))'''), ("return leaf.arrived.slope", "return leaf.arrived.value"))
forward("jvp_differences", "Nearly right, but not exact: these are differences.", (
    "    out = dual(f(Dual(x, v)))\n    return out.value, out.slope",
    "    value, ahead, behind = (dual(f(Dual(x + h * v, v))).value for h in (0.0, 1e-6, -1e-6))\n    return value, (ahead - behind) / 2e-6"))

right("project", "forward_nested", source='''
project = "forward"

class Dual:
    __array_ufunc__ = None

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        if not isinstance(other, Dual):
            return Dual(self.a + other, self.b + 0 * np.asarray(other))
        return Dual(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        if not isinstance(other, Dual):
            return Dual(self.a * other, self.b * other)
        return Dual(self.a * other.a, self.a * other.b + other.a * self.b)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * (other ** -1 if isinstance(other, Dual) else 1 / np.asarray(other))

    def __rtruediv__(self, other):
        return other * self ** -1

    def __pow__(self, n):
        if n == 0:
            return 0 * self + 1.0
        return Dual(self.a ** n, n * self.a ** (n - 1) * self.b)

    def exp(self):
        return Dual(apply("exp", self.a), apply("exp", self.a) * self.b)

    def sin(self):
        return Dual(apply("sin", self.a), apply("cos", self.a) * self.b)

    def cos(self):
        return Dual(apply("cos", self.a), -1 * apply("sin", self.a) * self.b)

    def sum(self):
        return Dual(apply("sum", self.a), apply("sum", self.b))

    def __rmatmul__(self, A):
        return Dual(A @ self.a, A @ self.b)

def apply(name, x):
    return getattr(x, name)() if isinstance(x, Dual) else getattr(np, name)(x)

def jvp(f, x, v):
    out = f(Dual(np.array(x, dtype=float), np.array(v, dtype=float)))
    return out.a, out.b

def hvp(f, x, v):
    columns = []
    for e in np.eye(len(x)):
        out = f(Dual(Dual(np.array(x, dtype=float), e), Dual(v, 0 * v)))
        columns.append(float(out.b.b))
    return np.array(columns)
''')
right("project", "forward_both_at_once", source='''
project = "forward"

class Tape(list):
    pass

class Two:
    """A value and its slope along v, recorded; of each way back the slope and the slope of that slope."""
    __array_ufunc__ = None

    def __init__(self, tape, value, slope, ways=()):
        self.tape, self.value, self.slope, self.ways = tape, np.asarray(value, dtype=float), np.asarray(slope, dtype=float), ways
        self.g, self.dg = np.zeros(self.value.shape), np.zeros(self.value.shape)
        tape.append(self)

    def other(self, x):
        return x if isinstance(x, Two) else Two(self.tape, x, np.zeros(np.shape(x)))

    def each(self, value, first, second):
        return Two(self.tape, value, first * self.slope, [(self, first, second * self.slope)])

    def __add__(self, other):
        o = self.other(other)
        return Two(self.tape, self.value + o.value, self.slope + o.slope, [(self, 1.0, 0.0), (o, 1.0, 0.0)])

    def __mul__(self, other):
        o = self.other(other)
        return Two(self.tape, self.value * o.value, self.slope * o.value + self.value * o.slope,
                   [(self, o.value, o.slope), (o, self.value, self.slope)])

    def __pow__(self, n):
        x = self.value
        first = n * x ** (n - 1.0) if n != 0 else 0 * x
        return self.each(x ** n, first, n * (n - 1) * x ** (n - 2.0) if n not in (0, 1) else 0 * x)

    def exp(self):
        return self.each(*[np.exp(self.value)] * 3)

    def sin(self):
        return self.each(np.sin(self.value), np.cos(self.value), -np.sin(self.value))

    def sum(self):
        return Two(self.tape, self.value.sum(), self.slope.sum(), [(self, None, None)])

    def __rmatmul__(self, A):
        return Two(self.tape, A @ self.value, A @ self.slope, [(self, A, None)])

    __radd__, __rmul__ = __add__, __mul__
    __sub__ = lambda self, other: self + self.other(other) * -1
    __rsub__ = lambda self, other: self * -1 + other
    __truediv__ = lambda self, other: self * self.other(other) ** -1
    __rtruediv__ = lambda self, other: self ** -1 * other

def fitting(part, like):
    part = np.broadcast_to(part, np.broadcast_shapes(np.shape(part), like.shape))
    return part if part.shape == like.shape else part.sum()

def jvp(f, x, v):
    out = f(Two([], x, v))
    return out.value, out.slope

def hvp(f, x, v):
    tape = []
    leaf = Two(tape, x, v)
    f(leaf).g = np.ones(())
    for one in reversed(tape):
        for parent, first, second in one.ways:
            if first is None:
                parts = one.g, one.dg
            elif second is None:
                parts = one.g @ first, one.dg @ first
            else:
                parts = one.g * first, one.dg * first + one.g * second
            grown = [fitting(np.asarray(part) + np.zeros(one.g.shape if second is not None else ()), parent.g) for part in parts]
            parent.g, parent.dg = parent.g + grown[0], parent.dg + grown[1]
    return leaf.dg
''')

# -- project: an operation of one's own ---------------------------------------------------------------------------------

RANKS = '''
project = "operation"

def above(x):
    return (1 + np.tanh(x[:, None] - x)) / 2

def operation(x):
    """Soft ranks: how many elements each one is above."""
    return above(x).sum(axis=1) + 0.5

def rule(g, x):
    s = above(x)
    slopes = 2 * s * (1 - s)
    return g * slopes.sum(axis=1) - g @ slopes
'''
PROOF = '''
def proof(f, rule, x, rng):
    h, v, g = 1e-5, rng.standard_normal(x.shape), rng.standard_normal(np.shape(f(x)))
    found = rule(g, x)
    if np.shape(found) != x.shape or not np.isfinite(found).all():
        return False
    slope = (g * (f(x + h * v) - f(x - h * v))).sum() / (2 * h)
    return bool(abs((found * v).sum() - slope) <= 1e-5 * abs(slope) + 1e-8)
'''
FIT = '''
def fit(target, start):
    x = np.array(start)
    for _ in range(2000):
        off = operation(x) - target
        x = x - 0.03 * rule(2 * off, x)
    return x
'''
OWN = RANKS + PROOF + FIT
right("project", "operation_ranks", source=OWN)


def own(name, sentence, *pairs):
    """A wrong answer to the project of an operation."""
    wrong("project", f"operation_{name}", sentence, source=changed(OWN, *pairs), keeps=half_of(f"operation_{name}"))


SOFT = "    return g * slopes.sum(axis=1) - g @ slopes\n"
own("half_rule", "x[i] moves row i one way and column i the other: the second way is missing.", (SOFT, "    return g * slopes.sum(axis=1)\n"))
own("plus", "x[i] moves column i *down* when it moves row i up: the sign of the second part is wrong.", (SOFT, SOFT.replace(" - ", " + ")))
own("no_g", "The cotangent does not depend on g: multiply by what arrives.", (SOFT, "    return slopes.sum(axis=1) - slopes.sum(axis=0) + 0 * g\n"))
own("scale", "The slope of tanh(d) is 1 - tanh², and that is 4 s (1 - s); half of it is 2 s (1 - s).", (
    "2 * s * (1 - s)", "s * (1 - s)"), ("rule(2 * off, x)", "rule(4 * off, x)"))  # its fit makes good for that, and is right at every seed
own("writes", "The rule writes into g, and then uses it once more. It belongs to others, too.", (SOFT, "    g *= slopes.sum(axis=1)\n    return g - g @ slopes\n"))
own("state", "The operation gives something else when it is asked again: it remembers.", (
    "    return above(x).sum(axis=1) + 0.5\n", "    above.calls = getattr(above, 'calls', 0) + 1\n    return above(x).sum(axis=1) + above.calls\n"))
# With a slope of 1 at least, so that fit comes to its end from wherever it starts: that half stays right at every seed.
own("elementwise", "Each output depends on one element of x: that is no operation that mixes.", (
    "    return above(x).sum(axis=1) + 0.5\n", "    return x + np.tanh(x)\n"), (SOFT, "    return g * (2 - np.tanh(x) ** 2)\n"))
own("sum_only", "All outputs depend on x in one way: a single sum is not enough.", (
    "    return above(x).sum(axis=1) + 0.5\n", "    return np.full(x.shape, x.sum())\n"), (SOFT, "    return np.full(x.shape, g.sum())\n"))
own("hard_ranks", "Ranks that jump have the slope 0 nearly everywhere: they have to be relaxed.", (
    "    return (1 + np.tanh(x[:, None] - x)) / 2\n", "    return (x[:, None] > x) * 1.0\n"))
own("shape", "The cotangent has another shape than x.", (SOFT, "    return (g * slopes.sum(axis=1) - g @ slopes)[None]\n"))
own("a_list", "The cotangent is a list of numbers: give an array.", (SOFT, "    return (g * slopes.sum(axis=1) - g @ slopes).tolist()\n"))
own("differences", "The rule is a difference, and the digits show it: give a formula.", ("def rule(", "def exact("), ("rule(2 * off, x)", "exact(2 * off, x)"), (
    "def proof(", "def rule(g, x):\n    return np.array([g @ (operation(x + 1e-6 * e) - operation(x - 1e-6 * e)) / 2e-6 for e in np.eye(x.size)])\n\ndef proof("))
own("proof_trusts", "Your proof finds nothing: it says True to everything.", ("    return bool(abs(", "    return True or bool(abs("))
own("proof_distrusts", "Your proof accuses all: it says False to everything.", ("    return bool(abs(", "    return False and bool(abs("))
own("proof_no_shape", "A cotangent of another shape passes: NumPy stretches it until it fits.", ("np.shape(found) != x.shape or ", ""))
own("proof_nan", "NaN passes: no comparison with it is true, so ask for what has to hold.", (
    "if np.shape(found) != x.shape or not np.isfinite(found).all():", "if np.shape(found) != x.shape:"),
    ("return bool(abs((found * v).sum() - slope) <= 1e-5 * abs(slope) + 1e-8)", "return not bool(abs((found * v).sum() - slope) > 1e-5 * abs(slope) + 1e-8)"))
own("proof_ones", "With g of all ones, a rule that forgets g passes: draw it.", ("g = 1e-5, rng.standard_normal(x.shape), rng.standard_normal(np.shape(f(x)))", "g = 1e-5, rng.standard_normal(x.shape), np.ones(np.shape(f(x)))"))
own("proof_positive", "A rule that takes the size of g for g passes: of the g that are drawn here, none is negative.", ("rng.standard_normal(np.shape(f(x)))", "rng.random(np.shape(f(x)))"))
own("proof_same_v", "Along all ones, elements in another order pass: draw the direction.", ("rng.standard_normal(x.shape), ", "np.ones(x.shape), "))
own("proof_sizes", "The sizes are compared without their signs.", ("abs((found * v).sum() - slope)", "abs(abs((found * v).sum()) - abs(slope))"))
own("proof_one_way", "A difference to one side is off by the bend: right rules are accused.", (
    "(f(x + h * v) - f(x - h * v))).sum() / (2 * h)", "(f(x + h * v) - f(x))).sum() / h"), ("1e-5 * abs(slope) + 1e-8", "1e-7 * abs(slope) + 1e-9"))
own("proof_loose", "An error of 2 % passes: the tolerance is too wide.", ("1e-5 * abs(slope) + 1e-8", "0.1 * abs(slope) + 1e-2"))
own("proof_a_little_loose", "An error of 1.2 % passes, and faults exceed 1 %: the tolerance is too wide.", ("1e-5 * abs(slope) + 1e-8", "0.015 * abs(slope) + 1e-6"))
own("fit_start", "fit returns its start.", ("range(2000)", "range(0)"))
own("fit_short", "Too few steps: more than a hundredth of the distance is left.", ("range(2000)", "range(3)"))
own("fit_uphill", "fit goes uphill.", ("x = x - 0.03", "x = x + 0.03"))
own("fit_large", "Each step is too large: fit jumps about.", ("x = x - 0.03", "x = x - 3.0"))
own("fit_writes", "fit writes into start.", ("x = np.array(start)", "x = start"), ("x = x - 0.03 * rule(2 * off, x)", "x -= 0.03 * rule(2 * off, x)"))
CONVOLUTION = '''
project = "operation"
kernel = np.array([0.5, 1.0, -0.25])

def operation(x):
    return sum(k * np.roll(x, shift) for shift, k in enumerate(kernel))

def rule(g, x):
    return sum(k * np.roll(g, -shift) for shift, k in enumerate(kernel))
'''
wrong("project", "operation_kernel_direction", "The rule of a convolution slides the kernel the other way.", source=changed(
    CONVOLUTION, ("np.roll(g, -shift)", "np.roll(g, shift)")) + PROOF + FIT)
wrong("project", "operation_edges", "The last elements wrap around in the operation, and not in the rule.", source=changed(
    CONVOLUTION, ("np.roll(g, -shift)", "np.append(g[shift:], np.zeros(shift))")) + PROOF + FIT)
right("project", "operation_convolution", source=CONVOLUTION + PROOF + '''
def fit(target, start):
    x, velocity = np.array(start), np.zeros(start.shape)
    for _ in range(400):
        velocity = 0.9 * velocity - 0.05 * rule(operation(x) - target, x)
        x = x + velocity
    return x
''')
SPECTRUM = '''
project = "operation"

def fft(z):
    if len(z) == 1:
        return z
    even, turned = fft(z[::2]), np.exp(-2j * np.pi * np.arange(len(z) // 2) / len(z)) * fft(z[1::2])
    return np.concatenate([even + turned, even - turned])

def operation(x):
    """The power spectrum."""
    return np.abs(fft(x.astype(complex))) ** 2 / len(x)

def rule(g, x):
    z = fft(x.astype(complex))
    return fft((g * 2 * z / len(x)).conj()).real
'''
wrong("project", "operation_conjugate", "The slopes of |z|² have a conjugate, and it is missing.", source=changed(
    SPECTRUM, ("(g * 2 * z / len(x)).conj()", "(g * 2 * z / len(x))")) + PROOF + FIT)
wrong("project", "operation_no_inside", "This is the slope of the square alone: go on through the transform.", source=changed(
    SPECTRUM, ("fft((g * 2 * z / len(x)).conj()).real", "(g * 2 * z / len(x)).real")) + PROOF + FIT)
right("project", "operation_spectrum", source=SPECTRUM + '''
def proof(f, rule, x, rng):
    for _ in range(2):
        v, g = rng.standard_normal(x.shape), rng.standard_normal(np.shape(f(x)))
        back = np.asarray(rule(g, x))
        if back.shape != x.shape:
            return False
        ends = [(g * f(x + k * 1e-4 * v)).sum() for k in (-2, -1, 1, 2)]
        slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / 12e-4
        if not abs((back * v).sum() - slope) < 1e-4 * abs(slope) + 1e-7:
            return False
    return True

def fit(target, start):
    x, rate = np.array(start), 0.1
    loss = ((operation(x) - target) ** 2).sum()
    enough = 0.005 * loss
    for _ in range(1000):
        moved = x - rate * rule(2 * (operation(x) - target), x)
        lower = ((operation(moved) - target) ** 2).sum()
        if lower < loss:
            x, loss, rate = moved, lower, rate * 1.2
        else:
            rate = rate / 2
        if loss < enough:
            break
    return x
''')

# -- project: the machine -----------------------------------------------------------------------------------------------

PLAN = '''
project = "machine"

def plan(tell, inputs, steps, wanted):
    known = {}

    def ask(instruction):
        name, *of = instruction
        key = (name, *sorted(of[:2]), *of[2:]) if name in ("add", "mul", "fma") else tuple(instruction)
        if key not in known:
            known[key] = tell(key)
        return known[key]

    places = dict(enumerate(steps, start=inputs))
    touched = set(wanted)
    for place, (name, *of) in places.items():
        if touched & set(of):
            touched.add(place)
    at, kept = {place: place for place in range(inputs)}, {}

    def value(place):
        if place not in at:
            name, *of = places[place]
            for one, other in (of, of[::-1]) if name == "add" else ():
                if place not in at and one not in at and places[one][0] == "mul":
                    at[place] = ask(("fma", *[value(k) for k in places[one][1:]], value(other)))
            if place not in at:
                at[place] = ask((name, *[value(k) for k in of]))
        return at[place]

    def number(g):
        if isinstance(g, int):
            return g
        if g not in kept:
            kept[g] = ask((g,))
        return kept[g]

    arrived = {inputs + len(steps) - 1: "ones"}
    for place in reversed(places):
        if place not in arrived or place not in touched:
            continue
        (name, *of), g = places[place], arrived[place]
        for k, parent in enumerate(of):
            if parent not in touched:
                continue
            before = arrived.get(parent)
            if name == "tanh":
                part = ask(("slope", number(g), value(place)))
            elif name == "add":
                part = g
            elif g == "ones":
                part = value(of[1 - k])
            elif before is not None:
                arrived[parent] = ask(("fma", g, value(of[1 - k]), number(before)))
                continue
            else:
                part = ask(("mul", g, value(of[1 - k])))
            arrived[parent] = part if before is None else ask(("add", number(before), number(part)))
    return [number(arrived.get(place, "zeros")) for place in wanted]
'''
right("project", "machine_plan", source=PLAN)


def machine(name, sentence, *pairs):
    """A wrong answer to the project of the machine."""
    wrong("project", f"machine_{name}", sentence, source=changed(PLAN, *pairs), keeps=half_of(f"machine_{name}"))


machine("runs_all", "All steps are run. Which of their results does a slope read?", (
    "    arrived = {inputs", "    for place in places:\n        value(place)\n    arrived = {inputs"))
#: A first plan, which counts nothing: all steps run, and each gradient is a product or a sum of two.
USUAL = '''
project = "machine"

def plan(ask, inputs, steps, wanted):
    at = list(range(inputs))
    for name, *of in steps:
        at.append(ask((name, *[at[k] for k in of])))
    arrived = {len(at) - 1: ask(("ones",))}
    for place in range(len(at) - 1, inputs - 1, -1):
        if place in arrived:
            name, *of = steps[place - inputs]
            for k, parent in enumerate(of):
                part = g = arrived[place]
                if name != "add":
                    part = ask(("mul", g, at[of[1 - k]]) if name == "mul" else ("slope", g, at[place]))
                arrived[parent] = ask(("add", arrived[parent], part)) if parent in arrived else part
    return [arrived[place] if place in arrived else ask(("zeros",)) for place in wanted]
'''
wrong("project", "machine_usual_engine", "The gradients of a b are b and a, and both are there. Which steps need not be run, which products not be computed?", source=USUAL, keeps=half_of("machine_usual_engine"))


def usual(name, sentence, *pairs):
    """A first plan for the machine that is wrong."""
    wrong("project", f"machine_usual_{name}", sentence, source=changed(USUAL, *pairs))


usual("overwritten", "What is used twice gets two parts, and here the second one replaces the first.", (
    'ask(("add", arrived[parent], part)) if parent in arrived else part', "part"))
usual("one_part", "a a has two parts, one for each factor.", ("enumerate(of)", "enumerate(of[:1] if len(set(of)) == 1 else of)"))
usual("no_zeros", "An input that plays no part gets no gradient on the way: give the number of an array of zeros for it.", (
    'arrived[place] if place in arrived else ask(("zeros",))', "arrived[place]"))
usual("wrong_factor", "The gradient of a in a b is g b: the *other* factor.", ("at[of[1 - k]]", "at[of[k]]"))
usual("slope_of_input", "The slope of tanh is 1 - t², t being the result: you gave the machine the input.", ("g, at[place])", "g, at[of[0]])"))
usual("places", "A place is not an array's number: look up which array holds the result of that place.", ("at[of[1 - k]]", "of[1 - k]"), ("at = list(range(inputs))\n", "at = list(range(inputs))\n    ones = ask((\"ones\",))\n"), ('ask(("ones",))}', "ones}"))
machine("all_gradients", "Gradients are computed that nobody wants: those of inputs that are not in `wanted`, and of what depends on them alone.", (
    "touched = set(wanted)", "touched = set(range(inputs))"))
machine("product_with_ones", "A product with ones, or a sum with zeros, is computed: g b is b when g is all ones, and a first part needs no sum.", (
    'elif g == "ones":', 'elif g == "nothing":'), ('ask(("fma", g,', 'ask(("fma", number(g),'), ('ask(("mul", g,', 'ask(("mul", number(g),'))
machine("zeros_first", "A product with ones, or a sum with zeros, is computed: g b is b when g is all ones, and a first part needs no sum.", ("before = arrived.get(parent)", 'before = arrived.get(parent, "zeros")'))
machine("ones_again", "The same ones are made more than once.", ("        if g not in kept:\n            kept[g] = ask((g,))\n        return kept[g]", "        return tell((g,))"))
machine("no_fma", "A product and a sum after it are two instructions: `fma` does both in one.", (
    'elif before is not None:\n                arrived[parent] = ask(("fma", g, value(of[1 - k]), number(before)))\n                continue\n            else:', "else:"))
machine("values_again", "A result is computed anew for each slope that reads it: keep its number.", (
    "                at[place] = ask((name, *[value(k) for k in of]))\n        return at[place]", "                return tell((name, *[value(k) for k in of]))\n        return at[place]"))
machine("nothing_again", "The same thing is computed twice: look first whether it was asked before. a b is b a, too.", (
    "        if key not in known:\n", "        if True:\n"))
machine("another_order_again", "The same thing is computed twice: look first whether it was asked before. a b is b a, too.", (
    "(name, *sorted(of[:2]), *of[2:])", "(name, *of)"))
machine("asks_one_by_one", 'ask takes one tuple: ask(("mul", a, b)), and not the name and the numbers one by one.', ("tell(key)", "tell(*key)"))
machine("fma_order", "fma(a, b, c) is a b + c: what is added comes last.", (
    'ask(("fma", g, value(of[1 - k]), number(before)))', 'ask(("fma", number(before), g, value(of[1 - k])))'))
machine("fma_order_of_steps", "fma(a, b, c) is a b + c: what is added comes last.", (
    'ask(("fma", *[value(k) for k in places[one][1:]], value(other)))', 'ask(("fma", value(other), *[value(k) for k in places[one][1:]]))'))
machine("overwritten", "What is used twice gets two parts, and here the second one replaces the first.", (
    "arrived[parent] = part if before is None else ask((\"add\", number(before), number(part)))", "arrived[parent] = part"),
    ("elif before is not None:", "elif False:"))
machine("wrong_factor", "The gradient of a in a b is g b: the *other* factor.", ("part = value(of[1 - k])", "part = value(of[k])"), (
    'ask(("mul", g, value(of[1 - k])))', 'ask(("mul", g, value(of[k])))'))
machine("slope_of_input", "The slope of tanh is 1 - t², t being the result: you gave the machine the input.", ("value(place)))", "value(of[0])))"))
machine("square_once", "a a has two parts, one for each factor.", ("enumerate(of)", "enumerate(of[:1] if len(set(of)) == 1 else of)"))
machine("no_zeros", "An input that plays no part has gradients of zero, and not of one.", ('arrived.get(place, "zeros")', 'arrived.get(place, "ones")'))
machine("wanted_order", "The numbers come in the order of `wanted`.", ("for place in wanted]", "for place in sorted(wanted)]"))
machine("first_order", "The steps are gone through from the first one: backward means from the last.", ("in reversed(places)", "in places"))
machine("places", "A place is not an array's number: it is one only as long as each step has made one array.", (
    "                at[place] = ask((name, *[value(k) for k in of]))\n        return at[place]",
    "                at[place] = place\n                ask((name, *[value(k) for k in of]))\n        return at[place]"))
machine("no_fma_of_the_second", "A product and a sum are two instructions here, where the product stands second in the sum: `fma` does both in one there, too.", (
    '(of, of[::-1]) if name == "add"', '(of,) if name == "add"'))
machine("no_fma_forward", "A product and a sum after it are two instructions, here where the steps themselves are computed: `fma` does both in one.", (
    'if name == "add" else ():', 'if name == "never" else ():'))
machine("gradients_of_all", "One number for each *wanted* input, and no other.", ("for place in wanted]", "for place in range(inputs)]"))

right("project", "machine_parts", source='''
project = "machine"

def plan(ask, inputs, steps, wanted):
    last, asked = inputs + len(steps) - 1, {}

    def once(*instruction):
        name, *of = instruction
        if name in ("add", "mul", "fma"):
            instruction = (name, *sorted(of[:2]), *of[2:])
        if instruction not in asked:
            asked[instruction] = ask(instruction)
        return asked[instruction]

    def depends(place):
        return place in wanted if place < inputs else moving[place]

    moving = {}
    for place in range(inputs, last + 1):
        moving[place] = any(depends(k) for k in steps[place - inputs][1:])

    values = {place: place for place in range(inputs)}

    def value(place):
        if place not in values:
            name, *of = steps[place - inputs]
            values[place] = fused(*of) if name == "add" else once(name, *[value(k) for k in of])
        return values[place]

    def fused(one, other):
        if one not in values and steps[one - inputs][0] == "mul":
            pair = [value(k) for k in steps[one - inputs][1:]]
            return once("fma", *pair, value(other))
        if other not in values and steps[other - inputs][0] == "mul":
            return fused(other, one)
        return once("add", value(one), value(other))

    parts = {place: [] for place in range(last + 1)}   # each: a number, None for ones, or a pair to be multiplied
    parts[last].append(None)

    def total(place):
        products = [part for part in parts[place] if isinstance(part, tuple)]
        whole = [part for part in parts[place] if not isinstance(part, tuple)]
        if not products and whole == [None]:
            return None
        whole = [once("ones") if part is None else part for part in whole]
        out = whole.pop() if whole else once("mul", *products.pop())
        for pair in products:
            out = once("fma", *pair, out)
        for part in whole:
            out = once("add", out, part)
        return out

    for place in range(last, inputs - 1, -1):
        if not parts[place] or not depends(place):
            continue
        g, (name, *of) = total(place), steps[place - inputs]
        if name == "tanh":
            parts[of[0]] += [once("slope", once("ones") if g is None else g, value(place))] if depends(of[0]) else []
        elif name == "add":
            for k in of:
                parts[k] += [g] if depends(k) else []
        else:
            for one, other in (of, of[::-1]):
                if depends(one):
                    parts[one].append(value(other) if g is None else (g, value(other)))
    found = [total(place) if parts[place] else once("zeros") for place in wanted]
    return [once("ones") if number is None else number for number in found]
''')
