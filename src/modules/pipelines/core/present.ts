import { computed, forms, from, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import { ZERO_SHA1 } from '../../../infra/git/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { CiState, PipelineRow } from '../tables.ts'

/** Where pipelines are shown: the base of the instance's addresses, and the path of the project. */
export type PipelineView = {
  externalUrl: string
  fullPath: string
  /** Another word for the source, where the contract has one. */
  source?: string
}

const pipelines = of<PipelineRow, PipelineView>()

/** A pipeline in other objects (contract 04, Basic pipeline). */
export const BasicPipeline = object('BasicPipeline', pipelines, {
  id: forms.id,
  iid: forms.id,
  project_id: forms.id,
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  source: computed(Type.String(), (row, { source = row.source }) => source),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  web_url: computed(
    Type.String(),
    ({ id }, { externalUrl, fullPath }) => `${externalUrl}/${fullPath}/-/pipelines/${id}`,
  ),
})

const Stage = Type.Object({ name: Type.String(), status: Type.String() }, { title: 'PipelineStage' })

/** What a list of pipelines shows besides, when it is asked for. */
export type ListedDetails = {
  stages: Static<typeof Stage>[]
  commit_title: string | null
  user: Static<typeof UserBasic> | null
}

const listed = of<PipelineRow & { details?: ListedDetails }, PipelineView>()

/** A pipeline in the list of a project. */
export const ListedPipeline = object('ListedPipeline', listed, {
  ...BasicPipeline.fields,
  name: forms.nullableString,
  ...listed.ifRow(({ details }) => details !== undefined, {
    tag: Type.Boolean(),
    started_at: forms.nullableTimestamp,
    finished_at: forms.nullableTimestamp,
    stages: computed(Type.Array(Stage), ({ details }) => details?.stages ?? []),
    commit_title: computed(forms.nullableString, ({ details }) => details?.commit_title ?? null),
    user: computed(nullable(UserBasic), ({ details }) => details?.user ?? null),
  }),
})

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

/** What the jobs of a pipeline add to it. */
export type PipelineFacts = {
  user: UserRow | undefined
  durationSeconds: number | null
  coverageMean: number | null
  /** Whether a job failed that may fail. */
  hasWarnings: boolean
}

type SinglePipeline = PipelineRow & PipelineFacts

function detailedStatus({ id, status, hasWarnings }: SinglePipeline, { fullPath }: PipelineView) {
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

function queuedSeconds({ created_at, started_at }: PipelineRow): number | null {
  return started_at === null ? null : Math.floor((Date.parse(started_at) - Date.parse(created_at)) / 1000)
}

/** A pipeline alone (contract 04, Pipeline). */
export const Pipeline = object('Pipeline', of<SinglePipeline, PipelineView & { presenting: PresentingUsers }>(), {
  ...BasicPipeline.fields,
  name: forms.nullableString,
  before_sha: computed(Type.String(), ({ before_sha }) => before_sha ?? ZERO_SHA1),
  tag: Type.Boolean(),
  yaml_errors: forms.nullableString,
  user: computed(nullable(UserBasic), ({ user }, { presenting }) => (user ? presentUserBasic(user, presenting) : null)),
  started_at: forms.nullableTimestamp,
  finished_at: forms.nullableTimestamp,
  committed_at: forms.nullableTimestamp,
  duration: from(forms.nullableInteger, 'durationSeconds'),
  queued_duration: computed(forms.nullableInteger, queuedSeconds),
  coverage: computed(forms.nullableString, ({ coverageMean }) => (coverageMean === null ? null : String(coverageMean))),
  detailed_status: computed(DetailedStatus, detailedStatus),
})
