import { nullable, type Operation, operation, pageOf, reading, Type, t } from '../../../api/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import { CommitSummary } from '../present.ts'
import { Diff } from '../reading/diffs.ts'
import type { Comparison } from './comparison.ts'

const tag = 'Repositories'

const Compare = Type.Object(
  {
    commit: nullable(CommitSummary),
    commits: Type.Array(CommitSummary),
    diffs: Type.Array(Diff),
    compare_timeout: Type.Boolean({ description: 'Whether commits, files or patches were left out for their number.' }),
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

export function comparisonOperations(needs: { comparison: Comparison; project: ProjectSubject }): Operation[] {
  const { comparison, project } = needs
  const common = { tag, subject: project, allow: 'read_code' as const, scopes: reading, method: 'GET' as const }
  return [
    operation({
      ...common,
      id: 'repository.compare',
      contract: 'x.repo_compare',
      path: '/projects/:id/repository/compare',
      summary: 'Compare two branches, tags or commits',
      params: {
        from: t.required(t.string({ description: 'Branch, tag or commit to start from.' })),
        to: t.required(t.string({ description: 'Branch, tag or commit to compare with it.' })),
        straight: t.boolean({ description: 'Compare with `from` itself, not with the last common commit.' }),
        from_project_id: t.integer({ description: 'Project of `from`, where it is another one of the forks.' }),
        unidiff: t.boolean({ description: 'With the two lines that name the files before each patch.' }),
      },
      result: [200, Compare],
      run: ({ subject, actor, params }) => comparison.compare(subject, params, actor),
    }),
    operation({
      ...common,
      id: 'repository.merge_base',
      contract: 'x.repo_merge_base',
      path: '/projects/:id/repository/merge_base',
      summary: 'Get the last commit that branches, tags or commits have in common',
      params: {
        refs: t.required(t.array(t.string(), { description: 'Two or more branches, tags or commits.' })),
      },
      result: [200, CommitSummary],
      run: ({ subject, params }) => comparison.mergeBase(subject, params.refs),
    }),
    operation({
      ...common,
      id: 'repository.contributors',
      contract: 'x.repo_contributors',
      path: '/projects/:id/repository/contributors',
      summary: 'List who wrote a history',
      params: {
        ref: t.string({ description: 'Branch, tag or commit; the default branch unless given.' }),
        order_by: t.oneOf(['commits', 'name', 'email'], { description: '`commits` unless given.' }),
        sort: t.oneOf(['asc', 'desc'], { description: '`asc` unless given.' }),
      },
      result: [200, pageOf(Contributor)],
      run: ({ subject, params, page }) => comparison.contributors(subject, params, page),
    }),
  ]
}
