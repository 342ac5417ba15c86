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
#     unit: 12_graph_life
#     allow: [autograd_ref.tensor, autograd_ref.ops, autograd_ref.sweep, autograd_ref.modes, autograd_ref.nn, autograd_ref.optim, autograd_ref.functional, autograd_ref.graph, autograd_ref.plots, autograd_ref.utils]
#     title: "The life of a graph: who keeps what alive"
# ---

# %% [markdown]
# # The life of a graph: who keeps what alive
#
# Three loops over one network. What to see: in training the memory rises in the forward pass and falls in `backward`; a
# list of losses lets nothing go; under `no_grad` nothing is kept.

# %% figure="goal" keep=true
def goal():
    from contextlib import nullcontext

    import numpy as np

    from autograd_ref import Tensor, no_grad, plots

    def held(things):
        arrays, stack = {}, [t.grad_fn for t in things if t.grad_fn is not None]
        while stack:
            node = stack.pop()
            arrays |= {id(a): a.nbytes for a in node.saved or () if isinstance(a, np.ndarray) and id(a) not in always}
            stack += [p for p in node.parents if p is not None and not isinstance(p, Tensor)]
        return sum(arrays.values()) / 1000

    rng, found = np.random.default_rng(0), {}
    x = Tensor(rng.standard_normal((64, 32)))
    weights = [Tensor(rng.normal(0, 0.2, (32, 32)), requires_grad=True) for _ in range(4)]
    always = {id(x.data), *(id(w.data) for w in weights)}
    for name in ("train", "a list of losses", "a list, under no_grad"):
        kept, levels = [], [0.0]
        for _ in range(5):
            h = x
            with no_grad() if "no_grad" in name else nullcontext():
                for w in weights:
                    h = (h @ w).tanh()
                    levels.append(held([*kept, h]))
                loss = (h * h).mean()
            del h
            if name == "train":
                loss.backward()
            else:
                kept.append(loss)
            levels += [held([*kept, loss])] * 2
        found[name] = levels
    curves = {name: ([k / 6 for k in range(len(levels))], levels) for name, levels in found.items()}
    ax = plots.lines(curves, title="Kilobytes that graphs hold, beside the weights and x", xlabel="step: layer by layer, then back", ylabel="kB")
    ax.set_xticks(range(6))


goal()

# %% setup="imports"
import gc
import weakref

import numpy as np

from autograd_ref import Function, Tensor, enable_grad, nn, no_grad, plots
from autograd_ref.modes import is_grad_enabled
from autograd_ref.utils.checkpoint import checkpoint as engine_checkpoint
from autograder import exercise, predicted, probe, recall


class Refused(Exception):
    """That machine says why it does not do what it was asked."""


class Unknown(Refused, AttributeError):
    """What an array on another machine does not have."""


class Far(np.lib.mixins.NDArrayOperatorsMixin):
    """An array on another machine: a number that stands for it. When nobody holds this any more, it is forgotten there.

    A change in place computes a new array there, for which this one stands from then on.
    """

    KNOWS = "an array on another machine knows arithmetic, NumPy's functions of one entry at a time, `out=`, `copy`, `astype`"

    def __init__(self, link, number):
        self.link, self.number = link, number

    def __del__(self):
        self.link.gone.append(self.number)

    def __array_ufunc__(self, ufunc, method, *parts, out=(None,), **options):
        whole = [part for part in (*parts, *out) if not isinstance(part, Far) and (isinstance(part, (list, tuple)) or np.ndim(part))]
        wanted = f"{ufunc.__name__}{'' if method == '__call__' else f'.{method}'}"
        if wanted not in FAR_OPERATIONS or options or whole or isinstance(out[0], np.ndarray):
            with_what = " with such options" if wanted in FAR_OPERATIONS else ""
            if whole:
                here = isinstance(whole[0], np.ndarray)
                with_what = f" with {'an array of this one' if here else f'a {type(whole[0]).__name__}'}"
            raise Refused(f"{self.KNOWS}: not `np.{wanted}`{with_what}")
        found = self.link(ufunc.__name__, *parts)
        if out[0] is None:
            return found
        out[0].number, found.number = found.number, out[0].number
        return out[0]

    def __array_function__(self, function, types, parts, options):
        name = function.__name__
        if name not in ("copy", "ones_like", "zeros_like", "empty_like"):
            raise Refused(f"{self.KNOWS}: not `np.{name}`")
        return +self if name == "copy" else self**0 if name == "ones_like" else self**0 - 1

    def __array__(self, *_, **__):
        raise Refused(f"{self.KNOWS}: it cannot be made an array of this one")

    def __getitem__(self, where):
        if not (where is ... or (isinstance(where, slice) and where == slice(None))):
            raise Refused(f"{self.KNOWS}: no entries")
        return self

    def __setitem__(self, where, value):
        np.multiply(self**0, value, out=self[where])

    def __getattr__(self, name):
        raise Unknown(f"{self.KNOWS}: no `{name}`")

    def copy(self, *_, **__):
        return +self

    astype = __copy__ = __deepcopy__ = copy


class Link:
    """The way to that machine."""

    def __init__(self, ask):
        self.ask, self.gone, self.held, self.most, self.count = ask, [], 0, 0, 0

    def told(self, kind, *parts):
        """What the machine says to (kind, parts); it hears which arrays are held no more."""
        sent = [part.number if isinstance(part, Far) else float(part) for part in parts]
        which = [isinstance(part, Far) for part in parts]
        self.gone, gone = [], self.gone
        self.held += (kind != "end") - len(gone)
        self.most, self.count = max(self.most, self.held), self.count + 1
        try:
            return self.ask((self.word(kind, sent), kind, sent, which, gone))
        except ValueError as error:
            raise Refused(f"refused: {error}") from None

    def word(self, kind, sent):
        """What a question is called. By the words, alike answers are known."""
        return f"{kind}: " + " ".join(f"{part:g}" for part in [*sent, self.count])

    def __call__(self, kind, *parts):
        return Far(self, self.told(kind, *parts))


#: NumPy's functions of one entry at a time that make floats of floats.
FAR_OPERATIONS = {
    one.__name__: one
    for one in vars(np).values()
    if isinstance(one, np.ufunc) and one.signature is None and {"d->d", "dd->d"} & set(one.types)
}


class Machine:
    """Computes for a Link, and counts: the arrays alive after each computation, and how often layers were run.

    What is said to be held no more is gone: using it again, or saying so twice, is refused.
    """

    def __init__(self, layers=0, seed=0):
        self.rng = np.random.default_rng(seed)
        self.weights = [np.linalg.qr(self.rng.standard_normal((3, 3)))[0] for _ in range(layers)]
        self.arrays, self.places, self.next = {}, {}, 0
        self.runs, self.alive, self.history, self.ends = 0, [], [], []
        self.slopes, self.backs = [], []  # the place and the name of what `slope` was given; which layers went back

    @property
    def peak(self):
        return max(self.alive)

    def named(self, number):
        """What an array is on the way through the layers."""
        place = self.places.get(number)
        if place is None:
            return "what no layer gave, such as a gradient"
        return "the last output" if place == len(self.weights) else f"the input of layer {place}"

    def astray(self):
        """What is odd about the way back, behind a semicolon: what `slope` was given, or a layer out of turn."""
        n, odd = len(self.weights), ""
        if len(self.slopes) != 1:
            odd = f"`slope` was called {len(self.slopes)} times"
        elif self.slopes[0][0] != n:
            odd = f"`slope` was given {self.slopes[0][1]}, not the last output"
        for i, due in zip(self.backs, [*range(n - 1, -1, -1), *[None] * len(self.backs)]):
            if i != due and not odd:
                again, left_out = due is None or i > due, due not in self.backs
                late = f"layer {due} never went back" if left_out else f"layer {i} went back before layer {due}"
                odd = f"layer {i} went back a second time" if again else late
        if len(self.backs) < n and not odd:
            odd = f"layer {n - 1 - len(self.backs)} never went back"
        return odd and f"; {odd}"

    def __call__(self, question):
        _, kind, sent, which, gone = question
        for number in gone:
            self.arrays.pop(number)
        if kind == "end":
            self.ends.append(dict(self.arrays))
            return 0
        parts = [self.arrays[n] if far else n for n, far in zip(sent, which)]
        sent = [n if far else None for n, far in zip(sent, which)]
        place = None
        if kind == "given":
            result, place = self.rng.standard_normal(3), 0
        elif kind == "run":
            self.runs += 1
            if self.runs > 3000:
                raise ValueError("these are more than 3,000 runs of a layer")
            place = int(parts[0]) + 1
            if self.places.get(sent[1]) != place - 1:
                raise ValueError(f"layer {place - 1} was given {self.named(sent[1])}")
            result = np.tanh(self.weights[place - 1] @ parts[1])
        elif kind == "back":
            w = self.weights[int(parts[0])]
            self.backs.append(int(parts[0]))
            if self.places.get(sent[1]) != int(parts[0]):
                raise ValueError(f"layer {int(parts[0])} goes back with {self.named(sent[1])}, not with its own input")
            result = w.T @ (parts[2] * (1 - np.tanh(w @ parts[1]) ** 2))
        elif kind == "slope":
            self.slopes.append((self.places.get(sent[0]), self.named(sent[0])))
            result = 2 * parts[0] + np.array([1.0, -0.5, 0.3])
        else:
            result = FAR_OPERATIONS[kind](*parts)
        self.next += 1
        self.arrays[self.next], self.places[self.next] = np.array(result, dtype=float), place
        self.alive.append(len(self.arrays))
        self.history.append((kind, self.runs, sorted(self.places[n] for n in self.arrays if self.places[n] is not None), place))
        return self.next


class FarLayer:
    """Layer number i of that machine: `layer(x)` runs it, `layer.backward(x, g)` gives the gradient of its input x."""

    def __init__(self, link, i):
        self.link, self.i = link, i

    def __call__(self, x):
        return self.link("run", self.i, x)

    def backward(self, x, g):
        return self.link("back", self.i, x, g)


# %% [markdown]
# Skip the folded cells. They hold a pretend machine: checks give your code its arrays, to see which you still hold.
#
# At the end you will be able to
#
# - count what a tensor keeps alive, and cut it off;
# - build the counter that tells `backward` of changes in place;
# - find a reference cycle;
# - trade memory for time.
#
# **Time:** 170 minutes (110 without sections 5, 6). **Builds on:** 03, 05, 06, 10.
#
# ## First, from memory
# - *unit 09, clipping*: the gradient is (6, 8), its norm may be 2. Its first entry then?
# - *unit 09, AdamW*: a weight of 5, a gradient that was always 0, rate 0.1, weight decay 0.2. The weight after one step?
# - *unit 10*: a batch of 30 has the mean loss 2, one of 10 the mean loss 5. The mean over all 40?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 09, clipping": None, "unit 09, AdamW": None, "unit 10": None}

# %% jupyter={"source_hidden": true}
def decayed():
    from autograd_ref import optim

    weight = nn.Parameter(np.array([5.0]))
    weight.grad = Tensor(np.zeros(1))
    optim.AdamW([weight], lr=0.1, weight_decay=0.2).step()
    return weight.data[0]


