import type { RouteDeclaration } from '../route.ts';
import { createModel, deleteModel, listModels, updateModel } from './models.ts';

export * from './models.ts';
export * from './try.ts';

/** Every route of configured models. */
export const MODEL_ROUTES = {
  listModels,
  createModel,
  updateModel,
  deleteModel,
} as const satisfies Record<string, RouteDeclaration>;
