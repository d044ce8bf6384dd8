import { ApiError, dayOf } from '../../../api/index.ts'
import { isUniqueViolation } from '../../../infra/database/index.ts'
import { isObject } from '../../../infra/json/index.ts'
import { heldForChange, insertGroup, mayInGroup, withLevel } from '../../groups/index.ts'
import { isGroupName, isWider, namespaceById, type Visibility } from '../../namespaces/index.ts'
import { recordImport } from '../../transfer-archives/index.ts'
import { destinationFor, requireFree } from '../core/destination.ts'
import { atSource, SourceRefused } from '../source/index.ts'
import { countOf, type Item, textOf } from '../source/values.ts'
import type { EntityRow } from '../tables.ts'
import { advance, EntityFailed, type Running } from './running.ts'
import * as store from './store.ts'

/** Reads the entity at the source. @throws SourceRefused, EntityFailed */
export async function readEntity({ source, entity }: Running): Promise<{ item: Item; sourceId: number }> {
  const { status, body } = await source.ask(atSource[entity.entity_type].get, { id: entity.source_full_path })
  if (status !== 200) throw new SourceRefused(status)
  const sourceId = isObject(body) ? countOf(body, 'id') : undefined
  if (!isObject(body) || sourceId === undefined) throw new EntityFailed('The source does not say the id')
  return { item: body, sourceId }
}

const longestName = 200

/** The name of the source where it may name one here, else the path. @param number of the attempt: names are unique below a parent */
export function nameFor(item: Item, slug: string, isName: (name: string) => boolean, suffix: string): string {
  const name = (textOf(item, 'name') ?? '').trim()
  return `${isName(name) ? [...name].slice(0, longestName).join('') : slug}${suffix}`
}

const visibilities: readonly Visibility[] = ['private', 'internal', 'public']

/** The visibility of the source, or the closest that the parent allows. Without a parent it is private. */
export function visibilityFor(item: Item, parent: { visibility: Visibility } | null): Visibility {
  const wanted = visibilities.find((one) => one === item.visibility) ?? 'private'
  if (!parent) return 'private'
  return isWider(wanted, parent.visibility) ? parent.visibility : wanted
}

const mostNames = 100

/** @throws EntityFailed for what the API refuses */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status >= 500) return error
  const { message } = error.body
  return new EntityFailed(typeof message === 'string' ? message : JSON.stringify(message))
}

/** What an entity knows of the group or project that was made for it. */
export type Made = Pick<EntityRow, 'source_id' | 'namespace_id' | 'project_id' | 'import_id'>

async function tryToMake(running: Running, item: Item, sourceId: number, suffix: string): Promise<Made> {
  const { platform, entity, actor } = running
  const instance = await platform.settings.current()
  const wanted = {
    type: 'group' as const,
    namespace: entity.destination_namespace,
    slug: entity.destination_slug,
  }
  return advance(running, async (tx) => {
    const found = await destinationFor(platform, tx, actor, wanted)
    const parent = found && (await heldForChange(tx, found.id))
    await requireFree(tx, wanted, new Set())
    const values = {
      name: nameFor(item, wanted.slug, isGroupName, suffix),
      path: wanted.slug,
      description: (textOf(item, 'description') ?? '').slice(0, 500),
      visibility: visibilityFor(item, parent),
    }
    const row = await insertGroup(platform, tx, actor, values, { parent, instance, isImported: true })
    const { id: import_id } = await recordImport(platform, tx, { kind: 'group', id: row.id }, importOf(entity))
    const made = { source_id: sourceId, namespace_id: row.id, project_id: null, import_id }
    await store.changeEntity(tx, entity.id, made)
    return made
  })
}

/** Whether another group below the parent has the name. */
const isNameTaken = (error: unknown): boolean =>
  isUniqueViolation(error, 'namespaces_name_unique') ||
  (error instanceof ApiError &&
    typeof error.body.message === 'string' &&
    /:name=>\["has already been taken/.test(error.body.message))

/** The record of the import into what is made for an entity. */
export const importOf = ({ id, user_id: userId }: EntityRow) =>
  ({ userId, source: 'gitlab_migration', correlation_id: `bulk_import_entity_${id}`, secret: null }) as const

/** Makes the group of the entity. @throws EntityFailed, SourceRefused, Superseded */
export async function makeGroup(running: Running): Promise<Made> {
  const { item, sourceId } = await readEntity(running)
  for (let number = 0; ; number += 1) {
    try {
      return await tryToMake(running, item, sourceId, number === 0 ? '' : ` (${number})`)
    } catch (error) {
      if (!isNameTaken(error) || number >= mostNames) throw asFailure(error)
    }
  }
}

/** @throws EntityFailed when the user may not import into the group any more */
export async function requireGroup({ platform, actor }: Running, id: number | null) {
  const db = platform.database.read
  const row = id === null ? null : await namespaceById(db, id)
  if (!row || row.pending_delete || row.marked_for_deletion_on !== null) throw new EntityFailed('The group was deleted')
  const group = await withLevel(db, row, actor, dayOf(platform.clock.now()))
  if (!mayInGroup(actor, group, 'admin_group'))
    throw new EntityFailed('The user may not import into the group any more')
  return group
}
