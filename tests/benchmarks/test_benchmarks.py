"""Every implementation in the benchmark computes the same gradients: the table compares like with like."""

from importlib.resources import files

import numpy as np
import pytest
from nbgrader.converters import Autograde

from autograd_ref import functional as F
from autograd_ref import ops as engine_ops
from autograder.classroom.ways_in import settings_of, who_grades

from . import ops as by_operation
from .grading import STOCK_CONFIG
from .operations import table, tensor
from .run import WORKLOADS, main
from .timing import compare
from .w1_moons import program

MODULES = {"torch": "torch", "torch_operators": "torch", "hips": "autograd"}
CASES = [
    (w, c, d) for w in WORKLOADS.values() for c in w.builders if c != "floor" for d in ("float64", "float32")
]


@pytest.mark.parametrize(
    ("workload", "column", "dtype"), CASES, ids=[f"{w.name}-{c}-{d}" for w, c, d in CASES]
)
def test_gradients_are_those_of_the_floor(workload, column, dtype):
    if column in MODULES:
        pytest.importorskip(MODULES[column])
    floor = workload.builders["floor"](np.dtype(dtype)).gradients()
    got = workload.builders[column](np.dtype(dtype)).gradients()
    compare(f"{workload.name} {column}", got, floor, workload.tolerance[dtype])


def test_after_ten_steps_of_sgd_the_engine_and_the_floor_have_the_same_loss():
    floor, engine = (WORKLOADS["W2"].builders[c](np.dtype("f8")) for c in ("floor", "engine"))
    for _ in range(10):
        floor.step()
        engine.step()
    compare("W2", {"loss": engine.gradients()["loss"]}, {"loss": floor.gradients()["loss"]}, 1e-12)


def test_the_scalar_demo_learns():
    scalar = pytest.importorskip("autograd_ref.scalar")
    step, _ = program(scalar.Value)
    losses = [step().data for _ in range(3)]
    assert losses[2] < losses[1] < losses[0]


def test_the_table_is_printed(capsys):
    main(["W2", "--columns", "engine", "--dtypes", "float64", "--rounds", "1"])
    assert "W2 XOR" in capsys.readouterr().out


#: What is no operation, or one by another name.
NO_OPERATION = {"astensor", "axes_of", "plain_index", "shaped"}


def test_every_public_operation_is_in_the_table_of_operations():
    pytest.importorskip("torch")
    named = {name.split()[0] for name in table()}
    assert {*engine_ops.__all__, *F.__all__} - NO_OPERATION == named


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_operations_of_the_table_compute_the_same_in_both_engines(dtype):
    torch = pytest.importorskip("torch")
    for name, operation in table().items():
        if name == "dropout":
            continue
        arrays = operation.arrays(6)
        xs = [tensor(a, np.dtype(dtype)) for a in arrays]
        ps = [torch.tensor(x.data, requires_grad=x.requires_grad) for x in xs]
        out, expected = operation.ours(*xs), operation.theirs(*ps)
        close = (
            {"rtol": 1e-9, "atol": 1e-9}
            if dtype == "float64" and name != "astype"
            else {"rtol": 1e-4, "atol": 1e-4}
        )
        np.testing.assert_allclose(out.data, expected.detach().numpy(), err_msg=name, **close)
        if not expected.requires_grad:
            continue
        u = np.random.default_rng(0).standard_normal(out.shape).astype(out.dtype)
        out.backward(u)
        expected.backward(torch.tensor(u))
        for x, p in zip(xs, ps, strict=True):
            if p.grad is not None:
                np.testing.assert_allclose(x.grad.data, p.grad.numpy(), err_msg=name, **close)


def test_the_table_of_operations_is_printed(capsys):
    pytest.importorskip("torch")
    by_operation.main(["add", "sum", "--rounds", "1", "--sizes", "4", "--dtypes", "float32"])
    printed = capsys.readouterr().out
    assert "sum axis" in printed
    assert "median" in printed


def test_the_benchmark_of_grading_runs_stock_nbgrader_by_its_own_steps(tmp_path, monkeypatch):
    """Where this package is installed, a step before them refuses our units, and there would be nothing to measure."""
    guard = files("autograder.classroom") / "nbgrader_config.json"
    (tmp_path / "guarded").mkdir()
    (tmp_path / "guarded" / "nbgrader_config.json").write_bytes(guard.read_bytes())
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path / "guarded"))
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    assert who_grades(tmp_path)[0]
    (tmp_path / "nbgrader_config.py").write_text(STOCK_CONFIG)
    steps = settings_of(tmp_path).Autograde.autograde_preprocessors
    assert list(steps) == Autograde.autograde_preprocessors.default_args[0]
