import type { Database } from '../../infra/database/index.ts'
import { isZeroOid, tagName } from '../../infra/git/index.ts'
import { defaultBranchOf, projectById } from '../projects/index.ts'
import type { RefRule } from '../repositories/index.ts'

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/**
 * What new tags may be called (contract 22 R4): not like the default branch, which would then be hard to name, and not like
 * a commit.
 */
export function tagNameRule({ database, planned }: { database: Database; planned(): Promise<string> }): RefRule {
  return async ({ row, changes }) => {
    const created = changes.flatMap(({ ref, old, new: next }) => {
      const name = isZeroOid(old) && !isZeroOid(next) ? tagName(ref) : null
      return name === null ? [] : [name]
    })
    if (created.length === 0) return null
    const project =
      row.project_id === null || row.kind !== 'project' ? null : await projectById(database.read, row.project_id)
    if (project && created.includes(await defaultBranchOf(project, planned))) {
      return ['You cannot use default branch name to create a tag']
    }
    return created.some((name) => objectName.test(name)) ? ['You cannot create a tag with a prohibited pattern.'] : null
  }
}
