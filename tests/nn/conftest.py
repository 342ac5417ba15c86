"""Twins: a module of ours and one of PyTorch's with the same parameters, trained side by side."""

import numpy as np
import pytest


@pytest.fixture
def train_both():
    """Ten steps of SGD on sum(out * weights) + mean(out^2); then parameters and gradients must agree.

    SGD with momentum, because Adam divides by the gradient's size: where the exact gradient is zero (the
    bias of the keys in attention, a bias before batch normalisation) it would compare nothing but rounding.
    """
    torch = pytest.importorskip("torch")
    from autograd_ref import Tensor, optim

    def run(ours, theirs, *inputs, rename=None, steps=10, tolerance=1e-10, call=None, call_theirs=None):
        theirs = theirs.double()
        state = {n: t.detach().numpy() for n, t in theirs.state_dict().items()}
        ours.load_state_dict({(rename or {}).get(n, n): a for n, a in state.items()})
        weights = a = b = None
        for _ in range(steps):
            xs = [Tensor(x.copy(), requires_grad=True) if x.dtype.kind == "f" else x for x in inputs]
            ts = [torch.tensor(x, requires_grad=x.dtype.kind == "f") for x in inputs]
            out = (call or (lambda m, *v: m(*v)))(ours, *xs)
            expected = (call_theirs or call or (lambda m, *v: m(*v)))(theirs, *ts)
            np.testing.assert_allclose(out.data, expected.detach().numpy(), rtol=1e-9, atol=tolerance)
            if weights is None:
                weights = np.random.default_rng(1).standard_normal(out.shape)
            ours.zero_grad()
            theirs.zero_grad()
            ((out * weights).sum() + (out * out).mean()).backward()
            ((expected * torch.tensor(weights)).sum() + (expected * expected).mean()).backward()
            for x, t in zip(xs, ts, strict=True):
                if t.requires_grad and t.grad is not None:
                    np.testing.assert_allclose(x.grad.data, t.grad.numpy(), rtol=1e-9, atol=1e-9)
            slopes = [p.grad.norm().item() for p in theirs.parameters() if p.grad is not None]
            if slopes and a is None:
                # So long a step that the parameters move, and no longer: a training that leaps about makes of a
                # difference in the last digit, which another processor may have, one in the ninth.
                lr = 0.01 / max(1.0, *slopes)
                a = optim.SGD(ours.parameters(), lr=lr, momentum=0.5)
                b = torch.optim.SGD(theirs.parameters(), lr=lr, momentum=0.5)
            if a is not None:
                a.step()
                b.step()
        trained = {(rename or {}).get(n, n): t.detach().numpy() for n, t in theirs.state_dict().items()}
        for name, array in ours.state_dict().items():
            np.testing.assert_allclose(array, trained[name], rtol=tolerance, atol=tolerance, err_msg=name)

    return run
