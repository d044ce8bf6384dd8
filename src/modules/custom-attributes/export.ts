import { rows } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { customAttributes } from './tables.ts'

/** The custom attributes of a project (contract 14). */
export const exportedCustomAttributes: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const some of rows(customAttributes).portions(db, { project_id: projectId }, 500)) {
    yield some.map(({ key, value, created_at, updated_at, project_id }) => ({
      ...{ key, value, project_id, created_at, updated_at },
    }))
  }
}
