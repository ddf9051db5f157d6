import { MutationObserver, notifyManager, onlineManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';
import { newQueryClient } from './query-client.ts';

afterEach(() => onlineManager.setOnline(true));

const task = () => new Promise((resolve) => setTimeout(resolve, 1));

it('asks a server that a browser without a network may still reach', async () => {
  onlineManager.setOnline(false);
  const client = newQueryClient();
  expect(await client.fetchQuery({ queryKey: ['read'], queryFn: () => 'answer' })).toBe('answer');
  const change = client.getMutationCache().build(client, { mutationFn: () => Promise.resolve('done') });
  expect(await change.execute(undefined)).toBe('done');
});

it('tells that a change is under way before the browser goes on to another click', async () => {
  const change = new MutationObserver(newQueryClient(), { mutationFn: () => task() });
  const told: string[] = [];
  // As a page listens.
  change.subscribe(notifyManager.batchCalls(({ status }) => told.push(status)));
  const done = change.mutate();
  await Promise.resolve();
  expect(told).toEqual(['pending']);
  await done;
});

it('keeps why there is no answer while it is asked again, until there is one', async () => {
  const client = newQueryClient();
  let asked = 0;
  const question = {
    queryKey: ['read'],
    retry: false,
    queryFn: async () => {
      asked += 1;
      await task();
      if (asked < 3) throw new Error(`no ${asked}`);
      return 'at last';
    },
  };
  const observer = new QueryObserver(client, question);
  const told: string[] = [];
  // As a page listens.
  const stop = observer.subscribe(
    notifyManager.batchCalls(() => {
      const { status, data, error } = observer.getCurrentResult();
      told.push(`${status} ${data ?? error?.message ?? ''}`);
    }),
  );
  const tell = async () => {
    // What is told together is told after a task.
    await task();
    return told.splice(0).filter((line, index, lines) => line !== lines[index - 1]);
  };
  await observer.refetch();
  expect((await tell()).at(-1)).toBe('error no 1');
  await observer.refetch();
  expect(await tell()).toEqual(['error no 1', 'error no 2']);
  await observer.refetch();
  expect(await tell()).toEqual(['error no 2', 'success at last']);
  stop();
});

it('begins anew for whoever comes back to what failed', async () => {
  const client = newQueryClient();
  const question = { queryKey: ['read'], retry: false, queryFn: () => Promise.reject(new Error('no')) };
  const first = new QueryObserver(client, question);
  const stop = first.subscribe(() => undefined);
  await first.refetch();
  expect(first.getCurrentResult().status).toBe('error');
  stop();
  const later = new QueryObserver(client, question);
  const stopLater = later.subscribe(() => undefined);
  expect(later.getCurrentResult().status).toBe('pending');
  stopLater();
});
