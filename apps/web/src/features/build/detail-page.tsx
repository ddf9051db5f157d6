import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';

interface HeadProps {
  /** What it is: `rule`. */
  readonly noun: string;
  readonly name: string;
  /** The way back to the list. */
  readonly back: ReactNode;
  readonly children?: ReactNode;
  readonly aside?: ReactNode;
}

const capital = (noun: string): string => `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;

/** Title and head of the page of one thing that people write here. */
export function DetailHead({ noun, name, back, children, aside }: HeadProps) {
  return (
    <>
      <title>{`${capital(noun)} ${name.slice(0, 60)} · Candela`}</title>
      <PageHead back={back} kind={capital(noun)} name={name} copy={`${noun}'s name`} aside={aside}>
        {children}
      </PageHead>
    </>
  );
}

/** The page of one thing: itself once it is there, and what stands there until then or instead. */
export function DetailPage<Thing>(props: {
  readonly noun: string;
  readonly nouns: string;
  readonly id: string;
  readonly query: UseQueryResult<Thing>;
  readonly back: ReactNode;
  readonly onBack: () => void;
  readonly children: (thing: Thing) => ReactNode;
}) {
  const { noun, query } = props;
  useHotkey('Escape', props.onBack, { label: `Back to the ${props.nouns}`, group: capital(noun) });
  if (query.data !== undefined) return props.children(query.data);
  return (
    <div className="flex h-full flex-col">
      <DetailHead noun={noun} name={query.isPending ? '' : props.id} back={props.back} />
      {query.isPending ? (
        <SkeletonRows label={`Loading the ${noun}`} />
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <Notice title={`There is no such ${noun} here`}>
          <p>
            It was deleted, or it belongs to another project or environment: both are chosen in the header.
          </p>
        </Notice>
      ) : (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      )}
    </div>
  );
}
