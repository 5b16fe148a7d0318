"""How one template writes: its language, names of classes, labels and white space; and what one page's values are.

A `Look` is drawn once for a template, a `Draw` for each of its pages.
"""

from __future__ import annotations

import html
import random
from dataclasses import dataclass, field


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENGLISH = _words(
    "river stone amber quiet harbor window silver garden copper distant morning letter engine paper "
    "signal meadow winter bridge lantern velvet thunder orchard compass marble falcon cedar harvest "
    "mirror canyon ribbon anchor saddle island timber beacon crystal summit pepper walnut cotton "
    "granite pilot ember prairie basket "
)
CHINESE = list("山水风云花月春秋江河松竹梅兰石桥灯火书画琴棋雪雨霜露天地星辰海湖林泉")
FIRST = _words("Anna Bela Carl Dora Emil Fay Gus Hana Ivan Judy Kurt Lena Milo Nora Otto Pia Rosa Sven Tess Uma ")
LAST = _words("Abel Boyd Cole Dunn Epps Ford Gray Hale Ives Judd Kerr Lang Moss Nash Owen Pike Reed Shaw Todd Webb ")
SURNAMES, GIVEN = "王李张刘陈杨赵黄周吴", "伟芳娜敏静丽强磊军洋勇艳杰娟涛"
MONTHS = _words("January February March April May June July August September October November December ")
LABELS = {
    "publisher": "出版社",
    "code": "编号",
    "pages": "页数",
    "language": "语言",
    "format": "格式",
    "weight": "重量",
    "country": "国家",
    "edition": "版本",
    "material": "材料",
    "model": "型号",
    "price": "价格",
    "author": "作者",
    "authors": "作者",
    "date": "日期",
    "rating": "评分",
    "tags": "标签",
    "description": "简介",
    "notes": "说明",
    "history": "历史",
    "usage": "用法",
    "features": "特点",
    "steps": "步骤",
    "contents": "目录",
    "related": "相关",
    "specs": "参数",
    "reviews": "评论",
    "offers": "规格",
    "warning": "注意",
    "name": "名称",
    "size": "尺寸",
    "stock": "库存",
    "value": "数值",
}


@dataclass
class Look:
    """What is the same on all pages of a template."""

    rng: random.Random
    language: str = "en"
    naming: str = "named"
    between: str = "\n"
    colon: str = ":"
    bilingual: bool = False
    curly: bool = False
    spaced: bool = False
    _names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def drawn(cls, rng: random.Random) -> Look:
        """A look at random."""
        language = rng.choices(("en", "zh"), (4, 1))[0]
        return cls(
            rng,
            language,
            rng.choices(("named", "made", "bare"), (6, 1, 3))[0],
            rng.choice(("\n", "\n", "", "\n      ")),
            rng.choice(("：", "：", ":")) if language == "zh" else rng.choice((":", ":", "")),
            bilingual=language == "zh" and rng.random() < 0.3,
            curly=rng.random() < 0.4,
            spaced=rng.random() < 0.2,
        )

    def named(self, name: str) -> str:
        """The attributes of an element called *name*: a class, a made one, or none."""
        if name not in self._names:
            made = f"css-{self.rng.randrange(10**6):06x}1a2"
            usual = self.rng.choice((name, f"{name} box", f"p-{name}", f"{name}-text col-{self.rng.randint(1, 9)}"))
            self._names[name] = {"named": usual, "made": made, "bare": ""}[self.naming]
        return f' class="{self._names[name]}"' if self._names[name] else ""

    def label(self, name: str, *, colon: bool = False) -> str:
        """The label of a field as the page writes it."""
        text = name.capitalize() if self.language == "en" else LABELS.get(name, name)
        if self.bilingual:
            text = f"{text} / {name.capitalize()}"
        return text + (self.colon if colon else "")

    def text(self, value: str) -> str:
        """A value as markup: entities, at times no-break spaces and invisible signs."""
        written = html.escape(value, quote=False)
        if self.spaced and " " in written:
            written = written.replace(" ", "&nbsp;", 1)
        return f"\n   {written}\n  " if self.spaced else written

    def joined(self, *parts: str) -> str:
        """Pieces of markup with the template's white space between them."""
        return self.between.join(part for part in parts if part)


@dataclass
class Draw:
    """Where one page's values come from."""

    rng: random.Random
    language: str
    curly: bool = False

    def chance(self, share: float) -> bool:
        """Whether something is so on this page."""
        return self.rng.random() < share

    def words(self, least: int, most: int) -> str:
        """Some words."""
        count = self.rng.randint(least, most)
        if self.language == "zh":
            return "".join(self.rng.choices(CHINESE, k=2 * count))
        return " ".join(self.rng.choices(ENGLISH, k=count))

    def title(self) -> str:
        """A title: at times with quotes or an ampersand."""
        text = self.words(2, 5).title()
        if self.chance(0.2):
            text += " “" + self.words(1, 2).title() + "”" if self.curly else " & " + self.words(1, 1).title()
        return text

    def sentence(self) -> str:
        """A sentence."""
        if self.language == "zh":
            return f"{self.words(4, 8)}，{self.words(3, 6)}。"
        apostrophe = "’" if self.curly else "'"
        end = f", it{apostrophe}s {self.words(1, 3)}." if self.chance(0.2) else "."
        return self.words(6, 14).capitalize() + end

    def paragraph(self) -> str:
        """One to four sentences."""
        return (" " if self.language == "en" else "").join(self.sentence() for _ in range(self.rng.randint(1, 4)))

    def paragraphs(self, most: int = 4) -> list[str]:
        """One paragraph or several."""
        return [self.paragraph() for _ in range(self.rng.choices(range(1, most + 1), range(most, 0, -1))[0])]

    def person(self) -> str:
        """A name."""
        if self.language == "zh":
            return self.rng.choice(SURNAMES) + "".join(self.rng.choices(GIVEN, k=2))
        return f"{self.rng.choice(FIRST)} {self.rng.choice(LAST)}"

    def people(self) -> list[str]:
        """One to four different names."""
        return list(dict.fromkeys(self.person() for _ in range(self.rng.randint(1, 4))))

    def money(self, currency: str) -> str:
        """A price."""
        return f"{currency}{self.rng.randint(1, 400)}.{self.rng.randint(0, 99):02}"

    def day(self) -> tuple[int, int, int]:
        """Year, month, day."""
        return self.rng.randint(2004, 2023), self.rng.randint(1, 12), self.rng.randint(1, 28)

    def fact(self, name: str) -> str:
        """A value for a fact of that name."""
        if name in ("pages", "weight"):
            return f"{self.rng.randint(20, 990)}" + (" g" if name == "weight" else "")
        if name == "code":
            return f"{self.rng.choice('ABCDEFGH')}{self.rng.choice('KLMN')}-{self.rng.randint(100, 9999)}"
        if name in ("language", "country", "format"):
            few = random.Random(name)
            some = Draw(few, self.language)
            return self.rng.choice([some.words(1, 1).title() for _ in range(5)])
        return self.words(1, 3).title()


def written_day(day: tuple[int, int, int], form: str) -> str:
    """A date in one of the usual forms."""
    year, month, number = day
    return {
        "iso": f"{year}-{month:02}-{number:02}",
        "long": f"{MONTHS[month - 1]} {number}, {year}",
        "short": f"{number:02} {MONTHS[month - 1][:3]} {year}",
        "slashes": f"{month:02}/{number:02}/{year}",
        "chinese": f"{year}年{month}月{number}日",
    }[form]
