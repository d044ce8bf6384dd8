export { lineOf, writeAct, writeExpiry } from './audit.ts'
export { type AuditFilter, auditEvents } from './store.ts'
