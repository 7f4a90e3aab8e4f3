"""Random tables against Python's csv module, its int, float and datetime, and a naive model of the dialects.

All through the C driver, in several configurations, and with every instruction set in the plain one.
"""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from harness import Config, Driver, Typed, Vector
from table_model import Dialect, Request
from test_properties import check

CONFIGS = [
    Config(),
    Config(simd="scalar", block=1),
    Config(block=2, threads=2, source="device"),
    Config(block=3),
    Config(block=7, threads=3),
    Config(block=16, threads=5),
    Config(block=64, threads=2),
    Config(block=5, threads=2, source="device"),
]


def answers(driver: Driver, *vectors: Vector) -> None:
    check(driver, [dataclasses.replace(vector, id=f"t{i}") for i, vector in enumerate(vectors)], CONFIGS)


# ---- What csv.writer writes is what is read ------------------------------------------------------

CELLS = st.text(st.one_of(st.sampled_from('",;\t\n\r \'#x1'), st.characters(codec="utf-8", exclude_characters="\0")),
                max_size=12)


@st.composite
def string_tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 5))
    return draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=25))


def columns_of(rows: list[list[str]]) -> dict[str, Typed]:
    return {f"column_{i + 1}": Typed("string", list(column)) for i, column in enumerate(zip(*rows))}


def written(rows: list[list[str]], **dialect: Any) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, **dialect).writerows(rows)
    return out.getvalue().encode()


STRINGS = {"header": False, "dtype": "string", "null_values": []}


# With "\n" alone as the line's end csv.writer leaves a "\r" without quotes, unless everything has some.
WAYS_TO_QUOTE = [("\r\n", csv.QUOTE_MINIMAL), ("\r\n", csv.QUOTE_ALL), ("\n", csv.QUOTE_ALL)]


@given(string_tables(), st.sampled_from(",;\t|"), st.sampled_from("\"'"), st.sampled_from(WAYS_TO_QUOTE))
def test_csv_writer(c_driver: Driver, rows: list[list[str]], sep: str, quote: str, way: tuple[str, int]) -> None:
    """Any text in any dialect of csv.writer, which writes a lone empty cell as ""."""
    text = written(rows, delimiter=sep, quotechar=quote, lineterminator=way[0], quoting=way[1])
    assert list(csv.reader(io.StringIO(text.decode(), newline=""), delimiter=sep, quotechar=quote)) == rows
    answers(c_driver, Vector("", "read_csv", {**STRINGS, "sep": sep, "quote": quote}, text, result=columns_of(rows)))


@given(string_tables(), st.sampled_from(",;"), st.sampled_from("\\^"))
def test_csv_writer_with_escapes(c_driver: Driver, rows: list[list[str]], sep: str, escape: str) -> None:
    text = written(rows, delimiter=sep, escapechar=escape, doublequote=False)
    options = {**STRINGS, "sep": sep, "escape": escape, "doublequote": False}
    answers(c_driver, Vector("", "read_csv", options, text, result=columns_of(rows)))


@given(string_tables(), st.data())
def test_quoted_newlines_anywhere(c_driver: Driver, rows: list[list[str]], data: st.DataObject) -> None:
    """Cells that look like records, in quotes; batches cut between records only."""
    for row in rows:
        i = data.draw(st.integers(0, len(row) - 1))
        row[i] = data.draw(st.sampled_from(['\n"x,\n,', "a\n\nb", '"\n"', "1,2\n3,4"]))
    text = written(rows)
    size = data.draw(st.integers(1, 5))
    batches = [columns_of(rows[i : i + size]) for i in range(0, len(rows), size)]
    answers(
        c_driver,
        Vector("", "read_csv", STRINGS, text, result=columns_of(rows)),
        Vector("", "open_csv", {**STRINGS, "batch_rows": size}, text, result=batches),
    )


# ---- Values and types ----------------------------------------------------------------------------


def iso_moment(moment: datetime.datetime) -> str:
    return moment.isoformat(" ")


def nanoseconds(moment: datetime.datetime) -> int:
    return (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1) * 1000


