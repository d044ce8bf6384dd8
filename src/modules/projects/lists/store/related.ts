import { type RawBuilder, sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import { type Reader, textHits } from '../../../../infra/database/index.ts'
import { projectsWithAttributes } from '../../../custom-attributes/index.ts'
import { writtenIn } from '../../languages/store.ts'
import type { ListParams } from '../params.ts'
import { bound, matches } from './conditions.ts'
import { type Selection, type Selections, selectionOf } from './selections.ts'

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

/** Projects of which a condition holds that some filters of the list are, and which is among its other conditions. */
const whose = (filters: Selection['filters'], condition: RawBuilder<unknown>): Selection => ({
  ...{ ids: sql`select found.id as project_id from projects found where ${condition}`, test: null, inOrder: null },
  ...(filters && { filters }),
})

/** The filters by columns of which few projects have the value: of no use alone, because indexes have these projects in their order. */
function ownSelections({ imported, marked_for_deletion_on: day, search, ...others }: ListParams, hasHits: boolean) {
  const text = search?.trim()
  const isText = text && !hasHits && matches(text, others.search_namespaces === true, 'found')
  return [
    ...(isText ? [whose(['search', 'search_namespaces'], isText)] : []),
    ...(imported ? [whose(['imported'], sql`found.import_url is not null`)] : []),
    ...(day ? [whose(['marked_for_deletion_on'], sql`found.marked_for_deletion_on = ${day}`)] : []),
  ]
}

function timeSelections({
  last_activity_after: after,
  last_activity_before: before,
  ...others
}: ListParams): Selection[] {
  const { updated_after: updatedAfter, updated_before: updatedBefore } = others
  return [
    ...(after ? [whose(['last_activity_after'], sql`found.last_activity_at > ${after}`)] : []),
    ...(before ? [whose(['last_activity_before'], sql`found.last_activity_at < ${before}`)] : []),
    ...(updatedAfter ? [whose(['updated_after'], sql`found.updated_at >= ${updatedAfter}`)] : []),
    ...(updatedBefore ? [whose(['updated_before'], sql`found.updated_at <= ${updatedBefore}`)] : []),
  ]
}

/** The other filters by columns that have indexes. */
function besideSelections({ archived, visibility, ...others }: ListParams): Selection[] {
  return [
    ...(archived ? [whose(['archived'], sql`found.archived = true`)] : []),
    ...(visibility ? [whose(['visibility'], sql`found.visibility = ${visibility}`)] : []),
    ...timeSelections(others),
  ]
}

function idSelections({ id_after: after, id_before: before }: ListParams): Selection[] {
  return [
    ...(after === undefined ? [] : [whose(['id_after'], sql`found.id > ${bound(after)}`)]),
    ...(before === undefined ? [] : [whose(['id_before'], sql`found.id < ${bound(before)}`)]),
  ]
}

/** The projects that the caller has starred, when the filter wants them. */
export const starredByCaller = ({ starred }: ListParams, actor: Actor): Selection | null =>
  starred && actor.kind === 'user' ? starredBy(actor.userId) : null

/** The filters of a list by which its projects may be found, without the stars of the caller. */
export function selectionsOf(db: Reader, filter: ListParams, actor: Actor): Selections {
  const { topic = [], topic_id: topicId, with_programming_language: language, search } = filter
  const rows = [
    ...topic.map(withTopic),
    ...(topicId === undefined ? [] : [withTopicId(topicId)]),
    ...(isAdministrator(actor) ? administratorSelections(filter) : []),
  ]
  const hits = search?.trim() ? textHits(db, 'projects', search.trim()) : null
  const related = [
    ...rows.map((one) => selectionOf(one)),
    // Names may differ in case alone.
    ...(language ? [selectionOf(writtenIn(language), { isRepeated: true })] : []),
    // Every row is compared with the text.
    ...(hits ? [{ ids: sql`select rowid as project_id from ${hits}`, test: null, inOrder: null }] : []),
    ...idSelections(filter),
  ]
  return { related, own: ownSelections(filter, hits !== null), beside: besideSelections(filter) }
}