recall(
    answers,
    {
        "unit 09, clipping": lambda: 6 * 2 / np.hypot(6, 8),
        "unit 09, AdamW": decayed,
        "unit 10": lambda: (30 * 2 + 10 * 5) / 40,
    },
)

# %% [markdown]
# ## 1. What a graph holds
#
# Python forgets an object when nobody refers to it. A result refers to its node (`grad_fn`), the node to its `parents`, and
# to what its rule will read (`saved`). So who holds a loss holds everything behind it.

# %%
x = Tensor(np.random.default_rng(0).standard_normal((50, 100)))
w = Tensor(np.full((100, 20), 0.1), requires_grad=True)
loss = (x @ w).tanh().sum()
total = loss.grad_fn  # a parent is a node, a leaf Tensor, or None where no gradient is wanted
(tanh,) = total.parents
(matmul,) = tanh.parents
for node in (total, tanh, matmul):
    kept = [f"{a.shape}, {a.nbytes:,} bytes" for a in node.saved if isinstance(a, np.ndarray)]
    parents = ["None" if p is None else getattr(p, "name", "a leaf Tensor") for p in node.parents]
    print(f"{node.name:7} saved {', '.join(kept) or 'nothing':25} parents: {', '.join(parents)}")

# %% [markdown]
# No name refers to the result of tanh, and yet it lives: its slope is 1 - tanh², so its node saved it. Nobody needs
# x @ w itself, so it is gone. Of the product only the gradient of w is wanted, and reads x: so w was not saved.
#
# A *view* has no numbers of its own. `w[0]` shows one row, and keeps all of `w` alive. `owner` finds it.


# %% given="owner"
def owner(array):
    """The array whose memory this one shows: itself, if it is no view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


# %%
print("a row of w:", w.data[0].nbytes, "bytes; alive because of it:", owner(w.data[0]).nbytes)

# %% [markdown]
# ### Exercise `bytes_kept` (3 points)
# How many bytes do these tensors keep alive? Count the `nbytes` of every owner, each once: of the tensors' own `data`, of
# all arrays in `saved` (None after `backward`) of all nodes behind them, and of the `data` of the leaves there. No
# recursion. Gradients do not count.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A stack, as in unit 03, and a dict of owners: each once.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# owners, seen, stack = {}, set(), list(tensors)
# while stack:
#     thing = stack.pop()            # a Tensor, a node or None
#     if thing is None or id(thing) in seen: continue
#     seen.add(id(thing))
#     if isinstance(thing, Tensor): arrays, behind = ..., ...
#     else: arrays, behind = thing.saved or (), ...
#     ...                            # of each array that is one (isinstance), note the owner by its id
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too much: two nodes saved the same array. Too little: the leaves, the whole behind a view, a node's second parent.
# `saved` holds None or plain numbers where no array is needed.
# </details>


# %% exercise="bytes_kept"
def bytes_kept(tensors):
    """The bytes of all arrays that these tensors keep alive, each memory counted once."""
    ### BEGIN SOLUTION
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
    ### END SOLUTION


# %% probes="bytes_kept"
def tensors_of(story):
    """The names that these statements give to Tensors, which may begin with a `leaf` or a `plain` one, full of 0.5."""
    from autograd_ref.modes import enable_grad

    def plain(*shape, dtype=float, leaf=False):
        return Tensor(np.full(shape, 0.5).astype(dtype), requires_grad=leaf)

    def quiet(tensor):
        with no_grad():
            return tensor.tanh()

    names = {"np": np, "plain": plain, "quiet": quiet, "leaf": lambda *shape, **kind: plain(*shape, **kind, leaf=True)}
    with enable_grad():
        exec(story, names)
    return names


@probe
def kept_by(story, tensors):
    """The bytes that these tensors keep after these statements, asked for twice; then those of no tensors; and how many
    the list has then."""
    names = tensors_of(story)
    some = eval(f"[{tensors}]", names)
    before = tuple(some)
    names.clear()
    first, again, none = bytes_kept(some), bytes_kept(some), bytes_kept([])
    left = sum(now is then for now, then in zip(some, before))
    return {"bytes": first, "once more": again, "then of none": none, "left in the list": left}


def twice(size, count=1):
    """What it should give of so many tensors."""
    return {"bytes": size, "once more": size, "then of none": 0, "left in the list": count}


@probe
def kept_by_chain(length):
    """The bytes that the end of a long chain of tanh keeps, with a recursion limit of 1,000 that nobody raises."""
    import sys

    h = Tensor(np.full(2, 0.5), requires_grad=True)
    for _ in range(length):
        h = h.tanh()
    before, change = sys.getrecursionlimit(), sys.setrecursionlimit
    change(1000)
    sys.setrecursionlimit = lambda limit: None
    try:
        return bytes_kept([h])
    finally:
        sys.setrecursionlimit = change
        change(before)


X_AND_W = "x = plain(5, 10); w = leaf(10, 2)"
FIRST = "w = leaf(5, 10); x = plain(10, 2); h = w @ x"
LOSS = f"{X_AND_W}; h = x @ w; t = h.tanh(); loss = t.sum()"
FORK = f"{X_AND_W}; v = leaf(10, 3); a = (x @ w).tanh(); b = (x @ v).exp(); loss = a.sum() + b.sum()"
RETAINED = f"{FORK}; loss.backward(retain_graph=True)"
VIEWS = "a = plain(4, 3); first = a[0]; rest = a[1:]; last = rest[1:]"
SHOWN = f"{LOSS}; row = w[1]; alone = t.detach()"
TURNED = "w = leaf(4, 3); v = w.T; h = w @ v"
DOUBLED = f"u = leaf(3); h = leaf(2){40 * '; h = h + h'}"


# %% check="bytes_kept" points=3
with exercise("bytes_kept") as check:
    check.equal(kept_by(X_AND_W, "w, w, x"), twice(560, 3), "20 numbers, those again, 50")
    check.equal(kept_by(FIRST, "h"), twice(640), "h = w @ x, w, and x, saved for w")
    check.equal(kept_by(FORK, "loss"), twice(1008), "loss; tanh, w; exp, v; x, once")
    check.equal(kept_by(RETAINED, "a, b"), twice(1000, 2), "two graphs; no gradients")
    check.equal(kept_by(VIEWS, "first, last"), twice(96, 2), "two views: one memory")
    check.equal(kept_by(SHOWN, "row, alone"), twice(240, 2), "a row of w, a tanh detached")
    check.equal(kept_by(TURNED, "h"), twice(224), "w @ w.T saved w and a view of it")
    check.equal(kept_by(f"{SHOWN}; loss.backward()", "loss"), twice(8), "freed by backward")
    check.equal(kept_by("a = plain(3, 5, dtype=np.float32)", "a"), twice(60), "of float32")
    check.equal(kept_by_chain(5000), 80016, "5000 results, a leaf, no recursion")
    check.equal(kept_by(DOUBLED, "u, h"), twice(56, 2), "u; h + h, 40 times: each once")
    ### BEGIN HIDDEN TESTS
    check.equal(kept_by(LOSS, ""), twice(0, 0), "nothing keeps nothing")
    for end, size in (("h", 640), ("t", 640), ("loss", 648)):
        check.equal(kept_by(LOSS, end), twice(size), "x @ w saved x for w, tanh its result")
    for held, size in (("a", 640), ("x, a", 640), ("b, a", 1000), ("a, x, b", 1000)):
        check.equal(kept_by(FORK, held), twice(size, len(held.split())), "each tensor of the list has a graph")
    check.equal(kept_by("a = leaf(3, 5, dtype=np.float32); b = a.tanh()", "b"), twice(120), "four bytes each, of leaves and results")
    for kind, size in (("np.int64", 120), ("bool", 15)):
        check.equal(kept_by(f"a = plain(3, 5, dtype={kind}); b = a[0]", "b"), twice(size), "arrays of integers and of bools are arrays, too")
    for held in ("first", "last", "a, rest", "last, rest", "rest, first, a, last"):
        check.equal(kept_by(VIEWS, held), twice(96, len(held.split())), "views of one memory, wherever they begin")
    check.equal(kept_by("a = leaf(); b = leaf(3); c = a + b", "c"), twice(56), "a leaf of no axis and one of one")
    check.equal(kept_by("b = leaf(3); c = b * plain()", "c"), twice(56), "an array of no axis that is saved has 8 bytes")
    square = "a = leaf(4, 3); b = a * a; c = b * b; d = c * 2; e = d + a; f = e.T; g = f[1:]"
    for name, size in zip("abcdefg", [96, 192, 288, 288, 288, 288, 288]):
        check.equal(kept_by(square, name), twice(size), "arrays that are saved twice, views, plain numbers")
    shown = "a = plain(4, 3); b = a[0]; c = leaf(3); d = b * c; e = leaf(4, 3); f = e[::-1]; g = f * f; h = f * e"
    for held, size in (("d", 144), ("g", 192), ("h", 192), ("g, h", 288)):
        check.equal(kept_by(shown, held), twice(size, len(held.split())), "what a node saved may be a view, too")
    shared = "a = leaf(4, 3); b = leaf(4, 3); c = a.tanh(); d = b.exp(); e = d + c; f = c + d"
    for end in "ef":
        check.equal(kept_by(shared, f"c, {end}"), twice(480, 2), "a node that is met again does not end the walk")
    forms = ["{} + {}", "{} * {}", "{}.tanh()", "{}.exp()", "{} * 2", "quiet({})", "{}.detach()", "{}[::-1]"]
    for _ in range(15):
        rng, steps = check.rng, ["t0 = leaf(4, 3)", "t1 = plain(4, 3)", "t2 = leaf(4, 3)"]
        for i in range(3, 12):
            form = rng.choice(forms)
            steps.append(f"t{i} = " + form.format(*(f"t{rng.randrange(i)}" for _ in range(form.count("{}")))))
        story = "; ".join([*steps, "t12 = t11[0]", "t13 = t10.T", "t14 = t9[1:]"])
        held = [f"t{k}" for k in rng.sample(range(15), 3)]
        names = tensors_of(story)
        owners, seen, stack = {}, set(), [names[name] for name in held]
        while stack:
            thing = stack.pop()
            if thing is None or id(thing) in seen:
                continue
            seen.add(id(thing))
            tensor = isinstance(thing, Tensor)
            stack += [thing.grad_fn] if tensor else thing.parents
            for array in [thing.data] if tensor else thing.saved or ():
                if isinstance(array, np.ndarray):
                    owners[id(array if array.base is None else array.base)] = (array if array.base is None else array.base).nbytes
        check.equal(kept_by(story, ", ".join(held)), twice(sum(owners.values()), 3), "a random graph")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2. A list of losses
#
# **Predict, then run.** One loss of this network holds 1 graph, ten in a list hold 10. How many graphs are held by
#
# 1. the list, when `backward` ran on each loss?
# 2. their sum, a single number, when the list is gone?
# 3. the list, when `backward` ran on the sum alone?

# %%
prediction = (None, None, None)


def ten_losses(weight):
    losses = []
    for _ in range(10):
        x = Tensor(np.ones((50, 100)))  # a new batch
        losses.append(((x @ weight).tanh() * 0.5).exp().sum())
    return losses


if predicted(prediction, "graphs_held"):
    weight = Tensor(np.full((100, 20), 0.1), requires_grad=True)
    alone = bytes_kept([weight])
    one = bytes_kept([weight, ten_losses(weight)[0]]) - alone
    for case in ("a list", "1. backward on each", "2. their sum", "3. backward on the sum"):
        held = ten_losses(weight)
        if case == "1. backward on each":
            for loss in held:
                loss.backward()
        elif case == "2. their sum":
            held = [sum(held)]
        elif case == "3. backward on the sum":
            sum(held).backward()
        print(f"{case:23} {(bytes_kept([weight, *held]) - alone) / one:.0f}")

# %% [markdown]
# One number can hold ten graphs: what counts is whether `backward` has been there.
#
# ## 3. Freed on the way, and cut on purpose
#
# `backward` frees each node as soon as its rule has run. A second call finds nothing to read:

# %%
a = Tensor(np.array([1.0, 2.0]), requires_grad=True)
shared = a * a
first, second = (shared * 2).sum(), (shared * 3).sum()
first.backward()
try:
    second.backward()
except RuntimeError as error:
    print(error)

# %% [markdown]
# Two losses share a part, and the first `backward` frees it. Better than `retain_graph=True` is one `backward` of
# their sum.
#
# A *recurrent* network carries a state from input to input. Going back through all costs more and more. So one goes
# back through the last piece only (*truncated* backpropagation) and cuts: `state.detach()` has the same numbers and no past.
#
# ### Exercise `in_chunks` (2 points)
# Go through `inputs`, if any, in chunks of `size` (the last may be shorter): `state = cell(state, x)` for each x. After each chunk call
# `backward` on `loss_of(state)`, then cut. Return the last state, cut too.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Two loops: over the starts of the chunks, over the inputs of one.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# for start in range(0, len(inputs), size):
#     for x in inputs[...]:
#         state = ...
#     ...                       # back, through this chunk
#     state = ...               # the same numbers, no past
# return state
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# "already used by a backward pass": the state leads into the last chunk. `retain_graph=True` silences that, and goes
# back through all chunks again. "Nothing to differentiate": cut before `backward`.
# </details>


# %% exercise="in_chunks"
def in_chunks(cell, loss_of, state, inputs, size):
    """Truncated backpropagation: gradients of each chunk's loss through that chunk; gives the last state.

    The first state may be a leaf that gets its gradient, too: that of the first chunk's loss.
    """
    ### BEGIN SOLUTION
    for start in range(0, len(inputs), size):
        for x in inputs[start : start + size]:
            state = cell(state, x)
        loss_of(state).backward()
        state = state.detach()
    return state
    ### END SOLUTION


# %% probes="in_chunks"
@probe
def chunked(given):
    """With the cell state * w + x and the loss state², summed: the gradients of w and of the first state, the last state and
    whether it has a past, what the cell got and the gradient of w by then, and the list of inputs afterwards."""
    w = Tensor(given["w"], requires_grad=True)
    first, inputs = Tensor(given["state"], requires_grad=len(given["inputs"]) > 0), list(given["inputs"])
    cells, grads = [], []

    def gradient(leaf):
        return np.zeros_like(leaf.data).tolist() if leaf.grad is None else leaf.grad.data.tolist()

    def cell(state, x):
        cells.append(float(x))
        grads.append(gradient(w))
        return state * w + x

    last = in_chunks(cell, lambda state: (state * state).sum(), first, inputs, given["size"])
    if last is None:
        return "the last state is to be a Tensor, and nothing comes back: is a `return` missing?"
    if not isinstance(last, Tensor):
        return f"the last state is to be a Tensor, and here it is a {type(last).__name__}"
    return {
        "w.grad": gradient(w), "state": last.data.tolist(), "requires_grad": last.requires_grad, "first.grad": gradient(first),
        "inputs": inputs, "cell got": cells, "w.grad by then": grads,
    }  # fmt: skip


def in_pieces(check, w, state, inputs, size):
    """The same, where a Tensor came back."""
    told = chunked({"w": w, "state": state, "inputs": inputs, "size": size})
    if not isinstance(told, dict):
        check.true(False, f"{told}")
    return told


def chunks_expected(weight, first, inputs, size):
    """The same by the chain rule: the state's slope by w begins at 0 in each chunk."""
    grad, state, grads, to_first = 0.0, first, [], 0.0 * np.asarray(first)
    for start in range(0, len(inputs), size):
        slope = 0.0
        for x in inputs[start : start + size]:
            slope, state = state + weight * slope, state * weight + x
            grads.append(grad)
        grad += np.sum(2 * state * slope)
        if start == 0:
            to_first = 2 * state * weight ** len(grads)
    return {
        "w.grad": grad, "state": np.asarray(state).tolist(), "requires_grad": False, "first.grad": np.asarray(to_first).tolist(),
        "inputs": list(inputs), "cell got": list(inputs), "w.grad by then": grads,
    }  # fmt: skip


