"""`gradtape show`: run a program, then print the kernels of its compiled functions and how the time is spread over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradtape.compiler.profile import FunctionProfile, KernelTime, Profiler

_LONGEST = 72  # columns of a kernel's name


def report(program: Callable[[], int]) -> int:
    """Run a program, then print a report on its functions; returns the exit status."""
    profiler = Profiler()
    try:
        with profiler.listening():
            status = program()
    except SystemExit:  # as programs end
        _print(profiler)
        raise
    if not status:
        _print(profiler)
    return status


def _print(profiler: Profiler) -> None:
    profiles = profiler.profiles()
    if not profiles:
        print("gradtape show: no compiled function was called; decorate one with @tf.function.")
    for profile in profiles:
        print("\n".join(_lines(profile)))


def _lines(profile: FunctionProfile) -> Iterator[str]:
    each = profile.seconds / profile.calls
    yield ""
    yield f"{profile.name}: {profile.calls:,} call{'' if profile.calls == 1 else 's'}, {_time(each)} each"
    yield f"  {'share':>6}  {'time':>9}  {'flops':>14}  {'Gflop/s':>7}  {'bytes':>13}  kernel"
    total = sum(kernel.seconds for kernel in profile.kernels) or 1.0
    for kernel in profile.kernels:
        yield f"  {_row(kernel, total)}"


def _row(kernel: KernelTime, total: float) -> str:
    name = kernel.name if len(kernel.name) <= _LONGEST else kernel.name[: _LONGEST - 3] + "..."
    rate = f"{kernel.flops / kernel.seconds / 1e9:.1f}" if kernel.flops and kernel.seconds else ""
    numbers = f"{kernel.seconds / total:>6.1%}  {_time(kernel.seconds):>9}  {kernel.flops:>14,}  {rate:>7}  {kernel.bytes:>13,}"
    return f"{numbers}  {name}" + (f"  # {kernel.site}" if kernel.site else "")


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.1f} us"
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
