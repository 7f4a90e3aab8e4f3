"""Reader: one value at a time."""

from __future__ import annotations

import gc
import io
import os
import pickle
import warnings
import weakref
from pathlib import Path

import fastio
import pytest


def test_a_mixed_file() -> None:
    with fastio.open(b"3 points\n1.5 -2\nrest of it\nkey = value\n7") as reader:
        assert reader.read_int() == 3
        assert reader.read_token() == "points"
        assert reader.read_line() == ""
        assert (reader.read_float(), reader.read_float()) == (1.5, -2.0)
        assert reader.lineno == 2
        assert (reader.read_line(), reader.read_line()) == ("", "rest of it")
        assert reader.read_token() == "key"
        reader.expect("=")
        reader.skip()
        assert reader.offset == 38
        assert reader.read_int() == 7
        for read in (reader.read_int, reader.read_float, reader.read_token, reader.read_line, reader.skip):
            with pytest.raises(EOFError):
                read()
        with pytest.raises(EOFError):
            reader.expect(b"x")


def test_a_bad_token_stays() -> None:
    reader = fastio.open(b"12abc 99999999999999999999 5")
    for read in (reader.read_int, reader.read_float):
        with pytest.raises(fastio.ParseError) as caught:
            read()
        assert (caught.value.offset, caught.value.text) == (0, b"12abc")
    assert reader.read_token() == "12abc"
    with pytest.raises(fastio.RangeError):
        reader.read_int()
    assert reader.read_float() == 1e20
    with pytest.raises(fastio.ParseError, match="expected") as caught:
        reader.expect("6")
    assert caught.value.offset == 27
    reader.expect(b"5")


def test_iterators_share_the_place() -> None:
    reader = fastio.open(b"1 2 3\nx y\nline\n4.5")
    ints = reader.ints()
    assert next(ints) == 1 and reader.offset == 1
    assert reader.read_int() == 2 and next(ints) == 3
    with pytest.raises(fastio.ParseError):
        next(ints)
    tokens = reader.tokens()
    assert [next(tokens), next(tokens), reader.read_line()] == ["x", "y", ""]
    assert next(reader.lines()) == "line"
    assert list(reader.floats()) == [4.5] and list(ints) == list(tokens) == []
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        next(ints)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(ints)


@pytest.mark.parametrize("keywords", [{"mode": "rb"}, {"encoding": None}, {"mode": "rb", "encoding": "utf-8"}])
def test_bytes(keywords: dict[str, object]) -> None:
    reader = fastio.open(b"a\xff b\xfe\n", **keywords)  # type: ignore[call-overload]
    assert (reader.read_token(), reader.read_line()) == (b"a\xff", b" b\xfe")


def test_text_must_be_utf8() -> None:
    reader = fastio.open("\u00e9\u20ac ok\n".encode() + b"a\xff\nb\xff c")
    assert (reader.read_token(), reader.read_line()) == ("\u00e9\u20ac", " ok")
    with pytest.raises(fastio.DecodeError) as caught:
        reader.read_line()
    assert (caught.value.offset, caught.value.lineno, caught.value.colno) == (10, 2, 2)
    reader.skip()
    with pytest.raises(UnicodeDecodeError):
        reader.read_token()
    reader.skip()
    assert reader.read_token() == "c"


def test_options() -> None:
    reader = fastio.open(b"# skipped\n1;z;3 # no\n", sep=";", comment="#", base=36, skip_lines=1)
    assert list(reader.ints()) == [1, 35, 3]
    assert fastio.open(b"a|b|", newline=b"|", keepends=True).read_line() == "a|"
    assert list(fastio.open(b"10 20 30 40", offset=1, length=6).ints()) == [20, 30]
    with pytest.raises(fastio.RangeError):
        fastio.open(b"1e999", overflow="error").read_float()
    for mode in ("r+", "", "rt", "w+", "wbt", "wx"):
        with pytest.raises(ValueError, match="to read"):
            fastio.open(b"", mode)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="mode"):
        fastio.open(b"", None)  # type: ignore[call-overload]


@pytest.mark.parametrize("block_size", [1, 2, 3, 5, None])
def test_any_buffer(block_size: int | None) -> None:
    reader = fastio.open(b"12 3456789\nabc def\r\nxyz", block_size=block_size)
    assert reader.read_int() == 12
    assert reader.read_int() == 3456789
    assert (reader.read_line(), reader.read_line(), reader.read_line()) == ("", "abc def", "xyz")


def test_closing(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"1 2 3")
    reader = fastio.open(path)
    assert (reader.closed, reader.path) == (False, str(path))
    assert repr(reader) == f"<fastio.Reader {str(path)!r}>"
    reader.close()
    reader.close()
    assert (reader.closed, reader.path) == (True, str(path))
    assert repr(reader) == f"<fastio.Reader {str(path)!r} closed>"
    for use in (reader.read_int, reader.read_line, reader.skip, reader.__enter__, lambda: reader.offset,
                lambda: reader.lineno, lambda: reader.expect("x")):
        with pytest.raises(ValueError, match="closed"):
            use()
    with pytest.raises(KeyError), fastio.open(path) as reader:
        raise KeyError
    assert reader.closed


def test_a_dropped_reader_warns_if_it_opened_the_file(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"1")
    with pytest.warns(ResourceWarning, match="unclosed reader"):
        fastio.open(path)
        gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fastio.open(path).close()
        fastio.open(b"1")
        fastio.open(io.BytesIO(b"1"))
        with open(path, "rb") as file:
            fastio.open(file.fileno())
        gc.collect()


def test_a_borrowed_descriptor_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"skip 1 2")
    with open(path, "rb", buffering=0) as file:
        file.read(5)
        with fastio.open(file.fileno()) as reader:
            assert (reader.read_int(), reader.offset) == (1, 1)
        os.fstat(file.fileno())


def test_objects() -> None:
    reader = fastio.open(b"1")
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(reader)
    with pytest.raises(TypeError):
        fastio.Reader()
    reference = weakref.ref(reader)
    iterator = reader.ints()
    del reader
    gc.collect()
    assert reference() is not None and next(iterator) == 1
    del iterator
    gc.collect()
    assert reference() is None
    assert fastio.Reader[str].__origin__ is fastio.Reader  # type: ignore[attr-defined]


def test_expect() -> None:
    reader = fastio.open("a  =b\u00e9\n c".encode())
    reader.expect("a")
    reader.expect("=b")
    reader.expect(bytearray("\u00e9".encode()))
    reader.expect("\n c")
    reader.expect("")
    with pytest.raises(TypeError):
        reader.expect(1)  # type: ignore[arg-type]
