"""The gradebook on a PostgreSQL server: a real one, in a temporary folder, on the loopback interface."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.classroom import Classroom
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.run import grade_class
from autograder.classroom.state import seed_of, seeds_of_results
from autograder.errors import UserError
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course

from ..classroom.test_nothing_lost import class_of_ten
from ..conftest import REPOSITORY
from ..faults import all_of


class Server:
    """A PostgreSQL server of our own. It refuses to run as root, so then another user starts it."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        self.user: dict[str, Any] = {}
        if os.geteuid() == 0:
            self.user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(folder, "nobody", "nogroup")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.run("initdb", "-U", "grader", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync")

    def run(self, program: str, *words: str) -> None:
        command = [str(self.programs / program), "-D", str(self.folder / "data"), *words]
        with open(self.folder / "out", "ab") as out:
            done = subprocess.run(
                command, cwd=self.folder, stdout=out, stderr=out, check=False, timeout=60, **self.user
            )
        assert done.returncode == 0, (self.folder / "out").read_text()

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self.folder} -c fsync=off"
        self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")

    def database(self, name: str) -> str:
        """The URL of a new database."""
        import psycopg

        where = f"host=127.0.0.1 port={self.port} user=grader dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql+psycopg://grader@127.0.0.1:{self.port}/{name}"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not os.environ.get("CI"):
        pytest.importorskip("psycopg")
        if not found:
            pytest.skip("there is no PostgreSQL server: `sudo apt-get install postgresql`")
    assert found, "CI needs the package postgresql"
    with tempfile.TemporaryDirectory(prefix="postgres-", dir="/tmp") as folder:  # sockets have short names
        running = Server(found[-1].parent, Path(folder))
        running.start()
        try:
            yield running
        finally:
            running.stop()


@pytest.fixture
def course(mini_course: Course, tmp_path: Path) -> Course:
    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("submitted", "autograded", "*.db"))
    class_of_ten(Course(root))
    return Course(root)


def use(course: Course, url: str) -> None:
    with open(course.root / "nbgrader_config.py", "a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")


GRADE = """
import sys
from pathlib import Path
from autograder.unit.assignment import Course
from autograder.classroom.classroom import Classroom
from autograder.classroom.run import grade_class
klass = Classroom(Course(Path(sys.argv[1])))
rows = grade_class(klass, klass.course.assignment("mini"), sys.argv[2:], sandbox=klass.sandbox(), jobs=1)
assert [row.state for row in rows] == ["graded"] * len(rows), rows
"""


def test_two_graders_at_once_give_the_table_that_sqlite_has(
    server: Server, course: Course, sandbox: Sandbox
) -> None:
    klass = Classroom(course)
    students = klass.students("mini")
    grade_class(klass, course.assignment("mini"), students, sandbox=sandbox, jobs=1)
    expected = all_of(course)
    shutil.rmtree(course.root / "autograded")
    url = server.database("both")
    use(course, url)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", GRADE, str(course.root), *part],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for part in (students[::2], students[1::2])
    ]
    said = [grader.communicate(timeout=120)[1] for grader in both]
    assert [grader.returncode for grader in both] == [0, 0], said
    assert all_of(course, url) == expected
    with Gradebook(url) as gradebook:  # whoever was first has drawn it, and both have used it
        seed = seed_of(gradebook, "mini")
        assert seeds_of_results(gradebook, "mini") == dict.fromkeys(students, seed)
    (row,) = grade_class(Classroom(course), course.assignment("mini"), students[:1], sandbox=sandbox)
    assert row.state == "kept"


def test_a_server_that_stops_in_the_middle_loses_nothing(
    server: Server, course: Course, sandbox: Sandbox
) -> None:
    use(course, server.database("stops"))
    klass, mini = Classroom(course), course.assignment("mini")
    students = klass.students("mini")
    graded = []

    def stop(row: object) -> None:
        graded.append(row)
        if len(graded) == 4:
            server.stop()

    try:
        with pytest.raises(
            UserError, match=r"Grades cannot be written any more .* 4 of this run are, and kept"
        ):
            grade_class(klass, mini, students, sandbox=sandbox, jobs=1, done=stop)
        with pytest.raises(UserError, match=r"The gradebook postgresql\+psycopg://.* cannot be opened"):
            grade_class(klass, mini, students, sandbox=sandbox, jobs=1)
    finally:
        server.start()
    rows = grade_class(klass, mini, students, sandbox=sandbox, jobs=1)
    assert sorted(row.state for row in rows) == ["graded"] * 6 + ["kept"] * 4
    found = all_of(course, klass.folders.db_url)
    shutil.rmtree(course.root / "autograded")
    fresh = Course(course.root)
    use(fresh, server.database("undisturbed"))
    klass = Classroom(fresh)
    grade_class(klass, mini, students, sandbox=sandbox, jobs=1)
    assert found == all_of(fresh, klass.folders.db_url)


def test_a_password_is_not_printed_when_the_server_cannot_be_reached(
    course: Course, sandbox: Sandbox
) -> None:
    pytest.importorskip("psycopg")
    use(course, "postgresql+psycopg://grader:se%63ret@127.0.0.1:9/none")
    with pytest.raises(UserError, match="cannot be opened") as error:
        grade_class(Classroom(course), course.assignment("mini"), ["s0"], sandbox=sandbox)
    assert "secret" not in str(error.value) and "se%63ret" not in str(error.value)
