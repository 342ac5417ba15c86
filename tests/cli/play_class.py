"""The pages for instructors, and what the others say of a class: played through in a course of one small unit."""

from __future__ import annotations

import getpass
import re
import shlex
import shutil
import zipfile
from pathlib import Path

from autograder.authoring import frames
from autograder.unit.assignment import Course
from autograder.unit.notebook import write_text

from ..lab import free_port
from .played import Played

UNIT = "03_reverse_mode"
#: A second worker process costs more than it saves here.
ALONE = ("--jobs", 1)
WRONG = "def square_vjp(g, x):\n    return 2 * x\n"
ROSTER = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n"
    '"Lovelace, Ada",11,s1,ada,One\n"Curie, Marie",12,s2,marie,One\n"Noether, Emmy",13,s3,emmy,One\n'
)


#: How Moodle and others name files, for nbgrader's own collector.
NAMES = r".*/(?P<student_id>\w+?)_.*_attempt_[-\d]+_(?P<file_id>.*)"
EQUIVALENTS = """["*"]
"which writes into `g`" = "Numbers cannot be written into."
"which writes into `x`" = "Numbers cannot be written into."

[square_vjp]
"return g * 2 * x: with `x` for `g` AND return g * 2 * x: with `g` for `x`" = "A product has no order."
"""


def small_course(root: Path) -> Path:
    """A course of one unit, the frame that `new` makes, under the name that the pages use; it has an exchange."""
    frames.new_course(root)
    shutil.rmtree(root / "solutions" / frames.FIRST)
    frames.new_unit(root / "solutions", UNIT)
    (root / "solutions" / UNIT / "equivalents.toml").write_text(EQUIVALENTS, encoding="utf-8")
    (root / "exchange").mkdir()
    (root / "exchange").chmod(0o777)
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"\nc.Exchange.root = {str(root / 'exchange')!r}\n")
        file.write(f"c.Exchange.cache = {str(root / 'cache')!r}\n")
        file.write(f"c.FileNameCollectorPlugin.named_regexp = {NAMES!r}\n")
    return root


def author(play: Played) -> None:
    """What a change of a unit needs."""
    play("autograder build", says=f"✓ course/{UNIT}/reverse_mode.ipynb")
    play("autograder build --check", says="up to date")
    play("autograder build 03_reverse_mode", says=f"✓ course/{UNIT}/reverse_mode.ipynb (unchanged)")
    play("autograder prove 03_reverse_mode", extra=ALONE, says=f"{UNIT}: proved; 3 wrong and 1 right answers")
    play(
        "autograder prove UNIT --seeds 5",
        UNIT=UNIT,
        extra=ALONE,
        says="0 wrong answers passed or right ones were refused",
    )
    play(
        "autograder prove UNIT --right-seeds 100",
        UNIT=UNIT,
        extra=ALONE,
        says=["runs of right answers alone", "100 of them; 0 were refused"],
    )
    play(
        "autograder prove",
        "--matrix FILE.csv",
        FILE="m",
        extra=ALONE,
        says=["; 0 checks end nothing", "m.csv holds all"],
    )
    play("autograder prove UNIT --alike", UNIT=UNIT, extra=ALONE, says="mutants hear a sentence of the bank")
    play("autograder mutants UNIT", UNIT=UNIT, extra=ALONE, says="0 alive")
    play("autograder mutants", extra=ALONE, says="0 alive")
    play("autograder prove", extra=ALONE, says=["proved", "of 1 unchanged exercises a tenth"])


def hand_in(play: Played) -> dict[str, Path]:
    """What students handed in, as Canvas gives it out, and one in a folder of its own."""
    assignment = Course(play.here).assignment(UNIT)
    files = {
        "all": write_text(assignment.solved()),
        "wrong": write_text(assignment.solved({"square_vjp": WRONG})),
    }
    notebook = play.here / "notebook.ipynb"
    notebook.write_text(files["all"], encoding="utf-8")
    with zipfile.ZipFile(play.here / "canvas.zip", "w") as archive:
        archive.writestr("curiemarie_12_902_reverse_mode.ipynb", files["all"])
        archive.writestr("lovelaceada_LATE_11_901_reverse_mode.ipynb", files["wrong"])
    with zipfile.ZipFile(play.here / "later.zip", "w") as archive:
        archive.writestr("lovelaceada_LATE_11_951_reverse_mode-1.ipynb", files["all"])
    return {"FILE": notebook, "canvas": play.here / "canvas.zip", "later": play.here / "later.zip"}


