"""What the pages say of commands is so: each is there, with these options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from autograder.cli.app import app

from ..conftest import REPOSITORY

PAGES = [
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/authors.md", "docs/repositories.md",
    "solutions/README.md", "course/README.md", "autograder/README.md", "autograd_ref/README.md",
    "autograder/authoring/frame/README.md.txt",
]  # fmt: skip


def commands_of(text: str) -> Iterator[list[str]]:
    """The words of every `autograder ...` in code, a line or a span."""
    shown = re.findall(r"`(autograder [^`]+)`", text.replace("\n   ", " ").replace("\n", " "))
    shown += re.findall(r"^    (?:.*&& )?(autograder .+)$", text, re.MULTILINE)
    for line in shown:
        for part in re.split(r"&&|\|", line):
            words = part.split()
            if words[:1] == ["autograder"] and len(words) > 1:
                yield words[1:]


def unknown(words: list[str]) -> str:
    """What of a command there is not; empty when there is all of it."""
    found: Any = typer.main.get_command(app)
    for position, word in enumerate(words):
        if hasattr(found, "commands") and not word.startswith("-"):
            if word not in found.commands:
                return f"the command {word!r}"
            found = found.commands[word]
        elif word == "--":
            break  # the rest is another program's
        elif word.startswith("-"):
            known = {option for parameter in found.params for option in parameter.opts} | {"--help"}
            option = re.match(r"-{1,2}[a-z-]+", word)
            if option and option[0] not in known:
                return f"the option {word} of {' '.join(words[:position])}"
    return ""


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_is_there_with_its_options(page: str) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    wrong = {" ".join(words): missing for words in commands_of(text) if (missing := unknown(words))}
    assert not wrong


def test_a_command_that_is_not_there_is_found() -> None:
    text = "Run `autograder grade UNIT --forse`, `autograder no-such` and\n\n    autograder site --out DIR\n"
    assert [unknown(words) for words in commands_of(text)] == [
        "the option --forse of grade UNIT",
        "the command 'no-such'",
        "",
    ]
