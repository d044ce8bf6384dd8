import { aTenth, ofIssuables } from './issuables.ts'
import type { Rows, World } from './rows.ts'
import { first } from './size.ts'

/** Ids of labels, milestones and others of groups follow those of projects. */
const ofGroups = 1_000_000

/** A number that a text has. */
const numberOf = ({ items }: World['own']) => `((i * 7919) % ${items})`

const issuableWords = `case when i % 5000 = 2 then ' needle Qz' else ' common words' end`

function labels({ size, own, aProject, aGroup, times, project }: World): Rows[] {
  const { each } = size
  const common = { color: `'#ffffff'`, description: `'Label ' || i`, ...times }
  return [
    {
      table: 'labels',
      count: 2 * each,
      columns: { id: `${first} + i`, project_id: aProject(2 * own.each), title: `'label' || i`, ...common },
    },
    {
      table: 'labels',
      count: 2 * each,
      columns: { id: `${ofGroups} + i`, namespace_id: aGroup(2 * own.each), title: `'group-label' || i`, ...common },
    },
    {
      table: 'label_priorities',
      count: Math.min(each, 200),
      columns: { project_id: `${project}`, label_id: `${first} + 2 * i`, priority: 'i' },
    },
  ]
}

function milestones({ size, own, aProject, aGroup, times, day }: World): Rows[] {
  const common = {
    ...{ state: `case when i % 4 < 2 then 'active' else 'closed' end`, description: `'Milestone ' || i` },
    ...{ start_date: day('i % 300'), due_date: `case when i % 8 > 0 then ${day('i % 900 + 7')} end`, ...times },
  }
  const count = 2 * size.each
  return [
    {
      table: 'milestones',
      count,
      columns: { id: `${first} + i`, iid: 'i', project_id: aProject(2 * own.each), title: `'v' || i`, ...common },
    },
    {
      table: 'milestones',
      count,
      columns: { id: `${ofGroups} + i`, iid: 'i', namespace_id: aGroup(2 * own.each), title: `'gv' || i`, ...common },
    },
  ]
}

/** The milestone of an issuable of the focal project. */
const milestoneOf = ({ own }: World) =>
  `case when i % 2 = 0 and i % 3 > 0 and i <= ${own.items} then ${first} + 2 * (1 + i / 2 % ${own.each}) end`

function issues(world: World): Rows[] {
  const { size, own, at, day, aProject, aUser, times, person, row } = world
  const { items, each } = size
  return [
    {
      table: 'issues',
      count: items,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: aProject(own.items),
          iid: 'i',
          title: `'Issue number ' || ${numberOf(own)}`,
        },
        description: `'Description of ' || i || ${issuableWords}`,
        ...{ state: `case when i % 4 < 2 then 'opened' else 'closed' end`, author_id: aUser(own.items), ...times },
        closed_at: `case when i % 4 > 1 then ${at('i')} end`,
        weight: `case when i % 3 = 0 then i % 10 end`,
        due_date: `case when i % 4 = 0 then ${day('i % 1200')} end`,
        milestone_id: milestoneOf(world),
        iteration_id: `case when i % 6 = 0 and i <= ${own.items} then ${first} + 1 + i % ${own.each} end`,
        ...{ confidential: 'i % 40 = 0', issue_type: `case when i % 25 = 0 then 'incident' else 'issue' end` },
        health_status: `case when i % 30 = 0 then 'at_risk' end`,
      },
    },
    {
      table: 'issues_search',
      count: items,
      columns: {
        ...{
          rowid: `${first} + i`,
          title: `'issue number ' || ${numberOf(own)} || '  '`,
          long_description: `''`,
        },
        description: `lower('Description of ' || i || ${issuableWords}) || '  '`,
      },
    },
    {
      // The list has no pages, so it has as many rows in each size.
      table: 'issue_links',
      count: Math.min(own.each, 100),
      columns: { source_id: `${row}`, target_id: `${row} + i`, link_type: `'relates_to'`, ...times },
      more: `where i < ${items} - 2`,
    },
    ...ofIssuables(world, 'Issue'),
    { table: 'iteration_cadences', count: own.each, columns: cadence(world) },
    {
      table: 'iterations',
      count: 2 * each,
      columns: {
        ...{
          id: `${first} + i`,
          iid: 'i',
          namespace_id: world.aGroup(2 * own.each),
          cadence_id: `${first} + 1 + i % ${own.each}`,
          sequence: 'i',
        },
        ...{
          title: `'Iteration ' || i`,
          start_date: day('i % 1500'),
          due_date: day('i % 1500 + 6'),
          closed: 'i % 2 = 0',
          ...times,
        },
      },
    },
    {
      table: 'award_emoji',
      count: Math.min(own.each, size.users),
      columns: {
        user_id: `${person} - 1 + i`,
        name: `'tada'`,
        noteable_type: `'Issue'`,
        noteable_id: `${row}`,
        ...times,
      },
    },
  ]
}

