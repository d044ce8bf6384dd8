import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePrimary, makeSecondary, removeNodes, signedBy } from '../testing.ts'

const clock = manualClock({ start: new Date() })
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterEach(() => removeNodes(server))
afterAll(() => server.stop())

const report = (credentials: Parameters<typeof signedBy>[0], body: object) =>
  server.anonymous.post('/geo/status', body, signedBy(credentials, clock.now()))

describe('the status', () => {
  test('of the primary is computed from its rows', async () => {
    const owner = await server.user('status-owner')
    await server.make.project('a', owner)
    await server.make.project('b', owner)
    const { id } = await makePrimary(server)
    await makeSecondary(server.root, { name: 's', url: 'http://s' })
    const { status, body } = await server.root.get('/geo_nodes/current/status')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      geo_node_id: id,
      projects_count: 2,
      repositories_count: 2,
      project_repositories_count: 2,
      project_repositories_checksum_total_count: 2,
      project_repositories_synced_count: null,
      project_repositories_synced_in_percentage: '0.00%',
      uploads_count: 0,
      job_artifacts_count: 0,
      replication_slots_count: 1,
      replication_slots_used_count: 0,
      replication_slots_used_in_percentage: '0.00%',
      container_repositories_replication_enabled: null,
      db_replication_lag_seconds: null,
      ...{ healthy: true, health: 'Healthy', health_status: 'Healthy', missing_oauth_application: false },
      version: '17.7.0-ee',
      namespaces: [],
      storage_shards_match: true,
      repositories_synced_count: null,
      attachments_count: 0,
      repository_verification_enabled: true,
      _links: { self: `${server.url}/api/v4/geo_nodes/${id}/status`, node: `${server.url}/api/v4/geo_nodes/${id}` },
    })
    await server.app.platform.jobs.drain()
    const later = await server.root.get(`/geo_sites/${id}/status?refresh=true`)
    expect(later.body).toMatchObject({
      project_repositories_checksummed_count: 2,
      _links: { site: `${server.url}/api/v4/geo_sites/${id}` },
    })
    expect(Object.keys(later.body).slice(0, 5)).toEqual([
      'geo_node_id',
      'projects_count',
      'container_repositories_replication_enabled',
      'ci_secure_files_count',
      'ci_secure_files_checksum_total_count',
    ])
    const refused = await server.root.get('/geo_nodes/current/failures')
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - Failures can only be requested from a secondary node',
    ])
  })

  test('of a secondary is what it has reported, with the totals of the primary', async () => {
    const owner = await server.user('report-owner')
    const group = await server.make.group('reported', owner)
    await server.make.project('inside', owner, { namespace: group })
    await makePrimary(server)
    const { id, credentials } = await makeSecondary(server.root, {
      ...{ name: 's', url: 'http://s' },
      ...{ selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] },
    })
    const missing = await server.root.get(`/geo_nodes/${id}/status`)
    expect([missing.status, missing.body.message]).toEqual([404, '404 Status for Geo node not found Not Found'])
    const unknown = await server.root.post(`/geo_nodes/${id}/repair`)
    expect([unknown.status, unknown.body]).toEqual([
      200,
      expect.objectContaining({
        ...{ geo_node_id: id, healthy: false, health: '', health_status: 'Unhealthy' },
        ...{ project_repositories_count: null, missing_oauth_application: false },
      }),
    ])
    const sent = await report(credentials, {
      ...{ project_repositories_synced_count: 1, project_repositories_count: 77, uploads_synced_count: 'many' },
      ...{ health: 'Healthy', version: 'x'.repeat(5000), unknown: 1, storage_shards_match: true },
      ...{ repositories_checksum_mismatch_count: 3, cursor_last_event_id: 4, geo_node_id: 99 },
    })
    expect([sent.status, sent.body]).toEqual([201, { message: '201 Created' }])
    const { body } = await server.root.get(`/geo_nodes/${id}/status`)
    expect(body).toMatchObject({
      geo_node_id: id,
      projects_count: 1,
      project_repositories_count: 1,
      project_repositories_synced_count: 1,
      project_repositories_synced_in_percentage: '100.00%',
      repositories_synced_in_percentage: '100.00%',
      repositories_checksum_mismatch_count: 3,
      project_repositories_checksummed_count: null,
      uploads_synced_count: 0,
      ...{ healthy: true, health: 'Healthy', selective_sync_type: 'namespaces', storage_shards_match: true },
      namespaces: [expect.objectContaining({ id: group.id, path: 'reported', kind: 'group' })],
      updated_at: clock.now().toISOString(),
    })
    expect(body.version).toHaveLength(1000)
    expect((await server.root.get('/geo_nodes/status')).body).toHaveLength(2)
    clock.advance(600_001)
    const silent = 'Status has not been updated in the past 10 minutes'
    expect((await server.root.get(`/geo_nodes/${id}/status`)).body).toMatchObject({ healthy: false, health: silent })
    await report(credentials, { health: 'Storage default is not writable' })
    expect((await server.root.get(`/geo_nodes/${id}/status`)).body.health).toBe('Storage default is not writable')
    await server.root.delete(`/geo_nodes/${id}/credentials`)
    expect((await server.root.get(`/geo_nodes/${id}/status`)).body.missing_oauth_application).toBe(true)
    expect((await server.root.post(`/geo_nodes/${id}/repair`)).body.missing_oauth_application).toBe(false)
    await server.root.delete(`/geo_nodes/${id}`)
    expect((await server.root.get('/geo_nodes/status')).body).toHaveLength(1)
  })

  test('of secondaries is in the metrics of the primary', async () => {
    const samples = async () => String((await server.anonymous.get('/-/metrics')).body).match(/^fennec_replication.*/gm)
    await makePrimary(server)
    const { credentials } = await makeSecondary(server.root, { name: 'away "1"', url: 'http://away' })
    expect(await samples()).toBeNull()
    await report(credentials, { health: 'Healthy', db_replication_lag_seconds: 7 })
    clock.advance(2_500)
    expect(await samples()).toEqual([
      'fennec_replication_lag_seconds{node="away \\"1\\""} 7',
      'fennec_replication_report_age_seconds{node="away \\"1\\""} 2.5',
    ])
  })

  test('of all nodes takes a fixed number of queries', async () => {
    await makePrimary(server)
    const add = async (name: string) => {
      const { credentials } = await makeSecondary(server.root, { name, url: 'http://s' })
      await report(credentials, {})
    }
    await add('first')
    const ask = () => server.root.get('/geo_nodes/status')
    const few = await queriesOf(server, ask)
    for (const name of ['second', 'third', 'fourth']) await add(name)
    expect(await queriesOf(server, ask)).toBe(few)
  })
})
