"""What the C library exports by the Arrow C Data Interface, as PyArrow and Polars import it.

Columns are made over the buffers of PyArrow's own arrays, so that these are the reference.
"""

from __future__ import annotations

import ctypes as c
import datetime as dt
import functools
import gc
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from conftest import program


class Bytes(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]


class Column(c.Structure):
    pass


Column._fields_ = [
    ("type", c.c_int), ("length", c.c_uint64), ("null_count", c.c_uint64), ("validity", c.c_void_p),
    ("offsets", c.c_void_p), ("data", c.c_void_p), ("data_size", c.c_uint64), ("row_items", c.c_uint64),
    ("dictionary", c.POINTER(Column)),
]


class Table(c.Structure):
    _fields_ = [
        ("rows", c.c_uint64), ("column_count", c.c_size_t), ("columns", c.c_void_p), ("names", c.c_void_p),
        ("report", c.c_void_p), ("start", c.c_uint64), ("end", c.c_uint64), ("first_row", c.c_uint64),
    ]


@functools.cache
def library() -> c.CDLL:
    lib = c.CDLL(program("libfastio.so"))
    lib.fastio_type_from_name.argtypes = [c.c_char_p]
    lib.fastio_column_free.argtypes = lib.fastio_table_free.argtypes = [c.c_void_p]
    lib.fastio_column_export_array.argtypes = lib.fastio_table_export_array.argtypes = [
        c.c_void_p, c.c_uint64, c.c_uint64, c.c_void_p, c.c_void_p]
    lib.fastio_table_export_stream.argtypes = lib.fastio_table_export_array.argtypes
    lib.fastio_column_export_schema.argtypes = lib.fastio_table_export_schema.argtypes = [
        c.c_void_p, c.c_void_p, c.c_void_p]
    return lib


def check(status: int) -> None:
    assert status == 0


def day(n: int) -> dt.date:
    return dt.date(1969, 12, 1) + dt.timedelta(days=n)


def moment(n: int, zone: dt.tzinfo | None = None) -> dt.datetime:
    return dt.datetime(1969, 12, 31, 23, 59, tzinfo=zone) + dt.timedelta(seconds=n)


NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
N = 71  # neither a multiple of eight nor less than a word of bits


def with_nulls(values: list[Any]) -> list[Any]:
    return [None if i % 7 == 3 or i in (0, 40, 41, 42) else value for i, value in enumerate(values)]


def arrays() -> dict[str, pa.Array]:
    """One array for each of the library's types."""
    found = {name: pa.array(with_nulls([i * 3 % 100 for i in range(N)]), type=getattr(pa, name)())
             for name in NUMBERS}
    texts = with_nulls(["" if i % 5 == 0 else "äß" * (i % 4) + str(i % 9) for i in range(N)])
    return found | {
        "string": pa.array(texts, type=pa.large_string()),
        "binary": pa.array([None if t is None else t.encode("utf-16") for t in texts], type=pa.large_binary()),
        "bool": pa.array(with_nulls([i % 3 == 0 for i in range(N)])),
        "date": pa.array(with_nulls([day(i) for i in range(N)]), type=pa.date32()),
        "time": pa.array(with_nulls([dt.time(i % 24, i % 60, 7, i) for i in range(N)]), type=pa.time64("ns")),
        "timestamp[ns]": pa.array(with_nulls([moment(i) for i in range(N)]), type=pa.timestamp("ns")),
        "timestamp[ns, UTC]": pa.array(with_nulls([moment(i, dt.timezone.utc) for i in range(N)]),
                                       type=pa.timestamp("ns", tz="UTC")),
        "dictionary": pa.array(texts, type=pa.large_string()).dictionary_encode(),
    }


ARRAYS = arrays()


def address(buffer: pa.Buffer | None) -> int | None:
    return None if buffer is None else buffer.address


def new_column(name: str, array: pa.Array) -> int:
    """A column over the array's memory, which must outlive it."""
    lib = library()
    view = Column(type=lib.fastio_type_from_name(name.encode()), length=len(array), null_count=array.null_count)
    words = None
    if name == "dictionary":
        words = new_column("string", array.dictionary)
        view.dictionary = c.cast(words, c.POINTER(Column))
        array = array.indices
    buffers = array.buffers()
    view.validity, view.data = address(buffers[0]), address(buffers[-1])
    view.data_size = buffers[-1].size
    if len(buffers) == 3:
        view.offsets = address(buffers[1])
    out = c.c_void_p()
    check(lib.fastio_column_new(c.byref(view), None, None, None, c.byref(out), None))
    lib.fastio_column_free(words)  # the column has its own share
    assert out.value is not None
    return out.value


def new_table(arrays: dict[str, pa.Array]) -> int:
    lib = library()
    columns = (c.c_void_p * len(arrays))(*(new_column(name, array) for name, array in arrays.items()))
    texts = [name.encode() for name in arrays]
    names = (Bytes * len(texts))(*(Bytes(c.cast(c.c_char_p(text), c.c_void_p), len(text)) for text in texts))
    view = Table(rows=len(next(iter(arrays.values()))), column_count=len(texts), columns=c.addressof(columns),
                 names=c.addressof(names))
    out = c.c_void_p()
    check(lib.fastio_table_new(c.byref(view), None, c.byref(out), None))
    assert out.value is not None
    return out.value


class Struct:
    """Room for one of Arrow's structs: 80 bytes are enough for each."""

    def __init__(self) -> None:
        self.room = (c.c_uint64 * 10)()
        self.address = c.addressof(self.room)


