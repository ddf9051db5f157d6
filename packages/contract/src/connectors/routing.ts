import { SIGNALS } from '@candela/kernel';
import { z } from 'zod';
import { defineRoute, manages, reads } from '../route.ts';

/** What is routed by itself. `platform`: prompts, secrets and rules. */
export const ROUTED_SIGNALS = [...SIGNALS, 'platform'] as const;
export type RoutedSignal = (typeof ROUTED_SIGNALS)[number];

/** Bindings one request may change. */
const MAX_CHANGES = 200;

const environment = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, { error: 'An environment name.' })
  .nullable()
  .meta({
    description: 'Null: the default of the project, for every environment without a binding of its own.',
  });
const signal = z.enum(ROUTED_SIGNALS);
const connectorId = z.string().min(1).max(64);

export const bindingSchema = z
  .object({
    environment,
    signal,
    connectorId: connectorId.nullable().meta({
      description:
        'Null, only as the default of a project: environments without a binding of their own are refused instead of kept somewhere.',
    }),
  })
  .meta({ id: 'SignalBinding' });
export type SignalBinding = z.output<typeof bindingSchema>;

export const routingSchema = z
  .object({
    projectId: z.string(),
    bindings: z.array(bindingSchema).meta({ description: 'Those that were made.' }),
    defaults: z
      .object({
        traces: connectorId.nullable(),
        metrics: connectorId.nullable(),
        logs: connectorId.nullable(),
        platform: connectorId.nullable(),
      })
      .meta({ description: 'What counts where the project made no default: the built-in connector.' }),
    environments: z.array(z.string()).meta({ description: 'Environments of the project, bound or not.' }),
  })
  .meta({ id: 'SignalRouting' });
export type SignalRouting = z.output<typeof routingSchema>;

export const getRouting = defineRoute({
  id: 'getRouting',
  method: 'GET',
  path: '/api/routing',
  tag: 'Connectors',
  summary: 'Where the signals of the project are kept, by environment',
  permission: manages('viewer'),
  response: z.object({ data: routingSchema }),
  errors: ['metadata_unavailable'],
});

export const updateRouting = defineRoute({
  id: 'updateRouting',
  method: 'PUT',
  path: '/api/routing',
  tag: 'Connectors',
  summary: 'Changes the named bindings of the project, all or none. What was stored before stays where it is',
  permission: manages('admin'),
  body: z.strictObject({
    changes: z
      .array(
        z.strictObject({
          environment,
          signal,
          connectorId: z
            .union([connectorId, z.null()])
            .optional()
            .meta({ description: 'Left out: the binding is taken away, and what is above it counts.' }),
        }),
      )
      .min(1)
      .max(MAX_CHANGES),
  }),
  response: z.object({ data: routingSchema }),
  errors: ['not_found', 'refused', 'connector_unavailable', 'metadata_unavailable'],
});

export const getDbConfig = defineRoute({
  id: 'getDbConfig',
  method: 'GET',
  path: '/api/db-config',
  tag: 'Connectors',
  summary: 'The database configurations of the active project and environment, without secrets',
  permission: reads('db_config'),
  response: z.object({
    data: z.array(
      z
        .object({
          id: z.string(),
          name: z.string(),
          kind: z.enum(['embedded', 'clickhouse']),
          url: z.string().nullable(),
          database: z.string(),
          username: z.string().nullable(),
          signals: z
            .array(z.object({ environment, signal }))
            .meta({ description: 'What is bound to it; environment null: the default of the project.' }),
        })
        .meta({ id: 'DatabaseConfiguration' }),
    ),
    nextCursor: z.null(),
  }),
  errors: ['metadata_unavailable'],
});
