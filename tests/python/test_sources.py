"""What a source may be, and bad ones."""

from __future__ import annotations

import array
import ctypes
import gzip
import http.server
import io
import mmap
import os
import pathlib
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastio
import pytest

NUMBERS = b"1 2\n3\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "numbers"
    path.write_bytes(NUMBERS)
    return path


class ReadOnly:
    """Nothing but read, a few bytes at a time."""

    def __init__(self, data: bytes, step: int = 3) -> None:
        self.file, self.step = io.BytesIO(data), step

    def read(self, size: int) -> bytes:
        return self.file.read(min(size, self.step))


# ---- every kind


def test_paths(path: Path) -> None:
    class BytesPath:
        def __fspath__(self) -> bytes:
            return os.fsencode(path)

    for source in (str(path), path, pathlib.PurePath(path), BytesPath()):
        assert fastio.read_ints(source).to_list() == [1, 2, 3]
    assert fastio.read_ints(source=str(path)).to_list() == [1, 2, 3]


def test_data() -> None:
    mapped = mmap.mmap(-1, len(NUMBERS))
    mapped[:] = NUMBERS
    ctypes_array = (ctypes.c_char * len(NUMBERS))(*NUMBERS)
    sources: list[Any] = [NUMBERS, bytearray(NUMBERS), memoryview(NUMBERS), array.array("b", NUMBERS), mapped, ctypes_array,
                          memoryview(b"99" + NUMBERS)[2:], fastio.read_bytes(NUMBERS)]
    for source in sources:
        assert fastio.read_ints(source).to_list() == [1, 2, 3]
    for wrong in (array.array("i", [1]), memoryview(b"1 2 3")[::2], fastio.read_ints(b"1")):
        with pytest.raises((TypeError, BufferError)):
            fastio.read_ints(wrong)


def test_a_name_is_a_path_and_bytes_are_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("12").write_bytes(b"34")
    assert fastio.read_ints("12").to_list() == [34] and fastio.read_ints(b"12").to_list() == [12]
    Path("-").write_bytes(b"56")
    assert fastio.read_ints(Path("-")).to_list() == [56] and fastio.read_ints("./-").to_list() == [56]


def test_standard_input() -> None:
    code = "import fastio; print(fastio.read_ints('-').to_list())"
    run = subprocess.run([sys.executable, "-c", code], input=b"4 5", capture_output=True)
    assert run.stdout == b"[4, 5]\n", run.stderr
    bad = subprocess.run([sys.executable, "-c", "import fastio; fastio.read_ints('-')"], input="x", capture_output=True, text=True)
    assert "<stdin>, line 1, column 1, offset 0" in bad.stderr


def test_descriptors(path: Path) -> None:
    with open(path, "rb", buffering=0) as file:
        file.seek(2)
        assert fastio.read_ints(file.fileno()).to_list() == [2, 3]
        os.fstat(file.fileno())
    read_end, write_end = os.pipe()
    os.write(write_end, b"7 x")
    os.close(write_end)
    with pytest.raises(fastio.ParseError) as caught:
        fastio.read_ints(read_end)
    assert (caught.value.path, caught.value.offset) == (f"<fd {read_end}>", 2)
    os.close(read_end)
    with pytest.raises(OSError) as closed:
        fastio.read_ints(read_end)
    assert closed.value.filename == f"<fd {read_end}>"
    with pytest.raises(ValueError):
        fastio.read_ints(-1)


def test_file_objects(path: Path, tmp_path: Path) -> None:
    with open(path, "rb") as buffered, open(path, "rb", buffering=0) as raw:
        assert fastio.read_ints(buffered).to_list() == fastio.read_ints(raw).to_list() == [1, 2, 3]
    assert fastio.read_ints(io.BytesIO(NUMBERS)).to_list() == [1, 2, 3]
    assert fastio.read_ints(ReadOnly(NUMBERS)).to_list() == [1, 2, 3]
    assert list(fastio.lines(ReadOnly(NUMBERS, 1))) == ["1 2", "3"]
    archive = tmp_path / "numbers.gz"
    archive.write_bytes(gzip.compress(NUMBERS))
    with gzip.open(archive) as file:
        assert fastio.read_ints(file).to_list() == [1, 2, 3]
    left, right = socket.socketpair()
    left.sendall(NUMBERS)
    left.close()
    with right, right.makefile("rb") as file:
        assert fastio.count_lines(file) == 2


