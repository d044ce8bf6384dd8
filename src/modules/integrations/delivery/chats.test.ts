import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { monitoringPayload } from '../../alerts/testing.ts'
import { hookIssues } from '../../hooks/index.ts'
import { unplanned } from '../../issuables/index.ts'
import { startWithSink, type WithSink } from '../testing.ts'

let given: WithSink
beforeAll(async () => {
  given = await startWithSink()
})
afterAll(() => given.stop())
beforeEach(() => given.reset())

const hook = () => `${given.receiver.url}/hooks/x`

/** What the receiver got for a new issue, and what stands in it. */
async function sentForIssue(slug: string, fields: object, title = 'Broken') {
  await given.set(slug, fields)
  const { iid, web_url: url } = await given.openIssue({ title, description: 'It *is*.' })
  const sent = await given.sent()
  const project = `${given.server.url}/hooked/code`
  return { sent, bodies: sent.map(({ body }) => JSON.parse(body)), iid, url, project }
}

describe('a message about a new issue', () => {
  test('to Slack and Mattermost, to each channel of the event', async () => {
    for (const slug of ['slack', 'mattermost']) {
      const fields = { webhook: hook(), username: 'bot', channel: '#all', issue_channel: '#a, #b' }
      const { sent, bodies, iid, url, project } = await sentForIssue(slug, fields, 'Less < more & | so')
      expect(sent).toMatchObject([{ method: 'POST', url: '/hooks/x' }, { url: '/hooks/x' }])
      expect(bodies.map(({ channel }) => channel)).toEqual(['#a', '#b'])
      expect(bodies[0]).toEqual({
        channel: '#a',
        username: 'bot',
        text: `owner person opened issue <${url}|#${iid} Less &lt; more &amp; ¦ so> in <${project}|hooked / code>`,
        attachments: [
          {
            title: `#${iid} Less < more & | so`,
            text: 'It *is*.',
            fallback: `owner person opened issue #${iid} Less < more & | so in hooked / code`,
            color: '#345',
          },
        ],
      })
      await given.reset()
    }
  })

  test('to Slack without a channel', async () => {
    const { bodies } = await sentForIssue('slack', { webhook: hook() })
    expect(Object.keys(bodies[0])).toEqual(['text', 'attachments'])
  })

  test('to Discord, to the webhook of the event', async () => {
    const fields = { webhook: hook(), issue_channel: `${given.receiver.url}/issues` }
    const { sent, bodies, iid, url, project } = await sentForIssue('discord', fields, 'A [b](c) _d_')
    expect(sent[0]?.url).toBe('/issues')
    const description = `owner person opened issue [\\#${iid} A \\[b\\](c) \\_d\\_](${url}) in [hooked / code](${project})`
    expect(bodies).toMatchObject([
      {
        embeds: [
          {
            author: { name: 'owner person', icon_url: null },
            description: `${description}\n\nIt \\*is\\*.`,
            color: 0x334455,
            timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        ],
      },
    ])
  })

  test('to Microsoft Teams', async () => {
    const { bodies, iid, url, project } = await sentForIssue('microsoft-teams', { webhook: hook() })
    expect(bodies).toEqual([
      {
        title: 'hooked / code',
        summary: `owner person opened issue #${iid} Broken in hooked / code`,
        sections: [
          {
            activityTitle: `owner person opened issue [\\#${iid} Broken](${url}) in [hooked / code](${project})`,
            activitySubtitle: `[hooked / code](${project})`,
            activityText: 'It \\*is\\*.',
            activityImage: null,
          },
        ],
      },
    ])
  })

  test('to Google Chat, in the thread of the object', async () => {
    const { bodies, iid } = await sentForIssue('hangouts-chat', { webhook: `${hook()}?key=k` })
    await given.owner.put(`${given.at}/issues/${iid}`, { state_event: 'close' })
    const [opened, closed] = (await given.sent()).map(({ body }) => JSON.parse(body))
    expect(bodies[0].text).toContain(`#${iid} Broken>`)
    expect(opened.thread.threadKey).toBe(`hooked / code issue ${iid}`)
    expect(closed.thread).toEqual(opened.thread)
    expect((await given.sent())[0]?.url).toMatch(/^\/hooks\/x\?key=k&messageReplyOption=/)
  })

  test.each([
    ['webex-teams', (text: string) => ({ markdown: `${text}\n\nIt \\*is\\*.` })],
    ['unify-circuit', (text: string) => ({ subject: 'hooked / code', text, markdown: true })],
    ['pumble', (text: string) => ({ text })],
  ])('to %s', async (slug, bodyOf) => {
    const { bodies, iid, url, project } = await sentForIssue(slug, { webhook: hook() })
    const text = `owner person opened issue [\\#${iid} Broken](${url}) in [hooked / code](${project})`
    expect(bodies).toEqual([bodyOf(text)])
  })

  test('to Telegram', async () => {
    const fields = { token: '12:a/../b', room: '@r', thread: 7, hostname: `${given.receiver.url}/` }
    const { sent, bodies } = await sentForIssue('telegram', fields)
    expect(sent[0]?.url).toBe('/bot12:a%2F..%2Fb/sendMessage')
    expect(bodies).toMatchObject([{ chat_id: '@r', message_thread_id: 7, parse_mode: 'markdown' }])
  })

  test('to Matrix, with a transaction of its own', async () => {
    const fields = { token: 'm-secret', room: '!a/b:c', hostname: given.receiver.url }
    const { sent, bodies, iid, url, project } = await sentForIssue('matrix', fields, '<b>&')
    await given.openIssue()
    const [first, second] = await given.sent()
    expect(first).toMatchObject({ method: 'PUT', headers: { authorization: 'Bearer m-secret' } })
    expect(first?.url).toMatch(/^\/_matrix\/client\/v3\/rooms\/!a%2Fb%3Ac\/send\/m\.room\.message\/[0-9a-f]{32}$/)
    expect(second?.url).not.toBe(first?.url)
    expect(sent).toHaveLength(2)
    expect(bodies[0]).toEqual({
      msgtype: 'm.text',
      format: 'org.matrix.custom.html',
      body: `owner person opened issue #${iid} <b>& in hooked / code`,
      formatted_body: `owner person opened issue <a href="${url}">#${iid} &lt;b&gt;&amp;</a> in <a href="${project}">hooked / code</a>`,
    })
  })
})

test('what happens is said in one sentence', async () => {
  await given.set('slack', { webhook: hook(), pipeline_events: true, job_events: true, deployment_events: true })
  const { iid } = await given.openIssue()
  await given.owner.put(`${given.at}/issues/${iid}`, { title: 'Renamed' })
  await given.owner.post(`${given.at}/issues/${iid}/notes`, { body: 'Why?' })
  await given.owner.put(`${given.at}/issues/${iid}`, { state_event: 'close' })
  await given.commit('told.txt')
  await given.owner.post(`${given.at}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  await given.commit('other.txt', 'other')
  await given.owner.post(`${given.at}/merge_requests`, { source_branch: 'other', target_branch: 'main', title: 'MR' })
  await given.owner.delete(`${given.at}/repository/branches/other`)
  await given.owner.post(`${given.at}/wikis`, { title: 'Home', content: 'text' })
  const plain = (await given.texts()).map((text) => text.replace(/<[^|>]*\|([^>]*)>/g, '$1'))
  expect(plain.toSorted()).toEqual(
    [
      `owner person opened issue #${iid} Broken in hooked / code`,
      `owner person commented on issue #${iid} Renamed in hooked / code`,
      `owner person closed issue #${iid} Renamed in hooked / code`,
      'owner person pushed new branch main to hooked / code',
      'owner person pushed new tag v1 to hooked / code',
      'owner person pushed new branch other to hooked / code',
      'owner person opened merge request !1 MR in hooked / code',
      'owner person removed branch other from hooked / code',
      'owner person created wiki page Home in hooked / code',
    ].toSorted(),
  )
})

