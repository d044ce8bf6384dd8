import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { isZeroOid, tagName } from '../../infra/git/index.ts'
import { role } from '../access/index.ts'
import { type Claimant, createMoverLookup } from '../protected-branches/index.ts'
import type { ProposedChange, RefRule } from '../repositories/index.ts'
import type { TagJudge, TagProtection } from './protection.ts'

type TagChange = { name: string; kind: 'made' | 'moved' | 'deleted' }
type Check = (change: TagChange, proposal: { judge: TagJudge; who: Claimant; via: 'git' | 'api' }) => string | null

function tagChanges({ changes }: ProposedChange): TagChange[] {
  return changes.flatMap(({ ref, old, new: next }) => {
    const name = tagName(ref)
    if (name === null) return []
    return [{ name, kind: isZeroOid(next) ? 'deleted' : isZeroOid(old) ? 'made' : 'moved' } as const]
  })
}

const mayChangeTags = (who: Claimant) =>
  who.deployKeyId !== undefined || who.administrator || who.level >= role.developer

/** The lines of the table "Pushing by git" that are about tags, in its order. */
const checks: readonly Check[] = [
  ({ kind }, { who }) =>
    kind !== 'made' && !mayChangeTags(who) ? 'You are not allowed to change existing tags on this project.' : null,
  ({ kind, name }, { judge }) =>
    kind === 'moved' && judge.isProtected(name) ? 'Protected tags cannot be updated.' : null,
  ({ kind, name }, { judge, via }) => {
    if (kind !== 'deleted' || !judge.isProtected(name)) return null
    return via === 'git' || !judge.mayCreate(name) ? 'Protected tags cannot be deleted.' : null
  },
  ({ kind, name }, { judge }) =>
    kind === 'made' && !judge.mayCreate(name) ? 'You are not allowed to create this tag as it is protected.' : null,
]

/** What may become of tags (contract 01, "Pushing by git"). By the API, whoever may make a protected tag may delete it. */
export function protectedTagRule(needs: { database: Database; clock: Clock; protection: TagProtection }): RefRule {
  const moverIn = createMoverLookup(needs)
  return async (proposed) => {
    const changes = tagChanges(proposed)
    const found = changes.length === 0 ? null : await moverIn(proposed)
    if (!found) return null
    const names = changes.map(({ name }) => name)
    const judge = await needs.protection.judge(found.project, found.who, names)
    for (const check of checks) {
      const sentences = changes.map((change) => check(change, { judge, who: found.who, via: proposed.mover.via }))
      const refused = sentences.filter((sentence) => sentence !== null)
      if (refused.length > 0) return [...new Set(refused)]
    }
    return null
  }
}
