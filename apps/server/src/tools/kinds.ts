import { type RouteId, secretKeyOf } from '@candela/contract';
import type { Call } from './calls.ts';

/** What agents make, change and delete by name of its kind; the registry of `create`, `update` and `delete`. */
export interface WritableKind {
  readonly create: RouteId;
  readonly update?: RouteId;
  readonly delete: RouteId;
  /** The route that reads one. Null: the list is searched. */
  readonly get: RouteId | null;
  readonly page: (id: string) => string;
  /** Fields, for a model. */
  readonly about: string;
  /** What the route gets of what the model wrote. */
  readonly body: (fields: Fields, typed: string | undefined) => Fields;
}
type Fields = Readonly<Record<string, unknown>>;

const asIs = (fields: Fields): Fields => fields;

const WRITABLE = {
  rule: {
    create: 'createRule',
    update: 'replaceRule',
    delete: 'deleteRule',
    get: 'getRule',
    page: (id) => `/rules/${encodeURIComponent(id)}`,
    about:
      'rule {name, groups: [{conditions: [{field, operator: equals|not_equals|contains|starts_with|in|gt|gte|lt|lte|between|regex, value}]}], priority?, links?: [{entityType: context|prompt, entityId}]}',
    body: asIs,
  },
  context: {
    create: 'createContext',
    update: 'replaceContext',
    delete: 'deleteContext',
    get: 'getContext',
    page: (id) => `/contexts/${encodeURIComponent(id)}`,
    about: 'context {name, content, tags?}',
    body: asIs,
  },
  prompt: {
    create: 'createPrompt',
    update: 'savePromptDraft',
    delete: 'deletePrompt',
    get: 'getPrompt',
    page: (id) => `/prompts/${encodeURIComponent(id)}`,
    about: 'prompt {name: lower case, prompt, tags?}: a draft',
    // Only a draft: versions are written by a tool that has a rule of its own.
    body: ({ publish: _publish, ...fields }) => fields,
  },
  secret: {
    create: 'createSecret',
    delete: 'deleteSecret',
    get: 'getSecret',
    page: () => '/vault',
    about: 'secret {key: UPPER_SNAKE_CASE, tags?}: the person types the value',
    body: ({ key, tags }, value) => ({
      key: secretKeyOf(String(key ?? '')),
      ...(tags === undefined ? {} : { tags }),
      ...(value === undefined ? {} : { value }),
    }),
  },
  model: {
    create: 'createModel',
    update: 'updateModel',
    delete: 'deleteModel',
    get: null,
    page: () => '/settings/models',
    about:
      'model {name, provider: openai|anthropic|google|mistral|openai-compatible, model, baseUrl?, secretId?, temperature?, maxOutputTokens?}',
    body: asIs,
  },
} as const satisfies Record<string, WritableKind>;

export type WritableName = keyof typeof WRITABLE;
export const WRITABLE_NAMES = Object.keys(WRITABLE) as [WritableName, ...WritableName[]];
export const kindOf = (name: WritableName): WritableKind => WRITABLE[name];

/** One thing as its route shows it. @throws not_found */
export async function oneOf(call: Call, name: WritableName, id: string): Promise<Fields> {
  const { get } = kindOf(name);
  if (get !== null) return ((await call(get, { params: { id } })) as { readonly data: Fields }).data;
  const { data } = (await call('listModels')) as { readonly data: readonly Fields[] };
  const found = data.find((each) => each['id'] === id);
  if (found === undefined) throw new RangeError(`There is no ${name} with this id.`);
  return found;
}

/** The name that a person knows a thing by. */
export const nameOf = (fields: Fields): string =>
  String(fields['name'] ?? fields['key'] ?? fields['title'] ?? fields['id'] ?? '').slice(0, 120);
