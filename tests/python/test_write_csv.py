"""write_csv: every kind of table, and what reads back."""

from __future__ import annotations

import array
import collections
import csv
import datetime as dt
import decimal
import errno
import io
import math
import sys
from pathlib import Path
from typing import Any

import fastio
import pytest
from hypothesis import given
from hypothesis import strategies as st

numpy = pytest.importorskip("numpy")


def text(data: Any, **words: Any) -> str:
    writer = fastio.Writer()
    fastio.write_csv(writer, data, **words)
    return writer.getvalue().decode()


TABLE = fastio.read_csv(
    b'i,f,s,b,d,t,u,z,c\n1,0.5,x,true,2024-01-02,01:02,2024-01-02T03:04:05,2024-01-02T03:04:05.5Z,k\n,,,,,,,,\n'
    b'-3,1e300,"a,""b""\nc",false,0001-01-01,23:59:59.000001,1999-12-31T23:59:59,1970-01-01T00:00:00Z,l\n', dictionary=["c"])
TABLE_TEXT = (
    "i,f,s,b,d,t,u,z,c\n1,0.5,x,true,2024-01-02,01:02:00,2024-01-02T03:04:05,2024-01-02T03:04:05.500Z,k\n,,,,,,,,\n"
    '-3,1e+300,"a,""b""\nc",false,0001-01-01,23:59:59.000001,1999-12-31T23:59:59,1970-01-01T00:00:00Z,l\n')


# ---- tables


def test_tables() -> None:
    assert text(TABLE) == TABLE_TEXT
    assert fastio.read_csv(TABLE_TEXT.encode(), dictionary=["c"]) == TABLE
    rows = TABLE_TEXT.split("\n", 2)
    assert text(TABLE[:1]) == "\n".join(rows[:2]) + "\n"
    assert text(TABLE[:0]) == rows[0] + "\n" and text(TABLE[:1], header=False) == rows[1] + "\n"
    assert text(TABLE[::-2]).startswith(rows[0] + "\n-3,")
    assert text(TABLE[1:], header=False).startswith(",,,,,,,,\n-3,")
    assert text(fastio.read_csv(b"a\n1\n2\n"), header=["\u00fc,"]) == '"\u00fc,"\n1\n2\n'


def test_a_reader_batch_by_batch() -> None:
    data = b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i) for i in range(1000))
    assert text(fastio.open_csv(data, batch_rows=7)) == data.decode()
    reader = fastio.open_csv(data, batch_rows=400)
    next(reader)
    assert text(reader, header=False).startswith("400,x400\n")
    with pytest.raises(fastio.ParseError):
        text(fastio.open_csv(b"a\n1\n2\nx\n", batch_rows=2, dtype="int64"))


def test_words() -> None:
    table = fastio.read_csv(b"a,b,c\n1,x y,true\n,,\n2.5,nan,false\n", dtype={"a": "float64", "b": "str", "c": "bool"})
    assert text(table, sep="; ", eol="\r\n", null="NA", true="T", false="F") == "a; b; c\r\n1.0; x y; T\r\nNA; NA; NA\r\n2.5; nan; F\r\n"
    assert text(table, quoting="strings", null="NA") == '"a","b","c"\n1.0,"x y",true\nNA,NA,NA\n2.5,"nan",false\n'
    assert text(table, quoting="all", quote="'") == "'a','b','c'\n'1.0','x y','true'\n,,\n'2.5','nan','false'\n"
    assert text({"a": ["x,y", 'z"']}, quoting="never", escape="\\") == 'a\nx\\,y\nz\\"\n'
    assert text({"a": ['z"']}, escape="\\", quoting="all") == '"a"\n"z\\""\n'
    with pytest.raises(ValueError, match="escape"):
        text({"a": ["x,y"]}, quoting="never")
    assert text({"a": numpy.array([1.5, math.nan])}, nan="NaN") == "a\n1.5\nNaN\n"
    assert text({"a": [1.0, 2.0], "b": [3, 4]}, format=fastio.fixed(2)) == "a,b\n1.00,3\n2.00,4\n"
    assert text({"a": [1.0, 2.0], "b": [3, 10]}, format={"b": fastio.integer(16)}) == "a,b\n1.0,3\n2.0,a\n"
    assert text({"a": [1.0], "b": [10]}, format=[fastio.scientific(1), fastio.integer(2)]) == "a,b\n1.0e+00,1010\n"
    assert text({"a": [1.5]}, format="hexadecimal") == "a\n0x1.8p+0\n"


