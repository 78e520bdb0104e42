"""Charts of the results, if matplotlib is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

COLOURS = {
    "gradtape": "#0b6e4f",
    "PyTorch": "#d1603d",
    "torch.compile": "#e9a48e",
    "TensorFlow": "#e3a857",
    "TensorFlow XLA": "#f0d3a0",
    "JAX": "#6c7a9c",
}


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def bars(rows: list[dict[str, Any]], path: Path) -> Path | None:
    """Times of each work by system, in units of gradtape's time, on a logarithmic axis."""
    pyplot = _pyplot()
    rows = [row for row in rows if "gradtape" in row["systems"]]
    if pyplot is None or not rows:
        return None
    systems = list(dict.fromkeys(s for row in rows for s in row["systems"]))
    figure, axes = pyplot.subplots(figsize=(8, 0.55 + 0.9 * len(rows)), layout="constrained")
    height = 0.8 / len(systems)
    for k, system in enumerate(systems):
        present = [(i, row["systems"]) for i, row in enumerate(rows) if system in row["systems"]]
        ratios = [found[system]["best"] / found["gradtape"]["best"] for _, found in present]
        places = [i + k * height for i, _ in present]
        drawn = axes.barh(places, ratios, height, color=COLOURS[system], label=system)
        axes.bar_label(drawn, [f" {r:.3g}" for r in ratios], fontsize=8)
    axes.set_yticks([i + 0.4 - height / 2 for i in range(len(rows))], [row["title"].replace("`", "") for row in rows])
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_xlabel("time, gradtape = 1 (shorter is better)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(systems))
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path


def lines(series: dict[str, tuple[list[float], list[float]]], labels: tuple[str, str], path: Path) -> Path | None:
    """Curves on two logarithmic axes."""
    pyplot = _pyplot()
    if pyplot is None:
        return None
    figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    for name, (x, y) in series.items():
        axes.loglog(x, y, marker="o", label=name)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path
