import { portions } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { entriesOf, exportedAccessLevels } from '../protected-branches/index.ts'
import { tagRulesAfter } from './store.ts'

/** The rules of a project that protect tags (contract 14). */
export const exportedProtectedTags: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const rows of portions((afterId) => tagRulesAfter(db, projectId, afterId))) {
    const lists = await entriesOf(
      db,
      ['create'],
      rows.map(({ id }) => id),
    )
    yield rows.map(({ id, ...row }) => ({
      ...row,
      create_access_levels: exportedAccessLevels(lists.get(id)?.create ?? [], row),
    }))
  }
}
