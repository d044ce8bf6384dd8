import { nullable, pageOf, reading, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { CommitSummary } from '../present.ts'
import { Diff } from '../reading/diffs.ts'
import { CommitWeek, commitActivity } from './commit-activity.ts'
import { compareRevisions, mergeBase } from './comparison.ts'
import { listContributors } from './contributors.ts'
import { comparisonParams, contributorParams } from './params.ts'

const common = { method: 'GET', tag: 'Repositories', subject: project, allow: 'read_code', scopes: reading } as const

const Compare = Type.Object(
  {
    commit: nullable(CommitSummary),
    commits: Type.Array(CommitSummary),
    diffs: Type.Array(Diff),
    compare_timeout: Type.Boolean({
      description: 'Whether commits, files or patches were left out because of limits.',
    }),
    compare_same_ref: Type.Boolean(),
    web_url: Type.String(),
  },
  { title: 'Compare' },
)

const Contributor = Type.Object(
  {
    name: Type.String(),
    email: Type.String(),
    commits: Type.Integer(),
    additions: Type.Integer(),
    deletions: Type.Integer(),
  },
  { title: 'Contributor' },
)

export const repositoryCompare = operation({
  ...common,
  id: 'repository.compare',
  contract: 'x.repo_compare',
  path: '/projects/:id/repository/compare',
  summary: 'Compare two branches, tags or commits',
  params: comparisonParams,
  result: [200, Compare],
  run: ({ platform, subject, actor, params }) => compareRevisions(platform, subject, params, actor),
})

export const repositoryMergeBase = operation({
  ...common,
  id: 'repository.merge_base',
  contract: 'x.repo_merge_base',
  path: '/projects/:id/repository/merge_base',
  summary: 'Get the last common commit of branches, tags or commits',
  params: { refs: t.required(t.array(t.string(), { description: 'Two or more branches, tags or commits.' })) },
  result: [200, CommitSummary],
  run: ({ platform, subject, params }) => mergeBase(platform, subject, params.refs),
})

export const repositoryContributors = operation({
  ...common,
  id: 'repository.contributors',
  contract: 'x.repo_contributors',
  path: '/projects/:id/repository/contributors',
  summary: 'List the authors of a history',
  params: contributorParams,
  result: [200, pageOf(Contributor)],
  run: ({ platform, subject, params, page }) => listContributors(platform, subject, params, page),
})

export const repositoryCommitActivity = operation({
  ...common,
  id: 'repository.commit_activity',
  contract: 'x.repo_commit_activity',
  path: '/projects/:id/repository/commit_activity',
  summary: 'Count the commits of the last 52 weeks',
  params: { ref: contributorParams.ref },
  result: [200, Type.Array(CommitWeek)],
  run: ({ platform, subject, params }) => commitActivity(platform, subject, params.ref),
})
