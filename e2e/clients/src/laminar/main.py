"""Laminar's SDK: its own spans around OpenAI's SDK, to an address instead of its cloud."""

import os
from urllib.parse import urlparse

from lmnr import Instruments, Laminar, observe

url = urlparse(os.environ["CLIENT_OTLP_URL"])
Laminar.initialize(
    project_api_key=os.environ["CLIENT_API_KEY"] or "lmnr-test",
    base_url=f"{url.scheme}://{url.hostname}",
    http_port=url.port,
    force_http=True,
    instruments={Instruments.OPENAI},
)

from openai import OpenAI  # noqa: E402

client = OpenAI(api_key="sk-test", base_url=f"{os.environ['CLIENT_AI_URL']}/v1", max_retries=0)
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
MESSAGES = [{"role": "user", "content": "hi"}]


@observe(span_type="TOOL")
def get_weather(city: str) -> str:
    return f"sunny in {city}"


@observe(name="greeter", session_id="s-9", user_id="user-42")
def greeter(question: str) -> str:
    answer = client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES)
    client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES, tools=[TOOL])
    get_weather("Paris")
    return answer.choices[0].message.content


greeter("hi")
Laminar.flush()
