import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { countRows, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type FlagRow, featureFlagScopes, featureFlagStrategies, featureFlags, type StrategyRow } from '../tables.ts'
import type { StoredStrategy, StrategyDraft } from './drafts.ts'

export const { byId: flagById, insert: insertFlag, update: updateFlag, remove: deleteFlag } = rows(featureFlags)
const strategyRows = rows(featureFlagStrategies)
const scopeRows = rows(featureFlagScopes)

/** A page of the flags of a project, by name. */
export async function pageOfFlags(
  db: Reader,
  projectId: number,
  active: boolean | undefined,
  page: PageRequest,
): Promise<Page<FlagRow>> {
  const query = db.selectFrom('feature_flags').selectAll().where('project_id', '=', projectId)
  const chosen = active === undefined ? query : query.where('active', '=', active)
  return pageOfRows(db, chosen.orderBy('name'), page)
}

/** The flags of a project, by id. */
export async function flagsOfProject(db: Reader, projectId: number): Promise<FlagRow[]> {
  return db.selectFrom('feature_flags').selectAll().where('project_id', '=', projectId).orderBy('id').execute()
}

export async function flagByName(db: Reader, projectId: number, name: string): Promise<FlagRow | null> {
  const query = db.selectFrom('feature_flags').selectAll().where('project_id', '=', projectId)
  return (await query.where('name', '=', name).executeTakeFirst()) ?? null
}

export async function countFlags(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('feature_flags').where('project_id', '=', projectId))
}

/** The strategies of flags with their scopes, by flag; both by id. */
export async function strategiesOfFlags(
  db: Reader,
  flagIds: readonly number[],
): Promise<Map<number, StoredStrategy[]>> {
  if (flagIds.length === 0) return new Map()
  const strategies = await db
    .selectFrom('feature_flag_strategies')
    .selectAll()
    .where(within(db, 'feature_flag_id', flagIds))
    .orderBy('id')
    .execute()
  const ids = strategies.map(({ id }) => id)
  const scopes =
    ids.length === 0
      ? []
      : await db
          .selectFrom('feature_flag_scopes')
          .selectAll()
          .where(within(db, 'strategy_id', ids))
          .orderBy('id')
          .execute()
  const scopesOf = Map.groupBy(scopes, ({ strategy_id: id }) => id)
  const byFlag = Map.groupBy(strategies, ({ feature_flag_id: id }) => id)
  const stored = (row: StrategyRow): StoredStrategy => ({
    id: row.id,
    name: row.name,
    parameters: JSON.parse(row.parameters),
    user_list_id: row.user_list_id,
    scopes: (scopesOf.get(row.id) ?? []).map(({ id, environment_scope }) => ({ id, environment_scope })),
  })
  return new Map([...byFlag].map(([flagId, found]) => [flagId, found.map(stored)]))
}

async function writeScopes(
  tx: Tx,
  strategyId: number,
  before: StoredStrategy['scopes'],
  after: StrategyDraft['scopes'],
) {
  const kept = new Map(after.map((scope) => [scope.id, scope.environment_scope]))
  const gone = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  if (gone.length > 0) await scopeRows.remove(tx, gone)
  for (const { id, environment_scope } of before) {
    const changed = kept.get(id)
    if (changed !== undefined && changed !== environment_scope)
      await scopeRows.update(tx, id, { environment_scope: changed })
  }
  const added = after.filter(({ id }) => id === null)
  await scopeRows.insertAll(
    tx,
    added.map(({ environment_scope }) => ({ strategy_id: strategyId, environment_scope })),
  )
}

const valuesOf = ({ name, parameters, user_list_id }: StrategyDraft) => ({
  name,
  parameters: JSON.stringify(parameters),
  user_list_id,
})

/** Makes the strategies of a flag those of the drafts; ids stay. */
export async function writeStrategies(
  tx: Tx,
  flagId: number,
  before: readonly StoredStrategy[],
  after: readonly StrategyDraft[],
): Promise<void> {
  const kept = new Set(after.map(({ id }) => id))
  const gone = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  if (gone.length > 0) await strategyRows.remove(tx, gone)
  const byId = new Map(before.map((stored) => [stored.id, stored]))
  for (const draft of after) {
    const stored = draft.id === null ? undefined : byId.get(draft.id)
    const id = stored?.id ?? (await strategyRows.insert(tx, { feature_flag_id: flagId, ...valuesOf(draft) })).id
    if (stored) await strategyRows.update(tx, id, valuesOf(draft))
    await writeScopes(tx, id, stored?.scopes ?? [], draft.scopes)
  }
}

/** The bytes of the parameters and user lists of all strategies of a project, a list once for each of its strategies. */
export async function bytesOfStrategies(db: Reader, projectId: number): Promise<number> {
  const bytes = sql<number>`coalesce(sum(octet_length(s.parameters) + coalesce(octet_length(l.user_xids), 0)), 0)`
  const row = await db
    .selectFrom('feature_flags as f')
    .innerJoin('feature_flag_strategies as s', 's.feature_flag_id', 'f.id')
    .leftJoin('feature_flag_user_lists as l', 'l.id', 's.user_list_id')
    .where('f.project_id', '=', projectId)
    .select(bytes.as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(row.bytes)
}

/** How many scopes the strategies of a project have. */
export async function countScopes(db: Reader, projectId: number): Promise<number> {
  const scopes = db
    .selectFrom('feature_flags as f')
    .innerJoin('feature_flag_strategies as s', 's.feature_flag_id', 'f.id')
    .innerJoin('feature_flag_scopes as c', 'c.strategy_id', 's.id')
  return countRows(scopes.where('f.project_id', '=', projectId))
}
