"""The figures that the project promises, each with its bar, checked against a benchmark run.

A figure is a ratio of times between two peers of one group, the median over the runs that took
turns (see run.py). The mode with huge pages for everybody decides; the plain mode, and for the cold
column the first runs of fresh processes, stand beside it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Results = dict[str, Any]
MEGABYTE = 1 << 20


@dataclass
class Row:
    work: str
    bar: str
    huge: str = "-"
    plain: str = "-"
    cold: str = "-"
    met: bool | None = None  # None: not measured


@dataclass
class Ratio:
    middle: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.low:.2f} to {self.high:.2f})"


def samples(results: Results, group: str, mode: str, peer: str, kind: str) -> list[float]:
    found = results.get(group, {}).get("modes", {}).get(mode, {}).get(peer)
    return [] if not found or found["error"] else found[kind]


def paired(upper: list[float], lower: list[float]) -> Ratio | None:
    """How many times `upper` is `lower`, run by run."""
    ratios = [a / b for a, b in zip(upper, lower)]
    return Ratio(statistics.median(ratios), min(ratios), max(ratios)) if ratios else None


@dataclass
class Figure:
    """The time of `upper` over that of `lower`, which is to be at least (or at most) the bar."""

    work: str
    group: str
    upper: str
    lower: str
    bar: float
    aim: float | None = None
    at_most: bool = False
    per_byte: bool = False  # compare the times per byte, where the two read different files
    cold_bar: float | None = None

    def ratio(self, results: Results, mode: str, kind: str) -> Ratio | None:
        upper = samples(results, self.group, mode, self.upper, kind)
        lower = samples(results, self.group, mode, self.lower, kind)
        found = paired(upper, lower)
        if found and self.per_byte:
            sizes = results[self.group]["sizes"]
            scale = self.size(results, self.lower, sizes) / self.size(results, self.upper, sizes)
            found = Ratio(found.middle * scale, found.low * scale, found.high * scale)
        return found

    def size(self, results: Results, peer: str, sizes: dict[str, int]) -> float:
        _, _, name = peer.partition("@")
        return float(sizes[name] if name else results[self.group]["bytes"])

    def evaluate(self, results: Results) -> Row:
        word = "at most" if self.at_most else "at least"
        aim = f" ({self.aim:g})" if self.aim else ""
        cold_bar = f", cold {self.cold_bar:g}" if self.cold_bar else ""
        row = Row(self.work, f"{word} {self.bar:g}{aim}{cold_bar}")
        huge = self.ratio(results, "huge", "warm")
        plain = self.ratio(results, "plain", "warm")
        cold = self.ratio(results, "huge", "cold")
        row.huge, row.plain, row.cold = (str(r) if r else "-" for r in (huge, plain, cold))
        if huge:
            row.met = huge.middle <= self.bar if self.at_most else huge.middle >= self.bar
            if self.cold_bar and cold:
                row.met = row.met and cold.middle >= self.cold_bar
        return row


@dataclass
class Fastest:
    """As Figure, against the fastest of several peers."""

    work: str
    group: str
    peers: list[str]
    ours: str
    bar: float
    at_most: bool = False

    def evaluate(self, results: Results) -> Row:
        def best(mode: str) -> str | None:
            medians = {
                peer: statistics.median(found)
                for peer in self.peers
                if (found := samples(results, self.group, mode, peer, "warm"))
            }
            return min(medians, key=lambda peer: medians[peer]) if medians else None

        peer = best("huge") or best("plain") or self.peers[0]
        name = peer.partition(":")[2]
        upper, lower = (self.ours, peer) if self.at_most else (peer, self.ours)
        return Figure(
            f"{self.work} ({name})", self.group, upper, lower, self.bar, at_most=self.at_most
        ).evaluate(results)


@dataclass
class Rate:
    """Bytes of the file by the second; the bar is an aim."""

    work: str
    group: str
    peer: str
    bar: float  # GB/s

    def evaluate(self, results: Results) -> Row:
        row = Row(self.work, f"aim {self.bar:g} GB/s")
        for column, mode, kind in (
            ("huge", "huge", "warm"),
            ("plain", "plain", "warm"),
            ("cold", "huge", "cold"),
        ):
            found = samples(results, self.group, mode, self.peer, kind)
            if found:
                rate = results[self.group]["bytes"] / statistics.median(found) / 1e9
                setattr(row, column, f"{rate:.2f} GB/s")
                row.met = rate >= self.bar if column == "huge" else row.met
        return row


@dataclass
class Beyond:
    """How much longer importing our module takes than another, beyond Python's own start."""

    work: str
    bar: float

    def evaluate(self, results: Results) -> Row:
        row = Row(self.work, f"at most {self.bar:g}")
        for mode in ("huge", "plain"):
            bare, other, ours = (
                samples(results, "import", mode, f"python:start_{name}", "warm")
                for name in ("python", "import_csv", "import_fastio")
            )
            if not (bare and other and ours):
                continue
            start = statistics.median(bare)
            base, mine = statistics.median(other) - start, statistics.median(ours) - start
            text = f"{mine / base:.2f} ({mine * 1e3:.1f} ms to {base * 1e3:.1f} ms)"
            if mode == "huge":
                row.huge, row.met = text, mine <= self.bar * base
            else:
                row.plain = text
        return row


