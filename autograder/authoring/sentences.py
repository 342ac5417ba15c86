"""What a learner is told whose answer does what a mutant does: the fault in words, as far as these give nothing away.

A sentence quotes single names that the exercise itself shows or that are NumPy's and Python's own, numbers and
operators; other names and whole expressions of the model answer are told by their kind, or not at all. Of mutants that
do the same, two are told, joined with "or"; of more, none.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence

from ..lesson.compare import numbers_in
from ..lesson.failures import FAILED
from ..lesson.locked import whole_digest
from ..lesson.probes import Call
from .fault_values import NAMES
from .source_text import Edit
from .trial import Ending

#: What is said where the fault's own words would show the model answer.
IN_GENERAL = {
    "dropped": "with a part left out",
    "sign": "with the opposite sign somewhere",
    "swapped": "with two things exchanged",
    "reduction": "with a sum, a mean or a maximum left out",
    "copy": "without a copy",
    "transpose": "with a transpose too many or too few",
    "branch": "with a condition that is always or never true",
    "state": "if it kept something from one call to the next",
}
#: A fault as a learner's own: "if it ...".
AS_IF = {
    "which does not look": "if it did not look",
    "which turns": "if it turned",
    "which uses": "if it used",
    "which keeps": "if it kept",
}
#: Names of arguments that stand in every text on NumPy.
KEYWORDS = {"axis", "keepdims", "dtype", "np", "math", "T", "shape", "ndim", "size", "copy"}
_QUOTED = re.compile(r"`([^`]*)`")
_NAME = re.compile(r"[A-Za-z_]\w*")
#: A name, with an attribute or as an argument is given; a number; an operator.
_SINGLE = re.compile(r"[\w.]+(=[\w.-]+)?|[^\w\s()]{1,2}=?|is not|not in")
_LEFT_OUT = re.compile(r"without the (factor|term|division|exponent)")


def said(edit: Edit, shown: str) -> str:
    """The words for a fault, in an exercise that shows this text; empty when there are none."""
    words = {*_NAME.findall(shown), *NAMES, *KEYWORDS, *keyword.kwlist, *dir(builtins)}
    for piece in _QUOTED.findall(edit.told):
        if not _SINGLE.fullmatch(piece) or not words.issuperset(_NAME.findall(piece)):
            part = _LEFT_OUT.match(edit.told)
            return f"without a {part[1]}" if part else IN_GENERAL.get(edit.kind, "")
    if edit.kind in ("left out", "in place", "emptied"):
        return ""  # a whole line of the answer; and what an argument has become, a check says itself
    for begins, instead in AS_IF.items():
        if edit.told.startswith(begins):
            return instead + edit.told.removeprefix(begins)
    exchanged = re.fullmatch(r"with (.+) for (`[^`]*`|\S+)", edit.told)
    if exchanged and edit.kind != "branch":
        axis = "axis " if edit.kind == "axis" and exchanged[2].lstrip("-").isdigit() else ""
        return f"with {exchanged[1]} where {axis}{exchanged[2]} belongs"
    return edit.told


def joined(sentences: Iterable[str]) -> str:
    """What is told of mutants that do the same; empty when they are too many for an answer to be one of them."""
    different = list(dict.fromkeys(sentences))
    return ", or ".join(different) if "" not in different and len(different) <= 2 else ""


def visible_digest(exercise: str, ending: Ending) -> str:
    """The digest of a wrong value; empty where there is none, or one that a hundred other mistakes give."""
    failure = ending.failure
    if failure is None or ending.status != FAILED or not any(name == "expected" for name, _ in failure.rows):
        return ""
    if any(call.error is not None for call in ending.calls) or not _telling(ending.calls):
        return ""
    return whole_digest(exercise, ending.calls)


def _telling(calls: Sequence[Call]) -> bool:
    """Whether two numbers agree that are neither 0 nor 1 nor among those that the function was given, one of them last.

    One number comes about in many ways: 6 is the largest product and the first one.
    """
    found: set[str] = set()
    own: set[str] = set()
    for call in calls:
        given = {f"{abs(number):.6g}" for arg in call.args for number in numbers_in(arg) or ()} | {"0", "1"}
        own = {f"{abs(number):.6g}" for number in numbers_in(call.value) or ()} - given
        found |= own
    return bool(own) and len(found) > 1


def sentences_of(faults: Iterable[tuple[str, tuple[Edit, ...], bool]], shown: str) -> dict[str, str]:
    """The sentences for what the mutants of an exercise do, by their digests.

    `faults` are the digests with their faults, and whether these are the model answer's: its mutants explain more than
    those of another right answer. Two faults at once explain nothing.
    """
    found: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}
    for digest, edits, of_model in faults:
        if digest and len(edits) == 1:
            found[of_model].setdefault(digest, []).append(said(edits[0], shown))
    told = {digest: joined(texts) for digest, texts in (found[False] | found[True]).items()}
    return {digest: text for digest, text in sorted(told.items()) if text}
