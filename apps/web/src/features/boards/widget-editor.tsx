import type { Panel, PanelType, Widget } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { type BoardAround, panelPreviewQuery } from '../../api/boards.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { PanelFields } from '../panels/panel-fields.tsx';
import { PanelPreview } from '../panels/panel-preview.tsx';
import { drawnAs, fitted, isTimed, PANEL_TYPES } from '../panels/panel-start.ts';
import { ThresholdsField } from './thresholds-field.tsx';

/** Builds a widget: what it asks, how it is drawn, with a live preview. */
export function WidgetEditor(props: {
  widget: Widget;
  isNew: boolean;
  around: BoardAround;
  window: TimeWindow;
  onDone: (widget: Widget) => void;
  onClose: () => void;
}) {
  const [widget, setWidget] = useState(props.widget);
  const { query, visual } = widget;
  const set = (next: Partial<Widget>) => setWidget((before) => ({ ...before, ...next }));
  const draw = (next: Partial<Panel['visual']>) => set({ visual: { ...visual, ...next } });
  // Typing asks for what stands still.
  const panel = useDeferredValue({ query, visual });
  const state = useQuery({
    ...panelPreviewQuery(panel, props.around),
    placeholderData: keepPreviousData,
  });
  const scope = { window: props.window, q: '', environment: props.around.environment };
  return (
    <FormDialog
      title={props.isNew ? 'Add a widget' : 'Edit the widget'}
      action={props.isNew ? 'Add' : 'Apply'}
      busy={false}
      error={undefined}
      ready={widget.title.trim() !== ''}
      wide
      onSubmit={() => props.onDone({ ...widget, title: widget.title.trim() })}
      onClose={props.onClose}
    >
      <PanelPreview title={widget.title} panel={panel} window={props.window} state={state} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Title" value={widget.title} onValue={(title) => set({ title })} maxLength={120} />
        <SelectField
          label="Drawn as"
          value={visual.type}
          onValue={(type) => set(drawnAs({ query, visual }, type as PanelType))}
          options={PANEL_TYPES}
        />
      </div>
      <PanelFields key={query.kind} panel={{ query, visual }} scope={scope} onPanel={set} />
      {query.kind !== 'markdown' && (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              label="Unit"
              hint="ms, By, USD; empty: of the data"
              value={visual.unit ?? ''}
              onValue={(unit) => {
                const { unit: _before, ...rest } = visual;
                set({ visual: unit === '' ? rest : { ...rest, unit } });
              }}
              maxLength={40}
            />
            <Looks widget={widget} onQuery={(next) => set({ query: next })} onDraw={draw} />
          </div>
          {query.kind === 'sql' && <ColumnFields visual={visual} frame={state.data} onDraw={draw} />}
          <ThresholdsField value={visual.thresholds ?? []} onChange={(thresholds) => draw({ thresholds })} />
        </>
      )}
    </FormDialog>
  );
}

/** What a drawing may be besides. */
function Looks(props: {
  widget: Pick<Widget, 'query' | 'visual'>;
  onQuery: (query: Panel['query']) => void;
  onDraw: (next: Partial<Panel['visual']>) => void;
}) {
  const { query, visual } = props.widget;
  const timed = isTimed(query);
  const canBeTimed = query.kind === 'aggregate' || query.kind === 'scores' || query.kind === 'usage';
  const isStacked = visual.type === 'line' ? visual.stacked === true : visual.stacked !== false;
  return (
    <div className="flex flex-col justify-end gap-1">
      {query.kind === 'aggregate' && (
        <CheckField
          label="Compare with the period before"
          checked={visual.compare === true}
          onChange={(compare) => props.onDraw({ compare })}
        />
      )}
      <CheckField
        label="Legend"
        checked={visual.legend === true}
        onChange={(legend) => props.onDraw({ legend })}
      />
      {(visual.type === 'area' || visual.type === 'line' || visual.type === 'bar') && (
        <CheckField label="Stacked" checked={isStacked} onChange={(stacked) => props.onDraw({ stacked })} />
      )}
      {visual.type === 'bar' && canBeTimed && (
        <CheckField
          label="Over time"
          checked={timed}
          onChange={(on) => props.onQuery(fitted(query, 'bar', on))}
        />
      )}
    </div>
  );
}

/** Which columns of a statement are drawn. */
function ColumnFields(props: {
  visual: Panel['visual'];
  frame: { readonly columns: readonly { readonly name: string; readonly kind: string }[] } | undefined;
  onDraw: (next: Partial<Panel['visual']>) => void;
}) {
  const names = (kinds: readonly string[]) =>
    (props.frame?.columns ?? []).filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
  const field = (label: string, key: 'x' | 'series', kinds: readonly string[]) => (
    <SelectField
      label={label}
      value={props.visual[key] ?? ''}
      onValue={(name) => props.onDraw({ [key]: name === '' ? undefined : name })}
      options={[
        { value: '', label: 'What suits' },
        ...names(kinds).map((name) => ({ value: name, label: name })),
      ]}
    />
  );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {field('Horizontal axis', 'x', ['time', 'text'])}
      {field('Series', 'series', ['text'])}
    </div>
  );
}
