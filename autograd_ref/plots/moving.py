"""Moving pictures: what is drawn frame by frame, as one image that plays on a stored page.

Nothing moves until a reader asks for it. The still picture stands outside, and says what there is to see; the moving
one is in a fold under it, and closing the fold stops it. So it is for everybody: also for who is made ill by motion,
hears the notebook read out, or prints it. (A notebook that nobody trusts loses style sheets and the tags by which a
page could ask what its reader prefers; a fold it keeps.)
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from .apng import apng
from .described import as_image, described
from .style import in_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg


@dataclass(frozen=True)
class Movie:
    """A picture that moves: `still` is a PNG and `alt` tells it, `moving` an animated PNG and `told` tells that.

    In a notebook it shows itself, the moving one folded. `seconds` is how long it takes until it begins again.
    """

    still: bytes
    moving: bytes
    alt: str
    told: str
    width: int
    seconds: float

    def text(self) -> str:
        """Both pictures in words."""
        return f"Figure. {self.alt} In motion: {self.told}"

    __repr__ = text

    def html(self) -> str:
        """The still picture, and a fold that opens to the moving one."""
        still, moving = (base64.b64encode(png).decode("ascii") for png in (self.still, self.moving))
        asked = f"Watch it move: {self.seconds:.0f} seconds, over and over. To stop it, close this."
        return (
            f"<div>{as_image(still, self.alt, self.width)}"
            f'<details style="margin: 6px 0"><summary style="cursor: pointer">{escape(asked)}</summary>'
            f"{as_image(moving, self.told, self.width)}</details></div>"
        )

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        png = base64.b64encode(self.still).decode("ascii")
        data = {"text/plain": self.text(), "text/html": self.html(), "image/png": png}
        return data, {"image/png": {"alt": self.alt}}


@in_style
def movie(
    axes: Axes | Sequence[Axes],
    frame: Callable[[int], str | None],
    frames: int,
    *,
    told: str,
    still: Callable[[], object] | None = None,
    rate: int = 20,
    hold: float = 2.0,
) -> Movie:
    """A moving picture on axes of one figure. What is on them stays; `frame(k)` draws what comes on top at moment k.

    `frame` is called with 0 to `frames` - 1, `rate` times for a second; what it drew is taken away before the next
    call, so it draws each moment as a whole. Axes keep their limits. A text that it returns stands over the first axes.
    `still` draws the still picture in the same way: make it say all that the motion says. Without one it is the last
    moment. The last moment stays for `hold` seconds. `told` tells what moves, for who does not see it.

    The figure is closed: show the Movie that is returned, as the last line of a cell or by `display`.
    Raises ValueError when there is no frame, or nothing is told.

    >>> from autograd_ref.plots import lines
    >>> ax = lines({"x squared": ([0, 1, 2], [0, 1, 4])}, xlabel="x", ylabel="y")
    >>> shown = movie(ax, lambda k: ax.plot([k], [k * k], "ko") and f"x = {k}", 3, told="A dot climbs the curve.")
    >>> shown.moving.count(b"fcTL")
    3
    """
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if frames < 1 or not told.strip():
        raise ValueError(
            f"A movie needs at least one frame and a sentence that tells it, and got frames={frames} and told={told!r}."
        )
    sheet: list[Any] = [axes] if hasattr(axes, "get_figure") else list(axes)
    figure: Any = sheet[0].get_figure()
    plt.close(figure)
    stage = _Stage(FigureCanvasAgg(figure), [*sheet, *(ax for ax in figure.axes if ax not in sheet)], frame)
    draw_still = still or (lambda: frame(frames - 1))
    shown, alt = stage.still(draw_still)
    times = [round(1000 / rate)] * (frames - 1) + [round(1000 * hold)]
    pictures = (stage.picture(k) for k in range(frames))
    moving = apng(shown, pictures, times)
    return Movie(_png(shown), moving, alt, told, shown.shape[1], sum(times) / 1000)


class _Stage:
    """A figure whose layout no longer changes, and what is drawn on top of it from moment to moment."""

    def __init__(self, canvas: FigureCanvasAgg, axes: list[Axes], frame: Callable[[int], str | None]) -> None:
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        self.canvas, self.axes, self.frame = canvas, axes, frame
        for ax in axes:
            ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())
            ax.autoscale(False)
            # A text that changes stands on the right, so titles make room for it.
            ax.set_title(ax.get_title() or ax.get_title("left"), loc="left")
            ax.set_title("")
        layout = canvas.figure.get_layout_engine()
        if isinstance(layout, ConstrainedLayoutEngine):
            layout.set(w_pad=0.08, h_pad=0.07)  # inches: the picture is not cut to what is drawn
        canvas.draw()
        canvas.figure.set_layout_engine("none")
        canvas.draw()
        self.background = canvas.copy_from_bbox(canvas.figure.bbox)

    def still(self, draw: Callable[[], object]) -> tuple[np.ndarray, str]:
        """The still picture, and what it shows in words."""
        words = []
        picture = self._drawn(draw, lambda: words.append(described(self.canvas.figure)))
        return picture, words[0]

    def picture(self, k: int) -> np.ndarray:
        return self._drawn(lambda: self.frame(k))

    def _drawn(self, draw: Callable[[], object], look: Callable[[], object] = lambda: None) -> np.ndarray:
        """What is seen when this has been drawn as well, which is then taken away."""
        before = [(ax, {id(child) for child in ax.get_children()}, list(ax.containers)) for ax in self.axes]
        said = draw()
        if isinstance(said, str):
            ax = self.axes[0]
            # On the line of the title, whose distance is 6 points as well.
            place: Any = {"xytext": (0, 6), "textcoords": "offset points", "ha": "right", "va": "baseline"}
            ax.annotate(said, (1.0, 1.0), xycoords="axes fraction", fontsize=11, **place)
        look()
        new = [child for ax, old, _ in before for child in ax.get_children() if id(child) not in old]
        self.canvas.restore_region(self.background)
        for artist in sorted(new, key=lambda artist: artist.get_zorder()):
            artist.draw(self.canvas.get_renderer())
        pixels = np.asarray(self.canvas.buffer_rgba())[..., :3].copy()
        for artist in new:
            artist.remove()
        for ax, _, containers in before:
            ax.containers[:] = containers
        return pixels


def _png(picture: np.ndarray) -> bytes:
    """A picture as a PNG with few colours."""
    from PIL import Image  # matplotlib depends on it

    out = io.BytesIO()
    Image.fromarray(picture, "RGB").quantize(255, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def eased(share: float) -> float:
    """A share of a way, slower at its beginning and its end, as things that have weight move."""
    return share * share * (3 - 2 * share)


def without_legend(ax: Axes) -> None:
    """Take the legend away: a panel of one curve says by its title what it is."""
    if legend := ax.get_legend():
        legend.remove()
