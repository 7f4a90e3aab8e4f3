"""Includes go one way: a room of the C library includes only what lies below it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCES = Path("libfastio/src")
BELOW: dict[str, set[str]] = {
    "core": set(),
    "platform": {"core"},
    "simd": set(),  # and core/compiler.h; fastio.h for what its dispatch gives to users
    "number": {"core", "simd"},
    "text": {"core", "simd", "platform"},
    "codec": {"core", "platform"},
    "source": {"core", "platform", "simd", "number", "text", "codec"},
    "sink": {"core", "platform", "simd", "number", "text", "codec"},
    "column": {"core", "platform", "simd", "number", "text", "source"},
    "read": {"core", "platform", "simd", "number", "text", "source", "column"},
    "table": {"core", "platform", "simd", "number", "text", "source", "column", "read"},
    "write": {"core", "platform", "simd", "number", "text", "source", "sink", "column"},
}
# The system's headers belong to the platform room alone.
SYSTEM_ONLY = re.compile(r"^(sys/|unistd|pthread|windows|fcntl|signal|io\.h|process\.h|sched)")
LANGUAGES = re.compile(r"^(Python|lua|lauxlib|lualib)")


def faults(path: Path) -> list[str]:
    room = path.parent.name
    found = []
    if room not in BELOW:
        return [f"{path}: room {room!r} has no place among the layers"]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            if re.match(r"\s*#.*\b_WIN32\b", line) and room != "platform":
                found.append(f"{path}:{number}: _WIN32 belongs to the platform room")
            continue
        quote, name = match.groups()
        if quote == "<":
            if LANGUAGES.match(name) or (SYSTEM_ONLY.match(name) and room != "platform"):
                found.append(f"{path}:{number}: <{name}> has no business in {room}")
            continue
        target = (path.parent / name).resolve()
        if not target.exists():
            found.append(f"{path}:{number}: no file {name} relative to this one")
            continue
        other = target.parent.name
        allowed = other == room or other in BELOW[room] or other == "include"
        if not allowed and not (room == "simd" and target.name == "compiler.h"):
            found.append(f"{path}:{number}: {room} must not include {other}/{target.name}")
    return found


def main() -> int:
    files = sorted(p for p in SOURCES.rglob("*") if p.suffix in (".c", ".h"))
    assert files, "no sources found"
    found = [fault for path in files for fault in faults(path)]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
