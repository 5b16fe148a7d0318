"""Dates: every notation we know of, and what only looks like one."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.field_types.dates import to_date
from gwc_crawler.field_types.numbers import NotOfType, ValueContext

CONTEXT = ValueContext("", datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp())


def table(text: str) -> list[tuple[str, str]]:
    """Each line's text and, behind the last arrow, what is read."""
    return [
        (one.strip(), value.strip()) for one, _, value in (line.rpartition("→") for line in text.split("\n")) if one
    ]


IN_DIGITS = table("""
    17.03.2024 → 2024-03-17
    12.04.2024 → 2024-04-12
    5.3.2024 → 2024-03-05
    12. 4. 2024 → 2024-04-12
    05.03.2024 г. → 2024-03-05
    04.13.2024 → 2024-04-13
    12.04.24 → 2024-04-12
    13/04/2024 → 2024-04-13
    04/13/2024 → 2024-04-13
    03/04/2024 → 2024-03-04
    05-03-2024 → 2024-05-03
    12/04/24 → 2024-12-04
    31/12/99 → 1999-12-31
    03/04/68 → 1968-03-04
    03/04/45 → 2045-03-04
    24-03-12 → 2024-03-12
    99/03/05 → 1999-03-05
    2024-03-12 → 2024-03-12
    2024/3/12 → 2024-03-12
    2024.3.12 → 2024-03-12
    2024. 3. 5. → 2024-03-05
    2024 03 12 → 2024-03-12
    12 25 2024 → 2024-12-25
    20240312 → 2024-03-12
    20240312083000 → 2024-03-12T08:30:00
    20240305T100000Z → 2024-03-05T10:00:00+00:00
    1710230400 → 2024-03-12T08:00:00+00:00
    ２０２４/０３/１２ → 2024-03-12
    ۲۰۲۴/۰۳/۱۲ → 2024-03-12
    2024-03 → 2024-03
    3/2024 → 2024-03
    12.2024 → 2024-12
    1999 → 1999
    (1999) → 1999
    in 1999 → 1999
    06-12 → 2025-06-12
    31/12 23:59 → 2025-12-31T23:59:00
    05.03. → 2025-03-05
    5/3/2567 → 2024-05-03
    1492-10-12 → 1492-10-12
    9999-12-31 → 9999-12-31
    2024‑03–12 → 2024-03-12
    2024_03_12 → 2024-03-12
    3 / 5 / 2024 → 2024-03-05
    03 2024 → 2024-03
    circa 1999 → 1999
""")

IN_WORDS = table("""
    March 5, 2024 → 2024-03-05
    5th of March 2024 → 2024-03-05
    the 5th day of March, 2024 → 2024-03-05
    March the 5th, 2024 → 2024-03-05
    5-Mar-24 → 2024-03-05
    05MAR2024 → 2024-03-05
    5 Mar '24 → 2024-03-05
    2024 March 5 → 2024-03-05
    Sept. 5, 2024 → 2024-09-05
    March 2024 → 2024-03
    Mar '24 → 2024-03
    March 5 → 2025-03-05
    Fri 5 Mar → 2025-03-05
    Feb 29 → 2024-02-29
    1er mars 2024 → 2024-03-01
    mar. 5 mars 2024 → 2024-03-05
    mar. 5 avril → 2025-04-05
    2 aout 2024 → 2024-08-02
    5 AOÛT 2024 → 2024-08-05
    14. März 1999 → 1999-03-14
    März 2024 → 2024-03
    5 de março de 2024 → 2024-03-05
    martes, 5 de marzo del 2024 → 2024-03-05
    5 d'abril de 2024 → 2024-04-05
    5 марта 2024 г. → 2024-03-05
    5 березня 2024 → 2024-03-05
    5 listopada 2024 → 2024-11-05
    5. března 2024 → 2024-03-05
    5 Mart 2024 → 2024-03-05
    2024. március 5. → 2024-03-05
    2024 m. kovo 5 d. → 2024-03-05
    2024. gada 5. marts → 2024-03-05
    5. maaliskuuta 2024 → 2024-03-05
    5 Μαρτίου 2024 → 2024-03-05
    5 במרץ 2024 → 2024-03-05
    5 มีนาคม 2567 → 2024-03-05
    ngày 5 tháng 3 năm 2024 → 2024-03-05
    5 मार्च 2024 → 2024-03-05
    ٥ مارس ٢٠٢٤ → 2024-03-05
    2024年3月5日 → 2024-03-05
    24年3月5日 → 2024-03-05
    2024年3月 → 2024-03
    1999年 → 1999
    3月5日 → 2025-03-05
    二〇二四年十二月三十一日 → 2024-12-31
    2024년 3월 5일 → 2024-03-05
    3월 5일 → 2025-03-05
    中華民國113年3月5日 → 2024-03-05
    中华民国一百一十三年三月五日 → 2024-03-05
    民國113年3月 → 2024-03
    民國113年 → 2024
    民國113/03/05 → 2024-03-05
    113/03/05 → 2024-03-05
    113-03-05 → 2024-03-05
    令和6年3月5日 → 2024-03-05
    令和元年5月1日 → 2019-05-01
    平成30年 → 2018
    昭和64年1月7日 → 1989-01-07
    Mar 05, 24 → 2024-03-05
    5 set 2024 → 2024-09-05
    10 out 2024 → 2024-10-10
    113年3月5日 → 2024-03-05
""")

