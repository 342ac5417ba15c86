"""The switches, by the name under which units of the course allow them; they live in `core`."""

from __future__ import annotations

from autograd_ref.core.modes import detect_anomaly, enable_grad, is_grad_enabled, no_grad, state

__all__ = ["detect_anomaly", "enable_grad", "is_grad_enabled", "no_grad", "state"]
