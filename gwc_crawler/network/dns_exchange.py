"""One question to one name server, and its answer: by dnspython, over UDP, TCP or TLS. Called by `dns_servers`.

The only module that loads dnspython, which takes longer than the first page: at the first question. An answer counts
if its number, its question and the server's address are those of the question; an answer too long for a datagram is
fetched by TCP as a whole.
"""

from __future__ import annotations

import dns.asyncquery
import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype

from gwc_crawler.network.dns_answer import NOTHING_SECONDS, AddressFamily, Reply, ServerAddress, UnusableError

KINDS = {AddressFamily.IPV4: dns.rdatatype.A, AddressFamily.IPV6: dns.rdatatype.AAAA}


async def ask_server(server: ServerAddress, name: str, family: AddressFamily, seconds: float) -> Reply:
    """Ask for the addresses of a name.

    Raises:
        TimeoutError: there is no answer in time.
        UnusableError: the server can't be reached, refuses, or says nothing that can be used.
    """
    try:
        return _read(await _exchanged(server, name, family, seconds))
    except (dns.exception.Timeout, TimeoutError) as error:
        raise TimeoutError("no answer in time") from error
    except UnusableError:
        raise
    except Exception as error:  # what a stranger has sent may upset any part of the parser
        raise UnusableError(str(error) or type(error).__name__) from error


async def _exchanged(
    server: ServerAddress, name: str, family: AddressFamily, seconds: float
) -> dns.message.QueryMessage:
    request = dns.message.make_query(dns.name.from_text(name), KINDS[family])
    if server.tls:
        hostname = server.name or None
        message = await dns.asyncquery.tls(request, server.address, seconds, server.port, server_hostname=hostname)
    else:
        message, _ = await dns.asyncquery.udp_with_fallback(
            request, server.address, seconds, server.port, ignore_unexpected=True, ignore_errors=True
        )
    if not isinstance(message, dns.message.QueryMessage):
        raise UnusableError("it answers another question")
    return message


def _read(message: dns.message.QueryMessage) -> Reply:
    rcode = message.rcode()
    if rcode not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
        raise UnusableError(dns.rcode.to_text(rcode))
    chain = message.resolve_chaining()
    if chain.answer is not None:
        addresses = dict.fromkeys(str(one.address) for one in chain.answer)
        return Reply(tuple(addresses), float(chain.minimum_ttl))
    authority = {one.rdtype for one in message.authority}
    if dns.rdatatype.SOA in authority:
        return Reply((), float(chain.minimum_ttl))
    if rcode == dns.rcode.NXDOMAIN:
        return Reply((), NOTHING_SECONDS)
    if chain.cnames:
        return Reply((), float(chain.minimum_ttl), alias=chain.canonical_name.to_text(omit_final_dot=True))
    if dns.rdatatype.NS in authority:  # RFC 2308, §2.2.1: a referral, so it is not in charge of the name
        raise UnusableError("it knows nothing of the name, and sends elsewhere")
    return Reply((), NOTHING_SECONDS)
