/** What the forms for new and changed issues, merge requests and epics share. */
import type { Operation } from '../../../api/index.ts'
import type { Child, Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do } from '../../parts/form.tsx'
import { MarkdownTools } from '../../parts/writing/index.ts'
import type { Choices, MemberChoice } from './choices.ts'
import { Boxes, Select } from './side.tsx'

/** What was written into a field of lists, or what the address has for it. */
const chosenIn = ({ refused, query }: Visit, name: string): string[] =>
  [refused?.values[name] ?? query[name] ?? []].flat().map(String)

/** A choice of one for a new object; nothing where there is no choice. */
export function NewOne(props: {
  visit: Visit
  name: string
  title: string
  choices: readonly (readonly [value: number, label: string])[]
}): Html {
  const { visit, name, title, choices } = props
  if (choices.length === 0) return <></>
  return (
    <div class="field">
      <b>{title}</b>
      <Select name={name} label={title} choices={choices} chosen={chosenIn(visit, name)[0]} none="" />
    </div>
  )
}

/** The people for a new object. */
export function NewPeople(props: {
  visit: Visit
  name: 'assignee_ids' | 'reviewer_ids'
  title: string
  members: readonly MemberChoice[]
}): Html {
  const { visit, name, title, members } = props
  const choices = members.map(({ id, name, username }) => [String(id), `${name} (@${username})`] as const)
  return (
    <div class="field">
      <b>{title}</b>
      <Boxes name={name} label={title} choices={choices} chosen={chosenIn(visit, name)} />
    </div>
  )
}

/** The labels and the milestone for a new object. */
export function NewPlans({ visit, choices: { labels, milestones } }: { visit: Visit; choices: Choices }): Html {
  return (
    <>
      {labels.length > 0 && (
        <div class="field">
          <b>Labels</b>
          <Boxes
            name="labels"
            label="Labels"
            choices={labels.map(({ name }) => [name, name])}
            chosen={chosenIn(visit, 'labels')}
          />
        </div>
      )}
      <NewOne
        visit={visit}
        name="milestone_id"
        title="Milestone"
        choices={milestones.map(({ id, title }) => [id, title])}
      />
    </>
  )
}

/** The buttons of a form with a description. */
export function FormButtons({ uploads = false, children }: { uploads?: boolean; children: Child }): Html {
  return (
    <div class="buttons">
      <button class="primary">{children}</button>
      <MarkdownTools name="description" uploads={uploads} />
    </div>
  )
}

type DeletionProps = {
  visit: Visit
  performs: Operation
  call: Record<string, string | number | boolean>
  /** The address of the list. */
  then: string
  question: string
  children: Child
}

/** The section that deletes an object, after a question. */
export function Deletion({ visit, performs, call, then, question, children }: DeletionProps): Html {
  return (
    <section>
      <h2>Delete</h2>
      <Confirm label="Delete" question={question}>
        <Do visit={visit} performs={performs} call={call} then={then} kind="danger">
          {children}
        </Do>
      </Confirm>
    </section>
  )
}
