"""Pictures of a match of two: who wins, and when to bank, over both scores."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dice10k_math.plots.style import HEAT, drawing, new_figure, thousands
from dice10k_math.questions.bank import least_banks
from dice10k_math.questions.match import MatchSolution
from dice10k_math.rules import bank_step, score_step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FINE, COARSE = 100, 50
"""About how many scores a picture shows along each side."""
BEYOND = 1000
"""How far below 0 and above an exact target scores are shown, where they can be there."""
COLOURS = 9
"""About how many colours the turn scores of one panel have."""
NOWHERE = "#BBBBBB"
PERCENT = tuple(range(0, 101, 5))
MARKED = tuple(range(10, 91, 10))

Grid = NDArray[Any]


def scores_of(match: MatchSolution, count: int) -> Grid:
    """Return evenly spaced scores for the sides of a picture, about so many of them."""
    rules = match.rules
    step, target = score_step(rules), rules.ending.target
    passable = rules.ending.overshoot == "add_or_subtract"
    low = -BEYOND if rules.bust.on_six or rules.bust.in_a_row is not None else 0
    stride = max(step, round((target - low) / count / step) * step)
    last = target + BEYOND if passable else target - 1
    return np.array([score for score in range(low, last + 1, stride) if passable or score < target])


def win_probability(match: MatchSolution, *, second: bool = False) -> Figure:
    """Draw the win probability of the player to move over both scores.

    Parameters
    ----------
    match
        A solved match.
    second
        Under equal turns: for the second turn of the round.

    Examples
    --------
    >>> from dice10k_math.questions.match import solve_match
    >>> from dice10k_math.rules import load_rules, with_target
    >>> win_probability(solve_match(with_target(load_rules("farkle"), 500))).axes[0].get_xlabel()
    'own score (points)'
    """
    scores = scores_of(match, FINE)
    values = np.array(
        [[match.win_probability(int(own), int(other), second=second).value for own in scores] for other in scores]
    )
    with drawing():
        figure, axes = new_figure(6.4, 5.6)
        filled = axes.contourf(scores, scores, 100 * values, levels=PERCENT, cmap=HEAT, vmin=0, vmax=100)
        filled.set_edgecolor("face")
        lines = axes.contour(scores, scores, 100 * values, levels=MARKED, colors="white", linewidths=0.8)
        for text in axes.clabel(lines, fmt="%d %%", fontsize=8):
            text.set_color("white")
        _outline(axes.texts)
        figure.colorbar(filled, ax=axes, label="win probability of the player to move (%)", ticks=range(0, 101, 10))
        axes.set(xlabel="own score (points)", ylabel="opponent's score (points)", aspect="equal")
        axes.set_title(f"{match.rules.title}: who wins, both playing to win{_round(match, second)}")
        thousands(axes, y=True)
    return figure


def _round(match: MatchSolution, second: bool) -> str:
    """Say which turn of the round it is, where that matters."""
    if match.rules.ending.kind != "equal_turns":
        return ""
    return f", {'second' if second else 'first'} turn of the round"


def _outline(texts: Any) -> None:
    """Give labels a dark rim, so that they can be read on any colour."""
    from matplotlib.patheffects import withStroke

    for text in texts:
        text.set_path_effects([withStroke(linewidth=2, foreground="black")])


def bank_decisions(match: MatchSolution, dice: int | None = None, *, second: bool = False) -> Figure:
    """Draw from which turn score on to bank, over both scores.

    Parameters
    ----------
    match
        A solved match.
    dice
        Number of dice left; None: a panel for each number with which banking is ever best.
    second
        Under equal turns: for the second turn of the round.

    Raises
    ------
    InputError
        Spicy dice, of which not only the number matters.

    Examples
    --------
    >>> from dice10k_math.questions.match import solve_match
    >>> from dice10k_math.rules import load_rules, with_target
    >>> len(bank_decisions(solve_match(with_target(load_rules("farkle"), 500)), 3).axes)
    2
    """
    scores = scores_of(match, COARSE)
    found = _banks(match, scores, second)
    most = match.rules.turn.dice - (match.rules.turn.hot_dice == "must_roll")
    banked = [number for number in range(1, most + 1) if np.isfinite(found[:, :, number - 1]).any()]
    shown = banked if dice is None else [dice]
    wide = dice is None
    with drawing():
        figure, grid = new_figure(*((9.6, 6.6) if wide else (6.4, 5.6)), **(_panels(len(shown)) if wide else {}))
        panels = list(np.atleast_1d(grid).flat)
        for axes, number in zip(panels, shown, strict=False):
            _panel(figure, axes, found[:, :, number - 1], _sides(scores), bank_step(match.rules))
            axes.set_title(_left(match, number))
            thousands(axes, y=True)
        for axes in panels[len(shown) :]:
            axes.set_visible(False)
        title = "the least turn score to bank (points), playing to win"
        figure.suptitle(f"{match.rules.title}: {title}{_round(match, second)}")
        figure.supxlabel("own score (points)")
        figure.supylabel("opponent's score (points)")
    return figure


def _panels(count: int) -> dict[str, Any]:
    return {"rows": -(-count // 3), "columns": min(count, 3), "sharex": True, "sharey": True}


def _left(match: MatchSolution, dice: int) -> str:
    if dice == match.rules.turn.dice:
        return "hot dice"
    return "1 die left" if dice == 1 else f"{dice} dice left"


def _sides(scores: Grid) -> Grid:
    """Return where the cells of scores begin and end."""
    stride = scores[1] - scores[0] if len(scores) > 1 else 1
    return np.append(scores, scores[-1] + stride) - stride / 2


def _banks(match: MatchSolution, scores: Grid, second: bool) -> Grid:
    """Return the least turn score to bank, by opponent's score, own score and dice; not a number: none."""
    rows = [[least_banks(match, int(own), int(other), second=second) for own in scores] for other in scores]
    return np.array([[[np.nan if bank is None else bank for bank in cell] for cell in row] for row in rows], float)


