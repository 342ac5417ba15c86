"""A backward pass, shown one value at a time: what is told is what the caller's own step did."""

import re

import numpy as np
import pytest

from autograd_ref.graph import backward_steps
from autograd_ref.scalar import Value


def worked_example(slip=None):
    """V = xy + z(x + y) at 2, 3, 4, its order, and a step that may hold a mistake."""
    x, y, z = (Value(number, label=name) for number, name in ((2.0, "x"), (3.0, "y"), (4.0, "z")))
    product, total = x * y, x + y
    scaled = z * total
    V = product + scaled
    V.label = "V"
    sends = {
        id(V): lambda g: [(product, g), (scaled, g)],
        id(scaled): lambda g: [(z, g * total.data), (total, g * z.data)],
        id(total): lambda g: [(x, g), (y, g)],
        id(product): lambda g: [(x, g * y.data), (y, g * x.data)],
    }

    def step(node):
        for parent, g in sends.get(id(node), lambda g: [])(node.grad):
            parent.grad = g if slip == "=" else parent.grad + g

    return V, [x, y, product, z, total, scaled, V], step


def test_each_operation_is_a_step_that_says_who_sends_what_to_whom_and_where_it_adds_up():
    V, order, step = worked_example()
    shown = backward_steps(V, order, step)
    assert [s.question.split(" is at work")[0] for s in shown.steps] == [
        "V = v1 + v3",
        "v3 = z * v2",
        "v2 = x + y",
        "v1 = x * y",
    ]
    first, *later = [s.question.split(" is at work")[1] for s in shown.steps]
    assert first == ", with the gradient 1. What does it send, and to whom?"
    # A line that is closed does not say what the steps before it have found.
    assert set(later) == {". What does it send, and to whom?"}
    assert [s.answer for s in shown.steps] == [
        "To v1: 1. To v3: 1.",
        "Its gradient is 1. To z: 5. To v2: 4.",
        "Its gradient is 4. To x: 4. To y: 4.",
        "Its gradient is 1. To x: 3, and with the 4 from before that is 7. "
        "To y: 2, and with the 4 from before that is 6.",
    ]
    assert [value.grad for value in order] == [7.0, 6.0, 1.0, 5.0, 4.0, 1.0, 1.0]


def test_a_gradient_that_has_not_arrived_is_not_there_and_is_no_0():
    V, order, step = worked_example()
    for value in order:
        value.grad = 5.0  # of an earlier pass
    shown = backward_steps(V, order, step)
    arrived = [
        {node.label.removeprefix("▶ "): node.grad for node in picture.nodes if node.grad}
        for picture in (shown.start, *(s.picture for s in shown.steps))
    ]
    assert arrived[0] == {"V": "1"}
    assert arrived[1] == {"V": "1", "v1": "1", "v3": "1"}
    assert arrived[2] == {**arrived[1], "z": "5", "v2": "4"}
    assert arrived[-1] == {**arrived[2], "x": "7", "y": "6"}
    at_work = [[n.label for n in s.picture.nodes if n.label.startswith("▶ ")] for s in shown.steps]
    assert at_work == [["▶ V"], ["▶ v3"], ["▶ v2"], ["▶ v1"]]


def test_a_mistake_of_the_caller_s_step_is_seen_as_it_is():
    V, order, step = worked_example(slip="=")
    last = backward_steps(V, order, step).steps[-1]
    assert last.answer.startswith("Its gradient is 1. To x: -1, and with the 4 from before that is 3.")
    assert next(node.grad for node in last.picture.nodes if node.label == "x") == "3"


def test_a_zero_that_was_sent_is_shown_as_0():
    x, y = Value(0.0, label="x"), Value(3.0, label="y")
    w = x * y

    def step(node):
        if node is w:
            x.grad += node.grad * y.data
            y.grad += node.grad * x.data

    (only,) = backward_steps(w, [x, y, w], step).steps
    assert only.answer == "To x: 3. To y: 0."
    assert [node.grad for node in only.picture.nodes] == ["3", "0", "1"]


