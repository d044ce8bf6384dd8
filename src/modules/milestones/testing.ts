import { now } from '../../infra/database/index.ts'
import { nextInternalId } from '../../platform/internal-ids/index.ts'
import type { TestServer } from '../../testing/index.ts'
import { milestonesByIds } from './store/milestones.ts'
import type { MilestoneRow } from './tables.ts'

type Columns = { description?: string; start_date?: string; due_date?: string; state?: 'active' | 'closed' }

/** Makes a milestone by its row. */
export async function makeMilestone(
  server: TestServer,
  parent: { project: { id: number } } | { group: { id: number } },
  title: string,
  columns: Columns = {},
): Promise<MilestoneRow> {
  const { database, clock } = server.app.platform
  const moment = now(clock)
  const times = { created_at: moment, updated_at: moment }
  return database.write(async (tx) => {
    const scope = 'project' in parent ? { projectId: parent.project.id } : { namespaceId: parent.group.id }
    const iid = await nextInternalId(tx, scope, 'milestones')
    const owner = { project_id: scope.projectId ?? null, namespace_id: scope.namespaceId ?? null }
    const values = { ...owner, iid, title, ...columns, ...times }
    const { id } = await tx.insertInto('milestones').values(values).returning('id').executeTakeFirstOrThrow()
    return (await milestonesByIds(tx, [id])).get(id) as MilestoneRow
  })
}
