import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { createIteration, deleteIteration, getIteration, listIterations, updateIteration } from './iterations.ts'
import { iterationChanges, iterationFilter, iterationId, newIteration } from './params.ts'
import { Iteration } from './present.ts'

const tag = 'Iterations'
const path = '/groups/:id/iterations'
const write = { tier: 'premium', tag, subject: group, allow: 'admin_iterations', scopes: writing } as const
const read = { tier: 'premium', method: 'GET', tag, allow: 'read_iterations', scopes: reading } as const

export const iterationLists = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    ...read,
    subject,
    id: `${kind}_iterations.list`,
    contract: kind === 'project' ? 'x.iteration_list' : 'x.group_iteration_list',
    path: `${path}/iterations`,
    summary: kind === 'project' ? 'List the iterations of the groups of a project' : 'List the iterations of a group',
    params: iterationFilter,
    result: [200, pageOf(Iteration)],
    run: ({ platform, subject, actor, params, page }) => listIterations(platform, subject, actor, params, page),
  }),
])

export const iterationsGet = operation({
  ...read,
  subject: group,
  id: 'iterations.get',
  contract: 'x.iteration_get',
  path: `${path}/:iteration_id`,
  summary: 'Get an iteration of a group or of a group above it',
  params: iterationId,
  result: [200, Iteration],
  run: ({ platform, subject, params }) => getIteration(platform, subject, params.iteration_id),
})

export const iterationsCreate = operation({
  ...write,
  id: 'iterations.create',
  contract: 'x.iteration_create',
  method: 'POST',
  path,
  summary: 'Create an iteration in a manual cadence',
  params: newIteration,
  result: [201, Iteration],
  run: ({ platform, subject, params }) => createIteration(platform, subject, params),
})

export const iterationsUpdate = operation({
  ...write,
  id: 'iterations.update',
  contract: 'x.iteration_update',
  method: 'PUT',
  path: `${path}/:iteration_id`,
  summary: 'Change an iteration of a group',
  params: { ...iterationId, ...iterationChanges },
  atLeastOne: ['title', 'description', 'start_date', 'due_date'],
  result: [200, Iteration],
  run: ({ platform, subject, params: { iteration_id, ...changes } }) =>
    updateIteration(platform, subject, iteration_id, changes),
})

export const iterationsDelete = operation({
  ...write,
  id: 'iterations.delete',
  contract: 'x.iteration_delete',
  method: 'DELETE',
  path: `${path}/:iteration_id`,
  summary: 'Delete an iteration of a group',
  params: iterationId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    deleteIteration(platform, subject, params.iteration_id, unmodified),
})
