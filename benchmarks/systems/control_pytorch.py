"""Works with loops in PyTorch, where loops are Python's, and what all its programs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import compiled_works as constants
import works

Run = Callable[[], list[Any]]
functional = torch.nn.functional


class ControlFlowPrograms:
    """The works, for a way to compile a function."""

    def __init__(self, compile: Callable[..., Any], compiles: bool) -> None:
        self.compile, self.compiles = compile, compiles

    @staticmethod
    def _leaves(inputs: works.Inputs, names: str) -> list[Any]:
        found = [inputs[name] for name in names.split()]
        return [(v.clone() if isinstance(v, torch.Tensor) else torch.tensor(v)).requires_grad_() for v in found]

    @staticmethod
    def _data(inputs: works.Inputs, names: str) -> list[Any]:
        tensors = [torch.as_tensor(inputs[name]) for name in names.split()]
        return [v.long() if v.dtype == torch.int32 else v.clone() for v in tensors]

    def _descent(self, loss_of: Callable[..., Any], inputs: works.Inputs, names: str, data_names: str) -> Run:
        """Steps of SGD; the parameters move from call to call."""
        parameters, data = self._leaves(inputs, names), self._data(inputs, data_names)
        compiled = self.compile(loss_of)

        def run() -> list[Any]:
            loss = compiled(*parameters, *data)
            gradients = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                torch._foreach_sub_(parameters, gradients, alpha=constants.LEARNING_RATE)
            return [loss]

        return run

    def _gradient(self, loss_of: Callable[..., Any], inputs: works.Inputs, names: str, data_names: str) -> Run:
        """The loss and its gradients."""
        parameters, data = self._leaves(inputs, names), self._data(inputs, data_names)

        def run() -> list[Any]:
            loss = loss_of(*parameters, *data)
            return [loss, *torch.autograd.grad(loss, parameters)]

        return run

    @staticmethod
    def _lstm_cell(x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> tuple[Any, Any]:
        i, f, g, o = (torch.addmm(b, x, w) + h @ u).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c

    def lstm_loop(self, inputs: works.Inputs) -> Run:
        """A loop in PyTorch is the one of the unrolled work."""
        return self.lstm(inputs)  # type: ignore[attr-defined, no-any-return]

    def ode(self, inputs: works.Inputs) -> Run:
        """The state after many steps of Runge and Kutta, and its derivative with respect to the matrix."""
        dt = constants.ODE_TIME

        @self.compile
        def step(a: Any, y: Any) -> Any:
            k1 = torch.tanh(a @ y)
            k2 = torch.tanh(a @ (y + 0.5 * dt * k1))
            k3 = torch.tanh(a @ (y + 0.5 * dt * k2))
            k4 = torch.tanh(a @ (y + dt * k3))
            return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

        def loss_of(a: Any, y: Any) -> Any:
            for _ in range(constants.ODE_STEPS):
                y = step(a, y)
            return torch.sum(torch.square(y))

        return self._gradient(loss_of, inputs, "a", "y")

    def gru_scan(self, inputs: works.Inputs) -> Run:
        """All states of PyTorch's own layer; for the compiler a cell, called in a Python loop."""

        def loss_of(w: Any, u: Any, b: Any, x: Any) -> Any:
            start = x.new_zeros(x.shape[1], constants.UNITS)
            if not self.compiles:
                weights = [w.t(), u.t(), b, torch.zeros_like(b)]
                states, _ = torch.gru(x, start[None], weights, True, 1, 0.0, True, False, False)
                return torch.mean(torch.square(states))
            h, found = start, []
            for row in x:
                xr, xz, xn = torch.addmm(b, row, w).chunk(3, 1)
                hr, hz, hn = (h @ u).chunk(3, 1)
                z = torch.sigmoid(xz + hz)
                h = z * h + (1.0 - z) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
                found.append(h)
            return torch.mean(torch.square(torch.stack(found)))

        return self._gradient(self.compile(loss_of), inputs, "w u b", "x")

    def map_rows(self, inputs: works.Inputs) -> Run:
        """A function of a row, for all rows."""

        def of_row(w: Any, row: Any) -> Any:
            return torch.sum(torch.softmax(w @ row, 0) * torch.tanh(row))

        mapped = self.compile(lambda w, x: torch.sum(torch.func.vmap(of_row, (None, 0))(w, x)))
        return self._gradient(mapped, inputs, "w", "x")
