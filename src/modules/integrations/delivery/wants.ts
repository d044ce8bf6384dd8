import { branchName, type RefName, shortRefName } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { TriggerName } from '../../hooks/index.ts'
import { projectById } from '../../projects/index.ts'
import { protectedBranchTest } from '../../protected-branches/index.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { chats } from '../catalogue/chats.ts'
import type { EventColumn } from '../catalogue/events.ts'
import type { IntegrationRow } from '../tables.ts'
import type { EventPayload } from './payload.ts'

/** The columns that ask for an event; one is enough. Events that are not here are not sent. */
export const columnsOf: Readonly<Partial<Record<TriggerName, readonly EventColumn[]>>> = {
  push: ['push_events'],
  tag_push: ['tag_push_events'],
  issue: ['issues_events', 'incident_events'],
  confidential_issue: ['confidential_issues_events'],
  merge_request: ['merge_requests_events'],
  note: ['note_events', 'commit_events'],
  confidential_note: ['confidential_note_events'],
  pipeline: ['pipeline_events'],
  job: ['job_events'],
  deployment: ['deployment_events'],
  alert: ['alert_events'],
  wiki_page: ['wiki_page_events'],
}

type Setting = Pick<IntegrationRow, 'slug' | 'fields' | EventColumn>

/** An event as an integration may be sent it. */
export type Event = { trigger: TriggerName; projectId: number; payload: EventPayload }

/** The columns that ask for some of the events only. */
const narrower: Readonly<Partial<Record<EventColumn, (payload: EventPayload) => boolean>>> = {
  incident_events: ({ object_attributes: about }) => about?.type === 'Incident',
  commit_events: ({ object_attributes: about }) => about?.noteable_type === 'Commit',
}

/** Whether the event is switched on. */
function isOn(row: Setting, { trigger, payload }: Event): boolean {
  const events = catalogue.get(row.slug)?.events ?? []
  return (columnsOf[trigger] ?? []).some(
    (column) => events.includes(column) && row[column] && (narrower[column]?.(payload) ?? true),
  )
}

const isMessage = ({ slug }: Setting) => Object.hasOwn(chats, slug)

/** Changes of which people are not told: edits, and states between the first and the last. */
function isWorthTelling({ trigger, payload }: Event): boolean {
  const { object_attributes: about } = payload
  if (trigger === 'pipeline') return ['success', 'failed'].includes(about?.status ?? '')
  if (trigger === 'job') return ['success', 'failed', 'canceled'].includes(payload.build_status ?? '')
  const isObject = ['issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note'].includes(trigger)
  return !isObject || about?.action !== 'update'
}

/** The branch of an event, for the rule of branches; null where it is about none. */
function branchOf({ trigger, payload }: Event): string | null {
  if (trigger === 'push') return branchName((payload.ref ?? '') as RefName)
  const { ref = null, tag = false } = trigger === 'pipeline' ? (payload.object_attributes ?? {}) : payload
  if (!['pipeline', 'job', 'deployment'].includes(trigger) || tag || ref === null) return null
  return ref.startsWith('refs/') ? shortRefName(ref as RefName) : ref
}

/** The rule of branches; without one all are meant. */
function branchRuleOf({ fields, slug }: Setting): unknown {
  const { branches_to_be_notified: rule, notify_only_default_branch: onlyDefault } = fields
  const entry = catalogue.get(slug)
  return rule ?? (onlyDefault === true ? 'default' : (entry?.optional.branches_to_be_notified?.default ?? 'all'))
}

async function isOfBranch(platform: Platform, row: Setting, event: Event): Promise<boolean> {
  const branch = branchOf(event)
  const rule = branchRuleOf(row)
  if (branch === null || rule === 'all') return true
  if (rule !== 'protected' && branch === event.payload.project?.default_branch) return true
  const project = rule === 'default' ? null : await projectById(platform.database.read, event.projectId)
  return project !== null && (await protectedBranchTest(platform, project, [branch]))(branch)
}

/** Whether the labels of an object are those of which the integration is notified. */
function hasLabels({ fields }: Setting, { payload }: Event): boolean {
  const wanted = String(fields.labels_to_be_notified ?? '')
    .split(',')
    .map((label) => label.trim().replace(/^~/, '').replaceAll('"', ''))
    .filter((label) => label !== '')
  if (wanted.length === 0 || !['issue', 'work_item', 'merge_request', 'note'].includes(payload.object_kind ?? '')) {
    return true
  }
  const labels = payload.labels ?? payload.issue?.labels ?? payload.merge_request?.labels ?? []
  const titles = new Set(labels.map(({ title }) => title))
  const has = (label: string) => titles.has(label)
  return fields.labels_to_be_notified_behavior === 'match_all' ? wanted.every(has) : wanted.some(has)
}

const isBroken = ({ trigger, payload }: Event) =>
  trigger !== 'pipeline' || payload.object_attributes?.status === 'failed'

/** Whether an integration is sent an event: it is switched on, and no filter leaves it out (contract 25, What a D row sends). */
export async function wants(platform: Platform, row: Setting, event: Event): Promise<boolean> {
  if (!isOn(row, event)) return false
  const tells = isMessage(row) || catalogue.get(row.slug)?.does === 'mails'
  if (tells && !isWorthTelling(event)) return false
  if (row.fields.notify_only_broken_pipelines === true && !isBroken(event)) return false
  return hasLabels(row, event) && isOfBranch(platform, row, event)
}
