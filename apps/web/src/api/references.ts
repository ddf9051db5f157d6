import { queryOptions } from '@tanstack/react-query';
import { formatTime } from '../lib/format.ts';
import { zonePreference } from '../lib/zone.ts';
import { call } from './client.ts';

type Environment = string | undefined;

const REFERENCE_KINDS = ['trace', 'prompt', 'rule'] as const;
type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** What a question can name with `@kind:id`. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
  readonly name: string;
}

const EACH = 5;

/** The kind and the words of what was typed behind `@`: of one kind, or of all. */
function partsOf(typed: string): { readonly kinds: readonly ReferenceKind[]; readonly words: string } {
  const [, kind, words = ''] = /^(trace|prompt|rule):(.*)$/.exec(typed) ?? [];
  const chosen = REFERENCE_KINDS.find((each) => each === kind);
  return chosen === undefined ? { kinds: REFERENCE_KINDS, words: typed } : { kinds: [chosen], words };
}

async function find(
  kind: ReferenceKind,
  words: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<Reference[]> {
  const q = words === '' ? {} : { q: words };
  if (kind === 'prompt') {
    const { data } = await call('listPrompts', { query: { limit: EACH, ...q }, environment, signal });
    return data.map(({ id, name }) => ({ kind, id, name }));
  }
  if (kind === 'rule') {
    const { data } = await call('listRules', { query: { limit: EACH, ...q }, environment, signal });
    return data.map(({ id, name }) => ({ kind, id, name }));
  }
  // The traces of the assistant itself are the newest of all, and nobody asks about them.
  const named = words === '' ? '' : ` name:*${words}*`;
  const body = { q: `-attributes.platform.feature:*${named}`, from: '-24h', limit: EACH, previews: false };
  const { data } = await call('searchTraces', { environment, signal, body });
  return data.map(({ traceId, rootName, rootService, startTime }) => ({
    kind,
    id: traceId,
    name: `${rootName} · ${rootService} · ${formatTime(Date.parse(startTime), zonePreference.get())}`,
  }));
}

/** Traces, prompts and rules that what was typed behind `@` may mean; a kind that fails offers nothing. */
export const referencesQuery = (environment: Environment, typed: string) =>
  queryOptions({
    queryKey: ['references', environment, typed],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Reference[]> => {
      const { kinds, words } = partsOf(typed);
      const found = await Promise.allSettled(kinds.map((kind) => find(kind, words, environment, signal)));
      return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    },
  });
