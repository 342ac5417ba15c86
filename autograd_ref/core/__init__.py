"""The engine, plain: read it in the order of its README. `autograd_ref.fast` makes it faster and changes nothing else.

`AUTOGRAD_REF_PLAIN=1` in the environment leaves that out.
"""

from __future__ import annotations

import os
from types import ModuleType

from . import (
    broadcasting,
    errors,
    function,
    hooks,
    modes,
    node,
    operators,
    primitive,
    promotion,
    saved,
    sweep,
    tensor,
)

fast: ModuleType | None = None
if os.environ.get("AUTOGRAD_REF_PLAIN") != "1":
    from autograd_ref import fast

__all__ = [
    "broadcasting",
    "errors",
    "fast",
    "function",
    "hooks",
    "modes",
    "node",
    "operators",
    "primitive",
    "promotion",
    "saved",
    "sweep",
    "tensor",
]
