"""Of readings that all samples allow the one that is meant: blanks as typed, what is shown, words that stand alone."""

from __future__ import annotations

from tests.extract.pages import word
from tests.extract.test_new_markup import learn


def facts(n: int, rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in rows)
    return f"<html><body><h1>{word(n)}</h1><h2>Facts</h2><table>{cells}</table><h2>More</h2><p>Bye</p></body></html>"


def test_blanks_between_cells_are_as_the_samples_have_them() -> None:
    one, two, new = [("Weight", "3"), ("Age", "7")], [("Height", "12")], [("Width", "4"), ("Age", "9")]
    for blank in ("", " "):
        typed = [" ".join(f"{name}{blank}{value}" for name, value in rows) for rows in (one, two, new)]
        pages = (facts(1, one).replace("</tr>", "</tr>\n"), {"facts": typed[0]}), (facts(2, two), {"facts": typed[1]})
        assert learn(*pages).extract(facts(3, new).replace("</tr>", "</tr>\n"))["facts"] == typed[2]


def declared(n: int, words: str, note: str = "") -> str:
    mark = f"<a href='/note'>{note}</a>\n" if note else ""
    around = f"<a href='/{n + 7}' title='{'enum' if n % 3 else 'class'} in org.example'>{word(n + 7)}</a>"
    shown = f"<h1 class='name' title='Class {word(n)}'>Class {word(n)}{'&lt;T>' if n % 2 else ''}</h1>"
    return f"<html><body>{around}{shown}<pre class='code'>{mark}{words} <b>{word(n)}</b></pre></body></html>"


def test_a_word_that_stands_alone_elsewhere_is_what_longer_values_mean() -> None:
    kinds = ("public class", "public interface", "public static interface", "public abstract class")
    more = [declared(n, kinds[n % 4], "@Old" if n % 5 == 0 else "") for n in range(10, 30)]
    samples = (declared(2, kinds[0]), {"kind": "class"}), (declared(4, kinds[0]), {"kind": "class"})
    wrapper = learn(*samples, more=more)
    new = [declared(31, kinds[2]), declared(32, kinds[1], "@Old"), declared(33, "class")]
    assert [wrapper.extract(page)["kind"] for page in new] == ["interface", "interface", "class"]


def test_what_a_page_shows_goes_before_the_title_of_its_element() -> None:
    more = [declared(n, "public class") for n in range(10, 20)]
    samples = [(declared(n, "public class"), {"title": f"Class {word(n)}"}) for n in (2, 4)]
    assert learn(*samples, more=more).extract(declared(5, "public class"))["title"] == f"Class {word(5)}<T>"
