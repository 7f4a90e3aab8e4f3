"""The readers for asyncio: what waits for a source does so in a thread, never in the event loop.

Functions that read a whole source are coroutines here (`table = await aio.read_csv(path)`), the others give
asynchronous iterators (`async for batch in aio.open_csv(path)`). Their words are those of the functions of the same
names in fastio.

Each call, and each iterator, has one thread of its own until it ends. A file object that is passed in is called on that
thread only, and so is `on_ragged`; `progress` is called in the event loop.

When the task is cancelled, the call or the iterator stops at the next block of its source, which is then closed. A
source that gives nothing keeps the thread waiting (its next byte, or its end, ends that), but neither the loop nor the
end of the interpreter waits for it.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Generic, TypeVar
from weakref import finalize

import fastio

from . import _core
from ._core import Column, CsvReader, Lines, Table
from ._progress import bar
from ._table import Dialect, Range

__all__ = [
    "AsyncCsvReader",
    "AsyncItems",
    "count_lines",
    "floats",
    "ints",
    "lines",
    "loadtxt",
    "open_csv",
    "partition",
    "read_bytes",
    "read_csv",
    "read_floats",
    "read_ints",
    "read_lines",
    "sniff",
]

_T = TypeVar("_T")


class _Stopped(Exception):
    """Raised on the thread of a call that nobody waits for any more."""


# ---- threads

_Job = tuple[
    Callable[[], Any], "asyncio.Future[Any]", asyncio.AbstractEventLoop, contextvars.Context
]


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():  # cancelled
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


def _work(jobs: SimpleQueue[_Job | None], last: Callable[[], Any]) -> None:
    """What the thread does: one job after the other, until there is None."""
    while (job := jobs.get()) is not None:
        function, future, loop, context = job
        result, error = None, None
        try:
            result = context.run(function)
        except BaseException as raised:
            error = raised
            if isinstance(raised, StopIteration):  # which no future can hold
                error = RuntimeError("StopIteration was raised")
                error.__cause__ = raised
        try:
            loop.call_soon_threadsafe(_settle, future, result, error)
        except RuntimeError:  # the loop is closed
            pass
        del job, function, future, loop, context, result, error
    last()


class _Thread:
    """A thread for the calls of one handle. It is a daemon: the interpreter's end does not wait for it."""

    def __init__(self, last: Callable[[], Any] = lambda: None) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._end = finalize(self, self._jobs.put, None)
        self._end.atexit = False
        threading.Thread(
            target=_work, args=(self._jobs, last), name="fastio.aio", daemon=True
        ).start()

    async def run(self, function: Callable[[], _T]) -> _T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_T] = loop.create_future()
        self._jobs.put((function, future, loop, contextvars.copy_context()))
        return await future

    def end(self) -> None:
        """When the jobs before it are done. May be called again."""
        self._end()


class _Progress:
    """The readers' progress=: ends a call that was stopped, and tells the loop how far it is."""

    def __init__(self, given: Any, unit: str = "B") -> None:
        self.is_stopped = False
        self._loop = asyncio.get_running_loop()
        self._bar = bar(unit) if given is True else None
        self._given = None if isinstance(given, bool) else given
        if self._given is not None and not callable(self._given):
            raise TypeError(f"progress must be a bool or a callable, not {type(given).__name__}")

    def __call__(self, done: int, total: int | None) -> None:
        if self.is_stopped:
            raise _Stopped
        if self._bar is not None:
            self._bar(done, total)
        if self._given is not None:
            try:
                self._loop.call_soon_threadsafe(self._given, done, total)
            except RuntimeError:  # the loop is closed
                raise _Stopped from None

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


async def _call(
    function: Callable[..., _T], args: tuple[Any, ...], words: dict[str, Any], has_progress: bool = True
) -> _T:
    """The function in a thread; if the task is cancelled, it ends at its next block."""
    progress = _Progress(words.pop("progress", None)) if has_progress else None
    if progress is not None:
        words["progress"] = progress
    thread = _Thread()
    try:
        return await thread.run(lambda: function(*args, **words))
    finally:
        if progress is not None:
            progress.is_stopped = True
            progress.close()
        thread.end()


# ---- whole sources


async def read_ints(source: Any, dtype: Any = "int64", **words: Any) -> Column[Any]:
    """fastio.read_ints in a thread."""
    return await _call(_core.read_ints, (source, dtype), words)


async def read_floats(source: Any, dtype: Any = "float64", **words: Any) -> Column[Any]:
    """fastio.read_floats in a thread."""
    return await _call(_core.read_floats, (source, dtype), words)


async def read_lines(source: Any, **words: Any) -> Lines[Any]:
    """fastio.read_lines in a thread."""
    return await _call(_core.read_lines, (source,), words)


async def read_bytes(source: Any, **words: Any) -> Column[int]:
    """fastio.read_bytes in a thread."""
    return await _call(_core.read_bytes, (source,), words)


async def count_lines(source: Any, **words: Any) -> int:
    """fastio.count_lines in a thread."""
    return await _call(_core.count_lines, (source,), words)


async def read_csv(source: Any, **words: Any) -> Table:
    """fastio.read_csv in a thread."""
    return await _call(_core.read_csv, (source,), words)


async def partition(source: Any, n: int | None = None, **words: Any) -> list[Range]:
    """fastio.partition in a thread."""
    return await _call(_core.partition, (source, n), words)


