import { Type } from '../../../api/index.ts'
import { JobObject } from '../../pipelines/index.ts'
import { ProjectSummary } from '../../projects/index.ts'

const {
  artifacts_file: _file,
  artifacts: _files,
  artifacts_expire_at: _expiry,
  project: _project,
  ...members
} = JobObject.properties

/** A job of a runner, without its artifacts and with its project (contract 04, x.runner_jobs). */
export const RunnerJob = Type.Object({ ...members, project: ProjectSummary }, { title: 'RunnerJob' })
