import { prepare, type Rule } from '@candela/rules';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { spanExplanationQuery } from '../../api/rules.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { ExplanationView } from './explanation-view.tsx';
import { type SpanPlace, spanOf } from './rules-search.ts';
import { readFields } from './try-fields.ts';

/** A dry run: fields as an application would send them, or a span, and why the rule matches or does not. */
export function TryPanel(props: {
  /** Why there is nothing to try; undefined: there is. */
  idle: string | undefined;
  rule: Rule;
  text: string;
  onText: (text: string) => void;
  span: string | undefined;
  onSpan: (span: string | undefined) => void;
}) {
  const span = props.span === undefined ? undefined : spanOf(props.span);
  return (
    <div className="flex flex-col gap-3">
      {span === undefined ? (
        <>
          <TextArea
            label="Fields"
            rows={6}
            spellCheck={false}
            value={props.text}
            onValue={props.onText}
            hint="As an application sends them: a JSON object of names and values."
          />
          {props.idle === undefined ? (
            <FieldsTold rule={props.rule} text={props.text} />
          ) : (
            <p className="text-muted">{props.idle}</p>
          )}
          <SpanBox onSpan={props.onSpan} />
        </>
      ) : (
        <>
          <p className="flex flex-wrap items-center gap-2">
            <span>
              The span{' '}
              <Link
                to="/traces/$traceId"
                params={{ traceId: span.traceId }}
                search={{ span: span.spanId }}
                className="font-mono text-sm underline"
              >
                {span.spanId}
              </Link>
            </span>
            <Button className="ml-auto" onClick={() => props.onSpan(undefined)}>
              Try fields instead
            </Button>
          </p>
          {props.idle === undefined ? (
            <SpanTold rule={props.rule} span={span} />
          ) : (
            <p className="text-muted">{props.idle}</p>
          )}
        </>
      )}
    </div>
  );
}

/** Worked out here, by the same code as the server's. */
function FieldsTold({ rule, text }: { rule: Rule; text: string }) {
  const read = readFields(text);
  if ('trouble' in read) {
    return (
      <p role="alert" className="text-sm text-danger">
        {read.trouble}
      </p>
    );
  }
  const told = prepare(rule).explain(read.fields);
  return (
    <>
      {read.dropped.length > 0 && (
        <p className="text-sm text-warn">
          Left out, being neither text, number nor boolean: {read.dropped.slice(0, 10).join(', ')}.
        </p>
      )}
      <ExplanationView
        told={{
          ...told,
          groups: told.groups.map((group) => ({
            ...group,
            conditions: group.conditions.map(({ condition, result, why }) => ({
              field: condition.field,
              result,
              why,
            })),
          })),
        }}
      />
    </>
  );
}

function SpanTold({ rule, span }: { rule: Rule; span: SpanPlace }) {
  const { environment } = useShell();
  const query = useQuery(spanExplanationQuery(environment, rule, span));
  if (query.isError) return <ErrorLine error={query.error} />;
  if (query.data === undefined) return <SkeletonRows rows={3} label="Asking the span" />;
  return <ExplanationView told={query.data} />;
}

/** A span by its ids, as they are copied from a trace: with any sign between them. */
function SpanBox({ onSpan }: { onSpan: (span: string) => void }) {
  const [text, setText] = useState('');
  return (
    <TextField
      label="Or a span"
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      placeholder="trace id.span id"
      value={text}
      onValue={(typed) => {
        setText(typed);
        const place = spanOf(typed.trim().replace(/^([0-9a-fA-F]{32})[\s/,:-]+/, '$1.'));
        if (place !== undefined) onSpan(`${place.traceId}.${place.spanId}`);
      }}
      hint="Both ids; spans that match have a button “Why?” in the preview."
    />
  );
}
