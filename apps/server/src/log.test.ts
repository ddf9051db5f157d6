import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createLogger } from './log.ts';

function written(
  format: 'json' | 'pretty',
  write: (logger: ReturnType<typeof createLogger>) => void,
): string {
  const stream = new PassThrough();
  write(createLogger({ level: 'info', format, stream }));
  const text: unknown = stream.read();
  return text === null ? '' : String(text);
}

it('writes JSON lines with level and time', () => {
  const line = JSON.parse(written('json', (logger) => logger.info({ status: 200 }, 'request'))) as object;
  expect(line).toMatchObject({
    level: 'info',
    status: 200,
    msg: 'request',
    time: expect.stringMatching(/Z$/),
  });
});

it.each(['json', 'pretty'] as const)('hides secrets (%s)', (format) => {
  const text = written(format, (logger) => {
    logger.info(
      { authorization: 'canary-1', headers: { cookie: 'canary-2', authorization: 'canary-3' } },
      'x',
    );
    logger.warn({ apiKey: 'canary-4', user: { password: 'canary-5' } }, 'y');
  });
  expect(text).not.toMatch(/canary/);
  expect(text).toContain('[hidden]');
});

it('writes an error with its stack, and nothing below its level', () => {
  const text = written('json', (logger) => {
    logger.debug({}, 'quiet');
    logger.error({ err: new Error('broken') }, 'failed');
  });
  expect(text).toContain('broken');
  expect(text).not.toContain('quiet');
});
