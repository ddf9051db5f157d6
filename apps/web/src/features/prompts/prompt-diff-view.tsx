import type { PromptVersionView } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { promptDiffQuery } from '../../api/prompts.ts';
import { pairsOf } from '../../lib/property-text.ts';
import TextDiff from '../../ui/text-diff.tsx';
import { Loaded } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';

const propertiesText = (version: PromptVersionView): string =>
  pairsOf(version.metaProperties)
    .map(({ key, text }) => `${key} = ${text}`)
    .sort()
    .join('\n');

const callText = ({ modelSettings, tools, responseFormat }: PromptVersionView): string =>
  [modelSettings, tools, responseFormat]
    .flatMap((part) => (part === undefined ? [] : [JSON.stringify(part, null, 2)]))
    .join('\n');

/** What changed from one version to another: the text, and beside it tags and properties where they did. */
export function PromptDiffView({ id, from, to }: { id: string; from: string; to: string }) {
  const { environment } = useShell();
  const query = useQuery({
    ...promptDiffQuery(environment, id, from, to),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query} label="the difference">
      {(diff) => {
        const tags = [diff.from.tags.join('\n'), diff.to.tags.join('\n')] as const;
        const properties = [propertiesText(diff.from), propertiesText(diff.to)] as const;
        const call = [callText(diff.from), callText(diff.to)] as const;
        return (
          <div className="flex flex-col gap-3">
            <TextDiff
              label={`Text of ${from} and ${to}`}
              before={{ name: from, text: diff.from.prompt }}
              after={{ name: to, text: diff.to.prompt }}
              blocks={diff.blocks}
              className="max-h-[60vh]"
            />
            {call[0] !== call[1] && (
              <TextDiff
                label="Settings, tools, response format"
                before={{ name: `Settings of ${from}`, text: call[0] }}
                after={{ name: `Settings of ${to}`, text: call[1] }}
              />
            )}
            {tags[0] !== tags[1] && (
              <TextDiff
                label="Tags"
                before={{ name: `Tags of ${from}`, text: tags[0] }}
                after={{ name: `Tags of ${to}`, text: tags[1] }}
              />
            )}
            {properties[0] !== properties[1] && (
              <TextDiff
                label="Properties"
                before={{ name: `Properties of ${from}`, text: properties[0] }}
                after={{ name: `Properties of ${to}`, text: properties[1] }}
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
