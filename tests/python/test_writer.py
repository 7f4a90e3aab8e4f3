"""Writer: opening, bytes and text, single values, closing, and what goes wrong."""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import json
import mmap
import os
import pickle
import stat
import sys
import tempfile
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastio
import pytest

# ---- where to


def test_paths(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with fastio.open(path, "w") as writer:
        assert (writer.name, writer.mode, writer.closed) == (str(path), "w", False)
        assert writer.write("a\n") == 2 and writer.write(b"b\n") == 2
        assert repr(writer) == f"<fastio.Writer {str(path)!r}>"
    assert path.read_bytes() == b"a\nb\n"
    assert (writer.closed, writer.name, repr(writer)) == (True, str(path), f"<fastio.Writer {str(path)!r} closed>")
    with fastio.open(str(path), "ab") as writer:
        writer.write("c")
        assert (writer.mode, writer.tell()) == ("a", 1)
    assert path.read_bytes() == b"a\nb\nc"
    with pytest.raises(FileExistsError):
        fastio.open(path, "x")
    with fastio.open(path, mode="wt"):
        pass
    assert path.read_bytes() == b""
    with fastio.Writer(tmp_path / "new", "x", permissions=0o600, sync=True, buffering="full", buffer_size=3) as writer:
        writer.write("x" * 10)
    assert (tmp_path / "new").read_bytes() == b"x" * 10
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_a_dash_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with fastio.open(Path("-"), "w") as writer:
        writer.write("x")
    assert (tmp_path / "-").read_bytes() == b"x"


def test_descriptors(tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb", buffering=0) as file:
        file.write(b"1")
        with fastio.open(file.fileno(), "w") as writer:
            assert writer.name == f"<fd {file.fileno()}>" and writer.fileno() == file.fileno()
            writer.write("2")
        file.write(b"3")
    assert (tmp_path / "out").read_bytes() == b"123"


def test_memory() -> None:
    writer = fastio.Writer()
    assert writer.name is None and repr(writer) == "<fastio.Writer>"
    for size in (0, 1, 100, 100_000, 3_000_000):
        writer.write(b"x" * size)
    assert writer.getvalue() == b"x" * 3_100_101 and writer.tell() == 3_100_101
    writer.write("y")
    assert len(writer.getvalue()) == 3_100_102
    with pytest.raises(io.UnsupportedOperation):
        writer.fileno()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.getvalue()
    with fastio.open(None, "w") as writer:
        assert writer.getvalue() == b""


class Object:
    """What a file object may do with the bytes."""

    def __init__(self, answer: Any = None) -> None:
        self.data, self.flushes, self.answer, self.sizes = b"", 0, answer, list[int]()

    def write(self, data: bytes) -> Any:
        assert type(data) is bytes
        answer = self.answer(len(data)) if callable(self.answer) else self.answer
        taken = answer if isinstance(answer, int) and 0 <= answer <= len(data) else len(data)
        self.data += data[:taken]
        self.sizes.append(taken)
        return answer

    def flush(self) -> None:
        self.flushes += 1


def test_file_objects() -> None:
    for answer in (None, lambda size: size, lambda size: min(size, 7), lambda size: 1):
        target = Object(answer)
        writer = fastio.open(target, "w")
        writer.write("abc")
        writer.write(b"0123456789" * 50)
        writer.flush()
        assert (target.data, target.flushes) == (b"abc" + b"0123456789" * 50, 1)
        writer.write("end")
        writer.close()
        assert target.data.endswith(b"9end")
    target = Object()
    with fastio.open(target, "w", buffering="none") as writer:
        writer.write("a")
        writer.print("b", 1)
        assert target.sizes == [1, 4]
    file = io.BytesIO()
    file.name = "mine"  # type: ignore[attr-defined]
    with fastio.open(file, "w") as writer:
        writer.write(b"z" * 5_000_000)
        assert writer.name == "mine"
    assert file.getvalue() == b"z" * 5_000_000 and not file.closed


def test_a_writer_into_a_writer() -> None:
    below = fastio.Writer()
    with fastio.open(below, "w") as writer:
        writer.write("x")
        assert below.getvalue() == b""
    assert below.getvalue() == b"x"


@pytest.mark.parametrize(("dest", "error", "says"), [
    (io.StringIO(), TypeError, "text mode"),
    (sys.stdout, TypeError, "text mode"),
    (b"name", TypeError, "fsdecode"),
    (True, TypeError, "bool"),
    (1.5, TypeError, "a destination is"),
    (object(), TypeError, "a destination is"),
    ("a\0b", ValueError, "null"),
    (-1, ValueError, "negative"),
])
def test_no_destinations(dest: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        fastio.open(dest, "w")


@pytest.mark.parametrize(("words", "error"), [
    ({"buffering": "maybe"}, ValueError), ({"buffering": 1}, TypeError), ({"buffer_size": 0}, ValueError), ({"buffer_size": "x"}, TypeError),
    ({"permissions": 0o10000}, ValueError), ({"permissions": "rw"}, TypeError), ({"encoding": 1}, TypeError), ({"encoding": "no-such"}, ValueError), ({"level": "x"}, TypeError), ({"level": True}, TypeError), ({"level": -1000}, ValueError), ({"compression": 1}, TypeError), ({"errors": "ignore"}, ValueError), ({"threads": 0}, ValueError), ({"sep": ","}, TypeError),
    ({"mode": "q"}, ValueError), ({"mode": "wr"}, ValueError), ({"mode": "w+"}, ValueError), ({"mode": "wbb"}, ValueError), ({"mode": ""}, ValueError),
    ({"mode": "a", "atomic": True}, ValueError),
])
def test_refused_words(tmp_path: Path, words: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        fastio.Writer(tmp_path / "out", **words)
    assert not (tmp_path / "out").exists()


# ---- what is written


def written(*calls: Any, **words: Any) -> bytes:
    writer = fastio.Writer(**words)
    for call in calls:
        call(writer)
    return writer.getvalue()


def test_text_and_bytes() -> None:
    data: list[Any] = ["", "ascii", "\u00fc\u20ac\U0001f600", "nul\0", b"\xff\x00", bytearray(b"ab"), memoryview(b"cd"), fastio.read_bytes(b"ef")]
    expected = b"".join(d.encode() if isinstance(d, str) else bytes(d) for d in data)
    writer = fastio.Writer()
    assert [writer.write(d) for d in data] == [len(d.encode() if isinstance(d, str) else bytes(d)) for d in data]
    assert writer.getvalue() == expected
    for bad in (1, None, ["x"], memoryview(b"abcd")[::2]):
        with pytest.raises((TypeError, BufferError)):
            writer.write(bad)  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        writer.write("a\ud800")
    assert writer.getvalue() == expected


@pytest.mark.parametrize("words", [{}, {"sep": ", "}, {"end": ""}, {"sep": "", "end": "\u20ac"}, {"sep": None, "end": None}, {"flush": True}])
def test_print_is_the_built_in_one(words: dict[str, Any]) -> None:
    values = [1, 1.0, "x", None, True, b"y", 10**30, 1e300, [1, 2], "\u00fc"]
    for some in (values, values[:1], []):
        expected = io.StringIO()
        print(*some, file=expected, **words)
        assert written(lambda w: w.print(*some, **words)) == expected.getvalue().encode()  # noqa: B023


def test_print_refuses() -> None:
    writer = fastio.Writer()
    for words in ({"sep": 1}, {"end": b""}, {"file": None}):
        with pytest.raises(TypeError):
            writer.print(1, **words)
    assert writer.getvalue() == b""


class Chatty:
    """Writes to the very writer that prints it."""

    def __init__(self, writer: fastio.Writer) -> None:
        self.writer = writer

    def __str__(self) -> str:
        self.writer.write("before ")
        return "chatty"


def test_print_is_one_write() -> None:
    target = Object()
    with fastio.open(target, "w", buffering="none") as writer:
        writer.print("a", 1, 2.5, Chatty(writer))
    assert target.data == b"before a 1 2.5 chatty\n" and target.sizes == [7, 15]


def test_single_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert written(lambda w: [w.write_int(i) for i in (0, -1, 2**63 - 1, -(2**63), 2**64 - 1, True - 1)]) == (
        b"0-19223372036854775807-9223372036854775808184467440737095516150")
    assert written(lambda w: w.write_int(numpy.int16(5), fastio.integer(2, width=5))) == b"  101"
    assert written(lambda w: [w.write_float(x) for x in (0.1, 1, numpy.float32(0.1), float("inf"))]) == b"0.11.00.1inf"
    assert written(lambda w: w.write_float(0.1, format=fastio.fixed(3)), lambda w: w.write_float(1.5, "hexadecimal")) == b"0.1000x1.8p+0"
    writer = fastio.Writer()
    for value in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError):
            writer.write_int(value)
    for bad in (True, 1.0, "1", None, numpy.bool_(1)):
        with pytest.raises(TypeError, match="write_int"):
            writer.write_int(bad)  # type: ignore[arg-type]
    for bad in (True, "1", None, 1j):
        with pytest.raises(TypeError, match="write_float"):
            writer.write_float(bad)  # type: ignore[arg-type]
    writer.write_float(2**53)
    with pytest.raises(OverflowError, match="9007199254740993"):
        writer.write_float(2**53 + 1)
    for call in (lambda: writer.write_int(), lambda: writer.write_int(1, None, 2), lambda: writer.write_int(1, fmt=None)):  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            call()
    assert writer.getvalue() == b"9007199254740992.0"


@pytest.mark.parametrize("size", [1, 2, 7, 64, None])
def test_any_buffer(tmp_path: Path, size: int | None) -> None:
    with fastio.open(tmp_path / "out", "w", buffer_size=size) as writer:
        for i in range(200):
            writer.write_int(i)
            writer.write(", ")
            writer.print(i / 8, "\u20ac")
    assert (tmp_path / "out").read_text("utf-8") == "".join(f"{i}, {i / 8} \u20ac\n" for i in range(200))


def test_more_than_two_gib_at_once() -> None:
    """Sparse memory to /dev/null: one call, in full."""
    size = (2 << 30) + 12345
    with tempfile.TemporaryFile() as file:
        file.truncate(size)
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data, fastio.open("/dev/null", "w") as writer:
            assert writer.write(data) == size
            assert writer.tell() == size


def test_other_libraries_write_to_it() -> None:
    writer = fastio.Writer()
    json.dump({"a": [1, None]}, writer)  # type: ignore[arg-type]
    print("printed", file=writer)
    pickle.dump([1], writer)
    assert writer.getvalue() == b'{"a": [1, null]}printed\n' + pickle.dumps([1])


# ---- buffering


def test_when_bytes_leave() -> None:
    lines = Object()
    with fastio.open(lines, "w", buffering="line") as writer:
        writer.write("a")
        assert lines.data == b""
        writer.write("b\nc")
        assert lines.data == b"ab\n"
        writer.print("d")
        assert lines.data == b"ab\ncd\n"
        writer.print("e", end="")
        writer.print("f", end="", flush=True)
        assert lines.data == b"ab\ncd\nef"
    none = Object()
    with fastio.open(none, "w", buffering="none") as writer:
        writer.write_int(1)
        assert none.data == b"1"
    full = Object()
    with fastio.open(full, "w", buffering="full") as writer:
        writer.write("a\n")
        assert full.data == b""


# ---- closing


def every_use(writer: fastio.Writer) -> Iterator[Any]:
    yield from (lambda: writer.write("x"), lambda: writer.print(1), lambda: writer.write_int(1), lambda: writer.write_float(1.0),
                lambda: writer.write_ints([1]), lambda: writer.write_floats([1.0]), lambda: writer.write_lines(["x"]),
                lambda: writer.write_csv([[1]]), writer.flush, writer.sync, writer.tell, writer.fileno, writer.getvalue, writer.__enter__,
                lambda: writer._redirect(None), lambda: writer._copy(b"x", None, None, None, "strict"))


def test_a_closed_writer(tmp_path: Path) -> None:
    writer = fastio.open(tmp_path / "out", "w")
    writer.close()
    writer.close()
    writer.discard()
    for use in every_use(writer):
        with pytest.raises(ValueError, match="closed"):
            use()
    with pytest.raises(ValueError, match="closed"), writer:
        pass


def test_discard(tmp_path: Path) -> None:
    writer = fastio.open(tmp_path / "out", "w")
    writer.write("x")
    writer.discard()
    assert writer.closed and (tmp_path / "out").read_bytes() == b""


def test_a_dropped_writer_is_flushed_and_warns(tmp_path: Path) -> None:
    with pytest.warns(ResourceWarning, match="unclosed writer"):
        fastio.open(tmp_path / "out", "w").write("kept")
        gc.collect()
    assert (tmp_path / "out").read_bytes() == b"kept"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target = Object()
        fastio.open(target, "w").write("kept")
        fastio.Writer().write("gone")
        with open(tmp_path / "out", "wb") as file:
            fastio.open(file.fileno(), "w").write("too")
        gc.collect()
    assert target.data == b"kept" and (tmp_path / "out").read_bytes() == b"too"


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_dropped_writer_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: seen.append(hook.exc_value))
    fastio.open("/dev/full", "w").write("lost")
    gc.collect()
    assert [error.errno for error in seen] == [errno.ENOSPC]


def test_cycles_are_collected(tmp_path: Path) -> None:
    class Holder:
        def __init__(self) -> None:
            self.data = b""
            self.writer = fastio.open(self, "w")  # type: ignore[arg-type]

        def write(self, data: bytes) -> int:
            self.data += data
            kept.append(data)
            return len(data)

    kept: list[bytes] = []
    holder = Holder()
    holder.writer.write("x")
    reference = weakref.ref(holder.writer)
    del holder
    gc.collect()
    assert reference() is None and kept == [b"x"]


def test_objects() -> None:
    writer = fastio.Writer()
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(writer)
    with pytest.raises(TypeError):
        type("Sub", (fastio.Writer,), {})
    with pytest.raises(AttributeError):
        writer.name = "x"  # type: ignore[misc]


# ---- atomic


def test_atomic(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with fastio.open(path, "w", atomic=True) as writer:
        writer.write("new")
        writer.flush()
        assert path.read_bytes() == b"old" and writer.name == str(path)
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("how", ["body", "discard", "drop", "write"])
def test_a_failed_atomic_replacement_leaves_the_old_file(tmp_path: Path, how: str) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    if how == "body":
        with pytest.raises(KeyError), fastio.open(path, "w", atomic=True) as writer:
            writer.write("x" * 1_000_000)
            raise KeyError
    elif how == "discard":
        writer = fastio.open(path, "w", atomic=True)
        writer.write("x" * 1_000_000)
        writer.discard()
    elif how == "drop":
        with pytest.warns(ResourceWarning):
            fastio.open(path, "w", atomic=True).write("x" * 1_000_000)
            gc.collect()
    else:
        with pytest.raises(TypeError, match="of type object"), fastio.open(path, "w", atomic=True) as writer:
            writer.write_ints([1, object()])  # type: ignore[list-item]
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["out"]


# ---- failures


@contextlib.contextmanager
def raises(number: int, name: str | None) -> Iterator[None]:
    with pytest.raises(OSError) as caught:
        yield
    assert (caught.value.errno, caught.value.filename) == (number, name)
    assert getattr(caught.value, "path", None) == name


def test_a_full_disk_at_every_place() -> None:
    for use in (lambda w: w.flush(), lambda w: w.close(), lambda w: w.write(b"x" * 5_000_000), lambda w: w.sync(),
                lambda w: w.write_ints(range(1_000_000)), lambda w: w.print("x", flush=True), lambda w: w.__exit__(None, None, None),
                lambda w: w.write_lines(["line"] * 1_000_000)):
        writer = fastio.open("/dev/full", "w")
        writer.write("x")
        with raises(errno.ENOSPC, "/dev/full"):
            use(writer)
        with contextlib.suppress(OSError):
            writer.close()
        assert writer.closed
    with raises(errno.ENOSPC, "/dev/full"), fastio.open("/dev/full", "w") as writer:
        writer.write("x")
    for write in (lambda: fastio.write_ints("/dev/full", [1]), lambda: fastio.write_csv("/dev/full", [[1]]), lambda: fastio.copy(b"x", "/dev/full")):
        with raises(errno.ENOSPC, "/dev/full"):
            write()
    with open("/dev/full", "wb", buffering=0) as file, raises(errno.ENOSPC, f"<fd {file.fileno()}>"):
        fastio.open(file.fileno(), "w", buffering="none").write("x")


def test_the_first_failure_stays() -> None:
    writer = fastio.open("/dev/full", "w", buffering="none")
    for use in (lambda: writer.write("x"), lambda: writer.write("y"), writer.flush, lambda: writer.write_int(1), writer.close):
        with raises(errno.ENOSPC, "/dev/full"):
            use()
    writer.close()


def test_with_raises_once() -> None:
    """What the body has raised is not raised again; another failure is."""
    with pytest.raises(OSError) as caught, fastio.open("/dev/full", "w") as writer:
        writer.write("x")
        writer.flush()
    assert caught.value.__context__ is None and writer.closed
    with pytest.raises(OSError) as caught, fastio.open("/dev/full", "w") as writer:
        writer.write("x")
        raise KeyError("the body's")
    assert caught.value.errno == errno.ENOSPC and isinstance(caught.value.__context__, KeyError)
    with pytest.raises(KeyError), fastio.open("/dev/full", "w") as writer:
        writer.write("x")
        with pytest.raises(OSError):
            writer.flush()
        raise KeyError("the body's")


def test_what_can_not_be_opened(tmp_path: Path) -> None:
    with raises(errno.EISDIR, str(tmp_path)):
        fastio.open(tmp_path, "w")
    missing = str(tmp_path / "no" / "file")
    with raises(errno.ENOENT, missing):
        fastio.open(missing, "w", atomic=True)
    with raises(errno.EBADF, "<fd 1000>"):
        fastio.open(1000, "w").flush()
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with raises(errno.EACCES, str(tmp_path / "x")):
            fastio.open(tmp_path / "x", "w")


def test_objects_that_fail() -> None:
    class Failing(Object):
        def write(self, data: bytes) -> Any:
            raise KeyError("mine")

    writer = fastio.open(Failing(), "w", buffering="none")
    with pytest.raises(KeyError, match="mine"):
        writer.write("x")
    with pytest.raises(fastio.Error, match="callback"):
        writer.write("x")
    with pytest.raises(fastio.Error):
        writer.close()
    with pytest.raises(KeyError, match="mine"), fastio.open(Failing(), "w") as writer:
        writer.write("x")
    for answer in (0, -1, 10**6, "x", 1.5):
        with pytest.raises((ValueError, TypeError)), fastio.open(Object(answer), "w") as writer:
            writer.write("x")

    class Raw(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> None:
            return None

    with pytest.raises(BlockingIOError), fastio.open(Raw(), "w") as writer:
        writer.write("x")

    class BadFlush(Object):
        def flush(self) -> None:
            raise IndexError("flush")

    with pytest.raises(IndexError, match="flush"), fastio.open(BadFlush(), "w") as writer:
        writer.write("x")


def test_a_file_size_limit(tmp_path: Path) -> None:
    code = """
import resource, signal, sys, fastio
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    with fastio.open(sys.argv[1], "w") as writer:
        writer.write(b"x" * 1_000_000)
except OSError as error:
    print(error.errno, error.filename == sys.argv[1])
"""
    import subprocess

    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], capture_output=True, text=True)
    assert run.stdout == f"{errno.EFBIG} True\n", run.stderr
