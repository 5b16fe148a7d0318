"""Cases of how a robots.txt is served: statuses, silence, redirects, bodies."""

from __future__ import annotations

import gzip

from tests.conformance.robots_parts import (
    ALL,
    BOTH,
    CLOSED,
    RESET,
    RULES,
    STALLED,
    Endless,
    Robots,
    chain,
    page,
    to,
)
from tests.conformance.table import Case
from tests.raw_server import Then

LESS_THAN_RULES = "RFC 9309, §2.3.1.3: 4xx means that there are no rules. "
FILLER = "# nothing here\n" * 40_000
HTML = "<!DOCTYPE html>\n<html><body>\n<h1>Not found</h1>\n<p>Disallow: nothing</p>\n</body></html>\n"


def _status(status: str, body: str = RULES) -> Robots:
    return Robots([page(body, status=status)])


STATUSES = [
    Case("200 with rules (§2.3.1.1)", BOTH, _status("200 OK")),
    Case("200 with nothing in it", ALL, _status("200 OK", "")),
    Case("204", ALL, Robots([[b"HTTP/1.1 204 No Content\r\n\r\n"]])),
    Case("404 (§2.3.1.3)", ALL, _status("404 Not Found")),
    Case("410", ALL, _status("410 Gone")),
    Case("400", ALL, _status("400 Bad Request")),
    Case("401", ALL, _status("401 Unauthorized"),
         LESS_THAN_RULES + "Whoever wants nobody in says so on the pages, too."),
    Case("403", ALL, _status("403 Forbidden"),
         LESS_THAN_RULES + "Servers that refuse a crawler refuse it the pages, too."),
    Case("451", ALL, _status("451 Unavailable For Legal Reasons")),
    Case("429, then 200", f"waits; {BOTH}", Robots([page("", status="429 Too Many Requests"), page(RULES)]),
         "RFC 9309 has 429 among the 4xx, which allow everything; but it says \"not now\", as 503 does."),
    Case("429 for ever", "given up: HTTP 429", _status("429 Too Many Requests")),
    Case("408, then 200", f"waits; {BOTH}", Robots([page("", status="408 Request Timeout"), page(RULES)])),
    Case("500 for ever (§2.3.1.4)", "given up: HTTP 500", _status("500 Internal Server Error")),
    Case("500, then 404", f"waits; {ALL}", Robots([page("", status="500 Oh"), page("", status="404 Not Found")])),
    Case("503 with Retry-After, then 200", f"waits; {BOTH}",
         Robots([page("", status="503 Service Unavailable", retry_after="1"), page(RULES)])),
    Case("503 for ever", "given up: HTTP 503", _status("503 Service Unavailable")),
    Case("599 for ever", "given up: HTTP 599", _status("599 Odd")),
    Case("a status that is none, 999", "given up: HTTP 999", _status("999 Denied")),
]  # fmt: skip

SILENCE = [
    Case("no answer in time", "given up: no answer in time", Robots([STALLED])),
    Case("no answer at first, then rules", f"waits; {BOTH}", Robots([CLOSED, CLOSED, page(RULES)])),
    Case("the connection is reset", "given up: the connection ended", Robots([RESET])),
    Case("the connection ends without a word", "given up: the connection ended", Robots([CLOSED])),
    Case("the connection is refused", "given up: connection refused", Robots([page(RULES)], refuses=True)),
    Case("a certificate that nobody vouches for", "given up: TLS failed", Robots([page(RULES)], tls=True)),
    Case("what comes is not HTTP", "given up: not HTTP", Robots([[b"220 ftp ready\r\n\r\n", Then.CLOSE]])),
    Case("the body is shorter than announced", "given up: the body is not all there",
         Robots([[page(RULES + "Disallow: /more/\n")[0][:-12], Then.CLOSE]]),
         "Half a robots.txt may lack the line that matters."),
]  # fmt: skip

