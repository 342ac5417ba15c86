"""Drawings: what they show, that they show it everywhere, and that nothing upsets them."""

import base64
import html
import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest
from PIL import Image

from autograd_ref import Tensor, nn, ops
from autograd_ref import functional as F
from autograd_ref.graph import MAX_NODES, Drawing, draw
from autograd_ref.graph.layout import lay_out
from autograd_ref.graph.picture import picture_of
from autograd_ref.graph.render import Arrowhead, Box, Curve, Text
from autograd_ref.scalar import Value


class Homemade:
    """What a student might write: an unhashable node whose parents may be plain numbers."""

    def __init__(self, data, parents=(), op="", **others):
        self.data, self.parents, self.op = data, parents, op
        self.__dict__.update(others)

    def __eq__(self, other):
        raise AssertionError("a drawing compares objects by identity")

    __hash__ = None


def worked_example():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    L = (a * b + c) ** 2
    L.backward()
    return L, {"a": a, "b": b, "c": c, "L": L}


def chain(length):
    x = Value(1.0, label="x")
    y = x
    for _ in range(length):
        y = y * 1.0
    return y


def cells(drawing):
    return [line.split() for line in drawing.text().splitlines()]


def shapes(drawing, kind):
    picture = picture_of(drawing.nodes, drawing.direction, drawing.title, drawing.note)
    return [shape for shape in picture.shapes if isinstance(shape, kind)]


def test_the_text_is_a_table_in_the_order_of_computation():
    L, labels = worked_example()
    assert draw(L, labels=labels, title="L = (ab + c)^2").text() == "\n".join(
        [
            "L = (ab + c)^2",
            "name  op   from   data  grad",
            "a                    2    42",
            "b                    3    28",
            "v1    *    a, b      6    14",
            "c                    1    14",
            "v2    +    v1, c     7    14",
            "L     **2  v2       49     1",
        ]
    )


def test_every_value_is_drawn_once_however_often_it_is_used():
    x = Value(2.0, label="x")
    drawing = draw(x * x + x)
    assert [node.label for node in drawing.nodes].count("x") == 1
    assert drawing.nodes[1].parents == (0, 0)
    assert len(shapes(drawing, Arrowhead)) == 6


def test_labels_go_before_the_labels_of_the_values_and_those_before_their_names():
    x = Homemade(1.0, label="own", name="other")
    y = Homemade(2.0, label="", name="named")
    root = Homemade(3.0, (x, y), "+")
    assert [node.label for node in draw(root).nodes] == ["own", "named", ""]
    assert [node.label for node in draw(root, labels={"given": x}).nodes] == ["given", "named", ""]


def test_names_in_the_text_are_all_different():
    x, y = Value(1.0, label="w"), Value(2.0, label="w")
    z = Value(3.0, label="v1")
    assert draw(x * y * z).names == ("w", "w (2)", "v2", "v1", "v3")


@pytest.mark.parametrize("others", [{}, {"grad": None}])
def test_a_value_without_a_gradient_shows_only_its_value(others):
    drawing = draw(Homemade(4.0, (Homemade(2.0, **others),), "square", **others))
    assert "grad" not in drawing.text() + drawing.to_dot() + drawing.to_svg()
    assert cells(drawing)[0] == ["name", "op", "from", "data"]


def test_arrays_show_their_shape_and_other_things_their_type():
    root = Homemade(
        np.zeros((3, 4)), (Homemade(np.float32(0.5)), Homemade(object())), "f", grad=np.ones((3, 4))
    )
    assert [(node.data, node.grad) for node in draw(root).nodes] == [
        ("0.5", ""),
        ("object", ""),
        ("(3, 4)", "(3, 4)"),
    ]
    assert "shape" in draw(root).to_svg()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array(2.0), "2"),
        (np.array([1.0, -0.12345]), "[1, -0.123]"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]] int64"),
        (np.ones(5), "(5,)"),
        (np.ones((2, 0)), "(2, 0)"),
        (np.ones((2, 3), np.float32), "(2, 3) float32"),
        (np.array([np.nan, np.inf]), "[nan, inf]"),
    ],
)
def test_a_few_numbers_are_shown_and_a_dtype_that_is_not_the_usual_one(value, text):
    assert draw(Homemade(value)).nodes[0].data == text


def tensors(*values):
    return [Tensor(np.array(value), requires_grad=True) for value in values]


