import type { Reader } from '../../infra/database/index.ts'
import type { ExportedLine, Module } from '../../platform/index.ts'
import { forgetPushes, maintenanceJob } from './pushes.ts'
import { eventsOfTargets } from './store.ts'

export { afterPush, maintainPushed, pushJob, pushListener, pushOrder } from './pushes.ts'
export { deleteEventsOf, insertEvents } from './store.ts'
/** The records of what happened: actions of users, and pushes (contract 21, Event). */
export type { EventRow, PushData, PushedRef, PushRow } from './tables.ts'

/** The events about targets as exports embed them (contract 14). */
export async function exportedEvents(db: Reader, type: string, ids: readonly number[]) {
  const found = await eventsOfTargets(db, type, ids)
  return (id: number): ExportedLine[] =>
    (found.get(id) ?? []).map(({ project_id, author_id, action, target_type, created_at }) => ({
      ...{ project_id, author_id, action, target_type, created_at, updated_at: created_at },
    }))
}

export const events: Module = { name: 'events', operations: [], jobs: [maintenanceJob, forgetPushes] }
