import { dayOf, notFound, type RequestInfo } from '../../../api/index.ts'
import type { Platform, Subject } from '../../../platform/index.ts'
import { canSeeGroup, type Group, withLevel } from '../../groups/index.ts'
import { ancestorsOf, namespaceById, namespaceByPath } from '../../namespaces/index.ts'
import { actorOf, identifyPackageCaller, type PackageCaller, requirePackageScope } from './callers.ts'
import { authenticationRequired } from './problems.ts'
import type { PackageAbility } from './rights.ts'
import { requirePackages, type ServedProject } from './subjects.ts'

/** A group as the client of a package format reaches it. */
export type ServedGroup = {
  group: Group
  caller: PackageCaller
  /** Whether the caller sees the group; else they reach only the projects below it that are open to all, or to their token. */
  isSeen: boolean
  /** Whether projects below it that are open to all are so on the routes of the group. */
  includesOpen: boolean
}

/** The server as the client of a package format reaches it. */
export type ServedServer = { caller: PackageCaller }

/** Where a client asks for a package: in a project, in a group and below it, or on the whole server. */
export type ServedPlace = ServedProject | ServedGroup | ServedServer

type Ability = 'read_packages' | PackageAbility

type GroupOptions = {
  /** Whether the format takes tokens in headers of their own. */
  tokenHeaders: boolean
  /** Whether the routes of the group have the projects that are open to all (contract 23 R1). Default: no */
  includesOpen?: boolean
}

/** There is no such group for a caller: 401 for anonymous ones, else 404. */
export const hiddenGroup = (caller: PackageCaller) =>
  caller.kind === 'anonymous' ? authenticationRequired() : notFound('Group')

/** Whether a deploy token is one of the group, or of a group above it. */
async function opensGroup({ database }: Platform, caller: PackageCaller, group: Group): Promise<boolean> {
  if (caller.kind !== 'deploy_token' || caller.namespaceId === null) return false
  return (await ancestorsOf(database.read, group.id)).some(({ id }) => id === caller.namespaceId)
}

async function findGroup(
  platform: Platform,
  request: RequestInfo,
  { tokenHeaders, includesOpen = false }: GroupOptions,
): Promise<ServedGroup> {
  requirePackages(platform)
  const { clock } = platform
  const { read } = platform.database
  const caller = await identifyPackageCaller(platform, request, { tokenHeaders })
  const id = request.path.id ?? ''
  const isNumber = /^\d+$/.test(id)
  const row = isNumber ? await namespaceById(read, Number(id)) : await namespaceByPath(read, id)
  if (row?.kind !== 'group' || row.pending_delete) throw hiddenGroup(caller)
  const actor = actorOf(caller)
  const group = await withLevel(read, row, actor, dayOf(clock.now()))
  const isSeen = canSeeGroup(actor, group) || (await opensGroup(platform, caller, group))
  if (!isSeen && !includesOpen) throw hiddenGroup(caller)
  return { group, caller, isSeen, includesOpen }
}

/** What the routes of a group and of the server have in common: which project is meant is known later. */
const shared = {
  identifiesCaller: true,
  opensToAnonymous: () => true,
  administratorsOnly: () => false,
  authorize(_actor: unknown, { caller }: { caller: PackageCaller }, ability: Ability) {
    if (ability !== 'read_packages' && caller.kind === 'anonymous') throw authenticationRequired()
    requirePackageScope(caller, ability === 'read_packages' ? 'read' : 'write')
  },
} as const

/** The group of the routes for clients of package formats, with the callers of `servedProject`. */
export function servedGroup(options: GroupOptions): Subject<ServedGroup, Ability> {
  return {
    ...shared,
    name: 'group',
    find: (platform, request) => findGroup(platform, request, options),
  }
}

/** The server, likewise. */
export function servedServer({ tokenHeaders }: { tokenHeaders: boolean }): Subject<ServedServer, Ability> {
  return {
    ...shared,
    name: 'instance',
    async find(platform, request) {
      requirePackages(platform)
      return { caller: await identifyPackageCaller(platform, request, { tokenHeaders }) }
    },
  }
}
