"""A picture of a computation graph: every value with its gradient, every operation between them.

Drawn are Tensors, and any objects with `data`, `grad`, `op` (text, "" for a leaf) and `parents` (a tuple): the
engine's Value and those that students write. A `label` or a `name`, where there is one, is shown.

In a notebook the picture is a PNG with a text twin, because every viewer shows that: JupyterLab (trusted or
not), GitHub, nbviewer, nbconvert's pages. It needs no Graphviz, and matplotlib only while a PNG is made.

    >>> from autograd_ref.scalar import Value
    >>> a, b, c = Value(2.0), Value(3.0), Value(1.0)
    >>> L = (a * b + c) ** 2
    >>> L.backward()
    >>> draw(L, labels={"a": a, "b": b, "c": c, "L": L})
    name  op   from   data  grad
    a                    2    42
    b                    3    28
    v1    *    a, b      6    14
    c                    1    14
    v2    +    v1, c     7    14
    L     **2  v2       49     1

A Tensor's graph lives until `backward`, so it is drawn before that, and the gradients are asked for. What has
more than four numbers shows its shape:

    >>> from autograd_ref import Tensor
    >>> w = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    >>> loss = ((w @ [1.0, -1.0]) ** 2).sum()
    >>> draw(loss, labels={"w": w, "loss": loss}, gradients=True)
    name  op      from            data          grad
    w                           (3, 2)        (3, 2)
    v1                         [1, -1]
    v2    matmul  w, v1   [-1, -1, -1]  [-2, -2, -2]
    v3                               2
    v4    pow     v2, v3     [1, 1, 1]     [1, 1, 1]
    loss  sum     v4                 3             1
"""

from .drawing import Drawing, Node
from .reading import MAX_NODES, draw
from .steps import BackwardSteps, backward_steps

__all__ = ["MAX_NODES", "BackwardSteps", "Drawing", "Node", "backward_steps", "draw"]
