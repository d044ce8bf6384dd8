import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRequest, type Place, script, startPlace } from './testing.ts'

let place: Place
beforeAll(async () => {
  place = await startPlace()
})
afterAll(() => place.server.stop())

type Who = 'owner' | 'developer' | 'reporter' | 'guest'

async function got(path: string, who: Who = 'developer') {
  const answer = await place[who].browser.get(path)
  expect(answer.html).not.toContain(script)
  return answer
}

/** Sends a form of a merge request, and follows it to the page where it leads. */
async function sent(
  path: string,
  operation: string,
  fields: Record<string, string>,
  who: Who = 'developer',
  then = path,
) {
  const { status, location, html } = await place[who].browser.send(path, operation, { id: place.id, ...fields }, then)
  expect([status, status === 303 ? '' : html]).toEqual([303, ''])
  return got(location, who)
}

const stored = async (iid: number) => (await place.owner.get(`${place.at}/${iid}`)).body

test('a merge request is made from a branch, with the texts of its only commit', async () => {
  const { base } = place
  const form = await got(`${base}/new?source_branch=feature`)
  expect(form.html).toContain('value="Change &lt;script&gt;')
  expect(form.html).toContain('Because.</textarea>')
  expect(form.html).toContain('2 changed files')
  const fields = {
    source_branch: 'feature',
    target_branch: 'main',
    title: `One ${script}`,
    description: `# Why ${script}`,
  }
  const made = await sent(`${base}/new?source_branch=feature`, 'merge_requests.create', fields, 'developer', ':made')
  expect(made.html).toContain('One &lt;script&gt;')
  expect(await stored(1)).toMatchObject({ source_branch: 'feature', author: { username: 'developer' } })
  const again = await place.developer.browser.send(`${base}/new?source_branch=feature`, 'merge_requests.create', {
    ...{ id: place.id, ...fields },
  })
  expect([again.status, again.html.includes('already exists')]).toEqual([409, true])
  expect((await place.reporter.browser.get(`${base}/new?source_branch=feature`)).status).toBe(403)
})

test('the lists of a project and of the caller filter by their address, and count by state', async () => {
  const { base, developer, at } = place
  const closed = await openRequest(place, 'to-close', { labels: `kind::${script}` })
  await developer.put(`${at}/${closed}`, { state_event: 'close' })
  const open = await openRequest(place, 'other', { reviewer_ids: [place.reporter.id] })
  const list = await got(base)
  expect(list.html).toMatch(/Open<span class="count">2<\/span>[\s\S]*Closed<span class="count">1<\/span>/)
  expect(list.html).toContain(`href="${base}/${open}"`)
  expect(list.html).not.toContain(`href="${base}/${closed}"`)
  expect((await got(`${base}?state=closed`)).html).toContain(`href="${base}/${closed}"`)
  expect((await got(`${base}?source_branch=feature`)).html).not.toContain(`href="${base}/${open}"`)
  expect((await got(`${base}?state=&search=`)).location).toBe(base)
  expect((await got(`${base}?search=nothing`)).html).toContain('No merge request matches.')
  const own = await got('/dashboard/merge_requests', 'reporter')
  expect(own.html).toContain(`href="${base}/${open}"`)
  expect((await got('/dashboard/merge_requests?scope=created_by_me', 'reporter')).html).toContain(
    'No open merge request waits for you.',
  )
  expect((await place.guest.browser.get(base)).status).toBe(403)
  expect((await place.anonymous.get(base)).status).toBe(302)
  expect((await got(`${base}?assignee_username[]=x&order=%27-asc`)).status).toBe(200)
})

