"""The benchmark: `./dev bench [--quick] [--resume] [GROUP...]`.

Every peer is a worker process that runs its job when told to. The workers of a group run in turn,
so that a noisy moment of the machine hits all of them; ratios are taken between runs of the same
turn. The first run of each fresh worker is the cold sample (new memory, the file in the page
cache), the others are warm. Each group runs twice: as the machine is ("plain") and with every allocator
asked for huge pages ("huge"). Results are kept per group in build/bench/results, so that any group
can be run again by itself; every run ends with the report of all that is there.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import figures
import make_data
import report
from groups import GROUPS as READING
from groups import TABLES, Group, Peer
from input_groups import INPUT
from write_groups import WRITING

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "bench"
LIBRARY = ROOT / "build" / "release" / "libfastio.a"
LUAS = {"lua5.4": "lua5.4", "luajit": "luajit"}  # command: pkg-config name

HUGE_PAGES = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "_RJEM_MALLOC_CONF": "thp:always",  # Polars
    "MALLOC_CONF": "thp:always",
    "MIMALLOC_ALLOW_LARGE_OS_PAGES": "1",  # PyArrow
}
MODES: dict[str, dict[str, str]] = {"plain": {}, "huge": HUGE_PAGES}
GROUPS = [*READING, *WRITING, *INPUT]
ENOUGH = 12 * 60  # seconds, after which the groups that are left get fewer runs


class Unavailable(Exception):
    """A peer that this machine does not have; the benchmark goes on without it."""


# ---- building the workers ----


def compile_once(program: Path, command: list[str], sources: list[Path]) -> None:
    """Runs a compiler unless the program is newer than all that it is made of."""
    missing = [source for source in sources if not source.exists()]
    if missing:
        raise Unavailable(f"{missing[0]} is missing")
    if program.exists() and all(s.stat().st_mtime < program.stat().st_mtime for s in sources):
        return
    program.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise Unavailable(next((x for x in lines if "error" in x or "undefined" in x), lines[0]))


FRAMES = [HERE / "peers" / "worker.h", HERE / "peers" / "write.h"]


def build_usual(name: str, *libraries: str) -> list[str]:
    program, source = BUILD / name, HERE / "peers" / f"{name}.cc"
    compiler = os.environ.get("CXX", "g++")
    command = [compiler, "-std=c++17", "-O3", "-o", str(program), str(source), "-lpthread"]
    compile_once(program, [*command, *libraries], [source, *FRAMES])
    return [str(program)]


def private_libraries() -> list[str]:
    """What the static library was linked with, by its pkg-config file."""
    lines = LIBRARY.with_name("fastio.pc").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("Libs.private:")).split()[1:]


def build_fastio(name: str) -> list[str]:
    program, source = BUILD / name, HERE / "peers" / f"{name}.c"
    include = ROOT / "libfastio" / "include"
    command = [os.environ.get("CC", "cc"), "-std=gnu11", "-O3", f"-I{include}"]
    command += ["-o", str(program), str(source), str(LIBRARY), *private_libraries()]
    compile_once(program, command, [source, LIBRARY, include / "fastio.h", *FRAMES])
    return [str(program)]


def python_worker(name: str) -> list[str]:
    return [sys.executable, "-W", "ignore", str(HERE / "peers" / f"{name}.py")]


def build_lua(name: str) -> list[str]:
    if not shutil.which(name):
        raise Unavailable(f"{name} is not installed")
    flags = subprocess.run(["pkg-config", "--cflags", LUAS[name]], capture_output=True, text=True)
    source = HERE / "peers" / "lua_clock.c"
    directory = BUILD / f"clock-{name}"
    program = directory / "lua_clock.so"
    command = [os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", *flags.stdout.split()]
    compile_once(program, [*command, "-o", str(program), str(source)], [source])
    return [str(ROOT / "dev"), "lua", str(HERE / "peers" / "worker.lua"), str(directory)]


def build_workers() -> dict[str, list[str] | Unavailable]:
    """How each tool's worker is started, or why it can't be."""
    makers: dict[str, Callable[[], list[str]]] = {
        "usual": lambda: build_usual("usual"),
        "fastio_c": lambda: build_fastio("fastio_c"),
        "python": lambda: python_worker("worker"),
        "write_usual": lambda: build_usual("write_usual"),
        "write_fastio": lambda: build_fastio("write_fastio"),
        "write_python": lambda: python_worker("write_worker"),
        "input_usual": lambda: build_usual("input_usual", "-lz", "-lisal", "-ldeflate"),
        "input_fastio": lambda: build_fastio("input_fastio"),
        **{name: functools.partial(build_lua, name) for name in LUAS},
    }
    commands: dict[str, list[str] | Unavailable] = {}
    for tool, make in makers.items():
        try:
            commands[tool] = make()
        except Unavailable as reason:
            commands[tool] = reason
    return commands


# ---- running ----


class Worker:
    """One started worker process."""

    def __init__(self, peer: Peer, command: list[str], path: Path, extra: dict[str, str]) -> None:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("OPENBLAS_")  # workarounds for old builds slow a new one
        }
        environment |= extra | {"LUA": peer.tool}
        own = [environment["PYTHONPATH"]] if "PYTHONPATH" in environment else []
        environment["PYTHONPATH"] = os.pathsep.join([*own, str(ROOT / "python")])
        if peer.threads:
            environment["POLARS_MAX_THREADS"] = str(peer.threads)
            command = ["taskset", "-c", "0", *command] if shutil.which("taskset") else command
        self.peer = peer
        self.errors = open(BUILD / "worker.err", "w+")
        self.process = subprocess.Popen(
            [*command, peer.job, str(path), str(peer.threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=environment,
        )
        while self.answer() != "ready":  # what builds the module on the way may print
            pass

    def answer(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            text = self.errors.read().strip().splitlines()
            raise Unavailable(text[-1] if text else f"exit status {self.process.returncode}")
        return line.rstrip("\n")

    def run(self, check: bool) -> tuple[float, str]:
        assert self.process.stdin
        self.process.stdin.write("check\n" if check else "run\n")
        self.process.stdin.flush()
        seconds, _, text = self.answer().partition("\t")
        return float(seconds), text

    def stop(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.errors.close()


def output(target: str) -> dict[str, str]:
    """What tells a worker where to write."""
    if target == "tmpfs" and not Path("/dev/shm").is_dir():
        raise Unavailable("no tmpfs at /dev/shm")
    return {"BENCH_OUT": "/dev/shm" if target == "tmpfs" else str(BUILD)}


def evict(path: Path) -> None:
    """Drops the file's pages from the page cache."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def warm(path: Path) -> None:
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


