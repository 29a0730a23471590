"""The page of results of one game."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from math import ceil, floor, log10

from docs.generator import costly
from docs.generator.changes import CHANGES, Change
from docs.generator.pictures import pictures_of
from docs.generator.text import (
    MADE,
    SAME_TURNS,
    SPACE,
    Rows,
    grid,
    identifier,
    match_of,
    number,
    one_in,
    page,
    percent,
    picture,
    rules_of,
    signed,
    table,
)

Run = tuple[int, int | None]


def game_page(game: str) -> str:
    """Return the page of a game."""
    rules = rules_of(game)
    return page(
        MADE,
        f"# {rules.title}: results",
        f"The rules are on [the page of the game](../rules/{game}.md). "
        "Two play in every match below, and both play to win. "
        "What is exact is shown rounded; what is not is proved to more digits than are shown.",
        *odds(game),
        *best_turn(game),
        *banks(game),
        *winning(game),
        *how_long(game),
        *peculiarities(game),
        *citing(game),
    )


def _fraction(row: dict[str, str], name: str) -> Fraction:
    return Fraction(int(row[f"{name}_numerator"]), int(row[f"{name}_denominator"]))


def odds(game: str) -> list[str]:
    """Return the section about one roll."""
    rows = table(game, "odds")
    heads = ["dice rolled", "bust", "", "hot dice", "mean best score (points)"]
    if rules_of(game).variants.spicy_faces is not None:
        return [
            "## One roll",
            _spicy_note(rows),
            grid([heads[0], "hands", heads[1], heads[3], heads[4]], _ranges(rows)),
        ]
    cells = [
        [
            str(row["dice"]),
            f"{_fraction(row, 'bust_probability')} = {percent(row['bust_probability'])}",
            one_in(row["bust_probability"]),
            percent(row["hot_dice_probability"], 3),
            number(row["mean_best_score"], 3),
        ]
        for row in rows
    ]
    return ["## One roll", grid(heads, cells)]


def _spicy_note(rows: Rows) -> str:
    return (
        f"The six dice are told apart by their spicy faces, so there are {len(rows)} different hands. "
        "A bust depends on their number alone; hot dice and points are given from the least hand to the greatest. "
        "The table `odds` has each of them."
    )


def _ranges(rows: Rows) -> list[list[str]]:
    found = []
    for dice, group in groupby(rows, key=lambda row: row["dice"]):
        hands = list(group)
        busts = {_fraction(row, "bust_probability") for row in hands}
        assert len(busts) == 1
        found.append([str(dice), str(len(hands)), percent(busts.pop()), *(_span(hands, *of) for of in _SPANS)])
    return found


_SPANS = (("hot_dice_probability", 100, 3, f"{SPACE}%"), ("mean_best_score", 1, 3, ""))


def _span(hands: Rows, name: str, factor: int, places: int, unit: str) -> str:
    low, high = (f"{factor * side(row[name] for row in hands):,.{places}f}" for side in (min, max))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def best_turn(game: str) -> list[str]:
    """Return the section about the turn with the most expected points."""
    of = SAME_TURNS.get(game, game)
    heads = ["situation", "expected points", "any bust", "bust on six dice"]
    rows = {row["situation"]: row for row in table(game, "turn_values")}.values()
    cells = [
        [
            row["situation"],
            number(row["expected_points"], 4),
            percent(row["bust_probability"]),
            percent(row["bust_on_six_probability"]),
            *([percent(row["instant_win_probability"], 4)] if rules_of(game).variants.spicy_faces else []),
        ]
        for row in rows
    ]
    heads += ["six spicy dice at once"] if rules_of(game).variants.spicy_faces else []
    notes = ["The turn that gains the most points on average, where nothing but points counts."]
    if rules_of(game).bust.on_six:
        notes.append("The points are the expected change of the score: the penalties are taken off.")
    if rules_of(game).variants.high_stakes:
        notes.append(f"A turn from nothing is that of [{of}]({of}.md): a turn that is taken over is another matter.")
    shown = [
        picture(of, "turn", f"Probability of a bust and of every turn score banked, {of}"),
        picture(of, "dice", f"Gain from rolling on by turn score and dice left, {of}"),
    ]
    return ["## The best turn", " ".join(notes), grid(heads, cells), *shown]


def banks(game: str) -> list[str]:
    """Return the section about when to bank for the most points."""
    rules = rules_of(game)
    if rules.variants.spicy_faces is not None:
        return ["## When to bank, for points", *_spicy_banks(game)]
    rows = table(game, "bank")
    parts = [
        "## When to bank, for points",
        "Roll again below; a gap means that other turn scores in between are rolled again.",
    ]
    for situation, group in groupby(rows, key=lambda row: row["situation"]):
        runs = list(group)
        counts = sorted({row["hot_dice"] for row in runs})
        dice = range(1, rules.turn.dice + 1)
        heads = [*(["hot dice so far"] if len(counts) > 1 else []), *(_left(game, number) for number in dice)]
        cells = [
            [*([str(count)] if len(counts) > 1 else []), *(_runs(game, runs, number, count) for number in dice)]
            for count in counts
        ]
        parts += [
            f"**{situation[0].upper()}{situation[1:]}**: bank from this turn score on, by dice left.",
            grid(heads, cells),
        ]
    return parts


def _left(game: str, dice: int) -> str:
    if dice == rules_of(game).turn.dice:
        return "all (hot dice)"
    return "1 die" if dice == 1 else f"{dice} dice"


def _runs(game: str, rows: Rows, dice: int, hot_dice: int) -> str:
    runs: list[Run] = [
        (row["bank_from"], row["bank_to"]) for row in rows if (row["dice"], row["hot_dice"]) == (dice, hot_dice)
    ]
    if not runs:
        rules = rules_of(game)
        forced = dice == rules.turn.dice and rules.turn.hot_dice == "must_roll"
        return "must roll" if forced else "–"
    return ", ".join(_run(*run) for run in runs)


def _run(first: int, last: int | None) -> str:
    if last is None:
        return f"{first:,}"
    return f"only {first:,}" if first == last else f"{first:,} to {last:,}"


def _spicy_banks(game: str) -> list[str]:
    heads = ["dice left", "hands", "bank from, least hand", "greatest hand"]
    parts = ["Which dice are left matters, not only how many; the table `bank` has each hand."]
    for situation, group in groupby(table(game, "bank"), key=lambda row: row["situation"]):
        firsts: dict[int, dict[str, int]] = {}
        for row in group:
            hands = firsts.setdefault(row["dice"], {})
            hands[row["hand"]] = min(row["bank_from"], hands.get(row["hand"], row["bank_from"]))
        cells = [
            [_left(game, dice), str(len(hands)), number(min(hands.values())), number(max(hands.values()))]
            for dice, hands in sorted(firsts.items())
        ]
        parts += [f"**{situation[0].upper()}{situation[1:]}**", grid(heads, cells)]
    return parts


SOLVED_ASIDE = ("dice10k", "farkle-spicy")
"""Games whose matches are solved for these pages, but not kept as tables with all scores."""
SIDES = (0, 2000, 4000, 6000, 8000, 9500)


def winning(game: str) -> list[str]:
    """Return the section about win probabilities."""
    match = match_of(game)
    if match is None:
        return ["## Winning", *_winning_untabled(game)]
    first = match.win_probability().value
    equal = rules_of(game).ending.kind == "equal_turns"
    parts = [
        "## Winning",
        f"The player who has the first turn wins {percent(first, 4)} of the matches: "
        f"{'an advantage' if first > 0.5 else 'a disadvantage'} of {percent(abs(2 * first - 1), 3)} over the other.",
    ]
    sides = [side for side in SIDES if side < rules_of(game).ending.target]
    round_ = ", who has the first turn of the round" if equal else ""
    parts.append(f"Win probability of the player to move{round_}, by own score (rows) and the opponent's (columns):")
    cells = [[f"**{own:,}**", *(percent(match.win_probability(own, other).value) for other in sides)] for own in sides]
    parts.append(grid(["", *(f"{other:,}" for other in sides)], cells))
    parts.append(picture(game, "win", f"Win probability over both scores, {game}"))
    if "bank" in pictures_of(game):
        parts.append(picture(game, "bank", f"The least turn score to bank over both scores, {game}"))
    return parts


def _apart(lower: float, upper: float) -> tuple[str, str]:
    """Return bounds in percent, rounded away from each other, to the first digit in which they differ by a few."""
    digits = max(2, floor(-log10(upper - lower)) - 1)
    scale = 10**digits
    return percent(floor(100 * lower * scale) / scale / 100, digits), percent(
        ceil(100 * upper * scale) / scale / 100, digits
    )


def _winning_untabled(game: str) -> list[str]:
    found = costly.found(f"win:{game}") if game in SOLVED_ASIDE else None
    if found is None:
        return ["Matches of this game are not in the tables."]
    first = found["value"]
    low, high = _apart(found["lower"], found["upper"])
    return [
        f"The player who has the first turn wins {percent(first, 3)} of the matches, proved to lie between {low} and {high}: "
        f"an advantage of {percent(2 * first - 1, 2)} over the other."
    ]


def how_long(game: str) -> list[str]:
    """Return the section about the length of the game."""
    parts = ["## How long it takes"]
    if rules_of(game).variants.spicy_faces is not None:
        found = costly.found(f"turns:{game}") if game in SOLVED_ASIDE else None
        if found is None:
            return [*parts, "Games with spicy dice are not in the table `solo`."]
        turns = number(found["value"], 4)
        return [*parts, f"Alone, the target can be reached in {turns} turns on average, and no play does better."]
    start = next(row for row in table(game, "solo") if (row["score"], row["opened"], row["busts"]) == (0, False, 0))
    parts.append(
        f"Alone, the target can be reached in {number(start['expected_turns'], 4)} turns on average, and no play does better. "
        f"It can be reached within 10 turns with probability {percent(start['within_10'])}, "
        f"within 15 with {percent(start['within_15'])}, within 20 with {percent(start['within_20'])}."
    )
    if game in costly.LENGTHS:
        found = costly.values(f"length:{game}")
        more = " Extra rounds after a tie are not counted." if rules_of(game).ending.tie == "extra_rounds" else ""
        parts.append(
            f"A match of two lasts {number(found['mean'], 2)} turns on average, both players together; "
            f"half of the matches are over after {number(found['median'])} turns, 95{SPACE}% after {number(found['late'])}.{more}"
        )
        parts.append(picture(game, "length", f"How many turns a match lasts, {game}"))
    return parts


def peculiarities(game: str) -> list[str]:
    """Return the section about what each peculiarity does."""
    changes = CHANGES.get(game, ())
    if not changes:
        return [
            "## What the peculiarities do",
            f"For turns from nothing: as in [{SAME_TURNS[game]}]({SAME_TURNS[game]}.md).",
        ]
    spicy = rules_of(game).variants.spicy_faces is not None
    heads = ["the rule", "instead", "points a turn", "turns to the target", "first player wins"]
    cells = [_change_cells(game, change, spicy) for change in changes]
    if spicy:
        heads, cells = heads[:3], [cell[:3] for cell in cells]
    return [
        "## What the peculiarities do",
        "What each rule changes: the number of this game less that of the same game with the one rule changed. "
        "The numbers are the expected points of the best turn of a player who has opened"
        + (
            "."
            if spicy
            else ", the fewest expected turns to the target alone, "
            "and the first player's win probability in percentage points."
        ),
        grid(heads, cells, left=2),
        "" if spicy else _most_and_least(game),
    ]


def _points(game: str, change: Change) -> float:
    """Return what a peculiarity adds to the best turn, in points."""
    return costly.values(f"points:{game}")["value"] - costly.values(f"points:{game}:{change.key}")["value"]


def _most_and_least(game: str) -> str:
    changes = sorted(CHANGES[game], key=lambda change: _points(game, change))
    least, most = changes[0], changes[-1]
    words = []
    if _points(game, most) > 0.005:
        words.append(f'Most points come from "{most.what}": {signed(_points(game, most))} a turn.')
    if _points(game, least) < -0.005:
        words.append(f'Most points go by "{least.what}": {signed(_points(game, least))} a turn.')
    return "\n".join(words)


def _change_cells(game: str, change: Change, spicy: bool) -> list[str]:
    cells = [change.what, change.instead, signed(_points(game, change), 2)]
    if spicy:
        return cells
    turns = costly.values(f"turns:{game}")["value"] - costly.values(f"turns:{game}:{change.key}")["value"]
    cells.append(signed(turns, 3))
    there = costly.found(f"win:{game}:{change.key}") if change.match else None
    here = _first_wins(game)
    if there is None or here is None:
        return [*cells, "not computed"]
    # What the bounds leave open, rounded up, where it can be seen in the last digit.
    doubt = ceil(1e5 * sum(side["upper"] - side["lower"] for side in (here, there)) / 2) / 1000
    shown = signed(100 * (here["value"] - there["value"]), 3)
    return [*cells, shown if doubt <= 0.001 else f"{shown} ± {doubt:.3f}"]


def _first_wins(game: str) -> costly.Values | None:
    match = match_of(game)
    if match is not None:
        found = match.win_probability()
        return {"value": found.value, "lower": found.lower, "upper": found.upper}
    return costly.found(f"win:{game}") if game in SOLVED_ASIDE else None


def first_wins(game: str) -> float | None:
    """Return the first player's win probability; None: it is not known."""
    found = _first_wins(game)
    return None if found is None else found["value"]


def citing(game: str) -> list[str]:
    """Return the section with the identifiers of the main numbers."""
    rows = [["a bust on six dice", identifier(game, "bust")]]
    if rules_of(game).variants.spicy_faces is None:
        rows.append(["the fewest expected turns", identifier(game, "solo")])
    if match_of(game) is not None:
        rows.append(["the first player's win probability", identifier(game, "match")])
    return [
        "## Citing",
        "`dice10k-math lookup` finds the number of an identifier again; see [how to cite a number](../citing.md).",
        grid(["number", "identifier"], rows, left=2),
    ]
