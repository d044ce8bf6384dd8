import { sql } from 'kysely'
import { within } from '../../../infra/database/index.ts'
import type { Events, Ports, Reaction } from '../../../platform/index.ts'

/** Links the LFS objects of a project to its fork. */
export const copyLfsObjects: Reaction<Events['project.forked']> = async (_platform, tx, { projectId, sourceId }) => {
  await sql`insert into lfs_objects_projects (project_id, object_id)
    select cast(${projectId} as bigint), object_id from lfs_objects_projects where project_id = ${sourceId}
    on conflict do nothing`.execute(tx)
}

/** The total size of the LFS objects of each project, in bytes; projects without objects are absent. */
export const lfsSizes: Ports['projects.lfs_sizes'] = async ({ database: { read } }, projectIds) => {
  if (projectIds.length === 0) return new Map()
  const rows = await read
    .selectFrom('lfs_objects_projects as l')
    .innerJoin('lfs_objects as o', 'o.id', 'l.object_id')
    .select((eb) => ['l.project_id', eb.fn.sum<number>('o.size_bytes').as('size_bytes')])
    .where(within(read, 'l.project_id', projectIds))
    .groupBy('l.project_id')
    .execute()
  return new Map(rows.map(({ project_id: id, size_bytes: bytes }) => [id, bytes]))
}
