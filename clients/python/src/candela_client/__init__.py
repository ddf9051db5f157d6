"""Prompts, secrets and rules of a Candela platform. Standard library only."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from ._client import Client, Scalar, shared_client
from ._errors import CandelaError
from ._results import BudgetResult, ContextRecord, ExceededBudget, LinkedEntity, Prompt, RuleResult

__all__ = [
    "BudgetResult",
    "CandelaError",
    "Client",
    "ContextRecord",
    "ExceededBudget",
    "LinkedEntity",
    "Prompt",
    "RuleResult",
    "check_budget",
    "evaluate_rule",
    "get_prompt",
    "get_secrets",
]


def get_prompt(
    url: Optional[str] = None,
    name: Optional[str] = None,
    api_key: Optional[str] = None,
    prompt_id: Optional[str] = None,
    version: Optional[str] = None,
    should_compile: bool = False,
    variables: Optional[Mapping[str, Scalar]] = None,
    meta_properties: Optional[Mapping[str, Any]] = None,
    *,
    environment: Optional[str] = None,
    project_id: Optional[str] = None,
    database_config_id: Optional[str] = None,
) -> Prompt:
    """As :meth:`Client.get_prompt`, of a client that calls with the same place share."""
    client = shared_client(url, api_key, environment, project_id, database_config_id)
    return client.get_prompt(name, prompt_id, version, should_compile, variables, meta_properties)


def get_secrets(
    url: Optional[str] = None,
    api_key: Optional[str] = None,
    key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None,
    should_set_env: bool = False,
    meta_properties: Optional[Mapping[str, Any]] = None,
    *,
    environment: Optional[str] = None,
    project_id: Optional[str] = None,
    database_config_id: Optional[str] = None,
) -> dict[str, str]:
    """As :meth:`Client.get_secrets`, of a client that calls with the same place share."""
    client = shared_client(url, api_key, environment, project_id, database_config_id)
    return client.get_secrets(key, tags, should_set_env, meta_properties)


def evaluate_rule(
    url: Optional[str] = None,
    api_key: Optional[str] = None,
    *,
    entity_type: str,
    fields: Mapping[str, Scalar],
    include_entity_data: bool = False,
    entity_inputs: Optional[Mapping[str, Any]] = None,
    meta_properties: Optional[Mapping[str, Any]] = None,
    environment: Optional[str] = None,
    project_id: Optional[str] = None,
    database_config_id: Optional[str] = None,
) -> RuleResult:
    """As :meth:`Client.evaluate_rule`, of a client that calls with the same place share."""
    client = shared_client(url, api_key, environment, project_id, database_config_id)
    return client.evaluate_rule(entity_type, fields, include_entity_data, entity_inputs, meta_properties)


def check_budget(
    url: Optional[str] = None,
    api_key: Optional[str] = None,
    *,
    user: Optional[str] = None,
    model: Optional[str] = None,
    session: Optional[str] = None,
    service: Optional[str] = None,
    agent: Optional[str] = None,
    key: Optional[str] = None,
    environment: Optional[str] = None,
    project_id: Optional[str] = None,
    database_config_id: Optional[str] = None,
) -> BudgetResult:
    """As :meth:`Client.check_budget`, of a client that calls with the same place share."""
    client = shared_client(url, api_key, environment, project_id, database_config_id)
    return client.check_budget(user, model, session, service, agent, key)
