"""One attempt of a call, and its repetition."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any, Mapping, Optional

from ._deadline import Deadline, DeadlineSocket
from ._errors import CandelaError
from ._settings import Settings

#: Larger answers are cut off: no prompt and no set of secrets is near it.
_MAX_ANSWER_BYTES = 16 * 1024 * 1024
#: Longest sentence of a platform that is repeated in an error.
_MAX_SENTENCE_LENGTH = 1_000
#: Seconds. The first wait is up to this long, each further one up to twice the one before.
_BASE_WAIT = 0.2
_MAX_WAIT = 5.0
#: Seconds for which an unused connection is used again; servers close theirs after five or more.
_MAX_IDLE = 4.0

#: 502 and 504 are what proxies say while the platform restarts.
_RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
#: What may be sent back as it came.
_ETAG = re.compile(r'(W/)?"[\x21\x23-\x7e]*"')


@dataclass(frozen=True)
class Call:
    path: str
    #: None: a GET.
    content_type: Optional[str] = None
    #: JSON.
    body: str = ""
    #: ETag of the copy the caller holds.
    etag: Optional[str] = None


@dataclass(frozen=True)
class Answer:
    #: 200, or 304 when the caller's copy is still right.
    status: int
    etag: Optional[str]
    #: The JSON object of a 200; empty for a 304.
    body: Mapping[str, Any]


def retry_after_of(header: Optional[str], now: float) -> Optional[float]:
    """Seconds of a ``Retry-After``, which is a number or a date; None when there is none or it cannot be read."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header.strip()):
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def wait_before(number: int, retry_after: Optional[float], chance: float) -> float:
    """Seconds before attempt ``number`` + 1: full jitter (a random part of an exponentially growing bound), on top of
    what the platform asked for, so that many clients refused together do not come back together."""
    return (retry_after or 0.0) + chance * min(_MAX_WAIT, _BASE_WAIT * 2.0 ** (number - 1))


class _Connection:
    """A connection that is closed with whoever held it: a thread that ended, a client nobody uses any more."""

    def __init__(self, http_connection: http.client.HTTPConnection) -> None:
        self.http = http_connection
        self.used_at = 0.0
        self.process = os.getpid()

    def __del__(self) -> None:
        self.http.close()


class _Reusable(threading.local):
    """The connection of a thread, kept open between its calls."""

    connection: Optional[_Connection] = None


