import type { Tx } from '../../infra/database/index.ts'
import { insertEvents } from './store.ts'

/** Something that somebody did in a project, other than a push (contract 21, Event). */
export type NewEvent = {
  projectId: number
  /** Null for nobody in particular. */
  authorId: number | null
  /** `created`, `updated`, `destroyed`, … */
  action: string
  target: { type: string; id: number; iid?: number; title: string }
  now: string
}

/** Records what somebody did, in the transaction in which it is done. */
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
