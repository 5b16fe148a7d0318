"""Link graphs for a `SiteServer`: path → hrefs."""

from __future__ import annotations


def star(pages: int) -> dict[str, list[str]]:
    """A home page that links to so many others, which link to nothing."""
    ends = [f"/p/{n}" for n in range(pages)]
    return {"/": ends} | {page: [] for page in ends}


def tree(pages: int) -> dict[str, list[str]]:
    """Page n links to pages 3n+1 … 3n+3; the root is /p/0."""
    return {f"/p/{n}": [f"/p/{3 * n + k}" for k in (1, 2, 3) if 3 * n + k < pages] for n in range(pages)}


def crossed_tree(pages: int) -> dict[str, list[str]]:
    """A tree whose pages also link to its root and to one page anywhere."""
    return {path: [*links, "/p/0", f"/p/{n * 7 % pages}"] for n, (path, links) in enumerate(tree(pages).items())}
