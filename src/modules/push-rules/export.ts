import type { ExportedLines } from '../../platform/index.ts'
import { pushRuleOf } from './store.ts'

/** The push rule of a project, if it has one (contract 14). */
export const exportedPushRule: ExportedLines = async function* (_platform, db, { id: projectId }) {
  const rule = await pushRuleOf(db, 'project', projectId)
  if (!rule) return
  const { id: _id, namespace_id: _namespace, ...line } = rule
  yield [line]
}
