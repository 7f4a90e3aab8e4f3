"""fastio_print.h: what must compile does, and misuse does not, in C and C++ with every compiler that is there."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT, static_library

SNIPPETS = ROOT / "tests/c/print.snippets"
HEAD = re.compile(r"(good|bad): (.*?)(?: \[(C|C\+\+)\])?$")
COMPILERS = {
    "C": ["gcc -std=c11", "clang -std=c11"],
    "C++": ["g++ -std=c++17", "clang++ -std=c++17"],
}
# What the compilers say of a type that is not in the list.
NOT_LISTED = {
    "C": r"not compatible with any (generic )?association",
    "C++": r"not a type that fastio can print|not a number that fastio can print|not an integer|not a float or double|"
    r"neither a number nor a bool|nothing can be read into a constant|no matching function",
}
START = {
    "C": "#include <fastio_print.h>\n#include <stdbool.h>\n#include <stdlib.h>\n#include <wchar.h>\n",
    "C++": "#include <fastio_print.h>\n#include <cstdlib>\n#include <cwchar>\n",
}


@dataclasses.dataclass(frozen=True)
class Snippet:
    is_good: bool
    why: str
    language: str  # "" is both
    message: str  # "": that of a type that is not listed
    code: str

    def function(self, number: int) -> str:
        unused = "(void)out, (void)in, (void)err;"
        signature = f"void snippet{number}(fastio_writer *out, fastio_reader *in, fastio_error err)"
        return f'{signature};\n{signature} {{\n{unused}\n#line 1 "snippet{number}"\n{self.code}}}\n'


def stanzas() -> Iterator[Snippet]:
    text = re.sub(r"^#.*\n", "", SNIPPETS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for stanza in re.split(r"\n{2,}", text.strip()):
        first, *lines = stanza.split("\n")
        match = HEAD.match(first)
        assert match and lines, stanza
        message = ""
        if lines[0].startswith("  message: "):
            message = lines.pop(0).removeprefix("  message: ")
        yield Snippet(match[1] == "good", match[2], match[3] or "", message, "\n".join(lines) + "\n")


ALL = list(stanzas())


def compile_text(compiler: str, language: str, text: str, directory: Path) -> str:
    """What the compiler says; empty if it is content."""
    path = directory / ("snippet.c" if language == "C" else "snippet.cc")
    path.write_text(START[language] + text, encoding="utf-8")
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{ROOT}/libfastio/include"]
    if compiler.startswith("clang"):
        flags += ["-ferror-limit=0"]
    done = subprocess.run([*compiler.split(), *flags, path], capture_output=True, text=True, timeout=120)
    assert (done.returncode == 0) == (done.stderr == ""), done.stderr
    return done.stderr


def each(language: str, is_good: bool) -> list[tuple[int, Snippet]]:
    return [(n, s) for n, s in enumerate(ALL) if s.is_good == is_good and s.language in ("", language)]


CASES = [(language, compiler) for language, compilers in COMPILERS.items() for compiler in compilers]


def need(compiler: str) -> None:
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"no {compiler.split()[0]} here")


@pytest.mark.parametrize(("language", "compiler"), CASES)
def test_good_snippets_compile(language: str, compiler: str, tmp_path: Path) -> None:
    need(compiler)
    text = "".join(snippet.function(number) for number, snippet in each(language, True))
    assert compile_text(compiler, language, text, tmp_path) == ""


@pytest.mark.parametrize("compiler", COMPILERS["C"])
def test_bad_snippets_do_not(compiler: str, tmp_path: Path) -> None:
    need(compiler)
    bad = each("C", False)
    assert len(bad) > 35
    for number, snippet in bad:
        said = compile_text(compiler, "C", snippet.function(number), tmp_path)
        assert re.search(snippet.message or NOT_LISTED["C"], said), f"{snippet.why}: {said or 'compiles'}"
        assert f"snippet{number}:" in said, f"the place of the mistake is not told: {said}"


@pytest.mark.parametrize("compiler", COMPILERS["C++"])
def test_bad_snippets_do_not_in_cpp(compiler: str, tmp_path: Path) -> None:
    """All at once, since its headers take long; what had the same template before it is not told again: alone."""
    need(compiler)
    bad = each("C++", False)
    assert len(bad) > 35
    together = compile_text(compiler, "C++", "".join(snippet.function(number) for number, snippet in bad), tmp_path)
    own = [snippet.message for _, snippet in bad if snippet.message not in ("", ".")]
    expected = "|".join([NOT_LISTED["C++"], *own])
    for number, snippet in bad:
        said = together
        if f"snippet{number}:" not in together:
            said = compile_text(compiler, "C++", snippet.function(number), tmp_path)
        assert f"snippet{number}:" in said, f"compiles: {snippet.why}"
        assert re.search(expected, said), f"{snippet.why}: {said}"


EVERYTHING = r"""
#include <fastio_print.h>
#include <cstdio>

