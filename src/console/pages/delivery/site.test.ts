import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishFor } from '../../../modules/pages/testing.ts'
import { readText } from '../../testing.ts'
import { type Builds, follow, script, startBuilds } from '../build/testing.ts'

const address = '/owner/demo/-/pages'
let builds: Builds
let api: string
beforeAll(async () => {
  builds = await startBuilds()
  api = `/projects/${builds.id}/pages`
  builds.server.app.platform.config.domainsVerification = 'static'
})
afterAll(() => builds.server.stop())

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
const shown = async () => (await builds.owner.browser.get(address)).html

test('a site is shown with what is published, and removed', async () => {
  const { owner, id, server } = builds
  expect(textOf(await shown())).toContain('Nothing is published yet.')
  expect(await shown()).not.toContain('Remove the site')
  const archive = { 'public/index.html': 'a' }
  await publishFor(server, builds.project.id, { archive, userId: owner.id })
  await publishFor(server, builds.project.id, { archive, pages: { pathPrefix: 'next' }, userId: owner.id })
  const { body } = await owner.get(api)
  const html = await shown()
  expect(body.deployments).toHaveLength(2)
  for (const { url } of body.deployments) expect(html).toContain(`href="${url}"`)
  expect(textOf(html)).toMatch(/next Folder public · published .* Main site Folder public/)
  await follow(owner.browser, address, 'pages.delete', { id })
  expect(textOf(await shown())).toContain('Nothing is published yet.')
})

test('its settings are changed', async () => {
  const { owner, id } = builds
  const given = { id, pages_unique_domain_enabled: 'false', pages_https_only: 'true' }
  const changed = await follow(owner.browser, address, 'pages.update', given)
  const { url, ...body } = (await owner.get(api)).body
  expect(body).toMatchObject({ is_unique_domain_enabled: false, force_https: true })
  expect(changed.html).toContain(`value="${url}"`)
})

test('a domain says what its owner writes into its zone, is verified, and becomes the primary one', async () => {
  const { owner, id, server } = builds
  expect(await shown()).toContain(`href="${address}/domains/new"`)
  const { body: made } = await owner.post(`${api}/domains`, { domain: 'site.example' })
  const proof = `fennec-pages-verification-code=${made.verification_code}`
  const unverified = await shown()
  expect(unverified).toContain(`value="${proof}"`)
  expect(unverified).toContain(`value="${new URL((await owner.get(api)).body.url).hostname}"`)
  const call = { id, domain: 'site.example' }
  const refused = await owner.browser.send(address, 'group_domains.verify', call)
  expect(refused.status).toBe(422)
  const primary = { id, pages_primary_domain: 'site.example', _form: 'primary' }
  const early = await owner.browser.send(address, 'pages.update', primary)
  expect([early.status, textOf(early.html).includes('is missing from the domain list')]).toEqual([400, true])
  server.app.platform.config.domainsStaticTxt = { 'site.example': [proof] }
  const verified = await follow(owner.browser, address, 'group_domains.verify', call)
  expect(textOf(verified.html)).toContain('Make primary')
  expect(verified.html).not.toContain(proof)
  const led = await follow(owner.browser, address, 'pages.update', primary)
  expect(textOf(led.html)).toContain('It leads to site.example.')
  await follow(owner.browser, address, 'pages.update', { id, pages_primary_domain: '', _form: 'primary' })
  expect((await owner.get(api)).body.primary_domain).toBeNull()
})

test('only maintainers see it, and no one where the feature is off', async () => {
  const { owner, developer, guest, stranger, id, server } = builds
  for (const person of [developer, guest]) {
    expect((await person.browser.get(address)).status).toBe(403)
    expect((await person.browser.send(address, 'pages.delete', { id })).status).toBe(403)
    expect((await person.browser.get('/owner/demo/-/pipelines')).html).not.toContain(`href="${address}"`)
  }
  expect((await stranger.browser.get(address)).status).toBe(404)
  expect((await owner.browser.get('/owner/demo/-/pipelines')).html).toContain(`href="${address}"`)
  await owner.put(`/projects/${id}`, { pages_access_level: 'disabled' })
  expect((await owner.browser.get(address)).status).toBe(404)
  expect((await owner.browser.get('/owner/demo/-/pipelines')).html).not.toContain(`href="${address}"`)
  await owner.put(`/projects/${id}`, { pages_access_level: 'private' })
  server.app.platform.config.pagesEnabled = false
  expect((await owner.browser.get(address)).status).toBe(404)
  server.app.platform.config.pagesEnabled = true
})

test('names that users give run nowhere on the page', async () => {
  const { owner, server } = builds
  const folder = script.replaceAll('/', '')
  const archive = { [`${folder}/index.html`]: 'a' }
  await publishFor(server, builds.project.id, { archive, pages: { publish: folder }, userId: owner.id })
  const html = await shown()
  expect(html).not.toContain(folder)
  expect(textOf(html)).toContain('Folder')
})
