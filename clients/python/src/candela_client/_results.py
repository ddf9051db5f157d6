"""What calls give, and how it is read from an answer."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Mapping, Optional, TypeVar

from ._errors import CandelaError, unexpected

T = TypeVar("T")


@dataclass(frozen=True)
class Prompt:
    """A published version of a prompt."""

    prompt_id: str
    version_id: str
    name: str
    version: str
    tags: tuple[str, ...]
    meta_properties: Mapping[str, Any]
    #: The template, with its ``{{variables}}``.
    prompt: str
    #: The template with the variables filled in; equal to it when nothing was to be compiled.
    compiled_prompt: str
    #: Variables of the template that got no value and stand in it as written. Empty when nothing was to be compiled.
    missing: tuple[str, ...] = ()
    #: Variables that were given and are not in the template. Empty when nothing was to be compiled.
    unused: tuple[str, ...] = ()
    #: Of a chat prompt: ``{"role", "content"}`` of each message, with the variables filled in where that was asked for.
    #: Empty for a plain text.
    messages: tuple[Mapping[str, str], ...] = ()
    #: What to pass to the model, by the names of the platform (``model``, ``temperature``, ``topP``, ``maxTokens``, ...);
    #: what the version does not set is absent.
    model_settings: Mapping[str, Any] = field(default_factory=dict)
    #: ``{"name", "description", "parameters"}`` of each tool, the parameters as JSON Schema.
    tools: tuple[Mapping[str, Any], ...] = ()
    #: ``{"type": "text" | "json_object" | "json_schema", ...}``; None where the version has none.
    response_format: Optional[Mapping[str, Any]] = None
    #: Whether this is an older copy because the platform could not be asked.
    stale: bool = False
    #: Why it could not; None when it is not stale.
    stale_because: Optional[CandelaError] = field(default=None, compare=False)

    @property
    def span_attributes(self) -> dict[str, str]:
        """Attributes for the span of the model call, by which the platform finds the traces of a prompt."""
        return {
            "gen_ai.prompt.name": self.name,
            "gen_ai.prompt.version": self.version,
            "platform.prompt.id": self.prompt_id,
        }

    def _given_out(self, stale_because: Optional[CandelaError]) -> "Prompt":
        """A copy of one's own: several callers are given the same prompt."""
        return replace(
            self,
            meta_properties=copy.deepcopy(self.meta_properties),
            messages=copy.deepcopy(self.messages),
            model_settings=copy.deepcopy(self.model_settings),
            tools=copy.deepcopy(self.tools),
            response_format=copy.deepcopy(self.response_format),
            stale=stale_because is not None,
            stale_because=stale_because,
        )


@dataclass(frozen=True)
class LinkedEntity:
    rule_id: str
    entity_type: str
    entity_id: str


@dataclass(frozen=True)
class ContextRecord:
    id: str
    name: str
    description: str
    content: str
    tags: tuple[str, ...]
    meta_properties: Mapping[str, Any]
    status: str
    created_by: str
    #: ISO 8601.
    created_at: str
    #: ISO 8601.
    updated_at: str


@dataclass(frozen=True)
class RuleResult:
    #: Rules that match and are linked to something of the asked kind, the most urgent first.
    matching_rule_ids: tuple[str, ...]
    #: What they are linked to, in the same order.
    entities: tuple[LinkedEntity, ...]
    #: The contexts by id, when ``include_entity_data`` asked for them; None for one that is gone.
    contexts: Mapping[str, Optional[ContextRecord]]
    #: The prompts by id, when ``include_entity_data`` asked for them; None for one that is gone.
    prompts: Mapping[str, Optional[Prompt]]


def _text(of: Mapping[str, Any], key: str, what: str, fallback: Optional[str] = None) -> str:
    value = of.get(key, fallback)
    if not isinstance(value, str):
        raise unexpected(f"{what}.{key}")
    return value


def _texts(of: Mapping[str, Any], key: str, what: str) -> tuple[str, ...]:
    value = of.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise unexpected(f"{what}.{key}")
    return tuple(value)


def _records(of: Mapping[str, Any], key: str, what: str) -> list[dict[str, Any]]:
    value = of.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise unexpected(f"{what}.{key}")
    return value


def _record(of: Mapping[str, Any], key: str, what: str) -> dict[str, Any]:
    value = of.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise unexpected(f"{what}.{key}")
    return value


