"""The engine's README is run as a test, so that its walk stays true."""

import doctest
import re
from pathlib import Path

import autograd_ref

HOME = Path(autograd_ref.__file__).parent
PAGE = HOME / "README.md"


def test_every_example_of_the_readme_prints_what_it_says() -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert result.attempted > 25
    assert result.failed == 0


def lines_of(name: str) -> int:
    files = [HOME / name] if name.endswith(".py") else sorted((HOME / name).glob("*.py"))
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def test_the_reading_order_has_all_of_the_core_and_about_the_right_numbers_of_lines() -> None:
    rows = re.findall(r"^\| (`.+?) \| .+? \| (\d+) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = {row: re.findall(r"`([^`]+)`", row) for row, _ in rows}
    for row, lines in rows:
        assert abs(sum(map(lines_of, named[row])) - int(lines)) <= 0.1 * int(lines), row
    listed = {name for names in named.values() for name in names}
    for room in ("core", "utils"):
        assert {f"{room}/{file.name}" for file in (HOME / room).glob("[!_]*.py")} <= listed
