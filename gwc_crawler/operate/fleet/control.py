"""Pause, resume and stop crawls from another shell: channels in, an outcome for each out.

The wish goes to the channel of a crawl; then the reports of its workers are watched until all have obeyed, or until
the wait is over. Called by `scrapy pause`, `scrapy resume` and `scrapy stop`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from gwc_crawler.errors import StoreError, advice
from gwc_crawler.operate.fleet.channel import SILENT_SECONDS, Activity, Channel, DesiredState, Pace, Pause, Report
from gwc_crawler.store.sqlite.database import PAUSE_SECONDS

logger = logging.getLogger(__name__)


class Action(StrEnum):
    """The actions that can be asked of a crawl."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


class RunKind(StrEnum):
    """The kinds of runs that can be steered."""

    CRAWL = "crawl"
    PRECRAWL = "pre-crawl"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Steered:
    """A run that can be steered through its channel: a site's crawl or pre-crawl, or the work of a fleet.

    `holder` names the process that holds an embedded crawl, None if none does; without it the workers are known from
    the reports on the channel."""

    site: str
    run: RunKind
    channel: Channel
    holder: Callable[[], str | None] | None = None

    def workers(self) -> dict[str, Report | None]:
        """Return the workers, each with its last report, None if there is none yet."""
        if self.holder is None:
            return {one.owner: one for one in self.channel.alive()}
        holder = self.holder()
        return {} if holder is None else {holder: next(iter(self.channel.reports()), None)}

    def silent(self) -> list[str]:
        """Return the workers that have given no sign of life for too long: dead, or busy with something else."""
        latest = self.channel.now() - SILENT_SECONDS
        return [] if self.holder else [one.owner for one in self.channel.reports() if one.seen_at < latest]


