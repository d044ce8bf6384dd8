import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Mapping } from '../tables.ts'
import { genericOccurrence } from './generic.ts'

const now = '2026-01-02T03:04:05.000Z'
const read = (payload: object, mappings: Mapping[] = []) => genericOccurrence(payload as never, mappings, now)
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')
const mapping = (field_name: string, ...path: (string | number)[]): Mapping => ({
  field_name,
  path,
  label: null,
  type: 'string',
})

describe('a generic payload', () => {
  test('may be empty', () => {
    expect(read({})).toEqual({
      title: 'New: Alert',
      description: null,
      severity: 'critical',
      service: null,
      monitoringTool: null,
      hosts: [],
      startedAt: now,
      endedAt: null,
      fingerprint: null,
      looseFingerprint: null,
      environmentName: null,
      runbook: null,
      fullQuery: null,
      yLabel: null,
      format: 'generic',
      payload: '{}',
    })
  })

  test('gives all fields', () => {
    const payload = {
      title: 'Disk full',
      description: 'of sda',
      start_time: '2024-01-01T10:00:00+02:00',
      end_time: '2999-01-01',
      service: 'db',
      monitoring_tool: 'Nagios',
      hosts: ['a', ['b', 3]],
      severity: ' HIGH ',
      service_environment_name: 'production',
      runbook: 'https://example.com',
    }
    expect(read(payload)).toMatchObject({
      title: 'Disk full',
      description: 'of sda',
      startedAt: '2024-01-01T08:00:00.000Z',
      endedAt: '2999-01-01T00:00:00.000Z',
      service: 'db',
      monitoringTool: 'Nagios',
      hosts: ['a', 'b', '3'],
      severity: 'high',
      environmentName: 'production',
      runbook: 'https://example.com',
    })
  })

  test.each([
    ['title', ' ', 'New: Alert'],
    ['title', {}, 'New: Alert'],
    ['title', 5, '5'],
    ['title', { a: 1 }, '{"a":1}'],
    ['title', 'x'.repeat(300), `${'x'.repeat(197)}...`],
    ['title', '😀'.repeat(200), '😀'.repeat(200)],
    ['title', 'a\u0000b\ud800', 'ab\ufffd'],
    ['description', 'x'.repeat(1001), `${'x'.repeat(997)}...`],
    ['service', 'x'.repeat(101), `${'x'.repeat(97)}...`],
    ['monitoring_tool', 'x'.repeat(101), `${'x'.repeat(97)}...`],
    ['severity', 'Unknown', 'unknown'],
    ['severity', 'warning', 'critical'],
    ['severity', 3, 'critical'],
    ['start_time', 'yesterday', now],
    ['start_time', 1_700_000_000, now],
    ['end_time', 'soon', null],
    ['hosts', 'one', ['one']],
    ['hosts', [null, '', {}], []],
    ['hosts', ['x'.repeat(250), 'abcdefgh', 'z'], ['x'.repeat(250), 'abcde']],
  ])('%s %j becomes %j', (field, given, expected) => {
    const names: Record<string, string> = {
      start_time: 'startedAt',
      end_time: 'endedAt',
      monitoring_tool: 'monitoringTool',
    }
    expect(read({ [field]: given })).toHaveProperty(names[field] ?? field, expected)
  })
})

describe('a fingerprint', () => {
  test.each([
    ['f1', sha1('f1')],
    [['a', ['b', 1]], sha1('ab1')],
    [12, sha1('12')],
  ])('%j is hashed', (fingerprint, expected) => {
    expect(read({ fingerprint, title: 'any' }).fingerprint).toBe(expected)
  })

  test('is automatic when it is absent or blank', () => {
    expect(read({ title: 'a', b: { d: 1, c: [2] } }).fingerprint).toBe(sha1('{"b":{"c":[2],"d":1},"title":"a"}'))
    expect(read({ title: 'a', fingerprint: [] }).fingerprint).toMatch(/^[0-9a-f]{40}$/)
  })

  test('does not depend on start, end, hosts and the order of members', () => {
    const one = read({ title: 'a', x: { p: 1, q: 2 }, hosts: ['a'], start_time: '2024-01-01' })
    const other = read({ x: { q: 2, p: 1 }, end_time: '2024-01-02', title: 'a' })
    expect(one.fingerprint).toBe(other.fingerprint)
    expect(read({ title: 'b', x: { p: 1, q: 2 } }).fingerprint).not.toBe(one.fingerprint)
  })

  test('does not exist when nothing else is there', () => {
    expect(read({ start_time: '2024-01-01', hosts: ['a'], title: ' ', x: [{}] }).fingerprint).toBeNull()
  })

  test('does not depend on what is mapped to start, end and hosts', () => {
    const mappings = [mapping('start_time', 'event', 'at'), mapping('hosts', 'event', 'nodes', 0)]
    const of = (at: string, node: string) => read({ title: 'a', event: { at, nodes: [node, 'z'] } }, mappings)
    expect(of('2024-01-01', 'n1').fingerprint).toBe(of('2025-01-01', 'n2').fingerprint)
    expect(of('2024-01-01', 'n1')).toMatchObject({ startedAt: '2024-01-01T00:00:00.000Z', hosts: ['n1'] })
  })
})

describe('a mapping', () => {
  test('is tried before the usual name', () => {
    const mappings = [mapping('title', 'event', 'name'), mapping('severity', 'list', 0, 'level')]
    const payload = { title: 'usual', severity: 'low', event: { name: 'mapped' }, list: [{ level: 'info' }] }
    expect(read(payload, mappings)).toMatchObject({ title: 'mapped', severity: 'info' })
    expect(read({ ...payload, event: { name: '' }, list: [] }, mappings)).toMatchObject({
      title: 'usual',
      severity: 'low',
    })
  })

  test('finds only members of the payload', () => {
    const inherited = ['constructor', '__proto__', 'length'].map((name) => mapping('title', name, 'name'))
    for (const one of inherited) expect(read({ a: [] }, [one]).title).toBe('New: Alert')
    const own = JSON.parse('{"__proto__":{"name":"own"}}') as object
    expect(read(own, [mapping('title', '__proto__', 'name')]).title).toBe('own')
  })
})
