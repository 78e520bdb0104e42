"""PyTorch, eager: no torch.compile. Where PyTorch has a faster way to say the same, it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import works
from systems.op_pytorch import (  # noqa: F401 - the worker finds every work here
    batched_matmul,
    convolution,
    embedding,
    layer_normalization,
    softmax,
    sort,
    top_k,
)


def use_threads(count: int) -> None:
    """Size the pool of the elementwise kernels and of BLAS."""
    torch.set_num_threads(count)


def to_numpy(value: Any) -> Any:
    """The array of a tensor."""
    return value.detach().numpy()


def _leaf(array: Any) -> Any:
    return torch.tensor(array, requires_grad=True)


def square(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The seed example."""
    x = _leaf(inputs["x"])
    one = torch.ones_like(x)

    def run() -> list[Any]:
        y = x**2
        return list(torch.autograd.grad(y, x, one))

    return run


def multiplies(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """A chain of multiplications."""
    w = _leaf(inputs["w"])
    ones = torch.ones_like(w)

    def run() -> list[Any]:
        y = w
        for _ in range(works.MULTIPLIES):
            y = y * w
        return list(torch.autograd.grad(y, w, ones))

    return run


def training_step(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """One step; the parameters move from call to call. addmm adds the bias in the product, sub_ scales in place."""
    x, labels = torch.tensor(inputs["x"]), torch.tensor(inputs["labels"], dtype=torch.int64)
    parameters = [_leaf(inputs[name]) for name in ("w1", "b1", "w2", "b2")]
    w1, b1, w2, b2 = parameters

    def run() -> list[Any]:
        h = torch.relu(torch.addmm(b1, x, w1))
        loss = torch.nn.functional.cross_entropy(torch.addmm(b2, h, w2), labels)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for p, g in zip(parameters, gradients, strict=True):
                p.sub_(g, alpha=works.LEARNING_RATE)
        return parameters

    return run


def elementwise(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The gradient of a long elementwise expression."""
    x = _leaf(inputs["x"])

    def run() -> list[Any]:
        y = torch.sum(torch.tanh(torch.sin(x) * torch.exp(-torch.square(x))))
        return list(torch.autograd.grad(y, x))

    return run


def jacobian(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The derivative of every output of a network with respect to every input, vectorised by vmap."""
    x, w1, b1, w2, b2 = (torch.tensor(inputs[name]) for name in ("x", "w1", "b1", "w2", "b2"))

    def network(x: Any) -> Any:
        return torch.addmm(b2, torch.tanh(torch.addmm(b1, x, w1)), w2)

    differentiate = torch.func.jacrev(network)

    def run() -> list[Any]:
        return [differentiate(x)]

    return run
