import type { Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, Platform, Portable } from '../../../platform/index.ts'
import { exportedEvents } from '../../events/index.ts'
import { exportedIterationsByIds } from '../../iterations/index.ts'
import { exportedLabelsOf, labelsByIds } from '../../labels/index.ts'
import { exportedMilestonesByIds } from '../../milestones/index.ts'
import { exportedNotesOf } from '../../notes/index.ts'
import { assigneesOf } from '../assignees/store.ts'
import type { IssuableType } from '../issuable.ts'
import { labelsOf } from '../labels/store.ts'
import { unreadableNotes } from '../references/read.ts'
import { timesOf } from '../time/store.ts'
import { eventsOf, timeLogsOf } from './store.ts'

const valuesOf = <Row>(rows: ReadonlyMap<number, readonly Row[]>): Row[] => [...rows.values()].flat()

type Head = { user_id: number; created_at: string }

const head = ({ user_id, created_at }: Head) => ({ user_id, created_at })

/** The labels of issuables, and the records of their changes. */
async function labelParts(db: Reader, portable: Portable, type: IssuableType, ids: readonly number[]) {
  const present = await labelsOf(db, type, ids)
  const events = await eventsOf(db, 'resource_label_events', type, ids)
  const labels = await labelsByIds(
    db,
    valuesOf(events).flatMap(({ label_id }) => label_id ?? []),
  )
  const line = await exportedLabelsOf(db, [...valuesOf(present), ...labels.values()], portable)
  return (id: number) => ({
    label_links: (present.get(id) ?? []).map((label) => ({ target_type: type, label: line(label) })),
    resource_label_events: (events.get(id) ?? []).map(({ action, label_id, ...event }) => {
      const label = label_id === null ? undefined : labels.get(label_id)
      return { ...head(event), action, label: label ? line(label) : null }
    }),
  })
}

/** The milestone and the records of its changes. @param current the milestones of the issuables */
async function milestoneParts(
  db: Reader,
  type: IssuableType,
  ids: readonly number[],
  current: ReadonlyMap<number, number | null>,
) {
  const events = await eventsOf(db, 'resource_milestone_events', type, ids)
  const named = valuesOf(events).map(({ milestone_id }) => milestone_id)
  const line = await exportedMilestonesByIds(db, [...named, ...current.values()])
  return (id: number) => ({
    milestone: line(current.get(id) ?? null),
    resource_milestone_events: (events.get(id) ?? []).map(({ action, milestone_id, ...event }) => ({
      ...{ ...head(event), action, milestone: line(milestone_id) },
    })),
  })
}

/** The iteration of issues, and the records of the changes of it and of their weight. @param current the iterations of the issues */
export async function exportedIssueParts(
  platform: Platform,
  db: Reader,
  ids: readonly number[],
  current: ReadonlyMap<number, number | null>,
) {
  const events = await eventsOf(db, 'resource_iteration_events', 'Issue', ids)
  const named = valuesOf(events).map(({ iteration_id }) => iteration_id)
  const line = await exportedIterationsByIds(platform, db, [...named, ...current.values()])
  const weights = await eventsOf(db, 'resource_weight_events', 'Issue', ids)
  return (id: number) => ({
    resource_weight_events: (weights.get(id) ?? []).map(({ weight, ...event }) => ({ ...head(event), weight })),
    iteration: line(current.get(id) ?? null),
    resource_iteration_events: (events.get(id) ?? []).map(({ action, iteration_id, ...event }) => ({
      ...{ ...head(event), action, iteration: line(iteration_id) },
    })),
  })
}

/**
 * What issues, merge requests and epics have in common, as exports embed it (contract 14): notes, labels, milestone, times and
 * records of changes.
 * @param milestones the milestone of each of the issuables, by id
 */
export async function exportedIssuableParts(
  platform: Platform,
  db: Reader,
  portable: Portable,
  type: IssuableType,
  milestones: ReadonlyMap<number, number | null>,
) {
  const ids = [...milestones.keys()]
  const labels = await labelParts(db, portable, type, ids)
  const milestone = await milestoneParts(db, type, ids, milestones)
  const states = await eventsOf(db, 'resource_state_events', type, ids)
  const logs = await timeLogsOf(db, type, ids)
  const times = await timesOf(db, type, ids)
  const assignees = await assigneesOf(db, type, ids)
  const talk = await exportedNotesOf(db, type, ids, (noteIds) => unreadableNotes(platform, portable.actor, noteIds))
  const events = await exportedEvents(db, type, ids)
  return (id: number) => ({
    timeEstimate: times.get(id)?.time_estimate ?? 0,
    assignees: (assignees.get(id) ?? []).map((user_id): ExportedLine => ({ user_id })),
    parts: {
      events: events(id),
      timelogs: (logs.get(id) ?? []).map(({ time_spent, summary, ...log }) => ({ ...head(log), time_spent, summary })),
      ...talk(id),
      ...labels(id),
      ...milestone(id),
      resource_state_events: (states.get(id) ?? []).map(({ state, source_commit, ...event }) => ({
        ...{ ...head(event), state, source_commit },
      })),
    },
  })
}
