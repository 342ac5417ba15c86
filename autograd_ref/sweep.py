"""The two walks, by the name under which units of the course allow them; they live in `core`."""

from __future__ import annotations

from autograd_ref.core.sweep import ancestors, backward, edge_of, forward, seed_for

__all__ = ["ancestors", "backward", "edge_of", "forward", "seed_for"]
