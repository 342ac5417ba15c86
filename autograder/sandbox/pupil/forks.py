"""The fork server's process: a warm interpreter, and what each of its forks does before it is a pupil."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from typing import Any

from .conversation import converse, prepare, reseed
from .imports import LEARNER_MODULES, Guard
from .limits import become, give_up_capabilities, go_first, set_limits
from .namespaces import own_folders, own_namespaces
from .shell import Pupil
from .streams import say_nothing
from .system_calls import forbid_system_calls
from .trial import see_the_walls


def serve_forks(config: dict[str, Any]) -> None:
    """Fork a pupil for each message on the control socket, which brings the pupil's own two sockets with it.

    One without sockets brings texts that each of the next forks will run, and that students have: a unit's own cells,
    and its probes.
    """
    for name in config["preload"]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    pupil = prepare(config)
    # What the unit's own cells import: 24 of the 150 milliseconds that a submission of unit 03 took.
    # And `resource`, with which a fork sets its limits.
    for name in ("resource", *(f"autograder.lesson.{name}" for name in LEARNER_MODULES), *config["allowed"]):
        with contextlib.suppress(ImportError):
            importlib.import_module(name.removesuffix(".__init__"))
    pupil.warm_up()
    reseed(
        0
    )  # loads numpy.random, which `import numpy` alone does not: half of the time in which a fork was ready
    gc.collect()
    gc.freeze()  # a collection in a fork would copy the pages of all that is shared
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the dead
    control = socket.socket(fileno=config["control"])
    own = try_fork(config)
    control.send(own.encode() or b"ready")
    while True:
        message, handles, _, _ = socket.recv_fds(control, 65536, 2)
        if not message:
            return
        if not handles:
            compile_ahead(pupil, **json.loads(message))
            continue
        conversation, status = handles
        if os.fork() == 0:
            control.close()
            fork_pupil(pupil, conversation, status, {**config, **json.loads(message)})
        for handle in handles:
            os.close(handle)


def compile_ahead(pupil: Pupil, cells: list[str | None], probes: list[list[str]]) -> None:
    """Compile what is the same for all: 6 of the 110 milliseconds that a submission of unit 03 took."""
    from autograder.lesson.probes import compiled_probe

    pupil.get_ready(cells)
    for name, source in probes:
        with contextlib.suppress(SyntaxError, ValueError):
            compiled_probe(source, name)
    gc.freeze()


def try_fork(config: dict[str, Any]) -> str:
    """Why a fork cannot have namespaces of its own; empty when it can."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            own_namespaces()
            if os.fork() == 0:
                own_folders(config["file_bytes"])
                theirs.send(b"good")
        except BaseException as error:
            theirs.send(str(error).encode()[:200] or b"?")
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        said = ours.recv(1000)
    return "" if said == b"good" else f"no namespaces in the sandbox: {said.decode('utf-8', 'replace')}"


def fork_pupil(pupil: Pupil, conversation: int, status: int, config: dict[str, Any]) -> None:
    """In a fork: make the namespaces, then a first process in them, and in that the pupil. Does not return."""
    try:
        for kind in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(kind, signal.SIG_DFL)
        say_nothing()
        notes = socket.socket(fileno=status)
        go_first()
        own_namespaces()
        first = os.fork()
        if first:
            # By this handle the referee ends the first process, and so all others in its namespace.
            socket.send_fds(notes, [b"{}"], [os.pidfd_open(first)])
            os._exit(0)
        own_folders(config["file_bytes"])
        child = os.fork()
        if child:
            os.close(conversation)
            while (ended := os.wait())[0] != child:
                pass  # a process whose parent had gone
            used = os.times()
            cpu = used.children_user + used.children_system
            notes.send(json.dumps({"code": os.waitstatus_to_exitcode(ended[1]), "cpu": cpu}).encode())
            os._exit(0)
        notes.close()
        # A signal to its own group would else reach the warm interpreter and all the other forks of the same user:
        # a group, unlike a number, is the same in every process namespace.
        os.setsid()
        requests, answers = os.fdopen(os.dup(conversation), "rb"), os.fdopen(conversation, "wb", buffering=0)
        set_limits(config["limits"])
        if config.get("user"):
            become(config["user"])
        give_up_capabilities()
        forbid_system_calls()
        see_the_walls(**config["see"])
        sys.meta_path.insert(0, Guard(config["allowed"]))
        pupil.output_chars = config["limits"].get("output_chars", pupil.output_chars)
        reseed(int.from_bytes(os.urandom(16), "big"))
        converse(pupil, requests, answers)
        os._exit(0)
    finally:
        os._exit(1)
