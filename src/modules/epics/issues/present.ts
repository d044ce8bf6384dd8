import { forms, Type } from '../../../api/index.ts'
import { IssueBasic, ListedIssue } from '../../issues/index.ts'
import { Epic } from '../core/present.ts'

const association = { epic_issue_id: forms.id, relative_position: forms.nullableInteger }

/** An issue of an epic (contract 17, EpicIssue). */
export const EpicIssue = Type.Object({ ...ListedIssue.properties, ...association }, { title: 'EpicIssue' })

/** The association of an issue with an epic (contract 17, EpicIssueLink). */
export const EpicIssueLink = Type.Object(
  { id: forms.id, epic: Epic, issue: IssueBasic, relative_position: forms.nullableInteger },
  { title: 'EpicIssueLink' },
)
