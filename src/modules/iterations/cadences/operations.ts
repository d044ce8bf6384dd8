import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { createCadence, deleteCadence, getCadence, listCadences, updateCadence } from './cadences.ts'
import { cadenceChanges, cadenceId, newCadence } from './params.ts'
import { IterationCadence } from './present.ts'

const path = '/groups/:id/iteration_cadences'
const common = { tier: 'premium', tag: 'Iterations', subject: group } as const
const read = { ...common, method: 'GET', allow: 'read_iterations', scopes: reading } as const
const write = { ...common, allow: 'admin_iterations', scopes: writing } as const

export const cadencesList = operation({
  ...read,
  id: 'iteration_cadences.list',
  contract: 'x.cadence_list',
  path,
  summary: 'List the iteration cadences of a group',
  result: [200, pageOf(IterationCadence)],
  run: ({ platform, subject, page }) => listCadences(platform, subject, page),
})

export const cadencesGet = operation({
  ...read,
  id: 'iteration_cadences.get',
  contract: 'x.cadence_get',
  path: `${path}/:cadence_id`,
  summary: 'Get an iteration cadence',
  params: cadenceId,
  result: [200, IterationCadence],
  run: ({ platform, subject, params }) => getCadence(platform, subject, params.cadence_id),
})

export const cadencesCreate = operation({
  ...write,
  id: 'iteration_cadences.create',
  contract: 'x.cadence_create',
  method: 'POST',
  path,
  summary: 'Create an iteration cadence',
  params: newCadence,
  result: [201, IterationCadence],
  run: ({ platform, subject, params }) => createCadence(platform, subject, params),
})

export const cadencesUpdate = operation({
  ...write,
  id: 'iteration_cadences.update',
  contract: 'x.cadence_update',
  method: 'PUT',
  path: `${path}/:cadence_id`,
  summary: 'Change an iteration cadence',
  params: { ...cadenceId, ...cadenceChanges },
  atLeastOne: [
    'title',
    'description',
    'start_date',
    'duration_in_weeks',
    'iterations_in_advance',
    'automatic',
    'roll_over',
    'active',
  ],
  result: [200, IterationCadence],
  run: ({ platform, subject, params: { cadence_id, ...changes } }) =>
    updateCadence(platform, subject, cadence_id, changes),
})

export const cadencesDelete = operation({
  ...write,
  id: 'iteration_cadences.delete',
  contract: 'x.cadence_delete',
  method: 'DELETE',
  path: `${path}/:cadence_id`,
  summary: 'Delete an iteration cadence with its iterations',
  params: cadenceId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => deleteCadence(platform, subject, params.cadence_id, unmodified),
})
