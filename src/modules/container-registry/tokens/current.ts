import type { Platform } from '../../../platform/index.ts'
import { placeOf, type ServedProject, servedProjects } from '../repositories/find.ts'
import { currentCaller, type RegistryCaller } from './callers.ts'
import { actionsStillPermitted, seesCatalog } from './grants.ts'
import { type RepositoryAction, type RepositoryScope, repositoryActions } from './scopes.ts'
import { permitsPull, type RegistryAccess, type RegistryToken, verifyRegistryToken } from './verify.ts'

/** A token whose credential lasts, its caller, and the projects of the repositories that the request names. */
export type CurrentToken = {
  token: RegistryToken
  caller: RegistryCaller
  /** Access to a repository without a project is left in the token as it is, since it does not exist. */
  served: ReadonlyMap<string, ServedProject>
}

const isAction = (text: string): text is RepositoryAction => repositoryActions.some((action) => action === text)

/** What a token grants on each repository. */
function scopesOf(access: readonly RegistryAccess[]): RepositoryScope[] {
  const byName = Map.groupBy(access, ({ name }) => name)
  return [...byName].map(([name, entries]) => {
    const actions = new Set(entries.flatMap((entry) => entry.actions).filter(isAction))
    return { kind: 'repository', name, actions: [...actions] }
  })
}

/**
 * What is left of a token: its credential and the rights of its caller may have ended since it was issued (contract 02 R3).
 * @param names the repositories that the request names; access to others is left out
 * @param options.changes whether the request changes anything, so that protection rules count
 * @returns null when the credential has ended
 */
export async function currentToken(
  platform: Platform,
  token: RegistryToken,
  names: readonly string[],
  options: { changes: boolean },
): Promise<CurrentToken | null> {
  // Concurrently, since each is a round trip to PostgreSQL.
  const [caller, served] = await Promise.all([
    currentCaller(platform, token),
    servedProjects(platform.database.read, names),
  ])
  if (!caller) return null
  const named = token.access.filter(({ type, name }) => type === 'repository' && names.includes(name))
  const permitted = await actionsStillPermitted(platform, caller, { scopes: scopesOf(named), served, ...options })
  const repositories = named.map(({ actions, ...entry }): RegistryAccess => {
    const lasting: ReadonlySet<string> | undefined = permitted.get(entry.name)
    return { ...entry, actions: lasting ? actions.filter((action) => lasting.has(action)) : actions }
  })
  const others = seesCatalog(caller) ? token.access.filter(({ type }) => type === 'registry') : []
  return { token: { ...token, access: [...repositories, ...others] }, caller, served }
}

/**
 * Decides for a server that has copies of images whether a token permits to pull from a repository now (contract 15,
 * x.geo_int.authorize).
 * @returns the id of the repository; null when the token is not accepted, or permits it no more
 * @throws RegistryProblem 404 without a project
 */
export async function authorizeRegistryRead(
  platform: Platform,
  name: string,
  authorization: string | undefined,
): Promise<number | null> {
  const verified = await verifyRegistryToken(platform, authorization)
  if (verified.kind !== 'valid') return null
  const current = await currentToken(platform, verified.token, [name], { changes: false })
  if (!current || !permitsPull(current.token, name)) return null
  const { repository } = await placeOf(platform.database.read, name, current.served.get(name), 'GET')
  return repository?.id ?? null
}
