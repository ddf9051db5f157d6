import type { Completion, CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Annotation, Compartment, EditorState, type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder as emptyText,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';

/** A stretch of a text, by its characters. */
export interface Mark {
  readonly from: number;
  readonly to: number;
}

export interface CodeEditorProps {
  /** Its name for those who hear it. */
  label: string;
  value: string;
  /** Absent: the text can be read and copied only. */
  onValue?: ((text: string) => void) | undefined;
  /** What is marked in some whole lines of the text, in order. Asked for what is in sight, so it must be one function. */
  marks?: ((lines: string) => readonly Mark[]) | undefined;
  placeholder?: string;
  /** Words that it offers while somebody writes. */
  words?: readonly EditorWord[] | undefined;
  /** Control and Enter. */
  onRun?: (() => void) | undefined;
}

export interface EditorWord {
  readonly label: string;
  readonly detail?: string;
  readonly type: 'class' | 'property' | 'function' | 'keyword';
}

/** A change that came from outside is not told to where it came from. */
const given = Annotation.define<true>();

const theme = EditorView.theme({
  '&': { height: '100%', minHeight: 'inherit', fontSize: '12px', color: 'var(--text)', flex: '1' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono, ui-monospace, Menlo, Consolas, monospace)',
    lineHeight: '19px',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--faint)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-content ::selection': { backgroundColor: 'color-mix(in srgb, var(--accent-fill) 35%, transparent)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', color: 'var(--text)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-mark': {
    color: 'var(--accent)',
    backgroundColor: 'color-mix(in srgb, var(--accent-fill) 14%, transparent)',
    borderRadius: '3px',
    padding: '1px 0',
  },
});

const marked = Decoration.mark({ class: 'cm-mark' });

function marking(marks: (lines: string) => readonly Mark[]): Extension {
  const inSight = (view: EditorView): DecorationSet => {
    const found = new RangeSetBuilder<Decoration>();
    for (const range of view.visibleRanges) {
      const { from } = view.state.doc.lineAt(range.from);
      const { to } = view.state.doc.lineAt(range.to);
      for (const mark of marks(view.state.sliceDoc(from, to)))
        found.add(from + mark.from, from + mark.to, marked);
    }
    return found.finish();
  };
  return ViewPlugin.define(
    (view) => ({
      marks: inSight(view),
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.marks = inSight(update.view);
      },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}

/**
 * CodeMirror in a shadow root: there its styles are constructed sheets, elsewhere it writes a style element, which the
 * content policy refuses. The colours are the page's own, for custom properties reach into a shadow root.
 */
export default function CodeEditorView(props: CodeEditorProps) {
  const { label, value, marks, placeholder = '' } = props;
  const readOnly = props.onValue === undefined;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const settings = useRef(new Compartment());
  const completing = useRef(new Compartment());
  const run = useEffectEvent(() => {
    props.onRun?.();
    return true;
  });
  const known = useRef(value);
  const tell = useEffectEvent((text: string) => {
    known.current = text;
    props.onValue?.(text);
  });
  const extensions = (): Extension => [
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: readOnly ? 'false' : 'true' }),
    EditorState.readOnly.of(readOnly),
    placeholder === '' ? [] : emptyText(placeholder),
    marks === undefined ? [] : marking(marks),
  ];
  const opening = useEffectEvent(() => ({ doc: value, settings: settings.current.of(extensions()) }));
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { doc, settings: first } = opening();
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc,
        extensions: [
          first,
          lineNumbers(),
          history(),
          completing.current.of([]),
          keymap.of([{ key: 'Mod-Enter', run: () => run() }]),
          highlightActiveLine(),
          EditorView.lineWrapping,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          theme,
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((each) => each.annotation(given)))
              tell(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = undefined;
      made.destroy();
    };
  }, []);
  const { words } = props;
  useEffect(() => {
    if (words === undefined) return undefined;
    let gone = false;
    // Only pages that offer words load what shows them.
    void import('@codemirror/autocomplete').then(({ autocompletion }) => {
      if (gone) return;
      const source = (context: CompletionContext) => {
        const word = context.matchBefore(/[\w.']*/);
        if (word === null || (word.from === word.to && !context.explicit)) return null;
        return { from: word.from, options: words as Completion[], validFor: /^[\w.']*$/ };
      };
      view.current?.dispatch({
        effects: completing.current.reconfigure(autocompletion({ override: [source], icons: false })),
      });
    });
    return () => {
      gone = true;
    };
  }, [words]);
  const configure = useEffectEvent(() =>
    view.current?.dispatch({ effects: settings.current.reconfigure(extensions()) }),
  );
  useEffect(() => configure(), [label, readOnly, marks, placeholder]);
  useEffect(() => {
    const now = view.current;
    if (now === undefined || known.current === value) return;
    known.current = value;
    now.dispatch({
      changes: { from: 0, to: now.state.doc.length, insert: value },
      annotations: given.of(true),
    });
  }, [value]);
  return <div ref={host} className="flex min-h-0 grow flex-col overflow-auto" />;
}
