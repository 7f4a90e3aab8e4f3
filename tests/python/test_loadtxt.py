"""loadtxt beside numpy.loadtxt: the same arrays over a grid of keywords, and each difference that is meant."""

from __future__ import annotations

import collections
import gc
import io
import itertools
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastio
import numpy
import pytest

# Each text is read with every set of rules that can make sense of it.
TEXTS = {
    "blanks": ("1 2 3\n4 5 6\n7 8 9\n", None),
    "commas": ("1,2,3\n4, 5 ,6\n7,8,9", ","),
    "tabs": ("1\t2\t3\r\n4\t5\t6\r\n", "\t"),
    "aligned": ("   1  -2   3\n  40 50 60  \n\t7\t8 \t 9\n", None),
    "comments": ("# 0 0 0\n1 2 3 # 4 5\n#\n   # 6\n4 5 6#\n\n   \n7 8 9\n", None),
    "comma comments": ("#x,y\n1,2,3#,4\n\n4,5,6 # z\n7,8,9\n#", ","),
    "one row": ("1 2 3\n", None),
    "one column": ("1\n2\n3\n4\n", None),
    "one value": ("+5", None),
    "nothing": ("", None),
    "only comments": ("# a\n\n# b\n", None),
    "carriage returns": ("1 2 3\r4 5 6\r", None),
    "semicolons": ("1;2;3\n4;5;6\n", ";"),
}


def same(ours: Any, theirs: Any) -> None:
    """Equal to the last bit, with the same shape and dtype."""
    if isinstance(theirs, list):
        assert isinstance(ours, list) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            same(one, other)
        return
    assert type(ours) is type(theirs) is numpy.ndarray
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert ours.flags.writeable
    if theirs.dtype.names is not None:  # without the padding
        for name in theirs.dtype.names:
            same(ours[name], theirs[name])
    elif theirs.dtype.hasobject:
        assert ours.tolist() == theirs.tolist()
    else:
        assert ours.tobytes() == theirs.tobytes()


def both(text: str, **keywords: Any) -> None:
    """The same result or, where NumPy refuses, an error of the same kind; the same warning of no data."""
    outcomes = []
    for function in (fastio.loadtxt, numpy.loadtxt):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result: Any = function(io.StringIO(text, newline=""), **keywords)
            except (ValueError, TypeError) as error:
                result = error
        outcomes.append((result, any("input contained no data" in str(warning.message) for warning in caught)))
    (ours, ours_warned), (theirs, theirs_warned) = outcomes
    if isinstance(theirs, Exception):
        assert isinstance(ours, TypeError if isinstance(theirs, TypeError) else ValueError), (ours, theirs)
    else:
        assert not isinstance(ours, Exception), ours
        same(ours, theirs)
        assert ours_warned == theirs_warned


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("dtype", [float, int, "f4", "u1", "f2", ">f8", ">i2", bool, complex, str, "S", "U4", object])
def test_grid(name: str, dtype: Any) -> None:
    text, delimiter = TEXTS[name]
    for skiprows, max_rows, usecols in itertools.product([0, 1, 3, 9], [None, 0, 1, 2, 9], [None, 0, (2, 0), -1]):
        if max_rows == 0 and dtype in (str, "S"):
            continue  # NumPy then fails for want of "at least one array to concatenate"
        both(text, dtype=dtype, delimiter=delimiter, skiprows=skiprows, max_rows=max_rows, usecols=usecols)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("dtype", [float, str, "i4,i4,i4", [("a", "f8"), ("b", "i2", 2)]])
def test_grid_of_shapes(name: str, dtype: Any) -> None:
    text, delimiter = TEXTS[name]
    for ndmin, unpack, max_rows in itertools.product([0, 1, 2], [False, True], [None, 1]):
        both(text, dtype=dtype, delimiter=delimiter, ndmin=ndmin, unpack=unpack, max_rows=max_rows)


@pytest.mark.parametrize("comments", [None, "#", b"#", "%", ["#"], ["#", "%"], "//", ["//", "#"], "\u00a7", []])
@pytest.mark.parametrize("delimiter", [None, ",", b","])
def test_comments(comments: Any, delimiter: Any) -> None:
    between = " " if delimiter is None else ","
    for mark in ("#", "%", "//", "\u00a7", "/"):
        text = f"1 2\n3 4{mark} 5\n{mark} 6 7\n\n8 9{mark}{mark}#%//\n".replace(" ", between)
        both(text, comments=comments, delimiter=delimiter)
        both(text, comments=comments, delimiter=delimiter, skiprows=1, max_rows=2)
        both(text, comments=comments, delimiter=delimiter, dtype=str, usecols=0)


