"""Tables: read_csv's words, Table as an object, its conversions, its errors."""

from __future__ import annotations

import copy
import datetime
import gc
import html.parser
import io
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import fastio
import pytest

DATE, TIME, DATETIME = datetime.date, datetime.time, datetime.datetime

TYPED = (
    b"i,u,f,b,s,d,t,ts,utc,cat\n"
    b"1,18446744073709551615,0.5,true,x,2024-02-29,23:59:59.5,2024-02-29T12:00:00.000001,2024-02-29T12:00:00+01:00,red\n"
    b",,,,,,,,,\n"
    b"-3,7,-1e300,false,\xc3\xa9,0001-01-01,00:00,1969-12-31 23:59:59.999999,1677-09-21T00:12:44Z,red\n"
)
ROWS = [
    (1, 2**64 - 1, 0.5, True, "x", DATE(2024, 2, 29), TIME(23, 59, 59, 500000), DATETIME(2024, 2, 29, 12, 0, 0, 1),
     DATETIME(2024, 2, 29, 11, tzinfo=datetime.timezone.utc), "red"),
    (None,) * 10,
    (-3, 7, -1e300, False, "\u00e9", DATE(1, 1, 1), TIME(), DATETIME(1969, 12, 31, 23, 59, 59, 999999),
     DATETIME(1677, 9, 21, 0, 12, 44, tzinfo=datetime.timezone.utc), "red"),
]
DTYPES = {"i": "int64", "u": "uint64", "f": "float64", "b": "bool", "s": "string", "d": "date", "t": "time", "ts": "timestamp[ns]",
          "utc": "timestamp[ns, UTC]", "cat": "dictionary"}


def typed() -> fastio.Table:
    return fastio.read_csv(TYPED, dtype={"cat": "dictionary"})


def read(text: str, **words: Any) -> dict[str, list[Any]]:
    return {name: column.to_list() for name, column in fastio.read_csv(text.encode(), **words).to_dict().items()}


# ---- values


def test_every_type() -> None:
    table = typed()
    assert table.dtypes == DTYPES
    assert list(table) == ROWS
    assert [table[i] for i in range(3)] == ROWS and [table[i] for i in (-3, -2, -1)] == ROWS
    for name, column in table.to_dict().items():
        assert column.dtype == DTYPES[name] and column.null_count == 1
        assert column.to_list() == [column[0], column[1], column[2]] == [row[table.names.index(name)] for row in ROWS]
        assert column.is_null().to_list() == [False, True, False] and column.is_null().dtype == "bool"
        assert column.index(column[2], 1) == (2 if name != "cat" else 2) and column.count(None) == 1
        assert repr(column).startswith(f"<fastio.Column {DTYPES[name]} length=3 [")


def test_days_of_the_calendar() -> None:
    """Against datetime: every first and last of a month, and the limits."""
    days = [DATE(year, month, 1) for year in (1, 4, 100, 400, 1582, 1600, 1899, 1900, 1969, 1970, 1999, 2000, 2024, 9999) for month in range(1, 13)]
    days += [day - datetime.timedelta(1) for day in days if day.toordinal() > 1] + [DATE(9999, 12, 31), DATE(2000, 2, 29)]
    table = fastio.read_csv("\n".join(["d", *map(str, days)]).encode())
    assert table["d"].to_list() == days and table.dtypes == {"d": "date"}
    stamps = [DATETIME(1970, 1, 1) + datetime.timedelta(microseconds=n * 86_399_999_999_999 - 10**15) for n in range(-90, 100)]
    table = fastio.read_csv("\n".join(["d", *map(str, stamps)]).encode())
    assert table["d"].to_list() == stamps


def test_nanoseconds_are_exact_or_an_error() -> None:
    np = pytest.importorskip("numpy")
    table = fastio.read_csv(b"t,s\n00:00:00.000000001,1969-12-31T23:59:59.999999999\n00:00:00.000001,1970-01-01\n")
    for column in table.columns:
        with pytest.raises(ValueError, match="to_numpy"):
            column[0]
        assert column[1] in (TIME(microsecond=1), DATETIME(1970, 1, 1))
    assert table["t"].to_numpy().tolist() == [1, 1000]
    assert table["s"].to_numpy().astype("int64").tolist() == [-1, 0]
    assert "23:59:59.999999999" in repr(table) and "999999999" in table._repr_html_()
    with pytest.raises(ValueError):
        list(table)
    assert np.asarray(table["s"]).dtype == "datetime64[ns]"


def test_column_of_each_type_is_sliced_compared_pickled() -> None:
    table = typed()
    for column in table.columns:
        values = column.to_list()
        for key in (slice(1), slice(1, None), slice(None, None, -1), slice(None, None, 2), slice(5, 9)):
            part = column[key]
            assert part.to_list() == values[key] and part.null_count == values[key].count(None)
            for protocol in (2, 5):
                again = pickle.loads(pickle.dumps(part, protocol))
                assert type(again) is fastio.Column and again.dtype == column.dtype and again.to_list() == values[key]
                assert again == part
            assert copy.copy(part) == part
        assert column == typed()[table.names[table.columns.index(column)]]
        assert column[:1] != column[2:] or column.dtype == "dictionary"
    assert table["cat"] == table["cat"][:] != table["s"]
    assert fastio.read_csv(b"a\nred\n\nred\n", blank_lines="record")["a"] == table["cat"]


def test_dictionary_columns() -> None:
    column = fastio.read_csv(b"a,b\nx,1\ny,2\nx,3\n,4\n", dtype={"a": "dictionary"})["a"]
    assert column.dictionary is not None and column.indices is not None
    assert column.dictionary.to_list() == ["x", "y"] and column.dictionary.dtype == "string"
    assert column[:3].indices.to_list() == [0, 1, 0] and column.indices.dtype == "int32"
    assert column.to_list() == ["x", "y", "x", None]
    plain = fastio.read_csv(b"a\nx\n")["a"]
    assert plain.dictionary is None and plain.indices is None
    both = fastio.read_csv(b"a,b,c\nx,1,y\nx,2,z\n", dictionary=True)
    assert both.dtypes == {"a": "dictionary", "b": "int64", "c": "dictionary"}
    some = fastio.read_csv(b"a,b,c\nx,1,y\nx,2,z\n", dictionary=["c", 1])
    assert some.dtypes == {"a": "string", "b": "dictionary", "c": "dictionary"}


