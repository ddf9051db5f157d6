import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '../index.ts';

/**
 * A process that replaces one rule until it is killed, each time with another number of links, which its definition
 * says too; and says each revision that was acknowledged.
 */
const [dataDir = ''] = process.argv.slice(2);
const PLACE = { projectId: 'p', databaseConfigId: 'embedded' };
const store = await openMetadataStore({ dataDir, logger: silentLogger });
const documentOf = (count: number) => ({
  name: 'the rule',
  description: '',
  definition: { count },
  status: 'ACTIVE' as const,
  priority: 1,
  links: Array.from({ length: count }, (_, n) => ({
    entityType: 'evaluation' as const,
    entityId: `${count} ${n}`,
  })),
});
const [known] = await store.rules.active(PLACE);
let rule =
  known ?? (await store.change(undefined, ({ rules }) => rules.create(PLACE, documentOf(0), 'writer')));
for (;;) {
  const { id, revision } = rule;
  const document = documentOf(revision % 7);
  rule = await store.change(undefined, ({ rules }) =>
    rules.replace(PLACE, id, { revision, rule: document, by: 'writer' }),
  );
  process.stdout.write(`${rule.revision}\n`);
}
