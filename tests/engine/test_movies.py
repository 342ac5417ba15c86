"""Moving pictures: what each moment shows, that nothing moves unasked, and that they are small."""

import base64
import html
import io
import itertools
import math
import re
import time

import numpy as np
import pytest

from autograd_ref import plots
from autograd_ref.plots import motion_curves, motion_networks, motion_planes
from autograd_ref.plots.apng import apng

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def decoded(data):
    """The pictures of an animated PNG as Pillow reads it, and how long each stays; the still one first."""
    image = Image.open(io.BytesIO(data))
    pictures, times = [], []
    for k in range(image.n_frames):
        image.seek(k)
        pictures.append(np.asarray(image.convert("RGB")))
        times.append(image.info.get("duration"))
    return pictures, times


# The file format ---------------------------------------------------------------------------------------------------


def squares(count=6, size=(20, 30)):
    """A red square that walks over a striped ground."""
    pictures = []
    for k in range(count):
        picture = np.full((*size, 3), 255, dtype=np.uint8)
        picture[::4] = (10, 200, 30)
        picture[5:9, 4 * k : 4 * k + 4] = (220, 0, 0)
        pictures.append(picture)
    return pictures


def test_every_frame_comes_back_as_it_was_given():
    pictures = squares()
    still = np.full_like(pictures[0], 128)
    shown, times = decoded(apng(still, pictures, [50, 50, 50, 50, 50, 900]))
    assert (shown[0] == still).all()  # what a viewer shows that knows no animation
    for got, given in zip(shown[1:], pictures, strict=True):
        assert (got == given).all()
    assert times[1:] == [50, 50, 50, 50, 50, 900]


def test_a_frame_that_changes_nothing_makes_the_one_before_it_stay_longer():
    first, second, *_ = squares()
    shown, times = decoded(apng(first, [first, first, second, second], [50, 70, 50, 800]))
    assert len(shown) == 1 + 2
    assert times[1:] == [120, 850]


def test_a_frame_stores_only_what_has_changed():
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 40, size=(100, 100, 1)).repeat(3, axis=2).astype(np.uint8)
    dots = [noise.copy() for _ in range(10)]
    for k, picture in enumerate(dots):
        picture[50, 10 * k] = 255
    one, ten = (len(apng(noise, dots[:n], [50] * n)) for n in (1, 10))
    assert ten - one < 9 * 150


def test_of_too_many_colours_the_plain_ones_stay_and_all_are_near():
    rng = np.random.default_rng(0)
    picture = np.full((60, 60, 3), (0, 114, 178), dtype=np.uint8)
    picture[:, 30:] = 255
    picture[:10] = rng.integers(0, 256, size=(10, 60, 3))
    picture[30:, ::3] = (213, 94, 0)
    shown, _ = decoded(apng(picture, [picture], [100]))
    assert (shown[1][20] == picture[20]).all() and (shown[1][40] == picture[40]).all()
    assert np.abs(shown[1][:10].astype(int) - picture[:10]).mean() < 40


# A movie -----------------------------------------------------------------------------------------------------------


def dot(frames=5, **options):
    ax = plots.lines({"x squared": ([0, 1, 2], [0, 1, 4])}, xlabel="x", ylabel="y", title="A dot")
    called = []

    def frame(k):
        called.append(k)
        x = 2 * k / (frames - 1)
        ax.plot([x], [x * x], "ko", markersize=12)
        return f"x = {x:.1f}"

    shown = plots.movie(ax, frame, frames, told="A <dot> climbs.", **options)
    return ax, shown, called


def test_each_moment_is_drawn_on_what_stays_and_taken_away():
    ax, shown, called = dot(rate=10, hold=1.5)
    assert sorted(set(called)) == [0, 1, 2, 3, 4]
    assert len(ax.lines) == 1  # no dot is left
    pictures, times = decoded(shown.moving)
    assert len(pictures) == 1 + 5
    assert times[1:] == [100] * 4 + [1500]
    assert shown.seconds == 1.9
    places = []
    for picture in pictures[1:]:
        inside = picture[30:-50, 60:-10]
        dark = np.argwhere(inside.sum(axis=2) < 60)
        places.append(dark.mean(axis=0))
    assert all(a[1] < b[1] for a, b in itertools.pairwise(places))  # to the right
    assert all(a[0] > b[0] for a, b in itertools.pairwise(places))  # and up


def test_the_still_picture_is_the_last_moment_or_one_of_its_own():
    _, shown, _ = dot()
    last = decoded(shown.moving)[0][-1]
    still = np.asarray(Image.open(io.BytesIO(shown.still)).convert("RGB"))
    assert np.abs(still.astype(int) - last).max() < 60  # other palettes
    drawn = []
    _, shown, _ = dot(still=lambda: drawn.append(1))
    assert drawn == [1]
    assert "x squared: 3 points" in shown.alt


