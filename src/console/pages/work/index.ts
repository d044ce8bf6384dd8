import type { Page } from '../../page.ts'
import { editIssue, newIssue } from './issues/forms.tsx'
import { issue } from './issues/issue.tsx'
import { issueLists } from './issues/lists.tsx'

/** The pages about what is planned, in the order of the navigation. */
export const workPages: readonly Page[] = [...issueLists, newIssue, issue, editIssue]
