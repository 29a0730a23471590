"""The pages about all games: the start of the results, the comparison, and the surprises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import dice10k_math as d10
from dice10k_math.dice import rolls
from dice10k_math.questions.bank import least_banks
from docs.generator import costly
from docs.generator.games import first_wins
from docs.generator.text import (
    GAMES,
    MADE,
    SAME_TURNS,
    grid,
    match_of,
    number,
    one_in,
    page,
    percent,
    rules_of,
    table,
    turn_of,
)

REFERENCE = "tests/reference/rules"


TREE = """```{toctree}
:hidden:
:glob:

*
```"""


def index_page() -> str:
    """Return the start of the results."""
    games = "\n".join(f"- [{rules_of(game).title}]({game}.md)" for game in GAMES)
    return page(
        MADE,
        "# Results",
        "Odds, best turns, bank tables, win probabilities and lengths of every built-in game. "
        "Every number on these pages is read from [the tables](../reference/tables.md) or recomputed when the documentation is tested.",
        TREE,
        games,
        "- [The games compared](comparison.md)\n- [Surprises](surprises.md)\n- [What others have published](../published.md)",
        "A picture like those on these pages is one command; see [pictures](../reference/cli.md#pictures).",
    )


COMPARED = tuple(game for game in GAMES if game not in SAME_TURNS)


def comparison_page() -> str:
    """Return the comparison of the games."""
    heads = ["", *(f"[{rules_of(game).title}]({game}.md)" for game in COMPARED)]
    rows = [[what, *(cells(game) for game in COMPARED)] for what, cells in _ROWS]
    return page(
        MADE,
        "# The games compared",
        "The High Stakes variants are left out: their turns from nothing are those of the games they belong to.",
        grid(heads, rows),
        "Points, bust and bank are those of the turn with the most expected points of a player who has opened "
        "(Dice 10k: below 5,000 points).",
        *_comparison_words(),
    )


def _opened(game: str) -> dict[str, float]:
    rows = table(game, "turn_values")
    return next(row for row in rows if row["situation"].startswith(("opened", "any")))


def _odds(game: str, name: str) -> float:
    return float(table(game, "odds")[-1][name])


def _bank(game: str, dice: int) -> str:
    rows = [
        row for row in table(game, "bank") if row["dice"] == dice and row["situation"].startswith(("opened", "any"))
    ]
    situation = rows[0]["situation"] if rows else ""
    firsts: dict[str, int] = {}
    for row in rows:
        if row["situation"] == situation and row["hot_dice"] == int(_has_bonus(game) and dice == 6):
            hand = str(row.get("hand", ""))
            firsts[hand] = min(row["bank_from"], firsts.get(hand, row["bank_from"]))
    if not firsts:
        return "must roll" if rules_of(game).turn.hot_dice == "must_roll" and dice == 6 else "–"
    low, high = min(firsts.values()), max(firsts.values())
    return number(low) if low == high else f"{low:,} to {high:,}"


def _has_bonus(game: str) -> bool:
    return bool(rules_of(game).turn.hot_dice_bonus)


def _first(game: str) -> str:
    value = first_wins(game)
    return "–" if value is None else percent(value, 3)


def _alone(game: str) -> str:
    if rules_of(game).variants.spicy_faces is not None:
        found = costly.found(f"turns:{game}")
        return "–" if found is None else number(found["value"], 3)
    return number(
        next(row for row in table(game, "solo") if (row["score"], row["opened"]) == (0, False))["expected_turns"], 3
    )


def _length(game: str) -> str:
    return number(costly.values(f"length:{game}")["mean"], 2) if game in costly.LENGTHS else "–"


def _bank_row(dice: int) -> tuple[str, Callable[[str], str]]:
    name = "hot dice" if dice == 6 else "1 die left" if dice == 1 else f"{dice} dice left"
    return f"bank from, {name}", lambda game: _bank(game, dice)


_ROWS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("target", lambda game: f"{rules_of(game).ending.target:,}"),
    ("bust, six dice", lambda game: percent(_odds(game, "bust_probability"), 3)),
    ("hot dice in the first roll", lambda game: percent(_odds(game, "hot_dice_probability"), 3)),
    ("mean best score of the first roll", lambda game: number(_odds(game, "mean_best_score"), 2)),
    ("expected points of the best turn", lambda game: number(_opened(game)["expected_points"], 2)),
    ("its chance of a bust", lambda game: percent(_opened(game)["bust_probability"], 2)),
    *map(_bank_row, range(1, 7)),
    ("first player wins", _first),
    ("fewest expected turns, alone", _alone),
    ("turns of a match of two", _length),
)


def _comparison_words() -> Iterator[str]:
    favoured = {game: first_wins(game) for game in COMPARED if first_wins(game) is not None}
    best = max(favoured, key=lambda game: favoured[game] or 0)
    worst = min(favoured, key=lambda game: favoured[game] or 0)
    yield (
        f"The first turn is worth most in {rules_of(best).title} ({percent(favoured[best] or 0, 3)}) "
        f"and least in {rules_of(worst).title} ({percent(favoured[worst] or 0, 3)})."
    )


def surprises_page() -> str:
    """Return the page of surprises."""
    return page(MADE, "# Surprises", "Things that few players would guess, each with its number.", *_surprises())


def _surprises() -> Iterator[str]:
    yield from _hot_dice_for_long()
    yield from _second_is_better()
    yield from _greed()
    yield from _one_die_of_three()
    yield from _fewer_points_banked()
    yield from _near_is_far()
    yield from _busts()
    yield from _lead()
    yield from _spicy()


def _hot_dice_for_long() -> Iterator[str]:
    rules = d10.load_rules(f"{REFERENCE}/mckenna.toml")
    classic = d10.solve_turn(rules, exact=False).bank_from(6)
    ours = ", ".join(f"{rules_of(game).title} {turn_of(game, 1000).bank_from(6):,}" for game in ("farkle", "des-10000"))
    yield "## Roll six dice with 16,000 points at risk"
    yield (
        f"After hot dice, all six dice are worth rolling with any turn score below {classic:,} "
        "(widespread rules of Farkle, for the most points; first published by Busche in 2012). "
        f"Six dice bust once in {number(1 / d10.bust_odds(rules), 1)} rolls, and what they gain is nearly always more than what they risk. "
        f"The same limit in the built-in games: {ours}."
    )


def _second_is_better() -> Iterator[str]:
    first = first_wins("dix-mille")
    match = match_of("dix-mille")
    assert first is not None and match is not None  # noqa: PT018 - the tables hold it
    late = match.win_probability(9500, 9500).value
    yield "## The second player is favoured in Dix mille"
    yield (
        f"Under equal turns the player who begins wins {percent(first, 3)} only. "
        "The other answers every turn, knows what is needed at the end, and loses nothing by being second. "
        f"At 9,500 : 9,500 the player to begin the round wins {percent(late)}."
    )


@lru_cache
def _worst_first_roll(game: str) -> tuple[float, tuple[int, ...], tuple[int, ...], int, float]:
    """Return how much the most points cost at worst, the roll, the best keep, those points; and how often they cost."""
    turn = turn_of(game, 1000)
    worst: tuple[float, tuple[int, ...], tuple[int, ...], int] = (0.0, (), (), 0)
    wrong = 0
    for roll, weight in rolls((0,) * 6):
        choices = turn.advise(0, roll)
        if not choices:
            continue
        most = max(choice.points for choice in choices)
        loss = min(choice.loss for choice in choices if choice.points == most)
        wrong += weight if loss > 1e-6 else 0
        worst = max(worst, (loss, tuple(-face for face in roll), choices[0].keep, most))
    return worst[0], tuple(sorted(-face for face in worst[1])), worst[2], worst[3], wrong / 6**6


def _greed() -> Iterator[str]:
    yield "## Taking every scoring die is wrong half of the time"
    heads = [
        "game",
        "first rolls in which the most points are wrong",
        "worst such roll",
        "most points",
        "best keep",
        "cost (points)",
    ]
    rows = []
    for game in ("farkle", "dix-mille", "des-10000"):
        loss, roll, keep, most, wrong = _worst_first_roll(game)
        shown = [" ".join(map(str, dice)) for dice in (roll, keep)]
        rows.append([rules_of(game).title, percent(wrong, 1), shown[0], str(most), shown[1], number(loss, 1)])
    yield "Dice that are not kept are rolled again, and may bring more than they paid. In the first roll of a turn, for the most points:"
    yield grid(heads, rows)
    yield "The roll, the points and the keep are those of the one roll where this costs most."


def _one_die_of_three() -> Iterator[str]:
    match = match_of("farkle")
    assert match is not None
    best, *others = match.advise(4200, 7000, 0, (1, 1, 1, 2, 3, 4))
    most = next(choice for choice in others if choice.points == 300 and choice.then == "roll")
    bank = next(choice for choice in others if choice.points == 300 and choice.then == "bank")
    yield "## Three 1s on the table, and keep one"
    yield (
        f"Farkle, 4,200 : 7,000, first roll 1 1 1 2 3 4. To keep a single 1 ({best.points} points) and roll five dice wins {percent(best.win_probability)}; "
        f"to keep all three ({most.points} points) and roll three dice wins {percent(most.win_probability)}, "
        f"and to bank them {percent(bank.win_probability)}."
    )


def _fewer_points_banked() -> Iterator[str]:
    match = match_of("des-10000")
    assert match is not None
    best, *others = match.advise(9000, 9900, 900, (1, 5, 2, 3))
    most = next(choice for choice in others if choice.then == "bank" and choice.points == 150)
    yield "## Bank less than you could"
    yield (
        f"Dés 10 000, 9,000 : 9,900, turn score 900, roll 1 5 2 3. Banking {best.points} more makes {9900 + best.points:,} and wins {percent(best.win_probability)}; "
        f"banking {most.points} more makes {9900 + most.points:,} and wins {percent(most.win_probability)}. "
        "Who reaches the target hands the other one last turn without anything to lose."
    )


def _near_is_far() -> Iterator[str]:
    turns = {row["score"]: row["expected_turns"] for row in table("dice10k", "solo")}
    yield "## In Dice 10k, 9,800 is farther from 10,000 than 9,000 is"
    yield (
        "Nothing below 300 may be banked, and 10,000 must be met exactly. "
        f"Alone, the fewest expected turns are {number(turns[9000], 3)} from 9,000, {number(turns[9700], 3)} from 9,700, "
        f"but {number(turns[9800], 3)} from 9,800 and {number(turns[9900], 3)} from 9,900. "
        f"Past the target, 10,300 ({number(turns[10300], 3)} turns) is the best score of the table, better than 9,700: "
        "there a bank of 300 can be subtracted, and any other can still be added or subtracted."
    )
    best = min(turns, key=lambda score: turns[score])
    assert best == 10300


def _busts() -> Iterator[str]:
    dice10k, farkle = _opened("dice10k")["bust_probability"], _opened("farkle")["bust_probability"]
    closed = next(row for row in table("farkle", "turn_values") if row["situation"] == "not opened")
    yield "## How often the best player busts"
    yield (
        f"The best turn of Dice 10k ends in a bust {percent(dice10k, 1)} of the time, that of Farkle {percent(farkle, 1)}. "
        f"Before the first bank of Farkle, which needs 500 points, it is {percent(closed['bust_probability'], 1)}: one turn in two brings nothing."
    )


def _lead() -> Iterator[str]:
    match = match_of("farkle")
    assert match is not None
    behind = match.win_probability(0, 9950).value
    banks = least_banks(match, 0, 9950)
    yield "## From 0 against 9,950"
    yield (
        f"In Farkle a player with nothing, to move against 9,950 points, still wins {one_in(behind)} matches. "
        f"With one die left it is right to roll it again below {banks[0]:,} points."
    )


def _spicy() -> Iterator[str]:
    plain, spicy = (_opened(game)["expected_points"] for game in ("farkle", "farkle-spicy"))
    win = table("farkle-spicy", "turn_values")[-1]["instant_win_probability"]
    yield "## What spicy dice add"
    yield (
        f"Six spicy faces raise the best turn of Farkle from {number(plain, 1)} to {number(spicy, 1)} points. "
        f"The instant win comes {one_in(win)} turns: it is a story to tell, not a plan."
    )
    faces = {
        face: costly.values(f"points:farkle-spicy:{key}")["value"]
        for face, key in ((1, "ones"), (2, "twos"), (5, "fives"))
    }
    best = max(faces, key=lambda face: faces[face])
    yield (
        f"If every die had the same spicy face, a spicy 1 would make it {number(faces[1], 1)} points, "
        f"a spicy 5 {number(faces[5], 1)} and a spicy 2 {number(faces[2], 1)}: of the three, wish for the {best}."
    )
