import { diffArrays, diffWordsWithSpace } from 'diff';

/** A stretch of text that both have, or only one of them. */
export interface DiffPart {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Lines that follow one another and are alike in what became of them. */
export interface DiffBlock extends DiffPart {
  /** Of lines that were replaced by others: their words, those that changed marked; else absent. */
  readonly words?: readonly DiffPart[];
}

/** Changes of lines, and of words in a stretch of lines, beyond which the whole counts as replaced. */
const MAX_EDITS = 1_000;
/** Characters of a stretch of lines beyond which its words are not compared. */
const MAX_WORDS = 20_000;

const kindOf = ({ added, removed }: { added: boolean; removed: boolean }): DiffPart['kind'] =>
  added ? 'added' : removed ? 'removed' : 'same';

/** What changed from one text to another, by lines, and by words where lines were replaced. Bounded in its work. */
export function diffTexts(from: string, to: string): DiffBlock[] {
  const lines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const changes = diffArrays(lines(from), lines(to), { maxEditLength: MAX_EDITS });
  const blocks: DiffBlock[] =
    changes === undefined
      ? [
          { kind: 'removed', text: from },
          { kind: 'added', text: to },
        ]
      : changes.map((change) => ({ kind: kindOf(change), text: change.value.join('') }));
  return blocks.map((block, index) => {
    const before = blocks[index - 1];
    const after = blocks[index + 1];
    const pair =
      block.kind === 'removed' && after?.kind === 'added'
        ? ([block, after] as const)
        : block.kind === 'added' && before?.kind === 'removed'
          ? ([before, block] as const)
          : undefined;
    const words = pair && wordsOf(pair[0].text, pair[1].text);
    return words === undefined
      ? block
      : { ...block, words: words.filter(({ kind }) => kind === 'same' || kind === block.kind) };
  });
}

function wordsOf(removed: string, added: string): DiffPart[] | undefined {
  if (removed.length + added.length > MAX_WORDS) return undefined;
  return diffWordsWithSpace(removed, added, { maxEditLength: MAX_EDITS })?.map((change) => ({
    kind: kindOf(change),
    text: change.value,
  }));
}
