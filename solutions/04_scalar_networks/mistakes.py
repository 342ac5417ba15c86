"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 04_scalar_networks`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (Value, exp, log, tanh, math, random) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import right, wrong

NOTHING_ZEROED = (
    "The grads are what they were. `parameter = ...` only gives a name a new meaning, and neither a new list nor a new "
    "Value is the network's. Assign to the attribute `grad`."
)
NOTHING_MOVED = (
    "The network's Values are what they were. `parameter = ...` makes a new Value that the network does not know. "
    "Change `data` of the Values that are there."
)

# -- weighted_sum -----------------------------------------------------------------------------------------------------


@wrong("weighted_sum", "no_bias", "The products are right. The bias belongs to the sum as well.")
def weighted_sum(weights, bias, inputs):
    return sum(weight * x for weight, x in zip(weights, inputs))


@wrong(
    "weighted_sum",
    "bias_in_every_round",
    "The bias is added once for each input. It belongs to the neuron, so it is added once.",
)
def weighted_sum(weights, bias, inputs):
    return sum(weight * x + bias for weight, x in zip(weights, inputs))


@wrong(
    "weighted_sum",
    "bias_as_factor",
    "The bias is added to the sum here, not multiplied with it: look at the formula.",
)
def weighted_sum(weights, bias, inputs):
    return bias * sum(weight * x for weight, x in zip(weights, inputs))


@wrong(
    "weighted_sum",
    "last_product_only",
    "Each round replaces what the round before it found. Add it up instead.",
)
def weighted_sum(weights, bias, inputs):
    for weight, x in zip(weights, inputs):
        total = weight * x
    return total + bias


@wrong(
    "weighted_sum",
    "returns_in_loop",
    "The function returns in its first round, so only the first pair counts.",
)
def weighted_sum(weights, bias, inputs):
    total = bias
    for weight, x in zip(weights, inputs):
        total = total + weight * x
        return total


@wrong(
    "weighted_sum",
    "sums_multiplied",
    "Every weight meets every input here. Each input goes with its own weight: multiply in pairs, then add up.",
)
def weighted_sum(weights, bias, inputs):
    return sum(weights) * sum(inputs) + bias


@wrong(
    "weighted_sum",
    "activated",
    "The sum is right, but tanh was applied to it. That comes later: return the sum.",
)
def weighted_sum(weights, bias, inputs):
    return tanh(sum((weight * x for weight, x in zip(weights, inputs)), bias))


@wrong(
    "weighted_sum",
    "leaves_the_graph",
    "`.data` takes the number out of the graph, so no gradient finds its way back. Work with the Values themselves.",
)
def weighted_sum(weights, bias, inputs):
    def number_of(x):
        return x.data if isinstance(x, Value) else x

    return sum((number_of(weight) * number_of(x) for weight, x in zip(weights, inputs)), number_of(bias))


@wrong(
    "weighted_sum",
    "inputs_leave_the_graph",
    "The inputs were taken as numbers. In the second layer they are Values, and their gradients are needed.",
)
def weighted_sum(weights, bias, inputs):
    inputs = [x.data if isinstance(x, Value) else x for x in inputs]
    return sum((weight * x for weight, x in zip(weights, inputs)), bias)


@right("weighted_sum", "with_sum")
def weighted_sum(weights, bias, inputs):
    return sum(weight * x for weight, x in zip(weights, inputs)) + bias


@right("weighted_sum", "with_positions")
def weighted_sum(weights, bias, inputs):
    total = 0.0
    for i in range(len(weights)):
        total += inputs[i] * weights[i]
    return bias + total


# -- layer_outputs ----------------------------------------------------------------------------------------------------


@wrong(
    "layer_outputs", "first_only", "The function returns in its first round: only the first neuron was asked."
)
def layer_outputs(neurons, inputs):
    for neuron in neurons:
        return [neuron(inputs)]


@wrong(
    "layer_outputs",
    "last_only",
    "Each output replaces the one before it. A layer gives one number per neuron.",
)
def layer_outputs(neurons, inputs):
    for neuron in neurons:
        outputs = [neuron(inputs)]
    return outputs


