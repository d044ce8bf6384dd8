import { ApiError } from '../../../api/index.ts'
import { portions } from '../../../infra/database/index.ts'
import { GitError } from '../../../infra/git/index.ts'
import type { ExportedLines, Platform } from '../../../platform/index.ts'
import { levelOfVisibility } from '../../namespaces/index.ts'
import { exportedNotesOf } from '../../notes/index.ts'
import { projectSnippetsAfter } from '../core/store.ts'
import { filesAt, openSnippet } from '../repository/repository.ts'
import type { SnippetRow } from '../tables.ts'

/** Contents are held in memory one at a time; a larger file has none in its line. */
const largestContentBytes = 16 * 1024 * 1024

/** The text of the first file; null when it cannot be read or is too large. */
async function contentOf(platform: Platform, row: SnippetRow): Promise<string | null> {
  try {
    const { opened, head } = await openSnippet(platform, row)
    const [first] = await filesAt(opened.repository, head)
    const found = first && (await opened.repository.readObject(first.oid, { maxBytes: largestContentBytes }))
    return found ? found.content.toString('utf8') : null
  } catch (error) {
    if (!(error instanceof GitError || error instanceof ApiError)) throw error
    platform.log.warn({ err: error, snippet: row.id }, 'the content of a snippet could not be exported')
    return null
  }
}

/** The snippets of a project (contract 14). */
export const exportedSnippets: ExportedLines = async function* (platform, db, { id: projectId }) {
  for await (const rows of portions((afterId) => projectSnippetsAfter(db, projectId, afterId))) {
    const talk = await exportedNotesOf(
      db,
      'Snippet',
      rows.map(({ id }) => id),
    )
    for (const row of rows) {
      const { title, author_id, project_id, created_at, updated_at, file_name, description, visibility } = row
      const head = { title, content: await contentOf(platform, row), author_id, project_id, created_at, updated_at }
      const { award_emoji, notes } = talk(row.id)
      yield [{ ...head, file_name, visibility_level: levelOfVisibility(visibility), description, award_emoji, notes }]
    }
  }
}
