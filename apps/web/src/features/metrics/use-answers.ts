import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { metricQuery, type MetricAnswer, type MetricQuestion } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { queryTrouble } from '../explore/query-trouble.ts';
import type { ExplorerQuery, Letter } from './explore-search.ts';

const LINES = 20;

export interface Answered {
  readonly letter: Letter;
  readonly query: ExplorerQuery;
  readonly question: MetricQuestion;
  readonly scope: Scope;
  readonly answer: MetricAnswer | undefined;
  readonly state: {
    readonly isPending: boolean;
    readonly isError: boolean;
    readonly error: unknown;
    readonly isPlaceholderData: boolean;
    refetch(): unknown;
  };
}

export const questionOf = (query: ExplorerQuery, stepSeconds: number | undefined): MetricQuestion => ({
  metric: query.metric,
  type: query.type,
  unit: query.unit,
  meaning: query.meaning,
  aggregation: query.aggregation,
  groupBy: query.groupBy,
  stepSeconds,
  exemplars: true,
  limit: LINES,
});

/**
 * The answers of all queries that can be asked, in one step: the server chooses one for each, and those that got a
 * finer one than others are asked again with the widest, so that one chart has one grid.
 */
export function useAnswers(
  queries: readonly { letter: Letter; query: ExplorerQuery }[],
  scope: Omit<Scope, 'q'>,
  step: number | undefined,
): Answered[] {
  const asked = useMemo(
    () =>
      queries.filter(
        ({ query }) =>
          query.metric !== '' && (query.filter === '' || queryTrouble(query.filter, 'metrics') === undefined),
      ),
    [queries],
  );
  // Of several queries the library keeps no answers while new ones are under way: the chart would go and come back, and
  // whoever stood on it with the keyboard would stand nowhere.
  const [kept, setKept] = useState<ReadonlyMap<Letter, MetricAnswer>>(new Map());
  const before =
    (letter: Letter, { metric }: ExplorerQuery) =>
    () => {
      const answer = kept.get(letter);
      return answer?.metric === metric ? answer : undefined;
    };
  const first = useQueries({
    queries: asked.map(({ letter, query }) => ({
      ...metricQuery({ ...scope, q: query.filter }, questionOf(query, step)),
      placeholderData: before(letter, query),
    })),
  });
  const fresh = first.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data));
  const widest = Math.max(0, ...fresh.map((data) => (data?.type == null ? 0 : data.stepSeconds)));
  const again = (data: MetricAnswer | undefined) =>
    step === undefined && data?.type != null && widest > 0 && data.stepSeconds !== widest;
  const second = useQueries({
    queries: asked.map(({ letter, query }, index) => ({
      ...metricQuery({ ...scope, q: query.filter }, questionOf(query, widest || undefined)),
      enabled: again(fresh[index]),
      placeholderData: before(letter, query),
    })),
  });
  const settled = asked.flatMap(({ letter }, index) => {
    const wider = second[index];
    const answer = again(fresh[index]) ? (wider?.isPlaceholderData ? undefined : wider?.data) : fresh[index];
    return answer === undefined ? [] : [[letter, answer] as const];
  });
  if (settled.some(([letter, answer]) => kept.get(letter) !== answer))
    setKept(new Map([...kept, ...settled]));
  return asked.flatMap(({ letter, query }, index) => {
    const own = first[index];
    const wider = second[index];
    if (own === undefined || wider === undefined) return [];
    const isWider = again(fresh[index]);
    return [
      {
        letter,
        query,
        question: questionOf(query, isWider ? widest : step),
        scope: { ...scope, q: query.filter },
        answer: isWider ? (wider.data ?? own.data) : own.data,
        state: own.isError ? own : isWider && wider.isError ? wider : own,
      },
    ];
  });
}
