import { isZeroOid, tagName } from '../../infra/git/index.ts'
import type { ProposedChange, RefRule } from '../../platform/index.ts'
import { role } from '../access/index.ts'
import { type Principal, projectAndPrincipal } from '../protected-branches/index.ts'
import { type TagAccess, tagAccess } from './tag-access.ts'

type TagChange = { name: string; kind: 'created' | 'moved' | 'deleted' }
type Proposal = { access: TagAccess; principal: Principal; via: 'git' | 'api' }

/** A line of the contract's table "Pushing by git": returns the sentence that refuses a change, or null. */
type Check = (change: TagChange, proposal: Proposal) => string | null

function tagChanges({ changes }: ProposedChange): TagChange[] {
  return changes.flatMap(({ ref, old, new: next }) => {
    const name = tagName(ref)
    if (name === null) return []
    return [{ name, kind: isZeroOid(next) ? 'deleted' : isZeroOid(old) ? 'created' : 'moved' } as const]
  })
}

const mayChangeTags = ({ deployKeyId, administrator, level }: Principal) =>
  deployKeyId !== undefined || administrator || level >= role.developer

const checks: readonly Check[] = [
  ({ kind }, { principal }) =>
    kind !== 'created' && !mayChangeTags(principal)
      ? 'You are not allowed to change existing tags on this project.'
      : null,
  ({ kind, name }, { access }) =>
    kind === 'moved' && access.isProtected(name) ? 'Protected tags cannot be updated.' : null,
  ({ kind, name }, { access, via }) => {
    if (kind !== 'deleted' || !access.isProtected(name)) return null
    return via === 'git' || !access.mayCreate(name) ? 'Protected tags cannot be deleted.' : null
  },
  ({ kind, name }, { access }) =>
    kind === 'created' && !access.mayCreate(name) ? 'You are not allowed to create this tag as it is protected.' : null,
]

/**
 * Applies the rules that protect tags (contract 01, "Pushing by git"). Who may create a protected tag may also delete it
 * through the API.
 */
export const protectedTagRule: RefRule = async (platform, proposed) => {
  const changes = tagChanges(proposed)
  const found = changes.length === 0 ? null : await projectAndPrincipal(platform, proposed)
  if (!found) return null
  const { project, principal } = found
  const names = changes.map(({ name }) => name)
  const access = await tagAccess(platform, project, principal, names)
  for (const check of checks) {
    const sentences = changes.map((change) => check(change, { access, principal, via: proposed.writer.via }))
    const refused = sentences.filter((sentence) => sentence !== null)
    if (refused.length > 0) return [...new Set(refused)]
  }
  return null
}
