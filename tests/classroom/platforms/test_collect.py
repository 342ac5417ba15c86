"""What learning platforms hand out is taken in whole, belongs to whom the platform says, and can do no harm."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import stat
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pytest

from autograder.classroom.platforms import archives
from autograder.classroom.platforms.collect import Collected, collect
from autograder.classroom.platforms.names import Layout
from autograder.classroom.platforms.placing import RECORD
from autograder.classroom.platforms.roster import Person, Roster
from autograder.cli.tables import show_collected
from autograder.errors import UserError
from autograder.unit.assignment import Assignment
from autograder.unit.raw import parse, unit_of

NOTEBOOKS = {"03_reverse_mode": "reverse_mode", "01_derivatives": "derivatives"}
Entries = dict[str, bytes]
Take = Callable[..., Collected]


def notebook(text: str = "x = 1", unit: str = "03_reverse_mode") -> bytes:
    cells = [{"cell_type": "code", "id": "a", "metadata": {}, "source": text}]
    return json.dumps({"cells": cells, "metadata": {"autograder": {"unit": unit}}, "nbformat": 4}).encode()


def packed(entries: Entries, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.fixture
def take(tmp_path: Path) -> Take:
    """Collect the entries of an archive; files land in `tmp_path/submitted`."""

    def run(source: Entries | bytes | Path, **options: object) -> Collected:
        if isinstance(source, dict):
            source = packed(source)
        if isinstance(source, bytes):
            (tmp_path / "all.zip").write_bytes(source)
            source = tmp_path / "all.zip"
        return collect(source, NOTEBOOKS, lambda s, u: tmp_path / "submitted" / s / u, **options)  # type: ignore[arg-type]

    return run


def placed(tmp_path: Path) -> dict[str, bytes]:
    root = tmp_path / "submitted"
    files = (p for p in sorted(root.rglob("*")) if p.is_file() and p.name != RECORD)
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in files}


CANVAS = {
    "lovelaceada_4711_98765_reverse_mode.ipynb": notebook("ada"),
    "hoppergrace_LATE_4712_98766_reverse_mode-1.ipynb": notebook("grace"),
    "notherémmy_4713_98767_untitled.ipynb": notebook("emmy"),
}
MOODLE = {
    "Ada Lovelace_4711_assignsubmission_file_/reverse_mode.ipynb": notebook("ada"),
    "Grace Hopper_4712_assignsubmission_file_reverse_mode (1).ipynb": notebook("grace"),
    "Émmy Noether_4713_assignsubmission_file_/later/reverse_mode.ipynb": notebook("emmy"),
}


@pytest.mark.parametrize(
    ("entries", "students"),
    [
        (CANVAS, ["hoppergrace-4712", "lovelaceada-4711", "notherémmy-4713"]),
        (MOODLE, ["Ada-Lovelace", "Grace-Hopper", "Émmy-Noether"]),
        (
            {f"{s}/03_reverse_mode/reverse_mode.ipynb": notebook(s) for s in ("ada", "emmy", "grace")},
            ["ada", "emmy", "grace"],
        ),
    ],
    ids=["Canvas", "Moodle", "folders"],
)
def test_each_platform_s_archive_lands_in_a_folder_for_each_student(
    entries: Entries, students: list[str], take: Take, tmp_path: Path
) -> None:
    result = take(entries)
    assert result.students == dict.fromkeys(students, "new")
    assert sorted(placed(tmp_path)) == [f"{s}/03_reverse_mode/reverse_mode.ipynb" for s in students]
    assert sorted(placed(tmp_path).values()) == sorted(entries.values())
    assert not result.skipped


def test_a_late_mark_is_told(take: Take) -> None:
    assert take(CANVAS).late == {("hoppergrace-4712", "03_reverse_mode"): "late, says the platform"}


def test_the_gradebook_s_own_name_of_a_student_is_used_where_the_platform_s_number_is_known(
    take: Take,
) -> None:
    result = take(CANVAS, people=[Person("ada", number="4711"), Person("bob")])
    assert "ada" in result.students
    assert result.missing == ["bob"]


def test_a_zip_of_zips_is_opened_once_and_belongs_to_the_outer_name(take: Take, tmp_path: Path) -> None:
    inner = packed({"someone-else_9_9_x.ipynb": notebook("ada"), "deeper.zip": packed({"a.ipynb": b"{}"})})
    result = take({"lovelaceada_4711_1_work.zip": inner})
    assert list(placed(tmp_path)) == ["lovelaceada-4711/03_reverse_mode/reverse_mode.ipynb"]
    assert any("deeper" in reason for reason in result.skipped)


def test_the_last_copy_counts_and_the_others_are_named(take: Take, tmp_path: Path) -> None:
    result = take(
        {
            "lovelaceada_4711_1_reverse_mode-2.ipynb": notebook("third"),
            "lovelaceada_4711_1_reverse_mode.ipynb": notebook("first"),
            "lovelaceada_4711_1_reverse_mode-1.ipynb": notebook("second"),
        }
    )
    assert list(placed(tmp_path).values()) == [notebook("third")]
    assert len([reason for reason in result.skipped if "newer" in reason]) == 2


def test_collecting_again_changes_nothing_and_a_new_hand_in_keeps_the_old_one(
    take: Take, tmp_path: Path
) -> None:
    take({"ada/reverse_mode.ipynb": notebook("1")})
    assert take({"ada/reverse_mode.ipynb": notebook("1")}).students == {"ada": "unchanged"}
    assert take({"ada/reverse_mode.ipynb": notebook("2")}).students == {"ada": "replaced"}
    assert take({"ada/reverse_mode.ipynb": notebook("3")}).students == {"ada": "replaced"}
    folder = "ada/03_reverse_mode/reverse_mode.ipynb"
    assert placed(tmp_path) == {
        folder: notebook("3"),
        f"{folder}.earlier-1": notebook("1"),
        f"{folder}.earlier-2": notebook("2"),
    }


def test_the_unit_comes_from_the_notebook_its_folder_its_name_or_the_option(
    take: Take, tmp_path: Path
) -> None:
    bare = b'{"cells": [], "nbformat": 4}'
    result = take(
        {
            "ada/anything.ipynb": notebook(unit="01_derivatives"),
            "bob/01_derivatives/x.ipynb": bare,
            "cy/reverse_mode (1).ipynb": bare,
            "dan/x.ipynb": bare,
        }
    )
    assert result.units == {"ada": "01_derivatives", "bob": "01_derivatives", "cy": "03_reverse_mode"}
    assert any("dan" in reason and "--unit" in reason for reason in result.skipped)
    assert take({"dan/x.ipynb": bare}, unit="01_derivatives").units == {"dan": "01_derivatives"}


HOSTILE = {
    "climbing": "../../evil/reverse_mode.ipynb",
    "absolute": "/etc/cron.d/reverse_mode.ipynb",
    "backslashes": "..\\..\\evil\\reverse_mode.ipynb",
    "a hidden student": ".ssh/reverse_mode.ipynb",
    "a null byte": "ada\x00/reverse_mode.ipynb",
    "dots alone": ".../reverse_mode.ipynb",
    "a drive": "C:/evil/reverse_mode.ipynb",
    "an escape sequence": "ada\x1b[2J/reverse_mode.ipynb",
    "Moodle's form": "../..​_4_assignsubmission_file_/reverse_mode.ipynb",
    "a very long name": "a" * 5000 + "/reverse_mode.ipynb",
    "a name of long letters": "\U00020000" * 60 + "_4711222333444555_9_x.ipynb",
    "a very long number": f"ada_{'4' * 300}_assignsubmission_file_/reverse_mode.ipynb",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_in_an_archive_leads_out_of_the_folder(name: str, take: Take, tmp_path: Path) -> None:
    before = {p for p in tmp_path.rglob("*") if "submitted" not in p.parts}
    result = take({HOSTILE[name]: notebook()})
    for path in placed(tmp_path):
        student, unit, file = path.split("/")
        assert student.replace("-", "").replace("_", "").isalnum()
        assert len(student) < 100
        assert (unit, file) == ("03_reverse_mode", "reverse_mode.ipynb")
    assert {p for p in tmp_path.rglob("*") if "submitted" not in p.parts} - before <= {tmp_path / "all.zip"}
    assert "\x1b" not in "".join(result.skipped)
    assert not Path("/etc/cron.d/reverse_mode.ipynb").exists()


def test_links_are_not_followed_in_archives_or_in_folders(take: Take, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo("ada/reverse_mode.ipynb")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    assert "link" in take(buffer.getvalue()).skipped[0]
    folder = tmp_path / "handed in" / "bob"
    folder.mkdir(parents=True)
    os.symlink("/etc/passwd", folder / "reverse_mode.ipynb")
    result = take(tmp_path / "handed in")
    assert "link" in result.skipped[0]
    assert not result.students


def test_a_student_s_folder_that_is_a_link_is_refused(take: Take, tmp_path: Path) -> None:
    (tmp_path / "submitted").mkdir()
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "submitted" / "ada")
    with pytest.raises(UserError, match="symbolic link"):
        take({"ada/reverse_mode.ipynb": notebook()})
    assert not list((tmp_path / "elsewhere").iterdir())


def test_bombs_are_skipped_and_the_neighbours_collected(take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 1 << 20)
    result = take(
        {
            "ada/reverse_mode.ipynb": notebook(),
            "bob/reverse_mode.ipynb": b" " * (2 << 20),
            "cy/reverse_mode.ipynb": b" " * 900_000,
            "dan/work.zip": packed({"reverse_mode.ipynb": b"\0" * 900_000}),
        }
    )
    assert list(result.students) == ["ada"]
    assert len(result.skipped) == 3


def test_an_archive_that_lies_about_its_sizes_is_read_no_further_than_the_limit(
    take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 1000)
    data = bytearray(packed({"ada/reverse_mode.ipynb": os.urandom(5000)}))
    size = (5000).to_bytes(4, "little")
    while (at := data.find(size)) >= 0:
        data[at : at + 4] = (500).to_bytes(4, "little")
    result = take(bytes(data))
    assert not result.students
    assert result.skipped


def test_a_notebook_among_thousands_of_other_files_is_found(take: Take) -> None:
    own = packed({f".git/objects/{i}": b"" for i in range(3000)} | {"work/x.ipynb": notebook()})
    assert take({"bob_2_2_work.zip": own}).students == {"bob-2": "new"}


def overlapping() -> bytes:
    """Many entries that are all the same bytes of the archive: it is small, and they are large together."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.ipynb", os.urandom(6000) + b" " * 994_000)
        for _ in range(30):
            archive.filelist.append(archive.filelist[0])
    return buffer.getvalue()


