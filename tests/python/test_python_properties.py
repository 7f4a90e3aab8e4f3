"""Against Python's own int, float, split and file iteration, whatever the input."""

from __future__ import annotations

import io
import math
import re
import struct
from typing import Any

import fastio
import pytest
from hypothesis import given
from hypothesis import strategies as st

BLOCKS = st.sampled_from([None, 1, 2, 3, 7, 64, 100])
THREADS = st.sampled_from([None, 1, 2, 3])
SPACES = st.text(" \t\n\r\v\f", min_size=1, max_size=4).map(str.encode)
INT64 = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-1000, 1000),
                  st.sampled_from([2**63 - 1, -(2**63), 10**18, -(10**18), 0]))


def sources(data: bytes) -> list[Any]:
    return [data, bytearray(data), io.BytesIO(data)]


def bits(value: float) -> bytes:
    return struct.pack("d", value)


@st.composite
def separated(draw: Any, items: Any) -> tuple[bytes, list[bytes]]:
    words = draw(st.lists(items, max_size=60))
    data = b"".join(word + draw(SPACES) for word in words)
    return (data.rstrip() if draw(st.booleans()) else data), words


def spelled(value: int) -> st.SearchStrategy[bytes]:
    plain = str(abs(value))
    signs = [b"-"] if value < 0 else [b"", b"+"] if value > 0 else [b"", b"+", b"-"]
    return st.tuples(st.sampled_from(signs), st.integers(0, 25)).map(lambda t: t[0] + b"0" * t[1] + plain.encode())


@given(separated(INT64.flatmap(spelled)), BLOCKS, THREADS)
def test_ints(case: tuple[bytes, list[bytes]], block_size: int | None, threads: int | None) -> None:
    data, words = case
    expected = [int(word) for word in words]
    for source in sources(data):
        assert fastio.read_ints(source, block_size=block_size, threads=threads).to_list() == expected
    assert list(fastio.ints(data, block_size=block_size)) == expected
    with fastio.open(data, block_size=block_size) as reader:
        assert [reader.read_int() for _ in words] == expected
        with pytest.raises(EOFError):
            reader.read_int()


FLOATS = st.one_of(
    st.floats().map(lambda f: repr(f).encode()),
    st.floats(allow_nan=False).map(lambda f: b"%.17e" % f),
    st.floats(-1e6, 1e6).map(lambda f: b"%.6f" % f),
    st.tuples(st.integers(0, 10**40), st.integers(-340, 320)).map(lambda t: b"%de%d" % t),
    st.tuples(st.integers(0, 10**25), st.integers(0, 10**25)).map(lambda t: b"%d.%d" % t),
    st.sampled_from([b"inf", b"-Infinity", b"NaN", b"+.5", b"5.", b"-0", b"1e400", b"1e-400", b"9007199254740993"]),
)


@given(separated(FLOATS), BLOCKS, THREADS)
def test_floats(case: tuple[bytes, list[bytes]], block_size: int | None, threads: int | None) -> None:
    data, words = case
    expected = [math.nan if math.isnan(float(word)) else float(word) for word in words]
    for source in sources(data):
        read = fastio.read_floats(source, block_size=block_size, threads=threads).to_list()
        assert [math.isnan(v) or bits(v) for v in read] == [math.isnan(v) or bits(v) for v in expected]
    iterated = list(fastio.floats(data, block_size=block_size))
    assert [math.isnan(v) or bits(v) for v in iterated] == [math.isnan(v) or bits(v) for v in expected]


INTEGER = re.compile(rb"[+-]?[0-9]+")
FLOAT = re.compile(rb"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?|nan)", re.IGNORECASE)


@given(st.text("0123456789+-.eEinfatyNAx_ \n\t,\0\u00e9", max_size=30).map(str.encode))
def test_any_text_is_read_whole_or_refused_at_the_first_bad_token(data: bytes) -> None:
    words = re.findall(rb"[^ \t\n\r\v\f]+", data)
    for grammar, read, convert in [(INTEGER, fastio.read_ints, int), (FLOAT, fastio.read_floats, float)]:
        bad = next((w for w in re.finditer(rb"[^ \t\n\r\v\f]+", data) if not grammar.fullmatch(w.group())), None)
        try:
            values = read(data).to_list()
        except fastio.RangeError:
            assert convert is int
        except fastio.ParseError as error:
            assert bad is not None and error.offset == bad.start()
            assert error.lineno == data.count(b"\n", 0, bad.start()) + 1
            assert error.colno == bad.start() - data.rfind(b"\n", 0, bad.start())
            assert error.text == bad.group()[:64]
        else:
            assert bad is None
            assert [str(v) for v in values] == [str(convert(w)) for w in words]


@given(st.binary(max_size=200), BLOCKS)
def test_tokens(data: bytes, block_size: int | None) -> None:
    assert list(fastio.open(data, "rb", compression=None, block_size=block_size).tokens()) == data.split()


