"""[headers] and [auth] → the headers that are sent. Called by the middleware, and before a crawl, to see it work."""

from __future__ import annotations

from w3lib.http import basic_auth_header

from gwc_crawler.access.masking import hide
from gwc_crawler.access.schema import AccessRules
from gwc_crawler.errors import InputError


def headers_of(access: AccessRules) -> dict[str, bytes]:
    """Return what the site file says, with its secrets, which are hidden from now on.

    Raises:
        InputError: a variable is not set, or holds what no header can.
    """
    headers = {}
    for name, text in access.headers.items():
        value = text.reveal()
        if not value.isprintable():
            raise InputError(f"the header {name} would hold a line break or the like; look into the variables it names")
        headers[name] = value.encode()
    if (auth := access.auth) is not None:
        value = basic_auth_header(auth.user.reveal(), auth.password.reveal(), "utf-8").decode("ascii")
        hide(value.partition(" ")[2])
        headers["Authorization"] = value.encode()
    return headers
