"""The Python benchmark worker that writes (see worker.h for the protocol).

usage: write_worker.py JOB FILE [THREADS]    (THREADS 0: all cores)

A job is a pair of functions: one that makes what is written, before the clock starts, and one that
writes it to a path, which is fresh each time. BENCH_OUT names the directory.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = sys.argv[2]
THREADS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
OWN_THREADS = THREADS or None  # as fastio spells it
COUNT = 10_000_000
TARGET = Path(os.environ.get("BENCH_OUT", "/tmp")) / f"bench-write-{os.getpid()}"

Maker = Callable[[], Any]
Writer = Callable[[Any, str], None]
JOBS: dict[str, tuple[Maker, Writer, bool]] = {}


def job(make: Maker, same_bytes: bool = False) -> Callable[[Writer], Writer]:
    """`same_bytes`: all jobs of a group write the same bytes; else only their rows are compared."""

    def register(function: Writer) -> Writer:
        JOBS[function.__name__] = (make, function, same_bytes)
        return function

    return register


# ---- integers ----


def integers() -> Any:
    import numpy

    return numpy.arange(COUNT)


@job(integers, same_bytes=True)
def ints_fastio(values: Any, path: str) -> None:
    import fastio

    fastio.write_ints(path, values, sep="\n", threads=OWN_THREADS)


@job(lambda: range(COUNT), same_bytes=True)
def ints_fastio_each(values: Any, path: str) -> None:
    import fastio

    with fastio.open(path, "w") as out:
        write_int, write = out.write_int, out.write
        for value in values:
            write_int(value)
            write("\n")


@job(lambda: range(COUNT), same_bytes=True)
def ints_builtin(values: Any, path: str) -> None:
    with open(path, "w") as out:
        for value in values:
            out.write(f"{value}\n")


@job(integers, same_bytes=True)
def ints_join(values: Any, path: str) -> None:
    with open(path, "w") as out:
        out.write("\n".join(map(str, values.tolist())))
        out.write("\n")


@job(integers, same_bytes=True)
def ints_savetxt(values: Any, path: str) -> None:
    import numpy

    numpy.savetxt(path, values, fmt="%d")


@job(integers, same_bytes=True)
def ints_tofile(values: Any, path: str) -> None:
    values.tofile(path, sep="\n")
    with open(path, "a") as out:
        out.write("\n")


# ---- two columns of floats ----


def points() -> Any:
    import fastio

    return fastio.loadtxt(SOURCE, skiprows=1)


@job(points, same_bytes=True)
def savetxt_fastio(array: Any, path: str) -> None:
    import fastio

    fastio.savetxt(path, array)


@job(points, same_bytes=True)
def savetxt_numpy(array: Any, path: str) -> None:
    import numpy

    numpy.savetxt(path, array)


# ---- tables ----


def arrow() -> Any:
    from pyarrow import csv

    return csv.read_csv(SOURCE)


def polars_frame() -> Any:
    import polars

    return polars.from_arrow(arrow(), rechunk=True)


def pandas_frame() -> Any:
    return arrow().to_pandas()


def table() -> Any:
    import fastio

    return fastio.read_csv(SOURCE)


@job(table)
def table_fastio(data: Any, path: str) -> None:
    import fastio

    fastio.write_csv(path, data, threads=OWN_THREADS)


@job(arrow)
def table_fastio_arrow(data: Any, path: str) -> None:
    import fastio

    fastio.write_csv(path, data, threads=OWN_THREADS)


@job(polars_frame)
def table_polars(data: Any, path: str) -> None:
    data.write_csv(path)


@job(arrow)
def table_pyarrow(data: Any, path: str) -> None:
    import pyarrow
    from pyarrow import csv

    if THREADS:
        pyarrow.set_cpu_count(THREADS)
    csv.write_csv(data, path)


@job(pandas_frame)
def table_pandas(data: Any, path: str) -> None:
    data.to_csv(path, index=False)


@job(arrow)
def table_duckdb(data: Any, path: str) -> None:
    import duckdb

    with duckdb.connect(config={"threads": THREADS or os.cpu_count()}) as connection:
        connection.sql("FROM data").write_csv(path)


def answer(path: Path, same_bytes: bool) -> str:
    """Lines, and, if all write the same bytes, their size and checksum."""
    lines = size = crc = 0
    with open(path, "rb") as file:
        while block := file.read(1 << 24):
            lines += block.count(b"\n")
            size += len(block)
            crc = zlib.crc32(block, crc) if same_bytes else 0
    return f"{lines} {size} {crc}" if same_bytes else f"{lines}"


def main() -> None:
    make, write, same_bytes = JOBS[sys.argv[1]]
    data = make()
    for module in ("numpy", "pandas", "polars", "pyarrow.csv", "duckdb", "fastio"):
        if module.partition(".")[0] in sys.argv[1]:
            __import__(module)
    print("ready", flush=True)
    clock = time.process_time if os.environ.get("BENCH_CPU_TIME") else time.perf_counter
    for line in sys.stdin:
        gc.collect()
        TARGET.unlink(missing_ok=True)
        started = clock()
        write(data, str(TARGET))
        seconds = clock() - started
        text = answer(TARGET, same_bytes) if line == "check\n" else ""
        print(f"{seconds:.9f}\t{text}", flush=True)
        TARGET.unlink()


if __name__ == "__main__":
    main()
