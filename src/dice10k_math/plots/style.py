"""What all pictures share: colours that the colour-blind can tell apart and print keeps apart, sizes, and the file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from dice10k_math.errors import Dice10kError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Suffix = Literal["svg", "png"]

# M. Okabe and K. Ito, Color Universal Design (2008), darkest first: black ink keeps them apart by line style as well.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "X")
BUST = "#D55E00"
BANK = "#0072B2"
HEAT = "cividis"

SETTINGS: Any = {
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and enlarged
    "svg.hashsalt": "dice10k_math",
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


_PATH = re.compile(rb'\bd="[^"]*"')
_LONG = re.compile(rb"(\.\d\d)\d+")


class NoPlottingError(Dice10kError, ImportError):
    """Matplotlib is not installed."""


@contextmanager
def drawing() -> Iterator[None]:
    """Set matplotlib up for a picture, and leave its settings as they were.

    Raises
    ------
    NoPlottingError
        Matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise NoPlottingError(
            "pictures need matplotlib, which is not installed; allowed: pip install 'dice10k-math[plots]'"
        ) from None
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield


def to_bytes(figure: Figure, suffix: Suffix = "svg") -> bytes:
    """Return a figure as the bytes of a file, the same bytes for the same figure."""
    data = io.BytesIO()
    with drawing():
        if figure.get_layout_engine() is not None:
            # Laying out again would start from where the first time ended, and end elsewhere.
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        metadata: dict[str, Any] = {"Date": None} if suffix == "svg" else {}
        figure.savefig(data, format=suffix, dpi=150, metadata=metadata)
    return _shortened(data.getvalue()) if suffix == "svg" else data.getvalue()


def _shortened(svg: bytes) -> bytes:
    """Return a picture with the points of its lines to a hundredth: nobody sees more, and the file is half as large."""
    return _PATH.sub(lambda path: _LONG.sub(rb"\1", path[0]), svg)


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1, **more: Any) -> tuple[Figure, Any]:
    """Return a figure of a size in inches with its axes, without any state outside it."""
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **more)


def thousands(axes: Axes, *, x: bool = True, y: bool = False) -> None:
    """Write the numbers at the axes with commas."""
    from matplotlib.ticker import FuncFormatter

    shown = FuncFormatter(lambda value, _: f"{value:,.0f}")
    if x:
        axes.xaxis.set_major_formatter(shown)
    if y:
        axes.yaxis.set_major_formatter(shown)
