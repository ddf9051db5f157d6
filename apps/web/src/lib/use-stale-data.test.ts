import { expect, it } from 'vitest';
import { ApiError } from '../api/client.ts';
import { lastAnswer } from './use-stale-data.ts';

const away = new ApiError('The server does not answer.', 0, 'unreachable', '');
const gone = new ApiError('There is no such host.', 404, 'not_found', 'r');
const busy = new ApiError('Too many requests.', 429, 'rate_limited', 'r');

const pending = { data: undefined, error: null, isError: false, isPlaceholderData: false };
const answered = (data: string) => ({ ...pending, data });
const underWay = (data: string) => ({ ...pending, data, isPlaceholderData: true });
const failed = (error: unknown, data?: string) => ({ ...pending, data, error, isError: true });

it('keeps the last answer to what was chosen when the next one does not come', () => {
  const first = lastAnswer<string>(undefined, answered('a'), 'hour');
  expect(first).toEqual({ chosen: 'hour', data: 'a', missed: null });
  // The page moves on with time: another question to the same choice.
  expect(lastAnswer(first, underWay('a'), 'hour')).toBe(first);
  const missed = lastAnswer(first, failed(away), 'hour');
  expect(missed).toEqual({ chosen: 'hour', data: 'a', missed: away });
  // What says so stays while the next one is under way, and goes with its answer.
  expect(lastAnswer(missed, underWay('a'), 'hour')).toBe(missed);
  expect(lastAnswer(missed, failed(away), 'hour')).toBe(missed);
  expect(lastAnswer(missed, answered('b'), 'hour')).toEqual({ chosen: 'hour', data: 'b', missed: null });
  expect(lastAnswer(first, failed(busy), 'hour')?.data).toBe('a');
});

it('shows nothing of another choice as the answer to this one', () => {
  const first = lastAnswer<string>(undefined, answered('a'), 'hour');
  expect(lastAnswer(first, underWay('a'), 'day')).toBe(first);
  const none = lastAnswer(first, failed(away), 'day');
  expect(none).toEqual({ chosen: 'day', data: undefined, missed: away });
  // Nor while that is asked anew.
  expect(lastAnswer(none, underWay('a'), 'day')).toBe(none);
  expect(lastAnswer(first, answered('b'), 'day')).toEqual({ chosen: 'day', data: 'b', missed: null });
});

it('forgets what the server says is not there any more', () => {
  const first = lastAnswer<string>(undefined, answered('a'), 'hour');
  expect(lastAnswer(first, failed(gone), 'hour')).toEqual({ chosen: 'hour', data: undefined, missed: gone });
});

it('knows what was answered before the same question failed, and that a further page says nothing of the first', () => {
  expect(lastAnswer<string>(undefined, failed(away, 'a'), 'hour')).toEqual({
    chosen: 'hour',
    data: 'a',
    missed: away,
  });
  const page = { ...failed(away, 'a'), isFetchNextPageError: true };
  expect(lastAnswer<string>(undefined, page, 'hour')).toEqual({ chosen: 'hour', data: 'a', missed: null });
});
