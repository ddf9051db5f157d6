"""MLflow's tracing around OpenAI's SDK, exported by OTLP instead of to a tracking server."""

import os

OTLP, KEY = os.environ["CLIENT_OTLP_URL"], os.environ["CLIENT_API_KEY"]
os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{OTLP}/v1/traces"
os.environ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] = "http/protobuf"
os.environ["OTEL_SERVICE_NAME"] = "client-mlflow"
# Its own provider cannot be told to send what it holds before the program ends.
os.environ["MLFLOW_USE_DEFAULT_TRACER_PROVIDER"] = "false"
if KEY:
    os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = f"authorization=Bearer%20{KEY}"

import mlflow  # noqa: E402
import openai  # noqa: E402

mlflow.openai.autolog()
client = openai.OpenAI(api_key="sk-test", base_url=f"{os.environ['CLIENT_AI_URL']}/v1", max_retries=0)
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
MESSAGES = [{"role": "user", "content": "hi"}]


@mlflow.trace(name="get_weather", span_type="TOOL")
def get_weather(city: str) -> str:
    return f"sunny in {city}"


@mlflow.trace(name="greeter", span_type="AGENT")
def greeter(question: str) -> str:
    # By OTLP go spans alone: what `update_current_trace` says of the trace stays behind.
    mlflow.get_current_active_span().set_attributes({"session.id": "s-9", "user.id": "user-42"})
    answer = client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES)
    client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES, tools=[TOOL])
    get_weather("Paris")
    return answer.choices[0].message.content


greeter("hi")
mlflow.flush_trace_async_logging()
from opentelemetry import trace  # noqa: E402

trace.get_tracer_provider().force_flush()
