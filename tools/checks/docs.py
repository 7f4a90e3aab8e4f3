"""What the documents say is there is there, and their examples run.

Links and paths must exist, `./dev` commands must be ones that dev knows, and these examples run, in an empty
folder with the files of `samples`:
  - every python, lua and c block of README.md and of the files in docs/ that is not marked `no-run`
    (```python no-run) and is no >>> session, which tests/python/test_module.py runs;
  - blocks of one language in one document run one after the other in one process, except C: each C block that
    has a main function is a program of its own, the others are compiled together behind fastio.h.
"""

from __future__ import annotations

import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path.cwd()
DOCUMENTS = [Path("README.md"), Path("CONTRIBUTING.md"), *sorted(Path("docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:libfastio|python|lua|bindings|tests|tools|examples|benchmarks|docs|\.ci)/[\w./*<>{},+-]*)`")
COMMAND = re.compile(r"\./dev ([a-z]+)")


def samples(folder: Path) -> None:
    """The input files that the examples may read."""
    ints = "".join(f"{i}\n" for i in range(1000))
    folder.joinpath("numbers.txt").write_text(ints, encoding="ascii")
    folder.joinpath("ints.txt").write_text(ints, encoding="ascii")
    folder.joinpath("floats.txt").write_text("".join(f"{i / 8}\n" for i in range(1000)), encoding="ascii")
    folder.joinpath("matrix.txt").write_text("1 2 3\n4 5 6\n7 8 9\n", encoding="ascii")
    folder.joinpath("numbers.csv").write_text("1,2,3\n4,5,6\n", encoding="ascii")
    line = "2024-05-01 12:00:00 INFO server started on port 8080\n"
    folder.joinpath("app.log").write_text(line * 50 + "2024-05-01 12:00:01 ERROR no such file\n", encoding="ascii")
    people = "name,age,joined\n" + 'Ada,36,1843-09-01\n"Grace, H.",85,\n' * 500
    folder.joinpath("people.csv").write_text(people, encoding="ascii")
    folder.joinpath("log.txt").write_text("first line\nsecond line\nERROR third\n", encoding="ascii")
    folder.joinpath("mixed.txt").write_text("3 alpha\n1 2 3\n", encoding="ascii")
    for day in (1, 2):
        with gzip.open(folder / f"days-{day}.csv.gz", "wt") as file:
            file.write(people)
    folder.joinpath("words.txt").write_text("alpha\nbeta\ngamma\n", encoding="ascii")


def dead_names(document: Path, text: str) -> list[str]:
    faults = []
    prose = FENCE.sub("", text)
    for target in LINK.findall(prose):
        if "://" not in target and not target.startswith("mailto:") and not (document.parent / target).exists():
            faults.append(f"{document}: the link to {target} leads nowhere")
    for name in PATH.findall(prose):
        pattern = re.sub(r"<[^>]*>|\{[^}]*\}", "*", name)
        is_made = name.startswith("bindings/swig/generated")
        if not is_made and not glob.glob(pattern):
            faults.append(f"{document}: there is no {name}")
    known = set(re.findall(r"^  ([a-z]+)\)", Path("dev").read_text(encoding="utf-8"), re.MULTILINE)) | {"help"}
    faults += [f"{document}: ./dev has no command {c}" for c in COMMAND.findall(text) if c not in known]
    return faults


def run(command: list[str], folder: Path, what: str, stdin: str | None = None) -> list[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(
        command, cwd=folder, env=environment, text=True, input=stdin or "", timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return [] if done.returncode == 0 else [f"{what}: {done.stdout}"]


def run_c(blocks: list[str], folder: Path, what: str) -> list[str]:
    programs = [b for b in blocks if re.search(r"\bmain\s*\(", b)]
    fragments = [b for b in blocks if b not in programs]
    includes = "#include <fastio.h>\n#include <inttypes.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    bodies = [f"static void fragment{i}(void) {{\n{body}\n}}\n" for i, body in enumerate(fragments)]
    called = "".join(f"  fragment{i}();\n" for i in range(len(bodies)))
    if fragments:
        programs.append(includes + "".join(bodies) + "int main(void) {\n" + called + "  return 0;\n}\n")
    faults = []
    for number, program in enumerate(programs):
        (folder / "example.c").write_text(program, encoding="utf-8")
        compiler = ["cc", "-std=c11", "-Wall", f"-I{ROOT}/libfastio/include", "example.c"]
        compiler += [f"{ROOT}/build/release/libfastio.so", f"-Wl,-rpath,{ROOT}/build/release", "-pthread", "-o", "example"]
        label = f"{what} {number + 1}"
        faults += run(compiler, folder, label) or run(["./example"], folder, label, stdin="1 2 3\n")
    return faults


def run_examples(document: Path, text: str) -> list[str]:
    blocks: dict[str, list[str]] = {"python": [], "lua": [], "c": []}
    for language, mark, body in FENCE.findall(text):
        if language in blocks and mark.strip() != "no-run" and not body.startswith(">>>"):
            blocks[language].append(body)
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples(folder)
        if blocks["python"]:
            folder.joinpath("example.py").write_text("\n".join(blocks["python"]), encoding="utf-8")
            faults += run([sys.executable, "example.py"], folder, f"{document} (Python)", stdin="1 2 3\n")
        if blocks["lua"]:
            folder.joinpath("example.lua").write_text("\n".join(blocks["lua"]), encoding="utf-8")
            faults += run([str(ROOT / "dev"), "lua", "example.lua"], folder, f"{document} (Lua)", stdin="1 2 3\n")
        if blocks["c"]:
            faults += run_c(blocks["c"], folder, f"{document} (C)")
    return faults


found = run([sys.executable, "tools/make_c_reference.py", "--check"], ROOT, "docs/c.md")
for path in DOCUMENTS:
    content = path.read_text(encoding="utf-8")
    found += dead_names(path, content) + run_examples(path, content)
print("\n".join(found))
sys.exit(1 if found else 0)
