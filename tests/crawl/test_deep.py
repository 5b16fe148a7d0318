"""`deep = true`: what forms with choices lead to is crawled, each combination once; else forms are left alone."""

from __future__ import annotations

import pytest

from tests.conftest import Project
from tests.site_server import SiteServer

FORM = """<form action="/find"><select name="a"><option>1<option>2</select>
<input type="radio" name="b" value="x"><input type="radio" name="b" value="y"></form>
<p onclick="location.href='/clicked'">more</p>"""
FOUND = {f"/find?a={a}&b={b}" for a in "12" for b in "xy"}


@pytest.mark.parametrize("deep", [True, False])
def test_each_choice_is_a_page_where_it_is_wanted(site: SiteServer, project: Project, *, deep: bool) -> None:
    site.links |= {"/": ["/about"], "/about": [], "/clicked": [], **{path: ["/"] for path in FOUND}}
    site.texts |= {"/": FORM, "/about": FORM}
    project.write_graph_site(site.url, more=f"deep = {str(deep).lower()}\n")
    project.write_knowledge()
    assert project.scrapy("crawl", "graph").code == 0
    assert site.page_hits() == dict.fromkeys({"/", "/about", "/clicked", *(FOUND if deep else ())}, 1)
