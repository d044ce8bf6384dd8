import type { JobConfig } from '../jobs/job.ts'
import type { PlannedJob } from '../types.ts'

/** A job in a lint result (contract 04). */
export type LintedJob = {
  name: string
  stage: string
  before_script: string[]
  script: string[]
  after_script: string[]
  tag_list: string[]
  only: { refs: string[] } | null
  except: { refs: string[] } | null
  environment: string | null
  when: string
  allow_failure: boolean
  needs: { name: string; artifacts: boolean; optional: boolean }[] | null
}

/** A job as the configuration has it. */
export function configuredJob(job: JobConfig): LintedJob {
  return {
    name: job.name,
    stage: job.stage,
    before_script: [...job.beforeScript],
    script: [...job.script],
    after_script: [...job.afterScript],
    tag_list: [...job.tags],
    only: job.only?.refs ? { refs: [...job.only.refs] } : job.rules ? null : { refs: ['branches', 'tags'] },
    except: job.except?.refs ? { refs: [...job.except.refs] } : null,
    environment: job.environment?.name ?? null,
    when: job.when ?? 'on_success',
    allow_failure: job.allowFailure ?? false,
    needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
  }
}

/** A job as a pipeline would have it. */
export function plannedJob(job: PlannedJob): LintedJob {
  const { definition } = job
  return {
    name: job.name,
    stage: job.stage,
    before_script: [...definition.beforeScript],
    script: [...definition.script],
    after_script: [...definition.afterScript],
    tag_list: [...job.tags],
    only: null,
    except: null,
    environment: definition.environment?.name ?? null,
    when: job.when,
    allow_failure: job.allowFailure,
    needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
  }
}
