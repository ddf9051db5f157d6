import type { Prompt, PromptVersionSummary } from '@candela/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  PROMPT_KEYS,
  promptVersion,
  promptVersionsQuery,
  protectedLabelsQuery,
  setProtectedLabelsIn,
} from '../../api/prompts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Loaded, Section } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';
import { MoveLabel, RemoveLabel } from './label-dialogs.tsx';
import { PromptDiffView } from './prompt-diff-view.tsx';
import type { PromptSearch } from './prompts-search.ts';
import { type DraftForm, formOf } from './chat-form.ts';

type Doing =
  | { readonly what: 'label'; readonly label: string; readonly version: string }
  | { readonly what: 'remove'; readonly label: string };

/** What is published: labels, versions, and what changed between any two of them. */
export default function VersionsTab(props: {
  prompt: Prompt;
  search: PromptSearch;
  onChange: (next: { a?: string | undefined; b?: string | undefined }) => void;
  /** Puts a version's content into the editor. */
  onTake: (content: DraftForm) => void;
}) {
  const { prompt, search } = props;
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const mayWrite = can('member');
  const query = useInfiniteQuery(promptVersionsQuery(environment, prompt.id));
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const isAdmin = can('admin');
  const protectedLabels = useQuery(protectedLabelsQuery(environment)).data ?? [];
  const protect = useApiMutation(setProtectedLabelsIn(environment), { touches: [PROMPT_KEYS] });
  const mayMove = (label: string) => mayWrite && (isAdmin || !protectedLabels.includes(label));
  const [doing, setDoing] = useState<Doing>();
  const [trouble, setTrouble] = useState<unknown>();
  const close = () => setDoing(undefined);
  const names = [
    ...(prompt.draft === null ? [] : ['draft']),
    ...rows.map((row) => row.version).filter((version) => version !== null),
  ];
  const newer = search.b ?? names[0];
  const older = search.a ?? names[1];
  const take = async (version: string) => {
    setTrouble(undefined);
    try {
      props.onTake(formOf(await promptVersion(environment, prompt.id, version)));
    } catch (thrown) {
      setTrouble(thrown);
    }
  };
  return (
    <div className="flex flex-col gap-3 overflow-auto p-3">
      <ErrorLine error={trouble ?? protect.error} />
      <Section
        title="Labels"
        about="A name that applications ask for instead of a version. Moving it is how a version goes live, and moving it back is how it is taken back."
        action={
          mayWrite &&
          prompt.latestVersion !== null && (
            <Button
              onClick={() => setDoing({ what: 'label', label: '', version: prompt.latestVersion ?? '' })}
            >
              New label
            </Button>
          )
        }
      >
        <Table
          label="Labels"
          rows={prompt.labels}
          keyOf={(row) => row.label}
          empty="There is none; “latest” is always the newest published version."
          columns={[
            {
              label: 'Label',
              cell: (row) => (
                <span className="flex items-center gap-1">
                  <Badge tone="accent">{row.label}</Badge>
                  {protectedLabels.includes(row.label) && <Badge>protected</Badge>}
                </span>
              ),
            },
            { label: 'Version', cell: (row) => <code className="font-mono">{row.version}</code> },
            { label: 'Moved', cell: (row) => <When time={row.updatedAt} /> },
            { label: 'By', cell: (row) => row.updatedBy ?? 'a key' },
            {
              label: 'Actions',
              align: 'end',
              cell: (row) =>
                mayMove(row.label) && (
                  <span className="inline-flex gap-1">
                    {isAdmin && (
                      <Button
                        className="h-6"
                        busy={protect.isPending}
                        title="Whether only admins and owners may move this label, in every prompt of the project"
                        onClick={() =>
                          protect.mutate(
                            protectedLabels.includes(row.label)
                              ? protectedLabels.filter((one) => one !== row.label)
                              : [...protectedLabels, row.label],
                          )
                        }
                      >
                        {protectedLabels.includes(row.label) ? 'Unprotect' : 'Protect'}
                      </Button>
                    )}
                    <Button
                      className="h-6"
                      aria-label={`Move ${row.label}`}
                      onClick={() => setDoing({ what: 'label', label: row.label, version: row.version })}
                    >
                      Move
                    </Button>
                    <Button
                      className="h-6"
                      aria-label={`Remove ${row.label}`}
                      onClick={() => setDoing({ what: 'remove', label: row.label })}
                    >
                      Remove
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      </Section>
      <Section title="Versions">
        <Loaded query={query} label="the versions">
          {() => (
            <Versions
              rows={rows}
              chosen={[older, newer]}
              mayWrite={mayWrite}
              onCompare={(version) => props.onChange({ a: version, b: version === newer ? names[0] : newer })}
              onTake={(version) => void take(version)}
            />
          )}
        </Loaded>
        <MoreRows query={query} />
      </Section>
      {names.length > 1 && older !== undefined && newer !== undefined && (
        <Section
          title="What changed"
          action={
            <div className="flex gap-2">
              <SelectField
                label="From"
                value={older}
                onValue={(a) => props.onChange({ a, b: newer })}
                options={choices(names, older)}
              />
              <SelectField
                label="To"
                value={newer}
                onValue={(b) => props.onChange({ a: older, b })}
                options={choices(names, newer)}
              />
            </div>
          }
        >
          <PromptDiffView id={prompt.id} from={older} to={newer} />
        </Section>
      )}
      {doing?.what === 'label' && (
        <MoveLabel
          prompt={prompt}
          label={doing.label}
          version={doing.version}
          versions={names.filter((name) => name !== 'draft')}
          onClose={close}
        />
      )}
      {doing?.what === 'remove' && <RemoveLabel prompt={prompt} label={doing.label} onClose={close} />}
    </div>
  );
}

/** The names of a list, and the chosen one also when its page of the list is not loaded. */
const choices = (names: readonly string[], chosen: string) =>
  (names.includes(chosen) ? names : [...names, chosen]).map((value) => ({ value, label: value }));

function Versions(props: {
  rows: readonly PromptVersionSummary[];
  chosen: readonly (string | undefined)[];
  mayWrite: boolean;
  onCompare: (version: string) => void;
  onTake: (version: string) => void;
}) {
  return (
    <Table
      label="Versions"
      rows={props.rows}
      keyOf={(row) => row.id}
      empty="Nothing is published yet: applications are told so until the first version is."
      columns={[
        {
          label: 'Version',
          cell: (row) => (
            <span className="flex items-center gap-1">
              <code className="font-mono">{row.version}</code>
              {row.labels.map((label) => (
                <Badge key={label} tone="accent">
                  {label}
                </Badge>
              ))}
            </span>
          ),
        },
        { label: 'Published', cell: (row) => <When time={row.publishedAt} /> },
        { label: 'By', cell: (row) => row.createdBy ?? 'a key' },
        {
          label: 'Tags',
          cell: (row) => (
            <span className="block max-w-48 truncate" title={row.tags.join(', ')}>
              {row.tags.join(', ')}
            </span>
          ),
        },
        { label: 'Fetches', align: 'end', cell: (row) => formatCount(row.downloads) },
        {
          label: 'Actions',
          align: 'end',
          cell: ({ version }) =>
            version !== null && (
              <span className="inline-flex gap-1">
                <Button
                  className="h-6"
                  aria-label={`Compare ${version}`}
                  aria-pressed={props.chosen.includes(version)}
                  onClick={() => props.onCompare(version)}
                >
                  Compare
                </Button>
                {props.mayWrite && (
                  <Button
                    className="h-6"
                    aria-label={`Edit from ${version}`}
                    onClick={() => props.onTake(version)}
                  >
                    Edit
                  </Button>
                )}
              </span>
            ),
        },
      ]}
    />
  );
}
