"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 12_graph_life`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, Tensor, owner, Node) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong


# -- bytes_kept -------------------------------------------------------------------------------------------------------

KEPT = """
def bytes_kept(tensors):
    owners, seen, stack = {}, set(), list(tensors)
    while stack:
        thing = stack.pop()
        if thing is None or id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, Tensor):
            arrays, behind = [thing.data], [thing.grad_fn]
        else:
            arrays, behind = thing.saved or (), thing.parents
        stack += behind
        found = [owner(array) for array in arrays if isinstance(array, np.ndarray)]
        owners.update({id(array): array.nbytes for array in found})
    return sum(owners.values())
"""
EACH = "        owners.update({id(array): array.nbytes for array in found})\n"
VIEWS = changed(KEPT, ("owner(array) for", "array for"))

wrong("bytes_kept", "own_only", "Only the tensors' own arrays are counted. Their nodes hold more: follow `grad_fn`.",
      source=changed(KEPT, ("[thing.grad_fn]", "[]")))
for _name, _source in (
    ("views_by_their_size", VIEWS),
    ("owner_with_the_last_view_s_size", changed(VIEWS, (EACH, "        for a in found:\n            owners.update({id(owner(a)): a.nbytes})\n"))),
    ("owner_with_the_first_view_s_size", changed(VIEWS, (EACH, "        for a in found:\n            owners.setdefault(id(owner(a)), a.nbytes)\n"))),
    ("owner_with_the_largest_view_s_size", changed(VIEWS, (EACH, "        for a in found:\n            owners.update({id(owner(a)): max(a.nbytes, owners.get(id(owner(a)), 0))})\n"))),
):
    wrong("bytes_kept", _name, "A view counts with its own few numbers, and the whole memory behind it is alive: count the owner.", source=_source)
wrong("bytes_kept", "saved_only", "What the tensors themselves hold, their `data`, is missing: is it left out, or is each taken for one already seen?",
      source=changed(KEPT, ("[thing.data], [thing.grad_fn]", "[], [thing.grad_fn]")))
TWICE = "One memory is counted twice here: two nodes saved one array, or two views of it, which are two arrays and begin at different places. Note owners by their id, once for all tensors."
wrong("bytes_kept", "counted_again", TWICE,
      source=changed(KEPT, (EACH, "        owners.update({(id(array), len(seen)): array.nbytes for array in found})\n")))
wrong("bytes_kept", "given_twice", "A tensor that is given twice is counted twice.",
      source=changed(KEPT, ("    return sum(owners.values())", "    return sum(owners.values()) + sum(t.data.nbytes for t in tensors) - sum({id(t): t.data.nbytes for t in tensors}.values())")))
wrong("bytes_kept", "no_leaves", "A leaf is missing: leaves are alive, too, with their `data`, and stand among a node's parents, as any of them.",
      source=changed(KEPT, ("        stack += behind", "        stack += [b for b in behind if not isinstance(b, Tensor)]")))
wrong("bytes_kept", "first_node_only", "The walk ends at the first node, here a sum that saved nothing: what its parents hold is alive, too.",
      source=changed(KEPT, ("thing.saved or (), thing.parents", "thing.saved or (), [p for p in thing.parents if isinstance(p, Tensor)]")))
wrong("bytes_kept", "numbers_not_bytes", "That is how many numbers there are. A float64 has 8 bytes: `nbytes`.",
      source=changed(KEPT, ("array.nbytes", "array.size")))
wrong("bytes_kept", "empties_the_list", "The list is the caller's own, and your code empties it: make a list of your own.",
      source=changed(KEPT, ("list(tensors)", "tensors")))
wrong("bytes_kept", "freed_graph", "After `backward` a node's `saved` is None, and None cannot be walked through.",
      source=changed(KEPT, ("thing.saved or ()", "thing.saved")))
wrong("bytes_kept", "grads_too", "Gradients do not count here.",
      source=changed(KEPT, ("[thing.data], [thing.grad_fn]", "[thing.data, *([thing.grad.data] if thing.grad is not None else [])], [thing.grad_fn]")))
RECURSIVE = """
def bytes_kept(tensors):
    owners, seen = {}, set()

    def visit(thing):
        if thing is None or id(thing) in seen:
            return
        seen.add(id(thing))
        tensor = isinstance(thing, Tensor)
        for array in [thing.data] if tensor else thing.saved or ():
            if isinstance(array, np.ndarray):
                owners[id(owner(array))] = owner(array).nbytes
        for one in [thing.grad_fn] if tensor else thing.parents:
            visit(one)

    for tensor in tensors:
        visit(tensor)
    return sum(owners.values())
"""
wrong("bytes_kept", "recursive", "A long chain is too deep for recursion, and a raised limit is one for the whole program: use a stack, as in unit 03.", source=RECURSIVE)
wrong("bytes_kept", "limit_raised", "A long chain is too deep for recursion, and a raised limit is one for the whole program: use a stack, as in unit 03.",
      source=changed(RECURSIVE, ("    owners, seen", "    import sys\n\n    sys.setrecursionlimit(100_000)\n    owners, seen")))
wrong("bytes_kept", "floats_only", "Arrays of integers and of bools are arrays, too, and take memory.",
      source=changed(KEPT, ("if isinstance(array, np.ndarray)", "if isinstance(array, np.ndarray) and array.dtype.kind == 'f'")))
wrong("bytes_kept", "one_tensor", "Only the first tensor is followed.", source=changed(KEPT, ("list(tensors)", "list(tensors[:1])")))
wrong("bytes_kept", "by_size", "Two memories of the same size are two: tell owners apart by their id.",
      source=changed(KEPT, ("{id(array): array.nbytes", "{array.nbytes: array.nbytes")))
wrong("bytes_kept", "as_a_set", "Two memories of the same size are two: tell owners apart by their id.",
      source=changed(KEPT, ("sum(owners.values())", "sum(set(owners.values()))")))
wrong("bytes_kept", "first_parent", "Of a node's parents the first alone is followed, and that one may be None: all of them lead on.",
      source=changed(KEPT, ("thing.saved or (), thing.parents", "thing.saved or (), thing.parents[:1]")))
wrong("bytes_kept", "first_parent_that_is_there", "Of a node's parents one alone is followed, the first that is not None: all of them lead on.",
      source=changed(KEPT, ("thing.saved or (), thing.parents", "thing.saved or (), [p for p in thing.parents if p is not None][:1]")))
wrong("bytes_kept", "last_parent", "A leaf is missing: leaves are alive, too, with their `data`, and stand among a node's parents, as any of them.",
      source=changed(KEPT, ("thing.saved or (), thing.parents", "thing.saved or (), thing.parents[-1:]")))
# The tensors' own arrays are all there, and the walk begins at one tensor alone.
ONE_GRAPH = changed(KEPT, ("    return sum", "    owners |= {id(owner(t.data)): owner(t.data).nbytes for t in tensors}\n    return sum"))
wrong("bytes_kept", "first_graph_only", "The first tensor's graph alone is gone through: each tensor of the list may have one.",
      source=changed(ONE_GRAPH, ("list(tensors)", "list(tensors[:1])")))
wrong("bytes_kept", "last_graph_only", "The last tensor's graph alone is gone through: each tensor of the list may have one.",
      source=changed(ONE_GRAPH, ("list(tensors)", "list(tensors[-1:])")))
NO_SUCH_ITEM = "A list is asked for an item that it does not have. There may be no tensors at all, and then there is no first one; and a stack is empty at the end."
wrong("bytes_kept", "stack_run_out", NO_SUCH_ITEM, source=changed(
    KEPT, ("while stack:", "while True:"), ("thing = stack.pop()", "thing, stack = stack[-1], stack[:-1]")))
wrong("bytes_kept", "begins_with_the_first", NO_SUCH_ITEM,
      source=changed(ONE_GRAPH, ("list(tensors)", "[tensors[0]]")))
wrong("bytes_kept", "data_of_a_result", "What a result holds itself is missing: its `data` is alive, besides all that its node leads to.",
      source=changed(KEPT, ("list(tensors)", "[t.grad_fn or t for t in tensors]")))
wrong("bytes_kept", "breaks_off", "Here x alone is counted. Is only the last tensor followed, or does the walk break off at what is None or was seen before? Leave that one out, and go on with the rest.",
      source=changed(KEPT, ("            continue\n", "            break\n")))
wrong("bytes_kept", "last_tensor", "Here x alone is counted. Is only the last tensor followed, or does the walk break off at what is None or was seen before? Leave that one out, and go on with the rest.",
      source=changed(KEPT, ("list(tensors)", "list(tensors[-1:])")))
wrong("bytes_kept", "breaks_off_at_what_was_seen", "The walk breaks off at a node that was seen before: leave that one out, and go on with the rest.",
      source=changed(KEPT, ("        if thing is None or id(thing) in seen:\n            continue\n", "        if thing is None:\n            continue\n        if id(thing) in seen:\n            break\n")))
wrong("bytes_kept", "found_before", "What the call before found is still there, as in a dict or a set that is a default argument: begin each call with nothing.",
      source=changed(KEPT, ("(tensors):", "(tensors, owners={}, seen=set()):"), ("owners, seen, stack = {}, set(), list(tensors)", "stack = list(tensors)")))
wrong("bytes_kept", "eight_each", "Not every number has 8 bytes: a float32 has 4. `nbytes` knows.",
      source=changed(KEPT, ("array.nbytes", "array.size * 8")))
wrong("bytes_kept", "remembers", "The second call finds what the first has seen: begin each call with nothing seen.",
      source=changed(KEPT, ("(tensors):", "(tensors, seen=set()):"), ("owners, seen, stack = {}, set(), list(tensors)", "owners, stack = {}, list(tensors)")))
wrong("bytes_kept", "stops_at_nothing_saved", "The walk ends at the first node, here a sum that saved nothing: what its parents hold is alive, too.",
      source=changed(KEPT, ("        stack += behind\n", "        if any(isinstance(array, np.ndarray) for array in arrays):\n            stack += behind\n")))
for _name, _id in (("pointer_of_the_view", "array.ctypes.data"), ("id_of_the_view", "id(array)")):
    wrong("bytes_kept", _name, TWICE,
          source=changed(KEPT, (EACH, ""), ("found = [owner(array) for array in arrays if isinstance(array, np.ndarray)]",
             f"owners.update({{{_id}: owner(array).nbytes for array in arrays if isinstance(array, np.ndarray)}})")))
wrong("bytes_kept", "saved_view", "What a node saved may be a view, as w.T is of w: note its owner, as you do for the tensors' own arrays.",
      source=changed(KEPT, ("found = [owner(array) for", "found = [owner(array) if isinstance(thing, Tensor) else array for")))
wrong("bytes_kept", "walked_again", "A result that is used twice is gone on from twice, and so each step doubles the work: note which nodes you have seen.",
      source=changed(KEPT, ("        seen.add(id(thing))\n", "")), ends=False)


@right("bytes_kept", "nodes_first")
def bytes_kept(tensors):
    nodes, arrays, waiting = {}, [t.data for t in tensors], [t.grad_fn for t in tensors if t.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node.__class__.__name__ != "Node":
            arrays.append(node.data)
        elif id(node) not in nodes:
            nodes[id(node)] = node
            waiting.extend(parent for parent in node.parents if parent is not None)
            arrays.extend(a for a in (node.saved or []) if type(a) is np.ndarray)
    whole = {}
    for a in arrays:
        whole[id(owner(a))] = owner(a)
    return sum(int(a.nbytes) for a in whole.values())


@right("bytes_kept", "a_set_of_pairs")
def bytes_kept(tensors):
    known, memory = set(), set()
    todo = tuple(tensors)
    while todo:
        later = []
        for thing in todo:
            if id(thing) in known:
                continue
            known.add(id(thing))
            if isinstance(thing, Tensor):
                memory.add((id(owner(thing.data)), owner(thing.data).nbytes))
                later += [thing.grad_fn] if thing.grad_fn is not None else []
            else:
                for a in thing.saved or []:
                    if isinstance(a, np.ndarray):
                        memory.add((id(owner(a)), owner(a).nbytes))
                later += [p for p in thing.parents if p is not None]
        todo = later
    return sum(size for _, size in memory)


wrong("bytes_kept", "no_axes_left_out", "Saved arrays without axes are left out here. An array of shape () has 8 bytes, too.",
      source=changed(KEPT, ("if isinstance(array, np.ndarray)", "if isinstance(array, np.ndarray) and array.ndim")))


@wrong("bytes_kept", "counted_in_both", "A memory counts twice here: the result of tanh is the `data` of a tensor, and an operation saved it, too. One dict of owners for both counts it once.")
def bytes_kept(tensors):
    own = {id(owner(t.data)): owner(t.data).nbytes for t in tensors}
    graph, seen = {}, set()
    stack = [t.grad_fn for t in tensors]
    while stack:
        thing = stack.pop()
        if thing is None or id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, Tensor):
            arrays = [thing.data]
        else:
            arrays = thing.saved or ()
            stack.extend(thing.parents or ())
        for a in arrays:
            if isinstance(a, np.ndarray):
                graph[id(owner(a))] = owner(a).nbytes
    return sum(own.values()) + sum(graph.values())


