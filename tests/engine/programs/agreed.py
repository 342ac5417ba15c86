"""Which differences from PyTorch are meant, and which are known and wait to be mended."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import forms
from .by_scalars import compared
from .language import OURS, THEIRS, Form, Program, Statement
from .running import (
    Difference,
    Session,
    array,
    close,
    closed,
    difference,
    is_right_anyway,
    is_single,
    is_tensor,
    shares,
)


def _always(program: Program, found: Difference) -> bool:
    return True


def _said(*words: str) -> Callable[[Program, Difference], bool]:
    """True if a statement up to the difference has one of the words."""

    def test(program: Program, found: Difference) -> bool:
        text = "\n".join(s.text(OURS) for s in program[: found.at + 1])
        return any(word in text for word in words)

    return test


def _both(*tests: Callable[[Program, Difference], bool]) -> Callable[[Program, Difference], bool]:
    """True if all are."""
    return lambda program, found: all(test(program, found) for test in tests)


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
            and _changed_there(program, found)
            and self.test(program, found)
        )


def _changed_there(program: Program, found: Difference) -> bool:
    """True unless we refuse because of a change that no statement of the program makes."""
    change = re.search(r"changed in place by <(.*)>:", str(found.ours)) if found.kind == "we raise" else None
    return not change or any(
        s.effect != "value" and s.text(OURS) == change[1] for s in program[: found.at + 1]
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


def _ours(program: Program, found: Difference) -> Session:
    """Our engine after the statement at which the two part."""
    session = Session(alone=True)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in program[: found.at + 1]:
            session.do(statement)
    return session


def _used_twice(program: Program, found: Difference) -> bool:
    """True if an earlier backward pass let go of its graph."""
    passes = [s.text(OURS) for s in program[: found.at] if s.effect == "backward"]
    return any("retain_graph" not in text and "create_graph" not in text for text in passes)


def _writes_nothing(program: Program, found: Difference) -> bool:
    """True if the statement changes no element, because there is none."""
    if program[found.at].to:
        return False
    before = replace(found, at=found.at - 1)
    text = re.sub(r"^with .*: ", "", program[found.at].text(OURS))
    target = re.match(r"((\w+)(\[.*?\])?)(\.\w+_\(| [-+*/]?= )", text)
    space = _ours(program, before).ours.space
    return target is not None and target[2] in space and eval(target[1], space).size == 0


def _agreed_without_empty_changes(program: Program, found: Difference) -> bool:
    """True if nothing differs without the changes that change no element."""

    def empty(at: int) -> bool:
        return program[at].effect == "change" and _writes_nothing(program, replace(found, at=at))

    return _agreed_but_for(empty, program, found)


def _agreed_but_for(left_out: Callable[[int], bool], program: Program, found: Difference) -> bool:
    """True if nothing differs without the statements at these places, and there are some."""
    kept = [s for i, s in enumerate(program[: found.at + 1]) if not left_out(i)]
    return len(kept) <= found.at and difference(kept) is None


def _is_wanting_leaf(program: Program, found: Difference) -> bool:
    """True if what the statement changes is a leaf that wants gradients."""
    target = re.match(r"(?:with .*: )?(\w+)", program[found.at].text(OURS))
    value = target and _ours(program, replace(found, at=found.at - 1)).ours.value(target[1])
    return is_tensor(value) and value.is_leaf and value.requires_grad


def _set_to_repeated(program: Program, found: Difference) -> bool:
    """True if the gradient is a view of one number seen many times, which the program itself has put there."""
    name = found.what.removesuffix(".grad")
    named = dict(_ours(program, found).ours.variables())
    given = [
        m[1] for s in program[: found.at + 1] if (m := re.fullmatch(rf"{name}\.grad = (\w+)", s.text(OURS)))
    ]
    return any(array(named[g]).flags.writeable is False and named[name].grad is named[g] for g in given)


def _view_of_earlier(program: Program, found: Difference) -> bool:
    """True if a tensor outside of the graph shows memory of a leaf that has been made to want gradients since."""
    ours = _ours(program, found).ours
    named = dict(ours.variables())
    wanting = [
        named.get(match[1])
        for s in program[: found.at + 1]
        if (match := re.fullmatch(r"(\w+)\.requires_grad_\(\)", s.text(OURS)))
    ]
    text = re.sub(r"^with .*: ", "", program[found.at].text(OURS))
    name = found.what if found.kind != "only we compute" else text
    target = named.get(re.match(r"\w+", name)[0])  # type: ignore[index]
    return target is not None and any(
        leaf is not None and leaf is not target and shares(array(target), array(leaf)) for leaf in wanting
    )


def _transform_kept(program: Program, found: Difference) -> bool:
    """True if all would go on had what went into the transforms been copies."""
    out: list[Statement] = []
    for s in program[: found.at + 1]:
        text = s.text(OURS)
        if re.search(r"\b[vj][vj]p\(|\bgrad\(", text):
            copies = {
                a: f"{s.to}_{a}" for a in re.findall(r"\b[a-z]\w*\b(?= *[,)*+}])", text) if a in _named(out)
            }
            out += [Statement(_CLONE, (a,), c) for a, c in copies.items()]
            ours, theirs = text[len(s.to) + 3 :], s.text(THEIRS)[len(s.to) + 3 :]
            for a, c in copies.items():
                ours, theirs = (re.sub(rf"\b{a}\b", c, line) for line in (ours, theirs))
            s = replace(s, form=Form(_escaped(ours), _escaped(theirs)), args=(), options=())
        out.append(s)
    return len(out) > found.at + 1 and difference(out) is None


def _wanting_later(program: Program, found: Difference) -> bool:
    """True if nothing differs once what used a leaf before it wanted gradients has used a constant."""
    out: list[Statement] = []
    later = {
        match[1]: i
        for i, s in enumerate(program[: found.at + 1])
        if (match := re.fullmatch(r"(\w+)\.requires_grad_\(\)", s.text(OURS)))
    }
    for i, s in enumerate(program[: found.at + 1]):
        ours, theirs = (text.format(*s.args, **dict(s.options)) for text in (s.form.ours, s.form.theirs))
        leaves = [leaf for leaf, at in later.items() if i < at and re.search(rf"\b{leaf}\b", ours)]
        if leaves and s.to:
            names = rf"\b({'|'.join(leaves)})\b"
            pair = (re.sub(names, r"\1.detach().clone()", line) for line in (ours, theirs))
            s = replace(s, form=Form(*map(_escaped, pair)), args=(), options=())
        out.append(s)
    return bool(later) and difference(out) is None


_CLONE = forms.form("{0}.clone()")


def _named(program: Program) -> set[str]:
    return {s.to for s in program if s.to}


def _agreed_without(pattern: str) -> Callable[[Program, Difference], bool]:
    """True if nothing differs, or only what is meant, without the changes that look like this."""

    def test(program: Program, found: Difference) -> bool:
        kept = [
            s for s in program[: found.at + 1] if s.effect != "change" or not re.search(pattern, s.text(OURS))
        ]
        if len(kept) == found.at + 1:
            return False
        rest = difference(kept)
        return rest is None or judged(kept, rest) is not None

    return test


def _agreed_without_unseen_changes(program: Program, found: Difference) -> bool:
    """True if nothing differs without the changes of NumPy arrays, of which no engine hears."""

    def unseen(at: int) -> bool:
        target = re.match(r"(\w+)\[.*\] [-+*/]?= ", program[at].text(OURS))
        return target is not None and isinstance(
            _ours(program, replace(found, at=at)).ours.space.get(target[1]), np.ndarray
        )

    return _agreed_but_for(unseen, program, found)


def _agreed_without_checkpoints(program: Program, found: Difference) -> bool:
    """True if nothing differs where the functions are called, and no checkpoint is made."""
    out = []
    for s in program[: found.at + 1]:
        call = re.fullmatch(
            r"(\w+) = checkpoint\((lambda .*?: .*), (\w+|\w+, \w+), use_reentrant=False\)", s.text(OURS)
        )
        if call:
            s = replace(s, form=forms.form(f"({call[2]})({call[3]})"), args=(), options=())
        out.append(s)
    return out != list(program[: found.at + 1]) and difference(out) is None


def _has_own_memory(program: Program, found: Difference) -> bool:
    """True if what the statement changes shares its memory with nothing that was there before it."""
    ours = _ours(program, replace(found, at=found.at - 1)).ours
    changed = re.match(r"(?:with .*: )?(\w+)", program[found.at].text(OURS))
    target = ours.value(changed[1]) if changed else None
    before = itertools.takewhile(lambda pair: pair[1] is not target, ours.variables())
    return target is not None and not any(shares(array(target), array(v)) for _, v in before)


def _changed_by_data(program: Program, found: Difference) -> bool:
    """True if the change was one of `.data`, or of memory that `x.data = y.data` has made the same for both."""
    if re.search(r"by <.*\.data [-*]?= .*>:", str(found.ours)):
        return True
    untied = [replace(s, form=_UNTIED) if s.form in forms.TIE else s for s in program[: found.at + 1]]
    return untied != list(program[: found.at + 1]) and difference(untied) is None


_UNTIED = forms.form("{0}.data = {1}.data.copy()", "{0}.data = {1}.data.clone()")


def _agreed_by_whole_copies(program: Program, found: Difference) -> bool:
    """True if nothing differs where PyTorch's deep copies are clones, laid out anew."""
    out = []
    for s in program[: found.at + 1]:
        if match := re.fullmatch(r"\w+ = copy\.deepcopy\((\w+)\)", s.text(OURS)):
            s = replace(s, form=_WHOLE_COPY, args=(match[1],), options=())
        out.append(s)
    return out != list(program[: found.at + 1]) and difference(out) is None


