import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { endProvider } from '../../api/auth.ts';
import { returnPath } from '../../lib/return-to.ts';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Card } from './card.tsx';
import { CodeStep } from './code-step.tsx';
import { enter } from './enter.ts';

const route = getRouteApi('/sign-in/$provider');

/** Where the other place sends the browser back to: hands its answer on and goes where one wanted to be. */
export function ProviderPage() {
  const { provider } = route.useParams();
  // As it came: the code in it works once.
  const [search] = useState(() => location.search);
  const answer = useQuery({
    queryKey: ['provider', provider, search],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () => endProvider(provider, search),
  });
  const { data } = answer;
  useEffect(() => {
    if (data?.next === 'done') enter(returnPath(data.returnTo));
  }, [data]);
  if (data?.next === 'totp')
    return (
      <Card title="Second step">
        <CodeStep onDone={() => enter(returnPath(data.returnTo))} onBack={() => enter('/sign-in')} />
      </Card>
    );
  return (
    <Card title="Sign in">
      {answer.isError ? (
        <>
          <ErrorLine error={answer.error} />
          <Link to="/sign-in" className="text-accent underline">
            Back to sign-in
          </Link>
        </>
      ) : (
        <p role="status" className="text-muted">
          Signing in …
        </p>
      )}
    </Card>
  );
}
