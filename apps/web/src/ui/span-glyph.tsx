import { Bot, Box, Grid3x3, MessageSquareText, Search, Wrench, type LucideIcon } from 'lucide-react';
import { cx } from '../lib/cx.ts';
import type { ReadingKind } from '../lib/span-kind.ts';

const GLYPHS: Record<ReadingKind, { icon: LucideIcon; label: string; text: string; fill: string }> = {
  llm: { icon: MessageSquareText, label: 'Model call', text: 'text-kind-llm', fill: 'bg-kind-llm' },
  agent: { icon: Bot, label: 'Agent', text: 'text-kind-agent', fill: 'bg-kind-agent' },
  tool: { icon: Wrench, label: 'Tool', text: 'text-kind-tool', fill: 'bg-kind-tool' },
  retrieval: { icon: Search, label: 'Retrieval', text: 'text-kind-retrieval', fill: 'bg-kind-retrieval' },
  embedding: { icon: Grid3x3, label: 'Embedding', text: 'text-kind-embedding', fill: 'bg-kind-embedding' },
  other: { icon: Box, label: 'Span', text: 'text-kind-other', fill: 'bg-kind-other' },
};

export const kindLabel = (kind: ReadingKind): string => GLYPHS[kind].label;
export const kindFill = (kind: ReadingKind): string => GLYPHS[kind].fill;

/** Shape and colour of a span's kind; the shape says it without the colour. */
export function SpanGlyph({ kind, className }: { kind: ReadingKind; className?: string }) {
  const { icon: Icon, label, text } = GLYPHS[kind];
  return <Icon size={14} role="img" aria-label={label} className={cx('shrink-0', text, className)} />;
}
