/** From the names models are called by on the wire to the names of the price list. */

/** Region and vendor in front of Bedrock's names: `us.anthropic.claude-…-v1:0`. */
const BEDROCK =
  /^(?:(?:us|eu|apac|ap|jp|au|ca|sa|global|us-gov)\.)?(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai|google|nvidia|moonshot|moonshotai|minimax|zai)\.(.+)$/;

/** Suffixes that name a build, a date or a context size of the same model, taken away one after the other. */
const SUFFIXES: readonly RegExp[] = [
  /:\d+(?::\d+k|:mm)?$/,
  /\[\d+[km]\]$/,
  /-v\d+$/,
  /[-:@](?:latest|default)$/,
  /[-@_](?:20\d{2}-?[01]\d-?[0-3]\d|[01]\d-20\d{2})$/,
  /-00\d$/,
  /-(?:preview-)?(?:[01]\d-[0-3]\d|[01]\d[0-3]\d)$/,
];

/**
 * Candidates for a lookup, the most exact first. Only prefixes of providers and suffixes of dates and builds are taken
 * away, never a part of the name itself: `gpt-4o-mini` can never become `gpt-4o`.
 */
export function modelNameCandidates(model: string): string[] {
  const out = new Set<string>();
  const lower = model.trim().toLowerCase();
  // A fine-tuned model (`ft:base:organisation:name:id`) has a price of its own, never that of its base.
  const tuned = /^ft:[^:]{1,200}/.exec(lower)?.[0];
  if (tuned !== undefined)
    return [...new Set([tuned, ...SUFFIXES.map((suffix) => tuned.replace(suffix, ''))])];
  for (const base of [lower, ...withoutPrefixes(lower)]) {
    out.add(base);
    let name = base;
    for (const suffix of SUFFIXES) {
      name = name.replace(suffix, '');
      if (name !== '') out.add(name);
    }
  }
  return [...out];
}

const MAX_PREFIXES = 8;

/** `openai/gpt-4o`, `models/gemini-…`, `accounts/x/models/…` and ARNs end in the model; Bedrock's have dots instead. */
function withoutPrefixes(name: string): string[] {
  const parts = name.split('/').slice(-MAX_PREFIXES);
  const out = parts.slice(1).map((_part, index) => parts.slice(index + 1).join('/'));
  const bedrock = BEDROCK.exec(parts.at(-1) ?? '')?.[1];
  return [...out, ...(bedrock === undefined ? [] : [bedrock])].filter((entry) => entry !== '');
}

const REGION = /^(us-gov|us|eu|apac|ap|jp|au|ca|sa)\./;

/** Whether a model's name binds its calls to a region (`us.anthropic.…`), or to one of a government. */
export function regionOfModel(model: string): '' | 'regional' | 'gov' {
  const lower = model.trim().toLowerCase();
  if (lower.includes('us-gov')) return 'gov';
  const region = REGION.exec(lower.slice(lower.lastIndexOf('/') + 1))?.[1];
  return region === undefined ? '' : 'regional';
}
