import { type RawBuilder, sql } from 'kysely'
import type { Wanted } from '../params.ts'
import {
  type Condition,
  checked,
  exists,
  type Filter,
  type FilterOf,
  type ListContext,
  not,
  onColumn,
} from './filter.ts'

/** A column of the target that refers to a row of another table, which has a period of days. */
type Reference = { column: 'milestone_id' | 'iteration_id'; table: 'milestones' | 'iterations' }

const milestone: Reference = { column: 'milestone_id', table: 'milestones' }
const iteration: Reference = { column: 'iteration_id', table: 'iterations' }

/** Rows of one project are found with it, others without it. */
function onReference(
  context: ListContext,
  name: Reference['column'],
  condition: (column: RawBuilder<unknown>) => Condition,
): Filter {
  const one = onColumn(context, name, condition)
  if (one.ids) return one
  const found = sql`select found.id from ${sql.table(context.target.table)} found`
  return { ...one, ids: sql`${found} where ${condition(sql.ref(`found.${name}`))}`, isSound: true }
}

const isSet = (context: ListContext, { column }: Reference): Filter =>
  onReference(context, column, (one) => sql<boolean>`${one} is not null`)

/** The index of iterations leaves out issues without one. */
const isUnset = (context: ListContext, { column }: Reference): Filter =>
  column === 'milestone_id'
    ? onColumn(context, column, (one) => sql<boolean>`${one} is null`)
    : not(isSet(context, iteration))

/** Rows whose milestone or iteration meets a condition on `plan`. */
function planned(context: ListContext, { column, table }: Reference, condition: Condition): Filter {
  const plans = sql`select plan.id from ${sql.table(table)} plan where ${condition}`
  // Of many plans, an index would be searched for each of them in each project.
  const { within: _, ...found } = onReference(context, column, (one) => sql<boolean>`${one} in (${plans})`)
  return { ...found, matches: sql<boolean>`coalesce(${checked(context, column)} in (${plans}), false)` }
}

/**
 * As `planned`, for a condition that many plans of the instance meet: each plan is looked up, those of one project once for all of its
 * issuables.
 */
function plannedByMany(context: ListContext, { column, table }: Reference, condition: Condition): Filter {
  const { target, projectId } = context
  const [issuables, plans] = [sql.table(target.table), sql`${sql.table(table)} plan`]
  const [ofFound, ofUsed] = [sql.ref(`found.${column}`), sql.ref(`used.${column}`)]
  const inProject = projectId === undefined ? sql`` : sql`and found.project_id = ${projectId}`
  const used = sql`(select distinct ${ofUsed} from ${issuables} used
    where used.project_id = ${projectId} and ${ofUsed} is not null) used cross join`
  const isUsed = projectId === undefined ? sql`` : sql`and plan.id = ${ofUsed}`
  return {
    matches: exists(context, sql`${plans} where plan.id = ${sql.ref(`${target.table}.${column}`)} and ${condition}`),
    ids: sql`select found.id from ${projectId === undefined ? sql`` : used} ${plans} cross join ${issuables} found
      where ${condition} ${isUsed} ${inProject} and ${ofFound} = plan.id`,
    isSound: true,
    isExact: projectId !== undefined,
  }
}

const titled = (title: string) => sql<boolean>`plan.title = ${title}`

type MilestoneWord = 'upcoming' | 'started'

function milestoneDuring({ today }: ListContext, word: MilestoneWord): Condition {
  const dates = word === 'upcoming' ? sql`plan.due_date > ${today}` : sql`plan.start_date <= ${today}`
  return sql<boolean>`(plan.state = 'active' and ${dates})`
}

type Milestone = { milestone?: string; milestone_id?: 'None' | 'Any' | 'Upcoming' | 'Started' }

const wildcards: Record<string, 'none' | 'any' | MilestoneWord> = {
  none: 'none',
  any: 'any',
  '#upcoming': 'upcoming',
  '#started': 'started',
}

function byWord(context: ListContext, word: 'none' | 'any' | MilestoneWord): Filter {
  if (word === 'none') return isUnset(context, milestone)
  return word === 'any' ? isSet(context, milestone) : plannedByMany(context, milestone, milestoneDuring(context, word))
}

/** `milestone`: a title or a word; `milestone_id`: one of four words (contract 16, Filters). */
export const byMilestone: FilterOf<Milestone> = (context, { milestone: title = '', milestone_id: word }) => {
  const wildcard = wildcards[title.toLowerCase()]
  const named = wildcard ? byWord(context, wildcard) : planned(context, milestone, titled(title))
  return [
    ...(title === '' ? [] : [named]),
    ...(word === undefined ? [] : [byWord(context, word.toLowerCase() as MilestoneWord)]),
  ]
}

/** `not[milestone]` keeps rows without milestone; `not[milestone_id]` of `Upcoming` and `Started` does not. */
export const byOtherMilestone: FilterOf<Milestone> = (context, { milestone_id: word, ...named }) => [
  ...byMilestone(context, named).map(not),
  ...byMilestone(context, { milestone_id: word }).map(not),
  ...(word === 'Upcoming' || word === 'Started' ? [isSet(context, milestone)] : []),
]

type Iteration = { iteration_id?: Wanted<'none' | 'any' | 'current'>; iteration_title?: string }

function iterationFilter(context: ListContext, wanted: Wanted<'none' | 'any' | 'current'>): Filter {
  if (wanted === 'none') return isUnset(context, iteration)
  if (wanted === 'any') return isSet(context, iteration)
  if (wanted !== 'current') return planned(context, iteration, sql<boolean>`plan.id = ${wanted}`)
  const { today } = context
  return plannedByMany(context, iteration, sql<boolean>`(plan.start_date <= ${today} and plan.due_date >= ${today})`)
}

/** `iteration_id`, `iteration_title`. */
export const byIteration: FilterOf<Iteration> = (context, { iteration_id: wanted, iteration_title: title = '' }) => [
  ...(wanted === undefined ? [] : [iterationFilter(context, wanted)]),
  ...(title === '' ? [] : [planned(context, iteration, titled(title))]),
]

/** `not[iteration_id]`, `not[iteration_title]`: rows without iteration are kept. */
export const byOtherIteration: FilterOf<Iteration> = (context, params) => byIteration(context, params).map(not)

/** The due date of the row's milestone, for orders. */
export const milestoneDue = ({ target }: ListContext): RawBuilder<unknown> =>
  sql`(select plan.due_date from milestones plan where plan.id = ${sql.ref(`${target.table}.milestone_id`)})`
