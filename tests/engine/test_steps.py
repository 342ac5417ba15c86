"""A backward pass, shown one value at a time: what is told is what the caller's own step did."""

import re

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
    assert shown.steps[1].question.endswith("with the gradient 1. What does it send, and to whom?")
    assert [s.answer for s in shown.steps] == [
        "To v1: 1. To v3: 1.",
        "To z: 5. To v2: 4.",
        "To x: 4. To y: 4.",
        "To x: 3, and with the 4 from before that is 7. To y: 2, and with the 4 from before that is 6.",
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
    assert last.answer.startswith("To x: -1, and with the 4 from before that is 3.")
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
