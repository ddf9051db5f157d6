import { DEFAULT_ENVIRONMENT, DEFAULT_PROJECT_ID, type Logger, type Role } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { IDENTITY_LIMITS } from '@candela/contract';

/** What there is to reach: projects of organisations, the people in them, their environments. Held in memory. */
export interface Directory {
  /** Ids of the projects a person reaches, the default one first. */
  projectsOf(person: {
    readonly userId: string;
    readonly organisationId: string;
    readonly role: Role;
  }): Promise<readonly string[]>;
  /** Whether the project has the environment. */
  hasEnvironment(projectId: string, name: string): Promise<boolean>;
  /** Names of a project, the default one first. */
  environments(projectId: string): Promise<readonly string[]>;
  /** Environments that arriving data names; kept before long, and known here at once. */
  learn(projectId: string, names: Iterable<string>): void;
  /** Whether somebody owns this installation. */
  isOwned(): Promise<boolean>;
  /** What was learnt is kept. */
  settle(): Promise<void>;
}

interface Picture {
  /** Ids in order, by organisation. */
  readonly projects: ReadonlyMap<string, readonly string[]>;
  readonly environments: ReadonlyMap<string, Set<string>>;
  readonly owned: boolean;
}

const MAX_CACHED_PEOPLE = 10_000;

/** Reads it once and again after a change; until then every question is answered from memory. */
export function createDirectory(parts: {
  readonly metadata: Pick<MetadataStore, 'projects' | 'people' | 'changes'>;
  readonly logger: Logger;
}): Directory {
  const { metadata, logger } = parts;
  let picture: Promise<Picture> | undefined;
  const joined = new Map<string, Promise<ReadonlySet<string>>>();
  /** What was learnt, by project, and is not kept yet. */
  const learnt = new Map<string, Set<string>>();
  /** Everything ever learnt or kept, so that a batch of records costs one look at a set. */
  let known = new Map<string, Set<string>>();
  let keeping: Promise<void> | undefined;

  metadata.changes.on(['projects', 'environments', 'memberships', 'organisations'], () => {
    picture = undefined;
  });
  metadata.changes.on(['project_members', 'memberships', 'users'], () => joined.clear());

  async function read(): Promise<Picture> {
    const [projects, environments, owned] = await Promise.all([
      metadata.projects.all(),
      metadata.projects.environments(),
      metadata.people.isOwned(),
    ]);
    const byOrganisation = Map.groupBy(projects, ({ organisationId }) => organisationId);
    const names = new Map<string, Set<string>>();
    for (const { projectId, name } of environments) {
      const set = names.get(projectId) ?? new Set<string>();
      names.set(projectId, set.add(name));
    }
    return {
      projects: new Map([...byOrganisation].map(([id, list]) => [id, list.map((project) => project.id)])),
      environments: names,
      owned,
    };
  }

  function look(): Promise<Picture> {
    if (picture !== undefined) return picture;
    const reading = read();
    picture = reading;
    reading.then(
      ({ environments }) => {
        // Of a moment before a change, it would bring back what is gone.
        if (picture !== reading) return;
        known = new Map([...environments].map(([id, set]) => [id, new Set(set)]));
        // On their way into the store.
        for (const [id, set] of learnt) known.set(id, new Set([...(known.get(id) ?? []), ...set]));
      },
      () => {
        if (picture === reading) picture = undefined;
      },
    );
    return reading;
  }

  function joinedBy(userId: string): Promise<ReadonlySet<string>> {
    const there = joined.get(userId);
    if (there !== undefined) return there;
    const reading = metadata.projects.joinedBy(userId).then((ids) => new Set(ids));
    joined.set(userId, reading);
    reading.catch(() => joined.delete(userId));
    if (joined.size > MAX_CACHED_PEOPLE) {
      const oldest = joined.keys().next();
      if (oldest.done !== true) joined.delete(oldest.value);
    }
    return reading;
  }

  async function keep(): Promise<void> {
    while (learnt.size > 0) {
      for (const [projectId, set] of learnt) {
        const names = [...set];
        let kept = true;
        try {
          await metadata.projects.addEnvironments(projectId, names, 'telemetry');
        } catch (error) {
          kept = false;
          logger.warn(
            { err: error, project: projectId },
            'new environments were not kept; the next record tries again',
          );
        }
        for (const name of names) {
          set.delete(name);
          if (!kept) known.get(projectId)?.delete(name);
        }
        if (set.size === 0) learnt.delete(projectId);
      }
    }
  }

  return {
    async projectsOf({ userId, organisationId, role }) {
      const all = (await look()).projects.get(organisationId) ?? [];
      if (role === 'owner' || role === 'admin') return all;
      const own = await joinedBy(userId);
      return all.filter((id) => own.has(id));
    },

    async hasEnvironment(projectId, name) {
      const { environments } = await look();
      return environments.get(projectId)?.has(name) === true || known.get(projectId)?.has(name) === true;
    },

    async environments(projectId) {
      const stored = (await look()).environments.get(projectId) ?? [];
      const names = new Set([...stored, ...(known.get(projectId) ?? [])]);
      const rest = [...names].filter((name) => name !== DEFAULT_ENVIRONMENT).sort();
      return names.has(DEFAULT_ENVIRONMENT) || projectId === DEFAULT_PROJECT_ID
        ? [DEFAULT_ENVIRONMENT, ...rest]
        : rest;
    },

    learn(projectId, names) {
      // One that was taken off the list is made again by the next record.
      if (picture === undefined) look().catch(() => undefined);
      let set = known.get(projectId);
      if (set === undefined) known.set(projectId, (set = new Set()));
      for (const name of names) {
        if (set.has(name) || set.size >= IDENTITY_LIMITS.environments) continue;
        set.add(name);
        learnt.set(projectId, (learnt.get(projectId) ?? new Set()).add(name));
      }
      if (learnt.size > 0) {
        keeping ??= keep().finally(() => {
          keeping = undefined;
        });
      }
    },

    isOwned: async () => (await look()).owned,
    settle: async () => keeping,
  };
}
