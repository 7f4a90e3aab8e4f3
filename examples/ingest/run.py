"""The demo: the same ten million integers read in C, Python and Lua, by fastio and by each language's own means."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path("examples/ingest")
COUNT = 10_000_000

C = ["build/release/examples/ingest"]
PYTHON = [sys.executable, str(HERE / "ingest.py")]
LUA = [str(HERE / "ingest.lua")]  # after the interpreter

# Language, what is shown, the command, how often it runs (the best time counts).
RUNS = [
    ("C", "fastio_read_ints", [*C, "fastio"], 5),
    ("C", "fastio_read_ints, 1 thread", [*C, "fastio1"], 5),
    ("C", "fread, then strtol", [*C, "strtol"], 3),
    ("C", "fscanf", [*C, "fscanf"], 1),
    ("Python", "fastio.read_ints", [*PYTHON, "fastio"], 5),
    ("Python", "fastio.read_ints, 1 thread", [*PYTHON, "fastio1"], 5),
    ("Python", "list(map(int, open(path)))", [*PYTHON, "int"], 1),
    ("Python", "numpy.loadtxt", [*PYTHON, "numpy"], 1),
    ("Lua 5.4", "fastio.read_ints", ["lua5.4", *LUA, "fastio"], 5),
    ("Lua 5.4", "fastio.read_ints, 1 thread", ["lua5.4", *LUA, "fastio1"], 5),
    ("Lua 5.4", 'file:read("n")', ["lua5.4", *LUA, "read"], 1),
    ("LuaJIT", "fastio.read_ints", ["luajit", *LUA, "fastio"], 5),
    ("LuaJIT", "fastio.read_ints, 1 thread", ["luajit", *LUA, "fastio1"], 5),
    ("LuaJIT", 'file:read("*n")', ["luajit", *LUA, "read"], 1),
]


def make_data() -> Path:
    path = ROOT / "build/demo/integers.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        partial = path.with_suffix(".partial")
        with partial.open("w", encoding="ascii") as file:
            for start in range(0, COUNT, 1_000_000):
                file.write("\n".join(map(str, range(start, start + 1_000_000))) + "\n")
        partial.replace(path)
    return path


def measure(language: str, command: list[str], path: Path) -> float:
    """Seconds of one run, which must have read every number."""
    lua = ROOT / "build/release/lua" / ("jit" if language == "LuaJIT" else "5.4")
    environment = os.environ | {"LUA_CPATH": f"{lua}/?.so", "LUA_PATH": f"{ROOT}/lua/?.lua;{ROOT}/lua/?/init.lua"}
    environment["PYTHONPATH"] = str(ROOT / "python")
    start = time.perf_counter()
    done = subprocess.run(
        [*command, str(path)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    whole = time.perf_counter() - start
    *own, count, total = done.stdout.split()
    assert int(count) == COUNT and int(total) == COUNT * (COUNT - 1) // 2, done.stdout
    return float(own[0]) if own else whole


def main() -> int:
    path = make_data()
    size = path.stat().st_size
    cores = len(os.sched_getaffinity(0))
    print(f"\n{COUNT:,} integers, {size / 1e6:.1f} MB of text, {cores} cores, file in the cache, best of up to 5 runs\n")
    print(f"{'':9}{'':29}{'seconds':>9}{'MB/s':>8}{'M ints/s':>10}{'fastio is':>15}")
    ours: dict[str, float] = {}
    for language, label, command, repeats in RUNS:
        if command[-1] == "numpy" and not has_numpy():
            continue
        seconds = min(measure(language, command, path) for _ in range(repeats))
        ours.setdefault(language, seconds)
        ratio = "" if "fastio" in label else f"{seconds / ours[language]:.1f}x faster"
        is_first = ours[language] == seconds and "fastio" in label
        rates = f"{seconds:9.3f}{size / seconds / 1e6:8.0f}{COUNT / seconds / 1e6:10.1f}"
        print(f"{language if is_first else '':9}{label:29}{rates}{ratio:>15}".rstrip(), flush=True)
    print("\nC and Python time the reading alone; Lua has no wall clock, so its figures hold the whole process.")
    return 0


def has_numpy() -> bool:
    return subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