def test_a_tensor_graph_is_drawn_as_the_same_graph_of_values_is():
    a, b, c = tensors(2.0, 3.0, 1.0)
    L = (a * b + c) ** 2
    drawing = draw(L, labels={"a": a, "b": b, "c": c, "L": L}, gradients=True)
    values = draw(worked_example()[0])
    numbers = [(node.data, node.grad) for node in drawing.nodes if node.grad]  # all but the exponent
    assert numbers == [(node.data, node.grad) for node in values.nodes]
    assert [(node.label, node.op, node.parents) for node in drawing.nodes] == [
        ("a", "", ()),
        ("b", "", ()),
        ("", "mul", (0, 1)),
        ("c", "", ()),
        ("", "add", (2, 3)),
        ("", "", ()),
        ("L", "pow", (4, 5)),
    ]
    assert a.grad is b.grad is c.grad is None
    assert 'label="mul"' in drawing.to_dot()
    assert drawing.to_png().startswith(b"\x89PNG")


def test_every_value_and_gradient_of_a_tensor_graph_is_the_right_one():
    w, b = tensors([[1.0, 2.0], [3.0, 4.0]], [0.5, -0.5])
    x = np.array([1.0, -1.0])
    h = ops.tanh(w @ x + b)
    loss = (h * h).sum()
    drawn = {n.label or n.op: n for n in draw(loss, labels={"w": w, "b": b, "x": x}, gradients=True).nodes}
    z = np.array([-0.5, -1.5])
    slope = 2 * np.tanh(z) * (1 - np.tanh(z) ** 2)
    small = lambda array: "[" + ", ".join(f"{v:.3g}" for v in array) + "]"  # noqa: E731
    assert (drawn["x"].data, drawn["x"].grad) == ("[1, -1]", "")
    assert (drawn["matmul"].data, drawn["matmul"].grad) == ("[-1, -1]", small(slope))
    assert (drawn["add"].data, drawn["add"].grad) == (small(z), small(slope))
    assert (drawn["tanh"].data, drawn["tanh"].grad) == (small(np.tanh(z)), small(2 * np.tanh(z)))
    assert drawn["b"].grad == small(slope)


def test_without_gradients_the_leaves_of_a_tensor_graph_show_theirs():
    x, y = tensors(2.0, 3.0)
    out = x * y
    out.backward(retain_graph=True)
    assert [node.grad for node in draw(out).nodes] == ["3", "2", ""]


def test_a_number_that_was_not_kept_is_left_open_and_so_is_what_came_of_it():
    (x,) = tensors(np.ones((2, 3), np.float32))
    drawing = draw((x + 1).sum())
    assert [(node.op, node.data, node.hidden_parents) for node in drawing.nodes] == [
        ("", "(2, 3) float32", 0),
        ("add", "(2, 3)", 1),
        ("sum", "12 float32", 0),
    ]


def test_a_leaf_tensor_and_a_whole_network_can_be_drawn():
    assert draw(Tensor([1.0, 2.0])).nodes[0].data == "[1, 2]"
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))
    loss = F.cross_entropy(
        model(Tensor(np.random.default_rng(0).normal(size=(2, 1, 6, 6)))), np.array([0, 2])
    )
    drawing = draw(loss, labels=dict(model.named_parameters()), gradients=True)
    assert [node.op for node in drawing.nodes if node.op] == [
        "conv2d",
        "relu",
        "max_pool2d",
        "reshape",
        "linear",
        "cross_entropy",
    ]
    assert all(node.grad for node in drawing.nodes if node.op or node.label)


def test_a_graph_that_backward_has_freed_says_so():
    (x,) = tensors(2.0)
    y = x * x
    z, both = y * 3, y + 1
    z.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        draw(z)
    assert [(node.op, node.hidden_parents) for node in draw(both).nodes] == [("mul", 1), ("add", 1)]


def test_gradients_of_many_results_are_refused_in_a_sentence():
    (x,) = tensors([1.0, 2.0])
    with pytest.raises(RuntimeError, match="one element"):
        draw(x * x, gradients=True)


def test_a_long_chain_of_tensors_needs_no_deep_stack():
    (x,) = tensors(1.0)
    for _ in range(3_000):
        x = x * 1.0
    assert draw(x, gradients=True).left_out > 2_000


def test_a_plain_number_among_the_parents_is_drawn_as_an_input():
    assert cells(draw(Homemade(6.0, (Homemade(2.0, label="x"), 3), "*")))[1:3] == [["x", "2"], ["v1", "3"]]


def test_a_drawing_does_not_change_with_the_values():
    L, labels = worked_example()
    drawing = draw(L, labels=labels)
    before = drawing.text(), drawing.to_svg()
    L.backward()
    L.zero_grad()
    assert (drawing.text(), drawing.to_svg()) == before


def test_only_the_60_values_nearest_to_the_root_are_drawn_and_the_rest_is_counted():
    drawing = draw(chain(100))
    assert len(drawing.nodes) == MAX_NODES
    assert drawing.left_out == 101 - MAX_NODES
    note = "41 more values that are further from the result"
    assert drawing.text().endswith(f"... and {note}")
    assert note in drawing.to_dot()
    assert note in drawing.to_svg()
    assert cells(drawing)[1][:3] == ["v1", "*1", "..."]
    assert draw(chain(MAX_NODES - 1)).left_out == 0
    assert "1 more value that is further" in draw(chain(MAX_NODES)).text()


