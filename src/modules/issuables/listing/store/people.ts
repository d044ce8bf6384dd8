import { type RawBuilder, sql } from 'kysely'
import { unindexed } from '../../../../infra/database/index.ts'
import type { Wanted } from '../params.ts'
import {
  checked,
  exists,
  type Filter,
  type FilterOf,
  type ListContext,
  linkedBy,
  not,
  nothing,
  rowId,
} from './filter.ts'

const userNamed = (username: string) =>
  sql`(select named.id from users named where lower(named.username) = ${username.toLowerCase()})`

/** Rows that are assigned to a user. */
function assignedTo(context: ListContext, user: RawBuilder<unknown> | number): Filter {
  return linkedBy(context, 'issuable_assignees', sql<boolean>`linked.user_id = ${user}`, true)
}

const isAssigned = (context: ListContext): Filter => ({ matches: linkedBy(context, 'issuable_assignees').matches })

/** Rows that a user wrote. */
function writtenBy(context: ListContext, user: RawBuilder<unknown> | number): Filter {
  const { target, projectId } = context
  const inProject = projectId === undefined ? sql`` : sql`and found.project_id = ${projectId}`
  // PostgreSQL expects few rows of a user whose id it does not know yet, and would sort all of them.
  const author = typeof user === 'number' ? checked(context, 'author_id') : sql`(${checked(context, 'author_id')} + 0)`
  return {
    matches: sql<boolean>`${author} = ${user}`,
    ids: sql`select found.id from ${sql.table(target.table)} found where found.author_id = ${user} ${inProject}`,
    isSound: true,
    isExact: projectId !== undefined,
  }
}

type Assignees = { assignee_id?: Wanted<'none' | 'any'>; assignee_username?: readonly string[] }

/** `assignee_id`, `assignee_username` (contract 16, Filters): of several names the issue must have all. */
export const byAssignee: FilterOf<Assignees> = (context, { assignee_id: id, assignee_username: names = [] }) => [
  ...(id === undefined ? [] : [assigneeFilter(context, id)]),
  ...names.filter((name) => name !== '').map((name) => assignedTo(context, userNamed(name))),
]

function assigneeFilter(context: ListContext, wanted: Wanted<'none' | 'any'>): Filter {
  if (wanted === 'any') return isAssigned(context)
  return wanted === 'none' ? not(isAssigned(context)) : assignedTo(context, wanted)
}

/** `not[assignee_id]`, `not[assignee_username]`: rows without assignees are kept. */
export const byOtherAssignee: FilterOf<{ assignee_id?: number; assignee_username?: readonly string[] }> = (
  context,
  params,
) => byAssignee(context, params).map(not)

type Author = { author_id?: number; author_username?: string }

/** `author_id`, `author_username`. */
export const byAuthor: FilterOf<Author> = (context, { author_id: id, author_username: name = '' }) => [
  ...(id === undefined ? [] : [writtenBy(context, id)]),
  ...(name === '' ? [] : [writtenBy(context, userNamed(name))]),
]

/** `not[author_id]`, `not[author_username]`; an unknown name excludes nothing. */
export const byOtherAuthor: FilterOf<Author> = (context, { author_id: id, author_username: name = '' }) => [
  ...(id === undefined ? [] : [not(writtenBy(context, id))]),
  ...(name === '' ? [] : [isOtherThan(context, name)]),
]

function isOtherThan(context: ListContext, name: string): Filter {
  return { matches: sql<boolean>`coalesce(${checked(context, 'author_id')} <> ${userNamed(name)}, true)` }
}

/** `scope`: what the caller wrote or is assigned to. An anonymous caller has neither. */
export const byScope: FilterOf<{ scope?: 'created_by_me' | 'assigned_to_me' | 'all' }> = (
  context,
  { scope = 'all' },
) => {
  const { actor } = context
  if (scope === 'all') return []
  if (actor.kind !== 'user') return [nothing]
  return [scope === 'created_by_me' ? writtenBy(context, actor.userId) : assignedTo(context, actor.userId)]
}

/** `my_reaction_emoji`: reactions of the caller; ignored when anonymous. */
export const byOwnReaction: FilterOf<{ my_reaction_emoji?: string }> = (context, { my_reaction_emoji: emoji = '' }) => {
  const { db, actor, target, projectId } = context
  if (emoji === '' || actor.kind !== 'user') return []
  const word = emoji.toLowerCase()
  const isNamed = word === 'none' || word === 'any' ? sql`` : sql`and own.name = ${emoji}`
  const own = (type: RawBuilder<unknown>) => sql`award_emoji own where own.user_id = ${actor.userId} ${isNamed}
    and ${type} = ${sql.lit(target.type)}`
  const inProject = projectId === undefined ? sql`` : sql`and own.project_id = ${projectId}`
  const reacted: Filter = {
    matches: exists(context, sql`${own(sql.ref('own.noteable_type'))} and own.noteable_id = ${rowId(context)}`),
    // Found by the user: SQLite would read the reactions to all of the type.
    ids: sql`select distinct own.noteable_id as id from ${own(unindexed(db, 'own.noteable_type'))} ${inProject}`,
    isSound: true,
    isExact: projectId !== undefined,
  }
  return [word === 'none' ? not(reacted) : reacted]
}
