import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SshKeyPair, ssh, sshKeyPair } from '../../../testing/git/ssh.ts'
import { clientOf, execute, fakeAgent, field, startTestSsh, type TestSsh } from '../testing.ts'

let server: TestSsh
let key: SshKeyPair

beforeAll(async () => {
  server = await startTestSsh()
  key = await server.key('ada')
})
afterAll(async () => {
  expect(server.logged).toEqual([])
  await server[Symbol.asyncDispose]()
})

const denied = {
  code: 255,
  stdout: '',
  stderr: expect.stringMatching(/^git@127\.0\.0\.1: Permission denied \(publickey\)\.\r?\n$/),
}
const welcome = (name: string) => ({ code: 0, stdout: `${name}\n`, stderr: '' })

describe('the OpenSSH client is authenticated', () => {
  const types = [
    ['ed25519', undefined],
    ['ecdsa', 256],
    ['ecdsa', 384],
    ['ecdsa', 521],
    ['rsa', 2048],
    ['rsa', 4096],
  ] as const
  test.each(types)('with a key of the type %s, %s bits', async (type, bits) => {
    const name = `${type}-${bits}`
    const pair = await server.key(name, type, bits)
    expect(await ssh(server, pair)).toEqual(welcome(name))
  })

  test('with an RSA key and each digest', async () => {
    const pair = await server.key('rsa-256', 'rsa', 2048)
    const extra = ['-o', 'PubkeyAcceptedAlgorithms=rsa-sha2-256']
    expect(await ssh(server, pair, [], { extra })).toEqual(welcome('rsa-256'))
  })

  test.each(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'])(
    'with the host key %s',
    async (type) => {
      await expect
        .poll(async () => (await ssh(server, key, [], { extra: ['-o', `HostKeyAlgorithms=${type}`] })).stdout)
        .toBe('ada\n')
    },
  )

  test.each(['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'])(
    'over %s',
    async (cipher) => {
      expect(await ssh(server, key, [], { extra: ['-c', cipher] })).toEqual(welcome('ada'))
    },
  )
})

describe('the OpenSSH client is rejected', () => {
  test('with an unknown key', async () => {
    const other = await sshKeyPair(server.folder, 'other')
    expect(await ssh(server, other)).toEqual(denied)
  })

  test('with another user name', async () => {
    for (const user of ['root', 'GIT', 'ada', '']) {
      const { code, stdout } = await ssh(server, key, [], { user: user || '""' })
      expect({ code, stdout }).toEqual({ code: 255, stdout: '' })
    }
  })

  test('with signatures over SHA-1', async () => {
    const pair = await server.key('old', 'rsa', 2048)
    const extra = ['-o', 'PubkeyAcceptedAlgorithms=ssh-rsa', '-o', 'HostKeyAlgorithms=ssh-ed25519']
    expect((await ssh(server, pair, [], { extra })).code).toBe(255)
  })

  test.each(['chacha20-poly1305@openssh.com', 'aes128-cbc', '3des-cbc'])('over %s', async (cipher) => {
    expect(await ssh(server, key, [], { extra: ['-c', cipher] })).toMatchObject({ code: 255, stdout: '' })
  })

  test('with a password, and learns that only keys are accepted', async () => {
    const methods: unknown[] = []
    const { ready } = clientOf(server, {
      authHandler: (left, _partial, next) => {
        methods.push(left)
        if (methods.length === 1) return next({ type: 'none', username: 'git' })
        if (methods.length === 2) return next({ type: 'password', username: 'git', password: 'secret' })
        if (methods.length === 3)
          return next({ type: 'keyboard-interactive', username: 'git', prompt: (_n, _i, _l, _p, done) => done(['x']) })
        return next(false as never)
      },
    })
    await expect(ready).rejects.toThrow('All configured authentication methods failed')
    expect(methods).toEqual([null, ['publickey'], ['publickey'], ['publickey']])
  })
})

