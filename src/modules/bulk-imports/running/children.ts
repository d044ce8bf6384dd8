import { now } from '../../../infra/database/index.ts'
import { insertEntities } from '../core/store.ts'
import { atSource } from '../source/index.ts'
import { type Item, textOf } from '../source/values.ts'
import type { EntityType, RelationRow } from '../tables.ts'
import { recordFailure } from './ending.ts'
import { sourceIdOf } from './exports.ts'
import { pagesOf } from './lists.ts'
import { newRelation } from './relations.ts'
import { advance, type Running } from './running.ts'
import * as store from './store.ts'

/** Entities of one migration: a source may name any number of groups, in each of them. */
const mostEntities = 10_000

const kinds = {
  subgroups: { type: 'group', operation: atSource.subgroups, pathOf: (item: Item) => textOf(item, 'full_path') },
  projects: {
    type: 'project',
    operation: atSource.projects,
    pathOf: (item: Item) => textOf(item, 'path_with_namespace'),
  },
} as const

/** The last part of a path that is directly below another one; null for any other path. */
function slugBelow(parent: string, path: string | undefined): string | null {
  const slash = path?.lastIndexOf('/') ?? -1
  if (path === undefined || slash < 0 || path.length > 4096) return null
  return path.slice(0, slash).toLowerCase() === parent.toLowerCase() ? path.slice(slash + 1) : null
}

/** Inserts the entities of a page, once: the number of the page is recorded with them. */
async function insertPage(
  running: Running,
  relation: keyof typeof kinds,
  destination: string,
  { number, items, row }: { number: number; items: readonly Item[]; row: RelationRow },
): Promise<RelationRow> {
  const { platform, entity, follow } = running
  const { type, pathOf } = kinds[relation]
  const at = now(platform.clock)
  return advance(running, async (tx) => {
    const room = mostEntities - (await store.countEntities(tx, entity.bulk_import_id))
    const found = items.flatMap((item) => {
      const path = pathOf(item)
      const slug = slugBelow(entity.source_full_path, path)
      return path === undefined || slug === null || slug === '' ? [] : [{ path, slug }]
    })
    const known = await store.childPaths(tx, entity.id, type)
    const fresh = new Map(found.filter(({ path }) => !known.has(path)).map((one) => [one.path, one]))
    const taken = [...fresh.values()].slice(0, Math.max(0, room))
    const rows = await insertEntities(
      tx,
      taken.map(({ path, slug }) => ({
        bulk_import_id: entity.bulk_import_id,
        user_id: entity.user_id,
        parent_id: entity.id,
        entity_type: type as EntityType,
        status: 'created' as const,
        source_full_path: path,
        source_id: null,
        exports_asked_at: null,
        destination_slug: slug,
        destination_namespace: destination,
        migrate_projects: entity.migrate_projects,
        migrate_memberships: entity.migrate_memberships,
        namespace_id: null,
        project_id: null,
        import_id: null,
        created_at: at,
        updated_at: at,
      })),
    )
    await follow(
      tx,
      rows.map(({ id }) => id),
    )
    // What is named twice may have moved to another page meanwhile.
    const leftOut = items.length - found.length + fresh.size - taken.length
    if (leftOut > 0) {
      const error = new Error(`${leftOut} ${relation} are left out`)
      await recordFailure(platform, tx, entity, { relation, error })
    }
    const next = {
      ...row,
      source_count: row.source_count + items.length,
      fetched_count: row.fetched_count + items.length,
      imported_count: row.imported_count + taken.length,
      batches: number,
    }
    await store.putRelation(tx, next)
    return next
  })
}

/** Makes entities of what is below a group, with the group as their destination. */
export async function followChildren(
  running: Running,
  relation: keyof typeof kinds,
  destination: string,
): Promise<void> {
  const { platform, entity } = running
  const stored = (await store.relationsOf(platform.database.read, entity.id)).get(relation)
  let row = stored ?? newRelation(entity.id, relation)
  if (row.is_complete) return
  const call = { id: sourceIdOf(running) }
  for await (const page of pagesOf(running, kinds[relation].operation, call, row.batches + 1)) {
    row = await insertPage(running, relation, destination, { ...page, row })
  }
  const complete = { ...row, is_complete: true }
  await advance(running, (tx) => store.putRelation(tx, complete))
}