def test_a_date_without_a_text() -> None:
    dates = numpy.array([0, 10**7], "datetime64[D]")
    with pytest.raises(fastio.RangeError) as caught:
        text({"when": dates})
    assert str(caught.value).startswith("the date is not in the years 1 to 9999 in ")
    assert str(caught.value).endswith(", record 2")  # no hint about how to read it


@pytest.mark.parametrize(("words", "error"), [
    ({"quoting": "some"}, ValueError), ({"quote": "ab"}, ValueError), ({"quote": None}, TypeError), ({"sep": ""}, ValueError), ({"sep": None}, TypeError),
    ({"eol": 1}, TypeError), ({"null": None}, TypeError), ({"threads": 0}, ValueError), ({"progress": 1}, TypeError), ({"format": 3}, TypeError),
    ({"format": "%d"}, ValueError), ({"format": {"z": None}}, ValueError), ({"format": [None, None]}, ValueError), ({"header": ["a", "b"]}, ValueError),
    ({"header": 5}, TypeError), ({"nothing": 1}, TypeError), ({"escape": "xy"}, ValueError), ({"header": [1]}, TypeError),
])
def test_refused_words(words: dict[str, Any], error: type[Exception]) -> None:
    for data in ({"a": [1]}, fastio.read_csv(b"a\n1\n"), numpy.zeros((1, 1)), [[1]]):
        if words.get("format") == {"z": None} and not isinstance(data, dict):
            continue
        with pytest.raises(error):
            text(data, **words)


def test_destinations(tmp_path: Path) -> None:
    path = tmp_path / "out"
    fastio.write_csv(path, {"a": [1]})
    fastio.write_csv(path, {"a": [2]}, mode="a", header=False)
    assert path.read_bytes() == b"a\n1\n2\n"
    with pytest.raises(ValueError):
        fastio.write_csv(path, {"a": [3], "b": [1, 2]}, atomic=True)
    assert path.read_bytes() == b"a\n1\n2\n"
    with fastio.open(path, "w") as writer:
        writer.write("# comment\n")
        writer.write_csv({"a": [1]}, sep=";", header=["x"])
        fastio.write_csv(writer, [(2,)])
    assert path.read_bytes() == b"# comment\nx\n1\n2\n"
    target = io.BytesIO()
    fastio.write_csv(target, TABLE)
    assert target.getvalue().decode() == TABLE_TEXT
    for data in (TABLE, {"a": [1]}, [[1]]):
        with pytest.raises(OSError) as caught:
            fastio.write_csv("/dev/full", data)
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")


# ---- columns


def test_a_dict_of_columns() -> None:
    data = {
        "column": fastio.read_ints(b"1,,3", sep=",", null_values=[""]),
        "array": array.array("d", [0.5, 1, 2]), "numpy": numpy.arange(6, dtype=">i2")[::-2], "bool": numpy.array([True, False, True]),
        "list": ["x", None, "\u00fc,"], "tuple": (1, None, -1), "big": [0, 2**64 - 1, None], "bytes": [b"\xc3\xbc", b"", None],
        "days": [dt.date(2024, 2, 29), None, dt.date(1, 1, 1)], "range": range(3), "half": numpy.array([0.5, 1, 2], "f2"),
    }
    assert text(data) == (
        "column,array,numpy,bool,list,tuple,big,bytes,days,range,half\n"
        '1,0.5,5,true,x,1,0,\u00fc,2024-02-29,0,0.5\n,1.0,3,false,,,18446744073709551615,"",,1,1.0\n3,2.0,1,true,"\u00fc,",-1,,,0001-01-01,2,2.0\n')
    assert text({}, header=False) == ""
    assert text({"a": [], "b": []}) == "a,b\n"
    assert text({1: [1], None: ["x"]}) == "1,None\n1,x\n"
    with pytest.raises(ValueError, match="different lengths"):
        text({"a": [1], "b": [1, 2]})
    for bad in ("text", b"bytes", 5, None, numpy.zeros((2, 2)), {"x": 1}):
        with pytest.raises((TypeError, ValueError)):
            text({"a": bad})