test('a merge is asked for, refused while something is missing, and done', async () => {
  const { base, at, owner, reporter } = place
  const iid = await openRequest(place, 'merge-me', { title: 'Draft: merge me' })
  const path = `${base}/${iid}`
  const call = { merge_request_iid: String(iid) }
  expect((await got(path)).html).toContain('It cannot be merged while it is a draft.')
  const merge = { ...call, squash: 'false' }
  const refused = await place.owner.browser.send(path, 'merge_requests.merge', { id: place.id, ...merge })
  expect([refused.status, refused.html.includes('Method Not Allowed')]).toEqual([405, true])
  const ready = await sent(path, 'merge_request_notes.create', { ...call, body: '/ready' })
  expect(ready.html).toContain('It can be merged.')
  expect((await got(path, 'reporter')).html).not.toContain('Squash the commits')
  const wrong = await reporter.browser.send(path, 'merge_requests.merge', { id: place.id, ...merge })
  expect([wrong.status, (await stored(iid)).state]).toEqual([401, 'opened'])
  const approved = await sent(path, 'merge_request_approvals.approve', call, 'owner')
  expect(approved.html).toContain('Withdraw your approval')
  expect((await sent(path, 'merge_request_approvals.unapprove', call, 'owner')).html).toContain('No approvals yet.')
  const done = await sent(path, 'merge_requests.merge', { ...merge, sha: (await stored(iid)).sha }, 'owner')
  expect(done.html).toContain('Merged into')
  expect((await owner.get(`${at}/${iid}`)).body.state).toBe('merged')
})

test('a merge request is given rules of its own, which take the place of those of the project', async () => {
  const { base, at, owner } = place
  const iid = await openRequest(place, 'ruled')
  const path = `${base}/${iid}/approval_rules`
  expect((await got(`${base}/${iid}`)).html).toContain(`href="${path}"`)
  expect((await got(path)).html).toContain('The rules of the project apply.')
  const call = { merge_request_iid: String(iid) }
  const fields = { ...call, name: `Eyes ${script}`, approvals_required: '1', usernames: 'owner' }
  const made = await sent(path, 'merge_request_approval_rules.create', fields, 'owner')
  expect(made.html).toContain('has rules of its own')
  const [rule] = (await owner.get(`${at}/${iid}/approval_rules`)).body
  expect(rule).toMatchObject({ approvals_required: 1, eligible_approvers: [{ username: 'owner' }] })
  expect((await got(path, 'guest')).html).not.toContain('Delete the rule')
  const one = `${path}/${rule.id}`
  expect(made.html).toContain(`href="${one}"`)
  const shown = (await got(one)).html
  expect(shown).toContain('owner</textarea>')
  expect((await got(one, 'guest')).html).not.toContain('Save')
  const change = { ...call, approval_rule_id: String(rule.id), name: 'Two', approvals_required: '2' }
  const changed = await sent(
    one,
    'merge_request_approval_rules.update',
    { ...change, usernames: 'owner\ndeveloper' },
    'owner',
  )
  expect(changed.html).toContain('2 required')
  const usernames = async () => {
    const { body } = await owner.get(`${at}/${iid}/approval_rules/${rule.id}`)
    return [body.name, body.users.map(({ username }: { username: string }) => username).sort()]
  }
  expect(await usernames()).toEqual(['Two', ['developer', 'owner']])
  const refused = await owner.browser.send(one, 'merge_request_approval_rules.update', {
    ...{ id: place.id, ...change, usernames: 'owner', approvals_required: '101' },
  })
  expect([refused.status, await usernames()]).toEqual([400, ['Two', ['developer', 'owner']]])
  const removed = { ...call, approval_rule_id: String(rule.id) }
  const left = await sent(path, 'merge_request_approval_rules.delete', removed, 'owner')
  expect(left.html).toContain('The rules of the project apply.')
})

test('the settings of approvals are changed by maintainers, and the server may lock them', async () => {
  const { base, at, server } = place
  const path = base.replace(/merge_requests$/, 'merge_request_approvals')
  expect((await got(path, 'developer')).status).toBe(403)
  const fields = { require_reauthentication_to_approve: 'true', allow_author_approval: 'true' }
  const { html } = await sent(path, 'project_approval_setting.update', fields, 'owner')
  expect(html).toContain('Authors may approve their merge requests')
  await server.root.put('/application/settings', { prevent_merge_requests_author_approval: true })
  expect((await got(path, 'owner')).html).toContain('as the server has decided')
  await server.root.put('/application/settings', { prevent_merge_requests_author_approval: false })
  const iid = await openRequest(place, 'with-password')
  expect((await got(`${base}/${iid}`, 'owner')).html).toContain('Your password')
  const settings = `${at.replace(/\/merge_requests$/, '')}/merge_request_approval_setting`
  const changed = { require_password_to_approve: false, allow_author_approval: false }
  expect((await place.owner.put(settings, changed)).status).toBe(200)
  expect((await got(`${base}/${iid}`, 'owner')).html).not.toContain('Your password')
})

