import { z } from 'zod';
import { defineKind, shown, yes } from './kind.ts';

const name = z.string().min(1).max(200);

export const toolCalled = defineKind({
  id: 'tool_called',
  label: 'Tools called',
  description:
    'The model asked for these tools; with `inOrder` one after the other, with `only` for no others.',
  settings: z.strictObject({
    tools: z.array(name).min(1).max(100),
    inOrder: z.boolean().default(false),
    only: z.boolean().default(false),
  }),
  prepare:
    ({ tools, inOrder, only }) =>
    ({ toolCalls }) => {
      const called = toolCalls.map((call) => call.name);
      const told =
        called.length === 0 ? 'No tool was called.' : `Called: ${called.slice(0, 20).map(shown).join(', ')}.`;
      const wanted = new Set(tools);
      if (only && called.some((one) => !wanted.has(one))) return yes(false, told);
      if (!inOrder)
        return yes(
          tools.every((one) => called.includes(one)),
          told,
        );
      let next = 0;
      for (const one of called) if (one === tools[next]) next += 1;
      return yes(next === tools.length, told);
    },
});

export const toolArguments = defineKind({
  id: 'tool_arguments',
  label: 'Tool arguments',
  description: 'A call of the tool has these arguments; others may be there too.',
  settings: z.strictObject({ tool: name, arguments: z.record(z.string().max(200), z.unknown()) }),
  prepare:
    ({ tool, arguments: wanted }) =>
    ({ toolCalls }) => {
      const own = toolCalls.filter((call) => call.name === tool);
      if (own.length === 0) return yes(false, `${shown(tool)} was not called.`);
      const fits = own.some(({ arguments: text }) => {
        try {
          const given = new Map(Object.entries(JSON.parse(text) as object));
          return Object.entries(wanted).every(
            ([key, value]) => JSON.stringify(given.get(key)) === JSON.stringify(value),
          );
        } catch {
          return false;
        }
      });
      return yes(fits, fits ? 'A call has the arguments.' : `None of ${own.length} calls has the arguments.`);
    },
});
