"""Writes a random program: one statement after the other, each fitting what the statements before have made.

A program switches a random half of the kinds of statement off ("swarm testing", Groce et al. 2012), so that some
programs are all views and changes, some all second derivatives, and some everything at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from . import forms
from .language import Form, Statement
from .running import Difference, Session, array, gradient, is_tensor

NICE = (0.0, 0.0, -0.0, 1.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0)
HUGE = 1e5
Kind = Callable[["Writer"], bool]
KINDS: dict[str, tuple[int, Kind]] = {}


def kind(weight: int) -> Callable[[Kind], Kind]:
    """A way to go on, with how often it is taken."""

    def add(function: Kind) -> Kind:
        KINDS[function.__name__] = weight, function
        return function

    return add


class Writer:
    """A program in the making, which runs on both engines as it is written."""

    def __init__(self, seed: int, length: int = 24, session: Session | None = None) -> None:
        self.random = Random(seed)
        self.session = session or Session()
        self.program: list[Statement] = []
        self.found: Difference | None = None
        self.count = 0
        self.length = self.random.randint(3, length)
        self.nice = self.random.choice((0.2, 0.5, 0.9))
        self.single = self.random.random() < 0.2
        self.retired: set[str] = set()
        self.kinds = {
            n: k for n, k in KINDS.items() if n in ("tensor", "backward") or self.random.random() < 0.55
        }

    def write(self) -> list[Statement]:
        """Write and run the whole program; `found` is the difference at which it ends, if there is one."""
        names = list(self.kinds)
        weights = [self.kinds[n][0] for n in names]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(self.random.randint(2, 4)):
                new_tensor(self)
            for _ in range(6 * self.length):
                if self.found or self.session.over or len(self.program) >= self.length:
                    break
                self.kinds[self.random.choices(names, weights)[0]][1](self)
            if not self.found and not self.session.over:
                all_backward(self)
        return self.program

    # -- a statement ---------------------------------------------------------------------------------------------

    def say(
        self,
        form: Form,
        *args: str,
        to: bool = True,
        effect: str = "value",
        mode: str | None = None,
        **options: Any,
    ) -> str | None:
        """Add a statement and run it; the name that it made, or "" where it made none, None if it was refused."""
        if mode is None:
            mode = (
                self.random.choice(("no_grad", "no_grad", "enable_grad"))
                if self.random.random() < 0.06
                else ""
            )
        name = self.new_name(form) if to else ""
        statement = Statement(form, args, name, tuple(options.items()), mode, effect)
        self.program.append(statement)
        self.found = self.session.do(statement)
        if self.found or self.session.refused:
            return None
        if effect == "change" and any(self.is_wild(a) for a in args):  # from here on all is NaN
            self.session.over = True
        # A value that drowns all others, or which hangs on a graph in PyTorch only, is not used.
        if to and (self.is_wild(name) or name in self.session.constant):
            self.retired.add(name)
            return None
        return name

    def new_name(self, form: Form) -> str:
        """A name that says what it holds."""
        self.count += 1
        return f"v{self.count}"

    def is_wild(self, name: str) -> bool:
        """True for values that are too large, or not numbers: what is computed from them says little."""
        value = self.session.ours.value(name)
        if not hasattr(value, "dtype"):
            return value is None
        a = array(value)
        return bool(a.size and a.dtype.kind == "f" and not (np.abs(a).max() < HUGE)) or a.size > 64

    # -- what there is -------------------------------------------------------------------------------------------

    def having(self, kinds: str, test: Callable[[Any], bool] = lambda t: True) -> list[str]:
        """The names of tensors whose dtype is of one of the kinds and that pass the test, older ones first."""
        out = []
        for name, value in self.session.ours.variables():
            if "." not in name and name not in self.retired and is_tensor(value):
                if value.dtype.kind in kinds and test(value):
                    out.append(name)
        return out

    def pick(self, names: list[str]) -> str | None:
        """One of them, more likely a late one."""
        if not names:
            return None
        return names[-1 - min(int(self.random.expovariate(0.4)), len(names) - 1)]

    def tensor(self, test: Callable[[Any], bool] = lambda t: True) -> str | None:
        """A floating-point tensor."""
        return self.pick(self.having("f", test))

    def shape(self, name: str) -> tuple[int, ...]:
        """Its shape."""
        return tuple(self.session.ours.value(name).shape)

    def dtype(self, name: str) -> str:
        """Its dtype's name."""
        return str(self.session.ours.value(name).dtype.name)

    def of_shape(
        self, shape: tuple[int, ...], dtype: str | None = None, low: float | None = None
    ) -> str | None:
        """A floating-point tensor of this shape: one that is there, or a new one."""
        names = self.having("f", lambda t: t.shape == shape and (dtype is None or t.dtype.name == dtype))
        if names and low is None and self.random.random() < 0.6:
            return self.pick(names)
        return new_tensor(self, shape, dtype, low=low)

    def like(self, name: str) -> str | None:
        """A tensor that broadcasts with this one: often it itself."""
        if self.random.random() < 0.12:
            return name
        shape = self.shape(name)

        def fits(t: Any) -> bool:
            try:
                return len(np.broadcast_shapes(t.shape, shape)) <= 4
            except ValueError:
                return False

        return self.tensor(fits)

    # -- literals ------------------------------------------------------------------------------------------------

    def number(self) -> float:
        """A number: one with one decimal sits on a kink or a tie, one with two was drawn."""
        if self.random.random() < self.nice:
            return self.random.choice(NICE)
        while True:
            value = round(self.random.gauss(0, 1.2), 2)
            if f"{value:.2f}"[-1] != "0":
                return value

    def data(self, shape: tuple[int, ...], draw: Callable[[], Any] | None = None) -> str:
        """An array as nested lists."""
        draw = draw or self.number
        if not shape:
            return repr(draw())
        return "[" + ", ".join(self.data(shape[1:], draw) for _ in range(shape[0])) + "]"

    def drawn_shape(self) -> tuple[int, ...]:
        """No axis to three, of length 1 to 3, seldom 0."""
        n = self.random.choices((0, 1, 2, 3), (2, 4, 6, 2))[0]
        return tuple(self.random.choices((0, 1, 2, 3), (0.3, 2, 5, 5))[0] for _ in range(n))

    def index(self, shape: tuple[int, ...], ellipsis: bool = True) -> str:
        """Integers, slices, None and an ellipsis."""
        parts = []
        for n in shape[: self.random.randint(0, len(shape))]:
            choice = self.random.random()
            if choice < 0.35 and n:
                parts.append(str(self.random.randrange(-n, n)))
            elif choice < 0.9:
                start, stop = sorted((self.random.randint(0, n), self.random.randint(0, n)))
                parts.append(
                    self.random.choice((":", f"{start}:", f":{stop}", f"{start}:{stop}", "::2", "-1:"))
                )
            else:
                parts.append("None, :")
        if ellipsis and (not parts or self.random.random() < 0.2):
            parts.append("...")
        return ", ".join(parts) or "..."

    def axis(self, name: str) -> int:
        """One of its axes, counted from either end."""
        n = max(len(self.shape(name)), 1)
        return self.random.randrange(-n, n)

    def retire_graphs(self) -> None:
        """After an unmarked write nothing recorded may be used again: its derivatives are nobody's promise."""
        for name, value in self.session.ours.variables():
            if is_tensor(value) and not value.is_leaf:
                self.retired.add(name)


