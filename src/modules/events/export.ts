import type { Reader } from '../../infra/database/index.ts'
import type { ExportedLine } from '../../platform/index.ts'
import { eventsOfTargets } from './store.ts'

/** The events about targets as exports embed them (contract 14). */
export async function exportedEvents(db: Reader, type: string, ids: readonly number[]) {
  const found = await eventsOfTargets(db, type, ids)
  return (id: number): ExportedLine[] =>
    (found.get(id) ?? []).map(({ project_id, author_id, action, target_type, created_at }) => ({
      ...{ project_id, author_id, action, target_type, created_at, updated_at: created_at },
    }))
}
