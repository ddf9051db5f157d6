"""Sockets whose reads end at one moment in time.

A timeout of a socket counts from each piece anew, so a server that sends a byte now and then could hold a call for ever.
"""

from __future__ import annotations

import io
import socket
import time
from typing import Any


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: "Deadline") -> None:
        super().__init__()
        self._sock = sock
        # Holds the socket open, also when the connection lets go of it before the answer was read.
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._sock.settimeout(self._deadline.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class DeadlineSocket:
    """What an ``http.client.HTTPResponse`` uses of a socket: a file to read from."""

    def __init__(self, sock: socket.socket, deadline: "Deadline") -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, *_args: Any, **_kwargs: Any) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self._sock, self._deadline))


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the end; raises ``TimeoutError`` after it."""
        left = self._at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left
