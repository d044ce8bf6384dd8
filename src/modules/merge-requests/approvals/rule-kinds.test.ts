import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../../api/index.ts'
import { type Client, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { Project } from '../../projects/index.ts'
import { makePlace, openRequest, type Place } from '../testing.ts'
import { createRule } from './rules.ts'

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

test('a rule asks for 0 to 100 approvals, and keeps what a change does not name', async () => {
  const { maintainer } = place
  const put = (id: number, params: object) => maintainer.put(`${rulesAt()}/${id}`, params)
  expect(await post({ name: 'x', approvals_required: -1 })).toMatchObject(
    invalid({ approvals_required: ['must be greater than or equal to 0'] }),
  )
  expect(await post({ name: 'x', approvals_required: 101 })).toMatchObject(
    invalid({ approvals_required: ['must be less than or equal to 100'] }),
  )
  const { body: none } = await post({ name: 'none', approvals_required: 0 })
  const { body: many } = await post({ name: 'many', approvals_required: 100 })
  expect([none.approvals_required, many.approvals_required]).toEqual([0, 100])
  expect((await put(many.id, { name: 'most' })).body).toMatchObject({ name: 'most', approvals_required: 100 })
  expect((await put(many.id, { approvals_required: 3 })).body).toMatchObject({ name: 'most', approvals_required: 3 })
  expect((await put(many.id, { approvals_required: 101 })).status).toBe(400)
  expect(await put(many.id, { name: 'none' })).toMatchObject(invalid({ name: ['has already been taken'] }))
  const { body: license } = await post({ name: 'License-Check' })
  expect(license).toMatchObject({ rule_type: 'report_approver', report_type: 'license_scanning' })
  // A name of every object is no name of a report.
  const { body: odd } = await post({ name: 'constructor' })
  expect(odd).toMatchObject({ rule_type: 'regular', report_type: null })
  for (const { id } of [none, many, license, odd]) await maintainer.delete(`${rulesAt()}/${id}`)
})

test('people who are named need the role of a reporter; those of groups are shown as eligible', async () => {
  const { owner, maintainer, guest, reporter, developer } = place
  const group = await server.make.group('eligible', owner, { visibility: 'public' })
  const secret = await server.make.group('not-shown', owner)
  const member = await server.user('eligible-member')
  await server.make.member({ namespace: group }, member, 10)
  const named = { user_ids: [guest.id, reporter.id], usernames: [developer.username] }
  const idsOf = (people: { id: number }[]) => people.map(({ id }) => id).toSorted((a, b) => a - b)
  const { body: people } = await post({ name: 'people', ...named })
  expect(idsOf(people.users)).toEqual([reporter.id, developer.id].toSorted((a, b) => a - b))
  const { body: byName } = await post({ name: 'by name', usernames: [developer.username] })
  expect(idsOf(byName.users)).toEqual([developer.id])
  const both = { approvals_required: 1, name: 'groups', group_ids: [group.id, secret.id] }
  const { body: groups } = await owner.post(rulesAt(), both)
  expect(idsOf(groups.eligible_approvers)).toEqual([member.id, owner.id].toSorted((a, b) => a - b))
  expect([idsOf(groups.groups), groups.contains_hidden_groups]).toEqual([[group.id, secret.id], false])
  const seen = (await maintainer.get(rulesAt())).body.find(({ id }: { id: number }) => id === groups.id)
  expect([idsOf(seen.groups), seen.contains_hidden_groups]).toEqual([[group.id], true])
  for (const { id } of [people, byName, groups]) await maintainer.delete(`${rulesAt()}/${id}`)
})

test('the groups of rules are shown to who can see them', async () => {
  const { owner, developer, outsider } = place
  await using tree = (await makePlace(server, { people: place, visibility: 'public' })).tree
  const shown = await server.make.group('shown', owner, { visibility: 'public' })
  const hidden = await server.make.group('shown-to-guests', owner)
  await server.make.member({ namespace: hidden }, developer, 10)
  const rule = { name: 'groups', approvals_required: 1, group_ids: [shown.id, hidden.id] }
  expect((await owner.post(`${tree.base}/approval_rules`, rule)).status).toBe(201)
  const open = { ...place, tree, at: `${tree.base}/merge_requests` }
  const { iid } = await openRequest(open, 'with-groups')
  const seenBy = async (client: Client) =>
    (await client.get(`${open.at}/${iid}/approvals`)).body.approver_groups.map(
      ({ group }: { group: { id: number } }) => group.id,
    )
  expect(await seenBy(developer)).toEqual([shown.id, hidden.id])
  for (const client of [outsider, server.anonymous]) expect(await seenBy(client)).toEqual([shown.id])
})

test('an error of something else is not that of a taken name', async () => {
  const failed = new Error('the act is not recorded')
  const by = { actor: { kind: 'anonymous' } as Actor, act: () => Promise.reject(failed) }
  const creating = createRule(server.app.platform, place.project as Project, by, { name: 'x', approvals_required: 1 })
  await expect(creating).rejects.toBe(failed)
})

test('a rule shows the protected branches that it is for, one for all of them shows all', async () => {
  const { owner, maintainer, base, tree } = place
  const protect = async (name: string) => {
    await tree.push(owner, `main:refs/heads/${name}`)
    return (await owner.post(`${base}/protected_branches`, { name })).body.id as number
  }
  const [first, second] = [await protect('shown-1'), await protect('shown-2')]
  const { body: one } = await post({ name: 'one', protected_branch_ids: [first] })
  const { body: all } = await post({ name: 'all', applies_to_all_protected_branches: true })
  const { body: every } = await post({ name: 'every' })
  const shown = async () => {
    const rules: { id: number; protected_branches: { id: number }[] }[] = (await maintainer.get(rulesAt())).body
    return [one, all, every].map(({ id }) =>
      rules.find((rule) => rule.id === id)?.protected_branches.map((branch) => branch.id),
    )
  }
  const [ofOne, ofAll, ofEvery] = await shown()
  expect([ofOne, ofEvery]).toEqual([[first], []])
  expect(ofAll).toEqual(expect.arrayContaining([first, second]))
  expect(one.protected_branches).toMatchObject([{ id: first }])
  expect(all.protected_branches).toEqual(expect.arrayContaining([expect.objectContaining({ id: second })]))
  expect([all.applies_to_all_protected_branches, every.applies_to_all_protected_branches]).toEqual([true, false])
  for (const { id } of [one, all, every]) await maintainer.delete(`${rulesAt()}/${id}`)
})

test('people are named by ids, by names in any case, or by both; several groups keep their own ids', async () => {
  const { developer, owner, maintainer, base } = place
  const nameOf = async (id: number) => (await server.root.get(`/users/${id}`)).body.username as string
  const shout = (await nameOf(developer.id)).toUpperCase()
  const made = [
    await post({ name: 'ids', user_ids: [developer.id] }),
    await post({ name: 'names', usernames: [shout] }),
    await post({ name: 'both', user_ids: [owner.id], usernames: [shout] }),
  ]
  const users = made.map(({ body }) => body.users.map(({ id }: { id: number }) => id).sort())
  expect(users).toEqual([[developer.id], [developer.id], [owner.id, developer.id].sort()])
  const groups = [
    await server.make.group('first-approvers', maintainer, { visibility: 'public' }),
    await server.make.group('second-approvers', maintainer, { visibility: 'public' }),
  ]
  const ruled = await post({ name: 'groups', group_ids: groups.map(({ id }) => id) })
  expect(ruled.body).toMatchObject({ groups: groups.map(({ id }) => ({ id })), contains_hidden_groups: false })
  expect(await post({ name: ' \t' })).toMatchObject(invalid({ name: ["can't be blank"] }))
  for (const { body } of [...made, ruled]) await maintainer.delete(`${base}/approval_rules/${body.id}`)
})
