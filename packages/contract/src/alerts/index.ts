export * from './sources.ts';
export * from './schemas.ts';
export * from './destinations.ts';
export * from './routes.ts';
