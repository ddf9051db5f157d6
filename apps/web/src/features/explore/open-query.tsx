import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { curlOf } from '../../lib/curl.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';

/** The request behind a chart or a list. */
export interface OpenQuery {
  /** `/api/telemetry/aggregate`. */
  readonly path: string;
  /** What is posted; absent: a GET. */
  readonly body?: unknown;
  readonly environment?: string | undefined;
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
  const text = props.queries.map((query) => textOf(query, form)).join('\n\n');
  const rows = props.queries.find((query) => query.rows !== undefined)?.rows;
  return (
    <Modal label={`${props.title} as query`} onClose={props.onClose} className="w-[min(640px,92vw)]">
      <div className="flex flex-col gap-3 p-4">
        <h2 className="text-lg font-semibold">{props.title} as query</h2>
        <div className="rounded-md border border-line">
          <div className="flex items-center border-b border-line px-1">
            <TabList
              id="open-query"
              label="Form"
              value={form}
              onChoose={setForm}
              tabs={FORMS.map((one) => ({ value: one, label: one }))}
            />
            <CopyButton label={`Copy as ${form}`} text={() => text} className="ml-auto h-6" />
          </div>
          <TabPanel id="open-query" value={form} className="max-h-80 overflow-auto p-3">
            <pre className="font-mono text-sm break-all whitespace-pre-wrap">{text}</pre>
          </TabPanel>
        </div>
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

function textOf({ path, body, environment, label }: OpenQuery, form: (typeof FORMS)[number]): string {
  const head = label === undefined ? '' : `# ${label}\n`;
  if (form === 'cURL')
    return head + curlOf(location.origin, path, { environment, ...(body === undefined ? {} : { body }) });
  return `${head}${body === undefined ? `GET ${path}` : `POST ${path}\n\n${JSON.stringify(body, null, 2)}`}`;
}
