import {
  type Actor,
  dayOf,
  forbidden,
  invalid,
  isAdministrator,
  type Page,
  type PageRequest,
  recordNotFound,
  type Unmodified,
} from '../../api/index.ts'
import { isUniqueViolation, now } from '../../infra/database/index.ts'
import type { Act, Events, Platform, Reaction } from '../../platform/index.ts'
import { role, roleName } from '../access/index.ts'
import { settingsOfGroup } from '../groups/index.ts'
import { admitMember, memberOf } from '../members/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { callerLevel, type ProjectOrGroup, settingsOf } from '../projects/index.ts'
import { presentingUsers, type UserRow, usersByIds } from '../users/index.ts'
import { presentRequest } from './present.ts'
import { deleteRequestsOfMembers, insertRequest, pageOfRequests, requestOf, takeRequest } from './store.ts'
import type { AccessRequestRow } from './tables.ts'

async function presentRequests(platform: Platform, rows: readonly AccessRequestRow[]) {
  const userIds = rows.map(({ user_id }) => user_id)
  const [users, presenting] = await Promise.all([
    usersByIds(platform.database.read, userIds),
    presentingUsers(platform),
  ])
  return rows.map((row) => presentRequest(row, users.get(row.user_id) as UserRow, presenting))
}

/** Lists the requests to join a project or group, oldest first (contract 3.20, 3.20b). */
export async function listRequests(platform: Platform, source: ProjectOrGroup, page: PageRequest) {
  const { items, ...rest } = await pageOfRequests(platform.database.read, source, page)
  return { ...rest, items: await presentRequests(platform, items) } satisfies Page<unknown>
}

/** Whether the project or group takes requests; those of a group with a membership lock have none in its projects. */
async function takesRequests({ database }: Platform, source: ProjectOrGroup): Promise<boolean> {
  if (source.group) return settingsOfGroup(source.group).request_access_enabled
  if (!settingsOf(source.project).request_access_enabled) return false
  const namespace = await namespaceById(database.read, source.namespaceId)
  return namespace?.kind !== 'group' || !settingsOfGroup(namespace).membership_lock
}

/** @throws ApiError 403 unless the caller may request access (contract 11, Who may request) */
async function requireStranger(platform: Platform, source: ProjectOrGroup, actor: Actor): Promise<number> {
  if (actor.kind !== 'user' || isAdministrator(actor)) throw forbidden()
  if (callerLevel(actor, source) > role.none || !(await takesRequests(platform, source))) throw forbidden()
  const today = dayOf(platform.clock.now())
  if (await memberOf(platform.database.read, source, actor.userId, today)) throw forbidden()
  return actor.userId
}

/** Asks for access to a project or group (contract 3.21, 3.21b). @throws ApiError 400, 403 */
export async function createRequest(platform: Platform, source: ProjectOrGroup, actor: Actor) {
  const userId = await requireStranger(platform, source, actor)
  const { database, clock } = platform
  const row = await database
    .write((tx) => insertRequest(tx, source, userId, now(clock)))
    .catch((error) => {
      const isPending = [`access_requests_project_unique`, `access_requests_namespace_unique`].some((name) =>
        isUniqueViolation(error, name),
      )
      throw isPending ? invalid({ user_id: ['already exists in source'] }) : error
    })
  const [presented] = await presentRequests(platform, [row])
  return { ...(presented as NonNullable<typeof presented>), created_at: row.created_at }
}

/**
 * Makes a requester a member (contract 3.22, 3.22b).
 * @throws ApiError 400, 403 for a level above the caller's, 404 without a request; the request stays then
 */
export async function approveRequest(
  platform: Platform,
  source: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  { user_id: userId, access_level = role.developer }: { user_id: number; access_level?: number },
) {
  return platform.database.write(async (tx) => {
    const request = await takeRequest(tx, source, userId)
    if (!request) throw recordNotFound()
    const { created_at } = request
    const member = await admitMember(platform, tx, source, actor, { user_id: userId, access_level, created_at })
    await act(tx, userId, { as: roleName(access_level) })
    return { ...member, requested_at: created_at }
  })
}

/**
 * Denies or withdraws a request (contract 3.23, 3.23b).
 * @param act records who has denied it; null when it is withdrawn
 * @throws ApiError 404, 412
 */
export async function deleteRequest(
  { database }: Platform,
  source: ProjectOrGroup,
  userId: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act | null },
): Promise<void> {
  await database.write(async (tx) => {
    const request = await requestOf(tx, source, userId)
    if (!request) throw recordNotFound()
    unmodified(request.created_at)
    if (!(await takeRequest(tx, source, userId))) throw recordNotFound()
    await act?.(tx, userId)
  })
}

/** Ends the requests of users who have become members (contract 11, States). */
export const endRequests: Reaction<Events['members.added']> = (_platform, tx, { memberIds }) =>
  deleteRequestsOfMembers(tx, memberIds)
