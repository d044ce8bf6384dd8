import { bannerListener } from './modules/broadcast-messages/index.ts'
import { pushListener } from './modules/events/index.ts'
import { lfsIntegrityRule } from './modules/lfs/index.ts'
import { mergeRequestListener } from './modules/merge-requests/index.ts'
import {
  defaultBranchListener,
  defaultBranchRule,
  namingRule,
  pushNotices,
  repositorySizeRule,
} from './modules/projects/index.ts'
import {
  codeOwnersRule,
  firstPushRule,
  initialProtectionListener,
  protectedBranchRule,
} from './modules/protected-branches/index.ts'
import { protectedTagRule } from './modules/protected-tags/index.ts'
import { pushRulesRule, tagNameRule } from './modules/push-rules/index.ts'
import { releaseListener } from './modules/releases/index.ts'
import { supersededRule } from './modules/replication/index.ts'
import { snippetListener, snippetRule } from './modules/snippets/index.ts'
import { wikiBranchRule, wikiListener } from './modules/wikis/index.ts'
import type { Gate } from './platform/index.ts'

/** The rules that every change of refs passes, and the listeners that follow it. */
export const gate: Gate = {
  // In the order of the contract's tables (01 "Pushing by git", 22 R4): the first that refuses decides.
  rules: [
    supersededRule,
    defaultBranchRule,
    namingRule,
    protectedBranchRule,
    firstPushRule,
    codeOwnersRule,
    protectedTagRule,
    tagNameRule,
    pushRulesRule,
    repositorySizeRule,
    lfsIntegrityRule,
    wikiBranchRule,
    snippetRule,
  ],
  // Each records in this order, in one transaction with the repository's generation.
  listeners: [
    defaultBranchListener,
    initialProtectionListener,
    pushListener,
    pushNotices,
    bannerListener,
    mergeRequestListener,
    releaseListener,
    wikiListener,
    snippetListener,
  ],
}