@wrong(
    "layer_outputs",
    "added_up",
    "The outputs were added up. They are the inputs of the next layer: keep them apart.",
)
def layer_outputs(neurons, inputs):
    return [sum(neuron(inputs) for neuron in neurons)]


@wrong(
    "layer_outputs",
    "one_input_each",
    "Each neuron got one input. In a layer, every neuron looks at all of them.",
)
def layer_outputs(neurons, inputs):
    return [neuron([x]) for neuron, x in zip(neurons, inputs)]


@wrong(
    "layer_outputs",
    "one_after_another",
    "The second neuron got what the first one gave. Neurons of one layer stand side by side: all get the inputs.",
)
def layer_outputs(neurons, inputs):
    for neuron in neurons:
        inputs = [neuron(inputs)]
    return inputs


@wrong("layer_outputs", "uncalled", "These are the neurons themselves. Call each of them with the inputs.")
def layer_outputs(neurons, inputs):
    return [neuron for neuron in neurons]


@right("layer_outputs", "grown")
def layer_outputs(neurons, inputs):
    outputs = []
    for neuron in neurons:
        outputs.append(neuron(inputs))
    return outputs


@right("layer_outputs", "with_map")
def layer_outputs(neurons, inputs):
    return list(map(lambda neuron: neuron(inputs), neurons))


# -- mlp_outputs ------------------------------------------------------------------------------------------------------


@wrong(
    "mlp_outputs",
    "same_inputs",
    "Every layer got the first inputs, so only the last one counts. Each has to get what the one before it gave.",
)
def mlp_outputs(layers, inputs):
    for layer in layers:
        outputs = layer(inputs)
    return outputs


@wrong(
    "mlp_outputs",
    "first_layer_only",
    "The function returns in its first round: the other layers were not used.",
)
def mlp_outputs(layers, inputs):
    for layer in layers:
        return layer(inputs)


@wrong("mlp_outputs", "reversed", "The layers were used from the last to the first.")
def mlp_outputs(layers, inputs):
    for layer in reversed(layers):
        inputs = layer(inputs)
    return inputs


@wrong(
    "mlp_outputs",
    "all_of_them",
    "These are the outputs of all layers. Asked for is what comes out at the end, after the last one.",
)
def mlp_outputs(layers, inputs):
    outputs = []
    for layer in layers:
        inputs = layer(inputs)
        outputs.append(inputs)
    return outputs


@wrong(
    "mlp_outputs",
    "first_number_only",
    "Only the first number came back. A last layer may have several neurons: return its whole list.",
)
def mlp_outputs(layers, inputs):
    for layer in layers:
        inputs = layer(inputs)
    return inputs[0]


@wrong("mlp_outputs", "last_layer_skipped", "The last layer was left out.")
def mlp_outputs(layers, inputs):
    for layer in layers[:-1]:
        inputs = layer(inputs)
    return inputs


@right("mlp_outputs", "recursive")
def mlp_outputs(layers, inputs):
    return mlp_outputs(layers[1:], layers[0](inputs)) if layers else inputs


@right("mlp_outputs", "with_reduce")
def mlp_outputs(layers, inputs):
    from functools import reduce

    return reduce(lambda signal, layer: layer(signal), layers, inputs)


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
    "The targets play no part. The same score is good for one target, and bad for the other.",
)
def margin_loss(scores, targets):
    losses = [log(1 + exp(-score)) for score in scores]
    return sum(losses) / len(losses)


@wrong("margin_loss", "no_one", "The 1 inside the logarithm is missing: log(exp(-margin)) is -margin again.")
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
    "You divided by the number of examples twice. The curve would look right, and training would crawl.",
)
def margin_loss(scores, targets):
    losses = [log(1 + exp(-target * score)) for score, target in zip(scores, targets)]
    return sum(losses) / len(losses) ** 2


@wrong(
    "margin_loss",
    "squared_error",
    "This is the mean squared error of unit 01. Here the loss is made from the margin.",
)
def margin_loss(scores, targets):
    return sum((score - target) ** 2 for score, target in zip(scores, targets)) / len(targets)


