"""Where things stand in a drawing of a directed graph: layers, few crossings, straight edges.

The usual four steps (Sugiyama, Tagawa and Toda, 1981): give each vertex a layer, order each layer so that few
edges cross, place the vertices of a layer without overlaps near their neighbours, space the layers.
"""

from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Edge = tuple[int, int]

_SWEEPS = 12
_GAP_ACROSS = 14.0  # between neighbours in a layer
_GAP_ALONG = 22.0  # between layers, at least


@dataclass(frozen=True)
class Layout:
    """Centres of the vertices, the points by which each edge passes the layers between, the total size."""

    centres: list[Point]
    bends: list[list[Point]]
    width: float
    height: float


def lay_out(sizes: list[tuple[float, float]], edges: list[Edge], direction: str = "LR") -> Layout:
    """Place vertices of the given (width, height) so that every edge runs along `direction`, "LR" or "TB".

    Edges run from a smaller to a larger vertex number. The result depends on nothing but the arguments.

    >>> lay_out([(10, 10), (10, 10)], [(0, 1)]).centres
    [(5.0, 5.0), (37.0, 5.0)]
    """
    along, across = zip(*(size if direction == "LR" else size[::-1] for size in sizes), strict=True)
    layer_of = _layers(len(sizes), edges)

    # An edge over several layers gets a vertex of no size in each layer between, so that it has room there.
    lengths, breadths = list(along), list(across)
    rank = list(range(len(sizes)))
    pieces: list[Edge] = []
    passes: list[list[int]] = []
    for start, end in edges:
        chain = [start]
        for layer in range(layer_of[start] + 1, layer_of[end]):
            chain.append(len(breadths))
            lengths.append(0.0)
            breadths.append(0.0)
            layer_of.append(layer)
            rank.append(start)
        pieces += zip(chain, [*chain[1:], end], strict=True)
        passes.append(chain[1:])
    layers: list[list[int]] = [[] for _ in range(max(layer_of) + 1)]
    for vertex in sorted(range(len(rank)), key=rank.__getitem__):
        layers[layer_of[vertex]].append(vertex)

    before: list[list[int]] = [[] for _ in breadths]
    after: list[list[int]] = [[] for _ in breadths]
    for start, end in pieces:
        after[start].append(end)
        before[end].append(start)
    _order(layers, before, after)
    y = _place(layers, before, after, breadths)

    x, half, length = _space(layers, before, lengths, y)
    bottom = max(y[v] + breadths[v] / 2 for v in range(len(breadths)))

    def point(along: float, across: float) -> Point:
        return (along, across) if direction == "LR" else (across, along)

    centres = [point(x[v], y[v]) for v in range(len(sizes))]
    # An edge enters and leaves a layer at its borders, so that it runs straight past what stands there.
    bends = [[point(x[v] + side * half[v], y[v]) for v in chain for side in (-1, 1)] for chain in passes]
    size = (length, bottom) if direction == "LR" else (bottom, length)
    return Layout(centres, bends, *size)


def _layers(count: int, edges: list[Edge]) -> list[int]:
    """The layer of each vertex: its longest path to the end, counted from the other side.

    Counting from the end puts an input next to the operation that uses it, however late that comes.
    """
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for start, end in edges:
        outgoing[start].append(end)
    to_end = [0] * count
    for vertex in reversed(range(count)):
        to_end[vertex] = max((to_end[end] + 1 for end in outgoing[vertex]), default=0)
    return [max(to_end) - steps for steps in to_end]


def _order(layers: list[list[int]], before: list[list[int]], after: list[list[int]]) -> None:
    """Reorder each layer by the mean position of the neighbours, to and fro, and keep the best order seen."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers, after)
    for sweep in range(_SWEEPS):
        neighbours = after if sweep % 2 == 0 else before
        path = range(len(layers) - 2, -1, -1) if sweep % 2 == 0 else range(1, len(layers))
        for k in path:
            position = {v: float(i) for layer in layers for i, v in enumerate(layer)}
            layers[k].sort(key=lambda v: _mean([position[u] for u in neighbours[v]], position[v]))
        crossings = _crossings(layers, after)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    layers[:] = best


def _crossings(layers: list[list[int]], after: list[list[int]]) -> int:
    position = {v: i for layer in layers for i, v in enumerate(layer)}
    total = 0
    for layer in layers:
        ends = [position[u] for v in layer for u in sorted(after[v], key=position.__getitem__)]
        total += sum(later < earlier for i, earlier in enumerate(ends) for later in ends[i + 1 :])
    return total


def _place(
    layers: list[list[int]], before: list[list[int]], after: list[list[int]], breadths: list[float]
) -> list[float]:
    """Coordinates across the layers: vertices as near to the mean of their neighbours as the order allows.

    Sweeps look at one side only, so that a chain becomes straight in one sweep. The last one runs forwards:
    inputs stand next to what uses them, then everything else stands exactly behind what it comes from.
    """
    y = [0.0] * len(breadths)
    for sweep in range(_SWEEPS):
        neighbours = before if sweep % 2 else after
        for layer in layers if sweep % 2 else reversed(layers):
            wished = [_mean([y[u] for u in neighbours[v]], y[v]) for v in layer]
            for v, place in zip(layer, _apart(wished, [breadths[v] for v in layer]), strict=True):
                y[v] = place
    top = min(y[v] - breadths[v] / 2 for v in range(len(y)))
    return [place - top for place in y]


def _space(
    layers: list[list[int]], before: list[list[int]], lengths: list[float], y: list[float]
) -> tuple[list[float], list[float], float]:
    """Where the layers' vertices stand along the edges, half of each layer's thickness, and the total length."""
    x = [0.0] * len(lengths)
    half = [0.0] * len(lengths)
    edge_of_layer = 0.0
    for k, layer_vertices in enumerate(layers):
        if k:
            steepest = max(abs(y[u] - y[v]) for v in layer_vertices for u in before[v] or [v])
            edge_of_layer += max(_GAP_ALONG, min(0.3 * steepest, 3 * _GAP_ALONG))
        thickness = max(lengths[v] for v in layer_vertices)
        for vertex in layer_vertices:
            x[vertex] = edge_of_layer + thickness / 2
            half[vertex] = thickness / 2
        edge_of_layer += thickness
    return x, half, edge_of_layer


def _apart(wished: list[float], breadths: list[float]) -> list[float]:
    """The places nearest to the wished ones that keep the order and the distances.

    Nearest in the sense of least squares: this is isotonic regression by pooling adjacent violators.

    >>> _apart([0.0, 0.0, 100.0], [10.0, 10.0, 10.0])
    [-12.0, 12.0, 100.0]
    """
    offsets = [0.0]
    for one, other in pairwise(breadths):
        offsets.append(offsets[-1] + (one + other) / 2 + _GAP_ACROSS)
    pools: list[list[float]] = []  # [mean, how many]
    for wish, offset in zip(wished, offsets, strict=True):
        pools.append([wish - offset, 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, count = pools.pop()
            pools[-1][0] = (pools[-1][0] * pools[-1][1] + mean * count) / (pools[-1][1] + count)
            pools[-1][1] += count
    means = [mean for mean, count in pools for _ in range(int(count))]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _mean(numbers: list[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default
