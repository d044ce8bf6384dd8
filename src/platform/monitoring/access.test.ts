import { describe, expect, test } from 'vitest'
import { startTestServer } from '../../testing/index.ts'
import { checkMetricsAccess } from './access.ts'

const token = 'token-for-metrics-only'
const from = (ip: string, authorization?: string) => ({ ip, headers: authorization ? { authorization } : {} })
const status = (access: { allow?: string[]; token?: string }, request: ReturnType<typeof from>) => {
  try {
    checkMetricsAccess({ metricsAllow: access.allow ?? [], metricsToken: access.token }, request)
    return 200
  } catch (error) {
    return (error as { status: number }).status
  }
}

describe('the metrics', () => {
  test.each([
    ['nothing is configured', {}, from('192.0.2.1'), 200],
    ['the address is listed', { allow: ['192.0.2.1'] }, from('192.0.2.1'), 200],
    ['the address is in a listed network', { allow: ['::1', '192.0.2.0/24'] }, from('192.0.2.99'), 200],
    ['an IPv4 address comes as IPv6', { allow: ['192.0.2.0/24'] }, from('::ffff:192.0.2.9'), 200],
    ['the address is another', { allow: ['192.0.2.1', '2001:db8::/32'] }, from('192.0.2.2'), 404],
    ['the address is none', { allow: ['0.0.0.0/0'] }, from(''), 404],
    ['a token is sent where none is configured', { allow: ['192.0.2.1'] }, from('::1', `Bearer ${token}`), 404],
    ['the token is right', { token }, from('::1', `Bearer ${token}`), 200],
    ['the token is right, in another case of the scheme', { token }, from('::1', `bEARER  ${token}`), 200],
    ['no token is sent', { token }, from('::1'), 401],
    ['the token is wrong', { token }, from('::1', `Bearer ${token}x`), 401],
    ['the token is empty', { token }, from('::1', 'Bearer '), 401],
    ['the scheme is another', { token }, from('::1', `Basic ${token}`), 401],
    ['the address is listed, and no token is sent', { token, allow: ['::1'] }, from('::1'), 200],
    ['the address is another, and the token is right', { token, allow: ['::2'] }, from('::1', `Bearer ${token}`), 200],
    ['both are wrong', { token, allow: ['::2'] }, from('::1', 'Bearer x'), 401],
  ])('when %s', (_, access, request, expected) => expect(status(access, request)).toBe(expected))

  test('are shown to clients that a trusted proxy names, and to no others', async () => {
    const settings = { FENNEC_METRICS_ALLOW: '192.0.2.0/24', FENNEC_TRUSTED_PROXIES: '127.0.0.1' }
    await using server = await startTestServer({ settings })
    const ask = (client: string) => fetch(`${server.url}/-/metrics`, { headers: { 'X-Forwarded-For': client } })
    expect((await ask('192.0.2.7')).status).toBe(200)
    expect((await ask('192.0.2.7, 198.51.100.1')).status).toBe(404)
    const refused = await fetch(`${server.url}/-/metrics`)
    expect([refused.status, await refused.json()]).toEqual([404, { error: '404 Not Found', message: '404 Not Found' }])
    expect((await fetch(`${server.url}/-/readiness`)).status).toBe(200)
  })

  test('are refused to who only says that a proxy names it', async () => {
    await using server = await startTestServer({ settings: { FENNEC_METRICS_TOKEN: token } })
    const refused = await fetch(`${server.url}/-/metrics`, { headers: { 'X-Forwarded-For': '127.0.0.1' } })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="Metrics"')
    expect(await refused.json()).toEqual({ message: '401 Unauthorized' })
    const shown = await fetch(`${server.url}/-/metrics`, { headers: { Authorization: `Bearer ${token}` } })
    expect(await shown.text()).toContain('process_cpu_seconds_total')
  })
})
