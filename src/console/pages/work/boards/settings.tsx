import type { Html } from '../../../html/index.ts'
import type { BoardObject } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Field, Form, visitOfForm } from '../../../parts/form.tsx'
import { nameOfIteration } from '../issues/read.ts'
import { addressIn } from '../places.ts'
import { Select } from '../side.tsx'
import { type BoardFacts, type BoardLevel, hasListFor, operationsAt, type TargetChoices } from './read.ts'

type SettingsProps = { visit: Visit; at: BoardLevel; of: BoardFacts; targets: TargetChoices }

/** Whether the server has scopes, and lists for more than labels. */
const hasScope = (board: BoardObject) => board.weight !== undefined

/** What a new list can be for, in groups. */
function targetsOf({ board }: BoardFacts, { labels, milestones, iterations, members }: TargetChoices) {
  const without = (kind: Parameters<typeof hasListFor>[1]) => {
    const has = hasListFor(board.lists, kind)
    return (one: { id: number }) => !has(one)
  }
  const choice = (name: string) => (id: number, text: string) => [`${name}=${id}`, text] as const
  const [label, milestone, iteration, assignee] = ['label_id', 'milestone_id', 'iteration_id', 'assignee_id'].map(
    choice,
  )
  const groups = [
    ['Labels', labels.filter(without('label')).map(({ id, name }) => label?.(id, name))],
    ['Milestones', milestones.filter(without('milestone')).map(({ id, title }) => milestone?.(id, title))],
    ['Iterations', iterations.filter(without('iteration')).map((one) => iteration?.(one.id, nameOfIteration(one)))],
    ['Assignees', members.filter(without('assignee')).map(({ id, name }) => assignee?.(id, name))],
  ] as const
  return (hasScope(board) ? groups : groups.slice(0, 1)).filter(([, found]) => found.length > 0)
}

/** Adds a list to the board. */
export function NewList({ visit, at, of, targets }: SettingsProps): Html {
  const { lists } = operationsAt(at)
  const groups = targetsOf(of, targets)
  return (
    <details class="menu" open={visitOfForm(visit, lists.create).refused !== null}>
      <summary class="button">New list</summary>
      <div class="popup">
        {groups.length === 0 ? (
          <p>
            Every label has a list. <a href={addressIn(visit, 'labels')}>Labels</a>
          </p>
        ) : (
          <Form visit={visit} performs={lists.create} call={of.call} class="stack">
            <select name="_choice" aria-label="What the issues of the list have">
              {groups.map(([title, choices]) => (
                <optgroup label={title}>
                  {choices.map((choice) => choice && <option value={choice[0]}>{choice[1]}</option>)}
                </optgroup>
              ))}
            </select>
            <button class="primary">Add the list</button>
          </Form>
        )}
      </div>
    </details>
  )
}

/** The choice that clears a part of the scope. */
const noLimit = ['', 'No limit'] as const

const words: readonly (readonly [number, string])[] = [
  [0, 'Without a milestone'],
  [-1, 'Any milestone'],
  [-2, 'Upcoming'],
  [-3, 'Started'],
]
const weights: readonly (readonly [number, string])[] = [
  [-1, 'Any'],
  [-2, 'Without'],
  ...Array.from({ length: 10 }, (_, weight) => [weight, String(weight)] as const),
]

/** To which issues the board is limited. */
function Scope({ visit, at, of: { board }, targets: { milestones, members } }: SettingsProps): Html {
  const { boards } = operationsAt(at)
  const ofMilestones = [noLimit, ...words, ...milestones.map(({ id, title }) => [id, title] as const)]
  const ofMembers = [noLimit, ...members.map(({ id, name }) => [id, name] as const)]
  return (
    <>
      <div class="field">
        <b>Milestone</b>
        <Select name="milestone_id" label="Milestone" choices={ofMilestones} chosen={board.milestone?.id} />
      </div>
      <div class="field">
        <b>Assignee</b>
        <Select name="assignee_id" label="Assignee" choices={ofMembers} chosen={board.assignee?.id} />
      </div>
      <div class="field">
        <b>Weight</b>
        <Select name="weight" label="Weight" choices={[noLimit, ...weights]} chosen={board.weight} />
      </div>
      <Field
        visit={visit}
        operation={boards.update}
        name="labels"
        options={{ value: (board.labels ?? []).map(({ name }) => name) }}
      />
    </>
  )
}

/** Changes the name, the columns that are always there, and the scope of the board. */
export function EditBoard(props: SettingsProps): Html {
  const { visit, at, of } = props
  const { boards } = operationsAt(at)
  const { board, call } = of
  return (
    <Form
      visit={visit}
      performs={boards.update}
      call={call}
      then={addressIn(visit, `boards/${board.id}`)}
      class="stack wide"
    >
      <Field visit={visit} operation={boards.update} name="name" options={{ value: board.name }} />
      {(['hide_backlog_list', 'hide_closed_list'] as const).map((name) => (
        <Field visit={visit} operation={boards.update} name={name} options={{ value: board[name], hint: ' ' }} />
      ))}
      {hasScope(board) && <Scope {...props} />}
      <div class="buttons">
        <button class="primary">Save</button> <a href={addressIn(visit, `boards/${board.id}`)}>Cancel</a>
      </div>
    </Form>
  )
}

/** Deletes the board. */
export function DeleteBoard({ visit, at, of }: Omit<SettingsProps, 'targets'>): Html {
  const { boards } = operationsAt(at)
  return (
    <Confirm label="Delete" question={`Delete ${of.board.name} with its lists? Issues and labels stay.`}>
      <Do visit={visit} performs={boards.delete} call={of.call} then={addressIn(visit, 'boards')} kind="danger">
        Delete the board
      </Do>
    </Confirm>
  )
}