def test_values_of_several_types() -> None:
    values = [1, 2.5, "x", None, True, dt.date(2024, 1, 1), b"y", 2**70, decimal.Decimal("1.10"), -1, 2**63]
    assert text({"a": values, "b": range(11)}, header=False) == (
        "1,0\n2.5,1\nx,2\n,3\ntrue,4\n2024-01-01,5\ny,6\n1180591620717411303424,7\n1.10,8\n-1,9\n9223372036854775808,10\n")
    assert text([(v,) for v in values], quoting="strings") == (
        '1\n2.5\n"x"\n""\ntrue\n2024-01-01\n"y"\n"1180591620717411303424"\n"1.10"\n-1\n9223372036854775808\n')


def test_dates_and_times() -> None:
    utc, east = dt.timezone.utc, dt.timezone(dt.timedelta(hours=5, minutes=30))
    values: list[Any] = [
        (dt.datetime(2024, 2, 29, 1, 2, 3), "2024-02-29T01:02:03"), (dt.datetime(1970, 1, 1, 0, 0, 0, 1), "1970-01-01T00:00:00.000001"),
        (dt.datetime(2024, 1, 1, tzinfo=utc), "2024-01-01T00:00:00Z"), (dt.datetime(2024, 1, 1, 1, tzinfo=east), "2023-12-31T19:30:00Z"),
        (dt.datetime(1, 1, 1), "0001-01-01T00:00:00"), (dt.datetime(9999, 12, 31, 23, 59, 59, 999999), "9999-12-31T23:59:59.999999"),
        (dt.datetime(1600, 1, 1, tzinfo=utc), "1600-01-01T00:00:00+00:00"), (dt.time(1, 2), "01:02:00"), (dt.time(23, 59, 59, 5000), "23:59:59.005"),
        (dt.time(1, 2, tzinfo=utc), "01:02:00+00:00"), (dt.date(9999, 12, 31), "9999-12-31"),
    ]
    assert text([[value] for value, _ in values]).splitlines() == [expected for _, expected in values]


def test_numpy_dates() -> None:
    days = numpy.array(["2024-02-29", "NaT", "1969-12-31"], "M8[D]")
    seconds = numpy.array(["2024-02-29T01:02:03", "NaT", "1969-12-31T23:59:59"], "M8[s]")
    nanos = numpy.array(["2024-02-29T01:02:03.000000001", "NaT", "2262-04-11"], "M8[ns]")
    years = numpy.array(["2024", "NaT", "0001"], "M8[Y]")
    assert text({"d": days, "s": seconds, "n": nanos, "y": years}) == (
        "d,s,n,y\n2024-02-29,2024-02-29T01:02:03,2024-02-29T01:02:03.000000001,2024-01-01\n,,,\n"
        "1969-12-31,1969-12-31T23:59:59,2262-04-11T00:00:00,0001-01-01\n")
    assert text({"s": numpy.array(["5000-01-01T01", "NaT"], "M8[h]"), "n": [0, 1]}) == "s,n\n5000-01-01T01:00:00,0\n,1\n"
    assert text({"e": numpy.array([], "M8[s]")}) == "e\n"
    assert text({"t": numpy.array([1, "NaT"], "m8[s]"), "n": [0, 1]}) == "t,n\n1 seconds,0\n,1\n"
    assert text({"p": numpy.array([1, "NaT"], "M8[ps]"), "n": [0, 1]}) == "p,n\n1970-01-01T00:00:00.000000000001,0\n,1\n"
    scalars = [days[0], nanos[0], numpy.timedelta64(1, "s")]
    assert text([scalars]) == "2024-02-29,2024-02-29T01:02:03.000000001,1 seconds\n"
    assert [fastio.format(x, fastio.fixed(1)) for x in scalars] == [str(x) for x in scalars]


