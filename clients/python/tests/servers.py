"""Small real servers that answer as they are told."""

from __future__ import annotations

import json
import os
import ssl
import threading
import traceback
import unittest
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator, Optional
from unittest import mock

from candela_client import CandelaError, Client

KEY = "pk_test1234_0123456789abcdefghijABCDEFGHIJ0123456789abc"
PROMPT = {
    "promptId": "0b7ff0a1-6e0f-4c53-9b86-000000000001",
    "versionId": "0b7ff0a1-6e0f-4c53-9b86-000000000002",
    "name": "greeting",
    "version": "1.2.0",
    "tags": ["chat"],
    "metaProperties": {"owner": "docs"},
    "prompt": "Hello {{name}}",
    "compiledPrompt": "Hello Ada",
    "missing": ["place"],
    "unused": ["n"],
}
#: What a chat prompt has beside.
CHAT = {
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello Ada"}],
    "modelSettings": {"model": "gpt-5.4", "temperature": 0.2},
    "tools": [{"name": "search", "parameters": {"type": "object"}}],
    "responseFormat": {"type": "json_schema", "name": "reply", "schema": {"type": "object"}},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        with self.server.lock:
            self.server.seen.append(
                {
                    "path": self.path,
                    "headers": {k.lower(): v for k, v in self.headers.items()},
                    "body": json.loads(body or b"{}"),
                    "connection": self.client_address,
                }
            )
            reply = self.server.replies[min(len(self.server.seen), len(self.server.replies)) - 1]
        reply(self)

    do_GET = do_POST

    def answer(self, status: int, body: bytes, headers: Optional[dict[str, str]] = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        pass


Reply = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    """Gives its replies one after another, the last one for ever."""

    daemon_threads = True
    #: Speaks TLS with it; None: plain.
    tls: Optional[ssl.SSLContext] = None

    def __init__(self, *replies: Reply) -> None:
        self.replies = replies
        self.seen: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In the thread of the connection: a handshake that fails ends nothing else."""
        if self.tls is not None:
            request = self.tls.wrap_socket(request, server_side=True)
        try:
            super().finish_request(request, client_address)
        finally:
            request.close()

    def handle_error(self, *_args: Any) -> None:
        """A client that hangs up is part of these tests."""

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


def answers(status: int, body: Any, **headers: str) -> Reply:
    text = json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.answer(status, text, {"content-type": "application/json", **named})


def prompt(over: Optional[dict[str, Any]] = None, **headers: str) -> Reply:
    return answers(200, {"err": None, "res": {**PROMPT, **(over or {})}}, **headers)


def failure(code: str, err: str, res: Any = None, **headers: str) -> Reply:
    return answers(200, {"err": err, "res": res}, x_platform_error_code=code, x_request_id="req-7", **headers)


def hang_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.close()


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        # A busy machine may need longer between two calls than a connection is kept.
        kept = mock.patch("candela_client._transport._MAX_IDLE", 600.0)
        kept.start()
        self.addCleanup(kept.stop)

    def serve(self, *replies: Reply) -> Server:
        server = Server(*replies)
        self.addCleanup(server.stop)
        return server

    def client(self, server: Server, **options: Any) -> Client:
        client = Client(server.url, KEY, **options)
        self.addCleanup(client.close)
        return client

    def error_of(self, call: Callable[[], Any]) -> CandelaError:
        with self.assertRaises(CandelaError) as caught:
            call()
        error = caught.exception
        told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.assertNotIn(KEY, told + repr(vars(error)))
        return error

    @contextmanager
    def environment(self, **variables: str) -> Iterator[None]:
        before = dict(os.environ)
        os.environ.update(variables)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
