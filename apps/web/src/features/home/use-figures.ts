import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FigureBody, figuresQuery } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { useShell } from '../shell/shell-search.ts';

/** Figures of the window; while another window is asked for, the ones before stay. */
export function useFigures(scope: Scope, body: FigureBody) {
  const asked = useAsked(body);
  return useQuery({ ...figuresQuery(scope, asked), placeholderData: keepPreviousData });
}

/** What is asked: figures that can be compared with the period before are so while the reader wants it. */
export function useAsked(body: FigureBody): FigureBody {
  const { compare, before } = useShell();
  if (body.comparePrevious !== true) return body;
  if (compare) return { ...body, comparePrevious: before };
  const { comparePrevious: _unwanted, ...plain } = body;
  return plain;
}
