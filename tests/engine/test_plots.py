"""Every figure can be drawn, and shows the data that it was given."""

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from autograd_ref import Tensor, nn, plots
from autograd_ref.data import moons
from autograd_ref.scalar import Value
from autograder.sandbox.walls import allowed_modules

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def curve(ax, label):
    return next(line for line in ax.lines if line.get_label() == label)


# What every figure has in common ---------------------------------------------------------------------------------

STEPS = [1e-1, 1e-2, 1e-3]
EVERY_FIGURE = {
    "lines": lambda: plots.lines(
        {"a": ([1, 2], [3, 4]), "b": ([1, 2], [4, 3])}, xlabel="x", ylabel="y", title="t"
    ),
    "functions": lambda: plots.functions({"sin": math.sin}, -3, 3, slopes={"sin": math.cos}, title="t"),
    "error_against_step": lambda: plots.error_against_step(STEPS, {"a": [1e-2, 1e-4, 1e-3]}),
    "fit": lambda: plots.fit([0, 1, 2], [1, 3, 5], {"line": lambda x: 1 + 2 * x}),
    "learning_curves": lambda: plots.learning_curves({"a": [3, 2, 1], "b": [3, 2, 2]}),
    "decision_boundary": lambda: plots.decision_boundary(lambda p: p[:, 0], [[-1, 0], [1, 0]], [0, 1]),
    "contour": lambda: plots.contour(
        lambda x, y: x * x + y * y, {"a": [(1, 1), (0, 0)]}, x=(-2, 2), y=(-2, 2)
    ),
    "optimizer_paths": lambda: plots.optimizer_paths(lambda p: (p * p).sum(-1), {"a": [[1, 1], [0, 0]]}),
    "bars": lambda: plots.bars({"a": 1, "b": 2000}, xlabel="n", title="t"),
    "matrix": lambda: plots.matrix(np.arange(60.0).reshape(6, 10), title="t"),
    "matrices": lambda: plots.matrices({"a": np.ones((2, 3)), "b": np.ones((3, 9))}, title="t"),
    "images": lambda: plots.images(np.zeros((9, 8, 8)), range(9), title="t"),
    "histograms": lambda: plots.histograms({f"layer {k}": np.arange(9.0) for k in range(6)}),
    "layer_statistics": lambda: plots.layer_statistics({"a": [1, 0.1, 0.01]}),
}


def figure_of(drawn):
    first = drawn[0] if isinstance(drawn, list) else drawn
    return getattr(first, "figure", None) or first


WORDS = {  # what of each has to be heard
    "lines": ["t.", "y against x", "a: 2 points, from 3 at 1 to 4 at 2", "b: 2 points"],
    "functions": ["t.", "Panel 1", "sin: 241 points", "highest 1 at 1.58", "Panel 2", "highest 1 at 0"],
    "error_against_step": [
        "logarithmic in x and y",
        "3 points, from 0.001 at 0.001",
        "lowest 0.0001 at 0.01",
    ],
    "fit": ["3 points", "line: 201 points, from 0.8 at -0.1 to 5.2 at 2.1"],
    "learning_curves": ["a: 3 points, from 3 at 0 to 1 at 2", "b: 3 points"],
    "decision_boundary": ["2 points"],
    "contour": ["a: 2 points, from (1, 1) to (0, 0)"],
    "optimizer_paths": ["a: 2 points, from (1, 1) to (0, 0)"],
    "bars": ["t.", "bars: a 1, b 2,000"],
    "matrix": ["t.", "6 rows, 10 columns, from 0 to 59"],
    "matrices": ["a. row against column. 2 rows, 3 columns: 1 1 1; 1 1 1", "3 rows, 9 columns: 1 1"],
    "images": ["t.", "9 panels: 0, 1, 2, 3, 4, 5, 6, 7, 8."],
    "histograms": ["layer 5 mean 4, std 2.6", "a histogram, tallest near"],
    "layer_statistics": ["logarithmic in y", "a: 3 points"],
}


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_is_told_in_words(name):
    from autograd_ref.plots.described import described

    told = described(figure_of(EVERY_FIGURE[name]()))
    for words in WORDS[name]:
        assert words in told
    assert "\n" not in told and ".." not in told


