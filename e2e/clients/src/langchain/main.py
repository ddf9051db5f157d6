"""LangChain with OpenInference's instrumentation: thread and user stand in the metadata of a run alone."""

import os

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

key = os.environ["CLIENT_API_KEY"]
headers = {"authorization": f"Bearer {key}"} if key else {}
provider = TracerProvider(resource=Resource.create({"service.name": "client-langchain"}))
provider.add_span_processor(
    BatchSpanProcessor(OTLPSpanExporter(f"{os.environ['CLIENT_OTLP_URL']}/v1/traces", headers=headers))
)
LangChainInstrumentor().instrument(tracer_provider=provider)


@tool
def get_weather(city: str) -> str:
    """Weather of a city"""
    return f"sunny in {city}"


model = ChatOpenAI(
    model="gpt-4o-mini", api_key="sk-test", base_url=f"{os.environ['CLIENT_AI_URL']}/v1", max_retries=0
)
config = {"metadata": {"thread_id": "s-9", "user_id": "user-42"}}
model.invoke("hi", config=config)
model.bind_tools([get_weather]).invoke("hi", config=config)
get_weather.invoke({"city": "Paris"}, config=config)
provider.shutdown()
