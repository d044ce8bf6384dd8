import { sql } from 'kysely'
import {
  type Condition,
  compare,
  type Filter,
  isFound,
  negated,
  not,
  onColumn,
  type Predicate,
} from '../../../../../infra/database/index.ts'
import type { IssuableContext } from '../../context.ts'
import type { Wanted } from '../../params.ts'
import { inProject } from './linked.ts'

/** A column of issuables that refers to a row of another table, which has a period of days. */
type Reference = { column: 'milestone_id' | 'iteration_id'; table: 'milestones' | 'iterations' }

const milestone: Reference = { column: 'milestone_id', table: 'milestones' }
const iteration: Reference = { column: 'iteration_id', table: 'iterations' }

type Test = Parameters<typeof onColumn>[2]

/** A predicate on a reference: an index finds rows by it also in lists of several projects. */
function onReference(context: IssuableContext, { column }: Reference, test: Test): Predicate {
  const one = onColumn(context, column, test)
  if (one.driver) return one
  const ids = sql`select found.id from ${sql.table(context.table)} found where ${test(sql.ref(`found.${column}`))}`
  return { ...one, driver: { ids, isSufficient: true } }
}

const isSet = (context: IssuableContext, reference: Reference): Predicate =>
  onReference(context, reference, (column) => sql<boolean>`${column} is not null`)

/** The index of iterations leaves out issues without one. */
const isUnset = (context: IssuableContext, { column }: Reference): Predicate =>
  column === 'milestone_id'
    ? onColumn(context, column, (one) => sql<boolean>`${one} is null`)
    : not(isSet(context, iteration))

/** Rows whose milestone or iteration meets a condition on `plan`. */
function planned(context: IssuableContext, reference: Reference, condition: Condition): Predicate {
  const { column, table } = reference
  const plans = sql`select plan.id from ${sql.table(table)} plan where ${condition}`
  // Of many plans, an index would be searched for each of them in each project.
  const { holdsWithParent: _, ...found } = onReference(context, reference, (one) => sql<boolean>`${one} in (${plans})`)
  return { ...found, holds: sql<boolean>`coalesce(${compare(context, column)} in (${plans}), false)` }
}

/**
 * As `planned`, for a condition that many plans of the instance meet: each plan is looked up, those of one project once for all of its
 * issuables.
 */
function plannedByMany(context: IssuableContext, { column, table }: Reference, condition: Condition): Predicate {
  const { db, parent } = context
  const [issuables, plans] = [sql.table(context.table), sql`${sql.table(table)} plan`]
  const [ofFound, ofUsed, ofOwn] = ['found', 'used', 'own'].map((name) => sql.ref(`${name}.${column}`))
  const used = parent
    ? sql`(select distinct ${ofOwn} from ${issuables} own
        where own.project_id = ${parent.id} and ${ofOwn} is not null) used cross join`
    : sql``
  const isUsed = parent ? sql`and plan.id = ${ofUsed}` : sql``
  const ofRow = sql`${plans} where plan.id = ${sql.ref(`${context.table}.${column}`)} and ${condition}`
  const ids = sql`select found.id from ${used} ${plans} cross join ${issuables} found
    where ${condition} ${isUsed} ${inProject(context, 'found.project_id')} and ${ofFound} = plan.id`
  return { holds: isFound(db, ofRow), driver: { ids, isSufficient: true, isScoped: parent !== undefined } }
}

const titled = (title: string) => sql<boolean>`plan.title = ${title}`

type MilestoneWord = 'upcoming' | 'started'

function milestoneDuring({ today }: IssuableContext, word: MilestoneWord): Condition {
  const dates = word === 'upcoming' ? sql`plan.due_date > ${today}` : sql`plan.start_date <= ${today}`
  return sql<boolean>`(plan.state = 'active' and ${dates})`
}

const wildcards: Record<string, 'none' | 'any' | MilestoneWord> = {
  none: 'none',
  any: 'any',
  '#upcoming': 'upcoming',
  '#started': 'started',
}

function byWord(context: IssuableContext, word: 'none' | 'any' | MilestoneWord): Predicate {
  if (word === 'none') return isUnset(context, milestone)
  return word === 'any' ? isSet(context, milestone) : plannedByMany(context, milestone, milestoneDuring(context, word))
}

/** `milestone`: a title or a word (contract 16, Filters). */
export const milestoneTitle: Filter<IssuableContext, string> = (context, title) => {
  const wildcard = wildcards[title.toLowerCase()]
  return wildcard ? byWord(context, wildcard) : planned(context, milestone, titled(title))
}

type MilestoneId = 'None' | 'Any' | 'Upcoming' | 'Started'

/** `milestone_id`: one of four words (contract 16, Filters). */
export const milestoneId: Filter<IssuableContext, MilestoneId> = (context, word) =>
  byWord(context, word.toLowerCase() as MilestoneWord)

/** `not[milestone_id]`; that of `Upcoming` and `Started` keeps no rows without milestone, as `not[milestone]` does. */
export const otherMilestoneId: Filter<IssuableContext, MilestoneId> = (context, word) => [
  ...[negated(milestoneId)(context, word)].flat(),
  ...(word === 'Upcoming' || word === 'Started' ? [isSet(context, milestone)] : []),
]

/** `iteration_id` */
export const iterationId: Filter<IssuableContext, Wanted<'none' | 'any' | 'current'>> = (context, wanted) => {
  if (wanted === 'none') return isUnset(context, iteration)
  if (wanted === 'any') return isSet(context, iteration)
  if (wanted !== 'current') return planned(context, iteration, sql<boolean>`plan.id = ${wanted}`)
  const { today } = context
  return plannedByMany(context, iteration, sql<boolean>`(plan.start_date <= ${today} and plan.due_date >= ${today})`)
}

/** `iteration_title` */
export const iterationTitle: Filter<IssuableContext, string> = (context, title) =>
  planned(context, iteration, titled(title))
