import { type RawBuilder, sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { ProjectSizes } from '../tables.ts'

/** The sizes of a project `p`, summed up from what it stores. */
const summed: Record<keyof ProjectSizes, RawBuilder<unknown>> = {
  repository_bytes: sql`select r.size_bytes from repositories r where r.project_id = p.id and r.kind = 'project'`,
  wiki_bytes: sql`select r.size_bytes from repositories r where r.project_id = p.id and r.kind = 'wiki'`,
  lfs_bytes: sql`select sum(o.size_bytes) from lfs_objects_projects l join lfs_objects o on o.id = l.object_id
    where l.project_id = p.id`,
  snippet_bytes: sql`select sum(r.size_bytes) from snippets s join repositories r on r.snippet_id = s.id
    where s.project_id = p.id`,
  upload_bytes: sql`select sum(u.size_bytes) from uploads u where u.project_id = p.id`,
  package_bytes: sql`select sum(b.size_bytes) from packages k join package_files f on f.package_id = k.id
    join package_blobs b on b.id = f.blob_id where k.project_id = p.id and k.status <> 'pending_destruction'`,
}

/** @property kept null for a project without a row of sizes */
type ComparedSize = { id: number; name: string; kept: number | null; summed: number }

/** Those sizes of projects that differ from the sums of what they store. */
export async function wrongSizes(db: Reader, ids: readonly number[]): Promise<ComparedSize[]> {
  const compared = Object.entries(summed).map(
    ([column, sum]) => sql`select p.id, cast(${column} as text) as name, ${sql.ref(`kept.${column}`)} as kept,
      coalesce((${sum}), 0) as summed
      from projects p left join project_sizes kept on kept.project_id = p.id where ${within(db, 'p.id', ids)}`,
  )
  const query = sql<ComparedSize>`select * from (${sql.join(compared, sql` union all `)}) sizes
    where kept is null or kept <> summed order by id, name`
  return (await query.execute(db as never)).rows
}

/** Ids of projects in their order. @param afterId the last one of the previous portion */
export async function projectIdsAfter(db: Reader, afterId: number, limit: number): Promise<{ id: number }[]> {
  return db.selectFrom('projects').select('id').where('id', '>', afterId).orderBy('id').limit(limit).execute()
}

const columnsByKind = {
  repositories: 'repository_bytes',
  wikis: 'wiki_bytes',
  lfs_objects: 'lfs_bytes',
  snippets: 'snippet_bytes',
  uploads: 'upload_bytes',
  packages: 'package_bytes',
} as const

/** The sizes of all projects, added up by kind, in bytes. */
export async function sumSizes(db: Reader): Promise<Record<keyof typeof columnsByKind, number>> {
  const sums = Object.entries(columnsByKind).map(
    ([name, column]) => sql`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint) as ${sql.ref(name)}`,
  )
  const { rows } = await sql<
    Record<keyof typeof columnsByKind, number>
  >`select ${sql.join(sums)} from project_sizes`.execute(db as never)
  const entries = Object.entries(rows[0] ?? {}).map(([name, sum]) => [name, Number(sum)])
  return Object.fromEntries(entries) as Record<keyof typeof columnsByKind, number>
}
