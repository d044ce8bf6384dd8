/** Tiers, offerings and FIPS: what the server has of each (contract 00, "Versioning and switches"). */
import { describe, expect, test } from 'vitest'
import { operationsFor } from '../src/api/index.ts'
import { readConfig, wholeEdition } from '../src/config.ts'
import { modules } from '../src/modules.ts'
import { startTestServer, type TestServer } from '../src/testing/index.ts'

const edition = (settings: Record<string, string>) => startTestServer({ settings })

async function projectOf({ root }: TestServer) {
  const { body: group } = await root.post('/groups', { name: 'g', path: 'g' })
  const { body: project } = await root.post('/projects', {
    name: 'p',
    namespace_id: group.id,
    initialize_with_readme: true,
  })
  return { group: `/groups/${group.id}`, project: `/projects/${project.id}` }
}

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const noRoute = { status: 404, body: { error: '404 Not Found' } }

describe('the free tier', () => {
  test('refuses operations of higher tiers to who sees their subject', async () => {
    await using server = await edition({ FENNEC_TIER: 'free' })
    const { root } = server
    const { group, project } = await projectOf(server)
    const stranger = await server.user('stranger')
    for (const path of [
      `${group}/epics`,
      `${group}/iterations`,
      `${group}/wikis`,
      `${project}/push_rule`,
      '/geo_nodes',
    ]) {
      expect(await root.get(path), path).toMatchObject(forbidden)
    }
    expect(await root.post(`${group}/service_accounts`)).toMatchObject(forbidden)
    expect((await stranger.get(`${group}/epics`)).status).toBe(404)
    expect((await server.anonymous.get(`${project}/push_rule`)).status).toBe(401)
    expect((await root.get(`${project}/wikis`)).status).toBe(200)
    expect((await root.get('/license')).body.plan).toBe('free')
  })

  test('ignores parameters of higher tiers, and leaves out their fields', async () => {
    await using server = await edition({ FENNEC_TIER: 'free' })
    const { root } = server
    const { group, project } = await projectOf(server)
    const people = [await server.user('one'), await server.user('two')]
    for (const { id } of people) await root.post(`${project}/members`, { user_id: id, access_level: 30 })
    const assignee_ids = people.map(({ id }) => id)
    const issue = await root.post(`${project}/issues`, {
      title: 'i',
      weight: 3,
      health_status: 'at_risk',
      assignee_ids,
    })
    expect(issue.status).toBe(201)
    const higher = ['weight', 'blocking_issues_count', 'epic', 'epic_iid', 'iteration', 'health_status']
    expect(Object.keys(issue.body).filter((name) => higher.includes(name))).toEqual([])
    expect(issue.body.assignees).toMatchObject([{ username: 'one' }])
    expect((await root.get(`${project}/issues?weight=7&iteration_title=x&not[weight]=0`)).body).toHaveLength(1)
    const allowed_to_push = [{ user_id: people[0]?.id }]
    const rule = await root.post(`${project}/protected_branches`, { name: 'b', allowed_to_push })
    expect(rule.body.push_access_levels).toEqual([
      { id: expect.any(Number), access_level: 40, access_level_description: 'Maintainers' },
    ])
    const variable = { key: 'A', value: '1', environment_scope: 'production' }
    expect((await root.post(`${group}/variables`, variable)).body.environment_scope).toBe('*')
    expect((await root.post(`${project}/variables`, variable)).body.environment_scope).toBe('production')
    const user = (await root.get(`/users/${people[0]?.id}`)).body
    expect([user.is_admin, 'is_auditor' in user, 'highest_role' in user]).toEqual([false, false, false])
  })

  test('has fewer values of some parameters', async () => {
    await using server = await edition({ FENNEC_TIER: 'free' })
    const { root } = server
    const { project } = await projectOf(server)
    const names = 'assignee_username[]=a&assignee_username[]=b'
    const refused = { status: 400, body: { error: 'assignee_username allows one value, but found 2: a, b' } }
    expect(await root.get(`${project}/issues?${names}`)).toMatchObject(refused)
    expect((await root.get(`${project}/issues?assignee_username=root`)).status).toBe(200)
    const ordered = await root.get(`${project}/issues?order_by=weight`)
    expect(ordered).toMatchObject({ status: 400, body: { error: 'order_by does not have a valid value' } })
    const { body: issue } = await root.post(`${project}/issues`, { title: 'i' })
    const target = { target_project_id: issue.project_id, target_issue_iid: issue.iid, link_type: 'blocks' }
    const linked = await root.post(`${project}/issues/${issue.iid}/links`, target)
    expect(linked).toMatchObject({ status: 400, body: { error: 'link_type does not have a valid value' } })
  })

  test('has one alert integration of each type, groups no alerts by their payload, and knows no scopes of labels', async () => {
    await using server = await edition({ FENNEC_TIER: 'free' })
    const { root } = server
    const { project } = await projectOf(server)
    const path = `${project}/alert_management_integrations`
    const { body: integration } = await root.post(path, { name: 'one', payload_example: { a: 1 } })
    expect(await root.post(path, { name: 'two' })).toMatchObject({
      status: 403,
      body: { message: 'Multiple HTTP integrations are not supported for this project' },
    })
    expect((await root.post(path, { name: 'three', type: 'prometheus' })).status).toBe(201)
    const headers = { Authorization: `Bearer ${integration.token}`, 'Content-Type': 'application/json' }
    for (let time = 0; time < 2; time += 1) {
      const sent = await fetch(integration.url, { method: 'POST', headers, body: '{"title":"same"}' })
      expect(sent.status).toBe(200)
    }
    expect((await root.get(`${project}/alert_management_alerts`)).body).toHaveLength(2)
    const issue = await root.post(`${project}/issues`, { title: 'i', labels: 'a::1,a::2' })
    expect(issue.body.labels).toEqual(['a::1', 'a::2'])
  })

  test('counts one approval as enough, and shows only what it knows of approvals', async () => {
    await using server = await edition({ FENNEC_TIER: 'free' })
    const { root } = server
    const { project } = await projectOf(server)
    await root.post(`${project}/repository/branches`, { branch: 'f', ref: 'main' })
    const file = { branch: 'f', content: 'x', commit_message: 'x' }
    await root.post(`${project}/repository/files/x`, file)
    const { body } = await root.post(`${project}/merge_requests`, {
      source_branch: 'f',
      target_branch: 'main',
      title: 't',
    })
    const path = `${project}/merge_requests/${body.iid}`
    const shown = { user_has_approved: false, user_can_approve: expect.any(Boolean), approved: false, approved_by: [] }
    expect((await root.get(`${path}/approvals`)).body).toEqual(shown)
    const other = await server.user('other')
    await root.post(`${project}/members`, { user_id: other.id, access_level: 30 })
    expect((await other.post(`${path}/approve`)).status).toBe(201)
    expect((await root.get(`${path}/approvals`)).body).toMatchObject({ approved: true })
    expect(await root.get(`${project}/approval_rules`)).toMatchObject(forbidden)
  })
})

