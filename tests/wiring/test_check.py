"""What a user writes that can't be is refused before anything is opened, by its name, with what helps."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import SETTINGS_PRIORITIES, Settings, default_settings
from scrapy.utils.conf import build_component_list

from gwc_crawler.errors import InputError, near_miss
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import load_site
from gwc_crawler.wiring.check import KINDS, REFUSED, TOO_EARLY, _tell_slips, settings_of
from gwc_crawler.wiring.components import LAST_WORD, wire
from gwc_crawler.wiring.own_settings import known_names, likely_misspelt

OURS = "gwc_crawler"
STORE = f"{OURS}.pipelines.store.StorePipeline"
POLITE = f"{OURS}.middlewares.politeness.PolitenessMiddleware"
ROBOTS = f"{OURS}.middlewares.robots.PatientRobotsMiddleware"
PARTS = "tests.conformance.settings_parts"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    path = tmp_path / "graph.toml"
    path.write_text('entry = ["http://127.0.0.1:9/"]\nkeywords = "treasure"\n', encoding="utf-8")
    return load_site(path)


def given(place: str, **values: Any) -> Settings:
    settings = Settings()
    settings.setmodule("settings_profiles.local", "project")
    settings.setdict(values, SETTINGS_PRIORITIES[place])
    return settings


@pytest.mark.parametrize("place", ["project", "spider", "cmdline"])
@pytest.mark.parametrize(
    ("name", "needed", "order", "loss"),
    [
        ("ITEM_PIPELINES", STORE, 900, "nothing would be stored"),
        ("ITEM_PIPELINES_BASE", STORE, 900, "nothing would be stored"),
        ("DOWNLOADER_MIDDLEWARES", POLITE, 10, "would not be kept"),
        ("DOWNLOADER_MIDDLEWARES", ROBOTS, 950, "robots.txt would not be obeyed"),
        ("DOWNLOADER_MIDDLEWARES", f"{PARTS}.OwnLeaseRedirects", 10, "redirects would lead off"),
    ],
)
def test_a_needed_part_keeps_its_place(site: Site, place: str, name: str, needed: str, order: int, loss: str) -> None:
    with pytest.raises(InputError, match=loss) as refused:
        settings_of(site, given(place, **{name: {needed: order}}))
    assert f"setting {name} gives {needed} the order {order} " in str(refused.value)


def test_a_needed_part_may_be_named_in_its_own_place(site: Site) -> None:
    assert settings_of(site, given("spider", ITEM_PIPELINES={STORE: -200}))


def test_a_component_may_be_made_by_a_function(site: Site) -> None:
    assert settings_of(site, given("spider", ITEM_PIPELINES={"copy.copy": 500}))


def test_http2_needs_its_packages(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_of(site, given("spider", GWC_HTTP2=True)).getbool("HTTPX_HTTP2_ENABLED")
    assert not settings_of(site, given("spider", GWC_HTTP2=False)).getbool("HTTPX_HTTP2_ENABLED")
    monkeypatch.setattr("gwc_crawler.wiring.own_settings.find_spec", lambda name: None if name == "h2" else name)
    with pytest.raises(InputError, match=r"GWC_HTTP2 needs h2: pip install 'gwc-crawler\[http2\]'"):
        settings_of(site, given("spider", GWC_HTTP2=True))


PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("HTTP_PROXY", "socks5://a:secret@127.0.0.1:1080", None),
        ("HTTPS_PROXY", "127.0.0.1:3128", None),
        ("HTTP_PROXY", "quic://a:secret@127.0.0.1:1080", "HTTP_PROXY is 'quic://127.0.0.1:1080'; 'quic' is none of"),
        ("HTTP_PROXY", "http://a:secret@", "HTTP_PROXY is 'http://'; it names no host"),
        ("HTTP_PROXY", "http://127.0.0.1:0", "HTTP_PROXY is 'http://127.0.0.1:0'; it names no host, or no port"),
        ("HTTPS_PROXY", "socks5://127.0.0.1:99999", "HTTPS_PROXY is 'socks5://127.0.0.1:99999'; Port out of range"),
        ("HTTP_PROXY", "127.0.0.1:many", "HTTP_PROXY is '127.0.0.1:many'; Port could not be cast"),
        ("ALL_PROXY", "socks5://a:secret@127.0.0.1:1080", "ALL_PROXY is 'socks5://127.0.0.1:1080', which would not be"),
    ],
)
def test_a_proxy_that_nobody_would_ask_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, problem: str | None
) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv(variable, value)
    if problem is None:
        assert settings_of(site, given("spider"))
        return
    with pytest.raises(InputError, match=problem) as refused:
        settings_of(site, given("spider"))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("order", [None, 0])
def test_nobody_takes_the_last_word_from_us(order: int | None) -> None:
    settings = given("project", ADDONS={f"{PARTS}.TakingOut": 900, LAST_WORD: order})
    for _ in range(2):
        wire(settings)
        assert build_component_list(settings["ADDONS"]) == [f"{PARTS}.TakingOut", LAST_WORD]


CLASSES = (
    "STATS_CLASS", "DUPEFILTER_CLASS", "REQUEST_FINGERPRINTER_CLASS", "ROBOTSTXT_PARSER", "HTTPCACHE_STORAGE",
    "HTTPCACHE_POLICY", "LOG_FORMATTER", "SCHEDULER_MEMORY_QUEUE", "DOWNLOADER_CLIENTCONTEXTFACTORY",
)  # fmt: skip

UNFIT: list[tuple[str, Any, str]] = [
    ("CONCURRENT_REQUESTS", "abc", "it can be a whole number"),
    ("CONCURRENT_REQUESTS", float("inf"), "it can be a whole number"),
    ("CLOSESPIDER_ITEMCOUNT", "ten", "it can be a whole number"),
    ("DOWNLOAD_DELAY", "x", "it can be a number"),
    ("DOWNLOAD_DELAY", "nan", "it can be a number"),
    ("COOKIES_ENABLED", "maybe", "it can be True or False"),
    ("TELNETCONSOLE_ENABLED", "maybe", "it can be True or False"),
    ("RETRY_HTTP_CODES", "a,b", "it can be a list of whole numbers"),
    ("HTTPERROR_ALLOWED_CODES", ["a"], "it can be a list of whole numbers"),
    ("HTTPCACHE_IGNORE_SCHEMES", 5, "it can be a list"),
    ("RETRY_EXCEPTIONS", ["nope.Error"], "can't be loaded"),
    ("LOG_LEVEL", "LOUD", "it can be DEBUG, INFO,"),
    ("FEEDS", {"a.jsonl": "jsonlines"}, 'it can be a table of tables: {"a.jsonl": {"format": "jsonlines"}}'),
    ("ADDONS", {"nope.X": 1}, "can't be loaded"),
    ("ADDONS", {f"{PARTS}.TakingOut": "first"}, "it can be a table with numbers"),
    ("DOWNLOAD_HANDLERS", {"http": "nope.X"}, "can't be loaded"),
    ("DOWNLOAD_HANDLERS", {"http": ""}, "can't be loaded"),
    ("FEED_EXPORTERS", {"yaml": "nope.X"}, "can't be loaded"),
    *((name, "nope.X", "can't be loaded") for name in CLASSES),
]


@pytest.mark.parametrize(
    ("place", "said"),
    [("project", "in the project's settings"), ("spider", "in the site file"), ("cmdline", "on the command line")],
)
def test_a_value_that_is_of_no_use_is_refused(site: Site, place: str, said: str) -> None:
    for name, value, helps in UNFIT:
        with pytest.raises(InputError) as refused:
            settings_of(site, given(place, **{name: value}))
        words = str(refused.value)
        assert words.startswith(f"setting {name} ")
        assert said in words
        assert helps in words
        assert "\n" not in words


def test_values_that_scrapy_takes_are_taken(site: Site) -> None:
    for name, value in (
        ("DOWNLOAD_DELAY", "1.5"),
        ("DOWNLOAD_TIMEOUT", 7.5),
        ("DNS_TIMEOUT", 2.5),
        ("FEED_EXPORT_INDENT", None),
        ("LOG_LEVEL", 10),
        ("RETRY_HTTP_CODES", "500,502"),
        ("TELNETCONSOLE_ENABLED", False),
        ("DOWNLOAD_HANDLERS", {"s3": None}),
        ("REFERRER_POLICY", "no-referrer"),
        ("DOWNLOADER_CLIENTCONTEXTFACTORY", None),
    ):
        assert settings_of(site, given("project", **{name: value})), name


def test_every_default_of_scrapys_is_taken(site: Site) -> None:
    settings = given("project")
    for name in Settings():
        if name not in {*REFUSED, *TOO_EARLY, *KINDS, "HTTPAUTH_DOMAIN"} and not name.endswith("_BASE"):
            settings.set(name, getattr(default_settings, name), "project")
    assert settings_of(site, settings)


OUT_OF_RANGE: list[tuple[str, Any, str]] = [
    ("CONCURRENT_REQUESTS", 0, "a whole number, 1 or more"),
    ("CONCURRENT_REQUESTS", -3, "a whole number, 1 or more"),
    ("CONCURRENT_ITEMS", 0, "a whole number, 1 or more"),
    ("CONCURRENT_REQUESTS_PER_DOMAIN", -1, "a whole number, 0 or more"),
    ("DOWNLOAD_DELAY", "-1", "a number, 0 or more"),
    ("RETRY_TIMES", -1, "a whole number, 0 or more"),
    ("DOWNLOAD_TIMEOUT", 0, "a number above 0"),
    ("CLOSESPIDER_PAGECOUNT", -1, "a whole number, 0 or more"),
    ("GWC_MAX_PAGES", -1, "a whole number, 0 or more"),
    ("GWC_LEASE_BATCH", 0, "a whole number, 1 or more"),
    ("GWC_LEASE_SECONDS", "nan", "a number"),
    ("GWC_KEEP_HTML", "target", "raw, all, targets, stripped, none"),
    ("GWC_STRIP", "some", "all, targets, none"),
    ("GWC_QUEUE_POLICY", "hosts", ""),
]
"""Setting → a value of the right kind that can't be, and what can."""


