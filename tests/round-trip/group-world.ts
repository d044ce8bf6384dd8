/** A group with every kind of row that the archive of a group has, and a group below it, made by the API. */
import type { Client, People, TestServer } from '../../src/testing/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows of every kind
type Row = any

type Ask = (client: Client, method: 'post' | 'put', path: string, body?: unknown) => Promise<Row>

/** @throws Error when the server refuses */
const ask: Ask = async (client, method, path, body) => {
  const answer = await client[method](path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Labels, milestones, iterations, and boards with lists of each of them. */
async function fillPlanning({ owner, maintainer, developer }: People, at: string): Promise<void> {
  const ui = await ask(maintainer, 'post', `${at}/labels`, { name: 'ui', color: '#112233', description: 'Of pages' })
  const api = await ask(maintainer, 'post', `${at}/labels`, { name: 'api', color: '#aabbcc' })
  const first = { title: 'First', description: 'one', start_date: '2026-01-01', due_date: '2026-02-01' }
  const milestone = await ask(maintainer, 'post', `${at}/milestones`, first)
  const second = await ask(maintainer, 'post', `${at}/milestones`, { title: 'Second' })
  await ask(maintainer, 'put', `${at}/milestones/${second.id}`, { state_event: 'close' })
  const cadence = { title: 'Every two weeks', description: 'of work', start_date: '2026-03-01', automatic: false }
  const { id: iteration_cadence_id } = await ask(maintainer, 'post', `${at}/iteration_cadences`, cadence)
  const days = { start_date: '2026-03-01', due_date: '2026-03-14' }
  const named = { title: 'Sprint', description: 'The first', iteration_cadence_id }
  const iteration = await ask(maintainer, 'post', `${at}/iterations`, { ...named, ...days })
  const later = { iteration_cadence_id, start_date: '2126-03-15', due_date: '2126-03-28' }
  await ask(maintainer, 'post', `${at}/iterations`, later)
  const board = await ask(maintainer, 'post', `${at}/boards`, { name: 'Work' })
  const lists = [
    { label_id: api.id },
    { milestone_id: milestone.id },
    { iteration_id: iteration.id },
    { assignee_id: developer.id },
    { label_id: ui.id },
  ]
  for (const list of lists) await ask(maintainer, 'post', `${at}/boards/${board.id}/lists`, list)
  const scope = { milestone_id: milestone.id, assignee_id: developer.id, labels: 'ui', weight: 3 }
  const scoped = await ask(maintainer, 'post', `${at}/boards`, { name: 'Scoped' })
  await ask(owner, 'put', `${at}/boards/${scoped.id}`, { ...scope, hide_backlog_list: true })
}

/** Epics with comments, reactions, records of changes, parents and links. */
async function fillEpics({ maintainer, developer, reporter }: People, at: string): Promise<void> {
  const dates = { start_date_fixed: '2026-01-05', start_date_is_fixed: true }
  const more = { description: 'Text of `code`', labels: 'ui', color: '#334455', confidential: true }
  const child = await ask(reporter, 'post', `${at}/epics`, { title: 'A child', ...more, ...dates })
  const parent = await ask(reporter, 'post', `${at}/epics`, { title: 'A parent' })
  const change = { parent_id: parent.id, add_labels: 'api', remove_labels: 'ui', due_date_fixed: '2026-02-05' }
  await ask(maintainer, 'put', `${at}/epics/${child.iid}`, { ...change, due_date_is_fixed: true })
  const closed = await ask(reporter, 'post', `${at}/epics`, { title: 'A closed one' })
  await ask(maintainer, 'put', `${at}/epics/${closed.iid}`, { state_event: 'close' })
  const links = { target_group_id: closed.group_id, target_epic_iid: closed.iid, link_type: 'blocks' }
  await ask(maintainer, 'post', `${at}/epics/${parent.iid}/related_epics`, links)
  await ask(developer, 'post', `${at}/epics/${child.iid}/award_emoji`, { name: 'thumbsup' })
  const note = await ask(developer, 'post', `${at}/epics/${child.id}/notes`, { body: 'A **comment**' })
  await ask(reporter, 'post', `${at}/epics/${child.iid}/notes/${note.id}/award_emoji`, { name: 'tada' })
  await ask(maintainer, 'post', `${at}/epics/${child.id}/notes`, { body: 'Not for everybody', internal: true })
  const thread = await ask(developer, 'post', `${at}/epics/${child.id}/discussions`, { body: 'A thread' })
  await ask(maintainer, 'post', `${at}/epics/${child.id}/discussions/${thread.id}/notes`, { body: 'A reply' })
}

/** Fills a group of which people are members. @returns the id of the group below it */
export async function fillGroup({ root }: Pick<TestServer, 'root'>, people: People, at: string): Promise<number> {
  const { owner, maintainer, developer, reporter } = people
  await ask(owner, 'put', at, {
    ...{ description: 'All of it', request_access_enabled: false, project_creation_level: 'maintainer' },
    ...{ subgroup_creation_level: 'owner', mentions_disabled: true, emails_enabled: false, lfs_enabled: false },
    ...{ two_factor_grace_period: 7, prevent_sharing_groups_outside_hierarchy: true },
  })
  await fillPlanning(people, at)
  await fillEpics(people, at)
  const image = { link_url: 'https://x/%{project_path}', image_url: 'https://x/i.svg' }
  await ask(owner, 'post', `${at}/badges`, { name: 'b', ...image })
  await ask(owner, 'put', `${at}/members/${reporter.id}`, { access_level: 20, expires_at: '2126-01-01' })
  await ask(developer, 'post', `${at}/wikis`, { title: 'home', content: 'welcome' })
  await ask(developer, 'put', `${at}/wikis/home`, { title: 'home', content: 'welcome again' })
  await ask(root, 'put', `${at}/custom_attributes/team`, { value: 'blue' })
  const { id: parent_id } = (await owner.get(at)).body
  const below = await ask(owner, 'post', '/groups', { name: 'Below', path: 'below', parent_id, description: 'Deeper' })
  await ask(owner, 'post', `/groups/${below.id}/labels`, { name: 'deep', color: '#445566' })
  await ask(maintainer, 'post', `/groups/${below.id}/epics`, { title: 'A deep one', labels: 'ui,deep' })
  return below.id
}