# %% check="in_chunks" points=2
with exercise("in_chunks") as check:
    got = in_pieces(check, 2.0, 3.0, [1.0], 1)
    check.close((got["w.grad"], got["state"]), (42.0, 7.0), "3 · 2 + 1 = 7; 2 · 7 · 3")
    got = in_pieces(check, 2.0, 3.0, [1.0, 0.0], 1)
    check.close((got["w.grad"], got["state"]), (238.0, 14.0), "42, then 14: 2 · 14 · 7")
    check.equal((got["requires_grad"], got["inputs"]), (False, [1, 0]), "cut; inputs stay")
    got = in_pieces(check, 2.0, 3.0, [1.0, 0.0], 2)
    check.close((got["w.grad"], got["state"]), (364.0, 14.0), "both: 2 · 14 · (7 + 2 · 3)")
    check.close(got["first.grad"], 112.0, "the first state is not cut: 2 · 14 · 2 · 2")
    got = in_pieces(check, 1.0, 0.0, [1.0, 1.0, 1.0], 2)
    check.close((got["w.grad"], got["state"]), (16.0, 3.0), "2 · 2 · 1 and 2 · 3 · 2")
    check.close(got["w.grad by then"], [0.0, 0.0, 4.0], "back after each chunk, at once")
    ### BEGIN HIDDEN TESTS
    from autograder import number, numbers

    for size in (1, 2, 3, 4, 7, 9):
        for w, first, inputs in check.cases(2, number(), number(), numbers(7)):
            check.close(in_pieces(check, w, first, inputs, size), chunks_expected(w, first, inputs, size), "seven inputs, chunk by chunk")
    for w, first, inputs in check.cases(2, number(), numbers(3), numbers(5)):
        first = np.array(first)
        check.close(in_pieces(check, w, first, inputs, 2), chunks_expected(w, first, inputs, 2), "a state of three numbers")
    check.close(in_pieces(check, 2.0, 3.0, [], 2), chunks_expected(2.0, 3.0, [], 2), "no inputs: nothing happens")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Bug hunt
# A colleague's training needs more memory from step to step, and gives back weights that are not the best. **Four
# things are wrong.** `leaks(run)` trains with it, and counts the graphs alive when each new loss begins: losses,
# products, sums. Each training loss finds 4 more. The first held-out loss finds 3: the loss, 0.1 · loss, the mean.
# Which is the fourth? All should be 0.


# %% given="colleague"
def colleague_run(loss_of, step, w, batches, held_out):
    """Trains; gives the losses, their running mean, and the weights of the lowest held-out loss, as an array."""
    history, mean, lowest, best = [], 0.0, np.inf, None
    for batch in batches:
        loss = loss_of(batch)
        loss.backward(retain_graph=True)
        step()
        history.append(loss.item())
        mean = 0.9 * mean + 0.1 * loss
        check = loss_of(held_out)
        if check.item() < lowest:
            lowest, best = check.item(), w.data
    return history, float(mean), best


# %% setup="losses"
class FarLoss(Far):
    """A loss on another machine."""

    KNOWS = "a loss on another machine knows `item`, `data`, `detach`, `backward`, operators, `<`, `<=`, `>` and `>=`"
    known = None, 0.0  # for which array, and the number in it

    def item(self):
        if self.known[0] != self.number:
            self.known = self.number, self.link.told("item", self)
        return self.known[1]

    __float__ = item

    def __array__(self, dtype=None, copy=None):
        return np.array(self.item(), dtype)

    @property
    def data(self):
        return np.array(self.item())

    def __lt__(self, other):
        return float(self) < float(other)

    def __le__(self, other):
        return float(self) <= float(other)

    def __gt__(self, other):
        return float(self) > float(other)

    def __ge__(self, other):
        return float(self) >= float(other)

    def detach(self):
        return self.link("detach", self)

    def backward(self, gradient=None, retain_graph=False):
        self.link("backward", self, retain_graph)


class LossLink(Link):
    """The way to a machine that keeps losses."""

    turn = 0

    def word(self, kind, sent):
        """Losses, ways back and steps by their order; all that only computes, by its kind."""
        if kind not in ("train", "held out", "backward", "step"):
            return kind
        self.turn += 1
        return f"{kind} {sent[1] if len(sent) > 1 else 0:g} {self.turn}"  # recorded, or retained

    def __call__(self, kind, *parts):
        return FarLoss(self, self.told(kind, *parts, is_grad_enabled()))


class Losses:
    """Keeps the graphs of losses, and notes how many are alive whenever a new loss begins."""

    def __init__(self, train, held_out, weights):
        self.values = {"train": iter(train), "held out": iter(held_out)}
        self.weights, self.graphs, self.value, self.alive, self.next = iter(weights), {}, {}, set(), 0
        self.tracked = set()  # what has a past, or had one that was freed
        self.left, self.events, self.batches = [], [], []

    def reached(self, numbers):
        """The losses behind these, themselves included, whose graphs have not been freed."""
        seen, stack = set(), list(numbers)
        while stack:
            number = stack.pop()
            if number not in seen and self.graphs.get(number) is not None:
                seen.add(number)
                stack += self.graphs[number]
        return seen

    def __call__(self, question):
        _, kind, sent, which, gone = question
        for number in gone:
            self.alive.remove(number)
        if kind == "step":
            self.events.append("step")
            return next(self.weights)
        if kind == "item":
            return self.value[sent[0]]
        *sent, recording = sent
        numbers = [int(n) for n, far in zip(sent, which) if far]
        if not self.alive.issuperset(numbers):
            raise ValueError("this loss is gone")
        values = [self.value[n] if far else n for n, far in zip(sent, which)]
        self.next += 1
        graph = None
        if kind in ("train", "held out"):
            self.left.append(len(self.reached(self.alive)))
            self.events.append(f"{kind}, recorded" if recording and kind == "held out" else kind)
            self.batches += sent if kind == "train" else []
            value, graph = next(self.values[kind], None), () if recording else None
            if value is None:
                raise ValueError(f"these are more {kind} losses than batches")
        elif kind == "backward":
            self.events.append("backward, retained" if values[1] else "backward")
            if self.graphs[numbers[0]] is None:
                raise ValueError("This graph was already used by a backward pass, or was never recorded.")
            value = 0.0
            if not values[1]:
                for number in self.reached(numbers):
                    self.graphs[number] = None
        elif kind == "detach":
            value = values[0]
        else:
            value = FAR_OPERATIONS[kind](*values)
            graph = tuple(numbers) if recording and self.tracked.intersection(numbers) else None
        self.alive.add(self.next)
        if graph is not None:
            self.tracked.add(self.next)
        self.graphs[self.next], self.value[self.next] = graph, float(value)
        return self.next


