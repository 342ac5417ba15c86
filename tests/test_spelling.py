"""Spelling: common misspellings anywhere, and every word that a learner reads, in British spelling.

A word that is right and not known goes into `tests/words.txt`. The names that a unit's own code defines are known.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jupytext
import pytest

from .conftest import REPOSITORY
from .test_repository import PAGES

codespell_lib = pytest.importorskip("codespell_lib")
spellchecker = pytest.importorskip("spellchecker")

WORDS = Path(__file__).with_name("words.txt")
SOURCES = sorted((REPOSITORY / "solutions").glob("*/*.py"))

#: American spellings that are the field's own names, or British as well.
FIELD = {"optimizer", "optimizers", "program", "practice", "math", "dialog", "artifact"}

WORD = re.compile(r"(?<![\w/.@])[A-Za-zÀ-ÿ]+(?:['’][a-z]+)?(?![\w(=@]|\.\w)")


@functools.cache
def british() -> dict[str, str]:
    """British spellings of American words."""
    table = Path(codespell_lib.__file__).parent / "data" / "dictionary_en-GB_to_en-US.txt"
    found = {}
    for line in table.read_text(encoding="utf-8").splitlines():
        ours, _, theirs = line.partition("->")
        for word in theirs.split(","):
            if word.strip() and word.strip() not in FIELD:
                found.setdefault(word.strip(), ours)
    return found


@functools.cache
def listed() -> list[str]:
    return [line for line in WORDS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


@functools.cache
def dictionary() -> object:
    checker = spellchecker.SpellChecker(distance=1)
    checker.word_frequency.load_words([*british().values(), *listed()])
    return checker


def prose(markdown: str) -> str:
    """Markdown without code, formulas, tags and addresses."""
    for other in (
        r"```.*?```",
        r"\$\$.*?\$\$",
        r"\$[^$\n]+\$",
        r"`[^`]+`",
        r"\]\([^)]*\)",
        r"<[^>]+>",
        r"\S+://\S+",
    ):
        markdown = re.sub(other, " ; ", markdown, flags=re.DOTALL)
    return markdown


def texts_of(source: str) -> Iterator[str]:
    """What people read in code: comments, docstrings, messages."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("###"):
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


@functools.cache
def names_of_the_engine() -> set[str]:
    modules = (REPOSITORY / "autograd_ref").rglob("*.py")
    return set().union(*(names_of(code_of(module.read_text(encoding="utf-8"))) for module in modules))


def code_of(source: str) -> str:
    """Code without comments and texts."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return " ".join(token.string for token in tokens if token.type == tokenize.NAME)


def names_of(source: str) -> set[str]:
    """The words that the names in some code are made of."""
    return {part.lower() for name in re.findall(r"[^\W\d]\w*", source) for part in re.split(r"_|\d", name)}


def odd_words(text: str, names: set[str]) -> dict[str, str]:
    """Words that are not known, or not British, with what may be meant."""
    checker = dictionary()
    found = {}
    for written in WORD.findall(prose(text)):
        word = re.sub(r"['’]s$", "", written).replace("’", "'")
        plain = word.lower()
        if len(word) < 3 or word[1:].lower() != word[1:]:  # CamelCase and acronyms are names
            continue
        if plain in british():
            found[written] = british()[plain]
        elif plain not in names and plain.rstrip("s") not in names and checker.unknown([plain]):
            found[written] = checker.correction(plain) or "?"
    return found


def complaint(odd: dict[str, str]) -> str:
    told = ", ".join(f"{word} ({better}?)" for word, better in sorted(odd.items()))
    return f"mend these words, or add them to tests/words.txt: {told}"


def test_no_file_holds_a_common_misspelling(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    places = ["autograd_ref", "autograder", "solutions", "course", "docs", "tests", "binder", "README.md"]
    count = codespell_lib.main("--toml", "pyproject.toml", *places)
    assert count == 0, capsys.readouterr().out


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_word_of_a_unit_is_spelt_as_in_britain(source: Path) -> None:
    code = source.read_text(encoding="utf-8")
    names = names_of(code_of(code)) | names_of_the_engine()
    if source.name == "mistakes.py":
        # The answers are what students write; the sentences are ours.
        calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
        texts = [
            a.value
            for call in calls
            for a in call.args
            if isinstance(a, ast.Constant) and " " in str(a.value)
        ]
    else:
        cells = jupytext.reads(code, fmt="py:percent").cells
        texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
        texts += [text for cell in cells if cell.cell_type == "code" for text in texts_of(cell.source)]
    odd = odd_words("\n\n".join(map(str, texts)), names)
    assert not odd, complaint(odd)


@pytest.mark.parametrize(
    "guesses",
    sorted((REPOSITORY / "solutions").glob("*/guesses.toml")),
    ids=lambda path: path.parent.name,
)
def test_every_word_that_is_said_to_a_prediction_is_spelt_as_in_britain(guesses: Path) -> None:
    (source,) = (path for path in guesses.parent.glob("*.py") if path.name != "mistakes.py")
    names = names_of(code_of(source.read_text(encoding="utf-8"))) | names_of_the_engine()
    about = tomllib.loads(guesses.read_text(encoding="utf-8"))
    odd = odd_words("\n\n".join(said for each in about.values() for _, said in each["told"]), names)
    assert not odd, complaint(odd)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_word_of_a_page_is_spelt_as_in_britain(page: Path) -> None:
    text = re.sub(r"^    .*", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)  # blocks of code
    odd = odd_words(text, names_of_the_engine())
    assert not odd, complaint(odd)


@pytest.mark.parametrize(
    "module", ["checks", "compare", "diagnose", "logbook", "probes", "unfinished", "unread"]
)
def test_every_word_of_a_message_is_spelt_as_in_britain(module: str) -> None:
    source = (REPOSITORY / "autograder" / "lesson" / f"{module}.py").read_text(encoding="utf-8")
    odd = odd_words("\n\n".join(texts_of(source)), names_of(code_of(source)))
    assert not odd, complaint(odd)


def test_the_list_of_words_is_in_order_and_holds_none_that_needs_no_listing() -> None:
    assert listed() == sorted(set(listed()))
    assert [word for word in listed() if word in british()] == []


def test_a_misspelt_word_is_found_and_code_is_left_alone() -> None:
    text = "The gradeint of `colr`, $x_{teh}$ and [here](wich.md): color, behaviour, ValueError, its g's, 2n, abs()"
    assert odd_words(text, set()) == {"gradeint": "gradient", "color": "colour"}
