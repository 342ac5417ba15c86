"""Reading a graph for a drawing: which values there are, in which order, and what is written for each."""

from collections.abc import Iterator, Mapping
from typing import Any

from .drawing import Drawing, Node
from .tensors import recorded

MAX_NODES = 60  # a larger picture cannot be read in the width of a page
_MAX_LABEL = 24
_MAX_NUMBERS = 4  # of an array that is shown by its numbers


def draw(
    root: Any,
    *,
    labels: Mapping[str, Any] | None = None,
    direction: str = "LR",
    title: str | None = None,
    gradients: bool = False,
    numbers: int = _MAX_NUMBERS,
) -> Drawing:
    """Draw the graph that `root` was computed by.

    `labels` maps names to values, and goes before a value's own `label` or `name`; `direction` is "LR" (from
    left to right) or "TB" (from top to bottom). A value whose `grad` is None or missing shows no gradient; before
    a backward pass, when the root's is 0, a 0 is none either. An array of more than four numbers shows its shape, and
    a dtype other than float64 is named. With a larger `numbers`, arrays of one or two axes show as many, in rows and
    columns under their shape. Of more than 60 values the 60 nearest to the root are drawn.

    The graph of a Tensor of one element may be drawn with `gradients=True`: they are then computed for all
    values, and no `.grad` is changed. Otherwise leaves show their `.grad`, and values in between, of which the
    engine keeps none, show nothing. A number that has no gradient and that no rule reads is drawn as "...".

    Raises TypeError if `root` is no Tensor and has no `data` and `parents`, ValueError for another direction or
    if a value is computed from itself, RuntimeError if a backward pass has freed the graph.
    """
    if direction not in ("LR", "TB"):
        raise ValueError(
            f"direction must be 'LR' or 'TB', but it is {direction!r}: "
            "choose 'LR' for left to right or 'TB' for top to bottom."
        )
    if hasattr(root, "grad_fn") and not hasattr(root, "parents"):
        root, labels = recorded(root, labels or {}, gradients), None
    if not (hasattr(root, "data") and hasattr(root, "parents")):
        raise TypeError(
            f"root must have the attributes data and parents, but it is of type {type(root).__name__}: "
            "pass the value that your computation ends in."
        )
    names = {id(value): name for name, value in (labels or {}).items()}
    near, left_out = _nearest(root)
    return Drawing(tuple(_nodes(root, near, names, numbers)), direction, title, left_out)


def values_of(root: Any) -> list[Any]:
    """The values that are drawn, in the order of the drawing's nodes."""
    return list(_in_order_of_computation(root, _nearest(root)[0]))


def _nodes(root: Any, near: dict[int, Any], names: dict[int, str], numbers: int) -> list[Node]:
    """The values in `near` as they are now, in the order of computation."""
    position: dict[int, int] = {}
    nodes: list[Node] = []
    # A backward pass leaves a 1, or what it was given, at the root. Where the root has 0, no pass has been here, and
    # zeros are what the values began with; leaves may hold a gradient of another graph.
    passed_back = getattr(root, "grad", None) is None or not _is_zero(root.grad)
    as_rows = numbers > _MAX_NUMBERS
    for value in _in_order_of_computation(root, near):
        parents = _parents(value)
        drawn = [p for p in parents if id(p) in near]
        data, grad = getattr(value, "data", value), getattr(value, "grad", None)
        rows = _rows_of(data, numbers) if as_rows else ()
        if not passed_back and _is_zero(grad):
            grad = None
        position[id(value)] = len(nodes)
        nodes.append(
            Node(
                label=_one_line(names.get(id(value)) or _own_label(value)),
                data=_with_dtype(data, numbers),
                grad=shown(grad, numbers),
                op=_one_line(getattr(value, "op", "") or ("?" if parents else "")),
                parents=tuple(position[id(p)] for p in drawn),
                hidden_parents=len(parents) - len(drawn) + getattr(value, "hidden", 0),
                data_rows=rows,
                grad_rows=_rows_of(grad, numbers) if as_rows else (),
                shape=str(data.shape) if rows else "",
            )
        )
    return nodes


