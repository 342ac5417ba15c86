"""Runs a program on two engines, statement by statement, and tells the first difference."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .copies import NAMES, with_copies
from .forms import READ_GRAD
from .language import OURS, THEIRS, Program, Statement, code, disturbed, namespace

#: Relative to the largest entry; how far two right answers may be apart after a few dozen operations.
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


#: What chooses between values, or has a kink: at zero, or at a number in the line.
_DECIDING = re.compile(r"max|min|relu|elu|clip|clamp|abs|sign|where|huber|l1_loss|norm|sort|topk|masked_fill")
_NUMBER = re.compile(r"-?\b\d+\.\d+")


def _together(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """All numbers of each side in one row."""
    ours, theirs = ([np.ravel(p[side]).astype(float) for p in pairs] for side in (0, 1))
    return np.concatenate([np.zeros(0), *ours]), np.concatenate([np.zeros(0), *theirs])


def _order(values: np.ndarray, kinks: np.ndarray) -> np.ndarray:
    """Which of the values are equal, less or greater, among themselves and beside the kinks."""
    every = np.concatenate([values, kinks])
    return np.sign(values[:, None] - every)


@dataclass(frozen=True)
class Difference:
    """Where two engines part: what kind, at which statement, and the two values or messages."""

    kind: str
    at: int
    what: str
    ours: Any
    theirs: Any

    @property
    def signature(self) -> tuple[str, str]:
        """What stays the same when the program shrinks."""
        message = (
            self.ours if self.kind == "we raise" else self.theirs if self.kind == "only we compute" else ""
        )
        return self.kind, str(message)[:24]

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}\n  here:    {self.ours}\n  PyTorch: {self.theirs}"


class Side:
    """One engine with a program's names."""

    def __init__(self, engine: str, noise: float = 0.0, every: bool = False) -> None:
        self.engine, self.noise, self.every = engine, noise, every
        self.names: dict[str, Any] = {}
        self.space = namespace(engine)
        self.hidden = set(self.space)

    def do(self, statement: Statement) -> str | None:
        """Run a statement; the error's text if it raises."""
        line = statement.text(self.engine)
        if self.noise:
            line = disturbed(line, self.noise, self.every)
        try:
            exec(code(line), self.space)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None

    def forget(self, name: str) -> None:
        """Make a name unknown again."""
        self.space.pop(name, None)

    def value(self, name: str) -> Any:
        """What a name stands for."""
        return self.space.get(name)

    def gradient_of(self, name: str) -> Any:
        """The gradient of one of the variables."""
        return gradient(dict(self.variables())[name])

    def variables(self) -> Iterator[tuple[str, Any]]:
        """The program's own names that hold tensors or arrays, and modules' parameters."""
        for name, value in list(self.space.items()):
            if name in self.hidden or name.startswith("__"):
                continue
            if hasattr(value, "named_parameters"):
                for inner, p in sorted(value.named_parameters()):
                    yield f"{name}.{inner}", p
                for inner in ("running_mean", "running_var"):
                    if getattr(value, inner, None) is not None:
                        yield f"{name}.{inner}", getattr(value, inner)
            elif hasattr(value, "dtype"):
                yield name, value


def is_tensor(value: Any) -> bool:
    """True for a tensor of either engine."""
    return hasattr(value, "requires_grad")


def array(value: Any) -> np.ndarray:
    """The numbers, in the memory where they are."""
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if hasattr(value, "_data"):
        return value._data
    value = value.detach()
    return value.clone().numpy() if value._is_zerotensor() else value.numpy()


def facts(value: Any) -> tuple[Any, ...]:
    """What must be exactly equal."""
    a = array(value)
    if not is_tensor(value):
        return a.shape, a.dtype
    return a.shape, a.dtype, bool(value.requires_grad), bool(value.is_leaf)


def close(a: np.ndarray, b: np.ndarray, single: bool = False) -> bool:
    """Equal within rounding; NaN equals NaN."""
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    if not a.size or np.array_equal(a, b):
        return True
    tolerance = TOLERANCE["float32" if single else a.dtype.name]
    finite = np.abs(b[np.isfinite(b)])
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def is_single(program: Program) -> bool:
    """Whether a number of a program may be a float32, so that what is computed from it is no more exact."""
    return any("float32" in s.text(OURS) for s in program)


def shares(a: np.ndarray, b: np.ndarray) -> bool:
    """True if the two have a byte in common."""
    return np.may_share_memory(a, b) and np.shares_memory(a, b)