# -- in_chunks --------------------------------------------------------------------------------------------------------

CHUNKS = """
def in_chunks(cell, loss_of, state, inputs, size):
    for start in range(0, len(inputs), size):
        for x in inputs[start : start + size]:
            state = cell(state, x)
        loss_of(state).backward()
        state = state.detach()
    return state
"""
EACH_CHUNK, EACH_INPUT = "        for x in inputs[start", "            state = cell(state, x)\n"
BACK, CUT = "        loss_of(state).backward()\n", "        state = state.detach()\n"
# Whoever counts the inputs goes back for full chunks, and a rest is left over.
COUNTED_INPUTS = """
def in_chunks(cell, loss_of, state, inputs, size):
    for i, x in enumerate(inputs):
        state = cell(state, x)
        if (i + 1) % size == 0:
            loss_of(state).backward()
            state = state.detach()
    return state
"""

wrong("in_chunks", "never_cut", "The state leads back into the chunk before, which `backward` has freed: cut with `detach()`.",
      source=changed(CHUNKS, (CUT, "")))
wrong("in_chunks", "retained", "The gradient of a chunk goes on into the chunks before it: cut the state with `detach()` after each.",
      source=changed(CHUNKS, (".backward()", ".backward(retain_graph=True)"), (CUT, ""), ("return state", "return state.detach()")))
NO_GRAPH = (
    "`backward` finds no graph to go through. Was the state cut before it, or computed under `no_grad`, or has a chunk no "
    "inputs? Or did a `backward` before it go through the same chunk, and free it?"
)
wrong("in_chunks", "back_twice", NO_GRAPH, source=changed(CHUNKS, (BACK, BACK + BACK)))
wrong("in_chunks", "cut_first", "Nothing leads from the loss to the weight: the state was cut before `backward`, or computed under `no_grad`, or a chunk has no inputs.",
      source=changed(CHUNKS, (BACK, CUT + "        state.requires_grad_()\n" + BACK)))
wrong("in_chunks", "cut_at_each_input", "No gradient comes to the first state: it is cut before its chunk has gone back. Cut after each chunk, behind its `backward`, and nowhere else.",
      source=changed(CHUNKS, (EACH_INPUT, "            state = cell(state.detach(), x)\n")))
wrong("in_chunks", "result_not_cut", "What you return requires a gradient: it was not cut after the last chunk, or is a new Tensor made with `requires_grad=True`. `detach()` gives the numbers alone.",
      source=changed(CHUNKS, (CUT, ""), (EACH_CHUNK, f"        if start:\n    {CUT}{EACH_CHUNK}")))
wrong("in_chunks", "cut_at_the_start", "The cut is at the start of each chunk: there the first state loses its gradient, and the last one keeps its past. Cut after each `backward`.",
      source=changed(CHUNKS, (CUT, ""), (EACH_CHUNK, CUT + EACH_CHUNK)))
wrong("in_chunks", "retained_uncut", "`retain_graph=True` silences the error, and the gradient of a chunk goes on into the chunks before it: cut the state with `detach()` after each.",
      source=changed(CHUNKS, (".backward()", ".backward(retain_graph=True)"), (CUT, "")))
wrong("in_chunks", "rest_lost_uncut", "The inputs after the last full chunk are a chunk, too: go back for them, and cut what you return.", source=COUNTED_INPUTS)
wrong("in_chunks", "state_forgotten", "Each chunk begins with the first state again: carry the numbers on.",
      source=changed(CHUNKS, (EACH_CHUNK, "        h = state\n" + EACH_CHUNK), ("            state = cell(state, x)", "            h = cell(h, x)"), ("loss_of(state)", "loss_of(h)"), ("        state = state.detach()", "        last = h.detach()"), ("return state", "return last if inputs else state")))
wrong("in_chunks", "last_dropped", "The last chunk is shorter than the others, and is left out.",
      source=changed(CHUNKS, ("range(0, len(inputs), size)", "range(0, len(inputs) - size + 1, size)")))
wrong("in_chunks", "one_loss", "There is one `backward` at the end, and one after each chunk is asked for.",
      source=changed(CHUNKS, (BACK + CUT, f"        if start + size < len(inputs):\n    {CUT}    if inputs:\n{BACK}"), ("return state", "return state.detach()")))
wrong("in_chunks", "loss_at_each_input", "The loss is asked for after each chunk, not after each input.",
      source=changed(CHUNKS, (BACK, "            loss_of(state).backward(retain_graph=True)\n")))
wrong("in_chunks", "no_grad", NO_GRAPH,
      source=changed(CHUNKS, (EACH_INPUT, "            with no_grad():\n                state = cell(state, x)\n")))
wrong("in_chunks", "starts_only", "One input of each chunk is used: `range` gives the starts, and a slice the chunk.",
      source=changed(CHUNKS, ("inputs[start : start + size]", "inputs[start : start + 1]")))
wrong("in_chunks", "summed", "The gradient of a chunk goes on into the chunks before it: cut the state with `detach()` after each.",
      source=changed(CHUNKS, ("    for start", "    total = 0.0\n    for start"), (BACK + CUT, "        total = total + loss_of(state)\n"),
                     ("    return state", "    if inputs:\n        total.backward()\n    return state.detach()")))
wrong("in_chunks", "cut_as_a_leaf", "What you return requires a gradient: it was not cut after the last chunk, or is a new Tensor made with `requires_grad=True`. `detach()` gives the numbers alone.",
      source=changed(CHUNKS, ("state.detach()", "Tensor(state.data, requires_grad=True)")))
wrong("in_chunks", "array_in_between", "An array is no Tensor: `detach()` gives a Tensor without a past.",
      source=changed(CHUNKS, ("state.detach()", "state.data.copy()")))
wrong("in_chunks", "last_input_again", "The cell gets an input a second time: once for each, and then cut the state that is there.",
      source=changed(CHUNKS, (EACH_INPUT, "            before, state = state, cell(state, x)\n"),
                     (CUT, "        with no_grad():\n            state = cell(before, x)\n")))
wrong("in_chunks", "no_inputs", "With no inputs no chunk is gone through, and then what you return was never given a value: the first state comes back.",
      source=changed(CHUNKS, ("state = state.detach()", "last = state = state.detach()"), ("return state", "return last")))
wrong("in_chunks", "number", "A number is no Tensor: `detach()` gives a Tensor without a past.",
      source=changed(CHUNKS, ("return state", "return state.item()")))
wrong("in_chunks", "array", "An array is no Tensor: `detach()` gives a Tensor without a past.",
      source=changed(CHUNKS, ("return state", "return state.data")))
wrong("in_chunks", "backward_at_the_end", "The gradients are right and come too late: all graphs live until you go back at the end. Go back after each chunk.",
      source=changed(CHUNKS, ("    for start", "    losses = []\n    for start"), (BACK, "        losses.append(loss_of(state))\n"),
                     ("    return state", "    for loss in losses:\n        loss.backward()\n    return state")))
wrong("in_chunks", "rest_without_backward", "The inputs after the last full chunk are gone through, and `backward` is not called for them: they are a chunk, too.",
      source=changed(COUNTED_INPUTS, ("return state", "return state.detach()")))
wrong("in_chunks", "backward_at_each_input", "Each input is treated as a chunk of its own: go back, and cut, after `size` inputs.",
      source=changed(CHUNKS, (BACK, f"    {BACK}"), (CUT, f"    {CUT}")))
wrong("in_chunks", "losses_summed", "The losses of all states of a chunk are added up: the loss is that of the chunk's last state alone.",
      source=changed(CHUNKS, (EACH_CHUNK, "        loss = 0.0\n" + EACH_CHUNK), (BACK, "            loss = loss + loss_of(state)\n        loss.backward()\n")))
wrong("in_chunks", "takes_inputs_out", "The caller's list is empty afterwards: take slices of it, and nothing out of it.", source="""
def in_chunks(cell, loss_of, state, inputs, size):
    while inputs:
        for _ in range(min(size, len(inputs))):
            state = cell(state, inputs.pop(0))
        loss_of(state).backward()
        state = state.detach()
    return state.detach()
""")
wrong("in_chunks", "size_is_a_count", "`size` is the length of a chunk, and here it is the number of chunks.",
      source=changed(CHUNKS, ("    for start in", "    size = -(-len(inputs) // size) or 1\n    for start in")))


wrong("in_chunks", "first_state_cut", "The first state is cut, too, so that it never gets its gradient: cut after a chunk, and not before the first.",
      source=changed(CHUNKS, (EACH_CHUNK, CUT + EACH_CHUNK), ("return state", "return state.detach()")))
wrong("in_chunks", "starts_from_the_numbers", "The first state is cut, too, so that it never gets its gradient: cut after a chunk, and not before the first.",
      source=changed(CHUNKS, ("    for start in", "    state = Tensor(state.data.copy())\n    for start in")))
wrong("in_chunks", "one_number", "`item()` is for a single number, and a state may hold several: `detach()` takes any.",
      source=changed(CHUNKS, ("state.detach()", "Tensor(state.item())")))


@right("in_chunks", "new_tensor")
def in_chunks(cell, loss_of, state, inputs, size):
    while inputs:
        chunk, inputs = inputs[:size], inputs[size:]
        for x in chunk:
            state = cell(state, x)
        loss_of(state).backward()
        state = Tensor(state.data.copy())
    return state


@right("in_chunks", "by_position")
def in_chunks(cell, loss_of, state, inputs, size):
    for i, x in enumerate(inputs):
        if i and i % size == 0:
            state = state.detach()
        state = cell(state, x)
        if i % size == size - 1 or i == len(inputs) - 1:
            loss = loss_of(state)
            loss.backward()
    return state.detach()


@wrong(
    "in_chunks",
    "backward_after_the_last_only",
    "backward runs once, after the last chunk, so the losses of the others do not count: go back at the end of each.",
)
def in_chunks(cell, loss_of, state, inputs, size):
    last = state
    for start in range(0, len(inputs), size):
        state = state.detach()
        for x in inputs[start : start + size]:
            state = cell(state, x)
        last = state
    loss_of(last).backward()
    return last.detach()


wrong("in_chunks", "first_chunk_only", "The first chunk is gone through, and no other: does `return` stand inside the loop over the chunks?",
      source=changed(CHUNKS, ("    return state", "        return state\n    return state")))
wrong("in_chunks", "evened_out", "The chunks are evened out, as `array_split` does it. Here each has `size` inputs, and the last one the rest.",
      source=changed(CHUNKS, ("    for start in range(0, len(inputs), size):\n        for x in inputs[start : start + size]:", "    for chunk in np.array_split(inputs, -(-len(inputs) // size) or 1):\n        for x in chunk:"),
                     (BACK, f"        if len(chunk):\n    {BACK}")))


# -- mended_leaks -------------------------------------------------------------------------------------------------------

RUN = """
def mended_leaks(loss_of, step, w, batches, held_out):
    history, mean, lowest, best = [], 0.0, np.inf, None
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        step()
        history.append(loss.item())
        mean = 0.9 * mean + 0.1 * loss.item()
        with no_grad():
            check = loss_of(held_out).item()
        if check < lowest:
            lowest, best = check, w.data.copy()
    return history, mean, best
"""
CHECK = "        with no_grad():\n            check = loss_of(held_out).item()\n"
TO_FLOAT = ("return history, mean,", "return history, float(mean),")
# The four lines as they were.
RETAINED = (".backward()", ".backward(retain_graph=True)")
CHAIN = ("0.1 * loss.item()", "0.1 * loss")
RECORDED = (f"{CHECK}        if check < lowest:\n            lowest, best = check,",
            "        check = loss_of(held_out)\n        if check.item() < lowest:\n            lowest, best = check.item(),")
ALIAS = ("w.data.copy()", "w.data")

