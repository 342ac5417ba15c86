"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 08_layers`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (Tensor, Module, Parameter, np) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- linear -----------------------------------------------------------------------------------------------------------


@wrong("linear", "not_transposed", "The rows of weight belong to the outputs, so x meets its transpose.")
def linear(x, weight, bias=None):
    out = x @ weight
    return out if bias is None else out + bias


@wrong(
    "linear",
    "no_bias",
    "The products are right, and the bias is missing: it is added to each row of the result.",
)
def linear(x, weight, bias=None):
    return x @ weight.T


@wrong("linear", "always_adds", "A layer may have no bias. Then it is None, and None cannot be added.")
def linear(x, weight, bias=None):
    return x @ weight.T + bias


@wrong(
    "linear",
    "leaves_the_graph",
    "The numbers are right, and no gradient can come back: they were taken out of the graph, as `.data` and `no_grad` do.",
)
def linear(x, weight, bias=None):
    out = x.data @ weight.data.T
    return Tensor(out if bias is None else out + bias.data)


@wrong(
    "linear",
    "bias_is_a_constant",
    "No gradient arrives at the bias, which holds zeros here: its numbers alone were added, or it was left out for what it holds. Add the Tensor itself, unless it `is None`.",
)
def linear(x, weight, bias=None):
    out = x @ weight.T
    return out if bias is None else out + bias.data


@wrong(
    "linear",
    "weight_first",
    "It fits an x of one axis or two, and not of three: `x.T`, as in `weight @ x.T`, turns all axes round. Let x come first, as it is.",
)
def linear(x, weight, bias=None):
    out = (weight @ x.T).T
    return out if bias is None else out + bias


@wrong("linear", "bias_subtracted", "The bias is added, and here it is taken off.")
def linear(x, weight, bias=None):
    out = x @ weight.T
    return out if bias is None else out - bias


TRUTH = "`if bias`, `bias or 0` and `bias != None` ask whether a whole array is true: ask whether it `is None`."


@wrong("linear", "truth_of_the_bias", TRUTH)
def linear(x, weight, bias=None):
    out = x @ weight.T
    if bias:
        out = out + bias
    return out


@wrong("linear", "bias_or_0", TRUTH)
def linear(x, weight, bias=None):
    return x @ weight.T + (bias or 0)


@wrong(
    "linear",
    "turned_for_good",
    "The shapes do not fit, though they did before: the rows of weight belong to the outputs, so x meets `weight.T`, and weight itself stays as it is.",
)
def linear(x, weight, bias=None):
    weight.data = weight.data.T.copy()
    out = x @ weight
    return out if bias is None else out + bias


@wrong(
    "linear",
    "always_two_axes",
    "A single example of one axis comes back with two, or more than two axes as two: let x keep the axes that it has.",
)
def linear(x, weight, bias=None):
    out = x.reshape(-1, weight.shape[1]) @ weight.T
    return out if bias is None else out + bias


@wrong(
    "linear",
    "returns_an_array",
    "An array is returned, so no gradient can come back. Compute with the Tensors.",
)
def linear(x, weight, bias=None):
    out = x.data @ weight.data.T
    return out if bias is None else out + bias.data


@wrong(
    "linear",
    "reshaped",
    "`reshape` keeps the order of the numbers and breaks the rows elsewhere. `.T` turns rows into columns.",
)
def linear(x, weight, bias=None):
    out = x @ weight.reshape(weight.shape[1], weight.shape[0])
    return out if bias is None else out + bias


@wrong(
    "linear",
    "product_of_data",
    "The product was computed outside the graph, as from `.data`: x and weight get no gradient. Multiply the Tensors.",
)
def linear(x, weight, bias=None):
    out = Tensor(x.data @ weight.data.T)
    return out if bias is None else out + bias


@wrong(
    "linear",
    "x_taken_out",
    "No gradient arrives at x: its numbers alone were taken, outside the graph. Multiply the Tensor x itself.",
)
def linear(x, weight, bias=None):
    out = Tensor(x.data) @ weight.T
    return out if bias is None else out + bias


@wrong(
    "linear",
    "weight_taken_out",
    "No gradient arrives at weight: its numbers alone were taken, outside the graph. Multiply by the Tensor itself.",
)
def linear(x, weight, bias=None):
    out = x @ Tensor(weight.data.T)
    return out if bias is None else out + bias


@right("linear", "swapaxes")
def linear(x, weight, bias=None):
    if bias is None:
        return x.matmul(weight.swapaxes(0, 1))
    return bias + x.matmul(weight.swapaxes(0, 1))


@right("linear", "neuron_by_neuron")
def linear(x, weight, bias=None):
    from autograd_ref import ops

    columns = [(x * weight[i]).sum(-1) for i in range(len(weight))]
    out = ops.stack(columns, -1)
    return out if bias is None else out + bias


@wrong(
    "linear",
    "bias_with_any",
    "A bias that is all zeros is a bias, and needs its gradient: ask whether it `is None`, not what it holds.",
)
def linear(x, weight, bias=None):
    out = x @ weight.T
    if bias is not None and bias.data.any():
        out = out + bias
    return out


@wrong(
    "linear",
    "bias_with_all",
    "A bias that has a zero among its numbers is left out. Ask whether it `is None`, not what it holds.",
)
def linear(x, weight, bias=None):
    out = x @ weight.T
    if bias is not None and bias.data.all():
        out = out + bias
    return out


@wrong(
    "linear",
    "turned_where_it_does_not_fit",
    "The weight is turned only where it does not fit as it is. A square one fits both ways: turn it always.",
)
def linear(x, weight, bias=None):
    out = x @ weight if x.shape[-1] == weight.shape[0] else x @ weight.T
    return out if bias is None else out + bias


@wrong(
    "linear",
    "arrays_without_bias",
    "Without a bias no gradient comes back, as when the product is computed on arrays there. Multiply the Tensors, with a bias or without.",
)
def linear(x, weight, bias=None):
    if bias is None:
        return Tensor(x.data @ weight.data.T)
    return x @ weight.T + bias


LINEAR = """
def linear(x, weight, bias=None):
    out = x @ weight.T
    return out if bias is None else out + bias
"""

wrong(
    "linear",
    "bias_before_the_product",
    "The bias meets x itself, before the product, and has one number for each output. Multiply first, and then add it.",
    source=changed(
        LINEAR,
        ("    out = x @ weight.T\n", "    x = x if bias is None else x + bias\n    out = x @ weight.T\n"),
        ("out if bias is None else out + bias", "out"),
    ),
)
wrong(
    "linear",
    "bias_as_a_column",
    "The bias is added along the wrong axis: each row gets one number of it. It has one number for each column of the result, and fits as it is.",
    source=changed(LINEAR, ("out + bias", "out + bias.reshape(-1, 1)")),
)
wrong(
    "linear",
    "in_a_list",
    "A list comes back, or something else that holds the result. Return the Tensor itself.",
    source=changed(LINEAR, ("return out if bias is None else out + bias", "return [out if bias is None else out + bias]")),
)


wrong(
    "linear",
    "bias_alone",
    "With a bias, the bias alone comes back, and the product is lost: in `a if c else b` everything before the `if` is a. Add before you choose, or put the choice into parentheses.",
    source=changed(LINEAR, ("out if bias is None else out + bias", "out if bias is None else bias")),
)
wrong(
    "linear",
    "zeros_for_each_example",
    "Without a bias, zeros are added that do not fit: one for each row of x. A bias has one number for each output; and where there is none, nothing has to be added.",
    source="""
    def linear(x, weight, bias=None):
        if bias is None:
            bias = np.zeros(x.shape[0])
        return x @ weight.T + bias
    """,
)


@right("linear", "zeros_for_each_output")
def linear(x, weight, bias=None):
    if bias is None:
        bias = np.zeros(weight.shape[0])
    return x @ weight.T + bias


@wrong("linear", "relu_inside", "Negative sums have become 0. A linear layer sends them on as they are: relu is a step of its own, behind it.")
def linear(x, weight, bias=None):
    out = x @ weight.T
    if bias is not None:
        out = out + bias
    return out.relu()


@wrong("linear", "stacked_without_a_graph", "For more than two axes the numbers are stacked in a new Tensor here, so no gradient finds its way back. `@` takes them as they are.")
def linear(x, weight, bias=None):
    if len(x.shape) > 2:
        return Tensor(np.stack([linear(Tensor(part), weight, bias).data for part in x.data]))
    out = x @ weight.T
    return out if bias is None else out + bias


# -- layer_stds -------------------------------------------------------------------------------------------------------


@wrong(
    "layer_stds",
    "before_activation",
    "The std is taken before the activation. Measure what the layer sends on.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = x @ weight.T
        stds.append(x.std())
        x = activation(x)
    return stds


@wrong(
    "layer_stds",
    "same_input",
    "Every layer gets the first x. The output of one layer is the input of the next.",
)
def layer_stds(x, weights, activation):
    return [activation(x @ weight.T).std() for weight in weights]


@wrong(
    "layer_stds", "with_the_input", "The std of the input comes first. Only what leaves a layer is asked for."
)
def layer_stds(x, weights, activation):
    stds = [x.std()]
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std())
    return stds


@wrong(
    "layer_stds",
    "of_the_weights",
    "These are the stds of the weights. Measure the numbers that leave each layer.",
)
def layer_stds(x, weights, activation):
    return [weight.std() for weight in weights]


@wrong("layer_stds", "variance", "This is the variance, the square of the standard deviation.")
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.var())
    return stds


@wrong("layer_stds", "not_transposed", "The rows of a weight belong to the outputs: x meets its transpose.")
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight)
        stds.append(x.std())
    return stds


@wrong("layer_stds", "no_activation", "The activation is missing.")
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = x @ weight.T
        stds.append(x.std())
    return stds


@wrong("layer_stds", "last_only", "Only the last number is returned. The picture needs one for each layer.")
def layer_stds(x, weights, activation):
    for weight in weights:
        x = activation(x @ weight.T)
    return [x.std()]


@wrong("layer_stds", "each_column", "There is one std for each column. One number is wanted, over all of x.")
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std(axis=0))
    return stds


