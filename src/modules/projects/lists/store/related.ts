import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import { writtenIn } from '../../languages/store.ts'
import type { ListParams } from '../params.ts'
import { bound, type Condition } from './conditions.ts'

const withTopic = (
  name: string,
) => sql`select found.project_id from topics t join project_topics found on found.topic_id = t.id
  where t.folded_name = ${name.toLowerCase()}`

const withTopicId = (id: number) =>
  sql`select found.project_id from project_topics found where found.topic_id = ${bound(id)}`

/** More projects than this are read in the order of the list until the page is full. */
const few = 10_000

/** Filters by rows of other tables. */
export type Related = {
  conditions: Condition[]
  /** Whether one of the conditions finds its projects, because they are few. */
  isFound: boolean
  /** Restricts the list to some of the projects of a filter that many match, so many that most lists need not count the others. */
  some: Condition | null
}

/** The filters by topics and languages. Each finds its projects by its index when they are few, and else checks them. */
export async function relatedFilters(db: Reader, filter: ListParams): Promise<Related> {
  const { topic = [], topic_id: topicId, with_programming_language: language } = filter
  const selections = [
    ...topic.map(withTopic),
    ...(topicId === undefined ? [] : [withTopicId(topicId)]),
    ...(language ? [writtenIn(language)] : []),
  ]
  const related: Related = { conditions: [], isFound: false, some: null }
  for (const selection of selections) {
    if (await isFew(db, selection)) {
      related.conditions.push(sql<boolean>`projects.id in (${selection})`)
      related.isFound = true
    } else {
      related.conditions.push(sql<boolean>`exists (${selection} and found.project_id = projects.id)`)
      related.some = sql<boolean>`projects.id in (${selection} limit ${2 * few})`
    }
  }
  return related
}

async function isFew(db: Reader, selection: RawBuilder<unknown>): Promise<boolean> {
  const query = sql<{ count: number }>`select count(*) as count from (${selection} limit ${few + 1}) counted`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return Number(rows[0]?.count ?? 0) <= few
}
