import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { monitoringPayload as payloadOf } from '../testing.ts'
import { detailsOf } from './details.ts'
import { isMonitoringPayload, monitoringOccurrences, requireMonitoringPayload } from './monitoring.ts'

const now = '2026-01-02T03:04:05.000Z'
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')
const start = '2024-01-01T00:00:00.123456789Z'
const item = (more: object = {}) => ({ startsAt: start, labels: { alertname: 'Down' }, ...more })

function read(more: object, payload: object = {}) {
  const [found] = monitoringOccurrences(payloadOf([item(more)], payload) as never, now)
  if (!found) throw new Error('no alert')
  return found
}

describe('an item', () => {
  test('gives all fields', () => {
    const given = {
      status: 'firing',
      labels: { alertname: 'Down', severity: 'P2', gitlab_environment_name: 'production', a: 'b' },
      annotations: {
        title: 'It is down',
        summary: 'other',
        description: 'really',
        runbook_url: 'https://example.com/r',
        gitlab_y_label: 'Requests',
      },
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1#x',
    }
    const labels = 'labels/{"a":"b","alertname":"Down","gitlab_environment_name":"production","severity":"P2"}'
    expect(read(given)).toEqual({
      title: 'It is down',
      description: 'really',
      severity: 'high',
      service: null,
      monitoringTool: 'Prometheus',
      hosts: [],
      startedAt: '2024-01-01T00:00:00.123Z',
      endedAt: null,
      fingerprint: sha1(labels),
      looseFingerprint: sha1(labels),
      environmentName: 'production',
      runbook: 'https://example.com/r',
      fullQuery: 'up == 0',
      yLabel: 'Requests',
      format: 'monitoring',
      payload: JSON.stringify(item(given)),
    })
  })

  test('may have little', () => {
    expect(read({ startsAt: null })).toMatchObject({
      title: 'Down',
      startedAt: now,
      severity: 'critical',
      yLabel: 'Down',
      endedAt: null,
      fullQuery: null,
      fingerprint: sha1('labels/{"alertname":"Down"}'),
    })
  })

  test.each([
    ['critical', 'critical s1 p1 emergency fatal'],
    ['high', 'high s2 p2 major page'],
    ['medium', 'medium s3 p3 error alert'],
    ['low', 'low s4 p4 warn warning'],
    ['info', 'info s5 p5 debug information notice'],
    ['critical', 'minor unknown constructor'],
  ])('has the severity %s for: %s', (severity, words) => {
    for (const word of words.split(' ')) {
      for (const written of [word, word.toUpperCase()]) {
        expect(read({ labels: { alertname: 'a', severity: written } }).severity).toBe(severity)
      }
    }
  })

  test.each([
    [{ status: 'resolved' }, {}, now],
    [{ status: 'resolved', endsAt: '2024-02-01T00:00:00Z' }, {}, '2024-02-01T00:00:00.000Z'],
    [{ endsAt: '2999-02-01T00:00:00Z' }, {}, '2999-02-01T00:00:00.000Z'],
    [{ endsAt: '0001-01-01T00:00:00Z' }, {}, null],
    [{}, { status: 'resolved' }, now],
    [{ status: null }, { status: 'resolved' }, now],
    [{ status: {} }, { status: 'resolved' }, now],
    [{ status: 'firing', endsAt: '2024-02-01T00:00:00Z' }, { status: 'resolved' }, null],
    [{ status: 'odd' }, { status: 'resolved' }, null],
  ])('%j in a payload with %j ends at %j', (more, payload, endedAt) => {
    expect(read(more, payload).endedAt).toBe(endedAt)
  })

  test('is identified by its own fingerprint or by its labels', () => {
    const byLabels = sha1('labels/{"alertname":"Down"}')
    const named = { fingerprint: sha1('fingerprint/abc'), looseFingerprint: byLabels }
    expect(read({ fingerprint: 'abc' })).toMatchObject(named)
    expect(read({ fingerprint: 'abc', annotations: { title: 'other' } })).toMatchObject(named)
    expect(read({ fingerprint: ' ' })).toMatchObject({ fingerprint: byLabels, looseFingerprint: byLabels })
    expect(read({ labels: null, annotations: { summary: 'Down' } }).fingerprint).toBe(sha1(`title/${start}/Down//{}`))
  })

  test('accepts the other names, and takes objects for blank', () => {
    const other = {
      labels: { alertname: 'a', service_environment_name: 'staging', severity: {} },
      annotations: { title: { a: 1 }, service_y_label: 'Y', runbook: [] },
      generatorUrl: '/graph?g0.expr=x',
    }
    expect(read(other)).toMatchObject({
      title: 'a',
      severity: 'critical',
      environmentName: 'staging',
      yLabel: 'Y',
      runbook: null,
      fullQuery: 'x',
    })
  })

  test('comes from Grafana when the payload has an organisation', () => {
    expect(read({}, { orgId: 1, version: '1' }).monitoringTool).toBe('Grafana')
  })
})

describe('a payload', () => {
  test('is recognised by its keys', () => {
    const payload = payloadOf([])
    expect(isMonitoringPayload(payload as never)).toBe(true)
    for (const key of Object.keys(payload)) {
      const { [key]: _, ...rest } = payload as Record<string, unknown>
      expect(isMonitoringPayload(rest)).toBe(false)
      expect(() => requireMonitoringPayload(rest)).toThrow(
        expect.objectContaining({ status: 422, body: { message: `422 Unprocessable Entity - missing: ${key}` } }),
      )
    }
    expect(() => requireMonitoringPayload({ ...payload, alerts: {} })).toThrow(
      expect.objectContaining({ body: { message: '422 Unprocessable Entity - alerts must be an array' } }),
    )
    expect(() => requireMonitoringPayload({})).toThrow(
      expect.objectContaining({
        body: {
          message:
            '422 Unprocessable Entity - missing: version, groupKey, status, receiver, groupLabels, commonLabels, commonAnnotations, externalURL, alerts',
        },
      }),
    )
  })

  test('may have invalid items beside valid ones', () => {
    const invalid = [null, 5, [], { labels: { alertname: 'a' } }, { startsAt: start }]
    expect(monitoringOccurrences(payloadOf([...invalid, item()]) as never, now)).toHaveLength(1)
    expect(monitoringOccurrences(payloadOf([]) as never, now)).toEqual([])
    expect(() => monitoringOccurrences(payloadOf(invalid) as never, now)).toThrow(
      expect.objectContaining({
        status: 400,
        body: { message: '400 Bad request - no alert with a title and startsAt' },
      }),
    )
  })
})

test('details are flat', () => {
  const generic = { a: { b: { c: 1 } }, list: [{ x: 1 }], none: {}, text: 't' }
  expect(detailsOf({ format: 'generic', payload: JSON.stringify(generic) })).toEqual({
    payload: generic,
    details: { 'a.b.c': 1, list: [{ x: 1 }], text: 't' },
  })
  const shown = { startsAt: 'x', annotations: { a: { b: 1 } }, labels: { c: 'd' } }
  expect(detailsOf({ format: 'monitoring', payload: JSON.stringify(shown) })).toEqual({
    payload: shown,
    details: { 'annotations.a.b': 1, 'labels.c': 'd' },
  })
})