test('a conflict names its files', async () => {
  const { base, owner, id } = place
  const iid = await openRequest(place, 'conflict')
  const change = { branch: 'main', content: 'else\n', commit_message: 'Else' }
  await owner.put(`/projects/${id}/repository/files/a.txt`, change)
  const { html } = await got(`${base}/${iid}`)
  expect(html).toContain('both branches have changed the same lines')
  expect(html).toMatch(/Both branches have changed:[\s\S]*<code>a\.txt /)
  expect(html).toContain('Rebase conflict')
})

test('a merge request is changed, closed, opened again and deleted', async () => {
  const { base } = place
  const iid = await openRequest(place, 'changing')
  const path = `${base}/${iid}`
  const call = { merge_request_iid: String(iid) }
  const fields = { ...call, title: 'New title', description: `New ${script}`, target_branch: 'main' }
  expect((await sent(`${path}/edit`, 'merge_requests.update', fields, 'developer', path)).html).toContain('New title')
  const planned = { ...call, 'labels[]': 'made', 'reviewer_ids[]': String(place.owner.id) }
  expect((await sent(path, 'merge_requests.update', planned)).html).toContain('>made<')
  expect((await sent(path, 'merge_requests.update', { ...call, state_event: 'close' })).html).toContain('Open it again')
  await sent(path, 'merge_requests.update', { ...call, state_event: 'reopen' })
  expect((await stored(iid)).state).toBe('opened')
  expect((await got(path, 'reporter')).html).not.toContain('>Close<')
  expect((await place.reporter.browser.get(`${path}/edit`)).status).toBe(403)
  const blank = await place.developer.browser.send(`${path}/edit`, 'merge_requests.update', {
    ...{ id: place.id, ...call, title: ' ' },
  })
  expect([blank.status, blank.html.includes('role="alert"')]).toEqual([400, true])
  expect((await got(`${path}/edit`)).html).not.toContain('Delete the merge request')
  await sent(`${path}/edit`, 'merge_requests.delete', call, 'owner', base)
  expect((await place.owner.browser.get(path)).status).toBe(404)
})

test('the tabs of commits and pipelines', async () => {
  const { base } = place
  expect((await got(`${base}/1/commits`)).html).toContain('Change &lt;script&gt;')
  expect((await got(`${base}/1/pipelines`)).html).toContain('No pipelines.')
  for (const tab of ['commits', 'pipelines', 'diffs']) {
    expect([tab, (await place.guest.browser.get(`${base}/1/${tab}`)).status]).toEqual([tab, 403])
    expect([tab, (await place.anonymous.get(`${base}/1/${tab}`)).status]).toEqual([tab, 302])
    expect([tab, (await got(`${base}/9999/${tab}`)).status]).toEqual([tab, 404])
  }
})

test('a pipeline of the merge request is run, or the page says why not', async () => {
  const { base, owner, at, id, developer, reporter } = place
  const iid = await openRequest(place, 'run')
  const path = `${base}/${iid}/pipelines`
  const call = { merge_request_iid: String(iid) }
  expect((await got(path)).html).toContain('Run pipeline')
  expect((await reporter.browser.get(path)).html).not.toContain('Run pipeline')
  const without = await developer.browser.send(path, 'merge_requests.create_pipeline', { id, ...call })
  expect(without.html).toContain('Missing CI config file')
  const content = 'job: {script: a, only: [merge_requests]}'
  const file = { branch: 'run', content, commit_message: 'Configure' }
  expect((await owner.post(`/projects/${id}/repository/files/.gitlab-ci.yml`, file)).status).toBe(201)
  const made = await sent(path, 'merge_requests.create_pipeline', call)
  expect(made.html).toContain('merge request event of')
  const [pipeline] = (await owner.get(`${at}/${iid}/pipelines`)).body
  expect((await got(`/owner/demo/-/pipelines/${pipeline.id}`)).html).toContain(`/-/merge_requests/${iid}">!${iid}</a>`)
  await owner.put(`${at}/${iid}`, { state_event: 'close' })
  expect((await got(path)).html).not.toContain('Run pipeline')
})

