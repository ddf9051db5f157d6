export * from './api-server.ts';
export * from './kubelet.ts';
export * from './metadata.ts';
