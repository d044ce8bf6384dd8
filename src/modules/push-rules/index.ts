import type { ExportedLines, Module } from '../../platform/index.ts'
import { pushRuleOperations } from './rules/operations.ts'
import { pushRuleOf } from './store.ts'

export { pushRulesRule } from './gate/push-rule.ts'
export { tagNameRule } from './gate/tag-names.ts'
export { importPushRule } from './imported.ts'
export { inheritPushRule } from './rules/push-rules.ts'

/** The push rule of a project, if it has one (contract 14). */
export const exportedPushRule: ExportedLines = async function* (_platform, db, { id: projectId }) {
  const rule = await pushRuleOf(db, 'project', projectId)
  if (!rule) return
  const { id: _id, namespace_id: _namespace, ...line } = rule
  yield [line]
}

/** Requirements for pushes to projects (contract 22). Its gate rules are listed in the gate. */
export const pushRules: Module = {
  name: 'push-rules',
  tags: { 'Push rules': 'Rules that pushed commits must meet.' },
  operations: pushRuleOperations,
}