def new_tensor(
    w: Writer,
    shape: tuple[int, ...] | None = None,
    dtype: str | None = None,
    wants: bool | None = None,
    low: float | None = None,
) -> str | None:
    """A leaf."""
    shape = w.drawn_shape() if shape is None else shape
    dtype = dtype or ("float32" if w.single and w.random.random() < 0.7 else "float64")
    wants = w.random.random() < 0.75 if wants is None else wants
    if 0 in shape:
        return w.say(forms.EMPTY, mode="", shape=shape, dtype=dtype, wants=wants)
    draw = None if low is None else (lambda: abs(w.number()) + low)
    return w.say(forms.TENSOR, mode="", data=w.data(shape, draw), dtype=dtype, wants=wants)


def all_backward(w: Writer) -> None:
    """Whatever the program did, its gradients are looked at in the end."""
    names = w.having("f", lambda t: t.requires_grad and not t.is_leaf)
    for name in w.random.sample(names, min(2, len(names))):
        if w.shape(name):
            total = w.say(
                forms.WEIGHED,
                name,
                mode="",
                data=w.data(w.shape(name), lambda: w.random.choice((1.0, -2.0, 0.37))),
            )
            if total is None or w.found:
                return
            name = total
        if not w.session.ours.value(name).requires_grad:
            continue
        w.say(forms.BACKWARD, name, to=False, effect="backward", mode="", options="retain_graph=True")
        if w.found or w.session.over:
            return


# -- values --------------------------------------------------------------------------------------------------------


@kind(5)
def tensor(w: Writer) -> bool:
    return new_tensor(w) is not None


