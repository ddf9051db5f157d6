import type { RouteDeclaration } from '../route.ts';
import { checkModel, createModel, deleteModel, listModels, updateModel } from './models.ts';
import { tryPrompt } from './try.ts';

export * from './models.ts';
export * from './try.ts';

/** Every route of configured models. */
export const MODEL_ROUTES = {
  listModels,
  createModel,
  updateModel,
  deleteModel,
  checkModel,
  tryPrompt,
} as const satisfies Record<string, RouteDeclaration>;