def far_run(run, ask, start, batches):
    """Let `run` train on losses that are far away; what it gives, whether its array is still that of w, and w then."""
    link, w = LossLink(ask), Tensor(np.array(start), requires_grad=True)

    def step():
        w.data[...] = link.told("step")

    def loss_of(batch):
        return link("held out", 0) if batch == "held out" else link("train", batch)

    given = run(loss_of, step, w, batches, "held out")
    last = given[-1] if isinstance(given, tuple) else None
    shared = np.shares_memory(w.data, last.data if isinstance(last, Tensor) else np.asarray(last, dtype=float))
    return given, bool(shared), np.array(w.data)


def leaks(run):
    """How many graphs are alive whenever a new loss begins: training and held-out losses take turns."""
    rng = np.random.default_rng(0)
    machine = Losses(rng.random(5).tolist(), rng.random(5).tolist(), [w.tolist() for w in rng.random((5, 2))])
    far_run(run, machine, [0.0, 0.0], list(range(5)))
    return {"a training loss begins": machine.left[::2], "a held-out one": machine.left[1::2]}


# %%
print(leaks(colleague_run))

# %% [markdown]
# ### Exercise `mended_leaks` (3 points)
# Write it again, mended: the same results, plain numbers and one array, and never a graph that nobody
# needs.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Three lines hold graphs: which names refer to a loss when the next one begins? And whose memory is `best`, after the
# next `step()`?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# loss.backward(...)               # who goes back a second time?
# mean = 0.9 * mean + 0.1 * ...    # a number
# with ...:                        # nobody goes back from here
#     check = loss_of(held_out)
# ... best = ..., w.data...        # the numbers of this moment
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# 1 each time: `loss` still has its graph when `check` is computed, or `check` when `loss` is. Growing numbers: the
# mean is a chain of losses. The last weights, not the best: `w.data` changes in place.
# </details>


# %% exercise="mended_leaks"
def mended_leaks(loss_of, step, w, batches, held_out):
    """Trains; gives the losses, their running mean, and the weights of the lowest held-out loss, as an array."""
    ### BEGIN SOLUTION
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
    ### END SOLUTION


# %% probes="mended_leaks"
@probe
def trained(ask, start, batches):
    """The losses, the mean and the best weights, as mended_leaks gives them; whether these are the memory of w; then w
    and the list of batches afterwards."""
    try:
        (history, mean, best), shared, left = far_run(mended_leaks, ask, start, batches)
    except Refused as error:
        return str(error)
    for what, one, kinds in (*(("a loss", n, (int, float)) for n in history), ("the mean", mean, (int, float)),
                             ("best", best, np.ndarray)):
        if not isinstance(one, kinds):
            name = "loss, with what it holds" if isinstance(one, FarLoss) else type(one).__name__
            return f"{what} is to be {'an array' if what == 'best' else 'a plain number'}, and here it is a {name}"
    return history, float(mean), best, shared, left, batches


def far_training(check, train, held_out, weights):
    """Run it against losses of these values; what it gave, and the machine that watched."""
    machines = []
    there = trained.asking(lambda: machines.append(Losses(train, held_out, weights)) or machines[-1])
    told = there([0.0] * len(weights[0]), list(range(len(train))))
    check.true(isinstance(told, tuple), f"{told}")
    check.true(len(told[-1]) == len(train), f"the caller's list had {len(train)} batches, and has {len(told[-1])} now")
    check.true(told[-1] == list(range(len(train))), "the caller's list of batches has other items now, or another order")
    return told, machines[-1]


ROUND = ["train", "backward", "step", "held out"]


def running_mean(losses):
    mean = 0.0
    for loss in losses:
        mean = 0.9 * mean + 0.1 * loss
    return mean


# %% check="mended_leaks" points=3
with exercise("mended_leaks") as check:
    losses, held = [4.0, 3.0, 5.0, 2.0, 6.0], [3.0, 1.0, 1.0, 2.0, 1.5]
    steps = [[1.0, -1], [2.0, 5], [3.0, 0], [4.0, 1], [5.0, 2]]
    got, machine = far_training(check, losses, held, steps)
    check.close(got[0], losses, "the losses, as plain numbers")
    check.close(got[1], 1.66614, "0.4, 0.66, 1.094, ...: 0.9 of it, 0.1 of the loss")
    check.close(got[2], np.array([2.0, 5.0]), "step 2 is the first with held out 1")
    for kind, left in (("held-out", machine.left[1::2]), ("training", machine.left[::2])):
        check.true(left == [0] * 5, f"graphs alive when a {kind} loss begins: {left}")
    check.equal(machine.events[:4], ROUND, "in this order, held out without a graph")
    check.close(got[4], np.array([5.0, 2.0]), "and w has the weights of the last step")
    ### BEGIN HIDDEN TESTS
    for count in (1, 2, 5, 8):
        rng = np.random.default_rng(check.rng.randrange(2**31))
        losses, held = rng.random(count).tolist(), rng.permutation(count).astype(float).tolist()
        weights = rng.standard_normal((count, 3)).round(3).tolist()
        got, machine = far_training(check, losses, held, weights)
        check.close(got[:3], (losses, running_mean(losses), np.array(weights[int(np.argmin(held))])), "losses, mean and best weights")
        check.true(machine.left == [0] * (2 * count), f"graphs alive whenever a loss begins: {machine.left}")
        check.equal(machine.events, ["train", "backward", "step", "held out"] * count, "loss, backward, step, held-out loss, in each round")
        check.equal(machine.batches, list(range(count)), "each batch, in their order")
    got, machine = far_training(check, [1.0, 2.0, 3.0], [2.0, 2.0, 5.0], [[2.0], [1.0], [3.0]])
    check.close(got[2], np.array([2.0]), "of two equally low ones the first")
    nan, steps = float("nan"), [[2.0], [1.0], [3.0], [5.0]]
    for held in ([3e12, 2e12, 1e12, 4e12], [-1.0, -2.0, -3e12, -5.0], [2.0, nan, 1.0, nan], [1.0, 1 - 1e-9, 1 - 2e-9, 1.0]):
        got, machine = far_training(check, [1.0, 2.0, 3.0, 4.0], held, steps)
        check.close(got[2], np.array([3.0]), "losses of any size, lower by very little; NaN is never lower")
    ### END HIDDEN TESTS

# %%
print(leaks(mended_leaks))

# %% [markdown]
# ## 4. Changes in place
#
# In unit 04 a weight changed between a product and `backward`. A rule that reads the *new* value gives a wrong gradient,
# silently. **Predict, then run.** After `y = (x * w).sum()`, which of these four makes `backward` raise? (True or
# False.)
#
# 1. `w += 1`, under `no_grad`
# 2. `w = w + 1`
# 3. `v = w[:1]`, then `v += 1`, under `no_grad`
# 4. `w.data[0] = 100`

# %%
prediction = (None, None, None, None)


def after(change):
    x, w = Tensor(np.array([5.0, 7.0]), requires_grad=True), Tensor(np.array([2.0, 3.0]), requires_grad=True)
    y = (x * w).sum()
    if change == "w = w + 1":
        w = w + 1
    with no_grad():
        if change == "w += 1":
            w += 1
        elif change == "v += 1":
            v = w[:1]
            v += 1
        elif change == "w.data[0] = 100":
            w.data[0] = 100
    try:
        y.backward()
        return f"x.grad is {x.grad.data}"
    except RuntimeError as error:
        return str(error).split(" by ")[0]


if predicted(prediction, "four_changes"):
    for change in ("w += 1", "w = w + 1", "v += 1", "w.data[0] = 100"):
        print(f"{change:16} {after(change)}")

# %% [markdown]
# The right gradient is (2, 3). The second makes a new tensor: harmless. The fourth goes around the engine,
# unnoticed.
#
# How can it notice, without keeping copies? By a **version counter**, as in PyTorch. Each change in place adds 1.
# Whoever saves a value notes the version, and compares when it reads. A view needs the same counter.
#
# ### Exercise `Counted` (3 points)
# An array with a `version`, 0 at first. `add_(other)` (a number or an array) adds in place, like
# NumPy's `+=`, counts (adding 0 as well), and returns itself. `view(index)` (a slice) gives
# a Counted that shares memory *and* counter, `clone()` one that shares neither.
#
# <details><summary>Hint 1: a sketch</summary>
#
# An int cannot be shared: `a.n = b.n` copies the number. A list with one number can.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# self.data, self.changes = ..., [0]        # in __init__
# return self.changes[0]                    # version
# part = Counted(0.0)                       # in view: then give it
# part.data, part.changes = ..., ...        # what it shares
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Other memory: `self.data = self.data + other` is a new array, and no view sees it. Versions that part: the view got a
# copy of the count, or only the base counts.
# </details>


# %% exercise="Counted"
class Counted:
    def __init__(self, data):
        """A copy of these numbers, as an array of floats in `data`."""
        ### BEGIN SOLUTION
        self.data, self.changes = np.array(data, dtype=float), [0]
        ### END SOLUTION

    @property
    def version(self):
        """How often this memory was changed in place."""
        ### BEGIN SOLUTION
        return self.changes[0]
        ### END SOLUTION

    def add_(self, other):
        """Add to the numbers, in place. `other` may show this memory; what does not fit raises, and does not count."""
        ### BEGIN SOLUTION
        self.data += other
        self.changes[0] += 1
        return self
        ### END SOLUTION

    def view(self, index):
        """A part, in the same memory, with the same counter."""
        ### BEGIN SOLUTION
        part = Counted(0.0)
        part.data, part.changes = self.data[index], self.changes
        return part
        ### END SOLUTION

    def clone(self):
        """The same numbers in other memory, with a counter of its own."""
        ### BEGIN SOLUTION
        return Counted(self.data)
        ### END SOLUTION


# %% probes="Counted"
@probe
def counted_after(story, numbers=None):
    """What these statements leave: each number and array by its name, of each Counted its data and its version. One that
    ends in "raises" has to raise."""
    names = {"np": np, "Counted": Counted, "numbers": numbers}
    made, odd = [], {}
    for line in story.split("; "):
        name, _, right = line.partition(" = ")
        if line.endswith(" raises"):
            try:
                eval(line.removesuffix(" raises"), names)
            except Exception:
                continue
            return f"{line.removesuffix(' raises')} has to raise, and it did not"
        caller = names.get(right.split(".")[0])
        if not right:
            caller, given = line.split(".")[0], eval(line, names)
            if given is not names[caller]:
                kind = "another Counted" if isinstance(given, Counted) else f"a {type(given).__name__}"
                return f"{line} gave {kind}, and not {caller} itself"
            continue
        names[name] = eval(right, names)
        made.append(name)
        if ".view(" in right or ".clone()" in right:
            shared = bool(np.shares_memory(caller.data, names[name].data))
            if shared != (".view(" in right) and names[name].data.size:
                odd[name] = f"made in {'the same' if shared else 'other'} memory"
    found = {}
    for name in made:
        one = names[name]
        found |= {f"{name}.data": one.data, f"{name}.version": one.version} if isinstance(one, Counted) else {name: one}
    return found | odd


