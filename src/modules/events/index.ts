import type { Module } from '../../platform/index.ts'
import { forgetPushes, maintenanceJob } from './pushes.ts'

export { exportedEvents } from './export.ts'
export { afterPush, maintainPushed, pushJob, pushListener, pushOrder } from './pushes.ts'
export { deleteEventsOf, insertEvents } from './store.ts'
/** The records of what happened: actions of users, and pushes (contract 21, Event). */
export type { EventRow, PushData, PushedRef, PushRow } from './tables.ts'

export const events: Module = { name: 'events', operations: [], jobs: [maintenanceJob, forgetPushes] }