@dataclasses.dataclass
class Samples:
    label: str
    threads: int
    cold: list[float] = dataclasses.field(default_factory=list)
    warm: list[float] = dataclasses.field(default_factory=list)
    answer: str = ""
    error: str = ""


def same_answer(a: str, b: str) -> bool:
    """Whether two checks agree in what both tell; sums of floats may differ in the last digits."""
    for x, y in zip(a.split(), b.split()):
        if x != y and abs(float(x) - float(y)) > 1e-9 * abs(float(x)):
            return False
    return True


def run_session(
    group: Group,
    commands: dict[str, list[str] | Unavailable],
    paths: dict[str, Path],
    mode: str,
    rounds: int,
    samples: dict[str, Samples],
) -> None:
    """Starts the workers, lets each run once cold, then all of them in turn, and stops them."""
    workers: list[Worker] = []

    def attempt(worker: Worker, check: bool) -> None:
        result = samples[worker.peer.id]
        if result.error:
            return
        path = paths[worker.peer.data or group.data]
        try:
            if group.evict:
                evict(path)
            seconds, text = worker.run(check)
            (result.cold if check else result.warm).append(seconds)
            result.answer = text if check else result.answer
        except (Unavailable, OSError, ValueError) as reason:
            result.error = str(reason)

    for peer in group.peers:
        command = commands[peer.tool]
        if samples[peer.id].error:
            continue
        try:
            if isinstance(command, Unavailable):
                raise command
            path = paths[peer.data or group.data]
            workers.append(Worker(peer, command, path, MODES[mode] | output(group.target)))
        except (Unavailable, OSError) as reason:
            samples[peer.id].error = str(reason)
            continue
        attempt(workers[-1], check=True)
    for _ in range(rounds):
        for worker in workers:
            attempt(worker, check=False)
    for worker in workers:
        worker.stop()


