"""The way back: a zip of what a class gets, named as the platform wants it, which takes it in with one upload.

Moodle ("Upload multiple feedback files in a zip") reads a folder's name: NAME_NUMBER_assignsubmission_PLUGIN
(`mod/assign/feedback/file/importziplib.php`); a student gets the files in it. Canvas ("Upload Submissions") reads a
file's name for the student's number and that of the file that was handed in, and shows what comes back under the name
that this file had (`infer_comment_context_from_filename` in `app/models/abstract_assignment.rb`): so it gets a notebook
back, since nothing else can be opened under a notebook's name.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import UserError
from .names import CANVAS, MOODLE, platform_owner
from .placing import RECORD, recorded

#: The platforms, by the words of the command.
PLATFORMS = {"canvas": CANVAS, "moodle": MOODLE}


@dataclass
class Returned:
    """What a zip holds: its bytes, for whom there is something in it, and for whom not, with the reason."""

    data: bytes = b""
    students: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    #: of those that are left out, who handed in elsewhere: nothing has failed
    elsewhere: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Paper:
    """What one student gets: the folder that was collected for them, the page, and the notebook of the same."""

    student: str
    collected: Path
    page: Path
    #: makes the notebook's text; raises UserError when there is none
    notebook: Callable[[], str]


def returned(platform: str, papers: Iterable[Paper]) -> Returned:
    """The zip for "canvas" or "moodle"."""
    result = Returned()
    taken: dict[str, str] = {}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for paper in papers:
            if _elsewhere(platform, paper):
                result.left_out[paper.student] = f"this was not collected from {PLATFORMS[platform]}"
                result.elsewhere.append(paper.student)
                continue
            try:
                name, data = _entry(platform, paper)
            except (LookupError, UserError) as reason:
                result.left_out[paper.student] = str(reason)
                continue
            except OSError as error:
                result.left_out[paper.student] = f"{paper.page} cannot be read: {error.strerror}"
                continue
            if name in taken:
                result.left_out[paper.student] = (
                    f"{PLATFORMS[platform]} would give it to {taken[name]} as well"
                )
                continue
            taken[name] = paper.student
            # Without a time of its own, so that the same feedback is the same zip.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
            result.students.append(paper.student)
    result.data = stream.getvalue()
    return result


def _elsewhere(platform: str, paper: Paper) -> bool:
    """Whether this was not handed in on that platform, as far as anybody has noted."""
    record = recorded(paper.collected)
    if not record:  # one that is there and cannot be read says nothing of where this came from
        return not (paper.collected / RECORD).exists()
    return not record["platform"].startswith(PLATFORMS[platform])


def _entry(platform: str, paper: Paper) -> tuple[str, bytes]:
    """A file's name in the zip, and what it holds. Raises LookupError with the reason why there is none."""
    record = recorded(paper.collected)
    given = record.get("given", "")
    owner = platform_owner(given) if isinstance(given, str) and given else None
    if not record or owner is None or owner.number != record["number"]:
        raise LookupError("its record has no name of a file: collect the archive once more")
    if platform == "canvas":
        return given, paper.notebook().encode("utf-8")
    if not owner.number:
        raise LookupError("Moodle has given no number in its folder's name")
    name = f"{given.partition('_assignsubmission_')[0]}_assignsubmission_file_/{paper.page.name}"
    return name, paper.page.read_bytes()
