import { forms, Type } from '../../../api/index.ts'
import { JobObject } from '../../pipelines/index.ts'

const {
  artifacts_file: _file,
  artifacts: _files,
  artifacts_expire_at: _expiry,
  project: _project,
  ...members
} = JobObject.properties

/** A job of a runner, without its artifacts and with its project (contract 04, x.runner_jobs). */
export const RunnerJob = Type.Object(
  {
    ...members,
    project: Type.Object({
      id: forms.id,
      description: forms.nullableString,
      name: Type.String(),
      name_with_namespace: Type.String(),
      path: Type.String(),
      path_with_namespace: Type.String(),
      created_at: forms.timestamp,
    }),
  },
  { title: 'RunnerJob' },
)
