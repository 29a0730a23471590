"""Random inputs: rulesets over the whole schema, and texts that are mostly no rules files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from dice10k_math.rules import (
    BustRules,
    BustsInARow,
    Ending,
    FiveStraights,
    FlatSets,
    MultipliedSets,
    Ruleset,
    Scoring,
    SixDicePenalty,
    TurnRules,
    Variants,
    builtin_rulesets,
    dump_rules,
    load_rules,
    point_step,
    score_step,
)

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,20}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=30)
STEPS = st.sampled_from((1, 5, 10, 25, 50, 100))
LARGEST_MINIMUM = 1_000
NO_POINTS = (0, 0, 0, 0, 0, 0)
FACES = st.integers(1, 6)


def points_by_face(points: dict[int, int], step: int) -> tuple[int, int, int, int, int, int]:
    """Return a table of points with those of the faces named, in multiples of the step."""
    one, two, three, four, five, six = (points.get(face, 0) * step for face in range(1, 7))
    return one, two, three, four, five, six


@st.composite
def larger_sets(draw: st.DrawFn, step: int) -> MultipliedSets | FlatSets:
    """Draw larger sets that never pay less for one die more of them."""
    four, five, six = sorted(draw(st.lists(st.integers(1, 20), min_size=3, max_size=3)))
    if draw(st.booleans()):
        return MultipliedSets((four, five, six))
    return FlatSets((four * 10 * step, five * 10 * step, six * 10 * step))


@st.composite
def singles_and_triples(draw: st.DrawFn, dice: int, step: int) -> dict[str, Any]:
    """Draw points for singles, for triples or for both, but singles where dice are too few for sets."""
    singles = points_by_face(draw(st.dictionaries(FACES, st.integers(1, 4), min_size=1)), step)
    triples = points_by_face(draw(st.dictionaries(FACES, st.integers(1, 40), min_size=1)), step)
    both = {"singles": singles, "triples": triples}
    only_triples = [{"singles": NO_POINTS, "triples": triples}] if dice >= 3 else []
    only_singles: dict[str, Any] = {"singles": singles, "triples": NO_POINTS}
    return draw(st.sampled_from([both, both, only_singles, *only_triples]))


@st.composite
def scorings(draw: st.DrawFn, dice: int, step: int) -> Scoring:
    """Draw a scoring table for so many dice, in multiples of the step."""
    amount = st.integers(1, 60).map(lambda times: times * step)
    names = ("straight", "three_pairs", "four_and_pair", "two_triplets", "no_scoring_dice")
    combinations: dict[str, Any] = {name: draw(st.none() | amount) for name in names} if dice == 6 else {}
    straights = st.none() | st.builds(FiveStraights, amount, amount)
    simple = draw(singles_and_triples(dice, step))
    has_larger_sets = dice >= 4 and any(simple["triples"]) and draw(st.booleans())
    return Scoring(
        **simple,
        **combinations,
        larger_sets=draw(larger_sets(step)) if has_larger_sets else None,
        five_straights=draw(straights) if dice >= 5 else None,
        readings=draw(st.sampled_from(("highest", "player_chooses"))),
    )


@st.composite
def turns(draw: st.DrawFn, dice: int, step: int) -> TurnRules:
    """Draw the rules of a turn, without a bank multiple."""
    minimum = st.just(0) | st.integers(0, LARGEST_MINIMUM)
    return TurnRules(
        dice=dice,
        hot_dice=draw(st.sampled_from(("must_roll", "may_bank"))),
        hot_dice_bonus=draw(st.sampled_from((0, 1, 10))) * step,
        opening_minimum=draw(minimum),
        opening_applies=draw(st.sampled_from(("at_score_zero", "until_first_bank"))),
        bank_minimum=draw(minimum),
        bank_takes=draw(st.sampled_from(("keep", "all_scoring"))),
    )


@st.composite
def busts(draw: st.DrawFn, dice: int) -> BustRules:
    """Draw penalties, with rows by score only for six dice."""
    limits = sorted(draw(st.sets(st.integers(-10_000, 10_000), max_size=3))) if dice == 6 else []
    amounts = st.integers(1, 5_000)
    rows = tuple(SixDicePenalty(draw(amounts), below) for below in limits)
    last = (SixDicePenalty(draw(amounts)),) if rows or (dice == 6 and draw(st.booleans())) else ()
    in_a_row = draw(st.none() | st.builds(BustsInARow, st.integers(1, 5), amounts))
    return BustRules(rows + last, in_a_row)


def endings(target: int) -> st.SearchStrategy[Ending]:
    """Draw any ending with that target."""
    return st.sampled_from(
        (
            Ending("exact", target, overshoot="add_or_subtract"),
            Ending("exact", target, overshoot="not_allowed"),
            Ending("first_to_target", target),
            Ending("final_round", target),
            Ending("equal_turns", target, tie="shared"),
            Ending("equal_turns", target, tie="extra_rounds"),
        )
    )


@st.composite
def variants(draw: st.DrawFn, dice: int) -> Variants:
    """Draw spicy dice or plain ones, with High Stakes or without."""
    faces = st.lists(FACES, min_size=dice, max_size=dice).map(tuple)
    return Variants(draw(st.none() | faces), draw(st.booleans()))


@st.composite
def rulesets(draw: st.DrawFn) -> Ruleset:
    """Draw any valid ruleset, varied over the whole schema."""
    dice = draw(st.sampled_from((6, 6, 6, 5, 4, 3, 2, 1)))
    step = draw(STEPS)
    most = draw(st.integers(2, 8))
    rules = Ruleset(
        name=draw(NAMES),
        title=draw(TEXTS.filter(str.strip)),
        players=(draw(st.integers(1, most)), most),
        source=draw(TEXTS),
        scoring=draw(scorings(dice, step)),
        turn=draw(turns(dice, step)),
        bust=draw(busts(dice)),
        ending=Ending("first_to_target", LARGEST_MINIMUM),
        variants=draw(variants(dice)),
    )
    times = draw(st.none() | st.integers(1, 3))
    multiple = None if times is None else times * point_step(rules)
    rules = replace(rules, turn=replace(rules.turn, bank_multiple=multiple))
    # The target of "exact" must be one that scores can reach, and no target is below a minimum.
    least = -(-LARGEST_MINIMUM // score_step(rules))
    target = draw(st.integers(least, least + 20)) * score_step(rules)
    rules = replace(rules, ending=draw(endings(target)))
    return draw(st.just(rules) | near_the_target(rules))


def near_the_target(rules: Ruleset) -> st.SearchStrategy[Ruleset]:
    """Draw minimums from some steps below the target up to the target itself."""
    target = rules.ending.target
    minimum = (
        st.integers(0, 4).map(lambda times: target - times * point_step(rules) // 2).map(lambda found: max(found, 0))
    )
    return st.builds(
        lambda opening, bank: replace(rules, turn=replace(rules.turn, opening_minimum=opening, bank_minimum=bank)),
        minimum,
        minimum,
    )


FIELD_NAMES = st.sampled_from(
    [
        "ruleset",
        "scoring",
        "turn",
        "bust",
        "ending",
        "variants",
        "name",
        "title",
        "players",
        "source",
        "singles",
        "triples",
        "larger_sets",
        "multiply_triple",
        "points",
        "straight",
        "three_pairs",
        "four_and_pair",
        "two_triplets",
        "no_scoring_dice",
        "five_straights",
        "low",
        "high",
        "readings",
        "dice",
        "hot_dice",
        "hot_dice_bonus",
        "opening_minimum",
        "opening_applies",
        "bank_minimum",
        "bank_multiple",
        "bank_takes",
        "on_six",
        "below",
        "penalty",
        "in_a_row",
        "busts",
        "kind",
        "target",
        "overshoot",
        "tie",
        "spicy_faces",
        "high_stakes",
        "1",
        "5",
        "7",
    ]
)
WORDS = st.sampled_from(
    [
        '"exact"',
        '"first_to_target"',
        '"final_round"',
        '"equal_turns"',
        '"shared"',
        '"extra_rounds"',
        '"must_roll"',
        '"may_bank"',
        '"keep"',
        '"x"',
        '""',
    ]
)
SCALARS = st.one_of(
    st.integers(-10, 10).map(str),
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(str),
    WORDS,
    st.sampled_from(("true", "false", "1979-05-27", "0xFFFFFFFFFFFFFFFFFFFF", "100", "50")),
)


def _inline(pairs: list[tuple[str, str]]) -> str:
    return "{ " + ", ".join(f"{key} = {value}" for key, value in dict(pairs).items()) + " }"


#: Values in TOML, with any nesting.
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(FIELD_NAMES, inner), max_size=4).map(_inline),
    ),
    max_leaves=8,
)


@st.composite
def random_tables(draw: st.DrawFn) -> str:
    """Draw a TOML text with the words of rules files in random places."""
    tables = draw(st.lists(st.tuples(FIELD_NAMES, st.dictionaries(FIELD_NAMES, VALUES, max_size=5)), max_size=6))
    return "\n".join(
        f"[{name}]\n" + "\n".join(f"{key} = {value}" for key, value in fields.items())
        for name, fields in dict(tables).items()
    )


@st.composite
def mutated_rules(draw: st.DrawFn) -> str:
    """Draw the text of a built-in ruleset with some fields changed, doubled or dropped."""
    lines = dump_rules(load_rules(draw(st.sampled_from(builtin_rulesets())))).splitlines()
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(lines) - 1))
        key = lines[place].split(" = ")[0]
        changed = st.one_of(
            st.builds("{} = {}".format, st.just(key), VALUES),
            st.builds("{} = {}".format, FIELD_NAMES, VALUES),
            st.just(""),
            st.just("\n".join([lines[place]] * 2)),
            st.text(max_size=10),
        )
        lines[place] = draw(changed)
    return "\n".join(lines)


#: Texts of which few are rules files.
RULES_TEXTS = st.one_of(random_tables(), mutated_rules(), st.text(max_size=200))
