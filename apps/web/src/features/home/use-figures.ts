import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FigureBody, figuresQuery } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';

/** Figures of the window; while another window is asked for, the ones before stay. */
export const useFigures = (scope: Scope, body: FigureBody) =>
  useQuery({ ...figuresQuery(scope, body), placeholderData: keepPreviousData });
