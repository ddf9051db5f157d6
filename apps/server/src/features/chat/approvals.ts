import { CHAT_LIMITS } from '@candela/contract';
import { type Clock, fail } from '@candela/kernel';
import type { ChatOwner, MetadataStore, StoredApproval } from '@candela/metadata-store';
import { canonicalJson, hashOf } from './canonical.ts';

interface ApprovalParts {
  readonly metadata: Pick<MetadataStore, 'chats'>;
  readonly clock: Clock;
}

const hashOfCard = (
  { projectId, owner }: ChatOwner,
  { chatId, tool, input }: Pick<StoredApproval, 'chatId' | 'tool' | 'input'>,
): string => hashOf(projectId, owner, chatId, tool, input);

/** Keeps what a tool wants to do until a person decides. */
export function approvalFor(
  { metadata, clock }: ApprovalParts,
  owner: ChatOwner,
  asked: Pick<StoredApproval, 'chatId' | 'messageId' | 'callId' | 'tool'> & {
    readonly input: Record<string, unknown>;
  },
): Promise<StoredApproval> {
  const card = { ...asked, input: canonicalJson(asked.input) };
  return metadata.chats.addApproval(owner, {
    ...card,
    inputHash: hashOfCard(owner, card),
    expiresAt: clock.now() + CHAT_LIMITS.approvalMs,
  });
}

/** A card that may still be decided. @throws not_found, conflict */
export async function openApproval(
  { metadata, clock }: ApprovalParts,
  owner: ChatOwner,
  id: string,
): Promise<StoredApproval> {
  const card = await metadata.chats.approval(owner, id);
  if (card.inputHash !== hashOfCard(owner, card)) throw fail('not_found', { what: 'The card' });
  if (card.state !== 'open') throw decided();
  if (clock.now() > card.expiresAt) {
    throw fail('conflict', { detail: 'This card has expired: nothing was done. Ask again.' });
  }
  return card;
}

export const decided = () => fail('conflict', { detail: 'This card was decided already.' });
