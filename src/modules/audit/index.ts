import type { Module } from '../../platform/index.ts'
import { deleteOldEventsJob } from './expiry.ts'
import { auditEventsGet, auditEventsList, auditEventsOf } from './operations.ts'

export { lineOf, writeAct, writeExpiry, writeFailedSignIn, writeSignIn } from './audit.ts'
export { auditEvents } from './store.ts'

/** What administrators did, what changed in projects and groups, and who signed in (contract 26.7). */
export const audit: Module = {
  name: 'audit',
  tags: { 'Audit events': 'Who did what on the instance, in a group or in a project, and from which address.' },
  operations: [
    auditEventsList,
    auditEventsGet,
    ...[auditEventsOf.project, auditEventsOf.group].flatMap((twin) => Object.values(twin)),
  ],
  jobs: [deleteOldEventsJob],
}