def _laid_out(a: np.ndarray, b: np.ndarray) -> str:
    """How the numbers of one of two equal arrays lie in memory, if not as those of the other."""
    if np.empty_like(a).strides != np.empty_like(b).strides:
        return ", laid out in another order"
    return "" if a.flags.forc == b.flags.forc else ", laid out with gaps"


def gradient(value: Any) -> Any:
    """The `.grad` of a tensor: of a leaf, or where it was to be retained."""
    if not is_tensor(value):
        return None
    return value.grad if value.is_leaf or not hasattr(value, "retains_grad") else value._grad


class Session:
    """A program on its way through both engines, or through ours alone."""

    def __init__(self, alone: bool = False) -> None:
        self.ours = Side(OURS)
        self.theirs = None if alone else Side(THEIRS)
        self.at = -1
        self.program: list[Statement] = []
        #: After a failed backward pass neither engine promises anything.
        self.over = False
        self.refused = False
        #: Whether there is a float32, so that nothing is more exact than that.
        self.single = False
        #: Names of what PyTorch records and we, rightly, do not.
        self.constant: set[str] = set()
        #: Whether a gradient is rounding alone: an optimizer that divides by its size makes a step of any length of it.
        self.noisy = False

    def do(self, statement: Statement) -> Difference | None:
        """Run one more statement on both; the first difference that it shows."""
        self.at += 1
        self.program.append(statement)
        text = statement.text(OURS)
        mine = self.ours.do(statement)
        if self.theirs is None:
            self.refused = mine is not None
            self.over = self.refused and statement.effect == "backward"
            return None
        yours = self.theirs.do(statement)
        self.refused = bool(mine and yours)
        self.single |= "float32" in text
        if self.noisy and text.endswith(".step()"):
            self.over = True
            return None
        if mine and yours:  # PyTorch may have done a part of a change or of a backward pass
            self.over = statement.effect != "value"
            return None
        if mine:
            return Difference("we raise", self.at, text, mine, "no error")
        if yours:
            empty = statement.args and getattr(self.ours.value(statement.args[0]), "size", 1) == 0
            text += ", of no elements" if empty else ""
            return Difference("only we compute", self.at, text, "no error", yours)
        try:
            if statement.effect == "value":
                return self.one_value(statement)
            if statement.effect == "backward":
                return self.all_gradients(text) or self.all_values(text)
            found = self.one_value(statement) if statement.to else None
            return found or self.all_values(text)
        except RuntimeError as error:
            if not _unseen(error):
                raise
            self.over = self.refused = True
            return None

    def decides_on_rounding(self, statement: Statement) -> bool:
        """True if the two engines decide differently because values differ in their last digits.

        That is so for a comparison or a position of such values, and for a maximum or a kink where not even their
        order is the same in both.
        """
        assert self.theirs is not None
        result, theirs = self.ours.value(statement.to), self.theirs.value(statement.to)
        pairs = [(self.ours.value(a), self.theirs.value(a)) for a in statement.args]
        arrays = [(array(m), array(y)) for m, y in pairs if hasattr(m, "dtype")]
        if all(np.array_equal(m, y, equal_nan=m.dtype.kind == "f") for m, y in arrays):
            return False
        if getattr(getattr(result, "dtype", None), "kind", "f") != "f":
            return True
        text = statement.text(OURS)
        if not _DECIDING.search(text):
            return False
        kinks = np.array([0.0, *map(float, _NUMBER.findall(text))])
        after = [(array(result), array(theirs))] if hasattr(result, "dtype") else []
        if after and (after[0][0].shape != after[0][1].shape or not close(*after[0], self.single)):
            after = []  # more than rounding: let it be seen
        return any(
            not np.array_equal(_order(m, kinks), _order(y, kinks), equal_nan=True)
            for m, y in (_together(arrays), _together(after))
        )

    def is_noise(self, ours: np.ndarray, theirs: np.ndarray) -> bool:
        """True if a number is so much smaller than those it was computed from that little but rounding is left."""
        if ours.dtype.kind != "f" or np.array_equal(ours, theirs, equal_nan=True):
            return False
        tolerance = TOLERANCE["float32" if self.single else ours.dtype.name]
        return not np.allclose(ours, theirs, rtol=tolerance, atol=0.0, equal_nan=True)

    def one_value(self, statement: Statement) -> Difference | None:
        """Compare what a name holds, and with whom it shares memory."""
        name = statement.to
        assert self.theirs is not None
        mine, yours = self.ours.value(name), self.theirs.value(name)
        if self.decides_on_rounding(statement):
            self.ours.forget(name)
            self.theirs.forget(name)
            self.refused = True
            return None
        if not hasattr(mine, "dtype"):
            if (mine is None) != (yours is None):
                return Difference("value", self.at, name, mine, yours)
            if isinstance(mine, float):
                return self.compared(name, "value", np.asarray(mine), np.asarray(float(yours)))
            return None
        if statement.form is READ_GRAD and f"{statement.args[0]}.grad" in self.constant:
            self.constant.add(name)
        found = self.compared(name, "value", mine, yours, statement.args)
        if found:
            return found
        if self.is_noise(array(mine), array(yours)):  # what is computed from it says nothing
            self.ours.forget(name)
            self.theirs.forget(name)
            self.refused = True
            return None
        g, h = gradient(mine), gradient(yours)
        if (g is None) != (h is None) and "deepcopy" in statement.text(OURS):
            return Difference("gradient", self.at, name, g, h)
        a, b = array(mine), array(yours)
        for (other, m), (_, y) in zip(self.ours.variables(), self.theirs.variables(), strict=True):
            if m is mine or not a.size:
                continue
            if shares(a, array(m)) != shares(b, array(y)):
                says = ["shared memory", "memory of its own"]
                if shares(b, array(y)):
                    says.reverse()
                order = _laid_out(array(m), array(y))
                return Difference("sharing", self.at, f"{name} and {other}{order}", *says)
        return None

    def compared(
        self, name: str, what: str, mine: Any, yours: Any, args: Sequence[str] = ()
    ) -> Difference | None:
        """Compare two tensors or arrays; `args` are the names of what it was made of."""
        if facts(mine)[:2] != facts(yours)[:2]:
            return Difference(what + "'s facts", self.at, name, facts(mine)[:2], facts(yours)[:2])
        if is_tensor(mine) and facts(mine) != facts(yours) and name not in self.constant:
            if mine.requires_grad or not self.is_constant(name, yours, args):
                empty = "" if array(mine).size else ", of no elements"
                return Difference(
                    what + "'s place in the graph", self.at, name + empty, facts(mine)[2:], facts(yours)[2:]
                )
            self.constant.add(name)
        a, b = array(mine), array(yours)
        if not close(a, b, self.single):
            return Difference(what, self.at, name, a.copy(), b.copy())
        return None

    def is_constant(self, name: str, theirs: Any, args: Sequence[str] = ()) -> bool:
        """True if PyTorch records a tensor that in truth depends on no leaf, as the slope of relu does not.

        An infinite slope further back, or one that is NaN at a kink, makes a zero NaN: then it must not depend on what
        it was made of, or, when all leaves move, stay as it is to the last digit or have no slope there.
        """
        assert self.theirs is not None
        leaves = [v for _, v in self.theirs.variables() if is_tensor(v) and v.is_leaf and v.requires_grad]
        if theirs._is_zerotensor() or any(theirs is self.named_there(other) for other in self.constant):
            return True
        if not theirs.requires_grad or not leaves:
            return False
        near = [v for v in map(self.theirs.value, args) if is_tensor(v) and v.requires_grad]
        return (
            _has_no_slope(theirs, leaves)
            or (bool(near) and _has_no_slope(theirs, near))
            or self.stays(name, theirs)
        )

    def named_there(self, name: str) -> Any:
        """PyTorch's value or gradient of this name; the one tensor may have many."""
        assert self.theirs is not None
        value = dict(self.theirs.variables()).get(name.removesuffix(".grad"))
        return gradient(value) if name.endswith(".grad") else value

    def stays(self, name: str, theirs: Any) -> bool:
        """True if PyTorch gives exactly the same, or a thing without slope, when every leaf that wants gradients is a
        little larger."""
        import torch

        side, moved = Side(THEIRS), set()
        for statement in self.program:
            side.do(statement)
            for _, value in side.variables():
                if is_tensor(value) and value.is_leaf and value.requires_grad and id(value) not in moved:
                    moved.add(id(value))
                    value.data += 1e-7 * torch.linspace(1.0, 2.0, value.numel()).reshape(value.shape)
        value = dict(side.variables()).get(name.removesuffix(".grad"))
        value = gradient(value) if name.endswith(".grad") else value
        if value is None:
            return False
        leaves = [v for _, v in side.variables() if is_tensor(v) and v.is_leaf and v.requires_grad]
        return np.array_equal(array(value), array(theirs)) or (
            value.requires_grad and bool(leaves) and _has_no_slope(value, leaves)
        )

    def all_values(self, text: str) -> Difference | None:
        """Compare everything that has a name, and that PyTorch lets one look at."""
        assert self.theirs is not None
        for (name, m), (_, y) in zip(self.ours.variables(), self.theirs.variables(), strict=True):
            try:
                found = self.compared(name, "value", m, y)
            except RuntimeError as error:
                if not _unseen(error):
                    raise
                self.over = True
                continue
            if found:
                return found
        return None

    def all_gradients(self, text: str) -> Difference | None:
        """Compare the gradients of all leaves, and see that none lies in the memory of something else."""
        assert self.theirs is not None
        mine, yours = list(self.ours.variables()), list(self.theirs.variables())
        seen: dict[int, tuple[str, Any]] = {}
        for (name, m), (_, y) in zip(mine, yours, strict=True):
            g, h = gradient(m), gradient(y)
            if (g is None) != (h is None):
                if g is None and not array(h).any():
                    self.over = True  # From here on None and zeros would part in ways that mean nothing.
                    continue
                return Difference("gradient", self.at, name, g, h)
            if g is None:
                continue
            found = self.compared(f"{name}.grad", "gradient", g, h)
            if found:
                return found
            a, b = array(g), array(h)
            self.noisy |= self.is_noise(a, b)
            if not a.flags.writeable:
                return Difference("aliasing", self.at, f"{name}.grad", "read-only", "may be written")
            for other, (leaf, held) in seen.items():
                apart = not shares(b, array(self.theirs.gradient_of(leaf)))
                if other != id(m) and apart and shares(a, array(held)):
                    return Difference("aliasing", self.at, f"{name}.grad, {leaf}.grad", "shared", "apart")
            seen[id(m)] = name, g
            for (other, v), (_, w) in zip(mine, yours, strict=True):
                if v is not g and shares(a, array(v)) and not shares(b, array(w)):
                    return Difference("aliasing", self.at, f"{name}.grad and {other}", "shared", "apart")
        return None