def run_group(
    group: Group,
    commands: dict[str, list[str] | Unavailable],
    data: Path,
    quick: bool,
    hurry: bool,
) -> dict[str, Any]:
    names = sorted({peer.data or group.data for peer in group.peers})
    smaller = make_data.SMALLER if quick else {}
    paths = {name: make_data.make(smaller.get(name, name), data) for name in names}
    for path in paths.values():
        warm(path)
    modes = ["huge"] if quick else list(MODES)
    few = quick or hurry
    sessions, rounds = (1, -(-group.rounds // 2)) if few else (group.sessions, group.rounds)
    result: dict[str, Any] = {
        "title": group.title,
        "unit": group.unit,
        "bytes": paths[group.data].stat().st_size * group.times,
        "amount": group.amount,
        "sizes": {name: path.stat().st_size for name, path in paths.items()},
        "quick": quick,
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "modes": {},
    }
    for mode in modes:
        samples = {peer.id: Samples(peer.label, peer.threads) for peer in group.peers}
        for _ in range(sessions):
            run_session(group, commands, paths, mode, rounds, samples)
        reject_wrong_answers(group, samples)
        result["modes"][mode] = {peer: dataclasses.asdict(s) for peer, s in samples.items()}
    return result


def reject_wrong_answers(group: Group, samples: dict[str, Samples]) -> None:
    """A peer whose result differs from that of most others on the same file is no comparison."""
    if not group.agree:
        return
    by_file: dict[str, list[Samples]] = {}
    for peer in group.peers:
        if samples[peer.id].answer:
            by_file.setdefault(peer.data or group.data, []).append(samples[peer.id])
    for answers in by_file.values():
        votes = [sum(same_answer(a.answer, b.answer) for b in answers) for a in answers]
        right = answers[votes.index(max(votes))].answer
        for a in answers:
            if not same_answer(right, a.answer):
                a.error = f"wrong result: {a.answer} instead of {right}"


# ---- the whole ----


def machine() -> dict[str, str]:
    model = ""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            line.partition(":")[2].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        model = platform.processor()
    return {
        "processor": model,
        "cores": str(len(os.sched_getaffinity(0))),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n")[0])
    parser.add_argument(
        "groups",
        nargs="*",
        metavar="GROUP",
        help="tables, writing or input (all groups of them), or of: " + " ".join(g.name for g in GROUPS),
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="fewer runs, only with huge pages, only what figures need",
    )
    parser.add_argument("--resume", action="store_true", help="skip the groups that have a result")
    parser.add_argument(
        "--report", action="store_true", help="only report what was measured before"
    )
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="time the processor, not the wall: one-core figures on a busy machine",
    )
    parser.add_argument(
        "--data", type=Path, default=make_data.DEFAULT_DATA, help="where the input files are kept"
    )
    arguments = parser.parse_args()
    known = {group.name: [group] for group in GROUPS}
    known |= {"tables": TABLES, "writing": WRITING, "input": INPUT}
    unknown = [name for name in arguments.groups if name not in known]
    if unknown:
        parser.error(f"no group {unknown[0]}; there are {' '.join(known)}")
    if arguments.cpu_time:
        os.environ["BENCH_CPU_TIME"] = "1"
    published = not (arguments.quick or arguments.cpu_time)
    results = BUILD / ("results" if published else "results-quick")
    results.mkdir(parents=True, exist_ok=True)
    chosen = [group for name in arguments.groups for group in known[name]] or [
        group for group in GROUPS if group.quick or not arguments.quick
    ]
    chosen.sort(key=lambda group: not group.quick)  # what the figures need comes first
    commands = build_workers()
    began = time.monotonic()
    for group in [] if arguments.report else chosen:
        path = results / f"{group.name}.json"
        if arguments.resume and path.exists():
            continue
        started = time.monotonic()
        hurry = started - began > ENOUGH
        result = run_group(group, commands, arguments.data, arguments.quick, hurry)
        path.write_text(json.dumps(result, indent=1))
        print(report.group_table(group.name, result))
        print(
            f"({time.monotonic() - started:.0f} s of {time.monotonic() - began:.0f} s)\n",
            flush=True,
        )
    measured = {
        group.name: json.loads((results / f"{group.name}.json").read_text())
        for group in GROUPS
        if (results / f"{group.name}.json").exists()
    }
    rows = figures.evaluate(measured)
    print(figures.text_table(rows))
    everything = {
        "machine": machine(),
        "groups": measured,
        "figures": [dataclasses.asdict(row) for row in rows],
    }
    report.write(everything, rows, ROOT / "docs" if published else BUILD, ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
