import { z } from 'zod';
import { kindOf, nameOf, oneOf, WRITABLE_NAMES, type WritableName } from './kinds.ts';
import { defineTool } from './tool.ts';

const CHANGEABLE = WRITABLE_NAMES.filter((name) => kindOf(name).update !== undefined) as [
  WritableName,
  ...WritableName[],
];

/** Fields of a body that replaces the whole, by kind. */
const FIELDS: Readonly<Partial<Record<WritableName, readonly string[]>>> = {
  rule: ['name', 'description', 'groupOperator', 'groups', 'status', 'priority', 'links'],
  context: ['name', 'content', 'tags', 'metaProperties', 'status'],
  prompt: ['prompt', 'tags'],
  model: [
    'name',
    'provider',
    'model',
    'baseUrl',
    'allowInsecure',
    'secretId',
    'temperature',
    'maxOutputTokens',
  ],
};

type Fields = Readonly<Record<string, unknown>>;
const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

/** What a rule's body takes of its links. */
const bare = (links: unknown): unknown =>
  Array.isArray(links) ? links.map((link: Fields) => pick(link, ['entityType', 'entityId'])) : links;

export const update = defineTool({
  id: 'update',
  title: 'Change',
  about:
    'Changes fields of a rule, context or model, or the draft of a prompt; what is left out stays. Fields as of create.',
  input: z.object({
    kind: z.enum(CHANGEABLE),
    id: z.string().min(1).max(64),
    fields: z.record(z.string().max(100), z.unknown()),
  }),
  routes: CHANGEABLE.flatMap((name) => kindOf(name).update ?? []),
  effect: 'change',
  audience: ['assistant'],
  card: ({ kind, fields }) => ({
    title: `Change ${Object.keys(fields).join(', ').slice(0, 200)} of the ${kind}`,
  }),
  subject: async (call, { kind, id }) => nameOf(await oneOf(call, kind, id)),
  async run(call, { kind, id, fields }) {
    const { update: route, body, page } = kindOf(kind);
    if (route === undefined) throw new RangeError(`A ${kind} cannot be changed here.`);
    const names = FIELDS[kind] ?? [];
    const now = await oneOf(call, kind, id);
    const wanted = pick(body(fields, undefined), names);
    const kept = kind === 'prompt' ? {} : pick(now, names);
    const links = kind === 'rule' ? { links: bare({ ...kept, ...wanted }['links']) } : {};
    const version =
      kind === 'model' ? { version: now['version'] } : kind === 'prompt' ? {} : { revision: now['revision'] };
    await call(route, { params: { id }, body: { ...kept, ...wanted, ...links, ...version } });
    return { data: { id }, page: page(id), note: `Changed the ${kind} "${nameOf(now)}".` };
  },
});