WITH_A_TIME = table("""
    2024-03-12T08:00:00+08:00 → 2024-03-12T08:00:00+08:00
    2024-03-12T08:00:00.123Z → 2024-03-12T08:00:00+00:00
    2024-03-12 08:00 → 2024-03-12T08:00:00
    2024-03-12 08:00 +0800 → 2024-03-12T08:00:00+08:00
    2024-03-12 08:00 (UTC+8) → 2024-03-12T08:00:00+08:00
    2024-03-12 8:00 pm → 2024-03-12T20:00:00
    2024-03-12 12:30 a.m. → 2024-03-12T00:30:00
    2024-03-12 12:30 PM EST → 2024-03-12T12:30:00-05:00
    2024-03-12 10:00-14:00 → 2024-03-12T10:00:00
    2024-03-12 25:61 → 2024-03-12
    12.04.2024, 14.30 Uhr → 2024-04-12T14:30:00
    Tue, 05 Mar 2024 10:00:00 GMT → 2024-03-05T10:00:00+00:00
    Tue Mar  5 10:00:00 2024 → 2024-03-05T10:00:00
    Tue Mar  5 10:00:00 UTC 2024 → 2024-03-05T10:00:00+00:00
    Tue Mar 12 08:00:00 +0000 2024 → 2024-03-12T08:00:00+00:00
    Sunday 10th March 2024 at 7.30pm → 2024-03-10T19:30:00
    05/Mar/2024:10:00:00 +0000 → 2024-03-05T10:00:00+00:00
    March 5th, 2024 at 10:30am → 2024-03-05T10:30:00
    10:15 AM · Mar 5, 2024 → 2024-03-05T10:15:00
    12:30 5 March 2024 → 2024-03-05T12:30:00
    5 mars 2024 à 14h30 → 2024-03-05T14:30:00
    5 марта 2024 г. в 10:30 → 2024-03-05T10:30:00
    2024年3月5日(火) 10時30分 → 2024-03-05T10:30:00
    2024年3月5日 上午8点 → 2024-03-05T08:00:00
    2024年3月5日 星期二 下午3:20 → 2024-03-05T15:20:00
    2024年3月5日 下午3点半 → 2024-03-05T15:30:00
    2024年3月5日 凌晨12:30 → 2024-03-05T00:30:00
    2024年3月5日 中午12:30 → 2024-03-05T12:30:00
    2024년 3월 5일 오후 3:30 → 2024-03-05T15:30:00
    3月5日 12:30 → 2025-03-05T12:30:00
    昨天 12:30 → 2026-02-28T12:30:00
    今天 08:00 → 2026-03-01T08:00:00
    Yesterday at 5:30 PM → 2026-02-28T17:30:00
    gestern, 12:30 Uhr → 2026-02-28T12:30:00
    сегодня в 12:30 → 2026-03-01T12:30:00
    Tue 5 Mar 2024 10.30 GMT → 2024-03-05T10:30:00+00:00
    昨天下午3:20 → 2026-02-28T15:20:00
""")

