"""Exceptions: the tree, what they tell, pickling."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any, Callable

import fastio
import pytest


def test_the_tree() -> None:
    bases = {
        fastio.Error: (Exception,),
        fastio.ParseError: (fastio.Error, ValueError),
        fastio.RangeError: (fastio.ParseError, OverflowError),
        fastio.DecodeError: (fastio.ParseError, UnicodeDecodeError),
        fastio.TruncatedError: (fastio.Error, EOFError),
    }
    for error, expected in bases.items():
        assert error.__bases__ == expected and error.__module__ == "fastio" and error.__doc__


def caught(call: Callable[[], Any]) -> Any:
    with pytest.raises(Exception) as info:
        call()
    return info.value


FAILURES: dict[str, tuple[Callable[[Any], Any], bytes, type[Exception], dict[str, Any]]] = {
    "token": (fastio.read_ints, b"1 2\n 3 x4 5\n", fastio.ParseError, {"offset": 7, "lineno": 2, "colno": 4, "text": b"x4"}),
    "range": (lambda s: fastio.read_ints(s, "int8"), b"1 2\n-129\n", fastio.RangeError,
              {"offset": 4, "lineno": 2, "colno": 1, "text": b"-129"}),
    "float": (fastio.read_floats, b"1.5 1e\n", fastio.ParseError, {"offset": 4, "lineno": 1, "colno": 5, "text": b"1e"}),
    "overflow": (lambda s: fastio.read_floats(s, overflow="error"), b"\n\n1e999", fastio.RangeError,
                 {"offset": 2, "lineno": 3, "colno": 1, "text": b"1e999"}),
    "field": (lambda s: fastio.read_ints(s, sep=","), b"1,2\n3,,4\n", fastio.ParseError, {"offset": 6, "lineno": 2, "colno": 3}),
    "utf8": (fastio.read_lines, b"ok\nab\xff\n", fastio.DecodeError, {"offset": 5, "lineno": 2, "colno": 3}),
    "iterator": (lambda s: list(fastio.ints(s)), b"1\n2\nq\n", fastio.ParseError, {"offset": 4, "lineno": 3, "colno": 1, "text": b"q"}),
    "lines": (lambda s: list(fastio.lines(s)), b"a\n\xc3(\n", fastio.DecodeError, {"offset": 2, "lineno": 2, "colno": 1}),
    "end": (lambda s: fastio.open(s).read_int(), b" ", EOFError, {"lineno": None, "text": None}),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("call, data, error, where", FAILURES.values(), ids=FAILURES)
def test_where(tmp_path: Path, call: Callable[[Any], Any], data: bytes, error: type[Exception], where: dict[str, Any]) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)
    for source, name in [(data, None), (str(path), str(path)), (path, str(path))]:
        exception = caught(lambda: call(source))
        assert type(exception) is error
        assert exception.path == name
        assert {key: getattr(exception, key) for key in where} == where
        assert exception.record is None and exception.field is None
        message = str(exception)
        if name:
            assert message.startswith(name)
        if where.get("text"):
            assert f"line {where['lineno']}, column {where['colno']}, offset {where['offset']}: " in message
            assert message.endswith(repr(where["text"]))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(exception, protocol))
            assert (type(again), str(again), vars(again)) == (error, message, vars(exception))
        assert str(copy.copy(exception)) == message


def test_the_first_error_in_the_order_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "input"
    lines = [b"%d" % i for i in range(400_000)]
    lines[300_000] = b"second"
    lines[200_000] = b"first"
    path.write_bytes(b"\n".join(lines))
    for threads in (1, 2, 5):
        exception = caught(lambda: fastio.read_ints(path, threads=threads, block_size=50_000))
        assert (exception.text, exception.lineno) == (b"first", 200_001)


def test_a_range_of_the_source_keeps_its_place() -> None:
    exception = caught(lambda: fastio.read_ints(b"1\n2\n3\nx\n", offset=4))
    assert (exception.offset, exception.lineno, exception.colno) == (6, 4, 1)


def test_long_text_is_cut() -> None:
    exception = caught(lambda: fastio.read_ints(b"x" * 1000))
    assert exception.text == b"x" * 64


def test_decode_error_is_a_unicode_error() -> None:
    exception = caught(lambda: fastio.read_lines(b"a\xff"))
    assert exception.encoding == "utf-8"
    assert exception.object[exception.start : exception.end] == b"\xff"
    assert exception.reason == str(exception)


def test_os_errors_tell_more() -> None:
    exception = caught(lambda: fastio.read_ints("/no/such/file"))
    assert type(exception) is FileNotFoundError and exception.path == "/no/such/file" and exception.offset is None
    again = pickle.loads(pickle.dumps(exception))
    assert (again.filename, again.path) == ("/no/such/file", "/no/such/file")


@pytest.mark.parametrize(
    ("data", "keywords", "status"),
    [
        (b"1 x", {}, "bad_token"),
        (b"1,,2", {"sep": ","}, "empty_field"),
        (b"999", {"dtype": "int8"}, "out_of_range"),
        (b"1 2 3", {"shape": (-1, 2)}, "bad_shape"),
    ],
)
def test_status(data: bytes, keywords: dict[str, Any], status: str) -> None:
    with pytest.raises(fastio.ParseError) as caught:
        fastio.read_ints(data, **keywords)
    assert (caught.value.status, pickle.loads(pickle.dumps(caught.value)).status) == (status, status)


def test_made_by_hand() -> None:
    error = fastio.ParseError("message")
    assert (str(error), error.offset, error.path, error.text) == ("message", None, None, None)
    error.offset = 3
    assert pickle.loads(pickle.dumps(error)).offset == 3 and fastio.ParseError.offset is None
    assert str(fastio.DecodeError("utf-8", b"\xff", 0, 1, "why")) == "why"


def test_other_byte_order_marks() -> None:
    assert list(fastio.read_lines("a".encode("utf-16"))) == ["a"]
    exception = caught(lambda: fastio.read_ints("1".encode("utf-16"), encoding=None))
    assert isinstance(exception, fastio.Error) and "encoding=" in str(exception)
    assert fastio.read_ints(b"\xef\xbb\xbf1 2").to_list() == [1, 2]
    assert caught(lambda: fastio.read_ints(b"\xef\xbb\xbfx")).offset == 3
