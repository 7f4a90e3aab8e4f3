"""Generate the SWIG wrappers: python3 tools/generate_swig.py [python] [lua]

The wrappers land in bindings/swig/generated/, which git ignores and the sdist and the rock carry.
A wrapper that is newer than everything it is made from is left alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INTERFACES = ROOT / "bindings" / "swig"
GENERATED = INTERFACES / "generated"

FLAGS = {
    "python": ["-python", "-noproxy", "-keyword", "-doxygen", "-nogil"],
    "lua": ["-lua", "-nomoduleglobal"],
}


def wrapper(language: str) -> Path:
    """The C file generated for a language."""
    return GENERATED / f"fastio_{language}_wrap.c"


def inputs() -> list[Path]:
    """Everything the wrappers are made from; empty if this tree has no interface file."""
    if not (INTERFACES / "fastio.i").exists():
        return []
    interfaces = [p for p in INTERFACES.iterdir() if p.suffix in (".i", ".swg")]
    return [*interfaces, ROOT / "libfastio/include/fastio.h", Path(__file__)]


def swig_command() -> str | None:
    """SWIG beside the running Python (from PyPI), else on the path."""
    beside = shutil.which("swig", path=os.path.dirname(sys.executable))
    return beside or shutil.which("swig")


def is_current(language: str) -> bool:
    target = wrapper(language)
    if not target.exists():
        return False
    made = target.stat().st_mtime_ns
    return all(source.stat().st_mtime_ns <= made for source in inputs())


def generate(language: str) -> Path | None:
    """The wrapper, brought up to date; None if this tree has no interface file."""
    target = wrapper(language)
    if not inputs():
        return target if target.exists() else None
    if is_current(language):
        return target
    swig = swig_command()
    if swig is None:
        if target.exists():  # an unpacked sdist or rock, whose time stamps say nothing
            return target
        raise SystemExit("SWIG 4.5 or newer is needed in a checkout: pip install 'swig>=4.5'")
    GENERATED.mkdir(exist_ok=True)
    # Written beside and renamed, so that a parallel build never compiles half a file.
    partial = target.with_suffix(f".{os.getpid()}.tmp")
    command = [swig, *FLAGS[language], "-Wall", "-Werror", f"-I{ROOT / 'libfastio/include'}"]
    command += ["-outdir", str(GENERATED), "-o", str(partial), str(INTERFACES / "fastio.i")]
    try:
        if subprocess.run(command).returncode != 0:
            raise SystemExit(f"SWIG failed for {language}")
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    return target


if __name__ == "__main__":
    for name in sys.argv[1:] or FLAGS:
        generate(name)
