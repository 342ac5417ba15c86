"""What a release consists of: the wheel, what it says of itself, and the pages for those who work with it."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import textwrap
import tomllib
import zipfile
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from autograder.unit.assignment import Course

from .conftest import REPOSITORY

SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]


def page(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(folder), str(REPOSITORY)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode and not os.environ.get("CI"):
        pytest.skip(f"no wheel can be built here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_is_typed_and_says_its_licences_and_where_it_comes_from(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(file.read(metadata))
    assert {"autograd_ref/py.typed", "autograder/py.typed"} <= names
    assert any(name.endswith("etc/jupyter/nbgrader_config.json") for name in names)
    assert told["License-Expression"] == "MIT AND CC-BY-4.0"
    assert set(told.get_all("License-File", [])) == {"LICENSE", "autograd_ref/data/files/README.md"}
    assert {url.split(",")[0] for url in told.get_all("Project-URL", [])} == set(PROJECT["urls"])
    assert not [name for name in names if name.startswith(("tests/", "solutions/", "conftest"))]


def test_the_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    program = (
        "import autograder, autograd_ref as ag; print(autograder.__file__); "
        "x = ag.Tensor([1.0, 2.0], requires_grad=True); (x * x).sum().backward(); print(x.grad.tolist()); "
        "from autograd_ref.data.digits import load_digits; print(len(load_digits()[0]))"
    )
    for command in (["-c", program], ["-m", "autograder.cli.app", "--help"]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        if command[0] == "-c":
            where, *rest = done.stdout.splitlines()
            assert Path(where).is_relative_to(tmp_path) and rest[0] == "[2.0, 4.0]"
        else:
            assert "grade" in done.stdout and "score" in done.stdout


LIGHT = """
    import importlib.metadata as metadata, re, sys
    from packaging.requirements import Requirement

    def closure(names, found):
        for name in names:
            if name not in found:
                found.add(name)
                wanted = [Requirement(text) for text in metadata.requires(name) or []]
                closure([r.name.lower() for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})], found)
        return found

    normal = lambda name: re.sub(r"[-_.]+", "-", name).lower()
    allowed = {normal(name) for name in closure(["autograd-course"], set())}
    owners = metadata.packages_distributions()

    class Refuse:
        def find_spec(self, name, path=None, target=None):
            distributions = {normal(one) for one in owners.get(name.partition(".")[0], [])}
            if distributions and not distributions & allowed:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    assert not {"nbgrader", "jupyterlab", "jupytext", "nbclient", "sqlalchemy"} & allowed, allowed
    sys.meta_path.insert(0, Refuse())
    sys.argv = ["autograder", *sys.argv[1:]]
    from autograder.cli.app import main
    main()
