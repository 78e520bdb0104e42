"""A physics-informed network (Raissi, Perdikaris and Karniadakis 2019) solves Burgers' equation u_t + u u_x = nu u_xx.

You learn how nested tapes inside a compiled step give the derivatives of a network with respect to its inputs, and how to
train on the residual of an equation. The wave starts as -sin(pi x) and is 0 at both ends. The result is compared with
finite differences.

    python examples/pinn.py        saves pinn.png, if Matplotlib is installed
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras
VISCOSITY, POINTS, EDGE = 0.1 / np.pi, 600, 60


def network() -> keras.Model:
    """The network u(t, x)."""
    hidden = [keras.layers.Dense(20, activation="tanh") for _ in range(4)]
    return keras.Sequential([keras.layers.Input((2,)), *hidden, keras.layers.Dense(1)])


def residual(model: keras.Model, t: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
    """The residual u_t + u u_x - nu u_xx at every point; 0 for a solution."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch([t, x])
            u = model(tf.concat([t, x], axis=1))
        u_x = inner.gradient(u, x)  # inside the outer tape, so it can be differentiated again
    u_t = inner.gradient(u, t)  # the inner tape is persistent: this is its second query
    u_xx = outer.gradient(u_x, x)
    return u_t + u * u_x - VISCOSITY * u_xx


def finite_differences(columns: int = 257, until: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A grid over [-1, 1], and the solution on it at the final time, from small explicit steps."""
    x = np.linspace(-1.0, 1.0, columns)
    u, dx = -np.sin(np.pi * x), x[1] - x[0]
    steps = int(np.ceil(until / (0.2 * dx * dx / VISCOSITY)))
    for _ in range(steps):
        flux = 0.5 * u * u
        change = VISCOSITY * (u[2:] - 2.0 * u[1:-1] + u[:-2]) / dx**2 - (flux[2:] - flux[:-2]) / (2.0 * dx)
        u[1:-1] += until / steps * change
    return x, u


def points(rng: np.random.Generator) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Times and positions of inner points; points on the boundary, and the values of u there."""
    inside = rng.uniform([0.0, -1.0], [1.0, 1.0], (POINTS, 2))
    start = np.stack([np.zeros(EDGE), np.linspace(-1.0, 1.0, EDGE)], axis=1)
    walls = np.stack([rng.uniform(0.0, 1.0, EDGE), np.repeat([-1.0, 1.0], EDGE // 2)], axis=1)
    edge = np.concatenate([start, walls])
    known = np.where(edge[:, :1] == 0.0, -np.sin(np.pi * edge[:, 1:]), 0.0)
    t, x = tf.split(tf.constant(inside, tf.float32), 2, axis=1)
    return t, x, tf.constant(edge, tf.float32), tf.constant(known, tf.float32)


def save_curves(x: np.ndarray, curves: dict[str, np.ndarray], file: str) -> None:
    """Save curves over x as a picture, if Matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for (name, values), style in zip(curves.items(), ("-", "--"), strict=True):
        axes.plot(x, values, style, label=name)
    axes.set(title="u(t = 1, x)", xlabel="x")
    axes.legend()
    figure.savefig(file)
    pyplot.close(figure)
    print(f"  picture: {file}")


def run(steps: int = 1200) -> float:
    """Solve, and compare; return the mean error at the final time, where the wave is steepest."""
    keras.utils.set_random_seed(3)
    t, x, edge, known = points(np.random.default_rng(0))
    model = network()
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(5e-3, steps))

    @tf.function
    def train_step() -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            # No solution is given: the loss is the residual inside, and the error on the boundary.
            equation = tf.reduce_mean(tf.square(residual(model, t, x)))
            border = tf.reduce_mean(tf.square(model(edge) - known))
            loss = equation + 5.0 * border
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return equation, border

    for step in range(steps):
        equation, border = train_step()
        if (step + 1) % (steps // 5) == 0:
            print(f"  step {step + 1:4}: residual {equation:.1e}, edge {border:.1e}")

    place, reference = finite_differences()
    found = model(np.stack([np.ones_like(place), place], axis=1).astype(np.float32)).numpy()[:, 0]
    save_curves(place, {"network": found, "finite differences": reference}, "pinn.png")
    print("\n      x         network   finite differences")
    for i in range(16, 257, 32):
        print(f"  {place[i]:6.3f} {found[i]:14.3f} {reference[i]:20.3f}")
    error = float(np.mean(np.abs(found - reference)))
    print(f"\n  mean error at t = 1: {error:.4f}")
    return error


if __name__ == "__main__":
    print("Burgers' equation")
    run()
