"""Which of several places that say the same on both samples is meant: labels, headings, counted elements, notes."""

from __future__ import annotations

from tests.extract.pages import learned


def body(*parts: str) -> str:
    return f"<html><body>{''.join(parts)}</body></html>"


def test_what_follows_another_fields_value_is_read_where_that_is_missing() -> None:
    def page(name: str, text: str, rarity: str = "") -> str:
        badge = f"<span class='badge warning'>{rarity}</span>" if rarity else ""
        return body(f"<div class=doc><h1>{name}</h1><span class='badge tip'>{name}类</span>{badge}"
                    f"<p>{text}</p><p>{text}</p><h2>来源</h2><ul><li>{name}</li></ul></div>")  # fmt: skip

    def text(n: int) -> str:
        return (
            f"第{'一二三四五六七八九十甲乙丙丁'[n]}种材料，在被黄沙掩埋的古老文献中，花的王者是梦的女主人，展现梦想。"
        )

    samples = [
        (page(name, text(n), f"★{n + 3}"), {"name": name, "rarity": f"★{n + 3}", "description": f"{text(n)} {text(n)}"})
        for n, name in enumerate(("鳞片", "露滴"))
    ]
    more = [page(f"材料{n}", text(n), f"★{n % 3 + 1}" * (n % 5 > 0)) for n in range(2, 14)]
    assert learned(samples, more).extract(page("花", text(5)))["description"] == f"{text(5)} {text(5)}"