async def sniff(source: Any, **words: Any) -> Dialect:
    """fastio.sniff in a thread."""
    return await _call(_core.sniff, (source,), words)


async def loadtxt(fname: Any, *args: Any, **words: Any) -> Any:
    """fastio.loadtxt in a thread. A task that is cancelled does not end the reading."""
    return await _call(fastio.loadtxt, (fname, *args), words, False)


# ---- piece by piece


class _Handle:
    """What the thread has opened, and closes in the end."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make: Callable[[], Any] | None = make
        self.value: Any = None

    def get(self) -> Any:
        if self._make is not None:
            make, self._make = self._make, None
            self.value = make()
        if self.value is None:
            raise ValueError("the iterator is closed")
        return self.value

    def close(self) -> None:
        self._make = None
        if self.value is not None:
            self.value.close()


class _Iterator(Generic[_T]):
    """An asynchronous iterator whose thread starts with the first item."""

    def __init__(self, make: Callable[[], Any], words: dict[str, Any]) -> None:
        self._handle = _Handle(make)
        self._holds = words.get("partial") == "hold"  # the end is not for good
        self._thread: _Thread | None = None
        self._is_closed = self._is_busy = False

    async def _run(self, function: Callable[[_Handle], Any]) -> Any:
        """The function on the thread. A cancelled call closes all."""
        if self._is_closed:
            raise ValueError("the iterator is closed")
        if self._is_busy:
            raise ValueError("the iterator is in use by another task")
        if self._thread is None:
            self._thread = _Thread(self._handle.close)
        handle = self._handle
        self._is_busy = True
        try:
            return await self._thread.run(lambda: function(handle))
        except asyncio.CancelledError:
            self._shut()
            raise
        finally:
            self._is_busy = False

    def _shut(self) -> None:
        """The thread closes the handle when it has done what it does."""
        self._is_closed = True
        if self._thread is not None:
            self._thread.end()

    async def aclose(self) -> None:
        """Lets go of the source. Closing again does nothing."""
        if self._is_closed:
            return
        if self._thread is not None and not self._is_busy:
            await self._run(_Handle.close)
        self._shut()

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


_Self = TypeVar("_Self", bound=_Iterator[Any])


class AsyncItems(_Iterator[_T]):
    """Of aio.lines, ints and floats: an asynchronous iterator over items, or by batches() over lists of them."""

    def __init__(self, function: Callable[..., Any], source: Any, words: dict[str, Any]) -> None:
        super().__init__(lambda: function(source, **words), words)
        self._items: list[_T] = []
        self._next = 0

    def __aiter__(self) -> AsyncItems[_T]:
        return self

    async def __anext__(self) -> _T:
        if self._next == len(self._items):
            self._items, self._next = await self._batch(), 0
            if not self._items:
                raise StopAsyncIteration
        self._next += 1
        return self._items[self._next - 1]

    async def _batch(self) -> list[_T]:
        if self._is_closed:
            return []
        items: list[_T] = await self._run(lambda handle: handle.get()._batch())
        if not items and not self._holds:
            await self.aclose()
        return items

    async def batches(self) -> AsyncIterator[list[_T]]:
        """What is left, as lists of as many items as can be had without waiting."""
        if self._next < len(self._items):
            items, self._items, self._next = self._items[self._next :], [], 0
            yield items
        while items := await self._batch():
            yield items


def lines(source: Any, **words: Any) -> AsyncItems[Any]:
    """fastio.lines as an asynchronous iterator."""
    return AsyncItems(_core.lines, source, words)


def ints(source: Any, **words: Any) -> AsyncItems[int]:
    """fastio.ints as an asynchronous iterator."""
    return AsyncItems(_core.ints, source, words)


def floats(source: Any, **words: Any) -> AsyncItems[float]:
    """fastio.floats as an asynchronous iterator."""
    return AsyncItems(_core.floats, source, words)


class AsyncCsvReader(_Iterator[Table]):
    """Of aio.open_csv: an asynchronous iterator of Tables."""

    def __init__(self, source: Any, words: dict[str, Any]) -> None:
        self._given = words.pop("progress", None)
        self._progress: _Progress | None = None

        def make() -> CsvReader:
            return _core.open_csv(source, progress=self._progress, **words)

        super().__init__(make, words)

    async def _run(self, function: Callable[[_Handle], Any]) -> Any:
        if self._progress is None:
            self._progress = _Progress(self._given)
        return await super()._run(function)

    def _shut(self) -> None:
        super()._shut()
        if self._progress is not None:
            self._progress.is_stopped = True
            self._progress.close()

    def __aiter__(self) -> AsyncCsvReader:
        return self

    async def __anext__(self) -> Table:
        table = None if self._is_closed else await self._run(lambda handle: next(handle.get(), None))
        if table is None:
            if not self._holds:
                await self.aclose()
            raise StopAsyncIteration
        batch: Table = table
        return batch

    async def schema(self) -> Table:
        """Names and types, as a Table of no rows."""
        schema: Table = await self._run(lambda handle: handle.get().schema)
        return schema


def open_csv(source: Any, **words: Any) -> AsyncCsvReader:
    """fastio.open_csv as an asynchronous iterator of Tables."""
    return AsyncCsvReader(source, words)
