import { Type, t, writing } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { type Project, project } from '../../projects/index.ts'
import { CommitSummary, presentCommit } from '../present.ts'
import { cherryPick, revertCommit } from './picking.ts'

const DryRun = Type.Object({ dry_run: Type.String() })
const common = {
  method: 'POST',
  tag: 'Commits',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  result: [201, Type.Union([CommitSummary, DryRun])],
  answers: { 200: ['The outcome of a dry run.', DryRun] },
} as const

const pickParams = {
  branch: t.requiredNotBlank({ description: 'Branch of the new commit.' }),
  dry_run: t.boolean({ description: 'Whether to check for conflicts without making a commit.' }),
}

/** The new commit; after a dry run 200 in place of 201. */
function answer(
  { externalUrl }: Platform,
  { full_path: path }: Project,
  commit: Commit | null,
  setStatus: (status: number) => void,
) {
  if (commit) return presentCommit(commit, `${externalUrl}/${path}`)
  setStatus(200)
  return { dry_run: 'success' }
}

export const commitsCherryPick = operation({
  ...common,
  id: 'commits.cherry_pick',
  contract: 'x.commits_cherry_pick',
  path: '/projects/:id/repository/commits/:sha/cherry_pick',
  summary: 'Cherry-pick a commit to a branch',
  params: { ...pickParams, message: t.string({ description: 'Replaces the message of the commit.' }) },
  async run({ platform, subject, actor, params, setStatus }) {
    return answer(platform, subject, await cherryPick(platform, subject, actor, params), setStatus)
  },
})

export const commitsRevert = operation({
  ...common,
  id: 'commits.revert',
  contract: 'x.commits_revert',
  path: '/projects/:id/repository/commits/:sha/revert',
  summary: 'Revert a commit on a branch',
  params: pickParams,
  async run({ platform, subject, actor, params, setStatus }) {
    return answer(platform, subject, await revertCommit(platform, subject, actor, params), setStatus)
  },
})
