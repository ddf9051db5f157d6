import type { EventKind } from './kind.ts';

const MOST = 200;

/** Changes of prompts, rules, secrets, keys, people: what the audit log says. */
export const changed: EventKind<'changed'> = {
  mode: 'events',
  overlapMs: 60_000,
  async read(sources, { objects }, { context, from, to }) {
    const lists = await Promise.all(
      objects.map((objectKind) =>
        sources.metadata.audit.list(context.organisationId, {
          objectKind,
          from,
          to,
          limit: MOST,
          after: undefined,
        }),
      ),
    );
    return lists
      .flatMap(({ events }) => events)
      .filter(({ projectId }) => projectId === null || projectId === context.projectId)
      .map((event) => ({
        key: `audit:${event.id}`,
        at: event.at,
        labels: [
          ['action', event.action],
          ['object', event.objectKind],
          ['by', event.actorName ?? event.actorKind],
        ] as const,
        text: `${event.action} by ${event.actorName ?? event.actorKind}`,
        link: '/settings/audit',
      }));
  },
};