@wrong(
    "margin_loss",
    "math_functions",
    "math.log and math.exp take plain numbers only. Use `log` and `exp` from the first cell.",
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
    "margin_loss", "one_example", "The function returns in its first round: only the first example counts."
)
def margin_loss(scores, targets):
    for score, target in zip(scores, targets):
        return log(1 + exp(-target * score)) / len(scores)


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


# -- all_parameters ---------------------------------------------------------------------------------------------------


@wrong("all_parameters", "no_biases", "The weights are there, the biases are not. They are trained, too.")
def all_parameters(network):
    return [weight for layer in network.layers for neuron in layer.neurons for weight in neuron.weights]


@wrong("all_parameters", "biases_only", "These are the biases. The weights belong to the list as well.")
def all_parameters(network):
    return [neuron.bias for layer in network.layers for neuron in layer.neurons]


@wrong(
    "all_parameters",
    "first_layer_only",
    "Only the first layer is in the list: `return` stands inside the loop.",
)
def all_parameters(network):
    parameters = []
    for layer in network.layers:
        for neuron in layer.neurons:
            parameters.extend([*neuron.weights, neuron.bias])
        return parameters


@wrong(
    "all_parameters",
    "last_neuron_only",
    "The list begins anew in every round, so only the last neuron is in it.",
)
def all_parameters(network):
    for layer in network.layers:
        for neuron in layer.neurons:
            parameters = [*neuron.weights, neuron.bias]
    return parameters


@wrong(
    "all_parameters",
    "lists_in_the_list",
    "There are lists in the list. `append` adds its argument as one thing; `extend` adds what is in it.",
)
def all_parameters(network):
    parameters = []
    for layer in network.layers:
        for neuron in layer.neurons:
            parameters.append(neuron.weights)
            parameters.append(neuron.bias)
    return parameters


@wrong(
    "all_parameters",
    "numbers",
    "These are numbers. Training has to change the Values that the network uses, so return those.",
)
def all_parameters(network):
    return [
        p.data for layer in network.layers for neuron in layer.neurons for p in [*neuron.weights, neuron.bias]
    ]


@wrong(
    "all_parameters",
    "copies",
    "These are new Values with the same numbers. The network would never notice that they are trained.",
)
def all_parameters(network):
    return [
        Value(p.data)
        for layer in network.layers
        for neuron in layer.neurons
        for p in [*neuron.weights, neuron.bias]
    ]


@wrong(
    "all_parameters",
    "bias_with_every_weight",
    "The bias of a neuron is in the list once for each weight. It would be updated several times in one step.",
)
def all_parameters(network):
    parameters = []
    for layer in network.layers:
        for neuron in layer.neurons:
            for weight in neuron.weights:
                parameters += [weight, neuron.bias]
    return parameters


@wrong(
    "all_parameters",
    "bias_into_the_weights",
    "A list of weights of the network itself has grown: `append`, `extend` and `+=` change the list that they are given. Begin a list of your own.",
)
def all_parameters(network):
    parameters = []
    for layer in network.layers:
        for neuron in layer.neurons:
            neuron.weights.append(neuron.bias)
            parameters.extend(neuron.weights)
    return parameters


@right("all_parameters", "comprehension")
def all_parameters(network):
    neurons = [neuron for layer in network.layers for neuron in layer.neurons]
    return [p for neuron in neurons for p in [neuron.bias, *neuron.weights]]


@right("all_parameters", "weights_first")
def all_parameters(network):
    weights, biases = [], []
    for layer in network.layers:
        for neuron in layer.neurons:
            weights += neuron.weights
            biases.append(neuron.bias)
    return weights + biases


# -- zero_gradients ---------------------------------------------------------------------------------------------------


@wrong("zero_gradients", "rebinds", NOTHING_ZEROED)
def zero_gradients(parameters):
    for parameter in parameters:
        parameter = 0.0


@wrong(
    "zero_gradients",
    "data_too",
    "The data is 0 as well: that wipes out what the network has learned. Only grad begins anew.",
)
def zero_gradients(parameters):
    for parameter in parameters:
        parameter.data = parameter.grad = 0.0