def test_a_value_used_twice_by_one_operation_is_told_once():
    x = Value(3.0, label="x")
    w = x * x

    def step(node):
        if node is w:
            x.grad += node.grad * x.data
            x.grad += node.grad * x.data

    (only,) = backward_steps(w, [x, w], step).steps
    assert only.question.startswith("v1 = x * x is at work")
    assert only.answer == "To x: 6."


def test_it_opens_without_a_kernel_a_script_or_a_style_sheet_and_has_a_text_twin():
    V, order, step = worked_example()
    V.label = "<V>"
    shown = backward_steps(V, order, step)
    data = shown._repr_mimebundle_()
    html = data["text/html"]
    assert set(re.findall(r"<(\w+)", html)) == {"div", "details", "summary", "img"}
    assert html.count("<details") == len(shown.steps) == 4
    assert html.count("<img alt=") == 5
    assert "<V>" not in html and "&lt;V&gt;" in html
    for s in shown.steps:
        assert s.question in data["text/plain"] and s.answer in data["text/plain"]


@pytest.mark.parametrize("order", [[], "without the root"])
def test_an_order_that_does_not_end_in_the_root_is_refused(order):
    V, whole, step = worked_example()
    with pytest.raises(ValueError, match="the last value in order"):
        backward_steps(V, order and whole[:-1], step)


class Array:
    """A value that holds an array, as a learner writes it."""

    def __init__(self, data, op="", parents=(), label=""):
        self.data, self.op, self.parents, self.label = np.array(data, dtype=float), op, parents, label
        self.grad = None


def layer(slip=""):
    """out = relu(x + b) * c, which stretches b along rows and c along columns, its order, and a step."""
    x, b = Array([[1, 2], [0, -1], [3, 1]], label="x"), Array([1, -1], label="b")
    c = Array([[2], [-1], [3]], label="c")
    s = Array(x.data + b.data, "+", (x, b), "s")
    h = Array(np.maximum(s.data, 0), "relu", (s,), "h")
    out = Array(h.data * c.data, "*", (h, c), "out")

    def add(value, g):
        if value.grad is None:
            value.grad = g.copy()
        else:
            value.grad += g  # in place, as a learner may

    def step(node):
        if node is out:
            add(h, node.grad * c.data)
            add(c, (node.grad * h.data).sum(axis=1, keepdims=True))
        elif node is h:
            add(s, node.grad * (s.data > 0))
        elif node is s:
            add(x, node.grad)
            add(b, node.grad if slip == "no sum" else node.grad.sum(axis=0))

    return out, [x, b, c, s, h, out], step


GIVEN = [[1, 3], [2, -1], [1, 2]]


def test_of_arrays_it_asks_for_shapes_and_says_where_a_stretched_one_is_summed():
    out, order, step = layer()
    shown = backward_steps(out, order, step, gradient=GIVEN)
    assert "begins with the gradient [[1, 3], [2, -1], [1, 2]] at out." in shown.told
    assert [s.question[s.question.index("What") :] for s in shown.steps] == [
        "What goes to h (3, 2), and what to c (3, 1)?",
        "What goes to s (3, 2)?",
        "What goes to x (3, 2), and what to b (2,)?",
    ]
    first, second, third = (s.answer for s in shown.steps)
    assert (
        "To c: [[5], [2], [4]]. c was stretched from (3, 1) to (3, 2), so what comes back is summed" in first
    )
    assert second == "Its gradient is [[2, 6], [-2, 1], [3, 6]]. To s: [[2, 6], [-2, 0], [3, 0]]."
    assert third.endswith(
        "To b: [3, 6]. b was stretched from (2,) to (3, 2), so what comes back is summed to (2,)."
    )
    assert order[1].grad.tolist() == [3, 6]


