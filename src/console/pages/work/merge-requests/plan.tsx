import type { Html } from '../../../html/index.ts'
import { mergeRequestsUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { Avatar, Label } from '../../../parts/parts.tsx'
import { addressIn } from '../places.ts'
import { Boxes, Edited, nothing, Select } from '../side.tsx'
import type { Reviewers } from './merge-facts.ts'
import { type Choices, labelsOf, type MemberChoice, type ReadRequest } from './read.ts'

type PlanProps = { visit: Visit; of: ReadRequest; choices: Choices; reviewers: Reviewers }

type Person = Omit<MemberChoice, 'id'> & { id: number; said?: string }

const reviewWords: Readonly<Record<string, string>> = {
  unreviewed: 'not reviewed yet',
  reviewed: 'reviewed',
  review_started: 'has begun',
  requested_changes: 'requested changes',
  approved: 'approved',
  unapproved: 'withdrew the approval',
}

function People({ people }: { people: readonly Person[] }): Html {
  if (people.length === 0) return <span class="soft">No one</span>
  return (
    <>
      {people.map(({ name, username, said }) => (
        <p class="person">
          <Avatar name={name} /> <a href={`/${username}`}>{name}</a>
          {said && <span class="soft"> {said}</span>}
        </p>
      ))}
    </>
  )
}

type PeopleOfProps = {
  props: PlanProps
  title: string
  name: 'assignee_ids' | 'reviewer_ids'
  people: readonly Person[]
  /** What the button says by which the caller adds themself. */
  own?: string
}

function PeopleOf({ props: { visit, of, choices }, title, name, people, own }: PeopleOfProps): Html {
  const { call, mayPlan } = of
  const { members } = choices
  const others = people.filter(({ id }) => !members.some((one) => one.id === id))
  const self = members.find(({ id }) => id === visit.me?.id && !people.some((one) => one.id === id))
  const shown = (
    <>
      <People people={people} />
      {mayPlan && own && self && people.length === 0 && (
        <Do
          visit={visit}
          performs={mergeRequestsUpdate}
          form={`own-${name}`}
          call={{ ...call, [`${name}[]`]: self.id }}
          kind="quiet"
        >
          {own}
        </Do>
      )}
    </>
  )
  return (
    <Edited visit={visit} title={title} shown={shown} performs={mergeRequestsUpdate} form={name} call={call}>
      {mayPlan && (
        <Boxes
          name={name}
          label={title}
          choices={[...others, ...members].map(({ id, name, username }) => [id, `${name} (@${username})`])}
          chosen={people.map(({ id }) => id)}
        />
      )}
    </Edited>
  )
}

function Labels({ visit, of: { request, call, mayPlan }, choices: { labels } }: PlanProps): Html {
  const own = labelsOf(request)
  const shown = own.map(({ name, color }) => (
    <Label
      name={name}
      color={color}
      href={`${addressIn(visit, 'merge_requests')}?labels=${encodeURIComponent(name)}`}
    />
  ))
  const others = own.filter(({ name }) => !labels.some((one) => one.name === name))
  return (
    <Edited
      visit={visit}
      title="Labels"
      shown={shown.length > 0 ? shown : nothing}
      performs={mergeRequestsUpdate}
      form="labels"
      call={call}
    >
      {mayPlan && labels.length > 0 && (
        <Boxes
          name="labels"
          label="Labels"
          choices={[...others, ...labels].map(({ name, color }) => [name, <Label name={name} color={color} />])}
          chosen={own.map(({ name }) => name)}
        />
      )}
    </Edited>
  )
}

function Milestone({ visit, of: { request, call, mayPlan }, choices }: PlanProps): Html {
  const { milestone } = request
  const milestones = [...(milestone ? [milestone] : []), ...choices.milestones.filter(({ id }) => id !== milestone?.id)]
  return (
    <Edited
      visit={visit}
      title="Milestone"
      shown={milestone ? <a href={pathOfUrl(milestone.web_url)}>{milestone.title}</a> : nothing}
      performs={mergeRequestsUpdate}
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

/** Who is to do what with a merge request, and what it is planned for, each with its form. */
export function Plan(props: PlanProps): Html {
  const { request } = props.of
  const reviewers = props.reviewers.map(({ user, state }) => ({ ...user, said: reviewWords[state] ?? state }))
  return (
    <>
      <PeopleOf
        props={props}
        title="Assignees"
        name="assignee_ids"
        people={request.assignees}
        own="Assign it to yourself"
      />
      <PeopleOf props={props} title="Reviewers" name="reviewer_ids" people={reviewers} />
      <Labels {...props} />
      <Milestone {...props} />
    </>
  )
}
