import { type Actor, dayOf, forbidden, notFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { inOneForkNetwork, may, type Project, visibleProject } from '../../projects/index.ts'
import { changesOf } from './actions.ts'
import type { NewCommit } from './params.ts'
import { requirePush, writableRef, writeCommit, writeInTurn, writtenCommit } from './write-commit.ts'

/** Opens the repository of `start_project`; undefined when it is the project itself. @throws ApiError 403, 404 */
async function sourceOf(platform: Platform, project: Project, actor: Actor, text: string) {
  const { read } = platform.database
  const source = await visibleProject(read, text, actor, dayOf(platform.clock.now()))
  if (!source) throw notFound('Project')
  if (source.id === project.id) return undefined
  if (!(await inOneForkNetwork(read, project.id, source.id))) {
    const namespace = await namespaceById(read, project.namespace_id)
    const name = `${namespace?.full_name} / ${project.name}`
    throw forbidden(`Project is not included in the fork network for ${name}`)
  }
  if (!may(actor, source, 'read_code')) throw forbidden()
  return openRepository(platform, source)
}

/** Makes a commit of all actions on a branch, or of none (contract 22, x.commits_create). @throws ApiError 400, 403 */
export async function createCommit(platform: Platform, project: Project, actor: Actor, params: NewCommit) {
  const { branch, commit_message: message, actions, start_branch, start_sha, start_project } = params
  return writeInTurn(platform, project, async (opened) => {
    writableRef(branch)
    await requirePush(platform, project, actor, branch, 403)
    const oid = await writeCommit(platform, {
      ...{ opened, actor, branch, message, force: params.force },
      author: { name: params.author_name, email: params.author_email },
      start: {
        branch: start_branch || undefined,
        sha: start_sha || undefined,
        source: start_project ? await sourceOf(platform, project, actor, start_project) : undefined,
      },
      build: (source) => changesOf(source, actions),
    })
    return { opened, commit: await writtenCommit(opened, oid) }
  })
}
