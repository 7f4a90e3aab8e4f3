"""Output that fails, in every language: one table of cases, one program per language (tests/programs/write.*).

Each program tells at which step it was told of the failure, and with which errno; that step must not come later than
the bytes could be known to be lost, and no failure may be forgotten.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import BUILD, LUAS, lua_environment, program, python_environment

PROGRAMS = Path(__file__).parent / "programs"
LANGUAGES = ["c", "python", *LUAS]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full, and signals of Linux")


def command(language: str) -> tuple[list[str], dict[str, str]]:
    if language == "c":
        return [program("program_write")], dict(os.environ)
    if language == "python":
        return [sys.executable, str(PROGRAMS / "write.py")], python_environment()
    assert shutil.which(language), f"{language} is missing: run ./dev setup"
    return [language, str(PROGRAMS / "write.lua")], lua_environment(language)


def start(language: str, action: str, dest: str | Path, size: int, **options: Any) -> subprocess.Popen[bytes]:
    words, environment = command(language)
    environment.update(options.pop("environment", {}))
    return subprocess.Popen([*words, action, str(dest), str(size)], env=environment, stderr=subprocess.PIPE,
                            restore_signals=False, **options)


def run(language: str, action: str, dest: str | Path, size: int, **options: Any) -> tuple[int, str]:
    """The exit code, and what it says on standard error."""
    with start(language, action, dest, size, **options) as process:
        _, said = process.communicate(timeout=120)
    return process.returncode, said.decode()


def told(language: str, action: str, dest: str | Path, size: int, **options: Any) -> tuple[str, int]:
    """The step at which the program was told, and the errno."""
    code, said = run(language, action, dest, size, **options)
    assert code == 1, (code, said)
    stage, number, status = said.split()
    assert status == "os_error", said
    return stage, int(number)


def each_language(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.parametrize("language", LANGUAGES)(test)


# ---- A full device -------------------------------------------------------------------------------

LARGE = 300_000  # more than any buffer
BLOCK_ACTIONS = ["once", "ints", "floats", "lines", "csv", "copy"]

# action, size, steps at which the failure may be told
FULL = [
    ("pieces", 10, {"close"}),
    ("flush", 10, {"flush"}),
    ("sync", 10, {"sync"}),
    ("pieces", 5_000_000, {"write"}),
    ("once", 5_000_000, {"write"}),
    *((action, 3, {"write", "close"}) for action in BLOCK_ACTIONS),
    *((action, LARGE * 10 if action in ("copy", "once") else LARGE, {"write", "close"}) for action in BLOCK_ACTIONS),
]


@each_language
def test_full_device(language: str) -> None:
    for action, size, stages in FULL:
        stage, number = told(language, action, "/dev/full", size)
        assert (stage in stages, number) == (True, errno.ENOSPC), (action, size, stage)


@each_language
def test_full_standard_output(language: str) -> None:
    with open("/dev/full", "wb") as full:
        for action, size in (("pieces", 10), ("pieces", 5_000_000), ("lines", 3)):
            stage, number = told(language, action, "-", size, stdout=full)
            assert stage in ("write", "close") and number == errno.ENOSPC, (action, size, stage)


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("size", [10, 5_000_000])
def test_a_program_that_checks_nothing_fails(language: str, size: int) -> None:
    """Neither of a file nor of standard output, which is flushed at exit, is a loss without a word.

    In Lua nobody but the program itself decides about the exit code: it must flush or close to learn of the loss.
    """
    with open("/dev/full", "wb") as full:
        for dest in ("/dev/full", "-"):
            code, said = run(language, "naive", dest, size, stdout=full)
            failed = code > 0 or (dest == "-" and size == 10 and language != "python" and code == 0)
            assert failed and "No space left" in said, (dest, code, said)


COMPRESSIONS = ["gzip", "bgzf", "zlib", "deflate", "zstd", "xz", "bzip2", "lz4"]


@each_language
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_full_device_behind_a_compression(language: str, compression: str) -> None:
    """What is held back to be compressed is not forgotten: at the latest the close tells."""
    environment = {"COMPRESSION": compression}
    for action, size, stages in [("pieces", 0, {"close"}), ("pieces", 10, {"close"}), ("flush", 10, {"flush"}),
                                 ("sync", 10, {"sync"}), ("pieces", 5_000_000, {"write", "close"}),
                                 ("ints", LARGE, {"write", "close"}), ("csv", 3, {"write", "close"}),
                                 ("copy", LARGE, {"write", "close"})]:
        stage, number = told(language, action, "/dev/full", size, environment=environment)
        assert (stage in stages, number) == (True, errno.ENOSPC), (action, size, stage)


@each_language
def test_full_device_behind_an_encoding(language: str) -> None:
    for how in ({"ENCODING": "utf-16"}, {"ENCODING": "latin-1", "COMPRESSION": "gzip"}):
        for action, size, stages in [("pieces", 10, {"close"}), ("flush", 10, {"flush"}),
                                     ("pieces", 5_000_000, {"write", "close"}), ("lines", LARGE, {"write", "close"})]:
            stage, number = told(language, action, "/dev/full", size, environment=how)
            assert (stage in stages, number) == (True, errno.ENOSPC), (how, action, size, stage)


@each_language
def test_a_compressed_failure_stays(language: str) -> None:
    code, said = run(language, "stick", "/dev/full", 0, environment={"ENCODING": "utf-16"})
    assert (code, said.split()) == (1, [str(errno.ENOSPC)] * 4)


@each_language
@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_failed_compressed_replacement_leaves_the_old_file(language: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    how = {"COMPRESSION": compression}
    stage, number = told(language, "atomic", path, LARGE, environment=how, preexec_fn=lambda: limit_file_size(10))
    assert stage in ("write", "close") and number == errno.EFBIG
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


@each_language
def test_a_failure_stays(language: str) -> None:
    code, said = run(language, "stick", "/dev/full", 0)
    assert (code, said.split()) == (1, [str(errno.ENOSPC)] * 4)


# ---- What can't be opened ------------------------------------------------------------------------


def read_only(directory: Path) -> tuple[str, int]:
    """A path that even root may not write to, if there is one, and what the system says of it."""
    ordinary = directory / "read_only"
    ordinary.touch(mode=0o444)
    for path in (str(ordinary), "/sys/kernel/notes", "/sys/kernel/uevent_seqnum", "/proc/kallsyms"):
        try:
            os.close(os.open(path, os.O_WRONLY))
        except OSError as error:
            if error.errno != errno.ENOENT:
                return path, error.errno or 0
    pytest.skip("every file can be written to here")


@each_language
def test_what_cannot_be_opened(language: str, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("old")
    assert told(language, "pieces", tmp_path, 10) == ("open", errno.EISDIR)
    assert told(language, "atomic", tmp_path, 10) == ("open", errno.EISDIR)
    assert told(language, "pieces", tmp_path / "none" / "file", 10) == ("open", errno.ENOENT)
    assert told(language, "atomic", tmp_path / "none" / "file", 10) == ("open", errno.ENOENT)
    assert told(language, "pieces", there / "file", 10) == ("open", errno.ENOTDIR)
    assert told(language, "exclusive", there, 10) == ("open", errno.EEXIST)
    assert there.read_text() == "old"
    path, number = read_only(tmp_path)
    assert told(language, "pieces", path, 10) == ("open", number)


@each_language
def test_modes(language: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert run(language, "exclusive", path, 3) == (0, "")
    assert run(language, "append", path, 2) == (0, "")
    assert path.read_bytes() == bytes(5)
    assert run(language, "pieces", path, 1001) == (0, "")
    assert path.read_bytes() == b"x" * 1001
    assert run(language, "atomic", path, 2) == (0, "")
    assert path.read_bytes() == bytes(2)
    assert os.listdir(tmp_path) == ["file"]


# ---- Nobody reads any more -----------------------------------------------------------------------


def ignore_pipe_signal() -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


@each_language
@pytest.mark.parametrize(("action", "size"), [("pieces", 10), ("pieces", 1_000_000), ("once", 1_000_000),
                                              ("ints", LARGE), ("csv", LARGE), ("copy", 1_000_000)])
def test_broken_pipe(language: str, action: str, size: int) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        stage, number = told(language, action, "-", size, stdout=write_end, preexec_fn=ignore_pipe_signal)
    finally:
        os.close(write_end)
    assert stage in ("write", "close") and number == errno.EPIPE


@each_language
def test_reader_that_leaves(language: str) -> None:
    """As `| head -1` does: the program ends, soon, with a failure."""
    with start(language, "pieces", "-", 10**9, stdout=subprocess.PIPE, preexec_fn=ignore_pipe_signal) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.read(10) == b"x" * 10
        process.stdout.close()
        said = process.stderr.read().split()
    assert process.returncode == 1 and said[:2] == [b"write", str(errno.EPIPE).encode()]


# ---- Limits --------------------------------------------------------------------------------------


def limit_file_size(limit: int = 100_000) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@each_language
@pytest.mark.parametrize("action", ["pieces", "once", "ints", "lines", "csv", "copy"])
def test_file_size_limit(language: str, action: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    stage, number = told(language, action, path, LARGE, preexec_fn=limit_file_size)
    assert stage in ("write", "close") and number == errno.EFBIG
    assert path.stat().st_size == 100_000


@each_language
def test_a_failed_replacement_leaves_the_old_file(language: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    stage, number = told(language, "atomic", path, LARGE, preexec_fn=limit_file_size)
    assert stage in ("write", "close") and number == errno.EFBIG
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


@each_language
def test_a_killed_replacement_leaves_the_old_file(language: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with start(language, "atomic", path, 100_000_000) as process:
        deadline = time.monotonic() + 10
        while len(os.listdir(tmp_path)) < 2 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
    if process.returncode == -signal.SIGKILL:  # it was not faster
        assert path.read_text() == "old"


@each_language
def test_an_atomic_writer_does_not_replace_a_device(language: str) -> None:
    """What is no file has no old content to be left, and must not become a file."""
    link = os.stat("/dev/full")
    code, said = run(language, "atomic", "/dev/full", 10)
    assert os.stat("/dev/full").st_rdev == link.st_rdev
    assert code == 1 and said.split()[-1] in ("os_error", "invalid_argument", "unsupported"), said


# ---- Interruptions and short writes --------------------------------------------------------------


def unwilling(language: str) -> dict[str, str]:
    library = BUILD / "unwilling.so"
    assert library.exists(), f"{library} is missing: run ./dev build"
    if language == "c" and b"__asan_init" in Path(program("program_write")).read_bytes():
        pytest.skip("a sanitizer wants to be loaded first")
    return {"LD_PRELOAD": str(library)}


EXPECTED: dict[str, Callable[[int], bytes]] = {
    "pieces": lambda size: b"x" * size,
    "once": bytes,
    "ints": lambda size: b" ".join([b"0"] * size) + b"\n",
    "floats": lambda size: b" ".join([b"0.0"] * size) + b"\n",
    "lines": lambda size: b"x\n" * size,
    "csv": lambda size: b"name\n" + b"x\n" * size,
    "copy": bytes,
}


@each_language
def test_short_and_interrupted_writes(language: str, tmp_path: Path) -> None:
    """Every third write(2) is interrupted, the others take some of the bytes: all of them arrive."""
    path = tmp_path / "file"
    for action, expected in EXPECTED.items():
        assert run(language, action, path, 50_000, environment=unwilling(language)) == (0, "")
        assert path.read_bytes() == expected(50_000), action
    assert run(language, "atomic", path, 50_000, environment=unwilling(language)) == (0, "")
    assert path.read_bytes() == bytes(50_000)


@pytest.mark.parametrize("language", ["c", "python"])
@pytest.mark.parametrize("action", ["pieces", "once", "ints", "csv", "copy"])
def test_signals_while_a_slow_reader_reads(language: str, action: str) -> None:
    """A timer's signal every millisecond, while most calls wait for the pipe."""
    size = 100_000
    with start(language, action, "-", size, stdout=subprocess.PIPE, environment={"INTERRUPTED": "1"}) as process:
        assert process.stdout is not None and process.stderr is not None
        got = bytearray()
        while piece := os.read(process.stdout.fileno(), 8192):
            got += piece
            time.sleep(0.001)
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")
    assert got == EXPECTED[action](size)


