"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 13_second_derivatives`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (Tensor, Node, gradient, along, np) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- tanh_rule --------------------------------------------------------------------------------------------------------


@wrong(
    "tanh_rule",
    "data_of_out",
    "The first derivative is right and the second is 0: a constant came in where a Tensor belongs, so the graph was cut.",
)
def tanh_rule(g, out, a):
    return (g * (1 - out.data**2),)


@wrong(
    "tanh_rule",
    "numpy_again",
    "The first derivative is right and the second is 0: a constant came in where a Tensor belongs, so the graph was cut.",
)
def tanh_rule(g, out, a):
    return (g * Tensor(1 - np.tanh(a.data) ** 2),)


@wrong("tanh_rule", "tanh_of_out", "`out` is tanh(a) already: here a tanh of it is taken.")
def tanh_rule(g, out, a):
    return (g * (1 - out.tanh() ** 2),)


@wrong("tanh_rule", "no_g", "That is the slope of tanh alone: it has to be multiplied by g.")
def tanh_rule(g, out, a):
    return (1 - out * out,)


@wrong("tanh_rule", "a_for_out", "The slope is 1 - tanh², and here it is 1 - a²: `out` is the tanh.")
def tanh_rule(g, out, a):
    return (g * (1 - a * a),)


@wrong("tanh_rule", "not_squared", "The slope is 1 - tanh²: the square is missing.")
def tanh_rule(g, out, a):
    return (g * (1 - out),)


@wrong("tanh_rule", "not_returned", "The rule gives nothing back: a `return` is missing.")
def tanh_rule(g, out, a):
    (g * (1 - out * out),)


@wrong("tanh_rule", "no_tuple", "A rule sends a tuple, here of one: a comma makes it, `(x,)`.")
def tanh_rule(g, out, a):
    return g * (1 - out * out)


@wrong(
    "tanh_rule",
    "new_tensor",
    "The numbers are right and have no graph: all derivatives of what was sent are 0. Compute with the Tensors, "
    "and send what comes out, as it is.",
)
def tanh_rule(g, out, a):
    return (Tensor((g * (1 - out * out)).data),)


@wrong(
    "tanh_rule",
    "data_of_g",
    "The derivatives by a are right and the one by g is 0: g came in as a constant. It is a Tensor with a past, too.",
)
def tanh_rule(g, out, a):
    return (g.data * (1 - out * out),)


@wrong(
    "tanh_rule",
    "half_of_the_square_cut",
    "By g it is right, and by a the derivative is half of what it should be: one factor of the square came in as a "
    "constant. Both are `out`.",
)
def tanh_rule(g, out, a):
    return (g * (1 - out * out.data),)


@wrong("tanh_rule", "sign", "The sign is wrong: tanh rises everywhere, so its slope is positive.")
def tanh_rule(g, out, a):
    return (g * (out * out - 1),)


@wrong("tanh_rule", "slope_of_sigmoid", "out · (1 - out) is the slope of the sigmoid. That of tanh is 1 - out².")
def tanh_rule(g, out, a):
    return (g * out * (1 - out),)


@wrong(
    "tanh_rule",
    "array",
    "An array was sent, and it has no graph. Compute with the Tensors, without `.data` and `np`, and send what "
    "comes out.",
)
def tanh_rule(g, out, a):
    return (g.data * (1 - out.data * out.data),)


@wrong(
    "tanh_rule",
    "difference",
    "Nearly right, and some digits are wrong: a difference quotient is no derivative. The slope of tanh is 1 - tanh².",
)
def tanh_rule(g, out, a):
    h = 1e-5
    return (g * (((a + h).tanh() - (a - h).tanh()) / (2 * h)),)


@wrong(
    "tanh_rule",
    "five_points",
    "Nearly right, and digits are lost where the slope hardly changes: a difference quotient is no derivative.",
)
def tanh_rule(g, out, a):
    h = 1e-3
    near, far = ((a + s).tanh() - (a - s).tanh() for s in (h, 2 * h))
    return (g * ((8 * near - far) / (12 * h)),)


@wrong("tanh_rule", "by_exponentials", "exp of a large number is infinite, and then a derivative is NaN: `out` never is.")
def tanh_rule(g, out, a):
    both = a.exp() + (-a).exp()
    return (g * 4 / (both * both),)


@wrong("tanh_rule", "by_one_exponential", "exp of a large number is infinite, and then a derivative is NaN: `out` never is.")
def tanh_rule(g, out, a):
    e = (-2 * a).exp()
    t = (1 - e) / (1 + e)
    return (g * (1 - t * t),)


@wrong("tanh_rule", "flattened", "What is sent has one axis, whatever `a` has. It has the shape of `a`, also where that has two axes, or none.")
def tanh_rule(g, out, a):
    g, out = g.reshape(-1), out.reshape(-1)
    return (g * (1 - out * out),)


@wrong("tanh_rule", "square_outside", "The square stands outside the bracket. The slope is 1 - tanh²: tanh alone is squared.")
def tanh_rule(g, out, a):
    return (g * (1 - out) ** 2,)


@wrong("tanh_rule", "second_derivative", "That is g times the second derivative of tanh. A rule sends g times the first, 1 - tanh²: the second comes out of its graph.")
def tanh_rule(g, out, a):
    return (g * (-2 * out * (1 - out**2)),)


@wrong("tanh_rule", "caret", "`^` is no power in Python, and works on whole numbers only: a square is `out**2`, or `out * out`.")
def tanh_rule(g, out, a):
    return (g * (1 - out ^ 2),)


@right("tanh_rule", "computed_again")
def tanh_rule(g, out, a):
    again = a.tanh()
    return (g - g * again * again,)


@right("tanh_rule", "two_factors")
def tanh_rule(g, out, a):
    slope = (1 + out) * (1 - out)
    return (slope * g,)


@right("tanh_rule", "power")
def tanh_rule(g, out, a):
    return ((-(out**2) + 1) * g,)


NUMPY_ON_TENSORS = (
    "A function of NumPy got a Tensor, and NumPy knows arrays only. Use operators of Python; tanh(a) need not be computed "
    "again, it is `out`."
)


@wrong("tanh_rule", "tanh_of_numpy", NUMPY_ON_TENSORS)
def tanh_rule(g, out, a):
    return (g * (1 - np.tanh(a) ** 2),)


@wrong("tanh_rule", "square_of_numpy", NUMPY_ON_TENSORS)
def tanh_rule(g, out, a):
    return (g * (1 - np.square(out)),)


@wrong("tanh_rule", "slopes_remembered", "The slope is remembered by the numbers of `out` here, so equal numbers in another Tensor get an old graph. Compute it anew in each call.")
def tanh_rule(g, out, a, slopes={}):
    key = out.data.shape, out.data.tobytes()
    if key not in slopes:
        slopes[key] = 1 - out * out
    return (g * slopes[key],)


@wrong("tanh_rule", "flat_for_all", "Each number has a slope of its own: here one large number makes the slopes of all others 0.")
def tanh_rule(g, out, a):
    if (abs(a.data) > 20).any():  # flat out there
        return (g * 0.0,)
    return (g * (1 - out * out),)


# -- gradients --------------------------------------------------------------------------------------------------------