NUMBERS = [
    "0", "-0", "+7", "007", "1.5", "5.", ".5", "-.5", "1e3", "1E-03", "428.E+03", "inf", "-Infinity", "NaN", "-nan",
    "1.7976931348623157e308", "1e400", "-1e400", "4.9e-324", "1e-400", "0.1", "9007199254740993", "0.30000000000000004",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "127", "128", "-129", "255", "256", "65536",
    "9223372036854775808", "-1", "18446744073709551616", "1" * 400, "0." + "0" * 400 + "1", "3.1415926535897932384626",
    "", "+", "-", ".", "e5", "1e", "1_000", "0x10", "1d5", "1,5", "12abc", "True", "--1", "1.0.0", "\u0663", "1 2",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_numbers(dtype: str) -> None:
    for text in NUMBERS:
        for field in (text, f" {text}\t"):
            if dtype.startswith("u") and text == "-0":
                continue  # NumPy refuses it
            if dtype == "f2" and ("_" in text or not text.isascii()):
                continue  # NumPy asks Python's float, which takes more than numbers
            both(f"1;{field};2", dtype=dtype, delimiter=";")


def test_float32_is_rounded_once() -> None:
    # Just above the middle of 1 and the next float32; as a float64 it is the middle itself.
    text = "1.00000005960464477539062500000000001"
    assert numpy.loadtxt([text], "f4") == numpy.float32(1)
    assert fastio.loadtxt([text], "f4") == numpy.nextafter(numpy.float32(1), numpy.float32(2))


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex(dtype: str) -> None:
    fields = ["1", "1.5-2j", "(3+4j)", "5j", "(-19e2j)", "7+-5.0j", " 8 ", "(0)", "nan", "inf-infj", "1e-3+2e+1j"]
    wrong = ["(1", "1)", "1 +2j", "1+ 2j", "1+-+3j", "(1+2j", "1_0j", "j1", "", "()", "1e+-3"]
    for field in fields + wrong:
        both(f"{field};1", dtype=dtype, delimiter=";")


@pytest.mark.parametrize("dtype", ["M8", "M8[D]", "M8[ms]", "m8[s]", "m8"])
def test_dates(dtype: str) -> None:
    texts = ["12\n-3", "5"] if dtype.startswith("m") else ["2001-02-03\n1969-12-31", "2001\n2001-03", "NaT", "2001-13"]
    if dtype in ("M8", "M8[ms]"):
        texts.append("2001-02-03T04:05:06\n2002-01-01T00:00")
    for text in texts:
        both(text, dtype=dtype)


RECORDS = "M 21 72.5\nF 35 58\n"


@pytest.mark.parametrize(
    "dtype",
    [
        {"names": ("sex", "age", "weight"), "formats": ("S1", "i4", "f4")},
        [("sex", "U3"), ("numbers", "f8", (2,))],
        [("sex", object), ("both", [("age", "u1"), ("weight", ">f4")])],
        [("all", "U4", (3, 1))],
        numpy.dtype([("sex", "S1"), ("age", "i1"), ("weight", "f8")], align=True),
    ],
)
def test_records(dtype: Any) -> None:
    for unpack, ndmin in itertools.product([False, True], [0, 1, 2]):
        both(RECORDS, dtype=dtype, unpack=unpack, ndmin=ndmin)
        both(RECORDS, dtype=dtype, unpack=unpack, ndmin=ndmin, max_rows=1)
    for usecols in ((0, 1, 2), (0, 2, 1), (-3, -2, -1), (0, 1)):
        both(RECORDS, dtype=dtype, usecols=usecols)
    both(RECORDS + "M 1\n", dtype=dtype)
    both("M 1 2 3\n", dtype=dtype)


def test_records_of_points() -> None:
    point = numpy.dtype([("x", float), ("y", float)])
    both("100,1,2,3,4\n200,5,6,7,8\n", dtype=[("code", int), ("points", point, (2,))], delimiter=",")


def test_empty_dtype() -> None:
    for dtype in (numpy.dtype([]), str):
        both("0,0,XXX\n0,XXX,0,XXX\n", dtype=dtype, delimiter=",", usecols=[])


@pytest.mark.parametrize("q", ['"', "'", "`"])
def test_quotes(q: str) -> None:
    text = f"{q}alpha, #1{q},{q}2.5{q}\nbe{q}ta,4\n{q}ga{q}{q}mma{q},{q}5{q}\n{q}del\nta{q},6\n{q}{q},7\n"
    both(text, dtype="U12,f8", delimiter=",", quotechar=q)
    both(text, dtype=str, delimiter=",", quotechar=q)
    both(text, dtype=str, delimiter=",", quotechar=q, usecols=1, skiprows=1)
    both(text.replace(",", "  "), dtype=str, quotechar=q)
    both(f"1\n\n{q}4{q}\n{q}{q}\n", dtype=str, delimiter=",", quotechar=q)
    both(f"1,{q}2{q}\n", delimiter=",")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_quoted_newlines_stay(end: str) -> None:
    for lines in (['1,"2\n"\n', '3,"4\n', '1"\n'], ['1,"2\n"', '3,"4\n', '1"']):
        lines = [line.replace("\n", end) for line in lines]
        words: dict[str, Any] = {"dtype": object, "delimiter": ",", "quotechar": '"'}
        same(fastio.loadtxt(lines, **words), numpy.loadtxt(lines, **words))


def test_where_quotes_differ() -> None:
    # NumPy adds an empty field behind a blank that follows a quoted field.
    assert numpy.loadtxt(['"a" b '], str, quotechar='"').tolist() == ["a", "b", ""]
    assert fastio.loadtxt(['"a" b '], str, quotechar='"').tolist() == ["a", "b"]
    # It takes text behind a closing quote, and a quote that is never closed.
    for text in ('"a"x b', 'a "b'):
        numpy.loadtxt([text], str, quotechar='"')
        with pytest.raises(fastio.ParseError):
            fastio.loadtxt([text], str, quotechar='"')


def test_ragged_rows() -> None:
    text = "0,0,X\n0,X,0,X\n0,X,X,0,X\n"
    both(text, delimiter=",")
    both(text, delimiter=",", usecols=0)
    both(text, delimiter=",", usecols=[0, -2])
    both(text, delimiter=",", usecols=[-2, 0, -2])
    both("1 2 3\n4 5\n", usecols=[0, 1])
    both("1 2\n3 4 5\n", usecols=[0, 1])
    both("1 2 3\n4 5\n", usecols=[2])
    both("0,0,X\n0\n0,X,0,X\n", delimiter=",", usecols=[0, -2])
    both("1 2\n", usecols=5)
    both("1 2\n", usecols=-3)
    both("1 2\n", usecols=[0, 2**62])
    both("1 2\n", usecols=[-(2**62)])
    both("1 2 3\n4 5\n")
    both("1 2,\n", delimiter=",")
    both("1 2\n3 4\n", usecols=[1, 1, 0])
    # 0 and -2 are the same column of the first row, but not of the second: which one is meant?
    with pytest.raises(ValueError):
        fastio.loadtxt(["1,2", "3,4,5"], delimiter=",", usecols=[0, -2])


def test_converters() -> None:
    def doubled(text: str) -> Any:
        assert type(text) is str
        return 2 * float(text or -1)

    text = "1,2,3\n4,,6\n"
    for converters in (doubled, {1: doubled}, {-2: doubled}, {0: doubled, 1: doubled}, {1: str.title, 0: doubled}, {}):
        for dtype in (float, int, str, object, "i4,f8,U9"):
            for usecols in (None, (0, 1, 2), (0, 2, 1)):
                if usecols is not None and isinstance(converters, dict) and -2 in converters:
                    continue  # NumPy then has it to be the same number as in usecols
                both(text, dtype=dtype, delimiter=",", converters=converters, usecols=usecols)
    both("1 21\n3 42\n", usecols=1, converters={0: lambda s: int(s, 16)})
    both("1 21\n3 42\n", usecols=1, converters={1: lambda s: int(s, 16)})
    both("1.5,2.5\n3,XXX\n", delimiter=",", converters={-1: lambda s: float(s.replace("XXX", "nan"))})
    both("1 2\n", dtype=object, converters=lambda s: [s, s])
    both("1 2\n", dtype="i1", converters=lambda s: 700)
    for converters in (0, [float], "", {"a": int}, {1.0: int}, {0: 1}, {3: int}, {-3: int}):
        both("1 2\n3 4", converters=converters)


def test_a_failing_converter_is_named() -> None:
    calls = 0

    def convert(text: str) -> float:
        nonlocal calls
        calls += 1
        return 1 / (int(text) - 3)

    with pytest.raises(fastio.ParseError, match="division by zero") as caught:
        fastio.loadtxt(["1 9", "2 9", "3 9", "4 9"], converters={0: convert})
    error = caught.value
    assert (error.record, error.field, error.text, calls) == (3, 1, b"3", 3)
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_errors_name_the_place() -> None:
    with pytest.raises(fastio.ParseError) as caught:
        fastio.loadtxt(b"1,2\n3,XXX\n5,6", delimiter=",")
    assert (caught.value.lineno, caught.value.record, caught.value.text) == (2, 2, b"XXX")
    assert str(caught.value).endswith(": 'XXX'")  # nothing about keywords that only read_csv has
    with pytest.raises(fastio.RangeError) as caught:
        fastio.loadtxt(b"1\n9223372036854775808\n", int)
    assert (caught.value.lineno, caught.value.offset) == (2, 2)
    with pytest.raises(fastio.ParseError) as caught:
        fastio.loadtxt(["2001-01-01", "2001-99-01"], "M8[D]")
    assert (caught.value.record, caught.value.field, caught.value.text) == (2, 1, b"2001-99-01")


@pytest.mark.parametrize("dtype", ["U3", "S3", [("a", "U3")], [("a", "S3")]])
def test_texts_are_never_cut(dtype: Any) -> None:
    numpy.loadtxt(["abcdef"], dtype)  # NumPy does
    with pytest.raises(fastio.ParseError, match="longer than"):
        fastio.loadtxt(["abc", "abcdef"], dtype)
    same(fastio.loadtxt(["abc", "d"], dtype), numpy.loadtxt(["abc", "d"], dtype))


def test_bytes_are_latin_1() -> None:
    for dtype in ("S", "S4"):
        both("caf\u00e9 \u00ff\n", dtype=dtype)
        both("\u20ac\n", dtype=dtype)


def test_unsized_dtypes_get_what_their_longest_needs() -> None:
    both("2012-03\n" * 3 + "2013-01-15\n", dtype="M8")
    both("a bb\nccc d\n", dtype="U")
    assert fastio.loadtxt(["a bb", "ccc d"], "S").dtype == "S3"


@pytest.mark.parametrize(
    "keywords",
    [
        {"skiprows": -3}, {"max_rows": -3}, {"skiprows": 1.0}, {"max_rows": 1.0}, {"skiprows": True}, {"ndmin": 3},
        {"ndmin": -1}, {"ndmin": None}, {"usecols": 1.5}, {"usecols": [0, 1.5]}, {"delimiter": ""}, {"comments": ""},
        {"comments": ["#", ""]}, {"quotechar": ""}, {"quotechar": "''"}, {"quotechar": b'"'}, {"delimiter": "\n"},
        {"comments": "\r"},
        {"quotechar": "\n"}, {"delimiter": "#"}, {"delimiter": ",", "quotechar": ","}, {"quotechar": "#"},
        {"delimiter": ",", "comments": ["#", ","]}, {"comments": " "}, {"quotechar": "\t"},
        {"comments": "//", "quotechar": "'"}, {"comments": ["#", "%"], "quotechar": '"'}, {"dtype": (float, 2)},
        {"dtype": "i4,i4", "usecols": 0}, {"dtype": "i4"}, {"dtype": "V2"}, {"comments": ("#",), "quotechar": '"'},
    ],
)  # fmt: skip
def test_bad_keywords(keywords: dict[str, Any]) -> None:
    both("1 2\n3.5 4\n", **keywords)


def test_encoding_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="converters are called with str"):
        fastio.loadtxt(["1"], encoding="bytes")