wrong("mended_leaks", "held_out_before_the_step", "The held-out loss is taken before the step: it is to judge the w that the step has made.",
      source=changed(RUN, (CHECK + "        if check < lowest:\n            lowest, best = check, w.data.copy()\n", ""),
                     ("        loss = loss_of(batch)\n", CHECK + "        if check < lowest:\n            lowest, best = check, w.data.copy()\n        loss = loss_of(batch)\n")))
wrong("mended_leaks", "as_it_was", "Nothing is mended yet: four lines are wrong.", source=changed(RUN, RETAINED, CHAIN, TO_FLOAT, RECORDED, ALIAS))
wrong("mended_leaks", "retained", "`retain_graph=True` keeps the graph of each loss for a second backward, and there is none.",
      source=changed(RUN, RETAINED))
wrong("mended_leaks", "mean_of_losses", "The mean is a chain of all losses: take their numbers, `item()`.",
      source=changed(RUN, CHAIN, TO_FLOAT))
wrong("mended_leaks", "mean_of_losses_given", "The mean is a chain of all losses, and what you return is a loss: take their numbers, `item()`.",
      source=changed(RUN, CHAIN))
wrong("mended_leaks", "held_out_recorded", "Nobody goes back from the held-out loss, and it is computed with a graph: compute it under `no_grad`.",
      source=changed(RUN, RECORDED))
for _name, *_changes in (
    ("alias", ALIAS),
    ("detached_alias", ("w.data.copy()", "w.detach().data")),
    ("view_alias", ("w.data.copy()", "w.data[:]")),
    # Who mends one line after another meets the alias first, and the check with it.
    ("alias_and_chain", ALIAS, CHAIN, TO_FLOAT),
    ("alias_and_held_out", ALIAS, (CHECK, "        check = loss_of(held_out).item()\n")),
    ("all_but_retained", ALIAS, CHAIN, TO_FLOAT, (CHECK, "        check = loss_of(held_out).item()\n")),
):
    wrong("mended_leaks", _name, "What you keep is still the memory of w, and the next step changes it: keep a copy. `detach()` and a slice share it, too.",
          source=changed(RUN, *_changes))
wrong("mended_leaks", "all_without_grad", "The training loss needs its graph: only the held-out one goes without.",
      source=changed(RUN, ("        loss = loss_of(batch)\n", "        with no_grad():\n            loss = loss_of(batch)\n")))
wrong("mended_leaks", "history_of_losses", "The history holds losses, and not their numbers.", source=changed(RUN, ("history.append(loss.item())", "history.append(loss)")))
wrong("mended_leaks", "history_of_detached", "A detached loss is still no number: `item()`.", source=changed(RUN, ("history.append(loss.item())", "history.append(loss.detach())")))
wrong("mended_leaks", "history_of_arrays", "An array that holds one number is still no plain number: `item()`.", source=changed(RUN, ("history.append(loss.item())", "history.append(loss.data)")))
wrong("mended_leaks", "no_backward", "Without `backward` the step has no gradient.", source=changed(RUN, ("        loss.backward()\n", "")))
LAST_ROUND = "These are the weights of the last round: copy those of the lowest held-out loss when it is met, as each step writes into w, and let `lowest` fall with it."
wrong("mended_leaks", "last_weights", LAST_ROUND,
      source=changed(RUN, ("            lowest, best = check, w.data.copy()\n", "            lowest = check\n        best = w.data.copy()\n")))
wrong("mended_leaks", "first_weights", LAST_ROUND,
      source=changed(RUN, ("lowest, best = check, w.data.copy()", "best = w.data.copy()")))
wrong("mended_leaks", "highest", "These weights had another held-out loss: keep those of the lowest one, as they are when it is measured.",
      source=changed(RUN, ("np.inf, None", "-np.inf, None"), ("check < lowest", "check > lowest")))
wrong("mended_leaks", "by_training_loss", "The weights are chosen by the training loss: the held-out one decides.",
      source=changed(RUN, ("if check < lowest", "if loss.item() < lowest"), ("best = check, w", "best = loss.item(), w")))
for _name, _old, _new in (
    ("step_last", "        if check < lowest", "        step()\n        if check < lowest"),
    ("step_at_the_end", "best = check, w.data.copy()\n", "best = check, w.data.copy()\n        step()\n"),
    ("step_after_the_mean", CHECK, f"{CHECK}        step()\n"),
):
    wrong("mended_leaks", _name, "The held-out loss is computed before the step: then it is not the loss of these weights.",
          source=changed(RUN, ("        step()\n", ""), (_old, _new)))
wrong("mended_leaks", "plain_mean", "The running mean is 0.9 of the old one and 0.1 of the new loss.",
      source=changed(RUN, ("        mean = 0.9 * mean + 0.1 * loss.item()\n", "        mean = sum(history) / len(history)\n")))
wrong("mended_leaks", "mean_of_held_out", "The mean is that of the training losses.",
      source=changed(RUN, ("        mean = 0.9 * mean + 0.1 * loss.item()\n", ""), ("        if check <", "        mean = 0.9 * mean + 0.1 * check\n        if check <")))
wrong("mended_leaks", "a_tensor", "The mean of detached losses is a detached loss, and is to be a plain number: take `item()`.", source=changed(RUN, ("0.1 * loss.item()", "0.1 * loss.detach()")))
wrong("mended_leaks", "step_before_backward", "`step` uses the gradient, and `backward` makes it: here the step comes first.",
      source=changed(RUN, ("        loss.backward()\n        step()\n", "        step()\n        loss.backward()\n")))
wrong("mended_leaks", "held_out_first", "Each round: loss, backward, step, then the held-out loss.",
      source=changed(RUN, ("        loss = loss_of(batch)\n        loss.backward()\n        step()\n", f"{CHECK}        loss = loss_of(batch)\n        loss.backward()\n        step()\n"),
                     (f"{CHECK}        if", "        if")))
wrong("mended_leaks", "deleted_but_retained", "`retain_graph=True` keeps the graph of each loss for a second backward, and there is none.",
      source=changed(RUN, RETAINED, ("        if check < lowest", "        del loss\n        if check < lowest")))
wrong("mended_leaks", "held_out_detached", "The held-out loss is computed with its graph, which is cut off only afterwards: it needs none, so compute it under `no_grad`.",
      source=changed(RUN, (CHECK, "        check = loss_of(held_out).detach().item()\n")))
wrong("mended_leaks", "held_out_deleted", "Nobody goes back from the held-out loss, and it is computed with a graph: compute it under `no_grad`.",
      source=changed(RUN, (CHECK, "        held = loss_of(held_out)\n        check = held.item()\n        del held\n")))
wrong("mended_leaks", "ties", "Of two equally low held-out losses the first counts: `<`, as it was.",
      source=changed(RUN, ("if check < lowest", "if check <= lowest")))
wrong("mended_leaks", "ties_of_losses", "Of two equally low held-out losses the first counts: `<`, as it was.",
      source=changed(RUN, ("loss_of(held_out).item()", "loss_of(held_out)"), ("if check < lowest", "if check <= lowest"), ("best = check, w", "best = check.item(), w")))
wrong("mended_leaks", "all_detached", "A detached loss is still no number: `item()`.",
      source=changed(RUN, ("history.append(loss.item())", "history.append(loss.detach())"), ("0.1 * loss.item()", "0.1 * loss.detach()"), TO_FLOAT))
wrong("mended_leaks", "mixed_mean", "0.9 of the mean stays, and 0.1 comes from the new loss: here it is the other way round.",
      source=changed(RUN, ("0.9 * mean + 0.1 * loss.item()", "0.1 * mean + 0.9 * loss.item()")))
wrong("mended_leaks", "takes_batches_out", "The caller's list of batches is empty afterwards: go through it, and take nothing out.",
      source=changed(RUN, ("    for batch in batches:\n", "    while batches:\n        batch = batches.pop(0)\n")))
wrong("mended_leaks", "second_loss_of_the_batch", "The weights are judged by the batch that they were trained with: the held-out loss decides.",
      source=changed(RUN, ("loss_of(held_out)", "loss_of(batch)")))
wrong("mended_leaks", "backward_twice", "A second `backward` adds the same gradient again: one is enough.",
      source=changed(RUN, ("        loss.backward()\n", "        loss.backward(retain_graph=True)\n        loss.backward()\n")))
wrong("mended_leaks", "below_the_one_before", LAST_ROUND,
      source=changed(RUN, ("            lowest, best = check, w.data.copy()\n", "            best = w.data.copy()\n        lowest = check\n")))


wrong("mended_leaks", "begins_at_1000", "A held-out loss may be larger than what `lowest` begins with: begin with `np.inf`.",
      source=changed(RUN, ("np.inf", "1000.0")))
wrong("mended_leaks", "argmin_of_nan", "For `argmin` NaN is the lowest of all. With `<` it is never lower.", source="""
def mended_leaks(loss_of, step, w, batches, held_out):
    history, checks, kept, mean = [], [], [], 0.0
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        step()
        history.append(loss.item())
        mean = 0.9 * mean + 0.1 * history[-1]
        with no_grad():
            checks.append(loss_of(held_out).item())
        kept.append(w.data.copy())
    return history, mean, kept[int(np.argmin(checks))]
""")


wrong("mended_leaks", "rounded", "The losses are rounded: the results are to be the same as before, to the last digit.",
      source=changed(RUN, ("        history.append(loss.item())\n        mean = 0.9 * mean + 0.1 * loss.item()\n", "        history.append(round(loss.item(), 4))\n        mean = 0.9 * mean + 0.1 * history[-1]\n")))
wrong("mended_leaks", "clearly_lower", "A held-out loss that is lower by very little is lower, too: compare with `<` alone.",
      source=changed(RUN, ("if check < lowest", "if check < lowest - 1e-3")))
wrong("mended_leaks", "weights_as_a_tensor", "The best weights are a Tensor here, and an array is asked for, as before: `.data`.",
      source=changed(RUN, ("w.data.copy()", "w.detach().clone()")))


wrong("mended_leaks", "best_put_back", "At the end w has other weights than those of the last step. The best ones are given back, and w is left as `step` made it.",
      source=changed(RUN, ("    return history", "    w.data[...] = best\n    return history")))


right("mended_leaks", "detached_mean",
      source=changed(RUN, ("0.1 * loss.item()", "0.1 * loss.detach()"), ("(held_out).item()", "(held_out)"),
                     ("check < lowest", "check.item() < lowest"), ("= check,", "= check.item(),"), TO_FLOAT))


right("mended_leaks", "mean_in_place",
      source=changed(RUN, ("mean = 0.9 * mean + 0.1 * loss.item()", "mean *= 0.9\n        mean += 0.1 * loss.detach()"), TO_FLOAT))


@right("mended_leaks", "detach_and_clone")
def mended_leaks(loss_of, step, w, batches, held_out):
    history, mean, results = [], 0.0, []
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        step()
        number = float(loss.detach())
        history += [number]
        mean = mean * 0.9 + number / 10
        with no_grad():
            held = loss_of(held_out)
        results.append((held.item(), w.detach().clone().data))
    return history, mean, min(results, key=lambda pair: pair[0])[1]


@right("mended_leaks", "deleted")
def mended_leaks(loss_of, step, w, batches, held_out):
    history, mean, lowest, best = [], 0.0, None, None
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        history.append(float(loss.data))
        del loss
        step()
        mean += 0.1 * (history[-1] - mean)
        with no_grad():
            number = loss_of(held_out).item()
        if lowest is None or number < lowest:
            lowest, best = number, np.array(w.data)
    return history, mean, best


# -- Counted ----------------------------------------------------------------------------------------------------------

COUNTED = """
class Counted:
    def __init__(self, data):
        self.data, self.changes = np.array(data, dtype=float), [0]

    @property
    def version(self):
        return self.changes[0]

    def add_(self, other):
        self.data += other
        self.changes[0] += 1
        return self

    def view(self, index):
        part = Counted(0.0)
        part.data, part.changes = self.data[index], self.changes
        return part

    def clone(self):
        return Counted(self.data)
"""
BEGIN = "self.data, self.changes = np.array(data, dtype=float), [0]"
SHOWN = "part.data, part.changes = self.data[index], self.changes"

wrong("Counted", "view_starts_anew", "The view counts for itself. It shows the same memory, so it needs the same counter: one object that both change, such as a list.",
      source=changed(COUNTED, ("self.data[index], self.changes", "self.data[index], [0]")))
wrong("Counted", "int", "The view counts for itself. It shows the same memory, so it needs the same counter: one object that both change, such as a list.",
      source=changed(COUNTED, ("self.changes = np.array(data, dtype=float), [0]", "self.changes = np.array(data, dtype=float), 0"), ("self.changes[0]", "self.changes")))