def test_nbytes() -> None:
    table = fastio.read_csv(b"a,b,c,d\n1,xy,true,2024-01-01\n2,z,false,2024-01-01\n")
    assert [column.nbytes for column in table.columns] == [16, 3, 1, 8]
    assert table.nbytes == 28 and table[::-1].nbytes == 28 and table[1:].nbytes == 14


def test_only_numbers_are_buffers() -> None:
    for column in typed().columns:
        if column.dtype in ("int64", "uint64", "float64"):
            memoryview(column[:1])
            continue
        with pytest.raises(BufferError, match="to_numpy"):
            memoryview(column[:1])
        with pytest.raises(BufferError, match="to_numpy"):
            column[:1].__dlpack__()
        assert column != b"x"


# ---- words


@pytest.mark.parametrize(
    "text, words, expected",
    [
        ("a;b\n1;2\n", {"sep": ";"}, {"a": [1], "b": [2]}),
        ("a::b\n1::2\n", {"sep": "::"}, {"a": [1], "b": [2]}),
        ("a\u20acb\n1\u20ac2\n", {"sep": "\u20ac"}, {"a": [1], "b": [2]}),
        ("a\tb\n1\t2\n", {"sep": b"\t"}, {"a": [1], "b": [2]}),
        (" a  b\n  1   2 \n", {"sep": None}, {"a": [1], "b": [2]}),
        ("1,2\n", {"header": False}, {"column_1": [1], "column_2": [2]}),
        ("1,2\n", {"header": False, "names": ["x", "y"]}, {"x": [1], "y": [2]}),
        ("a,b\n1,2\n", {"names": ("x", "y")}, {"x": [1], "y": [2]}),
        ("a,b,c\n1,2,3\n", {"usecols": ["c", "a"]}, {"c": [3], "a": [1]}),
        ("a,b,c\n1,2,3\n", {"usecols": (2, 0)}, {"c": [3], "a": [1]}),
        ("a,b,c\n1,2,3\n", {"usecols": range(1, 3)}, {"b": [2], "c": [3]}),
        ("junk\n\na\n1\n", {"skip_lines": 2}, {"a": [1]}),
        ("a\n1\n2\n3\n", {"skip_rows": 2}, {"a": [3]}),
        ("a\n1\n2\nx,y,z\n", {"max_rows": 2}, {"a": [1, 2]}),
        ("a\n1\n2\n", {"max_rows": 0}, {"a": []}),
        ("a,b\n1,NA\n-,2\n", {"null_values": ["NA", b"-"]}, {"a": [1, None], "b": [None, 2]}),
        ("a,b\n1,NA\n2,-\n", {"null_values": {"b": ["NA", "-"]}}, {"a": [1, 2], "b": [None, None]}),
        ("a,b\n-,-\n", {"null_values": {1: ["-"]}}, {"a": ["-"], "b": [None]}),
        ("a1,a2,b\n-,-,-\n", {"null_values": {"a*": ["-"], "a2": ["x"]}}, {"a1": [None], "a2": ["-"], "b": ["-"]}),
        ('a,b\n"",1\n', {}, {"a": [""], "b": [1]}),
        ('a,b\n"",1\n', {"quoted_null": True}, {"a": [None], "b": [1]}),
        ("a,b\n'x,y',2\n", {"quote": "'"}, {"a": ["x,y"], "b": [2]}),
        ('a,b\n"x,y\n', {"quote": None}, {"a": ['"x'], "b": ["y"]}),
        ('a,b\nx"y,2\n', {"quote_mode": "literal"}, {"a": ['x"y'], "b": [2]}),
        ('a,b\n"x\\"y",2\n', {"escape": "\\"}, {"a": ['x"y'], "b": [2]}),
        ('a,b\n"x""y",2\n', {}, {"a": ['x"y'], "b": [2]}),
        ("a\r1\r2\r", {"newline": "any"}, {"a": [1, 2]}),
        ("a;1;2", {"newline": ";"}, {"a": [1, 2]}),
        ("# x\na\n# y\n1\n", {"comment": "#"}, {"a": [1]}),
        ("a # x\n1# y\n", {"comment": "#", "comment_anywhere": True, "trim": True}, {"a": [1]}),
        ("a , b\n x , 2 \n", {"trim": True}, {"a": ["x"], "b": [2]}),
        ("a,b,\n1,2,\n", {"trailing_sep": "ignore"}, {"a": [1], "b": [2]}),
        ("a\n\n1\n", {}, {"a": [1]}),
        ("a\n\n1\n", {"blank_lines": "record"}, {"a": [None, 1]}),
        ("ab  1\ncd 22\n", {"widths": [2, 3], "header": False}, {"column_1": ["ab", "cd"], "column_2": [1, 22]}),
        ("ab  1\ncd 22\n", {"widths": [(0, 1), (3, 5)], "header": False}, {"column_1": ["a", "c"], "column_2": [1, 22]}),
        ("a;b\n1,5;-2,25\n", {"sep": ";", "decimal": ","}, {"a": [1.5], "b": [-2.25]}),
        ("a;b\n1.234,5;1.000\n", {"sep": ";", "decimal": ",", "thousands": "."}, {"a": [1234.5], "b": [1000]}),
        ("a\n12.5%\n", {"percent": True, "dtype": "float64"}, {"a": [0.125]}),
        ("a\n\u22125\n", {"unicode_minus": True}, {"a": [-5]}),
        ("a\n1\n2\n", {"infer_rows": 0}, {"a": ["1", "2"]}),
        ("a\n1\n2\n", {"infer_rows": 1}, {"a": [1, 2]}),
        (f"a\n{2**64}\n", {}, {"a": [str(2**64)]}),
        (f"a\n{2**64}\n", {"big_ints": "float"}, {"a": [2.0**64]}),
        ("a,,a\n1,2,3\n", {"repair_names": True}, {"a": [1], "column_2": [2], "a_2": [3]}),
        ("a,b\n1\n2,3\n", {"on_ragged": "pad"}, {"a": [1, 2], "b": [None, 3]}),
        ("a,b\n1,2,3\n4,5\n", {"on_ragged": "truncate"}, {"a": [1, 4], "b": [2, 5]}),
        ("a,b\n1,2,3\n4\n", {"on_ragged": "fit"}, {"a": [1, 4], "b": [2, None]}),
        ("a,b\n1,2,3\n4\n5,6\n", {"on_ragged": "skip"}, {"a": [5], "b": [6]}),
        ("a\n1\nx\n", {"dtype": "int8", "on_bad": "null"}, {"a": [1, None]}),
        ("a\n1\nx\n", {"dtype": "int8", "on_bad": "string"}, {"a": ["1", "x"]}),
        ("\ufeffa\n1\n", {}, {"a": [1]}),
    ],
)
def test_words(text: str, words: dict[str, Any], expected: dict[str, list[Any]]) -> None:
    assert read(text, **words) == expected
    assert read(text, dialect=words) == expected
    assert read(text, dialect=fastio.Dialect(**words)) == expected