@kind(3)
def whole_numbers(w: Writer) -> bool:
    shape, choice = w.drawn_shape(), w.random.random()
    draw: Callable[[], Any] = lambda: w.random.randint(0, 2)  # noqa: E731
    dtype = "int64" if choice < 0.5 else "bool" if choice < 0.9 else "int32"
    if dtype == "bool":
        draw = lambda: w.random.random() < 0.5  # noqa: E731
    if 0 in shape:
        return w.say(forms.EMPTY, mode="", shape=shape, dtype=dtype, wants=False) is not None
    return (
        w.say(forms.TENSOR, mode="", data=w.data(shape, draw), dtype=dtype, wants=w.random.random() < 0.02)
        is not None
    )


@kind(16)
def elementwise(w: Writer) -> bool:
    x = w.tensor()
    return bool(x and w.say(w.random.choice(forms.ELEMENTWISE), x, number=w.number()))


@kind(16)
def broadcasting(w: Writer) -> bool:
    x = w.tensor()
    y = x and w.like(x)
    return bool(x and y and w.say(w.random.choice(forms.BROADCASTING), x, y))


@kind(2)
def mixed(w: Writer) -> bool:
    x, y = w.tensor(), w.pick(w.having("iub"))
    if not x or not y:
        return False
    try:
        np.broadcast_shapes(w.shape(x), w.shape(y))
    except ValueError:
        return False
    pair = [x, y] if w.random.random() < 0.5 else [y, x]
    return bool(w.say(w.random.choice(forms.BROADCASTING[:4]), *pair))


@kind(3)
def comparing(w: Writer) -> bool:
    x = w.tensor()
    y = x and w.like(x)
    return bool(x and y and w.say(w.random.choice(forms.COMPARING), x, y))


@kind(1)
def logic(w: Writer) -> bool:
    x = w.pick(w.having("b"))
    y = x and w.pick(w.having("b", lambda t: t.shape == w.shape(x)))
    return bool(x and y and w.say(w.random.choice(forms.LOGIC), x, y))


@kind(3)
def integers(w: Writer) -> bool:
    x = w.pick(w.having("i"))
    y = x and w.pick(w.having("i", lambda t: t.shape == w.shape(x)))
    return bool(x and y and w.say(w.random.choice(forms.INTEGER), x, y))


@kind(1)
def cast(w: Writer) -> bool:
    x = w.pick(w.having("fiub"))
    return bool(x and w.say(forms.CAST, x, dtype=w.random.choice(("float32", "float64", "int64", "bool"))))


# -- shapes --------------------------------------------------------------------------------------------------------


