"""Every vector through every driver, in every configuration: the one comparer.

A driver's whole output for a configuration must be what the vectors say, byte for byte.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import LUAS
from harness import ITERATOR_OPS, WHOLE_OPS, Config, Driver, Vector

# ---- What a configuration runs -------------------------------------------------------------------

BLOCKS = [1, 2, 3, 7, 63, 64, 65, 4096, 0]
SOURCES = ["memory", "file", "pipe", "fd", "stdio", "device", "map"]
BIG = 1 << 19  # inputs from here on have a test of their own
MOST_BLOCKS = 4096

# The options that each way of reading heeds; where a vector has another one, it does not run that way.
_PULL = {"dtype", "sep", "comment", "base", "skip_lines", "offset", "length", "newline", "keepends",
         "encoding", "max_items", "overflow"}
_ARRAY = {"dtype", "sep", "comment", "base", "overflow"}
_PULLED_TYPES = {"int64", "uint64", "float64", "float32", None}
_BOM = b"\xef\xbb\xbf"


def runs_in(vector: Vector, config: Config) -> bool:
    if not vector.reads_source:
        return config == Config(simd=config.simd)
    if config.block and len(vector.input) > MOST_BLOCKS * config.block:
        return False
    if config.threads != 1 and vector.op not in WHOLE_OPS:
        return False
    return _RUNS_IN_WAY[config.way](vector)


def _runs_pulled(vector: Vector) -> bool:
    if vector.op in ITERATOR_OPS:
        return True
    names = vector.options.keys()
    return (vector.op in {"read_ints", "read_floats", "read_lines"} and names <= _PULL
            and vector.options.get("dtype") in _PULLED_TYPES)


def _runs_as_array(vector: Vector) -> bool:
    return (vector.op in {"read_ints", "read_floats"} and vector.options.keys() <= _ARRAY
            and not vector.input.startswith(_BOM))


_RUNS_IN_WAY: dict[str, Callable[[Vector], bool]] = {
    "column": lambda vector: True,
    "pull": _runs_pulled,
    "batch": _runs_pulled,
    "array": _runs_as_array,
}


# ---- Comparing -----------------------------------------------------------------------------------

Expect = Callable[[Vector], bytes]


def compare(driver: Driver, vectors: Sequence[Vector], configs: Iterable[Config],
            expect: Expect = Vector.answer) -> int:
    """Runs all of it in one process; returns how many answers were compared."""
    asked: list[bytes] = []
    due: list[tuple[Config, Vector, bytes]] = []
    lines = {vector.id: vector.line() for vector in vectors}
    answers = {vector.id: expect(vector) for vector in vectors}
    for config in configs:
        asked.append(config.line())
        for vector in vectors:
            if runs_in(vector, config):
                asked.append(lines[vector.id])
                due.append((config, vector, answers[vector.id]))
    output = driver.run(b"".join(asked))
    if output != b"".join(answer for _, _, answer in due):
        pytest.fail(_differences(output, due), pytrace=False)
    return len(due)


def _differences(output: bytes, due: Sequence[tuple[Config, Vector, bytes]]) -> str:
    got = output.splitlines(keepends=True)
    wrong = [(config, vector, answer, line)
             for (config, vector, answer), line in zip(due, got) if answer != line]
    report = [f"{len(wrong)} of {len(due)} answers are wrong; {len(got)} came"]
    ids = {vector.id for _, vector, _, _ in wrong}
    report.append("vectors: " + " ".join(sorted(ids)[:60]))
    seen: set[str] = set()
    for config, vector, answer, line in wrong:
        if vector.id in seen or len(seen) >= 15:
            continue
        seen.add(vector.id)
        report += [f"\n{vector.id} {vector.op} {vector.options} {vector.input[:80]!r}", f"  in   {config}",
                   f"  due  {_short(answer)}", f"  got  {_short(line)}"]
    return "\n".join(report)


def _short(line: bytes) -> str:
    text = line.decode(errors="replace").rstrip("\n").split("\t", 1)[-1]
    return text if len(text) <= 300 else f"{text[:200]} ... {text[-90:]} ({len(text)} characters)"


def compare_in_parallel(jobs: Sequence[Callable[[], int]]) -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(lambda job: job(), jobs))


# ---- C -------------------------------------------------------------------------------------------


def instruction_sets(driver: Driver) -> list[str]:
    names = driver.ask([b"x\tcpu_names\t\t\n"])[0].split()
    assert names and names[0] == "scalar"
    return names


def configs_for(simds: Iterable[str], blocks: Iterable[int], threads: Iterable[int],
                sources: Iterable[str], ways: Iterable[str]) -> list[Config]:
    return [Config(*parts) for parts in itertools.product(simds, blocks, threads, sources, ways)]


def run_c(driver: Driver, vectors: list[Vector], blocks: list[int], threads: list[int],
          source: str, way: str) -> int:
    return compare_in_parallel([
        lambda simd=simd: compare(driver, vectors, configs_for([simd], blocks, threads, [source], [way]))
        for simd in instruction_sets(driver)
    ])


def small(vectors: list[Vector]) -> list[Vector]:
    return [vector for vector in vectors if len(vector.input) < BIG]


def big(vectors: list[Vector]) -> list[Vector]:
    return [vector for vector in vectors if len(vector.input) >= BIG]


@pytest.mark.parametrize("source", SOURCES)
def test_c(c_driver: Driver, vectors: list[Vector], source: str) -> None:
    """The full product: instruction sets, block sizes, threads, kinds of source."""
    assert run_c(c_driver, small(vectors), BLOCKS, [1, 2, 5], source, "column") > len(vectors)


def test_c_big(c_driver: Driver, vectors: list[Vector]) -> None:
    """Tokens, gaps and lines larger than any buffer."""
    configs = configs_for(["auto"], [0], [2], SOURCES, ["column"])
    assert compare(c_driver, big(vectors), configs) > 20


@pytest.mark.parametrize("way", ["pull", "batch"])
def test_c_reader(c_driver: Driver, vectors: list[Vector], way: str) -> None:
    """Whole-source vectors read value by value, and batch by batch: the same answers."""
    for source in ["memory", "file", "pipe", "device"]:
        assert run_c(c_driver, small(vectors), BLOCKS, [1], source, way) > 500


def test_c_array(c_driver: Driver, vectors: list[Vector]) -> None:
    """The same through fastio_parse_array."""
    assert run_c(c_driver, small(vectors), [0], [1], "memory", "array") > 200


@pytest.mark.parametrize("source", ["memory", "file", "pipe"])
def test_c_quick(c_driver: Driver, vectors: list[Vector], source: str) -> None:
    """What an emulated machine has the time for."""
    assert run_c(c_driver, small(vectors), [1, 0], [1, 2], source, "column") > len(vectors)


def test_c_locale(c_driver: Driver, vectors: list[Vector], german: dict[str, str]) -> None:
    """A decimal comma in the locale changes nothing."""
    driver = dataclasses.replace(c_driver, environment=german)
    assert driver.ask([b"x\tdecimal_point\t\t\n"]) == [","]
    compare(driver, small(vectors), [Config(), Config(simd="scalar"), Config(source="file")])


@pytest.fixture(scope="session")
def german(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    directory: Path = tmp_path_factory.mktemp("locale")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(directory / "de_DE.UTF-8")],
                          capture_output=True, check=False)
    if made.returncode > 1:  # 1: made, with warnings
        pytest.skip("no definition of a German locale on this machine")
    return {**os.environ, "LOCPATH": str(directory), "LC_ALL": "de_DE.UTF-8"}


# ---- Python and Lua ------------------------------------------------------------------------------

# "object" is the language's own object with a method that reads, which gives a few bytes at a time.
SCRIPT_CONFIGS = [
    *configs_for(["scalar", "auto"], [1, 0], [1], ["memory", "file", "object"], ["column"]),
    Config(block=7, threads=2, source="file"),
]
PIPE = Config(source="pipe")  # a process each in Lua: not for every vector

# What a language does not bind: op, or id of a vector. Each entry must be met, and nothing else may be missing.
_OTHER_TYPES = {"reader_mixed", "reader_uint_after_failed_int"}  # read_int is int64, read_float float64
UNBOUND: dict[str, set[str]] = {"python": _OTHER_TYPES, "lua": _OTHER_TYPES}


def bound_answer(language: str) -> Expect:
    unbound = UNBOUND[language]

    def expect(vector: Vector) -> bytes:
        if vector.op in unbound or vector.id in unbound:
            return f"{vector.id}\tunsupported\n".encode()
        return vector.answer()

    return expect


def run_script(driver: Driver, language: str, vectors: list[Vector]) -> None:
    missing = UNBOUND[language] - {v.op for v in vectors} - {v.id for v in vectors}
    assert not missing, f"UNBOUND names what is in no vector: {missing}"
    expect = bound_answer(language)
    compare(driver, small(vectors), SCRIPT_CONFIGS, expect)
    compare(driver, small(vectors)[::12], [PIPE], expect)
    compare(driver, big(vectors), [Config(source="file")], expect)


def test_python(python_driver: Driver, vectors: list[Vector]) -> None:
    run_script(python_driver, "python", vectors)


@pytest.mark.parametrize("lua", LUAS)
def test_lua(lua_driver: Callable[[str], Driver], vectors: list[Vector], lua: str) -> None:
    run_script(lua_driver(lua), "lua", vectors)
