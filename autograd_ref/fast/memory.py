"""Keeping freed memory.

NumPy allocates every result anew. The C library returns large blocks to the operating system as soon as they
are free and gets them back for the next step, page by page, with a page fault and a zeroed page for each 4
KB. Hand-written code avoids that with buffers that it allocates once. Told to keep freed memory, the C
library does it for us.

The price: the process keeps its largest size.
`AUTOGRAD_REF_KEEP_MEMORY=0` in the environment switches it off; nothing depends on it but time.
"""

from __future__ import annotations

import os
import sys

_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # from glibc's malloc.h


def keep_freed_memory() -> bool:
    """Ask glibc to keep freed blocks for the next arrays; returns whether it agreed."""
    if not sys.platform.startswith("linux") or os.environ.get("AUTOGRAD_REF_KEEP_MEMORY") == "0":
        return False
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # not glibc
        return False
    return bool(mallopt(_MMAP_MAX, 0) and mallopt(_TRIM_THRESHOLD, 2**31 - 1))
