import type { Module } from '../../platform/index.ts'
import { protectedBranchOperations } from './rules/operations.ts'

export {
  type BranchFacts,
  branchFacts,
  mayForcePush,
  mayMerge,
  mayPush,
  protectedBranchTest,
} from './access/branch-access.ts'
export { grantFacts, isGranted } from './access/grants.ts'
export { anonymousPrincipal, type Principal, principalOf, ruleChangerOf } from './access/principal.ts'
export { codeOwnersRule } from './code-owners/rule.ts'
export { projectAndPrincipal } from './gate/context.ts'
export { firstPushRule } from './gate/first-push.ts'
export { initialProtectionListener, prepareInitialProtection } from './gate/initial-protection.ts'
export { protectedBranchRule } from './gate/protected-branches.ts'
export { importedEntries, importProtectedBranch } from './import/lines.ts'
export { entriesParam, initialEntries, problemsOf } from './rules/entries.ts'
export { exportedAccessLevels, exportedProtectedBranches } from './rules/export.ts'
export { dropLegacyRule, type LegacyRule, putLegacyRule } from './rules/legacy.ts'
export { AccessLevel, levelNames, ProtectedBranch } from './rules/present.ts'
export { maximumRules, nameProblems, presentedRules } from './rules/rules.ts'
export { type DescribedEntry, describedEntriesOf, entriesOf, insertEntries } from './store/entries.ts'
export {
  removeDeployKey,
  removeEndingMember,
  removeInvitedGroup,
  removeUnsharedGroup,
} from './store/removed-grantees.ts'
export { holdRulesOf, ruleOwnerOf, rulesByIds, rulesFor } from './store/rules.ts'
export type { ProtectedBranchRow } from './tables.ts'

/** Rules that protect branches of projects and groups (contract 01). Its gate rules are listed in the gate. */
export const protectedBranches: Module = {
  name: 'protected-branches',
  tags: { 'Protected branches': 'Rules for who may push to and merge into branches.' },
  operations: protectedBranchOperations,
}
