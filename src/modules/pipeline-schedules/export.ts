import { rows } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { pipelineSchedules } from './tables.ts'

/** The pipeline schedules of a project, without their variables (contract 14). */
export const exportedSchedules: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const some of rows(pipelineSchedules).portions(db, { project_id: projectId }, 500)) {
    yield some.map(({ id: _id, ...row }) => row)
  }
}
