"""The one exception of this library."""

from __future__ import annotations

from typing import Optional


class CandelaError(Exception):
    """Every failure of a call. ``str(error)`` is a sentence for people, ``code`` is for programs.

    Codes of this library: ``configuration`` (nothing was sent: a setting or parameter is missing or cannot be right),
    ``unreachable``, ``timeout``, ``unexpected_answer`` (the address is that of something else). All others are the
    platform's own, such as ``unknown_credential``, ``not_found`` or ``rate_limited``.
    """

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        #: HTTP status of the answer; None when there was none.
        self.status = status
        #: ``x-request-id`` of the answer, to be quoted to who runs the platform.
        self.request_id = request_id
        #: Seconds after which the platform asked to be tried again.
        self.retry_after_seconds = retry_after_seconds
        #: Whether the same call may succeed later.
        self.retryable = retryable


def misconfigured(sentence: str) -> CandelaError:
    """A parameter or setting that cannot be right, said before anything is sent."""
    return CandelaError("configuration", sentence)


def unexpected(what: str) -> CandelaError:
    """``what`` names the part of the answer that is wrong; never its value, which may be a secret."""
    return CandelaError(
        "unexpected_answer",
        f'The answer of the platform is not as expected at "{what}". See that the address is that of a Candela '
        "platform and that this library is not older than it.",
    )