@wrong(
    "layer_stds",
    "n_minus_1",
    "This std divides by n - 1. The mean of the squared distances is wanted, divided by n, as NumPy's `std` takes it without `ddof`.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std(ddof=1))
    return stds


@wrong(
    "layer_stds",
    "root_mean_square",
    "This is the root of the mean square. The std is measured from the mean.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(np.sqrt((x**2).mean()))
    return stds


@wrong(
    "layer_stds",
    "activation_first",
    "The activation acts on the input. First the weights, then the activation.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x) @ weight.T
        stds.append(x.std())
    return stds


@wrong(
    "layer_stds",
    "activation_of_weights",
    "The activation acts on the weights. It acts on what they make of x.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = x @ activation(weight.T)
        stds.append(x.std())
    return stds


@wrong(
    "layer_stds",
    "activation_not_passed_on",
    "The activation is measured and then forgotten: the next layer gets the numbers from before it.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = x @ weight.T
        stds.append(activation(x).std())
    return stds


@wrong(
    "layer_stds",
    "weights_first",
    "The factors stand in the other order, or x is transposed as well: x comes first, as it is, then the transposed weight.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(weight @ x)
        stds.append(x.std())
    return stds


@wrong("layer_stds", "returns_early", "Only the first layer is measured: `return` stands inside the loop, or the loop ends early.")
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std())
        return stds


@wrong(
    "layer_stds",
    "one_number",
    "One number is returned, and no list. The picture needs one for each layer.",
)
def layer_stds(x, weights, activation):
    for weight in weights:
        x = activation(x @ weight.T)
    return x.std()


@wrong(
    "layer_stds",
    "activation_twice",
    "The activation acts on the weights as well. It acts on what they make of x.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ activation(weight.T))
        stds.append(x.std())
    return stds


@wrong(
    "layer_stds",
    "mean_of_squares",
    "Of large numbers that lie close together the digits that count are lost: in the mean of squares less the squared mean, or in float32. `x.std()` takes the mean off first, with all digits of x.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(np.sqrt((x**2).mean() - x.mean() ** 2))
    return stds


@wrong(
    "layer_stds",
    "the_first_x_where_it_fits",
    "Where the shapes allow it, a layer gets the first `x` again. Each layer gets what the one before it sent on.",
)
def layer_stds(x, weights, activation):
    stds, sent = [], x
    for weight in weights:
        sent = activation((x if weight.shape == (x.shape[1],) * 2 else sent) @ weight.T)
        stds.append(sent.std())
    return stds


@right("layer_stds", "by_hand")
def layer_stds(x, weights, activation):
    stds, h = [], x
    for weight in weights:
        h = activation((weight @ h.T).T)
        stds.append(np.sqrt(((h - h.mean()) ** 2).mean()))
    return stds


@right("layer_stds", "outputs_first")
def layer_stds(x, weights, activation):
    outputs = [x]
    for weight in weights:
        outputs.append(activation(np.dot(outputs[-1], weight.T)))
    return list(map(np.std, outputs[1:]))


@wrong("layer_stds", "rounded", "Tiny numbers lose their digits: they are rounded, or set to a least value, or something is added. A signal that fades has a std of its own in each layer.")
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(round(float(x.std()), 10))
    return stds


@wrong(
    "layer_stds",
    "weights_taken_away",
    "In a second call no layer is there: the list of weights was emptied, as by `pop`. Go through it with `for`.",
)
def layer_stds(x, weights, activation):
    stds = []
    while weights:
        x = activation(x @ weights.pop(0).T)
        stds.append(x.std())
    return stds


@wrong(
    "layer_stds",
    "stops_when_dead",
    "The list ends at the first std of 0. Every layer has one, and that of a dead layer is 0.",
)
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std())
        if stds[-1] == 0:
            break
    return stds


STDS = """
def layer_stds(x, weights, activation):
    stds = []
    for weight in weights:
        x = activation(x @ weight.T)
        stds.append(x.std())
    return stds
"""

wrong(
    "layer_stds",
    "always_relu",
    "A relu acts here although another activation was given. Call the one that comes as an argument.",
    source=changed(STDS, ("activation(x @ weight.T)", "np.maximum(x @ weight.T, 0.0)")),
)
wrong(
    "layer_stds",
    "last_layer_without",
    "The last layer has no activation here, as in a network that answers with its sums. Here every layer has one.",
    source=changed(
        STDS,
        ("in weights:", "in weights[:-1]:"),
        ("    return stds", "    return [*stds, (x @ weights[-1].T).std()]"),
    ),
)


wrong(
    "layer_stds",
    "activation_twice_over",
    "The activation acts twice on what a layer sends on: once for the next layer, and once more where it is measured. relu of a relu changes nothing, tanh of a tanh does.",
    source=changed(STDS, ("stds.append(x.std())", "stds.append(activation(x).std())")),
)
wrong(
    "layer_stds",
    "mean_over_examples",
    "These are means of several stds, one for each example. One std is wanted, over all numbers of x at once.",
    source=changed(STDS, ("x.std()", "x.std(axis=1).mean()")),
)
wrong(
    "layer_stds",
    "mean_over_neurons",
    "These are means of several stds, one for each neuron. One std is wanted, over all numbers of x at once.",
    source=changed(STDS, ("x.std()", "x.std(axis=0).mean()")),
)
wrong(
    "layer_stds",
    "weights_first_and_n_minus_1",
    "Two things: the std divides by n - 1, as with `ddof=1`, and the factors stand in the other order: x comes first, then the transposed weight.",
    source=changed(STDS, ("x @ weight.T", "weight @ x"), ("x.std()", "np.std(x, ddof=1)")),
)


# -- own_start --------------------------------------------------------------------------------------------------------


@wrong(
    "own_start",
    "one_std",
    "It lasts at one width only: a neuron that adds up more numbers needs smaller weights. Let the std depend on the width.",
)
def own_start(width, rng):
    return rng.normal(0.0, 0.13, (width, width))


@wrong(
    "own_start",
    "no_two",
    "At all widths the size falls by about a root of 2 in each layer. relu takes half of the mean square: make up for it.",
)
def own_start(width, rng):
    return rng.normal(0.0, np.sqrt(1 / width), (width, width))


@wrong(
    "own_start",
    "variance_as_std",
    "Far too small, and the smaller the wider: the std falls too fast with the width, as where `rng.normal` gets a variance. Its second argument is the standard deviation.",
)
def own_start(width, rng):
    return rng.normal(0.0, 2 / width, (width, width))


@wrong("own_start", "not_scaled", "The wider the layer, the faster the numbers grow: an output adds up one product for each input. Let the std fall with the width.")
def own_start(width, rng):
    return rng.normal(size=(width, width))


@wrong(
    "own_start",
    "like_pytorch",
    "At all widths the numbers shrink to about 0.4 in each layer, as from the start of section 1.",
)
def own_start(width, rng):
    return rng.uniform(-1, 1, (width, width)) / np.sqrt(width)


@wrong("own_start", "positive", "The numbers grow, and the faster the wider, as where no weight is negative and nothing cancels. Weights have mean 0.")
def own_start(width, rng):
    return abs(rng.normal(0.0, np.sqrt(2 / width), (width, width)))


@wrong("own_start", "zeros", "Nothing is drawn: two layers in a row are equal. First weights are random, from rng.")
def own_start(width, rng):
    return np.zeros((width, width))


@wrong(
    "own_start",
    "identity",
    "Nothing is drawn: two layers in a row are equal. First weights are random, from rng.",
)
def own_start(width, rng):
    return np.eye(width)


@wrong("own_start", "global", "The numbers do not come from rng, so a run cannot be repeated.")
def own_start(width, rng):
    return np.random.normal(0.0, np.sqrt(2 / width), (width, width))


@wrong(
    "own_start",
    "own_generator",
    "All layers get the same numbers, as from a generator that each call makes, or from what an earlier call has kept. Draw from rng, each time.",
)
def own_start(width, rng):
    return np.random.default_rng(0).normal(0.0, np.sqrt(2 / width), (width, width))


@wrong("own_start", "one_row", "This is one row of weights. Each of the neurons needs its own: (width, width).")
def own_start(width, rng):
    return rng.normal(0.0, np.sqrt(2 / width), width)


@wrong(
    "own_start",
    "equal_rows",
    "Each row holds the same numbers, so all neurons of a layer are equal.",
)
def own_start(width, rng):
    return np.tile(rng.normal(0.0, np.sqrt(2 / width), width), (width, 1))


@wrong("own_start", "a_number", "This is a single number. Return all weights of a layer, an array that is drawn with the std of your choice.")
def own_start(width, rng):
    return np.sqrt(2 / width)


@wrong("own_start", "a_tensor", "A Tensor is returned. An array is wanted: whoever trains makes a Tensor of it.")
def own_start(width, rng):
    return Tensor(rng.normal(0.0, np.sqrt(2 / width), (width, width)))


@wrong("own_start", "lists", "A list is returned. `rng.normal(mean, std, shape)` makes an array at once.")
def own_start(width, rng):
    return rng.normal(0.0, np.sqrt(2 / width), (width, width)).tolist()


@wrong("own_start", "too_large", "Too large at all widths: each layer makes the numbers about 1.4 times larger, twenty times over.")
def own_start(width, rng):
    return rng.normal(0.0, 2 / np.sqrt(width), (width, width))


@wrong(
    "own_start",
    "falls_too_fast",
    "Narrow layers grow and wide ones shrink: the std falls too fast with the width. Four times the inputs, and a quarter "
    "is too little.",
)
def own_start(width, rng):
    return rng.normal(0.0, 15.5 / width, (width, width))


@wrong(
    "own_start",
    "falls_too_fast_from_60",
    "At 60 neurons it lasts, and the wider the layer, the faster the numbers shrink: the std falls too fast with the "
    "width. Twice the inputs, and half is too little.",
)
def own_start(width, rng):
    return rng.normal(0.0, 11 / width, (width, width))


@wrong(
    "own_start",
    "one_small_std",
    "Narrow layers shrink and wide ones grow: the std has to fall with the width, and yours does not, or too slowly. Find the right one for two widths, and compare.",
)
def own_start(width, rng):
    return rng.normal(0.0, 0.1, (width, width))


@wrong(
    "own_start",
    "one_large_std",
    "The numbers grow, and the faster the wider the layer: one std cannot serve all widths. Let it fall with the width.",
)
def own_start(width, rng):
    return rng.normal(0.0, 0.2, (width, width))


@wrong(
    "own_start",
    "uniform_without_its_third",
    "At all widths the size falls to about 0.6 in each layer. For uniform numbers: between -a and a their std is not a, "
    "but a over the root of 3.",
)
def own_start(width, rng):
    return rng.uniform(-1, 1, (width, width)) * np.sqrt(2 / width)


@wrong(
    "own_start",
    "a_table",
    "The numbers last at 60, 120 and 240 neurons, and explode at 800, which `table` does not show. What law do the three "
    "follow?",
)
def own_start(width, rng):
    return rng.normal(0.0, {60: 0.18, 120: 0.13, 240: 0.09}.get(width, 0.1), (width, width))


@wrong(
    "own_start",
    "a_straight_line",
    "The std falls below 0 for wide layers, as on a straight line. What law with a curve do the three widths follow?",
)
def own_start(width, rng):
    return rng.normal(0.0, 0.196 - 0.00045 * width, (width, width))


@wrong(
    "own_start",
    "shuffled_inputs",
    "Of all weights of a neuron only one or two count, so that layers hand on single inputs. Draw every weight.",
)
def own_start(width, rng):
    return np.eye(width)[rng.permutation(width)]


@wrong(
    "own_start",
    "identity_and_noise",
    "Of all weights of a neuron only one or two count, so that layers hand on single inputs. Draw every weight.",
)
def own_start(width, rng):
    return np.eye(width) + rng.normal(0, 1e-3, (width, width))


@wrong(
    "own_start",
    "a_least_std",
    "Right for some widths only: wider layers need smaller weights than yours, and there is no smallest std.",
)
def own_start(width, rng):
    return rng.normal(0.0, max(np.sqrt(2 / width), 0.06), (width, width))


@wrong("own_start", "twins", "Each neuron is there twice: equal ones get equal gradients, and stay equal. Draw every row.")
def own_start(width, rng):
    half = rng.normal(0.0, np.sqrt(2 / width), ((width + 1) // 2, width))
    return np.repeat(half, 2, axis=0)[:width]


@right("own_start", "uniform")
def own_start(width, rng):
    return rng.uniform(-1, 1, (width, width)) * np.sqrt(6 / width)


@right("own_start", "signs")
def own_start(width, rng):
    return rng.choice([-1.0, 1.0], (width, width)) * (2 / width) ** 0.5


@right("own_start", "found_by_trying")
def own_start(width, rng):
    return 1.4 * rng.standard_normal((width, width)) / width**0.5


@right("own_start", "orthogonal")
def own_start(width, rng):
    return np.linalg.qr(rng.normal(size=(width, width)))[0] * np.sqrt(2)


@wrong(
    "own_start",
    "between_three_widths",
    "The numbers last at 60, 120 and 240 neurons, and explode at 800, which `table` does not show. What law do the three "
    "follow?",
)
def own_start(width, rng):
    std = np.interp(width, [60, 120, 240], [0.1826, 0.1291, 0.0913])
    return rng.normal(0.0, std, (width, width))


START = """
def own_start(width, rng):
    return rng.normal(0.0, np.sqrt(2 / width), (width, width))
"""

wrong(
    "own_start",
    "three_steps",
    "Right for some widths only: wider layers need smaller weights than yours, and there is no smallest std.",
    source="""
    def own_start(width, rng):
        std = 0.18 if width <= 60 else 0.129 if width <= 120 else 0.091 if width <= 240 else 0.063
        return rng.normal(0.0, std, (width, width))
    """,
)
wrong(
    "own_start",
    "a_power_that_is_too_weak",
    "From 60 to 240 neurons the numbers last, and at 800 they have grown too large: the std falls with the width, and a little too slowly. Measure it at 60 and at 800, and compare.",
    source=changed(START, ("np.sqrt(2 / width)", "1.41 * 60**-0.05 * width**-0.45")),
)
wrong(
    "own_start",
    "a_little_too_small",
    "You are close. At every width the numbers shrink a little in each layer, and twenty layers make much of it: find the factor to two digits.",
    source=changed(START, ("np.sqrt(2 / width)", "1.25 / np.sqrt(width)")),
)
wrong(
    "own_start",
    "a_little_too_large",
    "You are close. At every width the numbers grow a little in each layer, and twenty layers make much of it: find the factor to two digits.",
    source=changed(START, ("np.sqrt(2 / width)", "1.6 / np.sqrt(width)")),
)
wrong(
    "own_start",
    "the_std_of_one_layer",
    "Each layer makes the numbers about 1.2 times larger, as where the std behind a single relu was brought to 1. What a relu sends on has a mean above 0, and the next layer adds that up, too.",
    source=changed(START, ("2 / width", "2 / width / (1 - 1 / np.pi)")),
)
wrong(
    "own_start",
    "uniform_and_positive",
    "No weight is negative, so that all neurons add up nearly the same: the numbers last, and hardly differ. Their std is below 0.1. Weights have mean 0.",
    source=changed(START, ("rng.normal(0.0, np.sqrt(2 / width), (", "rng.uniform(0.0, 2 / width, (")),
)
wrong(
    "own_start",
    "grows_with_the_width",
    "The numbers explode, and the wider the layer, the faster: your std grows with the width, as where a product stands for a quotient. It has to fall.",
    source=changed(START, ("2 / width", "2 * width")),
)
wrong(
    "own_start",
    "root_of_less_than_0",
    "Some weights are no numbers (NaN), or infinite. Is a root taken of what is below 0, or something divided by 0?",
    source=changed(START, ("rng.normal(0.0, np.sqrt(2 / width), (width, width))", "rng.normal(size=(width, width)) * np.sqrt(1 - width)")),
)
wrong(
    "own_start",
    "draws_one_number",
    "A single number is drawn: `rng.normal` takes the shape as its third argument.",
    source=changed(START, (", (width, width))", ")")),
)


ONE_WIDTH = "The wider the layer, the larger its factor: a neuron that adds up more numbers needs smaller weights. One std, the same at all widths, serves one of them at best. Let it fall with the width."
wrong("own_start", "right_at_60", ONE_WIDTH, source=changed(START, ("np.sqrt(2 / width)", "0.18")))
wrong("own_start", "right_at_240", ONE_WIDTH, source=changed(START, ("np.sqrt(2 / width)", "0.09")))
wrong("own_start", "right_at_240_too", ONE_WIDTH, source=changed(START, ("np.sqrt(2 / width)", "0.092")))
wrong("own_start", "right_at_800", ONE_WIDTH, source=changed(START, ("np.sqrt(2 / width)", "0.05")))
wrong(
    "own_start",
    "root_of_2_alone",
    "Far too small, and the smaller the wider: the std falls too fast with the width, as where a root is taken of the 2 alone. Four times the inputs, and the std halves.",
    source=changed(START, ("np.sqrt(2 / width)", "np.sqrt(2) / width")),
)
wrong(
    "own_start",
    "the_std_at_60_over_the_root",
    "The law is right, and the number before it far too small: at all widths the numbers shrink to about a tenth in each layer. Over the root of the width stands a number that does not change with it; find it at one width.",
    source=changed(START, ("np.sqrt(2 / width)", "0.185 / np.sqrt(width)")),
)
wrong(
    "own_start",
    "uniform_from_0",
    "The numbers grow, and the faster the wider: no weight is below 0, as with `rng.uniform(0, a)` or `rng.random`, so nothing cancels. Draw around 0.",
    source=changed(START, ("rng.normal(0.0, np.sqrt(2 / width), (", "rng.uniform(0.0, 2 / np.sqrt(width), (")),
)
wrong(
    "own_start",
    "positive_and_balanced",
    "No weight is negative, so that all neurons add up nearly the same: the numbers last, and hardly differ. Their std is below 0.1. Weights have mean 0.",
    source="""
    def own_start(width, rng):
        return np.abs(rng.normal(0.0, 1, (width, width))) / width / 0.8
    """,
)
wrong(
    "own_start",
    "sparse_and_positive",
    "No weight is below 0, so the sums share a large mean and hardly differ: their std is too small. Draw around 0; then no weight has to be left out.",
    source="""
    def own_start(width, rng):
        return (rng.random((width, width)) < 8 / width) * rng.random((width, width)) / 4.4
    """,
)
wrong(
    "own_start",
    "measured_by_the_std",
    "Each layer makes the numbers about 1.2 times larger, as where the std behind a single relu was brought to 1. What a relu sends on has a mean above 0, and the next layer adds that up, too.",
    source="""
    def own_start(width, rng):
        W = rng.normal(0.0, 1, (width, width))
        h = np.maximum(rng.normal(size=(100, width)) @ W.T, 0)
        return W / h.std()
    """,
)


@right("own_start", "measured_by_the_rms")
def own_start(width, rng):
    weight = rng.normal(size=(width, width))
    sent = np.maximum(rng.normal(size=(200, width)) @ weight.T, 0.0)
    return weight / np.sqrt((sent**2).mean())


@wrong("own_start", "pairs_of_opposites", "Where the width is odd, a row is missing: `width // 2` rows and their opposites are one fewer. A width may be any number.")
def own_start(width, rng):
    half = rng.normal(0.0, np.sqrt(2 / width), (width // 2, width))
    return np.concatenate([half, -half])


# -- xavier_uniform ---------------------------------------------------------------------------------------------------


@wrong("xavier_uniform", "in_first", "The shape is the wrong way round: a weight has a row for each output.")
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(-a, a, (fan_in, fan_out))


@wrong("xavier_uniform", "from_zero", "No number is negative. Draw between -a and a.")
def xavier_uniform(fan_in, fan_out, rng):
    return rng.uniform(0, np.sqrt(6 / (fan_in + fan_out)), (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "std_as_bound",
    "You took the std for the bound. Uniform numbers between -a and a have the variance a² / 3, and not a².",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(2 / (fan_in + fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong("xavier_uniform", "no_root", "About ten times too small, as where they go up to 6 / (fan_in + fan_out), which is a squared: a root is missing, or a was multiplied in twice.")
def xavier_uniform(fan_in, fan_out, rng):
    a = 6 / (fan_in + fan_out)
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "fan_in_only",
    "fan_in is counted twice, and fan_out not at all. Under the root stands 6 over the sum of both.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(3 / fan_in)
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "normal",
    "The variance is right, but the numbers lie close around 0, as normal ones do. Uniform ones fill all up to a alike.",
)
def xavier_uniform(fan_in, fan_out, rng):
    return rng.normal(0, np.sqrt(2 / (fan_in + fan_out)), (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "own_generator",
    "All layers get the same numbers, as from a generator that each call makes, or from what an earlier call has kept. Draw from rng, each time.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return np.random.default_rng(0).uniform(-a, a, (fan_out, fan_in))


@wrong("xavier_uniform", "global", "The numbers do not come from rng, so a run cannot be repeated.")
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return np.random.uniform(-a, a, (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "equal_rows",
    "Each row holds the same numbers, and so all neurons of the layer are equal.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return np.tile(rng.uniform(-a, a, fan_in), (fan_out, 1))


@wrong(
    "xavier_uniform",
    "one_row",
    "This is one row. A weight has a row for each output: the shape is (fan_out, fan_in).",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(-a, a, fan_in)


@wrong(
    "xavier_uniform",
    "one_number",
    "This is a single number. `rng.uniform` takes the shape as a third argument.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(-a, a)


@wrong(
    "xavier_uniform",
    "no_parentheses",
    "Far too large: 6 / fan_in + fan_out divides by fan_in alone. Mind the parentheses.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / fan_in + fan_out)
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "six_over_fan_in",
    "You divided by fan_in alone. Under the root stands 6 over the sum of both.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / fan_in)
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "three",
    "Too small by the root of 2: under the root stands 6, three times the variance's 2.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(3 / (fan_in + fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong(
    "xavier_uniform",
    "geometric_mean",
    "Too large where the fans differ much: under the root stands their sum, and no product.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(3 / np.sqrt(fan_in * fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))


@wrong("xavier_uniform", "only_the_ends", "All numbers are a or -a. Draw what lies between, too.")
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return a * rng.choice([-1.0, 1.0], (fan_out, fan_in))


@wrong(
    "xavier_uniform", "a_tensor", "A Tensor is returned. An array is wanted: whoever trains makes a Tensor of it."
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return Tensor(rng.uniform(-a, a, (fan_out, fan_in)))


@wrong(
    "xavier_uniform",
    "lists",
    "A list is returned. `rng.uniform(low, high, shape)` makes an array at once.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return [[rng.uniform(-a, a) for _ in range(fan_in)] for _ in range(fan_out)]


@wrong("xavier_uniform", "twice_a", "About ten times too small, as where they go up to 6 / (fan_in + fan_out), which is a squared: a root is missing, or a was multiplied in twice.")
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return a * rng.uniform(-a, a, (fan_out, fan_in))


@wrong("xavier_uniform", "from_a_to_one", "All are positive: `rng.uniform(a, size=...)` goes from a to 1. Give both ends, -a and a.")
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(a, size=(fan_out, fan_in))


@right("xavier_uniform", "scaled")
def xavier_uniform(fan_in, fan_out, rng):
    return (2 * rng.random((fan_out, fan_in)) - 1) * (6 / (fan_in + fan_out)) ** 0.5


@right("xavier_uniform", "row_by_row")
def xavier_uniform(fan_in, fan_out, rng):
    bound = np.sqrt(3 * 2 / (fan_in + fan_out))
    return np.stack([rng.uniform(-bound, bound, fan_in) for _ in range(fan_out)])


@wrong(
    "xavier_uniform",
    "mirrored",
    "Half of the neurons are copies of the others with the other sign. Draw all.",
)
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    half = rng.uniform(-a, a, (fan_out // 2, fan_in))
    return np.vstack([half, -half])


@wrong("xavier_uniform", "bias_is_an_input", "The bias was counted as one more input. The two numbers are fan_in and fan_out.")
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + 1 + fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))


XAVIER = """
def xavier_uniform(fan_in, fan_out, rng):
    a = np.sqrt(6 / (fan_in + fan_out))
    return rng.uniform(-a, a, (fan_out, fan_in))
"""

wrong(
    "xavier_uniform",
    "fans_multiplied",
    "Far too small, as where the two fans are multiplied. Under the root stands 6 over their sum.",
    source=changed(XAVIER, ("fan_in + fan_out", "fan_in * fan_out")),
)
wrong(
    "xavier_uniform",
    "normal_with_a_for_its_std",
    "The numbers are normal, and a is taken for their std. Uniform ones end at a.",
    source=changed(XAVIER, ("rng.uniform(-a, a,", "rng.normal(0.0, a,")),
)
wrong(
    "xavier_uniform",
    "half_of_a",
    "Half as large as wanted, as where the whole range is a wide. It goes from -a to a.",
    source=changed(XAVIER, ("rng.uniform(-a, a,", "rng.uniform(-a / 2, a / 2,")),
)
wrong(
    "xavier_uniform",
    "six_over_fan_out",
    "You divided by fan_out alone. Under the root stands 6 over the sum of both.",
    source=changed(XAVIER, ("(fan_in + fan_out)", "fan_out")),
)
wrong(
    "xavier_uniform",
    "three_over_fan_out",
    "fan_out is counted twice, and fan_in not at all. Under the root stands 6 over the sum of both.",
    source=changed(XAVIER, ("6 / (fan_in + fan_out)", "3 / fan_out")),
)


wrong(
    "xavier_uniform",
    "three_twice",
    "Too large by the root of 3, as where the 3 of the variance a² / 3 is multiplied in twice. Under the root stands 6 over the sum of both fans.",
    source=changed(XAVIER, ("6 / (fan_in + fan_out)", "18 / (fan_in + fan_out)")),
)


@wrong(
    "xavier_uniform",
    "the_default",
    "This is the size of PyTorch's default, one over the root of fan_in. Here both fans count: under the root stands 6 over their sum.",
)
def xavier_uniform(fan_in, fan_out, rng):
    return pytorch_uniform(fan_in, fan_out, rng)


wrong("xavier_uniform", "one_number_for_each_neuron", "One number is drawn for each neuron, and all weights of its row are that. Draw for each weight.",
      source=changed(XAVIER, ("(fan_out, fan_in))", "(fan_out, 1)) + np.zeros((fan_out, fan_in))")))


wrong(
    "xavier_uniform",
    "root_of_6_alone",
    "Far too small, as where the root is taken of the 6 alone. The whole quotient stands under it: 6 over the sum of both fans.",
    source=changed(XAVIER, ("np.sqrt(6 / (fan_in + fan_out))", "np.sqrt(6) / (fan_in + fan_out)")),
)


# -- layer_norm -------------------------------------------------------------------------------------------------------


@wrong(
    "layer_norm",
    "columns",
    "You normalised the columns. Each example, a row, is brought into range on its own.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(0, keepdims=True)
    return away / ((away * away).mean(0, keepdims=True) + eps).sqrt() * weight + bias


@wrong("layer_norm", "everything", "One mean for all rows: each row needs its own.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean()
    return away / ((away * away).mean() + eps).sqrt() * weight + bias


@wrong("layer_norm", "n_minus_1", "This variance divides by n - 1, as `var` does unless it is told otherwise. The mean of the squared distances from the mean is wanted.")
def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps).sqrt() * weight + bias


@wrong("layer_norm", "eps_outside", "eps is added to the std. It stands under the root, with the variance.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / (((away * away).mean(-1, keepdims=True) + 1e-30).sqrt() + eps) * weight + bias


@wrong("layer_norm", "no_eps", "eps does not count here, or is another one: it is added to the variance, under the root. Without it, a row of equal numbers is 0 / 0.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + 1e-30).sqrt() * weight + bias


@wrong("layer_norm", "no_root", "You divided by the variance. Its root brings the std to 1.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps) * weight + bias


@wrong("layer_norm", "mean_stays", "x itself is divided. Take the mean off first.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return x / ((away * away).mean(-1, keepdims=True) + eps).sqrt() * weight + bias


@wrong("layer_norm", "no_weight", "weight and bias are missing: they let the network choose another range.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps).sqrt()


@wrong("layer_norm", "bias_inside", "The bias is added last. Here weight multiplies it as well.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return (away / ((away * away).mean(-1, keepdims=True) + eps).sqrt() + bias) * weight


@wrong(
    "layer_norm",
    "constant_statistics",
    "The value is right. Mean and variance depend on x, and here no gradient flows through them.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    mean, variance = x.data.mean(-1, keepdims=True), x.data.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + bias


@wrong("layer_norm", "constant_mean", "The value is right, but no gradient flows through the mean.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.data.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "numpy_root",
    "NumPy's root and its other functions do not know Tensors, which have methods such as `.sqrt()`.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / np.sqrt((away * away).mean(-1, keepdims=True) + eps) * weight + bias


@wrong("layer_norm", "var_with_ddof", "`var` of a Tensor takes `correction`, not `ddof`.")
def layer_norm(x, weight, bias, eps=1e-5):
    variance = x.var(-1, keepdims=True, ddof=0)
    return (x - x.mean(-1, keepdims=True)) / (variance + eps).sqrt() * weight + bias


@wrong("layer_norm", "no_bias", "The bias is missing: it is added last.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps).sqrt() * weight


@wrong(
    "layer_norm",
    "weight_left_out",
    "The weight is missing: it multiplies each column before the bias is added.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps).sqrt() + bias


@wrong(
    "layer_norm",
    "eps_written_in",
    "eps is an argument, and you wrote a number in its place. Whoever calls the function chooses it.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + 1e-5).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "constant_variance",
    "The value is right, but no gradient flows through the variance.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / Tensor(np.sqrt(variance.data + eps)) * weight + bias


@wrong(
    "layer_norm",
    "all_on_data",
    "The fraction was computed outside the graph, as from `.data`: weight and bias learn, and x gets no gradient.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x.data - x.data.mean(-1, keepdims=True)
    return Tensor(away / np.sqrt(x.data.var(-1, keepdims=True) + eps)) * weight + bias


@wrong(
    "layer_norm",
    "no_keepdims",
    "Shapes do not fit, as where the mean of each row has lost its axis: `keepdims=True` keeps it as a column.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1)
    return away / ((away * away).mean(-1) + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "second_axis",
    "An x of one axis does not fit: the second axis is the last one in two dimensions only. Count from the end: -1.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(1, keepdims=True)
    return away / ((away * away).mean(1, keepdims=True) + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "no_parentheses",
    "Only the mean is divided: `x - mean / ...` divides first. Mind the parentheses.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    away = x - mean
    return (x - mean / ((away * away).mean(-1, keepdims=True) + eps).sqrt()) * weight + bias


@wrong(
    "layer_norm",
    "mean_square",
    "You averaged the squares of x. The variance squares the distances from the mean.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / ((x * x).mean(-1, keepdims=True) + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "absolute_distance",
    "You averaged absolute distances. The variance is the mean of their squares.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / (away.abs().mean(-1, keepdims=True) + eps).sqrt() * weight + bias


@wrong("layer_norm", "std_method", "This std divides by n - 1, and has no eps under its root.")
def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True) * weight + bias


@wrong("layer_norm", "zero_by_zero", "Without eps, a row of equal numbers is 0 / 0, which is nan.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    with np.errstate(all="ignore"):
        return away / (away * away).mean(-1, keepdims=True).sqrt() * weight + bias


@wrong("layer_norm", "sum_of_both", "weight plus bias multiplies the rows. The bias is added last.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    return away / ((away * away).mean(-1, keepdims=True) + eps).sqrt() * (weight + bias)


@wrong(
    "layer_norm",
    "divides_by_second_axis",
    "x may have one axis, or more than two: `x.shape[1]` is the last one of two only. It is always `x.shape[-1]`.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    n = x.shape[1]
    away = x - x.sum(-1, keepdims=True) / n
    return away / ((away * away).sum(-1, keepdims=True) / n + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "one_number_as_it_is",
    "A row of one number lies at its own mean, so it becomes 0, times weight, plus bias. The formula needs no case of its own for it.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    if x.shape[-1] == 1:
        return x * weight + bias
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + eps).sqrt() * weight + bias


@wrong("layer_norm", "std_and_eps", "`x.std` divides by n - 1, and eps is added to the root. Here the mean of squares counts, and eps is added to it, under the root.")
def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + eps) * weight + bias


@wrong("layer_norm", "squares_less_square", "The mean of the squares less the square of the mean has no digits left where numbers are large and close: take off the mean, then square.")
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = (x * x).mean(-1, keepdims=True) - mean * mean
    return (x - mean) / (variance.relu() + eps).sqrt() * weight + bias


@wrong("layer_norm", "weight_times_all", "The weight multiplies the bias, too: times weight first, and then the bias is added.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return weight * (away / (variance + eps).sqrt() + bias)


@right("layer_norm", "var_method")
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    std = (x.var(axis=-1, keepdims=True, correction=0) + eps) ** 0.5
    return bias + weight * ((x - mean) / std)


@right("layer_norm", "sums")
def layer_norm(x, weight, bias, eps=1e-5):
    n = x.shape[-1]
    away = x - x.sum(-1, keepdims=True) / n
    scale = ((away**2).sum(-1, keepdims=True) / n + eps) ** -0.5
    return away * scale * weight + bias


@wrong(
    "layer_norm",
    "mean_of_squares_less_square",
    "The mean of squares less the square of the mean: of large numbers that lie close together, no digit is left. Take "
    "the mean off before you square.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = (x * x).mean(-1, keepdims=True) - mean * mean
    return (x - mean) / (variance + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "eps_at_least",
    "A small eps does not count here, as when eps is never less than 1e-5. Add the one that is given.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + max(eps, 1e-5)).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "eps_or_default",
    "An eps of 0 does not count here, as with `eps or 1e-5`, which takes 0 for nothing. Add the eps that is given.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    eps = eps or 1e-5
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + eps).sqrt() * weight + bias


@wrong(
    "layer_norm",
    "skips_ones",
    "No gradient arrives at a weight of ones and a bias of zeros, as when they are left out because they change no number. Training begins with them, and moves them: compute with them always.",
)
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    out = away / (variance + eps).sqrt()
    if not (weight.data == 1).all():
        out = out * weight
    if bias.data.any():
        out = out + bias
    return out


NORM = """
def layer_norm(x, weight, bias, eps=1e-5):
    away = x - x.mean(-1, keepdims=True)
    variance = (away * away).mean(-1, keepdims=True)
    return away / (variance + eps).sqrt() * weight + bias
"""

wrong(
    "layer_norm",
    "mean_absolute_distance",
    "The rows are divided by their mean absolute distance from the mean. The variance averages squares, and its root is what divides.",
    source=changed(NORM, ("(away * away).mean", "away.abs().mean"), ("(variance + eps).sqrt()", "(variance + eps)")),
)
wrong(
    "layer_norm",
    "sum_of_squares",
    "Too small by the root of n: the squares were added up. The variance is their mean.",
    source=changed(NORM, ("(away * away).mean", "(away * away).sum")),
)
wrong(
    "layer_norm",
    "weight_and_bias_taken_out",
    "No gradient arrives at weight and bias: their numbers alone were used, as with `.data`. Compute with the Tensors.",
    source=changed(NORM, ("* weight + bias", "* weight.data + bias.data")),
)
wrong(
    "layer_norm",
    "weight_taken_out",
    "No gradient arrives at weight: its numbers alone were used, as with `.data`. Compute with the Tensor.",
    source=changed(NORM, ("* weight + bias", "* weight.data + bias")),
)
wrong(
    "layer_norm",
    "bias_taken_out",
    "No gradient arrives at bias: its numbers alone were used, as with `.data`. Compute with the Tensor.",
    source=changed(NORM, ("* weight + bias", "* weight + bias.data")),
)


wrong(
    "layer_norm",
    "everything_by_n_minus_1",
    "One mean and one variance for all rows, and the variance divides by n - 1. Each row needs its own, along the last axis, and the mean of its squares.",
    source="""
    def layer_norm(x, weight, bias, eps=1e-5):
        return (x - x.mean()) / (x.var() + eps).sqrt() * weight + bias
    """,
)
wrong(
    "layer_norm",
    "bias_before_the_division",
    "The bias is added before the division, so that it is divided and multiplied as well. It is added last, to what weight has multiplied.",
    source=changed(NORM, ("away / (variance", "(away + bias) / (variance"), ("* weight + bias", "* weight")),
)
wrong(
    "layer_norm",
    "a_loop_over_rows",
    "A loop over x goes through its rows only where it has two axes: a single row gives its numbers, of which each is its own mean. Say `axis=-1` in place of a loop; and on arrays no gradient comes back to x.",
    source="""
    def layer_norm(x, weight, bias, eps=1e-5):
        out = np.empty_like(x.data)
        for i, row in enumerate(x.data):
            out[i] = (row - row.mean()) / np.sqrt(row.var() + eps)
        return Tensor(out) * weight + bias
    """,
)


@wrong("layer_norm", "mean_without_a_gradient", "The gradient of a row of x does not sum to 0: none flows through the mean, as where it is taken off `x.data`, or computed from it. `x - x.mean(...)` is a new Tensor, and has all of it.")
def layer_norm(x, weight, bias, eps=1e-5):
    away = x
    away.data -= x.data.mean(-1, keepdims=True)
    variance = (away**2).mean(-1, keepdims=True)
    return away / (variance + eps).sqrt() * weight + bias


# -- owned ------------------------------------------------------------------------------------------------------------


@wrong("owned", "no_lists", "What stands in a list is not found. Look at the items of an attribute that is a list.")
def owned(module):
    found = {}
    for name, x in vars(module).items():
        if isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "own_only", "What its Modules own is missing: of each Module, ask `owned` again.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        found |= {n: x for n, x in items.items() if isinstance(x, (Parameter, Module))}
    return found


@wrong("owned", "parameters_only", "The Modules themselves are missing. They belong to the result, each before what it owns.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, Parameter):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "own_class_only", "`type(x) is Module` and `__base__` know a class and its child. `isinstance(x, Module)` knows all descendants.")
def owned(module):
    found = {}
    for name, x in parts(module):
        inner = type(x) is Module or type(x).__base__ is Module
        if inner or isinstance(x, Parameter):
            found[name] = x
        if inner:
            found |= {f"{name}.{n}": y for n, y in owned(x).items()}
    return found


@wrong("owned", "modules_only", "The Parameters are missing. Are Modules alone taken, is nothing put into the dict, or is left out what an earlier call has seen, as by a default `seen=set()`? Both are asked for, in each call.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, Module):
                found[n] = x
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong(
    "owned",
    "every_tensor",
    "A Tensor is not always trained: it may be a mask or a mean. Only a Parameter counts.",
)
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Tensor, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong(
    "owned",
    "no_front",
    "The names have lost their way down: two layers both own a `w`, and one of the two gets lost.",
)
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= owned(x)
    return found


@wrong("owned", "no_dot", "The dot between the names is missing: the weight of `first` is `first.weight`.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {n + inner: y for inner, y in owned(x).items()}
    return found


@wrong(
    "owned",
    "counts_what_it_keeps",
    "In a list, each item keeps its own place. You count only what you keep, so later items get another number.",
)
def owned(module):
    found = {}
    for name, value in vars(module).items():
        if isinstance(value, list):
            kept = [x for x in value if isinstance(x, (Parameter, Module))]
            items = {f"{name}.{i}": x for i, x in enumerate(kept)}
        else:
            items = {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "counts_from_one", "Python counts from 0: the first item of `blocks` is `blocks.0`.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        many = isinstance(value, list)
        items = {f"{name}.{i}": x for i, x in enumerate(value, 1)} if many else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "brackets", "The names of items are written with a dot, as in `blocks.0`.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}[{i}]": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "numbers_as_names", "The list's own name is missing: its first item is `blocks.0`, and not 0.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {str(i): x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "one_level", "One level down is not the end: a part of a part may own something, too.")
def owned(module):
    def parts(x):
        found = {}
        for name, value in vars(x).items():
            many = isinstance(value, list)
            items = {f"{name}.{i}": y for i, y in enumerate(value)} if many else {name: value}
            found |= {n: y for n, y in items.items() if isinstance(y, (Parameter, Module))}
        return found

    found = {}
    for n, x in parts(module).items():
        found[n] = x
        if isinstance(x, Module):
            found |= {f"{n}.{inner}": y for inner, y in parts(x).items()}
    return found


@wrong(
    "owned",
    "breadth_first",
    "All is there, in another order: attributes have their turns as they stand, and a Module is followed by what it owns.",
)
def owned(module):
    found, waiting = {}, [("", module)]
    while waiting:
        front, one = waiting.pop(0)
        for name, value in vars(one).items():
            many = isinstance(value, list)
            items = {f"{name}.{i}": x for i, x in enumerate(value)} if many else {name: value}
            for n, x in items.items():
                if isinstance(x, (Parameter, Module)):
                    found[front + n] = x
                if isinstance(x, Module):
                    waiting.append((f"{front}{n}.", x))
    return found


@wrong(
    "owned",
    "exact_types",
    "A comparison of `type(x)` knows a class itself, and none that is made from it. `isinstance` knows all.",
)
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if type(x) in (Parameter, Module):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "everything", "Numbers and None are attributes too, and no parts. Ask for the type.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong(
    "owned",
    "shared_once",
    "A thing that is owned twice stands under its first name only. Here it stands under both; `named_parameters` lists it once.",
)
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            new = {n: x} if isinstance(x, (Parameter, Module)) else {}
            if isinstance(x, Module):
                new |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
            found |= {m: y for m, y in new.items() if not any(y is other for other in found.values())}
    return found


@wrong(
    "owned",
    "default_dict",
    "What an earlier call found is in the answer again: something is kept from call to call, as a default `found={}` is, "
    "which is made once.",
)
def owned(module, front="", found={}):  # noqa: B006
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[front + n] = x
            if isinstance(x, Module):
                owned(x, f"{front}{n}.", found)
    return found


@wrong(
    "owned",
    "seen_default",
    "Asked a second time, it finds nothing of what it found before: something is kept from call to call, as a default "
    "`seen=set()` is, which is made once.",
)
def owned(module, seen=set()):  # noqa: B006
    found = {}
    for name, x in parts(module):
        if isinstance(x, (Parameter, Module)) and id(x) not in seen:
            seen.add(id(x))
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong(
    "owned",
    "named_parameters_of_each",
    "Of what a Module owns, the Modules are missing, as where `named_parameters` is asked in place of `owned`.",
)
def owned(module):
    found = {}
    for name, x in parts(module):
        if isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in x.named_parameters().items()}
    return found


@wrong(
    "owned",
    "each_once_in_a_module",
    "A thing that one module holds twice stands under its first name only. Here it stands under both; `named_parameters` "
    "lists it once.",
)
def owned(module):
    found = {}
    for name, x in parts(module):
        if any(x is y for y in found.values()):
            continue
        if isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
    return found


@wrong("owned", "a_list", "A list is returned, and the names are lost. Return a dict from names to things.")
def owned(module):
    found = []
    for value in vars(module).values():
        for x in value if isinstance(value, list) else [value]:
            if isinstance(x, (Parameter, Module)):
                found.append(x)
            if isinstance(x, Module):
                found += owned(x)
    return found


@wrong("owned", "returns_early", "What comes after the first attribute is missing, as with a `return` inside the loop.")
def owned(module):
    found = {}
    for name, value in vars(module).items():
        items = {f"{name}.{i}": x for i, x in enumerate(value)} if isinstance(value, list) else {name: value}
        for n, x in items.items():
            if isinstance(x, (Parameter, Module)):
                found[n] = x
            if isinstance(x, Module):
                found |= {f"{n}.{inner}": y for inner, y in owned(x).items()}
        return found


MODULE_OR_PARAMETER = """
def owned(module):
    found = {}
    for name, x in parts(module):
        if isinstance(x, Module):
            found[name] = x
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
        elif isinstance(x, Parameter):
            found[name] = x
    return found
"""

wrong(
    "owned",
    "what_requires_a_gradient",
    "A Tensor that requires a gradient is not yet a Parameter: that is a class of its own. Ask `isinstance(x, Parameter)`.",
    source=changed(MODULE_OR_PARAMETER, ("isinstance(x, Parameter)", "isinstance(x, Tensor) and x.requires_grad")),
)


@wrong(
    "owned",
    "remembered",
    "The first answer is kept, so that what a module gets or loses later does not show. Look anew in each call, and put nothing into the module.",
)
def owned(module):
    if not hasattr(module, "_owned"):
        found = {}
        for name, x in parts(module):
            if isinstance(x, (Parameter, Module)):
                found[name] = x
            if isinstance(x, Module):
                found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
        module._owned = found
    return dict(module._owned)


@wrong("owned", "last_name_only", "A part of a part of a part has lost its first name: it is `x.y.w`, and here it is `y.w`. Each level puts its own name in front of all that it found below.")
def owned(module):
    found = {}

    def go(part, front):
        for name, thing in parts(part):
            if isinstance(thing, (Parameter, Module)):
                found[front + name] = thing
            if isinstance(thing, Module):
                go(thing, name + ".")

    go(module, "")
    return found


@right("owned", "two_branches")
def owned(module):
    found = {}

    def note(name, x):
        if isinstance(x, Parameter) or isinstance(x, Module):
            found[name] = x
        if isinstance(x, Module):
            for inner, y in owned(x).items():
                found[name + "." + inner] = y

    for name, value in module.__dict__.items():
        if isinstance(value, (list, tuple)):
            for i in range(len(value)):
                note(name + "." + str(i), value[i])
        else:
            note(name, value)
    return found


@right("owned", "with_a_stack")
def owned(module):
    found, stack = {}, [("", module)]
    while stack:
        name, x = stack.pop()
        if name and isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            pairs, front = [], name + "." if name else ""
            for n, value in vars(x).items():
                many = isinstance(value, list)
                pairs += [(f"{front}{n}.{i}", y) for i, y in enumerate(value)] if many else [(front + n, value)]
            stack += reversed(pairs)
    return found


@right("owned", "generator")
def owned(module):
    def walk(front, x):
        if isinstance(x, (Parameter, Module)):
            yield front, x
        if isinstance(x, Module):
            for n, value in vars(x).items():
                if isinstance(value, list):
                    for i, y in enumerate(value):
                        yield from walk(f"{front}.{n}.{i}", y)
                else:
                    yield from walk(f"{front}.{n}", value)

    return {name[1:]: x for name, x in walk("", module) if name}


@wrong("owned", "a_module_once", "A Module that is held in two places stands under its first name alone. Both places hold it.")
def owned(module):
    found, seen = {}, []

    def walk(m, front):
        for name, x in parts(m):
            if isinstance(x, Parameter):
                found[front + name] = x
            elif isinstance(x, Module) and not any(x is s for s in seen):
                seen.append(x)
                found[front + name] = x
                walk(x, front + name + ".")

    walk(module, "")
    return found


@wrong("owned", "no_private_names", "Attributes whose names begin with _ are left out. All attributes count.")
def owned(module):
    found = {}
    for name, x in parts(module):
        if name.startswith("_"):
            continue
        if isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
    return found


wrong(
    "owned",
    "bases_only",
    "A Parameter whose class comes from a class of Parameters is left out. `isinstance(x, Parameter)` knows all descendants.",
    source=changed(MODULE_OR_PARAMETER, ("isinstance(x, Parameter)", "Parameter in (type(x), *type(x).__bases__)")),
)


OWNED = """
def owned(module):
    found = {}
    for name, x in parts(module):
        if isinstance(x, (Parameter, Module)):
            found[name] = x
        if isinstance(x, Module):
            found |= {f"{name}.{inner}": y for inner, y in owned(x).items()}
    return found
"""

wrong(
    "owned",
    "parameters_first",
    "All is there, in another order: attributes have their turns as they stand, and a Module is followed by what it owns.",
    source=changed(
        MODULE_OR_PARAMETER,
        ("        elif isinstance(x, Parameter):\n            found[name] = x\n", ""),
        ("found = {}", "found = {name: x for name, x in parts(module) if isinstance(x, Parameter)}"),
    ),
)
wrong(
    "owned",
    "without_items",
    "A dict that is looped over gives its names alone, here the letters of one: names and things together come from `.items()`.",
    source=changed(OWNED, ("owned(x).items()", "owned(x)")),
)
wrong(
    "owned",
    "the_last_name_of_what_is_below",
    "A part of a part of a part has lost a name in the middle: it is `x.y.w`, and here it is `x.w`. Keep the whole name that `owned` gives, and put yours in front.",
    source=changed(OWNED, ("{inner}", "{inner.split('.')[-1]}")),
)


@wrong(
    "owned",
    "entered_once",
    "A Module that is owned twice stands under both names, and what it owns under one of them alone, as where a Module is left out that was seen before. All of it stands under both.",
)
def owned(module):
    found, entered = {}, set()

    def walk(part, front):
        for name, x in parts(part):
            if isinstance(x, (Parameter, Module)):
                found[front + name] = x
            if isinstance(x, Module) and id(x) not in entered:
                entered.add(id(x))
                walk(x, f"{front}{name}.")

    walk(module, "")
    return found


wrong(
    "owned",
    "returns_at_the_first_module",
    "What stands behind the first Module is missing, as with a `return` inside the loop. Collect through the whole loop, and return behind it.",
    source=changed(OWNED, ("found |= {", "return found | {")),
)
wrong(
    "owned",
    "the_class_in_front",
    "In front of the names stands that of a class. The name of the attribute belongs there, which `parts` gives: two layers are of one class, and have two names.",
    source=changed(OWNED, ('f"{name}.{inner}"', 'f"{type(x).__name__}.{inner}"')),
)


# -- dropout ----------------------------------------------------------------------------------------------------------


@wrong("dropout", "keeps_p", "p is the probability to drop a number, and here it is that of keeping it.")
def dropout(x, p, training, rng):
    if not training:
        return x
    return x * ((rng.random(x.shape) < p) / (1 - p))


@wrong(
    "dropout",
    "p_for_1_minus_p",
    "p is the probability to drop a number. You keep a number with probability p, and divide by p to match: keep with "
    "1 - p, and divide by that.",
)
def dropout(x, p, training, rng):
    if not training:
        return x
    return x * ((rng.random(x.shape) < p) / p)


@wrong("dropout", "not_scaled", "The numbers that stay are not made larger, so the mean shrinks.")
def dropout(x, p, training, rng):
    return x * (rng.random(x.shape) >= p) if training else x


@wrong("dropout", "divides_by_p", "Divide by the share that stays: that is 1 - p, not p.")
def dropout(x, p, training, rng):
    return x * ((rng.random(x.shape) >= p) / p) if training else x


@wrong("dropout", "times_keep", "Multiplying by 1 - p shrinks the mean twice. Divide by it.")
def dropout(x, p, training, rng):
    return x * (rng.random(x.shape) >= p) * (1 - p) if training else x


@wrong("dropout", "always", "While the network is used nothing is dropped: ask for `training`.")
def dropout(x, p, training, rng):
    return x * ((rng.random(x.shape) >= p) / (1 - p))


@wrong(
    "dropout",
    "scales_in_use",
    "In use you multiply by 1 - p, and in training you have divided by it: the mean is corrected twice.",
)
def dropout(x, p, training, rng):
    if not training:
        return x * (1 - p)
    return x * ((rng.random(x.shape) >= p) / (1 - p))


@wrong(
    "dropout",
    "mask_of_two_axes",
    "x may have any number of axes, and here the mask has two: `rng.random(x.shape)` has those of x.",
)
def dropout(x, p, training, rng):
    if not training:
        return x
    return x * (rng.random((x.shape[0], x.shape[-1])) >= p) / (1 - p)


@wrong("dropout", "whole_rows", "Whole rows are dropped. Draw a number for each number of x.")
def dropout(x, p, training, rng):
    return x * ((rng.random((len(x), 1)) >= p) / (1 - p)) if training else x


@wrong(
    "dropout",
    "whole_columns",
    "The same columns are dropped in each row. Draw a number for each number of x.",
)
def dropout(x, p, training, rng):
    return x * ((rng.random(x.shape[-1]) >= p) / (1 - p)) if training else x


@wrong("dropout", "same_mask", "Each call draws the same mask: take the numbers from rng, which goes on.")
def dropout(x, p, training, rng):
    mask = np.random.default_rng(0).random(x.shape) >= p
    return x * (mask / (1 - p)) if training else x


@wrong(
    "dropout",
    "leaves_the_graph",
    "The gradient does not come back: the numbers were taken out of the graph, as `.data` does.",
)
def dropout(x, p, training, rng):
    if not training:
        return x
    return Tensor(x.data * (rng.random(x.shape) >= p) / (1 - p), requires_grad=True)


@wrong("dropout", "global", "The mask does not come from rng, so a run cannot be repeated.")
def dropout(x, p, training, rng):
    return x * ((np.random.random(x.shape) >= p) / (1 - p)) if training else x


@wrong("dropout", "divides_in_use", "In use nothing is scaled: x comes back as it is.")
def dropout(x, p, training, rng):
    if not training:
        return x / (1 - p)
    return x * ((rng.random(x.shape) >= p) / (1 - p))


@wrong("dropout", "turned_round", "In training x comes back as it is: the modes are swapped, or nothing is ever dropped. Numbers have to be dropped in training, and none in use.")
def dropout(x, p, training, rng):
    if training:
        return x
    return x * ((rng.random(x.shape) >= p) / (1 - p))


@wrong(
    "dropout",
    "one_draw",
    "All numbers stay here: one was drawn for all of x, and then all stay, or all go; or no mask is used. Give `rng.random` the shape of x, and multiply by the mask.",
)
def dropout(x, p, training, rng):
    return x * ((rng.random() >= p) / (1 - p)) if training else x


@wrong(
    "dropout",
    "in_place",
    "The zeros were written into an array, that of x, where they stay for good, or that of the result: the gradient knows nothing of them. Make a new Tensor: x times a mask.",
)
def dropout(x, p, training, rng):
    if not training:
        return x
    x.data[rng.random(x.shape) < p] = 0.0
    return x / (1 - p)


@wrong("dropout", "none_in_use", "In use nothing is returned. Return x itself.")
def dropout(x, p, training, rng):
    if training:
        return x * ((rng.random(x.shape) >= p) / (1 - p))


@wrong("dropout", "an_array_in_use", "In use an array is returned, so no gradient can come back. Return x itself.")
def dropout(x, p, training, rng):
    return x * ((rng.random(x.shape) >= p) / (1 - p)) if training else x.data


@wrong(
    "dropout",
    "an_array",
    "An array is returned, so no gradient can come back. Multiply the Tensor by the mask.",
)
def dropout(x, p, training, rng):
    return x.data * (rng.random(x.shape) >= p) / (1 - p) if training else x


@wrong(
    "dropout",
    "new_tensor",
    "A new Tensor of numbers, or one made under `no_grad`, knows nothing of x and has no gradient to send back. Multiply x by the mask.",
)
def dropout(x, p, training, rng):
    return Tensor(x.data * (rng.random(x.shape) >= p) / (1 - p)) if training else x


@wrong(
    "dropout", "copy_in_use", "In use a new Tensor comes back, and no gradient reaches x. Return x itself."
)
def dropout(x, p, training, rng):
    return x * ((rng.random(x.shape) >= p) / (1 - p)) if training else Tensor(x.data, requires_grad=True)


@wrong(
    "dropout",
    "normal_numbers",
    "Too many zeros: the numbers that are drawn are not uniform from 0 to 1. Those of `rng.random` are.",
)
def dropout(x, p, training, rng):
    return x * ((rng.normal(size=x.shape) >= p) / (1 - p)) if training else x


@wrong(
    "dropout",
    "picks",
    "Indexing with a mask takes the other numbers away, and the shape with them. Multiply by it.",
)
def dropout(x, p, training, rng):
    return x[rng.random(x.shape) >= p] / (1 - p) if training else x


@wrong(
    "dropout",
    "new_tensor_in_use",
    "In use a new Tensor comes back, which no gradient can leave. Return x itself.",
)
def dropout(x, p, training, rng):
    return x * ((rng.random(x.shape) >= p) / (1 - p)) if training else Tensor(x.data)


@wrong("dropout", "over_the_share", "Divided by the share that happens to stay, which is another one in each draw: divide by 1 - p.")
def dropout(x, p, training, rng):
    if not training:
        return x
    keep = rng.random(x.shape) >= p
    return x * (keep / keep.mean())


@right("dropout", "binomial")
def dropout(x, p, training, rng):
    if training:
        return x * rng.binomial(1, 1 - p, size=x.shape) / (1 - p)
    return x


@wrong(
    "dropout",
    "a_share",
    "The same share of numbers is 0 in each call: p is a probability, and each number is drawn by itself.",
)
def dropout(x, p, training, rng):
    if not training:
        return x
    keep = np.arange(x.data.size) >= round(p * x.data.size)
    return x * rng.permutation(keep).reshape(x.shape) / (1 - p)


@right("dropout", "where")
def dropout(x, p, training, rng):
    scale = np.where(rng.random(x.shape) < 1 - p, 1 / (1 - p), 0.0)
    return scale * x if training else x * 1.0


@wrong("dropout", "two_axes", "The mask has two axes. That of `x` may be another number: its shape is `x.shape`.")
def dropout(x, p, training, rng):
    if not training:
        return x
    keep = rng.random((len(x.data), x.shape[1])) >= p
    return x * keep / (1 - p)


@wrong(
    "dropout",
    "last_two_axes",
    "All matrices of a stack lose the same numbers, as with a mask of the last two axes. The mask needs the whole shape of x.",
)
def dropout(x, p, training, rng):
    if not training:
        return x
    keep = rng.random(x.shape[-2:]) >= p
    return x * keep / (1 - p)


DROPOUT = """
def dropout(x, p, training, rng):
    if not training:
        return x
    keep = rng.random(x.shape) >= p
    return x * (keep / (1 - p))
"""

A_NUMBER_FOR_P = "Right for p = 0.25, and for no other: a number stands where p, or 1 - p, belongs."
wrong(
    "dropout",
    "a_number_for_p",
    A_NUMBER_FOR_P,
    source=changed(DROPOUT, (">= p", ">= 0.25"), ("1 - p", "0.75")),
)
wrong(
    "dropout",
    "a_number_for_the_scale",
    A_NUMBER_FOR_P,
    source=changed(DROPOUT, ("1 - p", "0.75")),
)
wrong(
    "dropout",
    "a_number_for_the_chance",
    "As many are dropped for one p as for another: a number stands where p belongs.",
    source=changed(DROPOUT, (">= p", ">= 0.25")),
)
wrong(
    "dropout",
    "a_share_at_random",
    "The same share of numbers is 0 in each call: p is a probability, and each number is drawn by itself.",
    source=changed(
        DROPOUT,
        (
            "keep = rng.random(x.shape) >= p",
            "keep = np.ones(x.size)\n    keep[rng.permutation(x.size)[: int(p * x.size)]] = 0\n    keep = keep.reshape(x.shape)",
        ),
    ),
)
wrong(
    "dropout",
    "multiplied_in_place",
    "The numbers of x itself are changed, so a second call begins with what the first has left. Let x be, and return a new Tensor: x times a mask.",
    source=changed(DROPOUT, ("return x * (keep / (1 - p))", "x.data *= keep / (1 - p)\n    return x")),
)
wrong(
    "dropout",
    "rounded_draws",
    "Half of the numbers are dropped, whatever p is: `round` draws the line at 0.5. Compare what you draw with p.",
    source=changed(DROPOUT, ("rng.random(x.shape) >= p", "np.round(rng.random(x.shape))")),
)
wrong(
    "dropout",
    "times_1_plus_p",
    "1 + p is too small a factor: three of four numbers that are 5/4 as large have a smaller mean. What stays is divided by 1 - p.",
    source=changed(DROPOUT, ("(keep / (1 - p))", "(keep * (1 + p))")),
)


wrong(
    "dropout",
    "whole_percents",
    "Of p = 0.005 it makes twice as much, as where whole percents are drawn. Compare numbers between 0 and 1 with p itself.",
    source=changed(DROPOUT, ("rng.random(x.shape) >= p", "rng.integers(100, size=x.shape) >= 100 * p")),
)


wrong(
    "dropout",
    "over_their_number",
    "Far too small: what stays is divided by how many stay, as with `keep.sum()`. It is divided by the probability to stay, 1 - p.",
    source=changed(DROPOUT, ("return x * (keep / (1 - p))", "keep = keep / keep.sum()\n    return x * keep")),
)
wrong(
    "dropout",
    "rows_and_columns",
    "It fits an x of two axes, and no other: `n, m = x.shape` wants just two. Give `rng.random` the shape as it is, `x.shape`.",
    source=changed(DROPOUT, ("keep = rng.random(x.shape) >= p", "n, m = x.shape\n    keep = rng.random((n, m)) >= p")),
)


# -- mended_net -------------------------------------------------------------------------------------------------------

NET = """
class MendedNet(Module):
    def __init__(self, rng):
        self.rng = rng
        self.first = {first}
        self.shift = {shift}
        self.second = {second}

    def forward(self, x):
        hidden = (x @ self.first.T + self.shift).tanh()
        {drop}
        return hidden @ self.second.T
"""
GOOD = {
    "first": "Parameter(rng.normal(0.0, 0.5, (8, 3)))",
    "shift": "Parameter(np.zeros(8))",
    "second": "Parameter(rng.normal(0.0, 0.5, (1, 8)))",
    "drop": "hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5) if self.training else hidden",
}


def net(**changed):
    return NET.format(**{**GOOD, **changed})


wrong(
    "mended_net",
    "as_it_was",
    "As in the colleague's network, `shift` is no Parameter and `first` is too large. Start with what is not found as a parameter.",
    source="""
class MendedNet(Colleague):
    pass
""",
)
wrong(
    "mended_net",
    "plain_tensor",
    "The shift is still a Tensor. Only a Parameter is found and trained.",
    source=net(shift="Tensor(np.zeros(8), requires_grad=True)"),
)
wrong(
    "mended_net",
    "arrays",
    "What `first`, `shift` or `second` holds is no Tensor, and so no gradient arrives there. Only a Parameter is found and trained.",
    source=net(first="rng.normal(0.0, 0.5, (8, 3))", shift="np.zeros(8)", second="rng.normal(0.0, 0.5, (1, 8))"),
)
wrong(
    "mended_net",
    "root_of_less_than_0",
    "`first` holds no numbers (NaN), or infinite ones. Is a root taken of what is below 0, or something divided by 0?",
    source=net(first="Parameter(rng.normal(size=(8, 3)) * np.sqrt(-3.0))"),
)
wrong(
    "mended_net",
    "too_large",
    "`first` is still too large: many a tanh gives nearly 1 or -1, and its slope there is nearly 0.",
    source=net(first="Parameter(rng.normal(0.0, 10.0, (8, 3)))"),
)
wrong(
    "mended_net",
    "too_small",
    "`first` begins so small that hardly anything passes. A std near the root of 1 / fan-in keeps the size.",
    source=net(first="Parameter(rng.normal(0.0, 0.01, (8, 3)))"),
)
wrong(
    "mended_net",
    "larger_than_asked",
    "`first` is still too large: many a tanh gives nearly 1 or -1, and its slope there is nearly 0.",
    source=net(first="Parameter(rng.normal(0.0, 3.0, (8, 3)))"),
)
wrong(
    "mended_net",
    "second_too_large",
    "`second` begins too large: its std belongs between 0.1 and 1.2, too, or the first answers are far off.",
    source=net(second="Parameter(rng.normal(0.0, 50.0, (1, 8)))"),
)
wrong(
    "mended_net",
    "second_too_small",
    "`second` begins too small: its std belongs between 0.1 and 1.2, too, or hardly a gradient reaches `first`.",
    source=net(second="Parameter(rng.normal(0.0, 0.001, (1, 8)))"),
)
wrong(
    "mended_net",
    "second_from_first",
    "`second` holds numbers of `first`: draw it for itself.",
    source=net(second="Parameter(self.first.data[:, :1].T.copy())"),
)
wrong(
    "mended_net",
    "shift_drawn",
    "The shift does not begin at 0.",
    source=net(shift="Parameter(rng.normal(0.0, 0.5, 8))"),
)
wrong(
    "mended_net",
    "equal_neurons",
    "The eight neurons begin equal: random first weights are what makes neurons differ.",
    source=net(first="Parameter(np.full((8, 3), 0.3))"),
)
wrong(
    "mended_net",
    "zeros",
    "The eight neurons begin equal: random first weights are what makes neurons differ.",
    source=net(first="Parameter(np.zeros((8, 3)))"),
)
wrong(
    "mended_net",
    "drops_in_use",
    "The network still drops neurons while it is used: two calls differ.",
    source=net(drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5)"),
)
wrong(
    "mended_net",
    "quarter",
    "Fewer neurons are dropped than half: the colleague's `>= 0.5` keeps half, and yours keeps more.",
    source=net(
        drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.25) / 0.5) if self.training else hidden"
    ),
)
wrong(
    "mended_net",
    "graph_cut",
    "In training the way back ends at a new Tensor, made of `.data`, or at other numbers without a past: the first layer gets no gradient.",
    source=net(
        drop="hidden = Tensor(hidden.data * (self.rng.random(hidden.shape) >= 0.5) / 0.5) "
        "if self.training else hidden"
    ),
)
wrong(
    "mended_net",
    "graph_cut_in_use",
    "While it is used, the way back ends at a new Tensor, made of `.data`: the first layer gets no gradient.",
    source=net(
        drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5) if self.training else Tensor(hidden.data)"
    ),
)
wrong(
    "mended_net",
    "no_dropout",
    "Dropout was not the mistake. It has to stay, in training.",
    source=net(drop="pass"),
)
wrong(
    "mended_net",
    "scales_in_use",
    "In use the numbers are doubled as well. The factor makes up for dropped neurons, and none is dropped.",
    source=net(
        drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) if self.training else 1.0) / 0.5"
    ),
)
wrong(
    "mended_net",
    "not_scaled",
    "In training, the neurons that stay are not doubled any more.",
    source=net(drop="hidden = hidden * (self.rng.random(hidden.shape) >= 0.5) if self.training else hidden"),
)
wrong(
    "mended_net",
    "fixed_weights",
    "The first weights do not all come from rng: a seed should give the same ones again, and another seed all others.",
    source=net(first="Parameter(np.arange(24.0).reshape(8, 3) / 20 - 0.5)"),
)
wrong(
    "mended_net",
    "global",
    "The first weights do not all come from rng: a seed should give the same ones again, and another seed all others.",
    source=net(first="Parameter(np.random.normal(0.0, 0.5, (8, 3)))"),
)
wrong(
    "mended_net",
    "second_not_drawn",
    "The first weights do not all come from rng: a seed should give the same ones again, and another seed all others.",
    source=net(second="Parameter(np.full((1, 8), 0.3))"),
)
wrong(
    "mended_net",
    "equal_rows",
    "The eight neurons begin equal: random first weights are what makes neurons differ.",
    source=net(first="Parameter(np.tile(rng.normal(0.0, 0.5, (1, 3)), (8, 1)))"),
)
wrong(
    "mended_net",
    "halves_in_use",
    "In use the numbers are halved. Dropout scales in training only.",
    source=net(
        drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5 if self.training else 0.5)"
    ),
)
wrong(
    "mended_net",
    "own_generator",
    "The first weights do not all come from rng: a seed should give the same ones again, and another seed all others.",
    source=net(first="Parameter(np.random.default_rng(0).normal(0.0, 0.5, (8, 3)))"),
)
wrong(
    "mended_net",
    "global_mask",
    "Which neurons are dropped is not drawn from rng, so a run cannot be repeated.",
    source=net(
        drop="hidden = hidden * ((np.random.random(hidden.shape) >= 0.5) / 0.5) if self.training else hidden"
    ),
)
wrong(
    "mended_net",
    "drops_before_the_tanh",
    "The drops come before the tanh here, so what stays is doubled inside it. Drop and double what the tanh gives.",
    source=net(
        drop="hidden = x @ self.first.T + self.shift\n        "
        "keep = (self.rng.random(hidden.shape) >= 0.5) / 0.5 if self.training else 1.0\n        "
        "hidden = (hidden * keep).tanh()"
    ),
)
wrong(
    "mended_net",
    "drops_the_answer",
    "In training the answer itself is 0 or doubled, too. Only the eight neurons are.",
    source=net().replace(
        "return hidden @ self.second.T",
        "out = hidden @ self.second.T\n"
        "        return out * ((self.rng.random(out.shape) >= 0.5) / 0.5) if self.training else out",
    ),
)
wrong(
    "mended_net",
    "a_generator_for_each_call",
    "Each call drops the same neurons: it makes a generator of its own, which begins anew. Keep rng, and draw from it.",
    source=net(
        drop="keep = np.random.default_rng(0).random(hidden.shape) >= 0.5\n        "
        "hidden = hidden * (keep / 0.5) if self.training else hidden"
    ),
)
wrong(
    "mended_net",
    "one_mask_for_all_rows",
    "All rows lose the same neurons. Draw for each number: the mask has the shape of `hidden`.",
    source=net(drop="hidden = hidden * ((self.rng.random(8) >= 0.5) / 0.5) if self.training else hidden"),
)
wrong(
    "mended_net",
    "turned_round",
    "The network still drops neurons while it is used: two calls differ.",
    source=net(
        drop="hidden = hidden if self.training else hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5)"
    ),
)
wrong(
    "mended_net",
    "halved",
    "The neurons that stay are halved. They stand for those that are dropped: double them.",
    source=net(
        drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) * 0.5) if self.training else hidden"
    ),
)
WHOLE_ANSWERS = "Whole answers are dropped, as by a mask with one number for each row, or on the answer itself. Draw one for each of the eight neurons, before the second matrix."
wrong(
    "mended_net",
    "drops_only_the_answer",
    WHOLE_ANSWERS,
    source=net(drop="").replace(
        "return hidden @ self.second.T",
        "out = hidden @ self.second.T\n"
        "        return out * ((self.rng.random(out.shape) >= 0.5) / 0.5) if self.training else out",
    ),
)
wrong(
    "mended_net",
    "one_number_for_a_row",
    WHOLE_ANSWERS,
    source=net(
        drop="hidden = hidden * ((self.rng.random((hidden.shape[0], 1)) >= 0.5) / 0.5) if self.training else hidden"
    ),
)
wrong(
    "mended_net",
    "one_mask_for_good",
    "All rows and all calls lose the same neurons: one mask was drawn, once. Draw in `forward`, for each number of `hidden`.",
    source=net(
        second=GOOD["second"] + "\n        self.mask = (rng.random(8) >= 0.5) / 0.5",
        drop="hidden = hidden * self.mask if self.training else hidden",
    ),
)
wrong(
    "mended_net",
    "relu_for_tanh",
    "The neurons are no tanh any more: relu, or something else, acts on their sums. The tanh is right, and its sums were too large.",
    source=changed(net(), (".tanh()", ".relu()")),
)
wrong(
    "mended_net",
    "shift_left_out",
    "The `shift` is there, and is not added to the sums of the neurons.",
    source=changed(net(), (" + self.shift)", ")")),
)
wrong(
    "mended_net",
    "shift_with_a_row",
    "`shift` has another shape than the colleague's: eight numbers, one axis.",
    source=net(shift="Parameter(np.zeros((1, 8)))"),
)
wrong(
    "mended_net",
    "a_tenth",
    "What stays is not doubled, as where another share than a half is dropped, with a factor to match. The share of 0.5 was right.",
    source=net(drop="hidden = hidden * ((self.rng.random(hidden.shape) >= 0.1) / 0.9) if self.training else hidden"),
)
wrong(
    "mended_net",
    "drops_inputs",
    "The inputs are dropped. Dropout belongs between the neurons and the second matrix.",
    source=net(drop="").replace(
        "        hidden = (x",
        "        if self.training:\n"
        "            x = x * ((self.rng.random(x.shape) >= 0.5) / 0.5)\n"
        "        hidden = (x",
    ),
)
wrong(
    "mended_net",
    "shape_turned",
    "`first` has another shape than the colleague's: a weight has a row for each output.",
    source=net(first="Parameter(rng.normal(0.0, 0.5, (3, 8)))").replace("self.first.T", "self.first"),
)
wrong(
    "mended_net",
    "a_parameter_more",
    "There is a Parameter that the colleague's network does not have. Mend what is there, and add nothing.",
    source=net(second="Parameter(rng.normal(0.0, 0.5, (1, 8)))\n        self.bias = Parameter(np.zeros(1))").replace(
        "return hidden @ self.second.T", "return hidden @ self.second.T + self.bias"
    ),
)
wrong(
    "mended_net",
    "a_layer_more",
    "There is a Parameter that the colleague's network does not have. Mend what is there, and add nothing.",
    source="""
class Shifted(Module):
    def __init__(self):
        self.bias = Parameter(np.zeros(1))

    def forward(self, x):
        return x + self.bias
"""
    + net(second="Parameter(rng.normal(0.0, 0.5, (1, 8)))\n        self.last = Shifted()").replace(
        "return hidden @ self.second.T", "return self.last(hidden @ self.second.T)"
    ),
)
wrong(
    "mended_net",
    "a_generator_of_its_own",
    "The drops come from a generator with a seed of its own, so that each network drops the same neurons. Keep the `rng` that is given: `self.rng = rng`.",
    source="""
    class MendedNet(Module):
        def __init__(self, rng):
            self.rng = np.random.default_rng(0)
            self.first = Parameter(rng.normal(0.0, 0.5, (8, 3)))
            self.shift = Parameter(np.zeros(8))
            self.second = Parameter(rng.normal(0.0, 0.5, (1, 8)))

        def forward(self, x):
            hidden = (x @ self.first.T + self.shift).tanh()
            if self.training:
                keep = self.rng.random(hidden.shape) >= 0.5
                hidden = hidden * (keep / 0.5)
            return hidden @ self.second.T
    """,
)


wrong(
    "mended_net",
    "not_from_one_row",
    "Nothing is dropped from a batch of one row in training. The mode alone decides, however many rows there are.",
    source=net(
        drop="if self.training and len(x.data) > 1:\n"
        "            hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5)"
    ),
)


right(
    "mended_net",
    "with_the_module",
    source="""
class Drop(Module):  # the notebook's Dropout, without the learner's dropout
    def __init__(self, rng):
        self.rng = rng

    def forward(self, x):
        return x * ((self.rng.random(x.shape) >= 0.5) * 2.0) if self.training else x


class MendedNet(Module):
    def __init__(self, rng):
        self.first = Parameter(rng.normal(0.0, 0.5, (8, 3)))
        self.shift = Parameter(np.zeros(8))
        self.second = Parameter(rng.normal(0.0, 0.5, (1, 8)))
        self.drop = Drop(rng)

    def forward(self, x):
        hidden = self.drop((x @ self.first.T + self.shift).tanh())
        return hidden @ self.second.T
""",
)
right(
    "mended_net",
    "uniform",
    source=net(
        first="Parameter(rng.uniform(-1, 1, (8, 3)))",
        drop="hidden = hidden * (self.rng.binomial(1, 0.5, hidden.shape) * 2.0) if self.training else hidden",
    ),
)
right(
    "mended_net",
    "early_return",
    source="""
class MendedNet(Module):
    def __init__(self, rng):
        self.first = Parameter(rng.standard_normal((8, 3)) / 2)
        self.second = Parameter(rng.standard_normal((1, 8)) / 2)
        self.shift = Parameter([0.0] * 8)
        self.generator = rng

    def forward(self, x):
        hidden = (self.shift + x @ self.first.T).tanh()
        if not self.training:
            return hidden @ self.second.T
        dropped = self.generator.random(hidden.shape) < 0.5
        return (hidden * np.where(dropped, 0.0, 2.0)) @ self.second.T
""",
)


NOT_AROUND_0 = "The first weights are not drawn around 0, as those of `rng.random` are not: the mean is to be 0, in `first` and in `second`."
wrong("mended_net", "above_0", NOT_AROUND_0, source=net(first="Parameter(rng.random((8, 3)))", second="Parameter(rng.random((1, 8)))"))
wrong("mended_net", "first_above_0", NOT_AROUND_0, source=net(first="Parameter(rng.random((8, 3)))"))
wrong("mended_net", "second_above_0", NOT_AROUND_0, source=net(second="Parameter(rng.random((1, 8)))"))
wrong(
    "mended_net",
    "exactly_half",
    "Each row loses four of its eight neurons here, no more and no fewer. Dropout draws for each number by itself, so that the count varies.",
    source=net(
        drop="half = np.tile([0.0, 0, 0, 0, 2, 2, 2, 2], (len(hidden.data), 1))\n        "
        "hidden = hidden * self.rng.permuted(half, axis=1) if self.training else hidden"
    ),
)
wrong(
    "mended_net",
    "all_zeros",
    "All first weights are 0, so that the neurons are equal and no gradient reaches `first`. Draw `first` and `second` from rng; `shift` alone begins at 0.",
    source=net(first="Parameter(np.zeros((8, 3)))", second="Parameter(np.zeros((1, 8)))"),
)
wrong(
    "mended_net",
    "no_readout_in_use",
    "In use the neurons themselves come back, eight numbers for each example: an early `return` leaves out the last layer. In both modes `second` makes one number of them.",
    source=changed(
        net(drop="if not self.training:\n            return hidden\n        hidden = hidden * ((self.rng.random(hidden.shape) >= 0.5) / 0.5)"),
    ),
)