const cadence = ({ group, times, day }: World) => ({
  ...{
    id: `${first} + i`,
    namespace_id: `${group}`,
    title: `'Cadence ' || i`,
    automatic: 'i < 0',
    start_date: day('0'),
  },
  ...{ roll_over: 'i < 0', active: 'i > 0', ...times },
})

function mergeRequests(world: World): Rows[] {
  const { size, own, at, hex, aProject, aUser, times, person, row } = world
  const { items, users } = size
  const { each } = own
  return [
    {
      table: 'merge_requests',
      count: items,
      columns: {
        ...{
          id: `${first} + i`,
          project_id: aProject(own.items),
          iid: 'i',
          title: `'Merge number ' || ${numberOf(own)}`,
        },
        description: `'Description of ' || i || ${issuableWords}`,
        state: `case when i % 8 < 4 then 'opened' when i % 8 < 6 then 'merged' else 'closed' end`,
        ...{
          author_id: aUser(own.items),
          draft: 'i % 5 = 0',
          source_branch: `'feature-' || i`,
          target_branch: `'main'`,
          sha: hex('i', 40),
        },
        merged_at: `case when i % 8 in (4, 5) then ${at('i + 100')} end`,
        merge_user_id: `case when i % 8 in (4, 5) then ${aUser(own.items)} end`,
        milestone_id: milestoneOf(world),
        ...{ squash: 'i < 0', force_remove_source_branch: 'i < 0', prepared_at: at('i'), ...times },
      },
    },
    {
      table: 'merge_requests_search',
      count: items,
      columns: {
        ...{
          rowid: `${first} + i`,
          title: `'merge number ' || ${numberOf(own)} || '  '`,
          long_description: `''`,
        },
        description: `lower('Description of ' || i || ${issuableWords}) || '  '`,
      },
    },
    {
      table: 'merge_request_versions',
      count: items,
      columns: {
        ...{
          merge_request_id: `case when i % 10 = 0 then ${row} else ${first} + i end`,
          head_sha: hex('i', 40),
          base_sha: hex('i', 40),
        },
        ...{ start_sha: hex('i', 40), commit_count: '1', file_count: '1', ...world.made },
      },
      more: `where i <= 10 * ${each}`,
    },
    {
      table: 'merge_request_reviewers',
      count: items,
      columns: {
        ...{
          merge_request_id: `${first} + i`,
          user_id: aTenth(world),
        },
        ...{ position: '0', state: `'unreviewed'`, ...world.made },
      },
    },
    {
      table: 'approvals',
      count: items,
      columns: { merge_request_id: `${first} + i`, user_id: `${person} + i % ${users}`, ...world.made },
      more: 'where i % 3 = 0',
    },
    // Texts name them, so they are not more in a large instance.
    {
      table: 'merge_request_closings',
      count: Math.min(each, 100),
      columns: { merge_request_id: `${row}`, issue_id: `${first} + i` },
    },
    {
      table: 'merge_request_closings',
      count: Math.min(each, 100),
      columns: { merge_request_id: `${row} + i`, issue_id: `${row}` },
    },
    {
      table: 'draft_notes',
      count: Math.min(each, 300),
      columns: {
        ...{ merge_request_id: `${row}`, author_id: `${person}`, note: `'Draft ' || i`, resolve_discussion: 'i < 0' },
        ...times,
      },
    },
    {
      table: 'context_commits',
      count: Math.min(each, 1_000),
      columns: { merge_request_id: `${row}`, sha: hex('i', 40), committed_at: at('i') },
    },
    // What is before the focal one is another half than what is after it.
    ...[
      { blocked_id: `${row}`, blocking_id: `${row} + 2 * i` },
      { blocking_id: `${row}`, blocked_id: `${row} + 2 * i - 1` },
    ].map(
      (ends): Rows => ({
        table: 'merge_request_blocks',
        count: Math.floor(Math.min(each, 100) / 2),
        columns: { ...ends, ...world.made },
      }),
    ),
    ...ofIssuables(world, 'MergeRequest'),
  ]
}

