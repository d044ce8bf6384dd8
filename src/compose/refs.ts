import { pushListener } from '../modules/events/index.ts'
import { createLfsModule } from '../modules/lfs/index.ts'
import { defaultBranchListener, defaultBranchRule, namingRule, pushNotices } from '../modules/projects/index.ts'
import {
  codeOwnersRule,
  firstPushRule,
  initialProtectionListener,
  protectedBranchRule,
} from '../modules/protected-branches/index.ts'
import { protectedTagRule } from '../modules/protected-tags/index.ts'
import { pushRulesRule, tagNameRule } from '../modules/push-rules/index.ts'
import { releaseListener } from '../modules/releases/index.ts'
import type { RefRule as OldRule } from '../modules/repositories/index.ts'
import { wikiBranchRule, wikiListener } from '../modules/wikis/index.ts'
import type { RefRule } from '../platform/index.ts'
import type { Ground } from './ground.ts'

/** Who may move refs, and what follows when they have moved. */
export type Refs = ReturnType<typeof composeRefs>

const asRule =
  (rule: OldRule): RefRule =>
  (_platform, change) =>
    rule(change)

/** Composes what guards refs and what follows them, and fills the gate: this is the whole of it. */
export function composeRefs(ground: Ground) {
  const { database, clock, jobs, objects, gate } = ground
  const lfs = createLfsModule({ database, clock, jobs, objects })

  // In the order of the contract's tables (01 "Pushing by git", 22 R4): the first that refuses decides.
  gate.rules.push(
    defaultBranchRule,
    namingRule,
    protectedBranchRule,
    firstPushRule,
    codeOwnersRule,
    protectedTagRule,
    tagNameRule,
    pushRulesRule,
    asRule(lfs.refRule),
    wikiBranchRule,
  )
  // Written in this order, in one transaction with the generation.
  gate.listeners.push(
    defaultBranchListener,
    initialProtectionListener,
    pushListener,
    pushNotices,
    releaseListener,
    wikiListener,
  )
  return { lfs }
}
