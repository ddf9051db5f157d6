import { z } from 'zod';
import { kindOf, nameOf, WRITABLE_NAMES } from './kinds.ts';
import { defineTool } from './tool.ts';

export const create = defineTool({
  id: 'create',
  title: 'Create',
  about: `Creates one thing. Fields by kind: ${WRITABLE_NAMES.map((name) => kindOf(name).about).join('; ')}.`,
  input: z.object({ kind: z.enum(WRITABLE_NAMES), fields: z.record(z.string().max(100), z.unknown()) }),
  routes: WRITABLE_NAMES.map((name) => kindOf(name).create),
  effect: 'create',
  audience: ['assistant'],
  card: ({ kind, fields }) => ({
    title: `Create the ${kind} "${nameOf(kindOf(kind).body(fields, undefined))}"`,
    wantsValue: kind === 'secret',
  }),
  async run(call, { kind, fields }, typed) {
    const { create: route, body, page } = kindOf(kind);
    const { data } = (await call(route, { body: body(fields, typed) })) as {
      readonly data: Readonly<Record<string, unknown>>;
    };
    const id = String(data['id']);
    return {
      data: { id, name: nameOf(data) },
      page: page(id),
      note: `Created the ${kind} "${nameOf(data)}".`,
    };
  },
});
