"""What says nothing of a page is taken out of its URL; what may name one stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.urls import UrlCleaner, normalize_url, without_trackers

PAGE = "http://a.example/p/7"

TRACKERS = (
    *("utm_source=list", "utm_medium=x", "UTM_Campaign=y", "utm_source", "utm_source=", "utm_id=3", "ga_source=a"),
    *(
        "gclid=Cj0K",
        "gclsrc=aw.ds",
        "dclid=1",
        "gbraid=1",
        "wbraid=1",
        "gad_source=1",
        "srsltid=Af",
        "_ga=2.1",
        "_gl=1*x",
    ),
    *("fbclid=IwAR", "msclkid=1", "yclid=1", "ysclid=1", "twclid=1", "ttclid=1", "igshid=1", "igsh=1", "li_fat_id=1"),
    *("mc_cid=1", "mc_eid=1", "mkt_tok=1", "_hsenc=1", "_hsmi=1", "hsa_acc=1", "hsa_kw=a", "vero_id=1", "__s=1"),
    *("pk_campaign=a", "pk_kwd=a", "mtm_source=a", "piwik_keyword=a", "matomo_cid=1", "oly_anon_id=1", "oly_enc_id=1"),
    *("s_cid=1", "s_kwcid=1", "wt_mc=a", "wt_zmc=a", "spm=a.1.b", "spm_id_from=333.1", "scm=1007.13.2", "_openstat=1"),
)
NAMES = (
    *("id=7", "p=7", "page=2", "ref=grid", "from=list", "source=grid", "pid=7", "cid=7", "s=lamp", "q=lamp", "lang=de"),
    *(
        "color=red",
        "pk=7",
        "pk_id=7",
        "ga=7",
        "gl=us",
        "scm=git",
        "mc=7",
        "hsa=7",
        "xutm_source=7",
        "utm=33",
        "utmost=1",
    ),
    *("my_gclid=7", "campaign=7", "keyword=x", "medium=dvd", "token=7", "sid=7", "url=http://b.example/?utm_source=1"),
)


@pytest.mark.parametrize("pair", TRACKERS)
def test_keys_of_trackers_go_wherever_they_stand(pair: str) -> None:
    assert without_trackers(f"{PAGE}?{pair}") == PAGE
    assert without_trackers(f"{PAGE}?id=3&{pair}") == without_trackers(f"{PAGE}?{pair}&id=3") == f"{PAGE}?id=3"
    assert without_trackers(f"{PAGE}?id=3&amp;{pair}&b") == f"{PAGE}?id=3&b"
    assert without_trackers(f"{PAGE}?id=3;{pair}") == f"{PAGE}?id=3" or "=" not in pair


@pytest.mark.parametrize("pair", NAMES)
def test_keys_that_may_name_a_page_stay(pair: str) -> None:
    for url in (f"{PAGE}?{pair}", f"{PAGE}?b=1&{pair}&c"):
        assert without_trackers(url) == url
    assert (
        without_trackers(f"http://a.example/{pair.partition('=')[0]}/7")
        == f"http://a.example/{pair.partition('=')[0]}/7"
    )


@given(st.lists(st.tuples(st.sampled_from(TRACKERS + NAMES), st.sampled_from("&;")), max_size=6))
def test_a_clean_url_stays_and_is_normal_and_nothing_else_goes(pairs: list[tuple[str, str]]) -> None:
    query = "".join(pair + sign for pair, sign in pairs)
    url = normalize_url(f"{PAGE}?{query}")
    assert url is not None
    clean = without_trackers(url)
    assert without_trackers(clean) == clean == normalize_url(clean)
    if all(sign == "&" for _, sign in pairs):
        assert set(NAMES).intersection(clean.partition("?")[2].split("&")) == set(NAMES).intersection(query.split("&"))
        assert not set(TRACKERS).intersection(clean.partition("?")[2].split("&"))


def test_learned_keys_and_segments_go_besides() -> None:
    clean = UrlCleaner(["ref", "jsessionid"], {"/track-[0-9a-f]+": ""})
    assert clean("http://a.example/track-1f/p/7;jsessionid=A1?ref=grid&utm_source=x&id=3") == f"{PAGE}?id=3"


def test_a_key_that_goes_at_some_addresses_stays_at_others() -> None:
    clean = UrlCleaner([r"http://a\.example/p/[0-9]+(\.html)?/??from", "ref"])
    assert clean("http://a.example/p/7.html;from=3?from=2&id=3&ref=a") == "http://a.example/p/7.html?id=3"
    for url in ("http://a.example/list?from=20", "http://a.example/p/7/more?from=2", "http://a.example/p/7?at=1"):
        assert clean(url) == url


def test_what_filters_name_stays() -> None:
    clean = UrlCleaner(filters=[r"http://a\.example/p/[0-9]+\?utm_source=[a-z]+&scm=[^&]+"])
    assert clean(f"{PAGE}?utm_source=list&scm=1.2&gclid=1") == f"{PAGE}?utm_source=list&scm=1.2"
