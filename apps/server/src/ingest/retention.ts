/** How long the records of one signal are kept. */
export interface Retention {
  /** Of every project that has no days of its own. */
  readonly days: number;
  readonly projects: ReadonlyMap<string, number>;
}

/** Days that a project's records are kept. */
export function retentionDaysOf(retention: Retention, projectId: string): number {
  return retention.projects.get(projectId) ?? retention.days;
}
