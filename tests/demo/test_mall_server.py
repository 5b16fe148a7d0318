"""The mall on a socket: what it serves, what it counts, and every way in which it can misbehave."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gwc_crawler.demo.__main__ import main
from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer
from gwc_crawler.demo.serving import Faults, parse_faults
from gwc_crawler.errors import InputError
from tests.mall_truth import truth_of

MALL = Mall(seed=1, size=30)
PRODUCT = next(iter(MALL.records))


@pytest.fixture
def server() -> Iterator[MallServer]:
    with MallServer(MALL) as running:
        yield running


class Answer:
    """One GET on a connection of its own."""

    def __init__(self, server: MallServer, target: str) -> None:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
        try:
            connection.request("GET", target)
            response = connection.getresponse()
            self.status = response.status
            self.headers = response.headers
            self.body = response.read()
        finally:
            connection.close()


def test_pages_come_as_the_mall_wrote_them(server: MallServer) -> None:
    for path in sorted(truth_of(MALL).in_scope | truth_of(MALL).info):
        page, answer = MALL.page(path), Answer(server, path)
        assert page is not None
        assert (answer.status, answer.body) == (page.status, page.body)
        assert answer.headers["Content-Type"] == page.content_type
        assert answer.headers.get("Location", "") == page.location


def test_robots_txt_forbids_the_area_that_the_truth_names(server: MallServer) -> None:
    rules = Answer(server, "/robots.txt").body.decode()
    prefixes = [line.partition(": ")[2] for line in rules.splitlines() if line.startswith("Disallow")]
    assert truth_of(MALL).disallowed
    assert all(any(path.startswith(prefix) for prefix in prefixes) for path in truth_of(MALL).disallowed)
    assert not any(path.startswith(tuple(prefixes)) for path in truth_of(MALL).in_scope)


def test_hits_are_counted_per_target_and_logged_in_order(server: MallServer) -> None:
    for target in ("/", PRODUCT, PRODUCT, f"{PRODUCT}?sid=1", "/nothing"):
        Answer(server, target)
    assert server.hits == {"/": 1, PRODUCT: 2, f"{PRODUCT}?sid=1": 1, "/nothing": 1}
    assert [request.path for request in server.log] == ["/", PRODUCT, PRODUCT, PRODUCT, "/nothing"]
    arrivals = [request.arrived for request in server.log]
    assert arrivals == sorted(arrivals)


def test_one_connection_serves_many_requests(server: MallServer) -> None:
    connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
    for _ in range(3):
        connection.request("GET", "/")
        assert len(connection.getresponse().read()) == len(MALL.page("/").body)
    assert len(server.connections) == 1
    connection.close()


def test_a_head_request_gets_no_body(server: MallServer) -> None:
    connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
    for _ in range(2):
        connection.request("HEAD", "/")
        assert connection.getresponse().read() == b""
    connection.close()


def test_slow_answers_come_late_and_side_by_side(server: MallServer) -> None:
    server.faults = Faults(slow_seconds=0.2)
    begun = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: Answer(server, "/"), range(4)))
    assert time.monotonic() - begun >= 0.2
    assert server.max_concurrent == 4


def test_every_kth_body_is_cut_off(server: MallServer) -> None:
    server.faults = Faults(cut_every=2)
    assert Answer(server, PRODUCT).status == 200
    with pytest.raises(http.client.IncompleteRead) as cut:
        Answer(server, PRODUCT)
    assert MALL.page(PRODUCT).body.startswith(cut.value.partial)


def test_every_kth_content_type_names_a_wrong_charset(server: MallServer) -> None:
    server.faults = Faults(wrong_charset_every=2)
    types = [Answer(server, PRODUCT).headers["Content-Type"] for _ in range(4)]
    right = MALL.page(PRODUCT).content_type
    assert types[0::2] == [right, right]
    assert right not in types[1::2]


def test_the_first_requests_of_a_path_get_429_with_retry_after(server: MallServer) -> None:
    server.faults = Faults(too_many_first=2, retry_after_seconds=7)
    answers = [Answer(server, PRODUCT) for _ in range(3)] + [Answer(server, "/")]
    assert [answer.status for answer in answers] == [429, 429, 200, 429]
    assert answers[0].headers["Retry-After"] == "7"


def test_every_kth_request_gets_429(server: MallServer) -> None:
    server.faults = Faults(too_many_every=3)
    assert [Answer(server, "/").status for _ in range(6)] == [200, 200, 429, 200, 200, 429]


def test_the_site_is_unavailable_for_a_while(server: MallServer) -> None:
    server.faults = Faults(unavailable_seconds=0.3)
    first = Answer(server, "/")
    time.sleep(0.35)
    assert (first.status, first.headers["Retry-After"], Answer(server, "/").status) == (503, "1", 200)


def test_the_first_requests_of_a_path_get_503(server: MallServer) -> None:
    server.faults = Faults(unavailable_first=1)
    assert [Answer(server, "/").status for _ in range(2)] == [503, 200]


def test_every_kth_connection_is_reset(server: MallServer) -> None:
    server.faults = Faults(reset_every=2)
    Answer(server, "/")
    with pytest.raises(ConnectionResetError):
        Answer(server, "/")


def test_loops_redirect_to_each_other_and_home_leads_there_on_request(server: MallServer) -> None:
    assert [Answer(server, path).headers["Location"] for path in ("/loop/a", "/loop/b")] == ["/loop/b", "/loop/a"]
    assert b"/item/790001.html" not in Answer(server, "/").body
    server.faults = Faults(loop=True)
    assert b"/item/790001.html" in Answer(server, "/").body
    assert Answer(server, "/item/790001.html").headers["Location"] == "/item/790002.html"
    assert Answer(server, "/item/790002.html").headers["Location"] == "/item/790001.html"


@pytest.mark.dear
def test_a_small_gzip_body_inflates_to_hundreds_of_megabytes(server: MallServer) -> None:
    server.faults = Faults(bomb=True)
    assert b"/item/790003.html" in Answer(server, "/").body
    answer = Answer(server, "/bomb")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(answer.body) < 1_000_000
    unpacker, size, rest = zlib.decompressobj(31), 0, answer.body
    while rest:
        size += len(unpacker.decompress(rest, 1 << 22))
        rest = unpacker.unconsumed_tail
    assert size > 200_000_000


def test_only_the_chosen_paths_misbehave(server: MallServer) -> None:
    server.faults = Faults(unavailable_first=1, only="^/item/")
    assert [Answer(server, path).status for path in ("/", PRODUCT, PRODUCT)] == [200, 503, 200]


def test_robots_txt_behaves_unless_it_is_chosen(server: MallServer) -> None:
    server.faults = Faults(unavailable_first=1)
    assert Answer(server, "/robots.txt").status == 200
    server.faults = Faults(unavailable_first=1, only="robots")
    assert Answer(server, "/robots.txt").status == 503


def test_faults_are_read_from_text() -> None:
    assert parse_faults("slow=0.2, cut=7,429=1,loop,only=^/item/") == Faults(
        slow_seconds=0.2, cut_every=7, too_many_first=1, loop=True, only="^/item/"
    )
    assert parse_faults("") == Faults()


@pytest.mark.parametrize(
    ("text", "message"),
    [("slwo=1", "unknown fault 'slwo'"), ("cut=x", "cut needs"), ("cut=-1", "cut needs"), ("only=(", "regex")],
)
def test_a_wrong_fault_is_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_faults(text)


def test_a_taken_port_is_a_clear_error(server: MallServer, capsys) -> None:
    assert main(["--port", str(server.port), "--size", "30"]) == 2
    assert capsys.readouterr().err == (
        f"error: port {server.port}: Address already in use; try --port 0 for a free one\n"
    )


@pytest.mark.parametrize("options", [["--size", "3"], ["--misbehave", "nonsense"]])
def test_a_wrong_option_is_a_clear_error(options: list[str], capsys) -> None:
    assert main(options) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_the_command_prints_one_line_serves_and_ends_on_interrupt() -> None:
    command = [sys.executable, "-m", "gwc_crawler.demo", "--size", "30", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert client.recv(15) == b"HTTP/1.1 200 OK"
        process.send_signal(2)
        assert process.wait(timeout=10) == 0
        assert process.stdout.read() == ""


@pytest.mark.parametrize(("flag", "ends"), [("--with-starter", True), ("", False)])
def test_the_command_ends_with_who_started_it_if_that_is_asked_for(flag: str, ends: bool) -> None:
    command = [sys.executable, "-m", "gwc_crawler.demo", "--size", "30", "--port", "0", *filter(None, [flag])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as mall:
        assert mall.stdin is not None
        assert mall.stdout is not None
        assert b"Ctrl-C ends it" in mall.stdout.readline()
        assert mall.poll() is None
        mall.stdin.close()
        try:
            assert mall.wait(20 if ends else 1) == 0
            assert ends
        except subprocess.TimeoutExpired:
            assert not ends
        finally:
            mall.kill()
