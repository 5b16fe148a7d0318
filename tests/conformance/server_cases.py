"""Cases of nginx, as Debian has it: what stands in its `server` block, what is asked for, what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.conformance.answer_parts import AGAIN, ERROR, NO_PAGE, PAGE_COMES, REDIRECT
from tests.conformance.table import Case

ALL = "all pages"
MANY = tuple(f"/p/{number}.html" for number in range(12))


@dataclass(frozen=True)
class Site:
    """A server of nginx.

    Attributes:
        block: what stands in its `server` block; `<raw>` is a raw server that cuts its answers or gives none,
            `<dead>` a port at which nobody listens, `<ca>` the certificate of who vouches for others.
        entry: the paths that are asked for.
        certificate: whose certificate it has: "" for no TLS, "good" for one that is vouched for.
        host: the name under which it is asked, where that is not its address.
        reason: part of what the error or exception has to say.
        pages: how many pages are found from the entry on, where that is not all of the entry.
        coding: the Content-Encoding that it has used.
        connections: how many it has seen at least, and at most.
    """

    block: str = ""
    entry: Sequence[str] = ("/page.html",)
    certificate: str = ""
    host: str = ""
    listen: str = ""
    scheme: str = ""
    reason: str = ""
    pages: int = 0
    coding: str = ""
    connections: tuple[int, int] | None = None


def site(name: str, expected: str, block: str = "", *, decision: str = "", **more: object) -> Case:
    return Case(f"nginx: {name}", expected, Site(block, **more), decision)  # type: ignore[arg-type]


GZIP = "gzip on; gzip_min_length 0;"
SUB = "sub_filter NO-SUCH no;"
"""A filter on the page: its length is not known beforehand."""

NGINX = [
    site("a file", PAGE_COMES),
    site("gzip", PAGE_COMES, GZIP, coding="gzip"),
    site("gzip, of files that are compressed already", PAGE_COMES, "gzip_static always;", coding="gzip"),
    site("gzip, without a length of its own", PAGE_COMES, GZIP + SUB, coding="gzip"),
    site("chunks", PAGE_COMES, SUB),
    site("no chunks and no length", PAGE_COMES, SUB + "chunked_transfer_encoding off;"),
    site("connections are kept", ALL, entry=MANY, connections=(1, 9)),
    site("a connection for each request", ALL, "keepalive_requests 1;", entry=MANY, connections=(12, 14)),
    site("connections are closed after each answer", ALL, "keepalive_timeout 0;", entry=MANY, connections=(12, 14)),
    site("idle connections are closed after 20 ms", ALL, "keepalive_timeout 20ms;", entry=MANY),
    site("slowly: 40 KB a second", PAGE_COMES, "limit_rate 40k;"),
    site("more than so many requests a second get 503", ALL, "limit_req zone=few burst=3 nodelay;", entry=MANY),
    site("more than so many requests a second get 429", ALL,
         "limit_req zone=few burst=3 nodelay; limit_req_status 429;", entry=MANY),
    site("more than one connection gets 503", ALL, "limit_conn connections 1; limit_rate 40k;", entry=MANY[:4]),
    site("a directory without its slash", PAGE_COMES, entry=("/dir",)),
    site("a directory without its slash, relative", PAGE_COMES, "absolute_redirect off;", entry=("/dir",)),
    site("a redirect to the server's other name", REDIRECT,
         "server_name other.example; server_name_in_redirect on;", entry=("/dir",), reason="other.example"),
    site("a list of files", ALL, "autoindex on;", entry=("/p/",), pages=12),
    site("any path gives the same page", PAGE_COMES, "try_files $uri /page.html;", entry=("/no/such/path",)),
    site("two slashes in a path", PAGE_COMES, entry=("/p//1.html",)),
    site("a redirect to itself", ERROR, "location / { return 302 $request_uri; }", reason="in a circle"),
    site("a redirect to a file", ERROR, "location / { return 302 file:///etc/passwd; }", reason="only http and https"),
    site("rules that go in a circle", AGAIN, "location / { rewrite ^ /page.html last; }", reason="HTTP 500"),
    site("no file", ERROR, entry=("/no.html",), reason="HTTP 404"),
    site("no file, with a page that says so", ERROR, "error_page 404 /page.html;", entry=("/no.html",),
         reason="HTTP 404"),
    site("no file, and a page that says so with 200", "a page that says it doesn't exist",
         "error_page 404 =200 /missing.html;", entry=("/no.html",)),
    site("403", ERROR, "deny all;", reason="HTTP 403"),
    site("a password is asked for", ERROR, "auth_basic site; auth_basic_user_file /dev/null;", reason="HTTP 401"),
    site("a URL longer than it takes", ERROR, "large_client_header_buffers 2 1k;", entry=("/" + "x" * 1_500,),
         reason="HTTP 414"),
    site("closed without an answer", AGAIN, "location / { return 444; }", reason="without an answer"),
    site("500 for a while", AGAIN, "location / { return 500; }", reason="HTTP 500"),
    site("a page without a content type", PAGE_COMES, 'types { } default_type "";'),
    site("a page as text/plain", PAGE_COMES, "types { } default_type text/plain;"),
    site("a picture", NO_PAGE, "location / { empty_gif; }", reason="image/gif"),
    site("figures as text", NO_PAGE, "location / { stub_status; }", reason="text/plain"),
    site("requests of HTTP/2 alone", ERROR, listen="http2"),
    site("a proxy is expected before it", ERROR, listen="proxy_protocol"),
    site("nobody behind it", AGAIN, "location / { proxy_pass http://<dead>; }", reason="HTTP 502"),
    site("nobody answers behind it", AGAIN, "location / { proxy_pass http://<raw>; proxy_read_timeout 1s; }",
         entry=("/stall",),
         reason="HTTP 504"),
    *(
        site(f"what stands behind it cuts {what}", AGAIN,
             f"location / {{ proxy_pass http://<raw>; proxy_http_version 1.1; {more} }}", entry=(path,), reason=reason)
        for what, path, more, reason in (
            ("a body of announced length", "/cut/length", "", "before its announced end"),
            ("a body in chunks", "/cut/chunks", "", "before its announced end"),
            ("a body in chunks, handed on at once", "/cut/chunks", "proxy_buffering off;", "before its announced end"),
            ("a body that it compresses", "/cut/length", GZIP, "before its announced end"),
            ("a compressed body", "/cut/gzip", "", "breaks off"),
        )
    ),
    site("TLS", PAGE_COMES, certificate="good"),
    site("TLS, connections are kept", ALL, certificate="good", entry=MANY, connections=(1, 9)),
    site("TLS, no chunks and no length", PAGE_COMES, SUB + "chunked_transfer_encoding off;", certificate="good"),
    site("TLS 1.2 alone", PAGE_COMES, "ssl_protocols TLSv1.2;", certificate="good"),
    site("TLS 1.3 alone", PAGE_COMES, "ssl_protocols TLSv1.3;", certificate="good"),
    site("TLS 1.1 alone", ERROR, "ssl_protocols TLSv1.1;", certificate="good"),
    site("TLS that could speak HTTP/2", PAGE_COMES, certificate="good", listen="http2"),
    site("TLS by the name of the site", PAGE_COMES, certificate="localhost", host="localhost"),
    site("TLS, its own certificate", ERROR, certificate="own", reason="DOWNLOAD_VERIFY_CERTIFICATES"),
    site("TLS, a certificate that has ended", ERROR, certificate="ended", reason="expired"),
    site("TLS, the certificate of another host", ERROR, certificate="other.example", reason="mismatch"),
    site("TLS, asked without", ERROR, certificate="good", scheme="http", reason="HTTP 400"),
    site("no TLS, asked with", ERROR, scheme="https"),
    site("TLS, a certificate of ours is asked for", ERROR, "ssl_verify_client on; ssl_client_certificate <ca>;",
         certificate="good", reason="HTTP 400"),
]  # fmt: skip