# ---- sources ----


@pytest.mark.parametrize("comments", ["#", "//"])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "latin-1"])
def test_sources(tmp_path: Path, encoding: str | None, comments: str) -> None:
    text = "\u00e9 1\n\u00fc 2\n"
    data = text.encode(encoding or "utf-8")
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    expected = numpy.array([["\u00e9", "1"], ["\u00fc", "2"]])
    keywords: dict[str, Any] = {"dtype": str, "encoding": encoding, "comments": comments}
    with path.open("rb") as binary, path.open(encoding=encoding or "utf-8") as file, path.open("rb") as other:
        sources: list[Any] = [path, str(path), data, bytearray(data), io.BytesIO(data), binary, other.fileno(), file]
        sources += [io.StringIO(text), text.splitlines(), text.splitlines(keepends=True), iter(text.splitlines())]
        sources += [collections.deque(text.splitlines()), (line for line in text.splitlines())]
        for source in sources:
            same(fastio.loadtxt(source, **keywords), expected)
    lines = [line.encode(encoding or "utf-8") for line in text.splitlines()]
    same(fastio.loadtxt(lines, **keywords), expected)
    with fastio.load(path) as mapped:
        same(fastio.loadtxt(mapped, **keywords), expected)


def test_bytes_are_utf_8() -> None:
    data = "\u00e9\n".encode()
    assert numpy.loadtxt(io.BytesIO(data), str) == "\u00c3\u00a9"  # as if it were Latin-1
    for source in (io.BytesIO(data), [data]):
        assert fastio.loadtxt(source, str) == "\u00e9"
    assert fastio.loadtxt(b"\xef\xbb\xbf1 2").tolist() == [1, 2]


