"""What is used around training, with PyTorch's names."""

from autograd_ref.utils import checkpoint

__all__ = ["checkpoint"]
