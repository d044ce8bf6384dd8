import { afterAll, beforeAll, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { type Builds, follow, script, startBuilds, startPipeline, takeJob } from '../build/testing.ts'

const base = '/owner/demo/-'
const pages = `${base}/environments`
let builds: Builds
let api: string
beforeAll(async () => {
  builds = await startBuilds()
  api = `/projects/${builds.id}`
  for (const one of (await builds.owner.get(`${api}/pipelines`)).body) {
    await builds.owner.post(`${api}/pipelines/${one.id}/cancel`)
  }
})
afterAll(() => builds.server.stop())

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

/** Deploys to production by the manual job of a new pipeline. @returns the id of the job */
async function deploy(): Promise<number> {
  const { owner } = builds
  const pipeline = await startPipeline(builds, owner)
  for (let count = 0; count < 3; count += 1) await (await takeJob(builds, '')).update({ state: 'success' })
  const { body: plan } = await owner.get(`${api}/pipelines/${pipeline}/plan`)
  const { id } = plan.find(({ name }: { name: string }) => name === 'publish')
  await owner.post(`${api}/jobs/${id}/play`)
  await (await takeJob(builds, '')).update({ state: 'success' })
  await builds.server.app.platform.jobs.drain()
  return id
}

test('an environment is made, changed, stopped and deleted', async () => {
  const { owner, guest, stranger, id } = builds
  const given = { id, name: 'review/a', description: script, external_url: 'https://a.example/<b>' }
  const made = await follow(owner.browser, `${pages}/new`, 'environments.create', given, `${pages}/{id}`)
  const one = made.location
  expect(textOf(made.html)).toContain(`review/a`)
  expect(made.html).not.toContain(script)
  expect(made.html).toContain('rel="noreferrer noopener"')
  const call = { id, environment_id: one.split('/').at(-1) ?? '' }
  const refused = await owner.browser.send(`${one}/edit`, 'environments.update', {
    ...call,
    external_url: 'javascript:1',
  })
  expect([refused.status, textOf(refused.html).includes('scheme is not allowed')]).toEqual([400, true])
  const changes = { ...call, external_url: 'ftp://a.example' }
  const changed = await follow(owner.browser, `${one}/edit`, 'environments.update', changes, one)
  expect(changed.html).not.toContain('href="ftp:')
  expect(textOf(changed.html)).toContain('ftp://a.example')
  expect((await owner.browser.get(pages)).html).toContain('>review/</a>')
  const stopped = await follow(owner.browser, one, 'environments.stop', call)
  expect(textOf(stopped.html)).toContain('Delete the environment')
  expect(textOf((await owner.browser.get(pages)).html)).not.toContain('review/a')
  expect(textOf((await owner.browser.get(`${pages}?state=stopped&search=view/`)).html)).toContain('review/a')
  expect(textOf((await owner.browser.get(`${pages}?search=a`)).html)).toContain('at least 3 characters')
  expect((await guest.browser.send(one, 'environments.delete', call)).status).toBe(403)
  await follow(owner.browser, one, 'environments.delete', call, pages)
  expect((await owner.browser.get(one)).status).toBe(404)
  expect((await guest.browser.get(`${base}/pipelines`)).html).not.toContain(`href="${pages}"`)
  expect((await stranger.browser.get(pages)).status).toBe(404)
})

test('an older deployment is rolled back to, for those who may run its job', async () => {
  const { owner, id, server } = builds
  const older = await deploy()
  await deploy()
  const [environment] = (await owner.get(`${api}/environments?name=production`)).body
  const address = `${pages}/${environment.id}`
  const { html } = await owner.browser.get(address)
  expect(html.split('>Roll back<').length - 1).toBe(2)
  expect(textOf(html)).toContain('runs now')
  const { pipeline, commit } = (await owner.get(`${api}/jobs/${older}`)).body
  for (const page of [`jobs/${older}`, `pipelines/${pipeline.id}`, `commit/${commit.id}`]) {
    expect(textOf((await owner.browser.get(`${base}/${page}`)).html)).toContain('Deployed to production passed')
  }
  const list = (await owner.browser.get(pages)).html
  expect(textOf(list)).toMatch(/production available production passed/)
  const call = { id, job_id: String(older) }
  const run = await follow(owner.browser, address, 'jobs.retry', call, ':made')
  expect(run.location).toMatch(/\/-\/jobs\/\d+$/)
  await (await takeJob(builds, '')).update({ state: 'success' })
  await server.app.platform.jobs.drain()
  const after = (await owner.browser.get(address)).html
  // The job of the first deployment was replaced: its place is taken by the newest one.
  expect(after).not.toContain(`name="job_id" value="${older}"`)
  const [newest, , first] = (await owner.get(`${api}/deployments?environment=production&sort=desc`)).body
  const shown = await owner.browser.get(`${address}/deployments/${first.id}`)
  expect(textOf(shown.html)).toContain('It has shipped no merge request.')
  expect((await owner.browser.get(`${address}/deployments/${newest.id}`)).html).not.toContain('Delete the deployment')
  const gone = { id, deployment_id: String(first.id) }
  await follow(owner.browser, `${address}/deployments/${first.id}`, 'deployments.delete', gone, address)
  expect((await owner.browser.get(`${address}/deployments/${first.id}`)).status).toBe(404)
})

test('old environments are cleaned up by maintainers', async () => {
  const { owner, developer, id } = builds
  expect((await owner.browser.get(pages)).html).toContain(`href="${pages}/old"`)
  expect((await developer.browser.get(pages)).html).not.toContain(`href="${pages}/old"`)
  const wrong = await owner.browser.send(`${pages}/old`, 'environments.stop_stale', { id, before: '2999-01-01T00:00' })
  expect([wrong.status, textOf(wrong.html).includes('Invalid Date')]).toEqual([400, true])
  const none = await owner.browser.send(`${pages}/old`, 'environments.delete_review_apps', { id, dry_run: 'false' })
  expect([none.status, textOf(none.html).includes('No environments found')]).toEqual([400, true])
})

test('a deployment is approved on its page, by those whom a rule asks', async () => {
  const { owner, guest, id } = builds
  const protection = { name: 'production', deploy_access_levels: [{ access_level: 40 }] }
  const rules = { approval_rules: [{ access_level: 40 }] }
  expect((await owner.post(`${api}/protected_environments`, { ...protection, ...rules })).status).toBe(201)
  const pipeline = await startPipeline(builds, owner)
  const [newest] = (await owner.get(`${api}/deployments?environment=production&sort=desc`)).body
  const address = `${pages}/${newest.environment.id}/deployments/${newest.id}`
  const buttons = async () =>
    textOf((await owner.browser.get(address)).html.replace(/<button[^>]*value="(approved|rejected)">/g, '[$1]'))
  // The one who deploys may only reject, unless the project says otherwise.
  expect(await buttons()).toMatch(/Maintainers 0 of 1/)
  expect(await buttons()).not.toContain('[approved]')
  expect(await buttons()).toContain('[rejected]')
  await owner.put(api, { allow_pipeline_trigger_approve_deployment: true })
  expect(await buttons()).toContain('[approved]')
  expect((await guest.browser.get(address)).html).not.toContain('value="approved"')
  const answer = { id, deployment_id: String(newest.id), status: 'approved', comment: 'fine' }
  await follow(owner.browser, address, 'deployments.approve', answer, address)
  expect(await buttons()).toMatch(/Maintainers 1 of 1/)
  expect(await buttons()).toContain('fine')
  await owner.post(`${api}/pipelines/${pipeline}/cancel`)
  expect(await buttons()).not.toContain('[rejected]')
  expect((await owner.delete(`${api}/protected_environments/production`)).status).toBe(204)
})

test('a protected environment has buttons for those who may deploy to it', async () => {
  const { owner, developer } = builds
  const protection = `${api}/protected_environments`
  const [{ id }] = (await owner.get(`${api}/environments?name=production`)).body
  const buttons = async ({ browser }: typeof owner) => {
    const { html } = await browser.get(`${pages}/${id}`)
    return [html.includes('Stop the environment'), html.includes(`${pages}/${id}/edit`)]
  }
  await owner.delete(`${protection}/production`)
  expect(await buttons(developer)).toEqual([true, true])
  const guarded = { name: 'production', deploy_access_levels: [{ access_level: 40 }] }
  expect((await owner.post(protection, guarded)).status).toBe(201)
  expect([await buttons(developer), await buttons(owner)]).toEqual([
    [false, false],
    [true, true],
  ])
  await owner.delete(`${protection}/production`)
})

test('the list has buttons for those who may deploy, in a number of queries that does not depend on the environments', async () => {
  const { owner, developer, server } = builds
  const make = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const { status } = await owner.post(`${api}/environments`, { name: `counted-${count}-${index}` })
      expect(status).toBe(201)
    }
  }
  const guarded = { name: 'counted-2-1', deploy_access_levels: [{ access_level: 40 }] }
  expect((await owner.post(`${api}/protected_environments`, guarded)).status).toBe(201)
  const address = `${pages}?search=counted`
  const ask = () => developer.browser.get(address)
  await make(2)
  await ask()
  const few = await queriesOf(server, ask)
  await make(8)
  expect(await queriesOf(server, ask)).toBe(few)
  const buttonsOf = async ({ browser }: typeof owner) =>
    (await browser.get(address)).html.split('Stop the environment').length - 1
  expect([await buttonsOf(developer), await buttonsOf(owner)]).toEqual([9, 10])
  await owner.delete(`${api}/protected_environments/counted-2-1`)
})

test('nothing is rolled back where older deployments are refused', async () => {
  const { owner, id } = builds
  const [environment] = (await owner.get(`${api}/environments?name=production`)).body
  const offered = async () => (await owner.browser.get(`${pages}/${environment.id}`)).html.includes('>Roll back<')
  expect(await offered()).toBe(true)
  await owner.put(`/projects/${id}`, { ci_forward_deployment_rollback_allowed: false })
  expect(await offered()).toBe(false)
  await owner.put(`/projects/${id}`, { ci_forward_deployment_enabled: false })
  expect(await offered()).toBe(true)
})
