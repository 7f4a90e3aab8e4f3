"""The package: names, import, stubs, documentation."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import fastio
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_names() -> None:
    assert set(fastio.__all__).isdisjoint({"open", "print", "hash", "format"})
    for name in [*fastio.__all__, "open", "format"]:
        assert getattr(fastio, name).__doc__, name
        assert name in dir(fastio)
    namespace: dict[str, object] = {}
    exec("from fastio import *", namespace)
    assert set(fastio.__all__) <= set(namespace) and "open" not in namespace
    with pytest.raises(AttributeError, match="no_such_name"):
        fastio.no_such_name
    assert fastio.__version__ == fastio.version()


def test_every_method_is_documented() -> None:
    for kind in (fastio.Column, fastio.Lines, fastio.MappedFile, fastio.Reader, fastio.Table, fastio.CsvReader, type(fastio.lines(b"")),
                 fastio.Writer, fastio.Format, fastio.Locale):
        assert kind.__doc__
        for name, member in vars(kind).items():
            if not name.startswith("__") and (callable(member) or inspect.isdatadescriptor(member)):
                assert member.__doc__, f"{kind.__name__}.{name}"
                if callable(member):
                    inspect.signature(member)


def test_import_is_light() -> None:
    code = "import sys; before = set(sys.modules); import fastio; print(*sorted(set(sys.modules) - before))"
    shown = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"],
                           capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["fastio", "fastio._core"]


def test_importing_again() -> None:
    code = """
import sys, fastio
first = fastio.Error
for name in [n for n in sys.modules if n.startswith("fastio")]:
    del sys.modules[name]
import fastio
try:
    fastio.read_ints(b"x")
except fastio.Error as error:
    assert type(error) is not first or fastio.Error is first
print(fastio.read_ints(b"1").to_list())
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[1]\n"


def test_stubs() -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "fastio", "--ignore-unused-allowlist",
               "--allowlist", str(ROOT / "tools/checks/stubs.allow")]
    run = subprocess.run(command, capture_output=True, text=True, cwd="/",
                         env={**os.environ, "MYPYPATH": str(Path(fastio.__file__).parents[1])})
    assert run.returncode == 0, run.stdout + run.stderr


def test_types_of_a_program(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("""
import io
from pathlib import Path
from typing import assert_type
import fastio

ints = fastio.read_ints(Path("x"), "int8", threads=2)
assert_type(ints, fastio.Column[int])
assert_type(ints[0], int)
assert_type(ints[1:], fastio.Column[int])
assert_type(fastio.read_ints(b"", null_values=["NA"])[0], int | None)
assert_type(fastio.read_floats(io.BytesIO(), shape=(-1, 3)).to_list(), list[float])
assert_type(fastio.read_lines("x")[0], str)
assert_type(fastio.read_lines("x", encoding=None)[0], bytes)
assert_type(next(fastio.lines("x")), str)
for line in fastio.lines("x", encoding=None):
    assert_type(line, bytes)
with fastio.open("x") as reader:
    assert_type(reader, fastio.Reader[str])
    assert_type(reader.read_line(), str)
assert_type(fastio.open("x", "rb").read_token(), bytes)
assert_type(fastio.open("x", encoding=None).read_token(), bytes)
with fastio.load("x", advice="random") as mapped:
    assert_type(mapped[:3], bytes)
assert_type(fastio.parse_int("1"), int)
table = fastio.read_csv("x", sep=None, dtype={"a": "int8", 2: str}, null_values={"a": ["NA"]}, widths=[3, (4, 5)], threads=2)
assert_type(table, fastio.Table)
assert_type(table[1:], fastio.Table)
assert_type(table.report.places[0].record, int)
for row in table:
    row[0]
fastio.read_csv(b"", on_ragged=lambda fields: fields[:2], dialect=fastio.sniff("x"), range=fastio.partition("x", 2)[0])
with fastio.open_csv(Path("x"), batch_rows=5) as batches:
    assert_type(batches, fastio.CsvReader)
    assert_type([batch.names for batch in batches], list[list[str]])
    assert_type(len(batches), int)
    assert_type(batches[2:3], fastio.Table)
with fastio.open("x", "w", atomic=True) as writer:
    assert_type(writer, fastio.Writer)
    assert_type(writer.write(b"x"), int)
    writer.print(1, "x", sep="")
    writer.write_ints([1, 2, None], ",", null="")
    writer.write_floats(ints, format=[fastio.fixed(2), "hexadecimal"])
    with writer.redirect() as memory, writer.lock():
        assert_type(memory.getvalue(), bytes)
assert_type(fastio.Writer(locked=True).name, str | None)
assert_type(fastio.format(1.5, fastio.fixed(2, width=8)), str)
assert_type(fastio.fixed(1)(2.5), str)
assert_type(fastio.copy(b"x", "y"), int)
assert_type(reader.scan(int), int)
assert_type(reader.peek_token(), str)
fastio.write_csv(io.BytesIO(), {"a": [1]}, header=["b"], format={"b": fastio.integer(16)}, quoting="all")
fastio.savetxt("x", [[1, 2]], fmt=["%d", "%e"])
fastio.stdout.print(fastio.stdin.read_int())
try:
    pass
except fastio.Error as error:
    assert_type(error.offset, int | None)
""")
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--python-version", "3.12", str(program)],
                         capture_output=True, text=True, cwd=tmp_path,
                         env={**os.environ, "MYPYPATH": str(Path(fastio.__file__).parents[1])})
    assert run.returncode == 0, run.stdout + run.stderr


def test_examples_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every >>> of docs/python.md, in order, in a directory of its own."""
    for module in ("numpy", "pyarrow", "polars"):
        pytest.importorskip(module)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(blocks, {}, "python.md", None, 0)
    assert len(example.examples) > 20
    shown: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(example, out=shown.append)
    assert runner.failures == 0, "".join(shown)


def test_documentation_names_everything() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in [*fastio.__all__, "open"]:
        assert re.search(rf"\b{name}\b", text), name
    for kind in (fastio.Column, fastio.Lines, fastio.MappedFile, fastio.Reader, fastio.Table, fastio.CsvReader, fastio.Report, fastio.Place,
                 fastio.Writer, fastio.Format, fastio.Locale):
        for name in vars(kind):
            if not name.startswith("_"):
                assert re.search(rf"\b{name}\b", text), f"{kind.__name__}.{name}"
    for function in (fastio.read_ints, fastio.read_floats, fastio.read_lines, fastio.lines, fastio.ints, fastio.floats, fastio.open,
                     fastio.load, fastio.count_lines, fastio.read_bytes, fastio.read_csv, fastio.open_csv, fastio.partition, fastio.sniff,
                     fastio.Writer, fastio.Format, fastio.Locale, fastio.write_csv, fastio.write_ints, fastio.write_floats, fastio.write_lines,
                     fastio.savetxt, fastio.copy, fastio.Writer.print):
        for name in typing.cast("dict[str, object]", inspect.signature(function).parameters):
            assert re.search(rf"\b{name}\b", text), f"{function.__name__}({name})"
