import { expect, test } from 'vitest'
import { readText } from '../../../testing.ts'
import { personWithBrowser } from '../../code/testing.ts'
import {
  anonymous,
  api,
  base,
  guest,
  owner,
  project,
  script,
  sent,
  server,
  serveWorkForTests,
  type Worker,
} from '../testing.ts'

serveWorkForTests()

const newOne = async (given: object) => (await owner.post(`${api}/issues`, { title: 'One', ...given })).body
const fieldsOf = (iid: number) => ({ id: String(project.id), issue_iid: String(iid) })
const pageOf = (iid: number) => `${base}/issues/${iid}`

test('an issue is written, planned, closed and deleted', async () => {
  const label = { name: script, color: '#ff0000' }
  await owner.post(`${api}/labels`, label)
  const milestone = (await owner.post(`${api}/milestones`, { title: script })).body
  const id = String(project.id)
  const form = new FormData()
  const given = { _operation: 'issues.create', _then: ':made', id, title: `A ${script}`, description: `# ${script}` }
  for (const [name, value] of Object.entries(given)) form.set(name, value)
  form.append('labels[]', '')
  form.append('labels[]', script)
  form.append('assignee_ids[]', String(owner.id))
  const { location } = await owner.browser.sendForm(`${base}/issues/new`, form)
  const [, iid = ''] = /issues\/(\d+)$/.exec(location) ?? []
  const fields = fieldsOf(Number(iid))
  const shown = await owner.browser.get(location)
  expect([shown.status, shown.html.includes(script)]).toEqual([200, false])
  expect(readText(shown.html)).toContain(`A ${script}`)
  const plans: Record<string, string>[] = [
    { milestone_id: String(milestone.id) },
    { due_date: '2030-01-31' },
    { weight: '3' },
    { confidential: 'true' },
    { discussion_locked: 'true' },
  ]
  for (const planned of plans) {
    await sent(location, 'issues.update', { ...fields, _form: 'plan', ...planned })
  }
  expect((await owner.get(`${api}/issues/${iid}`)).body).toMatchObject({
    ...{ labels: [script], assignees: [{ id: owner.id }], milestone: { title: script } },
    ...{ due_date: '2030-01-31', weight: 3, confidential: true, discussion_locked: true },
  })
  await sent(location, 'issues.update', { ...fields, 'labels[]': '', _form: 'labels' })
  await sent(location, 'issues.update', { ...fields, 'assignee_ids[]': '', _form: 'assignees' })
  await sent(location, 'issues.update', { ...fields, due_date: '', _form: 'due' })
  await sent(location, 'issues.update', { ...fields, milestone_id: '0', _form: 'milestone' })
  expect((await owner.get(`${api}/issues/${iid}`)).body).toMatchObject({
    ...{ labels: [], assignees: [], milestone: null, due_date: null },
  })
  const closed = await sent(location, 'issues.update', { ...fields, state_event: 'close' })
  expect(closed.html).toContain('Open it again')
  await sent(`${location}/edit`, 'issues.delete', fields, `${base}/issues`)
  expect((await owner.get(`${api}/issues/${iid}`)).status).toBe(404)
})

