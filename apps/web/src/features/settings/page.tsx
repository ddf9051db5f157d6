import type { ReactNode } from 'react';
import { Failure, SkeletonRows } from '../../ui/states.tsx';

/** A page of Settings: what it is, what can be made here, and the rest under it. */
export function SettingsPage(props: {
  title: string;
  about: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="flex h-full flex-col gap-4 overflow-auto p-4">
      <title>{`${props.title} · Candela`}</title>
      <header className="flex max-w-5xl flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="max-w-2xl min-w-0">
          <h1 className="text-lg font-semibold">{props.title}</h1>
          <p className="text-muted">{props.about}</p>
        </div>
        {props.action}
      </header>
      {props.children}
    </div>
  );
}

/** A part of a page of Settings, with a line around it. */
export function Section(props: {
  title: string;
  about?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={props.title}
      className="flex max-w-5xl flex-col gap-3 rounded-md border border-line bg-surface p-3"
    >
      <header className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 grow">
          <h2 className="font-medium">{props.title}</h2>
          {props.about !== undefined && <p className="max-w-2xl text-sm text-muted">{props.about}</p>}
        </div>
        {props.action}
      </header>
      {props.children}
    </section>
  );
}

interface Asked<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  refetch(): unknown;
}

/** What was asked for, or that it is under way, or why it failed. */
export function Loaded<Data>(props: {
  query: Asked<Data>;
  label: string;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, isPending } = props.query;
  if (data !== undefined) return props.children(data);
  if (isPending) return <SkeletonRows rows={4} label={`Loading ${props.label}`} />;
  return <Failure error={error} onRetry={() => void props.query.refetch()} />;
}
