import { instance, nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { instanceOwner, ownerOf } from '../owner.ts'
import {
  groupScopeFilter,
  groupVariableChanges,
  instanceVariableChanges,
  newGroupVariable,
  newInstanceVariable,
  newVariable,
  projectVariableChanges,
  scopeFilter,
} from './params.ts'
import { InstanceVariable, Variable } from './present.ts'
import { createVariable, deleteVariable, getVariable, listVariables, updateVariable } from './variables.ts'

const tag = 'CI variables'

/** The numbers that the contract gives to the operations of groups; those of projects have names. */
const numbers = { list: '2.1', get: '2.2', create: '2.3', update: '2.4', delete: '2.5' } as const

/** Variables of projects and groups (contract 03, 2.1 to 2.5, x.project_variables_…). */
export const variableOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const contract = (name: keyof typeof numbers) => (kind === 'group' ? numbers[name] : `x.project_variables_${name}`)
  const read = { tag, subject, allow: 'read_variables', scopes: reading } as const
  const write = { tag, subject, allow: 'admin_variables', scopes: writing } as const
  const filter = kind === 'group' ? groupScopeFilter : scopeFilter
  const several = { 409: 'Several variables have this key' }
  return [
    operation({
      ...read,
      id: `${kind}_variables.list`,
      contract: contract('list'),
      method: 'GET',
      path: `${path}/variables`,
      summary: `List the CI/CD variables of a ${kind}`,
      result: [200, pageOf(Variable)],
      run: ({ platform, subject, page }) => listVariables(platform, ownerOf(subject), page),
    }),
    operation({
      ...read,
      id: `${kind}_variables.get`,
      contract: contract('get'),
      method: 'GET',
      path: `${path}/variables/:key`,
      summary: `Get a CI/CD variable of a ${kind}`,
      params: filter,
      result: [200, Variable],
      answers: several,
      run: ({ platform, subject, params: { key, filter } }) => getVariable(platform, ownerOf(subject), key, filter),
    }),
    operation({
      ...write,
      id: `${kind}_variables.create`,
      contract: contract('create'),
      method: 'POST',
      path: `${path}/variables`,
      summary: `Create a CI/CD variable of a ${kind}`,
      params: kind === 'group' ? newGroupVariable : newVariable,
      result: [201, Variable],
      run: ({ platform, subject, params, actor, act }) =>
        createVariable(platform, ownerOf(subject), params, { actor, act }),
    }),
    operation({
      ...write,
      id: `${kind}_variables.update`,
      contract: contract('update'),
      method: 'PUT',
      path: `${path}/variables/:key`,
      summary: `Change a CI/CD variable of a ${kind}`,
      params: kind === 'group' ? groupVariableChanges : projectVariableChanges,
      result: [200, Variable],
      answers: several,
      run: ({ platform, subject, params: { key, ...changes }, act }) =>
        updateVariable(platform, ownerOf(subject), key, changes, act),
    }),
    operation({
      ...write,
      id: `${kind}_variables.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: `${path}/variables/:key`,
      summary: `Delete a CI/CD variable of a ${kind}`,
      params: filter,
      result: [204, nothing],
      answers: several,
      run: ({ platform, subject, params: { key, filter }, unmodified, act }) =>
        deleteVariable(platform, ownerOf(subject), key, filter, { unmodified, act }),
    }),
  ]
})

const ofInstance = {
  offerings: ['self-managed', 'dedicated'],
  tag,
  subject: instance,
  allow: 'administrator',
} as const

export const instanceVariablesList = operation({
  ...ofInstance,
  id: 'instance_variables.list',
  contract: '2.6',
  method: 'GET',
  path: '/admin/ci/variables',
  summary: 'List the CI/CD variables of the instance',
  scopes: reading,
  result: [200, pageOf(InstanceVariable)],
  run: ({ platform, page }) => listVariables(platform, instanceOwner, page),
})

export const instanceVariablesGet = operation({
  ...ofInstance,
  id: 'instance_variables.get',
  contract: '2.7',
  method: 'GET',
  path: '/admin/ci/variables/:key',
  summary: 'Get a CI/CD variable of the instance',
  scopes: reading,
  result: [200, InstanceVariable],
  run: ({ platform, params }) => getVariable(platform, instanceOwner, params.key),
})

export const instanceVariablesCreate = operation({
  ...ofInstance,
  id: 'instance_variables.create',
  contract: '2.8',
  method: 'POST',
  path: '/admin/ci/variables',
  summary: 'Create a CI/CD variable of the instance',
  scopes: writing,
  params: newInstanceVariable,
  result: [201, InstanceVariable],
  run: ({ platform, params, actor, act }) => createVariable(platform, instanceOwner, params, { actor, act }),
})

export const instanceVariablesUpdate = operation({
  ...ofInstance,
  id: 'instance_variables.update',
  contract: '2.9',
  method: 'PUT',
  path: '/admin/ci/variables/:key',
  summary: 'Change a CI/CD variable of the instance',
  scopes: writing,
  params: instanceVariableChanges,
  result: [200, InstanceVariable],
  run: ({ platform, params: { key, ...changes }, act }) => updateVariable(platform, instanceOwner, key, changes, act),
})

export const instanceVariablesDelete = operation({
  ...ofInstance,
  id: 'instance_variables.delete',
  contract: '2.10',
  method: 'DELETE',
  path: '/admin/ci/variables/:key',
  summary: 'Delete a CI/CD variable of the instance',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) =>
    deleteVariable(platform, instanceOwner, params.key, undefined, { unmodified, act }),
})
