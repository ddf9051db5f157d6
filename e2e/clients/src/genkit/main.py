"""Genkit with a model of OpenAI's API: its actions are spans of the provider that the process has."""

import os

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

key = os.environ["CLIENT_API_KEY"]
headers = {"authorization": f"Bearer {key}"} if key else {}
provider = TracerProvider(resource=Resource.create({"service.name": "client-genkit"}))
provider.add_span_processor(
    BatchSpanProcessor(OTLPSpanExporter(f"{os.environ['CLIENT_OTLP_URL']}/v1/traces", headers=headers))
)
trace.set_tracer_provider(provider)

from genkit import Genkit  # noqa: E402
from genkit_openai import OpenAI  # noqa: E402
from pydantic import BaseModel  # noqa: E402

ai = Genkit(plugins=[OpenAI(api_key="sk-test", base_url=f"{os.environ['CLIENT_AI_URL']}/v1", max_retries=0)])


class City(BaseModel):
    city: str


@ai.tool()
async def get_weather(input: City) -> str:
    """Weather of a city"""
    return f"sunny in {input.city}"


@ai.flow()
async def greeter(question: str) -> str:
    answer = await ai.generate(model="openai/gpt-4o-mini", prompt=question)
    await ai.generate(model="openai/gpt-4o-mini", prompt=question, tools=["get_weather"])
    return answer.text


async def main() -> None:
    await greeter("hi")


ai.run_main(main())
provider.shutdown()
