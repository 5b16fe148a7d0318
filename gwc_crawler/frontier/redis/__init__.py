"""The frontier in Redis: for any number of workers, on any number of machines, that come and go."""

from gwc_crawler.frontier.redis.frontier import DUPEFILTER_KEY, QUEUE_KEY, RedisFrontier
from gwc_crawler.frontier.redis.retrying import RetryingFrontier
from gwc_crawler.frontier.redis.start_urls import START_URLS_KEY, StartUrl, StartUrls
from gwc_crawler.frontier.redis.stats import RedisLook, SharedStats
from gwc_crawler.frontier.redis.wire import TYPES
