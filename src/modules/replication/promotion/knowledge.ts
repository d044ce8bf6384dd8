import type { Reader } from '../../../infra/database/index.ts'
import { newestEvent } from '../feed/store.ts'
import * as memory from '../memory/store.ts'
import { type Cursor, cursorName, newestName } from '../secondary/events.ts'
import { type Configuration, configurationName } from '../secondary/state.ts'
import { lastReportAt } from './store.ts'

/** What a secondary knows of its primary, from its own database. */
export type Knowledge = {
  node: Configuration['node']
  primary: Configuration['primary']
  /** The last event that was applied, and the newest one of which it has heard. */
  cursorId: number
  newestId: number
  /** When the primary was last heard of, by the clock of the primary. */
  heardAt: string
  /** Up to when all changes of the primary were heard of. */
  followedUntil: string
}

/** @returns null when it has never heard of the primary */
export async function knowledgeOf(db: Reader): Promise<Knowledge | null> {
  const configuration = await memory.remembered<Configuration>(db, configurationName)
  const cursor = await memory.remembered<Cursor>(db, cursorName)
  const newest = await memory.remembered<Cursor>(db, newestName)
  if (!configuration || !cursor) return null
  const { node, primary, server_time: askedAt, last_event_id: askedId } = configuration
  const times = [askedAt, cursor.at, newest?.at].filter((time) => typeof time === 'string')
  const heardAt = times.reduce((latest, time) => (time > latest ? time : latest), '')
  if (heardAt === '') return null
  const newestId = Math.max(newest?.id ?? 0, askedId, cursor.id)
  const isCaughtUp = cursor.id >= newestId
  return {
    ...{ node, primary, cursorId: cursor.id, newestId, heardAt },
    followedUntil: isCaughtUp ? heardAt : (cursor.at ?? heardAt),
  }
}

/**
 * The latest time that the database of a primary names: it has all that was committed before, and hardly anything of later.
 * @returns null when it names none
 */
export async function latestTimeIn(db: Reader): Promise<string | null> {
  const times = [await lastReportAt(db), (await newestEvent(db))?.created_at].filter((time) => typeof time === 'string')
  return times.sort().at(-1) ?? null
}
