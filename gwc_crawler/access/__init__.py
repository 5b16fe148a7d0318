"""How a site lets one in, as its site file says it: headers, credentials, cookies, a login, proxies; and what hides the
secrets among these wherever something is shown."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.access.cookies import CookieFile, read_cookies
    from gwc_crawler.access.headers import headers_of
    from gwc_crawler.access.login_forms import FilledForm, fill_form, shows_fields, succeeded
    from gwc_crawler.access.masking import hide, masked, masked_bytes
    from gwc_crawler.access.proxies import NoProxyLeft, ProxyPool, pool_of, proxy_problem
    from gwc_crawler.access.reach import Reach
    from gwc_crawler.access.schema import AccessRules, Auth, Login, Proxies, SecretText, Success, Variable
else:
    __getattr__ = face(__name__)

__all__ = [
    "AccessRules",
    "Auth",
    "CookieFile",
    "FilledForm",
    "Login",
    "NoProxyLeft",
    "Proxies",
    "ProxyPool",
    "Reach",
    "SecretText",
    "Success",
    "Variable",
    "fill_form",
    "headers_of",
    "hide",
    "masked",
    "masked_bytes",
    "pool_of",
    "proxy_problem",
    "read_cookies",
    "shows_fields",
    "succeeded",
]
