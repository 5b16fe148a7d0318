"""Moments come once, whoever looks and however clocks are put; what was missed is made up for once; timers agree."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.operate.schedules import Keeper, Launch, Schedule, ScheduleBook, Timing, crontab_text, systemd_units

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


@pytest.mark.parametrize(
    ("when", "cron"),
    [
        ("03:00", "0 3 * * *"),
        ("mon,thu 3:05", "5 3 * * 1,4"),
        ("Fri-Sun 23:59", "59 23 * * 5-7"),
        ("sunday 1:00", "0 1 * * 0"),
        ("hourly", "0 * * * *"),
        ("@daily", "0 3 * * *"),
        ("*/5 8-18 1,15 jan-mar MON", "*/5 8-18 1,15 JAN-MAR MON"),
    ],
)
def test_moments_are_said_as_people_say_them(when: str, cron: str) -> None:
    timing = Timing.read(when, "Europe/Berlin")
    assert timing == Timing(cron, "Europe/Berlin")
    assert Timing.read(timing.spoken, "Europe/Berlin").next_after(0.0) == timing.next_after(0.0)


@pytest.mark.parametrize(
    "when",
    ["", "25:00", "3", "noday 03:00", "* * * *", "61 * * * *", "0 0 31 2 *", "0 0 L * *", "; rm -rf", "0 3 * * *\n1"],
)
def test_what_names_no_moment_is_refused(when: str) -> None:
    with pytest.raises(InputError, match="03:00"):
        Timing.read(when, "UTC")
    with pytest.raises(InputError, match="time zone"):
        Timing.read("03:00", "../../etc/passwd")


@pytest.mark.parametrize("when", ["00:00", "02:30", "03:00", "23:55"])
def test_a_daily_crawl_starts_once_a_day_also_where_clocks_are_put_on_or_back(tmp_path: Path, when: str) -> None:
    book, started, now = ScheduleBook(tmp_path), list[str](), [0.0]
    keepers = [Keeper(book, lambda one: started.append(_day(now[0])) or "", lambda: now[0]) for _ in range(2)]
    for begin in ("2026-03-27T12:00", "2026-10-23T12:00"):
        started.clear()
        now[0] = at(begin)
        book.put(Schedule("books", Timing.read(when, "Europe/Berlin"), since=now[0]))
        for _ in range(4 * 24 * 6):
            now[0] += 600
            for keeper in keepers:
                keeper.look()
        assert len(started) == len(set(started)) == 4, started


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, BERLIN):%m-%d}"


def test_what_was_missed_is_made_up_for_once_or_not_at_all(tmp_path: Path) -> None:
    book, started = ScheduleBook(tmp_path), list[str]()
    began, now = at("2026-05-01T12:00"), at("2026-05-05T09:00")
    timing = Timing.read("03:00", "Europe/Berlin")
    for name, missed in (("late", "run"), ("never", "skip")):
        book.put(Schedule(name, timing, missed=missed, since=began))
    keeper = Keeper(book, lambda one: started.append(one.site) or "", lambda: now)
    keeper.look()
    keeper.look()
    assert started == ["late"]
    told = {one.site: one.last.said if one.last else "" for one in book.all()}
    assert told == {"late": "started late: nobody was there", "never": "missed: nobody was there"}


def test_a_crawl_that_still_runs_is_told_and_a_clock_put_back_starts_nothing_twice(tmp_path: Path) -> None:
    book, started, now = ScheduleBook(tmp_path), list[float](), [at("2026-05-01T02:59")]
    book.put(Schedule("books", Timing.read("03:00", "Europe/Berlin"), since=now[0]))
    keeper = Keeper(book, lambda one: started.append(now[0]) or "still running", lambda: now[0])
    for text in ("2026-05-01T03:00", "2026-05-01T03:00", "2026-05-01T02:59"):
        now[0] = at(text)
        keeper.look()
    (kept,) = book.all()
    assert len(started) == 1
    assert kept.last is not None
    assert (kept.last.said, kept.last.went_wrong) == ("still running", True)
    book.switch(kept.id, on=False, now=now[0])
    now[0] = at("2026-05-02T03:00")
    assert keeper.look() == []


def test_schedules_are_not_without_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gwc_crawler.operate.schedules.MOST", 2)
    book, timing = ScheduleBook(tmp_path), Timing("0 3 * * *", "UTC")
    for site in ("a", "b", "b"):
        book.put(Schedule(site, timing))
    with pytest.raises(InputError, match="there are 2 schedules already"):
        book.put(Schedule("c", timing))
    assert [one.site for one in book.all()] == ["a", "b"]


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "schedules.json").write_text('{"schedules": [{"site": "a"}]}')
    with pytest.raises(InputError, match="damaged"):
        ScheduleBook(tmp_path).all()


def test_timers_say_the_same(tmp_path: Path) -> None:
    one = Schedule("books", Timing.read("mon-fri 6:30", "Europe/Berlin"))
    launch = Launch(tmp_path / "a 5% b", ["python", "-m", "scrapy"], ["-s", "A=B"], {"SCRAPY_PROJECT": "mssql"})
    text = crontab_text([one, replace(one, is_on=False)], launch)
    assert "CRON_TZ=Europe/Berlin\n30 6 * * 1-5 cd '" in text
    assert r"a 5\% b' && python -m scrapy crawl -s A=B -a recrawl=due books" in text
    assert "\n# off: 30 6" in text
    units = systemd_units([one], launch)
    timer = next(text for name, text in units.items() if name.endswith(".timer"))
    assert "OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 6:30:00 Europe/Berlin\nPersistent=true" in timer
    if analyze := shutil.which("systemd-analyze"):
        event = "Mon,Tue,Wed,Thu,Fri *-*-* 6:30:00 Europe/Berlin"
        assert subprocess.run([analyze, "calendar", event], capture_output=True, check=False).returncode == 0