def test_a_notebook_gets_the_still_picture_open_and_the_moving_one_folded():
    _, shown, _ = dot()
    data, metadata = shown._repr_mimebundle_()
    page = data["text/html"]
    outside, _, fold = page.partition("<details")
    assert set(re.findall(r"<(\w+)", page)) == {"div", "img", "details", "summary"}
    assert " open" not in fold.partition(">")[0]
    assert f'alt="{html.escape(shown.alt)}"' in outside and data["image/png"] in outside
    assert 'alt="A &lt;dot&gt; climbs."' in fold
    assert base64.b64encode(shown.moving).decode() in fold
    assert "To stop it, close this." in fold
    # What shows the PNG alone shows no motion: it has one picture.
    assert Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).n_frames == 1
    assert metadata["image/png"]["alt"] == shown.alt
    assert data["text/plain"] == repr(shown) == f"Figure. {shown.alt} In motion: A <dot> climbs."


def test_a_movie_s_figure_is_closed_and_the_reader_s_settings_stay():
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"font.size": 30, "figure.dpi": 40}):
        settings = dict(matplotlib.rcParams)
        _, shown, _ = dot()
        assert dict(matplotlib.rcParams) == settings
    assert plt.get_fignums() == []
    assert 400 < shown.width <= 760


@pytest.mark.parametrize(("frames", "told"), [(0, "A dot."), (3, " ")])
def test_a_movie_of_nothing_or_without_a_word_is_refused(frames, told):
    with pytest.raises(ValueError, match="at least one frame and a sentence"):
        plots.movie(plots.bars({"a": 1}), lambda k: None, frames, told=told)


# What the course shows moving --------------------------------------------------------------------------------------

GRID = np.linspace(-1, 1, 12)
SGD = [(-4.5 * 0.93**k, (-0.75) ** k) for k in range(21)]
MOONS = np.random.default_rng(1).normal(size=(40, 2))


def trained_boundary(moments=12):
    sides = [lambda p, b=b: p[:, 0] * math.cos(b) + p[:, 1] * math.sin(b) for b in np.linspace(2, 0, moments)]
    steps = [3 * k for k in range(moments)]
    losses = np.geomspace(1, 0.1, steps[-1] + 1)
    return plots.moving_boundary(sides, MOONS, MOONS[:, 0] > 0, losses=losses, steps=steps)


def layers(count=12):
    rng = np.random.default_rng(0)
    moments = {}
    for size in (0.5, 0.8, 1.0, 1.5, 3.0):
        h = rng.normal(size=(100, 60))
        moments[f"weights x {size}"] = []
        for _ in range(count):
            h = np.tanh(size * h @ rng.normal(size=(60, 60)) / math.sqrt(60))
            moments[f"weights x {size}"].append(h)
    return plots.moving_layers(moments)


def filters(moments=20):
    rng = np.random.default_rng(0)
    noise, pattern = rng.normal(size=(2, 10, 8, 8))
    weights = [noise + k * pattern for k in range(moments)]
    digits = rng.integers(0, 17, size=(360, 8, 8)) * (rng.random((360, 8, 8)) < 0.3)
    answers = [(rng.random(360) < 0.8 / (k + 1)).astype(int) for k in range(moments)]
    return plots.moving_filters(
        weights, digits, np.zeros(360), answers, names=range(10), across=2, columns=20
    )


def descents():
    def model(slope):
        return lambda a: slope * a

    search = [model(2 * (1 - 0.98**k)) for k in range(200)]
    return plots.moving_fits(GRID, 2 * GRID + 0.1, {"search": search, "descent": search[::4]})


EVERY_MOVIE = {
    "moving_tangent": lambda: plots.moving_tangent(math.sin, math.cos, -4.0, 4.0),
    "moving_paths": lambda: plots.moving_paths(
        lambda x, y: x * x + 25 * y * y, {"SGD": SGD, "other": SGD[::2]}, x=(-5, 1), y=(-1.3, 1.3)
    ),
    "moving_fits": descents,
    "moving_boundary": trained_boundary,
    "moving_layers": layers,
    "moving_filters": filters,
}


def test_every_moving_picture_is_tested_here():
    assert sorted(EVERY_MOVIE) == sorted(name for name in plots.__all__ if name.startswith("moving_"))