def release(play: Played) -> None:
    """Steps 1 and 2 of the instructors' page."""
    (play.here / "roster.csv").write_text(ROSTER, encoding="utf-8")
    roster = {"ROSTER.csv": "roster.csv"}
    play("autograder students import ROSTER.csv", "--dry-run", **roster, says="3 added, 0 changed")
    play(
        "autograder students import ROSTER.csv", **roster, says="3 added, 0 changed, 0 unchanged, 0 refused."
    )
    play("autograder bundle UNIT --out FILE.zip", UNIT=UNIT, FILE="unit", says="unit.zip: 1 unit")
    play("autograder bundle 03 --out 03.zip", says="03.zip: 1 unit")
    play("autograder bundle --out course.zip", says="course.zip: 1 unit")
    play("autograder bundle", extra=["--force"], says="course.zip: 1 unit")
    released = (play.here / "course" / UNIT / "reverse_mode.ipynb").read_bytes()
    play("nbgrader generate_assignment UNIT --force", UNIT=UNIT)
    play("nbgrader generate_assignment 03_reverse_mode --force")
    assert (play.here / "course" / UNIT / "reverse_mode.ipynb").read_bytes() == released
    play("nbgrader release_assignment UNIT", UNIT=UNIT, says="Released as")
    play("autograder teach UNIT", "--out DIR", UNIT=UNIT, DIR="lessons")
    play("autograder teach UNIT", UNIT=UNIT, says="slides.ipynb")
    place, port = Played(play.here / "teaching"), free_port()
    own = ["--ServePostProcessor.open_in_browser=False", f"--ServePostProcessor.port={port}"]
    copies = ["--SlidesExporter.reveal_url_prefix=reveal.js", "--SlidesExporter.require_js_url=require.js"]
    command = "jupyter nbconvert --to slides --post serve UNIT.slides.ipynb"
    (shown,) = (path.name.removesuffix(".slides.ipynb") for path in place.here.glob("*.slides.ipynb"))
    page = f"http://127.0.0.1:{port}/{shown}.slides.slides.html"
    extra = [*own, *(word for one in copies for word in place.filled(one))]
    with place.serving(command, page, extra=extra, UNIT=shown) as text:
        assert 'src="require.js"' in text and "reveal.js/dist" in text and "unpkg.com" not in text
    play.ran |= place.ran


def by_exchange(play: Played) -> str:
    """A student of nbgrader's exchange fetches the unit and hands it in; gives the name."""
    at_home = Played(play.here / "at home")
    at_home.here.mkdir()
    shutil.copy(play.here / "nbgrader_config.py", at_home.here)
    for command in ("fetch_assignment", "submit"):
        code, told = at_home.outside(["nbgrader", command, UNIT])
        assert code == 0, told
    return getpass.getuser()


def collect(play: Played, files: dict[str, Path]) -> None:
    """Step 3, and what belongs to it."""
    play("autograder collect ARCHIVE", ARCHIVE=files["canvas"], says="2 collected, 0 skipped, 1 missing.")
    play("autograder due UNIT", UNIT=UNIT, says="no due date")
    play('autograder due UNIT "2026-11-20 23:59 +01:00"', UNIT=UNIT, says="2026-11-20 23:59")
    play('autograder due UNIT "2027-01-31 23:59 +01:00"', UNIT=UNIT, says="2027-01-31 23:59")
    play("autograder due UNIT", "--off", UNIT=UNIT, says="no due date")
    play("autograder due UNIT TIME", UNIT=UNIT, TIME="2026-11-20 23:59 UTC", says="2026-11-20")
    play('nbgrader db assignment add UNIT --duedate "2026-11-20 23:59 UTC"', UNIT=UNIT)
    number = [*shlex.split("nbgrader db student add zoe"), f"{play.filled('--lms-user-id')[0]}=14"]
    code, told = play.outside(number)
    assert code == 0, told
    downloaded = play.here / "downloaded" / UNIT / "archive"
    downloaded.mkdir(parents=True)
    shutil.copy(files["FILE"], downloaded / f"zoe_{UNIT}_attempt_2026-11-19-10-00-00_reverse_mode.ipynb")
    play("nbgrader zip_collect UNIT", UNIT=UNIT)
    assert (play.here / "submitted" / "zoe" / UNIT / "reverse_mode.ipynb").is_file()
    student = by_exchange(play)
    play("nbgrader collect UNIT", UNIT=UNIT)
    assert (play.here / "submitted" / student / UNIT / "reverse_mode.ipynb").is_file()
    play(
        "autograder collect ARCHIVE",
        "--anyway",
        "--unit UNIT",
        ARCHIVE=files["later"],
        UNIT=UNIT,
        says="1 collected",
    )
    told = play("autograder receipt FILE", FILE=files["FILE"], says="keep that line")
    receipt = told.splitlines()[0]
    play("autograder receipts RECEIPT", RECEIPT=receipt, says=["marie", receipt[:5]])
    play(
        "autograder gradescope UNIT --out FILE.zip", UNIT=UNIT, FILE="scope", says="scope.zip: the grader of"
    )
    play("autograder gradescope 03", says="autograder.zip: the grader of")


