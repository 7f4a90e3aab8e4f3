"""Threads, signals and interpreters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import fastio
import pytest


def run(code: str, *arguments: str, timeout: float = 60) -> str:
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code), *arguments], capture_output=True, text=True, timeout=timeout)
    assert result.returncode == 0, result.stderr
    return result.stdout


# ---- one thread per handle


class Gate:
    """A file object whose read waits until it is told to go on."""

    def __init__(self) -> None:
        self.inside, self.go = threading.Event(), threading.Event()
        self.answers = [b"1\n", b""]

    def read(self, size: int) -> bytes:
        self.inside.set()
        assert self.go.wait(10)
        return self.answers.pop(0)


def while_another_reads(handle: Any, gate: Gate, work: Any, check: Any) -> None:
    results: list[Any] = []
    thread = threading.Thread(daemon=True, target=lambda: results.append(work()))
    thread.start()
    assert gate.inside.wait(10)
    try:
        check()
    finally:
        gate.go.set()
        thread.join()
    assert results == [1]


def test_a_reader_in_use_is_refused() -> None:
    gate = Gate()
    reader = fastio.open(gate)

    def check() -> None:
        for use in (reader.read_int, reader.skip, reader.close, lambda: reader.offset, lambda: reader.expect("1"), lambda: next(reader.lines())):
            with pytest.raises(ValueError, match="in use by another thread"):
                use()

    while_another_reads(reader, gate, reader.read_int, check)
    reader.close()


def test_an_iterator_in_use_is_refused() -> None:
    gate = Gate()
    ints = fastio.ints(gate)

    def check() -> None:
        for use in (lambda: next(ints), ints.close):
            with pytest.raises(ValueError, match="in use by another thread"):
                use()

    while_another_reads(ints, gate, lambda: next(ints), check)


def test_a_map_in_use_is_not_closed(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"1 2")
    mapped = fastio.load(path)

    def close(done: int, total: int | None) -> None:
        with pytest.raises(BufferError):
            mapped.close()

    assert fastio.read_ints(mapped, progress=close).to_list() == [1, 2]
    mapped.close()


def test_data_in_use_is_not_resized() -> None:
    data = bytearray(b"1 2 3 ")

    def grow(done: int, total: int | None) -> None:
        with pytest.raises(BufferError):
            data.extend(b"4")

    assert len(fastio.read_ints(data, progress=grow)) == 3
    data.extend(b"4")


def test_many_threads_on_one_iterator() -> None:
    """Whatever they get, each item comes at most once and nothing breaks."""
    ints = fastio.ints(b" ".join(b"%d" % i for i in range(50_000)))
    taken: list[int] = []

    def work() -> None:
        while True:
            try:
                taken.append(next(ints))
            except StopIteration:
                return
            except ValueError:
                continue

    threads = [threading.Thread(daemon=True, target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(50_000))


def test_columns_are_shared_freely() -> None:
    read = fastio.read_ints(b" ".join(b"%d" % i for i in range(20_000)))
    sums: list[int] = []
    threads = [threading.Thread(daemon=True, target=lambda: sums.append(sum(read[::2]) + sum(memoryview(read)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(sums) == {sum(range(0, 20_000, 2)) + sum(range(20_000))}


def test_reading_lets_other_threads_run() -> None:
    data = b"123456 " * 3_000_000
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    thread = threading.Thread(daemon=True, target=tick)
    thread.start()
    before = ticks
    fastio.read_ints(data, threads=1)
    during = ticks - before
    done.set()
    thread.join()
    assert during >= 2


# ---- Ctrl-C


INTERRUPTED = """
import fastio, os, signal, sys, threading, time
what = sys.argv[1]
read_end, write_end = os.pipe()
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
class Slow:
    def read(self, size):
        time.sleep(0.01)
        return b"1 "
