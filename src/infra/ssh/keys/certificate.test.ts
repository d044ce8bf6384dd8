import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SshKeyPair, ssh, sshCertificate, sshKeyPair } from '../../../testing/git/ssh.ts'
import { manualClock } from '../../clock/index.ts'
import { defaultSshLimits } from '../limits.ts'
import { startTestSsh, type TestSsh } from '../testing.ts'
import type { OfferedKey } from '../types.ts'
import { authenticating } from './authentication.ts'
import { readCertificate } from './certificate.ts'
import { writeFields } from './signature.ts'

const clock = manualClock({ start: '2026-03-01T10:00:00Z' })
let server: TestSsh
let authority: SshKeyPair
/** The authorities whose certificates are accepted, in base64. */
const authorities = new Set<string>()
const blobOf = ({ publicKey }: SshKeyPair) => publicKey.split(' ')[1] ?? ''

beforeAll(async () => {
  server = await startTestSsh({
    clock,
    async authenticate({ certificate }: OfferedKey) {
      const isKnown = certificate && authorities.has(certificate.authority.blob.toString('base64'))
      return isKnown ? { name: certificate.keyId } : null
    },
  })
  authority = await newAuthority('ed25519')
})
afterAll(async () => {
  expect(server.logged).toEqual([])
  await server[Symbol.asyncDispose]()
})

let made = 0
const newKey = (type?: 'ed25519' | 'ecdsa' | 'rsa', bits?: number) => {
  made += 1
  return sshKeyPair(server.folder, `key-${made}`, type, bits)
}

async function newAuthority(...parts: Parameters<typeof newKey>): Promise<SshKeyPair> {
  const pair = await newKey(...parts)
  authorities.add(blobOf(pair))
  return pair
}

/** A new key with a certificate. */
async function certified(keyId: string, options: readonly string[] = [], by = authority): Promise<SshKeyPair> {
  const key = await newKey()
  await sshCertificate(by, key, keyId, options)
  return key
}

const welcome = (name: string) => ({ code: 0, stdout: `${name}\n`, stderr: '' })
const denied = { code: 255, stdout: '', stderr: expect.stringContaining('Permission denied (publickey).') }

describe('the OpenSSH client is authenticated by a certificate', () => {
  test.each([
    ['ed25519', undefined],
    ['ecdsa', 256],
    ['ecdsa', 384],
    ['ecdsa', 521],
    ['rsa', 2048],
  ] as const)('of a key of the type %s, %s bits', async (type, bits) => {
    const key = await newKey(type, bits)
    await sshCertificate(authority, key, `of-${type}`)
    expect(await ssh(server, key)).toEqual(welcome(`of-${type}`))
  })

  test.each([
    ['ecdsa', 256],
    ['ecdsa', 521],
    ['rsa', 2048],
  ] as const)('of an authority of the type %s, %s bits', async (type, bits) => {
    const key = await certified(`by-${type}`, [], await newAuthority(type, bits))
    expect(await ssh(server, key)).toEqual(welcome(`by-${type}`))
  })

  // The library does not announce `rsa-sha2-512` in a way that the client understands.
  test('of an RSA key with SHA-256, but not with SHA-1', async () => {
    const key = await newKey('rsa', 2048)
    await sshCertificate(authority, key, 'rsa')
    const by = (algorithms: string) =>
      ssh(server, key, [], { extra: ['-o', `PubkeyAcceptedAlgorithms=${algorithms}-cert-v01@openssh.com`] })
    expect(await by('rsa-sha2-256')).toEqual(welcome('rsa'))
    expect((await by('ssh-rsa')).code).toBe(255)
  })

  test('for the user name, from the network, and at the time that it names', async () => {
    const options = ['-n', 'root,git', '-O', 'source-address=10.0.0.0/8,127.0.0.1', '-O', 'no-pty']
    const key = await certified('bound', [...options, '-V', '20260301095959:20260301100001'])
    expect(await ssh(server, key)).toEqual(welcome('bound'))
  })
})

describe('the OpenSSH client is rejected with a certificate', () => {
  test.each<[string, string[]]>([
    ['of a host', ['-h']],
    ['for other user names', ['-n', 'root,GIT']],
    ['for other networks', ['-O', 'source-address=10.0.0.0/8']],
    ['with another command', ['-O', 'force-command=date']],
    ['that requires a verified user', ['-O', 'verify-required']],
    ['with a restriction that is not known', ['-O', 'critical:other@example.com=1']],
    ['that has ended', ['-V', '20260228000000:20260301100000']],
    ['that has not begun', ['-V', '20260301100001:20260302000000']],
  ])('%s', async (_, options) => {
    expect(await ssh(server, await certified('none', options))).toMatchObject(denied)
  })

  test('of an authority that is not known', async () => {
    expect(await ssh(server, await certified('none', [], await newKey()))).toMatchObject(denied)
  })

  test('whose key it has not', async () => {
    const key = await certified('none')
    const thief = await newKey()
    await writeFile(`${thief.path}-cert.pub`, await readFile(`${key.path}-cert.pub`))
    expect((await ssh(server, thief)).code).toBe(255)
  })
})