def test_bars_without_names_and_bars_that_stand_are_no_histogram():
    from autograd_ref.plots.described import described

    left, right = plots.panels(2)
    plots.bars({"a": 12, "b": 30.5}, ax=left)
    left.set_yticks([])  # as where panels share the names of the first
    right.bar([0, 1, 4], [0.5, 2, 0.25])
    assert described(left.figure) == "Panel 1. bars: 12, 30.5. Panel 2. bars: at 0 0.5, at 1 2, at 4 0.25."


def test_of_a_sketch_its_texts_are_told():
    from autograd_ref.plots.described import described

    sketch, curve_too = plots.panels(2)
    sketch.set_title("A sketch")
    sketch.text(0.2, 0.5, "a = 2\nslope 1")
    sketch.annotate("", (0.8, 0.5), (0.4, 0.5), arrowprops={"arrowstyle": "->"})
    sketch.text(0.9, 0.5, "c = 6")
    plots.lines({"up": ([0, 1], [0, 1])}, ax=curve_too)
    curve_too.text(0.5, 0.5, "not told: the curve is")
    told = "Panel 1. A sketch. a = 2 slope 1, c = 6. Panel 2. up: 2 points, from 0 at 0 to 1 at 1."
    assert described(sketch.figure) == told


def test_a_notebook_gets_a_figure_as_png_and_as_html_with_the_same_words(monkeypatch):
    import base64
    import io

    import IPython.display
    from PIL import Image

    shown = []
    monkeypatch.setattr(
        IPython.display, "display", lambda data, metadata, raw: shown.append((data, metadata))
    )
    ax = plots.lines({"a <b>": ([1, 2], [3, 4])}, title='"t"')
    ax.figure._ipython_display_()
    ((data, metadata),) = shown
    alt = metadata["image/png"]["alt"]
    assert data["text/plain"] == f"Figure. {alt}"
    assert alt.startswith('"t".') and "a <b>: 2 points" in alt
    assert "&quot;t&quot;" in data["text/html"] and "<b>" not in data["text/html"]
    assert data["image/png"] in data["text/html"]
    pixels = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGBA")
    # On a dark page it brings its own white along.
    assert pixels.getpixel((0, 0)) == (255, 255, 255, 255)
    assert 400 < pixels.width <= 8.2 * 90 + 20


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_fits_the_page_has_a_title_and_no_text_below_9_points(name):
    from matplotlib.text import Text

    figure = figure_of(EVERY_FIGURE[name]())
    assert figure.dpi == 90
    assert figure.get_figwidth() <= 8.5
    assert any(ax.get_title() for ax in figure.axes)
    assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 9
    box = figure.get_tightbbox()  # of what is drawn, in inches: nothing hangs over the edge
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    assert box.x0 >= -0.02
    assert box.x1 <= figure.get_figwidth() + 0.02


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_the_readers_settings_and_the_figures_leave_each_other_alone(name):
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "figure.dpi": 40}):
        settings = dict(matplotlib.rcParams)
        figure = figure_of(EVERY_FIGURE[name]())
        assert dict(matplotlib.rcParams) == settings
    assert figure.dpi == 90
    assert matplotlib.colors.to_hex(figure.axes[0].get_facecolor()) != "#ff0000"