describe('alerts', () => {
  const rename = (text: string) => text.replace(/<[^|>]*\|([^>]*)>/g, '$1')

  test('are sent when they are triggered and when they are resolved, by a delivery or a user', async () => {
    const { receive, alerts } = await given.alerts()
    await given.set('slack', { webhook: hook(), channel: '#all', alert_channel: '#alarm' })
    await receive([{ title: 'Disk <full>', description: 'of *db*', severity: 'high' }, { title: 'Load' }])
    // Counted once more: no change of its status.
    await receive([{ title: 'Load' }])
    await given.settle()
    const [first] = given.receiver.received.map(({ body }) => JSON.parse(body))
    const url = `${given.server.url}/hooked/code/-/alert_management/1/details`
    expect(first).toMatchObject({
      channel: '#alarm',
      text: `Alert Bot triggered alert <${url}|Disk &lt;full&gt;> (high) in <${given.server.url}/hooked/code|hooked / code>`,
      attachments: [{ title: 'Disk <full>', text: 'of *db*', color: '#db3b21' }],
    })
    await receive([{ title: 'Load', end_time: new Date().toISOString() }])
    await given.owner.put(`${alerts}/1`, { status: 'acknowledged' })
    await given.owner.put(`${alerts}/1`, { status: 'resolved' })
    // Resolved as it arrives: it was never triggered.
    await receive([{ title: 'Late', end_time: new Date().toISOString() }])
    expect((await given.texts()).map(rename)).toEqual([
      'Alert Bot triggered alert Disk &lt;full&gt; (high) in hooked / code',
      'Alert Bot triggered alert Load (critical) in hooked / code',
      'Alert Bot resolved alert Load (critical) in hooked / code',
      'owner person resolved alert Disk &lt;full&gt; (high) in hooked / code',
    ])
  })

  test('are sent when closing the incident resolves them', async () => {
    const { receive, alerts } = await given.alerts()
    await receive([{ title: 'With incident' }])
    const [{ iid }] = (await given.owner.get(`${alerts}?search=With incident`)).body
    const incident = (await given.owner.post(`${alerts}/${iid}/incident`)).body
    await given.settle()
    await given.set('slack', { webhook: hook(), issues_events: false })
    await given.owner.put(`${given.at}/issues/${incident.iid}`, { state_event: 'close' })
    expect((await given.texts()).map(rename)).toEqual([
      'owner person resolved alert With incident (critical) in hooked / code',
    ])
  })

  test('are sent only where their events are on, and only to services that have them', async () => {
    const { receive } = await given.alerts()
    await given.set('slack', { webhook: hook(), alert_events: false })
    await given.set('mattermost', { webhook: hook() })
    await receive([{ title: 'Quiet' }])
    expect(await given.sent()).toEqual([])
    const kinds = given.server.app.platform.database.read.selectFrom('web_hook_events').select('trigger_name')
    expect(await kinds.where('trigger_name', '=', 'alert_hooks').where('payload', 'like', '%Quiet%').execute()).toEqual(
      [],
    )
  })

  test('of one delivery are all sent', async () => {
    const { receive } = await given.alerts()
    await given.set('slack', { webhook: hook() })
    const titles = Array.from({ length: 101 }, (_, index) => `Many ${index}`)
    const firing = titles.map((title) => ({ labels: { alertname: title }, startsAt: '2026-01-01T00:00:00Z' }))
    await receive([monitoringPayload(firing)])
    const sent = (await given.texts()).map((text) => /\|(Many \d+)>/.exec(text)?.[1])
    expect(sent).toEqual(titles)
  })
})

