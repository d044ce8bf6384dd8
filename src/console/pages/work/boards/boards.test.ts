import { expect, test } from 'vitest'
import { api, base, group, groupBase, guest, owner, project, script, sent, serveWorkForTests } from '../testing.ts'
import { type Column, columnsOf, moveOf } from './columns.ts'

serveWorkForTests()

const places = [
  { kind: 'project', at: base, of: () => ({ path: api, id: project.id }) },
  { kind: 'group', at: groupBase, of: () => ({ path: `/groups/${group.id}`, id: group.id }) },
] as const

/** The texts of the cards of each column, by its title. */
function cardsIn(html: string): Record<string, string[]> {
  const columns = html.split('<section class="column"').slice(1)
  const textOf = (text = '') => text.replace(/<[^>]*>/g, '').trim()
  return Object.fromEntries(
    columns.map((column) => [
      textOf(/<h2[^>]*>(.*?)<\/h2>/s.exec(column)?.[1]),
      [...column.matchAll(/<a class="strong"[^>]*>(.*?)<\/a>/gs)].map(([, title]) => textOf(title)),
    ]),
  )
}

/** The value of the choice that moves a card to a column. */
function choiceOf(html: string, title: string, to: string): string {
  const card = html.split('<li class="card"').find((part) => part.includes(`>${title}</a>`)) ?? ''
  const [, value = ''] = new RegExp(`<option value="([^"]*)"[^>]*>${to}</option>`).exec(card) ?? []
  expect(value).not.toBe('')
  return value.replaceAll('&amp;', '&')
}

test.each(places)('a board of a $kind is made, filled, changed and deleted', async ({ kind, at, of }) => {
  const { path, id } = of()
  const [boards, lists] = [`${kind}_boards`, `${kind}_board_lists`]
  expect((await guest.browser.get(`${at}/boards`)).html).not.toContain(`${boards}.create`)
  const made = await sent(
    `${at}/boards`,
    `${boards}.create`,
    { id: String(id), name: `B ${script}` },
    `${at}/boards/{id}`,
  )
  const board = made.location
  const own = { id: String(id), board_id: board.split('/').at(-1) as string }
  expect(Object.keys(cardsIn(made.html))).toEqual(['Open', 'Closed'])
  const names = [`doing-${kind}`, `done-${kind}`]
  const labels = []
  for (const name of names) labels.push((await owner.post(`${path}/labels`, { name, color: '#112233' })).body)
  for (const label of labels) {
    await sent(board, `${lists}.create`, { ...own, _choice: `label_id=${label.id}` })
  }
  const { body: stored } = await owner.get(`${path}/boards/${own.board_id}`)
  const title = `Card ${kind}`
  const issue = { title, weight: 3, due_date: '2031-01-01', assignee_ids: [owner.id], labels: names[0] }
  const { body: created } = await owner.post(`${api}/issues`, issue)
  await owner.post(`${api}/issues`, { title: `Other ${kind}` })
  const shown = (await owner.browser.get(board)).html
  const cards = cardsIn(shown)
  expect(Object.keys(cards)).toEqual(['Open', ...names, 'Closed'])
  expect(cards[names[0] as string]).toEqual([title])
  expect(cards.Open).toContain(`Other ${kind}`)
  expect(cards.Open).not.toContain(title)
  expect(shown).toContain('weight 3')
  expect(shown).toContain('Assigned to ')
  const move = async (to: string) => {
    const { html } = await owner.browser.get(board)
    const fields = { id: String(project.id), issue_iid: String(created.iid), _choice: choiceOf(html, title, to) }
    return cardsIn((await sent(board, 'issues.update', fields)).html)
  }
  expect((await move(names[1] as string))[names[1] as string]).toEqual([title])
  expect((await move('Closed')).Closed).toContain(title)
  expect((await owner.get(`${api}/issues/${created.iid}`)).body).toMatchObject({ state: 'closed', labels: [names[1]] })
  expect((await move('Open')).Open).toContain(title)
  expect((await owner.get(`${api}/issues/${created.iid}`)).body).toMatchObject({ state: 'opened', labels: [] })
  const [first, second] = stored.lists.map((list: { id: number }) => String(list.id))
  const moved = await sent(board, `${lists}.move`, { ...own, list_id: second, position: '0' })
  expect(Object.keys(cardsIn(moved.html))).toEqual(['Open', names[1], names[0], 'Closed'])
  const less = await sent(board, `${lists}.delete`, { ...own, list_id: first })
  expect(Object.keys(cardsIn(less.html))).toEqual(['Open', names[1], 'Closed'])
  const seen = (await guest.browser.get(board)).html
  expect(cardsIn(seen).Open).toContain(title)
  for (const button of ['issues.update', `${lists}.create`, 'Edit</a>']) expect(seen).not.toContain(button)
  const edit = `${board}/edit`
  expect((await guest.browser.get(edit)).status).toBe(403)
  const changed = await sent(
    edit,
    `${boards}.update`,
    { ...own, name: 'Renamed', hide_backlog_list: 'true', weight: '3', milestone_id: '', assignee_id: '', labels: '' },
    board,
  )
  expect(Object.keys(cardsIn(changed.html))).toEqual([names[1], 'Closed'])
  const wrong = await owner.browser.send(edit, `${boards}.update`, { ...own, name: ' ' })
  expect([wrong.status, wrong.html.includes('name="name"')]).toEqual([400, true])
  await sent(edit, `${boards}.delete`, own, `${at}/boards`)
  expect((await owner.browser.get(board)).status).toBe(404)
  expect((await owner.browser.get(`${at}/boards/x`)).status).toBe(404)
})

