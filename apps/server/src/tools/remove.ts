import { z } from 'zod';
import { kindOf, nameOf, oneOf, WRITABLE_NAMES } from './kinds.ts';
import { defineTool } from './tool.ts';

export const remove = defineTool({
  id: 'delete',
  title: 'Delete',
  about: 'Deletes one rule, context, prompt, secret or model by its id.',
  input: z.object({ kind: z.enum(WRITABLE_NAMES), id: z.string().min(1).max(64) }),
  routes: WRITABLE_NAMES.map((name) => kindOf(name).delete),
  effect: 'delete',
  audience: ['assistant'],
  card: ({ kind }) => ({ title: `Delete the ${kind}` }),
  subject: async (call, { kind, id }) => nameOf(await oneOf(call, kind, id)),
  async run(call, { kind, id }) {
    const there = await oneOf(call, kind, id);
    await call(kindOf(kind).delete, { params: { id } });
    return { data: { id }, note: `Deleted the ${kind} "${nameOf(there)}".` };
  },
});
