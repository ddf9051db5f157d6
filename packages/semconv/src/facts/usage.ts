/** From what an emitter reports to disjoint token classes. */
import type { TokenUsage, UsageDetails } from '../types.ts';

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
  /** Default false. True where the total also has what the model thought, told nowhere else: Gemini's own count. */
  readonly totalHasThoughts?: boolean;
  /** Parts of the classes. */
  readonly details?: UsageDetails;
}

const MAX = 0xff_ff_ff_ff;

/**
 * Splits reported counts so that no token is in two classes. The numbers themselves overrule the emitter's rule
 * where they can: a cached part larger than the input cannot be inside it, and a total that is larger by just the cached
 * part shows that it is beside.
 * @returns undefined when the emitter reported neither input nor output.
 */
export function disjointUsage(reported: ReportedUsage): TokenUsage | undefined {
  const { input, output, total, cacheRead = 0, cacheWrite = 0 } = reported;
  let { reasoning = 0 } = reported;
  if (input === undefined && output === undefined) {
    if (cacheRead + cacheWrite + reasoning === 0) return undefined;
    return withDetails({ input: 0, cacheRead, cacheWrite, output: 0, reasoning }, reported.details);
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
    } else if (reported.totalHasThoughts === true && outside > 0 && outside !== cached) {
      reasoning = outside;
      reasoningInside = false;
    }
  }
  if (cached > reportedInput) cacheInside = false;
  if (reasoning > reportedOutput) reasoningInside = false;
  return withDetails(
    {
      input: cacheInside ? clamp(reportedInput - cached) : reportedInput,
      cacheRead,
      cacheWrite,
      output: reasoningInside ? clamp(reportedOutput - reasoning) : reportedOutput,
      reasoning,
    },
    reported.details,
  );
}

/** The usage with those details that are there, none of them larger than the class that it is a part of. */
function withDetails(usage: TokenUsage, details: UsageDetails | undefined): TokenUsage {
  if (details === undefined) return usage;
  const kept: { -readonly [K in keyof UsageDetails]: UsageDetails[K] } = {};
  const keep = (name: keyof UsageDetails, most: number): void => {
    const count = Math.min(details[name] ?? 0, most);
    if (count > 0) kept[name] = count;
  };
  keep('cacheWrite1h', usage.cacheWrite);
  keep('inputAudio', usage.input);
  keep('inputImage', usage.input - (kept.inputAudio ?? 0));
  keep('outputAudio', usage.output);
  keep('outputImage', usage.output - (kept.outputAudio ?? 0));
  keep('webSearches', MAX);
  return Object.keys(kept).length === 0 ? usage : { ...usage, details: kept };
}

const clamp = (value: number): number => (value > 0 ? Math.min(value, MAX) : 0);