def leaves(check, story, *numbers):
    """The same, where it has the form that it should have."""
    told = counted_after(story, *numbers)
    if not isinstance(told, dict):
        check.true(False, f"{told}")
    return told


def of(**things):
    """What should be there: of a Counted a pair, its data and its version."""
    found = {}
    for name, one in things.items():
        if isinstance(one, tuple):
            found |= {f"{name}.data": np.array(one[0], dtype=float), f"{name}.version": one[1]}
        else:
            found[name] = np.array(one, dtype=float) if isinstance(one, list) else one
    return found


NAMES = "abcdefghijklmnop"


def story_of(steps):
    """Steps as statements about a = Counted(numbers), and b, c, … that are made from it."""
    lines, count = ["a = Counted(numbers)"], 1
    for name, k, *rest in steps:
        who = NAMES[k]
        if name in ("view", "clone"):
            lines.append(f"{NAMES[count]} = {who}." + (f"view(slice({', '.join(map(str, rest))}))" if name == "view" else "clone()"))
            count += 1
        elif name == "add":
            other = rest[0] if isinstance(rest[0], float) else f"np.array({rest[0].tolist()})"
            lines.append(f"{who}.add_({other})")
        elif name == "misfit":
            lines.append(f"{who}.add_(np.ones({tuple(rest)})) raises")
        else:
            lines.append(f"{who}.add_({NAMES[rest[0]]}.data[slice({', '.join(map(str, rest[1:]))})])")
    return "; ".join(lines)


def counted_expected(numbers, steps):
    """What they should leave, told by which memory each one shows."""
    memory, counts, shown = [np.array(numbers, dtype=float)], [0], [(0, np.arange(np.size(numbers) and len(numbers)))]
    for name, k, *rest in steps:
        where, places = shown[k]
        if name == "add":
            memory[where][places] += rest[0]
            counts[where] += 1
        elif name == "add part":
            other, its_places = shown[rest[0]]
            memory[where][places] += memory[other][its_places[slice(*rest[1:])]].copy()
            counts[where] += 1
        elif name == "misfit":
            continue
        elif name == "view":
            shown.append((where, places[slice(*rest)]))
        else:
            shown.append((len(memory), np.arange(len(places))))
            memory.append(memory[where][places].copy())
            counts.append(0)
    return of(**{name: (memory[where][places], counts[where]) for name, (where, places) in zip(NAMES, shown)})


def as_it_should(check, numbers, steps, why):
    """These steps leave what they should."""
    check.close(leaves(check, story_of(steps), numbers), counted_expected(numbers, steps), why, rtol=1e-12)


NEW = "c = Counted([1, 2, 3]); "
ADDED = NEW + "n = c.version; c.add_(0.5); c.add_([1, 1]) raises; c.add_(0); c.add_(1)"
VIEW = NEW + "v = c.view(slice(1, 3)); "


# %% check="Counted" points=3
with exercise("Counted") as check:
    got = leaves(check, ADDED)
    check.close(got, of(c=([2.5, 3.5, 4.5], 3), n=0), "0.5, 0 and 1: 3 changes; no misfit")
    got = leaves(check, VIEW + "c.add_(10)")
    check.close(got, of(c=([11, 12, 13], 1), v=([12, 13], 1)), "the view shows it, too")
    got = leaves(check, VIEW + "u = v.view(slice(1, 2)); u.add_(10)")
    check.close(got, of(c=([1, 2, 13], 1), v=([2, 13], 1), u=([13], 1)), "a view's view")
    got = leaves(check, NEW + "c.add_(1); c.add_(1); d = c.clone(); d.add_(1)")
    check.close(got, of(c=([3, 4, 5], 2), d=([4, 5, 6], 1)), "the clone alone is changed")
    got = leaves(check, "row = np.array([1.0, 2]); c = Counted(row); c.add_(c.data[::-1])")
    check.close(got["row"], np.array([1.0, 2]), "a Counted has a copy of the row")
    check.close(got, of(row=[1, 2], c=([3, 3], 1)), "[2, 1] was added, as `other` was then")
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    as_it_should(check, [1, 2, 3], [("add", 0, 0.5)], "whole numbers become floats")
    row = np.array([1.0, 2.0])
    as_it_should(check, row, [("add", 0, 1.0)], "an array")
    check.untouched("the numbers that it is made from stay as they are")
    as_it_should(check, row, [("add", 0, np.array([0.1, -0.7])), ("view", 0, 1, None), ("add", 1, np.array([0.3]))], "an array is added")
    as_it_should(check, [1, 2, 3], [("add", 0, np.array([0.3])), ("view", 0, 1, None), ("add", 1, np.array([0.5]))], "one number is added to all")
    check.close(leaves(check, "a = Counted(2.5); a.add_(1.0)"), of(a=(3.5, 1)), "an array of no axis")
    steps = [("misfit", 0, 4), ("add", 0, 1.0), ("view", 0, 1, None), ("misfit", 1, 3), ("misfit", 0, 2, 3), ("view", 0, 0, 1), ("misfit", 2, 3)]
    as_it_should(check, [1, 2, 3], steps, "what does not fit changes and counts nothing")
    table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) / 7
    steps = [("view", 0, 1, None), ("add", 1, np.array([0.5, -1.0])), ("clone", 0), ("add part", 2, 0, None, None, -1)]
    as_it_should(check, table, steps, "two axes")
    for (start,) in check.cases(4, numbers(5)):
        for part in ((0, None, None, -1), (0, None), (1, None, None, -1)):  # of its own memory: as it was before
            as_it_should(check, start, [("view", 0, None, None, -1), ("add part", 0, *part)], "a view of its own memory is added")
        for k, part in ((1, (0, None, -1)), (2, (0, 1, None))):
            steps = [("view", 0, 1, None), ("view", 0, None, -1), ("add part", k, *part), ("add part", k, *part)]
            as_it_should(check, start, steps, "a view of its own memory is added")
    for (start,) in check.cases(12, numbers(6)):
        steps, count = [("add", 0, 1.0), ("view", 0, 1, None), ("view", 1, None, None, 2)], 3
        for _ in range(8):
            name, k = check.rng.choice(["add", "add", "view", "clone"]), check.rng.randrange(count)
            if name == "add":
                steps.append((name, k, check.rng.choice([0.0, -1.5, 0.1])))
            else:
                steps.append((name, k, *([check.rng.choice([None, 1]), None] if name == "view" else [])))
                count += 1
        as_it_should(check, start, steps, "views of views, clones of views")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `Saved` (3 points)
# **An empty page.** `Saved(counted)` is what a rule keeps of a value, and copies nothing. `get()` gives the array itself, as
# long as its version is what it was. Otherwise it raises RuntimeError, and the sentence holds both versions in plain
# digits: the one now and the one expected. `free()`, once or twice, lets go of the value, as `backward` does; from then on
# `get()` raises RuntimeError with a sentence that says `retain_graph`.
#
# <details><summary>Hint 1: where to begin</summary>
#
# With two attributes: the value, and its version at this moment.
# </details>
# <details><summary>Hint 2: what you can test</summary>
#
# `c = Counted([1, 2]); s = Saved(c); c.add_(1); s.get()` has to raise. What if it is a view of c that changes?
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The old numbers come back: that is a copy. No complaint after two changes: compare with what was noted, not with 0. Still
# alive after `free()`: something else refers to it.
# </details>


# %% exercise="Saved"
class Saved:
    ### BEGIN SOLUTION
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
    ### END SOLUTION


# %% probes="Saved"
class AnyCounted:
    """What a Saved gets: something with `data` and a `version`."""

    def __init__(self, data, version):
        self.data, self.version = data, version


def in_short(error):
    """Its kind, and which whole numbers stand in its sentence, and whether retain_graph does."""
    import re

    found = re.findall(r"(?<![\w.])(?:v(?=\d))?(\d+|retain_graph)(?!\w|\.\d)", str(error))  # v7 says 7, too
    sentence = "a sentence" if re.search(r"[^\W\d_]{2}", str(error)) else "no sentence"
    kind = "RuntimeError" if isinstance(error, RuntimeError) else type(error).__name__
    return f"{kind}, {sentence} with {', '.join(sorted(set(found))) or 'no number by itself'}"


@probe
def saved_says(version, story, numbers=(1.5, 2.0)):
    """Of a Counted c at this version and s = Saved(c): what each `get()` among these statements gives or raises."""
    c, said = AnyCounted(np.array(numbers), version), []
    try:
        names = {"c": c, "another": Saved(c), "s": Saved(c), "Saved": Saved}
    except AttributeError as error:
        if error.obj is not c:
            raise
        return f"Saved asks its value for `{error.name}`, and may count on `data` and `version`"
    for line in story.split("; "):
        if "get()" not in line:  # it writes by a way that is not counted, counts, or frees
            exec(line, names)
            continue
        try:
            given = eval(line, names)
            shown = given.tolist() if isinstance(given, np.ndarray) else given
            said.append(shown if shown is not given or isinstance(given, bool) else type(given).__name__)
        except Exception as error:
            said.append(in_short(error))
    return said


@probe
def alive_after_free(ask, free):
    """Save something far away, give up all other hold on it, free it or not; then ask for another thing."""
    link = Link(ask)
    saved = Saved(AnyCounted(link("given"), 3))
    if free:
        saved.free()
    link("given")
    link.told("end")
    link.told("end", link.held)
    return saved is not None


def left_alive(free):
    """How many arrays were alive on that machine at the end: the new one, and the one that was saved?"""
    machines = []
    alive_after_free.asking(lambda: machines.append(Machine()) or machines[-1])(free)
    return machines[-1].alive[-1]


def holds(text, *words):
    """Whether a RuntimeError was raised whose sentence has these words."""
    start, _, found = str(text).partition(" with ")  # an array that came back, too, says nothing
    return start == "RuntimeError, a sentence" and {str(word) for word in words} <= set(found.split(", "))


def both(said, *versions):
    """Whether each of these has both."""
    return all(holds(one, *versions) for one in said)


def says(check, version, story, *numbers):
    """What the gets in this story give, of a c that is saved at this version."""
    told = saved_says(version, story, *numbers)
    if not isinstance(told, list):
        check.true(False, f"{told}")
    return told


