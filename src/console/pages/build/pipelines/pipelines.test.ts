import { afterAll, beforeAll, expect, test } from 'vitest'
import { linksIn, visitorOf } from '../../code/testing.ts'
import { type Builds, follow, script, startBuilds, startPipeline, takeJob } from '../testing.ts'

const base = '/owner/demo/-'
let builds: Builds
beforeAll(async () => {
  builds = await startBuilds()
})
afterAll(() => builds.server.stop())

test('the list has stages, the commit and filters that are its address', async () => {
  const { owner, guest, stranger, server } = builds
  const { html } = await owner.browser.get(`${base}/pipelines`)
  expect(html).not.toContain(script)
  expect(html).toContain('Configure &lt;script&gt;')
  expect(html).toContain('aria-label="build: Pending"')
  expect(html).toContain(`href="${base}/pipelines/new"`)
  expect(html).toContain('<noscript><meta http-equiv="refresh"')
  const filtered = await owner.browser.get(`${base}/pipelines?status=failed&ref=x%22y`)
  expect(filtered.html).toContain('No pipeline matches.')
  expect(filtered.html).toContain('value="x&quot;y"')
  expect((await owner.browser.get(`${base}/pipelines?status=sideways`)).status).toBe(400)
  expect((await guest.browser.get(`${base}/pipelines`)).html).not.toContain(`${base}/pipelines/new`)
  expect((await stranger.browser.get(`${base}/pipelines`)).status).toBe(404)
  expect((await visitorOf(server).get(`${base}/pipelines`)).status).toBe(302)
})

test('a pipeline is run with variables, and a refused form keeps them', async () => {
  const { owner, guest, id } = builds
  const { browser } = owner
  const rows = { 'variables[0][key]': 'KEY', 'variables[0][value]': script, 'variables[1][key]': '' }
  const empty = { 'variables[1][value]': '', 'variables[1][variable_type]': '' }
  const fields = { id, ref: 'main', ...rows, ...empty, 'variables[0][variable_type]': 'file' }
  const refused = await browser.send(`${base}/pipelines/new`, 'pipelines.create', { ...fields, ref: 'none' })
  expect(refused.status).toBe(400)
  expect(refused.html).toContain('Reference not found')
  expect(refused.html).toContain('value="KEY"')
  expect(refused.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;</textarea>')
  const made = await follow(browser, `${base}/pipelines/new`, 'pipelines.create', fields, ':made')
  expect(made.location).toMatch(/\/owner\/demo\/-\/pipelines\/\d+$/)
  const { html } = await browser.get(`${made.location}?view=variables`)
  expect(html).toContain('<code class="value">&lt;script&gt;')
  expect(html).toContain('<span class="tagged">file</span>')
  expect((await guest.browser.get(`${made.location}?view=variables`)).html).not.toContain('KEY')
  expect((await guest.browser.get(`${base}/pipelines/new`)).status).toBe(404)
  expect((await guest.browser.send(`${base}/pipelines/new`, 'pipelines.create', fields)).status).toBe(404)
})

test('a pipeline shows failed jobs first, and its jobs by stages and by needs', async () => {
  const { owner, guest, id } = builds
  for (const one of (await owner.get(`/projects/${id}/pipelines`)).body)
    await owner.post(`/projects/${id}/pipelines/${one.id}/cancel`)
  const pipeline = await startPipeline(builds, owner)
  const address = `${base}/pipelines/${pipeline}`
  const call = { id, pipeline_id: String(pipeline) }
  expect((await owner.browser.get(address)).html).toContain(`data-refreshes="${address}"`)
  await (await takeJob(builds, 'x\n')).update({ state: 'success' })
  for (const state of ['failed', 'failed']) {
    await (await takeJob(builds, 'x\n')).update({ state, failure_reason: 'script_failure' })
  }
  const { html } = await owner.browser.get(address)
  expect(html).not.toContain(script)
  expect(html).not.toContain('data-refreshes')
  expect(html.indexOf('A job failed')).toBeLessThan(html.indexOf('class="stage-columns"'))
  expect(html).toContain('A command of the script failed.')
  expect(html).toContain('status failed allowed')
  const needs = await owner.browser.get(`${address}?view=needs`)
  expect(needs.html).toContain('<svg')
  expect(needs.html).not.toContain(script)
  const waiting = [...needs.html.matchAll(/<td class="soft">([^<]*)<\/td>/g)].map(([, text]) => text)
  expect(waiting).toEqual(['Nothing', 'compile', 'Earlier stages', 'Earlier stages'])
  const seen = await guest.browser.get(address)
  expect([seen.status, /Retry|Delete the pipeline/.test(seen.html)]).toEqual([200, false])
  expect((await guest.browser.send(address, 'pipelines.retry', call)).status).toBe(403)
  const retried = await follow(owner.browser, address, 'pipelines.retry', call)
  expect(retried.html).toContain('data-refreshes')
  const canceled = await follow(owner.browser, address, 'pipelines.cancel', call)
  expect(canceled.html).toContain('canceled')
  expect((await owner.browser.send(address, 'projects.delete', { id })).status).toBe(404)
  const list = await follow(owner.browser, address, 'pipelines.delete', call, `${base}/pipelines`)
  expect(linksIn(list.html)).not.toContain(address)
  expect((await owner.browser.get(address)).status).toBe(404)
  expect((await owner.browser.get(`${base}/pipelines/x`)).status).toBe(404)
})

test('badges show the newest pipeline of a branch', async () => {
  const { owner, server } = builds
  const shown = await owner.browser.get(`${base}/badges/main/pipeline.svg`)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  expect(shown.html).toContain('<title>pipeline: ')
  expect(shown.headers.get('content-security-policy')).toContain('sandbox')
  expect((await owner.browser.get(`${base}/badges/none/coverage.svg`)).html).toContain('coverage: unknown')
  expect((await owner.browser.get(`${base}/badges/main/other.svg`)).status).toBe(404)
  expect((await visitorOf(server).get(`${base}/badges/main/pipeline.svg`)).status).toBe(302)
})
