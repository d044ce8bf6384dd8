export { lineOf, writeAct, writeExpiry } from './audit.ts'
export { auditEvents } from './store.ts'
