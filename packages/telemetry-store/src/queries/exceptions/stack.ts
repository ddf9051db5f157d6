import type { RequestContext } from '@candela/kernel';
import { MOST_STACK } from '../../rollups/exceptions.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { LOGS } from '../logs/log-fields.ts';
import { SPANS } from '../spans/span-fields.ts';
import { EXCEPTIONS } from './exception-fields.ts';

/** The stack trace of a group. */
export interface Stack {
  readonly text: string;
  /** A part of it is missing. */
  readonly cut: boolean;
}

interface RawStack {
  readonly Stacktrace: string;
  /** As many characters as are kept: there may be more where it was recorded. */
  readonly Full: number;
  readonly Hash: string;
  readonly Ns: string;
  readonly Source: string;
  readonly TraceId: string;
  readonly SpanId: string;
}

interface Whole {
  readonly Length: number;
  readonly Head: string;
  readonly Tail: string;
}

/**
 * The latest stack trace of the occurrences in a scope. A group keeps the beginning of a long one, and some languages say
 * at the end what happened: its end is read where it was recorded.
 */
export async function latestStack(
  runner: Runner,
  context: RequestContext,
  occurrences: Scope,
): Promise<Stack> {
  const scope = occurrences.and("Stacktrace != ''");
  const [raw] = await runner.run<RawStack>(
    scope,
    `SELECT Stacktrace, lengthUTF8(Stacktrace) >= ${MOST_STACK} AS Full, toString(cityHash64(Stacktrace)) AS Hash,
       toString(toUnixTimestamp64Nano(${EXCEPTIONS.time})) AS Ns, toString(Source) AS Source, TraceId, SpanId
     ${scope.from} ORDER BY ${EXCEPTIONS.time} DESC LIMIT 1`,
  );
  if (raw === undefined) return { text: '', cut: false };
  if (raw.Full === 0) return { text: raw.Stacktrace, cut: false };
  const whole = raw.Source === 'log' ? await ofLog(runner, context, raw) : await ofSpan(runner, context, raw);
  if (whole === undefined) return { text: raw.Stacktrace, cut: true };
  const between = whole.Length - 2 * MOST_STACK;
  return between <= 0
    ? { text: whole.Head + whole.Tail, cut: false }
    : { text: `${whole.Head}\n[${between} characters left out]\n${whole.Tail}`, cut: true };
}

const ofLog = (runner: Runner, context: RequestContext, raw: RawStack): Promise<Whole | undefined> =>
  found(runner, Scope.of(context, LOGS).at([BigInt(raw.Ns)]), "[LogAttributes['exception.stacktrace']]", raw);

function ofSpan(runner: Runner, context: RequestContext, raw: RawStack): Promise<Whole | undefined> {
  const open = Scope.of(context, SPANS);
  const { params } = open;
  const own = open.and(
    `TraceId = ${params.bind(raw.TraceId, 'String')} AND SpanId = ${params.bind(raw.SpanId, 'String')}`,
  );
  return found(runner, own, "arrayMap(m -> m['exception.stacktrace'], Events.Attributes)", raw);
}

/** The one of some texts of which the beginning is kept. */
async function found(
  runner: Runner,
  scope: Scope,
  texts: string,
  { Hash }: RawStack,
): Promise<Whole | undefined> {
  const same = `cityHash64(substringUTF8(t, 1, ${MOST_STACK})) = ${scope.params.bind(Hash, 'UInt64')}`;
  const [whole] = await runner.run<Whole>(
    scope,
    `SELECT lengthUTF8(Text) AS Length, substringUTF8(Text, 1, ${MOST_STACK}) AS Head,
       substringUTF8(Text, greatest(${MOST_STACK} + 1, toInt64(Length) - ${MOST_STACK} + 1)) AS Tail
     FROM (SELECT arrayFirst(t -> ${same}, ${texts}) AS Text ${scope.from}) WHERE Text != '' LIMIT 1`,
  );
  return whole;
}
