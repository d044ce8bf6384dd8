import { rows } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { entriesOf, exportedAccessLevels } from '../protected-branches/index.ts'
import { protectedTags } from './tables.ts'

/** The rules of a project that protect tags (contract 14). */
export const exportedProtectedTags: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const some of rows(protectedTags).portions(db, { project_id: projectId }, 100)) {
    const lists = await entriesOf(
      db,
      ['create'],
      some.map(({ id }) => id),
    )
    yield some.map(({ id, ...row }) => ({
      ...row,
      create_access_levels: exportedAccessLevels(lists.get(id)?.create ?? [], row),
    }))
  }
}