def test_a_chain_of_100_000_operations_is_drawn_without_recursion():
    drawing = draw(chain(100_000))
    assert drawing.left_out == 100_001 - MAX_NODES
    assert drawing.to_png().startswith(b"\x89PNG")


def test_a_leaf_alone_can_be_drawn():
    drawing = draw(Value(2.0, label="x"))
    assert cells(drawing) == [["name", "op", "from", "data"], ["x", "2"]]
    assert drawing.to_png().startswith(b"\x89PNG")


def test_dot_quotes_what_it_must():
    drawing = draw(Homemade(1.0, (Homemade(2.0, label='say "hi" \\ <b>\nbye'),), "f"), title='a "title"')
    dot = drawing.to_dot()
    assert r'n0 [shape=box, style=rounded, label="say \"hi\" \\ <b> bye\ndata 2"];' in dot
    assert r'label="a \"title\"";' in dot
    assert "n0 -> op1;" in dot
    assert "op1 -> n1;" in dot


def test_before_backward_there_is_no_gradient_yet_and_not_0():
    fresh = draw(Value(2.0, label="x") * Value(0.0, label="y"))
    assert [node.grad for node in fresh.nodes] == ["", "", ""]
    assert "grad" not in fresh.text() + fresh.alt + fresh.to_svg()
    x, y = Value(2.0), Value(0.0)
    out = x * y
    out.backward()
    assert [node.grad for node in draw(out).nodes] == ["0", "2", "1"]  # this 0 is a gradient
    x.grad = y.grad = out.grad = 0.0  # set back
    assert [node.grad for node in draw(out).nodes] == ["", "", ""]


def test_a_new_graph_on_values_of_an_old_one_has_no_gradient_yet_where_it_is_new():
    x, y = Value(2.0), Value(3.0)
    (x * y).backward()
    again = (x + y) * x
    assert [node.grad for node in draw(again).nodes] == ["3", "2", "", ""]  # and 0 at neither of the new ones
    again.backward()
    assert draw(again).nodes[-1].grad == "1"


def test_before_backward_arrays_of_zeros_are_no_gradients_either():
    x = Homemade(np.ones(3), grad=np.zeros(3))
    out = Homemade(np.ones(3), (x,), "f", grad=np.zeros(3))
    assert [node.grad for node in draw(out).nodes] == ["", ""]
    out.grad = np.array([0.0, 1.0, 0.0])
    assert [node.grad for node in draw(out).nodes] == ["[0, 0, 0]", "[0, 1, 0]"]


def test_more_numbers_stand_in_rows_under_their_shape():
    drawing = draw(Homemade(np.arange(6.0).reshape(2, 3), label="x"), numbers=6)
    (node,) = drawing.nodes
    assert node.data == "[[0, 1, 2], [3, 4, 5]]"
    assert node.data_rows == (("0", "1", "2"), ("3", "4", "5")) and node.shape == "(2, 3)"
    svg = drawing.to_svg()
    assert ">x (2, 3)<" in svg and all(f">{number}<" in svg for number in range(6))
    assert draw(Homemade(np.zeros((2, 4))), numbers=6).nodes[0].data_rows == ()


def test_the_picture_is_told_in_words():
    L, labels = worked_example()
    L.backward()
    drawing = draw(L, labels=labels, title="An <example>")
    data, metadata = drawing._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == drawing.alt
    for name, node in zip(drawing.names, drawing.nodes, strict=True):
        assert re.search(rf"{re.escape(name)}[^.]*: data {node.data}, grad {node.grad}\.", drawing.alt)
    assert f'alt="{html.escape(drawing.alt)}"' in data["text/html"]


def test_svg_is_well_formed_and_holds_every_label_value_and_gradient():
    x = Value(0.25, label="<w&1>")
    y = x.tanh()
    y.backward()
    root = ET.fromstring(draw(y, title="a < b").to_svg())
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<w&1>", "0.25", "tanh", "0.2449", "0.94", "1", "a < b"} <= set(texts)


def test_in_a_notebook_it_is_a_png_with_a_text_twin_in_json():
    L, labels = worked_example()
    drawing = draw(L, labels=labels)
    data, metadata = drawing._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "image/png"}
    assert data["image/png"] in data["text/html"]
    assert data["text/plain"] == drawing.text() == repr(drawing)
    image = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert image.width == pytest.approx(2 * metadata["image/png"]["width"], abs=2)


