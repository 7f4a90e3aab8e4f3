"""Lines, and the iterators over lines and numbers."""

from __future__ import annotations

import gc
import io
import itertools
import pickle
import weakref
from pathlib import Path

import fastio
import pytest

TEXT = "first\n\nthe third, with \u00e9\u20ac\U0001f600\r\nx\nlast without newline"
LINES = ["first", "", "the third, with \u00e9\u20ac\U0001f600", "x", "last without newline"]


def test_lines_are_a_lazy_sequence() -> None:
    lines = fastio.read_lines(TEXT.encode())
    assert list(lines) == lines.to_list() == LINES
    assert [lines[i] for i in range(-5, 5)] == LINES + LINES
    assert lines.index("x") == 3 and lines.count("") == 1 and "last" not in lines
    assert lines.encoding == "utf-8"
    assert lines.nbytes == sum(len(line.encode()) for line in LINES)
    for start, stop, step in itertools.product([None, -3, 0, 2, 9], [None, -1, 0, 4], [None, 2, -1, -3]):
        view = lines[start:stop:step]
        assert isinstance(view, fastio.Lines)
        assert view.to_list() == LINES[start:stop:step]
        assert view.nbytes == sum(len(line.encode()) for line in LINES[start:stop:step])
    with pytest.raises(IndexError):
        lines[5]
    assert repr(lines[:2]) == "<fastio.Lines str length=2 ['first', '']>"


def test_bytes() -> None:
    lines = fastio.read_lines(b"\xef\xbb\xbf\xff\0\nb", encoding=None)
    assert lines.to_list() == [b"\xef\xbb\xbf\xff\0", b"b"]
    assert lines.encoding is None
    assert lines != fastio.read_lines(b"b") and lines[1:] == fastio.read_lines(b"b", encoding=None)