class Transport:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._local = _Reusable()
        self._tls: Optional[ssl.SSLContext] = settings.ssl_context
        if settings.scheme == "https" and self._tls is None:
            self._tls = ssl.create_default_context()

    def call(self, call: Call, retries: Optional[int] = None) -> Answer:
        """All calls only read, so each may be repeated. ``retries`` is 0 where an older copy is at hand."""
        settings = self._settings
        most = settings.retries if retries is None else retries
        ends_at = time.monotonic() + settings.total_timeout
        number = 0
        while True:
            number += 1
            try:
                left = ends_at - time.monotonic()
                return self._attempt(call, max(0.001, min(settings.timeout, left)))
            except CandelaError as error:
                if not error.retryable or number > most:
                    raise
                wait = wait_before(number, error.retry_after_seconds, random.random())
                # A wait that leaves no time to ask again only delays the error.
                if time.monotonic() + wait >= ends_at:
                    raise
            time.sleep(wait)

    def close(self) -> None:
        """Closes the connection of the calling thread."""
        connection, self._local.connection = self._local.connection, None
        if connection is not None:
            connection.http.close()

    def _attempt(self, call: Call, timeout: float) -> Answer:
        url = self._settings.url
        try:
            return self._exchange(call, Deadline(timeout))
        except CandelaError:
            self.close()
            raise
        except (socket.timeout, TimeoutError):
            self.close()
            raise CandelaError(
                "timeout",
                f"{url} gave no whole answer within {timeout:g} s. See that it is running, or give a longer timeout.",
                retryable=True,
            ) from None
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise CandelaError(
                "unreachable",
                f"The certificate of {url} is not trusted ({error.verify_message}). Give an `ssl_context` that trusts it, "
                "or set SSL_CERT_FILE.",
            ) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise CandelaError(
                "unreachable",
                f"{url} cannot be reached ({_reason_of(error)}). See that the address is right and the platform is running.",
                retryable=True,
            ) from error
        except BaseException:
            # An interrupted exchange leaves the connection in the middle of an answer.
            self.close()
            raise

    def _exchange(self, call: Call, deadline: Deadline) -> Answer:
        connection = self._local.connection
        # A child process shares its parent's connections and must not write to them.
        reused = (
            connection is not None
            and connection.process == os.getpid()
            and time.monotonic() - connection.used_at < _MAX_IDLE
        )
        if not reused:
            self.close()
        try:
            response = self._send(call, deadline)
        except (http.client.RemoteDisconnected, ConnectionError):
            if not reused:
                raise
            # The server closed it in the meantime. Every call only reads, so asking again is safe.
            self.close()
            response = self._send(call, deadline)
        text = _read(response)
        if response.will_close:
            self.close()
        elif self._local.connection is not None:
            self._local.connection.used_at = time.monotonic()
        return self._judge(call, response, text)

    def _send(self, call: Call, deadline: Deadline) -> http.client.HTTPResponse:
        settings, local = self._settings, self._local
        if local.connection is None:
            local.connection = _Connection(
                http.client.HTTPSConnection(settings.host, settings.port, context=self._tls)
                if settings.scheme == "https"
                else http.client.HTTPConnection(settings.host, settings.port)
            )
            connection = local.connection.http
            connection.timeout = deadline.left()
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = local.connection.http
        connection.response_class = _reading_until(deadline)
        connection.sock.settimeout(deadline.left())
        headers = {
            **settings.context_headers,
            "authorization": f"Bearer {settings.api_key}",
            "accept": "application/json",
        }
        if call.content_type is not None:
            headers["content-type"] = call.content_type
        if call.etag is not None:
            headers["if-none-match"] = call.etag
        is_get = call.content_type is None
        body = None if is_get else call.body.encode()
        connection.request("GET" if is_get else "POST", f"{settings.prefix}{call.path}", body, headers)
        return connection.getresponse()

    def _judge(self, call: Call, response: http.client.HTTPResponse, text: bytes) -> Answer:
        settings, status = self._settings, response.status
        etag = response.getheader("etag")
        if etag is not None and not _ETAG.fullmatch(etag):
            etag = None
        if status == 304 and call.etag is not None:
            return Answer(status, call.etag, {})
        body = _parse(text)
        sentence = None if body is None else _failure_of(body)
        if status == 200 and body is not None and sentence is None:
            return Answer(status, etag, body)
        code = response.getheader("x-platform-error-code")
        request_id = response.getheader("x-request-id")
        retry_after = retry_after_of(response.getheader("retry-after"), time.time())
        # A failure that passes says when, also in an envelope, whose status is always 200.
        retryable = status in _RETRYABLE_STATUSES or retry_after is not None
        if sentence is not None:
            # A platform does not repeat a key; something else that answers at this address might.
            said = sentence.replace(settings.api_key, "[API key]")[:_MAX_SENTENCE_LENGTH]
            named = code or {429: "rate_limited", 503: "overloaded"}.get(status, "failed")
        elif retryable:
            said = f"{settings.url} answered {status}: try again later."
            named = "rate_limited" if status == 429 else "overloaded"
        else:
            kind = (response.getheader("content-type") or "no content type").split(";")[0]
            what = "with a redirect" if 300 <= status < 400 else f"{status} ({kind})"
            said = (
                f"{settings.url}{call.path} answered {what}, which is no answer of Candela. See that the address (`url`, "
                "PLATFORM_URL) is that of the platform itself."
            )
            named = "unexpected_answer"
        raise CandelaError(
            named,
            said,
            status=status,
            request_id=request_id,
            retry_after_seconds=retry_after,
            retryable=retryable,
        )


def _reading_until(deadline: Deadline) -> Any:
    """The answers of a connection, read until the deadline."""

    def response(sock: socket.socket, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:
        reader: Any = DeadlineSocket(sock, deadline)
        return http.client.HTTPResponse(reader, *args, **kwargs)

    return response


def _read(response: http.client.HTTPResponse) -> bytes:
    text = response.read(_MAX_ANSWER_BYTES + 1)
    if len(text) > _MAX_ANSWER_BYTES:
        raise CandelaError("unexpected_answer", f"The answer is larger than {_MAX_ANSWER_BYTES} bytes.")
    if response.length:
        raise http.client.IncompleteRead(text, response.length)
    return text


def _parse(text: bytes) -> Optional[dict[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _failure_of(body: Mapping[str, Any]) -> Optional[str]:
    """The sentence of a failure; None for a success: ``err`` absent, null or, as old servers say it, ``{}``."""
    err = body.get("err")
    if err is None or err == {}:
        return None
    return err if isinstance(err, str) else json.dumps(err)


def _reason_of(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
