/** From the names models are called by on the wire to the names of the price list. */

/** Region and vendor prefixes of Bedrock: `us.anthropic.claude-…-v1:0`. */
const BEDROCK =
  /^(?:(?:us|eu|apac|jp|au|global|us-gov|ca|sa)\.)?(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai|google|nvidia|moonshotai?|minimax)\.(.+)$/;
const BEDROCK_VERSION = /(?:-v\d+)?(?::\d+)(?::\d+k|:mm)?$|-v\d+$/;
const DATE = /[-@_](?:20\d{2}-?[01]\d-?[0-3]\d|[01]\d-20\d{2}|20\d{2}-[01]\d)$/;
const SHORT_DATE = /-(?:\d{2}[01]\d|[01]\d[0-3]\d)$/;
const LATEST = /[-:@]latest$/;
const BUILD = /-(?:00\d)$/;

/**
 * Candidates for a lookup, the most exact first. Only prefixes of providers and suffixes of dates and versions are
 * taken away, never a part of the name itself: `gpt-4o-mini` can never become `gpt-4o`.
 */
export function modelNameCandidates(model: string): string[] {
  const out: string[] = [];
  const add = (name: string): void => {
    if (name !== '' && !out.includes(name)) out.push(name);
  };
  const lower = model.trim().toLowerCase();
  for (const base of [lower, ...withoutPrefixes(lower)]) {
    add(base);
    let name = base;
    for (const suffix of [BEDROCK_VERSION, LATEST, DATE, BUILD, SHORT_DATE, LATEST, DATE]) {
      const shorter = name.replace(suffix, '');
      if (shorter !== name) {
        name = shorter;
        add(name);
      }
    }
  }
  return out;
}

function withoutPrefixes(name: string): string[] {
  const out: string[] = [];
  let rest = name;
  // A Bedrock ARN ends in the model after its last slash; so do `models/…`, `openai/…`, `accounts/x/models/…`.
  for (let slash = rest.indexOf('/'); slash >= 0; slash = rest.indexOf('/')) {
    rest = rest.slice(slash + 1);
    out.push(rest);
  }
  const bedrock = BEDROCK.exec(rest)?.[1];
  if (bedrock !== undefined) out.push(bedrock);
  return out.filter((entry) => entry !== '');
}