MOMENTS = st.datetimes(datetime.datetime(1678, 1, 1), datetime.datetime(2262, 1, 1))
DAYS = st.dates()
EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
# For each kind: values, how they are written, the type of the column that they make, how it holds them.
KINDS: dict[str, tuple[st.SearchStrategy[Any], Any, str, Any]] = {
    "int": (st.integers(-(2**63), 2**63 - 1), str, "int64", int),
    "small": (st.integers(-99, 99), str, "int64", int),
    "float": (st.floats(allow_nan=False, allow_infinity=False), repr, "float64", float),
    "decimal": (st.decimals(-10**6, 10**6, places=3), str, "float64", float),
    "bool": (st.booleans(), lambda v: str(v).upper(), "bool", bool),
    "date": (DAYS, datetime.date.isoformat, "date", lambda v: v.toordinal() - EPOCH_DAY),
    "moment": (MOMENTS, iso_moment, "timestamp[ns]", nanoseconds),
    "zone": (MOMENTS, lambda v: v.isoformat() + "Z", "timestamp[ns, UTC]", nanoseconds),
    "text": (st.text("abz äß_", min_size=1, max_size=9).filter(str.strip), str, "string", str),
}


@st.composite
def typed_columns(draw: st.DrawFn) -> tuple[list[str], dict[str, Typed]]:
    """The texts of the records, and the table that they make."""
    rows = draw(st.integers(1, 30))
    texts, table = [], {}
    for i in range(draw(st.integers(1, 6))):
        values, write, type_name, hold = KINDS[draw(st.sampled_from(sorted(KINDS)))]
        given_values = draw(st.lists(st.one_of(st.none(), values) if i else values, min_size=rows, max_size=rows))
        if all(value is None for value in given_values):
            given_values[0] = draw(values)
        texts.append(["" if value is None else write(value) for value in given_values])
        table[f"c{i}"] = Typed(type_name, [None if value is None else hold(value) for value in given_values])
    return [",".join(row) for row in zip(*texts)], table


@given(typed_columns(), st.booleans())
def test_types_and_values(c_driver: Driver, columns: tuple[list[str], dict[str, Typed]], explicit: bool) -> None:
    """Inferred or given, from integers, floats, dates and so on as Python writes them."""
    records, table = columns
    text = "\n".join([",".join(table), *records]).encode()
    options = {"dtype": {name: column.type for name, column in table.items()}} if explicit else {}
    answers(c_driver, Vector("", "read_csv", options, text, result=table))


@given(typed_columns(), st.data())
def test_ranges_are_the_whole(c_driver: Driver, columns: tuple[list[str], dict[str, Typed]],
                              data: st.DataObject) -> None:
    """Ranges cut anywhere give each record once."""
    records, table = columns
    text = "\n".join([",".join(table), *records, ""]).encode()
    options = {"dtype": {name: column.type for name, column in table.items()}}
    cut = data.draw(st.integers(0, len(text)))
    starts = [len(",".join(table)) + 1]
    for record in records:
        starts.append(starts[-1] + len(record.encode()) + 1)
    before = sum(start < cut for start in starts[:-1])
    answers(
        c_driver,
        Vector("", "read_csv", {**options, "length": cut}, text, result=rows_of(table, 0, before)),
        Vector("", "read_csv", {**options, "offset": cut}, text, result=rows_of(table, before, len(records))),
    )


PART = re.compile(r"(\d+)\+(\d+):\d+\{x[0-9a-f]+:string\[([^]]*)\]")


@given(string_tables(), st.integers(1, 9), st.sampled_from(["parts", "bytes"]))
def test_partition(c_driver: Driver, rows: list[list[str]], count: int, way: str) -> None:
    """Parts follow each other, none is empty, they hold each record once, and depend on nothing but the text."""
    text = written(rows)
    vector = Vector("t", "partition", {**STRINGS, way: count}, text, result=[])
    given_parts = {tuple(c_driver.ask([vector.line()], config)) for config in CONFIGS if config.source == "memory"}
    assert len(given_parts) == 1
    parts = PART.findall(given_parts.pop()[0])
    ends = [0, *(int(offset) + int(length) for offset, length, _ in parts)]
    assert [int(offset) for offset, _, _ in parts] == ends[:-1] and ends[-1] == len(text)
    assert all(int(length) > 0 for _, length, _ in parts) and (way == "bytes" or len(parts) <= count)
    texts = [text for _, _, column in parts for text in column.split(" ")]
    assert texts == [f"x{row[0].encode().hex()}" for row in rows]


