import type { Panel } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { tabKey } from '../../api/client.ts';
import { curlOf } from '../../lib/curl.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { alertOnThis, canAlert } from '../alerts/alerts-search.ts';
import { chartThis } from '../boards/chart-this.ts';
import { useWhoAsks } from '../session/use-person.ts';

/** The request behind a chart or a list. */
export interface OpenQuery {
  /** `/api/telemetry/aggregate`. */
  readonly path: string;
  /** What is posted; absent: a GET. */
  readonly body?: unknown;
  readonly environment?: string | undefined;
  /** The chart as data, where it is one: it can be put on a dashboard. */
  readonly panel?: Panel;
  /** What it asks, where a chart has several. */
  readonly label?: string;
  /** The page of the rows behind it, with its search. */
  readonly rows?: { readonly to: string; readonly search: Readonly<Record<string, unknown>> };
}

const FORMS = ['JSON', 'cURL'] as const;

/** Shows the request as the API takes it, to copy, and leads to the rows behind it. */
export default function OpenQueryDialog(props: {
  title: string;
  queries: readonly OpenQuery[];
  onClose: () => void;
}) {
  const [form, setForm] = useState<(typeof FORMS)[number]>('JSON');
  // A browser has its cookie; a shell needs a key wherever somebody signs in.
  const { person } = useWhoAsks();
  const needsKey = person !== undefined || tabKey() !== '';
  const rows = props.queries.find((query) => query.rows !== undefined)?.rows;
  const panel = props.queries.find((query) => query.panel !== undefined)?.panel;
  return (
    <Modal label={`${props.title} as query`} onClose={props.onClose} className="w-[min(640px,92vw)]">
      <div className="flex flex-col gap-3 p-4">
        <div className="flex items-center">
          <h2 className="text-lg font-semibold">{props.title} as query</h2>
          <Button look="plain" className="ml-auto" aria-label="Close" onClick={props.onClose}>
            <X size={14} aria-hidden />
          </Button>
        </div>
        <div className="rounded-md border border-line">
          <div className="border-b border-line px-1">
            <TabList
              id="open-query"
              label="Form"
              value={form}
              onChoose={setForm}
              tabs={FORMS.map((one) => ({ value: one, label: one }))}
            />
          </div>
          <TabPanel
            id="open-query"
            value={form}
            className="flex max-h-80 flex-col gap-4 overflow-auto p-3 -outline-offset-2"
          >
            {props.queries.map((query, index) => (
              <Request key={index} query={query} form={form} needsKey={needsKey} />
            ))}
          </TabPanel>
        </div>
        {form === 'cURL' && needsKey && (
          <p className="text-sm text-muted">Put in an API key: Settings, API keys makes one.</p>
        )}
        {panel && (
          <Link
            {...chartThis(props.title, panel)}
            onClick={props.onClose}
            className="self-start text-accent underline"
          >
            Add to a dashboard
          </Link>
        )}
        {panel && canAlert(panel) && (
          <Link
            {...alertOnThis(props.title, panel)}
            onClick={props.onClose}
            className="self-start text-accent underline"
          >
            Alert on this
          </Link>
        )}
        {rows && (
          <Link
            to={rows.to}
            search={rows.search}
            onClick={props.onClose}
            className="self-start text-accent underline"
          >
            Show the rows behind it
          </Link>
        )}
      </div>
    </Modal>
  );
}

/** One request: what can be copied, below what it is and where it goes. */
function Request(props: { query: OpenQuery; form: (typeof FORMS)[number]; needsKey: boolean }) {
  const { query, form } = props;
  const isJson = form === 'JSON';
  const text = isJson ? jsonOf(query) : shellOf(query, props.needsKey);
  const isGet = query.body === undefined;
  return (
    <section aria-label={query.label ?? 'The request'}>
      <div className="flex min-h-6 items-start gap-2 text-sm text-muted">
        <p className="min-w-0 break-words">
          {query.label !== undefined && <span className="mr-2 font-medium text-text">{query.label}</span>}
          {isJson && (
            <>
              <code className="font-mono">
                {isGet ? 'GET' : 'POST'} {query.path.replace(/\?.*$/s, '')}
              </code>
              {isGet && text !== '' && ', with these as parameters of the address'}
            </>
          )}
        </p>
        {text !== '' && <CopyButton label={`Copy as ${form}`} text={() => text} className="ml-auto h-6" />}
      </div>
      {text !== '' && (
        <pre data-testid="request" className="mt-1 font-mono text-sm break-all whitespace-pre-wrap">
          {text}
        </pre>
      )}
    </section>
  );
}

/** The JSON alone, as it can be sent; the parameters of a GET in the same form. */
function jsonOf({ path, body }: OpenQuery): string {
  if (body !== undefined) return JSON.stringify(body, null, 2);
  const parameters = [...new URL(path, location.origin).searchParams];
  return parameters.length === 0 ? '' : JSON.stringify(Object.fromEntries(parameters), null, 2);
}

function shellOf({ path, body, environment }: OpenQuery, needsKey: boolean): string {
  return curlOf(location.origin, path, { environment, needsKey, ...(body === undefined ? {} : { body }) });
}
