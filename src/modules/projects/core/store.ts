import { type Insertable, sql } from 'kysely'
import { countRows, locked, prepareQuery, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { insertRepository } from '../../../platform/repositories/index.ts'
import { insertMembers, role } from '../../access/index.ts'
import { claimRoute, type NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectSettings } from '../settings/settings.ts'
import { type ProjectRow, type ProjectsTable, projects } from '../tables.ts'

export const { update: updateProject } = rows(projects)

const byId = prepareQuery((db, { id }: { id: number }) => db.selectFrom('projects').selectAll().where('id', '=', id))

export async function projectById(db: Reader, id: number): Promise<ProjectRow | null> {
  const [row] = await byId(db, { id })
  return row ?? null
}

export async function projectsByIds(db: Reader, ids: readonly number[]): Promise<ProjectRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('projects')
    .selectAll()
    .where(within(db, 'projects.id', [...new Set(ids)]))
    .execute()
}

type Columns = Insertable<ProjectsTable>

type NewProject = Pick<Columns, 'name' | 'path' | 'visibility' | 'creator_id'> &
  Partial<
    Pick<
      Columns,
      'description' | 'default_branch' | 'forked_from_id' | 'import_status' | 'import_url' | 'is_unfinished'
    >
  > & {
    namespace: Pick<NamespaceRow, 'id' | 'full_path' | 'owner_id'>
    storage: string
    objectFormat?: 'sha1' | 'sha256'
    settings?: Partial<ProjectSettings>
    now: string
  }

/**
 * Inserts the rows of a project: itself, its path, its repository (not on disk yet), and in a personal namespace the
 * membership of its owner (contract 21, x.projects_create).
 * @throws UniqueViolation when the path or the name is taken
 */
export async function insertProject(
  tx: Tx,
  { namespace, storage, objectFormat = 'sha1', settings = {}, now, ...columns }: NewProject,
): Promise<ProjectRow> {
  const row = await tx
    .insertInto('projects')
    .values({
      ...columns,
      namespace_id: namespace.id,
      full_path: `${namespace.full_path}/${columns.path}`,
      settings: JSON.stringify(settings),
      last_activity_at: now,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await claimRoute(tx, row.full_path, { projectId: row.id })
  const owner = { projectId: row.id }
  await insertRepository(tx, { owner, kind: 'project', storage, objectFormat, now })
  if (namespace.owner_id !== null) {
    const member = { user_id: namespace.owner_id, access_level: role.owner, created_at: now }
    await insertMembers(tx, { kind: 'project', id: row.id }, [member])
  }
  return row
}

/** Locks the row of a project, so that concurrent changes do not undo each other. */
export async function holdProject(tx: Tx, id: number): Promise<ProjectRow | null> {
  const query = tx.selectFrom('projects').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** The number of projects directly in a namespace. */
export function countProjectsIn(db: Reader, namespaceId: number): Promise<number> {
  const projects = db.selectFrom('projects').where('namespace_id', '=', namespaceId)
  return countRows(projects.where('pending_delete', '=', false))
}

/**
 * Whether a project directly in the namespace has the name, whatever its case.
 * @param exceptId the project that gets it
 */
export async function isNameTaken(db: Reader, namespaceId: number, name: string, exceptId?: number): Promise<boolean> {
  let query = db.selectFrom('projects').select('id').where('namespace_id', '=', namespaceId)
  if (exceptId !== undefined) query = query.where('id', '!=', exceptId)
  const found = await query.where((eb) => eb(eb.fn('lower', ['name']), '=', name.toLowerCase())).executeTakeFirst()
  return found !== undefined
}

/** The projects with an avatar, each with it. */
export async function projectsWithAvatar(
  db: Reader,
  ids?: readonly number[],
): Promise<{ id: number; avatar: string | null }[]> {
  const query = db.selectFrom('projects').select(['id', 'avatar']).where('avatar', 'is not', null)
  return (ids ? query.where(within(db, 'id', ids)) : query).execute()
}

/** Whether two projects come from one source over any number of forks, or one of them from the other (contract 22). */
export async function inOneForkNetwork(db: Reader, id: number, otherId: number): Promise<boolean> {
  if (id === otherId) return true
  const { rows } = await sql<{ id: number }>`
    with recursive line (start_id, id, source_id) as (
      select id, id, forked_from_id from projects where id in (${id}, ${otherId})
      union select line.start_id, p.id, p.forked_from_id from projects p join line on p.id = line.source_id
    ) select id from line where source_id is null`.execute(db as never)
  // Each of the two lines ends at its root.
  return rows.length === 2 && rows[0]?.id === rows[1]?.id
}

/** Whether a project is the other one, or was forked from it over any number of steps. */
export async function descendsFrom(db: Reader, id: number, ancestorId: number): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    with recursive line (id, source_id) as (
      select id, forked_from_id from projects where id = ${id}
      union select p.id, p.forked_from_id from projects p join line on p.id = line.source_id
    ) select id from line where id = ${ancestorId}`.execute(db as never)
  return rows.length > 0
}

/** Records that a project was changed. */
export async function touchProject(tx: Tx, id: number, updated_at: string): Promise<void> {
  await updateProject(tx, id, { updated_at })
}
