#!/usr/bin/env python3
"""Every path and program that the documents name exists, so that a reader never looks in vain.

Read are `code spans` and fenced blocks of README.md, CHANGELOG.md and docs/. A span counts as a
path of the repository if its first part is one of the repository's folders or files. Links to
files are checked too.
"""
import pathlib
import re
import sys

SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")
WORD = re.compile(r"(?<![\w/.-])(?:\./)?((?:[\w.-]+/)+[\w.-]*|\.ci/run)")
# Made by building or running, so absent from a fresh clone.
GENERATED = ("build/", "build-", "docs/measurements/")


def named(text, top):
    """Paths below the repository's root that the text names in code."""
    code = SPAN.findall(text)
    code += re.findall(r"^```[^\n]*\n(.*?)^```", text, re.M | re.S)
    for piece in code:
        for path in WORD.findall(piece):
            if path.split("/")[0] in top and not path.startswith(GENERATED):
                yield path.rstrip(".")


def main(root):
    top = {p.name for p in root.iterdir() if p.name != ".git"}
    documents = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]
    faults, checked = [], 0
    for document in documents:
        text = document.read_text(encoding="utf-8")
        for path in set(named(text, top)):
            checked += 1
            if not (root / path).exists():
                faults.append(f"{document.relative_to(root)}: `{path}` does not exist")
        for link in set(LINK.findall(text)):
            checked += 1
            if not (document.parent / link).exists():
                faults.append(f"{document.relative_to(root)}: the link to {link} leads nowhere")
    print(*faults, sep="\n")
    print(f"{checked} names in {len(documents)} documents, {len(faults)} faults")
    return 1 if faults or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
