import { expect, test } from 'vitest'
import { readText } from '../../../testing.ts'
import { anonymous, api, group, groupBase, guest, owner, script, sent, serveWorkForTests } from '../testing.ts'

serveWorkForTests()

const root = `${groupBase}/epics`
const newOne = async (given: object) =>
  (await owner.post(`/groups/${group.id}/epics`, { title: 'Epic', ...given })).body
const fieldsOf = (iid: number) => ({ id: String(group.id), epic_iid: String(iid) })

test('an epic is written, planned, closed and deleted', async () => {
  const given = { id: String(group.id), title: `E ${script}`, description: `- [ ] ${script}`, labels: script }
  const { location, html } = await sent(`${root}/new`, 'epics.create', given, ':made')
  expect(readText(html)).toContain(`E ${script}`)
  const fields = fieldsOf(Number(location.split('/').at(-1)))
  const due = { ...fields, due_date_is_fixed: 'true', due_date_fixed: '2030-01-31', _form: 'due' }
  expect((await sent(location, 'epics.update', due)).html).toContain('datetime="2030-01-31"')
  await sent(location, 'epics.update', { ...fields, 'labels[]': '' })
  expect((await owner.get(`/groups/${group.id}/epics/${fields.epic_iid}`)).body.labels).toEqual([])
  expect((await sent(location, 'epics.update', { ...fields, state_event: 'close' })).html).toContain('Open it again')
  const list = await owner.browser.get(`${root}?state=closed&search=E`)
  expect([list.html.includes(location), list.html.includes(script)]).toEqual([true, false])
  const edited = await sent(`${location}/edit`, 'epics.update', { ...fields, title: 'Other' }, location)
  expect(edited.html).toContain('Other')
  await sent(`${location}/edit`, 'epics.delete', fields, root)
  expect((await owner.browser.get(location)).status).toBe(404)
})

test('an epic shows the epics below it, and its issues in an order that is changed', async () => {
  const epic = await newOne({})
  const path = `${root}/${epic.iid}`
  const fields = fieldsOf(epic.iid)
  const below = { id: fields.id, title: 'Below', parent_id: String(epic.id) }
  const child = await sent(`${root}/new?parent_id=${epic.id}`, 'epics.create', below, ':made')
  expect(child.html).toContain(`<a href="${path}">Epic</a>`)
  expect((await owner.browser.get(path)).html).toContain(child.location)
  const titles = ['one', 'two']
  for (const title of titles) {
    const { body } = await owner.post(`${api}/issues`, { title })
    const found = await owner.browser.get(`${path}?issue=team/plan%23${body.iid}`)
    expect(found.html).toContain(`name="issue_id" value="${body.id}"`)
    await sent(path, 'epic_issues.add', { ...fields, issue_id: String(body.id) })
  }
  expect((await owner.browser.get(`${path}?issue=team/plan%23999`)).html).toContain('There is no such issue')
  const listed = async () => (await owner.get(`/groups/${group.id}/epics/${epic.iid}/issues`)).body
  const [first, last] = await listed()
  const move = { ...fields, epic_issue_id: String(last.epic_issue_id), move_before_id: String(first.epic_issue_id) }
  await sent(path, 'epic_issues.move', move)
  expect((await listed()).map(({ title }: { title: string }) => title)).toEqual([last.title, first.title])
  await sent(path, 'epic_issues.remove', { ...fields, epic_issue_id: String(first.epic_issue_id) })
  expect(await listed()).toHaveLength(1)
})

test('an epic is commented on and reacted to, with its history between the comments', async () => {
  const epic = await newOne({ labels: 'planned' })
  const path = `${root}/${epic.iid}`
  const fields = { ...fieldsOf(epic.iid), epic_id: String(epic.id) }
  const made = await sent(
    path,
    'epic_notes.create',
    { ...fields, _form: 'comment', body: `Hello ${script}\n/close` },
    `${path}#note_{id}`,
  )
  expect(readText(made.html)).toMatch(/Hello [\s\S]*Open it again|Open it again[\s\S]*Hello /)
  expect([made.html.includes(script), made.html.includes('planned')]).toEqual([false, true])
  const [thread] = (await owner.get(`/groups/${group.id}/epics/${epic.id}/discussions`)).body
  await sent(path, 'epic_discussions.reply', { ...fields, discussion_id: thread.id, body: 'Answer' })
  const note_id = String(thread.notes[0].id)
  const reacted = await sent(path, 'epic_note_awards.create', { ...fields, note_id, name: 'heart' })
  expect(reacted.html).toMatch(/Take back [\s\S]*?heart, 1/)
  expect((await sent(path, 'epic_awards.create', { ...fields, name: 'tada' })).html).toContain('tada, 1')
  const at = { ...fields, discussion_id: thread.id, note_id }
  expect((await sent(path, 'epic_discussions.delete_note', at)).html).not.toContain('Hello ')
})

test('epics are for those who may read them, and changed by those who plan', async () => {
  const { iid } = await newOne({})
  expect((await guest.browser.get(`${root}/${iid}`)).status).toBe(403)
  await owner.post(`/groups/${group.id}/members`, { user_id: guest.id, access_level: 10 })
  const shown = await guest.browser.get(`${root}/${iid}`)
  expect([shown.status, shown.html.includes('epics.update')]).toEqual([200, false])
  expect((await guest.browser.send(`${root}/${iid}`, 'epics.update', { ...fieldsOf(iid), title: 'x' })).status).toBe(
    403,
  )
  expect((await guest.browser.get(`${root}/${iid}/edit`)).status).toBe(403)
  expect((await anonymous.get(`${root}/${iid}`)).location).toContain('/users/sign_in')
})
