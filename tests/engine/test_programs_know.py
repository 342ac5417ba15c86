"""Random programs know every public operation that a gradient passes, or it is said here why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import autograd_ref
from autograd_ref import Tensor, functional, nn, ops
from autograd_ref.utils import checkpoint

from .programs import forms
from .programs.language import OURS, Form
from .programs.running import Session
from .programs.writing import Writer

#: So many programs are written at most, until each form has been written and has run.
PROGRAMS = 6000

#: Forms that are there to be refused.
REFUSED = {"{0} += 1.5", "{0} /= 2"}

#: Public names that no program uses, by what they belong to.
WITHOUT = {
    ops: {
        "astensor": "makes a tensor of an array, as Tensor does",
        "axes_of": "tells axes, computes nothing",
        "shaped": "makes an array of a number",
        "getitem": "is x[...]",
        "set_item": "is x[...] = y, which has a record of its own",
        "floor_divide": "is //",
        "bitwise_and": "is &",
        "bitwise_or": "is |",
        "bitwise_xor": "has integers and booleans alone",
        "bitwise_not": "is ~",
    },
    functional: {},
    nn: {
        "init": "holds the functions that fill parameters",
        "manual_seed": "is for random numbers",
        "Module": "is what layers derive from",
        "Parameter": "is a leaf",
        "Buffer": "is no leaf of a gradient",
        "TransformerBlock": "its PyTorch twin is called otherwise; tests/nn trains both",
    },
    Tensor: {
        **dict.fromkeys(("size", "shape", "ndim", "dtype", "is_leaf", "requires_grad"), "is a fact, computes nothing"),
        **dict.fromkeys(("dim", "numel", "item", "tolist", "any", "all"), "gives Python's numbers"),
        **dict.fromkeys(("float", "double", "long"), "is astype by a shorter name"),
        "log_softmax": "is ops.log_softmax",
        "grad_fn": "is the record itself",
    },
    autograd_ref: {
        **dict.fromkeys(("detect_anomaly", "is_grad_enabled"), "changes no number"),
        **dict.fromkeys(("Function",), "programs use what is derived from it: forms.FUNCTIONS"),
        **dict.fromkeys(
            ("value_and_grad", "jacobian", "hessian", "hvp"),
            "is made of the walks that grad, vjp and jvp are; tests/engine/test_transforms.py compares with PyTorch",
        ),
    },
    checkpoint: {"checkpoint_sequential": "is checkpoint, again and again"},
}  # fmt: skip


def every(value: Any) -> Iterator[Form]:
    """All forms in tables of forms."""
    if isinstance(value, Form):
        yield value
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    ):
        yield from every(part)


EVERY = {form for value in vars(forms).values() for form in every(value)}


@cache
def written() -> tuple[set[Form], str]:
    """The forms of which a statement has run, and the statements."""
    ran: set[Form] = set()
    texts: list[str] = []
    for seed in range(PROGRAMS):
        session = Session(alone=True)
        do = session.do

        def noted(statement: Any, session: Session = session, do: Callable[..., Any] = do) -> Any:
            found = do(statement)
            if not session.refused:
                ran.add(statement.form)
                texts.append(statement.text(OURS))
            return found

        session.do = noted  # type: ignore[method-assign]
        Writer(seed, session=session).write()
        if seed % 100 == 99 and {form.ours for form in EVERY - ran} <= REFUSED:
            break
    return ran, "\n".join(texts)


def public(of: Any) -> list[str]:
    """The names that belong to a module or a class."""
    if of is checkpoint:
        return ["checkpoint", "checkpoint_sequential"]
    names = list(of.__all__) if hasattr(of, "__all__") else [n for n in dir(of) if not n.startswith("_")]
    return [n for n in names if of is not autograd_ref or (callable(getattr(of, n)) and n != "Tensor")]


def known(of: Any, name: str, text: str) -> bool:
    """Whether a statement uses the name."""
    method = r"(?<!\bops)(?<!\bF)(?<!\bnn)(?<!\bnp)\."
    before = {
        nn: r"\bnn\.",
        Tensor: method,
        ops: r"\.",
        functional: r"\.",
        autograd_ref: r"\b",
        checkpoint: r"\b",
    }
    after = r"\b" if of is Tensor else r"\("
    return re.search(before[of] + name + after, text) is not None


def test_every_form_is_written_and_runs() -> None:
    ran, _ = written()
    assert sorted(form.ours for form in EVERY - ran) == sorted(REFUSED)


def test_every_public_operation_is_known_to_the_programs_or_excepted_with_a_reason() -> None:
    _, text = written()
    for of, reasons in WITHOUT.items():
        unknown = {name for name in public(of) if not known(of, name, text)}
        assert unknown == set(reasons), (
            f"{getattr(of, '__name__', of)}: write forms for {sorted(unknown - set(reasons))}; the programs know "
            f"{sorted(set(reasons) - unknown)}, or there is no such name"
        )


def test_an_operation_that_nobody_has_written_a_form_for_is_seen() -> None:
    assert not known(functional, "no_such_operation", written()[1])
    assert not known(nn, "Lin", "nn.Linear(3, 2)") and not known(Tensor, "exp", "x.expand(2)")
