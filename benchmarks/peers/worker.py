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
def ints_gzip_builtin() -> Any:
    import gzip

    with gzip.open(PATH) as file:
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


# ---- tables ----

# The columns of the numeric tables are named i0, f1, i2, ... for integers and floats.
NUMERIC = {
    "csv_numeric": "if" * 5,
    "csv_stream": "if" * 5,
    "csv_wide": "if" * 10,
    "words": "if" * 3,
    "points": "ff",
}
TWO = ["f9", "i16"]  # of the twenty


def columns(ints: str, floats: str) -> dict[str, str]:
    """The types of the file's columns, by name, as the peer calls them."""
    kinds = NUMERIC[pathlib.Path(PATH).stem.removesuffix("_1g").removesuffix("_small")]
    return {f"{k}{i}": ints if k == "i" else floats for i, k in enumerate(kinds)}


def table_sum(table: Any) -> str:
    """Rows and the sums of all integers, of all floats, of the strings' lengths and of the days."""
    import pyarrow
    import pyarrow.compute as compute

    table = pyarrow.table(table)
    sums: dict[str, Any] = {"ints": 0, "floats": 0.0, "bytes": 0, "days": 0}
    for column in table.columns:
        if pyarrow.types.is_integer(column.type):
            sums["ints"] += compute.sum(column).as_py()
        elif pyarrow.types.is_floating(column.type):
            sums["floats"] += compute.sum(column).as_py()
        elif pyarrow.types.is_date32(column.type):
            sums["days"] += compute.sum(column.cast("int32").cast("int64")).as_py()
        elif pyarrow.types.is_timestamp(column.type):  # pandas has no dates
            sums["days"] += compute.sum(column.cast("date32").cast("int32").cast("int64")).as_py()
        else:
            text = column.cast("large_string")  # from Polars come views
            sums["bytes"] += compute.sum(compute.binary_length(text)).as_py()
    return f"{table.num_rows} {sums['ints']} {sums['floats']:.17g} {sums['bytes']} {sums['days']}"


def lists_sum(lists: Any) -> str:
    ints = sum(sum(values) for values in lists if isinstance(values[0], int))
    floats = sum(sum(values) for values in lists if isinstance(values[0], float))
    return f"{len(lists[0])} {ints} {floats:.17g}"


def array_sum(array: Any) -> str:
    return f"{len(array)} 0 {array.sum():.17g}"


def structured_sum(array: Any) -> str:
    return lists_sum([array[name].tolist() for name in array.dtype.names])


def pandas_sum(frame: Any) -> str:
    import pyarrow

    frame = frame.astype({n: "Int64" for n in ("count",) if n in frame.columns})
    return table_sum(pyarrow.Table.from_pandas(frame, preserve_index=False))


def fastio_table(**options: Any) -> Any:
    import fastio

    return fastio.read_csv(PATH, threads=OWN_THREADS, **options)


def polars_table(**options: Any) -> Any:
    import polars

    return polars.read_csv(PATH, **options)


def pyarrow_table(**convert: Any) -> Any:
    from pyarrow import csv

    return csv.read_csv(
        PATH,
        read_options=csv.ReadOptions(use_threads=THREADS != 1),
        convert_options=csv.ConvertOptions(**convert),
    )


def duckdb_query(query: str) -> Any:
    import duckdb

    with duckdb.connect(config={"threads": THREADS} if THREADS else {}) as connection:
        return connection.sql(query, params=[PATH]).to_arrow_table()


def duckdb_numeric(selection: str) -> Any:
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns("BIGINT", "DOUBLE").items())
    options = f"header=true, auto_detect=false, columns={{{types}}}"
    return duckdb_query(f"SELECT {selection} FROM read_csv(?, {options})")


@job(table_sum)
def numeric_fastio() -> Any:
    return fastio_table(dtype=columns("int64", "float64"))


@job(table_sum)
def numeric_inferred_fastio() -> Any:
    return fastio_table()


@job(table_sum)
def numeric_polars() -> Any:
    import polars

    types = {"int64": polars.Int64, "float64": polars.Float64}
    schema = {name: types[kind] for name, kind in columns("int64", "float64").items()}
    return polars_table(schema=schema)


@job(table_sum)
def numeric_pyarrow() -> Any:
    return pyarrow_table(column_types=columns("int64", "float64"))


@job(table_sum)
def numeric_duckdb() -> Any:
    return duckdb_numeric("*")


@job(pandas_sum)
def numeric_pandas_c() -> Any:
    import pandas

    return pandas.read_csv(PATH, engine="c", dtype=columns("int64", "float64"))


