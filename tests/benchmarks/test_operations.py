"""What holds for every public operation: over the table whose times are measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_ref import Tensor
from autograd_ref import functional as F
from autograd_ref.core.saved import is_view

from .operations import Operation, table, tensor

torch = pytest.importorskip("torch")
f = torch.nn.functional

TABLE = table()
#: The same operations called in other ways, as far as these end in other lines.
OTHER_WAYS = {
    "layer_norm alone": Operation(lambda x: F.layer_norm(x, 6), lambda x: f.layer_norm(x, (6,)), lambda n: (ONE,)),
    "rms_norm alone": Operation(lambda x: F.rms_norm(x, 6), lambda x: f.rms_norm(x, (6,)), lambda n: (ONE,)),
    "batch_norm alone": Operation(
        lambda x: F.batch_norm(x, training=True), lambda x: f.batch_norm(x, None, None, training=True), lambda n: (ONE,)
    ),
    "group_norm alone": Operation(lambda x: F.group_norm(x, 2), lambda x: f.group_norm(x, 2), lambda n: (ONE,)),
    "pad reflect": Operation(
        lambda x: F.pad(x, (1, 1), "reflect"), lambda x: f.pad(x, (1, 1), "reflect"), lambda n: (ONE,)
    ),
}  # fmt: skip
ONE = np.random.default_rng(0).standard_normal((2, 4, 6))


@pytest.mark.parametrize("name", TABLE | OTHER_WAYS)
@pytest.mark.parametrize("n", [4, 6])
def test_a_result_is_a_view_only_where_pytorch_has_one(name: str, n: int) -> None:
    """A recorded change in place of a view is refused here: that of a new tensor must not be."""
    operation = (TABLE | OTHER_WAYS)[name]
    xs = [tensor(a, np.dtype(float)) for a in operation.arrays(n)]
    ps = [torch.tensor(x.data, requires_grad=x.requires_grad) for x in xs]
    assert not is_view(operation.ours(*xs)) or operation.theirs(*ps)._is_view()


#: What draws: two calls give two results.
RANDOM = {"dropout"}


@pytest.mark.parametrize("name", sorted(set(TABLE) - RANDOM))
def test_whole_numbers_give_what_the_same_floats_give_or_are_refused(name: str) -> None:
    rng = np.random.default_rng(0)
    arrays = TABLE[name].arrays(4)
    whole = [rng.integers(1, 5, a.shape) if a.dtype.kind == "f" else a for a in arrays]
    floats = [w.astype(float) if a.dtype.kind == "f" else w for w, a in zip(whole, arrays, strict=True)]

    def result(values: list[Any]) -> Any:
        try:
            return TABLE[name].ours(*map(Tensor, values))
        except (TypeError, ValueError, OverflowError):
            return None

    of_whole, of_floats = result(whole), result(floats)
    if of_whole is not None and of_floats is not None:
        np.testing.assert_allclose(of_whole.data.astype(float), of_floats.data.astype(float), rtol=1e-12)
