import { branchRef, isZeroOid, type RefChange, tagRef } from '../../../infra/git/index.ts'
import type { RefRule } from '../../../platform/index.ts'
import { defaultBranchName, projectOf } from './default-branch.ts'

const branches = 'refs/heads/'
const tags = 'refs/tags/'
/** Callers who may push branches may push notes; no other rule applies to notes. */
const notes = 'refs/notes/'

/** Refuses the deletion of the default branch (contract 01, "Pushing by git"). */
export const defaultBranchRule: RefRule = async (platform, proposed) => {
  const deleted = proposed.changes.filter((change) => isZeroOid(change.new)).map(({ ref }) => ref)
  const project = deleted.length === 0 ? null : await projectOf(platform, proposed)
  if (!project) return null
  const defaultRef = `${branches}${await defaultBranchName(platform, project)}`
  return deleted.some((ref) => ref === defaultRef) ? ['The default branch of a project cannot be deleted.'] : null
}

type NameCheck = (change: RefChange) => string | null

const hexadecimalName: NameCheck = ({ ref, old, new: next }) => {
  const name = ref.startsWith(branches) ? ref.slice(branches.length) : ''
  const isCreated = isZeroOid(old) && !isZeroOid(next)
  if (!isCreated || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return null
  return `You cannot create a branch with a ${name.length}-character hexadecimal branch name.`
}

const illegalName: NameCheck = ({ ref, new: next }) => {
  if (ref.startsWith(notes)) return null
  const isTag = ref.startsWith(tags)
  if (!isTag && !ref.startsWith(branches)) return `Pushing to ${ref} is not allowed.`
  // Deleting is allowed: imports may have created refs with such names.
  if (isZeroOid(next)) return null
  if (isTag) return tagRef(ref.slice(tags.length)) ? null : 'Tag name invalid'
  return branchRef(ref.slice(branches.length)) ? null : 'Branch name is invalid'
}

/** Why a ref may not have its name, as a message for pushes; null when it may. */
export function refusalOfName(change: RefChange): string | null {
  return hexadecimalName(change) ?? illegalName(change)
}

/**
 * Checks names, and that users move only branches, tags and notes (contract 01, "Pushing by git"). Each
 * check goes through all changes before the next one.
 */
export const namingRule: RefRule = async (_platform, { changes }) => {
  for (const check of [hexadecimalName, illegalName]) {
    const refused = changes.map(check).filter((sentence) => sentence !== null)
    if (refused.length > 0) return [...new Set(refused)]
  }
  return null
}
