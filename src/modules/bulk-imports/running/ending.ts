import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { setImportState } from '../../projects/index.ts'
import { endImport, failuresOf } from '../../transfer-archives/index.ts'
import { changeUnfinished, entityById, insertFailure, insertFailures, statesOfEntities } from '../core/store.ts'
import type { EntityRow, State } from '../tables.ts'
import * as store from './store.ts'

const lockOf = (migrationId: number) => `bulk_imports:${migrationId}`

/** Failures of an entity above this number are not stored: a source may have any number of bad lines. */
const mostFailures = 1_000
const longestMessage = 255

/** Something that could not be imported. */
export type Failure = { relation: string; error: unknown; title?: string | undefined; url?: string | undefined }

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const shortened = (text: string) => [...text.replaceAll('\u0000', '')].slice(0, longestMessage).join('')

/** Records what could not be imported. */
export async function recordFailure(
  { clock }: Platform,
  tx: Tx,
  { id, bulk_import_id: migrationId }: EntityRow,
  { relation, error, title, url }: Failure,
): Promise<void> {
  const at = now(clock)
  await store.changeEntity(tx, id, { has_failures: true })
  await changeUnfinished(tx, migrationId, { has_failures: true })
  if ((await store.countFailures(tx, id)) >= mostFailures) return
  await insertFailure(tx, {
    entity_id: id,
    relation,
    exception_class: error instanceof Error ? error.name : 'Error',
    exception_message: shortened(messageOf(error)),
    correlation_id: null,
    source_url: url ?? null,
    source_title: title === undefined ? null : shortened(title),
    transfer_failure_id: null,
    created_at: at,
  })
}

/** Records what the import of an entity could not import. */
export async function repeatFailures(
  { clock }: Platform,
  tx: Tx,
  { id, bulk_import_id: migrationId }: EntityRow,
  importId: number,
): Promise<void> {
  const repeated = await store.repeatedFailures(tx, id)
  const found = (await failuresOf(tx, importId)).filter((failure) => !repeated.has(failure.id))
  if (found.length === 0) return
  await store.changeEntity(tx, id, { has_failures: true })
  await changeUnfinished(tx, migrationId, { has_failures: true })
  await insertFailures(
    tx,
    found.map(({ id: transfer_failure_id, relation_name, line_number, exception_class, exception_message }) => ({
      ...{ entity_id: id, relation: relation_name, exception_class, exception_message, transfer_failure_id },
      ...{ correlation_id: null, source_url: null, source_title: `Line ${line_number}`, created_at: now(clock) },
    })),
  )
}

/** The state of a migration whose entities have all ended. */
function stateOf(states: ReadonlySet<State>): State {
  if (states.has('finished')) return 'finished'
  return states.has('timeout') && !states.has('failed') ? 'timeout' : 'failed'
}

/** Ends the import into what was made for an entity. */
async function endImportOf(platform: Platform, tx: Tx, id: number, status: State, failure?: Failure): Promise<void> {
  const { import_id: importId = null, project_id: projectId = null } = (await entityById(tx, id)) ?? {}
  if (importId === null) return
  const problem = status === 'finished' ? null : shortened(messageOf(failure?.error ?? status))
  await endImport(platform, tx, importId, problem)
  if (problem !== null && projectId !== null) await setImportState(platform, tx, projectId, 'failed', problem)
}

/** Ends all entities of a migration that is canceled. */
export async function cancelEntities(platform: Platform, tx: Tx, migrationId: number): Promise<void> {
  const at = now(platform.clock)
  const error = new Error('The migration was canceled')
  for (const { id } of await store.unfinishedEntities(tx, migrationId)) {
    if (await store.endEntity(tx, id, 'canceled', at)) {
      await endImportOf(platform, tx, id, 'canceled', { relation: 'entity', error })
    }
  }
}

/** Ends an entity, and the migration with the last of them: the token is forgotten then. */
export async function endEntity(
  platform: Platform,
  tx: Tx,
  entity: EntityRow,
  status: State,
  failure?: Failure,
): Promise<void> {
  const { id, bulk_import_id: migrationId } = entity
  const at = now(platform.clock)
  await acquireLock(tx, lockOf(migrationId))
  if (!(await store.endEntity(tx, id, status, at))) return
  await endImportOf(platform, tx, id, status, failure)
  if (failure) await recordFailure(platform, tx, entity, failure)
  const states = await statesOfEntities(tx, migrationId)
  if (states.has('created') || states.has('started')) return
  await changeUnfinished(tx, migrationId, { status: stateOf(states), sealed_token: null, updated_at: at })
}

/** An entity without progress for this time ends (contract 25, 9). */
const stalledMs = 8 * 3_600_000
const atOnce = 100

/** Whether an entity has had no progress for too long. */
export const isStalled = ({ clock }: Platform, { updated_at }: EntityRow): boolean =>
  clock.now().getTime() - Date.parse(updated_at) >= stalledMs

/** Ends entities without progress, those included whose jobs were lost. */
export const watchMigrationsJob: Job<null> = {
  kind: 'bulk_imports.watch',
  queue: 'maintenance',
  every: { seconds: 600 },
  times: [{ table: 'bulk_import_entities', column: 'updated_at', longestMs: 0 }],
  async run(platform, _, { signal }) {
    const since = new Date(platform.clock.now().getTime() - stalledMs).toISOString()
    for (;;) {
      signal.throwIfAborted()
      const stalled = await store.stalledEntities(platform.database.read, since, atOnce)
      if (stalled.length === 0) return
      const error = new Error('There was no progress for 8 hours')
      for (const entity of stalled) {
        await platform.database.write((tx) =>
          endEntity(platform, tx, entity, 'timeout', { relation: entity.entity_type, error }),
        )
      }
    }
  },
}