def test_a_large_file_object() -> None:
    data = b" ".join(b"%d" % i for i in range(300_000))
    for source in (io.BytesIO(data), ReadOnly(data, 100_001)):
        read = fastio.read_ints(source, threads=2)
        assert len(read) == 300_000 and read[-1] == 299_999
    assert bytes(fastio.read_bytes(io.BytesIO(data))) == data


# ---- file objects that misbehave


class Odd:
    name = "odd"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def read(self, size: int) -> Any:
        answer = self.answers.pop(0) if self.answers else b""
        if isinstance(answer, BaseException):
            raise answer
        return answer(size) if callable(answer) else answer


class OddInto(Odd):
    readinto = Odd.read


@pytest.mark.parametrize("reader", [
    fastio.read_ints, fastio.read_lines, fastio.read_bytes, fastio.count_lines, lambda s: list(fastio.lines(s)),
    lambda s: list(fastio.ints(s)), lambda s: fastio.open(s).read_int(),
], ids=["ints", "lines", "bytes", "count", "iter lines", "iter ints", "reader"])
def test_misbehaving_file_objects(reader: Any) -> None:
    class Mine(Exception):
        pass

    mine = Mine()
    for odd in (Odd(b"1", mine), OddInto(mine)):
        with pytest.raises(Mine) as caught:
            reader(odd)
        assert caught.value is mine and caught.value.__cause__ is None
    for answer, error in [("text", TypeError), (lambda size: bytes(size + 1), ValueError), (None, BlockingIOError), (7, TypeError),
                          (KeyboardInterrupt(), KeyboardInterrupt)]:
        with pytest.raises(error):
            reader(Odd(answer))
    for answer, error in [(lambda b: len(b) + 1, ValueError), (-1, ValueError), (None, BlockingIOError), ("1", TypeError),
                          (2**70, ValueError), (SystemExit(), SystemExit)]:
        with pytest.raises(error):
            reader(OddInto(answer))


def test_text_mode_is_refused(path: Path) -> None:
    with open(path) as file:
        for source in (file, io.StringIO("1 2")):
            with pytest.raises(TypeError, match="text mode"):
                fastio.read_ints(source)
        assert fastio.read_ints(file.buffer).to_list() == [1, 2, 3]


def test_a_buffer_that_the_file_object_keeps() -> None:
    class Keeper:
        kept: Any = None

        def readinto(self, buffer: memoryview) -> int:
            if self.kept is not None:
                self.kept[:1] = b"9"
                return 0
            self.kept = buffer
            buffer[:3] = b"1 2"
            return 3

    keeper = Keeper()
    assert fastio.read_ints(keeper).to_list() == [1, 2]
    keeper.kept[:] = bytes(len(keeper.kept))


def test_a_file_object_that_calls_back() -> None:
    class Reentrant:
        iterator: Any = None

        def read(self, size: int) -> bytes:
            next(self.iterator)
            return b"1"

    source = Reentrant()
    source.iterator = fastio.ints(source)
    with pytest.raises(ValueError, match="in use"):
        next(source.iterator)

    class Closer:
        reader: Any = None

        def read(self, size: int) -> bytes:
            self.reader.close()
            return b"1"

    closer = Closer()
    closer.reader = fastio.open(closer)
    with pytest.raises(ValueError, match="in use"):
        closer.reader.read_int()