def _panel(figure: Figure, axes: Any, banks: Grid, sides: Grid, step: int) -> None:
    """Draw one number of dice: a field of colour for each pair of scores, grey where play goes on for ever."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    edges = _edges(banks, step)
    norm = BoundaryNorm(edges, ncolors=256, extend="max")
    colours = ScalarMappable(norm, colormaps[HEAT])
    axes.set_facecolor(NOWHERE)
    for level, boxes in _boxes(np.searchsorted(edges, banks, side="right"), np.isfinite(banks), sides).items():
        colour = colours.to_rgba(edges[min(level, len(edges)) - 1] + (step if level == len(edges) else 0))
        axes.add_patch(_patch(boxes, colour))
    axes.set(xlim=(sides[0], sides[-1]), ylim=(sides[0], sides[-1]), aspect="equal")
    bar = figure.colorbar(colours, ax=axes, ticks=edges, extend="max", shrink=0.9)
    bar.ax.set_yticklabels([f"{edge:,.0f}" for edge in edges])
    bar.ax.tick_params(labelsize=8)


def _boxes(levels: Grid, known: Grid, sides: Grid) -> dict[int, list[Any]]:
    """Return the corners of rectangles by level: neighbours of one level in a row are one rectangle."""
    boxes: dict[int, list[Any]] = defaultdict(list)
    for row, (of_row, known_of_row) in enumerate(zip(levels, known, strict=True)):
        low, high = sides[row], sides[row + 1]
        column = 0
        for (level, there), cells in groupby(zip(of_row.tolist(), known_of_row.tolist(), strict=True)):
            left, column = column, column + len(list(cells))
            if there:
                x, end = sides[left], sides[column]
                boxes[level].append(((x, low), (end, low), (end, high), (x, high)))
    return boxes


def _patch(boxes: list[Any], colour: Any) -> Any:
    """Return all rectangles of one colour as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(boxes)
    corners = [corner for box in boxes for corner in (*box, box[0])]
    return PathPatch(Path(corners, codes), facecolor=colour, edgecolor=colour, linewidth=0.3)


def _edges(banks: Grid, step: int) -> Grid:
    """Return round turn scores between which the colours change, about as many cells between each two of them."""
    known = banks[np.isfinite(banks)]
    if not len(known):
        return np.array([0, step])
    shares = np.percentile(known, np.linspace(0, 100, COLOURS + 1)[:-1])
    edges = sorted({_rounded(share, step) for share in shares.tolist()})
    return np.array(edges if len(edges) > 1 else [edges[0], edges[0] + step])


def _rounded(points: float, step: int) -> int:
    """Return points rounded down to two digits, but to no finer step than turn scores have."""
    size = max(step, 10 ** max(0, len(str(int(points))) - 2))
    return int(points // size * size)