def test_dtypes() -> None:
    np = pytest.importorskip("numpy")
    text = "a,b,c\n1,2,3\n"
    for dtype, expected in [
        ("int8", ["int8"] * 3),
        (str, ["string"] * 3),
        ("str", ["string"] * 3),
        (np.float32, ["float32"] * 3),
        (np.dtype("U5"), ["string"] * 3),
        (["int8", None, "string"], ["int8", "int64", "string"]),
        (("int8",), ["int8", "int64", "int64"]),
        ({"b": "uint8", 2: "float32"}, ["int64", "uint8", "float32"]),
        ({"c": "int16", "*": "int8"}, ["int8", "int8", "int16"]),
        ({"?": "int8", "zz*": "date"}, ["int8"] * 3),
        ({"a": None}, ["int64"] * 3),
        (np.dtype([("a", "int8"), ("c", "float32")]), ["int8", "int64", "float32"]),
        (None, ["int64"] * 3),
    ]:
        assert list(fastio.read_csv(text.encode(), dtype=dtype).dtypes.values()) == expected, dtype
    for dtype in ("bool", bool, np.bool_, np.dtype("bool")):
        assert read("a\ntrue\nFALSE\n", dtype=dtype) == {"a": [True, False]}
    for dtype, name in [("datetime64[D]", "date"), ("datetime64[ns]", "timestamp[ns]")]:
        assert fastio.read_csv(b"a\n2024-01-01\n", dtype=np.dtype(dtype)).dtypes == {"a": name}
    assert fastio.read_csv(b"a\n01:02\n", dtype=np.dtype("timedelta64[ns]")).dtypes == {"a": "time"}
    for wrong in ("i8", "binary", "datetime", "int", "", "str\0", np.dtype("datetime64[s]"), np.dtype(">i4"), np.dtype("S3"), {"a": "i8"}, ["f8"]):
        with pytest.raises(ValueError, match="dtype|byte order"):
            fastio.read_csv(text.encode(), dtype=wrong)
    for odd in (1, int, object(), b"int8", {b"a": "int8"}, {1.5: "int8"}, {"a": 1}, [1]):
        with pytest.raises(TypeError):
            fastio.read_csv(text.encode(), dtype=odd)
    for missing in ({"d": "int8"}, {3: "int8"}, ["int8"] * 4):
        with pytest.raises(ValueError, match="no such column"):
            fastio.read_csv(text.encode(), dtype=missing)


WRONG_TYPES: dict[str, list[Any]] = {
    "sep": [1, [","]],
    "header": [1, None, "yes"],
    "names": ["ab", b"ab", [1], 5],
    "usecols": ["a", [1.5], [None], [True], 5],
    "skip_lines": [1.0, True],
    "skip_rows": ["1", True],
    "max_rows": [1.5, False],
    "null_values": ["NA", b"NA", [1], 5, {"a": "NA"}, {1.5: ["NA"]}],
    "quote": [1],
    "escape": [1],
    "comment": [1],
    "newline": [None],
    "widths": [5, "ab", [1.5], ["a"], [("a", "b")]],
    "decimal": [None, 1],
    "thousands": [1],
    "infer_rows": ["1"],
    "dictionary": ["a", b"a", 5, [1.5]],
    "range": [5, [0, 1], (1,), (1.5, 2)],
    "dialect": [5, "x", [1]],
    "progress": [1, "x"],
    "threads": [1.5, True],
    "block_size": [True],
}
WRONG_VALUES: dict[str, list[Any]] = {
    "sep": ["", b"", "\n", "a\nb", '"'],
    "names": [["a\0b"], ["a", "a"], [""]],
    "usecols": [["zz"], [7], ["a", "a"], ["a", 0], [-1]],
    "skip_lines": [-1],
    "max_rows": [-1, 2**70],
    "quote": ["ab", "\u00e9", b"\xff", ","],
    "quote_mode": ["loose", None, 1],
    "escape": ["ab", b"\xff", '"'],
    "comment": ["ab", b"\xff", ","],
    "newline": ["crlf", "ab"],
    "trailing_sep": ["x", True, None],
    "blank_lines": ["x", None],
    "widths": [[0], [-1], [(1, 2, 3)], [(3, 3)], [(5, 2)], [(0, 3), (1, 4)], []],
    "decimal": ["", "ab", ",", b"\xff"],
    "thousands": ["ab", ".", b"\xff", "5"],
    "big_ints": ["int", None],
    "overflow": ["x", None],
    "on_ragged": ["x", None, 1],
    "on_bad": ["x", None],
    "range": [(-1, 2)],
    "threads": [0, -1],
    "block_size": [0],
    "comment_anywhere": [True],
}


@pytest.mark.parametrize("word", WRONG_TYPES)
def test_words_of_wrong_types(word: str) -> None:
    for wrong in WRONG_TYPES[word]:
        with pytest.raises(TypeError):
            fastio.read_csv(b"a,b\n1,2\n", **{word: wrong})


@pytest.mark.parametrize("word", WRONG_VALUES)
def test_words_of_wrong_values(word: str) -> None:
    for wrong in WRONG_VALUES[word]:
        with pytest.raises(ValueError) as caught:
            fastio.read_csv(b"a,b\n1,2\n", **{word: wrong})
        assert not isinstance(caught.value, fastio.Error), (word, wrong)


@pytest.mark.parametrize("function", [fastio.read_csv, fastio.open_csv, fastio.partition, fastio.sniff], ids=lambda f: f.__name__)
def test_unknown_and_conflicting_words(function: Any) -> None:
    with pytest.raises(TypeError, match=f"{function.__name__}.*unexpected keyword argument 'delimiter'"):
        function(b"a\n1\n", delimiter=";")
    with pytest.raises(TypeError, match="delimiter"):
        function(b"a\n1\n", dialect={"delimiter": ";"})
    with pytest.raises(TypeError):
        function()
    with pytest.raises(TypeError):
        function(b"a", 1, 2)
    with pytest.raises(TypeError, match="batch_rows"):
        function(b"a\n1\n", dialect={"batch_rows": 5})
    if function is not fastio.sniff:
        with pytest.raises(ValueError, match="widths or sep"):
            function(b"a\n1\n", widths=[1], sep=";")
    with pytest.raises(TypeError, match="text mode"):
        function(io.StringIO("a"))
    with pytest.raises(FileNotFoundError):
        function("/no/such/file")
    with pytest.raises(IsADirectoryError):
        function("/")


