import { type Actor, type Operation, operation, Type, t, writing } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import type { Project, ProjectSubject } from '../../projects/index.ts'
import type { OpenedRepository } from '../../repositories/index.ts'
import type { Pick, Picked, Picking } from '../picking/picking.ts'
import { CommitDetail, CommitSummary, presentCommit, type presentCommitDetail } from '../present.ts'
import type { CommitMaking } from './new-commit.ts'
import { actions } from './params.ts'

const tag = 'Commits'

/** Shows a commit alone, with what is known of it. */
export type PresentDetail = (
  project: Project,
  actor: Actor,
  opened: OpenedRepository,
  commit: Commit,
  withStats: boolean,
) => Promise<ReturnType<typeof presentCommitDetail>>

export type CommitWritingOperationsNeeds = {
  making: CommitMaking
  picking: Picking
  presentDetail: PresentDetail
  externalUrl: string
  project: ProjectSubject
}

const DryRun = Type.Object({ dry_run: Type.String() })

const pickParams = {
  branch: t.requiredNotBlank({ description: 'Gets the new commit.' }),
  dry_run: t.boolean({ description: 'Only says whether it could be done.' }),
}

type PickContext = {
  subject: Project
  actor: Actor
  request: { path: Record<string, string> }
  params: { branch: string; dry_run?: boolean; message?: string }
  setStatus(status: number): void
}

/** The operations that make commits (contract 22, x.commits_create, x.commits_cherry_pick, x.commits_revert). */
export function commitWritingOperations(needs: CommitWritingOperationsNeeds): Operation[] {
  const { making, picking, presentDetail, externalUrl, project } = needs

  const answering =
    (pick: (project: Project, actor: Actor, asked: Pick) => Promise<Picked>) =>
    async ({ subject, actor, request, params, setStatus }: PickContext) => {
      const { branch, dry_run: dryRun, message } = params
      const picked = await pick(subject, actor, { sha: request.path.sha ?? '', branch, dryRun, message })
      if (picked) return presentCommit(picked.commit, `${externalUrl}/${subject.full_path}`)
      setStatus(200)
      return { dry_run: 'success' }
    }

  return [
    operation({
      id: 'commits.create',
      contract: 'x.commits_create',
      method: 'POST',
      path: '/projects/:id/repository/commits',
      tag,
      summary: 'Make a commit that changes several files',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      malformedBody: 'Invalid json',
      params: {
        branch: t.required(t.string({ blank: false, description: 'Gets the commit; made where the start is named.' })),
        commit_message: t.required(t.string({ blank: false })),
        start_branch: t.string({ description: 'Branch to begin at.' }),
        start_sha: t.string({ description: 'Commit to begin at.' }),
        start_project: t.string({
          description: 'Project to begin in, by id or path: a fork, or what this one is a fork of.',
        }),
        actions,
        author_name: t.string(),
        author_email: t.string(),
        stats: t.boolean({ description: 'Whether the answer counts lines; default true.' }),
        force: t.boolean({ description: 'Overwrites the branch with the new commit on top of the start.' }),
      },
      exclusive: [['start_branch', 'start_sha']],
      result: [201, CommitDetail],
      async run({ subject, actor, params }) {
        const { opened, commit } = await making.create(subject, actor, params)
        return presentDetail(subject, actor, opened, commit, params.stats ?? true)
      },
    }),
    operation({
      id: 'commits.cherry_pick',
      contract: 'x.commits_cherry_pick',
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/cherry_pick',
      tag,
      summary: 'Put what a commit changed on top of a branch',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: { ...pickParams, message: t.string({ description: 'In place of the message of the commit.' }) },
      result: [201, Type.Union([CommitSummary, DryRun])],
      run: answering(picking.cherryPick),
    }),
    operation({
      id: 'commits.revert',
      contract: 'x.commits_revert',
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/revert',
      tag,
      summary: 'Take back on a branch what a commit changed',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: pickParams,
      result: [201, Type.Union([CommitSummary, DryRun])],
      run: answering(picking.revert),
    }),
  ]
}
