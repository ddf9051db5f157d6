export * from './platform-process.ts';
