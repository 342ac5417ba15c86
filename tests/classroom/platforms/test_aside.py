"""A hand-in that something speaks against takes no other's place without a word, and `--anyway` takes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.classroom.platforms.collect import collect
from autograder.classroom.platforms.roster import Person
from autograder.unit.assignment import Assignment, Course

from ...cli.test_cli import Said, run  # noqa: F401  the fixture of commands
from .test_collect import Take, notebook, packed, placed, take  # noqa: F401  the fixture that collects

ONE, THREE = "01_derivatives", "03_reverse_mode"
OTHERS = {f"s{i}_4{i}_9{i}_x.ipynb": notebook(f"s{i}") for i in range(3)}


def test_a_file_of_another_unit_than_the_archive_s_replaces_nothing_and_is_told(
    take: Take,  # noqa: F811
    tmp_path: Path,
) -> None:
    take({"ivy_7_50_x.ipynb": notebook("real work", ONE)})
    entries = OTHERS | {"ivy_7_60_x.ipynb": notebook("", ONE), "joe_8_61_x.ipynb": notebook("", ONE)}
    people = [Person("ivy", "Ivy", "", "", "7"), Person("joe", "Joe", "", "", "8")]
    result = take(entries, people=people)
    assert placed(tmp_path)[f"ivy/{ONE}/x.ipynb".replace("x.", "derivatives.")] == notebook("real work", ONE)
    assert not any("joe" in path for path in placed(tmp_path))
    says = f"it says {ONE}, and most of the others say {THREE}"
    assert result.skipped == [
        f"ivy_7_60_x.ipynb: {says}: ivy's {ONE} that was collected before stays (derivatives.ipynb); collect it with "
        "--anyway if it is meant",
        f"joe_8_61_x.ipynb: {says}: it was put nowhere; collect it with --anyway if it is meant",
    ]
    assert result.missing == ["ivy", "joe"], "of this archive's unit they have handed in nothing"
    result = take(entries, people=people, anyway=True)
    assert result.placed[("ivy", ONE)] == "replaced"
    assert result.kept[("ivy", ONE)] == "derivatives.ipynb.earlier-1"
    assert not result.skipped
    assert not take(entries, people=people).skipped, "what is there by now is no question any more"


def test_several_units_of_one_student_and_folders_that_name_the_unit_are_taken(
    take: Take,  # noqa: F811
    tmp_path: Path,
) -> None:
    assert not take(OTHERS | {"s1_41_99_y.ipynb": notebook("also", ONE)}).skipped
    tree = {f"a{i}/{THREE}/x.ipynb": notebook(f"a{i}") for i in range(3)}
    for text in ("1", "2"):
        result = take(tree | {f"a1/{ONE}/x.ipynb": notebook(text, ONE)})
        assert not result.skipped
    assert result.placed[("a1", ONE)] == "replaced"


def test_an_older_file_of_canvas_does_not_replace_a_newer_one(
    take: Take,  # noqa: F811
    tmp_path: Path,
) -> None:
    take({"dang_5_67950_reverse_mode-2.ipynb": notebook("second")})
    result = take({"dang_5_67899_reverse_mode-1.ipynb": notebook("first")})
    (told,) = result.skipped
    assert "it is older than what was collected before (Canvas's number 67899, and 67950 before)" in told
    assert placed(tmp_path) == {f"dang-5/{THREE}/reverse_mode.ipynb": notebook("second")}
    assert take({"dang_5_68000_x.ipynb": notebook("third")}).students == {"dang-5": "replaced"}
    older = take({"dang_5_67899_reverse_mode-1.ipynb": notebook("first")}, anyway=True)
    assert older.students == {"dang-5": "replaced"}


def test_an_untouched_release_does_not_replace_work(mini: Assignment, tmp_path: Path) -> None:
    for source, skipped in ((mini.solved({}), 0), (mini.release, 1)):
        data = nbformat.writes(source).encode()
        (tmp_path / "all.zip").write_bytes(packed({f"ada_1_{8 + skipped}_mini.ipynb": data}))
        result = collect(tmp_path / "all.zip", {"mini": mini}, lambda s, u: tmp_path / "submitted" / s / u)
        assert len(result.skipped) == skipped
    assert "it is as released, and ada-1's mini that was collected before stays" in result.skipped[0]
    assert placed(tmp_path) == {"ada-1/mini/mini.ipynb": nbformat.writes(mini.solved({})).encode()}


def test_the_option_for_a_unit_does_not_overrule_the_notebook_unless_somebody_insists(
    take: Take,  # noqa: F811
    tmp_path: Path,
) -> None:
    result = take({"ada_1_9_x.ipynb": notebook()}, unit=ONE)
    assert result.skipped == [
        f"ada_1_9_x.ipynb: it says that it is {THREE}, and not {ONE}: leave out --unit, or insist with --anyway"
    ]
    assert not placed(tmp_path)
    assert take({"ada_1_9_x.ipynb": notebook()}, unit=ONE, anyway=True).units == {"ada-1": ONE}


def test_a_notebook_of_another_course_is_not_said_to_name_no_unit(take: Take) -> None:  # noqa: F811
    for options in ({}, {"unit": ONE}, {"anyway": True}):
        (told,) = take({"ada_1_9_x.ipynb": notebook(unit="05_other")}, **options).skipped
        assert "it says that it is 05_other, which is no unit of this course" in told
        assert "does not say" not in told
    result = take({"ada_1_9_x.ipynb": notebook(unit="05_other")}, unit=ONE, anyway=True)
    assert result.units == {"ada-1": ONE}


def test_who_handed_in_before_is_not_missing_from_a_later_archive(take: Take) -> None:  # noqa: F811
    people = [Person(f"s{i}", f"s{i}", "", "", f"4{i}") for i in range(4)]
    assert take(OTHERS, people=people).missing == ["s3"]
    assert take({"s3_43_99_x.ipynb": notebook("late")}, people=people).missing == []
    assert take({"s3_43_100_x.ipynb": notebook("", ONE)}, people=people).missing == ["s0", "s1", "s2"]


def test_who_was_collected_before_the_roster_came_is_one_student_after_it(
    take: Take,  # noqa: F811
    tmp_path: Path,
) -> None:
    take({"smithjonesivy_1009_5_x.ipynb": notebook("1", ONE)})
    take({"smithjonesivy_1009_6_x.ipynb": notebook("3")})
    people = [Person("ismith", "Smith-Jones", "Ivy", "", "1009")]
    result = take({"smithjonesivy_1009_9_x.ipynb": notebook("newer")}, people=people)
    assert result.students == {"ismith": "replaced"}
    assert sorted(placed(tmp_path)) == [
        f"ismith/{ONE}/derivatives.ipynb",
        f"ismith/{THREE}/reverse_mode.ipynb",
        f"ismith/{THREE}/reverse_mode.ipynb.earlier-1",
    ]
    assert not (tmp_path / "submitted/smithjonesivy-1009").exists()
    assert len(result.notes) == 2 and "whom the gradebook knows by now" in result.notes[0]


def test_the_command_says_where_the_hand_in_before_is_kept(
    mini_course: Course,
    tmp_path: Path,
    run: Callable[..., Said],  # noqa: F811
) -> None:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    for number, text in enumerate(("x = 1", "x = 2")):
        (root / "all.zip").write_bytes(packed({f"ada_1_{number}_x.ipynb": notebook(text, "mini")}))
        said = run("collect", "all.zip", "--anyway", cwd=root)
        assert said.code == 0, said
    assert "replaced; the one before is kept as mini.ipynb.earlier-1" in said.out


@pytest.mark.parametrize("text", ["--anyway", "older than what was"])
def test_help_says_what_insisting_takes(text: str, run: Callable[..., Said]) -> None:  # noqa: F811
    assert text in " ".join(run("collect", "--help").out.split())
