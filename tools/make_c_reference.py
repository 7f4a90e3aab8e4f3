"""Writes the reference part of docs/c.md out of the public headers, so that they can't differ.

    python tools/make_c_reference.py [--check]

Every chapter of fastio.h and fastio_print.h becomes a section; comments become text, declarations stay C. How things
work inside is left out: the bodies of inline functions, names with two underscores, the last chapter of fastio_print.h.
"""

import re
import sys
from pathlib import Path

HEADERS = [Path("libfastio/include/fastio.h"), Path("libfastio/include/fastio_print.h")]
DOCUMENT = Path("docs/c.md")
MARK = "<!-- What follows is written by tools/make_c_reference.py. -->"
CHAPTER = re.compile(r"/\* ---- \d+\. (.*?) -+ \*/")
INSIDE = "How it works"
BODY = re.compile(r"^static inline (.*?) \{\n.*?^\}", re.MULTILINE | re.DOTALL)
MACRO = re.compile(r"^#define (fastio_\w+\([^)]*\))(?: .*\\\n)*.*$", re.MULTILINE)
INTERNAL = re.compile(r"(static inline|#define) .*?\b(?i:fastio__)\w+\(")


def text_of(comment: str) -> str:
    """A C comment as running text."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.strip()[2:-2].split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()


def blocks_of(chapter: str) -> list[str]:
    """What stands between blank lines, with preprocessor scaffolding left out."""
    blocks = [block.strip("\n") for block in re.split(r"\n\s*\n", chapter)]
    return [block for block in blocks if block and not block.startswith(("#ifdef __cplusplus", "#endif"))]


def render(block: str) -> str:
    """One block: its leading comment as text, the rest as code."""
    match = re.match(r"/\*.*?\*/", block, re.DOTALL)
    comment = text_of(match.group()) if match else ""
    code = (block[match.end() :] if match else block).strip("\n").replace("FASTIO_API ", "")
    if INTERNAL.match(code.split("{")[0]) and not MACRO.match(code):
        return ""
    code = MACRO.sub(r"\1", BODY.sub(r"\1;", code))
    fenced = f"```c no-run\n{code}\n```" if code.strip() else ""
    return "\n\n".join(part for part in (comment, fenced) if part)


def sections_of(header: Path) -> list[str]:
    parts = CHAPTER.split(header.read_text(encoding="utf-8"))[1:]
    named = "" if header is HEADERS[0] else f"{header.name}: "
    sections = []
    for title, body in zip(parts[::2], parts[1::2]):
        if title != INSIDE:
            rendered = filter(None, map(render, blocks_of(body)))
            sections.append(f"## {named}{title}\n\n" + "\n\n".join(rendered))
    return sections


def reference() -> str:
    return "\n\n".join(section for header in HEADERS for section in sections_of(header)) + "\n"


def main() -> int:
    document = DOCUMENT.read_text(encoding="utf-8")
    introduction = document.split(MARK)[0]
    wanted = f"{introduction}{MARK}\n\n{reference()}"
    if "--check" in sys.argv:
        if document != wanted:
            print("docs/c.md is not what the headers say: run tools/make_c_reference.py")
        return document != wanted
    DOCUMENT.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