REDIRECTS = [
    Case("one redirect (§2.3.1.2)", BOTH, chain(1)),
    Case("five redirects (§2.3.1.2)", BOTH, chain(5)),
    Case("six redirects", ALL, chain(6), "RFC 9309, §2.3.1.2: with more than five it may be taken for not there."),
    Case("redirects in a circle", ALL, Robots([to("/robots.txt")]),
         "As with six redirects: there is no file, so there are no rules."),
    Case("308", BOTH, Robots([to("/rules", "308 Permanent Redirect")], others={"/rules": page(RULES)})),
    Case("a redirect to a relative address", BOTH, Robots([to("a/../rules")], others={"/rules": page(RULES)})),
    Case("a redirect to another host (§2.3.1.2)", BOTH, Robots([to("{other}/robots.txt")])),
    Case("a redirect to a page that is not there", ALL,
         Robots([to("/gone")], others={"/gone": page("", status="404 Not Found")})),
    Case("a redirect to an error", "given up: HTTP 503",
         Robots([to("/down")], others={"/down": page("", status="503 Service Unavailable")})),
    Case("a redirect without an address", ALL, Robots([page(RULES, status="302 Found")])),
    Case("a redirect to a file", ALL, Robots([to("file:///etc/hostname")])),
    Case("a redirect to data", ALL, Robots([to("data:text/plain,User-agent:*%0ADisallow:/")])),
    Case("a redirect from a public into a private network", "given up: a redirect to a private address",
         Robots([to("{other}/robots.txt")], public=True),
         "A server must not be able to have a crawler ask what only the crawler's own network can reach; as nobody "
         "can say what its rules are, nothing is asked for."),
    Case("a redirect from a public into a private network, in other figures",
         "given up: a redirect to a private address", Robots([to("http://2130706433:{port}/r")], public=True)),
    Case("a redirect from a public into a private network, in IPv6",
         "given up: a redirect to a private address", Robots([to("http://[fd00::1]:{port}/r")], public=True)),
    Case("a redirect from a public into a private network, in IPv6 that stands for IPv4",
         "given up: a redirect to a private address", Robots([to("http://[::ffff:10.0.0.1]:{port}/r")], public=True)),
    Case("a redirect on a public host", BOTH, Robots([to("/rules")], others={"/rules": page(RULES)}, public=True)),
]  # fmt: skip

BODIES = [
    Case("600 KB, a rule before 500 KB and one after (§2.5)", "allows /late/1; forbids /no/1",
         Robots([page(f"{RULES}{FILLER}Disallow: /late/\n")], ("/late/1", "/no/1")),
         "RFC 9309, §2.5: at least 500 KiB are read. Here it is no more."),
    Case("500 KB, a rule at the end", "forbids /late/1",
         Robots([page(f"{RULES}{FILLER[:490_000]}\nDisallow: /late/\n")], ("/late/1",))),
    Case("20 MB", BOTH, Robots([page(RULES + FILLER * 35)])),
    Case("no end", BOTH,
         Robots([Endless(b"HTTP/1.1 200 OK\r\n\r\n" + RULES.encode(), b"# and on, and on\n" * 8_000)])),
    Case("100 KB, more than DOWNLOAD_MAXSIZE", "allows /yes; forbids /no/1, /late/1",
         Robots([page(f"{RULES}{FILLER[:100_000]}\nDisallow: /late/\n")], ("/yes", "/no/1", "/late/1"))),
    Case("Content-Encoding: gzip", BOTH, Robots([page(gzip.compress(RULES.encode()), content_encoding="gzip")])),
    Case("packed, though nothing says so", BOTH, Robots([page(gzip.compress(RULES.encode()))])),
    Case("in chunks", BOTH, Robots([[
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n",
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(RULES) - 5, RULES[5:].encode())]])),
    Case("a page in HTML", ALL, Robots([page(HTML, "text/html")])),
    Case("rules as HTML by type alone", BOTH, Robots([page(RULES, "text/html")])),
    Case("rules as a picture by type", BOTH, Robots([page(RULES, "image/png")])),
    Case("lines ended by CR alone", BOTH, Robots([page(RULES.replace("\n", "\r"))])),
    Case("lines ended by CR LF", BOTH, Robots([page(RULES.replace("\n", "\r\n"))])),
    Case("no line end at the end", BOTH, Robots([page(RULES.rstrip())])),
    Case("a byte order mark", BOTH, Robots([page("\ufeff" + RULES)])),
    Case("NULs in its lines", BOTH, Robots([page(RULES.replace("\n", "\0\n"))])),
    Case("UTF-16", BOTH, Robots([page(RULES.encode("utf-16"))])),
    Case("a path in Latin-1", "allows /caf%C3%A9/1, /caf; forbids /caf%E9/1",
         Robots([page("User-agent: *\nDisallow: /café/\n".encode("latin-1"))], ("/caf%C3%A9/1", "/caf%E9/1", "/caf"))),
]  # fmt: skip
