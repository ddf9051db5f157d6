export * from './chaos/index.ts';
export * from './clickhouse-proxy.ts';
export * from './fake-ai/index.ts';
export * from './nginx-process.ts';
export * from './otlp-recorder/index.ts';
export * from './platform-process.ts';
export * from './postgres-process.ts';
export * from './receivers/index.ts';