def test_the_png_has_exactly_the_colours_of_the_picture():
    drawing = draw(network(), direction="TB")
    image = Image.open(io.BytesIO(drawing.to_png())).convert("RGB")
    common = {f"#{r:02x}{g:02x}{b:02x}" for count, (r, g, b) in image.getcolors(1000) if count > 500}
    wanted = {box.fill for box in shapes(drawing, Box)} | {text.colour for text in shapes(drawing, Text)}
    assert wanted <= common
    assert image.getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_output_is_the_same_every_time_and_has_no_addresses(direction):
    def outputs():
        L, labels = worked_example()
        drawing = draw(L, labels=labels, direction=direction)
        return drawing.text(), drawing.to_dot(), drawing.to_svg(), drawing.to_png()

    first = outputs()
    keep = [object() for _ in range(1000)]  # other addresses for the second graph
    assert outputs() == first
    assert not re.search("0x[0-9a-f]{6,}", "".join(first[:3]))
    del keep


def test_the_readers_matplotlib_settings_do_not_change_the_picture_nor_the_picture_them():
    L, labels = worked_example()
    expected = draw(L, labels=labels).to_png()
    with matplotlib.rc_context({"text.color": "red", "font.size": 30, "savefig.facecolor": "black"}):
        settings = dict(matplotlib.rcParams)
        assert draw(L, labels=labels).to_png() == expected
        assert dict(matplotlib.rcParams) == settings


def test_a_label_that_the_font_lacks_or_that_looks_like_mathematics_is_no_trouble(recwarn):
    x = Value(1.0, label="重み $x_1$ 🙂")
    assert draw(x * 2, title="$ 5").to_png().startswith(b"\x89PNG")
    assert not recwarn.list


def test_importing_the_module_imports_neither_numpy_nor_matplotlib_nor_the_engine():
    code = (
        "import sys, autograd_ref.graph; "
        "print([m for m in ('numpy', 'matplotlib', 'autograd_ref.scalar') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_making_a_png_leaves_pyplot_alone():
    code = (
        "import sys; from autograd_ref.graph import draw; from autograd_ref.scalar import Value; "
        "draw(Value(1.0) * 2).to_png(); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_cycle_is_reported_and_does_not_hang():
    x = Homemade(7.0, op="+")
    y = Homemade(8.0, (x,), "*")
    x.parents = (y,)
    with pytest.raises(ValueError, match=r"no cycle, but the value 8 is computed from itself: look for"):
        draw(y)


def test_what_cannot_be_drawn_is_named_in_one_sentence():
    with pytest.raises(TypeError, match=r"root must have .* data and parents, but it is of type float: pass"):
        draw(3.0)
    with pytest.raises(ValueError, match=r"direction must be 'LR' or 'TB', but it is 'up': choose"):
        draw(Value(1.0), direction="up")


def overlap(one, other):
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def network():
    xs = [Value(0.5, label=f"x{i}") for i in range(3)]
    hidden = []
    for j in range(3):
        ws = [Value(0.1 * (i + j) - 0.2, label=f"w{j}{i}") for i in range(3)]
        hidden.append(sum((w * x for w, x in zip(ws, xs, strict=True)), Value(0.0, label=f"b{j}")).tanh())
    return hidden[0] * hidden[1] + hidden[2] * hidden[0]


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_boxes_do_not_overlap_and_everything_is_inside_the_picture(direction):
    drawing = draw(network(), direction=direction, title="A network")
    boxes = shapes(drawing, Box)
    assert len(boxes) == len(drawing.nodes) + sum(bool(node.op) for node in drawing.nodes)
    assert not any(overlap(one, other) for i, one in enumerate(boxes) for other in boxes[:i])
    picture = picture_of(drawing.nodes, drawing.direction, drawing.title, drawing.note)
    for shape in shapes(drawing, (Box, Text, Curve)):
        for x, y in shape.points if isinstance(shape, Curve) else [(shape.x, shape.y)]:
            assert 0 <= x <= picture.width
            assert 0 <= y <= picture.height


def test_every_arrow_runs_in_the_direction_of_the_drawing():
    for direction, axis in (("LR", 0), ("TB", 1)):
        for curve in shapes(draw(network(), direction=direction), Curve):
            along = [point[axis] for point in curve.points]
            assert along == sorted(along)


def test_a_tree_is_laid_out_without_crossings():
    # Two operations with two inputs each, numbered so that the order of numbers would cross.
    edges = [(0, 4), (2, 4), (1, 5), (3, 5), (4, 6), (5, 6)]
    layout = lay_out([(10.0, 10.0)] * 7, edges)
    y = [centre[1] for centre in layout.centres]
    assert (max(y[0], y[2]) < min(y[1], y[3])) == (y[4] < y[5])
    assert max(y[0], y[2]) < min(y[1], y[3]) or max(y[1], y[3]) < min(y[0], y[2])


def test_a_drawing_is_public_data():
    drawing = draw(Value(1.0))
    assert isinstance(drawing, Drawing)
    assert drawing.direction == "LR"
