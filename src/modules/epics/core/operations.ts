import { nothing, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { epic } from './access.ts'
import { createEpic, removeEpic, updateEpicOf } from './epics.ts'
import { presentEpic } from './load.ts'
import { epicChanges, epicPaths, epicsPath, newEpic } from './params.ts'
import { Epic } from './present.ts'

const shared = { tier: 'premium', tag: 'Epics', deprecated: true } as const
const reads = { ...shared, allow: 'read_epics', scopes: reading } as const
const writes = { ...shared, allow: 'write_epics', scopes: writing } as const

const ofGroup = { ...epicsPath, subject: group } as const
const ofEpic = { ...epicPaths, subject: epic } as const

export const epicsGet = operation({
  ...reads,
  ...ofEpic,
  id: 'epics.get',
  contract: 'x.epic_get',
  method: 'GET',
  summary: 'Get an epic',
  result: [200, Epic],
  run: ({ platform, subject, actor }) => presentEpic(platform, subject, actor),
})

export const epicsCreate = operation({
  ...writes,
  ...ofGroup,
  id: 'epics.create',
  contract: 'x.epic_create',
  method: 'POST',
  summary: 'Create an epic',
  params: newEpic,
  result: [201, Epic],
  run: ({ platform, subject, actor, params }) => createEpic(platform, subject, actor, params),
})

export const epicsUpdate = operation({
  ...writes,
  ...ofEpic,
  id: 'epics.update',
  contract: 'x.epic_update',
  method: 'PUT',
  summary: 'Change, close or reopen an epic',
  params: epicChanges,
  result: [200, Epic],
  run: ({ platform, subject, actor, params }) => updateEpicOf(platform, subject, actor, params),
})

export const epicsDelete = operation({
  ...writes,
  ...ofEpic,
  id: 'epics.delete',
  contract: 'x.epic_delete',
  method: 'DELETE',
  summary: 'Delete an epic',
  description: 'Planners and owners may.',
  result: [204, nothing],
  run: ({ platform, subject, actor, unmodified }) => removeEpic(platform, subject, actor, unmodified),
})