def test_no_more_lines_are_taken_than_needed() -> None:
    lines = iter(["# x", "", "1 2", "  # y", "3 4", "5 6", "no number"])
    assert fastio.loadtxt(lines, max_rows=2).tolist() == [[1, 2], [3, 4]]
    assert fastio.loadtxt(lines, max_rows=1).tolist() == [5, 6]
    assert next(lines) == "no number"
    for file in (io.StringIO("x\n1,2\n3,4\n5,6\n"), io.BytesIO(b"x\n1,2\n3,4\n5,6\n")):
        assert fastio.loadtxt(file, int, delimiter=",", skiprows=1, max_rows=2).tolist() == [[1, 2], [3, 4]]
        assert fastio.loadtxt(file, int, delimiter=",").tolist() == [5, 6]

    def endless() -> Iterator[str]:
        for i in itertools.count():
            yield f"{i}\n"

    assert fastio.loadtxt(endless(), max_rows=3).tolist() == [0, 1, 2]


def test_bad_sources(tmp_path: Path) -> None:
    for lines in (["1\n2"], ["1\r2\n"], ["1\n\n"]):
        with pytest.raises(ValueError):
            numpy.loadtxt(lines)
        with pytest.raises(ValueError, match="more than one line"):
            fastio.loadtxt(lines)
    for source in (["1,2", b"3,5", 12738], object(), 1.5, None, True):
        with pytest.raises(TypeError):
            fastio.loadtxt(source)
    with pytest.raises(FileNotFoundError):
        fastio.loadtxt(tmp_path / "none")
    with pytest.raises(LookupError):
        fastio.loadtxt(["1"], encoding="no-such-encoding")

    def failing() -> Iterator[str]:
        yield "1"
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        fastio.loadtxt(failing())


