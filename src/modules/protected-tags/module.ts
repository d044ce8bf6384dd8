import type { Operation } from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { RefRule } from '../repositories/index.ts'
import { protectedTagOperations } from './operations.ts'
import { createTagProtection, type TagProtection, type TagProtectionNeeds } from './protection.ts'
import { createTagRules } from './rules.ts'
import { protectedTagRule } from './tag-rule.ts'

export type ProtectedTagModule = { protection: TagProtection; refRule: RefRule; operations: Operation[] }

/** Protected tags: what they say, and the rule of the gate that makes it true (contract 01). */
export function createProtectedTagModule(needs: TagProtectionNeeds & { project: ProjectSubject }): ProtectedTagModule {
  const protection = createTagProtection(needs)
  return {
    protection,
    refRule: protectedTagRule({ ...needs, protection }),
    operations: protectedTagOperations({ ...needs, rules: createTagRules(needs) }),
  }
}
