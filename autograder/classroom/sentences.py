"""What is known of mistakes where one submission is judged: no import of this file's needs more than a learner has."""

from __future__ import annotations

from ..authoring.fingerprints import sentences_of
from ..lesson import likely
from ..unit.assignment import Assignment


def sentences_for(assignment: Assignment) -> dict[str, str]:
    """The sentences of mistakes by their digests; of a unit without its bank they are all that is known."""
    if assignment.is_release:
        return likely.read(assignment.path.parent / likely.FILE)
    return sentences_of(assignment)