function epics({ size, own, aGroup, aUser, times, row, group, person, made }: World): Rows[] {
  const { each } = size
  const columns = {
    ...{ id: `${first} + i`, group_id: aGroup(2 * own.each), iid: 'i', color: `'#1068bf'`, title: `'Epic ' || i` },
    ...{
      author_id: aUser(2 * own.each),
      description: `'Description of ' || i || ${issuableWords}`,
      state: `case when i % 4 < 2 then 'opened' else 'closed' end`,
      ...times,
      parent_id: `case when i > 2 and i <= 100 then ${row} end`,
      relative_position: 'i',
    },
  }
  const focal = { issuable_type: `'Epic'`, issuable_id: `${row}`, group_id: `${group}`, user_id: `${person}`, ...made }
  return [
    { table: 'epics', count: 2 * each, columns },
    {
      table: 'epics_search',
      count: 2 * each,
      columns: {
        ...{ rowid: `${first} + i`, title: `'epic ' || i || '  '`, long_description: `''` },
        description: `lower('Description of ' || i || ${issuableWords}) || '  '`,
      },
    },
    {
      table: 'epic_issues',
      count: own.each,
      columns: { epic_id: `${row}`, issue_id: `${first} + i`, relative_position: 'i' },
    },
    {
      // Of one epic as many in each size, as its list has no pages; the list of the group has all.
      table: 'epic_links',
      count: own.each,
      columns: {
        ...{
          source_id: `${first} + case when i % 2 = 0 and i <= 200 then 2 else i end`,
          target_id: `${first} + i + 3`,
          ...times,
        },
        link_type: `case when i % 3 = 0 then 'blocks' else 'relates_to' end`,
      },
    },
    {
      table: 'resource_label_events',
      count: own.each,
      columns: { ...focal, label_id: `${first + 2}`, action: `'add'` },
    },
    { table: 'resource_state_events', count: own.each, columns: { ...focal, state: `'closed'` } },
  ]
}

/** Boards of the focal project and group, as many as they may have, and the lists of the first. */
function boards({ size, project, group, times, row }: World): Rows[] {
  const count = Math.min(size.each, 100)
  const board = { name: `'board' || i`, ...times }
  return [
    { table: 'boards', count, columns: { id: `${first} + i`, project_id: `${project}`, ...board } },
    { table: 'boards', count, columns: { id: `${ofGroups} + i`, namespace_id: `${group}`, ...board } },
    {
      table: 'board_lists',
      count,
      columns: { board_id: `${row}`, label_id: `${first} + 2 * i`, rank: 'i', ...times },
    },
  ]
}

/** The last numbers that were given out to issues and merge requests. */
const numbers: Rows[] = ['issues', 'merge_requests'].map((kind) => ({
  table: 'internal_ids',
  count: 1,
  columns: { project_id: 'numbered.project_id', kind: `'${kind}'`, last_value: 'numbered.last_value' },
  more: `cross join (select project_id, max(iid) as last_value from ${kind} group by project_id) numbered`,
}))

/** Issues, merge requests and epics, with labels, milestones and iterations. */
export const planning = (world: World): Rows[] => [
  ...labels(world),
  ...milestones(world),
  ...issues(world),
  ...mergeRequests(world),
  ...epics(world),
  ...boards(world),
  ...numbers,
]
