import type { Person } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Directory } from './directory.ts';

type ReachedProject = Person['projects'][number];

/** What pages are told of the person who is signed in, and of what anybody on this machine sees. */
export interface PersonView {
  /** @throws not_signed_in when the account is gone */
  person(userId: string): Promise<Person>;
  projects(organisationId: string, ids: readonly string[]): Promise<ReachedProject[]>;
}

export function createPersonView(metadata: MetadataStore, directory: Directory): PersonView {
  async function projects(organisationId: string, ids: readonly string[]): Promise<ReachedProject[]> {
    const reached = new Set(ids);
    const all = await metadata.projects.list(organisationId);
    return Promise.all(
      all
        .filter(({ id }) => reached.has(id))
        .map(async ({ id, name }) => ({ id, name, environments: [...(await directory.environments(id))] })),
    );
  }

  return {
    projects,
    async person(userId) {
      const user = await metadata.people.byId(userId);
      if (user === undefined) throw fail('not_signed_in');
      const { id, email, name, totpSecret } = user;
      const shown = { id, email, name, totp: totpSecret !== null };
      const membership = await metadata.people.membershipOf(id);
      if (membership === undefined) return { ...shown, organisation: null, projects: [] };
      const { organisationId, organisation, role } = membership;
      const ids = await directory.projectsOf({ userId: id, organisationId, role });
      return {
        ...shown,
        organisation: { id: organisationId, name: organisation, role },
        projects: await projects(organisationId, ids),
      };
    },
  };
}
