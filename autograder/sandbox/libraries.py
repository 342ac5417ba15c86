"""What a pupil may import: the unit's own modules and libraries, each in a folder made for it."""

from __future__ import annotations

import ast
import atexit
import functools
import importlib.metadata
import os
import re
import shutil
import tempfile
from pathlib import Path

from ..lesson.syntax import syntax_tree
from .errors import SandboxError
from .pupil.imports import LEARNER_MODULES

#: The package around this room.
PACKAGE = Path(__file__).resolve().parent.parent


@functools.cache
def distribution_files(names: tuple[str, ...]) -> dict[str, str]:
    """The top-level files and folders of these distributions, of IPython, and of all that they require."""
    found: dict[str, str] = {}
    waiting, seen = [*names, "ipython"], set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # a requirement of another platform
        for requirement in distribution.requires or []:
            if not re.search(r";.*\bextra\b", requirement):
                waiting.append(re.split(r"[\s;\[<>=!~(]", requirement, maxsplit=1)[0])
        tops = {
            file.parts[0] for file in distribution.files or [] if file.parts[0] not in ("..", "__pycache__")
        }
        for top in tops:
            path = os.path.realpath(str(distribution.locate_file(top)))
            if os.path.exists(path):
                found[top] = path
    return found


@functools.cache
def linked_distributions(names: tuple[str, ...]) -> Path:
    """A folder from which just these distributions and what they require can be imported: links to where they are."""
    folder = Path(tempfile.mkdtemp(prefix="learner-site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    for name, source in distribution_files(names).items():
        (folder / name).symlink_to(source)
    return folder


@functools.cache
def allowed_modules(names: tuple[str, ...]) -> tuple[str, ...]:
    """These modules of `autograd_ref`, and those that they import; `autograd_ref` itself stands for all of it.

    A package such as `autograd_ref.data` is its `__init__.py` and what that imports. What a module imports lazily, as
    `autograd_ref.tensor` does with `ops` and `sweep`, is not followed: a unit that needs it says so. Raises
    SandboxError when a unit allows a module that does not exist.
    """
    waiting, found = list(names), set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name == "autograd_ref":
            continue
        source = _source_of(name)
        if not name.startswith("autograd_ref.") or not source.is_file():
            raise SandboxError(f"The unit allows `{name}`, but there is no such module in autograd_ref.")
        tree = syntax_tree(source.read_text(encoding="utf-8"))
        package = name if source.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                waiting += _imported(node, package)
    return tuple(sorted(found))


def _imported(node: ast.ImportFrom, package: str) -> list[str]:
    """The modules of `autograd_ref` that this statement of a module in `package` imports.

    `from autograd_ref.rules import products` is the package, and the module in it. Python runs a package's
    `__init__.py` when something outside of it imports one of its modules.
    """
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    module = ".".join(filter(None, (above, node.module)))
    if module.partition(".")[0] != "autograd_ref":
        return []
    inside = [f"{module}.{alias.name}" for alias in node.names]
    found = {each for each in (module, *inside) if _source_of(each).is_file()}
    above_found = {each.rpartition(".")[0] for each in found}
    found |= {each for each in above_found if not f"{package}.".startswith(f"{each}.")}
    return sorted(found - {"", "autograd_ref", package})


@functools.cache
def learner_library(allowed: tuple[str, ...]) -> Path:
    """A folder with just those modules of the course that a notebook of the unit may import."""
    folder = Path(tempfile.mkdtemp(prefix="learner-library-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    (folder / "autograder" / "lesson").mkdir(parents=True)
    shutil.copy(PACKAGE / "__init__.py", folder / "autograder")
    for module in LEARNER_MODULES:
        shutil.copy(PACKAGE / "lesson" / f"{module}.py", folder / "autograder" / "lesson")
    reference = PACKAGE.parent / "autograd_ref"
    if "autograd_ref" in allowed:
        shutil.copytree(reference, folder / "autograd_ref", ignore=shutil.ignore_patterns("__pycache__"))
        return folder
    (folder / "autograd_ref").mkdir()
    # Lazy: it imports what is there when that is first used.
    shutil.copy(reference / "__init__.py", folder / "autograd_ref")
    for module in allowed:
        source = _source_of(module)
        target = folder / source.relative_to(PACKAGE.parent)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(source, target)
        if source.name == "__init__.py" and (source.parent / "files").is_dir():
            shutil.copytree(source.parent / "files", target.parent / "files")  # the data sets
    for package in {path.parent for path in folder.glob("autograd_ref/*/*.py")}:
        if not (package / "__init__.py").is_file():
            (package / "__init__.py").write_text('"""Only what this unit\'s notebooks may use."""\n')
    return folder


def _source_of(module: str) -> Path:
    """Where a module or a package of this repository stands."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
