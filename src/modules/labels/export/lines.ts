import { portions, type Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines, Portable } from '../../../platform/index.ts'
import type { LabelRow } from '../tables.ts'
import { labelsAfter, type PriorityRow, prioritiesByLabel } from './store.ts'

/** Priorities have no times of their own; their label's stand for them. */
function lineOf(label: LabelRow, priorities: readonly PriorityRow[] = []): ExportedLine {
  const { title, color, project_id, namespace_id, created_at, updated_at, description } = label
  return {
    ...{ title, color, project_id, group_id: namespace_id, created_at, updated_at, template: false, description },
    type: project_id === null ? 'GroupLabel' : 'ProjectLabel',
    priorities: priorities.map(({ project_id, priority }) => ({ project_id, priority, created_at, updated_at })),
  }
}

/** Labels as exports embed them, with their priorities; of a project only its own. */
export async function exportedLabelsOf(db: Reader, labels: readonly LabelRow[], portable: Portable) {
  const projectId = portable.kind === 'project' ? portable.id : undefined
  const ids = [...new Set(labels.map(({ id }) => id))]
  const priorities = await prioritiesByLabel(db, ids, projectId)
  return (label: LabelRow): ExportedLine => lineOf(label, priorities.get(label.id))
}

/** The labels of a project or group (contract 14). */
export const exportedLabels: ExportedLines = async function* (_platform, db, portable) {
  for await (const rows of portions((afterId) => labelsAfter(db, portable, afterId))) {
    yield rows.map(await exportedLabelsOf(db, rows, portable))
  }
}
