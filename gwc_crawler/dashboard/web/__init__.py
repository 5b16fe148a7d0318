"""The dashboard's frame: who may ask for what, how a page is put together, in which language. Knows no page itself."""

from gwc_crawler.dashboard.web.project import Project
from gwc_crawler.dashboard.web.security import VisitorCheck
from gwc_crawler.dashboard.web.translations import languages
from gwc_crawler.dashboard.web.visit import DashboardRequest
