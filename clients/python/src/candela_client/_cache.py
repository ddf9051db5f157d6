"""What was fetched and how long it is good for."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ._errors import CandelaError

#: Seconds. After a failed refresh the older copy is given out for this long before the platform is asked again.
_QUIET_AFTER_FAILURE = 5.0
#: Seconds. Longest quiet that a ``Retry-After`` may ask for.
_MAX_QUIET = 60.0
#: Characters of all copies together.
_MAX_TOTAL_SIZE = 32 * 1024 * 1024


@dataclass(frozen=True)
class Held:
    value: Any
    #: The platform did not confirm the value because of this; None when it is good.
    stale_because: Optional[CandelaError]


@dataclass
class _Entry:
    value: Any
    etag: Optional[str]
    size: int
    confirmed_at: float
    quiet_until: float = 0.0
    failure: Optional[CandelaError] = None


def _may_be_bridged(error: CandelaError) -> bool:
    """Failures that say nothing of the prompt: an older copy serves meanwhile. Others are decisions of the platform (a
    deleted prompt, a revoked key) and hold at once."""
    return error.retryable or error.code in ("unreachable", "unexpected_answer", "internal")


class PromptCache:
    """Least recently used first; used by several threads at once."""

    def __init__(
        self, ttl: float, stale: float, entries: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._ttl = ttl
        self._stale = stale
        self._most = entries
        self._now = now
        self.reset()

    def reset(self) -> None:
        """For a forked child: a thread of the parent may have held the lock, in the middle of a change."""
        self._entries: "OrderedDict[str, _Entry]" = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def fresh(self, key: str) -> Optional[Held]:
        """The copy that needs no asking: a young one, or an older one shortly after a failed refresh."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            now = self._now()
            young = now - entry.confirmed_at < self._ttl
            if not young and (now >= entry.quiet_until or not self._bridges(entry, now)):
                return None
            self._entries.move_to_end(key)
            return Held(entry.value, None if young else entry.failure)

    def known(self, key: str) -> tuple[Optional[str], bool]:
        """The ETag to ask with, and whether the copy may serve if the platform does not."""
        with self._lock:
            entry = self._entries.get(key)
            return (None, False) if entry is None else (entry.etag, self._bridges(entry, self._now()))

    def confirm_unchanged(self, key: str) -> Optional[Held]:
        """None when the copy is gone by now."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            entry.confirmed_at, entry.quiet_until, entry.failure = self._now(), 0.0, None
            self._entries.move_to_end(key)
            return Held(entry.value, None)

    def confirm(self, key: str, value: Any, etag: Optional[str], size: int) -> Held:
        with self._lock:
            self._drop(key)
            if size <= _MAX_TOTAL_SIZE and (self._ttl > 0 or self._stale > 0):
                self._entries[key] = _Entry(value, etag, size, self._now())
                self._size += size
                while len(self._entries) > self._most or self._size > _MAX_TOTAL_SIZE:
                    self._drop(next(iter(self._entries)))
            return Held(value, None)

    def failed(self, key: str, error: CandelaError) -> Held:
        """What serves after a failed refresh; raises the failure when nothing may."""
        with self._lock:
            entry = self._entries.get(key)
            now = self._now()
            bridged = _may_be_bridged(error)
            if entry is not None and bridged and self._bridges(entry, now):
                asked = min(_MAX_QUIET, error.retry_after_seconds or 0.0)
                entry.failure = error
                entry.quiet_until = now + max(_QUIET_AFTER_FAILURE, asked)
                return Held(entry.value, error)
            if not bridged:
                self._drop(key)
        raise error

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._entries.clear()
            self._size = 0

    def _bridges(self, entry: _Entry, now: float) -> bool:
        return now - entry.confirmed_at < self._ttl + self._stale

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry.size


class _Abandoned(Exception):
    """Who made the request was interrupted; it says nothing of the request."""


class Flights:
    """Equal calls of several threads at the same time share one request."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._running: dict[str, "Future[Any]"] = {}
        self._lock = threading.Lock()

    def join(self, key: str, start: Callable[[], Any]) -> Any:
        while True:
            with self._lock:
                running = self._running.get(key)
                if running is None:
                    mine: "Future[Any]" = Future()
                    self._running[key] = mine
                    break
            try:
                return running.result()
            except _Abandoned:
                continue
        try:
            result = start()
        except CandelaError as error:
            self._land(key)
            mine.set_exception(error)
            raise
        except BaseException:
            self._land(key)
            mine.set_exception(_Abandoned())
            raise
        self._land(key)
        mine.set_result(result)
        return result

    def _land(self, key: str) -> None:
        with self._lock:
            self._running.pop(key, None)
