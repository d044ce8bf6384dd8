import { instance, pageOf, reading, t } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { twinsOf } from '../projects/index.ts'
import { getEvent, listEvents, listEventsOf } from './events.ts'
import { eventFilter, instanceFilter } from './params.ts'
import { AuditEvent } from './present.ts'

const shared = { tag: 'Audit events', method: 'GET', scopes: reading, tier: 'premium' } as const
const byId = { keyset: { id: ['desc'] } } as const

export const auditEventsList = operation({
  ...shared,
  id: 'audit_events.list',
  contract: 'x.audit_event_list',
  path: '/audit_events',
  summary: 'List the audit events of the instance',
  description: 'The newest first, of at most 30 days before `created_before` or now.',
  subject: instance,
  allow: 'administrator',
  params: instanceFilter,
  list: byId,
  result: [200, pageOf(AuditEvent)],
  run: ({ platform, actor, params, page }) => listEvents(platform, actor, params, page),
})

export const auditEventsGet = operation({
  ...shared,
  id: 'audit_events.get',
  contract: 'x.audit_event_get',
  path: '/audit_events/:id',
  summary: 'Get an audit event',
  subject: instance,
  allow: 'administrator',
  params: { id: t.id() },
  result: [200, AuditEvent],
  run: ({ platform, actor, params }) => getEvent(platform, actor, {}, params.id),
})

/** The audit events of a project or group. */
export const auditEventsOf = twinsOf(({ kind, path, subject }) => {
  const list = `${path}/audit_events` as const
  return {
    list: operation({
      ...shared,
      id: `${kind}_audit_events.list`,
      contract: `x.${kind}_audit_event_list`,
      path: list,
      summary: `List the audit events of a ${kind}`,
      description: 'The newest first. Callers who may not read all get those that they caused.',
      subject,
      allow: 'read_own_audit_events',
      params: eventFilter,
      list: byId,
      result: [200, pageOf(AuditEvent)],
      run: ({ platform, subject, actor, params, page }) => listEventsOf(platform, subject, actor, params, page),
    }),
    get: operation({
      ...shared,
      id: `${kind}_audit_events.get`,
      contract: `x.${kind}_audit_event_get`,
      path: `${list}/:audit_event_id`,
      summary: `Get an audit event of a ${kind}`,
      subject,
      allow: 'read_audit_events',
      params: { audit_event_id: t.id() },
      result: [200, AuditEvent],
      run: ({ platform, subject: { kind, id }, actor, params }) =>
        getEvent(platform, actor, { kind, id }, params.audit_event_id),
    }),
  }
})
