import {
  type Actor,
  dayAfter,
  dayOf,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  requireSignedIn,
  type Static,
} from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { callerOf, type Project, type ProjectCaller } from '../projects/index.ts'
import { presentingUsers, requireVisibleUser, usersByIds } from '../users/index.ts'
import type { EventFilter } from './params.ts'
import { type Event, presentEvent } from './present.ts'
import { type EventScope, pageOfEvents } from './store.ts'

type Events = Promise<Page<Static<typeof Event>>>

const startOf = (day: string) => `${day}T00:00:00.000Z`

/** @param known the caller with their roles, as far as the list needs them */
async function list(
  platform: Platform,
  actor: Actor,
  scope: EventScope,
  filter: EventFilter,
  page: PageRequest,
  known?: ProjectCaller,
): Events {
  const db = platform.database.read
  const caller = known ?? (await callerOf(db, actor, dayOf(platform.clock.now())))
  const { before, after, ...others } = filter
  const times = {
    ...(before !== undefined && { before: startOf(before) }),
    ...(after !== undefined && { after: startOf(dayAfter(new Date(startOf(after)), 1)) }),
  }
  const found = await pageOfEvents(db, scope, caller, { ...others, ...times }, page)
  const ids = found.items.flatMap((event) => event.author_id ?? [])
  const authors = { users: await usersByIds(db, ids), presenting: await presentingUsers(platform) }
  return { ...found, items: found.items.map((event) => presentEvent(event, authors)) }
}

/** The activities in a project (contract 21, x.projects_events). */
export const listProjectEvents = (
  platform: Platform,
  project: Project,
  actor: Actor,
  filter: EventFilter,
  page: PageRequest,
): Events => {
  const { id, role } = project
  const projects = new Map(role.level > 0 ? [[id, role.level]] : [])
  return list(platform, actor, { project }, filter, page, {
    actor,
    roles: { loaded: { projects, namespaces: new Map() } },
  })
}

/**
 * The activities of a user, as far as the caller can see them (contract 21, x.users_events).
 * @throws ApiError 404, also for a private profile, whose activity is hidden (contract 20 R9)
 */
export async function listUserEvents(
  platform: Platform,
  actor: Actor,
  name: string,
  filter: EventFilter,
  page: PageRequest,
): Events {
  const user = await requireVisibleUser(platform, name, actor)
  const isTrusted = isAdministrator(actor) || (actor.kind === 'user' && actor.userId === user.id)
  if (user.private_profile && !isTrusted) throw notFound('User')
  return list(platform, actor, { authorId: user.id }, filter, page)
}

/** The caller's own activities; with `scope` `all`, also those of others in the caller's projects (x.events_list). */
export async function listOwnEvents(
  platform: Platform,
  actor: Actor,
  { scope, ...filter }: EventFilter & { scope?: 'all' },
  page: PageRequest,
): Events {
  const { userId } = requireSignedIn(actor)
  if (scope !== 'all') return list(platform, actor, { authorId: userId }, filter, page)
  const caller = await callerOf(platform.database.read, actor, dayOf(platform.clock.now()))
  return list(platform, actor, { memberId: userId, caller }, filter, page)
}