@pytest.mark.parametrize("place", ["project", "spider", "cmdline"])
def test_a_value_out_of_range_is_refused(site: Site, place: str) -> None:
    for name, value, can_be in OUT_OF_RANGE:
        with pytest.raises(InputError) as refused:
            settings_of(site, given(place, **{name: value}))
        words = str(refused.value)
        assert name in words
        assert words.endswith(can_be)
        assert "\n" not in words


def test_what_is_0_for_off_stays_so(site: Site) -> None:
    off = dict.fromkeys(("CONCURRENT_REQUESTS_PER_DOMAIN", "CONCURRENT_REQUESTS_PER_IP", "RETRY_TIMES"), 0)
    assert settings_of(site, given("cmdline", **off, DOWNLOAD_DELAY=0, DEPTH_LIMIT=0, REDIRECT_PRIORITY_ADJUST=-2))


MISSPELT = {
    "DOWNLAOD_DELAY": "DOWNLOAD_DELAY",
    "CONCURENT_REQUEST": "CONCURRENT_REQUESTS",
    "USER_AGNET": "USER_AGENT",
    "REDIS_URI": "REDIS_URL",
    "GWC_KEPP_HTML": "GWC_KEEP_HTML",
}


def test_a_near_miss_on_the_command_line_is_refused(site: Site) -> None:
    for name, meant in MISSPELT.items():
        with pytest.raises(InputError) as refused:
            settings_of(site, given("cmdline", **{name: "1"}))
        assert str(refused.value) == f"unknown setting {name} on the command line (did you mean {meant!r}?)"