calls = {
    "pipe": lambda: fastio.read_ints(read_end),
    "pipe lines": lambda: list(fastio.lines(read_end)),
    "pipe reader": lambda: fastio.open(read_end).read_line(),
    "object": lambda: fastio.read_ints(Slow()),
}
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=interrupt).start()
start = time.monotonic()
try:
    calls[what]()
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 5)
"""


@pytest.mark.parametrize("what", ["pipe", "pipe lines", "pipe reader", "object"])
def test_ctrl_c_interrupts(what: str) -> None:
    assert run(INTERRUPTED, what) == "interrupted True\n"


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_interrupts_a_long_read(tmp_path: Path, threads: str) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"line\n" * 20_000_000)
    code = """
    import fastio, os, signal, sys, threading, time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGINT))).start()
    try:
        fastio.count_lines(sys.argv[1], threads=int(sys.argv[2]), block_size=1)  # takes minutes
    except KeyboardInterrupt:
        print("interrupted")
    """
    assert run(code, str(path), threads) == "interrupted\n"


def test_a_handler_that_does_not_raise_lets_reading_go_on() -> None:
    code = """
    import fastio, os, signal, threading, time
    seen = []
    signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    read_end, write_end = os.pipe()
    def work():
        for _ in range(3):
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGUSR1)
        os.write(write_end, b"1 2")
        os.close(write_end)
    threading.Thread(target=work).start()
    print(fastio.read_ints(read_end).to_list(), len(seen) >= 1)
    """
    assert run(code) == "[1, 2] True\n"


# ---- interpreters, fork, exit


@pytest.mark.skipif(sys.version_info < (3, 13), reason="_interpreters is in 3.13 and later")
def test_subinterpreters_with_their_own_gil() -> None:
    code = """
    import sys, threading, _interpreters
    import fastio
    script = '''
    import fastio, gc, pickle
    for _ in range(20):
        assert fastio.read_ints(b"1 2 3").to_list() == [1, 2, 3]
        assert list(fastio.lines(b"a\\\\nb")) == ["a", "b"]
        try:
            fastio.read_ints(b"x")
        except fastio.ParseError as error:
            assert error.offset == 0
        else:
            raise SystemExit(1)
        pickle.loads(pickle.dumps(fastio.read_lines(b"a")))
    gc.collect()
    '''
    def work():
        interpreter = _interpreters.create("isolated")
        for _ in range(2):
            error = _interpreters.exec(interpreter, __import__("textwrap").dedent(script))
            assert error is None, error
        _interpreters.destroy(interpreter)
    threads = [threading.Thread(daemon=True, target=work) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert fastio.read_ints(b"4").to_list() == [4]
    print("ok")
    """
    assert run(code) == "ok\n"


def test_fork_after_reading(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"1 " * 2_000_000)
    code = """
    import fastio, os, sys
    fastio.read_ints(sys.argv[1], threads=2)
    child = os.fork()
    if child == 0:
        os._exit(len(fastio.read_ints(sys.argv[1], threads=2)) != 2_000_000)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run(code, str(path)) == "0\n"


def test_objects_alive_at_exit() -> None:
    code = """
    import fastio, sys
    keep = [fastio.read_ints(b"1 2"), fastio.lines(b"a\\nb"), fastio.open(b"1"), fastio.load(sys.executable), fastio.read_lines(b"a")]
    keep.append(memoryview(keep[0])); keep.append(iter(keep[0])); keep.append(keep[2].ints()); keep.append(memoryview(keep[3]))
    keep.append(keep[0].__arrow_c_stream__()); keep.append(keep)
    next(keep[1])
    sys.keep = keep
    """
    assert run(code) == ""


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled(), reason="a build with a GIL")
def test_the_gil_stays_off() -> None:
    for name in dir(fastio):
        getattr(fastio, name)
    assert not sys._is_gil_enabled()


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="needs signals")
def test_imports_without_a_file_system_encoding_of_utf8(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"1")
    code = "import fastio, sys; print(fastio.read_ints(sys.argv[1]).to_list())"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = subprocess.run([sys.executable, "-c", code, str(path)], env=environment, capture_output=True, text=True)
    assert result.stdout == "[1]\n", result.stderr
