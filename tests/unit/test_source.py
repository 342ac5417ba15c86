"""The digest by which a build knows whether a notebook's kept pictures still are what its code draws."""

import importlib.util
from pathlib import Path

import pytest

from autograder.unit import source
from autograder.unit.assignment import Assignment
from autograder.unit.cell import FIGURE
from autograder.unit.source import _statements, read_source

WHOLE = '''"""Lines and bars."""

import math

WIDTH = 8.2


def line(x):
    """A line."""
    return math.hypot(x, WIDTH) if x else None


def bar(x, colour="red"):
    if x > 0.0:  # no bar of no length
        return f"{x:>{len(colour)}} {colour}"
'''

PARTS = {
    "style.py": '"""How it looks."""\n\nWIDTH = 8.2\n',
    "shapes/__init__.py": 'from .bars import bar\n\n__all__ = ["bar"]\n',
    "shapes/bars.py": "def bar(x, colour='red'):\n  if (x > 0.0):\n    return f'{x:>{len(colour)}} {colour}'\n",
    "lines.py": '''from typing import TYPE_CHECKING
import math
from .style import WIDTH

if TYPE_CHECKING:
    import numpy


def line(x):
    """Now with other words."""
    # and a remark
    return math.hypot(x, WIDTH) if x else None
''',
}


def said(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return _statements(list(folder.rglob("*.py")))


def test_moving_functions_and_rewording_comments_changes_nothing(tmp_path):
    assert said(tmp_path / "whole", {"plots.py": WHOLE}) == said(tmp_path / "parts", PARTS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("8.2", "8.3"),
        ("0.0", "0"),
        ("else None", "else 0"),
        ("hypot", "dist"),
        ('"red"', '"blue"'),
        (":>{", ":<{"),
        ("x > 0.0", "x < 0.0"),
        ("def bar", "@trace\ndef bar"),
        ("WIDTH = 8.2", "WIDTH = 8.2\nif WIDTH > 8:\n    WIDTH = 8"),
    ],
)
def test_whatever_changes_a_picture_changes_the_digest(tmp_path, old, new):
    changed = WHOLE.replace(old, new)
    assert changed != WHOLE
    assert said(tmp_path / "a", {"plots.py": WHOLE}) != said(tmp_path / "b", {"plots.py": changed})


def test_the_packages_that_draw_are_there():
    engine = Path(source.__file__).parents[2] / "autograd_ref"
    for name in source.DRAWING:
        assert (engine / name / "__init__.py").is_file()


def test_the_digest_is_the_same_in_all_versions_of_python():
    # Builds on one version are checked on others. The text is written out here, because this runs on one of them.
    import ast

    statement = ast.parse("def f(x, /, y=None):\n    return x[1:, 'a']").body[0]
    assert source._outline(statement) == (
        "FunctionDef(name='f' args=arguments(posonlyargs=[arg(arg='x')] args=[arg(arg='y')] defaults=[Constant()]) "
        "body=[Return(value=Subscript(value=Name(id='x' ctx=Load()) "
        "slice=Tuple(elts=[Slice(lower=Constant(value=1)) Constant(value='a')] ctx=Load()) ctx=Load()))])"
    )


def test_a_unit_s_first_code_installs_the_package_where_it_is_missing_and_does_nothing_elsewhere(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = next(cell for cell in read_source(mini.path.with_suffix(".py")).cells if cell.cell_type == "code")
    assert (
        first.id == "install_package"
        and first.metadata.jupyter.source_hidden
        and first.metadata.nbgrader.locked
    )
    (cell,) = [cell for cell in mini.released if cell.id == first.id]
    assert cell.kind == FIGURE, "grading skips it"
    ran: list[tuple[str, str]] = []

    class Shell:
        def run_line_magic(self, name: str, line: str) -> None:
            ran.append((name, line))

    for spec, expected in ((object(), []), (None, [("pip", "install -q autograd-course")])):
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, spec=spec: spec if name == "autograder" else None
        )
        exec(cell.source, {"get_ipython": Shell})
        assert ran == expected
