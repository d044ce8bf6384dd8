import {
  authoredText,
  BadLine,
  booleanOf,
  dateOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  iidOf,
  integerOf,
  lineOf,
  numberOf,
  requiredText,
  textOf,
  timeOf,
  timesOf,
  userOf,
  wordOf,
} from '../../../platform/index.ts'
import { reserveInternalId } from '../../../platform/internal-ids/index.ts'
import { importedMilestone, importIssuableParts } from '../../issuables/index.ts'
import { embeddedIteration } from '../../iterations/index.ts'
import { insertIssue } from '../core/store.ts'
import { healthStatuses, issueTypes, type NewIssueRow, severities } from '../tables.ts'

/** Under which a project numbers its issues. */
const numbered = 'issues'

/** The row of an issue, but for what other rows are needed for. @throws BadLine */
function readIssue(into: Importing, line: ImportedLine): Omit<NewIssueRow, 'milestone_id' | 'iteration_id'> {
  const { authorId, text } = authoredText(into, line, textOf(line, 'description'))
  const state = wordOf(line, 'state', ['opened', 'closed'], 'opened')
  const type = lineOf(line, 'work_item_type')
  return {
    ...{ project_id: into.id, iid: iidOf(line), author_id: authorId, imported_from: into.source },
    ...{ title: requiredText(line, 'title'), description: text, state, ...timesOf(line) },
    confidential: booleanOf(line, 'confidential', false),
    issue_type: wordOf(type ? { issue_type: type.base_type } : line, 'issue_type', issueTypes, 'issue'),
    severity: wordOf(line, 'severity', severities, 'unknown'),
    closed_at: state === 'closed' ? timeOf(line, 'closed_at') : null,
    closed_by_id: state === 'closed' ? userOf(into, line, 'closed_by_id') : null,
    due_date: dateOf(line, 'due_date'),
    weight: integerOf(line, 'weight', { least: 0, most: 2 ** 31 - 1 }),
    health_status: wordOf(line, 'health_status', healthStatuses, null),
    relative_position: numberOf(line, 'relative_position'),
    discussion_locked: booleanOf(line, 'discussion_locked', false),
    ...{ moved_to_id: null, duplicated_to_id: null },
  }
}

/** Imports an issue of a project with what its line embeds (contract 14, issues). */
export const importIssue: ImportLine = async (platform, into, line) => {
  if (into.kind !== 'project') throw new BadLine('issues are in projects')
  const row = readIssue(into, line)
  return async (tx) => {
    await reserveInternalId(tx, { projectId: into.id }, numbered, row.iid)
    const iteration = lineOf(line, 'iteration')
    const issue = await insertIssue(tx, {
      ...row,
      milestone_id: await importedMilestone(tx, into, line),
      iteration_id: iteration && (await embeddedIteration(tx, into, iteration)),
    })
    const target = { type: 'Issue' as const, id: issue.id, projectId: into.id, groupId: null }
    await importIssuableParts(tx, into, target, line, 'issue_assignees')
    const epic = lineOf(line, 'epic_issue')
    if (epic) await platform.ports['issues.import_epic'](platform, tx, into, issue.id, epic)
  }
}
