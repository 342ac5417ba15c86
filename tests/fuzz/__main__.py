"""`python -m tests.fuzz ingest --runs 500000`, with `--atheris` guided by coverage (`pip install atheris`).

`python -m tests.fuzz programs --runs 100000` runs random programs on the engine and on PyTorch, the first with the
number `--seed`, and prints the shortest form of each that differs in a way that is not meant.
"""

from __future__ import annotations

import argparse
import atexit
import os
import resource
import sys
from itertools import islice
from pathlib import Path
from random import Random


def programs(first: int, runs: int) -> int:
    """Run random programs, with a line of progress for every thousand; 1 if one shows a difference not known."""
    from tests.engine.programs.many import Tally, shown

    tally, told = Tally(), 0
    for start in range(first, first + runs, 1000):
        tally.run(range(start, min(start + 1000, first + runs)), most=20)
        print(f"{tally.programs} programs, {len(tally.new)} new differences", file=sys.stderr, flush=True)
        for new in tally.new[told:]:
            print(shown(*new), flush=True)
        told = len(tally.new)
        if told >= 20:
            break
    print(tally.counts())
    return bool(tally.new)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=["ingest", "wire", "collect", "programs"])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0, help="for one input")
    parser.add_argument("--memory", type=int, default=2048, help="address space, in MiB")
    parser.add_argument("--keep", type=Path, help="where to put inputs that go wrong")
    parser.add_argument("--atheris", action="store_true", help="choose inputs by the code that they reach")
    options = parser.parse_args()
    if options.target == "programs":
        raise SystemExit(programs(options.seed, options.runs))
    resource.setrlimit(resource.RLIMIT_AS, (options.memory << 20, options.memory << 20))
    if not options.atheris:
        from .run import Fuzzer
        from .targets import make

        fuzzer = Fuzzer(make(options.target), options.seconds, options.keep)
        for data in islice(fuzzer.mutants(Random(options.seed)), options.runs):
            fuzzer.run(data)
        print(fuzzer)
        raise SystemExit(bool(fuzzer.crashes))

    import atheris

    with atheris.instrument_imports(include=["autograder"]):
        from .run import Fuzzer
        from .targets import make

    fuzzer = Fuzzer(make(options.target), options.seconds, options.keep)

    def one(data: bytes) -> None:
        fuzzer.run(data)
        if fuzzer.inputs >= options.runs:  # libFuzzer ends the process without a word
            print(fuzzer, flush=True)
            atexit._run_exitfuncs()  # removes the folders
            os._exit(bool(fuzzer.crashes))

    def change(data: bytes, limit: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.2:
            return atheris.Mutate(data, limit)
        if (
            not data or random.random() < 0.3
        ):  # most that reaches new code is refused at once: come back from there
            data = random.choice(fuzzer.target.seeds)
        return fuzzer.target.mutate(random, data)[:limit]

    corpus = options.keep / "corpus" if options.keep else None
    arguments = [sys.argv[0], f"-seed={options.seed}", "-max_len=65536", "-rss_limit_mb=0", "-timeout=60"]
    if corpus is not None:
        corpus.mkdir(parents=True, exist_ok=True)
        for i, seed in enumerate(fuzzer.target.seeds):
            (corpus / f"seed-{i}").write_bytes(seed)
        arguments.append(str(corpus))
    atheris.Setup(arguments, one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
