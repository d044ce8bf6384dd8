import {
  type Actor,
  isAdministrator,
  type Page,
  type PageRequest,
  parameterErrors,
  recordNotFound,
  requireSignedIn,
  type Static,
} from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type Group, mayInGroup } from '../groups/index.ts'
import { may, type ProjectOrGroup } from '../projects/index.ts'
import type { EventFilter, InstanceFilter } from './params.ts'
import { AuditEvent, entityTypes } from './present.ts'
import { type EntityKind, type EventScope, eventById, type Period, pageOfEvents, shifted } from './store.ts'

type Events = Page<Static<typeof AuditEvent>>

async function list(
  { database }: Platform,
  actor: Actor,
  { scope, period }: { scope: EventScope; period: Period },
  page: PageRequest,
): Promise<Events> {
  const found = await pageOfEvents(database.read, scope, period, page)
  const view = { db: database.read, showsAddresses: isAdministrator(actor) }
  return { ...found, items: await AuditEvent.presentAll(found.items, view) }
}

const periodOf = ({ created_after: after, created_before: before }: EventFilter): Period => ({ after, before })

const longestPeriodMs = 30 * 86_400_000

/** At most 30 days: no list of a large instance goes through all of its events. */
function boundedPeriod({ clock }: Platform, filter: EventFilter): Period {
  const { after = '', before } = periodOf(filter)
  const earliest = shifted(before ?? clock.now().toISOString(), -longestPeriodMs)
  return { after: after > earliest ? after : earliest, before }
}

const kindOf = (type: string) => (Object.keys(entityTypes) as EntityKind[]).find((kind) => entityTypes[kind] === type)

/** A page of the events of the instance (contract 26, x.audit_event_list). @throws ApiError 400 */
export async function listEvents(
  platform: Platform,
  actor: Actor,
  { entity_type: type, entity_id: id, ...filter }: InstanceFilter,
  page: PageRequest,
): Promise<Events> {
  if (id !== undefined && type === undefined) {
    throw parameterErrors([{ name: 'entity_type', missing: true, text: 'is missing' }])
  }
  const kind = type === undefined ? undefined : kindOf(type)
  // No entity has the id 0, nor one that is too large for an id.
  const scope = { ...(kind && { kind }), ...(id !== undefined && { id: Number.isSafeInteger(id) ? id : 0 }) }
  return list(platform, actor, { scope, period: boundedPeriod(platform, filter) }, page)
}

const mayReadAll = (actor: Actor, { project, group }: ProjectOrGroup): boolean =>
  project ? may(actor, project, 'read_audit_events') : mayInGroup(actor, group as Group, 'read_audit_events')

/**
 * A page of the events of a project or group itself; callers who may not read all get those that they caused (contract 26,
 * x.project_audit_event_list, x.group_audit_event_list).
 */
export async function listEventsOf(
  platform: Platform,
  source: ProjectOrGroup,
  actor: Actor,
  filter: EventFilter,
  page: PageRequest,
): Promise<Events> {
  const own = mayReadAll(actor, source) ? {} : { actorId: requireSignedIn(actor).userId }
  const { kind, id } = source
  return list(platform, actor, { scope: { kind, id, ...own }, period: periodOf(filter) }, page)
}

/** One event of a scope (contract 26, x.audit_event_get). @throws ApiError 404 */
export async function getEvent({ database }: Platform, actor: Actor, scope: EventScope, id: number) {
  const row = await eventById(database.read, scope, id)
  if (!row) throw recordNotFound()
  return AuditEvent.presentOne(row, { db: database.read, showsAddresses: isAdministrator(actor) })
}
