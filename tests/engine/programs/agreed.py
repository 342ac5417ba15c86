"""Which differences from PyTorch are meant, and which are known and wait to be mended."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .by_scalars import compared
from .language import OURS, Form, Program, Statement
from .running import Difference, closed, is_right_anyway


def _always(program: Program, found: Difference) -> bool:
    return True


def _said(*words: str) -> Callable[[Program, Difference], bool]:
    """True if a statement up to the difference has one of the words."""

    def test(program: Program, found: Difference) -> bool:
        text = "\n".join(s.text(OURS) for s in program[: found.at + 1])
        return any(word in text for word in words)

    return test


def _now(pattern: str) -> Callable[[Program, Difference], bool]:
    """True if the statement at which the engines part looks like this."""
    return lambda program, found: bool(re.search(pattern, program[found.at].text(OURS)))


@dataclass(frozen=True)
class Meant:
    """A difference that stays: `why` is the sentence that answers whoever meets it, `example` shows it."""

    name: str
    why: str
    kind: str
    ours: str = ""
    theirs: str = ""
    test: Callable[[Program, Difference], bool] = _always
    example: tuple[Statement, ...] = ()
    #: Whether it is there with some versions of PyTorch only.
    sometimes: bool = False
    #: The line of the README's first list that says it already; without one, `name` and `why` stand in its second.
    row: str = ""

    def covers(self, program: Program, found: Difference) -> bool:
        """True if this difference is of that sort."""
        return (
            found.kind == self.kind
            and bool(re.search(self.ours, str(found.ours)))
            and bool(re.search(self.theirs, str(found.theirs)))
            and self.test(program, found)
        )


def lines(*pairs: Any) -> tuple[Statement, ...]:
    """A program written by hand, each line a text or a pair of texts."""
    out = []
    for pair in pairs:
        ours, theirs = (pair, pair) if isinstance(pair, str) else pair
        name = re.match(r"(\w+) = (.*)", ours)
        effect = "backward" if ".backward(" in ours else "value" if name else "change"
        if name:
            theirs = theirs.removeprefix(f"{name[1]} = ")
            out.append(Statement(Form(_escaped(name[2]), _escaped(theirs)), (), name[1], (), "", effect))
        else:
            out.append(Statement(Form(_escaped(ours), _escaped(theirs)), (), "", (), "", effect))
    return tuple(out)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def leaf(name: str, data: str, wants: bool = True) -> tuple[str, str]:
    """A line that makes a leaf."""
    return (
        f"{name} = Tensor({data}, requires_grad={wants})",
        f"{name} = torch.tensor({data}, requires_grad={wants})",
    )


X = leaf("x", "np.array([1.0, 2.0])")
Z = leaf("z", "np.array([3.0, 4.0])")


def _changes_the_seed(program: Program, found: Difference) -> bool:
    """True if a tensor that was passed to backward() was changed."""
    seeds = {s.args[1] for s in program if s.effect == "backward" and len(s.args) > 1}
    changed = {a for s in program if s.effect == "change" for a in s.args}
    return bool(seeds & changed) or _said("y.backward(d)")(program, found)


def _flat_clip(program: Program, found: Difference) -> bool:
    """True in a version of PyTorch whose slope is 0 at the limits."""
    if not _said("clip(")(program, found):
        return False
    import torch

    x = torch.ones(1, requires_grad=True)
    x.clip(max=1.0).sum().backward()
    return x.grad is not None and not x.grad.any()


def _right(program: Program, found: Difference) -> bool:
    """By PyTorch's own copies of what changes, or by the engine of single numbers."""
    program = program[: found.at + 1]
    if is_right_anyway(program):
        return True
    try:
        return compared(closed([s for s in program if s.form.ours != "{0}.numpy()"]))[2]
    except AssertionError:
        return False


