"""Standard streams, redirection, locks, scanning, forks, and the exit code of programs."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from pathlib import Path
from typing import Any

import fastio
import pytest


def run(code: str, *, stdin: str | None = None, shell: str = "", **words: Any) -> subprocess.CompletedProcess[str]:
    """A program, perhaps with something behind it in a shell."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    if not shell:
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, **words)
    import shlex

    return subprocess.run(["bash", "-c", shell.replace("PROGRAM", shlex.join(command))], capture_output=True, text=True, timeout=60, **words)


# ---- standard streams


def test_streams() -> None:
    done = run("""
        import fastio
        fastio.stdout.print("out", fastio.stdin.read_int())
        fastio.stderr.print("err")
        fastio.log.print("log")
        print(fastio.stdout.name, fastio.stdin.path, fastio.stdout is fastio.stdout, type(fastio.log).__name__)
        from fastio import *
        stdout.write("star\\n")
        stdout.flush()
    """, stdin="17 18")
    assert done.returncode == 0 and done.stderr == "err\nlog\n"
    assert sorted(done.stdout.splitlines()) == ["<stdout> <stdin> True Writer", "out 17", "star"]


def test_standard_output_is_flushed_at_exit() -> None:
    assert run("import fastio; fastio.stdout.write('x' * 100_000)").stdout == "x" * 100_000
    done = run("import fastio, sys; fastio.stdout.write('x'); sys.exit(3)")
    assert (done.stdout, done.returncode) == ("x", 3)
    done = run("import fastio; fastio.stdout.write('x'); raise KeyError('y')")
    assert done.stdout == "x" and done.returncode == 1 and "KeyError" in done.stderr
    assert run("import atexit, fastio; atexit.register(lambda: fastio.stdout.print('late')); fastio.stdout.print('x')").stdout == "x\nlate\n"


@pytest.mark.parametrize("name", ["stdout", "log"])
def test_a_failure_at_exit_is_told_and_the_exit_code_is_not_0(name: str) -> None:
    number = 1 if name == "stdout" else 2
    done = run(f"import fastio; fastio.{name}.write('lost')", shell=f"PROGRAM {number}>/dev/full; echo code $?")
    if name == "stdout":  # echo still has another one
        assert done.stdout == "code 120\n" and "No space left" in done.stderr
    else:
        assert done.stdout == "code 120\n"


def test_a_failure_that_was_raised_is_not_told_again() -> None:
    code = """
        import fastio, sys
        try:
            fastio.stdout.print("lost", flush=True)
        except OSError as error:
            sys.exit(7)
    """
    done = run(code, shell="PROGRAM >/dev/full; echo code $? >&2")
    assert done.stderr == "code 7\n"


def test_head() -> None:
    """The reader of a pipe goes away: BrokenPipeError, which a program may leave quietly."""
    code = """
        import fastio, sys
        try:
            for i in range(1_000_000):
                fastio.stdout.print(i)
        except BrokenPipeError:
            sys.exit(0)
    """
    done = run(code, shell="PROGRAM | head -1; echo ${PIPESTATUS[0]}")
    assert done.stdout == "0\n0\n" and done.stderr == ""
    done = run("import fastio; fastio.stdout.write_ints(range(1_000_000), chr(10))", shell="PROGRAM | head -1; echo ${PIPESTATUS[0]}")
    assert done.stdout == "0\n1\n" and "BrokenPipeError" in done.stderr


def test_standard_error_is_written_at_once_and_the_log_by_lines() -> None:
    done = run("""
        import fastio, os
        fastio.stderr.write("a")
        os.write(2, b"b")
        fastio.log.write("c")
        os.write(2, b"d")
        fastio.log.write("e\\n")
        os.write(2, b"f")
    """)
    assert done.stderr == "abdce\nf"


# ---- redirection


