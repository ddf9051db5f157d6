export * from './account.ts';
export * from './auth.ts';
export { IDENTITY_LIMITS } from './common.ts';
export * from './keys.ts';
export * from './organisation.ts';
export * from './projects.ts';
export { IDENTITY_ROUTES } from './routes.ts';
