export * from './fill.ts';
export * from './layout.ts';
export * from './frames.ts';
export * from './schemas.ts';