test('comments on commits are sent under the events of commits or of comments', async () => {
  const { id: sha } = await given.commit('discussed.txt')
  const { iid } = await given.openIssue()
  const comment = async () => {
    await given.owner.post(`${given.at}/repository/commits/${sha}/comments`, { note: 'Why?' })
    await given.owner.post(`${given.at}/issues/${iid}/notes`, { body: 'Why?' })
    const texts = (await given.texts()).map((text) => /commented on (commit|issue)/.exec(text)?.[1])
    await given.reset()
    return texts
  }
  await given.settle()
  const on = async (note_events: boolean, commit_events: boolean) => {
    await given.set('slack', { webhook: hook(), note_events, commit_events })
    return comment()
  }
  expect(await on(false, true)).toEqual(['commit'])
  expect(await on(true, false)).toEqual(['commit', 'issue'])
  expect(await on(true, true)).toEqual(['commit', 'issue'])
  expect(await on(false, false)).toEqual([])
  // Services without events of commits.
  await given.set('mattermost', { webhook: hook(), note_events: false })
  expect(await comment()).toEqual([])
})

describe('filters', () => {
  test('an event that is switched off is not sent', async () => {
    await given.set('slack', { webhook: hook(), issues_events: false })
    await given.openIssue()
    expect(await given.sent()).toEqual([])
  })

  test('what is confidential is sent under its own events only', async () => {
    await given.set('slack', { webhook: hook(), confidential_issues_events: false, confidential_note_events: false })
    const { iid } = await given.openIssue({ confidential: true })
    await given.owner.post(`${given.at}/issues/${iid}/notes`, { body: 'hidden' })
    const { iid: open } = await given.openIssue({ title: 'Open' })
    await given.owner.post(`${given.at}/issues/${open}/notes`, { body: 'internal', internal: true })
    expect(await given.texts()).toMatchObject([expect.stringContaining('Open')])
    await given.reset()
    await given.set('slack', { webhook: hook(), issues_events: false, note_events: false })
    const { iid: other } = await given.openIssue({ confidential: true })
    await given.owner.post(`${given.at}/issues/${other}/notes`, { body: 'hidden' })
    expect(await given.texts()).toHaveLength(2)
  })

  test('a confidential incident is not sent as an incident', async () => {
    const off = { issues_events: false, confidential_issues_events: false, incident_events: true }
    await given.set('slack', { webhook: hook(), ...off, incident_channel: '#fire' })
    await given.openIssue({ issue_type: 'incident', confidential: true })
    await given.openIssue()
    await given.openIssue({ issue_type: 'incident' })
    const bodies = (await given.sent()).map(({ body }) => JSON.parse(body))
    expect(bodies).toMatchObject([{ channel: '#fire', text: expect.stringContaining('opened incident') }])
  })

  test('the rule of labels', async () => {
    const labels = { labels_to_be_notified: '~bug, ~ui', labels_to_be_notified_behavior: 'match_any' }
    await given.set('slack', { webhook: hook(), ...labels })
    await given.openIssue({ title: 'none' })
    const { iid } = await given.openIssue({ title: 'one', labels: 'bug' })
    await given.owner.post(`${given.at}/issues/${iid}/notes`, { body: 'x' })
    expect(await given.texts()).toHaveLength(2)
    await given.reset()
    await given.set('slack', { webhook: hook(), ...labels, labels_to_be_notified_behavior: 'match_all' })
    await given.openIssue({ title: 'one', labels: 'bug' })
    await given.openIssue({ title: 'both', labels: 'bug,ui,other' })
    expect(await given.texts()).toMatchObject([expect.stringContaining('both')])
  })

  test.each([
    ['all', ['main', 'feature', 'held-1']],
    ['default', ['main']],
    ['protected', ['held-1']],
    ['default_and_protected', ['main', 'held-1']],
  ])('the rule of branches: %s', async (branches_to_be_notified, told) => {
    await given.commit(`before-${branches_to_be_notified}`)
    await given.owner.delete(`${given.at}/protected_branches/main`)
    await given.owner.post(`${given.at}/protected_branches`, { name: 'held-*' })
    await given.settle()
    await given.set('slack', { webhook: hook(), branches_to_be_notified })
    const branches = ['main', 'feature', 'held-1']
    for (const branch of branches) await given.commit(`${branch}-of-${branches_to_be_notified}`, branch)
    const texts = (await given.texts()).map((text) => /branch <[^|]*\|([^>]*)>/.exec(text)?.[1])
    expect(texts.toSorted()).toEqual(told.toSorted())
  })
})

