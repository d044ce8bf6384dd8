import { type Actor, failure, type ParamValues, parameterError, t } from '../../../api/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  loadCommitDetail,
  requirePush,
  writablePath,
  writableRef,
  writeCommit,
  writeInTurn,
  writtenCommit,
} from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'

/** Parameters of x.repo_submodule. */
export const submoduleUpdate = {
  branch: t.required(t.string({ blank: false, description: 'Branch of the commit.' })),
  commit_sha: t.required(t.string({ blank: false, description: 'Full id of a commit of the submodule.' })),
  commit_message: t.string(),
}
type SubmoduleUpdate = ParamValues<typeof submoduleUpdate>

/** Points a submodule at any other commit (contract 22, x.repo_submodule). @throws ApiError 400, 403 */
export async function updateSubmodule(
  platform: Platform,
  project: Project,
  actor: Actor,
  { submodule, branch, commit_sha: sha, commit_message: message }: SubmoduleUpdate & { submodule: string },
) {
  const target = parseOid(sha.toLowerCase())
  if (!target) throw parameterError('commit_sha', 'is invalid')
  return writeInTurn(platform, project, async (opened) => {
    writableRef(branch)
    await requirePush(platform, project, actor, branch, 403)
    const path = writablePath(submodule)
    const oid = await writeCommit(platform, {
      ...{ opened, actor, branch },
      message: message || `Update submodule ${submodule} with oid ${target}`,
      async build({ repository, base }) {
        const entry = base && (await repository.entryAt(base, path))
        if (entry?.type !== 'commit') throw failure(400, 'Invalid submodule path')
        if (entry.oid.length !== target.length) throw parameterError('commit_sha', 'is invalid')
        if (entry.oid === target) throw failure(400, `The submodule ${submodule} is already at ${target}`)
        return [{ path, oid: target, mode: '160000' }]
      },
    })
    return loadCommitDetail(platform, project, actor, opened, await writtenCommit(opened, oid), true)
  })
}
