import { type RawBuilder, sql } from 'kysely'
import { prepareQuery, type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** What a path leads to. `redirect`: the path is a former one. */
export type Route = { namespaceId: number | null; projectId: number | null; redirect: boolean }

type RouteTarget = { namespaceId: number } | { projectId: number }

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

/** Finds the route of a full path, case-insensitively. */
export async function findRoute(db: Reader, fullPath: string): Promise<Route | null> {
  const [row] = await routeOf(db, { key: keyOf(fullPath) })
  return row ? { namespaceId: row.namespace_id, projectId: row.project_id, redirect: row.redirect } : null
}

/** The routes of full paths, by the path in lower case, in one query. */
export async function findRoutes(db: Reader, fullPaths: readonly string[]): Promise<Map<string, Route>> {
  if (fullPaths.length === 0) return new Map()
  const keys = [...new Set(fullPaths.map(keyOf))]
  const query = db.selectFrom('routes').select(['path_key', 'namespace_id', 'project_id', 'redirect'])
  const found = await query.where(within(db, 'routes.path_key', keys)).execute()
  return new Map(
    found.map(({ path_key, namespace_id: namespaceId, project_id: projectId, redirect }) => [
      path_key,
      { namespaceId, projectId, redirect },
    ]),
  )
}

/** Whether a namespace or project has this path; redirects do not count. */
export async function isPathTaken(db: Reader, fullPath: string): Promise<boolean> {
  const route = await findRoute(db, fullPath)
  return route !== null && !route.redirect
}

/** Which of these full paths, in lower case, are taken; redirects do not count. */
export async function takenPaths(db: Reader, fullPaths: readonly string[]): Promise<Set<string>> {
  const taken = await db
    .selectFrom('routes')
    .select('path_key')
    .where('redirect', '=', false)
    .where(within(db, 'routes.path_key', fullPaths))
    .execute()
  return new Set(taken.map(({ path_key }) => path_key))
}

/**
 * Gives a path to a namespace or project. A redirect at the path is replaced (contract 21 R5).
 * @throws UniqueViolation of `routes_pkey` when the path is taken
 */
export async function claimRoute(tx: Tx, fullPath: string, target: RouteTarget): Promise<void> {
  const key = keyOf(fullPath)
  await tx.deleteFrom('routes').where('path_key', '=', key).where('redirect', '=', true).execute()
  await tx
    .insertInto('routes')
    .values({ path_key: key, ...columnsOf(target), redirect: false })
    .execute()
}

/** Deletes the routes of a namespace and of its projects. */
export async function deleteRoutesOf(tx: Tx, namespaceId: number): Promise<void> {
  const projects = tx.selectFrom('projects').select('id').where('namespace_id', '=', namespaceId)
  await tx
    .deleteFrom('routes')
    .where((eb) => eb.or([eb('namespace_id', '=', namespaceId), eb('project_id', 'in', projects)]))
    .execute()
}

/** The routes at a path and below it, without redirects. */
function routesFrom(key: string, namespaceId: number | null): RawBuilder<boolean> {
  // The ids make an index over path prefixes unnecessary; the text excludes the new routes of the same rows.
  const below = sql`
    namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${namespaceId})
    or project_id in (select p.id from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
      where a.ancestor_id = ${namespaceId})`
  return sql<boolean>`(
    redirect = false and (path_key = ${key} or
      (substr(path_key, 1, ${sql.lit(key.length + 1)}) = ${`${key}/`} and (${below}))))`
}

/**
 * Moves a path and everything below it: new routes are added, the old ones stay as redirects (contract 21 R5). Takes three
 * queries, independent of the size of the tree.
 * @throws UniqueViolation when one of the new paths is taken
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