def test_masked_arrays() -> None:
    numbers = numpy.ma.array([1, 2, 3], mask=[0, 1, 0])
    days = numpy.ma.array(numpy.array(["2024-02-29", "2024-03-01", "NaT"], "M8[D]"), mask=[1, 0, 0])
    assert text({"i": numbers, "d": days, "f": numbers / 2}) == "i,d,f\n1,,0.5\n,2024-03-01,\n3,,1.5\n"
    assert text(numpy.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])) == "1,\n3,4\n"
    fields = numpy.ma.array([(1, 2.5), (3, 4.5)], mask=[(0, 1), (1, 0)], dtype=[("i", "i4"), ("f", "f8")])
    assert text(fields) == "i,f\n1,\n,4.5\n"


# ---- arrays


def test_arrays() -> None:
    made = numpy.arange(6.0).reshape(3, 2) / 2
    assert text(made) == "0.0,0.5\n1.0,1.5\n2.0,2.5\n"
    assert text(made.T[::-1], header=["a", "b", "c"], sep=";") == "a;b;c\n0.5;1.5;2.5\n0.0;1.0;2.0\n"
    assert text(made.astype(int), quoting="all") == '"0","0"\n"1","1"\n"2","2"\n'
    assert text(made > 1, true="1", false="0") == "0,0\n0,1\n1,1\n"
    assert text(numpy.array([["a", "b,"], ["c", "d"]])) == 'a,"b,"\nc,d\n'
    assert text(numpy.array([[1, "x"], [None, 2.5]], dtype=object)) == "1,x\n,2.5\n"
    assert text(memoryview(made)) == text(made)
    assert text(numpy.zeros((0, 2)), header=["a", "b"]) == "a,b\n" and text(numpy.zeros((0, 2))) == ""
    fields = numpy.array([(1, 2.5, "x"), (3, 4.5, "y,")], dtype=[("i", "u1"), ("f", ">f4"), ("s", "U2")])
    assert text(fields) == 'i,f,s\n1,2.5,x\n3,4.5,"y,"\n' and text(fields[::-1], header=False) == '3,4.5,"y,"\n1,2.5,x\n'
    for bad in (numpy.zeros(3), numpy.zeros((2, 2, 2)), numpy.array(1)):
        with pytest.raises(ValueError, match="dimensions"):
            text(bad)


def test_big_arrays_go_in_parts() -> None:
    made = numpy.random.default_rng(1).normal(size=(500_000, 3)).round(3)
    made[::7, 1] = numpy.nan
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\n").writerows(made.tolist())
    assert text(made) == expected.getvalue()
    columns = {"a": made[:, 0], "b": (made[:, 2] > 0), "c": list(range(500_000))}
    back = fastio.read_csv(text(columns).encode())
    assert (back["a"].to_numpy() == made[:, 0]).all() and (back["b"].to_numpy() == columns["b"]).all() and back["c"].to_list() == columns["c"]


# ---- rows


def test_rows() -> None:
    rows: list[Any] = [(1, "a", None), [2, "b,", 0.5], iter((3, "", True))]
    assert text(rows) == '1,a,\n2,"b,",0.5\n3,"",true\n'
    assert text(iter([(1, 2)]), header=("x", "y")) == "x,y\n1,2\n" and text((row for row in [[1]]), header=True) == "1\n"
    point = collections.namedtuple("point", "x y")
    assert text([point(1, 2), point(3, 4)]) == "x,y\n1,2\n3,4\n" and text([point(1, 2)], header=False) == "1,2\n"
    assert text([]) == "" and text([], header=["a"]) == "a\n" and text([()]) == "\n" and text([(), ()], eol=";") == ";;"
    with pytest.raises(ValueError, match="row 2 has 1 cells, but the first one has 2"):
        text([(1, 2), (3, 4), (5,)])
    for bad in ("ab", b"ab", 5, None, ["ab"], [5], [{"a": 1}], bytearray(b"x")):
        with pytest.raises(TypeError):
            text(bad)

    def failing() -> Any:
        yield (1,)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        text(failing())


def test_many_rows() -> None:
    rows = [(i, i / 4, f"name {i}", i % 3 == 0 or None) for i in range(20_000)]
    expected = "".join(f"{i},{f},{s},{'true' if b else ''}\n" for i, f, s, b in rows)
    assert text(rows) == expected
    changing = [(i if i % 3 else float(i), "x" if i % 5 else i) for i in range(3000)]
    assert text(changing) == "".join(f"{a},{b}\n" for a, b in changing)


