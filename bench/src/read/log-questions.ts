import {
  atLeast,
  CHART_GOAL_MS,
  holds,
  LIST_GOAL_MS,
  type Loaded,
  post,
  type Question,
  windowOf,
} from './question.ts';
import { wordCharts, wordQuestions } from './word-questions.ts';

export function logQuestions(loaded: Loaded): Question[] {
  const window = windowOf(loaded);
  const page = { ...window, limit: 50 };
  const fields = ['severity', 'service', 'environment', 'event', 'scope_name'];
  return [
    post('first page of log records, newest first', LIST_GOAL_MS, 'logs/search', page, atLeast(50)),
    post(
      'first page of log records, oldest first',
      LIST_GOAL_MS,
      'logs/search',
      { ...page, sort: 'time' },
      atLeast(50),
    ),
    post(
      'log records of one service',
      LIST_GOAL_MS,
      'logs/search',
      { ...page, q: 'service:service-3' },
      atLeast(50),
    ),
    post(
      'log records of severity error',
      LIST_GOAL_MS,
      'logs/search',
      { ...page, q: 'severity>=error' },
      atLeast(50),
    ),
    ...wordQuestions('logs', 'log records whose body holds', page),
    ...wordCharts('logs', window, fields),
    post(
      'chart: log records by severity over time',
      CHART_GOAL_MS,
      'aggregate',
      { ...window, signal: 'logs', measures: ['count'], groupBy: ['severity'], bucketSeconds: 'auto' },
      holds('rows', 1),
    ),
    post(
      'facets: the panel of the logs page',
      CHART_GOAL_MS,
      'facets',
      { ...window, signal: 'logs', fields },
      atLeast(4),
    ),
    post(
      'facets: the panel with a severity chosen',
      CHART_GOAL_MS,
      'facets',
      { ...window, signal: 'logs', fields, q: 'severity>=error' },
      atLeast(4),
    ),
    post('exceptions, latest first', LIST_GOAL_MS, 'exceptions/search', page, atLeast(1)),
    post('exceptions by -count', LIST_GOAL_MS, 'exceptions/search', { ...page, sort: '-count' }, atLeast(1)),
  ];
}
