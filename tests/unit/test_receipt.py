"""A receipt stays what it was whatever Jupyter and platforms do to a file, and changes with every answer."""

from __future__ import annotations

import copy
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from autograder.errors import UserError
from autograder.unit.assignment import Assignment
from autograder.unit.receipt import receipt_of, receipt_of_bytes, short, typed

Notebook = dict[str, Any]


@pytest.fixture
def handed_in(mini: Assignment) -> Notebook:
    found: Notebook = json.loads(json.dumps(mini.solved()))
    return found


def without(key: str) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            cell.pop(key, None)

    return change


def run(notebook: Notebook) -> None:
    """As after Run All: outputs, counts, times, and the empty cell that JupyterLab adds."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = 7
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "7"}]
            cell["metadata"]["execution"] = {"iopub.execute_input": "2026-01-01T00:00:00Z"}
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.14.1"}
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "source": [], "outputs": []})


def line_ends(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r\n") + "\r\n"


def lines(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(True)


def format_3(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    notebook["worksheets"] = [{"cells": notebook.pop("cells")}]


HANDLING = {
    "metadata of cells": without("metadata"),
    "ids of cells": without("id"),
    "outputs": without("outputs"),
    "kinds of cells": without("cell_type"),
    "metadata of the notebook": lambda notebook: notebook.pop("metadata"),
    "a run": run,
    "line ends": line_ends,
    "a list of lines": lines,
    "an old format": format_3,
}


@pytest.mark.parametrize("name", HANDLING)
def test_handling_changes_no_receipt(name: str, handed_in: Notebook) -> None:
    before = receipt_of(handed_in)
    changed = copy.deepcopy(handed_in)
    HANDLING[name](changed)
    assert changed != handed_in
    assert receipt_of(changed) == before


def test_wrapping_and_encoding_change_no_receipt(handed_in: Notebook) -> None:
    text = json.dumps(handed_in, ensure_ascii=False)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("mini (1).ipynb", text)
    files = [
        text.encode(),
        json.dumps(handed_in, indent=2).replace("\n", "\r\n").encode(),
        text.encode("utf-8-sig"),
        text.encode("utf-16"),
        gzip.compress(text.encode()),
        archive.getvalue(),
    ]
    assert len(set(files)) == len(files)
    assert {receipt_of_bytes(data) for data in files} == {receipt_of(handed_in)}
    assert receipt_of_bytes(b"no notebook") == ""


def test_every_answer_and_every_other_cell_changes_it(handed_in: Notebook) -> None:
    found = {receipt_of(handed_in)}
    for number, cell in enumerate(handed_in["cells"]):
        for text in (cell["source"] + "#", " " + cell["source"], cell["source"].upper() + "\n\n1"):
            changed = copy.deepcopy(handed_in)
            changed["cells"][number]["source"] = text
            found.add(receipt_of(changed))
    assert len(found) == 1 + 3 * len(handed_in["cells"])
    # What one cell ends with is not what the next begins with.
    pairs = [("a\nb", "c"), ("a", "b\nc"), ("a\nb\nc", ""), ("b\nc", "a"), ('a", "b', "c")]
    assert len({receipt_of({"cells": [{"source": one} for one in pair]}) for pair in pairs}) == len(pairs)


def test_a_receipt_is_typed_as_people_type() -> None:
    receipt = receipt_of({"cells": []})
    assert typed(f"  {receipt.upper().replace('-', ' ')} ") == receipt
    assert receipt.startswith(typed(short(receipt))) and receipt.startswith(typed(receipt[:9]))
    for wrong in ("", "abcd", "abc10", receipt + "a", "käse-käse"):
        with pytest.raises(UserError, match="is no receipt"):
            typed(wrong)
