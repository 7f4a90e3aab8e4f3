"""Progress bars: rich if it is installed, else tqdm, else a plain line."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Protocol


class Bar(Protocol):
    def __call__(self, done: int, total: int | None) -> None: ...
    def close(self) -> None: ...


class _Rich:
    def __init__(self, unit: str) -> None:
        rich, console = import_module("rich.progress"), import_module("rich.console")
        is_size = unit == "B"
        sizes = ("DownloadColumn", "TransferSpeedColumn") if is_size else ("MofNCompleteColumn",)
        columns = ("BarColumn", *sizes, "TimeRemainingColumn")
        self._progress = rich.Progress(
            *(getattr(rich, column)() for column in columns),
            console=console.Console(stderr=True),
            transient=True,
        )
        self._task: Any = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._task is None:
            self._task = self._progress.add_task("", total=total)
            self._progress.start()
        self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._progress.stop()


class _Tqdm:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._make = import_module("tqdm.auto").tqdm
        self._bar: Any = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._bar is None:
            self._bar = self._make(total=total, unit=self._unit, unit_scale=True, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Plain:
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._is_shown = False

    def __call__(self, done: int, total: int | None) -> None:
        line = f"\r{done >> 20} MiB" if self._unit == "B" else f"\r{done} {self._unit}"
        if total is not None:
            line += f", {100 * done // total if total else 100}%"
        self._write(line)
        self._is_shown = True

    def close(self) -> None:
        if self._is_shown:
            self._write("\n")

    @staticmethod
    def _write(text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def _is_seen() -> bool:
    """Bars are for people: at a terminal or in a notebook."""
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def bar(unit: str = "B") -> Bar | None:
    """A bar that is called with what is done and the total; None where nobody would see it."""
    if not _is_seen():
        return None
    for kind in (_Rich, _Tqdm):
        try:
            return kind(unit)
        except ImportError:
            continue
    return _Plain(unit)
