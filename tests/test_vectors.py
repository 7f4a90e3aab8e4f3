"""Every vector through every driver, in every configuration: the one comparer.

A driver's whole output for a configuration must be what the vectors say, byte for byte.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import archives
from conftest import LUAS
from harness import CONVERT_OPS, ITERATOR_OPS, TABLE_OPS, WHOLE_OPS, WRITE_OPS, Config, Driver, Failure, Vector

# ---- What a configuration runs -------------------------------------------------------------------

BLOCKS = [1, 2, 3, 7, 63, 64, 65, 4096, 0]
SOURCES = ["memory", "file", "pipe", "socket", "fd", "stdio", "device", "map"]
BIG = 1 << 19  # inputs from here on have a test of their own
MOST_BLOCKS = 4096

# The options that each way of reading heeds; where a vector has another one, it does not run that way.
_PULL = {"dtype", "sep", "comment", "base", "skip_lines", "offset", "length", "newline", "keepends",
         "encoding", "max_items", "overflow"}
_ARRAY = {"dtype", "sep", "comment", "base", "overflow"}
_PULLED_TYPES = {"int64", "uint64", "float64", "float32", None}
_BOM = b"\xef\xbb\xbf"
_DECODED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh", b"\x04\x22\x4d\x18", b"P*M\x18", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


def runs_in(vector: Vector, config: Config) -> bool:
    if vector.op in WRITE_OPS:
        return writes_in(vector, config)
    if vector.op in CONVERT_OPS:  # in one go, or in pieces
        return config == Config(simd=config.simd, block=config.block)
    if not vector.reads_source:
        return config == Config(simd=config.simd)
    if config.block and len(vector.input) > MOST_BLOCKS * config.block:
        return False
    if config.threads != 1 and vector.op not in WHOLE_OPS | TABLE_OPS:
        return False
    if vector.op in _READ_AGAIN and config.source not in _CAN_BE_READ_AGAIN:
        return False
    if vector.id.endswith(_RESPELLED) and not _is_among_few(config):
        return False
    return _RUNS_IN_WAY[config.way](vector)


_WAYS_TO_WRITE = {
    "write": {"column", "reserve", "pieces"},
    "print": {"column", "reserve", "pieces"},
    "write_ints": {"column", "strided", "reversed", "transposed", "each"},
    "write_floats": {"column", "strided", "reversed", "transposed", "each"},
    "write_csv": {"column", "stream", "rows"},
}


def writes_in(vector: Vector, config: Config) -> bool:
    """Not the large ones byte by byte; and only where the configuration is of interest to the op."""
    size = len(vector.result) if vector.error is None else len(vector.input)
    if config.block and size > MOST_BLOCKS * config.block:
        return False
    if config.threads != 1 and vector.op not in ("write_ints", "write_floats", "write_csv"):
        return False
    if config.source != "memory" and vector.op != "copy":
        return False
    return config.way in _WAYS_TO_WRITE.get(vector.op, {"column"})


# Rows by number, and parts that are then read each for itself, are for sources that can be read again.
_READ_AGAIN = {"slice_csv", "partition"}
_CAN_BE_READ_AGAIN = {"memory", "file", "map"}
_RESPELLED = ("+crlf", "+cr")


def _is_among_few(config: Config) -> bool:
    """Vectors with other newlines run in some of the configurations: there are many of them."""
    return config.block in (1, 3, 64, 0) and config.threads < 5 and config.source in ("memory", "file", "device")


def _runs_pulled(vector: Vector) -> bool:
    """Of tables there is only one way."""
    if vector.op in ITERATOR_OPS:
        return True
    names = vector.options.keys()
    return (vector.op in {"read_ints", "read_floats", "read_lines"} and names <= _PULL
            and vector.options.get("dtype") in _PULLED_TYPES)


def _runs_as_array(vector: Vector) -> bool:
    return (vector.op in {"read_ints", "read_floats"} and vector.options.keys() <= _ARRAY
            and not vector.input.startswith((_BOM, *_DECODED)))  # an array is numbers, and nothing else


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
    return [vector for vector in vectors if len(vector.input) < BIG and vector.op not in WRITE_OPS]


def big(vectors: list[Vector]) -> list[Vector]:
    return [vector for vector in vectors if len(vector.input) >= BIG and vector.op not in WRITE_OPS]


def writing(vectors: list[Vector]) -> list[Vector]:
    return [vector for vector in vectors if vector.op in WRITE_OPS]


PACKED_SINKS = ["gzip", "bgzf", "zlib", "zstd", "xz", "bzip2", "lz4", "utf-16", "utf-32be", "gb18030+gzip"]


def packed_writing(vectors: list[Vector], sink: str) -> list[Vector]:
    """A process each, of the tool that reads it back: some of them. Only text can be encoded, and failures are tested
    elsewhere."""
    few = [vector for vector in writing(vectors) if vector.error is None][PACKED_SINKS.index(sink) % 2 :: 2]
    return [vector for vector in few if sink in archives.MAKERS or is_utf8(vector)]


def is_utf8(vector: Vector) -> bool:
    """And does not start with a mark, which some tools drop."""
    try:
        result = vector.result if isinstance(vector.result, str) else vector.result.decode()
    except UnicodeDecodeError:
        return False
    return not result.startswith("\ufeff")


@pytest.mark.parametrize("source", SOURCES)
def test_c(c_driver: Driver, vectors: list[Vector], source: str) -> None:
    """The full product of instruction sets, block sizes and threads where bytes come in ways of their own: in place, by
    position, in order. The other kinds of source are among these below; two instruction sets and two threads will do."""
    if source in ("memory", "file", "device"):
        assert run_c(c_driver, small(vectors), BLOCKS, [1, 2, 5], source, "column") > len(vectors)
    else:
        jobs = [functools.partial(compare, c_driver, small(vectors), configs_for([simd], BLOCKS, [1, 2], [source], ["column"]))
                for simd in ("scalar", "auto")]
        assert compare_in_parallel(jobs) > len(vectors)


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


SINKS = ["file", "append", "atomic", "fd", "stdio", "pipe", "buffer", "device", "redirect", "none", "lines", "locked"]


def write_configs(simds: Iterable[str], blocks: Iterable[int], threads: Iterable[int],
                  ways: Iterable[str] = ("column",), sinks: Iterable[str] = ("memory",),
                  sources: Iterable[str] = ("memory",)) -> list[Config]:
    return [Config(*parts) for parts in itertools.product(simds, blocks, threads, sources, ways, sinks)]


def test_c_write(c_driver: Driver, vectors: list[Vector]) -> None:
    """Instruction sets, sizes of buffers and blocks, threads."""
    due = writing(vectors)
    jobs = [functools.partial(compare, c_driver, due, write_configs([simd], BLOCKS, [1, 2, 5]))
            for simd in instruction_sets(c_driver)]
    assert compare_in_parallel(jobs) > 10 * len(due)


@pytest.mark.parametrize("sink", SINKS)
def test_c_sink(c_driver: Driver, vectors: list[Vector], sink: str) -> None:
    """Whatever bytes are written to."""
    due = writing(vectors)
    blocks = [7] if sink == "atomic" else [1, 7, 0]  # each of those waits for the disk
    assert compare(c_driver, due, write_configs(["auto"], blocks, [1, 2], sinks=[sink])) > len(due)


@pytest.mark.parametrize("way", sorted(set.union(*_WAYS_TO_WRITE.values()) - {"column", "rows"}))
def test_c_way(c_driver: Driver, vectors: list[Vector], way: str) -> None:
    """Reserved room, pieces, value by value; arrays with gaps, backwards, by columns; tables as streams of batches."""
    due = writing(vectors)
    configs = write_configs(["scalar", "auto"], [1, 64, 0], [1, 2], [way], ["memory", "device"])
    assert compare(c_driver, due, configs) > 200


def test_c_copy(c_driver: Driver, vectors: list[Vector]) -> None:
    """Between all kinds of sources and sinks, each of which the system may know a short way for."""
    due = [vector for vector in vectors if vector.op == "copy"]
    assert compare(c_driver, due, write_configs(["auto"], [1, 0], [1], sinks=["memory", *SINKS], sources=SOURCES)) > 500


# What is compressed or encoded on its way: (vectors, directory of their inputs) by what was done to them.
Packed = dict[str, tuple[list[Vector], Path]]

PACKED_CONFIGS = [
    *configs_for(["auto"], [1, 64, 0], [1, 2], ["memory", "file", "pipe", "device"], ["column"]),
    *configs_for(["scalar"], [7], [1, 3], ["memory", "socket"], ["column"]),
    *configs_for(["auto"], [3, 0], [1], ["memory", "device"], ["pull", "batch"]),
]
FEW_PACKED_CONFIGS = [Config(), Config(block=7, threads=2, source="file"), Config(source="pipe"), Config(way="pull")]


@pytest.mark.parametrize("name", ["gzip", "utf16"])
def test_c_packed(c_driver: Driver, packed: Packed, name: str) -> None:
    """The same results and places as of the plain input."""
    due, directory = packed[name]
    driver = dataclasses.replace(c_driver, directory=directory)
    jobs = [functools.partial(compare, driver, due, PACKED_CONFIGS[i::2]) for i in range(2)]
    assert compare_in_parallel(jobs) > 20 * len(due)


@pytest.mark.parametrize("name", sorted({*archives.MAKERS} - {"gzip"}))
def test_c_packed_in_other_ways(c_driver: Driver, packed: Packed, name: str) -> None:
    due, directory = packed[name]
    driver = dataclasses.replace(c_driver, directory=directory)
    assert compare(driver, due, FEW_PACKED_CONFIGS) > 2 * len(due)


@pytest.mark.parametrize("sink", PACKED_SINKS)
def test_c_packed_sink(c_driver: Driver, vectors: list[Vector], sink: str) -> None:
    """What is compressed or encoded on its way out is what the reference tools make of it again."""
    due = packed_writing(vectors, sink)
    configs = write_configs(["auto"], [0], [1, 2] if sink in ("zstd", "bgzf") else [1], sinks=[sink])
    assert compare(c_driver, due, configs) >= len(due) > 50


@pytest.mark.parametrize("source", ["memory", "file", "pipe"])
def test_c_quick(c_driver: Driver, vectors: list[Vector], source: str) -> None:
    """What an emulated machine has the time for."""
    assert run_c(c_driver, small(vectors), [1, 0], [1, 2], source, "column") > len(vectors)
    sink = {"memory": "memory", "file": "file", "pipe": "device"}[source]
    assert compare(c_driver, writing(vectors), write_configs(["auto"], [1, 0], [1, 2], sinks=[sink])) > 500


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

WRITE_CONFIGS = [
    *write_configs(["auto"], [0], [1], ["column", "strided", "reversed", "transposed", "each", "stream", "rows"]),
    *write_configs(["scalar"], [7], [2]),
]


def sink_configs(language: str) -> list[Config]:
    sinks = ["file", "append", "atomic", "object", "redirect", "locked", "pipe" if language == "python" else "stdio"]
    configs = [Config(sink=sink, block=block) for sink, block in zip(sinks, [0, 1, 7] * 3)]
    return configs + write_configs(["auto"], [0], [1], sinks=["memory", "file", "object"], sources=["file", "object"])


# What a language does not bind: op, or id of a vector. Each entry must be met, and nothing else may be missing.
_OTHER_TYPES = {"reader_mixed", "reader_uint_after_failed_int"}  # read_int is int64, read_float float64
UNBOUND: dict[str, set[str]] = {
    "python": {
        *_OTHER_TYPES,
        "transcode_errors",  # transcode() gives the bytes alone
        "array_bools",  # a bool is an int
        "lines_out_missing",
        "print_bools", "print_bytes", "print_time", "print_timestamp", "print_timestamp_utc",  # as str() has them
    },
    "lua": {
        *_OTHER_TYPES,
        "transcode_errors",
        "array_bools",  # there are no columns of bools but in tables
        "csv_out_no_columns",
        "lines_out_missing",
        "format_as_integer_in_notation_1", "format_as_integer_in_notation_2",  # there an integer is a float
        "csv_out_formats_too_few",  # a list may be shorter
    },
}


def bound_answer(language: str) -> Expect:
    unbound = UNBOUND[language]

    def expect(vector: Vector) -> bytes:
        if vector.op in unbound or vector.id.partition("+")[0] in unbound:
            return f"{vector.id}\tunsupported\n".encode()
        if vector.op in {*TABLE_OPS, "write_csv"} and vector.error is not None:
            is_told_where = language == "lua" and vector.error.record > 0
            told = as_told_by_scripts(vector.error, is_told_where)
            vector = dataclasses.replace(vector, error=told)
        return vector.answer()

    return expect


def as_told_by_scripts(error: Failure, is_told_where: bool) -> Failure:
    """Scripting languages tell a field by its name, if it has one, and raise invalid arguments as any others.

    But where it is a cell that can't be written, Lua tells which one.
    """
    if error.status == "invalid_argument" and not is_told_where:
        return Failure(error.status)
    return dataclasses.replace(error, field="-") if error.name else error


def run_script(driver: Driver, language: str, vectors: list[Vector]) -> None:
    missing = UNBOUND[language] - {v.op for v in vectors} - {v.id for v in vectors}
    assert not missing, f"UNBOUND names what is in no vector: {missing}"
    expect = bound_answer(language)
    compare(driver, small(vectors), SCRIPT_CONFIGS, expect)
    compare(driver, small(vectors)[::12], [PIPE], expect)
    compare(driver, big(vectors), [Config(source="file")], expect)
    assert compare(driver, writing(vectors), WRITE_CONFIGS, expect) > 500
    assert compare(driver, writing(vectors), sink_configs(language), expect) > 1000


def run_script_packed(driver: Driver, language: str, packed: Packed) -> None:
    expect = bound_answer(language)
    for name, (due, directory) in packed.items():
        if name not in ("gzip", "utf16"):
            due = due[::7]
        configs = [Config(source="file"), Config(source="object", block=7)]
        compare(dataclasses.replace(driver, directory=directory), due, configs, expect)


def run_script_packed_sinks(driver: Driver, language: str, vectors: list[Vector]) -> None:
    for sink in PACKED_SINKS:
        compare(driver, packed_writing(vectors, sink)[::3], [Config(sink=sink)], bound_answer(language))


def test_python(python_driver: Driver, vectors: list[Vector]) -> None:
    run_script(python_driver, "python", vectors)


def test_python_packed(python_driver: Driver, packed: Packed) -> None:
    run_script_packed(python_driver, "python", packed)


def test_python_packed_sinks(python_driver: Driver, vectors: list[Vector]) -> None:
    run_script_packed_sinks(python_driver, "python", vectors)


@pytest.mark.parametrize("lua", ["lua5.1", "lua5.4", "luajit"])
def test_lua_packed(lua_driver: Callable[[str], Driver], packed: Packed, lua: str) -> None:
    run_script_packed(lua_driver(lua), "lua", packed)


@pytest.mark.parametrize("lua", ["lua5.1", "lua5.4"])
def test_lua_packed_sinks(lua_driver: Callable[[str], Driver], vectors: list[Vector], lua: str) -> None:
    run_script_packed_sinks(lua_driver(lua), "lua", vectors)


@pytest.mark.parametrize("lua", LUAS)
def test_lua(lua_driver: Callable[[str], Driver], vectors: list[Vector], lua: str) -> None:
    run_script(lua_driver(lua), "lua", vectors)
