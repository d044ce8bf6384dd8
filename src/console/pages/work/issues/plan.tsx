import type { Html } from '../../../html/index.ts'
import { issuesUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { Avatar, Label, Time } from '../../../parts/parts.tsx'
import { wordOf } from '../../../parts/words.ts'
import { addressIn } from '../places.ts'
import { Boxes, Edited, nothing, Select } from '../side.tsx'
import { type Choices, nameOfIteration, type ReadIssue } from './read.ts'

type PlanProps = { visit: Visit; of: ReadIssue; choices: Choices }

/** People with their pages. */
export function People({ people }: { people: readonly { name: string; username: string }[] }): Html {
  if (people.length === 0) return <span class="soft">No one</span>
  return (
    <>
      {people.map(({ name, username }) => (
        <p class="person">
          <Avatar name={name} /> <a href={`/${username}`}>{name}</a>
        </p>
      ))}
    </>
  )
}

function Assignees({ visit, of: { issue, call, mayPlan }, choices: { members } }: PlanProps): Html {
  const own = visit.me && members.some(({ id }) => id === visit.me?.id) ? visit.me.id : null
  const isAssigned = issue.assignees.some(({ id }) => id === own)
  const others = issue.assignees.filter(({ id }) => !members.some((one) => one.id === id))
  const shown = (
    <>
      <People people={issue.assignees} />
      {mayPlan && own !== null && !isAssigned && (
        <Do
          visit={visit}
          performs={issuesUpdate}
          form="assign-self"
          call={{ ...call, 'assignee_ids[]': own }}
          kind="quiet"
        >
          Assign it to yourself
        </Do>
      )}
    </>
  )
  return (
    <Edited visit={visit} title="Assignees" shown={shown} performs={issuesUpdate} form="assignees" call={call}>
      {mayPlan && (
        <Boxes
          name="assignee_ids"
          label="Assignees"
          choices={[...others, ...members].map(({ id, name, username }) => [id, `${name} (@${username})`])}
          chosen={issue.assignees.map(({ id }) => id)}
        />
      )}
    </Edited>
  )
}

function Labels({ visit, of: { issue, call, mayPlan }, choices: { labels } }: PlanProps): Html {
  const names = issue.labels.map((label) => (typeof label === 'string' ? label : label.name))
  const colors = new Map(labels.map(({ name, color }) => [name, color]))
  const shown = names.map((name) => (
    <Label
      name={name}
      color={colors.get(name) ?? '#888888'}
      href={`${addressIn(visit, 'issues')}?labels=${encodeURIComponent(name)}`}
    />
  ))
  return (
    <Edited
      visit={visit}
      title="Labels"
      shown={shown.length > 0 ? shown : nothing}
      performs={issuesUpdate}
      form="labels"
      call={call}
    >
      {mayPlan && labels.length > 0 && (
        <Boxes
          name="labels"
          label="Labels"
          choices={labels.map(({ name, color }) => [name, <Label name={name} color={color} />])}
          chosen={names}
        />
      )}
    </Edited>
  )
}

function Milestone({ visit, of: { issue, call, mayPlan }, choices }: PlanProps): Html {
  const { milestone } = issue
  const milestones = [...(milestone ? [milestone] : []), ...choices.milestones.filter(({ id }) => id !== milestone?.id)]
  return (
    <Edited
      visit={visit}
      title="Milestone"
      shown={milestone ? <a href={pathOfUrl(milestone.web_url)}>{milestone.title}</a> : nothing}
      performs={issuesUpdate}
      form="milestone"
      call={call}
    >
      {mayPlan && milestones.length > 0 && (
        <Select
          name="milestone_id"
          label="Milestone"
          choices={milestones.map(({ id, title }) => [id, title])}
          chosen={milestone?.id}
          none={0}
        />
      )}
    </Edited>
  )
}

function Iteration({ visit, of: { issue, call, mayPlan }, choices }: PlanProps): Html {
  const { iteration } = issue
  const iterations = [...(iteration ? [iteration] : []), ...choices.iterations.filter(({ id }) => id !== iteration?.id)]
  if (iterations.length === 0) return <></>
  return (
    <Edited
      visit={visit}
      title="Iteration"
      shown={iteration ? <a href={pathOfUrl(iteration.web_url)}>{nameOfIteration(iteration)}</a> : nothing}
      performs={issuesUpdate}
      form="iteration"
      call={call}
    >
      {mayPlan && (
        <Select
          name="iteration_id"
          label="Iteration"
          choices={iterations.map((one) => [one.id, nameOfIteration(one)])}
          chosen={iteration?.id}
          none={0}
        />
      )}
    </Edited>
  )
}

function Epic({ visit, of: { issue, call, mayPlan }, choices }: PlanProps): Html {
  const { epic } = issue
  const epics = [...(epic ? [epic] : []), ...choices.epics.filter(({ id }) => id !== epic?.id)]
  if (epics.length === 0) return <></>
  return (
    <Edited
      visit={visit}
      title="Epic"
      shown={epic ? <a href={epic.url}>{epic.title}</a> : nothing}
      performs={issuesUpdate}
      form="epic"
      call={call}
    >
      {mayPlan && (
        <Select
          name="epic_id"
          label="Epic"
          choices={epics.map(({ id, title }) => [id, title])}
          chosen={epic?.id}
          none={0}
        />
      )}
    </Edited>
  )
}

function Dates({ visit, of: { issue, call, mayPlan } }: Omit<PlanProps, 'choices'>): Html {
  const { weight, due_date: due } = issue
  const edited = { visit, performs: issuesUpdate, call }
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

function Kinds({ visit, of: { issue, call, mayPlan } }: Omit<PlanProps, 'choices'>): Html {
  const edited = { visit, performs: issuesUpdate, call }
  const severity = issue.severity.toLowerCase()
  const inWords = (name: string, values: readonly string[]) => values.map((one) => [one, wordOf(name, one)] as const)
  return (
    <>
      {issue.issue_type === 'incident' && (
        <Edited {...edited} title="Severity" shown={wordOf('severity', severity)} form="severity">
          {mayPlan && (
            <Select name="severity" label="Severity" choices={inWords('severity', severities)} chosen={severity} />
          )}
        </Edited>
      )}
      {issue.health_status !== undefined && (
        <Edited
          {...edited}
          title="Health"
          shown={issue.health_status ? wordOf('health_status', issue.health_status) : nothing}
          form="health"
        >
          {mayPlan && (
            <Select
              name="health_status"
              label="Health"
              choices={inWords('health_status', healths)}
              chosen={issue.health_status}
              none=""
            />
          )}
        </Edited>
      )}
      <Edited {...edited} title="Type" shown={wordOf('issue_type', issue.issue_type)} form="type">
        {mayPlan && (
          <Select
            name="issue_type"
            label="Type"
            choices={inWords('issue_type', ['issue', 'incident', 'task'])}
            chosen={issue.issue_type}
          />
        )}
      </Edited>
    </>
  )
}

/** What an issue is planned for, each with its form. */
export function Plan(props: PlanProps): Html {
  return (
    <>
      <Assignees {...props} />
      <Labels {...props} />
      <Milestone {...props} />
      <Iteration {...props} />
      <Epic {...props} />
      <Dates {...props} />
      <Kinds {...props} />
    </>
  )
}
