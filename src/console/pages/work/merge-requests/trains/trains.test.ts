import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRequest, type Place, script, startPlace } from '../testing.ts'

let place: Place
let trains: string
beforeAll(async () => {
  place = await startPlace()
  trains = place.base.replace(/merge_requests$/, 'merge_trains')
  const content = `test: {script: a, rules: [{if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"'}]}\n`
  const file = { branch: 'main', commit_message: 'configure', content }
  await place.owner.post(`/projects/${place.id}/repository/files/.gitlab-ci.yml`, file)
})
afterAll(() => place.server.stop())

const settle = () => place.server.app.platform.jobs.drain()
const htmlOf = async (path: string, who: 'owner' | 'developer' | 'reporter' = 'owner') => {
  const { html } = await place[who].browser.get(path)
  expect(html).not.toContain(script)
  return html
}

async function sent(path: string, operation: string, iid: number, more: Record<string, string> = {}) {
  const fields = { id: place.id, merge_request_iid: String(iid), ...more }
  const { status, html } = await place.owner.browser.send(path, operation, fields, path)
  expect([status, status === 303 ? '' : html]).toEqual([303, ''])
  await settle()
}

test('projects without trains have no page for them', async () => {
  const iid = await openRequest(place, 'plain')
  expect(await htmlOf(`${place.base}/${iid}`)).not.toContain('merge train')
  expect(await htmlOf(place.base)).not.toContain(trains)
  expect((await place.owner.browser.get(trains)).status).toBe(403)
})

test('a merge request is added to the train, shown on it, and taken off', async () => {
  await place.owner.put(`/projects/${place.id}`, { merge_trains_enabled: true, merge_pipelines_enabled: true })
  expect(await htmlOf(place.base)).toContain(`href="${trains}"`)
  expect(await htmlOf(trains)).toContain('Nothing is on a train.')
  const [one, two] = [await openRequest(place, 'one'), await openRequest(place, 'two', { title: `Two ${script}` })]
  const path = `${place.base}/${one}`
  expect(await htmlOf(path, 'developer')).not.toContain('Add to the merge train')
  expect(await htmlOf(path)).toContain('Add to the merge train')
  await sent(path, 'merge_trains.add', one)
  expect(await htmlOf(path)).toMatch(/Number 1 of 1 on the merge train[\s\S]*Tested with those before it/)
  await place.owner.put(`${place.at}/${two}`, { title: `Draft: ${script}` })
  expect(await htmlOf(`${place.base}/${two}`)).toContain('when its checks have passed')
  await sent(`${place.base}/${two}`, 'merge_trains.add', two, { auto_merge: 'true' })
  expect(await htmlOf(`${place.base}/${two}`)).toContain('or added to the merge train,')
  const list = await htmlOf(trains)
  expect(list).toContain(`href="${path}"`)
  expect(await htmlOf(`${trains}?branch=main`)).toContain(`href="${path}"`)
  expect(await htmlOf(`${trains}?branch=other`)).toContain('Nothing is on a train.')
  expect((await place.reporter.browser.get(trains)).status).toBe(403)
  await sent(trains, 'merge_requests.cancel_auto_merge', one)
  expect(await htmlOf(trains)).toContain('Nothing is on a train.')
  expect(await htmlOf(`${trains}?scope=complete`)).toContain('No train has merged anything lately.')
})

test('those who may not merge take off only what they have opened', async () => {
  const own = await openRequest(place, 'own')
  const commit = { branch: 'other', start_branch: 'main', commit_message: 'other' }
  const actions = [{ action: 'create', file_path: 'other.txt', content: 'other' }]
  await place.owner.post(`/projects/${place.id}/repository/commits`, { ...commit, actions })
  const opened = { source_branch: 'other', target_branch: 'main', title: 'Other' }
  const { iid: other } = (await place.owner.post(place.at, opened)).body
  for (const iid of [own, other]) await sent(`${place.base}/${iid}`, 'merge_trains.add', iid)
  const buttons = async (who: 'owner' | 'developer') => {
    const list = await htmlOf(trains, who)
    return [own, other].map((iid) => list.includes(`Take off<span class="hidden"> !${iid}<`))
  }
  expect(await buttons('owner')).toEqual([true, true])
  expect(await buttons('developer')).toEqual([true, false])
})