def test_a_dialect_gives_way_to_what_the_call_says() -> None:
    dialect = fastio.Dialect(sep=";", dtype={"a": "int8"}, max_rows=1)
    assert read("a;b\n1;2\n3;4\n", dialect=dialect) == {"a": [1], "b": [2]}
    assert read("a;b\n1;2\n3;4\n", dialect=dialect, max_rows=None)["a"] == [1, 3]
    assert fastio.read_csv(b"a,b\n1,2\n", dialect=dialect, sep=",").dtypes == {"a": "int8", "b": "int64"}
    assert read("a;b\n1;2\n3;4\n", **dialect) == {"a": [1], "b": [2]}


def test_many_words_at_once() -> None:
    """All that the options point to lives until the end of the call."""
    count = 300
    names = [f"column {i}" for i in range(count)]
    text = ",".join(str(i) for i in range(count)) + "\n"
    table = fastio.read_csv(
        (text * 50).encode(), header=False, names=iter(names), usecols=reversed(names),
        dtype={name: "int16" if i % 2 else "float32" for i, name in enumerate(names)},
        null_values={name: [str(i)] * 3 for i, name in enumerate(names) if i % 3 == 0}, threads=2, block_size=1000,
    )
    assert table.names == names[::-1] and len(table) == 50
    for i in range(count):
        assert table[names[i]][0] == (None if i % 3 == 0 else i)
        assert table.dtypes[names[i]] == ("int16" if i % 2 else "float32")


# ---- ragged rows and bad cells


def test_a_callable_decides_about_ragged_rows() -> None:
    seen: list[list[str]] = []

    def mend(fields: list[str]) -> Any:
        seen.append(fields)
        if fields[0] == "drop":
            return None
        return (fields + ["-1"])[:2] if len(fields) < 2 else (fields[0], "".join(fields[1:]))

    table = fastio.read_csv(b'a,b\n1,2\n3\n4,"5",6\ndrop\n7,8\n', on_ragged=mend, dtype="string")
    assert list(table) == [("1", "2"), ("3", "-1"), ("4", "56"), ("7", "8")]
    assert seen == [["3"], ["4", "5", "6"], ["drop"]]
    assert (table.report.replaced, table.report.skipped) == (2, 1)


def test_a_callable_sees_bytes_that_are_no_text() -> None:
    seen: list[list[str]] = []

    def drop(fields: list[str]) -> None:
        seen.append(fields)

    assert list(fastio.read_csv(b"a,b\n\xff\n1,2\n", on_ragged=drop)) == [(1, 2)]
    assert seen == [["\udcff"]]
    with pytest.raises(fastio.DecodeError):
        fastio.read_csv(b"a,b\n\xff\n", on_ragged=lambda fields: fields * 2)


def test_what_the_callable_raises_comes_through() -> None:
    class Mine(Exception):
        pass

    mine = Mine()

    def fail(fields: list[str]) -> Any:
        raise mine

    for threads in (1, 2):
        with pytest.raises(Mine) as caught:
            fastio.read_csv(b"a,b\n1,2\n3\n", on_ragged=fail, threads=threads)
        assert caught.value is mine
    for answer, error in [(["1"], ValueError), (["1", "2", "3"], ValueError), ("ab", TypeError), (b"ab", TypeError), (5, TypeError), ([1, 2], TypeError)]:
        with pytest.raises(error, match="on_ragged"):
            fastio.read_csv(b"a,b\n1,2\n3\n", on_ragged=lambda fields, answer=answer: answer)


def test_report() -> None:
    text = b"# c\na,b\n1,2\n\n3\n4,5,6\nx,7\n8,y\n"
    table = fastio.read_csv(text, comment="#", on_ragged="fit", on_bad="null", dtype="int8")
    report = table.report
    assert report == table[1:].report and table[::2].report == report
    assert report._replace(places=[]) == fastio.Report(1, 1, 0, 0, 2, 1, 1, [])
    assert report.places == [
        fastio.Place("ragged", 13, 5, 2, 1),
        fastio.Place("ragged", 15, 6, 3, 3),
        fastio.Place("bad_token", 21, 7, 4, 1),
        fastio.Place("bad_token", 27, 8, 5, 2),
    ]
    assert list(table) == [(1, 2), (3, None), (4, 5), (None, 7), (8, None)]
    assert fastio.read_csv(b"a,b\n1\n2\n3,4\n", on_ragged="skip").report.skipped == 2
    assert fastio.read_csv(b"a,b\n1\n2\n3,4\n", on_ragged=lambda f: f + ["0"]).report.replaced == 2
    many = fastio.read_csv(b"a\n" + b"x\n" * 1000, on_bad="null", dtype="int8").report
    assert many.bad_cells == 1000 and [place.record for place in many.places] == list(range(1, 101))
    assert fastio.read_csv(b"a\n1\n").report == fastio.Report()


