"""How a module prints: a line per module with its shapes, and how many numbers there are to train."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograd_ref.nn.module import Module

Row = tuple[str, int, str]


def summary(module: Module) -> str:
    """The table that `repr(model)` returns.

    >>> from autograd_ref import nn
    >>> nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    Sequential             2,410
      0: Linear(64, 32)    2,080  weight (32, 64), bias (32,)
      1: ReLU()
      2: Linear(32, 10)      330  weight (10, 32), bias (10,)
    """
    rows = _rows(module, "", 0)
    if len(rows) == 1:
        return rows[0][0]
    wide = max(len(label) for label, _, _ in rows)
    counts = [f"{count:,}" if count else "" for _, count, _ in rows]
    right = max(len(c) for c in counts)
    lines = [
        f"{label:{wide}}  {count:>{right}}  {shapes}".rstrip()
        for (label, _, shapes), count in zip(rows, counts, strict=True)
    ]
    return "\n".join(lines)


def _rows(module: Module, name: str, depth: int) -> list[Row]:
    children = list(module.named_children())
    extra = module.extra_repr()
    label = "  " * depth + (f"{name}: " if name else "") + type(module).__name__
    label += f"({extra})" if extra or not children else ""
    count = sum(p.size for p in module.parameters())
    own = [(n, v.shape) for n, v in vars(module).items() if any(v is p for p in module.parameters())]
    rows = [(label, count, ", ".join(f"{n} {shape}" for n, shape in own))]
    for child_name, child in children:
        rows += _rows(child, child_name, depth + 1)
    return rows