@pytest.mark.parametrize("name", EVERY_MOVIE)
def test_a_movie_is_small_soon_made_told_and_the_same_every_time(name):
    EVERY_MOVIE[name]()
    started = time.process_time()
    shown = EVERY_MOVIE[name]()
    assert time.process_time() - started < 4
    assert shown == EVERY_MOVIE[name]()
    assert len(shown.moving) < 150_000
    assert len(shown.still) < 45_000
    assert shown.width <= 760
    assert 3 < shown.seconds < 12
    for words in (shown.alt, shown.told):
        assert len(words.split()) >= 6 and words.endswith(".") and "\n" not in words
    pictures, _ = decoded(shown.moving)
    assert len(pictures) > 12
    for picture in (pictures[1], pictures[-1]):
        for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
            assert (edge == 255).all()  # white, and nothing is cut


@pytest.fixture
def moments(monkeypatch):
    """Makes movies that are not drawn: it gives axes, `frame` and `still`, to look at what they put there."""
    kept = {}

    def keep(axes, frame, frames, **options):
        kept.update(axes=axes, frame=frame, frames=frames, **options)

    for module in (motion_curves, motion_networks, motion_planes):
        monkeypatch.setattr(module, "movie", keep)
    return kept


def put(moments, k):
    """What `frame(k)` puts on each axes, and what it says."""
    before = [set(ax.get_children()) for ax in moments["axes"]]
    said = moments["frame"](k)
    return [
        [child for child in ax.get_children() if child not in old]
        for ax, old in zip(moments["axes"], before, strict=True)
    ], said


def test_the_tangent_touches_the_curve_with_its_slope_and_keeps_its_length(moments):
    plots.moving_tangent(lambda x: x**3, lambda x: 3 * x * x, -2.0, 2.0)
    top, _ = moments["axes"]
    lengths = []
    for k in (0, 20, 50, 83):
        (on_top, below), said = put(moments, k)
        line, point = on_top
        (x,), (y,) = point.get_data()
        (x0, x1), (y0, y1) = line.get_data()
        assert y == pytest.approx(x**3)
        assert (x0 + x1) / 2 == pytest.approx(x)
        assert (y1 - y0) / (x1 - x0) == pytest.approx(3 * x * x, abs=1e-9)
        ends = top.transData.transform(np.column_stack(line.get_data()))
        lengths.append(np.hypot(*(ends[1] - ends[0])))
        trace, _, height = below
        assert height.get_data() == ([x], [3 * x * x]) and trace.get_xdata()[-1] == x
        assert f"{3 * x * x:+.2f}" in said.replace("−", "-")
    assert lengths == pytest.approx([lengths[0]] * 4)


def test_rising_and_falling_tangents_have_colours_of_their_own():
    assert len({motion_curves._signed(value) for value in (-2.0, 0.0, 3.0)}) == 3


def test_paths_go_step_by_step_together_and_a_short_one_waits(moments):
    long, short = np.array([(-2.0, 1.0), (-1.0, 0.5), (0.0, 0.0)]), np.array([(-2.0, 1.0), (1.0, 1.0)])
    plots.moving_paths(lambda x, y: x * x + y * y, {"a": long, "b": short}, x=(-3, 3), y=(-2, 2), between=4)
    assert moments["frames"] == 2 * 4 + 1
    for k, heads, height in (
        (0, (long[0], short[0]), "5"),
        (4, (long[1], short[1]), "1.2"),
        (8, (long[2], short[1]), "0"),
    ):
        drawn, said = put(moments, k)
        for artists, head in zip(drawn, heads, strict=True):
            points = [artist for artist in artists if hasattr(artist, "get_data")]
            assert np.ravel(points[-1].get_data()) == pytest.approx(head)
        assert drawn[0][-1].get_text() == f"height {height}"
        assert said == f"step {k // 4}"
    (first, _), _ = put(moments, 2)  # half of the way
    assert np.ravel([a for a in first if hasattr(a, "get_data")][-1].get_data()) == pytest.approx(
        (-1.5, 0.75)
    )


def test_fits_show_each_run_s_curve_and_error_at_the_same_step(moments):
    runs = {"slow": [lambda a, k=k: a * k / 4 for k in range(5)], "fast": [lambda a: 0 * a, lambda a: a]}
    plots.moving_fits([0, 1, 2], [0, 1, 2], runs, frames=5)
    (slow, fast, below), said = put(moments, 2)
    step = int(said.split()[1])
    assert slow[0].get_ydata() == pytest.approx(slow[0].get_xdata() * step / 4)
    assert fast[0].get_ydata() == pytest.approx(fast[0].get_xdata())
    assert (
        slow[1].get_text() == f"error {5 / 3 * (1 - step / 4) ** 2:.3g}" and fast[1].get_text() == "error 0"
    )
    assert "slow: the mean squared error falls from 1.67 to 0 in 4 steps." in moments["told"]
    assert [artist.get_xdata()[-1] for artist in below[:1]] == [step]


