export { CONTEXT_ROUTES } from './routes.ts';
export {
  type Context,
  CONTEXT_LIMITS,
  type ContextSummary,
  type ContextVersion,
  type ContextVersionSummary,
} from './schemas.ts';
