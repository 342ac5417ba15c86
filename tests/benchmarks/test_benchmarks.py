"""Every implementation in the benchmark computes the same gradients: the table compares like with like."""

import numpy as np
import pytest

from .run import WORKLOADS, main
from .timing import compare
from .w1_moons import program

MODULES = {"torch": "torch", "hips": "autograd"}
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
