import { forbidden } from '../../../api/index.ts'
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

export const registryProject = inRegistry(project)
export const registryGroup = inRegistry(group)
