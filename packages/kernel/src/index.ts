export * from './bytes.ts';
export * from './context.ts';
export * from './entity-key.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './ports.ts';
export * from './previous-window.ts';
export * from './time.ts';
