import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '../index.ts';

/** A process that saves views until it is killed, and says each one that was acknowledged. */
const [dataDir = '', round = '0'] = process.argv.slice(2);
const store = await openMetadataStore({
  dataDir,
  logger: silentLogger,
  limits: { viewsPerProject: 1_000_000 },
});
for (let n = 0; ; n++) {
  const name = `${round} ${n}`;
  const call = { scope: 's', key: name, request: name };
  await store.change(call, ({ views }) =>
    views.create('a', { page: 'traces', name, description: null, search: '' }),
  );
  process.stdout.write(`${name}\n`);
}
