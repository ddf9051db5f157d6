import { useSyncExternalStore } from 'react';

/** How far the download is, and what there is to say of it; there is one at a time, whatever page is open. */
export interface ExportProgress {
  readonly state: 'idle' | 'running' | 'done' | 'failed';
  readonly text: string;
  /** How much has come. */
  readonly size: string;
}

const IDLE: ExportProgress = { state: 'idle', text: '', size: '' };

let current = IDLE;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const get = () => current;

export function tellProgress(next: ExportProgress = IDLE): void {
  current = next;
  for (const listener of listeners) listener();
}

/** What was said of a download that is over has been read. */
export const forgetProgress = (): void => {
  if (current.state !== 'running') tellProgress();
};

export const useExportProgress = (): ExportProgress => useSyncExternalStore(subscribe, get);