def test_redirection(tmp_path: Path) -> None:
    writer = fastio.Writer()
    writer.write("a")
    with writer.redirect() as memory:
        writer.write("b")
        writer.write_ints([1, 2])
    assert memory.getvalue() == b"b1 2\n" and not memory.closed
    with writer.redirect(tmp_path / "out") as target:
        writer.write("c")
        with writer.redirect(memory) as same:
            writer.write("d")
            assert same is memory
        writer.write("e")
    assert target.closed and (tmp_path / "out").read_bytes() == b"ce"
    with writer.redirect(tmp_path / "out", mode="a"):
        writer.write("f")
    writer.write("g")
    assert writer.getvalue() == b"ag" and memory.getvalue() == b"b1 2\nd" and (tmp_path / "out").read_bytes() == b"cef"


def test_redirection_to_objects() -> None:
    """Callbacks of the target, from calls of the writer that let go of the GIL."""
    import io

    numpy = pytest.importorskip("numpy")
    writer, target = fastio.Writer(), io.BytesIO()
    with writer.redirect(target):
        writer.write_ints(numpy.arange(300_000), "\n", threads=2)
        writer.write_csv([(1, 2)])
    assert target.getvalue() == b"".join(b"%d\n" % i for i in range(300_000)) + b"1,2\n" and not target.closed
    assert writer.getvalue() == b""


def test_writers_with_the_same_target(tmp_path: Path) -> None:
    """Whoever calls has let go of the GIL, and the target knows."""
    numbers = pytest.importorskip("numpy").arange(100_000)
    line = " ".join(map(str, range(100_000))) + "\n"

    class Sink:
        def __init__(self) -> None:
            self.size = 0

        def write(self, data: bytes) -> int:
            self.size += len(data)
            return len(data)

    sink = Sink()
    for dest in (tmp_path / "out", sink):
        target, a, b = fastio.Writer(dest), fastio.Writer(), fastio.Writer()
        with a.redirect(target):
            with b.redirect(target):
                a.write_ints(numbers)
                b.write_ints(numbers)
            a.write_ints(numbers)
        with b.redirect(a), a.redirect(target):
            b.write_ints(numbers)
        target.close()
        assert a.getvalue() == b.getvalue() == b""
    assert (tmp_path / "out").read_text() == 4 * line and sink.size == 4 * len(line)


def test_redirection_and_failures(tmp_path: Path) -> None:
    writer = fastio.Writer()
    with pytest.raises(OSError, match="No space"), writer.redirect("/dev/full"):
        writer.write("lost")
    writer.write("kept")
    assert writer.getvalue() == b"kept"
    with pytest.raises(KeyError), writer.redirect(tmp_path / "out", atomic=True):
        writer.write("x")
        raise KeyError
    assert os.listdir(tmp_path) == []
    target = fastio.Writer()
    with writer.redirect(target):
        with pytest.raises(ValueError, match="redirected to this one"):
            target.close()
        with pytest.raises(ValueError, match="itself"), target.redirect(writer):
            pass
        with pytest.raises(ValueError, match="itself"), writer.redirect(writer):
            pass
        target.write("direct ")
        writer.write("through")
    assert target.getvalue() == b"direct through"
    target.close()
    with pytest.raises(ValueError, match="closed"), writer.redirect(target):
        pass
    manager = writer.redirect()
    with manager:
        pass
    with pytest.raises(ValueError, match="once"), manager:
        pass
    with pytest.raises(TypeError), writer.redirect(3.5):  # type: ignore[arg-type]
        pass
    with pytest.raises(TypeError):
        writer._redirect(3)  # type: ignore[arg-type]


def test_closing_a_redirected_writer(tmp_path: Path) -> None:
    memory = fastio.Writer()
    with fastio.open(tmp_path / "out", "w") as writer:
        writer.write("own ")
        with writer.redirect(memory):
            writer.write("memory")
            writer.close()
    assert (tmp_path / "out").read_bytes() == b"own " and memory.getvalue() == b"memory"
    memory.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dropped_in_a_circle(tmp_path: Path) -> None:
    class Holder:
        writer: Any

    holder = Holder()
    holder.writer = fastio.open(tmp_path / "a", "w")
    target = fastio.open(tmp_path / "b", "w")
    holder.writer.write("a")
    holder.writer._redirect(target)
    holder.writer.write("b")
    holder.again = holder  # type: ignore[attr-defined]
    references = [weakref.ref(holder.writer), weakref.ref(target)]
    del holder, target
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert (tmp_path / "a").read_bytes() == b"a" and (tmp_path / "b").read_bytes() == b"b"