test('status checks are among the facts, and failed ones are sent again', async () => {
  const { base, owner, at, id, developer } = place
  const iid = await openRequest(place, 'checked')
  const path = `${base}/${iid}`
  const check = { name: `Legal ${script}`, external_url: 'https://checks.example/' }
  const { body } = await owner.post(`/projects/${id}/external_status_checks`, check)
  expect((await got(path)).html).toContain(
    'Status check Legal &lt;script&gt;alert(1)&lt;/script&gt; has not answered yet.',
  )
  const { sha } = await stored(iid)
  const answer = { external_status_check_id: body.id, sha, status: 'failed' }
  await developer.post(`${at}/${iid}/status_check_responses`, answer)
  await owner.put(`/projects/${id}`, { only_allow_merge_if_all_status_checks_passed: true })
  const failed = await got(path)
  expect(failed.html).toContain('has failed.')
  expect(failed.html).toContain('It cannot be merged before all status checks have passed.')
  expect((await got(path, 'reporter')).html).not.toContain('Send it again')
  const call = { merge_request_iid: String(iid), external_status_check_id: String(body.id) }
  expect((await sent(path, 'merge_request_status_checks.retry', call)).html).toContain('has not answered yet.')
  await owner.delete(`/projects/${id}/external_status_checks/${body.id}`)
  await owner.put(`/projects/${id}`, { only_allow_merge_if_all_status_checks_passed: false })
})

describe('what is missing, in words', () => {
  test('open threads, requested changes and a running pipeline', async () => {
    const { base, owner, at, id } = place
    const iid = await openRequest(place, 'words')
    await owner.put(`/projects/${id}`, { only_allow_merge_if_all_discussions_are_resolved: true })
    await owner.post(`${at}/${iid}/discussions`, { body: 'Why?' })
    const { html } = await got(`${base}/${iid}`)
    expect(html).toContain('It cannot be merged before all threads are resolved.')
    expect(html).toMatch(/Threads are not resolved\.[\s\S]*href="#note_\d+"/)
    await owner.put(`/projects/${id}`, { only_allow_merge_if_all_discussions_are_resolved: false })
  })
})

test('a merge request names what must be merged before it', async () => {
  const { base, at } = place
  const [first, then] = [
    await openRequest(place, 'first'),
    await openRequest(place, 'then', { title: `Then ${script}` }),
  ]
  const page = `${base}/${first}`
  const fields = { merge_request_iid: String(first), blocking_merge_request_iid: String(then), blocking_project_id: '' }
  expect((await got(page, 'reporter')).html).not.toContain('Add a dependency')
  const added = await sent(page, 'merge_request_blocks.create', fields)
  expect(added.html).toMatch(
    /It cannot be merged before those that it depends on\.[\s\S]*It must wait for[\s\S]*Then &lt;script&gt;/,
  )
  expect(added.html).toContain(`href="${base}/${then}"`)
  const again = await place.developer.browser.send(page, 'merge_request_blocks.create', { id: place.id, ...fields })
  expect([again.status, again.html.includes('Block already exists')]).toEqual([409, true])
  const [{ id }] = (await place.owner.get(`${at}/${first}/blocks`)).body
  const removal = { merge_request_iid: String(first), block_id: String(id) }
  expect((await sent(page, 'merge_request_blocks.delete', removal)).html).toContain('It can be merged.')
  await sent(page, 'merge_request_blocks.create', fields)
  await place.owner.put(`${at}/${then}/merge`)
  expect((await got(page)).html).toContain('It follows')
})
