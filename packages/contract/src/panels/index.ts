export * from './layout.ts';
export * from './frames.ts';
export * from './schemas.ts';
