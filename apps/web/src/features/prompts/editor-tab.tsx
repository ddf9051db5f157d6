import type { Prompt } from '@candela/contract';
import { lazy, Suspense, useMemo, useState } from 'react';
import { renderTemplate, variablesOf } from '@candela/contract/template';
import { addressOf } from '../../api/client.ts';
import { curlOf } from '../../lib/curl.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { PairsField } from '../../ui/pairs-field.tsx';
import { Split } from '../../ui/split.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { When } from '../../ui/when.tsx';
import { Conflict } from '../build/conflict.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { jsonTrouble, writtenText } from './chat-form.ts';
import { CompiledView } from './compiled-view.tsx';
import { marksOf } from './marks.ts';
import { DeletePrompt, DiscardDraft, Publish } from './prompt-dialogs.tsx';
import { contentOf, type DraftState } from './use-draft.ts';

const CallFields = lazy(() => import('./call-fields.tsx'));
const ChatEditor = lazy(() => import('./chat-editor.tsx'));
const ImprovePanel = lazy(() => import('./improve-panel.tsx'));
const TryPanel = lazy(() => import('./try-panel.tsx'));

/** Where a prompt is written: its text and what belongs to it; beside it what comes out, and a try. */
export function EditorTab({ prompt, draft }: { prompt: Prompt; draft: DraftState }) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const mayWrite = can('member');
  const { form } = draft;
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [doing, setDoing] = useState<'publish' | 'discard' | 'delete'>();
  const close = () => setDoing(undefined);
  const text = writtenText(form);
  const isSound =
    text.trim() !== '' &&
    jsonTrouble(form.tools, 'list') === undefined &&
    jsonTrouble(form.format, 'object') === undefined;
  const canSave = mayWrite && draft.dirty && !draft.busy && isSound;
  const { messages } = form;
  useHotkey('mod+s', () => canSave && draft.save(), {
    label: 'Save the draft',
    group: 'Prompt',
    enabled: mayWrite,
  });
  const names = useMemo(() => variablesOf(text), [text]);
  // Of those that are written down here, what has a value; emptied ones count as not given.
  const given = useMemo(() => Object.fromEntries([...values].filter(([, value]) => value !== '')), [values]);
  const rendered = useMemo(() => {
    try {
      return { ...renderTemplate(text, given), trouble: undefined };
    } catch (thrown) {
      return { text: '', missing: [], unused: [], trouble: thrown };
    }
  }, [text, given]);
  const publishable = mayWrite && isSound && (draft.dirty || prompt.draft !== null);
  return (
    <>
      <Split
        left={
          <div className="flex min-h-0 grow flex-col">
            <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
              <p className="min-w-0 text-sm text-muted">
                <Saved prompt={prompt} dirty={draft.dirty} />
              </p>
              <span className="ml-auto flex gap-1">
                <CopyButton
                  label="Copy as cURL"
                  className="h-7 px-2"
                  text={() =>
                    curlOf(location.origin, addressOf('getCompiledPrompt'), {
                      environment,
                      needsKey: true,
                      body: { name: prompt.name, compile: true, variables: given },
                    })
                  }
                >
                  cURL
                </CopyButton>
                {mayWrite && (
                  <>
                    {prompt.draft !== null && prompt.latest !== null && (
                      <Button look="plain" onClick={() => setDoing('discard')}>
                        Discard draft
                      </Button>
                    )}
                    <Button disabled={!canSave} title="mod+s" onClick={() => draft.save()}>
                      Save draft
                    </Button>
                    <Button
                      look="primary"
                      disabled={!publishable || draft.conflict}
                      title={publishable ? undefined : 'There is no change to publish'}
                      onClick={() => setDoing('publish')}
                    >
                      Publish…
                    </Button>
                  </>
                )}
              </span>
            </div>
            <div className="flex min-h-0 grow flex-col gap-3 overflow-auto p-3">
              {draft.conflict && (
                <Conflict
                  noun="prompt"
                  theirs={{
                    text: writtenText(contentOf(prompt)),
                    by: (prompt.draft ?? prompt.latest)?.createdBy ?? null,
                    at: (prompt.draft ?? prompt.latest)?.updatedAt ?? null,
                  }}
                  mine={text}
                  busy={draft.busy}
                  onMine={() => draft.save(true)}
                  onTheirs={() => draft.restart(prompt)}
                />
              )}
              <ErrorLine error={draft.error} />
              {mayWrite && (
                <div role="group" aria-label="Kind of prompt" className="flex shrink-0 gap-1">
                  <Button
                    aria-pressed={messages === undefined}
                    onClick={() => messages && draft.change({ text, messages: undefined })}
                  >
                    Text
                  </Button>
                  <Button
                    aria-pressed={messages !== undefined}
                    onClick={() =>
                      messages ?? draft.change({ messages: [{ role: 'user', content: form.text }] })
                    }
                  >
                    Chat messages
                  </Button>
                </div>
              )}
              {messages === undefined ? (
                <CodeEditor
                  label="Text of the prompt"
                  value={form.text}
                  onValue={mayWrite ? (next) => draft.change({ text: next }) : undefined}
                  marks={marksOf}
                  placeholder={'Answer the customer in {{language}}.'}
                  className="min-h-60 grow"
                />
              ) : (
                <Suspense fallback={<SkeletonRows rows={3} label="Loading the messages" />}>
                  <ChatEditor
                    messages={messages}
                    onMessages={mayWrite ? (next) => draft.change({ messages: next }) : undefined}
                  />
                </Suspense>
              )}
              <Suspense fallback={null}>
                <CallFields form={form} onChange={mayWrite ? draft.change : undefined} />
              </Suspense>
              <div className="grid shrink-0 gap-4 xl:grid-cols-2">
                <TagsField
                  label="Tags"
                  tags={form.tags}
                  onTags={(tags) => draft.change({ tags })}
                  disabled={!mayWrite}
                />
                <PairsField
                  label="Properties"
                  pairs={form.pairs}
                  onPairs={(pairs) => draft.change({ pairs })}
                  disabled={!mayWrite}
                  hint="Applications get them with the prompt. Numbers, true, false and JSON count as such."
                />
              </div>
              {mayWrite && (
                <Button look="danger" className="shrink-0 self-start" onClick={() => setDoing('delete')}>
                  Delete the prompt
                </Button>
              )}
            </div>
          </div>
        }
        right={
          <div className="flex h-full flex-col gap-4 overflow-auto p-3">
            <CompiledView names={names} values={values} onValues={setValues} rendered={rendered} />
            <Suspense fallback={<SkeletonRows rows={2} label="Loading the models" />}>
              <TryPanel
                promptId={prompt.id}
                text={text}
                messages={messages}
                variables={given}
                mayTry={mayWrite}
              />
              {mayWrite && (
                <ImprovePanel
                  key={messages === undefined ? 'text' : 'chat'}
                  promptId={prompt.id}
                  text={form.text}
                  messages={messages}
                  onText={(next) => draft.change({ text: next })}
                  onMessages={(next) => draft.change({ messages: next })}
                />
              )}
            </Suspense>
          </div>
        }
      />
      {doing === 'publish' && <Publish prompt={prompt} draft={draft} onClose={close} />}
      {doing === 'discard' && <DiscardDraft prompt={prompt} onDone={draft.restart} onClose={close} />}
      {doing === 'delete' && <DeletePrompt prompt={prompt} onClose={close} />}
    </>
  );
}

/** What the text in the editor is, as the server has it. */
function Saved({ prompt, dirty }: { prompt: Prompt; dirty: boolean }) {
  if (dirty) return 'Changed, not saved';
  const { draft, latest } = prompt;
  if (draft !== null)
    return (
      <>
        Draft, saved <When time={draft.updatedAt} />
        {draft.createdBy !== null && ` by ${draft.createdBy}`}
      </>
    );
  return latest === null ? 'Nothing is saved yet' : `Version ${latest.version ?? ''}, as published`;
}
