"""PyTorch, eager and by `torch.compile`. Where PyTorch has a faster way to say the same, it is used."""

from __future__ import annotations

from typing import Any

import torch

import compiled_works as constants
import works
from systems.control_pytorch import ControlFlowPrograms, Run

functional = torch.nn.functional


class TorchPrograms(ControlFlowPrograms):
    """The works, for a way to compile a function."""

    def elementwise(self, inputs: works.Inputs) -> Run:
        """The gradient of a long elementwise expression."""
        x = torch.tensor(inputs["x"], requires_grad=True)
        expression = self.compile(lambda x: torch.sum(torch.tanh(torch.sin(x) * torch.exp(-torch.square(x)))))
        return lambda: list(torch.autograd.grad(expression(x), x))

    def mlp(self, inputs: works.Inputs) -> Run:
        """Two dense layers."""

        def loss_of(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, labels: Any) -> Any:
            return functional.cross_entropy(torch.addmm(b2, torch.relu(torch.addmm(b1, x, w1)), w2), labels)

        return self._descent(loss_of, inputs, "w1 b1 w2 b2", "x labels")

    def mlp_adam(self, inputs: works.Inputs) -> Run:
        """Four dense layers, trained by PyTorch's fused Adam."""
        adam = constants.ADAM
        parameters = self._leaves(inputs, " ".join(f"w{k} b{k}" for k in (1, 2, 3, 4)))
        betas = (adam.beta1, adam.beta2)
        optimizer = torch.optim.Adam(parameters, adam.rate, betas, adam.epsilon, fused=True)
        x, y = torch.tensor(inputs["x"]), torch.tensor(inputs["y"])

        def loss_of(x: Any, y: Any, *parameters: Any) -> Any:
            for k in range(0, 8, 2):
                x = torch.addmm(parameters[k + 1], x, parameters[k])
                if k < 6:
                    x = torch.relu(x)
            return functional.mse_loss(x, y)

        compiled = self.compile(loss_of)

        def run() -> list[Any]:
            optimizer.zero_grad()
            loss = compiled(x, y, *parameters)
            loss.backward()
            optimizer.step()
            return [loss]

        return run

    def convnet(self, inputs: works.Inputs) -> Run:
        """Two convolutions, each with a maximum of four neighbours, and a dense layer; channels last in memory."""
        layouts = {name: torch.tensor(inputs[name]).permute(3, 2, 0, 1) for name in ("k1", "k2")}
        flat = torch.tensor(inputs["w3"]).reshape(7, 7, 64, 10).permute(2, 0, 1, 3).reshape(-1, 10)
        inputs = inputs | {n: k.contiguous(memory_format=torch.channels_last) for n, k in layouts.items()}
        inputs |= {"w3": flat, "x": torch.tensor(inputs["x"]).permute(0, 3, 1, 2)}

        def loss_of(k1: Any, b1: Any, k2: Any, b2: Any, w3: Any, b3: Any, x: Any, labels: Any) -> Any:
            x = functional.max_pool2d(torch.relu(functional.conv2d(x, k1, b1, padding=1)), 2)
            x = functional.max_pool2d(torch.relu(functional.conv2d(x, k2, b2, padding=1)), 2)
            return functional.cross_entropy(torch.addmm(b3, x.flatten(1), w3), labels)

        return self._descent(loss_of, inputs, "k1 b1 k2 b2 w3 b3", "x labels")

    def transformer(self, inputs: works.Inputs) -> Run:
        """Attention and two dense layers, each on normalised inputs and added to them."""
        n, length, d = inputs["x"].shape

        def heads(x: Any) -> Any:
            return x.reshape(n, length, constants.HEADS, -1).transpose(1, 2)

        def loss_of(*operands: Any) -> Any:
            gain1, offset1, w_qkv, b_qkv, w_out, b_out, gain2, offset2, w_up, b_up, w_down, b_down, x, y = operands
            x = x.reshape(-1, d)
            qkv = torch.addmm(b_qkv, functional.layer_norm(x, (d,), gain1, offset1, 1e-5), w_qkv)
            q, k, v = (heads(part) for part in qkv.chunk(3, -1))
            mixed = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)
            x = x + torch.addmm(b_out, mixed.reshape(-1, d), w_out)
            normalized = functional.layer_norm(x, (d,), gain2, offset2, 1e-5)
            x = x + torch.addmm(b_down, functional.gelu(torch.addmm(b_up, normalized, w_up)), w_down)
            return functional.mse_loss(x, y.reshape(-1, d))

        names = "gain1 offset1 w_qkv b_qkv w_out b_out gain2 offset2 w_up b_up w_down b_down"
        return self._descent(loss_of, inputs, names, "x y")

    def jacobian(self, inputs: works.Inputs) -> Run:
        """The derivative of every output of a network with respect to every input."""
        x, w1, b1, w2, b2 = (torch.tensor(inputs[name]) for name in ("x", "w1", "b1", "w2", "b2"))

        def network(x: Any) -> Any:
            return torch.addmm(b2, torch.tanh(torch.addmm(b1, x, w1)), w2)

        derivative = self.compile(torch.func.jacrev(network))
        return lambda: [derivative(x)]

    def hessian(self, inputs: works.Inputs) -> Run:
        """All second derivatives of the squared error of a fit."""
        p, x, y = (torch.tensor(inputs[name]) for name in ("p", "x", "y"))
        n = constants.HIDDEN_OF_FIT

        def loss_of(p: Any) -> Any:
            bumps = torch.tanh(x[:, None] * p[:n] + p[n : 2 * n])
            curve = bumps @ p[2 * n : 3 * n] + p[3 * n] * x + p[3 * n + 1]
            return torch.mean(torch.square(curve - y))

        second = self.compile(torch.func.jacrev(torch.func.grad(loss_of)))
        return lambda: [second(p)]

    def scalar(self, inputs: works.Inputs) -> Run:
        """A function of a number."""
        function = self.compile(lambda x: x * x + torch.sin(x))
        x = torch.tensor(inputs["x"])
        return lambda: [function(x)]

    def pinn(self, inputs: works.Inputs) -> Run:
        """The residual of u_t + u u_x = v u_xx."""

        def network(parameters: Any, t: Any, x: Any) -> Any:
            h = torch.cat([t, x], dim=1)
            for k in range(0, 6, 2):
                h = torch.tanh(torch.addmm(parameters[k + 1], h, parameters[k]))
            return torch.addmm(parameters[7], h, parameters[6])

        def loss_of(*operands: Any) -> Any:
            *parameters, t, x = operands
            t, x = t.requires_grad_(), x.requires_grad_()
            u = network(parameters, t, x)
            u_t, u_x = torch.autograd.grad(u.sum(), (t, x), create_graph=True)
            (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
            return torch.mean(torch.square(u_t + u * u_x - constants.VISCOSITY * u_xx))

        def traced(*operands: Any) -> Any:  # the compiler follows torch.func, not gradients inside the function
            *parameters, t, x = operands

            def slopes(x: Any) -> Any:
                u, pull = torch.func.vjp(lambda t, x: network(parameters, t, x), t, x)
                u_t, u_x = pull(torch.ones_like(u))
                return u_x.sum(), (u, u_t, u_x)

            u_xx, (u, u_t, u_x) = torch.func.grad(slopes, has_aux=True)(x)
            return torch.mean(torch.square(u_t + u * u_x - constants.VISCOSITY * u_xx))

        return self._descent(traced if self.compiles else loss_of, inputs, "w1 b1 w2 b2 w3 b3 w4 b4", "t x")

    def lstm(self, inputs: works.Inputs) -> Run:
        """PyTorch's own layer for all steps; for the compiler a cell, called in a Python loop."""

        def loss_of(w: Any, u: Any, b: Any, w_out: Any, b_out: Any, x: Any, labels: Any) -> Any:
            h = c = x.new_zeros(len(x), constants.UNITS)
            if self.compiles:
                for t in range(constants.STEPS):
                    h, c = self._lstm_cell(x[:, t], h, c, w, u, b)
            else:
                weights, state = [w.t(), u.t(), b, torch.zeros_like(b)], (h[None], c[None])
                h = torch.lstm(x, state, weights, True, 1, 0.0, True, False, True)[1][0]
            return functional.cross_entropy(torch.addmm(b_out, h, w_out), labels)

        return self._descent(loss_of, inputs, "w u b w_out b_out", "x labels")


programs = TorchPrograms(lambda function: function, compiles=False)


def use_threads(count: int) -> None:
    """Size the pool of the elementwise kernels and of BLAS."""
    torch.set_num_threads(count)


def to_numpy(value: Any) -> Any:
    """The array of a tensor."""
    return value.detach().numpy()


def __getattr__(name: str) -> Any:
    return getattr(programs, name)