test('a column shows its first issues, and more of them by its link', async () => {
  const { body: label } = await owner.post(`${api}/labels`, { name: 'many', color: '#112233' })
  for (let index = 0; index < 25; index += 1) await owner.post(`${api}/issues`, { title: `M ${index}`, labels: 'many' })
  const { body: board } = await owner.post(`${api}/boards`, { name: 'b' })
  const { body: list } = await owner.post(`${api}/boards/${board.id}/lists`, { label_id: label.id })
  const path = `${base}/boards/${board.id}`
  const { html } = await owner.browser.get(path)
  expect(cardsIn(html).many).toHaveLength(20)
  const more = `${path}?list-${list.id}=40`
  expect(html).toContain(`href="${more}#list-${list.id}"`)
  expect(cardsIn((await owner.browser.get(more)).html).many).toHaveLength(25)
  for (const text of ['-1', 'x', '999999', '%00']) {
    expect((await owner.browser.get(`${path}?list-${list.id}=${text}`)).status).toBe(200)
  }
})

test('a move changes what the two columns are for', () => {
  const label = (id: number) => ({ id, position: id, label: { id, name: `l${id}`, color: '#000000' } })
  const milestone = { id: 3, position: 2, milestone: { id: 30, title: 'm' } }
  const person = { id: 4, position: 3, assignee: { id: 40, username: 'u', name: 'U' } }
  const lists = [label(1), label(2), milestone, person]
  const board = { lists, labels: [], milestone: null, assignee: null, weight: null }
  const columns = columnsOf(board as never)
  const column = (key: string) => columns.find((one) => one.key === key) as Column
  const issue = {
    ...{ state: 'opened', labels: [{ name: 'l1' }, { name: 'l2' }], milestone: { id: 30 } },
    assignees: [{ id: 40 }, { id: 41 }],
  }
  const move = (from: string, to: string) =>
    Object.fromEntries(new URLSearchParams(moveOf(issue as never, column(from), column(to))))
  expect(move('list-1', 'list-2')).toEqual({ remove_labels: 'l1', add_labels: 'l2' })
  expect(move('list-1', 'closed')).toEqual({ state_event: 'close' })
  expect(move('closed', 'list-1')).toEqual({ state_event: 'reopen', add_labels: 'l1' })
  expect(move('list-3', 'list-1')).toEqual({ milestone_id: '0', add_labels: 'l1' })
  expect(move('open', 'list-3')).toEqual({ milestone_id: '30' })
  expect(move('list-4', 'list-1')).toEqual({ add_labels: 'l1', 'assignee_ids[]': '41' })
  expect(move('list-1', 'open')).toEqual({ remove_labels: 'l1,l2', milestone_id: '0', 'assignee_ids[]': '41' })
  const alone = moveOf({ ...issue, assignees: [{ id: 40 }] } as never, column('list-4'), column('list-2'))
  expect(new URLSearchParams(alone).get('assignee_ids[]')).toBe('0')
  expect(column('open').filter).toMatchObject({
    not: { labels: ['l1', 'l2'], milestone: 'm', assignee_username: ['u'] },
  })
})