wrong("Counted", "list_copied", "The view counts for itself. It shows the same memory, so it needs the same counter: one object that both change, such as a list.",
      source=changed(COUNTED, ("self.data[index], self.changes", "self.data[index], list(self.changes)")))
wrong("Counted", "view_copied", "The view has numbers of its own: a slice shares memory, and a copy of it does not.",
      source=changed(COUNTED, ("self.data[index], self.changes", "self.data[index].copy(), self.changes")))
wrong("Counted", "view_by_init", "`Counted(...)` copies its numbers, and has a counter of its own: give the view both.",
      source=changed(COUNTED, (f"        part = Counted(0.0)\n        {SHOWN}\n        return part", "        return Counted(self.data[index])")))
wrong("Counted", "new_array", "`self.data = self.data + other` is a new array, and no view sees it: `+=` writes into the old one.",
      source=changed(COUNTED, ("self.data += other", "self.data = self.data + other")))
wrong("Counted", "no_count", "The change is not counted.", source=changed(COUNTED, ("        self.changes[0] += 1\n", "")))
wrong("Counted", "counts_to_one", "The version says how often, not whether: add 1 each time.", source=changed(COUNTED, ("self.changes[0] += 1", "self.changes[0] = 1")))
wrong("Counted", "counts_differences", "A change by 0 is a write like any other: it counts.",
      source=changed(COUNTED, ("        self.changes[0] += 1\n", "        self.changes[0] += int(np.any(np.asarray(other) != 0))\n")))
wrong("Counted", "returns_nothing", "`add_` gives itself back.", source=changed(COUNTED, ("        return self\n\n    def view", "\n    def view")))
wrong("Counted", "returns_a_clone", "`add_` gives itself back, not another Counted.", source=changed(COUNTED, ("        return self\n\n    def view", "        return self.clone()\n\n    def view")))
wrong("Counted", "clone_shares_counter", "The clone has other memory, so what is written into one does not change the other: give it its own counter.",
      source=changed(COUNTED, ("        return Counted(self.data)", "        other = Counted(self.data)\n        other.changes = self.changes\n        return other")))
wrong("Counted", "clone_keeps_count", "The clone's memory is new, and has not been changed: its version is 0.",
      source=changed(COUNTED, ("        return Counted(self.data)", "        other = Counted(self.data)\n        other.changes = list(self.changes)\n        return other")))
wrong("Counted", "clone_is_view", "The clone shares the memory: copy it, there or in `__init__`, as `np.array` does. `np.asarray` gives an array of floats back as it is.",
      source=changed(COUNTED, ("        return Counted(self.data)", "        other = Counted(0.0)\n        other.data = self.data\n        return other")))
wrong("Counted", "class_counter", "One counter counts for all: a list in the class, or as a default argument, is made once. Each memory needs its own.",
      source=changed(COUNTED, ("class Counted:\n", "class Counted:\n    changes = [0]\n\n"), (BEGIN, "self.data = np.array(data, dtype=float)"),
                     (SHOWN, "part.data = self.data[index]")))
wrong("Counted", "uses_the_given_array", "The array that was given is used itself, and changes with this: copy it.",
      source=changed(COUNTED, ("np.array(data, dtype=float)", "np.asarray(data, dtype=float)"), ("return Counted(self.data)", "return Counted(self.data.copy())")))
wrong("Counted", "whole_numbers", "Whole numbers stay whole here: make an array of floats.",
      source=changed(COUNTED, ("np.array(data, dtype=float)", "np.array(data)"), ("Counted(0.0)", "Counted(0)")))
wrong("Counted", "adds_whole_numbers", "What is added loses what stands behind its point: add it as it is.",
      source=changed(COUNTED, ("self.data += other", "self.data += np.array(other, dtype=int)")))
wrong("Counted", "counts_entries", "A change counts 1, however many numbers it adds to.",
      source=changed(COUNTED, ("self.changes[0] += 1", "self.changes[0] += np.size(other)")))
wrong("Counted", "starts_at_one", "Nothing has changed at first: the version is 0.", source=changed(COUNTED, ("dtype=float), [0]", "dtype=float), [1]")))
wrong("Counted", "only_base_counts", "A change through the view has to count for its base, too.",
      source=changed(COUNTED, (SHOWN, "part.data, part.base = self.data[index], self"), ("        return self.changes[0]", "        return self.base.version if hasattr(self, 'base') else self.changes[0]")))
wrong("Counted", "one_for_all", "There is one counter for all, and a new Counted sets it back: each memory needs its own.",
      source=changed(COUNTED, ("class Counted:\n", "class Counted:\n    changes = [0]\n\n"), (BEGIN, "self.data = np.array(data, dtype=float)\n        self.changes[0] = 0"),
                     ("Counted(0.0)", "Counted.__new__(Counted)"), (SHOWN, "part.data = self.data[index]")))
wrong("Counted", "one_level", "A view of a view counts apart from the base: all three show one memory, and need one counter.",
      source=changed(COUNTED, (BEGIN, "self.data, self.count, self.base = np.array(data, dtype=float), 0, self"),
                     ("return self.changes[0]", "return self.base.count"), ("self.changes[0] += 1", "self.base.count += 1"), (SHOWN, "part.data, part.base = self.data[index], self")))
wrong("Counted", "entry_by_entry", "Where `other` shows the same memory, later entries read numbers that have already changed. `+=` of whole arrays does not.",
      source=changed(COUNTED, ("        self.data += other\n", "        other = np.broadcast_to(other, self.data.shape)\n        for i in range(len(self.data)):\n            self.data[i] += other[i]\n")))
wrong("Counted", "counted_before", "What does not fit is not added, and yet counts: add first, then count.",
      source=changed(COUNTED, ("        self.data += other\n        self.changes[0] += 1\n", "        self.changes[0] += 1\n        self.data += other\n")))
wrong("Counted", "one_axis", "Only arrays of one axis can be added: `+=` takes any.",
      source=changed(COUNTED, ("        self.data += other\n", "        self.data[:] = [a + b for a, b in zip(self.data.tolist(), np.broadcast_to(other, self.data.shape).tolist())]\n")))
wrong("Counted", "view_counts", "Making a view changes no number: the version stays.",
      source=changed(COUNTED, ("        return part", "        self.changes[0] += 1\n        return part")))


wrong("Counted", "grows", "What is larger than the memory does not fit into it. Here it takes its place, and views show the old numbers: it has to raise.",
      source=changed(COUNTED, ("        self.data += other\n", "        result = self.data + other\n        if result.shape == self.data.shape:\n            self.data[...] = result\n        else:\n            self.data = result\n")))


right("Counted", "base", source="""
class Counted:
    def __init__(self, data, base=None):
        self.data = np.array(data, dtype=float)
        self.base, self.count = base, 0

    @property
    def version(self):
        return self.count if self.base is None else self.base.version

    def add_(self, other):
        np.add(self.data, other, out=self.data)
        top = self
        while top.base is not None:
            top = top.base
        top.count += 1
        return self

    def view(self, index):
        part = Counted([], base=self)
        part.data = self.data[index]
        return part

    def clone(self):
        return Counted(self.data.copy())
""")


right("Counted", "counter_object", source="""
class Counted:
    class Counter:
        n = 0

    def __init__(self, data):
        self.data = np.asarray(data, dtype=float).copy()
        self.counter = Counted.Counter()

    version = property(lambda self: self.counter.n)

    def add_(self, other):
        self.data[...] = self.data + other
        self.counter.n += 1
        return self

    def view(self, index):
        import copy

        part = copy.copy(self)
        part.data = self.data[index]
        return part

    def clone(self):
        return type(self)(self.data)
""")


right("Counted", "numbers_of_the_argument_first", source=changed(COUNTED, ("        self.data += other\n", "        other = np.broadcast_to(other, self.data.shape).tolist()\n        for i in np.ndindex(self.data.shape):\n            value = other\n            for k in i:\n                value = value[k]\n            self.data[i] += value\n")))


wrong("Counted", "own_shape_only", "What NumPy's `+=` would stretch, such as an array of one number, is refused here. Let `+=` decide what fits.",
      source=changed(COUNTED, ("        self.data += other\n", "        if np.shape(other) not in ((), self.data.shape):\n            raise ValueError(\"it does not fit\")\n        self.data += other\n")))


# -- Saved ------------------------------------------------------------------------------------------------------------

SAVED = """
class Saved:
    def __init__(self, counted):
        self.counted, self.version = counted, counted.version

    def get(self):
        if self.counted is None:
            raise RuntimeError("freed by a backward pass: call the first one with retain_graph=True")
        if self.counted.version != self.version:
            now = self.counted.version
            raise RuntimeError(f"changed in place: it is at version {now}, expected version {self.version}")
        return self.counted.data

    def free(self):
        self.counted = None
"""
NOTE = "self.counted, self.version = counted, counted.version"
GONE = "        self.counted = None\n"
COMPLAINT = "raise RuntimeError(f\"changed in place: it is at version {now}, expected version {self.version}\")"
FREED = "raise RuntimeError(\"freed by a backward pass: call the first one with retain_graph=True\")"

wrong("Saved", "no_check", "The version has changed, and `get` gives the array: note it when the value is saved, ask the value again at each `get`, and raise where the two differ, whatever the numbers are.",
      source=changed(SAVED, ("if self.counted.version != self.version", "if False")))
for _name, *_changes in (
    ("against_zero", ("!= self.version:", "!= 0:")),
    ("against_zero_and_says_so", ("!= self.version:", "!= 0:"), ("{self.version}", "{0}")),
    ("against_zero_and_notes_nothing", (NOTE, "self.counted = counted"), ("!= self.version:", "!= 0:"), (", expected version {self.version}", "")),
):
    wrong("Saved", _name, "`get` raises, and the value has not changed. Is the comparison turned round? Compare with the version that you noted, which may be above 0; and `get` may be called again, so it lets go of nothing.",
          source=changed(SAVED, *_changes))
wrong("Saved", "a_copy", "`get` gives another array than the one that was saved: a view, or a copy, which takes as much memory again. Keep the value itself, note its version, compare.",
      source=changed(SAVED, (NOTE, "self.counted, self.version, self.array = counted, counted.version, counted.data.copy()"), ("return self.counted.data", "return self.array")))
wrong("Saved", "copy_only", "`get` gives another array than the one that was saved: a view, or a copy, which takes as much memory again. Keep the value itself, note its version, compare.", source="""
class Saved:
    def __init__(self, counted):
        self.array = counted.data.copy()

    def get(self):
        if self.array is None:
            raise RuntimeError("freed: use retain_graph")
        return self.array

    def free(self):
        self.array = None
""")
wrong("Saved", "a_view", "`get` gives another array than the one that was saved: a view, or a copy, which takes as much memory again. Keep the value itself, note its version, compare.",
      source=changed(SAVED, ("return self.counted.data", "return self.counted.data[:]")))
wrong("Saved", "a_view_of_any", "`get` gives another array than the one that was saved: a view, or a copy, which takes as much memory again. Keep the value itself, note its version, compare.",
      source=changed(SAVED, ("return self.counted.data", "return self.counted.data.view()")))
wrong("Saved", "noted_at_get", "The version has changed, and `get` gives the array: note it when the value is saved, ask the value again at each `get`, and raise where the two differ, whatever the numbers are.",
      source=changed(SAVED, (NOTE, "self.counted, self.version = counted, None"),
                     ("        if self.counted.version != self.version", "        if self.version is None:\n            self.version = self.counted.version\n        if self.counted.version != self.version")))
wrong("Saved", "only_larger", "Different is different: compare with `!=`.", source=changed(SAVED, ("!= self.version:", "> self.version:")))
wrong("Saved", "renoted", "After the complaint the new version is noted, so that the next `get` says nothing.",
      source=changed(SAVED, ("            raise RuntimeError(f\"changed", "            then, self.version = self.version, now\n            raise RuntimeError(f\"changed"), ("expected version {self.version}", "expected version {then}")))
wrong("Saved", "no_numbers", "The sentence has to say both versions: the one now and the one expected.",
      source=changed(SAVED, ("it is at version {now}, expected version {self.version}", "use clone()")))
