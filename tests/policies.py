"""Random policies, and situations for them to decide."""

from __future__ import annotations

from hypothesis import strategies as st

from dice10k_math.policy import (
    GOAL,
    NEVER,
    Case,
    ComputerPolicy,
    Condition,
    KeepWorths,
    Optimum,
    Places,
    Policy,
    Reach,
    RollCounts,
    ThresholdPolicy,
    Thresholds,
)
from dice10k_math.policy.cases import SUBJECTS
from dice10k_math.policy.keeping import KEEP_KINDS, KeepKind
from dice10k_math.policy.model import GOALS

POINTS = st.integers(0, 60).map(lambda steps: 50 * steps)
BOLD = st.integers(-300, 600)
AMOUNTS = POINTS | st.sampled_from([NEVER, GOAL])


@st.composite
def by_dice(draw: st.DrawFn, amounts: st.SearchStrategy[int]) -> tuple[tuple[int, int], ...]:
    found = draw(st.dictionaries(st.integers(1, 6), amounts, max_size=4))
    return tuple(sorted(found.items(), reverse=True))


@st.composite
def thresholds(draw: st.DrawFn) -> Thresholds:
    return Thresholds(draw(POINTS | st.just(GOAL)), draw(by_dice(AMOUNTS)))


PERCENT = st.tuples(*[st.integers(0, 100)] * 6)
WORTHS = st.integers(0, 10_000)


@st.composite
def places(draw: st.DrawFn) -> Places:
    lefts = draw(st.lists(st.integers(-40, 200).map(lambda steps: 50 * steps), min_size=1, max_size=5, unique=True))
    rows = [Reach(left, draw(WORTHS), draw(PERCENT), draw(PERCENT)) for left in sorted(lefts)]
    between = draw(st.just(()) | PERCENT)
    return Places(100, (10_000, *draw(st.lists(WORTHS, max_size=20))), tuple(rows), between=between)


@st.composite
def by_places(draw: st.DrawFn) -> ThresholdPolicy:
    """Keep by places within some distance; only where a target must be hit."""
    within = Condition("to_go", at_least=False, points=draw(POINTS))
    near = Case((within,), Thresholds(0), draw(BOLD), draw(places()))
    return ThresholdPolicy(Thresholds(0), draw(SIX_COUNTS | places()), (near,), end="win")


@st.composite
def cases(draw: st.DrawFn, *, bolder: bool) -> Case:
    conditions = st.builds(
        Condition, st.sampled_from(SUBJECTS), at_least=st.booleans(), points=st.integers(-3000, 15_000)
    )
    keep = draw(st.none() | KEEPS | SIX_COUNTS)
    bold = draw(BOLD) if isinstance(keep, RollCounts) or (keep is None and bolder) else 0
    take, leave = draw(st.none() | by_dice(POINTS)), draw(st.none() | PERCENT)
    return Case(tuple(draw(st.lists(conditions, min_size=1, max_size=3))), draw(thresholds()), bold, keep, take, leave)


KEEPS: st.SearchStrategy[KeepKind | KeepWorths] = st.sampled_from(KEEP_KINDS) | st.builds(
    KeepWorths, st.tuples(*[st.integers(-500, 900)] * 6), st.integers(0, 100)
)


SIX_COUNTS = st.builds(
    RollCounts,
    st.tuples(*[st.integers(-200, 900)] * 6),
    st.tuples(*[st.integers(0, 100)] * 6),
    st.integers(0, 100) | st.tuples(*[st.integers(-50, 200)] * 6),
)


@st.composite
def threshold_policies(draw: st.DrawFn) -> ThresholdPolicy:
    end = draw(st.sampled_from(["plain", "win"]))
    keep = draw(KEEPS | SIX_COUNTS)
    reach = draw(by_dice(st.integers(-3000, 3000))) if end == "win" else ()
    return ThresholdPolicy(
        draw(thresholds()),
        keep,
        tuple(draw(st.lists(cases(bolder=isinstance(keep, RollCounts)), max_size=3))),
        end=end,  # type: ignore[arg-type] # one of the two words
        lead=draw(st.none() | POINTS) if end == "win" else None,
        reach=reach,
        far=draw(by_dice(POINTS)) if reach else (),
        take=draw(by_dice(POINTS)),
        leave=draw(st.just(()) | PERCENT),
    )


computers = st.builds(ComputerPolicy, base=POINTS, step=POINTS, most=POINTS, two=POINTS, hot=st.integers(0, 3))
policies: st.SearchStrategy[Policy] = threshold_policies() | computers | st.builds(Optimum, st.sampled_from(GOALS))
