import { type Operation, operation, parameterError, t, writing } from '../../../api/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import { CommitDetail, type PresentDetail } from '../../commits/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import type { Submodules } from '../submodules.ts'

/** The operation that moves the pointer of a submodule (contract 22, x.repo_submodule). */
export function submoduleOperations(needs: {
  submodules: Submodules
  presentDetail: PresentDetail
  project: ProjectSubject
}): Operation[] {
  const { submodules, presentDetail, project } = needs
  return [
    operation({
      id: 'submodules.update',
      contract: 'x.repo_submodule',
      method: 'PUT',
      path: '/projects/:id/repository/submodules/:submodule',
      tag: 'Repository files',
      summary: 'Let a submodule point at another commit',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: {
        branch: t.required(t.string({ blank: false, description: 'Gets the commit.' })),
        commit_sha: t.required(t.string({ blank: false, description: 'Whole id of a commit in the submodule.' })),
        commit_message: t.string(),
      },
      result: [200, CommitDetail],
      async run({ subject, actor, request, params }) {
        const { branch, commit_message: message } = params
        const commitSha = parseOid(params.commit_sha.toLowerCase())
        if (!commitSha) throw parameterError('commit_sha', 'is invalid')
        const path = request.path.submodule ?? ''
        const { opened, commit } = await submodules.update(subject, actor, path, { branch, commitSha, message })
        return presentDetail(subject, actor, opened, commit, true)
      },
    }),
  ]
}
