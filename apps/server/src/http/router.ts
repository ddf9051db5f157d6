import type { RouteDeclaration } from '@candela/contract';
import { fail } from '@candela/kernel';
import { permissionProblem } from '../features/identity/access.ts';

export interface Match {
  readonly id: string;
  readonly route: RouteDeclaration;
  readonly params: Readonly<Record<string, string>>;
}

interface Entry {
  readonly id: string;
  readonly route: RouteDeclaration;
  readonly segments: readonly string[];
  /** The path with its parameters as `{}`. */
  readonly shape: string;
}

export interface Router {
  /** @throws not_found, method_not_allowed */
  match(method: string, path: string): Match;
  /** The route of a path that pages of other origins may be allowed to use. */
  crossing(path: string): RouteDeclaration | undefined;
}

/**
 * The one decision which route a path belongs to. Literal segments win over parameters, for all methods; nothing is
 * guessed: no trailing slash, no other case. @throws when a route declares no permission, or two routes look the same
 */
export function createRouter(routes: Readonly<Record<string, RouteDeclaration>>): Router {
  const byShape = new Map<string, Entry>();
  for (const [id, route] of Object.entries(routes)) {
    const problem = permissionProblem(route);
    if (problem !== undefined) throw new Error(`The route ${id} ${problem}.`);
    if (route.id !== id) throw new Error(`The route ${id} calls itself ${route.id}.`);
    const segments = route.path.split('/').slice(1);
    const shape = segments.map((segment) => (isParameter(segment) ? '{}' : segment)).join('/');
    const key = `${route.method} ${shape}`;
    if (byShape.has(key)) throw new Error(`Two routes look like ${key}.`);
    byShape.set(key, { id, route, segments, shape });
  }
  const entries = [...byShape.values()].sort((a, b) => parameters(a) - parameters(b));
  const literal = new Map(
    entries
      .filter((entry) => parameters(entry) === 0)
      .map(({ id, route }) => [`${route.method} ${route.path}`, { id, route, params: {} }]),
  );

  return {
    crossing(path) {
      const segments = path.split('/').slice(1);
      return entries.find((entry) => entry.route.crossOrigin !== undefined && fits(entry.segments, segments))
        ?.route;
    },
    match(method, path) {
      const wanted = method === 'HEAD' ? 'GET' : method;
      const known = literal.get(`${wanted} ${path}`);
      if (known !== undefined) return known;
      const segments = path.split('/').slice(1);
      const all = entries.filter((entry) => fits(entry.segments, segments));
      const fitting = all.filter(({ shape }) => shape === all[0]?.shape);
      const entry = fitting.find(({ route }) => route.method === wanted);
      if (entry !== undefined) return { id: entry.id, route: entry.route, params: bind(entry, segments) };
      if (fitting.length === 0) throw fail('not_found', { what: 'This route' });
      const allowed = [...new Set(fitting.map(({ route }) => route.method))].join(', ');
      throw fail('method_not_allowed', { method: method.slice(0, 20), allowed }, { details: { allowed } });
    },
  };
}

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');
const parameters = (entry: Entry): number => entry.segments.filter(isParameter).length;

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
}

function bind(entry: Entry, segments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entry.segments.flatMap((part, index) =>
      isParameter(part) ? [[part.slice(1, -1), segments[index] ?? '']] : [],
    ),
  );
}
