import type { Level } from '../../page.ts'
import { family } from '../family.ts'

/** The audit events of the instance, a group or a project. */
export const auditEvents = (at: Level) =>
  family({
    at,
    path: at === 'instance' ? 'admin/audit_events' : 'audit_events',
    section: at === 'instance' ? 'Instance' : 'Settings',
    title: 'Audit events',
    one: 'audit event',
    operations: at === 'instance' ? 'audit_events' : `${at}_audit_events`,
    key: ['id', at === 'instance' ? 'id' : 'audit_event_id'],
    spread: 'details',
    columns: [
      ...['event_name', 'author_name', 'target_details'],
      ...(at === 'instance' ? ['entity_path'] : []),
      ...['ip_address', 'created_at'],
    ],
    words: {
      event_name: 'Event',
      author_name: 'Author',
      author_email: 'Email of the author',
      author_class: 'Kind of author',
      target_details: 'Target',
      target_type: 'Kind of target',
      ip_address: 'Address',
      entity_path: 'Where',
      entity_type: { label: 'Kind of place', values: { 'Gitlab::Audit::InstanceScope': 'Instance' } },
      custom_message: 'What',
      add: 'Added',
      remove: 'Removed',
      as: 'Role',
      change: 'Changed',
      with: 'Signed in with',
      failed_login: 'Failed sign-in',
    },
    empty: 'Who changed members, keys, tokens, rules and settings is recorded here, with the address of the client.',
  })
