"""The version stands in fastio.h alone; the rockspec lists the same sources as everybody's glob."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HEADER = "libfastio/include/fastio.h"
ROCKSPEC = "fastio-scm-1.rockspec"
# A change log names versions; tests may compare with one that they read from the header.
MAY_NAME_VERSIONS = {HEADER, "CHANGELOG.md"}


def version() -> tuple[str, list[str]]:
    text = Path(HEADER).read_text(encoding="utf-8")
    whole = re.search(r'#define FASTIO_VERSION "(\d+\.\d+\.\d+)"', text)
    assert whole, "fastio.h does not define FASTIO_VERSION"
    parts = re.findall(r"#define FASTIO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
    return whole.group(1), [] if ".".join(parts) == whole.group(1) else [f"{HEADER}: parts and whole differ"]


def copies(number: str) -> list[str]:
    """Files of the project that write the version down again, next to a word that says it is ours."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout.decode()
    pattern = re.compile(rf"(version|fastio)\W.*(?<![\d.]){re.escape(number)}(?![\d.])", re.IGNORECASE)
    found = []
    for name in filter(None, listed.split("\0")):
        path = Path(name)
        if name in MAY_NAME_VERSIONS or path.suffix in (".svg", ".png", ".json") or not path.is_file():
            continue
        for line_number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{name}:{line_number}: writes the version down again: {line.strip()}")
    return found


def rock_sources() -> list[str]:
    text = Path(ROCKSPEC).read_text(encoding="utf-8")
    listed = set(re.findall(r'"([^"]+\.c)"', text))
    there = {str(p) for pattern in ("libfastio/src/*/*.c", "lua/src/*.c") for p in Path().glob(pattern)}
    there |= {"bindings/swig/generated/fastio_lua_wrap.c"}
    faults = [f"{ROCKSPEC}: lacks {name}" for name in sorted(there - listed)]
    return faults + [f"{ROCKSPEC}: lists {name}, which is not there" for name in sorted(listed - there)]


number, found = version()
found += copies(number) + rock_sources()
print("\n".join(found))
sys.exit(1 if found else 0)