def test_a_unit_that_may_draw_gets_no_other_module_of_the_engine():
    allowed = allowed_modules(("autograd_ref.plots",))
    assert all(f"{name}.".startswith("autograd_ref.plots.") for name in allowed)
    code = (
        "import sys; from autograd_ref import plots; "
        "plots.optimizer_paths(lambda p: (p * p).sum(-1), {'a': [[1, 1], [0, 0]]}); "
        "plots.decision_boundary(lambda p: p[:, 0], [[-1, 0], [1, 0]], [0, 1]); "
        "print(*sorted(m for m in sys.modules if m.startswith('autograd_ref')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert tuple(run.stdout.split()) == ("autograd_ref", *allowed)


def test_matplotlib_is_imported_when_a_figure_is_drawn_and_not_before():
    code = "import sys, autograd_ref.plots; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_a_notebook_shows_every_figure_and_not_the_first_cells_alone():
    code = """
import matplotlib
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
shell = InteractiveShell.instance()
shown = []
for cell in ("from autograd_ref import plots; plots.bars({})", "a = plots.bars({'a': 1})", "b = plots.bars({'a': 1})"):
    with capture_output() as out:
        shell.run_cell(cell)
    shown.append(len(out.outputs))
print(shown)
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"},
    )
    assert run.stdout.strip().splitlines()[-1] == "[0, 1, 1]", run.stderr


def test_curves_differ_by_colour_by_dashes_and_by_marker():
    ax = plots.lines({str(k): ([1, 2], [k, k]) for k in range(7)}, markers=True)
    for look in ("color", "linestyle", "marker"):
        dashes = {
            str(line._dash_pattern if look == "linestyle" else line.properties()[look]) for line in ax.lines
        }
        assert len(dashes) == 7, look


def test_a_second_call_on_the_same_axes_goes_on_in_the_series_of_looks():
    ax = plots.lines({"a": ([1, 2], [1, 2])})
    plots.lines({"b": ([1, 2], [2, 1])}, ax=ax)
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
    assert legend(ax) == ["a", "b"]


@pytest.mark.parametrize("turns", [0.2, 1, 6])
def test_a_legend_never_covers_data(turns):
    x = np.linspace(0, 1, 300)
    ax = plots.lines({f"curve {k}": (x, np.sin(turns * 6.28 * x + k)) for k in range(4)})
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for line in ax.lines:
        assert not any(box.contains(*point) for point in ax.transData.transform(line.get_xydata()))


def test_a_legend_without_a_place_stands_below_a_narrow_panel():
    x = np.linspace(0, 1, 300)
    left, right = plots.panels(2)
    plots.lines({f"curve {k}": (x, np.sin(30 * x + k)) for k in range(3)}, xlabel="x", ax=left)
    plots.bars({"a": 1}, ax=right)
    left.figure.draw_without_rendering()
    box = left.get_legend().get_window_extent()
    assert box.y1 < left.xaxis.label.get_window_extent().y0 + 2
    assert box.y0 >= 0
    assert left.bbox.width > 0.8 * right.bbox.width


def test_figures_share_a_page_as_panels():
    left, right = plots.panels(2, title="Two")
    plots.bars({"a": 1}, ax=left)
    plots.lines({"a": ([1, 2], [3, 4])}, ax=right)
    assert left.figure is right.figure
    assert left.figure.get_suptitle() == "Two"
    assert len(plots.panels(5)[0].figure.axes) == 5


# Each figure -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [[1.0, 2.0], (1, 2), np.array([1, 2]), [Value(1.0), Value(2.0)], Tensor([1.0, 2.0])]
)
def test_lines_show_their_points_whatever_holds_them(values):
    ax = plots.lines({"a": ([5, 6], values)}, xlabel="x", ylabel="y", title="t")
    np.testing.assert_array_equal(curve(ax, "a").get_xydata(), [[5, 1], [6, 2]])
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x", "y", "t")


def test_lines_have_the_scales_that_are_asked_for():
    scales = {log: plots.lines({"a": ([1, 2], [1, 2])}, log=log) for log in ("", "x", "y", "xy")}
    assert {log: (ax.get_xscale(), ax.get_yscale()) for log, ax in scales.items()} == {
        "": ("linear", "linear"),
        "x": ("log", "linear"),
        "y": ("linear", "log"),
        "xy": ("log", "log"),
    }


def test_a_zero_on_a_logarithmic_axis_is_a_triangle_on_its_edge():
    ax = plots.lines({"a": ([1, 2, 3], [4, 0, 1])}, log="y")
    np.testing.assert_array_equal(curve(ax, "a").get_ydata(), [4, np.nan, 1])
    assert list(ax.lines[1].get_xdata()) == [2]
    assert ax.lines[1].get_marker() == "v"


def test_labels_of_a_logarithmic_axis_are_written_as_python_writes_numbers_and_do_not_touch():
    ax = plots.error_against_step(10.0 ** -np.arange(17), {"a": 10.0 ** -np.arange(17)})
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    shown = [t for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
    assert "1e-08" in [t.get_text() for t in shown] or "1e-09" in [t.get_text() for t in shown]
    boxes = [t.get_window_extent() for t in shown]
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_functions_are_drawn_with_their_slopes_beside_them():
    left, right = plots.functions({"sin": math.sin}, -1, 2, slopes={"sin": math.cos}, points=7)
    x = np.linspace(-1, 2, 7)
    np.testing.assert_allclose(left.lines[0].get_xydata(), np.stack([x, np.sin(x)], axis=1))
    np.testing.assert_allclose(right.lines[0].get_xydata(), np.stack([x, np.cos(x)], axis=1))
    assert left.lines[0].get_color() == right.lines[0].get_color()


def test_functions_without_slopes_are_one_panel_and_have_gaps_where_they_have_no_value():
    ax = plots.functions({"log": math.log, "1/x": lambda x: 1 / x}, -1, 1, points=5)
    np.testing.assert_array_equal(np.isnan(ax.lines[0].get_ydata()), [True, True, True, False, False])
    np.testing.assert_array_equal(np.isnan(ax.lines[1].get_ydata()), [False, False, True, False, False])


def test_the_smallest_error_is_marked_and_named():
    ax = plots.error_against_step(STEPS, {"forward": [-1e-2, 1e-4, 1e-3], "central": [1e-3, 1e-5, 0]})
    assert legend(ax) == ["forward: smallest at 1e-02", "central: smallest at 1e-03"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[1e-3, 1e-3], [1e-2, 1e-4], [1e-1, 1e-2]])
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), [[1e-2, 1e-4]])


@pytest.mark.parametrize(
    "model",
    [
        lambda x: 1 + 2 * x,
        lambda x: math.fsum([1, 2 * x]),  # takes no arrays
        lambda x: Value(x) * 2 + 1 if isinstance(x, float) else 1 / 0,
        lambda x: Tensor(np.reshape(x, (-1, 1)), requires_grad=True) * 2 + 1,
    ],
)
def test_a_fitted_curve_goes_through_what_the_model_predicts(model):
    ax = plots.fit([0.0, 1.0, 2.0], [1, 3, 6], {"model": model})
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), [[0, 1], [1, 3], [2, 6]])
    x, y = curve(ax, "model").get_data()
    np.testing.assert_allclose(y, 1 + 2 * x)
    assert x.min() < 0
    assert x.max() > 2


def test_learning_curves_have_a_line_and_a_label_each():
    ax = plots.learning_curves({"training": [3, 2, 1], "validation": [3, 2.5, 2]}, log=True)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [3, 2, 1])
    assert legend(ax) == ["training", "validation"]
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


def boundary(ax):
    """The points of the boundary lines."""
    black = [
        c for c in ax.collections if np.allclose(c.get_edgecolor()[:, :3], 0.2) and not len(c.get_facecolor())
    ]
    return np.concatenate([path.vertices for c in black for path in c.get_paths()])


@pytest.mark.parametrize(
    ("predict", "pointwise"),
    [
        (lambda p: p[:, 0] - 0.3, False),
        (lambda p: np.stack([0.3 - p[:, 0], p[:, 0] - 0.3], axis=1), False),
        (lambda p: [Value(x) - 0.3 for x, _ in p], False),
        (lambda p: Value(p[0]) - 0.3, True),
        (lambda p: [Value(0.3), Value(p[0])], True),
    ],
)
def test_the_boundary_is_where_the_scores_are_equal(predict, pointwise):
    points, labels = [[-1.0, 0.0], [1.0, 0.5], [0.0, 1.0]], [0, 1, 1]
    ax = plots.decision_boundary(predict, points, labels, resolution=15, pointwise=pointwise)
    np.testing.assert_allclose(boundary(ax)[:, 0], 0.3, atol=1e-6)
    assert legend(ax) == ["class 0", "class 1"]


def test_labels_of_minus_one_and_one_are_two_classes():
    ax = plots.decision_boundary(lambda p: p[:, 0], [[-1.0, 0.0], [1.0, 0.5]], [-1, 1], resolution=15)
    assert legend(ax) == ["class 0", "class 1"]
    assert len({tuple(colour) for colour in ax.collections[-1].get_facecolor()}) == 2


def test_a_network_that_says_the_same_everywhere_has_no_boundary():
    ax = plots.decision_boundary(lambda p: np.zeros(len(p)), [[-1.0, 0.0], [1.0, 0.5]], [0, 1], resolution=15)
    assert len(ax.collections) == 2  # one region, and the points


def test_drawing_records_no_graph():
    recorded = []
    weight = Tensor([[1.0], [1.0]], requires_grad=True)

    def predict(points):
        out = Tensor(points) @ weight
        recorded.append(out.requires_grad)
        return out

    plots.decision_boundary(predict, [[-1.0, 0.0], [1.0, 0.5]], [0, 1], resolution=15)
    assert recorded == [False]


def test_a_plain_function_of_two_numbers_gets_level_lines_and_paths():
    asked = []

    def bowl(x, y):
        asked.append((type(x), type(y)))
        return x * x + y * y

    path = [(1, 1), (0.5, 0.2), (0.1, 0.0)]
    ax = plots.contour(bowl, {"descent": path}, x=(-2, 2), y=(-1, 1), resolution=41)
    assert set(asked) == {(float, float)}
    np.testing.assert_array_equal(curve(ax, "descent").get_xydata(), path)
    assert (ax.get_xlim(), ax.get_ylim()) == ((-2, 2), (-1, 1))
    rings = [p.vertices for p in ax.collections[-1].get_paths() if len(p.vertices)]
    inner = np.hypot(*rings[1].T)
    np.testing.assert_allclose(inner, inner[0], rtol=0.05)


def test_paths_are_drawn_on_a_surface():
    path = np.array([[1.0, 1.0], [0.5, 0.8], [0.0, 0.1]])
    ax = plots.optimizer_paths(lambda p: (p * p).sum(-1), {"SGD": path}, resolution=20)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), path)


def test_bars_have_their_numbers_and_stand_in_the_order_given():
    ax = plots.bars({"a": 2000, "b": -1.5, "c": Value(0.125)}, xlabel="n")
    assert [bar.get_width() for bar in ax.patches] == [2000, -1.5, 0.125]
    assert [text.get_text() for text in ax.texts] == ["2,000", "-1.5", "0.125"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax.yaxis_inverted()


@pytest.mark.parametrize("log", [False, True])
def test_the_axis_of_bars_writes_numbers_as_the_bars_do(log):
    ax = plots.bars({"few": 200, "many": 2_000_000}, log=log)
    ax.figure.canvas.draw()
    ticks = dict(zip(ax.get_xticks(), (t.get_text() for t in ax.get_xticklabels()), strict=True))
    assert "1,000,000" in ticks.values()
    assert all(text == f"{value:,.0f}" for value, text in ticks.items() if value >= 1)


def test_a_matrix_has_its_numbers_and_zero_is_white():
    ax = plots.matrix([[1, -2, 0], [0.5, 0, 3]], rows=["a", "b"])
    image = ax.images[0]
    np.testing.assert_array_equal(image.get_array(), [[1, -2, 0], [0.5, 0, 3]])
    assert image.get_clim() == (-3, 3)
    np.testing.assert_allclose(image.to_rgba(0.0)[:3], 1, atol=0.01)
    assert [t.get_text() for t in ax.texts] == ["1.00", "-2.00", "0.00", "0.50", "0.00", "3.00"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "array", [np.ones((40, 40)), [[np.nan, 1.0], [np.inf, -1.0]], np.zeros((2, 2)), [1, 2]]
)
def test_any_matrix_can_be_drawn_and_numbers_are_shown_where_they_fit(array):
    ax = plots.matrix(array)
    size = np.size(array)
    assert len(ax.texts) == (size if size < 1000 else 0)
    assert len(ax.figure.axes) == (1 if size < 1000 else 2)  # a colour bar in place of the numbers


def test_matrices_stand_in_one_row_with_the_same_colours():
    one, two = plots.matrices({"A": [[1, 2]], "B": [[1], [-4]]})
    assert [one.get_title(), two.get_title()] == ["A", "B"]
    assert one.images[0].get_clim() == two.images[0].get_clim() == (-4, 4)
    one, two = plots.matrices({"A": [[1, 2]], "B": [[1], [-4]]}, shared=False)
    assert one.images[0].get_clim() == (-2, 2)


def test_images_share_one_scale_of_grey():
    pictures = np.arange(2 * 3 * 4.0).reshape(2, 3, 4)
    axes = plots.images(pictures, ["a", 7])
    for ax, picture in zip(axes, pictures, strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), picture)
        assert ax.images[0].get_clim() == (0, 23)
    assert [ax.get_title() for ax in axes] == ["a", "7"]


def test_histograms_count_every_activation():
    figure = plots.activation_histograms({"a": np.ones((3, 4)), "b": nn.Parameter(np.arange(6.0))})
    assert [sum(p.get_height() for p in ax.patches) for ax in figure.axes] == [12, 6]


def test_a_histogram_says_how_many_values_are_not_finite():
    figure = plots.histograms({"a": [1.0, np.nan, np.inf], "b": [np.nan]})
    assert [ax.get_title() for ax in figure.axes] == [
        "a\nmean 1, std 0\n2 not finite",
        "b\nno finite value\n1 not finite",
    ]


def test_layers_are_counted_from_one():
    ax = plots.layer_statistics({"good": [1, 0.9], "dead": [0.1, 0]})
    np.testing.assert_array_equal(curve(ax, "good").get_xydata(), [[1, 1], [2, 0.9]])
    assert ax.get_yscale() == "log"
    assert plots.layer_statistics({"good": [1, 0.9]}, log=False).get_yscale() == "linear"


@pytest.mark.parametrize(
    "call",
    [
        lambda: plots.panels(0),
        lambda: plots.lines({}),
        lambda: plots.lines({"a": ([1, 2], [1])}),
        lambda: plots.lines({"a": ([1, 2], [1, 2], [3, 4])}),
        lambda: plots.lines({"a": ([1, 2], [1, 2])}, log="z"),
        lambda: plots.lines({"a": ([1, 2], [1, -2])}, log="y"),
        lambda: plots.functions({"log": math.log}, 1, 0),
        lambda: plots.functions({"log": math.log}, -2, -1),
        lambda: plots.error_against_step([1, 2], {"a": [1]}),
        lambda: plots.fit([1, 2], [1], {}),
        lambda: plots.decision_boundary(nn.Linear(3, 1), np.ones((4, 3)), np.zeros(4)),
        lambda: plots.decision_boundary(nn.Linear(2, 1), np.ones((4, 2)), np.zeros(3)),
        lambda: plots.contour(lambda x, y: x, {"a": [1, 2]}, x=(0, 1), y=(0, 1)),
        lambda: plots.contour(lambda x, y: math.nan, x=(0, 1), y=(0, 1)),
        lambda: plots.optimizer_paths(lambda p: p, {"a": np.ones((4, 3))}),
        lambda: plots.bars({"a": 0}, log=True),
        lambda: plots.matrix(np.ones((2, 2, 2))),
        lambda: plots.matrix(np.ones((2, 2)), rows=["a"]),
        lambda: plots.images(np.ones((4, 64))),
        lambda: plots.images(np.ones((4, 8, 8)), ["a"]),
        lambda: plots.activation_histograms({}),
    ],
)
def test_a_wrong_argument_gets_a_sentence(call):
    with pytest.raises(ValueError, match=r"\w+ .* \w+.*\.$"):
        call()
