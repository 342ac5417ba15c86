"""Kinds of statement that networks are made of, beside those of `writing`: borders, norms, pooling, hooks."""

from __future__ import annotations

import numpy as np

from . import forms
from .writing import Writer, kind, positions


@kind(2)
def bordering(w: Writer) -> bool:
    r = w.random
    x = w.tensor(lambda t: t.ndim > 0)
    if not x:
        return False
    n = len(w.shape(x))
    if r.random() < 0.5 or n < 2:
        widths = tuple(r.choice((0, 1, 2, -1)) for _ in range(2 * r.randint(1, n)))
        return bool(w.say(r.choice(forms.BORDER), x, widths=widths))
    # PyTorch fills one axis of two or three, and two of three or four.
    pairs = r.choice([p for p in (1, 2) if p < n <= p + 2] or [0])
    widths = tuple(r.randint(0, 2) for _ in range(2 * pairs))
    border = r.choice(("reflect", "replicate", "circular"))
    lengths = [m for m in w.shape(x)[-pairs:] for _ in (0, 1)]
    fits = all(v < m if border == "reflect" else v <= m for v, m in zip(widths[::-1], lengths, strict=False))
    return bool(
        pairs and fits and 0 not in w.shape(x) and w.say(forms.BORDER_OF, x, widths=widths, border=border)
    )


@kind(3)
def normalising(w: Writer) -> bool:
    r = w.random
    x = w.tensor(lambda t: t.ndim > 0 and t.size > 0)
    if not x:
        return False
    shape, dtype = w.shape(x), w.dtype(x)
    choice = r.randrange(3)
    if choice == 0:
        return bool(w.say(r.choice(forms.NORMALIZE), x, axis=w.axis(x), p=r.choice((1, 2, 2.0, 3))))
    if choice == 1:
        weight = w.of_shape((shape[-1],), dtype)
        if r.random() < 0.5:
            return bool(w.say(forms.RMS_NORM[1], x, n=shape[-1]))
        return bool(weight and w.say(forms.RMS_NORM[2], x, weight, n=shape[-1]))
    x = w.tensor(lambda t: t.ndim in (2, 3) and t.size > t.shape[1])
    if not x:
        return False
    channels, dtype = w.shape(x)[1], w.dtype(x)
    groups = r.choice([k for k in (1, 2, 3) if channels % k == 0])
    if int(np.prod(w.shape(x))) == w.shape(x)[0] * groups:  # one number in each group
        return False
    if r.random() < 0.4:
        return bool(w.say(r.choice(forms.GROUP_NORM[1]), x, groups=groups))
    more = [w.of_shape((channels,), dtype) for _ in range(2)]
    return all(more) and bool(w.say(r.choice(forms.GROUP_NORM[3]), x, *[m for m in more if m], groups=groups))


@kind(3)
def spreading(w: Writer) -> bool:
    """Pooling by the result's size, and transposed convolution."""
    r = w.random
    size = r.randint(1, 4)
    choice = r.randrange(4)
    if choice == 0:
        x = w.of_shape((1, 2, 3))
        return bool(x and w.say(r.choice(forms.ADAPTIVE1D), x, size=size))
    if choice == 1:
        x = w.of_shape((1, 1, 3, 3))
        sizes = r.choice((size, (size, r.randint(1, 4)), (None, size)))
        return bool(x and w.say(r.choice(forms.ADAPTIVE2D), x, sizes=sizes))
    if choice == 2:
        x, k = w.of_shape((1, 2, 3)), w.of_shape((2, 2, 2))
        return bool(x and k and w.dtype(x) == w.dtype(k) and w.say(r.choice(forms.TRANSPOSED1D), x, k))
    x, k = w.of_shape((1, 1, 3, 3)), w.of_shape((1, 2, 2, 2))
    return bool(x and k and w.dtype(x) == w.dtype(k) and w.say(r.choice(forms.TRANSPOSED2D), x, k))


@kind(1)
def attending(w: Writer) -> bool:
    x = w.of_shape((1, 2, 6))
    return bool(x and w.say(forms.SELF_ATTENTION, x))


@kind(1)
def labelling(w: Writer) -> bool:
    x = positions(w, 3, w.random.choice(((), (2,), (1, 3))))
    if not x or isinstance(w.session.ours.value(x), np.ndarray):
        return False
    return bool(w.say(w.random.choice(forms.ONE_HOT), x))


@kind(4)
def watching(w: Writer) -> bool:
    r = w.random
    handles = [n for n, v in w.session.ours.space.items() if n[0] == "v" and hasattr(v, "remove")]
    if handles and r.random() < 0.2:
        return w.say(forms.UNHOOK, r.choice(handles), to=False, effect="change", mode="") is not None
    x = w.tensor(lambda t: t.requires_grad) if r.random() < 0.98 else w.tensor()
    if not x:
        return False
    if r.random() < 0.4:
        return w.say(forms.RETAIN, x, to=False, effect="change", mode="") is not None
    y = w.pick(w.having("f", lambda t: t.shape == w.shape(x) and t.dtype.name == w.dtype(x)))
    return bool(y and w.say(r.choice(forms.HOOK), x, y, mode="") is None)


@kind(3)
def own_functions(w: Writer) -> bool:
    x = w.tensor()
    y = x and w.of_shape(w.shape(x), w.dtype(x))
    return bool(x and y and w.say(w.random.choice(forms.FUNCTIONS), x, y, number=w.number()))


@kind(2)
def checkpointing(w: Writer) -> bool:
    x = w.tensor()
    y = x and w.of_shape(w.shape(x), w.dtype(x))
    return bool(x and y and w.say(w.random.choice(forms.CHECKPOINT), x, y))
