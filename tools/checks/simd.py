"""Wide registers stay inside the kernels made for them: a binary must run on any x86-64.

AVX code may appear only in what is compiled from simd/avx2.c and simd/avx512.c, zmm and mask registers only in the
latter. (Files, since the kernels are static functions that bear the same names in each of them.)
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

MEMBER = re.compile(r"^(\S+\.o):\s+file format")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:")
ZMM = re.compile(r"%zmm|%k[0-7]\b")
YMM = re.compile(r"%ymm|\bv[a-z0-9]+\b.*%xmm")


def faults(binary: Path) -> list[str]:
    listing = subprocess.Popen(
        ["objdump", "-d", "--no-show-raw-insn", str(binary)], stdout=subprocess.PIPE, text=True
    )
    assert listing.stdout
    member, function, found, wide = "", "", {}, 0
    for line in listing.stdout:
        if match := MEMBER.match(line):
            member = match.group(1)
            continue
        start = FUNCTION.match(line)
        if start:
            function = start.group(1)
            continue
        is_zmm, is_ymm = ZMM.search(line), YMM.search(line)
        wide += bool(is_zmm or is_ymm)
        if (is_zmm and "avx512" not in member) or (is_ymm and "avx" not in member):
            found.setdefault(f"{function} of {member}", line.strip())
    assert listing.wait() == 0
    assert wide, f"{binary} has no AVX code at all: is this check looking at the right file?"
    return [f"{binary}: {name} uses wide registers: {line}" for name, line in found.items()]


if platform.machine() not in ("x86_64", "AMD64"):
    sys.exit(0)
found = faults(Path("build/release/libfastio.a"))
print("\n".join(found))
sys.exit(1 if found else 0)