@job(pandas_sum)
def numeric_pandas_pyarrow() -> Any:
    import pandas

    return pandas.read_csv(PATH, engine="pyarrow", dtype=columns("int64", "float64"))


@job(structured_sum)
def numeric_loadtxt() -> Any:
    import numpy

    dtype = list(columns("i8", "f8").items())
    return numpy.loadtxt(PATH, delimiter=",", skiprows=1, dtype=dtype)


@job(lists_sum)
def numeric_builtin() -> Any:
    import csv

    kinds = [int if kind == "int" else float for kind in columns("int", "float").values()]
    with open(PATH, newline="") as file:
        records = csv.reader(file)
        next(records)
        return [list(map(kind, cells)) for kind, cells in zip(kinds, zip(*records))]


@job(table_sum)
def mixed_fastio() -> Any:
    return fastio_table()


@job(table_sum)
def mixed_polars() -> Any:
    return polars_table(try_parse_dates=True)


@job(table_sum)
def mixed_pyarrow() -> Any:
    return pyarrow_table()


@job(table_sum)
def mixed_duckdb() -> Any:
    return duckdb_query("SELECT * FROM read_csv(?)")


@job(pandas_sum)
def mixed_pandas_c() -> Any:
    import pandas

    # Only what is empty is missing for the others, too; for pandas so are "nan" and the like.
    options = {"keep_default_na": False, "na_values": [""], "parse_dates": ["day"]}
    return pandas.read_csv(PATH, engine="c", **options)


@job(array_sum)
def loadtxt_fastio() -> Any:
    import fastio

    return fastio.loadtxt(PATH, skiprows=1)


@job(array_sum)
def loadtxt_numpy() -> Any:
    import numpy

    return numpy.loadtxt(PATH, skiprows=1)


@job(array_sum)
def loadtxt_pandas() -> Any:
    import pandas

    return pandas.read_csv(PATH, engine="c", sep=" ", dtype="float64").to_numpy()


@job(table_sum)
def words_fastio() -> Any:
    return fastio_table(sep=None, dtype=columns("int64", "float64"))


@job(pandas_sum)
def words_pandas_c() -> Any:
    import pandas

    return pandas.read_csv(PATH, engine="c", sep=r"\s+", dtype=columns("int64", "float64"))


@job(structured_sum)
def words_loadtxt() -> Any:
    import numpy

    return numpy.loadtxt(PATH, skiprows=1, dtype=list(columns("i8", "f8").items()))


@job(table_sum)
def wide_fastio() -> Any:
    return fastio_table(dtype=columns("int64", "float64"))


@job(table_sum)
def usecols_fastio() -> Any:
    return fastio_table(dtype=columns("int64", "float64"), usecols=TWO)


@job(table_sum)
def usecols_polars() -> Any:
    return polars_table(columns=TWO)


@job(table_sum)
def usecols_pyarrow() -> Any:
    return pyarrow_table(include_columns=TWO)


@job(table_sum)
def usecols_duckdb() -> Any:
    return duckdb_numeric(", ".join(TWO))


@job(number)
def count_rows_fastio() -> Any:
    import fastio

    with fastio.open_csv(PATH, threads=OWN_THREADS) as reader:
        return len(reader)


@job(size)
def partition_fastio() -> Any:
    import fastio

    return fastio.partition(PATH, 16, threads=OWN_THREADS)


@job(number)
def count_rows_polars() -> Any:
    import polars

    return polars.scan_csv(PATH).select(polars.len()).collect().item()


@job(number)
def count_rows_duckdb() -> Any:
    return duckdb_query("SELECT count(*) AS n FROM read_csv(?)")["n"][0].as_py()


@job(number)
def count_rows_builtin() -> Any:
    import csv

    with open(PATH, newline="") as file:
        return sum(1 for _ in csv.reader(file)) - 1


# How often the file is repeated; the group's `times` says so too.
STREAMED = 200 if PATH.endswith(".gz") else 100


def stream(make_source: Callable[[Any], Any]) -> Any:
    """Reads the repeated file batch by batch: rows, the most memory, and that after a tenth."""
    import fastio

    repeat = pathlib.Path(__file__).with_name("repeat.py")
    command = [sys.executable, str(repeat), PATH, str(STREAMED)]
    rows, early = 0, 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
        for batch in fastio.open_csv(make_source(process.stdout), threads=OWN_THREADS):
            rows += len(batch)
            if early == 0 and rows > 1_000_000:
                early = peak_memory()
    return f"{rows} {peak_memory()} {early}"


@job(str)
def stream_fastio_pipe() -> Any:
    return stream(lambda file: file.fileno())


@job(str)
def stream_fastio_object() -> Any:
    return stream(lambda file: file)


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
