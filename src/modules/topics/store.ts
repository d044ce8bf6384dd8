import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import {
  anyContains,
  findsText,
  plannedForValues,
  type Reader,
  rows,
  type Tx,
  within,
} from '../../infra/database/index.ts'
import { type NewTopic, type TopicRow, topics } from './tables.ts'

export const { byId: topicById, insert: insertTopic, update: updateTopic, remove: deleteTopic } = rows(topics)

/** @property isElsewhere whether topics of another organization are asked for, of which there are none */
export type TopicFilter = { search?: string; without_projects?: boolean; isElsewhere: boolean }

/** Names that differ only in case are the same topic. */
export const foldedName = (name: string): string => name.toLowerCase()

/** A page of topics, those of the most projects first. */
export async function pageOfTopics(db: Reader, filter: TopicFilter, page: PageRequest): Promise<Page<TopicRow>> {
  let query = db.selectFrom('topics').selectAll()
  if (filter.isElsewhere) query = query.where('id', '=', 0)
  if (filter.without_projects) query = query.where('total_projects_count', '=', 0)
  if (filter.search) {
    const found = await findsText(db, 'topics', filter.search)
    if (found) query = query.where(found)
    query = query.where(
      sql<boolean>`${anyContains(['topics.name', 'topics.title'], filter.search)} ${plannedForValues}`,
    )
  }
  return pageOfRows(db, query.orderBy('total_projects_count', 'desc').orderBy('id'), page)
}

/** The topics with one of these names, in any case. */
export async function topicsNamed(db: Reader, names: readonly string[]): Promise<TopicRow[]> {
  if (names.length === 0) return []
  return db.selectFrom('topics').selectAll().where('folded_name', 'in', names.map(foldedName)).execute()
}

/** Adds topics whose names are free. Those that exist stay as they are. */
export async function addMissingTopics(tx: Tx, topics: readonly NewTopic[]): Promise<void> {
  if (topics.length === 0) return
  await tx
    .insertInto('topics')
    .values([...topics])
    .onConflict((conflict) => conflict.column('folded_name').doNothing())
    .execute()
}

/** Changes the number of projects of topics. */
export async function countProjects(tx: Tx, ids: readonly number[], by: number): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('topics')
    .set((row) => ({ total_projects_count: row('total_projects_count', '+', by) }))
    .where(within(tx, 'id', ids))
    .execute()
}

/** The topics with a picture, each with its file name. */
export async function topicsWithAvatar(
  db: Reader,
  ids?: readonly number[],
): Promise<{ id: number; avatar: string | null }[]> {
  const query = db.selectFrom('topics').select(['id', 'avatar']).where('avatar', 'is not', null)
  return (ids ? query.where(within(db, 'id', ids)) : query).execute()
}
