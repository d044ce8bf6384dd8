import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { parseOid, type RefChange, refName } from '../../infra/git/index.ts'
import { deleteIntent, openIntents, repositoryById } from './store.ts'
import type { RecordedChange, RefIntentRow, RepositoryRow } from './tables.ts'

function asChange(recorded: RecordedChange): RefChange[] {
  const [ref, old, next] = [refName(recorded.ref), parseOid(recorded.old), parseOid(recorded.new)]
  return ref && old && next ? [{ ref, old, new: next }] : []
}

/**
 * Settles the intents of a process that was killed between moving refs and recording it (design §1.5). An intent that
 * another living process is still about to fulfil is settled once and for all by whoever comes first.
 * @returns how many intents there were
 */
export async function settleIntents(
  database: Database,
  clock: Clock,
  settle: (row: RepositoryRow, intent: RefIntentRow, changes: RefChange[]) => Promise<void>,
): Promise<number> {
  const intents = await openIntents(database.read, now(clock))
  for (const intent of intents) {
    const row = await repositoryById(database.read, intent.repository_id)
    if (row) await settle(row, intent, intent.updates.flatMap(asChange))
    else await database.write((tx) => deleteIntent(tx, intent.id))
  }
  return intents.length
}
