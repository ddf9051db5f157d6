"""A platform with a certificate of its own."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest

from candela_client import Client
from servers import KEY, ClientTest, Handler, Server, answers, failure


@unittest.skipUnless(shutil.which("openssl"), "makes its certificate with openssl")
class Tls(ClientTest):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            + ["-keyout", key, "-out", cls.certificate, "-days", "2", "-subj", "/CN=localhost"]
            + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
            check=True,
            capture_output=True,
        )
        cls.serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.serving.load_cert_chain(cls.certificate, key)

    def secure(self, server: Server) -> str:
        server.tls = self.serving
        self.addCleanup(server.stop)
        return server.url.replace("http://", "https://")

    def test_is_trusted_when_it_is_given(self) -> None:
        server = Server(answers(200, {"err": None, "res": {"A": "b"}}))
        url = self.secure(server)
        client = Client(url, KEY, ssl_context=ssl.create_default_context(cafile=self.certificate))
        self.addCleanup(client.close)
        self.assertEqual([client.get_secrets(), client.get_secrets()], [{"A": "b"}] * 2)
        # One connection for both, and an answer that closes it is read whole.
        self.assertEqual(len({seen["connection"] for seen in server.seen}), 1)
        closing = Server(answers(200, {"err": None, "res": {"A": "b" * 300_000}}, connection="close"))
        closed = Client(self.secure(closing), KEY, ssl_context=client._settings.ssl_context)
        self.assertEqual(len(closed.get_secrets()["A"]), 300_000)

    def test_is_refused_otherwise_and_the_error_says_what_to_do(self) -> None:
        server = Server(failure("overloaded", "never sent", retry_after="0"))
        error = self.error_of(Client(self.secure(server), KEY).get_secrets)
        self.assertEqual((error.code, error.retryable), ("unreachable", False))
        self.assertIn("ssl_context", str(error))
        self.assertEqual(server.seen, [])

    def test_an_answer_that_trickles_ends_in_time(self) -> None:
        stopped = threading.Event()
        self.addCleanup(stopped.set)

        def trickle(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("content-length", "1000000")
            handler.end_headers()
            while not stopped.wait(0.02):
                handler.wfile.write(b" ")
                handler.wfile.flush()

        trusted = ssl.create_default_context(cafile=self.certificate)
        client = Client(self.secure(Server(trickle)), KEY, ssl_context=trusted, timeout=1.0, retries=0)
        self.assertEqual(self.error_of(client.get_secrets).code, "timeout")