ERRORS: dict[str, tuple[bytes, dict[str, Any], type[Exception], str, dict[str, Any]]] = {
    "token": (b"a,b\n1,2\n3,x\n", {"dtype": "int8"}, fastio.ParseError,
              'not an integer in column "b", record 2 (line 3, column 3, offset 10): \'x\'; dtype={"b": "string"} or on_bad="null" would accept it',
              {"status": "bad_token", "record": 2, "field": "b", "lineno": 3, "colno": 3, "offset": 10, "text": b"x"}),
    "range": (b"a,b\n1,300\n", {"dtype": {"b": "uint8"}}, fastio.RangeError, 'in column "b", record 1',
              {"status": "out_of_range", "field": "b", "offset": 6}),
    "odd name": (b'"a""\tb"\nx\n', {"dtype": "int8"}, fastio.ParseError, "dtype={'a\"\\tb': \"string\"}", {"field": 'a"\tb'}),
    "too many": (b"a,b\n1,2\n1,2,3\n", {}, fastio.ParseError,
                 '3 fields where 2 are expected, record 2 (line 3, column 1, offset 8): \'1,2,3\'; on_ragged="truncate", "fit", "skip" or a callable',
                 {"status": "ragged", "record": 2, "lineno": 3}),
    "too few": (b"a,b\n1\n", {}, fastio.ParseError, '1 field where 2 are expected, record 1 (line 2, column 1, offset 4): \'1\'; on_ragged="pad", "fit"',
                {"status": "ragged", "record": 1}),
    "unclosed": (b'a,b\n1,"x\n2,y\n', {}, fastio.ParseError, 'quote_mode="literal" or quote=None', {"status": "bad_quote", "lineno": 2, "offset": 6, "field": "b"}),
    "behind a quote": (b'a,b\n"x"y,1\n', {}, fastio.ParseError, 'in column "a"', {"status": "bad_quote", "record": 1, "field": "a"}),
    "stray quote": (b'a,b\n1,x"y\n', {}, fastio.ParseError, "quote", {"status": "bad_quote", "record": 1, "field": "b", "offset": 7}),
    "same names": (b"a,a\n1,2\n", {}, fastio.ParseError, 'two columns have this name: "a" (line 1, column 3, offset 2); repair_names=True, names=[...]',
                   {"status": "bad_header", "field": "a"}),
    "no name": (b"a,\n1,2\n", {}, fastio.ParseError, "repair_names=True", {"status": "bad_header", "field": 2, "record": None}),
    "encoding": (b"a,b\n1,\xff\n", {}, fastio.DecodeError, 'in column "b", record 1', {"status": "bad_encoding", "lineno": 2, "offset": 6, "field": "b"}),
    "overflow": (b"a\n1e999\n", {"overflow": "error", "dtype": "float64"}, fastio.RangeError, 'in column "a"', {"status": "out_of_range", "field": "a"}),
    "later misfit": (b"a\n1\nx\n", {"infer_rows": 1}, fastio.ParseError, 'dtype={"a": "string"}', {"record": 2, "field": "a"}),
    "no header": (b"1\nx\n", {"header": False, "dtype": "int8"}, fastio.ParseError, 'in column "column_1", record 2', {"record": 2}),
}


@pytest.mark.parametrize("data, words, error, message, where", ERRORS.values(), ids=ERRORS)
def test_errors(tmp_path: Path, data: bytes, words: dict[str, Any], error: type[Exception], message: str, where: dict[str, Any]) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    for source, name in [(data, None), (path, str(path)), (io.BytesIO(data), None)]:
        for threads in (1, 2):
            with pytest.raises(error) as caught:
                fastio.read_csv(source, threads=threads, block_size=3, **words)
            exception: Any = caught.value
            assert type(exception) is error and exception.path == name
            assert message in str(exception) and (name is None or str(exception).startswith(name + ": "))
            assert {key: getattr(exception, key) for key in where} == where
            again = pickle.loads(pickle.dumps(exception))
            assert (type(again), str(again), vars(again)) == (error, str(exception), vars(exception))
            if isinstance(source, io.BytesIO):
                source.seek(0)


def test_options_about_columns_that_are_not_there_name_them() -> None:
    for words in ({"dtype": {"zz": "int8"}}, {"usecols": ["zz"]}, {"null_values": {"zz": ["x"]}}, {"dictionary": ["zz"]}):
        with pytest.raises(ValueError, match='no such column: "zz"'):
            fastio.read_csv(b"a\n1\n", **words)
    with pytest.raises(ValueError, match="position 7"):
        fastio.read_csv(b"a\n1\n", usecols=[7])


# ---- the table as an object


def numbers(rows: int = 20) -> fastio.Table:
    return fastio.read_csv(b"a,b,c\n" + b"".join(b"%d,x%d,%d.5\n" % (i, i, i) for i in range(rows)))


def test_attributes() -> None:
    table = numbers()
    assert table.names == table.keys() == ["a", "b", "c"] and table.shape == (20, 3) and len(table) == 20
    assert table.columns == [table["a"], table["b"], table["c"]] and dict(table) == table.to_dict()
    assert "a" in table and "z" not in table and 0 not in table and (0, "x0", 0.5) not in table
    table.names.append("d")
    table.columns.clear()
    table.dtypes["a"] = "x"
    assert table.names == ["a", "b", "c"] and len(table.columns) == 3 and table.dtypes["a"] == "int64"
    for name in ("names", "report", "extra"):
        with pytest.raises(AttributeError):
            setattr(table, name, 1)
    for key, error in [("z", KeyError), (20, IndexError), (-21, IndexError), (2**70, IndexError), (1.5, TypeError), (None, TypeError), (b"a", TypeError)]:
        with pytest.raises(error):
            table[key]  # type: ignore[call-overload]
    with pytest.raises(ValueError):
        table[::0]
    with pytest.raises(TypeError):
        hash(table)
    with pytest.raises(TypeError):
        fastio.Table()
    with pytest.raises(TypeError):
        class Sub(fastio.Table):  # type: ignore[misc]
            pass


def test_slices_as_a_list_has_them() -> None:
    table, rows = numbers(7), list(numbers(7))
    edges = [None, -9, -3, 0, 1, 4, 6, 7, 9]
    for start in edges:
        for stop in edges:
            for step in (None, 1, 2, -1, -3, 10, -10):
                key = slice(start, stop, step)
                part = table[key]
                assert list(part) == rows[key] and len(part) == len(rows[key]) and part.names == table.names
                assert list(part[::-2]) == rows[key][::-2] and list(part[1:3]) == rows[key][1:3]
                assert [column.to_list() for column in part.columns] == [[row[k] for row in rows[key]] for k in range(3)]
                for i in range(-len(part), len(part)):
                    assert part[i] == rows[key][i]


def test_rows() -> None:
    table = numbers()
    iterator = iter(table)
    assert next(iterator) == (0, "x0", 0.5) and iterator.__length_hint__() == 19
    assert [*iterator] == [(i, f"x{i}", i + 0.5) for i in range(1, 20)] and next(iterator, None) is None
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(iter(table))
    for i, (a, b, c) in enumerate(table):
        assert (a, b, c) == (i, f"x{i}", i + 0.5)
    assert list(fastio.read_csv(b"")) == []


