import type { Rows, World } from './rows.ts'
import { first } from './size.ts'

/** The person for every tenth row of the focal project, or another user. */
export const aTenth = ({ own, person, size }: World) =>
  `case when i % 10 = 0 and i <= ${own.items} then ${person} else ${person} + i % ${size.users} end`

/** A comment on every third issuable. @param after the id after which those of the discussions are free */
function commentOfEach({ size, own, aProject, at, hex, times, person }: World, type: string, after: number): Rows[] {
  const noted = { noteable_type: `'${type}'`, noteable_id: `${first} + i`, project_id: aProject(own.items) }
  const id = `${after} + i`
  const more = 'where i > 2 and i % 3 = 0'
  return [
    {
      ...{ table: 'discussions', count: size.items, more },
      columns: { id, public_id: hex(id, 40), individual_note: 'i > 1', created_at: at('i'), ...noted },
    },
    {
      ...{ table: 'notes', count: size.items, more },
      columns: {
        ...{ discussion_id: id, author_id: `${person} + i % 50`, body: `'Comment ' || i`, ...times },
        ...noted,
      },
    },
  ]
}

/** The notes of the longest discussion. */
const replies = 100

/** Labels, assignees, votes, records of changes and comments of issues or merge requests. */
export function ofIssuables(world: World, type: string): Rows[] {
  const { size, own, at, hex, made, times, person, project, row } = world
  const { items, users } = size
  const { each } = own
  const project_id = world.aProject(own.items)
  const of = { issuable_type: `'${type}'`, issuable_id: `${first} + i`, project_id }
  const focal = { issuable_type: `'${type}'`, issuable_id: `${row}`, project_id: `${project}` }
  const record = { user_id: `${person} + i % 7`, ...made }
  const action = { action: `case when i % 2 = 0 then 'add' else 'remove' end` }
  const noted = { noteable_type: `'${type}'`, noteable_id: `${row}`, project_id: `${project}` }
  const offset = type === 'Issue' ? 0 : 10_000_000
  return [
    {
      table: 'issuable_labels',
      count: items,
      columns: {
        label_id: `case when i <= ${own.items} then ${first} + 2 * (1 + i % 20) else ${first} + 1 + 2 * (i % ${size.each}) end`,
        ...of,
      },
      more: 'where i % 2 = 0',
    },
    {
      table: 'issuable_labels',
      count: items,
      columns: { label_id: `${first} + 2 * ${Math.min(25, each)}`, ...of },
      more: `where i % 5000 = 0 and i <= ${own.items}`,
    },
    {
      table: 'issuable_assignees',
      count: items,
      columns: {
        user_id: aTenth(world),
        position: '0',
        ...of,
      },
      more: 'where i % 3 < 2',
    },
    {
      table: 'award_emoji',
      count: items,
      columns: {
        ...{
          user_id: `case when i <= ${own.items} then ${person} else ${person} + i % ${users} end`,
          name: `'thumbsup'`,
          noteable_type: `'${type}'`,
          noteable_id: `${first} + i`,
          project_id,
        },
        ...times,
      },
      more: 'where i % 5 = 0',
    },
    {
      table: 'award_votes',
      count: items,
      columns: { noteable_type: `'${type}'`, noteable_id: `${first} + i`, project_id, upvotes: '1' },
      more: 'where i % 5 = 0',
    },
    {
      table: 'resource_label_events',
      count: each,
      columns: { ...record, label_id: `${first + 2}`, ...action, ...focal },
    },
    {
      table: 'resource_milestone_events',
      count: each,
      columns: { ...record, milestone_id: `${first + 2}`, ...action, ...focal },
    },
    { table: 'resource_state_events', count: each, columns: { ...record, state: `'closed'`, ...focal } },
    ...(type === 'Issue'
      ? [
          { table: 'resource_weight_events', count: each, columns: { ...record, weight: 'i % 9', ...focal } },
          {
            table: 'resource_iteration_events',
            count: each,
            columns: { ...record, iteration_id: `${first + 2}`, ...action, ...focal },
          },
        ]
      : []),
    {
      table: 'discussions',
      count: each,
      columns: {
        id: `${offset} + i`,
        public_id: hex(`${offset} + i`, 40),
        individual_note: 'i > 1',
        created_at: at('i'),
        ...noted,
      },
    },
    {
      table: 'notes',
      count: 2 * each,
      columns: {
        // A discussion is answered as a whole, so the longest one has as many notes in each size.
        discussion_id: `${offset} + case when i <= ${each} then i when i <= ${each + replies} then 1 else i - ${each} end`,
        id: `${offset} + i`,
        ...{ author_id: `${person} + i % 50`, body: `'Comment ' || i`, system: 'i % 4 = 0', ...times, ...noted },
      },
    },
    ...commentOfEach(world, type, offset + first + each),
  ]
}
