"""One extension module, fastio._core, from python/src, the SWIG wrapper and the C library's sources.

The same shared object also exports PyInit__swig (the generated part), so that the process holds
one copy of the library. Everything else about the package is in pyproject.toml.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

os.chdir(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, "tools")
import generate_swig  # noqa: E402

HEADERS = glob("libfastio/**/*.h", recursive=True) + glob("python/src/*.h")
SOURCES = sorted(glob("libfastio/src/*/*.c") + glob("python/src/*.c"))


def version() -> str:
    header = Path("libfastio/include/fastio.h").read_text(encoding="utf-8")
    match = re.search(r'#define FASTIO_VERSION "([^"]+)"', header)
    assert match, "fastio.h does not define FASTIO_VERSION"
    return match.group(1)


# Libraries that compress: the macro's end, a header with a call, the library's name. Those that are found are used;
# the environment variable FASTIO_WITHOUT ("zstd,lz4", or "all") leaves some out.
CODECS = {
    "zlib": ("ZLIB", "zlib.h", "zlibVersion()", "z"),
    "isal": ("ISAL", "isa-l/igzip_lib.h", "isal_inflate_init(0)", "isal"),
    "zstd": ("ZSTD", "zstd.h", "ZSTD_versionNumber()", "zstd"),
    "xz": ("LZMA", "lzma.h", "lzma_version_number()", "lzma"),
    "bzip2": ("BZIP2", "bzlib.h", "BZ2_bzlibVersion()", "bz2"),
    "lz4": ("LZ4", "lz4frame.h", "LZ4F_getVersion()", "lz4"),
}


def unwanted() -> set[str]:
    names = set(filter(None, os.environ.get("FASTIO_WITHOUT", "").replace(",", " ").split()))
    unknown = names - CODECS.keys() - {"all"}
    if unknown:
        raise SystemExit(f"FASTIO_WITHOUT knows all, {', '.join(CODECS)}; not {', '.join(sorted(unknown))}")
    return set(CODECS) if "all" in names else names


class BuildExt(build_ext):
    """Generates the wrapper first, then compiles only what changed, in parallel."""

    def links(self, header: str, call: str, library: str) -> bool:
        """Whether a program that calls the library compiles and links."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "trial.c")
            source.write_text(f"#include <{header}>\nint main(void) {{ (void){call}; return 0; }}\n", encoding="ascii")
            try:
                command = [*self.compiler.compiler_so, f"-I{folder}", str(source), "-o", f"{folder}/trial"]
                include = [f"-I{path}" for path in self.compiler.include_dirs]
                paths = [f"-L{path}" for path in self.compiler.library_dirs]
                flags = os.environ.get("LDFLAGS", "").split()
                command += [*include, *paths, *flags, f"-l{library}"]
                return subprocess.run(command, capture_output=True).returncode == 0
            except OSError:
                return False

    def find_codecs(self) -> None:
        """Adds the libraries that are there; what was compiled with others is compiled again."""
        extension, without = self.extensions[0], unwanted()
        found = []
        for name, (macro, header, call, library) in CODECS.items():
            if os.name != "nt" and name not in without and self.links(header, call, library):
                extension.define_macros.append((f"FASTIO_WITH_{macro}", None))
                extension.libraries.append(library)
                found.append(name)
        stamp = Path(self.build_temp, "codecs.txt")
        if not stamp.exists() or stamp.read_text(encoding="ascii") != " ".join(found):
            self.force = True
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.write_text(" ".join(found), encoding="ascii")

    def build_extensions(self) -> None:
        self.find_codecs()
        wrapper = generate_swig.generate("python")
        if wrapper:
            self.extensions[0].sources.append(str(wrapper.relative_to(Path.cwd())))
        compile_all = self.compiler.compile
        newest_header = max(os.stat(header).st_mtime_ns for header in HEADERS)

        def compile_one(source: str, output_dir: str, options: dict) -> str:
            (target,) = self.compiler.object_filenames([source], output_dir=output_dir)
            changed = max(newest_header, os.stat(source).st_mtime_ns)
            if "generated" in source and os.name != "nt":  # SWIG's own code does not heed warnings
                options = {**options, "extra_postargs": [*options["extra_postargs"], "-w"]}
            if self.force or not os.path.exists(target) or os.stat(target).st_mtime_ns <= changed:
                compile_all([source], output_dir=output_dir, **options)
            return target

        def compile_parallel(sources: list[str], output_dir: str, **options) -> list[str]:
            with ThreadPoolExecutor(self.parallel or min(os.cpu_count() or 1, 8)) as pool:
                jobs = [pool.submit(compile_one, s, output_dir, options) for s in sources]
                return [job.result() for job in jobs]

        self.compiler.compile = compile_parallel
        super().build_extensions()


class SDist(sdist):
    """An sdist carries both generated wrappers: whoever builds from it needs no SWIG."""

    def run(self) -> None:
        for language in generate_swig.FLAGS:
            generate_swig.generate(language)
        super().run()


def build_requirements() -> list[str]:
    has_interface = bool(generate_swig.inputs())
    is_generated = all(generate_swig.wrapper(name).exists() for name in generate_swig.FLAGS)
    return ["swig>=4.5"] if has_interface and not is_generated else []


core = Extension(
    "fastio._core",
    sources=list(SOURCES),
    depends=HEADERS,
    include_dirs=["libfastio/include"],
    extra_compile_args=[] if os.name == "nt" else ["-std=c11", "-O3", "-fvisibility=hidden", "-g0"],
    extra_link_args=[] if os.name == "nt" else ["-pthread"],
)

setup(
    version=version(),
    ext_modules=[core] if glob("python/src/*.c") else [],
    cmdclass={"build_ext": BuildExt, "sdist": SDist},
    setup_requires=build_requirements(),
)
