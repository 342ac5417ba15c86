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
from dataclasses import dataclass

from ..lesson.compare import article, numbers_in
from ..lesson.failures import FAILED
from ..lesson.locked import whole_digest
from ..lesson.probes import Call
from .fault_values import NAMES
from .mutants import Mutant
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
    "state": "if it kept something from one call to the next",
    "name": "with one of its values in the place of another",
    "operator": "with another operator somewhere",
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
#: An expression that a fault's words hold without quotes.
_BARE = re.compile(r"[(\[{]| for .* [-+*/%@] ")
_LEFT_OUT = re.compile(r"without the (factor|term|division|exponent)")


def said(edit: Edit, shown: str) -> str:
    """The words for a fault, in an exercise that shows this text; empty when there are none."""
    words = {*_NAME.findall(shown), *NAMES, *KEYWORDS, *keyword.kwlist, *dir(builtins)}
    for piece in _QUOTED.findall(edit.told):
        if not _SINGLE.fullmatch(piece) or not words.issuperset(_NAME.findall(piece)):
            part = _LEFT_OUT.match(edit.told)
            return f"without {article(part[1])}" if part else IN_GENERAL.get(edit.kind, "")
    if _BARE.search(_QUOTED.sub("", edit.told)):
        return "with another axis somewhere" if edit.kind == "axis" else IN_GENERAL.get(edit.kind, "")
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


#: Kinds of faults that come to mind first, then those that also do it, last what is done too much or left out.
LATER = {
    "name",
    "parameter",
    "branch",
    "length",
    "loop",
    "default",
    "comparison",
    "bound",
    "keyword",
    "dtype",
}
LAST = {"afterwards", "instead", "early", "steps", "brackets", "order", "weighed", "old"}


#: Functions of which nobody takes one for the other: a machine does, to see whether a check asks enough.
NEVER = {
    ("max", "sum"), ("prod", "sum"), ("sum", "max"), ("exp", "log"), ("log", "exp"), ("expm1", "exp"), ("exp", "expm1"),
    ("sinh", "tanh"), ("cumprod", "cumsum"),
}  # fmt: skip


def made_by_people(edit: Edit) -> bool:
    """Whether a learner would make this fault. Of others none is told: who gives what they give has made another one.

    >>> sum_or_mean = Edit(0, 3, "mean", "function", "with `mean` for `sum`")
    >>> made_by_people(sum_or_mean), made_by_people(Edit(0, 3, "max", "function", "with `max` for `sum`"))
    (True, False)
    >>> made_by_people(Edit(0, 1, "2", "constant", "with 2 for 1"))
    False
    """
    if edit.kind == "constant":
        return edit.text in ("True", "False")
    quoted = tuple(_QUOTED.findall(edit.told))
    return edit.kind != "function" or quoted not in NEVER


def rank(kind: str) -> int:
    """How soon a kind of fault comes to mind."""
    return 2 if kind in LAST else 1 if kind in LATER else 0


def joined(sentences: Iterable[str]) -> str:
    """What is told of mutants that do the same; empty when they are too many for an answer to be one of them."""
    different = list(dict.fromkeys(sentences))
    return ", or ".join(different) if "" not in different and len(different) <= 2 else ""


def visible_digest(exercise: str, ending: Ending) -> str:
    """The digest of a wrong value; empty where there is none, or where it says nothing."""
    failure = ending.failure
    if failure is None or ending.status != FAILED or not any(name == "expected" for name, _ in failure.rows):
        return ""
    if any(call.error is not None for call in ending.calls) or not _telling(ending.calls):
        return ""
    return whole_digest(exercise, ending.calls)


def _telling(calls: Sequence[Call]) -> int:
    """How much what an answer gave says: 0 for nothing, 1 for one plain number, 2 where several numbers agree.

    Numbers that are 0 or 1 or among those that the function was given say nothing, and the last call has to say
    something. One number comes about in many ways: 6 is the largest product and the first one. One of many digits
    does not.
    """
    found: set[str] = set()
    own: set[str] = set()
    for call in calls:
        given = {f"{abs(number):.6g}" for arg in call.args for number in numbers_in(arg) or ()} | {"0", "1"}
        own = {f"{abs(number):.6g}" for number in numbers_in(call.value) or ()} - given
        found |= own
    if not own:
        return 0
    return 2 if len(found) > 1 or any(_digits(number) >= MANY for number in own) else 1


#: A number of so many digits is hardly the same by chance.
MANY = 4


def _digits(number: str) -> int:
    """The significant digits of a number.

    >>> _digits("80.39"), _digits("0.0050"), _digits("1e+06"), _digits("1200")
    (4, 1, 1, 2)
    """
    return len(number.partition("e")[0].replace(".", "").strip("0"))


@dataclass(frozen=True)
class Fault:
    """A mutant and what it does: the digest of that, and whether it is one of the model answer's."""

    digest: str
    mutant: Mutant
    of_model: bool
    #: whether several numbers agree, and not one alone
    sure: bool = True


def fault_of(exercise: str, ending: Ending, mutant: Mutant, of_model: bool) -> Fault:
    """What a mutant does in the visible part of a check."""
    return Fault(visible_digest(exercise, ending), mutant, of_model, _telling(ending.calls) > 1)


def sentences_of(faults: Iterable[Fault], shown: str) -> dict[str, str]:
    """The sentences for what the mutants of an exercise do, by their digests.

    The model answer's mutants explain more than those of another right answer, and some kinds of faults more than
    others. Two faults at once explain nothing.
    """
    found: dict[str, list[Fault]] = {}
    for fault in faults:
        if fault.digest and len(fault.mutant.edits) == 1 and not _by_its_form(fault.mutant):
            found.setdefault(fault.digest, []).append(fault)
    told = {digest: _told(same, shown) for digest, same in sorted(found.items())}
    return {digest: text for digest, text in told.items() if text}


def _told(same: Sequence[Fault], shown: str) -> str:
    made = [fault for fault in same if made_by_people(fault.mutant.edits[0])]
    best = min(map(_order, made), default=None)
    # Where one number is all that agrees, every other fault that gives it is as good an explanation.
    meant = [fault for fault in same if not fault.sure or (fault in made and _order(fault) == best)]
    return joined(
        _without_synonyms(said(fault.mutant.edits[0], shown) if fault in made else "" for fault in meant)
    )


def _order(fault: Fault) -> tuple[bool, int]:
    return not fault.of_model, rank(fault.mutant.edits[0].kind)


def _without_synonyms(sentences: Iterable[str]) -> list[str]:
    """A factor that is missing can be told in three ways, of which one is enough."""
    different = list(dict.fromkeys(sentences))
    names = {name for text in different for name in re.findall(r"^without the factor (`\w+`)$", text)}
    same = {f"if it did not look at {n}" for n in names} | {
        f"with a division by {n} too much{of}" for n in names for of in ("", " somewhere")
    }
    return [text for text in different if text not in same]


def _by_its_form(mutant: Mutant) -> bool:
    """Whether another name stands where a value is only asked for its parts: then the two agree by chance."""
    (edit,) = mutant.edits
    before, after = mutant.source[: edit.start], mutant.source[edit.start + len(edit.text) :]
    unpacked = before.rstrip(" ").endswith("=") and after.startswith("\n")
    return edit.kind == "name" and (unpacked or after.startswith((".", "[")))