def test_equality() -> None:
    assert numbers() == numbers() and not numbers() != numbers()
    assert numbers() != numbers(19) and numbers() != numbers()[::-1] and numbers()[::-1][::-1] == numbers()
    assert numbers() != fastio.read_csv(b"a,b\n1,2\n") and numbers() != 5 and numbers() != [*numbers()]
    assert fastio.read_csv(b"a\n1\n") != fastio.read_csv(b"b\n1\n")
    assert fastio.read_csv(b"a\n1\n") == fastio.read_csv(b"a\n1\n", dtype="float64")
    nan = fastio.read_csv(b"a\nnan\n", dtype="float64")
    assert nan != nan
    with pytest.raises(TypeError):
        numbers() < numbers()  # type: ignore[operator]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    for table in (numbers(), numbers()[3:7], numbers()[::-3], typed(), typed()[1:], fastio.read_csv(b""), numbers()[:0],
                  fastio.read_csv(b"a\nx\n", on_bad="null", dtype="int8")):
        again = pickle.loads(pickle.dumps(table, protocol))
        assert again == table and type(again) is fastio.Table
        assert (again.names, again.dtypes, again.shape, again.report) == (table.names, table.dtypes, table.shape, table.report)
        assert list(again) == list(table) and list(again[::-1]) == list(table[::-1])
        assert again.to_arrow().equals(table.to_arrow()) if again.names else True
    table = numbers()
    assert copy.copy(table) is table and copy.deepcopy(table) is table


def test_a_damaged_pickle_is_an_error() -> None:
    rebuild, (names, columns, length, report, _) = numbers().__reduce_ex__(5)
    assert rebuild(names, columns, length, report) == numbers()
    for damaged in [
        (names[:2], columns, length, report),
        (names, columns, length + 1, report),
        (names, columns, -1, report),
        (names, (*columns[:2], columns[2][1:]), length, report),
        (names, (*columns[:2], [1] * length), length, report),
        ((*names[:2], 1), columns, length, report),
    ]:
        with pytest.raises(ValueError):
            rebuild(*damaged)
    for odd in [(list(names), columns, length, report), (names, list(columns), length, report), (names, columns, "1", report), ()]:
        with pytest.raises(TypeError):
            rebuild(*odd)


def test_lifetime() -> None:
    table = numbers(1000)
    reference, column, row = weakref.ref(table), table["b"][10:20], table[5]
    part = table[100:110]
    assert gc.is_tracked(table)
    del table
    gc.collect()
    assert reference() is None and column[0] == "x10" and row == (5, "x5", 5.5) and part[0] == (100, "x100", 100.5)
    array = pytest.importorskip("numpy").asarray(numbers(1000)["a"])
    gc.collect()
    assert array.sum() == 499500


def test_empty_tables() -> None:
    for data in (b"", b"\n\n", b"\xef\xbb\xbf"):
        table = fastio.read_csv(data)
        assert table.shape == (0, 0) and table.names == [] and "0 rows x 0 columns" in repr(table) and table._repr_html_()
        assert table.to_dict() == {} and table.to_numpy(structured=False) == {}
    table = fastio.read_csv(b"a,b\n", dtype={"a": "int8"})
    assert table.shape == (0, 2) and table.dtypes == {"a": "int8", "b": "string"} and list(table) == []
    assert len(table.to_numpy()) == 0 and table.to_pandas().shape == (0, 2) and table.to_arrow().num_rows == 0


# ---- looks


def test_repr() -> None:
    assert repr(numbers(2)) == "<fastio.Table 2 rows x 3 columns>\n    a  b             c\nint64  string  float64\n    0  x0          0.5\n    1  x1          1.5"
    lines = repr(numbers(100)).splitlines()
    assert len(lines) == 14 and lines[8].split() == ["...", "...", "..."] and lines[3].split() == ["0", "x0", "0.5"]
    assert lines[-1].split() == ["99", "x99", "99.5"]
    assert repr(typed()).count("None") == 10
    wide = fastio.read_csv((",".join(f"c{i}" for i in range(100)) + "\n" + ",".join("1" * 100) + "\n").encode())
    assert "c0" in repr(wide) and "c99" in repr(wide) and max(map(len, repr(wide).splitlines())) < 200
    odd = fastio.read_csv(b'a,b\n"x\ny",' + b"z" * 1000 + b"\n")
    assert "x\\ny" in repr(odd) and "z" * 1000 not in repr(odd) and len(repr(odd).splitlines()) == 4