@wrong(
    "zero_gradients",
    "data_instead",
    "You set data to 0, which is the weight itself. The gradient is in grad.",
)
def zero_gradients(parameters):
    for parameter in parameters:
        parameter.data = 0.0


@wrong(
    "zero_gradients",
    "none",
    "grad is None now, and `backward` cannot add to that. It has to be the number 0.0.",
)
def zero_gradients(parameters):
    for parameter in parameters:
        parameter.grad = None


@wrong(
    "zero_gradients",
    "first_only",
    "Only the first parameter was set to zero: the function returns in its first round.",
)
def zero_gradients(parameters):
    for parameter in parameters:
        parameter.grad = 0.0
        return


@wrong("zero_gradients", "a_list", NOTHING_ZEROED)
def zero_gradients(parameters):
    return [0.0 for parameter in parameters]


@wrong("zero_gradients", "new_values", NOTHING_ZEROED)
def zero_gradients(parameters):
    for i, parameter in enumerate(parameters):
        parameters[i] = Value(parameter.data)


@right("zero_gradients", "own_method")
def zero_gradients(parameters):
    for parameter in parameters:
        parameter.zero_grad()


@right("zero_gradients", "with_positions")
def zero_gradients(parameters):
    for i in range(len(parameters)):
        parameters[i].grad *= 0.0


# -- update_parameters ------------------------------------------------------------------------------------------------


