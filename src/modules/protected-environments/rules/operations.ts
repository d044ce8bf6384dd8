import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { newProtection, protectionChanges } from './params.ts'
import { ProtectedEnvironment } from './present.ts'
import { createProtection, deleteProtection, getProtection, listProtections, updateProtection } from './rules.ts'

/** Environments that a project protects by name, and that a group protects by tier (contract 24). */
export const protectedEnvironmentOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const isProject = kind === 'project'
  const prefix = isProject ? 'protected_environments' : 'group_protected_environments'
  const what = isProject ? 'protected environment' : 'protected tier of a group'
  const shared = { tier: 'premium', tag: 'Protected environments', subject } as const
  const read = { ...shared, allow: 'read_protected_environments', scopes: reading } as const
  const write = { ...shared, allow: 'admin_protected_environments', scopes: writing } as const
  const all = `${path}/protected_environments` as const
  const one = `${all}/:name` as const
  return [
    operation({
      ...read,
      id: `${prefix}.list`,
      contract: `x.${prefix}_list`,
      method: 'GET',
      path: all,
      summary: isProject ? 'List the protected environments of a project' : 'List the protected tiers of a group',
      result: [200, pageOf(ProtectedEnvironment)],
      run: ({ platform, subject: owner, page }) => listProtections(platform, owner, page),
    }),
    operation({
      ...read,
      id: `${prefix}.get`,
      contract: `x.${prefix}_get`,
      method: 'GET',
      path: one,
      summary: `Get a ${what}`,
      result: [200, ProtectedEnvironment],
      run: ({ platform, subject: owner, params }) => getProtection(platform, owner, params.name),
    }),
    operation({
      ...write,
      id: `${prefix}.create`,
      contract: `x.${prefix}_create`,
      method: 'POST',
      path: all,
      summary: isProject ? 'Protect an environment' : 'Protect a tier of environments in every project of a group',
      description: isProject
        ? 'The environment need not exist. Entries of users and groups without access to the project are left out.'
        : 'Entries of users and groups without access to the group are left out.',
      params: newProtection,
      result: [201, ProtectedEnvironment],
      run: ({ platform, subject: owner, params, act }) => createProtection(platform, owner, params, act),
    }),
    operation({
      ...write,
      id: `${prefix}.update`,
      contract: `x.${prefix}_update`,
      method: 'PUT',
      path: one,
      summary: `Change who may deploy to a ${what}, and who has to approve`,
      description: 'An entry with an id is changed, or removed by `_destroy`; one without is added.',
      params: protectionChanges,
      result: [200, ProtectedEnvironment],
      run: ({ platform, subject: owner, params: { name, ...changes }, act }) =>
        updateProtection(platform, owner, { name, changes, act }),
    }),
    operation({
      ...write,
      id: `${prefix}.delete`,
      contract: `x.${prefix}_delete`,
      method: 'DELETE',
      path: one,
      summary: isProject ? 'End the protection of an environment' : 'End the protection of a tier of a group',
      result: [204, nothing],
      run: ({ platform, subject: owner, params: { name }, unmodified, act }) =>
        deleteProtection(platform, owner, { name, unmodified, act }),
    }),
  ]
})
