import type { Platform } from '../../../platform/index.ts'
import { epicTrees, type MilestoneDates, milestoneDates, type TreeNode } from './store.ts'

/** The dates of an epic that its issues and child epics give it; days, null without any. */
export type InheritedDates = MilestoneDates

const none: InheritedDates = { start: null, due: null }

type End = keyof InheritedDates

/** The earlier start or the later due date of two; a date wins over none. */
function widest(end: End, left: string | null, right: string | null): string | null {
  if (left === null || right === null) return left ?? right
  return (end === 'start') === left < right ? left : right
}

/** The date that counts for an epic: its fixed one, or the inherited one (contract 17, Rules). */
export function dateOf(end: End, epic: Omit<TreeNode, 'id' | 'parent_id'>, inherited: InheritedDates): string | null {
  if (end === 'start') return epic.start_date_is_fixed ? epic.start_date_fixed : inherited.start
  return epic.due_date_is_fixed ? epic.due_date_fixed : inherited.due
}

/** Adds up the dates of a tree from its leaves. */
function inheritedIn(
  children: ReadonlyMap<number | null, TreeNode[]>,
  milestones: ReadonlyMap<number, MilestoneDates>,
  id: number,
): InheritedDates {
  const dates = { ...(milestones.get(id) ?? none) }
  for (const child of children.get(id) ?? []) {
    const below = inheritedIn(children, milestones, child.id)
    dates.start = widest('start', dates.start, dateOf('start', child, below))
    dates.due = widest('due', dates.due, dateOf('due', child, below))
  }
  return dates
}

/**
 * The dates that these epics inherit: the earliest start and the latest due date of the milestones of their issues and of
 * their child epics (contract 17, Rules). In a constant number of queries.
 * @returns a function from the id
 */
export async function inheritedDates(
  { database }: Platform,
  ids: readonly number[],
): Promise<(id: number) => InheritedDates> {
  const nodes = await epicTrees(database.read, ids)
  const milestones = await milestoneDates(
    database.read,
    nodes.map(({ id }) => id),
  )
  const children = Map.groupBy(nodes, ({ parent_id }) => parent_id)
  return (id) => inheritedIn(children, milestones, id)
}
