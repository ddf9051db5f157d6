import { type Access, CATALOG_ROUTES, ROUTES, type RouteDeclaration } from '@candela/contract';
import { ERROR_TABLE, type ErrorCode } from '@candela/kernel';
import { z } from 'zod';

type Json = Record<string, unknown>;
/** With https the name begins with `__Host-`. */
const SESSION_COOKIE = 'candela_session';

/** A pattern as generators in other languages read it: they have no classes of Unicode, which JavaScript has with a flag. */
const plainPattern = (pattern: string): string =>
  pattern
    .replaceAll(String.raw`\p{Cc}`, String.raw`\u0000-\u001f\u007f-\u009f`)
    .replaceAll(String.raw`\p{Cs}`, String.raw`\ud800-\udfff`);

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    // The name of a definition is where it stands. As a keyword it means nothing in this draft.
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
      const { prefixItems } = jsonSchema;
      if (prefixItems !== undefined) {
        // Many generators know no tuples; this is what remains of one for them.
        delete jsonSchema.prefixItems;
        jsonSchema.items = { anyOf: prefixItems.filter((each) => typeof each === 'object') };
        jsonSchema.minItems ??= prefixItems.length;
        jsonSchema.maxItems ??= prefixItems.length;
      }
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = plainPattern(jsonSchema.pattern);
    },
  }) as Json;
  return rest;
};

/** Moves the definitions a schema brings along to the components, and points its references there. */
function lift(schema: Json, components: Map<string, unknown>): Json {
  const { $defs, ...rest } = schema as Json & { $defs?: Json };
  const repoint = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(repoint);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value)
      .filter(([key]) => key !== '$defs')
      .map(([key, item]): [string, unknown] => [
        key,
        key === '$ref' && typeof item === 'string'
          ? item.replace('#/$defs/', '#/components/schemas/')
          : repoint(item),
      ]);
    return Object.fromEntries(entries);
  };
  for (const [name, definition] of Object.entries($defs ?? {})) components.set(name, repoint(definition));
  return repoint(rest) as Json;
}

function parameters(route: RouteDeclaration, components: Map<string, unknown>): Json[] {
  const of = (schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] => {
    if (schema === undefined) return [];
    const object = lift(schemaOf(schema, 'input'), components) as { properties?: Json; required?: string[] };
    return Object.entries(object.properties ?? {}).map(([name, property]) => ({
      name,
      in: place,
      required: place === 'path' || (object.required ?? []).includes(name),
      schema: property,
    }));
  };
  const names = ['organisation-id', 'project-id', 'environment'];
  if (route.storage !== undefined) names.push('database-config-id');
  const context = names.map((name) => ({
    $ref: `#/components/parameters/x-platform-${name}`,
  }));
  return [
    ...of(route.params, 'path'),
    ...of(route.query, 'query'),
    ...(route.permission === 'public' || route.permission.on === 'account' ? [] : context),
  ];
}