def test_boxes_of_arrays_hold_shape_and_numbers_and_nothing_where_nothing_has_arrived():
    out, order, step = layer()
    shown = backward_steps(out, order, step, gradient=GIVEN)
    boxes = {node.label.removeprefix("▶ "): node for node in shown.steps[0].picture.nodes}
    assert boxes["x"].shape == "(3, 2)" and boxes["b"].shape == "(2,)" and boxes["c"].shape == "(3, 1)"
    assert boxes["x"].data_rows == (("1", "2"), ("0", "-1"), ("3", "1"))
    assert boxes["c"].grad_rows == (("5",), ("2",), ("4",))
    assert boxes["b"].grad_rows == boxes["s"].grad_rows == () and boxes["b"].grad == ""
    svg = shown.steps[0].picture.to_svg()
    assert ">x (3, 2)<" in svg and ">▶ out (3, 2)<" in svg


def test_the_way_of_the_gradient_is_marked_and_points_back():
    out, order, step = layer()
    shown = backward_steps(out, order, step, gradient=GIVEN)
    assert shown.start.at_work is None and shown.start.sent == ()
    for s, sends, reached in zip(
        shown.steps, ("out", "h", "s"), ({"h", "c"}, {"s"}, {"x", "b"}), strict=True
    ):
        names = [node.label.removeprefix("▶ ") for node in s.picture.nodes]
        assert names[s.picture.at_work] == sends
        assert {names[k] for k in s.picture.sent} == reached
        svg = s.picture.to_svg()
        # From the value to its operation, and from there to each that it reaches.
        assert (
            svg.count('stroke="#b4236a" stroke-width="2.4"')
            == svg.count('fill="#b4236a"/>')
            == 1 + len(reached)
        )
    assert 'stroke-width="2.4"' not in shown.start.to_svg()


def test_a_gradient_of_another_shape_than_its_value_is_said():
    out, order, step = layer(slip="no sum")
    last = backward_steps(out, order, step, gradient=GIVEN).steps[-1]
    assert last.answer.endswith("To b: [[2, 6], [-2, 0], [3, 0]], of the shape (3, 2), though b has (2,).")


def test_an_array_that_is_written_into_shows_what_it_got_each_time():
    x = Array([1.0, 2.0], label="x")
    double = Array(x.data * 2, "*2", (x,), "d")
    both = Array(double.data + x.data, "+", (double, x), "both")

    def step(node):
        for parent in node.parents:
            g = node.grad * (2 if node is double else 1)
            if parent.grad is None:
                parent.grad = g.copy()
            else:
                parent.grad += g

    shown = backward_steps(both, [x, double, both], step, gradient=[10, -1])
    assert (
        shown.steps[1].answer
        == "Its gradient is [10, -1]. To x: [20, -2], and with the [10, -1] from before that is [30, -3]."
    )


def test_a_parent_that_gets_nothing_is_said_and_has_no_gradient():
    mask, x = Array([1.0, 0.0], label="mask"), Array([1.0, 2.0], label="x")
    out = Array(x.data, "where", (mask, x), "out")

    def step(node):
        if node is out:
            x.grad = node.grad * mask.data

    (only,) = backward_steps(out, [mask, x, out], step, gradient=[5, 6]).steps
    assert only.answer == "To mask: nothing. To x: [5, 0]."
    assert only.picture.nodes[0].grad == "" and only.picture.sent == (1,)


@pytest.mark.parametrize(
    ("gradient", "words"),
    [(None, "one number is needed"), ([1, 2], r"its gradient \(2,\): give it that shape")],
)
def test_what_a_pass_begins_with_has_to_fit_the_result(gradient, words):
    out, order, step = layer()
    with pytest.raises(ValueError, match=words):
        backward_steps(out, order, step, gradient=gradient)


def test_large_arrays_are_shown_by_their_shapes():
    x = Array(np.zeros((5, 4)), label="x")
    out = Array(x.data.sum(), "sum", (x,), "L")

    def step(node):
        if node is out:
            x.grad = node.grad * np.ones((5, 4))

    (only,) = backward_steps(out, [x, out], step).steps
    assert only.answer == "To x: (5, 4)."
    assert [node.grad for node in only.picture.nodes] == ["(5, 4)", "1"]
