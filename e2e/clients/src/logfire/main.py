"""Logfire around OpenAI Agents: a run, a call of a function, a call of a model; nothing goes to its cloud."""

import os

import logfire
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor

key = os.environ["CLIENT_API_KEY"]
headers = {"authorization": f"Bearer {key}"} if key else {}
exporter = OTLPSpanExporter(f"{os.environ['CLIENT_OTLP_URL']}/v1/traces", headers=headers)
logfire.configure(
    send_to_logfire=False,
    console=False,
    service_name="client-logfire",
    additional_span_processors=[BatchSpanProcessor(exporter)],
)
logfire.instrument_openai_agents()
set_tracing_disabled(False)


@function_tool
def get_weather(city: str) -> str:
    """Weather of a city"""
    return f"sunny in {city}"


client = AsyncOpenAI(api_key="sk-test", base_url=f"{os.environ['CLIENT_AI_URL']}/v1", max_retries=0)
model = OpenAIChatCompletionsModel(model="gpt-4o-mini", openai_client=client)
plain = Agent(name="greeter", instructions="Be kind.", model=model)
able = Agent(name="weatherman", model=model, tools=[get_weather])
Runner.run_sync(plain, "hi")
Runner.run_sync(able, "hi")
logfire.force_flush()