@dataclass(frozen=True, slots=True)
class AskOutcome:
    """The outcome of a wish. `asked` workers were at work; `left` have not obeyed after `seconds`.

    `silent` workers gave no sign of life, so they were not waited for. `pause` is the one that holds, or was taken off.
    `waited` is False if the caller did not want to wait."""

    site: str
    run: RunKind
    wish: Action
    asked: tuple[str, ...]
    left: tuple[str, ...]
    silent: tuple[str, ...]
    pause: Pause | None
    seconds: float
    waited: bool

    @property
    def idle(self) -> bool:
        """Whether there was nothing to steer, and nothing was changed."""
        return not self.asked and self.pause is None

    @property
    def obeyed(self) -> bool:
        """Whether all is as it was wanted, as far as one can know."""
        return not self.idle and not self.left

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of --json."""
        return {**asdict(self), "idle": self.idle, "obeyed": self.obeyed}


def steer(
    controls: Sequence[Steered], action: Action, by: str, *, wait_seconds: float, keep_pause: bool
) -> list[AskOutcome]:
    """Ask the same of all crawls and wait until they have obeyed, or for *wait_seconds*.

    *by* is shown to others; *keep_pause*: a pause stays on the channel of a shared crawl without workers, for later.
    """
    began, waited = time.monotonic(), wait_seconds > 0
    asked = [(control, *_ask(control, action, by, keep_pause)) for control in controls]
    while time.monotonic() - began < wait_seconds and any(_left(one, action, names) for one, names, _, _ in asked):
        time.sleep(PAUSE_SECONDS)
    seconds = round(time.monotonic() - began, 3)
    return [
        AskOutcome(
            site=control.site,
            run=control.run,
            wish=action,
            asked=names,
            left=_left(control, action, names) if waited else (),
            silent=silent,
            pause=pause,
            seconds=seconds,
            waited=waited,
        )
        for control, names, silent, pause in asked
    ]


def _ask(
    control: Steered, action: Action, by: str, keep_pause: bool
) -> tuple[tuple[str, ...], tuple[str, ...], Pause | None]:
    names, silent = tuple(control.workers()), tuple(control.silent())
    pause = None
    if action is Action.STOP and (names or silent):
        control.channel.stop()
    elif action is Action.RESUME:
        pause = control.channel.resume()
    elif action is Action.PAUSE and (names or silent or (keep_pause and control.holder is None)):
        pause = control.channel.pause(by)
    return names, silent, pause


def _left(control: Steered, action: Action, asked: Sequence[str]) -> tuple[str, ...]:
    now = control.workers() if asked else {}
    keeps = ((name, _keeps(now[name], action)) for name in asked if name in now)
    return tuple(f"{name}{what}" for name, what in keeps if what is not None)


def _keeps(report: Report | None, action: Action) -> str | None:
    if report is None:
        return ""
    if action is Action.STOP or (action is Action.PAUSE and (report.activity is Activity.RUNNING or report.under_way)):
        return f" ({report.under_way} under way)"
    if action is Action.RESUME and report.activity is Activity.PAUSED:
        return f" (paused {'; '.join(report.reasons)})"
    return None


def outcome_line(told: AskOutcome) -> str:
    """Say in a line what became of it."""
    head = f"{told.site} (learning): " if told.run is RunKind.PRECRAWL else f"{told.site}: "
    if told.idle:
        return f"{head}nothing runs"
    unheard = f"no sign of life from {', '.join(told.silent)}" if told.silent else ""
    became = _became(told) if told.asked and told.waited else ""
    return head + "; ".join(filter(None, (_asked(told), became, unheard)))


def _asked(told: AskOutcome) -> str:
    count = len(told.asked)
    if count:
        return f"{told.wish} asked of {count} worker{'s' if count > 1 else ''}"
    if told.wish is Action.RESUME:
        return "no longer paused, nobody is at work"
    return advice("nobody is at work; paused for a fleet's workers, until `scrapy resume`")


def _became(told: AskOutcome) -> str:
    took = f"after {told.seconds:.1f} s"
    if told.left:
        return f"{took} not yet done: {', '.join(told.left)}"
    done = {Action.PAUSE: "paused, nothing is under way", Action.RESUME: "at work", Action.STOP: "gone"}[told.wish]
    return f"{'all ' if len(told.asked) > 1 else ''}{done} {took}"


BY_HAND = "by hand"
"""The reason of a pause that somebody asked for; other reasons have words of their own."""


class Steering:
    """The state of a worker: its reasons to pause, whether it was asked to stop, its pace.

    Args:
        site: the name by which people steer it.
        stays_paused: whether a pause from before this worker began holds for it. Else the worker that begins a crawl
            ends its pause, unless other workers are at it.
    """

    def __init__(self, site: str, channel: Channel, owner: str, *, stays_paused: bool = False) -> None:
        self.site = site
        self.channel = channel
        self.owner = owner
        self.pauses: dict[str, str] = {}
        """Reason → in words; while there is any, nothing is leased."""
        self.stop_asked = False
        self._pace = Pace()
        self._pace.note(time.monotonic(), 0)
        self._started_at = channel.now()
        self._stops_seen = channel.desired().stops
        others = [one for one in channel.alive() if one.owner != owner]
        if not stays_paused and not others and (pause := channel.resume()) is not None:
            logger.warning("resumed site=%s by its start; it was paused by %s", site, pause.by)
        self.heed(channel.desired())

    @property
    def paused(self) -> bool:
        """Whether nothing shall be leased for now."""
        return bool(self.pauses)

    def report(self, pages: int, under_way: int, *, stopping: bool, silent: tuple[str, ...] = ()) -> Report:
        """Report the state of this worker: *pages* read so far, leases *under_way*, *silent* hosts in words."""
        self._pace.note(time.monotonic(), pages)
        paused = Activity.PAUSED if self.pauses else Activity.RUNNING
        return Report(
            owner=self.owner,
            activity=Activity.STOPPING if stopping or self.stop_asked else paused,
            reasons=tuple(self.pauses.values()),
            pages=pages,
            last_minute=self._pace.last(60.0),
            last_ten_minutes=self._pace.last(600.0),
            under_way=under_way,
            started_at=self._started_at,
            seen_at=self.channel.now(),
            silent=silent,
        )

    def heed(self, desired: DesiredState) -> None:
        """Pause, go on or stop as people want."""
        if desired.stops > self._stops_seen:
            self.stop_asked = True
        self._stops_seen = desired.stops
        if desired.pause is not None:
            self.pause(BY_HAND, advice(f"by {desired.pause.by}, until `scrapy resume {self.site}`"))
        else:
            self.resume(BY_HAND)

    def pause(self, reason: str, words: str) -> None:
        """Lease nothing more until this *reason* is gone; leases under way go on."""
        if reason not in self.pauses:
            self.pauses[reason] = words
            logger.warning("paused site=%s %s", self.site, words)

    def resume(self, reason: str) -> None:
        """Take a reason to pause away; without any left the crawl goes on."""
        if self.pauses.pop(reason, None) is not None:
            still = "; still paused " + "; ".join(self.pauses.values()) if self.pauses else ""
            logger.warning("resumed site=%s%s", self.site, still)

    def leave(self) -> None:
        """Take the report off the channel: this worker ends in order."""
        try:
            self.channel.leave(self.owner)
        except StoreError as error:
            logger.info("the last report stays in the channel: %s", error)
