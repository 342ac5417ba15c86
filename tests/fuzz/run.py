"""Gives a target very many inputs, and keeps count of what became of them."""

from __future__ import annotations

import hashlib
import resource
import signal
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .targets import Target


class Hang(BaseException):
    """An input took longer than it may."""


def _stop(number: int, frame: object) -> None:
    raise Hang


def memory() -> int:
    """The most memory that this process ever had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


@dataclass
class Fuzzer:
    """Runs inputs, each within a limit of time."""

    target: Target
    seconds: float = 5.0
    keep: Path | None = None
    inputs: int = 0
    taken: int = 0
    hangs: int = 0
    slowest: float = 0.0
    #: where it went wrong -> how often
    crashes: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    memory_before: int = field(default_factory=memory)

    def run(self, data: bytes) -> bool:
        """One input; True when it was not refused as a whole. Raises nothing."""
        taken = False
        self.inputs += 1
        start = time.monotonic()
        before = signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            taken = self.target.run(data)
        except KeyboardInterrupt:
            raise
        except Hang:
            self.hangs += 1
            self._note("a hang", data)
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
            self._note(place, data, str(error))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        if time.monotonic() - start > self.slowest:
            self.slowest = time.monotonic() - start
            if self.keep is not None and self.slowest > 0.5:
                self.keep.mkdir(parents=True, exist_ok=True)
                (self.keep / "slowest").write_bytes(data)
        self.taken += taken
        return taken

    def _note(self, where: str, data: bytes, text: str = "") -> None:
        if where not in self.crashes:
            self.texts[where] = text[:300].replace("\n", " ")
            if self.keep is not None:
                self.keep.mkdir(parents=True, exist_ok=True)
                (self.keep / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
        self.crashes[where] = self.crashes.get(where, 0) + 1

    def mutants(self, random: Random) -> Iterator[bytes]:
        """Changed inputs without end; some are changes of changes."""
        pool = list(self.target.seeds)
        yield from pool
        while True:
            data = self.target.mutate(random, random.choice(pool))
            before = self.taken
            yield data
            if self.taken > before and random.random() < 0.1 and len(data) < 1 << 15:
                at = len(pool)
                if at >= 300:
                    at = random.randrange(len(self.target.seeds), 300)
                pool[at : at + 1] = [data]

    def __str__(self) -> str:
        crashes = sum(self.crashes.values()) - self.hangs
        lines = [
            f"{self.inputs} inputs in {time.monotonic() - self.began:.0f} s, {self.taken} taken, "
            f"{crashes} crashes, "
            f"{self.hangs} hangs, slowest {self.slowest:.2f} s, memory {self.memory_before} -> {memory()} MiB"
        ]
        return "\n".join(
            [*lines, *(f"  {count} x {where} {self.texts[where]}" for where, count in self.crashes.items())]
        )
