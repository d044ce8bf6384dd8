import type { Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { columnsOf, type Noteable } from '../noteable.ts'
import * as store from './store.ts'

/** A note that the server writes about what a user has done. */
export type SystemNote = { noteable: Noteable; body: string }

/** Stores a system note for each of these, in order. @returns their ids */
export async function addSystemNotes(
  tx: Tx,
  notes: readonly SystemNote[],
  { userId, at }: { userId: number; at: string },
): Promise<number[]> {
  if (notes.length === 0) return []
  const times = { created_at: at, updated_at: at }
  const discussions = await store.insertDiscussions(
    tx,
    notes.map(({ noteable }) => ({
      ...columnsOf(noteable),
      ...{ public_id: randomHex(20), individual_note: true, position: null, created_at: at },
    })),
  )
  return store.insertNotes(
    tx,
    notes.map(({ noteable, body }, index) => ({
      ...columnsOf(noteable),
      ...{ discussion_id: discussions[index] as number, author_id: userId, body, system: true, ...times },
    })),
  )
}

/** Stores a system note. @returns its id */
export async function addSystemNote(
  tx: Tx,
  noteable: Noteable,
  body: string,
  origin: { userId: number; at: string },
): Promise<number> {
  return (await addSystemNotes(tx, [{ noteable, body }], origin))[0] as number
}