OWN: dict[str, tuple[Callable[[], bytes], str]] = {
    "very many notebooks": (
        lambda: packed({f"{i}.ipynb": b"" for i in range(400)}),
        "more than 200 notebooks",
    ),
    "very many files that are not for us": (
        lambda: packed({f"{i}": b"" for i in range(20_001)}),
        "more than 20000 files",
    ),
    "entries that overlap": (overlapping, "unpacks to more than 20 MiB"),
    "another way of packing": (
        lambda: packed({"x.ipynb": notebook()}, zipfile.ZIP_LZMA),
        "pack it as a plain zip archive",
    ),
    "a name that is empty": (
        lambda: packed({"x": b""}).replace(b"\x01\x00\x00\x00x", b"\x00\x00\x00\x00"),
        "",
    ),
    "a damaged entry": (
        lambda: packed({"x.ipynb": notebook()}, zipfile.ZIP_STORED).replace(b"cells", b"cellz"),
        "it is damaged",
    ),
    "random bytes": (lambda: b"PK\x03\x04" + bytes(range(256)), "no archive that can be read"),
}


@pytest.mark.parametrize("name", OWN)
def test_what_is_wrong_with_a_student_s_own_archive_costs_nobody_else(
    name: str, take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archives from a platform, and a folder of students' own: the neighbours before and after are collected."""
    make, reason = OWN[name]
    own = make()
    assert len(own) < 8 << 20
    monkeypatch.setattr(archives, "MAX_FILES", 250)
    monkeypatch.setattr(archives, "MAX_STUDENT_BYTES", 20 << 20)
    for source in ({}, tmp_path / "folder"):
        entries = {
            "ada_1_1_mini.ipynb": notebook("a"),
            "bob_2_2_work.zip": own,
            "cy_3_3_x.ipynb": notebook("c"),
        }
        if isinstance(source, Path):
            source.mkdir()
            for file, data in entries.items():
                (source / file).write_bytes(data)
        result = take(source or entries)
        assert set(result.students) - {"bob-2"} == {"ada-1", "cy-3"}
        told = [text for text in result.skipped if "bob_2_2_work.zip" in text]
        assert any(reason in text for text in told) or not reason
        assert len(told) <= 201
        assert not any("MAX" in text or "\n" in text for text in told)


@pytest.mark.parametrize(
    "own",
    ["gracehopper_4712_1_reverse_mode.ipynb", "Grace Hopper_4712_assignsubmission_file_/reverse_mode.ipynb"],
    ids=["Canvas", "Moodle"],
)
def test_a_file_that_is_named_as_a_platform_names_another_student_s_stays_its_sender_s(
    own: str, take: Take, tmp_path: Path
) -> None:
    classmate = {"gracehopper/03_reverse_mode/reverse_mode.ipynb": notebook("grace")}
    result = take({**classmate, f"mallory/{own}": notebook("evil")})
    assert set(result.students) == {"gracehopper", "mallory"}
    result = take({**classmate, "mallory/work.zip": packed({own: notebook("worse")})})
    assert set(result.students) == {"gracehopper", "mallory"}
    assert placed(tmp_path)["gracehopper/03_reverse_mode/reverse_mode.ipynb"] == notebook("grace")
    # A folder around all that a platform handed out names nobody.
    result = take({f"all/{own}": notebook(), "all/adalovelace_1_1_x.ipynb": notebook()})
    assert {re.sub(r"\W", "", s.lower()) for s in result.students} - {"gracehopper4712"} <= {
        "gracehopper",
        "adalovelace1",
    }
    assert len(result.students) == 2


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 cut off", b"no archive"], ids=["empty", "cut off", "text"]
)
def test_what_is_no_archive_is_refused_in_a_sentence(data: bytes, take: Take) -> None:
    with pytest.raises(UserError, match="zip archive"):
        take(data)


