import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type CiJobRow, type CiState, ciResourceGroups, type ProcessMode, type ResourceGroupRow } from '../tables.ts'

export const { update: updateResourceGroup } = rows(ciResourceGroups)

/** A page of the resource groups of a project, by id. */
export function pageOfResourceGroups(
  db: Reader,
  projectId: number,
  page: PageRequest,
): Promise<Page<ResourceGroupRow>> {
  const query = db.selectFrom('ci_resource_groups').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('id'), page)
}

export async function resourceGroupOf(db: Reader, projectId: number, key: string): Promise<ResourceGroupRow | null> {
  const query = db.selectFrom('ci_resource_groups').selectAll().where('project_id', '=', projectId)
  return (await query.where('key', '=', key).executeTakeFirst()) ?? null
}

/** Makes those of these resource groups that a project does not have. */
export async function ensureResourceGroups(tx: Tx, projectId: number, keys: readonly string[], moment: string) {
  if (keys.length === 0) return
  const given = { project_id: projectId, created_at: moment, updated_at: moment }
  await tx
    .insertInto('ci_resource_groups')
    .values(keys.map((key) => ({ ...given, key })))
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .execute()
}

/** The states in which a job holds the resource of its group. */
const holding: readonly CiState[] = ['pending', 'running', 'canceling']

/** How jobs of a group follow each other: by which column, and whether jobs that do not wait yet keep their place. */
const orders: Record<ProcessMode, { by: 'pipeline_id' | 'id'; direction: 'asc' | 'desc'; keepsPlaces: boolean }> = {
  unordered: { by: 'id', direction: 'asc', keepsPlaces: false },
  oldest_first: { by: 'pipeline_id', direction: 'asc', keepsPlaces: true },
  newest_first: { by: 'pipeline_id', direction: 'desc', keepsPlaces: true },
  newest_ready_first: { by: 'pipeline_id', direction: 'desc', keepsPlaces: false },
}

type Group = Pick<ResourceGroupRow, 'project_id' | 'key' | 'process_mode'>

const jobsOf = (db: Reader, { project_id, key }: Group) =>
  db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('resource_group', '=', key)
    .where(sql<boolean>`external = false`)

/** The job that holds the resource of a group. */
export async function holderOf(db: Reader, group: Group): Promise<CiJobRow | null> {
  const query = jobsOf(db, group).where('status', 'in', holding)
  return (await query.orderBy('id').limit(1).executeTakeFirst()) ?? null
}

/** The jobs that get the resource of a group one after another (contract 24, Resource groups). */
function upcoming(db: Reader, group: Group) {
  const { by, direction, keepsPlaces } = orders[group.process_mode]
  const waiting: readonly CiState[] = keepsPlaces
    ? ['created', 'scheduled', 'waiting_for_resource']
    : ['waiting_for_resource']
  const jobs = jobsOf(db, group).where('status', 'in', waiting).where('retried', '=', false)
  const ordered = by === 'id' ? jobs : jobs.orderBy('pipeline_id', direction)
  return ordered.orderBy('id')
}

export function pageOfUpcoming(db: Reader, group: Group, page: PageRequest): Promise<Page<CiJobRow>> {
  return pageOfRows(db, upcoming(db, group), page)
}

/** The job that gets the resource of a group next; null while another one holds it, or the first one does not wait yet. */
export async function nextOf(db: Reader, group: Group): Promise<CiJobRow | null> {
  if (await holderOf(db, group)) return null
  const first = await upcoming(db, group).limit(1).executeTakeFirst()
  return first?.status === 'waiting_for_resource' ? first : null
}