def test_a_reader_redirected(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"10 20 x")
    reader = fastio.open(b"1 2 3")
    assert reader.read_int() == 1
    with reader.redirect(tmp_path / "other") as same:
        assert same is reader and reader.read_int() == 10
        with reader.redirect(b"7"):
            assert reader.read_int() == 7
            with pytest.raises(EOFError):
                reader.read_int()
        assert reader.read_int() == 20
        with pytest.raises(fastio.ParseError) as caught:
            reader.read_int()
        assert caught.value.path == str(tmp_path / "other")
    assert reader.read_int() == 2
    with pytest.raises(FileNotFoundError), reader.redirect("no such file"):
        pass
    import io

    with reader.redirect(io.BytesIO(b"5")):
        assert reader.read_int() == 5
        reader.close()
    assert reader.closed
    with pytest.raises(ValueError, match="closed"), reader.redirect(b"1"):
        pass


# ---- own types


class Fraction:
    def __init__(self, above: int, below: int) -> None:
        self.above, self.below = above, below

    def __fastio_print__(self, writer: fastio.Writer) -> None:
        writer.print(self.above, self.below, sep="/", end="")

    @classmethod
    def __fastio_scan__(cls, reader: fastio.Reader[str]) -> Fraction:
        above, slash, below = reader.peek_token().partition("/")
        if not slash or not above.isdigit() or not below.isdigit():
            reader.fail("a fraction is written 1/2")
        reader.skip()
        return cls(int(above), int(below))


def test_scan() -> None:
    reader = fastio.open(b"1 2.5 word bytes 3/4 5\n6/7 8/x")
    assert reader.scan(int, float, str, bytes) == (1, 2.5, "word", b"bytes")
    value = reader.scan(Fraction)
    assert (value.above, value.below) == (3, 4) and reader.scan() == ()
    five, fraction = reader.scan(int, Fraction)
    assert five == 5 and fastio.format(fraction) == "6/7"
    with pytest.raises(fastio.ParseError, match="a fraction is written 1/2") as caught:
        reader.scan(Fraction)
    assert (caught.value.lineno, caught.value.colno, caught.value.offset, caught.value.text) == (2, 5, 27, b"8/x")
    assert reader.peek_token() == "8/x" == reader.read_token()
    for use in (reader.peek_token, lambda: reader.scan(int), lambda: reader.scan(str, int)):
        with pytest.raises(EOFError):
            use()
    reader = fastio.open(b"x", "rb")
    assert reader.scan(str) == "x"
    for bad in (dict, "int", 5, None):
        with pytest.raises(TypeError, match="scan"):
            reader.scan(bad)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="message"):
        reader.fail(5)  # type: ignore[arg-type]
    with pytest.raises(fastio.ParseError, match="12"):
        fastio.open(b"12abc").scan(int)


# ---- threads


