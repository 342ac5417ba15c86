"""A program spelled so that PyTorch copies what it would share: then it computes what the program says.

PyTorch refuses, or computes with numbers that have changed meanwhile, where memory is shared that here is not: with a
gradient that the caller passed, with one number seen many times, with an argument of a change in place, with an index
array, with what went in by `.data`; and where a graph has been freed that we need no more. Where a difference is
meant, our numbers must be those of this spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .language import OURS, Form, Program, Statement


class ByBackward:
    """`torch.func`'s transforms by ordinary backward passes, which know hooks on what is saved."""

    @staticmethod
    def vjp(f: Callable[..., Any], x: Any) -> tuple[Any, Callable[[Any], tuple[Any]]]:
        """`f(x)`, and the function from a gradient of it to that of x."""
        own, out, closed = _called(f, x)
        return out, lambda v: (_gradient(out, own, v, closed or v.requires_grad),)

    @staticmethod
    def grad(f: Callable[..., Any]) -> Callable[[Any], Any]:
        """The function from x to the gradient of the one number `f(x)`."""

        def gradient(x: Any) -> Any:
            own, out, closed = _called(f, x)
            return _gradient(out, own, None, closed)

        return gradient

    @staticmethod
    def jvp(f: Callable[..., Any], args: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
        """`f(x)` and its derivative along v: the gradient is linear in what is sent back, and its gradient is J v."""
        import torch

        (x,), (v,) = args, tangents
        own, out, closed = _called(f, x)
        back = torch.zeros_like(out, requires_grad=True)
        g = _gradient(out, own, back, True)
        return out, _gradient(g, back, v.to(x.dtype), closed or v.requires_grad)


def _called(f: Callable[..., Any], x: Any) -> tuple[Any, Any, bool]:
    """x by another name, `f` of that, and whether anything that went in wants a gradient."""
    own = x.view_as(x) if x.requires_grad else x.detach().requires_grad_()
    closed = [f.__globals__.get(name) for name in f.__code__.co_names]
    return own, f(own), any(getattr(t, "requires_grad", False) for t in (x, *closed))


def _gradient(out: Any, of: Any, v: Any, recorded: bool) -> Any:
    import torch

    given = torch.autograd.grad(out, of, v, create_graph=True, materialize_grads=True)[0].clone()
    return given if recorded else given.detach()


def clipped(x: Any, low: Any = None, high: Any = None, **limits: Any) -> Any:
    """`torch.clip` whose slope at a limit is 1 in every version."""
    import torch

    low, high = limits.get("min", low), limits.get("max", high)
    flat = x.detach().clip(low, high)
    return torch.where(flat == x, x, flat)


def divergence(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """`kl_div` in which 0 log 0 has the slope 0."""
    import torch

    if log_target:
        return torch.nn.functional.kl_div(input, target, reduction=reduction, log_target=True)
    loss = target * (torch.where(target == 0, 1.0, target).log() - input)
    if reduction == "batchmean":
        return loss.sum() / (input.shape[0] if input.ndim else 1)
    return loss if reduction == "none" else getattr(loss, reduction)()


def copied(value: Any) -> Any:
    """The same numbers in other memory."""
    import torch

    with torch.enable_grad():
        return value.clone() if hasattr(value, "clone") else value.copy() if hasattr(value, "copy") else value


NAMES = {"func": ByBackward, "clipped": clipped, "divergence": divergence, "copied": copied}

_TRANSFORM = re.compile(r"torch\.func\.")
_SEED = re.compile(r"\.backward\(([A-Za-z]\w*)(?=[,)])")
_AUGMENTED = re.compile(r"^([^=]*[^=!<>]) ([-+*/]?=) (.*[A-Za-z].*)$")
_METHOD = re.compile(r"_\(([A-Za-z]\w*)\)$")
_DATA = re.compile(r"^(\w+)\.data ([-*]?)= (.*)$")
_CLIP = re.compile(r"torch\.cl(?:ip|amp)\(|([A-Za-z]\w*)\.cl(?:ip|amp)\(")
_DIVERGENCE = re.compile(r"F\.kl_div\((.*)\)$|nn\.KLDivLoss\((.*)\)\((.*)\)$")


def with_copies(program: Program, data: bool) -> list[Statement]:
    """The program for both engines, PyTorch's spelled with copies; with `data` its changes by `.data` are noticed."""
    arrays = {
        s.to for s in program if re.match(r"np\.array\((.*int64|\[\d+\])", s.text(OURS)[len(s.to) + 3 :])
    }
    out = []
    for s in program:
        text = s.form.theirs.format(*s.args, **dict(s.options))
        out.append(replace(s, form=Form(s.form.ours, _escaped(_with_copies(s, text, arrays, data)))))
    return out


def _with_copies(s: Statement, text: str, arrays: set[str], data: bool) -> str:
    text = _TRANSFORM.sub("func.", text)
    text = _SEED.sub(r".backward(copied(\1)", text)
    text = _CLIP.sub(lambda m: "clipped(" + (f"{m[1]}, " if m[1] else ""), text)
    text = _DIVERGENCE.sub(lambda m: f"divergence({m[1] or m[3] + ', ' + m[2]})", text)
    if s.effect == "backward" and "_graph" not in text:
        given = text[text.index("backward(") + 9 : -1]
        text = text[:-1] + (", " if given else "") + "retain_graph=True)"
    if s.effect != "change":
        for name in arrays & set(_words(text)):
            text = re.sub(rf"\b{name}\b", f"copied({name})", text)
        return text
    told = _DATA.match(text)
    if told:
        method = {"": "copy_", "-": "sub_", "*": "mul_"}[told[2]]
        return f"{told[1]}.detach().{method}({told[3]})" if data and ".data" not in told[3] else text
    if ".data" in text or ".grad" in text:
        return text
    text = _AUGMENTED.sub(r"\1 \2 copied(\3)", text)
    return _METHOD.sub(r"_(copied(\1))", text)


def _words(text: str) -> Sequence[str]:
    return re.findall(r"\w+", text)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
