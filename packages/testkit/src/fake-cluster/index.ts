export * from './api-server.ts';
export * from './metadata.ts';