# %% check="Saved" points=3
with exercise("Saved") as check:
    got = says(check, 7, "s.get(); s.get() is c.data; c.data[0] = 4; s.get()")
    check.equal(got, [[1.5, 2.0], True, [4.0, 2.0]], "unchanged: the array itself, no copy")
    for then, now in ((7, 9), (0, 1), (9, 7)):
        got = says(check, then, f"c.version = {now}; s.get(); s.get()")
        check.true(both(got, then, now), f"RuntimeError with {then} and {now}, each time")
    got = says(check, 7, "another.free(); s.get(); s.free(); s.free(); s.get()")
    check.equal(got[0], [1.5, 2.0], "another Saved of the value was freed, not this one")
    check.true(holds(got[1], "retain_graph"), "this one is freed, twice: say retain_graph")
    for free, left, when in ((False, 2, "before"), (True, 1, "after")):
        alive = left_alive(free)
        check.true(alive == left, f"{alive} arrays alive {when} free(), {left} expected")
    ### BEGIN HIDDEN TESTS
    check.equal(says(check, 3, "s.get(); s.get() is c.data", 2.5), [2.5, True], "an array of one number, and no axis")
    for sizes in 3 * [range(300, 900), range(1000, 3_000_000)]:
        then, now = check.rng.sample(sizes, 2)
        new, old = f"c.version = {now}", f"c.version = {then}"
        said = says(check, then, f"s.get(); {new}; s.get(); s.get(); {old}; s.get()")
        check.equal([said[0], said[3]], [[1.5, 2.0]] * 2, "at the version that was noted")
        check.true(holds(said[1], then, now) and holds(said[2], then, now), "each get compares anew, also when the version falls")
        said = says(check, then, f"{new}; Saved(c).get(); s.get()")
        check.true(said[0] == [1.5, 2.0] and holds(said[1], then, now), "a Saved that was made after the change does not silence this one")
        said = says(check, then, f"{new}; s.free(); s.get(); s.get()")
        check.true(holds(said[0], "retain_graph") and holds(said[1], "retain_graph"), "freed, and changed before")
        said = says(check, then, f"s.free(); {new}; s.get()")
        check.true(holds(said[0], "retain_graph"), "freed, and changed after")
        said = says(check, then, "another.free(); s.get(); s.free(); s.free(); s.get()")
        check.equal(said[0], [1.5, 2.0], "another Saved of the same value was freed, not this one")
        check.true(holds(said[1], "retain_graph"), "freed twice")
    ### END HIDDEN TESTS

# %% [markdown]
# Both, in a product:


# %%
def product(a, b):
    """a * b, and its rule, which saves both."""
    saved_a, saved_b = Saved(a), Saved(b)

    def rule(g):
        found = g * saved_b.get(), g * saved_a.get()
        saved_a.free(), saved_b.free()
        return found

    return a.data * b.data, rule


for story in ("nothing", "a view of w changes", "a second backward"):
    x, w = Counted([5.0, 7.0]), Counted([2.0, 3.0])
    y, rule = product(x, w)
    if story == "a view of w changes":
        w.view(slice(0, 1)).add_(98.0)
    try:
        found = [rule(np.ones(2)) for _ in range(2 if story == "a second backward" else 1)]
        print(f"{story}: {found[0][0]}, {found[0][1]}")
    except RuntimeError as error:
        print(f"{story}: {error}")

# %% [markdown]
# ## 5. A cycle that only the collector finds
#
# CPython frees an object when its last reference goes. Two objects that refer to each other never get there. A *garbage
# collector*, the module `gc`, looks for such cycles from time to time. Until then they stay, with all that they hold.
#
# Five ways to write a rule:


# %% given="nodes"
class Node:
    """A value, the nodes that it was made from, and a function `back` that says what they get."""

    def __init__(self, data, parents=()):
        self.data, self.parents, self.back = data, parents, None


def exp_node(x):
    value = np.exp(x.data)
    out = Node(value, (x,))
    out.back = lambda g: g * value
    return out


def square_node(x):
    out = Node(x.data * x.data, (x,))
    out.back = lambda g: g * 2.0 * x.data
    return out


def colleague_tanh(x):
    out = Node(np.tanh(x.data), (x,))
    out.back = lambda g: g * (1.0 - out.data * out.data)
    return out


def sigmoid_node(x):
    out = Node(1.0 / (1.0 + np.exp(-x.data)), (x,))
    out.back = lambda g, y=out: g * y.data * (1.0 - y.data)
    return out


def sqrt_node(x):
    out = Node(np.sqrt(x.data), (x,))
    there = weakref.ref(out)  # there() is out, as long as somebody else holds it
    out.back = lambda g: g / (2.0 * there().data)
    return out


# %% given="left_behind"
def left_behind(make):
    """How many of 101 nodes that nobody holds are there still, until the collector comes? A first one, and 100 made from it."""
    gc.collect()
    gc.disable()
    x = Node(np.array(0.5))
    with np.errstate(over="ignore"):  # exp of exp of exp is soon infinite
        for _ in range(100):
            x = make(x)
    del x
    left = sum(type(thing) is Node for thing in gc.get_objects())
    gc.enable()
    gc.collect()
    return left - sum(type(thing) is Node for thing in gc.get_objects())


def holders(make):
    """What refers to a node, beside the variable that has it here."""
    out = make(Node(np.array(0.5)))
    return [type(thing).__name__ for thing in gc.get_referrers(out)]


# %% [markdown]
# **Predict, then run.** Of a chain of 101 nodes that nobody holds, how many does each of the five leave behind?

# %%
prediction = {"exp": None, "square": None, "tanh": None, "sigmoid": None, "sqrt": None}

if predicted(prediction, "left_behind"):
    for make in (exp_node, square_node, colleague_tanh, sigmoid_node, sqrt_node):
        print(f"{make.__name__:14} leaves {left_behind(make):3}; who holds a node: {holders(make)}")

# %% [markdown]
# The node holds its rule. The rule's *closure* (a `cell`) or its default arguments (a `tuple`) hold the node. The first
# node is in no cycle: the second holds it. A *weak* reference holds nothing: `sqrt_node` is in no cycle, and its rule works
# while somebody holds the node.
#
# ### Exercise `tanh_node` (2 points)
# Write `colleague_tanh` without the cycle: all is freed once nobody holds the result, without the collector. A weak reference
# will do. The check also gives it arrays of the pretend machine: operators, `out=` and functions like `np.square` work.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Look at `exp_node`: what does its rule remember?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# t = ...
# out = Node(t, (x,))
# out.back = lambda g: ...       # t, and not out
# return out
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `out` in a list is held as well. `gc.collect()` looks at all objects, at each operation.
# </details>


# %% exercise="tanh_node"
def tanh_node(x):
    """A node for tanh of x, whose rule does not hold it."""
    ### BEGIN SOLUTION
    t = np.tanh(x.data)
    out = Node(t, (x,))
    out.back = lambda g: g * (1.0 - t * t)
    return out
    ### END SOLUTION


# %% probes="tanh_node"
class Bait:
    """In a cycle with itself: gone when the collector has been there."""

    def __init__(self, *far):
        self.far, self.own = far, self


class Chain(Link):
    """A Link whose questions all have one name: the numbers have been compared before."""

    def word(self, kind, sent):
        return f"end: {sent}" if kind == "end" else "computed"


@probe
def chain_far_away(ask, length, back):
    """A chain of tanh nodes on far arrays, its gradient, if it goes back, and one more look at that machine when all are
    let go."""
    gc.collect()
    gc.disable()
    try:
        link = Chain(ask)
        Bait(link("given"), link("given"))
        g, node = link("given"), Node(link("given"))
        for _ in range(length):
            node = tanh_node(node)
        top = node.data
        while back and node.parents:
            g, node = node.back(g), node.parents[0]
        del node
        link("given")
        for _ in range(2):  # what is gone is heard at the first, and counted at the second
            link.told("end")
            link.told("end", link.held)
            gc.collect()
        return [top.number, g.number]
    except Refused as error:
        return str(error)
    finally:
        gc.enable()


@probe
def tanh_rule(x, g):
    """The value, what the rule gives for g, and then for 2 g, whether the parents are right, and the data of x then."""
    node = Node(np.array(x))
    out = tanh_node(node)
    if not callable(out.back):
        return f"back is a {type(out.back).__name__}, no function"
    if not isinstance(out.parents, (tuple, list)):
        return f"parents is a {type(out.parents).__name__}, no tuple"
    first = out.back(g)
    if not callable(out.back):
        return f"the rule is called twice, and after once back is a {type(out.back).__name__}"
    second, parents = out.back(2.0 * g), len(out.parents) == 1 and out.parents[0] is node
    first, second = np.array(first), np.array(second)  # now: what the first call gave may not change in the second
    return {"data": out.data, "back(g)": first, "back(2 g)": second, "x is its parent": parents, "x.data": node.data}


def rule_of(check, x, g):
    """The same, where there are a rule and parents."""
    told = tanh_rule(x, g)
    if not isinstance(told, dict):
        check.true(False, f"{told}")
    return told


def rule_expected(x, g):
    """What it should be."""
    up = g * (1 - np.tanh(x) ** 2)
    return {"data": np.tanh(x), "back(g)": up, "back(2 g)": 2.0 * up, "x is its parent": True, "x.data": x}


def chain_of_tanh(check, length, back=True):
    """The two arrays that the chain gave, what they should be, and how many arrays were alive at the end."""
    machines = []
    told = chain_far_away.asking(lambda: machines.append(Machine(seed=length)) or machines[-1])(length, back)
    if not isinstance(told, list):
        check.true(False, f"{told}")
    rng = np.random.default_rng(length)
    _, _, up, x = (rng.standard_normal(3) for _ in range(4))
    values = [x]
    for _ in range(length):
        values.append(np.tanh(values[-1]))
    for value in values[:0:-1] if back else ():
        up = up * (1 - value**2)
    left = machines[-1].ends[0]
    return [left[n] for n in told], [values[-1], up], len(left), 1 in left


# %% check="tanh_node" points=2
with exercise("tanh_node") as check:
    x, g = np.array([0.5, -1.0]), np.array([10.0, 3.0])
    check.close(rule_of(check, x, g), rule_expected(x, g), "g (1 - tanh²), then for 2 g")
    check.untouched("g is the caller's")
    got, expected, alive, bait = chain_of_tanh(check, 5)
    check.close(got, expected, "five in a row: the value, and the gradient of the first")
    check.true(bait, "the collector was called, and it is not to be needed")
    why = f"5 tanh nodes, held by nobody: {alive - 4} of their arrays are still there"
    check.true(alive == 4, why)
    ### BEGIN HIDDEN TESTS
    from autograder import numbers

    for x, g in check.cases(5, numbers(4), numbers(4)):
        x, g = np.array(x), np.array(g)
        check.close(rule_of(check, x, g), rule_expected(x, g), "the value, and g (1 - t²)", rtol=1e-12)
    x, g = np.array([400.0, -800.0, 2000.0]), np.array([1.0, 2.0, 3.0])
    check.close(rule_of(check, x, g), rule_expected(x, g), "far from 0 it is 1 or -1, and flat")
    for length in (1, 2, check.rng.randrange(20, 40)):
        got, expected, alive, bait = chain_of_tanh(check, length)
        check.close(got, expected, "a chain")
        check.true(alive == 4 and bait, f"nobody holds the nodes, and {alive - 4} of their arrays are still there")
        got, expected, alive, bait = chain_of_tanh(check, length, back=False)
        check.close(got, expected, "a chain that nobody goes back through")
        check.true(alive == 4 and bait, f"no way back, nobody holds the nodes, and {alive - 4} of their arrays are still there")
    ### END HIDDEN TESTS

