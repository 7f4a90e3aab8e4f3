"""The Python benchmark worker (see worker.h for the protocol).

usage: worker.py JOB FILE [THREADS]    (THREADS 0: all cores)

A job is a function that does the work and returns its result; what the check needs is taken from
the result afterwards, by the function that the job's decorator names. Imports happen before the
clock starts.
"""

from __future__ import annotations

import collections
import gc
import mmap
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

PATH = sys.argv[2]
THREADS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
OWN_THREADS = THREADS or None  # as fastio spells it

JOBS: dict[str, tuple[Callable[[], Any], Callable[[Any], str]]] = {}


def job(answer: Callable[[Any], str]) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def register(function: Callable[[], Any]) -> Callable[[], Any]:
        JOBS[function.__name__] = (function, answer)
        return function

    return register


# ---- answers ----


def int_sum(values: Any) -> str:
    import numpy

    array = numpy.asarray(values, dtype="int64")
    return f"{len(array)} {int(array.sum(dtype='int64')) % 2**64}"


def float_sum(values: Any) -> str:
    import numpy

    array = numpy.asarray(values, dtype="float64")
    return f"{len(array)} {float(array.sum()):.17g}"


def line_sum(lines: Any) -> str:
    return f"{len(lines)} {sum(map(len, lines))}"


def number(value: Any) -> str:
    return str(value)


def size(value: Any) -> str:
    return str(len(value))


def nothing(_: Any) -> str:
    return ""


# ---- numbers ----


@job(int_sum)
def ints_builtin() -> Any:
    with open(PATH) as file:
        return list(map(int, file))


@job(int_sum)
def ints_split() -> Any:
    with open(PATH, "rb") as file:
        return list(map(int, file.read().split()))


@job(float_sum)
def floats_builtin() -> Any:
    with open(PATH) as file:
        return list(map(float, file))


def numpy_loadtxt(dtype: str) -> Any:
    import numpy

    return numpy.loadtxt(PATH, dtype=dtype)


def numpy_fromfile(dtype: str) -> Any:
    import numpy

    return numpy.fromfile(PATH, dtype=dtype, sep="\n")


def pandas_csv(dtype: str, **options: Any) -> Any:
    import pandas

    frame = pandas.read_csv(PATH, header=None, names=["a"], dtype={"a": dtype}, **options)
    return frame["a"].to_numpy()


def polars_csv(dtype: str) -> Any:
    import polars

    kind = polars.Int64 if dtype == "int64" else polars.Float64  # threads: POLARS_MAX_THREADS
    return polars.read_csv(PATH, has_header=False, schema={"a": kind})["a"]


def pyarrow_csv(dtype: str) -> Any:
    import pyarrow
    from pyarrow import csv

    table = csv.read_csv(
        PATH,
        read_options=csv.ReadOptions(column_names=["a"], use_threads=THREADS != 1),
        convert_options=csv.ConvertOptions(column_types={"a": getattr(pyarrow, dtype)()}),
    )
    return table["a"]


def duckdb_csv(dtype: str) -> Any:
    import duckdb

    with duckdb.connect(config={"threads": THREADS} if THREADS else {}) as connection:
        kind = "BIGINT" if dtype == "int64" else "DOUBLE"
        query = (
            f"SELECT a FROM read_csv(?, header=false, auto_detect=false, columns={{'a': '{kind}'}})"
        )
        return connection.execute(query, [PATH]).fetchnumpy()["a"]


def fastio_ints() -> Any:
    import fastio

    return fastio.read_ints(PATH, threads=OWN_THREADS)


def fastio_floats() -> Any:
    import fastio

    return fastio.read_floats(PATH, threads=OWN_THREADS)


JOBS["ints_fastio"] = (fastio_ints, int_sum)
JOBS["floats_fastio"] = (fastio_floats, float_sum)
for _kind, _dtype, _answer in (("ints", "int64", int_sum), ("floats", "float64", float_sum)):
    JOBS |= {
        f"{_kind}_loadtxt": (lambda d=_dtype: numpy_loadtxt(d), _answer),
        f"{_kind}_fromfile": (lambda d=_dtype: numpy_fromfile(d), _answer),
        f"{_kind}_pandas_c": (lambda d=_dtype: pandas_csv(d, engine="c"), _answer),
        f"{_kind}_pandas_pyarrow": (lambda d=_dtype: pandas_csv(d, engine="pyarrow"), _answer),
        f"{_kind}_polars": (lambda d=_dtype: polars_csv(d), _answer),
        f"{_kind}_pyarrow": (lambda d=_dtype: pyarrow_csv(d), _answer),
        f"{_kind}_duckdb": (lambda d=_dtype: duckdb_csv(d), _answer),
    }


@job(float_sum)
def floats_pandas_round_trip() -> Any:
    return pandas_csv("float64", engine="c", float_precision="round_trip")


@job(int_sum)
def ints_fastio_iterator() -> Any:
    import fastio

    return list(fastio.ints(PATH))


# ---- lines, one at a time ----


def drain(lines: Any) -> Any:
    collections.deque(lines, maxlen=0)


def drain_file(**options: Any) -> Any:
    with open(PATH, **options) as file:
        drain(file)


@job(nothing)
def lines_str() -> Any:
    return drain_file()


@job(nothing)
def lines_str_1m() -> Any:
    return drain_file(buffering=1 << 20)


@job(nothing)
def lines_bytes() -> Any:
    return drain_file(mode="rb")


@job(nothing)
def lines_bytes_1m() -> Any:
    return drain_file(mode="rb", buffering=1 << 20)


