"""write.c in Python."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from typing import Any, NoReturn

import fastio

PIECE = b"x" * 1000


def leave(stage: str, error: BaseException) -> NoReturn:
    code = getattr(error, "errno", None) or 0
    status = "os_error" if isinstance(error, OSError) else getattr(error, "status", type(error).__name__)
    sys.stderr.write(f"{stage} {code} {status}\n")
    os._exit(1)  # nothing else is to be flushed


def write_pieces(writer: fastio.Writer, size: int) -> None:
    while size > 0:
        writer.write(PIECE[:size])
        size -= min(size, len(PIECE))


def zeros(size: int) -> Any:
    """Pages that are never written take no memory."""
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) if size else b""


def write_once(writer: fastio.Writer, size: int) -> None:
    if writer.write(zeros(size)) != size:
        raise AssertionError("not all was taken")


def write_ints(writer: fastio.Writer, size: int) -> None:
    writer.write_ints(memoryview(zeros(8 * size)).cast("B").cast("q"))


def write_floats(writer: fastio.Writer, size: int) -> None:
    writer.write_floats(memoryview(zeros(8 * size)).cast("B").cast("d"))


def write_lines(writer: fastio.Writer, size: int) -> None:
    writer.write_lines(["x"] * size)


def write_csv(writer: fastio.Writer, size: int) -> None:
    writer.write_csv({"name": ["x"] * size})


def copy(writer: fastio.Writer, size: int) -> None:
    fastio.copy("/dev/zero", writer, size)


def write_threads(writer: fastio.Writer, size: int) -> None:
    def work() -> None:
        for i in range(1000):
            with writer.lock():
                for _ in range(10):
                    writer.write_int(i)
                writer.write("\n")

    threads = [threading.Thread(daemon=True, target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def code_of(call: Any, *arguments: Any) -> int:
    try:
        call(*arguments)
    except OSError as error:
        return error.errno or 0
    return 0


def stick(writer: fastio.Writer) -> NoReturn:
    codes = [0]
    while not codes[0]:
        codes = [code_of(writer.write, PIECE)]
    codes += [code_of(writer.write, b"x"), code_of(writer.flush), code_of(writer.close)]
    print(*codes, file=sys.stderr)
    os._exit(1)


ACTIONS = {
    "pieces": write_pieces, "once": write_once, "ints": write_ints, "floats": write_floats, "lines": write_lines,
    "csv": write_csv, "copy": copy, "flush": write_pieces, "sync": write_pieces, "atomic": write_once,
    "append": write_once, "exclusive": write_once, "threads": write_threads,
}


def naive(dest: str, size: int) -> None:
    """Nothing is caught: the interpreter's exit code tells."""
    if dest == "-":
        fastio.stdout.print("x" * size, end="")
        return
    with fastio.open(dest, "w") as writer:
        writer.print("x" * size, end="")


def main(action: str, dest: str, size: int) -> None:
    if action == "naive":
        return naive(dest, size)
    if os.environ.get("INTERRUPTED"):
        signal.signal(signal.SIGALRM, lambda number, frame: None)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    mode = {"append": "a", "exclusive": "x"}.get(action, "w")
    words = {"compression": str, "encoding": str, "level": int, "threads": int}
    how: Any = {word: kind(os.environ[word.upper()]) for word, kind in words.items() if word.upper() in os.environ}
    try:
        writer = fastio.open(dest, mode, atomic=action == "atomic", locked=action == "threads", **how)
    except OSError as error:
        leave("open", error)
    if action == "stick":
        stick(writer)
    try:
        ACTIONS[action](writer, size)
    except (OSError, fastio.Error) as error:
        if code_of(writer.close) != error.errno:
            leave("forgotten", error)
        leave("write", error)
    for stage in ("flush", "sync", "close"):
        if stage in (action, "close"):
            try:
                getattr(writer, stage)()
            except OSError as error:
                leave(stage, error)
    signal.setitimer(signal.ITIMER_REAL, 0)  # the interpreter gives its handlers up before it ends


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