def test_opened_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("1 2 // 3\n", encoding="utf-16")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fastio.loadtxt(path, encoding="utf-16", comments="//").tolist() == [1, 2]
        assert fastio.loadtxt(path, str, encoding="utf-16", comments=None).tolist() == ["1", "2", "//", "3"]
        with pytest.raises(ValueError):
            fastio.loadtxt(path, encoding="utf-16", comments=None)


# ---- more than NumPy has ----


def test_longer_separators() -> None:
    assert fastio.loadtxt(["1::2", "3::4"], delimiter="::").tolist() == [[1, 2], [3, 4]]
    both("1\uff0c2\n3\uff0c4\n", delimiter="\uff0c")


def test_converters_of_a_column_twice() -> None:
    assert fastio.loadtxt(["1 2"], usecols=[1, 1], converters={1: lambda s: 9}).tolist() == [9, 9]
    assert fastio.loadtxt(["1 2"], usecols=[0, -1], converters={1: lambda s: 9}).tolist() == [1, 9]


def test_like() -> None:
    same(fastio.loadtxt(["1 2"], like=numpy.zeros(1)), numpy.array([1.0, 2.0]))

    class Other:
        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> str:
            return f"{function.__name__} {args[0].tolist()}"

    assert fastio.loadtxt(["1 2"], like=Other()) == "asarray [1.0, 2.0]"


def test_wide_and_long() -> None:
    row = ",".join(["1.5", "-2"] * 5000)
    same(fastio.loadtxt([row, row], delimiter=","), numpy.tile([1.5, -2.0], (2, 5000)))
    text = "".join(f"{i} {i / 8}\n" for i in range(30_000))
    both(text)
    both(text, dtype="i8,f4")
    both(text, dtype=int, usecols=0)


def test_the_array_is_all_that_keeps_the_memory() -> None:
    array = fastio.loadtxt(b"1 2\n3 4\n", ndmin=2)
    part = array[1]
    array[1, 0] = 7  # nobody else has the numbers
    del array
    gc.collect()
    assert part.tolist() == [7, 4]
    base = part
    while isinstance(base, numpy.ndarray):
        base = base.base
    column = weakref.ref(base.obj)
    assert isinstance(base, memoryview) and isinstance(column(), fastio.Column)
    del part, base
    gc.collect()
    assert column() is None
