import { now } from '../../infra/database/index.ts'
import type { TestServer } from '../../testing/index.ts'
import type { LabelRow } from './tables.ts'

/** The project or group of rows that a test makes. */
type Parent = { project: { id: number } } | { group: { id: number } }

/** The columns that name the project or group of a row. */
const parentColumns = (parent: Parent) => ({
  project_id: 'project' in parent ? parent.project.id : null,
  namespace_id: 'group' in parent ? parent.group.id : null,
})

/** Makes a label by its row. */
export async function makeLabel(
  server: TestServer,
  parent: Parent,
  title: string,
  { color = '#6699cc', description = null }: { color?: string; description?: string | null } = {},
): Promise<LabelRow> {
  const { database, clock } = server.app.platform
  const moment = now(clock)
  const times = { created_at: moment, updated_at: moment }
  const row = { ...parentColumns(parent), title, color, description, ...times }
  return database.write((tx) => tx.insertInto('labels').values(row).returningAll().executeTakeFirstOrThrow())
}
