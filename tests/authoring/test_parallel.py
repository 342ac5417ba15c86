"""The runs of a proof in processes: each is done once, none is lost without a word, and nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from autograder.authoring.parallel import FEW, each, kept
from autograder.errors import UserError

from ..conftest import REPOSITORY
from .shared_work import doubled, ended, environment, fragile


def test_every_item_is_done_once_and_by_all_processes() -> None:
    items = list(range(40))
    with kept():
        found = dict(each(doubled, "s", items, 2))
        again = dict(each(doubled, "t", items, 2))
    assert {i: value[:2] for i, value in found.items()} == {i: ("s", 2 * i) for i in items}
    workers = {value[2] for value in found.values()}
    assert len(workers) == 2
    assert os.getpid() not in workers
    assert {value[0] for value in again.values()} == {"t"}
    assert {value[2] for value in again.values()} <= workers  # they stayed
    assert not [pid for pid in workers if psutil.pid_exists(pid)]  # and are gone


def test_without_a_next_step_no_process_stays() -> None:
    workers = {value[2] for _, value in each(doubled, "s", list(range(8)), 2)}
    assert not [pid for pid in workers if psutil.pid_exists(pid)]


@pytest.mark.parametrize(("count", "jobs"), [(40, 1), (FEW - 1, 2)])
def test_one_at_a_time_and_a_few_need_no_process(count: int, jobs: int) -> None:
    assert {value[2] for _, value in each(doubled, "s", list(range(count)), jobs)} == {os.getpid()}


@pytest.mark.parametrize("variable", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"])
def test_a_process_computes_in_one_thread_unless_somebody_says_otherwise(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable)
    assert {told for _, told in each(environment, variable, list(range(FEW)), 2)} == {"1"}
    assert variable not in os.environ  # of this process nothing is said
    monkeypatch.setenv(variable, "3")
    assert {told for _, told in each(environment, variable, list(range(FEW)), 2)} == {"3"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_run_raises_is_raised(jobs: int) -> None:
    with pytest.raises(ValueError, match="of 3"):
        list(each(fragile, "of", list(range(20)), jobs))
    assert len(list(each(doubled, "s", list(range(8)), jobs))) == 8


def test_a_process_that_is_lost_is_a_sentence_and_the_next_step_has_new_ones() -> None:
    with pytest.raises(UserError, match="ended from outside"):
        list(each(ended, "s", list(range(20)), 2))
    assert len(list(each(doubled, "s", list(range(8)), 2))) == 8


WAITING = """
import time
def waits(shared, item):
    import os
    open(f"{shared}/{os.getpid()}", "w").close()
    time.sleep(60)
if __name__ == "__main__":
    import sys
    import waiting
    from autograder.authoring.parallel import each
    list(each(waiting.waits, sys.argv[1], list(range(8)), 2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to a group")
@pytest.mark.parametrize("sent", ["SIGKILL", "SIGINT"])
def test_who_ends_the_command_ends_its_processes(sent: str, tmp_path: Path) -> None:
    (tmp_path / "waiting.py").write_text(WAITING)
    pids = tmp_path / "pids"
    pids.mkdir()
    environment = {**os.environ, "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{tmp_path}"}
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "waiting.py"), str(pids)],
        env=environment,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while len(list(pids.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    workers = [int(path.name) for path in pids.iterdir()]
    assert len(workers) == 2
    if sent == "SIGINT":
        os.killpg(parent.pid, signal.SIGINT)
    else:
        parent.kill()
    parent.wait(30)
    until = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
