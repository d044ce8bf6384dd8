import type { EpicObject, IssueObject } from '../../../operations.ts'
import { epicsList, issuesGet, issuesUpdate } from '../../../operations.ts'
import { numberIn, type Visit } from '../../../page.ts'
import { type Choices, type Listed, noChoices, readChoices } from '../choices.ts'
import { iterationsOfProject } from './names.ts'

export type IterationChoice = { id: number; title: string | null; start_date: string; due_date: string }

/** What an issue can be planned for besides. */
export type IssueChoices = Choices & {
  iterations: readonly IterationChoice[]
  epics: readonly Pick<EpicObject, 'id' | 'title'>[]
}

export const noIssueChoices: IssueChoices = { ...noChoices, iterations: [], epics: [] }

/** An issue with what the caller may do. */
export type ReadIssue = {
  issue: IssueObject
  call: { id: number; issue_iid: number }
  /** Change text and state. */
  mayChange: boolean
  /** Change labels, assignees, milestone and so on. */
  mayPlan: boolean
}

/** What can be chosen for issues of the project. */
export async function readIssueChoices(visit: Visit): Promise<IssueChoices> {
  const { id, namespace } = visit.project
  const group = namespace?.kind === 'group' ? namespace.id : null
  const opened = { per_page: 100, state: 'opened' } as const
  const [choices, iterations, epics] = await Promise.all([
    readChoices(visit),
    visit.find(iterationsOfProject, { ...opened, id }) as Promise<Listed<IterationChoice>>,
    group === null ? null : visit.find(epicsList, { ...opened, id: group }),
  ])
  return { ...choices, iterations: iterations?.items ?? [], epics: epics?.items ?? [] }
}

/** Reads the issue of a page. @throws ApiError 404 */
export async function readIssue(visit: Visit): Promise<ReadIssue> {
  const call = { id: visit.project.id, issue_iid: numberIn(visit, 'iid') }
  const [issue, mayChange, mayPlan] = await Promise.all([
    visit.read(issuesGet, call),
    visit.may(issuesUpdate, call),
    visit.may(issuesUpdate, { ...call, milestone_id: 0 }),
  ])
  return { issue, call, mayPlan, mayChange }
}

export const nameOfIteration = ({ title, start_date, due_date }: IterationChoice) =>
  title ?? `${start_date} – ${due_date}`
