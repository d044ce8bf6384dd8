import type { Module } from '../../platform/index.ts'
import './events.ts'
import { labelOperations } from './core/operations.ts'
import { namedOperations } from './named/operations.ts'
import * as promotion from './promotion/operations.ts'
import { subscriptionOperations } from './subscriptions/operations.ts'

export { parseColor, textColorOf } from './colors/colors.ts'
export { LabelBasic } from './core/present.ts'
export { exportedLabels, exportedLabelsOf } from './export/lines.ts'
export { embeddedLabel, embeddedLabels, importLabel } from './import/lines.ts'
export type { LabelRow } from './tables.ts'
export { dropPrioritiesBelow, dropPrioritiesOfProject, ensureLabels, replaceUnusableLabels } from './usable/ensure.ts'
export { labelsByIds, unusableLabels, usableLabels } from './usable/store.ts'

/** Labels of projects and groups (contract 17). */
export const labels: Module = {
  name: 'labels',
  tags: { Labels: 'Labels of projects and groups.' },
  operations: [...labelOperations, ...namedOperations, ...subscriptionOperations, ...Object.values(promotion)],
}