def test_name_of_a_file_object() -> None:
    for name, expected in [("given", "given"), (b"raw", "raw"), (3, "<fd 3>"), (None, None), (1.5, None)]:
        odd = Odd(b"x")
        odd.name = name  # type: ignore[assignment]
        with pytest.raises(fastio.ParseError) as caught:
            fastio.read_ints(odd)
        assert caught.value.path == expected


# ---- what is no source


@pytest.mark.parametrize("wrong", [None, 1.5, True, False, [1], {}, object(), str, fastio])
def test_no_source(wrong: Any) -> None:
    for function in (fastio.read_ints, fastio.lines, fastio.open, fastio.count_lines):
        with pytest.raises(TypeError):
            function(wrong)


def test_missing_and_directory(tmp_path: Path) -> None:
    for function in (fastio.read_ints, fastio.read_lines, fastio.read_bytes, fastio.lines, fastio.ints, fastio.open, fastio.load):
        with pytest.raises(FileNotFoundError) as missing:
            function(tmp_path / "none")
        assert (missing.value.errno, missing.value.filename) == (2, str(tmp_path / "none"))
        with pytest.raises(IsADirectoryError) as directory:
            function(str(tmp_path))
        assert (directory.value.errno, directory.value.filename) == (21, str(tmp_path))
        with pytest.raises(NotADirectoryError):
            function(f"{__file__}/x")
        with pytest.raises(ValueError, match="null"):
            function("a\0b")


NO_PERMISSION = """
import os, sys, fastio
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    fastio.read_ints(sys.argv[1])
except PermissionError as error:
    print(error.errno, error.filename == sys.argv[1])
"""


def test_no_permission(tmp_path: Path) -> None:
    tmp_path = Path(os.path.realpath(tmp_path))
    for directory in (tmp_path, *tmp_path.parents[:2]):
        if directory.owner() != "nobody" and str(directory) != "/tmp":
            directory.chmod(0o755)
    path = tmp_path / "secret"
    path.write_bytes(b"1")
    path.chmod(0)
    code = f"import sys; sys.path[:] = {sys.path!r}\nimport fastio" + NO_PERMISSION.replace("import os, sys, fastio", "import os")
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert run.stdout == "13 True\n", run.stderr


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    with open(name, "wb") as file:
        file.write(b"1 x")
    with pytest.raises(fastio.ParseError) as caught:
        fastio.read_ints(os.fsdecode(name))
    assert caught.value.path is not None and os.fsencode(caught.value.path) == name
    assert "caf\\udce9.txt" in str(caught.value) and str(caught.value).encode()
    with fastio.load(os.fsdecode(name)) as mapped:
        assert mapped[:] == b"1 x"


# ---- files that are not what they seem


def test_proc_and_empty(tmp_path: Path) -> None:
    assert fastio.read_lines("/proc/self/status")[0].startswith("Name:")
    assert fastio.count_lines("/proc/self/status") > 10
    assert fastio.read_bytes("/proc/self/cmdline").nbytes > 0
    empty = tmp_path / "empty"
    empty.touch()
    for source in (empty, str(empty), b"", io.BytesIO()):
        assert fastio.read_ints(source).to_list() == fastio.read_lines(source).to_list() == []
        assert (fastio.count_lines(source), fastio.read_bytes(source) == b"") == (0, True)
        assert list(fastio.lines(source)) == list(fastio.ints(source)) == []
    assert fastio.read_bytes("/dev/null") == b""


def test_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def write() -> None:
        with open(fifo, "wb") as file:
            for i in range(50):
                file.write(b"%d\n" % i)
                file.flush()

    for read in (lambda: fastio.read_ints(fifo).to_list(), lambda: [int(line) for line in fastio.lines(fifo)],
                 lambda: list(fastio.ints(fifo))):
        writer = threading.Thread(daemon=True, target=write)
        writer.start()
        assert read() == list(range(50))
        writer.join()