wrong("Saved", "now_only", "The sentence says one version. Say the expected one, too.", source=changed(SAVED, (", expected version {self.version}", "")))
wrong("Saved", "expected_only", "The sentence says what was expected. Say the version now, too.", source=changed(SAVED, ("it is at version {now}, ", "")))
wrong("Saved", "value_error", "A RuntimeError is asked for, as PyTorch raises it.", source=changed(SAVED, ("RuntimeError", "ValueError")))
wrong("Saved", "assertion", "A RuntimeError is asked for, not an assertion.",
      source=changed(SAVED, (COMPLAINT, "assert False, f\"at version {now}, expected {self.version}\"")))
wrong("Saved", "none_when_changed", "A changed value gives None here, and nobody hears of it: raise.",
      source=changed(SAVED, (COMPLAINT, "return None")))
wrong("Saved", "free_does_nothing", "`free` has to let go of the value.", source=changed(SAVED, (GONE, "        pass\n")))
wrong("Saved", "free_by_flag", "Something in this object still refers to the value or to its array: `free` has to let go of both.",
      source=changed(SAVED, ("counted, counted.version", "counted, counted.version\n        self.freed = False"), ("if self.counted is None", "if self.freed"), (GONE, "        self.freed = True\n")))
wrong("Saved", "half_freed", "Something in this object still refers to the value or to its array: `free` has to let go of both.",
      source=changed(SAVED, ("counted, counted.version", "counted, counted.version\n        self.array = counted.data"), ("return self.counted.data", "return self.array")))
wrong("Saved", "freed_array", "`free` deletes the array of the value itself, and others have saved it, too.",
      source=changed(SAVED, (GONE, "        if self.counted is not None:\n            self.counted.data = None\n        self.counted = None\n")))
wrong("Saved", "attribute_error", "After `free` there is an AttributeError, which tells nobody what to do: raise a sentence with retain_graph.",
      source=changed(SAVED, (f"        if self.counted is None:\n            {FREED}\n", "")))
wrong("Saved", "freed_unsaid", "The sentence after `free` has to say what to do: retain_graph.", source=changed(SAVED, (": call the first one with retain_graph=True", "")))
wrong("Saved", "freed_gives_none", "After `free`, `get` gives None, and the rule computes on with it: raise.",
      source=changed(SAVED, (FREED, "return None")))
wrong("Saved", "gives_the_counted", "`get` gives the array, not the value around it.", source=changed(SAVED, ("return self.counted.data", "return self.counted")))
wrong("Saved", "array_noted", "The version has changed, and `get` gives the array: note it when the value is saved, ask the value again at each `get`, and raise where the two differ, whatever the numbers are.",
      source=changed(SAVED, (NOTE, "self.counted, self.version, self.now = counted, counted.version, counted.version"), ("self.counted.version", "self.now")))
wrong("Saved", "get_frees", "`get` lets go of the value, and a rule may read it twice: that is the task of `free`.",
      source=changed(SAVED, ("        return self.counted.data", "        array, self.counted = self.counted.data, None\n        return array")))
OTHERS_HAVE_IT = "`free` deletes the array of the value itself, and others have saved it, too: forget the value in `self`, and change nothing in it."
wrong("Saved", "array_deleted_once", OTHERS_HAVE_IT, source=changed(
    SAVED, (GONE, "        if self.counted is not None:\n            del self.counted.data\n        self.counted = None\n")))
wrong("Saved", "free_once", OTHERS_HAVE_IT, source=changed(SAVED, (GONE, "        del self.counted.data\n        self.counted = None\n")))
wrong("Saved", "copied_at_get", "`get` gives another array than the one that was saved: a view, or a copy, which takes as much memory again. Keep the value itself, note its version, compare.",
      source=changed(SAVED, ("return self.counted.data", "return self.counted.data.copy()")))
wrong("Saved", "free_empties_the_value", OTHERS_HAVE_IT, source=changed(SAVED, (GONE, "        self.counted.data = None\n        self.counted = None\n")))
wrong("Saved", "free_twice_is_refused", "`free` may be called twice.", source=changed(SAVED, (GONE, "        assert self.counted is not None, 'already freed'\n        self.counted = None\n")))
wrong("Saved", "numbers_alone", "Two numbers are no sentence: say which is the version now, and which was expected.",
      source=changed(SAVED, ("it is at version {now}, expected version {self.version}", "{now}, {self.version}"), ("changed in place: ", "")))
wrong("Saved", "deleted_twice", "`free` may be called twice.",
      source=changed(SAVED, ("if self.counted is None", "if not hasattr(self, 'counted')"), (GONE, "        del self.counted\n")))
RAISES_STILL = (
    "The version is again what it was, and `get` raises. Are ints compared by `is not`? Two of the same value need not be one "
    "object: `!=`. Or is an earlier complaint remembered? Compare anew each time."
)
wrong("Saved", "identity", RAISES_STILL,
      source=changed(SAVED, ("self.counted.version != self.version", "self.counted.version is not self.version")))
wrong("Saved", "complaint_remembered", RAISES_STILL,
      source=changed(SAVED, ("counted, counted.version", "counted, counted.version\n        self.changed = False"),
                     ("if self.counted.version != self.version:", "if self.changed or self.counted.version != self.version:\n            self.changed = True")))
wrong("Saved", "gives_the_error", "The error is given back like a value: raise it.",
      source=changed(SAVED, ("            raise RuntimeError(f", "            return RuntimeError(f"), ("            raise RuntimeError(\"freed", "            return RuntimeError(\"freed")))
wrong("Saved", "same_numbers_pass", "The version has changed, and `get` gives the array: note it when the value is saved, ask the value again at each `get`, and raise where the two differ, whatever the numbers are.",
      source=changed(SAVED, ("counted, counted.version", "counted, counted.version\n        self.numbers = np.copy(counted.data)"),
                     ("!= self.version:", "!= self.version and not np.array_equal(self.counted.data, self.numbers):"), (GONE, "        self.counted = self.numbers = None\n")))
for _name, _copy in (("cloned", "counted.clone()"), ("viewed", "counted.view(slice(None))"), ("copied", "counted.copy()")):
    wrong("Saved", _name, "A Saved reads `data` and `version` of what it is given, and nothing else.",
          source=changed(SAVED, ("= counted, counted.version", f"= {_copy}, counted.version")))
wrong("Saved", "array_deleted", "`free` deletes the array of the value itself, and others have saved it, too.",
      source=changed(SAVED, (GONE, "        self.counted.data = None\n")))
wrong("Saved", "array_deleted_and_asked_for", "Once one Saved is freed, another one of the same value has nothing to give: keep what you note in `self` and not in the class, and let `free` forget it there, without a change of the value.",
      source=changed(SAVED, (GONE, "        self.counted.data = None\n"), ("if self.counted is None", "if self.counted.data is None")))
wrong("Saved", "in_the_class", "Once one Saved is freed, another one of the same value has nothing to give: keep what you note in `self` and not in the class, and let `free` forget it there, without a change of the value.",
      source=SAVED.replace("self.counted", "Saved.counted").replace("self.version", "Saved.version"))
wrong("Saved", "own_counter", "A Saved reads `data` and `version` of what it is given, and nothing else.",
      source=changed(SAVED, ("counted, counted.version", "counted, counted.changes[0]")))


wrong("Saved", "one_table", "A Saved that is made after the change silences those before it: each notes its own version.",
      source=changed(SAVED, (NOTE, "self.counted, self.at = counted, id(counted)\n        Saved.noted[id(counted)] = counted.version"),
                     ("    def __init__", "    noted = {}\n\n    def __init__"), ("!= self.version:", "!= Saved.noted[self.at]:"), ("{self.version}", "{Saved.noted[self.at]}")))


wrong("Saved", "commas", "From 1,000 on commas stand in the versions: plain digits are asked for.",
      source=changed(SAVED, ("version {now}, expected version {self.version}", "version {now:,}, expected version {self.version:,}")))


right("Saved", "try", source="""
class Saved:
    def __init__(self, value):
        self.value = [value]
        self.stamp = value.version

    def get(self):
        if not self.value:
            raise RuntimeError("This was freed. Say retain_graph=True in the first backward.")
        (value,) = self.value
        if value.version == self.stamp:
            return value.data
        raise RuntimeError("saved at version %d, now at version %d" % (self.stamp, value.version))

    def free(self):
        self.value.clear()
""")


right("Saved", "with_a_v", source=changed(SAVED, ("it is at version {now}, expected version {self.version}", "version is v{now}, expected v{self.version}")))


right("Saved", "exceptions_of_its_own", source="""
class Changed(RuntimeError):
    def __init__(self, now, then):
        super().__init__(f"the value is at version {now}, and version {then} was saved")


class Saved:
    def __init__(self, counted):
        self.counted, self.version = counted, counted.version

    def get(self):
        if self.counted is None:
            raise RuntimeError("freed: say retain_graph=True")
        if self.counted.version != self.version:
            raise Changed(self.counted.version, self.version)
        return self.counted.data

    def free(self):
        self.counted = None
""")


right("Saved", "closure", source="""
class Saved:
    def __init__(self, counted):
        then = counted.version

        def read():
            if counted.version - then:
                raise RuntimeError(f"version {then} was saved, and it is {counted.version} now")
            return counted.data

        self.read = read

    def get(self):
        return self.read()

    def free(self):
        def nothing():
            raise RuntimeError("freed: backward(retain_graph=True) keeps it")

        self.read = nothing
""")


wrong("Saved", "version_0_is_nothing", "What was saved at version 0 is handed out although it has changed: 0 counts as false. Compare the versions, and nothing else.",
      source=changed(SAVED, ("if self.counted.version != self.version:", "if self.version and self.counted.version != self.version:")))


# -- tanh_node --------------------------------------------------------------------------------------------------------

TANH = """
def tanh_node(x):
    t = np.tanh(x.data)
    out = Node(t, (x,))
    out.back = lambda g: g * (1.0 - t * t)
    return out
"""
RULE = "    out.back = lambda g: g * (1.0 - t * t)\n"


def in_lines(*lines):
    """The answer with a rule of several lines."""
    body = "".join(f"        {line}\n" for line in lines)
    return changed(TANH, (RULE, f"\n    def back(g):\n{body}\n    out.back = back\n"))


wrong("tanh_node", "colleague", "`out` is held by what it holds: by its rule, which needs the array t alone, or by `x`, if `out` was written into it.",
      source=changed(TANH, ("1.0 - t * t", "1.0 - out.data * out.data")))
wrong("tanh_node", "half", "`out` is held by what it holds: by its rule, which needs the array t alone, or by `x`, if `out` was written into it.", source=changed(TANH, ("1.0 - t * t", "1.0 - t * out.data")))
wrong("tanh_node", "default_argument", "`out` is held by what it holds: by its rule, which needs the array t alone, or by `x`, if `out` was written into it.",
      source=changed(TANH, ("lambda g: g * (1.0 - t * t)", "lambda g, out=out: g * (1.0 - out.data * out.data)")))
wrong("tanh_node", "method", "`out` is held by what it holds: by its rule, which needs the array t alone, or by `x`, if `out` was written into it.",
      source=changed(TANH, (RULE, "    import types\n    out.back = types.MethodType(lambda self, g: g * (1.0 - self.data * self.data), out)\n")))
wrong("tanh_node", "a_child_of_x", "`out` is held by what it holds: by its rule, which needs the array t alone, or by `x`, if `out` was written into it.",
      source=changed(TANH, (RULE, "    x.child = out\n" + RULE)))
wrong("tanh_node", "collects", "This calls the collector at each operation: it looks at all objects of the program. Leave no cycle in the first place.",
      source=changed(TANH, ("1.0 - t * t", "1.0 - out.data * out.data"), ("    return out", "    gc.collect()\n    return out")))
wrong("tanh_node", "kept_in_a_list", "A list outside of the function holds every node for good.",
      source="ALL = []\n" + changed(TANH, ("    return out", "    ALL.append(out)\n    return out")))