@job(nothing)
def lines_fastio_str() -> Any:
    import fastio

    return drain(fastio.lines(PATH))


@job(nothing)
def lines_fastio_bytes() -> Any:
    import fastio

    return drain(fastio.lines(PATH, encoding=None))


@job(nothing)
def lines_stringzilla() -> Any:
    import stringzilla

    return drain(stringzilla.Str(stringzilla.File(PATH)).split_iter("\n"))


# ---- lines, all at once ----


@job(line_sum)
def read_lines_splitlines() -> Any:
    with open(PATH) as file:
        return file.read().splitlines()


@job(line_sum)
def read_lines_splitlines_bytes() -> Any:
    with open(PATH, "rb") as file:
        return file.read().splitlines()


@job(number)
def read_lines_stringzilla() -> Any:
    import stringzilla

    return len(stringzilla.Str(stringzilla.File(PATH)).splitlines())


def arrow_line_sum(column: Any) -> str:
    import pyarrow.compute

    return f"{len(column)} {pyarrow.compute.sum(pyarrow.compute.binary_length(column)).as_py()}"


@job(arrow_line_sum)
def read_lines_pyarrow() -> Any:
    import pyarrow
    from pyarrow import csv

    table = csv.read_csv(
        PATH,
        read_options=csv.ReadOptions(column_names=["a"], use_threads=THREADS != 1),
        parse_options=csv.ParseOptions(delimiter="\x01", quote_char=False),
        convert_options=csv.ConvertOptions(column_types={"a": pyarrow.large_string()}),
    )
    return table["a"]


@job(lambda column: f"{len(column)} {column.str.len_bytes().sum()}")
def read_lines_polars() -> Any:
    import polars

    return polars.read_csv(
        PATH, has_header=False, schema={"a": polars.String}, separator="\x01", quote_char=None
    )["a"]


def fastio_line_sum(lines: Any) -> str:
    import pyarrow

    return arrow_line_sum(pyarrow.array(lines))


@job(fastio_line_sum)
def read_lines_fastio() -> Any:
    import fastio

    return fastio.read_lines(PATH, threads=OWN_THREADS)


@job(fastio_line_sum)
def read_lines_fastio_bytes() -> Any:
    import fastio

    return fastio.read_lines(PATH, encoding=None, threads=OWN_THREADS)


# ---- counting ----


@job(number)
def count_wc() -> Any:
    out = subprocess.run(["wc", "-l", PATH], capture_output=True, check=True)
    return int(out.stdout.split()[0])


@job(number)
def count_builtin() -> Any:
    with open(PATH, "rb") as file:
        return sum(1 for _ in file)


@job(number)
def count_blocks() -> Any:
    with open(PATH, "rb", buffering=0) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


@job(number)
def count_stringzilla() -> Any:
    import stringzilla

    return stringzilla.Str(stringzilla.File(PATH)).count("\n")


@job(number)
def count_fastio() -> Any:
    import fastio

    return fastio.count_lines(PATH, threads=OWN_THREADS)


# ---- slurping ----


@job(size)
def slurp_open() -> Any:
    with open(PATH, "rb") as file:
        return file.read()


@job(size)
def slurp_path() -> Any:
    return pathlib.Path(PATH).read_bytes()


@job(size)
def slurp_fromfile() -> Any:
    import numpy

    return numpy.fromfile(PATH, dtype="uint8")


@job(size)
def slurp_mmap() -> Any:
    with open(PATH, "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    view[:: mmap.PAGESIZE]  # a map alone has read nothing
    return view


@job(size)
def slurp_fastio() -> Any:
    import fastio

    return fastio.read_bytes(PATH)


# ---- start and memory ----


def spawn(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


@job(nothing)
def start_python() -> Any:
    spawn("pass")


@job(nothing)
def start_import_csv() -> Any:
    spawn("import csv")


@job(nothing)
def start_import_fastio() -> Any:
    spawn("import fastio")


def peak_memory() -> int:
    """In bytes; getrusage would count what the parent had before the exec."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("no VmHWM in /proc/self/status")


@job(number)
def peak_fastio_ints() -> Any:
    """The most memory beyond the column itself; meant for one run in a fresh process."""
    import fastio

    fastio.read_ints(b"1 2 3\n")
    before = peak_memory()
    column = fastio.read_ints(PATH, threads=OWN_THREADS)
    return peak_memory() - before - memoryview(column).nbytes


# Job names with this word need that module, which is imported before the clock starts.
MODULES = {
    "loadtxt": "numpy",
    "fromfile": "numpy",
    "pandas": "pandas",
    "polars": "polars",
    "pyarrow": "pyarrow.csv",
    "duckdb": "duckdb",
    "stringzilla": "stringzilla",
    "fastio": "fastio",
}


def main() -> None:
    name = sys.argv[1]
    run, answer = JOBS[name]
    for word, module in MODULES.items():
        if word in name and not name.startswith("start_"):
            __import__(module)
    print("ready", flush=True)
    cpu_time = os.environ.get("BENCH_CPU_TIME") and not name.startswith(("start_", "count_wc"))
    clock = time.process_time if cpu_time else time.perf_counter
    repeat = 1000 if name.startswith("slurp_") and os.path.getsize(PATH) < 1 << 20 else 1
    for line in sys.stdin:
        gc.collect()
        started = clock()
        for _ in range(repeat):
            result = None  # the last result is gone before the next one is made
            result = run()
        seconds = (clock() - started) / repeat
        text = answer(result) if line == "check\n" else ""
        del result
        print(f"{seconds:.9f}\t{text}", flush=True)


if __name__ == "__main__":
    main()
