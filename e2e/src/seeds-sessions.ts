import { newSpanId, newTraceId, type SeedTrace, sendTrace } from './otlp.ts';
import type { Stage } from './stage.ts';

/** A session id that no path could carry as it is. */
export const HOSTILE_SESSION = 'team/7 "blue" – 会話 %2f\\..?#';
export const LONG_SESSION = 'long-session';
/** Index of the turn of it whose failure stands below more than a screen of words. */
export const TALL_TURN = 349;

const say = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

/** One turn: a request, the agent's run, a model call with the last words before it, now and then a tool. */
function turn(session: string, index: number, startedAt: number): SeedTrace {
  const [request, run, call] = [newSpanId(), newSpanId(), newSpanId()];
  const who = {
    'gen_ai.conversation.id': session,
    'user.id': `reader-${index % 2}`,
    'gen_ai.agent.name': 'guide',
  };
  const before =
    index === 0 ? [] : [say('user', `Question ${index - 1}`), say('assistant', `Answer ${index - 1}.`)];
  const failed = index % 50 === 49;
  return {
    traceId: newTraceId(),
    service: 'guide-api',
    startedAt,
    spans: [
      { spanId: request, name: 'POST /ask', kind: 2, durationMs: 900 },
      {
        spanId: run,
        parentSpanId: request,
        name: 'invoke_agent guide',
        startMs: 5,
        durationMs: 880,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          ...(index < 6 ? {} : { 'gen_ai.agent.version': '2.1.0' }),
          ...who,
        },
      },
      {
        spanId: call,
        parentSpanId: run,
        name: 'chat gpt-4o-mini',
        kind: 3,
        startMs: 10,
        durationMs: 600 + (index % 7) * 30,
        ...(failed ? { failed: '429 too many requests' } : {}),
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'gpt-4o-mini',
          'gen_ai.request.temperature': index < 6 ? 0.9 : 0.2,
          'gen_ai.usage.input_tokens': 400 + (index % 13) * 25,
          'gen_ai.usage.output_tokens': 60,
          'gen_ai.system_instructions': JSON.stringify([
            {
              type: 'text',
              content: index < 6 ? 'You guide visitors.' : 'You guide visitors.\nKeep it short.',
            },
          ]),
          'gen_ai.tool.definitions': JSON.stringify([
            { type: 'function', name: 'open_hours', description: 'When it is open', parameters: {} },
            { type: 'function', name: 'book_tour', description: 'Books a tour', parameters: {} },
          ]),
          'gen_ai.input.messages': JSON.stringify([...before, say('user', `Question ${index}`)]),
          'gen_ai.output.messages': JSON.stringify([
            say('assistant', `Answer ${index}.${index === TALL_TURN ? '\n\nOne more line.'.repeat(60) : ''}`),
          ]),
          ...who,
        },
      },
      ...(index % 3 === 1
        ? [
            {
              spanId: newSpanId(),
              parentSpanId: run,
              name: 'execute_tool open_hours',
              startMs: 700,
              durationMs: 40,
              attributes: {
                'gen_ai.operation.name': 'execute_tool',
                'gen_ai.tool.name': 'open_hours',
                'gen_ai.tool.call.id': `call-${session.length}-${index}`,
                'gen_ai.tool.call.arguments': '{"day":"sunday"}',
                'gen_ai.tool.call.result': '{"open":"10:00"}',
                ...who,
              },
            },
          ]
        : []),
    ],
  };
}

/** The turns of one session, a minute apart with a long pause in the middle, the last of them just before `until`. */
function sessionTraces(session: string, turns: number, until: number): SeedTrace[] {
  return Array.from({ length: turns }, (_, index) => {
    const minutes = turns - index + (index < turns / 2 ? 45 : 0);
    return turn(session, index, until - minutes * 60_000);
  });
}

/** Sends a session, and waits until its last turn is there. */
export async function seedSession(
  stage: Stage,
  session: string,
  turns: number,
  until: number,
): Promise<void> {
  const traces = sessionTraces(session, turns, until);
  for (let at = 0; at < traces.length - 1; at += 20)
    await Promise.all(
      traces
        .slice(at, Math.min(at + 20, traces.length - 1))
        .map((trace) => sendTrace(stage.platform.otlpHttp, trace)),
    );
  await stage.seed(...traces.slice(-1));
}

/** A session whose id stands on the span of the agent alone, and an agent whose name does. */
export async function seedUnnamed(stage: Stage): Promise<void> {
  const run = newSpanId();
  await stage.seed({
    traceId: newTraceId(),
    service: 'solo-api',
    startedAt: Date.now() - 30_000,
    spans: [
      {
        spanId: run,
        name: 'invoke_agent solo',
        durationMs: 900,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'solo',
          'gen_ai.conversation.id': 'roots',
        },
      },
      {
        spanId: newSpanId(),
        parentSpanId: run,
        name: 'chat gpt-4o-mini',
        startMs: 10,
        durationMs: 600,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'gpt-4o-mini',
          'gen_ai.usage.input_tokens': 400,
          'gen_ai.usage.output_tokens': 60,
          'gen_ai.input.messages': JSON.stringify([say('user', 'Asked?')]),
          'gen_ai.output.messages': JSON.stringify([say('assistant', 'Answered.')]),
        },
      },
      {
        spanId: newSpanId(),
        parentSpanId: run,
        name: 'execute_tool look',
        startMs: 700,
        durationMs: 40,
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look' },
      },
    ],
  });
}