def test_fits_show_the_curve_that_a_run_begins_with_where_it_is_near_and_call_the_error_as_they_are_told(
    moments,
):
    near, far = [lambda a: 0 * a, lambda a: 4 + a], [lambda a: 0 * a - 100, lambda a: 4 + a]
    plots.moving_fits([0, 4, 8], [4, 8, 12], {"near": near, "far": far}, measure="loss", frames=2)
    (first, *_), _ = put(moments, 0)
    assert any(getattr(one, "get_text", str)().startswith("loss ") for one in first)
    near_ax, far_ax, below = moments["axes"]
    assert below.get_ylabel() == "loss"
    assert near_ax.get_ylim() == pytest.approx((-1.2, 13.2))  # with the flat curve at 0
    assert far_ax.get_ylim() == pytest.approx((2.8, 13.2))  # the data alone: 100 below them is out of sight


def test_the_border_lies_between_the_moments_that_it_is_given(moments):
    models = [lambda p, b=b: p[:, 0] - b for b in (-1.0, 1.0)]
    points = [[-2, 0], [2, 1]]
    plots.moving_boundary(models, points, [0, 1], losses=[4, 3, 2, 1, 0.5], steps=[0, 4], between=4)
    for k, border in ((0, -1.0), (2, 0.0), (4, 1.0)):
        (plane, loss), said = put(moments, k)
        lines = [
            artist for artist in plane if artist.__class__.__name__ == "QuadContourSet" and not artist.filled
        ]
        found = np.concatenate([path.vertices for artist in lines for path in artist.get_paths()])
        assert found[:, 0] == pytest.approx(border, abs=1e-6)
        assert said == f"step {k}"
        assert loss[0].get_ydata()[-1] == [4, 3, 2, 1, 0.5][k]


def test_a_step_for_each_model_is_asked_for():
    with pytest.raises(ValueError, match="2 models and 1 steps"):
        plots.moving_boundary([lambda p: p[:, 0]] * 2, [[-2, 0], [2, 1]], [0, 1], steps=[0])


def test_layers_show_their_spread_and_the_text_of_their_moment(moments):
    wide, narrow = (
        [np.array([-1.0, 1.0])] * 3,
        [np.array([-0.1, 0.1]), np.zeros(2), np.array([np.nan, 0.1, -0.1])],
    )
    plots.moving_layers({"wide": wide, "narrow": narrow}, between=4)
    (shapes, spread), said = put(moments, 0)
    assert said == "wide" and len(shapes) == 3
    assert spread[0].get_ydata() == pytest.approx([1, 1, 1])  # and not where the second layer's 0 will be
    _, said = put(moments, 4)
    assert said == "narrow"
    (_, spread), _ = put(moments, 4)
    assert spread[0].get_ydata()[[0, 2]] == pytest.approx([0.1, 0.1])
    assert "narrow: from 0.1 to 0.1" in moments["told"]


def test_a_layer_s_shape_ends_where_its_numbers_do_and_its_axis_has_their_name(moments):
    plots.moving_layers({"small": [np.array([-0.1, 0.0, 0.1])]}, limit=1.0, ylabel="sum", between=2)
    (shapes, _), _ = put(moments, 0)
    (shape,) = (path.vertices for artist in shapes for path in artist.get_paths())
    assert 0.1 < np.abs(shape[:, 1]).max() < 0.2  # and not to both ends of the axis
    assert shapes[0].axes.get_ylabel() == "sum"


def test_layers_that_come_and_go_are_refused():
    with pytest.raises(ValueError, match="as many layers"):
        plots.moving_layers({"a": [np.ones(3)], "b": [np.ones(3)] * 2})


def test_what_is_misread_is_black_on_orange_and_the_rest_faint(moments):
    pictures = np.zeros((2, 2, 2))
    pictures[:, 0, 0] = 16
    plots.moving_filters(np.ones((2, 1, 2, 2)), pictures, [0, 1], [[1, 1], [0, 1]], columns=2)
    (sheet, _), said = put(moments, 0)
    pixels = sheet[0].get_array()
    assert pixels[0, 0].max() == 0 and pixels[1, 1].tolist() == [1, 0.72, 0.3]  # the first is read as 1
    assert pixels[0, 3].min() > 0.7 and pixels[1, 4].tolist() == [1, 1, 1]
    assert said == "step 0: 1 misread"
    (sheet, _), said = put(moments, 2)
    assert sheet[0].get_array()[1, 1].tolist() == [1, 1, 1] and said == "step 1: 0 misread"


def test_filters_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"filters \(moments, n, h, w\)"):
        plots.moving_filters(np.ones((2, 4, 4)), np.ones((3, 4, 4)), [0, 1, 2], np.zeros((2, 3)))
