"""Prompts, repetition and connections, against small real servers."""

from __future__ import annotations

import gc
import os
import threading
import unittest
import warnings

from candela_client import Client
from servers import CHAT, KEY, PROMPT, ClientTest, Handler, answers, failure, hang_up, prompt


class GetPrompt(ClientTest):
    def test_sends_what_the_route_reads_and_gives_the_prompt(self) -> None:
        server = self.serve(prompt())
        client = Client(
            f"{server.url}//",
            KEY,
            environment="staging",
            project_id="p-1",
            database_config_id="d-1",
            meta_properties={"applicationName": "checkout", "team": "a"},
        )
        result = client.get_prompt(
            name="greeting",
            version="1.x",
            should_compile=True,
            variables={"name": "Ada", "n": 3},
            meta_properties={"team": "b"},
        )
        client.close()
        (seen,) = server.seen
        self.assertEqual(seen["path"], "/api/prompt/get-compiled")
        sent = seen["headers"]
        self.assertEqual(sent["authorization"], f"Bearer {KEY}")
        self.assertEqual(sent["content-type"], "text/plain;charset=UTF-8")
        self.assertEqual(sent["x-platform-environment"], "staging")
        self.assertEqual(sent["x-platform-project-id"], "p-1")
        self.assertEqual(sent["x-platform-database-config-id"], "d-1")
        self.assertEqual(
            seen["body"],
            {
                "name": "greeting",
                "version": "1.x",
                "compile": True,
                "variables": {"name": "Ada", "n": 3},
                "metaProperties": {"applicationName": "checkout", "team": "b"},
                "source": "candela-python",
            },
        )
        self.assertEqual(
            (result.name, result.version, result.compiled_prompt), ("greeting", "1.2.0", "Hello Ada")
        )
        self.assertEqual((result.tags, result.meta_properties), (("chat",), {"owner": "docs"}))
        self.assertEqual((result.missing, result.unused), (("place",), ("n",)))
        self.assertEqual((result.stale, result.stale_because), (False, None))
        self.assertEqual(
            result.span_attributes,
            {
                "gen_ai.prompt.name": "greeting",
                "gen_ai.prompt.version": "1.2.0",
                "platform.prompt.id": PROMPT["promptId"],
            },
        )

    def test_gives_what_a_chat_prompt_has_beside_its_text(self) -> None:
        server = self.serve(prompt(CHAT), prompt({"messages": [{"role": "user"}]}), prompt({"tools": [{}]}), prompt())
        client = self.client(server)
        chat = client.get_prompt("chat")
        self.assertEqual(list(chat.messages), CHAT["messages"])
        self.assertEqual((chat.model_settings, list(chat.tools)), (CHAT["modelSettings"], CHAT["tools"]))
        self.assertEqual(chat.response_format, CHAT["responseFormat"])
        chat.tools[0]["parameters"]["type"] = "spoilt"  # type: ignore[index]
        self.assertEqual(list(client.get_prompt("chat").tools), CHAT["tools"])
        for name, wrong in (("a", "res.messages.content"), ("b", "res.tools.name")):
            error = self.error_of(lambda: client.get_prompt(name))
            self.assertEqual(error.code, "unexpected_answer")
            self.assertIn(wrong, str(error))
        plain = client.get_prompt("plain")
        self.assertEqual((plain.messages, plain.model_settings, plain.tools, plain.response_format), ((), {}, (), None))

    def test_asks_once_for_what_it_holds_and_callers_cannot_spoil_it(self) -> None:
        server = self.serve(prompt())
        client = self.client(server)
        client.get_prompt("greeting").meta_properties["owner"] = "spoilt"  # type: ignore[index]
        self.assertEqual(client.get_prompt("greeting").meta_properties, {"owner": "docs"})
        self.assertEqual(len(server.seen), 1)
        client.get_prompt("greeting", version="1.2.0")
        client.clear_prompt_cache()
        client.get_prompt("greeting")
        self.assertEqual(len(server.seen), 3)

    def test_asks_with_the_etag_of_its_copy(self) -> None:
        server = self.serve(
            prompt(etag='"v1"'),
            lambda handler: handler.answer(304, b"", {"etag": '"v1"'}),
            prompt({"version": "1.3.0"}, etag='"v2"'),
        )
        client = self.client(server, cache_ttl=0)
        self.assertEqual(
            [client.get_prompt("greeting").version for _ in range(3)], ["1.2.0", "1.2.0", "1.3.0"]
        )
        self.assertEqual(
            [seen["headers"].get("if-none-match") for seen in server.seen], [None, '"v1"', '"v1"']
        )

    def test_gives_an_older_copy_marked_while_the_platform_cannot_be_asked(self) -> None:
        server = self.serve(prompt(), failure("overloaded", "Busy.", retry_after="0"))
        client = self.client(server, cache_ttl=0)
        self.assertFalse(client.get_prompt("greeting").stale)
        stale = client.get_prompt("greeting")
        self.assertTrue(stale.stale)
        self.assertEqual(stale.compiled_prompt, "Hello Ada")
        assert stale.stale_because is not None
        self.assertEqual(stale.stale_because.code, "overloaded")
        # A copy at hand is given at once, and the platform is left alone for a while.
        client.get_prompt("greeting")
        self.assertEqual(len(server.seen), 2)

    def test_a_decision_of_the_platform_holds_at_once(self) -> None:
        server = self.serve(
            prompt(),
            failure("not_found", "It was not found."),
            failure("overloaded", "Busy.", retry_after="0"),
        )
        client = self.client(server, cache_ttl=0, retries=0)
        client.get_prompt("greeting")
        self.assertEqual(self.error_of(lambda: client.get_prompt("greeting")).code, "not_found")
        self.assertEqual(self.error_of(lambda: client.get_prompt("greeting")).code, "overloaded")

    def test_equal_calls_of_several_threads_share_one_request(self) -> None:
        arrived, go = threading.Event(), threading.Event()

        def reply(handler: Handler) -> None:
            arrived.set()
            go.wait(60)
            prompt()(handler)

        server = self.serve(reply)
        client = self.client(server)
        names: list[str] = []

        def ask() -> None:
            names.append(client.get_prompt("greeting").name)
            client.close()

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        self.assertTrue(arrived.wait(60))
        go.set()
        for thread in threads:
            thread.join(60)
        self.assertEqual(names, ["greeting"] * 8)
        self.assertEqual(len(server.seen), 1)

    def test_many_threads_at_once(self) -> None:
        server = self.serve(lambda handler: prompt({"name": "any"})(handler))
        client = self.client(server, cache_entries=5)
        failed: list[BaseException] = []

        def ask(number: int) -> None:
            try:
                for i in range(30):
                    client.get_prompt(f"prompt-{(number + i) % 9}")
                client.close()
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual(failed, [])

    @unittest.skipUnless(hasattr(os, "fork"), "this machine cannot fork")
    def test_works_in_a_forked_child_that_shares_the_connection(self) -> None:
        server = self.serve(lambda handler: answers(200, {"err": None, "res": {"A": "b"}})(handler))
        client = self.client(server)
        client.get_secrets()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if client.get_secrets() == {"A": "b"} else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(client.get_secrets(), {"A": "b"})
        connections = [seen["connection"] for seen in server.seen]
        self.assertEqual(connections[0], connections[2])
        self.assertNotEqual(connections[0], connections[1])