test('the premium tier has all but what is of the ultimate one', async () => {
  await using server = await edition({ FENNEC_TIER: 'premium' })
  const { root } = server
  const { group, project } = await projectOf(server)
  const { body } = await root.post(`${project}/issues`, { title: 'i', weight: 3, health_status: 'at_risk' })
  expect([body.weight, body.epic, 'health_status' in body]).toEqual([3, null, false])
  expect((await root.get(`${group}/epics`)).status).toBe(200)
  expect((await root.get('/license')).body.plan).toBe('premium')
})

test('the reference says which editions have what', async () => {
  await using server = await startTestServer()
  const text = JSON.stringify((await server.root.get('/openapi.json')).body)
  const limits = ['Premium and Ultimate only.', 'Ultimate only.', 'self-managed and dedicated only.', 'Not with FIPS.']
  for (const limit of limits) expect(text).toContain(limit)
})

test('the reference has only what the server has', async () => {
  await using server = await edition({ FENNEC_TIER: 'free', FENNEC_OFFERING: 'hosted' })
  const { paths } = (await server.root.get('/openapi.json')).body
  expect(paths['/api/v4/features'] ?? paths['/features']).toBeUndefined()
  expect(JSON.stringify(paths)).not.toContain('"health_status"')
})

describe('an offering', () => {
  test('that is hosted has no operations of the other ones', async () => {
    await using server = await edition({ FENNEC_OFFERING: 'hosted' })
    const { root } = server
    const { group, project } = await projectOf(server)
    for (const path of ['/deploy_keys', '/features', '/admin/ci/variables', '/group_repository_storage_moves']) {
      expect(await root.get(path), path).toMatchObject(noRoute)
    }
    expect((await root.get(`${group}/enterprise_users`)).status).toBe(200)
    const snippet = { title: 's', files: [{ file_path: 'a', content: 'b' }] }
    const internal = await root.post('/snippets', { ...snippet, visibility: 'internal' })
    const message = 'Visibility level internal has been restricted by your GitLab administrator'
    expect([internal.status, JSON.stringify(internal.body)]).toEqual([403, expect.stringContaining(message)])
    expect((await root.post('/snippets', { ...snippet, visibility: 'private' })).status).toBe(201)
    const rule = { name: 'b', allowed_to_push: [{ access_level: 60 }] }
    expect((await root.post(`${project}/protected_branches`, rule)).status).toBe(400)
    expect((await root.post(`${project}/protected_branches`, { name: 'b', push_access_level: 60 })).status).toBe(400)
  })

  test.each(['self-managed', 'dedicated'])('that is %s has no operations of the hosted one', async (offering) => {
    await using server = await edition({ FENNEC_OFFERING: offering })
    const { group } = await projectOf(server)
    expect(await server.root.get(`${group}/enterprise_users`)).toMatchObject(noRoute)
    expect((await server.root.get('/deploy_keys')).status).toBe(200)
  })

  test('is all of them without the setting', async () => {
    await using server = await startTestServer()
    const { group } = await projectOf(server)
    for (const path of [`${group}/enterprise_users`, '/deploy_keys']) {
      expect((await server.root.get(path)).status, path).toBe(200)
    }
  })
})

