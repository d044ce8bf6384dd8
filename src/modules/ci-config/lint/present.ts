import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import type { Linted } from '../evaluation/works.ts'

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

/** What was found, as the API shows it. @param wantsJobs whether the caller asked for the jobs */
export function presentLint(
  externalUrl: string,
  { errors, warnings, includes, mergedYaml, jobs }: Linted,
  wantsJobs: boolean,
): Presented {
  return {
    valid: errors.length === 0,
    merged_yaml: mergedYaml,
    errors: [...errors],
    warnings: [...warnings],
    includes: includes.map(({ type, location, project, sha, contextProject, contextSha }) => ({
      ...{ type, location, extra: {}, context_project: contextProject, context_sha: contextSha },
      blob: `${externalUrl}/${project}/-/blob/${sha}/${location}`,
      raw: `${externalUrl}/${project}/-/raw/${sha}/${location}`,
    })),
    ...(wantsJobs ? { jobs: [...jobs] } : {}),
  }
}