test('each person has the buttons and fields that the operations would hear', async () => {
  const reporter = await personWithBrowser(server, 'reporter')
  await owner.post(`${api}/members`, { user_id: reporter.id, access_level: 20 })
  const own = (await guest.post(`${api}/issues`, { title: 'Own' })).body
  const note = (await owner.post(`${api}/issues/${own.iid}/notes`, { body: 'One' })).body
  const has = async (person: Worker, rest: string) => {
    const { html } = await person.browser.get(`${base}/issues/${rest}`)
    const operations = ['issues.update', 'issues.delete', 'issue_notes.create', 'issue_discussions.delete_note']
    const performed = operations.filter((id) => html.includes(`value="${id}"`))
    return [...performed, ...['milestone_id', 'assignee_ids[]'].filter((name) => html.includes(`name="${name}"`))]
  }
  await owner.post(`${api}/milestones`, { title: 'Next' })
  const plans = ['milestone_id', 'assignee_ids[]']
  const [change, remove, comment, moderate] = [
    ...['issues.update', 'issues.delete', 'issue_notes.create', 'issue_discussions.delete_note'],
  ]
  expect(await has(guest, `${own.iid}`)).toEqual([change, comment])
  expect(await has(reporter, `${own.iid}`)).toEqual([change, comment, ...plans])
  expect(await has(owner, `${own.iid}`)).toEqual([change, comment, moderate, ...plans])
  expect([await has(guest, `${own.iid}/edit`), await has(reporter, `${own.iid}/edit`)]).toEqual([[change], [change]])
  expect(await has(owner, `${own.iid}/edit`)).toEqual([change, remove])
  expect([await has(guest, 'new'), await has(reporter, 'new')]).toEqual([[], plans])

  const stranger = await personWithBrowser(server, 'stranger')
  await owner.put('/groups/team', { visibility: 'public' })
  await owner.put(api, { visibility: 'public' })
  expect(await has(stranger, `${own.iid}`)).toEqual([comment])
  await owner.put(`${api}/issues/${own.iid}`, { discussion_locked: true })
  expect([await has(stranger, `${own.iid}`), await has(guest, `${own.iid}`)]).toEqual([[], [change, comment]])
  const fields = { ...fieldsOf(own.iid), discussion_id: 'x', note_id: String(note.id) }
  expect((await guest.browser.send(pageOf(own.iid), 'issue_discussions.delete_note', fields)).status).toBe(404)
  await owner.put(api, { visibility: 'private' })
})

test('headings of a text stand below the title, and none skips a level', async () => {
  const { iid } = await newOne({ description: '#### a\n# b\n### c\n###### d' })
  const { html } = await owner.browser.get(pageOf(iid))
  expect([...html.matchAll(/<h(\d) id="[^"]*">([abcd])<\/h\1>/g)].map(([, level, text]) => `${text}${level}`)).toEqual([
    ...['a2', 'b2', 'c3', 'd4'],
  ])
})

test('tasks are ticked, unless the text has changed meanwhile', async () => {
  const { iid } = await newOne({ description: '- [ ] one\n- [x] two' })
  const { html } = await owner.browser.get(pageOf(iid))
  const [, sha = ''] = /name="description_sha256" value="(\w+)"/.exec(html) ?? []
  expect(html).toMatch(/name="line_number" value="1"[^>]*aria-checked="false"/)
  const tick = { ...fieldsOf(iid), description_sha256: sha, line_number: '1' }
  expect((await sent(pageOf(iid), 'issue_tasks.update', tick)).html).toMatch(/value="1"[^>]*aria-checked="true"/)
  const again = await owner.browser.send(pageOf(iid), 'issue_tasks.update', tick)
  expect([again.status, again.html.includes('The description has changed')]).toEqual([409, true])
  expect((await guest.browser.get(pageOf(iid))).html).not.toContain('name="line_number"')
})

test('what happened to an issue stands between its comments, in the order of time', async () => {
  const { iid } = await newOne({})
  const path = `${api}/issues/${iid}`
  await owner.post(`${path}/notes`, { body: 'FIRST' })
  await owner.put(path, { weight: 4 })
  await owner.put(path, { add_labels: 'SECOND' })
  await owner.put(path, { state_event: 'close' })
  await owner.post(`${path}/notes`, { body: 'THIRD' })
  await owner.post(`${api}/issues`, { title: 'x', description: `mentions #${iid}` })
  const { html } = await owner.browser.get(pageOf(iid))
  const [, discussion = ''] = /<section class="discussion"(.*?)<\/section>/s.exec(html) ?? []
  expect(discussion.replace(/<[^>]*>/g, ' ')).toMatch(
    /FIRST.*set the weight to 4.*added\s+SECOND.*closed this.*THIRD.*mentioned in issue/s,
  )
})

