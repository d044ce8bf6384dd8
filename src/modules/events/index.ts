import type { Module } from '../../platform/index.ts'
import { forgetPushes, maintenanceJob } from './pushes.ts'

export { exportedEvents } from './export.ts'
export { afterPush, maintainPushed, pushJob, pushListener, pushOrder } from './pushes.ts'
export { deleteEventsOf, insertEvents } from './store.ts'
export type { EventRow, PushedRef, PushRow } from './tables.ts'

/** The records of what happened: actions of users, and pushes (contract 21, Event). */
export const events: Module = { name: 'events', operations: [], jobs: [maintenanceJob, forgetPushes] }
