import { sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import {
  anyContains,
  type Condition,
  comparedOnIndex,
  each,
  type Filter,
  type FilterAmong,
  type Filters,
  type ListContext,
  onIndex,
  onText,
  type Predicate,
  plannedForValues,
  semiJoin,
  type TestUse,
  testColumn,
} from '../../../../infra/database/index.ts'
import { role } from '../../../access/index.ts'
import { withAllAttributes } from '../../../custom-attributes/index.ts'
import { writtenIn } from '../../languages/store.ts'
import type { ListParams } from '../params.ts'
import { type Caller, hasFeature, isMemberOf } from './access.ts'

export type ProjectContext = ListContext & { actor: Actor; caller: Caller }

type ProjectFilter<Value> = Filter<ProjectContext, Value>

/** An index has the few projects that are archived, and none has the others. */
const archived: Filter<ListContext, boolean> = (context, value) =>
  (value ? onIndex : testColumn)(context, 'archived', (column) => sql<boolean>`${column} = ${sql.lit(value)}`)

const imported: Filter<ListContext, boolean> = (context, value) =>
  value ? onIndex(context, 'import_url', (column) => sql<boolean>`${column} is not null`) : []

const largestId = Number.MAX_SAFE_INTEGER

/** An id that every engine accepts in a comparison. */
const bound = (id: number): number => Math.max(-largestId, Math.min(largestId, id))

const idAfter: Filter<ListContext, number> = (context, id) => comparedOnIndex('id', '>')(context, bound(id))
const idBefore: Filter<ListContext, number> = (context, id) => comparedOnIndex('id', '<')(context, bound(id))

/** A shorter text is compared with the whole name, path or description. */
const shortestPart = 3

/** Whether a project has a text in its name, path or description. @param table the name of the table in the query */
function matches(text: string, withNamespaces: boolean, table: string): Condition {
  const columns = ['name', 'path', 'description', ...(withNamespaces ? ['full_path'] : [])]
  const named = (column: string) => `${table}.${column}`
  if ([...text].length >= shortestPart)
    return sql<boolean>`${anyContains(columns.map(named), text)} ${plannedForValues}`
  const conditions = columns.map((column) => {
    const whole = sql.ref(named(column))
    const isShort = column === 'description' ? sql`and length(${whole}) < 3` : sql``
    return sql`(lower(${whole}) = ${text.toLowerCase()} ${isShort})`
  })
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

const search: FilterAmong<ListContext, string, ListParams> = (
  context,
  value,
  { search_namespaces: withPaths = false },
) => {
  const text = value.trim()
  return text === '' ? [] : onText(context, text, (table) => matches(text, withPaths, table))
}

const starredRows = (userId: number) => sql`project_stars found where found.user_id = ${userId}`

/** The projects that a user has starred. */
export const starredBy = (context: ListContext, userId: number): Predicate =>
  semiJoin(context, starredRows(userId), 'project_id')

const starred: ProjectFilter<boolean> = (context, value) =>
  value && context.actor.kind === 'user' ? starredBy(context, context.actor.userId) : []

const withTopic: Filter<ListContext, string> = (context, name) =>
  semiJoin(
    context,
    sql`topics t cross join project_topics found where found.topic_id = t.id and t.folded_name = ${name.toLowerCase()}`,
    'project_id',
  )

const withTopicId: Filter<ListContext, number> = (context, id) =>
  semiJoin(context, sql`project_topics found where found.topic_id = ${bound(id)}`, 'project_id')

/** Names of languages may differ in case alone. */
const language: Filter<ListContext, string> = (context, name) =>
  semiJoin(context, writtenIn(name), 'project_id', { isRepeated: true })

const storedIn: ProjectFilter<string> = (context, storage) =>
  isAdministrator(context.actor)
    ? semiJoin(
        context,
        sql`repositories found where found.storage = ${storage} and found.kind = 'project'`,
        'project_id',
      )
    : []

const withAttributes: ProjectFilter<Readonly<Record<string, string>>> = (context, attributes) =>
  isAdministrator(context.actor) ? withAllAttributes('project')(context, attributes) : []

/** Projects with a feature that the caller may use. */
const withFeature =
  (name: string): ProjectFilter<boolean> =>
  ({ db, actor, caller }, value) => {
    if (!value) return []
    const has = (use: TestUse) => hasFeature(name, isAdministrator(actor) ? null : isMemberOf(db, caller.roles, 0, use))
    return { holds: has('tests'), holdsForMany: has('counts') }
  }

/** The filters of projects by their parameters, in the order in which rows are tested (contract 21, x.projects_list). */
export const projectFilters: Filters<ProjectContext, ListParams> = {
  id_after: idAfter,
  id_before: idBefore,
  archived,
  visibility: comparedOnIndex('visibility', '='),
  imported,
  marked_for_deletion_on: comparedOnIndex('marked_for_deletion_on', '='),
  last_activity_after: comparedOnIndex('last_activity_at', '>'),
  last_activity_before: comparedOnIndex('last_activity_at', '<'),
  updated_after: comparedOnIndex('updated_at', '>='),
  updated_before: comparedOnIndex('updated_at', '<='),
  search,
  with_issues_enabled: withFeature('issues_access_level'),
  with_merge_requests_enabled: withFeature('merge_requests_access_level'),
  topic: each(withTopic),
  topic_id: withTopicId,
  custom_attributes: withAttributes,
  repository_storage: storedIn,
  with_programming_language: language,
  starred,
}

/** The lowest role that a list asks for; null when it asks for none. */
export function neededRole({ owned, membership, min_access_level: level }: ListParams): number | null {
  const asked = [owned ? role.owner : null, membership ? 0 : null, level ?? null].filter((one) => one !== null)
  return asked.length > 0 ? Math.max(...asked) : null
}
