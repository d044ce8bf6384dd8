import type { Tx } from '../../infra/database/index.ts'
import { insertEvents } from './store.ts'

/** An action in a project other than a push (contract 21, Event). */
export type NewEvent = {
  projectId: number
  /** Null when no user is known. */
  authorId: number | null
  /** `created`, `updated`, `destroyed`, … */
  action: string
  target: { type: string; id: number; iid?: number; title: string }
  now: string
}

/** Records actions, in the transaction of the action. */
export async function recordEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  await insertEvents(
    tx,
    events.map(({ projectId, authorId, action, target, now }) => ({
      project_id: projectId,
      author_id: authorId,
      action,
      target_type: target.type,
      target_id: target.id,
      target_iid: target.iid ?? null,
      target_title: target.title,
      push_data: null,
      created_at: now,
    })),
  )
}