def _unseen(error: RuntimeError) -> bool:
    """True if PyTorch says only now, when somebody looks at a view, that a change was not allowed."""
    return "has been modified inplace" in str(error)


def _has_no_slope(result: Any, inputs: Sequence[Any]) -> bool:
    """True if a weighted sum of a tensor of PyTorch's has the slope 0 by each of the inputs."""
    import torch

    with torch.enable_grad():
        weights = torch.linspace(0.3, 1.0, result.numel(), dtype=result.dtype).reshape(result.shape)
        total = (result * weights).sum()
        try:
            found = torch.autograd.grad(total, inputs, retain_graph=True, allow_unused=True)
            if all(g is None or not g.any() for g in found):
                return True
            # Hooks may put something where nothing came: then it is what they put for zeros.
            nothing = torch.autograd.grad(total * 0.0, inputs, retain_graph=True, allow_unused=True)
        except RuntimeError as error:  # PyTorch's own zeros stumble over each other
            return "ZeroTensors are immutable" in str(error)
        except TypeError as error:  # a hook was given None: nothing came
            if "NoneType" not in str(error):
                raise
            return True
    return all(g is None or torch.equal(g, z) for g, z in zip(found, nothing, strict=True))


def difference(program: Program) -> Difference | None:
    """Run a program from its beginning; the first difference."""
    session = Session()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in program:
            found = session.do(statement)
            if found or session.over:
                return found
    return None