LINE_BYTES = st.lists(st.sampled_from([b"a", b"bc", b"\r", b"\n", b"\r\n", b"\0", b"\x1c", b"\xc2\x85", b"x" * 70]), max_size=40).map(b"".join)


@given(LINE_BYTES, BLOCKS, THREADS)
def test_lines(data: bytes, block_size: int | None, threads: int | None) -> None:
    kept = list(io.BytesIO(data))
    stripped = [line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line for line in kept]
    anyhow = [line.removesuffix("\n") for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")]
    for source in sources(data):
        assert fastio.read_lines(source, encoding=None, block_size=block_size, threads=threads).to_list() == stripped
    assert fastio.read_lines(data, encoding=None, keepends=True, block_size=block_size).to_list() == kept
    assert fastio.read_lines(data, newline="any", block_size=block_size, threads=threads).to_list() == anyhow
    assert list(fastio.lines(data, newline="any", block_size=block_size)) == anyhow
    assert list(fastio.lines(data, encoding=None, block_size=block_size)) == stripped
    assert list(fastio.lines(data, encoding=None, keepends=True, block_size=block_size)) == kept
    assert list(fastio.lines(data, block_size=block_size)) == [line.decode() for line in stripped]
    assert fastio.count_lines(data, block_size=block_size, threads=threads) == len(kept)


@given(st.text(max_size=100), BLOCKS)
def test_text(text: str, block_size: int | None) -> None:
    data = text.encode("utf-8", "surrogatepass")
    expected = [line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line for line in io.BytesIO(data)]
    if data.startswith(b"\xef\xbb\xbf"):
        return
    try:
        decoded = [line.decode() for line in expected]
    except UnicodeDecodeError:
        with pytest.raises(fastio.DecodeError):
            fastio.read_lines(data, block_size=block_size)
    else:
        assert fastio.read_lines(data, block_size=block_size).to_list() == decoded
        assert list(fastio.lines(data, block_size=block_size)) == decoded


@given(st.binary(max_size=60), BLOCKS)
def test_any_bytes_as_utf8(data: bytes, block_size: int | None) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:3] == b"\xef\xbb\xbf" or data[:4] == b"\0\0\xfe\xff":
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        for read in (lambda: fastio.read_lines(data, compression=None, block_size=block_size),
                     lambda: list(fastio.lines(data, compression=None, block_size=block_size))):
            with pytest.raises(fastio.DecodeError) as caught:
                read()
            assert caught.value.offset == error.start
            assert caught.value.lineno == data.count(b"\n", 0, error.start) + 1
    else:
        assert "\n".join(fastio.lines(data, compression=None)).replace("\r", "") == data.decode().removesuffix("\n").replace("\r", "")
    expected = [line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line for line in io.BytesIO(data)]
    assert list(fastio.lines(data, errors="replace", compression=None)) == [line.decode(errors="replace") for line in expected]


@given(st.lists(INT64, max_size=30), st.integers(1, 12))
def test_parts_make_the_whole(values: list[int], size: int) -> None:
    data = " ".join(map(str, values)).encode()
    ranges = range(0, len(data) + 1, size)
    parts = [fastio.read_ints(data, offset=start, length=size) for start in ranges]
    assert [v for part in parts for v in part] == values
    assert [v for start in ranges for v in fastio.ints(data, offset=start, length=size)] == values


@given(LINE_BYTES, st.integers(1, 12))
def test_parts_of_lines_make_the_whole(data: bytes, size: int) -> None:
    for newline in ("lf", "any"):
        whole = fastio.read_lines(data, encoding=None, newline=newline).to_list()
        ranges = range(0, len(data) + 1, size)
        for read in (fastio.read_lines, fastio.lines):
            parts = [read(data, encoding=None, newline=newline, offset=start, length=size) for start in ranges]
            assert [line for part in parts for line in part] == whole
        assert sum(fastio.count_lines(data, newline=newline, offset=start, length=size) for start in ranges) == len(whole)


@given(st.lists(st.one_of(st.none(), st.integers(-128, 127)), max_size=50), st.integers(0, 50))
def test_max_items_and_nulls(values: list[int | None], limit: int) -> None:
    data = ",".join("" if v is None else str(v) for v in values).encode() + b"\n"
    if not values or values == [None]:
        return
    read = fastio.read_ints(data, "int8", sep=",", null_values=[""], max_items=limit)
    assert read.to_list() == values[:limit] and read.null_count == values[:limit].count(None)


@given(st.lists(INT64, max_size=20), st.data())
def test_slices_of_slices(values: list[int], data: Any) -> None:
    read, expected = fastio.read_ints(" ".join(map(str, values)).encode()), values
    for _ in range(3):
        part = data.draw(st.slices(len(expected)))
        read, expected = read[part], expected[part]
        assert read.to_list() == expected == memoryview(read).tolist()
