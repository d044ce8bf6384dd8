import { dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type ProtectedAction, withRole } from '../../projects/index.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import { protectedTags, type TagTest } from '../tag-protection/rules.ts'
import { rulesOfProject } from '../tag-protection/store.ts'
import { levelOf } from '../tokens/rights.ts'

/** The tags with which the caller of a request may not do this (contract 26.17); null when all are free. */
export async function tagsProtectedFrom(
  { database: { read }, clock }: Platform,
  { caller, place }: RepositoryExchange,
  action: ProtectedAction,
): Promise<TagTest | null> {
  const rules = await rulesOfProject(read, place.project.id)
  if (rules.length === 0) return null
  const project = await withRole(read, place.project, caller.actor, dayOf(clock.now()))
  return protectedTags(rules, action, levelOf(caller, project))
}

const refusals: Record<ProtectedAction, string> = {
  push: 'Pushing to protected tag forbidden',
  delete: 'Deleting protected tag forbidden',
}

/** @throws RegistryProblem 403 DENIED when one of the tags is protected */
export async function refuseProtected(
  isProtected: TagTest | null,
  action: ProtectedAction,
  names: readonly string[],
): Promise<void> {
  if (!isProtected) return
  for (const tag of names) {
    if (await isProtected(tag)) throw registryProblem('DENIED', { message: refusals[action], detail: { tag } })
  }
}
