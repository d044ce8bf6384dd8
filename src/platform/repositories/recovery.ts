import type { Database } from '../../infra/database/index.ts'
import { parseOid, type RefChange, refName } from '../../infra/git/index.ts'
import { deleteIntent, openIntents, repositoryById } from './store.ts'
import type { RecordedChange, RefIntentRow, RepositoryRow } from './tables.ts'

function asChange(recorded: RecordedChange): RefChange[] {
  const [ref, old, next] = [refName(recorded.ref), parseOid(recorded.old), parseOid(recorded.new)]
  return ref && old && next ? [{ ref, old, new: next }] : []
}

export type RecoveryNeeds = {
  database: Database
  /** Records the changes of an intent that took effect, and removes the intent. */
  settle(row: RepositoryRow, intent: RefIntentRow, changes: RefChange[]): Promise<void>
  /** Called for an intent that could not be settled. The intent stays for the next run. */
  failed(intent: RefIntentRow, error: unknown): void
}

/**
 * Settles the intents of processes that were killed between moving refs and recording them (design §1.5). An intent that
 * cannot be settled, for instance of a damaged repository, does not stop the others.
 * @param before only intents from before this time, ISO text
 * @returns how many intents there were
 */
export async function settleIntents(needs: RecoveryNeeds, before: string): Promise<number> {
  const { database, settle, failed } = needs
  const intents = await openIntents(database.read, before)
  for (const intent of intents) {
    try {
      const row = await repositoryById(database.read, intent.repository_id)
      if (row) await settle(row, intent, intent.updates.flatMap(asChange))
      else await database.write((tx) => deleteIntent(tx, intent.id))
    } catch (error) {
      failed(intent, error)
    }
  }
  return intents.length
}