def test_html_is_escaped() -> None:
    class Parser(html.parser.HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.tags: list[str] = []
            self.texts: list[str] = []

        def handle_starttag(self, tag: str, attributes: Any) -> None:
            self.tags.append(tag)

        def handle_data(self, data: str) -> None:
            self.texts.append(data)

    parser = Parser()
    parser.feed(fastio.read_csv(b'<b>x,a&b\n<script>,"""q"""\n')._repr_html_())
    assert "script" not in parser.tags and "b" not in parser.tags
    assert "<script>" in parser.texts and "<b>x" in parser.texts and "a&b" in parser.texts and '"q"' in parser.texts
    assert parser.tags.count("th") == 2 and parser.tags.count("tr") == 2
    assert numbers(100)._repr_html_().count("<tr>") == 12


# ---- conversions


def test_to_numpy() -> None:
    np = pytest.importorskip("numpy")
    table = typed()[::2]
    kinds = {"i": "int64", "u": "uint64", "f": "float64", "b": "bool", "s": "object", "d": "datetime64[D]", "t": "timedelta64[ns]",
             "ts": "datetime64[ns]", "utc": "datetime64[ns]", "cat": "object"}
    rows = table.to_numpy()
    assert {name: rows.dtype[name].name for name in rows.dtype.names} == kinds and len(rows) == 2
    arrays = table.to_numpy(structured=False)
    for name, array in arrays.items():
        assert array.dtype.name == kinds[name] and (array == rows[name]).all()
        assert (np.asarray(table[name]) == array).all() and np.asarray(table[name]).dtype == array.dtype
    assert arrays["d"].tolist() == [DATE(2024, 2, 29), DATE(1, 1, 1)] and arrays["u"][0] == 2**64 - 1
    assert arrays["ts"].astype("datetime64[us]").tolist() == [ROWS[0][7], ROWS[2][7]]
    assert arrays["t"].tolist() == [86399_500_000_000, 0] and arrays["b"].tolist() == [True, False] and arrays["s"].tolist() == ["x", "\u00e9"]
    ints = numbers()["a"]
    assert not ints.to_numpy().flags.writeable and ints.to_numpy(copy=True).flags.writeable
    stamps = fastio.read_csv(b"a\n2024-01-01T00:00\n2025-01-01T00:00\n")["a"]
    assert np.shares_memory(stamps.to_numpy(), stamps.to_numpy()) and not stamps.to_numpy().flags.writeable
    assert stamps[::-1].to_numpy().tolist() == stamps.to_numpy()[::-1].tolist()
    for name in ("b", "d", "s", "cat"):
        with pytest.raises(ValueError, match="copy"):
            np.array(table[name], copy=False)


def test_to_numpy_with_missing_values() -> None:
    np = pytest.importorskip("numpy")
    table = typed()
    with pytest.raises(ValueError, match="column 'i'.*null="):
        table.to_numpy()
    for column in table.columns:
        with pytest.raises(ValueError, match="missing"):
            column.to_numpy()
        with pytest.raises(ValueError, match="missing"):
            np.asarray(column)
    nulls = {"i": -1, "u": 5, "f": np.nan, "b": True, "s": None, "d": np.datetime64("NaT"), "t": np.timedelta64("NaT"),
             "ts": np.datetime64("NaT"), "utc": DATETIME(2000, 1, 1), "cat": "?"}
    rows = table.to_numpy(null=nulls)[1]
    assert (rows["i"], rows["u"], rows["b"], rows["s"], rows["cat"]) == (-1, 5, True, None, "?")
    assert np.isnan(rows["f"]) and np.isnat(rows["d"]) and np.isnat(rows["t"]) and np.isnat(rows["ts"])
    assert rows["utc"] == np.datetime64("2000-01-01")
    assert table["d"].to_numpy(null=DATE(1970, 1, 2))[1] == np.datetime64("1970-01-02")
    assert table["b"].to_numpy(null=np.False_).tolist() == [True, False, False]
    for name, wrong in [("i", "x"), ("i", 2**70), ("i", 1.5), ("u", -1), ("b", 2), ("b", "x"), ("f", "x"), ("i", None)]:
        with pytest.raises((ValueError, TypeError, OverflowError)):
            table[name].to_numpy(null=wrong)
    with pytest.raises(KeyError, match="zz"):
        table.to_numpy(null={"zz": 1})
    assert numbers().to_numpy(null=0)["a"].sum() == 190


def test_to_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = typed().to_pandas()
    assert list(frame.columns) == typed().names and len(frame) == 3
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds["i"] == "Int64" and kinds["u"] == "UInt64" and kinds["f"] == "float64" and kinds["b"] == "boolean"
    assert kinds["d"].startswith("datetime64") and kinds["ts"] == "datetime64[ns]" and kinds["utc"] == "datetime64[ns, UTC]"
    assert kinds["t"] == "timedelta64[ns]" and kinds["cat"] == "category" and kinds["s"] in ("str", "string")
    assert frame.iloc[1].isna().all() and frame["u"][0] == 2**64 - 1 and frame["i"][2] == -3
    assert frame["d"][0] == pd.Timestamp("2024-02-29") and frame["utc"][0] == pd.Timestamp("2024-02-29T11:00Z")
    assert frame["cat"].tolist()[::2] == ["red", "red"] and frame["s"][2] == "\u00e9"
    whole = numbers().to_pandas()
    assert str(whole.dtypes["a"]) == "int64" and whole["a"].sum() == 190 and whole["b"].tolist() == [f"x{i}" for i in range(20)]
    assert numbers()[::-3].to_pandas()["a"].tolist() == list(range(19, -1, -3))
    assert not str(fastio.read_csv(b"a\ntrue\n").to_pandas().dtypes["a"]) == "object"


def test_to_polars_and_arrow() -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = typed().to_polars()
    assert frame.columns == typed().names
    plain = [row[:8] for row in frame.rows()]
    assert plain == [row[:8] for row in ROWS] and frame["cat"].cast(pl.String).to_list() == ["red", None, "red"]
    arrow = typed().to_arrow()
    assert [str(kind) for kind in arrow.schema.types] == [
        "int64", "uint64", "double", "bool", "large_string", "date32[day]", "time64[ns]", "timestamp[ns]", "timestamp[ns, tz=UTC]",
        "dictionary<values=large_string, indices=int32, ordered=0>"]
    arrow.validate(full=True)
    for name in ("i", "u", "f", "b", "s", "d", "cat"):
        assert arrow[name].to_pylist() == typed()[name].to_list()
    for key in (slice(1, None), slice(None, None, -1), slice(0, 0), slice(None, None, 2)):
        part = typed()[key].to_arrow()
        part.validate(full=True)
        assert part["u"].to_pylist() == typed()["u"][key].to_list() and part["cat"].to_pylist() == typed()["cat"][key].to_list()
        assert part["b"].to_pylist() == typed()["b"][key].to_list()
        assert pa.schema(typed()[key]) == part.schema
    for column in typed().columns:
        for key in (slice(None), slice(1, None), slice(None, None, -1)):
            array = pa.array(column[key])
            array.validate(full=True)
            assert array.null_count == 1 and len(array) == len(column[key])
    assert pa.table(numbers()[5:9])["a"].to_pylist() == [5, 6, 7, 8]


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    names = {"rows": numbers(), "part": numbers()[::-3], "batches": fastio.open_csv(b"a,b\n1,x\n2,y\n", batch_rows=1)}
    expected = {"rows": (190, "x9"), "part": (70, "x7"), "batches": (3, "y")}
    for name, source in names.items():
        found = duckdb.sql("select sum(a), max(b) from source").fetchall()
        assert found == [expected[name]] and source is not None


def test_capsules_that_nobody_takes() -> None:
    for table in (typed(), typed()[1:], typed()[::2]):
        for capsule in (table.__arrow_c_schema__(), table.__arrow_c_stream__(), table.__arrow_c_stream__(requested_schema=None)):
            del capsule
    with pytest.raises(TypeError):
        typed().__arrow_c_stream__(1, 2)  # type: ignore[call-arg]


# ---- sniff, Dialect, partition


def test_sniff(tmp_path: Path) -> None:
    data = b"when;name;price\n2024-01-01;x;1,5\n2024-01-02;y;2,5\n2024-01-03;z;3,5\n"
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with open(path, "rb") as file:
        for source in (data, path, file, io.BytesIO(data)):
            dialect = fastio.sniff(source)
            assert dict(dialect) == {"sep": ";", "header": True, "decimal": ",", "dtype": {"when": "date", "name": "string", "price": "float64"}}
            again = eval(repr(dialect), {"Dialect": fastio.Dialect})
            assert again == dialect
            table = fastio.read_csv(source, dialect=again)
            assert table["price"].to_list() == [1.5, 2.5, 3.5] and table == fastio.read_csv(data, **dialect)
            if hasattr(source, "seek"):
                source.seek(0)
    assert fastio.sniff(b"a\tb\n1\t2\n3\t4\n", null_values=["-"], dtype=None)["null_values"] == ["-"]
    assert fastio.sniff(b"1 2\n3 4\n5 6\n")["sep"] in (None, " ")
    with pytest.raises(EOFError):
        fastio.sniff(b"")
    with pytest.raises(TypeError, match="unexpected keyword argument 'sep'"):
        fastio.sniff(b"a", sep=",")  # type: ignore[call-arg]


def test_dialect() -> None:
    dialect = fastio.Dialect(sep=";", header=True, dtype={"a": "int8"})
    assert repr(dialect) == "Dialect(sep=';', header=True, dtype={'a': 'int8'})"
    assert dialect.sep == ";" and dialect["header"] is True and list(dialect) == ["sep", "header", "dtype"] and len(dialect) == 3
    assert dialect == {"sep": ";", "header": True, "dtype": {"a": "int8"}} and dialect.get("quote") is None
    assert dialect.replace(sep=",", quote="'") == {"sep": ",", "header": True, "dtype": {"a": "int8"}, "quote": "'"}
    assert pickle.loads(pickle.dumps(dialect)) == dialect and copy.deepcopy(dialect) == dialect
    with pytest.raises(AttributeError, match="quote"):
        dialect.quote
    with pytest.raises(AttributeError, match="replace"):
        dialect.sep = ","
    with pytest.raises(KeyError):
        dialect["quote"]


def test_partition(tmp_path: Path) -> None:
    lines = [b'%d,"line\n%d, with a ""quote"" in it"\n' % (i, i) for i in range(5000)]
    data = b"id,text\n" + b"".join(lines)
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    whole = fastio.read_csv(data)
    for arguments in ({"n": 1}, {"n": 7}, {"nbytes": 1000}, {"nbytes": 10**9}, {}, {"n": 100_000}):
        ranges = fastio.partition(path, **arguments)
        assert all(type(part) is fastio.Range for part in ranges)
        assert ranges[0].offset == 8 and sum(part.length for part in ranges) == len(data) - 8
        assert all(a.offset + a.length == b.offset for a, b in zip(ranges, ranges[1:]))
        if len(ranges) > 200:
            continue
        tables = [fastio.read_csv(path, range=pickle.loads(pickle.dumps(part)), dtype=whole.dtypes) for part in ranges]
        assert [row for table in tables for row in table] == list(whole)
    assert len(fastio.partition(path, 7)) == 7
    tables = [fastio.read_csv(path, range=(start, 10_000), dtype=whole.dtypes) for start in range(0, len(data), 10_000)]
    assert [row for table in tables for row in table] == list(whole)
    assert fastio.partition(b"a\n") == [] and fastio.partition(b"") == []
    for wrong in ({"n": 0}, {"n": -1}, {"nbytes": 0}, {"n": 2, "nbytes": 5}):
        with pytest.raises(ValueError):
            fastio.partition(path, **wrong)
    assert fastio.partition(path, 2, dialect={"sep": ",", "dtype": {"id": "int8"}}) == fastio.partition(path, 2)


# ---- progress


def test_progress() -> None:
    data = b"a,b\n" + b"123,456\n" * 300_000
    seen: list[tuple[int, int | None]] = []
    fastio.read_csv(data, progress=lambda done, total: seen.append((done, total)), block_size=100_000, threads=1, dtype="int64")
    assert len({done for done, _ in seen}) > 5 and seen == sorted(seen)  # type: ignore[type-var]
    assert {total for _, total in seen} == {len(data) - 4} and seen[-1][0] == len(data) - 4  # the header was read before

    def stop(done: int, total: int | None) -> None:
        raise KeyError("stop")

    for threads in (1, 2):
        with pytest.raises(KeyError):
            fastio.read_csv(data, progress=stop, threads=threads)


BARS = """
import sys, types, io
calls = []
class Terminal(io.StringIO):
    def isatty(self): return True
def module(name, **members):
    sys.modules[name] = made = types.ModuleType(name)
    made.__dict__.update(members)
class Progress:
    def __init__(self, *columns, console, transient): calls.append(("rich", len(columns)))
    def add_task(self, text, total): return 1
    def start(self): calls.append("start")
    def update(self, task, completed, total): calls.append(completed)
    def stop(self): calls.append("stop")
class tqdm:
    n = 0
    def __init__(self, total, **words): calls.append(("tqdm", total))
    def update(self, more): self.n += more; calls.append(self.n)
    def close(self): calls.append("close")
for name in ("rich", "rich.progress", "rich.console", "tqdm", "tqdm.auto"):
    sys.modules[name] = None
if "rich" in sys.argv:
    column = lambda: None
    module("rich"); module("rich.console", Console=lambda stderr: None)
    module("rich.progress", Progress=Progress, BarColumn=column, DownloadColumn=column, TransferSpeedColumn=column, TimeRemainingColumn=column)
if "tqdm" in sys.argv:
    module("tqdm"); module("tqdm.auto", tqdm=tqdm)
if "terminal" in sys.argv:
    sys.stderr = Terminal()
import fastio
data = b"a,b\\n" + b"123,456\\n" * 500_000
fastio.read_csv(data, progress=True, threads=1)
try:
    fastio.read_csv(data + b"x,y\\n", progress=True, dtype="int16", threads=1)
except fastio.Error:
    calls.append("error")
print(len(data), calls, repr(sys.stderr.getvalue()[-20:]) if "terminal" in sys.argv else None, sep="|")
"""


@pytest.mark.parametrize("installed", [("rich", "tqdm"), ("tqdm",), ()])
def test_bars(installed: tuple[str, ...]) -> None:
    run = subprocess.run([sys.executable, "-c", BARS, "terminal", *installed], capture_output=True, text=True, check=True)
    size, calls, shown = run.stdout.strip().split("|")
    calls = eval(calls)
    first = [call for call in calls if isinstance(call, tuple)]
    if "rich" in installed:
        assert first == [("rich", 4)] * 2 and calls.count("stop") == 2 and int(size) - 4 in calls and calls.index("stop") < calls.index("error")
    elif "tqdm" in installed:
        assert first == [("tqdm", int(size) - 4), ("tqdm", int(size))] and calls.count("close") == 2 and int(size) - 4 in calls
    else:
        assert calls == ["error"] and "MiB" in shown
    quiet = subprocess.run([sys.executable, "-c", BARS, *installed], capture_output=True, text=True, check=True)
    assert "[('" not in quiet.stdout and quiet.stderr == ""
