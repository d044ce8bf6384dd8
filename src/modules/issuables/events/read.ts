import { type Actor, dayOf, notFound, type Page, type PageRequest, recordNotFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectAbility } from '../../access/index.ts'
import { viewerOf, visibleGroupIds } from '../../groups/index.ts'
import { callerOf, may, type ProjectOrGroupRef, projectsWithRoles } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, usersByIds } from '../../users/index.ts'
import type { Issuable } from '../issuable.ts'
import type { EventRow, EventTable } from '../tables.ts'
import type { EventKind, Named, Owned } from './kinds.ts'
import { eventOf, pageOfEvents } from './store.ts'

/** Whose events are asked for, and by whom. */
export type Asked = { issuable: Issuable; parent: ProjectOrGroupRef; actor: Actor }

/** The ids of these labels, milestones or iterations of other projects and groups that the caller may not read. */
async function unreadable(
  platform: Platform,
  actor: Actor,
  ability: ProjectAbility,
  foreign: readonly Owned[],
): Promise<Set<number>> {
  if (foreign.length === 0) return new Set()
  const db = platform.database.read
  const caller = await callerOf(db, actor, dayOf(platform.clock.now()))
  const projects = await projectsWithRoles(db, caller, [
    ...new Set(foreign.flatMap(({ project_id }) => project_id ?? [])),
  ])
  const seen = new Set(projects.filter((one) => !one.pending_delete && may(actor, one, ability)).map(({ id }) => id))
  const groupIds = [...new Set(foreign.flatMap(({ namespace_id }) => namespace_id ?? []))]
  const groups = await visibleGroupIds(db, await viewerOf(platform, actor), groupIds)
  const isSeen = ({ project_id, namespace_id }: Owned) =>
    project_id === null ? groups.has(namespace_id ?? 0) : seen.has(project_id)
  return new Set(foreign.filter((one) => !isSeen(one)).map(({ id }) => id))
}

/** What these events name, without what the caller may not read: labels of a group that they cannot see, for example. */
async function readableNames<Table extends EventTable>(
  platform: Platform,
  kind: EventKind<Table>,
  { parent, actor }: Asked,
  rows: readonly EventRow<Table>[],
): Promise<Named> {
  const db = platform.database.read
  const ids = [...new Set(rows.flatMap((row) => kind.idOf(row) ?? []))]
  if (ids.length === 0) return new Map()
  const [named, foreign] = await Promise.all([kind.named(db, ids), kind.foreign(db, parent, ids)])
  const hidden = await unreadable(
    platform,
    actor,
    kind.ability,
    foreign.flatMap((id) => named.get(id) ?? []),
  )
  return new Map([...named].filter(([id]) => !hidden.has(id)))
}

/** Presents the events whose label, milestone or iteration the caller may read, or that have none any more. */
async function present<Table extends EventTable>(
  platform: Platform,
  kind: EventKind<Table>,
  asked: Asked,
  found: readonly EventRow<Table>[],
): Promise<object[]> {
  const rows = (await kind.readable?.(platform, asked, found)) ?? found
  const [named, users, presenting] = await Promise.all([
    readableNames(platform, kind, asked, rows),
    usersByIds(
      platform.database.read,
      rows.map(({ user_id }) => user_id),
    ),
    presentingUsers(platform),
  ])
  return rows.flatMap((row) => {
    const id = kind.idOf(row)
    const user = users.get(row.user_id)
    if (!user || (id !== null && !named.has(id))) return []
    const head = { id: row.id, user: presentUserBasic(user, presenting), created_at: row.created_at }
    return [{ ...head, ...kind.present(platform, row, named) }]
  })
}

/** A page of the events of one kind of an issuable, oldest first; unreadable ones are left out after paging (contract 18). */
export async function listEvents<Table extends EventTable>(
  platform: Platform,
  kind: EventKind<Table>,
  asked: Asked,
  page: PageRequest,
): Promise<Page<object>> {
  const found = await pageOfEvents(platform.database.read, kind.table, asked.issuable, page)
  return { ...found, items: await present(platform, kind, asked, found.items) }
}

/** @throws ApiError 404, with the noun of the kind when the caller may not read what the event names */
export async function getEvent<Table extends EventTable>(
  platform: Platform,
  kind: EventKind<Table>,
  asked: Asked,
  id: number,
): Promise<object> {
  const row = await eventOf(platform.database.read, kind.table, asked.issuable, id)
  if (!row) throw recordNotFound()
  const [presented] = await present(platform, kind, asked, [row])
  if (!presented) throw notFound(kind.noun)
  return presented
}
