import { type Operation, operation, pageOf, reading, Type, t } from '../../../api/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import type { CommitMergeRequests } from '../merge-requests.ts'
import { CommitDetail, ListedCommit } from '../present.ts'
import { Signature, type Signatures } from '../signatures/signatures.ts'
import { Diff } from './diffs.ts'
import type { History } from './history.ts'

export type ReadingOperationNeeds = {
  history: History
  signatures: Signatures
  mergeRequests: CommitMergeRequests
  project: ProjectSubject
}

const tag = 'Commits'
const path = '/projects/:id/repository/commits'

const Ref = Type.Object({ type: Type.String(), name: Type.String() }, { title: 'CommitRef' })
const Sequence = Type.Object({ count: Type.Integer() }, { title: 'CommitSequence' })

export function commitReadingOperations(needs: ReadingOperationNeeds): Operation[] {
  const { history, signatures, mergeRequests, project } = needs
  const common = { tag, subject: project, allow: 'read_code' as const, scopes: reading, method: 'GET' as const }
  const sha = (request: { path: Record<string, string> }) => request.path.sha ?? ''
  return [
    operation({
      ...common,
      id: 'commits.list',
      contract: 'x.commits_list',
      path,
      summary: 'List the commits of a branch, tag or range',
      params: {
        ref_name: t.string({ description: 'Branch, tag, commit, or range `a..b`; the default branch unless given.' }),
        since: t.datetime({ description: 'Committed at this time or later.' }),
        until: t.datetime({ description: 'Committed at this time or before.' }),
        path: t.string({ description: 'A file or directory that the commits touch.' }),
        author: t.string({ description: "Part of the author's name or e-mail." }),
        all: t.boolean({ description: 'The commits of every branch and tag.' }),
        with_stats: t.boolean({ description: 'With the numbers of added and removed lines.' }),
        first_parent: t.boolean({ description: 'Follow only the first parent of a merge.' }),
        trailers: t.boolean({ description: "With the trailers of the commits' messages." }),
        order: t.oneOf(['default', 'topo'], { description: 'By date, or children before their parents.' }),
      },
      list: { withoutTotal: true },
      result: [200, pageOf(ListedCommit)],
      run: ({ subject, params, page }) => history.list(subject, params, page),
    }),
    operation({
      ...common,
      id: 'commits.get',
      contract: 'x.commits_get',
      path: `${path}/:sha`,
      summary: 'Get a commit',
      params: { stats: t.boolean({ description: 'With the numbers of added and removed lines; true unless given.' }) },
      result: [200, CommitDetail],
      run: ({ subject, actor, params, request }) => history.get(subject, actor, sha(request), params),
    }),
    operation({
      ...common,
      id: 'commits.diff',
      contract: 'x.commits_diff',
      path: `${path}/:sha/diff`,
      summary: 'Get what a commit changes',
      params: { unidiff: t.boolean({ description: 'With the two lines that name the files before each patch.' }) },
      result: [200, pageOf(Diff)],
      run: ({ subject, params, request, page }) => history.diff(subject, sha(request), params, page),
    }),
    operation({
      ...common,
      id: 'commits.refs',
      contract: 'x.commits_refs',
      path: `${path}/:sha/refs`,
      summary: 'List the branches and tags that have a commit',
      params: { type: t.oneOf(['all', 'branch', 'tag'], { description: 'All unless given.' }) },
      list: { withoutTotal: true },
      result: [200, pageOf(Ref)],
      run: ({ subject, params, request, page }) => history.refs(subject, sha(request), params.type ?? 'all', page),
    }),
    operation({
      ...common,
      id: 'commits.sequence',
      contract: 'x.commits_sequence',
      path: `${path}/:sha/sequence`,
      summary: 'Get the position of a commit, counted from the first',
      params: { first_parent: t.boolean({ description: 'Follow only the first parent of a merge.' }) },
      result: [200, Sequence],
      run: ({ subject, params, request }) =>
        history.sequence(subject, sha(request), { firstParent: params.first_parent }),
    }),
    operation({
      ...common,
      id: 'commits.signature',
      contract: 'x.commits_signature',
      path: `${path}/:sha/signature`,
      summary: 'Get the signature of a commit',
      result: [200, Signature],
      run: ({ subject, request }) => signatures.ofCommit(subject, sha(request)),
    }),
    operation({
      ...common,
      id: 'commits.merge_requests',
      contract: 'x.commits_merge_requests',
      path: `${path}/:sha/merge_requests`,
      summary: 'List the merge requests that brought a commit',
      params: { state: t.oneOf(['opened', 'closed', 'locked', 'merged', 'all'], { description: 'All unless given.' }) },
      result: [200, pageOf(mergeRequests.schema)],
      run: async ({ subject, actor, params, request, page }) => {
        const { oid } = await history.require(subject, sha(request))
        return mergeRequests.mergeRequestsOf(subject, [oid], { actor, page, ...params })
      },
    }),
  ]
}
