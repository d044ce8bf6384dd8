import { portions } from '../../../infra/database/index.ts'
import { branchName, diskPath } from '../../../infra/git/index.ts'
import type { Check, Stored } from '../../../platform/index.ts'
import { repositoryOfSnippet } from '../../../platform/repositories/index.ts'
import { snippetsAfter } from '../core/store.ts'
import type { SnippetRow } from '../tables.ts'
import { filesAt } from './repository.ts'

const portion = 500

/** The problem of one snippet; null when its row fits its repository. What is missing on disk, another check reports. */
async function problemOf({ database, git }: Stored, { id, file_name: shown }: SnippetRow): Promise<string | null> {
  const row = await repositoryOfSnippet(database.read, id)
  const path = row && diskPath(row.disk_path)
  if (!row) return `snippet ${id} has no repository`
  const repository = path && git.repository({ storage: row.storage, diskPath: path })
  if (!repository || !(await repository.exists())) return null
  const branch = branchName(await repository.head()) ?? ''
  const head = (await repository.refs(row.generation)).branch(branch)
  if (!head) return `snippet ${id}: its branch ${branch} does not exist`
  const [first] = await filesAt(repository, head.oid)
  return first?.path === shown ? null : `snippet ${id}: its first file is ${first?.path}, not ${shown}`
}

/** Finds snippets whose rows differ from their repositories. */
export const snippetCheck: Check = async function* snippetProblems(stored) {
  for await (const rows of portions((afterId) => snippetsAfter(stored.database.read, afterId, portion))) {
    for (const row of rows) {
      const problem = await problemOf(stored, row)
      if (problem !== null) yield problem
    }
  }
}
