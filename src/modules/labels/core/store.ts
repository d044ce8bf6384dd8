import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import {
  anyContains,
  type Condition,
  compared,
  findsText,
  type Reader,
  rows,
  type TestUse,
} from '../../../infra/database/index.ts'
import {
  belongsTo,
  belongsToGroupOrBelow,
  belongsToOrAbove,
  belongsToProjectBelow,
  hasFewProjects,
  type ProjectCaller,
  type ProjectOrGroupRef,
} from '../../projects/index.ts'
import { type LabelRow, labels } from '../tables.ts'
import { labelsByIds, usableLabels } from '../usable/store.ts'
import type { LabelFilter } from './params.ts'

export const { insert: insertLabel, update: updateLabel, remove: deleteLabels } = rows(labels)

/** Who lists labels, and whether the group has few projects. */
type Reading = { caller: ProjectCaller | null; isFew: boolean; use: TestUse }

/** The labels that a list shows, before its search. */
function scopesOf(db: Reader, parent: ProjectOrGroupRef, filter: LabelFilter, { caller, isFew, use }: Reading) {
  const inherited = filter.include_ancestor_groups !== false
  const scopes = [inherited ? belongsToOrAbove(db, 'labels', parent) : belongsTo('labels', parent)]
  if (caller && filter.include_descendant_groups) scopes.push(belongsToGroupOrBelow(db, 'labels', parent.id, caller))
  if (caller && filter.only_group_labels === false) {
    scopes.push(belongsToProjectBelow(db, 'labels', { groupId: parent.id, isFew }, caller, use))
  }
  return sql<boolean>`(${sql.join(scopes, sql` or `)})`
}

/**
 * A page of labels by name.
 * @param caller decides which groups and projects below a group count; null where none below count
 */
export async function pageOfLabels(
  db: Reader,
  parent: ProjectOrGroupRef,
  filter: LabelFilter,
  caller: ProjectCaller | null,
  page: PageRequest,
): Promise<Page<LabelRow>> {
  const isFew = filter.only_group_labels === false && (await hasFewProjects(db, parent.id, 'labels'))
  const { search } = filter
  const found = search ? await findsText(db, 'labels', search) : null
  const selected = (use: TestUse) => {
    const scopes = scopesOf(db, parent, filter, { caller, isFew, use })
    let query = db
      .selectFrom('labels')
      .select('labels.id')
      .where(found ? compared(db, scopes) : scopes)
    if (found) query = query.where(found)
    if (search) query = query.where(anyContains(['labels.title', 'labels.description'], search))
    return query.orderBy('labels.title').orderBy('labels.id')
  }
  return pageOfIds(db, selected('tests'), page, (ids) => labelsByIds(db, ids), selected('counts'))
}

const withId = async (db: Reader, id: number, belonging: Condition): Promise<LabelRow | null> =>
  (await db.selectFrom('labels').selectAll().where('labels.id', '=', id).where(belonging).executeTakeFirst()) ?? null

/** A label that belongs to the project or group itself. */
export async function ownLabel(
  db: Reader,
  parent: ProjectOrGroupRef,
  key: { id: number } | { title: string },
): Promise<LabelRow | null> {
  const own = belongsTo('labels', parent)
  if ('id' in key) return withId(db, key.id, own)
  const query = db.selectFrom('labels').selectAll().where(own).where('labels.title', '=', key.title)
  return (await query.executeTakeFirst()) ?? null
}

/** A label that the project or group has or inherits; of those with one title the nearest. */
export async function usableLabel(
  db: Reader,
  parent: ProjectOrGroupRef,
  key: { id: number } | { title: string },
): Promise<LabelRow | null> {
  if ('id' in key) return withId(db, key.id, belongsToOrAbove(db, 'labels', parent))
  return (await usableLabels(db, parent, [key.title])).get(key.title) ?? null
}
