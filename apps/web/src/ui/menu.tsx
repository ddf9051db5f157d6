import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** A menu that chooses one of several values. */
export function ChoiceMenu(props: {
  trigger: ReactNode;
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{props.trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          side={props.side ?? 'bottom'}
          align={props.align ?? 'start'}
          sideOffset={4}
          collisionPadding={8}
          aria-label={props.label}
          className="z-50 max-h-96 min-w-44 overflow-auto rounded-md border border-line bg-surface p-1 shadow-pop"
        >
          <DropdownMenu.RadioGroup value={props.value} onValueChange={props.onChoose}>
            {props.choices.map((choice) => (
              <DropdownMenu.RadioItem
                key={choice.value}
                value={choice.value}
                className="flex h-7 cursor-pointer items-center gap-2 rounded px-2 outline-none data-[highlighted]:bg-hover"
              >
                <span className="w-3.5">
                  <DropdownMenu.ItemIndicator>
                    <Check size={14} aria-hidden />
                  </DropdownMenu.ItemIndicator>
                </span>
                <span className="truncate">{choice.label}</span>
                {choice.hint !== undefined && <span className="ml-auto pl-4 text-muted">{choice.hint}</span>}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