def is_unsteady(program: Program, found: Difference) -> bool:
    """True if PyTorch's own result moves as far when the drawn numbers move by a rounding error.

    Then the difference is rounding that a division by nearly nothing, or a decision at a tie, has made visible. For a
    value all numbers may move, ties as well: what is computed is continuous there, and only gradients are not. And so
    may every result on the way, because some hold rounding that no drawn number reaches: `batch_norm` takes out what
    it is multiplied by, and `log1p` of a -1 that it has nearly made is rounding alone.

    A gradient may also be what is left of ones so large that their rounding is larger than it, or an infinite slope
    times a rounding error: then it is infinite with either sign, or NaN where the error is 0.
    """
    if found.kind not in ("value", "gradient") or not isinstance(found.ours, np.ndarray):
        return False
    if _moves(program, found):
        return True
    if found.kind == "gradient":
        return _drowns(program, found) or (_is_endless(found) and _moves(program, found, results=True))
    return found.kind == "value" and (
        _moves(program, found, every=True) or _moves(program, found, results=True)
    )


def _is_endless(found: Difference) -> bool:
    """True if wherever the two differ, neither is a finite number."""
    ours, theirs = array(found.ours).astype(float), array(found.theirs).astype(float)
    return ours.shape == theirs.shape and bool(
        np.all(np.equal(ours, theirs) | ~(np.isfinite(ours) | np.isfinite(theirs)))
    )