test('comments are written, answered, changed, reacted to and deleted', async () => {
  const { iid } = await newOne({})
  const fields = fieldsOf(iid)
  const path = pageOf(iid)
  const body = `Hello ${script}\r\n\r\n[bad](javascript:alert(1)) @guest #${iid}`
  const made = await sent(path, 'issue_notes.create', { ...fields, _form: 'comment', body }, `${path}#note_{id}`)
  expect(made.location).toMatch(/#note_\d+$/)
  expect(made.html).toContain('href="/guest"')
  expect(made.html).toContain(`href="${path}"`)
  expect(made.html).not.toContain('href="javascript')
  const [note] = (await owner.get(`${api}/issues/${iid}/discussions`)).body
  const at = { ...fields, discussion_id: note.id }
  await sent(path, 'issue_discussions.reply', { ...at, body: 'Answer' })
  const noteAt = { ...at, note_id: String(note.notes[0].id) }
  expect((await sent(path, 'issue_discussions.update_note', { ...noteAt, body: 'Changed' })).html).toContain('Changed')
  const reacted = await sent(path, 'issue_note_awards.create', { ...fields, note_id: noteAt.note_id, name: 'heart' })
  expect(reacted.html).toMatch(/Take back [\s\S]*?heart, 1/)
  const [, award = ''] = /name="award_id" value="(\d+)"/.exec(reacted.html) ?? []
  const back = { ...fields, note_id: noteAt.note_id, award_id: award }
  expect((await sent(path, 'issue_note_awards.delete', back)).html).not.toContain('heart, 1')
  expect((await sent(path, 'issue_discussions.delete_note', noteAt)).html).not.toContain('Changed')
  expect((await sent(path, 'issue_discussions.create', { ...fields, body: 'T', internal: 'true' })).html).toContain(
    '>internal<',
  )
  expect((await guest.browser.get(path)).html).not.toContain('>internal<')
})

test('a text is previewed and takes a file before it is sent, and a refused one stays', async () => {
  const { iid } = await newOne({})
  const fields = { ...fieldsOf(iid), _form: 'comment', body: `**bold** ${script}` }
  const shown = await owner.browser.send(pageOf(iid), 'issue_notes.create', { ...fields, _draft: 'preview' })
  expect(shown.status).toBe(200)
  expect(shown.html).toMatch(/aria-label="Preview">[\s\S]*<strong>bold<\/strong> &lt;script&gt;/)
  expect(shown.html).toContain('**bold** &lt;script&gt;')
  const form = new FormData()
  const all = { ...fields, _operation: 'issue_notes.create', _then: pageOf(iid), _text: 'body' }
  for (const [name, value] of Object.entries(all)) form.set(name, value)
  form.set('_file', new File(['bytes'], 'a.txt', { type: 'text/plain' }))
  const sentWith = await owner.browser.sendForm(pageOf(iid), form)
  expect(sentWith.status).toBe(303)
  const { html } = await owner.browser.get(pageOf(iid))
  const [, upload = ''] = /href="([^"]*\/uploads\/[^"]*)"/.exec(html) ?? []
  expect(upload).toMatch(/^\/-\/project\/\d+\/uploads\/\w+\/a.txt$/)
  expect((await owner.browser.get(upload)).html).toBe('bytes')
  expect((await guest.browser.get(upload)).status).toBe(200)
  expect((await anonymous.get(upload)).status).toBe(404)
  const refused = await owner.browser.send(pageOf(iid), 'issue_notes.create', { ...fields, body: '/spend x\nkept' })
  expect([refused.status, readText(refused.html).includes('/spend x\nkept')]).toEqual([400, true])
  expect((await owner.get(`${api}/issues/${iid}/notes`)).body).toHaveLength(1)
})

test('links, time, subscriptions and to-dos are changed by their forms', async () => {
  const [one, other] = [await newOne({}), await newOne({ title: `Other ${script}` })]
  const [fields, path] = [fieldsOf(one.iid), pageOf(one.iid)]
  const target = { target_project_id: 'team/plan', target_issue_iid: String(other.iid), link_type: 'blocks' }
  const linked = await sent(path, 'issue_links.create', { ...fields, ...target })
  expect(readText(linked.html)).toContain(`Other ${script}`)
  const [, link = ''] = /name="issue_link_id" value="(\d+)"/.exec(linked.html) ?? []
  expect((await sent(path, 'issue_links.delete', { ...fields, issue_link_id: link })).html).not.toContain('Other')
  expect((await sent(path, 'issue_time.set_estimate', { ...fields, duration: '2h' })).html).toContain('of 2h')
  expect((await sent(path, 'issue_time.add_spent', { ...fields, duration: '1h' })).html).toContain('1h spent')
  const wrong = await owner.browser.send(path, 'issue_time.add_spent', { ...fields, duration: 'x' })
  expect(wrong.status).toBe(400)
  expect((await sent(path, 'issue_subscriptions.unsubscribe', fields)).html).toContain('>Subscribe<')
  const todo = await sent(path, 'issue_todos.create', fields)
  const [, todoId = ''] = /name="todo_id" value="(\d+)"/.exec(todo.html) ?? []
  expect((await sent(path, 'todos.mark_as_done', { todo_id: todoId })).html).toContain('Add a to-do')
})

test('an issue is moved to another project and copied', async () => {
  const { body: elsewhere } = await owner.post('/projects', { name: 'Elsewhere' })
  const { iid } = await newOne({ title: 'Moves' })
  const to = { ...fieldsOf(iid), to_project_id: String(elsewhere.id) }
  expect((await sent(`${pageOf(iid)}/edit`, 'issues.clone', to, ':made')).location).toBe('/owner/elsewhere/-/issues/1')
  expect((await sent(`${pageOf(iid)}/edit`, 'issues.move', to, ':made')).location).toBe('/owner/elsewhere/-/issues/2')
})

test('those who may not change an issue see no forms, and are refused', async () => {
  const { iid } = await newOne({ description: 'x' })
  const shown = await guest.browser.get(pageOf(iid))
  expect(shown.html).not.toMatch(/issues\.update|issue_time|issue_links\.create/)
  expect(shown.html).toContain('issue_notes.create')
  const refused = await guest.browser.send(pageOf(iid), 'issues.update', { ...fieldsOf(iid), state_event: 'close' })
  expect(refused.status).toBe(403)
  expect((await guest.browser.get(`${pageOf(iid)}/edit`)).status).toBe(403)
  const secret = await newOne({ confidential: true })
  expect((await guest.browser.get(pageOf(secret.iid))).status).toBe(404)
  expect((await anonymous.get(pageOf(iid))).location).toContain('/users/sign_in')
})

test('lists are filtered by their address, with the number of issues in each state', async () => {
  const { body: found } = await owner.post('/projects', { name: 'Listed' })
  const add = (given: object) => owner.post(`/projects/${found.id}/issues`, given)
  await add({ title: 'apple', labels: 'red', description: '- [x] a\n- [ ] b', due_date: '2030-02-03' })
  await add({ title: `pear ${script}`, labels: 'green', assignee_ids: [owner.id], weight: 2 })
  await owner.put(`/projects/${found.id}/issues/${(await add({ title: 'plum' })).body.iid}`, { state_event: 'close' })
  const list = '/owner/listed/-/issues'
  const titlesAt = async (address: string) => {
    const { html } = await owner.browser.get(address)
    expect(html).not.toContain(script)
    return [...html.matchAll(/<a class="strong" href="[^"]*issues\/\d+">([a-z]+)/g)].map(([, title]) => title).join()
  }
  expect(await titlesAt(list)).toBe('pear,apple')
  expect(await titlesAt(`${list}?state=all&order=title-asc`)).toBe('apple,pear,plum')
  expect(await titlesAt(`${list}?labels=red`)).toBe('apple')
  expect(await titlesAt(`${list}?assignee_username=owner&weight=2&search=pea`)).toBe('pear')
  expect(await titlesAt(`${list}?due_date=0`)).toBe('pear')
  expect(await titlesAt('/dashboard/issues?search=pear')).toBe('pear')
  const negated = `${list}?${new URLSearchParams({ 'not[labels]': 'red', 'not[weight]': '3' })}`
  expect(await titlesAt(negated)).toBe('pear')
  const { html: bar } = await owner.browser.get(negated)
  expect(bar).toMatch(
    /<details open><summary[\s\S]*<span>Not: labels<\/span><input type="text" name="not\[labels\]" value="red">/,
  )
  expect(bar.replace(/<[^>]*>/g, ' ')).toMatch(/Open\s+1\s+Closed\s+1\s+All\s+2/)
  const emptied = `${list}?${new URLSearchParams({ 'not[labels]': '', 'not[weight]': '3' })}`
  expect((await owner.browser.get(emptied)).location).toBe(`${list}?not%5Bweight%5D=3`)
  expect((await owner.browser.get(`${list}?not[assignee_id]=x`)).status).toBe(400)
  expect((await owner.browser.get(`${list}?search=&labels=red&author_username=`)).location).toBe(`${list}?labels=red`)
  const { html } = await owner.browser.get(list)
  expect(html.replace(/<[^>]*>/g, ' ')).toMatch(/Open\s+2\s+Closed\s+1\s+All\s+3/)
  expect(html.replace(/<[^>]*>/g, '')).toMatch(/due 2030-02-03 · 1 of 2 tasks/)
  expect((await owner.browser.get(`${list}?state=odd`)).status).toBe(400)
})

test('an incident shows its metric images, which are added and removed there', async () => {
  const { body: opened } = await owner.post(`${api}/issues`, { title: 'Down', issue_type: 'incident' })
  const page = pageOf(opened.iid)
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const form = new FormData()
  const fields = { _operation: 'incident_metric_images.create', _then: page, ...fieldsOf(opened.iid) }
  for (const [name, value] of Object.entries({ ...fields, url: 'https://metrics.example/', url_text: script }))
    form.append(name, value)
  form.append('file', new File([Buffer.from(png, 'base64')], 'load.png', { type: 'image/png' }))
  expect((await owner.browser.sendForm(page, form)).status).toBe(303)
  const { html } = await owner.browser.get(page)
  expect(html).not.toContain(script)
  const [, source = '', image = ''] = /<img src="([^"]*issuable_metric_image\/file\/(\d+)\/[^"]*)"/.exec(html) ?? []
  expect((await owner.browser.get(source)).headers.get('content-type')).toBe('image/png')
  const removal = { ...fieldsOf(opened.iid), metric_image_id: image }
  expect((await owner.browser.send(page, 'incident_metric_images.delete', removal)).status).toBe(303)
  expect((await owner.browser.get(page)).html).not.toContain('issuable_metric_image')
})

test('an incident names the alert that it was opened for', async () => {
  const { body: hook } = await owner.post(`${api}/alert_management_integrations`, { name: 'Monitor' })
  const headers = { Authorization: `Bearer ${hook.token}`, 'Content-Type': 'application/json' }
  const delivered = await fetch(hook.url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: `Down ${script}` }),
  })
  expect(delivered.status).toBe(200)
  const [alert] = (await owner.get(`${api}/alert_management_alerts`)).body
  const { body: opened } = await owner.post(`${api}/alert_management_alerts/${alert.iid}/incident`)
  await owner.put(`${api}/issues/${opened.iid}`, { title: 'Renamed' })
  const { html } = await owner.browser.get(pageOf(opened.iid))
  expect(html).toContain(`href="${base}/alert_management/${alert.iid}/details"`)
  expect(html).not.toContain(script)
  expect(
    (await sent(pageOf(opened.iid), 'issues.update', { ...fieldsOf(opened.iid), severity: 'high' })).html,
  ).toContain('<option value="high" selected>')
})