describe('an offered key', () => {
  /** A client that offers a public key and sends the given signatures. */
  function pretender(publicKey: string, signing: (data: Buffer) => Buffer | Error) {
    class Agent extends ssh2.BaseAgent {
      override getIdentities(done: (error: Error | undefined, keys: string[]) => void) {
        done(undefined, [publicKey])
      }
      override sign(_key: unknown, data: Buffer, options: unknown, done?: unknown) {
        const callback = (typeof options === 'function' ? options : done) as (e?: Error, signature?: Buffer) => void
        const signature = signing(data)
        if (signature instanceof Error) callback(signature)
        else callback(undefined, signature)
      }
    }
    return clientOf(server, { agent: new Agent() as never, authHandler: ['agent'] })
  }

  test('does not authenticate without a signature, although the server accepts the offer', async () => {
    const { client, ready } = pretender(key.publicKey, () => new Error('no'))
    const before = server.asked.length
    await expect(ready).rejects.toThrow()
    expect(server.asked.length).toBe(before + 1)
    await expect(execute(client, 'whoami')).rejects.toThrow()
  })

  test('does not authenticate a client that proceeds without signature', async () => {
    let asked = 0
    const { client, ready } = pretender(key.publicKey, () => {
      asked += 1
      // The server has accepted the offer. The client requests a session without signing.
      const answer = new Promise((resolve) => {
        const internals = client as unknown as { _chanMgr: { add(done: (error?: Error) => void): number } }
        const id = internals._chanMgr.add((error) => resolve(error))
        ;(client as unknown as { _protocol: { session(...numbers: number[]): void } })._protocol.session(
          id,
          2 ** 21,
          2 ** 15,
        )
      })
      refused = answer
      return Buffer.alloc(64)
    })
    let refused: Promise<unknown> = Promise.resolve()
    await expect(ready).rejects.toThrow()
    expect(asked).toBe(1)
    expect(await refused).toBeInstanceOf(Error)
  })

  test('does not authenticate with the signature of another key, or a malformed one', async () => {
    const mine = generateKeyPairSync('ed25519').privateKey
    for (const signature of [(data: Buffer) => sign(null, data, mine), () => Buffer.alloc(64), () => Buffer.alloc(0)]) {
      await expect(pretender(key.publicKey, signature).ready).rejects.toThrow(
        'All configured authentication methods failed',
      )
    }
    const rsa = await server.key('rsa-named', 'rsa', 2048)
    await expect(pretender(rsa.publicKey, () => Buffer.alloc(256, 1)).ready).rejects.toThrow()
    const ecdsa = await server.key('ecdsa-named', 'ecdsa', 256)
    const zeros = Buffer.from([0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00])
    await expect(pretender(ecdsa.publicKey, () => zeros).ready).rejects.toThrow()
  })

  test('authenticates the identity of the verified key, not of an earlier offer', async () => {
    const second = await server.key('second')
    const pairs = [key, second]
    const privateKeys = await Promise.all(pairs.map(({ path }) => readFile(path, 'utf8')))
    let attempt = 0
    // First a known key with an invalid signature, then another one with a valid signature.
    class Agent extends ssh2.BaseAgent {
      override getIdentities(done: (error: undefined, keys: string[]) => void) {
        done(
          undefined,
          pairs.map(({ publicKey }) => publicKey),
        )
      }
      override sign(_named: unknown, data: Buffer, options: unknown, done?: unknown) {
        const callback = (typeof options === 'function' ? options : done) as (e?: Error, signature?: Buffer) => void
        attempt += 1
        const parsed = ssh2.utils.parseKey(privateKeys[1] ?? '')
        if (parsed instanceof Error) throw parsed
        callback(undefined, parsed.sign(data))
      }
    }
    const { client, ready } = clientOf(server, { agent: new Agent() as never, authHandler: ['agent'] })
    await ready
    expect(attempt).toBe(2)
    const channel = await execute(client, 'whoami')
    expect(Buffer.concat(await channel.toArray()).toString()).toBe('second\n')
    client.end()
  })

  test('may be rejected six times per connection', async () => {
    const names = await Promise.all(Array.from({ length: 7 }, (_, index) => sshKeyPair(server.folder, `try-${index}`)))
    const files = names.flatMap(({ path }) => ['-i', path])
    const before = server.asked.length
    const { code } = await ssh(server, key, [], { extra: files })
    expect(code).toBe(255)
    expect(server.asked.length - before).toBe(6)
  })
})

