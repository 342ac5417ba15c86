"""What the tests of a learner's cells share: a real kernel in a learner's folder."""

from __future__ import annotations

import queue
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from autograder.unit.assignment import Course

#: Runs a cell by its name in the notebook; gives what it shows.
Run = Callable[..., str]


@pytest.fixture
def started(mini_course: Course, tmp_path: Path) -> Iterator[tuple[Run, Path]]:
    """A kernel in a learner's folder of the unit, and that folder."""
    shutil.copytree(mini_course.root, tmp_path / "checkout")
    folder = tmp_path / "checkout" / "course" / "mini"
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(source: str, cell: str | None = None) -> str:
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": False}
        message = client.session.msg("execute_request", content)
        message["metadata"] = {} if cell is None else {"cellId": cell}
        client.shell_channel.send(message)
        shown = []
        while True:
            try:
                said = client.get_iopub_msg(timeout=60)
            except queue.Empty:
                raise AssertionError(f"no answer to {source!r}") from None
            if said["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            body = said["content"]
            shown.append(body.get("text", "") + "\n".join(body.get("traceback", [])))
            if said["msg_type"] == "status" and body["execution_state"] == "idle":
                return "".join(shown)

    try:
        yield run, folder
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
