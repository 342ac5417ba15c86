"""Which of nbgrader's own ways to grade a folder's configuration takes: the referee's, none, or a plain kernel."""

from __future__ import annotations

import contextlib
import io
import logging
import os
from pathlib import Path

from nbgrader.apps.baseapp import NbGrader
from traitlets.config import Config

REFEREE = "autograder.classroom.nbgrader_plugin.Referee"
REFUSES = "autograder.classroom.seal.RefuseWithoutReferee"


def settings_of(folder: Path) -> Config:
    """What nbgrader reads when it is run in a folder: the system's, the environment's, the user's, the folder's own."""
    app = NbGrader()
    app.raise_config_file_errors = True
    app.log = logging.getLogger("autograder.nothing")
    app.log.addHandler(logging.NullHandler())
    app.log.propagate = False
    before = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            app.load_config_file()
    finally:
        os.chdir(before)
    return app.config


def who_grades(folder: Path) -> tuple[bool, str]:
    """Whether `nbgrader autograde` and Formgrader run no submission in a plain kernel there, and a sentence on it."""
    try:
        steps = [
            str(step) for step in settings_of(folder).get("Autograde", {}).get("autograde_preprocessors", [])
        ]
    except Exception as error:  # whatever stands in somebody's configuration
        return False, f"its configuration in {folder} is broken: {type(error).__name__}: {error}"
    if REFEREE in steps:
        return True, f"autograde and Formgrader grade through the referee in {folder}"
    if REFUSES in steps:
        return (
            True,
            f"autograde and Formgrader refuse these units in {folder}, whose configuration has no referee",
        )
    return False, (
        f"autograde and Formgrader would run submissions in a plain kernel in {folder}: no configuration there names "
        "the referee. Copy the course's nbgrader_config.py, or install this package anew with pip."
    )
