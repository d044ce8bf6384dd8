import type { Module } from '../../platform/index.ts'
import './events.ts'

export { parseColor, textColorOf } from './colors.ts'
export { ensureLabels, replaceUnusableLabels } from './ensure.ts'
export type { LabelCounts } from './events.ts'
export { LabelBasic, type PresentedLabelBasic, presentLabelBasic } from './present.ts'
export { labelsByIds, prioritiesOf, unusableLabels, usableLabels } from './store.ts'
export type { LabelRow } from './tables.ts'

/** Labels of projects and groups (contract 17). */
export const labels: Module = { name: 'labels', operations: [] }