PLUG_INS = (
    "MY_KEY", "USER_AGENTS", "USER_AGENT_LIST", "PLAYWRIGHT_LAUNCH_OPTIONS", "ROTATING_PROXY_LIST", "JOBS_DIR",
    "MAIL_TO", "SPLASH_URL", "ZYTE_API_KEY", "RETRY_TIMES_OF_MINE", "IMAGES_EXPIRES", "FILES_URLS_FIELD",
    "DOWNLOAD_DELAY_BY_HOST", "SPIDERMON_ENABLED", "DELTAFETCH_ENABLED", "SCRAPEOPS_API_KEY", "FEED_DATE",
)  # fmt: skip


def test_what_may_be_a_plug_ins_setting_passes(site: Site) -> None:
    for place in ("project", "cmdline"):
        assert settings_of(site, given(place, **dict.fromkeys(PLUG_INS, "x")))
    known = known_names(given("project"))
    assert not [name for name in PLUG_INS if near_miss(name, known - set(PLUG_INS) - {"USER_AGENT"})]


def test_what_the_project_names_is_known_on_the_command_line_too(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "naming_settings.py").write_text("USER_AGNET = 'x'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "naming_settings")
    import_module("naming_settings")
    assert settings_of(site, given("cmdline", USER_AGNET="y"))


def test_a_near_miss_in_the_projects_settings_is_told_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "slipping_settings.py").write_text("DOWNLAOD_DELAY = 1\nMY_KEY = 2\nUSER_AGENT = 'x'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "slipping_settings")
    import_module("slipping_settings")
    assert list(likely_misspelt()) == [("DOWNLAOD_DELAY", "did you mean 'DOWNLOAD_DELAY'?")]
    _tell_slips.cache_clear()
    for _ in ("pre-crawl", "crawl"):
        _tell_slips()
    assert caplog.text.count("setting DOWNLAOD_DELAY in the project's settings is none of Scrapy's") == 1
    _tell_slips.cache_clear()


def test_in_the_projects_settings_only_a_name_of_ours_is_judged(site: Site) -> None:
    assert settings_of(site, given("project", DOWNLAOD_DELAY=1))
    with pytest.raises(InputError, match=r"unknown setting GWC_ON_DRFIT in the project's settings \(did you mean"):
        settings_of(site, given("project", GWC_ON_DRFIT="stop"))


SHARED = {"GWC_FRONTIER": "redis", "REDIS_URL": "redis://127.0.0.1:9/0"}


@pytest.mark.parametrize("place", ["project", "spider", "cmdline"])
@pytest.mark.parametrize(
    ("name", "value", "holds", "why"),
    [
        ("SCHEDULER_PERSIST", "False", "True", "the queue always persists"),
        ("SCHEDULER_QUEUE_CLASS", "scrapy_redis.queue.LifoQueue", None, "leases wait in Redis, not Requests"),
        ("SCHEDULER_SERIALIZER", "json", None, "nothing there is ever run as code"),
        ("SCHEDULER_DUPEFILTER_CLASS", "scrapy_redis.dupefilter.RFPDupeFilter", None, "knows each URL once"),
        ("SCHEDULER_IDLE_BEFORE_CLOSE", "5", "0", "nothing waits or is leased at any worker"),
        ("MAX_IDLE_TIME_BEFORE_CLOSE", "5", "0", "GWC_WORK_IDLE_SECONDS"),
        ("REDIS_START_URLS_BATCH_SIZE", "5", None, "start URLs are entered as they come"),
        ("REDIS_DECODE_RESPONSES", "True", "False", "answers are bytes"),
    ],
)
def test_what_scrapy_redis_could_do_is_refused_by_name_in_a_shared_crawl(
    site: Site, caplog: pytest.LogCaptureFixture, place: str, name: str, value: str, holds: str | None, why: str
) -> None:
    assert settings_of(site, given(place, **{name: value})), "a crawl that is not shared has no use for it"
    assert settings_of(site, given(place, **SHARED, **{name: holds}))
    if place == "project":  # a spider of one's own may be meant
        settings_of(site, given(place, **SHARED, **{name: value}))
        assert f"setting {name} is {value!r} in the project's settings" in caplog.text
        assert why in caplog.text
        return
    with pytest.raises(InputError, match=f"setting {name} is {value!r} .*can't hold for a site: .*{why}"):
        settings_of(site, given(place, **SHARED, **{name: value}))
