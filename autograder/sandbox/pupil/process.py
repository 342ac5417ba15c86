"""The pupil: the process in which a student's notebook runs while it is graded.

It reads requests from its standard input (run this cell; call this probe with these values) and writes answers to its
standard output, in the frames of `wire.py`. It knows no expected value and no test: whatever the student's code does to
this process, it can change only its own answers.

It is started with a JSON object: "path" (folders to import from), "limits", "user" (whom to become, if started as
root), "allowed" (modules of `autograd_ref` that the unit's students may use), "see" (what the walls have to allow and
to refuse) and, where there is no bubblewrap, "second_wall" (its rules as an open file, and its version). A fork server
is told "control", the socket on which it is asked for forks.
"""

from __future__ import annotations

import json
import os
import sys

from . import landlock, limits
from .conversation import converse, prepare
from .forks import serve_forks
from .imports import Guard
from .streams import take_over_streams
from .system_calls import forbid_system_calls
from .trial import see_the_walls
from .watch import keep_watch


def main() -> None:
    """Close this process in, step by step, and answer."""
    config = json.loads(sys.argv[1])
    sys.argv = ["notebook"]
    sys.path[:0] = config["path"]
    os.environ["MPLBACKEND"] = "agg"
    if "control" in config:
        serve_forks(config)
        return
    second = config.get("second_wall")
    if second:
        keep_watch()
    requests, answers = take_over_streams()
    if not second:
        limits.adopt_orphans()
    limits.set_limits(config["limits"])
    if config.get("user"):
        (landlock if second else limits).become(config["user"])
    if second:
        landlock.close_in(second["rules"], second["version"])
    forbid_system_calls()
    if "see" in config:
        see_the_walls(**config["see"], second=bool(second))
    sys.meta_path.insert(0, Guard(config["allowed"]))
    converse(prepare(config), requests, answers)
