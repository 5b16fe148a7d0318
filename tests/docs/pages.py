"""The pages for people: README and docs/, their blocks, headings and links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"(<!-- tested -->\n)?^( *)```(\w*)\n(.*?)^ *```$", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, language, text, line, and whether a `<!-- tested -->` stands before it."""

    page: str
    language: str
    text: str
    line: int
    tested: bool


@dataclass(frozen=True)
class Page:
    """One page, its path from the root as its name."""

    name: str
    text: str

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return FENCED.sub("", self.text)

    def blocks(self, language: str) -> list[Block]:
        """The blocks in a language."""
        return [
            Block(self.name, match[3], match[4], self.text.count("\n", 0, match.start(4)), bool(match[1]))
            for match in FENCED.finditer(self.text)
            if match[3] == language
        ]

    @property
    def headings(self) -> list[str]:
        """What stands behind one # or more."""
        return re.findall(r"^#+ (.+)$", self.prose, flags=re.MULTILINE)

    @property
    def anchors(self) -> set[str]:
        """The headings as they are written in links: small, without punctuation, with hyphens for blanks."""
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in self.headings}

    @property
    def links(self) -> list[str]:
        """Where its links lead, those to other sites left out."""
        found = re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`]*`", "", self.prose))
        return [link for link in found if "://" not in link and not link.startswith("mailto:")]

    def at(self, link: str) -> tuple[str, str]:
        """The path from the root that a link of this page leads to, and the anchor there."""
        path, _, anchor = link.partition("#")
        target = (ROOT / self.name).parent / path if path else ROOT / self.name
        return target.resolve().relative_to(ROOT).as_posix(), anchor


def read(path: Path) -> Page:
    """Read one page."""
    return Page(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


GUIDE = [read(path) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]
"""What is written for who uses or changes the program."""

WRITTEN = [page for page in GUIDE if not page.name.startswith("docs/conformance/")]
"""Those of it that people have written, and settings.md."""

ALL = [*GUIDE, *(read(ROOT / name) for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "changes/README.md"))]
BY_NAME = {page.name: page for page in ALL}


def blocks(language: str) -> list[Block]:
    """The blocks of all pages in a language."""
    return [block for page in WRITTEN for block in page.blocks(language)]


def commands() -> list[tuple[str, str]]:
    """Page and text of each command that is shown or named: lines after `$ `, and what stands in backticks."""
    found = []
    for page in ALL:
        consoles = "".join(block.text for block in page.blocks("console"))
        shown = re.findall(r"^ *\$ (.*)", consoles, flags=re.MULTILINE)
        named = re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", page.prose)
        found += [(page.name, " ".join(text.split())) for text in (*shown, *named)]
    return found