@dataclass
class Peak:
    """Memory, which is what the peer's answer says."""

    work: str
    peer: str
    bar: int
    group: str = "peak"
    memory: Callable[[list[int]], int] = lambda answer: answer[0]  # out of the answer's numbers

    def evaluate(self, results: Results) -> Row:
        row = Row(self.work, f"at most {self.bar // MEGABYTE} MiB")
        for mode in ("huge", "plain"):
            found = results.get(self.group, {}).get("modes", {}).get(mode, {}).get(self.peer)
            if not found or found["error"] or not found["answer"]:
                continue
            extra = self.memory([int(number) for number in found["answer"].split()])
            text = f"{extra / MEGABYTE:.1f} MiB"
            if mode == "huge":
                row.huge, row.met = text, extra <= self.bar
            else:
                row.plain = text
        return row


def against_tables(kind: str, what: str, bars: dict[str, float]) -> list[Figure]:
    """Against the peers on 1 GB, on one core and on all."""
    return [
        Figure(
            f"{what}, {cores}: {TABLE_NAMES[peer]}",
            f"csv_{kind}",
            f"python:{kind}_{peer}{mark}",
            f"python:{kind}_fastio{mark}",
            bar,
        )
        for mark, cores in (("", "one core"), ("*", "all cores"))
        for peer, bar in bars.items()
    ]


def two_cores(what: str, peer: str, group: str) -> Figure:
    return Figure(f"two cores against one: {what}", group, peer, f"{peer}*", 1.8)


def python_ratio(
    work: str, group: str, peer: str, ours: str, bar: float, aim: float | None = None
) -> Figure:
    return Figure(work, group, f"python:{peer}", f"python:{ours}", bar, aim)


def writing(work: str, group: str, peer: str, ours: str, bar: float) -> Figure:
    return Figure(work, group, f"write_usual:{peer}", f"write_fastio:{ours}", bar)


SEQUENTIAL = "fastio_c:read_ints"
ONE_THREAD = ["python:ints_polars", "python:ints_pyarrow", "python:ints_duckdb"]
SLURPS = [
    *(
        f"usual:slurp_{way}"
        for way in ("read", "fread", "vector_read", "tellg_read", "append_blocks", "stringstream")
    ),
    *(f"usual:slurp_{way}" for way in ("getline_nul", "istreambuf_iterator")),
    *(f"python:slurp_{way}" for way in ("open", "path", "fromfile")),
]
TABLE_NAMES = {"polars": "Polars", "pyarrow": "PyArrow", "duckdb": "DuckDB"}
LUA_NAMES = {"lua5.4": "Lua 5.4", "luajit": "LuaJIT"}

