import { malformedBody, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { CommitDetail } from '../present.ts'
import { loadCommitDetail } from '../reading/history.ts'
import { createCommit } from './new-commit.ts'
import { newCommit } from './params.ts'

export const commitsCreate = operation({
  id: 'commits.create',
  contract: 'x.commits_create',
  method: 'POST',
  path: '/projects/:id/repository/commits',
  tag: 'Commits',
  summary: 'Make a commit that changes several files',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  malformedBody: () => malformedBody('Invalid json'),
  params: newCommit,
  exclusive: [['start_branch', 'start_sha']],
  result: [201, CommitDetail],
  async run({ platform, subject, actor, params }) {
    const { opened, commit } = await createCommit(platform, subject, actor, params)
    return loadCommitDetail(platform, subject, actor, opened, commit, params.stats ?? true)
  },
})
