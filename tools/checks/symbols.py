"""What the binaries export: fastio_* from the library, the entry points alone from the modules."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

RELEASE = Path("build/release")


def exported(path: Path, *flags: str) -> set[str]:
    command = ["nm", "--defined-only", "--extern-only", "--format=posix", *flags, str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0] for line in lines if len(line.split()) > 2}


def public() -> set[str]:
    header = "".join(path.read_text(encoding="utf-8") for path in sorted(Path("libfastio/include").glob("*.h")))
    return set(re.findall(r"^FASTIO_API [^;(]*?\b(fastio_\w+)\(", header, re.MULTILINE))


def faults() -> list[str]:
    found = []
    declared = public()
    assert len(declared) > 50, "the header's declarations were not found"
    shared = exported(RELEASE / "libfastio.so", "--dynamic")
    found += [f"libfastio.so exports {name}, which no header declares" for name in sorted(shared - declared)]
    found += [f"libfastio.so lacks {name}, which a header declares" for name in sorted(declared - shared)]
    static = exported(RELEASE / "libfastio.a")
    found += [f"libfastio.a: {name} lacks the prefix" for name in sorted(static) if not name.startswith("fastio_")]

    modules = {path: "PyInit_" for path in Path("python/fastio").glob("_core*.so")}
    modules |= {path: "luaopen_" for path in RELEASE.glob("lua/*/fastio.so")}
    for path, prefix in modules.items():
        entries = exported(path, "--dynamic")
        found += [f"{path} exports {name}" for name in sorted(entries) if not name.startswith(prefix)]
        if not any(name.startswith(prefix) for name in entries):
            found.append(f"{path} has no {prefix}*")
    return found


found = faults()
print("\n".join(found))
sys.exit(1 if found else 0)
