"""Print the requirements of one extra of pyproject.toml, one a line: python3 tools/requirements.py EXTRA"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def extra(name: str) -> list[str]:
    """A few lines instead of tomllib, which Python 3.10 lacks: an extra is one line here."""
    text = PYPROJECT.read_text(encoding="utf-8")
    section = text.split("[project.optional-dependencies]")[1].split("\n[")[0]
    line = re.search(rf"^{name} = \[(.*)\]$", section, re.MULTILINE)
    assert line, f"pyproject.toml has no extra {name!r} on one line"
    found: list[str] = []
    for requirement in re.findall(r'"([^"]+)"', line.group(1)):
        own = re.fullmatch(r"libfastio\[(\w+)\]", requirement)
        found += extra(own.group(1)) if own else [requirement]
    return found


if __name__ == "__main__":
    print("\n".join(extra(sys.argv[1])))
