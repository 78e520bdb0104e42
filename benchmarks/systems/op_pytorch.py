"""The works of ops.py in PyTorch, eager. Where PyTorch has a faster way to say the same, it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import op_works
import works

functional = torch.nn.functional


def _gradients(function: Callable[..., Any], inputs: works.Inputs, names: str) -> Callable[[], list[Any]]:
    """Forward and backward of a function of named inputs."""
    leaves = [torch.tensor(inputs[name], requires_grad=True) for name in names.split()]
    dy = torch.tensor(inputs["dy"])

    def run() -> list[Any]:
        y = function(*leaves)
        return [y, *torch.autograd.grad(y, leaves, dy)]

    return run


def convolution(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """Channels last in memory, as the other systems have them; PyTorch names the axes in another order."""
    x = torch.tensor(inputs["x"]).permute(0, 3, 1, 2).requires_grad_()
    w = torch.tensor(inputs["w"]).permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last).requires_grad_()
    dy = torch.tensor(inputs["dy"]).permute(0, 3, 1, 2)

    def run() -> list[Any]:
        y = functional.conv2d(x, w, padding=1)
        dx, dw = torch.autograd.grad(y, (x, w), dy)
        return [y.permute(0, 2, 3, 1), dx.permute(0, 2, 3, 1), dw.permute(2, 3, 1, 0)]

    return run


def batched_matmul(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """Products of the last two axes."""
    return _gradients(torch.bmm, inputs, "a b")


def softmax(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """Along the last axis."""
    return _gradients(lambda x: torch.softmax(x, -1), inputs, "x")


def layer_normalization(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The fused function."""
    shape = inputs["gain"].shape
    return _gradients(
        lambda x, gain, offset: functional.layer_norm(x, shape, gain, offset, 1e-5), inputs, "x gain offset"
    )


def embedding(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The gradient stays a set of rows."""
    ids = torch.tensor(inputs["ids"])
    run = _gradients(lambda table: functional.embedding(ids, table, sparse=True), inputs, "table")
    return lambda: [run()[1]._values()]


def sort(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """Ascending, along the last axis; PyTorch gives the order with the values."""
    x = torch.tensor(inputs["x"])
    return lambda: [torch.sort(x, -1).values]


def top_k(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The largest of each row, sorted, and where they are."""
    x = torch.tensor(inputs["x"])
    return lambda: list(torch.topk(x, op_works.TOP))
