import type { Snippet } from '../../ui/snippet-box.tsx';

/** Ways to say whose a span is: session, user and agent; each works as pasted. */
export function attributeSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Sends one finished chat call of a session, a user and an agent, right now, without any SDK.',
      text: curl(origin),
    },
    {
      label: 'Python',
      note: 'On the spans of your own; frameworks with an instrumentation set some of these by themselves.',
      text: `from opentelemetry import trace

with trace.get_tracer("my-service").start_as_current_span("invoke_agent helper") as span:
    span.set_attribute("gen_ai.operation.name", "invoke_agent")
    span.set_attribute("gen_ai.conversation.id", session_id)   # or session.id
    span.set_attribute("user.id", user_id)
    span.set_attribute("gen_ai.agent.name", "helper")
    answer = agent.run(question)`,
    },
    {
      label: 'AI SDK',
      note: 'The AI SDK passes metadata on to its spans; functionId is the agent.',
      text: `const { text } = await generateText({
  model: openai('gpt-4o-mini'),
  prompt: question,
  experimental_telemetry: {
    isEnabled: true,
    functionId: 'helper',
    metadata: { sessionId, userId },
  },
});`,
    },
  ];
}

function curl(origin: string): string {
  return `(now=$(date +%s)
hex() { head -c "$1" /dev/urandom | od -An -tx1 | tr -d ' \\n'; }
curl -sS ${origin}/v1/traces -H 'Content-Type: application/json' -d @- <<EOF
{"resourceSpans":[{
  "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello-candela"}}]},
  "scopeSpans":[{"spans":[{
    "traceId":"$(hex 16)","spanId":"$(hex 8)","name":"chat gpt-4o-mini","kind":3,
    "startTimeUnixNano":"$((now - 1))000000000","endTimeUnixNano":"\${now}000000000",
    "attributes":[
      {"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
      {"key":"gen_ai.request.model","value":{"stringValue":"gpt-4o-mini"}},
      {"key":"gen_ai.conversation.id","value":{"stringValue":"first-session"}},
      {"key":"user.id","value":{"stringValue":"first-user"}},
      {"key":"gen_ai.agent.name","value":{"stringValue":"helper"}},
      {"key":"gen_ai.usage.input_tokens","value":{"intValue":"21"}},
      {"key":"gen_ai.usage.output_tokens","value":{"intValue":"9"}},
      {"key":"gen_ai.input.messages","value":{"stringValue":
        "[{\\\\"role\\\\":\\\\"user\\\\",\\\\"parts\\\\":[{\\\\"type\\\\":\\\\"text\\\\",\\\\"content\\\\":\\\\"Say hello\\\\"}]}]"}},
      {"key":"gen_ai.output.messages","value":{"stringValue":
        "[{\\\\"role\\\\":\\\\"assistant\\\\",\\\\"parts\\\\":[{\\\\"type\\\\":\\\\"text\\\\",\\\\"content\\\\":\\\\"Hello!\\\\"}]}]"}}
    ]}]}]}]}
EOF
)`;
}
