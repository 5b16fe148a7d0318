"""Middlewares as a user writes them, which fail at their work."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import Response


class NoKeyError(Exception):
    """An error of the user's own."""


class AtRequests:
    """Fails at each Request."""

    def process_request(self, request: Request) -> None:
        raise NoKeyError("the vault is shut")


class AtPages:
    """Fails at each page, not at robots.txt."""

    def process_response(self, request: Request, response: Response) -> Response:
        if request.url.endswith("/robots.txt"):
            return response
        raise KeyError("token")


class PassingOn:
    """Raises again what others have raised."""

    def process_exception(self, request: Request, exception: Exception) -> None:
        raise exception


class AtResponses:
    """Fails at each page on its way to the spider."""

    def process_spider_input(self, response: Any) -> None:
        raise ValueError("no such shelf")


class MadeAnew:
    """Asks for each page once more, by a Request that has nothing of the first one."""

    def process_response(self, request: Request, response: Response) -> Response | Request:
        if request.url.endswith("/robots.txt") or b"X-Again" in request.headers:
            return response
        return Request(request.url, headers={"X-Again": "yes"})


class Forgetful:
    """Returns nothing for a page, where Scrapy wants a Response or a Request."""

    def process_response(self, request: Request, response: Response) -> Response | None:
        return response if request.url.endswith("/robots.txt") else None
