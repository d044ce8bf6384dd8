import {
  type Actor,
  ApiError,
  atLeastOneMissing,
  isAdministrator,
  limitRequests,
  mutuallyExclusive,
  requireSignedIn,
  type UserActor,
} from '../../../api/index.ts'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { enqueueEntities } from '../running/job.ts'
import { openSource, type SourceAddress, sourceAddress } from '../source/index.ts'
import type { BulkImportRow } from '../tables.ts'
import { type Destination, destinationFor, fullPathOf, requireFree } from './destination.ts'
import { type NewEntity, type NewMigration, requireEntities } from './params.ts'
import { BulkImport } from './present.ts'
import { checkSource, invalidUrl } from './source-checks.ts'
import * as store from './store.ts'
import { tokenContext } from './token.ts'

/** For all checks of a request. */
const checksMs = 30_000

/** The entities with their slugs. @throws ApiError 400 for an entity with two of them, or none */
function withSlugs({ entities }: NewMigration): NewEntity[] {
  return entities.map((entity, index) => {
    const { destination_slug, destination_name } = entity
    const names = ['destination_slug', 'destination_name'].map((name) => `entities[${index}][${name}]`)
    if (destination_slug !== undefined && destination_name !== undefined) throw mutuallyExclusive(names)
    const slug = destination_slug ?? destination_name
    if (slug === undefined) throw atLeastOneMissing(names)
    return { ...entity, destination_slug: slug }
  })
}

const typeOf = ({ source_type }: NewEntity) => (source_type === 'group_entity' ? 'group' : 'project')

const destinationOf = (entity: NewEntity): Destination => ({
  type: typeOf(entity),
  namespace: entity.destination_namespace,
  slug: entity.destination_slug,
})

/** @throws ApiError 422; of two entities with one destination the second finds it taken */
async function checkDestinations(
  platform: Platform,
  db: Reader,
  actor: Actor,
  entities: readonly NewEntity[],
): Promise<void> {
  const destinations = entities.map(destinationOf)
  for (const wanted of destinations) await destinationFor(platform, db, actor, wanted)
  const taken = new Set<string>()
  for (const wanted of destinations) {
    await requireFree(db, wanted, taken)
    taken.add(fullPathOf(wanted).toLowerCase())
  }
}

type Planned = { actor: UserActor; address: SourceAddress; token: string; entities: readonly NewEntity[] }

async function insert(platform: Platform, tx: Tx, planned: Planned): Promise<BulkImportRow> {
  const { actor, address, token, entities } = planned
  const at = now(platform.clock)
  const row = await store.insertMigration(tx, {
    user_id: actor.userId,
    as_administrator: isAdministrator(actor),
    status: 'created',
    source_url: address.url,
    is_own: address.isOwn,
    sealed_token: null,
    created_at: at,
    updated_at: at,
  })
  const sealed_token = (await platform.secrets.sealer()).seal(token, tokenContext(row.id))
  await store.updateMigration(tx, row.id, { sealed_token })
  const inserted = await store.insertEntities(
    tx,
    entities.map((entity) => ({
      bulk_import_id: row.id,
      user_id: actor.userId,
      parent_id: null,
      entity_type: typeOf(entity),
      status: 'created' as const,
      source_full_path: entity.source_full_path,
      source_id: null,
      exports_asked_at: null,
      destination_slug: entity.destination_slug,
      destination_namespace: entity.destination_namespace,
      migrate_projects: entity.migrate_projects ?? true,
      migrate_memberships: entity.migrate_memberships ?? true,
      namespace_id: null,
      project_id: null,
      import_id: null,
      created_at: at,
      updated_at: at,
    })),
  )
  await enqueueEntities(
    platform,
    tx,
    inserted.map(({ id }) => id),
  )
  return row
}

/** Fails when the time for the checks of a request is over: the source has not answered. */
async function withinTime<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return work.catch((error) => {
    throw signal.aborted && !(error instanceof ApiError) ? invalidUrl() : error
  })
}

/**
 * Starts a migration from another instance; nothing is stored when a check fails (contract 25, x.bulk_import_create).
 * @param signal of the request
 * @throws ApiError 400, 422, 429
 */
export async function createMigration(
  platform: Platform,
  anyone: Actor,
  params: NewMigration,
  signal: AbortSignal | undefined,
) {
  const actor = requireSignedIn(anyone)
  requireEntities(params)
  const entities = withSlugs(params)
  await limitRequests(platform, actor.userId, { name: 'bulk_imports', requests: 6, periodSeconds: 60 })
  const { url, access_token: token } = params.configuration
  const address = sourceAddress(platform, url)
  if (!address) throw invalidUrl()
  const limit = AbortSignal.timeout(checksMs)
  const ending = signal ? AbortSignal.any([limit, signal]) : limit
  const source = openSource(platform, address, { token, signal: ending })
  const wanted = entities.map((entity) => ({ type: typeOf(entity), path: entity.source_full_path }) as const)
  await withinTime(limit, checkSource(source, wanted))
  const { database, secrets } = platform
  // Loaded here, since a transaction does not wait for files.
  await secrets.sealer()
  const row = await database.write(async (tx) => {
    await checkDestinations(platform, tx, actor, entities)
    return insert(platform, tx, { actor, address, token, entities })
  })
  return BulkImport.present(row)
}
