import { type Actor, failure, parameterError } from '../../api/index.ts'
import type { Commit, Oid } from '../../infra/git/index.ts'
import { type CommitWriter, writablePath, writableRef } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { type OpenedRepository, type OpeningNeeds, openRepositoryForWriting } from '../repositories/index.ts'

export type SubmodulesNeeds = OpeningNeeds & { writer: CommitWriter }

/** Where a submodule is to point (contract 22, x.repo_submodule). */
export type SubmoduleParams = { branch: string; commitSha: Oid; message?: string }

/** Moves the pointers of submodules. */
export type Submodules = ReturnType<typeof createSubmodules>

export function createSubmodules(needs: SubmodulesNeeds) {
  const { writer } = needs

  return {
    /**
     * Lets a submodule point at another commit of its own repository, which is not looked at.
     * @throws ApiError 400 when there is no submodule at the path, or it points there already; 403 without the right to push
     */
    async update(
      project: Project,
      actor: Actor,
      path: string,
      { branch, commitSha, message }: SubmoduleParams,
    ): Promise<{ opened: OpenedRepository; commit: Commit }> {
      const opened = await openRepositoryForWriting(needs, project)
      writableRef(branch)
      await writer.requirePush(project, actor, branch, 403)
      const place = writablePath(path)
      const oid = await writer.write({
        opened,
        actor,
        branch,
        message: message || `Update submodule ${path} with oid ${commitSha}`,
        async build({ repository, base }) {
          const entry = base && (await repository.entryAt(base, place))
          if (entry?.type !== 'commit') throw failure(400, 'Invalid submodule path')
          if (entry.oid.length !== commitSha.length) throw parameterError('commit_sha', 'is invalid')
          if (entry.oid === commitSha) throw failure(400, `The submodule ${path} is already at ${commitSha}`)
          return [{ path: place, oid: commitSha, mode: '160000' }]
        },
      })
      const commit = (await opened.repository.commits([oid])).get(oid)
      if (!commit) throw new Error(`commit ${oid} was written and is not there`)
      return { opened, commit }
    },
  }
}
