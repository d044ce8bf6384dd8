import {
  assigneesOf,
  humanTime,
  type IssuableType,
  labelsOf,
  type PlannedChanges,
  timesOf,
} from '../../issuables/index.ts'
import { type LabelRow, labelsByIds } from '../../labels/index.ts'
import { type Changes, isMoved, listBefore } from './changes.ts'
import { type Building, userPayloads, utc } from './parts.ts'

/** A label as a member of a payload. */
function labelPayload(label: LabelRow) {
  return {
    id: label.id,
    title: label.title,
    color: label.color,
    project_id: label.project_id,
    created_at: utc(label.created_at),
    updated_at: utc(label.updated_at),
    template: false,
    description: label.description,
    type: label.project_id === null ? 'GroupLabel' : 'ProjectLabel',
    group_id: label.namespace_id,
  }
}

/** The numbers of states. */
export const stateIds = { opened: 1, closed: 2, merged: 3, locked: 4 } as const

/** What issues and merge requests have besides their rows, as payloads show it. */
export async function issuableParts({ db, ...built }: Building, type: IssuableType, id: number) {
  const [labels, assigneeIds, times] = [
    (await labelsOf(db, type, [id])).get(id) ?? [],
    (await assigneesOf(db, type, [id])).get(id) ?? [],
    (await timesOf(db, type, [id])).get(id) ?? { time_estimate: 0, total_time_spent: 0 },
  ]
  const users = await userPayloads({ db, ...built }, assigneeIds)
  return {
    labels: labels.map(labelPayload),
    assigneeIds,
    assignees: assigneeIds.flatMap((userId) => users.get(userId) ?? []),
    times: {
      time_estimate: times.time_estimate,
      total_time_spent: times.total_time_spent,
      time_change: 0,
      human_total_time_spent: humanTime(times.total_time_spent),
      human_time_change: null,
      human_time_estimate: humanTime(times.time_estimate),
    },
  }
}

export type IssuableParts = Awaited<ReturnType<typeof issuableParts>>

/** The changes of labels and people. */
export async function plannedChanges(
  building: Building,
  { labels, assigneeIds }: IssuableParts,
  planned: PlannedChanges,
  reviewerIds: readonly number[] = [],
): Promise<Changes> {
  const changes: Changes = {}
  if (isMoved(planned.labels)) {
    const added = new Set(planned.labels.added)
    const removed = await labelsByIds(building.db, planned.labels.removed)
    const previous = [...labels.filter(({ id }) => !added.has(id)), ...[...removed.values()].map(labelPayload)]
    changes.labels = { previous, current: labels }
  }
  for (const [name, now, moved] of [
    ['assignees', assigneeIds, planned.assignees],
    ['reviewers', reviewerIds, planned.reviewers],
  ] as const) {
    if (!isMoved(moved)) continue
    const previous = listBefore(now, moved)
    const users = await userPayloads(building, [...previous, ...now])
    const shown = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? [])
    changes[name] = { previous: shown(previous), current: shown(now) }
  }
  return changes
}
