import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const rulesAt = () => `${place.base}/approval_rules`
const post = (params: object) => place.maintainer.post(rulesAt(), { approvals_required: 1, ...params })
const invalid = (errors: object) => ({ status: 400, body: { message: errors } })

test('a rule of a report names the report, once; two names stand for one', async () => {
  expect(await post({ name: 'x', rule_type: 'report_approver' })).toMatchObject(
    invalid({ report_type: ["can't be blank"] }),
  )
  const made = await post({ name: 'Coverage-Check' })
  const shown = { rule_type: 'report_approver', report_type: 'code_coverage' }
  expect(made).toMatchObject({ status: 201, body: shown })
  const report = { rule_type: 'report_approver', report_type: 'code_coverage' }
  expect(await post({ name: 'x', ...report })).toMatchObject(invalid({ report_type: ['has already been taken'] }))
  const regular = await post({ name: 'License-Check', rule_type: 'regular', report_type: 'license_scanning' })
  expect(regular.body).toMatchObject({ rule_type: 'regular', report_type: null })
  const changed = await place.maintainer.put(`${rulesAt()}/${made.body.id}`, { rule_type: 'regular', name: 'y' })
  expect(changed.body).toMatchObject({ name: 'y', ...shown })
  for (const { body } of [made, regular]) await place.maintainer.delete(`${rulesAt()}/${body.id}`)
})

test('the rule of the coverage asks for approvals only where the coverage falls', async () => {
  const { developer, owner, base, at, tree } = place
  const { body: rule } = await post({ name: 'Coverage-Check' })
  const { body: scans } = await post({ name: 'scans', rule_type: 'report_approver', report_type: 'scan_finding' })
  const { iid, sha } = await openRequest(place, 'covered')
  const status = async () => (await developer.get(`${at}/${iid}`)).body.detailed_merge_status
  expect(await status()).toBe('mergeable')
  const main = await tree.run('rev-parse', 'main')
  const cover = (commit: string, ref: string, coverage: number) =>
    owner.post(`${base}/statuses/${commit}`, { state: 'success', ref, coverage, name: 'tests' })
  expect((await cover(main, 'main', 80)).status).toBe(201)
  expect(await status()).toBe('not_approved')
  const { body } = await developer.get(`${at}/${iid}/approvals`)
  expect(body).toMatchObject({ approved: false, approvals_required: 1, approvals_left: 1 })
  await cover(sha, 'covered', 79.5)
  expect(await status()).toBe('not_approved')
  const { iid: better, sha: head } = await openRequest(place, 'better')
  await cover(head, 'better', 80)
  expect((await developer.get(`${at}/${better}`)).body.detailed_merge_status).toBe('mergeable')
  for (const { id } of [rule, scans]) await place.maintainer.delete(`${rulesAt()}/${id}`)
})

test('a rule keeps its branches until it is given others, also while they are not protected', async () => {
  const { developer, owner, maintainer, base, at, tree } = place
  await tree.push(owner, 'main:refs/heads/stable')
  const protect = async () => (await owner.post(`${base}/protected_branches`, { name: 'stable' })).body
  const first = await protect()
  expect(await post({ name: 'x', protected_branch_ids: [first.id, 99_999] })).toMatchObject(
    invalid({ protected_branches: ['all protected branches must exist within the project'] }),
  )
  const made = await post({ name: 'stable only', protected_branch_ids: [first.id] })
  expect(made.body.protected_branches).toMatchObject([{ id: first.id, name: 'stable' }])
  const one = `${rulesAt()}/${made.body.id}`
  const renamed = await maintainer.put(one, { name: 'stable' })
  expect(renamed.body).toMatchObject({ name: 'stable', protected_branches: [{ id: first.id }] })
  const other = await openRequest(place, 'to-main')
  const { iid } = await openRequest(place, 'to-stable', undefined, { target_branch: 'stable' })
  const status = async (request: number) => (await developer.get(`${at}/${request}`)).body.detailed_merge_status
  expect([await status(other.iid), await status(iid)]).toEqual(['mergeable', 'not_approved'])
  expect((await owner.delete(`${base}/protected_branches/stable`)).status).toBe(204)
  expect((await developer.get(rulesAt())).body).toMatchObject([{ name: 'stable', protected_branches: [] }])
  expect([await status(other.iid), await status(iid)]).toEqual(['mergeable', 'not_approved'])
  const { id } = await protect()
  expect((await developer.get(rulesAt())).body).toMatchObject([{ protected_branches: [{ id, name: 'stable' }] }])
  await maintainer.put(one, { protected_branch_ids: [], applies_to_all_protected_branches: true })
  await owner.delete(`${base}/protected_branches/stable`)
  expect([await status(other.iid), await status(iid)]).toEqual(['not_approved', 'mergeable'])
  await maintainer.put(one, { applies_to_all_protected_branches: false })
  expect([await status(other.iid), await status(iid)]).toEqual(['not_approved', 'not_approved'])
  await maintainer.delete(one)
})