def grade(play: Played, files: dict[str, Path]) -> None:
    """Step 4, the seed, and what grades one file."""
    play("autograder grade UNIT", UNIT=UNIT, extra=ALONE, says=["ada", "marie", "2 / 2"])
    play("autograder grade 03_reverse_mode", extra=ALONE, says="graded before")
    play("autograder grade 3", "--student ID", "--force", ID="marie", extra=ALONE, says="marie")
    play("autograder grade UNIT --force", UNIT=UNIT, extra=ALONE, says="2 / 2")
    play("autograder grade UNIT --hand-ins best", "--late-policy 10", UNIT=UNIT, extra=ALONE, says="ada")
    play(
        "autograder grade UNIT",
        "--hand-ins last",
        "--late-policy nbgrader",
        UNIT=UNIT,
        extra=ALONE,
        says="ada",
    )
    play("autograder grade UNIT --new-seed", UNIT=UNIT, extra=ALONE, says="2 / 2")
    play("nbgrader autograde UNIT", "--force", UNIT=UNIT)
    (seed,) = re.findall(r"--seed (\d+)", play("autograder seed UNIT", UNIT=UNIT))
    file = {"FILE": files["FILE"]}
    play("autograder score FILE", **file, says=["✓ square_vjp: right", "2 of 2 points"])
    play("autograder score FILE --seed N", N=seed, **file, says=f"2 of 2 points (seed {seed})")
    play("autograder score FILE", "--seed N", "--json", N=seed, **file, says='"score": 2')
    play("autograder score notebook.ipynb", "--json", "--fail-under POINTS", POINTS=2, says='"max_score": 2')
    play("autograder score notebook.ipynb", "--fail-under POINTS", POINTS=3, code=1)
    play("autograder score notebook.ipynb", "--unsandboxed", says="2 of 2 points")
    play("autograder score notebook.ipynb", "--unprotected-scores", says="2 of 2 points")


def give_back(play: Played) -> None:
    """Steps 6 to 8."""
    play("autograder feedback UNIT", UNIT=UNIT, extra=ALONE, says="4 pages of feedback")
    play(
        "autograder feedback 03_reverse_mode", "--to canvas", extra=ALONE, says="canvas.zip: 2 of 4 students"
    )
    play("autograder feedback UNIT", "--to moodle", UNIT=UNIT, extra=ALONE, code=1, says="No zip is written")
    play("nbgrader release_feedback UNIT", UNIT=UNIT, extra=[f"--student={getpass.getuser()}"])
    code, told = Played(play.here / "at home").outside(["nbgrader", "fetch_feedback", UNIT])
    assert code == 0 and list((play.here / "at home" / UNIT / "feedback").rglob("reverse_mode.html")), told
    play("nbgrader generate_feedback UNIT --force", UNIT=UNIT)
    play(
        "autograder report UNIT",
        "--out FILE",
        UNIT=UNIT,
        FILE="page.html",
        says="4 submissions in page.html.",
    )
    play("autograder report UNIT", "--csv FILE", UNIT=UNIT, FILE="table.csv", says="as a table in table.csv")
    play("autograder report 03_reverse_mode", says=f"4 submissions in report-{UNIT}.html")
    play("autograder export --to csv|canvas|moodle", "--unit UNIT", UNIT=UNIT)
    named = '--assignment "Reverse mode (99881)"'
    play(
        "autograder export --to canvas", named, "--unit UNIT", UNIT=UNIT, says="Grades in grades-canvas.csv."
    )
    assert "Reverse mode (99881)" in (play.here / "grades-canvas.csv").read_text(encoding="utf-8")
    play("autograder export --to csv", says="Grades in grades.csv.")
    play("nbgrader export")
    play('autograder hold UNIT --until "2026-12-01 09:00 +01:00"', UNIT=UNIT, says="2026-12-01")
    play("autograder hold UNIT", UNIT=UNIT)
    play("autograder hold UNIT --until TIME", UNIT=UNIT, TIME="2199-01-01 09:00 UTC", says="until 2199-01-01")
    play("autograder feedback UNIT", UNIT=UNIT, code=2, says="until 2199-01-01")
    play("autograder export --to canvas|moodle", "--anyway")
    play("autograder hold UNIT --off", UNIT=UNIT, says="are not held back")
