import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText } from '../../testing.ts'
import { type Builds, script, startBuilds } from './testing.ts'

const base = '/owner/demo/-'
let builds: Builds
beforeAll(async () => {
  builds = await startBuilds()
})
afterAll(() => builds.server.stop())

test('a configuration is checked: a text, and the file of a commit', async () => {
  const { owner, guest, stranger, id } = builds
  const { browser } = owner
  const file = await browser.get(`${base}/ci/lint?ref=main`)
  expect(file.html).toContain('The configuration is valid.')
  expect(file.html).toContain('Merged text')
  expect(file.html).not.toContain(script)
  expect((await browser.get(`${base}/ci/lint?ref=none`)).status).toBe(404)
  const check = (content: string, more = {}) =>
    browser.send(`${base}/ci/lint`, 'ci_lint.check', { id, content, include_jobs: 'true', _shows: '1', ...more })
  const wrong = await check(`a: {script: x, stage: '${script}'}`)
  expect([wrong.status, wrong.html.includes(script)]).toEqual([200, false])
  expect(wrong.html).toContain('The configuration is not valid.')
  expect(readText(/<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(wrong.html)?.[1])).toBe(
    `a: {script: x, stage: '${script}'}`,
  )
  const right = await check('a: {script: [one, two]}', { dry_run: 'true' })
  expect(right.html).toContain('The configuration is valid.')
  expect(right.html).toContain('one\ntwo')
  expect((await check('')).html).toContain('The configuration is not valid.')
  expect((await stranger.browser.get(`${base}/ci/lint`)).status).toBe(404)
  // Guests of a private project do not read its code.
  expect((await guest.browser.get(`${base}/ci/lint?ref=main`)).status).toBe(403)
  const sent = { id, content: 'x', _shows: '1' }
  expect((await guest.browser.send(`${base}/ci/lint`, 'ci_lint.check', sent)).status).toBe(403)
})

test('a new runner is registered by a command that is shown once', async () => {
  const { server, owner, developer, id } = builds
  const address = `${base}/runners/new`
  const fields = { runner_type: 'project_type', project_id: id, description: script, run_untagged: 'true', _shows: '1' }
  expect((await owner.browser.get(address)).html).toContain('Create the runner')
  const made = await owner.browser.send(address, 'runners.create', fields)
  const [, command = ''] = /value="(gitlab-runner register[^"]*)"/.exec(made.html) ?? []
  const [, token = ''] = /--token (\S+)/.exec(command) ?? []
  expect(command).toBe(
    `gitlab-runner register --non-interactive --url ${server.url} --token ${token} --executor docker --docker-image alpine:latest`,
  )
  expect(made.html).toContain(`value="fennec runner --url ${server.url} --token ${token}"`)
  expect((await server.anonymous.post('/runners/verify', { token })).status).toBe(200)
  expect((await owner.browser.get(address)).html).not.toContain(token)
  const refused = await owner.browser.send(address, 'runners.create', { ...fields, run_untagged: 'false' })
  expect([refused.status, refused.html.includes(script)]).toEqual([400, false])
  expect((await developer.browser.get(address)).status).toBe(404)
  expect((await developer.browser.send(address, 'runners.create', fields)).status).toBe(404)
  expect((await owner.browser.get('/admin/runners/new')).status).toBe(404)
})

test('the next run of a schedule has its exact time', async () => {
  const { owner, id } = builds
  const schedule = { description: 'Nightly', ref: 'main', cron: '0 4 * * *', cron_timezone: 'Europe/Berlin' }
  const { body } = await owner.post(`/projects/${id}/pipeline_schedules`, schedule)
  const { html } = await owner.browser.get(`${base}/pipeline_schedules`)
  expect(html).toContain(`<time datetime="${body.next_run_at}" class="exact">`)
})
