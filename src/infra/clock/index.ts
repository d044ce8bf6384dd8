export { type ManualClock, manualClock } from './manual.ts'
export { type Clock, systemClock, type Timer } from './system.ts'
