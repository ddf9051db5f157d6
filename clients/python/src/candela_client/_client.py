"""The client and the functions that share one."""

from __future__ import annotations

import json
import os
import re
import ssl
import threading
import uuid
import urllib.parse
import weakref
from collections import OrderedDict
from typing import Any, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from ._cache import Flights, Held, PromptCache
from ._errors import CandelaError, misconfigured, unexpected
from ._results import BudgetResult, Prompt, RuleResult, read_budget, read_prompt, read_rules, read_secrets
from ._settings import resolve_settings
from ._transport import Call, Transport

Scalar = Union[str, int, float, bool]

#: What shipped clients of these routes send; the platform reads JSON whatever it is called.
_TEXT = "text/plain;charset=UTF-8"
_SOURCE = "candela-python"
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Clients made by the functions of this module; the least recently used one goes first.
_MAX_CLIENTS = 16


def _body(fields: Mapping[str, Any]) -> str:
    """JSON of what was given. Raises a ``CandelaError`` for values that JSON does not know."""
    try:
        return json.dumps({key: value for key, value in fields.items() if value is not None}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise misconfigured(f"A parameter cannot be sent as JSON: {error}.") from None


class Client:
    """A platform and a key. One client serves all threads of a program, and prompts are held between its calls.

    ``url`` and ``api_key`` default to ``PLATFORM_URL`` and ``PLATFORM_API_KEY``; ``environment``, ``project_id`` and
    ``database_config_id`` to those of the key. Times are seconds: ``timeout`` of one attempt, ``total_timeout`` of a call
    with all its attempts and waits, ``cache_ttl`` for which a prompt is used without asking, ``cache_stale`` for which an
    older copy serves while the platform cannot be reached (0: never).
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        environment: Optional[str] = None,
        project_id: Optional[str] = None,
        database_config_id: Optional[str] = None,
        timeout: float = 10.0,
        total_timeout: float = 30.0,
        retries: int = 3,
        cache_ttl: float = 60.0,
        cache_stale: float = 86_400.0,
        cache_entries: int = 500,
        meta_properties: Optional[Mapping[str, Any]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._settings = resolve_settings(
            url=url,
            api_key=api_key,
            environment=environment,
            project_id=project_id,
            database_config_id=database_config_id,
            timeout=timeout,
            total_timeout=total_timeout,
            retries=retries,
            cache_ttl=cache_ttl,
            cache_stale=cache_stale,
            cache_entries=cache_entries,
            meta_properties=meta_properties,
            ssl_context=ssl_context,
        )
        self._transport = Transport(self._settings)
        self._cache = PromptCache(cache_ttl, cache_stale, int(cache_entries))
        self._flights = Flights()
        _clients.add(self)

    def get_prompt(
        self,
        name: Optional[str] = None,
        prompt_id: Optional[str] = None,
        version: Optional[str] = None,
        should_compile: bool = False,
        variables: Optional[Mapping[str, Scalar]] = None,
        meta_properties: Optional[Mapping[str, Any]] = None,
    ) -> Prompt:
        """A published version of a prompt, on request with its variables filled in. Held in memory for a while.

        ``name`` or ``prompt_id`` is needed. ``version`` is ``1.2.0``, a range (``1.x``), a label (``production``) or
        ``latest``; without it the latest published one comes. ``meta_properties`` are sent along.
        """
        if not name and not prompt_id:
            raise misconfigured("Say which prompt: give `name` or `prompt_id`.")
        body = _body(
            {
                "name": name,
                "promptId": prompt_id,
                "version": version,
                "compile": bool(should_compile),
                "variables": dict(variables or {}),
                "metaProperties": {**self._settings.meta_properties, **(meta_properties or {})},
                "source": _SOURCE,
            }
        )
        held = self._cache.fresh(body)
        if held is None:
            held = self._flights.join(body, lambda: self._refresh(body))
        prompt: Prompt = held.value
        return prompt._given_out(held.stale_because)

    def get_secrets(
        self,
        key: Optional[str] = None,
        tags: Optional[Sequence[str]] = None,
        should_set_env: bool = False,
        meta_properties: Optional[Mapping[str, Any]] = None,
    ) -> dict[str, str]:
        """Name of a secret to its value; empty when none fits. Secrets are never held here.

        ``key`` is one name, ``tags`` are any of several; both narrow together, and with neither all come that the key may
        read. ``should_set_env`` puts what was received into ``os.environ`` too, over what is there.
        """
        body = _body(
            {
                "key": key,
                "tags": None if tags is None else [tags] if isinstance(tags, str) else list(tags),
                "metaProperties": {**self._settings.meta_properties, **(meta_properties or {})},
                "source": _SOURCE,
            }
        )
        call = Call("/api/vault/get-secrets", _TEXT, body)
        secrets: dict[str, str] = dict(
            self._flights.join(call.path + body, lambda: read_secrets(self._transport.call(call).body))
        )
        if should_set_env:
            _set_environment(secrets)
        return secrets

    def evaluate_rule(
        self,
        entity_type: str,
        fields: Mapping[str, Scalar],
        include_entity_data: bool = False,
        entity_inputs: Optional[Mapping[str, Any]] = None,
        meta_properties: Optional[Mapping[str, Any]] = None,
    ) -> RuleResult:
        """The rules that match ``fields`` (1 to 50 inputs), and what of ``entity_type`` they are linked to.

        ``entity_type`` is ``context``, ``prompt`` or ``evaluation``. ``include_entity_data`` brings the contexts or prompts
        themselves; ``entity_inputs`` (``variables``, ``version``, ``shouldCompile``) says how prompts are brought.
        """
        if not fields:
            raise misconfigured("Give at least one of `fields` to match rules against.")
        body = _body(
            {
                "entity_type": entity_type,
                "fields": dict(fields),
                "include_entity_data": bool(include_entity_data),
                "entity_inputs": None if entity_inputs is None else dict(entity_inputs),
                "metaProperties": {**self._settings.meta_properties, **(meta_properties or {})},
                "source": _SOURCE,
            }
        )
        call = Call("/api/rule-engine/evaluate", "application/json", body)
        result: RuleResult = self._flights.join(
            call.path + body, lambda: read_rules(self._transport.call(call).body)
        )
        return result

    def add_score(
        self,
        name: str,
        value: Optional[Union[float, bool]] = None,
        *,
        label: Optional[str] = None,
        comment: Optional[str] = None,
        trace_id: Optional[str] = None,
        span_id: Optional[str] = None,
        session_id: Optional[str] = None,
        user_id: Optional[str] = None,
        score_id: Optional[str] = None,
        source: str = "user",
    ) -> str:
        """Records a score or the feedback of a user; returns its id. The same ``score_id`` again replaces the score.

        ``value`` is a number, or thumbs as a bool. It belongs to a trace, a span of it, or a session.
        """
        if value is None and label is None:
            raise misconfigured("A score has a `value` or a `label`.")
        # It has an id before it is sent, so that repeating the call records it once.
        sent = {
            "id": score_id or str(uuid.uuid4()),
            "name": name,
            "value": value,
            "label": label,
            "comment": comment,
            "traceId": trace_id,
            "spanId": span_id,
            "sessionId": session_id,
            "userId": user_id,
            "source": source,
        }
        self._post("/api/evaluation/scores", sent)
        return str(sent["id"])

    def add_dataset_items(self, dataset: str, items: Sequence[Mapping[str, Any]]) -> List[str]:
        """Adds items (``input``, ``expectedOutput``, ``metadata``, ``id``) to a dataset; returns their ids."""
        path = f"/api/evaluation/datasets/{quote(dataset, safe='')}/items"
        return list(self._post(path, {"items": [dict(item) for item in items]})["ids"])

    def create_experiment(self, dataset: str, name: str, evaluators: Sequence[str]) -> str:
        """Begins an experiment of which this application makes the outputs; returns its id."""
        body = {"dataset": dataset, "name": name, "evaluators": list(evaluators), "target": {"kind": "external"}}
        return str(self._post("/api/evaluation/experiments", body, 0)["id"])

    def add_experiment_outputs(self, experiment: str, items: Sequence[Mapping[str, Any]]) -> None:
        """Sends outputs (``itemId`` with ``output`` or ``error``) for items of an experiment."""
        path = f"/api/evaluation/experiments/{quote(experiment, safe='')}/items"
        self._post(path, {"items": [dict(item) for item in items]})

    def _post(self, path: str, fields: Mapping[str, Any], retries: Optional[int] = None) -> Mapping[str, Any]:
        answer = self._transport.call(Call(path, "application/json", _body(fields)), retries)
        data = answer.body.get("data")
        if not isinstance(data, dict):
            raise unexpected("answer.data")
        return data
    def check_budget(
        self,
        user: Optional[str] = None,
        model: Optional[str] = None,
        session: Optional[str] = None,
        service: Optional[str] = None,
        agent: Optional[str] = None,
        key: Optional[str] = None,
    ) -> BudgetResult:
        """Whether budgets allow the next call of a model. Never held: a spent budget counts with the next call."""
        about = {"user": user, "model": model, "session": session, "service": service, "agent": agent, "key": key}
        query = urllib.parse.urlencode({name: value for name, value in about.items() if value})
        call = Call("/api/budget/check" + ("?" + query if query else ""))
        result: BudgetResult = self._flights.join(
            call.path, lambda: read_budget(self._transport.call(call).body)
        )
        return result

    def clear_prompt_cache(self) -> None:
        """Forgets every prompt held: the next call asks the platform."""
        self._cache.clear()

    def close(self) -> None:
        """Closes the connection that the calling thread keeps open between calls."""
        self._transport.close()

    def _refresh(self, body: str) -> Held:
        """Asks the platform; a copy it confirms is used on, a copy it cannot be asked about serves meanwhile."""
        etag, bridge = self._cache.known(body)
        try:
            # With a copy at hand nobody is kept waiting for further attempts.
            call = Call("/api/prompt/get-compiled", _TEXT, body, etag)
            answer = self._transport.call(call, 0 if bridge else None)
            if answer.status == 304:
                kept = self._cache.confirm_unchanged(body)
                # It was dropped for others while the platform was asked: ask again, for the whole.
                return self._refresh(body) if kept is None else kept
            prompt = read_prompt(answer.body.get("res"), "res")
            beside = json.dumps([prompt.messages, prompt.model_settings, prompt.tools, prompt.response_format])
            size = len(body) + len(prompt.prompt) + len(prompt.compiled_prompt) + len(beside)
            return self._cache.confirm(body, prompt, answer.etag, size)
        except CandelaError as error:
            return self._cache.failed(body, error)

    def _after_fork(self) -> None:
        """A child starts without what threads of its parent were in the middle of."""
        self._cache.reset()
        self._flights.reset()


def _set_environment(secrets: Mapping[str, str]) -> None:
    """Sets all or none: a name or value that no environment takes is said first."""
    for key, value in secrets.items():
        if not _ENVIRONMENT_NAME.fullmatch(key) or "\0" in value:
            raise misconfigured(f"The secret {key!r} cannot be an environment variable; none was set.")
    os.environ.update(secrets)


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()
_shared: "OrderedDict[tuple[Optional[str], ...], Client]" = OrderedDict()
_lock = threading.Lock()


def _reset_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for client in list(_clients):
        client._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


def shared_client(
    url: Optional[str],
    api_key: Optional[str],
    environment: Optional[str],
    project_id: Optional[str],
    database_config_id: Optional[str],
) -> Client:
    """One client for each place that is asked, so that prompts are held between calls."""
    place = (
        url or os.environ.get("PLATFORM_URL"),
        api_key or os.environ.get("PLATFORM_API_KEY"),
        environment,
        project_id,
        database_config_id,
    )
    with _lock:
        client = _shared.get(place)
        if client is None:
            client = Client(
                place[0],
                place[1],
                environment=environment,
                project_id=project_id,
                database_config_id=database_config_id,
            )
            _shared[place] = client
            if len(_shared) > _MAX_CLIENTS:
                _shared.popitem(last=False)
        _shared.move_to_end(place)
        return client