describe('a security key', () => {
  type Device = { blob: Buffer; type: string; sign(data: Buffer): Buffer; privateKey: KeyObject }
  const application = 'ssh:'

  function ed25519Device(): Device {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    const type = 'sk-ssh-ed25519@openssh.com'
    const blob = Buffer.concat([field(type), field(point), field(application)])
    return { blob, type, privateKey, sign: (data) => sign(null, data, privateKey) }
  }

  function ecdsaDevice(): Device {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
    const type = 'sk-ecdsa-sha2-nistp256@openssh.com'
    const blob = Buffer.concat([field(type), field('nistp256'), field(point), field(application)])
    const number = (bytes: Buffer) => {
      const start = bytes.findIndex((byte) => byte !== 0)
      const short = bytes.subarray(start)
      return field((short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), short]) : short)
    }
    return {
      ...{ blob, type, privateKey },
      sign(data) {
        const pair = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
        return Buffer.concat([number(pair.subarray(0, 32)), number(pair.subarray(32))])
      },
    }
  }

  const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

  /** The signature of a security key: application, flags and counter. */
  function signatureOf(device: Device, data: Buffer, { flags = 1, claimed = 0, of = application } = {}): Buffer {
    const counter = Buffer.from([0, 0, 0, 7])
    const signed = Buffer.concat([sha256(of), Buffer.from([flags]), counter, sha256(data)])
    return Buffer.concat([field(device.type), field(device.sign(signed)), Buffer.from([claimed || flags]), counter])
  }

  async function comeWith(device: Device, answer: (data: Buffer) => Buffer) {
    const name = createHash('sha256').update(device.blob).digest('hex').slice(0, 12)
    const socket = join(server.folder, `${name}.agent`)
    const path = join(server.folder, `${name}.pub`)
    await writeFile(path, `${device.type} ${device.blob.toString('base64')} ${name}\n`, { mode: 0o600 })
    await using _agent = await fakeAgent(socket, device.blob, answer)
    return await ssh(server, { path, publicKey: '' }, [], { extra: ['-o', `IdentityAgent=${socket}`] })
  }

  test.each([ed25519Device, ecdsaDevice])('authenticates when it was touched', async (make) => {
    const device = make()
    server.known.set(device.blob.toString('base64'), 'device')
    expect(await comeWith(device, (data) => signatureOf(device, data))).toEqual(welcome('device'))
    expect(await comeWith(device, (data) => signatureOf(device, data, { flags: 5 }))).toEqual(welcome('device'))
  })

  test.each([ed25519Device, ecdsaDevice])(
    'is rejected untouched, for another application, or with another key',
    async (make) => {
      const device = make()
      const other = make()
      server.known.set(device.blob.toString('base64'), 'device')
      expect((await comeWith(device, (data) => signatureOf(device, data, { flags: 0 }))).code).toBe(255)
      expect((await comeWith(device, (data) => signatureOf(device, data, { flags: 0, claimed: 1 }))).code).toBe(255)
      expect((await comeWith(device, (data) => signatureOf(device, data, { of: 'https://example.com' }))).code).toBe(
        255,
      )
      expect((await comeWith(device, (data) => signatureOf(other, data))).code).toBe(255)
      expect((await comeWith(device, () => field(device.type))).code).toBe(255)
    },
  )
})
