"""Random programs do what PyTorch does: values, gradients, dtypes, shared memory, and what is refused."""

from __future__ import annotations

import pytest

from .programs.agreed import KNOWN, MEANT, Meant, judged
from .programs.language import OURS, many_programs
from .programs.many import Tally, shown, unmeant
from .programs.running import difference
from .programs.shrinking import shrunk
from .programs.writing import KINDS, Writer

pytest.importorskip("torch")

BATCHES, EACH = 6, 500


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_differ_from_pytorch_in_no_new_way(batch: int) -> None:
    tally = Tally().run(range(batch * EACH, (batch + 1) * EACH), most=1)
    assert not tally.new, str(tally)
    assert tally.statements > 8 * EACH, "the programs end so soon that they show little"


@pytest.mark.parametrize("meant", [*MEANT, *KNOWN], ids=lambda m: m.name)
def test_a_difference_that_is_meant_or_known_is_still_there(meant: Meant) -> None:
    with many_programs():
        found = difference(meant.example)
    if meant.sometimes and found is None:
        return
    assert found is not None and meant.covers(meant.example, found), (
        f"'{meant.name}' is mended, or shows otherwise: take it out of the table. Found: {found}"
    )


def test_the_same_seed_writes_the_same_program() -> None:
    with many_programs():
        first, second = ([s.text(OURS) for s in Writer(7).write()] for _ in range(2))
    assert first == second


def test_every_kind_of_statement_is_written() -> None:
    written: set[str] = set()
    with many_programs():
        for seed in range(60):
            writer = Writer(seed)
            writer.write()
            written |= set(writer.kinds)
    assert written == set(KINDS)


def test_a_wrong_rule_is_found_and_shrinks_to_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator can fail: sin's slope with the wrong sign is seen, and nothing else is left of the program."""
    from autograd_ref import ops

    monkeypatch.setattr(ops.sin, "vjps", (lambda g, _ans, x: -g * ops.cos(x),))
    tally = Tally().run(range(2000), most=1)
    assert tally.new, "2,000 programs did not see it"
    seed, program, found = tally.new[0]
    assert found.kind == "gradient" and len(program) <= 5 and "sin" in str(program), shown(
        seed, program, found
    )


def test_a_missing_stamp_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change in place that nobody notices gives a wrong gradient without a word."""
    from autograd_ref.tensor import Tensor

    monkeypatch.setattr(Tensor, "mark_changed", lambda self: None)
    tally = Tally().run(range(2000), most=1)
    assert tally.new and len(tally.new[0][1]) <= 7, str(tally)


def test_shrinking_keeps_the_difference() -> None:
    with many_programs():
        for seed in range(400):
            writer = Writer(seed)
            program = writer.write()
            if writer.found and (meant := judged(program, writer.found)):
                small, found = shrunk(program, writer.found)
                assert found.signature == writer.found.signature and len(small) <= len(program)
                assert unmeant(small) is None or judged(small, found) is not meant
                return
    pytest.fail("no difference at all among 400 programs")
