import { type RawBuilder, sql } from 'kysely'
import {
  compare,
  type Filter,
  idOf,
  isFound,
  never,
  not,
  type Predicate,
  unindexed,
} from '../../../../../infra/database/index.ts'
import type { IssuableContext } from '../../context.ts'
import type { Wanted } from '../../params.ts'
import { inProject, isLinked, linkedBy } from './linked.ts'

type User = number | RawBuilder<unknown>

/** The id of the user of a name, in a query. */
export const userNamed = (username: string): RawBuilder<unknown> =>
  sql`(select named.id from users named where lower(named.username) = ${username.toLowerCase()})`

/** A filter by a user, for the name of one. */
export const byUsername =
  (filter: Filter<IssuableContext, User>): Filter<IssuableContext, string> =>
  (context, username) =>
    filter(context, userNamed(username))

/** Rows that are assigned to a user. */
export const assignedTo: Filter<IssuableContext, User> = (context, user) =>
  linkedBy(context, 'issuable_assignees', sql<boolean>`linked.user_id = ${user}`, true)

/** `assignee_id` (contract 16, Filters). */
export const assigneeOrWord: Filter<IssuableContext, Wanted<'none' | 'any'>> = (context, wanted) => {
  const isAssigned = isLinked(context, 'issuable_assignees')
  if (wanted === 'any') return isAssigned
  return wanted === 'none' ? not(isAssigned) : assignedTo(context, wanted)
}

/** Rows that a user wrote. */
export function writtenBy(context: IssuableContext, user: User): Predicate {
  const { table, parent } = context
  const column = compare(context, 'author_id')
  // PostgreSQL expects few rows of a user whose id it does not know yet, and would sort all of them.
  const author = typeof user === 'number' ? column : sql`(${column} + 0)`
  const ids = sql`select found.id from ${sql.table(table)} found
    where found.author_id = ${user} ${inProject(context, 'found.project_id')}`
  return {
    holds: sql<boolean>`${author} = ${user}`,
    driver: { ids, isSufficient: true, isScoped: parent !== undefined },
  }
}

/** `not[author_username]`; an unknown name excludes nothing. */
export const writtenByOther: Filter<IssuableContext, string> = (context, username) => ({
  holds: sql<boolean>`coalesce(${compare(context, 'author_id')} <> ${userNamed(username)}, true)`,
})

/** `scope`: what the caller wrote or is assigned to. An anonymous caller has neither. */
export const ofCaller: Filter<IssuableContext, 'created_by_me' | 'assigned_to_me' | 'all'> = (context, scope) => {
  const { actor } = context
  if (scope === 'all') return []
  if (actor.kind !== 'user') return never
  return scope === 'created_by_me' ? writtenBy(context, actor.userId) : assignedTo(context, actor.userId)
}

/** `my_reaction_emoji`: reactions of the caller; ignored when anonymous. */
export const ownReaction: Filter<IssuableContext, string> = (context, emoji) => {
  const { db, actor, parent } = context
  if (actor.kind !== 'user') return []
  const word = emoji.toLowerCase()
  const isNamed = word === 'none' || word === 'any' ? sql`` : sql`and own.name = ${emoji}`
  const own = (type: RawBuilder<unknown>) => sql`award_emoji own where own.user_id = ${actor.userId} ${isNamed}
    and ${type} = ${sql.lit(context.type)}`
  // Found by the user: SQLite would read the reactions to all of the type.
  const ids = sql`select distinct own.noteable_id as id from ${own(unindexed(db, 'own.noteable_type'))}
    ${inProject(context, 'own.project_id')}`
  const reacted: Predicate = {
    holds: isFound(db, sql`${own(sql.ref('own.noteable_type'))} and own.noteable_id = ${idOf(context)}`),
    driver: { ids, isSufficient: true, isScoped: parent !== undefined },
  }
  return word === 'none' ? not(reacted) : reacted
}
