"""Keywords: what they take and what they refuse."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from typing import Any

import fastio
import pytest

READERS = [fastio.read_ints, fastio.read_floats, fastio.read_lines, fastio.read_bytes, fastio.count_lines]
STREAMS = [fastio.lines, fastio.ints, fastio.floats, fastio.open]


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", READERS + STREAMS, ids=lambda f: f.__name__)
def test_signature_says_what_is_taken(function: Any) -> None:
    defaults = {name: p.default for name, p in parameters(function).items() if p.default is not p.empty}
    if function is fastio.open:  # of what it takes, this is for its other modes
        for name in parameters(fastio.Writer).keys() & defaults.keys() - {"mode", "compression", "encoding", "errors"}:
            with pytest.raises(TypeError, match="unexpected keyword"):
                function(b"a", **{name: defaults.pop(name)})
    data = b"1 2 3" if "int" in function.__name__ or "float" in function.__name__ else b"a"
    function(data, **defaults)
    for name in defaults:
        function(data, **{name: defaults[name]})
    assert function.__doc__ and len(function.__doc__) > 100
    for name in parameters(function):
        assert name in function.__doc__


@pytest.mark.parametrize("function", READERS + STREAMS, ids=lambda f: f.__name__)
def test_wrong_calls(function: Any) -> None:
    for arguments, keywords in [((), {}), ((b"", b"", b""), {}), ((b"",), {"source": b""}), ((b"",), {"no_such": 1}), ((b"",), {"": 1})]:
        with pytest.raises(TypeError):
            function(*arguments, **keywords)
    foreign = {"read_ints": "overflow", "read_lines": "base", "read_floats": "base", "read_bytes": "newline", "count_lines": "keepends"}
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(b"", **{foreign.get(function.__name__, "threads"): None})


def for_writing(function: Any) -> set[str]:
    """Words of open() that are for its other modes."""
    return {"threads"} if function is fastio.open else set()


COUNTS = ["max_size", "skip_lines", "offset", "length", "max_items", "threads", "block_size"]


@pytest.mark.parametrize("function", READERS + STREAMS, ids=lambda f: f.__name__)
def test_counts(function: Any) -> None:
    for name in parameters(function).keys() & set(COUNTS) - for_writing(function):
        for wrong in (True, False, 1.0, "1", b"1", [], 2 + 0j):
            with pytest.raises(TypeError, match=name):
                function(b"1", **{name: wrong})
        for wrong in (-1, -(2**70), 2**64):
            with pytest.raises(ValueError, match=name):
                function(b"1", **{name: wrong})
    if "threads" in parameters(function).keys() - for_writing(function):
        with pytest.raises(ValueError, match="threads"):
            function(b"1", threads=0)
    with pytest.raises(ValueError, match="block_size"):
        function(b"1", block_size=0)
    for value in (2**64 - 1, 2**63, 2**31):
        for name in ("length", "skip_lines"):
            if name in parameters(function):
                function(b"1", **{name: value})


class Index:
    def __index__(self) -> int:
        return 2


def test_index_objects() -> None:
    np = pytest.importorskip("numpy")
    for two in (Index(), np.int64(2), np.uint8(2)):
        assert fastio.read_ints(b"1 2 3", max_items=two).to_list() == [1, 2]


def test_single_bytes() -> None:
    for sep in (",", b",", ";", "|", "\t", b"\0", "\x01"):
        byte = sep if isinstance(sep, bytes) else sep.encode()
        assert fastio.read_ints(b"1" + byte + b"2", sep=sep).to_list() == [1, 2]
    for name in ("sep", "comment"):
        for wrong in ("", ",,", b"", b",,", "\u00e9", "\u20ac"):
            with pytest.raises(ValueError, match=name):
                fastio.read_ints(b"1", **{name: wrong})  # type: ignore[call-overload]
        for wrong in (1, 1.0, [","], bytearray(b",")):
            with pytest.raises(TypeError, match=name):
                fastio.read_ints(b"1", **{name: wrong})  # type: ignore[call-overload]
    for wrong in ("5", "a", "-", ".", "+"):
        with pytest.raises(ValueError):
            fastio.read_ints(b"1", sep=wrong)
    assert fastio.read_lines(b"a\xffb", newline=b"\xff", encoding=None).to_list() == [b"a", b"b"]
    for wrong in ("crlf", "", "\u00e9", b"ab"):
        with pytest.raises(ValueError, match="newline"):
            fastio.read_lines(b"", newline=wrong)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="newline"):
        fastio.read_lines(b"", newline=None)  # type: ignore[call-overload]


def test_words() -> None:
    for encoding in ("utf-8", "UTF-8", "utf8", None):
        fastio.read_lines(b"", encoding=encoding)
    for wrong in ("no-such", "", "utf-8\0"):
        with pytest.raises(ValueError, match="encoding"):
            fastio.read_lines(b"", encoding=wrong)
    for wrong in (1, b"utf-8"):
        with pytest.raises(TypeError, match="encoding"):
            fastio.read_lines(b"", encoding=wrong)  # type: ignore[call-overload]
    for wrong in ("IEEE", None, 1):
        with pytest.raises(ValueError, match="overflow"):
            fastio.read_floats(b"", overflow=wrong)  # type: ignore[call-overload]
    for wrong in (0, 1, 37, -1, 2**70):
        with pytest.raises(ValueError, match="base"):
            fastio.read_ints(b"", base=wrong)
    for base in range(2, 37):
        assert fastio.read_ints(b"10 11", base=base).to_list() == [base, base + 1]


def test_null_values() -> None:
    for values in (["NA"], ("NA",), {"NA"}, (v for v in ["NA"]), [b"NA", "null"], {"NA": 1}):
        assert fastio.read_ints(b"1 NA", null_values=values).to_list() == [1, None]
    for wrong in ("NA", b"NA", 1, [1], [None], ["a", 2]):
        with pytest.raises(TypeError):
            fastio.read_ints(b"1", null_values=wrong)  # type: ignore[call-overload]

    def broken() -> Any:
        yield "a"
        raise KeyError("mine")

    with pytest.raises(KeyError):
        fastio.read_ints(b"1", null_values=broken())
    assert fastio.read_ints("1 \u00e9".encode(), null_values=["\u00e9"]).to_list() == [1, None]


# ---- dtype


def test_dtype_names() -> None:
    for wrong in ("i8", "u8", "f8", "int", "float", "INT64", "long", "", "int64\0", "str", "bool", "\u00e9"):
        with pytest.raises(ValueError):
            fastio.read_ints(b"1", wrong)
    for wrong in (None, 1, int, float, b"int64", object):
        with pytest.raises(TypeError, match="dtype"):
            fastio.read_ints(b"1", wrong)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="read_ints.. reads no float64"):
        fastio.read_ints(b"1", "float64")
    with pytest.raises(ValueError, match="read_floats.. reads no int8"):
        fastio.read_floats(b"1", dtype="int8")


def test_dtypes_of_numpy() -> None:
    np = pytest.importorskip("numpy")
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        for given in (np.dtype(name), getattr(np, name), np.dtype(name).type):
            assert fastio.read_ints(b"1", given).dtype == name
    assert fastio.read_ints(b"1", np.longlong).dtype == "int64"
    assert fastio.read_floats(b"1", np.float32).dtype == "float32"
    other_order = np.dtype("int64").newbyteorder(">" if sys.byteorder == "little" else "<")
    for wrong in (other_order, np.dtype("datetime64[s]"), np.float16, np.bool_, np.dtype("S3"), np.dtype("i4,i4")):
        with pytest.raises(ValueError):
            fastio.read_ints(b"1", wrong)


# ---- threads and progress


def test_threads_variable() -> None:
    code = "import fastio; print(len(fastio.read_ints(b'1 ' * 1_000_000)))"

    def run(value: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", code], env={**os.environ, "FASTIO_THREADS": value}, capture_output=True, text=True)

    for value in ("1", "3", ""):
        assert run(value).stdout == "1000000\n"
    for value in ("0", "-1", "many", "2x"):
        assert "ValueError: the environment variable FASTIO_THREADS" in run(value).stderr


def test_threads_do_not_change_the_result() -> None:
    data = b"\n".join(b"%d" % (i * 7919) for i in range(200_000))
    one = fastio.read_ints(data, threads=1)
    for threads in (2, 3, 8):
        assert fastio.read_ints(data, threads=threads) == one
        assert fastio.read_lines(data, threads=threads).to_list()[-1] == str(one[-1])
        assert fastio.count_lines(data, threads=threads) == 200_000


def test_progress() -> None:
    data = b"1234567\n" * 500_000
    for function in READERS:
        seen: list[tuple[int, int | None]] = []
        function(data, progress=lambda done, total: seen.append((done, total)), block_size=100_000, threads=1)
        assert len(seen) > (0 if function is fastio.read_bytes else 5)
        assert seen == sorted(seen)  # type: ignore[type-var]
        assert {total for _, total in seen} == {len(data)}
        assert seen[-1][0] <= len(data)
        for quiet in (None, False):
            function(b"1", progress=quiet)
        with pytest.raises(TypeError, match="progress"):
            function(b"1", progress=1)


def test_what_progress_raises_ends_the_reading() -> None:
    class Mine(BaseException):
        pass

    mine = Mine()

    def stop(done: int, total: int | None) -> None:
        raise mine

    for function in READERS:
        for threads in (1, 2):
            with pytest.raises(Mine) as caught:
                function(b"1 " * 2_000_000, progress=stop, threads=threads)
            assert caught.value is mine


def test_progress_on_standard_error() -> None:
    code = """
import fastio, io, sys
sys.modules["rich"] = sys.modules["rich.progress"] = sys.modules["tqdm"] = None  # as if they were not installed
class Terminal(io.StringIO):
    def isatty(self): return True
sys.stderr = Terminal()
fastio.read_ints(b"1 " * 3_000_000, progress=True)
shown = sys.stderr.getvalue()
sys.stderr = io.StringIO()
fastio.read_ints(b"1 " * 3_000_000, progress=True)
print(shown.count("MiB") > 0, "%" in shown, sys.stderr.getvalue() == "")
sys.stderr = None
fastio.read_ints(b"1 " * 3_000_000, progress=True)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "True True True\n", run.stderr
