import { afterAll, beforeAll, expect, test } from 'vitest'
import { zipOf } from '../../../../testing/index.ts'
import { linksIn, visitorOf } from '../../code/testing.ts'
import { type Builds, follow, script, startBuilds, startPipeline, takeJob } from '../testing.ts'

const base = '/owner/demo/-'
let builds: Builds
beforeAll(async () => {
  builds = await startBuilds()
})
afterAll(() => builds.server.stop())

/** Ends all pipelines, and takes the first job of a new one. */
async function startJob(log: string) {
  const { owner, id } = builds
  for (const one of (await owner.get(`/projects/${id}/pipelines`)).body)
    await owner.post(`/projects/${id}/pipelines/${one.id}/cancel`)
  const pipeline = await startPipeline(builds, owner)
  const job = await takeJob(builds, log)
  return { ...job, pipeline, address: `${base}/jobs/${job.id}` }
}

test('a job shows what is known of it, and makes progress', async () => {
  const { owner, guest, stranger, server } = builds
  const job = await startJob('one\ntwo')
  const { html } = await owner.browser.get(job.address)
  expect(html).toContain(`data-refreshes="${job.address}?log=none"`)
  expect(html).toContain('<p id="L1"><a class="no" href="#L1">1</a><span>one</span></p>')
  // The second line is not whole yet.
  expect(html).not.toContain('id="L2"')
  expect(html).toContain(`data-log="${job.address}/raw"`)
  expect(html).toContain('data-byte="4"')
  const parts = await owner.browser.get(`${job.address}?log=none`)
  expect(parts.html).toContain('id="job-facts"')
  expect(parts.html).not.toContain('class="log"')
  expect(parts.html).toContain(`name="_then" value="${job.address}"`)
  expect((await owner.browser.get(`${job.address}/raw?from=4`)).html).toBe('two')
  expect(await owner.browser.get(`${job.address}/raw?from=7`)).toMatchObject({ status: 200, html: '' })
  await job.update({ state: 'failed', failure_reason: 'runner_system_failure' })
  const ended = await owner.browser.get(job.address)
  expect(ended.html).toContain('id="L2"')
  expect(ended.html).toContain('The runner failed.')
  expect(ended.html).not.toContain('data-log=')
  expect((await guest.browser.get(job.address)).html).not.toContain('Retry')
  expect((await stranger.browser.get(job.address)).status).toBe(404)
  expect((await visitorOf(server).get(job.address)).status).toBe(302)
  expect((await owner.browser.get(`${base}/jobs/999999`)).status).toBe(404)
  expect((await owner.browser.get(`${base}/jobs/x`)).status).toBe(404)
})

test('a job is canceled, retried and erased', async () => {
  const { owner, guest, id } = builds
  const job = await startJob('log\n')
  const call = { id, job_id: String(job.id) }
  expect((await guest.browser.send(job.address, 'jobs.cancel', call)).status).toBe(403)
  expect((await follow(owner.browser, job.address, 'jobs.cancel', call)).html).toContain('canceling')
  await job.update({ state: 'failed' })
  expect((await owner.browser.get(job.address)).html).toMatch(
    /canceled[\s\S]*value="jobs\.retry"|value="jobs\.retry"[\s\S]*canceled/,
  )
  const retried = await follow(owner.browser, job.address, 'jobs.retry', call, ':made')
  expect(retried.location).not.toBe(job.address)
  // It is replaced by the new one.
  expect((await owner.browser.get(job.address)).html).not.toContain('value="jobs.retry"')
  const again = await owner.browser.send(job.address, 'jobs.retry', call)
  expect([again.status, again.html.split('Job is not retryable').length - 1]).toEqual([403, 1])
  expect((await guest.browser.send(job.address, 'jobs.erase', call)).status).toBe(403)
  const erased = await follow(owner.browser, job.address, 'jobs.erase', call)
  expect(erased.html).toContain('The log was erased.')
})

