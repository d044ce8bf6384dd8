import type { Operation } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { GroupSubject } from '../groups/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { RefListener, RefRule } from '../repositories/index.ts'
import type { InstanceSettings } from '../settings/index.ts'
import { protectedBranchRule } from './branch-rule.ts'
import { codeOwnersRule } from './code-owners-rule.ts'
import { firstPushRule } from './first-push.ts'
import { createGateContext } from './gate-context.ts'
import { createInitialProtection, type InitialProtection, initialProtectionListener } from './initial-protection.ts'
import { groupRuleOperations } from './operations/group.ts'
import { projectRuleOperations } from './operations/project.ts'
import { createProtection, type Protection } from './protection.ts'
import { type BranchRules, createBranchRules } from './rules.ts'

export type ProtectedBranchModuleNeeds = Platform & {
  /** The settings in force. */
  rules(): Promise<InstanceSettings>
  defaultBranchName(): Promise<string>
  project: ProjectSubject
  group: GroupSubject
}

export type ProtectedBranchModule = {
  /** Who may do what with a branch. */
  protection: Protection
  initialProtection: InitialProtection
  rules: BranchRules
  operations: Operation[]
  /** For the gate, in this order. */
  refRules: readonly RefRule[]
  refListener: RefListener
}

/** Protected branches: what they say, and the rules of the gate that make it true (contract 01). */
export function createProtectedBranchModule(needs: ProtectedBranchModuleNeeds): ProtectedBranchModule {
  const protection = createProtection(needs)
  const initialProtection = createInitialProtection(needs)
  const rules = createBranchRules(needs)
  const contextOf = createGateContext({ ...needs, protection })
  return {
    protection,
    initialProtection,
    rules,
    operations: [...projectRuleOperations({ ...needs, rules }), ...groupRuleOperations({ ...needs, rules })],
    refRules: [
      protectedBranchRule({ contextOf, protection }),
      firstPushRule({ ...needs, contextOf, initialProtection }),
      codeOwnersRule({ ...needs, contextOf }),
    ],
    refListener: initialProtectionListener(initialProtection),
  }
}