def expected(name: str, array: pa.Array) -> pa.Array:
    return array if name != "dictionary" else array.cast(pa.dictionary(pa.int32(), pa.large_string()))


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize(("start", "length"), [(0, N), (0, 1), (3, 20), (8, 16), (13, N - 13), (N, 0)])
def test_columns(name: str, start: int, length: int) -> None:
    lib, array, schema = library(), Struct(), Struct()
    column = new_column(name, ARRAYS[name])
    check(lib.fastio_column_export_schema(column, schema.address, None))
    check(lib.fastio_column_export_array(column, start, length, array.address, None))
    lib.fastio_column_free(column)
    got = pa.Array._import_from_c(array.address, schema.address)
    got.validate(full=True)
    due = expected(name, ARRAYS[name]).slice(start, length)
    assert got.type == due.type and got.null_count == due.null_count
    assert got.equals(due)


def test_columns_without_nulls() -> None:
    lib, array, schema = library(), Struct(), Struct()
    due = pa.array([True, False] * 20)
    column = new_column("bool", due)
    check(lib.fastio_column_export_schema(column, schema.address, None))
    check(lib.fastio_column_export_array(column, 1, 30, array.address, None))
    lib.fastio_column_free(column)
    got = pa.Array._import_from_c(array.address, schema.address)
    assert got.null_count == 0 and got.equals(due.slice(1, 30))


def reference() -> pa.Table:
    return pa.table({name: expected(name, array) for name, array in ARRAYS.items()})


@pytest.mark.parametrize(("start", "length"), [(0, N), (5, 33), (N, 0)])
def test_tables(start: int, length: int) -> None:
    lib, array, schema = library(), Struct(), Struct()
    table = new_table(ARRAYS)
    check(lib.fastio_table_export_schema(table, schema.address, None))
    check(lib.fastio_table_export_array(table, start, length, array.address, None))
    lib.fastio_table_free(table)
    got = pa.RecordBatch._import_from_c(array.address, schema.address)
    got.validate(full=True)
    assert pa.Table.from_batches([got]).equals(reference().slice(start, length))


def test_a_column_outlives_its_table() -> None:
    """PyArrow takes the children out of the struct; one of them may be all that is kept."""
    lib, array, schema = library(), Struct(), Struct()
    table = new_table(ARRAYS)
    check(lib.fastio_table_export_schema(table, schema.address, None))
    check(lib.fastio_table_export_array(table, 0, N, array.address, None))
    lib.fastio_table_free(table)
    kept = pa.RecordBatch._import_from_c(array.address, schema.address).column("dictionary")
    gc.collect()
    assert kept.equals(expected("dictionary", ARRAYS["dictionary"]))


class Exporter:
    """What consumers ask for a stream."""

    def __init__(self, start: int, length: int) -> None:
        self.start, self.length = start, length

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        lib = library()
        self.stream = Struct()
        table = new_table(ARRAYS)
        check(lib.fastio_table_export_stream(table, self.start, self.length, self.stream.address, None))
        lib.fastio_table_free(table)
        new = c.pythonapi.PyCapsule_New
        new.restype, new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
        return new(self.stream.address, b"arrow_array_stream", None)


@pytest.mark.parametrize(("start", "length"), [(0, N), (5, 33), (N, 0)])
def test_streams(start: int, length: int) -> None:
    got = pa.table(Exporter(start, length))
    got.validate(full=True)
    assert got.equals(reference().slice(start, length))


def test_streams_into_polars() -> None:
    got = pl.DataFrame(Exporter(2, 60))
    due = pl.from_arrow(reference().slice(2, 60))
    assert isinstance(due, pl.DataFrame)
    assert got.equals(due) and got.schema == due.schema


# ---- streams of a reader ----


def open_reader(text: bytes, batch_rows: int) -> tuple[c.c_void_p, Struct]:
    """The source, to be closed behind the stream, and the stream."""
    lib, stream = library(), Struct()
    source, csv = c.c_void_p(), c.c_void_p()
    check(lib.fastio_source_memory(text, c.c_size_t(len(text)), None, c.byref(source), None))
    options = (c.c_uint64 * 200)()  # more than the struct takes
    lib.fastio_csv_options_init(options)
    options[5] = batch_rows
    check(lib.fastio_csv_open(source, options, c.byref(csv), None))
    check(lib.fastio_csv_export_stream(csv, c.c_void_p(stream.address), None))
    return source, stream


@pytest.mark.parametrize("batch_rows", [0, 1, 2, 3, 100])
def test_reader_as_a_stream(batch_rows: int) -> None:
    source, stream = open_reader(b"n,s\n1,x\n2,\n3,z\n4,w\n5,v\n", batch_rows)
    got = pa.RecordBatchReader._import_from_c(stream.address).read_all()
    library().fastio_source_close(source)
    got.validate(full=True)
    due = pa.table({"n": pa.array([1, 2, 3, 4, 5]), "s": pa.array(["x", None, "z", "w", "v"], type=pa.large_string())})
    assert got.equals(due)
    assert got.column("n").num_chunks == (-(-5 // batch_rows) if batch_rows else 1)


def test_reader_without_records() -> None:
    source, stream = open_reader(b"n,s\n", 0)
    got = pa.RecordBatchReader._import_from_c(stream.address).read_all()
    library().fastio_source_close(source)
    assert got.num_rows == 0 and got.column_names == ["n", "s"]


def test_errors_of_a_reader() -> None:
    """A text with the place, for whoever has no fastio_error."""
    source, stream = open_reader(b"n,s\n1,x\n2,y\nthree,z\n", 2)
    batches = pa.RecordBatchReader._import_from_c(stream.address)
    assert batches.read_next_batch().num_rows == 2
    with pytest.raises(pa.ArrowInvalid, match=r"'three' \(line 4, column 1, record 3, field 1 'n', offset 12\)"):
        batches.read_next_batch()
    del batches
    gc.collect()
    library().fastio_source_close(source)
