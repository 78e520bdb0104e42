"""Tests on 64-bit ARM: `python tools/arm64.py tests/compiler/test_gemm.py ...`, or `make arm64 TESTS="..."`.

On another processor they run in QEMU's user mode, many times slower. This takes a Debian or Ubuntu with `apt-get` and
`qemu-user-static`; no rights of an administrator, and nothing outside of one folder is changed. The folder gets the distribution's
Python for ARM, with the libraries that it needs, and wheels for ARM of what the tests import. `--python` runs Python instead of pytest:

    python tools/arm64.py --python -c "import platform; print(platform.machine())"
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_MACHINES = ("aarch64", "arm64")
_EMULATOR = "qemu-aarch64-static"
_PACKAGES = ["python3", "libstdc++6"]
_TESTS = ["pytest", "hypothesis"]
_GLIBC = (17, 24, 26, 27, 28)  # versions 2.x that wheels are made for
# Without this, programs that Python starts would be ARM's Python itself, which the kernel of another processor refuses.
_CUSTOMIZE = "import os, sys\n\nsys.executable = sys._base_executable = os.environ['GRADTAPE_ARM64_PYTHON']\n"


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / ".arm64", help="where Python and wheels for ARM are kept")
    parser.add_argument("--python", nargs=argparse.REMAINDER, help="all that follows is for Python, not for pytest")
    options, tests = parser.parse_known_args()
    arguments = options.python if options.python is not None else ["-m", "pytest", "-p", "no:cacheprovider", *tests]
    if platform.machine().lower() in _MACHINES:
        return subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False).returncode
    folder = options.folder.resolve()
    environment = os.environ | {"GRADTAPE_CACHE": str(folder / "kernels")}
    return subprocess.run([prepare(folder), *arguments], cwd=ROOT, env=environment, check=False).returncode


def prepare(folder: Path) -> Path:
    """A program in a folder that runs Python for ARM, with gradtape and what its tests import; it is made once."""
    emulator = shutil.which(_EMULATOR)
    if emulator is None or shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        sys.exit(f"tools/arm64.py needs apt-get and {_EMULATOR}: apt-get install qemu-user-static")
    system, site, python = folder / "system", folder / "site", folder / "python"
    if not python.exists():
        _install_system(folder / "packages", system)
        interpreter = (system / "usr/bin/python3").resolve()
        _install_wheels(folder / "wheels", site, interpreter.name.removeprefix("python"))
        (site / "sitecustomize.py").write_text(_CUSTOMIZE)
        python.write_text(
            "#!/bin/sh\n"
            f"export GRADTAPE_ARM64_PYTHON='{python}'\n"
            f'export PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{ROOT / "src"}:{site}"\n'
            f"exec '{emulator}' -L '{system}' '{interpreter}' \"$@\"\n"
        )
        python.chmod(0o755)
    return python


def _install_system(packages: Path, system: Path) -> None:
    """Unpack Python for ARM and all that it depends on. apt has its own lists there, so that the system's are left alone."""
    for name in ("lists/partial", "archives/partial"):
        (packages / name).mkdir(parents=True, exist_ok=True)
    (packages / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "",
        "Dir::State::Lists": str(packages / "lists"),
        "Dir::State::status": str(packages / "status"),
        "Dir::Cache": str(packages),
        "Dir::Cache::archives": str(packages / "archives"),
        "Debug::NoLocking": "1",
    }
    apt = ["apt-get", "-qq", *[word for name, value in settings.items() for word in ("-o", f"{name}={value}")]]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "install", "--download-only", "--no-install-recommends", "-y", *_PACKAGES], check=True)
    for package in sorted((packages / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(package), str(system)], check=True)


def _install_wheels(wheels: Path, site: Path, version: str) -> None:
    """Unpack wheels for ARM of gradtape's dependencies and of what the tests import."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    platforms = [word for n in _GLIBC for word in ("--platform", f"manylinux_2_{n}_aarch64")]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
    ]
    command += ["--python-version", version, *platforms, "--platform", "manylinux2014_aarch64", "--dest", str(wheels)]
    subprocess.run([*command, *needs, *_TESTS], check=True)
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)


if __name__ == "__main__":
    sys.exit(main())
