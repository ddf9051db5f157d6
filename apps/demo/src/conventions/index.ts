import type { Convention } from './convention.ts';
import { langfuse } from './langfuse.ts';
import { openinference } from './openinference.ts';
import { otel } from './otel.ts';
import { traceloop } from './traceloop.ts';
import { vercel } from './vercel.ts';

export * from './convention.ts';

/** Every convention the demo can speak; the explicit registry. */
export const CONVENTIONS = { otel, openinference, traceloop, vercel, langfuse } as const satisfies Record<
  string,
  Convention
>;
