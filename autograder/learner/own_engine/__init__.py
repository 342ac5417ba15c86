"""The learner's own engine, from the notebooks of units 03 to 09, for notebook 10, and of unit 14, for its own.

    from autograder import mine
    Tensor, nn, optim, functional = mine.engine()

It reads the saved notebooks, runs the learner's answers with the cells that the course gives around them, and takes
from the reference what is not written yet. It is for the learner's own curiosity: a process that grades cannot import
it, and grading never takes the cell that does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ...errors import UserError
from ...lesson import logbook
from .. import progress as learner
from .cells import NOT_WRITTEN, YOURS, Unit, run_unit
from .engine import make_core, make_tensor
from .layers import extend_module, make_functional, make_nn, make_optim
from .parts import PARTS
from .pictures import PICTURE_PARTS, add_operations
from .pictures import UNIT as PICTURES

NO_NOTEBOOK = "reference, there is no notebook of it here"

#: Given cells without which there is no engine.
GIVEN = {"05_tensors": ("tensor", "backward"), "08_layers": ("module", "activations")}


class Engine(NamedTuple):
    """What notebook 10 imports from `autograd_ref`, made of the learner's answers."""

    Tensor: Any
    nn: Any
    optim: Any
    functional: Any


def engine(folder: str | Path | None = None) -> Engine:
    """The learner's engine; prints which parts of it are the learner's own.

    `folder` holds the units; without it, it is found around the running notebook. Raises UserError when there is
    none, or when notebook 05 or 08 is not in it.
    """
    place = Path(folder) if folder is not None else _units_folder()
    notebooks = {unit.name: unit.notebook for unit in learner.units(place)}
    whose: dict[tuple[str, str], str] = {}

    def run(name: str, **after: Any) -> Unit:
        parts = [part for part in (*PARTS, *PICTURE_PARTS) if part.unit == name]
        if name in notebooks:
            unit = run_unit(name, notebooks[name], parts, after)
        else:
            unit = Unit(name)
            for part in parts:
                unit.names |= part.stand_ins
                unit.whose[part.exercise] = NO_NOTEBOOK
        _look_for_given(unit, name in notebooks, place)
        # Unit 14 is for later: who has not begun it is not told of it.
        if name != PICTURES or set(unit.whose.values()) - {NOT_WRITTEN, NO_NOTEBOOK}:
            whose.update({(name, exercise): said for exercise, said in unit.whose.items()})
        return unit

    units = {n: run(n) for n in ("03_reverse_mode", "05_tensors", "06_shapes_and_matmul", "07_losses")}
    core = make_core(*(unit.names for unit in units.values()))
    tensor = make_tensor(core)

    def own_tensor(names: dict[str, Any]) -> None:
        names["Tensor"] = tensor

    layers = run("08_layers", imports=own_tensor, module=extend_module).names
    steps = run("09_optimizers", imports=own_tensor).names
    add_operations(units["05_tensors"].names, run(PICTURES).names)
    print(_table(whose, logbook.standing(logbook.read(place))))
    return Engine(
        tensor, make_nn(layers), make_optim(steps), make_functional(tensor, units["07_losses"].names, layers)
    )


def _units_folder() -> Path:
    start = logbook.started_in() or Path.cwd()
    return start if learner.units(start) else learner.units_folder(start)


def _look_for_given(unit: Unit, there: bool, place: Path) -> None:
    needed = GIVEN.get(unit.name, ())
    remedy = f"`autograder fresh {unit.name[:2]}` puts a new one there and keeps yours under another name"
    if needed and not there:
        raise UserError(
            f"{place.name}/ holds no notebook of unit {unit.name}, on which your engine builds: {remedy}."
        )
    for cell in needed:
        if (trouble := unit.given.get(cell, "it is not there")) is not None:
            raise UserError(f"The given cell `{cell}` of unit {unit.name} does not run, {trouble}: {remedy}.")


def _table(whose: dict[tuple[str, str], str], states: dict[str, str]) -> str:
    lines = [("part", "unit", "whose")]
    for (unit, exercise), said in whose.items():
        state = states.get(exercise)
        if said == YOURS and state in (logbook.WRONG, logbook.BROKEN):
            said = f"{YOURS}; its check: {state}"
        lines.append((exercise, unit, said))
    widths = [max(len(line[i]) for line in lines) for i in range(2)]
    rows = [f"{part:<{widths[0]}}  {unit:<{widths[1]}}  {said}" for part, unit, said in lines]
    yours = sum(said.startswith(YOURS) for said in whose.values())
    return "\n".join([*rows, "", f"{yours} of {len(whose)} parts are yours."])
