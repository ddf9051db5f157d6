import type { Access } from './access.ts';
import { auditLog } from './audit.ts';
import { savedViews } from './saved-views.ts';

/** A repository for each thing that is kept; the registry. */
export const REPOSITORIES = {
  views: savedViews,
  audit: auditLog,
} as const satisfies Record<string, (access: Access) => object>;

/** Everything that is kept, by its repository. */
export type Repositories = {
  readonly [Name in keyof typeof REPOSITORIES]: ReturnType<(typeof REPOSITORIES)[Name]>;
};
