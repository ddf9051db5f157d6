import { isEnvironmentName } from '@candela/kernel';
import { z } from 'zod';
import { defineRoute, governs } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { idSchema, nameSchema, nextCursor } from './common.ts';

const projectSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    isDefault: z.boolean().meta({ description: 'The first one; it cannot be deleted.' }),
    environments: z.number(),
    members: z.number().meta({ description: 'People who were added; admins and owners reach it anyway.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'Project' });
export type Project = z.output<typeof projectSchema>;

const errors = ['metadata_unavailable'] as const;
const params = z.object({ id: idSchema });
const gone = z.object({ data: z.object({ id: z.string() }) });

export const listProjects = defineRoute({
  id: 'listProjects',
  method: 'GET',
  path: '/api/projects',
  tag: 'Projects',
  summary: 'Projects the caller reaches, the default one first, then by name',
  permission: governs('viewer'),
  response: z.object({ data: z.array(projectSchema), nextCursor }),
  errors,
});

export const createProject = defineRoute({
  id: 'createProject',
  method: 'POST',
  path: '/api/projects',
  tag: 'Projects',
  summary: 'Makes a project with the environment "production"',
  permission: governs('admin'),
  success: 201,
  body: z.strictObject({ name: nameSchema }),
  response: z.object({ data: projectSchema }),
  errors: ['conflict', 'refused', ...errors],
});

export const updateProject = defineRoute({
  id: 'updateProject',
  method: 'PATCH',
  path: '/api/projects/{id}',
  tag: 'Projects',
  summary: 'Renames a project',
  permission: governs('admin'),
  params,
  body: z.strictObject({ name: nameSchema }),
  response: z.object({ data: projectSchema }),
  errors: ['not_found', 'conflict', ...errors],
});

export const deleteProject = defineRoute({
  id: 'deleteProject',
  method: 'DELETE',
  path: '/api/projects/{id}',
  tag: 'Projects',
  summary: 'Deletes a project: its keys are void at once, its telemetry is reached by nobody and ages out',
  permission: governs('owner'),
  params,
  response: gone,
  errors: ['not_found', 'refused', ...errors],
});

const projectMemberSchema = z
  .object({ id: z.string(), email: z.string(), name: z.string(), addedAt: isoTime })
  .meta({ id: 'ProjectMember' });
export type ProjectMember = z.output<typeof projectMemberSchema>;

export const listProjectMembers = defineRoute({
  id: 'listProjectMembers',
  method: 'GET',
  path: '/api/projects/{id}/members',
  tag: 'Projects',
  summary: 'People who were added to a project; admins and owners reach every project and are not listed',
  permission: governs('viewer'),
  params,
  response: z.object({ data: z.array(projectMemberSchema), nextCursor }),
  errors: ['not_found', ...errors],
});

const memberParams = z.object({ id: idSchema, userId: idSchema });

export const addProjectMember = defineRoute({
  id: 'addProjectMember',
  method: 'PUT',
  path: '/api/projects/{id}/members/{userId}',
  tag: 'Projects',
  summary: 'Lets a member of the organisation into a project',
  permission: governs('admin'),
  params: memberParams,
  response: z.object({ data: projectMemberSchema }),
  errors: ['not_found', ...errors],
});

export const removeProjectMember = defineRoute({
  id: 'removeProjectMember',
  method: 'DELETE',
  path: '/api/projects/{id}/members/{userId}',
  tag: 'Projects',
  summary: 'Takes a person out of a project',
  permission: governs('admin'),
  params: memberParams,
  response: gone,
  errors: ['not_found', ...errors],
});

const environmentName = z.string().refine(isEnvironmentName, {
  error: '1 to 63 characters of a-z, 0-9, ".", "_" and "-", the first a letter or digit.',
});
const environmentSchema = z
  .object({
    name: z.string(),
    isDefault: z.boolean().meta({ description: 'Taken where nothing names one; it cannot be deleted.' }),
    origin: z
      .enum(['settings', 'telemetry'])
      .meta({ description: 'Made here, or by the first record for it.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'Environment' });
export type Environment = z.output<typeof environmentSchema>;

export const listEnvironments = defineRoute({
  id: 'listEnvironments',
  method: 'GET',
  path: '/api/projects/{id}/environments',
  tag: 'Projects',
  summary: 'Environments of a project, the default one first, then by name',
  permission: governs('viewer'),
  params,
  response: z.object({ data: z.array(environmentSchema), nextCursor }),
  errors: ['not_found', ...errors],
});

export const createEnvironment = defineRoute({
  id: 'createEnvironment',
  method: 'POST',
  path: '/api/projects/{id}/environments',
  tag: 'Projects',
  summary: 'Makes an environment before anything is sent for it',
  permission: governs('admin'),
  success: 201,
  params,
  body: z.strictObject({ name: environmentName }),
  response: z.object({ data: environmentSchema }),
  errors: ['not_found', 'conflict', 'refused', ...errors],
});

export const deleteEnvironment = defineRoute({
  id: 'deleteEnvironment',
  method: 'DELETE',
  path: '/api/projects/{id}/environments/{name}',
  tag: 'Projects',
  summary: 'Takes an environment off the list; a record sent for it makes it again',
  permission: governs('admin'),
  params: z.object({ id: idSchema, name: z.string().min(1).max(64) }),
  response: z.object({ data: z.object({ name: z.string() }) }),
  errors: ['not_found', 'refused', ...errors],
});
