import { pushListener } from './modules/events/index.ts'
import { lfsIntegrityRule } from './modules/lfs/index.ts'
import { defaultBranchListener, defaultBranchRule, namingRule, pushNotices } from './modules/projects/index.ts'
import {
  codeOwnersRule,
  firstPushRule,
  initialProtectionListener,
  protectedBranchRule,
} from './modules/protected-branches/index.ts'
import { protectedTagRule } from './modules/protected-tags/index.ts'
import { pushRulesRule, tagNameRule } from './modules/push-rules/index.ts'
import { releaseListener } from './modules/releases/index.ts'
import { wikiBranchRule, wikiListener } from './modules/wikis/index.ts'
import type { Gate } from './platform/index.ts'

export const gate: Gate = {
  /** In the order of the contract (01 "Pushing by git", 22 R4): the first rule that refuses decides. */
  rules: [
    defaultBranchRule,
    namingRule,
    protectedBranchRule,
    firstPushRule,
    codeOwnersRule,
    protectedTagRule,
    tagNameRule,
    pushRulesRule,
    lfsIntegrityRule,
    wikiBranchRule,
  ],
  /** In this order, recorded in one transaction with the generation. */
  listeners: [
    defaultBranchListener,
    initialProtectionListener,
    pushListener,
    pushNotices,
    releaseListener,
    wikiListener,
  ],
}
