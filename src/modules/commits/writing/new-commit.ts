import { type Actor, dayOf, forbidden, notFound } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { inOneForkNetwork, may, type Project, visibleProject } from '../../projects/index.ts'
import {
  type OpenedRepository,
  type OpeningNeeds,
  openRepository,
  openRepositoryForWriting,
} from '../../repositories/index.ts'
import { changesOf, type FileAction } from './actions.ts'
import { type CommitWriter, writableRef } from './write-commit.ts'

export type CommitMakingNeeds = OpeningNeeds & { clock: Clock; writer: CommitWriter }

/** What a new commit is asked to be (contract 22, x.commits_create). */
export type NewCommitParams = {
  branch: string
  commit_message: string
  actions: readonly FileAction[]
  start_branch?: string
  start_sha?: string
  start_project?: string
  author_name?: string
  author_email?: string
  force?: boolean
}

/** Makes commits of many actions for the API. */
export type CommitMaking = ReturnType<typeof createCommitMaking>

export function createCommitMaking(needs: CommitMakingNeeds) {
  const { database, clock, writer } = needs

  /**
   * The repository of another project that a commit begins in.
   * @throws ApiError 404 when the actor does not see it, 403 when it is no relative or its code is not for the actor
   */
  async function sourceOf(project: Project, actor: Actor, text: string): Promise<OpenedRepository | undefined> {
    const source = await visibleProject(database.read, text, actor, dayOf(clock.now()))
    if (!source) throw notFound('Project')
    if (source.id === project.id) return undefined
    if (!(await inOneForkNetwork(database.read, project.id, source.id))) {
      const namespace = await namespaceById(database.read, project.namespace_id)
      const name = `${namespace?.full_name} / ${project.name}`
      throw forbidden(`Project is not included in the fork network for ${name}`)
    }
    if (!may(actor, source, 'read_code')) throw forbidden()
    return openRepository(needs, source)
  }

  return {
    /**
     * Makes a commit of all actions on a branch, or none.
     * @throws ApiError 400 and 403 as the contract lists them
     */
    async create(
      project: Project,
      actor: Actor,
      params: NewCommitParams,
    ): Promise<{ opened: OpenedRepository; commit: Commit }> {
      const { branch, commit_message: message, actions, start_branch, start_sha, start_project } = params
      const opened = await openRepositoryForWriting(needs, project)
      writableRef(branch)
      await writer.requirePush(project, actor, branch, 403)
      const oid = await writer.write({
        opened,
        actor,
        branch,
        message,
        force: params.force,
        author: { name: params.author_name, email: params.author_email },
        start: {
          branch: start_branch || undefined,
          sha: start_sha || undefined,
          source: start_project ? await sourceOf(project, actor, start_project) : undefined,
        },
        build: (source) => changesOf(source, actions),
      })
      const commit = (await opened.repository.commits([oid])).get(oid)
      if (!commit) throw new Error(`commit ${oid} was written and is not there`)
      return { opened, commit }
    },
  }
}
