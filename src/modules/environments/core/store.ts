import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { contains, countRows, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type EnvironmentRow, environments } from '../tables.ts'
import type { EnvironmentFilter } from './params.ts'

export const {
  byId: environmentById,
  byIds: environmentsByIds,
  insertAll: insertEnvironments,
  update: updateEnvironmentRow,
  remove: removeEnvironments,
} = rows(environments)

/** A page of the environments of a project, by id (contract 24, x.environments_list). */
export async function pageOfEnvironments(
  db: Reader,
  projectId: number,
  { name, search, states }: EnvironmentFilter,
  page: PageRequest,
): Promise<Page<EnvironmentRow>> {
  let query = db.selectFrom('environments').selectAll().where('project_id', '=', projectId)
  if (name !== undefined) query = query.where('name', '=', name)
  if (search !== undefined) query = query.where(contains('name', search))
  if (states !== undefined) query = query.where('state', '=', states)
  return pageOfRows(db, query.orderBy('id'), page)
}

/** The environment of a project that has exactly this name. */
export async function environmentNamed(db: Reader, projectId: number, name: string): Promise<EnvironmentRow | null> {
  const query = db.selectFrom('environments').selectAll().where('project_id', '=', projectId)
  return (await query.where('name', '=', name).executeTakeFirst()) ?? null
}

/** Those environments of a project that have exactly these names, by name. */
export async function environmentsNamed(
  db: Reader,
  projectId: number,
  names: readonly string[],
): Promise<Map<string, EnvironmentRow>> {
  const query = db.selectFrom('environments').selectAll().where('project_id', '=', projectId)
  const found = await query.where(within(db, 'name', names)).execute()
  return new Map(found.map((row) => [row.name, row]))
}

export function countEnvironments(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('environments').where('project_id', '=', projectId))
}

/** Those of these slugs that environments of a project have. */
export async function slugsAmong(db: Reader, projectId: number, slugs: readonly string[]): Promise<Set<string>> {
  const query = db.selectFrom('environments').select('slug').where('project_id', '=', projectId)
  return new Set((await query.where(within(db, 'slug', slugs)).execute()).map(({ slug }) => slug))
}

/** Changes an environment that is in one of the states. @returns null when it is in another one, or is gone */
export async function moveEnvironment(
  tx: Tx,
  id: number,
  from: readonly EnvironmentRow['state'][],
  changes: Partial<Omit<EnvironmentRow, 'id'>>,
): Promise<EnvironmentRow | null> {
  const query = tx.updateTable('environments').set(changes).where('id', '=', id).where('state', 'in', from)
  return (await query.returningAll().executeTakeFirst()) ?? null
}
