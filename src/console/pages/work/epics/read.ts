import type { AnswerOf } from '../../../../api/index.ts'
import {
  type EpicObject,
  epicIssuesAdd,
  epicIssuesList,
  epicsDelete,
  epicsGet,
  epicsList,
  epicsUpdate,
  named,
} from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { conversationOf } from '../../../parts/discussion/index.ts'
import type { LabelChoice } from '../labels.tsx'

/** Operations of groups that pages of epics perform. */
export const ofGroups = { upload: named('group_uploads.create'), labels: named('group_labels.list') }

/** The operations on the discussion of an epic. */
export const epicConversation = conversationOf('epic')

type EpicIssue = Extract<AnswerOf<typeof epicIssuesList>, { items: unknown }>['items'][number]

/** An epic with what belongs to it, and what the caller may do. */
export type ReadEpic = {
  epic: EpicObject
  call: { id: number; epic_iid: string }
  issues: readonly EpicIssue[]
  children: readonly EpicObject[]
  /** Labels of the group, by which those of the epic get their colours. */
  labels: readonly LabelChoice[]
  mayChange: boolean
  mayDelete: boolean
  mayAssign: boolean
}

/** Reads the epic of a page. @throws ApiError 404 */
export async function readEpic(visit: Visit): Promise<ReadEpic> {
  const { id } = visit.group
  const call = { id, epic_iid: visit.params.iid ?? '' }
  const epic = await visit.read(epicsGet, call)
  const [issues, children, labels, mayChange, mayDelete, mayAssign] = await Promise.all([
    visit.find(epicIssuesList, { ...call, per_page: 100 }),
    visit.find(epicsList, { id, parent_id: epic.id, per_page: 100, with_labels_details: true }),
    visit.find(ofGroups.labels, { id, per_page: 100 }) as Promise<{ items: readonly LabelChoice[] } | null>,
    visit.may(epicsUpdate, call),
    visit.may(epicsDelete, call),
    visit.may(epicIssuesAdd, { ...call, issue_id: 0 }),
  ])
  const found = { issues: issues?.items ?? [], children: children?.items ?? [], labels: labels?.items ?? [] }
  return { epic, call, ...found, mayChange, mayDelete, mayAssign }
}
