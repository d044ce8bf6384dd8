import type { UserActor } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { requestSource } from '../../ci-config/index.ts'
import type { Project } from '../../projects/index.ts'
import type { NewVariable } from './pipeline-variables.ts'
import type { PipelineRequest } from './requests.ts'

/** What creates pipelines (contract 04, Sources). */
export type PipelineSource = 'push' | 'trigger' | 'schedule' | 'api' | 'pipeline' | 'web' | typeof requestSource

/** A pipeline that is to be created. */
export type NewPipeline = {
  project: Project
  /** Who runs it: their rights count, and the jobs act for them. */
  actor: UserActor
  /** Branch or tag, by its short or full name. */
  ref: string
  source: PipelineSource
  variables?: readonly NewVariable[]
  /** Set for variables of a schedule, which were checked when they were stored. */
  hasCheckedVariables?: boolean
  /** `run` is one value for each due time or request; a schedule has one pipeline for each. */
  schedule?: { id: number; description: string; run: string }
  /** For a push: its id, the pushed commit, and the previous one. */
  push?: { id: number; sha: Oid; beforeSha: Oid | null }
  /** For a merge request; `ref` is that of its pipelines. */
  request?: PipelineRequest
  /** Records a skipped pipeline: always, or when the message of the commit asks for it. */
  skip?: 'always' | 'if_marked'
  /** Records a failed pipeline when the configuration is invalid, as pushes do. */
  recordsInvalid?: boolean
}

/**
 * Why no pipeline was created. `forbidden`: the user may not run pipelines on the ref or set variables, `ref`: it is unknown
 * or ambiguous, `missing`: there is no configuration, `config`: it is invalid or has too many jobs, `no_jobs`: rules leave no job,
 * `exists`: the commit of the merge request has it already.
 */
export type Refusal = {
  refused: readonly string[]
  reason: 'forbidden' | 'ref' | 'variables' | 'missing' | 'config' | 'no_jobs' | 'exists'
}
