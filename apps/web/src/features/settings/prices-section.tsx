import type { CustomPrice, ListedPrice, PriceRates } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { customPricesQuery, deletePrice, priceListQuery } from '../../api/prices.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded, Section } from './page.tsx';
import { PriceDialog } from './price-dialog.tsx';
import type { Begun } from './price-form.ts';

type Doing =
  | { readonly what: 'make'; readonly begun?: Begun }
  | { readonly what: 'change' | 'delete'; readonly price: CustomPrice };

/** What models cost: prices that people set, and the list that counts where they set none. */
export function PricesSection() {
  const { can } = useWhoAsks();
  const [doing, setDoing] = useState<Doing>();
  const custom = useQuery(customPricesQuery());
  const mayChange = can('admin');
  const close = () => setDoing(undefined);
  return (
    <>
      <Section
        title="Custom prices"
        about="They stand before the price list. A change counts at once, also for calls that are stored: charts, lists and budgets show the new cost, and each cost says which price it follows from."
        action={
          mayChange && (
            <Button onClick={() => setDoing({ what: 'make' })}>
              <Plus size={14} aria-hidden />
              New price
            </Button>
          )
        }
      >
        <Loaded query={custom} label="the prices">
          {(rows) => (
            <Table
              label="Custom prices"
              rows={rows}
              keyOf={({ id }) => id}
              empty="None. The price list counts for every model."
              columns={[
                { label: 'Models', cell: ({ names }) => <Names names={names} /> },
                { label: 'Provider', cell: ({ provider }) => provider || <Muted>any</Muted> },
                {
                  label: 'Applies to',
                  cell: ({ scope }) =>
                    scope === 'project' ? (
                      <Badge tone="accent">this project</Badge>
                    ) : (
                      <Badge>organisation</Badge>
                    ),
                },
                ...rateColumns<CustomPrice>(),
                { label: 'Valid', cell: ({ validFrom, validTo }) => daysOf(validFrom, validTo) },
                {
                  label: 'Set by',
                  cell: ({ updatedBy, note }) => <span title={note ?? undefined}>{updatedBy ?? '–'}</span>,
                },
                ...(mayChange
                  ? [
                      {
                        label: 'Actions',
                        align: 'end' as const,
                        cell: (price: CustomPrice) => (
                          <span className="inline-flex gap-1">
                            {(['change', 'delete'] as const).map((what) => (
                              <Button
                                key={what}
                                className="h-6"
                                aria-label={`${what === 'change' ? 'Change' : 'Delete'} the price of ${price.names[0] ?? ''}`}
                                onClick={() => setDoing({ what, price })}
                              >
                                {what === 'change' ? 'Change' : 'Delete'}
                              </Button>
                            ))}
                          </span>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          )}
        </Loaded>
      </Section>
      <PriceList {...(mayChange ? { onCorrect: (begun: Begun) => setDoing({ what: 'make', begun }) } : {})} />
      {doing?.what === 'make' && (
        <PriceDialog {...(doing.begun === undefined ? {} : { begun: doing.begun })} onClose={close} />
      )}
      {doing?.what === 'change' && <PriceDialog price={doing.price} onClose={close} />}
      {doing?.what === 'delete' && <Delete price={doing.price} onClose={close} />}
    </>
  );
}

function PriceList({ onCorrect }: { onCorrect?: (begun: Begun) => void }) {
  const [typed, setTyped] = useState('');
  const query = useQuery({ ...priceListQuery(typed.trim()), placeholderData: keepPreviousData });
  return (
    <Section
      title="Price list"
      about={
        <>
          What counts without a custom price, each row with its source and day. Also as{' '}
          <a className="text-accent underline" href="/api/pricing/export.csv">
            CSV
          </a>{' '}
          and{' '}
          <a className="text-accent underline" href="/api/pricing/export">
            JSON for client libraries
          </a>
          .
        </>
      }
    >
      <TextField
        label="Find a model"
        type="search"
        placeholder="claude sonnet"
        spellCheck={false}
        value={typed}
        onValue={setTyped}
      />
      <Loaded query={query} label="the price list">
        {({ data, total }) => (
          <>
            <Table
              label="Price list"
              rows={data}
              keyOf={(row) => `${row.provider}/${row.model}/${row.validFrom ?? ''}`}
              empty="The list has no price of such a model: calls of it are shown as unpriced."
              columns={[
                { label: 'Model', cell: ({ model, aliases }) => <Names names={[model, ...aliases]} /> },
                { label: 'Provider', cell: ({ provider }) => provider },
                ...rateColumns<ListedPrice>(),
                { label: 'Valid', cell: ({ validFrom, validTo }) => daysOf(validFrom, validTo) },
                {
                  label: 'Source',
                  cell: ({ source, asOf }) => (
                    <a
                      className="text-accent underline"
                      href={source}
                      rel="noopener noreferrer"
                      target="_blank"
                    >
                      {asOf}
                    </a>
                  ),
                },
                ...(onCorrect === undefined
                  ? []
                  : [
                      {
                        label: 'Actions',
                        align: 'end' as const,
                        cell: (row: ListedPrice) => (
                          <Button
                            className="h-6"
                            aria-label={`Correct the price of ${row.model} of ${row.provider}`}
                            onClick={() =>
                              onCorrect({
                                names: [row.model, ...row.aliases].slice(0, 20),
                                provider: row.provider,
                                rates: row.rates,
                              })
                            }
                          >
                            Correct
                          </Button>
                        ),
                      },
                    ]),
              ]}
            />
            {total > data.length && (
              <p className="text-sm text-muted">
                {data.length} of {total} rows. Name the model to see others.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const usd = (rate: number | undefined) => (rate === undefined ? <Muted>–</Muted> : `$${rate}`);

/** USD per million tokens; the rules that change them are told by a word, and whole on hover. */
function rateColumns<Row extends { readonly rates: PriceRates }>(): TableColumn<Row>[] {
  return [
    { label: 'Input', align: 'end', cell: ({ rates }) => usd(rates.input) },
    { label: 'Output', align: 'end', cell: ({ rates }) => usd(rates.output) },
    { label: 'Cache read', align: 'end', cell: ({ rates }) => usd(rates.cacheRead) },
    { label: 'Cache write', align: 'end', cell: ({ rates }) => usd(rates.cacheWrite) },
    { label: 'Rules', cell: ({ rates }) => <Rules rates={rates} /> },
  ];
}

function Rules({ rates }: { rates: PriceRates }) {
  const { input: _in, output: _out, cacheRead: _read, cacheWrite: _write, ...more } = rates;
  const names = Object.keys(more);
  if (names.length === 0) return <Muted>–</Muted>;
  return (
    <span title={JSON.stringify(more, null, 1)}>
      {names.length === 1 ? '1 more' : `${names.length} more`}
    </span>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <code className="inline-block max-w-72 truncate align-bottom font-mono" title={names.join('\n')}>
      {names[0]}
      {names.length > 1 && ` +${names.length - 1}`}
    </code>
  );
}

const Muted = ({ children }: { children: string }) => <span className="text-muted">{children}</span>;

function daysOf(from: string | null, to: string | null) {
  if (from === null && to === null) return <Muted>always</Muted>;
  if (from === null) return `until ${to ?? ''}`;
  return to === null ? `since ${from}` : `${from} to ${to}`;
}

function Delete({ price, onClose }: { price: CustomPrice; onClose: () => void }) {
  const remove = useApiMutation(deletePrice, { touches: [[]], onDone: onClose });
  return (
    <ConfirmDialog
      title={`Delete the price of ${price.names[0] ?? 'the model'}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(price.id)}
      onClose={onClose}
    >
      <p>Costs of its calls follow from the price list again, those of stored calls too.</p>
    </ConfirmDialog>
  );
}
