/** The resource attribute that `ServiceName` is, and those that `Environment` is, the first that is there. */
export const SERVICE_KEY = 'service.name';
export const ENVIRONMENT_KEYS = ['deployment.environment.name', 'deployment.environment'] as const;