def test_a_damaged_notebook_is_collected_as_it_is_because_grading_says_what_is_wrong(
    take: Take, tmp_path: Path
) -> None:
    damaged = b"{ cut off"
    result = take({"ada/03_reverse_mode/x.ipynb": damaged, "lovelaceada_1_2_reverse_mode-1.ipynb": damaged})
    assert result.students == {"ada": "new", "lovelaceada-1": "new"}
    assert list(placed(tmp_path).values()) == [damaged, damaged]
    assert set(result.broken) == set(result.placed)
    assert "was cut off" in result.broken["ada", "03_reverse_mode"]


def test_a_file_that_cannot_be_graded_is_taken_and_named_with_what_to_do(
    take: Take, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = CANVAS | {
        "dang_5_1_reverse_mode.ipynb": notebook()[:-20],
        "roe_6_2_reverse_mode.ipynb": b'{"not": "cells"}',
        "poe_7_3_reverse_mode.ipynb": b"",
    }
    result = take(entries)
    assert not result.skipped
    assert set(result.students) == {*take(CANVAS).students, "dang-5", "roe-6", "poe-7"}
    show_collected(result, dict.fromkeys(result.placed, ""), everybody=False)
    told = " ".join(capsys.readouterr().out.split())
    after = 'it is graded as "needs a look", with 0 points.'
    for student, why in (
        ("dang-5", "dang_5_1_reverse_mode.ipynb is not a notebook: its text is not JSON, or it was cut off."),
        ("roe-6", "roe_6_2_reverse_mode.ipynb is not a notebook: it has no list of cells."),
        ("poe-7", "poe_7_3_reverse_mode.ipynb is empty."),
    ):
        assert f"broken 03_reverse_mode: {why} Ask {student} for it again; as it is, {after}" in told
    assert told.count("broken ") == 3


def test_who_handed_in_no_notebook_is_named_once(take: Take, tmp_path: Path) -> None:
    entries = CANVAS | {
        "curiemarie_4714_1_notes.pdf": b"%PDF",
        "curiemarie_4714_2_work.py": b"x = 1",
        "frankrosalind_4715_3_work.zip": packed({"readme.txt": b""}),
        "lovelaceada_4711_4_photo.png": b"",
        "readme.txt": b"",
    }
    told = [
        "curiemarie_4714_1_notes.pdf: curiemarie-4714 handed in no notebook",
        "frankrosalind_4715_3_work.zip: frankrosalind-4715 handed in no notebook",
    ]
    assert take(entries).skipped == told
    folder = tmp_path / "unpacked"
    folder.mkdir()
    for name, data in entries.items():
        (folder / name).write_bytes(data)
    assert take(folder).skipped == told


def test_an_archive_that_was_refused_is_told_once(take: Take) -> None:
    (reason,) = take({"frankrosalind_4715_3_work.zip": b"no archive"}).skipped
    assert "no archive" in reason


def test_names_that_are_alike_stay_apart() -> None:
    layout = Layout(["leejin_1_2_a.ipynb", "leejin_3_4_a.ipynb"])
    one, two = (Roster().find(layout.owner(path)) for path in ("leejin_1_2_a.ipynb", "leejin_3_4_a.ipynb"))  # type: ignore[arg-type]
    assert (one.student, two.student) == ("leejin-1", "leejin-3")


# -- Who is who -------------------------------------------------------------------------------------------------------


def test_moodle_s_number_is_an_assignment_s_and_makes_nobody_two_students(take: Take, tmp_path: Path) -> None:
    first = {
        f"Ada Lovelace_{n}_assignsubmission_file_/x.ipynb": notebook(unit=u)
        for n, u in (("31", "03_reverse_mode"),)
    }
    second = {"Ada Lovelace_77_assignsubmission_file_/x.ipynb": notebook(unit="01_derivatives")}
    assert take(first).students == take(second).students == {"Ada-Lovelace": "new"}
    assert {path.split("/")[1] for path in placed(tmp_path)} == {"03_reverse_mode", "01_derivatives"}


def test_moodle_s_number_is_nobody_s_number_on_the_platform(take: Take) -> None:
    bob = Person("bob", "Noether", "Bob", number="4711")
    assert take({"Ada Lovelace_4711_assignsubmission_file_/x.ipynb": notebook()}, people=[bob]).students == {
        "Ada-Lovelace": "new"
    }


def test_canvas_number_of_a_student_of_another_name_is_told_and_not_believed(
    take: Take, tmp_path: Path
) -> None:
    result = take(
        {"hoppergrace_4711_9_x.ipynb": notebook()}, people=[Person("ada", "Lovelace", "Ada", number="4711")]
    )
    assert not result.students
    assert not placed(tmp_path)
    (reason,) = result.skipped
    assert "4711, is that of ada, who is called Ada Lovelace" in reason


FOUND: dict[str, tuple[str, list[Person], str]] = {
    "the number and the name": ("van_gogh_12_9_x.ipynb", [Person("v", "van_gogh", "", number="12")], "v"),
    "the name run together": ("vangoghvincent_12_9_x.ipynb", [Person("v", "van Gogh", "Vincent")], "v"),
    "the name, with other accents": (
        "Emmy Noether_3_assignsubmission_file_/x.ipynb",
        [Person("e", "Noether", "Émmy")],
        "e",
    ),
    "the name in another order": (
        "Noether, Emmy_3_assignsubmission_file_/x.ipynb",
        [Person("e", "Noether", "Emmy")],
        "e",
    ),
    "the address": ("Emmy@Example.org/x.ipynb", [Person("e", "Noether", "Emmy", "emmy@example.org")], "e"),
    "the id": ("e/x.ipynb", [Person("e", "Noether", "Emmy"), Person("f", "e", "")], "e"),
    "an id that an earlier run made": (
        "Emmy Noether_9_assignsubmission_file_/x.ipynb",
        [Person("Emmy-Noether")],
        "Emmy-Noether",
    ),
    "two of that name": (
        "Lee Jin_3_assignsubmission_file_/x.ipynb",
        [Person("a", "Jin", "Lee"), Person("b", "Lee", "Jin")],
        "",
    ),
    "two of that number": ("leejin_3_9_x.ipynb", [Person("a", number="3"), Person("b", number="3")], ""),
    "the name, and another number": ("leejin_3_9_x.ipynb", [Person("a", "Lee", "Jin", number="4")], ""),
    "a name that reads as two numbers": (
        "lee_3_4_5_x.ipynb",
        [Person("a", number="3"), Person("b", number="4")],
        "",
    ),
    "an id of somebody of another name": ("zoe!/x.ipynb", [Person("zoe", "Lee", "Zoe")], ""),
    "another name that runs together to the same": (
        "An Na_1_assignsubmission_file_/x.ipynb",
        [Person("a", "Na", "An"), Person("b", "Anna", "")],
        "a",
    ),
}


@pytest.mark.parametrize("how", FOUND)
def test_a_student_is_recognised_by_what_is_theirs_alone_or_nobody_is(how: str, take: Take) -> None:
    path, people, student = FOUND[how]
    result = take({path: notebook()}, people=people)
    assert list(result.students) == ([student] if student else [])
    assert len(result.skipped) == (not student)


def test_one_underscore_in_one_name_changes_nothing_for_the_others(take: Take) -> None:
    entries = {
        f"hw3/{name}_{i}_9{i}_x.ipynb": notebook(name) for i, name in enumerate(("ada", "van_gogh", "emmy"))
    }
    assert set(take(entries).students) == {"ada-0", "van_gogh-1", "emmy-2"}


@pytest.mark.parametrize(
    "names", [["zoe", "zoe!", "ｚｏｅ"], ["zoe!", "ｚｏｅ"], ["Zoe", "zoe"], ["a b", "a-b", "(a b)"]]
)
def test_names_that_come_out_as_one_folder_replace_nobody(
    names: list[str], take: Take, tmp_path: Path
) -> None:
    """Neither in one archive, nor one archive after the other."""
    entries = {f"{name}/x.ipynb": notebook(name) for name in names}
    result = take(entries | {"bob/x.ipynb": notebook("bob")})
    kept = list(placed(tmp_path).values())
    assert notebook("bob") in kept
    assert len(result.skipped) + len(kept) == len(names) + 1
    for name in names:
        take({f"{name}/x.ipynb": notebook(name), "bob/x.ipynb": notebook("bob")})
    inside = [path for path in placed(tmp_path) if not path.startswith("bob/")]
    assert not [path for path in inside if "earlier" in path]


def test_of_two_namesakes_that_nobody_tells_apart_neither_is_collected(take: Take) -> None:
    entries = {f"Lee Jin_{i}_assignsubmission_file_/x.ipynb": notebook(str(i)) for i in (1, 2)}
    entries["Ada Lovelace_3_assignsubmission_file_/x.ipynb"] = notebook("ada")
    result = take(entries)
    assert list(result.students) == ["Ada-Lovelace"]
    assert len([reason for reason in result.skipped if "would all be the student Lee-Jin" in reason]) == 2


def test_a_class_whose_names_moodle_hides_is_told_apart_by_its_numbers(take: Take) -> None:
    entries = {f"Participant_{i}_assignsubmission_file_/x.ipynb": notebook(str(i)) for i in (7, 8, 9)}
    assert list(take(entries).students) == ["Participant-7", "Participant-8", "Participant-9"]
    hidden = {"anon_aB3dE_77_x.ipynb": notebook("a"), "LATE_anon_12345_78_x.ipynb": notebook("b")}
    result = take(hidden, people=[Person("ada", number="12345")])
    assert set(result.students) == {"anon_aB3dE", "anon_12345"}
    assert set(result.late) == {("anon_12345", "03_reverse_mode")}


UNCLEAR = {
    "a folder beside a platform's files": {"late/ada_1_9_x.ipynb": b"", "bob_2_8_x.ipynb": b""},
    "a folder with one platform's file": {"all/ada_1_9_x.ipynb": b""},
    "a folder with one folder": {"hw3/ada/x.ipynb": b""},
    "folders whose files all have other names": {"hw3/ada/a.ipynb": b"", "hw3/bob/b.ipynb": b""},
    "one student's folder with files of several": {
        "bob/x.ipynb": b"",
        "ada/c_1_9_x.ipynb": b"",
        "ada/d_2_8_x.ipynb": b"",
    },
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_folder_that_may_be_a_student_or_lie_around_some_is_asked_about(case: str, take: Take) -> None:
    entries = {path: notebook(path) for path in UNCLEAR[case]}
    first = next(iter(entries)).split("/")[0]
    first = "ada" if "several" in case else first
    result = take(entries)
    assert first not in result.students
    assert any("it is not clear whether" in reason for reason in result.skipped)
    assert take(entries, people=[Person(first)]).students[first] == "new"


@pytest.mark.parametrize(
    "entries",
    [
        {"hw3/ada/x.ipynb": b"", "hw3/bob/x.ipynb": b""},
        {"hw3/ada/x.ipynb": b"", "hw3/bob/x.ipynb": b"", "hw3/bob/y.pdf": b"", "hw3/README.md": b""},
    ],
)
def test_a_folder_around_students_is_no_student(entries: Entries, take: Take) -> None:
    assert set(take({path: notebook(path) for path in entries}).students) == {"ada", "bob"}


def test_one_student_s_folder_of_units_is_a_student(take: Take) -> None:
    entries = {f"ada/{unit}/x.ipynb": notebook(unit=unit) for unit in NOTEBOOKS}
    assert set(take(entries).placed) == {("ada", unit) for unit in NOTEBOOKS}


# -- In which form, and when ------------------------------------------------------------------------------------------

OTHER_FORMS = {
    "x.IPYNB": notebook(),
    "x.ipynb.txt": notebook(),
    "x.json": notebook(),
    "x.ipynb.json": notebook(),
    "x.txt": notebook(),
    "x.ipynb.gz": gzip.compress(notebook()),
    "deep/er/x.ipynb": notebook(),
    "work.zip": packed({"in/x.ipynb": notebook()}),
}


@pytest.mark.parametrize("name", OTHER_FORMS)
@pytest.mark.parametrize("form", ["ada_1_9_{}", "Ada_1_assignsubmission_file_/{}", "ada/{}"])
def test_a_notebook_in_another_form_is_collected(form: str, name: str, take: Take, tmp_path: Path) -> None:
    path = form.format(name.replace("/", "_") if form.startswith("ada_") else name)
    others = {"bob/x.ipynb" if form == "ada/{}" else "bob_2_8_x.ipynb": notebook("bob")}
    result = take({path: OTHER_FORMS[name], **others})
    assert not result.skipped
    assert len(result.students) == 2
    (data,) = (data for path, data in placed(tmp_path).items() if path.lower().startswith("ada"))
    assert unit_of(parse(data)) == "03_reverse_mode"


def test_files_of_data_are_no_notebooks(take: Take) -> None:
    data = {f"ada/data-{i}.json": b'{"cells": 3, "x": [1, 2]}' for i in range(300)}
    result = take(
        {"ada/x.ipynb": notebook(), "ada/likely.json": b'{"0": "a"}', "ada/notes.txt": b"cells", **data}
    )
    assert (list(result.students), result.skipped) == (["ada"], [])


def test_the_copy_that_was_worked_on_goes_before_the_untouched_release(
    mini: Assignment, tmp_path: Path
) -> None:
    untouched = nbformat.writes(mini.release).encode()
    finished = nbformat.writes(mini.solved({})).encode()
    entries = {"ada_1_8_Copy of mini.ipynb": finished, "ada_1_9_mini-1.ipynb": untouched}
    (tmp_path / "all.zip").write_bytes(packed(entries))
    result = collect(tmp_path / "all.zip", {"mini": mini}, lambda s, u: tmp_path / "submitted" / s / u)
    assert placed(tmp_path) == {"ada-1/mini/mini.ipynb": finished}
    assert result.skipped == [
        "ada_1_9_mini-1.ipynb: it is as released, and ada-1 handed in another one of mini"
    ]


DUE = datetime(2026, 11, 19, 10, tzinfo=UTC)


def stamp(tmp_path: Path, student: str) -> str:
    path = tmp_path / "submitted" / student / "03_reverse_mode" / "timestamp.txt"
    return path.read_text() if path.exists() else ""


def test_canvas_late_mark_becomes_a_time_and_goes_with_its_hand_in(take: Take, tmp_path: Path) -> None:
    due = {"03_reverse_mode": DUE}
    take({"ada_LATE_1_9_x.ipynb": notebook("1")}, due=due)
    assert stamp(tmp_path, "ada-1") == "2026-11-19 10:00:01 UTC\n"
    take({"ada_LATE_1_9_x.ipynb": notebook("1")}, due=due)
    assert stamp(tmp_path, "ada-1") == "2026-11-19 10:00:01 UTC\n"
    # A new one that is in time: the old one's time does not stay.
    assert take({"ada_1_10_x.ipynb": notebook("2")}, due=due).students == {"ada-1": "replaced"}
    assert stamp(tmp_path, "ada-1") == ""
    assert placed(tmp_path)["ada-1/03_reverse_mode/timestamp.txt.earlier-1"] == b"2026-11-19 10:00:01 UTC\n"
    # Late, and then excused: the same file without the mark.
    take({"ada_LATE_1_10_x.ipynb": notebook("2")}, due=due)
    assert stamp(tmp_path, "ada-1")
    take({"ada_1_10_x.ipynb": notebook("2")}, due=due)
    assert stamp(tmp_path, "ada-1") == ""


def test_a_late_mark_without_a_due_date_is_no_time(take: Take, tmp_path: Path) -> None:
    assert take({"ada_LATE_1_9_x.ipynb": notebook()}).late
    assert stamp(tmp_path, "ada-1") == ""


def test_what_an_instructor_wrote_for_the_same_notebook_stays(take: Take, tmp_path: Path) -> None:
    entries = {"ada_LATE_1_9_x.ipynb": notebook()}
    take(entries, due={"03_reverse_mode": DUE})
    path = tmp_path / "submitted/ada-1/03_reverse_mode/timestamp.txt"
    path.write_text("2026-11-18 09:00:00 UTC\n")
    take(entries, due={"03_reverse_mode": DUE})
    assert stamp(tmp_path, "ada-1") == "2026-11-18 09:00:00 UTC\n"


def dated(entries: dict[str, tuple[int, int]]) -> bytes:
    """An archive of Moodle's with times of November 2026, by day and hour of this machine's clock."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, (day, hour) in entries.items():
            entry = zipfile.ZipInfo(f"{name}_1_assignsubmission_file_/x.ipynb", (2026, 11, day, hour, 0, 0))
            archive.writestr(entry, notebook(name))
    return buffer.getvalue()


def test_times_in_an_archive_are_times_of_handing_in_only_where_they_cannot_be_those_of_packing(
    take: Take, tmp_path: Path
) -> None:
    take(dated({"Ada L": (18, 9), "Bob L": (20, 15), "Cy L": (17, 8)}), due={"03_reverse_mode": DUE})
    told = datetime(2026, 11, 20, 15).astimezone(UTC)
    assert stamp(tmp_path, "Bob-L") == f"{told:%Y-%m-%d %H:%M:%S} UTC\n"
    # In the order of the entries, as an archive is packed.
    take(dated({"Dan L": (17, 8), "Eve L": (18, 9), "Fay L": (20, 15)}))
    # Within minutes.
    take(dated({"Gil L": (17, 8), "Hal L": (17, 8), "Ivy L": (17, 8)}))
    assert {p.parts[-3] for p in tmp_path.rglob("timestamp.txt")} == {"Ada-L", "Bob-L", "Cy-L"}


def test_a_student_s_own_timestamp_is_never_taken(take: Take, tmp_path: Path) -> None:
    take(
        {
            "ada/x.ipynb": notebook(),
            "ada/timestamp.txt": b"2020-01-01 00:00:00 UTC",
            "bob/x.ipynb": notebook(),
        }
    )
    assert stamp(tmp_path, "ada") == ""
