"""Secrets, rules, and what is said of settings and answers that cannot be right; against small real servers."""

from __future__ import annotations

import os
import socket

import candela_client
from candela_client import Client
from servers import KEY, PROMPT, ClientTest, Handler, answers, prompt


class GetSecrets(ClientTest):
    SECRETS = {"OPENAI_API_KEY": 'sk-"quoted"\\n\n\u00e9\U0001f511', "CLIENT_TEST_OTHER": "b"}

    def test_gives_names_and_values(self) -> None:
        server = self.serve(answers(200, {"err": {}, "res": self.SECRETS}))
        got = self.client(server).get_secrets(key="OPENAI_API_KEY", tags="llm")
        self.assertEqual(got, self.SECRETS)
        self.assertEqual(server.seen[0]["path"], "/api/vault/get-secrets")
        self.assertEqual(
            server.seen[0]["body"],
            {"key": "OPENAI_API_KEY", "tags": ["llm"], "metaProperties": {}, "source": "candela-python"},
        )
        self.assertNotIn("CLIENT_TEST_OTHER", os.environ)

    def test_puts_all_of_them_into_the_environment_or_none(self) -> None:
        server = self.serve(
            answers(200, {"err": None, "res": {"CLIENT_TEST_A": "a", "CLIENT_TEST_B": "b"}}),
            answers(200, {"err": None, "res": {"CLIENT_TEST_A": "changed", "NOT A NAME=": "x"}}),
        )
        client = self.client(server)
        with self.environment():
            client.get_secrets(should_set_env=True)
            self.assertEqual((os.environ["CLIENT_TEST_A"], os.environ["CLIENT_TEST_B"]), ("a", "b"))
            error = self.error_of(lambda: client.get_secrets(should_set_env=True))
            self.assertIn("NOT A NAME=", str(error))
            self.assertEqual(os.environ["CLIENT_TEST_A"], "a")

    def test_is_not_held(self) -> None:
        server = self.serve(*(answers(200, {"err": None, "res": {"A": value}}) for value in "12"))
        client = self.client(server)
        self.assertEqual([client.get_secrets(), client.get_secrets()], [{"A": "1"}, {"A": "2"}])


class CheckBudget(ClientTest):
    def test_asks_about_what_is_given_and_says_what_is_spent(self) -> None:
        spent = {"budget": "Users", "scope": "user", "value": "a b&c", "percent": 110, "limitUsd": 10, "blocks": True}
        server = self.serve(answers(200, {"data": {"allowed": False, "exceeded": [spent]}}))
        result = self.client(server).check_budget(user="a b&c", key="k 1")
        self.assertFalse(result.allowed)
        self.assertEqual((result.exceeded[0].value, result.exceeded[0].limit_usd), ("a b&c", 10))
        self.assertEqual(server.seen[0]["path"], "/api/budget/check?user=a+b%26c&key=k+1")

    def test_an_answer_of_something_else_is_never_a_yes(self) -> None:
        server = self.serve(answers(200, {"data": {"allowed": "yes"}}))
        client = self.client(server)
        self.assertEqual(self.error_of(lambda: client.check_budget()).code, "unexpected_answer")


class EvaluateRule(ClientTest):
    def test_sends_and_reads_what_the_route_speaks(self) -> None:
        context = {
            "id": "c-1",
            "name": "Refunds",
            "content": "Be kind.",
            "tags": ["support"],
            "meta_properties": {"a": 1},
            "status": "ACTIVE",
            "created_by": "ada@example.com",
            "created_at": "2026-01-02T03:04:05.000Z",
            "updated_at": "2026-01-02T03:04:05.000Z",
        }
        server = self.serve(
            answers(
                200,
                {
                    "matchingRuleIds": ["r-1"],
                    "entities": [{"rule_id": "r-1", "entity_type": "context", "entity_id": "c-1"}],
                    "entity_data": {"context:c-1": context, "context:gone": None, "prompt:p-1": PROMPT},
                },
            )
        )
        result = self.client(server).evaluate_rule(
            "context",
            {"model": "gpt-4o", "cost": 0.5, "stream": True},
            include_entity_data=True,
            entity_inputs={"variables": {"a": "b"}, "shouldCompile": False},
        )
        (seen,) = server.seen
        self.assertEqual(seen["path"], "/api/rule-engine/evaluate")
        self.assertEqual(seen["headers"]["content-type"], "application/json")
        self.assertEqual(seen["body"]["entity_type"], "context")
        self.assertEqual(seen["body"]["fields"], {"model": "gpt-4o", "cost": 0.5, "stream": True})
        self.assertIs(seen["body"]["include_entity_data"], True)
        self.assertEqual(seen["body"]["entity_inputs"], {"variables": {"a": "b"}, "shouldCompile": False})
        self.assertEqual(result.matching_rule_ids, ("r-1",))
        self.assertEqual(result.entities[0].entity_id, "c-1")
        found = result.contexts["c-1"]
        assert found is not None
        self.assertEqual((found.content, found.created_by), ("Be kind.", "ada@example.com"))
        self.assertIsNone(result.contexts["gone"])
        prompt_found = result.prompts["p-1"]
        assert prompt_found is not None
        self.assertEqual(prompt_found.compiled_prompt, "Hello Ada")

    def test_a_refusal_reads_as_the_platform_says_it(self) -> None:
        sentence = "entity_type is required and must be one of context, prompt, evaluation."
        server = self.serve(answers(400, {"err": sentence}, x_platform_error_code="bad_request"))
        error = self.error_of(lambda: self.client(server).evaluate_rule("alert", {"a": 1}))
        self.assertEqual((error.code, error.status, str(error)), ("bad_request", 400, sentence))


