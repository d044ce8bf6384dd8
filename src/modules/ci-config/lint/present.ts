import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import { toYaml } from '../../../infra/yaml/index.ts'
import type { Compiled } from '../compile.ts'
import type { JobConfig } from '../jobs/job.ts'
import type { PlannedJob } from '../types.ts'

const lines = Type.Array(Type.String())
const refs = nullable(Type.Object({ refs: lines }))

const LintedJob = Type.Object({
  name: Type.String(),
  stage: Type.String(),
  before_script: lines,
  script: lines,
  after_script: lines,
  tag_list: lines,
  only: refs,
  except: refs,
  environment: forms.nullableString,
  when: Type.String(),
  allow_failure: Type.Boolean(),
  needs: nullable(
    Type.Array(Type.Object({ name: Type.String(), artifacts: Type.Boolean(), optional: Type.Boolean() })),
  ),
})

/** What was found in a configuration (contract 04, Lint result). */
export const LintResult = Type.Object(
  {
    valid: Type.Boolean(),
    merged_yaml: forms.nullableString,
    errors: lines,
    warnings: lines,
    includes: Type.Array(
      Type.Object({
        type: Type.String(),
        location: Type.String(),
        blob: Type.String(),
        raw: Type.String(),
        extra: Type.Object({}),
        context_project: Type.String(),
        context_sha: Type.String(),
      }),
    ),
    jobs: Type.Optional(Type.Array(LintedJob)),
  },
  { title: 'CiLintResult' },
)
type Presented = Static<typeof LintResult>
type PresentedJob = Static<typeof LintedJob>

/** A job as the configuration has it. */
export function presentConfigured(job: JobConfig): PresentedJob {
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
export function presentPlanned(job: PlannedJob): PresentedJob {
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

/** @param jobs undefined: not asked for */
export function presentLint(
  externalUrl: string,
  { merged, includes, configuration }: Compiled,
  errors: readonly string[],
  jobs: PresentedJob[] | undefined,
): Presented {
  return {
    valid: errors.length === 0,
    merged_yaml: merged && toYaml(merged),
    errors: [...errors],
    warnings: [...(configuration?.warnings ?? [])],
    includes: includes.map(({ type, location, project, sha, contextProject, contextSha }) => ({
      ...{ type, location, extra: {}, context_project: contextProject, context_sha: contextSha },
      blob: `${externalUrl}/${project}/-/blob/${sha}/${location}`,
      raw: `${externalUrl}/${project}/-/raw/${sha}/${location}`,
    })),
    ...(jobs ? { jobs } : {}),
  }
}