@wrong(
    "update_parameters",
    "uphill",
    "The sign is wrong: the gradient points to where the loss grows, and you followed it.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data += rate * parameter.grad


@wrong("update_parameters", "rebinds", NOTHING_MOVED)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter = parameter - rate * parameter.grad


@wrong("update_parameters", "new_values_in_the_list", NOTHING_MOVED)
def update_parameters(parameters, rate):
    for i, parameter in enumerate(parameters):
        parameters[i] = Value(parameter.data - rate * parameter.grad)


@wrong(
    "update_parameters",
    "value_in_data",
    "There is a Value inside `data`. The right side has to be a number: use `parameter.data` there, too.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data = parameter - rate * parameter.grad


@wrong("update_parameters", "no_rate", "The rate plays no part: it says how far a step goes.")
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data -= parameter.grad


@wrong(
    "update_parameters",
    "no_gradient",
    "Every parameter goes down by the rate. How far it goes depends on its grad.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data -= rate


@wrong("update_parameters", "replaces", "The step replaced the number. It has to be subtracted from it.")
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data = -rate * parameter.grad


@wrong(
    "update_parameters",
    "first_only",
    "Only the first parameter moved: the function returns in its first round.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data -= rate * parameter.grad
        return parameters


@wrong(
    "update_parameters",
    "changes_grad",
    "The step went into grad, and data stays. It is data that the network computes with.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.grad -= rate * parameter.data


@wrong(
    "update_parameters",
    "zeroed_first",
    "The gradients were set to zero before they were used, so nothing moves.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.grad = 0.0
        parameter.data -= rate * parameter.grad


@wrong(
    "update_parameters",
    "zeroed_too",
    "The step is right, and then the grads were set to zero. That is the task of zero_gradients: whoever looks at the grads after a step would find nothing.",
)
def update_parameters(parameters, rate):
    for parameter in parameters:
        parameter.data -= rate * parameter.grad
        parameter.grad = 0.0


@right("update_parameters", "written_out")
def update_parameters(parameters, rate):
    for p in parameters:
        step = -p.grad * rate
        p.data = p.data + step


@right("update_parameters", "with_positions")
def update_parameters(parameters, rate):
    moved = [p.data - p.grad * rate for p in parameters]
    for p, number in zip(parameters, moved):
        p.data = number


# -- training_step ----------------------------------------------------------------------------------------------------


@wrong(
    "training_step",
    "no_zeroing",
    "Nobody sets the gradients to zero, so each step is pushed by those of all steps before it.",
)
def training_step(optimizer, compute_loss):
    loss = compute_loss()
    loss.backward()
    optimizer.step()
    return loss.data


@wrong(
    "training_step",
    "zeroed_before_step",
    "The gradients are set to zero after backward has found them: the step then has nothing to go by.",
)
def training_step(optimizer, compute_loss):
    loss = compute_loss()
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.data


@wrong(
    "training_step",
    "zeroed_at_the_end",
    "Zeroing at the end helps the next step. What was in the grads before the first one is still added to it.",
)
def training_step(optimizer, compute_loss):
    loss = compute_loss()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.data


@wrong(
    "training_step",
    "no_backward",
    "The loss is computed, but nobody goes back through its graph for gradients.",
)
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    optimizer.step()
    return loss.data


@wrong(
    "training_step", "no_step", "There are gradients, and nothing is done with them: the update is missing."
)
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    loss.backward()
    return loss.data


@wrong(
    "training_step",
    "step_before_backward",
    "The update comes before the gradients of this loss are there.",
)
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    optimizer.step()
    loss.backward()
    return loss.data


@wrong(
    "training_step",
    "returns_the_value",
    "You returned the loss as a Value, which keeps the whole graph of this step in memory. Return its number.",
)
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    loss.backward()
    optimizer.step()
    return loss


@wrong(
    "training_step",
    "computed_twice",
    "The loss is computed twice, which doubles the work. Give it a name, and use that.",
)
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    compute_loss().backward()
    optimizer.step()
    return compute_loss().data


@wrong("training_step", "no_return", "Everything is there but the result: return the loss, as a number.")
def training_step(optimizer, compute_loss):
    optimizer.zero_grad()
    loss = compute_loss()
    loss.backward()
    optimizer.step()


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


# -- mini_batches -----------------------------------------------------------------------------------------------------


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
    "rest_dropped",
    "The last, smaller batch is missing, so some examples are never used.",
)
def mini_batches(inputs, targets, order, size):
    batches = []
    for k in range(len(order) // size):
        chosen = order[k * size : (k + 1) * size]
        batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))
    return batches


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


@wrong(
    "mini_batches",
    "overlapping",
    "The batches overlap: the next one begins `size` places further on, not one.",
)
def mini_batches(inputs, targets, order, size):
    batches = []
    for start in range(len(order)):
        chosen = order[start : start + size]
        batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))
    return batches


@wrong(
    "mini_batches",
    "size_as_count",
    "You made `size` batches. `size` is how many examples there are in one batch.",
)
def mini_batches(inputs, targets, order, size):
    length = -(-len(order) // size)
    batches = []
    for start in range(0, len(order), length):
        chosen = order[start : start + length]
        batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))
    return batches


@wrong(
    "mini_batches", "positions", "These are the positions. Use them to look up the inputs and the targets."
)
def mini_batches(inputs, targets, order, size):
    return [(order[i : i + size], order[i : i + size]) for i in range(0, len(order), size)]


@wrong(
    "mini_batches",
    "shuffles_in_place",
    "The caller's own lists were put in another order. In the next epoch they would be mixed up twice.",
)
def mini_batches(inputs, targets, order, size):
    inputs[:], targets[:] = (
        [inputs[i] for i in order] + [x for i, x in enumerate(inputs) if i not in order],
        [targets[i] for i in order] + [t for i, t in enumerate(targets) if i not in order],
    )
    ends = [(start, min(start + size, len(order))) for start in range(0, len(order), size)]
    return [(inputs[a:b], targets[a:b]) for a, b in ends]


@wrong(
    "mini_batches",
    "sorted_back",
    "Each batch holds the right examples, but not in the order that was asked for.",
)
def mini_batches(inputs, targets, order, size):
    batches = []
    for start in range(0, len(order), size):
        chosen = sorted(order[start : start + size])
        batches.append(([inputs[i] for i in chosen], [targets[i] for i in chosen]))
    return batches


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


# -- kept_alive -------------------------------------------------------------------------------------------------------


@wrong(
    "kept_alive",
    "shared_counted_again",
    "A Value that several others were made from is counted once for each of them. In memory it exists once.",
)
def kept_alive(values):
    count, stack = 0, list(values)
    while stack and count < 100_000:
        value = stack.pop()
        count += 1
        stack.extend(value.parents)
    return count


@wrong("kept_alive", "list_only", "These are the Values of the list. What they were made from is held, too.")
def kept_alive(values):
    return len(set(values))


@wrong(
    "kept_alive",
    "one_generation",
    "You counted the parents, but not their parents. Go on until there are none.",
)
def kept_alive(values):
    seen = set(values)
    for value in values:
        seen.update(value.parents)
    return len(seen)


@wrong("kept_alive", "first_only", "Only the first Value of the list was followed.")
def kept_alive(values):
    seen, stack = set(), list(values[:1])
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            stack.extend(value.parents)
    return len(seen)


@wrong(
    "kept_alive",
    "each_for_itself",
    "Each Value of the list was counted for itself, so what they share counts several times.",
)
def kept_alive(values):
    total = 0
    for root in values:
        seen, stack = set(), [root]
        while stack:
            value = stack.pop()
            if value not in seen:
                seen.add(value)
                stack.extend(value.parents)
        total += len(seen)
    return total


@wrong(
    "kept_alive",
    "empties_the_list",
    "The caller's list is empty afterwards: `stack` was that very list. Work on a copy.",
)
def kept_alive(values):
    seen, stack = set(), values
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            stack.extend(value.parents)
    return len(seen)


@wrong(
    "kept_alive",
    "recursive",
    "The function calls itself for the parents, which is too deep for a long chain.",
)
def kept_alive(values):
    seen = set()

    def visit(value):
        if value not in seen:
            seen.add(value)
            for parent in value.parents:
                visit(parent)

    for value in values:
        visit(value)
    return len(seen)


@wrong(
    "kept_alive", "inputs_left_out", "Values without parents are missing. They take memory like all others."
)
def kept_alive(values):
    seen, stack = set(), list(values)
    while stack:
        value = stack.pop()
        if value not in seen and value.parents:
            seen.add(value)
            stack.extend(value.parents)
    return len(seen)


@wrong("kept_alive", "the_set_itself", "This is the set of the Values. Asked for is how many they are.")
def kept_alive(values):
    seen, stack = set(), list(values)
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            stack.extend(value.parents)
    return seen


@right("kept_alive", "by_generations")
def kept_alive(values):
    found, newest = set(values), set(values)
    while newest:
        newest = {parent for value in newest for parent in value.parents} - found
        found |= newest
    return len(found)


@right("kept_alive", "growing_list")
def kept_alive(values):
    todo = list(dict.fromkeys(values))
    known = set(todo)
    for value in todo:
        for parent in value.parents:
            if parent not in known:
                known.add(parent)
                todo.append(parent)
    return len(todo)


# -- accumulate_gradients ---------------------------------------------------------------------------------------------


@wrong(
    "accumulate_gradients",
    "only_the_number_divided",
    "Only the returned number is a mean. The gradients are those of the sum, too large by the number of examples.",
)
def accumulate_gradients(loss_of, examples):
    total = 0.0
    for x, target in examples:
        loss = loss_of(x, target)
        loss.backward()
        total += loss.data
    return total / len(examples)


@wrong(
    "accumulate_gradients",
    "one_backward",
    "One backward at the end gives the right gradients, but keeps the graphs of all examples until then.",
)
def accumulate_gradients(loss_of, examples):
    loss = sum(loss_of(x, target) for x, target in examples) / len(examples)
    loss.backward()
    return loss.data


@wrong(
    "accumulate_gradients", "sums", "Nothing is divided: these are the sum of the losses and its gradient."
)
def accumulate_gradients(loss_of, examples):
    total = 0.0
    for x, target in examples:
        loss = loss_of(x, target)
        loss.backward()
        total += loss.data
    return total


@wrong(
    "accumulate_gradients",
    "divided_twice",
    "The result is divided twice: each share has been divided already, so their sum is the mean.",
)
def accumulate_gradients(loss_of, examples):
    total = 0.0
    for x, target in examples:
        loss = loss_of(x, target) / len(examples)
        loss.backward()
        total += loss.data
    return total / len(examples)


@wrong(
    "accumulate_gradients",
    "backward_of_the_running_total",
    "The running total is a Value, and each backward goes through all earlier losses again: they count several times.",
)
def accumulate_gradients(loss_of, examples):
    total = 0.0
    for x, target in examples:
        total = total + loss_of(x, target) / len(examples)
        total.backward()
    return total.data


@wrong(
    "accumulate_gradients",
    "returns_a_value",
    "The gradients are right. But the total is a Value, which keeps all graphs alive: add up numbers.",
)
def accumulate_gradients(loss_of, examples):
    total = 0.0
    for x, target in examples:
        loss = loss_of(x, target) / len(examples)
        loss.backward()
        total = total + loss
    return total


@wrong(
    "accumulate_gradients", "last_only", "backward runs once, for the last example: it belongs into the loop."
)
def accumulate_gradients(loss_of, examples):
    total = 0.0
    for x, target in examples:
        loss = loss_of(x, target) / len(examples)
        total += loss.data
    loss.backward()
    return total


@wrong(
    "accumulate_gradients",
    "no_backward",
    "The mean loss is right, but no gradient was collected: backward is missing.",
)
def accumulate_gradients(loss_of, examples):
    return sum(loss_of(x, target).data for x, target in examples) / len(examples)


@right("accumulate_gradients", "gradient_divided")
def accumulate_gradients(loss_of, examples):
    losses = []
    for x, target in examples:
        loss = loss_of(x, target)
        loss.backward(1 / len(examples))
        losses.append(loss.data)
    return sum(losses) / len(losses)


@right("accumulate_gradients", "share_first")
def accumulate_gradients(loss_of, examples):
    share, numbers = 1 / len(examples), []
    for pair in examples:
        part = share * loss_of(*pair)
        part.backward()
        numbers.append(part.data)
    return sum(numbers)


# -- mended_training --------------------------------------------------------------------------------------------------


@wrong(
    "mended_training",
    "as_it_was",
    "This is the colleague's loop, with its three bugs: targets in the old order, old gradients, a mean divided again.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    return colleague_training(score, optimizer, inputs, targets, orders, size)


@wrong(
    "mended_training",
    "targets_still_apart",
    "The inputs are in the new order, and the targets still in the old one. Both have to follow the order.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        shuffled = [inputs[i] for i in order]
        for start in range(0, len(order), size):
            some = shuffled[start : start + size]
            wanted = targets[start : start + size]
            losses = [log(1 + exp(-t * score(x))) for x, t in zip(some, wanted)]
            loss = sum(losses) / len(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.data)
    return history


@wrong(
    "mended_training",
    "zeroed_once_per_epoch",
    "Gradients are set to zero once per epoch. There are several steps in an epoch, and each needs its own.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        optimizer.zero_grad()
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            losses = [log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen]
            loss = sum(losses) / len(losses)
            loss.backward()
            optimizer.step()
            history.append(loss.data)
    return history


@wrong(
    "mended_training",
    "still_divided_twice",
    "The mean is divided by the number of examples once more before backward: each step is too short.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            losses = [log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen]
            loss = sum(losses) / len(losses)
            optimizer.zero_grad()
            (loss / len(chosen)).backward()
            optimizer.step()
            history.append(loss.data)
    return history


@wrong(
    "mended_training",
    "no_mean_left",
    "Both divisions are gone, so this is the sum of the losses. One of them was right.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            loss = sum([log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.data)
    return history


@wrong(
    "mended_training",
    "zeroed_after_backward",
    "zero_grad stands between backward and step: the step finds nothing but zeros.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for order in orders:
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            losses = [log(1 + exp(-targets[i] * score(inputs[i]))) for i in chosen]
            loss = sum(losses) / len(losses)
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()
            history.append(loss.data)
    return history


@wrong(
    "mended_training",
    "no_shuffling",
    "Inputs and targets stay together because nothing is shuffled any more. The order has to be used, for both.",
)
def mended_training(score, optimizer, inputs, targets, orders, size):
    history = []
    for _order in orders:
        for start in range(0, len(inputs), size):
            some, wanted = inputs[start : start + size], targets[start : start + size]
            losses = [log(1 + exp(-t * score(x))) for x, t in zip(some, wanted)]
            loss = sum(losses) / len(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.data)
    return history


@wrong(
    "mended_training",
    "history_of_values",
    "The loop is mended, but the history holds Values now, and with them the graph of every step.",
)
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
            history.append(loss)
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