TOLD_FROM_NOW = table("""
    两天前 → 2026-02-27
    2天前 → 2026-02-27
    2 天之前 → 2026-02-27
    一周前 → 2026-02-22
    3个星期前 → 2026-02-08
    三个月前 → 2025-12
    半年前 → 2025-09
    一年半前 → 2024-09
    3个半月前 → 2025-11-16
    半小时前 → 2026-03-01T11:30:00+00:00
    两个半小时前 → 2026-03-01T09:30:00+00:00
    1小时30分钟前 → 2026-03-01T10:30:00+00:00
    5分鐘前 → 2026-03-01T11:55:00+00:00
    刚刚 → 2026-03-01T12:00:00+00:00
    前天 → 2026-02-27
    上周 → 2026-02-22
    上个月 → 2026-02
    去年 → 2025
    3日前 → 2026-02-26
    2か月前 → 2026-01
    昨日 → 2026-02-28
    2시간 전 → 2026-03-01T10:00:00+00:00
    어제 → 2026-02-28
    3 days ago → 2026-02-26
    an hour ago → 2026-03-01T11:00:00+00:00
    half an hour ago → 2026-03-01T11:30:00+00:00
    2 days 3 hours ago → 2026-02-27T09:00:00+00:00
    1 week, 2 days ago → 2026-02-20
    2 years 3 months ago → 2023-12
    1d ago → 2026-02-28
    3mo ago → 2025-12
    1 year ago → 2025
    yesterday → 2026-02-28
    last week → 2026-02-22
    tomorrow → 2026-03-02
    in 3 days → 2026-03-04
    vor 3 Tagen → 2026-02-26
    vor etwa einer Stunde → 2026-03-01T11:00:00+00:00
    il y a 2 jours → 2026-02-27
    il y a environ 3 jours → 2026-02-26
    hace 2 días → 2026-02-27
    hace un mes → 2026-02
    há 2 dias → 2026-02-27
    3 giorni fa → 2026-02-26
    3 dagen geleden → 2026-02-26
    för 3 dagar sedan → 2026-02-26
    3 дня назад → 2026-02-26
    5 дней назад → 2026-02-24
    час назад → 2026-03-01T11:00:00+00:00
    полгода назад → 2025-09
    полтора часа назад → 2026-03-01T10:30:00+00:00
    2,5 часа назад → 2026-03-01T09:30:00+00:00
    Опубликовано: час назад → 2026-03-01T11:00:00+00:00
    rok temu → 2025
    před 3 dny → 2026-02-26
    3 gün önce → 2026-02-26
    منذ 3 أيام → 2026-02-26
    3 days from now → 2026-03-04
    aujourd’hui → 2026-03-01
    een dag geleden → 2026-02-28
    2 yrs ago → 2024
""")

AMONG_WORDS = table("""
    更新时间：2024-03-12 → 2024-03-12
    发布于 2024年3月12日 12:30 → 2024-03-12T12:30:00
    日期20240312 → 2024-03-12
    發布日期：113.03.05 → 2024-03-05
    发布于3天前 → 2026-02-26
    3天前发布 → 2026-02-26
    更新：昨天 → 2026-02-28
    Posted on March 5, 2024 by Joe → 2024-03-05
    Posted 12/25/24 by Joe → 2024-12-25
    Posted 3 days ago by Joe → 2026-02-26
    Posted yesterday by Joe → 2026-02-28
    Published: 5 Mar 2024 | Updated: 6 Mar 2024 → 2024-03-05
    Updated 2024-03-06, published 5 Mar 2024 → 2024-03-06
    Updated 3 hours ago, created 5 Mar 2024 → 2026-03-01T09:00:00+00:00
    Published: 1999 → 1999
    12/03/2024 - 15/03/2024 → 2024-12-03
    12.04.2024-14.04.2024 → 2024-04-12
    12.04.2024 um 14 Uhr → 2024-04-12T14:00:00
    등록일 2024.03.12 → 2024-03-12
    5-7 March 2024 → 2024-03-05
    March 5–7, 2024 → 2024-03-05
    28 Feb – 3 Mar 2024 → 2024-02-28
    Dec 28 – Jan 3, 2024 → 2023-12-28
    /blog/2024/03/12/title → 2024-03-12
    5 and 6 March 2024 → 2024-03-05
    5.-7. März 2024 → 2024-03-05
    del 5 al 7 de marzo de 2024 → 2024-03-05
""")