test('the key alone is no certificate', async () => {
  const key = await newKey()
  authorities.add(blobOf(key))
  expect(await ssh(server, key)).toMatchObject(denied)
})

/** What the OpenSSH client would not offer: whether a certificate is answered as one that opens something. */
async function isAnswered(data: Buffer, algo = 'ssh-ed25519-cert-v01@openssh.com'): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const answer = authenticating({
    ...{ clock, address: '127.0.0.1', limits: defaultSshLimits, log: () => {}, onKnown: () => {}, end: () => {} },
    authenticate: async ({ certificate }) => certificate && { name: certificate.keyId },
  } as Parameters<typeof authenticating>[0])
  const context = { method: 'publickey', username: 'git', key: { algo, data } }
  answer({ ...context, accept: () => resolve(true), reject: () => resolve(false) } as never)
  return promise
}

const certificateOf = async ({ path }: SshKeyPair) =>
  Buffer.from((await readFile(`${path}-cert.pub`, 'utf8')).split(' ')[1] ?? '', 'base64')

/** A certificate with another authority in it than the one that has signed it. */
async function forged(by: SshKeyPair, authorityBlob: Buffer): Promise<Buffer> {
  const blob = await certificateOf(await certified('forged', [], by))
  const named = Buffer.from(blobOf(by), 'base64')
  const at = blob.indexOf(named)
  return Buffer.concat([blob.subarray(0, at - 4), writeFields([authorityBlob]), blob.subarray(at + named.length)])
}

describe('a certificate that is offered', () => {
  test('is answered when the authority in it has signed it', async () => {
    const blob = await certificateOf(await certified('own'))
    expect(await isAnswered(blob)).toBe(true)
    expect(await isAnswered(blob, 'ssh-ed25519')).toBe(false)
    expect(await isAnswered(blob, 'rsa-sha2-512-cert-v01@openssh.com')).toBe(false)
    const changed = Buffer.from(blob)
    changed.write('OWN', blob.indexOf('own'))
    expect(readCertificate(changed)?.keyId).toBe('OWN')
    expect(await isAnswered(changed)).toBe(false)
  })

  test('is rejected when another authority has signed it', async () => {
    const blob = await forged(await newKey(), Buffer.from(blobOf(authority), 'base64'))
    expect(readCertificate(blob)?.authority.blob.toString('base64')).toBe(blobOf(authority))
    expect(await isAnswered(blob)).toBe(false)
  })

  test('is rejected when its authority is a certificate', async () => {
    const inner = await certified('inner')
    const blob = await forged(inner, await certificateOf(inner))
    expect(readCertificate(blob)?.authority.type).toBe('ssh-ed25519-cert-v01@openssh.com')
    expect(await isAnswered(blob)).toBe(false)
  })
})

describe('the blob of a certificate', () => {
  test('is read', async () => {
    const key = await certified('ada@example.org', ['-n', 'git,b', '-V', '20260301000000:20260302000000'])
    const blob = await certificateOf(key)
    const read = readCertificate(blob)
    expect(read).toMatchObject({
      ...{ keyId: 'ada@example.org', isOfUser: true, principals: ['git', 'b'] },
      key: { type: 'ssh-ed25519', blob: Buffer.from(blobOf(key), 'base64') },
      authority: { type: 'ssh-ed25519', blob: Buffer.from(blobOf(authority), 'base64') },
      validAfter: Date.parse('2026-03-01T00:00:00Z') / 1000,
      validBefore: Date.parse('2026-03-02T00:00:00Z') / 1000,
    })
  })

  test('is refused wherever it ends too early, has more, or says other lengths', async () => {
    const key = await certified('whole', ['-n', 'git', '-O', 'source-address=127.0.0.1'])
    const blob = await certificateOf(key)
    expect(readCertificate(blob)).not.toBeNull()
    for (let end = 0; end < blob.length; end += 1)
      expect([end, readCertificate(blob.subarray(0, end))]).toEqual([end, null])
    expect(readCertificate(Buffer.concat([blob, Buffer.alloc(1)]))).toBeNull()
    for (let at = 0; at < blob.length; at += 1) {
      const changed = Buffer.from(blob)
      changed.writeUInt8(0xff, at)
      // Never an exception.
      readCertificate(changed)
    }
  })
})
