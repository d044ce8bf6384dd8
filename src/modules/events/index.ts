export { createPushes, type Pushes } from './pushes.ts'
export { type NewEvent, recordEvents } from './record.ts'
export type { EventRow, PushData, PushedRef, PushRow } from './tables.ts'