test('under FIPS keys have no MD5 fingerprint', async () => {
  await using server = await edition({ FENNEC_FIPS: 'true' })
  const { project } = await projectOf(server)
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJbFzYoZsOXBSsVMpXmbgdCRBaH+KYyZ3rrSQbPTfQI'
  const { status, body } = await server.root.post(`${project}/deploy_keys`, { title: 'k', key })
  expect([status, 'fingerprint' in body, body.fingerprint_sha256]).toEqual([
    201,
    false,
    expect.stringMatching(/^SHA256:/),
  ])
})

describe('an edition', () => {
  const all = modules.flatMap(({ operations }) => operations)

  test('with everything has each operation as it is declared', () => {
    const found = operationsFor(all, wholeEdition)
    expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(found.filter(({ isRefused, isAbsent }) => isRefused || isAbsent)).toEqual([])
    expect(
      found.every(({ params, result }, index) => params === all[index]?.params && result[1] === all[index]?.result[1]),
    ).toBe(true)
  })

  test('changes no declaration', () => {
    const before = JSON.stringify(all.map(({ params, result }) => [params, result]))
    const free = operationsFor(all, { tier: 'free', offerings: ['hosted'], fips: true })
    const ofSelfManaged = all.filter(({ offerings }) => offerings && !offerings.includes('hosted'))
    expect(free.filter(({ isAbsent }) => isAbsent).map(({ id }) => id)).toEqual(ofSelfManaged.map(({ id }) => id))
    expect(ofSelfManaged.length).toBeGreaterThan(10)
    expect(free.filter(({ isRefused }) => isRefused).map(({ tier }) => tier)).not.toContain(undefined)
    expect(JSON.stringify(all.map(({ params, result }) => [params, result]))).toBe(before)
  })

  test('is one that exists', () => {
    const read = (settings: Record<string, string>) => () => readConfig({ FENNEC_DATA: '/data', ...settings })
    expect(read({ FENNEC_TIER: 'gold' })).toThrow("FENNEC_TIER must be one of free, premium, ultimate, not 'gold'")
    expect(read({ FENNEC_OFFERING: 'cloud' })).toThrow('FENNEC_OFFERING must be one of self-managed, dedicated, hosted')
    expect(read({ FENNEC_FIPS: 'maybe' })).toThrow('FENNEC_FIPS')
    expect(read({})().edition).toEqual(wholeEdition)
  })
})
