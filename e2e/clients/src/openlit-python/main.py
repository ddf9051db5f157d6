"""openlit's prompts, secrets and rules from PyPI, unchanged: prints what its functions return, as one line of JSON."""

import json
import os

import openlit

url = os.environ["CLIENT_AI_URL"]
base = {"url": url, "api_key": os.environ["CLIENT_API_KEY"]}
wrong = {"url": url, "api_key": "pk_00000000_wrong"}
slash = {**base, "url": f"{url}/"}
variables = {"product": "Lamp", "tone": "friendly"}
fields = {"user_tier": "gold"}
results = {
    "template": openlit.get_prompt(name="support-answer", **base),
    "compiled": openlit.get_prompt(
        name="support-answer", version="1.0.0", should_compile=True, variables=variables, **base
    ),
    "byId": openlit.get_prompt(prompt_id=os.environ["CLIENT_PROMPT_ID"], **base),
    "slash": openlit.get_prompt(name="support-answer", **slash),
    "promptWrongKey": openlit.get_prompt(name="support-answer", **wrong),
    "promptMissing": openlit.get_prompt(name="no-such-prompt", **base),
    "promptDraft": openlit.get_prompt(name="only-a-draft", **base),
    "promptVersion": openlit.get_prompt(name="support-answer", version="9.9.9", **base),
    "secrets": openlit.get_secrets(**base),
    "secretsByKey": openlit.get_secrets(key="STRIPE_KEY", **base),
    "secretsByTag": openlit.get_secrets(tags=["llm"], should_set_env=True, **base),
    "environment": {
        "OPENAI_API_KEY": os.environ.get("OPENAI_API_KEY"),
        "STRIPE_KEY": os.environ.get("STRIPE_KEY"),
    },
    "secretsNone": openlit.get_secrets(key="NO_SUCH_SECRET", should_set_env=True, **base),
    "secretsWrongKey": openlit.get_secrets(should_set_env=True, **wrong),
    "secretsSlash": openlit.get_secrets(key="STRIPE_KEY", **slash),
    "rule": openlit.evaluate_rule(entity_type="context", fields=fields, **base),
    "ruleData": openlit.evaluate_rule(entity_type="context", fields=fields, include_entity_data=True, **base),
    "rulePrompt": openlit.evaluate_rule(
        entity_type="prompt",
        fields=fields,
        include_entity_data=True,
        entity_inputs={"variables": variables},
        **base,
    ),
    "ruleNone": openlit.evaluate_rule(entity_type="context", fields={"user_tier": "silver"}, **base),
    "ruleSlash": openlit.evaluate_rule(entity_type="evaluation", fields=fields, **slash),
    "ruleWrongKey": openlit.evaluate_rule(entity_type="context", fields=fields, **wrong),
}
print("\n" + json.dumps(results))
