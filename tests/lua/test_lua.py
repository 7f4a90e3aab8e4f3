"""Runs the Lua tests under every Lua, and what no script can: host, failing allocations, docs."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import BUILD, LUAS, ROOT, lua_environment, lua_version, program, static_library

HERE = Path(__file__).resolve().parent
SCRIPTS = sorted(path.name for path in HERE.glob("test_*.lua"))


def output_of(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, **options)


def run(lua: str, *arguments: str, cwd: Path = HERE) -> subprocess.CompletedProcess[str]:
    environment = lua_environment(lua)
    environment["LUA_PATH"] += f";{HERE}/?.lua"
    return output_of([lua, *arguments], env=environment, cwd=cwd, errors="replace", timeout=600)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("lua", LUAS)
def test_script(lua: str, script: str) -> None:
    result = run(lua, script)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^[1-9]\d* passed, 0 failed$", result.stdout, re.MULTILINE), result.stdout


def documentation_examples() -> list[str]:
    text = (ROOT / "docs" / "lua.md").read_text(encoding="utf-8")
    return re.findall(r"^```lua\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("lua", LUAS)
def test_documentation_examples_run(lua: str, tmp_path: Path) -> None:
    """Each block by itself; what `-->` promises on a line that prints is what it prints."""
    (tmp_path / "numbers.txt").write_text("1 2 3\n")
    (tmp_path / "log.txt").write_text("fine\nERROR here\nEND\n")
    (tmp_path / "mixed.txt").write_text("3 apples\n")
    examples = documentation_examples()
    assert len(examples) >= 8
    for example in examples:
        script = example if "require" in example else 'local fastio = require "fastio"\n' + example
        (tmp_path / "example.lua").write_text(script)
        result = run(lua, "example.lua", cwd=tmp_path)
        assert result.returncode == 0, example + result.stderr
        printed = [line.split() for line in result.stdout.splitlines()]
        promised = [line.split() for line in re.findall(r"--> (.*)$", example, re.MULTILINE)]
        for words in promised:
            if words[0] == "6" and len(words) == 1 and lua != "luajit":
                continue  # the example of the FFI pointer
            assert words in printed, f"{example}\nprinted {result.stdout}"


@pytest.mark.parametrize("lua", LUAS)
def test_only_the_opener_is_exported(lua: str) -> None:
    module = BUILD / "lua" / lua_version(lua) / "fastio.so"
    nm = shutil.which("nm")
    assert nm, "nm (binutils) is needed"
    symbols = output_of([nm, "-D", "--defined-only", str(module)], check=True).stdout
    names = {line.split()[-1] for line in symbols.splitlines()}
    assert names - {"_init", "_fini"} == {"luaopen_fastio"}


@pytest.mark.parametrize("lua", LUAS)
def test_annotations_name_what_is_there(lua: str) -> None:
    """lua/fastio.d.lua declares exactly the functions of the module, and methods that exist."""
    declared = (ROOT / "lua" / "fastio.d.lua").read_text(encoding="utf-8")
    functions = set(re.findall(r"^function fastio\.(\w+)\(", declared, re.MULTILINE))
    listing = run(lua, "-e", "for k, v in pairs(require 'fastio') do print(type(v), k) end")
    present = set(re.findall(r"^function\s+(\w+)$", listing.stdout, re.MULTILINE))
    assert functions == present, listing.stderr
    for kind, make in {
        "Column": 'fastio.read_bytes(fastio.data("x"))',
        "Lines": 'fastio.read_lines(fastio.data("x"))',
        "MappedFile": 'fastio.load("/dev/null")',
        "Reader": 'fastio.open(fastio.data("x"))',
        "Table": 'fastio.read_csv(fastio.data("x"))',
        "CsvReader": 'fastio.open_csv(fastio.data("x"))',
        "Writer": "fastio.writer()",
    }.items():
        methods = re.findall(rf"^function {kind}:(\w+)\(", declared, re.MULTILINE)
        assert methods
        checks = "".join(f'assert(type(o.{name}) == "function", "{name}") ' for name in methods)
        result = run(lua, "-e", f'local fastio = require "fastio" local o = {make} {checks}')
        assert result.returncode == 0, result.stderr


def test_host_program(tmp_path: Path) -> None:
    host = program("examples/lua_host")
    shown = output_of([host], check=True).stdout.split()
    assert shown[-2:] == ["5", "96"]
    script = tmp_path / "script.lua"
    script.write_text('print(require("fastio").count_lines(arg[1]), arg[0])')
    shown = output_of([host, str(script), str(script)], check=True).stdout.split()
    assert shown == ["1", str(script)]
    broken = tmp_path / "broken.lua"
    broken.write_text('require("fastio").strict(true) require("fastio").read_ints("/no/such")')
    failed = output_of([host, str(broken)])
    assert failed.returncode == 1
    assert "/no/such: No such file or directory" in failed.stderr


@pytest.mark.parametrize("lua", LUAS)
def test_example_script(lua: str, tmp_path: Path) -> None:
    script = str(ROOT / "examples" / "summary.lua")
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("# heights\n1.5,NA,3\n,6\n")
    result = run(lua, script, str(numbers), ",")
    assert result.stdout == "3 numbers, 2 missing\nfrom 1.5 to 6, mean 3.5\n", result.stderr
    numbers.write_text("1,x\n")
    result = run(lua, script, str(numbers), ",")
    assert result.returncode == 1
    assert result.stderr.startswith(f"{numbers}:1:3: not a number: 'x'")
    assert run(lua, script, "/no/such").returncode == 2


@pytest.mark.parametrize("lua", LUAS)
def test_control_c_interrupts_a_long_read(lua: str) -> None:
    """The interpreters turn SIGINT into a hook that raises; the lines of `yes` never end."""
    code = """
        io.write("ready\\n") io.flush()
        print(pcall(require("fastio").count_lines, "-"))
    """
    endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process = subprocess.Popen(
        [lua, "-e", code], env=lua_environment(lua), stdin=endless.stdout, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )
    try:
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        endless.kill()
        process.wait()
        endless.communicate()
    assert "interrupted" in output


def lua_flags(package: str) -> list[str]:
    return output_of(["pkg-config", "--cflags", "--libs", package], check=True).stdout.split()


@pytest.mark.parametrize("script", ["allocation.lua", "allocation_write.lua"])
@pytest.mark.parametrize("package", ["lua5.1", "lua5.4"])
def test_every_allocation_may_fail(package: str, script: str, tmp_path: Path) -> None:
    """Under AddressSanitizer, which also finds C memory that a jump out of a call left behind."""
    binary = tmp_path / "allocation"
    sources = [HERE / "allocation.c", *(ROOT / "lua/src").glob("*.c"), *static_library()]
    flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    libraries = [*lua_flags(package), "-lm", "-lpthread"]
    compiler = ["cc", *flags, f"-I{ROOT}/libfastio/include", "-o", str(binary)]
    subprocess.run([*compiler, *map(str, sources), *libraries], check=True)
    result = output_of([str(binary), str(HERE / script)], timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
