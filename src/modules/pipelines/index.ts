import type { Module } from '../../platform/index.ts'
import { deleteProjectArtifactsJob, expireArtifactsJob } from './artifacts/changes.ts'
import * as artifacts from './artifacts/operations.ts'
import * as core from './core/operations.ts'
import { pushPipelinesJob } from './creation/pushes.ts'
import { removeFilesJob } from './files/removal.ts'
import { sweepFilesJob } from './files/sweep.ts'
import * as jobOperations from './jobs/operations.ts'
import * as plans from './plans/operations.ts'
import { releaseRefJob } from './processing/pipeline-ref.ts'
import { watchJob } from './processing/watch.ts'
import { failJobsOfUserJob } from './reactions.ts'
import * as resourceGroups from './resource-groups/operations.ts'
import { assignResourceJob } from './resource-groups/resource-groups.ts'
import * as statuses from './statuses/operations.ts'
import { finishTraceJob } from './traces/finish.ts'
import * as triggers from './triggers/operations.ts'

export { hasBuilds, mayReadBuilds } from './access.ts'
export { expiryOf, findArtifact, openArtifact, storeArtifact } from './artifacts/artifacts.ts'
export { withDirectory } from './artifacts/downloads.ts'
export {
  jobArtifactsDelete,
  jobArtifactsFile,
  jobArtifactsGet,
  jobArtifactsKeep,
  jobArtifactsTree,
} from './artifacts/operations.ts'
export { artifactsOfJobs } from './artifacts/store.ts'
export {
  headerBytes,
  headerSignature,
  inflated,
  type ListedEntry,
  type OpenPart,
  readEntries,
} from './artifacts/zip.ts'
export { coverageOfPipelines } from './core/facts.ts'
export {
  pipelinesByDay,
  pipelinesCancel,
  pipelinesCreate,
  pipelinesDelete,
  pipelinesGet,
  pipelinesLatest,
  pipelinesList,
  pipelinesRetry,
  pipelinesVariables,
} from './core/operations.ts'
export { pipelineId } from './core/params.ts'
export { presentOne as presentPipeline, readPipeline } from './core/pipelines.ts'
export { BasicPipeline, Pipeline } from './core/present.ts'
export { newestPipelines, newestSuccessfulPipelines, pageOfCommits, variablesOf } from './core/store.ts'
export { createPipeline } from './creation/create.ts'
export { asJobVariable, openVariables } from './creation/pipeline-variables.ts'
export { afterPushPipelines, cancelOlder, createPipelinesOfPush } from './creation/pushes.ts'
export { type RanFor, requestIidOf, requestRef, trainRef } from './creation/requests.ts'
export { mayRunOn, maySetVariables } from './creation/rights.ts'
export { exportedPipelines } from './export/lines.ts'
export { importPipeline } from './import/lines.ts'
export { readJobVariables, storeJobVariables } from './jobs/job-variables.ts'
export {
  jobsCancel,
  jobsErase,
  jobsGet,
  jobsList,
  jobsPlay,
  jobsRetry,
  jobsTrace,
} from './jobs/operations.ts'
export { JobObject, type PresentedJob, presentJobsOf } from './jobs/present.ts'
export { startAgain } from './jobs/starting.ts'
export { latestJobsNamed, latestJobsOf, ownJobsByIds, pipelinesByIds, retriesOf } from './jobs/store.ts'
export { jobsDefinition, pipelinesPlan } from './plans/operations.ts'
export { startProblem } from './processing/deploying.ts'
export { failureReasons } from './processing/failures.ts'
export { cancelPipeline, failJob, failJobIn, finishJob, isFrozenNow, transitionJob } from './processing/job-changes.ts'
export { lockPipeline } from './processing/process.ts'
export {
  definitionOf,
  jobById,
  jobByTokenDigest,
  jobsWithEnvironment,
  jobWithDefinition,
  noteHeartbeat,
  pipelineById,
  successfulWithDefinition,
} from './processing/store/states.ts'
export { isActive } from './processing/transitions.ts'
export { failJobsOfBlocked, removeFilesOfProject } from './reactions.ts'
export {
  resourceGroupsCurrentJob,
  resourceGroupsGet,
  resourceGroupsList,
  resourceGroupsUpcomingJobs,
  resourceGroupsUpdate,
} from './resource-groups/operations.ts'
export { listPipelinesOfSchedule, newestPipelinesOfSchedules, scheduledFilter } from './scheduled/scheduled.ts'
export { forgetSchedule } from './scheduled/store.ts'
export { movePipelines, pipelinesOfCommits, recordOutcome } from './statuses/statuses.ts'
export { type CiJobArtifactRow, type CiJobRow, ciStates, type PipelineRow } from './tables.ts'
export { callerOfJob, registryJobOfToken } from './tokens/job-tokens.ts'
export { appendTrace, isTraceWatched, traceSize } from './traces/traces.ts'

/** Pipelines and their jobs (contract 04), and the statuses of external systems (contract 22). */
export const pipelines: Module = {
  name: 'pipelines',
  tags: {
    'Job artifacts': 'Files that jobs have made: downloading, keeping and deleting them.',
    Jobs: 'Jobs of pipelines: their logs, and starting, canceling, retrying and erasing them.',
    'Pipeline triggers': 'Tokens with which other systems start pipelines.',
    'Resource groups': 'Names of resources that jobs of a project use one after another.',
    Pipelines: 'Pipelines of a project, which run the jobs of a commit.',
  },
  operations: [statuses, core, plans, jobOperations, artifacts, triggers, resourceGroups].flatMap((room) =>
    Object.values(room),
  ),
  jobs: [
    pushPipelinesJob,
    releaseRefJob,
    assignResourceJob,
    finishTraceJob,
    removeFilesJob,
    sweepFilesJob,
    deleteProjectArtifactsJob,
    expireArtifactsJob,
    failJobsOfUserJob,
    watchJob,
  ],
}
