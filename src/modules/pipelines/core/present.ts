import { forms, nullable, Type } from '../../../api/index.ts'
import { ZERO_SHA1 } from '../../../infra/git/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { CiState, PipelineRow } from '../tables.ts'

const basic = {
  id: forms.id,
  iid: forms.id,
  project_id: forms.id,
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  source: Type.String(),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  web_url: Type.String(),
}

/** A pipeline in other objects (contract 04, Basic pipeline). */
export const BasicPipeline = Type.Object(basic, { title: 'BasicPipeline' })

/** A pipeline in the list of a project. */
export const ListedPipeline = Type.Object({ ...basic, name: forms.nullableString }, { title: 'ListedPipeline' })

const DetailedStatus = Type.Object(
  {
    icon: Type.String(),
    text: Type.String(),
    label: Type.String(),
    group: Type.String(),
    tooltip: Type.String(),
    has_details: Type.Boolean(),
    details_path: Type.String(),
    illustration: forms.nullableString,
    favicon: Type.String(),
  },
  { title: 'DetailedStatus' },
)

/** A pipeline alone (contract 04, Pipeline). */
export const Pipeline = Type.Object(
  {
    ...basic,
    name: forms.nullableString,
    before_sha: Type.String(),
    tag: Type.Boolean(),
    yaml_errors: forms.nullableString,
    user: nullable(UserBasic),
    started_at: forms.nullableTimestamp,
    finished_at: forms.nullableTimestamp,
    committed_at: forms.nullableTimestamp,
    duration: forms.nullableInteger,
    queued_duration: forms.nullableInteger,
    coverage: forms.nullableString,
    detailed_status: DetailedStatus,
  },
  { title: 'Pipeline' },
)

/** Where a pipeline is shown: the base of the instance's addresses, and the path of the project. */
export type PipelinePlace = { externalUrl: string; fullPath: string }

/** A pipeline inside of other objects. @param source another word for the source, where the contract has one */
export function presentBasic(row: PipelineRow, { externalUrl, fullPath }: PipelinePlace, source = row.source) {
  const { id, iid, project_id, sha, ref, status, created_at, updated_at } = row
  const web_url = `${externalUrl}/${fullPath}/-/pipelines/${id}`
  return { id, iid, project_id, sha, ref, status, source, created_at, updated_at, web_url }
}

type Shown = { icon: string; text: string; label: string; group: string }

const capitalised = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

const plain = (status: string): Shown => ({
  icon: `status_${status}`,
  text: capitalised(status),
  label: status,
  group: status,
})

const special: Partial<Record<CiState | 'warning', Shown>> = {
  success: { icon: 'status_success', text: 'Passed', label: 'passed', group: 'success' },
  warning: { icon: 'status_warning', text: 'Warning', label: 'passed with warnings', group: 'success-with-warnings' },
  waiting_for_resource: {
    icon: 'status_pending',
    text: 'Waiting',
    label: 'waiting for resource',
    group: 'waiting-for-resource',
  },
  manual: { icon: 'status_manual', text: 'Blocked', label: 'waiting for manual action', group: 'manual' },
  scheduled: { icon: 'status_scheduled', text: 'Delayed', label: 'waiting for delayed job', group: 'scheduled' },
}

/** @param hasWarnings whether a job failed that may fail */
function detailedStatus({ id, status }: PipelineRow, fullPath: string, hasWarnings: boolean) {
  const shown = special[status === 'success' && hasWarnings ? 'warning' : status] ?? plain(status)
  return {
    ...shown,
    tooltip: shown.label,
    has_details: true,
    details_path: `/${fullPath}/-/pipelines/${id}`,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${status}.png`,
  }
}

/** What the jobs of a pipeline add to it. */
export type PipelineFacts = {
  user: UserRow | undefined
  durationSeconds: number | null
  coverage: number | null
  hasWarnings: boolean
}

function queuedSeconds({ created_at, started_at }: PipelineRow): number | null {
  return started_at === null ? null : Math.floor((Date.parse(started_at) - Date.parse(created_at)) / 1000)
}

/** A pipeline alone. */
export function presentPipeline(
  row: PipelineRow,
  { user, durationSeconds, coverage, hasWarnings }: PipelineFacts,
  place: PipelinePlace,
  presenting: PresentingUsers,
) {
  const { name, tag, yaml_errors, started_at, finished_at, committed_at } = row
  return {
    ...presentBasic(row, place),
    ...{ name, tag, yaml_errors, started_at, finished_at, committed_at },
    before_sha: row.before_sha ?? ZERO_SHA1,
    user: user ? presentUserBasic(user, presenting) : null,
    duration: durationSeconds,
    queued_duration: queuedSeconds(row),
    coverage: coverage === null ? null : String(coverage),
    detailed_status: detailedStatus(row, place.fullPath, hasWarnings),
  }
}
