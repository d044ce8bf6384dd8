import type { BoardListObject, BoardObject, ListedIssue } from '../../../operations.ts'

/** A column of a board: the open issues without a list, those of each list, and the closed ones. */
export type Column = {
  /** In addresses and of elements. */
  key: string
  kind: 'open' | 'closed' | 'label' | 'milestone' | 'iteration' | 'assignee'
  title: string
  /** Null of the open and the closed issues. */
  list: BoardListObject | null
  /** The lists of the board. */
  lists: readonly BoardListObject[]
  /** Parameters of the list of its issues. */
  filter: Readonly<Record<string, unknown>>
}

type Moved = Pick<ListedIssue, 'labels' | 'milestone' | 'assignees' | 'state'> & { iteration?: { id: number } | null }

const labelNames = (issue: Moved): readonly string[] =>
  issue.labels.map((label: string | { name: string }) => (typeof label === 'string' ? label : label.name))

/** Whether an issue has what a list is for. */
function isIn(list: BoardListObject, issue: Moved): boolean {
  if (list.label) return labelNames(issue).includes(list.label.name)
  if (list.milestone) return issue.milestone?.id === list.milestone.id
  if (list.assignee) return issue.assignees.some(({ id }) => id === list.assignee?.id)
  return list.iteration !== undefined && issue.iteration?.id === list.iteration.id
}

/** Whether a column shows an issue that its filter has found: an issue with a list is not among the others. */
export const entersOf = ({ kind, lists }: Column, issue: Moved): boolean =>
  kind !== 'open' || !lists.some((list) => isIn(list, issue))

function kindOf(list: BoardListObject): Exclude<Column['kind'], 'open' | 'closed'> {
  if (list.milestone) return 'milestone'
  if (list.iteration) return 'iteration'
  return list.assignee ? 'assignee' : 'label'
}

function titleOf({ label, milestone, iteration, assignee }: BoardListObject): string {
  if (iteration) return iteration.title ?? `${iteration.start_date} – ${iteration.due_date}`
  return label?.name ?? milestone?.title ?? assignee?.name ?? 'List'
}

const milestoneWords: Readonly<Record<number, string>> = { 0: 'None', [-1]: 'Any', [-2]: '#upcoming', [-3]: '#started' }

/** The issues to which the scope of a board limits it. */
function scopeOf({ milestone, assignee, labels = [], weight }: BoardObject) {
  const weights = weight === -1 ? 'Any' : weight === -2 ? 'None' : weight
  return {
    scope: 'all',
    ...(milestone && { milestone: milestoneWords[milestone.id] ?? milestone.title }),
    ...(assignee && { assignee_id: assignee.id }),
    ...(labels.length > 0 && { labels: labels.map(({ name }) => name) }),
    ...(weight !== null && weight !== undefined && { weight: weights }),
  }
}

/** What the issues of a list have. */
function filterOf({ label, milestone, iteration, assignee }: BoardListObject, scoped: readonly string[]) {
  if (label) return { labels: [...scoped, label.name] }
  if (milestone) return { milestone: milestone.title }
  return iteration ? { iteration_id: iteration.id } : { assignee_id: assignee?.id }
}

/** What the open issues without a list do not have, as far as a filter can say it. */
function withoutLists(lists: readonly BoardListObject[]) {
  const labels = lists.flatMap(({ label }) => label?.name ?? [])
  const people = lists.flatMap(({ assignee }) => assignee?.username ?? [])
  const [milestone] = lists.flatMap(({ milestone }) => milestone?.title ?? [])
  const [iteration] = lists.flatMap(({ iteration }) => iteration?.id ?? [])
  const not = {
    ...(labels.length > 0 && { labels }),
    ...(people.length > 0 && { assignee_username: people }),
    ...(milestone !== undefined && { milestone }),
    ...(iteration !== undefined && { iteration_id: iteration }),
  }
  return Object.keys(not).length > 0 ? { not } : {}
}

/** The columns of a board, in their order. */
export function columnsOf(board: BoardObject): Column[] {
  const { lists } = board
  const scope = scopeOf(board)
  const scoped = (board.labels ?? []).map(({ name }) => name)
  const opened = { ...scope, state: 'opened' }
  const fixed = { list: null, lists }
  const own = lists.map((list) => ({
    ...{ key: `list-${list.id}`, kind: kindOf(list), title: titleOf(list), list, lists },
    filter: { ...opened, ...filterOf(list, scoped) },
  }))
  return [
    ...(board.hide_backlog_list
      ? []
      : [
          {
            ...fixed,
            key: 'open',
            kind: 'open' as const,
            title: 'Open',
            filter: { ...opened, ...withoutLists(lists) },
          },
        ]),
    ...own,
    ...(board.hide_closed_list
      ? []
      : [{ ...fixed, key: 'closed', kind: 'closed' as const, title: 'Closed', filter: { ...scope, state: 'closed' } }]),
  ]
}

/** The assignees of an issue that leaves lists and enters one. */
function assigneesAfter(
  issue: Moved,
  left: readonly BoardListObject[],
  entered: BoardListObject | null,
): number[] | null {
  const ids = issue.assignees.map(({ id }) => id)
  const leaves = new Set(left.map(({ assignee }) => assignee?.id))
  const kept = ids.filter((id) => !leaves.has(id))
  const enters = entered?.assignee?.id
  const after = enters === undefined || kept.includes(enters) ? kept : [...kept, enters]
  return after.length === ids.length && after.every((id) => ids.includes(id)) ? null : after
}

/** What an issue is changed to when it moves from a column to another, as the query of a form (`_choice`). */
export function moveOf(issue: Moved, from: Column, to: Column): string {
  const changes = new URLSearchParams()
  if (to.kind === 'closed') return 'state_event=close'
  if (from.kind === 'closed') changes.set('state_event', 'reopen')
  // What comes to the open issues is in no list any more.
  const left = to.kind === 'open' ? to.lists.filter((list) => isIn(list, issue)) : from.list ? [from.list] : []
  const removed = left.flatMap(({ label }) => label?.name ?? [])
  if (removed.length > 0) changes.set('remove_labels', removed.join(','))
  if (to.list?.label) changes.set('add_labels', to.list.label.name)
  if (to.list?.milestone) changes.set('milestone_id', String(to.list.milestone.id))
  else if (left.some(({ milestone }) => milestone)) changes.set('milestone_id', '0')
  if (to.list?.iteration) changes.set('iteration_id', String(to.list.iteration.id))
  else if (left.some(({ iteration }) => iteration)) changes.set('iteration_id', '0')
  const assignees = assigneesAfter(issue, left, to.list)
  for (const id of assignees?.length === 0 ? [0] : (assignees ?? [])) changes.append('assignee_ids[]', String(id))
  return changes.toString()
}
