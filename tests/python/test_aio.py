"""fastio.aio: the loop goes on, whatever a source does."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import fastio
import pytest
from fastio import aio


def run(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(main, 30))


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "fastio.aio"]


async def no_threads() -> None:
    for _ in range(500):
        if not threads():
            return
        gc.collect()
        await asyncio.sleep(0.01)
    raise AssertionError("threads are left")


class Slow:
    """Gives a line each few milliseconds, for ever or so many times."""

    def __init__(self, count: int = 10**9, pause: float = 0.005, line: bytes = b"1\n") -> None:
        self.count, self.pause, self.line = count, pause, line
        self.callers: set[int] = set()
        self.reads = 0

    def read(self, size: int) -> bytes:
        self.callers.add(threading.get_ident())
        self.reads += 1
        time.sleep(self.pause)
        self.count -= 1
        return self.line[: size & ~1] if self.count >= 0 else b""


def test_whole_sources(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,x\n2,y\n")

    async def main() -> None:
        assert (await aio.read_csv(path))["a"].to_list() == [1, 2]
        assert (await aio.read_csv([path, path], file_column="f"))["a"].to_list() == [1, 2, 1, 2]
        assert (await aio.read_ints(b"1 2", "int8")).dtype == "int8"
        assert (await aio.read_floats(b"1 2", "float32")).to_list() == [1.0, 2.0]
        assert (await aio.read_lines(path)).to_list() == ["a,b", "1,x", "2,y"]
        assert bytes(await aio.read_bytes(path)) == path.read_bytes()
        assert await aio.count_lines(path) == 3
        assert (await aio.sniff(path))["sep"] == ","
        assert len(await aio.partition(path, 2)) == 2
        pytest.importorskip("numpy")
        assert (await aio.loadtxt([b"1 2"])).tolist() == [1.0, 2.0]
        await no_threads()

    run(main())


def test_iterators(tmp_path: Path) -> None:
    async def main() -> None:
        text = b"".join(b"%d\n" % i for i in range(5000))
        assert [n async for n in aio.ints(text)] == list(range(5000))
        assert [n async for n in aio.floats(text)] == list(range(5000))
        assert [line async for line in aio.lines(io.BytesIO(text), encoding=None)] == text.split()
        batches = [batch async for batch in aio.ints(text).batches()]
        assert sum(batches, []) == list(range(5000)) and len(batches) > 5
        items = aio.ints(text)
        assert await items.__anext__() == 0
        assert sum([batch async for batch in items.batches()], []) == list(range(1, 5000))
        tables = aio.open_csv(text, header=False, batch_rows=1000)
        assert (await tables.schema()).names == ["column_1"]
        assert [len(table) async for table in tables] == [1000] * 5
        async with aio.open_csv(text, header=False, batch_rows=1000) as some:
            async for table in some:
                break
        await some.aclose()
        assert [table async for table in some] == []
        del items, tables
        await no_threads()

    run(main())


def test_errors() -> None:
    async def main() -> None:
        with pytest.raises(fastio.ParseError) as caught:
            await aio.read_ints(b"1 x")
        assert caught.value.offset == 2
        with pytest.raises(TypeError):
            await aio.read_ints(b"1", no_such=1)
        with pytest.raises(FileNotFoundError):
            await aio.read_csv("/no/such/file")
        with pytest.raises(FileNotFoundError):
            async for _ in aio.lines("/no/such/file"):
                pass
        numbers = aio.ints(b"1 2 x")
        assert [await numbers.__anext__(), await numbers.__anext__()] == [1, 2]
        with pytest.raises(fastio.ParseError):
            await numbers.__anext__()
        error = KeyError("mine")

        class Broken:
            def read(self, size: int) -> bytes:
                raise error

        with pytest.raises(KeyError) as mine:
            await aio.read_bytes(Broken())
        assert mine.value is error
        with pytest.raises(TypeError, match="progress"):
            await aio.read_ints(b"1", progress=1)
        del caught, mine, numbers
        await no_threads()

    run(main())


async def ticking(until: asyncio.Task[Any]) -> float:
    """The longest time that the loop was away."""
    worst, last = 0.0, time.perf_counter()
    while not until.done():
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        worst, last = max(worst, now - last), now
    return worst


def test_the_loop_goes_on() -> None:
    async def main() -> None:
        source = Slow(40, 0.02)
        task = asyncio.create_task(aio.read_ints(source))
        assert await ticking(task) < 0.5
        assert len(await task) == 40
        assert len(source.callers) == 1 and threading.get_ident() not in source.callers
        lines = Slow(20, 0.02)

        async def consume() -> int:
            return sum([int(line) async for line in aio.lines(lines)])

        task2 = asyncio.create_task(consume())
        assert await ticking(task2) < 0.5
        assert await task2 == 20
        assert len(lines.callers) == 1 and threading.get_ident() not in lines.callers

    run(main())


@pytest.mark.parametrize("what", ["read_ints", "read_csv", "read_lines", "count_lines", "read_bytes"])
def test_cancelling_a_call(what: str) -> None:
    async def main() -> None:
        source = Slow(line=b"1\n" * 100_000, pause=0.002)
        words = {"header": False} if what == "read_csv" else {}
        task = asyncio.create_task(getattr(aio, what)(source, **words))
        await asyncio.sleep(0.1)
        started = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.perf_counter() - started < 1
        await no_threads()
        reads = source.reads
        await asyncio.sleep(0.05)
        assert source.reads == reads

    run(main())


def test_cancelling_an_iterator() -> None:
    async def main() -> None:
        for make in (lambda s: aio.lines(s), lambda s: aio.open_csv(s, header=False, batch_rows=10**6)):
            source = Slow(line=b"1\n" * 1000, pause=0.001)

            async def consume(items: Any) -> None:
                async for _ in items:
                    pass

            task = asyncio.create_task(consume(make(source)))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            del task
            await no_threads()
            reads = source.reads
            await asyncio.sleep(0.05)
            assert source.reads == reads

    run(main())


def test_timeout_and_a_silent_pipe() -> None:
    async def main() -> None:
        read_end, write_end = os.pipe()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(aio.read_ints(read_end), 0.1)
        items = aio.lines(read_end)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(items.__anext__(), 0.1)
        assert [item async for item in items] == []  # it was closed
        os.close(write_end)
        await no_threads()
        os.close(read_end)

    run(main())


def test_one_task_at_a_time() -> None:
    async def main() -> None:
        items = aio.lines(Slow(3, 0.05))
        first = asyncio.create_task(items.__anext__())
        await asyncio.sleep(0.01)
        with pytest.raises(ValueError, match="another task"):
            await items.__anext__()
        assert await first == "1"

    run(main())


def test_progress_is_told_in_the_loop() -> None:
    async def main() -> None:
        seen: list[tuple[int, int | None, int]] = []
        data = b"1\n" * 500_000
        await aio.read_ints(data, progress=lambda done, total: seen.append((done, total, threading.get_ident())), block_size=100_000)
        await asyncio.sleep(0.01)
        assert seen and {(total, thread) for _, total, thread in seen} == {(len(data), threading.get_ident())}

    run(main())


def test_dropped_iterators_end_their_threads() -> None:
    async def main() -> None:
        for _ in range(5):
            async for _item in aio.ints(b"1 2 3"):
                break
            async for _table in aio.open_csv(b"a\n1\n2\n", batch_rows=1):
                break
        await no_threads()

    run(main())


def test_growing_files(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"1\n2")

    async def main() -> None:
        items = aio.lines(path, partial="hold")
        assert [line async for line in items] == ["1"]
        with open(path, "ab") as file:
            file.write(b"3\n")
        assert [line async for line in items] == ["23"]
        await items.aclose()
        await no_threads()

    run(main())


@pytest.mark.parametrize("how", ["fifo", "pipe", "object"])
def test_the_interpreter_ends(tmp_path: Path, how: str) -> None:
    """Though a thread waits for what never comes."""
    os.mkfifo(tmp_path / "fifo")
    source = {"fifo": "sys.argv[1]", "pipe": "os.pipe()[0]", "object": "Silent()"}[how]
    code = f"""
import asyncio, os, sys, time
from fastio import aio
class Silent:
    def read(self, size):
        time.sleep(1000)
pipe = os.pipe
async def main():
    task = asyncio.create_task(aio.read_lines({source}))
    await asyncio.sleep(0.2)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")
asyncio.run(main())
"""
    shown = subprocess.run([sys.executable, "-c", code, str(tmp_path / "fifo")], capture_output=True, text=True, timeout=20)
    assert (shown.returncode, shown.stdout) == (0, "cancelled\n"), shown.stderr
