"""Runs the C test programs that CMake has built."""

from __future__ import annotations

import re
import subprocess

import pytest

from conftest import BUILD, ROOT

SOURCES = sorted(path.stem for path in (ROOT / "tests" / "c").glob("test_*.c"))


@pytest.mark.parametrize("name", SOURCES)
def test_program(name: str) -> None:
    path = BUILD / name
    assert path.exists(), f"{path} is missing: run ./dev build"
    done = subprocess.run([path], capture_output=True, text=True, errors="replace", cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert not re.search(r"[1-9]\d* failed", done.stdout)
