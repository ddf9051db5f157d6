import type { Environment, Project, ProjectMember } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

export const projectsQuery = () =>
  queryOptions({
    queryKey: ['projects'],
    queryFn: ({ signal }): Promise<Project[]> =>
      call('listProjects', { signal }).then((answer) => answer.data),
  });

export const createProject = (name: string) =>
  call('createProject', { body: { name } }).then((answer) => answer.data);
export const renameProject = (change: { id: string; name: string }) =>
  call('updateProject', { params: { id: change.id }, body: { name: change.name } });
export const deleteProject = (id: string) => call('deleteProject', { params: { id } });

export const projectMembersQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', id, 'members'],
    queryFn: ({ signal }): Promise<ProjectMember[]> =>
      call('listProjectMembers', { params: { id }, signal }).then((answer) => answer.data),
  });

export const addToProject = (what: { id: string; userId: string }) =>
  call('addProjectMember', { params: { id: what.id, userId: what.userId } });
export const takeFromProject = (what: { id: string; userId: string }) =>
  call('removeProjectMember', { params: { id: what.id, userId: what.userId } });

export const environmentsOfQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', id, 'environments'],
    queryFn: ({ signal }): Promise<Environment[]> =>
      call('listEnvironments', { params: { id }, signal }).then((answer) => answer.data),
  });

export const createEnvironment = (what: { id: string; name: string }) =>
  call('createEnvironment', { params: { id: what.id }, body: { name: what.name } });
export const deleteEnvironment = (what: { id: string; name: string }) =>
  call('deleteEnvironment', { params: { id: what.id, name: what.name } });
