import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { RunnerOwner } from '../core/new-runner.ts'

/** The group or project whose setting `runners_token` this is. Reads all of them: this way to register is being given up. */
export async function ownerOfToken(db: Reader, token: string): Promise<RunnerOwner | null> {
  const hasToken = sql<boolean>`settings ->> 'runners_token' = ${token}`
  const groups = db
    .selectFrom('namespaces')
    .select('id')
    .where('kind', '=', 'group')
    .where('pending_delete', '=', false)
  const group = await groups.where(hasToken).orderBy('id').limit(1).executeTakeFirst()
  if (group) return { runner_type: 'group_type', groupId: group.id }
  const projects = db.selectFrom('projects').select('id').where('pending_delete', '=', false)
  const project = await projects.where(hasToken).orderBy('id').limit(1).executeTakeFirst()
  return project ? { runner_type: 'project_type', projectId: project.id } : null
}
