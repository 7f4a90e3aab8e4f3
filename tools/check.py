"""Run the checks of tools/checks: python3 tools/check.py [NAME...]; "cheap" stands for those of CHEAP.

Each is a small script that prints what is wrong and then exits with 1. Prints one line per check and the
output of those that failed; the last line counts them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ROOT / "tools" / "checks"

# name: script and arguments. The slow ones come first, so that two workers end together.
JOBS = {
    "asan": ["sanitize.sh", "asan"],
    "tsan": ["sanitize.sh", "tsan"],
    "aarch64": ["cross.sh", "aarch64"],
    "s390x": ["cross.sh", "s390x"],
    "rock": ["rock.sh"],
    "sdist": ["sdist.sh"],
    "pythons": ["pythons.sh"],
    "without": ["without.sh"],
    "huge": ["huge.sh"],
    "real-files": ["real_files.py"],
    "install": ["install.sh"],
    "gcc": ["warnings.sh", "gcc"],
    "clang": ["warnings.sh", "clang"],
    "mingw": ["mingw.sh"],
    "plain": ["plain.sh"],
    "stubs": ["stubs.sh"],
    "docs": ["docs.py"],
    "header": ["header.sh"],
    "symbols": ["symbols.py"],
    "simd": ["simd.py"],
    "layers": ["layers.py"],
    "bindings": ["bindings.py"],
    "version": ["version.py"],
    "powers": ["../make_powers.py", "--check"],
    "c-docs": ["../make_c_reference.py", "--check"],
    "format": ["format.sh"],
}
# What every change is checked for (.ci/run); the others need minutes, an emulator or another compiler.
CHEAP = "install gcc stubs docs header symbols simd layers bindings version powers c-docs format".split()
# Too slow for every time: these run only when named.
ON_REQUEST = {
    "floats": ["floats.sh"],
}


def run(name: str) -> bool:
    script, *arguments = (JOBS | ON_REQUEST)[name]
    interpreter = sys.executable if script.endswith(".py") else "sh"
    # The tools of the running Python (mypy, swig) come before the system's.
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = [interpreter, str(CHECKS / script), *arguments]
    start = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    passed = done.returncode == 0
    line = f"{'ok  ' if passed else 'FAIL'} {name:10}{time.monotonic() - start:6.1f} s\n"
    sys.stdout.write(line if passed else line + done.stdout)
    sys.stdout.flush()
    return passed


def main() -> int:
    names = list(CHEAP) if sys.argv[1:] == ["cheap"] else sys.argv[1:] or list(JOBS)
    unknown = set(names) - set(JOBS) - set(ON_REQUEST)
    if unknown:
        known = ", ".join(JOBS | ON_REQUEST)
        print(f"no such check: {', '.join(sorted(unknown))}; there are: {known}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, names))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