def rows_of(table: dict[str, Typed], start: int, end: int) -> dict[str, Typed]:
    return {name: Typed(column.type, column.values[start:end]) for name, column in table.items()}


# ---- Anything at all, against the model ----------------------------------------------------------

PIECES = [b"1", b"23", b"-", b".5", b"x", b",", b",", b'"', b'""', b"\n", b"\n", b"\r\n", b" ", b"\r", b"#", b";",
          b"\\", b"'", b"NA", b"\t", "é".encode(), b"true", b"2024-02-29"]
BYTES = st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join)
SMALL_CELLS = st.sampled_from([b"1", b"-2", b"3.5", b"x", b"", b'"a,b"', b'"p\nq"', b'"r""s"', b"NA", b" 7 "])
SMALL_RECORDS = st.lists(SMALL_CELLS, min_size=3, max_size=3).map(b",".join)
SMALL_TABLES = st.lists(SMALL_RECORDS, max_size=20).map(b"\n".join)
DIALECTS = st.builds(
    Dialect,
    sep=st.sampled_from([",", ",", ",", ";", None, ",;", "\t"]),
    quote=st.sampled_from(['"', '"', "'", None]),
    quote_mode=st.sampled_from(["strict", "strict", "literal"]),
    escape=st.sampled_from([None, None, "\\"]),
    doublequote=st.sampled_from([True, True, False]),
    newline=st.sampled_from(["lf", "lf", "any"]),
    comment=st.sampled_from([None, None, "#"]),
    trim=st.booleans(),
    trailing_sep=st.sampled_from(["field", "field", "ignore"]),
    blank_lines=st.sampled_from(["skip", "skip", "record"]),
).filter(lambda d: not (d.sep is None and d.trailing_sep == "ignore"))


@st.composite
def corrupted(draw: st.DrawFn) -> bytes:
    """A good table with a few bytes put in, taken out or changed."""
    data = bytearray(b"a,b,c\n" + draw(SMALL_TABLES))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        wrong = draw(st.sampled_from([b'"', b",", b"\n", b"", b"\xff", b"\0", b"5", b"\r"]))
        data[at : at + draw(st.integers(0, 2))] = wrong
    return bytes(data)


REQUESTS = st.builds(
    Request,
    dialect=st.just(Dialect()),
    header=st.booleans(),
    dtype=st.sampled_from([None, None, "string", "int64", "float64"]),
    null_values=st.sampled_from([("",), ("", "NA"), ("NA",)]),
    quoted_null=st.booleans(),
    on_ragged=st.sampled_from(["error", "error", "pad", "truncate", "fit", "skip"]),
    on_bad=st.sampled_from(["error", "null"]),
    max_rows=st.sampled_from([None, None, None, 2, 5]),
    skip_rows=st.sampled_from([0, 0, 1]),
)


@given(corrupted(), REQUESTS)
def test_corrupted_tables(c_driver: Driver, data: bytes, request: Request) -> None:
    """The same table or the same first error as the model's, for every configuration."""
    answers(c_driver, request.vector("", data))


@given(BYTES, DIALECTS, st.sampled_from(["error", "fit", "skip"]))
@example(b'a,"b\n', Dialect(), "error")
def test_any_dialect(c_driver: Driver, data: bytes, dialect: Dialect, on_ragged: str) -> None:
    request = Request(dialect, header=False, dtype="string", null_values=(), on_ragged=on_ragged)
    answers(c_driver, request.vector("", data))


@given(BYTES, st.sampled_from(["error", "pad", "skip"]), st.booleans())
def test_any_bytes_inferred(c_driver: Driver, data: bytes, on_ragged: str, trim: bool) -> None:
    answers(c_driver, Request(Dialect(trim=trim), header=False, on_ragged=on_ragged).vector("", data))
