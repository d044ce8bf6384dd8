import type { Tx } from '../../../infra/database/index.ts'
import { now } from '../../../infra/database/index.ts'
import { RunLater } from '../../../infra/jobs/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { accountProblem } from '../../tokens/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { migrationById } from '../core/store.ts'
import { tokenContext } from '../core/token.ts'
import { openSource, SourceFailed, SourceRefused } from '../source/index.ts'
import type { BulkImportRow, EntityRow } from '../tables.ts'
import { endEntity, isStalled } from './ending.ts'
import { finishEntity, importEntity } from './entity.ts'
import { advance, EntityFailed, NotReady, type Running, Superseded, watchEntity } from './running.ts'
import * as store from './store.ts'

const attempts = 4

/** How long a run waits for the source: a part of the time since the last progress. */
const leastDelayMs = 200
const longestDelayMs = 30_000

function delayOf({ clock }: Platform, { updated_at }: EntityRow): number {
  const sinceMs = clock.now().getTime() - Date.parse(updated_at)
  return Math.min(longestDelayMs, Math.max(leastDelayMs, sinceMs / 4))
}

/** Whether a refusal of the source may end by itself. */
const isPassing = (error: unknown): boolean =>
  error instanceof NotReady ||
  error instanceof SourceFailed ||
  (error instanceof SourceRefused && (error.status === 429 || error.status >= 500))

/** @throws EntityFailed when the user may not act any more */
async function actorOf(platform: Platform, migration: BulkImportRow) {
  const { database, settings } = platform
  const user = await userById(database.read, migration.user_id)
  const problem = user && accountProblem({ ...user, user_id: user.id }, await settings.current())
  if (!user || problem) throw new EntityFailed(problem || 'The user does not exist any more')
  return { ...actingUser(platform, user), administrator: user.is_admin && migration.as_administrator }
}

async function runningOf(platform: Platform, entity: EntityRow, signal: AbortSignal): Promise<Running> {
  const migration = await migrationById(platform.database.read, entity.bulk_import_id)
  if (!migration || migration.sealed_token === null) throw new Superseded()
  const token = (await platform.secrets.sealer()).open(migration.sealed_token, tokenContext(migration.id))
  const address = { url: migration.source_url, isOwn: migration.is_own }
  const source = openSource(platform, address, { token, signal })
  const actor = await actorOf(platform, migration)
  const follow = (tx: Tx, ids: readonly number[]) => enqueueEntities(platform, tx, ids)
  return { platform, migration, entity, source, actor, signal, follow }
}

/** Ends an entity that cannot be imported. */
async function fail(platform: Platform, entity: EntityRow, error: unknown): Promise<void> {
  const failure = { relation: entity.entity_type, error }
  const shown = error instanceof EntityFailed || error instanceof SourceRefused
  if (!shown) {
    platform.log.error({ err: error, entity: entity.id }, 'a group or project could not be migrated')
    failure.error = new EntityFailed('The import failed')
  }
  await platform.database.write((tx) => endEntity(platform, tx, entity, 'failed', failure))
}

/** Begins an entity, and the migration with the first. @returns null when it has ended */
function begin({ database, clock }: Platform, entityId: number): Promise<EntityRow | null> {
  const at = now(clock)
  return database.write(async (tx) => {
    const entity = await store.beginEntity(tx, entityId, at)
    if (entity) await store.beginMigration(tx, entity.bulk_import_id, at)
    return entity
  })
}

/**
 * Imports a group or project, and goes on where a run before has ended: what was imported is recorded with its rows. While the source is
 * not ready the job runs again, until the entity has had no progress for too long.
 */
export const importEntityJob: Job<{ entityId: number }> = {
  kind: 'bulk_imports.entity',
  queue: 'bulk_imports',
  maxAttempts: attempts,
  async run(platform, { entityId }, { attempt, signal }) {
    const entity = await begin(platform, entityId)
    // The job that watches ends it.
    if (!entity || isStalled(platform, entity)) return
    using watched = watchEntity(platform, entity.id, signal)
    try {
      const running = await runningOf(platform, entity, watched.signal)
      const imported = await importEntity(running)
      await advance(running, async (tx) => {
        await finishEntity(running, tx, imported)
        await endEntity(platform, tx, entity, 'finished')
      })
    } catch (error) {
      if (error instanceof Superseded || watched.isSuperseded) return
      if (isPassing(error)) throw new RunLater(delayOf(platform, entity), { cause: error })
      const isFinal = error instanceof EntityFailed || error instanceof SourceRefused || attempt >= attempts
      if (signal.aborted || !isFinal) throw error
      await fail(platform, entity, error)
    }
  },
}

/** Has entities imported, each by a job of its own. */
export async function enqueueEntities(platform: Platform, tx: Tx, entityIds: readonly number[]): Promise<void> {
  for (const entityId of entityIds) {
    await enqueue(platform, tx, importEntityJob, { entityId }, { uniqueKey: String(entityId) })
  }
}
