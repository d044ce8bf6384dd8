import { expect, test } from 'vitest'
import { commonCommands } from '../../../../modules/issuables/index.ts'
import { helpedActions } from '../../../parts/discussion/index.ts'
import {
  anonymous,
  api,
  base,
  group,
  groupBase,
  guest,
  owner,
  project,
  script,
  sent,
  serveWorkForTests,
} from '../testing.ts'
import { openByDay } from './burn-down.tsx'

serveWorkForTests()

test('a to-do list is done, one by one and at once', async () => {
  const { body: issue } = await owner.post(`${api}/issues`, { title: `T ${script}`, description: '@guest' })
  await owner.post(`${api}/issues`, { title: 'Second', assignee_ids: [guest.id] })
  const shown = await guest.browser.get('/dashboard/todos')
  expect(shown.html).toContain(`href="${base}/issues/${issue.iid}"`)
  expect(shown.html).not.toContain(script)
  expect((await guest.browser.get('/dashboard/todos?action=assigned')).html).not.toContain('T &lt;script')
  const [{ id }] = (await guest.get('/todos?action=mentioned')).body
  expect((await guest.browser.send('/dashboard/todos', 'todos.mark_as_done', { todo_id: String(id) })).status).toBe(303)
  expect((await guest.browser.get('/dashboard/todos?state=done')).html).toContain('T &lt;script')
  expect((await guest.browser.send('/dashboard/todos', 'todos.mark_all_as_done', {})).status).toBe(303)
  expect((await guest.browser.get('/dashboard/todos')).html).toContain('Nothing to do.')
  expect((await owner.browser.send('/dashboard/todos', 'todos.mark_as_done', { todo_id: String(id) })).status).toBe(404)
  expect((await anonymous.get('/dashboard/todos')).location).toContain('/users/sign_in')
})

test('a milestone shows its progress, and is changed, closed and deleted', async () => {
  const days = { start_date: '2026-01-01', due_date: '2026-01-10' }
  const { body } = await owner.post(`${api}/milestones`, {
    title: `M ${script}`,
    description: `*x* ${script}`,
    ...days,
  })
  const path = `${base}/milestones/${body.iid}`
  expect((await owner.browser.get(path)).html).toContain('No issue is planned for it.')
  for (const state_event of ['close', 'reopen']) {
    const { body: issue } = await owner.post(`${api}/issues`, { title: 'x', milestone_id: body.id, weight: 2 })
    await owner.put(`${api}/issues/${issue.iid}`, { state_event })
  }
  const { html } = await owner.browser.get(path)
  expect(html.replace(/<[^>]*>/g, '')).toContain('1 of 2 issues closed, 50 % · weight 2 of 4')
  expect(html).toMatch(/<svg [^>]*role="img" aria-label="Open issues: 0 on 2026-01-01/)
  expect(html).not.toContain(script)
  const fields = { id: String(project.id), milestone_id: String(body.id) }
  expect((await sent(`${path}?edit=1`, 'project_milestones.update', { ...fields, title: 'New' }, path)).html).toContain(
    'New',
  )
  const wrong = await owner.browser.send(path, 'project_milestones.update', { ...fields, due_date: '2025-01-01' })
  expect([wrong.status, wrong.html.includes('name="due_date"')]).toEqual([400, true])
  expect((await sent(path, 'project_milestones.update', { ...fields, state_event: 'close' })).html).toContain(
    'Open again',
  )
  expect((await guest.browser.get(path)).html).not.toContain('project_milestones.update')
  await sent(path, 'project_milestones.delete', fields, `${base}/milestones`)
  expect((await owner.browser.get(path)).status).toBe(404)
})

test('an iteration shows its progress', async () => {
  await owner.post(`/groups/${group.id}/iteration_cadences`, { title: 'C', automatic: false, active: true })
  const days = { start_date: '2030-01-01', due_date: '2030-01-14' }
  const { body } = await owner.post(`/groups/${group.id}/iterations`, { title: `I ${script}`, ...days })
  await owner.post(`${api}/issues`, { title: 'Planned', iteration_id: body.id })
  const path = `${groupBase}/iterations/${body.id}`
  const { html } = await owner.browser.get(path)
  expect([html.includes('Planned'), html.includes('0 of 1 issues closed'), html.includes(script)]).toEqual([
    ...[true, true, false],
  ])
  const fields = { id: String(group.id), iteration_id: String(body.id) }
  expect((await sent(path, 'iterations.update', { ...fields, title: 'Renamed' })).html).toContain('Renamed')
  await sent(path, 'iterations.delete', fields, `${groupBase}/iterations`)
})

test('open issues are counted at the end of each day', () => {
  const issues = [
    { created_at: '2026-01-01T10:00:00Z', closed_at: '2026-01-03T10:00:00Z' },
    { created_at: '2026-01-02T10:00:00Z', closed_at: null },
  ]
  const counts = openByDay(issues, { first: '2025-12-31', last: '2026-01-09', today: '2026-01-03' })
  expect(counts.map(({ day, open }) => `${day.slice(8)}:${open}`)).toEqual(['31:0', '01:1', '02:2', '03:1'])
  expect(openByDay(issues, { first: '2026-02-01', last: '2026-03-01', today: '2026-01-03' })).toEqual([])
})

test('references are completed to what the caller can read', async () => {
  const { body: issue } = await owner.post(`${api}/issues`, { title: `Needle ${script}` })
  await owner.post(`${api}/issues`, { title: 'Needle hidden', confidential: true })
  await owner.post(`${api}/labels`, { name: 'two words', color: '#ff0000' })
  const offered = async (query: string, by = guest, at = base) => {
    const { html } = await by.browser.get(`${at}/completion?${query}`)
    expect(html).not.toContain(script)
    return [...html.matchAll(/data-reference="([^"]*)"/g)].map(([, reference]) => reference)
  }
  expect(await offered('sign=%23&text=needle')).toEqual([`#${issue.iid}`])
  expect(await offered(`sign=%23&text=${issue.iid}`)).toEqual([`#${issue.iid}`])
  expect(await offered('sign=%23&text=needle', owner)).toHaveLength(2)
  expect(await offered('sign=@&text=gue')).toEqual(['@guest'])
  expect(await offered('sign=~&text=two')).toEqual(['~&quot;two words&quot;'])
  expect(await offered('sign=%23&text=hidden', owner, groupBase)).toEqual([expect.stringContaining('team/plan#')])
  expect((await guest.browser.get(`${base}/completion?sign=x`)).status).toBe(404)
})

test('the help has every quick action that several kinds have', () => {
  const helped = helpedActions('issue')
  expect(Object.keys(commonCommands).filter((name) => !helped.includes(name))).toEqual([])
})
