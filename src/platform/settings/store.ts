import { jsonText, type Reader, type Tx } from '../../infra/database/index.ts'
import type { ApplicationSettingsRow } from './tables.ts'

/** The instance has one row of settings, and this is its id. */
export const settingsId = 1

/**
 * Prepares the question "which version of the settings holds now", which every use of a setting asks: the query is built
 * and compiled once.
 * @returns a function that reads the row's `updated_at`, null when there is no row
 */
export function versionReader(reader: Reader): () => Promise<string | null> {
  const query = reader.selectFrom('application_settings').select('updated_at').where('id', '=', settingsId).compile()
  return async () => (await reader.executeQuery(query)).rows[0]?.updated_at ?? null
}

/** Reads the row, or null when there is none. */
export async function findSettings(reader: Reader): Promise<ApplicationSettingsRow | null> {
  const row = await reader
    .selectFrom('application_settings')
    .selectAll()
    .where('id', '=', settingsId)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Makes the row if there is none and holds it until the transaction ends, so that of two changes at the same time the
 * later one starts from what the earlier one left.
 * @param now ISO text, for a new row
 */
export function holdSettings(tx: Tx, now: string): Promise<ApplicationSettingsRow> {
  return tx
    .insertInto('application_settings')
    .values({ id: settingsId, changed: jsonText({}), created_at: now, updated_at: now })
    .onConflict((conflict) =>
      // Writes what is there already: an update is what takes the row's lock on both engines.
      conflict.column('id').doUpdateSet((row) => ({ updated_at: row.ref('application_settings.updated_at') })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Writes what differs from the defaults from now on. */
export async function saveSettings(tx: Tx, changed: Record<string, unknown>, updatedAt: string): Promise<void> {
  await tx
    .updateTable('application_settings')
    .set({ changed: jsonText(changed), updated_at: updatedAt })
    .where('id', '=', settingsId)
    .execute()
}
