import type {
  Environment,
  listEnvironments,
  listProjectMembers,
  listProjects,
  Project,
  ProjectMember,
  ResponseOf,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call, HERE } from './client.ts';

const PROJECTS = '/api/projects';
const project = (id: string) => `${PROJECTS}/${encodeURIComponent(id)}`;

export const projectsQuery = () =>
  queryOptions({
    queryKey: ['projects'],
    queryFn: ({ signal }): Promise<Project[]> =>
      call<ResponseOf<typeof listProjects>>(PROJECTS, HERE, { signal }).then((answer) => answer.data),
  });

export const createProject = (name: string) =>
  call<{ readonly data: Project }>(PROJECTS, HERE, { body: { name } }).then((answer) => answer.data);
export const renameProject = (change: { id: string; name: string }) =>
  call(project(change.id), HERE, { method: 'PATCH', body: { name: change.name } });
export const deleteProject = (id: string) => call(project(id), HERE, { method: 'DELETE' });

export const projectMembersQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', id, 'members'],
    queryFn: ({ signal }): Promise<ProjectMember[]> =>
      call<ResponseOf<typeof listProjectMembers>>(`${project(id)}/members`, HERE, { signal }).then(
        (answer) => answer.data,
      ),
  });

const memberOf = (id: string, userId: string) => `${project(id)}/members/${encodeURIComponent(userId)}`;
export const addToProject = (what: { id: string; userId: string }) =>
  call(memberOf(what.id, what.userId), HERE, { method: 'PUT' });
export const takeFromProject = (what: { id: string; userId: string }) =>
  call(memberOf(what.id, what.userId), HERE, { method: 'DELETE' });

export const environmentsOfQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', id, 'environments'],
    queryFn: ({ signal }): Promise<Environment[]> =>
      call<ResponseOf<typeof listEnvironments>>(`${project(id)}/environments`, HERE, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const createEnvironment = (what: { id: string; name: string }) =>
  call(`${project(what.id)}/environments`, HERE, { body: { name: what.name } });
export const deleteEnvironment = (what: { id: string; name: string }) =>
  call(`${project(what.id)}/environments/${encodeURIComponent(what.name)}`, HERE, { method: 'DELETE' });