"""


def test_a_learner_needs_neither_jupyterlab_nor_what_grades(tmp_path: Path) -> None:
    """With what the package itself asks for, and no more."""

    def said(*words: str, folder: Path = tmp_path) -> tuple[int, str, str]:
        command = [sys.executable, "-c", textwrap.dedent(LIGHT), *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    mine = tmp_path / "mine"
    code, out, err = said("start", "mine")
    assert (code, err) == (0, "") and "JupyterLab is not installed" in out
    for words in (["progress"], ["fresh", "03"], ["--version"], ["--help"]):
        assert said(*words, folder=mine)[::2] == (0, ""), words
    assert said("lab", folder=mine) == (
        2,
        "",
        "autograder: JupyterLab is not installed: `pip install 'autograd-course[lab]'`.\n",
    )
    code, out, err = said("grade", "03", folder=REPOSITORY)
    assert (code, out) == (2, "")
    assert re.fullmatch(
        r"autograder: This command needs \w+, which is not installed: `pip install 'autograd-course\[grade\]'`.\n",
        err,
    ), err


def test_the_doctor_says_what_a_learner_lacks_and_asks_nobody_to_grade(tmp_path: Path) -> None:
    """Without any extra; and with JupyterLab, as `[lab]` has it."""

    def said(*extras: str) -> tuple[int, str, str]:
        program = textwrap.dedent(LIGHT).replace(
            'closure(["autograd-course"], set())', f'closure(["autograd-course", *{list(extras)}], set())'
        )
        program = program.replace("assert not", "assert True or not")
        command = [sys.executable, "-c", program, "doctor"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    code, out, err = said()
    assert (code, err) == (1, "") and "✓ numpy" in out
    assert "✗ jupyterlab   missing: `pip install 'autograd-course[lab]'`" in out
    code, out, err = said("jupyterlab", "jupyter-server", "tornado", "ipykernel")
    learning, grading = out.split("For grading\n")
    assert learning.startswith("For learning\n") and "✓ jupyterlab" in learning and "✓ kernel" in learning
    assert grading.startswith("○ nbgrader     not installed (nbgrader, ") and grading.count("\n") == 1
    assert "`pip install 'autograd-course[grade]'`" in grading
    assert (code, err) == (0, ""), out


def test_a_learner_needs_nothing_but_the_wheel(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "installed")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}

    def said(*words: str, folder: Path = tmp_path) -> str:
        command = [sys.executable, "-m", "autograder.cli.app", *words]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    mine = tmp_path / "mine"
    units = sorted(path.parent.name for path in (REPOSITORY / "course").glob("*/*.ipynb"))
    assert said("start", "mine", "--no-lab").startswith(f"{len(set(units))} units put into mine.")
    assert all(unit in said("progress", folder=mine) for unit in units)
    own = mine / "03_reverse_mode" / "reverse_mode.ipynb"
    released = own.read_bytes()
    assert released == (REPOSITORY / "course" / "03_reverse_mode" / own.name).read_bytes()
    own.write_bytes(released + b" ")
    assert "is kept as" in said("fresh", "03", folder=mine)
    said("init", "own")
    said("new", "02_next", folder=tmp_path / "own")
    assert (tmp_path / "own" / "solutions" / "02_next" / "next.py").is_file()
    assert own.read_bytes() == released and len(list(own.parent.glob("*(kept *"))) == 1


def test_the_pages_tell_the_version_and_the_licence_of_the_package() -> None:
    citation = yaml.safe_load(page("CITATION.cff"))
    assert citation["version"] == PROJECT["version"]
    assert citation["repository-code"] == PROJECT["urls"]["Homepage"]
    newest = re.search(r"^## (\S+?),? ", page("CHANGELOG.md"), re.M)
    assert newest is not None and newest[1] == PROJECT["version"]


def test_contributing_has_the_rooms_in_the_order_that_the_contract_of_imports_has() -> None:
    rooms = re.findall(r"^\| `autograder/(\w+)/` ", page("CONTRIBUTING.md"), re.M)
    layers = SETTINGS["tool"]["importlinter"]["contracts"][0]["layers"]
    assert rooms == [layer for layer in layers[::-1] if layer != "errors"]


def test_what_binder_installs_is_not_older_than_what_the_package_asks_for() -> None:
    lock = dict(re.findall(r"^([\w.-]+)==(\S+)", page("binder/requirements.txt"), re.M))
    for text in requires("autograd-course") or []:
        requirement = Requirement(text)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": "grade"})
        if wanted and requirement.name != "autograd-course":
            assert requirement.specifier.contains(lock[requirement.name]), text


def test_without_xdist_pytest_runs_all_the_same(tmp_path: Path) -> None:
    program = (
        "import importlib.util, sys; real = importlib.util.find_spec; "
        "importlib.util.find_spec = lambda name, *a: None if name == 'xdist' else real(name, *a); "
        "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "-p", "no:xdist", "-p", "no:xdist.looponfail", "-q"]
    command += ["-p", "no:cacheprovider", "autograd_ref/core/modes.py"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def workflow(name: str) -> dict[Any, Any]:
    return yaml.safe_load(page(f".github/workflows/{name}.yml"))


def test_the_audit_looks_at_the_lowest_versions_that_are_allowed_and_at_every_extra_that_runs() -> None:
    (job,) = workflow("audit")["jobs"].values()
    assert set(job["strategy"]["matrix"]["versions"]) == {"highest", "lowest-direct", "binder"}
    commands = " ".join(step.get("run", "") for step in job["steps"])
    # Of the others `grade` holds `lab`, and the rest is for those who work on the course.
    extras = set(PROJECT["optional-dependencies"]) - {"lab", "site", "test", "compare"}
    assert set(re.findall(r"--extra (\w+)", commands)) == extras
    assert "binder/requirements.txt" in commands and "pip-audit -r audited.txt" in commands


def test_every_dependency_has_a_lower_bound_and_binder_s_lock_is_above_it() -> None:
    wanted = [Requirement(text) for texts in PROJECT["optional-dependencies"].values() for text in texts]
    wanted += [Requirement(text) for text in PROJECT["dependencies"]]
    wanted = [one for one in wanted if one.name != PROJECT["name"]]
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", page("binder/requirements.txt"), re.M))
    for one in wanted:
        assert any(bound.operator == ">=" for bound in one.specifier), str(one)
        if one.name in locked:
            assert one.specifier.contains(locked[one.name]), str(one)
    assert {"jupyterlab", "jupyter-server", "tornado"} <= locked.keys()


def test_the_learner_s_half_is_tried_on_each_python_that_the_package_names_and_on_three_systems() -> None:
    (job,) = workflow("platforms")["jobs"].values()
    matrix = job["strategy"]["matrix"]
    named = {text.rsplit(" ", 1)[1] for text in PROJECT["classifiers"] if ":: Python :: 3." in text}
    assert set(matrix["python"]) == named
    assert {system.split("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}
    commands = [step["run"] for step in job["steps"] if "run" in step]
    for command in commands:
        for folder in re.findall(r"tests/\w+", command):
            assert (REPOSITORY / folder).is_dir(), folder
    (score,) = (command for command in commands if command.startswith("autograder score"))
    unit = Course(REPOSITORY).assignment("1")
    assert score.split()[2] == unit.path.relative_to(REPOSITORY).as_posix()
    assert float(score.split()[-1]) == unit.max_score


@pytest.mark.parametrize("name", ["ci", "audit", "platforms", "pages", "proof"])
def test_actions_of_others_are_named_by_what_they_are_and_not_by_a_tag_that_may_move(name: str) -> None:
    for job in workflow(name)["jobs"].values():
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
