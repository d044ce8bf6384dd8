import { reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { lintCommit, lintText } from './lint.ts'
import { lintOfCommit, lintOfText } from './params.ts'
import { LintResult } from './present.ts'

const shared = { tag: 'CI lint', subject: project, path: '/projects/:id/ci/lint' } as const

export const ciLintGet = operation({
  ...shared,
  id: 'ci_lint.get',
  contract: 'x.ci_lint_get',
  method: 'GET',
  summary: 'Validate the CI configuration of a commit',
  allow: 'read_code',
  scopes: reading,
  params: lintOfCommit,
  result: [200, LintResult],
  run: ({ platform, subject, actor, params }) => lintCommit(platform, subject, actor, params),
})

export const ciLintPost = operation({
  ...shared,
  id: 'ci_lint.check',
  contract: 'x.ci_lint_post',
  method: 'POST',
  summary: 'Validate a text as CI configuration',
  description: 'Problems of the configuration are part of the answer, not an error.',
  allow: 'lint_ci',
  scopes: writing,
  params: lintOfText,
  result: [200, LintResult],
  run: ({ platform, subject, actor, params }) => lintText(platform, subject, actor, params),
})