_WHOLE_COPY = forms.form("copy.deepcopy({0})", "{0}.clone(memory_format=torch.contiguous_format)")


def _by_hooks(program: Program, found: Difference) -> bool:
    """True if there is no difference without the hooks."""
    without = [s for s in program[: found.at + 1] if ".register_hook(" not in s.text(OURS)]
    return len(without) <= found.at and difference(without) is None


def _nothing_arrives_through_jvp(program: Program, found: Difference) -> bool:
    """True if `jvp` may as well get constants: nothing changes here, and PyTorch gives the same."""
    out = []
    for s in program[: found.at + 1]:
        ours, theirs = (
            re.sub(r"(jvp\(.*), \((\w+),\), ", r"\1, (\2.detach(),), ", s.text(e)) for e in (OURS, THEIRS)
        )
        if ours != s.text(OURS):
            ours, theirs = (text.removeprefix(f"{s.to} = ") for text in (ours, theirs))
            s = replace(s, form=Form(_escaped(ours), _escaped(theirs)), args=(), options=())
        out.append(s)
    same = True
    if found.kind == "gradient":
        here = _ours(out, found).ours.gradient_of(found.what.removesuffix(".grad"))
        same = (here is None) == (found.ours is None) and (
            here is None or close(array(here), found.ours, is_single(out))
        )
    return same and out != list(program[: found.at + 1]) and difference(out) is None


