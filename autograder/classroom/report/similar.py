"""Which submissions of a class are nearly the same, beyond what the template gives and what many wrote.

Code is read as tokens: comments and layout count for nothing, and a name is a name, so that renaming hides nothing.
Runs of tokens are looked up in an index, so that only students who share rare ones are compared, not all with all.
A finding is a reason to look, not a verdict.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: So many tokens make a run.
RUN = 8
#: Runs that more than this share of the class wrote say nothing (in a small class: that more than FEW wrote).
SHARE = 0.2
FEW = 3
#: A pair is told when both wrote at least this many runs that few wrote, and this share of them is common to both.
LEAST_RUNS = 40
ALIKE = 0.7
#: Of those who share a run, so many at most are compared with all of the others; the rest are joined through them.
MOST_PARTNERS = 12
#: Of one student's code, so much is read.
MOST_CHARS = 100_000

# Quotes that are never closed end with the line or the text, so that reading takes one pass whatever was written.
TOKEN = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*|\\\n)
    |(?P<text>[rRbBuUfF]{0,2}(?:\"\"\".*?(?:\"\"\"|\Z)|\'\'\'.*?(?:\'\'\'|\Z)
        |"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))
    |(?P<number>\d[\w.]*|\.\d[\w.]*)
    |(?P<name>[^\W\d]\w*)
    |(?P<other>\*\*=?|//=?|[-+*/%@&|^<>=!:]=|->|.)""",
    re.VERBOSE | re.DOTALL,
)


def tokens(source: str, known: frozenset[str] = frozenset()) -> list[str]:
    """The code as tokens: names that are not `known` are all the same, and so are texts.

    >>> tokens("total = g * 2  # mine")
    ['a', '=', 'a', '*', '2']
    """
    found = []
    for match in TOKEN.finditer(source[:MOST_CHARS]):
        sort, text = match.lastgroup, match.group()
        if sort == "name":
            found.append(text if keyword.iskeyword(text) or text in known else "a")
        elif sort == "text":
            found.append('""')
        elif sort != "skip":
            found.append(text)
    return found


def runs(pieces: Iterable[str], known: frozenset[str] = frozenset()) -> set[int]:
    """The runs of tokens in some pieces of code, as numbers."""
    found: set[int] = set()
    for piece in pieces:
        read = tokens(piece, known)
        found.update(hash(tuple(read[i : i + RUN])) for i in range(len(read) - RUN + 1))
    return found


@dataclass(frozen=True)
class Group:
    """Students whose submissions are nearly the same."""

    students: tuple[str, ...]
    #: the share of runs that its closest pair has in common, and how many these are
    alike: float
    common: int


def near_identical(submissions: Mapping[str, Sequence[str]], template: Sequence[str] = ()) -> list[Group]:
    """The groups of a class, those that have most in common first.

    `submissions` maps each student to the code that they wrote, `template` is what all began with.
    """
    known = frozenset(re.findall(r"[^\W\d]\w*", "\n".join(template)))
    given = runs(template, known)
    wrote: dict[str, set[int]] = {}
    for student, pieces in submissions.items():
        left, kept = MOST_CHARS, []
        for piece in pieces:
            kept.append(piece[:left])
            left -= len(kept[-1])
        wrote[student] = runs(kept, known) - given
    holders = Counter(run for found in wrote.values() for run in found)
    many = max(FEW, int(SHARE * len(wrote)))
    rare = {student: {run for run in found if 1 <= holders[run] <= many} for student, found in wrote.items()}
    rare = {student: found for student, found in rare.items() if len(found) >= LEAST_RUNS}

    pairs: dict[tuple[str, str], tuple[float, int]] = {}
    for one, other in _candidates(rare):
        common = len(rare[one] & rare[other])
        share = common / (len(rare[one]) + len(rare[other]) - common)
        if common >= LEAST_RUNS and share >= ALIKE:
            pairs[one, other] = share, common
    groups = []
    for group in _joined(pairs):
        share, common = max(found for pair, found in pairs.items() if pair[0] in group)
        groups.append(Group(tuple(sorted(group)), share, common))
    return sorted(groups, key=lambda group: (-group.alike * group.common, group.students))


def _candidates(rare: Mapping[str, set[int]]) -> Iterable[tuple[str, str]]:
    """The pairs that meet often enough in the index to be compared."""
    index: dict[int, list[str]] = defaultdict(list)
    for student in sorted(rare):
        for run in rare[student]:
            index[run].append(student)
    met: Counter[tuple[str, str]] = Counter()
    for students in index.values():
        for i, one in enumerate(students[:MOST_PARTNERS]):
            met.update((one, other) for other in students[i + 1 :])
    return [pair for pair, count in met.items() if count >= LEAST_RUNS // 2]


def _joined(pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """The groups that pairs make when each knows the others through one it knows."""
    group_of: dict[str, set[str]] = {}
    for one, other in pairs:
        ours, theirs = group_of.get(one, {one}), group_of.get(other, {other})
        both = ours | theirs
        for student in both:
            group_of[student] = both
    found: list[set[str]] = []
    seen: set[int] = set()
    for group in group_of.values():
        if id(group) not in seen:
            seen.add(id(group))
            found.append(group)
    return found
