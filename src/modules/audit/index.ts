export { lineOf, writeAct } from './audit.ts'
export { type AuditFilter, auditEvents } from './store.ts'
