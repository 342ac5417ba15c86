"""The marks in a source: what stands between them is taken out of what students get.

    ### BEGIN SOLUTION          ### BEGIN HIDDEN TESTS
    ### END SOLUTION            ### END HIDDEN TESTS

nbgrader looks for four texts and passes over everything else, so one lost letter would publish the hidden tests. Here
a line is exactly a mark, in a cell where it belongs and with the other one of its pair, or it looks like none.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

from ..errors import UserError

SOLUTION, HIDDEN = "SOLUTION", "HIDDEN TESTS"
MARKS = tuple(f"### {end} {what}" for what in (SOLUTION, HIDDEN) for end in ("BEGIN", "END"))
#: The kind of cell in which each pair belongs.
BELONGS = {SOLUTION: "exercise", HIDDEN: "check"}

#: What the words of a mark may have been meant as.
ENDS = {"BEGIN": "BEGIN", "START": "BEGIN", "END": "END", "STOP": "END"}
REGIONS = {"SOLUTION": SOLUTION, "SOLUTIONS": SOLUTION, "HIDDEN": HIDDEN, "TEST": HIDDEN, "TESTS": HIDDEN}
#: A mark in one word, in either order.
WRITTEN = {
    "".join(words.split()): f"### {end} {what}"
    for what in (SOLUTION, HIDDEN)
    for end in ("BEGIN", "END")
    for words in (f"{end}{what}", f"{what}{end}")
}
#: How near a word has to be: one letter lost, doubled or changed, and STEP is no STOP.
NEAR = 0.8


def check_marks(cells: Sequence[NotebookNode], text: str, where: str) -> None:
    """Refuse what looks like a mark and is none, a mark where it does not belong, and half a pair. Raises UserError.

    `cells` are the source's, with its shorthand still in their metadata; `text` is the source itself.
    """
    lines = _Lines(text)
    for cell in cells:
        #: the mark that is open, and its place
        begun: tuple[str, str] | None = None
        belongs = [what for what, word in BELONGS.items() if word in cell.metadata]
        for line in _suspicious(cell):
            place = where + lines.place_of(line if cell.cell_type == "code" else f"# {line}")
            mark = line.strip()
            if cell.cell_type != "code":
                raise UserError(f"{place}: `{mark}` is text, and nbgrader takes it for a mark: reword it.")
            if mark not in MARKS:
                raise UserError(
                    f"{place}: `{mark}` is no mark, so that students would get what it should hide: write "
                    f"`{_meant(mark, belongs, begun is not None)}` on a line of its own, or reword it where it is only "
                    "a remark."
                )
            end, what = mark.removeprefix("### ").split(" ", 1)
            if what not in belongs:
                wanted = f'# %% {BELONGS[what]}="NAME"'
                raise UserError(f"{place}: `{mark}` belongs in a cell `{wanted}`, and this is none.")
            if end == "END" and begun is None:
                raise UserError(f"{place}: `{mark}` has no `### BEGIN {what}` above it.")
            if end == "BEGIN" and begun is not None:
                break
            begun = (what, place) if end == "BEGIN" else None
        if begun is not None:
            what, place = begun
            raise UserError(f"{place}: `### BEGIN {what}` has no `### END {what}` below it.")


class _Lines:
    """The lines of a source, found again in the order of its cells."""

    def __init__(self, text: str) -> None:
        self.lines = [line.strip() for line in text.splitlines()]
        self.after = 0

    def place_of(self, line: str) -> str:
        """The number of the next line of this text, and the line with which its cell begins; empty where none is."""
        for number in range(self.after, len(self.lines)):
            if self.lines[number] == line.strip():
                self.after = number + 1
                above = (text for text in reversed(self.lines[:number]) if text.startswith("# %%"))
                return f", line {number + 1}, in `{next(above, '# %%')}`"
        return ""


def _suspicious(cell: NotebookNode) -> Iterator[str]:
    """The lines of a cell that are marks, or look like one."""
    for line in cell.source.splitlines():
        named = any(mark.removeprefix("### ") in line for mark in MARKS)  # all that nbgrader asks
        if named or (cell.cell_type == "code" and "#" in line and _looks_like_a_mark(line)):
            yield line


def _looks_like_a_mark(line: str) -> bool:
    """Whether a comment is so near to a mark that it was meant as one.

    >>> [_looks_like_a_mark(line) for line in ("## HIDDEN TESTS BEGIN", "### begin hidden test", "### END")]
    [True, True, True]
    >>> [_looks_like_a_mark(line) for line in ("# the end of the test", "# Tests", "## STEP 2: TEST IT")]
    [False, False, False]
    """
    comment = line[line.index("#") :]
    words = re.findall(r"[A-Za-z]+", comment)
    if not words or len(words) > 8:  # a sentence
        return False
    capitals = [word for word in words if word.isupper()]
    if (comment.startswith("##") or len(words) == 1) and _near(capitals, {"BEGIN": "BEGIN", "END": "END"}):
        return True
    if _near(capitals, ENDS) and _near(capitals, REGIONS):
        return True
    if len(words) > 1 and words == capitals and all(_near([word], REGIONS) for word in words):
        return True
    return bool(difflib.get_close_matches("".join(words).upper(), WRITTEN, 1, 0.85)) or (
        bool(_near(words, ENDS) and _near(words, REGIONS))
        and all(_near([word], ENDS | REGIONS) for word in words)
    )


def _near(words: Sequence[str], known: dict[str, str]) -> str:
    """What the first of these words that is near to a known one was meant as; empty where none is."""
    for word in words:
        if found := difflib.get_close_matches(word.upper(), known, 1, NEAR):
            return known[found[0]]
    return ""


def _meant(mark: str, belongs: Sequence[str], inside: bool) -> str:
    """The mark that was meant: as far as its words say, else as its place does."""
    words = re.findall(r"[A-Za-z]+", mark[max(mark.find("#"), 0) :])
    end, what = _near(words, ENDS), _near(words, REGIONS)
    if not (end and what) and not all(_near([word], REGIONS) for word in words):
        if found := difflib.get_close_matches("".join(words).upper(), WRITTEN, 1, 0.85):
            return WRITTEN[found[0]]
    end = end or ("END" if inside else "BEGIN")
    return f"### {end} {what or (belongs[0] if belongs else HIDDEN)}"