# %% [markdown]
# Steps of 20 nodes each; here the collector comes after every 5th. What to see: the cycle piles nodes up until then; yours
# leaves none.


# %% figure="sawtooth"
def sawtooth():
    curves = {}
    gc.collect()
    gc.disable()
    for name, make in (("colleague_tanh", colleague_tanh), ("tanh_node", tanh_node)):
        made, alive = weakref.WeakSet(), []
        for step in range(1, 21):
            node = Node(np.array(0.5))
            for _ in range(20):
                node = make(node)
                made.add(node)
            del node  # the step is over
            alive.append(len(made))
            if step % 5 == 0:
                gc.collect()
                alive.append(len(made))
        curves[name] = (sorted([*range(1, 21), *range(5, 21, 5)]), alive)
    gc.enable()
    ax = plots.lines(curves, title="Nodes that are still there after each step", xlabel="step", ylabel="nodes")
    ax.set_xticks(range(0, 21, 5))


sawtooth()

# %% [markdown]
# ## 6. Compute again, in place of keeping
#
# A network of n layers keeps n inputs for the way back. Keep every fourth, and on the way back run from there again. This
# is *checkpointing*: memory falls, work grows.
#
# To count both, our layers are on the pretend machine. `layer(x)` runs one, `layer.backward(x, g)` gives the gradient
# of its input x. What nobody holds is gone there.


# %% given="tried"
def tried(function, n, *rest):
    """Let a function go through n layers and back; gives the machine, which has counted."""
    machine = Machine(n)
    link = Link(machine)
    function([FarLayer(link, i) for i in range(n)], link("given"), lambda out: link("slope", out), *rest)
    return machine


def keep_all(layers, x, slope):
    inputs = [x]
    for layer in layers:
        inputs.append(layer(inputs[-1]))
    g = slope(inputs.pop())
    for layer in reversed(layers):
        g = layer.backward(inputs.pop(), g)
    return g


# %%
machine = tried(keep_all, 64)
print(f"64 layers, all kept: {machine.runs} runs, at most {machine.peak} arrays")

# %% [markdown]
# 66: the inputs, and the gradients behind a layer and before it.
#
# ### Exercise `checkpointed` (3 points)
# Go through all layers, keeping `x` and every `every`-th input after it (`every` may be larger than n). `slope(out)` gives
# the gradient that arrives at the last output. Then go back, part by part, each run again from what was kept; let go of what was used. Return the
# gradient of `x`.
#
# With 6 layers in parts of 2, the inputs of layers 0, 2, 4 are kept. A part's last output is not needed a second time: 6 + 3
# runs.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The inner half of `keep_all`, for one part at a time, from the last to the first.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# kept = []
# for i, layer in enumerate(layers):
#     if ...: kept.append(x)
#     x = layer(x)
# g = slope(x)
# del x                                     # nobody needs the last output now
# for start in reversed(range(0, len(layers), every)):
#     part, inputs = layers[...], [kept.pop()]
#     for layer in part[:-1]: ...           # run it again
#     for layer in reversed(part): ...      # and back, letting go of each input
# return g
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Too many arrays: `inputs[i]` reads and keeps, `inputs.pop()` lets go. Too many runs: each part is run from its own
# start, not from `x`.
# </details>


# %% exercise="checkpointed"
def checkpointed(layers, x, slope, every):
    """The gradient of x, with every `every`-th input kept and the others computed again."""
    ### BEGIN SOLUTION
    kept = []
    for i, layer in enumerate(layers):
        if i % every == 0:
            kept.append(x)
        x = layer(x)
    g = slope(x)
    del x
    for start in reversed(range(0, len(layers), every)):
        part, inputs = layers[start : start + every], [kept.pop()]
        for layer in part[:-1]:
            inputs.append(layer(inputs[-1]))
        for layer in reversed(part):
            g = layer.backward(inputs.pop(), g)
    return g
    ### END SOLUTION


