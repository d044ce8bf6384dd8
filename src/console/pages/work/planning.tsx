/** What issues, merge requests and epics are planned for: the parts beside them, each with its form. */
import type { Operation } from '../../../api/index.ts'
import type { Child, Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { pathOfUrl } from '../../parts/discussion/index.ts'
import { Do } from '../../parts/form.tsx'
import { Avatar, Label } from '../../parts/parts.tsx'
import type { Choices, MemberChoice } from './choices.ts'
import { type LabelChoice, LabelLinks, labelsOf } from './labels.tsx'
import { Boxes, Edited, nothing, Select } from './side.tsx'

/** An object, and the operation that changes it. */
export type Planned = {
  visit: Visit
  performs: Operation
  call: Record<string, string | number | boolean>
  mayPlan: boolean
}

/** @property said what the person has said of the object */
type Person = MemberChoice & { said?: string }

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

type PeopleFieldProps = {
  planned: Planned
  title: string
  name: 'assignee_ids' | 'reviewer_ids'
  people: readonly Person[]
  members: readonly MemberChoice[]
  /** What the button says by which the caller takes the place of all. */
  own?: string
}

/** People of an object, chosen from the members. */
export function PeopleField({ planned, title, name, people, members, own }: PeopleFieldProps): Html {
  const { mayPlan, ...edited } = planned
  const isChosen = (id: number) => people.some((one) => one.id === id)
  const others = people.filter(({ id }) => !members.some((one) => one.id === id))
  const self = members.find(({ id }) => id === edited.visit.me?.id && !isChosen(id))
  const shown = (
    <>
      <People people={people} />
      {mayPlan && own && self && (
        <Do {...edited} form={`own-${name}`} call={{ ...edited.call, [`${name}[]`]: self.id }} kind="quiet">
          {own}
        </Do>
      )}
    </>
  )
  return (
    <Edited {...edited} title={title} shown={shown} form={name}>
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

type LabelsFieldProps = {
  planned: Planned
  labels: readonly (string | LabelChoice)[]
  choices: readonly LabelChoice[]
  /** The address of the list of what has a label. */
  list: string
}

/** The labels of an object, chosen from those of its place. */
export function LabelsField({ planned: { mayPlan, ...edited }, labels, choices, list }: LabelsFieldProps): Html {
  const own = labelsOf(labels, choices)
  const others = own.filter(({ name }) => !choices.some((one) => one.name === name))
  return (
    <Edited
      {...edited}
      title="Labels"
      shown={own.length > 0 ? <LabelLinks labels={own} list={list} /> : nothing}
      form="labels"
    >
      {mayPlan && choices.length > 0 && (
        <Boxes
          name="labels"
          label="Labels"
          choices={[...others, ...choices].map(({ name, color }) => [name, <Label name={name} color={color} />])}
          chosen={own.map(({ name }) => name)}
        />
      )}
    </Edited>
  )
}

type OneFieldProps = {
  planned: Planned
  title: string
  form: string
  name: string
  shown: Child
  choices: readonly (readonly [value: string | number, label: string])[]
  chosen: string | number | null | undefined
  /** The value that stands for none, where it can be none. */
  none?: string | number
}

/** One of several that an object is planned for. */
export function OneField(props: OneFieldProps): Html {
  const { planned, title, form, name, shown, choices, chosen, none } = props
  const { mayPlan, ...edited } = planned
  return (
    <Edited {...edited} title={title} shown={shown} form={form}>
      {mayPlan && choices.length > 0 && (
        <Select name={name} label={title} choices={choices} chosen={chosen} {...(none !== undefined && { none })} />
      )}
    </Edited>
  )
}

/** Choices with the one that is chosen already, which a list of open ones may lack. */
export function withOwn<One extends { id: number }>(own: One | null | undefined, others: readonly One[]): One[] {
  return own ? [own, ...others.filter(({ id }) => id !== own.id)] : [...others]
}

type Milestone = { id: number; title: string; web_url: string }

/** The milestone of an object. */
export function MilestoneField({
  planned,
  milestone,
  choices,
}: {
  planned: Planned
  milestone: Milestone | null
  choices: Choices
}): Html {
  return (
    <OneField
      planned={planned}
      title="Milestone"
      form="milestone"
      name="milestone_id"
      shown={milestone ? <a href={pathOfUrl(milestone.web_url)}>{milestone.title}</a> : nothing}
      choices={withOwn<Milestone>(milestone, choices.milestones).map(({ id, title }) => [id, title])}
      chosen={milestone?.id}
      none={0}
    />
  )
}
