import { notFound, type Operation } from '../../../../api/index.ts'
import {
  type BoardListObject,
  type BoardObject,
  boardListTwins,
  boardTwins,
  groupIssuesList,
  issuesCreate,
  type ListedIssue,
  named,
  projectIssuesList,
} from '../../../operations.ts'
import { numberIn, type Visit } from '../../../page.ts'
import type { Listed } from '../choices.ts'
import type { LabelChoice } from '../labels.tsx'
import { type Column, columnsOf, entersOf } from './columns.ts'

/** Boards are of projects and of groups. */
export type BoardLevel = 'project' | 'group'

/** The operations on boards, and the issues of their columns. */
export const operationsAt = (at: BoardLevel) => ({
  boards: boardTwins[at],
  lists: boardListTwins[at],
  issues: at === 'project' ? projectIssuesList : groupIssuesList,
})

/** A column with the issues that it shows. */
export type FilledColumn = Column & {
  issues: readonly ListedIssue[]
  /** How many there are, where it is known. */
  total: number | undefined
  /** How many were asked for, and whether there are more. */
  asked: number
  hasMore: boolean
}

export type ReadBoard = {
  board: BoardObject
  call: { id: number; board_id: number }
  columns: readonly FilledColumn[]
  mayChange: boolean
  /** The projects whose issues the caller may plan. */
  planned: ReadonlySet<number>
}

/** Issues that a column shows first, and at most; what is beyond is in the list of issues. */
const firstIssues = 20
export const mostIssues = 100

/** How many issues the address asks for in a column. */
function askedIn({ query }: Visit, { key }: Column): number {
  const text = query[key] ?? ''
  const asked = /^\d{1,3}$/.test(text) ? Number(text) : firstIssues
  return Math.max(firstIssues, Math.min(mostIssues, asked))
}

/** Reads the first issues of a column. */
async function fill(visit: Visit, at: BoardLevel, column: Column): Promise<FilledColumn> {
  const asked = askedIn(visit, column)
  const order =
    column.kind === 'closed'
      ? ({ order_by: 'updated_at', sort: 'desc' } as const)
      : ({ order_by: 'relative_position', sort: 'asc' } as const)
  const call = { ...column.filter, ...order, id: visit[at].id, per_page: asked, with_labels_details: true }
  const { issues } = operationsAt(at)
  const found = (await visit.read(issues as Operation, call)) as {
    items: readonly ListedIssue[]
    total?: number
    hasNext?: boolean
  }
  const hasMore = found.hasNext ?? (found.total ?? 0) > found.items.length
  const shown = found.items.filter((issue) => entersOf(column, issue))
  return { ...column, issues: shown, total: found.total, asked, hasMore }
}

/** The projects of these issues whose issues the caller may plan. */
async function plannedAmong(visit: Visit, columns: readonly FilledColumn[]): Promise<ReadonlySet<number>> {
  const ids = [...new Set(columns.flatMap(({ issues }) => issues.map(({ project_id: id }) => id)))]
  const may = await Promise.all(ids.map((id) => visit.may(issuesCreate, { id, milestone_id: 0 })))
  return new Set(ids.filter((_, index) => may[index]))
}

/** A board with what the caller may do. */
export type BoardFacts = Pick<ReadBoard, 'board' | 'call' | 'mayChange'>

/** Reads the board of a page without its issues. @throws ApiError 404 */
export async function readBoardAlone(visit: Visit, at: BoardLevel): Promise<BoardFacts> {
  const call = { id: visit[at].id, board_id: numberIn(visit, 'board') }
  if (call.board_id === 0) throw notFound('Board')
  const { boards } = operationsAt(at)
  const [board, mayChange] = await Promise.all([visit.read(boards.get, call), visit.may(boards.update, call)])
  return { board, call, mayChange }
}

/** Reads the board of a page with the first issues of its columns. @throws ApiError 404 */
export async function readBoard(visit: Visit, at: BoardLevel): Promise<ReadBoard> {
  const alone = await readBoardAlone(visit, at)
  const columns = await Promise.all(columnsOf(alone.board).map((column) => fill(visit, at, column)))
  return { ...alone, columns, planned: await plannedAmong(visit, columns) }
}

export type TargetChoices = {
  labels: readonly (LabelChoice & { id: number })[]
  milestones: readonly { id: number; title: string }[]
  iterations: readonly { id: number; title: string | null; start_date: string; due_date: string }[]
  members: readonly { id: number; name: string }[]
}

const choices = {
  project: {
    labels: named('project_labels.list'),
    milestones: named('project_milestones.list'),
    iterations: named('project_iterations.list'),
    members: named('project_members.all'),
  },
  group: {
    labels: named('group_labels.list'),
    milestones: named('group_milestones.list'),
    iterations: named('group_iterations.list'),
    members: named('group_members.all'),
  },
} as const

/** What new lists and the scope of a board can name, without what has a list. */
export async function readTargets(visit: Visit, at: BoardLevel): Promise<TargetChoices> {
  const all = { id: visit[at].id, per_page: 100 }
  const found = async <T>(operation: Operation, call: object) =>
    ((await visit.find(operation, { ...all, ...call })) as Listed<T>)?.items ?? []
  const { labels, milestones, iterations, members } = choices[at]
  const [ofLabels, ofMilestones, ofIterations, ofMembers] = await Promise.all([
    found<TargetChoices['labels'][number]>(labels, {}),
    found<TargetChoices['milestones'][number]>(milestones, { state: 'active', include_ancestors: true }),
    found<TargetChoices['iterations'][number]>(iterations, { state: 'opened' }),
    found<TargetChoices['members'][number]>(members, {}),
  ])
  return { labels: ofLabels, milestones: ofMilestones, iterations: ofIterations, members: ofMembers }
}

/** Whether a list of the board is for this label, milestone, iteration or user. */
export const hasListFor = (
  lists: readonly BoardListObject[],
  kind: 'label' | 'milestone' | 'iteration' | 'assignee',
) => {
  const ids = new Set(lists.map((list) => list[kind]?.id))
  return ({ id }: { id: number }) => ids.has(id)
}