def test_lines_object() -> None:
    lines = fastio.read_lines(b"a\nb\nc\nd")
    assert lines == fastio.read_lines(b"a\r\nb\nc\nd\n") != lines[1:]
    assert lines != ["a", "b", "c", "d"]
    with pytest.raises(TypeError):
        hash(lines)
    with pytest.raises(TypeError):
        fastio.Lines()
    reference = weakref.ref(lines)
    part = lines[1:3]
    del lines
    gc.collect()
    assert reference() is None and part.to_list() == ["b", "c"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("encoding", ["utf-8", None])
def test_pickle(protocol: int, encoding: str | None) -> None:
    lines = fastio.read_lines(TEXT.encode(), encoding=encoding)
    for view in (lines, lines[1:-1], lines[::-2], lines[:0]):
        loaded = pickle.loads(pickle.dumps(view, protocol))
        assert loaded == view and loaded.encoding == view.encoding
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(lines[1:4], 5, buffer_callback=buffers.append)
    assert pickle.loads(data, buffers=buffers) == lines[1:4]


@pytest.mark.parametrize("block_size", [1, 2, 3, 7, None])
def test_iterating_agrees_with_reading(block_size: int | None) -> None:
    for data in [TEXT.encode(), b"", b"\n", b"\n\n", b"a", b"\r", b"a\r\n\r\nb\rc"]:
        for newline in ("lf", "any", ";"):
            for keepends in (False, True):
                read = fastio.read_lines(data, newline=newline, keepends=keepends, block_size=block_size)
                iterated = fastio.lines(data, newline=newline, keepends=keepends, block_size=block_size)
                assert list(iterated) == read.to_list()
                assert fastio.count_lines(data, newline=newline, block_size=block_size) == len(read)


def test_many_lines(tmp_path: Path) -> None:
    expected = [f"{i}\u00e9" if i % 1000 == 999 else str(i) for i in range(100_000)]
    path = tmp_path / "many"
    path.write_text("\n".join(expected), encoding="utf-8")
    assert list(fastio.lines(path)) == expected
    assert list(fastio.lines(path, encoding=None)) == [line.encode() for line in expected]
    assert fastio.read_lines(path).to_list() == expected
    assert list(fastio.lines(io.BytesIO(path.read_bytes()))) == expected


def test_a_line_longer_than_any_buffer() -> None:
    data = b"x" * 3_000_000 + b"\ny"
    assert [len(line) for line in fastio.lines(data)] == [3_000_000, 1]


def test_errors_of_decoding() -> None:
    data = b"good\ncaf\xe9_\xff\nalso"
    iterator = fastio.lines(data)
    assert next(iterator) == "good"
    with pytest.raises(fastio.DecodeError) as caught:
        next(iterator)
    assert (caught.value.offset, caught.value.lineno, caught.value.colno) == (8, 2, 4)
    assert list(iterator) == []
    for errors in ("replace", "ignore", "backslashreplace", "surrogateescape"):
        expected = [line.decode("utf-8", errors) for line in data.split(b"\n")]
        assert list(fastio.lines(data, errors=errors)) == expected
    with pytest.raises(LookupError):
        fastio.lines(data, errors="no such handler")
    assert list(fastio.lines(b"\xef\xbb\xbfa\xff\n\xef\xbb\xbfb", errors="replace")) == ["a\ufffd", "\ufeffb"]


def test_numbers() -> None:
    assert list(fastio.ints(b"1 -2\n3")) == [1, -2, 3]
    assert list(fastio.ints(b"1;2\n\n3 ; 4", sep=";")) == [1, 2, 3, 4]
    assert list(fastio.ints(b"ff 10", base=16)) == [255, 16]
    assert list(fastio.ints(b"18446744073709551615", dtype="uint64")) == [2**64 - 1]
    assert list(fastio.floats(b"1.5 inf # no\n-2", comment="#")) == [1.5, float("inf"), -2.0]
    assert list(fastio.ints(b"head\n7", skip_lines=1)) == [7]
    assert list(fastio.ints(b"10 20 30 40", offset=1, length=6)) == [20, 30]
    values = list(range(-5000, 5000))
    assert list(fastio.ints("\n".join(map(str, values)).encode(), block_size=100)) == values
    with pytest.raises(ValueError, match="int64 or uint64"):
        fastio.ints(b"1", dtype="int32")
    with pytest.raises(ValueError, match="reads no float64"):
        fastio.ints(b"1", dtype="float64")


def test_an_error_comes_behind_the_values_before_it() -> None:
    for iterator in (fastio.ints(b"1 2 x 3"), fastio.floats(b"1 2 x 3")):
        assert [next(iterator), next(iterator)] == [1, 2]
        with pytest.raises(fastio.ParseError) as caught:
            next(iterator)
        assert (caught.value.offset, caught.value.text) == (4, b"x")
        assert list(iterator) == []
    with pytest.raises(fastio.RangeError):
        list(fastio.floats(b"1e999", overflow="error"))


def test_iterators_let_go_of_their_source() -> None:
    data = bytearray(b"1\n2\n3\n")
    iterator = fastio.ints(data)
    with pytest.raises(BufferError):
        data.append(0)
    assert next(iterator) == 1
    iterator.close()
    data.append(10)
    assert list(iterator) == []
    with fastio.lines(data) as lines:
        assert next(lines) == "1"
    data.append(10)
    list_of = list(fastio.lines(data))
    data.append(10)
    assert len(list_of) == 5
    broken = fastio.ints(b"x")
    with pytest.raises(fastio.ParseError):
        next(broken)
    broken.close()
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(fastio.lines(b""))


def test_iterator_objects() -> None:
    iterator = fastio.lines(b"a\nb")
    assert iter(iterator) is iterator
    reference = weakref.ref(iterator)
    del iterator
    gc.collect()
    assert reference() is None
    with pytest.raises(TypeError):
        type(fastio.lines(b""))()


def test_iterator_in_a_cycle_is_collected() -> None:
    class File(io.BytesIO):
        pass

    file = File(b"a\nb\n")
    file.iterator = fastio.lines(file)  # type: ignore[attr-defined]
    reference = weakref.ref(file)
    del file
    gc.collect()
    assert reference() is None
