"""The lesson: text and code, in order. `notebook` runs the code and writes the notebook and the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """Text in Markdown."""

    text: str


@dataclass(frozen=True)
class Code:
    """Python statements; only the last may be an expression that is shown."""

    text: str


LESSON: tuple[Words | Code, ...] = (
    Words(
        """
# From rolls to winning

A lesson in eight steps, each with the smallest game that shows its idea.
Every step is done twice: with a few lines of plain Python, and by asking the library.
"""
    ),
    Words(
        """
## 1. Count

A game is data. Ours has two dice; a 1 pays 100 points, a 5 pays 50, nothing else pays.
"""
    ),
    Code(
        '''
from fractions import Fraction
from itertools import product

import dice10k_math as d10

GAME = """
[ruleset]
name = "two-dice"
title = "Two dice"
players = [2, 2]
source = "a lesson"
[scoring]
singles = { 1 = 100, 5 = 50 }
[turn]
dice = 2
[ending]
kind = "first_to_target"
target = 300
"""
rules = d10.parse_rules(GAME)
PAYS = {1: 100, 5: 50}
'''
    ),
    Words("A roll is a bust if no die pays. There are 36 equally likely rolls; count them."),
    Code(
        """
rolls = list(product(range(1, 7), repeat=2))
busts = [roll for roll in rolls if not any(face in PAYS for face in roll)]
print(len(busts), "of", len(rolls))
print(Fraction(len(busts), len(rolls)), d10.bust_odds(rules, dice=2))
"""
    ),
    Words(
        """
## 2. Weigh

A probability is a count divided by a count, so keep the counts and divide once, at the end.
The best score of each roll, with how many rolls have it:
"""
    ),
    Code(
        """
from collections import Counter

best = Counter(sum(PAYS.get(face, 0) for face in roll) for roll in rolls)
print(sorted(best.items()))
print(d10.score_counts(rules, dice=2) == best)
print(sum(points * count for points, count in best.items()) / Fraction(36), d10.mean_best_score(rules, dice=2))
"""
    ),
    Words(
        """
## 3. Choose

After a roll the player keeps some dice that pay, and then banks or rolls the others.
When both dice have paid, both are rolled again if the player rolls on.

What follows depends on two things only: the turn score `t`, and how many dice `n` will be rolled.
Let `V(t, n)` be the expected final turn score when about to roll. Then

```text
V(t, n) = mean over all rolls of n dice of  max over keeps of  max( t + p, V(t + p, n') )
```

where a keep pays `p` points and leaves `n'` dice, and a bust is worth 0.
Every keep pays something, so `t` grows: there is no circle, and plain recursion ends as soon as we know where banking is best for ever.
Beyond 1,000 points it is, as two dice cannot make up for what they risk.
"""
    ),
    Code(
        """
from functools import cache
from itertools import combinations


def keeps(roll):
    paying = [face for face in roll if face in PAYS]
    return {kept for size in range(1, len(paying) + 1) for kept in combinations(sorted(paying), size)}


@cache
def value(t, n):
    if t > 1000:
        return Fraction(0)
    total = Fraction(0)
    for roll in product(range(1, 7), repeat=n):
        worths = [0]
        for kept in keeps(roll):
            after, left = t + sum(PAYS[face] for face in kept), n - len(kept) or 2
            worths += [after, value(after, left)]
        total += max(worths)
    return total / 6**n


turn = d10.solve_turn(rules)
print(float(value(0, 2)))
print(value(0, 2) == turn.exact)
"""
    ),
    Words("The same fraction, to the last digit. When is banking best? Compare the two sides of the inner maximum."),
    Code(
        """
for n in (1, 2):
    first = next(t for t in range(50, 1000, 50) if t >= value(t, n))
    print(n, "dice: bank from", first, "| library:", turn.bank_from(n))
"""
    ),
    Words(
        """
## 4. The operator

The sum and the maxima are one *operator*: given what every ending of a turn is worth, it returns what the turn is worth.
For the most points, banking `t` is worth `t`. For another question only the endings change.
How likely is it to bank at least 200 points in one turn? Banking `t` is worth 1 if `t >= 200`, else 0.
"""
    ),
    Code(
        """
def operator(bank, bust=0):
    @cache
    def worth(t, n):
        if t > 1000:
            return 0
        total = 0
        for roll in product(range(1, 7), repeat=n):
            worths = []
            for kept in keeps(roll):
                after, left = t + sum(PAYS[face] for face in kept), n - len(kept) or 2
                worths += [bank(after), worth(after, left)]
            total += max(worths, default=bust)
        return Fraction(total) / 6**n if isinstance(total, (int, Fraction)) else total / 6**n

    return worth(0, 2)