def test_a_locked_writer_of_many_threads(tmp_path: Path) -> None:
    """No torn line, whatever the call; and what is between lock() and its end stays together."""
    path = tmp_path / "out"
    with fastio.open(path, "w", locked=True) as writer:

        def work(number: int) -> None:
            for i in range(300):
                writer.print("print", number, i, "x" * (i % 50))
                writer.write(f"write {number} {i} {'y' * (i % 40)}\n")
                writer.write_ints([number, i] * 20)
                with writer.lock():
                    writer.write("begin ")
                    writer.write_int(number)
                    with writer.lock():
                        writer.print(" end")

        threads = [threading.Thread(daemon=True, target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    counts: dict[str, int] = {}
    for line in path.read_text().splitlines():
        words = line.split()
        kind = words[0] if words[0].isalpha() else "ints"
        counts[kind] = counts.get(kind, 0) + 1
        assert len(words) == {"print": 4 if line[-1] == "x" else 3, "write": 4 if line[-1] == "y" else 3, "ints": 40, "begin": 3}[kind], line
    assert counts == {"print": 2400, "write": 2400, "ints": 2400, "begin": 2400}


def test_a_writer_in_use_is_refused() -> None:
    inside, go = threading.Event(), threading.Event()

    class Gate:
        def write(self, data: bytes) -> None:
            inside.set()
            assert go.wait(10)

    writer = fastio.open(Gate(), "w", buffering="none")
    thread = threading.Thread(daemon=True, target=lambda: writer.write("x"))
    thread.start()
    assert inside.wait(10)
    try:
        for use in (lambda: writer.write("y"), writer.flush, writer.close, lambda: writer.write_ints([1]), writer.discard, writer.tell):
            with pytest.raises(ValueError, match="in use by another thread"):
                use()
    finally:
        go.set()
        thread.join()
    writer.close()


def test_the_lock() -> None:
    writer = fastio.Writer(locked=True)
    with writer.lock() as same:
        assert same is writer
        seen: list[Any] = []

        def try_it() -> None:
            with pytest.raises(RuntimeError, match="not this thread"):
                writer._release()
            writer.write("late")
            seen.append(1)

        thread = threading.Thread(daemon=True, target=try_it)
        thread.start()
        thread.join(0.2)
        assert thread.is_alive() and not seen
        writer.write("early ")
    thread.join(10)
    assert writer.getvalue() == b"early late"
    plain = fastio.Writer()
    with plain.lock():
        plain.write("x")


# ---- forks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_forks(tmp_path: Path) -> None:
    done = run("""
        import fastio, os, sys
        folder = sys.argv[1] if len(sys.argv) > 1 else os.environ["FOLDER"]
        plain = fastio.open(os.path.join(folder, "plain"), "w")
        atomic = fastio.open(os.path.join(folder, "atomic"), "w", atomic=True)
        plain.write("once\\n")
        atomic.write("whole")
        fastio.stdout.write("before\\n")
        locked = fastio.open(os.path.join(folder, "locked"), "w", locked=True)
        import threading
        held, go = threading.Event(), threading.Event()
        def hold():
            with locked.lock():
                held.set()
                go.wait(10)
        thread = threading.Thread(daemon=True, target=hold)
        thread.start()
        held.wait(10)
        if os.fork() == 0:
            fastio.stdout.write("child\\n")
            locked.write("child\\n")
            locked.close()
            try:
                atomic.write("x")
            except ValueError as error:
                fastio.stdout.print(error)
            atomic.close()
            sys.exit(0)
        os.wait()
        go.set()
        thread.join()
        fastio.stdout.write("parent\\n")
        plain.close()
        atomic.close()
        locked.close()
    """, env={**os.environ, "FOLDER": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "before\nchild\nthe atomic writer belongs to the process that this one was forked from\nparent\n"
    assert (tmp_path / "plain").read_bytes() == b"once\n" and (tmp_path / "atomic").read_bytes() == b"whole"
    assert (tmp_path / "locked").read_bytes() == b"child\n" and sorted(os.listdir(tmp_path)) == ["atomic", "locked", "plain"]


def test_subinterpreters() -> None:
    if sys.version_info < (3, 12):
        pytest.skip("subinterpreters of their own GIL came with 3.12")
    done = run("""
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        code = "import fastio; w = fastio.Writer(); w.print(1, fastio.fixed(2)(0.5)); fastio.stdout.write(w.getvalue()); fastio.stdout.flush()"
        for _ in range(3):
            one = interpreters.create()
            interpreters.run_string(one, code)
            interpreters.destroy(one)
    """)
    assert done.stdout == "1 0.50\n" * 3, done.stderr
