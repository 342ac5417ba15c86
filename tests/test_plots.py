"""Every figure can be drawn, and shows the data that it was given."""

import numpy as np
import pytest

from autograd_ref import nn, plots
from autograd_ref.data import moons

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_learning_curves_have_a_line_and_a_label_each():
    ax = plots.learning_curves({"training": [3, 2, 1], "validation": [3, 2.5, 2]}, log=True)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [3, 2, 1])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["training", "validation"]
    assert ax.get_yscale() == "log"


def test_a_smoothed_curve_is_the_running_mean():
    ax = plots.learning_curves({"loss": [1.0, 3.0, 5.0, 7.0]}, smooth=2)
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [2, 4, 6])
    np.testing.assert_allclose(ax.lines[1].get_xdata(), [1, 2, 3])


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_a_boundary_is_drawn_for_a_model_of_any_number_of_outputs(outputs):
    x, y = moons(40)
    ax = plots.decision_boundary(nn.Linear(2, outputs), x, y, resolution=20)
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), x)


def test_paths_are_drawn_on_a_surface():
    path = np.array([[1.0, 1.0], [0.5, 0.8], [0.0, 0.1]])
    ax = plots.optimizer_paths(lambda p: (p * p).sum(-1), {"SGD": path}, resolution=20)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), path)


def test_histograms_count_every_activation():
    figure = plots.activation_histograms({"a": np.ones((3, 4)), "b": nn.Parameter(np.arange(6.0))})
    assert [sum(p.get_height() for p in ax.patches) for ax in figure.axes] == [12, 6]


@pytest.mark.parametrize(
    "call",
    [
        lambda: plots.decision_boundary(nn.Linear(3, 1), np.ones((4, 3)), np.zeros(4)),
        lambda: plots.optimizer_paths(lambda p: p, {"a": np.ones((4, 3))}),
        lambda: plots.activation_histograms({}),
    ],
)
def test_a_wrong_argument_gets_a_sentence(call):
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        call()
