"""The learner's own engine, from the notebooks of units 03 to 09, for notebook 10, and of units 14 and 15.

    from autograder import mine
    Value, exp, log, tanh = mine.scalars()                            # unit 03's, for notebook 04
    Tensor, nn, optim, functional = mine.engine()
    Tensor, nn, optim, functional = mine.engine(file="engine.py")     # unit 17's file in the place of 03, 05 and 06

It reads the saved notebooks, runs the learner's answers with the cells that the course gives around them, and takes
from the reference what is not written yet. It is for the learner's own curiosity: a process that grades cannot import
it, and grading never takes the cell that does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import UserError
from ...lesson import logbook
from .. import progress as learner
from . import attention, from_file, scalar
from .attention import ATTENTION_PARTS
from .cells import NOT_WRITTEN, YOURS, Unit, run_unit
from .engine import make_core, make_tensor
from .layers import extend_module, make_functional, make_nn, make_optim
from .parts import PARTS, Part
from .pictures import PICTURE_PARTS, add_operations
from .pictures import UNIT as PICTURES

NO_NOTEBOOK = "reference, there is no notebook of it here"

#: Units whose parts are told once they are begun.
LATER = (PICTURES, attention.UNIT)

#: Given cells without which there is no engine.
GIVEN = {"05_tensors": ("tensor", "tables", "backward"), "08_layers": ("module", "activations")}


class Engine(NamedTuple):
    """What notebook 10 imports from `autograd_ref`, made of the learner's answers."""

    Tensor: Any
    nn: Any
    optim: Any
    functional: Any


def engine(folder: str | Path | None = None, *, file: str | Path | None = None) -> Engine:
    """The learner's engine; prints which parts of it are the learner's own.

    `folder` holds the units; without it, it is found around the running notebook. `file` is an engine as unit 17 asks
    for: its Tensor then takes the place of units 03, 05 and 06, and what of notebooks 10 to 16 cannot be made of its
    operations says so when it is used. Raises UserError when there is no folder, when notebook 05 or 08 is not in it,
    or when the file does not run.
    """
    place = Path(folder) if folder is not None else _units_folder()
    reader = _Reader(place)
    whole = _of_units(reader) if file is None else _of_file(reader, Path(file))
    print(_table(reader.whose, logbook.standing(logbook.read(place))))
    return whole


def scalars(folder: str | Path | None = None) -> scalar.Scalars:
    """The numbers of unit 04, which are the learner's unit 03; prints which parts of them are the learner's own.

    `folder` holds the units; without it, it is found around the running notebook. Raises UserError when there is no
    folder, and when notebook 03 is not in it or a given cell of it does not run.
    """
    place = Path(folder) if folder is not None else _units_folder()
    reader = _Reader(place, scalar.SCALAR_PARTS, scalar.GIVEN)
    made = scalar.make_scalars(reader.run(scalar.UNIT, value=scalar.as_in_unit_04).names)
    print(_table(reader.whose, logbook.standing(logbook.read(place))))
    return made


class _Reader:
    """Runs the notebooks of a folder, and keeps whose each part is."""

    def __init__(
        self,
        place: Path,
        parts: Sequence[Part] = (*PARTS, *PICTURE_PARTS, *ATTENTION_PARTS),
        given: Mapping[str, Sequence[str]] = GIVEN,
    ) -> None:
        self.place, self.parts, self.given = place, parts, given
        self.notebooks = {unit.name: unit.notebook for unit in learner.units(place)}
        self.whose: dict[tuple[str, str], str] = {}

    def run(self, name: str, **after: Any) -> Unit:
        parts = [part for part in self.parts if part.unit == name]
        if name in self.notebooks:
            unit = run_unit(name, self.notebooks[name], parts, after)
        else:
            unit = Unit(name)
            for part in parts:
                unit.names |= part.stand_ins
                unit.whose[part.exercise] = NO_NOTEBOOK
        _look_for_given(unit, self.given.get(name, ()), name in self.notebooks, self.place)
        # Units 14 and 15 are for later: who has not begun one is not told of it.
        if name not in LATER or set(unit.whose.values()) - {NOT_WRITTEN, NO_NOTEBOOK}:
            self.whose.update({(name, exercise): said for exercise, said in unit.whose.items()})
        return unit

    def layers_and_steps(self, tensor: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """What units 08 and 09 define, on tensors of this class."""

        def own_tensor(names: dict[str, Any]) -> None:
            names["Tensor"] = tensor

        layers = self.run("08_layers", imports=own_tensor, module=extend_module).names
        return layers, self.run("09_optimizers", imports=own_tensor).names


def _of_units(reader: _Reader) -> Engine:
    names = ("03_reverse_mode", "05_tensors", "06_shapes_and_matmul", "07_losses")
    units = {name: reader.run(name) for name in names}
    tensor = make_tensor(make_core(*(unit.names for unit in units.values())))
    layers, steps = reader.layers_and_steps(tensor)
    tables = units["05_tensors"].names
    add_operations(tables, reader.run(PICTURES).names)
    functional = make_functional(tensor, units["07_losses"].names, layers)
    # Who has not begun unit 15 has attention from the operations of units 05 and 06, which are the learner's, too.
    later = reader.run(attention.UNIT)
    if attention.is_begun(later.whose):
        attention.add_attention(tables, later.names)
        vars(functional).update(attention.attention_functions(tensor))
    return Engine(tensor, make_nn(layers), make_optim(steps), functional)


def _of_file(reader: _Reader, path: Path) -> Engine:
    tensor = from_file.make_tensor(from_file.run_file(path)["Tensor"], path.name)
    reader.whose[path.name, "Tensor"] = YOURS
    losses = {"log_softmax": lambda logits: logits}  # the loss is made of the file's operations
    layers, steps = reader.layers_and_steps(tensor)
    return Engine(tensor, make_nn(layers), make_optim(steps), make_functional(tensor, losses, layers))


def _units_folder() -> Path:
    start = logbook.started_in() or Path.cwd()
    return start if learner.units(start) else learner.units_folder(start)


def _look_for_given(unit: Unit, needed: Sequence[str], there: bool, place: Path) -> None:
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
