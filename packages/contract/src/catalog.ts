import { z } from 'zod';
import { defineRoute, type RouteDeclaration } from './route.ts';

/** The public catalog: read-only, without credentials, the same for everybody. Its errors have a shape of their own. */

/** Categories of integrations. */
export const INTEGRATION_TYPES = [
  'LLM',
  'Framework',
  'Vector DB',
  'Coding agent',
  'Gateway',
  'Evaluation',
  'Hardware',
  'Instrumentation',
] as const;
export type IntegrationType = (typeof INTEGRATION_TYPES)[number];

const uri = z.url();

const planSchema = z
  .strictObject({
    name: z.string(),
    price: z.string().optional().meta({ description: 'Decimal; the free plan is 0.' }),
    currency: z.string().optional(),
    license: z.string().optional(),
    self_serve: z.boolean().optional(),
    availability: z.string().optional(),
    summary: z.string(),
    url: uri,
  })
  .meta({ id: 'Plan' });
const integrationSchema = z
  .strictObject({ name: z.string(), type: z.string(), docs_url: uri })
  .meta({ id: 'Integration' });

const catalogRoute = <Response extends z.ZodType, Query extends z.ZodType | undefined = undefined>(
  id: string,
  path: `/api/v1/${string}`,
  summary: string,
  response: Response,
  query?: Query,
) =>
  defineRoute({
    id,
    method: 'GET',
    path,
    summary,
    tag: 'Catalog',
    permission: 'public',
    response,
    ...(query === undefined ? {} : { query }),
  });

/** Every route below `/api/v1`, by its operation; anything else there is a 404 or a 405. */
export const CATALOG_ROUTES = {
  getPricing: catalogRoute(
    'getPricing',
    '/api/v1/pricing',
    'Plans and their prices',
    z.strictObject({ oss: planSchema, cloud: planSchema }).meta({ id: 'PricingResponse' }),
  ),
  getOnboarding: catalogRoute(
    'getOnboarding',
    '/api/v1/onboarding',
    'How to begin without talking to anybody',
    z
      .strictObject({
        free_tier: z.strictObject({
          available: z.boolean(),
          price: z.string(),
          currency: z.string(),
          url: uri,
        }),
        api_keys: z.strictObject({ self_serve: z.boolean(), method: z.string().optional(), docs: uri }),
        sandbox: z.strictObject({
          available: z.boolean(),
          url: uri,
          type: z.string(),
          quickstart: uri.optional(),
        }),
      })
      .meta({ id: 'OnboardingResponse' }),
  ),
  getCli: catalogRoute(
    'getCli',
    '/api/v1/cli',
    'How to install the command-line tool',
    z
      .strictObject({
        name: z.string(),
        homebrew: z.strictObject({
          tap: z.string(),
          formula: z.string(),
          install: z.string(),
          formula_url: uri,
        }),
        docs: uri,
        go_install: z.string().optional(),
      })
      .meta({ id: 'CliResponse' }),
  ),
  listIntegrations: catalogRoute(
    'listIntegrations',
    '/api/v1/integrations',
    'What sends telemetry here, with its documentation',
    z.strictObject({ integrations: z.array(integrationSchema) }).meta({ id: 'IntegrationList' }),
    z.object({
      type: z
        .enum(INTEGRATION_TYPES)
        .optional()
        .meta({ description: 'Category; leave it out for all of them.' }),
    }),
  ),
  getHealth: catalogRoute(
    'getHealth',
    '/api/v1/health',
    'That the catalog answers; it says nothing of the platform behind it (see /api/health)',
    z.strictObject({ status: z.literal('ok'), service: z.string() }).meta({ id: 'HealthResponse' }),
  ),
} as const satisfies Record<string, RouteDeclaration>;

type CatalogRoutes = typeof CATALOG_ROUTES;
/** What each operation answers. */
export type CatalogAnswers = {
  readonly [Id in keyof CatalogRoutes]: z.output<CatalogRoutes[Id]['response']>;
};