@each_language
def test_a_descriptor_that_would_block_is_waited_for(language: str) -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with start(language, "pieces", "-", LARGE, stdout=write_end) as process:
        os.close(write_end)
        got = bytearray()
        while piece := os.read(read_end, 4096):
            got += piece
        os.close(read_end)
        said = process.stderr.read() if process.stderr else b""
    assert (process.returncode, said) == (0, b"")
    assert got == b"x" * LARGE


# ---- More than two GiB in one call ---------------------------------------------------------------


def drained(process: subprocess.Popen[bytes]) -> int:
    """How many bytes it wrote, which are thrown away."""
    assert process.stdout is not None
    total = 0
    with open("/dev/null", "wb") as null:
        while taken := os.splice(process.stdout.fileno(), null.fileno(), 1 << 20):
            total += taken
    return total


@pytest.mark.skipif(not hasattr(os, "splice"), reason="Python 3.10 and newer")
@pytest.mark.parametrize("language", ["c", "python"])  # a string of Lua would have to be in memory
def test_more_than_two_gib_in_one_call(language: str) -> None:
    """write(2) takes 2 GiB less a page at most, and says so: the rest must follow."""
    size = 2**31 + 4097
    with start(language, "once", "-", size, stdout=subprocess.PIPE) as process:
        assert drained(process) == size
        said = process.stderr.read() if process.stderr else b""
    assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize("language", ["c", "python"])
