/** What reads and completes searches, as one part: it comes when there is something to read or to write. */
export { completeFilter, completionField, completionValue } from '@candela/contract/filter';
export { queryTrouble } from './query-trouble.ts';
