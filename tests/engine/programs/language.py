"""What a program is made of: statements, which are data, and how each is spelled for the two engines."""

from __future__ import annotations

import contextlib
import copy
import gc
import importlib
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

OURS, THEIRS = "ours", "theirs"
MODES = {
    "": "",
    "no_grad": "with no_grad(): ",
    "enable_grad": "with no_grad(), enable_grad(): ",
}


@dataclass(frozen=True)
class Form:
    """A statement's text in both engines: `{0}` is its first argument, `{axis}` its option of that name."""

    ours: str
    theirs: str


@dataclass(frozen=True)
class Statement:
    """`to = form(args, options)`, or the form alone if it binds no name."""

    form: Form
    args: tuple[str, ...] = ()
    to: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    mode: str = ""
    #: What the runner has to look at afterwards: "value", "change" (of anything), "backward" (gradients, too).
    effect: str = "value"

    def text(self, engine: str) -> str:
        """The line of Python."""
        form = self.form.ours if engine == OURS else self.form.theirs
        line = form.format(*self.args, **dict(self.options))
        return MODES[self.mode] + (f"{self.to} = {line}" if self.to else line)


Program = Sequence[Statement]


def printed(program: Program, engine: str) -> str:
    """The program as Python."""
    head = {
        OURS: "import copy, numpy as np\nfrom autograd_ref import *\nfrom autograd_ref import functional as F, nn, "
        "optim, ops",
        THEIRS: "import copy, numpy as np, torch\nfrom torch import nn, no_grad, enable_grad, optim\n"
        "from torch.nn import functional as F\ntorch.set_default_dtype(torch.float64)",
    }[engine]
    return "\n".join([head, *(s.text(engine) for s in program)])


@lru_cache(maxsize=20_000)
def code(line: str) -> CodeType:
    """The line, compiled."""
    return compile(line, f"<{line}>", "exec")


_DRAWN = re.compile(r"-?\b\d+\.\d\d\b")
_EVERY = re.compile(r"-?\b\d+\.\d+\b")


def disturbed(line: str, size: float, every: bool = False) -> str:
    """The line with every drawn number (they have two decimals; 0, 1 and ties are written with one) moved a little.

    Equal numbers stay equal. With `every` those of one decimal move, too, but for 0.
    """

    def moved(match: re.Match[str]) -> str:
        sign = 1 if zlib.crc32(match[0].encode()) % 2 else -1
        return repr(float(match[0]) * (1 + sign * size))

    return (_EVERY if every else _DRAWN).sub(moved, line)


def filled(module: Any, seed: int) -> Any:
    """The module with parameters drawn from `seed`, the same for both engines."""
    rng = np.random.default_rng(seed)
    for _, p in sorted(module.named_parameters()):
        values = rng.integers(-9, 10, tuple(p.shape)) / 8
        p.data = values if isinstance(p.data, np.ndarray) else _torch().tensor(values)
    return module


def functions(base: Any) -> dict[str, Any]:
    """Operations of one's own, from the `Function` of either engine."""

    class Cube(base):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3.0 * x * x

    class Times(base):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            wanted = ctx.needs_input_grad
            return g * y if wanted[0] else None, g * x if wanted[1] else None

    class Exponential(base):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (out,) = ctx.saved_tensors
            return g * out

    class Straight(base):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.factor = factor
            return (x > 0) * 1.0 * factor

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor, None

    return {"Cube": Cube, "Times": Times, "Exponential": Exponential, "Straight": Straight}


def _torch() -> Any:
    import torch

    return torch


def namespace(engine: str) -> dict[str, Any]:
    """The names that a program may use."""
    if engine == OURS:
        import autograd_ref
        from autograd_ref import (
            Function,
            enable_grad,
            functional,
            grad,
            hvp,
            jvp,
            nn,
            no_grad,
            ops,
            optim,
            vjp,
        )
        from autograd_ref.tensor import Tensor
        from autograd_ref.utils.checkpoint import checkpoint

        del autograd_ref
        own: Mapping[str, Any] = {
            "Tensor": Tensor,
            "ops": ops,
            "F": functional,
            "nn": nn,
            "optim": optim,
            "no_grad": no_grad,
            "enable_grad": enable_grad,
            "grad": grad,
            "vjp": vjp,
            "jvp": jvp,
            "hvp": hvp,
            "checkpoint": checkpoint,
            **functions(Function),
        }
    else:
        torch = _torch()
        from torch.utils.checkpoint import checkpoint

        own = {
            "torch": torch,
            "checkpoint": checkpoint,
            **functions(torch.autograd.Function),
            "F": torch.nn.functional,
            "nn": torch.nn,
            "optim": torch.optim,
            "no_grad": torch.no_grad,
            "enable_grad": torch.enable_grad,
        }
    return {"np": np, "copy": copy, "filled": filled, **own}


_among_many = False


@contextlib.contextmanager
def many_programs() -> Any:
    """For a loop over programs: PyTorch's floats are float64, as Python's are here, and it runs in one thread.

    No look for garbage in what was there before: PyTorch is so large that it took nine tenths of the time. One such
    look is taken at the beginning, so within another of these it does nothing.
    """
    global _among_many
    if _among_many:
        yield
        return
    torch = _torch()
    importlib.import_module(
        "torch._dynamo"
    )  # otherwise the first optimizer brings it in, with 500,000 objects
    frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    before, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    _among_many = True
    try:
        yield
    finally:
        _among_many = False
        torch.set_default_dtype(before)
        torch.set_num_threads(threads)
        if not frozen:
            gc.unfreeze()