def test_more_than_two_gib_to_a_device_that_takes_all(language: str) -> None:
    assert run(language, "once", "/dev/null", 2**31 + 4097) == (0, "")


# ---- Threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["c", "python"])  # Lua has no threads
def test_records_of_threads_stay_together(language: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert run(language, "threads", path, 0) == (0, "")
    lines = path.read_text().splitlines()
    assert sorted(lines) == sorted(str(i) * 10 for i in range(1000) for _ in range(4))


def test_two_threads_at_once() -> None:
    """A writer that is not locked refuses the second thread; that is told, and nothing of the first is lost."""
    import fastio

    class Slow:
        def __init__(self) -> None:
            self.entered, self.go, self.data = threading.Event(), threading.Event(), bytearray()

        def write(self, data: Any) -> int:
            self.entered.set()
            assert self.go.wait(10)
            self.data += data
            return len(data)

    slow = Slow()
    writer = fastio.open(slow, "w")

    def write_first() -> None:
        writer.write("first")
        writer.flush()

    thread = threading.Thread(daemon=True, target=write_first)
    thread.start()
    assert slow.entered.wait(10)
    for call in (lambda: writer.write("second"), writer.flush, writer.close, lambda: writer.write_ints([1])):
        with pytest.raises(ValueError, match="another thread"):
            call()
    slow.go.set()
    thread.join()
    writer.close()
    assert slow.data == b"first"


# ---- A closed writer -----------------------------------------------------------------------------


def test_closed_writer_in_python(tmp_path: Path) -> None:
    import fastio

    writer = fastio.open(tmp_path / "file", "w")
    writer.close()
    writer.close()
    assert writer.closed
    calls: list[Callable[[], Any]] = [
        lambda: writer.write("x"), lambda: writer.print("x"),
        lambda: writer.write_int(1), lambda: writer.write_float(1.5),
        lambda: writer.write_ints([1]), lambda: writer.write_floats([1.5]), lambda: writer.write_lines(["x"]),
        lambda: writer.write_csv({"a": [1]}), writer.flush, writer.sync, lambda: fastio.copy(b"x", writer),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="closed"):
            call()
    assert (tmp_path / "file").read_bytes() == b""


CLOSED = """
local fastio = require "fastio"
local writer = assert(fastio.open(arg[1], "w"))
assert(writer:close())
writer:close()
for _, call in ipairs {
  function() return writer:write("x") end, function() return writer:print("x") end,
  function() return writer:write_int(1) end, function() return writer:write_float(1.5) end,
  function() return writer:write_ints({1}) end, function() return writer:write_floats({1.5}) end,
  function() return writer:write_lines({"x"}) end, function() return writer:write_csv({a = {1}}, {names = {"a"}}) end,
  function() return writer:flush() end, function() return writer:sync() end,
} do
  local ok, message = pcall(call)
  assert(not ok and tostring(message):find("closed"), tostring(message))
end
"""


@pytest.mark.parametrize("lua", LUAS)
def test_closed_writer_in_lua(lua: str, tmp_path: Path) -> None:
    """Misuse, which raises."""
    script = tmp_path / "closed.lua"
    script.write_text(CLOSED)
    done = subprocess.run([lua, script, tmp_path / "file"], env=lua_environment(lua), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "file").read_bytes() == b""