function responses(route: RouteDeclaration, components: Map<string, unknown>): Json {
  const codes = new Set<ErrorCode>(route.errors);
  const ofCatalog = route.path.startsWith('/api/v1/');
  // A header that cannot be read, or is there twice, is one everywhere.
  codes.add('bad_request').add('headers_too_large');
  if (route.body) codes.add('body_not_json').add('too_large');
  if (route.permission !== 'public') {
    const { key, on } = route.permission;
    codes.add('unknown_credential').add('forbidden').add('rate_limited');
    codes.add(key === 'session' ? 'not_signed_in' : 'no_credential');
    // An environment that the header names and nobody has sent.
    if (on === 'project') codes.add('not_found');
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const errorSchema = ofCatalog ? 'CatalogError' : 'Error';
  const schema = lift(schemaOf(route.response, 'output'), components);
  const types =
    route.stream === 'events'
      ? ['text/event-stream']
      : route.stream === 'file'
        ? route.produces
        : ['application/json'];
  // In an envelope whatever goes wrong is told with status 200.
  const failures = route.envelope === undefined ? [...byStatus].sort(([a], [b]) => a - b) : [];
  return Object.fromEntries([
    [
      String(route.success),
      {
        description: describe(route),
        content: Object.fromEntries(types.map((type) => [type, { schema }])),
      },
    ],
    ...failures.map(([status, list]): [string, Json] => [
      String(status),
      {
        description: list.sort().join(', '),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${status === 431 ? 'ProtocolError' : errorSchema}` },
          },
        },
      },
    ]),
    ...(ofCatalog ? [failureOfCatalog] : []),
  ]);
}

function describe(route: RouteDeclaration): string {
  if (route.stream === 'events') return 'Server-sent events; the schema is that of their data';
  if (route.envelope === undefined) return 'Success';
  return 'Success, or a failure told in `err`; its code is in the header x-platform-error-code';
}

const failureOfCatalog: [string, Json] = [
  'default',
  {
    description: 'not_found, method_not_allowed or another failure',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/CatalogError' } } },
  },
];

/** A session always, a key where one is let in. */
const securityOf = ({ key }: Access): Json[] =>
  key === 'session' ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];

function needs({ key, role }: Access): string {
  const people = role === 'signed-in' ? 'Anybody who is signed in.' : `People need the role \`${role}\`.`;
  return key === 'session' ? `${people} Keys are refused.` : `Keys need the scope \`${key}\`. ${people}`;
}

function operation(route: RouteDeclaration, components: Map<string, unknown>): Json {
  const { permission } = route;
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(permission === 'public'
      ? { security: [] }
      : { security: securityOf(permission), description: needs(permission) }),
    parameters: parameters(route, components),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: lift(schemaOf(route.body, 'input'), components) } },
          },
        }),
    ...(route.upload === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
        }),
    responses: responses(route, components),
  };
}

const contextHeader = (name: string, pattern: string, description: string): [string, Json] => [
  `x-platform-${name}`,
  {
    name: `x-platform-${name}`,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, maxLength: 63, pattern },
  },
];

/** Ids of organisations, projects and configurations. */
const ID = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';
const ENVIRONMENT = '^[a-z0-9][a-z0-9._-]{0,62}$';

/** The OpenAPI 3.1 document of all declared routes, as JSON text ending in a line break. */
export function generateOpenApi(): string {
  const components = new Map<string, unknown>();
  const paths = new Map<string, Json>();
  for (const route of Object.values<RouteDeclaration>({ ...ROUTES, ...CATALOG_ROUTES })) {
    const path = paths.get(route.path) ?? {};
    path[route.method.toLowerCase()] = operation(route, components);
    paths.set(route.path, path);
  }
  components.set('Error', {
    type: 'object',
    description: 'What is wrong and what to do. The code is in the header x-platform-error-code.',
    properties: { err: { type: 'string' } },
    required: ['err'],
    additionalProperties: false,
  });
  components.set('ProtocolError', {
    type: 'object',
    description: 'Of a request that was not read as far as its path: also the `Status` of OTLP.',
    properties: { err: { type: 'string' }, code: { type: 'integer' }, message: { type: 'string' } },
    required: ['err', 'code', 'message'],
    additionalProperties: false,
  });
  components.set('CatalogError', {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' } },
        required: ['code', 'message', 'hint'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  });
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Candela',
      version: '0.1.0',
      description:
        'Observability for AI applications. Send `Authorization: Bearer <key>`; from the machine it runs on, reads need no key.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ bearer: [] }, { session: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Set by signing in. Changes also need an Origin header that names this platform.',
        },
      },
      parameters: Object.fromEntries([
        contextHeader('organisation-id', ID, 'Organisation; default: that of the key.'),
        contextHeader('project-id', ID, 'Project; default: that of the key.'),
        contextHeader('environment', ENVIRONMENT, 'Environment; default: all that the key may read.'),
        contextHeader(
          'database-config-id',
          ID,
          'Configuration that keeps prompts, secrets and rules; default: the one bound to the environment.',
        ),
      ]),
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
