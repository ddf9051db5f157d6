import { useId, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';

/** Variables that are shown as fields; a template may hold any number. */
const MOST_FIELDS = 100;
/** Characters of the compiled text that are drawn. */
const MOST_CHARACTERS = 20_000;

/** A field for every variable of the template, and the text that comes of them as one types. */
export function CompiledView(props: {
  names: readonly string[];
  values: ReadonlyMap<string, string>;
  onValues: (values: ReadonlyMap<string, string>) => void;
  rendered: {
    readonly text: string;
    readonly missing: readonly string[];
    readonly unused: readonly string[];
    readonly trouble: unknown;
  };
}) {
  const { names, values, rendered } = props;
  const [whole, setWhole] = useState(false);
  const cut = !whole && rendered.text.length > MOST_CHARACTERS;
  return (
    <>
      <section aria-label="Variables" className="flex flex-col gap-2">
        <h2 className="font-medium">
          Variables <span className="text-sm font-normal text-muted">{names.length}</span>
        </h2>
        {names.length === 0 && (
          <p className="text-sm text-muted">
            The text holds none. <code className="font-mono">{'{{name}}'}</code> makes one.
          </p>
        )}
        {names.slice(0, MOST_FIELDS).map((name) => (
          <Variable
            key={name}
            name={name}
            value={values.get(name) ?? ''}
            onValue={(value) => props.onValues(new Map(values).set(name, value))}
          />
        ))}
        {names.length > MOST_FIELDS && (
          <p className="text-sm text-muted">The first {MOST_FIELDS} can be filled here.</p>
        )}
      </section>
      <section aria-label="Compiled" className="flex flex-col gap-1">
        <header className="flex items-center gap-2">
          <h2 className="font-medium">Compiled</h2>
          <CopyButton label="Copy the compiled text" text={() => rendered.text} />
        </header>
        <ErrorLine error={rendered.trouble} />
        <pre
          tabIndex={0}
          aria-label="Compiled text"
          className="max-h-80 min-h-16 overflow-auto rounded-md border border-line bg-sunken p-2 font-mono text-sm break-words whitespace-pre-wrap"
        >
          {cut ? rendered.text.slice(0, MOST_CHARACTERS) : rendered.text}
        </pre>
        {cut && (
          <button type="button" className="self-start text-sm text-accent" onClick={() => setWhole(true)}>
            show all {rendered.text.length.toLocaleString('en-US')} characters
          </button>
        )}
        <div role="status" className="text-sm">
          {rendered.missing.length > 0 && (
            <p className="text-warn">
              Without a value, they stay as written: {rendered.missing.slice(0, 20).join(', ')}
            </p>
          )}
          {rendered.unused.length > 0 && (
            <p className="text-muted">
              Given, but not in the text: {rendered.unused.slice(0, 20).join(', ')}
            </p>
          )}
        </div>
      </section>
    </>
  );
}

function Variable(props: { name: string; value: string; onValue: (value: string) => void }) {
  const id = useId();
  const lines = Math.min(8, props.value.split('\n').length);
  return (
    <div className="flex items-start gap-2">
      <label
        htmlFor={id}
        className="w-36 shrink-0 truncate pt-1 font-mono text-sm text-accent"
        title={props.name}
      >
        {props.name}
      </label>
      <textarea
        id={id}
        rows={lines}
        value={props.value}
        spellCheck={false}
        onChange={(event) => props.onValue(event.target.value)}
        className="min-h-7 min-w-0 grow rounded-md border border-line bg-bg px-2 py-0.5 font-mono text-sm"
      />
    </div>
  );
}
