import { isZeroOid, tagName } from '../../../infra/git/index.ts'
import type { RefRule } from '../../../platform/index.ts'
import { defaultBranchName, projectById } from '../../projects/index.ts'

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/** Refuses new tags that are named like the default branch or like a commit, because such names are ambiguous (contract 22 R4). */
export const tagNameRule: RefRule = async (platform, { row, changes }) => {
  const created = changes.flatMap(({ ref, old, new: next }) => {
    const name = isZeroOid(old) && !isZeroOid(next) ? tagName(ref) : null
    return name === null ? [] : [name]
  })
  if (created.length === 0) return null
  const project =
    row.project_id === null || row.kind !== 'project' ? null : await projectById(platform.database.read, row.project_id)
  if (project && created.includes(await defaultBranchName(platform, project))) {
    return ['You cannot use default branch name to create a tag']
  }
  return created.some((name) => objectName.test(name)) ? ['You cannot create a tag with a prohibited pattern.'] : null
}