class Repeating(ClientTest):
    def test_asks_again(self) -> None:
        for what, reply in {
            "429": answers(429, {"err": "Too many requests."}, retry_after="0"),
            "503": answers(503, {"err": "Busy."}, retry_after="0"),
            "502 of a proxy": lambda handler: handler.answer(502, b"<html>bad gateway</html>"),
            "200 that carries rate_limited": failure("rate_limited", "Too many.", retry_after="0"),
            "200 that carries metadata_unavailable": failure(
                "metadata_unavailable", "Later.", retry_after="0"
            ),
            "broken connection": hang_up,
        }.items():
            with self.subTest(what):
                server = self.serve(reply, reply, prompt())
                self.assertEqual(self.client(server).get_prompt("greeting").name, "greeting")
                self.assertEqual(len(server.seen), 3)

    def test_gives_up_after_the_retries_it_was_given(self) -> None:
        server = self.serve(failure("rate_limited", "Too many requests.", retry_after="0"))
        client = self.client(server, retries=2)
        error = self.error_of(client.get_secrets)
        self.assertEqual((error.code, error.retryable, error.request_id), ("rate_limited", True, "req-7"))
        self.assertEqual((error.status, error.retry_after_seconds), (200, 0.0))
        self.assertEqual(len(server.seen), 3)

    def test_does_not_wait_for_longer_than_the_whole_call_may_take(self) -> None:
        server = self.serve(answers(503, {"err": "Away for an hour."}, retry_after="3600"))
        error = self.error_of(self.client(server).get_secrets)
        self.assertEqual((error.code, str(error)), ("overloaded", "Away for an hour."))
        self.assertEqual(len(server.seen), 1)

    def test_a_refusal_is_not_repeated(self) -> None:
        sentence = "The API key is not known or was revoked."
        server = self.serve(failure("unknown_credential", sentence, {}))
        error = self.error_of(self.client(server).get_secrets)
        self.assertEqual((error.code, str(error), error.retryable), ("unknown_credential", sentence, False))
        self.assertEqual(len(server.seen), 1)

    def test_silence_ends_in_time(self) -> None:
        released = threading.Event()
        self.addCleanup(released.set)
        server = self.serve(lambda handler: released.wait(60) and None)
        error = self.error_of(self.client(server, timeout=0.05, retries=1).get_secrets)
        self.assertEqual((error.code, error.retryable), ("timeout", True))

    def test_an_answer_that_trickles_ends_in_time_too(self) -> None:
        stopped = threading.Event()
        self.addCleanup(stopped.set)

        def trickle(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("content-length", "1000000")
            handler.end_headers()
            while not stopped.wait(0.02):
                handler.wfile.write(b" ")
                handler.wfile.flush()

        server = self.serve(trickle)
        # Each piece arrives well within the timeout; only their sum does not.
        self.assertEqual(
            self.error_of(self.client(server, timeout=0.5, retries=0).get_secrets).code, "timeout"
        )

    def test_a_connection_is_used_again_and_a_closed_one_replaced(self) -> None:
        secrets = {"err": None, "res": {}}
        server = self.serve(
            answers(200, secrets),
            answers(200, secrets),
            # Says that it keeps the connection, and closes it.
            lambda handler: (
                (answers(200, secrets)(handler), setattr(handler, "close_connection", True)) and None
            ),
            answers(200, secrets),
            answers(200, secrets, connection="close"),
            answers(200, secrets),
        )
        client = self.client(server, retries=0)
        for _ in range(6):
            self.assertEqual(client.get_secrets(), {})
        used = [seen["connection"] for seen in server.seen]
        self.assertEqual(used[0], used[1])
        self.assertEqual(used[1], used[2])
        self.assertEqual(used[3], used[4])
        self.assertEqual(len(set(used)), 3)

    def test_a_thread_that_ends_leaves_no_connection_open(self) -> None:
        server = self.serve(answers(200, {"err": None, "res": {}}))
        client = self.client(server)
        # An open socket that is collected is a ResourceWarning, which the runner makes an error.
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(3):
                thread = threading.Thread(target=client.get_secrets)
                thread.start()
                thread.join(60)
            gc.collect()
        self.assertEqual([str(warning.message) for warning in caught], [])
        self.assertEqual(len({seen["connection"] for seen in server.seen}), 3)
