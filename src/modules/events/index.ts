import type { Module } from '../../platform/index.ts'
import { careJob, forgetPushes } from './pushes.ts'

export { exportedEvents } from './export.ts'
export { afterPush, careForPushed, pushJob, pushListener, pushOrder } from './pushes.ts'
export { insertEvents } from './store.ts'
export type { PushData, PushedRef, PushRow } from './tables.ts'

export const events: Module = { name: 'events', operations: [], jobs: [careJob, forgetPushes] }