def test_a_pipe_flows() -> None:
    """A line is given out as soon as it is there, not when a buffer is full."""
    read_end, write_end = os.pipe()
    lines = fastio.lines(read_end)
    reader = fastio.open(read_end)
    for i in range(3):
        os.write(write_end, b"%d\n" % i)
        assert next(lines) == str(i)
    os.write(write_end, b"7 ")
    assert reader.read_int() == 7
    os.close(write_end)
    assert list(lines) == []
    os.close(read_end)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_that_shrinks(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "shrinking"

    def shrink(done: int, total: int | None) -> None:
        os.truncate(path, 1000)

    def read_shrinking(function: Callable[..., object]) -> fastio.TruncatedError:
        """A busy machine may let the other thread read the whole file before this one shrinks it: then again."""
        for _ in range(50):
            path.write_bytes(b"12345678\n" * 1_000_000)
            try:
                function(path, threads=threads, progress=shrink, block_size=4096)
            except fastio.TruncatedError as error:
                return error
        raise AssertionError("the file never shrank in time, or nobody noticed")

    for function in (fastio.read_ints, fastio.read_lines, fastio.count_lines, fastio.read_bytes):
        error = read_shrinking(function)
        assert isinstance(error, EOFError)
        assert error.path == str(path) and error.offset is not None


def test_a_file_that_grows(tmp_path: Path) -> None:
    """A whole read sees the file as long as it was when the read began."""
    path = tmp_path / "growing"

    def grow(done: int, total: int | None) -> None:
        with open(path, "ab") as file:
            file.write(b"12345678\n")

    for function, size in [(lambda p, **k: len(fastio.read_ints(p, **k)), 10_000), (fastio.count_lines, 10_000)]:
        path.write_bytes(b"12345678\n" * 10_000)
        assert function(path, progress=grow, block_size=4096) == size


def test_reading_does_not_keep_the_file(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    read, lines = fastio.read_ints(path), fastio.read_lines(path)
    list(fastio.lines(path))
    with pytest.raises(fastio.ParseError):
        fastio.read_ints(path, sep=",")
    assert len(os.listdir("/proc/self/fd")) == before
    path.write_bytes(b"9 9")
    assert read.to_list() == [1, 2, 3] and lines.to_list() == ["1 2", "3"]


# ---- sources without a size or a seek


def test_process_substitution() -> None:
    code = "import fastio, sys; print(fastio.read_ints(sys.argv[1]).to_list(), fastio.read_ints('/dev/stdin').to_list())"
    command = f"printf '3 4' | '{sys.executable}' -c \"$1\" <(printf '1 2')"
    shown = subprocess.run(["bash", "-c", command, "bash", code], capture_output=True, text=True)
    assert shown.stdout == "[1, 2] [3, 4]\n", shown.stderr


@pytest.mark.parametrize("how", ["descriptor", "file"])
def test_sockets(how: str) -> None:
    ours, theirs = socket.socketpair()
    data = b"".join(b"%d\n" % i for i in range(100_000))
    sender = threading.Thread(daemon=True, target=lambda: (theirs.sendall(data), theirs.close()))
    sender.start()
    with ours:
        source = ours.fileno() if how == "descriptor" else ours.makefile("rb")
        assert fastio.read_ints(source).to_list() == list(range(100_000))
    sender.join()


def test_a_socket_that_does_not_block() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)

    def send() -> None:
        for i in range(5):
            time.sleep(0.02)
            theirs.sendall(b"%d\n" % i)
        theirs.close()

    sender = threading.Thread(daemon=True, target=send)
    sender.start()
    with ours:
        assert fastio.read_ints(ours.fileno()).to_list() == [0, 1, 2, 3, 4]
    sender.join()


def test_objects_of_other_libraries(tmp_path: Path) -> None:
    text = b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i) for i in range(20_000))
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        file.write(text)
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.csv", text)
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        info = tarfile.TarInfo("x.csv")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    with gzip.open(tmp_path / "x.gz") as file, zipfile.ZipFile(tmp_path / "x.zip") as archive, tarfile.open(tmp_path / "x.tar") as tar:
        for source in (file, archive.open("x.csv"), tar.extractfile("x.csv"), io.BufferedReader(io.BytesIO(text)), tempfile.SpooledTemporaryFile()):
            if isinstance(source, tempfile.SpooledTemporaryFile):
                source.write(text)
                source.seek(0)
            table = fastio.read_csv(source)
            assert (len(table), table[-1]) == (20_000, (19_999, "x19999"))


