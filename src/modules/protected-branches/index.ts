export { createMoverLookup } from './gate-context.ts'
export { entriesParam, type GivenEntry, problemsOf } from './grantees.ts'
export { type BranchFacts, type BranchRule, type Claimant, isGranted, type Judge } from './judging.ts'
export { createProtectedBranchModule, type ProtectedBranchModule } from './module.ts'
export { AccessLevel, presentAccessLevel } from './present.ts'
export {
  branchFacts,
  claimantOf,
  countingGroups,
  createProtection,
  judge,
  type Protection,
  placeOf,
} from './protection.ts'
export {
  type BranchRules,
  dropRule,
  initialEntries,
  type LegacyRule,
  maximumRules,
  nameProblems,
  putRule,
} from './rules.ts'
export { type DescribedEntry, describedEntriesOf, entriesOf, insertEntries } from './store/entries.ts'
export {
  removeDeployKeyEntries,
  removeGroupEntries,
  removeGroupEntriesOfGroup,
  ruleMembersListener,
} from './store/leaving.ts'
export type { ProtectedBranchRow, ProtectedTagRow, ProtectedTagsTable } from './tables.ts'
export { wildcardMatcher } from './wildcard.ts'