MEANT = [
    Meant(
        "a graph is used once",
        "PyTorch notices a second backward pass only where something was saved; here it is always said.",
        "we raise",
        ours="This graph was already used",
        example=lines(X, "y = (x + 1.0).sum()", "y.backward()", "y.backward()"),
    ),
    Meant(
        "`t.data = ...` and `t.data -= ...` are noticed",
        "A saved value that was changed through `.data` is refused here; PyTorch computes with what is there now.",
        "we raise",
        ours="was later changed in place",
        test=_said(".data =", ".data -=", ".data *="),
        example=lines(X, "y = x * x", "x.data -= 0.5", "y.sum().backward()"),
    ),
    Meant(
        "`.grad` as a value",
        "backward() adds to `.grad` as it goes, and refuses where the graph reads it; PyTorch adds at the end.",
        "we raise",
        ours="by backward\\(\\), which adds to \\.grad",
        example=lines(X, "x.sum().backward()", "g = x.grad", "y = (x * g + x).sum()", "y.backward()"),
    ),
    Meant(
        "booleans are numbers",
        "As in NumPy a boolean counts as 0 or 1; PyTorch refuses to subtract or negate it.",
        "only we compute",
        theirs="with a bool tensor is not supported|on a bool tensor is not supported",
        example=lines(X, "y = (x > 1.5) - x"),
    ),
    Meant(
        "gradients have memory of their own",
        "PyTorch's transforms may return one number seen many times, which cannot be changed; here all can be.",
        "only we compute",
        theirs="more than one element of the written-to tensor",
        test=_said("vjp(", "jvp(", "grad("),
        example=lines(
            X,
            ("g = grad(lambda t: t.sum())(x.detach())", "g = torch.func.grad(lambda t: t.sum())(x.detach())"),
            "g += 1.0",
        ),
    ),
    Meant(
        "what is not read may change",
        "PyTorch refuses when a value changes that it kept and no gradient reads; the gradient here is the right one.",
        "only we compute",
        theirs="modified by an inplace operation",
        test=_right,
        example=lines(
            X,
            leaf("m", "np.ones(2)", False),
            leaf("w", "np.ones((2, 2))"),
            "y = F.batch_norm(w, m, m.clone(), training=True)",
            "m += 1.0",
            "(y * x).sum().backward()",
        ),
    ),
    Meant(
        "a change may read what it changes",
        "`x[None] += x` is computed as if x had been copied first, as NumPy does; PyTorch refuses.",
        "only we compute",
        theirs="some elements of the input tensor and the written-to tensor",
        example=lines(
            leaf("x", "np.ones((2, 2))", False),
            "x[:, 1:] += x[:, :1].broadcast_to((2, 1))",
            "x[:1] += x.reshape(1, 4)[:, 1:3]",
        ),
    ),
    Meant(
        "the order of numbers in memory",
        "A result's axes lie in memory as NumPy lays them, and so `reshape` of one may be a view where PyTorch copies.",
        "sharing",
        test=lambda program, found: (
            "another order" in found.what and _now(r"reshape|flatten")(program, found)
        ),
        example=lines(leaf("x", "np.ones((2, 3, 3))", False), "y = x.swapaxes(1, 2) != x", "z = y.flatten()"),
    ),
    Meant(
        "recorded changes need memory of their own",
        "A recorded change in place of a view is refused, with a sentence; PyTorch rewrites the graph of its base.",
        "we raise",
        ours="A recorded change in place needs memory of its own",
        row="changes of views",
        example=lines(X, "y = x * 1.0", "v = y[:1]", "v *= 2"),
    ),
    Meant(
        "the caller's gradient stays the caller's",
        "PyTorch may take the tensor passed to backward() for `.grad`, and add to it the next time.",
        "value",
        test=_now(r"\.backward\("),
        example=lines(X, "y = x.unsqueeze(-1)", "y.backward(y, retain_graph=True)", "y.sum().backward()"),
    ),
    Meant(
        "what happens to the caller's gradient",
        "A change of the tensor passed to backward() does not change `.grad`; in PyTorch it may.",
        "gradient",
        test=_changes_the_seed,
        example=lines(
            *(X, Z, "y = x.reshape(-1, 1)", "d = z.detach().reshape(-1, 1)", "y.backward(d)"),
            *("d *= 2.0", "x.sum().backward()"),
        ),
    ),
    Meant(
        "the caller's gradient is not `.grad`",
        "`.grad` has memory of its own; in PyTorch it may be a part of the tensor passed to backward().",
        "sharing",
        ours="of its own",
        test=_now(r"\.grad$"),
        example=lines(
            X, Z, "y = x.reshape(-1, 1)", "d = z.detach().reshape(-1, 1)", "y.backward(d)", "g = x.grad"
        ),
    ),
    Meant(
        "a number divided by a tensor",
        "Its gradient reads the tensor, which may not change before; PyTorch keeps the quotient.",
        "we raise",
        ours="'div' saved its argument number 2",
        test=_said(*[f"{c} / v" for c in "0123456789"]),
        example=lines(X, "v = x * 1.0", "y = 2.0 / v", "v *= 2.0", "y.sum().backward()"),
    ),
    Meant(
        "a gradient that depends on nothing",
        "With create_graph a gradient may be recorded although no leaf that wants one is behind it.",
        "gradient's place in the graph",
        ours="True, False",
        test=_said("create_graph"),
        example=lines(
            leaf("x", "np.ones((1, 2))"),
            leaf("w", "np.ones((1, 2))"),
            "y = F.linear(x, w).sum()",
            "x.requires_grad_(False)",
            "y.backward(create_graph=True)",
        ),
    ),
    Meant(
        "relu multiplies by its slope",
        "0 times an infinite gradient is NaN; PyTorch's relu puts 0.",
        "gradient",
        ours="nan",
        test=_said("relu", "ReLU"),
        example=lines(leaf("x", "np.zeros(1)"), "y = x.relu().sqrt().sum()", "y.backward()"),
    ),
    Meant(
        "transforms return new tensors",
        "A product of `vjp` or `jvp` is never one of the tensors that went in; in PyTorch it may be.",
        "value's place in the graph",
        theirs="True, True",
        test=_now(r"[vj][vj]p\("),
        example=lines(
            X, Z, ("v = vjp(lambda t: t + x, x)[1](z)[0]", "v = torch.func.vjp(lambda t: t + x, x)[1](z)[0]")
        ),
    ),
    Meant(
        "transforms return new memory",
        "A product of `vjp` or `jvp` shares its memory with nothing that went in.",
        "sharing",
        ours="of its own",
        test=_said("vjp(", "jvp(", "grad(lambda"),
        example=lines(
            leaf("x", "np.ones(2)", False),
            ("v = vjp(lambda t: t + 1.0, x)[1](x)[0]", "v = torch.func.vjp(lambda t: t + 1.0, x)[1](x)[0]"),
        ),
    ),
    Meant(
        "a tangent has its argument's dtype",
        "`jvp` casts the tangent; PyTorch lets the result have the wider dtype.",
        "value's facts",
        test=_now(r"jvp\("),
        example=lines(
            leaf("x", "np.ones((), np.float32)", False),
            leaf("z", "np.ones(())", False),
            (
                "v = jvp(lambda t: t + 1.0, (x,), (z,))[1]",
                "v = torch.func.jvp(lambda t: t + 1.0, (x,), (z,))[1]",
            ),
        ),
    ),
    Meant(
        "a pooled result is read again",
        "`max_pool2d`, `gelu` and `elu` read their result again and refuse if it has changed; PyTorch may not.",
        "we raise",
        ours="'(max_pool2d|gelu_tanh|elu)' saved its result",
        example=lines(
            leaf("x", "np.ones((1, 1, 2, 2))"), "y = F.max_pool2d(x, 2)", "y /= 2.0", "y.sum().backward()"
        ),
    ),
    Meant(
        "attention keeps its arguments",
        "`scaled_dot_product_attention` refuses when one was changed; PyTorch keeps scaled copies.",
        "we raise",
        ours="'attention' saved its argument",
        example=lines(
            leaf("x", "np.ones((2, 2))"),
            leaf("v", "np.ones((2, 2))", False),
            "y = F.scaled_dot_product_attention(x, x, v)",
            "with no_grad(): x += -1.0",
            "y.sum().backward()",
        ),
    ),
    Meant(
        "an index array is copied",
        "What is written into a NumPy array after it was an index does not matter; PyTorch looks again.",
        "gradient",
        test=_said("[...] = 0"),
        example=lines(X, "i = np.array([1])", "y = x[i]", "i[...] = 0", "y.sum().backward()"),
    ),
    Meant(
        "clip's slope at a limit",
        "It is 1; in the newest PyTorch it is 0.",
        "gradient",
        test=_flat_clip,
        sometimes=True,
        row="`clip` at a limit",
        example=lines(X, ("y = x.clip(high=2.0)", "y = x.clip(max=2.0)"), "y.sum().backward()"),
    ),
    Meant(
        "labels of any whole numbers",
        "PyTorch takes labels of int64 (and sometimes uint8) alone.",
        "only we compute",
        theirs="expected target dtype|expected scalar type Long",
        example=lines(
            (
                "v = F.nll_loss(Tensor(np.ones((1, 2))), Tensor(np.array([1], np.int32)))",
                "v = F.nll_loss(torch.ones((1, 2)), torch.tensor(np.array([1], np.int32)))",
            ),
        ),
    ),
    Meant(
        "copying a tensor onto itself changes nothing",
        "So nothing is refused; PyTorch refuses it of leaves and of some views.",
        "only we compute",
        theirs="function that returns multiple views|a leaf Variable|modified by an inplace operation",
        test=lambda program, found: any(
            re.search(r"(\w+)\.copy_\(\1\)|(\w+)\[\.\.\.\] = \2$", s.text(OURS))
            for s in program[: found.at + 1]
        ),
        example=lines(leaf("x", "np.ones((2, 2))"), "v = x.split(1)[0]", "v.copy_(v)"),
    ),
    Meant(
        "the diagonal may be a copy",
        "`ops.diagonal` of more than two axes gives new numbers, in PyTorch a view.",
        "sharing",
        ours="of its own",
        test=_now("diagonal"),
        example=lines(
            leaf("x", "np.ones((2, 3, 2))", False),
            ("y = ops.diagonal(x, 0, 2)", "y = torch.diagonal(x, 0, 0, 2)"),
        ),
    ),
    Meant(
        "an empty view shares nothing",
        "A view without elements may be changed even if its base is a leaf.",
        "only we compute",
        theirs="a view of a leaf Variable|being modified inplace",
        test=lambda program, found: (
            found.what.endswith("of no elements") or _said("np.zeros((0, 3))")(program, found)
        ),
        example=lines(leaf("x", "np.zeros((0, 3))"), "y = x.unsqueeze(0)", "y[...] = x"),
    ),
    Meant(
        "repeated views are read-only",
        "What `broadcast_to` repeats is one number seen many times, and NumPy lets nobody write to it.",
        "we raise",
        ours="read-only",
        example=lines(leaf("x", "np.ones(1)", False), "y = x.broadcast_to((1, 1))", "y.data[...] = 2.0"),
    ),
]


#: Faults that wait to be mended, in the same form: programs that show them do not count as long as the example does.
KNOWN: list[Meant] = []


def judged(program: Program, found: Difference) -> Meant | None:
    """What this difference is, if it is meant or known."""
    return next((m for m in [*MEANT, *KNOWN] if m.covers(program, found)), None)
