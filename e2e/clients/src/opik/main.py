"""Opik's names on spans of OpenTelemetry, as its guide of the Python SDK has them, beside an instrumentation of OpenAI's SDK."""

import json
import os

from openai import OpenAI
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opik.integrations.otel import OpikSpanProcessor

key = os.environ["CLIENT_API_KEY"]
headers = {"authorization": f"Bearer {key}"} if key else {}
provider = TracerProvider(resource=Resource.create({"service.name": "client-opik"}))
provider.add_span_processor(OpikSpanProcessor())
provider.add_span_processor(
    BatchSpanProcessor(OTLPSpanExporter(f"{os.environ['CLIENT_OTLP_URL']}/v1/traces", headers=headers))
)
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("opik-client")
client = OpenAI(api_key="sk-test", base_url=f"{os.environ['CLIENT_AI_URL']}/v1", max_retries=0)
MESSAGES = [{"role": "user", "content": "hi"}]

with tracer.start_as_current_span("greeter", attributes={"opik.span.type": "general", "opik.thread_id": "s-9"}):
    with tracer.start_as_current_span("chat") as span:
        answer = client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES)
        usage = answer.usage.model_dump(exclude_none=True) if answer.usage else {}
        span.set_attributes(
            {
                "opik.span.type": "llm",
                "opik.thread_id": "s-9",
                "opik.model": answer.model,
                "opik.provider": "openai",
                "opik.metadata": json.dumps({"user_id": "user-42"}),
                "opik.input": json.dumps({"messages": MESSAGES}),
                "opik.output": json.dumps({"choices": [choice.model_dump() for choice in answer.choices]}),
                "opik.usage": json.dumps(usage),
            }
        )
    with tracer.start_as_current_span("get_weather") as span:
        span.set_attributes(
            {"opik.span.type": "tool", "opik.input": '{"city":"Paris"}', "opik.output": "sunny in Paris"}
        )
provider.shutdown()
