"""Bold words and links amid the text behind a label: they are part of it, and do not head what follows."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.nodes import running_text, text_after
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, sentence, word
from tests.extract.test_facts_and_paths import Samples
from tests.extract.test_told_by_itself import SEVERAL, page

LINES = [
    pytest.param("<b>Nose:</b> neither <b>dark</b> nor bright", "neither dark nor bright", id="after a colon"),
    pytest.param("<b>Story:</b> then <b>Ann</b> met <b>Bob</b> there", "then Ann met Bob there", id="names"),
    pytest.param("<b>Mood</b><br>It <strong>carries</strong> a load", "It carries a load", id="after a line"),
    pytest.param("<b>Plot:</b> It ends. <b>Ann</b> Lee is the first.", "It ends. Ann Lee is the first.", id="prose"),
    pytest.param("<b>Plot:</b> It ends. <b>Cast</b> Ann Lee", "It ends.", id="the next label behind a sentence"),
    pytest.param("<b>param</b> a list <b>throws</b> an error", "a list", id="labels in small letters"),
    pytest.param("<b>Size</b> 5 kg <b>Width</b> 3", "5 kg", id="the next label"),
    pytest.param("<b>Size:</b> 5 <b>Width:</b> 3", "5", id="the next label with a colon"),
    pytest.param("<b>Size:</b> 5 <b>Width</b>: 3", "5", id="the next label before a colon"),
    pytest.param("<b>Mood</b><br>Calm<br><b>Size</b><br>5", "Calm", id="the next line"),
]


@pytest.mark.parametrize(("line", "said"), LINES)
def test_a_line_goes_on_past_words_that_are_stressed_in_it(line: str, said: str) -> None:
    behind = parse_html(f"<p>{line}</p>").xpath("//b[1]/following-sibling::text()[1]")[0]
    assert running_text(behind) == said


@pytest.mark.parametrize(("line", "said"), LINES)
def test_so_does_what_a_bold_label_heads(line: str, said: str) -> None:
    label = parse_html(f"<p>{line}</p>").find(".//b")
    assert text_after(label, frozenset({"like"})) == said


def tasted(n: int, nose: str, *, finish: str = "") -> str:
    lines = {"Nose": nose, "Palate": sentence(n + 3, "Taste"), "Finish": finish or sentence(n + 5, "End")}
    return page(word(n), *(f"<p><b>{label}:</b> {text}</p>" for label, text in lines.items()))


def test_a_note_is_read_with_the_words_it_stresses() -> None:
    samples: Samples = [
        (tasted(n, sentence(n)), {"name": word(n), "nose": sentence(n), "finish": sentence(n + 5, "End")})
        for n in (1, 2)
    ]
    stressed = "Neither <b>{}</b> nor <b>{}</b> is there."
    wrapper = learned(samples, [tasted(n, sentence(n) if n % 3 else stressed.format("it", word(n))) for n in SEVERAL])
    found = wrapper.extract(tasted(60, "It is neither <b>dark</b> nor <b>Old</b> so far.", finish="It <b>ends</b> so."))
    assert (found["nose"], found["finish"]) == ("It is neither dark nor Old so far.", "It ends so.")


def breed(n: int, *texts: str) -> str:
    labels = ("Temperament", "Care", "Health")
    return page(word(n), *(f"<p><b>{label}</b><br>{text}</p>" for label, text in zip(labels, texts, strict=False)))


def test_what_stands_in_the_line_below_its_label_is_read_with_the_words_it_stresses() -> None:
    def texts(n: int) -> list[str]:
        return [sentence(n + k, of) for k, of in enumerate(("Mood", "Comb", "Bone"))]

    samples: Samples = [
        (breed(n, *texts(n)), {"name": word(n), "temperament": texts(n)[0], "care": texts(n)[1]}) for n in (1, 2)
    ]
    begun = ("All of it <b>carries</b> ", "", "")
    more = [breed(n, *(f"{begun[n % 3]}{text}" for text in texts(n))) for n in SEVERAL]
    found = learned(samples, more).extract(breed(60, "Every kitchen <b>carries</b> a load.", "Comb <b>it</b> often."))
    assert (found["temperament"], found["care"]) == ("Every kitchen carries a load.", "Comb it often.")


def facts(n: int, width: str = "Width") -> str:
    return page(word(n), f"<p><b>Size</b> {n} kg <b>{width}</b> {n + 3} <b>Made</b> {word(n + 5)}</p>")


def test_labels_without_colons_in_one_line_still_part_it() -> None:
    samples: Samples = [
        (facts(n), {"name": word(n), "size": f"{n} kg", "width": str(n + 3), "made": word(n + 5)}) for n in (11, 12)
    ]
    found = learned(samples, [facts(n) for n in SEVERAL]).extract(facts(60))
    assert (found["size"], found["width"], found["made"]) == ("60 kg", "63", word(65))


@pytest.mark.parametrize("often", [False, True], ids=["seen in no learning", "seen in learning"])
def test_prose_behind_a_label_is_read_with_its_links_whether_they_were_seen_or_not(often: bool) -> None:
    def one(n: int, plot: str) -> str:
        return page(word(n), f"<p><b>Year:</b> {1900 + n}<br><b>Plot:</b> {plot}<br><b>Place:</b> {word(n + 7)}</p>")

    def linked(n: int) -> str:
        return f"{sentence(n)} So <a href=/{n}>{word(n)}</a> says, and then <i>it</i> ends."

    samples: Samples = [
        (one(n, sentence(n)), {"name": word(n), "plot": sentence(n), "place": word(n + 7)}) for n in (1, 2)
    ]
    wrapper = learned(samples, [one(n, linked(n) if often and n % 3 == 0 else sentence(n)) for n in SEVERAL])
    found = wrapper.extract(one(60, linked(60)))
    assert found["plot"] == f"{sentence(60)} So {word(60)} says, and then it ends."
    assert found["place"] == word(67)
    assert wrapper.extract(one(61, sentence(61)))["plot"] == sentence(61)
