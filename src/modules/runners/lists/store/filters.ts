import { sql } from 'kysely'
import { failure } from '../../../../api/index.ts'
import {
  type Condition,
  comparedOnIndex,
  each,
  escapeLike,
  type Filter,
  type Filters,
  jsonHasAll,
  jsonText,
  type ListContext,
  testColumn,
  typeOf,
} from '../../../../infra/database/index.ts'
import type { RunnerFilter } from '../../core/params.ts'
import { onlineMs, type RunnerStatus, runnerStatuses, staleMs } from '../../core/status.ts'
import { runnerTypes } from '../../tables.ts'

export type RunnersContext = ListContext & { now: Date }

const type = comparedOnIndex('runner_type', '=')

const paused: Filter<ListContext, boolean> = (context, wanted) =>
  testColumn(context, 'paused', (column) => sql<boolean>`${column} = ${wanted}`)

/** `statusAt` as a condition on `runners`. */
function hasStatus(status: RunnerStatus, now: Date): Condition {
  const onlineFrom = new Date(now.getTime() - onlineMs).toISOString()
  const freshFrom = new Date(now.getTime() - staleMs).toISOString()
  switch (status) {
    case 'online':
      return sql<boolean>`runners.contacted_at >= ${onlineFrom}`
    case 'offline':
      return sql<boolean>`(runners.contacted_at < ${onlineFrom} and runners.contacted_at >= ${freshFrom})`
    case 'stale':
      return sql<boolean>`coalesce(runners.contacted_at, runners.created_at) < ${freshFrom}`
    case 'never_contacted':
      return sql<boolean>`(runners.contacted_at is null and runners.created_at >= ${freshFrom})`
  }
}

const status: Filter<RunnersContext, RunnerStatus> = ({ now }, wanted) => ({ holds: hasStatus(wanted, now) })

const tag: Filter<ListContext, string> = ({ db }, wanted) => ({
  holds: jsonHasAll(db, sql.ref('runners.tag_list'), sql`cast(${jsonText([wanted])} as ${typeOf(db, 'json')})`),
})

const versionPrefix: Filter<ListContext, string> = (_, prefix) => ({
  holds: sql<boolean>`runners.version like ${`${escapeLike(prefix)}%`} escape '\\'`,
})

/** The older names of types and states. @throws ApiError 400 for another word */
const scope: Filter<RunnersContext, string> = (context, word) => {
  const older: Readonly<Record<string, string>> = { shared: 'instance_type', specific: 'project_type' }
  const name = Object.hasOwn(older, word) ? older[word] : word
  if (name === 'active' || name === 'paused') return paused(context, name === 'paused')
  const wantedType = runnerTypes.find((known) => known === name)
  if (wantedType) return type(context, wantedType)
  const wantedStatus = runnerStatuses.find((known) => known === name)
  if (wantedStatus) return status(context, wantedStatus)
  throw failure(400, 'Scope contains invalid value')
}

/** The filters of runners by their parameters (contract 04, x.runners_list). */
export const runnerFilters: Filters<RunnersContext, RunnerFilter> = {
  scope,
  type,
  paused,
  status,
  tag_list: each(tag),
  version_prefix: versionPrefix,
}