@wrong(
    "gradients",
    "overwritten",
    "A Node that is used twice keeps only one of its parts. What arrives at one Node is added up.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "first_only",
    "A Node that is used twice keeps only one of its parts. What arrives at one Node is added up.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived.setdefault(parent, part)
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "rules_on_arrays",
    "The first gradients are right and those of the gradients are 0: the pass has left no graph. Rules get "
    "Nodes, sums are sums of Nodes, and a new Node of `.data` does not know how it was made.",
)
def gradients(root, leaves):
    arrived = {root: np.ones_like(root.data)}
    for node in newest_first(root):
        if node.rule is not None:
            inputs = [parent.data for parent in node.parents]
            for parent, part in zip(node.parents, node.rule(arrived[node], node.data, *inputs)):
                arrived[parent] = arrived.get(parent, 0) + part
    return [Node(arrived.get(leaf, np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "wrapped_anew",
    "The first gradients are right and those of the gradients are 0: the pass has left no graph. Rules get "
    "Nodes, sums are sums of Nodes, and a new Node of `.data` does not know how it was made.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                before = arrived[parent].data if parent in arrived else 0
                arrived[parent] = Node(before + part.data)
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "sums_of_data",
    "The first gradients are right and those of the gradients are 0: the pass has left no graph. Rules get "
    "Nodes, sums are sums of Nodes, and a new Node of `.data` does not know how it was made.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = Node(arrived[parent].data + part.data) if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "no_place_for_a_leaf", "A leaf that plays no part is not in the dict: nothing has arrived there, and it gets zeros.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is None:
            continue
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived[leaf] for leaf in leaves]


@wrong("gradients", "rule_of_a_leaf", "A leaf, or a number, has no rule: where `node.rule` is None, go on to the next Node.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "root_needs_a_rule",
    "The root may be a leaf itself: it has no rule then, and what arrives at it are the ones. Ask about `node.rule` for "
    "the root, too.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}

    def send(node):
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part

    send(root)
    for node in newest_first(root)[1:]:
        if node.rule is not None:
            send(node)
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


PART_OF_THE_PAST = (
    "The first gradients are right, and of a gradient's own past a part is missing. Either what arrives is wrapped in a new Node "
    "on its way to the rule: hand on the Node itself. Or the loop ends at the first Node without a rule: go on to the next, for "
    "numbers, and the ones of a pass, are newer than others that have a rule."
)


@wrong("gradients", "ends_at_a_number", PART_OF_THE_PAST)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is None:
            break
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "arrives_without_a_past", PART_OF_THE_PAST)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is None:
            continue
        for parent, part in zip(node.parents, node.rule(Node(arrived[node].data), node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


ROOT_GETS_ONES = "Where `root` itself is asked for, it gets ones, and here it gets zeros: the ones belong into the dict, and stay in it."


@wrong("gradients", "ones_not_kept", ROOT_GETS_ONES)
def gradients(root, leaves):
    arrived = {}
    for node in newest_first(root):
        g = Node(np.ones_like(root.data)) if node is root else arrived[node]
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(g, node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "float_for_zero", "A leaf that plays no part gets a Node of zeros, like its data, and not a number or an array.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, 0.0) for leaf in leaves]


@wrong("gradients", "int_for_zero", "A leaf that plays no part gets a Node of zeros, like its data, and not a number or an array.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, 0) for leaf in leaves]


@wrong("gradients", "array_for_zero", "A leaf that plays no part gets a Node of zeros, like its data, and not a number or an array.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, np.zeros_like(leaf.data)) for leaf in leaves]


@wrong(
    "gradients",
    "ones_without_a_node",
    "The pass begins with an array of ones, and where rules hand it on as it is, that array arrives: begin with a Node.",
)
def gradients(root, leaves):
    arrived = {root: np.ones_like(root.data)}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "none_for_zero", "A leaf that plays no part gets a Node of zeros, and not None.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf) for leaf in leaves]


@wrong(
    "gradients",
    "left_out",
    "A leaf that plays no part is left out of the list. It gets a Node of zeros.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived[leaf] for leaf in leaves if leaf in arrived]


@wrong("gradients", "plain_zero", "The zeros of a leaf that plays no part have the shape of that leaf.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(0.0)) for leaf in leaves]


@wrong("gradients", "one_number", "The pass begins with ones of the shape of `root.data`; here it is one number.")
def gradients(root, leaves):
    arrived = {root: Node(1.0)}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "begins_with_root", "The pass begins with the values of the root. The gradient of a sum by itself is 1.")
def gradients(root, leaves):
    arrived = {root: Node(root.data)}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "mean", "These are the gradients of the mean of the root, and those of its sum are asked for.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data) / root.data.size)}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "arrays",
    "Arrays are returned, and they cannot be differentiated again: rules get Nodes, and the Nodes that have "
    "arrived are returned.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived[leaf].data if leaf in arrived else np.zeros_like(leaf.data) for leaf in leaves]


@wrong("gradients", "one_node", "One Node is returned. Return a list, with a Node for each leaf.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return arrived.get(leaves[0], Node(np.zeros_like(leaves[0].data)))


@wrong(
    "gradients",
    "kept_on_nodes",
    "A second call gives more than the first: what has arrived is still there, on the Nodes or in a dict from "
    "outside. Keep it in a new dict in each call.",
)
def gradients(root, leaves):
    root.grad = Node(np.ones_like(root.data))
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(node.grad, node, *node.parents)):
                parent.grad = parent.grad + part if hasattr(parent, "grad") else part
    return [getattr(leaf, "grad", Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "grad_of_each_node",
    "The numbers are right, and something is left on the Nodes, such as a `grad`. Keep what arrives in a dict of the call.",
)
def gradients(root, leaves):
    order = newest_first(root)
    for node in [*order, *leaves]:
        node.grad = None
    root.grad = Node(np.ones_like(root.data))
    for node in order:
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(node.grad, node, *node.parents)):
                parent.grad = part if parent.grad is None else parent.grad + part
    return [Node(np.zeros_like(leaf.data)) if leaf.grad is None else leaf.grad for leaf in leaves]


ZEROS_COUNT = (
    "Where zeros have arrived, or are sent, something is left out, and its graph with it: x² has the slope 0 at 0, and this "
    "slope has the slope 2. Ask every rule, and pass on what it gives."
)


@wrong("gradients", "zeros_not_passed_on", ZEROS_COUNT)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is None or node not in arrived:
            continue
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            if part.data.any():
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "sum_in_place",
    "The first gradients are right, later ones are not: a sum is written into a Node that was there, so it is "
    "not recorded, and others may share that Node. The sum of two Nodes is a new one.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                if parent in arrived:
                    arrived[parent].data += part.data
                else:
                    arrived[parent] = part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong(
    "gradients",
    "breadth_first",
    "A Node sent on what it had before all its parts were there. Take the Nodes in the order of `newest_first`: then "
    "each comes after all that were made from it.",
)
def gradients(root, leaves):
    arrived, waiting, done = {root: Node(np.ones_like(root.data))}, [root], set()
    while waiting:
        node = waiting.pop(0)
        if node.rule is None or node in done:
            continue
        done.add(node)
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
            waiting.append(parent)
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "a_dict", "A dict is returned. Return a list, with a Node for each leaf, in the order of `leaves`.")
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return {leaf: arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves}


@wrong(
    "gradients",
    "oldest_first",
    "The dict is asked for what has not arrived: the pass begins with ones at the root, takes the Nodes newest first, leaves out those without a rule and no others, and adds a first part to nothing.",
)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in reversed(newest_first(root)):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


QUEUE = """
def gradients(root, leaves):
    arrived, todo = {root: Node(np.ones_like(root.data))}, [root]
    while todo:
        node = todo.pop(0)
        if node.rule is None:
            continue
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
            todo.append(parent)
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]
"""
TOO_EARLY = "A Node hands on before all has arrived at it, or more than once: `newest_first(root)` has each one once, behind all that use it."

wrong("gradients", "a_queue", TOO_EARLY, source=QUEUE)
wrong("gradients", "a_stack", TOO_EARLY, source=changed(QUEUE, ("todo.pop(0)", "todo.pop()")))


@right("gradients", "lists_of_parts")
def gradients(root, leaves):
    parts = {node: [] for node in newest_first(root)}
    parts[root].append(Node(np.ones(root.data.shape)))

    def total(node):
        found = parts.get(node) or [Node(np.zeros(node.data.shape))]
        for more in found[1:]:
            found = [found[0] + more]
        return found[0]

    for node in newest_first(root):
        if node.rule:
            for parent, part in zip(node.parents, node.rule(total(node), node, *node.parents), strict=True):
                parts[parent].append(part)
    return [total(leaf) for leaf in leaves]


@right("gradients", "zeros_everywhere")
def gradients(root, leaves):
    order = newest_first(root)
    arrived = {node: Node(np.zeros_like(node.data)) for node in [*order, *leaves]}
    arrived[root] = Node(np.ones_like(root.data))
    for node in order:
        if node.parents:
            sent = node.rule(arrived[node], node, *node.parents)
            for i in range(len(sent)):
                arrived[node.parents[i]] = sent[i] + arrived[node.parents[i]]
    return [arrived[leaf] for leaf in leaves]


PASS = """
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}
    for node in newest_first(root):
        if node.rule is None:
            continue
        for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
            arrived[parent] = arrived[parent] + part if parent in arrived else part
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]
"""
ARGUMENTS = "node.rule(arrived[node], node, *node.parents)"

wrong("gradients", "root_for_out", "Each rule got the root in the place of `out`: a rule wants the Node that it is the rule of.",
      source=changed(PASS, (ARGUMENTS, "node.rule(arrived[node], root, *node.parents)")))
wrong("gradients", "no_out", "A rule that needs `out` got None in its place: it wants the Node that it is the rule of.",
      source=changed(PASS, (ARGUMENTS, "node.rule(arrived[node], None, *node.parents)")))
wrong("gradients", "root_as_seed", "The pass begins with the root itself. The gradient of a sum by itself is 1.",
      source=changed(PASS, ("Node(np.ones_like(root.data))}", "root}")))
wrong("gradients", "parts_in_a_dict", "Where a Node is both operands, as in x * x, a dict of its parts keeps one of the two: take the pairs one by one.",
      source=changed(PASS, (f"in zip(node.parents, {ARGUMENTS})", f"in dict(zip(node.parents, {ARGUMENTS})).items()")))
wrong("gradients", "first_part_wrapped", "The first part that arrives is put into a new Node, which has no past: where only one arrives, the graph ends there.",
      source=changed(PASS, ("else part\n", "else Node(part.data)\n")))


ARRIVED = "arrived[node], node"
wrong("gradients", "ones_taken_out", ROOT_GETS_ONES, source=changed(PASS, (ARRIVED, "arrived.pop(node), node")))
wrong("gradients", "leaves_taken_out", "All gradients are zeros: what has arrived at a leaf is taken out of the dict, and has to be in it at the end.",
      source=changed(PASS, ("        if node.rule", "        g = arrived.pop(node)\n        if node.rule"), (ARRIVED, "g, node")))
wrong("gradients", "asked_for_each_parent", "The numbers are right, and a rule with two parents is asked twice, once for each of them. Ask it once: it gives all parts.",
      source=changed(PASS, (f"for parent, part in zip(node.parents, {ARGUMENTS}):\n", f"for i, parent in enumerate(node.parents):\n            part = {ARGUMENTS}[i]\n")))
wrong("gradients", "stops_at_zeros", ZEROS_COUNT,
      source=changed(PASS, ("node.rule is None", "node.rule is None or not arrived[node].data.any()")))
wrong("gradients", "kept_for_the_root", "The gradients stand in another order than the leaves. Are they kept for a root from call to call? In the next call other leaves may be asked for: keep nothing.",
      source=changed(PASS, ("def gradients", "def anew")) + """
_made = {}


def gradients(root, leaves):
    if root not in _made:
        _made[root] = anew(root, leaves)
    return _made[root]
""")
wrong("gradients", "return_in_the_loop", "The `return` stands in the loop, so that the pass ends after its first Node with a rule. It belongs behind the loop.",
      source=changed(PASS, ("    return [", "        return [")))


@wrong("gradients", "each_way_alone", "The numbers are right, but a rule is asked once for each way that leads to its Node, and the ways double with every Node that is used twice. Add up first, then ask.")
def gradients(root, leaves):
    arrived = {}

    def send(node, part):
        arrived[node] = arrived[node] + part if node in arrived else part
        if node.rule is not None:
            for parent, more in zip(node.parents, node.rule(part, node, *node.parents)):
                send(parent, more)

    send(root, Node(np.ones_like(root.data)))
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


@wrong("gradients", "depth_first", TOO_EARLY)
def gradients(root, leaves):
    arrived = {root: Node(np.ones_like(root.data))}

    def send(node):
        if node.rule is not None:
            for parent, part in zip(node.parents, node.rule(arrived[node], node, *node.parents)):
                arrived[parent] = arrived[parent] + part if parent in arrived else part
                send(parent)

    send(root)
    return [arrived.get(leaf, Node(np.zeros_like(leaf.data))) for leaf in leaves]


# -- hessian_by_rows --------------------------------------------------------------------------------------------------


@wrong(
    "hessian_by_rows",
    "sum_of_rows",
    "Every row is the same, the sum of all: `gradient(g, x)` is the gradient of the sum of g. Take one entry of g for "
    "each row.",
)
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.array([gradient(g, x).data for _ in range(x.size)])


@wrong(
    "hessian_by_rows",
    "cut",
    "All zeros: no graph leads from what you differentiated to x. `.data` or a new Tensor cuts it, and so does an x that "
    "`f` was not given.",
)
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = Tensor(gradient(f(x), x).data)
    return np.array([gradient(g[i], x).data for i in range(x.size)])


@wrong("hessian_by_rows", "first_gradient", "That is the gradient, n numbers. Each of them has a gradient: these are the rows.")
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    return gradient(f(x), x).data


DIFFERENCES = "Differences are not exact: with a short step digits are lost, and a long one misses how f bends on the way. Differentiate the gradient."


@wrong("hessian_by_rows", "difference", DIFFERENCES)
def hessian_by_rows(f, x):
    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    h = 1e-5
    return np.array([(slopes(x + h * e) - slopes(x - h * e)) / (2 * h) for e in np.eye(x.size)])


@wrong("hessian_by_rows", "five_points", DIFFERENCES)
def hessian_by_rows(f, x):
    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    h, rows = 1e-3, []
    for e in np.eye(x.size):
        near, far = (slopes(x + s * e) - slopes(x - s * e) for s in (h, 2 * h))
        rows.append((8 * near - far) / (12 * h))
    return np.array(rows)


@wrong(
    "hessian_by_rows",
    "diagonal",
    "The sums of the rows stand on the diagonal, and all else is 0. Entry ij says how slope i changes with x[j].",
)
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    return np.diag(gradient(gradient(f(x), x), x).data)


@wrong("hessian_by_rows", "diagonal_only", "Only the diagonal is there. Off it stands how one slope changes with another x.")
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.diag([gradient(g[i], x).data[i] for i in range(x.size)])


@wrong(
    "hessian_by_rows",
    "outer_product",
    "These are products of slopes. A second derivative is the slope of a slope.",
)
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x).data
    return np.outer(g, g)


@wrong(
    "hessian_by_rows",
    "doubled",
    "Every number is twice as large, as when H and its transpose are added: the rows alone are symmetric already.",
)
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    H = np.array([gradient(g[i], x).data for i in range(x.size)])
    return H + H.T


@wrong("hessian_by_rows", "upper_half", "Below the diagonal there are zeros. A Hessian is symmetric, and all of it is asked for.")
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.triu(np.array([gradient(g[i], x).data for i in range(x.size)]))


@wrong("hessian_by_rows", "one_row", "One row is missing at the end: there are as many rows as numbers in x.")
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.array([gradient(g[i], x).data for i in range(x.size - 1)])


FILLED = """
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g, H = gradient(f(x), x), np.zeros((x.size, x.size))
    for i in range(x.size):
        H[i] = gradient(g[i], x).data
    return H
"""
wrong("hessian_by_rows", "flat_slope", "Where a slope is 0, its row is taken for zeros. The slope of x² is 0 at 0, and it changes with x there, too.",
      source=changed(FILLED, ("        H[i]", "        if g.data[i] != 0:\n            H[i]")))


@wrong(
    "hessian_by_rows",
    "gradient_of_the_gradient",
    "That is the gradient of the *sum* of g: all rows of the Hessian, added up. Take one entry of g for each row.",
)
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    return gradient(gradient(f(x), x), x).data


@right("hessian_by_rows", "columns_forward")
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.stack([along(g, x, e).data for e in np.eye(x.size)], axis=1)


@right("hessian_by_rows", "weighted_sums")
def hessian_by_rows(f, x):
    rows = []
    for e in np.eye(len(x)):
        leaf = Tensor(x.copy(), requires_grad=True)
        rows.append(gradient((gradient(f(leaf), leaf) * e).sum(), leaf).data)
    return np.vstack(rows)


ROWS = """
def hessian_by_rows(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return np.array([gradient(g[i], x).data for i in range(x.size)])
"""
SLOPES = """
def hessian_by_rows(f, x):
    def g(at):
        t = Tensor(at, requires_grad=True)
        return gradient(f(t), t).data

    return np.array([(g(x + e) - g(x - e)) / 2 for e in np.eye(x.size)])
"""
wrong("hessian_by_rows", "difference_of_whole_steps", DIFFERENCES, source=SLOPES)
wrong("hessian_by_rows", "difference_of_tenths", DIFFERENCES, source=changed(SLOPES, ("np.eye(x.size)", "0.1 * np.eye(x.size)"), ("/ 2", "/ 0.2")))


@wrong("hessian_by_rows", "difference_of_values", DIFFERENCES)
def hessian_by_rows(f, x):
    def value(at):
        return f(Tensor(at)).item()

    E = np.eye(x.size)
    return np.array([[(value(x + a + b) - value(x + a - b) - value(x - a + b) + value(x - a - b)) / 4 for b in E] for a in E])


wrong("hessian_by_rows", "by_one_entry_of_x", "`x[i]` is a new Tensor, and g was not made of it: take the gradient by x.",
      source=changed(ROWS, ("gradient(g[i], x)", "gradient(g[i], x[i])")))
wrong("hessian_by_rows", "rows_stay_tensors", "The rows are to be arrays, `.data` of a `gradient` each. `backward` frees the graph, and adds to what the leaf has already: kept with `retain_graph`, each row would be the sum of all before it.",
      source=changed(ROWS, ("gradient(g[i], x).data", "gradient(g[i], x)")))
wrong("hessian_by_rows", "columns_times_x", "Column j is multiplied by x[j]: along unit vectors, `np.eye`, and not along parts of x.",
      source=changed(ROWS, ("    return np.array([gradient(g[i], x).data for i in range(x.size)])", "    return np.array([along(g, x, v).data for v in x.data * np.eye(x.size)]).T")))
wrong("hessian_by_rows", "two_rows", "There are two rows, whatever the number of entries: x has n of them.",
      source=changed(ROWS, ("range(x.size)", "range(2)")))
wrong("hessian_by_rows", "two_by_two", "The array for the rows has two rows and two columns. It is n by n, as x has n entries.",
      source=changed(FILLED, ("(x.size, x.size)", "(2, 2)")))
wrong("hessian_by_rows", "squeezed", "Where n is 1 the axes are gone: the result is (n, n), so (1, 1) there.",
      source=changed(ROWS, ("range(x.size)])", "range(x.size)]).squeeze()")))
wrong("hessian_by_rows", "mirrored_in_each_round", "Entries below the diagonal are added more than once: the rows alone are symmetric already, and need no mirror.",
      source=changed(FILLED, ("        H[i] = gradient(g[i], x).data\n", "        H[i, i:] = gradient(g[i], x).data[i:]\n        H += np.triu(H, 1).T\n")))


@wrong("hessian_by_rows", "rows_of_one_list", "Every row is the last one: one list, or array, stands in all places, as `[[0.0] * n] * n` makes it. Make a new row for each.")
def hessian_by_rows(f, x):
    n = len(x)
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    H = [[0.0] * n] * n
    for i in range(n):
        row = gradient(g[i], x).data
        for j in range(n):
            H[i][j] = row[j]
    return np.array(H)


@wrong("hessian_by_rows", "differences", "Nearly right: differences of gradients lose digits. The gradient is recorded: differentiate each of its entries.")
def hessian_by_rows(f, x):
    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    h, here = 1e-6, slopes(x)
    return np.array([(slopes(x + h * step) - here) / h for step in np.eye(x.size)])


@wrong("hessian_by_rows", "backward_for_each_row", "The rows are to be arrays, `.data` of a `gradient` each. `backward` frees the graph, and adds to what the leaf has already: kept with `retain_graph`, each row would be the sum of all before it.")
def hessian_by_rows(f, x):
    leaf = Tensor(x, requires_grad=True)
    g = gradient(f(leaf), leaf)
    rows = []
    for i in range(x.size):
        g[i].backward()
        rows.append(leaf.grad.data.copy())
    return np.array(rows)


@wrong("hessian_by_rows", "diagonal_twice", "The diagonal is twice what it should be, and the rest is right: where a triangle is added to its transpose, the diagonal counts twice.")
def hessian_by_rows(f, x):
    n = len(x)
    H = np.zeros((n, n))
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    for i in range(n):
        H[i, i:] = gradient(g[i], x).data[i:]
    return H + H.T


# -- hvp --------------------------------------------------------------------------------------------------------------


@wrong(
    "hvp",
    "by_rows",
    "The numbers are right, and each row of the Hessian was made: the number of operations grows with n.",
)
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    if x.ndim > 1:
        return gradient((g * v).sum(), x).data
    return np.array([gradient(g[i], x).data for i in range(x.size)]) @ v


GO_THROUGH = "Differences are not exact: with a short step digits are lost, and a long one misses how f bends on the way. Go through the graph of the gradient."


@wrong("hvp", "difference", GO_THROUGH)
def hvp(f, x, v):
    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    h = 1e-5
    return (slopes(x + h * v) - slopes(x - h * v)) / (2 * h)


@wrong("hvp", "five_points", GO_THROUGH)
def hvp(f, x, v):
    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    h = 1e-3
    near, far = (slopes(x + s * v) - slopes(x - s * v) for s in (h, 2 * h))
    return (8 * near - far) / (12 * h)


@wrong(
    "hvp",
    "times_after",
    "The sum of all rows was taken, and then each entry times that of v. The entries of v weigh the rows before they "
    "are added.",
)
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(gradient(f(x), x), x).data * v


@wrong("hvp", "summed", "That is one number, the sum of the entries of Hv: return them all.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(gradient(f(x), x) * v, x).data.sum()


@wrong("hvp", "x_in_the_product", "x stands in the product whose gradient is taken, and so is differentiated, too: v alone stands beside the gradient.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(gradient(f(x), x) * x * v, x).data


@wrong("hvp", "at_x_plus_v", "That is the product with the Hessian at x + v. v is the direction, and the place is x.")
def hvp(f, x, v):
    x = Tensor(x + v, requires_grad=True)
    return along(gradient(f(x), x), x, v).data


@wrong("hvp", "along_the_gradient", "That is H times the gradient: v takes no part.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return along(g, x, g.data).data


@wrong("hvp", "without_v", "That is the product with a vector of ones: the numbers in v do not count, or their signs alone do.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(gradient(f(x), x), x).data


@wrong("hvp", "slope_along_v", "That is one number, how f rises along v. How the *gradient* changes along v is asked for.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) * v).sum().data


@wrong("hvp", "curvature", "That is one number, v · Hv. The product Hv is asked for, with as many numbers as v.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return (along(gradient(f(x), x), x, v) * v).sum().data


@wrong("hvp", "cut", "All zeros: no graph leads from the gradient to x. `.data` or a new Tensor cuts it, and so does an x that `f` was not given.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(Tensor((gradient(f(x), x).data * v).sum()), x).data


@wrong("hvp", "whole_step", "That is how the gradient changes over the whole step v. Its rate of change at x is asked for.")
def hvp(f, x, v):
    def slopes(at):
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    return slopes(x + v) - slopes(x)


@wrong("hvp", "gradient_times_v", "That is the gradient times v. The Hessian times v says how the gradient changes.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(f(x), x).data * v


@wrong("hvp", "direction_of_v", "The direction is right and the length is not: v keeps its length, and need not be 1 long.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return along(gradient(f(x), x), x, v / np.sqrt((v * v).sum())).data


@wrong("hvp", "vectors_only", "Right for vectors only: for other shapes the sum over all entries is asked for, as in `(g * v).sum()`.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient((gradient(f(x), x) * v).sum(-1)[0], x).data if x.ndim > 1 else gradient(gradient(f(x), x) @ v, x).data


@wrong("hvp", "half", "Half as large: a parabola has a half in front, and its second derivative has none. Or a mean of two products stands where their sum belongs.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return along(gradient(f(x), x), x, v).data / 2


GIVEN_IS_CHANGED = "The result is right, and x or v is another array than before: write into nothing that you were given."


@wrong("hvp", "v_is_changed", GIVEN_IS_CHANGED)
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    out = along(gradient(f(x), x), x, v.copy()).data
    v /= 2
    return out


@wrong(
    "hvp",
    "unit_vector",
    "For v = 0 this is NaN, as 0 / 0 is: v was divided by its length, or by its largest entry, say. It is used "
    "as it is.",
)
def hvp(f, x, v):
    size = np.linalg.norm(v)
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return size * gradient((g * (v / size)).sum(), x).data


@wrong("hvp", "one_axis_at_least", "A single number has the shape (), and so has its result: it needs no axis.")
def hvp(f, x, v):
    x = Tensor(np.atleast_1d(x), requires_grad=True)
    return gradient((gradient(f(x), x) * np.atleast_1d(v)).sum(), x).data


@wrong("hvp", "small_is_nothing", "A v of small numbers is taken for 0 here. Small is not 0: a v that is half as long has a product that is half as large, however small.")
def hvp(f, x, v):
    if np.allclose(v, 0):
        return np.zeros_like(x)
    x = Tensor(x, requires_grad=True)
    return along(gradient(f(x), x), x, v).data


@wrong("hvp", "a_zero_is_all", "A v that has a 0 in it is taken for zeros here, and its other numbers count: take v as it is.")
def hvp(f, x, v):
    if not np.all(v):
        return np.zeros_like(x)
    x = Tensor(x, requires_grad=True)
    return along(gradient(f(x), x), x, v).data


@wrong("hvp", "a_zero_is_all_in_reverse", "A v that has a 0 in it is taken for zeros here, and its other numbers count: take v as it is.")
def hvp(f, x, v):
    if not np.all(v):
        return np.zeros_like(x)
    x = Tensor(x, requires_grad=True)
    return gradient((gradient(f(x), x) * v).sum(), x).data


@wrong("hvp", "at_sign", "`@` of two arrays of one shape is their scalar product for vectors alone. For any shape: multiply entry by entry, then `.sum()`.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(gradient(f(x), x) @ v, x).data


@right("hvp", "reverse_over_reverse")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return gradient((g * v).sum(), x).data


@right("hvp", "reverse_over_forward")
def hvp(f, x, v):
    leaf = Tensor(x, requires_grad=True)
    return gradient(along(f(leaf), leaf, v), leaf).data


@right("hvp", "a_line")
def hvp(f, x, v):
    # The gradient along the line x + t v, differentiated by t.
    x, t = Tensor(x, requires_grad=True), Tensor(np.array(0.0), requires_grad=True)
    moved = x + t * v
    u = Tensor(np.zeros(v.shape), requires_grad=True)
    slope = (gradient(f(moved), x) * u).sum()
    return gradient(gradient(slope, t), u).data


wrong(
    "hvp",
    "graph_of_another_place",
    "At another x, the graph or the result of the first x is used again: keep nothing for an f.",
    source="""
KEPT = {}


def hvp(f, x, v):
    if f not in KEPT:
        leaf = Tensor(x, requires_grad=True)
        KEPT[f] = leaf, gradient(f(leaf), leaf)
    leaf, g = KEPT[f]
    return along(g, leaf, v).data
""",
)


@wrong("hvp", "x_is_changed", GIVEN_IS_CHANGED)
def hvp(f, x, v):
    leaf = Tensor(x.copy(), requires_grad=True)
    out = along(gradient(f(leaf), leaf), leaf, v).data
    x += 1e-9
    return out


GRAPH_IN_NUMPY = (
    "A function of NumPy, such as `np.dot` or `np.array`, got a Tensor that has a graph. On the way, an array would cut the "
    "graph: multiply with operators, and add up with `.sum()`. At the end, `.data` gives the array."
)


@wrong("hvp", "array_at_the_end", GRAPH_IN_NUMPY)
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return np.array(gradient((gradient(f(x), x) * v).sum(), x))


@wrong("hvp", "dot_of_numpy", GRAPH_IN_NUMPY)
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(np.dot(gradient(f(x), x), v), x).data


@wrong("hvp", "exchanged", "x and v are exchanged: the gradient is taken at x, and changes along v.")
def hvp(f, x, v):
    x, v = Tensor(v, requires_grad=True), x
    return along(gradient(f(x), x), x, v).data


@wrong("hvp", "v_in_f", "That is the gradient times the sum of v, as when v is multiplied into f. It belongs to the gradient, which is differentiated again.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return gradient(f(x) * v, x).data


@wrong("hvp", "by_v", "That is the gradient itself, as when its product with v is differentiated by v. Differentiate that product by x.")
def hvp(f, x, v):
    x, v = Tensor(x, requires_grad=True), Tensor(v, requires_grad=True)
    return gradient((gradient(f(x), x) * v).sum(), v).data


AHEAD_AND_BACK = """
def hvp(f, x, v, h=1.0):
    def g(at):
        t = Tensor(at, requires_grad=True)
        return gradient(f(t), t).data

    return (g(x + h * v) - g(x - h * v)) / (2 * h)
"""
wrong("hvp", "difference_of_whole_steps", GO_THROUGH, source=AHEAD_AND_BACK)
wrong("hvp", "difference_of_tenths", GO_THROUGH, source=changed(AHEAD_AND_BACK, ("h=1.0", "h=0.1")))
wrong("hvp", "difference_of_thousandths", GO_THROUGH, source=changed(AHEAD_AND_BACK, ("h=1.0", "h=1e-3")))
wrong("hvp", "two_differences", GO_THROUGH, source=changed(
    AHEAD_AND_BACK, ("    return (g(x + h * v) - g(x - h * v)) / (2 * h)\n",
                     "    def d(h):\n        return (g(x + h * v) - g(x - h * v)) / (2 * h)\n\n    return (4 * d(0.5) - d(1.0)) / 3\n")))


@wrong("hvp", "gradient_left_in_grad", "The gradient itself is added to the result, as where it is still in `x.grad` when the second pass adds to it. Set `x.grad` to None in between, or use `gradient`.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad.data


@wrong("hvp", "square_of_the_gradient", "The gradient was multiplied by itself and differentiated, which is 2 Hg. Multiply it by v.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x), x)
    return gradient((g * g).sum(), x).data


@wrong("hvp", "along_exchanged", "The last two arguments of `along` are exchanged: the leaf is x, and v is the array along which it moves.")
def hvp(f, x, v):
    x = Tensor(x, requires_grad=True)
    return along(gradient(f(x), x), v, x).data


# -- conjugate_gradients ----------------------------------------------------------------------------------------------


@wrong(
    "conjugate_gradients",
    "steepest",
    "The first step is right. Each later one goes along r alone, and so spoils the ones before: the old d is missing.",
)
def conjugate_gradients(product, b, steps):
    p, r = np.zeros_like(b), b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(r)
        a = size / (r @ Hd)
        p, r = p + a * r, r - a * Hd
    return p


@wrong(
    "conjugate_gradients",
    "ratio_upside_down",
    "The first step is right, and the next direction is not: its quotient is upside down. It is the new r · r over the old one.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + size / (r @ r) * d if r @ r else r
    return p


@wrong(
    "conjugate_gradients",
    "no_stop",
    "The last step is 0 / 0: when nothing is missing, stop.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    with np.errstate(all="ignore"):
        for _ in range(steps):
            size = r @ r
            Hd = product(d)
            a = size / (d @ Hd)
            p, r = p + a * d, r - a * Hd
            d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "stops_at_a_size",
    "It stops while something is still missing: small numbers are no zeros. The end is where r · r is 0.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size < 1e-10:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong("conjugate_gradients", "residual_grows", "The first step is right, then it leads away: what was found is taken off r, not added.")
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r + a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "ratio_of_one",
    "The first step is right. In the next direction the old d stands whole: its factor is the new r · r over the "
    "old one, and here it is 1.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        if r @ r == 0:
            break
        Hd = product(d)
        a = (r @ r) / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + d
    return p


@wrong(
    "conjugate_gradients",
    "no_direction",
    "The first step is right, and the second goes the same way: d is renewed after each step.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
    return p


@wrong("conjugate_gradients", "returns_r", "That is what is still missing, r. Return p.")
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return r


@wrong(
    "conjugate_gradients",
    "two_products",
    "The numbers are right, and one step takes two products. One is enough, Hd: d · Hd stands below a, and a times Hd "
    "is taken off r.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        a = size / (d @ product(d))
        p, r = p + a * d, r - a * product(d)
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "to_the_end",
    "Two products were taken where `steps` is 1, and p is exact already: take as many steps as it says, with one "
    "product each, and neither go on to the end nor write H out.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(len(b)):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "written_out",
    "Two products were taken where `steps` is 1, and p is exact already: take as many steps as it says, with one "
    "product each, and neither go on to the end nor write H out.",
)
def conjugate_gradients(product, b, steps):
    H = np.stack([product(e) for e in np.eye(len(b))], axis=1)
    return np.linalg.solve(H, b)


@wrong("conjugate_gradients", "begins_at_b", "p is too large by b, as where it begins with b, and r does not know: begin with zeros.")
def conjugate_gradients(product, b, steps):
    p, r, d = b, b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "one_step_short",
    "One step is missing: where `steps` is 1 none is taken, as in a loop that is too short, or that stops at "
    "once.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps - 1):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "b_is_changed",
    "b is another array than before: an operator such as `-=` wrote into it. r and d begin as b, the same array, "
    "so make new ones.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b.copy()
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p = p + a * d
        r -= a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "length_of_one",
    "The first step is d itself: its a is 1, and should be r · r divided by d · Hd.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        p, r = p + d, r - Hd
        d = r + (r @ r) / size * d
    return p


@wrong("conjugate_gradients", "roots", "Lengths stand where squared lengths belong: r · r is no root.")
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = np.linalg.norm(r)
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + np.linalg.norm(r) / size * d
    return p


@wrong("conjugate_gradients", "new_r_in_the_length", "The ratio of the next direction is right, and the length of each later step is not: it needs r · r of now.")
def conjugate_gradients(product, b, steps):
    p, r, d, first = np.zeros_like(b), b, b, b @ b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = first / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong("conjugate_gradients", "n_steps_at_most", "It stops after n steps. Where rounding has spoiled some, more of them help: `steps` says how many.")
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(min(steps, len(b))):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong("conjugate_gradients", "stops_uphill", "It stops where d · Hd is negative, and r · r is not 0 there.")
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        if d @ Hd <= 0:
            break
        a = size / (d @ Hd)
        p, r = p + a * d, r - a * Hd
        d = r + (r @ r) / size * d
    return p


@wrong(
    "conjugate_gradients",
    "writes_into_Hd",
    "The numbers are right, and what `product` gave is another array than before: an operator such as `*=` wrote into it.",
)
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for _ in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p = p + a * d
        Hd *= a
        r = r - Hd
        d = r + (r @ r) / size * d
    return p


CG = """
def conjugate_gradients(product, b, steps):
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
"""
STEP = "        p, r = p + a * d, r - a * Hd\n        d = r + (r @ r) / size * d\n"
D_FIRST = "d is renewed with the r of before: r comes first, for the new d begins with what is still missing."

wrong("conjugate_gradients", "first_size_throughout", "r · r is that of the first step throughout: r changes, and its size with it.",
      source=changed(CG, ("b, b\n    for _ in range(steps):\n        size = r @ r\n", "b, b\n    size = r @ r\n    for _ in range(steps):\n")))
wrong("conjugate_gradients", "ratio_by_d_Hd", "The new d takes r · r over d · Hd of the old one. It is r · r, new over old.",
      source=changed(CG, ("(r @ r) / size * d", "(r @ r) / (d @ Hd) * d")))
wrong("conjugate_gradients", "p_along_r", "p moves along r, and r is taken off along d: both steps go along d, which is r in the first one only.",
      source=changed(CG, ("p + a * d", "p + a * r")))
wrong("conjugate_gradients", "d_before_r", D_FIRST, source=changed(
    CG, (STEP, "        p, new = p + a * d, r - a * Hd\n        d = r + (new @ new) / size * d\n        r = new\n")))
wrong("conjugate_gradients", "d_before_r_ratio_of_one", D_FIRST, source=changed(
    CG, (STEP, "        p = p + a * d\n        d = r + (r @ r) / size * d\n        r = r - a * Hd\n")))
wrong("conjugate_gradients", "length_of_no_sign", "Where d · Hd is negative the step goes back, and its a is negative: no `abs`.",
      source=changed(CG, ("(d @ Hd)", "abs(d @ Hd)")))


wrong("conjugate_gradients", "product_of_r", "Two steps are right, and later ones are not: the product is that with r, and the step goes along d.",
      source=changed(CG, ("product(d)", "product(r)")))
wrong("conjugate_gradients", "share_of_b", "Two steps are right, and later ones are not: the new d has a share of the d before it, and not of b.",
      source=changed(CG, ("/ size * d\n", "/ size * b\n")))
wrong("conjugate_gradients", "over_the_first", "Two steps are right, and later ones are not: the new r · r is divided by the one before it, and not by that of b.",
      source=changed(CG, ("/ size * d\n", "/ (b @ b) * d\n")))
wrong("conjugate_gradients", "taken_off_b", "Two steps are right, and later ones are not: what a step found is taken off r, in which the steps before it count, and not off b.",
      source=changed(CG, ("r - a * Hd", "b - a * Hd")))
wrong("conjugate_gradients", "stops_at_a_share", "It stops where r is small beside b, and something is still missing there: the end is where r · r is 0.",
      source=changed(CG, ("size == 0", "size <= 1e-12 * (b @ b)")))
wrong("conjugate_gradients", "one_array", "r and d are one array, so `-=` writes into both. Make a new r in each step, or let d begin as a copy of r.",
      source=changed(CG, ("np.zeros_like(b), b, b\n", "np.zeros_like(b), b.copy(), None\n    d = r\n"),
                     ("p, r = p + a * d, r - a * Hd", "p = p + a * d\n        r -= a * Hd")))
wrong("conjugate_gradients", "p_last", "p comes last, and so moves along the new d: its step goes along the d that `product` got.",
      source=changed(CG, (STEP, "        r = r - a * Hd\n        d = r + (r @ r) / size * d\n        p = p + a * d\n")))
wrong("conjugate_gradients", "stops_where_r_grows", "After the first product p is still 0. Is p + a d kept? And r · r may grow on the way: that is no reason to stop, for the steps after it make up for it.",
      source=changed(CG, (STEP, "        new = r - a * Hd\n        if new @ new > size:\n            break\n        p, r = p + a * d, new\n        d = r + (r @ r) / size * d\n")))
wrong("conjugate_gradients", "begins_anew", "With twelve curvatures twelve steps are exact, and here something is still missing: each new d is r and a share of the old one, in every step.",
      source=changed(CG, ("for _ in", "for k in"), ("d = r + ", "d = r if k % 10 == 9 else r + ")))


wrong("conjugate_gradients", "d_for_Hd", "A step along d changes what is missing by a times Hd, and here by a times d.",
      source=changed(CG, ("r - a * Hd", "r - a * d")))
wrong("conjugate_gradients", "no_dots", "Products were taken entry by entry. r · r and d · Hd are single numbers: `@` of two vectors.",
      source=changed(CG, ("size = r @ r", "size = r * r"), ("if size == 0", "if not size.any()"), ("(d @ Hd)", "(d * Hd)"), ("(r @ r) / size", "(r * r) / size")))
wrong("conjugate_gradients", "a_bit_more_below", "Nothing ends the loop where r · r is 0. A small number added below a fraction is no stop: products are still taken, and where r · r is small itself, the number is no longer small beside it.",
      source=changed(CG, ("        if size == 0:\n            break\n", ""), ("(d @ Hd)", "(d @ Hd + 1e-30)"), ("/ size", "/ (size + 1e-30)")))


wrong("conjugate_gradients", "missing_by_another_product", "More products are taken than steps, at least where there are many of them. After a step a · Hd comes off r, and that Hd is there already: one product a step.", source="""
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros_like(b), b, b
    for k in range(steps):
        size = r @ r
        if size == 0:
            break
        Hd = product(d)
        a = size / (d @ Hd)
        p = p + a * d
        r = b - product(p) if k % 50 == 49 else r - a * Hd
        d = r + (r @ r) / size * d
    return p
""")


@right("conjugate_gradients", "keeps_the_square")
def conjugate_gradients(product, b, steps):
    p, r = 0.0 * b, b.copy()
    d, square = r.copy(), float(np.dot(r, r))
    while steps > 0 and square > 0:
        Hd = product(d)
        a = square / np.dot(d, Hd)
        p += a * d
        r -= a * Hd
        before, square = square, float(np.dot(r, r))
        d = r + square / before * d
        steps -= 1
    return p


@right("conjugate_gradients", "conjugate_by_product")
def conjugate_gradients(product, b, steps):
    p, r, d = np.zeros(b.shape), b, b
    for _ in range(steps):
        size = (r * r).sum()
        if size == 0:
            return p
        Hd = product(d)
        a = (r * d).sum() / (d * Hd).sum()
        p = p + a * d
        r = r - a * Hd
        d = r - (r * Hd).sum() / (d * Hd).sum() * d
    return p


wrong("conjugate_gradients", "small_is_nothing", "For a very small b nothing happens: r · r may be below 1e-300 and is not 0. Only 0 is a reason to stop.",
      source=changed(CG, ("if size == 0:", "if size < 1e-300:")))


wrong("conjugate_gradients", "stops_where_the_rest_grows", "It stops as soon as r is longer than before. On the way r may grow, and fall again: only r · r = 0 is a reason to stop.",
      source=changed(CG, ("        d = r", "        if r @ r > size:\n            break\n        d = r")))


wrong("conjugate_gradients", "asks_for_r", "r · r may be 0 though r is not, for numbers as 1e-170: ask for r · r, by which the next step divides.",
      source=changed(CG, ("if size == 0", "if not r.any()")))


# -- sharpest ---------------------------------------------------------------------------------------------------------


@wrong(
    "sharpest",
    "length_of_Hv",
    "That is the length of Hv, and no curvature: it has no sign of its own, and is larger while v still turns. "
    "The curvature along v is v · Hv.",
)
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(np.linalg.norm(product(v))), v


UNDIVIDED = """
def sharpest(product, v, steps):
    with np.errstate(all="ignore"):
        for _ in range(steps):
            v = product(v)
        return float(v @ product(v)), v
"""
wrong("sharpest", "not_divided", "v is not brought to length 1, so it grows or vanishes, and v · Hv with it.",
      source=UNDIVIDED)
wrong("sharpest", "divided_at_the_end", "After many steps the numbers are too large or too small: bring v to length 1 in each step, not only at the end.",
      source=changed(UNDIVIDED, ("        return", "        v = v / np.linalg.norm(v)\n        return")))


@wrong("sharpest", "before_the_last", "The direction is right, and the curvature is that of the v before: take it after the loop.")
def sharpest(product, v, steps):
    for _ in range(steps):
        Hv = product(v)
        value = v @ Hv / (v @ v)
        v = Hv / np.linalg.norm(Hv)
    return float(value), v


@wrong(
    "sharpest",
    "length_before",
    "The direction is right, and the number is the length that v was divided by. The curvature is v · Hv, with the last "
    "v in both places.",
)
def sharpest(product, v, steps):
    for _ in range(steps):
        Hv = product(v)
        value = np.linalg.norm(Hv)
        v = Hv / value
    return float(value), v


@wrong("sharpest", "old_v", "The direction is right, and v · Hv was taken with the v before the last: take it after the loop.")
def sharpest(product, v, steps):
    for _ in range(steps):
        Hv = product(v)
        value = v @ Hv
        v = Hv / np.linalg.norm(Hv)
    return float(value), v


@wrong("sharpest", "largest_entry", "v was divided by its largest entry. Its length is the root of the sum of squares.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / abs(v).max()
    return float(v @ product(v)), v


@wrong("sharpest", "sum_of_entries", "v was divided by the sum of its entries. Its length is the root of the sum of squares.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / v.sum()
    return float(v @ product(v)), v


@wrong("sharpest", "one_step_more", "One step too many: after `steps` products with a division comes only v · Hv.")
def sharpest(product, v, steps):
    for _ in range(steps + 1):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(v @ product(v)), v


@wrong("sharpest", "value_alone", "The curvature alone is returned: the direction belongs to it.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(v @ product(v))


@wrong("sharpest", "other_order", "The two are there, in the other order: first the curvature, then the direction.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return v, float(v @ product(v))


@wrong("sharpest", "never_negative", "The sign of a negative curvature was lost.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return abs(float(v @ product(v))), v


@wrong(
    "sharpest",
    "written_out",
    "This v is the one at which many steps arrive. Take `steps` of them: do not go on until v stays, nor write H "
    "out and compute its eigenvalues.",
)
def sharpest(product, v, steps):
    H = np.stack([product(e) for e in np.eye(len(v))], axis=1)
    values, vectors = np.linalg.eigh((H + H.T) / 2)
    k = abs(values).argmax()
    return float(values[k]), vectors[:, k] * np.sign(vectors[:, k] @ v)


@wrong("sharpest", "square_of_the_length", "v was divided by the square of its length: a root is missing.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / (v @ v)
    return float(v @ product(v)), v


@wrong("sharpest", "product_forgotten", "The number is 1, as v · v is, whatever the curvature: one factor is Hv.")
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(v @ v), v


V_IS_CHANGED = "v is another array than before: an operator such as `/=` wrote into what you were given."


@wrong("sharpest", "v_is_changed", V_IS_CHANGED)
def sharpest(product, v, steps):
    v /= np.linalg.norm(v)
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(v @ product(v)), v


@wrong("sharpest", "divides_in_place", V_IS_CHANGED)
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v /= np.linalg.norm(v)
    return float(v @ product(v)), v


@wrong("sharpest", "stops_when_close", "It stops where v, or the curvature, changes little. Take all the steps.")
def sharpest(product, v, steps):
    for _ in range(steps):
        new = product(v)
        new = new / np.linalg.norm(new)
        if np.allclose(new, v):
            break
        v = new
    return float(v @ product(v)), v


@wrong("sharpest", "stops_when_the_curvature_stays", "It stops where v, or the curvature, changes little. Take all the steps.")
def sharpest(product, v, steps):
    value = np.inf
    for _ in range(steps):
        before = value
        v = product(v)
        v = v / np.linalg.norm(v)
        value = v @ product(v)
        if abs(value - before) < 1e-12 * abs(value):
            break
    return float(value), v


@wrong("sharpest", "largest_so_far", "The largest curvature of all steps is returned, with its v. Those of the last v are asked for.")
def sharpest(product, v, steps):
    best, where = 0.0, v
    for _ in range(steps):
        Hv = product(v)
        v = Hv / np.linalg.norm(Hv)
        now = float(v @ product(v))
        if abs(now) >= abs(best):
            best, where = now, v
    return best, where


@right("sharpest", "keeps_the_product")
def sharpest(product, v, steps):
    w = product(v)
    for _ in range(steps):
        v = w / np.sqrt(np.sum(w**2))
        w = product(v)
    return (v * w).sum().item(), v


@right("sharpest", "quotient")
def sharpest(product, v, steps):
    while steps:
        v = product(v / np.linalg.norm(v))
        steps -= 1
    v = v / np.linalg.norm(v)
    return float(np.dot(v, product(v)) / np.dot(v, v)), v


POWERS = """
def sharpest(product, v, steps):
    for _ in range(steps):
        v = product(v)
        v = v / np.linalg.norm(v)
    return float(v @ product(v)), v
"""
LAST = "float(v @ product(v))"
QUOTIENTS = "Entries of Hv were divided by those of v. They agree only at the very end, and there it may be 0 / 0: the curvature is v · Hv."
NO_SUM = "An array is returned for the curvature, or it cannot become a float: v · Hv is the sum of the products."

wrong("sharpest", "largest_on_the_way", "The largest v · Hv on the way is returned, and asked for is that of the last v.",
      source=changed(POWERS, ("    for _", "    best = -np.inf\n    for _"), ("np.linalg.norm(v)\n", "np.linalg.norm(v)\n        best = max(best, float(v @ product(v)))\n"), (LAST, "best")))
wrong("sharpest", "mean_of_quotients", QUOTIENTS, source=changed(POWERS, (LAST, "float((product(v) / v).mean())")))
wrong("sharpest", "one_quotient", QUOTIENTS, source=changed(POWERS, (LAST, "float((product(v) / v)[0])")))
wrong("sharpest", "one_step_short", "One step is missing: there are `steps` products with a division, and then one for v · Hv.",
      source=changed(POWERS, ("range(steps)", "range(steps - 1)")))
wrong("sharpest", "length_first", "One product is missing: v was brought to length 1 before, and that is no step. There are `steps` products, each with a division.",
      source=changed(POWERS, ("    for _ in range(steps)", "    v = v / np.linalg.norm(v)\n    for _ in range(steps - 1)")))
wrong("sharpest", "divided_by_the_curvature", "Hv was divided by v · Hv, and so is not of length 1: divide by its own length, the root of Hv · Hv.",
      source=changed(POWERS, ("        v = product(v)\n        v = v / np.linalg.norm(v)\n", "        Hv = product(v)\n        v = Hv / (v @ Hv)\n")))
wrong("sharpest", "largest_entry_of_Hv", "That is the largest entry of Hv. The curvature along v is v · Hv.",
      source=changed(POWERS, (LAST, "float(product(v).max())")))
wrong("sharpest", "stops_at_a_difference", "It stops where v, or the curvature, changes little. Take all the steps.",
      source=changed(POWERS, ("    for _", "    old = None\n    for _"), ("np.linalg.norm(v)\n", "np.linalg.norm(v)\n        now = v @ product(v)\n        if old is not None and abs(now - old) < 1e-9:\n            break\n        old = now\n")))
wrong("sharpest", "no_sum", NO_SUM, source=changed(POWERS, (LAST, "v * product(v)")))
wrong("sharpest", "no_sum_to_a_float", NO_SUM, source=changed(POWERS, (LAST, "float(v * product(v))")))
wrong("sharpest", "first_entry_positive", "The sign of v was chosen, and it is the product that decides: return v as it comes out.",
      source=changed(POWERS, ("    return", "    if v[0] < 0:\n        v = -v\n    return")))
wrong("sharpest", "quotient_without_length", "The curvature may be right, and the v that is returned is not of length 1, or overflows: divide in each step.",
      source=changed(UNDIVIDED, (LAST, "float(v @ product(v) / (v @ v))")))


wrong("sharpest", "stops_where_little_moves", "It stops where v moves by little. Between curvatures that are nearly equal each step is little, and all of them are asked for.",
      source=changed(POWERS, ("        v = product(v)\n        v = v / np.linalg.norm(v)\n", "        old, v = v, product(v)\n        v = v / np.linalg.norm(v)\n        if abs(v - old).max() < 1e-6:\n            break\n")))


wrong("sharpest", "ends_when_still", "At first v may hardly move, while a tiny share of the sharp direction grows: make all `steps` steps.",
      source=changed(POWERS, ("        v = product(v)\n        v = v / np.linalg.norm(v)\n", "        old, v = v, product(v)\n        v = v / np.linalg.norm(v)\n        if abs(v - old).max() < 1e-12:\n            break\n")))


# -- mended_penalty ---------------------------------------------------------------------------------------------------


@wrong(
    "mended_penalty",
    "as_it_was",
    "As with the colleague: a mean goes over the two columns, too, and by the weights all is 0, for the graph of "
    "the slopes is cut. With more rows, a mean of `f` would be a third fault.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x).mean(), x)
    return (Tensor(slopes.data) ** 2).mean()


@wrong(
    "mended_penalty",
    "mean_of_f",
    "With one row it is right. With more, it is too small by the square of their number, as where the gradient is that of the mean of f: take that of the sum.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x).mean(), x)
    return (slopes**2).sum(-1).mean()


STILL_CUT = (
    "The values are right, and by the weights all is 0: training cannot lower this penalty. The slopes have no graph: `.data` or a "
    "new Tensor cuts it, and a plain `.backward()` records none."
)


@wrong("mended_penalty", "f_squared", "f was squared, and then its gradient taken. It is the gradient of f that is squared.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x) ** 2, x)
    return (slopes * slopes).sum(-1).mean()


@wrong("mended_penalty", "lengths_squared_twice", "The squared lengths were squared once more before the mean.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x), x)
    return ((slopes * slopes).sum(-1) ** 2).mean()


@wrong("mended_penalty", "backward_records_nothing", STILL_CUT)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    f(x).sum().backward()
    return (x.grad**2).sum(-1).mean()


TOO_SMALL_BY_N = (
    "Too small by the number of rows. Does one row alone count, as where `return` stands in a loop, or was one alone differentiated, or is "
    "there a mean of f, or two means over the rows? Take the gradient of the sum of f, and one mean over all rows."
)


@wrong("mended_penalty", "gradient_of_one_row", TOO_SMALL_BY_N)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x)[0], x)
    return (slopes**2).sum(-1).mean()


@wrong("mended_penalty", "still_cut", STILL_CUT)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x), x)
    return (Tensor(slopes.data) ** 2).sum(-1).mean()


@wrong(
    "mended_penalty",
    "mean_of_columns",
    "12.5 in place of 25 is half of it: does a mean go over the two columns, too? A squared length is their sum.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).mean()


@wrong("mended_penalty", "square_of_the_sum", "The entries of a gradient are added first, and then squared: (3 - 4)² is 1. Square each of them.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x).sum(-1) ** 2).mean()


@wrong("mended_penalty", "two_columns", "Right for two columns only: a sum over the columns is right for any number of them.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return 2 * (gradient(f(x), x) ** 2).mean()


@wrong("mended_penalty", "sum_of_rows", "Too large by the number of rows, as when their squared lengths are added up. Their mean is asked for.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).sum()


@wrong("mended_penalty", "length", "5 in place of 25: these are lengths. The square is asked for, without a root.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).sum(-1).sqrt().mean()


@wrong(
    "mended_penalty",
    "square_of_the_mean",
    "The mean of the gradients was squared. Gradients of different rows may cancel in it: square first.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x).mean(0) ** 2).sum()


@wrong("mended_penalty", "square_of_the_mean_length", "The mean of the lengths was squared: it is the squares of the lengths whose mean is asked for, without a root.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).sum(-1).sqrt().mean() ** 2


@wrong("mended_penalty", "square_of_the_mean_length_by_a_power", "The mean of the lengths was squared: it is the squares of the lengths whose mean is asked for, without a root.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return ((gradient(f(x), x) ** 2).sum(-1) ** 0.5).mean() ** 2


@wrong("mended_penalty", "a_number", "A plain number is returned: no gradient by the weights can come out of it.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).sum(-1).mean().item()


@wrong("mended_penalty", "away_from_one", "That is the mean of (length - 1)², which is 0 for slopes of 1. The squared length is asked for.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (((gradient(f(x), x) ** 2).sum(-1).sqrt() - 1) ** 2).mean()


@wrong("mended_penalty", "columns_first", "The sum goes over the rows and the mean over the columns: it is the other way round.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).sum(0).mean()


@wrong("mended_penalty", "not_squared", "The entries of the gradients are added as they are: they have to be squared.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return gradient(f(x), x).sum(-1).mean()


@wrong(
    "mended_penalty",
    "one_for_each_row",
    "The result has an axis: it is one number for each row, or a mean that kept its axis. One number alone is "
    "asked for, the mean.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x) ** 2).sum(-1)


@wrong("mended_penalty", "half_cut", "By the weights it is half of what it should be: one factor of the square was taken out of the graph.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x), x)
    return (slopes * slopes.data).sum(-1).mean()


@wrong(
    "mended_penalty",
    "first_row",
    "Only one row counts here, the first or the steepest: the mean goes over all of them.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return (gradient(f(x), x)[0] ** 2).sum()


@wrong("mended_penalty", "difference", "Nearly right, and some digits are wrong: slopes by differences are not exact.")
def mended_penalty(f, x):
    h, total = 1e-5, 0.0
    for k in range(x.shape[1]):
        e = h * np.eye(x.shape[1])[k]
        total = total + (((f(Tensor(x + e)) - f(Tensor(x - e))) / (2 * h)) ** 2).mean()
    return total


@wrong(
    "mended_penalty",
    "root_and_square",
    "Where all slopes are 0, the gradient by the weights is NaN: a root has an infinite slope at 0, even if it "
    "is squared again.",
)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x), x)
    lengths = (slopes * slopes).sum(axis=1).sqrt()
    return (lengths * lengths).mean()


@right("mended_penalty", "over_the_number")
def mended_penalty(f, x):
    rows = Tensor(x, requires_grad=True)
    g = gradient(f(rows), rows)
    return (g**2).sum() / len(x)


@right("mended_penalty", "column_by_column")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    out, total = f(x), 0.0
    for k in range(x.shape[1]):
        v = np.zeros(x.shape)
        v[:, k] = 1.0
        total = total + (along(out, x, v) ** 2).mean()
    return total


@right("mended_penalty", "mean_times_number")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    g = gradient(f(x).mean(), x) * x.shape[0]
    return (g * g).mean() * x.shape[1]


@wrong("mended_penalty", "mean_of_f_and_sum", TOO_SMALL_BY_N)
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    slopes = gradient(f(x).mean(), x)
    return (slopes * slopes).sum()


@wrong("mended_penalty", "square_of_f", "f was squared, and its slopes were not: take the gradient of f as it is, then square the entries.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return gradient(f(x) ** 2, x).sum(-1).mean()


@wrong("mended_penalty", "absolute_values", "7 in place of 25: the sizes of the entries were added up. A squared length adds up their squares.")
def mended_penalty(f, x):
    x = Tensor(x, requires_grad=True)
    return ((gradient(f(x), x) ** 2).sqrt()).sum(-1).mean()


# -- residual ---------------------------------------------------------------------------------------------------------


@wrong("residual", "minus", "That is u'' - u. The equation u'' = -u has the residual u'' + u.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values, t), t) - values


@wrong("residual", "first_derivative", "That is u' + u: one derivative is missing.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(values, t) + values


@wrong("residual", "mean", "u'' is too small by the number of rows, as where one of the gradients is that of a mean.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values.mean(), t), t) + values


@wrong("residual", "two_means", "u'' is too small by the square of the number of rows, as where both gradients are of means.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values.mean(), t).mean(), t) + values


ONLY_U = "Only u is there. Where the second gradient is 0, `.data` or a new Tensor has cut the graph, or it is not by t."


@wrong("residual", "slope_is_cut", ONLY_U)
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(Tensor(gradient(values, t).data), t) + values


@wrong(
    "residual",
    "no_graph",
    "The values are right, and by the weights all is 0: a Tensor made of `.data` has no past.",
)
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return Tensor((gradient(gradient(values, t), t) + values).data)


@wrong(
    "residual",
    "bend_is_cut",
    "The values are right, and by the weights only u counts: u'' came in as a constant.",
)
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values, t), t).data + values


@wrong(
    "residual",
    "values_are_cut",
    "The values are right, and by the weights only u'' counts: u came in as a constant.",
)
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values, t), t) + values.data


NOT_EXACT = "A difference is not exact: with a short step digits are lost, and a long one misses how u bends on the way. Take the gradient of the gradient."


@wrong("residual", "second_difference", NOT_EXACT)
def residual(u, t):
    h = 1e-4
    before, here, after = (u(Tensor(t + s)) for s in (-h, 0, h))
    return (before - 2 * here + after) / h**2 + here


@wrong("residual", "second_difference_ahead_first", NOT_EXACT)
def residual(u, t):
    h = 1e-4
    ahead, here, behind = u(Tensor(t + h)), u(Tensor(t)), u(Tensor(t - h))
    return (ahead - 2 * here + behind) / h**2 + here


@wrong("residual", "difference_of_slopes", NOT_EXACT)
def residual(u, t):
    def slope(at):
        at = Tensor(at, requires_grad=True)
        return gradient(u(at), at)

    h = 1e-5
    return (slope(t + h) - slope(t - h)) / (2 * h) + u(Tensor(t))


@wrong("residual", "only_bend", "That is u'' alone: u has to be added.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    return gradient(gradient(u(t), t), t)


@wrong("residual", "slope_squared", "That is u'² + u: a second derivative is no square of the first.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(values, t) ** 2 + values


@wrong("residual", "slope_twice", "What is added to u is not u'' here. That is the gradient of the gradient; the first derivative twice, or a slope along t in place of ones, is another thing.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(values, t) + gradient(values, t) + values


@wrong("residual", "along_the_times", "What is added to u is not u'' here. That is the gradient of the gradient; the first derivative twice, or a slope along t in place of ones, is another thing.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return along(gradient(values, t), t, t.data) + values


@wrong("residual", "slope_times_its_number", "That is u'² + u: a second derivative is no square of the first.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    slope = gradient(values, t)
    return slope * slope.data + values


@wrong("residual", "gradient_of_the_square", "The slope was squared before its gradient was taken, which gives 2 u' u'': take the gradient of the slope itself.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values, t) ** 2, t) + values


@wrong("residual", "squared", "That is the square of the residual, and the loss squares it once more: return u'' + u itself.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return (gradient(gradient(values, t), t) + values) ** 2


@wrong("residual", "gradient_of_a_function", "`gradient` got u, which is a function: it takes what u returns, `u(t)`.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    return gradient(gradient(u, t), t) + u(t)


@wrong("residual", "plus_t", "t was added where u(t) belongs.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    return gradient(gradient(u(t), t), t) + t


@wrong(
    "residual",
    "an_array",
    "An array is returned, and training cannot differentiate it: compute with Tensors, and return what comes out.",
)
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return (gradient(gradient(values, t), t) + values).data


@wrong("residual", "a_sum", "One number is returned: the residual has a value for each time.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return (gradient(gradient(values, t), t) + values).sum()


@wrong("residual", "flat", "The numbers are right, and the last axis is gone: the residual has the shape of t, (N, 1).")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return (gradient(gradient(values, t), t) + values)[:, 0]


@wrong("residual", "third_derivative", "That is u''' + u: one derivative too many.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(gradient(values, t), t), t) + values


@right("residual", "forward_twice")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values, one = u(t), np.ones(t.shape)
    return along(along(values, t, one), t, one) + values


@right("residual", "mean_times_number")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    slope = gradient(u(t).mean(), t) * len(t.data)
    return u(t) + gradient(slope.sum(), t)


@wrong("residual", "difference_of_whole_steps", NOT_EXACT)
def residual(u, t, h=1.0):
    ahead, here, behind = u(Tensor(t + h)), u(Tensor(t)), u(Tensor(t - h))
    return (ahead - here * 2 + behind) / (h * h) + here


@wrong("residual", "whole_steps_of_slopes", NOT_EXACT)
def residual(u, t, h=1.0):
    def slope(at):
        at = Tensor(at, requires_grad=True)
        return gradient(u(at), at)

    return (slope(t + h) - slope(t - h)) / (2 * h) + u(Tensor(t))


@wrong("residual", "loss", "That is the loss, the mean of the squares. The residual itself is asked for: u'' + u at each time, of shape (N, 1).")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return ((gradient(gradient(values, t), t) + values) ** 2).mean()


@wrong("residual", "sum_of_values", "u'' is right, and to each row the sum of all values is added: each row has its own u.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t).sum()
    return gradient(gradient(values, t).sum(), t) + values


@wrong("residual", "by_u", ONLY_U)
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    values = u(t)
    return gradient(gradient(values, t), values) + values


@wrong("residual", "slope_in_place_of_values", "That is u'' + u': the slope is added in place of the values. Keep u(t) under a name of its own.")
def residual(u, t):
    t = Tensor(t, requires_grad=True)
    out = u(t)
    for _ in range(2):
        before = out
        out = gradient(out, t)
    return out + before


@wrong("residual", "u_before_the_leaf", "Only u is there. Was it computed from another Tensor, before this t was made a leaf? Make the leaf first, and compute u from it.")
def residual(u, t):
    values = u(Tensor(t))
    t = Tensor(t, requires_grad=True)
    slope = gradient(values, t)
    return gradient(slope, t) + values


@wrong("residual", "flat_times", "u maps times (N, 1): a network multiplies them by a matrix, and a flat (N,) does not fit.")
def residual(u, t):
    leaf = Tensor(t.ravel(), requires_grad=True)
    values = u(leaf)
    slope = gradient(values, leaf)
    bend = gradient(slope, leaf)
    return (bend + values).reshape(len(t), 1)


wrong("residual", "leaf_kept", "This is the residual at the times of an earlier call: a leaf, or a graph, was kept between calls. Make a new leaf of t in each.", source="""
LEAVES = {}


def residual(u, t):
    if t.shape not in LEAVES:
        LEAVES[t.shape] = Tensor(t, requires_grad=True)
    leaf = LEAVES[t.shape]
    values = u(leaf)
    slope = gradient(values, leaf)
    return gradient(slope, leaf) + values
""")


# -- fixed_point_rule -------------------------------------------------------------------------------------------------


@wrong("fixed_point_rule", "tensors", "These are Tensors. A rule on arrays gives arrays.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return Tensor(np.outer(s * u, z)), Tensor(s * u)


@wrong("fixed_point_rule", "one_round", "Right where W is 0: only the last round is counted, and the loop behind it is not. Solve for u.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    return np.outer(s * g, z), s * g


@wrong("fixed_point_rule", "not_transposed", "I - S has to be transposed: backward, a gradient goes through a matrix the other way.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve(np.eye(len(z)) - s[:, None] * W, g)
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "columns_scaled", "The columns of W were multiplied by s. In S_ij = s_i W_ij the rows are: s as a column.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s * W).T, g)
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "other_order", "Both are there, in the other order: first the cotangent of W, then that of x.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return s * u, np.outer(s * u, z)


@wrong("fixed_point_rule", "outer_transposed", "The cotangent of W is transposed: row i has s_i u_i, column j has z_j.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(z, s * u), s * u


@wrong("fixed_point_rule", "slope_not_squared", "The slope of tanh is 1 - z²: the square is missing.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "u_for_x", "x gets u itself. It goes through tanh as well: s times u.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(s * u, z), u


@wrong("fixed_point_rule", "u_for_both", "The slope of tanh is missing in both: x gets s u, and W gets s_i u_i z_j.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(u, z), u


@wrong("fixed_point_rule", "u_for_W", "W gets u_i z_j. The slope of tanh is missing: s_i u_i z_j.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(u, z), s * u


@wrong("fixed_point_rule", "plus", "I + S stands where I - S belongs: the loop's share is on the other side of the equation.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) + s[:, None] * W).T, g)
    return np.outer(s * u, z), s * u


FEW_ROUNDS = "Backward through some rounds, however many, is not all of the sum g + Sᵀg + …: where the loop is slow, much is missing. Solve for u."


@wrong("fixed_point_rule", "rounds_of_tensors", FEW_ROUNDS)
def fixed_point_rule(g, z, W, x):
    weights, inputs, state = Tensor(W, requires_grad=True), Tensor(x, requires_grad=True), Tensor(z)
    for _ in range(40):
        state = (weights @ state + inputs).tanh()
    total = (state * g).sum()
    return gradient(total, weights).data, gradient(total, inputs).data


for name, rounds in (("twenty", 20), ("hundred", 100), ("twenty_thousand", 20_000)):
    wrong("fixed_point_rule", f"{name}_rounds", FEW_ROUNDS, source=f"""
def fixed_point_rule(g, z, W, x):
    s, u = 1 - z * z, g
    for _ in range({rounds}):
        u = g + W.T @ (s * u)
    return np.outer(s * u, z), s * u
""")


@wrong("fixed_point_rule", "fifty_terms", FEW_ROUNDS)
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    S = s[:, None] * W
    u, part = g, g
    for _ in range(50):
        part = S.T @ part
        u = u + part
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "x_for_z", "W was multiplied by z in the loop, and not by x: entry ij gets s_i u_i z_j.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(s * u, x), s * u


@wrong("fixed_point_rule", "slope_at_x", "The slope was taken at x. It belongs to what tanh got, W z + x, and is 1 - z².")
def fixed_point_rule(g, z, W, x):
    s = 1 - np.tanh(x) ** 2
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "W_for_S", "I - W was solved. S has the slopes in it: row i of W times s_i.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - W).T, g)
    return np.outer(s * u, z), s * u


@wrong(
    "fixed_point_rule",
    "slope_twice",
    "The slope is counted twice: g goes into the solve as it is, and u is multiplied by s once.",
)
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, s * g)
    return np.outer(s * u, z), s * u


NO_IDENTITY = "Here S alone is solved, without the identity: g passes once without the loop, and `np.eye` belongs in front."


@wrong(
    "fixed_point_rule",
    "no_identity",
    NO_IDENTITY,
)
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.lstsq((s[:, None] * W).T, g, rcond=None)[0]
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "minus_alone", NO_IDENTITY)
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.lstsq((-s[:, None] * W).T, g, rcond=None)[0]
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "g_is_changed", "What you were given is another array than before: an operator such as `*=` wrote into it. Make a new one.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    g *= s
    return np.outer(s * u, z), s * u


@wrong("fixed_point_rule", "g_is_changed_without_a_loop", "Where W is 0, what you were given is another array than before: u is g itself there, and an operator such as `*=` wrote into it. Make a new one.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g) if W.any() else g
    u *= s
    return np.outer(u, z), u


@wrong("fixed_point_rule", "slope_before", "The slope stands before the solve. It belongs behind it: u solves the equation with g, and x gets s u.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, s * g)
    return np.outer(u, z), u


@wrong("fixed_point_rule", "two_terms", "g + Sᵀg are the first two terms of a sum without end: it is one solve.")
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = g + (s[:, None] * W).T @ g
    return np.outer(s * u, z), s * u


@right("fixed_point_rule", "inverse")
def fixed_point_rule(g, z, W, x):
    s = 1 - z**2
    by_x = s * (g @ np.linalg.inv(np.identity(z.size) - np.diag(s) @ W))
    return by_x[:, None] * z, by_x


@right("fixed_point_rule", "columns_and_rows")
def fixed_point_rule(g, z, W, x):
    s = 1 - np.square(z)
    by_x = np.linalg.solve(np.eye(len(z)) - W.T * s, g) * s
    return by_x[:, np.newaxis] @ z[np.newaxis], by_x


SOLVE = """
def fixed_point_rule(g, z, W, x):
    s = 1 - z * z
    u = np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)
    return np.outer(s * u, z), s * u
"""
wrong("fixed_point_rule", "tanh_of_z", "z is a tanh already, of Wz + x: its slope is 1 - z².",
      source=changed(SOLVE, ("1 - z * z", "1 - np.tanh(z) ** 2")))
wrong("fixed_point_rule", "diagonal_alone", "Only the diagonal of W counts here. An entry of z depends on all others, so a system is to be solved.",
      source=changed(SOLVE, ("np.linalg.solve((np.eye(len(z)) - s[:, None] * W).T, g)", "g / (1 - s * np.diag(W))")))
wrong("fixed_point_rule", "g_in_what_W_gets", "What W gets is made with g, and it belongs to u, which has gone around the loop.",
      source=changed(SOLVE, ("np.outer(s * u, z)", "np.outer(s * g, z)")))
wrong("fixed_point_rule", "s_on_columns", "s multiplies the columns of what W gets: row i belongs to s[i] · u[i].",
      source=changed(SOLVE, ("np.outer(s * u, z)", "s * u[:, None] * z")))
wrong("fixed_point_rule", "square_alone", "The slope of tanh is 1 minus z², and here it is z² alone.",
      source=changed(SOLVE, ("1 - z * z", "z**2")))
wrong("fixed_point_rule", "two_by_two", "The identity has two rows here. It has as many as z has entries.",
      source=changed(SOLVE, ("np.eye(len(z))", "np.eye(2)")))
wrong("fixed_point_rule", "three_by_three", "The identity has three rows here, as in the example before. It has as many as z has entries.",
      source=changed(SOLVE, ("np.eye(len(z))", "np.eye(3)")))
wrong("fixed_point_rule", "one_number_of_s", "All rows of W were multiplied by the same entry of s: row i belongs to s[i].",
      source=changed(SOLVE, ("s[:, None] * W", "s[0] * W")))
wrong("fixed_point_rule", "no_eye", "A number minus S takes S from 1 everywhere. The identity is 1 on the diagonal only: `np.eye`.",
      source=changed(SOLVE, ("np.eye(len(z))", "1")))
@right("fixed_point_rule", "from_W_and_x")
def fixed_point_rule(g, z, W, x):
    a = W @ z + x
    s = 1 / np.cosh(a) ** 2
    u = np.linalg.solve(np.eye(len(W)) - W.T * s, g)
    c = s * u
    return c[:, None] * np.tanh(a), c


wrong("fixed_point_rule", "forward", "That is how z changes if x changes by g: forward. Backward, the transposed is solved, with g itself, and the slope comes after it.",
      source=changed(SOLVE, ("(np.eye(len(z)) - s[:, None] * W).T, g)", "np.eye(len(z)) - s[:, None] * W, s * g)"),
                     ("np.outer(s * u, z), s * u", "np.outer(u, z), u")))
wrong("fixed_point_rule", "vector_for_S", "`s @ W` is a vector, the sum of the rows of W, each times its s. S is a matrix: these rows, not added.",
      source=changed(SOLVE, ("s[:, None] * W", "(s @ W)")))
wrong("fixed_point_rule", "matrix_product", "`@` of a column and W is not defined. Row i of W times s[i] is a product entry by entry, `*`, with s as a column.",
      source=changed(SOLVE, ("s[:, None] * W", "s[:, None] @ W")))
wrong("fixed_point_rule", "slope_of_sigmoid", "z · (1 - z) is the slope of the sigmoid. That of tanh is 1 - z².",
      source=changed(SOLVE, ("1 - z * z", "z * (1 - z)")))
wrong("fixed_point_rule", "square_outside", "The square stands outside the bracket. The slope is 1 - z²: z alone is squared.",
      source=changed(SOLVE, ("1 - z * z", "(1 - z) ** 2")))
wrong("fixed_point_rule", "scalar_product", "W gets one number, a scalar product. It gets a matrix, with s_i u_i z_j in row i and column j: `np.outer`.",
      source=changed(SOLVE, ("np.outer(s * u, z)", "(s * u).T @ z")))
wrong("fixed_point_rule", "g_for_W", "x is right, and W gets g_i z_j: what comes through the loop and the slope is missing. It gets what x gets, times z_j.",
      source=changed(SOLVE, ("np.outer(s * u, z)", "np.outer(g, z)")))
wrong("fixed_point_rule", "solve_exchanged", "The arguments of `np.linalg.solve` are exchanged: the matrix comes first, then the right side.",
      source=changed(SOLVE, ("solve((np.eye(len(z)) - s[:, None] * W).T, g)", "solve(g, (np.eye(len(z)) - s[:, None] * W).T)")))