def read_prompt(value: Any, what: str) -> Prompt:
    """Reads the prompt of an answer: that of ``get-compiled``, or one in ``entity_data`` of a rule."""
    if not isinstance(value, dict):
        raise unexpected(what)
    return Prompt(
        prompt_id=_text(value, "promptId", what),
        version_id=_text(value, "versionId", what),
        name=_text(value, "name", what),
        version=_text(value, "version", what),
        tags=_texts(value, "tags", what),
        meta_properties=_record(value, "metaProperties", what),
        prompt=_text(value, "prompt", what),
        compiled_prompt=_text(value, "compiledPrompt", what),
        missing=_texts(value, "missing", what),
        unused=_texts(value, "unused", what),
        messages=tuple(_message(each, f"{what}.messages") for each in _records(value, "messages", what)),
        model_settings=_record(value, "modelSettings", what),
        tools=tuple(_tool(each, f"{what}.tools") for each in _records(value, "tools", what)),
        response_format=_record(value, "responseFormat", what) or None,
    )


def _message(of: Mapping[str, Any], what: str) -> dict[str, str]:
    return {"role": _text(of, "role", what), "content": _text(of, "content", what)}


def _tool(of: dict[str, Any], what: str) -> dict[str, Any]:
    _text(of, "name", what)
    return of


def _read_context(value: Any, what: str) -> ContextRecord:
    if not isinstance(value, dict):
        raise unexpected(what)
    return ContextRecord(
        id=_text(value, "id", what),
        name=_text(value, "name", what),
        description=_text(value, "description", what, ""),
        content=_text(value, "content", what),
        tags=_texts(value, "tags", what),
        meta_properties=_record(value, "meta_properties", what),
        status=_text(value, "status", what),
        created_by=_text(value, "created_by", what, ""),
        created_at=_text(value, "created_at", what, ""),
        updated_at=_text(value, "updated_at", what, ""),
    )


def _read_data(data: Mapping[str, Any], kind: str, read: Callable[[Any, str], T]) -> dict[str, Optional[T]]:
    """``entity_data`` is keyed ``<entity type>:<entity id>``; this takes those of one kind."""
    prefix = f"{kind}:"
    return {
        key[len(prefix) :]: None if value is None else read(value, f"entity_data.{kind}")
        for key, value in data.items()
        if key.startswith(prefix)
    }


def read_secrets(body: Mapping[str, Any]) -> dict[str, str]:
    res = body.get("res")
    if not isinstance(res, dict):
        raise unexpected("res")
    if not all(isinstance(value, str) for value in res.values()):
        raise unexpected("res.*")
    return res


@dataclass(frozen=True)
class ExceededBudget:
    """A budget that is spent."""

    budget: str
    #: ``project``, ``user``, ``model``, ``key``, ``session``, ``service`` or ``agent``.
    scope: str
    #: The user, model, ... whose budget it is; None: the project's.
    value: Optional[str]
    percent: Optional[float]
    limit_usd: float
    #: Whether it forbids the next call, or only says so.
    blocks: bool


@dataclass(frozen=True)
class BudgetResult:
    #: False: a budget that blocks is spent.
    allowed: bool
    exceeded: tuple[ExceededBudget, ...]


def read_budget(body: Mapping[str, Any]) -> BudgetResult:
    data = body.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("allowed"), bool):
        raise unexpected("data.allowed")
    exceeded = data.get("exceeded") or []
    if not isinstance(exceeded, list) or not all(isinstance(each, dict) for each in exceeded):
        raise unexpected("data.exceeded")

    def read(each: Mapping[str, Any]) -> ExceededBudget:
        value, percent, limit, blocks = (each.get(key) for key in ("value", "percent", "limitUsd", "blocks"))
        numbers = (int, float)
        if not (value is None or isinstance(value, str)) or not (percent is None or isinstance(percent, numbers)):
            raise unexpected("data.exceeded")
        if not isinstance(limit, numbers) or not isinstance(blocks, bool):
            raise unexpected("data.exceeded")
        return ExceededBudget(
            budget=_text(each, "budget", "data.exceeded"),
            scope=_text(each, "scope", "data.exceeded"),
            value=value,
            percent=percent,
            limit_usd=limit,
            blocks=blocks,
        )

    return BudgetResult(allowed=data["allowed"], exceeded=tuple(read(each) for each in exceeded))


def read_rules(body: Mapping[str, Any]) -> RuleResult:
    if "matchingRuleIds" not in body:
        raise unexpected("matchingRuleIds")
    data = _record(body, "entity_data", "answer")
    entities = body.get("entities") or []
    if not isinstance(entities, list) or not all(isinstance(each, dict) for each in entities):
        raise unexpected("entities")
    return RuleResult(
        matching_rule_ids=_texts(body, "matchingRuleIds", "answer"),
        entities=tuple(
            LinkedEntity(
                rule_id=_text(each, "rule_id", "entities"),
                entity_type=_text(each, "entity_type", "entities"),
                entity_id=_text(each, "entity_id", "entities"),
            )
            for each in entities
        ),
        contexts=_read_data(data, "context", _read_context),
        prompts=_read_data(data, "prompt", read_prompt),
    )