CELLS = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False), st.text(st.characters(exclude_categories=["Cs"]), max_size=6))


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=8)))
def test_rows_read_back(rows: list[list[Any]]) -> None:
    """Each cell by itself: texts stay texts, numbers and missing values what they are."""
    names = [f"c{i}" for i in range(len(rows[0]))]
    data = text(rows, header=names, quoting="strings", null="NULL").encode()
    table = fastio.read_csv(data, dtype="str", null_values=["NULL"])
    for row, back in zip(rows, table):
        for cell, got in zip(row, back):
            if cell is None or isinstance(cell, str):
                assert got == cell
            elif isinstance(cell, bool):
                assert got == str(cell).lower()
            else:
                assert got == repr(cell)


@given(st.lists(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)), min_size=1, max_size=10), st.sampled_from([",", ";", "\t", "ab"]))
def test_texts_read_back_with_minimal_quotes(values: list[str | None], sep: str) -> None:
    data = text({"a": values, "b": values}, sep=sep).encode()
    table = fastio.read_csv(data, sep=sep, dtype="str", blank_lines="record")
    assert table["a"].to_list() == values == table["b"].to_list()


# ---- other libraries


def frames() -> dict[str, Any]:
    found: dict[str, Any] = {}
    data = {"i": [1, None, 3], "f": [0.5, None, 2.0], "s": ["x", None, "y,z"], "b": [True, None, False],
            "d": [dt.date(2024, 1, 2), None, dt.date(1999, 12, 31)], "t": [dt.datetime(2024, 1, 2, 3, 4, 5, 600), None, dt.datetime(1970, 1, 1)]}
    pyarrow = pytest.importorskip("pyarrow")
    found["pyarrow"] = pyarrow.table(data)
    found["pyarrow batch"] = found["pyarrow"].to_batches()[0]
    found["pyarrow reader"] = lambda: pyarrow.RecordBatchReader.from_batches(found["pyarrow"].schema, found["pyarrow"].to_batches())
    found["dictionary"] = found["pyarrow"].set_column(2, "s", found["pyarrow"]["s"].dictionary_encode())
    found["chunked"] = pyarrow.concat_tables([found["pyarrow"][:1], found["pyarrow"][1:2], found["pyarrow"][2:]])
    polars = pytest.importorskip("polars")
    found["polars"] = polars.DataFrame(data)
    found["polars sliced"] = polars.concat([found["polars"], found["polars"]])[3:]
    try:
        import duckdb

        found["duckdb"] = lambda: duckdb.from_arrow(found["pyarrow"])
    except ImportError:
        pass
    return found


FRAME_TEXT = "i,f,s,b,d,t\n1,0.5,x,true,2024-01-02,2024-01-02T03:04:05.000600\n,,,,,\n3,2.0,\"y,z\",false,1999-12-31,1970-01-01T00:00:00\n"


@pytest.mark.parametrize("name", list(frames()))
def test_arrow(name: str) -> None:
    made = frames()[name]
    data = (lambda: made) if not callable(made) else made
    assert text(data()) == FRAME_TEXT
    assert text(data(), header=False) == FRAME_TEXT.split("\n", 1)[1]
    assert text(data(), header=list("ABCDEF"), threads=2) == "A,B,C,D,E,F\n" + FRAME_TEXT.split("\n", 1)[1]
    assert text(data(), format={"f": fastio.fixed(1)}) == FRAME_TEXT


def test_only_the_arrow_interface() -> None:
    pyarrow = pytest.importorskip("pyarrow")

    class Stream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pyarrow.table({"a": [1.0, 2.5], "b": ["x", "y"]}).__arrow_c_stream__()

    class Array:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return pyarrow.record_batch({"a": [1.0, 2.5], "b": ["x", "y"]}).__arrow_c_array__()

    for kind in (Stream, Array):
        assert text(kind()) == "a,b\n1.0,x\n2.5,y\n"
        assert text(kind(), format={"a": fastio.fixed(2)}) == "a,b\n1.00,x\n2.50,y\n"
        assert text(kind(), header=["k", "l"], format={"k": fastio.fixed(2)}) == "k,l\n1.00,x\n2.50,y\n"
        with pytest.raises(ValueError, match="names columns that are not there"):
            text(kind(), format={"z": None})
        with pytest.raises(ValueError, match="header has 1 names for 2 columns"):
            text(kind(), header=["k"])
    with pytest.raises(fastio.Error, match="not supported|type"):
        text(pyarrow.table({"a": [[1, 2]]}))
    with pytest.raises((fastio.Error, TypeError, ValueError)):
        text(fastio.read_ints(b"1 2 3"))
    used = Stream().__arrow_c_stream__()
    pyarrow.RecordBatchReader._import_from_c_capsule(used)

    class Used:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return used

    with pytest.raises(ValueError, match="before"):
        text(Used())