@pytest.mark.parametrize(("text", "read"), IN_DIGITS + IN_WORDS + WITH_A_TIME + TOLD_FROM_NOW + AMONG_WORDS)
def test_a_date_is_read(text: str, read: str) -> None:
    assert to_date(text, CONTEXT) == read


NO_DATES = """
    31.02.2024 | 00/00/0000 | 13/13/2024 | 2023-02-29 | 2024-13-03 | 29 February 2023 | March 32, 2024 | Feb 30
    2024年13月5日 | 2024年2月30日 | 20241399 | 20240230 | 2024/13 | 12.5 | 12,5 | 0.75 | v1.2.3 | 1.2.3 | 113.3.5
    v2024.3.12 | 192.168.10.12 | 10.12.2024.1 | $12.99 | $12.04.2024 | 12.04.24 € | 100% | 16:9 | 1920x1080 | 12
    12345678 | 978-7-5442-4565-6 | 9783161484100 | 0306406152 | ISBN 7544245659 | No. 20240312 | 555-12-3456
    +49 30 12345 | 2019-2024 | © 2019-2024 | 1990s | Q1 2024 | Spring 2024 | 2024-W11 | 2024-072 | 25:61 | noon
    5 x 2024 | 3 stars | 4 out of 5 | Sold out 5 | Sold out 2024 | may be 5 days | 5 min read | 5 minutes
    Read in 5 minutes
    несколько часов назад | few days ago | 几天前 | 两三天前 | 前两天 | 3~5天前
    1 000 days ago | 2-3 days ago | 十几天前 | 30+ days ago | 1 year 2 weeks ago | 99999999 years ago | Buy now
    Order today | today only! | 今日头条 | 上周三 | Leo | Homme | most | 平成99年 | 1402/12/15 | ۱۴۰۲/۱۲/۱۵
    Paperback | last | 01.-05.03.2024 | 12/04 - 14/04/2024 | 24/03/12 | 10.5.2 | 今早 8:00 | 去年3月5日 | 1850s
    Windows 2000 | 2024 km | Monday
"""


@pytest.mark.parametrize("text", [one.strip() for one in re.split(r"[|\n]", NO_DATES) if one.strip()])
def test_what_is_no_date_or_not_in_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(NotOfType, match=r"no date|calendar|may be|span"):
        to_date(text, CONTEXT)


MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου "
    "Δεκεμβρίου",
}


@pytest.mark.parametrize("language", MONTHS)
def test_every_month_of_a_language_is_known(language: str) -> None:
    names = MONTHS[language].split()
    for form in ("7 {} 2024", "7. {} 2024", "{} 7, 2024", "7 de {} de 2024", "2024 {} 7"):
        read = [to_date(form.format(name), CONTEXT) for name in names]
        assert read == [f"2024-{month:02}-07" for month in range(1, 13)]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([one for one, _ in IN_DIGITS + IN_WORDS + WITH_A_TIME + TOLD_FROM_NOW]),
    st.sampled_from(["{}", "Published: {}", "发布时间：{}", "{} | 12 comments", "({})", " {}\n"]),
)
def test_a_label_before_and_signs_behind_change_nothing(text: str, form: str) -> None:
    if text != "1710230400":  # a timestamp is the whole text
        assert to_date(form.format(text), CONTEXT) == to_date(text, CONTEXT)


def test_a_day_that_has_begun_elsewhere_is_of_this_year() -> None:
    evening = ValueContext("", datetime(2025, 12, 31, 23, 0, tzinfo=UTC).timestamp())
    assert (to_date("1月1日", evening), to_date("1月2日", evening)) == ("2026-01-01", "2025-01-02")