def _onto_itself(program: Program, found: Difference) -> bool:
    """True if a tensor was copied onto itself, by whatever name."""
    value = _ours(program, found).ours.value
    for s in program[: found.at + 1]:
        pair = re.search(r"(\w+)(?:\.copy_\(|\[\.\.\.\] = )(\w+)\)?$", s.text(OURS))
        if pair and value(pair[1]) is not None and value(pair[1]) is value(pair[2]):
            return True
    return False


def _is_view_there(program: Program, found: Difference) -> bool:
    """True if what is to be changed is a view in PyTorch, too."""
    session = Session()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in program[: found.at]:
            session.do(statement)
    assert session.theirs is not None
    changed = re.match(r"(?:with .*: )?(\w+)", program[found.at].text(OURS))
    target = session.theirs.value(changed[1]) if changed else None
    part = re.search(r"\] [-+*/]= |\]\.\w+_\(", program[found.at].text(OURS))
    return part is not None or (target is not None and target._is_view())


def _depends_on_nothing(program: Program, found: Difference) -> bool:
    """True if the gradient that we record has the slope 0 by every leaf."""
    from autograd_ref.core import sweep

    session = _ours(program, found)
    g = session.ours.gradient_of(found.what.removesuffix(".grad").split(".grad,")[0])
    leaves = [v for _, v in session.ours.variables() if is_tensor(v) and v.is_leaf and v.requires_grad]
    try:
        slopes = sweep.backward(g, np.ones(g.shape, g.dtype), retain_graph=True, inputs=leaves)
    except RuntimeError:  # the graph has been freed, and nobody can tell
        return False
    return all(slope is None or not slope.any() for slope in slopes)


def _finite_alike(program: Program, found: Difference) -> bool:
    """True if all that is a number here is the same number in PyTorch."""
    if not isinstance(found.ours, np.ndarray):
        return False
    here = np.isfinite(found.ours)
    return close(found.ours[here], found.theirs[here], is_single(program))


def _finite_there_alike(program: Program, found: Difference) -> bool:
    """True if all that is a number in PyTorch is the same number here."""
    if not isinstance(found.ours, np.ndarray):
        return False
    there = np.isfinite(found.theirs)
    return close(found.ours[there], found.theirs[there], is_single(program))


def _opposite_infinities(program: Program, found: Difference) -> bool:
    """True if all that differs is the sign of infinities."""
    return (
        isinstance(found.ours, np.ndarray)
        and np.array_equal(np.isinf(found.ours), np.isinf(found.theirs))
        and np.array_equal(np.isnan(found.ours), np.isnan(found.theirs))
        and _finite_alike(program, found)
    )


def _seeded(program: Program, found: Difference) -> bool:
    """True if a tensor that has a name was passed to backward()."""
    return any(_SEEDED.search(s.text(OURS)) for s in program[: found.at + 1])


_SEEDED = re.compile(r"\.backward\([A-Za-z]\w*[,)]")


def _flag_changed(program: Program, found: Difference) -> bool:
    """True if all would go on had every index that is one boolean been a copy."""
    values = dict(_ours(program, found).ours.variables())
    out, flags = [], 0
    for s in program[: found.at + 1]:
        index = re.fullmatch(r"(\w+)\[(\w+)\](.*)", s.text(OURS).removeprefix(f"{s.to} = "))
        flag = values.get(index[2]) if index else None
        if index and flag is not None and flag.dtype == bool and flag.ndim == 0:
            s, flags = replace(s, form=forms.form(f"{index[1]}[{index[2]}.clone()]{index[3]}")), flags + 1
        out.append(s)
    rest = difference(out) if flags else found
    return rest is None or (flags > 0 and judged(out, rest) is not None)


def _is_constant(program: Program, found: Difference) -> bool:
    """True if PyTorch refuses to copy what it has recorded and what depends on no leaf: a value, or a gradient."""
    session = Session()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in program[: found.at]:
            session.do(statement)
    text = program[found.at].text(OURS).removeprefix(f"{program[found.at].to} = ")
    name = text.removeprefix("copy.deepcopy(").rstrip(")").removesuffix(".numpy(")
    return name in session.constant or any(
        re.fullmatch(rf"{name}(\..*)?\.grad", constant) and _is_leaf(session.ours.gradient_of(constant[:-5]))
        for constant in session.constant
    )


