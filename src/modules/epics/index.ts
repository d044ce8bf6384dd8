import type { Module } from '../../platform/index.ts'
import './events.ts'
import * as operations from './operations.ts'

export { type Epic, epic, maySeeConfidential } from './access.ts'
export type { MilestoneDates } from './events.ts'
export { noteableOf, presentEpics, refOf } from './load.ts'
export { Epic as EpicSchema, EpicOfIssue } from './present.ts'
export { moveEpics } from './removal.ts'
export { epicByIid, epicsByIds } from './store.ts'
export type { EpicRow } from './tables.ts'

/** Epics of groups (contract 17). */
export const epics: Module = { name: 'epics', operations: Object.values(operations) }
