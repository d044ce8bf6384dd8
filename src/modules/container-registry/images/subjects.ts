import { type Actor, ApiError, forbidden } from '../../../api/index.ts'
import type { Platform, Subject } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** @throws ApiError 403 when the instance has no registry (contract 02, "Errors common to 1.1–1.8") */
export function requireRegistry({ config }: Pick<Platform, 'config'>): void {
  if (!config.registryEnabled) throw forbidden()
}

/** A subject that can only be used while the instance has a registry. */
function inRegistry<S, A extends string>(subject: Subject<S, A>): Subject<S, A> {
  return {
    ...subject,
    async find(platform, request, actor) {
      const found = await subject.find(platform, request, actor)
      requireRegistry(platform)
      return found
    },
  }
}

const otherProject = () =>
  forbidden(
    "This project's CI/CD job token cannot be used to authenticate with the container registry of a different project.",
  )

/** Requires that the project is the job's own, if the caller is a job (contract 00, JOB-TOKEN). @throws ApiError 403 */
export function requireOwnProject(actor: Actor, projectId: number): void {
  const own = actor.kind === 'user' ? actor.credential.projectId : undefined
  if (own !== undefined && own !== projectId) throw otherProject()
}

const isJob = (actor: Actor) => actor.kind === 'user' && actor.credential.projectId !== undefined

/** The project of a path. Jobs get one answer for all projects but their own, whether they exist or not. */
export const registryProject = inRegistry({
  ...project,
  async find(platform, request, actor) {
    const found = await project.find(platform, request, actor).catch((error: unknown) => {
      throw isJob(actor) && error instanceof ApiError && [403, 404].includes(error.status) ? otherProject() : error
    })
    requireOwnProject(actor, found.id)
    return found
  },
})
export const registryGroup = inRegistry(group)
