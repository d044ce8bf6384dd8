import { pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { epicsPath } from '../core/params.ts'
import { Epic } from '../core/present.ts'
import { listEpics } from './lists.ts'
import { epicFilter } from './params.ts'

export const epicsList = operation({
  ...epicsPath,
  id: 'epics.list',
  contract: 'x.epic_list',
  method: 'GET',
  tier: 'premium',
  tag: 'Epics',
  deprecated: true,
  summary: 'List the epics of a group and of the groups below it',
  subject: group,
  allow: 'read_epics',
  scopes: reading,
  params: epicFilter,
  result: [200, pageOf(Epic)],
  run: ({ platform, subject, actor, params, page }) => listEpics(platform, subject, actor, params, page),
})