@pytest.mark.parametrize("has_pyarrow", [True, False])
def test_pandas(monkeypatch: pytest.MonkeyPatch, has_pyarrow: bool) -> None:
    pandas = pytest.importorskip("pandas")
    if not has_pyarrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = pandas.DataFrame({
        "i": [1, 2, 3], "f": [0.5, None, 2.0], "s": ["x", None, "y,z"], "b": [True, False, True],
        "t": pandas.to_datetime(["2024-01-02T03:04:05", None, "1970-01-01"], format="ISO8601"), "n": pandas.array([1, None, 3], dtype="Int64"),
        "c": pandas.Categorical(["k", "l", None]), 7: [1.5, 2.5, 3.5]}, index=["p", "q", "r"])
    expected = ("i,f,s,b,t,n,c,7\n1,0.5,x,true,2024-01-02T03:04:05,1,k,1.5\n2,,,false,,,l,2.5\n3,2.0,\"y,z\",true,1970-01-01T00:00:00,3,,3.5\n")
    assert text(frame) == expected
    assert text(frame, header=False) == expected.split("\n", 1)[1]
    assert text(frame, null="NA", header=list("abcdefgh")).startswith("a,b,c,d,e,f,g,h\n1,0.5,x,") and "2,NA,NA,false,NA,NA,l" in text(frame, null="NA")
    assert text(frame, format={"f": fastio.fixed(2), "7": fastio.fixed(0)}).splitlines()[1] == "1,0.50,x,true,2024-01-02T03:04:05,1,k,2"
    assert text(frame[:0]) == "i,f,s,b,t,n,c,7\n"
    assert text(pandas.DataFrame({"a": [1, "x", 2.5]})) == "a\n1\nx\n2.5\n"
    assert text(pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])) == "a,a\n1,2\n3,4\n"
    assert text(pandas.DataFrame({"p": pandas.period_range("2024", periods=2, freq="M")})) == "p\n2024-01\n2024-02\n"
    assert text(pandas.DataFrame({"d": pandas.to_timedelta(["1 s", None])})) == "d\n0 days 00:00:01\n" + '""\n'.replace('""', text({"d": [None]}).split("\n")[1])
    assert text({"s": frame["s"], "n": frame["n"]}) == 's,n\nx,1\n,\n"y,z",3\n'
    with pytest.raises(ValueError, match="header has 1 names"):
        text(frame, header=["a"])


def test_columns_of_other_libraries() -> None:
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    assert text({"a": pyarrow.array([1, None]), "p": polars.Series([0.5, None]), "c": pyarrow.chunked_array([["x"], ["y"]])}) == "a,p,c\n1,0.5,x\n,,y\n"


# ---- progress, threads


def test_progress() -> None:
    made = numpy.zeros((1_000_000, 2))
    seen: list[tuple[int, Any]] = []
    text(made, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (1_000_000, 1_000_000) and [done for done, _ in seen] == sorted(done for done, _ in seen)

    def stop(done: int, total: int | None) -> None:
        raise KeyError("stop")

    for data in (made, TABLE, [(1,)]):
        with pytest.raises(KeyError, match="stop"):
            text(data, progress=stop)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_write_the_same(threads: int) -> None:
    data = b"a,b,c\n" + b"".join(b"%d,%d.5,name %d\n" % (i, i, i) for i in range(100_000))
    table = fastio.read_csv(data)
    assert text(table, threads=threads) == data.decode()
    assert text(table[1000:], threads=threads, header=False) == data.decode().split("\n", 1001)[1001]