wrong("tanh_node", "weak_array", "A weak reference gives None once nobody else holds its object: what the rule needs, the array t, the rule has to hold.", source="""
def tanh_node(x):
    import weakref

    t = np.tanh(x.data)
    out = Node(t.copy(), (x,))
    there = weakref.ref(t)
    out.back = lambda g: g * (1.0 - there() * there())
    return out
""")
wrong("tanh_node", "no_parents", "x is not among the parents, so the chain ends here.", source=changed(TANH, ("Node(t, (x,))", "Node(t)")))
wrong("tanh_node", "slope_of_input", "The slope is 1 - t², with t the tanh and not x.", source=changed(TANH, ("1.0 - t * t", "1.0 - x.data * x.data")))
wrong("tanh_node", "g_lost", "The slope is right: multiply it by the g that arrives.", source=changed(TANH, ("g * (1.0 - t * t)", "1.0 - t * t")))
wrong("tanh_node", "not_squared", "The slope is 1 - t².", source=changed(TANH, ("1.0 - t * t", "1.0 - t")))
wrong("tanh_node", "sign", "The slope is 1 - t², not t² - 1.", source=changed(TANH, ("1.0 - t * t", "t * t - 1.0")))
wrong("tanh_node", "wrong_value", "The node's value is tanh of x's data.", source=changed(TANH, ("Node(t, (x,))", "Node(x.data, (x,))")))
wrong("tanh_node", "no_rule", "`out.back` is to be a function of the g that arrives.", source=changed(TANH, (RULE, "")))
wrong("tanh_node", "number_not_rule", "`out.back` is to be a function of the g that arrives.", source=changed(TANH, ("lambda g: g * (1.0 - t * t)", "1.0 - t * t")))
wrong("tanh_node", "frees_itself", "The rule works once: a second backward, with the graph retained, finds nothing.",
      source=changed(TANH, (RULE, "    kept = [1.0 - t * t]\n    out.back = lambda g: g * kept.pop()\n")))
wrong("tanh_node", "gone_after_use", "After its first call the rule is gone, and a graph that is retained goes back twice: `back` has to stay.", source="""
def tanh_node(x):
    out = Node(np.tanh(x.data), (x,))

    def back(g):
        out.back = None
        return g * (1.0 - out.data * out.data)

    out.back = back
    return out
""")
wrong("tanh_node", "back_holds_itself", "The node is let go of, and the array of its tanh is not: something that nobody lets go of holds it. A rule that refers to itself by its own name is such a thing.",
      source=in_lines("back.calls = 1", "return g * (1.0 - t * t)"))
wrong("tanh_node", "arrays_in_a_list", "The node is let go of, and the array of its tanh is not: something that nobody lets go of holds it. A rule that refers to itself by its own name is such a thing.",
      source="VALUES = []\n" + changed(TANH, ("    return out", "    VALUES.append(t)\n    return out")))
wrong("tanh_node", "writes_into_g", "The g that arrives is changed in place, and others may hold it: compute a new array.",
      source=in_lines("g *= 1.0 - t * t", "return g"))
wrong("tanh_node", "squared_before", "The node shows the square of the tanh: its value is the tanh, and the square is an array of its own.",
      source=changed(TANH, ("    out = Node", "    t *= t\n    out = Node"), ("1.0 - t * t", "1.0 - t")))
wrong("tanh_node", "squared_before_and_again", "The node shows the square of the tanh: its value is the tanh, and the square is an array of its own.",
      source=changed(TANH, ("    out = Node", "    t *= t\n    out = Node")))
wrong("tanh_node", "sum_of_squares", "One number, the sum of all squares, stands where each entry needs its own: square entry by entry.",
      source=changed(TANH, ("1.0 - t * t", "1.0 - t.dot(t)")))
wrong("tanh_node", "slope_on_the_node", "`out` is held by what it holds: by its rule, which needs the array t alone, or by `x`, if `out` was written into it.",
      source=changed(TANH, (RULE, "    out.slope = 1.0 - t * t\n    out.back = lambda g: g * out.slope\n")))


wrong("tanh_node", "until_it_goes_back", "The first call of the rule breaks the cycle, and not every node goes back: make the rule without `out` at once.", source="""
def tanh_node(x):
    out = Node(np.tanh(x.data), (x,))

    def back(g):
        t = out.data
        out.back = lambda g: g * (1.0 - t * t)
        return out.back(g)

    out.back = back
    return out
""")
wrong("tanh_node", "by_exponentials", "exp of a large number is infinite, and inf / inf is NaN: `np.tanh` has no such limit.",
      source=changed(TANH, ("t = np.tanh(x.data)", "e = np.exp(2.0 * x.data)\n    t = (e - 1.0) / (e + 1.0)")))


wrong("tanh_node", "overwrites_its_input", "The data of x are overwritten: what is computed from x later reads other numbers. Give the tanh an array of its own.",
      source=changed(TANH, ("np.tanh(x.data)", "np.tanh(x.data, out=x.data)")))
wrong("tanh_node", "overwrites_its_value", "The rule works once: a second backward, with the graph retained, finds other numbers, and so does who reads the node's value.",
      source=in_lines("t[...] = 1.0 - t * t", "return g * t"))
wrong("tanh_node", "sums_the_gradient", "What the rule gives has an entry for each entry of x, and nothing is summed.",
      source=changed(TANH, ("g * (1.0 - t * t)", "np.sum(g * (1.0 - t * t))")))


wrong("tanh_node", "one_array_for_all_calls", "What the rule gave for one g changes when it is called with the next: each call needs a new array.",
      source=changed(TANH, (RULE, "    slope, room = 1.0 - t * t, 0.0 * t\n\n    def back(g):\n        room[...] = slope\n        room[...] = room * g\n        return room\n\n    out.back = back\n")))
wrong("tanh_node", "first_answer_kept", "A second call with another g gives what the first one gave: the rule depends on its g, each time.",
      source=changed(TANH, (RULE, "    found = []\n\n    def back(g):\n        if not found:\n            found.append(g * (1.0 - t * t))\n        return found[0]\n\n    out.back = back\n")))


# What a learner's own style does to an array, and on that machine as well.
right("tanh_node", "in_its_own_array", source=in_lines("d = 1.0 - t * t", "d *= g", "return d"))
for _name, _old, _new in (
    ("a_copy_in_the_node", "Node(t, (x,))", "Node(t.copy(), (x,))"),
    ("a_copy_by_numpy", "Node(t, (x,))", "Node(np.copy(t), (x,))"),
    ("as_floats", "np.tanh(x.data)", "np.tanh(x.data.astype(float))"),
    ("tanh_into_a_copy", "    t = np.tanh(x.data)\n", "    t = x.data.copy()\n    np.tanh(t, out=t)\n"),
    ("tanh_into_an_empty_array", "    t = np.tanh(x.data)\n", "    t = np.empty_like(x.data)\n    t[...] = np.tanh(x.data)\n"),
    ("by_functions", "g * (1.0 - t * t)", "np.multiply(g, np.subtract(np.ones_like(t), np.square(t)))"),
    ("by_cosh", "g * (1.0 - t * t)", "g * (1.0 - t) * (1.0 + t)"),
):
    right("tanh_node", _name, source=changed(TANH, (_old, _new)))
right("tanh_node", "filled", source=in_lines("d = np.zeros_like(t)", "d += g", "d -= g * t**2", "return d"))


@right("tanh_node", "slope_first")
def tanh_node(x):
    out = Node(np.tanh(x.data), (x,))
    slope = 1.0 - out.data**2

    def back(g):
        return slope * g

    out.back = back
    return out


@right("tanh_node", "weak")
def tanh_node(x):
    out = Node(np.tanh(x.data), [x])
    out.back = lambda g, t=out.data: g - g * t * t
    return out


@right("tanh_node", "a_weak_reference")
def tanh_node(x):
    import weakref

    out = Node(np.tanh(x.data), (x,))
    here = weakref.ref(out)
    out.back = lambda g: g * (1.0 - here().data ** 2)
    return out


@right("tanh_node", "from_the_input")
def tanh_node(x):
    def back(g):
        return g * (1 - np.tanh(x.data) ** 2)

    out = Node(np.tanh(x.data), (x,))
    out.back = back
    return out


wrong("tanh_node", "squared_in_place", "The rule writes into the array that the node shows, so its value is spoiled, and a second call of the rule finds another one. Make a new array.",
      source=in_lines("np.square(t, out=t)", "return g * (1.0 - t)"))


# -- checkpointed -----------------------------------------------------------------------------------------------------

# The way forward, and the way back.
FORWARD = """
def checkpointed(layers, x, slope, every):
    kept = []
    for i, layer in enumerate(layers):
        if i % every == 0:
            kept.append(x)
        x = layer(x)
    g = slope(x)
"""
BY_PARTS = """\
    for start in reversed(range(0, len(layers), every)):
        part, inputs = layers[start : start + every], [kept.pop()]
        for layer in part[:-1]:
            inputs.append(layer(inputs[-1]))
        for layer in reversed(part):
            g = layer.backward(inputs.pop(), g)
    return g
"""
CHECKPOINTED = FORWARD + BY_PARTS
PARTS_BACKWARD, LAYERS_BACKWARD = "reversed(range(0, len(layers), every))", "        for layer in reversed(part)"
# The last output is let go of after `slope`: then the machine has other counts.
OUTPUT_LET_GO = ("    g = slope(x)\n", "    g = slope(x)\n    del x\n")
LET_GO = changed(CHECKPOINTED, OUTPUT_LET_GO)
BY_PLACE = ("kept.pop()", "kept[start // every]")
# Nothing but x is kept on the way forward.
X_KEPT = """
def checkpointed(layers, x, slope, every):
    out = x
    for layer in layers:
        out = layer(out)
    g = slope(out)
"""
FROM_X = X_KEPT + """\
    for i in reversed(range(len(layers))):
        h = x
        for layer in layers[:i]:
            h = layer(h)
        g = layers[i].backward(h, g)
    return g
"""
PARTS_FROM_X = X_KEPT + changed(
    BY_PARTS, ("        part", "        h = x\n        for layer in layers[:start]:\n            h = layer(h)\n        part"), ("kept.pop()", "h"))
ALL_KEPT = """
def checkpointed(layers, x, slope, every):
    inputs = [x]
    for layer in layers:
        inputs.append(layer(inputs[-1]))
    g = slope(inputs.pop())
    for layer in reversed(layers):
        g = layer.backward(inputs.pop(), g)
    return g
"""

wrong("checkpointed", "keeps_all", "All inputs are kept: that is `keep_all`.", source=ALL_KEPT)
wrong("checkpointed", "keeps_x_only", "Each layer's input is computed from x again: start from what was kept for its part.", source=FROM_X)
wrong("checkpointed", "whole_again", "The whole network is run again for each part: start from the part's own input.", source=X_KEPT + """\
    for start in reversed(range(0, len(layers), every)):
        h, inputs = x, []
        for i, layer in enumerate(layers[: start + every]):
            if i >= start:
                inputs.append(h)
            h = layer(h)
        for layer in reversed(layers[start : start + every]):
            g = layer.backward(inputs.pop(), g)
    return g
""")
wrong("checkpointed", "kept_to_the_end", "What a part began with stays after the part is done: `kept.pop()` lets go of it, `kept[i]` does not.",
      source=changed(CHECKPOINTED, BY_PLACE))
AGAIN = (("part[:-1]", "part"), (LAYERS_BACKWARD, "        inputs.pop()\n" + LAYERS_BACKWARD))
# h goes from layer to layer, and so behind the last one of its part.
TO_THE_END = changed(CHECKPOINTED, ("part, inputs = layers[start : start + every], [kept.pop()]", "part, h, inputs = layers[start : start + every], kept.pop(), []"),
                     ("part[:-1]", "part"), ("inputs.append(layer(inputs[-1]))", "inputs.append(h)\n            h = layer(h)"))
H_LET_GO = ("h = layer(h)\n", "h = layer(h)\n        del h\n")

for _name, _source in (
    ("", changed(CHECKPOINTED, *AGAIN)),
    ("_and_held", TO_THE_END),
    ("_by_place_and_held", changed(TO_THE_END, BY_PLACE)),
    ("_and_let_go", changed(TO_THE_END, H_LET_GO)),
    ("_by_place_and_let_go", changed(TO_THE_END, BY_PLACE, H_LET_GO)),
    ("_without_the_output", changed(LET_GO, *AGAIN)),
    ("_without_the_output_and_held", changed(TO_THE_END, OUTPUT_LET_GO)),
    ("_without_the_output_and_let_go", changed(TO_THE_END, OUTPUT_LET_GO, H_LET_GO)),
):
    wrong("checkpointed", f"part_s_end_again{_name}", "The last layer of each part is run again, and nobody needs what it gives.", source=_source)

BORDERS = changed(CHECKPOINTED, ("kept = []", "kept = [x]"), ("enumerate(layers)", "enumerate(layers, 1)"),
                  ("        if i % every == 0:\n            kept.append(x)\n        x = layer(x)\n", "        x = layer(x)\n        if i % every == 0:\n            kept.append(x)\n"))

wrong("checkpointed", "last_border_dropped", "The last part, here layer 6 alone, goes back with the input of layer 3: the input of its own first layer was not kept, or was taken out before. Only where all parts are whole does a border lie behind the last layer.",
      source=changed(BORDERS, ("    g = slope(x)\n", "    g = slope(x)\n    kept.pop()\n")))
