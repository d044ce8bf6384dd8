import { createHash } from 'node:crypto'
import { ApiError } from '../../../api/index.ts'
import { portions } from '../../../infra/database/index.ts'
import type { ExportedFiles } from '../../../platform/index.ts'
import { bundleOf } from '../../../platform/repositories/index.ts'
import { projectSnippetsAfter } from '../core/store.ts'
import { openSnippet } from '../repository/repository.ts'
import type { SnippetRow } from '../tables.ts'

type Named = Pick<SnippetRow, 'title' | 'description' | 'created_at' | 'updated_at'>

/** The name of the bundle of a snippet: lines have no id, so it is made of what they have. */
export function bundleName({ title, description, created_at, updated_at }: Named): string {
  const text = `${title}${description ?? ''}${created_at}${updated_at}`
  return `${createHash('sha256').update(text).digest('hex')}.bundle`
}

/** The repositories of the snippets of a project (contract 25, Archive of a project). */
export const exportedSnippetBundles: ExportedFiles = async function* (platform, { id: projectId }) {
  for await (const rows of portions((afterId) => projectSnippetsAfter(platform.database.read, projectId, afterId))) {
    for (const row of rows) {
      try {
        const { opened } = await openSnippet(platform, row)
        yield bundleOf(platform, bundleName(row), opened)
      } catch (error) {
        // It was deleted meanwhile.
        if (!(error instanceof ApiError && error.status === 404)) throw error
      }
    }
  }
}
