"""What learning platforms hand out is taken in whole, belongs to whom the platform says, and can do no harm."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.classroom.platforms import collect as collect_module
from autograder.classroom.platforms.collect import Collected, collect, owner_of, student_id
from autograder.errors import UserError

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
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


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
        (MOODLE, ["Ada-Lovelace-4711", "Grace-Hopper-4712", "Émmy-Noether-4713"]),
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
    assert take(CANVAS).late == ["hoppergrace-4712"]


def test_the_gradebook_s_own_name_of_a_student_is_used_where_the_platform_s_number_is_known(
    take: Take,
) -> None:
    result = take(CANVAS, known={"4711": "ada"}, expected=["ada", "bob"])
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
    monkeypatch.setattr(collect_module, "MAX_FILE_BYTES", 1 << 20)
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
    monkeypatch.setattr(collect_module, "MAX_FILE_BYTES", 1000)
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
    monkeypatch.setattr(collect_module, "MAX_FILES", 250)
    monkeypatch.setattr(collect_module, "MAX_STUDENT_BYTES", 20 << 20)
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
    assert {s.rpartition("-")[2] for s in result.students} == {"4712", "1"}


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
    one = student_id(owner_of("leejin_1_2_a.ipynb"), {})  # type: ignore[arg-type]
    two = student_id(owner_of("leejin_3_4_a.ipynb"), {})  # type: ignore[arg-type]
    assert one != two
