import { type Access, type RouteDeclaration, ROUTES } from '@candela/contract';
import { CandelaError, type Principal, ROLES, type Scope, SCOPES } from '@candela/kernel';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { authorise, permissionProblem } from './access.ts';

const ALL = Object.values<RouteDeclaration>(ROUTES);
const GUARDED = ALL.flatMap((route) =>
  route.permission === 'public' ? [] : [{ route, access: route.permission }],
);
const key: Principal = { kind: 'key', id: 'k' };

function allows(access: Access, principal: Principal, scopes: readonly Scope[]): boolean {
  try {
    authorise(access, { principal, scopes: new Set(scopes) });
    return true;
  } catch (thrown) {
    if (thrown instanceof CandelaError && ['forbidden', 'not_signed_in'].includes(thrown.code)) return false;
    throw thrown;
  }
}

/** True of a route that changes something: it says so by whom it lets in, or by its method. */
const changes = ({ method, permission }: RouteDeclaration): boolean =>
  method !== 'GET' && (permission === 'public' || permission.role !== 'viewer');

/** Changes only what a person has for themselves: viewers may. */
const OWN = new Set(['pinBoard']);

describe('every route', () => {
  it('declares who may call it', () => {
    for (const route of ALL) expect([route.id, permissionProblem(route)]).toEqual([route.id, undefined]);
  });

  it('lets a key in by its one scope and by no other, and never where a person is needed', () => {
    for (const { route, access } of GUARDED) {
      for (const scope of SCOPES) {
        expect([route.id, scope, allows(access, key, [scope])]).toEqual([
          route.id,
          scope,
          access.key === scope,
        ]);
      }
      const others = SCOPES.filter((scope) => scope !== access.key);
      expect([route.id, allows(access, key, others)]).toEqual([route.id, false]);
      expect([route.id, allows(access, key, [])]).toEqual([route.id, false]);
    }
  });

  it('lets people in from its least role on', () => {
    for (const { route, access } of GUARDED) {
      for (const role of ROLES) {
        const person: Principal = { kind: 'user', id: 'u', sessionId: 's', role };
        const enough = access.role === 'signed-in' || ROLES.indexOf(role) >= ROLES.indexOf(access.role);
        expect([route.id, role, allows(access, person, [])]).toEqual([route.id, role, enough]);
      }
    }
  });

  it('that changes something is not for viewers, unless it is their own account', () => {
    for (const { route, access } of GUARDED) {
      const viewer: Principal = { kind: 'user', id: 'u', sessionId: 's', role: 'viewer' };
      if (changes(route) && access.on !== 'account')
        expect([route.id, allows(access, viewer, [])]).toEqual([route.id, false]);
      // What a GET does nobody is asked for: a link must change nothing.
      if (
        (route.method === 'DELETE' || route.method === 'PUT' || route.method === 'PATCH') &&
        !OWN.has(route.id)
      ) {
        expect([route.id, changes(route)]).toEqual([route.id, true]);
      }
    }
  });

  it('that changes something takes named fields and no others', () => {
    for (const route of ALL.filter(changes)) {
      // Shipped clients send what is not read, and may: they change nothing.
      if (route.body === undefined || route.pace === 'sdk') continue;
      // A controller of a later release reports what this one does not know, and goes on.
      if (route.id === 'pollController') continue;
      const schema = z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }) as Schema;
      expect([route.id, loose(schema)]).toEqual([route.id, []]);
    }
  });
});

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Places where fields that nobody declared would be taken: objects with fields of their own that allow more. */
function loose(schema: Schema, place = 'body'): string[] {
  const here = schema.properties !== undefined && schema.additionalProperties !== false ? [place] : [];
  return [
    ...here,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => loose(inner, `${place}.${name}`)),
    ...(schema.items === undefined ? [] : loose(schema.items, `${place}[]`)),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner) => loose(inner, place)),
  ];
}