test('a manual job is run with variables', async () => {
  const { owner, id } = builds
  const job = await startJob('')
  await job.update({ state: 'success' })
  for (let count = 0; count < 2; count += 1) await (await takeJob(builds, '')).update({ state: 'success' })
  const { body: plan } = await owner.get(`/projects/${id}/pipelines/${job.pipeline}/plan`)
  const manual = plan.find(({ name }: { name: string }) => name === 'publish')
  expect(manual.status).toBe('manual')
  const address = `${base}/jobs/${manual.id}`
  const { html } = await owner.browser.get(address)
  expect(html).toContain('name="job_variables_attributes[0][key]"')
  expect(html).toContain('production')
  const call = { id, job_id: String(manual.id) }
  const wrong = { 'job_variables_attributes[0][key]': 'no key', 'job_variables_attributes[0][value]': script }
  const refused = await owner.browser.send(address, 'jobs.play', { ...call, ...wrong })
  expect([refused.status, refused.html.includes('value="no key"'), refused.html.includes(script)]).toEqual([
    ...[400, true, false],
  ])
  const right = { 'job_variables_attributes[0][key]': 'KEY', 'job_variables_attributes[0][value]': 'v' }
  await follow(owner.browser, address, 'jobs.play', { ...call, ...right })
  const { variables } = await takeJob(builds, '')
  expect(variables).toContainEqual(expect.objectContaining({ key: 'KEY', value: 'v' }))
})

test('artifacts are a tree; a file is downloaded', async () => {
  const { owner, guest, stranger, id } = builds
  const job = await startJob('')
  const odd = 'a "b" <img src=x onerror=alert(1)>#?%.html'
  await job.upload(zipOf({ 'out/deep/c.txt': 'c', [`out/${odd}`]: script, 'z.txt': 'z' }))
  await job.update({ state: 'success' })
  const { html } = await owner.browser.get(job.address)
  expect(linksIn(html)).toContain(`${job.address}/artifacts/browse`)
  const root = await owner.browser.get(`${job.address}/artifacts/browse`)
  expect(linksIn(root.html)).toContain(`${job.address}/artifacts/browse/out`)
  const folder = await owner.browser.get(`${job.address}/artifacts/browse/out`)
  expect(folder.html).not.toContain('<img src=x')
  const link = linksIn(folder.html).find((one) => one.includes('artifacts/raw/')) ?? ''
  const file = await owner.browser.get(link)
  expect([file.html, file.headers.get('content-type')]).toEqual([script, 'application/octet-stream'])
  expect(file.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(file.headers.get('content-security-policy')).toContain('sandbox')
  const whole = await guest.browser.get(`${job.address}/artifacts/download`)
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect((await owner.browser.get(`${job.address}/artifacts/raw/none`)).status).toBe(404)
  expect((await owner.browser.get(`${job.address}/artifacts/raw/..%2Fx`)).status).toBe(400)
  expect((await stranger.browser.get(`${job.address}/artifacts/browse`)).status).toBe(404)
  const call = { id, job_id: String(job.id) }
  expect((await follow(owner.browser, job.address, 'job_artifacts.keep', call)).html).not.toContain('Expire')
  expect((await guest.browser.send(job.address, 'job_artifacts.delete', call)).status).toBe(403)
  const deleted = await follow(owner.browser, job.address, 'job_artifacts.delete', call)
  expect(linksIn(deleted.html)).not.toContain(`${job.address}/artifacts/browse`)
})

test('the list of jobs is narrowed by state', async () => {
  const { owner, guest } = builds
  const all = await owner.browser.get(`${base}/jobs`)
  expect([all.status, all.html.includes(script)]).toEqual([200, false])
  expect((await owner.browser.get(`${base}/jobs?status=running`)).html).toContain('publish')
  expect((await guest.browser.get(`${base}/jobs?status=finished`)).html).toContain('compile')
})
