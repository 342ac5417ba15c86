"""The wheels that a site carries: complete, right to the digest, and without what grades."""

from __future__ import annotations

import base64
import csv
import email
import hashlib
import importlib.metadata
import io
import zipfile

import pytest

from autograder.classroom.site.wheels import installed_wheel, learners_wheel
from autograder.errors import UserError

from ...conftest import REPOSITORY


def files_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


@pytest.mark.parametrize("made", [learners_wheel, lambda: installed_wheel("comm")], ids=["learners", "comm"])
def test_the_record_names_every_file_with_its_digest(made: object) -> None:
    name, data = made()  # type: ignore[operator]
    files = files_of(data)
    (record,) = [file for file in files if file.endswith(".dist-info/RECORD")]
    rows = {row[0]: row[1:] for row in csv.reader(files[record].decode().splitlines())}
    assert rows.keys() == files.keys() and rows[record] == ["", ""]
    for file, (digest, size) in rows.items():
        if file != record:
            found = base64.urlsafe_b64encode(hashlib.sha256(files[file]).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={found}", str(len(files[file]))), file
    assert name.endswith("-py3-none-any.whl") and record.startswith(name.removesuffix("-py3-none-any.whl"))


def test_the_learner_s_wheel_holds_the_engine_and_the_lessons_and_nothing_that_grades() -> None:
    name, data = learners_wheel()
    files = files_of(data)
    folders = {tuple(file.split("/")[:2]) for file in files if file.startswith("autograder/")}
    assert {room for _, room in folders if "." not in room} == {"lesson", "learner", "unit"}
    engine = {
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "autograd_ref").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert engine <= files.keys()
    about = email.message_from_bytes(next(data for file, data in files.items() if file.endswith("METADATA")))
    assert about["Version"] == importlib.metadata.version("autograd-course") and about["Version"] in name
    assert about.get_all("Requires-Dist") == ["numpy", "matplotlib"]


def test_the_same_files_give_the_same_bytes() -> None:
    assert learners_wheel() == learners_wheel()


def test_what_a_browser_cannot_import_is_refused() -> None:
    with pytest.raises(UserError, match="not pure Python"):
        installed_wheel("numpy")
    with pytest.raises(UserError, match=r"\[site\]"):
        installed_wheel("no-such-distribution")
