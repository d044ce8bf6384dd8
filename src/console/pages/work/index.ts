import type { Page } from '../../page.ts'
import { boardPages } from './boards/boards.tsx'
import { epic } from './epics/epic.tsx'
import { editEpic, newEpic } from './epics/forms.tsx'
import { epics } from './epics/lists.tsx'
import { editIssue, newIssue } from './issues/forms.tsx'
import { incident, issue } from './issues/issue.tsx'
import { issueLists } from './issues/lists.tsx'
import { requestPages } from './merge-requests/index.ts'
import { completions } from './planning/completion.tsx'
import { iteration } from './planning/iterations.tsx'
import { milestones } from './planning/milestones.tsx'
import { todos } from './planning/todos.tsx'

/** The pages about what is planned, in the order of the navigation. */
export const workPages: readonly Page[] = [
  ...issueLists,
  ...[newIssue, issue, incident, editIssue],
  ...boardPages,
  ...epics,
  ...[newEpic, epic, editEpic],
  ...[todos, iteration, ...milestones],
  ...requestPages,
  ...completions,
]
