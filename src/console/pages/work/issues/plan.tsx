import type { Html } from '../../../html/index.ts'
import { issuesUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Time } from '../../../parts/parts.tsx'
import { wordOf } from '../../../parts/words.ts'
import { addressIn } from '../places.ts'
import { LabelsField, MilestoneField, OneField, PeopleField, type Planned, withOwn } from '../planning.tsx'
import { Edited, nothing } from '../side.tsx'
import { type IssueChoices, nameOfIteration, type ReadIssue } from './read.ts'

type PlanProps = { planned: Planned; of: ReadIssue; choices: IssueChoices }

function Iteration({ planned, of: { issue }, choices }: PlanProps): Html {
  const { iteration } = issue
  const iterations = withOwn(iteration, choices.iterations)
  if (iterations.length === 0) return <></>
  return (
    <OneField
      planned={planned}
      title="Iteration"
      form="iteration"
      name="iteration_id"
      shown={iteration ? <a href={pathOfUrl(iteration.web_url)}>{nameOfIteration(iteration)}</a> : nothing}
      choices={iterations.map((one) => [one.id, nameOfIteration(one)])}
      chosen={iteration?.id}
      none={0}
    />
  )
}

function Epic({ planned, of: { issue }, choices }: PlanProps): Html {
  const { epic } = issue
  const epics = withOwn(epic, choices.epics)
  if (epics.length === 0) return <></>
  return (
    <OneField
      planned={planned}
      title="Epic"
      form="epic"
      name="epic_id"
      shown={epic ? <a href={epic.url}>{epic.title}</a> : nothing}
      choices={epics.map(({ id, title }) => [id, title])}
      chosen={epic?.id}
      none={0}
    />
  )
}

function Dates({ planned: { mayPlan, ...edited }, of: { issue } }: Omit<PlanProps, 'choices'>): Html {
  const { weight, due_date: due } = issue
  return (
    <>
      <Edited {...edited} title="Due date" shown={due ? <Time at={due} /> : nothing} form="due">
        {mayPlan && <input type="date" name="due_date" aria-label="Due date" value={due ?? ''} />}
      </Edited>
      {weight !== undefined && (
        <Edited {...edited} title="Weight" shown={weight ?? nothing} form="weight">
          {mayPlan && <input type="number" name="weight" aria-label="Weight" min={0} value={weight ?? ''} />}
        </Edited>
      )}
    </>
  )
}

const healths = ['on_track', 'needs_attention', 'at_risk']
const severities = ['unknown', 'low', 'medium', 'high', 'critical']
const types = ['issue', 'incident', 'task']

function Kinds({ planned, of: { issue } }: Omit<PlanProps, 'choices'>): Html {
  const { issue_type: type, health_status: health } = issue
  const severity = issue.severity.toLowerCase()
  const oneOf = (name: string, values: readonly string[], chosen: string | null) => ({
    ...{ planned, form: name, name, chosen },
    shown: chosen === null ? nothing : wordOf(name, chosen),
    choices: values.map((one) => [one, wordOf(name, one)] as const),
  })
  return (
    <>
      {type === 'incident' && <OneField {...oneOf('severity', severities, severity)} title="Severity" />}
      {health !== undefined && <OneField {...oneOf('health_status', healths, health)} title="Health" none="" />}
      <OneField {...oneOf('issue_type', types, type)} title="Type" />
    </>
  )
}

/** What an issue is planned for, each with its form. */
export function Plan({ visit, of, choices }: { visit: Visit; of: ReadIssue; choices: IssueChoices }): Html {
  const { issue, call, mayPlan } = of
  const planned = { visit, performs: issuesUpdate, call, mayPlan }
  const { members, labels } = choices
  return (
    <>
      <PeopleField
        planned={planned}
        title="Assignees"
        name="assignee_ids"
        people={issue.assignees}
        members={members}
        own="Assign it to yourself"
      />
      <LabelsField planned={planned} labels={issue.labels} choices={labels} list={addressIn(visit, 'issues')} />
      <MilestoneField planned={planned} milestone={issue.milestone} choices={choices} />
      <Iteration planned={planned} of={of} choices={choices} />
      <Epic planned={planned} of={of} choices={choices} />
      <Dates planned={planned} of={of} />
      <Kinds planned={planned} of={of} />
    </>
  )
}
