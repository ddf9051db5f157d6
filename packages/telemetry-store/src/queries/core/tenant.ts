import type { Params } from './params.ts';

/** The conditions that limit the rows of any table to those of a tenant. */
export function tenantConditions(
  tenant: { readonly projectId: string; readonly environment?: string | undefined },
  params: Params,
): string[] {
  const project = `ProjectId = ${params.bind(tenant.projectId, 'String')}`;
  if (tenant.environment === undefined) return [project];
  return [project, `Environment = ${params.bind(tenant.environment, 'String')}`];
}
