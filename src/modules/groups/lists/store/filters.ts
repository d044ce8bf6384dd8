import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  comparedOnIndex,
  equalTested,
  type Filter,
  type Filters,
  onIndex,
  testColumn,
  within,
} from '../../../../infra/database/index.ts'
import { withAllAttributes } from '../../../custom-attributes/index.ts'
import { named, possibleIds, topLevelOnly } from '../../../namespaces/index.ts'
import type { GroupFilter } from '../params.ts'
import type { GroupContext } from './access.ts'

type GroupsWith<Value> = Filter<GroupContext, Value>

/** Groups whose repositories are in a storage. Those that name one are few, and an index has them. */
const storedIn: GroupsWith<string> = (_, storage) => {
  const stored = sql`namespaces.settings ->> 'repository_storage'`
  if (storage === 'default') return { holds: sql<boolean>`coalesce(${stored}, 'default') = 'default'` }
  const holds = sql<boolean>`(${stored} = ${storage} and ${stored} is not null)`
  const ids = sql`select namespaces.id from namespaces where namespaces.kind = 'group' and ${holds}`
  return { holds, driver: { ids, isSufficient: true } }
}

const without: GroupsWith<readonly number[]> = ({ db }, skipped) => {
  const ids = possibleIds(skipped)
  return ids.length === 0 ? [] : { holds: sql<boolean>`not ${within(db, 'namespaces.id', ids)}` }
}

/** An index has the few groups that are archived, and none has the others. */
const archived: GroupsWith<boolean> = (context, value) =>
  (value ? onIndex : testColumn)(context, 'archived', (column) => sql<boolean>`${column} = ${sql.lit(value)}`)

/** A filter that is ignored for others. */
const forAdministrators =
  <Value>(filter: GroupsWith<Value>): GroupsWith<Value> =>
  (context, value) =>
    isAdministrator(context.viewer.actor) ? filter(context, value) : []

/** The filters of groups by their parameters, in the order in which rows are tested (contract 21, x.groups_list). */
export const groupFilters: Filters<GroupContext, GroupFilter> = {
  visibility: equalTested('visibility'),
  top_level_only: topLevelOnly,
  marked_for_deletion_on: comparedOnIndex('marked_for_deletion_on', '='),
  archived,
  skip_groups: without,
  search: (context, text) => named(context, text),
  repository_storage: forAdministrators(storedIn),
  custom_attributes: forAdministrators(withAllAttributes('group')),
}
