import { portions } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { schedulesAfter } from './schedules/store.ts'

/** The pipeline schedules of a project, without their variables (contract 14). */
export const exportedSchedules: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const rows of portions((afterId) => schedulesAfter(db, projectId, afterId))) {
    yield rows.map(({ id: _id, ...row }) => row)
  }
}
