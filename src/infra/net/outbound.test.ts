import { describe, expect, test } from 'vitest'
import { BlockedAddress, checkLiteralHost, isInNetwork, kindOfAddress, resolveOutbound } from './index.ts'

const strict = { allowLocal: false }

describe('the kind of an address', () => {
  test.each([
    ['93.184.216.34', 'public'],
    ['2606:2800:220:1:248:1893:25c8:1946', 'public'],
    ['127.0.0.1', 'localhost'],
    ['127.255.255.254', 'localhost'],
    ['0.0.0.0', 'localhost'],
    ['::1', 'localhost'],
    ['::', 'localhost'],
    ['::ffff:127.0.0.1', 'localhost'],
    ['::ffff:7f00:1', 'localhost'],
    ['::ffff:10.0.0.1', 'local'],
    ['::127.0.0.1', 'localhost'],
    ['64:ff9b::7f00:1', 'local'],
    ['2002:7f00:1::', 'local'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['10.1.2.3', 'local'],
    ['172.31.255.255', 'local'],
    ['192.168.0.1', 'local'],
    ['100.64.0.1', 'local'],
    ['198.18.0.1', 'local'],
    ['224.0.0.1', 'local'],
    ['240.0.0.1', 'local'],
    ['255.255.255.255', 'local'],
    ['fc00::1', 'local'],
    ['fec0::1', 'local'],
    ['4000::1', 'local'],
    ['3fff:ffff::1', 'public'],
    ['ff02::1', 'local'],
    ['no address', 'local'],
    ['', 'local'],
  ])('%s is %s', (address, kind) => expect(kindOfAddress(address)).toBe(kind))

  test('172.32.0.1 is outside the private network 172.16.0.0/12', () => {
    expect(kindOfAddress('172.32.0.1')).toBe('public')
  })
})

describe('networks', () => {
  test.each([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['fd00::1', 'fd00::/8', true],
    ['10.1.2.3', 'fd00::/8', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', 'ten', false],
    ['10.1.2.3', '10.0.0.0/99', false],
    ['ten', '10.0.0.0/8', false],
  ])('%s in %s: %s', (address, network, expected) => expect(isInNetwork(address, network)).toBe(expected))
})

describe('a host written as an address', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[4000::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://anything.localhost:8080/',
    'git://127.0.0.1/x.git',
    'git://[::1]/x.git',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
  ])('%s is refused', (url) => expect(() => checkLiteralHost(new URL(url), strict)).toThrow(BlockedAddress))

  test('is named in the message', () => {
    const check = (url: string) => () => checkLiteralHost(new URL(url), strict)
    expect(check('http://127.0.0.1')).toThrow('Requests to localhost are not allowed')
    expect(check('http://10.0.0.1')).toThrow('Requests to the local network are not allowed')
    expect(check('http://169.254.169.254')).toThrow('Requests to the link local network are not allowed')
  })

  test('names and public addresses are accepted; local ones when the policy allows them', () => {
    for (const url of ['https://example.com', 'https://93.184.216.34', 'git://example.com/x']) {
      expect(() => checkLiteralHost(new URL(url), strict)).not.toThrow()
    }
    expect(() => checkLiteralHost(new URL('http://127.0.0.1'), { allowLocal: true })).not.toThrow()
  })
})

describe('resolving a host', () => {
  const finds =
    (...addresses: string[]) =>
    async () =>
      addresses

  test('returns its addresses', async () => {
    const resolved = await resolveOutbound(new URL('https://Example.com/x'), strict, finds('93.184.216.34'))
    expect(resolved).toEqual({ hostname: 'example.com', port: 443, addresses: ['93.184.216.34'] })
    const git = await resolveOutbound(new URL('git://example.com/x'), strict, finds('93.184.216.34'))
    expect(git.port).toBe(9418)
  })

  test('a local address among public ones blocks the name', async () => {
    const found = resolveOutbound(new URL('https://example.com'), strict, finds('93.184.216.34', '10.0.0.1'))
    await expect(found).rejects.toThrow('Requests to the local network are not allowed')
  })

  test('a name without addresses, or that cannot be resolved, is refused', async () => {
    const message = 'Host cannot be resolved or invalid'
    await expect(resolveOutbound(new URL('https://example.com'), strict, finds())).rejects.toThrow(message)
    const fails = async () => Promise.reject(new Error('ENOTFOUND'))
    await expect(resolveOutbound(new URL('https://example.com'), strict, fails)).rejects.toThrow(message)
  })

  test('an IP address is not resolved', async () => {
    const fails = async () => Promise.reject(new Error('asked'))
    expect((await resolveOutbound(new URL('http://93.184.216.34:8080'), strict, fails)).port).toBe(8080)
    await expect(resolveOutbound(new URL('http://[::1]'), strict, fails)).rejects.toThrow(BlockedAddress)
  })

  test('a numeric name is judged by the addresses that the resolver returns', async () => {
    const found = resolveOutbound(new URL('git://0x7f.1/x'), strict, finds('127.0.0.1'))
    await expect(found).rejects.toThrow('Requests to localhost are not allowed')
  })

  test.each([
    [['internal.example'], true],
    [['10.0.0.1'], true],
    [['10.0.0.0/8'], true],
    [['10.0.0.1:443'], true],
    [['10.0.0.1:444'], false],
    [['internal.example:444'], false],
    [['example'], false],
    [['11.0.0.0/8', ''], false],
  ])('exceptions %j: %s', async (exceptions, passes) => {
    const find = finds('10.0.0.1')
    const policy = { allowLocal: false, exceptions }
    const found = resolveOutbound(new URL('https://internal.example'), policy, find).then(
      () => true,
      () => false,
    )
    expect(await found).toBe(passes)
  })
})
