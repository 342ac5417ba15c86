"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 03_reverse_mode`) and they diagnose: a student's answer that behaves like one
of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (Value, FORWARD, math) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- record -----------------------------------------------------------------------------------------------------------


@wrong(
    "record",
    "numbers_for_parents",
    "The parents are numbers here. Numbers cannot receive a gradient: keep the Values themselves.",
)
def record(op, parents, constants=()):
    numbers = tuple(parent.data for parent in parents)
    return Value(FORWARD[op](*numbers, *constants), op, numbers, constants)


@wrong("record", "no_parents", "The number is right, but the new Value does not know what it was made from.")
def record(op, parents, constants=()):
    return Value(FORWARD[op](*[parent.data for parent in parents], *constants))


@wrong(
    "record",
    "no_op",
    "The new Value does not know its operation. Without it, no rule will be found on the way back.",
)
def record(op, parents, constants=()):
    return Value(FORWARD[op](*[parent.data for parent in parents], *constants), "", parents, constants)


@wrong(
    "record",
    "parents_reversed",
    "The parents are recorded in the opposite order. The rules give their results in the order of the inputs.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[parent.data for parent in parents], *constants)
    return Value(data, op, tuple(reversed(parents)), constants)


@wrong(
    "record",
    "each_parent_once",
    "A Value that takes part twice has to be a parent twice: it gets two contributions.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[parent.data for parent in parents], *constants)
    return Value(data, op, tuple(dict.fromkeys(parents)), constants)


@wrong(
    "record",
    "constants_forgotten",
    "The constants were used but not kept. The rule of ** will need the exponent again.",
)
def record(op, parents, constants=()):
    return Value(FORWARD[op](*[parent.data for parent in parents], *constants), op, parents)


@wrong(
    "record",
    "constants_unused",
    "The operation did not get the constants. They come behind the parents' numbers.",
)
def record(op, parents, constants=()):
    return Value(FORWARD[op](*[parent.data for parent in parents]), op, parents, constants)


WITH_VALUES = "Something computes with the parents themselves. FORWARD[op] takes plain numbers, one by one: their data."


@wrong("record", "forward_on_values", WITH_VALUES)
def record(op, parents, constants=()):
    return Value(FORWARD[op](*parents, *constants), op, parents, constants)


@wrong("record", "without_forward", WITH_VALUES)
def record(op, parents, constants=()):
    data = parents[0] * parents[1] if op == "*" else parents[0] + parents[1]
    return Value(data, op, parents, constants)


@wrong(
    "record",
    "plain_number",
    "You returned the number alone. It has to be a Value that remembers how it was made.",
)
def record(op, parents, constants=()):
    return FORWARD[op](*[parent.data for parent in parents], *constants)


@wrong(
    "record",
    "copies_for_parents",
    "The parents are other Values with the same numbers. A gradient given to them never reaches those that took part.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[parent.data for parent in parents], *constants)
    return Value(data, op, tuple(Value(parent.data) for parent in parents), constants)


@wrong("record", "op_forgotten", "The parents stand where op belongs, and the constants where the parents do: a Value takes the data first, and op second.")
def record(op, parents, constants=()):
    data = FORWARD[op](*[parent.data for parent in parents], *constants)
    return Value(data, parents, constants)


@wrong("record", "constants_as_parents", "The constants stand among the parents, too. A constant is no Value, and nothing goes back to it.")
def record(op, parents, constants=()):
    data = FORWARD[op](*[parent.data for parent in parents], *constants)
    return Value(data, op, (*parents, *constants), constants)


@wrong("record", "first_constant_alone", "The constants are kept as one number, or as None: keep the tuple, which may be empty.")
def record(op, parents, constants=()):
    data = FORWARD[op](*[parent.data for parent in parents], *constants)
    return Value(data, op, parents, constants[0] if constants else None)


@right("record", "filled_in_later")
def record(op, parents, constants=()):
    arguments = []
    for parent in parents:
        arguments.append(parent.data)
    arguments.extend(constants)
    out = Value(FORWARD[op](*arguments))
    out.op = op
    out.parents = parents
    out.constants = constants
    return out


@right("record", "by_keyword")
def record(op, parents, constants=()):
    out = Value(0.0, parents=list(parents), op=op, constants=list(constants))
    out.data = FORWARD[op](*out.inputs)
    return out


wrong(
    "record",
    "kept_by_parents",
    "The Value of an earlier call comes back here: each call makes a new one, of the same parents too.",
    source="""
_made = {}


def record(op, parents, constants=()):
    key = (op, parents, constants)
    if key not in _made:
        data = FORWARD[op](*[p.data for p in parents], *constants)
        _made[key] = Value(data, op, parents, constants)
    return _made[key]
""",
)


@wrong(
    "record",
    "zero_constant_lost",
    "A constant of 0 is lost: as a condition, as in `if c`, it counts as nothing.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[p.data for p in parents], *constants)
    return Value(data, op, parents, tuple(c for c in constants if c))


@wrong(
    "record",
    "rounded",
    "A tiny number has become 0, by rounding or a limit: keep it as `FORWARD[op]` gives it.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[p.data for p in parents], *constants)
    return Value(round(data, 10), op, parents, constants)


@wrong(
    "record",
    "joined_with_plus",
    "A list and a tuple cannot be joined by `+`. FORWARD[op] takes numbers, one by one: a star unpacks the list, another one the constants.",
)
def record(op, parents, constants=()):
    return Value(FORWARD[op]([p.data for p in parents] + constants), op, parents, constants)


@wrong(
    "record",
    "parents_in_the_place_of_op",
    "The parents stand in the place of `op`. Value takes the data, the operation, the parents and the constants, in this order.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[p.data for p in parents], *constants)
    return Value(data, parents, op, constants)


@wrong(
    "record",
    "constants_for_parents",
    "The constants have become parents. They are plain numbers, and get no gradient: keep them as the constants.",
)
def record(op, parents, constants=()):
    data = FORWARD[op](*[p.data for p in parents], *constants)
    return Value(data, op, (*parents, *map(Value, constants)))


RECORD = """
def record(op, parents, constants=()):
    numbers = [parent.data for parent in parents]
    data = FORWARD[op](*numbers, *constants)
    return Value(data, op, parents, constants)
"""

wrong(
    "record",
    "stars_forgotten",
    "FORWARD[op] was given lists or tuples, and it takes numbers, one by one: a star before each of the two unpacks it, as in `*numbers, *constants`.",
    source=changed(RECORD, ("(*numbers, *constants)", "(numbers, constants)")),
)


wrong(
    "record",
    "numbers_in_a_list",
    "FORWARD[op] got one number too few. If it got a list of them: it takes them one by one, and a star before the list unpacks it.",
    source=changed(RECORD, ("(*numbers, *constants)", "(numbers, *constants)")),
)


wrong(
    "record",
    "second_star_forgotten",
    "FORWARD[op] got one argument too many. If that is the tuple of constants: a star before it unpacks it, into nothing where there are none.",
    source=changed(RECORD, ("*constants)\n", "constants)\n")),
)


wrong(
    "record",
    "constants_first",
    "That is 3 ** 2, and 2 ** 3 is asked for: the parents' numbers come first, then the constants.",
    source=changed(RECORD, ("(*numbers, *constants)", "(*constants, *numbers)")),
)


wrong(
    "record",
    "stars_in_Value",
    "The parents are unpacked here, so Value takes the first of them for all. Give it both tuples as they are: the stars belong in the call of FORWARD[op].",
    source=changed(RECORD, ("op, parents, constants)\n", "op, *parents, *constants)\n")),
)


wrong(
    "record",
    "first_constant",
    "The constants are a single number here. Keep the tuple that record was given, of one constant too.",
    source=changed(RECORD, ("op, parents, constants)\n", "op, parents, constants[0] if constants else ())\n")),
)


wrong(
    "record",
    "parents_and_constants",
    "The constants stand among the parents. They are plain numbers, and get no gradient: give them to Value as its fourth argument.",
    source=changed(RECORD, ("op, parents, constants)\n", "op, parents + constants)\n")),
)


wrong(
    "record",
    "the_function_for_op",
    "`op` holds a function here. Keep the operation's name, such as \"*\": by that name its rule is found on the way back.",
    source=changed(RECORD, ("Value(data, op", "Value(data, FORWARD[op]")),
)


wrong(
    "record",
    "three_operations_alone",
    "exp is not recorded. Do not list the operations: FORWARD[op] finds the function of each.",
    source="""
def record(op, parents, constants=()):
    if op == "+":
        data = parents[0].data + parents[1].data
    elif op == "*":
        data = parents[0].data * parents[1].data
    elif op == "**":
        data = parents[0].data ** constants[0]
    return Value(data, op, parents, constants)
""",
)


@wrong("record", "a_generator_of_parents", "The parents, or the constants, can be walked along once, as those of a generator, of `map` or of `iter`, and are gone then. The way back needs them again: keep the tuples that record was given.")
def record(op, parents, constants=()):
    data = FORWARD[op](*(parent.data for parent in parents), *constants)
    return Value(data, op, (parent for parent in parents), constants)


@wrong("record", "whole_constants", "The constants are made whole, as `int` does: 0.5 becomes 0. Take them as they come.")
def record(op, parents, constants=()):
    numbers = [parent.data for parent in parents] + [int(c) for c in constants]
    return Value(FORWARD[op](*numbers), op, parents, constants)


@wrong("record", "map_used_up", "The constants are gone: a `map` or another iterator can be walked along once, and the call of the forward function used it up. Keep a tuple or a list of them.")
def record(op, parents, constants=()):
    constants = map(float, constants)
    numbers = [parent.data for parent in parents]
    data = FORWARD[op](*numbers, *constants)
    return Value(data, op, parents, constants)


# -- pass_back --------------------------------------------------------------------------------------------------------

PASS = """
def pass_back(node, rules):
    if not node.op:
        return
    for parent, cotangent in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs)):
        parent.grad += cotangent
"""

wrong(
    "pass_back",
    "overwrites",
    "What the parents had got before is gone: `=`, or a 0 that is set here, wipes it out. Contributions add up.",
    source=changed(PASS, ("+= cotangent", "= cotangent")),
)


wrong(
    "pass_back",
    "g_twice",
    "You multiplied the cotangents by node.grad. The rule has done that already: it was given g.",
    source=changed(PASS, ("+= cotangent", "+= node.grad * cotangent")),
)


wrong(
    "pass_back",
    "g_is_one",
    "The rule was given 1 for g. What it needs is the gradient that has arrived at this node.",
    source=changed(PASS, ("(node.grad, ", "(1.0, ")),
)


wrong(
    "pass_back",
    "no_out",
    "The rule has not been given `out`, the node's own data, which comes behind g.",
    source=changed(PASS, ("node.data, ", "")),
)


wrong(
    "pass_back",
    "values_to_rule",
    "The rule was given Values. Rules compute with plain numbers: node.inputs has them.",
    source=changed(PASS, ("*node.inputs", "*node.parents, *node.constants")),
)


wrong(
    "pass_back",
    "no_constants",
    "The rule did not get the constants, such as an exponent. They are among node.inputs.",
    source=changed(
        PASS,
        ("    for parent", "    numbers = [parent.data for parent in node.parents]\n    for parent"),
        ("*node.inputs", "*numbers"),
    ),
)


wrong(
    "pass_back",
    "inputs_have_no_rule",
    "An input has an empty op, and there is no rule for it. Ask for that first.",
    source=changed(PASS, ("    if not node.op:\n        return\n", "")),
)


@wrong(
    "pass_back",
    "first_parent_only",
    "Only the first of two parents got its share. The rule gives one cotangent for each.",
)
def pass_back(node, rules):
    if not node.op:
        return
    node.parents[0].grad += rules[node.op](node.grad, node.data, *node.inputs)[0]


wrong(
    "pass_back",
    "crossed_over",
    "The cotangents went to the wrong parents: they come in the order of node.parents. A set keeps no order.",
    source=changed(PASS, ("zip(node.parents", "zip(reversed(node.parents)")),
)


@wrong(
    "pass_back",
    "parents_once",
    "A parent that takes part twice got one contribution. Pair the parents with the cotangents one by one, and add each to what stands there by then.",
)
def pass_back(node, rules):
    if not node.op:
        return
    contributions = dict(zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs)))
    for parent, cotangent in contributions.items():
        parent.grad += cotangent


@wrong(
    "pass_back",
    "each_parent_once",
    "A parent that takes part twice got its first contribution alone, as where a set or a dict holds each parent once. Pair node.parents itself with the cotangents: it has the parent twice.",
)
def pass_back(node, rules):
    if not node.op:
        return
    cotangents = rules[node.op](node.grad, node.data, *node.inputs)
    for parent, cotangent in zip(dict.fromkeys(node.parents), cotangents):
        parent.grad += cotangent


wrong(
    "pass_back",
    "to_the_numbers",
    "`grad` is asked of something that is no Value. The cotangents go to the Values of node.parents, one by one; node.inputs are plain numbers, for the rule.",
    source=changed(PASS, ("zip(node.parents", "zip(node.inputs")),
)


wrong(
    "pass_back",
    "goes_on",
    "This goes on from each parent by itself, whose gradient may not be complete yet. Do one step: add to the parents, and stop.",
    source=changed(PASS, ("+= cotangent\n", "+= cotangent\n        pass_back(parent, rules)\n")),
)


@wrong("pass_back", "to_itself", "You added the cotangents to node.grad. They belong to the parents.")
def pass_back(node, rules):
    if not node.op:
        return
    for cotangent in rules[node.op](node.grad, node.data, *node.inputs):
        node.grad += cotangent


@wrong(
    "pass_back",
    "a_call_for_each_parent",
    "The rule is called more than once, as where each parent calls it again. One call gives all cotangents: keep its result.",
)
def pass_back(node, rules):
    if not node.op:
        return
    for i, parent in enumerate(node.parents):
        parent.grad += rules[node.op](node.grad, node.data, *node.inputs)[i]


wrong(
    "pass_back",
    "given_away",
    "node.grad is gone once it is passed on. It is the derivative by this value, and whoever asks wants to find it.",
    source=changed(PASS, ("    for parent", "    g, node.grad = node.grad, 0.0\n    for parent"), ("(node.grad, ", "(g, ")),
)


wrong(
    "pass_back",
    "only_inputs_add_up",
    "y loses what it had got before: it was computed, and is the second parent. Contributions add up in every parent, not in inputs or the first one alone.",
    source=changed(PASS, ("+= cotangent", "= cotangent if parent.op else parent.grad + cotangent")),
)


wrong(
    "pass_back",
    "not_to_zero",
    "z gets nothing: its number is 0, and what changes with it does not stop there. A contribution goes to every parent, whatever its number.",
    source=changed(PASS, ("        parent.grad", "        if parent.data:\n            parent.grad")),
)


wrong(
    "pass_back",
    "clipped",
    "A large contribution arrives smaller than the rule gave it. Pass on what the rule gives.",
    source=changed(PASS, ("+= cotangent", "+= max(-1000.0, min(1000.0, cotangent))")),
)


@right("pass_back", "by_position")
def pass_back(node, rules):
    if node.op != "":
        out = rules[node.op](node.grad, node.data, *node.inputs)
        for i in range(len(node.parents)):
            node.parents[i].grad = node.parents[i].grad + out[i]


@right("pass_back", "by_parents")
def pass_back(node, rules):
    if not node.parents:
        return
    rule = rules[node.op]
    numbers = [parent.data for parent in node.parents] + list(node.constants)
    for cotangent, parent in zip(rule(node.grad, node.data, *numbers), node.parents):
        parent.grad += cotangent


wrong(
    "pass_back",
    "data_of_0",
    "Nothing is passed on here, where the node's number is 0, and so is an input's. 0 is a number like any other: only an empty `op` says that there is nobody to pass to.",
    source=changed(PASS, ("if not node.op:", "if not node.op or not node.data:"), ("cotangent", "c")),
)


wrong(
    "pass_back",
    "a_new_value",
    "Nothing has come to the parents here. `parent += c` makes a new Value, and adds nothing to the parent's `grad`; and a node that remembers that it was done passes nothing on at the next call.",
    source=changed(PASS, ("parent.grad += cotangent", "parent += cotangent")),
)


wrong(
    "pass_back",
    "done_once",
    "Nothing has come to the parents here. `parent += c` makes a new Value, and adds nothing to the parent's `grad`; and a node that remembers that it was done passes nothing on at the next call.",
    source=changed(
        PASS,
        ("    if not node.op:\n        return\n", '    if not node.op or getattr(node, "done", False):\n        return\n    node.done = True\n'),
    ),
)


wrong(
    "pass_back",
    "the_global_rules",
    "Where you looked there is no rule of this name. Look in `rules`, the argument, and not in RULES.",
    source=changed(PASS, ("rules[node.op]", "RULES[node.op]")),
)


wrong(
    "pass_back",
    "first_come",
    "A parent that has something already gets nothing more here, as with `if parent.grad == 0`. Add, whatever is there.",
    source=changed(PASS, ("        parent.grad += cotangent", "        if parent.grad == 0:\n            parent.grad = cotangent")),
)


@wrong(
    "pass_back",
    "loop_in_a_loop",
    "Each parent got the sum of all cotangents, as by a loop in a loop. Go through parents and cotangents side by side: zip pairs them.",
)
def pass_back(node, rules):
    if not node.op:
        return
    cotangents = rules[node.op](node.grad, node.data, *node.inputs)
    for parent in node.parents:
        for cotangent in cotangents:
            parent.grad += cotangent


wrong(
    "pass_back",
    "by_name",
    "The rule was called with names, as in `g=`. Give its arguments by position: g, out, then the inputs.",
    source=changed(PASS, ("(node.grad, node.data, *node.inputs)", "(*node.inputs, g=node.grad, out=node.data)")),
)


@wrong("pass_back", "tiny_is_nothing", "A tiny contribution does not arrive: it is rounded, or counts as nothing. Pass on what the rule gives, however small.")
def pass_back(node, rules):
    if not node.op:
        return
    for parent, cotangent in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs)):
        if abs(cotangent) > 1e-12:
            parent.grad += cotangent


wrong("pass_back", "equal_numbers_once", "Two inputs with equal numbers become one here, as in a set or as keys of a dict. The rule gets a number for each.",
      source=changed(PASS, ("*node.inputs", "*dict.fromkeys(node.inputs)")))


# -- topological_order ------------------------------------------------------------------------------------------------

WALK = """
def topological_order(root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((parent, False) for parent in node.parents)
    return order
"""
WALK_IN_STEPS = changed(
    WALK, ("order, seen, stack = [], set(), [(root, False)]", "order, seen = [], set()\n    stack = [(root, False)]")
)

wrong(
    "topological_order",
    "root_first",
    "The list is in the order of the way back. Here the root comes last, and the inputs come before what is made from them.",
    source=changed(WALK_IN_STEPS, ("return order", "return order[::-1]")),
)


wrong(
    "topological_order",
    "no_seen",
    "A value that is used twice stands in the list twice. When it is met again it may be there already, or still wait for its turn: look for that, too.",
    source=changed(
        WALK_IN_STEPS,
        ("order, seen = [], set()", "order = []"),
        ("elif node not in seen:\n            seen.add(node)\n", "else:\n"),
    ),
)


VISIT = """
def topological_order(root):
    order, seen = [], set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for parent in node.parents:
            visit(parent)
        order.append(node)

    visit(root)
    return order
"""

wrong(
    "topological_order",
    "recursion",
    "The function, or one inside it, calls itself for each parent, and a chain of 10,000 is deeper than Python allows. Keep a stack in a list instead.",
    source=VISIT,
)


@wrong(
    "topological_order",
    "breadth_first",
    "A value stands before one of its parents, as where all are listed by their distance from the root. A parent that is near to the root can still be needed far from it.",
)
def topological_order(root):
    queue, seen = [root], {root}
    for node in queue:
        for parent in node.parents:
            if parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return queue[::-1]


@wrong(
    "topological_order",
    "order_of_discovery",
    "A value stands before one of its parents, as where each is noted when it is found. Note it when all its parents are in the list.",
)
def topological_order(root):
    order, seen, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            stack.extend(node.parents)
    return order[::-1]


wrong(
    "topological_order",
    "ready_above_its_parents",
    "Each value is noted as soon as it is met, so it stands before its parents. Where you put it back as ready, it has to lie below them on the stack, to come off after them.",
    source=changed(WALK, ("            stack.append((node, True))\n", ""), ("node.parents)\n", "node.parents)\n            stack.append((node, True))\n")),
)


wrong(
    "topological_order",
    "equal_numbers",
    "Only the last value is in the list. Is any parent followed? If you mark values where they go onto the stack, do not pass over them when they come off. If you recognise them by data or label: others may have the same, so remember the values themselves.",
    source=changed(WALK_IN_STEPS, ("node not in seen", "node.data not in seen"), ("seen.add(node)", "seen.add(node.data)")),
)


wrong(
    "topological_order",
    "no_inputs",
    "The inputs are missing. They have no parents, and they belong in the list.",
    source=changed(WALK_IN_STEPS, ("node not in seen", "node.parents and node not in seen")),
)


wrong(
    "topological_order",
    "no_root",
    "Everything is there but the root itself, which belongs at the end.",
    source=changed(WALK_IN_STEPS, ("set()", "{root}"), ("[(root, False)]", "[(parent, False) for parent in root.parents]")),
)


USERS = """
def topological_order(root):
    nodes, users = [root], {root: 0}
    for node in nodes:
        for parent in node.parents:
            if parent not in users:
                users[parent] = 0
                nodes.append(parent)
            users[parent] += 1
    backwards, ready = [], [root]
    while ready:
        node = ready.pop()
        backwards.append(node)
        for parent in node.parents:
            users[parent] -= 1
            if users[parent] == 0:
                ready.append(parent)
    return backwards[::-1]
"""

wrong(
    "topological_order",
    "two_uses_counted_once",
    "In y * y the same child uses y twice. Where you count uses and where you count down, do it in the same way.",
    source=changed(USERS, ("node.parents:\n            users[parent] -=", "dict.fromkeys(node.parents):\n            users[parent] -=")),
)


wrong(
    "topological_order",
    "raised_limit",
    "The function still calls itself, with Python's limit raised. A chain that is longer than the new limit fails again: keep a stack in a list instead.",
    source=changed(VISIT, ("    order, seen", "    import sys\n\n    sys.setrecursionlimit(100_000)\n    order, seen")),
)


wrong(
    "topological_order",
    "numbers",
    "You listed the numbers of the Values. The way back needs the Values themselves: it writes into their grad.",
    source=changed(WALK_IN_STEPS, ("order.append(node)", "order.append(node.data)")),
)


wrong(
    "topological_order",
    "pairs",
    "You listed tuples, such as the pairs of the stack. In the result stand the Values alone.",
    source=changed(WALK_IN_STEPS, ("order.append(node)", "order.append((node, ready))")),
)


wrong(
    "topological_order",
    "an_iterator",
    "What comes back is no list: `reversed` gives an iterator, which ends after one walk and knows no `order[-1]`. Make a list of it.",
    source=changed(WALK_IN_STEPS, ("order.append(node)", "order.insert(0, node)"), ("return order", "return reversed(order)")),
)


AT_THE_PUSH = """
def topological_order(root):
    order, seen, stack = [], {root}, [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
            continue
        stack.append((node, True))
        for parent in node.parents:
            if parent not in seen:
                seen.add(parent)
                stack.append((parent, False))
    return order
"""

wrong(
    "topological_order",
    "seen_at_the_push",
    "You mark a value as seen when it goes onto the stack. It may be needed sooner by another, and then it waits too far below: mark it when it comes off.",
    source=AT_THE_PUSH,
)


wrong(
    "topological_order",
    "by_label",
    "Only the last value is in the list. Is any parent followed? If you mark values where they go onto the stack, do not pass over them when they come off. If you recognise them by data or label: others may have the same, so remember the values themselves.",
    source=changed(WALK_IN_STEPS, ("node not in seen", "node.label not in seen"), ("seen.add(node)", "seen.add(node.label)")),
)


@wrong(
    "topological_order",
    "every_path",
    "This takes too long, or never ends. After 59 doublings there are 2 ** 59 paths back: go on from a value once, and remember in a set that you have met it.",
    ends=False,
)
def topological_order(root):
    order, stack = [], [(root, False)]
    while stack:
        node, ready = stack.pop()
        if not ready:
            stack.append((node, True))
            stack.extend((parent, False) for parent in node.parents)
        elif node not in order:
            order.append(node)
    return order


right("topological_order", "count_the_users", source=USERS)


@right("topological_order", "stack_of_iterators")
def topological_order(root):
    order, seen = [], {id(root)}
    stack = [(root, iter(root.parents))]
    while stack:
        node, rest = stack[-1]
        for parent in rest:
            if id(parent) not in seen:
                seen.add(id(parent))
                stack.append((parent, iter(parent.parents)))
                break
        else:
            order.append(node)
            stack.pop()
    return order


@right("topological_order", "look_before_pop")
def topological_order(root):
    order, done, stack = [], set(), [root]
    while stack:
        node = stack[-1]
        waiting = [parent for parent in node.parents if parent not in done]
        if waiting:
            stack.extend(waiting)
        else:
            stack.pop()
            if node not in done:
                done.add(node)
                order.append(node)
    return order


wrong(
    "topological_order",
    "seen_is_kept",
    "The list is empty. Is `return` inside the loop, which ends after one round then? Or is what an earlier call met still remembered, as in a default `seen=set()`, which is made once? If neither: which line notes a value, and when is it reached?",
    source=changed(WALK, ("(root)", "(root, seen=set())"), ("order, seen, stack = [], set(), [", "order, stack = [], [")),
)


wrong(
    "topological_order",
    "by_number_and_op",
    "p is missing. If you recognise values by number and operation: two different ones may share them, so remember the values themselves. If not: is only one parent of each value followed?",
    source=changed(WALK, ("node not in seen", "(node.data, node.op) not in seen"), ("seen.add(node)", "seen.add((node.data, node.op))")),
)


wrong(
    "topological_order",
    "two_parents_at_most",
    "Only the first two parents of a value are followed. It may have any number of them.",
    source=changed(WALK, ("node.parents)", "node.parents[:2])")),
)


wrong(
    "topological_order",
    "order_is_kept",
    "Values of an earlier call stand in the list. A default such as `order=[]` is made once, and kept: make the list, and the set of what you have met, inside the function.",
    source=changed(WALK, ("(root)", "(root, order=[], seen=set())"), ("order, seen, stack = [], set(), [", "stack = [")),
)


wrong(
    "topological_order",
    "return_in_the_loop",
    "The list is empty. Is `return` inside the loop, which ends after one round then? Or is what an earlier call met still remembered, as in a default `seen=set()`, which is made once? If neither: which line notes a value, and when is it reached?",
    source=changed(WALK, ("    return order", "        return order")),
)


wrong(
    "topological_order",
    "labels",
    "There are texts in the list, such as labels. The Values themselves belong there: the way back writes into their grad.",
    source=changed(WALK, ("order.append(node)", "order.append(node.label)")),
)


@wrong(
    "topological_order",
    "direct_parents",
    "Only the root and its own parents are there, and y is missing, from which p was made. Go on from each parent to its own parents.",
)
def topological_order(root):
    return [*dict.fromkeys(root.parents), root]


wrong(
    "topological_order",
    "passed_over",
    "Only the last value is in the list. Is any parent followed? If you mark values where they go onto the stack, do not pass over them when they come off. If you recognise them by data or label: others may have the same, so remember the values themselves.",
    source=changed(
        WALK,
        ("            stack.extend((parent, False) for parent in node.parents)\n",
         "            for parent in node.parents:\n"
         "                if parent not in seen:\n"
         "                    seen.add(parent)\n"
         "                    stack.append((parent, False))\n"),
    ),
)


wrong(
    "topological_order",
    "asked_at_the_push_alone",
    "A value stands in the list twice: it lay on the stack twice before it was met. Ask whether you have met it when it comes off, too.",
    source=changed(
        AT_THE_PUSH,
        ("{root}", "set()"),
        ("                seen.add(parent)\n", ""),
        ("        stack.append((node, True))", "        seen.add(node)\n        stack.append((node, True))"),
    ),
)


AGAIN = """
def topological_order(root):
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop(0)
        if node in order:
            order.remove(node)
        order.append(node)
        waiting.extend(node.parents)
    return order[::-1]
"""

for name, pop in (("moved_again_and_again", "pop(0)"), ("moved_again_and_again_by_a_stack", "pop()")):
    wrong(
        "topological_order",
        name,
        "This takes too long. Each time that a value is met, all that it was made from is gone through again, and after 59 doublings there are 2 ** 59 ways back. Go on from a value once.",
        ends=False,
        source=changed(AGAIN, ("pop(0)", pop)),
    )


# -- backward ---------------------------------------------------------------------------------------------------------

BACKWARD = """
def backward(order, step):
    for node in order:
        node.grad = 0.0
    order[-1].grad = 1.0
    for node in reversed(order):
        step(node)
"""

wrong(
    "backward",
    "no_seed",
    "Every gradient is 0, the result's own too. Either it never got its 1, or a later line set it back to 0.",
    source=changed(BACKWARD, ("    order[-1].grad = 1.0\n", "")),
)


wrong(
    "backward",
    "skips_the_result",
    "Only the 1 of the result is there. Did it come after the steps, was step not called for the result, or were the others set to 0 on the way or later?",
    source=changed(BACKWARD, ("reversed(order)", "reversed(order[:-1])")),
)


@wrong(
    "backward",
    "zeros_come_last",
    "Only the 1 of the result is there. Did it come after the steps, was step not called for the result, or were the others set to 0 on the way or later?",
)
def backward(order, step):
    order[-1].grad = 1.0
    for node in reversed(order):
        step(node)
    for node in order[:-1]:
        node.grad = 0.0


wrong(
    "backward",
    "seeded_with_data",
    "You began with the result's value. Its derivative by itself is another number.",
    source=changed(BACKWARD, ("= 1.0", "= order[-1].data")),
)


wrong(
    "backward",
    "forwards",
    "Only the result passed its gradient on: all values before it had their turn too early, or not at all. The way back begins at the end.",
    source=changed(BACKWARD, ("reversed(order)", "order")),
)


wrong(
    "backward",
    "seeded_at_the_front",
    "The 1 was put on the first value of the list. The result is the last.",
    source=changed(BACKWARD, ("order[-1]", "order[0]")),
)


wrong(
    "backward",
    "stale",
    "Gradients of an earlier pass are still there, and the new ones were added to them. Begin with zeros.",
    source=changed(BACKWARD, ("    for node in order:\n        node.grad = 0.0\n", "")),
)


wrong(
    "backward",
    "zeros_for_inputs_only",
    "Only the inputs were set to zero. Values in between keep old gradients too, and pass them on.",
    source=changed(BACKWARD, ("        node.grad = 0.0", "        if not node.parents:\n            node.grad = 0.0")),
)


@wrong(
    "backward",
    "zeros_on_the_way",
    "Only the 1 of the result is there. Did it come after the steps, was step not called for the result, or were the others set to 0 on the way or later?",
)
def backward(order, step):
    order[-1].grad = 1.0
    for node in reversed(order):
        if node is not order[-1]:
            node.grad = 0.0
        step(node)


wrong(
    "backward",
    "list_turned_around",
    "After one call the caller's list is turned around, as by order.reverse(), so a second begins at the wrong end. reversed(order) leaves it alone.",
    source=changed(BACKWARD, ("    for node in reversed(order):", "    order.reverse()\n    for node in order:")),
)


wrong(
    "backward",
    "list_used_up",
    "After one call the caller's list is empty, as order.pop() leaves it, so it cannot be used again. Loop over it instead.",
    source=changed(BACKWARD, ("    for node in reversed(order):\n        step(node)", "    while order:\n        step(order.pop())")),
)


wrong(
    "backward",
    "first_left_out",
    "step was not called on the first value of the list. Every value has its turn: look at where your loop ends.",
    source=changed(BACKWARD, ("reversed(order)", "reversed(order[1:])")),
)


wrong(
    "backward",
    "inputs_left_out",
    "step was not called on the inputs. Call it on every value: step itself knows that an input has nobody to pass anything to.",
    source=changed(BACKWARD, ("        step(node)", "        if node.parents:\n            step(node)")),
)


wrong(
    "backward",
    "a_rule_and_no_step",
    "A rule was looked up here, and there is none of that name. backward needs no rules: it calls `step`, which it is given, on every value.",
    source=changed(
        BACKWARD,
        ("        step(node)\n",
         "        if node.op:\n"
         "            for parent, cotangent in zip(node.parents, RULES[node.op](node.grad, node.data, *node.inputs)):\n"
         "                parent.grad += cotangent\n"),
    ),
)


wrong(
    "backward",
    "times_zero",
    "An old gradient that was infinite leaves nan behind, as inf times 0 does. Set each to 0.0, whatever it was.",
    source=changed(BACKWARD, ("= 0.0", "*= 0.0")),
)


wrong(
    "backward",
    "zeros_where_the_result_has_one",
    "What a pass from another result left over is still there: the zeros depend on one gradient, such as the result's own. Set each to 0, whatever the others are.",
    source=changed(
        BACKWARD,
        ("    for node in order:\n        node.grad = 0.0\n",
         "    if order[-1].grad != 0.0:\n"
         "        for node in order:\n"
         "            node.grad = 0.0\n"),
    ),
)


@wrong("backward", "all_begin_with_one", "All values begin with the gradient 1. Only the last one does, by itself; the others begin with 0.")
def backward(order, step):
    for node in order:
        node.grad = 1.0
    for node in reversed(order):
        step(node)


@right("backward", "by_index")
def backward(order, step):
    last = len(order) - 1
    for i in range(len(order)):
        order[i].grad = 1.0 if i == last else 0.0
    for i in range(last, -1, -1):
        step(order[i])


@right("backward", "a_copy_of_the_list")
def backward(order, step):
    waiting = list(order)
    for node in waiting:
        node.grad = 0.0
    waiting[-1].grad += 1.0
    while waiting:
        step(waiting.pop())


wrong(
    "backward",
    "result_keeps_its_own",
    "The result began with more than 1: it kept what it had before, and 1 was added. All gradients are too large by the same factor.",
    source=changed(BACKWARD, ("in order:", "in order[:-1]:"), (".grad = 1.0", ".grad += 1.0")),
)


wrong(
    "backward",
    "inputs_keep_theirs",
    "The inputs kept what an earlier pass left there, and the new gradients were added. Begin with zeros everywhere, inputs too.",
    source=changed(BACKWARD, ("        node.grad = 0.0", "        if node.op:\n            node.grad = 0.0")),
)


wrong(
    "backward",
    "result_taken_out",
    "After one call the result is gone from the caller's list, as order.pop() takes it out. order[-1] looks at it, and leaves it there.",
    source=changed(BACKWARD, ("    order[-1].grad = 1.0\n", "    root = order.pop()\n    root.grad = 1.0\n    step(root)\n")),
)


wrong(
    "backward",
    "sorted",
    "Values cannot be sorted: they know no `<`. The list is in order already, and reversed(order) goes through it from the end.",
    source=changed(BACKWARD, ("reversed(order)", "sorted(order, reverse=True)")),
)


@wrong("backward", "zeros_in_the_loop", "A contribution that came first is gone: grads are set to zero inside the loop, when some have arrived already. Do it once, before the 1 and the loop.")
def backward(order, step):
    order[-1].grad = 1.0
    for node in reversed(order):
        for parent in node.parents:
            parent.grad = 0.0
        step(node)


# -- exp_log_sqrt -----------------------------------------------------------------------------------------------------


@wrong(
    "exp_log_sqrt",
    "exp_power_rule",
    "exp(a) is e to the power a: the variable is in the exponent, so the power rule does not apply.",
)
def exp_vjp(g, out, a):
    return (g * a * math.exp(a - 1),)


@wrong("exp_log_sqrt", "exp_twice", "out is exp(a) already. Taking exp of it applies the function twice.")
def exp_vjp(g, out, a):
    return (g * math.exp(out),)


@wrong("exp_log_sqrt", "exp_no_upstream", "In exp_vjp the slope is right, and g is missing.")
def exp_vjp(g, out, a):
    return (out,)


@wrong("exp_log_sqrt", "log_of_out", "log_vjp divides by out. The slope of log at a is one over its input.")
def log_vjp(g, out, a):
    return (g / out,)


@wrong(
    "exp_log_sqrt",
    "log_like_sqrt",
    "In log_vjp stands the rule of the square root. The slope of log at a is 1 / a.",
)
def log_vjp(g, out, a):
    return (g / (2 * math.sqrt(a)),)


@wrong(
    "exp_log_sqrt",
    "log_base_10",
    "That is the slope of the logarithm to base 10. math.log is the natural one.",
)
def log_vjp(g, out, a):
    return (g / (a * math.log(10)),)


@wrong(
    "exp_log_sqrt",
    "sqrt_of_input",
    "sqrt_vjp divides by 2 * a. The slope of the square root has the root itself there.",
)
def sqrt_vjp(g, out, a):
    return (g / (2 * a),)


@wrong(
    "exp_log_sqrt",
    "sqrt_no_half",
    "In sqrt_vjp the factor one half is missing: a ** 0.5 brings its exponent down.",
)
def sqrt_vjp(g, out, a):
    return (g / out,)


@wrong(
    "exp_log_sqrt",
    "sqrt_times_out",
    "In sqrt_vjp the root is a factor, and it belongs under the line: brackets are missing, as in `g / 2 * out`; or, where you write a power of a, the minus of its exponent, -0.5.",
)
def sqrt_vjp(g, out, a):
    return (g / 2 * out,)


@wrong(
    "exp_log_sqrt",
    "sqrt_same_exponent",
    "In sqrt_vjp the exponent came down as a factor. It also gets lower by one: 0.5 becomes -0.5.",
)
def sqrt_vjp(g, out, a):
    return (g * (0.5 * a) ** 0.5,)


wrong(
    "exp_log_sqrt",
    "no_tuple",
    "The number is right, and a rule returns a tuple of one: write `(x,)`, with the comma.",
    source="""
    def exp_vjp(g, out, a):
        return g * out


    def log_vjp(g, out, a):
        return g / a


    def sqrt_vjp(g, out, a):
        return g / (2 * out)
    """,
)
right(
    "exp_log_sqrt",
    "from_the_input",
    source="""
    def exp_vjp(g, out, a):
        return (g * math.exp(a),)


    def log_vjp(g, out, a):
        return (g * a**-1,)


    def sqrt_vjp(g, out, a):
        return (g * 0.5 * a**-0.5,)
    """,
)
right(
    "exp_log_sqrt",
    "in_steps",
    source="""
    def exp_vjp(g, out, a):
        slope = out
        return (slope * g,)


    def log_vjp(g, out, a):
        slope = 1 / a
        return (slope * g,)


    def sqrt_vjp(g, out, a):
        slope = 0.5 / out
        return (slope * g,)
    """,
)


@wrong(
    "exp_log_sqrt",
    "sqrt_of_the_root",
    "In sqrt_vjp the root is taken twice: out is the root of a already. A root of it, or the exponent -0.5, is one too many.",
)
def sqrt_vjp(g, out, a):
    return (g * 0.5 * out**-0.5,)


@wrong(
    "exp_log_sqrt",
    "log_no_tuple",
    "In log_vjp the tuple is missing: brackets alone make none, but `(x,)`, with the comma, is a tuple of one.",
)
def log_vjp(g, out, a):
    return (g / a)


@wrong(
    "exp_log_sqrt",
    "sqrt_no_tuple",
    "In sqrt_vjp the tuple is missing: brackets alone make none, but `(x,)`, with the comma, is a tuple of one.",
)
def sqrt_vjp(g, out, a):
    return (g / (2 * out))


@wrong(
    "exp_log_sqrt",
    "log_times_log_10",
    "In log_vjp stands a log(10). math.log is the natural logarithm: its slope is 1 / a, with no other factor.",
)
def log_vjp(g, out, a):
    return (g * math.log(10) / a,)


wrong("exp_log_sqrt", "times_the_root", "The root is a factor in sqrt_vjp here, and it belongs under the line: the larger the root, the smaller its slope.", source="""
def exp_vjp(g, out, a):
    return (g * out,)


def log_vjp(g, out, a):
    return (g / a,)


def sqrt_vjp(g, out, a):
    return (g * 0.5 * a**0.5,)
""")


# -- sin_cos ----------------------------------------------------------------------------------------------------------


@wrong(
    "sin_cos", "cos_sign", "The sign of cos_vjp is wrong: just right of 0, is the cosine rising or falling?"
)
def cos_vjp(g, out, a):
    return (g * math.sin(a),)


@wrong("sin_cos", "sin_sign", "The sign of sin_vjp is wrong: just right of 0, is the sine rising or falling?")
def sin_vjp(g, out, a):
    return (-g * math.cos(a),)


@wrong("sin_cos", "of_out", "sin_vjp takes the cosine of out. The slope belongs to the angle, which is a.")
def sin_vjp(g, out, a):
    return (g * math.cos(out),)


@wrong(
    "sin_cos",
    "root_loses_sign",
    "The slope of the sine is negative here. A root, as that of 1 - out**2, or a size loses the sign.",
)
def sin_vjp(g, out, a):
    return (g * math.sqrt(1 - out * out),)


@wrong(
    "sin_cos",
    "not_differentiated",
    "sin_vjp multiplies g by the sine itself. It needs the derivative of the sine.",
)
def sin_vjp(g, out, a):
    return (g * out,)


@wrong("sin_cos", "cos_no_upstream", "In cos_vjp the slope is right, and g is missing.")
def cos_vjp(g, out, a):
    return (-math.sin(a),)


@wrong(
    "sin_cos", "degrees", "math.cos takes radians, and a is in radians already: nothing has to be converted."
)
def sin_vjp(g, out, a):
    return (g * math.cos(math.radians(a)),)


wrong(
    "sin_cos",
    "shifted",
    "A tiny angle is lost in rounding, as where pi is added to it, `% (2 * math.pi)` is taken, or `out` is near 1. Use the sine and the cosine of a itself.",
    source="""
    def sin_vjp(g, out, a):
        return (g * math.sin(a + math.pi / 2),)


    def cos_vjp(g, out, a):
        return (g * math.cos(a + math.pi / 2),)
    """,
)
wrong(
    "sin_cos",
    "turned_into_0_to_2_pi",
    "A tiny angle is lost in rounding, as where pi is added to it, `% (2 * math.pi)` is taken, or `out` is near 1. Use the sine and the cosine of a itself.",
    source="""
    def sin_vjp(g, out, a):
        return (g * math.cos(a % (2 * math.pi)),)


    def cos_vjp(g, out, a):
        return (-g * math.sin(a % (2 * math.pi)),)
    """,
)
wrong(
    "sin_cos",
    "no_tuple",
    "The number is right, and a rule returns a tuple of one: write `(x,)`, with the comma.",
    source="""
    def sin_vjp(g, out, a):
        return g * math.cos(a)


    def cos_vjp(g, out, a):
        return -g * math.sin(a)
    """,
)
right(
    "sin_cos",
    "in_steps",
    source="""
    def sin_vjp(g, out, a):
        slope = math.cos(a)
        return (slope * g,)


    def cos_vjp(g, out, a):
        slope = -1 * math.sin(a)
        return (slope * g,)
    """,
)


wrong(
    "sin_cos",
    "difference_quotient",
    "The slope of the sine has lost its last digits, as those of a difference quotient are lost. It has a formula.",
    source="""
def sin_vjp(g, out, a):
    h = 1e-5
    return (g * (math.sin(a + h) - math.sin(a - h)) / (2 * h),)


def cos_vjp(g, out, a):
    return (-g * math.sin(a),)
""",
)


@wrong("sin_cos", "cosine_of_g", "In sin_vjp the cosine is taken of g. The angle is a, and g is a factor.")
def sin_vjp(g, out, a):
    return (math.cos(g),)


@wrong("sin_cos", "g_inside", "In sin_vjp g stands inside the cosine. The angle is a alone, and g multiplies the slope.")
def sin_vjp(g, out, a):
    return (math.cos(g * a),)


@wrong(
    "sin_cos",
    "cos_loses_the_sign",
    "In cos_vjp the sine has lost its sign, as by abs or by a root. At this angle it is negative.",
)
def cos_vjp(g, out, a):
    return (-g * abs(math.sin(a)),)


wrong(
    "sin_cos",
    "through_the_tangent",
    "At the angle 0 something is divided by 0, as by the sine or by `math.tan(a)`. The slope of the sine needs no division: it is 1 there.",
    source="""
def sin_vjp(g, out, a):
    return (g * out / math.tan(a),)


def cos_vjp(g, out, a):
    return (-g * math.sin(a),)
""",
)


wrong("sin_cos", "last_of_the_loop", "sin_vjp gives the slope of the cosine here. Are the two exchanged? Or were both made in a loop: a lambda looks a name up when it is called, and finds what the loop had last.", source="""
def minus_sin(a):
    return -math.sin(a)


both = []
for slope in (math.cos, minus_sin):
    both.append(lambda g, out, a: (g * slope(a),))
sin_vjp, cos_vjp = both
""")


@wrong("sin_cos", "no_comma", "In cos_vjp the number is right, and the tuple is missing: `(x,)`, with the comma, is a tuple of one.")
def cos_vjp(g, out, a):
    return -g * math.sin(a)


# -- relu_vjp ---------------------------------------------------------------------------------------------------------


@wrong(
    "relu_vjp",
    "at_zero",
    "g passes at 0, where we agreed on the slope 0. Look at the comparison.",
)
def relu_vjp(g, out, a):
    return (g if a >= 0 else 0.0,)


@wrong(
    "relu_vjp", "no_upstream", "This is the slope of relu, 1 where a is positive. The chain rule multiplies it by g."
)
def relu_vjp(g, out, a):
    return (1.0 if a > 0 else 0.0,)


@wrong(
    "relu_vjp",
    "times_value",
    "You multiplied g by relu's value. Where a is positive the slope is 1, however large a is.",
)
def relu_vjp(g, out, a):
    return (g * out,)


@wrong("relu_vjp", "passes_all", "g goes through where a is negative. relu is flat there, and nothing may pass.")
def relu_vjp(g, out, a):
    return (g,)


@wrong("relu_vjp", "tests_g", "You tested the sign of g. Whether relu is flat depends on a.")
def relu_vjp(g, out, a):
    return (g if g > 0 else 0.0,)


@wrong("relu_vjp", "relu_of_g", "You stopped negative g as well. Only the sign of a decides what passes.")
def relu_vjp(g, out, a):
    return (max(g, 0.0) if a > 0 else 0.0,)


@wrong(
    "relu_vjp",
    "leaky",
    "A small slope for negative a is the leaky relu, another function. relu is flat there.",
)
def relu_vjp(g, out, a):
    return (g if a > 0 else 0.01 * g,)


@wrong(
    "relu_vjp",
    "compares_with_one",
    "g does not pass as it is where a is 0.5. relu copies every positive number, small ones too: is a compared with 0, and the right way round, and what is given there?",
)
def relu_vjp(g, out, a):
    return (g if a > 1 else 0.0,)


@wrong("relu_vjp", "no_tuple", "The number is right, and a rule returns a tuple of one: write `(x,)`, with the comma.")
def relu_vjp(g, out, a):
    return g if a > 0 else 0.0


@right("relu_vjp", "as_factor")
def relu_vjp(g, out, a):
    return ((a > 0) * g,)


@right("relu_vjp", "through_out")
def relu_vjp(g, out, a):
    if out == 0:
        return (0.0,)
    return (g,)

@wrong("relu_vjp", "its_value", "That is relu's own number. What comes back is asked for: g where a is positive.")
def relu_vjp(g, out, a):
    return (out,)


@wrong(
    "relu_vjp",
    "like_the_absolute_value",
    "Where a is negative you passed -g, as for the absolute value. relu is flat there: nothing passes.",
)
def relu_vjp(g, out, a):
    return (g if a > 0 else -g,)


@wrong("relu_vjp", "by_a_division", "a may be 0, and a division by it ends there. Ask whether a is positive.")
def relu_vjp(g, out, a):
    return (g / a * out,)


@wrong("relu_vjp", "tuple_in_a_tuple", "A tuple stands in the tuple. One pair of brackets with one comma is enough: `(g,)`.")
def relu_vjp(g, out, a):
    passes = (g,) if a > 0 else 0.0
    return (passes,)


@wrong("relu_vjp", "times_before_larger", "The result is True or False here: `*` binds more tightly than `>`, so the product is compared with 0. Put the comparison into brackets.")
def relu_vjp(g, out, a):
    return (g * a > 0,)


# -- derived ----------------------------------------------------------------------------------------------------------


@wrong(
    "derived", "sub_the_other_way", "sub subtracts the first from the second. Which of them gets the minus?"
)
def sub(a, b):
    return b + a * -1


@wrong(
    "derived",
    "div_the_other_way",
    "div divides the second by the first. Which of them belongs under the line?",
)
def div(a, b):
    return b * a**-1


@wrong(
    "derived",
    "minus_inside_neg",
    "A minus or a slash beside a Value calls one of these functions again, and so it may come back to this line, without end. Use a product.",
)
def neg(a):
    return -a


@wrong(
    "derived",
    "zero_less_a",
    "A minus or a slash beside a Value calls one of these functions again, and so it may come back to this line, without end. Use a product.",
)
def neg(a):
    return 0 - a


NO_SUB = "A minus or a slash beside a Value calls one of these functions again, and so it may come back to this line, without end. Use a sum and a product."


@wrong("derived", "minus_inside_sub", NO_SUB)
def sub(a, b):
    return a - b


@wrong("derived", "slash_inside_sub", NO_SUB)
def sub(a, b):
    return a + b / -1


@wrong(
    "derived",
    "slash_inside_div",
    "A minus or a slash beside a Value calls one of these functions again, and so it may come back to this line, without end. Use a product and a power.",
)
def div(a, b):
    return a / b


@wrong(
    "derived",
    "out_of_the_graph",
    "`.data` takes the number out of the graph: no gradient comes back through it. Compute with the Values themselves.",
)
def sub(a, b):
    return Value(a.data - b.data)


@wrong(
    "derived",
    "div_out_of_the_graph",
    "div takes a number out of the graph with .data, so no gradient comes back through it.",
)
def div(a, b):
    return a * (1 / b.data)


@wrong(
    "derived",
    "neg_out_of_the_graph",
    "neg takes the number out of the graph with .data, so no gradient comes back through it. Compute with the Value itself.",
)
def neg(a):
    return Value(a.data * -1)


@wrong(
    "derived",
    "sub_negates_both",
    "sub gives a number with both signs turned around: -a - b. Only the second gets the minus.",
)
def sub(a, b):
    return neg(a) + neg(b)


@wrong("derived", "sub_by_power", "sub adds one over b: a power of -1 is no minus. Minus b is a multiple of b, and `neg` makes it.")
def sub(a, b):
    return a + b**-1


@wrong("derived", "neg_inverts", "a ** -1 is one over a. Minus a is a multiple of a.")
def neg(a):
    return a**-1


@wrong(
    "derived",
    "div_without_power",
    "div multiplies by minus b. Dividing is multiplying with the power -1 of b.",
)
def div(a, b):
    return a * (b * -1)


@wrong(
    "derived",
    "value_for_an_exponent",
    "In div the exponent is a Value, as b is one. `**` takes a plain number there: b to the power -1, times a.",
)
def div(a, b):
    return a * b ** Value(-1.0)


@wrong(
    "derived",
    "recorded_as_minus",
    "There is no rule for the operation that sub records, so nothing could come back through it. Record only +, * and **.",
)
def sub(a, b):
    return record("-", (a, b))


@wrong("derived", "never_by_zero", "For a b near 0 the quotient is off. Let b be the number that it is.")
def div(a, b):
    return a * (b + 1e-9) ** -1


@wrong(
    "derived",
    "by_its_square",
    "For a very small b the quotient fails: the square of b is too small for a float, and counts as 0. Take the power -1 of b itself.",
)
def div(a, b):
    return a * b * (b**2) ** -1


right(
    "derived",
    "recorded_directly",
    source="""
    def neg(a):
        return record("*", (a, Value(-1.0)))


    def sub(a, b):
        return record("+", (a, neg(b)))


    def div(a, b):
        return record("*", (a, record("**", (b,), (-1,))))
    """,
)
right(
    "derived",
    "one_from_the_other",
    source="""
    def neg(a):
        return -1.0 * a


    def sub(a, b):
        return a + neg(b)


    def div(a, b):
        return b ** -1.0 * a
    """,
)
right(
    "derived",
    "with_constants_as_values",
    source="""
    def neg(a):
        return Value(-1.0) * a


    def sub(a, b):
        return (b * Value(-1.0)) + a


    def div(a, b):
        return a * pow(b, -1)
    """,
)


@wrong(
    "derived",
    "sub_by_a_root",
    "The root of a square is never negative, and so sub loses the sign: a - b is negative where b is the larger one.",
)
def sub(a, b):
    return ((a + neg(b)) ** 2) ** 0.5


@wrong(
    "derived",
    "div_by_a_root",
    "A power of the square of b knows nothing of its sign, and so div loses it: b may be negative.",
)
def div(a, b):
    return a * (b**2) ** -0.5


@wrong(
    "derived",
    "div_brackets",
    "div gives one over the product. With brackets around a * b the power takes both, and only b belongs under the line.",
)
def div(a, b):
    return (a * b) ** -1


wrong("derived", "neg_writes_into_a", "neg writes into the caller's a and returns it: a has another number then, and nothing is recorded, so the minus is missing on the way back. Return a new Value.", source="""
def neg(a):
    a.data = a.data * -1
    return a


def sub(a, b):
    return a + b * -1


def div(a, b):
    return a * b**-1
""")


# -- Scalar -----------------------------------------------------------------------------------------------------------

LARGEST_DEPTH = """
    class Scalar(Scalar):
        def backward(self):
            grads = {self: 1.0}
            while grads:
                node = max(grads, key=lambda node: node.depth)
                node.grad = grads.pop(node)
                for x, slope in node.made_from:
                    grads[x] = grads.get(x, 0.0) + slope * node.grad
    """

wrong(
    "Scalar",
    "overwrites",
    "A value that is used twice has kept one of its two contributions. They add up: is there `=` for `+=`, or did it have its turn before both had come?",
    source=changed(LARGEST_DEPTH, ("grads.get(x, 0.0) + slope", "slope")),
)
wrong(
    "Scalar",
    "no_seed",
    "Every gradient is 0, that of out too. Either it never got its 1, from which all others are made, or a later line set it back to 0.",
    source=changed(LARGEST_DEPTH, ("{self: 1.0}", "{self: 0.0}")),
)
wrong(
    "Scalar",
    "stale",
    "Right at the first call of backward. At the next one, old gradients are still there, and the new ones are added to them.",
    source=changed(
        LARGEST_DEPTH,
        ("node.grad = grads.pop(node)", "g = grads.pop(node)\n                node.grad += g"),
        ("slope * node.grad", "slope * g"),
    ),
)
wrong(
    "Scalar",
    "recursion",
    "Your backward calls itself, or a function that does, once for each step back. 10,000 calls in calls are too many, and the check holds Python to its usual 1,000: keep a list of what is to do.",
    source="""
    class Scalar(Scalar):
        def backward(self):
            order = []

            def visit(node):
                if node not in order:
                    for x, slope in node.made_from:
                        visit(x)
                    order.append(node)

            visit(self)
            for node in order:
                node.grad = 0.0
            self.grad = 1.0
            for node in reversed(order):
                for x, slope in node.made_from:
                    x.grad += slope * node.grad
    """,
)
wrong(
    "Scalar",
    "path_by_path",
    "This takes too long, or never ends. After 60 doublings there are 2 ** 60 ways back: add up first, then pass on once. And of 10,000 values, do not search a list for each.",
    ends=False,
    source="""
    class Scalar(Scalar):
        def backward(self):
            found = [self]
            for node in found:
                node.grad = 0.0
                found += [x for x, slope in dict(node.made_from).items() if x not in found]
            waiting = [(self, 1.0)]
            while waiting:
                node, g = waiting.pop()
                node.grad += g
                waiting += [(x, slope * g) for x, slope in node.made_from]
    """,
)
wrong(
    "Scalar",
    "first_come",
    "A value has its turn as soon as it is met, though more is still to come. It may go when all that was made from it has gone.",
    source="""
    class Scalar(Scalar):
        def backward(self):
            order = [self]
            for node in order:
                node.grad = 0.0
                for x, slope in node.made_from:
                    if x not in order:
                        order.append(x)
            self.grad = 1.0
            for node in order:
                for x, slope in node.made_from:
                    x.grad += slope * node.grad
    """,
)
wrong(
    "Scalar",
    "power_kept",
    "In the slope of x ** n the exponent came down as a factor. It also gets lower by one.",
    source="""
    class Scalar(Scalar):
        def __pow__(self, n):
            return Scalar(self.data**n, (self, n * self.data**n))
    """,
)
wrong(
    "Scalar",
    "power_without_n",
    "In the slope of x ** n the factor n is missing.",
    source="""
    class Scalar(Scalar):
        def __pow__(self, n):
            return Scalar(self.data**n, (self, self.data ** (n - 1)))
    """,
)
wrong(
    "Scalar",
    "power_in_a_loop",
    "A power that is multiplied out in a loop knows positive whole exponents only. An exponent may be -1 or 0.5, too: `**` on plain numbers knows them all.",
    source="""
    class Scalar(Scalar):
        def __pow__(self, n):
            out = 1.0
            for _ in range(n):
                out = out * self.data
            slope = float(n)
            for _ in range(n - 1):
                slope = slope * self.data
            return Scalar(out, (self, slope))
    """,
)
wrong(
    "Scalar",
    "own_number",
    "In your product each one's slope is its own number. x * y rises with x as fast as y says.",
    source="""
    class Scalar(Scalar):
        def __mul__(self, other):
            return Scalar(self.data * other.data, (self, self.data), (other, other.data))
    """,
)
wrong(
    "Scalar",
    "one_step",
    "Nothing has come to x and y. Does out alone pass its gradient on, or no value? Each does, to what it was made from itself, when all that was made from it has gone and its own gradient is set.",
    source="""
    class Scalar(Scalar):
        def backward(self):
            for x, slope in self.made_from:
                x.grad = 0.0
            for x, slope in self.made_from:
                x.grad += slope
            self.grad = 1.0
    """,
)
wrong(
    "Scalar",
    "inputs_only",
    "x and y are right, and out has no gradient: its derivative by itself is 1. All that out was made from, and out, keep theirs.",
    source="""
    class Scalar(Scalar):
        def backward(self):
            super().backward()
            waiting = [self]
            for node in waiting:
                if node.made_from:
                    node.grad = 0.0
                waiting += [x for x, slope in dict(node.made_from).items() if x not in waiting]
    """,
)
wrong(
    "Scalar",
    "out_has_none",
    "x and y are right, and out has no gradient: its derivative by itself is 1. All that out was made from, and out, keep theirs.",
    source="""
    class Scalar(Scalar):
        def backward(self):
            super().backward()
            self.grad = 0.0
    """,
)
wrong(
    "Scalar",
    "seeded_with_data",
    "The way back began with the number of out. The derivative of out by itself is 1.",
    source=changed(LARGEST_DEPTH, ("{self: 1.0}", "{self: self.data}")),
)
wrong(
    "Scalar",
    "no_grad_at_first",
    "A Scalar that is no part of out should keep the gradient 0.0 that it has at first, and yours has none.",
    source="""
    class Scalar(Scalar):
        def __init__(self, data, *more):
            super().__init__(data, *more)
            self.grad = None
    """,
)
wrong(
    "Scalar",
    "plain_numbers",
    "A sum is a plain number here, which does not know what it was made from: return a Scalar.",
    source="""
    class Scalar(Scalar):
        def __add__(self, other):
            return self.data + other.data
    """,
)
wrong(
    "Scalar",
    "once_for_both",
    "A part of the gradient of p is lost. In p * p both factors get theirs; and two Scalars that hold the same number, as x and p do here, are not one.",
    source="""
    class Scalar(Scalar):
        def __init__(self, data, *more):
            super().__init__(data, *dict(more).items())
    """,
)


wrong(
    "Scalar",
    "equal_numbers",
    "Two Scalars that hold the same number are taken for one. Tell them apart as the objects that they are.",
    source="""
    class Scalar(Scalar):
        def __eq__(self, other):
            return self.data == other.data

        def __hash__(self):
            return hash(self.data)
    """,
)
wrong(
    "Scalar",
    "power_by_division",
    "The slope of x ** n is made by a division by x, and x can be 0. Write it as a power with an exponent one lower.",
    source="""
    class Scalar(Scalar):
        def __pow__(self, n):
            out = self.data**n
            return Scalar(out, (self, n * out / self.data))
    """,
)
wrong(
    "Scalar",
    "found_first",
    "x gets -18 here, and not -6: p had its turn too early, before all that was made from it had gone.",
    source="""
    class Scalar(Scalar):
        def backward(self):
            order, seen, stack = [], set(), [self]
            while stack:
                node = stack.pop()
                if node not in seen:
                    seen.add(node)
                    order.append(node)
                    node.grad = 0.0
                    stack.extend(x for x, slope in node.made_from)
            self.grad = 1.0
            for node in order:
                for x, slope in node.made_from:
                    x.grad += slope * node.grad
    """,
)


CLOSURES = """
    class Scalar:
        def __init__(self, data, *parents):
            self.data, self.grad, self.parents = data, 0.0, parents
            self.step = lambda: None

        def __add__(self, other):
            out = Scalar(self.data + other.data, self, other)

            def step():
                self.grad += out.grad
                other.grad += out.grad

            out.step = step
            return out

        def __mul__(self, other):
            out = Scalar(self.data * other.data, self, other)

            def step():
                self.grad += other.data * out.grad
                other.grad += self.data * out.grad

            out.step = step
            return out

        def __pow__(self, n):
            out = Scalar(self.data**n, self)

            def step():
                self.grad += n * self.data ** (n - 1) * out.grad

            out.step = step
            return out

        def backward(self):
            order, seen, stack = [], set(), [(self, False)]
            while stack:
                node, ready = stack.pop()
                if ready:
                    order.append(node)
                elif node not in seen:
                    seen.add(node)
                    stack.append((node, True))
                    stack.extend((parent, False) for parent in node.parents)
            for node in order:
                node.grad = 0.0
            self.grad = 1.0
            for node in reversed(order):
                node.step()
    """

right("Scalar", "closures", source=CLOSURES)
for name, seed in (("closures_that_never_forget", "= 1.0"), ("closures_that_add_the_seed", "+= 1.0")):
    wrong(
        "Scalar",
        name,
        "Right at the first call of backward. At the next one, old gradients are still there, those of the values between too, which pass them on. Begin with zeros everywhere.",
        source=changed(
            CLOSURES,
            ("            for node in order:\n                node.grad = 0.0\n", ""),
            ("self.grad = 1.0", f"self.grad {seed}"),
        ),
    )
wrong(
    "Scalar",
    "nothing_from_an_input",
    "backward was called on x itself, and x.grad is not 1: of a value by itself, the derivative is 1, also where it was made from nothing.",
    source=changed(CLOSURES, ("order, seen, stack = [], set(), [(self, False)]", "order, seen, stack = [], set(), [(self, False)] * bool(self.parents)"),
                   ("            self.grad = 1.0\n", "            self.grad = 1.0 if order else 0.0\n")),
)
wrong(
    "Scalar",
    "inputs_keep_theirs",
    "Right at the first call of backward. At the next one some gradients are still there, and the new ones are added: all values from which this one was made begin with 0, inputs as well as those in between.",
    source=changed(CLOSURES, ("                node.grad = 0.0\n", "                node.grad = 0.0 if node.parents else node.grad\n")),
)
wrong(
    "Scalar",
    "slopes_alone",
    "p gets 3 here, the sum of the bare slopes, and not -2. What a value passes on is the slope times the gradient that has arrived at it.",
    source=changed(
        CLOSURES,
        ("self.grad += out.grad", "self.grad += 1.0"),
        ("other.grad += out.grad", "other.grad += 1.0"),
        (" * out.grad", ""),
    ),
)
wrong(
    "Scalar",
    "sums_are_values",
    "`out` is a Value, and no Scalar: your class has inherited operators from Value, or it calls `record`, and these make Values. Its own operators have to make Scalars.",
    source="""
    class Scalar(Value):
        def __add__(self, other):
            return Value(self.data + other.data, "+", (self, other))

        def __mul__(self, other):
            return Scalar(self.data * other.data, "*", (self, other))

        def backward(self):
            backpropagate(self)
    """,
)
TAPE = """
    class Scalar:
        tape = []

        def __init__(self, data, *pairs):
            self.data, self.grad, self.pairs = data, 0.0, pairs
            self.tape.append(self)

        def __add__(self, other):
            return Scalar(self.data + other.data, (self, 1.0), (other, 1.0))

        def __mul__(self, other):
            return Scalar(self.data * other.data, (self, other.data), (other, self.data))

        def __pow__(self, n):
            return Scalar(self.data**n, (self, n * self.data ** (n - 1)))

        def backward(self):"""
wrong(
    "Scalar",
    "one_tape_for_all",
    "backward has changed the grad of q, and out was not made from q. Do not go through all values that ever were, or those made from x: go through those that lead to out.",
    source=TAPE + """
            for node in self.tape:
                node.grad = 0.0
            self.grad = 1.0
            for node in reversed(self.tape):
                for x, slope in node.pairs:
                    x.grad += slope * node.grad
    """,
)
right(
    "Scalar",
    "a_tape",
    source=TAPE + """
            grads = {self: 1.0}
            for node in reversed(self.tape):
                if node in grads:
                    node.grad = grads[node]
                    for x, slope in node.pairs:
                        grads[x] = grads.get(x, 0.0) + slope * node.grad
    """,
)


wrong(
    "Scalar",
    "zero_stops",
    "A value whose gradient is 0 stops here, and what it was made from keeps its old gradient: 0 is to be set as well.",
    source="""
class Scalar:
    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self.slopes, self.grad = data, parents, slopes, 0.0

    def __add__(self, other):
        return Scalar(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Scalar(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Scalar(self.data**n, (self,), (n * self.data ** (n - 1) if n else 0.0,))

    def order(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((parent, False) for parent in node.parents)
        return order

    def backward(self):
        started = {self}
        self.grad = 1.0
        for node in reversed(self.order()):
            if node.grad == 0:
                continue
            for parent, slope in zip(node.parents, node.slopes):
                if parent not in started:
                    started.add(parent)
                    parent.grad = 0.0
                parent.grad += slope * node.grad
""",
)


for name, first in (
    ("once_only", 'if hasattr(self, "ran"):\n                return\n            self.ran = True'),
    ("once_only_by_grad", "if self.grad == 1.0:\n                return"),
):
    wrong(
        "Scalar",
        name,
        "backward was called on p once more, after out, and did nothing: x keeps the gradient of out. Each call sets all grads anew, whatever was called before.",
        source=changed(CLOSURES, ("            order, seen, stack =", f"            {first}\n            order, seen, stack =")),
    )
wrong(
    "Scalar",
    "zero_ends_it",
    "x gets nothing here: the way back ended at r, whose gradient is 0. Others still wait for their turn: `return` ends the whole loop.",
    source=changed(CLOSURES, ("                node.step()", "                if node.grad == 0:\n                    return\n                node.step()")),
)
wrong(
    "Scalar",
    "sum_of_a_set",
    "In x + x both terms are one Scalar, and a set or a dict keeps it once. Keep the two in a tuple: each gets its contribution.",
    source="""
    class Scalar(Scalar):
        def __add__(self, other):
            return Scalar(self.data + other.data, *((x, 1.0) for x in {self, other}))
    """,
)
wrong(
    "Scalar",
    "power_without_brackets",
    "In the slope of x ** n, `n - 1` needs brackets: without them 1 is taken from the power.",
    source="""
    class Scalar(Scalar):
        def __pow__(self, n):
            return Scalar(self.data**n, (self, n * self.data ** n - 1))
    """,
)
wrong(
    "Scalar",
    "other_for_both",
    "In your product both slopes are y. x * y rises with x as fast as y says, and with y as fast as x says.",
    source="""
    class Scalar(Scalar):
        def __mul__(self, other):
            return Scalar(self.data * other.data, (self, other.data), (other, other.data))
    """,
)
MEETS_A_NUMBER = "A Scalar meets a plain number here. Does one of your operators give a number, where a Scalar is to come back? Or are the slopes Scalars? They are numbers: other.data, and not other."
wrong(
    "Scalar",
    "slopes_are_scalars",
    MEETS_A_NUMBER,
    source="""
    class Scalar(Scalar):
        def __mul__(self, other):
            return Scalar(self.data * other.data, (self, other), (other, self))
    """,
)
wrong(
    "Scalar",
    "power_is_a_number",
    MEETS_A_NUMBER,
    source="""
    class Scalar(Scalar):
        def __pow__(self, n):
            return self.data**n
    """,
)
wrong(
    "Scalar",
    "sum_changes_x",
    "`+` changes x itself here. Leave both terms as they are, and return a new Scalar with their sum.",
    source="""
    class Scalar(Scalar):
        def __add__(self, other):
            self.data = self.data + other.data
            return self
    """,
)


wrong(
    "Scalar",
    "times_zero",
    "An old gradient that was infinite leaves nan behind, as inf times 0 and inf minus inf do. Set each to 0.0, whatever it was.",
    source=changed(LARGEST_DEPTH, ("node.grad = grads.pop(node)", "node.grad = 0.0 * node.grad + grads.pop(node)")),
)


wrong(
    "Scalar",
    "tiny_is_zero",
    "A tiny gradient counts as 0 here, or is rounded, and what comes before it gets nothing. Pass on whatever has arrived.",
    source=changed(
        LARGEST_DEPTH,
        ("grads[x] = grads.get(x, 0.0) + slope * node.grad", "grads[x] = grads.get(x, 0.0) + slope * (node.grad if abs(node.grad) > 1e-12 else 0.0)"),
    ),
)


wrong("Scalar", "parents_walked_once", "The first call is right, and the second brings nothing to x and y. A zip, a map or a generator can be walked along once, and is empty then: keep a tuple. Or does a value remember that it was done?", source="""
class Scalar:
    def __init__(self, data, parents=(), slopes=()):
        self.data, self.grad = data, 0.0
        self.parents = parents
        self.edges = zip(parents, slopes)

    def __add__(self, other):
        return Scalar(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Scalar(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Scalar(self.data**n, (self,), (n * self.data ** (n - 1),))

    def backward(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((parent, False) for parent in node.parents)
        for node in order:
            node.grad = 0.0
        self.grad = 1.0
        for node in reversed(order):
            for parent, slope in node.edges:
                parent.grad += slope * node.grad
""")


# -- mended_rules -----------------------------------------------------------------------------------------------------

MENDED = """
def mended_rules():
    return {
        "cube": lambda g, out, a: (3 * g * a * a,),
        "absolute": lambda g, out, a: (g if a > 0 else -g,),
        "divide": lambda g, out, a, b: (g / b, -g * a / b**2),
    }
"""

wrong(
    "mended_rules",
    "the_loop_s_last_slope",
    "The rules that were made in the loop all have the slope of its last round: such a function looks its names up when it is called. Hand them in: `lambda g, out, a, slope=slope: ...`.",
    source="""
def mended_rules():
    rules = {}
    for name, slope in {"cube": lambda a: 3 * a * a, "absolute": lambda a: 1.0 if a > 0 else -1.0}.items():
        rules[name] = lambda g, out, a: (g * slope(a),)
    rules["divide"] = lambda g, out, a, b: (g / b, -g * a / b**2)
    return rules
""",
)

wrong(
    "mended_rules",
    "two_of_three",
    "You found two. The third is right for every positive number: test at negative ones.",
    source=changed(MENDED, ('        "absolute": lambda g, out, a: (g if a > 0 else -g,),\n', "")),
)


wrong(
    "mended_rules",
    "mends_what_is_right",
    "One of your three is a rule that was right. Its formula is unusual, but rule_error gives 0 everywhere.",
    source=changed(MENDED, ('"absolute"', '"softplus"'), ("g if a > 0 else -g", "g / (1 + math.exp(-a))")),
)


@wrong(
    "mended_rules",
    "all_six",
    "You returned a rule for each of the six. Return those that were wrong, and no other.",
)
def mended_rules():
    return {
        "cube": lambda g, out, a: (3 * g * a * a,),
        "softplus": lambda g, out, a: (g / (1 + math.exp(-a)),),
        "absolute": lambda g, out, a: (g if a > 0 else -g,),
        "gauss": lambda g, out, a: (-2 * g * a * out,),
        "divide": lambda g, out, a, b: (g / b, -g * a / b**2),
        "hypot": lambda g, out, a, b: (g * a / out, g * b / out),
    }


wrong(
    "mended_rules",
    "divide_sign",
    "In your rule for divide, b has lost its minus: when b grows, a / b falls.",
    source=changed(MENDED, ("-g * a", "g * a")),
)


wrong(
    "mended_rules",
    "absolute_through_out",
    "Your rule for absolute passes g on unchanged where a is negative, as the colleague's does. If it asks for the sign of out: that is never negative. Ask the input.",
    source=changed(MENDED, ("if a > 0", "if out > 0")),
)


wrong(
    "mended_rules",
    "absolute_like_relu",
    "Your rule for absolute passes nothing where a is negative, like relu. There the absolute value falls with slope -1.",
    source=changed(MENDED, ("else -g", "else 0.0")),
)


wrong(
    "mended_rules",
    "cube_with_out",
    "Your rule for cube multiplies by the cube itself. The power has to go down by one.",
    source=changed(MENDED, ("3 * g * a * a", "3 * g * out")),
)


@wrong(
    "mended_rules", "the_old_ones", "Your rule for absolute passes g on unchanged where a is negative, as the colleague's does. If it asks for the sign of out: that is never negative. Ask the input."
)
def mended_rules():
    return {name: CONTRIBUTED[name][1] for name in ("cube", "absolute", "divide")}


@wrong(
    "mended_rules",
    "no_dict",
    "You returned a list. Asked for is a dict: each name, as in CONTRIBUTED, with its rule.",
)
def mended_rules():
    return [
        lambda g, out, a: (3 * g * a * a,),
        lambda g, out, a: (g if a > 0 else -g,),
        lambda g, out, a, b: (g / b, -g * a / b**2),
    ]


wrong(
    "mended_rules",
    "divide_missed",
    "You found two. The third is right wherever b is 1: test with another b.",
    source=changed(MENDED, ('        "divide": lambda g, out, a, b: (g / b, -g * a / b**2),\n', "")),
)


wrong(
    "mended_rules",
    "copysign",
    "Your rule for absolute gives the same for g = 10 and for g = -10, where a is positive: the sign of g is lost. Multiply g, with its sign, by the slope.",
    source=changed(MENDED, ("g if a > 0 else -g", "math.copysign(g, a)")),
)


wrong(
    "mended_rules",
    "absolute_of_g",
    "Your rule for absolute gives the same for g = 10 and for g = -10, where a is positive: the sign of g is lost. Multiply g, with its sign, by the slope.",
    source=changed(MENDED, ("g if a > 0 else -g", "abs(g)")),
)


wrong(
    "mended_rules",
    "absolute_turned_around",
    "Your rule for absolute gives -g where a is positive, and the slope is 1 there. Have two cases changed places, or is there one alone?",
    source=changed(MENDED, ("g if a > 0 else -g", "-g")),
)


@right("mended_rules", "through_out")
def mended_rules():
    mended = {}
    mended["cube"] = lambda g, out, a: (3 * g * a**2,)
    mended["absolute"] = lambda g, out, a: (g * out / a,)
    mended["divide"] = lambda g, out, a, b: (g / b, -g * out / b)
    return mended


@right("mended_rules", "with_def")
def mended_rules():
    def cube(g, out, a):
        return (g * 3 * a * a,)

    def absolute(g, out, a):
        return (math.copysign(1.0, a) * g,)

    def divide(g, out, a, b):
        return g * b**-1, g * a * -(b**-2)

    return dict(divide=divide, cube=cube, absolute=absolute)


wrong(
    "mended_rules",
    "divide_through_out",
    "A division by a ends where a is 0, as in out / a, which is 0 / 0 there. The slopes of a / b have b alone under the line.",
    source=changed(MENDED, ("(g / b, -g * a / b**2)", "(g * out / a, -g * out / b)")),
)


wrong(
    "mended_rules",
    "divide_by_a_size",
    "Your rule for divide has the wrong sign where b is negative, as where `abs(b)` is in it. Whatever the sign of b, its square is positive.",
    source=changed(MENDED, ("b**2", "(b * abs(b))")),
)


wrong(
    "mended_rules",
    "cube_with_a_size",
    "Your rule for cube has the wrong sign where a is negative, as where `abs(a)` is in it. The cube rises there, too.",
    source=changed(MENDED, ("a * a", "a * abs(a)")),
)


for names in (("absolute",), ("absolute", "cube"), ("absolute", "divide")):
    wrong(
        "mended_rules",
        "_".join(names) + "_as_it_was",
        "Your rule for absolute passes g on unchanged where a is negative, as the colleague's does. If it asks for the sign of out: that is never negative. Ask the input.",
        source=changed(MENDED, ("g if a > 0 else -g", "g")) + f"""

_three = mended_rules


def mended_rules():
    return {{name: rule for name, rule in _three().items() if name in {names}}}
""",
    )


wrong(
    "mended_rules",
    "cube_missed",
    "You found two. The third is right where a is 1, since 1 is its own square: test at another number.",
    source=changed(MENDED, ('        "cube": lambda g, out, a: (3 * g * a * a,),\n', "")),
)


wrong(
    "mended_rules",
    "cube_without_g",
    "In your rule for cube the slope is right, and g is missing.",
    source=changed(MENDED, ("3 * g * a * a", "3 * a * a")),
)


wrong(
    "mended_rules",
    "absolute_times_a",
    "Your rule for absolute multiplies by a. The slope is 1 or -1, however large a is.",
    source=changed(MENDED, ("g if a > 0 else -g", "g * a")),
)


wrong(
    "mended_rules",
    "divide_by_out_and_its_square",
    "In your rule for divide, b is once too often under the line of the second: two are right beneath a, and one beneath out, which holds one / b already.",
    source=changed(MENDED, ("-g * a / b**2", "-g * out / b**2")),
)


wrong(
    "mended_rules",
    "divide_without_brackets",
    "In your rule for divide, brackets are missing: `/ b * b` divides by b and multiplies by it again. Write / (b * b).",
    source=changed(MENDED, ("/ b**2", "/ b * b")),
)


wrong(
    "mended_rules",
    "divide_exchanged",
    "Your rule for divide gives the right numbers in the wrong order: first the cotangent of a, then that of b.",
    source=changed(MENDED, ("(g / b, -g * a / b**2)", "(-g * a / b**2, g / b)")),
)


@wrong("mended_rules", "a_power_too_many", "In the rule of cube `a` has one power too many: the slope of a³ is 3a².")
def mended_rules():
    return {
        "cube": lambda g, out, a: (3 * g * a**3,),
        "absolute": lambda g, out, a: (g if a > 0 else -g,),
        "divide": lambda g, out, a, b: (g / b, -g * a / b**2),
    }
