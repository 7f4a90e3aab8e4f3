"""Whole programs that write: what reaches standard output and error, in which order, and what the exit code says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conftest import LUAS, lua_environment


def run(lua: str, code: str, **options: object) -> subprocess.CompletedProcess[str]:
    script = 'local fastio = require "fastio"\n' + code
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([lua, "-e", script], env=lua_environment(lua), text=True, timeout=60, **given)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("lua", LUAS)
def test_standard_output_keeps_the_order_of_print_and_io(lua: str) -> None:
    result = run(lua, """
        print("a") fastio.stdout:print("b") io.write("c\\n") fastio.stdout:write_ints {1, 2}
        print("d") fastio.stdout:write_csv {{1, "x"}} print("e")
        assert(fastio.write_lines("-", {"f"})) print("g")
    """)
    assert result.stdout == "a\nb\nc\n1 2\nd\n1,x\ne\nf\ng\n", result.stderr


@pytest.mark.parametrize("lua", LUAS)
def test_nothing_on_standard_output_is_lost_by_exit(lua: str) -> None:
    result = run(lua, 'fastio.stdout:write("kept") os.exit(3)')
    assert (result.stdout, result.returncode) == ("kept", 3)


@pytest.mark.parametrize("lua", LUAS)
def test_full_standard_output(lua: str) -> None:
    with Path("/dev/full").open("w") as full:
        forgetful = run(lua, 'fastio.stdout:print("x")', stdout=full)
        careful = run(lua, 'fastio.stdout:print("x") os.exit(fastio.stdout:close() and 0 or 1)', stdout=full)
        asserting = run(lua, 'fastio.stdout:print("x") assert(fastio.stdout:flush())', stdout=full)
    assert forgetful.stderr == "fastio: <stdout>: No space left on device\n"
    assert careful.returncode == 1
    assert asserting.returncode == 1
    assert "<stdout>" in asserting.stderr and "No space left on device" in asserting.stderr


@pytest.mark.parametrize("lua", LUAS)
def test_broken_pipe_is_a_failure_where_its_signal_is_ignored(lua: str) -> None:
    process = subprocess.Popen(
        [lua, "-e", """
            local fastio = require "fastio"
            io.read()
            local w = assert(fastio.open("-", "w"))
            w:write("x")
            local _, message, code = w:close()
            io.stderr:write(code, " ", message)
        """],
        env=lua_environment(lua), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        restore_signals=False,
    )
    assert process.stdout
    process.stdout.close()
    process.stdout = None
    _, message = process.communicate("go\n", timeout=60)
    assert message.startswith("32 <stdout>") and "Broken pipe" in message


@pytest.mark.parametrize("lua", LUAS)
def test_standard_error_at_once_and_a_log_in_lines(lua: str) -> None:
    result = run(lua, """
        fastio.log:write("half a line, ") fastio.stderr:print("error") fastio.log:print("the rest")
        io.stderr:write("io\\n") fastio.log:write("no end")
    """)
    assert result.stderr == "error\nhalf a line, the rest\nio\nno end"


@pytest.mark.parametrize("lua", LUAS)
def test_standard_input(lua: str) -> None:
    result = run(lua, 'print(fastio.stdin:scan("int", "token")) print(fastio.stdin:read_int())', input="5 x\n7\n")
    assert result.stdout == "5\tx\n7\n", result.stderr


@pytest.mark.parametrize("lua", LUAS)
def test_what_was_not_closed_is_flushed_or_told(lua: str, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    result = run(lua, f'local w = fastio.open("{path}", "w") w:write("flushed")')
    assert (path.read_text(), result.stderr) == ("flushed", "")
    result = run(lua, f'local w = fastio.open("{path}", "w", {{atomic = true}}) w:write("half")')
    assert path.read_text() == "flushed"
    assert result.stderr == f"fastio: {path}: the writer was not closed: the file stays as it was\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]
    result = run(lua, 'local w = fastio.open("/dev/full", "w") w:write("lost") w = nil collectgarbage() print("on")')
    assert result.stderr == "fastio: /dev/full: No space left on device\n"
    assert result.stdout == "on\n"
    result = run(lua, 'local w = fastio.open({write = function() error("mine", 0) end}, "w") w:write("x")')
    assert result.stderr == "fastio: mine\n"
    assert result.returncode == 0


def test_close_variables_of_lua_5_4(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    result = run("lua5.4", f"""
        do local w <close> = assert(fastio.open("{path}", "w", {{atomic = true}})) w:write("new") end
        print(io.open("{path}"):read("a"))
        print(pcall(function()
          local w <close> = assert(fastio.open("{path}", "w", {{atomic = true}}))
          w:write("half")
          error("mine", 0)
        end))
        print(io.open("{path}"):read("a"))
        local ok, err = pcall(function() local w <close> = assert(fastio.open("/dev/full", "w")) w:write("x") end)
        print(ok, err.errno)
        print(pcall(function() local w <close> = assert(fastio.open("/dev/full", "w")) w:write("x") error("mine", 0) end))
    """)
    assert result.stdout == "new\nfalse\tmine\nnew\nfalse\t28\nfalse\tmine\n", result.stderr
    assert result.stderr == "fastio: /dev/full: byte 0: No space left on device\n"


@pytest.mark.parametrize("lua", LUAS)
def test_redirected_standard_streams(lua: str, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    result = run(lua, f"""
        fastio.stdout:print("before")
        fastio.stdout:redirect("{path}", function() fastio.stdout:print("aside") end)
        fastio.stderr:redirect(fastio.stdout) fastio.stderr:print("error") fastio.stderr:redirect(nil)
        fastio.stdout:print("after")
    """)
    assert (result.stdout, result.stderr, path.read_text()) == ("before\nerror\nafter\n", "", "aside\n")
