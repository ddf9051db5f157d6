// @vitest-environment happy-dom
import type { AuthStatus, SavedView } from '@candela/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newQueryClient } from '../../api/query-client.ts';
import { parseSearch, stringifySearch } from '../../lib/search-params.ts';
import SavedViewsPanel from './saved-views-panel.tsx';

/** What the server has, and what it was asked to change. */
let views: SavedView[];
let asked: { method: string; path: string; body: unknown }[];
/** What refuses the next change, in the words of the server. */
let refusal: string | undefined;
let role: 'viewer' | 'member' | undefined;
let close: (() => void) | undefined;

beforeEach(() => {
  views = [view('1', 'Errors', '?q=status%3Aerror'), view('2', 'Carts', '?q=service%3Acart')];
  asked = [];
  refusal = undefined;
  role = 'member';
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  close?.();
  close = undefined;
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const view = (id: string, name: string, search: string): SavedView =>
  ({ id, name, search, page: 'traces' }) as SavedView;

/** The routes that the panel calls. */
async function answer(path: string, { method = 'GET', body }: RequestInit = {}): Promise<Response> {
  if (path === '/api/auth/status') return Response.json({ data: status() });
  if (method === 'GET') return Response.json({ data: views, nextCursor: null });
  const sent = typeof body === 'string' ? (JSON.parse(body) as Partial<SavedView>) : {};
  asked.push({ method, path, body: sent });
  const refused = refusal;
  refusal = undefined;
  if (refused !== undefined) return Response.json({ err: refused }, { status: 409 });
  const id = path.split('/').at(-1);
  if (method === 'POST') views = [...views, { ...view('3', '', ''), ...sent }];
  else if (method === 'DELETE') views = views.filter((one) => one.id !== id);
  else views = views.map((one) => (one.id === id ? { ...one, ...sent } : one));
  return Response.json({ data: views.at(-1) });
}

const status = (): Partial<AuthStatus> => ({
  anonymous: null,
  person:
    role === undefined
      ? null
      : ({ id: 'vi', organisation: { id: 'o', name: 'Ours', role } } as AuthStatus['person']),
});

/** The panel on a page that shows `search`. */
async function open(search: string): Promise<void> {
  const rootRoute = createRootRoute({
    component: () =>
      createElement(SavedViewsPanel, { page: 'traces', signal: 'spans', onDone: () => undefined }),
  });
  const router = createRouter({
    routeTree: rootRoute,
    history: createMemoryHistory({ initialEntries: [`/${search}`] }),
    parseSearch,
    stringifySearch,
  });
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  close = () => root.unmount();
  const page = createElement(RouterProvider, { router: router as never });
  root.render(createElement(QueryClientProvider, { client: newQueryClient() }, page));
  await soon(() => expect(button('Errors')).toBeDefined());
}

const soon = (check: () => void) => vi.waitFor(check);
const buttons = () => [...document.querySelectorAll('button')];
const nameOf = (element: Element) => element.getAttribute('aria-label') ?? element.textContent;
const button = (name: string) => buttons().find((one) => nameOf(one) === name);
const alert = () => document.querySelector('[role=alert]')?.textContent;

/** Presses a button that there is, or is soon. */
const press = (name: string) =>
  soon(() => {
    const found = button(name);
    if (found === undefined || found.disabled || found.ariaDisabled === 'true')
      throw new Error(`There is no button ${name} to press: ${buttons().map(nameOf).join(', ')}`);
    found.click();
  });

async function save(name: string): Promise<void> {
  const field = document.querySelector<HTMLInputElement>('[data-first]');
  // As typing does it: React hears of a value that was set past its own setter.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, name);
  field?.dispatchEvent(new Event('input', { bubbles: true }));
  await press('Save');
}

it('offers a viewer to open views, and nothing that the server refuses', async () => {
  role = 'viewer';
  await open('?q=service%3Acart');
  await soon(() => expect(buttons().map(nameOf)).toEqual(['Errors', 'Carts']));
  expect(document.querySelector('form')).toBeNull();
  // It is the same list that others change.
  expect(button('Carts')?.getAttribute('aria-current')).toBe('true');
});

it('lets whoever is no person, on a machine of their own, change views', async () => {
  role = undefined;
  await open('');
  await soon(() => expect(button('Delete Errors')).toBeDefined());
});

it('asks before it replaces what everybody has', async () => {
  await open('?q=service%3Asearch&row=7');
  await press('Replace Errors by what is shown');
  await soon(() => expect(document.body.textContent).toContain('Replace “Errors” for everybody?'));
  await press('Keep');
  await soon(() => expect(button('Errors')?.getAttribute('aria-current')).toBe('false'));
  expect(asked).toEqual([]);
  await press('Replace Errors by what is shown');
  await press('Replace');
  await soon(() => expect(button('Errors')?.getAttribute('aria-current')).toBe('true'));
  // Which row is open is a moment's.
  expect(asked).toEqual([
    { method: 'PATCH', path: '/api/telemetry/views/1', body: { search: '?q=service%3Asearch' } },
  ]);
  // What is shown replaces nothing that is the same.
  expect(button('Replace Errors by what is shown')).toBeUndefined();
  expect(button('Replace Carts by what is shown')).toBeDefined();
});

it('says what became of the last change only, whichever it was', async () => {
  await open('?q=service%3Asearch');
  refusal = 'There is a view Errors already.';
  await save('Errors');
  await soon(() => expect(alert()).toBe('There is a view Errors already.'));
  refusal = 'Somebody deleted it.';
  await press('Delete Carts');
  await press('Delete');
  await soon(() => expect(alert()).toBe('Somebody deleted it.'));
  // What was refused is still asked, and can be pressed once more.
  await press('Delete');
  await soon(() => expect(alert()).toBeUndefined());
  await soon(() => expect(buttons().map(nameOf)).not.toContain('Carts'));
  expect(asked.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'DELETE']);
});