struct point { int x, y; };
static fastio_status print_point(fastio_writer *out, const void *object, fastio_error *err) {
  const point &p = *static_cast<const point *>(object);
  return fastio_try_print(err, out, '(', p.x, ", ", p.y, ')');
}
static fastio_status scan_point(fastio_reader *in, void *object, fastio_error *err) {
  point &p = *static_cast<point *>(object);
  return fastio_try_scan(err, in, fastio_expected("("), &p.x, &p.y, fastio_expected(")"));
}

int main() {
  fastio_writer *out;
  fastio_source *source;
  fastio_reader *in;
  fastio_error err;
  point p = {1, -2}, q = {0, 0};
  const double a[] = {0.5, 2};
  enum color { red = 3 };
  double d = 0;
  unsigned char byte = 0;
  if (fastio_writer_open("-", nullptr, &out, &err) != FASTIO_OK) return 1;
  fastio_println(out, "x = ", 1, ", ", 2.5f, ' ', true, ' ', std::string("s"), std::string_view("view"), ' ', red);
  fastio_println(out, fastio_width(fastio_fixed(3.14159, 2), 8), '|', fastio_custom(&p, print_point), '|',
                 fastio_fixed(fastio_array_of(a, 2, ", "), 1), '|', fastio_prefix(fastio_hex(255u)));
  fastio_println(out);
  char *text = fastio_concat("( 7 ", 8, " ) ", 0.25, " 300");
  if (!text) return 1;
  fastio_println(out, text);
  if (fastio_source_memory(text, strlen(text), nullptr, &source, &err) != FASTIO_OK) return 1;
  if (fastio_reader_open(source, nullptr, &in, &err) != FASTIO_OK) return 1;
  fastio_status status = fastio_try_scan(&err, in, fastio_scan_custom(&q, scan_point), &d, &byte);
  fastio_println(out, q.x, ' ', q.y, ' ', fastio_status_name(status), ' ', err.field);
  fastio_reader_close(in);
  fastio_source_close(source);
  std::free(text);
  return fastio_writer_close(out, &err) != FASTIO_OK;
}
"""


@pytest.mark.parametrize("compiler", COMPILERS["C++"])
def test_cpp_prints_the_same(compiler: str, tmp_path: Path) -> None:
    need(compiler)
    path = tmp_path / "everything.cc"
    path.write_text(EVERYTHING, encoding="utf-8")
    command = [*compiler.split(), "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT}/libfastio/include", str(path)]
    command += [*static_library(), "-o", str(tmp_path / "everything")]
    subprocess.run(command, check=True, timeout=120)
    done = subprocess.run([tmp_path / "everything"], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split("\n") == [
        "x = 1, 2.5 true sview 3",
        "    3.14|(1, -2)|0.5, 2.0|0xff",
        "",
        "( 7 8 ) 0.25 300",
        "7 8 out_of_range 3",
        "",
    ]