def test_http() -> None:
    body = b"".join(b"%d\n" % i for i in range(200_000))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(gzip.compress(body) if self.path.endswith("gz") else body)

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(daemon=True, target=server.serve_forever)
        serving.start()
        try:
            for path in ("x", "x.gz"):
                with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{path}") as response:
                    words = {"compression": "gzip"} if path == "x.gz" else {}
                    assert fastio.read_ints(response, **words).to_list() == list(range(200_000))
        finally:
            server.shutdown()
            serving.join()


def test_fsspec(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    for url in ("memory://fastio-test/x.csv", f"file://{tmp_path}/x.csv"):
        with fsspec.open(url, "wb") as file:
            with fastio.open(file, "w") as writer:
                writer.write("a,b\n1,x\n")
        with fsspec.open(url, "rb") as file:
            assert fastio.read_csv(file)[0] == (1, "x")
        with fsspec.open(url, "rb") as file:
            assert [line for line in fastio.lines(file)] == ["a,b", "1,x"]


# ---- the last item of what may grow


def test_partial() -> None:
    for data in (b"1\n2\n3", io.BytesIO(b"1\n2\n3")):
        for partial, numbers, lines in (("emit", [1, 2, 3], ["1", "2", "3"]), ("hold", [1, 2], ["1", "2"])):
            if isinstance(data, io.BytesIO):
                data.seek(0)
            assert fastio.read_ints(data, partial=partial).to_list() == numbers
            if isinstance(data, io.BytesIO):
                data.seek(0)
            assert fastio.read_lines(data, partial=partial).to_list() == lines
    text = b"a,b\n1,2\n3,4"
    assert len(fastio.read_csv(text, partial="emit")) == 2 and len(fastio.read_csv(text, partial="hold")) == 1
    assert fastio.count_lines(b"a\nb", partial="hold") == 1
    for read in (fastio.read_ints, fastio.read_floats, fastio.read_lines, fastio.count_lines, fastio.read_csv):
        assert read(b"1\n2\n", partial="error")
        with pytest.raises(fastio.TruncatedError) as caught:
            read(b"1\n22", partial="error")
        assert caught.value.status == "truncated" and isinstance(caught.value, EOFError)
    for wrong in ("no", None, 1, True):
        with pytest.raises(ValueError, match="partial"):
            fastio.read_ints(b"", partial=wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("is_object", [False, True])
def test_growing_files(tmp_path: Path, is_object: bool) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"1\n2")
    with open(path, "rb", buffering=0) as file, open(path, "ab", buffering=0) as log:
        lines = fastio.lines(file if is_object else path, partial="hold")
        numbers = fastio.ints(path, partial="hold")
        with fastio.open(path, partial="hold") as reader, fastio.open_csv(path, header=False, partial="hold") as batches:
            for more, expected in ((b"", [1]), (b"3\n", [23]), (b"4", []), (b"\n5\n6", [4, 5]), (b"\n", [6]), (b"", [])):
                log.write(more)
                assert [int(line) for line in lines] == expected
                assert list(numbers) == expected
                assert list(reader.ints()) == expected
                assert [n for batch in batches for n in batch["column_1"]] == expected
        lines.close()
        numbers.close()


def test_a_sentence_cut_in_two_writes() -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, True)
    os.write(write_end, b"a,b\n1,")
    timer = threading.Timer(0.1, lambda: (os.write(write_end, b"2\n"), os.close(write_end)))
    timer.start()
    assert fastio.read_csv(read_end, partial="error")["b"].to_list() == [2]
    timer.join()
    os.close(read_end)
