"""Where a body is kept, and what it was called. Paths are made of digests; nothing of them is a server's choice."""

from __future__ import annotations

import re
import unicodedata
from email.message import Message
from hashlib import sha256
from urllib.parse import unquote, urlsplit

from gwc_crawler.files.kinds import UNKNOWN, extension_of
from gwc_crawler.urls import url_key

MAX_NAME = 120
"""Characters of a name that is noted."""

_EXTENSION = re.compile(r"\.[a-z0-9]{1,8}")
_UNSAFE = re.compile(r'[<>:"|?*\\/]')


def path_of_content(body: bytes, kind: str, name: str) -> tuple[str, str]:
    """Return a file's path in the store, by what is in it, and its SHA-256 in hex.

    The extension is the media type's own; only where it has none, that of *name*.
    """
    digest = sha256(body).hexdigest()
    own = "." + name.rpartition(".")[2].lower()
    extension = extension_of(kind) or (own if kind != UNKNOWN and _EXTENSION.fullmatch(own) else ".bin")
    return f"files/{digest[:2]}/{digest}{extension}", digest


def path_of_page(url: str) -> str:
    """Return where the HTML of a page is kept: by the 64 bits of its URL's MD5 that name it everywhere in a crawl.

    The digits are directories on disk (MD5-tree, the form for small crawls); two levels of 256 hold millions of pages.
    """
    digits = f"{url_key(url) & (1 << 64) - 1:016x}"
    return f"html/{digits[:2]}/{digits[2:4]}/{digits}.html"


def given_name(url: str, disposition: str) -> str:
    """Return what a file is called: by its server (Content-Disposition), else by its URL; safe on any file system.

    >>> given_name("http://x/a/b%20c.pdf?d", ""), given_name("http://x/", 'attachment; filename="../../etc/passwd"')
    ('b c.pdf', 'passwd')
    """
    message = Message()
    message["Content-Disposition"] = re.sub(r"[\r\n\0]", "", disposition)
    name = message.get_filename() or unquote(urlsplit(url).path.rpartition("/")[2])
    name = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(one for one in unicodedata.normalize("NFC", name) if unicodedata.category(one)[0] != "C")
    return _shortened(_UNSAFE.sub("_", shown).strip(" ."))


def _shortened(name: str) -> str:
    if len(name) <= MAX_NAME:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension) > 8:
        return name[:MAX_NAME]
    return stem[: MAX_NAME - len(extension) - 1] + dot + extension