def _is_leaf(gradient: Any) -> bool:
    return gradient is not None and gradient.is_leaf


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
        test=_used_twice,
        example=lines(X, "y = (x + 1.0).sum()", "y.backward()", "y.backward()"),
    ),
    Meant(
        "`t.data = ...` and `t.data -= ...` are noticed",
        "A saved value that was changed through `.data` is refused here; PyTorch computes with what is there now.",
        "we raise",
        ours="was later changed in place",
        test=_changed_by_data,
        example=lines(X, "y = x * x", "x.data -= 0.5", "y.sum().backward()"),
    ),
    Meant(
        "what was copied stays what it was",
        "A gradient reads the values that were used, such as a cast; PyTorch may read again what `.data` changed.",
        "gradient",
        test=_both(_said(".data =", ".data -=", ".data *="), _right),
        example=lines(
            leaf("x", "np.ones(2, np.float32)"),
            leaf("c", "np.array(2.0)", False),
            "y = (x * c).sum()",
            ("c.data = np.array(1.0)", "c.data = torch.tensor(1.0)"),
            "y.backward()",
        ),
    ),
    Meant(
        "`.grad` as a value",
        "backward() adds to `.grad` as it goes, and refuses where the graph reads it; PyTorch adds at the end.",
        "we raise",
        ours="by backward\\(\\), which adds to \\.grad",
        test=lambda program, found: any(
            re.search(r"\.grad( =|$)", s.text(OURS)) for s in program[: found.at]
        ),
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
        "gradients have memory of their own",
        "PyTorch's transforms may return one number seen many times, which cannot be changed; here all can be.",
        "only we compute",
        theirs="setStorage: sizes .* are out of bounds",
        test=_said("vjp(", "jvp(", "grad("),
        example=lines(
            *(leaf("x", "np.ones(2)", False), leaf("w", "np.ones(1)")),
            ("g = grad(lambda t: t.sum())(x)", "g = torch.func.grad(lambda t: t.sum())(x)"),
            ("g.data = np.ones(2)", "g.data = torch.tensor(np.ones(2))"),
            "g /= w",
            "y = g.sum()",
            "y.backward()",
        ),
    ),
    Meant(
        "gradients have memory of their own",
        "PyTorch's transforms may return one number seen many times, which cannot be changed; here all can be.",
        "value",
        test=_both(_said("vjp(", "jvp(", "grad("), lambda p, found: p[found.at].effect == "change", _right),
        example=lines(
            X,
            ("g = grad(lambda t: t.sum())(x.detach())", "g = torch.func.grad(lambda t: t.sum())(x.detach())"),
            "g[:1] = 3.0",
        ),
    ),
    Meant(
        "zeros may be written to",
        "PyTorch's derivative of what moves nothing is a zero of its own kind, at which its `backward()` may stop.",
        "only we compute",
        theirs="ZeroTensors are immutable",
        test=_said("jvp(", "create_graph"),
        example=lines(
            leaf("x", "np.array(1.0)"),
            ("y = x.std(None, True, 0)", "y = x.std(0, keepdim=True, correction=0)"),
            (
                "t = jvp(lambda t: t * 2.0, (y,), (x,))[1]",
                "t = torch.func.jvp(lambda t: t * 2.0, (y,), (x,))[1]",
            ),
            "t.backward()",
        ),
    ),
    Meant(
        "a hook hears of what arrives",
        "The hook of a leaf that no gradient reaches is not called; PyTorch's transforms may send it a zero.",
        "gradient",
        test=_both(_said("register_hook("), _by_hooks, _nothing_arrives_through_jvp),
        example=lines(
            *(X, "h = x.register_hook(lambda g: g + x.detach())", Z),
            (
                "t = jvp(lambda t: t * 2.0, (x,), (z,))[1]",
                "t = torch.func.jvp(lambda t: t * 2.0, (x,), (z,))[1]",
            ),
            ("s = t.sum()", "s = t.sum()"),
            "s.backward()",
        ),
    ),
    Meant(
        "a hook hears of what arrives",
        "The hook of a leaf that no gradient reaches is not called; PyTorch's transforms may send it a zero.",
        "gradient's place in the graph",
        ours="True, False",
        test=_both(_said("retain_grad("), _nothing_arrives_through_jvp),
        example=lines(
            *(X, "y = x * 1.5", "y.retain_grad()", Z),
            (
                "t = jvp(lambda t: t * 2.0, (y,), (z,))[1]",
                "t = torch.func.jvp(lambda t: t * 2.0, (y,), (z,))[1]",
            ),
            *("y.backward(y, create_graph=True)", "s = t.sum()", "s.backward()"),
        ),
    ),
    Meant(
        "the caller's gradient stays the caller's",
        "PyTorch may take the tensor passed to backward() for `.grad`, and add to it the next time.",
        "only we compute",
        theirs="modified by an inplace operation",
        test=_both(_seeded, _right),
        example=lines(
            *(X, "y = x.unsqueeze(-1)", "z = y * y", "y.backward(y, retain_graph=True)"),
            *("(z * 0.0).sum().backward(retain_graph=True)", "z.sum().backward()"),
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
        "`x[None] += x` is computed as if x was copied first, as NumPy does; PyTorch refuses, or mixes old with new.",
        "only we compute",
        theirs="some elements of the input tensor and the written-to tensor",
        example=lines(
            leaf("x", "np.ones((2, 2))", False),
            "x[:, 1:] += x[:, :1].broadcast_to((2, 1))",
            "x[:1] += x.reshape(1, 4)[:, 1:3]",
        ),
    ),
    Meant(
        "a change may read what it changes",
        "`x[None] += x` is computed as if x was copied first, as NumPy does; PyTorch refuses, or mixes old with new.",
        "value",
        test=_both(lambda p, found: p[found.at].effect == "change", _now(r"[-+*/]?= |_\("), _right),
        example=lines(leaf("x", "np.array([[1.0, 2.0], [3.0, 4.0]])", False), "v = x[:, 1]", "x -= v"),
    ),
    Meant(
        "the order of numbers in memory",
        "A result's axes lie in memory as NumPy lays them, and so `reshape` of one may be a view where PyTorch copies.",
        "sharing",
        test=lambda program, found: (
            "another order" in found.what and _now(r"reshape|flatten|view")(program, found)
        ),
        example=lines(leaf("x", "np.ones((2, 3, 3))", False), "y = x.swapaxes(1, 2) != x", "z = y.flatten()"),
    ),
    Meant(
        "the order of numbers in memory",
        "A result's axes lie in memory as NumPy lays them, and so `reshape` of one may be a view where PyTorch copies.",
        "sharing",
        test=_both(
            lambda program, found: "with gaps" in found.what,
            _now(r"reshape|flatten|view"),
            _said("deepcopy("),
        ),
        example=lines(
            leaf("x", "np.ones((2, 3))", False), "y = copy.deepcopy(x.split(2, 1)[0])", "z = y.reshape(-1)"
        ),
    ),
    Meant(
        "the order of numbers in memory",
        "A result's axes lie in memory as NumPy lays them, and so `reshape` of one may be a view where PyTorch copies.",
        "sharing",
        test=_both(
            lambda program, found: "with gaps" in found.what, _now(r"reshape|flatten|view"), _said("topk(")
        ),
        example=lines(
            leaf("x", "np.ones((3, 3, 3))", False),
            (
                "y = x.topk(1, 1)[0]",
                "y = x.sort(stable=True, dim=1, descending=True)[0].narrow(1, 0, 1)",
            ),
            "z = y.reshape((9, 1))",
        ),
    ),
    Meant(
        "recorded changes need memory of their own",
        "A recorded change in place of a view is refused, with a sentence; PyTorch rewrites the graph of its base.",
        "we raise",
        ours="A recorded change in place needs memory of its own",
        test=_is_view_there,
        row="changes of views",
        example=lines(X, "y = x * 1.0", "v = y[:1]", "v *= 2"),
    ),
    Meant(
        "the caller's gradient stays the caller's",
        "PyTorch may take the tensor passed to backward() for `.grad`, and add to it the next time.",
        "value",
        test=_both(_now(r"\.backward\("), _right),
        example=lines(X, "y = x.unsqueeze(-1)", "y.backward(y, retain_graph=True)", "y.sum().backward()"),
    ),
    Meant(
        "what happens to the caller's gradient",
        "A change of the tensor passed to backward() does not change `.grad`; in PyTorch it may.",
        "gradient",
        test=_both(_seeded, _right),
        example=lines(
            *(X, Z, "y = x.reshape(-1, 1)", "d = z.detach().reshape(-1, 1)", "y.backward(d)"),
            *("d *= 2.0", "x.sum().backward()"),
        ),
    ),
    Meant(
        "what happens to the caller's gradient",
        "A change of the tensor passed to backward() does not change `.grad`; in PyTorch it may.",
        "value",
        test=_both(_now(r"\.grad$"), _seeded, _right),
        example=lines(X, "y = x.swapaxes(0, 0)", "y.backward(x)", "with no_grad(): x += 3.0", "g = x.grad"),
    ),
    Meant(
        "statistics that want gradients",
        "PyTorch has no second derivatives of a batch norm whose running mean was made to want gradients.",
        "only we compute",
        theirs="not differentiable with respect to argument 'running_",
        test=_said("create_graph"),
        example=lines(
            *(leaf("x", "np.ones((2, 2))", False), leaf("m", "np.ones(2)", False), leaf("w", "np.ones(2)")),
            *("y = F.batch_norm(x, m, w.detach(), w.detach(), w, training=True).sum()", "m.requires_grad_()"),
            "y.backward(create_graph=True)",
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
        test=_both(_said("create_graph"), _depends_on_nothing),
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
        test=_both(_said("relu", "ReLU"), _finite_alike),
        example=lines(leaf("x", "np.array([0.0, 4.0])"), "y = x.relu().sqrt().sum()", "y.backward()"),
    ),
    Meant(
        "the sign of a zero",
        "`relu(-0.0)`, a product or a slope of 0 may be -0.0 in PyTorch alone, and what is divided by it -inf.",
        "value",
        test=_opposite_infinities,
        example=lines(leaf("x", "np.array([-0.0, 1.0])", False), "x *= 1.0", "y = x.relu()", "z = y ** -1"),
    ),
    Meant(
        "the sign of a zero",
        "`relu(-0.0)`, a product or a slope of 0 may be -0.0 in PyTorch alone, and what is divided by it -inf.",
        "gradient",
        test=_opposite_infinities,
        example=lines(leaf("x", "np.array([-0.0, 1.0])"), "y = (x ** 0.5).sum()", "y.backward()"),
    ),
    Meant(
        "binary cross-entropy by its target",
        "Its gradient reads the logarithms that the loss reads, which end at -100; PyTorch's goes on to -inf.",
        "gradient",
        theirs="inf",
        test=_both(_said("binary_cross_entropy(", "BCELoss("), _finite_there_alike),
        example=lines(
            *(leaf("p", "np.array([1.0, 0.25])", False), leaf("t", "np.array([1.0, 0.25])")),
            *("y = F.binary_cross_entropy(p, t)", "y.backward()"),
        ),
    ),
    Meant(
        "binary cross-entropy by its target",
        "Its gradient reads the logarithms that the loss reads, which end at -100; PyTorch's goes on to -inf.",
        "gradient",
        theirs="nan",
        test=_both(_said("binary_cross_entropy(", "BCELoss("), _finite_there_alike),
        example=lines(
            *(leaf("p", "np.array([1.0, 0.25])", False), leaf("x", "np.array([40.0, 0.25])")),
            *(
                ("t = ops.sigmoid(x)", "t = torch.sigmoid(x)"),
                "y = F.binary_cross_entropy(p, t)",
                "y.backward()",
            ),
        ),
    ),
    Meant(
        "the norm's second derivative at 0",
        "It is 0; PyTorch's is NaN.",
        "gradient",
        theirs="nan",
        test=_both(_said(".norm("), _said("create_graph=True"), _finite_there_alike),
        row="`norm` at 0, twice",
        example=lines(
            leaf("x", "np.array([[0.0], [2.0]])"),
            *(
                "y = (x.norm(2, 1) + (x**2).sum(1)).sum()",
                "y.backward(create_graph=True)",
                "g = x.grad.sum()",
            ),
            "g.backward()",
        ),
    ),
    Meant(
        "kl_div of a target of 0",
        "0 log 0 has the value 0 and the slope 0; PyTorch's slope is NaN.",
        "gradient",
        theirs="nan",
        test=_both(_said("kl_div(", "KLDivLoss("), _finite_there_alike, _right),
        example=lines(
            leaf("x", "np.ones(2)", False), leaf("t", "np.array([0.0, 0.5])"), "F.kl_div(x, t).backward()"
        ),
    ),
    Meant(
        "a power of 0 does not ask",
        "The slope of `0 ** y` by y is 0, whatever arrives; in PyTorch a NaN that arrives stays.",
        "gradient",
        theirs="nan",
        test=_both(_said("**", "pow("), _finite_there_alike),
        example=lines(
            leaf("x", "np.array([0.0, 2.0])"),
            "y = x ** x",
            (
                "y.backward(np.array([np.nan, 1.0]))",
                "y.backward(torch.tensor(np.array([np.nan, 1.0])))",
            ),
        ),
    ),
    Meant(
        "a maximum's gradient goes to the maximum",
        "Elements that are not the extreme get 0, whatever arrives; PyTorch gives 0 times it, which is NaN for inf.",
        "gradient",
        theirs="nan",
        test=_both(_said("max(", "min("), _finite_there_alike),
        example=lines(
            *(leaf("x", "np.array([[0.0, -1.0], [4.0, 3.0]])"), ("y = x.max(1)", "y = x.amax(1)")),
            *("z = y.sqrt().sum()", "z.backward()"),
        ),
    ),
    Meant(
        "a product passes NaN on",
        "0 times an infinite gradient is NaN, in `prod` and its second derivative, too; PyTorch's may put 0.",
        "gradient",
        ours="nan",
        test=_both(_said("prod("), _finite_alike),
        example=lines(
            *(leaf("x", "np.array([0.0, 1.0, 0.0])"), Z, "y = (x * x).sqrt().prod() + z.sum()"),
            *("y.backward(create_graph=True)", "g = x.grad[1:2]", "g.sum().backward()"),
        ),
    ),
    Meant(
        "a deep copy is whole",
        "The deep copy of a repeated view has memory for each number; PyTorch's repeats, too, and cannot be changed.",
        "only we compute",
        theirs="more than one element of the written-to tensor",
        test=_agreed_by_whole_copies,
        example=lines(
            *(leaf("x", "np.array([1.0, 2.0])", False), "y = x.broadcast_to((3, 2))"),
            *("c = copy.deepcopy(y)", "c += x"),
        ),
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
        test=lambda program, found: _now(r"jvp\(")(program, found) and found.ours[0] == found.theirs[0],
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
        "a transform keeps what went in",
        "What `vjp` or `jvp` recorded refuses when a tensor that went in was changed; PyTorch may not need it.",
        "we raise",
        ours="saved its (argument|result)",
        test=_transform_kept,
        example=lines(
            leaf("x", "np.ones(2)", False),
            leaf("v", "np.ones(2)"),
            ("j = vjp(lambda t: t * t, x)[1](v)[0]", "j = torch.func.vjp(lambda t: t * t, x)[1](v)[0]"),
            "with no_grad(): v += 1.0",
            "j.sum().backward()",
        ),
    ),
    Meant(
        "a view made before its base wants gradients",
        "It stays outside of the graph; PyTorch may put it there when it changes.",
        "only we compute",
        theirs="a view of a leaf Variable|A view was created in no_grad mode",
        test=_view_of_earlier,
        example=lines(leaf("x", "np.ones(2)", False), "v = x[...]", "x.requires_grad_()", "v += 1.0"),
    ),
    Meant(
        "a view made before its base wants gradients",
        "It stays outside of the graph; PyTorch may put it there when it changes.",
        "value's place in the graph",
        ours="False, True",
        test=_view_of_earlier,
        example=lines(
            leaf("x", "np.ones(2)", False), "v = x[...]", "x *= 2.0", "x.requires_grad_()", "z = v.detach()"
        ),
    ),
    Meant(
        "a leaf that wants gradients later",
        "What was recorded before `requires_grad_()` takes it for a constant, with create_graph, too.",
        "gradient",
        test=_wanting_later,
        example=lines(
            *(X, leaf("p", "np.array([2.0])", False), "y = (x ** p).sum()", "p.requires_grad_()"),
            *("y.backward(create_graph=True)", "g = x.grad", "z = g.sum()", "z.backward()"),
        ),
    ),
    Meant(
        "a leaf that wants gradients later",
        "What was recorded before `requires_grad_()` takes it for a constant, with create_graph, too.",
        "gradient's place in the graph",
        ours="False, True",
        test=_wanting_later,
        example=lines(
            *(leaf("x", "np.array([1.0, 2.0])", False), leaf("p", "np.array([2.0, 3.0])")),
            *("y = (x * p).sum()", "x.requires_grad_()", "y.backward(create_graph=True)"),
        ),
    ),
    Meant(
        "a pooled result is read again",
        "`max_pool2d`, `gelu`, `elu` and `%` read their result again and refuse if it has changed; PyTorch may not.",
        "we raise",
        ours="'(max_pool2d|gelu_tanh|elu|remainder)' saved its result",
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
        "norms keep their argument",
        "`rms_norm` and `group_norm` refuse when it was changed; PyTorch may keep a copy, or what it multiplies.",
        "we raise",
        ours="'(rms|group)_norm' saved its argument number 1",
        example=lines(
            *(leaf("x", "np.ones((2, 2))", False), leaf("w", "np.ones(2)")),
            *(
                ("y = F.rms_norm(x, 2, w, 0.5)", "y = F.rms_norm(x, (2,), w, 0.5)"),
                "x += 1.0",
                "y.sum().backward()",
            ),
        ),
    ),
    Meant(
        "matmul keeps its arguments",
        "A product of stacks refuses when one was changed; PyTorch may keep a copy, laid out as one matrix.",
        "we raise",
        ours=r"'(matmul|linear)' saved its argument number [12], of shape \(\d+, \d+, \d",
        test=_agreed_without("."),
        example=lines(
            *(leaf("x", "np.ones((3, 2, 3))", False), ("v = x.swapaxes(1, 2)", "v = x.swapaxes(1, 2)")),
            *(leaf("w", "np.ones((2, 2))"), "y = v @ w", "v[...] = -1.0", "y.sum().backward()"),
        ),
    ),
    Meant(
        "a checkpoint watches its arguments",
        "`checkpoint` refuses when one was changed before backward; PyTorch only where a gradient reads what it saves.",
        "we raise",
        ours="'checkpoint' saved its argument",
        example=lines(
            *(X, "y = checkpoint(lambda t: t + 1.0, x, use_reentrant=False)"),
            *("with no_grad(): x += 1.0", "y.sum().backward()"),
        ),
    ),
    Meant(
        "a checkpoint does the same twice",
        "`checkpoint` refuses when its function gives other numbers in backward; PyTorch gives a gradient of these.",
        "we raise",
        ours="(other numbers|read another graph) when backward called it again",
        test=_agreed_without("."),
        example=lines(
            *(X, leaf("z", "np.ones(2)", False)),
            *("y = checkpoint(lambda t: t * z, x, use_reentrant=False)", "z += 1.0", "y.sum().backward()"),
        ),
    ),
    Meant(
        "a recorded gradient of a checkpoint",
        "It reads what was computed again; PyTorch's may read the result, whose `retain_grad()` then hears of it.",
        "gradient",
        test=_both(_said("checkpoint("), _said("create_graph"), _agreed_without(r"\.retain_grad\(")),
        example=lines(
            *(leaf("x", "np.array(1.0)"), "y = checkpoint(lambda t: t.tanh(), x, use_reentrant=False)"),
            *("y.backward(create_graph=True)", "y.retain_grad()", "g = x.grad", "g.backward()"),
        ),
    ),
    Meant(
        "cross-entropy keeps its scores",
        "`cross_entropy` refuses when they were changed; PyTorch keeps the log of their softmax.",
        "we raise",
        ours="'((soft|smooth)_)?cross_entropy' saved its argument number 1",
        example=lines(
            leaf("x", "np.ones((2, 2))", False),
            leaf("t", "np.ones((2, 2))"),
            "y = F.cross_entropy(x, t)",
            "x += 1.0",
            "y.backward()",
        ),
    ),
    Meant(
        "a gradient's own graph",
        "A recorded gradient may need less of its result's graph than in PyTorch, and go on when that is freed.",
        "only we compute",
        theirs="Trying to backward through the graph a second time",
        test=_both(_said("create_graph", "vjp(", "jvp("), _right),
        example=lines(
            *(X, leaf("w", "np.ones(2)"), "y = (x * w).relu().sum()", "y.backward(create_graph=True)"),
            *("y.backward()", "x.grad.sum().backward()"),
        ),
    ),
    Meant(
        "a copy of what depends on nothing",
        "PyTorch may record what depends on nothing, as gradients with create_graph; then it can be no copy or array.",
        "only we compute",
        theirs="support the deepcopy protocol|Can't call numpy\\(\\) on Tensor that requires grad",
        test=_both(_now(r"deepcopy\(|\.numpy\(\)"), _is_constant),
        example=lines(*(X, "y = x.relu().sum()", "y.backward(create_graph=True)", "c = copy.deepcopy(x)")),
    ),
    Meant(
        "hooks of views",
        "A hook of a view stays when its memory changes; PyTorch makes the view's record anew, and the hook is gone.",
        "gradient",
        test=_both(
            _said("register_hook(", "retain_grad("), _agreed_without(r"mark_changed|_\(|[-+*/]?= |\.step\(")
        ),
        example=lines(
            *(X, "v = x[:1]", "h = v.register_hook(lambda g: g * 2.0)"),
            *(("v.mark_changed()", "v.detach().copy_(v.detach())"), "v.sum().backward()"),
        ),
    ),
    Meant(
        "what a checkpoint finds",
        "`checkpoint` takes leaves as they are in backward; PyTorch refuses after a `requires_grad_()` in between.",
        "only we compute",
        theirs="CheckpointError",
        test=lambda program, found: any(
            test(program, found)
            for test in (_agreed_without(r"\.requires_grad_\("), _agreed_without_checkpoints)
        ),
        example=lines(
            *(X, Z, "y = checkpoint(lambda t: t * z, x, use_reentrant=False)", "z.requires_grad_(False)"),
            "y.sum().backward()",
        ),
    ),
    Meant(
        "a checkpoint gives no view",
        "What `checkpoint` returns has memory of its own, also where its function returns a view.",
        "sharing",
        ours="of its own",
        test=_now(r"checkpoint\("),
        example=lines(
            leaf("x", "np.ones((1, 2))", False),
            "y = checkpoint(lambda t: t.reshape(-1), x, use_reentrant=False)",
        ),
    ),
    Meant(
        "an index array is copied",
        "What is written into a NumPy array after it was an index does not matter; PyTorch looks again.",
        "gradient",
        test=_both(_said("[...] = 0"), _right),
        example=lines(X, "i = np.array([1])", "y = x[i]", "i[...] = 0", "y.sum().backward()"),
    ),
    Meant(
        "a shared array that changes unseen",
        "Nobody hears of what is written into a NumPy array that a tensor shares; a gradient finds it here or there.",
        "gradient",
        test=_agreed_without_unseen_changes,
        example=lines(
            "a = np.ones(3)",
            ("x = Tensor(a, requires_grad=True)", "x = torch.from_numpy(a).requires_grad_(True)"),
            *("y = x.norm(3)", "y.backward(create_graph=True)", "a[...] *= 2", "g = x.grad"),
            ("g.backward(Tensor(np.ones(3)))", "g.backward(torch.ones(3))"),
        ),
    ),
    Meant(
        "the weight of a batch_norm may be a view with steps",
        "Outside of training PyTorch 2.13 reads such a weight as if its numbers lay side by side for x's gradient.",
        "gradient",
        test=_both(_said("batch_norm("), _right),
        sometimes=True,
        example=lines(
            leaf("x", "np.array([[0.5, -0.9], [1.7, -0.3]])"),
            leaf("m", "np.ones(2)", False),
            "w = x.unbind(1)[1]",
            "y = F.batch_norm(x, m, m, w, m).sum()",
            "y.backward()",
        ),
    ),
    Meant(
        "clip's slope at a limit",
        "It is 1; in the newest PyTorch it is 0.",
        "gradient",
        test=_both(_said("clip(", "clamp("), _right),
        sometimes=True,
        row="`clip` at a limit",
        example=lines(X, ("y = x.clip(high=2.0)", "y = x.clip(max=2.0)"), "y.sum().backward()"),
    ),
    Meant(
        "one boolean as an index",
        "`x[m]` with a 0-d tensor of a boolean watches it like any index; PyTorch has read it at once.",
        "we raise",
        ours="'(getitem|set_item)' saved its index",
        test=_flag_changed,
        example=lines(X, "m = x.sum() > 1.0", "y = x[m]", "m[...] = True", "y.sum().backward()"),
    ),
    Meant(
        "labels of any whole numbers",
        "PyTorch takes labels of int64 (and sometimes uint8) alone.",
        "only we compute",
        theirs="expected target dtype|expected scalar type Long|index tensor of type LongTensor",
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
        theirs="multiple views|a leaf Variable|modified by an inplace operation|a single memory location",
        test=_onto_itself,
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
        test=_writes_nothing,
        example=lines(leaf("x", "np.zeros((0, 3))"), "y = x.unsqueeze(0)", "y[...] = x"),
    ),
    Meant(
        "an empty view shares nothing",
        "A view without elements may be changed even if its base is a leaf.",
        "only we compute",
        theirs="a leaf Variable that requires grad is being used",
        test=_both(_writes_nothing, lambda program, found: not _is_wanting_leaf(program, found)),
        example=lines(
            *(
                leaf("x", "np.zeros((0, 3))", False),
                leaf("w", "np.array(1.0)"),
                "y = x.reshape(0)",
                "y[...] += w",
            ),
        ),
    ),
    Meant(
        "an empty view shares nothing",
        "A view without elements may be changed even if its base is a leaf.",
        "value's place in the graph",
        ours="(False|True), True",
        test=_writes_nothing,
        example=lines(
            *(leaf("z", "np.zeros((3, 0))", False), "x = z.flatten()", ("v = x.T", "v = x.permute((0,))")),
            *("x.requires_grad_()", "v.add_(x)"),
        ),
    ),
    Meant(
        "an empty view shares nothing",
        "A view without elements may be changed even if its base is a leaf.",
        "we raise",
        ours="A hook waits for a gradient|does not require (one|grad)",
        test=_agreed_without_empty_changes,
        example=lines(
            *(leaf("x", "np.ones(3)", False), leaf("w", "np.ones(0)"), "x[3:].copy_(w)"),
            "h = x.register_hook(lambda g: g * 2.0)",
        ),
    ),
    Meant(
        "an empty view shares nothing",
        "A view without elements may be changed even if its base is a leaf.",
        "only we compute",
        theirs="modified by an inplace operation|moved into the graph interior|is a view and its base",
        test=_agreed_without_empty_changes,
        example=lines(
            *(X, leaf("w", "np.ones(0)"), "y = (x * x).sum()", "x.requires_grad_(False)", "x[2:].copy_(w)"),
            "y.backward()",
        ),
    ),
    Meant(
        "what is no view here",
        "A result of PyTorch's `linear` or `einsum` may be a view inside, which may not change if made under no_grad.",
        "only we compute",
        theirs="A view was created in no_grad mode",
        test=_has_own_memory,
        example=lines(
            *(leaf("x", "np.ones((2, 1))", False), leaf("b", "np.ones(1)")),
            (
                "with no_grad(): y = ops.einsum('ij,ik->jk', x, x)",
                "with no_grad(): y = torch.einsum('ij,ik->jk', x, x)",
            ),
            "y[...] = b",
        ),
    ),
    Meant(
        "repeated views are read-only",
        "What `broadcast_to` or `expand` repeats is one number seen many times, and NumPy lets nobody write to it.",
        "we raise",
        ours="read-only",
        test=_said("broadcast_to", "expand"),
        example=lines(leaf("x", "np.ones(1)", False), "y = x.broadcast_to((1, 1))", "y.data[...] = 2.0"),
    ),
    Meant(
        "repeated views are read-only",
        "What `broadcast_to` or `expand` repeats is one number seen many times, and NumPy lets nobody write to it.",
        "aliasing",
        ours="read-only",
        test=_set_to_repeated,
        example=lines(
            *(X, leaf("z", "np.ones(3)", False), leaf("o", "np.ones(1)", False), "y = o.broadcast_to((3,))"),
            *("z.grad = y", "x.sum().backward()"),
        ),
    ),
]


#: Faults that wait to be mended, in the same form: programs that show them do not count as long as the example does.
KNOWN: list[Meant] = []


def judged(program: Program, found: Difference) -> Meant | None:
    """What this difference is, if it is meant or known."""
    return next((m for m in [*MEANT, *KNOWN] if m.covers(program, found)), None)
