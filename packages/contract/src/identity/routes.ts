import * as account from './account.ts';
import * as auth from './auth.ts';
import * as keys from './keys.ts';
import * as organisation from './organisation.ts';
import * as projects from './projects.ts';

const { getAuthStatus, setUp, signIn, signInTotp, startProvider, finishProvider, signOut } = auth;
const { lookAtInvitation, acceptInvitation } = auth;
const { getAccount, updateAccount, changePassword, startTotp, confirmTotp, newRecoveryCodes } = account;
const { removeTotp, listAccountSessions, endAccountSession, signOutEverywhere } = account;
const { getOrganisation, updateOrganisation, listMembers, updateMember, removeMember } = organisation;
const { listInvitations, createInvitation, revokeInvitation } = organisation;
const { listProjects, createProject, updateProject, deleteProject } = projects;
const { listProjectMembers, addProjectMember, removeProjectMember } = projects;
const { listEnvironments, createEnvironment, deleteEnvironment } = projects;
const { listApiKeys, createApiKey, updateApiKey, rotateApiKey, deleteApiKey } = keys;

/** Routes about people and what they may do. */
export const IDENTITY_ROUTES = {
  getAuthStatus,
  setUp,
  signIn,
  signInTotp,
  startProvider,
  finishProvider,
  signOut,
  lookAtInvitation,
  acceptInvitation,
  getAccount,
  updateAccount,
  changePassword,
  startTotp,
  confirmTotp,
  newRecoveryCodes,
  removeTotp,
  listAccountSessions,
  endAccountSession,
  signOutEverywhere,
  getOrganisation,
  updateOrganisation,
  listMembers,
  updateMember,
  removeMember,
  listInvitations,
  createInvitation,
  revokeInvitation,
  listProjects,
  createProject,
  updateProject,
  deleteProject,
  listProjectMembers,
  addProjectMember,
  removeProjectMember,
  listEnvironments,
  createEnvironment,
  deleteEnvironment,
  listApiKeys,
  createApiKey,
  updateApiKey,
  rotateApiKey,
  deleteApiKey,
} as const;
