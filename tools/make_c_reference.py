"""Writes the reference part of docs/c.md out of fastio.h, so that the two can't differ.

    python tools/make_c_reference.py [--check]

Every chapter of the header becomes a section; comments become text, declarations stay C.
"""

import re
import sys
from pathlib import Path

HEADER = Path("libfastio/include/fastio.h")
DOCUMENT = Path("docs/c.md")
MARK = "<!-- What follows is written by tools/make_c_reference.py. -->"
CHAPTER = re.compile(r"/\* ---- \d+\. (.*?) -+ \*/")


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
    fenced = f"```c no-run\n{code}\n```" if code.strip() else ""
    return "\n\n".join(part for part in (comment, fenced) if part)


def reference() -> str:
    header = HEADER.read_text(encoding="utf-8")
    parts = CHAPTER.split(header)[1:]
    sections = []
    for title, body in zip(parts[::2], parts[1::2]):
        sections.append(f"## {title}\n\n" + "\n\n".join(render(block) for block in blocks_of(body)))
    return "\n\n".join(sections) + "\n"


def main() -> int:
    document = DOCUMENT.read_text(encoding="utf-8")
    introduction = document.split(MARK)[0]
    wanted = f"{introduction}{MARK}\n\n{reference()}"
    if "--check" in sys.argv:
        if document != wanted:
            print("docs/c.md is not what fastio.h says: run tools/make_c_reference.py")
        return document != wanted
    DOCUMENT.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