def _drowns(program: Program, found: Difference) -> bool:
    """True if a gradient differs by no more than the rounding of the largest one on the way back to it."""
    import torch

    largest = 0.0

    def seen(g: Any) -> None:
        nonlocal largest
        sizes = g.detach().abs().nan_to_num(nan=0.0, posinf=0.0)
        largest = max(largest, float(sizes.max()) if sizes.numel() else 0.0)

    side = Side(THEIRS)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in program[: found.at + 1]:
            side.do(statement)
            made = side.value(statement.to)
            if isinstance(made, torch.Tensor) and made.requires_grad:
                made.register_hook(seen)
    theirs = gradient(dict(side.variables()).get(found.what.removesuffix(".grad")))
    if theirs is None or array(theirs).shape != found.ours.shape:
        return False
    rounding = float(np.finfo(np.float32 if is_single(program) else np.float64).eps)
    apart = _apart(found.ours.astype(float), array(theirs).astype(float))
    return bool((apart <= 10 * rounding * largest).all())


def _moves(program: Program, found: Difference, every: bool = False, results: bool = False) -> bool:
    single = is_single(program)
    noise = 1e-6 if single else 1e-14
    seen = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in (0.0, noise, -noise):
            side = Side(THEIRS, 0.0 if results else size, every)
            for statement in program[: found.at + 1]:
                side.do(statement)
                made = side.value(statement.to) if results and statement.effect == "value" else None
                if is_tensor(made) and made.dtype.is_floating_point and statement.to != found.what:
                    made.data *= _uneven(made, size / 4)  # two units in the last place
            all_of = dict(side.variables())
            name = found.what.removesuffix(".grad")
            value = all_of.get(name)
            value = gradient(value) if found.kind == "gradient" and value is not None else value
            if value is None or array(value).shape != found.ours.shape:
                return False
            seen.append(array(value).astype(float).copy())
        plain, *moved = seen
        here = _apart(found.ours.astype(float), plain)
        there = np.max([_apart(m, plain) for m in moved], axis=0)
        if close(found.ours.astype(plain.dtype), plain, single):
            return False
        # As far as it moves it may be wrong: where it does not move, it has to be right.
        tolerance = TOLERANCE["float32" if single else "float64"]
        numbers = plain[np.isfinite(plain)]
        scale = max(1.0, float(np.abs(numbers).max())) if numbers.size else 1.0
        return bool((here <= 100 * there + tolerance * scale).all())


def _uneven(like: Any, size: float) -> Any:
    """Factors near 1: so small a move of equal numbers that they are equal no more."""
    import torch

    return 1 + size * torch.sin(1.0 + 2.0 * torch.arange(like.numel())).reshape(like.shape).to(like.dtype)


def _apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far numbers are apart: not at all if both are NaN or one infinity, infinitely if only one is a number."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf))


def closed(program: Program) -> list[Statement]:
    """Without the statements that use a name which nothing makes any more."""
    made: set[str] = set()
    out = []
    for s in program:
        if all(a in made for a in s.args):
            out.append(s)
            made.add(s.to)
    return out


def is_right_anyway(program: Program) -> bool:
    """True if our numbers are those which PyTorch has when it copies all that it would share, or refuse over."""
    return any(
        _agrees(with_copies(program, data), hooks) for data in (False, True) for hooks in (True, False)
    )


def _agrees(program: Program, hooks: bool) -> bool:
    """True if the two engines agree to the end while PyTorch keeps what it saves: by copies, or by copying late."""
    import torch

    session = Session()
    assert session.theirs is not None
    session.theirs.space.update(NAMES)
    session.theirs.hidden.update(NAMES)
    graph = torch.autograd.graph
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)
            if hooks
            else graph.allow_mutation_on_saved_tensors()
        ):
            for statement in program:
                found = session.do(statement)
                if found and not found.kind.endswith("place in the graph"):  # that is not of numbers
                    return False
    return not session.refused


def outcomes(program: Program) -> Iterator[tuple[str, np.ndarray]]:
    """All that a program shows on our engine alone: every value and gradient after each backward pass, and at the end.

    Where it raises, the kind of error.
    """
    session = Session(alone=True)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, statement in enumerate(program):
            error = session.ours.do(statement)
            if error:
                yield f"line {i} raises {error.split(':')[0]}", np.zeros(0)
            if statement.effect == "backward" or i == len(program) - 1:
                for name, value in session.ours.variables():
                    yield f"{name} after line {i}", array(value).copy()
                    g = gradient(value)
                    if g is not None:
                        yield f"{name}.grad after line {i}", array(g).copy()
