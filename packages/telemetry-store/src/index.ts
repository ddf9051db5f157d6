export * from './schema/tables.ts';
