import { expect, it } from 'vitest';
import { foldedStack, stackParts } from './stack-trace.ts';

const kinds = (text: string) => stackParts(text).map((part) => part.kind);

it('JavaScript: node and packages are libraries', () => {
  const text = `TypeError: x is not a function
    at place (/app/src/orders.ts:81:13)
    at async Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)
    at node:internal/process/task_queues:105:5
    at main (/app/src/main.ts:3:1)`;
  expect(kinds(text)).toEqual(['text', 'app', 'library', 'library', 'app']);
  expect(stackParts(text)[1]?.place).toBe('place (/app/src/orders.ts:81:13)');
  expect(foldedStack(stackParts(text)).map((part) => part.kind)).toEqual(['text', 'app', 'folded', 'app']);
});

it('Python: a frame has its line of code and its marks', () => {
  const text = `Traceback (most recent call last):
  File "/srv/app/agent.py", line 12, in run
    self.step()
    ~~~~~~~~~^^
  File "/usr/lib/python3.13/asyncio/base.py", line 7, in step
    yield
openai.RateLimitError: Error code: 429`;
  expect(kinds(text)).toEqual(['text', 'app', 'library', 'text']);
  expect(stackParts(text)[1]).toMatchObject({ place: 'run /srv/app/agent.py:12', lines: { length: 3 } });
});

it('Java, Go and Ruby', () => {
  expect(
    kinds(
      'java.lang.IllegalStateException: no\n\tat com.acme.Shop.buy(Shop.java:12)\n\tat java.base/java.lang.Thread.run(Thread.java:1)\nCaused by: x',
    ),
  ).toEqual(['text', 'app', 'library', 'text']);
  expect(
    kinds(
      'goroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d\nruntime.main()\n\t/usr/local/go/src/runtime/proc.go:250',
    ),
  ).toEqual(['text', 'app', 'library']);
  expect(
    kinds("app/models/user.rb:3:in `find'\n\tfrom /usr/local/bundle/gems/rack/lib/rack.rb:1:in `call'"),
  ).toEqual(['app', 'library']);
});

it('anything else stays text, whole', () => {
  for (const text of ['', 'no frames here\nat all', 'x'.repeat(10_000), `at\n`.repeat(3_000)]) {
    expect(
      stackParts(text)
        .flatMap((part) => part.lines)
        .join('\n'),
    ).toBe(text);
  }
});
