import type { EntityType } from '@candela/contract';
import { EVALUATION_TYPES } from '@candela/contract/evaluations';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { contextsQuery } from '../../api/contexts.ts';
import { promptsQuery } from '../../api/prompts.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { Badge } from '../../ui/badge.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { useShell } from '../shell/shell-search.ts';
import { CompletedField } from './completed-field.tsx';
import type { FormLink } from './use-rule-form.ts';

const ENTITY_TYPES = ['context', 'prompt', 'evaluation'] as const satisfies readonly EntityType[];
/** Links that a rule takes. */
const MOST = 100;
const DEBOUNCE_MS = 200;
const SHOWN = 30;

/** What the rule hands out when it matches: contexts, prompts, types of evaluation. */
export function LinksField(props: {
  links: readonly FormLink[];
  disabled: boolean;
  onLinks: (links: readonly FormLink[]) => void;
}) {
  const { links, disabled } = props;
  const full = links.length >= MOST;
  const add = (link: FormLink) => {
    const there = links.some(
      ({ entityType, entityId }) => entityType === link.entityType && entityId === link.entityId,
    );
    if (!there) props.onLinks([...links, link]);
  };
  return (
    <section aria-label="Returns" className="flex flex-col gap-1.5">
      <h2 className="font-medium">Returns</h2>
      {links.length === 0 && (
        <p className="text-sm text-muted">Nothing yet: applications are told of no match.</p>
      )}
      <ul className="flex flex-col gap-1">
        {links.map((link) => (
          <li key={`${link.entityType} ${link.entityId}`} className="flex min-w-0 items-center gap-2 text-sm">
            <Badge>{link.entityType}</Badge>
            <LinkName link={link} />
            {link.state !== 'active' && (
              <Badge tone="warn">{link.state === 'vanished' ? 'deleted' : 'inactive: does not count'}</Badge>
            )}
            {!disabled && (
              <button
                type="button"
                aria-label={`Take away ${link.name ?? link.entityId}`}
                onClick={() => props.onLinks(links.filter((each) => each !== link))}
                className="flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
              >
                <X size={12} aria-hidden />
              </button>
            )}
          </li>
        ))}
      </ul>
      {!disabled && !full && <LinkChooser onChoose={add} />}
    </section>
  );
}

function LinkName({ link }: { link: FormLink }) {
  const name = link.name ?? link.entityId;
  const look = 'flex min-w-0 hover:underline';
  if (link.state !== 'vanished' && link.entityType === 'context') {
    return (
      <Link to="/contexts/$context" params={{ context: link.entityId }} className={look}>
        <MiddleTruncation name={name} />
      </Link>
    );
  }
  if (link.state !== 'vanished' && link.entityType === 'prompt') {
    return (
      <Link to="/prompts/$prompt" params={{ prompt: link.entityId }} className={look}>
        <MiddleTruncation name={name} />
      </Link>
    );
  }
  return <MiddleTruncation name={name} />;
}

/** A kind, and one of it by its name. */
function LinkChooser({ onChoose }: { onChoose: (link: FormLink) => void }) {
  const id = useId();
  const [kind, setKind] = useState<EntityType>('context');
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const found = useFound(kind, text.trim(), open);
  return (
    <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-1">
      <select
        id={id}
        aria-label="Kind of what to hand out"
        value={kind}
        onChange={(event) => {
          const chosen = ENTITY_TYPES.find((type) => type === event.target.value);
          if (chosen !== undefined) setKind(chosen);
        }}
        className="h-8 rounded-md border border-line bg-bg px-1.5 text-text"
      >
        {ENTITY_TYPES.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </select>
      <CompletedField
        label={`Name of the ${kind} to hand out`}
        value={text}
        placeholder={`Add a ${kind} by its name`}
        maxLength={100}
        completions={open ? found.map(({ id: hint, name }) => ({ text: name, hint })) : []}
        disabled={false}
        invalid={false}
        describedBy={undefined}
        onValue={setText}
        onTake={({ text: name, hint }) => {
          onChoose({ entityType: kind, entityId: hint, name, state: 'active' });
          setText('');
        }}
        onOpen={setOpen}
      />
    </div>
  );
}

/** What there is of a kind whose name has the text. */
function useFound(kind: EntityType, text: string, open: boolean): { id: string; name: string }[] {
  const { environment } = useShell();
  const q = useDebounced(text, DEBOUNCE_MS);
  const contexts = useInfiniteQuery({
    ...contextsQuery(environment, { q, status: '' }, SHOWN),
    enabled: open && kind === 'context',
  });
  const prompts = useInfiniteQuery({
    ...promptsQuery(environment, { q, tag: '' }, SHOWN),
    enabled: open && kind === 'prompt',
  });
  if (kind === 'evaluation') {
    return EVALUATION_TYPES.filter(({ id, label }) =>
      `${id} ${label}`.toLowerCase().includes(text.toLowerCase()),
    ).map(({ id, label }) => ({ id, name: label }));
  }
  const rows: readonly { readonly id: string; readonly name: string }[] =
    (kind === 'context' ? contexts.data : prompts.data)?.pages[0]?.data ?? [];
  return rows
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ id, name }) => ({ id, name }));
}
