import { type ParamValues, t } from '../../../api/index.ts'

const shared = {
  dry_run: t.boolean({ description: 'Also chooses the jobs, as a new pipeline would.' }),
  include_jobs: t.boolean({ description: 'Adds the jobs to the answer.' }),
}

/** Parameters of x.ci_lint_get. */
export const lintOfCommit = {
  content_ref: t.string({ description: 'Branch, tag or commit of the configuration; default: the default branch.' }),
  sha: t.string({ description: 'Old name of `content_ref`.' }),
  dry_run_ref: t.string({ description: 'Branch or tag of the pipeline; default: the default branch.' }),
  ref: t.string({ description: 'Old name of `dry_run_ref`.' }),
  ...shared,
}

/** Parameters of x.ci_lint_post. */
export const lintOfText = {
  content: t.required(t.string({ description: 'The configuration.' })),
  ref: t.string({ description: 'Branch or tag of the pipeline; default: the default branch.' }),
  ...shared,
}

export type LintOfCommit = ParamValues<typeof lintOfCommit>
export type LintOfText = ParamValues<typeof lintOfText>