FIGURES: list[Any] = [
    Figure(
        "read_ints, 1 GB sequential, C, to read()",
        "gigabyte",
        SEQUENTIAL,
        "usual:read_blocks",
        5,
        4,
        at_most=True,
    ),
    Figure(
        "the same from Python",
        "gigabyte",
        "python:ints_fastio",
        "usual:read_blocks",
        5,
        4,
        at_most=True,
    ),
    python_ratio(
        "read_ints, 10 M: pandas C engine", "ints", "ints_pandas_c", "ints_fastio", 10, 20
    ),
    python_ratio("read_ints, 10 M: numpy.loadtxt", "ints", "ints_loadtxt", "ints_fastio", 8),
    Fastest("read_ints, 10 M: fastest on one thread", "ints", ONE_THREAD, "python:ints_fastio", 3),
    Figure(
        "integers of 1 to 19 digits, time per byte to sequential",
        "gigabyte_random",
        SEQUENTIAL,
        f"{SEQUENTIAL}@ints_1g",
        1.6,
        at_most=True,
        per_byte=True,
    ),
    Figure(
        "six decimals in memory: fast_float",
        "memory_floats6",
        "usual:memory_fast_float",
        "fastio_c:memory_floats",
        2,
        3,
    ),
    Figure(
        "17 digits in memory: fast_float",
        "memory_floats17",
        "usual:memory_fast_float",
        "fastio_c:memory_floats",
        1.1,
        2,
    ),
    python_ratio(
        "six decimals end to end: pandas round_trip",
        "floats6",
        "floats_pandas_round_trip",
        "floats_fastio",
        8,
    ),
    python_ratio(
        "17 digits end to end: pandas round_trip",
        "floats17",
        "floats_pandas_round_trip",
        "floats_fastio",
        8,
    ),
    two_cores("sequential integers", SEQUENTIAL, "gigabyte"),
    two_cores("integers of 1 to 19 digits", SEQUENTIAL, "gigabyte_random"),
    two_cores("six decimals", "fastio_c:read_floats", "gigabyte_floats6"),
    two_cores("17 digits", "fastio_c:read_floats", "gigabyte_floats17"),
    two_cores("count_lines", "fastio_c:count_lines", "count"),
    Figure(
        "count_lines, 1 GB: rate of read() (0.8: at most 1.25)",
        "count",
        "fastio_c:count_lines",
        "usual:read_blocks",
        1.25,
        at_most=True,
    ),
    Figure("count_lines, 1 GB: wc -l", "count", "python:count_wc", "python:count_fastio", 2.3),
    Figure("the same on all cores", "count", "python:count_wc", "python:count_fastio*", 2.3),
    python_ratio(
        "lines, short, bytes: open('rb')", "lines_short", "lines_bytes", "lines_fastio_bytes", 1.4
    ),
    python_ratio(
        "lines, short, str: open()", "lines_short", "lines_str", "lines_fastio_str", 1.4, 2
    ),
    python_ratio(
        "lines, 100 bytes, bytes: open('rb')", "lines_long", "lines_bytes", "lines_fastio_bytes", 3
    ),
    python_ratio("lines, 100 bytes, str: open()", "lines_long", "lines_str", "lines_fastio_str", 3),
    python_ratio(
        "lines, 100 bytes, bytes: 1 MiB buffer",
        "lines_long",
        "lines_bytes_1m",
        "lines_fastio_bytes",
        1.3,
    ),
    python_ratio(
        "lines, 100 bytes, str: 1 MiB buffer", "lines_long", "lines_str_1m", "lines_fastio_str", 1.3
    ),
    *(
        Figure(
            f"read_lines, {what}: read().splitlines()",
            f"read_lines_{group}",
            "python:read_lines_splitlines",
            "python:read_lines_fastio",
            3,
            cold_bar=10,
        )
        for group, what in (("short", "short"), ("long", "100 bytes"))
    ),
    *(
        Figure(f"{name}: {what}", group, f"{lua}:{peer}", f"{lua}:{ours}", bar)
        for lua, name in LUA_NAMES.items()
        for what, group, peer, ours, bar in (
            ("lines, short: io.lines", "lines_short", "lines", "fastio_lines", 1.25),
            ("lines, 100 bytes: io.lines", "lines_long", "lines", "fastio_lines", 1.25),
            ("ints: read('n')", "lua_ints", "read_number", "fastio_ints", 2.5),
            ("read_ints: read('n')", "lua_ints", "read_number", "fastio_read_ints", 10),
        )
    ),
    Figure(
        "LuaJIT: sum through the pointer to that of an FFI array",
        "luajit_sum",
        "luajit:fastio_pointer_sum",
        "luajit:ffi_sum",
        1.05,
        at_most=True,
    ),
    *(
        Figure(
            f"read_bytes, {size}, {face}: read() into huge pages",
            group,
            ours,
            "usual:slurp_read_huge",
            1.1,
            at_most=True,
        )
        for size, group in (("114 MB", "slurp_114m"), ("2 GB", "slurp_2g"))
        for face, ours in (("C", "fastio_c:read_all"), ("Python", "python:slurp_fastio"))
    ),
    *(
        Fastest(
            f"read_bytes, {size}: the fastest slurp",
            group,
            SLURPS,
            "fastio_c:read_all",
            1.05,
            at_most=True,
        )
        for size, group in (("64 KB", "slurp_64k"), ("114 MB", "slurp_114m"), ("2 GB", "slurp_2g"))
    ),
    Peak("memory beyond the column, C, one thread", "fastio_c:peak_ints", 16 * MEGABYTE),
    Peak("memory beyond the column, C, all cores", "fastio_c:peak_ints*", 16 * MEGABYTE),
    Peak("memory beyond the column, Python, one thread", "python:peak_fastio_ints", 16 * MEGABYTE),
    Peak("memory beyond the column, Python, all cores", "python:peak_fastio_ints*", 16 * MEGABYTE),
    Beyond("import fastio to import csv, beyond Python's start", 2),
    # Tables.
    *against_tables(
        "numeric", "read_csv, 1 GB numeric", {"polars": 2, "duckdb": 2.5, "pyarrow": 3}
    ),
    python_ratio(
        "read_csv, 100 MB numeric, one core: pandas C engine",
        "csv_numeric_small",
        "numeric_pandas_c",
        "numeric_fastio",
        10,
    ),
    Rate("read_csv, 1 GB numeric, one core", "csv_numeric", "python:numeric_fastio", 1.2),
    *against_tables(
        "mixed",
        "read_csv, 1 GB mixed, types inferred",
        {"polars": 1.5, "pyarrow": 2, "duckdb": 2},
    ),
    python_ratio(
        "loadtxt, two floats: numpy.loadtxt", "loadtxt", "loadtxt_numpy", "loadtxt_fastio", 15
    ),
    python_ratio(
        r'white-space columns: pandas sep=r"\s+"', "words", "words_pandas_c", "words_fastio", 10
    ),
    *(
        Figure(
            f"usecols of 2 in 20 columns, {cores}: all 20",
            "usecols",
            f"python:wide_fastio{mark}",
            f"python:usecols_fastio{mark}",
            2.5,
        )
        for mark, cores in (("", "one core"), ("*", "all cores"))
    ),
    *(
        Peak(
            f"open_csv over 10 GB, {what}, {cores}: {name}",
            f"python:stream_fastio_{job}{mark}",
            bar * MEGABYTE,
            "csv_stream",
            memory,
        )
        for job, what, mark, cores in (
            ("pipe", "pipe", "", "one core"),
            ("pipe", "pipe", "*", "all cores"),
            ("object", "file object", "", "one core"),
        )
        for name, bar, memory in (
            ("memory of the process", 200, lambda answer: answer[1]),
            ("growth after the first million rows", 16, lambda answer: answer[1] - answer[2]),
        )
    ),
    two_cores("1 GB of numeric columns", "fastio_c:numeric", "csv_numeric"),
    two_cores("1 GB of mixed columns", "fastio_c:mixed", "csv_mixed"),
    # Writing.
    *(
        figure
        for target in ("tmpfs", "disk")
        for figure in (
            writing(
                f"10 M integers to {target}, one call a value: fprintf",
                f"write_ints_{target}",
                "ints_fprintf",
                "ints",
                8,
            ),
            writing(
                "the same: std::to_chars + fwrite",
                f"write_ints_{target}",
                "ints_to_chars",
                "ints",
                3,
            ),
            Figure(
                "fastio_write_array, to write() of the same bytes",
                f"write_ints_{target}",
                "write_fastio:ints_array",
                "write_usual:ints_raw",
                3,
                at_most=True,
            ),
        )
    ),
    *(
        writing(
            f"10 M doubles {what}, shortest: {name}",
            f"shortest_{kind}",
            f"{kind}_{peer}",
            kind,
            bar,
        )
        for kind, what in (("uniform", "in +-10,000"), ("bits", "of any bits"))
        for peer, name, bar in (("to_chars", "std::to_chars", 2), ("snprintf", "%.17g", 10))
    ),
    writing(
        "10 M doubles in +-1e6, six decimals: fprintf", "write_fixed", "fixed_fprintf", "fixed", 8
    ),
    writing('100 M "Hello World": fwrite', "write_hello", "hello_fwrite", "hello", 4),
    Figure(
        "the same, to memcpy into a buffer",
        "write_hello",
        "write_fastio:hello",
        "write_usual:hello_memcpy",
        1.5,
        at_most=True,
    ),
    *(
        Figure(
            f"write_csv, 1 GB numeric, {cores}: {name}",
            "write_csv",
            f"write_python:table_{peer}{mark}",
            f"write_python:table_fastio{mark}",
            bar,
        )
        for peer, name, bar, mark, cores in (
            ("polars", "Polars", 2, "", "one core"),
            ("polars", "Polars", 2, "*", "all cores"),
            ("pyarrow", "PyArrow", 4, "", "one core"),
        )
    ),
    Figure(
        "write_csv, 100 MB numeric, one core: pandas",
        "write_csv_small",
        "write_python:table_pandas",
        "write_python:table_fastio",
        15,
    ),
    Figure(
        "two cores against one: write_csv",
        "write_csv",
        "write_python:table_fastio",
        "write_python:table_fastio*",
        1.7,
    ),
    Figure(
        "savetxt, two floats, one core: numpy.savetxt",
        "savetxt",
        "write_python:savetxt_numpy",
        "write_python:savetxt_fastio",
        20,
    ),
    *(
        writing(f"echo of 8-byte records: {name}", "echo", f"echo_{peer}", "echo_batches", 1)
        for peer, name in (
            ("read_write", "read, write"),
            ("fread_fwrite", "fread, fwrite"),
            ("scanf_printf", "scanf, printf"),
            ("fgets_puts", "fgets, puts"),
            ("getchar", "getchar"),
            ("getc_unlocked", "getc_unlocked"),
        )
    ),
    writing("CRLF to LF, 1 GB: fgets, fputs", "crlf", "crlf_fgets_fputs", "crlf_lines", 2),
    Figure(
        "two threads on one locked stream, to one",
        "locked",
        "write_fastio:locked",
        "write_fastio:locked*",
        0.5,
    ),
    # Compressed and encoded input.
    Figure(
        "gzip of 10 M integers, all cores: to inflating alone (ISA-L)",
        "read_ints_gz",
        "fastio_c:read_ints*",
        "input_usual:inflate_isal",
        1.2,
        at_most=True,
    ),
    *(
        python_ratio(f"the same, Python, {cores}: {name}", "read_ints_gz", peer, f"ints_fastio{mark}", bar)
        for mark, cores in (("", "one core"), ("*", "all cores"))
        for peer, name, bar in (("ints_pandas_c", "pandas", 6), ("ints_gzip_builtin", "gzip and int", 20))
    ),
    *(
        Figure(
            f"two cores against one: {name}",
            f"read_{data}",
            "fastio_c:read_ints",
            "fastio_c:read_ints*",
            1.7,
        )
        for data, name in (("ints_bgzf", "BGZF"), ("ints_zst", "zstd of many frames"))
    ),
    *(
        Figure(
            f"UTF-8 validation, {text}: share of memcpy",
            f"validate_{text}",
            "input_usual:copy",
            "input_fastio:valid",
            bar,
        )
        for text, bar in (("ascii", 0.6), ("latin", 0.15), ("cjk", 0.15), ("emoji", 0.15))
    ),
    *(
        Figure(
            f"{what}, {text}: iconv()",
            f"{job}_{text}",
            f"input_usual:{job}",
            f"input_fastio:{job}",
            bar,
            aim,
        )
        for job, what in (("to_utf16", "UTF-8 to UTF-16LE"), ("from_utf16", "and back"))
        for text, bar, aim in (("ascii", 20, 80), ("latin", 4, 7), ("cjk", 6, 12), ("emoji", 6, 11))
    ),
    Figure(
        "400 MB, file to file, UTF-8 to UTF-16LE: iconv command",
        "recode_file",
        "input_usual:iconv_command",
        "input_fastio:file_to_utf16",
        4,
    ),
    *(
        Figure(
            f"CSV in UTF-16, {cores}: to the same in UTF-8",
            "csv_utf16",
            f"fastio_c:mixed{mark}@csv_mixed_utf16",
            f"fastio_c:mixed{mark}",
            1.5,
            at_most=True,
        )
        for mark, cores in (("", "one core"), ("*", "all cores"))
    ),
    *(
        Peak(
            f"20 GB of CSV in gzip through a pipe, {cores}: {name}",
            f"python:stream_fastio_pipe{mark}",
            bar * MEGABYTE,
            "csv_stream_gz",
            memory,
        )
        for mark, cores in (("", "one core"), ("*", "all cores"))
        for name, bar, memory in (
            ("memory of the process", 200, lambda answer: answer[1]),
            ("growth after the first million rows", 16, lambda answer: answer[1] - answer[2]),
        )
    ),
]


def evaluate(results: Results) -> list[Row]:
    return [figure.evaluate(results) for figure in FIGURES]


VERDICT: dict[bool | None, str] = {True: "met", False: "NOT met", None: "not measured"}


def cells(row: Row) -> list[str]:
    return [row.work, row.bar, row.huge, row.plain, row.cold, VERDICT[row.met]]


HEAD = ["figure", "bar (aim)", "huge pages", "plain", "cold", ""]


def text_table(rows: list[Row], columns: Callable[[Row], list[str]] = cells) -> str:
    lines = [HEAD, *(columns(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines
    )
    met = sum(row.met is True for row in rows)
    missed = sum(row.met is False for row in rows)
    return f"{text}\n\n{met} met, {missed} not met, {len(rows) - met - missed} not measured"
