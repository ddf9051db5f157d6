import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFakeAi } from '@candela/testkit';
import { expect, it } from 'vitest';
import { askBench, sameRows } from './ask-bench.ts';

it.each([
  [[['a', 1]], [['a', '1']], true],
  [
    [
      ['a', 1],
      ['b', 2],
    ],
    [
      ['b', 2],
      ['a', 1],
    ],
    true,
  ],
  [
    [
      ['a', 1],
      ['a', 1],
    ],
    [
      ['a', 1],
      ['b', 1],
    ],
    false,
  ],
  [[['a', 1.000_000_000_1]], [['a', 1]], true],
  [[['a', 1.001]], [['a', 1]], false],
  [[['a']], [['a'], ['a']], false],
  [[[null]], [['null']], true],
])('compares %j with %j: %s', (a, b, same) => {
  expect(sameRows(a, b)).toBe(same);
});

it('counts what a model gets right', async () => {
  // A platform that answers each statement with its own text: equal statements have equal rows.
  const platform = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const data =
        request.method === 'GET'
          ? { tables: [], functions: [] }
          : { rows: [[(JSON.parse(body) as { query: string }).query]] };
      response.end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const ai = await startFakeAi();
  const right =
    'SELECT ServiceName AS grouped, count() AS figure FROM otel_traces GROUP BY grouped ORDER BY figure DESC LIMIT 100';
  ai.script({ text: `\`\`\`sql\n${right}\n\`\`\`` }, { text: 'SELECT 1' }, { status: 500 });
  const lines: string[] = [];
  const { port } = platform.address() as AddressInfo;
  const world = { env: {}, cwd: '.', program: [], say: (line: string) => void lines.push(line) };
  const args = [
    '--base-url',
    `${ai.url}/v1`,
    '--model',
    'm',
    '--platform',
    `http://127.0.0.1:${port}`,
    '--limit',
    '3',
  ];
  await askBench.run(args, world);
  platform.close();
  await ai.close();
  expect(lines.map((line) => line.slice(0, 6))).toEqual(['right ', 'wrong ', 'failed', '1 of 3']);
});
