import type { Module } from '../../platform/index.ts'
import { pushRuleOperations } from './rules/operations.ts'

export { exportedPushRule } from './export.ts'
export { pushRulesRule } from './gate/push-rule.ts'
export { tagNameRule } from './gate/tag-names.ts'
export { inheritPushRule } from './rules/push-rules.ts'

/** Requirements for pushes to projects (contract 22). Its gate rules are listed in the gate. */
export const pushRules: Module = {
  name: 'push-rules',
  tags: { 'Push rules': 'Rules that pushed commits must meet.' },
  operations: pushRuleOperations,
}
