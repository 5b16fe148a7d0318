"""Downloader middlewares that let a crawl in where its site file says how: headers, cookies, a login, proxies."""
