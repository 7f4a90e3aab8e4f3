"""Fixtures of the whole test suite: where the built programs are, and how to start a driver."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import archives
from harness import Driver, Vector, load_vectors, packed_twin, twins, utf16_twin

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("FASTIO_BUILD", ROOT / "build" / "release"))

# The same examples every time: a failure on one machine is a failure on all. FASTIO_EXAMPLES asks for more of them.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, max_examples=int(os.environ.get("FASTIO_EXAMPLES", "60")),
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("fixed")


def program(name: str) -> str:
    """A program built by CMake; missing it is an error, not a reason to skip."""
    path = BUILD / name
    assert path.exists(), f"{path} is missing: run ./dev build"
    return str(path)


def static_library() -> list[str]:
    """What a program links that takes libfastio.a, as its pkg-config file says."""
    lines = Path(program("fastio.pc")).read_text(encoding="utf-8").splitlines()
    private = next(line for line in lines if line.startswith("Libs.private:"))
    return [program("libfastio.a"), *private.split()[1:]]


def c_driver_command() -> list[str]:
    """FASTIO_C_DRIVER names another one, perhaps under an emulator."""
    given = os.environ.get("FASTIO_C_DRIVER")
    return shlex.split(given) if given else [program("driver")]


@functools.cache
def lua_version(lua: str) -> str:
    code = "print(jit and 'jit' or _VERSION:match('%d.%d'))"
    return subprocess.run([lua, "-e", code], capture_output=True, text=True, check=True).stdout.strip()


def lua_environment(lua: str) -> dict[str, str]:
    """Without the paths of the machine: only the module under test is found."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LUA_PATH", "LUA_CPATH"))}
    environment["LUA_CPATH"] = f"{BUILD}/lua/{lua_version(lua)}/?.so"
    environment["LUA_PATH"] = f"{ROOT}/lua/?.lua;{ROOT}/lua/?/init.lua"
    return environment


def python_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "python")}


LARGEST_PACKED = 1 << 19
LUAS = ["lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit"]


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> list[Vector]:
    """Every vector, and its twins: without or with the final newline, with other newlines."""
    loaded = load_vectors()
    return loaded + [twin for vector in loaded for twin in twins(vector)]


@pytest.fixture(scope="session")
def inputs(vectors: list[Vector], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the input of every vector as a file of its name."""
    directory = tmp_path_factory.mktemp("inputs")
    for vector in vectors:
        if vector.reads_source:
            (directory / vector.id).write_bytes(vector.input)
    return directory


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[Vector], Path]]:
    """The vectors with their inputs compressed, or in UTF-16, and a directory of those inputs, by what was done."""
    loaded = [vector for vector in load_vectors() if len(vector.input) < LARGEST_PACKED]
    made = {name: [packed_twin(vector, name) for vector in loaded] for name in archives.MAKERS}
    made["utf16"] = [utf16_twin(vector) for vector in loaded]
    by_name = {}
    for name, twins_of in made.items():
        due = [vector for vector in twins_of if vector is not None]
        directory = tmp_path_factory.mktemp(f"inputs-{name}")
        for vector in due:
            (directory / vector.id).write_bytes(vector.input)
        by_name[name] = due, directory
    return by_name


@pytest.fixture(scope="session")
def c_driver(inputs: Path) -> Driver:
    return Driver(c_driver_command(), inputs)


@pytest.fixture(scope="session")
def python_driver(inputs: Path) -> Driver:
    return Driver([sys.executable, str(ROOT / "tests/drivers/driver.py")], inputs, python_environment())


@pytest.fixture(scope="session")
def lua_driver(inputs: Path):
    def make(lua: str) -> Driver:
        assert shutil.which(lua), f"{lua} is missing: run ./dev setup"
        return Driver([lua, str(ROOT / "tests/drivers/driver.lua")], inputs, lua_environment(lua))

    return make