wrong("checkpointed", "border_behind_the_last_layer", "The last part, layers 4 and 5, begins with the output of layer 5: what was kept last lies behind all layers, and is no part's input.",
      source=BORDERS)
wrong("checkpointed", "again_for_each_layer", "Within a part each input is computed from the part's start again: keep them for as long as the part takes.", source=FORWARD + """\
    for i in reversed(range(len(layers))):
        h = kept[i // every]
        for layer in layers[i // every * every : i]:
            h = layer(h)
        g = layers[i].backward(h, g)
    return g
""")
wrong("checkpointed", "nothing_let_go", "What was computed again is never let go of: it piles up, part by part.",
      source=changed(CHECKPOINTED, ("    kept = []\n", "    kept, piled = [], []\n"), (LAYERS_BACKWARD, "        piled += inputs\n" + LAYERS_BACKWARD)))
wrong("checkpointed", "inputs_stay", "The inputs of a part stay until the part is done: let go of each when its layer has been there (`pop`).",
      source=changed(CHECKPOINTED, ("        for layer in reversed(part):\n            g = layer.backward(inputs.pop(), g)", "        for layer, h in zip(reversed(part), reversed(inputs)):\n            g = layer.backward(h, g)")))
wrong("checkpointed", "kept_in_order", "The parts come from the last to the first, and so do their inputs.", source=changed(CHECKPOINTED, ("[kept.pop()]", "[kept.pop(0)]")))
wrong("checkpointed", "parts_in_order", "Go back: the last part first.", source=changed(CHECKPOINTED, (PARTS_BACKWARD, "range(0, len(layers), every)")))
wrong("checkpointed", "layers_in_order", "Within a part, too, the last layer comes first.", source=changed(CHECKPOINTED, ("for layer in reversed(part)", "for layer in part")))
wrong("checkpointed", "outputs_kept", "What is kept has to be the input of a part's first layer; here it is that layer's output.",
      source=changed(CHECKPOINTED, ("        if i % every == 0:\n            kept.append(x)\n        x = layer(x)\n", "        x = layer(x)\n        if i % every == 0:\n            kept.append(x)\n")))
wrong("checkpointed", "slope_of_input", "`slope` gets the last output: a forward pass goes before it.", source=changed(CHECKPOINTED, ("    kept = []\n", "    kept, g = [], slope(x)\n"), ("    g = slope(x)\n", "")))
wrong("checkpointed", "short_part_lost", "The last part is shorter when the layers do not divide evenly, and is left out.",
      source=changed(CHECKPOINTED, (PARTS_BACKWARD, "reversed(range(0, len(layers) // every * every, every))"), ("    g = slope(x)\n", "    g = slope(x)\n    if len(layers) % every:\n        kept.pop()\n")))
wrong("checkpointed", "short_part_left", "The last part is shorter when the layers do not divide evenly, and is left out.",
      source=changed(CHECKPOINTED, ("range(0, len(layers), every))", "range(0, len(layers) - every + 1, every))"), BY_PLACE))
FROM_THE_END = ((PARTS_BACKWARD, "range(len(layers) - every, -every, -every)"), ("layers[start : start + every]", "layers[max(start, 0) : start + every]"))
FULL_FROM_THE_END = (PARTS_BACKWARD, "range(len(layers) - every, -1, -every)")

for _name, _source in (
    ("first", changed(CHECKPOINTED, *FROM_THE_END)),
    ("first_by_place", changed(CHECKPOINTED, *FROM_THE_END, ("kept.pop()", "kept[max(start, 0) // every]"))),
    ("first_without_the_output", changed(LET_GO, *FROM_THE_END)),
    ("forgotten", changed(CHECKPOINTED, FULL_FROM_THE_END)),
    ("forgotten_without_the_output", changed(LET_GO, FULL_FROM_THE_END)),
):
    wrong("checkpointed", f"short_part_{_name}", "This part begins where no input was kept: parts begin at 0, `every`, 2 · `every` and so on, and the last of them may be short.", source=_source)
wrong("checkpointed", "number_of_parts", "`every` is the length of a part, not how many parts there are.",
      source=changed(CHECKPOINTED, ("    kept = []\n", "    kept, every = [], -(-len(layers) // every)\n")))
wrong("checkpointed", "returns_nothing", "Return the gradient of x.", source=changed(CHECKPOINTED, ("    return g\n", "")))
wrong("checkpointed", "returns_the_output", "Return the gradient of x, not the output.", source=changed(CHECKPOINTED, ("    return g\n", "    return x\n")))
wrong("checkpointed", "arguments_exchanged", "`layer.backward(x, g)` takes the layer's input first, and then the gradient.",
      source=changed(CHECKPOINTED, ("layer.backward(inputs.pop(), g)", "layer.backward(g, inputs.pop())")))
wrong("checkpointed", "output_as_input", "A layer's `backward` takes its input, and here it gets what it gave.",
      source=changed(CHECKPOINTED, ("        for layer in part[:-1]", "        for layer in part"), (LAYERS_BACKWARD, "        inputs.pop(0)\n" + LAYERS_BACKWARD)))
wrong("checkpointed", "in_place_of_the_list", "`layers` is the caller's list: taking layers out of it leaves the network empty.",
      source="""
def checkpointed(layers, x, slope, every):
    kept, n = [], len(layers)
    for i in range(n):
        if i % every == 0:
            kept.append(x)
        x = layers[i](x)
    g = slope(x)
    while layers:
        size = (len(layers) - 1) % every + 1
        inputs = [kept.pop()]
        for layer in layers[-size:-1]:
            inputs.append(layer(inputs[-1]))
        for _ in range(size):
            g = layers.pop().backward(inputs.pop(), g)
    return g
""")
wrong("checkpointed", "turned_around", "`layers` is the caller's list, and it is turned around in place: `reversed(layers)` or `layers[::-1]` leave it as it was.",
      source=changed(CHECKPOINTED, ("    g = slope(x)\n    for start in reversed(range(0, len(layers), every)):\n        part, inputs = layers[start : start + every], [kept.pop()]\n",
                                    "    g, n = slope(x), len(layers)\n    layers.reverse()\n    for start in reversed(range(0, n, every)):\n        part, inputs = layers[max(0, n - start - every) : n - start][::-1], [kept.pop()]\n")))
wrong("checkpointed", "nothing_popped", "What was kept, and the inputs of a part, are read and stay: let go of each where it was needed last (`pop`).",
      source=changed(CHECKPOINTED, BY_PLACE, ("        for layer in reversed(part):\n            g = layer.backward(inputs.pop(), g)", "        for i in reversed(range(len(part))):\n            g = part[i].backward(inputs[i], g)")))
wrong("checkpointed", "parts_from_x", "To come to a part, all before it is run again from x: start from what was kept for it.", source=PARTS_FROM_X)
wrong("checkpointed", "first_part_first", "Each part finds its own inputs, and the parts go from the first to the last: the gradient arrives at the last.",
      source=changed(CHECKPOINTED, (PARTS_BACKWARD, "range(0, len(layers), every)"), ("[kept.pop()]", "[kept.pop(0)]")))
wrong("checkpointed", "no_slope", "The last output is taken for the gradient that arrives there: `slope(out)` gives that.",
      source=changed(CHECKPOINTED, ("g = slope(x)", "g = x")))
wrong("checkpointed", "slope_of_each_part", "`slope` is for the last output alone: at the end of another part arrives what the part behind it gave.",
      source=changed(CHECKPOINTED, ("    g = slope(x)\n", ""), ("part[:-1]", "part"), (LAYERS_BACKWARD, "        g = slope(inputs.pop())\n" + LAYERS_BACKWARD)))


right("checkpointed", "output_held", source=CHECKPOINTED)

for _name, _sentence, *_changes in (
    ("overlapping", "Two parts share a layer: it ends one and begins the next, and so goes back twice.", ("start : start + every]", "start : start + every + 1]")),
    ("short_part_passed_over", "The last part is shorter when the layers do not divide evenly, and is passed over; what was kept for it goes to the part before.",
     ("range(0, len(layers), every))", "range(0, len(layers) // every * every, every))")),
    ("last_input_for_all", "Each layer of a part goes back with the part's last input: take it out of the list (`pop`), and the one before comes next.", ("inputs.pop(), g)", "inputs[-1], g)")),
    ("slope_at_each_layer", "`slope` is for the last output alone: at each layer before arrives what the one behind it gave.", ("inputs.pop(), g)", "inputs.pop(), slope(g))")),
    ("from_the_kept_one", "Within a part each layer runs on what the one before gave; here it gets an input that was kept.", ("layer(inputs[-1])", "layer(kept[-1] if kept else inputs[0])")),
    ("from_the_start_of_the_part", "Within a part each layer runs on what the one before gave; here each one gets the part's own start.", ("layer(inputs[-1])", "layer(inputs[0])")),
):
    wrong("checkpointed", _name, _sentence, source=changed(CHECKPOINTED, *_changes))
    wrong("checkpointed", f"{_name}_and_output_let_go", _sentence, source=changed(LET_GO, *_changes))
wrong("checkpointed", "parts_from_x_and_output_let_go", "To come to a part, all before it is run again from x: start from what was kept for it.",
      source=changed(PARTS_FROM_X, ("    g = slope(out)\n", "    g = slope(out)\n    del out\n")))


@right("checkpointed", "dict")
def checkpointed(layers, x, slope, every):
    n, kept = len(layers), {}
    h = x
    for i in range(n):
        if not i % every:
            kept[i] = h
        h = layers[i](h)
    g = slope(h)
    del h
    for i in range(n - 1, -1, -1):
        start = i - i % every
        for j in range(start, i):
            if j + 1 not in kept:
                kept[j + 1] = layers[j](kept[j])
        g = layers[i].backward(kept.pop(i), g)
    return g


@right("checkpointed", "helper")
def checkpointed(layers, x, slope, every):
    def back(part, x, g):
        if not part:
            return g
        return part[0].backward(x, g if len(part) == 1 else back(part[1:], part[0](x), g))

    parts = [layers[i : i + every] for i in range(0, len(layers), every)]
    starts = []
    for part in parts:
        starts.append(x)
        for layer in part:
            x = layer(x)
    g = slope(x)
    for part in parts[::-1]:
        g = back(part, starts.pop(), g)
    return g


wrong("checkpointed", "long_parts_refused", "An `every` that is larger than the number of layers is refused. There is one part then, and x alone is kept.",
      source=changed(CHECKPOINTED, ("    kept = []\n", "    if every > len(layers):\n        raise ValueError(\"a part is longer than the network\")\n    kept = []\n")))


wrong("checkpointed", "from_the_beginning_each_time", "Within a part, each layer's input is computed from the part's beginning anew: 2 + 1 runs for three layers, where 2 are enough. Run a part once, and keep its inputs for the way back.",
      source=changed(FORWARD, OUTPUT_LET_GO) + """\
    for start in reversed(range(0, len(layers), every)):
        border = kept.pop()
        for j in reversed(range(start, min(start + every, len(layers)))):
            h = border
            for layer in layers[start:j]:
                h = layer(h)
            g = layers[j].backward(h, g)
    return g
""")


wrong("checkpointed", "last_part_run_to_its_end", "The last part may be shorter than `every`: here its only layer is run again, and what it gives stands where its input should. Run again all layers of the part but its last: `part[:-1]`.",
      source=changed(LET_GO, ("part[:-1]", "layers[start : start + every - 1]")))


# -- in_little_memory -------------------------------------------------------------------------------------------------

LITTLE = """
def in_little_memory(layers, x, slope):
    def back(part, x, g):
        if len(part) <= 1:
            return part[0].backward(x, g) if part else g
        half, middle = len(part) // 2, x
        for layer in part[:half]:
            middle = layer(middle)
        g = back(part[half:], middle, g)
        del middle
        return back(part[:half], x, g)

    out = x
    for layer in layers:
        out = layer(out)
    return back(layers, x, slope(out))
"""
WAY_BACK = "        g = back(part[half:], middle, g)\n        del middle\n        return back(part[:half], x, g)"
SHORTEST = "        if len(part) <= 1:\n            return part[0].backward(x, g) if part else g\n"
FIRST_PASS = "    out = x\n    for layer in layers:\n        out = layer(out)\n"
TO_THE_MIDDLE = "        for layer in part[:half]:\n            middle = layer(middle)\n"
# The answers to checkpointed, for this exercise.
HERE = ("def checkpointed(layers, x, slope, every)", "def in_little_memory(layers, x, slope)")

