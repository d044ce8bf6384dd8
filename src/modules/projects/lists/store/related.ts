import { type RawBuilder, sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import { type Reader, textHits } from '../../../../infra/database/index.ts'
import { projectsWithAttributes } from '../../../custom-attributes/index.ts'
import { writtenIn } from '../../languages/store.ts'
import type { ListParams } from '../params.ts'
import { bound, columnFilters, matches } from './conditions.ts'
import { type Selection, type Selections, selectionOf } from './selections.ts'

const withTopic = (name: string) => sql`topics t cross join project_topics found
  where found.topic_id = t.id and t.folded_name = ${name.toLowerCase()}`

const withTopicId = (id: number) => sql`project_topics found where found.topic_id = ${bound(id)}`

/** The projects that a user has starred. */
export const starredBy = (userId: number): Selection =>
  selectionOf(sql`project_stars found where found.user_id = ${userId}`, { isOrdered: true })

const storedIn = (storage: string) =>
  sql`repositories found where found.storage = ${storage} and found.kind = 'project'`

function administratorSelections(
  db: Reader,
  { repository_storage: storage, custom_attributes: attributes = {} }: ListParams,
) {
  return [...projectsWithAttributes(db, attributes), ...(storage ? [storedIn(storage)] : [])]
}

/** Projects of which a condition holds that some filters of the list are. */
const whose = (filters: readonly (keyof ListParams)[], condition: RawBuilder<unknown>): Selection => ({
  ...{
    ids: sql`select found.id as project_id from projects found where ${condition}`,
    test: null,
    inOrder: null,
    filters,
  },
})

/** The filters by columns of which few projects have the value. */
const rareFilters: readonly (keyof ListParams)[] = ['imported', 'marked_for_deletion_on']

/** The filters by columns of projects: of no use alone, because indexes have these projects in their order. */
function columnSelections(filter: ListParams): Pick<Selections, 'own' | 'beside'> {
  const all = Object.entries(columnFilters(filter, (name) => sql.ref(`found.${name}`))) as [
    keyof ListParams,
    RawBuilder<unknown>,
  ][]
  // No index has the projects that are not archived.
  const indexed = all.filter(([name]) => name !== 'archived' || filter.archived)
  const isRare = ([name]: (typeof indexed)[number]) => rareFilters.includes(name)
  const selections = (some: typeof indexed) => some.map(([name, condition]) => whose([name], condition))
  return {
    own: selections(indexed.filter(isRare)),
    beside: selections(indexed.filter((one) => !isRare(one))),
  }
}

/** The projects with a text, where no table has the hits. */
function textSelections({ search, search_namespaces: withNamespaces }: ListParams): Selection[] {
  const text = search?.trim()
  return text ? [whose(['search', 'search_namespaces'], matches(text, withNamespaces === true, 'found'))] : []
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
    ...(isAdministrator(actor) ? administratorSelections(db, filter) : []),
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
  const { own, beside } = columnSelections(filter)
  return { related, own: hits ? own : [...textSelections(filter), ...own], beside }
}
