"""The dashboard's frame: who may ask for what, how a page is put together, in which language. Knows no page itself."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dashboard.web.background import SHARE, AgedFigure, Background
    from gwc_crawler.dashboard.web.charts import bar, lines, sparkline
    from gwc_crawler.dashboard.web.harmless import harmless_page
    from gwc_crawler.dashboard.web.project import Project
    from gwc_crawler.dashboard.web.rendering import Renderer, own_path, span
    from gwc_crawler.dashboard.web.routes import Answer, Drawn, Harmless, Moved, Route, Shown, Text, action, page, part
    from gwc_crawler.dashboard.web.security import VisitorCheck, guards
    from gwc_crawler.dashboard.web.server import frame_app
    from gwc_crawler.dashboard.web.translations import Wording, languages
    from gwc_crawler.dashboard.web.visit import DashboardRequest
else:
    __getattr__ = face(__name__)

__all__ = [
    "SHARE",
    "AgedFigure",
    "Answer",
    "Background",
    "DashboardRequest",
    "Drawn",
    "Harmless",
    "Moved",
    "Project",
    "Renderer",
    "Route",
    "Shown",
    "Text",
    "VisitorCheck",
    "Wording",
    "action",
    "bar",
    "frame_app",
    "guards",
    "harmless_page",
    "languages",
    "lines",
    "own_path",
    "page",
    "part",
    "span",
    "sparkline",
]
