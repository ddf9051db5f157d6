import { type Environment, IDENTITY_LIMITS, type Project } from '@candela/contract';
import { DEFAULT_ENVIRONMENT, DEFAULT_PROJECT_ID, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, Repositories, StoredEnvironment, StoredProject } from '@candela/metadata-store';
import type { Handlers } from '../../../http/handlers.ts';
import { record } from '../../audit/service.ts';
import type { Directory } from '../directory.ts';

type Names =
  | 'listProjects'
  | 'createProject'
  | 'updateProject'
  | 'deleteProject'
  | 'listProjectMembers'
  | 'addProjectMember'
  | 'removeProjectMember'
  | 'listEnvironments'
  | 'createEnvironment'
  | 'deleteEnvironment';

const MAX_LISTED = 10_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const missing = () => fail('not_found', { what: 'The project' });

const showEnvironment = ({ name, origin, createdAt }: StoredEnvironment): Environment => ({
  name,
  isDefault: name === DEFAULT_ENVIRONMENT,
  origin,
  createdAt: iso(createdAt),
});

/** Projects with their people and environments. */
export function projectHandlers(parts: {
  readonly metadata: MetadataStore;
  readonly directory: Directory;
}): Pick<Handlers, Names> {
  const { metadata, directory } = parts;

  async function reachedBy({ principal, organisationId }: RequestContext): Promise<readonly string[]> {
    if (principal.kind !== 'user') return [];
    return directory.projectsOf({ userId: principal.id, organisationId, role: principal.role });
  }

  /** A project that the caller reaches; another one is as unknown as one that is not there. @throws not_found */
  async function reached(context: RequestContext, id: string): Promise<void> {
    if (!(await reachedBy(context)).includes(id)) throw missing();
  }

  async function show(projects: readonly StoredProject[]): Promise<Project[]> {
    const [members, environments] = await Promise.all([
      metadata.projects.memberCounts(),
      metadata.projects.environments(),
    ]);
    const counts = Map.groupBy(environments, ({ projectId }) => projectId);
    return projects.map(({ id, name, createdAt }) => ({
      id,
      name,
      isDefault: id === DEFAULT_PROJECT_ID,
      environments: counts.get(id)?.length ?? 0,
      members: members.get(id) ?? 0,
      createdAt: iso(createdAt),
    }));
  }

  async function showOne(context: RequestContext, id: string): Promise<{ data: Project }> {
    const [project] = await show([await metadata.projects.get(context.organisationId, id)]);
    if (project === undefined) throw missing();
    return { data: project };
  }

  /** One change of a project and its line in the audit log, in the project's own name. */
  function change<T>(
    context: RequestContext,
    projectId: string,
    entry: {
      readonly action: `project.${string}` | `environment.${string}`;
      readonly details?: Record<string, string>;
    },
    work: (repositories: Repositories) => Promise<T>,
  ): Promise<T> {
    return metadata.change(undefined, async (repositories) => {
      const done = await work(repositories);
      await record(
        repositories,
        { ...context, projectId },
        { objectKind: 'project', objectId: projectId, ...entry },
      );
      return done;
    });
  }

  return {
    listProjects: async ({ context }) => {
      const ids = new Set(await reachedBy(context));
      const all = await metadata.projects.list(context.organisationId);
      return { data: await show(all.filter(({ id }) => ids.has(id))), nextCursor: null };
    },

    createProject: async ({ context, body }) => {
      const { organisationId } = context;
      const { id } = await metadata.change(undefined, async (repositories) => {
        const there = await repositories.projects.list(organisationId);
        if (there.length >= IDENTITY_LIMITS.projects) {
          throw fail('refused', {
            detail: `There are ${IDENTITY_LIMITS.projects} projects, which is the most there may be.`,
          });
        }
        const made = await repositories.projects.create(organisationId, body.name);
        await record(
          repositories,
          { ...context, projectId: made.id },
          {
            action: 'project.create',
            objectKind: 'project',
            objectId: made.id,
            details: { name: made.name },
          },
        );
        return made;
      });
      return showOne(context, id);
    },

    updateProject: async ({ context, params, body }) => {
      const { id } = params;
      const entry = { action: 'project.rename', details: { name: body.name } } as const;
      await change(context, id, entry, ({ projects }) =>
        projects.rename(context.organisationId, id, body.name),
      );
      return showOne(context, id);
    },

    deleteProject: async ({ context, params }) => {
      const { id } = params;
      if (id === DEFAULT_PROJECT_ID) {
        throw fail('refused', {
          detail: 'The default project takes what names no other; it cannot be deleted.',
        });
      }
      await metadata.change(undefined, async (repositories) => {
        const { name } = await repositories.projects.get(context.organisationId, id);
        await repositories.projects.remove(context.organisationId, id);
        await record(
          repositories,
          { ...context, projectId: id },
          { action: 'project.delete', objectKind: 'project', objectId: id, details: { name } },
        );
      });
      return { data: { id } };
    },

    listProjectMembers: async ({ context, params }) => {
      await reached(context, params.id);
      const members = await metadata.projects.members(params.id, MAX_LISTED);
      const data = members.map(({ addedAt, ...member }) => ({ ...member, addedAt: iso(addedAt) }));
      return { data, nextCursor: null };
    },

    addProjectMember: async ({ context, params }) => {
      const { id, userId } = params;
      const { organisationId } = context;
      const entry = { action: 'project.add-member', details: { member: userId } } as const;
      await change(context, id, entry, async ({ projects, people }) => {
        await projects.get(organisationId, id);
        await people.member(organisationId, userId);
        await projects.addMember(id, userId);
      });
      const members = await metadata.projects.members(id, MAX_LISTED);
      const added = members.find((member) => member.id === userId);
      if (added === undefined) throw fail('not_found', { what: 'The member' });
      const { addedAt, ...member } = added;
      return { data: { ...member, addedAt: iso(addedAt) } };
    },

    removeProjectMember: async ({ context, params }) => {
      const { id, userId } = params;
      const entry = { action: 'project.remove-member', details: { member: userId } } as const;
      await change(context, id, entry, async ({ projects }) => {
        await projects.get(context.organisationId, id);
        await projects.removeMember(id, userId);
      });
      return { data: { id: userId } };
    },

    listEnvironments: async ({ context, params }) => {
      await reached(context, params.id);
      const environments = await metadata.projects.environments(params.id);
      return { data: environments.map(showEnvironment), nextCursor: null };
    },

    createEnvironment: async ({ context, params, body }) => {
      const { id } = params;
      const { name } = body;
      const entry = { action: 'environment.create', details: { environment: name } } as const;
      const made = await change(context, id, entry, async ({ projects }) => {
        await projects.get(context.organisationId, id);
        const there = await projects.environments(id);
        if (there.some((environment) => environment.name === name)) {
          throw fail('conflict', { detail: `There is an environment called "${name}" already.` });
        }
        if (there.length >= IDENTITY_LIMITS.environments) {
          throw fail('refused', {
            detail: `This project has ${IDENTITY_LIMITS.environments} environments, which is the most it may have.`,
          });
        }
        await projects.addEnvironments(id, [name], 'settings');
        return (await projects.environments(id)).find((environment) => environment.name === name);
      });
      if (made === undefined) throw fail('not_found', { what: 'The environment' });
      return { data: showEnvironment(made) };
    },

    deleteEnvironment: async ({ context, params }) => {
      const { id, name } = params;
      if (name === DEFAULT_ENVIRONMENT) {
        throw fail('refused', { detail: `"${name}" takes what names no other; it cannot be deleted.` });
      }
      const entry = { action: 'environment.delete', details: { environment: name } } as const;
      await change(context, id, entry, async ({ projects }) => {
        await projects.get(context.organisationId, id);
        await projects.removeEnvironment(id, name);
      });
      return { data: { name } };
    },
  };
}
