/** From what an emitter reports to disjoint token classes. */
import type { TokenUsage } from '../types.ts';

export interface ReportedUsage {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly reasoning: number | undefined;
  /** The emitter's rule: is the cached part inside `input`? */
  readonly inputIncludesCache: boolean;
  /** The emitter's rule: is reasoning inside `output`? */
  readonly outputIncludesReasoning: boolean;
  /** Default false. True where the total is the provider's own and not just input plus output added up by the emitter. */
  readonly trustTotal?: boolean;
}

const MAX = 0xff_ff_ff_ff;

/**
 * Splits reported counts so that no token is in two classes. The numbers themselves overrule the emitter's rule
 * where they can: a cached part larger than the input cannot be inside it, and a total that is larger by just the cached
 * part shows that it is beside.
 * @returns undefined when the emitter reported neither input nor output.
 */
export function disjointUsage(reported: ReportedUsage): TokenUsage | undefined {
  const { input, output, total, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = reported;
  if (input === undefined && output === undefined) {
    if (cacheRead + cacheWrite + reasoning === 0) return undefined;
    return { input: 0, cacheRead, cacheWrite, output: 0, reasoning };
  }
  const reportedInput = input ?? clamp((total ?? 0) - (output ?? 0));
  const reportedOutput = output ?? clamp((total ?? 0) - reportedInput);
  const cached = cacheRead + cacheWrite;
  const trusted = reported.trustTotal === true;
  let cacheInside = reported.inputIncludesCache;
  let reasoningInside = reported.outputIncludesReasoning;
  if (total !== undefined && input !== undefined && output !== undefined) {
    const outside = total - reportedInput - reportedOutput;
    if (cached > 0) {
      if (outside === cached || outside === cached + reasoning) cacheInside = false;
      else if (trusted && outside === 0 && total > 0) cacheInside = true;
    }
    if (reasoning > 0) {
      if (outside === reasoning || outside === cached + reasoning) reasoningInside = false;
      else if (trusted && outside === 0 && total > 0) reasoningInside = true;
    }
  }
  if (cached > reportedInput) cacheInside = false;
  if (reasoning > reportedOutput) reasoningInside = false;
  return {
    input: cacheInside ? clamp(reportedInput - cached) : reportedInput,
    cacheRead,
    cacheWrite,
    output: reasoningInside ? clamp(reportedOutput - reasoning) : reportedOutput,
    reasoning,
  };
}

const clamp = (value: number): number => (value > 0 ? Math.min(value, MAX) : 0);
