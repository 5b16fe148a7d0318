"""Cases of what the lines of a robots.txt mean: paths, groups, delays. The crawler is called gwc_crawler."""

from __future__ import annotations

from tests.conformance.robots_parts import lines
from tests.conformance.table import Case

ANY = "User-agent: *"

PATHS = [
    Case("Disallow: /", "forbids /, /a", lines(ANY, "Disallow: /", paths=("/", "/a"))),
    Case("an empty Disallow (§2.2.2)", "allows /a", lines(ANY, "Disallow:", paths=("/a",))),
    Case("the longest match counts (§2.2.2)", "allows /a/b/1; forbids /a/1, /a/b/c/1",
         lines(ANY, "Disallow: /a/b/c", "Allow: /a/b", "Disallow: /a", paths=("/a/1", "/a/b/1", "/a/b/c/1"))),
    Case("of equal ones Allow counts (§2.2.2)", "allows /a/1",
         lines(ANY, "Disallow: /a/", "Allow: /a/", paths=("/a/1",))),
    Case("case matters (§2.2.2)", "allows /a/1; forbids /A/1", lines(ANY, "Disallow: /A/", paths=("/A/1", "/a/1"))),
    Case("a prefix, not a directory", "allows /shop; forbids /shopping, /shops/1",
         lines(ANY, "Disallow: /shop", "Allow: /shop$", paths=("/shop", "/shopping", "/shops/1"))),
    Case("* (§2.2.3)", "allows /a/c; forbids /a/b.php?x=1, /a/x/y.php",
         lines(ANY, "Disallow: /a/*.php", paths=("/a/b.php?x=1", "/a/x/y.php", "/a/c"))),
    Case("$ (§2.2.3)", "allows /a.htm?x=1, /a.html; forbids /a.htm",
         lines(ANY, "Disallow: /*.htm$", paths=("/a.htm", "/a.htm?x=1", "/a.html"))),
    Case("a $ in the middle is one", "allows /a; forbids /a$b", lines(ANY, "Disallow: /a$b", paths=("/a$b", "/a"))),
    Case("queries belong to the path (§2.2.2)", "allows /list?page=2; forbids /list?sort=up, /list?page=2&sort=up",
         lines(ANY, "Disallow: /*?sort=", "Disallow: /*&sort=",
               paths=("/list?sort=up", "/list?page=2&sort=up", "/list?page=2"))),
    Case("escapes in the file, none in the link (§2.2.2)", "forbids /~joe/1, /a%20b",
         lines(ANY, "Disallow: /%7ejoe/", "Disallow: /a%20b", paths=("/~joe/1", "/a%20b"))),
    Case("none in the file, escapes in the link (§2.2.2)", "forbids /caf%C3%A9/1",
         lines(ANY, "Disallow: /café/", paths=("/caf%C3%A9/1",))),
    Case("an escaped slash is none", "allows /a/b; forbids /a%2Fb", lines(ANY, "Disallow: /a%2fb",
                                                                      paths=("/a%2Fb", "/a/b"))),
    Case("no slash before the path", "allows /no/1", lines(ANY, "Disallow: no/", paths=("/no/1",)),
         "RFC 9309, §2.2.2: a path begins with a slash; a rule without one matches nothing."),
    Case("/robots.txt is never forbidden (§2.2.2)", "allows /robots.txt; forbids /a",
         lines(ANY, "Disallow: /", paths=("/robots.txt", "/a"))),
    Case("misspelt, as many are", "forbids /a, /b", lines("useragent: *", "Dissallow: /a", "disalow /b",
                                                       paths=("/a", "/b")),
         "RFC 9309, §2.2 leaves lines alone that are no rules; what is plainly meant is obeyed all the same."),
]  # fmt: skip

GROUPS = [
    Case("a group of our own, not the one of all (§2.2.1)", "allows /all/1; forbids /own/1",
         lines(ANY, "Disallow: /all/", "", "User-agent: gwc_crawler", "Disallow: /own/", paths=("/all/1", "/own/1"))),
    Case("a name in other letters (§2.2.1)", "allows /all/1; forbids /own/1",
         lines(ANY, "Disallow: /all/", "User-agent: GWC_Crawler", "Disallow: /own/", paths=("/all/1", "/own/1"))),
    Case("another one's group (§2.2.1)", "allows /a", lines("User-agent: otherbot", "Disallow: /", paths=("/a",))),
    Case("several groups of the same name (§2.2.1)", "allows /c; forbids /a, /b",
         lines("User-agent: gwc_crawler", "Disallow: /a", "User-agent: x", "Disallow: /c", "User-agent: gwc_crawler",
               "Disallow: /b", paths=("/a", "/b", "/c"))),
    Case("several groups of all (§2.2.1)", "forbids /a, /b",
         lines(ANY, "Disallow: /a", "", ANY, "Disallow: /b", paths=("/a", "/b"))),
    Case("several names for one group (§2.2.1)", "forbids /a",
         lines("User-agent: x", "User-agent: gwc_crawler", "User-agent: y", "Disallow: /a", paths=("/a",))),
    Case("rules before any name (§2.2)", "allows /a", lines("Disallow: /a", ANY, "Disallow: /b", paths=("/a",))),
    Case("empty lines and comments within a group (§2.2)", "forbids /a, /b",
         lines("# hello", ANY, "", "# /a is ours", "Disallow: /a # all of it", "", "Disallow: /b", paths=("/a", "/b"))),
    Case("other lines within a group (§2.2.4)", "forbids /a",
         lines(ANY, "Sitemap: http://x.example/s.xml", "Clean-param: s /", "Disallow: /a", paths=("/a",))),
    Case("a name with a version", "forbids /own/1",
         lines("User-agent: gwc_crawler/2.0", "Disallow: /own/", ANY, "Disallow: /own/", paths=("/own/1",))),
]  # fmt: skip

DELAYS = [
    Case("Crawl-delay in fractions", "allows /a; delay 0.2 s", lines(ANY, "Crawl-delay: 0.2", paths=("/a",))),
    Case("Crawl-delay of our group", "allows /a; delay 0.1 s",
         lines(ANY, "Crawl-delay: 900", "User-agent: gwc_crawler", "Crawl-delay: 0.1", paths=("/a",))),
    Case("Crawl-delay of another one's group", "allows /a", lines("User-agent: x", "Crawl-delay: 90", paths=("/a",))),
    Case("an absurd Crawl-delay", "allows /a, /b; delay 1000000000.0 s",
         lines(ANY, "Crawl-delay: 1e9", paths=("/a", "/b")),
         "It is obeyed up to GWC_RETRY_MAX_SECONDS, here a second, so that both pages came in the end."),
    Case("a Crawl-delay that is none", "allows /a",
         lines(ANY, "Crawl-delay: soon", "Crawl-delay: -5", "Crawl-delay: nan", "Crawl-delay: inf", paths=("/a",))),
    Case("Crawl-delay, and a rule behind it", "allows /a; forbids /b; delay 0.1 s",
         lines(ANY, "Crawl-delay: 0.1", "Disallow: /b", paths=("/a", "/b"))),
]  # fmt: skip
