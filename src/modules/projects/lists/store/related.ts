import { sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import { type Reader, textHits } from '../../../../infra/database/index.ts'
import { projectsWithAttributes } from '../../../custom-attributes/index.ts'
import { writtenIn } from '../../languages/store.ts'
import type { ListParams } from '../params.ts'
import { bound } from './conditions.ts'
import { type Selection, selectionOf } from './selections.ts'

const withTopic = (name: string) => sql`topics t cross join project_topics found
  where found.topic_id = t.id and t.folded_name = ${name.toLowerCase()}`

const withTopicId = (id: number) => sql`project_topics found where found.topic_id = ${bound(id)}`

/** The projects that a user has starred. */
export const starredBy = (userId: number): Selection =>
  selectionOf(sql`project_stars found where found.user_id = ${userId}`, { isOrdered: true })

const storedIn = (storage: string) =>
  sql`repositories found where found.storage = ${storage} and found.kind = 'project'`

function administratorSelections({ repository_storage: storage, custom_attributes: attributes = {} }: ListParams) {
  return [...projectsWithAttributes(attributes), ...(storage ? [storedIn(storage)] : [])]
}

/** The filters of a list by rows of other tables. */
export function relatedSelections(db: Reader, filter: ListParams, actor: Actor): Selection[] {
  const { topic = [], topic_id: topicId, with_programming_language: language, starred, search } = filter
  const rows = [
    ...topic.map(withTopic),
    ...(topicId === undefined ? [] : [withTopicId(topicId)]),
    ...(isAdministrator(actor) ? administratorSelections(filter) : []),
  ]
  const hits = search?.trim() ? textHits(db, 'projects', search.trim()) : null
  return [
    ...rows.map((one) => selectionOf(one)),
    // Names may differ in case alone.
    ...(language ? [selectionOf(writtenIn(language), { isRepeated: true })] : []),
    ...(starred && actor.kind === 'user' ? [starredBy(actor.userId)] : []),
    // Every row is compared with the text.
    ...(hits ? [{ ids: sql`select rowid as project_id from ${hits}`, test: null, inOrder: null }] : []),
  ]
}
