import type { Tx } from '../../../infra/database/index.ts'
import {
  type ImportedLine,
  type Importing,
  integerOf,
  lineOf,
  linesOf,
  requiredTime,
  shaOf,
  textOf,
  userOf,
  userOrImporter,
  wordOf,
} from '../../../platform/index.ts'
import { embeddedIteration } from '../../iterations/index.ts'
import { embeddedLabel, embeddedLabels } from '../../labels/index.ts'
import { embeddedMilestone } from '../../milestones/index.ts'
import { importAwards, importNotes, type NoteableType } from '../../notes/index.ts'
import { replaceAssignees } from '../assignees/store.ts'
import { insertEvents } from '../events/store.ts'
import type { IssuableRef } from '../issuable.ts'
import { insertLabels } from '../labels/store.ts'
import { importTimes } from '../time/store.ts'

/** Seconds that a bigint column of both engines holds. */
const seconds = { least: -(10 ** 12), most: 10 ** 12 }
/** What the column of a weight holds. */
const weights = { least: 0, most: 2 ** 31 - 1 }
const actions = ['add', 'remove'] as const
const states = ['closed', 'reopened', 'merged'] as const

/** Who made a change that a line records, and when. @throws BadLine */
const originOf = (into: Importing, line: ImportedLine) => ({
  userId: userOrImporter(into, line, 'user_id'),
  at: requiredTime(line, 'created_at'),
})

/** Stores the records of changes that lines embed. @throws BadLine */
async function importEvents(tx: Tx, into: Importing, target: IssuableRef, line: ImportedLine): Promise<void> {
  for (const event of linesOf(line, 'resource_label_events')) {
    const label = lineOf(event, 'label')
    const label_id = label && (await embeddedLabel(tx, into, label))
    const action = wordOf(event, 'action', actions, 'add')
    await insertEvents(tx, 'resource_label_events', [target], originOf(into, event), [{ action, label_id }])
  }
  for (const event of linesOf(line, 'resource_milestone_events')) {
    const milestone = lineOf(event, 'milestone')
    if (!milestone) continue
    const milestone_id = await embeddedMilestone(tx, into, milestone)
    const action = wordOf(event, 'action', actions, 'add')
    await insertEvents(tx, 'resource_milestone_events', [target], originOf(into, event), [{ action, milestone_id }])
  }
  for (const event of linesOf(line, 'resource_iteration_events')) {
    const iteration = lineOf(event, 'iteration')
    const iteration_id = iteration && (await embeddedIteration(tx, into, iteration))
    if (iteration_id === null) continue
    const action = wordOf(event, 'action', actions, 'add')
    await insertEvents(tx, 'resource_iteration_events', [target], originOf(into, event), [{ action, iteration_id }])
  }
  for (const event of linesOf(line, 'resource_weight_events')) {
    const weight = integerOf(event, 'weight', weights)
    await insertEvents(tx, 'resource_weight_events', [target], originOf(into, event), [{ weight }])
  }
  for (const event of linesOf(line, 'resource_state_events')) {
    const state = wordOf(event, 'state', states, null)
    if (state === null) continue
    const source = { source_commit: shaOf(event, 'source_commit'), source_merge_request_id: null }
    await insertEvents(tx, 'resource_state_events', [target], originOf(into, event), [{ state, ...source }])
  }
}

/** The time logs that a line embeds. @throws BadLine */
const logsOf = (into: Importing, line: ImportedLine) =>
  linesOf(line, 'timelogs').flatMap((log) => {
    const time_spent = integerOf(log, 'time_spent', seconds) ?? 0
    if (time_spent === 0) return []
    const { userId, at } = originOf(into, log)
    return [{ user_id: userId, created_at: at, time_spent, summary: textOf(log, 'summary', 255) }]
  })

/** The milestone that a line embeds, found or stored; null when it has none. @throws BadLine */
export async function importedMilestone(tx: Tx, into: Importing, line: ImportedLine): Promise<number | null> {
  const milestone = lineOf(line, 'milestone')
  return milestone && embeddedMilestone(tx, into, milestone)
}

/**
 * Imports what issues, merge requests and epics have in common, as their lines embed it (contract 14): labels, assignees, times,
 * records of changes, notes and award emoji. Raises no events, so no mail, hook or to-do follows.
 * @param assignees the member with the assignees @throws BadLine
 */
export async function importIssuableParts(
  tx: Tx,
  into: Importing,
  target: IssuableRef & { type: NoteableType },
  line: ImportedLine,
  assignees?: string,
): Promise<void> {
  const labels = linesOf(line, 'label_links')
    .map((link) => lineOf(link, 'label'))
    .filter((label) => label !== null)
  await insertLabels(tx, target, await embeddedLabels(tx, into, labels))
  const userIds = assignees
    ? linesOf(line, assignees).flatMap((assignee) => userOf(into, assignee, 'user_id') ?? [])
    : []
  await replaceAssignees(tx, target, [...new Set(userIds)])
  const estimate = integerOf(line, 'time_estimate', { ...seconds, least: 0 }) ?? 0
  await importTimes(tx, target, estimate, logsOf(into, line))
  await importEvents(tx, into, target, line)
  const noteable = { ...target, commitId: null }
  await importNotes(tx, into, noteable, linesOf(line, 'notes'))
  await importAwards(tx, into, noteable, linesOf(line, 'award_emoji'))
}
