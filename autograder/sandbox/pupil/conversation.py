"""The pupil's end of the line: requests come in, answers go out, until the referee hangs up."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, BinaryIO

from .shell import Pupil


def prepare(config: dict[str, Any]) -> Pupil:
    """Load what every notebook needs."""
    warnings.filterwarnings("ignore", message=".*non-interactive.*")
    pupil = Pupil(config["limits"].get("output_chars", 100_000))
    sys.path.append(os.getcwd())
    return pupil


def converse(pupil: Pupil, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer the referee's requests until it hangs up."""
    from autograder.lesson import wire

    wire.write_frame(answers, {"ready": True})
    while (request := wire.read_frame(requests)) is not None:
        if request["do"] == "seed":
            reseed(request["seed"])
            continue
        if request["do"] == "cell":
            reply = pupil.run_cell(request["source"])
        else:
            twice = request.get("twice", False)
            ask = asking(request["id"], requests, answers) if request.get("asking") else None
            reply = pupil.call(request["name"], request["source"], request["args"], twice, ask)
        reply["id"] = request["id"]
        try:
            wire.write_frame(answers, reply)
        except wire.WireError as error:
            wire.write_frame(answers, {"id": request["id"], "error": ["ValueError", str(error), "", ""]})


def asking(number: str, requests: BinaryIO, answers: BinaryIO) -> Callable[[Any], Any]:
    """A function with which one call asks the referee something, and waits for the answer."""
    from autograder.lesson import wire
    from autograder.lesson.questions import heard

    def ask(question: Any) -> Any:
        wire.write_frame(answers, {"id": number, "ask": wire.pack(question)})
        reply = wire.read_frame(requests)
        if reply is None:
            raise SystemExit("the referee has hung up")
        return heard(reply)

    return ask


def reseed(seed: int) -> None:
    """Begin all random numbers anew, those of an unseeded `default_rng()` too: same answer, same seed, same points."""
    random.seed(seed)
    with contextlib.suppress(ImportError):
        import numpy.random.bit_generator

        numpy.random.seed(seed % 2**32)  # noqa: NPY002 - the one that a notebook may use
        # Where an unseeded generator takes its entropy from.
        vars(numpy.random.bit_generator)["randbits"] = random.Random(seed).getrandbits
    if (initial := sys.modules.get("autograd_ref.nn.init")) is not None:
        initial.manual_seed(seed)
