import './tables.ts'

export { setAssignees } from './assignees/assignees.ts'
export { assignedTo, assigneesOf } from './assignees/store.ts'
export { deleteIssuable } from './deletion.ts'
export {
  recordIterationChange,
  recordMilestoneChange,
  recordStateChange,
  recordWeightChange,
  type StateChange,
  type ValueChange,
} from './events/record.ts'
export type { ChangeOrigin, Issuable, IssuableRef, IssuableType } from './issuable.ts'
export { setLabels } from './labels/labels.ts'
export { byCodePoint, type LabelChange, type LabelRef, scopeOf } from './labels/scopes.ts'
export { labelsOf } from './labels/store.ts'
export { lockIssuable } from './store.ts'
export { type Times, timesOf } from './time/store.ts'