@kind(18)
def view(w: Writer) -> bool:
    x = w.pick(w.having("f")) if w.random.random() < 0.9 else w.pick(w.having("iub"))
    if not x:
        return False
    shape = w.shape(x)
    n = len(shape)
    r, choice = w.random, w.random.randrange(14)
    if choice == 0:
        size = int(np.prod(shape, dtype=int))
        options = [(-1,), (size,), (1, size), (size, 1)] + [
            (d, size // d) for d in (2, 3) if size and size % d == 0
        ]
        options = [s for s in options if size or -1 not in s]
        return bool(w.say(r.choice(forms.RESHAPE), x, shape=r.choice(options)))
    if choice == 1:
        return bool(w.say(r.choice(forms.TRANSPOSE), x, reversed=tuple(range(n))[::-1]))
    if choice == 2 and n:
        return bool(w.say(r.choice(forms.PERMUTE), x, axes=tuple(r.sample(range(n), n))))
    if choice == 3 and n:
        return bool(w.say(forms.SWAPAXES, x, a=w.axis(x), b=w.axis(x)))
    if choice == 4 and n:
        return bool(w.say(r.choice(forms.SQUEEZE), x, axis=w.axis(x)))
    if choice == 5 and n < 4:
        return bool(w.say(r.choice(forms.UNSQUEEZE), x, axis=r.randint(-n - 1, n)))
    if choice == 6 and n < 3:
        wide = tuple(r.choice((2, 3)) if m == 1 else m for m in shape)
        return bool(
            w.say(r.choice(forms.EXPAND), x, shape=(r.randint(1, 2), *wide) if r.random() < 0.5 else wide)
        )
    if choice == 7 and n:
        axis = r.randrange(n)
        size = r.randint(1, 2)
        pieces = -(-shape[axis] // size)
        return bool(
            pieces
            and w.say(
                r.choice(forms.SPLIT),
                x,
                size=size,
                axis=axis,
                piece=r.randrange(pieces),
                chunks=r.randint(1, 3),
            )
        )
    if choice == 8:
        return bool(w.say(forms.FLATTEN, x))
    if choice == 9 and n < 3:
        kept = tuple(r.choice((-1, m)) if m != 1 else r.choice((-1, 2, 3)) for m in shape)
        return bool(
            w.say(
                r.choice(forms.EXPAND_SOME), x, shape=(r.randint(1, 2), *kept) if r.random() < 0.5 else kept
            )
        )
    if choice == 10 and n and 0 not in shape:
        axis = w.axis(x)
        return bool(w.say(r.choice(forms.UNBIND), x, axis=axis, place=r.randrange(shape[axis])))
    return bool(w.say(forms.INDEX, x, index=w.index(shape)))


@kind(5)
def moving(w: Writer) -> bool:
    x = w.tensor(lambda t: t.ndim > 0)
    if not x:
        return False
    shape, r = w.shape(x), w.random
    n = len(shape)
    choice = r.randrange(8)
    if choice == 6:
        times = tuple(r.randint(1, 2) for _ in range(n + (r.random() < 0.3)))
        return bool(w.say(r.choice(forms.REPEAT), x, times=times))
    if choice == 7:
        return bool(n >= 2 and w.say(r.choice(forms.TRIANGLES), x, diagonal=r.randint(-1, 2)))
    if choice == 0:
        return bool(w.say(r.choice(forms.FLIP), x, axes=tuple(r.sample(range(n), r.randint(1, n)))))
    if choice == 1:
        return bool(w.say(r.choice(forms.ROLL), x, shift=r.randint(-2, 2), axis=w.axis(x)))
    if choice == 2:
        width = tuple((r.randint(0, 1), r.randint(0, 2)) for _ in shape)
        flat = tuple(k for pair in width[::-1] for k in pair)
        return bool(w.say(forms.PAD, x, width=width, flat=flat, value=r.choice((0.0, 1.5))))
    if choice == 3 and n >= 2:
        a, b = r.sample(range(n), 2)
        return bool(shape[a] == shape[b] and w.say(forms.DIAGONAL, x, a=a, b=b))
    y = w.pick(w.having("f", lambda t: t.shape == shape and t.dtype.name == w.dtype(x)))
    if choice == 4:
        return bool(y and w.say(r.choice(forms.CONCATENATE), x, y, axis=w.axis(x)))
    return bool(y and w.say(r.choice(forms.STACK), x, y, axis=w.axis(x)))


# -- reading and choosing ------------------------------------------------------------------------------------------


def positions(w: Writer, length: int, shape: tuple[int, ...]) -> str | None:
    """Integers below `length`, some of them twice, as a tensor or an array."""
    names = w.having(
        "i", lambda t: t.shape == shape and t.size and t.data.min() >= 0 and t.data.max() < length
    )
    if names and w.random.random() < 0.5:
        return w.pick(names)
    data = w.data(shape, lambda: w.random.randrange(length))
    if w.random.random() < 0.25:
        return w.say(forms.ARRAY, mode="", data=data, dtype="int64")
    return w.say(forms.TENSOR, mode="", data=data, dtype="int64", wants=False)


@kind(8)
def choosing(w: Writer) -> bool:
    x = w.tensor()
    if not x:
        return False
    shape, r = w.shape(x), w.random
    n = len(shape)
    choice = r.randrange(5)
    if choice <= 1 and n and shape[0]:
        by = positions(w, shape[0], r.choice(((), (2,), (3,), (2, 2))) if choice else (r.randint(1, 3),))
        return bool(by and w.say(r.choice(forms.INDEX_BY), x, by))
    if choice == 2 and n >= 2 and shape[1]:
        by = positions(w, shape[1], (r.randint(1, 3),))
        if by and isinstance(w.session.ours.value(by), np.ndarray):  # PyTorch does not copy it here
            return False
        return bool(by and w.say(r.choice(forms.INDEX_COLUMNS), x, by))
    if choice == 3 and n and 0 not in shape:
        axis = r.randrange(n)
        narrow = tuple(r.randint(1, m) if i != axis else r.randint(1, 3) for i, m in enumerate(shape))
        by = positions(w, shape[axis], narrow)
        if by and isinstance(w.session.ours.value(by), np.ndarray):
            return False
        return bool(by and w.say(forms.GATHER, x, by, axis=axis))
    mask = w.pick(w.having("b", lambda t: t.shape == shape))
    return bool(mask and w.say(forms.INDEX_BY[0], x, mask))


@kind(4)
def where(w: Writer) -> bool:
    x = w.tensor()
    y = x and w.like(x)
    if not x or not y:
        return False
    mask = w.pick(w.having("b", lambda t: t.shape in (w.shape(x), w.shape(y), ())))
    if not mask:
        made = w.say(w.random.choice(forms.COMPARING), x, y)
        mask = made
    return bool(mask and w.say(w.random.choice(forms.WHERE), mask, x, y, number=w.number()))


# -- fewer numbers -------------------------------------------------------------------------------------------------


@kind(9)
def reducing(w: Writer) -> bool:
    x = w.tensor()
    if not x:
        return False
    n, r = len(w.shape(x)), w.random
    choice = r.random()
    if choice < 0.6:
        axes: Any = None
        if n and r.random() < 0.75:
            axes = w.axis(x) if r.random() < 0.7 else tuple(r.sample(range(n), r.randint(1, n)))
        dims = axes if axes is not None else tuple(range(n)) if n else 0
        return bool(w.say(r.choice(forms.REDUCTIONS), x, axis=axes, dims=dims, keep=r.random() < 0.4))
    if choice < 0.7:
        return bool(w.say(r.choice(forms.WHOLE), x, dims=tuple(range(n)) if n else 0))
    if choice < 0.75 and n:
        return bool(w.say(forms.PROD, x, axis=w.axis(x), keep=r.random() < 0.4))
    if choice < 0.84:
        axis = w.axis(x)
        k = n and r.randint(0, w.shape(x)[axis])
        return bool(n and w.say(r.choice(forms.ORDER), x, axis=axis, k=k, which=r.randrange(2)))
    if choice < 0.88:
        return bool(n and w.say(r.choice(forms.POSITION), x, axis=w.axis(x)))
    return bool(w.say(r.choice(forms.ALONG), x, axis=w.axis(x)))


@kind(6)
def product(w: Writer) -> bool:
    x = w.tensor(lambda t: t.ndim > 0)
    if not x:
        return False
    shape, r = w.shape(x), w.random
    dtype = w.dtype(x)
    choice = r.randrange(4)
    if choice == 0 and len(shape) in forms.EINSUM:
        y = w.of_shape(shape, dtype)
        return bool(y and w.say(r.choice(forms.EINSUM[len(shape)]), x, y))
    if choice == 1 and len(shape) == 1:
        y = w.tensor(lambda t: t.ndim == 1 and t.dtype.name == dtype)
        return bool(y and w.say(forms.OUTER, x, y))
    if choice == 2 and len(shape) == 2:
        y = w.of_shape((r.randint(1, 3), shape[1]), dtype)
        return bool(y and w.say(r.choice(forms.MATMUL_T), x, y))
    other: Any = r.choice(((shape[-1],), (shape[-1], r.randint(1, 3)), (shape[-1], 2)))
    y = w.of_shape(other, dtype)
    return bool(y and w.say(r.choice(forms.MATMUL), x, y))


# -- functional ----------------------------------------------------------------------------------------------------


@kind(7)
def loss(w: Writer) -> bool:
    r = w.random
    reduction = r.choice(("mean", "sum", "none"))
    choice = r.randrange(5)
    if choice <= 1:
        x = w.tensor()
        y = x and w.of_shape(w.shape(x), w.dtype(x))
        return bool(x and y and w.say(r.choice(forms.PAIRWISE_LOSSES), x, y, reduction=reduction))
    if choice == 2:
        x = w.tensor()
        p = x and w.say(forms.form("ops.sigmoid({0})"), x)
        y = p and w.of_shape(w.shape(p), w.dtype(p))
        form = r.choice(forms.PROBABILITY_LOSS if r.random() < 0.6 else forms.DIVERGENCE)
        return bool(p and y and w.say(form, p, y, reduction=reduction))
    x = w.of_shape((r.randint(1, 3), r.randint(2, 3)))
    if not x:
        return False
    if choice == 3:
        y = w.of_shape(w.shape(x), w.dtype(x))
        return bool(y and w.say(forms.SOFT_LABELS, x, y, reduction=reduction))
    n, classes = w.shape(x)
    labels = positions(w, classes, (n,))
    if not labels or isinstance(w.session.ours.value(labels), np.ndarray):
        return False
    return bool(w.say(r.choice(forms.LABEL_LOSSES), x, labels, reduction=reduction))


@kind(6)
def layer(w: Writer) -> bool:
    r = w.random
    choice = r.randrange(7)
    x = w.tensor(lambda t: t.ndim > 0 and t.size > 0)
    if choice <= 1 and x:
        n, out, dtype = w.shape(x)[-1], r.randint(1, 3), w.dtype(x)
        weight = w.of_shape((out, n), dtype)
        bias = weight and w.of_shape((out,), dtype)
        if not weight or not bias:
            return False
        if r.random() < 0.3:
            return bool(w.say(r.choice(forms.LINEAR_PLAIN), x, weight))
        return bool(w.say(r.choice(forms.LINEAR), x, weight, bias))
    if choice == 2 and x:
        n, dtype = w.shape(x)[-1], w.dtype(x)
        given = r.randint(1, 3)
        more = [w.of_shape((n,), dtype) for _ in range(given - 1)]
        return all(more) and bool(w.say(forms.LAYER_NORM[given], x, *[m for m in more if m], n=n))
    if choice == 3:
        x = w.tensor(lambda t: t.ndim in (2, 3) and t.size > t.shape[1])
        if not x:
            return False
        c, dtype = (w.shape(x)[1],), w.dtype(x)
        state = [new_tensor(w, c, dtype, wants=False, low=0.5) for _ in range(2)]
        more = [w.of_shape(c, dtype) for _ in range(2)]
        if not all(state) or not all(more):
            return False
        return bool(w.say(r.choice(forms.BATCH_NORM), x, *[s for s in [*state, *more] if s], effect="change"))
    if choice == 4:
        if r.random() < 0.5:
            x, k = w.of_shape((1, 2, 3)), w.of_shape((2, 2, 2))
            return bool(x and k and w.dtype(x) == w.dtype(k) and w.say(r.choice(forms.CONV1D), x, k))
        x, k = w.of_shape((1, 1, 3, 3)), w.of_shape((2, 1, 2, 2))
        return bool(x and k and w.dtype(x) == w.dtype(k) and w.say(r.choice(forms.CONV2D), x, k))
    if choice == 5:
        if r.random() < 0.5:
            x = w.of_shape((1, 2, 3))
            return bool(x and w.say(r.choice(forms.POOL1D), x))
        x = w.of_shape((1, 1, 3, 3))
        return bool(x and w.say(r.choice(forms.POOL2D), x))
    x = w.of_shape(r.choice(((2, 2), (1, 2, 2))))
    if not x:
        return False
    if r.random() < 0.4:
        rows = (
            positions(w, w.shape(x)[0], r.choice(((), (2,), (3,), (2, 2)))) if len(w.shape(x)) == 2 else None
        )
        if not rows or isinstance(w.session.ours.value(rows), np.ndarray):
            return False
        return bool(w.say(forms.EMBEDDING, rows, x))
    k, v = w.of_shape(w.shape(x), w.dtype(x)), w.of_shape(w.shape(x), w.dtype(x))
    return bool(k and v and w.say(r.choice(forms.ATTENTION), x, k, v))


# -- changes in place ----------------------------------------------------------------------------------------------


@kind(12)
def changing(w: Writer) -> bool:
    r = w.random
    x = w.tensor(lambda t: not (t.requires_grad and t.is_leaf)) if r.random() < 0.85 else w.tensor()
    if not x:
        return False
    mode = r.choice(("", "", "", "no_grad"))
    if w.session.ours.value(x).requires_grad and w.session.ours.value(x).is_leaf and r.random() < 0.9:
        mode = "no_grad"
    shape = w.shape(x)
    choice = r.randrange(6)

    def say(form: Form, *more: str, **options: Any) -> bool:
        return w.say(form, x, *more, to=False, effect="change", mode=mode, **options) is not None

    if choice == 0:
        return say(r.choice(forms.CHANGE_BY_NUMBER), number=w.number())
    if choice <= 2:
        y = w.tensor(
            lambda t: (
                t.ndim <= len(shape) and np.broadcast_shapes(t.shape, shape) == shape
                if _fit(t.shape, shape)
                else False
            )
        )
        return bool(y and say(r.choice(forms.CHANGE_BY), y))
    if choice == 3:
        return say(r.choice(forms.ASSIGN), index=w.index(shape), number=w.number())
    if choice == 4:
        index = w.index(shape)
        goal = np.empty(shape)[_parsed(index)].shape
        y = w.tensor(lambda t: _fit(t.shape, goal) and np.broadcast_shapes(t.shape, goal) == goal)
        return bool(y and say(r.choice(forms.ASSIGN_VALUE), y, index=index))
    mask = w.pick(w.having("b", lambda t: t.shape == shape))
    return bool(mask and say(r.choice(forms.ASSIGN_MASKED), mask, number=w.number()))


def _fit(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return True


def _parsed(index: str) -> Any:
    class Get:
        def __getitem__(self, given: Any) -> Any:
            return given

    return eval(f"get[{index}]", {"get": Get()})


@kind(3)
def changing_integers(w: Writer) -> bool:
    x = w.pick(w.having("ib"))
    if not x:
        return False
    if w.session.ours.value(x).dtype.kind == "b":
        form = w.random.choice(forms.CHANGE_BOOLEANS)
        return w.say(form, x, to=False, effect="change", index=w.index(w.shape(x))) is not None
    y = w.pick(w.having("i", lambda t: t.shape == w.shape(x))) or x
    form = w.random.choice(forms.CHANGE_INTEGERS)
    return w.say(form, x, y, to=False, effect="change", index=w.index(w.shape(x))) is not None


# -- behind the record's back --------------------------------------------------------------------------------------


@kind(5)
def outside(w: Writer) -> bool:
    r = w.random
    x = w.tensor()
    if not x:
        return False
    value, shape = w.session.ours.value(x), w.shape(x)
    choice = r.randrange(7)
    if choice == 0:
        return bool(w.say(r.choice(forms.DETACH), x))
    if choice == 1:
        return bool(w.say(forms.TENSOR_OF, x))
    if choice == 2 and value.is_leaf:
        if 0 in shape:
            return False
        form = r.choice(forms.DATA)
        return w.say(form, x, to=False, effect="change", data=w.data(shape), dtype=w.dtype(x)) is not None
    if choice == 3 and value.is_leaf:
        y = w.tensor(lambda t: t.is_leaf and t.shape == shape and t.dtype == value.dtype and t is not value)
        return bool(y and w.say(forms.TIE[0], x, y, to=False, effect="change") is not None)
    if choice == 4:
        return bool(w.say(r.choice(forms.TO_ARRAY), x))
    if choice == 5:
        return w.say(forms.MARK, x, to=False, effect="change") is not None
    done = w.say(forms.DATA_UNMARKED[0], x, to=False, effect="change", index=w.index(shape))
    w.retire_graphs()
    return done is not None


@kind(3)
def arrays(w: Writer) -> bool:
    r = w.random
    names = [n for n, v in w.session.ours.variables() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    if not names or r.random() < 0.4:
        shape = w.drawn_shape()
        name = None if 0 in shape else w.say(forms.ARRAY, mode="", data=w.data(shape), dtype="float64")
        return bool(name and w.say(forms.SHARED, name, mode="", wants=r.random() < 0.7))
    x = r.choice(names)
    index = w.index(tuple(w.session.ours.value(x).shape))
    done = w.say(r.choice(forms.ARRAY_UNMARKED), x, to=False, effect="change", mode="", index=index)
    w.retire_graphs()
    return done is not None


@kind(1)
def index_array_changes(w: Writer) -> bool:
    names = [
        n
        for n, v in w.session.ours.variables()
        if isinstance(v, np.ndarray) and v.dtype.kind == "i" and v.size
    ]
    form = forms.form("{0}[...] = 0")
    return bool(names) and w.say(form, w.random.choice(names), to=False, effect="change", mode="") is not None


@kind(2)
def copying(w: Writer) -> bool:
    x = w.tensor(lambda t: t.is_leaf) if w.random.random() < 0.8 else w.tensor()
    return bool(x and w.say(forms.DEEPCOPY, x, mode=""))


@kind(1)
def wanting(w: Writer) -> bool:
    x = w.tensor(lambda t: t.is_leaf) if w.random.random() < 0.9 else w.tensor()
    return bool(
        x and w.say(w.random.choice(forms.REQUIRES), x, to=False, effect="change", mode="") is not None
    )


# -- gradients -----------------------------------------------------------------------------------------------------


@kind(8)
def backward(w: Writer) -> bool:
    r = w.random
    options = r.choice(("", "", "retain_graph=True", "retain_graph=True", "create_graph=True"))
    roots = w.having("f", lambda t: t.requires_grad and not t.is_leaf)
    if not roots or r.random() < 0.1:
        roots = w.having("f") if r.random() < 0.1 else w.having("f", lambda t: t.requires_grad)
    x = w.pick(roots)
    if not x:
        return False
    shape = w.shape(x)
    mode = "" if r.random() < 0.97 else "no_grad"

    def say(form: Form, *more: str, **given: Any) -> bool:
        return w.say(form, x, *more, to=False, effect="backward", mode=mode, **given) is not None

    if shape == () or (int(np.prod(shape)) == 1 and r.random() < 0.7):
        return say(forms.BACKWARD, options=options)
    if r.random() < 0.25:
        g = w.of_shape(shape, w.dtype(x))
        return bool(g and say(forms.BACKWARD_WITH, g, options=options and ", " + options))
    if 0 not in shape and r.random() < 0.4:
        return say(
            forms.BACKWARD_ARRAY, data=w.data(shape), dtype=w.dtype(x), options=options and ", " + options
        )
    total = w.say(forms.WHOLE[0], x, mode="")
    if not total or not w.session.ours.value(total).requires_grad:
        return False
    x = total
    return say(forms.BACKWARD, options=options)


@kind(5)
def gradients(w: Writer) -> bool:
    r = w.random
    x = w.tensor(lambda t: t.requires_grad and gradient(t) is not None)
    if not x:
        return False
    choice = r.random()
    if choice < 0.6:
        return bool(w.say(forms.READ_GRAD, x, mode=""))
    if choice < 0.9:
        return w.say(r.choice(forms.FORGET_GRAD), x, to=False, effect="change", mode="") is not None
    y = w.pick(
        w.having("f", lambda t: t.shape == w.shape(x) and t.dtype.name == w.dtype(x) and not t.requires_grad)
    )
    return bool(y and w.say(forms.SET_GRAD, x, y, to=False, effect="change", mode="") is not None)


@kind(3)
def transforming(w: Writer) -> bool:
    r = w.random
    x = w.tensor(lambda t: t.size > 0)
    if not x:
        return False
    which = r.randrange(len(forms.BODIES))
    body = forms.BODIES[which]
    shape = () if body == "t.sum()" else (-1,) if "reshape" in body else w.shape(x)
    y = w.of_shape(w.shape(x), w.dtype(x))
    if not y:
        return False
    choice = r.random()
    if choice < 0.4:
        goal = (int(np.prod(w.shape(x))),) if shape == (-1,) else shape
        v = w.of_shape(goal, w.dtype(x))
        return bool(v and w.say(forms.VJP[which], x, y, v, mode=""))
    if choice < 0.7:
        v = w.of_shape(w.shape(x), w.dtype(x))
        return bool(v and w.say(forms.JVP[which], x, y, v, mode=""))
    return bool(w.say(forms.GRAD_OF[which], x, y, mode=""))


# -- modules and optimizers ----------------------------------------------------------------------------------------


@kind(6)
def modules(w: Writer) -> bool:
    r = w.random
    known = [
        n for n, v in w.session.ours.space.items() if hasattr(v, "named_parameters") and n.startswith("v")
    ]
    if not known or r.random() < 0.25:
        if r.random() < 0.1:
            return w.say(forms.ATTENTION_MODULE, mode="", seed=r.randrange(99)) is None
        return w.say(forms.MODULE, mode="", how=r.choice(list(forms.MODULES)), seed=r.randrange(99)) is None
    m = r.choice(known)
    how = next(dict(s.options).get("how") for s in w.program if s.to == m)
    if r.random() < 0.25:
        count = len(list(w.session.ours.value(m).parameters()))
        if count and r.random() < 0.5:
            return bool(w.say(forms.PARAMETER, m, mode="", place=r.randrange(count)))
        return w.say(r.choice(forms.MODULE_STATE), m, to=False, effect="change", mode="") is not None
    if r.random() < 0.08:
        return w.say(forms.DEEPCOPY, m, mode="") is None
    if how is None:
        x = (
            w.of_shape((1, 2, 2), "float64")
            if any(s.to == m and s.form is forms.ATTENTION_MODULE for s in w.program)
            else None
        )
        return bool(x and w.say(forms.CALL_ATTENTION, m, x))
    what, shape = forms.MODULES[how]
    shape = tuple(r.randint(1, 3) if n == -1 else n for n in shape)
    x = w.of_shape(shape, "float64") if what == "float" else positions(w, 3, shape)
    if not x or isinstance(w.session.ours.value(x), np.ndarray):
        return False
    if r.random() < 0.15 and not how.startswith(tuple(forms.CALLS)):
        return w.say(r.choice(forms.MODULE_HOOK), m, mode="") is None
    call = next((f for start, f in forms.CALLS.items() if how.startswith(start)), [forms.CALL])
    return bool(w.say(r.choice(call), m, x, effect="change"))


@kind(4)
def optimizing(w: Writer) -> bool:
    r = w.random
    known = [n for n, v in w.session.ours.space.items() if hasattr(v, "zero_grad") and hasattr(v, "step")]
    if not known or r.random() < 0.2:
        leaves = w.having("f", lambda t: t.is_leaf and t.requires_grad)
        seen: dict[int, str] = {}
        for name in leaves:
            seen.setdefault(id(w.session.ours.value(name)), name)
        chosen = r.sample(list(seen.values()), min(len(seen), r.randint(1, 3)))
        how = r.choice(forms.OPTIMIZERS).replace(
            "{parameters}", ", ".join(f"{{{i}}}" for i in range(len(chosen)))
        )
        return bool(chosen) and w.say(forms.form(how), *chosen, mode="") is None
    if r.random() < 0.7:
        form = r.choice((forms.STEP[0], forms.STEP[0], forms.STEP[1]))
        return w.say(form, r.choice(known), to=False, effect="change", mode="") is not None
    leaves = w.having("f", lambda t: t.is_leaf and t.requires_grad and t.grad is not None)
    if not leaves:
        return False
    if r.random() < 0.5:
        return w.say(forms.CLIP_NORM, leaves[0], r.choice(leaves), effect="change", mode="") is not None
    return w.say(forms.CLIP_VALUE, r.choice(leaves), to=False, effect="change", mode="") is not None
