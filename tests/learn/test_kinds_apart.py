"""Pages that are much like the samples: another kind by a field they never have, and none by how names begin."""

from __future__ import annotations

import pytest

from tests.learn.test_kinds import METHOD, Kind, fields, taken
from tests.learn.test_kinds_and_fields import site_of

# A field that one directory's pages always have, and the others' never

TYPE = Kind("type", ("members", "notes", "since", "example", "parents"))


def type_page(name: str, n: int, *, parents: bool = True) -> str:
    html = TYPE.html(name, skipped=[TYPE.sections[(n + k) % 4] for k in range(n % 3)])
    return html if parents else html.replace(fields(TYPE, name)["parents"], "")


@pytest.mark.parametrize(
    ("count", "having", "is_another"),
    [(12, 0, False), (12, 3, False), (4, 0, False)],
    ids=["never there", "there at times", "missing on a few pages"],
)
def test_a_directory_whose_pages_never_have_a_field_of_all_others_is_another_kind_though_alike(
    count: int, having: int, is_another: bool
) -> None:
    interfaces = {f"/interfaces/i{chr(97 + n % 26)}{n}.html": type_page(f"I{n}", n) for n in range(30)}
    formats = {f"/formats/f{chr(97 + n % 26)}{n}.html": type_page(f"F{n}", n, parents=n < having) for n in range(count)}
    samples = {
        path: {name: value for name, value in fields(TYPE, title).items() if name in ("title", "parents")}
        for path, title in (("/interfaces/id3.html", "I3"), ("/interfaces/ij9.html", "I9"))
    }
    pages = {**interfaces, **formats}
    assert taken(site_of(pages, samples), pages) == {*interfaces, *(() if is_another else formats)}


# Letters with which both samples begin by chance

STATEMENT = Kind("statement", ("purpose", "syntax", "privileges", "example", "see", "notes", "errors"))
STORED = [f"stmtstore{name}" for name in ("listen", "node", "path", "drop", "key", "gone")]
OTHERS = [
    f"stmt{verb}{what}"
    for verb in ("create", "alter", "set", "show", "lock", "move")
    for what in ("table", "view", "user", "role", "rule", "type")
]


@pytest.mark.parametrize("are_alike", [True, False], ids=["rather alike", "of another kind"])
def test_letters_that_both_samples_begin_with_are_no_kind_if_others_are_rather_alike(are_alike: bool) -> None:
    """A statement's pages lack two of seven sections that those of the storage all have."""
    pages = {f"/{name}.html": STATEMENT.html(name) for name in STORED}
    for n, name in enumerate(OTHERS):
        skipped = [STATEMENT.sections[(n + k) % 7] for k in range(2)]
        pages[f"/{name}.html"] = STATEMENT.html(name, skipped=skipped) if are_alike else METHOD.html(name)
    functions = {f"/func{chr(97 + n % 26)}{n}.html": METHOD.html(f"f{n}") for n in range(30)}
    samples = {f"/{name}.html": fields(STATEMENT, name) for name in STORED[:2]}
    found = taken(site_of({**pages, **functions}, samples), [*pages, *functions])
    assert found == {f"/{name}.html" for name in (*STORED, *(OTHERS if are_alike else ()))}
