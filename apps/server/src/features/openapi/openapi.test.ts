import { readFileSync } from 'node:fs';
import { CATALOG_ROUTES, type RouteDeclaration, ROUTES } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { createRouter } from '../../http/router.ts';
import { generateOpenApi } from './generate.ts';
import { openApiPages } from './pages.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: string }[];
  readonly security?: unknown[];
  readonly responses: Record<string, unknown>;
}
const text = generateOpenApi();
const document = JSON.parse(text) as {
  paths: Record<string, Record<string, Operation>>;
  components: unknown;
};

const ALL = { ...ROUTES, ...CATALOG_ROUTES };

describe('the OpenAPI document', () => {
  it('lists exactly the routes that exist', () => {
    const router = createRouter(ALL);
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const match = router.match(method.toUpperCase(), path.replaceAll(/[{}]/g, ''));
        expect(match.id).toBe(operation.operationId);
        return operation.operationId;
      }),
    );
    expect(documented.toSorted()).toEqual(Object.keys(ALL).toSorted());
  });

  it('says which routes need no credential', () => {
    for (const route of Object.values<RouteDeclaration>(ALL)) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()];
      expect(operation?.security?.length === 0).toBe(route.permission === 'public');
      if (route.permission === 'public') continue;
      // Those that are always 200 say what is wrong with a credential in the body.
      expect(Object.keys(operation?.responses ?? {})).toContain(route.envelope === undefined ? '401' : '200');
    }
  });

  it('refers only to what it defines', () => {
    const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(5);
    for (const reference of references) {
      let at: unknown = document;
      for (const part of reference.split('/')) at = (at as Record<string, unknown>)[part];
      expect(at, reference).toBeDefined();
    }
  });

  // What generated clients are made of: a call without its path parameter cannot be made, a field without a schema not read.
  it('declares every parameter of a path and every property that is required', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const { operationId, parameters } of Object.values(methods)) {
        const declared = parameters.filter((one) => one.in === 'path').map((one) => one.name);
        expect(declared.toSorted(), operationId).toEqual(named.toSorted());
      }
    }
    const missing: string[] = [];
    let objects = 0;
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties, required } = value as { properties?: object; required?: unknown };
      if (properties !== undefined && Array.isArray(required)) {
        objects += 1;
        missing.push(
          ...required.filter((name) => !Object.hasOwn(properties, name)).map((name) => `${at}/${name}`),
        );
      }
      for (const [key, item] of Object.entries(value)) look(item, `${at}/${key}`);
    };
    look(document, '');
    expect(objects).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('is committed as it is', () => {
    const file = new URL('../../../../../docs/openapi.json', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

it('the page is made of our own files alone, nothing inline', async () => {
  for (const page of openApiPages()) {
    const body = await page.body();
    if (page.contentType.startsWith('text/html')) {
      expect(body).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/i);
      expect(body).not.toMatch(/(?:src|href)="https?:/);
    }
    if (page.contentType.startsWith('text/javascript')) expect(body).not.toMatch(/innerHTML|https?:\/\//);
  }
});