def _is_zero(grad: Any) -> bool:
    differs: Any = grad is not None and grad != 0
    return not (differs.any() if hasattr(differs, "any") else differs)


def _parents(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, "parents", None) or ())


def _nearest(root: Any) -> tuple[dict[int, Any], int]:
    """The values nearest to the root by id, and how many others there are."""
    found = {id(root): root}  # identity, because a student's class may define ==
    queue = [root]
    for value in queue:  # grows while it is read
        for parent in _parents(value):
            if id(parent) not in found:
                found[id(parent)] = parent
                queue.append(parent)
    return {id(value): value for value in queue[:MAX_NODES]}, max(0, len(queue) - MAX_NODES)


def _in_order_of_computation(root: Any, near: dict[int, Any]) -> Iterator[Any]:
    """The values in `near`, each after its parents; a stack of iterators stands in for recursion."""
    stack = [(root, iter(_parents(root)))]
    open_, done = {id(root)}, set()
    while stack:
        value, rest = stack[-1]
        for parent in rest:
            if id(parent) in open_:
                number = shown(getattr(parent, "data", parent))
                raise ValueError(
                    f"the graph must have no cycle, but the value {number} is computed from itself: "
                    "look for an operation that puts its own result among its parents."
                )
            if id(parent) in near and id(parent) not in done:
                stack.append((parent, iter(_parents(parent))))
                open_.add(id(parent))
                break
        else:
            stack.pop()
            open_.discard(id(value))
            done.add(id(value))
            yield value


def _own_label(value: Any) -> str:
    labels = (getattr(value, attribute, None) for attribute in ("label", "name"))
    return next((label for label in labels if isinstance(label, str) and label), "")


def _one_line(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= _MAX_LABEL else line[: _MAX_LABEL - 1] + "…"


def _with_dtype(value: Any, numbers: int) -> str:
    """A value as `shown` writes it, with the dtype of an array where that is not the usual one."""
    unusual = type(value).__name__ == "ndarray" and str(value.dtype) != "float64"
    return shown(value, numbers) + (f" {value.dtype}" if unusual else "")


def _rows_of(value: Any, numbers: int) -> tuple[tuple[str, ...], ...]:
    """The numbers of an array with one or two axes, row by row, if they are not too many; otherwise nothing."""
    shape = getattr(value, "shape", ())
    if len(shape) not in (1, 2) or not 0 < getattr(value, "size", 0) <= numbers:
        return ()
    rows = value.tolist() if len(shape) == 2 else [value.tolist()]
    return tuple(tuple(_nested(number) for number in row) for row in rows)


def shown(number: Any, numbers: int = _MAX_NUMBERS) -> str:
    """A number to four digits, a few of them in brackets, a larger array's shape, otherwise a type's name: never
    a memory address. `numbers` says how many are a few.

    >>> [shown(x) for x in (2.0, 0.70710678, 123456.0, 1e-9, None, "text")]
    ['2', '0.7071', '123456', '1e-09', '', 'str']
    """
    if number is None:
        return ""
    shape = getattr(number, "shape", None)
    if isinstance(shape, tuple) and (shape or not hasattr(number, "__float__")):
        few = 0 < getattr(number, "size", 0) <= numbers and hasattr(number, "tolist")
        return _nested(number.tolist()) if few else str(shape)
    try:
        value = float(number) if not isinstance(number, str) else None
    except (TypeError, ValueError):
        value = None
    if value is None:
        return type(number).__name__
    if value.is_integer() and abs(value) < 1e7:
        return str(int(value))
    return f"{value:.4g}"


def _nested(numbers: Any) -> str:
    """Lists of numbers, to three digits each, because several stand side by side."""
    if isinstance(numbers, list):
        return "[" + ", ".join(_nested(number) for number in numbers) + "]"
    return shown(float(f"{numbers:.3g}"))
