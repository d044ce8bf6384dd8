import { hasTier } from '../../../config.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ensureLabels, usableLabels } from '../../labels/index.ts'
import { keepMilestones, usableMilestone } from '../../milestones/index.ts'
import { addTodo, type TodoAction } from '../../notes/index.ts'
import type { ProjectOrGroupRef, ProjectRow } from '../../projects/index.ts'
import { setAssignees } from '../assignees/assignees.ts'
import { type ChangeOrigin, type Issuable, type PlannedChanges, unplanned } from '../issuable.ts'
import { setLabels } from '../labels/labels.ts'

/** More assignees or reviewers are dropped (contract 16, Issue). */
export const mostPeople = 200
/** Users of a request who are looked up: some of them may not be able to read the issuable. */
const mostNamed = 5 * mostPeople

/** Titles of labels to have, to add and to remove. */
export type LabelWishes = {
  labels?: readonly string[]
  add_labels?: readonly string[]
  remove_labels?: readonly string[]
}

/** What plans an issuable besides the columns of its row. */
export type Planning = LabelWishes & {
  /** Users who can read the issuable. */
  assigneeIds?: readonly number[]
}

/** The project as the owner of what its issuables are planned with. */
export const ownerOf = ({ id, namespace_id: namespaceId }: Pick<ProjectRow, 'id' | 'namespace_id'>) =>
  ({ kind: 'project', id, namespaceId }) as const satisfies ProjectOrGroupRef

/**
 * The users that a request names, of those who can read the issuables; 0 stands for none (contract 16, x.issue_create).
 * @returns undefined when it names none
 */
export async function namedReaders(
  ids: readonly number[] | undefined,
  readersAmong: (ids: readonly number[]) => Promise<number[]>,
): Promise<number[] | undefined> {
  return ids && (await readersAmong(ids.slice(0, mostNamed))).slice(0, mostPeople)
}

/** The ids of `assignee_ids`, or of its older form. */
export function assigneeIdsIn({
  assignee_ids: several,
  assignee_id: one,
}: {
  assignee_ids?: readonly number[]
  assignee_id?: number | null
}): readonly number[] | undefined {
  return several ?? (one === undefined ? undefined : [one ?? 0])
}

/** The milestone that a request names: one of the project or a group above it, else none (contract 16, x.issue_create). */
export async function milestoneIn(
  db: Reader,
  project: ProjectRow,
  id: number | null | undefined,
): Promise<number | null | undefined> {
  if (id === undefined) return undefined
  return id ? ((await usableMilestone(db, ownerOf(project), id))?.id ?? null) : null
}

/**
 * The milestone that is stored with an issuable, kept until the transaction ends.
 * @returns null when it was deleted meanwhile: what cannot be used is no milestone (contract 16, x.issue_create)
 */
export async function keptMilestone<None extends null | undefined>(
  tx: Tx,
  id: number | None,
): Promise<number | null | None> {
  if (typeof id !== 'number') return id
  return (await keepMilestones(tx, [id])).has(id) ? id : null
}

async function changeLabels(
  platform: Platform,
  tx: Tx,
  target: Issuable,
  owner: ProjectOrGroupRef,
  { labels, add_labels = [], remove_labels = [] }: LabelWishes,
  by: ChangeOrigin,
) {
  if (labels === undefined && add_labels.length + remove_labels.length === 0) return unplanned.labels
  const wanted = await ensureLabels(platform, tx, owner, [...(labels ?? []), ...add_labels])
  const removed = await usableLabels(tx, owner, remove_labels)
  const found = (titles: readonly string[]) => titles.flatMap((title) => wanted.get(title.trim()) ?? [])
  const change = {
    ...(labels && { replace: found(labels) }),
    add: found(add_labels),
    remove: [...removed.values()],
    ignoresScopes: !hasTier(platform.config.edition, 'premium'),
  }
  const changed = await setLabels(tx, target, change, by)
  const idsOf = (labels: readonly { id: number }[]) => labels.map(({ id }) => id)
  return { added: idsOf(changed.added), removed: idsOf(changed.removed) }
}

/** Gives these users a to-do about an issuable. */
export async function addTodos(
  platform: Platform,
  tx: Tx,
  target: Issuable,
  { userIds, action }: { userIds: readonly number[]; action: TodoAction },
  { userId: authorId }: ChangeOrigin,
): Promise<void> {
  for (const userId of userIds) await addTodo(platform, tx, target, { userId, authorId, action })
}

/**
 * Changes labels and assignees, with their records and to-dos (contract 18, "Order inside one write").
 * @returns what changed
 */
export async function planIssuable(
  platform: Platform,
  tx: Tx,
  target: Issuable,
  { owner, planning, origin }: { owner: ProjectOrGroupRef; planning: Planning; origin: ChangeOrigin },
): Promise<PlannedChanges> {
  const labels = await changeLabels(platform, tx, target, owner, planning, origin)
  const { assigneeIds } = planning
  if (assigneeIds === undefined) return { ...unplanned, labels }
  const assignees = await setAssignees(tx, target, assigneeIds)
  await addTodos(platform, tx, target, { userIds: assignees.added, action: 'assigned' }, origin)
  return { ...unplanned, labels, assignees }
}
