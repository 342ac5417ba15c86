"""The workflow that publishes the site runs the command that is tested here, with actions that nobody can exchange."""

from __future__ import annotations

import re

import yaml

from ...conftest import REPOSITORY

WORKFLOW = yaml.safe_load((REPOSITORY / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8"))
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]


def test_every_action_is_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert len(used) == 4
    for action in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action


def test_it_publishes_what_the_command_writes_and_may_do_no_more() -> None:
    commands = [step["run"] for step in STEPS if "run" in step]
    assert commands == ['pip install ".[site]"', "autograder site --out site"]
    (upload,) = [step for step in STEPS if "upload-pages-artifact" in step.get("uses", "")]
    assert upload["with"]["path"] == "site"
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert WORKFLOW["jobs"]["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert "permissions" not in WORKFLOW["jobs"]["build"]