wrong("in_little_memory", "keeps_all", "All inputs are kept.", source=changed(ALL_KEPT, HERE))
wrong("in_little_memory", "root", "Parts of one length need about twice the root of n: more than 16. Divide the parts again.",
      source=changed(CHECKPOINTED, HERE, ("kept = []", "every, kept = round(len(layers) ** 0.5), []")))
wrong("in_little_memory", "from_x", "For each layer all before it are run again from x: about 128 times 64 runs. Keep something in the middle.",
      source=changed(FROM_X, HERE))
wrong("in_little_memory", "from_x_each_time", "For each layer all before it are run again from x: about 128 times 64 runs. Keep something in the middle.", source="""
def in_little_memory(layers, x, slope):
    def to(n):
        h = x
        for layer in layers[:n]:
            h = layer(h)
        return h

    g = slope(to(len(layers)))
    for i in range(len(layers) - 1, -1, -1):
        g = layers[i].backward(to(i), g)
    return g
""")
PAST_THE_END = "An index is past the end: there may be one layer alone, and half of that are none. Or are the parts those of 128 layers?"
HALVES = {
    "last_of_odd_left_out": ("A layer never goes back: of a part with an odd number of layers the second half is one longer than the first, `part[half:]`.",
                             ("back(part[half:], middle, g)", "back(part[half : 2 * half], middle, g)")),
    "one_off": ("The first part is the first layer alone, and the rest is nearly as long as before: halve.", ("len(part) // 2, x", "1, x")),
    "all_but_one": ("For each layer all before it are run again from x: about 128 times 64 runs. Keep something in the middle.", ("len(part) // 2, x", "len(part) - 1, x")),
    "first_half_first": ("Go back: through the second half first, with the g that arrives at its end.",
                         (WAY_BACK, "        g = back(part[:half], x, g)\n        return back(part[half:], middle, g)")),
    "second_half_from_x": ("The second half starts at the middle, not at x.", ("back(part[half:], middle, g)", "back(part[half:], x, g)")),
    "half_lost": ("After the second half the first is still to come.", ("return back(part[:half], x, g)", "return g")),
    "slope_of_input": ("`slope` gets the last output: a forward pass goes before it.", ("slope(out)", "slope(x)")),
    "keeps_the_way": ("More is kept than the middles of the calls that wait: let go of the way to a middle, and of each middle when its half is done.",
                      ("half, middle = len(part) // 2, x", "half, middle, way = len(part) // 2, x, []"), (TO_THE_MIDDLE, TO_THE_MIDDLE + "            way.append(middle)\n")),
    "forward_kept": ("The first forward pass keeps all that it computes.",
                     (FIRST_PASS, "    outs = [x]\n    for layer in layers:\n        outs.append(layer(outs[-1]))\n"), ("slope(out)", "slope(outs[-1])")),
    "one_layer_only": ("Of one layer there is nothing to halve: take its `backward`.", (SHORTEST, "        if not part:\n            return g\n")),
    "two_at_the_end": ("A part of two layers is treated as one, and a layer is left out.", ("if len(part) <= 1", "if len(part) <= 2")),
    "g_not_passed": ("The first half needs the g that comes out of the second.", ("g = back(part[half:], middle, g)", "back(part[half:], middle, g)")),
    "returns_nothing": ("Return the gradient of x.", ("return back(layers, x, slope(out))", "back(layers, x, slope(out))")),
    "behind_the_half": (PAST_THE_END, (SHORTEST, "        if not part:\n            return g\n"), ("back(part[half:], middle, g)", "part[half + 1].backward(middle, g)")),
    "counts_on_128": (PAST_THE_END, ("back(layers, x, slope(out))", "back([layers[i] for i in range(128)], x, slope(out))")),
    "even_only": ("Of an odd number of layers one is left out: the second half begins at `half` and goes on to the end.",
                  ("back(part[half:], middle, g)", "back(part[half : 2 * half], middle, g)")),
    "both_halves_run": ("Each call runs all of its layers, and needs the first half alone: only the middle is to be found.",
                        (TO_THE_MIDDLE, "        h = x\n        for i, layer in enumerate(part):\n            if i == half:\n                middle = h\n            h = layer(h)\n        del h\n")),
}
for _name, (_sentence, *_changes) in HALVES.items():
    wrong("in_little_memory", _name, _sentence, source=changed(LITTLE, *_changes), ends=_name != "one_layer_only")

PARTS = changed(CHECKPOINTED, HERE, ("every", "EVERY"), ("    g = slope(x)\n", "    g = slope(x)\n    AFTER\n"),
                ("for start in reversed(range(0, len(layers), EVERY))", "while kept"), ("start : start + EVERY", "EVERY * (len(kept) - 1) : EVERY * len(kept)"))

for _every in (4, 8, 10, 11, 12, 16):
    wrong("in_little_memory", f"parts_of_{_every}", "Parts of one length: the inputs kept for them, and those of one part, are more than 16. Divide the parts again.",
          source=changed(PARTS, ("EVERY", f"{_every}"), ("AFTER", "pass")))
    wrong("in_little_memory", f"parts_of_{_every}_without_the_output", "Parts of one length: the inputs kept for them, and those of one part, are more than 16. Divide the parts again.",
          source=changed(PARTS, ("EVERY", f"{_every}"), ("AFTER", "del x")))
wrong("in_little_memory", "one_step_too_far", "The middle is the input of the second half: run `half` layers, and no more.",
      source=changed(LITTLE, ("for layer in part[:half]:", "for layer in part[: half + 1]:")))
wrong("in_little_memory", "middles_kept", "More is kept than the middles of the calls that wait: let go of the way to a middle, and of each middle when its half is done.",
      source="MIDDLES = []\n" + changed(LITTLE, ("        g = back(part[half:], middle, g)\n", "        MIDDLES.append(middle)\n        g = back(part[half:], middle, g)\n")))
wrong("in_little_memory", "middle_held", "While the first half is gone back through, the waiting call still holds its middle: `del` it, or let no name hold it.",
      source=changed(LITTLE, ("        del middle\n", "")))
wrong("in_little_memory", "both_in_one_line", "While the first half is gone back through, the waiting call still holds its middle, and the g that arrived at its end: let no name hold what is not needed any more.",
      source=changed(LITTLE, (WAY_BACK, "        return back(part[:half], x, back(part[half:], middle, g))")))
wrong("in_little_memory", "g_under_two_names", "While the first half is gone back through, the waiting call still holds its middle, and the g that arrived at its end: let no name hold what is not needed any more.",
      source=changed(LITTLE, (WAY_BACK, "        up = back(part[half:], middle, g)\n        return back(part[:half], x, up)")))
wrong("in_little_memory", "remembered", "All inputs are kept.", source="""
def in_little_memory(layers, x, slope):
    known = {0: x}

    def at(i):
        if i not in known:
            known[i] = layers[i - 1](at(i - 1))
        return known[i]

    g = slope(at(len(layers)))
    for i in reversed(range(len(layers))):
        g = layers[i].backward(at(i), g)
    return g
""")
DOWN_TO = changed(LITTLE, (SHORTEST, """\
        if len(part) <= SHORT:
            inputs = [x]
            for layer in part[:-1]:
                inputs.append(layer(inputs[-1]))
            for layer in reversed(part):
                g = layer.backward(inputs.pop(), g)
            return g
"""))
wrong("in_little_memory", "root_without_the_output", "Parts of one length need about twice the root of n: more than 16. Divide the parts again.",
      source=changed(PARTS, ("EVERY", "every"), ("    kept = []\n", "    every, kept = max(1, round(len(layers) ** 0.5)), []\n"), ("AFTER", "del x")))
wrong("in_little_memory", "root_rounded_up", "Parts of one length need about twice the root of n: more than 16. Divide the parts again.",
      source=changed(PARTS, ("EVERY", "every"), ("    kept = []\n", "    every, kept = int(np.ceil(np.sqrt(len(layers)))), []\n"), ("AFTER", "del x")))
SLOPE_OF_HALVES = """
def in_little_memory(layers, x, slope):
    if len(layers) == 1:
        return layers[0].backward(x, slope(layers[0](x)))
    half, middle = len(layers) // 2, x
    for layer in layers[:half]:
        middle = layer(middle)
    in_little_memory(layers[half:], middle, slope)
    del middle
    return in_little_memory(layers[:half], x, slope)
"""
wrong("in_little_memory", "slope_of_each_half", "`slope` is for the last output alone: at the end of the first half arrives what the second half gave.",
      source=SLOPE_OF_HALVES)
wrong("in_little_memory", "slope_for_each_half", "`slope` is for the last output alone: at the end of the first half arrives what the second half gave.",
      source=changed(SLOPE_OF_HALVES, ("    in_little_memory(layers[half:]", "    g = in_little_memory(layers[half:]")))
wrong("in_little_memory", "slope_of_x", "`slope` gets the last output: a forward pass goes before it.",
      source=changed(LITTLE, (FIRST_PASS, ""), ("slope(out)", "slope(x)")))
wrong("in_little_memory", "halved_once", "The layers are halved once, and of each half all inputs are kept: divide the halves again.", source="""
def in_little_memory(layers, x, slope):
    half, middle = len(layers) // 2, x
    for layer in layers[:half]:
        middle = layer(middle)
    h, inputs = middle, []
    for layer in layers[half:]:
        inputs.append(h)
        h = layer(h)
    g = slope(h)
    for layer in reversed(layers[half:]):
        g = layer.backward(inputs.pop(), g)
    h = x
    for layer in layers[:half]:
        inputs.append(h)
        h = layer(h)
    for layer in reversed(layers[:half]):
        g = layer.backward(inputs.pop(), g)
    return g
""")
# Where the last output is let go of after `slope`, the machine has other counts.
WITHOUT_THE_OUTPUT = ("    return back(layers, x, slope(out))", "    g = slope(out)\n    del out\n    return back(layers, x, g)")
for _name in ("first_half_first", "second_half_from_x", "half_lost", "g_not_passed", "both_halves_run"):
    _sentence, *_changes = HALVES[_name]
    wrong("in_little_memory", f"{_name}_and_output_let_go", _sentence, source=changed(LITTLE, WITHOUT_THE_OUTPUT, *_changes))
for _end, _source in (("", DOWN_TO), ("_without_the_output", changed(DOWN_TO, WITHOUT_THE_OUTPUT))):
    for _short in (16, 32):
        wrong("in_little_memory", f"halved_down_to_{_short}{_end}", "Parts are halved, and from some length on all inputs of a part are kept: too many still. Halve further.",
              source=changed(_source, ("SHORT", f"{_short}")))


@right("in_little_memory", "three_levels")
def in_little_memory(layers, x, slope):
    def run(first, last, x):
        for layer in layers[first:last]:
            x = layer(x)
        return x

    def back(first, last, x, g):
        n = last - first
        if n == 1:
            return layers[first].backward(x, g)
        size = max(1, round(n / 7)) if n > 7 else 1
        borders = list(range(first, last, size))
        kept = [x]
        for a, b in zip(borders, borders[1:]):
            kept.append(run(a, b, kept[-1]))
        for a, b in zip(borders[::-1], [last, *borders[:0:-1]]):
            g = back(a, b, kept.pop(), g)
        return g

    return back(0, len(layers), x, slope(run(0, len(layers), x)))


@right("in_little_memory", "a_stack")
def in_little_memory(layers, x, slope):
    h = x
    for layer in layers:
        h = layer(h)
    g, stack = slope(h), [(0, len(layers), x)]
    del x, h
    while stack:
        first, last, h = stack.pop()
        while last - first > 1:
            middle = (first + last) // 2
            stack.append((first, middle, h))
            for layer in layers[first:middle]:
                h = layer(h)
            first = middle
        g = layers[first].backward(h, g)
    return g


right("in_little_memory", "halved_down_to_8", source=changed(DOWN_TO, ("SHORT", "8")))


wrong("in_little_memory", "parts_rounded_down", "n // 8 is rounded down, and there may be twice as many parts as wanted, with an input for each: round up.",
      source=changed(LITTLE, (FIRST_PASS + "    return back(layers, x, slope(out))\n", """\
    size, kept = max(1, len(layers) // 8), []
    for start in range(0, len(layers), size):
        kept.append(x)
        for layer in layers[start : start + size]:
            x = layer(x)
    g = slope(x)
    del x
    for start in reversed(range(0, len(layers), size)):
        g = back(layers[start : start + size], kept.pop(), g)
    return g
""")))
