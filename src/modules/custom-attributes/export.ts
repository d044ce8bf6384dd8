import { portions } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { projectAttributesAfter } from './store.ts'

/** The custom attributes of a project (contract 14). */
export const exportedCustomAttributes: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const rows of portions((afterId) => projectAttributesAfter(db, projectId, afterId))) {
    yield rows.map(({ key, value, created_at, updated_at, project_id }) => ({
      ...{ key, value, project_id, created_at, updated_at },
    }))
  }
}
