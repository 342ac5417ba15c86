"""The commands that the pages show, as they are written there."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

import typer

from autograder.classroom.bundle import README as BUNDLE
from autograder.cli.app import app

from ..conftest import REPOSITORY

#: What a command begins with, also such programs as no page names today.
PROGRAMS = {
    "autograder", "apt", "apt-get", "bash", "brew", "cd", "conda", "curl", "dask", "docker", "git", "ipython",
    "jupyter", "jupyter-lab", "jupytext", "lint-imports", "make", "mamba", "mypy", "nbgrader", "nbstripout", "npm",
    "npx", "pip", "pip-audit", "pipx", "playwright", "pre-commit", "pytest", "python", "python3", "ruff", "sh", "sudo",
    "uv", "uvx", "wget", "wsl",
}  # fmt: skip
#: Programs that do something without a further word.
ALONE = {"lint-imports", "mypy", "pytest"}
#: One word of a command that stands for something of the reader's.
PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+(?:\.\w+)*|\S*\b(?:ORG|REPOSITORY|SCHEDULER|UNIT)\b\S*")


def pages() -> dict[str, str]:
    """Every README, handbook and other page, and those that commands write, by name."""
    patterns = (
        "*.md",
        "*/README.md",
        "docs/*.md",
        "autograd_ref/**/*.md",
        "autograder/**/*.md",
        "tests/**/*.md",
    )
    paths = {path for pattern in patterns for path in REPOSITORY.glob(pattern)}
    paths.add(REPOSITORY / "autograder" / "authoring" / "frame" / "README.md.txt")
    found = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
        if not any(part.startswith(".") for part in path.relative_to(REPOSITORY).parts)
    }
    return found | {"README.md of a bundle": BUNDLE}


@cache
def subcommands() -> dict[str, Any]:
    """The commands of `autograder`."""
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def blocks_of(text: str) -> tuple[list[str], list[str], str]:
    """The lines of indented and of shell blocks, what a workflow's steps run, and the text without any block."""
    indented, runs = [], []
    for language, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        if language in ("", "sh", "bash", "shell", "console"):
            indented += [line.removeprefix("$ ") for line in block.replace("\\\n", " ").splitlines()]
        elif language in ("yaml", "yml"):
            runs += re.findall(r"\brun: (?!\|)(.+)", block)
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for block in re.findall(r"^((?: {4,}\S[^\n]*\n)+)", text, re.MULTILINE):
        indented += block.replace("\\\n", " ").splitlines()
    text = re.sub(r"^ {4,}\S[^\n]*\n", "", text, flags=re.MULTILINE)
    return [line.strip() for line in indented if line.strip()], runs, text


def is_command(text: str) -> bool:
    first, *rest = text.split()
    return first in PROGRAMS and bool(rest or first in ALONE)


def shown(text: str) -> Iterator[str]:
    """The commands of a page, in order; also options in code, which belong to the command before them."""
    block, runs, prose = blocks_of(text)
    for line in [*block, *runs]:
        for part in re.split(r" && | \| ", line):
            if is_command(part):
                yield " ".join(part.split())
    for span in re.findall(r"`([^`]+)`", " ".join(prose.split())):
        words = span.split()
        if not words:
            continue
        if words[0] in subcommands() and len(words) > 1 and words[1].startswith("--"):
            yield f"autograder {span}"
        elif is_command(span) or re.fullmatch(r"--[A-Za-z][\w.-]*(?:=\S+| .+)?", span):
            yield span


def unread(text: str) -> list[str]:
    """Lines of blocks that are no command of a known program."""
    return [line for line in blocks_of(text)[0] if not is_command(line)]


def needs_more(command: str) -> bool:
    """Whether this names a command of ours, and leaves out what it cannot do without."""
    words = shlex.split(command)
    found: Any = subcommands().get(words[1]) if words[0] == "autograder" and len(words) > 1 else None
    if hasattr(found, "commands") and len(words) > 2:
        found = found.commands.get(words[2])
        words = words[1:]
    if found is None or not all(word.startswith("-") for word in words[2:]):
        return False
    return hasattr(found, "commands") or any(parameter.required for parameter in found.params)


def filled_in(command: str, **placeholders: object) -> list[str]:
    """A command's words, with something in the place of each placeholder; the page has to show it so."""
    assert command in everything_shown(), f"no page shows {command!r}"
    found = []
    for word in shlex.split(command):
        for name, value in placeholders.items():
            word = re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", lambda _, value=value: str(value), word)
        assert not PLACEHOLDER.fullmatch(word) or word in map(str, placeholders.values()), f"what is {word}?"
        found.append(word)
    return found


@cache
def everything_shown() -> frozenset[str]:
    return frozenset(command for text in pages().values() for command in shown(text))


def filled_in_elsewhere() -> Iterator[str]:
    """The commands that tests outside of this folder take from the pages with `filled_in`, to run them."""
    for path in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "filled_in" not in text or path.parent.name == "cli":
            continue
        for node in ast.walk(ast.parse(text)):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
            if called == "filled_in" and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)