print(operator(lambda t: t) == turn.exact)
print(operator(lambda t: int(t >= 200)))
print(d10.solve_turn(rules, worth=d10.at_least(200)).exact)
"""
    ),
    Words(
        """
## 5. Turns in a row

Alone, how many turns does it take to reach 300 points? Let `E(s)` be the fewest expected turns from score `s`.
One turn costs 1; banking `t` leads to `E(s + t)`, and a bust back to `E(s)` itself:

```text
E(s) = 1 + operator( bank(t) = E(s + t), bust = E(s) )
```

Now there is a circle, through the bust, so `E(s)` stands on both sides. Start anywhere and apply the operator again and again.
(The operator maximises, so give it the turns with a minus sign.)
"""
    ),
    Code(
        """
def expected_turns(rounds):
    turns = {}
    for s in range(250, -1, -50):
        turns[s] = 1.0
        for _ in range(rounds):
            turns[s] = 1 - operator(lambda t: -turns.get(s + t, 0.0), bust=-turns[s])
    return turns[0]


for rounds in (1, 2, 5, 10, 40):
    print(rounds, round(expected_turns(rounds), 9))
print("library:", round(d10.solve_solo(rules).expected_turns(0).value, 9))
"""
    ),
    Words(
        """
Nothing here is discounted: what lets the rounds settle is that a bust is not certain.
That two rounds differ little says nothing about how far the limit is; the library therefore proves bounds in another way (step 8).

## 6. Two players

Let `w(a, b)` be the win probability of the player to move with `a` points against `b`.
After the turn the other player moves, and what he wins the first one loses:

```text
w(a, b) = operator( bank(t) = 1 - w(b, a + t), bust = 1 - w(b, a) )
```

with a bank that reaches the target worth 1. A bank raises the sum of the scores, a bust leaves it.
So take the pairs in falling order of the sum, and only `w(a, b)` and `w(b, a)` form a circle.
"""
    ),
    Code(
        """
def win_probabilities(target=300, rounds=40):
    scores = range(0, target, 50)
    w = {}
    for a, b in sorted(product(scores, scores), key=sum, reverse=True):
        if (a, b) in w:
            continue
        w[a, b] = w[b, a] = 0.5
        for _ in range(rounds):
            for own, other in ((a, b), (b, a)):
                w[own, other] = operator(
                    lambda t: 1.0 if own + t >= target else 1 - w[other, own + t], bust=1 - w[other, own]
                )
    return w


w = win_probabilities()
match = d10.solve_match(rules)
for a, b in ((0, 0), (200, 0), (0, 200), (250, 250)):
    print(a, b, round(w[a, b], 9), round(match.win_probability(a, b).value, 9))
"""
    ),
    Words("The first player wins more than half: to begin is an advantage. All pairs agree:"),
    Code(
        """
print(max(abs(w[a, b] - match.win_probability(a, b).value) for a, b in w) < 1e-9)
"""
    ),
    Words(
        """
## 7. Winning is not the same as scoring

With 100 points on the table and one die left, is it better to bank or to roll?
For the most points the answer is always the same; to win, it depends on the scores.
"""
    ),
    Code(
        """
print("points:", turn.advise(turn_score=0, roll=(1, 2))[0].then)
for a, b in ((0, 0), (0, 250), (200, 0)):
    choice = match.advise(a, b, turn_score=0, roll=(1, 2))[0]
    print(a, b, choice.then, round(choice.win_probability, 4))
"""
    ),
    Words(
        """
## 8. Prove it

Iterating gives numbers that have settled. Why believe them?
Take any table `u` that claims to be a lower bound for the player to move, and any table `v` for the player who waits.
Apply the operator once. If what comes out is nowhere below what went in, by more than a little for every turn played,
then playing as the operator chooses guarantees `u`: no trust in whoever made the tables is needed.
That is a certificate. The library's judge does this with every rounding turned against the claim, and the bounds it accepts stand beside every win probability.
"""
    ),
    Code(
        """
found = match.win_probability(0, 0)
print(found.lower <= w[0, 0] <= found.upper)
print(found.upper - found.lower < 1e-9)
"""
    ),
    Words(
        """
Lower one entry of a true table and it is still a lower bound; raise one by a hair too much, and one application of the operator tells:
"""
    ),
    Code(
        """
def holds(table, a, b, target=300):
    once = operator(lambda t: 1.0 if a + t >= target else 1 - table[b, a + t], bust=1 - table[b, a])
    return once >= table[a, b] - 1e-9


print(holds(w, 0, 0))
print(holds({**w, (0, 0): w[0, 0] + 0.01}, 0, 0))
"""
    ),
    Words(
        """
The games that people play have six dice and thousands of scores, and some let scores fall; the ideas are these eight.
The library counts rolls in classes, compiles the operator, and solves the circles by Newton's method, but asks the same questions.
"""
    ),
)
