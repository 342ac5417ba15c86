"""A roster adds and completes students; it loses nobody, and makes nobody into somebody else."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from nbgrader.api import Gradebook

from autograder.classroom.classroom import Classroom, known_students, write_students
from autograder.classroom.platforms.export import Unit, as_table, for_canvas, for_moodle
from autograder.classroom.platforms.names import Layout
from autograder.classroom.platforms.roster import Person, Roster
from autograder.classroom.platforms.students import Import, compare, read_roster
from autograder.classroom.platforms.table import csv_text
from autograder.errors import UserError
from autograder.unit.assignment import Course

ADA = Person("ada", "Lovelace", "Ada", "ada@example.org", "4711")


def read(path: Path, text: str | bytes) -> list[Person]:
    file = path / "roster.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return [entry.person for entry in read_roster(file)]


#: As `lib/gradebook_exporter.rb` of canvas-lms writes it, with the row of points and the student for looking.
CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,03_reverse_mode (1204),Final Score\r\n"
    ",,,,,Manual Posting,\r\n"
    '"    Points Possible",,,,,26,(read only)\r\n'
    '"Lovelace, Ada",4711,s1,ada,"Section 1 and Section 2",26,100\r\n'
    '"Noether, Émmy",4712,,emmy@example.org,Section 1,,0\r\n'
    '"Student, Test",4999,,ff1a,Section 1,,0\r\n'
)
CANVAS_NAMES = "LastName,FirstName,ID,SIS Login ID,Section\nLovelace,Ada,4711,ada,S\n"
MOODLE = "First name,Last name,Email address,Groups\nAda,Lovelace,ada@example.org,A\n"
MOODLE_GRADES = (
    '"First name","Last name","ID number",Institution,Department,"Email address","Assignment: 03 (Real)"\n'
    "Ada,Lovelace,4711,,,ada@example.org,-\n"
)
WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade\n"
    'Participant 31,Ada Lovelace,ada@example.org,"Submitted for grading - 1 hour late",\n'
)
OTHERS = {
    "semicolons": "username;first_name;last_name;email;lms_user_id\nada;Ada;Lovelace;ada@example.org;4711\n",
    "tabs": "Username\tFirst Name\tSurname\tE-Mail\tNumber\nada\tAda\tLovelace\tada@example.org\t4711\n",
    "a guarded formula": 'login,name,mail,number\nada,"\'=Lovelace, Ada",ada@example.org,4711\n',
}


def test_what_canvas_exports_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, CANVAS) == [
        Person("ada", "Lovelace", "Ada", "", "4711"),
        Person("emmy@example.org", "Noether", "Émmy", "emmy@example.org", "4712"),
    ]
    assert read(tmp_path, CANVAS_NAMES) == [Person("ada", "Lovelace", "Ada", "", "4711")]


def test_what_moodle_exports_is_read_and_its_number_of_one_assignment_is_not(tmp_path: Path) -> None:
    plain = Person("", "Lovelace", "Ada", "ada@example.org", "")
    assert read(tmp_path, MOODLE) == [plain]
    assert read(tmp_path, MOODLE_GRADES) == [Person("", "Lovelace", "Ada", "ada@example.org", "4711")]
    assert read(tmp_path, WORKSHEET) == [plain]


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_table_of_one_s_own_is_read(name: str, encoding: str, tmp_path: Path) -> None:
    (person,) = read(tmp_path, OTHERS[name].replace("Ada", "Zoë").encode(encoding))
    assert (person.id, person.first_name, person.email, person.number) == (
        "ada",
        "Zoë",
        "ada@example.org",
        "4711",
    )
    assert person.last_name in ("Lovelace", "=Lovelace")


@pytest.mark.parametrize("form", [as_table, for_canvas, for_moodle])
def test_what_we_export_changes_nothing_when_it_is_imported(form, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    people = [ADA, Person("b", "=x", "B", "b@example.org", "12"), Person("c", "Straße", "Zoë", "", "13")]
    (tmp_path / "roster.csv").write_text(csv_text(form(people, [Unit("03", {"a": 1.0}, 1.0, {})])))
    result = compare(read_roster(tmp_path / "roster.csv"), people)
    assert [change.what for change in result.changes] == ["unchanged"] * 3, result


REFUSED = {
    "no table": (b"PK\x03\x04\0\0", "no table of text"),
    "an empty file": (b"", "holds nothing"),
    "no column of a name": (b"a,b\n1,2\n", "has no column of a name"),
    "a text": (b"Dear all,\n", "has no column of a name"),
    "very many lines": (b"name\n" + b"x\n" * 20_001, "more than 20000 lines"),
    "a field without end": (b'name\n"' + b"x" * 200_000, "no CSV file that can be read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_roster_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    data, told = REFUSED[name]
    with pytest.raises(UserError, match=told) as error:
        read(tmp_path, data)
    assert "\n" not in str(error.value)


def one(new: Person, *people: Person) -> tuple[str, str, str]:
    (change,) = _compared([new], people).changes
    return change.what, change.student, change.told


def _compared(rows: list[Person], people: tuple[Person, ...] | list[Person]) -> Import:
    from autograder.classroom.platforms.students import Entry

    return compare([Entry(i + 2, row) for i, row in enumerate(rows)], people)


FOUND: dict[str, tuple[Person, Person, str]] = {
    "the username": (Person("ada", "Lovelace", "Ada"), Person("ada"), "changed"),
    "the number": (Person("", "King", "Ada", number="4711"), ADA, "changed"),
    "the address": (Person("", "Lovelace", "Ada", "ADA@example.org"), ADA, "changed"),
    "the name": (Person("", "LOVELACE", "Ada", number="1"), Person("x", "Lovelace", "Ada"), "changed"),
    "what collect made of Canvas' name": (
        Person("al1", "Lovelace", "Ada", "", "4711"),
        Person("lovelaceada-4711"),
        "changed",
    ),
    "what collect made of Moodle's name": (
        Person("", "Lovelace", "Ada", "a@x.org"),
        Person("Ada-Lovelace"),
        "changed",
    ),
    "nothing new": (Person("ada"), ADA, "unchanged"),
}


@pytest.mark.parametrize("how", FOUND)
def test_a_student_who_is_there_is_completed_and_keeps_the_id(how: str) -> None:
    new, old, what = FOUND[how]
    assert one(new, old, Person("bob", "B", "Bob", "b@x.org", "1000"))[:2] == (what, old.id)


NOT_THIS: dict[str, tuple[Person, list[Person], str]] = {
    "the number of one, the username of another": (
        Person("bob", "Lovelace", "Ada", "", "4711"),
        [ADA, Person("bob", "B", "Bob")],
        "it could be each of ada (number), bob (username)",
    ),
    "the address of another": (
        Person("bob", email="ada@example.org"),
        [ADA, Person("bob")],
        "it could be each of",
    ),
    "two of that name": (
        Person("", "Lee", "Jin"),
        [Person("a", "Lee", "Jin"), Person("b", "Jin", "Lee")],
        "each of",
    ),
    "the username of somebody else": (
        Person("ada", "Turing", "Alan"),
        [ADA],
        "ada is called Ada Lovelace, and not Alan",
    ),
    "the address of one with another number": (
        Person("", "Lovelace", "Ada", "ada@example.org", "5"),
        [ADA],
        "has the number 4711, and not 5",
    ),
    "an id that differs in its case only": (Person("ADA", "Turing", "Alan"), [ADA], "another student ada"),
    "nobody": (Person("", number="3"), [], "it names nobody"),
    "signs alone": (Person("", "???", ""), [], "no name that could be a folder's"),
}


@pytest.mark.parametrize("case", NOT_THIS)
def test_a_row_that_may_be_somebody_else_is_refused(case: str) -> None:
    new, people, told = NOT_THIS[case]
    what, _, said = one(new, *people)
    assert what == "refused"
    assert told in said


def test_a_student_is_there_once_in_a_roster_and_the_same_row_twice_is_one() -> None:
    bob = Person("bob", "B", "Bob")
    result = _compared(
        [ADA, Person("ada", "Lovelace", "Ada"), bob, bob, Person("", "", "", "ada@example.org")], []
    )
    assert [(c.line, c.what) for c in result.changes] == [
        (2, "refused"),
        (3, "refused"),
        (4, "added"),
        (6, "refused"),
    ]
    assert result.changes[1].told == "line 2 has the same username"
    result = _compared(
        [Person("", email="ada@example.org"), Person("", number="4711", last_name="Lovelace")], [ADA]
    )
    assert [c.told for c in result.changes] == ["line 3 is ada, too", "line 2 is ada, too"]


def test_an_id_is_a_name_that_a_folder_can_have() -> None:
    for login in ("../x", "a/b", ".ssh", "-rf", "a b", "x" * 300, "\u202ea", "Ａda"):
        (change,) = _compared([Person(login, "Lee", "Jin")], []).changes
        assert change.what == "added"
        assert change.student.replace("-", "").replace("_", "").isalnum()
        assert len(change.student) <= 100
        assert Roster([change.person]).by_id[change.student].name == "Jin Lee"  # type: ignore[list-item]


@pytest.mark.parametrize("seed", range(60))
def test_a_roster_of_anything_loses_nobody_and_a_second_time_changes_nothing(seed: int) -> None:
    random = Random(seed)
    pick = random.choice

    def anybody(ids: list[str]) -> Person:
        return Person(
            pick(ids),
            pick(["", "Lee", "Noether", "lee", "O'Brien"]),
            pick(["", "Jin", "Emmy", "Émmy", "jin"]),
            pick(["", "", "a@x.org", "B@x.org", "b@x.org"]),
            pick(["", "", "1", "2", "3"]),
        )

    people: dict[str, Person] = {}
    for _ in range(random.randrange(5)):
        new = anybody(["a", "b", "c", "Jin-Lee", "leejin-1"])
        if not any(
            p.number == new.number != "" or p.email.casefold() == new.email.casefold() != ""
            for p in people.values()
        ):
            people[new.id] = new
    rows = [anybody(["", "", "a", "B", "c", "d"]) for _ in range(random.randrange(8))]
    first = _compared(rows, list(people.values()))
    after = people | {c.student: c.person for c in first.changes if c.person and c.what != "refused"}
    assert people.keys() <= after.keys()
    for filled in ("number", "email"):
        values = [getattr(p, filled).casefold() for p in after.values() if getattr(p, filled)]
        assert len(values) == len(set(values)), (filled, after)
    for student, old in people.items():
        new = after[student]
        assert all(
            getattr(new, name) or not getattr(old, name)
            for name in ("last_name", "first_name", "email", "number")
        )
    again = _compared(rows, list(after.values()))
    assert [c.what for c in again.changes if c.what in ("added", "changed")] == []


# -- In a course ------------------------------------------------------------------------------------------------------


@pytest.fixture
def classroom(mini_course: Course, tmp_path: Path) -> Classroom:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    return Classroom(Course(root))


def test_a_roster_completes_students_who_have_grades_and_the_grades_stay(
    classroom: Classroom, tmp_path: Path
) -> None:
    url, course = classroom.folders.db_url, classroom.folders.course_id
    with Gradebook(url, course) as gradebook:
        gradebook.add_assignment("mini")
        gradebook.add_notebook("mini", "mini")
        gradebook.add_grade_cell("a", "mini", "mini", max_score=3, cell_type="code")
        gradebook.add_student("lovelaceada-4711")
        submission = gradebook.add_submission("mini", "lovelaceada-4711")
        submission.notebooks[0].grades[0].manual_score = 2
        gradebook.db.commit()
    (tmp_path / "roster.csv").write_text(CANVAS)
    for outcomes in (["changed", "added"], ["unchanged", "unchanged"]):
        result = compare(read_roster(tmp_path / "roster.csv"), known_students(classroom)[0])
        assert [change.what for change in result.changes] == outcomes
        write_students(classroom, [c.person for c in result.changes if c.person])
    with Gradebook(url, course) as gradebook:
        student = gradebook.find_student("lovelaceada-4711")
        assert (student.first_name, student.last_name, student.lms_user_id) == ("Ada", "Lovelace", "4711")
        assert gradebook.find_submission("mini", "lovelaceada-4711").score == 2
        assert len(gradebook.students) == 2


def test_after_a_roster_each_platform_s_names_find_the_same_student(
    classroom: Classroom, tmp_path: Path
) -> None:
    (tmp_path / "roster.csv").write_text(CANVAS)
    result = compare(read_roster(tmp_path / "roster.csv"), [])
    write_students(classroom, [c.person for c in result.changes if c.person])
    people, _ = known_students(classroom)
    for path in (
        "lovelaceada_4711_9_x.ipynb",
        "Ada Lovelace_3_assignsubmission_file_/x.ipynb",
        "ada/x.ipynb",
        "Lovelace, Ada/x.ipynb",
    ):
        owner = Layout([path], Roster(people).knows).owner(path)
        assert owner is not None
        assert Roster(people).find(owner).student == "ada"