describe('whose setting counts', () => {
  test('that of the nearest group, and the own one in its place', async () => {
    await given.set('slack', { webhook: hook(), channel: 'group' }, given.inGroup)
    await given.openIssue()
    await given.set('slack', { webhook: hook(), channel: 'own' })
    await given.openIssue()
    await given.owner.delete(`${given.at}/integrations/slack`)
    await given.openIssue()
    expect((await given.sent()).map(({ body }) => JSON.parse(body).channel)).toEqual(['group', 'own'])
  })

  test('one that was switched off is not sent what happened before', async () => {
    const { id } = await given.set('slack', { webhook: hook() })
    const { platform } = given.server.app
    const issue = await platform.database.read.selectFrom('issues').selectAll().limit(1).executeTakeFirstOrThrow()
    const saved = { issueId: issue.id, projectId: given.project.id, userId: given.owner.id, action: 'close' } as const
    for (const active of [true, false]) {
      await platform.database.write(async (tx) => {
        await hookIssues(platform, tx, { ...saved, former: {}, planned: unplanned })
        await tx.updateTable('integrations').set({ active }).where('id', '=', id).execute()
      })
      expect(await given.sent()).toHaveLength(1)
    }
  })
})

describe('failures', () => {
  test('four in a row pause it, and a success ends them', async () => {
    given.receiver.answer = (response) => void response.writeHead(500).end()
    const { id } = await given.set('slack', { webhook: hook() })
    const rows = given.server.app.platform.database.read.selectFrom('integrations').selectAll().where('id', '=', id)
    for (const failures of [1, 2, 3, 4, 4]) {
      await given.openIssue()
      await given.settle()
      expect((await rows.executeTakeFirstOrThrow()).recent_failures).toBe(failures)
    }
    expect(given.receiver.received).toHaveLength(4)
    expect((await rows.executeTakeFirstOrThrow()).disabled_until).not.toBeNull()
    given.receiver.reset()
    await given.set('slack', { webhook: hook() })
    await given.openIssue()
    expect(await given.sent()).toHaveLength(1)
  })

  test('redirects are not followed, and local addresses are not reached', async () => {
    given.receiver.answer = (response) =>
      void response.writeHead(302, { Location: `${given.receiver.url}/other` }).end()
    await given.set('slack', { webhook: hook() })
    await given.openIssue()
    expect(await given.sent()).toHaveLength(1)
    await given.allowLocal(false)
    await given.openIssue()
    await given.settle()
    await given.allowLocal(true)
    expect(given.receiver.received).toHaveLength(1)
  })
})
