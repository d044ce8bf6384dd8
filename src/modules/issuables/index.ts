import type { Module } from '../../platform/index.ts'
import './tables.ts'
import * as todoOperations from './todos/operations.ts'

export type { KindAnswers, Place } from './answers.ts'
export { assignedTo, assigneesOf } from './assignees/store.ts'
export type { Command, CommandContext, Step } from './commands/command.ts'
export { openWithCommands } from './commands/opening.ts'
export { usernamesIn } from './commands/parse.ts'
export { type CommandKind, noteCommands, planCommands, separateCommands, tryCommands } from './commands/run.ts'
export { commonCommands } from './commands/table.ts'
export { noteAccess } from './conversation/access.ts'
export { deleteIssuable } from './deletion.ts'
export { resourceEventOperations } from './events/operations.ts'
export {
  recordIterationChange,
  recordMilestoneChange,
  recordStateChange,
  recordWeightChange,
  type StateChange,
} from './events/record.ts'
export { copyEvents, milestonesOfEvents } from './events/store.ts'
export { exportedIssuableParts, exportedIssueParts } from './export/lines.ts'
export { eventsOf } from './export/store.ts'
export { importedMilestone, importIssuableParts } from './import/lines.ts'
export type { ChangeOrigin, Issuable, IssuableRef, IssuableType, PlannedChanges, SavedChange } from './issuable.ts'
export { isPlanned, savedChange, unplanned } from './issuable.ts'
export type { IssuableKind } from './kind.ts'
export { copyLabels } from './labels/copies.ts'
export { labelTitles, setLabels } from './labels/labels.ts'
export { byCodePoint, type LabelRef } from './labels/scopes.ts'
export { labelsOf } from './labels/store.ts'
export { type IssuableContext, type ListParent, listContext, type NewInGroup } from './listing/context.ts'
export { type DueWord, dueWindow } from './listing/due-dates.ts'
export { issuableExclusions, issuableFilters } from './listing/filters.ts'
export { pageOfIssuables, requireCompatible } from './listing/listing.ts'
export {
  assigneeIds,
  commonFilters,
  issueFilters,
  issueListFilters,
  labelNames,
  numberOr,
  type Scope,
  scopeOf as listScopeOf,
  scopeParam,
  strictScopeParam,
  text,
  type Wanted,
  wantedIids,
  word,
} from './listing/params.ts'
export { byUsername, ofCaller } from './listing/store/filters/people.ts'
export { countByLabel } from './listing/store/label-counts.ts'
export { type ListedProjects, ofProjects, sampleOf } from './listing/store/projects.ts'
export { participationOperations } from './participation/operations.ts'
export {
  addTodos,
  assigneeIdsIn,
  keptMilestone,
  milestoneIn,
  namedReaders,
  ownerOf,
  type Planning,
  planIssuable,
} from './planning/planning.ts'
export {
  followNote,
  keepLabels,
  mergeLabels,
  mergeMilestoneEvents,
  moveEvents,
  unassignEndingMember,
} from './reactions.ts'
export { followDescription, readableTargets, recordReferences } from './references/cross-references.ts'
export { linksOfReferences } from './references/links.ts'
export { addNamingNotes, copyNoteReferences } from './references/notes.ts'
export { referencedBy, referencesTo } from './references/store.ts'
export { closedIn, mentionsIn, referencesIn } from './references/text.ts'
export { lockIssuable } from './store.ts'
export { countTasks, taskStatus, withTask } from './tasks.ts'
export { asDescription, asTitle, issuableTextProblems, longestDescription } from './texts.ts'
export { timeTrackingOperations } from './time/operations.ts'
export { humanTime, presentTimes, TimeStats } from './time/present.ts'
export { copyTimes, type Times, timesOf } from './time/store.ts'

export { todosAllDone, todosDone, todosList } from './todos/operations.ts'

/** What issues, merge requests and epics have in common (contract 16, 18), and to-do lists. */
export const issuables: Module = {
  name: 'issuables',
  tags: { 'To-dos': 'What a user is asked to look at.' },
  operations: Object.values(todoOperations),
}