class WhatIsWrong(ClientTest):
    def test_settings_before_anything_is_sent(self) -> None:
        url = "http://localhost:3000"
        told = [
            (lambda: Client(api_key=KEY), "PLATFORM_URL"),
            (lambda: Client(url), "PLATFORM_API_KEY"),
            (lambda: Client(url, f"{KEY}\nx"), "line breaks"),
            (lambda: Client("http://me:secret@localhost", KEY), "user or password"),
            (lambda: Client("localhost:3000", KEY), "http://"),
            (lambda: Client("http://localhost:port", KEY), "not a URL"),
            (lambda: Client(url, KEY, retries=-1), "retries"),
            (lambda: Client(url, KEY, timeout=float("nan")), "timeout"),
            (lambda: Client(url, KEY, environment="a\r\nb: c"), "environment"),
            (lambda: Client(url, KEY).get_prompt(), "`name` or `prompt_id`"),
            (lambda: Client(url, KEY).evaluate_rule("context", {}), "fields"),
            (lambda: Client(url, KEY).get_prompt("a", variables={"x": object()}), "JSON"),  # type: ignore[dict-item]
        ]
        with self.environment():
            os.environ.pop("PLATFORM_URL", None)
            os.environ.pop("PLATFORM_API_KEY", None)
            for call, expected in told:
                error = self.error_of(call)
                self.assertEqual(error.code, "configuration")
                self.assertIn(expected, str(error))
                self.assertNotIn("secret", str(error))

    def test_the_environment_is_the_default_and_arguments_win(self) -> None:
        server = self.serve(answers(200, {"err": None, "res": {}}))
        with self.environment(PLATFORM_URL=server.url, PLATFORM_API_KEY=KEY):
            candela_client.get_secrets()
            candela_client.get_secrets(api_key="pk_other", environment="staging")
        with self.environment(PLATFORM_URL="http://127.0.0.1:9", PLATFORM_API_KEY=KEY):
            candela_client.get_secrets(url=server.url)
        self.assertEqual(
            [seen["headers"]["authorization"] for seen in server.seen],
            [f"Bearer {key}" for key in (KEY, "pk_other", KEY)],
        )
        self.assertEqual(server.seen[1]["headers"]["x-platform-environment"], "staging")

    def test_calls_without_a_client_hold_prompts_by_place(self) -> None:
        server = self.serve(prompt())
        for place in ({}, {}, {"environment": "staging"}, {"api_key": "pk_other"}):
            candela_client.get_prompt(**{"url": server.url, "api_key": KEY, "name": "greeting", **place})
        self.assertEqual(len(server.seen), 3)
        error = self.error_of(
            lambda: candela_client.evaluate_rule(server.url, KEY, entity_type="context", fields={"a": 1})
        )
        self.assertEqual(error.code, "unexpected_answer")

    def test_a_server_that_is_not_there(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
            error = self.error_of(Client(url, KEY, retries=0).get_secrets)
        self.assertEqual((error.code, error.status), ("unreachable", None))
        self.assertEqual(
            str(error),
            f"{url} cannot be reached (Connection refused). See that the address is right and the platform is running.",
        )

    def test_answers_of_something_else(self) -> None:
        for what, reply in {
            "a web page": lambda handler: handler.answer(200, b"<html>"),
            "a redirect": lambda handler: handler.answer(302, b"", {"location": "http://127.0.0.1:9/"}),
            "304 that was not asked for": lambda handler: handler.answer(304, b""),
            "no prompt": answers(200, {"err": None, "res": None}),
            "a prompt without its text": answers(200, {"err": None, "res": {**PROMPT, "compiledPrompt": 5}}),
            "a list": answers(200, []),
            "nesting without end": lambda handler: handler.answer(200, b"[" * 100_000),
        }.items():
            with self.subTest(what):
                server = self.serve(reply)
                error = self.error_of(lambda: self.client(server).get_prompt("greeting"))
                self.assertEqual(error.code, "unexpected_answer")
                self.assertEqual(len(server.seen), 1)

    def test_an_answer_without_end_is_cut_off(self) -> None:
        def endless(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("connection", "close")
            handler.end_headers()
            handler.close_connection = True
            for _ in range(64):
                handler.wfile.write(b" " * 1024 * 1024)

        server = self.serve(endless)
        self.assertIn("larger than", str(self.error_of(self.client(server, retries=0).get_secrets)))

    def test_an_answer_that_breaks_off_is_asked_for_again(self) -> None:
        def broken(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("content-length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"err":null,')
            handler.close_connection = True

        server = self.serve(broken, answers(200, {"err": None, "res": {"A": "b"}}))
        self.assertEqual(self.client(server).get_secrets(), {"A": "b"})

    def test_a_key_that_something_else_repeats_is_not_passed_on(self) -> None:
        server = self.serve(answers(401, {"err": f"The token {KEY} is bad"}))
        error = self.error_of(self.client(server).get_secrets)
        self.assertEqual((error.code, str(error)), ("failed", "The token [API key] is bad"))
