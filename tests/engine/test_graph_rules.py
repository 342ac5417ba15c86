"""The life of a graph: freeing, retaining, changes in place, modes, errors, dtypes."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

from autograd_ref import Tensor, detect_anomaly, enable_grad, no_grad, ops
from autograd_ref import functional as F


def leaf(*values: float) -> Tensor:
    return Tensor(np.array(values), requires_grad=True)


def test_a_second_backward_says_that_the_graph_was_freed():
    y = (leaf(1.0, 2.0) ** 2).sum()
    y.backward()
    with pytest.raises(RuntimeError, match=r"already used by a backward pass.*retain_graph=True"):
        y.backward()


def test_retain_graph_allows_a_second_backward_which_adds():
    x = leaf(3.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 12.0


def test_a_result_of_many_elements_needs_a_gradient_of_its_shape():
    y = leaf(1.0, 2.0) * 2
    with pytest.raises(RuntimeError, match=r"shape \(2,\).*sum\(\)"):
        y.backward()
    with pytest.raises(ValueError, match=r"\(3,\).*\(2,\)"):
        y.backward(np.ones(3))


def test_backward_of_a_constant_says_that_nothing_was_recorded():
    with pytest.raises(RuntimeError, match="requires_grad=True"):
        Tensor(1.0).backward()


def test_integers_carry_no_gradient():
    with pytest.raises(TypeError, match=r"int64.*1\.0"):
        Tensor([1, 2], requires_grad=True)
    assert not (leaf(1.0).astype(int) * 2).requires_grad


def test_a_shape_mismatch_names_the_operation_and_both_shapes():
    with pytest.raises(ValueError, match=r"'add'.*\(2,\) and \(3,\)"):
        leaf(1.0, 2.0) + leaf(1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match=r"'matmul'.*\(2, 3\) and \(2, 3\)"):
        Tensor(np.ones((2, 3)), requires_grad=True) @ np.ones((2, 3))


@pytest.mark.parametrize("change", ["data", "copy_", "setitem", "iadd", "view"])
def test_a_saved_value_that_changed_in_place_is_named_with_the_line(change):
    x = leaf(1.0, 2.0)
    y = x * x
    with no_grad():
        if change == "data":
            x.data -= 1
        elif change == "copy_":
            x.copy_(0.0)
        elif change == "setitem":
            x[0] = 5.0
        elif change == "iadd":
            x += 1
        else:
            x.reshape(2, 1)[0] = 7.0
    with pytest.raises(
        RuntimeError, match=r"'mul' saved its argument number 1, of shape \(2,\).*test_graph_rules.py:\d+"
    ):
        y.sum().backward()


def test_a_recorded_change_in_place_of_a_saved_result_is_refused_in_backward():
    y = leaf(1.0).exp()
    y += 1
    with pytest.raises(RuntimeError, match="'exp' saved its result"):
        y.sum().backward()


def test_a_recorded_change_in_place_of_an_unsaved_result_is_right():
    x = leaf(1.0, 2.0)
    y = x + 1
    y *= 3
    y[0] = x[1] * 10
    y.sum().backward()
    np.testing.assert_allclose(x.grad.data, [0.0, 3.0 + 10.0])


def test_a_change_before_the_value_is_saved_does_no_harm():
    x = leaf(1.0)
    with no_grad():
        x += 1
    (x * x).sum().backward()
    assert x.grad.item() == 4.0


def test_a_leaf_cannot_be_overwritten_while_recording():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="no_grad"):
        x += 1
    with pytest.raises(RuntimeError, match="no_grad"):
        x[0] = 1.0


def test_no_grad_and_enable_grad_nest_and_decorate():
    x = leaf(1.0)
    with no_grad():
        assert not (x * 2).requires_grad
        with enable_grad():
            assert (x * 2).requires_grad
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad

    @no_grad()
    def double(x):
        return x * 2

    assert not double(x).requires_grad


def test_detect_anomaly_names_the_operation_and_the_line_forward():
    with (
        detect_anomaly(),
        np.errstate(all="ignore"),
        pytest.raises(FloatingPointError, match=r"'log' produced NaN.*test_graph_rules"),
    ):
        ops.log(leaf(-1.0))


def test_detect_anomaly_names_the_operation_and_the_line_backward():
    with detect_anomaly():
        y = ops.sqrt(leaf(0.0)).sum()
        with (
            np.errstate(divide="ignore"),
            pytest.raises(FloatingPointError, match=r"backward pass of 'sqrt'.*infinity.*test_graph_rules"),
        ):
            y.backward()


def test_a_rule_warns_where_numpy_warns_as_the_operation_itself_does():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        ops.sqrt(leaf(0.0)).sum().backward()


def test_detect_anomaly_says_nothing_of_healthy_numbers():
    with detect_anomaly():
        x = leaf(1.0, 2.0)
        F.layer_norm((x * x).exp(), 2, leaf(1.0, 1.0)).sum().backward()


def test_a_chain_of_100000_operations_needs_no_deep_stack():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1e-5
    y.sum().backward()
    assert x.grad.item() == 1.0
    y = x
    for _ in range(100_000):
        y = y * 1.0
    del y  # freeing a long graph that was never used must not recurse either


def test_the_graph_is_freed_by_backward_and_makes_no_reference_cycles():
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        h = ops.tanh(x * 2)
        alive = weakref.ref(h)
        y = (F.gelu(h, "tanh") * h).sum()
        del h
        y.backward()
        assert alive() is None
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_the_machinery_for_higher_order_does_nothing_in_a_first_order_pass():
    """Backward makes no node, and calls no operation on a tensor: rules run on plain arrays."""
    from autograd_ref.core.saved import tick

    x, w, b = leaf(1.0, 2.0), Tensor(np.ones((2, 2)), requires_grad=True), leaf(0.0, 1.0)
    loss = F.mse_loss(ops.softmax(ops.tanh(F.linear(x, w, b)) * x), Tensor([0.0, 1.0])) + x.exp().sum()
    called = []

    def watch(frame, event, _):
        if event == "call" and frame.f_code.co_name == "__call__":
            called.extend(type(v) for v in frame.f_locals.values() if isinstance(v, Tensor))

    before = tick()
    sys.setprofile(watch)
    try:
        loss.backward()
    finally:
        sys.setprofile(None)
    assert not called
    added_in_place = 3  # x has four uses; each later gradient dates the change of .grad
    assert tick() - before <= 1 + added_in_place


def test_gradients_do_not_share_memory_with_each_other_or_with_the_seed():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = np.ones(2)
    (x + y).backward(seed)
    assert not np.shares_memory(x.grad.data, y.grad.data)
    assert not np.shares_memory(x.grad.data, seed)
    z = leaf(1.0)
    z.backward(seed[:1])
    assert not np.shares_memory(z.grad.data, seed)


def test_adding_in_place_never_writes_into_a_buffer_that_someone_else_holds():
    x = leaf(1.0, 2.0)
    seed = np.ones(2)
    y = x.clone()
    (y + y + y.reshape(2) + y * 1).backward(seed)
    np.testing.assert_array_equal(seed, [1, 1])
    np.testing.assert_array_equal(x.grad.data, [4, 4])


def test_float32_stays_float32():
    x = Tensor(np.ones(3, np.float32), requires_grad=True)
    y = ((2 * x + 1.5) / 3 - np.float64(0.5)) ** 2
    z = F.gelu(ops.softmax(y) * np.int64(3)) + ops.where(x > 0, 0.0, x).mean() + ops.std(x) + x.prod()
    assert z.dtype == np.float32
    z.sum().backward()
    assert x.grad.dtype == np.float32


def test_mixed_precision_gives_every_leaf_a_gradient_of_its_own_dtype():
    x = Tensor(np.ones(3, np.float32), requires_grad=True)
    y = Tensor(np.ones(3), requires_grad=True)
    (x * y + x).sum().backward()
    assert (x.grad.dtype, y.grad.dtype) == (np.float32, np.float64)


def test_zero_dimensional_tensors_do_not_promote():
    x = Tensor(np.ones(3, np.float32))
    assert (x * Tensor(2.0)).dtype == np.float32
    assert (Tensor([1, 2, 3]) * x).dtype == np.float32


def test_printing_shows_values_gradient_and_operation():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert repr(x) == "Tensor([1., 2.], requires_grad=True)"
    assert repr(y) == "Tensor([2., 4.], grad_fn=<mul>)"
    y.sum().backward()
    assert repr(x) == "Tensor([1., 2.], requires_grad=True, grad=[2., 2.])"


def test_importing_the_engine_is_quick_and_leaves_matplotlib_alone():
    code = (
        "import time, sys, numpy; t = time.perf_counter(); import autograd_ref;"
        "print(time.perf_counter() - t, 'matplotlib' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    seconds = min(float(r.stdout.split()[0]) for r in runs)
    assert seconds < 0.15
    assert runs[0].stdout.split()[1] == "False"
