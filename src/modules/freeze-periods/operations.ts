import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import {
  createFreezePeriod,
  deleteFreezePeriod,
  FreezePeriod,
  getFreezePeriod,
  listFreezePeriods,
  updateFreezePeriod,
} from './freeze-periods.ts'
import { freezePeriodChanges, freezePeriodId, newFreezePeriod } from './params.ts'

const shared = { tag: 'Freeze periods', subject: project } as const
const read = { ...shared, method: 'GET', allow: 'read_freeze_periods', scopes: reading } as const
const write = { ...shared, allow: 'admin_freeze_periods', scopes: writing } as const
const all = '/projects/:id/freeze_periods'
const one = `${all}/:freeze_period_id` as const

export const freezePeriodsList = operation({
  ...read,
  id: 'freeze_periods.list',
  contract: 'x.freeze_periods_list',
  path: all,
  summary: 'List the freeze periods of a project',
  result: [200, pageOf(FreezePeriod)],
  run: ({ platform, subject, page }) => listFreezePeriods(platform, subject, page),
})

export const freezePeriodsGet = operation({
  ...read,
  id: 'freeze_periods.get',
  contract: 'x.freeze_periods_get',
  path: one,
  summary: 'Get a freeze period',
  params: freezePeriodId,
  result: [200, FreezePeriod],
  run: ({ platform, subject, params }) => getFreezePeriod(platform, subject, params.freeze_period_id),
})

export const freezePeriodsCreate = operation({
  ...write,
  id: 'freeze_periods.create',
  contract: 'x.freeze_periods_create',
  method: 'POST',
  path: all,
  summary: 'Create a freeze period',
  description: 'Jobs that are created in it get the variable `CI_DEPLOY_FREEZE`; nothing is refused.',
  params: newFreezePeriod,
  result: [201, FreezePeriod],
  run: ({ platform, subject, params }) => createFreezePeriod(platform, subject, params),
})

export const freezePeriodsUpdate = operation({
  ...write,
  id: 'freeze_periods.update',
  contract: 'x.freeze_periods_update',
  method: 'PUT',
  path: one,
  summary: 'Change a freeze period',
  params: { ...freezePeriodId, ...freezePeriodChanges },
  result: [200, FreezePeriod],
  run: ({ platform, subject, params: { freeze_period_id: id, ...changes } }) =>
    updateFreezePeriod(platform, subject, id, changes),
})

export const freezePeriodsDelete = operation({
  ...write,
  id: 'freeze_periods.delete',
  contract: 'x.freeze_periods_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a freeze period',
  params: freezePeriodId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    deleteFreezePeriod(platform, subject, params.freeze_period_id, unmodified),
})