# %% probes="checkpointed"
def way_and_back(ask, function, n, rest):
    """Let a function go through n far layers and back; the number of the array that it gives."""
    link = Link(ask)
    layers = [FarLayer(link, i) for i in range(n)]
    try:
        g = function(layers, link("given"), lambda out: link("slope", out, link.held > 20), *rest)
        held = link.held  # when the last layer has gone back
        link.told("end")
        link.told("end", (link.most - 1) // 4, held // 4)
    except Refused as error:
        return str(error)
    if not isinstance(g, Far):
        return None if g is None else f"a {type(g).__name__}"
    return [g.number, [getattr(layer, "i", None) for layer in layers]]


@probe
def checkpointed_there(ask, n, every):
    """Go through n layers and back with `checkpointed`."""
    return way_and_back(ask, checkpointed, n, [every])


def counted_there(check, there, n, *rest, seed=0):
    """The gradient that it gave (None where there is none), the right one, and the machine."""
    machines = []
    told = there.asking(lambda: machines.append(Machine(n, seed)) or machines[-1])(n, *rest)
    refused = isinstance(told, str) and told.startswith("refused")
    check.true(isinstance(told, list), told if refused else f"the gradient of x is wanted, and there is: {told}")
    check.true(len(told[1]) == n, f"the caller's list had {n} layers, and has {len(told[1])} now")
    check.true(told[1] == list(range(n)), "the caller's list of layers has other items now, or another order")
    machine = Machine(n, seed)
    inputs = [machine.rng.standard_normal(3)]
    for w in machine.weights:
        inputs.append(np.tanh(w @ inputs[-1]))
    g = 2 * inputs[-1] + np.array([1.0, -0.5, 0.3])
    for w, out in zip(machine.weights[::-1], inputs[:0:-1]):
        g = w.T @ (g * (1 - out**2))
    return machines[-1].arrays[told[0]], g, machines[-1]


# %% check="checkpointed" points=3
with exercise("checkpointed") as check:
    cases = (6, 2, 9, 8), (7, 3, 11, 9), (40, 4, 70, 17), (40, 8, 75, 16)
    for n, every, runs, peak in cases:
        how = f"{n} layers, every {every} kept"
        got, expected, machine = counted_there(check, checkpointed_there, n, every)
        check.close(got, expected, f"the gradient of x: {how}{machine.astray()}")
        check.true(machine.runs <= runs, f"{how}: {machine.runs} runs, {runs} are enough")
        check.true(machine.peak <= peak, f"{how}: {machine.peak} arrays, {peak} are enough")
        left = machine.alive[-1]
        check.true(left <= 7, f"{how}: {left} arrays at the end. Let go of what was used")
    ### BEGIN HIDDEN TESTS
    cases = [(check.rng.randrange(1, 30), check.rng.randrange(1, 9)) for _ in range(6)]
    few = check.rng.randrange(2, 9)
    edges = [(few, few), (few, few + 1), (few, few + check.rng.randrange(2, 30)), (1, 1), (1, 5)]
    for n, every in [*cases, *edges]:
        got, expected, machine = counted_there(check, checkpointed_there, n, every, seed=check.rng.randrange(1000))
        check.close(got, expected, "the gradient of x")
        parts = -(-n // every)
        check.true(machine.runs <= 2 * n - parts, f"{n} layers, every {every} kept: {machine.runs} runs, and not {2 * n - parts}")
        check.true(machine.peak <= parts + min(every, n) + 3, f"{n} layers, every {every} kept: {machine.peak} arrays at a time")
    got, expected, machine = counted_there(check, checkpointed_there, 40, 1)
    check.true(machine.runs == 40, "every input kept: nothing is run again")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** 64 layers, in parts of k = 1, 8, 64 (the last keeps x alone). How many arrays at most, how many runs?

# %%
prediction = {"k = 1": (None, None), "k = 8": (None, None), "k = 64": (None, None)}

if predicted(prediction, "parts_of_k"):
    for k in (1, 8, 64):
        machine = tried(checkpointed, 64, k)
        print(f"k = {k:2}: {machine.peak} arrays, {machine.runs} runs")

# %% [markdown]
# k = 64 runs nearly all again, and holds it. Parts of k layers need about n/k borders and k inputs of one part: for
# k = 8, 7 + 8, and two gradients. The sum is smallest where both are equal, at k = √n, for one more forward pass. Can
# it be less?
#
# ### Exercise `in_little_memory` (3 points)
# **Your own way.** Go through up to 128 layers and back, with never more than 16 arrays on the machine and at most 800 runs.
# Return what `checkpointed` does.
#
# <details><summary>Hint 1: a sketch</summary>
#
# A part of `checkpointed` is itself a chain of layers, with an input and a gradient that arrives. So checkpoint inside the
# checkpoint.
# </details>
# <details><summary>Hint 2: what to write first</summary>
#
# A function that takes some layers, their input and the g that arrives at their end, and gives the gradient of their input.
# One layer is easy. Of more: run the first half, go back through the second, then through the first.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A few arrays too many: a name in a waiting call still holds the middle (`del`). `slope` needs the last output: call it
# when the last layer has run.
# </details>


# %% exercise="in_little_memory"
def in_little_memory(layers, x, slope):
    ### BEGIN SOLUTION
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
    ### END SOLUTION


# %% probes="in_little_memory"
@probe
def little_there(ask, n):
    """Go through n layers and back with `in_little_memory`."""
    return way_and_back(ask, in_little_memory, n, [])


# %% check="in_little_memory" points=3
with exercise("in_little_memory") as check:
    for n in (1, 5, 128):
        got, expected, machine = counted_there(check, little_there, n)
        check.close(got, expected, f"the gradient of x, layers: {n}{machine.astray()}")
        peak, runs = machine.peak, machine.runs
        check.true(peak <= 16, f"layers: {n}. There are {peak} arrays at a time, not 16")
        check.true(runs <= 800, f"layers: {n}. There are {runs} runs, and not 800")
    ### BEGIN HIDDEN TESTS
    for n in (2, 3, 15, 17, 127):
        got, expected, machine = counted_there(check, little_there, n, seed=check.rng.randrange(1000))
        check.close(got, expected, "the gradient of x")
        check.true(machine.peak <= 16 and machine.runs <= 800, f"layers: {n}. There are {machine.peak} arrays, {machine.runs} runs")
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** A part of n layers runs its first half again, then each half does the same. How many runs are that
# for 64 layers, with the first forward pass?

# %%
prediction = None

if predicted(prediction, "runs_of_halves"):
    machine = tried(in_little_memory, 64)
    print(f"yours: {machine.peak} arrays, {machine.runs} runs")
    for n in (16, 32, 64):
        halvings = n.bit_length() - 1
        print(f"halves: {n} + {halvings} · {n // 2} = {n + halvings * n // 2} runs for {n} layers")

# %% [markdown]
# So every halving costs one array, and half a forward pass.
#
# What to see: of the fixed distances k = 8 holds the least; parts of 16 in parts of 4 hold less, halves still less,
# and run more.


# %% figure="memory_against_time"
def memory_against_time():
    def parts_in_parts(layers, x, slope):
        kept = []
        for start in range(0, len(layers), 16):
            kept.append(x)
            for layer in layers[start : start + 16]:
                x = layer(x)
        g = slope(x)
        del x
        for start in reversed(range(0, len(layers), 16)):
            g = checkpointed(layers[start : start + 16], kept.pop(), lambda out: g, 4)
        return g

    found = {every: tried(checkpointed, 64, every) for every in (1, 2, 4, 8, 16, 32, 64)}
    halved, divided = tried(in_little_memory, 64), tried(parts_in_parts, 64)
    curves = {"every k-th kept": ([m.runs for m in found.values()], [m.peak for m in found.values()])}
    ax = plots.lines(curves, title="64 layers: memory against time", xlabel="runs of a layer", ylabel="arrays at most")
    ax.lines[0].set(marker="o")
    ax.plot([divided.runs, halved.runs], [divided.peak, halved.peak], "s", color="#d94801")
    for name, m, where in (("parts of 16 in parts of 4", divided, (-40, 10)), ("in_little_memory", halved, (-88, -18))):
        ax.annotate(name, (m.runs, m.peak), xytext=where, textcoords="offset points", fontsize=9)
    for every, m in found.items():
        where = {4: (-36, -3), 8: (-10, -16), 16: (7, -5)}.get(every, (7, 0))
        ax.annotate(f"k = {every}", (m.runs, m.peak), xytext=where, textcoords="offset points", fontsize=9)
    ax.set(ylim=(0, 75), xlim=(50, None))


memory_against_time()

# %% [markdown]
# Through 16 layers, without the gradients: red is computed, blue is held. What to see: keep all climbs once; every 4th
# climbs again in short steps, yours in steps that halve.


# %% figure="in_motion"
def in_motion():
    ways = {"keep all": tried(keep_all, 16), "every 4th": tried(checkpointed, 16, 4), "yours": tried(in_little_memory, 16)}
    longest = max(len(m.history) for m in ways.values())
    axes = plots.panels(3, height=3.0)
    for ax, (name, machine) in zip(axes, ways.items()):
        most = max(len(held) for _, _, held, _ in machine.history)
        ax.set(title=f"{name}: {most} held", xlim=(-2, longest + 2), ylim=(-0.7, 16.7), xlabel="moment")
        ax.set_yticks(range(0, 17, 4))
    axes[0].set_ylabel("input of layer")

    def frame(k):
        for ax, machine in zip(axes, ways.values()):
            for kind, style in (("held", {"color": "#9ecae1"}), ("new", {"color": "#d94801"})):
                points = [(t, place) for t, (_, _, held, new) in enumerate(machine.history[: k + 1])
                          for place in (held if kind == "held" else [new]) if place is not None]
                ax.plot(*(np.array(points).T if points else ([], [])), "s", markersize=2.6, **style)
        return None

    return plots.movie(
        axes, frame, longest, rate=12,
        told="Three ways through 16 layers and back: all inputs stay; every fourth stays, and four at a time come again; "
        "halves of halves come again, and few stay.",
    )


in_motion()

# %% [markdown]
# **On the engine**, in ten lines: `forward` records nothing, and `backward` gets the g that arrives.


# %% given="checkpoint"
class Again(Function):
    """`part(h)`, of which h alone is kept. It has to want a gradient."""

    @staticmethod
    def forward(ctx, h, part):
        ctx.part = part
        ctx.save_for_backward(h)  # as your Saved does: a change in place is noticed
        return part(h)

    @staticmethod
    def backward(ctx, g):
        (h,) = ctx.saved_tensors
        twin = Tensor(h.data, requires_grad=True)  # the same memory, and no past: a leaf
        with enable_grad():
            ctx.part(twin).backward(g)  # run again, and back; weights get their gradients here
        return twin.grad, None  # `part` has none


def checkpoint(part, h):
    """`part(h)`, and `part` runs again when the gradient of h is wanted."""
    return Again.apply(h, part)


# %%
h, w = (Tensor(np.random.default_rng(seed).standard_normal((4, 4)), requires_grad=True) for seed in (0, 1))
dropout = nn.Dropout(0.5)
parts = {"two layers": lambda h: ((h @ w).tanh() @ w).tanh(), "a dropout inside": lambda h: dropout(h @ w).tanh()}
for name, part in parts.items():
    found = []
    for way in (lambda part, h: part(h), checkpoint, engine_checkpoint):
        nn.manual_seed(0)
        h.grad = w.grad = None
        way(part, h).sum().backward()
        found.append(np.stack([h.grad.data, w.grad.data]))
    ours, theirs = (np.allclose(one, found[0]) for one in found[1:])
    print(f"{name}: the right gradients? these ten lines {ours}, the engine's own checkpoint {theirs}")

# %% [markdown]
# Dropout draws anew in the second run: a wrong gradient, and nobody is told. The engine's own checkpoint repeats the
# random numbers.
#
# **A real network.** What to see: the longer the parts, the less the loss keeps, by your `bytes_kept`. The most in
# use at once is least at k = 8. The price is time: a second forward pass.


# %% figure="real_network"
def real_network():
    import time
    import tracemalloc

    rng, kept, most, steps, gradients = np.random.default_rng(0), {}, {}, {}, []
    x = Tensor(rng.standard_normal((512, 16)), requires_grad=True)
    weights = [Tensor(rng.normal(0, 0.25, (16, 16)), requires_grad=True) for _ in range(64)]

    def loss_by(k):
        """The loss, in parts of k layers: k = 1 is without checkpoints."""

        def through(start):
            def part(h):
                for weight in weights[start : start + k]:
                    h = (h @ weight).tanh()
                return h

            return part

        h = x
        for start in range(0, 64, k):
            h = through(start)(h) if k == 1 else checkpoint(through(start), h)
        for leaf in (x, *weights):
            leaf.grad = None
        return (h * h).mean()

    for k in (1, 2, 4, 8, 16, 32, 64):
        tracemalloc.start()
        loss = loss_by(k)
        kept[k] = (bytes_kept([loss, x, *weights]) - bytes_kept([x, *weights])) / 1e6
        loss.backward()
        most[k] = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        gradients.append(np.stack([weight.grad.data for weight in weights]))
    forward = np.inf
    for _ in range(9):  # in turns, and the processor's time: other programs do not count
        for k in kept:
            begun = time.process_time()
            loss = loss_by(k)
            between = time.process_time()
            loss.backward()
            steps[k] = min(steps.get(k, np.inf), 1000 * (time.process_time() - begun))
            forward = min(forward, 1000 * (between - begun)) if k == 1 else forward
    left, right = plots.panels(2)
    curves = {"kept for the loss": (list(kept), list(kept.values())), "most in use": (list(most), list(most.values()))}
    plots.lines(curves, title="64 layers of tanh: memory", xlabel="layers in a part, k", ylabel="MB", ax=left)
    curves = {"forward and back": (list(steps), list(steps.values())),
              "none, and a second forward": (list(steps), [steps[1] + forward] * len(steps))}
    plots.lines(curves, title="time of a step", xlabel="layers in a part, k", ylabel="milliseconds", ax=right)
    right.set_ylim(0, None)
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_xticks(list(kept), ["none", *map(str, list(kept)[1:])])
    print("All seven gradients are the same:", all(np.allclose(g, gradients[0], atol=0) for g in gradients))


real_network()

# %% [markdown]
# ## In your own words
# Somebody asks: "My loss is a single number. Why is my memory full?" Answer in two sentences.
#
# <details><summary>One way to say it</summary>
#
# The number refers to the operation that made it, that one to its inputs, and so on, with every array that a rule will
# read, until `backward` frees them. Keep `loss.item()`, and use `no_grad` where nobody goes back.
# </details>
#
# ## The same in PyTorch
# What PyTorch says to a change in place by a view, to a second backward; the runs of a checkpoint:

# %% tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here (pip install torch). Version 2 prints:\n")
    print("one of the variables needed for gradient computation has been modified by an inplace operation: "
          "[torch.FloatTensor [2]] is at version 1; expected version 0 instead \n")
    print("Trying to backward through the graph a second time (or directly access saved tensors after they have "
          "already been freed) \n")
    print("runs: 2  the gradient is right: True")
else:
    from torch.utils.checkpoint import checkpoint as their_checkpoint

    their_x, their_w = (torch.tensor(row, requires_grad=True) for row in ([5.0, 7.0], [2.0, 3.0]))
    their_y = (their_x * their_w).sum()
    with torch.no_grad():
        their_w[:1].add_(98.0)
    for their_loss in (their_y, (their_x * their_w).sum()):
        try:
            their_loss.backward()
            their_loss.backward()
        except RuntimeError as error:
            print(str(error).split(". ")[0], "\n")
    calls, their_x = [], torch.tensor([0.3, -0.2], requires_grad=True)

    def their_part(x):
        calls.append("run")
        return x.tanh().exp()

    their_checkpoint(their_part, their_x, use_reentrant=False).sum().backward()
    t = np.tanh([0.3, -0.2])
    print("runs:", len(calls), " the gradient is right:", np.allclose(their_x.grad, np.exp(t) * (1 - t * t)))

# %% [markdown]
# | here | in PyTorch |
# |---|---|
# | `item`, `detach`, `no_grad`, `retain_graph` | the same names |
# | `Counted.version` | `tensor._version` |
# | `w.data[0] = 100` | `w.data` has a counter of its own: not noticed either |
# | `Saved` | a saved tensor of a node, such as `y.grad_fn._saved_self` |
# | `checkpointed` | `torch.utils.checkpoint.checkpoint_sequential` |
# | `Again.apply(h, part)` | `torch.utils.checkpoint.checkpoint(part, h, use_reentrant=True)` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | memory grows with every step | a list or a running mean of losses |
# | it grows, and falls now and then | a cycle: a closure that holds its own result |
# | "a second time" | a state that is carried on, or a part that two losses share |
# | "modified by an inplace operation" | `+=` on something that a rule saved |
#
# ## Who found it
#
# | when | who | what |
# |---|---|---|
# | 1990 | Ronald Williams, Jing Peng | [truncated backpropagation](https://doi.org/10.1162/neco.1990.2.4.490) through time, every few steps |
# | 1992 | Andreas Griewank | [logarithmic growth](https://doi.org/10.1080/10556789208805505): checkpoints in checkpoints |
# | 2000 | Andreas Griewank, Andrea Walther | [revolve](https://doi.org/10.1145/347837.347846): the schedule that needs the fewest runs |
# | 2016 | Tianqi Chen and others | [training deep nets with sublinear memory](https://arxiv.org/abs/1604.06174): the root of n |
#
# ## One thing to try next
# Halving is not the best schedule. With s inputs kept, and no layer run more than r times before it goes back, the best
# reaches L(s, r) layers: L(s-1, r) behind the first border, L(s, r-1) before it, so $\binom{s + r}{s}$. How many for
# s = 4, r = 3? Which s do 128 layers need, at r = 3 and at r = 6?
#
# <details><summary>The numbers</summary>
#
# 35 layers; 8 and 4 inputs.
# </details>

# %% progress="here"
