import { type RawBuilder, sql } from 'kysely'
import { prepareQuery, type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** What a path leads to. `redirect` says that it is the path of before. */
export type Route = { namespaceId: number | null; projectId: number | null; redirect: boolean }

export type RouteTarget = { namespaceId: number } | { projectId: number }

function keyOf(fullPath: string): string {
  return fullPath.toLowerCase()
}

function columnsOf(target: RouteTarget) {
  return 'projectId' in target
    ? { namespace_id: null, project_id: target.projectId }
    : { namespace_id: target.namespaceId, project_id: null }
}

const routeOf = prepareQuery((db, { key }: { key: string }) =>
  db.selectFrom('routes').select(['namespace_id', 'project_id', 'redirect']).where('path_key', '=', key),
)

/** Finds where a full path leads, whatever its case. */
export async function findRoute(db: Reader, fullPath: string): Promise<Route | null> {
  const [row] = await routeOf(db, { key: keyOf(fullPath) })
  return row ? { namespaceId: row.namespace_id, projectId: row.project_id, redirect: row.redirect } : null
}

/** Whether something (not a mere redirect) lives at a path. */
export async function isPathTaken(db: Reader, fullPath: string): Promise<boolean> {
  const route = await findRoute(db, fullPath)
  return route !== null && !route.redirect
}

/** Those of these full paths, in lower case, at which something (not a mere redirect) lives. */
export async function takenAmong(db: Reader, fullPaths: readonly string[]): Promise<Set<string>> {
  const taken = await db
    .selectFrom('routes')
    .select('path_key')
    .where('redirect', '=', false)
    .where(within(db, 'routes.path_key', fullPaths))
    .execute()
  return new Set(taken.map(({ path_key }) => path_key))
}

/**
 * Gives a path to a namespace or project. A redirect in its way makes room (contract 21 R5).
 * @throws UniqueViolation of `routes_pkey` when something lives there
 */
export async function claimRoute(tx: Tx, fullPath: string, target: RouteTarget): Promise<void> {
  const key = keyOf(fullPath)
  await tx.deleteFrom('routes').where('path_key', '=', key).where('redirect', '=', true).execute()
  await tx
    .insertInto('routes')
    .values({ path_key: key, ...columnsOf(target), redirect: false })
    .execute()
}

/** The routes (not redirects) that lie at a path and below it. */
function routesFrom(key: string, namespaceId: number | null): RawBuilder<boolean> {
  // By ids, so that no index over the beginnings of paths is needed; by text, so that their new routes do not count.
  const below = sql`
    namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${namespaceId})
    or project_id in (select p.id from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
      where a.ancestor_id = ${namespaceId})`
  return sql<boolean>`(
    redirect = false and (path_key = ${key} or
      (substr(path_key, 1, ${sql.lit(key.length + 1)}) = ${`${key}/`} and (${below}))))`
}

/**
 * Moves a path and everything below it: new routes are made, the old ones stay as redirects (contract 21 R5). Three queries
 * however much lies below.
 * @throws UniqueViolation when something lives at one of the new paths
 */
export async function moveRoutes(tx: Tx, oldPath: string, newPath: string): Promise<void> {
  const [oldKey, newKey] = [keyOf(oldPath), keyOf(newPath)]
  if (oldKey === newKey) return
  const moved = routesFrom(oldKey, (await findRoute(tx, oldPath))?.namespaceId ?? null)
  const key = sql<string>`cast(${newKey} as text) || substr(path_key, ${sql.lit(oldKey.length + 1)})`
  await sql`delete from routes where redirect = true and path_key in (
    select ${key} from routes where ${moved})`.execute(tx)
  await sql`insert into routes (path_key, namespace_id, project_id, redirect)
    select ${key}, namespace_id, project_id, false from routes where ${moved}`.execute(tx)
  await tx.updateTable('routes').set({ redirect: true }).where(moved).execute()
}
