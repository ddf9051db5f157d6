import { X } from 'lucide-react';
import { singleKeys, useHotkeys } from '../../lib/hotkeys.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Modal } from '../../ui/modal.tsx';

/** The keys that work on this page right now, read from the registry itself. */
export default function KeySheet({ onClose }: { onClose: () => void }) {
  const hotkeys = useHotkeys();
  const groups = Map.groupBy(hotkeys, (hotkey) => hotkey.group);
  return (
    <Modal label="Keyboard shortcuts" onClose={onClose} className="w-[min(560px,92vw)]">
      <div className="p-4">
        <div className="mb-3 flex items-center">
          <h2 className="text-lg font-semibold">Keyboard shortcuts</h2>
          <Button look="plain" className="ml-auto" aria-label="Close" onClick={onClose}>
            <X size={14} aria-hidden />
          </Button>
        </div>
        <div className="mb-3">
          <CheckField
            label="Single-key shortcuts"
            hint="Off: letters and signs alone do nothing. Esc, Enter, arrows and combinations stay."
            checked={singleKeys.use() === 'on'}
            onChange={(on) => singleKeys.set(on ? 'on' : 'off')}
          />
        </div>
        <div className="columns-2 gap-8">
          {[...groups].map(([group, entries]) => (
            <section key={group} className="mb-4 break-inside-avoid">
              <h3 className="mb-1 text-sm font-medium text-muted">{group}</h3>
              <dl>
                {entries.map((entry) => (
                  <div key={entry.label} className="flex items-center justify-between gap-4 py-0.5">
                    <dt>{entry.label}</dt>
                    <dd className="flex gap-1">
                      {entry.keys.map((keys) => (
                        <Kbd key={keys} keys={keys} />
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </Modal>
  );
}
