import './tables.ts'

export { setAssignees } from './assignees/assignees.ts'
export { assignedTo, assigneesOf } from './assignees/store.ts'
export { deleteIssuable } from './deletion.ts'
export { resourceEventOperations } from './events/operations.ts'
export {
  recordIterationChange,
  recordMilestoneChange,
  recordStateChange,
  recordWeightChange,
  type StateChange,
  type ValueChange,
} from './events/record.ts'
export { copyEvents } from './events/store.ts'
export type { ChangeOrigin, Issuable, IssuableRef, IssuableType } from './issuable.ts'
export type { IssuableKind } from './kind.ts'
export { copyLabels } from './labels/copies.ts'
export { setLabels } from './labels/labels.ts'
export { byCodePoint, type LabelChange, type LabelRef, scopeOf } from './labels/scopes.ts'
export { labelsOf } from './labels/store.ts'
export { keepLabels, mergeLabels, mergeMilestoneEvents, moveEvents } from './reactions.ts'
export { lockIssuable } from './store.ts'
export { type Times, timesOf } from './time/store.ts'
